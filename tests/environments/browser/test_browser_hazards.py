"""The hazards of real browsers, one page each: what was measured to go wrong goes right."""

import socket

import pytest
from services.flaky import flaky

from environments.browser import BrowserEnvironment
from environments.contract import EnvironmentFault
from protocol import ActionTarget, Click, ExecStatus, SelectOption
from protocol.retries import Retries


def test_a_click_that_an_animation_swallows_is_made_once_more_and_saves_once(surf):
    surf.open("animation.html")
    surf.click("Open quietly")
    assert "pressed once more" in surf.click("Save").output
    assert "saved 1" in surf.texts()


def test_a_click_that_is_swallowed_while_something_else_changes_is_told_and_not_repeated(surf):
    surf.open("animation.html")
    surf.click("Open")
    assert "may not have reached" in surf.click("Save").output
    assert "saved 1" not in surf.texts()
    surf.click("Save")
    assert "saved 1" in surf.texts()


@pytest.mark.parametrize(
    ("page", "presses", "shown"),
    [
        ("moving.html", ["Catch me"], "caught"),
        ("menu.html", ["More", "Archive"], "archived"),
        ("slow.html", ["Load"], "loaded at last"),
        ("crash.html", ["Tick"], None),
    ],
    ids=["it moves", "it comes late", "its answer is slow", "its page never stands still"],
)
def test_what_takes_its_time_is_waited_for_and_not_without_end(surf, page, presses, shown):
    surf.open(page)
    for name in presses:
        assert surf.click(name).ok
    assert shown is None or shown in surf.texts()


def test_an_icon_that_is_swapped_on_hover_is_looked_at_anew_and_gets_both_halves_of_the_press(surf):
    surf.open("hover.html")
    assert "runs another script; look again" in surf.click("Star").error
    assert surf.click("Star").ok
    assert "starred" in surf.texts()


def test_controls_that_are_no_controls_are_found_by_cursor_and_named_by_what_there_is(surf):
    surf.open("login.html")
    assert surf.one("Go").role == "button"
    assert (surf.one("trash can").role, surf.one("trash can").name_source) == ("button", "class")
    assert (surf.one("reply arrow").role, surf.one("reply arrow").name_source) == ("button", "image")
    assert (surf.one("like").role, surf.one("retweet").role) == ("button", "img")  # the one listens, the other only shows
    surf.click("like")
    assert "liked" in surf.texts()
    surf.click("trash can")
    assert "trashed" in surf.texts()


def test_a_list_that_a_page_draws_late_is_chosen_from(surf):
    surf.open("menu.html")
    no = surf.do(SelectOption(target=ActionTarget(text="Choose"), options=("Huge",)))
    assert "Small, Large" in no.error
    surf.open("menu.html")
    assert surf.do(SelectOption(target=ActionTarget(text="Choose"), options=("Large",))).ok
    assert surf.one("Large").role == "combobox"


def test_a_half_covered_button_is_pressed_where_it_is_free_and_what_cannot_be_reached_is_refused_with_the_reason(surf):
    state = surf.open("covered.html")
    names = {e.name: e.visible for e in state.elements}
    assert names["Half covered"]
    assert not names["Wholly covered"]
    assert not names["Far below"]
    assert 'covered by "Cookie notice"' in surf.click("Wholly covered").error
    assert "scroll down" in surf.click("Far below").error
    result = surf.click("Half covered")
    assert result.ok, result.error
    assert result.resolved.point.x not in range(80, 160)
    assert "half pressed" in surf.texts()


def test_an_error_after_a_save_is_not_pressed_again(surf, site):
    site.saved.clear()
    surf.open("save.html")
    surf.fill("Amount", "12")
    assert surf.click("Save").ok
    assert "Error: could not save" in surf.texts()
    assert site.saved == ["12"]


def test_a_page_that_hangs_is_said_and_left(surf, monkeypatch):
    surf.open("crash.html")
    monkeypatch.setattr("environments.browser.environment.PATIENCE", 2)
    monkeypatch.setattr("environments.browser.environment._LOOK", 1)
    hung = surf.click("Hang")
    assert (hung.exec_status, hung.ok) == (ExecStatus.TIMEOUT, False)
    assert "does not answer" in surf.see().elements[0].name
    monkeypatch.undo()
    assert "Username" in [e.name for e in surf.open("login.html").elements]
    assert len(surf.see().windows) == 1


def test_what_a_page_says_stays_text(surf):
    state = surf.open("hostile.html")
    assert state.modal is None
    assert any("alert(2)" in e.name for e in state.elements)
    assert all(len(e.name) <= (4000 if e.role == "text" else 300) for e in state.elements)
    state.model_dump_json()
    assert surf.do(Click(target=ActionTarget(text='"]; alert(1); //'))).error
    button = next(e for e in state.elements if e.name.startswith("half"))
    assert surf.do(Click(target=ActionTarget(track_id=button.track_id))).ok
    assert "pressed" in surf.see().windows[0].title


def test_what_takes_its_place_under_the_pointer_is_pressed_only_if_it_is_called_and_leads_so(surf, site):
    surf.open("lookalike.html")
    site.saved.clear()
    assert "it leads to post" in surf.click("Send").error
    assert 'it is called "delete everything"' in surf.click("Show").error.casefold()
    assert site.saved == []


def test_where_a_press_leads_has_the_words_of_its_query_and_the_value_of_its_button_and_no_token(surf):
    surf.open("leads.html")
    deletes = f"open {surf.site.url('account/delete')}?confirm=1&session=&next=home"
    assert surf.one("Next").leads == deletes
    assert surf.one("Continue").leads == f"post {surf.site.url('step')}?id= by op=transfer funds"
    assert surf.one("Back to top").leads == f"open {surf.site.url('leads.html')}"
    assert surf.one("Nowhere").leads is None


def test_a_form_whose_fields_are_called_like_its_own_properties_hides_nothing(surf):
    surf.open("booking.html")
    assert surf.one("Children").value == "2"
    assert surf.one("Book").leads == f"get {surf.site.url('book')}"
    assert surf.one("Sly").leads == f"post {surf.site.url('sly')}"
    assert surf.one("Outside").role == "button"


def test_a_control_that_shows_other_words_than_its_name_has_both(surf):
    surf.open("otherwords.html")
    shown = {e.name: e.shown for e in surf.see().elements if e.role in ("button", "link", "checkbox")}
    assert shown == {
        "Cancel": "Pay 500 EUR", "Details": "Order now Details", "Close the note": None, "Add to cart: blue shirt": None,
        "Favourite": None, "Post": None, "Plain": None,
    }  # fmt: skip


def test_a_start_page_that_is_not_there_yet_is_asked_for_again():
    with flaky((503, {"Retry-After": "1"})) as (url, asked):
        browser = BrowserEnvironment(url, retries=Retries(wait=0.1))
        try:
            assert "Go on" in [e.name for e in browser.reset().elements]
            assert asked.count("/") == 2
        finally:
            browser.close()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    browser = BrowserEnvironment(f"http://127.0.0.1:{port}/", retries=Retries(tries=2, wait=0.1))
    with pytest.raises(EnvironmentFault, match="CONNECTION_REFUSED"):
        browser.reset()
    browser.close()
