"""Where the crew looks things up, and how sure it must be: a part for each kind of source."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from protocol import Frozen


class SourceSettings(Frozen):
    """One kind of knowledge."""

    on: bool = True
    top_k: int = Field(default=3, ge=1, le=50)
    """How many of its documents are shown for one query, at most."""
    threshold: float = Field(default=0.45, ge=0, le=1)
    """How much of the query a document must speak of, 0 to 1."""


class KnowledgeSettings(Frozen):
    """What is known beyond the screen."""

    store: Path = Path(".deskcrew/knowledge.sqlite")
    """The file of what was added; a relative one stands beside the folder of the runs. Nothing is written before something is
    added."""
    help: SourceSettings = SourceSettings()
    """Help documents: the shipped ones, those of `help_dirs`, and those that were added."""
    experience: SourceSettings = SourceSettings()
    """What the crew itself did, and what came of it."""
    demonstrations: SourceSettings = SourceSettings()
    """What a person showed."""
