"""Notes: writing, finding, deleting, and leaving without saving."""

WORLD = "apps: {notes: {notes: [{title: Plan, body: one}, {title: List, body: two}]}}\nopen: [notes]"


def test_a_new_note_is_saved(h):
    h.click("New note", "Save")
    assert h.texts("alert") == ["Title is required"]
    h.fills({"Title": "Third", "Body": "text"})
    h.press("Control+s")
    assert h.app("notes")["notes"]["3"] == {"id": "3", "title": "Third", "body": "text"}
    assert h.texts("heading") == ["Edit note"]


def test_deleting_asks_first(h):
    h.click("Plan", "Delete")
    assert h.click("Save").error == 'a dialog "Delete this note?" is open; answer it first'
    assert h.press("Enter").error.startswith('"Delete this note?" has no default button')
    h.click("Cancel")
    assert "1" in h.app("notes")["notes"]
    h.click("Delete", "Delete note")
    assert list(h.app("notes")["notes"]) == ["2"]


def test_leaving_with_changes_asks_what_to_do(h):
    h.type("one", "Search notes", submit=True)
    assert h.texts("link") == ["Plan"]
    h.click("Plan")
    h.fill("Body", "changed")
    h.click("Back to notes", "Keep editing", "Back to notes", "Discard changes")
    assert h.app("notes")["notes"]["1"]["body"] == "one"
    h.click("Plan")
    h.fill("Body", "changed")
    h.click("Back to notes", "Save changes")
    assert h.app("notes")["notes"]["1"]["body"] == "changed"
    assert h.texts("heading") == ["All notes"]
