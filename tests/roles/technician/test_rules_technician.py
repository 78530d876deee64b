"""Jobs in plain words: what they become, what their scripts do in the sandbox, and how a whole crew carries them out."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from environments.sandbox.contract import NoSandbox
from orchestrator import Crew
from roles.contracts import AppWords, PlanRequest, ScriptRequest, Subtask
from roles.manager.rules import RulesManager
from roles.policies.rules.retired.technician_forms import job_of, jobs_in
from roles.safety.script_effects import risks_of
from roles.technician.rules import NoSuchFile, RulesTechnician, script_for

from .conftest import WORLD

FILES = {
    "Documents/trips.txt": "Berlin 12.50\nParis 8\nRome 100\n",
    "Documents/plan.txt": "Go to Berlin",
    "costs.csv": 'Item,Amount\nbus,12.50\nhotel,"1,100"\n',
    "names.txt": "Zoe 3\nann 20\nZoe 3\nBob 1\n",
    "keys/shed.txt": "mind the dog\nthe alarm code is 4711.\n",
    "keys/barn.txt": "Alarm code: X-9\n",
}
PATHS = (*(f"/{path}" for path in FILES), "/Documents/", "/keys/")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Count the lines of /Documents/trips.txt", "3"),
        ("count the lines in plan.txt", "1"),
        ("Count the words of names.txt", "8"),
        ("count the characters in names.txt", str(len(FILES["names.txt"]))),
        ("count how many lines with Zoe there are in names.txt", "2"),
        ('Count the lines containing "it\'s $(rm -rf .)" in names.txt', "0"),
        ("Count the files in /Documents with a script", "2"),
        ("List the files in Documents in the shell", "plan.txt\ntrips.txt"),
        ("Find the files that contain Berlin", "/Documents/plan.txt\n/Documents/trips.txt"),
        ("Sum the column Amount of costs.csv", "1112.50"),
        ("add up the amount column in costs.csv", "1112.50"),
        ("Count in the terminal how many lines with Zoe there are in names.txt", "2"),
        ("Somewhere under /keys there is a file with the alarm code of the shed. Find the code", "4711"),
        ("Look up the alarm code of the barn among the files in keys", "X-9"),
        ("Run `wc -l < names.txt`", "4"),
        ("Run this:\n```python\nprint(2 ** 10)\n```", "1024"),
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
    ("words", "changed"),
    [
        ("Sort the lines of names.txt into sorted.txt", {"sorted.txt": "ann 20\nBob 1\nZoe 3\nZoe 3\n"}),
        (
            "Make the folder Trips and move every file in Documents whose name begins with tr there",
            {"Documents/trips.txt": None, "Trips/trips.txt": FILES["Documents/trips.txt"]},
        ),
        (
            "Move all files of Documents with names that end with .txt into the new folder Old",
            {
                **{f"Documents/{name}.txt": None for name in ("trips", "plan")},
                **{f"Old/{name}.txt": FILES[f"Documents/{name}.txt"] for name in ("trips", "plan")},
            },
        ),
        ("Sort the lines of names.txt by number", {"names.txt": "Bob 1\nZoe 3\nZoe 3\nann 20\n"}),
        (
            "sort the lines of trips.txt in reverse order into down.txt",
            {"Documents/down.txt": "Rome 100\nParis 8\nBerlin 12.50\n"},
        ),
        ("Remove duplicate lines from names.txt", {"names.txt": "Zoe 3\nann 20\nBob 1\n"}),
        (
            'Concatenate plan.txt and names.txt into "all of it.txt"',
            {"Documents/all of it.txt": "Go to Berlin\n" + FILES["names.txt"]},
        ),
        (
            "Rename all *.txt in Documents to *.md",
            {
                "Documents/plan.md": "Go to Berlin",
                "Documents/trips.md": FILES["Documents/trips.txt"],
                "Documents/plan.txt": None,
                "Documents/trips.txt": None,
            },
        ),
    ],
)
def test_what_a_job_changes(sandbox, words, changed):
    script = script_for(job_of(words), PATHS)
    assert not risks_of(script.language, script.code)
    ran = sandbox.run(script.code, script.language, {p: t.encode() for p, t in FILES.items()}, 20)
    assert ran.exit_code == 0, ran.stderr
    expected = {path: text for path, text in (FILES | changed).items() if text is not None}
    assert {path: body.decode() for path, body in ran.files.items()} == expected


def test_renaming_never_writes_over_another_file(sandbox):
    script = script_for(job_of("rename all *.txt to *.csv"), ("/a.txt", "/a.csv"))
    ran = sandbox.run(script.code, script.language, {"a.txt": b"1", "a.csv": b"2"}, 20)
    assert ran.exit_code == 1
    assert "already a file called a.csv" in ran.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("count the lines of none.txt", "there is no file called none.txt"),
        ("count the lines of a.txt", "a.txt may be any of these files: /x/a.txt, /y/a.txt"),
        ("count the files in Nowhere with a script", "there is no folder called Nowhere"),
        ("rename all *.png to *.jpg", "there is no file *.png in /"),
    ],
)
def test_a_file_that_is_not_there_is_named(words, why):
    with pytest.raises(NoSuchFile, match=why.replace("*", r"\*")):
        script_for(job_of(words), ("/x/", "/y/", "/x/a.txt", "/y/a.txt"))


def test_words_that_are_no_job_are_refused_with_the_words():
    request = ScriptRequest(goal="", subtask=Subtask(id="s1", title="", instruction="Paint the fence"))
    answer = RulesTechnician().write(request)
    assert answer.outcome == "cannot"
    assert "Paint the fence" in answer.reason


@pytest.mark.parametrize(
    "goal",
    [
        "Create a note titled \"Lines\" with the number of lines",
        "Count the words in my note",
        "List the files in /Documents",
        "Open the mail and sort it",
        "Rename the file plan.txt to plan.md",
        "Find the mail from Eve",
    ],
)  # fmt: skip
def test_what_is_no_computation_over_files_is_left_to_the_others(goal):
    assert list(jobs_in(goal)) == []


@given(st.text(max_size=120))
def test_any_goal_can_be_looked_through(goal):
    for found in jobs_in(goal):
        assert 0 <= found.start < found.end <= len(goal)


APPS = (
    AppWords(app="files", title="Files", words=("files", "file")),
    AppWords(app="notes", title="Notes", words=("notes", "note")),
)


def test_the_manager_gives_the_job_away_and_plans_the_rest_with_its_fact():
    goal = 'With a script, count the lines of trips.txt. Then create a note titled "Lines" with the number of lines.'
    plan = RulesManager().plan(PlanRequest(goal=goal, apps=APPS)).subtasks
    assert [(s.worker, s.app, s.depends_on) for s in plan] == [("technician", "files", ()), ("operator", "notes", ("s1",))]
    assert plan[0].expect[0].name == "line count"
    assert 'the fact "line count"' in plan[1].instruction


def test_without_an_app_for_files_no_job_is_given_away():
    answer = RulesManager().plan(PlanRequest(goal="Count the lines of a.txt with a script", apps=APPS[1:]))
    assert all(s.worker != "technician" for s in answer.subtasks)


def crew(tmp_path, **parts) -> Crew:
    world = tmp_path / "world.yaml"
    world.write_text(WORLD)
    yaml.safe_load(WORLD)
    paths = [f"world={json.dumps(str(world))}", f"runs_dir={json.dumps(str(tmp_path / 'runs'))}"]
    return Crew.from_config(overrides=paths, **parts)


def test_a_whole_crew_counts_lines_and_writes_the_number_into_a_note(tmp_path, sandbox):
    outcome = crew(tmp_path).run(
        "Count the lines of /Documents/trips.txt with a script and write the number in a note called Lines."
    )
    assert outcome.status == "fulfilled"
    facts = {fact["name"]: fact["value"] for fact in outcome.report["facts"]}
    assert facts["line count"] == "3"
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
