"""Playwright's Python, as codegen writes it: one or more lines such as `page.get_by_role("button", name="Save").click()`.

Places are pixels of the page, through `page.mouse`; the wheel counts pixels, positive down and to the right. What is written can
be put into codegen's frame, with the current page always called `page`.
"""

from __future__ import annotations

from typing import Any

from protocol.dialects.common.base import Context, Dialect, DialectError, ParsedPayload, WrittenPayload
from protocol.dialects.common.calls import blocks, checked_text
from protocol.dialects.common.conversion import AIMED, NOTCH, Writing, pixels_in, without_delay
from protocol.dialects.playwright.locators import BUTTONS, MODIFIERS, NAME, UNSAID_WAIT, chord_text, literal, locate, quoted
from protocol.dialects.playwright.playwright_methods import ON_ELEMENTS, ON_PAGES, PREFIX
from protocol.dialects.playwright.playwright_script import Script, pieces
from protocol.dialects.python.strokes import FARTHEST
from protocol.model import verbs
from protocol.model.geometry import BoundingBox
from protocol.model.targets import ActionTarget


def from_playwright_python(payload: Any, context: Context) -> ParsedPayload:
    """The actions of a script, or of lines of one."""
    DIALECT.variant(context)
    text = checked_text(NAME, payload)
    script = Script(text)
    for statement, unsure in blocks(text, script.enters):
        script.statement(statement, unsure)
    if not script.found:
        raise DialectError(NAME, "", "there is no action in it")
    return ParsedPayload(script.found, script.losses)


def to_playwright_python(action: verbs.Action, context: Context) -> WrittenPayload:
    """The lines that do `action`. Raises DialectError for what a page cannot be asked for."""
    DIALECT.variant(context)
    writing = _Writing(action, context)
    writing.said(action)
    if action.target is not None and action.verb not in _AIMED and not isinstance(action, verbs.Extension):
        writing.lose("target", f"{action.verb} has no target here")
    return WrittenPayload("\n".join(writing.lines), writing.losses)


_AIMED = AIMED | {"select_option", "upload"}


def _unless(value: Any, usual: Any) -> Any:
    return None if value == usual else value


class _Writing(Writing):
    """Writes one action, line by line."""

    def __init__(self, action: verbs.Action, context: Context) -> None:
        super().__init__(NAME, context, losses=without_delay(action))
        self.verb = action.verb
        self.lines: list[str] = []

    def ask(self, method: str, *args: str, **options: Any) -> None:
        """Add a line; options that are None are left out, the others sorted as codegen sorts them."""
        if options.get("button") not in (None, *BUTTONS):
            self.refuse(f"{self.verb}.button", f"there is no button {options['button']!r}")
        named = [f"{name}={literal(value)}" for name, value in sorted(options.items()) if value is not None]
        self.lines.append(f"page.{method}({', '.join([*args, *named])})")

    def element(self, target: ActionTarget | None, what: str = "target") -> str | None:
        """The locator of a target; None for a mere place, or for no target."""
        found = locate(target, self.context, what) if target is not None else None
        self.take(found[1] if found else [])
        return found and found[0]

    def field(self, target: ActionTarget) -> str:
        """The locator of a target that cannot be a mere place."""
        found = locate(target, self.context, "target", needed=True)
        if found is None:
            self.refuse(f"{self.verb}.target", "a locator is needed: a selector, or a text")
        self.take(found[1])
        return found[0]

    def spot(self, target: ActionTarget, what: str = "target") -> tuple[str, str]:
        point = self.place(target, what)
        return repr(point.x), repr(point.y)

    def move(self, target: ActionTarget, what: str = "target") -> None:
        locator = self.element(target, what)
        if locator:
            self.ask(f"{locator}.hover")
        else:
            self.ask("mouse.move", *self.spot(target, what))

    def focus(self, target: ActionTarget | None) -> None:
        """Click where the keys should go."""
        if target is None:
            return
        locator = self.element(target)
        if locator:
            self.ask(f"{locator}.click")
        else:
            self.ask("mouse.click", *self.spot(target))
        self.lose(f"{self.verb}.target", f"said as a click and then a {self.verb.replace('_', ' ')}")

    def hold(self, modifiers: tuple[str, ...]) -> None:
        for key in modifiers:
            self.ask("keyboard.down", self.keys(key))
        if modifiers:
            self.lose(f"{self.verb}.modifiers", "said as keys that are pressed before it and released after it")

    def release(self, modifiers: tuple[str, ...]) -> None:
        for key in reversed(modifiers):
            self.ask("keyboard.up", self.keys(key))

    def keys(self, *keys: str) -> str:
        """A chord as Playwright spells it, in quotes."""
        return quoted(chord_text(keys, NAME, self.verb))

    def milliseconds(self, seconds: float, what: str = "seconds") -> int | float:
        said = seconds * 1000
        if said / 1000 != seconds:
            self.lose(f"{self.verb}.{what}", "rounded in milliseconds")
        return int(said) if said == int(said) else said

    def submit(self, method: str, wanted: bool) -> None:
        if wanted:
            self.ask(method, quoted("Enter"))
            self.lose(f"{self.verb}.submit", "said as a press of Enter afterwards")

    def click(self, a: Any) -> None:
        delay = self.milliseconds(a.hold, "hold") if a.hold else None
        count = 3 if a.count == 3 else None
        options = {"button": _unless(a.button, "left"), "delay": delay, "click_count": count}
        method = "dblclick" if a.count == 2 else "click"
        locator = self.element(a.target)
        if locator and set(a.modifiers) <= set(MODIFIERS):
            self.ask(f"{locator}.{method}", **options, modifiers=list(a.modifiers) or None)
            return
        self.hold(a.modifiers)
        if locator:
            self.ask(f"{locator}.{method}", **options)
        else:
            self.ask(f"mouse.{method}", *self.spot(a.target), **options)
        self.release(a.modifiers)

    def mouse_down(self, a: verbs.MouseDown | verbs.MouseUp) -> None:
        if a.target is not None:
            self.move(a.target)
            self.lose(f"{a.verb}.target", "said as a move and then the button")
        self.ask(a.verb.replace("_", "."), button=_unless(a.button, "left"))

    mouse_up = mouse_down

    def hover(self, a: Any) -> None:
        locator = self.element(a.target)
        if locator and set(a.modifiers) <= set(MODIFIERS):
            self.ask(f"{locator}.hover", modifiers=list(a.modifiers) or None)
            return
        self.hold(a.modifiers)
        self.ask(f"{locator}.hover") if locator else self.ask("mouse.move", *self.spot(a.target))
        self.release(a.modifiers)

    def drag(self, a: Any) -> None:
        self.hold(a.modifiers)
        start, end = locate(a.target, self.context, "target"), locate(a.to, self.context, "to")
        if start and end and a.button == "left" and not a.path:
            self.losses += start[1] + end[1]
            self.ask(f"{start[0]}.drag_to", f"page.{end[0]}")
        else:
            self.move(a.target)
            self.ask("mouse.down", button=_unless(a.button, "left"))
            for n, point in enumerate(a.path):
                self.move(ActionTarget(point=point), f"path[{n}]")
            self.move(a.to, "to")
            self.ask("mouse.up", button=_unless(a.button, "left"))
            self.lose("drag", "said as a press, moves and a release")
        self.release(a.modifiers)

    def type(self, a: verbs.Type) -> None:
        locator = self.element(a.target)
        if locator:
            self.ask(f"{locator}.press_sequentially", quoted(a.text))
        else:
            self.focus(a.target)
            self.ask("keyboard.type", quoted(a.text))
        self.submit(f"{locator or 'keyboard'}.press", a.submit)

    def fill(self, a: Any) -> None:
        locator = self.field(a.target)
        self.ask(f"{locator}.fill", quoted(a.text))
        self.submit(f"{locator}.press", a.submit)

    def press_key(self, a: verbs.PressKey) -> None:
        locator = self.element(a.target)
        if not locator:
            self.focus(a.target)
        self.ask(f"{locator or 'keyboard'}.press", self.keys(*a.keys))

    def hold_key(self, a: verbs.HoldKey) -> None:
        self.focus(a.target)
        for key in a.keys:
            self.ask("keyboard.down", self.keys(key))
        self.ask("wait_for_timeout", literal(self.milliseconds(a.seconds)))
        self.release(a.keys)
        self.lose("hold_key", "said as keys that go down, a wait, and keys that come up")

    def key_down(self, a: verbs.KeyDown | verbs.KeyUp) -> None:
        self.ask(a.verb.replace("key_", "keyboard."), self.keys(a.key))

    key_up = key_down

    def scroll(self, a: verbs.Scroll) -> None:
        self.hold(a.modifiers)
        across, down = pixels_in(a.unit, self.context.size)
        x, y = a.delta.x * across, a.delta.y * down
        if max(abs(x), abs(y)) > FARTHEST:
            self.refuse("scroll.delta", "it is too far")
        if a.unit != "px":
            self.lose("scroll.unit", f"a notch is said as {NOTCH} pixels, a page as the size of the screen")
        if a.target is not None:
            self.move(a.target)
            self.lose("scroll.target", "said as a move and then the wheel")
        self.ask("mouse.wheel", literal(x), literal(y))
        self.release(a.modifiers)

    def select_option(self, a: Any) -> None:
        self.ask(f"{self.field(a.target)}.select_option", _one_or_more(a.options))

    def upload(self, a: Any) -> None:
        self.ask(f"{self.field(a.target)}.set_input_files", _one_or_more(a.files))

    def navigate(self, a: verbs.Navigate) -> None:
        self.ask("goto", quoted(a.url))

    def go_back(self, a: verbs.GoBack | verbs.GoForward) -> None:
        self.ask(a.verb)

    go_forward = go_back

    def tabs(self, a: verbs.Tabs) -> None:
        if a.index is not None and a.index >= FARTHEST:
            self.refuse("tabs.index", "there are not that many pages")
        if a.op == "list":
            self.refuse("tabs.op", "nothing lists the pages")
        if a.op == "new":
            self.lines.append("page = context.new_page()")
            if a.url is not None:
                self.ask("goto", quoted(a.url)) if a.url else self.lose("tabs.url", "an empty address is none")
        elif a.op == "select":
            self.lines.append(f"page = context.pages[{a.index}]")
        elif a.index is None:
            self.lines += ["page.close()", "page = context.pages[-1]"]
        else:
            self.lines.append(f"context.pages[{a.index}].close()")

    def wait(self, a: verbs.Wait) -> None:
        timeout = self.milliseconds(a.seconds)
        for text, state in ((a.text, None), (a.text_gone, "hidden")):
            if text is not None:
                spared = None if a.seconds == UNSAID_WAIT else timeout
                self.ask(f"get_by_text({quoted(text)}).first.wait_for", state=state, timeout=spared)
        if not self.lines:
            self.ask("wait_for_timeout", literal(timeout))
        elif len(self.lines) > 1:
            self.lose("wait.text", "said as two waits, one after the other")

    def screenshot(self, a: verbs.Screenshot) -> None:
        self.drop(a, marks="marks cannot be asked for")
        clip = None
        if a.region is not None:
            box = a.region.to_px(self.context.size)
            if max(map(abs, (box.x1, box.y1, box.x2, box.y2))) > FARTHEST:
                self.refuse("screenshot.region", "the region is too far away to be on a page")
            if not isinstance(a.region, BoundingBox):
                self.lose("screenshot.region", f"said in px instead of {a.region.space}")
            clip = {"x": box.x1, "y": box.y1, "width": box.x2 - box.x1, "height": box.y2 - box.y1}
        self.ask("screenshot", clip=clip)

    def extension(self, action: verbs.Extension) -> None:
        """A line that is carried, if reading it gives the action back."""
        name = action.action_type.removeprefix(PREFIX)
        if not action.action_type.startswith(PREFIX):
            self.cannot(action)
        known = ON_ELEMENTS.get(name, ()) + ON_PAGES.get(name, ())
        if name == "expect":
            self.lines.append(str(action.arguments.get("text")))
        elif name == "dialog":
            self.lines.append(f'page.once("dialog", lambda dialog: dialog.{action.arguments.get("answer")}())')
        elif not set(action.arguments) <= set(known):
            self.refuse(f"{self.verb}.arguments", f"{name} takes {', '.join(known) or 'no arguments'}")
        elif name in ON_ELEMENTS and action.target is not None:
            self.ask(f"{self.field(action.target)}.{name}", **action.arguments)
        elif name in ON_PAGES:
            self.ask(f"keyboard.{name}" if name == "insert_text" else name, **action.arguments)
        else:
            self.cannot(action)
        read = from_playwright_python("\n".join(self.lines), self.context)
        bare = action.model_copy(update={"delay": None})
        if self.losses == without_delay(action) and read != ([bare], []):
            self.refuse(f"{self.verb}.arguments", "they cannot be said, or a verb of ours says this")


def _one_or_more(values: tuple[str, ...]) -> str:
    return literal(values[0] if len(values) == 1 else list(values))


DIALECT = Dialect(NAME, "Playwright Python (codegen)", "text", from_playwright_python, to_playwright_python, pieces=pieces)
