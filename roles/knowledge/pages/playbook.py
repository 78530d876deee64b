"""Playbooks: numbered steps in plain words with slots, as they stand in help pages, experiences and demonstrations.

Reading a page says what it says and no more: whether it fits a goal, and whether its steps are understood, is for a policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from protocol import Frozen
from roles.contracts import USER, StepOrigin, Supplement
from roles.contracts.orders import Step as TypedStep
from roles.knowledge.pages.typed import BadSteps, in_words, steps_on
from roles.knowledge.pages.visible_text import shown

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

SLOT = re.compile(r"\{([^\W\d_][\w .'’-]{0,40})\}")
"""`{invoice}`, `{vendor name}`, `{customer.email}`."""
_NOTE = re.compile(
    r"\W*(?:notes?|warning|caution|tips?|hint|info|important|danger|attention|example)\b\s*(?:[:!]|\s[–—-]\s)|!!!|:::", re.I
)
_NO_NAME = re.compile(r"(?:do )?not|never|only|always|must|all|optional|note|important|warning|and|or|then|before|after", re.I)
"""Words that are set in bold because they matter, and name nothing."""
_NAME_WORDS = 6
_CONDITION = re.compile(
    r"(?:only (?:for|if|when|in|with)|not for|applies (?:only )?to|for .{2,60} only|before you (?:start|begin)|what you need"
    r"|(?:prerequisite|precondition|requirement)s?|requires)\b",
    re.IGNORECASE,
)
_PLAIN_TITLE = re.compile(
    r"(?:the\s+)?(?:steps?|how to(?: do it)?|how it is done|procedure|instructions?|what to do|process|to do)[:.]?", re.IGNORECASE
)
_STEP_TITLE = re.compile(r"step\s+\d", re.IGNORECASE)
_OPTIONAL = re.compile(r"^\(?optional\)?\s*[:,.)–—-]?\s+|\s*\(optional\)\.?$", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\A\ufeff?(?P<mark>---|\+\+\+)[ \t]*\n(?P<said>.{0,8000}?)\n(?P=mark)[ \t]*(?:\n|\Z)", re.DOTALL)
_LINES = 60
"""Lines of a page without steps that may say to do something."""


class Step(Frozen):
    """One step as the page says it. What stands in bold within a sentence is a name, and gets quotation marks."""

    number: int
    text: str
    optional: bool = False
    """The page itself says that it can be left out."""
    heads: bool = False
    """It has steps of its own, which follow it."""


class Playbook(Frozen):
    """One procedure of a page."""

    source: str
    title: str
    """What it is for: its own heading, else the page's title."""
    page: str = ""
    """The page's title, where the procedure has a heading of its own."""
    document: str = ""
    app: str | None = None
    about: str = ""
    """What stands beside the steps."""
    conditions: tuple[str, ...] = ()
    """What has to be so for it to be used, in the page's words."""
    steps: tuple[Step, ...] = ()
    hidden: bool = False
    """The page has text that nobody sees; it was left out."""
    doubt: str = ""
    """Why its steps are no one procedure; empty where they are."""
    typed: tuple[TypedStep, ...] = ()
    """The steps as data, where the page gives them so; `steps` are then the same in words."""

    @property
    def told(self) -> bool:
        """Whether it is what the user said when they were asked."""
        return self.source == USER

    def slots(self, *, needed: bool = False) -> tuple[str, ...]:
        """Every slot of its title and steps, once; with `needed` not those of steps that can be left out, and no facts."""
        steps = [step.text for step in self.steps if not (needed and step.optional)]
        known = {
            name for step in self.typed for name in ((*getattr(step, "names", ()), *filter(None, [getattr(step, "name", "")])))
        }
        texts = [SLOT.sub(lambda slot: " " if slot[1] in known else slot.group(), text) for text in (*self.conditions, *steps)]
        texts.insert(0, self.title)
        return tuple(dict.fromkeys(name for text in texts for name in SLOT.findall(text)))

    def origin(self, number: int) -> StepOrigin:
        """What a subtask says of itself that comes from this step."""
        text = next((step.text for step in self.steps if step.number == number), "")
        section = self.title if self.page else ""
        return StepOrigin(source=self.source, title=self.page or self.title, section=section, step=number, text=text[:160])


class _Section:
    """What stands below a heading: a list of steps, and everything beside them."""

    def __init__(self, heading: str, level: int) -> None:
        self.heading, self.level = heading, level
        """1 for the title of a page, 0 where there is no heading."""
        self.nodes: list[SyntaxTreeNode] = []
        self.steps: list[Step] = []
        self.conditions: list[str] = []
        self.about: list[str] = []
        self.doubt = ""
        self._number = 0

    def read(self) -> None:
        """Points are steps only where nothing is numbered."""
        numbered = any(node.type == "ordered_list" for node in self.nodes)
        for node in self.nodes:
            if node.type == "ordered_list" or (node.type == "bullet_list" and not numbered):
                if self._number and int(node.attrs.get("start", 1)) != self._number + 1:
                    self.doubt = "its numbers begin anew, so that it is not one procedure"
                self._list(node)
            elif node.type not in {"fence", "code_block"}:  # what stands in a block of code is for a machine, or an example
                self._beside(node)

    def _list(self, node: SyntaxTreeNode, deep: int = 0) -> None:
        for item in node.children:
            number = int(item.info) if item.info.isdigit() else self._number + 1
            if not deep and number == 1 and self._number > 1:
                self.doubt = "its numbers begin anew, so that it is not one procedure"
            self._number = self._number if deep else number
            texts: list[str] = []
            inner: list[SyntaxTreeNode] = []
            for part in item.children:
                if part.type in {"ordered_list", "bullet_list"}:
                    inner.append(part)
                elif part.type == "paragraph" and not _NOTE.match(_text(part)):
                    lines = _text(part, names=True).split("\n")
                    texts += takewhile(lambda line: not _NOTE.match(line), lines)
                elif part.type not in {"fence", "code_block"}:
                    self._beside(part)
            text = " ".join(" ".join(texts).split())
            if text and _CONDITION.match(text):
                self._weigh(text)
            elif text:
                bare = _OPTIONAL.sub("", text).strip()
                optional = bare != text
                said = bare[:1].upper() + bare[1:] if optional else text
                self.steps.append(Step(number=len(self.steps) + 1, text=said, optional=optional, heads=bool(inner)))
            for part in inner:
                self._list(part, deep + 1)

    def _beside(self, node: SyntaxTreeNode) -> None:
        if node.type in {"paragraph", "heading"}:
            self._weigh(_text(node))
        for inner in node.children if node.type != "paragraph" else ():
            self._beside(inner)

    def _weigh(self, words: str) -> None:
        """What is no step may be a condition."""
        for said in filter(None, map(str.strip, re.split(r"(?<=[.!?])\s+|\n", words))):
            (self.conditions if _CONDITION.match(said) else self.about).append(said)


def _text(node: SyntaxTreeNode, *, names: bool = False, before: str = "") -> str:
    """The words of a paragraph without pictures and marks; with `names`, quotation marks around what is set in bold in it."""
    text = before
    for part in node.children:
        if part.type in {"text", "html_inline"}:
            text += part.content
        elif part.type == "code_inline":
            text += f"`{part.content}`"
        elif part.type in {"softbreak", "hardbreak"}:
            text += "\n"
        elif part.type == "strong" and names and text.strip() and text.count('"') % 2 == 0:
            name = _text(part)
            plain = _NO_NAME.fullmatch(name) or len(name.split()) > _NAME_WORDS or re.search(r"[\"“”{}]|[.:!?,;]$", name)
            text += name if plain else f'"{name}"'
        elif part.type != "image":
            text = _text(part, names=names, before=text)
    return text


@lru_cache(maxsize=256)
def playbooks_in(found: Supplement) -> tuple[Playbook, ...]:
    """The procedures of what was found, in order; none where it has no steps."""
    text, hidden = shown(found.text)
    sections = _sections(without_front_matter(text))
    if found.source == USER:
        steps = tuple(step for section in sections for step in section.steps)
        steps = steps or ((Step(number=1, text=" ".join(text.split())),) if text.strip() else ())
        return (Playbook(source=found.source, title=found.title, app=found.app, steps=steps),) if steps else ()
    if "```steps" in text:
        return (_of_data(found, text, hidden, sections),)
    parted = any(_STEP_TITLE.match(section.heading) for section in sections)
    common: list[str] = []
    conditions: list[str] = []
    books: list[Playbook] = []
    title = next((section.heading for section in sections if section.heading), "") or found.title
    for section in sections:
        title = section.heading if section.level == 1 else title
        if _CONDITION.match(section.heading):
            conditions += [*(step.text for step in section.steps), *section.about, *section.conditions]
        elif not section.steps:
            conditions += section.conditions
            common += section.about
        else:
            named = section.heading and section.heading != title and not _PLAIN_TITLE.fullmatch(section.heading)
            doubt = "its headings are steps, so that each is a part of a procedure" if parted else section.doubt
            books.append(
                Playbook(
                    source=found.source, title=section.heading if named else title, page=title if named else "", app=found.app,
                    about=" ".join([*common, *section.about])[:2000], conditions=(*conditions, *section.conditions),
                    steps=tuple(section.steps), hidden=hidden, document=found.document, doubt=doubt,
                )
            )  # fmt: skip
    return tuple(books)


def said_to_do(found: Iterable[Supplement]) -> Iterator[StepOrigin]:
    """Every step that is said in what was found by others than the user; of a page without steps every line."""
    for supplement in found:
        books = () if supplement.source == USER else playbooks_in(supplement)
        for book in books:
            yield from (book.origin(step.number) for step in book.steps)
        if not books and supplement.source != USER:
            lines = [line.strip() for line in shown(supplement.text).text.splitlines() if line.strip()]
            for line in lines[:_LINES]:
                yield StepOrigin(source=supplement.source, title=supplement.title, text=line[:160])


def _of_data(found: Supplement, text: str, hidden: bool, sections: Sequence[_Section]) -> Playbook:
    """A page whose steps are data: what else stands on it says what it is for, and nothing that is to be done."""
    typed: tuple[TypedStep, ...] = ()
    doubt = ""
    try:
        typed = steps_on(text)
    except BadSteps as bad:
        doubt = str(bad)
    return Playbook(
        source=found.source, title=next((section.heading for section in sections if section.heading), "") or found.title,
        app=found.app, about=" ".join(said for section in sections for said in section.about)[:2000],
        conditions=tuple(said for section in sections for said in section.conditions), hidden=hidden, document=found.document,
        doubt=doubt, steps=tuple(Step(number=n, text=in_words(step)) for n, step in enumerate(typed, start=1)), typed=typed,
    )  # fmt: skip


def without_front_matter(text: str) -> str:
    """A page of Markdown without the settings that some programs keep above it."""
    match = _FRONT_MATTER.match(text)
    return text[match.end() :] if match else text


def _sections(text: str) -> list[_Section]:
    """Headings with what stands below them."""
    from markdown_it import MarkdownIt  # here, since commands that read no page load this module too
    from markdown_it.tree import SyntaxTreeNode

    sections = [_Section("", 0)]
    for node in SyntaxTreeNode(MarkdownIt("commonmark").parse(text)).children:
        if node.type == "heading":
            sections.append(_Section(_text(node), int(node.tag[1])))
        else:
            sections[-1].nodes.append(node)
    for section in sections:
        section.read()
    return [section for section in sections if section.heading or section.nodes]
