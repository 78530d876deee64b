"""The environment contract as an executable check: every adapter has to get through it."""

from collections import Counter
from collections.abc import Iterator
from itertools import count

from environments.contract import ActionRecord, AppCatalog, DigestMismatch, Environment, Peek, WorldState
from protocol import ActionResult, ActionTarget, ExecStatus, VisualState
from protocol.model import verbs

SEED = 7
_NOWHERE = "no-such-thing-on-any-screen"


class ContractError(AssertionError):
    """A promise of the contract that an environment does not keep."""


def check_environment(env: Environment) -> list[str]:
    """The verified promises of the contract. Raises ContractError with the first broken one. Closes `env`."""
    if lacking := [name for name in ("reset", "observe", "perform", "close") if not hasattr(env, name)]:
        raise ContractError(f"{type(env).__name__} has no {', '.join(lacking)}; an environment has these methods")
    check = _Check(env)
    try:
        check.reset_repeats()
        check.observing_changes_nothing()
        check.screens_are_sound()
        check.failures_are_values()
        check.ambiguity_is_an_error()
        check.a_key_acts_once()
        check.peeking_changes_nothing()
    finally:
        check.closing_twice_is_fine()
    return check.kept


class _Check:
    """An environment under test; every method is one promise."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.kept: list[str] = []
        self.keys = (f"check/{number}" for number in count(1))

    def perform(self, action: verbs.Action, key: str | None = None) -> ActionResult:
        try:
            return self.env.perform(action, key=key or next(self.keys))
        except DigestMismatch:
            raise
        except Exception as raised:
            raise ContractError(
                f"{action.verb} raised {type(raised).__name__} ({raised}); a failure is an ActionResult"
            ) from raised

    def screens(self) -> Iterator[VisualState]:
        """The first screen, and that of every app."""
        yield self.env.reset(seed=SEED)
        for info in self.env.apps() if isinstance(self.env, AppCatalog) else ():
            if self.perform(verbs.LaunchApp(app=info.app)).ok:
                yield self.env.observe()

    def reset_repeats(self) -> None:
        first = self.env.reset(seed=SEED)
        _promise(isinstance(first, VisualState), f"reset gave {type(first).__name__}, not a VisualState")
        world = self.env.world() if isinstance(self.env, WorldState) else None
        self.perform(verbs.Wait(seconds=1))
        again = self.env.reset(seed=SEED)
        _promise(first.state_id == again.state_id, "reset with a seed gave another first screen than before")
        _promise(first.timestamp == again.timestamp, "reset did not set the clock back")
        if isinstance(self.env, WorldState):
            _promise(world == self.env.world(), "reset with a seed gave another world than before")
        _promise(self.env.observe().state_id == again.state_id, "reset and observe show different screens")
        self.kept.append("reset repeats for a seed")

    def observing_changes_nothing(self) -> None:
        for _ in self.screens():
            first, again = self.env.observe(), self.env.observe()
            _promise(first == again, "observe changed something: two observations in a row differ")
        self.kept.append("observe changes nothing")

    def screens_are_sound(self) -> None:
        for state in self.screens():
            ids = Counter(e.element_id for e in state.elements)
            _promise(max(ids.values(), default=1) == 1, f"element id {ids.most_common(1)} is given twice in one state")
            width, height = state.screen_resolution
            for e in state.elements:
                _promise(e.parent is None or e.parent in ids, f"{e.element_id} has parent {e.parent}, which is not in the state")
                box = e.bbox if e.visible else None
                inside = box is None or (box.x1 >= 0 and box.y1 >= 0 and box.x2 <= width and box.y2 <= height)
                _promise(inside, f"{e.element_id} is visible and its box {box} is not inside the screen")
            _promise(state.modal is None or state.modal in ids, f"modal {state.modal} is not in the state")
        self.kept.append("element ids are unique, parents exist, visible boxes are on the screen")

    def failures_are_values(self) -> None:
        self.env.reset(seed=SEED)
        before = self.env.observe().state_id
        wrong: tuple[verbs.Action, ...] = (
            verbs.Click(target=ActionTarget(text=_NOWHERE)),
            verbs.Click(target=ActionTarget(element_id=_NOWHERE)),
            verbs.LaunchApp(app=_NOWHERE),
            verbs.FinishGoal(),
        )
        for action in wrong:
            result = self.perform(action)
            _promise(
                result.exec_status is ExecStatus.ERROR, f"{action.verb} of what is not there gave {result.exec_status}, not error"
            )
            _promise(bool(result.error), f"{action.verb} failed without saying why")
        _promise(self.env.observe().state_id == before, "an action that failed changed the screen")
        self.kept.append("an unknown target, an unknown app and an inner action are errors in a result")

    def ambiguity_is_an_error(self) -> None:
        for state in self.screens():
            names = Counter(e.text for e in state.elements if e.text and e.visible and state.modal is None)
            twice = next((name for name, count in names.items() if count > 1), None)
            if twice is None:
                continue
            result = self.perform(verbs.Click(target=ActionTarget(text=twice)))
            ids = [e.element_id for e in state.elements if e.text == twice and e.visible]
            _promise(not result.ok, f"{len(ids)} elements are called {twice!r} and a click on that text was performed")
            _promise(all(i in result.error for i in ids[:2]), f"the error for ambiguous {twice!r} does not name the candidates")
            self.kept.append("an ambiguous text target is an error that names the candidates")
            return

    def a_key_acts_once(self) -> None:
        # typing into a field shows when it is done twice
        able = (e for state in self.screens() if state.modal is None for e in state.elements if e.visible and e.enabled)
        field = next((e for e in able if e.role == "textbox"), None)
        action: verbs.Action = verbs.Wait(seconds=1)
        if field is not None:
            action = verbs.Type(target=ActionTarget(element_id=field.element_id), text="x")
        key = next(self.keys)
        first = self.perform(action, key)
        after = self.env.observe()
        _promise(self.perform(action, key) == first, "a known key did not return the stored result")
        _promise(self.env.observe() == after, "a known key acted a second time")
        if isinstance(self.env, ActionRecord):
            times = sum(1 for line in self.env.received() if line["key"] == key)
            _promise(times == 1, f"received() lists one key {times} times")
        self.kept.append("the same key twice returns the stored result and acts once")
        try:
            self.perform(verbs.Wait(seconds=2.5), key)
        except DigestMismatch:
            _promise(self.env.observe() == after, "a refused key changed the screen")
            self.kept.append("a known key with another action is refused")
        else:
            raise ContractError("a known key with another action was accepted; it raises DigestMismatch")

    def peeking_changes_nothing(self) -> None:
        if not isinstance(self.env, Peek) or not isinstance(self.env, AppCatalog):
            return
        before = self.env.observe()
        for info in self.env.apps():
            self.env.peek(info.app)
        _promise(self.env.observe() == before, "peek changed the screen")
        self.kept.append("peek changes nothing")

    def closing_twice_is_fine(self) -> None:
        try:
            self.env.close()
            self.env.close()
        except Exception as raised:
            raise ContractError(f"closing twice raised {type(raised).__name__} ({raised})") from raised
        self.kept.append("closing twice is fine")


def _promise(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ContractError(otherwise)
