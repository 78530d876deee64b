"""People, vendors and days of a world that says nothing of its own, drawn from the seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from environments.simulated.world.values import from_cents

FIRST = (  # noqa: SIM905 - twenty words are easier to read than twenty strings
    "Ada Bilal Chen Dora Emeka Farah Goran Hana Iris Jonas Kaya Lior Mina Nils Olga Pavel Quentin Rosa Sven Tala "
    "Uma Viktor Wanda Yusuf Zoe"
).split()
LAST = (  # noqa: SIM905 - twenty words are easier to read than twenty strings
    "Abbott Brandt Castro Dubois Eriksen Fischer Garcia Haddad Ivanov Jensen Kowalski Lindgren Moreau Novak Okafor "
    "Petrov Quist Rossi Sato Tanaka Usman Varga Weber Young"
).split()
_STEM = (  # noqa: SIM905 - twenty words are easier to read than twenty strings
    "Acme Birch Cobalt Delta Ember Falcon Granite Harbor Indigo Juniper Krona Lumen Meridian Northwind Orchid "
    "Pioneer Quartz Redwood Summit Tidal Umbra Vertex Willow Zephyr"
).split()
_TRADE = ("Supplies", "Logistics", "Software", "Travel", "Catering", "Print", "Hardware", "Energy", "Telecom", "Media")
_FORM = ("Ltd", "Inc", "GmbH", "LLC", "& Co")
TOPICS = (  # noqa: SIM905 - twenty words are easier to read than twenty strings
    "budget review, quarterly report, team lunch, travel plan, new laptop, office move, training day, client visit, "
    "release notes, holiday schedule, security audit, printer order"
).split(", ")
_SENTENCES = (
    "Please have a look when you have a minute.",
    "The details are in the shared folder.",
    "I will call you about it.",
    "Could you confirm the numbers?",
    "Nothing urgent, just for your information.",
    "Let me know what you think.",
    "We should settle this before the end of the month.",
    "Thanks for your help with this.",
)


class SharedPeople(NamedTuple):
    """Who and what all apps of a world have in common."""

    user: str
    people: tuple[str, ...]
    vendors: tuple[str, ...]
    today: date
    times: int = 1
    """How many times as much is made up as the world says."""


def cast_for(seed: int, user: str | None = None, today: date | None = None) -> SharedPeople:
    rng = random.Random(f"{seed}:cast")  # noqa: S311 - variation, not secrecy
    names = [f"{first} {last}" for first, last in zip(rng.sample(FIRST, 12), rng.sample(LAST, 12), strict=True)]
    vendors = [f"{stem} {rng.choice(_TRADE)} {rng.choice(_FORM)}" for stem in rng.sample(_STEM, 12)]
    day = date(2026, 1, 5) + timedelta(days=rng.randrange(300))
    return SharedPeople(user or names[0], tuple(names[1:]), tuple(vendors), today or day)


def how_many(given: Sequence[Any] | Mapping[str, Any] | None, generate: int | None, otherwise: int, times: int = 1) -> int:
    """How much to make up: as much as the world file says, else only where it gives nothing itself; `times` as often."""
    return times * (generate if generate is not None else otherwise if given is None else 0)


def highest(names: Iterable[str]) -> int:
    """The highest number among the names; what is made later is numbered on from there."""
    return max((int(name) for name in names if len(name) < 10 and name.isascii() and name.isdigit()), default=0)


def mail_address(name: str) -> str:
    return ".".join(name.casefold().split()) + "@example.com"


def amount(rng: random.Random, low: int = 20, high: int = 900) -> str:
    return from_cents(rng.randrange(low * 100, high * 100))


def day_before(rng: random.Random, today: date, most: int = 120) -> str:
    return (today - timedelta(days=rng.randrange(most))).isoformat()


def day_after(rng: random.Random, day: str, most: int = 45) -> str:
    return (date.fromisoformat(day) + timedelta(days=rng.randrange(14, most))).isoformat()


def paragraph(rng: random.Random, sentences: int = 3) -> str:
    return " ".join(rng.sample(_SENTENCES, sentences))
