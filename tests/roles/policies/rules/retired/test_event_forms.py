"""Events as people ask for them: once or again and again, with others, at an hour that has to be found."""

from __future__ import annotations

from typing import Any

import pytest
from worked.rules_loop import Crew, world

from roles.policies.rules.grammar import describe, parse
from roles.policies.rules.retired.event_forms import FREE, later
from roles.screen.language import clauses as c

WORLD = """
today: 2026-05-04
apps:
  calendar:
    events:
      - {id: a, title: Gym, start: "2026-05-12 08:00", end: "2026-05-12 09:30"}
      - {id: b, title: Lunch, start: "2026-05-12 12:00", end: "2026-05-12 13:00"}
  chat:
    conversations:
      - id: bo
        title: Bo Berg
        messages:
          - {from: Bo Berg, text: "On 2026-05-12 it could be 09:00, 12:30 or 15:00."}
          - {from: Bo Berg, text: "On 2026-05-13 only 08:00 or 10:00."}
  contacts: {contacts: [{name: Bo Berg, email: bo@b.org}]}
open: [calendar]
"""


def made(crew: Crew) -> dict[str, Any]:
    (event,) = [m for m in crew.state["calendar"]["meetings"].values() if m["id"] not in {"a", "b"}]
    return event


@pytest.mark.parametrize(
    ("goal", "when", "repeat"),
    [
        (
            'Schedule a meeting called "Choir" with Bo Berg in my calendar on 2026-05-20 at three in the afternoon for 90'
            " minutes",
            ("2026-05-20 15:00", "2026-05-20 16:30"), ("Never", None),
        ),
        (
            'Add "Choir" to my calendar with Bo Berg, daily from 2026-05-20 to 2026-05-22, from 10:15 to 11:00, as a recurring'
            " event",
            ("2026-05-20 10:15", "2026-05-20 11:00"), ("Daily", "2026-05-22"),
        ),
    ],
)  # fmt: skip
def test_an_event_is_entered_as_it_was_said(goal: str, when: tuple[str, str], repeat: tuple[str, str]) -> None:
    crew = Crew(world(WORLD), goal)
    assert crew.run() == "done", crew.why
    event = made(crew)
    assert (event["start"], event["end"]) == when
    assert (event["title"], list(event["attendees"])) == ("Choir", ["Bo Berg"])
    assert (event["repeat"], event.get("until") or None) == repeat


def free(day: str, minutes: str) -> str:
    return (
        f"Bo Berg wrote to me in chat which times fit on {day}. Find the hour when I am free too and add a meeting of"
        f' {minutes} called "Choir" with Bo Berg to my calendar.'
    )


@pytest.mark.parametrize(
    ("day", "minutes", "when"),
    [
        ("2026-05-12", "one hour", ("2026-05-12 15:00", "2026-05-12 16:00")),
        ("2026-05-13", "half an hour", ("2026-05-13 08:00", "2026-05-13 08:30")),
    ],
)
def test_the_first_hour_at_which_nothing_else_is_going_on_is_taken(day: str, minutes: str, when: tuple[str, str]) -> None:
    crew = Crew(world(WORLD), free(day, minutes), derived=frozenset(FREE))
    assert crew.run() == "done", crew.why
    assert (made(crew)["start"], made(crew)["end"]) == when


def test_a_day_of_which_nothing_was_said_gives_no_hour() -> None:
    crew = Crew(world(WORLD), free("2026-05-14", "one hour"))
    assert crew.run() != "done"
    assert len(crew.state["calendar"]["meetings"]) == 2


@pytest.mark.parametrize("minutes", [1, 59, 60, 90])
def test_the_end_of_an_event_is_as_long_after_its_begin(minutes: int) -> None:
    hour, minute = (int(part) for part in later("09:30", minutes).split(":"))
    assert hour * 60 + minute == 9 * 60 + 30 + minutes


@pytest.mark.parametrize("words", ['Put "Tea" into my calendar with some luck', 'Put "Tea" into my calendar whenever it suits'])
def test_an_event_whose_time_is_not_understood_is_not_made(words: str) -> None:
    assert not any(isinstance(x, c.Commit) for x in parse(words))


def test_a_search_for_a_free_hour_is_said_so_that_it_is_read_again() -> None:
    clause = c.Free("", "2026-05-12", c.Value(facts=("conversation hours on 2026-05-12",)), 45)
    assert parse(describe(clause)) == [clause]
