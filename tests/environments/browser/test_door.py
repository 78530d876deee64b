"""What is pressed is what was reviewed: the control at the pixel, or in the focus, with all that belongs to it."""

import itertools
import re
import time
from pathlib import Path

import pytest

import protocol as p
from environments.browser import door
from environments.contract import STOPPED
from environments.effects import ControlSeen, Effect, Permit

KEYS = itertools.count()


def seen(surf, action) -> ControlSeen:
    found = surf.env.control(action)
    assert found is not None
    return found


def on(text: str) -> p.ActionTarget:
    return p.ActionTarget(text=text)


def under_permit(surf, action: p.Action, control: ControlSeen) -> p.ActionResult:
    """What comes of it with a yes to this control."""
    key = f"door/{next(KEYS)}"
    surf.env.admit(key, Permit(effects=(Effect.SUBMIT,), approved=True, control=control.parts))
    result: p.ActionResult = surf.env.perform(action, key=key)
    return result


def script(surf, code: str) -> None:
    """What the page's own script does now."""
    surf.env._run(surf.env._sight.session.page.evaluate(code), 20)


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("document.querySelector('button').textContent = 'Pay now'", "name"),
        ("const b = document.querySelector('button'); b.textContent = 'Pay all'; b.setAttribute('aria-label', 'Pay')", "shows"),
        ("f.action = '/elsewhere'", "leads"),
        ("f.action = '/transfer?step=3'", "leads"),
        ("f.enctype = 'text/plain'", "leads"),
        ("f.method = 'get'", "leads"),
        ("f.target = '_blank'", "leads"),
        ("document.querySelector('button').formAction = '/other'", "leads"),
        ("document.querySelector('button').value = 'pay-all'", "own"),
        ("document.querySelector('[name=to]').value = 'eve'", "form"),
        ("document.querySelector('[name=to]').name = 'from'", "form"),
        ("document.querySelector('[name=tied]').value = 'yes'", "form"),
        ("document.querySelector('option').value = '100'", "form"),
        ("document.querySelector('[name=amount]').value = '1000'", "form"),
        ("document.querySelector('form p').textContent = 'To Eve'", "around"),
        ("document.querySelector('button').onclick = () => 1", "handlers"),
        ("f.addEventListener('submit', () => 2)", "handlers"),
    ],
)
def test_each_part_of_a_control_is_told_apart_and_a_permit_holds_for_it_as_it_was_reviewed(surf, site, code, part):
    surf.open("transfer.html")
    reviewed = seen(surf, p.Click(target=on("Pay")))
    assert seen(surf, p.Click(target=on("Pay"))).parts == reviewed.parts
    site.saved.clear()
    script(surf, code)
    press = p.Click(target=on("Pay now" if part == "name" else "Pay"))
    now = seen(surf, press).parts
    assert part in {name for name in now if now[name] != reviewed.parts[name]}
    assert under_permit(surf, press, reviewed).error.startswith(STOPPED)
    assert site.saved == []


def test_what_no_screen_shows_is_told_and_what_a_live_page_says_in_passing_changes_no_control(surf):
    surf.open("transfer.html")
    before = seen(surf, p.Click(target=on("Pay")))
    assert "its form also sends what is not shown: to=anna, tied=no" in before.told
    assert any("/transfer?step=2" in line for line in before.told)
    assert any("/next?confirm=1" in line for line in seen(surf, p.Click(target=on("Next"))).told)
    script(surf, "document.querySelector('time').textContent = '00:58'; said.textContent = 'far away'")
    script(surf, "f.insertAdjacentHTML('beforeend', '<div role=status>saved</div>')")
    script(surf, "for (const b of document.querySelectorAll('button')) b.outerHTML = b.outerHTML")  # drawn anew, as it was
    assert seen(surf, p.Click(target=on("Pay"))).parts == before.parts


def test_keys_fall_on_what_has_the_focus(surf):
    surf.open("transfer.html")
    enter = p.PressKey(keys=("Enter",))
    body = seen(surf, enter)
    script(surf, "document.querySelector('[name=amount]').focus()")
    field = seen(surf, enter)
    script(surf, "far.focus()")
    button = seen(surf, p.Type(text=" "))
    assert len({body.parts["name"], field.parts["name"], button.parts["name"]}) == 3
    assert field.parts["leads"] == button.parts["leads"] != body.parts["leads"]
    assert set(seen(surf, p.Type(target=on("Amount"), text="5")).parts) == {"page", "role", "name"}


def shifty(surf, kind: str) -> None:
    surf.open(f"shifty.html#{kind}")
    script(surf, "location.reload()")
    surf.do(p.Wait(seconds=0.2))
    surf.site.saved.clear()


@pytest.mark.parametrize("kind", ["relabel", "replaced", "atdown", "cover", "frame"])
def test_what_changes_between_the_look_and_the_press_is_not_pressed(surf, kind):
    shifty(surf, kind)
    refused = surf.click("Close").error
    assert refused.startswith(STOPPED) or "is covered by" in refused
    assert surf.site.saved == []


def test_keys_reach_the_field_that_was_meant_and_no_other(surf):
    shifty(surf, "focusaway")
    assert surf.do(p.Type(target=on("Name"), text="a b")).error.startswith(STOPPED)
    script(surf, "room.firstElementChild.onfocus = () => room.lastElementChild.focus(); document.activeElement.blur()")
    assert "does not take the keyboard" in surf.fill("Name", "a b").error
    assert surf.site.saved == []


def test_enter_sends_no_form_that_changed_while_it_was_typed_into(surf):
    shifty(surf, "hiddenfield")
    refused = surf.do(p.Type(target=on("Name"), text="Bob", submit=True))
    assert refused.error.startswith(STOPPED)
    assert "its form sends other fields or values" in refused.error
    assert surf.site.saved == []


@pytest.mark.parametrize(
    "action",
    [
        p.PressKey(target=on("Pay"), keys=("Tab",)),
        p.PressKey(target=on("Pay"), keys=("Control", "c")),
        p.HoldKey(target=on("More"), keys=("a",), seconds=0),
        p.Type(target=on("Pay"), text=""),
        p.Type(target=on("Yes"), text=" "),
        p.Fill(target=on("Pay"), text="x"),
        p.SelectOption(target=on("Pay"), options=("x",)),
        p.SelectOption(target=on("Delete"), options=("x",)),
        p.Drag(target=on("Pay"), to=on("Pay")),
    ],
)
def test_what_is_no_field_is_refused_and_never_pressed_for_the_focus(surf, action):
    shifty(surf, "keys")
    assert surf.do(action).error
    if not isinstance(action, p.SelectOption) or action.target != on(
        "Delete"
    ):  # a list is opened, and that is reviewed as a press
        assert surf.site.saved == []


def test_typing_needs_a_field_with_the_focus(surf):
    shifty(surf, "keys")
    script(surf, "room.firstElementChild.focus()")
    assert "no field has the focus" in surf.do(p.Type(text=" ")).error
    assert surf.site.saved == []


@pytest.mark.parametrize(("kind", "name"), [("clock", "Buy"), ("render", "Go"), ("hover", "Open"), ("lazy", "More")])
def test_what_changes_harmlessly_is_pressed(surf, kind, name):
    shifty(surf, kind)
    assert surf.click(name).ok
    assert surf.site.saved == [kind]


def test_what_is_drawn_anew_after_each_look_is_found_anew(surf, monkeypatch):
    shifty(surf, "render")
    sight = surf.env._sight
    look, redraws = sight.look, iter(range(2))

    async def look_and_redraw() -> None:
        await look()
        if next(redraws, None) is not None:
            await sight.session.page.evaluate("draw()")

    monkeypatch.setattr(sight, "look", look_and_redraw)
    assert surf.click("Go").ok
    assert surf.site.saved == ["render"]


@pytest.mark.parametrize(
    ("page", "code", "action", "error"),
    [
        (
            "transfer.html",
            "f.before(far.cloneNode()); f.previousSibling.textContent = 'Pay'",
            p.Click(target=on("Pay")),
            "2 elements match",
        ),
        ("transfer.html", "far.remove()", p.Click(target=on("Pay from afar")), "no element on the screen"),
        ("frames.html", "frames[0].b.outerHTML += frames[0].b.outerHTML", p.Click(target=on("In the frame")), "2 elements match"),
        ("login.html", "location = 'transfer.html'", p.Click(target=on("Pay")), ""),
    ],
)
def test_what_was_read_of_a_page_is_not_taken_for_what_is_there_since(surf, page, code, action, error):
    surf.open(page)
    seen(surf, action)
    script(surf, code)
    result = surf.do(action)
    assert error in result.error if error else result.ok, result.error


def test_of_two_tabs_with_the_same_page_the_one_in_front_is_pressed(surf):
    surf.open("drag.html")
    surf.do(p.Tabs(op="new", url=surf.site.url("drag.html")))
    surf.see()
    for tab in (0, 1):
        surf.do(p.Tabs(op="select", index=tab))
        assert surf.click("Card", count=2).ok
        assert "double" in surf.texts()


def test_a_frame_that_goes_to_another_page_is_at_rest_once_that_is(surf):
    surf.open("frames.html")
    script(surf, "frames[0].b.onclick = () => { frames[0].location = 'table.html'; }; 0")
    began = time.monotonic()
    assert surf.click("In the frame").ok
    assert time.monotonic() - began < 4, "it was waited for as long as for a page that never comes to rest"
    assert "In the frame" not in surf.texts()


def test_an_action_on_a_page_where_nothing_happened_reads_it_once(surf, monkeypatch):
    surf.open("transfer.html")
    sight, reads = surf.env._sight, []
    look = sight.look

    async def counted() -> None:
        reads.append(1)
        await look()

    monkeypatch.setattr(sight, "look", counted)
    action = p.Fill(target=on("Amount"), text="12")
    surf.see()
    under_permit(surf, action, seen(surf, action))
    assert len(reads) == 1


def test_a_code_whose_digits_have_fields_of_their_own_is_typed(surf):
    shifty(surf, "digits")
    assert surf.do(p.Type(target=on("Digit 1"), text="123")).ok
    assert surf.click("Check").ok
    assert surf.site.saved == ["digits 123"]


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (p.Click(target=on("Pay")), "f.action = '/elsewhere'"),
        (p.Type(target=on("Amount"), text="", submit=True), "f.action = '/elsewhere'"),
        (p.Type(target=on("Amount"), text="", submit=True), "document.querySelector('[name=to]').value = 'eve'"),
        (p.PressKey(keys=("Enter",)), "document.querySelector('button').onclick = () => 1"),
        (p.PressKey(keys=("Enter",)), "document.querySelector('button').formAction = '/other'"),
    ],
)
def test_a_permit_for_a_press_or_for_keys_holds_for_the_control_that_was_reviewed(surf, site, action, code):
    surf.open("transfer.html")
    script(surf, "document.querySelector('[name=amount]').focus()")
    control = seen(surf, action)
    site.saved.clear()
    script(surf, code)
    assert under_permit(surf, action, control).error.startswith(STOPPED)
    assert site.saved == []
    surf.open("transfer.html")
    script(surf, "document.querySelector('[name=amount]').focus()")
    assert under_permit(surf, action, control).ok


def test_only_the_door_presses_and_types():
    """In the source of the adapter nothing else has a hand on the mouse's buttons, the keys, fields or files."""
    hands = re.compile(
        r"mouse\.(down|up|click|dblclick)\b|keyboard\.(down|up|press|type|insert_text)\b|keyboard\b(?!\.py)\s*=|"
        r"\.(fill|select_option|set_input_files|set_files|check|uncheck|tap|dispatch_event|set_checked)\(|"
        r"\.(submit|requestSubmit|click)\(\)"
    )
    folder = Path(door.__file__).parent
    found = {path.name for path in folder.rglob("*.py") if hands.search(path.read_text().replace("door.tap(", ""))}
    assert found == {"door.py"}
