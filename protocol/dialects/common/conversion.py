"""What dialects are made of: a table of calls, each read and written by one row, and actions that are said in simpler ones."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import floor
from typing import Any, ClassVar, NoReturn

from pydantic import ValidationError

from protocol.dialects.common.dialect import Context, DialectError, Loss, NothingDone, ParsedPayload
from protocol.dialects.common.fields import Fields, at, build, each_of, read_chord, refusing
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.elements import GUIElement
from protocol.model.geometry import Coordinate, JsonObject, Point, Size, Space
from protocol.model.keys import MODIFIERS, Keyboard, write_key
from protocol.model.targets import ActionTarget, resolve
from protocol.model.verbs import Action, Direction, Scroll

NOTCH = 120
"""Pixels of one notch of the wheel, as Chromium has it."""
FARTHEST = 1_000_000
"""What a coordinate may be at most."""
WAYS = ("up", "down", "left", "right")


def pixels_in(unit: str, size: Size) -> tuple[int, int]:
    """Pixels across and down of one `px`, `notch` or `page`; a page is as large as the screen."""
    return {"px": (1, 1), "notch": (NOTCH, NOTCH), "page": size}[unit]


def whole(number: float) -> int:
    """The nearest whole number, and at least one where there is something."""
    size = floor(abs(number) + 0.5)
    return (max(size, 1) if number else 0) * (1 if number >= 0 else -1)


def given_in(target: ActionTarget) -> list[str]:
    """The names of what a target says."""
    return [name for name in ActionTarget.model_fields if getattr(target, name) is not None]


def element_of(
    target: ActionTarget, context: Context, dialect: str, what: str = "target"
) -> tuple[GUIElement | None, Point | None]:
    """The element of the state that `target` means, and its pixel. Raises DialectError for none or several."""
    if context.state is None:
        raise DialectError(dialect, what, f"a state is needed to find {target.describe()!r}")
    with refusing(dialect, what):
        resolved = resolve(target, context.state)
    return context.state.by_id.get(resolved.element_id), resolved.point


def place(
    target: ActionTarget, context: Context, space: Space, image: Size | None, dialect: str, what: str = "target"
) -> Coordinate:
    """Where `target` is, in the space that the other side counts in.

    Raises DialectError when the context does not show where the target is.
    """
    given = target.point
    try:
        if given is None:
            pixel: Point | None = None
            if context.state is not None:
                pixel = element_of(target, context, dialect, what)[1]
            elif target.bbox is not None:
                pixel = target.bbox.to_px(context.size).center
            if pixel is None:
                named = target.describe()
                why = f"{named!r} has no box on the screen" if context.state else f"without a state {named!r} has none"
                raise DialectError(dialect, what, f"only places can be said, and {why}")
            given = Coordinate(x=pixel.x, y=pixel.y)
        if given.space != "image":
            given = given.model_copy(update={"image_size": None})
        return given.to_space(space, context.size, image)
    except ValidationError:
        raise DialectError(dialect, what, f"the place cannot be said in {space}") from None


@dataclass
class Conversion:
    """One conversion: for whom, what is known of the screen, and what was lost so far."""

    dialect: str
    context: Context
    variant: str = field(default="", kw_only=True)
    """Of the dialect, that is spoken."""
    losses: list[Loss] = field(default_factory=list, kw_only=True)

    def lose(self, what: str, why: str) -> None:
        loss = Loss(what=what, why=why)
        if loss not in self.losses:
            self.losses.append(loss)

    def refuse(self, where: str, message: str) -> NoReturn:
        raise DialectError(self.dialect, where, message)


@dataclass
class Reading(Conversion):
    """A payload that is read call by call; `fields` are those of the call that is read now."""

    nothing: ClassVar[str] = "there is no call in it"
    """Why a payload without an action is refused."""
    empty: ClassVar[type[DialectError]] = NothingDone
    """The error which says that; NothingDone where such a payload may stand in a log."""
    fields: Fields = field(init=False)
    actions: list[AgentAction] = field(default_factory=list, kw_only=True)
    """Those that were read so far."""

    def build(self, verb: str, blame: str = "", **values: Any) -> AgentAction:
        """The action of these values; `blame` is the field that is at fault where they are refused."""
        return build(self.dialect, f"{self.fields.where}.{blame}" if blame else self.fields.where, action_type=verb, **values)

    def theirs(self, verb: str, where: str = "", target: Any = None, **arguments: Any) -> AgentAction:
        """A verb that we lack, carried; arguments that are None say nothing."""
        said = {name: value for name, value in arguments.items() if value is not None}
        kind = f"x-{self.dialect}.{verb}"
        return build(self.dialect, where or self.fields.where, action_type=kind, target=target, arguments=said)

    def at(self, x: str = "x", y: str = "y", blame: str = "") -> ActionTarget:
        """The pixel in two fields."""
        where = f"{self.fields.where}.{blame}" if blame else self.fields.where
        return at(self.fields.number(x), self.fields.number(y), "px", None, self.dialect, where)

    def key(self, keys: tuple[str, ...], name: str = "key", why: str = "one key is needed, not a chord") -> str:
        """The one key of a chord in the field `name`."""
        return keys[0] if len(keys) == 1 else self.fields.refuse(name, why)

    def read(self, table: "Table", name: str, where: str = "", noun: str = "action") -> list[AgentAction]:
        """The actions of the call `name`. Raises DialectError, in the field `where`, for one that is not in the table."""
        if name not in table:
            self.fields.refuse(where, f"there is no {noun} {name[:60]!r}; {noun}s are {', '.join(table)}")
        return self.acted(table[name])

    def acted(self, read: Callable[[Any], Any]) -> list[AgentAction]:
        """The actions of the call that is read now. Raises DialectError for a field that is left over."""
        actions = read(self)
        self.fields.end()
        return actions if isinstance(actions, list) else [actions]

    def parsed(self, payload: Any) -> ParsedPayload:
        """What is done in a payload, or in each of a list. Raises DialectError."""
        for each, where in each_of(payload):
            self.take(each, where)
        if not self.actions:
            raise self.empty(self.dialect, "$", self.nothing)
        return ParsedPayload(self.actions, self.losses)

    def take(self, payload: Any, where: str) -> None:
        """Read one payload, which stands there: what is done in it is added to the actions. One that only reads single calls
        refuses it."""
        self.refuse(where, self.nothing)


@dataclass(frozen=True)
class Part:
    """A value of a call, in both directions."""

    read: Callable[[Any], Any]
    """Takes it from a Reading."""
    write: Callable[[Any, Any], JsonObject | None]
    """Gives the arguments that say it, from a Writing and the value; None where this call cannot say it."""

    def __call__(self, reading: Any) -> Any:
        return self.read(reading)


@dataclass(frozen=True)
class Row:
    """A call that is a verb of ours. A value is a Part, a constant, or any function of the reading: then it is only read."""

    verb: str
    blame: str
    values: Mapping[str, Any]
    always: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that every such call has."""

    def __call__(self, r: Any) -> AgentAction:
        values = {name: value(r) if callable(value) else value for name, value in self.values.items()}
        action: AgentAction = r.build(self.verb, self.blame, **values)
        return action

    def arguments(self, writing: Any, action: Action) -> JsonObject | None:
        """How the call says this action, but for what it has no argument for; None where it means another."""
        said: JsonObject = dict(self.always)
        usual = {name: value for name, value in _WHICH.items() if hasattr(action, name) and name not in self.values}
        for name, value in (*usual.items(), *self.values.items()):
            if isinstance(value, Part):
                written = value.write(writing, getattr(action, name))
                if written is None:
                    return None
                said |= written
            elif callable(value) or getattr(action, name, None) != value:
                return None
        return said


class Choice:
    """A call that is one verb or another by its argument `name`; of several values for one verb the first is written.

    The `usual` value, where there is one, is not written.
    """

    def __init__(self, name: str, rows: Mapping[str, Row], *usual: str) -> None:
        self.name = name
        self.rows = {value: replace(entry, always={} if value in usual else {name: value}) for value, entry in rows.items()}
        self._usual = usual

    def __call__(self, r: Any) -> AgentAction:
        return self.rows[r.fields.choice(self.name, tuple(self.rows), *self._usual)](r)


_WHICH = {"button": "left", "count": 1, "op": ""}
"""Fields that make another thing of an action: a call that does not say them means these."""
Table = Mapping[str, Callable[[Any], Any]]
"""The calls of a dialect by name. What is not a Row is only read. Of several rows that say an action the first one is written."""


def row(verb: str, blame: str = "", **values: Any) -> Row:
    """A call that is `verb`; `blame` is the field that is at fault where an action is refused."""
    return Row(verb, blame, values)


def given(name: str, *default: Any, kind: str = "text", always: bool = False, **how: Any) -> Part:
    """What stands in the field `name` of a call: a text, or what else `Fields` reads. A default is written only if `always`."""
    choices, usual = (default[:1], default[1:]) if kind == "choice" else ((), default)

    def write(_writing: Any, value: Any) -> JsonObject | None:
        if not always and (value is None or value in usual):
            return {}
        return None if choices and value not in choices[0] else {name: value}

    return Part(lambda r: getattr(r.fields, kind)(name, *choices, *usual, **how), write)


_NEED_A_TARGET = frozenset({"click", "hover", "drag", "fill", "select_option", "upload"})
_TYPING = frozenset({"type", "press_key", "hold_key"})


@dataclass
class Writing(Conversion):
    """An action on its way to a payload: a row of the table says it, or the method of its verb, in calls."""

    table: ClassVar[Table] = {}
    can: ClassVar[frozenset[str]] = frozenset()
    """What is said at once: `fill` a field; `submit` what is typed; `hold` a click; a `path` of a drag. What is said by parts:
    `press` any button and release it (or `press left` only that); `modifiers` as keys around what is done with them; `drag` as a
    press, moves and a release; keys that are held as a mere `tap`."""
    aimed: ClassVar[frozenset[str]] = frozenset({"scroll", "mouse_down", "mouse_up"})
    """Verbs that need no target and can say one."""
    moved: ClassVar[frozenset[str]] = frozenset()
    """Verbs whose target is said as a move before them."""
    verb_field: ClassVar[str] = "action"
    drags: ClassVar[Collection[str]] = ("left",)
    """Buttons that a drag can hold."""

    def call(self, name: str, /, **arguments: Any) -> Any:
        """A call in the form of the dialect: an object whose field `verb_field` is the name, unless it has another form."""
        return {self.verb_field: name, **arguments}

    def names(self) -> Collection[str]:
        """The calls of the table that are written."""
        return self.table

    def rows(self, verb: str) -> Iterator[tuple[str, Row]]:
        for name in self.names():
            entry = self.table.get(name)
            found = entry.rows.values() if isinstance(entry, Choice) else [entry]
            yield from ((name, one) for one in found if isinstance(one, Row) and one.verb == verb)

    @property
    def clicks(self) -> Collection[tuple[str, int]]:
        """Buttons and counts that a click may have."""
        return {(entry.values.get("button", "left"), entry.values.get("count", 1)) for _, entry in self.rows("click")}

    def has(self, verb: str) -> bool:
        return hasattr(self, verb) or next(self.rows(verb), None) is not None

    def cannot(self, action: Action, why: str = "") -> NoReturn:
        """The other side has no such verb, and nothing that comes near."""
        self.refuse(action.verb, why or f"{self.dialect} has no {action.verb.replace('_', ' ')}")

    def calls(self, action: Action) -> list[Any]:
        """The calls that say `action`. Raises DialectError for what the other side cannot say."""
        return [call for step in self.simpler(action) for call in self.said(step)]

    def payload(self, action: Action) -> Any:
        """What says `action`: lines of text, a call, or a list of several."""
        said = self.calls(action)
        if said and all(isinstance(call, str) for call in said):
            return "\n".join(said)
        return said[0] if len(said) == 1 else said

    def said(self, action: Action) -> list[Any]:
        """The calls of an action that is simple enough."""
        if isinstance(action, verbs.Extension):
            return self.extension(action)
        say = getattr(self, action.verb, None)
        if say is not None:
            calls: list[Any] = say(action)
            return calls
        rows = list(self.rows(action.verb))
        for name, entry in rows:
            arguments = entry.arguments(self, action)
            if arguments is not None:
                return [self.call(name, **arguments)]
        self.cannot(action, f"{self.dialect} has no such {action.verb.replace('_', ' ')}" if rows else "")

    def extension(self, action: verbs.Extension) -> list[Any]:
        """A verb that was carried. That it could have been read so is seen when it is read back."""
        owner, _, name = action.action_type.partition(".")
        if owner != f"x-{self.dialect}" or (self.table and name not in self.names()):
            self.cannot(action)
        aim = {} if action.target is None else self.aim(action.target)
        return [self.call(name, **{**aim, **action.arguments})]

    def aim(self, target: ActionTarget | None, what: str = "target") -> JsonObject:
        """The arguments that say where; none where the verb has no place."""
        return {}

    def simpler(self, action: Action) -> list[Action]:
        """`action` in verbs that need less of the other side."""
        bare = action.model_copy(update={"target": None})
        if isinstance(action, verbs.Fill) and "fill" not in self.can:
            cleared = [verbs.PressKey(keys=keys) for keys in (("Control", "a"), ("Backspace",))]
            typed = self.simpler(verbs.Type(text=action.text, submit=action.submit))
            return [verbs.Click(target=action.target), *cleared, *(each for each in typed if each != verbs.Type(text=""))]
        if "modifiers" in self.can and (keys := getattr(action, "modifiers", ())):
            return self.around(keys, self.simpler(action.model_copy(update={"modifiers": ()})))
        if (
            action.target is not None
            and action.verb not in _NEED_A_TARGET | self.aimed
            and not isinstance(action, verbs.Extension)
        ):
            if action.verb in _TYPING:
                return [verbs.Click(target=action.target), *self.simpler(bare)]
            before = [verbs.Hover(target=action.target)] if action.verb in self.moved else []
            return [*before, *self.simpler(bare)]
        if isinstance(action, verbs.HoldKey) and not self.has("hold_key") and self.has("key_down"):
            return self.around(action.keys, [verbs.Wait(seconds=action.seconds)])
        if isinstance(action, verbs.HoldKey) and "tap" in self.can:
            return [verbs.PressKey(keys=action.keys)]
        if isinstance(action, verbs.Click):
            return self.in_clicks(action)
        if isinstance(action, verbs.Drag) and "drag" in self.can and (action.path or action.button not in self.drags):
            return self.by_hand(action)
        if isinstance(action, verbs.Type | verbs.Fill) and action.submit and "submit" not in self.can:
            return [action.model_copy(update={"submit": False}), verbs.PressKey(keys=("Enter",))]
        return [action]

    @staticmethod
    def around(keys: tuple[str, ...], inner: list[Action]) -> list[Action]:
        """What is done while keys are down."""
        return [*(verbs.KeyDown(key=key) for key in keys), *inner, *(verbs.KeyUp(key=key) for key in reversed(keys))]

    @staticmethod
    def by_hand(action: verbs.Drag) -> list[Action]:
        """A drag as a press, moves and a release."""
        moves = [verbs.Hover(target=target) for target in (*(ActionTarget(point=point) for point in action.path), action.to)]
        down, up = verbs.MouseDown(button=action.button), verbs.MouseUp(button=action.button)
        return [verbs.Hover(target=action.target), down, *moves, up]

    def in_clicks(self, action: verbs.Click) -> list[Action]:
        """A click in those that there are."""
        button = action.button
        if (button, 1) not in self.clicks:
            self.cannot(action, f"{self.dialect} has no click of the {button} button")
        if action.hold and "hold" in self.can and (button, action.count, action.modifiers) == ("left", 1, ()):
            return [action]
        if action.hold and ("press" in self.can or (button == "left" and "press left" in self.can)):
            pressed = [verbs.MouseDown(button=button), verbs.Wait(seconds=action.hold), verbs.MouseUp(button=button)]
            return [verbs.Hover(target=action.target), *pressed * action.count]
        if (button, action.count) in self.clicks:
            return [action.model_copy(update={"hold": 0.0})]
        return [action.model_copy(update={"count": 1, "hold": 0.0})] * action.count

    def key_names(self, keys: Iterable[str], keyboard: Keyboard) -> list[str]:
        """How `keyboard` spells the keys. Raises DialectError for one that it lacks."""
        return [write_key(key, keyboard) or self.refuse("keys", f"{self.dialect} has no key {key}") for key in keys]

    def chord(self, keys: tuple[str, ...], keyboard: Keyboard, separator: str = "+") -> str:
        """The keys as `keyboard` spells them. Raises DialectError where the spelling would be read as another chord."""
        said = separator.join(self.key_names(keys, keyboard))
        try:
            exact = read_chord(said, keyboard, self.dialect, "keys", separator) == keys
        except DialectError:
            exact = False
        return said if exact else self.refuse("keys", f"the chord {said!r} would be read as another")

    def one_key(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        """A chord, if it is one key and the modifiers before it. Raises DialectError for two keys at once."""
        return keys if not set(keys[:-1]) - MODIFIERS else self.refuse("keys", "a chord is one key and the modifiers before it")

    def way(self, action: Scroll) -> Direction:
        """The way a scroll goes, for those who say no more. Raises DialectError."""
        x, y = action.delta.x, action.delta.y
        if not x and not y:
            self.cannot(action, "a scroll by nothing has no direction")
        return ("right" if x > 0 else "left") if abs(x) > abs(y) else ("down" if y > 0 else "up")

    def amounts(self, action: Scroll, unit: str, parts: int = 1) -> tuple[int, int]:
        """How far to the right and down, in whole parts of `unit`; at least one where it moves at all."""
        here, there = pixels_in(action.unit, self.context.size), pixels_in(unit, self.context.size)
        x, y = whole(action.delta.x * (here[0] / there[0]) * parts), whole(action.delta.y * (here[1] / there[1]) * parts)
        if max(abs(x), abs(y)) > FARTHEST:
            self.cannot(action, "the way is too long")
        return x, y

    def pixels(self, action: Scroll) -> tuple[float, float]:
        """How far to the right and down in pixels, exactly."""
        across, down = pixels_in(action.unit, self.context.size)
        x, y = action.delta.x * across, action.delta.y * down
        if max(abs(x), abs(y)) > FARTHEST:
            self.cannot(action, "the way is too long")
        return x, y

    def region(self, action: verbs.Screenshot) -> tuple[int, int, int, int] | None:
        """Left, top, width and height of the part that is shown, in pixels; None for all."""
        if action.region is None:
            return None
        box = action.region.to_px(self.context.size)
        if max(map(abs, (box.x1, box.y1, box.x2, box.y2))) > FARTHEST:
            self.refuse("screenshot.region", "the region is too far away to be on the screen")
        return box.x1, box.y1, box.x2 - box.x1, box.y2 - box.y1

    def ways(self, action: Scroll, unit: str, parts: int = 1) -> list[tuple[Direction, int]]:
        """Directions and whole amounts: a diagonal is two of them, first down or up."""
        x, y = self.amounts(action, unit, parts)
        across: list[tuple[Direction, int]] = [("right" if x > 0 else "left", abs(x))] if x else []
        down: list[tuple[Direction, int]] = [("up" if y < 0 else "down", abs(y))] if y or not x else []
        return down + across

    def place(
        self, target: ActionTarget | None, what: str = "target", space: Space = "px", image: Size | None = None
    ) -> Coordinate:
        """Where `target` is, in the space that the other side counts in. Raises DialectError where nobody knows."""
        if target is None:
            self.refuse(what, "a place is needed: where the pointer is is not known")
        return place(target, self.context, space, image, self.dialect, what)

    def near(
        self, target: ActionTarget | None, what: str = "target", space: Space = "px", image: Size | None = None
    ) -> Coordinate:
        """The same if that is not too far away."""
        said = self.place(target, what, space, image)
        near = max(abs(said.x), abs(said.y)) <= FARTHEST
        return said if near else self.refuse(what, f"the place is more than {FARTHEST} pixels away")

    def element_id(self, target: ActionTarget, what: str = "target") -> str | None:
        """The id of the element that `target` names; None where it only names a place.

        An id that stands alone, or without a state to look it up in, is said as it is.
        Raises DialectError where the target names no element of the state, or several.
        """
        given = given_in(target)
        if not {"track_id", "element_id", "text"} & {*given}:
            return None
        if target.element_id is not None and (given == ["element_id"] or self.context.state is None):
            return target.element_id
        element = element_of(target, self.context, self.dialect, what)[0]
        return None if element is None else element.element_id

    def element(self, target: ActionTarget, what: str = "target") -> str:
        """The id of the element that is named, or that is at the place. Raises DialectError where nobody knows it."""
        found = self.element_id(target, what)
        if found is None:
            element = element_of(target, self.context, self.dialect, what)[0]
            if element is None:
                self.refuse(what, f"there is no element at {target.describe()!r}, and only elements are named")
            found = element.element_id
        return found
