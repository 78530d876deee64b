"""An event of the calendar, and how days, hours and repetitions are read and counted."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BeforeValidator, Field, model_validator

from environments.simulated.app import Setting
from environments.simulated.world.generate import TOPICS, paragraph
from environments.simulated.world.values import Model, parse_day

Repeat = Literal["Never", "Daily", "Weekly"]
REPEATS: tuple[Repeat, ...] = ("Never", "Daily", "Weekly")
Reminder = Literal["None", "5 minutes before", "15 minutes before", "1 hour before", "1 day before"]
REMINDERS: tuple[Reminder, ...] = ("None", "5 minutes before", "15 minutes before", "1 hour before", "1 day before")
Answer = Literal["accepted", "invited", "declined"]
STEP = {"Daily": 1, "Weekly": 7}
"""How many days lie between two repetitions."""
_TIME = re.compile(r"^(\d{1,2})(?:[:.h]?(\d{2}))?\s*(am|pm)?$")
_MOMENT = re.compile(r"^(.{6,30}?)[T ,]\s*(\d{1,2}(?:[:.h]?\d{2})?\s*(?:am|pm)?)(?::00)?$", re.IGNORECASE)


def read_day(text: str) -> str | None:
    """A day from 1900 to 2200 in one of the usual notations as `2026-03-31`; None when it is none."""
    found = parse_day(text) if len(text) < 40 else None
    return found if found and "1900" <= found[:4] < "2200" else None


def read_time(text: str) -> str | None:
    """`9:30`, `9.30`, `930` or `9:30 am` as `09:30`; None when it is no time."""
    found = _TIME.match(text.strip().casefold()) if text.isascii() and len(text) < 20 else None
    if not found:
        return None
    hour, minute, half = int(found[1]), int(found[2] or 0), found[3]
    if half and not 1 <= hour <= 12:
        return None
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else None


def read_moment(text: str) -> str | None:
    """A day and a time as `2026-03-31 09:30`; None when it is not both."""
    found = _MOMENT.match(text.strip())
    day, hour = (read_day(found[1]), read_time(found[2])) if found else (None, None)
    return f"{day} {hour}" if day and hour else None


def _moment(value: Any) -> Any:
    if isinstance(value, datetime):
        value = value.isoformat(" ", "minutes")
    if isinstance(value, str):
        known = read_moment(value)
        if known is None:
            raise ValueError(f'{value!r} is no day and time; write it like "2026-03-31 09:30"')
        return known
    return value


def _known_day(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str) and value:
        known = read_day(value)
        if known is None:
            raise ValueError(f'{value!r} is no day; write it like "2026-03-31"')
        return known
    return value


Moment = Annotated[str, BeforeValidator(_moment)]
"""A day and a time, kept as `2026-03-31 09:30`."""
KnownDay = Annotated[str, BeforeValidator(_known_day)]
"""A day, kept as `2026-03-31`; may be empty."""


class Meeting(Model):
    """An event, with all its repetitions."""

    id: str = Field(default="", pattern=r"^[\w-]*$")
    title: str = Field(min_length=1)
    start: Moment
    end: Moment
    place: str = ""
    attendees: tuple[str, ...] = ()
    description: str = ""
    repeat: Repeat = "Never"
    until: KnownDay = ""
    """Last day on which a repetition may start; empty for no end."""
    reminder: Reminder = "None"
    answer: Answer = "accepted"
    organizer: str = ""

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"{self.title}: the end {self.end} is not after the start {self.start}")
        if self.repeat != "Never" and self.length > timedelta(days=STEP[self.repeat]):
            raise ValueError(f"{self.title}: it is longer than the time between its repetitions")
        return self

    @property
    def invitation(self) -> bool:
        return bool(self.organizer) or self.answer != "accepted"

    @property
    def length(self) -> timedelta:
        return datetime.fromisoformat(self.end) - datetime.fromisoformat(self.start)


class Occurrence(NamedTuple):
    """One time at which an event takes place."""

    start: str
    end: str
    meeting: Meeting

    @property
    def day(self) -> str:
        return self.start[:10]

    @property
    def hours(self) -> str:
        return f"{self.start[11:]}–{self.end[11:]}" if self.end[:10] == self.day else f"{self.start[11:]}–{self.end}"


def later(day: str, days: int) -> str:
    return str(date.fromisoformat(day) + timedelta(days=days))


def monday(day: str) -> str:
    return later(day, -date.fromisoformat(day).weekday())


def month_start(day: str, months: int = 0) -> str:
    """The first day of the month, or of one so many months on."""
    count = int(day[:4]) * 12 + int(day[5:7]) - 1 + months
    return f"{count // 12:04d}-{count % 12 + 1:02d}-01"


def written_day(day: str) -> str:
    """`2026-03-05` as `Thu 5 March 2026`."""
    when = date.fromisoformat(day)
    return f"{when:%a} {when.day} {when:%B %Y}"


def stamp(moment: datetime) -> str:
    return moment.isoformat(" ", "minutes")


def last_day(end: str) -> str:
    """The last day that something touches: what ends at midnight does not touch the day after."""
    return str(date.fromisoformat(end[:10]) - timedelta(days=1)) if end.endswith("00:00") else end[:10]


def moved(meeting: Meeting, start: str) -> Meeting:
    """The event at another time, as long as before."""
    end = stamp(datetime.fromisoformat(start) + meeting.length)
    return meeting.model_copy(update={"start": start, "end": end})


def moment_after(moment: str, minutes: int) -> str:
    return stamp(datetime.fromisoformat(moment) + timedelta(minutes=minutes))


def hour_after(clock: str) -> str:
    """An hour later on the same day, at the latest 23:59."""
    when = datetime.combine(date.min, time.fromisoformat(clock)) + timedelta(hours=1)
    return f"{when:%H:%M}" if when.date() == date.min else "23:59"


def generated(many: int, setting: Setting) -> tuple[Meeting, ...]:
    """Events of one to two hours on working days, from two weeks ago to four weeks on."""
    rng, cast = setting
    made = []
    for number in range(many):
        day = later(monday(cast.today.isoformat()), 7 * rng.randrange(-2, 5) + rng.randrange(5))
        hour, minute = rng.randrange(8, 17), rng.choice((0, 0, 30))
        people = tuple(rng.sample(cast.people, rng.randint(1, 3)))
        invited = number % 6 == 5 and day > cast.today.isoformat()
        made.append(
            Meeting(
                title=f"{rng.choice(TOPICS).capitalize()}",
                start=f"{day} {hour:02d}:{minute:02d}",
                end=f"{day} {hour + 1:02d}:{rng.choice((minute, 45)):02d}",
                place=rng.choice(("Room 1", "Room 2", "Room 4", "Online", "")),
                attendees=people,
                description=paragraph(rng, 1),
                repeat="Weekly" if number % 8 == 7 else "Never",
                reminder=rng.choice(("None", "15 minutes before")),
                answer="invited" if invited else "accepted",
                organizer=people[0] if invited else "",
            )
        )
    return tuple(made)
