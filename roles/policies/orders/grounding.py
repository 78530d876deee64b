"""From what words ask for to what applications hold: kinds, fields, verbs and places of their cards."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from rapidfuzz import fuzz

from environments.cards import AppCard, FieldCard, FieldType, KindCard, VerbCard, singular, verb_words
from roles.contracts.orders import Amount, Of, Pick, Records, RowTest, Test, Text, Thing, Value, When
from roles.screen.language.words import Lexicon, deeds, phrases
from roles.screen.matching import GOOD, similarity
from roles.screen.page import PARTLY
from roles.screen.texts import is_words
from roles.screen.values import is_a

_NEAR = 0.02
"""Scores that differ by less are equally good."""
_BY_TYPE: dict[str, tuple[FieldType, ...]] = {
    "date": ("date",), "time": ("time",), "amount": ("money", "number"), "price": ("money",), "total": ("money",),
}  # fmt: skip
_UNITS = {"degree": "°c", "temperature": "°c", "percent": "%", "°": "°c"}
_UNTOLD = "{app} lists them among its {kind}s and does not tell which they are; name them"
_INVITES = frozenset({"write", "add", "select", "find"})
"""Verbs by which a hint says what is to be written."""
_STANDING = ("record", "row", "form", "app", "list")


class Refusal(Exception):
    """Why a goal is not planned, in one sentence; with `ask`, a person may say what is missing."""

    def __init__(self, why: str, *, ask: bool = False) -> None:
        super().__init__(why)
        self.ask = ask


class Ungrounded(Refusal):
    """No application has what is meant: one sentence on which words those are, and what there is instead."""


@cache
def _groups() -> dict[str, frozenset[int]]:
    data = Lexicon.english().data
    numbered = list(enumerate([*data["nouns"], *data["fields"]]))
    return {_bare(word): frozenset(n for n, group in numbered if word in group) for _, group in numbered for word in group}


def _bare(words: str) -> str:
    """Without case, number and what stands for a record's own name."""
    plain = " ".join(words.replace("{title}", " ").replace("…", " ").casefold().split())
    *before, last = plain.split() or [""]
    return " ".join((*before, singular(last)))


def _same(one: str, other: str) -> bool:
    a, b = _bare(one), _bare(other)
    return a == b or bool(_groups().get(a, frozenset()) & _groups().get(b, frozenset()))


# Kinds


def ground_kind(words: str, cards: Sequence[AppCard]) -> list[tuple[AppCard, KindCard]]:
    """The kinds of record that a noun may mean; several only where they are equally good. Raises Ungrounded."""
    scored = [(_kind_score(words, card, kind), card, kind) for card in cards for kind in card.kinds]
    best = max((score for score, _, _ in scored), default=0.0)
    if best < GOOD:
        there = "; ".join(f"{card.title}: {', '.join(k.kind for k in card.kinds)}" for card in cards if card.kinds)
        raise Ungrounded(f'no application holds "{words}"; there are {there or "none"}')
    return [(card, kind) for score, card, kind in scored if best - score < _NEAR]


def _kind_score(words: str, card: AppCard, kind: KindCard) -> float:
    noun = _bare(words)
    own = [_bare(word) for word in (kind.kind, *kind.words)]
    *before, head = noun.split() or [""]
    if noun == own[0]:
        return 1.0
    if noun in own:
        return 0.99
    if any(_same(noun, word) for word in own):
        return 0.96
    if before and (_names_app(" ".join(before), card) or " ".join(before) in own):
        return min(1.0, _kind_score(head, card, kind) + 0.03)
    if place_called(noun, kind):
        return 0.9
    if card.kinds[:1] == (kind,) and (_names_app(noun, card) or noun in map(_bare, card.words)):
        return 0.8
    return 0.7 if any(len(noun) > 4 and fuzz.ratio(noun, word) > 87 for word in own) else 0.0


def _names_app(words: str, card: AppCard) -> bool:
    return _bare(words) in (_bare(card.app.replace("_", " ")), _bare(card.title))


def place_called(words: str, kind: KindCard) -> str:
    """The tab, folder or sheet of this name among which records of the kind are kept; empty where there is none."""
    return next((place for place in (*kind.places, kind.place) if place and _same(place, words)), "")


def housed(thing: Thing, cards: Sequence[AppCard], home: AppCard | None) -> Thing:
    """A person is who some application holds as such; everybody in the chat, its `home`, is what that holds."""
    words = {word for card in cards for kind in card.kinds for word in (kind.kind, *kind.words)}
    if thing.kind not in {"person", "member"} or any(_same(thing.kind, word) for word in words):
        return thing
    if home is not None and home.kinds and not any(kind.holds_people for kind in home.kinds):
        return thing.model_copy(update={"kind": home.kinds[0].kind})
    holders = [kind.kind for card in cards for kind in card.kinds if kind.holds_people]
    at = thing.place if thing.place is not None and thing.place.kind not in holders else None
    return thing.model_copy(update={"kind": holders[0], "place": at}) if len(holders) == 1 else thing


def ground_place(thing: Thing, card: AppCard, kind: KindCard) -> str | None:
    """Where to look: a place of the card, or one that only the goal names; empty for the application itself, None for nowhere."""
    said = [thing.name.text] if thing.name else []
    for words in (*said, *(f"{name} {thing.kind}" for name in said), thing.kind):
        if words and (place := place_called(words, kind)):
            return place
        if words and (_names_app(words, card) or (not said and _bare(words) in map(_bare, card.words))):
            return ""
    return said[0] if said and thing.kind not in phrases("apps") else None  # else an application that is not there


# Fields


def ground_field(words: str, kind: KindCard, written: bool = False, type: FieldType | None = None) -> FieldCard | None:
    """The field of a record that the words mean; None where none does or several do."""
    if words in {"start", "end"}:
        return ground_field(f"{words} time", kind, written, "time")
    fields = [f for f in kind.fields if (f.written or not written) and (type is None or f.type == type)]
    nouns = {_bare(noun) for noun in (kind.kind, *kind.words)}
    bare = " ".join(word for word in _bare(words).split() if word not in nouns) or _bare(words)
    scored = [(max(_field_score(said, field) for said in {_bare(words), bare}), field) for field in fields]
    best = max((score for score, _ in scored), default=0.0)
    if best < GOOD:
        alike = [f for f in fields if f.type in _BY_TYPE.get(bare, ())]
        alike = alike or [f for f in fields if f.type == "truth" and bare in f.label.casefold().split()]  # ticked to agree
        return alike[0] if len(alike) == 1 else None
    return _likeliest([field for score, field in scored if best - score < _NEAR])


def list_field(words: str, kind: KindCard) -> FieldCard | None:
    """A field for several names, of which each record may have one by now: Groups."""
    field = ground_field(words, kind, True, "list") or ground_field(words, kind, True, "choice")
    return field if field is not None and (field.type == "list" or field.label.casefold() == f"{words.casefold()}s") else None


def names_nothing(words: str, label: str, hint: str = "") -> bool:
    """Whether it is a single word of what is no name: of a question, or of a hint in the place of a label (`Type a message` is
    one for a message)."""
    is_name = not label.rstrip().endswith("?") and label != hint
    first, _, rest = label.partition(" ")
    asked = rest if rest and verb_words().get(first.casefold()) in _INVITES else label
    return not is_name and len(words.split()) == 1 and similarity(words, asked) < PARTLY


def _field_score(words: str, field: FieldCard) -> float:
    if names_nothing(words, field.label):
        return 0.0
    label = field.label.replace(" of {title}", "").replace(" for {title}", "")
    plain, _, unit = _bare(label).partition(" in ")
    names = [plain, *map(_bare, field.words)]
    if words in names or (unit and _UNITS.get(words, words) == unit):
        return 1.0
    if any(_same(words, name) for name in names):
        return 0.95
    return min(0.9, max(similarity(words, name) for name in names))


def _likeliest(fields: Sequence[FieldCard]) -> FieldCard | None:
    """Of equally good ones the only one that is listed, that is required, or that there is."""
    for some in ([f for f in fields if f.listed], [f for f in fields if f.required], fields):
        if len(some) == 1:
            return some[0]
    return None


# Verbs


def ground_verb(verb: str, said: str, card: AppCard, kind: KindCard | None = None) -> VerbCard | None:
    """The control that does it: by the verb, else by the control's own words; None where there is none or several differ."""
    there = [*(kind.verbs if kind else ()), *((kind.create,) if kind and kind.create else ()), *card.verbs]
    planned = kind is not None and any(field.written and field.type in ("date", "time") for field in kind.fields)
    for wanted in (verb, *deeds()["alike"].get(verb, ()), *(("delete",) if verb == "cancel" and planned else ())):
        fits = [one for one in there if one.verb == wanted]
        if fits:
            return _nearest(said, verb, fits)
    called = [one for one in there if _bare(one.control) in (_bare(said), _bare(verb.replace("_", " ")))]
    return _nearest(said, verb, called) if called else None


def _nearest(said: str, verb: str, fits: Sequence[VerbCard]) -> VerbCard | None:
    """The one whose control says most nearly what was said; at the record itself rather than in its row or list."""
    scored = [(max(_control_score(said, one), _control_score(verb, one) - _NEAR / 2), one) for one in fits]
    best = max(score for score, _ in scored)
    near = [one for score, one in scored if best - score < _NEAR]
    near.sort(key=lambda one: _STANDING.index(one.at))
    return near[0] if best >= 1 - _NEAR or all(one.control == near[0].control or one.at != near[0].at for one in near) else None


def _control_score(said: str, one: VerbCard) -> float:
    """The share of words that what was said and the control have in common."""
    a, b = {*_bare(said.replace("_", " ")).split()}, {*_bare(one.control).split()}
    return len(a & b) / max(len(a), len(b), 1)


# Records


def to_records(
    thing: Thing, cards: Sequence[AppCard], words: Callable[[Value], str], *, fields: Sequence[str] = (), verb: str = ""
) -> list[Records]:
    """The records that are meant, one for each application and kind that may hold them. Raises Ungrounded.

    `words` says a value as a step holds it. With what is asked of them, `fields` or a `verb`, others are left out.
    """
    found: list[Records] = []
    known = any(_kind_score(thing.kind, card, kind) >= GOOD for card in cards for kind in card.kinds)
    told = (thing.pick is not None and thing.pick.by) or any(test.field for test in thing.tests)
    if told and thing.kind and thing.name is None and not known:  # "the cheapest lamp": of what has a price those called so
        thing = thing.model_copy(update={"name": Text(text=thing.kind), "kind": ""})
    why, meant_in = "", list(_meant(thing, cards))
    able = [one for one in meant_in if not verb or ground_verb(verb, verb, one[0], one[1])]
    able = [one for one in able or meant_in if all(ground_field(field, one[1]) for field in fields)]
    for card, kind, meant in able or meant_in:
        try:
            found.append(_Grounding(card, kind, cards, words).records(meant))
        except Ungrounded as no:
            why = why or str(no)
    if not found:
        raise Ungrounded(why or f'no application holds "{_phrase(thing)}"')
    return found


def _meant(thing: Thing, cards: Sequence[AppCard]) -> Iterator[tuple[AppCard, KindCard, Thing]]:
    """Kinds that may be meant. A noun that no application has is part of the name; a name may be a noun that only cards know."""
    name = thing.name
    loose = name is not None and not name.quoted
    try:
        for noun in [noun for noun in (thing.kind, name.text if name is not None and loose else "") if noun][:1]:
            for card, kind in ground_kind(noun, cards):
                own = is_of(noun, kind)
                known = own and (not kind.some_of or (kind.told_by is not None and not kind.told_by.part))
                mixed = not own and not place_called(noun, kind) and any(one.some_of == kind.kind for one in card.kinds)
                if mixed and (thing.quantity in ("all", "number") or thing.pick):
                    raise Ungrounded(f'"{noun}": {_UNTOLD.format(app=card.title, kind=kind.kind)}')
                only = (Test(relation="has", value=Text(text=noun)),) if mixed and name is None else ()
                named = _without(name, noun) if known else _with(name, noun)
                yield card, kind, thing.model_copy(update={"name": named, "tests": (*thing.tests, *only)})
            return
    except Ungrounded:
        alone = name is not None and (_bare(thing.kind) in _bare(name.text) or is_a("file", name.text))  # the supplier call
        if name is None or (thing.kind and name.quoted) or not alone:
            raise
    if name is None and not thing.tests:
        raise Ungrounded("it is not said what is meant")
    for card in cards:
        for kind in card.kinds:
            if not (kind.single or kind.within or kind.some_of) and any(f.key for f in kind.fields):
                yield card, kind, thing.model_copy(update={"kind": ""})


def _without(name: Text | None, noun: str) -> Text | None:
    """A name without the noun at its end that says the kind; nothing where it was no more than that."""
    if name is None or name.quoted:
        return name
    *before, last = name.text.split()
    if _bare(name.text) == _bare(noun):
        return None
    return name.model_copy(update={"text": " ".join(before)}) if before and _bare(last) == _bare(noun.split()[-1]) else name


def _with(name: Text | None, noun: str) -> Text | None:
    """A name with the noun at its end that no list says: "hall light", where lights are listed among other devices."""
    if name is None or name.quoted or _bare(name.text).endswith(_bare(noun)):
        return name
    return name.model_copy(update={"text": f"{name.text} {noun}"})


def _goes_before(thing: Thing) -> bool:
    """Whether the name stands before its noun ("the Umbra invoices"), where it may be any of what a record says."""
    if thing.name is None or thing.name.quoted or not thing.kind or not thing.spans or not thing.name.spans:
        return False
    start, at = thing.spans[0][0], thing.name.spans[0][0]
    others = [*(span for test in thing.tests for span in test.spans), *(thing.pick.spans if thing.pick is not None else ())]
    between = sum(end - first + 1 for first, end in others if start <= first < at)
    several = thing.quantity in ("all", "number") or (thing.pick is not None and thing.pick.number > 1)
    return at - start - between - (len("all of the ") if several else 0) < len(thing.kind)


def is_of(words: str, kind: KindCard) -> bool:
    """Whether a noun is one of the kind."""
    return any(_same(words, noun) for noun in (kind.kind, *kind.words))


def _phrase(thing: Thing) -> str:
    return " ".join(part for part in (thing.kind, thing.name.text if thing.name else "") if part) or "it"


class _Grounding:
    """One kind of one application, for which a thing is said in its labels."""

    def __init__(self, card: AppCard, kind: KindCard, cards: Sequence[AppCard], words: Callable[[Value], str]) -> None:
        self.card, self.kind, self.cards, self.words = card, kind, cards, words

    def records(self, thing: Thing) -> Records:
        place = "" if is_of(thing.kind, self.kind) else place_called(thing.kind, self.kind)
        inside = self.option(thing.place) if thing.place else None
        if inside is not None and not place_called(inside[1].text, self.kind):
            belongs = Test(field=inside[0], relation="has", value=inside[1])
            thing = thing.model_copy(update={"place": None, "tests": (*thing.tests, belongs)})
        if thing.place is not None:
            said = ground_place(thing.place, self.card, self.kind)
            if said is None:
                raise Ungrounded(f'"{_phrase(thing.place)}" is not a place in {self.card.title}; {self.there(self.kind.places)}')
            place = said or place
        exactly = 0 if thing.quantity in ("all", "any") else thing.number if thing.quantity == "number" else 1
        return Records(
            app=self.card.app, kind=self.kind.kind, place=place, tests=(*self.some(thing), *self.tests(thing)),
            pick=self.pick(thing.pick) if thing.pick else None,
            but=tuple(tuple(self.excepted(one)) for out in thing.but for one in (out, *out.also)),
            exactly=thing.pick.number if thing.pick else exactly,
        )  # fmt: skip

    def there(self, names: Iterable[str]) -> str:
        listed = ", ".join(name for name in names if name)
        return f"there are {listed}" if listed else "it has none"

    def some(self, thing: Thing) -> Iterator[RowTest]:
        """What tells these records from others in the same list."""
        by = self.kind.told_by
        if by is not None:
            yield RowTest(label=by.label, relation="has" if by.part else "is", value=by.value, negated=by.negated)
        elif self.kind.some_of and (thing.quantity in ("all", "number") or thing.pick):
            raise Ungrounded(f'"{_phrase(thing)}": {_UNTOLD.format(app=self.card.title, kind=self.kind.some_of)}')
        elif self.kind.some_of and thing.name is None:
            yield RowTest(relation="has", value=self.kind.kind)

    def tests(self, thing: Thing) -> Iterator[RowTest]:
        if thing.name is not None:
            keys = [f for f in self.kind.fields if f.key]
            key = _likeliest(keys) or next((f for f in keys if f.listed), None)
            plain = thing.name.text.isdigit() or (thing.name.text.islower() and is_words(thing.name.text))
            sure = thing.name.quoted or not plain  # else what a name may have in it
            value = self.words(thing.name)
            key = None if _goes_before(thing) else key
            yield RowTest(label=key.label if key else "", relation="is" if sure and key else "has", value=value)
        for test in thing.tests:
            yield from self.at_moment(test, self.test(test))

    def at_moment(self, test: Test, row: RowTest) -> Iterator[RowTest]:
        """A day and a time of which a record has each in a field of its own: "that begins on June 1 at 9"."""
        field = next((one for one in self.kind.fields if one.label == row.label), None)
        when = test.value if isinstance(test.value, When) and test.value.first == test.value.last else When(text="")
        clock = when.first[11:] or (when.start if not when.end else "")
        if field is None or field.type != "time" or not clock or row.relation != "on" or row.negated:
            yield row
            return
        if when.first:
            yield row.model_copy(update={"label": self.typed(("date",)), "value": when.first[:10]})
        both = [one.label for one in self.kind.fields if one.type == "time" and one.listed and not one.written]
        in_list = len(both) == 1 and not field.listed  # its list says both in one, 09:00–10:00
        change = {"label": both[0], "relation": "starts" if test.field == "start" else "ends"} if in_list else {}
        yield row.model_copy(update={**change, "value": clock})

    def excepted(self, thing: Thing) -> Iterator[RowTest]:
        """What tells those that are excepted, also by where they are: "the one in the hall"."""
        if thing.kind and not is_of(thing.kind, self.kind):
            thing = thing.model_copy(update={"name": _with(thing.name, thing.kind)})
        if thing.place is not None:
            inside = self.option(thing.place)
            if inside is None:
                raise Ungrounded(f'"{_phrase(thing.place)}": a {self.kind.kind} in {self.card.title} does not say where it is')
            yield RowTest(label=inside[0], relation="has", value=self.words(inside[1]))
        yield from self.tests(thing)

    def option(self, place: Thing) -> tuple[str, Text] | None:
        """What a field says of where a record is: "in the kitchen", where a column Room says Kitchen; "in the group Sales"."""
        words = {_bare(place.name.text if place.name else place.kind)} - {""}
        found = [
            (f.label, Text(text=o, quoted=True)) for f in self.kind.fields if f.listed for o in f.options if _bare(o) in words
        ]
        if place.name is not None and _bare(place.kind) not in words and not place_called(place.name.text, self.kind):
            noun = _bare(place.kind) or "place"  # "my meetings in Room 4"
            named = [f.label for f in self.kind.fields if _field_score(noun, f) >= 0.95]
            found = found or [(label, place.name) for label in named]
        return found[0] if len(found) == 1 else None

    def test(self, test: Test) -> RowTest:
        inside = test.value.thing if test.relation == "in" and isinstance(test.value, Of) else None
        option = self.option(inside) if inside is not None and not test.field else None
        if option is not None:
            return RowTest(label=option[0], relation="has", value=self.words(option[1]), negated=test.negated)
        if inside is not None and not test.field:
            raise Ungrounded(f'a {self.kind.kind} in {self.card.title} does not say whether it is in "{_phrase(inside)}"')
        said = _bare(test.value.text) if isinstance(test.value, Text) and not test.value.quoted else ""
        field = ground_field(said, self.kind) if said and test.relation == "has" and not test.field else None
        if field is not None and _field_score(said, field) >= 0.9:  # "without a phone number": not what stands in it
            return RowTest(label=field.label, value="", negated=not test.negated)
        value = self.value(test.value)
        relation = test.relation
        if isinstance(test.value, When) and " .. " in value and relation in ("is", "on", "in", "from"):
            relation = "between"
        label = self.label(test)
        if relation in {"starts", "ends"} and not label:  # what it is called
            label = next((field.label for field in self.kind.fields if field.key), "")
        if relation == "is" and not label and isinstance(test.value, Text) and not test.value.quoted and not value.islower():
            relation = "has"  # Redwood's invoice is that of Redwood Print
        return RowTest(label=label, relation=relation, value=value, negated=test.negated)

    def value(self, value: Value) -> str:
        """What is compared with: a thing that no application holds is only its words."""
        days = [t.value.text for t in value.thing.tests if isinstance(t.value, When)] if isinstance(value, Of) else []
        plain = isinstance(value, Of) and not (value.fields or value.thing.pick or value.thing.back)
        if isinstance(value, Of) and plain and len(days) == len(value.thing.tests):
            try:
                ground_kind(value.thing.kind, self.cards)
            except Ungrounded:
                name = value.thing.name or Text(text=value.thing.kind)
                return self.words(name.model_copy(update={"text": " ".join((*days, name.text))}))  # Monday's delivery
        return self.words(value)

    def label(self, test: Test) -> str:
        """The label of the field that a test is on; empty for anything that the record shows."""
        if test.field:
            field = ground_field(test.field, self.kind)
            if field is None:
                labels = self.there(f.label for f in self.kind.fields)
                raise Ungrounded(f'a {self.kind.kind} in {self.card.title} has no "{test.field}"; {labels}')
            return field.label
        match test.value:
            case When(first=first) if test.relation != "about":
                if label := self.typed(("date",) if first else ("time",)):
                    return label
                raise Ungrounded(f"a {self.kind.kind} in {self.card.title} has no {'date' if first else 'time'}")
            case Amount() if test.relation in ("over", "under", "at_least", "at_most", "between"):
                return self.typed(("money", "number"))
            case Text(text=text) if test.relation == "is":
                return self.saying(text)
        fields = (ground_field(word, self.kind) for word in deeds()["relations"].get(test.relation, ()))
        return next((field.label for field in fields if field), "")

    def typed(self, types: Sequence[FieldType]) -> str:
        """The field of such a type that is named so, or the only one, or the only one that is listed."""
        for word in ("date", "time", "total", "amount"):
            named = ground_field(word, self.kind) if set(_BY_TYPE[word]) & set(types) else None
            if named is not None and named.type in types:
                return named.label
        fits = [f for f in self.kind.fields if f.type in types]
        likely = _likeliest(fits)
        if fits and likely is None:
            raise Ungrounded(
                f"a {self.kind.kind} in {self.card.title} has {', '.join(f.label for f in fits)}; say which is meant"
            )
        return likely.label if likely else ""

    def saying(self, text: str) -> str:
        """The field that says in which state a record is."""
        words = {_bare(text), f"un{_bare(text)}", f"not {_bare(text)}"}
        fits = [f for f in self.kind.fields if words & {_bare(option) for option in f.options}]
        return fits[0].label if len(fits) == 1 else ""

    def pick(self, pick: Pick) -> Pick:
        if not pick.by:
            return pick
        field = ground_field(pick.by, self.kind)
        label = field.label if field else self.typed(_BY_TYPE[pick.by]) if pick.by in _BY_TYPE else ""
        if not label:
            raise Ungrounded(f'a {self.kind.kind} in {self.card.title} has no "{pick.by}" to go by')
        return pick.model_copy(update={"by": label})
