"""Jobs: what goals become, what their scripts do in the sandbox, and how a whole crew carries them out."""

from __future__ import annotations

import json

import pytest

from deskcrew import Crew
from environments.sandbox.contract import NoSandbox
from roles.contracts import ScriptRequest, Subtask
from roles.contracts.orders import JobStep
from roles.contracts.wording import describe
from roles.policies.orders.jobs import only_job
from roles.safety.effects import risks_of
from roles.screen.language.reader import read
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


def test_words_that_are_no_job_are_refused_with_the_words():
    request = ScriptRequest(goal="", subtask=Subtask(id="s1", title="", instruction="Paint the fence"))
    answer = RulesTechnician().write(request)
    assert answer.outcome == "cannot"
    assert "Paint the fence" in answer.reason


@pytest.mark.parametrize("goal", ["Count the lines of names.txt", "Open the mail and sort it", "Run the report"])
def test_what_gives_no_code_is_left_to_the_others(goal):
    assert only_job(read(goal)) is None


def crew(tmp_path, **parts) -> Crew:
    world = tmp_path / "world.yaml"
    world.write_text(WORLD)
    paths = [f"world={json.dumps(str(world))}", f"runs_dir={json.dumps(str(tmp_path / 'runs'))}"]
    return Crew.from_config(overrides=paths, **parts)


def test_a_whole_crew_counts_lines_and_writes_the_number_into_a_note(tmp_path, sandbox):
    outcome = crew(tmp_path).run('Run `wc -l < /Documents/trips.txt` and make a note titled "Lines" with the output as its text.')
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
    outcome = crew(tmp_path).run("Run `wc -l < /Documents/trips.txt`.")
    assert outcome.status == "rejected"
    assert "apt-get install bubblewrap" in outcome.report["reason"]
