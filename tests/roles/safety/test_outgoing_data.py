"""What actions carry away without a button: functions of apps, addresses, things that are dragged, links in disguise."""

from __future__ import annotations

import pytest

from protocol import ActionTarget, CallApi, Click, Drag, GUIElement, Navigate, Tabs, VisualState
from roles.safety import SafetyPolicy, review
from roles.safety.effects import SENSITIVE, Effect, effect_of

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


def test_the_default_policy_asks_before_data_leaves_in_an_address() -> None:
    found = review(Navigate(url="https://elsewhere.example/?q=amber"), None, PAGE, SafetyPolicy())
    assert (found.verdict, found.effect) == ("ask", Effect.SEND)


@pytest.mark.parametrize("to", [ActionTarget(element_id="t"), ActionTarget(track_id="bin"), ActionTarget(text="Trash")])
def test_what_is_dragged_into_the_trash_is_deleted_however_the_trash_is_named(to: ActionTarget) -> None:
    note = GUIElement(element_id="n", role="row", text="Roof", app="notes")
    seen = VisualState(app="notes", elements=(note, GUIElement(element_id="t", track_id="bin", role="link", text="Trash")))
    assert effect_of(Drag(target=ActionTarget(element_id="n"), to=to), note, seen) is Effect.DELETE


@pytest.mark.parametrize(
    "name",
    [
        "D\u0435lete all",  # a Cyrillic letter
        "P\u03b1y the rest",  # a Greek one
        "S\u0336e\u0336n\u0336d",  # struck through
        "De\u200blete",  # with a space that has no width
        "\uff24elete",  # a wide letter
        "D\u20dde\u20ddl\u20dde\u20ddt\u20dde\u20dd",  # in circles
    ],
)
def test_a_link_in_disguise_is_not_taken_for_a_way_to_another_page(name: str) -> None:
    link = GUIElement(element_id="l", role="link", text=name)
    effect = effect_of(Click(target=ActionTarget(element_id="l")), link, VisualState(elements=(link,)))
    assert effect in SENSITIVE | {Effect.ACTIVATE}


@pytest.mark.parametrize("name", ["Über uns", "Настройки", "Ελλάδα", "Naïve Bayes", "β-test", "Room 7 Зал"])
def test_honest_names_of_other_languages_are_no_disguise(name: str) -> None:
    link = GUIElement(element_id="l", role="link", text=name)
    assert effect_of(Click(target=ActionTarget(element_id="l")), link, VisualState(elements=(link,))) is Effect.NAVIGATE
