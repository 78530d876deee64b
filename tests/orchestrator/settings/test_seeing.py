"""Whole tasks that the rules fulfil with nothing but pictures of the screen; what came of them is what the world truly holds."""

import json
from pathlib import Path

import pytest
from support import Real

pytest.importorskip("rapidocr", reason="reading pictures needs the extra: pip install 'deskcrew[vision]'")

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from environments.vision.environment import FromPixels
from orchestrator.errors import UsageProblem
from orchestrator.runs import runs
from orchestrator.settings.settings import VisionSettings, from_pixels, load_settings


@pytest.mark.slow("pictures that are read")
def test_a_task_is_fulfilled_from_pixels_alone(tmp_path: Path) -> None:
    desk = SimulatedDesktop(parse_world("name: small\nscreen: [640, 640]\napps: {reimbursement: {}}\nopen: [reimbursement]\n"))
    settings = load_settings([], [f"runs_dir={tmp_path}", "safety=never-ask-in-simulation"])
    goal = 'In the reimbursement form, enter "$12.50" as the amount and save the draft'
    done = runs.start(settings, goal, parts={"environment": FromPixels(desk)})
    assert done.status == "fulfilled", done.reason
    assert "12.50" in json.dumps(desk.world()["apps"]["reimbursement"]["saved"])
    aimed = [body["action"].get("target") for body in desk.received() if body["action"].get("target")]
    assert aimed
    assert all(set(target) == {"point"} for target in aimed), "nothing but points reached it"


def test_vision_is_refused_in_a_sentence_where_there_are_no_pictures() -> None:
    with pytest.raises(UsageProblem, match=r"vision\.on: real has no pictures of its screen"):
        from_pixels(Real(), VisionSettings(on=True), None)
    assert isinstance(from_pixels(Real(), VisionSettings(), None), Real)
