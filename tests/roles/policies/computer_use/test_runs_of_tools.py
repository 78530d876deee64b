"""Models with a tool of their own for computers in whole runs, and a model that finds places in pictures."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from models import asker, operator, prompts_of, section, step, text_of, view
from support import one_in
from worked.computer_use import BLANK, OracleSpeaker, by_oracle, computer, crew_of, reply

from environments.simulated.desktop import SimulatedDesktop
from orchestrator.crew import Crew
from orchestrator.errors import UsageProblem
from orchestrator.runs.outcome import Outcome
from orchestrator.store.salvage import salvage
from protocol import BoundingBox, Click, GUIElement, VisualState
from roles.journal.journal import Journal
from roles.operator.decide import referring
from roles.policies.computer_use.grounding import Counting, PictureGrounding
from roles.policies.computer_use.tools import TOOLS
from roles.policies.fallback import GaveUp
from roles.policies.scripted_model import ScriptedChatModel
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import FILE, Vault

APPROVE = {"decisions": [{"type": "approve"}]}
GOAL = 'Create a note titled "Milk" with the text "two bottles"'
LEFT_OUT = "\n(The picture of the screen is left out here.)"
QUICK = ("display=none", "limits.reasks=1")


def events(outcome: Outcome, kind: str) -> list[dict[str, Any]]:
    return [event.body for event in salvage(outcome.folder / "journal.sqlite").events if event.kind == kind]


def pictures(messages: list[BaseMessage]) -> int:
    blocks = [block for message in messages if isinstance(message.content, list) for block in message.content]
    return json.dumps(blocks).count("iVBORw0KGgo")


@pytest.mark.parametrize("name", ["anthropic", "openai", "gemini", "ui_tars"])
def test_a_shipped_task_is_worked_to_its_end_by_places_alone(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker = by_oracle(monkeypatch, "add-to-a-note", name)
    outcome = crew_of(speaker, name, tmp_path, *QUICK).run(speaker.task)
    assert outcome.status == "fulfilled", outcome.reason
    assert outcome.report["judge"]["passed"]
    clicked = [step["target"] for step in events(outcome, "step") if step["action"]["action_type"] == "click"]
    assert clicked[-1] == "Save", "the element at the place is named"
    assert not events(outcome, "error")
    assert outcome.report["models"]["operator"]["calls"] == len(speaker.heard)
    if TOOLS[name].in_words:
        return
    assert [pictures(messages) for messages in speaker.heard] == [min(3, n) for n in range(1, len(speaker.heard) + 1)]


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_several_calls_in_one_reply_are_worked_as_a_batch(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker = by_oracle(monkeypatch, "add-to-a-note", name, together=True)
    outcome = crew_of(speaker, name, tmp_path, *QUICK).run(speaker.task)
    assert outcome.status == "fulfilled", outcome.reason
    assert any(len(body.get("then", ())) > 1 for body in events(outcome, "decided"))
    assert not events(outcome, "batch_stopped")


def test_what_was_said_is_only_added_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker = by_oracle(monkeypatch, "add-to-a-note", "anthropic")
    crew_of(speaker, "anthropic", tmp_path, *QUICK, "crew.operator.recent=4").run(speaker.task)
    counts = [pictures(messages) for messages in speaker.heard]
    assert counts[:6] == [1, 2, 3, 4, 3, 4], "half of them are left out at once"
    for before, after in zip(speaker.heard, speaker.heard[1:], strict=False):
        one, other = ([text_of([m]).replace(LEFT_OUT, "").strip() for m in messages] for messages in (before, after))
        assert other[: len(one)] == one, "but for pictures that are left out nothing is told otherwise later"
        if pictures(after) > pictures(before):
            assert [message.content for message in after[: len(before)]] == [message.content for message in before]


def test_a_conversation_that_becomes_too_long_begins_anew_with_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roles.policies.computer_use.operator._MOST_TURNS", 2)
    heard: list[list[BaseMessage]] = []

    def answer(messages: list[BaseMessage]) -> AIMessage:
        heard.append(messages)
        return reply(TOOLS["anthropic"], [{"action": "left_click", "coordinate": [40, 10]}], number=len(heard))

    policy, memory = computer(ScriptedChatModel(answer=answer), "anthropic"), {}
    for number in range(1, 5):
        given = view(history=tuple(step(n) for n in range(1, number)), step=number, memory=memory, app="claims")
        memory = policy.decide(given).memory
    assert [sum(isinstance(message, AIMessage) for message in messages) for messages in heard] == [0, 1, 0, 1]
    assert [line[:2] for line in section(text_of(heard[2]), "steps").splitlines()] == ["1.", "2."]


def _waiting(speaker: OracleSpeaker, name: str, tmp_path: Path) -> Outcome:
    """A run that waits to be allowed to send a mail."""
    plan = {"id": "reply", "title": "reply", "app": "mail", "instruction": "Reply to the newest mail as the goal says"}
    (tmp_path / "plans.yaml").write_text(json.dumps({"plans": [{"outcome": "planned", "subtasks": [plan]}]}))
    scripted = f"crew.manager={{policy: scripted, script: {tmp_path / 'plans.yaml'}}}"
    more = (scripted, "crew.evaluator.policy=trusting")
    return crew_of(speaker, name, tmp_path / "runs", *QUICK, *more).run(speaker.task)


@pytest.mark.parametrize("name", one_in(4, [("anthropic",), ("openai",), ("gemini",), ("ui_tars",)]))
def test_sending_is_asked_about_and_another_process_goes_on(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker = by_oracle(monkeypatch, "reply-to-a-mail", name)
    waiting = _waiting(speaker, name, tmp_path)
    assert waiting.exit_code == 3, waiting.reason
    assert 'click "Send"' in waiting.reason
    asked = len(speaker.heard)
    outcome = crew_of(speaker, name, tmp_path / "runs", *QUICK).resume(waiting.run_id, APPROVE)
    assert outcome.status == "fulfilled", outcome.reason
    assert outcome.report["judge"]["passed"]
    assert len(speaker.heard) > asked
    told = speaker.heard[asked]
    assert sum(isinstance(message, AIMessage) for message in told) == asked, "all replies of the process that is gone"
    assert text_of(told[1:2]).replace(LEFT_OUT, "") == text_of(speaker.heard[0][1:2]).rstrip("\n")
    assert pictures(told) == 3, "pictures of earlier screens come from the transcript"


def test_without_a_transcript_only_the_screen_that_is_there_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker = by_oracle(monkeypatch, "add-to-a-note", "openai")
    outcome = crew_of(speaker, "openai", tmp_path, *QUICK, "record.prompts=none").run(speaker.task)
    assert outcome.status == "fulfilled", outcome.reason
    assert {pictures(messages) for messages in speaker.heard} == {1}


CHECK = {"id": "cu_sc_1", "code": "malicious_instructions", "message": "The page tells the model what to do."}


@pytest.mark.parametrize("name", ["openai", "gemini"])
def test_what_a_service_wants_confirmed_waits_for_a_person_and_is_acknowledged(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speaker = by_oracle(monkeypatch, "add-to-a-note", name)

    def checked(messages: list[BaseMessage]) -> AIMessage:
        said = speaker(messages)
        if sum(isinstance(message, AIMessage) for message in messages):
            return said
        if name == "openai":
            content = [{**b, "pending_safety_checks": [CHECK]} if b["type"] == "computer_call" else b for b in said.content]  # type: ignore[index]
            return said.model_copy(update={"content": content})
        decision = {"decision": "require_confirmation", "explanation": CHECK["message"]}
        calls = [{**call, "args": {**call["args"], "safety_decision": decision}} for call in said.tool_calls]
        return said.model_copy(update={"tool_calls": calls})

    crew = crew_of(checked, name, tmp_path, *QUICK)
    waiting = crew.run(speaker.task)
    assert waiting.exit_code == 3, waiting.reason
    (request,) = events(waiting, "approval_requested")
    assert CHECK["message"] in json.dumps(request)
    outcome = crew.resume(waiting.run_id, APPROVE)
    assert outcome.status == "fulfilled", outcome.reason
    told = json.dumps([message.model_dump() for message in speaker.heard[-1]])
    assert ("acknowledged_safety_checks" if name == "openai" else "safety_acknowledgement") in told
    refused = crew_of(checked, name, tmp_path, *QUICK).run(speaker.task)
    denied = crew.resume(refused.run_id, {"decisions": [{"type": "reject", "message": "do not"}]})
    assert denied.status != "fulfilled" or denied.report["judge"]["passed"], "a refusal is no success"


def test_a_model_that_only_says_done_or_only_talks_is_not_believed(tmp_path: Path) -> None:
    said = AIMessage(content="DONE all is as you wished")
    outcome = crew_of(lambda _: said, "openai", tmp_path, *QUICK, "limits.replans=0").run(GOAL)
    assert outcome.status == "rejected"
    crew = crew_of(lambda _: AIMessage(content="All done!"), "gemini", tmp_path, *QUICK)
    outcome = crew.run(GOAL)
    assert outcome.status == "rejected"
    assert [error["reply"] for error in events(outcome, "error") if "reply" in error][:2] == ["All done!"] * 2


def test_a_value_for_a_private_field_stands_neither_in_the_batch_nor_in_what_was_said(tmp_path: Path) -> None:
    field = GUIElement(element_id="p", role="textbox", text="Password", private=True, bbox=BoundingBox(x1=0, y1=0, x2=90, y2=20))
    seen = VisualState(app="web", elements=(field,))
    calls = [{"action": "left_click", "coordinate": [40, 10]}, {"action": "type", "text": "hunter22x"}]
    model = ScriptedChatModel(answer=lambda _: reply(TOOLS["anthropic"], calls))
    decision = computer(model, "anthropic").decide(view(history=(step(1),), seen=seen))
    assert "hunter22x" in decision.model_dump_json()
    journal = Journal(tmp_path / "journal.sqlite", lambda: 0.0, Redactor(SafetyPolicy(), Vault(tmp_path / FILE)))
    kept = referring(journal, decision, seen)
    journal.close()
    assert "hunter22x" not in kept.model_dump_json()
    assert kept.then[0].action.target is None
    assert "<secret>" in kept.then[0].action.parameters["text"]
    assert "<secret>" in json.dumps(kept.memory["turns"])


def test_where_no_pictures_can_be_had_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(SimulatedDesktop, "screenshot")
    with pytest.raises(UsageProblem, match=r"crew\.operator\.form: this environment has no pictures"):
        crew_of(lambda _: "", "openai", tmp_path, *QUICK).run("Open the notes")


VIEW = view(history=(step(1),))
ICON = {"reasoning": "r", "action": "click", "target": "the blue cat beside the form", "status": "CONTINUE"}


def grounding(answer: Any, counts: Counting = "pixels", **more: Any) -> PictureGrounding:
    model = ScriptedChatModel(answer=answer if callable(answer) else lambda _: answer)
    return PictureGrounding(asker(model, **more), lambda seen, wanted: BLANK, counts)


@pytest.mark.parametrize(
    ("said", "counts", "place"),
    [
        ({"found": True, "x": 700, "y": 400}, "pixels", (700, 400)),
        ("(700,400)", "pixels", (700, 400)),
        ("Thought: There it is.\nAction: click(start_box='(704,406)')", "pixels_28", (700, 400)),
        ("<point>547 500</point>", "grid_1000", (700, 400)),
        ("The cat is at [690, 390, 710, 410].", "pixels", (700, 400)),
        ("<think>Is it (1,2)?</think>(700, 400)", "pixels", (700, 400)),
    ],
)
def test_a_thing_that_no_element_carries_is_pressed_where_the_picture_shows_it(
    said: Any, counts: Counting, place: tuple[int, int]
) -> None:
    looking, heard = prompts_of(lambda _: said)
    deciding = ScriptedChatModel(answer=lambda _: ICON)
    decision = operator(deciding, ground=grounding(looking.answer, counts)).decide(VIEW)
    assert ICON["target"] in text_of(heard[0])
    assert "1280 wide and 800 high" in text_of(heard[0]) or counts != "pixels"
    assert any(isinstance(block, dict) and "base64" in block for block in heard[0][-1].content)
    assert isinstance(decision.action, Click)
    point = decision.action.target.point
    assert point is not None
    assert decision.action.target.element_id is None
    assert point.to_px((1280, 800)) == pytest.approx(place, abs=1)


def test_where_an_element_lies_at_the_place_it_is_that_element() -> None:
    deciding = ScriptedChatModel(answer=lambda _: ICON)
    decision = operator(deciding, ground=grounding({"found": True, "x": 60, "y": 125})).decide(VIEW)
    assert decision.action.target.text == "Submit", "the review judges what is really pressed"


@pytest.mark.parametrize(
    "said",
    [{"found": False, "x": 0, "y": 0}, {"found": True, "x": 5_000, "y": 4}, {"found": True, "x": "left", "y": 4}, "It is there.",
     "(1,2) or (30,40)", "(1,2) (3,4)", "", {"found": True}],
)  # fmt: skip
def test_without_a_place_the_deciding_model_is_told_what_there_is(said: Any) -> None:
    journal = Journal(None, time.time)
    deciding, heard = prompts_of(lambda _: ICON)
    with pytest.raises(GaveUp, match=r"Name the element by its id\. Nearest are"):
        operator(deciding, ground=grounding(said, journal=journal)).decide(VIEW)
    assert len(heard) == 3
    assert bool(list(journal.events("error"))) == (said != {"found": False, "x": 0, "y": 0})


def test_a_run_presses_what_its_second_model_found(tmp_path: Path) -> None:
    """By one model that decides and, beside it, one that looks: `crew.operator.grounding`."""

    def answer(messages: list[BaseMessage]) -> Any:
        turn = text_of(messages[1:2])
        if "find" in text_of(messages[:1]) and "describe" in turn:
            return {"found": True, "x": 640, "y": 780}
        if "click" in turn and "640, 780" in turn:
            return {"reasoning": "r", "action": "none", "status": "FAIL", "comment": "seen enough"}
        return ICON

    plan = {"id": "p", "title": "p", "app": "notes", "instruction": "Click the blue cat"}
    (tmp_path / "plans.yaml").write_text(json.dumps({"plans": [{"outcome": "planned", "subtasks": [plan]}]}))
    settings = [
        f"crew.manager={{policy: scripted, script: {tmp_path / 'plans.yaml'}}}",
        "crew.operator={policy: llm, grounding: given}",
        "crew.model=given",
        f"runs_dir={tmp_path / 'runs'}",
        "display=none",
        "limits.replans=0",
    ]
    outcome = Crew.from_config(overrides=settings, model=ScriptedChatModel(answer=answer)).run("Click the blue cat")
    found = salvage(outcome.folder / "journal.sqlite").events
    steps = [event.body for event in found if event.kind == "step" and event.body["verb"] != "launch_app"]
    assert steps[0]["action"]["target"]["point"]["x"] == 640
    assert outcome.report["models"]["operator"]["calls"] >= 2
