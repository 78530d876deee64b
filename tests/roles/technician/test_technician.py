"""The Technician in the real controller, with scripts that are written down, in the real sandbox, on a real world."""

import json

import pytest
from models import asker, prompts_of, section, text_of
from support import Planner, Run, desktop, planned, subtask

from environments.contract import CHANGE_FILES, FileChange, text_digest
from environments.sandbox.contract import ScriptResult
from protocol import ActionTarget, Click, FailGoal, Fill
from roles.contracts import EffectSeen, FactKnown, PlanRequest, Script
from roles.contracts.limits import Limits
from roles.evaluator.rules import RulesEvaluator
from roles.policies.llm.prompts import load_prompt
from roles.policies.scripted import ScriptedTechnician
from roles.safety import Rule, SafetyPolicy
from roles.safety.privacy.vault import reference
from roles.technician.graph import facts_in
from roles.technician.llm import LlmTechnician


def bash(code: str) -> Script:
    return Script(code=code)


def crew(desk, sandbox, *scripts: Script, expect=(), limits=None, safety=None, **parts) -> Run:
    technician = ScriptedTechnician(scripts={"t": scripts})
    parts = {
        "technician": technician,
        "sandbox": sandbox,
        "manager": Planner(planned(subtask("t", worker="technician", expect=expect))),
        **parts,
    }
    return Run([planned(subtask("t"))], desk=desk, limits=limits or Limits(), safety=safety or SafetyPolicy(), parts=parts)


def told(run: Run) -> PlanRequest:
    """What the Manager was told last."""
    manager = run.context.manager
    assert isinstance(manager, Planner)
    return manager.requests[-1]


def files(desk) -> dict[str, str]:
    return dict(desk.files().files)


def test_a_script_reads_and_writes_the_worlds_files_and_says_what_it_found(desk, sandbox):
    run = crew(desk, sandbox, bash("wc -l < Documents/trips.txt; sort /Documents/trips.txt > Documents/sorted.txt"),
               expect=(FactKnown(name="line count"), EffectSeen(verb="run_script")), evaluator=RulesEvaluator())  # fmt: skip
    run.go()
    assert run.status == "fulfilled"
    assert files(desk)["/Documents/sorted.txt"] == "Berlin 12.50\nParis 8\nRome 100\n"
    facts = {fact.name: (fact.value, fact.kind, fact.role) for fact in run.journal.facts()}
    assert facts == {"line count": ("3", "number", "technician")}
    (step,) = run.journal.all_steps(10)
    assert (step.verb, step.role, step.visible_change) == ("run_script", "technician", True)
    assert step.events == ("status: exit code 0", "status: changed /Documents/sorted.txt")


def test_the_files_app_shows_what_a_script_made_and_a_script_sees_what_the_app_made(desk, sandbox):
    desk.perform(Click(target=ActionTarget(text="New folder")), key="g1")
    desk.perform(Fill(target=ActionTarget(text="Folder name"), text="By hand"), key="g2")
    desk.perform(Click(target=ActionTarget(text="Create")), key="g3")
    assert "/By hand" in desk.files().folders
    crew(desk, sandbox, bash("ls -d */ > list-of-texts")).go()
    assert files(desk)["/list-of-texts"] == "By hand/\nDocuments/\n"
    assert "list-of-texts" in [e.name for e in desk.observe().elements]


def test_a_script_that_fails_changes_nothing_and_its_exit_code_and_stderr_are_evidence(desk, sandbox):
    before = files(desk)
    run = crew(desk, sandbox, bash("echo lost > new.txt; echo oh no >&2; exit 3")).go()
    assert files(desk) == before
    assert run.status == "rejected"
    assert [row for row in run.rows if "EXECUTE_ACTION --error" in row] == ["EXECUTE_ACTION --error [retries left]--> GET_ACTION"]
    (step,) = run.journal.all_steps(10)
    assert step.error == "exit code 3: oh no; nothing was changed"
    evidence = told(run).evidence
    assert any("exit code 3" in line for line in evidence)
    assert "stderr: oh no" in evidence


def test_a_script_that_does_not_end_is_a_timeout_and_changes_nothing(desk, sandbox):
    before = files(desk)
    run = crew(desk, sandbox, bash("echo x > new.txt; sleep 60"), limits=Limits(script_seconds=1))
    run.go()
    assert files(desk) == before
    assert any("--timeout" in row for row in run.rows)
    assert "ended after 1 seconds" in run.journal.all_steps(1)[0].error


def test_deleting_asks_a_person_who_sees_what_goes_and_keeps_it_or_lets_it_go(desk, sandbox):
    for answer in ({"type": "reject", "message": "keep it"}, {"type": "approve"}):
        run = crew(desk, sandbox, bash("ls\nrm names.txt"))
        run.go()
        assert run.asked["action_requests"][0]["name"] == CHANGE_FILES
        assert run.asked["action_requests"][0]["args"]["arguments"] == {"removed": ["/names.txt"]}
        assert "it deletes /names.txt" in run.asked["reasons"]
        assert [(c["effect"], c["told"]) for c in run.asked["changes"]] == [("delete", "deletes /names.txt")]
        assert "/names.txt" in files(desk)
        assert desk.received() == []
        run.go(answer)
        if answer["type"] == "reject":
            assert "/names.txt" in files(desk)
            assert told(run).user_words == ("keep it",)
    assert run.status == "fulfilled"
    assert "/names.txt" not in files(desk)


def edited(run: Run, code: str) -> Run:
    """The script, with a person's in its place."""
    return run.go({"type": "edit", "edited_action": {"name": "run_script", "args": {"code": code}}})


def test_a_script_that_is_asked_about_and_rejected_is_not_run(desk, sandbox):
    run = crew(desk, sandbox, bash("curl example.com")).go()
    assert "line 1: network: curl example.com" in run.asked["reasons"]
    run.go({"type": "reject", "message": "no network"})
    assert not run.bodies("outcome")


def test_an_edited_script_is_reviewed_anew_with_its_change_and_run_in_its_place(desk, sandbox):
    edited(crew(desk, sandbox, bash("curl example.com")).go(), "cp names.txt kept.txt")
    assert {"/names.txt", "/kept.txt"} <= set(files(desk))
    run = edited(crew(desk, sandbox, bash("curl example.com")).go(), "rm names.txt")
    assert run.asked["effect"] == "delete"
    assert "/names.txt" in files(desk)
    offline = SafetyPolicy(rules=(Rule(name="no_network", verdict="deny", effects=("send",)), *SafetyPolicy().rules))
    again = edited(crew(desk, sandbox, bash("sudo ls"), safety=offline).go(), "curl x < costs.csv")
    assert "not allowed" in json.dumps(again.bodies("approval"))
    assert not again.bodies("outcome")


def test_a_change_is_kept_as_it_is_or_not_at_all_and_only_a_script_takes_its_place(desk, sandbox):
    run = crew(desk, sandbox, bash("rm names.txt")).go()
    assert run.asked["review_configs"][0]["allowed_decisions"] == ["approve", "reject", "respond"]
    edited(run, "rm costs.csv")
    assert {"/names.txt", "/costs.csv"} <= set(files(desk))
    run = crew(desk, sandbox, bash("curl example.com")).go()
    run.go({"type": "edit", "edited_action": {"name": "fail_goal", "args": {}}})
    assert FailGoal().verb in run.journal.all_steps(1)[0].error
    assert desk.received() == []


def test_what_the_policy_denies_is_never_run(desk, sandbox):
    offline = SafetyPolicy(rules=(Rule(name="offline", verdict="deny", effects=("send",), why="nothing leaves"),))
    run = crew(desk, sandbox, bash("curl example.com > names.txt"), safety=offline).go()
    assert told(run).refused
    assert "nothing leaves" in run.bodies("reviewed")[0]["reasons"]
    assert desk.received() == []


def test_where_there_are_no_files_a_script_may_compute_and_not_write(sandbox):
    bare = desktop()
    assert [fact.value for fact in crew(bare, sandbox, bash("echo $((6 * 7))")).go().journal.facts()] == ["42"]
    lost = crew(bare, sandbox, bash("echo 1 > made.txt")).go()
    assert "no app that holds files" in lost.journal.all_steps(1)[0].error


def test_a_private_value_in_the_output_is_masked_everywhere(desk, sandbox):
    shown = SafetyPolicy(private_in_the_open="allow")
    run = crew(desk, sandbox, bash("cat names.txt; echo 'quoted \"Zoe 3\" too'"), safety=shown)
    run.journal.secret("Zoe 3")
    run.go()
    body = json.loads(run.journal.outcome(run.bodies("outcome")[0]["key"]).output)
    assert "Zoe 3" not in json.dumps(body)
    assert body["stdout"].count(reference("value")) == 3
    assert all("Zoe 3" not in fact.value for fact in run.journal.facts())
    assert "Zoe 3" not in json.dumps([e.body for e in run.journal.events()])


def test_long_output_is_kept_to_its_bound(desk, sandbox):
    run = crew(desk, sandbox, bash("head -c 3000000 /dev/zero | tr '\\0' x"))
    run.go()
    body = json.loads(run.journal.outcome(run.bodies("outcome")[0]["key"]).output)
    assert body["cut"]
    assert len(body["stdout"]) < 17_000
    assert len(run.journal.facts()[0].value) <= 4_000


def test_files_changed_meanwhile_are_not_written_over(desk, sandbox):
    """Somebody else's change between the reading and the writing: the script's is refused whole."""

    class Slow:
        refusal = ""

        def run(self, script, language, given, timeout, *, folders=()) -> ScriptResult:
            was = {"/names.txt": text_digest(files(desk)["/names.txt"])}
            desk.perform(FileChange(written={"/names.txt": "theirs"}, was=was).action(), key="theirs")
            return sandbox.run(script, language, given, timeout, folders=folders)

    run = crew(desk, Slow(), bash("echo mine > names.txt; echo mine > other.txt"))
    run.go()
    assert files(desk)["/names.txt"] == "theirs"
    assert "/other.txt" not in files(desk)
    assert "no longer as it was" in run.journal.all_steps(1)[0].error


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("where", ["in the script", "before the change", "after the change", "before its outcome"])
def test_killed_anywhere_and_resumed_it_counts_once(desk, sandbox, where, monkeypatch):
    """The same journal, checkpoints and world go on; what was in memory is gone."""
    runs: list[str] = []
    fatal = {where}

    class Dying:
        refusal = ""

        def run(self, script, language, given, timeout, *, folders=()) -> ScriptResult:
            runs.append(script)
            ran = sandbox.run(script, language, given, timeout, folders=folders)
            die("in the script")
            return ran

    def die(at: str) -> None:
        if at in fatal:
            fatal.clear()
            raise Killed

    perform = desk.perform

    def performing(action, *, key):
        die("before the change")
        result = perform(action, key=key)
        die("after the change")
        return result

    monkeypatch.setattr(desk, "perform", performing)
    run = crew(desk, Dying(), bash("echo line >> log.txt; wc -l < log.txt"))
    settle = run.journal.settle

    def settling(key, result):
        if key.endswith("/files"):
            die("before its outcome")
        return settle(key, result)

    monkeypatch.setattr(run.journal, "settle", settling)
    with pytest.raises(Killed):
        run.go()
    run.result = run.graph.invoke(None, run.config, context=run.context, durability="sync")
    assert run.status == "fulfilled"
    assert files(desk)["/log.txt"] == "line\n"
    assert [fact.value for fact in run.journal.facts()] == ["1"]
    assert len(runs) == (2 if where == "in the script" else 1), "run again only where nothing had come of it"
    assert len(run.journal.all_steps(10)) == 1
    assert len(desk.received()) == 1


def test_scripts_go_on_after_one_another_see_what_came_before_and_are_checked_every_so_often(desk, sandbox):
    counting = Script(language="python", code="print(int(open('n3.txt').read()) + 1)")
    scripts = [*(bash(f"echo {n} > n{n}.txt") for n in range(4)), counting]
    run = crew(desk, sandbox, *scripts, limits=Limits(check_every=2), evaluator=RulesEvaluator())
    run.go()
    assert run.status == "fulfilled"
    assert [fact.value for fact in run.journal.facts()] == ["4"]
    decided = [(body["trigger"], body["decision"]) for body in run.bodies("gate")]
    assert decided.count(("PERIODIC_CHECK", "gate_continue")) == 2
    assert len(run.journal.all_steps(10)) == 5


def test_a_technician_that_runs_the_same_script_again_and_again_is_stale(desk, sandbox):
    run = crew(desk, sandbox, *[bash("echo same")] * 5, evaluator=RulesEvaluator())
    run.go()
    decided = [(body["trigger"], body["decision"]) for body in run.bodies("gate")]
    assert ("WORKER_STALE", "gate_fail") in decided
    assert len(run.journal.all_steps(10)) == 3


def test_several_expected_facts_are_lines_of_name_and_value():
    assert facts_in("Total: 12.50\nitems = 3\nnoise\n", ["total", "items", "missing"]) == {"total": "12.50", "items": "3"}
    assert facts_in("a: b\nc", ["one"]) == {"one": "a: b\nc"}
    assert facts_in("said", []) == {"script output": "said"}
    assert facts_in(" \n", ["one"]) == {}


def by_model(replies) -> tuple[LlmTechnician, list]:
    model, heard = prompts_of(replies)
    return LlmTechnician(asker(model), load_prompt("technician")), heard


def test_a_model_writes_a_script_sees_it_fail_and_writes_another(desk, sandbox):
    def answer(messages):
        ran = section(text_of(messages[1:2]), "ran")
        if "exit code 0" in ran:
            return {"reason": "counted", "outcome": "done"}
        path = "Documents/trips.txt" if "No such file" in ran else "trips.txt"
        code = f"cat {path} | wc -l; test -f {path} || cat {path}"
        return {"reason": "count", "outcome": "run", "language": "bash", "code": code}

    wanted = (FactKnown(name="line count"),)
    run = crew(desk, sandbox, technician=by_model(answer)[0], expect=wanted, evaluator=RulesEvaluator()).go()
    assert run.status == "fulfilled"
    assert [step.exec_status for step in run.journal.all_steps(10)] == ["error", "executed"]
    assert {fact.name: fact.value for fact in run.journal.facts()} == {"line count": "3"}


def test_a_model_without_a_usable_script_is_a_reported_failure_and_runs_nothing(desk, sandbox):
    technician, heard = by_model(lambda _: "rm -rf /")
    run = crew(desk, sandbox, technician=technician).go()
    assert (run.status, run.journal.all_steps(10)) == ("rejected", ())
    assert len(heard) == 3
    assert run.result["ended_by"] == "no_answer"
    assert "no usable script" in run.result["reason"]
