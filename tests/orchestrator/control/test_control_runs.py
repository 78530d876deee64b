"""A run that goes on while people ask something of it: nothing is done twice, nothing is half done, and all of it is told."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from controlled import CLAIM, FORM, OPEN, asked, events, working
from killed import dies, killed
from services.sandboxed import needs_sandbox
from waiting import DEADLINE, until
from worked.runs import claims

from deskcrew import Crew
from orchestrator.control.channel import given_to
from orchestrator.control.lease import LeaseHeld, held
from orchestrator.control.requests import still_open
from orchestrator.errors import UsageProblem
from orchestrator.runs import folders, runs
from orchestrator.runs.folders import show_run
from orchestrator.runs.handle import RunControl
from orchestrator.runs.outcome import Outcome
from orchestrator.settings.settings import load_settings
from orchestrator.views.listing import run_page, runs_table
from protocol.dsl import parse_line
from roles.journal.journal import Journal

SORT = "Run `sort Logs/door.log > Logs/sorted.log`"


def lines(folder: Path) -> list[str]:
    return [str(event.body["line"]) for event in events(folder, "outcome")]


def keys_done_twice(folder: Path) -> list[str]:
    keys = [str(event.body["key"]) for event in events(folder, "outcome")]
    return [key for key in keys if keys.count(key) > 1]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return Crew(load_settings(overrides=[*OPEN, f"runs_dir={tmp_path_factory.mktemp('runs')}"])).run(CLAIM)


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Outcome]:
    """A folder with a run that was paused in front of the form, what the asker was told, and how the run's process ended."""
    folder = tmp_path_factory.mktemp("runs")
    told, outcome = working(folder).meanwhile(lambda control: control.pause())
    return folder, told, outcome


def test_a_pause_stops_the_crew_before_its_next_action_is_shown_and_is_not_repeated(paused: tuple[Path, Any, Outcome]) -> None:
    folder, told, outcome = paused
    assert (outcome.status, outcome.exit_code, outcome.reason) == ("paused", 3, "paused by anna")
    assert (told.state, told.next[0]) == ("paused", f"deskcrew resume {outcome.run_id}")
    assert max(event.step for event in events(outcome.folder, "outcome")) == FORM - 2
    assert [event.body for event in events(outcome.folder, "paused")] == [{"who": "anna"}]
    assert " paused " in runs_table(folders.list_runs(folder))
    assert "status  paused" in run_page(show_run(outcome.run_id, folder))
    before = asked(outcome.folder)
    control = RunControl(outcome.run_id, runs_dir=folder)
    again = control.pause()
    assert (again.state, "paused by anna" in again.said, asked(outcome.folder)) == ("paused", True, before)
    for ask in (control.handback, lambda: act(control)):
        with pytest.raises(UsageProblem, match="was not taken over"):
            ask()


def test_a_paused_run_goes_on_as_if_nothing_had_happened(tmp_path: Path, undisturbed: Outcome) -> None:
    run = working(tmp_path)
    run.meanwhile(lambda control: control.pause())
    assert show_run(run.names[0], tmp_path).report["status"] == "paused"
    outcome = runs.resume(run.names[0], runs_dir=tmp_path)
    assert outcome.exit_code == 0
    assert lines(outcome.folder) == lines(undisturbed.folder)
    assert claims(outcome.folder) == claims(undisturbed.folder)
    assert not keys_done_twice(outcome.folder)


def test_a_cancel_is_honoured_before_the_action_that_was_decided(tmp_path: Path) -> None:
    run = working(tmp_path)
    told, outcome = run.meanwhile(lambda control: control.cancel("the wrong invoice"))
    assert (outcome.status, outcome.exit_code) == ("rejected", 1)
    assert outcome.reason == "the run was cancelled by anna: the wrong invoice"
    assert told.state == "cancelled"
    assert max(event.step for event in events(run.folder, "outcome")) == FORM - 2
    assert [event.body["line"] for event in events(run.folder, "dropped")] == ["open reimbursement"]
    assert events(run.folder, "situation")[-1].body["row"] == "GET_ACTION --cancelled--> DONE"
    assert folders.list_runs(tmp_path)[0].status == "cancelled"
    control = RunControl(outcome.run_id, runs_dir=tmp_path)
    for ask in (control.cancel, control.pause, control.takeover, lambda: control.steer("hello")):
        with pytest.raises(UsageProblem, match="is finished"):
            ask()


@pytest.mark.parametrize("asks", ["approval", "plan"])
def test_a_run_that_waits_for_a_person_is_cancelled_without_one(tmp_path: Path, asks: str) -> None:
    overrides = ["crew.manager.review=true"] if asks == "plan" else []
    waiting = Crew(load_settings(overrides=[*overrides, f"runs_dir={tmp_path}"])).run(CLAIM)
    assert waiting.exit_code == 3
    before = claims(waiting.folder)
    told = RunControl(waiting.run_id, runs_dir=tmp_path, who="bob").cancel()
    assert told.said.endswith("the run was cancelled by bob")
    assert folders.list_runs(tmp_path)[0].status == "cancelled"
    assert claims(waiting.folder) == before


def test_of_two_who_answer_one_goes_on_though_the_other_had_the_run_and_lets_it_go(tmp_path: Path) -> None:
    waiting = Crew(load_settings(overrides=[f"runs_dir={tmp_path}"])).run(CLAIM)
    (request,) = still_open(waiting.folder)
    control = RunControl(waiting.run_id, runs_dir=tmp_path, who="bob", wait=DEADLINE)
    found: list[Outcome | None] = []
    with held(waiting.folder, waiting.run_id):
        asking = threading.Thread(target=lambda: found.append(control.resume(answer={"decisions": [{"type": "approve"}]})))
        asking.start()
        until(lambda: given_to(waiting.folder, request.id), "the answer")
    asking.join(DEADLINE)
    assert [outcome and outcome.exit_code for outcome in found] == [0]
    assert [event.body["who"] for event in events(waiting.folder, "approval")] == ["bob"]
    assert folders.list_runs(tmp_path)[0].status == "fulfilled"


# --- notes ----------------------------------------------------------------------------------------------------------


def test_a_correction_becomes_a_part_of_the_plan_before_the_work_it_corrects(tmp_path: Path) -> None:
    told, outcome = working(tmp_path).meanwhile(lambda control: control.steer("set the category to Travel"))
    assert "takes it into account" in told.said
    assert outcome.exit_code == 0, outcome.reason
    done = lines(outcome.folder)
    assert done.index('select "Travel" in "Category"') < done.index('click "Submit"')
    assert done.count("open reimbursement") == 1
    assert "GET_ACTION --steered--> PLAN" in outcome.report["transitions"]
    assert [(c["kind"], c["who"], c["words"]) for c in outcome.report["control"] if c["kind"] == "steered"] == [
        ("steered", "anna", "set the category to Travel")
    ]
    assert "anna to crew: set the category to Travel" in run_page(show_run(outcome.run_id, tmp_path))


@pytest.mark.parametrize(
    ("words", "to", "part"),
    [("", "crew", "The instruction is empty"), ("x", "boss", "no role 'boss'"), ("x" * 3000, "crew", "3000 characters")],
)
def test_a_note_that_cannot_be_given_is_refused(paused: tuple[Path, Any, Outcome], words: str, to: Any, part: str) -> None:
    folder, _, outcome = paused
    with pytest.raises(UsageProblem, match=part):
        RunControl(outcome.run_id, runs_dir=folder).steer(words, to)


# --- a person's hands -----------------------------------------------------------------------------------------------


def act(control: RunControl, *said: str) -> None:
    with control.hands() as hands:
        for line in said:
            result = hands.do(parse_line(line))
            assert result.ok, result.error


def test_nobody_else_opens_a_run_that_a_person_acts_in_and_the_crew_goes_on_from_what_they_did(
    tmp_path: Path, undisturbed: Outcome
) -> None:
    run = working(tmp_path, FORM + 1)
    told, outcome = run.meanwhile(lambda control: control.takeover())
    assert (outcome.status, outcome.exit_code, outcome.reason) == ("taken_over", 3, "taken over by anna")
    assert told.state == "taken_over"
    with pytest.raises(UsageProblem, match=r"taken over by anna.*handback"):
        runs.resume(outcome.run_id, runs_dir=tmp_path)
    with run.control().hands() as hands:
        assert hands.look().app == "reimbursement"
        with pytest.raises(LeaseHeld, match="a person in this process"):
            runs.resume(outcome.run_id, runs_dir=tmp_path)
    act(run.control(), 'select "Travel" in "Category"', 'fill "Vendor" with "Berlin Rail"')
    assert " taken over " in runs_table(folders.list_runs(tmp_path))
    done = run.control().handback("the category was missing")
    assert done.exit_code == 0, done.reason
    assert not keys_done_twice(done.folder)
    mine = [event for event in events(done.folder, "outcome") if event.role == "user"]
    assert [event.body["line"] for event in mine] == ['select "Travel" in "Category"', 'fill "Vendor" with "Berlin Rail"']
    steps = [event.step for event in events(done.folder, "outcome")]
    assert steps == sorted(set(steps))
    claim, plain = claims(done.folder)[-1], claims(undisturbed.folder)[-1]
    assert (claim["category"], claim["vendor"], claim["amount"]) == ("Travel", "Berlin Rail", plain["amount"])
    kinds = [item["kind"] for item in done.report["control"]]
    assert kinds[:1] == ["taken_over"]
    assert "handed_back" in kinds
    assert {"role": "user", "step": mine[0].step} in [{"role": s["role"], "step": s["step"]} for s in done.report["steps"]]
    log = [json.loads(line) for line in (done.folder / "log.jsonl").read_text().splitlines()]
    assert [line["role"] for line in log if line.get("role") == "user"] == ["user", "user"]


def test_what_a_person_finished_is_not_done_again(tmp_path: Path, undisturbed: Outcome) -> None:
    run = working(tmp_path, FORM + 4)  # the amount stands in the form, and Submit was decided on
    run.meanwhile(lambda control: control.takeover())
    before = len(claims(run.folder))
    act(run.control(), 'click "Submit"')
    done = run.control().handback()
    assert done.status == "fulfilled"
    assert len(claims(run.folder)) == before + 1 == len(claims(undisturbed.folder))
    assert lines(run.folder).count('click "Submit"') == 1


def test_a_run_that_waits_for_approval_can_be_taken_over_and_asks_anew(tmp_path: Path) -> None:
    waiting = Crew(load_settings(overrides=[f"runs_dir={tmp_path}"])).run(CLAIM)
    control = RunControl(waiting.run_id, runs_dir=tmp_path, who="anna", wait=60)
    assert control.takeover().state == "taken_over"
    act(control, 'fill "Vendor" with "Berlin Rail"')
    again = control.handback()
    assert (again.status, again.exit_code) == ("on_hold", 3)
    assert again.pending["key"] != waiting.pending["key"]
    assert [a["decision"] for a in again.report["approvals"]] == ["withdrawn"]
    done = runs.resume(waiting.run_id, runs_dir=tmp_path, answer={"decisions": [{"type": "approve"}]})
    assert done.exit_code == 0, done.reason
    assert claims(done.folder)[-1]["vendor"] == "Berlin Rail"


def test_an_approval_of_before_is_void_once_a_person_had_the_run(tmp_path: Path) -> None:
    waiting = Crew(load_settings(overrides=[f"runs_dir={tmp_path}"])).run(CLAIM)
    before = claims(waiting.folder)
    control = RunControl(waiting.run_id, runs_dir=tmp_path, who="anna", wait=60)
    control.takeover()
    control._send("handback", {})
    with pytest.raises(UsageProblem, match="is not waiting for an answer"):
        runs.resume(waiting.run_id, runs_dir=tmp_path, answer={"decisions": [{"type": "approve"}]})
    assert claims(waiting.folder) == before


# --- scripts, and work side by side ---------------------------------------------------------------------------------


@needs_sandbox
@pytest.mark.parametrize("ask", ["pause", "takeover", "cancel"])
def test_a_script_is_run_once_however_the_crew_was_held_and_not_at_all_after_a_cancel(tmp_path: Path, ask: str) -> None:
    run = working(tmp_path, 1, SORT, (*OPEN, "world=workshop"), role="technician")
    _, outcome = run.meanwhile(lambda control: getattr(control, ask)())
    assert lines(outcome.folder) == []
    if ask == "cancel":
        assert outcome.reason == "the run was cancelled by anna"
        return
    done = run.control().handback() if ask == "takeover" else runs.resume(outcome.run_id, runs_dir=tmp_path)
    assert done.exit_code == 0, done.reason
    assert len(lines(done.folder)) == len(set(lines(done.folder)))


@pytest.mark.parametrize("again", ["hands", "handback"])
def test_what_a_person_did_in_the_moment_of_a_kill_is_written_down_afterwards(tmp_path: Path, again: str) -> None:
    run = working(tmp_path, FORM + 1)
    run.meanwhile(lambda control: control.takeover())

    def by_hand() -> None:
        with run.control().hands() as hands:
            hands.do(parse_line('fill "Vendor" with "Berlin Rail"'))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "settle", dies)  # the deed is done, and not written down
        killed(by_hand)
    assert not any(event.role == "user" for event in events(run.folder, "outcome"))
    if again == "hands":
        with run.control().hands() as hands:
            assert any(e.value == "Berlin Rail" for e in hands.look().elements)
    done = run.control().handback()
    assert done.exit_code == 0, done.reason
    assert [event.role for event in events(run.folder, "outcome") if "Vendor" in event.body["line"]] == ["user"]
    assert claims(done.folder)[-1]["vendor"] == "Berlin Rail"
