"""What all commands share: their common options, and how a failure becomes one sentence and an exit code."""

from __future__ import annotations

import codecs
import errno
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from importlib.resources import files
from inspect import Parameter, signature
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

SHELLS = ("bash", "zsh", "fish")
MOST = 200
"""A list of more helps nobody."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)


def run_ids(ctx: typer.Context, incomplete: str) -> list[str]:
    """The runs in the folder that the line names, newest first."""
    folder = Path(ctx.params.get("runs_dir") or "runs")
    try:
        names = [entry.name for entry in os.scandir(folder) if os.path.exists(os.path.join(entry.path, "run.json"))]
    except OSError:
        return []
    return offered(sorted(names, reverse=True), incomplete)


def _shipped(kind: str) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        names = (path.name for path in files("configs").joinpath(kind).iterdir())
        return offered(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")), incomplete)

    return complete


tasks, worlds, presets = map(_shipped, ("tasks", "worlds", "policies"))
"""What completes a word of these kinds."""


def _of(names: Sequence[str]) -> Callable[[str], list[str]]:
    return lambda incomplete: offered(names, incomplete)


displays, shells = _of(("auto", "rich", "plain", "json", "none")), _of(SHELLS)


def offered(names: Sequence[str], incomplete: str) -> list[str]:
    """Those of the names that begin so and that no shell reads as anything but a word."""
    return [name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)][:MOST]


def script(shell: str) -> str:
    """What a shell is to read once, so that it asks deskcrew for words."""
    from typer._completion_shared import get_completion_script

    return get_completion_script(prog_name="deskcrew", complete_var=ASKED, shell=shell)


ASKED = "_DESKCREW_COMPLETE"
"""The variable by which a shell's script asks for words."""


def answer_shells() -> None:
    """Let the command answer the scripts of shells; else it does not know how to write for them."""
    if ASKED in os.environ:
        from typer._completion_classes import completion_init

        completion_init()


if TYPE_CHECKING:
    from orchestrator.control.controls import Stop
    from orchestrator.desk.client.handle import RunHandle, Runs
    from orchestrator.runs.outcome import Outcome
    from orchestrator.tasks.plans import ShownPlan
    from orchestrator.views.listing import Cells
    from orchestrator.views.terminal.plain import Face
    from roles.journal.journal import Event, Listener


USAGE, FAILED, INTERRUPTED = 2, 1, 130
PACKAGES = ("deskcrew", "orchestrator", "roles", "environments", "protocol")
"""Names of our packages."""
RUNS = Path("runs")
EPILOG = "Exit codes: 0 done, 1 failed, 2 usage, 3 waiting for a person, or paused, 4 a budget is spent."


def group(told: str, *, alone: bool = False) -> typer.Typer:
    """Commands behind one word, which shows its help where it is typed alone, unless it does something `alone`."""
    return typer.Typer(help=told, no_args_is_help=not alone, invoke_without_command=alone, epilog=EPILOG)


RunsDir = Annotated[Path | None, typer.Option("--runs-dir", help="Folder with the runs; default: ./runs.")]
RunId = Annotated[str, typer.Argument(metavar="ID", help="A run, or the beginning of its name.", autocompletion=run_ids)]
AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Secret = Annotated[
    list[str] | None,
    typer.Option(
        "--secret", metavar="NAME", help="A private value: typed without echo, or from DESKCREW_SECRET_NAME; repeatable."
    ),
]
Server = Annotated[
    str | None,
    typer.Option(
        "--server", metavar="URL", envvar="DESKCREW_SERVER",
        help="Use the runs of a desk (deskcrew serve) instead of local ones; its token is in DESKCREW_TOKEN or a --token-file.",
    ),
]  # fmt: skip
TokenFile = Annotated[Path | None, typer.Option("--token-file", metavar="FILE", help="The file with the token of --server.")]
Display = Annotated[str | None, typer.Option("--display", help="auto, rich, plain, json or none.", autocompletion=displays)]
Overrides = Annotated[list[str] | None, typer.Option("-c", metavar="KEY=VALUE", help="Set one value; repeatable.")]
Config = Annotated[list[Path] | None, typer.Option("--config", metavar="FILE", help="A YAML file of settings; repeatable.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]


_PLACE: ContextVar[str] = ContextVar("place", default="")
"""The option that says where the runs of a command are; empty where they are where they are looked for."""
_COMMAND = re.compile(r"\bdeskcrew (show|resume|fork|replay) [\w-]++(?! --(runs-dir|server)\b)")


@contextmanager
def guarded(debug: bool) -> Iterator[None]:
    """Turn whatever goes wrong into one sentence and an exit code."""
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except BrokenPipeError:
        sys.stdout = None  # whoever read us has gone; nothing is left to flush
        raise typer.Exit(FAILED) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except Exception as bad:  # noqa: BLE001 - the last line of defence: a sentence instead of a traceback
        if debug:
            import traceback

            traceback.print_exc()
        code, said = _explained(bad)
        typer.echo(f"deskcrew: {_COMMAND.sub(lambda found: found[0] + _PLACE.get(), said)}", err=True)
        raise typer.Exit(code) from None


_NO_PLACE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG, errno.ENOENT}


def _explained(bad: Exception) -> tuple[int, str]:
    from environments.contract import WorldError
    from orchestrator.errors import MachineStopped, UsageProblem
    from orchestrator.store.printable import clean
    from protocol.dialects import DialectError
    from protocol.exports import FormatError
    from protocol.log.log import PARTIAL
    from protocol.log.versions import BadStep

    said = clean(" ".join(str(bad).split()), 1000)
    if isinstance(bad, UsageProblem | WorldError | BadStep | DialectError | FormatError):
        return USAGE, said
    stands = sys.modules.get("roles.contracts.nodes")  # whoever raised it has imported it, and LangGraph with it
    if isinstance(bad, OSError) and bad.filename:
        why = bad.strerror or type(bad).__name__
        return USAGE, f"{clean(str(bad.filename).removesuffix(PARTIAL))} cannot be used ({why}); see who may read and write it."
    if isinstance(bad, MachineStopped) or (stands is not None and isinstance(bad, stands.RunBlocked)):
        return FAILED, said
    if isinstance(bad, OSError) and bad.errno in _NO_PLACE:  # ENOENT where no folder for temporary files can be written
        return FAILED, f"There is no place to write ({bad.strerror}); make room, or choose another place."
    if type(bad).__module__ == "sqlite3" and type(bad).__name__ == "OperationalError":
        return FAILED, f"A file of the run cannot be used ({said}); see that its folder can be written and has room."
    return FAILED, f"{_raiser(bad)}: {type(bad).__name__}: {said or 'no words'} (--debug shows where)."


def _raiser(bad: Exception) -> str:
    """Whose code raised it: of deskcrew, or of a class that the settings name. What either of them called is not looked at."""
    import traceback
    from sysconfig import get_paths

    own = tuple(str(Path(__file__).parents[2] / name) for name in PACKAGES)
    libraries = tuple(get_paths()[key] for key in ("stdlib", "purelib", "platlib"))
    for frame in reversed(traceback.extract_tb(bad.__traceback__)):
        if frame.filename.startswith(own):
            break
        if not frame.filename.startswith((*libraries, "<")):
            return f"{frame.filename}, line {frame.lineno}, raised an error"
    return "this is a fault of deskcrew, not yours"


@contextmanager
def connected(runs_dir: Path | None, server: str | None = None, token_file: Path | None = None) -> Iterator[Runs]:
    """The runs that a command is about."""
    from orchestrator.desk.client import runs_at

    runs = runs_at(runs_dir=runs_dir, server=server, token_file=token_file)
    try:
        if runs.warning:
            typer.echo(f"deskcrew: warning: {runs.warning}", err=True)
        _PLACE.set(runs.option)
        if runs.folder is None:
            from orchestrator.views.terminal.plain import ELSEWHERE

            ELSEWHERE.set(runs.option)
        yield runs
    finally:
        runs.close()


class Told(NamedTuple):
    """What a command tells: data or typed rows for programs, which its option --json asks for, else words for people."""

    data: Any
    text: str | Callable[[], str]
    good: bool = True
    """Else the exit code is 1."""

    @classmethod
    def rows(cls, rows: Sequence[Any], heads: Sequence[str], cells: Cells, none: str = "", *, numbers: bool = False) -> Told:
        """Typed rows, for people as a table with what its columns say of each; `none` where there are none."""

        def text() -> str:
            from orchestrator.views.listing import rows_table

            return rows_table(rows, heads, cells, numbers=numbers) if rows or not none else none

        return cls(rows, text)


Work = Callable[..., Told | None]


def tell(told: Told | None, as_json: bool) -> None:
    from orchestrator.store.printable import json_text

    if told is None:
        return
    typer.echo(json_text(told.data, 2) if as_json else told.text if isinstance(told.text, str) else told.text())
    if not told.good:
        raise typer.Exit(FAILED)


def plan_told(plan: ShownPlan) -> Told:
    """A plan, as `run --plan` reads it."""
    from orchestrator.tasks.plans import plan_text

    return Told(plan.data, plan_text(plan.data, *plan.about).removesuffix("\n"))


def command(work: Work) -> Callable[..., None]:
    """A command: whatever goes wrong in it becomes one sentence, and with `--debug` a traceback, too."""
    return _as_command(work, work, {})


def command_with_settings(work: Work) -> Callable[..., None]:
    """A command whose first parameter, `settings`, is what it works under; with the options that say what they are."""

    def loaded_work(config: list[Path] | None, overrides: list[str] | None, runs_dir: Path | None, **given: Any) -> Told | None:
        from orchestrator.settings.settings import load_settings

        words = [*(overrides or ()), *as_overrides({"runs_dir": runs_dir})]
        return work(load_settings(config or (), words).settings, **given)

    return _as_command(work, loaded_work, {"config": (Config, None), "overrides": (Overrides, None), "runs_dir": (RunsDir, None)})


def command_on_runs(work: Work) -> Callable[..., None]:
    """A command whose first parameter, `runs`, is what it is about; with the options that say where they are."""
    places = {"runs_dir": (RunsDir, None), "server": (Server, None), "token_file": (TokenFile, None)}

    def connected_work(**given: Any) -> Told | None:
        where = {name: given.pop(name, None) for name in places}
        with connected(**where) as runs:
            return work(runs, **given)

    return _as_command(work, connected_work, places)


def _as_command(work: Work, inner: Work, options: dict[str, tuple[Any, Any]]) -> Callable[..., None]:
    """`inner` as Typer is to see it: with the parameters of `work`, and these options (type and default) behind them; one that
    gives what it tells has --json."""
    about = {"runs", "settings"}
    for name in about:
        work.__annotations__.pop(name, None)  # a class that is not imported before the command is typed
    own = signature(work, eval_str=True)
    tells = own.return_annotation is not None
    options = {**({"as_json": (AsJson, False)} if tells else {}), **options, "debug": (Debug, False)}
    kept = [one for one in own.parameters.values() if one.name not in about]
    more = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=d, annotation=kind) for name, (kind, d) in options.items()]

    @wraps(work)
    def done(debug: bool = False, **given: Any) -> None:
        with guarded(debug):
            as_json = bool(tells and given.pop("as_json", False))
            tell(inner(**given), as_json)

    done.__annotations__ = {one.name: one.annotation for one in (*kept, *more)}
    vars(done)["__signature__"] = own.replace(parameters=[*kept, *more], return_annotation=None)
    return done


class CheckedThing(NamedTuple):
    """Something that was checked."""

    data: Any
    name: str
    wrong: bool
    about: str
    findings: Sequence[str]


def tell_checked(found: Iterable[CheckedThing], as_json: bool) -> None:
    """Each with its findings; exit code 1 where one is wrong."""
    from orchestrator.store.printable import clean, json_text

    bad = False
    for one in found:
        bad |= one.wrong
        if as_json:
            typer.echo(json_text(one.data))
            continue
        typer.echo(f"{'wrong' if one.wrong else 'ok':<6} {clean(one.name)}{one.about}")
        for finding in one.findings:
            typer.echo(f"       {clean(finding, 1000)}")
    if bad:
        raise typer.Exit(FAILED)


def drive(face: Face, runs: Runs, work: Callable[[Listener, Stop], Outcome | None], run_id: str = "") -> None:
    """Run with a face on the screen, and end with the outcome's exit code. Ctrl-C pauses the run, twice leaves it at once."""
    from orchestrator.control.controls import Stop, heeding
    from roles.journal.events import RunStartedEvent

    stop = Stop()
    names = [run_id]

    def listener(event: Event) -> None:
        if event.kind == RunStartedEvent.KIND:
            names.append(str(event.body["run_id"]))
        face.event(event)

    def pausing() -> None:
        # Not by typer, which goes past whoever has taken the place of the stream: the live view prints it above its rows.
        said = f"deskcrew: pausing before the next action; press Ctrl-C again to {runs.leaving}"
        # In a thread: a signal may come in the middle of a write, and a stream refuses to be written to within one.
        Thread(target=print, args=(f"\n{said}",), kwargs={"file": sys.stderr, "flush": True}).start()

    face.start()
    try:
        with heeding(stop, pausing):
            outcome = work(listener, stop)
    except KeyboardInterrupt:
        face.stop()
        typer.echo(f"\ndeskcrew: {runs.left(names[-1])}", err=True)
        raise
    finally:
        face.stop()
    if outcome is None:
        typer.echo(f"run {names[-1]} continues in its own process; see it with: deskcrew show {names[-1]}{runs.option}")
        return
    face.finish(outcome)
    if runs.folder is not None:
        _offer_to_keep(outcome, outcome.folder.parent)
    raise typer.Exit(outcome.exit_code)


def go_on(runs: Runs, run: RunHandle, display: str | None, as_json: bool, work: Callable[..., Outcome | None]) -> None:
    """Work a run that has begun, before a face that knows what was."""
    from orchestrator.views.terminal import make_face

    face = make_face("json" if as_json else checked_display(display))
    for event in run.past():
        face.recall(event)
    drive(face, runs, lambda heard, stop: work(listener=heard, approver=face.approver, stop=stop), run.run_id)


def _offer_to_keep(outcome: Outcome, folder: Path) -> None:
    """Ask who sits at the terminal whether the crew is to do it so again (`knowledge.experience.save: ask`)."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    from orchestrator.errors import UsageProblem
    from orchestrator.lab.learning.knowledge import offered
    from orchestrator.runs.experience import kept
    from orchestrator.store.printable import clean

    if (offer := offered(outcome.folder)) is None:
        return
    found, settings = offer
    for number, step in enumerate(found.found.steps, start=1):
        typer.echo(f"  {number}. {clean(step, 500)}")
    try:
        if typer.confirm("Keep these steps for goals like this one?", default=False):
            result = kept(found, settings, folder)
            typer.echo(f"kept as {result.document}" if result.saved else result.why)
    except (typer.Abort, UsageProblem) as no:  # whoever leaves the question has not said yes, and the run has ended as it has
        typer.echo(f"\ndeskcrew: nothing is kept {no}".rstrip(), err=True)


ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Use this model, such as openai:gpt-5, where rules do not understand (preset rules-first, unless another is named).",
    ),
]


def deciders(policies: str | None, model: str | None) -> dict[str, Any]:
    """The settings that say who decides."""
    return {"policies": policies or (model and "rules-first"), "crew.model.name": model}


def as_overrides(flags: dict[str, Any]) -> list[str]:
    from orchestrator.settings.layers import override_lines

    return override_lines({key: value for key, value in flags.items() if value is not None})


def checked_display(display: str | None) -> str:
    from orchestrator.settings.settings import load_settings

    return load_settings(overrides=as_overrides({"display": display})).settings.display


# Streams that cannot write all letters: what means something stays told apart, anything else is a question mark.
LETTERS = "deskcrew.letters"
"""The name of the error handler, for `stream.reconfigure(errors=LETTERS)`."""
_SIGNS = {
    "✓": "+", "✗": "x", "‖": "=", "◆": "*", "▸": ">", "▹": "-", "·": "-", "→": "->", "›": ">", "↻": "@", "⇄": "<>", "⏎": "/",
    "─": "-", "…": "...",
}  # fmt: skip


def _spelled(bad: UnicodeError) -> tuple[str, int]:
    if not isinstance(bad, UnicodeEncodeError):
        raise bad
    return "".join(_SIGNS.get(sign, "?") for sign in bad.object[bad.start : bad.end]), bad.end


codecs.register_error(LETTERS, _spelled)
