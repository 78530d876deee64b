"""Operations drawn from app cards: a call of a function that changes something in a world, and words that ask for it."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import JsonValue

from environments.cards import AppCard, FieldCard, FunctionCard, singular, verb_words
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.values import amount, paragraph, topic
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
        held = {name: value for name, value in fields if isinstance(value, dict) and value}
        return {name: value for name, value in held.items() if all(isinstance(one, dict) for one in value.values())}

    def after(self, actions: Sequence[Action]) -> tuple[SimulatedDesktop, bool]:
        """The desktop after these actions, and whether all of them were done."""
        fork = self.desktop.fork()
        done = [fork.perform(action, key=str(number)).ok for number, action in enumerate(actions)]
        return fork, all(done)


@lru_cache(maxsize=128)
def stage(world: str, seed: int) -> Stage:
    return Stage(world, seed)


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
        if "/" in key:  # a path says what it is called
            keys = {"value": f"{place}.filter(k, {' && '.join(wanted or ['true'])})"}
            return kind, f"{{{slot}}}", {f"{slot}_keys": keys, slot: {"from": f"slots.{slot}_keys"}}
        names = [name for name, value in texts.items() if not any(value in store for store in self.stores.values())]
        name = next((one for one in names if one in labels), next(iter(names), ""))
        if not name or not _plain(texts[name]) or [one[name] for one in known.values()].count(texts[name]) > 1:
            return None
        wanted += [f'{place}[k].{name} != ""', f"{place}.filter(j, {place}[j].{name} == {place}[k].{name}).size() == 1"]
        named = {"value": f"{place}[slots.{slot}]"}
        keys = {"value": f"{place}.filter(k, {' && '.join(wanted)})"}
        return (
            kind,
            f"{{{slot}_named.{name}}}",
            {f"{slot}_keys": keys, slot: {"from": f"slots.{slot}_keys"}, f"{slot}_named": named},
        )

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
            of = [f" of {records[0]}" if records else "", *("" for _ in said)]
            return "change " + _listed(
                [f'the {label}{whose} to "{value}"' for (label, value), whose in zip(said, of, strict=False)]
            )
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
