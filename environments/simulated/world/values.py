"""Values that apps share: money, days and names, read leniently and kept in one form."""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from typing import Annotated, Any, Generic, NamedTuple, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict

from environments.files.yaml_lines import packaged

T = TypeVar("T")
B = TypeVar("B", bound=BaseModel)
T_co = TypeVar("T_co", covariant=True)
_MONEY = re.compile(r"^\s*(?:[A-Z]{3}|[$€£¥])?\s*(\d[\d.,' ]*)\s*(?:[A-Z]{3}|[$€£¥])?\s*$")
_ENGLISH = re.compile(r"^(?:\d+|\d{1,3}(?:[,' ]\d{3})+)(?:\.(\d{1,2}))?$")
_CONTINENTAL = re.compile(r"^(?:\d+|\d{1,3}(?:[.' ]\d{3})+)(?:,(\d{1,2}))$")
_DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%Y/%m/%d")


_new, _put = object.__new__, object.__setattr__


def built(kind: type[B], values: Mapping[str, object], said: set[str] | None = None) -> B:
    """A model without validation, which costs more than all the rest of a screen. `said` are the fields that were given, by
    default all."""
    model = _new(kind)
    _put(model, "__dict__", values)
    _put(model, "__pydantic_fields_set__", _fields_of(kind) if said is None else said)
    _put(model, "__pydantic_extra__", None)
    _put(model, "__pydantic_private__", None)
    return model


@cache
def _fields_of(kind: type[BaseModel]) -> set[str]:
    return set(kind.model_fields)


class Model(BaseModel):
    """A frozen, closed value that also takes `1042` where YAML meant the word "1042"."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True, defer_build=True)

    def replace(self, **fields: Any) -> Self:
        """The same with other values in these fields, which are not validated."""
        said = self.__pydantic_fields_set__
        return built(type(self), {**self.__dict__, **fields}, said if fields.keys() <= said else said | fields.keys())


class IdentityKey(Generic[T_co]):
    """Stands for an object in a cache's key: equal only to the very same object, which it keeps alive."""

    __slots__ = ("value",)

    def __init__(self, value: T_co) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self.value is other.value


def parse_money(text: str) -> str | None:
    """`$1,248.9`, `1248.90` or `1.248,90 EUR` as `1248.90`; None when it is no amount."""
    found = _MONEY.match(text)
    if not found:
        return None
    number = found.group(1).strip()
    for pattern in (_ENGLISH, _CONTINENTAL):
        if fits := pattern.match(number):
            cents = (fits.group(1) or "0").ljust(2, "0")
            whole = number[: fits.start(1) - 1] if fits.group(1) else number
            return f"{int(re.sub(r'[^0-9]', '', whole))}.{cents}"
    return None


def parse_day(text: str) -> str | None:
    """A day in one of the usual notations as `2026-03-31`; None when it is no day."""
    for form in _DAYS:
        try:
            return datetime.strptime(text.strip(), form).date().isoformat()
        except ValueError:
            continue
    return None


def in_cents(amount: str) -> int:
    whole, _, cents = amount.partition(".")
    return int(whole) * 100 + int(cents)


def from_cents(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def shown(amount: str, currency: str) -> str:
    """`1248.90` as a page shows it: `$1,248.90`."""
    return f"{currency}{in_cents(amount) // 100:,}.{amount[-2:]}"


def slug(text: str) -> str:
    """A short name for keys: `Mark as read` becomes `mark-as-read`."""
    return re.sub(r"[^\w]+", "-", text.casefold()).strip("-") or "x"


def matches(query: str, *texts: str) -> bool:
    """Whether every word of the query occurs in the texts."""
    whole = " ".join(texts).casefold()
    return all(word in whole for word in query.casefold().split())


def page_of(items: Sequence[T], page: int, size: int) -> tuple[Sequence[T], int, int]:
    """The items of a page (counted from 1), the page that it really is, and how many there are."""
    pages = max(1, -(-len(items) // size))
    page = min(max(1, page), pages)
    return items[(page - 1) * size : page * size], page, pages


def reading(parse: Callable[[str], str | None], what: str, example: str) -> BeforeValidator:
    """Keeps a text in the one form that `parse` gives. Raises ValueError for one that is not `what` it should be."""

    def read(value: Any) -> Any:
        if isinstance(value, date):
            value = value.isoformat(" ", "minutes") if isinstance(value, datetime) else value.isoformat()
        if not isinstance(value, str):
            return value
        known = parse(value)
        if known is None:
            raise ValueError(f'{value!r} is {what}; write it like "{example}"')
        return known

    return BeforeValidator(read)


def _priced(value: Any) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:.2f}" if number else value


Money = Annotated[str, reading(parse_money, "not an amount of money", "248.90"), BeforeValidator(_priced)]
"""An amount, kept as `248.90`; may be written as a number, or with a currency sign."""
Day = Annotated[str, BeforeValidator(lambda value: value.isoformat() if isinstance(value, date) else value)]
"""A day as the world file words it; YAML's own dates become `2026-03-31`."""


_DRAW = re.compile(r"\{(\w+)([ .\w]*)\}")


def drawn(part: Any, rng: random.Random, named: Mapping[str, object]) -> Any:
    """A part of a template with what is drawn in place of each `{choice 1 2}`, `{range 1 9}` (the last one left out), `{chance
    0.5}` and `{amount 5 40}`, in the order of the file, and with what is `named` there; other braces stay."""

    def draw(match: re.Match[str]) -> str:
        kind, numbers = match[1], match[2].split()
        if kind == "choice":
            return str(rng.choice(numbers))
        if kind == "range":
            return str(rng.randrange(*map(int, numbers)))
        if kind == "chance":
            return str(rng.random() < float(numbers[0]))
        return amount(rng, *map(int, numbers)) if kind == "amount" else str(named.get(kind, match[0]))

    if isinstance(part, dict):
        return {name: drawn(value, rng, named) for name, value in part.items()}
    if isinstance(part, list):
        return [drawn(value, rng, named) for value in part]
    return _DRAW.sub(draw, part) if isinstance(part, str) else part


def made_up(kind: str) -> Any:
    """The words of a kind that the seed draws from."""
    return packaged("environments.simulated.world", "made_up.yaml")[kind]


class SharedPeople(NamedTuple):
    """Who and what all apps of a world have in common."""

    user: str
    people: tuple[str, ...]
    vendors: tuple[str, ...]
    today: date
    times: int = 1
    """How many times as much is made up as the world says."""


def cast_for(seed: int, user: str | None, today: date | None) -> SharedPeople:
    rng = random.Random(f"{seed}:cast")  # noqa: S311 - variation, not secrecy
    firsts, lasts = rng.sample(made_up("first_names"), 12), rng.sample(made_up("last_names"), 12)
    names = [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]
    trades, forms = made_up("vendor_trades"), made_up("vendor_forms")
    vendors = [f"{stem} {rng.choice(trades)} {rng.choice(forms)}" for stem in rng.sample(made_up("vendor_stems"), 12)]
    day = date(2026, 1, 5) + timedelta(days=rng.randrange(300))
    return SharedPeople(user or names[0], tuple(names[1:]), tuple(vendors), today or day)


def how_many(given: Sequence[Any] | Mapping[str, Any] | None, generate: int | None, otherwise: int, times: int) -> int:
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


def day_after(rng: random.Random, day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=rng.randrange(14, 45))).isoformat()


def paragraph(rng: random.Random, sentences: int = 3) -> str:
    return " ".join(rng.sample(made_up("sentences"), sentences))


def topic(rng: random.Random) -> str:
    found: str = rng.choice(made_up("topics"))
    return found


def without(entries: Mapping[str, T], *keys: str) -> dict[str, T]:
    """The entries but for those of these keys."""
    return {key: entry for key, entry in entries.items() if key not in keys}
