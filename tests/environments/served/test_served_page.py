"""A person at the page: what is pressed and written becomes actions, and the world is what is shown."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from waiting import until

Actions = Callable[[], list[dict[str, Any]]]


class Visit(NamedTuple):
    """A page on a served world, and what was done there so far."""

    page: Any
    place: Any

    def field(self, track: str) -> Any:
        return self.page.locator(f'[id="{track}"]')

    def until(self, expression: str) -> None:
        """Until this holds on the page. The page allows no script to be made of a text, so it is asked again and again."""
        until(lambda: bool(self.page.evaluate(expression)), expression)

    def settle(self) -> None:
        """Until everything that was done has been heard and is shown."""
        self.until("!document.getElementById('desk').hasAttribute('aria-busy')")

    def actions(self, count: int) -> list[dict[str, Any]]:
        """So many actions, once they have come; without what they are found by besides the track id."""
        desktop = self.place.session.desktop
        until(lambda: len(desktop.received()) >= count, f"{count} actions")
        self.settle()
        return [_short(done["action"]) for done in desktop.received()]


def _short(action: dict[str, Any]) -> dict[str, Any]:
    return {key: value.get("track_id", value) if key in ("target", "to") else value for key, value in action.items()}


@pytest.fixture
def visit(chrome: Any, serve: Any) -> Iterator[Callable[..., Visit]]:
    """`visit(yaml)` opens a page on that world; problems of the page's scripts fail the test."""
    contexts: list[Any] = []
    problems: list[str] = []

    def open_(place: Any = None, width: int = 1280, height: int = 800, **given: Any) -> Visit:
        place = place or serve(**given)
        context = chrome.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
        page.goto(place.address.url)
        page.wait_for_selector("#desk [id]")
        return Visit(page, place)

    yield open_
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def there(visit: Callable[..., Visit]) -> Visit:
    """A page on the office."""
    return visit()


def test_what_is_written_is_one_action_however_many_keys_and_the_focus_is_the_worlds(there) -> None:
    there.field("reimbursement.vendor").click()
    there.page.keyboard.type("Acme Ltd", delay=5)
    there.page.keyboard.press("Tab")
    done = there.actions(3)
    assert done[:2] == [
        {"action_type": "click", "target": "reimbursement.vendor"},
        {"action_type": "fill", "target": "reimbursement.vendor", "text": "Acme Ltd"},
    ]
    assert done[2]["action_type"] == "press_key"
    assert there.place.app("reimbursement")["draft"]["vendor"] == "Acme Ltd"
    focus = there.place.session.desktop.world()["focus"]
    assert focus != "reimbursement.vendor"
    assert there.page.evaluate("document.activeElement.id") == focus
    there.page.keyboard.type("17")
    assert there.actions(4)[3] == {"action_type": "fill", "target": focus, "text": "17"}, "it is sent after a while"


def test_lists_and_ticks_become_their_actions_and_show_the_worlds_value_also_when_that_refuses(there) -> None:
    there.field("reimbursement.category").select_option(label="Travel")
    there.actions(1)
    tick = there.page.locator("#desk input[type=checkbox]").first
    track = tick.get_attribute("id")
    tick.click()
    done = there.actions(2)
    assert done[0] == {"action_type": "select_option", "target": "reimbursement.category", "options": ["Travel"]}
    assert done[1] == {"action_type": "click", "target": track}
    there.until(f"document.getElementById({track!r}).checked")
    there.page.evaluate("""() => {
        const list = document.getElementById('reimbursement.category');
        list.add(new Option('Bribes', 'Bribes'));
        list.value = 'Bribes';
        list.dispatchEvent(new Event('change', {bubbles: true}));
    }""")
    there.until("document.getElementById('bar-said').textContent.includes('no option')")
    there.settle()
    assert there.field("reimbursement.category").input_value() == "Travel"
    box = there.page.locator("#bar-said").bounding_box()
    assert box["y"] >= 800, "what the server says stands outside of the desktop"


def test_the_task_bar_and_the_buttons_of_a_window(there) -> None:
    there.page.get_by_role("button", name="Open Notes", exact=True).click()
    assert there.actions(1) == [{"action_type": "launch_app", "app": "notes"}]
    there.page.get_by_role("button", name="Close Notes", exact=True).click()
    there.actions(2)
    assert there.place.session.state().app == "reimbursement"
    there.page.get_by_role("button", name="Put away Reimbursement", exact=True).click()
    there.actions(3)
    assert there.place.session.state().app is None
    there.page.get_by_role("button", name="Open Reimbursement", exact=True).click()
    there.actions(4)
    assert there.place.session.state().app == "reimbursement"


def test_chords_reach_the_world_and_a_paste_from_its_clipboard_goes_where_the_caret_stands(there) -> None:
    there.field("reimbursement.vendor").click()
    there.page.keyboard.type("Acme")
    there.page.keyboard.press("Control+a")
    there.page.keyboard.press("Control+c")
    there.actions(4)
    assert there.place.session.desktop.world()["clipboard"] == "Acme"
    there.field("reimbursement.amount").click()
    there.page.keyboard.type("14")
    there.page.keyboard.press("ArrowLeft")
    there.page.keyboard.press("Control+v")
    there.until("document.getElementById('reimbursement.amount').value === '1Acme4'")
    there.actions(6)
    assert there.place.app("reimbursement")["draft"]["amount"] == "1Acme4"


def test_the_other_button_keys_held_down_and_one_click_two_or_a_drag_are_told_apart(visit) -> None:
    there = visit(world="apps: {files: {generate: 6}}\nopen: [files]\n")
    heading = there.page.locator("#desk [data-kind=heading]").first
    heading.click(button="right")
    heading.click(modifiers=["Shift"])
    right, shifted = there.actions(2)
    assert (right["button"], shifted["modifiers"]) == ("right", ["Shift"])
    source, opens = there.page.locator("#desk [draggable=true]").last, there.page.locator("#desk [data-opens]").first
    moved = source.get_attribute("id")
    source.drag_to(there.page.locator("#desk [data-drop]").first)
    dragged = there.actions(3)[2]
    assert (dragged["action_type"], dragged["target"]) == ("drag", moved)
    opens.click()
    single = there.actions(4)[3]
    assert (single["action_type"], single.get("count")) == ("click", None), "it is sent when no second one comes"
    opens.dblclick()
    double = there.actions(5)[4]
    assert (double["action_type"], double["count"]) == ("click", 2)
    assert there.place.session.desktop.world()["actions"] == 5


def test_scrolling_is_the_worlds_own_and_stays_in_step(visit) -> None:
    there = visit(world="apps: {billing: {generate: 60}}\nopen: [billing]\nscreen: [800, 400]\n", width=800, height=400)
    there.page.mouse.move(400, 200)
    there.page.mouse.wheel(0, 150)
    (action,) = there.actions(1)
    assert action["action_type"] == "scroll"
    assert action["delta"] == {"x": 0, "y": 150} or action["delta"] == {"y": 150}
    assert there.place.session.desktop.snapshot().world.desk.scroll["billing"] == 150
    there.place.act(action_type="scroll", delta={"y": -1}, unit="page")
    there.until("document.querySelector('[data-pane=window-billing] > [data-part=view]').scrollTop === 0")


def test_two_pages_see_one_world_and_neither_loses_what_is_being_written(visit) -> None:
    one = visit()
    other = visit(place=one.place)
    one.field("reimbursement.vendor").click()
    one.actions(1)
    one.page.keyboard.type("Acm")
    other.field("reimbursement.category").select_option(label="Meals")
    one.until("document.getElementById('reimbursement.category').value === 'Meals'")
    one.page.keyboard.type("e")
    assert one.field("reimbursement.vendor").input_value() == "Acme"
    other.until("document.getElementById('reimbursement.vendor').value === 'Acme'")


def test_a_page_that_lost_its_stream_catches_up_and_keeps_its_nodes(there) -> None:
    there.page.evaluate("window.kept = document.getElementById('reimbursement.vendor')")
    there.page.context.set_offline(True)
    there.place.act(action_type="fill", target={"text": "Vendor"}, text="Acme")
    there.page.context.set_offline(False)
    there.page.get_by_role("button", name="Wait 5 seconds").click()
    there.until("window.kept.value === 'Acme' && window.kept.isConnected")


def test_a_dialog_is_modal_and_texts_of_the_world_are_texts_and_never_markup(visit) -> None:
    there = visit(
        world="""
        apps: {notes: {}}
        open: [notes]
        events: [{when: {after_actions: 1}, popup: {title: <b>Bold</b>, text: "<img src=x onerror=a()>", buttons: [<i>No</i>]}}]
    """
    )
    there.place.act(action_type="wait", seconds=1)
    dialog = there.page.get_by_role("dialog", name="<b>Bold</b>")
    dialog.wait_for()
    assert "<img src=x onerror=a()>" in dialog.inner_text()
    assert there.page.locator("#desk img, #desk b, #desk i").count() == 0
    assert dialog.get_attribute("aria-modal") == "true"
    there.page.mouse.click(640, 720)  # beside it: the world takes it, and says no
    dialog.get_by_role("button", name="<i>No</i>").click()
    dialog.wait_for(state="detached")


def test_a_small_window_shows_the_desktop_smaller_and_presses_still_hit(visit) -> None:
    there = visit(width=900, height=600)
    assert "scale(" in (there.page.locator("#desk").get_attribute("style") or "")
    there.page.get_by_role("button", name="Open Notes", exact=True).click()
    there.actions(1)
    assert there.place.session.state().app == "notes"
    assert there.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_window_of_the_desktops_own_size_shows_every_element_at_its_pixels(there) -> None:
    for element in there.place.session.state().elements:
        if element.role in ("button", "textbox", "combobox", "checkbox") and element.visible:
            box = there.field(element.track_id).bounding_box()
            assert (box["x"], box["y"]) == (element.bbox.x1, element.bbox.y1), element.track_id
            assert (box["width"], box["height"]) == (element.bbox.x2 - element.bbox.x1, element.bbox.y2 - element.bbox.y1)


def test_waiting_and_starting_anew_are_in_the_bar(visit) -> None:
    there = visit(goal="Try <b>it</b> out")
    assert there.page.locator("#bar-goal").inner_text() == "Try <b>it</b> out"
    there.page.get_by_role("button", name="Wait 5 seconds").click()
    there.until("document.getElementById('bar-clock').textContent === '5.0 s'")
    there.page.get_by_role("button", name="Start the world anew").click()
    there.until("document.getElementById('bar-clock').textContent === '0.0 s'")
    assert there.page.get_by_role("button", name="The task is done").count() == 0
