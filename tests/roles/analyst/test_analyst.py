"""The Analyst: its graph, and formulas of rules and of a model."""

from typing import Any, cast

import pytest
from models import asker, fact, prompts_of, saying, section, text_of

from environments.contract import Environment
from roles.analyst.graph import build_analyst
from roles.analyst.llm import LlmAnalyst
from roles.analyst.rules import RulesAnalyst
from roles.contracts import AnalystRequest, Answer, Fact, FactKnown, Result, Subtask, Supplement
from roles.contracts.context import Context
from roles.contracts.values import table_text
from roles.journal.journal import Journal
from roles.policies.fallback import GaveUp
from roles.policies.llm.prompts import load_prompt
from roles.policies.scripted import ScriptedAnalyst

TABLE = table_text(
    ("Number", "Status", "Total"), (("INV-1", "Paid", "$5.00"), ("INV-2", "Overdue", "$7.25"), ("INV-3", "Unpaid", "$1.00"))
)
FACTS = (
    Fact(name="invoices", value=TABLE, kind="table"),
    Fact(name="invoice total", value="$12.00", kind="money"),
    Fact(name="paid so far", value="$9.00", kind="money"),
    Fact(name="secret bonus", value="$77.00", kind="money", private=True),
)


class NoWorld:
    """Whatever is asked of it fails the test: an Analyst has no business with the environment."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the Analyst asked the environment for {name}")


def work(instruction: str, policy: Any = None, facts: tuple[Fact, ...] = FACTS) -> tuple[dict[str, Any], Journal]:
    journal = Journal(None, lambda: 0.0)
    for known in facts:
        journal.remember(known)
    context = Context(environment=cast(Environment, NoWorld()), journal=journal, analyst=policy or RulesAnalyst())
    subtask = Subtask(id="s2", title="The answer", instruction=instruction, worker="analyst")
    state = build_analyst(context).invoke({"delegation": {"goal": "", "subtask": subtask.model_dump(mode="json")}})
    return state["report"], journal


def noted(journal: Journal, name: str) -> Fact:
    return next(f for f in journal.facts() if f.name == name)


def test_a_result_is_a_fact_of_the_analyst_that_names_what_it_rests_on_and_is_private_where_that_is() -> None:
    report, journal = work('Compute table "invoices" | where [status] is "unpaid" | sum [amount] as "owed".')
    assert (report["signal"], report["facts"], report["evidence"]) == ("worker_success", ["owed"], ["fact:invoices"])
    found = noted(journal, "owed")
    assert (found.value, found.kind, found.role, found.subtask) == ("$1.00", "money", "analyst", "s2")
    report, journal = work('Compute table "invoices" | largest [Total] | get [Number] as "to be paid first".')
    found = noted(journal, "to be paid first")
    assert (report["signal"], found.value, found.used) == ("worker_success", "INV-2", ("invoices",))
    assert "largest [Total]" in found.reason
    assert noted(work('Compute fact "secret bonus" + $1 as "more".')[1], "more").private


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the sum of the invoice total and the paid so far?", "$21.00"),
        ("What is the difference between the invoice total and the paid so far?", "$3.00"),
        ("What percentage of the invoice total is the paid so far?", "75%"),
        ("Is the invoice total more than the paid so far?", "yes"),
        ("How many rows are in invoices?", "3"),
    ],
)
def test_plain_questions_are_answered(question: str, answer: str) -> None:
    report, journal = work(question)
    assert report["signal"] == "worker_success", report
    assert noted(journal, "The answer").value == answer


def test_what_is_missing_is_said_and_nothing_is_written() -> None:
    report, journal = work('Compute fact "rent" * 12 as "rent of a year".')
    assert (report["signal"], report["summary"]) == ("cannot_execute", 'the fact "rent" is not known')
    assert [f.name for f in journal.facts()] == [f.name for f in FACTS]


def scripted(*results: Result) -> ScriptedAnalyst:
    return ScriptedAnalyst(answers={"s2": Answer(results=results)})


def test_a_crew_without_an_analyst_says_so() -> None:
    context = Context(environment=cast(Environment, NoWorld()), journal=Journal(None, lambda: 0.0))
    subtask = Subtask(id="s1", title="t", instruction="x", worker="analyst").model_dump(mode="json")
    report = build_analyst(context).invoke({"delegation": {"goal": "", "subtask": subtask}})["report"]
    assert report["signal"] == "cannot_execute"
    assert "crew.analyst.policy" in report["summary"]


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (Result(name="x", value="1", used=("a dream",)), "which is not a fact"),
        (Result(name="invoice total", value="$1.00"), "may not be overwritten"),
        (Result(name="x", value="1" * 70_000), "is longer than"),
    ],
)
def test_an_answer_that_cites_nothing_real_or_writes_over_others_is_refused(result: Result, why: str) -> None:
    report, journal = work("anything", scripted(result))
    assert report["signal"] == "no_answer"
    assert why in report["summary"]
    assert noted(journal, "invoice total").value == "$12.00"
    assert "x" not in {f.name for f in journal.facts()}


def test_a_policy_is_asked_again_with_the_reason() -> None:
    class Learner:
        def __init__(self) -> None:
            self.told: list[str] = []

        def answer(self, request: AnalystRequest) -> Answer:
            self.told.append(request.reask)
            return Answer(results=(Result(name="x", value="1", used=("invoices",)),)) if request.reask else Answer()

    learner = Learner()
    report, _ = work("anything", learner)
    assert report["signal"] == "worker_success"
    assert learner.told[0] == ""
    assert "neither a result nor what is missing" in learner.told[1]


def test_a_model_that_gives_no_usable_answer_ends_in_a_reported_failure() -> None:
    model, heard = prompts_of(lambda _: {"reasoning": "r", "results": [{"name": "owed", "formula": "$870.00"}]})
    report, journal = work("What is owed?", LlmAnalyst(asker(model), load_prompt("analyst")))
    assert report["signal"] == "no_answer"
    assert "is in no fact" in report["summary"]
    assert len(heard) == 3  # asked again twice, and not once more by the role
    assert not any(f.role == "analyst" for f in journal.facts())


@pytest.mark.parametrize(
    "question",
    ["Sing a song about invoices.", "What is the sum of the hotel and the boat?", "Add hotel to the train", "How many boats?"],
)
def test_a_question_of_which_a_part_is_no_fact_is_given_back(question: str) -> None:
    facts = (Fact(name="hotel", value="1000.20"), Fact(name="train", value="1053.50"))
    report, _ = work(question, facts=facts)
    assert report["signal"] == "cannot_execute"
    assert question.removesuffix(".").removesuffix("?") in report["summary"]


GIVEN_TABLE = table_text(
    ("Number", "Status", "Total"), (("INV-1", "Paid", "$5.00"), ("INV-2", "Overdue", "$7.25"), ("INV-3", "Overdue", "$1,001.00"))
)
GIVEN = (Fact(name="invoices", value=GIVEN_TABLE, kind="table"), fact("price", "$12.00"), fact("bonus", "$77.00", private=True))
OWED = 'table "invoices" | where [Status] is "overdue" | sum [Total]'


def request(**changes: Any) -> AnalystRequest:
    words = "What do we owe that is overdue, and with 19 % tax on it?"
    subtask = Subtask(id="a", title="owed", instruction=words, worker="analyst", expect=(FactKnown(name="owed"),))
    return AnalystRequest.model_validate({"goal": "g", "subtask": subtask, "facts": GIVEN, **changes})


def said(*results: tuple[str, Any], **more: Any) -> dict[str, Any]:
    return {"reasoning": "r", "results": [{"name": name, "formula": formula} for name, formula in results], **more}


def answer(*replies: Any, **changes: Any) -> Answer:
    return LlmAnalyst(asker(saying(*replies)), load_prompt("analyst")).answer(request(**changes))


GOOD = said(("owed", OWED))


def test_a_formula_is_worked_out_exactly_and_names_what_it_rests_on() -> None:
    found = answer(said(("owed", OWED), ("with tax", 'fact "owed" * 119 / 100'), ("tax", 'fact "owed" * 19 %')), goal="119")
    assert [(r.name, r.value, r.used) for r in found.results] == [
        ("owed", "$1,008.25", ("invoices",)),
        ("with tax", "$1,199.82", ("owed",)),
        ("tax", "$191.57", ("owed",)),
    ]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (said(("owed", "1008.25")), "the number 1008.25 is in no fact and not in the question"),
        (said(("owed", "$1,008.25")), r"the number \$1,008.25 is in no fact"),
        (said(("owed", f"({OWED}) + 3.50")), "the number 3.50 is in no fact"),
        (said(("owed", '"about 900 dollars"')), "about 900 dollars.* is in no fact"),
        (said(("owed", 'date "2031-05-06"')), "2031-05-06.* is in no fact"),
        (said(("owed", "19")), "uses no fact"),
        (said(("owed", OWED), advice="Pay the $870 at once."), "the advice says 870, which no formula gave"),
        (said(("owed", 'fact "debt"')), 'the fact "debt" is not known; the facts are invoices, price, bonus'),
        (said(("owed", OWED.replace("Total", "Wings"))), "Wings"),
        (said(("owed", "sum of it all")), "cannot be read"),
        (said(("owed", '__import__("os").system("id")')), "cannot be read"),
        (said(("", OWED)), "needs a name and a formula"),
        (said(("owed", 7)), "needs a name and a formula"),
        ({"reasoning": "It is $1,008.25", "results": []}, "neither a result nor what is missing"),
        ({"reasoning": "r", "results": ["1008.25"]}, "list of objects"),
        (said(*[(f"r{n}", OWED) for n in range(13)]), "12 are the most"),
    ],
)
def test_what_nobody_computed_is_refused_and_asked_again(bad: dict[str, Any], why: str) -> None:
    assert [r.value for r in answer(bad, GOOD).results] == ["$1,008.25"]
    with pytest.raises(GaveUp, match=why):
        answer(bad)


def test_advice_says_what_is_known_and_what_is_missing_is_said() -> None:
    found = answer(said(("owed", OWED), advice="Pay the $1,008.25 now; INV-2 alone is $7.25."))
    assert found.advice.startswith("Pay the $1,008.25")
    found = answer({"reasoning": "r", "results": [], "missing": ["the due date of INV-9"]})
    assert (found.results, found.missing) == ((), ("the due date of INV-9",))


def test_the_prompt_shows_facts_and_tables_by_name_and_no_private_value() -> None:
    model, heard = prompts_of(lambda _: GOOD)
    found = Supplement(query="q", source="help", title="Tax", text="It is 19 %.")
    LlmAnalyst(asker(model), load_prompt("analyst")).answer(request(supplements=(found,), reask="the result cites nothing"))
    text = text_of(heard[0])
    facts = section(text, "facts")
    assert 'table "invoices" with the columns [Number], [Status], [Total], 3 rows' in facts
    assert 'fact "price" = $12.00' in facts
    assert 'fact "bonus" = (hidden)' in facts
    assert "77.00" not in text
    assert "It is 19 %." in section(text, "supplements")
    assert "cites nothing" in section(text, "problem")
    assert "is to be called: owed" in text


def test_a_table_of_any_length_is_told_by_its_first_rows() -> None:
    def size(rows: int) -> int:
        model, heard = prompts_of(lambda _: GOOD)
        table = table_text(("Status", "Total"), tuple(("Overdue", f"${n}.00") for n in range(rows)))
        facts = (Fact(name="invoices", value=table, kind="table"),)
        LlmAnalyst(asker(model), load_prompt("analyst")).answer(request(facts=facts))
        return len(text_of(heard[0]))

    assert size(900) < size(9) + 10
