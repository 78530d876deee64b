"""Orders that a form of the page is for: "Book a double room for Ann Lee, 3 nights". Each word of the order is the name of an
option, the label of a field, a value that only one field takes, or what the form is about; else the order is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from environments.cards import Widget
from environments.effects import SENSITIVE, Effect
from environments.effects.words import effect_of_words, is_way_out
from roles.contracts.orders import Entry, FillStep, Order, PressStep, Step
from roles.contracts.values import parse_date
from roles.policies.orders.grounding import Refusal
from roles.policies.orders.pages import WRITTEN, PageOrders, names_verb
from roles.policies.orders.state import Group, NotKnownYet, escaped
from roles.screen.language.words import Token, deeds, phrases, table
from roles.screen.language.words import tokens as goal_tokens
from roles.screen.matching import tokens
from roles.screen.page import BOXES, LISTS, PRESSED
from roles.screen.texts import begins, fold, has_phrase, plain
from roles.screen.values import is_a

_BREAKS = frozenset({",", "(", ")", ";", "."})
_MONTHS = 12
_RECORDS = frozenset({"row", "listitem"})


class Filled(NamedTuple):
    """A value, and what takes it."""

    widget: Widget
    value: str


class PageForms(PageOrders):
    """Orders to steps on a page, also by the form that it shows, or that a press brings up, in as many parts as it has."""

    def on_view(self, order: Order) -> None:
        done, fresh = list(self._steps), self._entry_of(order)
        if not done and not fresh:
            try:
                return super().on_view(order)
            except Refusal as no:
                if order.verb in table("pages")["verbs"]:
                    raise
                self._steps, why = [], no
        else:
            why = self.unclear(order)
        form = _Form(self._clause(order), self._page.widgets, order.verb)
        gone = [entry for step in done if isinstance(step, FillStep) for entry in step.entries]
        if fresh:
            form.enter(fresh, [entry.value for entry in gone])
        form.ground(gone)
        for number, stage in enumerate(_stages(done), 2):
            self.made.append(Group(f"o{self._at}.{number}", tuple(stage)))
        self._steps = []
        steps = list(self._form_steps(order, form, [step for step in done if isinstance(step, PressStep)], why))
        self._steps = [step.model_copy(update={"order": self._at}) for step in steps]
        if _leads(steps[-1]):
            self.made.append(Group(f"o{self._at}.{len(_stages(done)) + 2}", tuple(self._steps)))
            self._steps = []
            raise NotKnownYet
        return None

    def _entry_of(self, order: Order) -> str:
        """What is to be a new entry of a list, "add butter to the list": what the page shows nowhere yet."""
        thing = order.object
        if order.verb != "add" or thing is None or thing.tests or thing.also or thing.pick or thing.but or thing.back:
            return ""
        name = thing.name.text if thing.name is not None else thing.kind
        shown = (*self._page.texts, *(w.name for w in self._page.widgets))
        plain_one = thing.quantity in {"one", "any"} and not any(map(str.isdigit, name))
        return name if plain_one and not any(has_phrase(plain(text), plain(name)) for text in shown) else ""

    def is_begun(self) -> bool:
        """Whether the steps so far lead to more of a form that is not known yet."""
        return bool(self._steps) and _leads(self._steps[-1])

    def _clause(self, order: Order) -> str:
        """The goal's own words behind the verb."""
        goal = self.reading.goal[min(s for s, _ in order.spans) : max(e for _, e in order.spans)]
        at = goal.casefold().find(order.said.casefold())
        return goal[at + len(order.said) :] if at >= 0 else goal

    def _form_steps(self, order: Order, form: _Form, pressed: Sequence[PressStep], why: Refusal) -> Iterator[Step]:
        verbs = [*filter(None, (order.verb, order.said))]
        ways = [w for w in form.scope if w.role in PRESSED and w.inside[0] not in _RECORDS and not is_way_out(w.name)]
        own = [w for w in ways if any(names_verb(verb, w.name) for verb in verbs)]
        words = (*verbs, *map(str, deeds()["controls"].get(order.verb, ())))
        ends = own or [w for w in ways if begins(w.name, words)] or [w for w in ways if form.is_about(w.name, ())]
        onward = [w for w in ways if fold(w.name) in phrases("next step")]
        if not form.filled and not pressed:
            opens = [w for w in ways if (w in own or begins(w.name, deeds()["opens"])) and form.is_about(w.name, verbs)]
            sole = opens[0].name if len(opens) == 1 else ""
            sends = form.fields() or (any(plain(sole) == plain(verb) for verb in verbs) and form.chooses())
            if not sole or sends or effect_of_words(sole) in SENSITIVE - {Effect.SEND}:
                raise why  # beside fields it may send them as they are
            yield self._pressed(opens[0], leads=len(pressed) + 1)
            return
        if len(ends) != 1 and pressed:
            ends = [w for w in ways if w not in onward] or ends
        left = form.left([*(w.name for w in (*ends, *onward)), *(step.control for step in pressed)])
        if (left or len(ends) != 1) and len(onward) == 1:
            yield from self._entered(form.filled)
            yield self._pressed(onward[0], leads=len(pressed) + 1)
            return
        if left:
            raise Refusal(f'"{" ".join(left)}" is for nothing in the form: {why}')
        end = self._sole(ends, order.said)
        yield from self._entered(form.filled)
        yield self._pressed(end)

    def _entered(self, filled: Sequence[Filled]) -> Iterator[Step]:
        entries = [Entry(label=w.name, value=escaped(value), nth=self._nth(w)) for w, value in filled]
        if entries:
            yield FillStep(app=self._page_app, entries=tuple(entries))

    def _pressed(self, widget: Widget, leads: int = 0) -> PressStep:
        return PressStep(app=self._page_app, verb="click", control=widget.name, nth=self._nth(widget), leads=leads)


def _leads(step: Step) -> bool:
    return isinstance(step, PressStep) and step.leads > 0


def _stages(steps: Sequence[Step]) -> list[list[Step]]:
    """Steps, parted behind what leads on."""
    stages: list[list[Step]] = []
    for step in steps:
        if not stages or _leads(stages[-1][-1]):
            stages.append([])
        stages[-1].append(step)
    return stages


class _Form:
    """The words of an order, held against what a page takes."""

    def __init__(self, clause: str, widgets: Sequence[Widget], verb: str) -> None:
        self.clause, self.words, self.verb = clause, goal_tokens(clause), verb
        self.filled: list[Filled] = []
        self.known: set[int] = set()
        """Places of words that are told by the form."""
        self.scope = [w for w in widgets if w.front and w.name]
        named = {w.inside[2]: w.inside[1] for w in self.scope if w.inside[1] and w.inside[0] not in _RECORDS}
        for at, end in ((n, end) for n in range(1, len(self.words)) for end in self._ends(n)):
            said, before = tokens(self._text(at, end)), self.words[at - 1].lower
            said = said[:-1] if said[-1:] and said[-1] in phrases("parts") else said
            inside = [id_ for id_, name in named.items() if said and tokens(name) == said]
            if len(inside) == 1 and before in phrases("inside") | {"to", "into", "the"}:  # the To do column
                self.scope = [w for w in self.scope if w.inside[2] == inside[0]]
                self.known.update(range(at - 1, end))
                break
        self.takers = [w for w in self.scope if w.inside[0] not in _RECORDS]

    def ground(self, gone: Sequence[Entry]) -> None:
        """What goes where, of what is not written by now. Raises Refusal."""
        at = 0
        while at < len(self.words):
            for end in self._ends(at):
                if {*range(at, end)} & self.known:
                    continue
                if any(self._wrote(at, end, entry) for entry in gone):
                    break
                found = list(dict.fromkeys(self._takes(at, end)))
                if len(found) > 1:
                    names = ", ".join(f'"{one.widget.name}"' for one in found)
                    raise Refusal(f'"{self._text(at, end)}" may go into several fields of the page: {names}')
                if found:
                    self._take(found[0])
                    break
            else:
                at += 1
                continue
            self.known.update(range(at, end))
            at = end

    def enter(self, name: str, gone: Sequence[str]) -> None:
        """A new entry goes into the only field that there is."""
        fields, at = self.fields(), self.clause.casefold().find(name.casefold())
        if len(fields) == 1 and at >= 0:
            self.known.update(n for n, w in enumerate(self.words) if at - 1 <= w.start and w.end <= at + len(name) + 1)
            self.filled += [Filled(fields[0], name)] if name not in gone else []

    def _take(self, one: Filled) -> None:
        for other in self.filled:
            group = one.widget.role == other.widget.role == "radio" and one.widget.inside[2] == other.widget.inside[2]
            if one.widget is other.widget or group:
                raise Refusal(f'two values are said for "{one.widget.inside[1] if group else one.widget.name}"')
        self.filled.append(one)

    def _ends(self, at: int) -> Iterator[int]:
        """Where a part that begins here may end, the longest first; it ends at a comma, and begins with no mark."""
        stop = next((n for n in range(at, len(self.words)) if self.words[n].text in _BREAKS), len(self.words))
        return iter(range(stop, at, -1))

    def _text(self, at: int, end: int) -> str:
        return self.clause[self.words[at].start : self.words[end - 1].end] if end > at else ""

    def _bounds(self, at: int, end: int) -> tuple[int, int]:
        """Without the words at both ends that say nothing by themselves."""
        idle = phrases("beside values")
        while at < end and self.words[at].lower in idle:
            at += 1
        while at < end and self.words[end - 1].lower in idle:
            end -= 1
        return at, end

    def _core(self, at: int, end: int) -> str:
        return self._text(*self._bounds(at, end))

    def _wrote(self, at: int, end: int, entry: Entry) -> bool:
        """Whether a part is what an entry says."""
        core, value = tokens(self._core(at, end)), "" if entry.value == "true" else entry.value
        both = {*tokens(entry.label), *tokens(value)}
        said = self._value(*self._bounds(at, end))
        return bool(core) and ((bool(value) and said == value) or {*core} == both or core == tokens(value or entry.label))

    # --- which field takes it --------------------------------------------------------------------------------------------

    def _takes(self, at: int, end: int) -> Iterator[Filled]:
        first, last = self._bounds(at, end)
        core = tokens(self._text(first, last))
        if not core or self.words[first].text in _BREAKS:
            return
        chosen = [*self._chosen(core)] if self.words[first].kind != "quote" else []
        found = chosen or [*self._labelled(first, last)] or [*self._typed(at, first, last)]
        opposite = self._opposite(first)
        for one in found:
            labels = (one.widget.name, one.widget.inside[1] if one.widget.role == "radio" else "")
            if not any(begins(label, opposite) for label in labels):
                yield one

    def _opposite(self, first: int) -> list[str]:
        """How a field is called that is for the other end than what stands here: "from Oslo" is no value of `To`."""
        words = table("phrases")["opposite labels"]
        before = first - 1
        while before >= 0 and self.words[before].lower in phrases("beside values"):
            if self.words[before].lower in words:
                return list(words[self.words[before].lower])
            before -= 1
        return []

    def _chosen(self, core: tuple[str, ...]) -> Iterator[Filled]:
        """An option that is called so, with or without what it is one of: "high priority"."""
        for widget in self.takers:
            if widget.role in BOXES and _is_said(core, widget.name, widget.inside[1]):
                yield Filled(widget, "true")
            if widget.role in LISTS:
                same = [option for option in widget.options if _is_said(core, option, widget.name)]
                if len(same) == 1:
                    yield Filled(widget, same[0])

    def _labelled(self, first: int, last: int) -> Iterator[Filled]:
        """A label with its value: "topic Billing", "4 nights"."""
        for widget in self.takers:
            size = len(tokens(widget.name))
            if widget.role not in WRITTEN or not 0 < size < last - first:
                continue
            before, behind = tokens(self._text(first, first + size)), tokens(self._text(last - size, last))
            if before == tokens(widget.name) and self._is_value(first + size, last):
                yield from self._held(widget, first + size, last)
            elif behind == tokens(widget.name) and self.words[first].kind == "number" and first + size + 1 == last:
                yield from self._held(widget, first, first + 1)

    def _held(self, widget: Widget, at: int, end: int) -> Iterator[Filled]:
        value = self._value(*self._bounds(at, end))
        if value and (widget.role != "spinbutton" or is_a("number", value)):
            yield Filled(widget, value)

    def _value(self, at: int, end: int) -> str:
        """What is written: a quotation without its marks, a day as it is counted, else the words."""
        text = self._text(at, end)
        if end == at + 1 and self.words[at].kind == "quote":
            return text[1:-1]
        day = parse_date(text)
        parts = text.split("/")
        if day is not None and len(parts) == 3 and parts[0] != parts[1] and max(day.day, *map(int, parts[:2])) <= _MONTHS:
            raise Refusal(f'"{text}" may be one of two days: it is not known which of its numbers is the month')
        return day.isoformat() if day is not None else text

    def _is_value(self, at: int, end: int) -> bool:
        """Whether it is a quotation, a name, or nothing but a number, a day, a time, an address."""
        at, end = self._bounds(at, end)
        text = self._text(at, end)
        if at < end and self.words[at].kind == "quote":
            return end == at + 1
        return any(is_a(kind, text) for kind in ("number", "date", "time", "email", "phone", "money")) or self._is_name(at, end)

    def _is_name(self, at: int, end: int) -> bool:
        return at < end and all(word.kind == "word" and word.capital for word in self.words[at:end])

    def _is_person(self, at: int, end: int) -> bool:
        """Whether it says somebody: behind the verb; in full behind "for", and of what is sent behind "from"."""
        before = self.words[at - 1].lower if at else ""
        full = end > at + 1 and (before == "for" or (before == "from" and self.verb in {"send", "submit"}))
        return self._is_name(at, end) and (full or not before)

    def _typed(self, at: int, first: int, last: int) -> Iterator[Filled]:
        """A value that only one field takes: an address, a day, a time, a name, a quotation."""
        text, word = self._text(first, last), self.words[first]
        if last == first + 1 and word.kind == "quote":
            wanted = self._quoted(at, first)
        elif is_a("email", text):
            wanted = [w for w in self.fields() if "mail" in fold(f"{w.name} {w.hint}")]
        elif (kind := self._moment(first, last)) is not None:
            wanted = self._of_day(kind, first, last)
            first, last = self._moment_at(first, last)
        elif self._is_person(first, last):
            wanted = [w for w in self.fields() if {"name"} <= {*tokens(w.name)} <= phrases("of a person")]
        else:
            wanted = []
        yield from (Filled(w, self._value(first, last)) for w in wanted)

    def fields(self) -> list[Widget]:
        """Fields that are written into, and do not search."""
        fields = [w for w in self.takers if w.role in WRITTEN - {"searchbox"}]
        return [w for w in fields if not begins(w.name, phrases("searches"))]

    def chooses(self) -> bool:
        return any(w.role in LISTS | BOXES for w in self.takers)

    def _quoted(self, at: int, first: int) -> list[Widget]:
        """By the words before it: called "Plan", saying "Hello"; else the only field."""
        roles = [role for word in self.words[at:first] for role, said in table("pages")["says"].items() if word.lower in said]
        labels = {label for role in roles for label in deeds()["roles"][role]}
        fields = self.fields()
        return [w for w in fields if labels & {*tokens(w.name)}] if roles else fields if len(fields) == 1 else []

    def _moment_at(self, first: int, last: int) -> tuple[int, int]:
        """Where a day or a time stands within a part."""
        for size in range(last - first, 0, -1):
            for at in range(first, last - size + 1):
                text = self._text(at, at + size)
                if parse_date(text) is not None or is_a("time", text):
                    return at, at + size
        return first, first

    def _moment(self, first: int, last: int) -> str | None:
        at, end = self._moment_at(first, last)
        rest = [w.lower for n, w in enumerate(self.words[first:last], first) if not at <= n < end]
        if at == end or len(rest) > 3 or any(self.words[n].kind == "number" for n in range(first, last) if not at <= n < end):
            return None
        return "date" if parse_date(self._text(at, end)) is not None else "time"

    def _of_day(self, kind: str, first: int, last: int) -> list[Widget]:
        """Fields for a day or a time; words beside it are of the label: "checking in on 3 May"."""
        at, end = self._moment_at(first, last)
        rest = [w.lower for n, w in enumerate(self.words[first:last], first) if not at <= n < end]
        rest = [word for word in rest if word not in phrases("beside values")]
        hints = table("phrases")["hints"][kind]
        fields = [w for w in self.fields() if any(hint in fold(w.hint) for hint in hints) or kind in tokens(w.name)]
        return [w for w in fields if all(any(word.startswith(t[:4]) for t in tokens(w.name.replace("-", " "))) for word in rest)]

    # --- what is left ----------------------------------------------------------------------------------------------------

    def is_about(self, control: str, verbs: Sequence[str]) -> bool:
        """Whether a control says nothing but words of the order, and that it is about somebody: `New issue`, `Invite member`."""
        said = {token for word in (*(w.text for w in self._unknown()), *verbs) for token in tokens(word)}
        rest = {*tokens(control)} - {*deeds()["opens"]}
        return bool(rest & said) and rest - said <= phrases("anybody")

    def _unknown(self) -> list[Token]:
        idle = phrases("beside values") | _BREAKS
        return [w for n, w in enumerate(self.words) if n not in self.known and w.lower not in idle]

    def left(self, controls: Sequence[str]) -> list[str]:
        """Words that neither a field nor the headings over it and the names of its controls tell: what an option says in part is
        no word for the form."""
        heads = [w.inside[1] for w in self.takers if w.inside[0] in {"heading", "dialog", "alertdialog", "form", "region"}]
        about = {token for text in heads for token in tokens(text)} - phrases("told by no heading") - phrases("numbers")
        about |= {token for text in controls for token in tokens(text)} | {*deeds()["opens"]}
        return [w.text for w in self._unknown() if w.kind != "word" or w.capital or not {*tokens(w.text)} <= about]


def _is_said(core: tuple[str, ...], name: str, label: str) -> bool:
    own, both = tokens(name), (*tokens(name), *tokens(label))
    return bool(own) and (core == own or (len(both) > len(own) and sorted(core) == sorted(both)))
