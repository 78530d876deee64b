"""Rules of a world: popups, loading, swallowed clicks, renamed controls, other people's edits, failures, crashes, mail."""

import pytest

from environments.contract import EnvironmentFault
from protocol import ActionTarget, Click


def test_a_popup_takes_all_input_until_it_is_answered(ruled):
    h = ruled(
        "{when: {after_actions: 2}, popup: {title: Our newsletter, text: 'Subscribe?',"
        " buttons: [Subscribe, No thanks], kind: newsletter}}"
    )
    h.wait(1)
    assert h.screen.modal is None
    h.wait(1)
    dialog = h.screen.by_id[h.screen.modal]
    assert (dialog.role, dialog.text, dialog.app) == ("dialog", "Our newsletter", None)
    children = [(e.role, e.text) for e in h.screen.children(dialog.element_id)]
    assert children == [("heading", "Our newsletter"), ("text", "Subscribe?"), ("button", "Subscribe"), ("button", "No thanks")]
    assert "newsletter" not in {e.role for e in h.screen.elements}
    assert h.element("Amount").visible
    assert h.fill("Amount", "1").error == 'a dialog "Our newsletter" is open; answer it first'
    assert not h.launch("notes").ok
    assert not h.scroll(1).ok
    assert h.click("No thanks").ok
    assert h.screen.modal is None
    assert h.desktop.world()["answered"] == [{"title": "Our newsletter", "kind": "newsletter", "button": "No thanks"}]


def test_escape_closes_a_harmless_popup_and_no_other(ruled):
    hello, pay = "{popup: {title: Hello}}", "popup: {title: Pay now, buttons: [Pay, Later], kind: payment"
    h = ruled(hello, hello, f"{{when: {{at: 1}}, {pay}}}}}")
    tracks = [e.track_id for e in h.screen.elements]
    assert len(set(tracks)) == len(tracks), "they lie on one another"
    assert h.press("Escape").ok
    assert h.press("Enter").ok
    assert h.press("Escape").error == 'Escape does not close "Pay now"; choose one of: Pay, Later'
    assert not h.press("Enter").ok
    h.keys("Tab", "Tab", "Enter")
    assert [a["button"] for a in h.desktop.world()["answered"]] == ["OK", "OK", "Later"]
    h = ruled(f"{{{pay}, default: Pay}}}}")
    assert h.press("Enter").ok, "unless the world gives it a default"
    assert [a["button"] for a in h.desktop.world()["answered"]] == ["Pay"]


def test_an_app_loads_until_the_clock_passes(ruled):
    h = ruled("{when: {app_opened: notes}, loading: {app: notes, seconds: 3}}")
    h.launch("notes")
    assert h.screen.loading
    assert h.texts() == ["Loading…"]
    assert h.click("Plan").error == "Notes is loading; wait"
    h.wait(3)
    assert h.click("Plan").ok


def test_a_swallowed_click_is_executed_without_effect_and_keys_still_work(ruled):
    h = ruled("{swallow: {app: reimbursement, label: my claims, times: 2}}")
    before = h.texts()
    assert h.click("My claims").ok
    assert h.texts() == before
    assert h.press("Enter").ok
    assert h.texts("heading") == ["Expense claims"]
    h.click("New claim", "My claims")
    assert h.texts("heading") == ["Expense claim"]
    h.click("My claims")
    assert h.texts("heading") == ["Expense claims"]


def test_a_crash_performs_nothing_and_passes(ruled, tmp_path):
    crash = "{when: {after_actions: 1}, crash: {message: session lost, times: 2}}"
    h = ruled(crash, store=tmp_path)
    h.fill("Amount", "4")
    submit = Click(target=ActionTarget(text="Submit"))
    with pytest.raises(EnvironmentFault, match="session lost"):
        h.desktop.perform(submit, key="s")
    again = ruled(crash, store=tmp_path)
    with pytest.raises(EnvironmentFault, match="session lost"):
        again.desktop.perform(submit, key="s")
    assert again.app("reimbursement")["claims"] == {}
    assert again.desktop.perform(submit, key="s").ok
    assert len(again.desktop.received()) == 2


def test_a_click_triggers_once_or_each_time(ruled):
    h = ruled(
        "{when: {clicked: my claims, once: false}, popup: {title: Again}}",
        "{when: {clicked: New claim, app: notes}, popup: {title: Never}}",
        "{when: {after_actions: 4, once: false}, mail: {from: a@x.org, subject: Four}}",
    )
    for _ in range(2):
        h.click("My claims")
        assert h.texts("dialog") == ["Again"]
        h.press("Enter")
        h.click("New claim")
        assert h.screen.modal is None
    assert len(h.app("mail")["messages"]) == 1


@pytest.mark.parametrize("gone", [False, True])
def test_somebody_else_edits_what_is_still_there(ruled, gone):
    h = ruled("{when: {at: 6}, edit: {app: notes, path: notes.1.body, value: theirs}}")
    if gone:
        h.launch("notes")
        h.click("Plan", "Delete", "Delete note")
    assert h.wait(9).ok
    assert [note["body"] for note in h.app("notes")["notes"].values()] == ([] if gone else ["theirs"])


@pytest.mark.parametrize(
    ("fault", "by", "said", "claims"),
    [
        ("label: Submit, error: the server is busy, status: timeout", "click", ("timeout", "the server is busy"), 0),
        ("label: Submit, error: the server is busy, status: timeout", "enter", ("timeout", "the server is busy"), 0),
        ("label: Submit, after: true", "click", ("error", "the application did not respond"), 1),
    ],
)
def test_a_failing_control_reports_it_before_or_after_its_effect(ruled, fault, by, said, claims):
    h = ruled(f"{{fail: {{{fault}, times: 1}}}}")
    h.fill("Amount", "4")
    result = h.click("Submit") if by == "click" else h.press("Enter", on="Amount")
    assert (result.exec_status, result.error) == said
    assert len(h.app("reimbursement")["claims"]) == claims
    if not claims:
        assert h.click("Submit").ok
        assert len(h.app("reimbursement")["claims"]) == 1
