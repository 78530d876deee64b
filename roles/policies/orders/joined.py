"""What belongs together in a goal: fields and ends of forms, and what is not to be done after all."""

from __future__ import annotations

from collections.abc import Sequence

from environments.cards import AppCard, KindCard
from roles.contracts.orders import Of, Order, Slot, Thing
from roles.policies.orders.grounding import Refusal, ground_field
from roles.policies.orders.state import COMMITS, LOOKS, PlanState, Subject, unwanted_by

SAYS = frozenset({*LOOKS, "answer", "copy", "write", "add", "put", "send"})
"""Verbs whose object may be a value."""


class Joined(PlanState):
    """Orders that are no work of their own."""

    def _leave_out(self) -> None:
        """ "..., but do not delete it after all": what was asked for before is not done."""
        orders = list(enumerate(self.reading.orders))
        gone = {at for at, order in orders if not order.negated and any(_takes_back(no, order, at) for _, no in orders[at + 1 :])}
        self._skipped |= gone
        self.forbidden = bool(gone)

    def _name_fields(self) -> None:
        """ "The invoice total" is the total of the invoice, where nothing holds totals, and something holds invoices with one."""
        orders = list(self.reading.orders)
        for at, order in enumerate(orders):
            slots = tuple(
                slot.model_copy(update={"value": self._as_field(slot.value.thing) or slot.value})
                if isinstance(slot.value, Of) and not slot.value.fields
                else slot
                for slot in order.slots
            )
            of = self._as_field(order.object) if order.object is not None and order.verb in SAYS else None
            slots = (Slot(role="value", value=of, spans=of.spans), *slots) if of is not None else slots
            orders[at] = order.model_copy(update={"slots": slots, "object": None if of is not None else order.object})
        self.reading = self.reading.model_copy(update={"orders": tuple(orders)})

    def _as_field(self, thing: Thing) -> Of | None:
        name = thing.name.text if thing.name is not None and not thing.name.quoted else ""
        noun = name.removesuffix(thing.kind).strip()
        if not thing.kind or not noun or noun == name or self._maybe(thing.kind):
            return None
        if not any(ground_field(thing.kind, kind) for _, kind in self._maybe(noun)):
            return None
        bare = thing.model_copy(update={"kind": noun, "name": None})
        return Of(fields=(thing.kind,), thing=bare, spans=thing.spans)

    def _join_fields(self) -> None:
        """ "... create a file, enter X as its content, select Y as the category": belong to the order that began the form."""
        named = (order.model_copy(update={"slots": _named(order.slots, at)}) for at, order in enumerate(self.reading.orders))
        orders, base = list(named), -1
        for at, order in enumerate(orders):
            thing = order.object
            fills = order.verb in {"write", "select", "set", "put"} and not order.negated
            base = base if base >= 0 and orders[base].condition == order.condition else -1
            back = thing.back if thing is not None and not thing.tests and thing.place is None else None
            same = back is not None and base <= back.to < at
            fields = bool(order.slots) and all(slot.role == "value" and slot.field for slot in order.slots)
            if fills and fields and (thing is None or same) and base >= 0:
                orders[base] = orders[base].model_copy(update={"slots": (*orders[base].slots, *order.slots)})
                self._merge(at, orders[base])
            elif (thing is not None and thing.new) or self._derived(order) is not None or (fills and self._fills_form(order)):
                base = at
            elif order.verb == "set" and fields and not order.negated and thing is not None and thing.back is None:
                base = at  # change the title of X to A and the text to B
            elif order.verb not in COMMITS:
                base = -1
        self.reading = self.reading.model_copy(update={"orders": tuple(orders)})

    def _fills_form(self, order: Order) -> bool:
        return any(slot.role in {"into", "at", "to"} and self._form_at(slot.value) for slot in order.slots)

    def _merge(self, at: int, order: Order) -> None:
        self._merged.add(at)
        self._subjects[at] = Subject(phrase=self._said(order.spans))

    def _derived(self, order: Order) -> tuple[AppCard, KindCard] | None:
        """The kind that a verb makes of a record, such as a claim of an invoice."""
        where = order.model_copy(update={"object": None})  # where the record stands says nothing of where the new one does
        kinds = [(card, kind) for card in self._cards_for(where) for kind in card.kinds if kind.create is not None]
        named = [(card, kind) for card, kind in kinds if order.verb in {kind.kind, *kind.words}]
        return named[0] if len(named) == 1 else None

    def _join_commits(self) -> None:
        """ "..., and submit it", "... but do not send it": belongs to the order that fills the form."""
        for at, order in enumerate(self.reading.orders):
            if order.verb not in COMMITS:
                continue
            thing = order.object
            for earlier in range(at if _of_all(order) and order.condition is None else 0):
                self._forbid(earlier, order)
            back = thing.back.to if thing is not None and thing.back is not None else at - 1
            while back in self._merged and back > 0:
                back -= 1
            drafts = [s for s in order.slots if s.role == "as" and isinstance(s.value, Of) and s.value.thing.kind == "draft"]
            told = [s for s in order.slots if order.verb != "save" or s not in drafts]  # what is saved is a draft anyway
            if told or not 0 <= back < at or self.reading.orders[back].verb in LOOKS:
                continue
            begun = self.reading.orders[back]
            named = thing is not None and (thing.name is not None or bool(thing.tests))
            forms = {"form", "draft"} if self._fills_form(begun) or not self._maybe("draft") else {"form"}
            same = thing is not None and thing.kind in {*forms, begun.object.kind if begun.object is not None else "form"}
            if thing is not None and thing.back is None and (named or not (order.negated or same)):
                continue
            if order.condition != begun.condition:
                if order.negated:
                    raise Refusal(f'"{self._said(order.spans)}": it is not known beforehand when that holds')
            elif order.negated:
                self._forbid(back, order)
            else:
                self._commits[back] = order.verb
                self._merge(at, begun)

    def _forbid(self, at: int, no: Order) -> None:
        """How that order's form must not end; what was said later holds."""
        self._forbidden.setdefault(at, set()).update(unwanted_by(no.verb))
        if self._commits.get(at) in unwanted_by(no.verb):
            del self._commits[at]


def _named(slots: Sequence[Slot], at: int) -> tuple[Slot, ...]:
    """ "Its total as the amount": a value and the field that it goes into."""
    made: list[Slot] = []
    for slot in slots:
        of, last = slot.value if slot.role == "as" and isinstance(slot.value, Of) else None, made[-1] if made else None
        plain = of is not None and len(of.fields) == 1 and (of.thing.back is None or of.thing.back.to == at)
        if of is not None and plain and last is not None and last.role in {"with", "value"} and not last.field:
            named = {"role": "value", "field": of.fields[0], "spans": (*last.spans, *slot.spans)}
            made[-1] = last.model_copy(update=named)
        else:
            made.append(slot)
    return tuple(made)


def _takes_back(no: Order, order: Order, at: int) -> bool:
    """Whether it says that this very order is not to be done."""
    prepared = no.verb in COMMITS and order.slots  # "write a mail to Ann, but do not send it"
    if not no.negated or prepared or (no.verb, no.condition) != (order.verb, order.condition):
        return False
    if no.object is None or order.object is None:
        return False
    if _of_all(no) and no.object.kind in {"", order.object.kind}:
        return True
    names = [thing.name.text.casefold() if thing.name is not None else "" for thing in (no.object, order.object)]
    same = names[0] and names[0] == names[1] and no.object.kind == order.object.kind and not no.object.tests
    return bool(same) or (no.object.back is not None and no.object.back.to == at and not no.object.tests)


def _of_all(no: Order) -> bool:
    """Whether it says of anything whatever, or of anything of a kind, not to do that."""
    thing = no.object
    if not no.negated or thing is None or thing.quantity != "all":
        return False
    return not (thing.name or thing.tests or thing.back or thing.place or thing.but or thing.pick)
