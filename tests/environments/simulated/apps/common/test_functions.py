"""Functions of the apps: typed arguments, the same refusals as the window's, the same effects, and the window left alone."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from environments.simulated.apps import APPS as ALL
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import CallApi

WORLD = Path(__file__).with_name("functions.yaml").read_text(encoding="utf-8")
APPS = ("billing", "reimbursement", "mail", "notes", "files", "settings")


def test_every_app_says_what_it_offers(h):
    offered = h.desktop.functions()
    assert {f.app for f in offered} >= set(APPS)
    assert all(f.arguments["type"] == "object" and f.summary for f in offered)
    assert all(f.writes == (not f.name.startswith(("get", "list", "find", "sum", "count", "read", "describe"))) for f in offered)


def test_billing_lists_and_gets(h):
    assert [i["number"] for i in h.call("billing.list_invoices", vendor="acme")["items"]] == ["INV-1"]
    assert h.call("billing.list_invoices", limit=1, offset=1)["items"][0]["number"] == "INV-2"
    assert h.call("billing.get_invoice", number="INV-2")["status"] == "paid"
    assert h.call("billing.get_invoice", number="INV-22") == "there is no invoice 'INV-22'; did you mean INV-2?"


@pytest.mark.parametrize(
    ("app", "function", "arguments", "words"),
    [
        ("billing", "list_invoices", {"status": "lost"}, "billing.list_invoices: status"),
        ("billing", "pay", {}, "Billing has no function 'pay'; its functions are: list_invoices"),
        ("reimbursement", "submit_claim", {"amount": "-5", "vendor": "A"}, "Amount must be an amount like 120.50"),
        ("reimbursement", "submit_claim", {"amount": "5", "vendor": "A", "date": "soon"}, "Date must be a day"),
        ("reimbursement", "submit_claim", {"amount": "5", "vendor": "A", "category": "Fun"}, "\"Category\" has no option 'Fun'"),
        ("reimbursement", "get_claim", {"number": "R-9"}, "there is no claim 'R-9'"),
        ("mail", "send_message", {"subject": "Hi"}, "To is required"),
        ("mail", "send_message", {"to": "nobody", "cc": "x@y.org"}, "nobody is not a mail address"),
        ("mail", "send_draft", {"id": "m1"}, "m1 is in Inbox, not in Drafts"),
        ("mail", "reply", {"id": "m2", "body": "x"}, "m2 is a draft"),
        ("mail", "get_message", {"id": "m9"}, "there is no message 'm9'"),
        ("notes", "create_note", {"title": "  "}, "Title is required"),
        ("notes", "get_note", {"note": "Pln"}, "did you mean Plan?"),
        ("files", "create_file", {"path": ""}, "The name is empty"),
        ("files", "create_file", {"path": "/b.txt"}, "b.txt already exists"),
        ("files", "create_file", {"path": "/none/c.txt"}, "there is no folder '/none'"),
        ("files", "write_file", {"path": "/Documents", "text": ""}, "/Documents is a folder, not a file"),
        ("files", "move", {"path": "/Documents", "folder": "/Documents"}, "cannot be moved into itself"),
        ("files", "delete", {"path": "/"}, "the root folder stays"),
        ("files", "rename", {"path": "/b.txt", "name": "x/y"}, "is no file name"),
        ("settings", "update_account", {"name": " "}, "Account name is required"),
        ("settings", "update_account", {}, "say what to change"),
        ("settings", "update_device", {}, "say what to change: volume"),
        ("mail", "move_message", {"id": "m2", "folder": "Archive"}, "m2 is a draft; send_draft sends it"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(h, app, function, arguments, words):
    before = [h.app(name) for name in APPS]
    assert words in h.call(f"{app}.{function}", **arguments)
    assert [h.app(name) for name in APPS] == before


def test_a_claim_is_submitted_as_by_the_form(h):
    h.fill("Vendor", "half written")
    claim = h.call("reimbursement.submit_claim", vendor="Acme", amount=12.5, category="travel", date="3 March 2026", receipt=True)
    assert claim["amount"] == "12.50"
    assert claim["category"] == "Travel"
    assert claim["date"] == "2026-03-03"
    state = h.app("reimbursement")
    assert list(state["claims"]) == ["R-0001"]
    assert state["draft"]["vendor"] == "half written"
    assert state["page"] == "form"
    assert h.call("mail.list_messages", query="Claim received")["count"] == 1  # the rule saw a submission
    assert "is loading" in h.do(CallApi(app="reimbursement", function="list_claims")).error
    h.wait(2)
    assert h.call("reimbursement.list_claims")["count"] == 1
    assert h.call("reimbursement.get_claim", number="R-0001") == claim
    h.call("reimbursement.save_draft", amount="5")
    assert h.app("reimbursement")["saved"]["amount"] == "5"


def test_mail_is_sent_answered_read_and_deleted_beside_what_is_being_written(h):
    h.launch("mail")
    h.click("Compose")
    h.fill("Subject", "mine")
    sent = h.call("mail.send_message", to="eve@x.org", subject="Hi", body="a\nb")
    assert sent["folder"] == "Sent"
    assert h.app("mail")["messages"][sent["id"]]["body"] == "a\nb"
    answer = h.call("mail.reply", id="m1", body="ok")
    assert (answer["to"], answer["subject"]) == ("bob@x.org", "Re: Plan")
    assert h.call("mail.get_message", id="m1")["unread"] is True
    assert h.call("mail.mark_read", id="m1")["unread"] is False
    assert h.call("mail.delete_message", id="m1")["folder"] == "Trash"
    assert h.call("mail.delete_message", id="m1")["folder"] is None
    assert h.call("mail.send_draft", id="m2")["folder"] == "Sent"
    assert "m2" not in h.app("mail")["messages"]
    assert h.call("mail.count_folders")["Sent"]["messages"] == 3
    h.call("mail.save_draft", subject="Other")
    assert h.element("Subject").value == "mine"


def test_notes_are_made_changed_and_deleted(h):
    assert h.call("notes.create_note", title="New\nline", body="b") == {"id": "3", "title": "New line", "body": "b"}
    assert h.call("notes.update_note", note="plan", append="more")["body"] == "one\nmore"
    assert h.call("notes.update_note", note="2", title="Listing")["title"] == "Listing"
    h.call("notes.delete_note", note="3")
    assert [n["title"] for n in h.call("notes.list_notes")["items"]] == ["Plan", "Listing"]
    assert h.app("notes")["open"] is None


def test_a_note_with_unsaved_changes_is_left_to_its_window(h):
    h.launch("notes")
    h.click("Plan")
    h.call("notes.update_note", note="Plan", body="fresh")
    assert h.element("Body").value == "fresh"
    h.fill("Body", "half")
    assert "is open with changes that are not saved" in h.call("notes.update_note", note="Plan", body="x")


def test_files_are_made_moved_and_deleted(h):
    h.call("files.create_folder", path="/New")
    h.call("files.create_file", path="/New/c.txt", text="gamma")
    h.call("files.write_file", path="/New/c.txt", text="delta")
    h.call("files.rename", path="/New/c.txt", name="d.txt")
    assert h.call("files.move", path="/New/d.txt", folder="/Documents")["path"] == "/Documents/d.txt"
    assert h.call("files.read_file", path="Documents/d.txt")["text"] == "delta", "with a slash before it or without"
    assert [f["path"] for f in h.call("files.find_files", query="delta")["items"]] == ["/Documents/d.txt"]
    h.launch("files")
    h.click("/Documents")
    h.call("files.delete", path="/Documents")
    assert h.app("files")["cwd"] == "/"
    assert h.call("files.list_folder")["count"] == 2


def test_settings_are_saved_and_the_phone_is_kept_private(h):
    h.launch("settings")
    h.fill("Email address", "half@x.org")
    account = h.call("settings.update_account", name="Ann", notifications=False)
    assert (account["name"], account["notifications"], account["email"]) == ("Ann", False, "ada@x.org")
    assert h.app("settings")["form"]["email"] == "half@x.org"
    assert "phone" not in h.call("settings.get_account")
    h.call("settings.update_device", volume=35)
    assert h.app("settings")["device"]["volume"] == 35


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6), lambda x: st.lists(x, max_size=3), max_leaves=4
)
GOOD = st.sampled_from(
    ["m1", "m2", "1", "Plan", "/b.txt", "/Documents", "2026-03-31", "A1", "Summary!B1", "D2:D6", "=A1", {"A1": "5"}, ["1", "=A1"]]
)


@given(st.data())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_arguments_give_a_result_or_a_reason(data):
    others = "".join(f"  {app}:\n" for app in ALL if app not in APPS)
    desktop = SimulatedDesktop(parse_world(WORLD.replace("open:", f"{others}open:"), "test.yaml"))
    for n in range(6):
        function = data.draw(st.sampled_from(desktop.functions()))
        names = st.sampled_from(["none", *function.arguments.get("properties", {})])
        arguments = data.draw(st.dictionaries(names, JSONS | GOOD))
        action = CallApi(app=function.app, function=function.name, arguments=arguments)
        before = desktop.hashes()[function.app]
        result = desktop.perform(action, key=str(n))
        assert result.exec_status in ("executed", "error")
        by_clock = function.app in ("home", "camera", "microphone")
        if (not function.writes or result.exec_status == "error") and not by_clock:
            assert desktop.hashes()[function.app] == before
        desktop.observe()
    desktop.close()
