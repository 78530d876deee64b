"""An app that no rule knows: books that a library has lent, in the way in which anybody writes an app."""

from functools import partial
from typing import Literal

from worlds.having import having

import environments.simulated.app as sim
from environments.effects import Effect
from environments.simulated.apps.common.record_list import ListState, list_update, list_view, question
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Model, matches


class Loan(Model):
    """A book that somebody has."""

    id: str = ""
    title: str
    reader: str
    shelf: str = "Novels"
    due: str = "2026-03-20"
    status: Literal["out", "overdue", "returned"] = "out"


class LoansContent(sim.Content):
    loans: tuple[Loan, ...] = ()


class LoansState(ListState):
    loans: dict[str, Loan]
    open: str = ""
    draft: Loan | None = None


SHELVES = ("Novels", "History", "Travel")
CONTROLS = {"renew": "Renew", "remind": "Remind reader", "delete": "Delete", "back": "Back"}


class Loans(sim.App[LoansContent, LoansState]):
    """Loans of a library."""

    name = "library"
    title = "Lending desk"
    words = ("library", "loans", "loan", "books", "book")
    content = LoansContent
    state = LoansState
    looks = frozenset({"query", "applied", "page", "open", "draft"})
    meanings = (
        sim.Meaning("loans.*", Effect.SEND, 'reminds {new.reader} of "{new.title}"', sim.becomes(status="overdue")),
        sim.Meaning("loans.*", Effect.DELETE, 'deletes the loan of "{old.title}"', sim.is_gone),
    )

    def start(self, content: LoansContent, setting: sim.Setting) -> LoansState:
        return LoansState(loans={f"L{n}": loan.model_copy(update={"id": f"L{n}"}) for n, loan in enumerate(content.loans, 1)})

    def view(self, state: LoansState) -> tuple[Widget, ...]:
        if state.draft is not None:
            return (ui.heading("Lend a book"), self._form(state.draft))
        loan = state.loans.get(state.open)
        if loan is not None:
            facts = {"Title": loan.title, "Reader": loan.reader, "Shelf": loan.shelf, "Due date": loan.due, "Status": loan.status}
            told = (ui.pair(label, value, f"loan-{loan.id}.{label}") for label, value in facts.items())
            controls = (ui.button(name, key) for key, name in CONTROLS.items())
            return (ui.heading(loan.title, f"loan-{loan.id}"), *told, ui.bar(*controls))
        columns = ("Title", "Reader", "Due date", "Status")
        shown = list_view("loans", columns, self._found(state), self._row, "No loans", state.page)
        return (ui.heading("Loans"), ui.bar(ui.button("New loan", "new")), ui.search_bar("loans", state.query), *shown)

    def _form(self, draft: Loan) -> Widget:
        title = ui.textbox("Title", "draft.title", draft.title, required=True)
        shelf = ui.combobox("Shelf", "draft.shelf", draft.shelf, SHELVES)
        texts = (ui.textbox("Reader", "draft.reader", draft.reader), ui.textbox("Due date", "draft.due", draft.due))
        buttons = ui.bar(ui.button("Lend it", "lend-it"), ui.button("Cancel", "cancel"))
        return ui.form("lend", title, *texts, shelf, buttons, submit="lend-it")

    def _found(self, state: LoansState) -> list[Loan]:
        return [loan for loan in state.loans.values() if matches(state.applied, loan.title, loan.reader)]

    def _row(self, loan: Loan) -> Widget:
        key = f"loan-{loan.id}"
        cells = (ui.cell(text) for text in (loan.reader, loan.due, loan.status.capitalize()))
        return ui.row(key, ui.link(loan.title, f"{key}.title"), *cells)

    def update(self, state: LoansState, event: sim.Event) -> sim.Update[LoansState]:
        if (
            state.draft is None
            and not state.open
            and (looked := list_update(state, event, lambda: self._found(state))) is not None
        ):
            return sim.Update(looked)
        match event:
            case sim.Pressed(key="new"):
                return sim.Update(state.model_copy(update={"draft": Loan(title="", reader="")}))
            case sim.Edited(key=key, value=value) if state.draft is not None and key.startswith("draft."):
                draft = state.draft.model_copy(update={key.removeprefix("draft."): value})
                return sim.Update(state.model_copy(update={"draft": draft}))
            case sim.Pressed(key="lend-it") if state.draft is not None and state.draft.title:
                made = state.draft.model_copy(update={"id": f"L{len(state.loans) + 1}"})
                return sim.Update(
                    state.model_copy(update={"loans": {**state.loans, made.id: made}, "draft": None}), (sim.Toast("Lent"),)
                )
            case sim.Pressed(key="cancel" | "back"):
                return sim.Update(state.model_copy(update={"draft": None, "open": ""}))
            case sim.Pressed(key="delete"):
                return sim.Update(state, (question("sure", "Delete this loan?", "", "Delete loan"),))
            case sim.Answered(key="sure", button="Delete loan"):
                rest = {name: loan for name, loan in state.loans.items() if name != state.open}
                return sim.Update(state.model_copy(update={"loans": rest, "open": ""}))
            case sim.Pressed(key="renew" | "remind" as key) if state.open in state.loans:
                changes = {"due": "2026-04-20"} if key == "renew" else {"status": "overdue"}
                loan = state.loans[state.open].model_copy(update=changes)
                return sim.Update(state.model_copy(update={"loans": {**state.loans, loan.id: loan}}))
            case sim.Pressed(key=key) if key.startswith("loan-"):
                return sim.Update(state.model_copy(update={"open": key.removeprefix("loan-").removesuffix(".title")}))
        return sim.Update(state)


WORLD = """
name: library
apps:
  library:
    loans:
      - {title: The Old Harbour, reader: Ada Moss, due: 2026-03-12}
      - {title: Wind over Elba, reader: Tom Reyes, due: 2026-03-04, shelf: Travel, status: overdue}
      - {title: A Short War, reader: Ada Moss, due: 2026-03-25, shelf: History}
  notes: {notes: [{title: Shopping, body: Tea}]}
open: [library]
"""


registered = partial(having, Loans())
