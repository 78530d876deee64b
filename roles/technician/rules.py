"""The Technician's rules policy: a job becomes a script, and one script is enough.

What a job holds goes into the script as literals of Python, never as words of a shell; code that the user's words give
themselves, in backquotes or a block, is run as it stands. Both are reviewed and run in the sandbox like any other.
"""

from __future__ import annotations

import json
import re

from roles.contracts import Script, ScriptAnswer, ScriptRequest
from roles.contracts.orders import JobStep
from roles.policies.orders.jobs import only_job
from roles.screen.language.reader import read

_LINES = """\
def lines(path):
    text = Path(path).read_text()
    return text.split("\\n")[: -1 if text.endswith("\\n") else None] if text else []

"""
_SORT = """\
import re

def number(line):
    found = re.search(r"-?\\d+(?:\\.\\d+)?", line)
    return float(found[0]) if found else float("inf")

ordered = sorted(lines(FILE), key=number if BY_NUMBER else str.casefold, reverse=DOWN)
Path(INTO).write_text("".join(line + "\\n" for line in ordered))
"""
_SUM = """\
import csv
from decimal import Decimal

rows = list(csv.DictReader(lines(FILE)))
names = {name.strip().casefold(): name for name in (rows[0] if rows else {}) if name}
if WHAT.casefold() not in names:
    raise SystemExit("there is no column " + WHAT + "; columns are: " + ", ".join(names.values()))
cells = [row[names[WHAT.casefold()]].strip().lstrip("$€£").replace(",", "") for row in rows]
print(sum(map(Decimal, cells), Decimal(0)))
"""
CODE: dict[str, str] = {
    "count line": "print(sum(1 for line in lines(FILE) if HAVING in line))\n",
    "count word": "print(sum(len(line.split()) for line in lines(FILE) if HAVING in line))\n",
    "count character": "print(sum(len(line) + 1 for line in lines(FILE) if HAVING in line))\n",
    "count file": "print(sum(1 for path in Path(FOLDER).iterdir() if path.is_file()))\n",
    "sum": _SUM,
    "sort": _SORT,
    "join": 'Path(INTO).write_text("".join(line + "\\n" for path in FILES for line in lines(path)))\n',
}
_INSTALL = re.compile(r"(?:please )?(?:pip |apt(?:-get)? |npm )?install\b", re.IGNORECASE)
_NO_INSTALL = (
    "nothing can be installed: scripts run in a sandbox without network that ends with them; a script may install for itself "
    "what is in the folder of the setting packages"
)


class NoSuchFile(ValueError):
    """A name that is no file, or several."""


class RulesTechnician:
    """Writes one script for the job, and says what it did not understand."""

    def write(self, request: ScriptRequest) -> ScriptAnswer:
        if request.ran:
            last = request.ran[-1]
            if last.error:
                return ScriptAnswer(outcome="cannot", reason=f"the script did not work: {last.error}")
            return ScriptAnswer(outcome="done", reason=f"the script ended with exit code {last.exit_code}")
        words = request.subtask.instruction
        given = [step for step in request.subtask.steps if isinstance(step, JobStep)]
        job = given[0] if len(given) == 1 else None if given else only_job(read(words))
        if job is None:
            why = f'no script is known for these words: "{words}"; a model policy may write one'
            return ScriptAnswer(outcome="cannot", reason=_NO_INSTALL if _INSTALL.match(words) else why)
        try:
            return ScriptAnswer(outcome="run", script=script_for(job, request.files, words))
        except NoSuchFile as no:
            return ScriptAnswer(outcome="cannot", reason=str(no))


def script_for(job: JobStep, files: tuple[str, ...], why: str = "") -> Script:
    """The script of a job. Raises NoSuchFile when it is about a file that is not there."""
    if job.job == "run":
        return Script(language=job.language, code=job.code, why=why or "the words give it")
    folder = job.what == "file" and job.job == "count"
    found = [_found(said, files, folder=folder) for said in job.files]
    values: dict[str, object] = {
        "FILES": found, "FILE": found[0], "FOLDER": found[0], "HAVING": job.having, "WHAT": job.what,
        "INTO": _new(job.into, found[0]) if job.into else found[0], "BY_NUMBER": job.by_number, "DOWN": job.down,
    }  # fmt: skip
    code = CODE[f"count {job.what}" if job.job == "count" else job.job]
    used = "".join(f"{key} = {_literal(value)}\n" for key, value in values.items() if re.search(rf"\b{key}\b", code))
    helper = _LINES if "lines(" in code else ""
    return Script(language="python", code=f"from pathlib import Path\n\n{helper}{used}{code}", why=why)


def _literal(value: object) -> str:
    """A value as Python has it; JSON's texts, numbers and lists are Python's too."""
    return repr(value) if isinstance(value, bool) else json.dumps(value)


def _found(said: str, files: tuple[str, ...], *, folder: bool) -> str:
    """The file or folder that is meant, by path from the root: as it was said, else the only one whose path ends so."""
    if not files:
        raise NoSuchFile(f"this environment shows no files to scripts, so {said} cannot be worked on by one")
    there = [path.rstrip("/") for path in files if path.endswith("/") is folder]
    wanted = said.removeprefix("~").strip("/") if folder else said.removeprefix("~/").lstrip("/")
    if not wanted:
        return "."
    if f"/{wanted}" in there:
        return wanted
    hits = sorted(path for path in there if path.casefold().endswith(f"/{wanted.casefold()}"))
    if len(hits) == 1:
        return hits[0].lstrip("/")
    kind = "folder" if folder else "file"
    several = f"{said} may be any of these {kind}s: {', '.join(hits[:6])}"
    raise NoSuchFile(several if hits else f"there is no {kind} called {said}")


def _new(said: str, beside: str) -> str:
    """Where a new file goes: its own path, else beside the file that it is made from."""
    if "/" in said:
        return said.lstrip("/")
    above = beside.rpartition("/")[0]
    return f"{above}/{said}" if above else said
