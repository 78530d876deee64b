"""Help pages from files: Markdown as it is, JSON with steps, HTML without what a reader would not see.

Raises Unreadable, which says in one sentence what is wrong with a file. A page is data: nothing in it is run or fetched.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from protocol import Frozen
from roles.knowledge.documents import MAX_TITLE, Document, DocumentKind

MAX_BYTES = 200_000
"""Of one file. Text and HTML are cut there, JSON is refused."""
MAX_TAGS = 10_000
"""Of one page in HTML."""
ENDINGS = (".md", ".markdown", ".json", ".html", ".htm")
_UNSEEN = ("script", "style", "template", "noscript", "head", "nav", "iframe", "object", "svg", "form")
_BLOCKS = (
    *("p", "div", "section", "article", "header", "footer", "main", "table", "tr", "ul", "ol", "li", "dl", "dt", "dd", "pre"),
    *("blockquote", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6"),
)
_BREAK = "\x00"
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class Unreadable(Exception):
    """A file that is no help page; the message is one sentence."""


class HelpPage(Frozen):
    """What a JSON file says: what it is good for, and how it is done."""

    title: str = Field(min_length=1, max_length=MAX_TITLE)
    about: str = ""
    """A few sentences for whoever looks for it."""
    before: tuple[str, ...] = ()
    """What must be so before it can be done."""
    steps: tuple[str, ...] = ()
    text: str = ""

    @model_validator(mode="after")
    def _something(self) -> HelpPage:
        if not (self.steps or self.text or self.about):
            raise ValueError("says nothing: give steps, text or about")
        return self

    @property
    def whole(self) -> str:
        """As a page of Markdown."""
        parts = [f"# {self.title}", self.about]
        if self.before:
            parts.append("\n".join(["Before:", *(f"- {line}" for line in self.before)]))
        parts += ["\n".join(f"{n}. {step}" for n, step in enumerate(self.steps, start=1)), self.text]
        return "\n\n".join(part for part in parts if part)


def read_page(path: Path, raw: bytes, *, id: str, source: str, app: str | None = None, kind: DocumentKind = "help") -> Document:
    """The page in a file. Raises Unreadable."""
    ending = path.suffix.casefold()
    if ending == ".json":
        if len(raw) > MAX_BYTES:
            raise Unreadable(f"{path}: it is larger than {MAX_BYTES // 1000} kB")
        title, text = _json(path, raw)
    elif ending in {".html", ".htm"}:
        title, text = _html(path, raw[:MAX_BYTES])
    else:
        text = raw[:MAX_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
        heading = re.search(r"^#+\s+(.+?)\s*#*$", text, re.MULTILINE)
        title = heading.group(1) if heading else ""
    if not text.strip():
        raise Unreadable(f"{path}: there is nothing in it to read")
    said = " ".join(title.split()) or path.stem.replace("-", " ").replace("_", " ")
    return Document(kind=kind, app=app, title=said[:MAX_TITLE], text=text, source=source, id=id)


def _json(path: Path, raw: bytes) -> tuple[str, str]:
    try:
        page = HelpPage.model_validate_json(raw)  # its parser has a bound on depth, and says so
    except ValidationError as bad:
        first = bad.errors()[0]
        at = ".".join(map(str, first["loc"]))
        raise Unreadable(f"{path}: {at + ': ' if at else ''}{first['msg']}") from None
    return page.title, page.whole


def _html(path: Path, raw: bytes) -> tuple[str, str]:
    """Walked with a stack of its own and changed nowhere, so that a page that nests without end costs no more than another."""
    from bs4 import BeautifulSoup, Tag  # here, since pages in HTML are few
    from bs4.element import NavigableString

    if raw.count(b"<") > MAX_TAGS:
        raise Unreadable(f"{path}: it has more than {MAX_TAGS:,} tags")
    soup = BeautifulSoup(raw.replace(_BREAK.encode(), b""), "html.parser")
    named = soup.find("h1") or soup.find("title")
    title = named.get_text(" ") if named else ""
    said: list[str] = []
    left: list[Any] = [soup]
    while left:
        node = left.pop()
        if isinstance(node, Tag):
            left += [] if _unseen(node) else reversed(_parts(node))
        elif type(node) in {str, NavigableString}:  # comments and the like are of other classes
            said.append(node)
    text = re.sub(r"\s+", " ", "".join(said))
    lines = [line.strip() for line in text.split(_BREAK)]
    body = "\n".join(line for line in lines if line)
    return title, re.sub(r"(?m)^(\d{1,2}\.)\n", r"\1 ", body)


def _parts(tag: Any) -> list[Any]:
    """What stands in a tag, with breaks around a block and a number before each step of a list."""
    parts: list[Any] = []
    number = 0
    for child in tag.contents:
        if tag.name == "ol" and getattr(child, "name", None) == "li":
            number += 1
            parts += [_BREAK, f"{number}. "]
        parts.append(child)
    return [_BREAK, *parts, _BREAK] if tag.name in _BLOCKS else parts


def _unseen(tag: Any) -> bool:
    """Whether a reader of the page would not see it: what hides there is not what the page says."""
    return bool(
        tag.name in _UNSEEN
        or tag.has_attr("hidden")
        or str(tag.get("aria-hidden", "")).casefold() == "true"
        or _HIDDEN.search(str(tag.get("style", "")))
    )
