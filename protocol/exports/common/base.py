"""What every format of a whole run shares: the run that is written, what came of writing it, and its pictures."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from protocol.dialects import Loss
from protocol.log.log import LogLine
from protocol.model.geometry import JsonObject
from protocol.model.steps import InteractionStep, Picture, picture_file


@dataclass(frozen=True)
class RunInfo:
    """What a log does not say about its run."""

    run_id: str = ""
    goal: str = ""
    outcome: Literal["fulfilled", "rejected", ""] = ""
    """Empty where nobody has said."""
    agent: str = "deskcrew"
    agent_version: str = ""


@dataclass(frozen=True)
class Run:
    """A run to be written. `steps` is read once, in order; `folder` is what the paths of pictures are relative to."""

    steps: Iterable[InteractionStep]
    info: RunInfo = RunInfo()
    folder: Path | None = None
    calls: Sequence[JsonObject] = ()
    """What was said to the run's models and by them, call by call, where that was kept."""


@dataclass
class ExportResult:
    """What was written, and what the format could not say, with how often."""

    files: list[Path] = field(default_factory=list)
    steps: int = 0
    losses: Counter[Loss] = field(default_factory=Counter)

    def unsaid(self, no: Exception) -> None:
        """A step that the format cannot say."""
        self.losses[Loss(what="action", why=str(no)[:200])] += 1


@dataclass(frozen=True)
class ImportResult:
    """Another agent's run, step by step; a line that is not understood is an error with its number, and the rest goes on."""

    info: RunInfo
    lines: Iterator[LogLine]


class FormatError(ValueError):
    """A file that is not in the format. The message names the file, the place in it and the reason."""


@dataclass(frozen=True)
class Format:
    """One way to write or read a whole run."""

    name: str
    title: str
    suffix: str
    """Of the file that is written: `.json`, `.jsonl`, `.py`."""
    write: Callable[[Run, Path], ExportResult] | None = None
    """Writes to the path, in one piece. Raises FormatError for a run that it cannot say."""
    read: Callable[[Path], ImportResult] | None = None
    """Raises FormatError where not even a first line can be found."""


def written_beside(out: Path, data: bytes, suffix: str) -> tuple[str, str]:
    """The relative path of a picture in a folder beside `out`, once it is there, and its sha256. Raises FormatError."""
    digest = hashlib.sha256(data).hexdigest()
    target = out.parent / f"{out.stem}_images" / f"{digest[:16]}{suffix}"
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.parent.is_symlink():  # whoever made the folder would have the pictures written elsewhere
        raise FormatError(f"{target.parent} is a link; pictures are written into a folder of their own")
    if target.is_symlink():
        target.unlink()
    if not target.exists():
        target.write_bytes(data)
    return f"{target.parent.name}/{target.name}", digest


class Pictures:
    """Pictures of a run beside what is written of it: each is copied once and named by a relative path with its sha256."""

    def __init__(self, folder: Path | None, out: Path) -> None:
        """`folder` is where the run's paths start, `out` the file that will name the pictures."""
        self._folder = folder
        self._out = out
        self._known: dict[str, Picture | None] = {}

    def of(self, step: InteractionStep, moment: Literal["before", "after"]) -> Picture | None:
        """The step's picture of that moment as the new file should name it; None where there is none."""
        for picture in step.pictures:
            if picture.moment == moment:
                return self._copied(picture)
        if moment == "before" and step.visual_state.screenshot_path:
            return self._copied(Picture.model_construct(path=step.visual_state.screenshot_path, sha256="", moment=moment))
        return None

    def _copied(self, picture: Picture) -> Picture | None:
        if picture.path not in self._known:
            source = picture_file(self._folder, picture.path) if self._folder else None
            self._known[picture.path] = None
            if source is not None:
                name, digest = written_beside(self._out, source.read_bytes(), source.suffix.lower())
                self._known[picture.path] = picture.model_copy(update={"path": name, "sha256": digest})
        known = self._known[picture.path]
        return known and known.model_copy(update={"moment": picture.moment})
