"""Playbooks: numbered steps in plain words with slots, as they stand in help pages, experiences and demonstrations.

Reading a page says what it says and no more: whether it fits a goal, and whether its steps are understood, is for a policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from protocol import Frozen
from roles.contracts import USER, StepOrigin, Supplement
from roles.visible import shown

SLOT = re.compile(r"\{([^\W\d_][\w .'’-]{0,40})\}")
"""`{invoice}`, `{vendor name}`, `{customer.email}`."""
_HEADING = re.compile(r"^[ ]{0,3}(#{1,6})\s+(.+?)\s*#*$")
_STEP_WORD = r"(?:step|schritt|étape|etape|paso|passo|stap)"
_NUMBERED = re.compile(
    rf"^[ ]{{0,3}}[*_]{{0,2}}(?:{_STEP_WORD}\s+)?(\d{{1,2}})\s*[*_]{{0,2}}(?:[.):：、]|\s[-–—])[*_]{{0,2}}\s*(.+)$", re.IGNORECASE
)
_CHINESE = re.compile(r"^\s*第([一二三四五六七八九十\d]{1,3})步\s*[：:、,，]?\s*(.+)$")
_BULLET = re.compile(r"^[ ]{0,3}[-*•+]\s+(?:\[[ xX]\]\s+)?(.+)$")
_INNER = re.compile(r"^\s{2,}[-*•+]\s+(.+)$")
_PLAIN_TITLE = re.compile(
    r"(?:the\s+)?(?:steps?|how to(?: do it)?|how it is done|procedure|instructions?|what to do|process|to do|schritte|anleitung"
    r"|vorgehen|步骤|操作步骤)[:.]?",
    re.IGNORECASE,
)
_CONDITIONS = re.compile(r"(?:before you (?:start|begin)|prerequisites?|preconditions?|requirements?|what you need)[:.]?", re.I)
_CONDITION = re.compile(
    r"^[*_]*(?:(?P<only>only (?:for|if|when|in|with)\b|not for\b|applies (?:only )?to\b|for .{2,60} only\b)"
    r"|(?P<mark>before you (?:start|begin)|prerequisites?|preconditions?|requirements?|requires)\b\s*[:,]?)",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(
    r"^\(?optional(?:ly)?\)?\s*[:,.)–—-]?\s*|\s*\(optional\)\.?$"
    r"|^if (?:you (?:like|want|wish|prefer)(?: to)?|needed|necessary|required|wanted|desired|you need to)\s*[,:]\s*",
    re.IGNORECASE,
)


class Step(Frozen):
    """One step as the page says it."""

    number: int
    text: str
    optional: bool = False
    """The page itself says that it can be left out."""


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
    """What stands above the steps."""
    conditions: tuple[str, ...] = ()
    """What has to be so for it to be used, in the page's words."""
    steps: tuple[Step, ...] = ()
    hidden: bool = False
    """The page has text that nobody sees; it was left out."""

    @property
    def told(self) -> bool:
        """Whether it is what the user said when they were asked."""
        return self.source == USER

    def slots(self) -> tuple[str, ...]:
        """Every slot of its title and steps, once."""
        texts = (self.title, *self.conditions, *(step.text for step in self.steps))
        return tuple(dict.fromkeys(name for text in texts for name in SLOT.findall(text)))

    def origin(self, number: int) -> StepOrigin:
        """What a subtask says of itself that comes from this step."""
        text = next((step.text for step in self.steps if step.number == number), "")
        section = self.title if self.page else ""
        return StepOrigin(source=self.source, title=self.page or self.title, section=section, step=number, text=text[:160])


@lru_cache(maxsize=256)
def playbooks_in(found: Supplement) -> tuple[Playbook, ...]:
    """The procedures of what was found, in order; none where it has no steps."""
    text, hidden = shown(found.text)
    if found.source == USER:
        steps = _told(text)
        book = Playbook(source=found.source, title=found.title, app=found.app, steps=steps)
        return (book,) if steps else ()
    common: list[str] = []
    conditions: list[str] = []
    books: list[Playbook] = []
    sections = list(_sections(text))
    title = next((heading for heading, _ in sections if heading), "") or found.title
    for heading, lines in sections:
        if _CONDITIONS.fullmatch(heading.strip("*_ ")):
            conditions += [_bare(match[1]) if (match := _BULLET.match(line) or _NUMBERED_TEXT.match(line)) else line.strip()
                           for line in lines if line.strip()]  # fmt: skip
            continue
        steps, own, about = _read(lines)
        if not steps:
            conditions += own
            common += about
            continue
        named = heading and heading != title and not _PLAIN_TITLE.fullmatch(heading.strip("*_ "))
        books.append(
            Playbook(
                source=found.source, title=_bare(heading if named else title), page=_bare(title) if named else "", app=found.app,
                about=" ".join([*common, *about])[:2000], conditions=tuple([*conditions, *own]), steps=steps, hidden=hidden,
                document=found.document,
            )
        )  # fmt: skip
    return tuple(books)


_NUMBERED_TEXT = re.compile(r"^[ ]{0,3}\d{1,2}[.)]\s+(.+)$")


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    heading, lines, fenced = "", list[str](), False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        match = None if fenced else _HEADING.match(line)
        if match is None:
            lines.append(line)
            continue
        if heading or any(words.strip() for words in lines):
            yield heading, lines
        heading, lines = match[2].strip(), []
    yield heading, lines


def _read(lines: list[str]) -> tuple[tuple[Step, ...], list[str], list[str]]:
    """Steps, conditions and everything else of one section."""
    numbered = any(_NUMBERED.match(line) or _CHINESE.match(line) for line in lines)
    found: list[str] = []
    conditions: list[str] = []
    about: list[str] = []
    open_ = False
    for line in lines:
        if not line.strip():
            open_ = open_ and not numbered
            continue
        if (text := _step_of(line, numbered)) is not None:
            found.append(_bare(text))
            open_ = True
        elif found and (inner := _INNER.match(line)):
            found[-1] = f"{found[-1].rstrip(' :;,')}, {_bare(inner[1])}"
        elif found and (open_ or line.startswith("  ")):
            found[-1] = f"{found[-1]} {_bare(line)}"
        else:
            words = _bare(re.sub(r"^[ ]{0,3}(?:[-*•+>]\s+|\d{1,2}[.)]\s+)", "", line))
            for sentence in re.split(r"(?<=[.!?])\s+", words):
                condition = _CONDITION.match(sentence)
                bare = sentence[condition.end() :].strip(" ,:") if condition and condition["mark"] else sentence
                (conditions if condition else about).append(bare)
    steps = tuple(_made(number, text) for number, text in enumerate(found, start=1))
    return steps, [words for words in conditions if words], about


def _step_of(line: str, numbered: bool) -> str | None:
    if match := _CHINESE.match(line):
        return match[2]
    if match := _NUMBERED.match(line):
        return match[2]
    if not numbered and (match := _BULLET.match(line)):
        words = _bare(match[1])
        return None if _CONDITION.match(words) else words
    return None


def _made(number: int, text: str) -> Step:
    bare = _OPTIONAL.sub("", text).strip()
    if bare == text:
        return Step(number=number, text=text)
    return Step(number=number, text=bare[:1].upper() + bare[1:], optional=True)


def _bare(words: str) -> str:
    """Without marks of emphasis and of links."""
    words = re.sub(r"!?\[([^\]]+)\]\([^)]*\)", r"\1", words.strip())
    return re.sub(r"(?<!\w)(\*{1,3}|_{2,3})(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2", words).strip()


def _told(text: str) -> tuple[Step, ...]:
    """A person's own words: their numbered lines, or all of it as one step."""
    steps, _, _ = _read(text.splitlines())
    return steps or ((Step(number=1, text=" ".join(text.split())),) if text.strip() else ())
