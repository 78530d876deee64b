"""A hand on a simulated desktop: worlds written as YAML in the test, and actions by the words on the screen."""

import json
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import protocol as p
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world


class Hand:
    """Acts on a desktop with keys of its own, and looks at it."""

    def __init__(self, desktop: SimulatedDesktop) -> None:
        self.desktop = desktop
        self.count = len(desktop.received())

    def do(self, action: p.Action) -> p.ActionResult:
        self.count += 1
        return self.desktop.perform(action, key=f"test/{self.count}")

    def click(self, *texts: str, count: int = 1) -> p.ActionResult:
        """One after the other; what came of the last."""
        return [self.do(p.Click(target=p.ActionTarget(text=text), count=count)) for text in texts][-1]

    def call(self, function: str, **arguments: Any) -> Any:
        """What `app.function` answers, or the sentence in which it refuses."""
        app, _, name = function.partition(".")
        result = self.do(p.CallApi(app=app, function=name, arguments=arguments))
        return json.loads(result.output) if result.ok else result.error

    def fill(self, text: str, value: str) -> p.ActionResult:
        return self.do(p.Fill(target=p.ActionTarget(text=text), text=value))

    def refuses(self, app: str, *calls: tuple[str, dict[str, object], str]) -> None:
        """Each of these functions says why it does nothing, and does nothing."""
        before = self.app(app)
        for function, arguments, said in calls:
            assert said in self.call(f"{app}.{function}", **arguments), (function, arguments)
            assert self.app(app) == before

    def fills(self, values: dict[str, str]) -> None:
        """One field after the other."""
        for text, value in values.items():
            self.fill(text, value)

    def keys(self, *keys: str) -> None:
        """One key after the other."""
        for key in keys:
            self.press(key)

    def type(self, value: str, text: str | None = None, submit: bool = False) -> p.ActionResult:
        return self.do(p.Type(target=p.ActionTarget(text=text) if text else None, text=value, submit=submit))

    def press(self, *keys: str, on: str | None = None) -> p.ActionResult:
        return self.do(p.PressKey(keys=keys, target=p.ActionTarget(text=on) if on else None))

    def select(self, text: str, option: str) -> p.ActionResult:
        return self.do(p.SelectOption(target=p.ActionTarget(text=text), options=(option,)))

    def drag(self, text: str, to: str) -> p.ActionResult:
        return self.do(p.Drag(target=p.ActionTarget(text=text), to=p.ActionTarget(text=to)))

    def do_on(self, key: str) -> p.ActionResult:
        """Click what has this key, whatever it is called."""
        return self.do(p.Click(target=p.ActionTarget.of(next(e for e in self.screen.elements if str(e.track_id).endswith(key)))))

    def launch(self, app: str) -> p.ActionResult:
        return self.do(p.LaunchApp(app=app))

    def scroll(self, dy: int) -> p.ActionResult:
        return self.do(p.Scroll.toward("down", dy) if dy >= 0 else p.Scroll.toward("up", -dy))

    def wait(self, seconds: float) -> p.ActionResult:
        return self.do(p.Wait(seconds=seconds))

    @property
    def screen(self) -> p.VisualState:
        return self.desktop.observe()

    def texts(self, role: str | None = None) -> list[str]:
        return [e.name for e in self.screen.elements if role in (None, e.role) and e.text]

    def element(self, text: str) -> p.GUIElement:
        return next(e for e in self.screen.elements if e.text == text)

    def app(self, name: str) -> dict:
        return self.desktop.world()["apps"][name]

    def value(self, label: str) -> str | None:
        """What is in a field."""
        return self.element(label).value

    def value_of(self, label: str) -> str:
        """What stands beside a label on a detail page."""
        parent = self.element(label).parent
        return next(e.name for e in self.screen.elements if e.parent == parent and e.text != label)


MakeHand = Callable[..., Hand]


@pytest.fixture
def hand() -> Iterator[MakeHand]:
    """`hand(yaml, seed=…, store=…)` gives a Hand on the world that the YAML describes."""
    made: list[SimulatedDesktop] = []

    def make(text: str, seed: int | None = None, store: Path | None = None) -> Hand:
        desktop = SimulatedDesktop(parse_world(textwrap.dedent(text), "test.yaml", seed), store=store)
        made.append(desktop)
        return Hand(desktop)

    yield make
    for desktop in made:
        desktop.close()


@pytest.fixture
def h(hand: MakeHand, request: pytest.FixtureRequest) -> Hand:
    """A hand on the world that the class of the test, or its module, calls WORLD."""
    return hand(getattr(request.cls, "WORLD", None) or request.module.WORLD)
