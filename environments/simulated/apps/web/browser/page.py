"""The pages of sites as widgets, and the links on them."""

from __future__ import annotations

import re
from typing import NamedTuple

from environments.simulated.app import Effect, Notify, Submitted, Toast, Update
from environments.simulated.apps.web.browser.content import Block, Collection, Form, FormField, Image, Link, Table
from environments.simulated.apps.web.browser.state import (
    LOGOUT,
    BrowserState,
    Place,
    Submission,
    asked,
    changed,
    fitting,
    joined,
    loaded,
    parts,
    place_at,
    signed_in,
)
from environments.simulated.screen.widgets import (
    Widget,
    alert,
    bar,
    button,
    cell,
    checkbox,
    combobox,
    form,
    group,
    heading,
    link,
    pair,
    row,
    status,
    text,
    textbox,
)
from environments.simulated.world.generate import highest
from environments.simulated.world.values import IdentityKey, page_of, parse_day, slug

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
    place = place_at(state, state.tab.address)
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
            return _problem_with_number(field, value)
        case "select" if value not in field.options:
            return f"{field.label} must be one of {', '.join(field.options)}"
    return ""


def _problem_with_number(field: FormField, value: str) -> str:
    if not _NUMBER.fullmatch(value) or len(value) > 15:
        return f"{field.label} must be a number"
    if field.least is not None and float(value) < field.least:
        return f"{field.label} must be at least {field.least:g}"
    if field.most is not None and float(value) > field.most:
        return f"{field.label} must be at most {field.most:g}"
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
    key = key_of(block, field)
    rest = {other: words for other, words in state.tab.errors.items() if other != key}
    words = problem(field, value_of(state, block, field))
    errors = {**rest, key: words} if words else rest
    return state if errors == state.tab.errors else changed(state, errors=errors)


def sent(state: BrowserState, block: int, form: Form) -> Update[BrowserState]:
    """The form is sent as it stands: kept, answered by mail where the site does that, and followed by the page that says so."""
    here = state.tab.address
    errors = problems(state, block, form)
    if errors:
        return Update(changed(state, errors=errors))
    arrived = loaded(state, here)
    place = place_at(arrived, arrived.tab.address)
    if place.kind == "login":  # the session has expired meanwhile, and what was written is lost
        return Update(arrived)
    where = parts(here)
    number = str(highest(state.submissions) + 1)
    page = asked(where.host + where.path)
    values = {field.name: _kept(field, value_of(state, block, field)) for field in form.fields}
    entry = Submission(page=page, about=place.title, values=values)
    after = state.model_copy(update={"submissions": {**state.submissions, number: entry}, "sessions": arrived.sessions})
    target = joined(here, form.then) if form.then else asked(page, sent=number, form=str(block + 1))
    effects: list[Effect] = [Submitted()]
    if form.letter:
        subject, text = (words.replace("{number}", number) for words in (form.letter.subject, form.letter.text))
        effects.append(Notify("mail", "mail", {"from": form.letter.sender, "subject": subject, "body": text}))
    return Update(loaded(after, target), tuple(effects))


def _kept(field: FormField, value: str) -> str:
    """Days in one form; everything else as it was written, without blanks around it."""
    return (parse_day(value) or value).strip() if field.kind == "date" else value.strip()


def signed(state: BrowserState) -> Update[BrowserState]:
    """Sign in with what was written, and go on to the page that was wanted."""
    errors = problems(state, 0, SIGN_IN)
    where = parts(state.tab.address)
    login = state.sites[where.host].login
    user, password = (value_of(state, 0, field) for field in SIGN_IN.fields)
    if errors or login is None:
        return Update(changed(state, errors=errors))
    if (user.strip().casefold(), password) != (login.user.casefold(), login.password):
        fields = {key: value for key, value in state.tab.fields.items() if key != "0.password"}
        return Update(changed(state, fields=fields, errors={"0": "User name or password is wrong"}))
    return Update(loaded(signed_in(state, where.host), where.query.get("next") or where.host), (Toast("You are signed in"),))


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
        return heading(words, self.key("title"))

    def link(self, name: str, leads: Link) -> Widget:
        self.links[name] = leads
        if leads.plain:
            return Widget("generic", leads.text, self.key(name), press=True)
        return link(leads.text, self.key(name))

    def search(self, label: str, name: str, applied: str) -> Widget:
        """A field for a query, and its button; `name` stands before `query` and `search`."""
        value = self.state.tab.fields.get(f"{name}query", applied)
        send = self.key(f"{name}search")
        field = textbox(label, self.key(f"{name}query"), value, placeholder=label)
        return form(self.key(f"{name}search-form"), field, button("Search", send), submit=send, across=True)

    def pager(self, name: str, number: int, pages: int) -> tuple[Widget, ...]:
        if pages < 2:
            return ()
        for way, to in (("previous", number - 1), ("next", number + 1)):
            self.links[f"{name}{way}"] = Link(text=way.capitalize(), to=asked(self.address, page=str(to)))
        return (
            bar(
                button("Previous", self.key(f"{name}previous"), enabled=number > 1),
                text(f"Page {number} of {pages}", self.key(f"{name}page")),
                button("Next", self.key(f"{name}next"), enabled=number < pages),
                key=self.key(f"{name}pager"),
            ),
        )


def site_body(state: BrowserState) -> Body:
    """The page of a site at the current tab's address."""
    paper, place = Paper(state), place_at(state, state.tab.address)
    banner = _banner(paper, place)
    walled = bool(banner) and place.site is not None and place.site.consent is not None and place.site.consent.wall
    widgets = () if walled else (*_menu(paper, place), *_content(paper, place))
    return Body((*banner, *widgets), paper.links)


def _content(paper: Paper, place: Place) -> tuple[Widget, ...]:
    match place.kind:
        case "login":
            return _login(paper, place)
        case "sent":
            return _sent(paper, place)
        case "missing" | "loop":
            return _error(paper, place)
    entry = place.entry
    facts = [pair(name, value, paper.key(f"fact.{slug(name)}")) for name, value in entry.values.items()] if entry else []
    told = (text(entry.text, paper.key("text")),) if entry and entry.text else ()
    blocks = (widget for n, block in enumerate(place.blocks) for widget in _block(paper, n, block))
    return (paper.title(place.title), *told, *facts, *blocks)


def _error(paper: Paper, place: Place) -> tuple[Widget, ...]:
    where = parts(paper.address)
    if place.kind == "loop":
        said = f"{paper.address} redirected you too many times."
    elif place.site:
        said = f"{where.path} was not found on {place.site.title}."
    else:
        said = f"The address {paper.address} could not be found. Check it for typing mistakes."
    home = (paper.link("home", Link(text=f"Go to {place.site.title}", to=where.host)),) if place.site else ()
    return (paper.title(place.title), alert(said, paper.key("error")), *home)


def _banner(paper: Paper, place: Place) -> tuple[Widget, ...]:
    host, consent = parts(paper.address).host, place.site.consent if place.site else None
    if consent is None or host in paper.state.consents:
        return ()
    title = (heading("Your privacy", paper.key("consent.title")),) if consent.wall else ()
    buttons = bar(
        button(consent.accept, paper.key("consent.accept")),
        button(consent.refuse, paper.key("consent.refuse")),
        key=paper.key("consent.buttons"),
    )
    return (group(*title, text(consent.text, paper.key("consent.text")), buttons, key=paper.key("consent")),)


def _menu(paper: Paper, place: Place) -> tuple[Widget, ...]:
    if place.site is None or not (place.site.menu or place.site.login):
        return ()
    host = parts(paper.address).host
    items = [paper.link(f"menu.{n}", item) for n, item in enumerate(place.site.menu)]
    if host in paper.state.sessions:
        items.append(paper.link("menu.sign-out", Link(text="Sign out", to=LOGOUT)))
    return (bar(*items, key=paper.key("menu")),) if items else ()


def _login(paper: Paper, place: Place) -> tuple[Widget, ...]:
    expired = "expired" in parts(paper.address).query
    why = "Your session has expired. Sign in again." if expired else "Sign in to see this page."
    wrong = [alert(said, paper.key("wrong")) for key, said in paper.state.tab.errors.items() if key == "0"]
    fields = _form(paper, 0, SIGN_IN)
    return (paper.title(place.title), status(why, paper.key("why")), *wrong, *fields)


def _sent(paper: Paper, place: Place) -> tuple[Widget, ...]:
    where = parts(paper.address)
    block = where.number("form") - 1
    sent = place.blocks[block].form if block < len(place.blocks) else None
    said = (sent.done if sent else "Thank you.").replace("{number}", where.query["sent"])
    title = sent.title if sent and sent.title else place.title
    back = paper.link("back", Link(text=f"Back to {place.title}", to=where.host + where.path))
    return (paper.title(title), status(said, paper.key("done")), back)


def _block(paper: Paper, n: int, block: Block) -> tuple[Widget, ...]:
    """One block of a page; what it holds goes by the block's number."""
    if block.heading is not None:
        return (heading(block.heading, paper.key(str(n))),)
    if block.text is not None:
        return (text(block.text, paper.key(str(n))),)
    if block.list is not None:
        return (_list(paper, n, block.list),)
    if block.table is not None:
        return (_table(paper, n, block.table),)
    if block.link is not None:
        return (paper.link(str(n), block.link),)
    if block.image is not None:
        return (_image(paper, n, block.image),)
    if block.form is not None:
        return _form(paper, n, block.form)
    return _collection(paper, n, block.collection or "")


def _list(paper: Paper, n: int, items: tuple[str | Link, ...]) -> Widget:
    made = [
        paper.link(f"{n}.{i}", item) if isinstance(item, Link) else text(item, paper.key(f"{n}.{i}"))
        for i, item in enumerate(items)
    ]
    wrapped = tuple(Widget("listitem", None, f"{item.key}.item", children=(item,)) for item in made)
    return Widget("list", None, paper.key(str(n)), children=wrapped)


def _table(paper: Paper, n: int, given: Table) -> Widget:
    rows = [
        row(paper.key(f"{n}.{i}"), *(cell(value, paper.key(f"{n}.{i}.{j}")) for j, value in enumerate(values)), press=False)
        for i, values in enumerate(given.rows)
    ]
    return _grid(paper, n, given.columns, rows)


def _grid(paper: Paper, n: int, columns: tuple[str, ...], rows: list[Widget]) -> Widget:
    head = tuple(Widget("columnheader", name, paper.key(f"{n}.head.{i}")) for i, name in enumerate(columns))
    header = Widget("row", None, paper.key(f"{n}.head"), children=head, across=True)
    return Widget("table", None, paper.key(str(n)), children=(header, *rows))


def _image(paper: Paper, n: int, image: Image) -> Widget:
    """A picture without words is named by its file at best."""
    name = f"{n}.{slug(image.file)}"
    if image.to:
        paper.links[name] = Link(text=image.alt, to=image.to)
    role = "button" if image.to else "image"
    return Widget(role, image.alt or image.file, paper.key(name), press=bool(image.to), label="for" if image.alt else "none")


def _form(paper: Paper, n: int, given: Form) -> tuple[Widget, ...]:
    title = (heading(given.title, paper.key(f"{n}.title")),) if given.title else ()
    fields = [widget for field in given.fields for widget in _field(paper, n, field)]
    send = paper.key(f"{n}.send")
    return (form(paper.key(str(n)), *title, *fields, button(given.button, send), submit=send),)


def _field(paper: Paper, n: int, field: FormField) -> tuple[Widget, ...]:
    value, name = value_of(paper.state, n, field), key_of(n, field)
    key, said = paper.key(f"{n}.f.{field.name}"), paper.state.tab.errors.get(name)
    invalid = said is not None
    widget: Widget
    match field.kind:
        case "checkbox":
            widget = checkbox(field.label, key, value == "true", required=field.required, invalid=invalid)
        case "select":
            widget = combobox(
                field.label, key, value, field.options, required=field.required, invalid=invalid, placeholder=field.placeholder
            )
        case kind:
            hint = field.placeholder or ("YYYY-MM-DD" if kind == "date" else None)
            widget = textbox(field.label, key, value, multiline=kind == "area", required=field.required, invalid=invalid,
                             private=kind == "password", placeholder=hint)  # fmt: skip
    if field.kind == "number" and field.least is not None and field.most is not None:
        widget = widget._replace(role="spinbutton", limits=(field.least, field.most, 1.0))
    widget = widget._replace(label=field.bound)
    return (widget,) if said is None else (widget, alert(said, f"{key}.error"))


def _collection(paper: Paper, n: int, name: str) -> tuple[Widget, ...]:
    site = place_at(paper.state, paper.address).site
    shown = site.collections[name] if site else Collection()
    where = parts(paper.address)
    query = where.query.get("q", "")
    fits = fitting(IdentityKey(shown), query)
    items, number, pages = page_of(fits, where.number(), shown.size)
    search = (paper.search(f"Search {shown.noun}", f"{n}.", query),) if shown.search else ()
    count = (text(f"{len(fits)} {shown.noun} found", paper.key(f"{n}.count")),) if query else ()
    rows = [_row(paper, n, shown, key) for key in items]
    body = (
        _grid(paper, n, (shown.first, *shown.columns), rows) if rows else text(f"No {shown.noun} found", paper.key(f"{n}.none"))
    )
    return (*search, *count, body, *paper.pager(f"{n}.", number, pages))


def _row(paper: Paper, n: int, shown: Collection, name: str) -> Widget:
    entry, where = shown.entries[name], parts(paper.address)
    first = (
        paper.link(f"{n}.e.{name}", Link(text=entry.title, to=f"{where.host}{where.path.rstrip('/')}/{name}"))
        if shown.links
        else cell(entry.title, paper.key(f"{n}.e.{name}"))
    )
    rest = [cell(entry.values.get(column, ""), paper.key(f"{n}.e.{name}.{slug(column)}")) for column in shown.columns]
    return row(paper.key(f"{n}.row.{name}"), first, *rest, press=False)
