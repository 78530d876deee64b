"""Playbooks: numbered steps in plain words with slots, as they stand in help pages, experiences and demonstrations.

Reading a page says what it says and no more: whether it fits a goal, and whether its steps are understood, is for a policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from protocol import Frozen
from roles.contracts import USER, StepOrigin, Supplement
from roles.contracts.orders import Step as TypedStep
from roles.knowledge.pages.typed import BadSteps, in_words, steps_on
from roles.knowledge.pages.visible_text import shown

_STEP_WORD = r"(?:step|schritt|étape|etape|paso|passo|stap)"
_NUMBERED = re.compile(
    rf"^[ ]{{0,3}}[*_]{{0,2}}(?:{_STEP_WORD}\s+)?(\d{{1,2}})\s*[*_]{{0,2}}(?:\\?[.):：、．]|\s[-–—])[*_]{{0,2}}\s*(.+)$", re.I
)
_STEP_TITLE = re.compile(rf"^[*_]*{_STEP_WORD}\s+\d{{1,2}}\b\s*(?:[.):：–—-]\s*|$)(?P<text>.*)$", re.IGNORECASE)
"""A heading that is a step: `Step 2: Add a member`. A number alone may be that of a chapter."""
_CHINESE = re.compile(r"^\s*第([一二三四五六七八九十\d]{1,3})步\s*[：:、,，]?\s*(.+)$")
_CIRCLED = re.compile(r"^[ ]{0,3}[①-⑳]\s*(.+)$")
_BULLET = re.compile(r"^[ ]{0,3}[-*•+]\s+(?:\[[ xX]\]\s+)?(.+)$")
_INNER = re.compile(r"^(?:\s{2,}|\t)[-*•+]\s+(.+)$")
_INNER_NUMBERED = re.compile(r"^(?:[ ]{2,}|\t)\s*(?:\d{1,2}|[a-z]|[ivx]{1,4})\\?[.)]\s+(.+)$", re.IGNORECASE)
_LETTERED = re.compile(r"^[ ]{0,3}[a-h][.)]\s+(.+)$")
_TABLE_OF_STEPS = re.compile(r"step|steps|#|no\.?|nr\.?|number|schritt|étape|etape|paso|passo|步骤", re.IGNORECASE)
_ROW_NUMBER = re.compile(rf"(?:{_STEP_WORD}\s*)?(\d{{1,2}})[.)]?", re.IGNORECASE)
_RULE = re.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-{2,}:?\s*\|?\s*$|^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_CALLED = (
    r"notes?|warning|caution|tips?|hint|info|important|danger|attention|remember|example|result|beware|be careful"
    r"|trouble\s?shooting|hinweis|achtung|warnung|tipp|wichtig|remarque|attention|astuce|nota|advertencia|注意|警告|提示|备注|说明"
)
_NOTE = re.compile(
    rf"^\s*(?:[-*•+]\s+|>\s*)*[*_]{{0,3}}(?:[^\w\s*_#>]{{1,3}}\s*)?(?:{_CALLED})[*_]{{0,3}}\s*(?:[:：!！]|\s[–—-]\s)", re.I
)
_QUOTE = re.compile(r"^\s*>")
_FENCED_NOTE = re.compile(r"^\s*:::+\s*\w")
_INDENTED_NOTE = re.compile(r"^(?P<indent>\s*)(?:!!!|\?\?\?\+?)\s*\w")
_PICTURE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])")
_CONDITION = re.compile(
    r"^[*_]*(?:(?P<only>only (?:for|if|when|in|with)\b|not for\b|applies (?:only )?to\b|for .{2,60} only\b)"
    r"|(?P<mark>before you (?:start|begin)|prerequisites?|preconditions?|requirements?|requires)\b\s*[:,]?)",
    re.IGNORECASE,
)


class PlaybookLine(NamedTuple):
    """One step as it is written, marks of emphasis and all."""

    text: str
    heads: bool = False
    """Steps of its own follow it: it may be no more than their heading."""


class PlaybookLines(NamedTuple):
    """What a section says."""

    steps: tuple[PlaybookLine, ...] = ()
    conditions: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    doubt: str = ""
    """Why its steps are no one procedure; empty where they are."""


def bare(words: str) -> str:
    """Without pictures, and without marks of emphasis and of links."""
    words = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", _PICTURE.sub("", words).strip())
    return re.sub(r"(?<!\w)(\*{1,3}|_{2,3})(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2", words).strip()


_STRONG = re.compile(r"(?<![\w*_])(\*\*|__)(?=\S)(?P<name>[^*_\"“”{}]{1,60}?)(?<=[^\s.:!?,;])\1(?![\w*_])")
_NO_NAME = re.compile(r"(?:do )?not|never|only|always|must|all|optional|note|important|warning|and|or|then|before|after", re.I)


def with_names(words: str) -> str:
    """`words` bare, but with quotation marks around what is set in bold within a sentence: names of controls, on help pages."""

    def quoted(found: re.Match[str]) -> str:
        inside = words[: found.start()].count('"') % 2 == 1
        if inside or not words[: found.start()].strip() or _NO_NAME.fullmatch(found["name"]) or len(found["name"].split()) > 6:
            return found["name"]
        return f'"{found["name"]}"'

    return bare(_STRONG.sub(quoted, words))


def under_titles(parts: Sequence[tuple[str, Sequence[str]]]) -> PlaybookLines:
    """One procedure of headings that are steps; what stands under a heading says how it is done."""
    steps: list[PlaybookLine] = []
    conditions: list[str] = []
    about: list[str] = []
    doubt = ""
    for title, lines in parts:
        inner = read_lines(lines)
        doubt = doubt or inner.doubt
        conditions += inner.conditions
        told = [PlaybookLine(" ".join(inner.about))] if inner.about and not inner.steps else list(inner.steps)
        about += inner.about if inner.steps else ()
        steps += [PlaybookLine(title, heads=bool(told)), *told] if title else told
    return PlaybookLines(tuple(steps), tuple(conditions), tuple(about), doubt)


def alternatives(lines: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The lines of a section, each list that begins anew below words of its own (`On your phone:`) with these words."""
    starts = [
        place
        for place, line in enumerate(lines)
        if line.rstrip().endswith(":") and _indent(line) == 0 and _number_of(line) is None and not _BULLET.match(line)
        and _number_of(next((after for after in lines[place + 1 :] if after.strip()), "")) == 1
    ]  # fmt: skip
    if len(starts) < 2:
        return [("", list(lines))]
    ends = [*starts[1:], len(lines)]
    above = [("", list(lines[: starts[0]]))] if any(line.strip() for line in lines[: starts[0]]) else []
    parts = [(bare(lines[at]).rstrip(":"), list(lines[at + 1 : end])) for at, end in zip(starts, ends, strict=True)]
    return [*above, *parts]


def listed_text(line: str) -> str:
    """A line without the mark of a list."""
    match = _BULLET.match(line) or re.match(r"^[ ]{0,3}\d{1,2}[.)]\s+(.+)$", line)
    return bare(match[1]) if match else line.strip()


def read_lines(lines: Sequence[str]) -> PlaybookLines:
    """Steps, conditions and everything else of one section."""
    rows = _with_tables(lines)
    numbers = [line for line in rows if _number_of(line) is not None]
    section = _procedures_Section(numbered=bool(numbers), margin=_indent(numbers[0]) if numbers else 0)
    for line, note in _notes_told(rows):
        section.take_note(line) if note else section.take(line)
    return PlaybookLines(tuple(section.steps), tuple(section.conditions), tuple(section.about), section.doubt)


class _procedures_Section:
    """What was read of one section so far."""

    def __init__(self, *, numbered: bool, margin: int) -> None:
        self.steps: list[PlaybookLine] = []
        self.conditions: list[str] = []
        self.about: list[str] = []
        self.doubt = ""
        self._numbered, self._margin = numbered, margin
        self._number = 0
        self._parent = 0
        """Where the last step stands that is none of another step."""
        self._open = False
        """A line that follows at once belongs to the last step."""
        self._told = False
        """Something else was said since the last step."""

    def take_note(self, line: str) -> None:
        self._weigh(line)
        self._open = False

    def take(self, line: str) -> None:
        if not _PICTURE.sub("", line).strip():
            self._open = self._open and not self._numbered
        elif (text := self._inner(line)) is not None:
            self.steps[self._parent] = self.steps[self._parent]._replace(heads=True)
            self._add(text)
        elif (text := self._step(line)) is not None:
            self._count(_number_of(line))
            self._add(text)
            self._parent = len(self.steps) - 1
        elif self.steps and (point := _INNER.match(line)):
            self._go_on(f"{self.steps[-1].text.rstrip(' :;,.')}, {bare(point[1])}")
        elif self.steps and (self._open or line.startswith(("  ", "\t"))):
            self._go_on(f"{self.steps[-1].text} {line.strip()}")
        else:
            self._told = True
            self._weigh(line)

    def _inner(self, line: str) -> str | None:
        """The text of a numbered or lettered step of a step."""
        if not self.steps or not self._numbered:
            return None
        match = _INNER_NUMBERED.match(line) if _indent(line) >= self._margin + 2 else _LETTERED.match(line)
        return match[1] if match else None

    def _step(self, line: str) -> str | None:
        for form in (_CHINESE, _NUMBERED):
            if match := form.match(line):
                return match[2]
        if match := _CIRCLED.match(line) or (None if self._numbered else _BULLET.match(line)):
            return None if not self._numbered and bool(_CONDITION.match(bare(match[1]))) else match[1]
        return None

    def _count(self, number: int | None) -> None:
        if number == 1 and (self._number > 1 or (self._number == 1 and self._told)):
            self.doubt = "its numbers begin anew, so that it is not one procedure"
        self._number = number or self._number + 1

    def _add(self, text: str) -> None:
        self.steps.append(PlaybookLine(text))
        self._open, self._told = True, False

    def _go_on(self, text: str) -> None:
        self.steps[-1] = self.steps[-1]._replace(text=text)

    def _weigh(self, line: str) -> None:
        """What is no step may be a condition."""
        words = bare(re.sub(r"^[ ]{0,3}(?:(?:[-*•+>]\s+|>)+|\d{1,2}[.)]\s+)", "", line))
        for sentence in re.split(r"(?<=[.!?])\s+", words):
            condition = _CONDITION.match(sentence)
            said = sentence[condition.end() :].strip(" ,:") if condition and condition["mark"] else sentence
            if said:
                (self.conditions if condition else self.about).append(said)


def _number_of(line: str) -> int | None:
    match = _NUMBERED.match(line)
    if match and (match[1].isdecimal()):
        return int(match[1])
    return 0 if _CHINESE.match(line) or _CIRCLED.match(line) else None


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _with_tables(lines: Sequence[str]) -> list[str]:
    """The lines, with the rows of a table of steps as numbered lines: number, what to do, and the rest left out."""
    told: list[str] = []
    steps = False
    for place, line in enumerate(lines):
        if "|" not in line:
            steps = steps and not line.strip()
        elif _RULE.match(line):
            head = _cells(lines[place - 1]) if place else []
            steps = bool(head) and bool(_TABLE_OF_STEPS.fullmatch(bare(head[0])))
            continue
        cells = _cells(line)
        number = _ROW_NUMBER.fullmatch(bare(cells[0])) if steps and len(cells) > 1 else None
        told.append(f"{number[1]}. {cells[1]}" if number else line)
    return told


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _notes_told(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a note, a warning or the like."""
    fence = marked = False
    block = -1
    for line in lines:
        if fence or _FENCED_NOTE.match(line):
            closes = fence and line.strip().startswith(":::") and not _FENCED_NOTE.match(line)
            fence = not closes
            yield ("" if line.strip().startswith(":::") else line), True
            continue
        if block >= 0 and line.strip() and _indent(line) <= block:
            block = -1
        if block < 0 and _INDENTED_NOTE.match(line):
            block = _indent(line)
            yield "", True
            continue
        begins = bool(_NOTE.match(line) or _QUOTE.match(line))
        listed = _number_of(line) is not None or bool(_BULLET.match(line) or _INNER_NUMBERED.match(line))
        marked = begins or (marked and bool(line.strip()) and not listed)
        yield line, marked or block >= 0


SLOT = re.compile(r"\{([^\W\d_][\w .'’-]{0,40})\}")
"""`{invoice}`, `{vendor name}`, `{customer.email}`."""
_HEADING = re.compile(r"^[ ]{0,3}(#{1,6})\s+(.+?)\s*#*(?:\s*\{#[^}]*\})?$")
_UNDERLINE = re.compile(r"^(?:={3,}|-{3,})\s*$")
_TAB = re.compile(r'^\s*===[!+]?\s+"(.+)"\s*$')
_PLAIN_TITLE = re.compile(
    r"(?:the\s+)?(?:steps?|how to(?: do it)?|how it is done|procedure|instructions?|what to do|process|to do|schritte|anleitung"
    r"|vorgehen|步骤|操作步骤)[:.]?",
    re.IGNORECASE,
)
_CONDITIONS = re.compile(r"(?:before you (?:start|begin)|prerequisites?|preconditions?|requirements?|what you need)[:.]?", re.I)
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
    heads: bool = False
    """It has steps of its own, which follow it."""
    named: str = ""
    """The same with names of controls in quotation marks, where the page sets them in bold."""


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


_LINES = 60
"""Lines of a page without steps that may say to do something."""


@lru_cache(maxsize=256)
def playbooks_in(found: Supplement) -> tuple[Playbook, ...]:
    """The procedures of what was found, in order; none where it has no steps."""
    text, hidden = shown(found.text)
    if found.source == USER:
        steps = _told(text)
        book = Playbook(source=found.source, title=found.title, app=found.app, steps=steps)
        return (book,) if steps else ()
    if "```steps" in text:
        return (_of_data(found, text, hidden),)
    common: list[str] = []
    conditions: list[str] = []
    books: list[Playbook] = []
    sections = list(_sections(without_front_matter(text)))
    title = next((section.heading for section in sections if section.heading), "") or found.title
    for section in _joined(sections):
        heading = section.heading
        title = heading if section.level == 1 else title
        if _CONDITIONS.fullmatch(heading.strip("*_ ")):
            conditions += [listed_text(line) for _, lines in section.parts for line in lines if line.strip()]
            continue
        said = under_titles(section.parts) if section.of_steps else read_lines(section.parts[0][1])
        if not said.steps:
            conditions += said.conditions
            common += said.about
            continue
        named = heading and heading != title and not _PLAIN_TITLE.fullmatch(heading.strip("*_ "))
        books.append(
            Playbook(
                source=found.source, title=bare(heading if named else title), page=bare(title) if named else "", app=found.app,
                about=" ".join([*common, *said.about])[:2000], conditions=(*conditions, *said.conditions),
                steps=tuple(_made(n, line) for n, line in enumerate(said.steps, start=1)), hidden=hidden,
                document=found.document, doubt=said.doubt,
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


def _of_data(found: Supplement, text: str, hidden: bool) -> Playbook:
    """A page whose steps are data: what else stands on it says what it is for, and nothing that is to be done."""
    sections = list(_sections(without_front_matter(text)))
    title = next((section.heading for section in sections if section.heading), "") or found.title
    said = [read_lines(lines) for section in sections for _, lines in section.parts]
    typed: tuple[TypedStep, ...] = ()
    doubt = ""
    try:
        typed = steps_on(text)
    except BadSteps as bad:
        doubt = str(bad)
    return Playbook(
        source=found.source, title=bare(title), app=found.app, about=" ".join(one for part in said for one in part.about)[:2000],
        conditions=tuple(one for part in said for one in part.conditions), hidden=hidden, document=found.document, doubt=doubt,
        steps=tuple(Step(number=n, text=in_words(step)) for n, step in enumerate(typed, start=1)), typed=typed,
    )  # fmt: skip


class _Section(NamedTuple):
    """What stands below a heading."""

    heading: str
    level: int
    """1 for the title of a page, 0 where there is no heading."""
    parts: list[tuple[str, list[str]]]
    """Its lines; where its own headings are the steps, each with the lines below it."""
    of_steps: bool = False


def _joined(sections: Iterable[_Section]) -> list[_Section]:
    """Sections one by one; those whose headings are the steps of one procedure belong to what stands above them."""
    found: list[_Section] = []
    for section in sections:
        match = _STEP_TITLE.match(section.heading)
        title = match["text"].strip("*_ ") if match else None
        lines = section.parts[0][1]
        if title is None:
            for head, part in alternatives(lines):
                whole = f"{section.heading}: {head}".removeprefix(": ") if head else section.heading
                found.append(_Section(whole, section.level if whole == section.heading else 0, [("", part)]))
        elif found and found[-1].of_steps:
            found[-1].parts.append((title, lines))
        else:
            above = found[-1].heading if found else ""
            found.append(_Section(above, 0, [(title, lines)], of_steps=True))
    return found


def without_front_matter(text: str) -> str:
    """A page of Markdown without the settings that some programs keep above it."""
    match = _FRONT_MATTER.match(text)
    return text[match.end() :] if match else text


_FRONT_MATTER = re.compile(r"\A\ufeff?(?P<mark>---|\+\+\+)[ \t]*\n(?P<said>.{0,8000}?)\n(?P=mark)[ \t]*(?:\n|\Z)", re.DOTALL)


def _sections(text: str) -> Iterator[_Section]:
    """Headings with the lines below them: those of Markdown, underlined ones, and the tabs of some programs."""
    heading, level, lines, fenced, tabbed = "", 0, list[str](), False, False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if fenced:
            continue  # what stands in a block of code is for a machine to read, or an example
        found, deep, tab = "", 0, _TAB.match(line)
        if _underlines(line, lines):
            found, deep = lines.pop().strip(), 1 if line.startswith("=") else 2
        elif match := _HEADING.match(line):
            found, deep = match[2].strip(), len(match[1])
        elif tab:
            found, deep = tab[1].strip(), 7
        else:
            lines.append(line.removeprefix("    ") if tabbed else line)
            continue
        if heading or any(words.strip() for words in lines):
            yield _Section(heading, level, [("", lines)])
        heading, level, lines, tabbed = found, deep, [], tab is not None
    yield _Section(heading, level, [("", lines)])


def _underlines(line: str, lines: list[str]) -> bool:
    """Whether the line makes a heading of the one above it, which is then the only one since a blank line."""
    above = lines[-1] if lines else ""
    plain = bool(above.strip()) and not re.match(r"\s|[-*•+>|#]|\d{1,2}[.)]", above) and "|" not in above
    return bool(_UNDERLINE.match(line)) and plain and (len(lines) < 2 or not lines[-2].strip())


def _made(number: int, line: PlaybookLine) -> Step:
    text, named = bare(line.text), with_names(line.text)
    short = _OPTIONAL.sub("", text).strip()
    name = "" if named == text else _OPTIONAL.sub("", named).strip()
    if short != text:
        text, optional = short[:1].upper() + short[1:], True
    else:
        optional = False
    return Step(number=number, text=text, optional=optional, heads=line.heads, named=name)


def _told(text: str) -> tuple[Step, ...]:
    """A person's own words: their numbered lines, or all of it as one step."""
    said = read_lines(text.splitlines()).steps
    steps = tuple(_made(number, line) for number, line in enumerate(said, start=1))
    return steps or ((Step(number=1, text=" ".join(text.split())),) if text.strip() else ())
