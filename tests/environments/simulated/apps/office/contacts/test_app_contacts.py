"""Contacts: finding, writing, grouping, merging; numbers that are private; the app's functions."""

from pathlib import Path

WORLD = Path(__file__).with_name("contacts.yaml").read_text(encoding="utf-8")


def people(h):
    return h.app("contacts")["contacts"]


class TestLooking:
    def test_the_list_is_by_name_and_neither_shows_a_private_number_nor_finds_it(self, h):
        assert h.texts("link") == ["Ann Lee", "ann lee", "Bo Ek", "Cy"]
        assert "Private" in h.texts("cell")
        assert "+1 555 0100" not in h.texts()
        h.type("oak", "Search contacts", submit=True)
        assert h.texts("link") == ["Ann Lee"]
        h.fill("Search contacts", "0100")
        h.click("Search")
        assert "No contacts found" in h.texts()
        h.fill("Search contacts", "")
        h.click("Search")
        assert h.element("Group").options == ("All contacts", "Friends", "Work")
        h.select("Group", "work")
        assert h.texts("link") == ["Ann Lee", "Bo Ek"]

    def test_a_page_of_somebody(self, h):
        h.click("oak ltd")
        assert h.texts("heading") == ["Ann Lee"]
        assert h.value_of("Email address") == "ann@x.org"
        assert h.element("+1 555 0100").private
        assert "Likes tea" in h.texts("text")
        h.click("Copy email address")
        assert h.desktop.world()["clipboard"] == "ann@x.org"
        h.click("Back to contacts", "Bo Ek")
        assert not h.element("+46 8 123").private
        h.click("Write mail")
        assert (h.screen.app, h.element("To").value) == ("mail", "bo@x.org")
        h.launch("contacts")
        h.click("Invite to a meeting")
        assert (h.screen.app, h.element("Attendees").value) == ("calendar", "Bo Ek")
        h.launch("contacts")
        h.click("Send message")
        assert (h.screen.app, h.texts("heading")) == ("chat", ["Bo Ek"])
        h.launch("contacts")
        h.click("Back to contacts", "Cy")
        assert h.click("Write mail").error == "Write mail is disabled"


class TestWriting:
    def test_a_new_contact(self, h):
        h.press("Control+n")
        h.click("Save")
        assert h.texts("alert") == ["Name is required"]
        h.fills({"Name": "Dora", "Email address": "dora", "Phone": "call me"})
        h.click("Company")
        assert h.texts("alert") == ["dora is not a mail address", "Phone must be a number like +1 555 0100"]
        h.fill("Email address", "bo@x.org")
        h.click("Note")
        assert "Bo Ek has this email address already" in h.texts("alert")
        h.fills({"Email address": "dora@x.org", "Phone": "555 123"})
        h.click("Private number")
        assert h.element("Phone").private
        h.fill("Groups", "Work, Chess,Work")
        h.press("Control", "s")
        assert h.texts("heading") == ["Dora"]
        made = people(h)["5"]
        assert (made["private"], made["groups"]) == (True, ["Work", "Chess"])

    def test_changing_joining_a_group_and_deleting(self, h):
        h.click("Cy", "Edit")
        h.type("Elm", "Company", submit=True)
        h.click("Add to group")
        h.type("Chess", submit=True)
        h.click("Add to group", "Cancel")
        assert (people(h)["4"]["company"], people(h)["4"]["groups"]) == ("Elm", ["Chess"])
        h.click("Delete")
        h.press("Escape")
        assert "4" in people(h)
        h.click("Delete", "Delete contact")
        assert "4" not in people(h)
        assert h.texts("heading") == ["Contacts"]

    def test_duplicates_become_one_and_nothing_is_lost(self, h):
        h.click("Find duplicates", "Merge Ann Lee", "Cancel")
        assert len(people(h)) == 4
        h.click("Merge Ann Lee", "Merge contacts")
        assert "No duplicates found" in h.texts()
        one = people(h)["2"]
        assert (one["email"], one["phone"], one["private"]) == ("ann@x.org", "+1 555 0100 / +1 555 0199", True)
        assert one["note"] == "Likes tea\nEmail address: lee@y.org"
        h.click("Back to contacts")
        assert h.texts("link") == ["Ann Lee", "Bo Ek", "Cy"]

        h.call("contacts.create_contact", name="cy", email="BO@x.org")
        h.click("Find duplicates")
        assert h.texts("cell") == ["Bo Ek", "3", "bo@x.org, BO@x.org"], "the same address makes one over three"


class TestFunctions:
    def test_reading_gives_no_private_number(self, h):
        assert [c["name"] for c in h.call("contacts.list_contacts", group="Work")["contacts"]] == ["Ann Lee", "Bo Ek"]
        assert {c["id"]: c["phone"] for c in h.call("contacts.list_contacts")["contacts"]}["2"] is None
        assert h.call("contacts.find_contacts", query="bo")["contacts"][0]["phone"] == "+46 8 123"

    def test_making_changing_and_deleting(self, h):
        name = h.call("contacts.create_contact", name="Dora", groups=["Chess"])["id"]
        assert h.call("contacts.update_contact", id=name, email="d@x.org")["groups"] == ["Chess"]
        assert h.call("contacts.delete_contact", id=name) == {"deleted": name}
        assert sorted(people(h)) == ["1", "2", "3", "4"]

    def test_bad_arguments_change_nothing(self, h):
        h.refuses(
            "contacts",
            ("create_contact", {"name": "D", "email": "nowhere"}, "nowhere is not a mail address"),
            ("update_contact", {"id": "1", "phone": "x"}, "Phone must be a number"),
            ("update_contact", {"id": "2", "private": False}, "made public in the window only"),
            ("delete_contact", {"id": "9"}, "no contact with the id '9'"),
            ("list_contacts", {"group": "Chess"}, "groups are: Friends, Work"),
        )
