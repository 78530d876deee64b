"""The Technician's policies: rules and a model."""

import json
from typing import Any

import pytest
from models import asker, fact, prompts_of, saying, section, text_of

from deskcrew import Crew
from environments.sandbox import detect
from environments.sandbox.contract import NoSandbox
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from roles.contracts import FactKnown, RanScript, Script, ScriptAnswer, ScriptRequest, Subtask
from roles.contracts.orders import JobStep
from roles.contracts.wording import describe
from roles.policies.fallback import GaveUp
from roles.policies.llm.prompts import load_prompt
from roles.policies.orders.jobs import only_job
from roles.safety.effects import risks_of
from roles.screen.language.reader import read
from roles.technician.llm import LlmTechnician
from roles.technician.rules import RulesTechnician

from .conftest import WORLD

FILES = {"names.txt": "Zoe 3\nann 20\nZoe 3\nBob 1\n"}


def job_of(words: str) -> JobStep:
    job = only_job(read(words))
    assert job is not None, words
    return job


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Run `wc -l < names.txt`", "4"),
        ("Run the script ```python\nprint(2 ** 10)\n```", "1024"),
        ("Run ```\necho $((2 ** 10))\n```", "1024"),
    ],
)
def test_what_a_job_says(sandbox, words, said):
    job = job_of(words)
    assert not risks_of(job.language, job.code)
    given = {p: t.encode() for p, t in FILES.items()}
    ran = sandbox.run(job.code, job.language, given, 20)
    assert (ran.exit_code, ran.stdout.strip(), ran.stderr) == (0, said, "")
    assert ran.files == given, "a job that only says something changes nothing"
    assert job_of(describe(job)) == job


def crew(tmp_path, **parts) -> Crew:
    world = tmp_path / "world.yaml"
    world.write_text(WORLD)
    paths = [f"world={json.dumps(str(world))}", f"runs_dir={json.dumps(str(tmp_path / 'runs'))}"]
    return Crew.from_config(overrides=paths, **parts)


def test_a_whole_crew_counts_lines_and_writes_the_number_into_a_note(tmp_path, sandbox):
    outcome = crew(tmp_path).run('Run `wc -l < /Documents/trips.txt` and make a note titled "Lines" with the output as its text.')
    assert outcome.status == "fulfilled", outcome.reason
    assert next((s["worker"], s["app"]) for s in outcome.report["plan"]) == ("technician", "files")
    desk = SimulatedDesktop(load_world(str(tmp_path / "world.yaml")), 0, outcome.folder)
    notes = desk.world()["apps"]["notes"]["notes"]
    assert [(note["title"], note["body"]) for note in notes.values() if note["title"] == "Lines"] == [("Lines", "3")]
    desk.close()


def test_without_a_sandbox_the_crew_says_why_it_cannot(tmp_path, monkeypatch):
    why = "scripts need a sandbox, and bwrap is not installed; get it with: apt-get install bubblewrap"
    monkeypatch.setattr(detect, "installed", lambda kind="bubblewrap", packages=None: NoSandbox(why))
    outcome = crew(tmp_path).run("Run `wc -l < /Documents/trips.txt`.")
    assert outcome.status == "rejected"
    assert "apt-get install bubblewrap" in outcome.report["reason"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        *((words, words) for words in ("Paint the fence", "Run the report")),
        *((words, "nothing can be installed: scripts run in a sandbox without network")
          for words in ("Install the package pandas", "pip install pandas", "please install jq")),
    ],
)  # fmt: skip
def test_what_cannot_be_installed_or_is_no_job_is_said_with_the_reason(words: str, said: str) -> None:
    assert only_job(read(words)) is None
    subtask = Subtask(id="s1", title="t", instruction=words, worker="technician")
    answer = RulesTechnician().write(ScriptRequest(goal="go", subtask=subtask))
    assert answer.outcome == "cannot"
    assert said in answer.reason


RUN = {"reason": "count", "outcome": "run", "language": "bash", "code": "wc -l < Logs/a.log"}
BROKE = RanScript(script=Script(code="wc nothing"), exit_code=1, stderr="wc: nothing: No such file", error="exit code 1: wc")
WORKED = RanScript(script=Script(code="echo 3"), exit_code=0, stdout="3\n", changed=("/a.txt",))


def request(**changes: Any) -> ScriptRequest:
    subtask = Subtask(
        id="a", title="count", instruction="Count the lines of a.log", worker="technician", expect=(FactKnown(name="lines"),)
    )
    return ScriptRequest.model_validate({"goal": "g", "subtask": subtask, "files": ("/Logs/", "/Logs/a.log"), **changes})


def write(*replies: Any, **changes: Any) -> ScriptAnswer:
    return LlmTechnician(asker(saying(*replies)), load_prompt("technician")).write(request(**changes))


@pytest.mark.parametrize(
    ("reply", "language", "code"),
    [
        (RUN, "bash", RUN["code"]),
        ("```bash\nls -l\n```", "bash", "ls -l\n"),
        ("I list them by name.\n\n```python\nprint({'a': 1})\n```\nThat is all.", "python", "print({'a': 1})\n"),
        ("<think>```bash\nrm -r .\n```</think>\n  ```bash \n  echo ${x}\n  ```", "bash", "  echo ${x}\n"),
        ("```json\n" + json.dumps(RUN) + "\n```", "bash", RUN["code"]),
    ],
)
def test_a_script_may_stand_in_a_block_of_code(reply: Any, language: str, code: str) -> None:
    answer = write(reply)
    assert (answer.outcome, answer.script.language, answer.script.code) == ("run", language, code)


@pytest.mark.parametrize("reply", ["```bash\nls\n```\n```bash\nrm a\n```", "```bash\nls", "```perl\nprint\n```", "ls"])
def test_what_may_be_several_scripts_or_none_is_asked_again(reply: str) -> None:
    assert write(reply, RUN).script is not None
    with pytest.raises(GaveUp, match="no JSON object"):
        write(reply)


@pytest.mark.parametrize(
    ("bad", "ran", "why"),
    [
        ({"reason": "r", "outcome": "done"}, (), "nothing was run yet"),
        ({"reason": "r", "outcome": "done"}, (BROKE,), "the last script did not work"),
        (RUN | {"code": " "}, (), "needs the code"),
        (RUN | {"code": 7}, (), "needs the code"),
        (RUN | {"code": "wc nothing\n"}, (BROKE,), "was run already and did not work"),
        (RUN | {"language": "perl"}, (), "language"),
        ({"reason": "r", "outcome": "perhaps"}, (), "no outcome 'perhaps'"),
    ],
)
def test_what_is_no_answer_is_asked_again_with_the_reason(bad: dict[str, Any], ran: tuple[RanScript, ...], why: str) -> None:
    assert write(bad, RUN, ran=ran).outcome == "run"
    with pytest.raises(GaveUp, match=why):
        write(bad, ran=ran)


def test_the_end_is_believed_after_a_script_that_worked() -> None:
    assert write({"reason": "3 lines", "outcome": "done"}, ran=(BROKE, WORKED)).outcome == "done"
    assert write({"reason": "no such file", "outcome": "cannot"}).reason == "no such file"


def told(**given: Any) -> str:
    """What the model is told."""
    model, heard = prompts_of(lambda _: RUN)
    LlmTechnician(asker(model), load_prompt("technician")).write(request(**given))
    return text_of(heard[0])


def test_the_prompt_holds_the_job_the_files_and_what_came_of_the_scripts_and_no_secret() -> None:
    leaked = RanScript(script=Script(code="cat pin"), exit_code=1, stdout="4711-22", error="exit code 1")
    facts = (fact("pin", "4711-22", private=True), fact("year", "2026"))
    text = told(ran=(BROKE, leaked), facts=facts, refused=("rm -rf /",))
    assert "Your job: Count the lines of a.log" in text
    assert "the fact 'lines'" in text
    assert section(text, "files").splitlines() == ["/Logs/", "/Logs/a.log"]
    assert "No such file" in section(text, "ran")
    assert "changed nothing" in section(text, "ran")
    assert "rm -rf" in section(text, "refused")
    assert "year = 2026" in section(text, "facts")
    assert "4711" not in text


def test_the_prompt_does_not_grow_with_scripts_and_files() -> None:
    def size(count: int) -> int:
        codes = (f"echo {n}" * 900 for n in range(count))
        ran = tuple(RanScript(script=Script(code=code), exit_code=1, stdout="x" * 9_000, error="e") for code in codes)
        text = told(ran=ran, files=tuple(f"/f{n}" for n in range(100 * count)))
        assert f"({count - 3} earlier scripts are not shown)" in text
        return len(text)

    assert size(40) < size(4) + 100
