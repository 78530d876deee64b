"""Who says a value that is put on the blackboard, and how much of the blackboard a prompt is told.

Every fact stays in the journal. A prompt is told no more than a cap allows: first what the goal or a live subtask refers to,
then what the user said and what sources disagree about, then the newest. The rest is counted, in few lines.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from protocol import VisualState
from roles.contracts import FactKnown, FieldHas, Subtask, Supplement
from roles.contracts.facts import USER, Board, BoardSettings, Fact, FactSource, OtherValue, normal, source_told
from roles.contracts.signals import SubtaskStatus
from roles.journal.journal import Journal
from roles.safety.case import NOTHING, Grounds, held_by, screen_of, stands_in
from roles.safety.privacy.vault import is_reference, references_in

_ANSWERED: frozenset[FactSource] = frozenset({"api", "agent", "tool", "script", "file"})
"""Sources that say more than one value at a time."""
_SHOWN = frozenset({"demonstration", "experience"})
"""Kinds of supplements in which somebody shows how it is done."""
_USED = 8


class Origin(NamedTuple):
    """Who or what says a value."""

    source: FactSource
    name: str = ""
    used: tuple[str, ...] = ()

    def of(self, fact: Fact) -> Fact:
        """The fact, with this as its source."""
        return fact.model_copy(update={"source": self.source, "source_name": self.name, "used": self.used or fact.used})


def found(value: str, screen: VisualState | None, grounds: Grounds) -> Origin:
    """The first of all that has the whole value in it: the screen before tools, documents, facts and the user's words."""
    if not value.strip():
        return Origin("model")
    if screen is not None and screen_of(value, NOTHING, screen) is not None:
        return Origin("screen", screen.app or "")
    holding = [fact for fact in grounds.facts if held_by(fact, value)]
    for fact in reversed(holding):
        if fact.source in _ANSWERED:
            return Origin(fact.source, fact.source_name, (fact.name,))
    for supplement in reversed([*grounds.supplements()]):
        if stands_in(value, supplement.text):
            return Origin(*_document(supplement))
    if holding:
        return Origin("facts", used=tuple(fact.name for fact in holding)[-_USED:])
    if any(stands_in(value, said) for said in grounds.said()):
        return Origin("user")
    return _joined(value, screen, grounds) or Origin("model")


_BETWEEN = re.compile(r"\s*(?:[\n;|·,()/]|:\s|\s[-–—]\s)\s*")
_LEAST_PART = 2
"""Characters that a part must have: a single figure stands on every screen."""
_MOST_PARTS = 200


def _joined(value: str, screen: VisualState | None, grounds: Grounds) -> Origin | None:
    """Who says the parts of a value that is made of several, where somebody says each."""
    parts = [part for part in dict.fromkeys(_BETWEEN.split(value)) if part]
    if not 1 < len(parts) <= _MOST_PARTS or any(len(part) < _LEAST_PART for part in parts):
        return None
    seen = [screen] if screen is not None else []
    shown = [_amounts(f"{e.text or ''} {e.value or ''}") for state in (*seen, *grounds.screens()) for e in state.elements]
    amounts = frozenset[str]().union(*shown, *(_amounts(fact.value) for fact in grounds.facts if fact.source in _ANSWERED))
    told = [found(part, screen, grounds) for part in parts if not (_FIGURE.fullmatch(part) and _amounts(part) <= amounts)]
    if any(origin.source == "model" for origin in told):
        return None
    used = tuple(dict.fromkeys(name for origin in told for name in origin.used))[-_USED:]
    kinds = {(origin.source, origin.name) for origin in told} or {("screen", (screen.app or "") if screen is not None else "")}
    return Origin(*kinds.pop(), used) if len(kinds) == 1 else Origin("facts", used=used)


_FIGURE = re.compile(r"[^\w\s]?\s?\d[\d.,]*\d\s?[^\w\s]?")


def _amounts(text: str) -> frozenset[str]:
    """The figures in a text, without what stands between thousands."""
    return frozenset(figure.replace(",", "") for figure in re.findall(r"\d[\d.,]*\d", text))


def _document(supplement: Supplement) -> tuple[FactSource, str]:
    if supplement.source == "user":
        return "user", ""
    named = f"{supplement.title} ({supplement.source})"
    return ("demonstration" if supplement.kind in _SHOWN else "document"), named


LINE = 240
"""Characters of a line that tells a fact."""
_SUMMARY_SHARE = 4
"""One part in so many of the characters is for what is left out."""
_TOLD = 40
_FOUND = 4
_VALUE = 60
_RANGED = frozenset({"money", "number", "date", "time"})


def value_told(fact: Fact | OtherValue) -> str:
    """The value; of a private one no more than its reference."""
    return "(hidden)" if fact.private and not is_reference(fact.value) else fact.value


def fact_told(fact: Fact, length: int = LINE) -> str:
    """A fact: the value, its kind and what it comes to, who says so, and what others say; on one line where it is cut."""
    about, said = about_told(fact), f"{fact.name} = {value_told(fact)}"
    whole = len(said) <= length
    value = (said if length > LINE else _cut(said, LINE)) if whole else f"{_cut(said, length)} ({len(said) - length:,} more)"
    return value + (_cut(f" ({about})", LINE) if about else "")


def about_told(fact: Fact) -> str:
    """What is known of a fact beside its value."""
    one = "" if fact.private or references_in(fact.value) else normal(fact.value, fact.kind)
    kind = "" if fact.kind == "text" else f"{fact.kind}{' ' + one if one and one != fact.value else ''}"
    where = source_told(fact) + (f" at step {fact.step}" if fact.step else "")
    about = "; ".join(part for part in (kind, where.strip(), fact.reason) if part)
    others = "".join(f"; but {source_told(said) or said.role} says {_short(value_told(said))}" for said in fact.instead)
    return f"{about}{others}"


def outcome_told(subtask: Subtask, facts: Iterable[Fact]) -> str:
    """A subtask that has ended: how, and what it has noted."""
    found = [fact for fact in facts if fact.subtask == subtask.id and fact.kind != "result"]
    said = ", ".join(f"{fact.name} = {_short(value_told(fact))}" for fact in found[:_FOUND])
    more = f" and {len(found) - _FOUND} more" if len(found) > _FOUND else ""
    return f"{subtask.title}: {subtask.status.value}" + (f"; found {said}{more}" if found else "")


def _short(value: str) -> str:
    return _cut(value, _VALUE)


def _cut(text: str, length: int) -> str:
    flat = " ".join(text.split())
    lead = " " if text.startswith(" ") else ""
    return lead + (flat if len(flat) <= length else f"{flat[: length - 1]}…")


class BlackboardRequest(Protocol):
    """A request, as far as the blackboard goes."""

    @property
    def facts(self) -> tuple[Fact, ...]: ...
    @property
    def board(self) -> Board | None: ...


def board_in(request: BlackboardRequest) -> Board:
    """As much of the blackboard as may be told; the latest facts where nobody has said how much."""
    if request.board is not None:
        return request.board
    more = len(request.facts) - _TOLD
    return Board(facts=request.facts[-_TOLD:], left_out=(f"{more} older facts are left out",) if more > 0 else ())


def live_names(facts: Iterable[Fact], live: Iterable[Subtask], *texts: str) -> frozenset[str]:
    """Names of facts that the goal, or a subtask that is still to be done, refers to."""
    wanted: set[str] = set()
    said = [*texts]
    for subtask in (s for s in live if s.status.is_open):
        said += [subtask.title, subtask.instruction, *subtask.hints]
        for expected in subtask.expect:
            if isinstance(expected, FactKnown):
                wanted.add(expected.name.casefold())
            elif isinstance(expected, FieldHas):
                wanted.add((expected.fact or "").casefold())
    words = " ".join(_words(text) for text in said)
    return frozenset(f.name for f in facts if f.name.casefold() in wanted or (_words(f.name) and _words(f.name) in words))


def _words(text: str) -> str:
    """The words of a text, each between spaces, so that one is never found within another."""
    found = re.findall(r"\w+", text.casefold())
    return f" {'  '.join(found)} " if found else ""


def board_of(facts: Sequence[Fact], live: Callable[[], Iterable[Subtask]], settings: BoardSettings, *texts: str) -> Board:
    """As many facts as the cap allows, in their order, and lines about those that it does not.

    What a live subtask refers to is always told, over the cap if it must be; nothing else ever goes over it.
    """
    lengths = {fact.name: len(fact_told(fact)) + 3 for fact in facts}
    if len(facts) <= settings.most and sum(lengths.values()) <= settings.characters:
        return Board(facts=tuple(facts))
    named = live_names(facts, live(), *texts)
    kept = {name for name in lengths if name in named}
    room = settings.characters - settings.characters // _SUMMARY_SHARE - sum(lengths[name] for name in kept)
    for fact in sorted((f for f in facts if f.name not in kept), key=_rank):
        if len(kept) >= settings.most or lengths[fact.name] > room:
            continue
        kept.add(fact.name)
        room -= lengths[fact.name]
    left = [fact for fact in facts if fact.name not in kept]
    lines = _left_out(left, settings.characters // _SUMMARY_SHARE) if left else ()
    return Board(facts=tuple(fact for fact in facts if fact.name in kept), left_out=lines)


def board_for_worker(
    facts: Sequence[Fact], delegation: Mapping[str, Any], subtask: Subtask, journal: Journal, settings: BoardSettings
) -> Board:
    """Nothing is left out that the worker's own subtask, another live one or the goal refers to."""

    def live() -> tuple[Subtask, ...]:
        ids = {*delegation.get("live", ())} - {subtask.id}
        plan = journal.plan(int(delegation.get("plan_version", 0))) if ids else ()
        own = subtask.model_copy(update={"status": SubtaskStatus.PENDING})
        return (own, *(s.model_copy(update={"status": SubtaskStatus.READY}) for s in plan if s.id in ids))

    return board_of(facts, live, settings, str(delegation.get("goal", "")))


def _rank(fact: Fact) -> tuple[bool, bool, int, str]:
    """What is told first comes first; by the fact alone, so that the order in which facts came makes no difference."""
    return (not (fact.question or fact.role == USER), not fact.instead, -fact.step, fact.name)


def _left_out(facts: Sequence[Fact], room: int) -> tuple[str, ...]:
    """How many of which subtask are not told, under which names, between which values; the rest of them in one number."""
    by_subtask: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        by_subtask[fact.subtask].append(fact)
    groups = sorted(by_subtask.items(), key=lambda group: (-max(fact.step for fact in group[1]), group[0]))
    rest = f"{len(facts)} more facts are left out"
    lines: list[str] = []
    told = 0
    for subtask, found in groups:
        line = _cut(_group_told(subtask, found), LINE)
        if sum(map(len, lines)) + len(lines) + len(line) + len(rest) + 2 > room:
            break
        lines.append(line)
        told += len(found)
    if told < len(facts):
        lines.append(f"{len(facts) - told} {'more ' if lines else ''}facts are left out")
    return tuple(lines)


def _group_told(subtask: str, facts: Sequence[Fact]) -> str:
    """`s3: 40 facts are not told: total 1 … total 40 (money, USD 3 to USD 90)`."""
    families: defaultdict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        families[re.sub(r"\d+", "#", fact.name), fact.kind].append(fact)
    ordered = sorted(families.items(), key=lambda item: (-len(item[1]), item[0]))
    said = "; ".join(_family_told(kind, found) for (_, kind), found in ordered)
    many = "1 fact is" if len(facts) == 1 else f"{len(facts)} facts are"
    return (f"{subtask}: " if subtask else "") + f"{many} left out: {said}"


def _family_told(kind: str, facts: Sequence[Fact]) -> str:
    ordered = sorted(facts, key=lambda fact: (tuple(int(digits[:18]) for digits in re.findall(r"\d+", fact.name)), fact.name))
    names = ordered[0].name if len(ordered) == 1 else f"{ordered[0].name} … {ordered[-1].name} ({len(ordered)})"
    return f"{names}{_range_told(kind, ordered)}"


def _range_told(kind: str, facts: Sequence[Fact]) -> str:
    """The least and the greatest value, where values have an order and are nobody's secret."""
    if kind not in _RANGED or any(fact.private or references_in(fact.value) for fact in facts):
        return "" if kind == "text" else f" ({kind})"
    values = [normal(fact.value, kind) for fact in facts]
    units = {re.sub(r"-?\d[\d.]*", "", value).strip() for value in values}
    if not all(values) or len(units) != 1 or len(facts) == 1:
        return f" ({kind})"
    unit = units.pop() if kind in {"money", "number"} else ""
    counted = kind in {"money", "number"}
    ordered = sorted(values, key=lambda value: (Decimal(value.replace(unit, "").strip()) if counted else 0, value))
    return f" ({kind}, {ordered[0]} to {ordered[-1]})"
