"""`deskcrew serve`: the runs of a folder in a browser, and over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.command import RUNS, Debug, RunsDir, guarded

if TYPE_CHECKING:
    from environments.served.running import Address

PORT = 8770
_PACKAGES = ("fastapi", "starlette", "uvicorn", "PIL")


def serve(
    host: Annotated[
        str, typer.Option(help="The address to serve at; by default nobody but this machine can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")] = PORT,
    tokens: Annotated[
        Path | None, typer.Option(metavar="FILE", help="More people (YAML): name, role view|approve|operate, sha256 of a token.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where your own token is kept; desk.token beside the runs when not given.")
    ] = None,
    new_token: Annotated[bool, typer.Option("--new-token", help="Forget the token that was kept, and make another one.")] = False,
    config: Annotated[
        list[Path] | None, typer.Option("--config", metavar="FILE", help="Settings (YAML) of what is started here; repeatable.")
    ] = None,
    runs_dir: RunsDir = None,
    debug: Debug = False,
) -> None:
    """Watch, answer and start runs in a browser, until Ctrl-C. The printed address opens it; runs go on without it."""
    with guarded(debug):
        _need_packages()
        from orchestrator.control.channel import myself
        from orchestrator.desk import running
        from orchestrator.desk.auth import Tokens, person_of, read_people
        from orchestrator.desk.auth_kept import FILE, kept_token
        from orchestrator.desk.desk import Desk

        folder = runs_dir or RUNS
        people = read_people(tokens) if tokens else []
        token = kept_token(token_file or folder / FILE, new=new_token)
        desk = Desk(folder, Tokens([person_of(myself(), "operate", token), *people]), config or ())
        try:
            running.serve(desk, host, port, token, _ready)
        except KeyboardInterrupt:
            typer.echo("stopped; runs at work go on")
        finally:
            desk.close()


def _need_packages() -> None:
    from importlib.util import find_spec

    if not all(find_spec(name) for name in _PACKAGES):
        from orchestrator.errors import Lacking

        raise Lacking('The server needs FastAPI, uvicorn and Pillow: pip install "deskcrew[serve]"')


def _ready(address: Address) -> None:
    if not _is_loopback(address.host):
        typer.echo(
            f"warning: other machines can connect to {address.host}:{address.port}, and nothing that is sent is encrypted; "
            "whoever has the address with the token starts and changes runs here",
            err=True,
        )
    typer.echo(f"open {address.url}")
    typer.echo("press Ctrl-C to stop; runs go on without the server")


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
