"""Where a press or an address leads, what of that its words hide, and what it would carry out."""

import pytest

from protocol import ActionTarget, CallApi, Click, GUIElement, Navigate, Tabs, VisualState, Window
from roles.safety import SafetyPolicy, review
from roles.safety.destinations import same_site, told, warnings
from roles.safety.effects import Effect, effect_of


def screen(name: str, leads: str | None, role: str = "button", frame: str = "") -> tuple[VisualState, GUIElement]:
    pressed = GUIElement(element_id="b", role=role, text=name, leads=leads, parent="f" if frame else None)
    holder = [GUIElement(element_id="f", role="iframe", leads=f"shows {frame}")] if frame else []
    tab = Window(window_id="tab-0", app="browser", title="Bank - https://bank.example/pay?x=1", focused=True)
    return VisualState(elements=(*holder, pressed), app="browser", windows=(tab,)), pressed


def amounts_to(name: str, leads: str | None, role: str = "button", frame: str = "") -> Effect:
    state, pressed = screen(name, leads, role, frame)
    return effect_of(Click(target=ActionTarget(text=name)), pressed, state)


@pytest.mark.parametrize(
    ("name", "leads", "role", "effect"),
    [
        ("Show", "get https://bank.example/list", "button", Effect.NAVIGATE),
        ("Show", "get https://collect.example/list", "button", Effect.SEND),
        ("Manual", "open https://bank.example/manual", "link", Effect.NAVIGATE),
        ("Manual", "download https://bank.example/manual.exe", "link", Effect.DOWNLOAD),
        ("Manual", "open javascript:", "link", Effect.ACTIVATE),
        ("www.other.example", "open https://bank.example/a", "link", Effect.ACTIVATE),
        ("bank.example", "open https://www.bank.example/a", "link", Effect.NAVIGATE),
        ("report.md", "open https://bank.example/report.md", "link", Effect.NAVIGATE),
        ("Delete", "get https://collect.example/list", "button", Effect.DELETE),
        ("Next", "open https://bank.example/account/delete?confirm=1", "link", Effect.DELETE),
        ("Next", "open https://bank.example/item?action=remove&id=", "link", Effect.DELETE),
        ("Next", "open https://bank.example/api/deleteUser", "button", Effect.DELETE),
        ("Next", "get https://bank.example/step by op=transfer", "button", Effect.PURCHASE),
        ("Next", "get https://bank.example/step by delete=1", "button", Effect.DELETE),
        ("Next", "post https://bank.example/step", "button", Effect.SUBMIT),
        ("Cancel", "post https://bank.example/step", "button", Effect.SUBMIT),
        ("Next", "open https://bank.example/how-to-delete-your-files", "link", Effect.NAVIGATE),
        ("Next", "open https://bank.example/find?q=delete", "link", Effect.NAVIGATE),
        ("Frobnicate", "open https://bank.example/a", "link", Effect.NAVIGATE),
        ("Frobnicate", None, "link", Effect.ACTIVATE),
        ("Delete", "open https://bank.example/a", "tab", Effect.DELETE),
        ("Ideas", "post https://bank.example/a", "listitem", Effect.SUBMIT),
    ],
)
def test_a_press_amounts_to_what_its_words_and_its_address_come_to(name, leads, role, effect):
    assert amounts_to(name, leads, role) is effect


def test_a_control_in_a_frame_of_another_site_is_not_the_pages_own():
    assert amounts_to("Show", None, frame="https://bank.example/inner") is Effect.NAVIGATE
    assert amounts_to("Show", None, frame="https://ads.example/1") is Effect.ACTIVATE
    state, pressed = screen("Show", None, frame="https://ads.example/1")
    assert warnings(pressed, state) == ("it stands in a frame of ads.example, and the page is on bank.example",)


def test_who_is_asked_is_told_the_destination_and_that_it_is_another_site():
    state, pressed = screen("Pay", "post https://eve.example/pay")
    assert told(pressed, state) == (
        "it sends the form to eve.example (POST https://eve.example/pay)",
        "eve.example is another site than bank.example",
    )
    state, pressed = screen("Save card", "get about:srcdoc")
    assert warnings(pressed, state) == ()
    state, pressed = screen("Log in", "open https://xn--bnk-5cd.example/", "link")
    assert "looks like" not in "".join(told(pressed, state))
    assert any("letters that look like others" in line for line in told(pressed, state))


@pytest.mark.parametrize(
    ("name", "shown", "effect"),
    [
        ("Cancel", "Pay 500 EUR", Effect.PURCHASE),
        ("Delete", "Next", Effect.DELETE),
        ("Next", "Weiter", Effect.NAVIGATE),
        ("Next", None, Effect.NAVIGATE),
    ],
)
def test_a_press_amounts_to_no_less_than_what_the_control_shows(name, shown, effect):
    pressed = GUIElement(element_id="b", role="button", text=name, shown=shown)
    state = VisualState(elements=(pressed,), app="browser")
    assert effect_of(Click(target=ActionTarget(text=name)), pressed, state) is effect
    assert (f'it shows "{shown}", and its page calls it "{name}"' in told(pressed, state)) is (shown is not None)


def test_one_site_is_a_host_with_what_is_below_it():
    assert same_site("www.bank.example", "bank.example:443")
    assert same_site("login.bank.example", "bank.example")
    assert not same_site("bank.example.evil.example", "bank.example")
    assert not same_site("localhost:8001", "localhost:8002")


PAGE = VisualState(
    app="browser",
    elements=(GUIElement(element_id="a", role="textbox", text="Address", value="shop.example/chairs", app="browser"),),
)


@pytest.mark.parametrize(
    ("function", "arguments", "effect"),
    [
        ("reply", {"id": "1", "body": "hello"}, Effect.SEND),
        ("forward", {"id": "1"}, Effect.SEND),
        ("answer_invitation", {"id": "1", "answer": "accepted"}, Effect.SEND),
        ("send_message", {}, Effect.SEND),
        ("move_message", {"id": "1", "folder": "Trash"}, Effect.DELETE),
        ("move_message", {"id": "1", "folder": "Archive"}, Effect.EDIT),
        ("create_note", {"title": "The bin is full, and this says so at some length"}, Effect.EDIT),
        ("add_to_cart", {"id": "1"}, Effect.EDIT),
        ("list_messages", {}, Effect.NAVIGATE),
        ("get_message", {"id": "1"}, Effect.NAVIGATE),
        ("openPage", {"url": "shop.example/tables?colour=red"}, Effect.NAVIGATE),
        ("open_page", {"url": "https://elsewhere.example/?q=secret"}, Effect.SEND),
        ("delete_note", {"note": "1"}, Effect.DELETE),
        ("start_conversation", {"name": "Uma"}, Effect.ACTIVATE),
        ("next_frobnication", {}, Effect.ACTIVATE),
        *((name, {}, Effect.ACTUATE) for name in ("unlock_door", "lock_door", "turn_on_oven", "turn_off_oven", "disable_alarm")),
    ],
)
def test_a_function_does_at_once_what_a_button_of_its_name_only_begins(
    function: str, arguments: dict[str, str], effect: Effect
) -> None:
    assert effect_of(CallApi(app="any", function=function, arguments=arguments), None, PAGE) is effect


@pytest.mark.parametrize(
    ("url", "effect"),
    [
        ("https://elsewhere.example/", Effect.NAVIGATE),
        ("https://elsewhere.example/terms#top", Effect.NAVIGATE),
        ("https://elsewhere.example/?q=amber", Effect.SEND),
        ("elsewhere.example?q=amber", Effect.SEND),
        ("https://elsewhere.example/#q=amber", Effect.SEND),
        ("https://amber@elsewhere.example/", Effect.SEND),
        ("http://[::1?q=amber", Effect.SEND),
        ("https://shop.example/chairs?page=2", Effect.NAVIGATE),
        ("?page=2", Effect.NAVIGATE),
        ("/chairs?page=2", Effect.NAVIGATE),
        ("localhost:8080/chairs", Effect.NAVIGATE),
        ("about:blank", Effect.NAVIGATE),
        ("https://shop.example/account/delete?confirm=1", Effect.DELETE),
        ("https://shop.example/how-to-delete-files", Effect.NAVIGATE),
        ("javascript:fetch(1)", Effect.ACTIVATE),
        ("data:text/html,hello", Effect.ACTIVATE),
        ("file:///etc/passwd", Effect.ACTIVATE),
    ],
)
def test_an_address_with_data_for_another_site_is_sending(url: str, effect: Effect) -> None:
    assert effect_of(Navigate(url=url), None, PAGE) is effect
    assert effect_of(Tabs(op="new", url=url), None, PAGE) is effect
    if effect is Effect.SEND:
        assert review(Navigate(url=url), None, PAGE, SafetyPolicy()).verdict == "ask"
