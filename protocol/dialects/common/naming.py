"""What the dialects that name elements share: OpenAdapt's, OmniMCP's and UFO's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from protocol.dialects.common.base import DialectError, Loss
from protocol.dialects.common.conversion import NOTCH, Conversion, cannot, element_of, without_delay
from protocol.model.keys import MODIFIERS, Keyboard, KeyNameError, read_key, split_chord
from protocol.model.targets import ActionTarget
from protocol.model.verbs import (
    Action,
    Click,
    Direction,
    Drag,
    Extension,
    Fill,
    Hover,
    PressKey,
    Scroll,
    SelectOption,
    Type,
    Upload,
)

FARTHEST = 1_000_000
_NEED_A_TARGET = (Click, Hover, Drag, Fill, SelectOption, Upload, Extension)


@dataclass
class Ledger(Conversion):
    """One conversion, by elements."""

    def leave_out(self, target: ActionTarget, kept: Collection[str], why: str, what: str = "target") -> None:
        """A loss for each field of the target that is not kept."""
        names = [name for name in ActionTarget.model_fields if name not in kept and getattr(target, name) is not None]
        self.take(Loss(what=f"{what}.{name}", why=why) for name in names)

    def element_id(self, target: ActionTarget, what: str = "target") -> str:
        """The id of the element that is meant. Raises DialectError where nobody knows which one it is.

        An id that stands alone, or without a state to look it up in, is said as it is.
        """
        given = {name for name in ActionTarget.model_fields if getattr(target, name) is not None}
        if target.element_id is not None and (given == {"element_id"} or self.context.state is None):
            found = target.element_id
        else:
            element = element_of(target, self.context, self.dialect, what)[0]
            if element is None:
                raise DialectError(
                    self.dialect, what, f"there is no element at {target.describe()!r}, and only elements are named"
                )
            found = element.element_id
        self.leave_out(target, {"element_id"}, "only the element is named", what)
        return found

    def one_key(self, action: PressKey) -> tuple[tuple[str, ...], str]:
        """The modifiers and the one key of a chord. Raises DialectError for two keys at once."""
        if set(action.keys[:-1]) - MODIFIERS:
            cannot(self.dialect, action, "a chord is one key and the modifiers before it")
        return action.keys[:-1], action.keys[-1]

    def strokes(self, action: Scroll, unit: Literal["px", "notch"]) -> list[tuple[Direction, int]]:
        """Directions and whole amounts of `unit`; a diagonal is two of them."""
        if action.unit != unit:
            self.lose("scroll.unit", f"a {action.unit} is said in {unit}: {NOTCH} px a notch, the size of the screen a page")
        x, y = self.moved(action, unit)
        if action.unit == unit and (x, y) != (action.delta.x, action.delta.y):
            self.lose("scroll.delta", "said in whole numbers")
        if max(abs(x), abs(y)) > FARTHEST:
            cannot(self.dialect, action, f"a scroll goes no farther than {FARTHEST}")
        return self.ways(x, y)

    def simpler(
        self, action: Action, clicks: Collection[tuple[str, int]], aimed: tuple[type[Action], ...], *, fills: bool = False
    ) -> list[Action]:
        """`action` in verbs that need less; every change is a loss. Of the verbs that need no target, `aimed` may have one."""
        self.take(without_delay(action))
        if isinstance(action, Fill) and not fills:
            self.lose("fill", "said as a click, select all, delete and then typing")
            keys: list[Action] = [PressKey(keys=("Control", "a")), PressKey(keys=("Delete",))]
            typed: list[Action] = [Type(text=action.text)] if action.text else []
            return [Click(target=action.target), *keys, *typed, *self._entered(action)]
        if isinstance(action, Click):
            return self._clicks(action, clicks)
        if action.target is not None and not isinstance(action, (*_NEED_A_TARGET, *aimed)):
            bare = action.model_copy(update={"target": None})
            if isinstance(action, Type | PressKey):
                self.lose(f"{action.verb}.target", "said as a click and then the keys")
                return [Click(target=action.target), *self.simpler(bare, clicks, aimed)]
            self.lose(f"{action.verb}.target", "the verb is said without a target")
            action = bare
        if isinstance(action, Type | Fill) and action.submit:
            return [action.model_copy(update={"submit": False}), *self._entered(action)]
        return [action]

    def _entered(self, action: Type | Fill) -> list[Action]:
        if not action.submit:
            return []
        self.lose(f"{action.verb}.submit", "said as the Enter key afterwards")
        return [PressKey(keys=("Enter",))]

    def _clicks(self, action: Click, clicks: Collection[tuple[str, int]]) -> list[Action]:
        self.drop(action, hold="a click has no length")
        short = action.model_copy(update={"hold": 0.0})
        if (action.button, action.count) in clicks:
            return [short]
        if (action.button, 1) not in clicks:
            cannot(self.dialect, action, f"{self.dialect} has no click of the {action.button} button")
        self.lose("click.count", "said as several single clicks")
        return [short.model_copy(update={"count": 1})] * action.count


def read_keys(dialect: str, where: str, names: Iterable[str], keyboard: Keyboard) -> list[str]:
    """Canonical names; each may be a chord of its own. Raises DialectError."""
    try:
        return [read_key(part, keyboard) for name in names for part in split_chord(name)]
    except KeyNameError as bad:
        raise DialectError(dialect, where, str(bad)) from None
