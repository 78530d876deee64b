"""Tasks made from app cards: a goal in words, its judge, and an oracle of calls to the apps' own functions.

The judge is what an oracle brings about in several worlds alike. A draft is a task only if in each of them its oracle passes,
whatever time it takes, and none of its mutants does.
"""

from __future__ import annotations

import glob
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from environments.simulated.world.worldfile import load_world
from orchestrator.errors import UsageProblem
from orchestrator.settings.layers import shipped_names
from orchestrator.tasks.changes import ABSENT, SLOT, changed
from orchestrator.tasks.check import STRAYS
from orchestrator.tasks.judge import Trial
from orchestrator.tasks.operations import Drawing, Operation, Stage, stage, with_value, writing
from orchestrator.tasks.oracle_lines import steps_of
from orchestrator.tasks.tasks import Task, fill_slots, items_at
from protocol import Action, CallApi, Frozen, JsonObject, LaunchApp, Wait
from protocol.dsl import emit, parse_line
from protocol.log.log import whole_file

SEEDS = (0, 1, 2)
"""Of the worlds in which a draft is tried."""
_STAMP = "at"
"""The field that says when an entry was made."""


class Draft(Frozen):
    """What was drawn, and what became of it: a line of `drafts.jsonl`."""

    name: str
    goal: str
    why: str = ""
    """Why it is no task; empty for one that is."""
    mutants: int = 0
    """How many were tried."""


def generate(folder: Path, most: int, seed: int, worlds: Sequence[str]) -> Iterator[Draft]:
    """Draw until the folder has so many task files; yields each draft, first those that the folder has. Other worlds than the
    shipped ones in which nothing happens by itself can be named."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = list(worlds) or [name for name in shipped_names("worlds") if not load_world(name).events]
    done = folder / "drafts.jsonl"
    drafts = [Draft.model_validate_json(line) for line in done.read_text(encoding="utf-8").splitlines()] if done.is_file() else []
    yield from drafts
    number, goals = len(drafts), {one.goal for one in drafts if not one.why}
    while len(goals) < most:
        drawn, data = draft(number, seed, chosen)
        if drawn.goal in goals:
            drawn = drawn.model_copy(update={"why": "it is there already"})
        elif not drawn.why:
            with whole_file(folder / f"{drawn.name}.yaml") as file:
                yaml.safe_dump(data, file, sort_keys=False, allow_unicode=True, width=120)
            goals.add(drawn.goal)
        with done.open("a", encoding="utf-8") as lines:
            lines.write(drawn.model_dump_json() + "\n")
        yield drawn
        number += 1


def draft(number: int, seed: int, worlds: Sequence[str]) -> tuple[Draft, JsonObject]:
    """The draft of this number, which depends on nothing else, and the content of its task file."""
    rng = random.Random(f"{seed}:{number}")  # noqa: S311 - variation, not secrecy
    world = rng.choice(worlds)
    where, mutants, data, why = stage(world, SEEDS[0]), 0, JsonObject(), ""
    apps = [card.app for card in where.cards.values() if writing(card)]
    chosen = rng.sample(apps, min(len(apps), rng.choices((1, 2, 3), (6, 3, 1))[0]))
    operations = [operation for app in chosen if (operation := Drawing(where, app, rng).operation()) is not None]
    try:
        if len(operations) < len(chosen) or not chosen:
            raise UsageProblem("no call that changes anything was found")
        data = _judged(_asked(f"generated-{seed}-{number:06}", world, operations, where))
        for one in SEEDS:
            wrong, more = survivors(Task.model_validate(data), one)
            mutants += more
            if wrong:
                raise UsageProblem(wrong[0])
    except UsageProblem as bad:
        why = str(bad)
    return Draft(name=data.get("id", ""), goal=f"{world}: {data.get('goal', '')}", why=why, mutants=mutants), data


def _asked(name: str, world: str, operations: Sequence[Operation], where: Stage) -> JsonObject:
    """The task as far as it is known before anything was done."""
    titles = [where.cards[str(operation.call.app)].title for operation in operations]
    asked = [f"in {title}, {operation.words}" for title, operation in zip(titles, operations, strict=True)]
    first, *more = [f"{one}." for one in asked]
    return {
        "id": f"{name}-{operations[0].call.function.replace('_', '-')}",
        "goal": " ".join([first[0].upper() + first[1:], *(f"Then, {one}" for one in more)]),
        "world": world,
        "slots": {name: slot for operation in operations for name, slot in operation.slots.items()},
        "tier": 1 if len(operations) == 1 else 2,
        "oracle": [emit(operation.call) for operation in operations],
    }


# --- the judge ----------------------------------------------------------------------------------------------------------------


_Fact = tuple[tuple[str, str, int] | None, str]
"""A condition; or what is so of a new entry and its key `k`, by its place at the end and at the beginning and its number."""


def _judged(data: JsonObject) -> JsonObject:
    """With the conditions that hold in every world, and what changes there. Raises UsageProblem."""
    task, changes = Task.model_validate(data), set[str]()
    found = [set(_facts(task, stage(str(task.world), seed), seed, changes)) for seed in SEEDS]
    entries, *others = [{entry for entry, _ in facts if entry is not None} for facts in found]
    if any(other != entries for other in others):
        raise UsageProblem("it makes other entries in other worlds")
    alike = set.intersection(*found)
    success = [told for entry, told in alike if entry is None]
    for made in entries:
        atoms = sorted(told for entry, told in alike if entry == made)
        success.append(f"{made[0]}.exists(k, {' && '.join(atoms)})")
    return {**data, "success": sorted(success), "changes": sorted(changes)}


def _facts(task: Task, where: Stage, seed: int, changes: set[str]) -> Iterator[_Fact]:
    """What an oracle brings about in one world; the places that change are added to those of others."""
    slots = fill_slots(task, where.initial, seed)
    calls = _calls(task, slots)
    desktop, done = where.after(calls)
    if not done:
        raise UsageProblem("its oracle is declined in another world")
    by_app = {call.app: _keys(line, call) for line, call in zip(task.oracle or (), calls, strict=True)}
    texts = {v: _text(v, by_app[c.app]) for c in calls for v in c.arguments.values() if isinstance(v, str) and v}
    named = [(f"slots.{slot}.{name}", v) for slot, one in slots.items() if isinstance(one, dict) for name, v in one.items()]
    texts = {v: told for told, v in named if isinstance(v, str) and v} | texts
    sizes, made = Counter[tuple[str, str]](), Counter[str]()
    for path, before, value in changed(where.initial, desktop.world()):
        keys = by_app.get(path[1], {})  # the same key names something else in another app
        end, begin = (_place(root, path[:-1], keys) for root in ("world", "initial"))
        changes.add(_pattern((*path[:-1], "+") if before is ABSENT else path, keys))
        if before is ABSENT:
            told = (f"!(k in {begin})", *_entry(end, value, path[-1], texts))
            yield from (((end, begin, made[end]), one) for one in told)
            made[end] += 1
        elif value is ABSENT:
            yield None, f"!({_text(path[-1], keys)} in {end})"
        else:
            yield None, f"{_place('world', path, keys)} == {_text(value, keys)}"
        sizes[end, begin] += (before is ABSENT) - (value is ABSENT)
    yield from ((None, f"size({end}) - size({begin}) == {more}") for (end, begin), more in sizes.items() if more)


def _keys(line: Any, call: CallApi) -> dict[str, str]:
    """The texts of a call that name a record, each with the slot that holds it, in CEL."""
    held = parse_line(str(line)).dump()["arguments"].items()
    return {str(call.arguments[n]): f"slots.{v[1:-1]}" for n, v in held if isinstance(v, str) and SLOT.fullmatch(v)}


def _text(value: Any, known: Mapping[str, str]) -> str:
    """In CEL."""
    return known[value] if isinstance(value, str) and value in known else json.dumps(value, ensure_ascii=False)


def _place(root: str, path: Sequence[str], keys: Mapping[str, str]) -> str:
    """In CEL."""
    return root + "".join(f".{p}" if p.isidentifier() and p not in keys else f"[{_text(p, keys)}]" for p in path)


def _pattern(path: Sequence[str], keys: Mapping[str, str]) -> str:
    if any(set(part) & set(".{}") for part in path if part not in keys):
        raise UsageProblem("a place that changes cannot be written as a path")
    return ".".join(f"{{{keys[part].removeprefix('slots.')}}}" if part in keys else glob.escape(part) for part in path)


def _entry(store: str, value: Any, key: str, texts: Mapping[str, str]) -> Iterator[str]:
    """What is so of a new entry: its name where it has no other, and its values, which may come of a text or of a record."""
    parts = value if isinstance(value, Mapping) else {"": value}
    if key not in parts.values():
        yield f"k == {json.dumps(key, ensure_ascii=False)}"
    for name, part in ((n, p) for n, p in parts.items() if p != key and n != _STAMP and not isinstance(p, Mapping)):
        place = f"{store}[k].{name}".rstrip(".")
        yield f"{place} == {json.dumps(part, ensure_ascii=False)}"
        ends = [(text, told) for text, told in texts.items() if isinstance(part, str) and part.endswith(text)]
        yield from (f"{place} == {told}" if part == text else f"{place}.endsWith({told})" for text, told in ends)


# --- what must pass, and what must not --------------------------------------------------------------------------------------


def survivors(task: Task, seed: int) -> tuple[list[str], int]:
    """What of this task's oracle and mutants comes out wrong in a world, in words, and how many mutants were tried."""
    where, rng = stage(str(task.world), seed), random.Random(f"{task.id}:{seed}")  # noqa: S311 - variation, not secrecy
    trial = Trial.begun(task, where.desktop, seed)
    calls, wrong, tried = _calls(task, trial.slots), list[str](), 0
    waiting: list[Action] = [*(LaunchApp(app=app) for app in dict.fromkeys(call.app for call in calls)), Wait(seconds=40)]
    ways: dict[str, Sequence[Action]] = {"the oracle": calls, "the oracle with time": [*waiting, *calls, *waiting]}
    for name, actions in ways.items():
        passed = trial.verdict(where.after(actions)[0], steps=len(actions)).passed
        wrong += [] if passed else [f"{name} does not pass"]
    last = where.after(calls)[0].world()
    for name, actions in _mutants(task, where, trial.slots, rng):
        desktop, _ = where.after(actions)
        if not any(changed(last, desktop.world())):  # it comes to the same, and is no mutant
            wrong += [] if actions else ["nothing has to be done"]
            continue
        tried += 1
        wrong += [f"{name} passes"] if trial.verdict(desktop, steps=len(actions)).passed else []
    return wrong, tried


def _calls(task: Task, slots: Mapping[str, Any]) -> list[CallApi]:
    return [step.action for step in steps_of(task.oracle or (), slots) if isinstance(step.action, CallApi)]


def _mutants(task: Task, where: Stage, slots: JsonObject, rng: random.Random) -> Iterator[tuple[str, Sequence[Action]]]:
    """Nothing; near misses: a call left out, made twice, with another value, without one, or about another record; and the
    oracle with one stray write."""
    calls = _calls(task, slots)
    yield "nothing", []
    for number, call in enumerate(calls):
        before, after, named = calls[:number], calls[number + 1 :], _keys((task.oracle or ())[number], call)
        drawing = Drawing(where, call.app, rng)
        function = next(f for f in writing(drawing.card) if f.name == call.function)
        yield f"twice {call.function}", [*before, call, call, *after]
        if len(calls) > 1:
            yield f"without {call.function}", [*before, *after]
        for field in function.arguments:
            name = field.words[0]
            if name not in call.arguments or str(call.arguments[name]) in named:
                continue
            drawn = (drawing.value(field) for _ in range(10))
            others = [one for one in drawn if one is not None and one != call.arguments[name]][:1]
            for value in [*others, *([] if field.required else [None])]:
                told = f"{'no' if value is None else 'another'} {name} in {call.function}"
                yield told, [*before, with_value(call, name, value), *after]
        if stray := drawing.call(rng.choice(writing(drawing.card))):
            yield f"a stray {stray.function}", [*calls, stray]
    for name, slot in task.slots.items():
        items = items_at(slot.path, {**where.initial, "slots": slots}) if slot.source else ()
        if others := [one for one in items if one != slots[name]]:
            yield f"another {name}", _calls(task, {**slots, name: rng.choice(others)})
    yield from ((f"a stray {stray.function}", [*calls, stray]) for stray in STRAYS if stray.app in where.cards)
