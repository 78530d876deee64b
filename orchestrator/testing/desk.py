"""A simulated desktop with a hand: a test arranges it before the crew comes, and looks at it afterwards."""

from __future__ import annotations

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.worldfile import load_world
from protocol import ActionResult, VisualState, describe
from protocol.dsl import parse_line


class Desk(SimulatedDesktop):
    """What the hand did before a run is how the run finds the desktop."""

    def __init__(self, world: str, seed: int = 0) -> None:
        """`world` is the name of a shipped world, or a path."""
        super().__init__(load_world(world), seed)
        self.origin, self.seed = world, seed
        self._by_hand = 0
        self._arranged = False

    def do(self, line: str) -> ActionResult:
        """One action by hand, in the words of the protocol's language: `click "Save"`, `open mail`."""
        action = parse_line(line)
        self._by_hand += 1
        result = self.perform(action, key=f"by-hand/{self._by_hand}")
        if not result.ok:
            raise AssertionError(f"by hand: {describe(action)}: {result.exec_status}: {result.error}")
        self._arranged = True
        return result

    def shows(self, words: str) -> bool:
        """Whether these words stand on the screen now, as a name or as a value."""
        wanted = words.casefold()
        return any(wanted in f"{e.text} {e.value or ''}".casefold() for e in self.observe().elements if e.visible)

    def reset(self, *, seed: int | None = None) -> VisualState:
        """A run begins with a reset, which leaves what was arranged by hand for it; the next one begins anew."""
        if self._arranged:
            self._arranged = False
            return self.observe()
        return super().reset(seed=seed)
