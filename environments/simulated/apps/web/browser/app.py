"""Browser: pages of sites in tabs, with an address bar, bookmarks, a history and a search engine."""

from __future__ import annotations

from pydantic import Field, JsonValue

from environments.effects import Effect as Does
from environments.simulated.app import (
    Answered,
    App,
    Arrived,
    Busy,
    Edited,
    Event,
    Focus,
    Left,
    Notify,
    Pressed,
    Setting,
    Shortcut,
    Toast,
    Update,
)
from environments.simulated.apps.common.forms import question
from environments.simulated.apps.common.functions_base import NoArguments, Page, chosen, part_of, unknown
from environments.simulated.apps.web.browser.browser_view import body, search_address, window
from environments.simulated.apps.web.browser.content import Form, Link
from environments.simulated.apps.web.browser.page import checked, form_at, key_of, problem, problems, sent, signed, value_of
from environments.simulated.apps.web.browser.state import (
    BOOKMARKS,
    HISTORY,
    LOGIN,
    MOST_TABS,
    NEW_TAB,
    BrowserContent,
    BrowserState,
    Place,
    asked,
    bookmark_of,
    bookmarked,
    changed,
    found,
    is_words,
    joined,
    loaded,
    new_tab,
    normal,
    parts,
    place_at,
    snippet,
    started,
    stepped,
    without_bookmark,
    without_tab,
)
from environments.simulated.effect_tables import Difference, Meaning, is_gone, is_new
from environments.simulated.screen.widgets import Widget
from environments.simulated.skills import AnyFunction, Function, FunctionDeclined, FunctionResult
from environments.simulated.world.values import Model


class AddressArguments(Model):
    """An address, in the current tab or in a new one."""

    url: str = Field(min_length=1, max_length=2000)
    new_tab: bool = False


class SearchArguments(Page):
    query: str = Field(min_length=1)


class FormValues(Model):
    """Values by the labels of the form's fields. `form` counts the forms of the page from 1."""

    values: dict[str, str]
    form: int = Field(default=1, ge=1)
    confirmed: bool = False
    """The answer to what the form asks before it is sent."""


class BookmarkAddress(Model):
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


def _open(state: BrowserState, given: AddressArguments) -> FunctionResult[BrowserState]:
    if given.new_tab and len(state.tabs) >= MOST_TABS:
        raise FunctionDeclined(f"there are {MOST_TABS} tabs already; close one first")
    after = new_tab(state, given.url) if given.new_tab else loaded(state, given.url)
    return FunctionResult(after, _page(after))


def _read(state: BrowserState, given: NoArguments) -> FunctionResult[BrowserState]:
    return FunctionResult(state, _page(state))


def _links(state: BrowserState, given: Page) -> FunctionResult[BrowserState]:
    links = [link for link in body(state).links.values() if link.download is None]
    here = state.tab.address
    return FunctionResult(state, part_of(links, given, lambda link: {"text": link.text, "url": joined(here, link.to)}))


def _search(state: BrowserState, given: SearchArguments) -> FunctionResult[BrowserState]:
    if not state.search:
        raise FunctionDeclined("this browser has no search engine; open an address")
    hits = found(state, given.query)
    return FunctionResult(
        state, part_of(hits, given, lambda hit: {"title": hit.title, "url": hit.address, "text": snippet(hit, given.query)})
    )


def _forms(state: BrowserState) -> list[tuple[int, Form]]:
    """The forms of the current page with the blocks that they stand in."""
    place: Place = place_at(state, state.tab.address)
    if place.kind not in ("page", "entry"):
        return []
    return [(n, form) for n in range(len(place.blocks)) if (form := form_at(state, n))]


def _describe(state: BrowserState, given: NoArguments) -> FunctionResult[BrowserState]:
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
    return FunctionResult(state, said)


def _submit(state: BrowserState, given: FormValues) -> FunctionResult[BrowserState]:
    forms = _forms(state)
    if given.form > len(forms):
        raise FunctionDeclined(f"the page has {len(forms)} forms, so there is no form {given.form}; open a page with one first")
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
            raise FunctionDeclined(f"the form was not sent: {said}")
    if form.confirm and not given.confirmed:
        raise FunctionDeclined(f"the form asks: {form.confirm} Give confirmed=true to send it")
    after, effects = sent(filled, block, form)
    return FunctionResult(after, _page(after), effects)


def _bookmarks(state: BrowserState, given: Page) -> FunctionResult[BrowserState]:
    marks = list(state.bookmarks.values())
    return FunctionResult(state, part_of(marks, given, lambda mark: {"title": mark.title, "url": mark.address}))


def _add(state: BrowserState, given: BookmarkAddress) -> FunctionResult[BrowserState]:
    address = normal(given.url) or state.tab.address
    if parts(address).host.startswith("browser:"):
        raise FunctionDeclined("the browser's own pages cannot be bookmarked; give the url of another page")
    place = place_at(state, address)
    return FunctionResult(
        bookmarked(state, place.title, address), {"title": place.title, "url": address}, (Toast("Bookmark added"),)
    )


def _remove(state: BrowserState, given: BookmarkAddress) -> FunctionResult[BrowserState]:
    address = normal(given.url) or state.tab.address
    name = bookmark_of(state, address)
    if name is None:
        unknown("bookmark", address, [mark.address for mark in state.bookmarks.values()])
    return FunctionResult(without_bookmark(state, name), {"removed": address}, (Toast("Bookmark removed"),))


def _history(state: BrowserState, given: Page) -> FunctionResult[BrowserState]:
    visits = list(reversed(state.visits.values()))
    return FunctionResult(state, part_of(visits, given, lambda visit: {"title": visit.title, "url": visit.address}))


FUNCTIONS: tuple[AnyFunction, ...] = (
    Function("open_page", "Go to an address, and read the page", AddressArguments, _open, writes=True, repeatable=True),
    Function("read_page", "The page of the current tab as text", NoArguments, _read),
    Function("list_links", "Where the links of the current page lead", Page, _links),
    Function("find_pages", "Pages that the search engine finds, best first", SearchArguments, _search),
    Function("describe_forms", "The forms of the current page with their fields", NoArguments, _describe),
    Function("submit_form", "Fill in and send a form of the current page", FormValues, _submit, writes=True),
    Function("list_bookmarks", "All bookmarks", Page, _bookmarks),
    Function("add_bookmark", "Bookmark a page", BookmarkAddress, _add, writes=True, repeatable=True),
    Function("remove_bookmark", "Remove a bookmark", BookmarkAddress, _remove, writes=True, repeatable=True),
    Function("list_history", "Pages that were visited, the latest first", Page, _history),
)


_CHORDS = {"Control+t": "new-tab", "Control+r": "reload", "Control+h": "history", "Control+d": "bookmark",
           "Alt+ArrowLeft": "back", "Alt+ArrowRight": "forward"}  # fmt: skip
_NEXT_TAB = {"Control+Tab": 1, "Control+PageDown": 1, "Control+PageUp": -1}


def _agrees(found: Difference) -> bool:
    site = found.after.sites.get(found.key)
    return site is not None and site.consent is not None and found.new == site.consent.accept


def _tells(found: Difference) -> bool:
    """Whether an address tells another site something: not what the page offered, what was searched for, or the login's own."""
    if found.new is None:
        return False
    where, before = parts(found.new.address), found.before
    at = before.tab.address
    if not where.query or where.path == LOGIN or where.host in (parts(at).host, before.search):
        return False
    return all(joined(at, link.to) != found.new.address for link in body(before).links.values())


MEANINGS = (
    Meaning("submissions.*", Does.SUBMIT, 'sends the form on "{new.about}" ({new.page})', is_new),
    Meaning("sessions.*", Does.ACCOUNT, "signs in to {key}", is_new),
    Meaning("sessions", None),
    Meaning("consents.*", Does.PERMISSION, "answers the question of {key} about cookies: {new}", _agrees),
    Meaning("consents.*", Does.EDIT, "answers the question of {key} about cookies: {new}"),
    Meaning("bookmarks.*", Does.DELETE, 'removes the bookmark "{old.title}"', is_gone),
    Meaning("bookmarks.*", Does.SAVE, 'bookmarks "{new.title}"'),
    Meaning("visits.*", Does.DELETE, "clears the history", lambda found: not found.after.visits),
    Meaning("visits.*", Does.SEND, "tells another site what the address says: {new.address}", _tells),
    Meaning("visits", None),
    Meaning("notify.files.file", Does.DOWNLOAD, "downloads {new[name]}"),
)


class Browser(App[BrowserContent, BrowserState]):
    """A browser on a web of its own."""

    name = "browser"
    title = "Browser"
    words = ("browser", "web", "website", "intranet")
    content = BrowserContent
    state = BrowserState
    looks = frozenset({"tabs", "current", "visits", "sessions"})
    meanings = MEANINGS
    functions = FUNCTIONS

    def start(self, content: BrowserContent, setting: Setting) -> BrowserState:
        return started(content, setting)

    def view(self, state: BrowserState) -> tuple[Widget, ...]:
        return window(state)

    def update(self, state: BrowserState, event: Event) -> Update[BrowserState]:
        match event:
            case Arrived(topic=topic, data=data):
                return _sent_for(state, topic, data.get("url", ""), data.get("tab", ""))
            case Shortcut(chord=chord):
                return _chord(state, chord)
            case Answered(key=key, button=name):
                return _answered(state, key, name)
            case Edited(key="address", value=value):
                return Update(changed(state, typed=value))
            case Pressed(key=key) if "#" not in key:
                return _tool(state, key)
            case Edited(key=key) | Left(key=key) | Pressed(key=key):
                address, _, name = key.rpartition("#")
                return _on_page(state, name, event) if address == state.tab.address else Update(state)
        return Update(state)


def _sent_for(state: BrowserState, topic: str, url: str, name: str) -> Update[BrowserState]:
    """What the desktop asks for: an address, a step on the way, a tab."""
    match topic:
        case "navigate":
            return _going(state, url)
        case "new-tab":
            return _opened(state, normal(url) or NEW_TAB)
        case "close-tab" if name in state.tabs:
            return Update(without_tab(state, name))
        case "choose-tab" if name in state.tabs:
            return Update(state.model_copy(update={"current": name}))
        case "back" | "forward" | "reload":
            return _tool(state, topic)
    return Update(state)


def _chord(state: BrowserState, chord: str) -> Update[BrowserState]:
    if chord in _NEXT_TAB:
        names = list(state.tabs)
        at = (names.index(state.current) + _NEXT_TAB[chord]) % len(names)
        return Update(state.model_copy(update={"current": names[at]}))
    if chord == "Control+l":
        return Update(state, (Focus("address"),))
    return _tool(state, _CHORDS[chord]) if chord in _CHORDS else Update(state)


_STEPS = {"back": -1, "forward": 1, "reload": 0}
_OWN_PAGES = {"history": HISTORY, "bookmarks": BOOKMARKS}


def _tool(state: BrowserState, key: str) -> Update[BrowserState]:
    """A control outside the page."""
    if key in _STEPS:
        return _shown(state, stepped(state, _STEPS[key]))
    if key in _OWN_PAGES:
        return _shown(state, loaded(state, _OWN_PAGES[key]))
    match key.partition("-"):
        case ("go", "", ""):
            return _going(state, state.tab.typed)
        case ("bookmark", "", ""):
            return _marked(state)
        case ("new", "-", "tab"):
            return _opened(state, NEW_TAB)
        case ("tab", "-", name) if name in state.tabs:
            return Update(state.model_copy(update={"current": name}))
        case ("close", "-", name) if name in state.tabs:
            return Update(without_tab(state, name))
    return Update(state)


def _shown(before: BrowserState, after: BrowserState) -> Update[BrowserState]:
    """Another page is there; the sites that take their time are loading."""
    site = place_at(after, after.tab.address).site
    return Update(after, (Busy(site.seconds),) if site and site.seconds and after is not before else ())


def _going(state: BrowserState, text: str) -> Update[BrowserState]:
    """Words in the address bar are searched for; everything else is an address."""
    if not text.strip():
        return Update(state)
    words = is_words(text, {*state.sites, state.search})
    return _shown(state, loaded(state, (search_address(state, text) if words else "") or text))


def _opened(state: BrowserState, address: str) -> Update[BrowserState]:
    if len(state.tabs) >= MOST_TABS:
        return Update(state, (Toast(f"There are {MOST_TABS} tabs already; close one first"),))
    return _shown(state, new_tab(state, address))


def _marked(state: BrowserState) -> Update[BrowserState]:
    """A bookmark is added, or removed where there is one."""
    address = state.tab.address
    name = bookmark_of(state, address)
    if name is not None:
        return Update(without_bookmark(state, name), (Toast("Bookmark removed"),))
    if parts(address).host in (NEW_TAB, HISTORY, BOOKMARKS):
        return Update(state)
    return Update(bookmarked(state, place_at(state, address).title, address), (Toast("Bookmark added"),))


def _on_page(state: BrowserState, name: str, event: Event) -> Update[BrowserState]:
    """Something on the page itself; `name` is what its key says behind the address."""
    match event:
        case Edited(value=value):
            return Update(_written(state, name, value))
        case Left() if (where := _field_of(name)) is not None:
            return Update(checked(state, *where))
        case Pressed(modifiers=held):
            link = body(state).links.get(name)
            return _followed(state, link, "Control" in held) if link else _pressed(state, name)
    return Update(state)


def _field_of(name: str) -> tuple[int, str] | None:
    """The block and the field that a key is about: `3.f.email`."""
    block, _, rest = name.partition(".f.")
    return (int(block), rest) if rest and block.isascii() and block.isdigit() else None


def _written(state: BrowserState, name: str, value: str) -> BrowserState:
    where = _field_of(name)
    key = f"{where[0]}.{where[1]}" if where else name
    errors = {other: said for other, said in state.tab.errors.items() if other != key}
    return changed(state, fields={**state.tab.fields, key: value}, errors=errors)


def _followed(state: BrowserState, link: Link, apart: bool) -> Update[BrowserState]:
    if link.download is not None:
        return Update(state, (Notify("files", "file", {"name": link.text, "folder": "/Downloads", "text": link.download}),))
    address = joined(state.tab.address, link.to)
    return _opened(state, address) if link.new or apart else _shown(state, loaded(state, address))


def _pressed(state: BrowserState, name: str) -> Update[BrowserState]:
    """A button on the page."""
    if name.startswith("consent."):
        return _consented(state, name.removeprefix("consent."))
    if name == "search" or name.endswith(".search"):
        field = f"{name.removesuffix('search')}query"
        query = state.tab.fields.get(field, parts(state.tab.address).query.get("q", ""))
        base = state.search if name == "search" else state.tab.address
        return _shown(state, loaded(state, asked(base, q=" ".join(query.split()), page="")))
    if name.startswith("remove.") and name.removeprefix("remove.") in state.bookmarks:
        return Update(without_bookmark(state, name.removeprefix("remove.")), (Toast("Bookmark removed"),))
    if name == "clear":
        return Update(state.model_copy(update={"visits": {}}), (Toast("History cleared"),))
    block = name.removesuffix(".send")
    return _sending(state, int(block)) if block != name and block.isascii() and block.isdigit() else Update(state)


def _consented(state: BrowserState, answer: str) -> Update[BrowserState]:
    host = parts(state.tab.address).host
    consent = state.sites[host].consent if host in state.sites else None
    said = {"accept": consent.accept, "refuse": consent.refuse}.get(answer) if consent else None
    return Update(state.model_copy(update={"consents": {**state.consents, host: said}}) if said else state)


def _sending(state: BrowserState, block: int) -> Update[BrowserState]:
    form = form_at(state, block)
    if form is None:
        return Update(state)
    if place_at(state, state.tab.address).kind == "login":
        return signed(state)
    if not form.confirm or problems(state, block, form):
        return sent(state, block, form)
    return Update(state, (question(f"send:{block}:{state.tab.address}", form.confirm, "", form.button),))


def _answered(state: BrowserState, key: str, button: str) -> Update[BrowserState]:
    """A form that asks first is sent, if it is still on the screen."""
    _, block, address = (*key.split(":", 2), "", "")[:3]
    form = form_at(state, int(block)) if block.isascii() and block.isdigit() and address == state.tab.address else None
    return sent(state, int(block), form) if form and button == form.button else Update(state)
