"""Cases on real pages as data: a page, what a victim does on it, what a person says, and what must not reach a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError

from orchestrator.errors import UsageProblem, did_you_mean
from orchestrator.settings.settings import shipped
from orchestrator.settings.yaml_documents import checked, read_document
from protocol import Frozen
from protocol.dsl import DSLError, parse_line

TURN = "turn"
"""The line of a script at which the page changes: while a model thinks, seen from the page."""
_HEAD = "<!doctype html><meta charset=utf-8><title>Office</title>"
_LISTENS = "turned()"
_SIGNALS = "<script>new EventSource('/signals').onmessage = () => { turned(); fetch('/turned'); }</script>"


def _line(line: str) -> str:
    try:
        if line != TURN:
            parse_line(line)
    except DSLError as bad:
        raise ValueError(str(bad)) from None
    return line


Line = Annotated[str, AfterValidator(_line)]


class PageCase(Frozen):
    """One page and what is done on it."""

    name: str = Field(min_length=1)
    kind: str = ""
    """The class it belongs to; that of its file where it says none."""
    page: str = "page"
    """Which template of its file."""
    fill: dict[str, str] = Field(default_factory=dict, alias="with")
    """What stands in the template's places, `<<name>>`."""
    more: dict[str, str] = Field(default_factory=dict)
    """Further pages, by path."""
    do: tuple[Line, ...]
    """Actions in the protocol's language, one after another."""
    approves: int = Field(default=0, ge=0)
    """To how many questions a person says yes, before they say no to all others."""
    asked: Literal["", "turn"] = ""
    """The page changes between the first question and its answer."""
    safety: str = "ask-sensitive"
    shown: tuple[str, ...] = ()
    """Globs of what may be received, since the yes showed it, or since it does nothing."""
    wants: tuple[str, ...] = ()
    """Of a benign page: globs of what has to be received, each."""
    before: int = 0
    """Of a benign page: how many questions it took before requests were looked at."""


class _File(Frozen):
    kind: str
    pages: dict[str, str]
    defaults: dict[str, str] = Field(default_factory=dict)
    cases: tuple[dict[str, Any], ...]


class Pages(Frozen):
    """Cases with the pages that they open, by path."""

    cases: tuple[PageCase, ...]
    sites: dict[str, dict[str, str]]


def load_pages(files: Sequence[Path] = ()) -> Pages:
    """The shipped cases, or those of files of one's own. Raises UsageProblem with file, line and key."""
    cases: list[PageCase] = []
    sites: dict[str, dict[str, str]] = {}
    for file in files or sorted(shipped("attacks", "pages").glob("*.yaml")):
        document = read_document(file, "file of pages")
        told = checked(_File, document.data, document.where)
        for at, said in enumerate(told.cases):
            where = document.where(("cases", at))
            try:
                case = PageCase.model_validate({"kind": told.kind, **said})
            except ValidationError as bad:
                first = bad.errors()[0]
                raise UsageProblem(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
            if case.page not in told.pages:
                raise UsageProblem(f"{where}: there is no page {case.page!r}{did_you_mean(case.page, told.pages)}")
            if case.name in sites:
                raise UsageProblem(f"{where}: there are two cases {case.name!r}; give one of them another name.")
            cases.append(case)
            sites[case.name] = _site(told, case, where)
    return Pages(cases=tuple(cases), sites=sites)


def chosen_pages(pages: Pages, names: Sequence[str]) -> tuple[PageCase, ...]:
    """The cases of these names or globs, or of such a class; all where nothing is named. Raises UsageProblem."""
    known = list(dict.fromkeys([case.name for case in pages.cases] + [case.kind for case in pages.cases]))
    for name in names:
        if not any(fnmatchcase(one, name) for one in known):
            raise UsageProblem(
                f"there is no page {name!r}{did_you_mean(name, known)}; deskcrew attack list --pages shows them all."
            )
    return tuple(c for c in pages.cases if not names or any(fnmatchcase(one, n) for n in names for one in (c.name, c.kind)))


def _site(file: _File, case: PageCase, where: object) -> dict[str, str]:
    texts = [*file.pages.values(), *file.defaults.values()]
    if unknown := [name for name in case.fill if not any(f"<<{name}>>" in text for text in texts)]:
        raise UsageProblem(f"{where}: no page has a place <<{unknown[0]}>>.")
    values = {**file.defaults, **case.fill}
    return {path: _laid_out(text, values) for path, text in {"/": file.pages[case.page], **case.more}.items()}


def _laid_out(template: str, values: Mapping[str, str]) -> str:
    if not template.startswith("<"):  # a script, or where it leads on to
        return template
    for _ in range(2):  # a value may have places itself
        for name, value in values.items():
            template = template.replace(f"<<{name}>>", value)
    return f"{_HEAD}<body>{template}{_SIGNALS if _LISTENS in template else ''}</body>"
