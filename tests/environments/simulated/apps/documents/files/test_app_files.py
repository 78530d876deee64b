"""Files: walking the tree, editing, and rearranging it."""

WORLD = "apps: {files: {files: {/Docs/plan.txt: one, /top.txt: two}, folders: [/Empty/Deep]}}\nopen: [files]"


def paths(h):
    return sorted(h.app("files")["entries"])


def test_one_click_selects_and_two_open(h):
    assert h.click("Delete").error == "Delete is disabled"
    h.click("Docs")
    assert h.screen.by_id[h.element("Docs").parent].selected
    h.click("Docs", count=2)
    assert h.texts("heading") == ["Folder /Docs"]
    h.click("plan.txt", "Open")
    assert h.element("Content").value == "one"
    h.fill("Content", "new")
    h.click("Close file", "Save changes")
    assert h.app("files")["entries"]["/Docs/plan.txt"]["text"] == "new"
    h.click("/Empty/Deep")
    assert "This folder is empty" in h.texts()
    h.click("Up")
    assert h.texts("heading") == ["Folder /Empty"]


def test_folders_and_files_are_made_by_a_prompt(h):
    h.click("New folder")
    assert h.element("Folder name").focused
    h.type("Docs")
    h.press("Enter")
    assert "Docs already exists" in h.texts("status")
    h.click("New folder")
    h.type("Mine", submit=True)
    h.click("Mine", count=2)
    h.click("New file")
    h.type("a.txt", submit=True)
    h.type("hello", "Content")
    h.press("Control", "s")
    assert h.app("files")["entries"]["/Mine/a.txt"]["text"] == "hello"


def test_a_file_is_dragged_onto_a_folder(h):
    assert h.drag("top.txt", "Docs").ok
    assert "/Docs/top.txt" in paths(h)
    assert h.drag("Docs", "/Empty/Deep").ok
    assert "/Empty/Deep/Docs/plan.txt" in paths(h)
    h.drag("Empty", "/Empty/Deep")
    assert "A folder cannot be moved into itself" in h.texts("status")
    assert not h.drag("New file", "Empty").ok
    assert not h.drag("Empty", "New file").ok


def test_renaming_moving_and_deleting_by_dialog(h):
    h.click("Docs", "Rename")
    h.type("Papers", submit=True)
    assert "/Papers/plan.txt" in paths(h)
    h.click("Move to…")
    h.select("Destination folder", "/Empty")
    h.click("Move")
    assert "/Empty/Papers/plan.txt" in paths(h)
    h.click("Empty", "Delete", "Cancel", "Delete", "Delete Empty")
    assert paths(h) == ["/", "/top.txt"]
