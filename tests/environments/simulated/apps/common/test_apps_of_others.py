"""An app of another package joins by an entry point; one that is broken hurts only the worlds that want it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from environments.simulated.apps import APPS, register

COUNTER = """
from environments.simulated.app import App, AppState, Content, Pressed, Update
from environments.simulated.screen.widgets import button, heading


class CounterState(AppState):
    count: int = 0


class Counter(App[Content, CounterState]):
    name = "counter"
    title = "Counter"
    content = Content
    state = CounterState

    def start(self, content, setting):
        return CounterState()

    def view(self, state):
        return (heading(f"Count: {state.count}", "count"), button("Count up", "up"))

    def update(self, state, event):
        return Update(state.model_copy(update={"count": state.count + 1}) if event == Pressed("up") else state)
"""


POINTS = """[deskcrew.apps]
counter = my_apps:Counter
wrong = my_apps:NoSuchThing
taken = environments.simulated.apps.office.notes.app:Notes
"""
CODE = """
from environments.contract import WorldError
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import ActionTarget, Click
env = SimulatedDesktop(parse_world("apps: {counter: {}, notes: {}}\\nopen: [counter]"))
env.perform(Click(target=ActionTarget(text="Count up")), key="1")
print(env.world()["apps"]["counter"], env.observe().elements[0].text)
try:
    parse_world("apps: {wrong: {}}", "mine.yaml")
except WorldError as bad:
    print(bad)
"""


def test_an_entry_point_is_enough_and_a_broken_app_hurts_only_the_world_that_wants_it(tmp_path: Path) -> None:
    (tmp_path / "my_apps.py").write_text(COUNTER)
    info = tmp_path / "my_apps-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-apps\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    found = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])}
    done = subprocess.run([sys.executable, "-c", CODE], env={**os.environ, **found}, capture_output=True, text=True)
    count, wrong = done.stdout.splitlines() or ("", "")
    assert count == "{'count': 1} Count: 1", done.stderr
    assert re.search(r"mine\.yaml.*apps\.wrong.*my_apps:NoSuchThing", wrong), done.stderr


@pytest.mark.parametrize(("name", "said"), [("notes", "already"), ("two words", "cannot be the name")])
def test_a_name_that_is_taken_or_cannot_be_one_is_refused(name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        register(type("Other", (type(APPS["notes"]),), {"name": name})())
