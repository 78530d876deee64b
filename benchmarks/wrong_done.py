#!/usr/bin/env python3
"""Workers and Managers that make a mistake on purpose: is any of their runs called fulfilled that the judge refuses?

    benchmarks/wrong_done.py                                      200 runs, by the settings as they are
    benchmarks/wrong_done.py --runs 20 --seed 3 --rows rows.jsonl      goes on behind the last of the rows
    benchmarks/wrong_done.py --only delete-all-notes/0/operator/alters

A hasty one stops early or passes over a whole subtask, a forgetful one leaves out a subtask, a step, a field or a test, an
inventive one writes another value, swaps two of them, such as recipients, does more than was asked, or presses the button of
another record. Each run has one role with one mistake that it sticks to. The goals are shipped tasks and those of `GOALS` below,
in worlds that the seed fills. A run on which the mistake had no hold counts as right.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from orchestrator.control.requests import approving
from orchestrator.runs.runs import start
from orchestrator.settings.layers import shipped, shipped_names
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import Task, load_task
from protocol import ActionTarget, AgentStatus, Click, Fill, GUIElement, OperatorDecision, Type
from roles.contracts import ManagerPolicy, OperatorPolicy, OperatorView, PlanAnswer, PlanRequest, Subtask
from roles.contracts.orders import Step
from roles.contracts.wording import in_words
from roles.policies.orders.stages import expected
from roles.screen.screens import Screen

ROLES = {
    "manager": ("stops", "forgets", "alters", "adds", "swaps", "skips", "widens"),
    "operator": ("stops", "forgets", "alters", "adds", "mispresses", "miswrites", "passes"),
}
_VALUE = re.compile(r'"([^"\\\n]{2,})"|\b([A-Z]+-\d+)\b|(?<![\w.,-])(\d[\d.,:-]*\d|\d)(?![\w-])')
_GRAVE = re.compile(r"(?:delete|remove|submit|send|archive|accept|decline|save|cancel|add)\b", re.IGNORECASE)
_OFF = re.compile(r"(?:cancel|close|back)\b|cancel$", re.IGNORECASE)

NOTES, MAILS, CLAIMS = "apps.notes.notes", "apps.mail.messages", "apps.reimbursement.claims"
_IN = 'item.folder == "Inbox"'
_WRITER = (
    f'{_IN} && size(world.{MAILS}.filter(m, world.{MAILS}[m].sender == item.sender && world.{MAILS}[m].folder == "Inbox")) > 1'
)
_OWED = (
    'item.status != "paid" && size(world.apps.billing.invoices.filter(n, world.apps.billing.invoices[n].vendor == item.vendor && '
    'world.apps.billing.invoices[n].status != "paid")) in [2, 3]'
)
_OPEN = 'item.vendor == slots.some.vendor && item.status != "paid"'
GOALS: dict[str, dict[str, Any]] = {
    "delete-all-notes": {
        "goal": "Delete all notes", "world": "office", "success": [f"size(world.{NOTES}) == 0"], "changes": [f"{NOTES}.*"],
    },
    "delete-notes-but-one": {
        "goal": 'Delete all notes except "{one.title}"', "world": "office", "slots": {"one": {"from": NOTES}},
        "success": [f"size(world.{NOTES}) == 1", f"world.{NOTES}.exists(n, world.{NOTES}[n].title == slots.one.title)"],
        "changes": [f"{NOTES}.*"],
    },
    "delete-a-note": {
        "goal": 'Delete the note "{one.title}"', "world": "office", "slots": {"one": {"from": NOTES}},
        "success": [f"!world.{NOTES}.exists(n, world.{NOTES}[n].title == slots.one.title)"],
        "changes": ["apps.notes.notes.{one.id}"],
    },
    "archive-a-writer": {
        "goal": "Archive all mails from {one.sender}", "world": "office", "slots": {"one": {"from": MAILS, "where": _WRITER}},
        "success": [
            f"world.{MAILS}.all(m, world.{MAILS}[m].folder == (initial.{MAILS}[m].folder == 'Inbox' && "
            f"world.{MAILS}[m].sender == slots.one.sender ? 'Archive' : initial.{MAILS}[m].folder))"
        ],
        "changes": [f"{MAILS}.*.folder", f"{MAILS}.*.unread"],
    },
    "write-a-mail": {
        "goal": 'Send {one.sender} a mail with the subject "Lunch" saying "See you at noon"', "world": "office",
        "slots": {"one": {"from": MAILS, "where": _IN}},
        "success": [
            f"size(world.{MAILS}) == size(initial.{MAILS}) + 1",
            f'world.{MAILS}.exists(m, world.{MAILS}[m].subject == "Lunch" && world.{MAILS}[m].folder == "Sent" && '
            f'world.{MAILS}[m].to.contains(slots.one.sender) && world.{MAILS}[m].body.contains("See you at noon"))',
        ],
        "changes": [f"{MAILS}.+"],
    },
    "claim-the-unpaid": {
        "goal": "Claim every unpaid invoice of {some.vendor} with the invoice number and the amount", "world": "office",
        "slots": {
            "some": {"from": "apps.billing.invoices", "where": _OWED},
            "unpaid": {"from": "apps.billing.invoices", "where": _OPEN, "pick": "all"},
        },
        "success": [
            f"slots.unpaid.all(i, world.{CLAIMS}.exists_one(c, world.{CLAIMS}[c].amount == i.total))",
            f"size(world.{CLAIMS}) == size(initial.{CLAIMS}) + size(slots.unpaid)",
        ],
        "changes": [f"{CLAIMS}.+"],
    },
    "two-settings": {
        "goal": "Set the language to Deutsch and mute the sound", "world": "office",
        "success": ['world.apps.settings.account.language == "Deutsch"', "world.apps.settings.device.muted"],
        "changes": ["apps.settings.account.language", "apps.settings.device.muted"],
    },
    "answer-invitations": {
        "goal": "Decline the invitations from Omar Haddad and accept the others", "world": "diary",
        "success": [
            "world.apps.calendar.meetings.all(m, initial.apps.calendar.meetings[m].answer == '' || "
            "world.apps.calendar.meetings[m].answer == (world.apps.calendar.meetings[m].organizer == 'Omar Haddad' ? "
            "'declined' : 'accepted'))"
        ],
        "changes": ["apps.calendar.meetings.*.answer"],
    },
    "note-when-unpaid": {
        "goal": 'If invoice {one.number} is not paid, create a note called "Open" with the text "{one.number}"',
        "world": "office",
        "slots": {"one": {"from": "apps.billing.invoices", "where": 'item.status != "paid"'}},
        "success": [f'world.{NOTES}.exists(n, world.{NOTES}[n].title == "Open" && world.{NOTES}[n].body == slots.one.number)'],
        "changes": [f"{NOTES}.+"],
    },
    "new-phone-number": {
        "goal": "Change the phone number of {one.name} to 555-1234", "world": "company",
        "slots": {"one": {"from": "apps.contacts.contacts"}},
        "success": [
            'world.apps.contacts.contacts.exists(c, world.apps.contacts.contacts[c].phone == "555-1234" && '
            "world.apps.contacts.contacts[c].name == slots.one.name)"
        ],
        "changes": ["apps.contacts.contacts.*.phone"],
    },
}  # fmt: skip


class Asked(NamedTuple):
    """One run: `goal/seed/role/mistake`."""

    goal: str
    seed: int
    role: str
    mistake: str

    def __str__(self) -> str:
        return "/".join(map(str, self))


@dataclass
class Row:
    """How it came out."""

    run: str
    what: str
    status: str
    right: bool
    past: bool
    """It is called fulfilled, and the judge refuses it."""
    why: str


class Mistake:
    """What is done wrong, chosen once by the seed and kept to for the whole run."""

    def __init__(self, asked: Asked) -> None:
        self.chance = random.Random(str(asked))
        self.kind = asked.mistake
        self.after = self.chance.randrange(1, 8)
        self.what = ""
        self.pair = ("", "")
        self._altered: tuple[str, str] | None = None

    def alters(self, text: str) -> str:
        """The text, one value in it another one; where two are swapped, a text that is one of them."""
        if self.kind == "swaps":
            return {self.pair[0]: self.pair[1], self.pair[1]: self.pair[0]}.get(text, text)
        if self._altered is None:
            values = [next(filter(None, found.groups())) for found in _VALUE.finditer(text)]
            values += [text] if 1 < len(text.split()) < 4 and text.istitle() else []
            if not values or self.chance.random() < 0.3:
                return text
            old = self.chance.choice(values)
            self._altered = (old, other(old, self.chance))
            self.what = f"{old!r} becomes {self._altered[1]!r}"
        return text.replace(*self._altered)


def other(value: str, chance: random.Random) -> str:
    """A value of the same form that is another one."""
    digits = [at for at, letter in enumerate(value) if letter.isdigit()]
    if digits:
        at = chance.choice(digits)
        return value[:at] + str((int(value[at]) + chance.randrange(1, 9)) % 10) + value[at + 1 :]
    words = value.split()
    words[chance.randrange(len(words))] = chance.choice(("hello", "Otherwise", "Lighthouse"))
    return " ".join(words)


class MistakenManager:
    """Plans as its policy does, with a mistake."""

    def __init__(self, policy: ManagerPolicy, mistake: Mistake) -> None:
        self._policy, self._mistake = policy, mistake

    def plan(self, request: PlanRequest) -> PlanAnswer:
        answer = self._policy.plan(request)
        known = {subtask.id for subtask in request.plan}
        new = [subtask for subtask in answer.subtasks if subtask.id not in known]
        if answer.outcome != "planned" or not new:
            return answer
        mistake, kept = self._mistake, tuple(s for s in answer.subtasks if s.id in known)
        match mistake.kind:
            case "stops":
                left = new[: max(1, len(new) // 2)]
                mistake.what = mistake.what or (f"plans {len(left)} of {len(new)}" if len(left) < len(new) or answer.more else "")
                return answer.model_copy(update={"subtasks": (*kept, *left), "more": False})
            case "forgets":
                gone = mistake.chance.choice(new)
                mistake.what = f"without {gone.title!r}"
                left = [_without(subtask, gone) for subtask in new if subtask is not gone]
                return answer.model_copy(update={"subtasks": (*kept, *left)}) if left or kept else answer
            case "adds":
                again = new[-1]
                mistake.what = f"{again.title!r} twice"
                twice = again.model_copy(update={"id": f"{again.id}x", "depends_on": (*again.depends_on, again.id)})
                return answer.model_copy(update={"subtasks": (*kept, *new, twice)})
            case "skips":
                return answer.model_copy(update={"subtasks": (*kept, *(_skipped(s, mistake) for s in new))})
            case "widens":
                return answer.model_copy(update={"subtasks": (*kept, *(_widened(s, mistake) for s in new))})
            case "swaps":
                values = sorted({value for subtask in new for step in subtask.steps for value in _values_of(step)})
                if not mistake.what and len(values) > 1:
                    one, other = mistake.chance.sample(values, 2)
                    mistake.pair = (one, other)
                    mistake.what = f"{one!r} for {other!r} and the other way round"
        return answer.model_copy(update={"subtasks": (*kept, *(altered(s, mistake) for s in new))})


def _values_of(step: Step) -> list[str]:
    """What a step writes, and by what it tells records."""
    records = getattr(step, "records", None)
    tests = [test.value for test in records.tests] if records is not None else []
    return [value for value in (*tests, *(entry.value for entry in getattr(step, "entries", ()))) if value]


def _skipped(subtask: Subtask, mistake: Mistake) -> Subtask:
    """Without one of several fields that a step fills."""
    many = {n: [*entries] for n, step in enumerate(subtask.steps) if len(entries := getattr(step, "entries", ())) > 1}
    if mistake.what or not many:
        return subtask
    at = mistake.chance.choice([*many])
    entries = many[at]
    mistake.what = f"without {entries.pop(mistake.chance.randrange(len(entries))).label!r}"
    steps = [*subtask.steps]
    steps[at] = steps[at].model_copy(update={"entries": tuple(entries)})
    return subtask.model_copy(update={"steps": tuple(steps), "expect": expected(steps), "instruction": in_words(steps)})


def _widened(subtask: Subtask, mistake: Mistake) -> Subtask:
    """Without one of the tests, or the exceptions, by which a step tells its records from others."""
    told = [(n, records) for n, step in enumerate(subtask.steps) if (records := getattr(step, "records", None)) is not None]
    told = [(n, records) for n, records in told if records.tests or records.but]
    if mistake.what or not told:
        return subtask
    at, records = mistake.chance.choice(told)
    less = {"but": ()} if records.but else {"tests": records.tests[:-1]}
    mistake.what = f"without {(records.but or records.tests)[-1]!r}"[:80]
    steps = [*subtask.steps]
    steps[at] = steps[at].model_copy(update={"records": records.model_copy(update=less)})
    return subtask.model_copy(update={"steps": tuple(steps), "expect": expected(steps), "instruction": in_words(steps)})


def _without(subtask: Subtask, gone: Subtask) -> Subtask:
    depends = tuple(dict.fromkeys(d for name in subtask.depends_on for d in (gone.depends_on if name == gone.id else (name,))))
    return subtask.model_copy(update={"depends_on": depends})


def altered(subtask: Subtask, mistake: Mistake) -> Subtask:
    """The subtask with another value wherever it stands: in words, expectations and steps."""
    told = subtask.model_dump(mode="json", include={"instruction", "expect", "steps"})
    changed = _in_leaves(told, mistake)
    return Subtask.model_validate(subtask.model_dump(mode="json") | changed)


def _in_leaves(data: Any, mistake: Mistake) -> Any:
    if isinstance(data, dict):
        fixed = {"skill", "kind", "app", "verb", "mode", "relation", "commit", "control", "label", "labels", "name", "names"}
        return {key: value if key in fixed else _in_leaves(value, mistake) for key, value in data.items()}
    if isinstance(data, list):
        return [_in_leaves(item, mistake) for item in data]
    return mistake.alters(data) if isinstance(data, str) else data


class MistakenOperator:
    """Works as its policy does, with a mistake."""

    def __init__(self, policy: OperatorPolicy, mistake: Mistake) -> None:
        self._policy, self._mistake = policy, mistake
        self._decided = 0

    def decide(self, view: OperatorView) -> OperatorDecision:
        mistake = self._mistake
        if mistake.kind == "alters":
            facts = tuple(f.model_copy(update={"value": mistake.alters(f.value)}) if f.kind != "table" else f for f in view.facts)
            return self._policy.decide(view.model_copy(update={"subtask": altered(view.subtask, mistake), "facts": facts}))
        if mistake.kind == "forgets" and len(view.subtask.steps) > 1:
            steps = [*view.subtask.steps]
            gone = steps.pop(random.Random(view.subtask.id).randrange(len(steps)))
            mistake.what = f"without the step {gone.skill}"
            view = view.model_copy(update={"subtask": view.subtask.model_copy(update={"steps": tuple(steps)})})
        over, chance = f"passes over {view.subtask.title!r}", random.Random(f"{mistake.after} {view.subtask.id}").random()
        if mistake.kind == "passes" and (mistake.what == over or (not mistake.what and chance < 0.5)):
            mistake.what = over
            return OperatorDecision(status=AgentStatus.FINISH, comment="done", is_goal_complete=True)
        decision = self._policy.decide(view)
        if mistake.kind == "miswrites" and isinstance(decision.action, Fill | Type) and decision.action.text:
            text = mistake.alters(decision.action.text)
            decision = decision.model_copy(update={"action": decision.action.model_copy(update={"text": text}), "then": ()})
        self._decided += 1
        if mistake.kind == "stops" and self._decided > mistake.after and decision.status is AgentStatus.CONTINUE:
            mistake.what = f"stops after {mistake.after} decisions"
            return OperatorDecision(status=AgentStatus.FINISH, comment="done", is_goal_complete=True, memory=decision.memory)
        if mistake.kind == "mispresses" and not mistake.what:
            return self._mispressed(decision, view)
        if mistake.kind == "adds" and not mistake.what and decision.status is AgentStatus.FINISH:
            return self._more(decision, view)
        return decision

    def _mispressed(self, decision: OperatorDecision, view: OperatorView) -> OperatorDecision:
        """Presses the same control of another record."""
        target = decision.action.target if decision.action is not None else None
        mine = view.seen.by_id.get(target.element_id or "") if target is not None else None
        if not isinstance(decision.action, Click) or mine is None:
            return decision
        screen = Screen(view.seen)
        at = _place(mine, screen)
        rivals = [e for e in screen.elements if e.role == mine.role and e.enabled and e.visible and e != mine]
        rivals = [e for e in rivals if at and _place(e, screen) == at]
        if not rivals or self._mistake.chance.random() < 0.4:
            return decision
        wrong = self._mistake.chance.choice(rivals)
        self._mistake.what = f"presses {wrong.name!r} for {mine.name!r}"
        return decision.model_copy(update={"action": press(wrong), "then": ()})

    def _more(self, decision: OperatorDecision, view: OperatorView) -> OperatorDecision:
        """Presses something grave that stands there, before it is done."""
        screen = Screen(view.seen)
        grave = [e for e in screen.elements if e.role == "button" and e.enabled and e.visible and _GRAVE.match(e.name)]
        if not grave:
            return decision
        more = self._mistake.chance.choice(grave)
        self._mistake.what = f"presses {more.name!r} besides"
        return OperatorDecision(status=AgentStatus.CONTINUE, action=press(more), memory=decision.memory, reasoning="one more")


def _place(element: GUIElement, screen: Screen) -> list[int]:
    """Where in its row it stands; nothing where it stands in none."""
    return [n for row in screen.rows for n, kid in enumerate(screen.within(row)) if kid.element_id == element.element_id]


def press(element: GUIElement) -> Click:
    target = ActionTarget(element_id=element.element_id, text=element.name, track_id=element.track_id, bbox=element.bbox)
    return Click(target=target)


def task_of(name: str) -> Task:
    """A goal of `GOALS`, or a shipped task."""
    if own := GOALS.get(name):
        return Task.model_validate({"limits": {"steps": 80, "plans": 4}, **own})
    return load_task(shipped("tasks", f"{name}.yaml"))


def work(asked: Asked, settings: Sequence[str] = ()) -> Row:
    """One run, in a folder of its own that is thrown away."""
    mistake = Mistake(asked)
    wrappers: dict[str, Any] = {"manager": MistakenManager, "operator": MistakenOperator}

    def around(role: str, policy: Any) -> Any:
        return wrappers[role](policy, mistake) if role == asked.role and asked.mistake else policy

    task = task_of(asked.goal)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        loaded = load_settings(
            overrides=[f"seed={asked.seed}", f"runs_dir={folder}", "limits.plans=4", *settings], task_layer=task.layer()
        )
        try:
            outcome = start(loaded, task, approver=approving, parts={"around": around})
        except Exception as bad:  # noqa: BLE001 - a mistake may break a crew; that is no run called done
            return Row(str(asked), mistake.what, "broken", False, False, repr(bad)[:200])
    verdict = outcome.report.get("judge") or {}
    right = bool(verdict.get("passed")) and not verdict.get("side_effects")
    why = " ".join(outcome.reason.split())[:300]
    return Row(str(asked), mistake.what, outcome.status, right, outcome.status == "fulfilled" and not right, why)


def sample(runs: int, seed: int) -> list[Asked]:
    """So many runs that all differ, the same for the same seed; each goal of `GOALS` as often as four shipped tasks."""
    every_task = [load_task(shipped("tasks", f"{name}.yaml")) for name in shipped_names("tasks")]
    tasks = [task.id for task in every_task if "gates" not in task.kinds and "environment" not in task.settings]
    goals = [(task, 0) for task in tasks] + [(name, number) for name in GOALS for number in range(4)]
    every = [Asked(name, number, role, mistake) for name, number in goals for role, kinds in ROLES.items() for mistake in kinds]
    return random.Random(seed).sample(every, min(runs, len(every)))


def rows_in(path: Path | None) -> list[dict[str, Any]]:
    """The rows of a file that an earlier call wrote."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path and path.exists() else []


def keep(path: Path, row: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="which runs are taken, and what is done wrong in them")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the crew; repeatable")
    parser.add_argument("--goals", default="", help="only these, with commas between them")
    parser.add_argument("--only", default="", metavar="GOAL/SEED/ROLE/MISTAKE", help="this run alone")
    parser.add_argument("--rows", type=Path, help="a file for a JSON line each")
    said = parser.parse_args()
    parts = said.only.split("/")
    wanted = [Asked(parts[0], int(parts[1]), *parts[2:])] if said.only else sample(10_000 if said.goals else said.runs, said.seed)
    wanted = [asked for asked in wanted if not said.goals or asked.goal in said.goals.split(",")][: said.runs]
    known = {row["run"]: Row(**row) for row in rows_in(said.rows)}
    rows = []
    for at, asked in enumerate(wanted, 1):
        row = known.get(str(asked)) or work(asked, said.set)
        rows.append(row)
        if said.rows and row.run not in known:
            keep(said.rows, asdict(row))
        mark = "PAST " if row.past else "right" if row.right else "     "
        line = f"{at}/{len(wanted)} {mark} {row.run:44} {row.what[:80]:80} {row.status}: {row.why[:160]}"
        print(line, file=sys.stderr, flush=True)
    ways = Counter(row.status for row in rows if row.what)
    right = sum(row.right for row in rows)
    print(f"{len(rows)} runs, {sum(bool(row.what) for row in rows)} with a mistake ({dict(ways)}), {right} right all the same")
    past = [row for row in rows if row.past]
    print(f"{len(past)} called fulfilled and refused by the judge{''.join(f'{chr(10)}  {row.run}: {row.what}' for row in past)}")


if __name__ == "__main__":
    main()
