"""What is written, compared with or told: as it was said, or as a fact that is found out before."""

from __future__ import annotations

import json
from collections.abc import Sequence

from environments.cards import FieldCard, KindCard
from roles.contracts.orders import (
    Amount,
    Back,
    ComputeStep,
    Of,
    ReadStep,
    Records,
    Text,
    Thing,
    Value,
    When,
    Worked,
)
from roles.policies.orders.grounding import Refusal, ground_field
from roles.policies.orders.records import Lookups
from roles.policies.orders.state import LOOKS, Row, Subject, escaped, is_many
from roles.screen.language.words import deeds, phrases
from roles.screen.texts import is_name


class Values(Lookups):
    """Values of the goal, as steps hold them."""

    def words(self, value: Value, field: FieldCard | None = None) -> str:
        """A value as a step holds it; what it needs is learned before."""
        match value:
            case Text() if field is not None and field.type == "truth":
                return escaped(deeds()["truths"].get(value.text.casefold(), value.text))
            case Text():
                return escaped(value.text)
            case Amount():
                return escaped(amount_text(value, field))
            case When():
                return escaped(when_text(value, field))
            case Of():
                return self._of(value)
            case Worked():
                return self._worked(value)
            case Back():
                return self._back(value)

    def _of(self, value: Of) -> str:
        name, back = value.thing.name, value.thing.back
        if name is not None and name.quoted and not value.fields and not self._maybe(value.thing.kind):
            return escaped(name.text)  # the line "...", the words "..."
        if back is not None and (back.to != self._at or self._row is None) and not value.thing.tests:
            known = [self._fact_said(field) for field in value.fields]
            if known and all(known):
                return " ".join(one for one in known if one)
        noun = "" if value.fields or value.thing.tests or back is not None or self._maybe(value.thing.kind) else value.thing.kind
        if (found := self._fact_said(noun)) is not None:  # a noun that no application has: "the output"
            return found
        if is_many(value.thing) or (value.thing.pick is not None and back is None):
            rows = self.rows(value.thing, value.fields)
            if not rows and self.reading.orders[self._at].verb != "answer":
                raise Refusal(f'there is no "{self.phrase(value.thing)}"')
            lines = [" ".join(self._cells(row, value.fields)) for row in rows]
            if is_many(value.thing) or all(lines):
                return escaped(("\n" if len(value.fields) > 1 else ", ").join(lines))
        if self._row is not None and self._is_row(value.thing):
            labels = [self._label(field, self._row.records) for field in value.fields]
            if all(label in self._row.cells for label in labels):
                return escaped(" ".join(self._cells(self._row, value.fields)))
        return " ".join("{" + name + "}" for name in self.read(value))

    def _fact_said(self, field: str) -> str | None:
        """The one fact that earlier orders found out under this name, or one that means the same."""
        names = [name for at, one in self._subjects.items() if at < self._at for name in one.facts]
        called = [(name.partition(" of ")[0], (name,), self._types.get(name, "text")) for name in names]
        fields = tuple(FieldCard(label=label, words=words, type=kind_of) for label, words, kind_of in called)
        probe = KindCard(kind="fact", fields=fields)
        found = ground_field(field, probe) if field else None
        return "{" + found.words[0] + "}" if found is not None else None

    def _cells(self, row: Row, fields: Sequence[str]) -> list[str]:
        if not fields:
            return [next(iter(row.cells.values()), "")]
        return [row.cells[self._label(field, row.records)] for field in fields]

    def read(self, value: Of) -> list[str]:
        """Names of the facts that fields of one record are."""
        records = self.one(value.thing, value.fields)
        kind = self.kind(records)
        keys = [field.label for field in kind.fields if field.key][:1]
        labels = [self._label(field, records) for field in value.fields] or keys
        phrase = self.phrase(value.thing)
        names, missing = [], []
        for label in labels:
            key = f"{records.model_dump_json()} {label}"
            known = key in self._names
            names.append(self._name(f"{label.lower()} of {phrase}", key))
            self._types[names[-1]] = next(field.type for field in kind.fields if field.label == label)
            if not known:
                missing.append((label, names[-1]))
        if missing:
            at, of = zip(*missing, strict=True)
            self._add(ReadStep(app=records.app, records=records, labels=at, names=of))
        return names

    def _back(self, value: Back) -> str:
        subject, asked = self._subjects.get(value.to, Subject()), self.reading.orders[value.to]
        if not value.field and not subject.facts and asked.verb in {"find", "answer"} and value.to < self._at:
            return ", ".join(self.words(slot.value) for slot in asked.slots if slot.role == "value")
        pick = next((slot.value.thing.pick for slot in asked.slots if isinstance(slot.value, Of)), None)
        if value.field == "day" and pick is not None and pick.by.endswith(" date"):  # which is due next? On that day
            value = value.model_copy(update={"field": pick.by})
        if subject.facts and (not value.field or (len(subject.facts) == 1 and value.field in phrases("results"))):
            return " ".join("{" + name + "}" for name in subject.facts)
        if (known := self._fact_said(value.field)) is not None:
            return known
        if not subject.rows or (not value.field and self.reading.orders[self._at].verb != "answer"):
            raise Refusal(f'"{self._said(value.spans)}" refers to nothing whose text is known')
        thing = Thing(back=Back(to=value.to), spans=value.spans, quantity="all" if len(subject.rows) > 1 else "one")
        return self._of(Of(fields=(value.field,) if value.field else (), thing=thing))

    def _worked(self, value: Worked) -> str:
        """What is worked out over the records of one kind, as a fact; lists are joined here."""
        parts = [self._of_each(of) for of in value.of]
        if value.how == "joined":
            return "\n".join(self.words(of) for of in parts)
        of = parts[0]
        if len(parts) > 1 or not isinstance(of, Of) or of.thing.also or not (value.how == "count" or is_many(of.thing)):
            raise Refusal(f'"{self._said(value.spans)}": only what is of many records of one kind is worked out')
        if value.how != "count" and not of.fields:
            raise Refusal(f'"{self.phrase(of.thing)}": it is not said of which field the {value.how} is meant')
        thing = of.thing.model_copy(update={"quantity": "all", "number": 0}) if value.how == "count" else of.thing
        base = self._base(thing, of.fields[:1])
        wanted = base if base.pick is not None else base.model_copy(update={"exactly": 0})
        labels = [self._label(field, base) for field in of.fields[:1]]
        table = self._collected(wanted, self.phrase(of.thing), labels)
        self._check_named(wanted, table)
        word = {"largest": "maximum", "smallest": "minimum"}.get(value.how, value.how)
        formula = f"fact {json.dumps(table, ensure_ascii=False)} | {word}" + ("" if value.how == "count" else f" [{labels[0]}]")
        name = self._name(self._said(value.spans) or f"{value.how} {self._at + 1}", f"{self._at} {formula}")
        self._add(ComputeStep(formula=formula, name=name))
        return "{" + name + "}"

    def _check_named(self, records: Records, name: str) -> None:
        """Nothing is worked out over a name that no record has; of one that some have, none may be in this or that state."""
        options = {field.label for field in self.kind(records).fields if field.options}
        named = [
            test for test in records.tests
            if test.label not in options and test.relation in {"is", "has"} and not test.negated
            and test.value[:1].isupper() and "{" not in test.value
        ]  # fmt: skip
        if not named or self._need(name)[0].rows:
            return
        called = ", ".join(f'"{test.value}"' for test in named)
        bare = Records(app=records.app, kind=records.kind, place=records.place, tests=tuple(named), exactly=0)
        if not self._need(self._collected(bare, f"{records.kind} of {called}", ()))[0].rows:
            raise Refusal(f"no person and no record called {called} is known in {self.card(records.app).title}")

    def _of_each(self, value: Value) -> Value:
        """ "These totals": the totals of those that an earlier order was done for each of."""
        back = value if isinstance(value, Back) else value.thing.back if isinstance(value, Of) and not value.thing.tests else None
        if back is None or back.to >= self._at:
            return value
        earlier = self.reading.orders[back.to]
        if earlier.verb in LOOKS and earlier.object is not None and is_many(earlier.object) and isinstance(value, Of):
            return value.model_copy(update={"thing": earlier.object})  # how many there are
        per = next((slot.value for slot in earlier.slots if slot.role == "per"), None)
        fields = (value.field,) if isinstance(value, Back) and value.field else value.fields if isinstance(value, Of) else ()
        return Of(fields=fields, thing=per.thing, spans=value.spans) if isinstance(per, Of) and fields else value

    def _people(self, value: Value) -> list[str]:
        """Names, for an application that knows people by them."""
        if isinstance(value, Of) and not value.fields:
            thing = value.thing
            if thing.name is not None and not thing.tests and thing.quantity == "one":
                return [escaped(thing.name.text), *(name for more in thing.also for name in self._people(Of(thing=more)))]
            return [escaped(next(iter(row.cells.values()))) for row in self.rows(thing)]
        return [self.words(value)]

    def _address(self, value: Value) -> str:
        """Where a mail to somebody goes: what stands in the application that holds people."""
        if isinstance(value, Text) and "@" not in value.text:
            value = Of(thing=Thing(name=value, spans=value.spans), spans=value.spans)
        if not isinstance(value, Of) or value.fields:
            said = self.words(value)
            return ", ".join(self._address(Text(text=name)) for name in self._people_in(said)) or said
        kind = next((kind for card in self.cards for kind in card.kinds if kind.holds_people), None)
        if kind is None:
            raise Refusal(f'the address of "{self._said(value.spans)}" is not said, and no application holds addresses')
        label = next(field.label for field in kind.fields if field.type == "people" and not field.key)
        addresses = []
        for one in (value.thing.model_copy(update={"also": ()}), *value.thing.also):
            thing = one if one.kind else one.model_copy(update={"kind": kind.kind})
            rows = self.rows(thing, (label,)) if is_many(thing) else []
            if none := [next(iter(row.cells.values()), "") for row in rows if not row.cells.get(label, "").strip()]:
                raise Refusal(f'"{self.phrase(thing)}": no {label} is known of {", ".join(none)}', ask=True)
            addresses.append(self._of(Of(fields=(label,), thing=thing)))
        return ", ".join(addresses)

    def _people_in(self, said: str) -> list[str]:
        """Names that a field holds where addresses are wanted: the attendees of a meeting."""
        homes = [kind for card in self.cards for kind in card.kinds if kind.holds_people]
        fact = said[1:-1] if said.startswith("{") and said.count("{") == 1 and said.endswith("}") else ""
        held = self._known(fact) if fact and homes else "" if "{" in said else said if homes else ""
        names = [name.strip() for name in held.split(",")]
        return names if "@" not in held and all(map(is_name, names)) else []

    def _rows_told(self, values: Sequence[Value]) -> tuple[Row, ...]:
        """The records that were looked at for these values."""
        for value in values if not self.on_page else ():
            counted = value.of[0] if isinstance(value, Worked) and value.how == "count" else None
            if isinstance(counted, Of) and counted.thing.back is None:
                return tuple(self.rows(counted.thing.model_copy(update={"quantity": "all"})))
            if isinstance(value, Of) and value.thing.back is None:
                many = is_many(value.thing)
                return tuple(self.rows(value.thing, value.fields)) if many else (Row(self.one(value.thing, value.fields)),)
        return ()


def amount_text(value: Amount, field: FieldCard | None) -> str:
    """A number as a field takes it: without what it counts where the field is one of numbers."""
    if field is None or field.type not in {"number", "money"}:
        return value.text
    return f"{value.number:.2f}" if field.type == "money" or value.number % 1 else f"{value.number:g}"


def when_text(value: When, field: FieldCard | None) -> str:
    """A day or time in figures; a span with both ends."""
    if field is not None and field.type == "date":
        return value.first[:10] or value.text
    if field is not None and field.type == "time":
        return value.first[11:] or value.start or value.text
    if value.minutes and not value.first and not value.start:
        return value.text
    first = value.first or value.start
    last = (value.last if value.first else value.end) or first
    return first if last == first else f"{first} .. {last}" if first else value.text
