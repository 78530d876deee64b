"""The judge: what may change, minefields, checkpoints, duplicates and economy; and what a task file may not say of them."""

from pathlib import Path
from typing import Any

import pytest

from environments.simulated.apps import APPS
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from orchestrator.errors import UsageProblem
from orchestrator.tasks.check import check_tasks
from orchestrator.tasks.judge import Verdict, judge
from orchestrator.tasks.tasks import Task, load_task
from protocol import CallApi, LaunchApp


def notes(**texts: str) -> dict[str, Any]:
    return {"apps": {"notes": {"notes": {k: {"id": k, "body": v} for k, v in texts.items()}, "page": 1}}}


def judged(
    before: dict[str, Any], after: dict[str, Any], filled: dict[str, Any] | None = None, steps: int = 3, **keys: Any
) -> Verdict:
    task = Task.model_validate({"id": "t", "goal": "x", **keys})
    return judge(task, after, before, filled or {}, [], {"status": "fulfilled", "steps": steps})


@pytest.mark.parametrize(
    ("pattern", "after", "stray"),
    [
        ("apps.notes.notes.*", notes(a="2", b="3"), ()),
        ("apps.notes.notes.a", notes(a="2"), ()),
        ("apps.notes.notes.a.body", notes(a="2"), ()),
        ("apps.notes.notes.a.body", notes(), ("apps.notes.notes.a",)),
        ("apps.notes.notes.+", notes(a="1", b="3"), ()),
        ("apps.notes.notes.+", notes(a="2", b="3"), ("apps.notes.notes.a.body",)),
        ("apps.notes.notes.+", notes(), ("apps.notes.notes.a",)),
        ("apps.notes", notes(), ()),
        ("apps.mail", notes(a="2"), ("apps.notes.notes.a.body",)),
        ("apps.notes.notes.[b-z]*", notes(a="2", b="3"), ("apps.notes.notes.a.body",)),
    ],
)
def test_what_a_pattern_does_not_allow_is_a_side_effect(pattern: str, after: dict[str, Any], stray: tuple[str, ...]) -> None:
    assert (judged(notes(a="1"), after).clean, judged(notes(a="1"), after).passed) == (None, True), "nobody asks what may change"
    verdict = judged(notes(a="1"), after, changes=[pattern])
    assert verdict.side_effects == stray
    assert verdict.clean is (not stray)
    assert verdict.passed is (not stray)


@pytest.mark.parametrize("key", ["/due.txt", "*", "a.b[0]", "+", "?"])
def test_a_slot_in_a_pattern_is_taken_as_it_is(key: str) -> None:
    task: dict[str, Any] = {"changes": ["apps.notes.notes.{it.key}"], "slots": {"it": {"one_of": [1]}}}
    before = notes(**{"a": "1", key: "1"})
    assert judged(before, notes(**{"a": "1", key: "2"}), {"it": {"key": key}}, **task).clean
    assert not judged(before, notes(**{"a": "2", key: "1"}), {"it": {"key": key}}, **task).clean


def test_what_is_only_looked_at_is_no_side_effect() -> None:
    desktop = SimulatedDesktop(load_world("office"), seed=0)
    desktop.reset(seed=0)
    before = desktop.world()
    desktop.perform(LaunchApp(app="notes"), key="1")
    looked = desktop.world()
    looked["apps"]["notes"] |= {"open": "1", "query": "x", "page": 2, "body": "not saved"}
    looked["apps"]["mail"]["messages"]["1"]["unread"] = not looked["apps"]["mail"]["messages"]["1"]["unread"]
    assert judged(before, looked, changes=[]).clean
    many = judged(notes(), notes(**{f"n{n}": "1" for n in range(30)}), changes=[])
    assert (len(many.side_effects), many.checks[-1].error.endswith("and 10 more")) == (20, True)
    desktop.perform(CallApi(app="notes", function="create_note", arguments={"title": "By the way"}), key="2")
    assert judged(before, desktop.world(), changes=[]).side_effects == ("apps.notes.notes.7",)


@pytest.mark.parametrize("name", sorted(APPS))
def test_an_app_declares_looks_at_fields_that_it_has(name: str) -> None:
    app = APPS[name]
    assert {look.split(".")[0] for look in app.looks} <= set(app.state.model_fields)


@pytest.mark.parametrize(
    ("mine", "kept"),
    [("size(world.apps.notes.notes) > 1", True), ("size(world.apps.notes.notes) > 0", False), ("world.no", False)],
)
def test_a_mine_must_be_plainly_false(mine: str, kept: bool) -> None:
    verdict = judged(notes(a="1"), notes(a="1"), never=[mine])
    assert verdict.passed is kept
    assert verdict.success
    assert [m.passed for m in verdict.minefields] == [kept]


def test_a_checkpoint_counts_only_after_those_before_it() -> None:
    points = {
        "last": {"when": "true", "after": ["middle"]},
        "middle": {"when": "false", "after": ["first"]},
        "first": {"when": "true"},
        "other": {"when": "world.nope == 1"},
    }
    verdict = judged(notes(), notes(), checkpoints=points)
    assert [(p.name, p.reached, p.holds) for p in verdict.checkpoints] == [
        ("last", False, True),
        ("middle", False, False),
        ("first", True, True),
        ("other", False, False),
    ]
    assert verdict.progress == 0.25
    assert verdict.checkpoints[-1].error
    assert verdict.passed


@pytest.mark.parametrize(
    ("keys", "status", "passed", "false_complete"),
    [
        ({"success": ["world.n == initial.n + 1", "received.exists(r, r.verb == 'click')"]}, "fulfilled", True, False),
        ({"success": ["world.n == initial.n + 1"]}, "rejected", False, False),
        ({"success": ["world.n == initial.n + 1", "received.exists(r, r.verb == 'send')"]}, "fulfilled", False, True),
        ({"success": ["false"]}, "fulfilled", False, True),
        ({"success": ["false"]}, "rejected", False, False),
        ({"outcome": "rejected"}, "fulfilled", False, True),
        ({"success": ["world.nope == 1"]}, "fulfilled", False, True),
        ({"success": ["world.n"]}, "fulfilled", False, True),
        ({"success": ["1 / 0 == 1"]}, "fulfilled", False, True),
        ({"success": ["world.n.x == 2"]}, "fulfilled", False, True),
    ],
)
def test_every_condition_and_the_expected_ending_are_wanted_and_saying_done_when_it_is_not_is_a_false_complete(
    keys: dict[str, Any], status: str, passed: bool, false_complete: bool
) -> None:
    verdict = judge(Task.model_validate({"goal": "x", **keys}), {"n": 2}, {"n": 1}, {}, [{"verb": "click"}], {"status": status})
    assert (verdict.passed, verdict.false_complete) == (passed, false_complete)


def test_two_new_entries_that_say_the_same_are_a_duplicate_write() -> None:
    verdict = judged(notes(a="1"), notes(a="1", b="1", c="2", d="2"))
    assert verdict.duplicate_writes == ("apps.notes.notes.d",)
    files = {"apps": {"files": {"entries": {}}}}
    named = {"apps": {"files": {"entries": {"/a": {"kind": "folder"}, "/b": {"kind": "folder"}}}}}
    assert not judged(files, named).duplicate_writes


@pytest.mark.parametrize(("steps", "over", "ratio"), [(3, 0, 0.75), (4, 0, 1.0), (6, 2, 1.5)])
def test_steps_are_held_against_the_oracle(steps: int, over: int, ratio: float) -> None:
    verdict = judged(notes(), notes(), steps=steps, oracle_steps=4)
    assert (verdict.steps, verdict.oracle_steps, verdict.over_steps, verdict.step_ratio) == (steps, 4, over, ratio)
    assert judged(notes(), notes(), steps=steps, oracle_steps=0).step_ratio is None
    assert judged(notes(), notes(), steps=steps).over_steps is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("changes:\n  - apps.a\n  - nope.b\n", "line 4: changes[1]: 'nope.b' is not a dotted path"),
        ("changes: [apps]\n", "line 2: changes[0]"),
        ("changes: [apps.a.+.b]\n", "has + before its end"),
        ("changes: ['apps.a.{it}']\n", "line 2: changes[0]: 'apps.a.{it}' names {it}, which is not a slot"),
        ("never:\n  - wrld.a\n", "line 3: never[0]: 'wrld.a' cannot be evaluated"),
        ("checkpoints:\n  a:\n    when: 1 +\n", "line 4: checkpoints.a.when"),
        ("checkpoints:\n  a: {when: 'true', afer: [b]}\n", "did you mean 'after'"),
        ("checkpoints:\n  a: {when: 'true', after: [b]}\n  b: {when: 'true', after: [a]}\n", "it depends on itself: "),
    ],
)
def test_a_mistake_is_said_with_file_line_and_key(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "task.yaml").write_text(f"goal: x\n{text}", encoding="utf-8")
    with pytest.raises(UsageProblem) as caught:
        load_task(tmp_path / "task.yaml")
    assert "task.yaml" in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("changes: [apps.nots.notes]\n", "leads nowhere; the world has no 'nots'"),
        ("changes: [apps.notes.nots]\n", "leads nowhere; the world has no 'nots'"),
        ("never: [size(world.apps.notes.nots) > 9]\n", "no 'apps.notes.nots' (at 'nots'); did you mean 'notes'?"),
        ("never: ['true']\n", "holds before anything was done"),
        ("never: [world.nope]\n", "never: "),
        ("checkpoints: {a: {when: world.nope}}\n", "checkpoints.a: 'when' cannot be evaluated"),
        ("checkpoints: {a: {when: 'true'}}\n", "every checkpoint is reached before anything was done"),
    ],
)
def test_a_check_of_a_task_finds_what_the_world_does_not_have(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "task.yaml"
    path.write_text(f"goal: x\nworld: office\nsuccess: ['false']\n{text}", encoding="utf-8")
    assert said in " ".join(next(iter(check_tasks([str(path)], seeds=1))).problems)
