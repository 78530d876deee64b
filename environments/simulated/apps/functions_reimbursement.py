"""The functions of Reimbursement: they fill in the form and press its buttons, so it refuses what the window refuses."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue

from environments.simulated.app import Edited, Event, Pressed
from environments.simulated.apps.functions_base import Drive, Nothing, Page, chosen, driven, one_line, part_of, unknown
from environments.simulated.apps.reimbursement_state import Claim, ReimbursementState
from environments.simulated.skills import Declined, Done, Function
from environments.simulated.values import Model, matches


class Found(Page):
    """`query` is searched in everything that a claim says."""

    query: str = ""


class ByNumber(Model):
    """A claim by its number."""

    number: str


class Form(Model):
    """The fields of the form; what is left out stays as it is in the form."""

    employee: str | None = None
    vendor: str | None = None
    invoice_number: str | None = None
    date: str | None = None
    category: str | None = None
    amount: str | None = None
    description: str | None = None
    receipt: bool | None = None


def list_claims(state: ReimbursementState, wanted: Found) -> Done[ReimbursementState]:
    found = [claim for claim in state.claims.values() if matches(wanted.query, *map(str, claim.model_dump().values()))]
    return Done(state, {"currency": state.currency, **part_of(found, wanted, _dump)})


def _dump(claim: Claim) -> JsonValue:
    return claim.model_dump(mode="json")


def get_claim(state: ReimbursementState, wanted: ByNumber) -> Done[ReimbursementState]:
    claim = state.claims.get(wanted.number)
    if claim is None:
        unknown("claim", wanted.number, state.claims)
    return Done(state, _dump(claim))


def describe_form(state: ReimbursementState, _: Nothing) -> Done[ReimbursementState]:
    labels: dict[str, JsonValue] = {**state.labels}
    draft: dict[str, JsonValue] = {**state.draft}
    return Done(state, {"labels": labels, "required": list(state.required), "categories": list(state.categories), "draft": draft})


def _edits(state: ReimbursementState, form: Form) -> list[Event]:
    """What a hand would put into the fields."""
    events: list[Event] = []
    for name, value in form.model_dump(exclude_none=True).items():
        if name == "category" and value:
            value = chosen(state.labels[name], value, state.categories)
        elif name == "receipt":
            value = "true" if value else "false"
        elif name != "description":
            value = one_line(value)
        events.append(Edited(name, value))
    return events


def functions(update: Drive[ReimbursementState]) -> tuple[Function[Any, Any], ...]:
    """Functions over the app's own `update`."""

    def save_draft(state: ReimbursementState, form: Form) -> Done[ReimbursementState]:
        events = [Pressed("new-claim"), *_edits(state, form), Pressed("save-draft")]
        after, effects = driven(update, state, events)
        kept = after.model_copy(update={"page": state.page})
        return Done(kept, {"draft": {**after.draft}}, effects)

    def submit_claim(state: ReimbursementState, form: Form) -> Done[ReimbursementState]:
        """On an empty form, and the form in the window stays as it is."""
        empty = {**dict.fromkeys(state.draft, ""), "employee": state.employee, "receipt": "false"}
        blank = state.model_copy(update={"draft": empty, "errors": {}, "page": "form"})
        after, effects = driven(update, blank, [*_edits(state, form), Pressed("submit")])
        if after.errors:
            raise Declined("; ".join(after.errors.values()))
        kept = state.model_copy(update={"claims": after.claims})
        return Done(kept, _dump(after.claims[after.claim]), effects)

    return (
        Function("list_claims", "Claims that were made", Found, list_claims),
        Function("get_claim", "All of one claim", ByNumber, get_claim),
        Function("describe_form", "The form's labels, required fields, categories and draft", Nothing, describe_form),
        Function("save_draft", "Put values into the form and save it without submitting", Form, save_draft, writes=True),
        Function("submit_claim", "Submit a new claim; refused where the form would refuse it", Form, submit_claim, writes=True),
    )
