"""What all commands share: their common options, and how a failure becomes one sentence and an exit code."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.completion import displays, run_ids

USAGE, FAILED, INTERRUPTED = 2, 1, 130
RUNS = Path("runs")
EPILOG = "Exit codes: 0 done, 1 failed, 2 usage, 3 waiting for a person, or paused, 4 a limit is spent."
RunsDir = Annotated[Path | None, typer.Option("--runs-dir", help="Folder with the runs; ./runs when not given.")]
RunId = Annotated[str, typer.Argument(metavar="ID", help="A run, or the beginning of its name.", autocompletion=run_ids)]
AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Store = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="ADDRESS", envvar="DESKCREW_STORE", help="Runs of a shared store, postgresql://USER@HOST/DATABASE."
    ),
]
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
        help="Runs of a desk (deskcrew serve) in place of those here; its token is in DESKCREW_TOKEN or a --token-file.",
    ),
]  # fmt: skip
TokenFile = Annotated[Path | None, typer.Option("--token-file", metavar="FILE", help="The file with the token of --server.")]
Display = Annotated[str | None, typer.Option("--display", help="auto, rich, plain, log, json or none.", autocompletion=displays)]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]


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
        typer.echo(f"deskcrew: {said}", err=True)
        raise typer.Exit(code) from None


_NO_PLACE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG, errno.ENOENT}


def _explained(bad: Exception) -> tuple[int, str]:
    from environments.contract import WorldError
    from orchestrator.errors import Stopped, UsageProblem
    from orchestrator.faces.clean import clean
    from orchestrator.store_address import without_addresses
    from protocol.dialects import DialectError
    from protocol.exports import FormatError
    from protocol.versions import BadStep
    from protocol.whole import PARTIAL

    said = without_addresses(clean(" ".join(str(bad).split()), 1000))
    if isinstance(bad, UsageProblem | WorldError | BadStep | DialectError | FormatError):
        return USAGE, said
    stands = sys.modules.get("roles.standstill")  # whoever raised it has imported it, and LangGraph with it
    if isinstance(bad, OSError) and bad.filename:
        why = bad.strerror or type(bad).__name__
        return USAGE, f"{clean(str(bad.filename).removesuffix(PARTIAL))} cannot be used ({why}); see who may read and write it."
    if isinstance(bad, Stopped) or (stands is not None and isinstance(bad, stands.Standstill)):
        return FAILED, said
    if isinstance(bad, OSError) and bad.errno in _NO_PLACE:  # ENOENT where no folder for temporary files can be written
        return FAILED, f"There is no place to write ({bad.strerror}); make room, or choose another place."
    if type(bad).__module__ == "sqlite3" and type(bad).__name__ == "OperationalError":
        return FAILED, f"A file of the run cannot be used ({said}); see that its folder can be written and has room."
    return FAILED, f"this is a fault of deskcrew, not yours: {type(bad).__name__}: {said or 'no words'} (--debug shows where)."
