"""A timetable says of each day what a look at every event would say."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from environments.simulated.apps.office.calendar.state import Meeting, Occurrence, Repeat, Timetable, later, stamp

_FIRST = datetime(2026, 2, 20)


@st.composite
def meetings(draw: st.DrawFn) -> dict[str, Meeting]:
    made: dict[str, Meeting] = {}
    for number in range(draw(st.integers(0, 8))):
        repeat: Repeat = draw(st.sampled_from(("Never", "Daily", "Weekly")))
        most = {"Never": 60 * 24 * 45, "Daily": 60 * 24, "Weekly": 60 * 24 * 7}[repeat]
        start = _FIRST + timedelta(minutes=draw(st.integers(0, 60 * 24 * 40)))
        end = start + timedelta(minutes=draw(st.sampled_from((30, 60 * 24, most)) | st.integers(1, most)))
        end = min(end, start + timedelta(minutes=most))
        made[str(number)] = Meeting(
            id=str(number),
            title=draw(st.sampled_from(("Budget", "Review"))),
            start=stamp(start),
            end=stamp(end),
            repeat=repeat,
            until=draw(st.sampled_from(("", "2026-03-10", "2026-04-01"))) if repeat != "Never" else "",
            answer=draw(st.sampled_from(("accepted", "invited", "declined"))),
        )
    return made


def _looked_at_each(every: dict[str, Meeting], first: str, last: str) -> list[Occurrence]:
    found = (one for m in every.values() if m.answer != "declined" for one in m.times(first, last))
    return sorted(found, key=lambda o: (o.start, o.end, o.meeting.title, o.meeting.id))


@given(meetings(), st.integers(0, 60), st.integers(0, 130))
def test_a_span_of_days_has_what_a_look_at_every_event_finds(every: dict[str, Meeting], begins: int, days: int) -> None:
    first = str(date(2026, 2, 15) + timedelta(days=begins))
    last = later(first, days)
    times = Timetable(every)
    assert times.between(first, last) == _looked_at_each(every, first, last)
    assert list(times.on(first)) == _looked_at_each(every, first, first)
