"""Mail: reading, searching, writing, answering, deleting."""

from pathlib import Path

WORLD = Path(__file__).with_name("mail.yaml").read_text(encoding="utf-8")


def test_reading_a_message_marks_it_read(h):
    assert h.texts("link")[5:] == ["Re: Lunch", "Budget"]
    assert "Unread" in h.texts("cell")
    h.click("Budget")
    assert h.value_of("From") == "ann@x.org"
    assert "Total: $12.00" in h.texts("text")
    h.click("Back to list")
    assert "Unread" not in h.texts("cell")


def test_a_message_is_written_and_sent(h):
    h.click("Compose", "Send")
    assert h.texts("alert") == ["To is required"]
    h.fills({"To": "ann", "Cc": "Bob <bob@x.org>, cy@x.org", "Subject": "Hi"})
    h.type("line one\nline two", "Message")
    h.click("Send")
    assert h.texts("alert") == ["ann is not a mail address"]
    h.fill("To", "ann@x.org")
    assert h.click("Send").ok
    sent = [m for m in h.app("mail")["messages"].values() if m["folder"] == "Sent"]
    assert [(m["to"], m["cc"], m["body"], m["sender"]) for m in sent] == [
        ("ann@x.org", "Bob <bob@x.org>, cy@x.org", "line one\nline two", "me@x.org")
    ]


def test_a_reply_starts_with_recipient_and_subject(h):
    h.click("Budget", "Reply")
    assert (h.element("To").value, h.element("Subject").value) == ("ann@x.org", "Re: Budget")
    h.click("Discard")
    assert h.screen.modal is not None
    h.press("Escape")
    assert h.texts("heading") == ["Write a message"]
    h.click("Discard", "Discard message")
    assert h.texts("heading") == ["Budget"]


def test_deleting_moves_to_trash_and_from_there_for_good(h):
    h.click("Budget", "Delete")
    assert h.app("mail")["messages"]["1"]["folder"] == "Trash"
    h.click("Trash", "Budget", "Delete")
    assert "1" not in h.app("mail")["messages"]


def test_a_sent_draft_leaves_the_drafts(h):
    h.click("Drafts", "Half")
    h.type(" Cy", "Message")
    h.press("Control", "s")
    assert h.app("mail")["messages"]["3"]["body"] == "Dear Cy"
    h.click("Send")
    folders = [m["folder"] for m in h.app("mail")["messages"].values()]
    assert sorted(folders) == ["Inbox", "Inbox", "Sent"]


def test_a_message_is_kept_as_a_note_where_there_are_notes(hand):
    for notes, said in (("  notes: {notes: []}\n", "Saved to notes"), ("", "Notes is not installed")):
        h = hand(WORLD.replace("open:", f"{notes}open:"))
        h.type("budget", "Search mail", submit=True)
        assert h.texts("link")[5:] == ["Budget"]
        h.click("Budget", "Save to notes")
        assert h.texts("status") == [said]
        assert not notes or h.app("notes")["notes"]["1"]["title"] == "Budget"
