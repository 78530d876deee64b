"""Events that the seed makes up."""

from __future__ import annotations

from environments.simulated.app import Setting
from environments.simulated.apps.calendar_event import Meeting, later, monday
from environments.simulated.generate import TOPICS, paragraph


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
