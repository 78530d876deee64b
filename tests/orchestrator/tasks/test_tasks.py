"""Task files and what the command line may name; the judge that reads their success conditions."""

import random
from pathlib import Path

import pytest

from orchestrator import tasks
from orchestrator.crew import Crew
from orchestrator.errors import UsageProblem
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.plans import plan_goal
from orchestrator.tasks.tasks import Slot, Task, fill_goal, fill_slots, load_task, resolve_target, value_of

WORLD = {
    "apps": {
        "billing": {"invoices": [{"number": "A-1", "total": 10}, {"number": "A-2", "total": 20}, {"number": "A-3", "total": 30}]}
    }
}


def test_a_slot_is_picked_from_the_world_by_the_seed_and_fills_the_goal() -> None:
    slot = {"from": "apps.billing.invoices", "where": "item.total > 10"}
    slots = {"invoice": slot, "how": {"one_of": ["now", "today"]}}
    task = Task.model_validate({"goal": "Pay {invoice.number} {how}", "slots": slots})
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


BILLS = {
    "apps": {"billing": {"invoices": {
        "A": {"number": "A", "vendor": "x", "total": "248.90", "at": {"day": "2026-01-02"}},
        "B": {"number": "B", "vendor": "y", "total": "1000.10", "at": {"day": "2026-01-01"}},
        "C": {"number": "C", "vendor": "x", "total": "0.20", "at": {"day": "2026-01-03"}},
    }}},
}  # fmt: skip
INVOICES = "apps.billing.invoices"


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ({"sum": INVOICES, "of": "total"}, "1249.20"),
        ({"sum": "slots.mine", "of": "total"}, "249.10"),
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
    mine = {"from": INVOICES, "where": 'item.vendor == "x"', "pick": "all"}
    task = Task.model_validate({"id": "t", "goal": "x", "slots": {"mine": mine, "it": slot}})
    assert fill_slots(task, BILLS, 0)["it"] == value


@pytest.mark.parametrize(
    ("slot", "said"),
    [
        ({"sum": INVOICES, "of": "vendor"}, "'x' is not a number"),
        ({"sum": INVOICES, "of": "totl"}, "has no 'totl'"),
        ({"sum": INVOICES, "of": "total", "where": "false"}, "finds nothing"),
        ({"max": INVOICES, "of": "vendor", "where": 'item.vendor == "x"'}, "2 items have x alike"),
        ({"join": "slots.none"}, "the world has no 'slots.none'"),
        ({"from": INVOICES, "where": 'item.total == "9"'}, "finds nothing in this world"),
        ({"from": INVOICES, "where": "item.nope == 1"}, "where 'item.nope == 1' cannot be evaluated"),
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
        ("goal: '  '\n", ["goal is empty"]),
        ("goal: pay {bill.number}\n", ["{bill.number}", "not a slot"]),
        ("goal: x\nsuccess:\n  - world.a ==\n", ["line 3: success", "cannot be evaluated", "yntax error"]),
        ("goal: x\nsuccess: [wrld.a == 1]\n", ["wrld", "known names are world"]),
        ("goal: x\nsuccess: world.a\n", ["line 2", "success", "a list"]),
        ("goal: x\nslots: {a: {from: b, one_of: [1]}}\n", ["line 2", "slots.a", "from one place"]),
        ("goal: x\nslots:\n  a: {sum: b, of: c}\n  b: {sum: b, pick: last}\n", ["line 4", "slots.b", "takes them all"]),
        ("goal: x\nslots: {a: {sum: b, between: c}}\n", ["line 2", "slots.a", "between:"]),
        ("goal: x\noracle:\n  - open notes\n  - clik the thing\n", ["line 4", "oracle[1]", "column 1"]),
        ("goal: x\noracle: ['click \"{it}\"']\n", ["line 2", "oracle[0]", "{it}, which is not a slot"]),
        ("goal: x\noracle: [finish]\n", ["line 2", "oracle[0]", "for a crew"]),
        ("goal: x\noracle:\n  - {for: a, in: all, do: [open notes]}\n", ["line 3", "oracle[0].in", "'all' is not a slot"]),
        ("goal: x\nuser: {which: '{it}'}\n", ["line 2", "user.which", "{it}, which is not a slot"]),
        ("goal: x\nlimits:\n  steps: lots\n", ["line 3: limits.steps"]),
        ("goal: x\noutcome: done\n", ["line 2", "outcome", "'fulfilled' or 'rejected'"]),
    ],
)
def test_a_mistake_in_a_task_file_is_one_sentence_with_its_place(tmp_path: Path, text: str, parts: list[str]) -> None:
    (tmp_path / "task.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageProblem) as caught:
        load_settings(task_layer=load_task(tmp_path / "task.yaml").layer())
    said = str(caught.value)
    assert "\n" not in said
    assert "task.yaml" in said
    for part in parts:
        assert part in said


def test_words_are_a_goal_and_files_are_tasks_which_scripts_may_take_from_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve_target("Copy the invoice total into the form") == "Copy the invoice total into the form"
    assert resolve_target("help") == "help"
    (tmp_path / "task.yaml").write_text("goal: do it\n", encoding="utf-8")
    for word in ("task.yaml", str(tmp_path / "task.yaml")):
        found = resolve_target(word)
        assert isinstance(found, Task)
        assert found.id == "task"
    assert tasks.Task is Task
    with pytest.raises(AttributeError, match="Tusk"):
        _ = tasks.Tusk


@pytest.mark.parametrize("word", ["", "   ", "missing.yaml", "some/where", "no-such-task", "."])
def test_a_target_that_is_neither_is_refused_in_one_sentence(word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageProblem) as caught:
        resolve_target(word)
    assert "\n" not in str(caught.value)


def test_a_goal_that_is_too_long_is_refused_in_a_sentence_wherever_it_comes_from(tmp_path: Path) -> None:
    words, bound = "Open the notes app. " * 30, [f"runs_dir={tmp_path}", "display=none", "limits.goal_chars=500"]
    path = tmp_path / "long.yaml"
    path.write_text(f"goal: {words!r}\n", encoding="utf-8")
    for goal in (words, resolve_target(str(path))):
        for begin in (lambda said: plan_goal(load_settings([], bound), said), Crew.from_config(overrides=bound).run):
            with pytest.raises(UsageProblem, match=r"^The goal has 600 characters, and limits\.goal_chars is 500; .*\.$"):
                begin(goal)
    assert [one for one in tmp_path.iterdir() if one.is_dir()] == []
