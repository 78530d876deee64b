"""What a person sees of a page: its text without comments, hidden parts and characters that are drawn by nothing.

A page that was looked up is read by nobody but the crew. What an author hid in it from people is not for the crew either.
"""

from __future__ import annotations

import re
import unicodedata
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
_SILENT = frozenset({"script", "style", "template", "head", "noscript", "title", "object", "iframe", "svg", "math"})
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
_BLOCKS = frozenset(
    {"p", "div", "section", "article", "ul", "ol", "table", "tr", "main", "header", "footer", "blockquote", "pre"}
)
_TAGS = _SILENT | _VOID | _BLOCKS | frozenset(
    {"a", "abbr", "aside", "b", "body", "button", "caption", "cite", "code", "dd", "del", "details", "dfn", "dl", "dt", "em",
     "figure", "figcaption", "font", "form", "h1", "h2", "h3", "h4", "h5", "h6", "html", "i", "ins", "kbd", "label", "li", "mark",
     "nav", "q", "s", "samp", "small", "span", "strong", "sub", "summary", "sup", "tbody", "td", "tfoot", "th", "thead", "time",
     "tt", "u", "var"}
)  # fmt: skip


class Shown(NamedTuple):
    """The text that is seen, and whether there was more that is not."""

    text: str
    hidden: bool


def shown(text: str) -> Shown:
    """`text`, Markdown or HTML, as a person sees it: HTML headings and lists are written as those of Markdown."""
    bare = _REMARK.sub("", _COMMENT.sub("", text))
    hidden = bare != text
    if _MARKUP.search(bare):
        page = _Page()
        page.feed(bare)
        page.close()
        hidden, bare = hidden or page.hid, "".join(page.parts)
    bare = bare.replace("\r\n", "\n")
    drawn = "".join(c for c in bare if c in _KEPT or unicodedata.category(c) not in _UNDRAWN)
    return Shown(re.sub(r"\n{3,}", "\n\n", drawn), hidden or len(drawn) != len(bare))


class _Page(HTMLParser):
    """The parts of a page that are drawn. What is no tag of HTML, such as a reference to a secret, stays as it is written."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.hid = False
        self._open: list[tuple[str, bool]] = []
        self._lists: list[list[int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self._write(self.get_starttag_text() or "")
            return
        if tag not in _VOID:
            self._open.append((tag, tag in _SILENT or _hides(dict(attrs))))
        if tag in {"ul", "ol"}:
            self._lists.append([0, tag == "ol"])
        if tag == "li":
            self._write(self._bullet())
        elif re.fullmatch(r"h[1-6]", tag):
            self._write(f"\n\n{'#' * int(tag[1])} ")
        elif tag in _BLOCKS or tag in {"br", "hr"}:
            self._write("\n")

    def _bullet(self) -> str:
        if not self._lists or not self._lists[-1][1]:
            return "\n- "
        self._lists[-1][0] += 1
        return f"\n{self._lists[-1][0]}. "

    def handle_endtag(self, tag: str) -> None:
        if tag not in _TAGS:
            self._write(f"</{tag}>")
            return
        at = next((place for place in reversed(range(len(self._open))) if self._open[place][0] == tag), None)
        if at is not None:
            del self._open[at:]
        if tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
        if tag in _BLOCKS or re.fullmatch(r"h[1-6]", tag):
            self._write("\n")

    def handle_data(self, data: str) -> None:
        self._write(data)

    def _write(self, text: str) -> None:
        if not any(unseen for _, unseen in self._open):
            self.parts.append(text)
        elif text.strip() and not any(tag in _SILENT for tag, _ in self._open):
            self.hid = True


def _hides(attributes: dict[str, str | None]) -> bool:
    told = {name.casefold(): value or "" for name, value in attributes.items()}
    return "hidden" in told or told.get("aria-hidden", "").casefold() == "true" or bool(_UNSEEN.search(told.get("style", "")))
