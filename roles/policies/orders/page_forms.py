"""The words of an order, held against what a page takes: "Book a double room for Ann Lee, 3 nights". Each of them is the name of
an option, the label of a field, a value that only one field takes, or what the form is about."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from environments.cards import Widget
from roles.contracts.orders import Entry
from roles.contracts.values import parse_date
from roles.policies.orders.grounding import Refusal
from roles.screen.language.words import Token, deeds, phrases, table
from roles.screen.language.words import tokens as goal_tokens
from roles.screen.matching import tokens
from roles.screen.page import BOXES, LISTS, PARTLY, PRESSED, likeness
from roles.screen.texts import begins, fold, plain, words
from roles.screen.values import is_a, values_in

WRITTEN = frozenset({"textbox", "searchbox", "spinbutton"})
ROLES = {
    "button": PRESSED, "link": PRESSED, "tab": PRESSED, "item": PRESSED, "section": PRESSED, "field": WRITTEN | LISTS,
    "text": WRITTEN, "box": BOXES, "list": LISTS, "slider": frozenset({"slider", "spinbutton"}), "calendar": WRITTEN,
}  # fmt: skip
"""What is called so in a goal, by its role."""
RECORDS = frozenset({"row", "listitem"})
SURE = 0.9
_HEADS = frozenset({"heading", "dialog", "alertdialog", "form", "region"})
_BREAKS = frozenset({",", "(", ")", ";", "."})
_VALUES = ("number", "date", "time", "email", "phone", "money")
_MONTHS = 12
_BESIDE = 3
"""Words beside a day or a time that may be of the label: "checking in on 3 May"."""


class Filled(NamedTuple):
    """A value, and what takes it."""

    widget: Widget
    value: str


class Part(NamedTuple):
    """Words of an order that may say one value, from the first to the one behind the last."""

    first: int
    last: int
    text: str


class PageForm:
    """What the clause of an order says, and which of the widgets takes it."""

    def __init__(self, clause: str, widgets: Sequence[Widget], verb: str) -> None:
        self.clause, self.words, self.verb = clause, goal_tokens(clause), verb
        self.filled: list[Filled] = []
        self.known: set[int] = set()
        """Places of words that are told by the form."""
        self.scope = [w for w in widgets if w.front and w.name]
        self._narrow()
        self.takers = [w for w in self.scope if w.inside[0] not in RECORDS]

    def _narrow(self) -> None:
        """Only to what stands in the one part of the page that is named: "the To do column"."""
        named = {w.inside[2]: w.inside[1] for w in self.scope if w.inside[1] and w.inside[0] not in RECORDS}
        for at, end in ((n, end) for n in range(1, len(self.words)) for end in self._ends(n)):
            said = tokens(self.clause[self.words[at].start : self.words[end - 1].end])
            said = said[:-1] if said[-1:] and said[-1] in phrases("parts") else said
            inside = [id_ for id_, name in named.items() if said and tokens(name) == said]
            if len(inside) == 1 and self.words[at - 1].lower in phrases("inside") | {"to", "into", "the"}:
                self.scope = [w for w in self.scope if w.inside[2] == inside[0]]
                self.known.update(range(at - 1, end))
                return

    def ground(self, gone: Sequence[Entry]) -> None:
        """What goes where, of what is not written by now; the longest part of the words first. Raises Refusal."""
        at = 0
        while at < len(self.words):
            free = [end for end in self._ends(at) if not ({*range(at, end)} & self.known or _is_idle(self.words[end - 1]))]
            end = next((end for end in free if self._is_told(at, end, gone)), at)
            self.known.update(range(at, end))
            at = max(end, at + 1)

    def _is_told(self, at: int, end: int, gone: Sequence[Entry]) -> bool:
        """Whether something takes a part, or took it."""
        part = self._part(at, end)
        if not tokens(part.text) or any(_wrote(part.text, entry) for entry in gone):
            return bool(tokens(part.text))
        found = self._of_both_ends(list(dict.fromkeys(self._takes(part, at))), part.first)
        if len(found) > 1:
            names = ", ".join(f'"{one.widget.name}"' for one in found)
            raise Refusal(f'"{part.text}" may go into several fields of the page: {names}')
        for one, other in ((one, other) for one in found for other in self.filled):
            group = one.widget.role == other.widget.role == "radio" and one.widget.inside[2] == other.widget.inside[2]
            if one.widget is other.widget or group:
                raise Refusal(f'two values are said for "{one.widget.inside[1] if group else one.widget.name}"')
        self.filled += found
        return bool(found)

    def _of_both_ends(self, found: list[Filled], first: int) -> list[Filled]:
        """ "From 3 May to 7 May", where there is one field for each end, the first one first."""
        said = self.words[first - 1].lower if first else ""
        ends = [w for kind in ("date", "time") for w in self.fields() if takes_moment(kind, w)]
        is_end = [said in some for some in table("phrases")["ends"].values()]
        if not any(is_end) or [one.widget for one in found] != ends or len(ends) != len(is_end):
            return found
        return [one for one, is_meant in zip(found, is_end, strict=True) if is_meant]

    def _ends(self, at: int) -> Iterator[int]:
        """Where a part that begins here may end, the longest first; it ends at a comma, and begins with no mark."""
        stop = next((n for n in range(at, len(self.words)) if self.words[n].text in _BREAKS), len(self.words))
        return iter(range(stop, at, -1))

    def _text(self, at: int, end: int) -> str:
        return self.clause[self.words[at].start : self.words[end - 1].end] if end > at else ""

    def _part(self, at: int, end: int) -> Part:
        """Words without those at both ends that say nothing by themselves."""
        while at < end and _is_idle(self.words[at]):
            at += 1
        while at < end and _is_idle(self.words[end - 1]):
            end -= 1
        return Part(at, end, self._text(at, end))

    # --- which field takes it --------------------------------------------------------------------------------------------

    def _takes(self, part: Part, at: int) -> Iterator[Filled]:
        core = tokens(part.text) if self.words[part.first].kind != "quote" else ()
        chosen = list(options(self.takers, lambda name, label: _is_said(core, name, label)))
        opposite = self._opposite(part.first)
        for one in chosen or [*self._labelled(part)] or [*self._typed(part, at)]:
            labels = (one.widget.name, one.widget.inside[1] if one.widget.role == "radio" else "")
            if not any(begins(label, opposite) for label in labels):
                yield one

    def _opposite(self, first: int) -> list[str]:
        """How a field is called that is for the other end than what stands here: "from Oslo" is no value of `To`."""
        ends = table("phrases")["opposite labels"]
        before = takewhile(_is_idle, reversed(self.words[:first]))
        return next((list(ends[word.lower]) for word in before if word.lower in ends), [])

    def _labelled(self, part: Part) -> Iterator[Filled]:
        """A label with its value: "topic Billing", "4 nights"."""
        first, last, _ = part
        for widget in self.takers:
            label, rest = tokens(widget.name), ""
            if widget.role not in WRITTEN or not 0 < len(label) < last - first:
                continue
            if tokens(self._text(first, first + len(label))) == label:
                rest = self._part(first + len(label), last).text
            elif tokens(self._text(first + 1, last)) == label and self.words[first].kind == "number":
                rest = self.words[first].text
            if is_value(rest) and (widget.role != "spinbutton" or is_a("number", value_of(rest))):
                yield Filled(widget, value_of(rest))

    def _typed(self, part: Part, at: int) -> Iterator[Filled]:
        """A value that only one field takes: an address, a day, a time, a name, a quotation."""
        first, last, text = part
        fields, wanted = self.fields(), list[Widget]()
        before = self.words[first - 1].lower if first else ""
        in_full = last > first + 1 and (before == "for" or (before == "from" and self.verb in {"send", "submit"}))
        moment = next((value for kind in ("date", "time") for value in values_in(kind, text)), "")
        if is_quote(text):
            wanted = self._quoted(self.words[at:first])
        elif is_a("email", text):
            wanted = [w for w in fields if "mail" in fold(f"{w.name} {w.hint}")]
        elif moment:
            beside = tokens(text.replace(moment, " "))
            if len(beside) <= _BESIDE and not any(map(str.isdigit, "".join(beside))):
                kind = "date" if is_a("date", moment) else "time"
                said = [word for word in beside if word not in phrases("beside values")]
                wanted = [w for w in fields if takes_moment(kind, w) and _is_labelled(w, said)]
        elif is_named(text) and (in_full or not before):
            wanted = [w for w in fields if {"name"} <= {*tokens(w.name)} <= phrases("of a person")]
        yield from (Filled(w, value_of(moment or text)) for w in wanted)

    def _quoted(self, before: Sequence[Token]) -> list[Widget]:
        """By the words before it: called "Plan", saying "Hello"; else the only field."""
        said = {word.lower for word in before}
        roles = [role for role, forms in table("pages")["says"].items() if said & {*forms}]
        labels = {label for role in roles for label in deeds()["roles"][role]}
        fields = self.fields()
        return [w for w in fields if labels & {*tokens(w.name)}] or (fields if len(fields) == 1 else [])

    def fields(self) -> list[Widget]:
        """Fields that are written into, and do not search."""
        return [w for w in self.takers if w.role in WRITTEN - {"searchbox"} and not begins(w.name, phrases("searches"))]

    def chooses(self) -> bool:
        return any(w.role in LISTS | BOXES for w in self.takers)

    # --- what is left ----------------------------------------------------------------------------------------------------

    def is_about(self, control: str, verbs: Sequence[str]) -> bool:
        """Whether a control says nothing but words of the order, and that it is about somebody: `New issue`, `Invite member`."""
        said = {token for word in (*(w.text for w in self._unknown()), *verbs) for token in tokens(word)}
        rest = {*tokens(control)} - {*deeds()["opens"]}
        return bool(rest & said) and rest - said <= phrases("anybody")

    def is_another(self) -> bool:
        """Whether a word is left that makes it another order: "Register, but without lunch"."""
        return any(word.lower in phrases("told by no heading") for word in self._unknown())

    def _unknown(self) -> list[Token]:
        return [w for n, w in enumerate(self.words) if n not in self.known and not _is_idle(w) and w.text not in _BREAKS]

    def left(self, controls: Iterable[str]) -> list[str]:
        """Words that neither a field nor the headings over it and the names of its controls tell: what an option says in part is
        no word for the form."""
        heads = [w.inside[1] for w in self.takers if w.inside[0] in _HEADS]
        about = {token for text in heads for token in tokens(text)} - phrases("told by no heading") - phrases("numbers")
        labels = [one.widget.name for one in self.filled if one.widget.role in WRITTEN]
        about |= {token for text in (*controls, *labels) for token in tokens(text)} | {*deeds()["opens"], *phrases("generic")}
        return [w.text for w in self._unknown() if w.kind != "word" or w.capital or not {*tokens(w.text)} <= about]


def _wrote(text: str, entry: Entry) -> bool:
    """Whether words are what an entry says."""
    core, value = tokens(text), "" if entry.value == "true" else entry.value
    both = {*tokens(entry.label), *tokens(value)}
    return (bool(value) and value_of(text) == value) or {*core} == both or core == tokens(value or entry.label)


def _is_said(core: tuple[str, ...], name: str, label: str) -> bool:
    """Whether words are what an option is called, with or without what it is one of: "high priority"."""
    own, both = tokens(name), (*tokens(name), *tokens(label))
    return bool(core) and bool(own) and (core == own or (len(both) > len(own) and sorted(core) == sorted(both)))


def _is_idle(word: Token) -> bool:
    return word.lower in phrases("beside values")


def _is_labelled(widget: Widget, said: Iterable[str]) -> bool:
    """Whether words beside a value are of the label: "checking in on 3 May"."""
    return all(any(word.startswith(token[:4]) for token in tokens(widget.name.replace("-", " "))) for word in said)


# --- values --------------------------------------------------------------------------------------------------------------


def is_quote(text: str) -> bool:
    return [word.kind for word in goal_tokens(text)] == ["quote"]


def is_named(text: str) -> bool:
    """Whether it is nothing but words with a capital."""
    return bool(text) and all(word.kind == "word" and word.capital for word in goal_tokens(text))


def is_value(text: str) -> bool:
    """Whether it is a quotation, a name, or nothing but a number, a day, a time, an address."""
    return is_quote(text) or is_named(text) or any(is_a(kind, text) for kind in _VALUES)


def value_of(text: str) -> str:
    """What is written: a quotation without its marks, a day as it is counted, else the words. Raises Refusal."""
    day, numbers = parse_date(text), text.split("/")
    if is_quote(text):
        return text[1:-1]
    if day is not None and len(numbers) == 3 and numbers[0] != numbers[1] and max(day.day, *map(int, numbers[:2])) <= _MONTHS:
        raise Refusal(f'"{text}" may be one of two days: it is not known which of its numbers is the month')
    return day.isoformat() if day is not None else text


# --- widgets by what they are called -------------------------------------------------------------------------------------


def options(widgets: Iterable[Widget], is_meant: Callable[[str, str], bool]) -> Iterator[Filled]:
    """The boxes, and the choices of lists, that are meant by their own name and that of what they are one of."""
    for widget in widgets:
        if widget.role in BOXES and is_meant(widget.name, widget.inside[1]):
            yield Filled(widget, "true")
        same = [option for option in widget.options if widget.role in LISTS and is_meant(option, widget.name)]
        if len(same) == 1:
            yield Filled(widget, same[0])


def takes_moment(kind: str, widget: Widget) -> bool:
    """Whether a field is for a day or for a time: so it is called, or so its empty state says."""
    hints = table("phrases")["hints"]
    return kind in hints and (any(hint in fold(widget.hint) for hint in hints[kind]) or kind in tokens(widget.name))


def called(name: str, widgets: Iterable[Widget], whole: bool = False) -> list[Widget]:
    """Those that are called so; with `whole` it is all of their name."""
    scored = [(likeness(name, w.name), w) for w in widgets if w.name]
    best = max((score for score, _ in scored), default=0.0)
    return [w for score, w in scored if score >= (SURE if whole else PARTLY) and score >= best - 0.005]


def names_verb(verb: str, control: str) -> bool:
    """Whether a control is called as the verb, or by another word for it, whatever stands behind it."""
    first = next(iter(words(plain(control))), "")
    said = plain(verb.replace("_", " ")).removesuffix(" for")
    same = any(said in some and first in some for some in table("phrases")["alike"])
    return first == said or same or likeness(said, control) >= SURE
