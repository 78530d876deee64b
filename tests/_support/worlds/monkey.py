"""Somebody who does anything at all, the same each time for a seed. As a program it prints what became of worlds."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator

from environments.contract import Environment, EnvironmentFault
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from protocol import (
    Action,
    ActionTarget,
    Click,
    Drag,
    Fill,
    GoBack,
    GUIElement,
    Hover,
    LaunchApp,
    PressKey,
    Scroll,
    SelectOption,
    Type,
    Wait,
)

KEYS = ("Enter", "Escape", "Tab", "ArrowDown", "ArrowUp", "Delete", "PageDown", "Home", " ")
CHORDS = ("a", "c", "v", "z", "s", "n")
WORDS = ("12", "31.12.2026", "Ada", "=SUM(A1:A3)", "ls -l", "x" * 40, "", "zwei Wörter", "支付")


def anything(env: SimulatedDesktop, seed: int, steps: int) -> Iterator[Action]:
    """So many actions, each on what is on the screen by then."""
    rng = random.Random(seed)
    for _ in range(steps):
        seen = [e for e in env.observe().elements if e.visible]
        yield rng.choice(_MAKERS)(rng, seen, [app.app for app in env.apps()])


def _target(element: GUIElement) -> ActionTarget:
    return ActionTarget(element_id=element.element_id)


def _click(rng: random.Random, seen: list[GUIElement], apps: list[str]) -> Action:
    element = rng.choice([e for e in seen if e.role not in {"text", "heading", "group"}] or seen)
    return Click(target=_target(element), count=rng.choice((1, 1, 1, 2)), button=rng.choice(("left", "left", "left", "right")))


def _fill(rng: random.Random, seen: list[GUIElement], apps: list[str]) -> Action:
    fields = [e for e in seen if e.value is not None]
    if not fields:
        return _click(rng, seen, apps)
    field = rng.choice(fields)
    if field.role == "combobox" and field.options:
        return SelectOption(target=_target(field), options=(rng.choice(field.options),))
    make = rng.choice((Fill, Type))
    return make(target=_target(field), text=rng.choice(WORDS), submit=rng.random() < 0.3)


def _key(rng: random.Random, seen: list[GUIElement], apps: list[str]) -> Action:
    return PressKey(keys=("Control", rng.choice(CHORDS)) if rng.random() < 0.3 else (rng.choice(KEYS),))


def _about(rng: random.Random, seen: list[GUIElement], apps: list[str]) -> Action:
    one, other = rng.choice(seen), rng.choice(seen)
    return rng.choice((
        Hover(target=_target(one)), Drag(target=_target(one), to=_target(other)), Scroll.toward("down", rng.randint(1, 5)),
        Wait(seconds=rng.choice((1, 30, 50))), GoBack(), LaunchApp(app=rng.choice(apps)), LaunchApp(app=rng.choice(apps)),
    ))  # fmt: skip


_MAKERS = (_click, _click, _click, _fill, _fill, _key, _about)


def let_loose(env: SimulatedDesktop, seed: int, steps: int, through: Environment | None = None) -> list[str]:
    """What came of each action. `through` stands between the hand and the desktop."""
    came = []
    for number, action in enumerate(anything(env, seed, steps)):
        try:
            result = (through or env).perform(action, key=f"monkey/{seed}/{number}")
            came.append(f"{result.exec_status} {result.error}")
        except EnvironmentFault as fault:
            came.append(f"fault {fault}")
    return came


def became(world: str, seed: int, steps: int) -> str:
    env = SimulatedDesktop(load_world(world), seed)
    let_loose(env, seed, steps)
    hashed = env.state_hash()
    env.close()
    return hashed


if __name__ == "__main__":
    print(json.dumps({world: became(world, int(sys.argv[1]), int(sys.argv[2])) for world in sys.argv[3:]}))
