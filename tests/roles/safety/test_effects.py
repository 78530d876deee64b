"""What an action amounts to, by the words of what it falls on."""

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
FIELD = ActionTarget(element_id="field")


def press(name: str, role: str | None = "button", *around: GUIElement, modal: str | None = None, **more) -> Effect:
    element = GUIElement(element_id="it", text=name, role=role, **more)
    return effect_of(Click(target=TARGET), element, VisualState(elements=(*around, element), modal=modal, app="x"))


def on(action: p.Action, element: GUIElement, *around: GUIElement) -> Effect:
    return effect_of(action, element, VisualState(elements=(*around, element), app="home"))


NAMES = {Effect(name): names for name, names in yaml.safe_load(Path(__file__).with_name("names.yaml").read_text()).items()}
ALL_SENSITIVE = [name for effect in sorted(SENSITIVE) for name in NAMES[effect]]


@pytest.mark.parametrize("effect", NAMES)
def test_a_button_does_what_its_own_words_say(effect: Effect) -> None:
    assert {name: press(name) for name in NAMES[effect]} == dict.fromkeys(NAMES[effect], effect)


@pytest.mark.parametrize("role", ["link", "menuitem", "switch", "icon"])
def test_whatever_can_be_pressed_is_read_like_a_button(role: str) -> None:
    assert [(name, press(name, role)) for name in ALL_SENSITIVE] == [(name, press(name)) for name in ALL_SENSITIVE]


CHOICES = ["row", "cell", "listitem", "option", "treeitem", "tab", "checkbox", "radio", "menuitemradio", "text", "heading"]
UNKNOWN = ["Frobnicate", "执行", "🎈"]
ROLES = {
    "a command in an entry": (
        ["Delete everything", "Pay 500 EUR", "Send", "Yes, pay now", "Next: charge card", "Please transfer my funds", "账户 删除",
         "Jetzt kaufen", "Complete my order"], CHOICES, SENSITIVE,
    ),
    "an entry that only speaks of it": (
        ["Payment reminder for March", "OK", "How we send parcels abroad", "Minutes of the meeting, 3 March", "Ideas"],
        CHOICES, {Effect.NAVIGATE, Effect.EDIT},
    ),
    "a field": (["Delete everything"], ["textbox", "searchbox", "combobox"], {Effect.EDIT}),
    "a word inside another": (
        ["Deleted items count", "Playlist", "Paypal-ish", "Accounting", "Sendai", "Reservoir", "Undelete", "Freepost",
         "Ordering"], ["button"], {*Effect} - SENSITIVE,
    ),
    "a link of unknown words": (UNKNOWN, ["link"], {Effect.NAVIGATE}),
    "a button of unknown words": (UNKNOWN, ["button"], {Effect.ACTIVATE}),
    "a word with what cannot be seen": (
        ["Go De\u200blete", "Show \uff24\uff45\uff4c\uff45\uff54\uff45", "Neu lo\u0308schen", "Open de\u00adlete"],
        ["button"], {Effect.DELETE},
    ),
    "a link in disguise": (  # Cyrillic, Greek, struck through, without width, wide, in circles
        ["D\u0435lete all", "P\u03b1y the rest", "S\u0336e\u0336n\u0336d", "De\u200blete", "\uff24elete",
         "D\u20dde\u20ddl\u20dde\u20ddt\u20dde\u20dd"], ["link"], SENSITIVE | {Effect.ACTIVATE},
    ),
    "an honest link of another language": (
        ["Über uns", "Настройки", "Ελλάδα", "Naïve Bayes", "β-test", "Room 7 Зал"], ["link"], {Effect.NAVIGATE},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("names", "roles", "effects"), ROLES.values(), ids=ROLES)
def test_a_name_counts_by_what_it_stands_on(names: list[str], roles: list[str], effects: set[Effect]) -> None:
    assert [(name, role) for name in names for role in roles if press(name, role) not in effects] == []


@pytest.mark.parametrize(
    ("role", "name", "inside", "effect"),
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
def test_a_subject_is_read_and_a_bare_command_is_a_command_whatever_its_role(role, name, inside, effect) -> None:
    assert press(name, role, GUIElement(element_id="h", role=inside), parent="h") is effect


def test_what_opens_and_closes_only_moves_about_unless_its_words_say_more() -> None:
    assert [press("Shipping", expanded=at) for at in (True, False, None)] == [Effect.NAVIGATE] * 2 + [Effect.ACTIVATE]
    assert press("Delete", expanded=False) is Effect.DELETE


def dialog(question: str, *, deep: bool = False) -> tuple[GUIElement, ...]:
    box = GUIElement(element_id="d", role="dialog", text="Question")
    inner = GUIElement(element_id="g", role="group", parent="d")
    return box, inner, GUIElement(element_id="q", role="text", text=question, parent="g" if deep else "d")


@pytest.mark.parametrize(
    ("question", "effect"),
    [
        ("Pay $200?", Effect.PURCHASE),
        ("Delete 14 files for good?", Effect.DELETE),
        ("Allow this site to use your camera?", Effect.PERMISSION),
        ("Send to all 4,000 recipients?", Effect.SEND),
        ("Konto löschen?", Effect.ACCOUNT),
        ("确定要删除吗?", Effect.DELETE),
        ("立即付款?", Effect.PURCHASE),
    ],
)
@pytest.mark.parametrize("deep", [False, True])
def test_a_button_that_agrees_does_what_its_dialog_asks_and_the_way_out_stays_harmless(question, effect, deep) -> None:
    around, parent = dialog(question, deep=deep), "g" if deep else "d"
    for name in ("OK", "Yes", "Continue", "确定", "Ja", "Go", "Go ahead", "Next", "Let's go", "Open", "Frobnicate", "Save", ""):
        assert press(name, "button", *around, parent=parent, modal="d") is effect, name
    for name in ("Cancel", "No", "No thanks", "Close", "Not now", "Back", "Abbrechen", "Schließen", "取消"):
        assert press(name, "button", *around, parent="d", modal="d") is Effect.NAVIGATE, name


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
    "submit": Type(target=FIELD, text="9", submit=True),
    "line feed": Type(target=FIELD, text="9\n"),
    "carriage return": Type(target=FIELD, text="9\r"),
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
    ok = GUIElement(element_id="ok", role="button", text="OK", parent="g")
    state = VisualState(elements=(*form("Search").elements, *dialog("Pay $200?"), ok), modal="d")
    assert effect_of(ENTERS["enter"], None, state) is Effect.PURCHASE
    for action in (ENTERS["enter"], ENTERS["submit"]):
        assert effect_of(action, None, VisualState()) in {Effect.CONFIRM, Effect.ACTIVATE}


def test_enter_may_mean_a_button_outside_of_its_form_or_any_where_none_is_known() -> None:
    tied = GUIElement(element_id="t", role="button", text="Delete all", leads="post https://a.example/x")
    state = VisualState(elements=(*form("Search").elements, tied))
    assert effect_of(ENTERS["enter"], state.by_id["field"], state) is Effect.DELETE
    field = GUIElement(element_id="field", role="textbox", text="Amount", parent="g", focused=True)
    group, button = GUIElement(element_id="g", role="group"), GUIElement(element_id="b", role="button", text="Transfer money")
    for action in ENTERS.values():
        assert effect_of(action, field, VisualState(elements=(group, field, button))) is Effect.PURCHASE


@pytest.mark.parametrize(
    ("action", "effect"),
    [
        *((PressKey(keys=(key,)), Effect.NAVIGATE) for key in ("Escape", "Tab", "PageDown")),
        (PressKey(keys=("Control", "c")), Effect.OBSERVE),
        (PressKey(keys=("Control", "S")), Effect.SAVE),
        (PressKey(keys=("Meta", "v")), Effect.EDIT),
        (PressKey(keys=("a",)), Effect.EDIT),
        *((PressKey(keys=keys), Effect.DELETE) for keys in (("Control", "d"), ("Delete",), ("Shift", "Delete"))),
        *((PressKey(keys=keys), Effect.ACTIVATE) for keys in (("Control", "p"), ("Alt", "F4"), ("F9",))),
        (Click(target=TARGET), Effect.ACTIVATE),
    ],
    ids=lambda said: "+".join(said.keys) if isinstance(said, PressKey) else "",
)
def test_keys_are_read_like_the_controls_they_stand_for_and_what_is_not_there_may_do_anything(action, effect) -> None:
    assert effect_of(action, None, VisualState()) is effect
    assert effect_of(PressKey(keys=("Delete",)), None, form("Submit")) is Effect.EDIT, "which deletes a letter only"


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
    assert on(action, GUIElement(element_id="it", role="textbox", text="Delete")) is effect


@given(st.text(max_size=30), st.sampled_from(["button", "menuitem", "icon"]))
def test_a_sensitive_word_beside_any_text_is_never_free(text: str, role: str) -> None:
    assert press(f"{text} delete", role) in SENSITIVE
    assert press(f"删除{text}", role) in SENSITIVE


@pytest.mark.parametrize(
    ("place", "to", "effect"),
    [
        ("Trash", {"element_id": "t"}, Effect.DELETE),
        ("Trash", {"track_id": "bin"}, Effect.DELETE),
        ("Trash", {"text": "Trash"}, Effect.DELETE),
        ("Send to the customer", {"element_id": "t"}, Effect.SEND),
    ],
)
def test_what_is_dragged_to_a_place_that_says_what_it_does_is_that_however_the_place_is_named(place, to, effect) -> None:
    there = GUIElement(element_id="t", track_id="bin", role="link", text=place)
    card = GUIElement(element_id="it", role="row", text="Roof")
    assert on(Drag(target=TARGET, to=ActionTarget(**to)), card, there) is effect


SWITCH = GUIElement(element_id="it", text="Kellertür", role="switch", actuator=True, focused=True)
PAY = GUIElement(element_id="it", text="Pay", role="button", focused=True)


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


def test_what_operates_nothing_and_what_operates_the_actuator_of_its_form() -> None:
    for action in (p.Hover(target=TARGET), PressKey(keys=("Tab",)), p.Scroll(target=TARGET)):
        assert on(action, SWITCH) in (Effect.OBSERVE, Effect.NAVIGATE)
    holder = GUIElement(element_id="form", role="form")
    field = GUIElement(element_id="it", text="Degrees", role="spinbutton", parent="form", focused=True)
    start = GUIElement(element_id="go", text="Go", role="button", parent="form", actuator=True)
    assert on(Type(target=TARGET, text="200", submit=True), field, holder, start) is Effect.ACTUATE
    assert on(Type(target=TARGET, text="200"), field, holder, start) is Effect.EDIT


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
        # without a target they fall on what has the focus
        *(Type(text=" "), Type(text="a\n"), PressKey(keys=(" ",)), PressKey(keys=("Enter",))),
    ],
    ids=lambda action: action.verb,
)
def test_a_verb_for_fields_on_what_is_no_field_is_the_press_it_would_begin_with(action: p.Action) -> None:
    named = PAY.model_copy(update={"focused": False})
    element = named if action.target else None
    assert effect_of(action, element, VisualState(elements=(element or PAY,))) is Effect.PURCHASE
    assert effect_of(PressKey(keys=("Tab",)), None, VisualState(elements=(PAY,))) is Effect.NAVIGATE


def beside(button: str, *fields: str, heading: str = "", role: str = "form", title: str = "") -> Effect:
    holder = GUIElement(element_id="f", role=role)
    held = [GUIElement(element_id=f"f{n}", role="textbox", text=name, parent="f") for n, name in enumerate(fields)]
    head = [GUIElement(element_id="h", role="heading", text=heading)] if heading else []
    pressed = GUIElement(element_id="it", role="button", text=button, parent="f")
    windows = (Window(window_id="w", app="browser", title=title, focused=True),) if title else ()
    return effect_of(Click(target=TARGET), pressed, VisualState(elements=(*head, holder, *held, pressed), windows=windows))


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
def test_what_takes_over_fields_of_an_account_changes_the_account(fields: tuple[str, ...], where: dict[str, str]) -> None:
    for button in ("Save", "OK", "Frobnicate", "Speichern", "保存"):
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
    assert on(p.Fill(target=TARGET, text="x"), field) is on(Type(target=TARGET, text="x"), field) is effect


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


FILLERS = ["Next: {}", "Show {}", "OK, {}", "{} (3)", "→ {}", "Yes - {}", "{} now", "Home; {}"]
ASKED_AS = [*((role, None, "{}") for role in PRESSED), ("link", f"open {SITE}/x", "{}"), *(("button", None, f) for f in FILLERS)]


@pytest.mark.parametrize(("role", "leads", "said"), ASKED_AS)
def test_what_reaches_others_costs_deletes_or_changes_an_account_is_asked_about_whatever_it_is(role, leads, said) -> None:
    assert [name for name in ASKED_ABOUT if not asks(said.format(name), role, leads)] == []
    assert len(ASKED_ABOUT) > 400


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
