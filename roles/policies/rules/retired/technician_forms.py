"""Sentences that ask for a computation over files, as jobs: read by the Manager, who gives them away, and by the Technician."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["code", "count", "list", "sort", "unique", "rename", "find", "join", "sum", "gather", "lookup"]
LANGUAGES = {"": "bash", "bash": "bash", "sh": "bash", "shell": "bash", "python": "python", "python3": "python", "py": "python"}


class Job(NamedTuple):
    """One computation: what it is, what it is about, and the fact that it brings, if it brings one."""

    kind: Kind
    words: str
    """As they were said."""
    given: dict[str, str]
    fact: str = ""
    marked: bool = False
    """The words themselves ask for a script."""


_N = r"(?:\"[^\"\n]+\"|“[^”\n]+”|‘[^’\n]+’|'[^'\n]+'|`[^`\n]+`|[\w./*?~-]*[\w*~/])"
"""A name: in quotes, or a word that may hold dots and slashes and ends with neither."""
_PARTS = {
    "FILE": rf"(?:the file )?(?P<file>{_N})",
    "DIR": rf"(?:the )?(?:folder )?(?P<folder>{_N})(?: folder)?",
    "DIR2": rf"(?:the )?(?:folder )?(?P<folder2>{_N})",
    "WORD": r"(?:that |which )?(?:with|contain(?:s|ing)?|hold(?:s|ing)?|having) (?:the (?:word|text) )?" + rf"(?P<word>{_N})",
    "TO": rf"(?:the file )?(?P<to>{_N})",
    "ALL": r"(?:(?:all|every) )?(?:the )?",
    "IN": r"(?:of|in|from)",
    "WHAT": r"(?P<what>lines|words|characters)",
    "ORDER": r"(?P<order> (?:by number|numerically|alphabetically|in reverse(?: order)?|descending))",
    "NAMES": rf"(?P<files>{_N}(?:\s*,\s*(?:and )?{_N}| and {_N})+)",
    "COLUMN": rf"(?:values {{IN}} )?(?:the )?(?:column (?P<column>{_N})|(?P<column2>{_N}) column)",
    "KIND": r"(?:bash |python |shell )?",
    "HOW": r"(?:,?\s*(?:(?:with|by|using) (?:a |the )?(?:small |short )?{KIND}(?:script|command)"
    r"|in (?:the|a) (?:shell|sandbox|terminal|console)|on the command line))",
    "CALLED": r"(?:whose names? (?P<way>begin|start|end)s? with|with names? that (?P<way2>begin|start|end)s? with)",
    "NAME": rf"(?P<word>{_N})",
    "SAID": r"(?P<word>[a-z]+(?:[ -][a-z]+){0,3}?)",
    "OF": rf"(?P<of>{_N})",
    "THERE": r"(?:somewhere )?(?:under|below|inside|in) (?:the )?(?:folder )?" + rf"(?P<folder>{_N})",
}


def _form(words: str) -> re.Pattern[str]:
    """Words with the parts above in braces; a blank is any white space."""
    while (part := re.search(r"\{([A-Z]+2?)\}", words)) is not None:
        words = words.replace(part[0], _PARTS[part[1]])
    return re.compile(words.replace(" ", r"\s+"), re.IGNORECASE)


_LEAD = _form(
    r"(?:{HOW}\s*[,:]? |run a {KIND}script (?:that|which|to) "
    r"|use (?:the|a) (?:shell|terminal|console|command line) (?:to (?:tidy up|do (?:this|it|so)))?\s*(?:[-–—:,]|to)\s*)"
)
_TAIL = _form("{HOW}")
_FENCE = re.compile(r"```(?P<language>[A-Za-z0-9]*)\n(?P<code>.*?)\n?```", re.DOTALL)
_FORMS: tuple[tuple[Kind, str, str], ...] = (
    ("code", r"(?:run|execute) (?:the |this )?{KIND}(?:command |script )?(?:{HOW} )?`(?P<code>[^`\n]+)`", "script output"),
    ("count", r"counts? {ALL}{WHAT} {WORD} {IN} {FILE}", "{what} count"),
    ("count", r"counts?{HOW}? how many {WHAT} {WORD} (?:there are )?in {FILE}", "{what} count"),
    ("count", r"counts?{HOW}? how many {WHAT} (?:in|of) {FILE} {WORD}", "{what} count"),
    ("count", r"counts? (?:how many )?{ALL}{WHAT} (?:there are )?{IN} {FILE}", "{what} count"),
    ("count", r"counts? {ALL}(?P<what>files) {IN} {DIR}", "{what} count"),
    ("list", r"lists? {ALL}files {IN} {DIR}", "file list"),
    ("unique", r"removes? {ALL}duplicate lines {IN} {FILE}", ""),
    ("sort", r"sorts? {ALL}lines {IN} {FILE}{ORDER}?(?: (?:in)?to {TO})?", ""),
    ("rename", r"renames? {ALL}(?P<file>\*[\w.-]*)(?: files?)?(?: {IN} {DIR})? to (?P<to>\*[\w.-]*\w)(?: {IN} {DIR2})?", ""),
    ("find", r"finds? {ALL}files (?:{IN} {DIR} )?{WORD}(?: in {DIR2})?", "matching files"),
    ("join", r"(?:concatenates?|joins?|combines?) (?:the files )?{NAMES} into {TO}", ""),
    (
        "gather",
        r"(?:make|create) (?:a |the )?(?:new )?(?:folder|directory) {TO},? (?:and )?(?:then )?(?:move|put) {ALL}files?"
        r" {IN} {DIR} {CALLED} {NAME} (?:there|in(?:to|side)? it)",
        "",
    ),
    ("gather", r"(?:move|put) {ALL}files? {IN} {DIR} {CALLED} {NAME} (?:in)?to (?:the )?(?:new )?(?:folder )?{TO}", ""),
    (
        "lookup",
        r"{THERE},? (?:there is|is|lies|stands) (?:a|some) file with the {SAID}(?: of (?:the )?{OF}(?: [a-z]+)?)?\s*[.;,]"
        r"\s*(?:and )?(?:find|look up|search for) (?:the \w+|it)",
        "{last}",
    ),
    (
        "lookup",
        r"(?:find|look up|search for) the {SAID}(?: of (?:the )?{OF}(?: [a-z]+)?)?,? (?:in|among) the files (?:{THERE})",
        "{last}",
    ),
    ("sum", r"(?:sums?(?: up)?|adds? up|totals?) {ALL}{COLUMN} {IN} {FILE}", "column sum"),
)
_READY = tuple((kind, _form(form), fact) for kind, form, fact in _FORMS)
_STARTS = re.compile(
    r"(?:^|(?<=[.;:!?\n])\s+|(?<=,)\s+(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+)(?:please\s+)?", re.IGNORECASE
)
_STOPS = re.compile(r"\s*(?:$|[.;!?](?=\s|$)|\n|,\s|\s+and\b|\s+then\b)", re.IGNORECASE)
_PLAIN_ENOUGH = frozenset({"count", "sort", "unique", "rename", "find", "join", "sum", "gather", "lookup"})
"""Kinds that are computations over files however they are worded; a list of files is read off a window just as well."""


class Found(NamedTuple):
    """A job and where its words stand."""

    start: int
    end: int
    job: Job


def jobs_in(text: str) -> Iterator[Found]:
    """The jobs of a text, in order."""
    for fence in _FENCE.finditer(text):
        if language := LANGUAGES.get(fence["language"].casefold()):
            start = _before_fence(text, fence.start())
            given = {"code": fence["code"], "language": language}
            yield Found(start, fence.end(), Job("code", text[start : fence.end()], given, "script output", True))
    hidden = _FENCE.sub(lambda m: " " * len(m.group()), text)
    at = 0
    while (begins := _STARTS.search(hidden, at)) is not None:
        found = _job_at(hidden, begins.end())
        at = max(begins.end(), at + 1)
        if found is not None and (found.job.marked or found.job.kind in _PLAIN_ENOUGH):
            yield found
            at = found.end
        if at > len(hidden):
            return


def job_of(text: str) -> Job | None:
    """The first job of a text."""
    found = min(jobs_in(text), key=lambda found: found.start, default=None)
    return found.job if found else None


def _before_fence(text: str, at: int) -> int:
    """Words such as `run this:` in front of a block of code belong to it."""
    lead = re.search(r"(?:(?:run|execute)\b[^.\n]{0,60}:?\s*)$", text[:at], re.IGNORECASE)
    return lead.start() if lead else at


def _job_at(text: str, at: int) -> Found | None:
    lead = _LEAD.match(text, at)
    begin = lead.end() if lead else at
    for kind, form, fact in _READY:
        match = form.match(text, begin)
        if match is None:
            continue
        tail = _TAIL.match(text, match.end())
        end = tail.end() if tail else match.end()
        if not _STOPS.match(text, end):
            continue
        given = {
            name.rstrip("2").replace("column", "word"): _bare(name, value) for name, value in match.groupdict().items() if value
        }
        marked = bool(lead or tail or kind == "code" or _TAIL.search(match.group()))
        name = (
            fact.format(last=given.get("word", "").rpartition(" ")[2], **given)
            .replace("lines", "line")
            .replace("words", "word")
            .replace("files", "file")
        )
        name = "matching files" if kind == "find" else name.replace("characters", "character")
        if kind in {"count", "sort", "unique", "sum"} and not marked and "file" in given and not _looks_like_file(given["file"]):
            continue
        return Found(at, end, Job(kind, text[at:end].strip(), given, name, marked))
    return None


def _looks_like_file(name: str) -> bool:
    return "/" in name or bool(re.search(r"\.\w{1,5}$", name))


def _bare(name: str, value: str) -> str:
    """Without its quotes; a list of names keeps them until it is cut."""
    text = value.strip()
    return text if name == "files" else unquoted(text)


def unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "\"'“‘`" and text[-1] in "\"'”’`" else text


def names_in(text: str) -> list[str]:
    """The names of a list such as `a.txt, "b c.txt" and d.txt`."""
    return [unquoted(match) for match in re.findall(_N, text) if match.casefold() != "and"]
