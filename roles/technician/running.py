"""A script on the user's files: what goes into the sandbox, what came out, and what that changes in the world."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from environments.contract import Environment, FileChange, Files, FileTree, text_digest
from environments.sandbox.contract import Sandbox, SandboxUnavailable
from protocol import ActionResult, ExecStatus, RunScript

_NONE = FileTree({})


class Outcome(NamedTuple):
    """The result of a script as it is recorded, and the change that it makes, if any."""

    result: ActionResult
    change: FileChange


def tree_of(environment: Environment) -> FileTree | None:
    """The user's files; None where there are none to be had."""
    return environment.files() if isinstance(environment, Files) else None


def run_script(sandbox: Sandbox, environment: Environment, action: RunScript, seconds: float, kept: int) -> Outcome:
    """Run it on a copy of the user's files. Nothing is changed yet, so it can be run again.

    `kept` is how many characters of each of stdout and stderr are kept.
    """
    tree = tree_of(environment)
    before = tree or _NONE
    given = {path.lstrip("/"): text.encode("utf-8", "surrogatepass") for path, text in before.files.items()}
    folders = tuple(path.lstrip("/") for path in before.folders)
    try:
        ran = sandbox.run(action.code, action.language, given, seconds, folders=folders)
    except (SandboxUnavailable, ValueError) as no:
        return _failed(str(no), {"exit_code": 126})
    body = {"exit_code": ran.exit_code, "stdout": _kept(ran.stdout, kept), "stderr": _kept(ran.stderr, kept)}
    if ran.truncated or len(ran.stdout) > kept or len(ran.stderr) > kept:
        body["cut"] = True
    if ran.timed_out:
        return _failed(f"it was ended after {seconds:g} seconds, and changed nothing", body, ExecStatus.TIMEOUT)
    if ran.exit_code != 0:
        said = next((line for line in reversed(ran.stderr.splitlines()) if line.strip()), "")
        return _failed(f"exit code {ran.exit_code}{': ' + said[:300] if said else ''}; nothing was changed", body)
    if ran.files is None:
        return _failed("what it left in the folder is too much to be taken back; nothing was changed", body)
    change, left_out = changes(before, ran.files, ran.folders, {left.path: left.why for left in ran.left_out})
    if change and tree is None:
        return _failed("it wrote files, and here there is no app that holds files", body)
    if change:
        body["changed"] = [*sorted(change.written), *change.folders, *change.removed]
    if left_out:
        body["left_out"] = [f"{path}: {why}" for path, why in left_out.items()][:20]
    return Outcome(ActionResult(exec_status=ExecStatus.EXECUTED, output=json.dumps(body)), change)


def changes(
    before: FileTree, files: Mapping[str, bytes], folders: tuple[str, ...], left: Mapping[str, str]
) -> tuple[FileChange, dict[str, str]]:
    """What is otherwise after a script, and what of it the world cannot hold, with the reasons."""
    left_out = {f"/{path}": why for path, why in left.items()}
    written: dict[str, str] = {}
    for path, body in files.items():
        place = f"/{path}"
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            if body != before.files.get(place, "").encode("utf-8", "surrogatepass"):
                left_out[place] = "not a text"
            continue
        if before.files.get(place) != text:
            written[place] = text
    there = {f"/{path}" for path in (*files, *folders)}
    held = {
        path: any(path == left or path.startswith(f"{left}/") for left in left_out) for path in (*before.files, *before.folders)
    }
    removed = tuple(path for path, stays in held.items() if path not in there and not stays)
    turned = tuple(path for path in before.files if path.lstrip("/") in folders)
    new = tuple(path for folder in folders if (path := f"/{folder}") not in before.folders)
    was = {path: text_digest(before.files[path]) for path in (*written, *removed, *turned) if path in before.files}
    return FileChange(written=written, folders=new, removed=(*removed, *turned), was=was), left_out


def _kept(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _failed(error: str, body: Mapping[str, Any], status: ExecStatus = ExecStatus.ERROR) -> Outcome:
    return Outcome(ActionResult(exec_status=status, error=error, output=json.dumps(body)), FileChange())
