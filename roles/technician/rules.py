"""The Technician's rules policy: a job that the sentence forms understand becomes a script, and one script is enough.

What the user's words hold goes into the script as literals of Python, never as words of a shell; code that the words give
themselves, in backquotes or a block, is run as it stands. Both are reviewed and run in the sandbox like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from roles.contracts import (
    EffectSeen,
    Expectation,
    FactKnown,
    PlanAnswer,
    PlanRequest,
    Script,
    ScriptAnswer,
    ScriptRequest,
    Subtask,
)
from roles.contracts.signals import SubtaskStatus
from roles.policies.rules.grammar import parse
from roles.policies.rules.planning.planning import make_subtasks
from roles.policies.rules.retired.technician_forms import Job, job_of, jobs_in, names_in
from roles.screen.language import clauses as c

LINES = """\
def lines(path):
    text = Path(path).read_text()
    return text.split("\\n")[: -1 if text.endswith("\\n") else None] if text else []

"""
_COUNT_LINES = """\
print(sum(1 for line in lines(FILE) if WORD in line))
"""
_COUNT_WORDS = """\
print(sum(len(line.split()) for line in lines(FILE) if WORD in line))
"""
_COUNT_CHARACTERS = """\
print(sum(len(line) + 1 for line in lines(FILE) if WORD in line))
"""
_COUNT_FILES = """\
print(sum(1 for path in Path(FOLDER).iterdir() if path.is_file()))
"""
_LIST = """\
print("\\n".join(sorted(path.name for path in Path(FOLDER).iterdir() if path.is_file())))
"""
_UNIQUE = """\
kept = dict.fromkeys(lines(FILE))
Path(FILE).write_text("".join(line + "\\n" for line in kept))
"""
_SORT = """\
ordered = sorted(lines(FILE), key=str.casefold, reverse=DOWN)
Path(TO).write_text("".join(line + "\\n" for line in ordered))
"""
_SORT_BY_NUMBER = """\
import re

def number(line):
    found = re.search(r"-?\\d+(?:\\.\\d+)?", line)
    return float(found[0]) if found else float("inf")

ordered = sorted(lines(FILE), key=number, reverse=DOWN)
Path(TO).write_text("".join(line + "\\n" for line in ordered))
"""
_RENAME = """\
for old, new in PAIRS:
    if Path(new).exists():
        raise SystemExit("there is already a file called " + new)
    Path(old).rename(new)
"""
_FIND = """\
found = [path for path in Path(FOLDER).rglob("*") if path.is_file() and WORD in path.read_text()]
print("\\n".join(sorted("/" + str(path) for path in found)))
"""
_JOIN = """\
Path(TO).write_text("".join(line + "\\n" for path in FILES for line in lines(path)))
"""
_GATHER = """\
Path(TO).mkdir(exist_ok=True)
for path in sorted(Path(FOLDER).iterdir()):
    if path.is_file() and (path.name.endswith(WORD) if AT_END else path.name.startswith(WORD)):
        new = Path(TO) / path.name
        if new.exists():
            raise SystemExit("there is already a file called " + str(new))
        path.rename(new)
"""
_LOOKUP = """\
import re

values = {}
for path in sorted(Path(FOLDER).rglob("*")):
    for line in lines(path) if path.is_file() else []:
        at = line.casefold().find(WORD.casefold())
        if at < 0 or OF.casefold() not in (str(path) + " " + line).casefold():
            continue
        words = re.sub(r"^[\\s:=-]+|^\\s*is\\s+|[.,;]+$", "", line[at + len(WORD):].strip()).split()
        value = next((word.strip(".,;") for word in words if any(c.isdigit() for c in word)), " ".join(words))
        values[value] = path
if len(values) != 1:
    raise SystemExit(WORD + " was found with " + str(len(values)) + " values: " + ", ".join(values))
print(*values)
"""
_SUM = """\
import csv
from decimal import Decimal

rows = list(csv.DictReader(lines(FILE)))
names = {name.strip().casefold(): name for name in (rows[0] if rows else {}) if name}
if WORD.casefold() not in names:
    raise SystemExit("there is no column " + WORD + "; columns are: " + ", ".join(names.values()))
cells = [row[names[WORD.casefold()]].strip().lstrip("$€£").replace(",", "") for row in rows]
print(sum(map(Decimal, cells), Decimal(0)))
"""
CODE: dict[str, str] = {
    "count lines": _COUNT_LINES,
    "count words": _COUNT_WORDS,
    "count characters": _COUNT_CHARACTERS,
    "count files": _COUNT_FILES,
    "list": _LIST,
    "unique": _UNIQUE,
    "sort": _SORT,
    "sort by number": _SORT_BY_NUMBER,
    "rename": _RENAME,
    "find": _FIND,
    "join": _JOIN,
    "gather": _GATHER,
    "lookup": _LOOKUP,
    "sum": _SUM,
}


FILES = "files"
_COUNTED = (
    r"(?:the\s+)?(?:{fact}|number(?:\s+of\s+(?:{what}s?|them|these))?|count|result|sum|total|output(?:\s+of\s+the\s+script)?"
    r"|(?:list\s+of\s+)?(?:file\s+)?names|files\s+found|list)"
)
"""What the words after a job may call what it brought."""
_THEIR = re.compile(
    r"\b(?:write|put|enter|note|copy|record|send|mail|email|save|paste|tell\s+\w+|with|as|text|body|containing)\s+$", re.I
)


def plan_with_jobs(request: PlanRequest) -> PlanAnswer | None:
    """The first plan of a goal that holds jobs; None for one that holds none, or whose other words are not understood."""
    if not any(app.app == FILES for app in request.apps):
        return None
    made: list[Subtask] = []
    known = [fact.name for fact in request.facts]
    at, count, last = 0, 0, ""
    text = request.goal
    for found in jobs_in(text):
        if not _take(text[at : found.start], made, known, last, request):
            return None
        after = made[-1].id if made else ""
        made.append(_subtask(found.job, len(made) + 1, after, text[found.end :]))
        known += [found.job.fact] if found.job.fact else []
        at, count, last = found.end, count + 1, found.job.fact
    if not count or not _take(text[at:], made, known, last, request):
        return None
    return PlanAnswer(
        outcome="planned", subtasks=tuple(made), reason=f"{count} computation{'s' * (count > 1)} over files for the technician"
    )


def replan_jobs(request: PlanRequest) -> PlanAnswer | None:
    """A job that could not be done ends the task with its reason: there is no second way that would be tried blindly."""
    failed = next((s for s in request.plan if s.id == request.failed), None)
    if failed is None or failed.worker != "technician" or failed.status is SubtaskStatus.FULFILLED:
        return None
    why = "; ".join(request.evidence[:2]) or "the technician could not do it"
    return PlanAnswer(outcome="infeasible", reason=f'"{failed.instruction[:120]}" cannot be done: {why}')


def _take(words: str, made: list[Subtask], known: Sequence[str], fact: str, request: PlanRequest) -> bool:
    """Plan the words between two jobs. What they call the number, the result or it is the fact of the job before."""
    plain = re.sub(r"^(?:[\s,.;:!]|\b(?:and|then)\b)+|[\s,;:]*\b(?:and|then)?\s*$", "", words, flags=re.IGNORECASE)
    if not plain:
        return True
    clauses = parse(_named(plain, fact) if fact else plain, request.apps, known)
    if any(isinstance(clause, c.Unknown) for clause in clauses):
        return False
    subtasks = make_subtasks(clauses, request.apps, first=len(made) + 1, known=known, after=[made[-1].id] if made else [])
    made += subtasks
    return bool(subtasks) or all(isinstance(clause, c.Avoid) for clause in clauses)


def _named(words: str, fact: str) -> str:
    """The words with the fact's own name for what it brings; what stands in quotes stays as it is."""
    what = fact.split()[0]
    counted = re.compile(
        rf"\b(?:{_COUNTED.format(fact=re.escape(fact), what=re.escape(what))}|it|them)\b(?!\s+of\b)", re.IGNORECASE
    )
    parts = re.split(r"(\"[^\"]*\"|“[^”]*”)", words)
    return "".join(part if index % 2 else _replaced(part, counted, fact) for index, part in enumerate(parts))


def _replaced(part: str, counted: re.Pattern[str], fact: str) -> str:
    def named(match: re.Match[str]) -> str:
        before = part[: match.start()]
        return f"the {fact}" if _THEIR.search(before) or match.group().casefold().startswith("the ") else match.group()

    return counted.sub(named, part)


def _subtask(job: Job, number: int, after: str, later: str) -> Subtask:
    expect: tuple[Expectation, ...] = (EffectSeen(verb="run_script"),)
    if job.fact:
        expect = (FactKnown(name=job.fact),)
    if job.kind == "code":  # whether it says anything is known only when it has run
        expect = (FactKnown(name=job.fact),) if re.search(r"\boutput|result|number\b", later, re.IGNORECASE) else ()
    words = job.words[:1].upper() + job.words[1:]
    return Subtask(
        id=f"s{number}", title=f"Script: {' '.join(job.words.split())[:70]}", instruction=words, app=FILES, worker="technician",
        depends_on=(after,) if after else (), expect=expect,
    )  # fmt: skip


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
