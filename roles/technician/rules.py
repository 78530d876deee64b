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
CODE: dict[str, str] = {
    "count line": "print(sum(1 for line in lines(FILE) if HAVING in line))\n",
    "count word": "print(sum(len(line.split()) for line in lines(FILE) if HAVING in line))\n",
    "count character": "print(sum(len(line) + 1 for line in lines(FILE) if HAVING in line))\n",
    "count file": "print(sum(1 for path in Path(FOLDER).iterdir() if path.is_file()))\n",
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
    found = _found(job.files[0], files, folder=job.what == "file")
    values = {"FILE": found, "FOLDER": found, "HAVING": job.having}
    code = CODE[f"count {job.what}"]
    used = "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items() if re.search(rf"\b{key}\b", code))
    helper = _LINES if "lines(" in code else ""
    return Script(language="python", code=f"from pathlib import Path\n\n{helper}{used}{code}", why=why)


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
