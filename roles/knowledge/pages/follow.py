"""Follow a page that was looked up: its steps, with the slots filled from the goal, stand for the words that were not understood.

All of it or nothing: a page that leaves out a part of the words, wants a value that nobody gave, or has a step that is not
understood is not followed, and why is said. What a page says is data: a plan by it goes through the same review as any other.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from environments.cards import vocabulary
from roles.contracts import USER, PageUse, PlanRequest, StepOrigin, Subtask, Supplement
from roles.contracts.orders import Reading, Span
from roles.contracts.orders import Step as TypedStep
from roles.contracts.signals import SubtaskStatus
from roles.knowledge.pages.documents import asked_stems, stems
from roles.knowledge.pages.filling import (
    Filling,
    Given,
    by_title,
    filled,
    filling,
    question_for,
    typed_filled,
    values_in,
    without,
)
from roles.knowledge.pages.playbook import SLOT, Playbook, Step, playbooks_in
from roles.knowledge.pages.typed import BadSteps, block, grounded
from roles.screen.language.reader import read
from roles.screen.language.words import BREAKS, Lexicon, Words
from roles.screen.matching import app_for

_NARROWING = ("negations", "exceptions", "without", "no", "not", "conditions", "if_so", "if_not", "or", "all", "both", "vague")
"""What narrows a goal, turns it round or asks for many. A page that does not say the same word does not do the same."""
_ALSO_NARROWING = frozenset({"but", "skip"})
_PASSING = re.compile(
    r"(?:if|when|should|in case)\s+(?:an?\s+|the\s+|any\s+)?(?:[\w-]+\s+){0,3}?"
    r"(?:dialog|popup|pop-up|message|warning|window|banner|prompt|notice)\b[^,]*,"
    r"|(?:if|when)\s+(?:you are |you’re |you're )?(?:asked|prompted)\b[^,]*,",
    re.IGNORECASE,
)
"""A step for what stands in the way: the Operator deals with that by its own rules, not by a page's."""
_APP_NEEDED = re.compile(r"requires:?\s+(?:the\s+)?([\w -]+?) (?:app|application)", re.IGNORECASE)
_ONLY = re.compile(r"(?:applies (?:only )?to|only (?:for|with))\s+", re.IGNORECASE)
_MOST = 40
"""Steps of a page that is followed."""
_TOLD = 3
"""Pages of which it is said why they are not followed."""


class Followed(NamedTuple):
    """What came of looking at all that was found."""

    goal: str = ""
    """The whole goal, with a page's steps in the place of what was not understood; empty where no page is followed."""
    steps: tuple[TypedStep, ...] = ()
    """What is to be done, where the page gives that as data and stands for the whole goal."""
    ask: str = ""
    """A question that only the user can answer; with the answer a page could be followed."""
    uses: tuple[PageUse, ...] = ()
    parts: tuple[tuple[Span, StepOrigin], ...] = ()
    """Characters of `goal`, or places in `steps`, and the step of a page that they come from."""

    def why(self) -> str:
        """Why pages that were found are not followed, in words."""
        return "; ".join(f'"{use.title}" ({use.source}) is not followed: {use.why}' for use in self.uses[:_TOLD] if use.why)


class _Try(NamedTuple):
    book: Playbook
    score: float = 0.0
    """How well it fits; 0 where it does not."""
    said: tuple[tuple[str, Step], ...] = ()
    """The steps in words that are understood."""
    steps: tuple[TypedStep, ...] = ()
    ask: str = ""
    why: str = ""

    @property
    def ready(self) -> bool:
        return bool(self.said or self.steps)


def page_key(page: StepOrigin | Playbook) -> tuple[str, str]:
    """By what a procedure is told from others in one run."""
    return (page.source, page.section or page.title) if isinstance(page, StepOrigin) else (page.source, page.title)


def follow(request: PlanRequest, reading: Reading) -> Followed:
    """The best page for the goal, else for each part of it that was not understood."""
    goal, uses, ask = reading.goal, list[PageUse](), ""
    whole = [[(0, len(goal))]]
    for places in ([] if reading.orders and reading.unread else whole, _strange(reading)):
        text, at, parts = "", 0, list[tuple[Span, StepOrigin]]()
        for spans in places:
            looked = [_best(goal[start:end], request) for start, end in spans]
            uses += [use for one in looked for use in one.uses]
            ask = next((one.ask for one in looked if one.ask), ask)
            fits = ((one.best, span) for one, span in zip(looked, spans, strict=True) if one.best)
            best, span = next((fit for fit in fits if fit[0].said or places is whole), (None, (0, 0)))
            if best is None:
                break
            text, more = _spliced(text + goal[at : span[0]], best)
            parts, at = [*parts, *more], span[1]
            if at == len(goal) or spans is places[-1]:
                return Followed(text + goal[at:] if best.said else "", best.steps, "", _together(uses), tuple(parts))
    return Followed(ask=ask, uses=_together(uses))


def _strange(reading: Reading) -> list[list[Span]]:
    """What is not understood of a goal that is understood in part: the sentence, else the words without what joins them."""
    if not reading.orders:
        return []
    tokens = Words(reading.goal).list
    ends = [token.end for token in tokens if token.lower in BREAKS] + [len(reading.goal)]
    found: list[list[Span]] = []
    for rest in reading.unread:
        start = max((end for end in ends if end <= rest.span[0]), default=0)
        end = min(end for end in ends if end >= rest.span[1])
        bare = re.sub(r"^(?:(?:and|then|,)\s*)+", "", rest.text).rstrip(" .!")
        inner = rest.span[0] + rest.text.index(bare)
        sentence = reading.goal[start:end]
        start += len(sentence) - len(sentence.lstrip())
        found.append(list(dict.fromkeys([(start, start + len(sentence.strip().rstrip(" .!"))), (inner, inner + len(bare))])))
    return found


def _spliced(before: str, best: _Try) -> tuple[str, list[tuple[Span, StepOrigin]]]:
    """The words before, with the page's steps behind them as sentences of their own."""
    if best.steps:
        return before, [((n, n + 1), best.book.origin(n + 1)) for n in range(len(best.steps))]
    text, parts = re.sub(r"[\s,]*(?:\b(?:and|then))?[\s,]*$", "", before), list[tuple[Span, StepOrigin]]()
    for said, step in best.said:
        text = f"{text}{'' if not text or text.endswith(('.', '!', '?')) else '.'} ".lstrip()
        parts.append(((len(text), len(text) + len(said)), best.book.origin(step.number)))
        text += said
    return text, [] if best.book.told else parts


class _Looked(NamedTuple):
    best: _Try | None = None
    ask: str = ""
    uses: tuple[PageUse, ...] = ()


def _best(text: str, request: PlanRequest) -> _Looked:
    """The page that fits best and asks nothing, or the question of one that fits better."""
    used = {page_key(origin) for subtask in request.plan for origin in subtask.origin if origin.source}
    tried = [_tried(book, text, request) for found in request.supplements for book in _books(found)]
    # One whose title says less of the goal than that of one that failed is about something else, which would be done instead.
    said = {word for one in tried if page_key(one.book) in request.given_up for word in _titled(one.book, text, request)}
    less = "its title says less of the goal than one whose plan failed"
    tried = [one if said <= _titled(one.book, text, request) else _Try(one.book, why=one.why or less) for one in tried]
    open_ones = [one for one in tried if one.ready or (one.ask and one.ask not in request.looked_up)]
    order = sorted(open_ones, key=lambda one: (-round(one.score + (page_key(one.book) in used), 1), not one.ready))
    if order and not order[0].ready:
        return _Looked(ask=order[0].ask, uses=tuple(_uses(tried, None)))
    best = order[0] if order else None
    return _Looked(best, uses=tuple(_uses(tried, best)))


def _books(found: Supplement) -> tuple[Playbook, ...]:
    """What it says to do; where that is nothing to follow, an empty one that says why."""
    books = () if found.hint else playbooks_in(found)
    why = "it is to be no more than a hint" if found.hint else "there are no steps in it"
    return books or (Playbook(source=found.source, title=found.title, doubt=why),)


def _uses(tried: Iterable[_Try], best: _Try | None) -> Iterator[PageUse]:
    for one in tried:
        if not one.book.told:
            other = f'"{best.book.title}" of {best.book.source} fits better' if best else "its plan was not wanted"
            why = one.why if one is best else one.why or other
            yield PageUse(source=one.book.source, title=one.book.title, used=one is best, why=why)


def _together(uses: Iterable[PageUse]) -> tuple[PageUse, ...]:
    """One word for each page: a page that some words of the goal use is used."""
    said: dict[tuple[str, str], PageUse] = {}
    for use in uses:
        if (use.source, use.title) not in said or use.used:
            said[use.source, use.title] = use
    return tuple(said.values())


def _tried(book: Playbook, text: str, request: PlanRequest) -> _Try:
    """The page for these words of the goal: its steps, a question, or why it is not for them."""
    values = _values(book, text, request)
    titled = by_title(book, text, values)
    score, why = (1.5, "") if titled else _likeness(text, values, book, request)
    if why := _against(book, request) or why:
        return _Try(book, why=why)
    made = filling(book, text, values, request.supplements, titled)
    if made.missing:
        slot = made.missing[0]
        return _Try(book, score, ask=question_for(slot, text, book), why=f"nothing fills its slot {{{slot}}}")
    if why := _open_condition(book, made, text, values, request):
        return _Try(book, why=why)
    try:
        steps = grounded(typed_filled(book.typed, made), request.cards)
    except BadSteps as bad:
        return _Try(book, why=str(bad))
    tried = _Try(book, score, steps=steps) if steps else _worded(book, made, score, request)
    if tried.ready and (lost := _lost(values, tried)):
        return _Try(book, why=f'it has no place for "{lost}"')
    return tried


def _values(book: Playbook, text: str, request: PlanRequest) -> Sequence[Given]:
    opening = {word for words in (book.title, book.page) for word in words.casefold().split()}
    return values_in(text, opening | {name.casefold() for app in request.apps for name in (app.app, app.title)})


def _titled(book: Playbook, text: str, request: PlanRequest) -> set[str]:
    """The words of the goal that are in its title."""
    title = {*asked_stems(SLOT.sub(" ", f"{book.title} {book.page}"))}
    return {word for word in asked_stems(without(text, _values(book, text, request))) if _among(word, title)}


def _against(book: Playbook, request: PlanRequest) -> str:
    """Why a page is followed for no goal, here and now."""
    if page_key(book) in request.given_up:
        return "it did not help before in this run"
    if len(book.steps) > _MOST:
        return f"it has more than {_MOST} steps"
    if book.app and request.apps and app_for(book.app, request.apps) is None:
        return f"there is no application {book.app} here"
    return book.doubt


def _likeness(text: str, values: Sequence[Given], book: Playbook, request: PlanRequest) -> tuple[float, str]:
    """The share of their words that the goal and the title have in common; or why the page does not fit: every word of the goal
    that means something has to be spoken of on it."""
    if book.told:
        return (2.0, "") if book.title.strip() == text.strip() else (0.0, "the user's answer was about something else")
    if _asks(text):
        return 0.0, "a question is answered, and nothing is done for it"
    if against := _narrowed(text, values, f"{book.title} {book.page}"):
        return 0.0, f'the page does not say what "{against}" means for it'
    home = app_for(book.app, request.apps) if book.app else None
    names = [home.app, home.title, *home.words] if home is not None else []
    bodies = [book.about, *book.conditions, *(step.text for step in book.steps), *names]
    page = {stem for body in bodies for stem in stems(body.replace("{", " ").replace("}", " "))}
    rest = without(text, values)
    vague = {stem for word in Lexicon.english().data["procedures"]["vague"] for stem in stems(word)}
    every, own = set(asked_stems(rest)), set(asked_stems(SLOT.sub(" ", book.title)))
    asked, title = every - vague, own | set(asked_stems(SLOT.sub(" ", book.page)))
    named = {word for word in asked if _among(word, title)}
    if not named and not (own and own == every):
        return 0.0, "its title is about something else"
    if lost := next((word for word in rest.split() if any(s in asked and not _among(s, title | page) for s in stems(word))), ""):
        return 0.0, f'it says nothing of "{lost.strip(".,;:!?")}"'
    return len(named or own) / len((asked | own) - (vague if named else set())), ""


def _asks(text: str) -> bool:
    """Whether a question opens it: a page would do something in the place of an answer."""
    words = Words(text)
    opened = words.take(0, "requests")
    at = opened.end if opened else 0
    verb = words.take(at, "verb")
    at = verb.end if verb is not None and verb.entry.name == "answer" else at
    asked = ("questions", "auxiliaries") if not opened and text.rstrip().endswith("?") else ("questions",)
    return words.take(at, *asked) is not None


def _narrowed(text: str, values: Sequence[Given], titled: str) -> str:
    """The word that makes of a goal less or something else than the page is for."""
    words = Words(text)
    for at, token in enumerate(words.list):
        inside = any(one.start <= token.start < one.end for one in values) or words.take(at, "requests")
        narrows = token.lower in _ALSO_NARROWING or words.take(at, *_NARROWING) is not None
        if narrows and not inside and token.lower not in titled.casefold().split():
            return token.text
    return ""


def _among(word: str, known: Collection[str]) -> bool:
    """The same stem; longer words may have grown together or apart (`month-end`, `onboarding`)."""
    if word in known:
        return True
    return len(word) > 4 and any(len(other) > 4 and (other.startswith(word) or word.startswith(other)) for other in known)


def _open_condition(book: Playbook, made: Filling, text: str, values: Sequence[Given], request: PlanRequest) -> str:
    """What keeps a page with conditions of its own from being followed: code knows its applications, and what the goal speaks
    of."""
    nouns = {stem for one in values for word in (*one.called, one.kind) for stem in stems(word)} | set(stems(text))
    for condition in book.conditions:
        bare = (filled(condition, made, ()) or condition).strip(" .")
        if app := _APP_NEEDED.fullmatch(bare):
            if app_for(app[1], request.apps) is None:
                return f"there is no application {app[1]} here"
        elif not (_ONLY.match(bare) and (wanted := {*asked_stems(_ONLY.sub("", bare))}) and wanted <= nouns):
            return f'it cannot be determined whether "{bare}" holds'
    return ""


def answers_page(found: Supplement, goal: str) -> bool:
    """Whether it is what the user said for a page, or in the place of one: it is no part of the goal's own words."""
    return found.source == USER and (found.title.endswith("wants it)") or found.title.strip(" .") in goal)


def _worded(book: Playbook, made: Filling, score: float, request: PlanRequest) -> _Try:
    """The steps as sentences, read as a goal is."""
    said: list[tuple[str, Step]] = []
    for step in book.steps:
        if step.optional or _PASSING.match(step.text) or (step.heads and step.text.endswith(":")):
            continue  # what can be left out, what stands in the way, and the heading of steps of its own
        words = filled(step.text, made, [one.text for one in book.steps if one.number < step.number])
        if words is None:
            return _Try(book, why=f"what step {step.number} wants cannot be written there")
        said.append((words.rstrip(" .;") + ".", step))
    reading = read(" ".join(words for words, _ in said), request.today, vocabulary(request.cards))
    if reading.unread or reading.asks:
        first = reading.unread[0].span[0] if reading.unread else 0
        ends = accumulate(len(words) + 1 for words, _ in said)
        bad = next((step.number for end, (_, step) in zip(ends, said, strict=True) if first < end), 0)
        told = reading.asks[0] if reading.asks else f'"{reading.unread[0].text}"'
        return _Try(book, why=f"its step {bad} is not understood: {told}")
    if not any(not order.negated for order in reading.orders):
        return _Try(book, why="nothing is to be done by it")
    left = [str(step.number) for step in book.steps if step.optional]
    skipped = f"left out as it can be: step {', '.join(left)}" if left else ""
    hidden = "hidden text in it was left out" if book.hidden else ""
    return _Try(book, score, tuple(said), why="; ".join(part for part in (skipped, hidden) if part))


def _lost(values: Sequence[Given], tried: _Try) -> str:
    """A value of the goal that stands neither in what is done nor on the page itself."""
    book = tried.book
    typed = block(tried.steps).replace("{{", "{").replace("}}", "}").replace("\\", "")
    done = " ".join([*(words for words, _ in tried.said), typed])
    page = " ".join([book.title, book.page, *book.conditions, *(step.text for step in book.steps)])
    known = f"{done} {page}".casefold()
    return next((one.text for one in values if one.text.casefold().replace("\\", "") not in known.replace("\\", "")), "")


def with_origins(subtasks: Sequence[Subtask], reading: Reading | None, followed: Followed) -> list[Subtask]:
    """Each subtask with the steps of pages that it comes from; what the goal itself says has no source."""
    if not followed.parts:
        return list(subtasks)
    return [s.model_copy(update={"origin": tuple(dict.fromkeys(_origins(s, reading, followed)))}) for s in subtasks]


def _origins(subtask: Subtask, reading: Reading | None, followed: Followed) -> Iterator[StepOrigin]:
    every = [origin for _, origin in followed.parts]
    if reading is None:
        here = [origin for (at, _), origin in followed.parts if any(followed.steps[at] == step for step in subtask.steps)]
        yield from here or every
        return
    orders = {step.order for step in subtask.steps}
    if not orders or min(orders) < 0:
        yield from every
    for number in sorted(orders - {-1}):
        for start, _ in reading.orders[number].spans[:1]:
            own = next((origin for (first, end), origin in followed.parts if first <= start < end), None)
            yield own or StepOrigin(source="", title="")


class Without(NamedTuple):
    """What to plan from when a page did not help."""

    request: PlanRequest
    failed: tuple[PageUse, ...]


def without_page(request: PlanRequest) -> Without | None:
    """The request without the page that the failed subtask comes from, and without its work; None where it comes from none."""
    failed = next((s for s in request.plan if s.id == request.failed and s.status is not SubtaskStatus.FULFILLED), None)
    pages = {page_key(origin): origin for origin in failed.origin if origin.source} if failed is not None else {}
    if failed is None or not pages:
        return None
    kept = tuple(s for s in request.plan if s.status is SubtaskStatus.FULFILLED)
    uses = [PageUse(source=source, title=title, failed=True, why=f'"{failed.title}" failed') for source, title in pages]
    anew = {"plan": (), "failed": None, "trigger": "supplied", "given_up": (*request.given_up, *pages)}
    # Another page does not know of what was made, filled in or pressed already.
    changed = any(step.skill in {"fill", "create", "press"} for subtask in kept for step in subtask.steps)
    return None if changed else Without(request.model_copy(update=anew), tuple(uses))
