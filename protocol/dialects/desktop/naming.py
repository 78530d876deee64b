"""What the dialects that name elements share: OpenAdapt's, OmniMCP's and UFO's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from protocol.dialects.common.base import Loss
from protocol.dialects.common.conversion import FARTHEST, NOTCH, Writing, element_of, without_delay
from protocol.dialects.common.fields import refusing
from protocol.model import verbs
from protocol.model.keys import MODIFIERS, Keyboard, read_key, split_chord
from protocol.model.targets import ActionTarget

_NEED_A_TARGET = (
    verbs.Click, verbs.Hover, verbs.Drag, verbs.Fill, verbs.SelectOption, verbs.Upload, verbs.Extension,
)  # fmt: skip


@dataclass
class Ledger(Writing):
    """One conversion, by elements."""

    def leave_out(self, target: ActionTarget, kept: Collection[str], why: str, what: str = "target") -> None:
        """A loss for each field of the target that is not kept."""
        names = [name for name in ActionTarget.model_fields if name not in kept and getattr(target, name) is not None]
        self.take(Loss(what=f"{what}.{name}", why=why) for name in names)

    def element(self, target: ActionTarget, what: str = "target") -> str:
        """The id of the element that is meant. Raises DialectError where nobody knows which one it is.

        An id that stands alone, or without a state to look it up in, is said as it is.
        """
        given = {name for name in ActionTarget.model_fields if getattr(target, name) is not None}
        found = target.element_id if given == {"element_id"} or self.context.state is None else None
        if found is None:
            element = element_of(target, self.context, self.dialect, what)[0]
            if element is None:
                self.refuse(what, f"there is no element at {target.describe()!r}, and only elements are named")
            found = element.element_id
        self.leave_out(target, {"element_id"}, "only the element is named", what)
        return found

    def one_key(self, action: verbs.PressKey) -> tuple[tuple[str, ...], str]:
        """The modifiers and the one key of a chord. Raises DialectError for two keys at once."""
        if set(action.keys[:-1]) - MODIFIERS:
            self.cannot(action, "a chord is one key and the modifiers before it")
        return action.keys[:-1], action.keys[-1]

    def strokes(self, action: verbs.Scroll, unit: Literal["px", "notch"]) -> list[tuple[verbs.Direction, int]]:
        """Directions and whole amounts of `unit`; a diagonal is two of them."""
        if action.unit != unit:
            self.lose("scroll.unit", f"a {action.unit} is said in {unit}: {NOTCH} px a notch, the size of the screen a page")
        x, y = self.moved(action, unit)
        if action.unit == unit and (x, y) != (action.delta.x, action.delta.y):
            self.lose("scroll.delta", "said in whole numbers")
        if max(abs(x), abs(y)) > FARTHEST:
            self.cannot(action, f"a scroll goes no farther than {FARTHEST}")
        return self.ways(x, y)

    def simpler(
        self,
        action: verbs.Action,
        clicks: Collection[tuple[str, int]],
        aimed: tuple[type[verbs.Action], ...],
        *,
        fills: bool = False,
    ) -> list[verbs.Action]:
        """`action` in verbs that need less; every change is a loss. Of the verbs that need no target, `aimed` may have one."""
        self.take(without_delay(action))
        if isinstance(action, verbs.Fill) and not fills:
            self.lose("fill", "said as a click, select all, delete and then typing")
            keys = [verbs.PressKey(keys=("Control", "a")), verbs.PressKey(keys=("Delete",))]
            typed = [verbs.Type(text=action.text)] if action.text else []
            return [verbs.Click(target=action.target), *keys, *typed, *self._entered(action)]
        if isinstance(action, verbs.Click):
            self.drop(action, hold="a click has no length")
            short = action.model_copy(update={"hold": 0.0})
            if (action.button, action.count) in clicks:
                return [short]
            if (action.button, 1) not in clicks:
                self.cannot(action, f"{self.dialect} has no click of the {action.button} button")
            self.lose("click.count", "said as several single clicks")
            return [short.model_copy(update={"count": 1})] * action.count
        if action.target is not None and not isinstance(action, (*_NEED_A_TARGET, *aimed)):
            bare = action.model_copy(update={"target": None})
            if isinstance(action, verbs.Type | verbs.PressKey):
                self.lose(f"{action.verb}.target", "said as a click and then the keys")
                return [verbs.Click(target=action.target), *self.simpler(bare, clicks, aimed)]
            self.lose(f"{action.verb}.target", "the verb is said without a target")
            action = bare
        if isinstance(action, verbs.Type | verbs.Fill) and action.submit:
            return [action.model_copy(update={"submit": False}), *self._entered(action)]
        return [action]

    def _entered(self, action: verbs.Type | verbs.Fill) -> list[verbs.Action]:
        if not action.submit:
            return []
        self.lose(f"{action.verb}.submit", "said as the Enter key afterwards")
        return [verbs.PressKey(keys=("Enter",))]


def read_keys(dialect: str, where: str, names: Iterable[str], keyboard: Keyboard) -> list[str]:
    """Canonical names; each may be a chord of its own. Raises DialectError."""
    with refusing(dialect, where):
        return [read_key(part, keyboard) for name in names for part in split_chord(name)]
