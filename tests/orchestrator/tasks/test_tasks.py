"""Task files and what the command line may name; the judge that reads their success conditions."""

from __future__ import annotations

import random
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import UsageProblem
from orchestrator.tasks.judge import judge
from orchestrator.tasks.tasks import Slot, Task, fill_goal, fill_slots, load_task, resolve_target, value_of

WORLD = {
    "apps": {
        "billing": {"invoices": [{"number": "A-1", "total": 10}, {"number": "A-2", "total": 20}, {"number": "A-3", "total": 30}]}
    }
}


def task_file(folder: Path, text: str) -> Path:
    path = folder / "task.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_slot_is_picked_from_the_world_by_the_seed_and_fills_the_goal(tmp_path: Path) -> None:
    slot = "  invoice: {from: apps.billing.invoices, where: item.total > 10}\n"
    text = f"goal: Pay {{invoice.number}} {{how}}\nslots:\n{slot}  how: {{one_of: [now, today]}}\n"
    task = load_task(task_file(tmp_path, text))
    picked = {fill_slots(task, WORLD, seed)["invoice"]["number"] for seed in range(20)}
    assert picked == {"A-2", "A-3"}
    assert fill_slots(task, WORLD, 4) == fill_slots(task, WORLD, 4)
    slots = fill_slots(task, WORLD, 4)
    assert fill_goal(task, slots) == f"Pay {slots['invoice']['number']} {slots['how']}"


def test_of_keys_in_whatever_order_an_expression_gives_them_the_same_is_picked() -> None:
    names = [f"n{number}" for number in range(20)]
    slot = Slot.model_validate({"from": "slots.keys"})
    picked = {value_of(slot, WORLD, {"keys": keys}, random.Random(7)) for keys in (names, names[::-1], names[7:] + names[:7])}
    assert len(picked) == 1


def test_a_later_slot_may_speak_of_an_earlier_one() -> None:
    slots = {
        "a": {"from": "apps.billing.invoices", "pick": "first"},
        "b": {"from": "apps.billing.invoices", "where": "item.number != slots.a.number", "pick": "last"},
    }
    task = Task.model_validate({"id": "t", "goal": "x", "slots": slots})
    assert fill_slots(task, WORLD, 0)["b"]["number"] == "A-3"


BILLS = {
    "apps": {
        "billing": {
            "invoices": {
                "A": {"number": "A", "vendor": "x", "total": "248.90", "at": {"day": "2026-01-02"}},
                "B": {"number": "B", "vendor": "y", "total": "1000.10", "at": {"day": "2026-01-01"}},
                "C": {"number": "C", "vendor": "x", "total": "0.20", "at": {"day": "2026-01-03"}},
            }
        }
    }
}
INVOICES = "apps.billing.invoices"


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ({"sum": INVOICES, "of": "total"}, "1249.20"),
        ({"sum": INVOICES, "of": "total", "where": 'item.vendor == "x"'}, "249.10"),
        ({"count": INVOICES, "where": 'item.vendor == "x"'}, 2),
        ({"count": INVOICES, "where": "false"}, 0),
        ({"max": INVOICES, "of": "total"}, BILLS["apps"]["billing"]["invoices"]["B"]),
        ({"min": INVOICES, "of": "at.day"}, BILLS["apps"]["billing"]["invoices"]["B"]),
        ({"join": INVOICES, "of": "number"}, "A, B, C"),
        ({"join": INVOICES, "of": "number", "where": 'item.vendor == "x"', "between": " and "}, "A and C"),
        ({"from": INVOICES, "where": 'item.vendor == "y"', "pick": "all"}, [BILLS["apps"]["billing"]["invoices"]["B"]]),
    ],
)
def test_a_slot_may_be_computed_over_the_world(slot: dict[str, str], value: object) -> None:
    task = Task.model_validate({"id": "t", "goal": "x", "slots": {"it": slot}})
    assert fill_slots(task, BILLS, 0)["it"] == value


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=50))
def test_a_sum_is_exact_whatever_the_amounts(cents: list[int]) -> None:
    items = [{"amount": f"{'-' * (c < 0)}{abs(c) // 100}.{abs(c) % 100:02}"} for c in cents]
    task = Task.model_validate({"id": "t", "goal": "x", "slots": {"it": {"sum": "items", "of": "amount"}}})
    assert Decimal(fill_slots(task, {"items": items}, 0)["it"]) * 100 == sum(cents)


def test_a_slot_may_be_computed_over_a_slot_above() -> None:
    slots = {
        "mine": {"from": INVOICES, "where": 'item.vendor == "x"', "pick": "all"},
        "total": {"sum": "slots.mine", "of": "total"},
        "dear": {"max": "slots.mine", "of": "total"},
    }
    task = Task.model_validate({"id": "t", "goal": "{total} {dear.number}", "slots": slots})
    assert fill_goal(task, fill_slots(task, BILLS, 0)) == "249.10 A"


@pytest.mark.parametrize(
    ("slot", "said"),
    [
        ({"sum": INVOICES, "of": "vendor"}, "'x' is not a number"),
        ({"sum": INVOICES, "of": "totl"}, "has no 'totl'"),
        ({"sum": INVOICES, "of": "total", "where": "false"}, "finds nothing"),
        ({"max": INVOICES, "of": "vendor", "where": 'item.vendor == "x"'}, "2 items have x alike"),
        ({"join": "slots.none"}, "the world has no 'slots.none'"),
    ],
)
def test_a_slot_that_cannot_be_computed_says_why(slot: dict[str, str], said: str) -> None:
    task = Task.model_validate({"id": "t", "goal": "x", "slots": {"it": slot}})
    with pytest.raises(UsageProblem, match=f"slot 'it'.*{said}"):
        fill_slots(task, BILLS, 0)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("gaol: x\n", ["line 1", "unknown key 'gaol'", "did you mean 'goal'"]),
        ("world: office\n", ["'goal' is missing"]),
        ("goal: '  '\n", ["goal is empty"]),
        ("goal: 7\n", ["line 1", "goal is 7", "text"]),
        ("goal: pay {bill.number}\n", ["{bill.number}", "not a slot"]),
        ("goal: x\nsuccess:\n  - world.a ==\n", ["line 3: success", "cannot be evaluated", "yntax error"]),
        ("goal: x\nsuccess: [wrld.a == 1]\n", ["wrld", "known names are world"]),
        ("goal: x\nsuccess: world.a\n", ["line 2", "success", "a list"]),
        ("goal: x\nslots: {a: {from: b, one_of: [1]}}\n", ["line 2", "slots.a", "from one place"]),
        ("goal: x\nslots:\n  a: {sum: b, of: c}\n  b: {sum: b, pick: last}\n", ["line 4", "slots.b", "takes them all"]),
        ("goal: x\nslots: {a: {from: b, of: c}}\n", ["line 2", "slots.a", "of:"]),
        ("goal: x\nslots: {a: {sum: b, between: c}}\n", ["line 2", "slots.a", "between:"]),
        ("goal: x\noracle:\n  - open notes\n  - clik the thing\n", ["line 4", "oracle[1]", "column 1"]),
        ("goal: x\noracle: ['click \"{it}\"']\n", ["line 2", "oracle[0]", "{it}, which is not a slot"]),
        ("goal: x\noracle: [finish]\n", ["line 2", "oracle[0]", "for a crew"]),
        ("goal: x\noracle:\n  - {for: a, in: all, do: [open notes]}\n", ["line 3", "oracle[0].in", "'all' is not a slot"]),
        ("goal: x\nuser: {which: '{it}'}\n", ["line 2", "user.which", "{it}, which is not a slot"]),
        ("goal: x\noutcome: done\n", ["line 2", "outcome", "'fulfilled' or 'rejected'"]),
    ],
)
def test_a_mistake_in_a_task_file_is_one_sentence_with_its_place(tmp_path: Path, text: str, parts: list[str]) -> None:
    with pytest.raises(UsageProblem) as caught:
        load_task(task_file(tmp_path, text))
    said = str(caught.value)
    assert "\n" not in said
    assert "task.yaml" in said
    for part in parts:
        assert part in said


def test_a_wrong_limit_in_a_task_names_the_task_file_and_its_line(tmp_path: Path) -> None:
    from orchestrator.settings.settings import load_settings

    task = load_task(task_file(tmp_path, "goal: x\nlimits:\n  steps: lots\n"))
    with pytest.raises(UsageProblem, match=r"task\.yaml, line 3: limits\.steps"):
        load_settings(task_layer=task.layer())


@pytest.mark.parametrize(
    "slot",
    [
        {"from": "apps.biling.invoices"},
        {"from": "apps.billing.invoices", "where": "item.total > 99"},
        {"from": "apps.billing.invoices", "where": "item.nope == 1"},
    ],
)
def test_a_slot_that_finds_nothing_says_so(slot: dict[str, str]) -> None:
    task = Task.model_validate({"id": "t", "goal": "x", "slots": {"invoice": slot}})
    with pytest.raises(UsageProblem, match="slot 'invoice'"):
        fill_slots(task, WORLD, 0)


def test_the_judge_wants_every_condition_and_the_expected_ending() -> None:
    task = Task.model_validate(
        {"id": "t", "goal": "x", "success": ["world.n == initial.n + 1", "received.exists(r, r.verb == 'click')"]}
    )
    good = judge(task, {"n": 2}, {"n": 1}, {}, [{"verb": "click"}], {"status": "fulfilled"})
    assert good.passed
    assert not judge(task, {"n": 2}, {"n": 1}, {}, [], {"status": "fulfilled"}).passed
    assert not judge(task, {"n": 2}, {"n": 1}, {}, [{"verb": "click"}], {"status": "rejected"}).passed


@pytest.mark.parametrize("expression", ["world.nope == 1", "world.n", "1 / 0 == 1", "world.n.x == 2"])
def test_a_condition_that_cannot_be_evaluated_has_not_passed(expression: str) -> None:
    task = Task.model_validate({"id": "t", "goal": "x", "success": [expression]})
    verdict = judge(task, {"n": 2}, {}, {}, [], {"status": "fulfilled"})
    assert not verdict.passed
    assert verdict.checks[1].error


def test_words_are_a_goal_and_files_are_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve_target("Copy the invoice total into the form") == "Copy the invoice total into the form"
    assert resolve_target("help") == "help"
    task_file(tmp_path, "goal: do it\n")
    for word in ("task.yaml", str(tmp_path / "task.yaml")):
        found = resolve_target(word)
        assert isinstance(found, Task)
        assert found.id == "task"


@pytest.mark.parametrize("word", ["", "   ", "missing.yaml", "some/where", "no-such-task", "."])
def test_a_target_that_is_neither_is_refused_in_one_sentence(word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageProblem) as caught:
        resolve_target(word)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=80))
def test_no_word_on_the_command_line_breaks_the_reader(word: str) -> None:
    with suppress(UsageProblem):
        assert resolve_target(word)


def test_a_goal_that_is_too_long_is_refused_in_a_sentence_wherever_it_comes_from(tmp_path: Path) -> None:
    from orchestrator.crew import Crew
    from orchestrator.settings.settings import load_settings
    from orchestrator.tasks.plans import plan_goal

    words, bound = "Open the notes app. " * 30, [f"runs_dir={tmp_path}", "display=none", "limits.goal_chars=500"]
    path = tmp_path / "long.yaml"
    path.write_text(f"goal: {words!r}\n", encoding="utf-8")
    for goal in (words, resolve_target(str(path))):
        for begin in (lambda said: plan_goal(load_settings([], bound), said), Crew.from_config(overrides=bound).run):
            with pytest.raises(UsageProblem, match=r"^The goal has 600 characters, and limits\.goal_chars is 500; .*\.$"):
                begin(goal)
    assert [one for one in tmp_path.iterdir() if one.is_dir()] == []


def test_scripts_may_take_a_task_from_the_folder() -> None:
    from orchestrator import tasks

    assert tasks.Task is Task
    with pytest.raises(AttributeError, match="Tusk"):
        _ = tasks.Tusk
