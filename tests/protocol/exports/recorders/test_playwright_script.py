"""Playwright scripts: always Python, nothing but calls of the page in them, and they run."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.actions import HOSTILE
from written.runs import STATE, Written, infos, step, steps

import protocol as p
from protocol import ActionTarget, CallApi, Click, Coordinate, Extension, InteractionStep, Navigate, Tabs, Type
from protocol.dialects import WrittenPayload as Said
from protocol.exports import RunInfo, format_named
from protocol.exports.recorders import playwright_script
from protocol.exports.recorders.playwright_script import escaped

FORM = format_named("playwright_script")
HERE = ActionTarget(point=Coordinate(x=10, y=20))

STUB = '''
"""What the script asks of Playwright, written down."""
import json, sys


class Anything:
    def __init__(self, said=()):
        self.said = said

    def __getattr__(self, name):
        return (Pages if name == "pages" else Anything)((*self.said, name))

    def __call__(self, *args, **kwargs):
        told.append([*self.said, list(args), kwargs])
        return Anything((*self.said, "()"))


told = []


class Pages(Anything):
    def __getitem__(self, index):
        return Anything((*self.said, index))


class Playwright(Anything):
    def __enter__(self):
        return self

    def __exit__(self, *_):
        print(json.dumps(told))


Page = expect = Anything
sync_playwright = Playwright
'''


def check(text: str) -> list[ast.stmt]:
    """The statements of `run`, if the script is made as every script is, whatever the log says."""
    tree = ast.parse(text)
    kinds = [type(node).__name__ for node in tree.body]
    assert kinds == ["Expr", "Import", "Import", "ImportFrom", "FunctionDef", "FunctionDef", "If"]
    run = tree.body[4]
    assert isinstance(run, ast.FunctionDef)
    assert run.name == "run"
    _docstring, context, *statements = run.body
    assert ast.unparse(context) == "context = page.context"
    for statement in statements:
        names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        assert isinstance(statement, ast.Expr) or ast.unparse(statement).startswith("page = context.")
        assert names <= {"page", "context"}
    return statements


def played(written: Written, tmp_path: Path) -> list[Any]:
    """What a browser would be told by the script, which runs in a process of its own."""
    (tmp_path / "playwright").mkdir()
    (tmp_path / "playwright" / "__init__.py").write_text("")
    (tmp_path / "playwright" / "sync_api.py").write_text(STUB)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(written.path), "http://start"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@given(st.lists(steps, max_size=6), infos)
def test_every_script_is_python_that_only_calls_the_page(run: list[InteractionStep], info: RunInfo) -> None:
    with Written(FORM, run, info) as written:
        check(written.text)
        assert written.text.count("\n    # Step ") == len(run) == written.exported.steps
        unsaid = sum(count for loss, count in written.exported.losses.items() if loss.what == "action")
        assert written.text.count("\n    # Not said: ") == unsaid


@pytest.mark.parametrize("text", [*HOSTILE, "x\r\ny\rz\x0cq\x85w\u2028v\x00", "coding: utf-7", '"""\nimport os\n"""', "\ud800"])
def test_no_text_of_a_log_leaves_its_comment_or_its_quotes(text: str) -> None:
    run = [step(Navigate(url="http://x"), reasoning=text)] if text != "\ud800" else []
    run += [step(p.Fill(target=ActionTarget(selector="#a"), text=text))] if text != "\ud800" else []
    with Written(FORM, run, RunInfo(goal=text)) as written:
        statements = check(written.text)
        lines = written.text.splitlines()
    assert all(line.isprintable() for line in lines)
    assert len(statements) >= len(run)
    if run:
        said = [node.value for node in ast.walk(statements[-1]) if isinstance(node, ast.Constant)]
        assert text in said


def test_a_script_tells_the_step_the_reason_and_what_is_lost() -> None:
    run = [step(Navigate(url="http://x"), reasoning="go\nthere"), step(CallApi(app="a", function="f"))]
    with Written(FORM, run, RunInfo(goal="Find it")) as written:
        assert "    # Goal: Find it\n\n    # Step 1: go\\nthere\n    page.goto(" in written.text
        assert "    # Step 2\n    # Not said: playwright_python: " in written.text
        assert written.lost("action")


def test_a_script_runs(tmp_path: Path) -> None:
    run = [
        step(Navigate(url="http://x/'\"?"), STATE),
        step(Click(target=HERE, modifiers=("Shift",)), STATE),
        step(Type(text="it's {7}\n"), STATE),
        step(p.PressKey(keys=("Control", "s")), STATE),
    ]
    with Written(FORM, run) as written:
        told = played(written, tmp_path)
    page = ["chromium", "launch", "()", "new_page"]
    assert told[1] == [*page, [], {"viewport": {"width": 1280, "height": 800}}]
    assert told[2] == [*page, "()", "goto", ["http://start"], {}]
    assert told[3] == [*page, "()", "goto", ["http://x/'\"?"], {}]
    assert [*page, "()", "mouse", "click", [10, 20], {}] in told
    assert told[-1] == ["chromium", "launch", "()", "close", [], {}]


def test_tabs_make_another_page_the_current_one(tmp_path: Path) -> None:
    run = [step(Tabs(op="new", url="http://y")), step(Tabs(op="select", index=0)), step(p.GoBack()), step(Tabs(op="close"))]
    with Written(FORM, run) as written:
        told = [[part for part in call if isinstance(part, str)] for call in played(written, tmp_path)]
    assert [call[-1] for call in told if "context" in call] == ["new_page", "goto", "go_back", "close"]


def test_the_answer_to_a_dialog_and_an_expectation_are_said() -> None:
    said = {"dialog": {"answer": "accept"}, "expect": {"text": 'expect(page).to_have_url(re.compile("a"))'}}
    run = [step(Extension(action_type=f"x-playwright_python.{verb}", arguments=given)) for verb, given in said.items()]
    with Written(FORM, run) as written:
        assert '    page.once("dialog", lambda dialog: dialog.accept())\n' in written.text
        assert '    expect(page).to_have_url(re.compile("a"))\n' in written.text or written.lost("action")
        ast.parse(written.text)


def test_a_run_without_steps_is_a_script(tmp_path: Path) -> None:
    with Written(FORM, []) as written:
        assert check(written.text) == []
        assert len(played(written, tmp_path)) == 4


@pytest.mark.parametrize(
    "payload",
    ["import os", "page.goto('x'); __import__('os').system('ls')", "print(page)", "page.goto(open('x').read())",
     "(lambda: page)()", "page.goto('x'", "page.goto('''a\nb''')", "x = page", "page = open('x')", "page.x = page",
     "page.__class__", "page.once('dialog', lambda dialog: print(dialog))", "page.goto(f'{page}')"],
)  # fmt: skip
def test_a_line_that_does_more_than_call_the_page_is_never_written(monkeypatch: pytest.MonkeyPatch, payload: str) -> None:
    rogue = SimpleNamespace(write=lambda action, context: Said(payload, []))
    monkeypatch.setattr(playwright_script, "dialect", lambda name: rogue)
    with Written(FORM, [step(Navigate(url="x"))]) as written:
        assert check(written.text) == []
        assert written.lost("action")


def test_escaping_keeps_what_can_be_printed() -> None:
    assert escaped("Größe 大小 \\n\n\t\u202e\x00") == "Größe 大小 \\n\\n\\t\\u202e\\x00"
