"""Lists on screens written by hand: tables without a container, tiles, the lines of a record, several lists, long ones."""

from __future__ import annotations

import time
from collections.abc import Sequence

from environments.cards import AppCard, FieldCard, KindCard
from protocol import BoundingBox, GUIElement, VisualState
from roles.contracts import OperatorView, Subtask
from roles.contracts.orders import Records, RowTest
from roles.policies.orders.skills.finding import survey
from roles.policies.orders.skills.lists import is_empty, listed, pages_of
from roles.policies.orders.skills.situation import Move, Situation
from roles.screen.rows import Row

Line = tuple[str, str | None, int]
"""Role, text, and how many lines above its parent stands; 0: it has none."""

INVOICES = KindCard(kind="invoice", fields=tuple(FieldCard(label=name, listed=True) for name in ("Number", "Vendor", "Total")))
CARDS = (AppCard(app="ledger", title="Ledger", kinds=(INVOICES,)),)
WANTED = Records(app="ledger", kind="invoice", exactly=0)


def screen(*lines: Line) -> VisualState:
    elements = [
        GUIElement(
            element_id=f"e{n}", role=role, text=text, parent=f"e{n - up}" if up else None,
            bbox=BoundingBox(x1=0, y1=20 * n, x2=200, y2=20 * n + 18), visible=20 * n < 700,
        )
        for n, (role, text, up) in enumerate(lines)
    ]  # fmt: skip
    return VisualState(app="ledger", elements=tuple(elements), screen_resolution=(1280, 800))


def on(seen: VisualState, cards: Sequence[AppCard] = CARDS) -> Situation:
    task = Subtask(id="s1", title="t", instruction="i", app="ledger")
    return Situation(OperatorView(user_request="g", subtask=task, app="ledger", seen=seen, cards=tuple(cards)))


def table(columns: Sequence[str], *rows: Sequence[str], link: bool = True, container: bool = True) -> list[Line]:
    lines: list[Line] = [("table", None, 0)] if container else []
    for line in (columns, *rows):
        lines.append(("row", None, len(lines) if container else 0))
        heads = line is columns
        for n, cell in enumerate(line, start=1):
            lines.append(("columnheader" if heads else "link" if link and n == 1 else "cell", cell, n))
    return lines


ROWS = (("I-1", "Oak", "$5.00"), ("I-2", "Elm", "$7.00"))


def test_a_table_is_read_by_its_columns_with_and_without_a_container() -> None:
    for container in (True, False):
        found = listed(WANTED, on(screen(*table(("Number", "Vendor", "Total"), *ROWS, container=container))))
        assert [one.row.key for one in found] == ["I-1", "I-2"]
        assert found[1].row.value("Total") == "$7.00"


def test_the_lines_of_an_invoice_and_a_list_of_another_kind_are_no_list_of_invoices() -> None:
    page = [*table(("Vendor", "Total"), ("Paper", "$5.00"), link=False), ("button", "Back to invoices", 0)]
    assert listed(WANTED, on(screen(*page))) == []
    assert not is_empty(on(screen(*page)))
    lines = KindCard(kind="line", fields=tuple(FieldCard(label=name, listed=True) for name in ("Number", "Total", "Quantity")))
    seen = screen(*table(("Number", "Total", "Quantity"), ("I-1", "$5.00", "2")))
    both = (AppCard(app="ledger", title="Ledger", kinds=(INVOICES, lines)),)
    assert listed(WANTED, on(seen, both)) == []
    assert len(listed(WANTED.model_copy(update={"kind": "line"}), on(seen, both))) == 1


def test_an_empty_list_says_so_and_pages_are_counted() -> None:
    assert is_empty(on(screen(("heading", "Bills", 0), ("text", "No invoices found", 0), ("button", "Back to start", 0))))
    assert not is_empty(on(screen(("heading", "Bill I-1", 0), ("button", "Back to invoices", 0))))
    assert pages_of(on(screen(("text", "Page 2 of 5", 0)))) == (2, 5)


def test_a_list_of_1200_rows_is_looked_through_in_a_second_or_two() -> None:
    rows = [(f"I-{n}", ("Oak", "Elm")[n % 2], f"${n}.00") for n in range(1200)]
    seen = screen(*table(("Number", "Vendor", "Total"), *rows), ("text", "Page 1 of 1", 0))
    wanted = WANTED.model_copy(update={"tests": (RowTest(label="Vendor", value="Elm"),)})
    began = time.perf_counter()
    found = survey(wanted, on(seen))
    assert not isinstance(found, Move)
    assert len(found) == 600
    assert isinstance(found[0], Row)
    assert time.perf_counter() - began < 5
