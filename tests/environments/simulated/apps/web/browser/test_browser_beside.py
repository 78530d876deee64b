"""Browser: the verbs, the app's functions, worlds that are made or wrong, and whatever else can be done to it."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from worlds.browser import WORLD, call, title

from environments.simulated.app import Answered, Arrived, Edited, Left, Pressed, Shortcut
from environments.simulated.apps.web.browser.app import Browser
from environments.simulated.apps.web.browser.state import MOST_TABS
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import WorldError, parse_world
from protocol import GoBack, GoForward, Navigate, Tabs


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


KEYS = ("back", "forward", "reload", "go", "new-tab", "tab-1", "tab-2", "close-1", "close-2")
ADDRESSES = st.sampled_from(["acme", "acme/desk", "acme/people", "acme/salaries", "acme/circle", "acme/logout", "partner.example",
                             "browser:new-tab", "no/where", "", "~", "?", "#",
                             "acme?page=99999999999"])  # fmt: skip
PICK = st.integers(0, 60)
EVENTS = st.one_of(
    st.builds(Pressed, st.sampled_from(KEYS)),
    st.tuples(st.just("press"), PICK),
    st.tuples(st.just("edit"), PICK, st.text(max_size=6) | ADDRESSES),
    st.tuples(st.just("leave"), PICK),
    st.builds(lambda url: Edited("address", url), ADDRESSES | st.text(max_size=9)),
    st.builds(lambda topic, url: Arrived(topic, {"url": url, "tab": "1"}),
              st.sampled_from(["navigate", "new-tab", "close-tab", "choose-tab", "back", "odd"]), ADDRESSES),
    st.builds(Shortcut, st.sampled_from(["Control+t", "Control+Tab", "Control+q"])),
    st.builds(lambda key, said: Answered(key, said, {}), st.sampled_from(["send:0:acme/desk", "send:x:", "", "send:-1:acme"]),
              st.sampled_from(["Send", "Cancel"])),
)  # fmt: skip


def pressable(widgets):
    for widget in widgets:
        if widget.interactive and widget.enabled:
            yield widget.key
        yield from pressable(widget.children)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(EVENTS, max_size=30))
def test_whatever_is_done_every_tab_shows_something_and_nothing_else_changes(events):
    app, state = Browser(), SimulatedDesktop(parse_world(WORLD)).snapshot().world.apps["browser"]
    for event in events:
        if isinstance(event, tuple):
            kind, pick, *rest = event
            keys = list(pressable(app.view(state)))
            key = keys[pick % len(keys)]
            event = {"press": Pressed, "leave": Left}[kind](key) if kind != "edit" else Edited(key, *rest)
        before = state.model_dump_json()
        after = app.update(state, event)
        assert app.update(state, event) == after
        assert state.model_dump_json() == before
        state = after.state
        assert state.current in state.tabs
        assert len(state.tabs) <= MOST_TABS
        assert all(0 <= tab.at < len(tab.trail) <= 50 and state.place_at(tab.address).title for tab in state.tabs.values())
        assert type(state).model_validate_json(state.model_dump_json()) == state
        keys = list(pressable(app.view(state)))
        assert len(keys) == len(set(keys))
