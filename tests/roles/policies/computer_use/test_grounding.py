"""A model of its own finds in the picture what the deciding model names and no element carries."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from models import asker, operator, prompts_of, step, text_of, view
from worked.computer_use import BLANK

from orchestrator.crew import Crew
from orchestrator.store.salvage import salvage
from protocol import Click
from roles.journal.journal import Journal
from roles.policies.computer_use.grounding import Counting, PictureGrounding, point_in
from roles.policies.fallback import GaveUp
from roles.policies.scripted_model import ScriptedChatModel

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
    deciding = ScriptedChatModel(answer=lambda _: ICON)
    decision = operator(deciding, ground=grounding(said, counts)).decide(VIEW)
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
     "(1,2) or (30,40)", "", {"found": True}],
)  # fmt: skip
def test_without_a_place_the_deciding_model_is_told_what_there_is(said: Any) -> None:
    journal = Journal(None, time.time)
    deciding, heard = prompts_of(lambda _: ICON)
    with pytest.raises(GaveUp, match=r"Name the element by its id\. Nearest are"):
        operator(deciding, ground=grounding(said, journal=journal)).decide(VIEW)
    assert len(heard) == 3
    assert bool(list(journal.events("error"))) == (said != {"found": False, "x": 0, "y": 0})


def test_who_is_named_is_not_looked_for() -> None:
    def never(_: Any) -> Any:
        raise AssertionError

    named = {**ICON, "target": "e3"}
    assert operator(ScriptedChatModel(answer=lambda _: named), ground=grounding(never)).decide(VIEW).action is not None


def test_the_model_is_shown_the_picture_and_the_words() -> None:
    model, heard = prompts_of(lambda _: {"found": True, "x": 700, "y": 400})
    PictureGrounding(asker(model), lambda seen, wanted: BLANK)("the blue cat", VIEW.seen)
    assert "the blue cat" in text_of(heard[0])
    assert "1280 wide and 800 high" in text_of(heard[0])
    assert any(isinstance(block, dict) and "base64" in block for block in heard[0][-1].content)


def test_several_points_are_none() -> None:
    assert point_in("(1,2) (3,4)", 100) is None
    assert point_in("(1,2) and again (1,2)", 100) == {"found": True, "x": 1.0, "y": 2.0}


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
