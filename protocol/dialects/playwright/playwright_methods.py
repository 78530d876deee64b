"""What a page, its keyboard, its mouse and its elements are asked for in Playwright's Python, as actions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from protocol import ActionTarget, AgentAction, JsonObject
from protocol.dialects import Context, DialectError, Fields, Loss, given, row
from protocol.dialects.common.syntax import Chain, Means, Step, Table, Values, bound
from protocol.dialects.playwright.locators import BUTTONS, NAME, UNSAID_WAIT, PageReading, is_locator, target_of

PREFIX = f"x-{NAME}."
_DROPPED = frozenset({
    "animations", "caret", "delay", "force", "full_page", "mask", "mask_color", "no_wait_after", "omit_background", "path",
    "position", "quality", "referer", "scale", "scroll", "source_position", "steps", "strict", "style", "target_position",
    "timeout", "type", "wait_until",
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
class PageCall(PageReading):
    """One call on a page: `target` where it is made on an element."""

    step: Step
    where: str
    text: str = ""
    target: ActionTarget | None = field(default=None, kw_only=True)

    def act(self, names: str, read: Callable[[Any], Any]) -> list[AgentAction]:
        """The action of the call; names behind a slash are given by name, and not dropped. Raises DialectError."""
        by_position, _, by_name = names.partition("/")
        known = by_position.split()
        arguments = bound(NAME, self.where, self.step.name, known, self.step.args or [], self.step.kwargs)
        if arguments.pop("trial", False) is not False:
            self.refuse(self.where, f"{self.step.name} is only a trial, which does nothing")
        for name in sorted(_DROPPED & arguments.keys() - {*known, *by_name.split()}):
            self.losses.append(Loss(what=f"{self.step.name}.{name}", why="there is no field for it"))
            del arguments[name]
        self.fields = Fields(NAME, {name: self._plain(value) for name, value in arguments.items()}, self.where)
        return [read(self)]

    def build(self, verb: str, blame: str = "", **values: Any) -> AgentAction:
        self.fields.end()
        return super().build(verb, blame, **values)

    def _plain(self, value: Any) -> Any:
        if isinstance(value, Chain):
            self.refuse(self.where, f"a literal is needed in {self.step.name}, not {value.root.name[:40]}")
        if isinstance(value, Table):
            return {name: self._plain(inner) for name, inner in value.items()}
        return [self._plain(inner) for inner in value] if isinstance(value, Values) else value

    def carried(self, names: tuple[str, ...]) -> list[AgentAction]:
        def read(r: PageCall) -> AgentAction:
            arguments = {name: r.fields.any(name) for name in names if name in r.fields}
            return r.build(PREFIX + r.step.name, target=r.target, arguments=arguments)

        return self.act(" ".join(names), read)

    def on_page(self) -> list[AgentAction]:
        """A method of the page; older scripts give the selector of an element first: `page.click("#save")`."""
        name, args = self.step.name, self.step.args or []
        if name in _PAGE:
            return self.act(*_PAGE[name])
        if name in ON_PAGES and name != "insert_text":
            return self.carried(ON_PAGES[name])
        if args and isinstance(args[0], str) and name in (*_ELEMENT, "check", "uncheck", "focus", "wait_for_selector"):
            name = name.removesuffix("_selector")
            self.target, self.step = ActionTarget(selector=args[0]), self.step._replace(name=name, args=args[1:])
            return self.on_element()
        self.refuse(self.where, f"{name[:40]} of a page is not understood here")

    def on_element(self) -> list[AgentAction]:
        name = self.step.name
        if name == "drag_to":
            args = self.step.args or []
            end = args[0] if len(args) == 1 else None
            if not isinstance(end, Chain) or len(end.steps) < 2 or not all(map(is_locator, end.steps[1:])):
                self.refuse(self.where, "drag_to needs one locator")
            self.step = self.step._replace(args=[])
            return self.act("", row("drag", target=self.target, to=target_of(end.steps[1:], self.text)))
        if name in _ELEMENT:
            return self.act(*_ELEMENT[name])
        if name in ON_ELEMENTS:
            return self.carried(ON_ELEMENTS[name])
        self.refuse(self.where, f"{name[:40]} of an element is not understood here")

    def seconds(self, name: str, unsaid: float | None = None) -> float:
        """Playwright counts in milliseconds."""
        return float(self.fields.number(name, *([] if unsaid is None else [unsaid * 1000]))) / 1000

    def options(self) -> tuple[str, ...]:
        value, label = (self.fields.texts(name, None, alone=True) for name in ("value", "label"))
        if value is None and label is not None:
            self.losses.append(Loss(what="select_option.label", why="an option is named by its value or its label alike"))
            value = label
        found: tuple[str, ...] = value or self.fields.refuse("value", "is missing")
        return found

    def files(self) -> AgentAction:
        """Giving no file clears the field, which is carried."""
        given = self.fields.any("files", None)
        self.fields = Fields(NAME, {"files": given}, self.where)
        files = self.fields.texts("files", None, alone=True)
        if files:
            return self.build("upload", target=self.target, files=files)
        arguments = {} if given is None else {"files": given}
        return self.build(f"{PREFIX}set_input_files", target=self.target, arguments=arguments)

    def clip(self) -> JsonObject | None:
        clip = self.fields.any("clip", None)
        if clip is None:
            return None
        box = Fields(NAME, clip, f"{self.where}.clip")
        x, y, width, height = (box.number(name, whole=True) for name in ("x", "y", "width", "height"))
        box.end()
        return {"x1": x, "y1": y, "x2": x + width, "y2": y + height}

    def wait_for_text(self, shown: str) -> AgentAction:
        gone = self.fields.choice("state", ("visible", "hidden"), "visible") == "hidden"
        seconds = self.seconds("timeout", UNSAID_WAIT)
        return self.build("wait", seconds=seconds, **{"text_gone" if gone else "text": shown})


def page_method(chain: Chain, text: str, where: Callable[[int], str], losses: list[Loss]) -> list[AgentAction]:
    """The action of a chain that begins with a page. `where` says where an offset of `text` is."""
    *lead, last = chain.steps[1:] or [chain.root]
    asked = PageCall(NAME, Context(), last, where(last.start), text, losses=losses)
    if last.args is None or is_locator(last):
        asked.refuse(asked.where, "nothing is done here")
    if not lead:
        return asked.on_page()
    if len(lead) == 1 and lead[0].args is None and lead[0].name in _DEVICES:
        table = _DEVICES[lead[0].name]
        if last.name == "insert_text" and lead[0].name == "keyboard":
            return asked.carried(ON_PAGES["insert_text"])
        if last.name not in table:
            asked.refuse(asked.where, f"{lead[0].name} has no {last.name[:40]} that is known here")
        return asked.act(*table[last.name])
    for step in lead:
        if not is_locator(step):
            raise DialectError(NAME, where(step.start), f"{step.name[:40]} is not understood as a way to an element")
    asked.target = target_of(lead, text)
    shown = lead[0].args[0] if lead[0].args else None  # the text of `get_by_text("...").first`
    of_text = lead[0].name == "get_by_text" and not lead[0].kwargs and [step[:2] for step in lead[1:]] == [("first", None)]
    if last.name == "wait_for" and of_text and isinstance(shown, str):
        return asked.act("/timeout", lambda r: r.wait_for_text(shown))
    return asked.on_element()


_TARGET = attrgetter("target")
_BUTTON = given("button", BUTTONS, "left", kind="choice")
_COUNT = given("click_count", 1, kind="number", whole=True)
_PRESSED: JsonObject = {"button": _BUTTON, "hold": lambda r: r.seconds("delay", 0.0)}
_TEXT: Means = ("text", row("type", target=_TARGET, text=given("text")))
_KEYS: Means = ("key", row("press_key", target=_TARGET, keys=PageCall.keys))


def _click(count: Any) -> Means:
    return "/delay", row("click", count=count, modifiers=PageCall.modifiers, **_PRESSED, target=_TARGET)


def _click_xy(count: Any) -> Means:
    return "x y/delay", row("click", target=PageCall.at, count=count, **_PRESSED)


_ELEMENT: dict[str, Means] = {
    "click": _click(_COUNT),
    "dblclick": _click(2),
    "hover": ("", row("hover", target=_TARGET, modifiers=PageCall.modifiers)),
    "fill": ("value", row("fill", target=_TARGET, text=given("value"))),
    "press_sequentially": _TEXT,
    "type": _TEXT,
    "press": _KEYS,
    "select_option": ("value", row("select_option", target=_TARGET, options=PageCall.options)),
    "set_input_files": ("files", PageCall.files),
}
_PAGE: dict[str, Means] = {
    "goto": ("url", row("navigate", url=given("url"))),
    "go_back": ("", row("go_back")),
    "go_forward": ("", row("go_forward")),
    "drag_and_drop": (
        "source target",
        row("drag", target=lambda r: {"selector": r.fields.text("source")}, to=lambda r: {"selector": r.fields.text("target")}),
    ),
    "screenshot": ("", row("screenshot", region=PageCall.clip)),
    "wait_for_timeout": ("timeout", row("wait", seconds=lambda r: r.seconds("timeout"))),
}
_DEVICES: dict[str, dict[str, Means]] = {
    "keyboard": {
        "press": _KEYS,
        "down": ("key", row("key_down", key=PageCall.one_key)),
        "up": ("key", row("key_up", key=PageCall.one_key)),
        "type": _TEXT,
    },
    "mouse": {
        "click": _click_xy(_COUNT),
        "dblclick": _click_xy(2),
        "move": ("x y", row("hover", target=PageCall.at)),
        "down": ("", row("mouse_down", button=_BUTTON)),
        "up": ("", row("mouse_up", button=_BUTTON)),
        "wheel": (
            "delta_x delta_y",
            row("scroll", unit="px", delta=lambda r: {"x": r.fields.number("delta_x"), "y": r.fields.number("delta_y")}),
        ),
    },
}
