"""Whole tasks that the rules fulfil with nothing but pictures of the screen; what came of them is what the world truly holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import Real

pytest.importorskip("rapidocr", reason="reading pictures needs the extra: pip install 'deskcrew[vision]'")

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from environments.vision.environment import FromPixels
from orchestrator.errors import UsageProblem
from orchestrator.runs import runs
from orchestrator.settings.settings import VisionSettings, from_pixels, load_settings


def desk_with(*apps: str) -> SimulatedDesktop:
    world = {"name": "small", "screen": [640, 640], "apps": {app: {} for app in apps}, "open": [apps[0]]}
    return SimulatedDesktop(parse_world(json.dumps(world)))


@pytest.mark.slow("pictures that are read")
@pytest.mark.parametrize(
    ("apps", "goal", "there"),
    [
        (("settings",), "Open the settings and switch Mute on", lambda world: world["settings"]["device"]["muted"]),
        (
            ("reimbursement",),
            'In the reimbursement form, enter "$12.50" as the amount and save the draft',
            lambda world: "12.50" in json.dumps(world["reimbursement"]["saved"]),
        ),
        (
            ("notes",),
            'Create a note titled "Milk" with the text "two bottles"',
            lambda world: ("Milk", "two bottles") in [(n["title"], n["body"]) for n in world["notes"]["notes"].values()],
        ),
    ],
)
def test_a_task_is_fulfilled_from_pixels_alone(
    tmp_path: Path, apps: tuple[str, ...], goal: str, there: Callable[[Any], bool]
) -> None:
    desk = desk_with(*apps)
    settings = load_settings([], [f"runs_dir={tmp_path}", "display=none", "safety=never-ask-in-simulation"])
    done = runs.start(settings, goal, parts={"environment": FromPixels(desk)})
    assert done.status == "fulfilled", done.reason
    assert there(desk.world()["apps"]), desk.world()["apps"]
    aimed = [body["action"].get("target") for body in desk.received() if body["action"].get("target")]
    assert aimed
    assert all(set(target) == {"point"} for target in aimed), "nothing but points reached it"


def test_vision_is_refused_in_a_sentence_where_there_are_no_pictures() -> None:
    with pytest.raises(UsageProblem, match=r"vision\.on: real has no pictures of its screen"):
        from_pixels(Real(), VisionSettings(on=True), None)
    assert isinstance(from_pixels(Real(), VisionSettings(), None), Real)
