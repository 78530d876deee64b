"""The same skills on plain HTML: every widget of a form, a calendar that is drawn, and rows with controls of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from worked.steps_loop import Hands, entries, which

from environments.browser import BrowserEnvironment
from environments.cards import card_of_screen
from protocol import AgentStatus, GUIElement
from roles.contracts.orders import Entry, FillStep, PressStep, Records, RowTest
from roles.policies.orders.skills.widgets import ways

FORM = """<title>Visit</title><h1>Book a visit</h1><form onsubmit="event.preventDefault(); send(this)">
<p><label>Full name <input name=name required></label> <label>Day <input type=date name=day></label>
<label>At <input type=time name=at></label> <label>Guests <input type=number name=guests min=1 max=9 value=1></label></p>
<p><label>Room <select name=room><option value="">Choose<option>Red room<option>Blue room</select></label></p>
<fieldset><legend>Meal</legend><label><input type=radio name=meal value=a> Meat</label>
<label><input type=radio name=meal value=b> Vegetarian</label></fieldset>
<p><label><input type=checkbox name=news> Newsletter</label>
<label>Volume <input type=range name=vol step=10 value=50></label></p>
<p><label>Remarks <textarea name=remarks>Hello</textarea></label>
<label>Leave <input name=leave readonly onclick="cal.hidden=false"></label></p>
<div id=cal hidden><button type=button onclick="go(-1)">Prev</button> <span id=m></span>
<button type=button onclick="go(1)">Next</button> <p id=days></p></div>
<button>Book it</button> <button type=reset>Clear</button></form>
<script>let mo = 0; const N = ['January', 'February', 'March', 'April'];
function go(by) { mo += by; m.textContent = N[mo] + ' 2026'; days.innerHTML = '';
 for (let i = 1; i <= 28; i++) { const b = document.createElement('button'); b.type = 'button'; b.textContent = i;
  b.onclick = () => { document.forms[0].leave.value = `2026-0${mo + 1}-${String(i).padStart(2, '0')}`; cal.hidden = true };
  days.append(b, ' ') } } go(0);
function send(form) { const said = JSON.stringify(Object.fromEntries(new FormData(form)));
 document.body.innerHTML = '<h1>Thank you</h1><p id=out></p>'; out.textContent = 'Booked: ' + said }</script>"""

TABLE = """<title>People</title><h1>People</h1><table><thead><tr><th>Name<th>Role<th>Actions</thead><tbody id=b></tbody></table>
<p role=status id=out></p><dialog id=ask><h2>Delete?</h2><button onclick="yes()">Yes, delete</button>
<button onclick="ask.close()">Cancel</button></dialog>
<script>let cur, rows = [['Ann Lee', 'Guest'], ['Bob Ray', 'Guest'], ['Cy Fox', 'Guest']];
function draw() { b.innerHTML = ''; rows.forEach((r, i) => { const t = document.createElement('tr');
 t.innerHTML = `<td>${r[0]}</td>
  <td><select aria-label=Role><option>Guest<option>Editor</select></td><td><button>Delete</button></td>`;
 const s = t.querySelector('select'); s.value = r[1]; s.onchange = () => { r[1] = s.value };
 t.querySelector('button').onclick = () => { cur = i; ask.showModal() }; b.append(t) }) }
function yes() { rows.splice(cur, 1); ask.close(); draw(); out.textContent = 'Deleted' } draw()</script>"""


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
