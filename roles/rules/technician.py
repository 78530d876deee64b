"""The Technician's rules policy: a job that the sentence forms understand becomes a script, and one script is enough.

What the user's words hold goes into the script as literals of Python, never as words of a shell; code that the words give
themselves, in backquotes or a block, is run as it stands. Both are reviewed and run in the sandbox like any other.
"""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase

from roles.contracts import Script, ScriptAnswer, ScriptRequest
from roles.rules.technician_code import CODE, LINES
from roles.rules.technician_forms import Job, job_of, names_in

_INSTALL = re.compile(r"(?:please )?(?:pip |apt(?:-get)? |npm )?install\b", re.IGNORECASE)
_NO_INSTALL = (
    "nothing can be installed: scripts run in a sandbox without network that ends with them; a script may install for itself "
    "what is in the folder of the setting packages"
)


class NoSuchFile(ValueError):
    """A name that is no file, or several."""


class RulesTechnician:
    """Writes one script for the job that the instruction asks for, and says what it did not understand."""

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        if request.ran:
            last = request.ran[-1]
            if last.error:
                return ScriptAnswer(outcome="cannot", reason=f"the script did not work: {last.error}")
            return ScriptAnswer(outcome="done", reason=f"the script ended with exit code {last.exit_code}")
        job = job_of(request.subtask.instruction)
        if job is None:
            words = request.subtask.instruction
            if _INSTALL.match(words):
                return ScriptAnswer(outcome="cannot", reason=_NO_INSTALL)
            return ScriptAnswer(
                outcome="cannot", reason=f'no script is known for these words: "{words}"; a model policy may write one'
            )
        try:
            return ScriptAnswer(outcome="run", script=script_for(job, request.files))
        except NoSuchFile as no:
            return ScriptAnswer(outcome="cannot", reason=str(no))


def script_for(job: Job, files: tuple[str, ...]) -> Script:
    """The script of a job. Raises NoSuchFile when it is about a file that is not there."""
    given = job.given
    if job.kind == "code":
        return Script(
            language="python" if given.get("language") == "python" else "bash",
            code=given["code"],
            why=f'the words give it: "{job.words[:120]}"',
        )
    values: dict[str, object] = {
        "WORD": given.get("word", ""), "FOLDER": _folder(given.get("folder", "/"), files), "OF": given.get("of", ""),
        "AT_END": given.get("way", "").casefold() == "end",
    }  # fmt: skip
    name: str = job.kind
    if job.kind == "count":
        name = f"count {given['what'].casefold()}"
    if "files" in given:
        values["FILES"] = [_file(said, files) for said in names_in(given["files"])]
    if job.kind == "rename":
        values["PAIRS"] = _renamed(given["file"], given["to"], str(values["FOLDER"]), files)
    elif "file" in given:
        values["FILE"] = _file(given["file"], files)
    if job.kind == "gather":
        values["TO"] = given["to"].strip("/")
    if job.kind in {"sort", "join"}:
        beside = str(values.get("FILE") or next(iter(values["FILES"]), ""))  # type: ignore[call-overload]  # a list of names
        values["TO"] = _new(given["to"], beside) if "to" in given else beside
    if job.kind == "sort":
        order = given.get("order", "").casefold()
        values["DOWN"] = "reverse" in order or "descending" in order
        name = "sort by number" if "number" in order or "numeric" in order else name
    code = CODE[name]
    used = "".join(f"{key} = {_literal(value)}\n" for key, value in values.items() if key in code)
    helper = LINES if "lines(" in code else ""
    return Script(language="python", code=f"from pathlib import Path\n\n{helper}{used}{code}\n", why=job.words)


def _literal(value: object) -> str:
    """A value as Python has it; JSON's texts, numbers and lists are Python's too."""
    return repr(value) if isinstance(value, bool) else json.dumps(value)


def _file(said: str, files: tuple[str, ...]) -> str:
    """The file that is meant, by path from the root: as it was said, else the only one whose path ends so."""
    _told(said, files)
    there = [path for path in files if not path.endswith("/")]
    wanted = said.removeprefix("~/").lstrip("/")
    if f"/{wanted}" in there:
        return wanted
    hits = [path for path in there if path.casefold().endswith(f"/{wanted.casefold()}")]
    if len(hits) == 1:
        return hits[0].lstrip("/")
    raise NoSuchFile(
        f"there is no file called {said}" if not hits else f"{said} may be any of these files: {', '.join(hits[:6])}"
    )


def _told(said: str, files: tuple[str, ...]) -> None:
    """Raises NoSuchFile where nothing is known of any file: what is named may well be there."""
    if not files:
        raise NoSuchFile(f"this environment shows no files to scripts, so {said} cannot be worked on by one")


def _folder(said: str, files: tuple[str, ...]) -> str:
    _told(said, files)
    there = {path.rstrip("/") for path in files if path.endswith("/")}
    wanted = said.removeprefix("~").strip("/")
    if not wanted:
        return "."
    if f"/{wanted}" in there:
        return wanted
    hits = [path for path in there if path.casefold().endswith(f"/{wanted.casefold()}")]
    if len(hits) == 1:
        return hits[0].lstrip("/")
    raise NoSuchFile(
        f"there is no folder called {said}" if not hits else f"{said} may be any of these folders: {', '.join(sorted(hits)[:6])}"
    )


def _new(said: str, beside: str) -> str:
    """Where a new file goes: its own path, else beside the file that it is made from."""
    if "/" in said:
        return said.lstrip("/")
    above = beside.rpartition("/")[0]
    return f"{above}/{said}" if above else said


def _renamed(old: str, new: str, folder: str, files: tuple[str, ...]) -> list[list[str]]:
    """Pairs of paths: what stood for the `*` stays."""
    head = "/" if folder == "." else f"/{folder}/"
    names = [path[len(head) :] for path in files if path.startswith(head) and not path.endswith("/")]
    fitting = [name for name in names if "/" not in name and fnmatchcase(name, old)]
    if not fitting:
        raise NoSuchFile(f"there is no file {old} in {head}")
    end = old.removeprefix("*")
    return [[f"{head}{n}".lstrip("/"), f"{head}{n[: len(n) - len(end)]}{new.removeprefix('*')}".lstrip("/")] for n in fitting]
