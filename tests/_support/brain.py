"""A model that works one kind of goal, an invoice's total into a note, by nothing but what stands in its prompts."""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from models import section, text_of

_ID = r"(e\d+)"


def brain(messages: Sequence[BaseMessage]) -> dict[str, Any]:
    """The answer to a question of any role."""
    system, turn = text_of(messages[:1]), text_of(messages[1:2])
    if system.startswith("You plan"):
        return _plan(turn)
    return _decide(turn) if system.startswith("You work") else _judge(turn)


def _plan(turn: str) -> dict[str, Any]:
    number = re.search(r"invoice (INV-\d+)", turn)
    title = re.search(r'titled "([^"]+)"', turn)
    assert number
    assert title
    find = {"id": "find", "instruction": f"Memorize the total of invoice {number[1]} as total", "app": "billing"}
    write = f'Save a note titled "{title[1]}" with the fact total'
    return {
        "reason": "first find it, then write it down",
        "outcome": "planned",
        "subtasks": [find, {"id": "write", "instruction": write, "app": "notes", "depends_on": ["find"]}],
    }


def _do(action: str, target: str = "", status: str = "CONTINUE", **more: Any) -> dict[str, Any]:
    return {"reasoning": "as the screen says", "action": action, "target": target, "status": status, **more}


def _decide(turn: str) -> dict[str, Any]:
    screen, steps = section(turn, "screen"), section(turn, "steps")
    subtask = re.search(r"Your subtask, in (\w+): (.*)", turn)
    assert subtask
    done = _do("none", status="FINISH")
    if subtask[1] == "notes":
        return done if 'click "Save"' in steps else _write(screen, subtask[2])
    return done if "total" in section(turn, "facts") else _find(screen, subtask[2])


def _find(screen: str, subtask: str) -> dict[str, Any]:
    number = re.search(r"INV-\d+", subtask)
    assert number
    if f'"Invoice {number[0]}"' in screen:
        total = re.search(r'"Total" \| "([^"]+)"', screen)
        assert total
        return _do("memorize", name="total", value=total[1])
    if back := re.search(rf'{_ID} button "Back to invoices"', screen):
        return _do("click", back[1])
    if row := re.search(rf'{_ID} link "{number[0]}"', screen):
        return _do("click", row[1])
    box = re.search(rf'{_ID} (?:textbox|searchbox) "Search invoices"', screen)
    assert box
    return _do("fill", box[1], text=number[0], submit=True)


def _write(screen: str, subtask: str) -> dict[str, Any]:
    title = re.search(r'"([^"]+)"', subtask)
    assert title
    if new := re.search(rf'{_ID} button "New note"', screen):
        return _do("click", new[1])
    for name, text in (("Title", title[1]), ("Body", "fact:total")):
        if empty := re.search(rf'{_ID} textbox "{name}" = ""', screen):
            return _do("fill", empty[1], text=text)
    save = re.search(rf'{_ID} button "Save"', screen)
    return _do("click", save[1]) if save else _do("none", status="FAIL")


def _judge(turn: str) -> dict[str, Any]:
    state = re.search(r"^state:[0-9a-f]+", section(turn, "screens"), re.MULTILINE)
    assert state
    decision = "gate_continue" if "PERIODIC_CHECK" in turn else "gate_fail" if "WORKER_STALE" in turn else "gate_done"
    return {"reason": "as the findings say", "decision": decision, "evidence": [state[0]]}
