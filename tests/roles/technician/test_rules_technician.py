"""Jobs: what goals become, what their scripts do in the sandbox, and how a whole crew carries them out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.sandbox.contract import NoSandbox
from orchestrator import Crew
from roles.contracts import ScriptRequest, Subtask
from roles.contracts.orders import JobStep
from roles.policies.orders.jobs import only_job
from roles.policies.orders.stages import describe
from roles.safety.effects import risks_of
from roles.screen.language.reader import read
from roles.technician.rules import NoSuchFile, RulesTechnician, script_for

from .conftest import WORLD

FILES = {
    "Documents/trips.txt": "Berlin 12.50\nParis 8\nRome 100\n",
    "Documents/plan.txt": "Go to Berlin",
    "costs.csv": 'Item,Amount\nbus,12.50\nhotel,"1,100"\n',
    "names.txt": "Zoe 3\nann 20\nZoe 3\nBob 1\n",
}
PATHS = (*(f"/{path}" for path in FILES), "/Documents/")


def job_of(words: str) -> JobStep:
    job = only_job(read(words))
    assert job is not None, words
    return job


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Count the lines of /Documents/trips.txt", "3"),
        ("count the lines in plan.txt", "1"),
        ("Count the words of names.txt", "8"),
        ("count the characters in names.txt", str(len(FILES["names.txt"]))),
        ("count how many lines with Zoe there are in names.txt", "2"),
        ('Count the lines with "it\'s $(rm -rf .)" in names.txt', "0"),
        ("Count the files in /Documents with a script", "2"),
        ("How many lines are there in the file names.txt?", "4"),
        ("Count in the terminal how many lines with Zoe there are in names.txt", "2"),
        ("Run `wc -l < names.txt`", "4"),
        ("Run the script ```python\nprint(2 ** 10)\n```", "1024"),
        ("Run ```\necho $((2 ** 10))\n```", "1024"),
    ],
)
def test_what_a_job_says(sandbox, words, said):
    script = script_for(job_of(words), PATHS)
    assert not risks_of(script.language, script.code)
    given = {p: t.encode() for p, t in FILES.items()}
    ran = sandbox.run(script.code, script.language, given, 20)
    assert (ran.exit_code, ran.stdout.strip(), ran.stderr) == (0, said, "")
    assert ran.files == given, "a job that only says something changes nothing"


@pytest.mark.parametrize(
    "words",
    [
        "Count the lines of /Documents/trips.txt", 'Count the lines with "Zoe" in names.txt', "Run `wc -l < names.txt`",
    ],
)  # fmt: skip
def test_the_words_of_a_job_are_read_back_as_the_same_job(words):
    job = job_of(words)
    again = job_of(describe(job.model_copy(update={"name": ""})))
    assert again.model_copy(update={"name": job.name}) == job


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("count the lines of none.txt", "there is no file called none.txt"),
        ("count the lines of a.txt", "a.txt may be any of these files: /x/a.txt, /y/a.txt"),
        ("count the files in /Nowhere with a script", "there is no folder called /Nowhere"),
    ],
)
def test_a_file_that_is_not_there_is_named(words, why):
    with pytest.raises(NoSuchFile, match=why):
        script_for(job_of(words), ("/x/", "/y/", "/x/a.txt", "/y/a.txt"))


def test_words_that_are_no_job_are_refused_with_the_words():
    request = ScriptRequest(goal="", subtask=Subtask(id="s1", title="", instruction="Paint the fence"))
    answer = RulesTechnician().write(request)
    assert answer.outcome == "cannot"
    assert "Paint the fence" in answer.reason


@pytest.mark.parametrize(
    "goal",
    [
        "Count the words in my note",
        "Open the mail and sort it",
        "Rename the file plan.txt to plan.md",
        "Find the mail from Eve",
        "Sort the sheet Costs by amount",
        "Count the first three lines of names.txt",
        "Count the lines of names.txt except those with Zoe",
        "Merge Ann Lee and Bob Ray into Ann Ray",
        "Run the report",
    ],
)
def test_what_is_no_computation_over_files_is_left_to_the_others(goal):
    assert only_job(read(goal)) is None


@given(st.text(max_size=120))
def test_any_code_is_a_literal_or_runs_as_it_stands(words):
    script = script_for(JobStep(job="count", what="line", files=("names.txt",), having=words), PATHS)
    assert f"HAVING = {json.dumps(words)}\n" in script.code
    compile(script.code, "job", "exec")


def crew(tmp_path, **parts) -> Crew:
    world = tmp_path / "world.yaml"
    world.write_text(WORLD)
    paths = [f"world={json.dumps(str(world))}", f"runs_dir={json.dumps(str(tmp_path / 'runs'))}"]
    return Crew.from_config(overrides=paths, **parts)


def test_a_whole_crew_counts_lines_and_writes_the_number_into_a_note(tmp_path, sandbox):
    outcome = crew(tmp_path).run(
        'Count the lines of /Documents/trips.txt with a script and make a note titled "Lines" with the number as its text.'
    )
    assert outcome.status == "fulfilled", outcome.reason
    assert next((s["worker"], s["app"]) for s in outcome.report["plan"]) == ("technician", "files")
    from environments.simulated.desktop import SimulatedDesktop
    from environments.simulated.world.worldfile import load_world

    desk = SimulatedDesktop(load_world(str(tmp_path / "world.yaml")), 0, outcome.folder)
    notes = desk.world()["apps"]["notes"]["notes"]
    assert [(note["title"], note["body"]) for note in notes.values() if note["title"] == "Lines"] == [("Lines", "3")]
    desk.close()


def test_without_a_sandbox_the_crew_says_why_it_cannot(tmp_path, monkeypatch):
    import environments.sandbox.detect as detect

    why = "scripts need a sandbox, and bwrap is not installed; get it with: apt-get install bubblewrap"
    monkeypatch.setattr(detect, "installed", lambda kind="bubblewrap", packages=None: NoSandbox(why))
    outcome = crew(tmp_path).run("Count the lines of /Documents/trips.txt with a script.")
    assert outcome.status == "rejected"
    assert "apt-get install bubblewrap" in outcome.report["reason"]


@pytest.mark.parametrize("words", ["Install the package pandas", "pip install pandas", "please install jq"])
def test_what_cannot_be_installed_is_said_with_the_reason(words: str) -> None:
    subtask = Subtask(id="s1", title="t", instruction=words, worker="technician")
    answer = RulesTechnician().write(ScriptRequest(goal="go", subtask=subtask, files=PATHS))
    assert answer.outcome == "cannot"
    assert answer.reason.startswith("nothing can be installed: scripts run in a sandbox without network")
