"""Rules that work by functions: what is called, what is looked at, and claims that are not believed."""

import json
from pathlib import Path
from typing import Any

import pytest

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.lab.testing.run import CrewRun
from orchestrator.lab.testing.stage import Stage
from protocol import Action, ActionResult, CallApi, ExecStatus, GUIElement, VisualState
from roles.contracts import EffectSeen, Fact, GateRequest, StepRecord
from roles.contracts.signals import GateTrigger
from roles.policies.orders.skills.calling import fitted
from roles.screen.calls import records_in
from roles.screen.evidence import check

NOTE = 'Create a note titled "Rain check" with the text "not before Friday"'


@pytest.fixture
def stage(tmp_path: Path) -> Any:
    made = Stage(tmp_path)
    yield made
    made.close()


def office() -> SimulatedDesktop:
    return SimulatedDesktop(load_world("office"))


class Lying(SimulatedDesktop):
    """A desktop whose writing functions say that it is done and do nothing."""

    def perform(self, action: Action, *, key: str) -> ActionResult:
        if isinstance(action, CallApi) and action.function.startswith(("create", "update", "send", "submit", "delete")):
            return ActionResult(exec_status=ExecStatus.EXECUTED, output=json.dumps({"done": True} | dict(action.arguments)))
        return super().perform(action, key=key)


def verbs(run: CrewRun) -> list[str]:
    return [step["action"]["action_type"] for step in run.bodies("step")]


def called(run: CrewRun) -> list[str]:
    return [s["action"]["function"] for s in run.bodies("step") if s["action"]["action_type"] == "call_api"]


def notes(desk: SimulatedDesktop) -> list[tuple[str, str]]:
    found = desk.world()["apps"]["notes"]["notes"]
    return [(n["title"], n["body"]) for n in (found.values() if isinstance(found, dict) else found)]


@pytest.mark.parametrize("settings", [(), ("skills.prefer=api", "skills.forbid=[api, agent]")], ids=["by default", "forbidden"])
def test_by_default_and_where_they_are_forbidden_no_functions_are_called(stage: Stage, settings: tuple[str, ...]) -> None:
    run = stage(NOTE, *settings, environment=office())
    assert run.status == "fulfilled"
    assert called(run) == []


def test_where_functions_are_preferred_they_are_called_and_what_they_did_is_looked_at(stage: Stage) -> None:
    desk = office()
    run = stage(NOTE, "skills.prefer=api", environment=desk)
    assert run.status == "fulfilled"
    assert called(run) == ["create_note"]
    assert "launch_app" in verbs(run), "the window is looked at"
    assert not {"fill", "type"} & set(verbs(run))
    assert ("Rain check", "not before Friday") in notes(desk)


def test_another_way_for_one_app_only(stage: Stage) -> None:
    goal = 'Find the total of the latest invoice on the billing page and create a note titled "Latest" with the total'
    run = stage(goal, "skills.when=[{prefer: api, app: notes}]", environment=office())
    assert run.status == "fulfilled"
    assert called(run) == ["create_note"]


def test_without_the_surface_nothing_of_it_is_touched(stage: Stage) -> None:
    desk = office()
    run = stage(NOTE, "skills.forbid=[gui]", environment=desk)
    assert run.status == "fulfilled"
    assert set(verbs(run)) <= {"call_api", "memorize", "answer", "wait", "screenshot"}
    assert called(run)[0] == "create_note"
    assert len(called(run)) > 1, "what was written is read back"
    assert ("Rain check", "not before Friday") in notes(desk)


def test_what_no_function_does_is_not_done_where_the_surface_is_forbidden(stage: Stage) -> None:
    run = stage('Archive the mail "Client visit 50"', "skills.forbid=[gui]", environment=office())
    assert run.status == "rejected"
    assert not {"click", "press_key", "launch_app"} & set(verbs(run))
    assert "may not be touched" in run.reason


def test_a_function_that_says_no_leaves_the_window(stage: Stage) -> None:
    class Refusing(SimulatedDesktop):
        def perform(self, action: Action, *, key: str) -> ActionResult:
            if isinstance(action, CallApi):
                return ActionResult(exec_status=ExecStatus.ERROR, error="this function is under repair")
            return super().perform(action, key=key)

    desk = Refusing(load_world("office"))
    run = stage(NOTE, "skills.prefer=api", environment=desk)
    assert run.status == "fulfilled"
    assert notes(desk).count(("Rain check", "not before Friday")) == 1


def test_a_false_claim_of_a_function_is_found_out_and_no_success(stage: Stage) -> None:
    desk = Lying(load_world("office"))
    run = stage(NOTE, "skills.prefer=api", environment=desk)
    assert called(run).count("create_note") == 1
    assert "fill" in verbs(run)
    assert run.status == "fulfilled"
    assert notes(desk).count(("Rain check", "not before Friday")) == 1
    desk = Lying(load_world("office"))
    run = stage(NOTE, "skills.forbid=[gui]", environment=desk)
    assert run.status == "rejected"
    assert "said that it was done" in run.reason


def test_the_evaluator_does_not_take_the_answer_of_a_call_for_evidence() -> None:
    """Whoever operates: what is claimed has to be seen."""
    call = StepRecord(
        step=1, subtask="a", action=CallApi(app="mail", function="send_message", arguments={"subject": "Hi"}).dump(),
        verb="send", exec_status=ExecStatus.EXECUTED, visible_change=True,
    )  # fmt: skip
    answer = Fact(name="mail.send_message", value='{"subject": "Hi"}', kind="result", step=1, source="api")
    told = Fact(name="mail.list_messages", value='{"items": [{"subject": "Hi"}]}', kind="result", step=2, source="api")
    shown = VisualState(app="mail", elements=(GUIElement(element_id="1", text="Hi", role="row"),))
    common = {"trigger": GateTrigger.WORKER_SUCCESS, "goal": "g", "steps": (call,)}
    wanted = EffectSeen(verb="send", app="mail")
    assert not check(wanted, GateRequest(**common, facts=(answer,))).holds
    assert not check(wanted, GateRequest(**common, screens=(VisualState(app="notes", elements=shown.elements),))).holds
    assert check(wanted, GateRequest(**common, facts=(told,))).evidence == ("step:1", "fact:mail.list_messages")
    assert check(wanted, GateRequest(**common, screens=(shown,))).evidence == ("step:1", f"state:{shown.state_id}")


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "records", "whole"),
    [
        ('{"count": 2, "offset": 0, "items": [{"id": "1"}, {"id": "2"}]}', 2, True),
        ('{"count": 9, "offset": 0, "items": [{"id": "1"}]}', 1, False),
        ('{"contacts": [], "total": 0}', 0, True),
        ('{"number": "7", "lines": [{"amount": "1"}]}', 1, True),
        ('[{"id": "1"}, 5]', 1, True),
        ("no json", 0, False),
        ("7", 0, True),
    ],
)
def test_an_answer_is_read_as_records(answer: str, records: int, whole: bool) -> None:
    found, all_of_it = records_in(answer)
    assert (len(found), all_of_it) == (records, whole)


@pytest.mark.parametrize(
    ("text", "schema", "made"),
    [
        ("true", {"type": "boolean"}, True),
        ("21 °C", {"type": "number"}, 21.0),
        ("3", {"type": "integer"}, 3),
        ("many", {"type": "integer"}, None),
        ("travel", {"enum": ["Travel", "Meals"]}, "Travel"),
        ("boat", {"enum": ["Travel", "Meals"]}, None),
        ("x", {"anyOf": [{"type": "null"}, {"type": "string"}]}, "x"),
    ],
)
def test_a_text_is_fitted_to_its_schema(text: str, schema: dict[str, Any], made: Any) -> None:
    assert fitted(text, schema) == made
