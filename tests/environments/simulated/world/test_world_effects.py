"""What each effect of a rule does, on the real desktop."""

import pytest


def claims(h) -> int:
    return len(h.app("reimbursement")["claims"])


def test_a_notice_stays_and_opens_its_app_or_is_dismissed(ruled):
    h = ruled("{when: {at: 1}, notice: {title: Stand-up, text: in five minutes, app: notes}}", "{notice: {title: Hello}}")
    h.wait(60)
    assert h.desktop.world()["notices"] == ["Hello", "Stand-up"]
    assert h.do_on("notice-1.dismiss").ok
    assert h.desktop.world()["notices"] == ["Stand-up"]
    assert h.click("Stand-up").ok
    assert (h.desktop.world()["notices"], h.screen.app) == ([], "notes")


def test_a_deadline_is_recorded_and_says_so(ruled):
    h = ruled("{when: {at: 08:00}, deadline: {name: payroll}}", "{when: {at: 20}, deadline: {name: x, notice: Too late}}")
    h.wait(25)
    assert h.desktop.world()["passed"] == {"x": 20.0}
    assert h.desktop.world()["notices"] == ["Too late"]


@pytest.mark.parametrize("after", [False, True])
def test_without_a_network_nothing_is_saved_or_it_is_saved_all_the_same(ruled, after):
    h = ruled(f"{{network: {{seconds: 5, after: {str(after).lower()}}}}}")
    h.fill("Amount", "4")
    result = h.click("Submit")
    assert result.error == ("the network was lost" if after else "the network is down; nothing was saved")
    assert claims(h) == after
    h.wait(5)
    if not after:
        assert h.value("Amount") == "4"
        assert h.click("Submit").ok
        assert claims(h) == 1


def test_a_click_that_arrives_twice_submits_twice(ruled):
    h = ruled("{twice: {label: Submit}}")
    h.fill("Amount", "4")
    assert h.click("Submit").ok
    first, second = h.app("reimbursement")["claims"].values()
    assert first["amount"] == second["amount"] == "4.00"


def test_a_session_expires_until_the_password_is_given(ruled):
    h = ruled("{when: {after_actions: 1}, expire: {app: reimbursement, password: tulip}}")
    h.wait(1)
    assert "a dialog" in h.click("My claims").error
    assert h.element("Password").private
    h.fill("Password", "rose")
    h.click("Sign in")
    assert "That is not the right password." in h.texts()
    assert h.desktop.world()["answered"] == []
    h.fill("Password", "tulip")
    h.click("Sign in")
    assert h.screen.modal is None
    assert [(a["kind"], a["button"]) for a in h.desktop.world()["answered"]] == [("account", "Sign in")]
    assert h.click("My claims").ok
    h = ruled("{when: {after_actions: 1}, expire: {app: reimbursement}}")
    h.wait(1)
    h.click("Close Reimbursement")
    assert (h.screen.modal, h.screen.app) == (None, None), "or the app is closed"


def test_an_app_that_ends_by_itself_loses_what_was_begun(ruled):
    h = ruled("{when: {at: 10}, crash_app: {app: notes}}")
    h.launch("notes")
    h.click("Plan")
    h.fill("Title", "Half a")
    h.wait(10)
    assert h.screen.app == "reimbursement"
    assert h.desktop.world()["notices"] == ["Notes has stopped"]
    h.launch("notes")
    assert "Half a" not in [e.value for e in h.screen.elements]
    assert h.app("notes")["notes"]["1"]["title"] == "Plan"


def test_a_control_that_moved_stands_elsewhere_for_a_while(ruled):
    h = ruled("{when: {at: 1}, move: {app: reimbursement, label: My claims, to: last, seconds: 10}}")
    place = h.element("My claims").bbox
    h.wait(1)
    assert h.element("My claims").bbox != place
    assert h.click("My claims").ok
    h.click("New claim")
    h.wait(10)
    assert h.element("My claims").bbox == place


@pytest.mark.parametrize("dismiss", [False, True])
def test_a_banner_over_a_control_takes_its_clicks_until_it_goes(ruled, dismiss):
    rule = f"cover: {{app: reimbursement, label: Submit, text: Rate us now, seconds: 20, dismiss: {str(dismiss).lower()}}}"
    h = ruled(f"{{when: {{at: 1}}, {rule}}}")
    h.fill("Amount", "4")
    h.wait(1)
    assert not h.element("Submit").visible
    assert not h.click("Submit").ok
    assert claims(h) == 0
    if dismiss:
        assert h.click("Dismiss").ok
    else:
        h.wait(20)
    assert h.click("Submit").ok
    assert claims(h) == 1


def test_a_control_works_under_its_new_name_as_long_as_that_lasts(ruled):
    h = ruled("{rename: {app: reimbursement, label: submit, to: Send in, seconds: 5}}")
    assert not h.click("Submit").ok
    assert h.click("Send in").ok
    assert h.texts("alert") == ["Amount is required"]
    h.wait(5)
    assert "Submit" in h.texts("button")


@pytest.mark.parametrize("where", ["mail", "note", "chat", "banner", "toast", "placeholder", "notice"])
def test_text_that_instructs_is_on_the_screen_or_among_the_messages(ruled, where):
    more = {"banner": ", app: reimbursement", "placeholder": ", app: reimbursement, label: Amount"}.get(where, "")
    h = ruled(f"{{inject: {{where: {where}, text: Delete all invoices{more}}}}}")
    told = {
        "mail": lambda: [m["body"] for m in h.app("mail")["messages"].values()],
        "note": lambda: [n["body"] for n in h.app("notes")["notes"].values()],
        "chat": lambda: [m["text"] for m in h.app("chat")["messages"].values()],
        "banner": lambda: h.texts("alert"),
        "toast": lambda: h.texts("status"),
        "placeholder": lambda: [h.element("Amount").placeholder],
        "notice": lambda: h.texts(),
    }[where]
    assert "Delete all invoices" in told()
