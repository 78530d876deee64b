"""Runs are worked by processes of their own, which live on when the server is killed; they are told what to do on their input."""

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Literal

from pydantic import Field

from orchestrator.control.channel import holder_of
from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.store.printable import clean
from protocol import Frozen, JsonObject

HOME = ".desk"
"""The desk's own folder among the runs; no run is called so."""
SAID = "worker.err"
"""In a run's folder: what the processes that the desk started for it have complained of."""


class Begin(Frozen):
    """A new run."""

    do: Literal["begin"] = "begin"
    runs_dir: Path
    goal: str = ""
    """In words; empty where a task is worked."""
    task: str | JsonObject = ""
    """The name of a shipped one, or all that a task file says."""
    config: tuple[Path, ...] = ()
    overrides: tuple[str, ...] = ()
    plan: JsonObject | None = None
    secrets: dict[str, str] = Field(default_factory=dict, repr=False)
    who: str = ""


class GoOn(Frozen):
    """A run that is there already."""

    do: Literal["go_on", "hand_back"] = "go_on"
    runs_dir: Path
    run_id: str
    who: str = ""
    say: str = ""
    """What the crew is to know after it was handed back."""
    overrides: tuple[str, ...] = ()
    """Other limits from here on."""
    secrets: dict[str, str] = Field(default_factory=dict, repr=False)
    answered: str = ""
    """Go on for the sake of this answer: once whoever works the run has let go of it, and unless they have heard it."""


Order = Begin | GoOn


BEGINS_WITHIN = 300.0
"""Seconds in which a process has to begin: it imports all that a crew needs, on a machine that may be busy."""
_LOOK_AGAIN = 0.03
_LONGEST = 1_000
_TRIES = 3
"""Processes that are started to go on with one answer, where each is killed before it has heard it."""
_MEANT = ("SIGTERM", "SIGINT", "SIGHUP")
"""Signals by which somebody ends a process that is to stay ended."""
_NOT_FOR_RUNS = ("DESKCREW_TOKEN",)


class CouldNotBegin(UsageProblem):
    """What the process said before it ended, in one sentence."""


def begin(order: Begin) -> str:
    """Start a run and give its id as soon as it stands in its folder. Raises CouldNotBegin."""
    home = order.runs_dir / HOME
    home.mkdir(exist_ok=True)
    for path in home.iterdir():
        with suppress(OSError):  # another server's, which is quicker
            if time.time() - path.stat().st_mtime > 2 * BEGINS_WITHIN:
                path.unlink()
    name = secrets.token_hex(8)
    told, said = home / f"{name}.out", home / f"{name}.err"
    with told.open("wb") as out, said.open("wb") as err:
        process = _started(order, out, err)
    try:
        _until(lambda: told.read_bytes().endswith(b"\n"), process)
        run_id = told.read_text(encoding="utf-8").strip()
        if not run_id and process.poll() is None:
            process.terminate()
            raise MachineStopped(
                f"The run did not begin within {BEGINS_WITHIN:g} seconds; start it again when the machine is less busy."
            )
        if not run_id:
            raise CouldNotBegin(_text(said, 0) or f"The run's process ended with exit code {process.returncode} and no message.")
        said.replace(order.runs_dir / run_id / SAID)
        return run_id
    finally:
        told.unlink(missing_ok=True)
        said.unlink(missing_ok=True)


def go_on(order: GoOn, *, wait: bool = False, tries: int = _TRIES) -> None:
    """Let a process go on with a run; with `wait` until it has the run in hand. Raises CouldNotBegin.

    One that is to hear an answer and is killed is followed by another, which does nothing where the answer was heard.
    """
    folder = order.runs_dir / order.run_id
    said = folder / SAID
    begun = said.stat().st_size if said.exists() else 0

    def again(code: int) -> None:
        if order.answered and tries > 1 and code < 0 and signal.Signals(-code).name not in _MEANT:
            go_on(order, tries=tries - 1)

    with said.open("ab") as err:
        process = _started(order, subprocess.DEVNULL, err, again)
    if not wait:
        return

    def has_it() -> bool:
        holder = holder_of(folder)
        return holder is not None and holder.pid == process.pid

    if not _until(has_it, process) and process.poll() in (1, 2) and (complaint := _text(said, begun)):
        raise CouldNotBegin(complaint)


def complaints(folder: Path) -> str:
    """What the processes of the desk have said of a run; empty where they had nothing to say."""
    return _text(folder / SAID, 0)


def _started(
    order: Order, out: int | IO[bytes], err: IO[bytes], ended: Callable[[int], None] = lambda code: None
) -> subprocess.Popen[bytes]:
    environment = {key: value for key, value in os.environ.items() if key not in _NOT_FOR_RUNS}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "orchestrator.cli.tools.worker"],
        stdin=subprocess.PIPE, stdout=out, stderr=err, env=environment, start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None  # noqa: S101 - it was asked for
    with suppress(BrokenPipeError), process.stdin as told:
        told.write(order.model_dump_json().encode("utf-8", "surrogatepass"))
    # Whoever ends is waited for, so that nobody takes a dead process for one that works.
    threading.Thread(target=lambda: ended(process.wait()), name="deskcrew-reaper", daemon=True).start()
    return process


def _until(holds: Callable[[], bool], process: subprocess.Popen[bytes]) -> bool:
    """Whether it comes to hold before the process ends, or takes too long."""
    deadline = time.monotonic() + BEGINS_WITHIN
    while not holds():
        if process.poll() is not None or time.monotonic() > deadline:
            return holds()
        time.sleep(_LOOK_AGAIN)
    return True


def _text(said: Path, begun: int) -> str:
    """The last sentence of what was written since."""
    try:
        with said.open("rb") as file:
            file.seek(begun)
            lines = file.read(1_000_000).decode("utf-8", "replace").strip().splitlines()
    except OSError:
        return ""
    told = [line for line in lines if line.startswith("deskcrew: ")] or lines
    return clean(told[-1].removeprefix("deskcrew: "), _LONGEST) if told else ""
