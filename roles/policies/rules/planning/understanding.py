"""What a goal comes to: what the grammar reads in it, and pages that were looked up for the words that it does not."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from rapidfuzz import fuzz

from roles.contracts import AppWords, PageUse, PlanRequest, StepOrigin, Subtask
from roles.policies.rules.grammar import describe, parse
from roles.policies.rules.pages.reading.forms import understand
from roles.policies.rules.phrases import Misread, kind_of, own_record, take_place
from roles.policies.rules.planning.playbook import Followed, Looked, follow, page_key
from roles.policies.rules.planning.stages import unknown_within
from roles.screen.language import clauses as c
from roles.screen.language.masks import Masks

_WISH = re.compile(
    r"^(?:please\s+|kindly\s+)*(?:(?:i|we)(?:\s+would|[’']d)?\s+(?:like|want|need)\s+(?:you\s+)?to\s+)?", re.IGNORECASE
)
_NO_DEED = (
    "be|do|have|if|is|are|let|not|use|follow|make|go|prepare|what|which|who|whose|how|when|where|why|there|this|that|the|for|in|on"
)
_DEED = re.compile(
    rf"^(?P<verb>(?!(?:{_NO_DEED})\b)[a-z]{{3,}}(?:\s(?:back|out|in|up|off|down|away))?)"
    r"\s+(?P<what>.+?)(?:\s+as\s+(?P<state>[a-z]+(?:\s[a-z]+)?))?[\s.!]*$",
    re.IGNORECASE,
)
_AND_IT = re.compile(
    r"^(?P<first>.+?),?\s+(?:and\s+then|and|then)\s+(?P<then>[a-z]+\s+(?:it|this|that)(?:\s+as\s+[a-z ]+)?)$", re.IGNORECASE
)
_IT = re.compile(r"^(?:it|this|that)$", re.IGNORECASE)
_MORE = re.compile(r"(?:under|against|into|onto|via|per|using|through|towards?|within)\b", re.IGNORECASE)
"""After the id of a record these begin what is to come of the deed, not a name: `Expense invoice INV-7 under "Travel"`."""
_BACK_TO = re.compile(r"\s+(?:to|from|in|at|into|out of)\s+(?:the\s+|my\s+)?(?P<place>[A-Za-z]+)$")


def with_deeds(clauses: Sequence[c.Clause], looked_up: Collection[str], apps: Sequence[AppWords]) -> list[c.Clause]:
    """The clauses, with a deed for those words that were looked up in vain and name a record; also within branches."""
    found: list[c.Clause] = []
    for clause in clauses:
        if isinstance(clause, c.When):
            then, otherwise = (tuple(with_deeds(part, looked_up, apps)) for part in (clause.then, clause.otherwise))
            found.append(replace(clause, then=then, otherwise=otherwise))
        elif isinstance(clause, c.ForEach):
            found.append(replace(clause, body=tuple(with_deeds(clause.body, looked_up, apps))))
        elif isinstance(clause, c.Unknown) and clause.text in looked_up:
            found += offered(clause.text, apps, _last_of(found)) or [clause]
        else:
            found.append(clause)
    return found


def _last_of(clauses: Sequence[c.Clause]) -> c.Entity:
    entities = [entity for x in clauses if isinstance(entity := getattr(x, "entity", None), c.Entity) and entity.specific]
    return entities[-1] if entities else c.NOTHING


def offered(text: str, apps: Sequence[AppWords], it: c.Entity = c.NOTHING) -> list[c.Clause] | None:
    """`Borrow the book "X"`, `Mark shipment S-7 as delivered`, `open "X" and borrow it`; None where no record is named."""
    words = _WISH.sub("", text.strip())
    if match := _AND_IT.match(words):
        first = parse(match["first"], apps)
        if not first or any(isinstance(x, c.Unknown) for x in first):
            return None
        then = _deed(match["then"], apps, _last_of(first))
        return [*first, *then] if then else None
    return _deed(words, apps, it)


def _deed(words: str, apps: Sequence[AppWords], it: c.Entity) -> list[c.Clause] | None:
    masks = Masks()
    match = _DEED.match(masks.hide_typed(masks.hide_quotes(words)))
    if match is None:
        return None
    verb = f"{match['verb']} as {match['state']}" if match["state"] else match["verb"]
    what, app = _placed(match["what"], masks, apps)
    if _IT.match(what):
        return [c.Act(app, verb.casefold(), it)] if it.specific else None
    try:
        entity = own_record(what, masks, apps)
    except Misread:
        return None
    if not entity.specific or (entity.id and _MORE.match(entity.name)):
        return None
    return [c.Act(app, verb.casefold(), entity)]


def _placed(what: str, masks: Masks, apps: Sequence[AppWords]) -> tuple[str, str]:
    """`the book X from the library`: the application is where it is done."""
    bare = _BACK_TO.search(what)
    if bare and kind_of(bare["place"], apps):
        return what[: bare.start()], bare["place"]
    return take_place(what, masks, apps)


OWN = StepOrigin(source="", title="")
"""Of what stands in the goal itself."""
_ALIKE = 80


class Part(NamedTuple):
    """One clause, and the page that it is from."""

    clause: c.Clause
    book: tuple[str, str] | None = None


class Understood(NamedTuple):
    """The clauses of a goal, or the words in it that nobody understands."""

    parts: tuple[Part, ...] = ()
    origins: tuple[tuple[str, StepOrigin], ...] = ()
    """Words of a clause as they stand in an instruction, and where it comes from."""
    unknown: str = ""
    ask: str = ""
    """A question to the user, with whose answer a page could be followed."""
    uses: tuple[PageUse, ...] = ()

    @property
    def clauses(self) -> list[c.Clause]:
        return [part.clause for part in self.parts]

    @property
    def by_page(self) -> bool:
        return any(part.book for part in self.parts)


def understood(request: PlanRequest, without: Collection[tuple[str, str]] = ()) -> Understood:
    """The goal by the grammar, and its unknown words by pages; those that did not help in this run are left aside."""
    if not request.apps and any(origin.source for subtask in request.plan for origin in subtask.origin):
        return _by_page_alone(request, without)
    clauses: Sequence[c.Clause] = parse(request.goal, request.apps, [f.name for f in request.facts])
    if not request.apps and (not clauses or any(isinstance(x, c.Unknown) for x in clauses) or understand(request.goal)):
        return _by_page_alone(request, without)
    if any(isinstance(x, c.When | c.ForEach) for x in clauses):
        clauses = with_deeds(clauses, request.looked_up, request.apps)
    if (hidden := unknown_within(clauses)) is not None:
        return Understood(unknown=hidden.text)
    strange = [clause.text for clause in clauses if isinstance(clause, c.Unknown)]
    if not strange:
        return Understood(tuple(Part(clause) for clause in clauses))
    aside = {*request.given_up, *without}
    used = {page_key(origin) for subtask in request.plan for origin in subtask.origin if origin.source}
    looked = {text: follow(text, request, without=aside, prefer=used) for text in dict.fromkeys([request.goal, *strange])}
    if (whole := looked[request.goal].followed) is not None:
        return _made([whole], looked[request.goal].uses)
    uses = _together(looked.values())
    in_vain = [text for text in strange if looked[text].followed is None]
    ask = next((one.ask for one in looked.values() if one.ask), "")
    asked = bool(ask) or not {*request.looked_up} <= {request.goal, *strange}  # a page would be followed, were more known
    deeds = with_deeds(clauses, () if asked else {*in_vain} & {*request.looked_up}, request.apps)
    left = [x.text for x in deeds if isinstance(x, c.Unknown)]
    lost = next((text for text in in_vain if text in left), "")
    if lost:
        return Understood(unknown=lost, ask=ask, uses=uses)
    return _made([looked[x.text].followed or x if isinstance(x, c.Unknown) else x for x in deeds], uses)


def _by_page_alone(request: PlanRequest, without: Collection[tuple[str, str]]) -> Understood:
    """Where no applications can be named, a page is for all of the goal or for none of it."""
    used = {page_key(origin) for subtask in request.plan for origin in subtask.origin if origin.source}
    looked = follow(request.goal, request, without={*request.given_up, *without}, prefer=used)
    if looked.followed is not None:
        return _made([looked.followed], looked.uses)
    return Understood(unknown=request.goal, ask=looked.ask, uses=looked.uses)


def _made(said: Sequence[c.Clause | Followed], uses: tuple[PageUse, ...]) -> Understood:
    parts: list[Part] = []
    origins: list[tuple[str, StepOrigin]] = []
    for one in said:
        if isinstance(one, Followed):
            parts += [Part(clause, page_key(one.book)) for clause in one.clauses]
            origins += one.origins
        else:
            parts.append(Part(one))
            origins += [] if isinstance(one, c.When | c.ForEach | c.Unknown) else [(describe(c.placeless(one)), OWN)]
    return Understood(tuple(parts), tuple(origins), uses=uses)


def _together(looked: Collection[Looked]) -> tuple[PageUse, ...]:
    """One word for each page: a page that some words of the goal use is used."""
    said: dict[tuple[str, str], PageUse] = {}
    for one in looked:
        for use in one.uses:
            key = (use.source, use.title)
            if key not in said or use.used:
                said[key] = use
    return tuple(said.values())


def with_origins(subtasks: Sequence[Subtask], found: Understood) -> list[Subtask]:
    """Each subtask with the steps that it comes from; nothing is said of one that is the goal's own."""
    if not any(origin.source for _, origin in found.origins):
        return list(subtasks)
    return [subtask.model_copy(update={"origin": tuple(dict.fromkeys(_of(subtask, found)))}) for subtask in subtasks]


def _of(subtask: Subtask, found: Understood) -> Iterator[StepOrigin]:
    exact = [origin for words, origin in found.origins if f"{words}." in subtask.instruction]
    told = subtask.instruction.casefold()
    alike = exact or [origin for words, origin in found.origins if fuzz.partial_ratio(words.casefold(), told) >= _ALIKE]
    chosen = alike or [origin for _, origin in found.origins]
    if any(origin.source for origin in chosen):
        yield from chosen
