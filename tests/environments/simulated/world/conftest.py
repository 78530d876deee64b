"""A small world to which a test adds rules."""

import pytest

BASE = """
user: Mara Lind
starts: "2026-03-02 08:30"
apps:
  reimbursement:
  notes: {notes: [{title: Plan, body: one}]}
  mail: {messages: []}
  chat: {conversations: [{id: team, title: Team, members: [Ada]}]}
open: [reimbursement]
events:
"""


@pytest.fixture
def ruled(hand):
    """`ruled(rule, …)` gives a Hand on the world with these rules."""
    return lambda *rules, **more: hand(BASE + "".join(f"  - {rule}\n" for rule in rules), **more)
