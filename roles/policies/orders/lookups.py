"""What is looked up first: which records are meant, whether a condition holds, what is written, compared or told."""

import json
from collections.abc import Sequence, Set
from string import digits

from environments.cards import FieldCard, KindCard
from roles.contracts.orders import (
    Amount,
    Back,
    CollectStep,
    ComputeStep,
    Condition,
    Of,
    Order,
    ReadStep,
    Records,
    RowTest,
    Text,
    Thing,
    Value,
    When,
    Worked,
)
from roles.contracts.values import Table, parse_time
from roles.policies.orders.grounding import Refusal, ground_field, housed, is_of, place_called, to_records
from roles.policies.orders.state import LOOKS, PlanState, Row, Subject, each_of, escaped, is_many
from roles.screen.language.words import Lexicon, deeds, phrases
from roles.screen.matching import box_for
from roles.screen.rows import Row as SeenRow
from roles.screen.rows import matches, says
from roles.screen.texts import is_name
from roles.screen.values import is_a, is_masked, minutes_in, takes_place

MOST_ROWS = 40
"""Records that one order is done for."""
_MOMENTS = frozenset({"date", "day", "time", "start", "end", "start time", "end time"})
_BETWEEN = '" · "'
"""What stands between texts in which a value is looked for: no part of any."""
LASTING = frozenset({"people", "date", "time", "money", "number"})
"""Types of columns by which a record is told from others of the same name."""


class Lookups(PlanState):
    """Things to records, conditions to whether they hold, and values to what steps hold of them."""

    def _candidates(self, thing: Thing, fields: Sequence[str]) -> list[Records]:
        order, verb = self.reading.orders[self._at], ""
        objects = (order.object, *order.object.also) if order.object is not None else ()
        if any((thing.name, thing.kind) == (one.name, one.kind) for one in objects):
            verb = order.verb if order.verb not in {*LOOKS, "set", "move", "postpone"} else ""
            asked = [slot.field for slot in order.slots if slot.field and order.verb == "set"]
            moved = order.verb in {"move", "postpone"} and any(isinstance(slot.value, When) for slot in order.slots)
            fields = fields or asked or (["start time"] if moved else [])
        thing = self._housed(thing)
        if any(isinstance(test.value, Of) and is_many(test.value.thing) for test in thing.tests):
            raise Refusal(f'"{self.phrase(thing)}" is not understood: it is several at once')
        cards, place = self.cards, thing.place
        home = self._app_called(place) if place is not None and not place.tests else None
        if home is not None or (place is not None and self._is_all(place)):
            thing, cards = thing.model_copy(update={"place": None}), [home] if home is not None else cards
        found = to_records(thing, cards, self.words, fields=fields, verb=verb)
        found = [one for one in found if verb and box_for(order, self.kind(one))] or found
        found = [one for one in found if all(test.label for test in one.tests)] or found
        for test in thing.tests:
            if isinstance(test.value, Text) and not test.value.quoted and not test.field and test.value.text.islower():
                loose = RowTest(value=escaped(test.value.text), negated=test.negated)
                if test.relation == "is" and all(loose in one.tests for one in found):
                    there = " or ".join(sorted({one.kind for one in found}))
                    raise Refusal(f'"{test.value.text}" is not known of a {there}')
        known = self._homes.get(self._shape(thing))
        if at_home := [one for one in found if (one.app, one.kind) == known]:
            return at_home
        if not fields or not {*fields} <= _MOMENTS or self._maybe(thing.kind) or (thing.name is not None and thing.name.quoted):
            return found
        # When something is that no application has a word for: of what takes place, not of the mails about it.
        return [one for one in found if any(f.type == "time" and f.written for f in self.kind(one).fields)] or found

    def _is_all(self, place: Thing) -> bool:
        """Whether a place is all that there is: the house, where no application keeps things in one that is called so."""
        bare = place.kind in phrases("wholes") and place.name is None and not place.tests
        return bare and not any(place_called(place.kind, kind) for card in self.cards for kind in card.kinds)

    def _shape(self, thing: Thing) -> tuple[str, str]:
        """By what the home of a thing is known again: its kind and name; numbers like INV-1200 and INV-1550 are kept together."""
        name = thing.name.text if thing.name is not None else ""
        return thing.kind, name.rstrip(digits) if is_a("id", name) else name

    def _housed(self, thing: Thing) -> Thing:
        """A person is who some application holds as such; what stands in a place is what is kept there."""
        thing = housed(thing, self.cards, self._app_called(thing.place) if thing.place is not None else None)
        if thing.name is not None and not thing.kind and is_a("file", thing.name.text) and self._maybe("file"):
            return thing.model_copy(update={"kind": "file"})
        place = thing.place
        held = [kind for _, kind in self._maybe(place.kind)] if place is not None else []
        if thing.kind or thing.name is not None or place is None or len(held) != 1:
            return thing
        if held[0].some_of:  # all in the folder Old: what else is listed where folders are
            return thing.model_copy(update={"kind": held[0].some_of})
        return thing if place.name is not None else thing.model_copy(update={"kind": place.kind, "place": None})  # in my cart

    def _base(self, thing: Thing, fields: Sequence[str] = ()) -> Records:
        """The records that are meant, in the one application that holds them; where several may, each is looked into."""
        if thing.back is not None:
            return self._narrowed(thing)
        found = self._candidates(thing, fields)
        name = self._shape(thing)
        if len(found) == 1:
            self._homes[name] = (found[0].app, found[0].kind)
            return found[0]
        phrase = self.phrase(thing)
        names = []
        for one in found:
            looked = one.model_copy(update={"exactly": 0, "pick": None})
            names.append(self._collected(looked, f"{phrase} in {self.card(one.app).title}", ()))
        hits = [one for one, table in zip(found, self._need(*names), strict=True) if table.rows]
        apps = [self.card(one.app).title for one in found]
        if not hits:
            raise Refusal(f'"{phrase}" was not found in {", ".join(apps)}')
        order = self.reading.orders[self._at]
        asked = fields or [slot.field for slot in order.slots if slot.field and order.verb == "set"]
        people = [one for one in hits if self.kind(one).holds_people] if asked else []
        hits = people if len(people) == 1 else hits  # their number or address is wanted
        if len(hits) > 1:
            held = " and ".join(self.card(one.app).title for one in hits)
            raise Refusal(f'"{phrase}" may be meant in {held}; say which', ask=True)
        self._homes[name] = (hits[0].app, hits[0].kind)
        return hits[0]

    def _narrowed(self, thing: Thing) -> Records:
        """What was spoken of before, with more tests."""
        assert thing.back is not None  # noqa: S101 - for mypy; only called with one
        subject = self._subjects.get(thing.back.to, Subject())
        if not subject.rows:
            raise Refusal(f'"{self._said(thing.spans) or "it"}" refers to nothing that can be worked on')
        base = subject.rows[0].records
        if len(subject.rows) > 1:
            raise Refusal(f'"{self._said(thing.spans)}" may be any of {len(subject.rows)} records')
        bare = thing.model_copy(update={"back": None, "kind": base.kind, "name": None, "place": None})
        more = to_records(bare, [self.card(base.app)], self.words)[0]
        news = {"tests": (*base.tests, *more.tests), "pick": more.pick or base.pick, "but": (*base.but, *more.but)}
        return base.model_copy(update={**news, "exactly": more.exactly})

    def one(self, thing: Thing, fields: Sequence[str] = ()) -> Records:
        """The single record that is meant."""
        if self._row is not None and self._is_row(thing):
            return self._row.records
        if thing.back is not None and not thing.tests and thing.pick is None:
            rows = self._subjects.get(thing.back.to, Subject()).rows
            if len(rows) == 1:
                return rows[0].records
        if thing.pick is None and not is_many(thing):
            return self._base(thing, fields).model_copy(update={"exactly": 1})
        rows_ = self.rows(thing)
        if len(rows_) != 1:
            raise Refusal(f'"{self.phrase(thing)}" should be one, and there are {self._list(rows_)}', ask=True)
        return rows_[0].records

    def _is_row(self, thing: Thing) -> bool:
        """Whether "it" of a repetition is meant: the record that this turn is for."""
        plain = thing.name is None and not thing.tests and thing.pick is None and thing.quantity == "one"
        back = thing.back is not None and thing.back.to == self._at
        same = self._row is not None and thing.back is None and thing.kind in {"", self._row.records.kind}
        return plain and (back or same)

    def rows(self, thing: Thing, fields: Sequence[str] = ()) -> list[Row]:
        """Every record that is meant, found by a collecting look."""
        found = [row for part in each_of(thing) for row in self._rows_of(part, fields)]
        return list({row.records.model_dump_json(): row for row in found}.values())

    def _rows_of(self, thing: Thing, fields: Sequence[str]) -> list[Row]:
        if thing.back is not None and not thing.tests and thing.pick is None and not thing.but:
            subject = self._subjects.get(thing.back.to, Subject())
            if (made := self._made_by(thing, subject)) is not None:
                return [made]
            if thing.quantity == "number" and len(subject.rows) not in {0, thing.number}:
                there = self._list(subject.rows)
                raise Refusal(f'"{self._said(thing.spans)}" should be {thing.number}, and there is {there}', ask=True)
            labels = [self._label(field, subject.rows[0].records) for field in fields] if subject.rows else []
            if subject.rows and all(set(labels) <= set(row.cells) for row in subject.rows):
                return list(subject.rows)
        single = not is_many(thing) and thing.pick is None and thing.quantity in {"one", "any"}
        if single and not fields:
            return [Row(self.one(thing))]
        base = self._base(thing, fields)
        kind = self.kind(base)
        wanted = base if base.pick is not None and not single else base.model_copy(update={"exactly": 0})
        labels = [self._label(field, base) for field in fields]
        shown = {field.label for field in kind.fields if field.listed}
        (table,) = self._need(self._collected(wanted, self.phrase(thing), [] if set(labels) <= shown else labels))
        cells = [(name, str(cell)) for row in table.rows for name, cell in zip(table.columns, row, strict=False)]
        hidden = any(name in labels and is_masked(cell, name) for name, cell in cells)
        if hidden or not set(labels) <= set(table.columns):  # then each is opened
            (table,) = self._need(self._collected(wanted, self.phrase(thing), labels))
        self._check_number(thing, table, base, single=single)
        keys = [field.label for field in kind.fields if field.key and field.label in table.columns] or list(table.columns[:1])
        return [self._row_of(base, table, row, keys) for row in table.rows]

    def _made_by(self, thing: Thing, subject: Subject) -> Row | None:
        """ "That note", where a mail was saved to the notes: the one there that is called as the mail is."""
        order = self.reading.orders[thing.back.to] if thing.back is not None else Order(verb="")
        other = thing.kind and len(subject.rows) == 1 and not is_of(thing.kind, self.kind(subject.rows[0].records))
        name = order.object.name if order.object is not None else None
        if not other or order.verb not in {"save", "copy"} or name is None:
            return None
        into = [slot.value for slot in order.slots if slot.role == "into"]
        words = {one.thing.kind if isinstance(one, Of) else one.text.casefold() for one in into if isinstance(one, Of | Text)}
        homes = [(card, kind) for card, kind in self._maybe(thing.kind) if words & {kind.kind, *kind.words, card.app}]
        keys = [field.label for _, kind in homes for field in kind.fields if field.key and field.listed]
        if len(homes) != 1 or len(keys) != 1:
            return None
        tests = (RowTest(label=keys[0], value=escaped(name.text)),)
        return Row(Records(app=homes[0][0].app, kind=homes[0][1].kind, tests=tests))

    def _check_number(self, thing: Thing, table: Table, base: Records, *, single: bool) -> None:
        """As many as the goal says, and no more than can be done."""
        said = thing.number if thing.quantity == "number" else 0
        number = 1 if single else thing.pick.number if thing.pick is not None else said
        there, where = len(table.rows), f'"{self.phrase(thing)}" in {self.card(base.app).title}'
        if there > MOST_ROWS:
            raise Refusal(f"{where} are {there}; at most {MOST_ROWS} are worked on at once")
        if number and there != number:
            told = ", ".join(row[0] for row in table.rows[:6]) or "none"
            raise Refusal(f"{where} should be {number}, and there is {told}", ask=bool(there))

    def _row_of(self, base: Records, table: Table, cells: Sequence[str], keys: Sequence[str]) -> Row:
        """The record of a row of a table: by its key and what else stays as it is, since others may have the same key."""
        known = dict(zip(table.columns, cells, strict=True))
        kind, filled = self.kind(base), [label for label in known if known[label]]
        lasting = {field.label for field in kind.fields if field.type in LASTING and not field.options}
        own = [test for test in base.tests if not test.label or test.label in lasting]
        alike = [row for row in table.rows if all(row[table.columns.index(key)] == known[key] for key in keys)]
        more = len(alike) > 1 or base.pick is not None or len(own) < len(base.tests)  # else no other one has its name and these
        columns = [label for label in filled if label in keys or (more and label in lasting)] or filled
        tests = (*(RowTest(label=column, value=escaped(known[column])) for column in columns), *([] if more else own))
        return Row(Records(app=base.app, kind=base.kind, place=base.place, tests=tests), known)

    def _collected(self, records: Records, phrase: str, labels: Sequence[str]) -> str:
        """The name of the table fact that a collecting look will bring."""
        kind = self.kind(records)
        keys = [field.label for field in kind.fields if field.key and field.listed] or [f.label for f in kind.fields if f.key]
        columns = tuple(dict.fromkeys([*keys, *labels])) if labels else ()  # of none in particular: those that the list shows
        key = f"{records.model_dump_json()} {columns}"
        known = key in self._names
        name = self._name(phrase, key)
        if not known:
            self._add(CollectStep(records=records, labels=columns, name=name))
        return name

    def _label(self, field: str, records: Records) -> str:
        kind = self.kind(records)
        found, keys = ground_field(field, kind), [one for one in kind.fields if one.key and one.listed]
        if field in {"start", "end"} and found is not None and not found.listed:  # its list says both in one
            found = next((one for one in kind.fields if one.type == "time" and one.listed and not one.written), found)
        own = next((noun for noun in (kind.kind, *kind.words) if field.startswith(f"{noun} ")), "")
        if found is None and field.removeprefix(f"{own} ") in {"number", "name", "title"} and len(keys) == 1:
            found = keys[0]  # what it is called by
        dated = len([one for one in kind.fields if one.type == "date"]) > 1 and not any(one.type == "time" for one in kind.fields)
        if field == "day" and dated:
            raise Refusal(f'"{field}": a {kind.kind} in {self.card(records.app).title} has several; say which')
        if found is None:
            there = ", ".join(one.label for one in kind.fields) or "none"
            raise Refusal(f'"{field}": a {kind.kind} in {self.card(records.app).title} has no such field; fields are {there}')
        return found.label

    def _holds(self, condition: Condition) -> bool:
        """Whether it holds, once what it asks is known."""
        if self.on_page:
            raise Refusal(f'"{self._said(condition.spans)}": what a page shows is not known beforehand')
        thing = condition.thing
        if not condition.tests:
            there, about = self._looked(thing), self.reading.orders[self._at].object
            dated = any(isinstance(test.value, When) for test in thing.tests) and thing.name is None
            phrase = self.phrase(about) if about is not None and dated else ""
            if there and phrase and all(row.cells and says(phrase, next(iter(row.cells.values()))) for row in there):
                raise Refusal(f'then there is only "{phrase}" itself: does that count?', ask=True)
            return bool(there) != condition.negated
        asked = thing.model_copy(update={"tests": (*thing.tests, *condition.tests)})
        if thing.back is None:
            self._base(asked)
        there = self._looked(thing)
        if not there:
            raise Refusal(f'"{self.phrase(thing)}" was not found, so its condition cannot be checked')
        if thing.quantity == "one" and thing.pick is None and len(there) > 1:
            raise Refusal(f'"{self.phrase(thing)}" may be any of {self._list(there)}', ask=True)
        met = self._met(condition, there)
        met = self._looked(asked) if met is None else met
        holds = len(met) == len(there) if thing.quantity in {"all", "number"} else bool(met)
        return holds != condition.negated

    def _met(self, condition: Condition, there: Sequence[Row]) -> list[Row] | None:
        """Those for which it holds, by what is known of them; None where that does not tell."""
        first = there[0].records
        asked = Thing(kind=first.kind, tests=condition.tests)
        tests = to_records(asked, [self.card(first.app)], self.words)[0].tests
        cells = [SeenRow(" ".join(row.cells.values()), "", tuple(row.cells.items())) for row in there]
        verdicts = [matches(row, tests) if row.cells and not any("{" in t.value for t in tests) else None for row in cells]
        return None if None in verdicts else [row for row, holds in zip(there, verdicts, strict=True) if holds]

    def _looked(self, thing: Thing) -> list[Row]:
        """What there is of it: none is an answer, too."""
        rows = self.rows(thing.model_copy(update={"quantity": "all", "number": 0}) if thing.pick is None else thing)
        timed = next((t.value for t in thing.tests if isinstance(t.value, When) and t.value.start and t.relation == "on"), None)
        if timed is None:
            return rows
        met = [(row, self._meets(row, timed)) for row in rows]
        busy = [row for row, meets in met if meets]
        if not busy and any(meets is None for _, meets in met):
            raise Refusal(f"free at {timed.start}, and something begins within the hour: is that meant?", ask=True)
        return busy

    def _meets(self, row: Row, when: When) -> bool | None:
        """Whether what takes place takes some of that time; None where it begins within an hour of it. Raises Refusal."""
        times = minutes_in(row.cells.values())[-2:]
        if len(times) < 2:
            raise Refusal(f"it is not shown when {next(iter(row.cells.values()), 'it')!r} begins and ends")
        later = times[0] - (parse_time(when.start) or 0)
        return None if not when.end and 0 < later < 60 else takes_place(times, when)

    # --- values -----------------------------------------------------------------------------------------------------------

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
            case Of(fields=(), thing=thing) if thing.also:
                return ", ".join(self._of(value.model_copy(update={"thing": one})) for one in each_of(thing))
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
        if known := self._found_out(value) or self._in_texts(value):
            return known
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

    def _in_texts(self, value: Of) -> str:
        """The one value of a kind in all texts that are meant, where their records have no such field; empty where they have, and
        for what no text is known to hold."""
        field = value.fields[0] if len(value.fields) == 1 else ""
        shape = Lexicon.english().data["shapes"].get(field)
        if shape is None or value.thing.back is not None:
            return ""
        found = self._candidates(value.thing, ())
        prose = {(one.app, one.kind): self._prose(self.kind(one)) for one in found}
        if any(ground_field(field, self.kind(one)) for one in found) or not all(prose.values()):
            return ""
        texts = []
        for one in found:
            label, inside = prose[(one.app, one.kind)], f"{self.phrase(value.thing)} in {self.card(one.app).title}"
            if not any(each.label == label and each.listed for each in self.kind(one).fields):  # it stands on its own page
                key = f"{one.model_dump_json()} {label}"
                known, name = key in self._names, self._name(inside, key)
                if not known:
                    one = one.model_copy(update={"exactly": 1})
                    self._add(ReadStep(app=one.app, records=one, labels=(label,), names=(name,)))
                texts.append(f"fact {json.dumps(name, ensure_ascii=False)}")
                continue
            sender = next((test.value for test in one.tests if test.relation == "from" and not test.negated), "")
            place = one.place or (sender if self.kind(one).within else "")
            table = self._collected(one.model_copy(update={"exactly": 0, "place": place}), inside, (label,))
            texts.append(f"table {json.dumps(table, ensure_ascii=False)} | column [{label}] | join {_BETWEEN}")
        what = json.dumps(field if shape == "named" else shape)
        formula = f"found({what}, {', '.join(texts)})"
        known = formula in self._names
        name = self._name(f"{field} of {self.phrase(value.thing)}", formula)
        if not known:
            self._add(ComputeStep(formula=formula, name=name))
        return "{" + name + "}"

    def _prose(self, kind: KindCard) -> str:
        """The label of the only text that records of a kind have, besides their names."""
        long = [field.label for field in kind.fields if field.type == "long_text"]
        texts = long or [field.label for field in kind.fields if field.type == "text" and field.listed and not field.key]
        return texts[0] if len(texts) == 1 else ""

    def _found_out(self, value: Of) -> str:
        """The facts that an earlier order found out under these names; empty where it did not. Raises Refusal."""
        back = value.thing.back
        if back is None or (back.to == self._at and self._row is not None) or value.thing.tests:
            return ""
        known = [self._fact_said(field) for field in value.fields]
        if known and all(known):
            return " ".join(one for one in known if one)
        subject, asked = self._subjects.get(back.to, Subject()), self.reading.orders[back.to]
        sums = [slot.value for slot in asked.slots if isinstance(slot.value, Worked) and slot.value.how == "sum"]
        if sums and value.fields in {("sum",), ("total",)} and len(subject.facts) == 1:
            return "{" + subject.facts[0] + "}"
        kinds = [self.kind(row.records) for row in subject.rows]
        if any(self._types.get(fact) == "people" for fact in subject.facts) and any(
            not ground_field(field, kind) for field in value.fields for kind in kinds
        ):
            raise Refusal(f'"{self._said(value.spans)}": it is not certain whose that is')  # "who sent it?", and "the name"
        return ""

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
            keys = [field.label for field in self.kind(row.records).fields if field.key and field.label in row.cells]
            return [row.cells[keys[0]] if keys else next(iter(row.cells.values()), "")]
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
        self._check_named(wanted, table, {"is", "has"} if value.how == "count" else {"is", "has", "from"})
        word = {"largest": "maximum", "smallest": "minimum"}.get(value.how, value.how)
        formula = f"fact {json.dumps(table, ensure_ascii=False)} | {word}" + ("" if value.how == "count" else f" [{labels[0]}]")
        name = self._name(self._said(value.spans) or f"{value.how} {self._at + 1}", f"{self._at} {formula}")
        self._add(ComputeStep(formula=formula, name=name))
        return "{" + name + "}"

    def _check_named(self, records: Records, name: str, relations: Set[str]) -> None:
        """Nothing is worked out over a name that no record has; of one that some have, none may be in this or that state."""
        options = {field.label for field in self.kind(records).fields if field.options}
        named = [
            test for test in records.tests
            if test.label not in options and test.relation in relations and not test.negated
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
            rows = [self._row] if self._row is not None and self._is_row(thing) else self.rows(thing)
            return [escaped(next(iter(row.cells.values()))) for row in rows]
        return [self.words(value)]

    def _in_full(self, name: str) -> str:
        """The whole name of whoever is called so by one word of it; which of several is asked."""
        homes = [(card, kind) for card in self.cards for kind in card.kinds if kind.holds_people]
        if len(homes) != 1 or len(name.split()) > 1 or not is_name(name):
            return name
        ((card, kind),) = homes
        key = next(field.label for field in kind.fields if field.key)
        records = Records(app=card.app, kind=kind.kind, tests=(RowTest(label=key, relation="has", value=name),), exactly=0)
        (table,) = self._need(self._collected(records, f"{name} in {card.title}", ()))
        names = list(dict.fromkeys(row[table.columns.index(key)] for row in table.rows))
        if len(names) > 1:
            raise Refusal(f'"{name}" may be {" or ".join(names)} in {card.title}', ask=True)
        return escaped(names[0]) if names else name

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
            if self._row is not None and not addresses[-1].strip():
                raise Refusal(f'no {label} is known of "{next(iter(self._row.cells.values()), "")}"', ask=True)
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
            if isinstance(value, Of) and value.thing.back is None and not self._in_texts(value):
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
