"""Operations drawn from app cards: a call of a function that changes something in a world, and words that ask for it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from pydantic import JsonValue

from environments.cards import AppCard, FieldCard, FunctionCard, singular, verb_words
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.values import amount, made_up, paragraph, topic
from environments.simulated.world.worldfile import load_world
from orchestrator.tasks.changes import changed
from protocol import Action, CallApi, JsonObject

_TRIES, _LONGEST = 40, 60
_CHANGES = frozenset({"update", "set", "write"})
"""Verbs of functions whose values are asked for as changes."""
_TO = frozenset({"reply", "respond"})
"""Verbs after which a record stands behind "to"."""
_ANYTHING = "Anything 7"
"""A text that names nothing in any world."""
_WHEN = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?")
_PERSON = re.compile(r"[A-Z]\w+ [A-Z]\w+")
_ADDRESS = re.compile(r"[\w.-]+@[\w.-]+\w")
Arguments = dict[str, JsonValue]


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
        return {name: value for name, value in fields if isinstance(value, dict) and value and _records(value)}

    def after(self, actions: Sequence[Action]) -> tuple[JsonObject, list[JsonObject], bool]:
        """The world after these actions, what it received, and whether all of them were done."""
        fork = self.desktop.fork()
        done = [fork.perform(action, key=str(number)).ok for number, action in enumerate(actions)]
        return fork.world(), fork.received(), all(done)

    def takes(self, call: CallApi) -> bool:
        return self.desktop.fork().perform(call, key="0").ok


@lru_cache(maxsize=128)
def stage(world: str, seed: int) -> Stage:
    return Stage(world, seed)


def _values(state: Any) -> Iterator[tuple[str, Any]]:
    """Every field of a record, and of what there is only one of."""
    for value in state.values() if isinstance(state, Mapping) else ():
        if isinstance(value, Mapping):
            yield from (
                (n, part) for n, part in value.items() if not isinstance(part, Mapping) and part != singular(n).capitalize()
            )
            yield from _values(value)


def _plain(text: str) -> bool:
    """Whether it can be said between quotes."""
    return 0 < len(text) <= _LONGEST and not set(text) & set('"{}\n')


def _records(value: Mapping[str, Any]) -> bool:
    return all(isinstance(one, dict) for one in value.values())


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
        self.noun = ""
        self.values = [one for other in (app, *where.cards) for one in _values(where.initial["apps"][other])]

    def operation(self) -> Operation | None:
        """None where no call was found that changes anything, or a record of it has no name of its own."""
        function = self.rng.choice(writing(self.card))
        call = self.call(function)
        return self._understood(function, call) if call is not None else None

    def call(self, function: FunctionCard) -> CallApi | None:
        """One that changes something here, with the records of this world."""
        self.noun = function.name.rpartition("_")[2]
        for _ in range(_TRIES):
            values = {f.words[0]: self.value(f) for f in function.arguments if f.required or self.rng.random() < 0.5}
            given = {name: value for name, value in values.items() if value is not None}
            call = CallApi(app=self.card.app, function=function.name, arguments=given)
            world, _, done = self.where.after([call])
            if done and any(changed(self.where.initial, world)):
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
            if self.where.takes(call.model_copy(update={"arguments": {**call.arguments, name: _ANYTHING}})):
                arguments[name] = self.text(field)  # it names nothing, and is a text like any other
            elif store:
                found = self._record(f"{self.card.app}_{name}", store, str(value))
                if found is None:
                    return None
                arguments[name], kind, shown, more = found
                named[name], slots = (kind, shown), slots | more
        if not arguments.keys() - named.keys() and (not named or function.name.split("_")[0] in _CHANGES):
            return None  # it changes something by what is left out, which no words ask for
        words = self._words(function, arguments, named)
        return Operation(call.model_copy(update={"arguments": arguments}), words, slots)

    def _record(self, slot: str, store: str, key: str) -> tuple[str, str, str, dict[str, JsonObject]] | None:
        """What stands for a record in the call, its kind, what stands for its name in words, and the slots for both. It is one
        of the same kind, or in the same place, whose name no other record has."""
        known, place = self.stores[store], f"world.apps.{self.card.app}.{store}"
        one, labels = known[key], {"_".join(field.label.casefold().split()) for field in self.fields if field.key}
        sorts = [(n, v) for n, v in one.items() if isinstance(v, str) and v in self.kinds | self.places]
        kind = next((v for _, v in sorts if v in self.kinds), singular(store))
        keys = {key for store in self.stores.values() for key in store}
        texts = [n for n, v in one.items() if isinstance(v, str) and v and v not in keys and (n, v) not in sorts]
        name = "" if "/" in key else next((n for n in texts if n in labels), next(iter(texts), ""))
        wanted = [f'{place}[k].{n} == "{v}"' for n, v in sorts[:1]]
        if not name and "/" not in key:
            return None
        if name:
            if not _plain(one[name]) or [r[name] for r in known.values()].count(one[name]) > 1:
                return None
            wanted += [f'{place}[k].{name} != ""', f"{place}.filter(j, {place}[j].{name} == {place}[k].{name}).size() == 1"]
        slots = {
            f"{slot}_keys": {"value": f"{place}.filter(k, {' && '.join(wanted or ['true'])})"},
            slot: {"from": f"slots.{slot}_keys"},
        }
        if not name:  # the key says what it is called
            return f"{{{slot}}}", kind, f"{{{slot}}}", slots
        return f"{{{slot}}}", kind, f"{{{slot}_named.{name}}}", {**slots, f"{slot}_named": {"value": f"{place}[slots.{slot}]"}}

    # --- values ---

    def value(self, argument: FieldCard) -> JsonValue:
        """One such as the card has; None where nothing says what it could be."""
        known = self._field(argument)
        kind = known.type if known is not None and argument.type == "text" else argument.type
        if options := argument.options or (known.options if known is not None else ()):
            return self.rng.choice(options)
        match kind:
            case "truth":
                return self.rng.random() < 0.5
            case "number":
                return 5 * self.rng.randrange(2, 30)
            case "list":
                lists = [value for name, value in self.values if name == argument.words[0] and isinstance(value, list) and value]
                return self.rng.choice(lists) if lists else None
            case "money":
                return amount(self.rng)
        if known is not None and self.rng.random() < 0.7:
            return self.text(argument)
        names = [*(key for store in self.stores.values() for key in store), *self.options]
        return self.rng.choice(names) if names and self.rng.random() < 0.8 else self.text(argument)

    def text(self, argument: FieldCard) -> str:
        """Of the form that records here have in a field of this name."""
        known, name = self._field(argument), argument.words[0]
        kind = known.type if known is not None else argument.type
        have = [v for n, v in self.values if n == name and isinstance(v, str) and v]
        one = self.rng.choice(have or [""])
        if have and all(map(_WHEN.fullmatch, have)):
            return one
        if kind == "people" or (have and all("@" in value for value in have)):
            addresses = sorted(set(_ADDRESS.findall(str(self.where.initial["apps"][self.card.app]))))
            return self.rng.choice(addresses or ["ada.quist@example.com"])
        if kind == "date":
            return f"2026-{self.rng.randrange(1, 13):02}-{self.rng.randrange(1, 29):02}"
        if have and not any(map(str.isalpha, "".join(have))):
            return re.sub(r"\d", lambda _: str(self.rng.randrange(10)), one)
        if have and all(map(_PERSON.fullmatch, have)):
            return f"{self.rng.choice(made_up('first_names'))} {self.rng.choice(made_up('last_names'))}"
        if kind != "long_text" and len(set(have)) * 2 <= len(have) and _plain(one):
            return one
        paths = {k: self.noun in one.values() for store in self.stores.values() for k, one in store.items() if k.startswith("/")}
        if paths and name == "path":  # beside another, and with the ending of one of its kind
            folder, like = self.rng.choice(list(paths)), self.rng.choice([k for k, same in paths.items() if same] or [""])
            made = f"{topic(self.rng).replace(' ', '-')}-{self.rng.randrange(10, 100)}"
            return (
                str(PurePosixPath(folder).with_name(made).with_suffix(PurePosixPath(like).suffix))
                if folder != "/"
                else f"/{made}"
            )
        return paragraph(self.rng, 1) if kind == "long_text" else f"{topic(self.rng).capitalize()} {self.rng.randrange(10, 100)}"

    def _field(self, argument: FieldCard) -> FieldCard | None:
        """The field of a record that an argument is about."""
        label = argument.label.casefold()
        same = [field for field in self.fields if field.label.casefold() == label]
        words = ((field, field.label.casefold()) for field in self.fields)
        near = {said: field for field, said in words if label in said.split() or said.startswith(label)}
        return next(iter(same or near.values()), None) if same or len(near) == 1 else None

    # --- words ---

    def _words(self, function: FunctionCard, arguments: Arguments, named: Mapping[str, tuple[str, str]]) -> str:
        verb, *rest = function.name.split("_")
        noun, said = " ".join(rest), list[tuple[str, str]]()
        for field in function.arguments:
            if (name := field.words[0]) in arguments and name not in named:
                said.append((self._label(field), _shown(arguments[name])))
        records = [f'the {kind} "{shown}"' for kind, shown in named.values()]
        if verb in _CHANGES:
            return self._change(said, records)
        values = _listed([f'the {label} "{value}"' for label, value in said if label != "to"])
        values = "".join(f' to "{value}"' for label, value in said if label == "to") + (f" with {values}" if values else "")
        if not records:
            return f"{verb} {_a(noun or self.card.kinds[0].kind)}{values}"
        kind = next(iter(named.values()))[0]
        verb = f"{verb} to" if verb in _TO else verb
        if noun and any(v.control.casefold().endswith(f"as {noun}") for one in self.card.kinds for v in one.verbs):
            told = f"{verb} {records[0]} as {noun}"
        elif noun in self.kinds - {kind}:
            told = f"{verb} {_a(noun)} to {records[0]}"
        elif noun and noun != kind and kind not in rest:
            told = f"{verb} {records[0].replace(kind, noun, 1)}" if len(rest) == 1 else f"{verb} {records[0]} {noun}"
        else:
            told = f"{' '.join([verb, *rest[:-1]])} {records[0]}"
        told += "".join(f" to {one}" for one in records[1:])
        return told + (values.replace(" with ", " to ", 1) if any(value in self.options for _, value in said) else values)

    def _change(self, said: Sequence[tuple[str, str]], records: Sequence[str]) -> str:
        """A label that is a verb says what is done with its value: append it."""
        verbs = verb_words().keys() - {name for name, _ in self.values} if records else set[str]()
        deeds = [f'{label} "{value}" to {records[0]}' for label, value in said if label in verbs]
        sets = [(label, value) for label, value in said if label not in verbs]
        its, of = ("its", f" of {records[0]}") if records else ("the", "")
        told = [
            f'{its if number else "the"} {label}{"" if number else of} to "{value}"' for number, (label, value) in enumerate(sets)
        ]
        return _listed([*([f"change {_listed(told)}"] if told else []), *deeds])

    def _label(self, argument: FieldCard) -> str:
        """As screens have it, where that is a name and no sentence."""
        known = self._field(argument)
        return (known.label if known is not None and known.label.count(" ") < 3 else argument.label).casefold()


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
