"""A model says what to compute and code computes it: a number that nobody knows does not get through."""

from __future__ import annotations

from typing import Any

import pytest
from models import asker, fact, prompts_of, saying, section, text_of

from roles.analyst.llm import LlmAnalyst
from roles.contracts import AnalystRequest, Answer, Fact, FactKnown, Subtask, Supplement
from roles.contracts.values import table_text
from roles.policies.fallback import GaveUp
from roles.policies.llm.prompts import load_prompt

TABLE = table_text(
    ("Number", "Status", "Total"), (("INV-1", "Paid", "$5.00"), ("INV-2", "Overdue", "$7.25"), ("INV-3", "Overdue", "$1,001.00"))
)
FACTS = (Fact(name="invoices", value=TABLE, kind="table"), fact("price", "$12.00"), fact("bonus", "$77.00", private=True))
OWED = 'table "invoices" | where [Status] is "overdue" | sum [Total]'


def request(**changes: Any) -> AnalystRequest:
    words = "What do we owe that is overdue, and with 19 % tax on it?"
    subtask = Subtask(id="a", title="owed", instruction=words, worker="analyst", expect=(FactKnown(name="owed"),))
    return AnalystRequest.model_validate({"goal": "g", "subtask": subtask, "facts": FACTS, **changes})


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
