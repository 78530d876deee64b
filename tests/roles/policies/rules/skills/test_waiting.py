"""What is not there yet is waited for, no longer than said, and only then acted on."""

from __future__ import annotations

import pytest
from worked.rules_loop import Crew, world

from roles.policies.rules.grammar import describe, parse
from roles.screen.language import clauses as c

MAILS = """
apps:
  mail: {messages: [{from: ada@b.org, subject: Lunch, body: Today}, {from: bo@b.org, subject: Rent, body: due}]}
  notes: {}
open: [notes]
events:
  - when: {at: 40}
    mail: {from: ada@b.org, subject: Spare key, body: Where}
"""
HOUSE = """
apps:
  home:
    devices:
      - {name: Porch light, kind: light, room: Porch}
    cameras:
      - name: Porch camera
        room: Porch
        moments: [{says: An empty porch}, {at: 50, says: A grey cat sits on the steps}]
open: [home]
"""


def sent(crew: Crew) -> list[tuple[str, str]]:
    return [(m["to"], m["body"]) for m in crew.state["mail"]["messages"].values() if m["folder"] == "Sent"]


@pytest.mark.parametrize(
    "goal",
    [
        'When a mail from ada@b.org about the spare key comes in, reply to it saying "Under the mat."',
        "Within three minutes ada@b.org will send me a mail about the spare key. Once it has arrived, reply to it saying"
        ' "Under the mat."',
        'As soon as a mail from ada@b.org with the subject "Spare key" arrives, answer to it saying "Under the mat."',
    ],
)
def test_a_mail_that_is_to_come_is_answered_once_it_is_there(goal: str) -> None:
    crew = Crew(world(MAILS), goal)
    assert crew.run() == "done", crew.why
    assert [(str(to), body.split("\n")[0]) for to, body in sent(crew)] == [("ada@b.org", "Under the mat.")]
    assert any(step.action["action_type"] == "wait" for step in crew.steps)


def test_a_mail_that_does_not_come_in_time_is_not_waited_for_any_longer() -> None:
    crew = Crew(world(MAILS.replace("at: 40", "at: 4000")), 'Within one minute ada@b.org sends a mail about the spare key; when'
                ' it is there, reply to it saying "Yes"')  # fmt: skip
    assert crew.run() == "infeasible"
    assert "did not come within" in crew.why
    assert sent(crew) == []


@pytest.mark.parametrize("words", ["When the porch camera shows a cat, turn on the porch light", "Wait until the porch camera"
                                   " sees a grey cat, then switch the porch light on"])  # fmt: skip
def test_a_picture_is_waited_for(words: str) -> None:
    crew = Crew(world(HOUSE), words)
    assert crew.run() == "done", crew.why
    assert next(iter(crew.state["home"]["devices"].values()))["on"]
    assert crew.desktop.world()["clock"] >= 50


def test_what_is_waited_for_is_said_so_that_it_is_read_again() -> None:
    for clause in (
        c.Await("", c.Entity("mail", name="Ada", subject="x y"), "", 150.0),
        c.Await("home", c.Entity("picture", name="porch camera"), "grey cat"),
    ):
        assert parse(describe(clause)) == [clause]
