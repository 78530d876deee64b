"""An app of another package joins by an entry point; one that is broken hurts only the worlds that want it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
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


def installed(folder: Path, points: str) -> dict[str, str]:
    """A package with these entry points, as pip would leave it; gives the environment of a process that has it."""
    (folder / "my_apps.py").write_text(COUNTER)
    info = folder / "my_apps-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-apps\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[deskcrew.apps]\n{points}\n")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])}


def ran(code: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True)


def test_an_entry_point_is_enough(tmp_path: Path) -> None:
    done = ran(
        """
        from environments.simulated.desktop import SimulatedDesktop
        from environments.simulated.world.worldfile import parse_world
        from protocol import ActionTarget, Click
        env = SimulatedDesktop(parse_world("apps: {counter: {}, notes: {}}\\nopen: [counter]"))
        env.perform(Click(target=ActionTarget(text="Count up")), key="1")
        print(env.world()["apps"]["counter"], env.observe().elements[0].text)
        """,
        installed(tmp_path, "counter = my_apps:Counter"),
    )
    assert done.stdout.strip() == "{'count': 1} Count: 1", done.stderr


def test_a_broken_app_hurts_only_the_world_that_wants_it(tmp_path: Path) -> None:
    done = ran(
        """
        from environments.contract import WorldError
        from environments.simulated.world.worldfile import parse_world
        parse_world("apps: {notes: {}}")
        try:
            parse_world("apps: {wrong: {}}", "mine.yaml")
        except WorldError as bad:
            print(bad)
        """,
        installed(tmp_path, "wrong = my_apps:NoSuchThing\ntaken = environments.simulated.apps.office.notes.app:Notes"),
    )
    assert re.search(r"mine\.yaml.*apps\.wrong.*my_apps:NoSuchThing", done.stdout), done.stderr


@pytest.mark.parametrize(("name", "said"), [("notes", "already"), ("two words", "cannot be the name")])
def test_a_name_that_is_taken_or_cannot_be_one_is_refused(name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        register(type("Other", (type(APPS["notes"]),), {"name": name})())
