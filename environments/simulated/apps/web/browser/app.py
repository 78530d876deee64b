"""Browser: pages of sites in tabs, with an address bar."""

from typing import Annotated

from pydantic import Field, JsonValue

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, part_of
from environments.simulated.apps.common.record_list import question, with_error
from environments.simulated.apps.web.browser import state as web
from environments.simulated.apps.web.browser.state import BrowserContent, BrowserState
from environments.simulated.apps.web.browser.view import body, checked, form_at, problems, sent, signed, window
from environments.simulated.screen.widgets import Widget


def _page(state: BrowserState) -> dict[str, JsonValue]:
    place = state.place_at(state.tab.address)
    lines = [line for widget in body(state).widgets for line in _lines(widget)]
    found = place.kind not in ("missing", "loop")
    return {"url": state.tab.address, "title": place.title, "found": found, "text": "\n".join(lines)}


def _lines(widget: Widget) -> list[str]:
    """What a reader sees, a row of a table on one line."""
    if widget.role == "row" or (widget.role == "group" and widget.across):
        return [" | ".join(line for child in widget.children for line in _lines(child))]
    own = [] if widget.text is None or widget.label == "none" else [widget.text]
    if widget.value is not None and own:
        own = [f"{own[0]}: {'' if widget.private else widget.value}"]
    return [*own, *(line for child in widget.children for line in _lines(child))]


FUNCTIONS = FunctionTable[BrowserState]()


@FUNCTIONS.writes("AddressArguments", "An address, in the current tab or in a new one.", repeatable=True)
def open_page(
    state: BrowserState, url: Annotated[str, Field(min_length=1, max_length=2000)], new_tab: bool = False
) -> sim.FunctionResult[BrowserState]:
    """Go to an address, and read the page"""
    if new_tab and len(state.tabs) >= web.MOST_TABS:
        raise sim.FunctionDeclined(f"there are {web.MOST_TABS} tabs already; close one first")
    after = state.new_tab(url) if new_tab else state.loaded(url)
    return sim.FunctionResult(after, _page(after))


@FUNCTIONS.reads()
def read_page(state: BrowserState) -> JsonValue:
    """The page of the current tab as text"""
    return _page(state)


@FUNCTIONS.reads("Page", "Which part of a long result is wanted.")
def list_links(state: BrowserState, offset: Offset = 0, limit: Limit = 50) -> JsonValue:
    """Where the links of the current page lead"""
    links = [link for link in body(state).links.values() if link.download is None]
    here = state.tab.address
    return part_of(links, offset, limit, lambda link: {"text": link.text, "url": web.joined(here, link.to)})


_CHORDS = {"Control+t": "new-tab", "Control+r": "reload", "Alt+ArrowLeft": "back", "Alt+ArrowRight": "forward"}
_NEXT_TAB = {"Control+Tab": 1, "Control+PageDown": 1, "Control+PageUp": -1}


def _agrees(found: sim.Difference) -> bool:
    site = found.after.sites.get(found.key)
    return site is not None and site.consent is not None and found.new == site.consent.accept


def _tells(found: sim.Difference) -> bool:
    """Whether an address tells another site something: not what the page offered, or the login's own."""
    if found.new is None:
        return False
    where, before = web.parts(found.new.address), found.before
    at = before.tab.address
    if not where.query or where.path == web.LOGIN or where.host == web.parts(at).host:
        return False
    return all(web.joined(at, link.to) != found.new.address for link in body(before).links.values())


class Browser(sim.App[BrowserContent, BrowserState]):
    """A browser on a web of its own."""

    name = "browser"
    title = "Browser"
    words = ("browser", "web", "website", "intranet")
    looks = frozenset({"tabs", "current", "visits", "sessions"})
    meanings = (
        sim.Meaning("submissions.*", Does.SUBMIT, 'sends the form on "{new.about}" ({new.page})', sim.is_new),
        sim.Meaning("sessions.*", Does.ACCOUNT, "signs in to {key}", sim.is_new),
        sim.Meaning("sessions", None),
        sim.Meaning("consents.*", Does.PERMISSION, "answers the question of {key} about cookies: {new}", _agrees),
        sim.Meaning("consents.*", Does.EDIT, "answers the question of {key} about cookies: {new}"),
        sim.Meaning("visits.*", Does.SEND, "tells another site what the address says: {new.address}", _tells),
        sim.Meaning("visits", None),
        sim.Meaning("notify.files.file", Does.DOWNLOAD, "downloads {new[name]}"),
    )
    functions = FUNCTIONS

    def start(self, content: BrowserContent, setting: sim.Setting) -> BrowserState:
        return web.started(content, setting)

    def view(self, state: BrowserState) -> tuple[Widget, ...]:
        return window(state)

    def update(self, state: BrowserState, event: sim.Event) -> sim.Update[BrowserState]:
        match event:
            case sim.Arrived(topic=topic, data=data):
                return _sent_for(state, topic, data.get("url", ""), data.get("tab", ""))
            case sim.Shortcut(chord=chord):
                if chord in _NEXT_TAB:
                    names = list(state.tabs)
                    at = (names.index(state.current) + _NEXT_TAB[chord]) % len(names)
                    return sim.Update(state.replace(current=names[at]))
                if chord == "Control+l":
                    return sim.Update(state, (sim.Focus("address"),))
                return _tool(state, _CHORDS[chord]) if chord in _CHORDS else sim.Update(state)
            case sim.Answered(key=key, button=name):
                # A form that asks first is sent, if it is still on the screen
                _, block, address = (*key.split(":", 2), "", "")[:3]
                known = block.isascii() and block.isdigit() and address == state.tab.address
                form = form_at(state, int(block)) if known else None
                return sent(state, int(block), form) if form and name == form.button else sim.Update(state)
            case sim.Edited(key="address", value=value):
                return sim.Update(state.changed(typed=value))
            case sim.Pressed(key=key) if "#" not in key:
                return _tool(state, key)
            case sim.Edited(key=key) | sim.Left(key=key) | sim.Pressed(key=key):
                address, _, name = key.rpartition("#")
                return _on_page(state, name, event) if address == state.tab.address else sim.Update(state)
        return sim.Update(state)


def _sent_for(state: BrowserState, topic: str, url: str, name: str) -> sim.Update[BrowserState]:
    """What the desktop asks for: an address, a step on the way, a tab."""
    match topic:
        case "navigate":
            return _going(state, url)
        case "new-tab":
            return _opened(state, web.normal(url) or web.NEW_TAB)
        case "close-tab" if name in state.tabs:
            return sim.Update(state.without_tab(name))
        case "choose-tab" if name in state.tabs:
            return sim.Update(state.replace(current=name))
        case "back" | "forward" | "reload":
            return _tool(state, topic)
    return sim.Update(state)


_STEPS = {"back": -1, "forward": 1, "reload": 0}


def _tool(state: BrowserState, key: str) -> sim.Update[BrowserState]:
    if key in _STEPS:
        return _shown(state, state.stepped(_STEPS[key]))
    match key.partition("-"):
        case ("go", "", ""):
            return _going(state, state.tab.typed)
        case ("new", "-", "tab"):
            return _opened(state, web.NEW_TAB)
        case ("tab", "-", name) if name in state.tabs:
            return sim.Update(state.replace(current=name))
        case ("close", "-", name) if name in state.tabs:
            return sim.Update(state.without_tab(name))
    return sim.Update(state)


def _shown(before: BrowserState, after: BrowserState) -> sim.Update[BrowserState]:
    """Another page is there; the sites that take their time are loading."""
    site = after.place_at(after.tab.address).site
    return sim.Update(after, (sim.Busy(site.seconds),) if site and site.seconds and after is not before else ())


def _going(state: BrowserState, text: str) -> sim.Update[BrowserState]:
    return _shown(state, state.loaded(text)) if text.strip() else sim.Update(state)


def _opened(state: BrowserState, address: str) -> sim.Update[BrowserState]:
    if len(state.tabs) >= web.MOST_TABS:
        return sim.Update(state, (sim.Toast(f"There are {web.MOST_TABS} tabs already; close one first"),))
    return _shown(state, state.new_tab(address))


def _on_page(state: BrowserState, name: str, event: sim.Event) -> sim.Update[BrowserState]:
    """Something on the page itself; `name` is what its key says behind the address."""
    match event:
        case sim.Edited(value=value):
            where = _field_of(name)
            key = f"{where[0]}.{where[1]}" if where else name
            fields = {**state.tab.fields, key: value}
            return sim.Update(state.changed(fields=fields, errors=with_error(state.tab.errors, key)))
        case sim.Left() if (where := _field_of(name)) is not None:
            return sim.Update(checked(state, *where))
        case sim.Pressed(modifiers=held):
            link = body(state).links.get(name)
            if link is None:
                return _pressed(state, name)
            if link.download is not None:
                file = {"name": link.text, "folder": "/Downloads", "text": link.download}
                return sim.Update(state, (sim.Notify("files", "file", file),))
            address = web.joined(state.tab.address, link.to)
            return _opened(state, address) if link.new or "Control" in held else _shown(state, state.loaded(address))
    return sim.Update(state)


def _field_of(name: str) -> tuple[int, str] | None:
    """The block and the field that a key is about: `3.f.email`."""
    block, _, rest = name.partition(".f.")
    return (int(block), rest) if rest and block.isascii() and block.isdigit() else None


def _pressed(state: BrowserState, name: str) -> sim.Update[BrowserState]:
    if name.startswith("consent."):
        answer = name.removeprefix("consent.")
        host = web.parts(state.tab.address).host
        consent = state.sites[host].consent if host in state.sites else None
        said = {"accept": consent.accept, "refuse": consent.refuse}.get(answer) if consent else None
        return sim.Update(state.replace(consents={**state.consents, host: said}) if said else state)
    if name.endswith(".search"):
        address = state.tab.address
        query = state.tab.fields.get(f"{name.removesuffix('search')}query", web.parts(address).query.get("q", ""))
        return _shown(state, state.loaded(web.asked(address, q=" ".join(query.split()), page="")))
    number = name.removesuffix(".send")
    block = int(number) if number != name and number.isascii() and number.isdigit() else -1
    form = form_at(state, block)
    if form is None:
        return sim.Update(state)
    if state.place_at(state.tab.address).kind == "login":
        return signed(state)
    if not form.confirm or problems(state, block, form):
        return sent(state, block, form)
    return sim.Update(state, (question(f"send:{block}:{state.tab.address}", form.confirm, "", form.button),))
