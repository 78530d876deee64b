"""Words by which private values, functions and scripts are known: the table beside this module."""

from pathlib import Path
from typing import Any

from environments.files.yaml_lines import texts_in

VOCABULARY = texts_in(Path(__file__).with_suffix(".yaml"))


def words(*place: str) -> frozenset[str]:
    """The words that stand at this place of the vocabulary."""
    found: Any = VOCABULARY
    for key in place:
        found = found[key]
    return frozenset(found.split())
