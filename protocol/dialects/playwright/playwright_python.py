"""Playwright's Python, as codegen writes it: one or more lines such as `page.get_by_role("button", name="Save").click()`.

Places are pixels of the page, through `page.mouse`; the wheel counts pixels, positive down and to the right. What is written can
be put into codegen's frame, with the current page always called `page`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from protocol.dialects.common.base import Context, Dialect, DialectError, ParsedPayload, WrittenPayload
from protocol.dialects.common.conversion import AIMED, NOTCH, cannot, pixels_in, without_delay
from protocol.dialects.common.statements import checked_text
from protocol.dialects.playwright.playwright_methods import MODIFIERS, ON_ELEMENTS, ON_PAGES, PREFIX, UNSAID_WAIT
from protocol.dialects.playwright.playwright_script import ActionLines, Script, pieces
from protocol.dialects.python.strokes import FARTHEST
from protocol.dialects.web.locators import NAME, literal, locate, quoted
from protocol.model.geometry import BoundingBox
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Extension


def from_playwright_python(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a script, or of lines of one."""
    DIALECT.variant(context)
    script = Script()
    script.read(checked_text(NAME, payload))
    if not script.found:
        raise DialectError(NAME, "", "there is no action in it")
    return ParsedPayload(script.found, script.losses)


def to_playwright_python(action: Action, context: Context) -> WrittenPayload:
    """The lines that do `action`. Raises DialectError for what a page cannot be asked for."""
    DIALECT.variant(context)
    if isinstance(action, Extension):
        return _carried(action, context)
    write = _WRITE.get(action.verb)
    if write is None:
        cannot(NAME, action)
    lines = ActionLines(action, context)
    write(lines, action)
    if action.target is not None and action.verb not in _AIMED:
        lines.lose("target", f"{action.verb} has no target here")
    return WrittenPayload("\n".join(lines.lines), lines.losses)


_Write = Callable[[ActionLines, Any], None]


def _unless(value: Any, usual: Any) -> Any:
    return None if value == usual else value


def _click(lines: ActionLines, a: Any) -> None:
    delay = lines.milliseconds(a.hold, "hold") if a.hold else None
    options: dict[str, Any] = {"button": _unless(a.button, "left"), "delay": delay}
    if a.count == 3:
        options["click_count"] = 3
    method = "dblclick" if a.count == 2 else "click"
    locator = lines.element(a.target)
    if locator and set(a.modifiers) <= set(MODIFIERS):
        lines.ask(f"{locator}.{method}", **options, modifiers=list(a.modifiers) or None)
        return
    lines.hold(a.modifiers)
    if locator:
        lines.ask(f"{locator}.{method}", **options)
    else:
        lines.ask(f"mouse.{method}", *lines.spot(a.target), **options)
    lines.release(a.modifiers)


def _mouse(method: str) -> _Write:
    def write(lines: ActionLines, a: Any) -> None:
        if a.target is not None:
            lines.move(a.target)
            lines.lose(f"{a.verb}.target", "said as a move and then the button")
        lines.ask(f"mouse.{method}", button=_unless(a.button, "left"))

    return write


def _hover(lines: ActionLines, a: Any) -> None:
    locator = lines.element(a.target)
    if locator and set(a.modifiers) <= set(MODIFIERS):
        lines.ask(f"{locator}.hover", modifiers=list(a.modifiers) or None)
        return
    lines.hold(a.modifiers)
    lines.ask(f"{locator}.hover") if locator else lines.ask("mouse.move", *lines.spot(a.target))
    lines.release(a.modifiers)


def _drag(lines: ActionLines, a: Any) -> None:
    lines.hold(a.modifiers)
    start, end = locate(a.target, lines.context, "target"), locate(a.to, lines.context, "to")
    if start and end and a.button == "left" and not a.path:
        lines.losses += start[1] + end[1]
        lines.ask(f"{start[0]}.drag_to", f"page.{end[0]}")
    else:
        lines.move(a.target)
        lines.ask("mouse.down", button=_unless(a.button, "left"))
        for n, point in enumerate(a.path):
            lines.move(ActionTarget(point=point), f"path[{n}]")
        lines.move(a.to, "to")
        lines.ask("mouse.up", button=_unless(a.button, "left"))
        lines.lose("drag", "said as a press, moves and a release")
    lines.release(a.modifiers)


def _type(lines: ActionLines, a: Any) -> None:
    locator = lines.element(a.target) if a.target is not None else None
    if locator:
        lines.ask(f"{locator}.press_sequentially", quoted(a.text))
        lines.submit(f"{locator}.press", a.submit)
    else:
        lines.focus(a.target)
        lines.ask("keyboard.type", quoted(a.text))
        lines.submit("keyboard.press", a.submit)


def _fill(lines: ActionLines, a: Any) -> None:
    locator = lines.field(a.target)
    lines.ask(f"{locator}.fill", quoted(a.text))
    lines.submit(f"{locator}.press", a.submit)


def _press_key(lines: ActionLines, a: Any) -> None:
    locator = lines.element(a.target) if a.target is not None else None
    if locator:
        lines.ask(f"{locator}.press", quoted(lines.key(*a.keys)))
    else:
        lines.focus(a.target)
        lines.ask("keyboard.press", quoted(lines.key(*a.keys)))


def _hold_key(lines: ActionLines, a: Any) -> None:
    lines.focus(a.target)
    for key in a.keys:
        lines.ask("keyboard.down", quoted(lines.key(key)))
    lines.ask("wait_for_timeout", literal(lines.milliseconds(a.seconds, "seconds")))
    lines.release(a.keys)
    lines.lose("hold_key", "said as keys that go down, a wait, and keys that come up")


def _key(method: str) -> _Write:
    return lambda lines, a: lines.ask(f"keyboard.{method}", quoted(lines.key(a.key)))


def _scroll(lines: ActionLines, a: Any) -> None:
    lines.hold(a.modifiers)
    across, down = pixels_in(a.unit, lines.context.size)
    x, y = a.delta.x * across, a.delta.y * down
    if max(abs(x), abs(y)) > FARTHEST:
        lines.refuse("delta", "it is too far")
    if a.unit != "px":
        lines.lose("scroll.unit", f"a notch is said as {NOTCH} pixels, a page as the size of the screen")
    if a.target is not None:
        lines.move(a.target)
        lines.lose("scroll.target", "said as a move and then the wheel")
    lines.ask("mouse.wheel", literal(x), literal(y))
    lines.release(a.modifiers)


def _one_or_more(method: str, field: str) -> _Write:
    def write(lines: ActionLines, a: Any) -> None:
        values = list(getattr(a, field))
        lines.ask(f"{lines.field(a.target)}.{method}", literal(values[0] if len(values) == 1 else values))

    return write


def _tabs(lines: ActionLines, a: Any) -> None:
    if a.index is not None and a.index >= FARTHEST:
        lines.refuse("index", "there are not that many pages")
    if a.op == "list":
        lines.refuse("op", "nothing lists the pages")
    if a.op == "new":
        lines.lines.append("page = context.new_page()")
        if a.url is not None:
            lines.ask("goto", quoted(a.url)) if a.url else lines.lose("tabs.url", "an empty address is none")
    elif a.op == "select":
        lines.lines.append(f"page = context.pages[{a.index}]")
    elif a.index is None:
        lines.lines += ["page.close()", "page = context.pages[-1]"]
    else:
        lines.lines.append(f"context.pages[{a.index}].close()")


def _wait(lines: ActionLines, a: Any) -> None:
    timeout = lines.milliseconds(a.seconds, "seconds")
    texts = [(a.text, None), (a.text_gone, "hidden")]
    for text, state in texts:
        if text is not None:
            spared = None if a.seconds == UNSAID_WAIT else timeout
            lines.ask(f"get_by_text({quoted(text)}).first.wait_for", state=state, timeout=spared)
    if not lines.lines:
        lines.ask("wait_for_timeout", literal(timeout))
    elif len(lines.lines) > 1:
        lines.lose("wait.text", "said as two waits, one after the other")


def _screenshot(lines: ActionLines, a: Any) -> None:
    if a.marks:
        lines.lose("screenshot.marks", "marks cannot be asked for")
    clip = None
    if a.region is not None:
        box = a.region.to_px(lines.context.size)
        if max(map(abs, (box.x1, box.y1, box.x2, box.y2))) > FARTHEST:
            lines.refuse("region", "the region is too far away to be on a page")
        if not isinstance(a.region, BoundingBox):
            lines.lose("screenshot.region", f"said in px instead of {a.region.space}")
        clip = {"x": box.x1, "y": box.y1, "width": box.x2 - box.x1, "height": box.y2 - box.y1}
    lines.ask("screenshot", clip=clip)


_WRITE: dict[str, _Write] = {
    "click": _click, "mouse_down": _mouse("down"), "mouse_up": _mouse("up"), "hover": _hover, "drag": _drag, "type": _type,
    "fill": _fill, "press_key": _press_key, "hold_key": _hold_key, "key_down": _key("down"), "key_up": _key("up"),
    "scroll": _scroll, "select_option": _one_or_more("select_option", "options"),
    "upload": _one_or_more("set_input_files", "files"), "navigate": lambda lines, a: lines.ask("goto", quoted(a.url)),
    "go_back": lambda lines, a: lines.ask("go_back"), "go_forward": lambda lines, a: lines.ask("go_forward"), "tabs": _tabs,
    "wait": _wait, "screenshot": _screenshot,
}  # fmt: skip
_AIMED = AIMED | {"select_option", "upload"}


def _carried(action: Extension, context: Context) -> WrittenPayload:
    """A line that is carried, if reading it gives the action back."""
    name, lines = action.action_type.removeprefix(PREFIX), ActionLines(action, context)
    if not action.action_type.startswith(PREFIX):
        cannot(NAME, action)
    known = ON_ELEMENTS.get(name, ()) + ON_PAGES.get(name, ())
    if name == "expect":
        lines.lines.append(str(action.arguments.get("text")))
    elif name == "dialog":
        lines.lines.append(f'page.once("dialog", lambda dialog: dialog.{action.arguments.get("answer")}())')
    elif not set(action.arguments) <= set(known):
        lines.refuse("arguments", f"{name} takes {', '.join(known) or 'no arguments'}")
    elif name in ON_ELEMENTS and action.target is not None:
        lines.ask(f"{lines.field(action.target)}.{name}", **action.arguments)
    elif name in ON_PAGES:
        lines.ask(f"keyboard.{name}" if name == "insert_text" else name, **action.arguments)
    else:
        cannot(NAME, action)
    text = "\n".join(lines.lines)
    read = from_playwright_python(text, context)
    bare = action.model_copy(update={"delay": None})
    if lines.losses == without_delay(action) and read != ([bare], []):
        lines.refuse("arguments", "they cannot be said, or a verb of ours says this")
    return WrittenPayload(text, lines.losses)


DIALECT = Dialect(
    name=NAME, title="Playwright Python (codegen)", kind="text", read=from_playwright_python, write=to_playwright_python,
    pieces=pieces,
)
