"""From a line to an action: what each rule of the grammar means, and the values that a line is taken apart into."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from importlib.util import cache_from_source
from typing import Any, NamedTuple, TypeVar

from lark import Lark, Token, Transformer, Tree, v_args
from lark.exceptions import UnexpectedInput
from pydantic import BaseModel, ValidationError

from protocol.dsl.mistakes import Mistake, mistake, nearest
from protocol.dsl.words import ACTION, OPENING, BadText, grammar, number, unquoted
from protocol.model.actions import CLASSES, AgentAction, parse_action
from protocol.model.geometry import BoundingBox, Coordinate, JsonObject, Region
from protocol.model.keys import KeyNameError, canonical, chord
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Click, Delta, Extension, Tabs

_Model = TypeVar("_Model", bound=BaseModel)
_DEEPEST = 255
"""As many lists and objects in each other as the arguments of an action can hold, itself one of them."""


class FieldValue(NamedTuple):
    """The value of one field."""

    field: str
    value: Any
    offset: int


class Json(NamedTuple):
    """A JSON value of a call."""

    value: Any
    depth: int
    offset: int


class Pair(NamedTuple):
    """`name=value` or `"name": value`; without a name where only the place says what it is."""

    name: str | None
    value: Json
    offset: int


def start(token: Token) -> int:
    return token.start_pos or 0


def text_of(token: Token) -> str:
    """What a STRING says. Raises Mistake for an escape that is none."""
    try:
        return unquoted(token)
    except BadText as bad:
        raise Mistake(str(bad), start(token) + bad.offset) from None


def name_of(token: Token) -> str:
    """A name as it stands, or in quotes."""
    return text_of(token) if token.type == "STRING" else str(token)


def id_of(token: Token) -> str:
    """What `#12` and `#"any text"` name."""
    rest = token.update(value=token[1:])
    rest.start_pos = start(token) + 1
    return text_of(rest) if rest[0] in OPENING else str(rest)


def numbers(names: Iterable[str], tokens: Iterable[Token]) -> list[FieldValue]:
    """Numbers that stand in a row, each with its name."""
    return [FieldValue(name, number_of(token), start(token)) for name, token in zip(names, tokens, strict=True)]


def number_of(token: Token) -> int | float:
    try:
        return number(token)
    except ValueError:
        raise Mistake(f"the number {token[:20]} is too large", start(token)) from None


def keys_of(token: Token) -> tuple[str, ...]:
    """The canonical names of a key, or of a chord in quotes."""
    try:
        return tuple(chord(text_of(token))) if token.type == "STRING" else (canonical(token),)
    except KeyNameError as bad:
        raise Mistake(str(bad), start(token)) from None


def contained(offset: int, inner: Iterable[Json], value: Any) -> Json:
    """A list or an object, unless it is nested too deeply."""
    depth = 1 + max((one.depth for one in inner), default=0)
    if depth > _DEEPEST:
        raise Mistake(f"lists and objects are nested more than {_DEEPEST} deep", offset)
    return Json(value, depth, offset)


def named(pairs: Iterable[Pair]) -> JsonObject:
    """The pairs as an object. Raises Mistake for a name that is given twice."""
    found: JsonObject = {}
    for pair in pairs:
        name = str(pair.name)
        if name in found:
            raise Mistake(f"{name[:40]!r} is given twice", pair.offset)
        found[name] = pair.value.value
    return found


def built(model: type[_Model], parts: Iterable[FieldValue], offset: int, **fixed: Any) -> _Model:
    """The model of these parts. Raises Mistake at the part that is given twice or that the model refuses."""
    given: dict[str, FieldValue] = {}
    for part in parts:
        if part.field in given:
            raise Mistake(f"{_words(part.field)}: this is given twice", part.offset)
        given[part.field] = part
    try:
        return model(**fixed, **{name: part.value for name, part in given.items()})
    except ValidationError as bad:
        where, message = refusal(bad)
        part_ = next((given[name] for name in where if name in given), None)
        raise Mistake(
            message if part_ is None else f"{_words(part_.field)}: {message}", part_.offset if part_ else offset
        ) from None


def refusal(bad: ValidationError) -> tuple[tuple[str, ...], str]:
    """Which fields a model refuses, from the outside in, and why."""
    first = bad.errors(include_url=False, include_input=False)[0]
    where = tuple(part for part in first["loc"] if isinstance(part, str))
    message = first["msg"].removeprefix("Value error, ") if first["type"] != "missing" else f"{where[-1]} is missing"
    return where, message[:1].lower() + message[1:]


def _words(field: str) -> str:
    return field.replace("_", " ")


SENTENCES: dict[str, tuple[type[Action], JsonObject]] = {
    **{verb: (kind, {}) for verb, kind in CLASSES.items() if kind is not Tabs},
    **{f"tab_{op}": (Tabs, {"op": op}) for op in ("new", "close", "select", "list")},
    "long_press": (Click, {}),
    "extension": (Extension, {}),
}
"""Rule of the grammar: the class, and the fields that the words themselves say."""


_ALSO = {
    "double_click": "double_click", "triple_click": "triple_click", "right_click": "right_click", "middle_click": "middle_click",
    "click_box": "click", "hotkey": "press_key", "press": "press_key", "hold": "hold_key", "select": "select_option",
    "open": "launch_app", "launch": "launch_app", "switch_to": "switch_window", "go_to": "navigate", "ask": "ask_user",
    "run": "run_script", "call": "call_api", "finish": "finish_goal", "fail": "fail_goal",
}  # fmt: skip
"""Other names of a call, and the verb as the protocol reads it."""
_NAMES = {name.replace("_", ""): verb for name, verb in ({verb: verb for verb in CLASSES} | _ALSO).items()}
_PLACES: dict[str, tuple[str, ...]] = {
    "type": ("text", "target"), "fill": ("target", "text"), "press_key": ("keys",), "hold_key": ("keys", "seconds"),
    "key_down": ("key",), "key_up": ("key",), "scroll": ("direction", "amount"), "drag": ("target", "to"),
    "mouse_down": ("target", "button"), "mouse_up": ("target", "button"), "select_option": ("options", "target"),
    "launch_app": ("app",), "switch_window": ("window",), "navigate": ("url",), "tabs": ("op", "index"), "wait": ("seconds",),
    "screenshot": ("marks", "region"), "upload": ("files", "target"), "call_api": ("app", "function", "arguments"),
    "ask_in_app_agent": ("app", "request"), "run_script": ("language", "code"), "memorize": ("name", "value"),
    "answer": ("text",), "ask_user": ("question", "name"), "finish_goal": ("summary",), "fail_goal": ("reason",),
    "go_back": (), "go_forward": (),
}  # fmt: skip
"""The arguments that need no name, in order; for all other verbs the target and its box."""
_TARGETS = frozenset(ActionTarget.model_fields)


def _all_named(verb: str, given: tuple[Pair, ...]) -> list[Pair]:
    places = iter(_PLACES.get(verb, ("target", "bbox")))
    pairs: list[Pair] = []
    by_name = False
    for pair in given:
        by_name = by_name or pair.name is not None
        place = _snake(pair.name) if pair.name is not None else None if by_name else next(places, None)
        if place is None:
            raise Mistake(f"{verb} needs a name for this argument", pair.offset)
        if place == "action_type":
            raise Mistake("the name of the call says which action it is", pair.offset)
        pairs.append(pair._replace(name=place))
    return pairs


def _with_target(verb: str, fields: JsonObject) -> JsonObject:
    """A text alone is a target's text, and what only a target has belongs to it, wherever it stands."""
    own = CLASSES.get(verb, Click).model_fields
    target = {name: fields.pop(name) for name in list(fields) if name in _TARGETS and name not in own}
    for name in ("target", "to"):
        if isinstance(fields.get(name), str):
            fields[name] = {"text": fields[name]}
    for name in ("files", "marks"):
        if isinstance(fields.get(name), str):
            fields[name] = [fields[name]]
    if target:
        given = fields.get("target")
        fields["target"] = {**(given if isinstance(given, Mapping) else {}), **target}
    return fields


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()


_Rule = Callable[..., FieldValue]
_UNITS = {"n": "notch", "px": "px", "pi": "px", "pa": "page"}
_WAYS = {"up": ("y", -1), "down": ("y", 1), "left": ("x", -1), "right": ("x", 1)}
_SIDES = ("x1", "y1", "x2", "y2")
_WHICH = ("text", "element_id", "track_id", "bbox", "point", "selector")


def _of(field: str, value: Callable[[Token], Any]) -> _Rule:
    """A rule that is one token and one field."""

    def rule(_self: Any, token: Token) -> FieldValue:
        return FieldValue(field, value(token), start(token))

    return rule


def _all(field: str, value: Callable[[Token], Any]) -> _Rule:
    """A rule that is several tokens and one field."""

    def rule(_self: Any, *tokens: Token) -> FieldValue:
        return FieldValue(field, tuple(map(value, tokens)), start(tokens[0]))

    return rule


def _as(field: str) -> _Rule:
    """A rule that gives a part to another field."""

    def rule(_self: Any, part: FieldValue) -> FieldValue:
        return part._replace(field=field)

    return rule


def _constant(value: bool | None) -> Callable[..., Json]:
    return lambda _self, token: Json(value, 0, start(token))


def _prefix(token: Token) -> str:
    return re.split(r"[-+\s]", token, maxsplit=1)[0].lower()


@v_args(inline=True)
class _Read(Transformer[Token, Any]):
    """Parts of fields and JSON values; a sentence stays a Tree of its parts."""

    text, text_gone, url, request, code, value, question, summary, reason, selector, description, state_id = (
        _of(name, text_of)
        for name in (
            "text", "text_gone", "url", "request", "code", "value", "question", "summary", "reason", "selector", "description",
            "state_id",
        )
    )  # fmt: skip
    app, window, function, name = (_of(name, name_of) for name in ("app", "window", "function", "name"))
    element_id = _of("element_id", id_of)
    track_id = _of("track_id", id_of)
    role = _of("role", lambda token: text_of(token) if token.type == "STRING" else token.lower())
    index = _of("index", number_of)
    action_type = _of("action_type", str)
    language = _of("language", str.lower)
    button = _of("button", str.lower)
    side = _of("button", _prefix)
    times = _of("count", lambda token: 2 if token[0] in "dD" else 3)
    unit = _of("unit", lambda token: _UNITS.get(token[:1].lower()) or _UNITS[token[:2].lower()])
    submit = _of("submit", bool)
    options, files, marks = _all("options", text_of), _all("files", text_of), _all("marks", id_of)
    modifiers = _all("modifiers", lambda token: canonical(_prefix(token)))
    holding, hold, delay, to, region = (_as(name) for name in ("modifiers", "hold", "delay", "to", "region"))

    def keys(self, *tokens: Token) -> FieldValue:
        return FieldValue("keys", tuple(key for token in tokens for key in keys_of(token)), start(tokens[0]))

    def key(self, token: Token) -> FieldValue:
        keys = keys_of(token)
        if len(keys) != 1:
            raise Mistake("this is a chord, and one key is needed", start(token), ("one key",))
        return FieldValue("key", keys[0], start(token))

    def seconds(self, token: Token, milli: Token | None = None) -> FieldValue:
        number = number_of(token)
        shortened = milli and abs(number) < 10**9  # anything more is too long, and may be too large for a float
        return FieldValue("seconds", number / 1000 if shortened else number, start(token))

    def way(self, direction: Token, amount: Token | None = None) -> FieldValue:
        axis, sign = _WAYS[direction.lower()]
        number = 1 if amount is None else number_of(amount)
        if amount is not None and amount.startswith("-"):
            raise Mistake("how far to scroll is not negative; the direction says where to", start(amount))
        return FieldValue(axis, sign * number, start(direction))

    def delta(self, *ways: FieldValue) -> FieldValue:
        if len({way.field for way in ways}) < len(ways):
            raise Mistake("one way is up or down, and the other one left or right", ways[1].offset)
        return FieldValue("delta", built(Delta, ways, ways[0].offset), ways[0].offset)

    def size(self, width: Token, height: Token | None = None) -> tuple[int | float, ...]:
        if height is not None:
            return number_of(width), number_of(height)
        sides = width.lower().replace("×", "x").split("x")
        return tuple(number_of(width.update(value=side.strip())) for side in sides)

    def coordinate(self, x: Token, y: Token, *scale: Any) -> FieldValue:
        return FieldValue("point", built(Coordinate, numbers("xy", (x, y)), start(x), **_scale(scale)), start(x))

    def path(self, *points: FieldValue) -> FieldValue:
        return FieldValue("path", tuple(point.value for point in points), points[0].offset)

    def box(self, bracket: Token, *rest: Any) -> FieldValue:
        scale = _scale(rest[4:])
        if scale.get("space") == "px":
            del scale["space"]
            if scale:
                raise Mistake("a box in pixels of the screen has no size of a picture", start(bracket))
        model = Region if "space" in scale else BoundingBox
        return FieldValue("bbox", built(model, numbers(_SIDES, rest[:4]), start(bracket), **scale), start(bracket))

    def target(self, *parts: FieldValue) -> FieldValue:
        if not any(part.field in _WHICH for part in parts):
            raise Mistake('this does not say which element is meant; name it, as in button "Save"', parts[0].offset, ("a text",))
        return FieldValue("target", built(ActionTarget, parts, parts[0].offset), parts[0].offset)

    def arguments(self, *pairs: Pair) -> FieldValue:
        first = pairs[0].offset if pairs else 0
        return self.whole(contained(first, [pair.value for pair in pairs], named(pairs)))

    def whole(self, value: Json) -> FieldValue:
        return FieldValue("arguments", value.value, value.offset)

    def pair(self, name: Token, value: Json) -> Pair:
        return Pair(name_of(name), value, start(name))

    def named(self, name: Token, value: Json) -> Pair:
        return Pair(str(name), value, start(name))

    def positional(self, value: Json) -> Pair:
        return Pair(None, value, value.offset)

    def string(self, token: Token) -> Json:
        return Json(text_of(token), 0, start(token))

    def numeral(self, token: Token) -> Json:
        return Json(number_of(token), 0, start(token))

    true, false, null = (_constant(value) for value in (True, False, None))

    def list(self, bracket: Token, *values: Json) -> Json:
        return contained(start(bracket), values, [one.value for one in values])

    def object(self, brace: Token, *pairs: Pair) -> Json:
        return contained(start(brace), [pair.value for pair in pairs], named(pairs))

    def called(self, name: Token, *given: Pair) -> AgentAction:
        # The action that a call means
        verb = _NAMES.get(re.sub(r"[_-]", "", name).casefold())
        if verb is None:
            near = nearest(_snake(name), [*CLASSES, *_ALSO])
            raise Mistake(f'there is no action "{name[:40]}"{near}', start(name), (ACTION,))
        pairs = _all_named(verb, given)
        fields = _with_target(verb, named(pairs))
        try:
            return parse_action({**fields, "action_type": verb})
        except ValidationError as bad:
            where, message = refusal(bad)
            if bad.errors()[0]["type"] == "extra_forbidden":
                message = f"{verb} takes no argument of this name"
            at = next((pair for field in reversed(where) for pair in pairs if pair.name == field), None)
            raise Mistake(f"{at.name}: {message}" if at else message, at.offset if at else start(name)) from None


def _scale(rest: Any) -> JsonObject:
    """The space and the size that stand behind numbers. A size alone is that of the picture they count in."""
    found: JsonObject = {}
    for one in rest:
        if isinstance(one, Token):
            found["space"] = one.lower()
        else:
            found = {"space": "image", **found, "image_size": one}
    return found


@cache
def _parser() -> Lark:
    """Its tables take half a second to make, so they are kept beside the compiled modules where Python keeps those."""
    kept = False if sys.dont_write_bytecode else f"{cache_from_source(__file__)}.lark"
    return Lark(grammar(), parser="lalr", lexer="contextual", transformer=_Read(), maybe_placeholders=False, cache=kept)


def read_line(text: str, line: int = 1) -> AgentAction:
    """The action that `text` says; `line` is its number. Raises DSLError."""
    text = text.removeprefix("\ufeff").rstrip("\r\n")
    try:
        return _read(text)
    except Mistake as bad:
        raise bad.on(text, line) from None


@lru_cache(1024)  # an action is a value, and the same few lines are said in many worlds
def _read(text: str) -> AgentAction:
    if "\n" in text:
        raise Mistake("one line is one action, and here a second line starts", text.index("\n"))
    if is_blank(text):
        raise Mistake(f"there is no action here; expected {ACTION}", 0, (ACTION,))
    try:
        found: Any = _parser().parse(text)
    except UnexpectedInput as bad:
        raise mistake(_parser(), text, bad) from None
    if isinstance(found, Tree):
        kind, fixed = SENTENCES[str(found.data)]
        parts: Any = found.children
        found = built(kind, parts, len(text) - len(text.lstrip()), **fixed)
    action: AgentAction = found
    return action


def is_blank(text: str) -> bool:
    """True for a line without an action: nothing, or a comment."""
    said = text.removeprefix("\ufeff").strip()
    return not said or said.startswith("#")
