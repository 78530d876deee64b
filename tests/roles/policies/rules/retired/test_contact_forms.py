"""People are taken down from what stands under their letters."""

from __future__ import annotations

import pytest
from worked.rules_loop import Crew, world

WORLD = """
apps:
  mail:
    messages:
      - from: f@kite.org
        subject: Kites
        body: "Hello,\\nready since 2026-01-05.\\nMany thanks\\nFinn Aalto\\nKite Works\\nPhone 0341 555 77"
      - {from: g@kite.org, subject: Strings, body: "We have strings."}
  contacts: {contacts: [{name: Gro Vik, email: gro@vik.org}]}
open: [mail]
"""


@pytest.mark.parametrize(
    ("goal", "wanted"),
    [
        (
            'Somebody wrote to me about "Kites". Put the sender into my contacts with everything the signature says and with the'
            " address of the sender.",
            {"name": "Finn Aalto", "company": "Kite Works", "phone": "0341 555 77", "email": "f@kite.org"},
        ),
        (
            'Somebody wrote to me about "Kites". Add him to my contacts with the name and the phone number from the signature',
            {"name": "Finn Aalto", "company": "", "phone": "0341 555 77", "email": ""},
        ),
    ],
)
def test_a_person_is_taken_down_from_the_signature(goal: str, wanted: dict[str, str]) -> None:
    crew = Crew(world(WORLD), goal)
    assert crew.run() == "done", crew.why
    (new,) = [x for x in crew.state["contacts"]["contacts"].values() if x["name"] != "Gro Vik"]
    assert {key: new[key] or "" for key in wanted} == wanted


def test_without_a_signature_nobody_is_taken_down() -> None:
    goal = 'Somebody wrote to me about "Strings". Add them to my contacts with everything the signature says'
    crew = Crew(world(WORLD), goal)
    assert crew.run() != "done"
    assert len(crew.state["contacts"]["contacts"]) == 1
