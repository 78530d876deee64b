"""The browser's own functions. Values of private fields are never given."""

from __future__ import annotations

from pydantic import Field, JsonValue

from environments.simulated.app import Toast
from environments.simulated.apps.browser_address import joined, normal, parts
from environments.simulated.apps.browser_content import Form
from environments.simulated.apps.browser_forms import form_at, key_of, problem, sent, value_of
from environments.simulated.apps.browser_found import found, snippet
from environments.simulated.apps.browser_state import (
    MOST_TABS,
    BrowserState,
    Place,
    bookmark_of,
    bookmarked,
    changed,
    loaded,
    new_tab,
    place_at,
    without_bookmark,
)
from environments.simulated.apps.browser_view import body
from environments.simulated.apps.functions_base import Nothing, Page, chosen, part_of, unknown
from environments.simulated.skills import AnyFunction, Declined, Done, Function
from environments.simulated.values import Model
from environments.simulated.widgets import Widget


class Where(Model):
    """An address, in the current tab or in a new one."""

    url: str = Field(min_length=1, max_length=2000)
    new_tab: bool = False


class Sought(Page):
    query: str = Field(min_length=1)


class Filled(Model):
    """Values by the labels of the form's fields. `form` counts the forms of the page from 1."""

    values: dict[str, str]
    form: int = Field(default=1, ge=1)
    confirmed: bool = False
    """The answer to what the form asks before it is sent."""


class Kept(Model):
    """An address; the one of the current page where it is left out."""

    url: str = ""


def _page(state: BrowserState) -> dict[str, JsonValue]:
    """The page of the current tab as text."""
    place = place_at(state, state.tab.address)
    lines = [line for widget in body(state).widgets for line in _lines(widget)]
    return {
        "url": state.tab.address,
        "title": place.title,
        "found": place.kind not in ("missing", "loop"),
        "text": "\n".join(lines),
    }


def _lines(widget: Widget) -> list[str]:
    """What a reader sees, a row of a table on one line."""
    if widget.role == "row" or (widget.role == "group" and widget.across):
        return [" | ".join(line for child in widget.children for line in _lines(child))]
    own = [] if widget.text is None or widget.label == "none" else [widget.text]
    if widget.value is not None and own:
        own = [f"{own[0]}: {'' if widget.private else widget.value}"]
    return [*own, *(line for child in widget.children for line in _lines(child))]


def _open(state: BrowserState, given: Where) -> Done[BrowserState]:
    if given.new_tab and len(state.tabs) >= MOST_TABS:
        raise Declined(f"there are {MOST_TABS} tabs already; close one first")
    after = new_tab(state, given.url) if given.new_tab else loaded(state, given.url)
    return Done(after, _page(after))


def _read(state: BrowserState, given: Nothing) -> Done[BrowserState]:
    return Done(state, _page(state))


def _links(state: BrowserState, given: Page) -> Done[BrowserState]:
    links = [link for link in body(state).links.values() if link.download is None]
    here = state.tab.address
    return Done(state, part_of(links, given, lambda link: {"text": link.text, "url": joined(here, link.to)}))


def _search(state: BrowserState, given: Sought) -> Done[BrowserState]:
    if not state.search:
        raise Declined("this browser has no search engine; open an address")
    hits = found(state, given.query)
    return Done(
        state, part_of(hits, given, lambda hit: {"title": hit.title, "url": hit.address, "text": snippet(hit, given.query)})
    )


def _forms(state: BrowserState) -> list[tuple[int, Form]]:
    """The forms of the current page with the blocks that they stand in."""
    place: Place = place_at(state, state.tab.address)
    if place.kind not in ("page", "entry"):
        return []
    return [(n, form) for n in range(len(place.blocks)) if (form := form_at(state, n))]


def _describe(state: BrowserState, given: Nothing) -> Done[BrowserState]:
    said: list[JsonValue] = [
        {
            "form": number,
            "title": form.title,
            "asks": form.confirm,
            "fields": [
                {"label": field.label, "kind": field.kind, "required": field.required, "options": list(field.options),
                 "value": "" if field.kind == "password" else value_of(state, n, field)}
                for field in form.fields
            ],
        }
        for number, (n, form) in enumerate(_forms(state), start=1)
    ]  # fmt: skip
    return Done(state, said)


def _submit(state: BrowserState, given: Filled) -> Done[BrowserState]:
    forms = _forms(state)
    if given.form > len(forms):
        raise Declined(f"the page has {len(forms)} forms, so there is no form {given.form}; open a page with one first")
    block, form = forms[given.form - 1]
    fields = dict(state.tab.fields)
    by_label = {field.label.casefold(): field for field in form.fields}
    for label, value in given.values.items():
        field = by_label.get(" ".join(label.split()).casefold())
        if field is None:
            unknown("field", label, [field.label for field in form.fields])
        fields[key_of(block, field)] = chosen(field.label, value, field.options) if field.kind == "select" and value else value
    filled = changed(state, fields=fields)
    for field in form.fields:
        if said := problem(field, value_of(filled, block, field)):
            raise Declined(f"the form was not sent: {said}")
    if form.confirm and not given.confirmed:
        raise Declined(f"the form asks: {form.confirm} Give confirmed=true to send it")
    after, effects = sent(filled, block, form)
    return Done(after, _page(after), effects)


def _bookmarks(state: BrowserState, given: Page) -> Done[BrowserState]:
    marks = list(state.bookmarks.values())
    return Done(state, part_of(marks, given, lambda mark: {"title": mark.title, "url": mark.address}))


def _add(state: BrowserState, given: Kept) -> Done[BrowserState]:
    address = normal(given.url) or state.tab.address
    if parts(address).host.startswith("browser:"):
        raise Declined("the browser's own pages cannot be bookmarked; give the url of another page")
    place = place_at(state, address)
    return Done(bookmarked(state, place.title, address), {"title": place.title, "url": address}, (Toast("Bookmark added"),))


def _remove(state: BrowserState, given: Kept) -> Done[BrowserState]:
    address = normal(given.url) or state.tab.address
    name = bookmark_of(state, address)
    if name is None:
        unknown("bookmark", address, [mark.address for mark in state.bookmarks.values()])
    return Done(without_bookmark(state, name), {"removed": address}, (Toast("Bookmark removed"),))


def _history(state: BrowserState, given: Page) -> Done[BrowserState]:
    visits = list(reversed(state.visits.values()))
    return Done(state, part_of(visits, given, lambda visit: {"title": visit.title, "url": visit.address}))


FUNCTIONS: tuple[AnyFunction, ...] = (
    Function("open_page", "Go to an address, and read the page", Where, _open, writes=True, repeatable=True),
    Function("read_page", "The page of the current tab as text", Nothing, _read),
    Function("list_links", "Where the links of the current page lead", Page, _links),
    Function("find_pages", "Pages that the search engine finds, best first", Sought, _search),
    Function("describe_forms", "The forms of the current page with their fields", Nothing, _describe),
    Function("submit_form", "Fill in and send a form of the current page", Filled, _submit, writes=True),
    Function("list_bookmarks", "All bookmarks", Page, _bookmarks),
    Function("add_bookmark", "Bookmark a page", Kept, _add, writes=True, repeatable=True),
    Function("remove_bookmark", "Remove a bookmark", Kept, _remove, writes=True, repeatable=True),
    Function("list_history", "Pages that were visited, the latest first", Page, _history),
)
