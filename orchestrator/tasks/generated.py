"""Tasks made from app cards: a goal in words, its judge, and an oracle of calls to the apps' own functions.

The judge is what an oracle brings about in several worlds alike. A draft is a task only if in each of them its oracle passes,
whatever time it takes, and none of its mutants does.
"""

from __future__ import annotations

import glob
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import JsonValue

from environments.cards import AppCard, FieldCard, FunctionCard, singular, verb_words
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.values import amount, paragraph, topic
from environments.simulated.world.worldfile import load_world
from orchestrator.errors import UsageProblem
from orchestrator.settings.layers import shipped_names
from orchestrator.tasks.changes import ABSENT, SLOT, changed
from orchestrator.tasks.check import STRAYS
from orchestrator.tasks.judge import Trial
from orchestrator.tasks.oracle_lines import steps_of
from orchestrator.tasks.tasks import Task, fill_slots, items_at
from protocol import Action, CallApi, Frozen, JsonObject, LaunchApp, Wait
from protocol.dsl import emit, parse_line
from protocol.log.log import whole_file

SEEDS = (0, 1, 2)
"""Of the worlds in which a draft is tried."""
_STAMP = "at"
"""The field that says when an entry was made."""


_TRIES, _LONGEST = 40, 60
_CHANGES = frozenset({"update", "set", "write"})
"""Verbs of functions whose values are asked for as changes."""
_TO = frozenset({"reply", "respond"})
"""Verbs after which a record stands behind "to"."""
_ANYTHING = "Anything 7"
"""A text that names nothing in any world."""
_WHEN = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?")
_ADDRESS = re.compile(r"[\w.-]+@[\w.-]+\w")
Arguments = dict[str, JsonValue]


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
            yield f"another {name}", _calls(task, {**slots, name: rng.choice(sorted(others, key=str))})
    yield from ((f"a stray {stray.function}", [*calls, stray]) for stray in STRAYS if stray.app in where.cards)


# --- operations: calls that change something in a world, and words that ask for it ----------------------------------------------


class Operation(NamedTuple):
    """One call, and how it is asked for. A text that names a record holds a slot, since each world has other records."""

    call: CallApi
    words: str
    slots: dict[str, JsonObject]


class Stage:
    """A world at its beginning, from which everything is tried in forks."""

    def __init__(self, world: str, seed: int) -> None:
        self.desktop = SimulatedDesktop(load_world(world), seed=seed)
        self.initial: JsonObject = self.desktop.world()
        self.cards = {card.app: card for card in self.desktop.cards()}

    def stores(self, app: str) -> dict[str, JsonObject]:
        """The records of an app, by the field of its state that holds them."""
        fields = self.initial["apps"][app].items()
        held = {name: value for name, value in fields if isinstance(value, dict) and value}
        return {name: value for name, value in held.items() if all(isinstance(one, dict) for one in value.values())}

    def after(self, actions: Sequence[Action]) -> tuple[SimulatedDesktop, bool]:
        """The desktop after these actions, and whether all of them were done."""
        fork = self.desktop.fork()
        done = [fork.perform(action, key=str(number)).ok for number, action in enumerate(actions)]
        return fork, all(done)


stage = lru_cache(maxsize=128)(Stage)


def _plain(text: str) -> bool:
    """Whether it can be said between quotes."""
    return 0 < len(text) <= _LONGEST and not set(text) & set('"{}\n')


class Drawing:
    """Draws operations of one app in a world."""

    def __init__(self, where: Stage, app: str, rng: random.Random) -> None:
        self.where, self.card, self.rng = where, where.cards[app], rng
        self.stores = where.stores(app)
        self.fields = [field for kind in self.card.kinds for field in kind.fields if _plain(field.label)]
        self.kinds = {kind.kind for kind in self.card.kinds}
        self.places = {place for kind in self.card.kinds for place in (*kind.places, kind.place) if _plain(place)}
        asked = [field for kind in self.card.kinds for verb in kind.verbs for field in verb.asks]
        self.options = sorted({option for field in asked for option in field.options} | self.places)

    def operation(self) -> Operation | None:
        """None where no call was found that changes anything, or a record of it has no name of its own."""
        function = self.rng.choice(writing(self.card))
        call = self.call(function)
        return self._understood(function, call) if call is not None else None

    def call(self, function: FunctionCard) -> CallApi | None:
        """One that changes something here, with the records of this world."""
        for _ in range(_TRIES):
            call = CallApi(app=self.card.app, function=function.name)
            for field in function.arguments:
                deed = field.label.casefold() in verb_words() and not self._values(field)  # such as: append
                if field.required or (self.rng.random() < 0.5 and not deed):
                    call = with_value(call, field.words[0], self.value(field))
            desktop, done = self.where.after([call])
            if done and any(changed(self.where.initial, desktop.world())):
                return call
        return None

    def _understood(self, function: FunctionCard, call: CallApi) -> Operation | None:
        arguments, slots, named = dict(call.arguments), dict[str, JsonObject](), dict[str, tuple[str, str]]()
        for field in function.arguments:
            name = field.words[0]
            value = arguments.get(name)
            store = next((s for s, known in self.stores.items() if isinstance(value, str) and value in known), "")
            if not store and value not in self.options:
                continue
            if self.where.after([with_value(call, name, _ANYTHING)])[1]:
                arguments[name] = self.text(field)  # it names nothing, and is a text like any other
            elif store:
                if (found := self._record(slot := f"{self.card.app}_{name}", store, str(value))) is None:
                    return None
                arguments[name], named[name], slots = f"{{{slot}}}", found[:2], slots | found[2]
        if not arguments.keys() - named.keys() and (not named or function.name.split("_")[0] in _CHANGES):
            return None  # it changes something by what is left out, which no words ask for
        words = self._words(function, arguments, named)
        return Operation(call.model_copy(update={"arguments": arguments}), words, slots)

    def _record(self, slot: str, store: str, key: str) -> tuple[str, str, dict[str, JsonObject]] | None:
        """A record's kind, what stands for its name in words, and slots for both: one of the same kind, or in the same place,
        whose name no other record has. None where it has no such name."""
        known, place = self.stores[store], f"world.apps.{self.card.app}.{store}"
        labels = {"_".join(field.label.casefold().split()) for field in self.fields if field.key}
        texts = {name: value for name, value in known[key].items() if isinstance(value, str) and value}
        sorts = [(name, value) for name, value in texts.items() if value in self.kinds | self.places]
        kind = next((value for _, value in sorts if value in self.kinds), singular(store))
        wanted = [f'{place}[k].{name} == "{value}"' for name, value in sorts[:1]]
        shown, named = f"{{{slot}}}", dict[str, JsonObject]()
        if "/" not in key:  # a path says what it is called
            names = [name for name, value in texts.items() if not any(value in store for store in self.stores.values())]
            name = next((one for one in names if one in labels), next(iter(names), ""))
            if not name or not _plain(texts[name]) or [one[name] for one in known.values()].count(texts[name]) > 1:
                return None
            wanted += [f'{place}[k].{name} != ""', f"{place}.filter(j, {place}[j].{name} == {place}[k].{name}).size() == 1"]
            shown, named = f"{{{slot}_named.{name}}}", {f"{slot}_named": {"value": f"{place}[slots.{slot}]"}}
        keys = {"value": f"{place}.filter(k, {' && '.join(wanted or ['true'])})"}
        return kind, shown, {f"{slot}_keys": keys, slot: {"from": f"slots.{slot}_keys"}, **named}

    # --- values ---

    def value(self, argument: FieldCard) -> JsonValue:
        """One such as the card has; None where nothing says what it could be."""
        known = self._field(argument)
        if options := argument.options or (known.options if known is not None else ()):
            return self.rng.choice(options)
        match known.type if known is not None and argument.type == "text" else argument.type:
            case "truth":
                return self.rng.random() < 0.5
            case "number":
                return 5 * self.rng.randrange(2, 30)
            case "list":
                return self.rng.choice([v for v in self._values(argument) if isinstance(v, list) and v] or [None])
            case "money":
                return amount(self.rng)
        names = [*(key for store in self.stores.values() for key in store), *self.options]
        named = names and self.rng.random() < (0.8 if known is None else 0.2)
        return self.rng.choice(names) if named else self.text(argument)

    def text(self, argument: FieldCard) -> str:
        """Of the form that texts in a field of this name have here."""
        known, have = self._field(argument), [v for v in self._values(argument) if isinstance(v, str) and _plain(v)]
        kind, words = known.type if known is not None else argument.type, topic(self.rng)
        if have and (all(map(_WHEN.fullmatch, have)) or 2 * len(set(have)) <= len(have)):  # dates, or a vocabulary
            return str(self.rng.choice(have))
        if kind == "people" or (have and all("@" in value for value in have)):
            return str(self.rng.choice(sorted(set(_ADDRESS.findall(str(self.where.initial)))) or ["ada.quist@example.com"]))
        if kind == "date":
            return f"2026-{self.rng.randrange(1, 13):02}-{self.rng.randrange(1, 29):02}"
        if have and not any(map(str.isalpha, "".join(have))):
            return re.sub(r"\d", lambda _: str(self.rng.randrange(10)), self.rng.choice(have))
        paths = [key for store in self.stores.values() for key in store if key.startswith("/")]
        if paths and argument.words[0] == "path":
            return f"{self.rng.choice(paths).rpartition('/')[0]}/{words.replace(' ', '-')}-{self.rng.randrange(10, 100)}"
        return paragraph(self.rng, 1) if kind == "long_text" else f"{words.capitalize()} {self.rng.randrange(10, 100)}"

    def _values(self, argument: FieldCard) -> list[Any]:
        """What stands in fields of the argument's name: in this app, or else in any."""
        name, found = argument.words[0], list[Any]()
        for app in (self.card.app, *self.where.cards):
            every = [value for value in self.where.initial["apps"][app].values() if isinstance(value, dict)] if not found else []
            held = [one for value in every for one in (value, *value.values()) if isinstance(one, dict)]
            found += [one[name] for one in held if name in one and one[name] not in (None, name.replace("_", " ").capitalize())]
        return found

    def _field(self, argument: FieldCard) -> FieldCard | None:
        """The field of a record that an argument is about."""
        label = argument.label.casefold()
        near = {said: one for one in self.fields if label in (said := one.label.casefold()).split() or said.startswith(label)}
        return near.get(label) or (next(iter(near.values())) if len(near) == 1 else None)

    # --- words ---

    def _words(self, function: FunctionCard, arguments: Arguments, named: Mapping[str, tuple[str, str]]) -> str:
        verb, *rest = function.name.split("_")
        noun, kinds = " ".join(rest), [kind for kind, _ in named.values()] or [self.card.kinds[0].kind]
        records = [f'the {kind} "{shown}"' for kind, shown in named.values()]
        given = [field for field in function.arguments if field.words[0] in arguments.keys() - named.keys()]
        said = [(self._label(field), _shown(arguments[field.words[0]])) for field in given]
        if verb in _CHANGES:
            whose = f" of {records[0]}" if records else ""
            changes = [f'the {label}{"" if number else whose} to "{value}"' for number, (label, value) in enumerate(said)]
            return f"change {_listed(changes)}"
        if not records:
            told = f"{verb} {_a(noun or kinds[0])}"
        elif noun in self.kinds - {kinds[0]}:
            told = f"{verb} {_a(noun)} to {records[0]}"
        elif len(rest) < 2:  # the function may have another noun for them
            told = f"{verb}{' to' if verb in _TO else ''} {records[0].replace(kinds[0], noun or kinds[0], 1)}"
        else:
            told = f"{' '.join([verb, *rest[:-1]])} {records[0]}" if kinds[0] in rest else f"{verb} {records[0]} {noun}"
        told += "".join(f" to {one}" for one in records[1:]) + "".join(f' to "{value}"' for label, value in said if label == "to")
        word = "to" if records and any(value in self.options for _, value in said) else "with"
        more = [f'the {label} "{value}"' for label, value in said if label != "to"]
        return f"{told} {word} {_listed(more)}" if more else told

    def _label(self, argument: FieldCard) -> str:
        """As screens have it, where that is a name and no sentence."""
        known = self._field(argument)
        return (known.label if known is not None and known.label.count(" ") < 3 else argument.label).casefold()


def with_value(call: CallApi, name: str, value: JsonValue) -> CallApi:
    """With another value for an argument; None: without it."""
    given: Arguments = {n: v for n, v in {**call.arguments, name: value}.items() if v is not None}
    return call.model_copy(update={"arguments": given})


def writing(card: AppCard) -> list[FunctionCard]:
    """The functions of an app that change something."""
    return [function for function in card.functions if function.writes]


def _shown(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
