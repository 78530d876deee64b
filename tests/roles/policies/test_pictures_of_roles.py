"""Manager, Operator and Evaluator are shown pictures of a size that their provider takes, where there are any and it sees."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from brain import brain
from typer.testing import CliRunner
from worked.model_runs import ROLES, worked_by_model

from environments.simulated.desktop import SimulatedDesktop
from orchestrator.cli import app
from orchestrator.runs.outcome import Outcome
from roles.journal.transcripts import PICTURE
from roles.policies.llm.settings import ModelSettings, providers

SEEING = tuple(f"crew.{role}.vision=auto" for role in ROLES)


def pictures(outcome: Outcome) -> dict[str, list[list[tuple[int, int]]]]:
    """By role, for each call the sizes of its pictures."""
    said = CliRunner().invoke(app, ["show", outcome.run_id, "--runs-dir", str(outcome.folder.parent), "--prompts", "--json"])
    found: dict[str, list[list[tuple[int, int]]]] = {}
    for call in json.loads(said.output):
        parts = [part for message in call["messages"] for part in message["parts"]]
        found.setdefault(call["role"], []).append([size(part["picture"]) for part in parts if "picture" in part])
    return found


def size(picture: str) -> tuple[int, int]:
    png = base64.b64decode(picture.removeprefix(PICTURE))
    assert png.startswith(b"\x89PNG")
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


@pytest.mark.parametrize(("side", "wanted"), [("null", (1280, 800)), ("640", (640, 400))])
def test_each_role_is_shown_the_screen_and_a_gate_how_it_was_and_is(tmp_path: Path, side: str, wanted: tuple[int, int]) -> None:
    outcome = worked_by_model(tmp_path, brain, *SEEING, f"crew.model={{name: given, picture_side: {side}}}")
    assert outcome.status == "fulfilled", outcome.reason
    told = pictures(outcome)
    assert told["manager"] == [[wanted]]
    assert all(one == [wanted] for one in told["operator"])
    assert [wanted, wanted] in told["evaluator"]


def test_where_there_is_no_picture_auto_shows_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(SimulatedDesktop, "screenshot")
    outcome = worked_by_model(tmp_path, brain, *SEEING)
    assert outcome.status == "fulfilled", outcome.reason
    assert {len(one) for calls in pictures(outcome).values() for one in calls} == {0}


def test_a_model_that_is_known_to_be_blind_is_shown_none(tmp_path: Path) -> None:
    profile: Any = {"image_inputs": False}
    outcome = worked_by_model(tmp_path, brain, *SEEING, profile=profile)
    assert outcome.status == "fulfilled", outcome.reason
    assert {len(one) for calls in pictures(outcome).values() for one in calls} == {0}


@pytest.mark.parametrize(
    ("name", "screen", "shown", "tokens"),
    [
        ("anthropic:claude-x", (1280, 800), (1280, 800), 1_401),
        ("anthropic:claude-x", (3840, 2160), (1430, 804), 1_584),
        ("openai:gpt-x", (1280, 800), (1229, 768), 1_105),
        ("openai:gpt-x", (3840, 2160), (1365, 768), 1_105),
        ("google_genai:gemini-x", (1280, 800), (1280, 800), 1_032),
        ("ollama:some", (3840, 2160), (1568, 882), 1_882),
    ],
)
def test_a_picture_is_as_large_as_its_provider_takes_it_and_costs_what_it_says(
    name: str, screen: tuple[int, int], shown: tuple[int, int], tokens: int
) -> None:
    size = ModelSettings(name=name).pictures
    share = size.share(*screen)
    assert (round(screen[0] * share), round(screen[1] * share)) == shown
    assert abs(size.tokens(*screen) - tokens) <= tokens * 0.05


def test_every_provider_has_sizes_that_make_sense() -> None:
    for provider in providers().values():
        assert 256 <= provider.pictures.tokens(1280, 800) <= 3_000
