"""The chat model with written answers: the same question has the same answer, whoever asks and whenever."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from roles.policies.llm.reply_parsing import UnusableReply, object_of
from roles.policies.llm.settings import ModelProblem
from roles.policies.scripted_model import Overloaded, ScriptedChatModel, ScriptLine, read_script

SCHEMA = {"title": "decision", "description": "d", "type": "object", "properties": {"who": {"type": "string"}}}
GREETS = ScriptedChatModel(
    lines=(
        ScriptLine(matches=r"hello (?P<who>\w+)", where="last", answer={"who": r"\g<who>", "more": [r"\1", 1]}),
        ScriptLine(contains="BE RUDE", where="first", answer="no"),
        ScriptLine(contains="hello", answer="hello to nobody"),
    )
)


def asked(*texts: str) -> list[Any]:
    return [SystemMessage(content=texts[0]), *(HumanMessage(content=text) for text in texts[1:])]


def test_the_first_line_that_fits_answers_with_what_it_found() -> None:
    assert object_of(GREETS.invoke(asked("x", "Well, hello Ada"))) == {"who": "Ada", "more": ["Ada", 1]}
    assert GREETS.invoke(asked("be rude", "go")).content == "no"
    assert GREETS.invoke(asked("hello", "you")).content == "hello to nobody"
    assert "do not know" in str(GREETS.invoke(asked("x", "y")).content)


@pytest.mark.parametrize("method", ["json_schema", "json_mode", "function_calling"])
def test_structured_output_is_the_same_in_every_way(method: str) -> None:
    bound = GREETS.with_structured_output(SCHEMA, method=method)
    assert bound.invoke("hello Ada")["who"] == "Ada"
    raw = GREETS.with_structured_output(SCHEMA, method=method, include_raw=True).invoke("hello Ada")
    assert raw["parsed"]["who"] == "Ada"
    assert isinstance(raw["raw"], AIMessage)
    assert bool(raw["raw"].tool_calls) is (method == "function_calling")
    assert GREETS.with_structured_output(SCHEMA, method=method, include_raw=True).invoke("?")["parsed"] is None


def test_usage_is_counted_and_latency_is_waited_for() -> None:
    usage = GREETS.invoke("hello Ada").usage_metadata
    assert 3 <= usage["input_tokens"] <= 6
    assert usage["output_tokens"] > 5
    slept: list[float] = []
    model = ScriptedChatModel(answer=lambda _: "x", latency=7.5, sleeper=slept.append)
    model.invoke("a")
    assert slept == [7.5]


def _errors(model: ScriptedChatModel, count: int) -> list[bool]:
    struck = []
    for number in range(count):
        try:
            model.invoke(f"question {number}")
        except Overloaded:
            struck.append(True)
        else:
            struck.append(False)
    return struck


def test_errors_strike_by_seed_and_rate_and_are_over_the_next_time() -> None:
    def model(seed: int) -> ScriptedChatModel:
        return ScriptedChatModel(answer=lambda _: "x", errors=0.3, seed=seed)

    first = model(1)
    struck = _errors(first, 200)
    assert 40 < sum(struck) < 80
    assert _errors(model(1), 200) == struck
    assert _errors(model(2), 200) != struck
    assert _errors(first, 200) == [False] * 200


def test_malformed_answers_strike_by_seed_and_rate_and_stay_as_they_are() -> None:
    model = ScriptedChatModel(answer=lambda _: {"who": "Ada", "what": "x"}, malformed=0.4, seed=3)
    answers = [str(model.invoke(f"question {n}").content) for n in range(200)]
    assert [str(model.invoke(f"question {n}").content) for n in range(200)] == answers
    whole = answers.count('{"who": "Ada", "what": "x"}')
    assert 90 < whole < 150
    assert len(set(answers)) > 10
    with pytest.raises(UnusableReply):
        _ = [object_of(AIMessage(content=answer)) for answer in answers]


def test_a_script_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text("seed: 4\nlines:\n- {contains: plan, answer: {outcome: nothing_left}}\n- {answer: yes it is}\n")
    model = read_script(path)
    assert object_of(model.invoke("you plan")) == {"outcome": "nothing_left"}
    assert model.invoke("other").content == "yes it is"
    path.write_text("lines:\n- {contains: plan}\n")
    with pytest.raises(ModelProblem, match=r"model\.yaml cannot be used: lines\.0\.answer"):
        read_script(path)
