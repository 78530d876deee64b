"""What is known: values and their kinds, facts, the blackboard in a prompt, and experience."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import GUIElement, VisualState
from roles.contracts import Board, Fact, FactKnown, FieldHas, PlanRequest, Subtask
from roles.contracts.facts import BoardSettings, checked_kind, kind_of, normal
from roles.contracts.signals import SubtaskStatus
from roles.journal.journal import Journal
from roles.knowledge.blackboard import board_of, fact_told, found, live_names, outcome_told
from roles.knowledge.pages.filling import values_in
from roles.policies.llm.subtask_words import facts_told
from roles.safety import SafetyPolicy
from roles.safety.case import Grounds
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import Vault


def journal(path: Path | None = None, redactor: Redactor | None = None) -> Journal:
    return Journal(path, lambda: 0.0, redactor, run_id="r1")


def on_screen(name: str, value: str, app: str, step: int, **more: object) -> Fact:
    return Fact.model_validate({"name": name, "value": value, "app": app, "source": "screen", "step": step, **more})


def told_length(board: Board) -> int:
    return sum(len(fact_told(fact)) + 3 for fact in board.facts) + sum(len(line) + 3 for line in board.left_out)


def test_a_fact_that_was_taken_of_another_and_a_subtask_that_has_ended_are_told_with_where_and_what_they_found() -> None:
    answer = Fact(name="answer", value="7", source="api", source_name="mail.list_messages", used=("total",))
    assert fact_told(answer) == "answer = 7 (the function mail.list_messages)"
    assert fact_told(answer.model_copy(update={"source": "facts", "source_name": ""})) == "answer = 7 (computed from total)"
    subtask = Subtask(id="s1", title="Read the bill", instruction="read", status=SubtaskStatus.FULFILLED)
    facts = [on_screen(f"f{n}", f"${n}.00", "billing", n, subtask="s1") for n in range(6)]
    found = "f0 = $0.00, f1 = $1.00, f2 = $2.00, f3 = $3.00 and 2 more"
    assert outcome_told(subtask, facts) == f"Read the bill: fulfilled; found {found}"


# --- the cap ----------------------------------------------------------------------------------------------------------

NAMES = st.from_regex(r"[a-z]{1,8}( [0-9]{1,3})?", fullmatch=True)
FACTS = st.lists(
    st.builds(
        Fact,
        name=NAMES,
        value=st.text(max_size=400) | st.sampled_from(["$5.00", "2026-01-02", "18:15", "7"]),
        kind=st.sampled_from(["text", "money", "date", "number", "time"]),
        subtask=st.sampled_from(["s1", "s2", "s3", ""]),
        step=st.integers(0, 99),
        source=st.sampled_from(["screen", "user", "model", ""]),
        role=st.sampled_from(["operator", "user", "analyst"]),
        private=st.booleans(),
    ),
    max_size=60,
    unique_by=lambda fact: fact.name.casefold(),
)
CAPS = st.builds(BoardSettings, most=st.integers(1, 30), characters=st.integers(200, 5_000))


def subtask_about(names: list[str]) -> Subtask:
    expect = tuple(FactKnown(name=name) if n % 2 else FieldHas(label="x", fact=name) for n, name in enumerate(names))
    return Subtask(id="t", title="t", instruction="go on", expect=expect)


@given(FACTS, CAPS, st.data())
def test_what_a_live_subtask_refers_to_is_always_told_and_nothing_else_goes_over_the_cap(
    facts: list[Fact], cap: BoardSettings, data: st.DataObject
) -> None:
    live = data.draw(st.lists(st.sampled_from([f.name for f in facts]), unique=True)) if facts else []
    board = board_of(facts, lambda: [subtask_about(live)], cap)
    told = {fact.name for fact in board.facts}
    assert set(live) <= told
    others = told - live_names(facts, [subtask_about(live)])
    over = told_length(board) > cap.characters + 3 * len(board.left_out) or len(told) > cap.most
    assert not (over and others)


@given(FACTS, CAPS, st.randoms(use_true_random=False))
def test_the_order_in_which_facts_came_makes_no_difference_to_what_is_told(facts: list[Fact], cap: BoardSettings, chance) -> None:
    shuffled = list(facts)
    chance.shuffle(shuffled)
    one, other = board_of(facts, lambda: [], cap), board_of(shuffled, lambda: [], cap)
    assert {f.name for f in one.facts} == {f.name for f in other.facts}
    assert one.left_out == other.left_out


def five_hundred() -> list[Fact]:
    return [on_screen(f"total {n}", f"${n}.00", "billing", n, kind="money", subtask=f"s{n // 100}") for n in range(1, 501)]


def test_a_prompt_stays_flat_over_five_hundred_facts_and_says_what_it_leaves_out() -> None:
    facts, cap = five_hundred(), BoardSettings()

    def prompt(count: int) -> str:
        board = board_of(facts[:count], lambda: [], cap)
        return facts_told(PlanRequest(goal="g", facts=tuple(facts[:count]), board=board))

    assert len(prompt(500)) <= cap.characters
    assert abs(len(prompt(500)) - len(prompt(200))) < 400
    assert "total 500 = $500.00 (money USD 500; the screen of billing at step 500)" in prompt(500)
    assert "s1: 100 facts are left out: total 100 … total 199 (100) (money, USD 100 to USD 199)" in prompt(500)


def test_a_fact_of_a_finished_subtask_goes_first_and_one_that_the_plan_names_stays() -> None:
    facts = five_hundred()
    ended = Subtask(id="e", title="e", instruction='enter the fact "total 7"', status=SubtaskStatus.FULFILLED)
    live = Subtask(id="l", title="l", instruction='enter the fact "total 8"')
    told = {fact.name for fact in board_of(facts, lambda: [ended, live], BoardSettings(most=10)).facts}
    assert "total 8" in told
    assert "total 7" not in told
    assert "total 80" not in told, "a name within a longer one is not meant"
    assert "total 9" in {f.name for f in board_of(facts, lambda: [], BoardSettings(most=10), "What is total 9?").facts}


def test_private_values_are_in_no_line_and_in_no_range() -> None:
    facts = [on_screen(f"pin {n}", f"49{n}1", "bank", n, kind="number", private=True) for n in range(40)]
    board = board_of(facts, lambda: [], BoardSettings(most=2))
    text = facts_told(PlanRequest(goal="g", facts=tuple(facts), board=board))
    assert "(hidden)" in text
    assert not any(fact.value in text for fact in facts)


def test_values_of_two_sources_stand_side_by_side_and_one_that_is_looked_at_again_replaces_its_own() -> None:
    kept = journal()
    kept.remember(on_screen("total", "$5.00", "billing", 1, kind="money"))
    kept.remember(on_screen("total", "$6.00", "mail", 2, kind="money"))
    (fact,) = kept.facts()
    assert (fact.value, [(s.value, s.app, s.step) for s in fact.instead]) == ("$6.00", [("$5.00", "billing", 1)])
    assert "but the screen of billing says $5.00" in fact_told(fact)
    (met,) = [e.body for e in kept.events("conflict")]
    assert met["sources"] == ["the screen of mail", "the screen of billing"]
    kept.remember(on_screen("total", "$6.50", "mail", 3, kind="money"))
    (fact,) = kept.facts()
    assert (fact.value, len(fact.instead)) == ("$6.50", 1)
    assert len(list(kept.events("conflict"))) == 1, "the same source was only looked at again"


def test_amounts_written_otherwise_and_the_users_word_are_no_conflict_and_a_fact_says_its_place() -> None:
    kept = journal()
    kept.remember(on_screen("total", "$1,248.90", "billing", 1, kind="money"))
    kept.remember(on_screen("total", "1248.90 USD", "mail", 2, kind="money"))
    assert kept.facts()[0].instead == ()
    assert not list(kept.events("conflict"))
    kept = journal()
    kept.remember(on_screen("total", "$5.00", "billing", 1))
    kept.remember(on_screen("total", "$6.00", "mail", 2))
    kept.remember(Fact(name="total", value="$5.50", role="user", source="user", question="Which total?", step=3))
    assert (kept.facts()[0].value, kept.facts()[0].instead) == ("$5.50", ())
    kept = journal()
    kept.remember(on_screen("due", "soon", "billing", 4, kind="date"))
    (fact,) = kept.facts()
    assert (fact.run, fact.step, fact.kind) == ("r1", 4, "text")
    (event,) = kept.events("fact")
    assert (event.step, event.body["source"]) == (4, "screen")


def test_a_step_that_is_worked_again_writes_no_second_fact_and_keeps_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    first = journal(path)
    first.remember(on_screen("total", "$5.00", "billing", 1))
    first.remember(on_screen("total", "$6.00", "mail", 2))
    first.commit()
    first.rows.close()
    again = journal(path)
    again.remember(on_screen("total", "$6.00", "mail", 2))
    assert len(list(again.events("fact"))) == 2
    assert [said.value for said in again.facts()[0].instead] == ["$5.00"]


def test_private_values_of_two_sources_are_references_wherever_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    kept = journal(path, Redactor(SafetyPolicy(), Vault(tmp_path / "vault")))
    kept.remember(on_screen("pin", "zyx-8431", "bank", 1, private=True))
    kept.remember(on_screen("pin", "zyx-9952", "mail", 2, private=True))
    kept.close()
    written = b"".join(p.read_bytes() for p in tmp_path.glob("journal.sqlite*"))
    assert b"zyx-8431" not in written
    assert b"zyx-9952" not in written
    again = journal(path, Redactor(SafetyPolicy(), Vault(tmp_path / "vault")))
    assert len(again.facts()[0].instead) == 1


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("INV-7, Acme Ltd, 1582.05", "screen"),
        ("INV-7, Acme Ltd\nINV-8: Bolt Inc", "screen"),
        ("INV-7, Acme Ltd, 1582.06", "model"),
        ("INV-7, Acme Ltd, 2", "model"),
        ("INV-7, Ada Novak", "facts"),
        ("INV-7, for Acme Ltd", "model"),
    ],
)
def test_a_value_that_is_joined_of_several_is_said_by_who_says_all_its_parts(value: str, source: str) -> None:
    cells = ("INV-7", "Acme Ltd", "$1,582.05", "INV-8", "Bolt Inc", "2 of 9")
    elements = tuple(GUIElement(element_id=f"e{n}", role="cell", text=text) for n, text in enumerate(cells))
    answer = Fact(name="contacts.get", value='{"name": "Ada Novak"}', source="api", source_name="contacts.get")
    screen = VisualState(elements=elements, app="billing")
    assert found(value, screen, Grounds(facts=(answer,))).source == source


@pytest.mark.parametrize(
    ("value", "kind", "one"),
    [
        ("$1,248.90", "money", "USD 1248.9"),
        ("1.248,90 €", "money", "EUR 1248.9"),
        ("1,234", "number", "1234"),
        ("2,5", "number", ""),
        ("1.234 €", "money", ""),
        ("5 March 2026", "date", "2026-03-05"),
        ("05.03.2026", "date", "2026-03-05"),
        ("03/04/2026", "date", ""),
        ("13/04/2026", "date", "2026-04-13"),
        ("6:15 PM", "time", "18:15"),
        ("Ada@Example.org", "email", "ada@example.org"),
        ("https://a.example/b", "url", "https://a.example/b"),
        ('{"columns":["a"],"rows":[]}', "table", '{"columns":["a"],"rows":[]}'),
        ("Invoice  INV-3", "text", "Invoice INV-3"),
        ("", "text", ""),
    ],
)
def test_a_value_has_a_kind_and_one_way_to_write_it_unless_it_can_be_read_in_two(value: str, kind: str, one: str) -> None:
    assert (kind_of(value), normal(value, kind)) == (kind, one)


@pytest.mark.parametrize(
    ("said", "value", "kind"),
    [
        ("money", "next week", "text"),
        ("date", "$5.00", "money"),
        ("number", "19 %", "number"),
        ("money", "1,248.90", "money"),
        ("truth", "yes", "truth"),
        ("truth", "perhaps", "text"),
        ("an amount", "$5.00", "money"),
        ("text", "$5.00", "text"),
        ("table", "rows", "text"),
    ],
)
def test_a_kind_that_a_value_does_not_bear_is_not_believed(said: str, value: str, kind: str) -> None:
    assert checked_kind(said, value) == kind


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ("Onboard Ada Byron as usual", [("Ada Byron", "name")]),
        ("Prepare the visit of Ada Byron on 2026-04-13", [("Ada Byron", "name"), ("2026-04-13", "date")]),
        ('Jam "Tea" in at 09:30', [("Tea", "quote"), ("09:30", "time")]),
        ("Settle INV-7 for ada@x.org by May 3", [("INV-7", "id"), ("ada@x.org", "email"), ("May 3", "date")]),
        ("Retire draft.txt of Acme Supplies & Co", [("draft.txt", "file"), ("Acme Supplies & Co", "name")]),
        ("do nothing in particular", []),
    ],
)
def test_values_are_told_by_their_shape(goal: str, told: list[tuple[str, str]]) -> None:
    assert [(one.text, one.kind) for one in values_in(goal)] == told
