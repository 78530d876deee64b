"""What an action amounts to, by the words of what it falls on."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import protocol as p
from protocol import ActionTarget, Click, Drag, GUIElement, PressKey, Type, VisualState, Window
from roles.safety import SafetyPolicy, review
from roles.safety.effects import SENSITIVE, Effect, effect_of

TARGET = ActionTarget(element_id="it")


def press(name: str, role: str = "button", *around: GUIElement, parent: str | None = None, modal: str | None = None) -> Effect:
    element = GUIElement(element_id="it", text=name, role=role, parent=parent)
    return effect_of(Click(target=TARGET), element, VisualState(elements=(*around, element), modal=modal, app="x"))


NAMES = {Effect(name): names for name, names in yaml.safe_load(Path(__file__).with_name("names.yaml").read_text()).items()}


@pytest.mark.parametrize("effect", NAMES)
def test_a_button_does_what_its_own_words_say(effect: Effect) -> None:
    assert {name: press(name) for name in NAMES[effect]} == dict.fromkeys(NAMES[effect], effect)


def test_what_opens_and_closes_only_moves_about_unless_its_words_say_more() -> None:
    def opened(name: str, expanded: bool | None) -> Effect:
        element = GUIElement(element_id="it", text=name, role="button", expanded=expanded)
        return effect_of(Click(target=TARGET), element, VisualState(elements=(element,), app="x"))

    assert {opened("Shipping", at) for at in (True, False)} == {Effect.NAVIGATE}
    assert opened("Shipping", None) is Effect.ACTIVATE
    assert opened("Delete", False) is Effect.DELETE


@pytest.mark.parametrize("role", ["link", "menuitem", "switch", "icon"])
def test_whatever_can_be_pressed_is_read_like_a_button(role: str) -> None:
    names = [name for effect in sorted(SENSITIVE) for name in NAMES[effect]]
    assert [(name, press(name, role)) for name in names] == [(name, press(name)) for name in names]


CHOICES = ["row", "cell", "listitem", "option", "treeitem", "tab", "checkbox", "radio", "menuitemradio", "text", "heading"]


@pytest.mark.parametrize(
    "name",
    ["Delete everything", "Pay 500 EUR", "Send", "Yes, pay now", "Next: charge card", "Please transfer my funds", "账户 删除",
     "Jetzt kaufen", "Complete my order"],
)  # fmt: skip
def test_a_command_counts_in_every_role_that_can_be_pressed(name: str) -> None:
    assert not [role for role in CHOICES if press(name, role) not in SENSITIVE]


@pytest.mark.parametrize(
    "name", ["Payment reminder for March", "OK", "How we send parcels abroad", "Minutes of the meeting, 3 March", "Ideas"]
)
def test_an_entry_that_only_speaks_of_such_a_thing_is_looked_at(name: str) -> None:
    assert {press(name, role) for role in CHOICES} <= {Effect.NAVIGATE, Effect.EDIT}


@pytest.mark.parametrize("role", ["textbox", "searchbox", "combobox"])
def test_a_field_that_is_named_like_a_button_is_only_edited(role: str) -> None:
    assert press("Delete everything", role) is Effect.EDIT


@pytest.mark.parametrize(
    "name",
    ["Deleted items count", "Playlist", "Paypal-ish", "Accounting", "Sendai", "Reservoir", "Undelete", "Freepost", "Ordering"],
)
def test_a_word_inside_another_word_does_not_count(name: str) -> None:
    assert press(name) not in SENSITIVE


@pytest.mark.parametrize("name", ["Frobnicate", "执行", "🎈"])
def test_a_link_of_unknown_words_navigates_and_a_button_of_unknown_words_may_do_anything(name: str) -> None:
    assert press(name, "link") is Effect.NAVIGATE
    assert press(name, "button") is Effect.ACTIVATE


@pytest.mark.parametrize(
    "name", ["Go De\u200blete", "Show \uff24\uff45\uff4c\uff45\uff54\uff45", "Neu lo\u0308schen", "Open de\u00adlete"]
)
def test_characters_that_cannot_be_seen_hide_no_word(name: str) -> None:
    assert press(name) is Effect.DELETE


def test_a_target_that_is_not_there_may_do_anything() -> None:
    assert effect_of(Click(target=TARGET), None, VisualState()) is Effect.ACTIVATE


def dialog(question: str, *, deep: bool = False) -> tuple[GUIElement, ...]:
    box = GUIElement(element_id="d", role="dialog", text="Question")
    inner = GUIElement(element_id="g", role="group", parent="d")
    return box, inner, GUIElement(element_id="q", role="text", text=question, parent="g" if deep else "d")


QUESTIONS = (
    ("Pay $200?", Effect.PURCHASE),
    ("Delete 14 files for good?", Effect.DELETE),
    ("Allow this site to use your camera?", Effect.PERMISSION),
    ("Send to all 4,000 recipients?", Effect.SEND),
    ("Konto löschen?", Effect.ACCOUNT),
    ("确定要删除吗?", Effect.DELETE),
    ("立即付款?", Effect.PURCHASE),
)


@pytest.mark.parametrize(("question", "effect"), QUESTIONS)
@pytest.mark.parametrize("deep", [False, True])
def test_a_button_that_agrees_does_what_its_dialog_asks(question: str, effect: Effect, deep: bool) -> None:
    for name in ("OK", "Yes", "Continue", "确定", "Ja", "Go", "Go ahead", "Next", "Let's go", "Open", "Frobnicate", "Save", ""):
        assert press(name, "button", *dialog(question, deep=deep), parent="g" if deep else "d", modal="d") is effect, name


@pytest.mark.parametrize("question", [question for question, _ in QUESTIONS])
def test_the_way_out_of_a_dialog_stays_harmless(question: str) -> None:
    for name in ("Cancel", "No", "No thanks", "Close", "Not now", "Back", "Abbrechen", "Schließen", "取消"):
        assert press(name, "button", *dialog(question), parent="d", modal="d") is Effect.NAVIGATE, name


def test_a_button_counts_with_its_own_dialog_alone() -> None:
    assert press("No thanks, delete it", "button", *dialog("Keep it?"), parent="d") is Effect.DELETE
    assert press("Close and pay", "button", *dialog("Ready?"), parent="d") is Effect.PURCHASE
    assert press("OK", "button", *dialog("Pay $200?")) is Effect.CONFIRM
    other = GUIElement(element_id="b", role="button", text="Delete", parent="d")
    assert press("OK", "button", *dialog("All is well."), other, parent="d") is Effect.CONFIRM
    ring = (GUIElement(element_id="a", parent="b"), GUIElement(element_id="b", parent="a"))
    assert press("OK", "button", *ring, parent="a") is Effect.CONFIRM


def form(*buttons: str, nested: bool = False) -> VisualState:
    holder = GUIElement(element_id="f", role="form")
    group = GUIElement(element_id="g", role="group", parent="f")
    field = GUIElement(element_id="field", role="textbox", text="Amount", parent="g" if nested else "f", focused=True)
    named = [GUIElement(element_id=f"b{n}", role="button", text=name, parent="f") for n, name in enumerate(buttons)]
    return VisualState(elements=(holder, group, field, *named))


ENTERS = {
    "enter": PressKey(keys=("Enter",)),
    "return": PressKey(keys=("Return",)),
    "control enter": PressKey(keys=("Control", "Enter")),
    "submit": Type(target=ActionTarget(element_id="field"), text="9", submit=True),
    "line feed": Type(target=ActionTarget(element_id="field"), text="9\n"),
    "carriage return": Type(target=ActionTarget(element_id="field"), text="9\r"),
}


@pytest.mark.parametrize("action", ENTERS.values(), ids=ENTERS)
@pytest.mark.parametrize("nested", [False, True])
def test_enter_in_a_field_is_the_worst_of_its_forms_buttons(action: p.Action, nested: bool) -> None:
    state = form("Cancel", "Save draft", "Submit claim", nested=nested)
    assert effect_of(action, state.by_id["field"], state) is Effect.SUBMIT


def test_enter_counts_as_the_button_that_it_may_press() -> None:
    for name in NAMES[Effect.PURCHASE]:
        state = form(name)
        assert effect_of(ENTERS["submit"], state.by_id["field"], state) is press(name)
    button = GUIElement(element_id="it", role="button", text="Delete", focused=True)
    for key in ("Enter", " ", "Space"):
        assert effect_of(PressKey(keys=(key,)), None, VisualState(elements=(button,))) is Effect.DELETE
    box, group, question = dialog("Pay $200?")
    ok = GUIElement(element_id="ok", role="button", text="OK", parent="g")
    state = VisualState(elements=(*form("Search").elements, box, group, question, ok), modal="d")
    assert effect_of(PressKey(keys=("Enter",)), None, state) is Effect.PURCHASE
    assert effect_of(PressKey(keys=("Enter",)), None, VisualState()) in {Effect.CONFIRM, Effect.ACTIVATE}
    assert effect_of(ENTERS["submit"], None, VisualState()) in {Effect.CONFIRM, Effect.ACTIVATE}


@pytest.mark.parametrize(
    ("keys", "effect"),
    [
        (("Escape",), Effect.NAVIGATE),
        (("Tab",), Effect.NAVIGATE),
        (("PageDown",), Effect.NAVIGATE),
        (("Control", "c"), Effect.OBSERVE),
        (("Control", "S"), Effect.SAVE),
        (("Meta", "v"), Effect.EDIT),
        (("Control", "d"), Effect.DELETE),
        (("Control", "p"), Effect.ACTIVATE),
        (("Alt", "F4"), Effect.ACTIVATE),
        (("Delete",), Effect.DELETE),
        (("Shift", "Delete"), Effect.DELETE),
        (("F9",), Effect.ACTIVATE),
        (("a",), Effect.EDIT),
    ],
)
def test_keys_are_read_like_the_controls_they_stand_for(keys: tuple[str, ...], effect: Effect) -> None:
    assert effect_of(PressKey(keys=keys), None, VisualState()) is effect


def test_delete_inside_a_field_deletes_a_letter_only() -> None:
    state = form("Submit")
    assert effect_of(PressKey(keys=("Delete",)), None, state) is Effect.EDIT


@pytest.mark.parametrize(
    ("action", "effect"),
    [
        (p.Fill(target=TARGET, text="Delete everything\n"), Effect.EDIT),
        (Type(target=TARGET, text="pay now"), Effect.EDIT),
        (p.SelectOption(target=TARGET, options=("Delete",)), Effect.DELETE),
        (p.SelectOption(target=TARGET, options=("Payment",)), Effect.EDIT),
        (p.SelectOption(target=TARGET, options=("Nothing", "Delete my account")), Effect.ACCOUNT),
        (p.LaunchApp(app="Delete"), Effect.NAVIGATE),
        (p.SwitchWindow(window="w"), Effect.NAVIGATE),
        (p.Scroll.toward("down"), Effect.OBSERVE),
        (p.Wait(), Effect.OBSERVE),
        (p.Hover(target=TARGET), Effect.OBSERVE),
        (p.Memorize(name="a", value="delete"), Effect.OBSERVE),
    ],
)
def test_the_other_verbs_are_what_they_are_whatever_the_text_says(action: p.Action, effect: Effect) -> None:
    button = GUIElement(element_id="it", role="textbox", text="Delete")
    assert effect_of(action, button, VisualState(elements=(button,))) is effect


@given(st.text(max_size=30), st.sampled_from(["button", "menuitem", "icon"]))
def test_a_sensitive_word_beside_any_text_is_never_free(text: str, role: str) -> None:
    assert press(f"{text} delete", role) in SENSITIVE
    assert press(f"删除{text}", role) in SENSITIVE


@pytest.mark.parametrize(
    ("role", "name", "inside", "expected"),
    [
        ("link", "Payment reminder for March", "row", Effect.NAVIGATE),
        ("link", "Re: the report that we send", "listitem", Effect.NAVIGATE),
        ("link", "Pay 500 EUR to the order of Eve Moss", "listitem", Effect.PURCHASE),
        ("link", "Delete", "row", Effect.DELETE),
        ("link", "Pay now", "cell", Effect.PURCHASE),
        (None, "Pay now", "group", Effect.PURCHASE),
        ("generic", "Frobnicate", "group", Effect.ACTIVATE),
        (None, None, "group", Effect.ACTIVATE),
    ],
)
def test_a_subject_is_read_and_a_bare_command_is_a_command_whatever_its_role(
    role: str | None, name: str | None, inside: str, expected: Effect
) -> None:
    holder = GUIElement(element_id="h", role=inside)
    element = GUIElement(element_id="e", role=role, text=name, parent="h")
    state = VisualState(elements=(holder, element))
    assert effect_of(Click(target=ActionTarget(element_id="e")), element, state) is expected


def test_dragging_to_the_trash_deletes() -> None:
    to = ActionTarget(text="Trash")
    state = VisualState(elements=(GUIElement(element_id="a", role="row"), GUIElement(element_id="t", role="link", text="Trash")))
    assert effect_of(Drag(target=ActionTarget(element_id="a"), to=to), state.elements[0], state) is Effect.DELETE


def on(action: p.Action, element: GUIElement, *around: GUIElement) -> Effect:
    return effect_of(action, element, VisualState(elements=(*around, element), app="home"))


SWITCH = GUIElement(element_id="it", text="Kellertür", role="switch", actuator=True, focused=True)


@pytest.mark.parametrize(
    "action",
    [
        Click(target=TARGET),
        p.Fill(target=TARGET, text="false"),
        p.SelectOption(target=TARGET, options=("open",)),
        Drag(target=TARGET, to=ActionTarget(text="there")),
        Type(target=TARGET, text="1"),
        PressKey(target=TARGET, keys=("Space",)),
        PressKey(keys=("Enter",)),
        PressKey(keys=("ArrowUp",)),
        PressKey(target=TARGET, keys=("Tab",)),
        p.MouseDown(target=TARGET),
    ],
    ids=lambda action: f"{action.verb} {getattr(action, 'keys', '')}",
)
def test_a_declared_actuator_is_operated_in_whatever_way_and_whatever_its_name(action: p.Action) -> None:
    assert effect_of(action, SWITCH if action.target else None, VisualState(elements=(SWITCH,), app="home")) is Effect.ACTUATE


@pytest.mark.parametrize("action", [p.Hover(target=TARGET), PressKey(keys=("Tab",)), p.Scroll(target=TARGET)])
def test_to_look_at_an_actuator_or_to_pass_it_by_operates_nothing(action: p.Action) -> None:
    assert on(action, SWITCH) in (Effect.OBSERVE, Effect.NAVIGATE)


def test_enter_in_a_field_operates_the_actuator_of_its_form() -> None:
    form = GUIElement(element_id="form", role="form")
    field = GUIElement(element_id="it", text="Degrees", role="spinbutton", parent="form", focused=True)
    start = GUIElement(element_id="go", text="Go", role="button", parent="form", actuator=True)
    assert on(Type(target=TARGET, text="200", submit=True), field, form, start) is Effect.ACTUATE
    assert on(Type(target=TARGET, text="200"), field, form, start) is Effect.EDIT


@pytest.mark.parametrize("function", ["unlock_door", "lock_door", "turn_on_oven", "turn_off_oven", "disable_alarm"])
def test_a_function_says_by_its_name_that_it_operates_something(function: str) -> None:
    assert effect_of(p.CallApi(app="home", function=function), None, VisualState()) is Effect.ACTUATE


PAY = GUIElement(element_id="it", text="Pay", role="button")


@pytest.mark.parametrize(
    "action",
    [
        Type(target=TARGET, text=""),
        p.Fill(target=TARGET, text="x"),
        p.SelectOption(target=TARGET, options=("x",)),
        PressKey(target=TARGET, keys=("Tab",)),
        PressKey(target=TARGET, keys=("Control", "c")),
        p.HoldKey(target=TARGET, keys=("a",), seconds=1),
        p.KeyDown(target=TARGET, key="a"),
        p.MouseDown(target=TARGET),
        p.MouseUp(target=TARGET),
        Drag(target=TARGET, to=TARGET),
        Drag(target=TARGET, to=ActionTarget(text="elsewhere")),
    ],
    ids=lambda action: action.verb,
)
def test_a_verb_for_fields_on_what_is_no_field_is_the_press_it_would_begin_with(action: p.Action) -> None:
    assert on(action, PAY) is Effect.PURCHASE


@pytest.mark.parametrize("action", [Type(text=" "), Type(text="a\n"), PressKey(keys=(" ",)), PressKey(keys=("Enter",))])
def test_what_has_the_focus_is_pressed_by_a_key_without_a_target(action: p.Action) -> None:
    focused = PAY.model_copy(update={"focused": True})
    assert effect_of(action, None, VisualState(elements=(focused,))) is Effect.PURCHASE
    assert effect_of(PressKey(keys=("Tab",)), None, VisualState(elements=(focused,))) is Effect.NAVIGATE


def test_what_is_dragged_to_a_place_that_says_what_it_does_is_that() -> None:
    card = GUIElement(element_id="c", role="listitem", text="Report")
    place = GUIElement(element_id="p", role="group", text="Send to the customer")
    state = VisualState(elements=(card, place))
    assert effect_of(Drag(target=ActionTarget(element_id="c"), to=ActionTarget(element_id="p")), card, state) is Effect.SEND


def test_enter_may_mean_a_button_outside_of_its_form_or_any_where_none_is_known() -> None:
    tied = GUIElement(element_id="t", role="button", text="Delete all", leads="post https://a.example/x")
    state = VisualState(elements=(*form("Search").elements, tied))
    assert effect_of(ENTERS["enter"], state.by_id["field"], state) is Effect.DELETE
    field = GUIElement(element_id="field", role="textbox", text="Amount", parent="g", focused=True)
    group, button = GUIElement(element_id="g", role="group"), GUIElement(element_id="b", role="button", text="Transfer money")
    state = VisualState(elements=(group, field, button))
    for action in ENTERS.values():
        assert effect_of(action, field, state) is Effect.PURCHASE


def beside(button: str, *fields: str, heading: str = "", role: str = "form", title: str = "") -> Effect:
    holder = GUIElement(element_id="f", role=role)
    held = [GUIElement(element_id=f"f{n}", role="textbox", text=name, parent="f") for n, name in enumerate(fields)]
    head = [GUIElement(element_id="h", role="heading", text=heading)] if heading else []
    pressed = GUIElement(element_id="it", role="button", text=button, parent="f")
    windows = (p.Window(window_id="w", app="browser", title=title, focused=True),) if title else ()
    state = VisualState(elements=(*head, holder, *held, pressed), windows=windows)
    return effect_of(Click(target=TARGET), pressed, state)


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        (("Recovery phone",), {}),
        (("Account e-mail",), {"role": "group"}),
        (("Current password", "New password"), {}),
        (("Card number", "CVC"), {}),
        (("E-mail",), {"heading": "Account settings"}),
        (("Username", "City"), {"title": "Shop - https://shop.example/account/edit"}),
        (("Telefon",), {"heading": "Sicherheit"}),
        (("手机",), {"heading": "账号安全"}),
    ],
)
@pytest.mark.parametrize("button", ["Save", "OK", "Frobnicate", "Speichern", "保存"])
def test_what_takes_over_fields_of_an_account_changes_the_account(
    fields: tuple[str, ...], where: dict[str, str], button: str
) -> None:
    assert beside(button, *fields, **where) is Effect.ACCOUNT
    assert beside("Cancel", *fields, **where) is Effect.NAVIGATE


@pytest.mark.parametrize(
    ("fields", "heading"),
    [(("E-mail", "Message"), "Contact us"), (("E-mail",), "Our newsletter"), (("Title", "Notes"), "Account")],
)
def test_an_address_in_any_other_form_is_no_account(fields: tuple[str, ...], heading: str) -> None:
    assert beside("Save", *fields, heading=heading) is Effect.SAVE


@pytest.mark.parametrize(
    ("name", "effect"),
    [("Recovery phone", Effect.ACCOUNT), ("Account e-mail", Effect.ACCOUNT), ("E-mail", Effect.EDIT), ("Phone", Effect.EDIT)],
)
def test_filling_in_what_an_account_is_recovered_by_changes_it(name: str, effect: Effect) -> None:
    field = GUIElement(element_id="it", role="textbox", text=name)
    assert on(p.Fill(target=TARGET, text="x"), field) is effect
    assert on(Type(target=TARGET, text="x"), field) is effect


@pytest.mark.parametrize("role", ["button", "row", "link"])
@pytest.mark.parametrize("name", ["a" * 16_000, "a " * 8_000, "1 " * 8_000, "change " * 2_300, "删除" * 8_000, ".," * 8_000])
def test_a_name_of_any_length_is_read_at_once(name: str, role: str) -> None:
    since = time.process_time()
    press(name, role)
    assert time.process_time() - since < 0.5


SITE = "https://site.example"
PAGE = Window(window_id="tab-0", app="browser", title=f"Site - {SITE}/list", focused=True)
PRESSED = ["button", "link", "menuitem", "menuitemcheckbox", "switch", "generic", "tab", "option", "checkbox", "radio", "row"]
PRESSED += ["listitem", "cell", "treeitem"]
WORDED = yaml.safe_load((Path(__file__).parent / "control_names.yaml").read_text(encoding="utf-8"))
ASKED_ABOUT: list[str] = WORDED["sensitive"]
ASKED_BEFORE = 91
"""Of the benign ones, by the words that were read before."""


def asks(name: str, role: str, leads: str | None) -> bool:
    element = GUIElement(element_id="e", text=name, role=role, leads=leads, app="browser")
    seen = VisualState(elements=(element,), app="browser", windows=(PAGE,))
    return review(Click(target=ActionTarget(element_id="e")), element, seen, SafetyPolicy()).verdict == "ask"


@pytest.mark.parametrize("role", PRESSED)
def test_what_reaches_others_costs_deletes_or_changes_an_account_is_asked_about_in_every_role(role: str) -> None:
    assert [name for name in ASKED_ABOUT if not asks(name, role, None)] == []
    assert len(ASKED_ABOUT) > 400


def test_a_link_to_the_same_site_is_asked_about_too_where_its_words_command_something() -> None:
    assert [name for name in ASKED_ABOUT if not asks(name, "link", f"open {SITE}/x")] == []


@pytest.mark.parametrize("filler", ["Next: {}", "Show {}", "OK, {}", "{} (3)", "→ {}", "Yes - {}", "{} now", "Home; {}"])
def test_a_harmless_word_beside_it_makes_nothing_harmless(filler: str) -> None:
    assert [name for name in ASKED_ABOUT if not asks(filler.format(name), "button", None)] == []


def test_what_only_moves_about_is_asked_about_no_more_often_than_before() -> None:
    asked, every = [], 0
    for group in WORDED["benign"]:
        for name in group["names"]:
            words, _, path = name.partition(" > ")
            leads = f"{group['leads']} {SITE}{path or '/form'}" if "leads" in group else None
            asked += [name] if asks(words, group["role"], leads) else []
            every += 1
    assert every > 400
    assert len(asked) <= ASKED_BEFORE, asked
