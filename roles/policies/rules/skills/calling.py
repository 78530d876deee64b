"""The way by an application's own functions, or its agent: find the one that does what clauses want, call it, look at what came.

What a function says that it did is not believed: the application is looked at afterwards, or, where its window may not be
touched, what was written is read back. Where no function fits, or one says no, the window is the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from environments.effects.words import Effect, effect_of_words
from protocol import AskInAppAgent, CallApi, ExecStatus, GUIElement, Memorize, parse_action
from roles.contracts import Fact
from roles.policies.rules.grammar import describe
from roles.policies.rules.skills.functions import (
    Fitting,
    Wish,
    best_writing,
    chosen,
    detail_of,
    fitted,
    key_of,
    lookups,
    value_of,
    wish_of,
    words_of,
)
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail, press
from roles.policies.rules.skills.skills import next_move, reach_app
from roles.screen.calls import Record, records_in, shows, telling, tells_of
from roles.screen.language import clauses as c
from roles.screen.matching import similarity, tokens
from roles.screen.records import entry_of, fits
from roles.screen.screens import fold
from roles.screen.values import find_money, same_value
from roles.skills.arguments import problem_with
from roles.skills.contract import RESULT, Idempotence, Skill

_LOOKS = 14
_PARTS = {
    "send": ("sent", "outbox"),
    "save": ("draft", "drafts", "all", "list"),
    "submit": ("submitted", "history", "my", "all", "list"),
    "delete": ("all", "list", "inbox"),
}
"""Words of the part of an application where what was done is to be seen."""
_NAVIGATION = frozenset({"tab", "link", "treeitem", "menuitem", "option", "listitem", "button", "radio"})
_HARMLESS = frozenset({None, Effect.NAVIGATE, Effect.OBSERVE})


def look_at(wish: Wish, clause: c.Clause, answer: Fact | None, at: Situation) -> Move:
    """Bring the application to the front and find what was done; what cannot be found was not done."""
    if way := reach_app(clause, at):
        return way
    looks = at.count("looks")
    if wish.deed == "delete":
        if _gone(wish.entity, at):
            return done("it is no longer listed")
    elif _open(wish, at) or (at.notes.get("entry") and all(shows(at.view.seen, text) for text in _written(wish))):
        return done(f"{at.view.seen.app} shows what was written")
    if looks < _LOOKS and (nearer := _nearer(wish, answer, at)) is not None:
        return nearer
    app = at.view.seen.app
    if wish.deed != "delete" and all(shows(at.view.seen, text) for text in _written(wish)):
        return done(f"{app} lists what was written")
    return fail(f"{at.notes['doing']} said that it was done, and {app} does not show it")


def _written(wish: Wish) -> list[str]:
    return telling(given.text for given in wish.values)


def _open(wish: Wish, at: Situation) -> bool:
    """Whether all of it stands on the screen by itself, and not only in the rows of a list."""
    alone = (*at.screen.detail_texts, *at.screen.inputs)
    here = at.view.seen.model_copy(update={"elements": tuple(alone)})
    return all(shows(here, text) for text in _written(wish))


def _gone(entity: c.Entity, at: Situation) -> bool:
    return bool(at.screen.items) and not any(fits(entity, entry_of(item)) for item in at.screen.items)


def _nearer(wish: Wish, answer: Fact | None, at: Situation) -> Move | None:
    """Open the entry that shows some of it, else the part of the application where such things are."""
    opened: list[str] = at.notes.setdefault("looked at", [])
    for item in at.screen.items:
        clue = next((text for text in _clues(wish, answer) if fold(text) in fold(item.text)), None)
        if clue is not None and item.press.enabled and (tries := opened.count(item.text)) < 2:
            opened.append(item.text)  # one press may only select it
            at.notes["entry"] = True
            return press(item.press, f"it shows {clue!r}", count=1 + tries, at=at)
    for element in _parts(wish, at):
        if element.name not in opened:
            opened.append(element.name)
            return press(element, f'"{element.name}" may show what was done', at=at)
    clues = _clues(wish, None)
    if not clues:
        return None
    found = next_move(c.OpenItem(entity=c.Entity(noun=(*wish.nouns, "")[0], name=clues[0])), at)
    return found if found.kind == "act" else None


def _clues(wish: Wish, answer: Fact | None) -> list[str]:
    """By what an entry of it may be known: values, and what its function calls it."""
    records = records_in(answer.value)[0] if answer is not None else []
    keys = [key for record in records[:1] if (key := key_of(record, "number")) is not None and len(key) > 2]
    values = _written(wish) + telling([wish.entity.name, wish.entity.subject, wish.entity.id])
    return [*keys, *(text.rsplit("/", 1)[-1] for text in values if "\n" not in text)]


def _parts(wish: Wish, at: Situation) -> Sequence[GUIElement]:
    """Places of the application, those named for such a thing first; nothing that does anything."""
    words = _PARTS.get(wish.deed, ())
    nouns = [noun for noun in wish.nouns if noun]

    def near(element: GUIElement) -> float:
        named = set(tokens(element.name))
        likeness = max((similarity(noun, element.name) for noun in nouns), default=0.0)
        return (2.0 if named & set(words) else 0.0) + (likeness if likeness >= 0.6 else 0.0)

    there = [
        e for e in at.screen.presses
        if e.enabled and e.role in _NAVIGATION and effect_of_words(e.name) in _HARMLESS and not _makes(e.name)
    ]  # fmt: skip
    return sorted((e for e in there if near(e) > 0), key=near, reverse=True)


def _makes(name: str) -> bool:
    return bool({"new", "create", "add", "compose", "+", "write", "reply", "edit"} & set(name.casefold().split()[:1]))


def answers_for(arguments: Mapping[str, Any], answer: str) -> bool:
    """Whether an answer is the one to a call with these arguments, by those that it names again."""
    records, _ = records_in(answer)
    if len(records) != 1:
        return False
    named = {name: value for name, value in arguments.items() if name in records[0]}
    return bool(named) and all(same_value(str(records[0][name]), str(value)) for name, value in named.items())


def told_back(wish: Wish, answer: str) -> bool:
    """Whether what a reading function answered tells of all that was written."""
    texts = _written(wish)
    records, _ = records_in(answer)
    return any(tells_of(texts, record) for record in records) if texts else not records


def nearest_told(wish: Wish, answer: str) -> dict[str, Any] | None:
    """The record of an answer that tells of most of what was written, where it tells of any."""
    texts = _written(wish)
    scored = [(sum(tells_of([text], record) for text in texts), record) for record in records_in(answer)[0]]
    best = max(scored, key=lambda pair: pair[0], default=(0, {}))
    return best[1] if best[0] else None


CALLS = frozenset({"call_api", "ask_in_app_agent"})
_MOST_CALLS = 6
"""Of one clause."""


class Called(NamedTuple):
    """What to do next, and how many clauses are done once it says so."""

    move: Move
    clauses: int = 1


def by_call(clauses: Sequence[c.Clause], at: Situation) -> Called | None:
    """The next step by functions or by an agent; None where the window is the way."""
    hands = may_touch(at)
    if at.notes.get("by_hand") or (at.view.prefer == "gui" and hands) or not at.view.skills:
        return None
    clause = clauses[0]
    if isinstance(clause, c.Read):
        found, count = _learn(clause, at), 1
    else:
        wish = wish_of(clauses, at)
        found, count = (_do(wish, clauses, at), wish.clauses) if wish is not None else (None, 1)
    if found is None:
        at.notes["by_hand"] = True
        return None
    return Called(found, count)


def may_touch(at: Situation) -> bool:
    """Whether the surface may be worked; also where it is not known what may be done."""
    return not at.view.verbs or "click" in at.view.verbs


def no_hands(clause: c.Clause, at: Situation) -> Move:
    """What is said where no function does it, and the surface may not be touched."""
    app = at.view.subtask.app or at.view.app or "this application"
    return fail(f'no function of {app} does "{describe(clause)}", and its window may not be touched (skills.forbid)')


# --- reading ----------------------------------------------------------------------------------------------------------


def _learn(clause: c.Read, at: Situation) -> Move | None:
    """Each fact that is not known yet, from the record that the functions tell of."""
    known = {fact.name.casefold() for fact in at.view.facts}
    missing = [(f, name) for f, name in zip(clause.facts, clause.fact_names(), strict=False) if name.casefold() not in known]
    if not missing:
        return done(f"{' and '.join(clause.fact_names())} known")
    record = _record(clause.entity, clause.facts, at)
    if record is None or isinstance(record, Move):
        return record
    fact, name = missing[0]
    value = value_of(fact, record)
    if value is not None:
        return act(Memorize(name=name, value=value), f"{at.notes['from']} says it", f"{name} on the blackboard")
    detail = None if at.notes.get("detailed") else detail_of(record, _skill(at.notes["from"], at), at.view.skills)
    if detail is None:
        return None
    at.notes["detailed"] = True
    return _call(detail.skill, detail.arguments, at, "it tells all of the record")


def _record(entity: c.Entity, about: Sequence[str], at: Situation) -> Record | Move | None:
    """The record that is meant, or the next call that may tell of it; None where functions do not lead to it."""
    if at.view.prefer == "agent" and (agent := _agent(at)) is not None and not at.notes.get("asked_agent"):
        at.notes["asked_agent"] = True
        words = " ".join(part for part in (entity.noun or "entry", entity.name or entity.id or entity.subject) if part)
        return _ask(agent, f"find {words}", at)
    answer = _answer(at)
    if answer is not None:
        records, whole = records_in(answer.value)
        direct = len(records) == 1 and bool(entity.id) and _skill(answer.name, at).needs != ()
        found = records[0] if direct or (records and at.notes.get("detailed")) else chosen(entity, records)
        if found is not None and (whole or not entity.pick):
            at.notes["from"] = answer.name
            return found
    tried: list[str] = at.notes.setdefault("tried", [])
    for way in lookups(entity, about, at.view.skills, at.view.subtask.app or ""):
        if way.skill.called not in tried:
            tried.append(way.skill.called)
            return _call(way.skill, way.arguments, at, "it may tell of the record")
    return None


# --- doing ------------------------------------------------------------------------------------------------------------


def _do(wish: Wish, clauses: Sequence[c.Clause], at: Situation) -> Move | None:
    if at.notes.get("doing"):
        return _looked(wish, clauses[0], at)
    if at.view.subtask.attempt > 1 and may_touch(at):
        return None  # what was called before may have claimed more than it did: now it is done where it can be seen
    if (before := _called_before(wish, at)) is not None:
        at.notes.update(doing=before.name, before=True)
        return _looked(wish, clauses[0], at)
    if at.view.prefer == "agent" and (agent := _agent(at)) is not None and not at.notes.get("refused"):
        words = ". ".join(describe(clause) for clause in clauses[: wish.clauses])
        return _done_by(agent, {"request": words}, at, "the application's own agent may do it")
    fit = best_writing(wish, at.view.skills, at.view.subtask.app or "")
    if fit is None:
        return None
    arguments = dict(fit.arguments)
    if fit.lacks:
        key = _key(fit, wish.entity, at)
        if key is None or isinstance(key, Move):
            return key
        arguments[fit.lacks] = fitted(key, fit.skill.takes[fit.lacks], fit.lacks)
    if problem_with(fit.skill.arguments, arguments):
        return None
    return _done_by(fit.skill, arguments, at, "it is a function for this")


def _key(fit: Fitting, entity: c.Entity, at: Situation) -> str | Move | None:
    """What the record is called by the function, as another one tells."""
    if entity.id and fit.lacks in {"id", "number"}:
        return entity.id
    record = _record(entity, (entity.noun,), at)
    return record if record is None or isinstance(record, Move) else key_of(record, fit.lacks)


def _done_by(skill: Skill, arguments: dict[str, Any], at: Situation, why: str) -> Move | None:
    at.notes["doing"] = skill.called
    return _call(skill, arguments, at, why) if skill.kind != "agent" else _ask(skill, str(arguments["request"]), at)


def _looked(wish: Wish, clause: c.Clause, at: Situation) -> Move | None:
    """What came of it: a refusal leads to another way, and what is said to be done is looked at."""
    name = at.notes["doing"]
    if at.notes.get("before"):
        return _looked_again(wish, clause, at)
    call = next((s for s in reversed(at.history) if s.action.get("action_type") in CALLS and s.step > at.notes["since"]), None)
    if call is None or call.exec_status is ExecStatus.ERROR:
        del at.notes["doing"]
        if call is not None and name.endswith(".agent"):
            at.notes["refused"] = True
            return _do(wish, (clause,), at)
        return None
    if call.exec_status is not ExecStatus.EXECUTED:
        return fail(f"{name} did not say whether it was done ({call.error or call.exec_status.value})")
    answer = next((f for f in at.view.facts if f.kind == RESULT and f.name == name), None)
    if may_touch(at):
        return look_at(wish, clause, answer, at)
    return _read_back(wish, name, at)


def _called_before(wish: Wish, at: Situation) -> Fact | None:
    """The answer of a function that was called for just this in an earlier subtask: it is not called twice for it."""
    fit = best_writing(wish, at.view.skills, at.view.subtask.app or "")
    if fit is None or fit.skill.idempotence is not Idempotence.ONCE or not wish.values:
        return None
    answers = (f for f in at.view.facts if f.kind == RESULT and f.name == fit.skill.called and f.subtask != at.view.subtask.id)
    return next((fact for fact in answers if answers_for(fit.arguments, fact.value)), None)


def _looked_again(wish: Wish, clause: c.Clause, at: Situation) -> Move | None:
    """What an earlier subtask wrote is looked at once more; what cannot be found is then done by hand."""
    answer = next((f for f in at.view.facts if f.kind == RESULT and f.name == at.notes["doing"]), None)
    if not may_touch(at):
        return _read_back(wish, at.notes["doing"], at)
    if not at.notes.get("read back"):
        move = look_at(wish, clause, answer, at)
        if move.kind != "fail":
            return move
    told = _read_back(wish, at.notes["doing"], at)
    if told is not None and told.kind == "done":
        return fail(f"{told.why}, and {at.view.subtask.app} does not show it where it was looked for")
    return None if told is not None and told.kind == "fail" else told


def _read_back(wish: Wish, name: str, at: Situation) -> Move | None:
    """Ask the application's reading functions for what was written; what they do not tell of was not done."""
    answer = _answer(at)
    if answer is not None and answer.name != name:
        if told_back(wish, answer.value):
            return done(f"{answer.name} tells of it")
        near = nearest_told(wish, answer.value)
        detail = detail_of(near, _skill(answer.name, at), at.view.skills) if near is not None else None
        if detail is not None and not at.notes.get("read whole"):
            at.notes["read whole"] = True
            return _call(detail.skill, detail.arguments, at, "to see all that was written")
    asked: list[str] = at.notes.setdefault("read back", [])
    thing = " ".join(words_of(name.rpartition(".")[2])[1:])
    named = next((given.text for given in wish.values if "\n" not in given.text and not find_money(given.text)), "")
    entity = c.Entity(noun=(*wish.nouns, thing)[0] or thing, name=named.rpartition("/")[2] or wish.entity.name)
    for way in lookups(entity, (thing,), at.view.skills, at.view.subtask.app or ""):
        if way.skill.called not in asked:
            asked.append(way.skill.called)
            return _call(way.skill, way.arguments, at, "to see what was written")
    return fail(f"{name} said that it was done, and no function of the application tells of it")


# --- calls ------------------------------------------------------------------------------------------------------------


def _call(skill: Skill, arguments: dict[str, Any], at: Situation, why: str) -> Move | None:
    if at.count("calls") >= _MOST_CALLS:
        return None
    at.notes["since"] = at.history[-1].step if at.history else 0
    twice = "" if skill.idempotence is not Idempotence.ONCE else " once"
    return act(CallApi(app=skill.app, function=skill.name, arguments=arguments), f"{why}: {skill.called} is called{twice}")


def _ask(agent: Skill, request: str, at: Situation) -> Move | None:
    if at.count("calls") >= _MOST_CALLS:
        return None
    at.notes["since"] = at.history[-1].step if at.history else 0
    return act(AskInAppAgent(app=agent.app, request=request), f"the agent of {agent.app} may do it")


def _answer(at: Situation) -> Fact | None:
    """What the last call of this clause answered."""
    last = next((s for s in reversed(at.history) if s.action.get("action_type") in CALLS), None)
    if last is None or last.exec_status is not ExecStatus.EXECUTED or last.step <= int(at.notes.get("since", 1 << 30)):
        return None
    action = parse_action(last.action)
    name = f"{action.parameters['app']}.{action.parameters.get('function', 'agent')}"
    return next((f for f in reversed(at.view.facts) if f.kind == RESULT and f.name.casefold() == name.casefold()), None)


def _agent(at: Situation) -> Skill | None:
    return next((s for s in at.view.skills if s.kind == "agent" and s.app == at.view.subtask.app), None)


def _skill(name: str, at: Situation) -> Skill:
    found = next((s for s in at.view.skills if s.called.casefold() == name.casefold()), None)
    return found or Skill(kind="api", app=at.view.subtask.app or "", name=name.rpartition(".")[2])


__all__ = ["CALLS", "Called", "by_call", "may_touch", "no_hands"]
