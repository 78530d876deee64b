"""Playwright's MCP server: tool calls `{name, arguments}` whose `target` is a reference of the last snapshot, or a selector.

A reference is an element_id here, and `element` are words for people. The variant `cli` also has the tools that only
Playwright's command line lists, such as `browser_keydown`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from protocol.dialects.common.base import Context, Dialect, DialectError, Loss, ParsedPayload, WrittenPayload
from protocol.dialects.common.conversion import AIMED, NOTCH, Conversion, cannot, element_of, pixels_in, without_delay
from protocol.dialects.common.fields import Fields, each_of
from protocol.dialects.common.saying import chord_text
from protocol.dialects.playwright.playwright_tools import (
    BUTTONS,
    CARRIED,
    MODIFIERS,
    NAME,
    PREFIX,
    REF,
    SKILL_ONLY,
    UNSAID_WAIT,
    read_tool,
)
from protocol.dialects.python.strokes import FARTHEST, spot_of
from protocol.model.geometry import JsonObject
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Extension

_PLACES = {"point", "description", "state_id", "role"}


class Element(NamedTuple):
    """`target` and `element` of a call, and what they do not say."""

    arguments: dict[str, str]
    losses: list[Loss]

    def of(self, end: str) -> Element:
        """As one end of a drag: `target` is `startTarget` there."""
        return self._replace(arguments={end + name.capitalize(): value for name, value in self.arguments.items()})


class ActionWriter(Conversion):
    """Writes one action."""

    def __init__(self, action: Action, context: Context, variant: str) -> None:
        super().__init__(NAME, context, losses=without_delay(action))
        self.verb = action.verb
        self.variant = variant
        self.calls: list[JsonObject] = []

    def refuse(self, what: str, why: str) -> NoReturn:
        raise DialectError(NAME, f"{self.verb}.{what}" if what else self.verb, why)

    def call(self, tool: str, *elements: Element, **arguments: Any) -> None:
        """Add a call; arguments that are None are left out."""
        for element in elements:
            arguments = element.arguments | arguments
            self.take(element.losses)
        name = f"browser_{tool}"
        if name in SKILL_ONLY and self.variant == "mcp":
            self.refuse("", f"the server lists no tool for it; {name} is one of the variant cli")
        if arguments.get("button") not in (None, *BUTTONS):
            self.refuse("button", f"there is no button {arguments['button']!r}")
        self.calls.append({"name": name, "arguments": {k: v for k, v in arguments.items() if v is not None}})

    def element(self, target: ActionTarget, what: str = "target", *, needed: bool = False) -> Element | None:
        """The element that a call names; None for a mere place, unless an element is needed there."""
        found = self._reference(target, what, needed)
        if found is None:
            return None
        back, arguments = found
        other = [name for name in ActionTarget.model_fields if getattr(target, name) != getattr(back, name)]
        lost = [name for name in other if getattr(target, name) is not None] or other
        words = {"element": target.description} if target.description is not None else {}
        losses = [Loss(what=f"{what}.{lost[0]}", why="only the reference is said")] if lost else []
        return Element(arguments | words, losses)

    def _reference(self, target: ActionTarget, what: str, needed: bool) -> tuple[ActionTarget, dict[str, str]] | None:
        words = target.description
        state = self.context.state
        stale = state is not None and target.state_id is not None and target.state_id != state.state_id
        if target.element_id is not None and not stale:
            return _by_id(target.element_id, words)
        if target.selector is not None and not (stale and target.text is not None):
            written = f"css={target.selector}" if REF.fullmatch(target.selector) else target.selector
            return ActionTarget(selector=written, description=words), {"target": written}
        given = {name for name in ActionTarget.model_fields if getattr(target, name) is not None}
        if not needed and (given <= _PLACES or state is None):
            return None
        element, _ = element_of(target, self.context, NAME, what)
        if element is None and needed:
            self.refuse(what, "there is no element at this place")
        return _by_id(element.element_id, words) if element else None

    def field(self, target: ActionTarget) -> Element:
        """An element where nothing else will do."""
        return self.element(target, needed=True) or self.refuse("target", "an element is needed")

    def spot(self, target: ActionTarget, what: str = "target") -> tuple[float, float]:
        said, losses = spot_of(target, self.context, "px", None, NAME, what)
        self.take(losses)
        point = said.point
        return (point.x, point.y) if point else (0, 0)

    def move(self, target: ActionTarget | None, what: str = "target") -> None:
        """Bring the pointer somewhere before something else."""
        if target is None:
            return
        element = self.element(target, what)
        if element:
            self.call("hover", element)
        else:
            x, y = self.spot(target, what)
            self.call("mouse_move_xy", x=x, y=y)

    def click(self, target: ActionTarget) -> None:
        element = self.element(target)
        if element:
            self.call("click", element)
        else:
            x, y = self.spot(target)
            self.call("mouse_click_xy", x=x, y=y)

    def no_keys(self, modifiers: tuple[str, ...]) -> None:
        if modifiers:
            self.refuse("modifiers", "no keys can be held meanwhile")


def _by_id(element_id: str, words: str | None) -> tuple[ActionTarget, dict[str, str]]:
    """An id that does not look like a reference goes by the older name `ref`: as `target` it would be a selector."""
    name = "target" if REF.fullmatch(element_id) else "ref"
    return ActionTarget(element_id=element_id, description=words), {name: element_id}


LONGEST_WAIT = 30.0
"""Seconds after which the server stops waiting for a time."""
_Write = Callable[[ActionWriter, Any], None]


def from_playwright_mcp(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a call, of a `tools/call` request, or of a list of them."""
    DIALECT.variant(context)
    actions = [action for call, where in each_of(payload) for action in _read(Fields(NAME, call, where))]
    if not actions:
        raise DialectError(NAME, "$", "there is no call in it")
    return ParsedPayload(actions, [])


def _read(fields: Fields) -> list[Any]:
    if "params" in fields:
        fields.drop("jsonrpc", "id")
        fields.choice("method", ("tools/call",))
        inner = Fields(NAME, fields.any("params"), f"{fields.where}.params")
        fields.end()
        fields = inner
    fields.drop("_meta")
    name, arguments = fields.text("name"), fields.any("arguments", {})
    fields.end()
    return read_tool(fields, name, arguments)


def to_playwright_mcp(action: Action, context: Context) -> WrittenPayload:
    """The call that is `action`, or a list of calls. Raises DialectError for what no tool does."""
    variant = DIALECT.variant(context)
    if isinstance(action, Extension):
        return _carried(action, context, variant)
    write = _WRITE.get(action.verb)
    if write is None:
        cannot(NAME, action)
    says = ActionWriter(action, context, variant)
    write(says, action)
    if action.target is not None and action.verb not in _AIMED:
        says.lose("target", f"{action.verb} has no target here")
    return WrittenPayload(says.calls[0] if len(says.calls) == 1 else says.calls, says.losses)


def _click(says: ActionWriter, a: Any) -> None:
    element = says.element(a.target) if not a.hold and a.count < 3 else None
    button = None if a.button == "left" else a.button
    if element:
        if not set(a.modifiers) <= set(MODIFIERS):
            says.refuse("modifiers", f"modifiers are {', '.join(MODIFIERS)}")
        double, held = (True if a.count == 2 else None), list(a.modifiers) or None
        says.call("click", element, doubleClick=double, button=button, modifiers=held)
        return
    says.no_keys(a.modifiers)
    x, y = says.spot(a.target)
    delay = a.hold * 1000 if a.hold else None
    if delay is not None and delay / 1000 != a.hold:
        says.lose("click.hold", "rounded in milliseconds")
    says.call("mouse_click_xy", x=x, y=y, button=button, clickCount=None if a.count == 1 else a.count, delay=delay)


def _mouse(tool: str) -> _Write:
    def write(says: ActionWriter, a: Any) -> None:
        says.move(a.target)
        if a.target is not None:
            says.lose(f"{a.verb}.target", "said as a move and then the button")
        says.call(tool, button=None if a.button == "left" else a.button)

    return write


def _hover(says: ActionWriter, a: Any) -> None:
    says.no_keys(a.modifiers)
    says.move(a.target)


def _drag(says: ActionWriter, a: Any) -> None:
    says.no_keys(a.modifiers)
    start, end = says.element(a.target), says.element(a.to, "to")
    if start and end and a.button == "left":
        if a.path:
            says.lose("drag.path", "only the two ends are said")
        says.call("drag", start.of("start"), end.of("end"))
        return
    (x1, y1), (x2, y2) = says.spot(a.target), says.spot(a.to, "to")
    if a.button == "left" and not a.path:
        says.call("mouse_drag_xy", startX=x1, startY=y1, endX=x2, endY=y2)
        return
    says.call("mouse_move_xy", x=x1, y=y1)
    says.call("mouse_down", button=a.button)
    for n, point in enumerate(a.path):
        says.move(ActionTarget(point=point), f"path[{n}]")
    says.call("mouse_move_xy", x=x2, y=y2)
    says.call("mouse_up", button=a.button)
    says.lose("drag", "said as a press, moves and a release")


def _scroll(says: ActionWriter, a: Any) -> None:
    says.no_keys(a.modifiers)
    across, down = pixels_in(a.unit, says.context.size)
    x, y = a.delta.x * across, a.delta.y * down
    if max(abs(x), abs(y)) > FARTHEST:
        says.refuse("delta", "it is too far")
    if a.unit != "px":
        says.lose("scroll.unit", f"a notch is said as {NOTCH} pixels, a page as the size of the screen")
    says.move(a.target)
    if a.target is not None:
        says.lose("scroll.target", "said as a move and then the wheel")
    says.call("mouse_wheel", deltaX=x, deltaY=y)


def _type(says: ActionWriter, a: Any) -> None:
    submit = a.submit or None
    element = says.element(a.target) if a.target is not None else None
    if element:
        says.call("type", element, text=a.text, submit=submit, slowly=True)
        return
    if a.target is not None:
        says.click(a.target)
        says.lose("type.target", "said as a click and then a type")
    says.call("press_sequentially", text=a.text, submit=submit)


def _fill(says: ActionWriter, a: Any) -> None:
    says.call("type", says.field(a.target), text=a.text, submit=a.submit or None)


def _chord(says: ActionWriter, keys: tuple[str, ...]) -> str:
    return chord_text(keys, says.refuse)


def _press_key(says: ActionWriter, a: Any) -> None:
    if a.target is not None:
        says.click(a.target)
        says.lose("press_key.target", "said as a click and then a press")
    says.call("press_key", key=_chord(says, a.keys))


def _hold_key(says: ActionWriter, a: Any) -> None:
    if a.target is not None:
        says.click(a.target)
        says.lose("hold_key.target", "said as a click and then the keys")
    for key in a.keys:
        says.call("keydown", key=_chord(says, (key,)))
    says.call("wait_for", time=a.seconds)
    for key in reversed(a.keys):
        says.call("keyup", key=_chord(says, (key,)))
    says.lose("hold_key", "said as keys that go down, a wait, and keys that come up")


def _key(tool: str) -> _Write:
    return lambda says, a: says.call(tool, key=_chord(says, (a.key,)))


def _tabs(says: ActionWriter, a: Any) -> None:
    if a.index is not None and a.index > FARTHEST:
        says.refuse("index", "there are not that many tabs")
    says.call("tabs", action=a.op, index=a.index, url=a.url)


def _wait(says: ActionWriter, a: Any) -> None:
    if a.text is None and a.text_gone is None:
        if a.seconds > LONGEST_WAIT:
            says.lose("wait.seconds", f"the server waits no longer than {LONGEST_WAIT:g} s")
        says.call("wait_for", time=a.seconds)
        return
    if a.seconds != UNSAID_WAIT:
        says.lose("wait.seconds", "how long a wait for a text may take is the server's own")
    says.call("wait_for", text=a.text, textGone=a.text_gone)


def _screenshot(says: ActionWriter, a: Any) -> None:
    for name in ("marks", "region"):
        if getattr(a, name):
            says.lose(f"screenshot.{name}", "the picture is of the whole view, without marks")
    says.call("take_screenshot")


def _upload(says: ActionWriter, a: Any) -> None:
    says.call("click", says.field(a.target))
    says.call("file_upload", paths=list(a.files))
    says.lose("upload.target", "said as a click that asks for files, and then the files")


_WRITE: dict[str, _Write] = {
    "click": _click,
    "mouse_down": _mouse("mouse_down"),
    "mouse_up": _mouse("mouse_up"),
    "hover": _hover,
    "drag": _drag,
    "scroll": _scroll,
    "type": _type,
    "fill": _fill,
    "press_key": _press_key,
    "hold_key": _hold_key,
    "key_down": _key("keydown"),
    "key_up": _key("keyup"),
    "select_option": lambda says, a: says.call("select_option", says.field(a.target), values=list(a.options)),
    "navigate": lambda says, a: says.call("navigate", url=a.url),
    "go_back": lambda says, a: says.call("navigate_back"),
    "go_forward": lambda says, a: says.call("navigate_forward"),
    "tabs": _tabs,
    "wait": _wait,
    "screenshot": _screenshot,
    "upload": _upload,
}
_AIMED = AIMED | {"select_option", "upload"}


def _carried(action: Extension, context: Context, variant: str) -> WrittenPayload:
    """A call that is carried, if reading it gives the action back."""
    name = "browser_" + action.action_type.removeprefix(PREFIX)
    bare = action.model_copy(update={"target": None, "delay": None})
    call = {"name": name, "arguments": action.arguments}
    if not action.action_type.startswith(PREFIX) or name.removeprefix("browser_") not in CARRIED:
        cannot(NAME, action)
    if name in SKILL_ONLY and variant == "mcp":
        raise DialectError(NAME, action.verb, f"{name} is a tool of the variant cli")
    if from_playwright_mcp(call, context) != ([bare], []):
        raise DialectError(NAME, action.verb, "a verb of ours says this call")
    losses = without_delay(action)
    if action.target is not None:
        losses.append(Loss(what="target", why="the arguments name it"))
    return WrittenPayload(call, losses)


DIALECT = Dialect(
    name=NAME, title="Playwright MCP", kind="json", read=from_playwright_mcp, write=to_playwright_mcp, variants=("mcp", "cli")
)
