"""The intranet that the seed makes up: handbook, people, catalogue, rooms, news and payslips."""

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from environments.files.yaml_lines import packaged
from environments.simulated import app as sim
from environments.simulated.apps.common.record_list import refuse_twice
from environments.simulated.world.values import Model, amount, day_before, drawn, made_up, mail_address, paragraph, slug

Kind = Literal["text", "email", "number", "date", "select", "checkbox", "password", "area"]
Bound = Literal["for", "near", "none"]


class Link(Model):
    """Leads to an address: `/handbook` on the same site, `?page=2` on the same page, `shop.example/x` elsewhere."""

    text: str
    to: str = ""
    new: bool = False
    """Opens in a new tab."""
    plain: bool = False
    """A text that reacts to a click and says so nowhere: no link, no button."""
    download: str | None = None
    """Puts a file of this text among the downloads instead; `text` is its name."""


class Image(Model):
    """A picture. Without `alt` nothing but its file's name says what it shows."""

    file: str
    alt: str = ""
    to: str = ""


class Table(Model):
    columns: tuple[str, ...] = Field(min_length=1)
    rows: tuple[tuple[str, ...], ...] = ()

    @model_validator(mode="after")
    def _rows_fit(self) -> Self:
        if bad := next((row for row in self.rows if len(row) != len(self.columns)), None):
            raise ValueError(f"the row {', '.join(bad)} has {len(bad)} cells, and there are {len(self.columns)} columns")
        return self


class FormField(Model):
    """One field of a form. `name` is how it is kept; made of the label where it is left out."""

    label: str
    name: str = ""
    kind: Kind = "text"
    options: tuple[str, ...] = ()
    required: bool = False
    value: str = ""
    placeholder: str | None = None
    least: float | None = None
    most: float | None = None
    bound: Bound = "for"
    """How the label is bound to the control; poor pages only put it near."""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        labelled = isinstance(data, dict) and "label" in data
        return {**data, "name": data.get("name") or slug(str(data["label"]))} if labelled else data

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        if (self.kind == "select") != bool(self.options):
            raise ValueError(f"{self.label}: options belong to a field of kind select, and a select needs some")
        if self.kind == "select" and self.value and self.value not in self.options:
            raise ValueError(f"{self.label}: value {self.value!r} is not one of {', '.join(self.options)}")
        if (self.least, self.most) != (None, None) and self.kind != "number":
            raise ValueError(f"{self.label}: least and most belong to a field of kind number")
        return self


class Letter(Model):
    """A mail that the site sends when a form was accepted."""

    sender: str
    subject: str
    text: str = ""


class Form(Model):
    """Fields and what happens when they are sent. In `done` and in the letter, `{number}` is the submission's."""

    title: str = ""
    fields: tuple[FormField, ...] = Field(min_length=1)
    button: str = "Submit"
    confirm: str = ""
    """A question that is asked before anything is sent."""
    done: str = "Thank you. Your entry has the number {number}."
    then: str = ""
    """An address to go to afterwards, instead of the page that says `done`."""
    letter: Letter | None = None

    @model_validator(mode="after")
    def _names_are_different(self) -> Self:
        refuse_twice("fields:", [field.name for field in self.fields])
        return self


_PARTS = ("heading", "text", "list", "table", "link", "image", "form", "collection")


class Block(Model):
    """One part of a page: exactly one of these keys is given."""

    heading: str | None = None
    text: str | None = None
    list: tuple[str | Link, ...] | None = None
    table: Table | None = None
    link: Link | None = None
    image: Image | None = None
    form: Form | None = None
    collection: str | None = None
    """One of the site's collections, with its entries as a table."""

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        given = [part for part in _PARTS if getattr(self, part) is not None]
        if len(given) != 1:
            raise ValueError(f"exactly one of {', '.join(_PARTS)} is needed, and {' and '.join(given) or 'none'} is given")
        return self


class Page(Model):
    """A page, or a redirect to another address."""

    title: str = ""
    blocks: tuple[Block, ...] = ()
    redirect: str = ""
    private: bool = False
    """Only for whoever has signed in to the site."""

    @model_validator(mode="after")
    def _shows_something(self) -> Self:
        if bool(self.title) == bool(self.redirect):
            raise ValueError("a page has a title, or a redirect to another address, and not both")
        return self


class Entry(Model):
    """One entry of a collection: a person, an item, a piece of news."""

    title: str
    values: dict[str, str] = Field(default_factory=dict)
    text: str = ""


class Collection(Model):
    """Entries of one kind. A page that shows it lists them; each has a page of its own below that one."""

    noun: str = "entries"
    first: str = "Name"
    """The column of the titles."""
    columns: tuple[str, ...] = ()
    """Which values the table shows; the page of an entry shows all."""
    entries: dict[str, Entry] = Field(default_factory=dict)
    size: int = Field(default=10, ge=1, le=100)
    """Entries on a page."""
    search: bool = True
    links: bool = True
    each: tuple[Block, ...] = ()
    """What stands below every entry on its own page, such as a form to order it."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if any(block.collection for block in self.each):
            raise ValueError("each: an entry's page cannot show a collection")
        if bad := next((name for name in self.entries if not name or "/" in name or "?" in name), None):
            raise ValueError(f"entries: {bad!r} cannot stand in an address; use letters, digits and hyphens")
        return self


class Login(Model):
    user: str
    password: str
    pages: int = Field(default=0, ge=0)
    """After so many page loads the session has expired; 0: never."""


class Consent(Model):
    """A question about cookies."""

    text: str = "We use cookies to measure how our pages are used."
    accept: str = "Accept all"
    refuse: str = "Only necessary"
    wall: bool = False
    """Nothing else of the site is shown until it is answered."""


class Site(Model):
    """Everything at one host, pages by path."""

    title: str
    pages: dict[str, Page] = Field(min_length=1)
    collections: dict[str, Collection] = Field(default_factory=dict)
    menu: tuple[Link, ...] = ()
    """Links on top of every page."""
    login: Login | None = None
    consent: Consent | None = None
    seconds: float = Field(default=0.0, ge=0)
    """How long a page takes to load."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for path, page in self.pages.items():
            if not path.startswith("/") or (path != "/" and path.endswith("/")):
                raise ValueError(f"pages: {path!r} is no path; write it like /handbook/travel")
            if page.private and self.login is None:
                raise ValueError(f"pages: {path} is private, and the site has no login")
            shown = [block.collection for block in page.blocks if block.collection is not None]
            if len(shown) > 1:
                raise ValueError(f"pages: {path} shows {' and '.join(shown)}; a page has room for one collection")
            if unknown := next((name for name in shown if name not in self.collections), None):
                known = ", ".join(self.collections) or "none"
                raise ValueError(f"pages: {path} shows {unknown!r}, which is no collection; the site's are: {known}")
        return self

    def collection_on(self, page: Page) -> Collection | None:
        """The collection that a page shows."""
        name = next((block.collection for block in page.blocks if block.collection), None)
        return self.collections.get(name) if name else None


class IntranetPlan(Model):
    """How the intranet that is made up should be."""

    items: int = Field(default=60, ge=0, le=5000)
    """In the catalogue."""
    session: int = Field(default=0, ge=0)
    """Page loads until whoever signed in has to do so again; 0: never."""
    consent: bool = False
    """Whether it asks about cookies."""
    near: bool = False
    """Whether labels of its forms only stand near their fields."""


Entries = dict[str, Entry]


def intranet(made: IntranetPlan, setting: sim.Setting) -> Site:
    """A company's own pages. Its people and vendors are those of all the other apps."""
    rng, cast = setting
    password = f"{rng.choice(made_up('rooms')).casefold()}-{rng.randrange(1000, 10000)}"
    login = {"user": mail_address(cast.user), "password": password, "pages": made.session}
    named = {"vendor": rng.choice(cast.vendors), "mail": login["user"], "bound": "near" if made.near else "for"}

    site = drawn(packaged("environments.simulated.apps.web.browser", "intranet.yaml"), rng, named)
    make: dict[str, Callable[[sim.Setting], Entries]] = {"people": _people, "items": partial(_items, made.items), "news": _news,
                                                     "limits": _limits, "rooms": _rooms, "payslips": _payslips}  # fmt: skip
    collections = {name: {**site["collections"][name], "entries": made_of(setting)} for name, made_of in make.items()}
    consent = Consent() if made.consent else None
    return Site.model_validate({**site, "collections": collections, "login": login, "consent": consent})


def _people(setting: sim.Setting) -> Entries:
    rng, cast = setting
    names = (cast.user, *cast.people)
    made: Entries = {}
    for name in sorted(set(names)):
        values = {
            "Department": rng.choice(made_up("departments")), "Role": rng.choice(made_up("roles")),
            "Phone": f"{rng.randrange(200, 1000)}-{rng.randrange(1000, 10000)}",
            "Room": f"{rng.randrange(1, 6)}.{rng.randrange(1, 40):02d}", "Mail": mail_address(name),
            "Deputy": rng.choice([other for other in names if other != name]),
        }  # fmt: skip
        made[slug(name)] = Entry(title=name, values=values)
    return made


def _items(many: int, setting: sim.Setting) -> Entries:
    rng, entries, kinds = setting.rng, {}, made_up("catalogue")
    taken: set[str] = set()
    for number in range(1001, 1001 + many * setting.cast.times):
        category = rng.choice(tuple(kinds))
        title = f"{rng.choice(made_up('makes'))} {rng.choice(kinds[category])} {rng.randrange(100, 1000)}"
        title = f"{title}/{number}" if title in taken else title
        taken.add(title)
        values = {"Number": f"K-{number}", "Category": category, "Price": amount(rng, 5, 400),
                  "Supplier": rng.choice(setting.cast.vendors), "Delivery": f"{rng.randrange(2, 15)} days"}  # fmt: skip
        entries[f"K-{number}"] = Entry(title=title, values=values, text=paragraph(rng, 1))
    return entries


def _news(setting: sim.Setting) -> Entries:
    (rng, cast), headlines = setting, made_up("headlines")
    days = sorted((day_before(rng, cast.today) for _ in headlines), reverse=True)
    return {
        slug(headline): Entry(title=headline, values={"Date": day, "By": rng.choice(cast.people)}, text=paragraph(rng, 3))
        for headline, day in zip(rng.sample(headlines, len(headlines)), days, strict=True)
    }


def _limits(setting: sim.Setting) -> Entries:
    return {
        slug(name): Entry(title=name, values={city: amount(setting.rng, low, high) for city in made_up("cities")})
        for name, (low, high) in made_up("travel_limits").items()
    }


def _rooms(setting: sim.Setting) -> Entries:
    """No two have as many seats, and one is a hall."""
    rng, rooms = setting.rng, made_up("rooms")
    seats = rng.sample(range(4, 20), len(rooms) - 1)
    seats.insert(rng.randrange(len(rooms)), rng.randrange(20, 31))
    return {
        slug(name): Entry(title=name, values={"Seats": str(many), "Floor": str(rng.randrange(1, 6))})
        for name, many in zip(rooms, seats, strict=True)
    }


def _payslips(setting: sim.Setting) -> Entries:
    rng, today, entries = setting.rng, setting.cast.today, {}
    for back in range(1, 7):
        year, month = divmod(today.year * 12 + today.month - 1 - back, 12)
        values = {"Gross": amount(rng, 4000, 5000), "Net": amount(rng, 2500, 3500),
                  "Travel allowance": amount(rng, 20, 300)}  # fmt: skip
        name = f"{date(year, month + 1, 1):%B %Y}"
        entries[slug(name)] = Entry(title=name, values=values)
    return entries
