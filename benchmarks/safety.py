#!/usr/bin/env python3
"""What a preview and a review by the safety policy cost: CPU per action, for conditions that speak of more and more.

benchmarks/safety.py
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from protocol import ActionTarget, Click, Fill, GUIElement, LaunchApp, VisualState
from roles.safety import SafetyPolicy, review

CONDITIONS = (
    "",
    "confidence < 0.9 && app == 'mail'",
    "action.verb == 'fill'",
    "target.role == 'textbox' && value.contains('@')",
    "'total' in facts && value == facts.total.value",
    "provenance.source == 'screen'",
    "screen.texts.exists(t, t == 'thing 199')",
)
TIMES = 2_000


def microseconds(work: Callable[[], object]) -> float:
    """CPU per call, the best of three rounds."""
    work()
    rounds = []
    for _ in range(3):
        since = time.process_time()
        for _ in range(TIMES):
            work()
        rounds.append((time.process_time() - since) / TIMES * 1e6)
    return min(rounds)


PRESSES = tuple(Click(target=ActionTarget(text=name)) for name in ("Compose", "Save draft", "Discard"))
WALKS = 60


def previews() -> tuple[float, float]:
    """CPU per action in a world, without and with a preview of it: the same walk, a thousand previews apart."""
    walk = [LaunchApp(app="mail"), *PRESSES, LaunchApp(app="notes"), LaunchApp(app="settings")]
    keys = itertools.count()

    def walked(preview: bool) -> None:
        for action in walk:
            if preview:
                desk.preview(action)
            desk.perform(action, key=str(next(keys)))

    costs = []
    for preview in (False, True):
        rounds = []
        for _ in range(5):
            desk = SimulatedDesktop(load_world("company"))
            since = time.process_time()
            for _ in range(WALKS):
                walked(preview)
            rounds.append((time.process_time() - since) / WALKS / len(walk) * 1e6)
        costs.append(min(rounds))
    return costs[0], costs[1]


def main() -> None:
    bare, with_preview = previews()
    print(f"{with_preview - bare:8.1f} µs  a preview of an action that takes {bare:.0f} µs without it")
    field = GUIElement(element_id="to", text="To", role="textbox", app="mail", value="")
    things = (GUIElement(element_id=f"e{n}", text=f"thing {n}", role="button", app="mail") for n in range(200))
    screen = VisualState(elements=(*things, field), app="mail")
    action = Fill(target=ActionTarget(element_id="to"), text="eve@evil.example")
    preset = SafetyPolicy()
    for condition in CONDITIONS:
        more = [{"name": "more", "verdict": "ask", "if": condition}] if condition else []
        rules = [rule.model_dump(by_alias=True) for rule in preset.rules]
        policy = SafetyPolicy.model_validate({"rules": [*rules, *more]})
        print(f"{microseconds(lambda: review(action, field, screen, policy)):8.1f} µs  {condition or 'a preset alone'}")  # noqa: B023


if __name__ == "__main__":
    main()
