#!/usr/bin/env python3
"""What a decision costs on a large screen: a skill's step, the evidence of a gate, and the screen as text.

    benchmarks/large_screens.py                     100, 1,000 and 10,000 elements
    benchmarks/large_screens.py --sizes 1000 --only gate --json

A screen is a page that nobody has a card of: a form of a tenth of its elements, and a table whose rows have a link, three
cells and a button. Times are those of the CPU, the least of several rounds, each on a screen that was not seen before. The
ratio is the time of an element beside that of an element of the smallest screen: 1.0 where time grows with the elements.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

from environments.cards import card_of_screen
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from protocol import ActionTarget, BoundingBox, Click, ExecStatus, Fill, GUIElement, LaunchApp, VisualState
from protocol.prompt_form import whole_form
from roles.contracts import EffectSeen, FieldHas, GateRequest, OperatorView, StepRecord, Subtask, TextShown
from roles.contracts.orders import CollectStep, Entry, FillStep, PressStep, ReadStep, Records, RowTest, Step
from roles.contracts.signals import GateTrigger
from roles.evaluator.rules import RulesEvaluator
from roles.operator.rules import RulesOperator

SIZES = (100, 1_000, 10_000)
ROUNDS = 3
APP = "stock"
_shown = count(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--only", default="", help="lines whose names hold this")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = []
    for name, ready in works().items():
        least = 0.0
        for size in given.sizes if given.only in name else ():
            elements, each = least_of(partial(ready, size))
            least = least or each / elements
            rows.append({"what": name, "elements": elements, "ms": 1000 * each, "ratio": each / elements / least})
            if not given.json:
                ratio = each / elements / least
                print(f"{name:<44}{elements:>8,}{1000 * each:>12,.2f} ms{ratio:>8.2f} times an element of the smallest")
    if given.json:
        print(json.dumps(rows))


def works() -> dict[str, Callable[[int], tuple[int, Callable[[], Any]]]]:
    """By name: for a size, how many elements there are, and the work on a screen that is new."""
    last = Records(app=APP, kind="item", tests=(RowTest(label="", value="Item 7"),))
    steps: dict[str, Step] = {
        "step: press a button of a row": PressStep(app=APP, verb="press", control="Remove", kind="button", records=last),
        "step: press a control by name": PressStep(app=APP, verb="press", control="Save", kind="button"),
        "step: fill two fields": FillStep(
            app=APP, entries=(Entry(label="Field 3", value="x"), Entry(label="Field 4", value="y"))
        ),
        "step: collect every row": CollectStep(records=Records(app=APP, kind="item"), name="items"),
        "step: read a value": ReadStep(app=APP, labels=("Total",), names=("total",)),
    }
    expected = {
        "gate: a field that holds its value": FieldHas(app=APP, label="Field 3", value="value 3"),
        "gate: a field that holds another": FieldHas(app=APP, label="Field 3", value="nowhere"),
        "gate: a text that is shown": TextShown(app=APP, text="Thanks"),
        "gate: a text that is not shown": TextShown(app=APP, text="nowhere"),
        "gate: an effect": EffectSeen(app=APP, verb="save"),
    }
    return {
        **{name: partial(_step, step) for name, step in steps.items()},
        **{name: partial(_gate, one) for name, one in expected.items()},
        "card: what a page shows": lambda size: _of(size, card_of_screen),
        "safety: which of many buttons it is": lambda size: _of(size, lambda seen: seen.beside(seen.elements[-1])),
        "text: the whole form of a new screen": lambda size: _of(size, whole_form),
        "world: step and observation": _world,
    }


def least_of(ready: Callable[[], tuple[int, Callable[[], Any]]]) -> tuple[int, float]:
    times = []
    for _ in range(ROUNDS):
        elements, work = ready()
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return elements, min(times)


def page(size: int) -> VisualState:
    """A form and a table, of so many elements together, as the tree of a page has them."""
    turn, fields = next(_shown), max(4, size // 10)
    made: list[GUIElement] = []

    def add(role: str, text: str = "", up: str | None = None, column: int = 0, **more: Any) -> str:
        y = 20 + 30 * len(made)
        box = BoundingBox(x1=20 + 150 * column, y1=y, x2=160 + 150 * column, y2=y + 24)
        name = f"e{len(made) + 1}"
        made.append(GUIElement(element_id=name, track_id=f"t{name}", role=role, text=text, bbox=box, parent=up, app=APP, **more))
        return name

    add("heading", f"Stock, view {turn}")
    form = add("form", "Stock")
    for number in range(1, fields):
        add("textbox", f"Field {number}", form, value=f"value {number}")
    add("button", "Save", form)
    for text in ("Total", f"{turn} pieces", "Thanks"):
        add("text", text)
    table = add("table", "Items")
    for number in range(1, 1 + max(8, (size - len(made)) // 6)):
        row = add("row", "", table)
        add("link", f"Item {number}", row)
        for column, text in enumerate((f"2026-03-{number % 28 + 1:02d}", f"${number}.50", "open"), start=1):
            add("cell", text, row, column)
        add("button", "Remove", row, 4)
    return VisualState(elements=tuple(made), app=APP)


def _step(step: Step, size: int) -> tuple[int, Callable[[], Any]]:
    seen = page(size)
    subtask = Subtask(id="s1", title="t", instruction="Work the page.", app=APP, steps=(step,))
    view = OperatorView(user_request="Work the page.", subtask=subtask, app=APP, seen=seen, cards=(card_of_screen(seen),))
    return len(seen.elements), partial(RulesOperator().decide, view)


def _gate(expected: Any, size: int) -> tuple[int, Callable[[], Any]]:
    before, after = page(size), page(size)
    subtask = Subtask(id="s1", title="t", instruction="Work the page.", app=APP, expect=(expected,))
    save = next(e for e in before.elements if e.name == "Save")
    action = {"action_type": "click", "target": {"element_id": save.element_id, "text": "Save"}}
    record = StepRecord(
        step=1, subtask="s1", action=action, verb="click", target="Save", exec_status=ExecStatus.EXECUTED, app=APP,
        before=before.state_id, after=after.state_id, visible_change=True,
    )  # fmt: skip
    request = GateRequest(
        trigger=GateTrigger.WORKER_SUCCESS, goal="Work the page.", subtask=subtask, steps=(record,), run=(record,),
        screens=(after,), earlier=(before,),
    )  # fmt: skip
    return len(after.elements), partial(RulesEvaluator().judge, request)


def _of(size: int, work: Callable[[VisualState], Any]) -> tuple[int, Callable[[], Any]]:
    seen = page(size)
    return len(seen.elements), partial(work, seen)


def _world(size: int) -> tuple[int, Callable[[], Any]]:
    """A window in front of another one that shows so many elements: what is behind stands as before."""
    letter = {"from": "Ada", "subject": "Log", "body": "\n".join(f"line {number}" for number in range(size))}
    apps = {"mail": {"messages": [letter]}, "notes": {"generate": 2}}
    env = SimulatedDesktop(parse_world(json.dumps({"name": "large", "arrange": "cascade", "apps": apps, "open": ["mail"]})))
    for action in (Click(target=ActionTarget(text="Log")), LaunchApp(app="notes")):
        assert env.perform(action, key=action.verb).ok
    field = next(e for e in env.observe().elements if e.role == "textbox" and e.app == "notes")
    target, words = ActionTarget(track_id=field.track_id), (f"words {number}" for number in count(1))
    for _ in range(2):
        env.perform(Fill(target=target, text=next(words)), key=f"{next(_shown)}")
        env.observe()

    def work() -> VisualState:
        result = env.perform(Fill(target=target, text=next(words)), key=f"{next(_shown)}")
        assert result.ok, result.error
        return env.observe()

    return len(env.observe().elements), work


if __name__ == "__main__":
    main()
