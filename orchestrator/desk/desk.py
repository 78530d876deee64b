"""What every part of the server shares: the folder of runs, and who may come in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request
from fastapi import Path as InPath

from orchestrator.desk.auth import Refused, Tokens
from orchestrator.desk.live import Watch
from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import is_run_id
from orchestrator.settings.settings import load_settings


class Desk:
    """One server's. `close` ends every stream and gives everything back."""

    def __init__(self, runs_dir: Path, tokens: Tokens, config: Sequence[Path] = (), *, a2a: bool = False) -> None:
        """`config` are files of settings that hold for every run that is started here; `a2a` serves tasks at /a2a."""
        self.runs_dir = runs_dir
        self.a2a = a2a
        self.tokens = tokens
        self.config = tuple(path.resolve() for path in config)
        load_settings(self.config)  # what is wrong in them is said now
        self.watch = Watch(runs_dir)
        try:
            runs_dir.mkdir(parents=True, exist_ok=True)
        except OSError as bad:
            raise UsageProblem(f"{runs_dir} cannot be written ({bad}); name another folder with --runs-dir.") from None

    def folder(self, run_id: str) -> Path:
        """Of a run by its whole id. Raises Refused and UnknownRun."""
        if not is_run_id(run_id):
            raise Refused(404, "This cannot be the id of a run.")
        folder = self.runs_dir / run_id
        if not (folder / "run.json").is_file():
            raise UnknownRun(run_id)
        return folder

    def close(self) -> None:
        """Twice is fine."""
        self.watch.close()


class UnknownRun(LookupError):
    """There is no run of this id."""


def the_desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def the_folder(request: Request, run_id: Annotated[str, InPath(description="The whole id of a run.")]) -> Path:
    return the_desk(request).folder(run_id)


TheDesk = Annotated[Desk, Depends(the_desk)]
RunFolder = Annotated[Path, Depends(the_folder)]
"""As the type of a parameter: the folder of the run that `{run_id}` in the path names."""
