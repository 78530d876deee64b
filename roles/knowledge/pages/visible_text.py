"""What a person sees of a page: its text without comments, hidden parts and characters that are drawn by nothing.

A page that was looked up is read by nobody but the crew. What an author hid in it from people is not for the crew either.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from html.parser import HTMLParser
from typing import NamedTuple

_KEPT = "\n\t"
_UNDRAWN = frozenset({"Cf", "Cc", "Cn", "Co"})
_MARKUP = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>|<!|&(?:#\w+|[A-Za-z]+);")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_REMARK = re.compile(r"^[ ]{0,3}\[[^\]\n]*\]:[ \t]*(?:#|<>|<#>)[ \t]*(?:\(.*?\)|\".*?\"|'.*?')[ \t]*$", re.MULTILINE)
"""A link that leads nowhere with a title that is never shown: the way in which comments are written in Markdown."""
_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)"
    r"|font-size\s*:\s*0(?:\.0*)?[a-z%]*\s*(?:;|$)"
    r"|(?:^|;)\s*(?:max-)?(?:width|height)\s*:\s*0[a-z%]*\s*(?:;|$)|(?:left|top|text-indent)\s*:\s*-\d{3,}"
    r"|(?:^|;)\s*color\s*:\s*(?:white|#fff(?:fff)?|transparent)",
    re.IGNORECASE,
)
_SILENT = frozenset(
    {"script", "style", "template", "head", "noscript", "title", "object", "iframe", "svg", "math", "nav", "footer", "form",
     "button", "select", "textarea"}
)  # fmt: skip
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
_BLOCKS = frozenset(
    {"p", "div", "section", "article", "ul", "ol", "dl", "dt", "dd", "table", "tr", "main", "header", "blockquote",
     "pre", "aside", "figure", "figcaption", "details", "summary", "caption"}
)  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_STRONG = frozenset({"b", "strong"})
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_TAGS = _SILENT | _VOID | _BLOCKS | _HEADINGS | _STRONG | _CODE | frozenset(
    {"a", "abbr", "body", "cite", "del", "dfn", "em", "font", "html", "i", "ins", "label", "li", "mark", "q", "s", "small",
     "span", "sub", "sup", "tbody", "td", "tfoot", "th", "thead", "time", "u", "var"}
)  # fmt: skip
_ASIDE = re.compile(
    r"(?:^|[\s_-])(?:note|warning|caution|tip|hint|danger|important|attention|admonition|callout|alert|info(?:box)?|notice)(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Classes of what stands beside the text."""


class VisibleText(NamedTuple):
    """The text that is seen, and whether there was more that is not."""

    text: str
    hidden: bool


def shown(text: str) -> VisibleText:
    """`text`, Markdown or HTML, as a person sees it: HTML headings and lists are written as those of Markdown."""
    bare = _REMARK.sub("", _COMMENT.sub("", text))
    hidden = bare != text
    if _MARKUP.search(bare):
        page = _Page()
        page.feed(bare)
        page.close()
        hidden, bare = hidden or page.hid, "\n".join(_evened(line) for line in "".join(page.parts).split("\n"))
    bare = bare.replace("\r\n", "\n")
    drawn = "".join(c for c in bare if c in _KEPT or unicodedata.category(c) not in _UNDRAWN)
    return VisibleText(re.sub(r"\n{3,}", "\n\n", drawn), hidden or len(drawn) != len(bare))


def _evened(line: str) -> str:
    """A line of a page in HTML with its marks of bold text close to the words; without them where one is left open."""
    if "**" not in line:
        return line
    return re.sub(r"\*\*\s*([^*]+?)\s*\*\*", r"**\1**", line) if line.count("**") % 2 == 0 else line.replace("**", "")


def page_of(markup: str) -> tuple[str, VisibleText]:
    """The title of a page that is HTML from end to end, and what is seen of it, as Markdown."""
    page = _Page(markdown=False)
    page.feed(_COMMENT.sub("", markup))
    page.close()
    lines = [_evened(line.rstrip()) for line in "".join(page.parts).split("\n")]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    heading = re.search(r"^# +(\S.*)$", text, re.MULTILINE)
    title = heading[1] if heading else "".join(page.title)
    return " ".join(title.replace("*", "").replace("`", "").split()), VisibleText(text, page.hid)


class _OpenTag(NamedTuple):
    """A tag that is not closed yet."""

    tag: str
    unseen: bool
    beside: bool
    """It begins a note, a warning or the like."""


class _Page(HTMLParser):
    """The parts of a page that are drawn. What is no tag of HTML, such as a reference to a secret, stays as it is written."""

    def __init__(self, *, markdown: bool = True) -> None:
        """With `markdown`, lines are those of the text; else, as a browser does it, only those of its tags."""
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self._markdown = markdown
        self.parts: list[str] = []
        self.hid = False
        self._open: list[_OpenTag] = []
        self._count: Counter[str] = Counter()
        self._lists: list[list[int]] = []
        self._rows: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self._write(self.get_starttag_text() or "")
            return
        told = dict(attrs)
        if tag not in _VOID:
            unseen = tag in _SILENT or _hides(told)
            beside = not unseen and _is_beside(tag, told)
            self._open.append(_OpenTag(tag, unseen, beside))
            self._count.update([tag, *(["unseen"] if unseen else []), *(["silent"] if tag in _SILENT else [])])
            if beside:
                self._count["beside"] += 1
                self._write("\n")
        if tag in {"ul", "ol"}:
            self._lists.append([0, tag == "ol"])
        if tag == "table":
            self._rows.append(0)
        self._begin(tag)

    def _begin(self, tag: str) -> None:
        if tag == "li":
            self._write(self._bullet())
        elif tag in _HEADINGS:
            self._write(f"\n\n{'#' * int(tag[1])} ")
        elif tag in {"td", "th"}:
            self._write("| ")
        elif tag in _STRONG:
            self._write("**")
        elif tag in _CODE:
            self._write("`")
        elif tag == "pre":
            self._write("\n```\n")
        elif (tag in _BLOCKS and not self._at_bullet()) or tag in {"br", "hr"}:
            self._write("\n")

    def _bullet(self) -> str:
        deep = "    " * (len(self._lists) - 1)
        if not self._lists or not self._lists[-1][1]:
            return f"\n{deep}- "
        self._lists[-1][0] += 1
        return f"\n{deep}{self._lists[-1][0]}. "

    def _at_bullet(self) -> bool:
        """Whether nothing but the mark of a point or step stands on this line: what follows is its text."""
        last = next((part for part in reversed(self.parts) if part.strip()), "")
        return bool(re.fullmatch(r"\n(?:> )?\s*(?:-|\d+\.) ", last))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _TAGS:
            self._write(f"</{tag}>")
            return
        if tag in _STRONG and self._count[tag]:
            self._write("**")
        if tag in _CODE and self._count[tag]:
            self._write("`")
        if tag == "pre" and self._count[tag]:
            self._write("\n```")
        if tag == "tr" and self._rows:
            self._rows[-1] += 1
            self._write(" |\n|---|" if self._rows[-1] == 1 else " |")
        beside = self._close(tag) if self._count[tag] else False
        if tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
        if tag == "table" and self._rows:
            self._rows.pop()
        if beside:
            self._write("\n\n")
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._write("\n")

    def _close(self, tag: str) -> bool:
        """Close the last such tag, and all that stand open in it. Whether one of them began a note."""
        beside = False
        while self._open:
            closed = self._open.pop()
            self._count[closed.tag] -= 1
            self._count["unseen"] -= closed.unseen
            self._count["silent"] -= closed.tag in _SILENT
            self._count["beside"] -= closed.beside
            beside = beside or closed.beside
            if closed.tag == tag:
                break
        return beside

    def handle_data(self, data: str) -> None:
        if self._count["title"]:
            self.title.append(data)
        self._write(data if self._markdown or self._count["pre"] else re.sub(r"\s+", " ", data))

    def _write(self, text: str) -> None:
        if not self._count["unseen"]:
            self.parts.append(text.replace("\n", "\n> ") if self._count["beside"] else text)
        elif text.strip() and not self._count["silent"]:
            self.hid = True


def _is_beside(tag: str, told: dict[str, str | None]) -> bool:
    """Whether a tag begins a note, a warning or the like."""
    if tag in {"aside", "blockquote"} or told.get("role") in {"note", "alert"}:
        return True
    return tag in {"div", "section", "p", "details"} and bool(_ASIDE.search(told.get("class") or ""))


def _hides(attributes: dict[str, str | None]) -> bool:
    told = {name.casefold(): value or "" for name, value in attributes.items()}
    return "hidden" in told or told.get("aria-hidden", "").casefold() == "true" or bool(_UNSEEN.search(told.get("style", "")))
