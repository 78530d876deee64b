"""The canonical English of a clause: `describe` writes it, `parse_canonical` reads it back to the same clause.

Everything free stands in quotation marks, so nothing inside it can be taken for grammar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from roles.screen.language import clauses as c
from roles.screen.language.clauses import PageClause
from roles.screen.language.lexicon import FILTERS, PICKS
from roles.screen.language.masks import ANY, Masks, quote

_PICKS = sorted(set(PICKS.values()))


def describe(clause: c.Clause) -> str:
    """One sentence, without a full stop, that the grammar reads back as `clause`."""
    if isinstance(clause, PageClause):
        return clause.said
    place = f" in the {quote(clause.app)} app" if clause.app else ""
    return _describe(clause) + ("" if isinstance(clause, c.Open) else place)


def _describe(clause: c.Clause) -> str:
    match clause:
        case c.Open(app=app):
            return f"Open the {quote(app)} app"
        case c.OpenItem(entity=entity):
            return f"Open {entity_words(entity)}"
        case c.Read():
            return _read_words(clause)
        case c.Enter(value=value, field=field, entity=entity, add=add):
            into = f" into the field {quote(field)}" if field else ""
            return f"{'Append' if add else 'Enter'} {value_words(value)}{into}" + (
                f" of {entity_words(entity)}" if entity else ""
            )
        case c.Select(option=option, field=field):
            return f"Select the option {value_words(option)}" + (f" in the field {quote(field)}" if field else "")
        case c.Commit(verb=verb, thing=thing, manner=manner):
            return f"{verb.capitalize()} the {quote(thing)}" + (f" as {quote(manner)}" if manner else "")
        case c.Compose(to=to, subject=subject, body=body, send=send):
            verb = "Send" if send else "Draft"
            return f"{verb} a mail to {_series(to)}{_with(subject=subject, message=body)}"
        case c.Create(noun=noun, title=title, body=body):
            return f"Create a {quote(noun)}{_with(title=title, text=body)}"
        case _:
            return _describe_more(clause)


def _describe_more(clause: c.Clause) -> str:
    match clause:
        case c.Reply(entity=entity, body=body, send=send):
            return f"{'Reply' if send else 'Draft a reply'} to {entity_words(entity)}{_with(message=body)}"
        case c.Forward(entity=entity, to=to, body=body):
            return f"Forward {entity_words(entity)} to {_series(to)}{_with(message=body)}"
        case c.Rename(entity=entity, to=name):
            return f"Rename {entity_words(entity)} to {quote(name)}"
        case c.Move(entity=entity, to=place):
            return f"Move {entity_words(entity)} to {quote(place)}"
        case c.Delete(entity=entity):
            return f"Delete {entity_words(entity)}"
        case c.Press(keys=keys):
            return f"Press the keys {_series(keys)}"
        case c.Check(box=box, on=on):
            return f"{'Tick' if on else 'Untick'} the box {quote(box)}"
        case _:
            return _describe_rest(clause)


def _describe_rest(clause: c.Clause) -> str:
    match clause:
        case c.ClickOn(control=control):
            return f"Click the control {quote(control)}"
        case c.Complete():
            return "Fill in the form"
        case c.Search(query=query):
            return f"Search for {quote(query)}"
        case c.Scroll(way=way):
            return f"Scroll {way}"
        case c.Pause(seconds=seconds):
            return f"Wait {quote(repr(seconds))} seconds"
        case c.Tell(value=value):
            return f"Tell the user {value_words(value)}"
        case c.Remember(value=value, name=name):
            return f"Remember {quote(value)} as {quote(name)}"
        case c.Avoid(what=what):
            return f"Do not do {quote(what)}"
        case c.Unknown(text=text):
            return f"Work out how to do {quote(text)}"
        case _:
            return _describe_learning(clause)


def _describe_learning(clause: c.Clause) -> str:
    match clause:
        case c.Free(day=day, hours=hours, minutes=minutes):
            return f"Find of {value_words(hours)} the first hour on {quote(day)} that is free for {quote(str(minutes))} minutes"
        case c.Collect(entity=entity, name=name):
            return f"Collect {entity_words(entity)} as {quote(name)}"
        case c.Await(entity=entity, shows=shows, seconds=seconds):
            what = f" to show {quote(shows)}" if shows else ""
            return f"Wait up to {quote(repr(seconds))} seconds for {entity_words(entity)}{what}"
        case c.Compute(formula=formula, name=name):
            return f"Compute {quote(formula)} as {quote(name)}"
        case _:
            return _describe_sheet(clause)


def _describe_sheet(clause: c.Clause) -> str:
    match clause:
        case c.Sort(sheet=sheet, column=column, down=down):
            return f"Sort the sheet {quote(sheet)} by {quote(column)} {'down' if down else 'up'}"
        case c.Cell(value=value, sheet=sheet, place=place):
            return f"Put {value_words(value)} into the cell {quote(place)} of the sheet {quote(sheet)}"
        case c.AddUp(sheet=sheet, label=label):
            return f"Make the row {quote(label)} of the sheet {quote(sheet)} add up all above it"
        case _:
            return _describe_deed(clause)


def _describe_deed(clause: c.Clause) -> str:
    match clause:
        case c.Act(verb=verb, entity=entity):
            return f"Perform {quote(verb)} on {entity_words(entity)}"
        case c.Post(to=to, body=body):
            return f"Post {value_words(body)} to {quote(to)}"
        case c.Adjust(device=device, aspect=aspect, value=value):
            return f"Adjust {quote(aspect)} of {quote(device)} to {quote(value)}"
        case c.Buy(item=item, quantity=quantity):
            return f"Buy {quote(item)} times {quote(quantity)}"
        case c.Obey(what=what):
            return f"Do as {quote(what)} says"
        case c.KeepOnly(place=place, item=item, quantity=quantity):
            return f"Keep only {quote(item)} of {quote(place)} times {quote(quantity)}"
        case c.Reschedule(entity=entity, to=to):
            return f"Put {entity_words(entity)} to the hour {quote(to)}"
        case c.Invite(entity=entity, body=body):
            return f"Write {value_words(body)} to all who attend {entity_words(entity)}"
        case _:
            raise ValueError(f"no words for {clause!r}")


def _read_words(clause: c.Read) -> str:
    facts = " and ".join(f"the {quote(fact)}" for fact in clause.facts)
    of = f" of {entity_words(clause.entity)}" if clause.entity else ""
    return f"Read {facts}{of}" + (f" as {_series(clause.names)}" if clause.names else "")


def entity_words(entity: c.Entity) -> str:
    """`the latest unpaid invoice for "Northwind"`."""
    plain = re.fullmatch(r"[a-z]+", entity.noun) and entity.noun not in {"item", *FILTERS, *_PICKS}
    noun = (entity.noun if plain else quote(entity.noun)) if entity.noun else "item"
    words = ["the", entity.pick, *entity.filters, noun]
    tails = (("with id", entity.id), ("for", entity.name), ("about", entity.subject), ("dated", entity.dated))
    return " ".join([*(word for word in words if word), *(f"{how} {quote(text)}" for how, text in tails if text)])


def value_words(value: c.Value) -> str:
    """A text in quotes, `the fact "x"`, or both."""
    facts = "the fact " + " and ".join(quote(name) for name in value.facts) if value.facts else ""
    if not facts:
        return quote(value.text)
    return f"{quote(value.text)} followed by {facts}" if value.text else facts


def _with(**parts: c.Value) -> str:
    said = [f"with {name} {value_words(value)}" for name, value in parts.items() if value]
    return "".join(f" {part}" for part in said)


def _series(items: Sequence[str]) -> str:
    return " and ".join(quote(item) for item in items)


_QS = rf"{ANY}(?: and {ANY})*"
_V = rf"(?:{ANY} followed by the fact {_QS}|the fact {_QS}|{ANY})"
_E = (
    rf"the(?: (?:{'|'.join(_PICKS)}))?(?: (?:{'|'.join(FILTERS)}))* (?:[a-z]+|{ANY})"
    rf"(?: with id {ANY})?(?: for {ANY})?(?: about {ANY})?(?: dated {ANY})?"
)
_ENTITY = re.compile(
    rf"the(?: (?P<pick>{'|'.join(_PICKS)}))?(?P<filters>(?: (?:{'|'.join(FILTERS)}))*) (?P<noun>[a-z]+|{ANY})"
    rf"(?: with id (?P<id>{ANY}))?(?: for (?P<name>{ANY}))?(?: about (?P<subject>{ANY}))?(?: dated (?P<dated>{ANY}))?"
)


class _Reader:
    """Turns the named groups of one match into parts of a clause."""

    def __init__(self, match: re.Match[str], masks: Masks) -> None:
        self._groups = match.groupdict()
        self._masks = masks

    def has(self, name: str) -> bool:
        return self._groups.get(name) is not None

    def word(self, name: str) -> str:
        return self._masks.show(self._groups.get(name) or "")

    def words(self, name: str) -> tuple[str, ...]:
        return tuple(self._masks.held(char).raw for char in re.findall(ANY, self._groups.get(name) or ""))

    def value(self, name: str) -> c.Value:
        text = self._groups.get(name) or ""
        if not text:
            return c.Value()
        held = self.words(name)
        if text.startswith("the fact"):
            return c.Value(facts=held)
        return c.Value(held[0], held[1:])

    def entity(self, name: str = "entity") -> c.Entity:
        text = self._groups.get(name)
        return read_entity(text, self._masks) if text else c.NOTHING


def read_entity(text: str, masks: Masks) -> c.Entity:
    """The entity that `entity_words` described; NOTHING when the words are not canonical."""
    match = _ENTITY.fullmatch(text)
    if not match:
        return c.NOTHING
    shown = {key: masks.show(value or "") for key, value in match.groupdict().items()}
    noun = "" if match["noun"] == "item" else shown["noun"]
    filters = tuple(shown["filters"].split())
    return c.Entity(noun, shown["id"], shown["name"], shown["subject"], shown["dated"], filters, shown["pick"])


_Build = Callable[[_Reader, str], c.Clause]
_TABLE: tuple[tuple[str, _Build], ...] = (
    (rf"Open the (?P<x>{ANY}) app", lambda r, app: c.Open(r.word("x"))),
    (rf"Open (?P<entity>{_E})", lambda r, app: c.OpenItem(app, r.entity())),
    (
        rf"Read (?P<facts>the {ANY}(?: and the {ANY})*)(?: of (?P<entity>{_E}))?(?: as (?P<names>{_QS}))?",
        lambda r, app: c.Read(app, r.words("facts"), r.entity(), r.words("names")),
    ),
    (
        rf"(?P<verb>Enter|Append) (?P<v>{_V})(?: into the field (?P<f>{ANY}))?(?: of (?P<entity>{_E}))?",
        lambda r, app: c.Enter(app, r.value("v"), r.word("f"), r.entity(), r.word("verb") == "Append"),
    ),
    (rf"Select the option (?P<v>{_V})(?: in the field (?P<f>{ANY}))?", lambda r, app: c.Select(app, r.value("v"), r.word("f"))),
    (
        rf"(?P<verb>Submit|Send|Save) the (?P<x>{ANY})(?: as (?P<m>{ANY}))?",
        lambda r, app: c.Commit(app, r.word("verb").lower(), r.word("x"), r.word("m")),
    ),
    (
        rf"(?P<verb>Send|Draft) a mail to (?P<to>{_QS})?(?: with subject (?P<s>{_V}))?(?: with message (?P<b>{_V}))?",
        lambda r, app: c.Compose(app, r.words("to"), r.value("s"), r.value("b"), r.word("verb") == "Send"),
    ),
    (
        rf"Create a (?P<x>{ANY})(?: with title (?P<t>{_V}))?(?: with text (?P<b>{_V}))?",
        lambda r, app: c.Create(app, r.word("x"), r.value("t"), r.value("b")),
    ),
    (
        rf"(?P<verb>Reply|Draft a reply) to (?P<entity>{_E})(?: with message (?P<b>{_V}))?",
        lambda r, app: c.Reply(app, r.entity(), r.value("b"), r.word("verb") == "Reply"),
    ),
    (
        rf"Forward (?P<entity>{_E}) to (?P<to>{_QS})?(?: with message (?P<b>{_V}))?",
        lambda r, app: c.Forward(app, r.entity(), r.words("to"), r.value("b")),
    ),
    (rf"Rename (?P<entity>{_E}) to (?P<x>{ANY})", lambda r, app: c.Rename(app, r.entity(), r.word("x"))),
    (rf"Move (?P<entity>{_E}) to (?P<x>{ANY})", lambda r, app: c.Move(app, r.entity(), r.word("x"))),
    (rf"Delete (?P<entity>{_E})", lambda r, app: c.Delete(app, r.entity())),
    (rf"Perform (?P<x>{ANY}) on (?P<entity>{_E})", lambda r, app: c.Act(app, r.word("x"), r.entity())),
    (rf"Post (?P<v>{_V}) to (?P<x>{ANY})", lambda r, app: c.Post(app, r.word("x"), r.value("v"))),
    (
        rf"Adjust (?P<a>{ANY}) of (?P<x>{ANY}) to (?P<t>{ANY})",
        lambda r, app: c.Adjust(app, r.word("x"), r.word("a"), r.word("t")),
    ),
    (rf"Buy (?P<x>{ANY}) times (?P<t>{ANY})", lambda r, app: c.Buy(app, r.word("x"), r.word("t"))),
    (rf"Do as (?P<x>{ANY}) says", lambda r, app: c.Obey(app, r.word("x"))),
    (
        rf"Keep only (?P<x>{ANY}) of (?P<a>{ANY}) times (?P<t>{ANY})",
        lambda r, app: c.KeepOnly(app, r.word("a"), r.word("x"), r.word("t")),
    ),
    (rf"Put (?P<entity>{_E}) to the hour (?P<x>{ANY})", lambda r, app: c.Reschedule(app, r.entity(), r.word("x"))),
    (
        rf"Write (?P<v>{_V}) to all who attend (?P<entity>{_E})",
        lambda r, app: c.Invite(app, r.entity(), r.value("v")),
    ),
    (
        rf"Sort the sheet (?P<x>{ANY}) by (?P<n>{ANY}) (?P<verb>up|down)",
        lambda r, app: c.Sort(app, r.word("x"), r.word("n"), r.word("verb") == "down"),
    ),
    (
        rf"Put (?P<v>{_V}) into the cell (?P<n>{ANY}) of the sheet (?P<x>{ANY})",
        lambda r, app: c.Cell(app, r.value("v"), r.word("x"), r.word("n")),
    ),
    (
        rf"Make the row (?P<n>{ANY}) of the sheet (?P<x>{ANY}) add up all above it",
        lambda r, app: c.AddUp(app, r.word("x"), r.word("n")),
    ),
    (rf"Press the keys (?P<x>{_QS})", lambda r, app: c.Press(app, r.words("x"))),
    (rf"(?P<verb>Tick|Untick) the box (?P<x>{ANY})", lambda r, app: c.Check(app, r.word("x"), r.word("verb") == "Tick")),
    (rf"Click the control (?P<x>{ANY})", lambda r, app: c.ClickOn(app, r.word("x"))),
    (r"Fill in the form", lambda r, app: c.Complete(app)),
    (rf"Search for (?P<x>{ANY})", lambda r, app: c.Search(app, r.word("x"))),
    (r"Scroll (?P<x>up|down|left|right)", lambda r, app: c.Scroll(app, c.WAYS[r.word("x").casefold()])),
    (rf"Wait (?P<x>{ANY}) seconds", lambda r, app: c.Pause(app, float(r.word("x")))),
    (
        rf"Wait up to (?P<x>{ANY}) seconds for (?P<entity>{_E})(?: to show (?P<n>{ANY}))?",
        lambda r, app: c.Await(app, r.entity(), r.word("n"), float(r.word("x"))),
    ),
    (rf"Tell the user (?P<v>{_V})", lambda r, app: c.Tell(app, r.value("v"))),
    (
        rf"Find of (?P<v>{_V}) the first hour on (?P<x>{ANY}) that is free for (?P<n>{ANY}) minutes",
        lambda r, app: c.Free(app, r.word("x"), r.value("v"), int(r.word("n"))),
    ),
    (rf"Collect (?P<entity>{_E}) as (?P<n>{ANY})", lambda r, app: c.Collect(app, r.entity(), r.word("n"))),
    (rf"Compute (?P<x>{ANY}) as (?P<n>{ANY})", lambda r, app: c.Compute(app, r.word("x"), r.word("n"))),
    (rf"Remember (?P<x>{ANY}) as (?P<n>{ANY})", lambda r, app: c.Remember(app, r.word("x"), r.word("n"))),
    (rf"Do not do (?P<x>{ANY})", lambda r, app: c.Avoid(app, r.word("x"))),
    (rf"Work out how to do (?P<x>{ANY})", lambda r, app: c.Unknown(app, r.word("x"))),
)
_FORMS = tuple((re.compile(rf"{pattern}(?: in the (?P<app>{ANY}) app)?"), build) for pattern, build in _TABLE)


def parse_canonical(masked: str, masks: Masks) -> c.Clause | None:
    """The clause of one canonical sentence, or None when it is other English."""
    for pattern, build in _FORMS:
        if match := pattern.fullmatch(masked):
            reader = _Reader(match, masks)
            return build(reader, reader.word("app"))
    return None
