"""What does not answer, and a clock that goes backwards: a run waits for neither without end, and loses nothing."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner
from worked.outage_runs import SUBMIT, driven, the_run
from worked.runs import claims

from deskcrew import Crew
from orchestrator.cli import app
from orchestrator.store.salvage import salvage

pytestmark = pytest.mark.slow("processes that are killed")

HANGING = """
import threading

class Desk(SimulatedDesktop):
    'An adapter that does not come back from its second action, ever: it is done or not, and nobody is told.'
    done = 0
    after = DONE
    def perform(self, action, *, key):
        self.done += 1
        if self.done != 2:
            return super().perform(action, key=key)
        if self.after:
            super().perform(action, key=key)
        threading.Event().wait()

class Adapter:
    'Not known to be a simulated desktop, so it is timed as any other.'
    def __init__(self, inner):
        self.inner, self.name = inner, 'adapter'
    def __getattr__(self, name):
        return getattr(self.inner, name)
"""
HUNG = """
ended(crew("limits.action_seconds=0.5", environment=Adapter(Desk(load_world("office"), store=folder / "world"))).run(goal))
"""


@pytest.mark.parametrize("after", [False, True], ids=["before it is done", "after it is done"])
def test_an_environment_that_hangs_stops_the_run_and_the_process_ends(tmp_path: Path, after: bool) -> None:
    told = driven(tmp_path, HANGING.replace("DONE", str(after)), HUNG)
    assert told.returncode == 1, told.stdout + told.stderr
    assert "interrupted | The environment adapter has not answered for 0.5 seconds" in told.stdout
    assert "limits.action_seconds" in told.stdout
    assert "then continue with: deskcrew resume" in told.stdout
    assert "Traceback" not in told.stderr
    name = the_run(tmp_path)
    outcomes = [e.body for e in salvage(tmp_path / "runs" / name / "journal.sqlite").events if e.kind == "outcome"]
    assert outcomes[-1]["exec_status"] == "timeout"
    assert "adapter did not answer within 0.5 seconds (limits.action_seconds)" in outcomes[-1]["error"]
    end = f"ended(crew(environment=SimulatedDesktop(load_world('office'), store=folder / 'world')).resume({name!r}))"
    told = driven(tmp_path, "", end)
    assert told.returncode == 0, told.stdout + told.stderr
    assert len(claims(tmp_path / "world")) == 1


def test_an_action_that_only_takes_long_is_a_timeout_that_is_got_over(tmp_path: Path) -> None:
    body = HANGING.replace("DONE", "True").replace("threading.Event().wait()", "threading.Event().wait(1.5)")
    told = driven(tmp_path, body, HUNG.replace("0.5", "1"))
    assert told.returncode == 0, told.stdout + told.stderr
    assert len(claims(tmp_path / "world")) == 1


# --- a model that never answers ---------------------------------------------------------------------------------------


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes every connection, reads what is asked, and says nothing."""
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            while True:
                try:
                    taken.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=take, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        for connection in taken:
            connection.close()


ASKING = """
import urllib.request
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

class Model(BaseChatModel):
    'Asks a server over HTTP, and would wait for it as long as it takes.'
    url: str
    @property
    def _llm_type(self):
        return "asking"
    def _generate(self, messages, stop=None, run_manager=None, **more):
        with urllib.request.urlopen(self.url, data=b"{}") as answer:
            return ChatResult(generations=[ChatGeneration(message=AIMessage(content=answer.read().decode()))])
"""


def test_a_model_that_never_answers_stops_the_run_and_the_process_ends(tmp_path: Path, silent: str) -> None:
    model = "crew.model={name: given, timeout: 0.3, deadline: 5, structure: text}"
    told = ("crew.operator.policy=llm", model, "retries={tries: 2, wait: 0.01}")
    end = f"ended(crew(*{told!r}, model=Model(url={silent!r})).run(goal))"
    told = driven(tmp_path, ASKING, end)
    assert told.returncode == 1, told.stdout + told.stderr
    assert "interrupted | The operator cannot decide: given could not be asked: TimeoutError" in told.stdout
    assert "then continue with: deskcrew resume" in told.stdout
    assert "Traceback" not in told.stderr
    name = the_run(tmp_path)
    report = json.loads((tmp_path / "runs" / name / "report.json").read_text())
    assert report["status"] == "interrupted"
    assert report["models"]["operator"]["calls"] == 2
    end = f"from roles.operator.rules import RulesOperator\nended(crew(operator=RulesOperator(), model=1).resume({name!r}))"
    told = driven(tmp_path, "", end.replace(", model=1", ""))
    assert told.returncode == 0, told.stdout + told.stderr
    assert len(claims(tmp_path / "runs" / name)) == 1


# --- a clock that goes backwards --------------------------------------------------------------------------------------


class Jumping:
    """A clock that is set back by a day, again and again."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> float:
        self.asked += 1
        return time.time() - 86_400.0 * (self.asked // 5)


def test_a_clock_that_is_set_back_changes_nothing_of_a_run(tmp_path: Path) -> None:
    crew = Crew.from_config(overrides=[f"runs_dir={json.dumps(str(tmp_path))}"], clock=Jumping())
    waiting = crew.run(SUBMIT)
    assert waiting.exit_code == 3, waiting.reason
    done = Crew.from_config(overrides=[f"runs_dir={json.dumps(str(tmp_path))}"], clock=lambda: 0.0).resume(
        waiting.run_id, {"decisions": [{"type": "approve"}]}
    )
    assert (done.exit_code, done.status) == (0, "fulfilled"), done.reason
    assert len(claims(done.folder)) == 1
    events = salvage(done.folder / "journal.sqlite").events
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    assert min(event.at for event in events) < events[0].at, "it was set back"
    assert 0 < done.report["wall_seconds"] < 900
    assert done.report["budgets"]["limits.wall_seconds"]["share"] < 1
    checked = CliRunner().invoke(app, ["log", "validate", str(done.folder / "log.jsonl")])
    assert checked.exit_code == 0, checked.output
    for command in (["ls"], ["show", done.run_id]):
        shown = CliRunner().invoke(app, [*command, "--runs-dir", str(tmp_path)])
        assert shown.exit_code == 0, shown.output
