"""What a world file says of the file manager, and the files that the seed makes up."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from environments.simulated.app import Content, Setting
from environments.simulated.apps.files_state import ROOT, joined
from environments.simulated.generate import TOPICS, paragraph
from environments.simulated.values import slug


class FilesContent(Content):
    """`files` maps absolute paths to texts; `folders` adds empty ones. `generate` adds files from the seed."""

    files: dict[str, str] | None = None
    folders: tuple[str, ...] = ()
    generate: int | None = Field(default=None, ge=0, le=500)
    cwd: str = ROOT
    open: str | None = None

    @model_validator(mode="after")
    def _paths_are_absolute(self) -> Self:
        paths = (*(self.files or {}), *self.folders)
        for path in paths:
            if not path.startswith("/") or path.endswith("/") or "//" in path:
                raise ValueError(f"{path!r} is no absolute path; write it like /Documents/plan.txt")
            if any(path != other and other.startswith(path + "/") for other in paths if path in (self.files or {})):
                raise ValueError(f"{path!r} is a file, so nothing can be in it")
        if self.open not in (None, *(self.files or {})):
            raise ValueError(
                f"open: there is no file {self.open!r}; files given are: {', '.join(list(self.files or {})[:8]) or 'none'}"
            )
        return self


def generated(count: int, setting: Setting) -> dict[str, str]:
    rng = setting.rng
    places = ("/Documents", "/Documents/Projects", "/Reports", "/")
    made: dict[str, str] = {}
    while len(made) < count:
        name = f"{slug(rng.choice(TOPICS))}-{rng.randrange(10, 9999)}.txt"
        made[joined(rng.choice(places), name)] = paragraph(rng, 2)
    return made
