"""What a person sees of a page: its text without comments, hidden parts and characters that are drawn by nothing.

A page that was looked up is read by nobody but the crew. What an author hid in it from people is not for the crew either.
"""

import re
import unicodedata
from collections import Counter
from html.parser import HTMLParser
from typing import NamedTuple

from roles.knowledge.pages.documents import words_of

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
_ASIDE = re.compile(
    r"(?:^|[\s_-])(?:note|warning|caution|tip|hint|danger|important|attention|admonition|callout|alert|info(?:box)?|notice)(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Classes of what stands beside the text."""
_SILENT = words_of("script style template head noscript title object iframe svg math nav footer form button select textarea")
_VOID = words_of("area base br col embed hr img input link meta source track wbr")
_BLOCKS = words_of(
    "p div section article ul ol dl dt dd table tr main header blockquote pre aside figure figcaption details summary caption br"
    " hr"
)
_BEGINS = {"b": "**", "strong": "**", "code": "`", "kbd": "`", "samp": "`", "pre": "\n```\n", "td": "| ", "th": "| "} | {
    f"h{level}": f"\n\n{'#' * level} " for level in range(1, 7)
}
_ENDS = {"b": "**", "strong": "**", "code": "`", "kbd": "`", "samp": "`", "pre": "\n```\n", "tr": " |\n"} | {
    f"h{level}": "\n" for level in range(1, 7)
}
_TAGS = (
    _SILENT
    | _VOID
    | _BLOCKS
    | {*_BEGINS, *_ENDS}
    | words_of("a abbr body cite del dfn em font html i ins label li mark q s small span sub sup tbody tfoot thead time tt u var")
)


class VisibleText(NamedTuple):
    """The text that is seen, and whether there was more that is not."""

    text: str
    hidden: bool


def shown(text: str) -> VisibleText:
    """`text`, Markdown or HTML, as a person sees it: HTML headings and lists are written as those of Markdown."""
    bare = _REMARK.sub("", _COMMENT.sub("", text))
    hidden = bare != text
    if _MARKUP.search(bare):
        page = _Page(bare, markdown=True)
        hidden, bare = hidden or page.hid, page.text
    bare = bare.replace("\r\n", "\n")
    drawn = "".join(c for c in bare if c in "\n\t" or unicodedata.category(c) not in _UNDRAWN)
    return VisibleText(re.sub(r"\n{3,}", "\n\n", drawn), hidden or len(drawn) != len(bare))


def page_of(markup: str) -> tuple[str, str]:
    """The title of a page that is HTML from end to end, and what is seen of it, as Markdown."""
    page = _Page(_COMMENT.sub("", markup), markdown=False)
    text = re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", page.text, flags=re.MULTILINE)).strip()
    heading = re.search(r"^# +(\S.*)$", text, re.MULTILINE)
    return " ".join((heading[1] if heading else page.title).replace("*", "").replace("`", "").split()), text


class _OpenTag(NamedTuple):
    """A tag that is not closed yet, with what holds of all within it."""

    tag: str = ""
    unseen: bool = False
    silent: bool = False
    beside: bool = False
    """It is, or stands in, a note, a warning or the like."""


class _Page(HTMLParser):
    """The parts of a page that are drawn. What is no tag of HTML, such as a reference to a secret, stays as it is written."""

    def __init__(self, markup: str, *, markdown: bool) -> None:
        """With `markdown`, lines are those of the text; else, as a browser does it, only those of its tags."""
        super().__init__(convert_charrefs=True)
        self.title, self.hid = "", False
        self._markdown = markdown
        self._parts: list[str] = []
        self._open, self._count = [_OpenTag()], Counter[str]()
        self._lists: list[int] = []
        """The number of the last step of each list that is open; -1 where nothing is numbered."""
        self.feed(markup)
        self.close()

    @property
    def text(self) -> str:
        """Without gaps behind the mark of a point, and with marks of bold text close to the words or, left open, without them."""
        whole = re.sub(r"^((?:> )?[ ]*(?:-|\d+\.))[ ]*\n+(?=[^\s>])", r"\1 ", "".join(self._parts), flags=re.MULTILINE)
        even = (line.replace("**", "") if line.count("**") % 2 else line for line in whole.split("\n"))
        return re.sub(r"\*\*[ \t]*([^*\n]+?)[ \t]*\*\*", r"**\1**", "\n".join(even))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self._write(self.get_starttag_text() or "")
            return
        if tag not in _VOID:
            within, told = self._open[-1], {name.casefold(): value or "" for name, value in attrs}
            silent = within.silent or tag in _SILENT
            hides = "hidden" in told or told.get("aria-hidden", "").casefold() == "true" or _UNSEEN.search(told.get("style", ""))
            unseen = within.unseen or silent or bool(hides)
            opened = _OpenTag(tag, unseen, silent, within.beside or (not unseen and _is_beside(tag, told)))
            self._open.append(opened)
            self._count[tag] += 1
            if opened.beside and not within.beside:
                self._write("\n")
        if tag in {"ul", "ol"}:
            self._lists.append(0 if tag == "ol" else -1)
        if tag == "li":
            numbered = bool(self._lists) and self._lists[-1] >= 0
            if numbered:
                self._lists[-1] += 1
            self._write(f"\n{'    ' * (len(self._lists) - 1)}{f'{self._lists[-1]}.' if numbered else '-'} ")
        else:
            self._write(_BEGINS.get(tag, "\n" if tag in _BLOCKS else ""))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _TAGS:
            self._write(f"</{tag}>")
        if not self._count[tag]:
            return
        self._write(_ENDS.get(tag, "\n" if tag in _BLOCKS else ""))
        beside, closed = self._open[-1].beside, ""
        while closed != tag:  # what stands open in it is closed with it
            closed = self._open.pop().tag
            self._count[closed] -= 1
        if tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
        if beside and not self._open[-1].beside:
            self._write("\n\n")

    def handle_data(self, data: str) -> None:
        tags = [one.tag for one in self._open[-2:]]
        if "title" in tags:
            self.title += data
        self._write(data if self._markdown or "pre" in tags else re.sub(r"\s+", " ", data))

    def _write(self, text: str) -> None:
        here = self._open[-1]
        if not here.unseen:
            self._parts.append(text.replace("\n", "\n> ") if here.beside else text)
        elif text.strip() and not here.silent:
            self.hid = True


def _is_beside(tag: str, told: dict[str, str]) -> bool:
    """Whether a tag begins a note, a warning or the like."""
    if tag in {"aside", "blockquote"} or told.get("role") in {"note", "alert"}:
        return True
    return tag in {"div", "section", "p", "details"} and bool(_ASIDE.search(told.get("class", "")))
