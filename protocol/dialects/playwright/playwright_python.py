"""Playwright's Python, as codegen writes it: one or more lines such as `page.get_by_role("button", name="Save").click()`.

Places are pixels of the page, through `page.mouse`; the wheel counts pixels, positive down and to the right. What is written can
be put into codegen's frame, with the current page always called `page`.
"""

from typing import Any

from protocol.dialects import Writing, dialect_of
from protocol.dialects.playwright.locators import BUTTONS, MODIFIERS, NAME, UNSAID_WAIT, literal, locate, quoted
from protocol.dialects.playwright.playwright_methods import ON_ELEMENTS, ON_PAGES, PREFIX
from protocol.dialects.playwright.playwright_script import Script
from protocol.model import verbs
from protocol.model.targets import ActionTarget


class _Writing(Writing):
    """Lines that ask something of the page."""

    can = frozenset({"fill", "submit", "modifiers"})
    aimed = frozenset({"type", "press_key"})
    moved = frozenset({"scroll", "mouse_down", "mouse_up"})

    def ask(self, method: str, *args: str, **options: Any) -> list[str]:
        """A line; options that are None are left out, the others sorted as codegen sorts them."""
        named = [f"{name}={literal(value)}" for name, value in sorted(options.items()) if value is not None]
        return [f"page.{method}({', '.join([*args, *named])})"]

    def locator(self, target: ActionTarget | None, what: str = "target") -> str | None:
        """The locator of a target; None for a mere place, or for no target."""
        return locate(target, self.context, what)

    def field(self, target: ActionTarget | None) -> str:
        """The locator of a target that cannot be a mere place."""
        found = locate(target, self.context, "target", needed=True)
        return found or self.refuse("target", "a locator is needed: a selector, or a text")

    def spot(self, target: ActionTarget | None, what: str = "target") -> tuple[str, str]:
        point = self.place(target, what)
        return repr(point.x), repr(point.y)

    def button(self, action: verbs.Click | verbs.MouseDown | verbs.MouseUp) -> str | None:
        if action.button not in BUTTONS:
            self.refuse(f"{action.verb}.button", f"there is no button {action.button!r}")
        return None if action.button == "left" else action.button

    def keys(self, *keys: str) -> str:
        """A chord as Playwright spells it, in quotes."""
        return quoted(self.chord(keys, "playwright"))

    def milliseconds(self, seconds: float) -> int | float:
        said = seconds * 1000
        return int(said) if said == int(said) else said

    def simpler(self, action: verbs.Action) -> list[verbs.Action]:
        """An element is asked with the keys that are held; a drag is by hand where an end of it is no element."""
        if isinstance(action, verbs.Click | verbs.Hover) and {*action.modifiers} <= {*MODIFIERS} and self.locator(action.target):
            return [action]
        if isinstance(action, verbs.Drag) and not action.modifiers:
            whole = action.button == "left" and not action.path and self.locator(action.target) and self.locator(action.to, "to")
            return [action] if whole else self.by_hand(action)
        return super().simpler(action)

    def in_clicks(self, action: verbs.Click) -> list[verbs.Action]:
        return [action]

    def click(self, action: verbs.Click) -> list[str]:
        delay, count = self.milliseconds(action.hold) if action.hold else None, 3 if action.count == 3 else None
        method = "dblclick" if action.count == 2 else "click"
        options = {"button": self.button(action), "delay": delay, "click_count": count}
        locator = self.locator(action.target)
        if locator is None:
            return self.ask(f"mouse.{method}", *self.spot(action.target), **options)
        return self.ask(f"{locator}.{method}", **options, modifiers=list(action.modifiers) or None)

    def mouse_down(self, action: verbs.MouseDown | verbs.MouseUp) -> list[str]:
        return self.ask(action.verb.replace("_", "."), button=self.button(action))

    mouse_up = mouse_down

    def hover(self, action: verbs.Hover) -> list[str]:
        locator = self.locator(action.target)
        if locator is None:
            return self.ask("mouse.move", *self.spot(action.target))
        return self.ask(f"{locator}.hover", modifiers=list(action.modifiers) or None)

    def drag(self, action: verbs.Drag) -> list[str]:
        return self.ask(f"{self.field(action.target)}.drag_to", f"page.{self.field(action.to)}")

    def at_keyboard(self, action: verbs.Type | verbs.PressKey) -> tuple[str, list[str]]:
        """The element that takes keys, or the keyboard, once the place is clicked."""
        locator = self.locator(action.target)
        if locator is not None:
            return locator, []
        return "keyboard", [] if action.target is None else self.said(verbs.Click(target=action.target))

    def type(self, action: verbs.Type) -> list[str]:
        keyboard, click = self.at_keyboard(action)
        typed = self.ask(f"{keyboard}.{'type' if keyboard == 'keyboard' else 'press_sequentially'}", quoted(action.text))
        return [*click, *typed, *(self.ask(f"{keyboard}.press", quoted("Enter")) if action.submit else [])]

    def fill(self, action: verbs.Fill) -> list[str]:
        locator = self.field(action.target)
        enter = self.ask(f"{locator}.press", quoted("Enter")) if action.submit else []
        return [*self.ask(f"{locator}.fill", quoted(action.text)), *enter]

    def press_key(self, action: verbs.PressKey) -> list[str]:
        keyboard, click = self.at_keyboard(action)
        return [*click, *self.ask(f"{keyboard}.press", self.keys(*action.keys))]

    def key_down(self, action: verbs.KeyDown | verbs.KeyUp) -> list[str]:
        return self.ask(action.verb.replace("key_", "keyboard."), self.keys(action.key))

    key_up = key_down

    def scroll(self, action: verbs.Scroll) -> list[str]:
        return self.ask("mouse.wheel", *map(literal, self.pixels(action)))

    def select_option(self, action: verbs.SelectOption) -> list[str]:
        return self.ask(f"{self.field(action.target)}.select_option", _one_or_more(action.options))

    def upload(self, action: verbs.Upload) -> list[str]:
        return self.ask(f"{self.field(action.target)}.set_input_files", _one_or_more(action.files))

    def navigate(self, action: verbs.Navigate) -> list[str]:
        return self.ask("goto", quoted(action.url))

    def go_back(self, action: verbs.GoBack | verbs.GoForward) -> list[str]:
        return self.ask(action.verb)

    go_forward = go_back

    def tabs(self, action: verbs.Tabs) -> list[str]:
        if action.op == "list":
            self.refuse("tabs.op", "nothing lists the pages")
        if action.op == "new":
            return ["page = context.new_page()", *(self.ask("goto", quoted(action.url)) if action.url else [])]
        if action.op == "select":
            return [f"page = context.pages[{action.index}]"]
        if action.index is None:
            return ["page.close()", "page = context.pages[-1]"]
        return [f"context.pages[{action.index}].close()"]

    def wait(self, action: verbs.Wait) -> list[str]:
        timeout = self.milliseconds(action.seconds)
        spared = None if action.seconds == UNSAID_WAIT else timeout
        lines = [
            line
            for text, state in ((action.text, None), (action.text_gone, "hidden"))
            if text is not None
            for line in self.ask(f"get_by_text({quoted(text)}).first.wait_for", state=state, timeout=spared)
        ]
        return lines or self.ask("wait_for_timeout", literal(timeout))

    def screenshot(self, action: verbs.Screenshot) -> list[str]:
        region = self.region(action)
        clip = None if region is None else dict(zip(("x", "y", "width", "height"), region, strict=True))
        return self.ask("screenshot", clip=clip)

    def extension(self, action: verbs.Extension) -> list[str]:
        name = action.action_type.removeprefix(PREFIX)
        if name == "expect":
            return [str(action.arguments.get("text"))]
        if name == "dialog":
            return [f'page.once("dialog", lambda dialog: dialog.{action.arguments.get("answer")}())']
        if name not in ON_ELEMENTS and name not in ON_PAGES:
            self.cannot(action)
        if not {*action.arguments} <= {*ON_ELEMENTS.get(name, ()), *ON_PAGES.get(name, ())}:
            self.refuse(f"{action.verb}.arguments", "they are not those of the method")
        if name in ON_ELEMENTS and action.target is not None:
            return self.ask(f"{self.field(action.target)}.{name}", **action.arguments)
        if name not in ON_PAGES:
            self.cannot(action)
        return self.ask(f"keyboard.{name}" if name == "insert_text" else name, **action.arguments)


def _one_or_more(values: tuple[str, ...]) -> str:
    return literal(values[0] if len(values) == 1 else list(values))


DIALECT = dialect_of(Script, _Writing, NAME, "Playwright Python (codegen)", "text", script=True)
