"""Follow a page that was looked up: the one that fits words which no grammar covers, its slots filled, its steps understood.

All of it or nothing: a page that leaves out a part of the words, wants a value that nobody gave, or has a step that is not
understood is not followed, and why is said. What a page says is data: a plan by it goes through the same review as any other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, NamedTuple

from roles.contracts import USER, AppWords, PageUse, PlanRequest, StepOrigin
from roles.knowledge.pages.playbook import SLOT, Playbook, Step, playbooks_in
from roles.knowledge.words import asked_stems, stems
from roles.policies.rules.pages.handbook import imperatives, page_step
from roles.policies.rules.phrases import Misread, parse_entity
from roles.policies.rules.planning.slots import Filling, facts_found, filled, filling, question_for, reading
from roles.screen.language import clauses as c
from roles.screen.language.goals import Given, Words, taken_apart
from roles.screen.language.lexicon import ID_NOUNS, NOUNS, words_of
from roles.screen.language.masks import Masks
from roles.screen.language.wording import describe
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
_AGAINST = re.compile(
    r"\b(?:not|never|no|without|except|unless|don[’']t|doesn[’']t|instead|rather than|but|only|skip|leave out)\b", re.IGNORECASE
)
"""What narrows or turns a goal round. A page that does not say the same word does not do the same."""
_ONLY_FOR = re.compile(
    r"^(?:applies (?:only )?to|(?:only|not) (?:for|if|when|in|with)|for|you need|you have|have)\s+(?:the\s+)?|\s+only$",
    re.IGNORECASE,
)
_APP_NEEDED = re.compile(
    r"(?:you are in )?(?:the )?(?P<app>[\w -]+?) (?:app|application)(?: is (?:open|there|installed))?", re.IGNORECASE
)
_LEAST = 0.25
_YES = re.compile(r"^\W*(?:yes|y|yep|sure|it does|it is|it holds|true|ok(?:ay)?|right|correct|ja|oui|sí|是|对)\b", re.IGNORECASE)
_NO = re.compile(r"^\W*(?:no|n|nope|it does not|it is not|false|nein|non|否|不)\b", re.IGNORECASE)


class Likeness(NamedTuple):
    """How well a page's words fit a goal's, or why they do not."""

    score: float
    why: str = ""


def likeness(text: str, words: Words, book: Playbook, apps: Sequence[AppWords]) -> Likeness:
    """Every word of the goal that means something has to be spoken of on the page, and one of them in its title."""
    if book.told:
        return Likeness(2.0 if book.title.strip() == text.strip() else 0.0, "the user's answer was about something else")
    page = _page_words(book, apps)
    if (against := _AGAINST.search(words.rest)) and against.group().casefold() not in f"{book.title} {book.page}".casefold():
        return Likeness(0.0, f'the page does not say what "{against.group()}" means for it')
    asked = [word for word in asked_stems(words.rest) if word not in _VAGUE]
    asked += [NOUNS[word] for one in words.given for word in one.called if word in NOUNS]
    title = dict.fromkeys([*asked_stems(_without_slots(book.title)), *asked_stems(book.page)])
    own = list(dict.fromkeys(asked_stems(_without_slots(book.title))))
    named = [word for word in dict.fromkeys(asked) if _among(word, title)]
    if not named:
        return Likeness(0.0, "its title speaks of something else")
    lost = [word for word in asked if not _among(word, {**title, **page})]
    if lost:
        said = next((w for w in words.rest.split() if lost[0] in stems(w)), lost[0])
        return Likeness(0.0, f'it says nothing of "{said.strip(".,;:!?")}"')
    implied = {stem for one in words.given for noun in _nouns_of(one) for stem in stems(noun)}
    covered = sum(1 for word in own if word in _VAGUE or _among(word, dict.fromkeys(asked)) or word in implied) / max(1, len(own))
    if covered < _LEAST:
        return Likeness(0.0, "its title speaks of something else")
    in_title = len(named) / max(1, len(set(asked)))
    return Likeness(0.5 * covered + 0.4 * in_title + (0.1 if _names_app(words.rest, book, apps) else 0.0))


def _page_words(book: Playbook, apps: Sequence[AppWords]) -> dict[str, None]:
    home = app_for(book.app, apps) if book.app else None
    names = [home.app, home.title, *home.words] if home is not None else []
    texts = [book.about, *book.conditions, *(step.text for step in book.steps), *names]
    return dict.fromkeys(stem for text in texts for stem in stems(text.replace("{", " ").replace("}", " ")))


def _without_slots(title: str) -> str:
    return SLOT.sub(" ", title)


def _among(word: str, known: dict[str, None]) -> bool:
    """The same stem; longer words may have grown together or apart (`month-end`, `onboarding`)."""
    if word in known:
        return True
    return len(word) > 4 and any(len(other) > 4 and (other.startswith(word) or word.startswith(other)) for other in known)


def _nouns_of(one: Given) -> list[str]:
    """What a value is: `INV-7` is an invoice and `a.txt` a file, whether or not the goal says so."""
    shaped = ID_NOUNS.get(re.split(r"[-\d]", one.raw)[0].upper()) if one.kind == "id" else None
    said = [shaped, "file" if one.kind == "file" else None, *(NOUNS.get(word) for word in one.called)]
    return [noun for noun in said if noun]


def _names_app(rest: str, book: Playbook, apps: Sequence[AppWords]) -> bool:
    home = app_for(book.app, apps) if book.app else None
    return home is not None and any(name.casefold() in rest.casefold().split() for name in (home.app, home.title))


class Conditions(NamedTuple):
    """What a page's own conditions come to."""

    why: str = ""
    """Why the page is not for this goal."""
    ask: str = ""
    """What the user has to be asked."""
    filters: tuple[tuple[str, str], ...] = ()
    """(noun, attribute) that the record has to have: it is looked for with it."""
    steps: tuple[str, ...] = ()
    """Things to do first."""


def conditions_of(
    book: Playbook, said: Sequence[str], text: str, words: Words, request: PlanRequest, understood: Sequence[Sequence[c.Clause]]
) -> Conditions:
    """The conditions one by one. `said` are their words with slots filled, `understood` what the grammar makes of each."""
    filters: list[tuple[str, str]] = []
    first: list[str] = []
    for condition, clauses in zip(said, understood, strict=True):
        bare = condition.strip(" .")
        narrowing = re.match(r"(?P<how>only|not|applies(?: only)? to|for)\b", bare, re.IGNORECASE)
        if narrowing is None and clauses and not any(isinstance(x, c.Unknown | c.Obey) for x in clauses):
            first.append(bare)
            continue
        refuses = narrowing is not None and narrowing["how"].casefold() == "not"
        found = _narrowed(bare, text, words, request, refuses=refuses)
        if isinstance(found, list):
            filters += found
            continue
        if found:
            return Conditions(why=found)
        question = f'Does this hold for "{text}": "{bare}"? ("{book.title}" of {book.source} wants to know)'
        answer = next((s.text for s in request.supplements if s.source == USER and s.title == question), None)
        if answer is None:
            return Conditions(ask=question, why=f'it cannot be told whether "{bare}" holds')
        if not _YES.match(answer):
            said_no = "the user said that it does not hold" if _NO.match(answer) else f'the user answered "{answer[:60]}"'
            return Conditions(why=f'"{bare}": {said_no}')
    return Conditions(filters=tuple(filters), steps=tuple(first))


def _narrowed(bare: str, text: str, words: Words, request: PlanRequest, *, refuses: bool) -> list[tuple[str, str]] | str:
    """What a condition such as `only for unpaid invoices` wants: attributes to look for, or why it does not hold.

    An empty text where that cannot be told.
    """
    what = _ONLY_FOR.sub("", bare)
    if app := _APP_NEEDED.fullmatch(what):
        there = app_for(app["app"], request.apps) is not None
        if there != refuses:
            return []
        return f"there is no application {app['app']} here" if not there else f'it is "{bare}"'
    masks = Masks()
    try:
        entity = parse_entity(masks.hide_typed(masks.hide_quotes(what)), masks)
    except Misread:
        return ""
    nouns = {noun for one in words.given for noun in _nouns_of(one)}
    nouns |= {NOUNS[word] for word in text.casefold().split() if word in NOUNS}
    if refuses:
        plain = not (entity.filters or entity.name or entity.id or entity.subject)
        if plain and entity.noun and entity.noun in nouns:
            return f'it is "{bare}"'
        return [] if entity.noun and nouns and entity.noun not in nouns else ""
    if entity.noun and nouns and entity.noun not in nouns:
        return f'it is "{bare}", and the goal is about {" and ".join(sorted(nouns))}'
    for value in (entity.name, entity.id):
        if value and value.casefold() not in text.casefold():
            return "" if not entity.noun or value[:1].islower() else f'it is "{bare}", and the goal does not name {value}'
    if entity.noun and not (entity.subject or entity.dated or entity.pick):
        return [(entity.noun, attribute) for attribute in entity.filters]
    rest = [word for word in asked_stems(what)]
    return [] if rest and all(word in set(stems(text)) for word in rest) else ""


_MOST = 40
"""Steps of a page that is followed."""
_RIVAL = 0.15
"""A page that asks nothing is followed before one that fits better by no more than this."""
_PASSING = re.compile(
    r"^(?:if|when|should|in case)\s+(?:an?\s+|the\s+|any\s+)?(?:[\w-]+\s+){0,3}?"
    r"(?:dialog|popup|pop-up|message|warning|window|banner|prompt|notice)\b[^,]*,"
    r"|^(?:if|when)\s+(?:you are |you’re |you're )?(?:asked|prompted)\b[^,]*,",
    re.IGNORECASE,
)
"""A step for what stands in the way: the Operator deals with that by its own rules, not by a page's."""
_ON_SCREEN = (c.ClickOn, c.Enter, c.Complete, c.Select, c.Check, c.Press, c.Commit, c.Search, c.Scroll, c.Sort)


class Followed(NamedTuple):
    """A page as clauses, with where each comes from."""

    clauses: list[c.Clause]
    origins: list[tuple[str, StepOrigin]]
    """Words of a clause, and the step that it stands in."""
    book: Playbook
    left_out: tuple[int, ...] = ()
    """Numbers of steps that can be left out and were."""


class Looked(NamedTuple):
    """What came of looking at all that was found."""

    followed: Followed | None = None
    ask: str = ""
    """A question that only the user can answer; with the answer a page could be followed."""
    uses: tuple[PageUse, ...] = ()


class _Try(NamedTuple):
    book: Playbook
    score: float = 0.0
    followed: Followed | None = None
    ask: str = ""
    why: str = ""


def page_key(origin: StepOrigin | Playbook) -> tuple[str, str]:
    """By what a procedure is told from others in one run."""
    if isinstance(origin, StepOrigin):
        return origin.source, origin.section or origin.title
    return origin.source, origin.title


def follow(
    text: str, request: PlanRequest, *, without: Collection[tuple[str, str]] = (), prefer: Collection[tuple[str, str]] = ()
) -> Looked:
    """The best page for `text` among what was looked up. `without` are those that did not help, `prefer` those in use."""
    tried: list[_Try] = []
    for found in request.supplements:
        books = () if found.hint else playbooks_in(found)
        if not books:
            why = "it is to be no more than a hint" if found.hint else "there are no steps in it"
            tried.append(_Try(Playbook(source=found.source, title=found.title), why=why))
        for book in books:
            if page_key(book) in without:
                tried.append(_Try(book, why="it did not help before in this run"))
                continue
            one = _tried(book, text, request)
            tried.append(one._replace(score=one.score + 1) if one.score and page_key(book) in prefer else one)
    order = sorted((t for t in tried if t.score), key=lambda t: -t.score)
    ready = [t for t in order if t.followed]
    asking = [t for t in order if t.ask and t.ask not in request.looked_up]
    if asking and (not ready or asking[0].score > ready[0].score + _RIVAL):
        return Looked(ask=asking[0].ask, uses=tuple(_uses(tried, None)))
    best = ready[0] if ready else None
    return Looked(best.followed if best else None, uses=tuple(_uses(tried, best)))


def _uses(tried: Sequence[_Try], best: _Try | None) -> Iterator[PageUse]:
    for one in tried:
        if one.book.told:
            continue
        if one is best:
            yield PageUse(source=one.book.source, title=one.book.title, used=True, why=one.why)
        else:
            why = one.why or (f'"{best.book.title}" of {best.book.source} fits better' if best else "its plan was not wanted")
            yield PageUse(source=one.book.source, title=one.book.title, why=why)


def _tried(book: Playbook, text: str, request: PlanRequest) -> _Try:
    if len(book.steps) > _MOST:
        return _Try(book, why=f"it has more than {_MOST} steps")
    if book.doubt:
        return _Try(book, why=book.doubt)
    if book.app and request.apps and app_for(book.app, request.apps) is None:
        return _Try(book, why=f"there is no application {book.app} here")
    opening = frozenset(f"{book.title} {book.page}".casefold().split())
    words = taken_apart(text, _app_names(request), opening)
    like = likeness(text, words, book, request.apps)
    if like.why and not like.score:
        return _Try(book, why=like.why)
    readable = book if request.apps else _on_pages(book)
    made = filling(readable, text, words, request)
    if made.missing:
        slot = made.missing[0]
        return _Try(book, like.score, ask=question_for(slot, text, book), why=f"nothing fills its slot {{{slot}}}")
    return _read(book, readable, text, words, made, request, like.score)


def _on_pages(book: Playbook) -> Playbook:
    """The page with its steps in the words in which pages are spoken of: what it only describes becomes a slot."""
    steps = [
        step.model_copy(update={"text": page_step(step.named or step.text), "named": ""})
        if not (step.optional or _PASSING.match(step.text)) else step
        for step in book.steps
    ]  # fmt: skip
    return book.model_copy(update={"steps": tuple(steps)})


def _app_names(request: PlanRequest) -> frozenset[str]:
    return frozenset(word for app in request.apps for word in (*app.app.casefold().split(), *app.title.casefold().split()))


@dataclass
class _Reader:
    """The steps of one page, understood one after the other: what one finds the next may use."""

    made: Filling
    request: PlanRequest
    texts: list[str]
    numbers: list[int]
    clauses: list[c.Clause]
    left_out: list[int]
    why: str = ""

    def take(self, step: Step) -> bool:
        """Whether the step is understood, or can be left out. Otherwise `why` says what is wrong."""
        if step.optional or _PASSING.match(step.text):
            self.left_out.append(step.number)
            return True
        if not step.text or (step.heads and step.text.endswith(":")):
            return True  # it says what happens, or stands above the steps that say how it is done
        if self._understood(step):
            return True
        if step.heads:
            self.why = ""
        return step.heads

    def _understood(self, step: Step) -> bool:
        """Whether one way to read the step is understood: as it stands, with the names that it shows in bold, without remarks."""
        known = facts_found(self.clauses, self.made.found)
        texts = [step.text, step.named, imperatives(step.text), imperatives(step.named)] if self.request.apps else [step.text]
        ways = [filled(text, self.made, known, by_name=by_name) for text in texts if text for by_name in (False, True)]
        if ways[0] == "":
            self.left_out.append(step.number)
            return True
        for said in dict.fromkeys(ways):
            if said is None:
                self.why = f'step {step.number} wants what no step before it finds: "{step.text}"'
                return False
            clauses = reading([*self.texts, said], self.request)
            bad = _not_to_follow(clauses) or ("is not understood" if clauses == self.clauses else "")
            if not bad:
                self.why = ""
                self.texts.append(said)
                self.numbers += [step.number] * max(0, len(clauses) - len(self.numbers))
                self.clauses = clauses
                return True
            self.why = self.why or f'step {step.number} {bad}: "{said}"'
        return False


def _not_to_follow(clauses: Sequence[c.Clause]) -> str:
    every = [x for clause in clauses for x in _within(clause)]
    if any(isinstance(x, c.Unknown) for x in every):
        return "is not understood"
    if any(isinstance(x, c.Obey) for x in every):
        return "says to do what somebody else demands"
    return ""


def _within(clause: c.Clause) -> Iterator[c.Clause]:
    yield clause
    branches = (*clause.then, *clause.otherwise) if isinstance(clause, c.When) else ()
    for one in clause.body if isinstance(clause, c.ForEach) else branches:
        yield from _within(one)


def _read(
    book: Playbook, readable: Playbook, text: str, words: Words, made: Filling, request: PlanRequest, score: float
) -> _Try:
    """`readable` is the book in words that are understood where it is followed."""
    conditions = [filled(condition, made, {}) or condition for condition in book.conditions]
    plain = conditions if request.apps else [page_step(one) or one for one in conditions]
    needs = conditions_of(book, conditions, text, words, request, [reading([one], request) for one in plain])
    if needs.ask or needs.why:
        return _Try(book, score, ask=needs.ask, why=needs.why)
    reader = _Reader(made, request, [], [], [], [])
    for first in needs.steps:
        reader.take(Step(number=0, text=first if request.apps else page_step(first)))
    for step in readable.steps:
        if not reader.take(step):
            return _Try(book, why=reader.why)
    if not any(not isinstance(x, c.Avoid | c.Open) for x in reader.clauses):
        return _Try(book, why="nothing is to be done by it")
    entity = _entity_in(words)
    placed = _placed([_about(clause, entity) for clause in reader.clauses], book, request)
    clauses = [_with_filters(clause, needs.filters) for clause in placed]
    if lost := _lost(words, clauses, book):
        return _Try(book, why=f'it has no place for "{lost}"')
    origins = [
        (said, book.origin(number) if number else _above(book, needs.steps))
        for number, clause in zip(reader.numbers, clauses, strict=False)
        for part in _within(clause)
        if (said := _worded(c.placeless(part)))
    ]
    hidden = "hidden text in it was left out" if book.hidden else ""
    skipped = f"left out as it can be: step {', '.join(map(str, reader.left_out))}" if reader.left_out else ""
    followed = Followed(clauses, [] if book.told else origins, book, tuple(reader.left_out))
    return _Try(book, score, followed, why="; ".join(part for part in (skipped, hidden) if part))


def _above(book: Playbook, first: Sequence[str]) -> StepOrigin:
    """What the page wants to be done before its steps, as where something comes from."""
    return book.origin(0).model_copy(update={"text": "; ".join(first)[:160]})


def _placed(clauses: Sequence[c.Clause], book: Playbook, request: PlanRequest) -> list[c.Clause]:
    """What names no application is done in the page's own one, until a step names another."""
    home = app_for(book.app, request.apps) if book.app else None
    placed: list[c.Clause] = []
    for clause in clauses:
        if home is not None and clause.app:
            home = None
        placed.append(replace(clause, app=home.title) if home is not None and isinstance(clause, _ON_SCREEN) else clause)
    return placed


def _worded(clause: c.Clause) -> str:
    """What stands of a clause in a subtask's instruction."""
    if isinstance(clause, c.When):
        return describe(c.Compute(formula=clause.formula, name=clause.name))
    return "" if isinstance(clause, c.ForEach) else describe(clause)


def _lost(words: Words, clauses: Sequence[c.Clause], book: Playbook) -> str:
    """A value of the goal that stands neither in what is done nor on the page itself."""
    done = " ".join(_worded(part) for clause in clauses for part in _within(clause)).casefold()
    page = " ".join([book.title, book.page, *book.conditions, *(step.text for step in book.steps)]).casefold()
    return next((one.raw for one in words.given if _written(one.raw) not in done and one.raw.casefold() not in page), "")


def _written(raw: str) -> str:
    return raw.replace("\\", "\\\\").replace('"', '\\"').casefold()


def _entity_in(words: Words) -> c.Entity:
    """The one record that the goal speaks of by an id, else by a name."""
    for kind in ("id", "name"):
        fits = [one for one in words.given if one.kind == kind]
        if len(fits) == 1:
            noun = ID_NOUNS.get(re.split(r"[-\d]", fits[0].raw)[0].upper()) if kind == "id" else None
            called = next((NOUNS[word] for word in fits[0].called if word in NOUNS), "")
            return c.Entity(noun or called, fits[0].raw) if kind == "id" else c.Entity(called, name=fits[0].raw)
    return c.NOTHING


def _about(clause: c.Clause, entity: c.Entity) -> c.Clause:
    """`the invoice` of a page is the invoice of the goal."""
    if not isinstance(clause, c.Read | c.OpenItem | c.Delete) or clause.entity.specific or not entity.specific:
        return clause
    if clause.entity.noun and entity.noun and clause.entity.noun != entity.noun:
        return clause
    return replace(clause, entity=replace(entity, noun=clause.entity.noun or entity.noun))


def _with_filters(part: Any, filters: Sequence[tuple[str, str]]) -> Any:
    """Records of a kind that the page wants to have an attribute are looked for with it: one without it is not found."""
    if not filters:
        return part
    if isinstance(part, c.Entity):
        more = tuple(attribute for noun, attribute in filters if noun == part.noun and attribute not in part.filters)
        return replace(part, filters=(*part.filters, *more)) if more else part
    if isinstance(part, tuple):
        return tuple(_with_filters(inner, filters) for inner in part)
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{f.name: _with_filters(getattr(part, f.name), filters) for f in fields(part)})
    return part
