"""The intranet that the seed makes up: handbook, people, catalogue, rooms, news and payslips."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from environments.simulated.app import Setting
from environments.simulated.apps.web.browser.content import Site
from environments.simulated.world.generate import amount, day_before, mail_address, paragraph
from environments.simulated.world.values import Model, slug

_DEPARTMENTS = ("Sales", "Finance", "Engineering", "Marketing", "Operations", "Legal", "Support")
_ROLES = ("Manager", "Specialist", "Assistant", "Analyst", "Coordinator", "Engineer")
_ROOMS = ("Aurora", "Boreal", "Cedar", "Dune", "Estuary", "Fjord")
_KINDS = {
    "Furniture": ("Desk lamp", "Office chair", "Bookshelf", "Whiteboard", "Footrest"),
    "Hardware": ("Monitor", "Keyboard", "Headset", "Docking station", "Webcam"),
    "Stationery": ("Notebook", "Pen set", "Stapler", "Label printer", "Paper pack"),
    "Kitchen": ("Coffee machine", "Kettle", "Mug set", "Water filter", "Tea box"),
}
_MAKES = ("Classic", "Nova", "Comfort", "Pro", "Basic", "Eco", "Studio", "Prime")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_CITIES = ("Basel", "Dublin", "Lisbon", "Oslo", "Prague", "Vienna")
_HEADLINES = ("Canteen opens again", "New parking rules", "Results of the survey", "Summer party", "Fire drill",
              "Printers replaced", "Welcome to our trainees", "Bicycle week", "Network maintenance",
              "Visitors from Japan", "Blood donation", "Holiday planning")  # fmt: skip


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


def intranet(made: IntranetPlan, setting: Setting) -> Site:
    """A company's own pages. Its people and vendors are those of all the other apps."""
    rng = setting.rng
    login = {"user": mail_address(setting.cast.user), "password": f"{rng.choice(_ROOMS).casefold()}-{rng.randrange(1000, 10000)}",
             "pages": made.session}  # fmt: skip
    pages = {**_front(), **_handbook(setting), **_services(made, setting)}
    return Site.model_validate(
        {
            "title": "Intranet",
            "menu": [{"text": name, "to": to} for name, to in
                     (("Home", "/"), ("Handbook", "/handbook"), ("People", "/people"), ("Catalogue", "/catalogue"),
                      ("News", "/news"), ("Payroll", "/payroll"))],
            "pages": pages,
            "collections": {
                "people": _people(setting),
                "items": _items(made, setting),
                "news": _news(setting),
                "limits": _limits(setting),
                "rooms": _rooms(setting),
                "payslips": _payslips(setting),
            },
            "login": login,
            "consent": {} if made.consent else None,
        }
    )  # fmt: skip


def _front() -> dict[str, Any]:
    return {
        "/": {
            "title": "Welcome to the intranet",
            "blocks": [
                {"text": "Everything for your working day in one place."},
                {"image": {"file": "people-icon.png", "to": "/people"}},
                {"image": {"file": "team.jpg", "alt": "The team at the summer party"}},
                {"heading": "Often used"},
                {"list": [{"text": "Travel policy", "to": "/handbook/travel"}, {"text": "Book a room", "to": "/rooms"},
                          {"text": "Report a problem", "to": "/helpdesk"}]},
                {"link": {"text": "What is new", "to": "/news", "plain": True}},
            ],
        },
        "/rules/travel": {"redirect": "/handbook/travel"},
        "/people": {"title": "People", "blocks": [{"collection": "people"}]},
        "/catalogue": {"title": "Catalogue", "blocks": [
            {"text": "Order what you need for your work. Prices are in dollars."}, {"collection": "items"}]},
        "/news": {"title": "News", "blocks": [{"collection": "news"}]},
        "/payroll": {"title": "Your payslips", "private": True, "blocks": [
            {"text": "Only you can see this page."}, {"collection": "payslips"}]},
    }  # fmt: skip


def _handbook(setting: Setting) -> dict[str, Any]:
    """Chapters with figures in them; each leads on to the next."""
    rng, vendor = setting.rng, setting.rng.choice(setting.cast.vendors)
    chapters: dict[str, tuple[str, list[dict[str, Any]]]] = {
        "working-hours": ("Working hours", [
            {"text": f"The regular week has {rng.choice((36, 38, 39, 40))} hours. Core time is from 10:00 to 15:00."},
            {"text": f"Overtime of more than {rng.randrange(5, 16)} hours a month needs your manager's consent."}]),
        "leave": ("Leave", [
            {"text": f"You have {rng.randrange(24, 33)} days of leave a year; up to {rng.randrange(3, 9)} can be carried over."},
            {"text": f"After {rng.randrange(2, 5)} days of illness a certificate is needed."}]),
        "travel": ("Travel policy", [
            {"text": "Book the cheapest way that gets you there in time. These limits hold for each person, in dollars:"},
            {"collection": "limits"},
            {"text": f"Trips are booked with {vendor}. See also the rules for expenses."},
            {"link": {"text": "travel-checklist.txt", "download": "Passport\nTickets\nHotel\nReceipts\n"}},
            {"link": {"text": "Expenses", "to": "/handbook/expenses"}}]),
        "expenses": ("Expenses", [
            {"text": f"Hand in your claim within {rng.choice((14, 21, 30, 45, 60))} days of the purchase."},
            {"text": f"Receipts are needed from ${amount(rng, 5, 40)} on. "
                     f"Above ${amount(rng, 200, 900)} ask your manager first."}]),
        "equipment": ("Equipment", [
            {"text": f"A laptop is replaced after {rng.randrange(3, 6)} years. Order small things from the catalogue."},
            {"link": {"text": "Open the catalogue", "to": "/catalogue", "new": True}}]),
        "security": ("Security", [
            {"text": f"Passwords have at least {rng.randrange(10, 17)} characters. Nobody will ever ask you for yours."}]),
        "remote-work": ("Remote work", [
            {"text": f"Up to {rng.randrange(2, 5)} days a week may be worked from home."}]),
        "training": ("Training", [
            {"text": f"Each year ${amount(rng, 300, 2000)} can be spent on your training."}]),
    }  # fmt: skip
    names = list(chapters)
    pages: dict[str, Any] = {
        "/handbook": {
            "title": "Handbook",
            "blocks": [
                {"text": "The rules of the house, chapter by chapter."},
                {"list": [{"text": title, "to": f"/handbook/{name}"} for name, (title, _) in chapters.items()]},
            ],
        }
    }
    for name, after in zip(names, (*names[1:], ""), strict=True):
        title, blocks = chapters[name]
        onward = [{"link": {"text": f"Next chapter: {chapters[after][0]}", "to": f"/handbook/{after}"}}] if after else []
        pages[f"/handbook/{name}"] = {"title": title, "blocks": [*blocks, *onward]}
    return pages


def _services(made: IntranetPlan, setting: Setting) -> dict[str, Any]:
    """Pages with forms."""
    bound = "near" if made.near else "for"
    booking = [
        {"label": "Room", "kind": "select", "options": list(_ROOMS), "required": True, "placeholder": "Choose a room"},
        {"label": "Day", "name": "day", "kind": "date", "required": True, "bound": bound},
        {"label": "From", "required": True, "placeholder": "09:00", "bound": bound},
        {"label": "Persons", "kind": "number", "least": 1, "most": 40, "value": "2"},
        {"label": "Contact", "kind": "email", "value": mail_address(setting.cast.user)},
        {"label": "With coffee", "name": "coffee", "kind": "checkbox"},
    ]
    trouble = [
        {"label": "What is it about?", "name": "topic", "kind": "select", "options": ["Computer", "Network", "Printer", "Other"],
         "required": True, "placeholder": "Choose"},
        {"label": "Subject", "required": True, "bound": bound},
        {"label": "Description", "kind": "area", "bound": bound},
        {"label": "It is urgent", "name": "urgent", "kind": "checkbox"},
    ]  # fmt: skip
    letter = {"sender": "rooms@example.com", "subject": "Room booked", "text": "Your booking has the number {number}."}
    return {
        "/rooms": {"title": "Book a room", "blocks": [
            {"collection": "rooms"},
            {"form": {"title": "Booking", "fields": booking, "button": "Book", "confirm": "Book this room?", "letter": letter,
                      "done": "The room is booked. Your booking has the number {number}."}}]},
        "/helpdesk": {"title": "Helpdesk", "blocks": [
            {"text": "Describe the problem and we will come back to you."},
            {"form": {"title": "Report a problem", "fields": trouble, "button": "Send",
                      "done": "We have your report. Its number is {number}."}}]},
    }  # fmt: skip


def _people(setting: Setting) -> dict[str, Any]:
    rng, cast = setting.rng, setting.cast
    names = (cast.user, *cast.people)
    entries = {
        slug(name): {
            "title": name,
            "values": {
                "Department": rng.choice(_DEPARTMENTS),
                "Role": rng.choice(_ROLES),
                "Phone": f"{rng.randrange(200, 1000)}-{rng.randrange(1000, 10000)}",
                "Room": f"{rng.randrange(1, 6)}.{rng.randrange(1, 40):02d}",
                "Mail": mail_address(name),
                "Deputy": rng.choice([other for other in names if other != name]),
            },
        }
        for name in sorted(set(names))
    }
    return {"noun": "people", "columns": ["Department", "Role"], "entries": entries, "size": 8}


def _items(made: IntranetPlan, setting: Setting) -> dict[str, Any]:
    rng, entries = setting.rng, {}
    taken: set[str] = set()
    for number in range(1001, 1001 + made.items * setting.cast.times):
        category = rng.choice(tuple(_KINDS))
        title = f"{rng.choice(_MAKES)} {rng.choice(_KINDS[category])} {rng.randrange(100, 1000)}"
        title = f"{title}/{number}" if title in taken else title
        taken.add(title)
        values = {"Number": f"K-{number}", "Category": category, "Price": amount(rng, 5, 400),
                  "Supplier": rng.choice(setting.cast.vendors), "Delivery": f"{rng.randrange(2, 15)} days"}  # fmt: skip
        entries[f"K-{number}"] = {"title": title, "values": values, "text": paragraph(rng, 1)}
    order = {
        "title": "Order",
        "fields": [
            {"label": "Quantity", "kind": "number", "least": 1, "most": 50, "required": True, "value": "1"},
            {"label": "Cost centre", "required": True, "placeholder": "e.g. 4100", "bound": "near" if made.near else "for"},
            {"label": "Reason", "kind": "area"},
            {"label": "Needed by", "kind": "date"},
        ],
        "button": "Request",
        "confirm": "Send this request?",
        "done": "Your request has the number {number}.",
    }
    return {"noun": "items", "first": "Item", "columns": ["Category", "Price"], "entries": entries, "each": [{"form": order}]}


def _news(setting: Setting) -> dict[str, Any]:
    rng, cast = setting.rng, setting.cast
    days = sorted((day_before(rng, cast.today) for _ in _HEADLINES), reverse=True)
    entries = {
        slug(headline): {"title": headline, "values": {"Date": day, "By": rng.choice(cast.people)}, "text": paragraph(rng, 3)}
        for headline, day in zip(rng.sample(_HEADLINES, len(_HEADLINES)), days, strict=True)
    }
    return {"noun": "news", "first": "Headline", "columns": ["Date"], "entries": entries, "size": 5}


def _limits(setting: Setting) -> dict[str, Any]:
    rng = setting.rng
    ranges = {
        "Hotel per night": (90, 220),
        "Meals per day": (25, 70),
        "Taxi per trip": (15, 60),
        "Flight within Europe": (150, 500),
    }
    entries = {
        slug(name): {"title": name, "values": {city: amount(rng, low, high) for city in _CITIES[:3]}}
        for name, (low, high) in ranges.items()
    }
    return {"noun": "limits", "first": "Limit", "columns": list(_CITIES[:3]), "entries": entries, "search": False, "links": False}


def _rooms(setting: Setting) -> dict[str, Any]:
    """No two have as many seats, and one is a hall."""
    seats = setting.rng.sample(range(4, 20), len(_ROOMS) - 1)
    seats.insert(setting.rng.randrange(len(_ROOMS)), setting.rng.randrange(20, 31))
    entries = {
        slug(name): {"title": name, "values": {"Seats": str(many), "Floor": str(setting.rng.randrange(1, 6))}}
        for name, many in zip(_ROOMS, seats, strict=True)
    }
    return {"noun": "rooms", "first": "Room", "columns": ["Seats", "Floor"], "entries": entries, "search": False, "links": False}


def _payslips(setting: Setting) -> dict[str, Any]:
    rng, today = setting.rng, setting.cast.today
    entries = {}
    for back in range(1, 7):
        month = (today.month - 1 - back) % 12
        year = today.year - (1 if back >= today.month else 0)
        name = f"{_MONTHS[month]} {year}"
        values = {"Gross": amount(rng, 4000, 5000), "Net": amount(rng, 2500, 3500),
                  "Travel allowance": amount(rng, 20, 300)}  # fmt: skip
        entries[slug(name)] = {"title": name, "values": values}
    return {"noun": "payslips", "first": "Month", "columns": ["Gross", "Net"], "entries": entries, "search": False}
