"""Reimbursement: a form for expense claims, and the claims that were made."""

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import (
    FunctionTable,
    Limit,
    Offset,
    chosen,
    driven,
    one_line,
    part_of,
    unknown,
)
from environments.simulated.apps.common.record_list import list_update, list_view, with_error
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Day, Model, Money, matches, parse_day, parse_money, shown

LABELS: dict[str, str] = {
    "employee": "Employee", "vendor": "Vendor", "invoice_number": "Invoice number", "date": "Date", "category": "Category",
    "amount": "Amount", "description": "Description", "receipt": "I confirm that the receipt is attached",
}  # fmt: skip


class Claim(Model):
    """A claim as it was submitted."""

    number: str
    employee: str = ""
    vendor: str = ""
    invoice_number: str = ""
    date: Day = ""
    category: str = ""
    amount: Money | Literal[""] = ""
    description: str = ""
    receipt: bool = False
    status: str = "Submitted"


class ReimbursementState(sim.AppState):
    """The form as it stands, and the claims by number."""

    claims: dict[str, Claim]
    draft: dict[str, str]
    saved: dict[str, str] = Field(default_factory=dict)
    """The draft as it was last saved; empty when it was not."""
    errors: dict[str, str] = Field(default_factory=dict)
    page: Literal["form", "done", "claims", "claim"] = "form"
    claim: str = ""
    list_page: int = 1
    employee: str
    required: tuple[str, ...]
    disabled_until_valid: bool
    categories: tuple[str, ...]
    labels: dict[str, str]
    currency: str
    submit_seconds: float


def problem(state: ReimbursementState, name: str) -> str:
    """What is wrong with a field, in the words that the page shows."""
    label, value = state.labels[name], state.draft[name].strip()
    if name in state.required and value in ("", "false"):
        return f"{label} is required"
    if name == "amount" and value:
        amount = parse_money(value)
        if amount is None or amount == "0.00":
            return f"{label} must be an amount like 120.50"
    if name == "date" and value and parse_day(value) is None:
        return f"{label} must be a day like 2026-03-31"
    return ""


class Form(Model):
    """The fields of the form; what is left out stays as it is in the form."""

    employee: str | None = None
    vendor: str | None = None
    invoice_number: str | None = None
    date: Annotated[str | None, Field(examples=["2026-03-31"])] = None
    category: str | None = None
    amount: Annotated[str | None, Field(examples=["120.50"])] = None
    description: str | None = None
    receipt: bool | None = None


def _dump(claim: Claim) -> JsonValue:
    return claim.model_dump(mode="json")


def _edits(state: ReimbursementState, form: Form) -> list[sim.Event]:
    """What a hand would put into the fields."""
    events: list[sim.Event] = []
    for name, value in form.model_dump(exclude_none=True).items():
        if name == "category" and value:
            value = chosen(state.labels[name], value, state.categories)
        elif name == "receipt":
            value = "true" if value else "false"
        elif name != "description":
            value = one_line(value)
        events.append(sim.Edited(name, value))
    return events


FUNCTIONS = FunctionTable[ReimbursementState]()


@FUNCTIONS.reads("ClaimQuery", "`query` is searched in everything that a claim says.")
def list_claims(state: ReimbursementState, offset: Offset = 0, limit: Limit = 50, query: str = "") -> JsonValue:
    """Claims that were made"""
    found = [claim for claim in state.claims.values() if matches(query, *map(str, claim.model_dump().values()))]
    return {"currency": state.currency, **part_of(found, offset, limit, _dump)}


@FUNCTIONS.reads("ByNumber", "A claim by its number.")
def get_claim(state: ReimbursementState, number: str) -> JsonValue:
    """All of one claim"""
    return _dump(state.claims[number]) if number in state.claims else unknown("claim", number, state.claims)


@FUNCTIONS.writes()
def save_draft(state: ReimbursementState, form: Form) -> sim.FunctionResult[ReimbursementState]:
    """Put values into the form and save it without submitting"""
    events = [sim.Pressed("new-claim"), *_edits(state, form), sim.Pressed("save-draft")]
    after, effects = driven(Reimbursement().update, state, events)
    return sim.FunctionResult(after.replace(page=state.page), {"draft": {**after.draft}}, effects)


@FUNCTIONS.writes()
def submit_claim(state: ReimbursementState, form: Form) -> sim.FunctionResult[ReimbursementState]:
    """Submit a new claim, what is left out as in an empty form; refused where the form would refuse it"""
    blank = state.replace(draft=_empty(state.employee), errors={}, page="form")  # the form in the window stays as it is
    after, effects = driven(Reimbursement().update, blank, [*_edits(state, form), sim.Pressed("submit")])
    if after.errors:
        raise sim.FunctionDeclined("; ".join(after.errors.values()))
    return sim.FunctionResult(state.replace(claims=after.claims), _dump(after.claims[after.claim]), effects)


FieldName = Literal["employee", "vendor", "invoice_number", "date", "category", "amount", "description", "receipt"]
CATEGORIES = ("Travel", "Meals", "Office supplies", "Software", "Equipment", "Other")
COLUMNS = ("Claim", "Vendor", "Date", "Category", "Amount", "Status")


class ReimbursementContent(sim.Content):
    """`labels` renames fields, `draft` is what the form holds at first."""

    employee: str | None = None
    required: tuple[FieldName, ...] = ("amount",)
    disabled_until_valid: bool = False
    categories: tuple[str, ...] = CATEGORIES
    labels: dict[FieldName, str] = Field(default_factory=dict)
    draft: dict[FieldName, str] = Field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    currency: str = "$"
    submit_seconds: float = Field(default=0.0, ge=0)
    """How long the app loads after a submission."""

    @model_validator(mode="after")
    def _draft_fits(self) -> Self:
        category = self.draft.get("category", "")
        if category and category not in self.categories:
            raise ValueError(f"draft.category: {category!r} is not one of {', '.join(self.categories)}")
        if len({claim.number for claim in self.claims}) < len(self.claims):
            raise ValueError("two claims have the same number")
        return self


def _handed_in(found: sim.Difference) -> str:
    claim = found.new
    return f"hands in the claim{f' of {claim.vendor}' if claim.vendor else ''} over {claim.amount}"


class Reimbursement(sim.App[ReimbursementContent, ReimbursementState]):
    """Expense claims."""

    name = "reimbursement"
    title = "Reimbursement"
    words = ("reimbursement", "reimbursements", "expense", "expenses", "claim", "claims")
    looks = frozenset({"draft", "errors", "page", "claim", "list_page"})
    meanings = (
        sim.Meaning("claims.*", Does.SUBMIT, _handed_in, sim.is_new),
        sim.Meaning("claims.*", Does.DELETE, "deletes the claim {old.number}", sim.is_gone),
        sim.Meaning("saved", Does.SAVE, "saves the draft of a claim"),
    )
    functions = FUNCTIONS

    def start(self, content: ReimbursementContent, setting: sim.Setting) -> ReimbursementState:
        employee = content.employee if content.employee is not None else setting.cast.user
        empty = _empty(employee)
        return ReimbursementState(
            claims={claim.number: claim for claim in content.claims},
            draft=empty | {str(name): value for name, value in content.draft.items()},
            employee=employee,
            labels=LABELS | {str(name): label for name, label in content.labels.items()},
            required=content.required, disabled_until_valid=content.disabled_until_valid, categories=content.categories,
            currency=content.currency, submit_seconds=content.submit_seconds,
        )  # fmt: skip

    def view(self, state: ReimbursementState) -> tuple[Widget, ...]:
        match state.page:
            case "done":
                claim = state.claims[state.claim]
                return (ui.heading(f"Claim {claim.number} submitted", "done"), *_facts(state, claim), _WAYS)
            case "claims":

                def line(claim: Claim) -> Widget:
                    cells = {name: getattr(claim, name) for name in ("number", "vendor", "date", "category", "amount", "status")}
                    return ui.linked_row(f"claim-{claim.number}", {**cells, "amount": _amount(state, claim)})

                shown = list_view("claims", COLUMNS, list(state.claims.values()), line, "No claims yet", state.list_page)
                return (ui.heading("Expense claims", "claims"), ui.bar(ui.button("New claim", "new-claim")), *shown)
            case "claim":
                one = state.claims.get(state.claim)
                facts = _facts(state, one) if one else (ui.text("This claim is gone", "none"),)
                return (ui.heading(f"Claim {state.claim}", f"claim-{state.claim}"), *facts, _WAYS)
        fields = [part for name in LABELS for part in ui.checked(_field(state, name), state.errors.get(name))]
        held = state.disabled_until_valid and any(problem(state, name) for name in LABELS)
        buttons = ui.bar(ui.button("Submit", "submit", enabled=not held), ui.button("Save draft", "save-draft"), key="actions")
        form = ui.form("claim", *fields, buttons, submit="submit")
        return (ui.heading("Expense claim", "form"), ui.bar(ui.button("My claims", "my-claims")), form)

    def update(self, state: ReimbursementState, event: sim.Event) -> sim.Update[ReimbursementState]:
        if (looked := list_update(state, event, lambda: list(state.claims), at="list_page")) is not None:
            return sim.Update(looked)
        match event:
            case sim.Edited(key=key, value=value) if key in state.draft:
                return sim.Update(state.replace(draft={**state.draft, key: value}, errors=with_error(state.errors, key)))
            case sim.Left(key=key) if state.draft.get(key):
                return sim.Update(_checked(state, key))
            case sim.Pressed(key="submit"):
                return _submit(state)
            case sim.Pressed(key="save-draft") | sim.Shortcut(chord="Control+s" | "Meta+s") if state.page == "form":
                return sim.Update(state.replace(saved=state.draft), (sim.Toast("Draft saved"),))
            case sim.Pressed(key="my-claims"):
                return sim.Update(state.replace(page="claims", list_page=1))
            case sim.Pressed(key="new-claim"):
                return sim.Update(state.replace(page="form"))
            case sim.Pressed(key=key) if key.startswith("claim-"):
                number = key.removeprefix("claim-").removesuffix(".number")
                return sim.Update(state.replace(page="claim", claim=number))
        return sim.Update(state)


def _empty(employee: str) -> dict[str, str]:
    return {**dict.fromkeys(LABELS, ""), "employee": employee, "receipt": "false"}


def _checked(state: ReimbursementState, *names: str) -> ReimbursementState:
    """The page says what is wrong with these fields."""
    errors = {name: said for name in LABELS if (said := problem(state, name) if name in names else state.errors.get(name, ""))}
    return state if errors == state.errors else state.replace(errors=errors)


def _submit(state: ReimbursementState) -> sim.Update[ReimbursementState]:
    state = _checked(state, *LABELS)
    if state.errors:
        return sim.Update(state)
    values = {name: value.strip() for name, value in state.draft.items()}
    taken = [int(n[2:]) for n in state.claims if n.startswith("R-") and n[2:].isdigit()]
    number = f"R-{max(taken, default=0) + 1:04d}"
    amount = parse_money(values["amount"]) or ""
    claim = Claim.model_validate({**values, "number": number, "amount": amount, "date": parse_day(values["date"]) or ""})
    after = state.replace(
        claims={**state.claims, number: claim}, page="done", claim=number, draft=_empty(state.employee), saved={}
    )
    busy: tuple[sim.Effect, ...] = (sim.Busy(state.submit_seconds),) if state.submit_seconds else ()
    return sim.Update(after, (sim.Submitted(), *busy))


def _field(state: ReimbursementState, name: str) -> Widget:
    label, value, required = state.labels[name], state.draft[name], name in state.required
    if name == "receipt":
        return ui.checkbox(label, name, value == "true", required=required)
    if name == "category":
        return ui.combobox(label, name, value, state.categories, required=required, placeholder="Choose a category")
    hint = {"amount": "0.00", "date": "YYYY-MM-DD"}.get(name)
    return ui.textbox(label, name, value, multiline=name == "description", required=required, placeholder=hint)


def _facts(state: ReimbursementState, claim: Claim) -> tuple[Widget, ...]:
    values = {**claim.model_dump(exclude={"number", "receipt", "status"}), "amount": _amount(state, claim)}
    pairs = [ui.pair(state.labels[name], value, f"claim-{claim.number}.{name}") for name, value in values.items() if value]
    return (*pairs, ui.pair("Status", claim.status, f"claim-{claim.number}.status"))


def _amount(state: ReimbursementState, claim: Claim) -> str:
    return shown(claim.amount, state.currency) if claim.amount else ""


_WAYS = ui.bar(ui.button("New claim", "new-claim"), ui.button("My claims", "my-claims"))
