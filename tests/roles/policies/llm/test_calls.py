"""Calls are tried again while that may help, within a deadline, and every one is counted."""

import threading
import time
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata
from langgraph.errors import GraphInterrupt
from models import CLICK, Time, operator, step, view
from services.flaky import flaky

from roles.contracts.limits import Limits
from roles.journal.journal import Journal
from roles.policies.fallback import BudgetSpent, GaveUp
from roles.policies.llm.calls import Breaker, Caller, Clocks, Question
from roles.policies.llm.settings import ModelSettings, Prices
from roles.policies.scripted_model import ScriptedChatModel


class ServerSays(Exception):
    def __init__(self, status_code: int) -> None:
        super().__init__(f"status {status_code}")
        self.status_code = status_code


def failing(*faults: BaseException) -> tuple[ScriptedChatModel, list[int]]:
    """A model that raises these one after the other, and then answers."""
    left, calls = list(faults), []

    def answer(_: Sequence[BaseMessage]) -> Any:
        calls.append(1)
        if left:
            raise left.pop(0)
        return CLICK

    return ScriptedChatModel(answer=answer), calls


def journal() -> Journal:
    return Journal(None, time.time)


@pytest.mark.parametrize(
    "fault", [ServerSays(429), ServerSays(503), ConnectionResetError("gone"), TimeoutError("late"), ServerSays(529)]
)
def test_trouble_that_passes_is_waited_for(fault: Exception) -> None:
    model, calls = failing(fault, fault)
    at = Time()
    assert operator(model, at=at).decide(view()).action is not None
    assert len(calls) == 3
    assert 0.5 <= at.slept[0] <= 1.0
    assert at.slept[1] >= 1.0


def test_a_server_is_left_alone_for_as_long_as_it_asks() -> None:
    at = Time()
    with flaky((429, {"Retry-After": "7"}), (503, {})) as (url, asked):

        def answer(_: Sequence[BaseMessage]) -> Any:
            httpx.get(url).raise_for_status()
            return CLICK

        assert operator(ScriptedChatModel(answer=answer), at=at).decide(view()).action is not None
    assert len(asked) == 3
    assert at.slept[0] == 7.0
    assert at.slept[1] < 2.0


@pytest.mark.parametrize("fault", [ServerSays(401), ServerSays(404), ValueError("x")])
def test_what_will_not_pass_is_not_tried_again(fault: Exception) -> None:
    model, calls = failing(fault, fault)
    with pytest.raises(GaveUp, match=f"refused: {type(fault).__name__}: {fault}"):
        operator(model).decide(view())
    assert len(calls) == 1


def test_tries_are_bounded_by_their_number_and_by_the_deadline() -> None:
    model, calls = failing(*[ServerSays(503)] * 50)
    with pytest.raises(GaveUp, match="could not be asked: ServerSays: status 503"):
        operator(model, tries=3).decide(view())
    assert len(calls) == 3
    model, calls = failing(*[ServerSays(503)] * 50)
    at = Time()
    with pytest.raises(GaveUp):
        operator(model, tries=50, deadline=10.0, at=at).decide(view())
    assert sum(at.slept) <= 10.0
    assert 2 < len(calls) < 8


def test_a_model_that_keeps_failing_is_left_alone_and_then_tried_again() -> None:
    model, calls = failing(*[ServerSays(503)] * 4)
    at = Time()
    policy = operator(model, tries=1, break_after=4, break_seconds=30.0, at=at)
    for _ in range(4):
        with pytest.raises(GaveUp, match="could not be asked"):
            policy.decide(view())
    with pytest.raises(GaveUp, match="not asked again for another 30 s"):
        policy.decide(view())
    assert len(calls) == 4
    at.now += 31
    assert policy.decide(view()).action is not None


def test_a_call_that_hangs_is_left_behind() -> None:
    release = threading.Event()

    def answer(_: Sequence[BaseMessage]) -> Any:
        release.wait(30)
        return CLICK

    with pytest.raises(GaveUp, match=r"no answer within 0\.05 s"):
        operator(ScriptedChatModel(answer=answer), timeout=0.05, tries=1).decide(view())
    release.set()


def test_what_stops_the_graph_passes_through() -> None:
    model, _ = failing(GraphInterrupt(()))
    with pytest.raises(GraphInterrupt):
        operator(model).decide(view())


def test_every_call_is_an_event_with_its_tokens_its_price_and_its_problem_and_what_is_not_counted_is_estimated() -> None:
    model, _ = failing(ServerSays(503))
    kept = journal()
    operator(model, journal=kept, prices={"tokens_in": 2.0, "tokens_out": 10.0}).decide(view())
    failed, worked = [event.body for event in kept.events("model_call")]
    assert failed["problem"].startswith("ServerSays")
    assert failed["tokens_in"] == 0
    assert worked["tokens_in"] > 500
    assert 10 < worked["tokens_out"] < 60
    assert worked["money"] == pytest.approx((worked["tokens_in"] * 2 + worked["tokens_out"] * 10) / 1e6)
    use = kept.spending.by_role["operator"]
    assert (use.calls, use.tokens) == (2, worked["tokens_in"] + worked["tokens_out"])
    assert use.money == pytest.approx(worked["money"])

    class Silent(ScriptedChatModel):
        def _message(self, messages: Sequence[BaseMessage], bound: Any) -> AIMessage:
            return super()._message(messages, bound).model_copy(update={"usage_metadata": None})

    kept = journal()
    operator(Silent(answer=lambda _: CLICK), journal=kept).decide(view())
    (call,) = [event.body for event in kept.events("model_call")]
    assert call["estimated"] is True
    assert call["tokens_in"] > 500


def test_what_came_out_of_the_providers_cache_is_told_and_has_a_price_of_its_own() -> None:
    used = UsageMetadata(
        input_tokens=1_000, output_tokens=10, total_tokens=1_010, input_token_details=InputTokenDetails(cache_read=800)
    )
    for prices, money in ((Prices(tokens_in=2.0, tokens_cached=0.5), 0.0008), (Prices(tokens_in=2.0), 0.002)):
        kept = journal()
        settings, model = ModelSettings(name="given", prices=prices), ScriptedChatModel()
        caller = Caller(model, settings, "operator", kept, Limits(), Breaker(settings, Clocks()))
        caller.enter(Question([]), AIMessage(content="x", usage_metadata=used), 0.1, {})
        (call,) = [event.body for event in kept.events("model_call")]
        assert (call["tokens_in"], call["tokens_cached"]) == (1_000, 800)
        assert call["money"] == pytest.approx(money)


def test_a_provider_that_wants_a_mark_finds_one_behind_what_is_common() -> None:
    heard: list[Any] = []

    def answer(messages: Any) -> AIMessage:
        heard.append([message.content for message in messages])
        return AIMessage(content='{"reasoning": "r", "action": "none", "status": "FINISH"}')

    mark = {"cache_control": {"type": "ephemeral"}}
    for name in ("given", "anthropic:any"):
        seen = view(functions=("mail: get_message(id)",), history=(step(1),))
        operator(ScriptedChatModel(answer=answer), journal=journal(), structure="text", name=name).decide(seen)
    (system, turn), (marked, (same, changing)) = heard
    assert marked == [{"type": "text", "text": system, **mark}]
    assert same | changing | {"text": same["text"] + "\n" + changing["text"]} == {"type": "text", "text": turn, **mark}
    assert "cache_control" not in changing
    assert changing["text"].startswith("<steps ")
    assert "get_message" in same["text"]


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ({"tokens": 2_000}, r"2000 tokens \(limits.tokens\) is spent"),
        ({"money": 0.002}, r"limits.money\) is spent"),
        ({"role_tokens": {"operator": 2_000}}, r"limits.role_tokens.operator\) is spent"),
        ({"role_money": {"operator": 0.002}}, r"limits.role_money.operator\) is spent"),
    ],
)
def test_no_call_is_made_once_a_budget_is_spent(limits: dict[str, Any], why: str) -> None:
    model, calls = failing()
    kept = journal()
    policy = operator(model, journal=kept, limits=Limits.model_validate(limits), prices={"tokens_in": 1.0})
    with pytest.raises(BudgetSpent, match=why):
        _ = [policy.decide(view()) for _ in range(20)]
    most = max(body["tokens_in"] + body["tokens_out"] for body in (event.body for event in kept.events("model_call")))
    assert len(calls) > 1
    assert kept.spending.total().tokens < 2_000 + most  # at most the call that spent it was too much


def test_a_server_that_refuses_a_schema_is_asked_in_another_way_and_one_that_takes_none_in_words() -> None:
    tried: list[str] = []

    class Picky(ScriptedChatModel):
        def _message(self, messages: Sequence[BaseMessage], bound: Any) -> AIMessage:
            tried.append("schema" if "response_format" in bound else "tools" if "tools" in bound else "text")
            if tried[-1] != "text":
                raise ServerSays(400)
            return super()._message(messages, bound)

    policy = operator(Picky(answer=lambda _: CLICK), structure="auto")
    policy.decide(view())
    policy.decide(view())
    assert tried == ["schema", "tools", "text", "text"]
    with pytest.raises(GaveUp, match="refused"):
        operator(Picky(answer=lambda _: CLICK), structure="schema").decide(view())
    plain = ScriptedChatModel(answer=lambda _: CLICK, structured=False)
    assert operator(plain, structure="auto").decide(view()).action is not None
