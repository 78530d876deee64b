"""What dialects are made of: a call of theirs is a row of a table, and an action is said by the method of its verb."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import floor
from typing import Any, ClassVar, NoReturn

from pydantic import ValidationError

from protocol.dialects.common.dialect import Context, DialectError, Loss
from protocol.dialects.common.fields import Fields, at, build, refusing
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.elements import GUIElement
from protocol.model.geometry import Coordinate, Point, Size, Space
from protocol.model.keys import Keyboard, read_key, split_chord, write_key
from protocol.model.targets import ActionTarget, resolve
from protocol.model.verbs import Action, Direction, Extension, Scroll

NOTCH = 120
"""Pixels of one notch of the wheel, as Chromium has it."""


def pixels_in(unit: str, size: Size) -> tuple[int, int]:
    """Pixels across and down of one `px`, `notch` or `page`; a page is as large as the screen."""
    return {"px": (1, 1), "notch": (NOTCH, NOTCH), "page": size}[unit]


def whole(number: float) -> int:
    """The nearest whole number, and at least one where there is something."""
    size = floor(abs(number) + 0.5)
    return (max(size, 1) if number else 0) * (1 if number >= 0 else -1)


FARTHEST = 1_000_000
"""What a coordinate may be at most."""
ONLY_TIME = {"text": "only the time is said", "text_gone": "only the time is said"}
_NAMING = ("track_id", "element_id", "text")
_LOCATORS = (*_NAMING, "bbox", "point", "role", "selector", "description", "state_id")


def place(
    target: ActionTarget, context: Context, space: Space, image: Size | None, dialect: str, what: str = "target"
) -> tuple[Coordinate, list[Loss]]:
    """Where `target` is, in the space that the other side counts in, and what is lost by saying no more than that.

    Raises DialectError when the context does not show where the target is.
    """
    losses: list[Loss] = []
    given = target.point
    extra = [name for name in _NAMES if getattr(target, name) is not None]
    if given is None:
        given = _found(target, context, dialect, what)
    if extra:
        losses.append(Loss(what=f"{what}.{extra[0]}", why="only the place is said, not which element it is"))
    if given.space != "image" and given.image_size is not None:
        losses.append(Loss(what=f"{what}.point.image_size", why="the size of the picture is not said"))
        given = given.model_copy(update={"image_size": None})
    try:
        said = given.to_space(space, context.size, image)
        back = said.to_space(given.space, context.size, given.image_size)
    except ValidationError:
        raise DialectError(dialect, what, f"the place cannot be said in {space}") from None
    if back != given:
        losses.append(Loss(what=f"{what}.point", why=f"rounded to a {space} grid: off by {_off(given, back, context)} px"))
    elif said != given:
        losses.append(Loss(what=f"{what}.point", why=f"said in {space} instead of {given.space}"))
    return said, losses


_NAMES = ("track_id", "element_id", "text", "bbox", "role", "selector", "description", "state_id")


def _found(target: ActionTarget, context: Context, dialect: str, what: str) -> Coordinate:
    if context.state is None:
        if target.bbox is not None:
            return _pixel(*target.bbox.to_px(context.size).center, dialect, what)
        raise DialectError(dialect, what, f"only places can be said, and without a state {target.describe()!r} has none")
    point = element_of(target, context, dialect, what)[1]
    if point is None:
        raise DialectError(dialect, what, f"{target.describe()!r} has no box on the screen")
    return _pixel(*point, dialect, what)


def _pixel(x: int, y: int, dialect: str, what: str) -> Coordinate:
    try:
        return Coordinate(x=x, y=y)
    except ValidationError:
        raise DialectError(dialect, what, f"the place {x}, {y} is too far away") from None


def element_of(
    target: ActionTarget, context: Context, dialect: str, what: str = "target"
) -> tuple[GUIElement | None, Point | None]:
    """The element of the state that `target` means, and its pixel. Raises DialectError for none or several."""
    if context.state is None:
        raise DialectError(dialect, what, f"a state is needed to find {target.describe()!r}")
    with refusing(dialect, what):
        resolved = resolve(target, context.state)
    return context.state.by_id.get(resolved.element_id), resolved.point


def _off(one: Coordinate, other: Coordinate, context: Context) -> int:
    a, b = one.to_px(context.size), other.to_px(context.size)
    return max(abs(a.x - b.x), abs(a.y - b.y))


def dropped(action: Action, **why: str) -> list[Loss]:
    """A loss for each of these fields that says something the other side cannot say."""
    fields = type(action).model_fields
    return [
        Loss(what=f"{action.verb}.{name}", why=reason)
        for name, reason in why.items()
        if name in fields and getattr(action, name) != fields[name].get_default(call_default_factory=True)
    ]


AIMED = frozenset({"click", "mouse_down", "mouse_up", "hover", "drag", "scroll", "type", "fill", "press_key", "hold_key"})
"""Verbs whose target most dialects can say."""


def without_delay(action: Action) -> list[Loss]:
    """No dialect has a delay in front of an action."""
    return [] if action.delay is None else [Loss(what="delay", why="there is no delay before an action")]


def cannot(dialect: str, action: Action, why: str = "") -> NoReturn:
    """The other side has no such verb, and nothing that comes near."""
    raise DialectError(dialect, action.verb, why or f"{dialect} has no {action.verb.replace('_', ' ')}")


@dataclass
class Conversion:
    """One conversion: for whom, what is known of the screen, and what was lost so far."""

    dialect: str
    context: Context
    losses: list[Loss] = field(default_factory=list, kw_only=True)

    def lose(self, what: str, why: str) -> None:
        self.take([Loss(what=what, why=why)])

    def take(self, losses: Iterable[Loss]) -> None:
        """Losses that somebody else has found; each is declared once."""
        for loss in losses:
            if loss not in self.losses:
                self.losses.append(loss)

    def drop(self, action: Action, **why: str) -> None:
        """A loss for each of these fields that says something."""
        self.take(dropped(action, **why))

    def refuse(self, where: str, message: str) -> NoReturn:
        raise DialectError(self.dialect, where, message)

    def cannot(self, action: Action, why: str = "") -> NoReturn:
        """The other side has no such verb, and nothing that comes near."""
        self.refuse(action.verb, why or f"{self.dialect} has no {action.verb.replace('_', ' ')}")

    def names(self, action: Action, keys: Iterable[str], keyboard: Keyboard) -> list[str]:
        """How `keyboard` spells the keys. Raises DialectError for one that it lacks."""
        return [write_key(key, keyboard) or self.cannot(action, f"{self.dialect} has no key {key}") for key in keys]

    def ways(self, x: int, y: int) -> list[tuple[Direction, int]]:
        """Directions and amounts: a diagonal is two of them."""
        if x and y:
            self.lose("scroll.delta", "a diagonal is said as two scrolls, first down or up")
        across: list[tuple[Direction, int]] = [("right" if x > 0 else "left", abs(x))] if x else []
        down: list[tuple[Direction, int]] = [("up" if y < 0 else "down", abs(y))] if y or not x else []
        return down + across

    def way(self, action: Scroll, amount: float, unit: str) -> Direction:
        """The way a scroll goes, for those who say no more; there it always goes `amount` of `unit`. Raises DialectError."""
        x, y = action.delta.x, action.delta.y
        if not x and not y:
            self.cannot(action, "a scroll by nothing has no direction")
        self.drop(action, modifiers="no keys are held while scrolling")
        if x and y:
            self.lose("scroll.delta", "only one direction is said")
        across = abs(x) > abs(y)
        if (abs(x if across else y), action.unit) != (amount, unit):
            self.lose("scroll.delta", f"how far is not said: there it is always {amount:g} {unit}")
        return ("right" if x > 0 else "left") if across else ("down" if y > 0 else "up")

    def moved(self, action: Scroll, unit: str, parts: int = 1) -> tuple[int, int]:
        """How far to the right and down, in whole parts of `unit`; at least one where it moves at all."""
        here, there = pixels_in(action.unit, self.context.size), pixels_in(unit, self.context.size)
        return whole(action.delta.x * (here[0] / there[0]) * parts), whole(action.delta.y * (here[1] / there[1]) * parts)

    def place(self, target: ActionTarget, what: str = "target", space: Space = "px", image: Size | None = None) -> Coordinate:
        """Where `target` is, in the space that the other side counts in."""
        said, losses = place(target, self.context, space, image, self.dialect, what)
        self.take(losses)
        return said

    def near(
        self, target: ActionTarget, what: str = "target", space: Space = "px", image: Size | None = None, *, whole: bool = True
    ) -> Coordinate:
        """Where `target` is, if that is not too far away; in whole numbers where the other side counts in those."""
        said, losses = place(target, self.context, space, image, self.dialect, what)
        if said.image_size is not None and space != "image":
            losses.append(Loss(what=f"{what}.point.image_size", why="the size of the picture is not said"))
            said = said.model_copy(update={"image_size": None})
        if max(abs(said.x), abs(said.y)) > FARTHEST:
            self.refuse(what, f"the place is more than {FARTHEST} pixels away")
        rounded = said.model_copy(update={"x": floor(said.x + 0.5), "y": floor(said.y + 0.5)}) if whole else said
        if rounded != said and not losses:
            losses.append(Loss(what=f"{what}.point", why="said in whole numbers"))
        self.take(losses)
        return rounded

    def element_id(self, target: ActionTarget, what: str = "target") -> str | None:
        """The id of the element that `target` names; None where it only names a place.

        An id that stands alone, or without a state to look it up in, is said as it is.
        Raises DialectError where the target names no element of the state, or several.
        """
        given = [name for name in _LOCATORS if getattr(target, name) is not None]
        if not any(name in _NAMING for name in given):
            return None
        found = target.element_id if given == ["element_id"] or self.context.state is None else None
        if found is None:
            element = element_of(target, self.context, self.dialect, what)[0]
            if element is None:
                return None
            found = element.element_id
        lost = (name for name in given if name != "element_id")
        self.take(Loss(what=f"{what}.{name}", why="only the id of the element is said") for name in lost)
        return found

    def chord(self, action: Action, keys: tuple[str, ...], keyboard: Keyboard, separator: str = "+") -> str:
        """The keys as `keyboard` spells them. Raises DialectError where it lacks one or the spelling would be read as another."""
        names = [write_key(key, keyboard) or self.cannot(action, f"there is no key {key!r}") for key in keys]
        said = separator.join(names)
        try:
            exact = read_chord(said, keyboard, self.dialect, action.verb, separator) == keys
        except DialectError:
            exact = False
        return said if exact else self.cannot(action, f"the chord {said!r} would be read as another")


@dataclass
class Reading(Conversion):
    """A payload that is read call by call; `fields` are those of the call that is read now."""

    fields: Fields = field(init=False)

    def build(self, verb: str, blame: str = "", **values: Any) -> AgentAction:
        """The action of these values; `blame` is the field that is at fault where they are refused."""
        return build(self.dialect, f"{self.fields.where}.{blame}" if blame else self.fields.where, action_type=verb, **values)

    def at(self, x: str = "x", y: str = "y", blame: str = "") -> ActionTarget:
        """The pixel in two fields."""
        where = f"{self.fields.where}.{blame}" if blame else self.fields.where
        return at(self.fields.number(x), self.fields.number(y), "px", None, self.dialect, where)

    def key(self, keys: tuple[str, ...], name: str = "key", why: str = "one key is needed, not a chord") -> str:
        """The one key of a chord in the field `name`."""
        return keys[0] if len(keys) == 1 else self.fields.refuse(name, why)


def row(verb: str, blame: str = "", **values: Any) -> Callable[[Any], Any]:
    """A call that is `verb`. A value that can be called takes its own from the reading; the name of the call says any other."""
    return lambda r: r.build(verb, blame, **{name: value(r) if callable(value) else value for name, value in values.items()})


def given(name: str, *default: Any, kind: str = "text", **how: Any) -> Callable[[Any], Any]:
    """What stands in the field `name` of a call: a text, or what else `Fields` reads."""
    return lambda r: getattr(r.fields, kind)(name, *default, **how)


_NEED_A_TARGET = frozenset({"click", "hover", "drag", "fill", "select_option", "upload"})


class Writing(Conversion):
    """An action on its way to a payload: the method of its verb says it in calls, `extension` that of somebody else's."""

    lost: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """By verb: fields that are not said, and why."""
    aimed: ClassVar[frozenset[str]] = AIMED
    """Verbs whose target can be said."""
    no_target: ClassVar[str] = ""
    """Why that of any other is not, where nothing else tells it."""
    in_words: ClassVar[str] = ""
    """Why a verb that never reaches the environment is not said."""

    def call(self, name: str, /, **arguments: Any) -> Any:
        """A call in the form of the dialect."""
        return name, arguments

    def said(self, action: Action) -> Any:
        """The calls that say `action`. Raises DialectError for a verb that the other side lacks."""
        say = getattr(self, "extension" if isinstance(action, Extension) else action.verb, None)
        if say is None:
            self.cannot(action, self.in_words if action.inner else "")
        if self.no_target and action.verb not in self.aimed:
            self.drop(action, target=self.no_target)
        self.drop(action, **self.lost.get(action.verb, {}))
        return say(action)

    def simpler(
        self,
        action: Action,
        clicks: Collection[tuple[str, int]],
        can: Collection[str] = (),
        aimed: Collection[str] = ("scroll", "mouse_down", "mouse_up"),
    ) -> list[Action]:
        """`action` in verbs that need less of the other side, which has these `clicks` as verbs; every change is a loss.

        What else it `can`: `fill` a field, `submit` what it types at once, `hold` a click for a while, `press` a button without
        releasing it (`press left` only the left one), and press keys around what is done with `modifiers`. Of the verbs that
        need no target, those that are `aimed` may have one.
        """
        self.take(without_delay(action))
        if isinstance(action, verbs.Fill) and "fill" not in can:
            self.lose("fill", "said as a click, select all, delete and then typing")
            cleared = [verbs.PressKey(keys=keys) for keys in (("Control", "a"), ("Backspace",))]
            typed = self._typed(verbs.Type(text=action.text, submit=action.submit), can, "fill")
            return [verbs.Click(target=action.target), *cleared, *(each for each in typed if each != verbs.Type(text=""))]
        if (
            action.target is not None
            and action.verb not in _NEED_A_TARGET
            and action.verb not in aimed
            and not isinstance(action, Extension)
        ):
            bare = action.model_copy(update={"target": None})
            if isinstance(action, verbs.Type | verbs.PressKey | verbs.HoldKey):
                self.lose(f"{action.verb}.target", "said as a click and then the keys")
                return [verbs.Click(target=action.target), *self.simpler(bare, clicks, can, aimed)]
            self.lose(f"{action.verb}.target", "the verb is said without a target")
            action = bare
        if "modifiers" in can and (keys := getattr(action, "modifiers", ())):
            self.lose(f"{action.verb}.modifiers", "said as keys that go down before it and come up after it")
            bare = action.model_copy(update={"modifiers": ()})
            return self._around(keys, self.simpler(bare, clicks, can, aimed))
        if isinstance(action, verbs.HoldKey) and not hasattr(self, "hold_key") and hasattr(self, "key_down"):
            self.lose("hold_key", "said as keys that go down, a wait, and keys that come up")
            return self._around(action.keys, [verbs.Wait(seconds=action.seconds)])
        if isinstance(action, verbs.Click):
            return self._clicks(action, clicks, can)
        return self._typed(action, can, action.verb) if isinstance(action, verbs.Type | verbs.Fill) else [action]

    def _typed(self, action: verbs.Type | verbs.Fill, can: Collection[str], verb: str) -> list[Action]:
        if not action.submit or "submit" in can:
            return [action]
        self.lose(f"{verb}.submit", "said as the Enter key afterwards")
        return [action.model_copy(update={"submit": False}), verbs.PressKey(keys=("Enter",))]

    @staticmethod
    def _around(keys: tuple[str, ...], inner: list[Action]) -> list[Action]:
        return [*(verbs.KeyDown(key=key) for key in keys), *inner, *(verbs.KeyUp(key=key) for key in reversed(keys))]

    def _clicks(self, action: verbs.Click, clicks: Collection[tuple[str, int]], can: Collection[str]) -> list[Action]:
        button = action.button
        if (button, 1) not in clicks:
            self.cannot(action, f"{self.dialect} has no click of the {button} button")
        if action.hold and "hold" in can and (button, action.count, action.modifiers) == ("left", 1, ()):
            return [action]
        if action.hold and ("press" in can or (button == "left" and "press left" in can)):
            self.lose("click.hold", "said as a press, a wait and a release")
            pressed = [verbs.MouseDown(button=button), verbs.Wait(seconds=action.hold), verbs.MouseUp(button=button)]
            return [verbs.Hover(target=action.target), *pressed * action.count]
        self.drop(action, hold="a click has no length")
        if (button, action.count) in clicks:
            return [action.model_copy(update={"hold": 0.0})]
        self.lose("click.count", "said as several single clicks")
        return [action.model_copy(update={"count": 1, "hold": 0.0})] * action.count


def says(name: str, *same: str, **renamed: str) -> Callable[[Any, Any], list[Any]]:
    """Says a verb as one call, with fields of the action under the same names or others."""
    fields = {**dict.fromkeys(same), **renamed}
    return lambda w, a: [w.call(name, **{theirs: getattr(a, ours or theirs) for theirs, ours in fields.items()})]


def positional(name: str, *fields: str) -> Callable[[Any, Any], list[Any]]:
    """Says a verb as one call, with fields of the action in that order."""
    return lambda w, a: [w.call(name, *(getattr(a, field) for field in fields))]


def read_chord(text: str, keyboard: Keyboard, dialect: str, where: str, separator: str = "+") -> tuple[str, ...]:
    """The canonical keys of a chord. Raises DialectError for a name that no keyboard has."""
    with refusing(dialect, where):
        keys = tuple(read_key(part, keyboard) for part in split_chord(text, separator))
    if not keys:
        raise DialectError(dialect, where, "the chord has no keys")
    return keys
