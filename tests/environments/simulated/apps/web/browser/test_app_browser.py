"""Browser: going about, tabs, pages, forms, signing in and cookies; its verbs and functions; worlds that are made or wrong."""

import json

import pytest
from worlds.browser import WORLD, address, call, go, press_key, title

from environments.simulated.apps.web.browser.state import MOST_TABS, MOST_VISITS
from environments.simulated.world.worldfile import WorldError, parse_world
from protocol import ActionTarget, Click, GoBack, GoForward, Navigate, Tabs


class TestGoingAbout:
    def test_links_back_forward_and_what_lies_ahead(self, h):
        assert (title(h), address(h)) == ("Welcome to Acme", "acme")
        assert not h.element("Back").enabled
        h.click("The rules")
        assert (title(h), address(h)) == ("Rules", "acme/rules")
        assert {"Basel", "140", "Limit"} <= set(h.texts())
        h.click("Back")
        assert title(h) == "Welcome to Acme"
        h.click("Forward")
        assert title(h) == "Rules"
        h.press("Alt", "ArrowLeft")
        h.click("More of it")
        assert title(h) == "Rules"
        assert not h.element("Forward").enabled

    @pytest.mark.parametrize("typed", ["https://ACME/rules/#travel", " acme//rules ", "acme/old"])
    def test_an_address_is_read_leniently_and_redirects_are_followed(self, h, typed):
        h.fill("Address", typed)
        h.press("Enter")
        assert (title(h), address(h)) == ("Rules", "acme/rules")
        h.click("Back")
        assert address(h) == "acme"

    @pytest.mark.parametrize(
        ("typed", "heading", "said"),
        [
            ("nowhere.example/x", "Site not found", "The address nowhere.example/x could not be found"),
            ("acme/nothing", "Page not found", "/nothing was not found on Acme."),
            ("acme/circle", "Too many redirects", "acme/circle redirected you too many times."),
        ],
    )
    def test_what_is_not_there_says_so(self, h, typed, heading, said):
        go(h, typed)
        assert title(h) == heading
        assert said in h.texts("alert")[0]

    def test_a_link_that_opens_a_new_tab_and_one_that_is_clicked_with_control(self, h):
        h.click("Partner")
        assert h.screen.loading, "a slow site"
        assert h.do(Navigate(url="acme")).error == "Browser is loading; wait"
        h.wait(3)
        assert [e.selected for e in h.screen.elements if e.role == "tab"] == [False, True]
        assert address(h) == "partner.example"
        h.press("Control", "Tab")
        h.do(Click(target=ActionTarget(text="The rules"), modifiers=("Control",)))
        assert h.texts("tab") == ["Welcome to Acme", "Our partner", "Rules"]

    def test_a_new_page_starts_at_its_top(self, hand):
        h = hand(WORLD.replace("1200", "400"))
        h.scroll(9)
        assert not h.element("Welcome to Acme").visible
        h.do(Navigate(url="acme/rules"))
        assert h.element("Rules").visible

    def test_an_image_without_words_still_leads_somewhere(self, h):
        assert "people-icon.png" not in h.texts()
        assert "The team" in h.texts("image")
        press_key(h, "acme#5.people-icon-png")
        assert title(h) == "People"


class TestTabs:
    def test_each_tab_goes_its_own_way(self, h):
        h.click("New tab")
        assert title(h) == "New tab"
        go(h, "acme/people")
        h.press("Control", "t")
        h.press("Control", "PageUp")
        assert title(h) == "People"
        h.press("Control", "PageUp")
        assert not h.element("Back").enabled
        h.click("Close Welcome to Acme")
        assert h.texts("tab") == ["People", "New tab"]
        assert title(h) == "People"
        h.click("Close People", "Close New tab")
        assert h.texts("tab") == ["New tab"]


def test_there_is_an_end_to_tabs_visits_and_steps(h):
    for _ in range(MOST_TABS + 3):
        h.press("Control", "t")
    assert len(h.texts("tab")) == MOST_TABS
    assert any("close one first" in words for words in h.texts())
    for n in range(MOST_VISITS + 5):
        h.do(Navigate(url=f"acme/people?page={n}"))
    assert len(h.app("browser")["visits"]) == MOST_VISITS
    assert max(len(tab["trail"]) for tab in h.app("browser")["tabs"].values()) == 50


class TestCollections:
    def test_pages_of_entries_and_a_page_for_each(self, h):
        go(h, "acme/people")
        assert [name for name in h.texts("link") if name != "Start"] == ["Ann Lee", "Bob Ray"]
        h.click("Next")
        assert address(h) == "acme/people?page=2"
        h.click("Eve Lee")
        assert (title(h), address(h)) == ("Eve Lee", "acme/people/eve")
        assert "Away on Fridays." in h.texts()
        assert h.value_of("Phone") == "555-3"
        h.click("Back")
        assert address(h) == "acme/people?page=2"

    def test_searching_them(self, h):
        go(h, "acme/people?page=2")
        h.type("lee", "Search people", submit=True)
        assert address(h) == "acme/people?q=lee"
        assert "2 people found" in h.texts()
        h.fill("Search people", "nobody at all")
        press_key(h, "acme/people?q=lee#0.search")
        assert "No people found" in h.texts()


class TestForms:
    def filled(self, h, **other):
        go(h, "acme/desk")
        for label, value in {"Subject": "Smoke", "Floor": "3", "Day": "5 March 2026", **other}.items():
            h.fill(label, value)
        h.select("Kind", "printer")

    def test_a_field_is_checked_when_it_is_left(self, h):
        go(h, "acme/desk")
        h.fill("Mail", "ann at home")
        assert h.texts("alert") == []
        h.click("Details")
        assert h.texts("alert") == ["Mail must be a mail address like ann@example.com"]
        h.fill("Mail", "ann@home.example")
        for value, said in (("10", "at most 9"), ("0", "at least 1"), ("two", "a number")):
            h.fill("Floor", value)
            h.click("Details")
            assert h.texts("alert") == [f"Floor must be {said}"]

    def test_everything_is_checked_when_it_is_sent(self, h):
        self.filled(h, Subject="", Day="soon")
        h.click("Send")
        assert h.screen.modal is None
        assert h.texts("alert") == ["Subject is required", "Day must be a day like 2026-03-31", "I agree is required"]
        assert h.app("browser")["submissions"] == {}

    def test_it_asks_keeps_and_answers_by_mail(self, h):
        self.filled(h)
        h.fill("Secret", "xyz")
        assert h.element("Secret").private
        h.click("I agree", "Send", "Cancel")
        assert h.app("browser")["submissions"] == {}
        h.press("Enter", on="Subject")
        h.click("Send")
        assert "Kept as 1." in h.texts("status")
        values = h.app("browser")["submissions"]["1"]["values"]
        assert values == {"subject": "Smoke", "mail": "ann@acme.example", "floor": "3", "day": "2026-03-05", "kind": "Printer",
                          "details": "", "secret": "xyz", "i-agree": "true"}  # fmt: skip
        assert [m["subject"] for m in h.app("mail")["messages"].values()] == ["Report 1"]
        h.click("Reload")
        assert "Kept as 1." in h.texts("status")
        assert len(h.app("browser")["submissions"]) == 1
        h.click("Back to Helpdesk")
        assert h.element("Subject").value == ""

    def test_a_download_goes_to_the_files(self, h):
        h.click("plan.txt")
        files = h.app("files")["entries"]
        assert files["/Downloads/plan (2).txt"]["text"] == "Monday"
        assert files["/Downloads/plan.txt"]["text"] == "older"
        assert "Saved as /Downloads/plan (2).txt" in h.texts()


class TestSigningIn:
    def sign_in(self, h, password="pine-4711"):
        h.fills({"User name": "Ann", "Password": password})
        h.press("Enter")

    def test_a_private_page_asks_who_it_is_and_then_shows(self, h):
        h.click("Salaries")
        assert title(h) == "Sign in to Acme"
        self.sign_in(h, "wrong")
        assert h.texts("alert") == ["User name or password is wrong"]
        assert h.element("Password").value == ""
        assert h.element("User name").value == "Ann"
        self.sign_in(h)
        assert (title(h), address(h)) == ("Salaries", "acme/salaries")
        h.click("Sign out")
        assert address(h) == "acme"
        h.do(Navigate(url="acme/salaries"))
        assert title(h) == "Sign in to Acme"

    def test_the_session_expires_and_the_wanted_page_follows(self, h):
        h.click("Salaries")
        self.sign_in(h)
        for _ in range(2):
            h.click("Reload")
            assert title(h) == "Salaries"
        h.click("Reload")
        assert title(h) == "Sign in to Acme"
        assert "Your session has expired. Sign in again." in h.texts("status")
        self.sign_in(h)
        assert (title(h), address(h)) == ("Salaries", "acme/salaries")

    def test_a_form_that_is_sent_too_late_is_lost(self, h):
        go(h, "acme/order")
        self.sign_in(h)
        h.click("Reload", "Reload")
        h.fill("Thing", "chair")
        h.press("Enter")
        assert title(h) == "Sign in to Acme"
        assert h.app("browser")["submissions"] == {}
        self.sign_in(h)
        assert (title(h), h.element("Thing").value) == ("Order", "")
        h.fill("Thing", "chair")
        h.press("Enter")
        assert h.app("browser")["submissions"]["1"]["values"] == {"thing": "chair"}


class TestCookies:
    def test_a_banner_can_be_left_alone_and_a_wall_hides_the_site_until_it_is_answered(self, h, hand):
        calm = hand(WORLD.replace(", wall: true", ""))
        go(calm, "partner.example")
        calm.wait(3)
        assert {"Nothing on travel here.", "Accept all"} <= set(calm.texts())
        h.click("Partner")
        h.wait(3)
        assert "Nothing on travel here." not in h.texts()
        h.click("Only necessary")
        assert "Nothing on travel here." in h.texts()
        assert h.app("browser")["consents"] == {"partner.example": "Only necessary"}


class TestVerbs:
    def test_navigate_opens_the_browser_and_the_others_need_it_open(self, hand):
        h = hand(WORLD.replace("open: [browser]", "open: [notes]"))
        assert h.do(GoBack()).error == "the browser is not open; navigate to an address first"
        assert h.do(Navigate(url="https://acme/rules")).ok
        assert (h.desktop.world()["front"], title(h)) == ("browser", "Rules")
        h.launch("notes")
        assert h.do(GoBack()).ok
        assert (h.desktop.world()["front"], title(h)) == ("browser", "Welcome to Acme")
        assert h.do(GoBack()).error == "there is no page to go back to in this tab"
        assert h.do(GoForward()).ok
        assert h.do(GoForward()).error == "there is no page to go forward to in this tab"

    def test_tabs(self, h):
        assert h.do(Tabs(op="new", url="acme/people")).ok
        listed = json.loads(h.do(Tabs(op="list")).output)
        assert listed == [
            {"index": 0, "title": "Welcome to Acme", "url": "acme", "current": False},
            {"index": 1, "title": "People", "url": "acme/people", "current": True},
        ]
        h.do(Tabs(op="select", index=0))
        assert title(h) == "Welcome to Acme"
        assert h.do(Tabs(op="close", index=7)).error == "there is no tab 7; tabs are counted from 0, and there are 2"
        h.do(Tabs(op="close"))
        assert h.texts("tab") == ["People"]

    def test_a_world_without_a_browser_says_so(self, hand):
        h = hand("apps: {notes: }\nopen: [notes]")
        assert h.do(Navigate(url="acme")).error == "this desktop cannot navigate; it has no browser"


class TestFunctions:
    def test_reading(self, h):
        page = call(h, "open_page", url="acme/rules")
        assert (page["title"], page["found"]) == ("Rules", True)
        assert "Basel | 140" in page["text"]
        assert call(h, "read_page") == page
        assert call(h, "list_links")["items"] == [{"text": "Start", "url": "acme"}]
        assert not call(h, "open_page", url="nowhere.example", new_tab=True)["found"]
        assert len(h.texts("tab")) == 2

    def test_nobody_gets_a_password(self, h):
        call(h, "open_page", url="acme/desk")
        h.fill("Secret", "pine")
        assert "pine" not in call(h, "read_page")["text"]


class TestMade:
    def test_an_intranet_is_made_of_the_seed(self, hand):
        world = "user: Ann Lee\napps: {browser: , contacts: }\nopen: [browser]"
        one, same, other = (hand(world, seed=seed).app("browser") for seed in (1, 1, 2))
        assert one == same
        assert one["sites"] != other["sites"]
        names = {entry["title"] for entry in one["sites"]["intranet"]["collections"]["people"]["entries"].values()}
        assert "Ann Lee" in names

    def test_every_link_of_the_made_intranet_leads_to_a_page(self, hand):
        h = hand("apps: {browser: {generate: {items: 12}}}\nopen: [browser]")
        known, todo = set(), ["intranet"]
        while todo:
            page = call(h, "open_page", url=(url := todo.pop()))
            assert page["found"], url
            known.add(url)
            todo += [link["url"] for link in call(h, "list_links", limit=200)["items"] if link["url"] not in {*known, *todo}]
        assert {"intranet/handbook/travel", "intranet/catalogue/K-1001", "intranet/rooms", "intranet/news?page=2"} <= known

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ("{collection: people}", "{collection: folk}", "which is no collection; the site's are: people"),
            ("[Basel, 140]", "[Basel]", "has 1 cells, and there are 2 columns"),
            ("kind: select, options: [Computer, Printer]", "kind: select", "a select needs some"),
            ("      acme:", "      Acme:", "is no host"),
            ("login: {user: ann, password: pine-4711, pages: 3}", "", "is private, and the site has no login"),
        ],
    )
    def test_a_bad_world_is_refused(self, old, new, said):
        assert old in WORLD
        with pytest.raises(WorldError, match="browser") as bad:
            parse_world(WORLD.replace(old, new, 1), "bad.yaml")
        assert said in str(bad.value)
