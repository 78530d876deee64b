"""What a page, its keyboard, its mouse and its elements are asked for in Playwright's Python, as actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from protocol.dialects.common.base import DialectError, Loss
from protocol.dialects.common.fields import Fields, at, build
from protocol.dialects.python.python_chains import Chain, Step, Table, Values
from protocol.dialects.web.locators import NAME, is_locator, target_of
from protocol.model.actions import AgentAction
from protocol.model.targets import ActionTarget

PREFIX = f"x-{NAME}."
BUTTONS = ("left", "right", "middle")
MODIFIERS = ("Alt", "Control", "ControlOrMeta", "Meta", "Shift")
UNSAID_WAIT = 30.0
"""Seconds that Playwright waits for an element where nothing else is said."""
_DROPPED = frozenset({
    "animations", "caret", "delay", "force", "full_page", "mask", "mask_color", "no_wait_after", "omit_background", "path",
    "position", "quality", "referer", "scale", "scroll", "source_position", "steps", "strict", "style", "target_position",
    "timeout", "trial", "type", "wait_until",
})  # fmt: skip
"""Options that no field of ours holds; each one that is given is a loss."""

ON_ELEMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("blur", "check", "clear", "focus", "highlight", "select_text", "tap", "uncheck"), ()),
    "scroll_into_view_if_needed": (), "set_checked": ("checked",), "dispatch_event": ("type", "event_init"),
    "screenshot": ("path", "type"), "set_input_files": ("files",), "wait_for": ("state", "timeout"),
}  # fmt: skip
"""Methods of a locator that no verb of ours means, with their parameters; carried as `x-playwright_python.<name>`."""
ON_PAGES: dict[str, tuple[str, ...]] = {
    "bring_to_front": (), "reload": (), "set_viewport_size": ("viewport_size",), "wait_for_load_state": ("state",),
    "wait_for_url": ("url",), "insert_text": ("text",),
}  # fmt: skip
"""Methods of a page or its keyboard that are carried in the same way."""


@dataclass
class PageCall:
    """One call on a page: `target` where it is made on an element."""

    step: Step
    where: str
    losses: list[Loss]
    target: ActionTarget | None = None
    text: str = ""

    def refuse(self, message: str) -> NoReturn:
        raise DialectError(NAME, self.where, message)

    def fields(self, *names: str, options: tuple[str, ...] = ()) -> Fields:
        """The arguments by name. Raises DialectError for too many, and for what is no literal."""
        args = self.step.args or []
        if len(args) > len(names):
            self.refuse(f"{self.step.name} takes at most {len(names)} arguments by position")
        given = dict(zip(names, args, strict=False))
        for name, value in self.step.kwargs.items():
            if name in given:
                self.refuse(f"the argument {name} is given twice")
            given[name] = value
        for name in sorted(_DROPPED & given.keys() - {*names, *options}):
            self.losses.append(Loss(what=f"{self.step.name}.{name}", why="there is no field for it"))
            del given[name]
        return Fields(NAME, {name: self._plain(value) for name, value in given.items()}, self.where)

    def _plain(self, value: Any) -> Any:
        if isinstance(value, Chain):
            self.refuse(f"a literal is needed in {self.step.name}, not {value.root.name[:40]}")
        if isinstance(value, Table):
            return {name: self._plain(inner) for name, inner in value.items()}
        return [self._plain(inner) for inner in value] if isinstance(value, Values) else value

    def act(self, verb: str, fields: Fields | None = None, **given: Any) -> list[AgentAction]:
        if fields is not None:
            fields.end()
        return [build(NAME, self.where, action_type=verb, **given)]


def page_method(chain: Chain, text: str, where: Callable[[int], str], losses: list[Loss]) -> list[AgentAction]:
    """The action of a chain that begins with a page. `where` says where an offset of `text` is."""
    *lead, last = chain.steps[1:] or [chain.root]
    asked = PageCall(last, where(last.start), losses, text=text)
    if last.args is None or is_locator(last):
        asked.refuse("nothing is done here")
    if not lead:
        return _on_page(asked)
    if len(lead) == 1 and lead[0].args is None and lead[0].name in _DEVICES:
        table = _DEVICES[lead[0].name]
        if last.name not in table:
            asked.refuse(f"{lead[0].name} has no {last.name[:40]} that is known here")
        return table[last.name](asked)
    for step in lead:
        if not is_locator(step):
            raise DialectError(NAME, where(step.start), f"{step.name[:40]} is not understood as a way to an element")
    asked.target = target_of(lead, text)
    if last.name == "wait_for" and (shown := _text_of(lead)) is not None:
        return _wait_for_text(asked, shown)
    return _on_element(asked)


def _on_element(asked: PageCall) -> list[AgentAction]:
    name = asked.step.name
    if name in _ELEMENT:
        return _ELEMENT[name](asked)
    if name in ON_ELEMENTS:
        return _carried(asked, ON_ELEMENTS[name])
    asked.refuse(f"{name[:40]} of an element is not understood here")


def _on_page(asked: PageCall) -> list[AgentAction]:
    """A method of the page; older scripts give the selector of an element first: `page.click("#save")`."""
    name, args = asked.step.name, asked.step.args or []
    if name in _PAGE:
        return _PAGE[name](asked)
    if name in ON_PAGES and name != "insert_text":
        return _carried(asked, ON_PAGES[name])
    if args and isinstance(args[0], str) and name in (*_ELEMENT, "check", "uncheck", "focus"):
        asked.target = ActionTarget(selector=args[0])
        asked.step = asked.step._replace(args=args[1:])
        return _on_element(asked)
    asked.refuse(f"{name[:40]} of a page is not understood here")


def _carried(asked: PageCall, names: tuple[str, ...]) -> list[AgentAction]:
    fields = asked.fields(*names)
    arguments = {name: fields.any(name) for name in names if name in fields}
    return asked.act(PREFIX + asked.step.name, fields, target=asked.target, arguments=arguments)


def _seconds(fields: Fields, name: str, unsaid: float) -> float:
    """Playwright counts in milliseconds."""
    return float(fields.number(name, unsaid * 1000)) / 1000


def _click(count: int | None) -> Callable[[PageCall], list[AgentAction]]:
    def read(asked: PageCall) -> list[AgentAction]:
        fields = asked.fields(options=("delay",))
        clicks = count or fields.number("click_count", 1, whole=True)
        modifiers = fields.texts("modifiers", ())
        _known(fields, modifiers)
        button, hold = fields.choice("button", BUTTONS, "left"), _seconds(fields, "delay", 0.0)
        return asked.act("click", fields, target=asked.target, button=button, count=clicks, modifiers=modifiers, hold=hold)

    return read


def _known(fields: Fields, modifiers: tuple[str, ...]) -> None:
    for name in modifiers:
        if name not in MODIFIERS:
            fields.refuse("modifiers", f"one of {', '.join(MODIFIERS)} is needed, not {name[:40]!r}")


def _hover(asked: PageCall) -> list[AgentAction]:
    fields = asked.fields()
    modifiers = fields.texts("modifiers", ())
    _known(fields, modifiers)
    return asked.act("hover", fields, target=asked.target, modifiers=modifiers)


def _worded(verb: str, name: str) -> Callable[[PageCall], list[AgentAction]]:
    def read(asked: PageCall) -> list[AgentAction]:
        fields = asked.fields(name)
        return asked.act(verb, fields, target=asked.target, text=fields.text(name))

    return read


def _keys(verb: str) -> Callable[[PageCall], list[AgentAction]]:
    def read(asked: PageCall) -> list[AgentAction]:
        fields = asked.fields("key")
        keys = fields.chord("key", "playwright")
        if verb == "press_key":
            return asked.act(verb, fields, target=asked.target, keys=keys)
        if len(keys) > 1:
            fields.refuse("key", "one key is needed")
        return asked.act(verb, fields, key=keys[0])

    return read


def _listed(fields: Fields, name: str) -> list[str] | None:
    value = fields.any(name, None)
    value = [value] if isinstance(value, str) else value
    if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        fields.refuse(name, "a text or a list of texts is needed")
    return value


def _select(asked: PageCall) -> list[AgentAction]:
    fields = asked.fields("value")
    value, label = _listed(fields, "value"), _listed(fields, "label")
    if value is None and label is not None:
        asked.losses.append(Loss(what="select_option.label", why="an option is named by its value or its label alike"))
        value = label
    return asked.act("select_option", fields, target=asked.target, options=value or fields.refuse("value", "is missing"))


def _files(asked: PageCall) -> list[AgentAction]:
    """Giving no file clears the field, which is carried."""
    fields = asked.fields("files")
    files = _listed(fields, "files")
    if not files:
        return _carried(asked, ("files",))
    return asked.act("upload", fields, target=asked.target, files=files)


def _drag(asked: PageCall) -> list[AgentAction]:
    args = asked.step.args or []
    end = args[0] if len(args) == 1 else None
    if not isinstance(end, Chain) or len(end.steps) < 2 or not all(map(is_locator, end.steps[1:])):
        asked.refuse("drag_to needs one locator")
    asked.step = asked.step._replace(args=[])
    fields = asked.fields()
    return asked.act("drag", fields, target=asked.target, to=target_of(end.steps[1:], asked.text))


def _text_of(lead: list[Step]) -> str | None:
    """The text of `get_by_text("...").first`."""
    if len(lead) != 2 or lead[0].name != "get_by_text" or lead[0].kwargs or (lead[1].name, lead[1].args) != ("first", None):
        return None
    shown = lead[0].args[0] if lead[0].args else None
    return shown if isinstance(shown, str) else None


def _wait_for_text(asked: PageCall, shown: str) -> list[AgentAction]:
    fields = asked.fields(options=("timeout",))
    gone = fields.choice("state", ("visible", "hidden"), "visible") == "hidden"
    seconds = _seconds(fields, "timeout", UNSAID_WAIT)
    return asked.act("wait", fields, seconds=seconds, **{"text_gone" if gone else "text": shown})


def _wait(asked: PageCall) -> list[AgentAction]:
    fields = asked.fields("timeout")
    return asked.act("wait", fields, seconds=float(fields.number("timeout")) / 1000)


def _goto(asked: PageCall) -> list[AgentAction]:
    fields = asked.fields("url")
    return asked.act("navigate", fields, url=fields.text("url"))


def _screenshot(asked: PageCall) -> list[AgentAction]:
    fields = asked.fields()
    clip = fields.any("clip", None)
    if clip is None:
        return asked.act("screenshot", fields)
    box = Fields(NAME, clip, f"{asked.where}.clip")
    x, y, width, height = (box.number(name, whole=True) for name in ("x", "y", "width", "height"))
    box.end()
    return asked.act("screenshot", fields, region={"x1": x, "y1": y, "x2": x + width, "y2": y + height})


def _simple(verb: str) -> Callable[[PageCall], list[AgentAction]]:
    return lambda asked: asked.act(verb, asked.fields())


def _mouse_click(count: int | None) -> Callable[[PageCall], list[AgentAction]]:
    def read(asked: PageCall) -> list[AgentAction]:
        fields = asked.fields("x", "y", options=("delay",))
        spot, clicks = _spot(fields, asked), count or fields.number("click_count", 1, whole=True)
        button, hold = fields.choice("button", BUTTONS, "left"), _seconds(fields, "delay", 0.0)
        return asked.act("click", fields, target=spot, button=button, count=clicks, hold=hold)

    return read


def _spot(fields: Fields, asked: PageCall) -> ActionTarget:
    return at(fields.number("x"), fields.number("y"), "px", None, NAME, asked.where)


def _move(asked: PageCall) -> list[AgentAction]:
    fields = asked.fields("x", "y")
    return asked.act("hover", fields, target=_spot(fields, asked))


def _button(verb: str) -> Callable[[PageCall], list[AgentAction]]:
    def read(asked: PageCall) -> list[AgentAction]:
        fields = asked.fields()
        return asked.act(verb, fields, button=fields.choice("button", BUTTONS, "left"))

    return read


def _wheel(asked: PageCall) -> list[AgentAction]:
    fields = asked.fields("delta_x", "delta_y")
    return asked.act("scroll", fields, unit="px", delta={"x": fields.number("delta_x"), "y": fields.number("delta_y")})


_ELEMENT: dict[str, Callable[[PageCall], list[AgentAction]]] = {
    "click": _click(None), "dblclick": _click(2), "hover": _hover, "fill": _worded("fill", "value"),
    "press_sequentially": _worded("type", "text"), "type": _worded("type", "text"), "press": _keys("press_key"),
    "select_option": _select, "set_input_files": _files, "drag_to": _drag,
}  # fmt: skip
_PAGE: dict[str, Callable[[PageCall], list[AgentAction]]] = {
    "goto": _goto, "go_back": _simple("go_back"), "go_forward": _simple("go_forward"), "screenshot": _screenshot,
    "wait_for_timeout": _wait,
}  # fmt: skip
_DEVICES: dict[str, dict[str, Callable[[PageCall], list[AgentAction]]]] = {
    "keyboard": {
        "press": _keys("press_key"), "down": _keys("key_down"), "up": _keys("key_up"), "type": _worded("type", "text"),
        "insert_text": lambda asked: _carried(asked, ON_PAGES["insert_text"]),
    },
    "mouse": {
        "click": _mouse_click(None), "dblclick": _mouse_click(2), "move": _move, "down": _button("mouse_down"),
        "up": _button("mouse_up"), "wheel": _wheel,
    },
}  # fmt: skip
