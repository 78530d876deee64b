"""`deskcrew mcp`: a simulated desktop for any agent that speaks MCP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.common import Debug, RunsDir, guarded


def mcp(
    task: Annotated[
        str, typer.Option(metavar="NAME", help="The task to begin with; the tool `reset` takes others.")
    ] = "claim-two-invoices",
    seed: Annotated[int, typer.Option(help="Seed of its world.")] = 0,
    http: Annotated[int, typer.Option("--http", metavar="PORT", help="Over HTTP on this machine, not stdin and stdout.")] = 0,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", metavar="FILE", help="With --http: the file with the token; one is made if none."),
    ] = None,
    runs_dir: RunsDir = None,
    debug: Debug = False,
) -> None:
    """Serve a simulated desktop over MCP: snapshot, act by reference, screenshot, functions, and goals for the crew."""
    with guarded(debug):
        import secrets

        from orchestrator.errors import UsageProblem
        from orchestrator.lab.episodes.mcp_server import DesktopTools, build_server, serve_http

        tools = DesktopTools(task, seed, runs_dir)
        server = build_server(tools)
        try:
            if not http:
                server.run("stdio")
                return
            try:
                token = token_file.read_text(encoding="utf-8").strip() if token_file is not None else secrets.token_urlsafe(32)
            except OSError as bad:
                raise UsageProblem(f"--token-file {token_file} cannot be read ({bad.strerror or bad}).") from None
            if not token:
                raise UsageProblem(f"--token-file {token_file} is empty; write a token into it.")
            told = "the token is in --token-file" if token_file is not None else f"the token is {token}"
            typer.echo(f"http://127.0.0.1:{http}/mcp; {told}", err=True)
            serve_http(server, http, token)
        finally:
            tools.close()
