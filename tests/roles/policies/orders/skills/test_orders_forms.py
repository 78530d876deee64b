"""The same skills on plain HTML and on screens written by hand: widgets of a form, a calendar that is drawn, rows and lists."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from worked.steps_loop import Hands, entries, which

from environments.browser import BrowserEnvironment
from environments.cards import AppCard, FieldCard, KindCard, card_of_screen
from protocol import AgentStatus, BoundingBox, GUIElement, VisualState
from roles.contracts import OperatorView, Subtask
from roles.contracts.orders import Entry, FillStep, PressStep, Records, RowTest
from roles.policies.orders.skills.finding import survey
from roles.policies.orders.skills.lists import is_empty, listed, pages_of
from roles.policies.orders.skills.situation import Situation
from roles.policies.orders.skills.widgets import ways
from roles.screen.rows import Row

FORM = Path(__file__).with_name("form.html").read_text(encoding="utf-8")

TABLE = Path(__file__).with_name("table.html").read_text(encoding="utf-8")


@pytest.fixture
def page(chromium: str, tmp_path: Path) -> Iterator[Callable[[str], Hands]]:
    """Hands on a page of this HTML."""
    opened: list[BrowserEnvironment] = []

    def show(html: str) -> Hands:
        file = tmp_path / "page.html"
        file.write_text(f"<!doctype html><meta charset=utf-8>{html}", encoding="utf-8")
        opened.append(BrowserEnvironment(file.as_uri(), executable=chromium, allow_files=True, allowed_hosts=()))
        opened[-1].reset(seed=1)
        return Hands(opened[-1])

    yield show
    for browser in opened:
        browser.close()


def test_a_form_with_every_widget_is_filled_and_sent_once(page):
    crew = page(FORM)
    told = entries(
        "Full name", "Ann Lee", "Day", "2026-03-05", "At", "14:30", "Guests", "3", "Room", "blue room", "Meal", "Vegetarian",
        "Newsletter", "on", "Volume", "70", "Leave", "2026-04-17",
    )  # fmt: skip
    status, why = crew.work(
        FillStep(app="browser", entries=(*told, Entry(label="Remarks", value="Bye", mode="append")), commit="submit")
    )
    assert status is AgentStatus.FINISH, (why, crew.done)
    said = next(e.name for e in crew.environment.observe().elements if e.name.startswith("Booked"))
    for part in (
        '"name":"Ann Lee"', '"day":"2026-03-05"', '"at":"14:30"', '"guests":"3"', '"room":"Blue room"', '"meal":"b"',
        '"news":"on"', '"vol":"70"', '"leave":"2026-04-17"', 'Bye"',
    ):  # fmt: skip
        assert part in said
    assert sum("Book it" in line for line in crew.done) == 1


@pytest.mark.parametrize(
    ("hint", "value", "first"),
    [
        ("hh:mm", "6:15 PM", "18:15"),
        ("", "6:15 PM", "6:15 PM"),
        ("yyyy-mm-dd", "5 March 2026", "2026-03-05"),
        ("yyyy/mm/dd", "2026-03-05", "2026-03-05"),
        ("", "5 May 2026", "5 May 2026"),
    ],
)
def test_a_day_or_a_time_is_written_first_as_its_field_says_how(hint, value, first):
    assert ways(GUIElement(element_id="e1", role="textbox", text="At", placeholder=hint), value)[0] == first


def test_controls_in_a_row_are_those_of_its_record(page):
    crew = page(TABLE)
    change = FillStep(app="browser", records=which("browser", "person", Name="Bob Ray"), entries=entries("Role", "Editor"))
    status, why = crew.work(change, PressStep(app="browser", records=which("browser", "person", Name="Cy Fox"), verb="delete"))
    assert status is AgentStatus.FINISH, (why, crew.done)
    seen = crew.environment.observe().elements
    assert [e.value for e in seen if e.role == "combobox"] == ["Guest", "Editor"]
    assert "Cy Fox" not in {e.name for e in seen}


def test_what_a_page_answers_in_plain_words_beside_a_form_is_no_success(page):
    crew = page("""<title>Team</title><p><label>Email <input id=e></label> <button onclick="said.textContent =
     e.value.includes('@') ? 'Your plan allows 3 members' : 'Invitation sent'">Invite</button><p id=said></p>""")
    crew.goal = "Invite ada@example.org"
    fill = FillStep(app="browser", entries=entries("Email", "ada@example.org"))
    status, why = crew.work(fill, PressStep(app="browser", verb="click", control="Invite"))
    assert (status, "Your plan allows 3 members" in why) == (AgentStatus.FAIL, True), why
    status, why = crew.work(
        fill.model_copy(update={"entries": entries("Email", "ada")}), PressStep(app="browser", verb="click", control="Invite")
    )
    assert status is AgentStatus.FINISH, why


def test_a_row_that_its_page_keeps_listing_was_not_deleted(page):
    crew = page("""<title>Staff</title><table><thead><tr><th><th>Name<th>Actions</thead><tbody><tr><td><input type=checkbox
     aria-label="Ann Lee"><td>Ann Lee<td><button onclick="out.textContent = 'The last owner stays'">Delete</button><tr><td>
     <input type=checkbox aria-label="Bob Ray"><td>Bob Ray<td><button onclick="this.closest('tr').remove()">Delete</button>
     </tbody></table><p role=status id=out>""")
    crew.cards = (card_of_screen(seen := crew.environment.observe()),)
    named = [RowTest(label="", value=name) for name in ("Ann Lee", "Bob Ray")]
    rows = [Records(app=seen.app, kind="row", tests=(test,)) for test in named]
    delete = [PressStep(app=seen.app, verb="delete", records=row) for row in rows]
    status, why = crew.work(delete[0])
    assert (status, "is still listed" in why) == (AgentStatus.FAIL, True), why
    assert crew.work(delete[1])[0] is AgentStatus.FINISH
    assert {e.role for e in crew.environment.observe().elements if e.name == "Ann Lee"} == {"checkbox", "cell"}


# --- lists on screens written by hand: tables without a container, tiles, the lines of a record, several lists, long ones


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
    assert len(found) == 600
    assert isinstance(found[0], Row)
    assert time.perf_counter() - began < 5
