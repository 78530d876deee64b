"""Browser: pages of sites in tabs, with an address bar."""

import re
from typing import Annotated, NamedTuple

from pydantic import Field, JsonValue

from environments.effects import Effect as Does
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, Limit, Offset, part_of
from environments.simulated.apps.common.record_list import question, with_error
from environments.simulated.apps.web.browser import state as web
from environments.simulated.apps.web.browser.intranet import Block, Collection, Consent, Form, FormField, Image, Link, Table
from environments.simulated.apps.web.browser.state import BrowserContent, BrowserState, Place, asked, parts
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import IdentityKey, highest, page_of, parse_day, slug

_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
SIGN_IN = Form(
    fields=(
        FormField(label="User name", name="user", required=True),
        FormField(label="Password", name="password", kind="password", required=True),
    ),
    button="Sign in",
)


def key_of(block: int, field: FormField) -> str:
    """What a field of the form in this block of the page goes by in the tab."""
    return f"{block}.{field.name}"


def value_of(state: BrowserState, block: int, field: FormField) -> str:
    """What stands in a field: what was written, or what the page brought along."""
    brought = "false" if field.kind == "checkbox" and not field.value else field.value
    return state.tab.fields.get(key_of(block, field), brought)


def form_at(state: BrowserState, block: int) -> Form | None:
    """The form in this block of the current page."""
    place = state.place_at(state.tab.address)
    if place.kind == "login":
        return SIGN_IN if block == 0 else None
    return place.blocks[block].form if 0 <= block < len(place.blocks) else None


def problem(field: FormField, value: str) -> str:
    """What is wrong with the value of a field, or nothing."""
    value = value.strip()
    if not value or (field.kind == "checkbox" and value != "true"):
        return f"{field.label} is required" if field.required else ""
    match field.kind:
        case "email" if not _MAIL.fullmatch(value):
            return f"{field.label} must be a mail address like ann@example.com"
        case "date" if parse_day(value) is None:
            return f"{field.label} must be a day like 2026-03-31"
        case "number":
            if not _NUMBER.fullmatch(value) or len(value) > 15:
                return f"{field.label} must be a number"
            if field.least is not None and float(value) < field.least:
                return f"{field.label} must be at least {field.least:g}"
            if field.most is not None and float(value) > field.most:
                return f"{field.label} must be at most {field.most:g}"
            return ""
        case "select" if value not in field.options:
            return f"{field.label} must be one of {', '.join(field.options)}"
    return ""


def problems(state: BrowserState, block: int, form: Form) -> dict[str, str]:
    """All that keeps the form from being sent, by the key of the field."""
    said = {key_of(block, field): problem(field, value_of(state, block, field)) for field in form.fields}
    return {key: words for key, words in said.items() if words}


def checked(state: BrowserState, block: int, name: str) -> BrowserState:
    """One field is checked when it is left."""
    form = form_at(state, block)
    field = next((field for field in form.fields if field.name == name), None) if form else None
    if field is None:
        return state
    errors = with_error(state.tab.errors, key_of(block, field), problem(field, value_of(state, block, field)))
    return state if errors == state.tab.errors else state.changed(errors=errors)


def sent(state: BrowserState, block: int, form: Form) -> sim.Update[BrowserState]:
    """The form is sent as it stands: kept, answered by mail where the site does that, and followed by the page that says so."""
    here = state.tab.address
    errors = problems(state, block, form)
    if errors:
        return sim.Update(state.changed(errors=errors))
    arrived = state.loaded(here)
    place = arrived.place_at(arrived.tab.address)
    if place.kind == "login":  # the session has expired meanwhile, and what was written is lost
        return sim.Update(arrived)
    where = parts(here)
    number = str(highest(state.submissions) + 1)
    page = asked(where.host + where.path)
    values = {field.name: value_of(state, block, field) for field in form.fields}
    # Days in one form; everything else as it was written, without blanks around it
    values |= {field.name: parse_day(values[field.name]) or values[field.name] for field in form.fields if field.kind == "date"}
    values = {name: value.strip() for name, value in values.items()}
    entry = web.Submission(page=page, about=place.title, values=values)
    after = state.replace(submissions={**state.submissions, number: entry}, sessions=arrived.sessions)
    target = web.joined(here, form.then) if form.then else asked(page, sent=number, form=str(block + 1))
    effects: list[sim.Effect] = [sim.Submitted()]
    if form.letter:
        subject, text = (words.replace("{number}", number) for words in (form.letter.subject, form.letter.text))
        effects.append(sim.Notify("mail", "mail", {"from": form.letter.sender, "subject": subject, "body": text}))
    return sim.Update(after.loaded(target), tuple(effects))


def signed(state: BrowserState) -> sim.Update[BrowserState]:
    """Sign in with what was written, and go on to the page that was wanted."""
    errors = problems(state, 0, SIGN_IN)
    where = parts(state.tab.address)
    login = state.sites[where.host].login
    user, password = (value_of(state, 0, field) for field in SIGN_IN.fields)
    if errors or login is None:
        return sim.Update(state.changed(errors=errors))
    if (user.strip().casefold(), password) != (login.user.casefold(), login.password):
        fields = {key: value for key, value in state.tab.fields.items() if key != "0.password"}
        return sim.Update(state.changed(fields=fields, errors={"0": "User name or password is wrong"}))
    signed_in = state.replace(sessions={**state.sessions, where.host: web.Session(left=login.pages or None)})
    return sim.Update(signed_in.loaded(where.query.get("next") or where.host), (sim.Toast("You are signed in"),))


class Body(NamedTuple):
    """A page: what is to be seen, and where its links lead. Keys of widgets are the address, a `#` and a link's name."""

    widgets: tuple[Widget, ...]
    links: dict[str, Link]


class Paper:
    """The page while it is made."""

    def __init__(self, state: BrowserState) -> None:
        self.state = state
        self.address = state.tab.address
        self.links: dict[str, Link] = {}

    def key(self, name: str) -> str:
        return f"{self.address}#{name}"

    def title(self, words: str) -> Widget:
        return ui.heading(words, self.key("title"))

    def link(self, name: str, leads: Link) -> Widget:
        self.links[name] = leads
        if leads.plain:
            return Widget("generic", leads.text, self.key(name), press=True)
        return ui.link(leads.text, self.key(name))

    def pager(self, name: str, number: int, pages: int) -> tuple[Widget, ...]:
        if pages < 2:
            return ()
        for way, to in (("previous", number - 1), ("next", number + 1)):
            self.links[f"{name}{way}"] = Link(text=way.capitalize(), to=asked(self.address, page=str(to)))
        return (ui.pager(number, pages, lambda part: self.key(f"{name}{part}")),)

    def _content(self, place: Place) -> tuple[Widget, ...]:
        match place.kind:
            case "login":
                expired = "expired" in parts(self.address).query
                why = "Your session has expired. Sign in again." if expired else "Sign in to see this page."
                wrong = [ui.alert(said, self.key("wrong")) for key, said in self.state.tab.errors.items() if key == "0"]
                fields = self._form(0, SIGN_IN)
                return (self.title(place.title), ui.status(why, self.key("why")), *wrong, *fields)
            case "sent":
                where = parts(self.address)
                block = where.number("form") - 1
                sent = place.blocks[block].form if block < len(place.blocks) else None
                said = (sent.done if sent else "Thank you.").replace("{number}", where.query["sent"])
                title = sent.title if sent and sent.title else place.title
                back = self.link("back", Link(text=f"Back to {place.title}", to=where.host + where.path))
                return (self.title(title), ui.status(said, self.key("done")), back)
            case "missing" | "loop":
                where = parts(self.address)
                if place.kind == "loop":
                    said = f"{self.address} redirected you too many times."
                elif place.site:
                    said = f"{where.path} was not found on {place.site.title}."
                else:
                    said = f"The address {self.address} could not be found. Check it for typing mistakes."
                home = (self.link("home", Link(text=f"Go to {place.site.title}", to=where.host)),) if place.site else ()
                return (self.title(place.title), ui.alert(said, self.key("error")), *home)
        entry = place.entry
        facts = [ui.pair(name, value, self.key(f"fact.{slug(name)}")) for name, value in entry.values.items()] if entry else []
        told = (ui.text(entry.text, self.key("text")),) if entry and entry.text else ()
        blocks = (widget for n, block in enumerate(place.blocks) for widget in self._block(n, block))
        return (self.title(place.title), *told, *facts, *blocks)

    def _banner(self, consent: Consent) -> Widget:
        title = (ui.heading("Your privacy", self.key("consent.title")),) if consent.wall else ()
        yes, no = (ui.button(getattr(consent, name), self.key(f"consent.{name}")) for name in ("accept", "refuse"))
        words, buttons = ui.text(consent.text, self.key("consent.text")), ui.bar(yes, no, key=self.key("consent.buttons"))
        return ui.group(*title, words, buttons, key=self.key("consent"))

    def _menu(self, place: Place) -> tuple[Widget, ...]:
        if place.site is None or not (place.site.menu or place.site.login):
            return ()
        host = parts(self.address).host
        items = [self.link(f"menu.{n}", item) for n, item in enumerate(place.site.menu)]
        if host in self.state.sessions:
            items.append(self.link("menu.sign-out", Link(text="Sign out", to=web.LOGOUT)))
        return (ui.bar(*items, key=self.key("menu")),) if items else ()

    def _block(self, n: int, block: Block) -> tuple[Widget, ...]:
        """One block of a page; what it holds goes by the block's number."""
        if block.heading is not None:
            return (ui.heading(block.heading, self.key(str(n))),)
        if block.text is not None:
            return (ui.text(block.text, self.key(str(n))),)
        if block.list is not None:
            named = [(f"{n}.{i}", item) for i, item in enumerate(block.list)]
            lines = (self.link(name, i) if isinstance(i, Link) else ui.text(i, self.key(name)) for name, i in named)
            return (ui.listing(self.key(str(n)), lines),)
        if block.table is not None:
            return (self._table(n, block.table),)
        if block.link is not None:
            return (self.link(str(n), block.link),)
        if block.image is not None:
            return (self._image(n, block.image),)
        if block.form is not None:
            return self._form(n, block.form)
        site = self.state.place_at(self.address).site
        shown = site.collections[(block.collection or "")] if site else Collection()
        where = parts(self.address)
        query = where.query.get("q", "")
        fits = web.fitting(IdentityKey(shown), query)
        items, number, pages = page_of(fits, where.number(), shown.size)
        written = self.state.tab.fields.get(f"{n}.query", query)
        search = (ui.search_bar(shown.noun, written, lambda part: self.key(f"{n}.{part}")),) if shown.search else ()
        count = (ui.text(f"{len(fits)} {shown.noun} found", self.key(f"{n}.count")),) if query else ()
        rows = [self._row(n, shown, key) for key in items]
        none = ui.text(f"No {shown.noun} found", self.key(f"{n}.none"))
        body = self._grid(n, (shown.first, *shown.columns), rows) if rows else none
        return (*search, *count, body, *self.pager(f"{n}.", number, pages))

    def _table(self, n: int, given: Table) -> Widget:
        rows = []
        for i, values in enumerate(given.rows):
            cells = (ui.cell(value, self.key(f"{n}.{i}.{j}")) for j, value in enumerate(values))
            rows.append(ui.row(self.key(f"{n}.{i}"), *cells, press=False))
        return self._grid(n, given.columns, rows)

    def _grid(self, n: int, columns: tuple[str, ...], rows: list[Widget]) -> Widget:
        head = tuple(Widget("columnheader", name, self.key(f"{n}.head.{i}")) for i, name in enumerate(columns))
        header = Widget("row", None, self.key(f"{n}.head"), children=head, across=True)
        return Widget("table", None, self.key(str(n)), children=(header, *rows))

    def _image(self, n: int, image: Image) -> Widget:
        """A picture without words is named by its file at best."""
        name = f"{n}.{slug(image.file)}"
        if image.to:
            self.links[name] = Link(text=image.alt, to=image.to)
        role = "button" if image.to else "image"
        return Widget(role, image.alt or image.file, self.key(name), press=bool(image.to), label="for" if image.alt else "none")

    def _form(self, n: int, given: Form) -> tuple[Widget, ...]:
        title = (ui.heading(given.title, self.key(f"{n}.title")),) if given.title else ()
        fields = [widget for field in given.fields for widget in self._field(n, field)]
        send = self.key(f"{n}.send")
        return (ui.form(self.key(str(n)), *title, *fields, ui.button(given.button, send), submit=send),)

    def _field(self, n: int, field: FormField) -> tuple[Widget, ...]:
        key, label, value, required = self.key(f"{n}.f.{field.name}"), field.label, value_of(self.state, n, field), field.required
        match field.kind:
            case "checkbox":
                widget = ui.checkbox(label, key, value == "true", required=required)
            case "select":
                widget = ui.combobox(label, key, value, field.options, required=required, placeholder=field.placeholder)
            case kind:
                hint = field.placeholder or ("YYYY-MM-DD" if kind == "date" else None)
                widget = ui.textbox(label, key, value, multiline=kind == "area", required=required, private=kind == "password",
                                    placeholder=hint)  # fmt: skip
        if field.kind == "number" and field.least is not None and field.most is not None:
            widget = widget._replace(role="spinbutton", limits=(field.least, field.most, 1.0))
        return ui.checked(widget._replace(label=field.bound), self.state.tab.errors.get(key_of(n, field)))

    def _row(self, n: int, shown: Collection, name: str) -> Widget:
        entry, where = shown.entries[name], parts(self.address)
        first = (
            self.link(f"{n}.e.{name}", Link(text=entry.title, to=f"{where.host}{where.path.rstrip('/')}/{name}"))
            if shown.links
            else ui.cell(entry.title, self.key(f"{n}.e.{name}"))
        )
        rest = [ui.cell(entry.values.get(column, ""), self.key(f"{n}.e.{name}.{slug(column)}")) for column in shown.columns]
        return ui.row(self.key(f"{n}.row.{name}"), first, *rest, press=False)


def window(state: BrowserState) -> tuple[Widget, ...]:
    return (_tabs(state), _tools(state), *body(state).widgets)


def body(state: BrowserState) -> Body:
    """The page of the current tab."""
    paper, place = Paper(state), state.place_at(state.tab.address)
    asks = place.site.consent if place.site and parts(state.tab.address).host not in state.consents else None
    banner = (paper._banner(asks),) if asks else ()
    widgets = () if asks and asks.wall else (*paper._menu(place), *paper._content(place))
    return Body((*banner, *widgets), paper.links)


def _tabs(state: BrowserState) -> Widget:
    items: list[Widget] = []
    for name, tab in state.tabs.items():
        title = state.place_at(tab.address).title
        items.append(Widget("tab", title, f"tab-{name}", press=True, selected=name == state.current))
        items.append(ui.button(f"Close {title}", f"close-{name}"))
    return Widget("tablist", None, "tabs", children=(*items, ui.button("New tab", "new-tab")), across=True)


def _tools(state: BrowserState) -> Widget:
    tab = state.tab
    address = ui.textbox("Address", "address", tab.typed, placeholder="Enter an address")
    return ui.bar(
        ui.button("Back", "back", enabled=tab.at > 0),
        ui.button("Forward", "forward", enabled=tab.at + 1 < len(tab.trail)),
        ui.button("Reload", "reload"),
        ui.form("address-form", address, ui.button("Go", "go"), submit="go", across=True),
        key="tools",
    )


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
