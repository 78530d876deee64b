"""Follow a page that was looked up: its steps, with the slots filled from the goal, stand for the words that were not understood.

All of it or nothing: a page that leaves out a part of the words, wants a value that nobody gave, or has a step that is not
understood is not followed, and why is said. What a page says is data: a plan by it goes through the same review as any other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from environments.cards import vocabulary
from roles.contracts import USER, PageUse, PlanRequest, StepOrigin, Subtask, Supplement
from roles.contracts.orders import Reading, Span
from roles.contracts.orders import Step as TypedStep
from roles.contracts.signals import SubtaskStatus
from roles.knowledge.pages.documents import asked_stems, stems, words_of
from roles.knowledge.pages.filling import Filling, Given, by_title, filled, filling, question_for, typed_filled, values_in
from roles.knowledge.pages.playbook import SLOT, Playbook, Step, playbooks_in
from roles.knowledge.pages.typed import BadSteps, block, grounded
from roles.screen.language.reader import read
from roles.screen.language.words import BREAKS, Words
from roles.screen.matching import app_for

_VAGUE = frozenset(
    stem
    for word in words_of(
        "thing stuff usual usually normal normally always way procedure process routine playbook checklist handle take care deal"
        " follow followed carry out perform run work complete finish according handbook guide help page manual steps step"
        " described written says say said as per same again standard properly required needed necessary today now time whole"
        " everything all every each new one job task kindly go through start begin proceed due usual customary ritual"
        " give apply put"
    )
    for stem in stems(word)
)
"""Words by which a goal refers to a procedure without saying anything of it."""
_NARROWING = ("negations", "exceptions", "without", "no", "not", "conditions", "if_so", "if_not", "or", "all", "both")
"""What narrows a goal, turns it round or asks for many. A page that does not say the same word does not do the same."""
_ALSO_NARROWING = frozenset({"but", "only", "instead", "rather", "skip", "half"})
_PASSING = re.compile(
    r"(?:if|when|should|in case)\s+(?:an?\s+|the\s+|any\s+)?(?:[\w-]+\s+){0,3}?"
    r"(?:dialog|popup|pop-up|message|warning|window|banner|prompt|notice)\b[^,]*,"
    r"|(?:if|when)\s+(?:you are |you’re |you're )?(?:asked|prompted)\b[^,]*,",
    re.IGNORECASE,
)
"""A step for what stands in the way: the Operator deals with that by its own rules, not by a page's."""
_APP_NEEDED = re.compile(r"(?:requires\s+)?(?:the\s+)?([\w -]+?) (?:app|application)(?: is (?:open|there|installed))?", re.I)
_ONLY = re.compile(r"(?:applies (?:only )?to|only (?:for|if|when|in|with)|for)\s+|\s+only$", re.IGNORECASE)
_YES = re.compile(r"\W*(?:yes|y|yep|sure|it does|it is|it holds|true|ok(?:ay)?|right|correct)\b", re.IGNORECASE)
_LEAST = 0.25
_RIVAL = 0.15
"""A page that asks nothing is followed before one that fits better by no more than this."""
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
    goal = reading.goal
    whole = _best(goal, request) if not (reading.orders and reading.unread) else _Looked()
    if whole.best is not None and whole.best.ready:
        said, of_whole = _spliced("", whole.best)
        return Followed(said if whole.best.said else "", whole.best.steps, "", whole.uses, of_whole)
    ask, uses, text, at, parts = whole.ask, list(whole.uses), "", 0, list[tuple[Span, StepOrigin]]()
    for spans in _strange(reading):
        looked = [_best(goal[start:end], request) for start, end in spans]
        uses += [use for one in looked for use in one.uses]
        ask = next((one.ask for one in looked if one.ask), ask)
        fits = next(((one.best, span) for one, span in zip(looked, spans, strict=True) if one.best and one.best.said), None)
        if fits is None:
            return Followed(ask=ask, uses=_together(uses))
        text, more = _spliced(text + goal[at : fits[1][0]], fits[0])
        parts, at = [*parts, *more], fits[1][1]
    return Followed(text + goal[at:] if parts else "", (), ask, _together(uses), tuple(parts))


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
        end = start + len(sentence.strip().rstrip(" .!"))
        found.append(list(dict.fromkeys([(start, end), (inner, inner + len(bare))])))
    return found


def _spliced(before: str, best: _Try) -> tuple[str, tuple[tuple[Span, StepOrigin], ...]]:
    """The words before, with the page's steps behind them as sentences of their own."""
    if best.steps:
        return before, tuple(((n, n + 1), best.book.origin(n + 1)) for n in range(len(best.steps)))
    text, parts = re.sub(r"[\s,]*(?:\b(?:and|then))?[\s,]*$", "", before), list[tuple[Span, StepOrigin]]()
    for said, step in best.said:
        text = f"{text}{'' if not text or text.endswith(('.', '!', '?')) else '.'} ".lstrip()
        parts.append(((len(text), len(text) + len(said)), best.book.origin(step.number)))
        text += said
    return text, () if best.book.told else tuple(parts)


class _Looked(NamedTuple):
    best: _Try | None = None
    ask: str = ""
    uses: tuple[PageUse, ...] = ()


def _best(text: str, request: PlanRequest) -> _Looked:
    used = {page_key(origin) for subtask in request.plan for origin in subtask.origin if origin.source}
    tried: list[_Try] = []
    for found in request.supplements:
        books = () if found.hint else playbooks_in(found)
        if not books:
            why = "it is to be no more than a hint" if found.hint else "there are no steps in it"
            tried.append(_Try(Playbook(source=found.source, title=found.title), why=why))
        for book in books:
            if page_key(book) in request.given_up:
                tried.append(_Try(book, why="it did not help before in this run"))
                continue
            one = _tried(book, text, request)
            tried.append(one._replace(score=one.score + 1) if one.score and page_key(book) in used else one)
    order = sorted((t for t in tried if t.score), key=lambda t: -t.score)
    ready = [t for t in order if t.ready]
    asking = [t for t in order if t.ask and t.ask not in request.looked_up]
    if asking and (not ready or asking[0].score > ready[0].score + _RIVAL):
        return _Looked(ask=asking[0].ask, uses=tuple(_uses(tried, None)))
    best = ready[0] if ready else None
    return _Looked(best, uses=tuple(_uses(tried, best)))


def _uses(tried: Sequence[_Try], best: _Try | None) -> Iterator[PageUse]:
    for one in tried:
        if not one.book.told:
            other = f'"{best.book.title}" of {best.book.source} fits better' if best else "its plan was not wanted"
            why = one.why if one is best else one.why or other
            yield PageUse(source=one.book.source, title=one.book.title, used=one is best, why=why)


def _together(uses: Collection[PageUse]) -> tuple[PageUse, ...]:
    """One word for each page: a page that some words of the goal use is used."""
    said: dict[tuple[str, str], PageUse] = {}
    for use in uses:
        if (use.source, use.title) not in said or use.used:
            said[use.source, use.title] = use
    return tuple(said.values())


def _tried(book: Playbook, text: str, request: PlanRequest) -> _Try:
    if len(book.steps) > _MOST:
        return _Try(book, why=f"it has more than {_MOST} steps")
    if book.doubt:
        return _Try(book, why=book.doubt)
    if book.app and request.apps and app_for(book.app, request.apps) is None:
        return _Try(book, why=f"there is no application {book.app} here")
    opening = {word for words in (book.title, book.page) for word in words.casefold().split()}
    opening |= {name.casefold() for app in request.apps for name in (app.app, app.title)}
    values = values_in(text, opening)
    titled = by_title(book, text, values)
    score, why = (1.5, "") if titled else _likeness(text, values, book, request)
    if why:
        return _Try(book, why=why)
    made = filling(book, text, values, request.supplements, titled)
    if made.missing:
        slot = made.missing[0]
        return _Try(book, score, ask=question_for(slot, text, book), why=f"nothing fills its slot {{{slot}}}")
    ask, why = _conditions(book, made, text, values, request)
    if ask or why:
        return _Try(book, score if ask else 0.0, ask=ask, why=why)
    tried = _typed(book, made, score, request) if book.typed else _worded(book, made, score, request)
    if tried.ready and (lost := _lost(values, tried)):
        return _Try(book, why=f'it has no place for "{lost}"')
    return tried


def _likeness(text: str, values: Sequence[Given], book: Playbook, request: PlanRequest) -> tuple[float, str]:
    """How well a page fits, or why it does not: every word of the goal that means something has to be spoken of on it."""
    if book.told:
        return (2.0, "") if book.title.strip() == text.strip() else (0.0, "the user's answer was about something else")
    titled = f"{book.title} {book.page}"
    if against := _narrowed(text, values, titled):
        return 0.0, f'the page does not say what "{against}" means for it'
    home = app_for(book.app, request.apps) if book.app else None
    names = [home.app, home.title, *home.words] if home is not None else []
    bodies = [book.about, *book.conditions, *(step.text for step in book.steps), *names]
    page = {stem for body in bodies for stem in stems(body.replace("{", " ").replace("}", " "))}
    rest = _without(text, values)
    asked = [word for word in asked_stems(rest) if word not in _VAGUE]
    own = set(asked_stems(SLOT.sub(" ", book.title)))
    title = own | set(asked_stems(SLOT.sub(" ", book.page)))
    named = {word for word in asked if _among(word, title)}
    exact = bool(own) and own == set(asked_stems(rest))
    if not named and not exact:
        return 0.0, "its title speaks of something else"
    if lost := next((word for word in asked if not _among(word, title | page)), ""):
        said = next((w for w in rest.split() if lost in stems(w)), lost)
        return 0.0, f'it says nothing of "{said.strip(".,;:!?")}"'
    covered = sum(word in _VAGUE or _among(word, set(asked)) for word in own) / max(1, len(own))
    if covered < _LEAST:
        return 0.0, "its title speaks of something else"
    here = home is not None and {home.app.casefold(), home.title.casefold()} & set(rest.casefold().split())
    return 0.5 * covered + 0.4 * len(named) / max(1, len(set(asked))) + (0.1 if here else 0.0), ""


def _without(text: str, values: Sequence[Given]) -> str:
    for one in reversed(values):
        text = f"{text[: one.start]} {text[one.end :]}"
    return " ".join(text.split())


def _narrowed(text: str, values: Sequence[Given], titled: str) -> str:
    """The word that makes of a goal less or something else than the page is for."""
    words = Words(text)
    for at, token in enumerate(words.list):
        inside = any(one.start <= token.start < one.end for one in values)
        narrows = token.lower in _ALSO_NARROWING or words.take(at, *_NARROWING) is not None
        if narrows and not inside and token.lower not in titled.casefold().split():
            return token.text
    return ""


def _among(word: str, known: Collection[str]) -> bool:
    """The same stem; longer words may have grown together or apart (`month-end`, `onboarding`)."""
    if word in known:
        return True
    return len(word) > 4 and any(len(other) > 4 and (other.startswith(word) or word.startswith(other)) for other in known)


def _conditions(book: Playbook, made: Filling, text: str, values: Sequence[Given], request: PlanRequest) -> tuple[str, str]:
    """What the user has to be asked of a page's own conditions, and why it is not for this goal; both empty where it is."""
    nouns = {stem for one in values for word in (*one.called, one.kind) for stem in stems(word)} | set(stems(text))
    for condition in book.conditions:
        bare = (filled(condition, made, ()) or condition).strip(" .")
        if app := _APP_NEEDED.fullmatch(_ONLY.sub("", bare)):
            if app_for(app[1], request.apps) is None:
                return "", f"there is no application {app[1]} here"
            continue
        wanted = asked_stems(_ONLY.sub("", bare))
        if _ONLY.match(bare) and wanted and set(wanted) <= nouns:
            continue
        question = f'Does this hold for "{text}": "{bare}"? ("{book.title}" of {book.source} {WANTS} to know)'
        answer = next((s.text for s in request.supplements if s.source == USER and s.title == question), None)
        if answer is None:
            return question, f'it cannot be told whether "{bare}" holds'
        if not _YES.match(answer):
            return "", f'"{bare}": the user answered "{answer[:60]}"'
    return "", ""


WANTS = "wants"


def answers_page(found: Supplement, goal: str) -> bool:
    """Whether it is what the user said for a page, or in the place of one: it is no part of the goal's own words."""
    for_page = found.title.endswith((f"{WANTS} it)", f"{WANTS} to know)"))
    return found.source == USER and (for_page or found.title.strip(" .") in goal)


def _worded(book: Playbook, made: Filling, score: float, request: PlanRequest) -> _Try:
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
        at, bad = 0, said[-1][1].number if said else 0
        for words, step in said:
            at += len(words) + 1
            if reading.unread and reading.unread[0].span[0] < at:
                bad = step.number
                break
        told = reading.asks[0] if reading.asks else f'"{reading.unread[0].text}"'
        return _Try(book, why=f"its step {bad} is not understood: {told}")
    if not any(not order.negated for order in reading.orders):
        return _Try(book, why="nothing is to be done by it")
    left = [str(step.number) for step in book.steps if step.optional]
    skipped = f"left out as it can be: step {', '.join(left)}" if left else ""
    hidden = "hidden text in it was left out" if book.hidden else ""
    return _Try(book, score, tuple(said), why="; ".join(part for part in (skipped, hidden) if part))


def _typed(book: Playbook, made: Filling, score: float, request: PlanRequest) -> _Try:
    try:
        return _Try(book, score, steps=grounded(typed_filled(book.typed, made), request.cards))
    except BadSteps as bad:
        return _Try(book, why=str(bad))


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
    return Without(request.model_copy(update=anew), tuple(uses)) if not _changed(kept) else None


def _changed(kept: Sequence[Subtask]) -> bool:
    """Whether something was made, filled in or pressed already: another page does not know of that."""
    return any(step.skill in {"fill", "create", "press"} for subtask in kept for step in subtask.steps)
