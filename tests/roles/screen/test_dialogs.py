"""Dialogs: the gravest reading wins, and only what is plainly harmless is ever dismissed without a person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import GUIElement, VisualState
from roles.screen.dialogs import HARMLESS, agree_choice, classify_dialog, dismiss_choice, expected
from roles.screen.screens import Screen

DIALOG = GUIElement(element_id="d", role="dialog", text="Message")


def inside(text: str, *buttons: str, field: str = "") -> list[GUIElement]:
    found = [GUIElement(element_id="t", role="text", text=text, parent="d")]
    if field:
        found.append(GUIElement(element_id="f", role="textbox", text=field, parent="d"))
    return found + [GUIElement(element_id=f"b{n}", role="button", text=name, parent="d") for n, name in enumerate(buttons)]


def kind(text: str, *buttons: str, title: str = "Message", field: str = "") -> str:
    return classify_dialog(DIALOG.model_copy(update={"text": title}), inside(text, *buttons, field=field))


def choice(*buttons: str) -> str | None:
    found = dismiss_choice(DIALOG, inside("Something", *buttons))
    return found.text if found else None


GRAVE = {
    "payment": [
        "Pay $200?", "Enter your card number", "Your subscription ends", "Upgrade to Pro", "Kreditkarte angeben",
        "Ihr Abonnement endet bald", "请支付", "您的订阅即将到期",
    ],
    "account": [
        "Your session has expired", "Sign in to go on", "Choose a new password", "Bitte anmelden",
        "Ihre Sitzung ist abgelaufen", "Melden Sie sich an", "Ihr Kennwort ist alt", "请登录", "会话已过期", "请输入验证码",
    ],
    "permission": [
        "Maps wants to access your location", "Allow the camera?", "Zugriff auf Kontakte",
        "Kamera und Mikrofon verwenden?", "Die Seite möchte Benachrichtigungen senden", "需要权限", "网页想使用摄像头和麦克风",
        "使用您的位置",
    ],
    "security": [
        "The certificate is not valid", "A virus was found", "Sicherheitswarnung", "Das Zertifikat ist ungültig",
        "安全警告", "检测到木马", "证书不受信任",
    ],
    "consent": ["We use cookies", "Agree to our terms", "Datenschutz", "Ihre Privatsphäre", "隐私政策", "用户协议"],
    "confirm": ["Are you sure?", "Delete 3 files?", "This cannot be undone", "Wirklich löschen?", "确定要删除吗", "是否覆盖"],
}  # fmt: skip


@pytest.mark.parametrize("wanted", GRAVE)
@pytest.mark.parametrize("buttons", [("OK",), ("OK", "Cancel"), ("No thanks",), ()], ids=str)
def test_a_grave_dialog_is_never_harmless_whatever_its_buttons(wanted: str, buttons: tuple[str, ...]) -> None:
    for text in GRAVE[wanted]:
        assert kind(text, *buttons) == kind("Please read on", *buttons, title=text) == wanted, text


@pytest.mark.parametrize("text", [texts[0] for texts in GRAVE.values()])
@pytest.mark.parametrize(
    "bait", ["Welcome!", "Did you know? Tip:", "What's new in our newsletter", "Congratulations, thank you!"]
)
def test_friendly_words_do_not_make_a_grave_dialog_harmless(text: str, bait: str) -> None:
    assert kind(f"{bait} {text}", "Close", title=bait) != HARMLESS


@pytest.mark.parametrize("button", ["Pay now", "Delete", "Allow", "Sign in", "I agree"])
def test_a_button_gives_a_dialog_away(button: str) -> None:
    assert kind("Welcome!", button, "Close") != HARMLESS


@pytest.mark.parametrize(
    ("wanted", "texts", "buttons"),
    [
        ("payment", ("Transfer $500 to Bob?", "Send 20 € to Bob", "Only £3"), (("OK",), ("OK", "Cancel"))),
        ("unknown", ("Format disk C:?", "Shut down the server?", "关机？"), (("OK",), ("OK", "Cancel"), ("确定",))),
        ("unknown", ("Frobnicate the widgets?",), (("Frobnicate", "Cancel"),)),
        ("unknown", ("Welcome",), (("Start", "Begin"),)),
        ("unknown", ("", "Something happened"), ((),)),
        (HARMLESS, ("Something happened", "Maintenance tonight"), (("OK",),)),
        (HARMLESS, ("Did you know that you can press F1?",), (("Got it",),)),
        (HARMLESS, ("What's new in version 3",), (("Learn more", "Close"),)),
        (HARMLESS, ("How do you like this app? Take our survey",), (("Take survey", "Not now"),)),
        (HARMLESS, ("Willkommen!", "欢迎"), (("Schließen",), ("知道了",))),
    ],
)
def test_money_is_about_paying_and_ok_to_a_question_is_no_mere_acknowledgement(
    wanted: str, texts: tuple[str, ...], buttons: tuple[tuple[str, ...], ...]
) -> None:
    assert {kind(text, *names) for text in texts for names in buttons} == {wanted}


def test_what_asks_for_something_to_be_entered_is_not_harmless() -> None:
    assert kind("Something happened", "OK", field="Your name") == "unknown"
    assert kind("Welcome! What is your name?", "Close", field="Name") == "unknown"


@pytest.mark.parametrize(
    ("buttons", "chosen"),
    [
        (("Delete", "Cancel"), "Cancel"),
        (("Accept all", "Reject all"), "Reject all"),
        (("Allow", "Don't allow"), "Don't allow"),
        (("OK", "No, thanks"), "No, thanks"),
        (("Yes", "No"), "No"),
        (("Subscribe", "Maybe later"), "Maybe later"),
        (("Weiter", "Abbrechen"), "Abbrechen"),
        (("确定", "取消"), "取消"),
        (("Proceed anyway", "Go back"), "Go back"),
        (("Trotzdem weiter", "Zurück"), "Zurück"),
        (("Allow", "Not now"), "Not now"),
        (("允许", "以后再说"), "以后再说"),
        (("全部接受", "全部拒绝"), "全部拒绝"),
        (("OK", "×"), "×"),
        (("OK",), "OK"),
        (("Got it.",), "Got it."),
        (("OK", "Details"), None),
        (("Delete",), None),
        (("Continue",), None),
        (("Yes",), None),
        (("Cancel subscription", "Keep subscription"), None),
        (("Close account",), None),
        (("No, delete it",), None),
        ((), None),
    ],
)
def test_the_safest_answer_declines_and_is_none_when_nothing_is_safe(buttons: tuple[str, ...], chosen: str | None) -> None:
    assert choice(*buttons) == chosen


def test_a_button_that_cannot_be_pressed_is_no_choice() -> None:
    close, ok = inside("x", "Cancel", "OK")[1:]
    assert dismiss_choice(DIALOG, [close.model_copy(update={"enabled": False}), ok]) == ok
    assert dismiss_choice(DIALOG, [close.model_copy(update={"visible": False}), ok]) == ok


names = st.sampled_from(["OK", "Cancel", "Yes", "No", "Delete", "Pay now", "Continue", "Accept", "Send", "×", "Frobnicate", ""])


@given(st.lists(names, max_size=4))
def test_an_answer_that_agrees_to_something_is_never_chosen(buttons: list[str]) -> None:
    assert choice(*buttons) in {None, "Cancel", "No", "×", "OK"}
    if choice(*buttons) == "OK":
        assert buttons == ["OK"]


def dialog(title: str, text: str, *buttons: str) -> Screen:
    return Screen(VisualState(elements=(DIALOG.model_copy(update={"text": title}), *inside(text, *buttons)), modal="d"))


@pytest.mark.parametrize(
    ("verb", "title", "text", "buttons", "pressed"),
    [
        ("delete", "Delete budget.txt?", "It will be deleted for good.", ("Cancel", "Delete budget.txt"), "Delete budget.txt"),
        ("delete", "Are you sure you want to delete it?", "", ("No", "Yes"), "Yes"),
        ("delete", "Remove note", "This cannot be undone.", ("Keep it", "Remove"), "Remove"),
        ("delete", "Upgrade now", "Pay to delete advertisements", ("OK", "Later"), None),
        ("delete", "Rate this app", "How do you like it?", ("OK", "Later"), None),
        ("submit", "Submit the claim?", "", ("Back", "Submit"), "Submit"),
        ("submit", "Allow access to your files?", "", ("Allow", "Deny"), None),
        ("rename", "Rename plan.txt", "", ("OK", "Cancel"), "OK"),
    ],
)
def test_only_the_crews_own_question_is_agreed_to(
    verb: str, title: str, text: str, buttons: tuple[str, ...], pressed: str | None
) -> None:
    choice = agree_choice(verb, dialog(title, text, *buttons))
    assert (choice.text if choice else None) == pressed


def test_a_question_about_something_else_was_not_expected() -> None:
    asked = dialog("Delete other.txt?", "It will be deleted for good.", "Delete", "Cancel")
    assert asked.dialog is not None
    assert expected(asked.dialog, asked.elements, "delete")
    assert not expected(asked.dialog, asked.elements, "submit")
