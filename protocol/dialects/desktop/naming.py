"""What the dialects that name elements share: OpenAdapt's, OmniMCP's and UFO's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from protocol.dialects.common.base import Loss
from protocol.dialects.common.conversion import FARTHEST, NOTCH, Writing, element_of
from protocol.dialects.common.fields import refusing
from protocol.model import verbs
from protocol.model.keys import MODIFIERS, Keyboard, read_key, split_chord
from protocol.model.targets import ActionTarget


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


def read_keys(dialect: str, where: str, names: Iterable[str], keyboard: Keyboard) -> list[str]:
    """Canonical names; each may be a chord of its own. Raises DialectError."""
    with refusing(dialect, where):
        return [read_key(part, keyboard) for name in names for part in split_chord(name)]
