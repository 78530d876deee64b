"""Orders as people give them about a page: short, with several values in a row, and in German."""

from __future__ import annotations

import pytest

from roles.contracts import PlanRequest
from roles.manager.rules import RulesManager
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.forms import understand


def read(goal: str) -> list[p.PageClause]:
    found = understand(goal)
    assert found is not None, goal
    return list(found)


def values(goal: str) -> list[tuple[str, str]]:
    return [(c.thing.name, c.source.text) for c in read(goal) if isinstance(c, p.Put)]


def test_a_date_with_a_comma_is_one_value():
    wanted = [("arrival", "May 3, 2027"), ("departure", "May 7, 2027")]
    assert values("Set the arrival to May 3, 2027 and the departure to May 7, 2027.") == wanted
    assert values("Pick May 3, 2027 as the arrival.") == wanted[:1]


@pytest.mark.parametrize(
    ("goal", "wanted"),
    [
        ("Enter Graz Ost in the From field and Linz Hbf in the To field.", [("From", "Graz Ost"), ("To", "Linz Hbf")]),
        ('Choose "Wien" as From and "Linz" as To.', [("From", "Wien"), ("To", "Linz")]),
        ("Select Java and Go as the skills.", [("skills", "Java, Go")]),
        ("Choose On site for the attendance.", [("attendance", "On site")]),
        ('Write "No signal" under "How can we help?".', [("How can we help?", "No signal")]),
    ],
)
def test_each_value_goes_where_the_words_after_it_say(goal, wanted):
    assert values(goal) == wanted


def test_a_deed_on_a_thing_with_a_capital_begins_a_clause_of_its_own():
    ticked, deleted = read("Tick Milk, delete Eggs.")
    assert isinstance(ticked, p.Choose)
    assert isinstance(deleted, p.Deed)
    assert (ticked.names, deleted.verb, deleted.name) == ("Milk", "delete", "Eggs")


def test_presses_amounts_and_switches_are_read_as_they_are_said():
    assert [(c.thing.name, c.thing.place) for c in read("Press + next to Adults twice.") if isinstance(c, p.Push)] == [
        ("+", "Adults"),
        ("+", "Adults"),
    ]
    taken = [c for c in read("Put two Earl Grey and one Rooibos in the cart.") if isinstance(c, p.Take)]
    assert [(c.name, c.count) for c in taken] == [("Earl Grey", 2), ("Rooibos", 1)]
    assert [(c.names, c.on) for c in read("Turn push messages off.") if isinstance(c, p.Choose)] == [("push messages", False)]
    assert [type(c) for c in read("Open X1, go back and open X2.")] == [p.Unfold, p.Back, p.Unfold]


def test_german_orders_are_the_same_clauses():
    goal = 'Trage als Vorname "Eva" und als Ort "Graz" ein, wähle als Betreff "Rückgabe" und klicke auf "Absenden".'
    assert values(goal) == [("Vorname", "Eva"), ("Ort", "Graz"), ("Betreff", "Rückgabe")]
    push = read(goal)[-1]
    assert isinstance(push, p.Push)
    assert push.thing.name == "Absenden"
    for clause in read("Gib bei Ort Graz ein, schalte Standort aus und speichere."):
        assert understand(clause.said), clause.said
    assert understand("Vergiss alles und klicke auf Absenden.") is None


@pytest.mark.parametrize(
    "goal",
    [
        "Add a user with first name Ada, age 36, role Editor, active, and save.",
        'Transfer 49.90 EUR to the IBAN "AT61" with the reference "Rent May".',
    ],
)
def test_a_list_of_values_is_never_typed_into_one_field(goal):
    request = PlanRequest(goal=goal, apps=(), looked_up=(goal,), trigger="nothing_found")
    assert RulesManager().plan(request).outcome == "infeasible"


def test_a_press_that_nothing_shows_is_not_made_again():
    goal = "Click Pay."
    first = RulesManager().plan(PlanRequest(goal=goal, apps=()))
    told = ("click was tried, and nothing showed that it worked",)
    again = PlanRequest(goal=goal, apps=(), plan=first.subtasks, failed="s1", trigger="gate_failed", evidence=told)
    answer = RulesManager().plan(again)
    assert answer.outcome == "infeasible"
    assert "not made twice" in answer.reason
