"""Playwright's locators as Python writes them: `get_by_role("button", name="Save")`, `locator("#a").content_frame.first`.

A role with a name is `target.role` and `target.text`, a lone `locator("...")` is its selector, and any other chain is
`target.selector` in its own words.
"""

import json
import re
from typing import Any

from protocol.dialects import Context, DialectError, Reading, element_of, given_in
from protocol.dialects.common.syntax import Chain, Flags, Step, read_chain
from protocol.model.targets import ActionTarget

NAME = "playwright_python"
BUTTONS = ("left", "right", "middle")
MODIFIERS = ("Alt", "Control", "ControlOrMeta", "Meta", "Shift")
UNSAID_WAIT = 30.0
"""Seconds that Playwright waits for an element where nothing else is said."""


class PageReading(Reading):
    """A call on a page that is read, be it a method or a tool."""

    def modifiers(self) -> tuple[str, ...]:
        held: tuple[str, ...] = self.fields.texts("modifiers", ())
        for n, name in enumerate(held):
            if name not in MODIFIERS:
                self.fields.refuse(f"modifiers[{n}]", f"one of {', '.join(MODIFIERS)} is needed, not {name[:40]!r}")
        return held

    def keys(self) -> tuple[str, ...]:
        return self.fields.chord("key", "playwright")

    def one_key(self) -> str:
        return self.key(self.keys(), why="one key is needed")


PAGE = re.compile(r"page\d*")
"""The names that codegen gives to pages."""
_FLAGS = frozenset({"IGNORECASE", "I", "MULTILINE", "M", "DOTALL", "S"})
_ATTRIBUTES = frozenset({"first", "last", "content_frame", "visible"})
_FILTERS = ("has", "has_not", "has_text", "has_not_text", "visible")
_STATES = ("checked", "disabled", "expanded", "include_hidden", "level", "pressed", "selected", "description")
_CALLS: dict[str, tuple[int, tuple[str, ...]]] = {
    "locator": (1, _FILTERS),
    "get_by_role": (1, ("name", "exact", *_STATES)),
    **{f"get_by_{what}": (1, ("exact",)) for what in ("text", "label", "placeholder", "alt_text", "title")},
    "get_by_test_id": (1, ()),
    "frame_locator": (1, ()),
    "filter": (0, _FILTERS),
    "nth": (1, ()),
    "and_": (1, ()),
    "or_": (1, ()),
    "describe": (1, ()),
}
"""What a locator is asked for: how many arguments by position, and which by name."""


def is_locator(step: Step) -> bool:
    """Whether a step leads to an element, and holds nothing but texts, numbers, patterns and locators."""
    if step.args is None:
        return step.name in _ATTRIBUTES
    if step.name not in _CALLS:
        return False
    count, names = _CALLS[step.name]
    return len(step.args) == count and set(step.kwargs) <= set(names) and all(map(is_plain, step.values))


def is_plain(value: Any) -> bool:
    """Whether a value is a text, a number, a pattern or a locator, and nothing else."""
    if isinstance(value, Chain):
        return _is_pattern(value) or (
            bool(PAGE.fullmatch(value.root.name)) and value.root.args is None and len(value.steps) > 1
            and all(map(is_locator, value.steps[1:]))
        )  # fmt: skip
    return value is None or isinstance(value, str | int | float)


def _is_pattern(chain: Chain) -> bool:
    """`re.compile(r"...", re.IGNORECASE | re.MULTILINE)`."""
    made = chain.steps[-1]
    if not _of_re(chain) or made.name != "compile" or made.kwargs or not made.args or not isinstance(made.args[0], str):
        return False
    flags = made.args[1:]
    flags = flags[0] if len(flags) == 1 and isinstance(flags[0], Flags) else flags
    known = [_of_re(flag) and flag.steps[1].args is None and flag.steps[1].name in _FLAGS for flag in flags]
    return len(flags) <= len(_FLAGS) and all(known)


def _of_re(value: Any) -> bool:
    return isinstance(value, Chain) and len(value.steps) == 2 and value.root.name == "re" and value.root.args is None


def target_of(steps: list[Step], text: str) -> ActionTarget:
    """The target that these steps of `text` lead to. There is at least one step, and each `is_locator`."""
    said = text[steps[0].start : steps[-1].end]
    if len(steps) > 1:
        return ActionTarget(selector=said)
    step = steps[0]
    first = step.args[0] if step.args else None
    name = step.kwargs.get("name")
    if step.name == "get_by_role" and isinstance(first, str) and isinstance(name, str):
        if set(step.kwargs) == {"name"}:
            return ActionTarget(role=first, text=name)
        return ActionTarget(role=first, text=name, selector=said)
    if step.name == "locator" and isinstance(first, str) and not step.kwargs and _steps_in(first) is None:
        return ActionTarget(selector=first)
    return ActionTarget(selector=said)


def _steps_in(selector: str) -> list[Step] | None:
    """The steps of a selector that is a chain in one line, and nothing else; None for a selector of another kind."""
    if "\n" in selector or "\r" in selector or not selector.endswith((")", *_ATTRIBUTES)):
        return None
    try:
        steps = read_chain(NAME, f"page.{selector}").steps[1:]
    except DialectError:
        return None
    whole = bool(steps) and steps[-1].end == len(selector) + len("page.") and steps[0].start == len("page.")
    return steps if whole and all(map(is_locator, steps)) else None


def locate(target: ActionTarget | None, context: Context, what: str, *, needed: bool = False) -> str | None:
    """`target` as a locator, without the page; None for a mere place, unless an element is needed there."""
    if target is None:
        return None
    if target.selector is not None:
        return target.selector if _steps_in(target.selector) else f"locator({quoted(target.selector)})"
    if target.text is not None and target.role is not None:
        return f"get_by_role({quoted(target.role)}, name={quoted(target.text)})"
    if context.state is not None and (needed or not {*given_in(target)} <= {"point", "description", "state_id", "role"}):
        element, _ = element_of(target, context, NAME, what)
        if element is not None and element.role and element.text:
            return f"get_by_role({quoted(element.role)}, name={quoted(element.text)})"
        if element is not None and element.text:
            return f"get_by_text({quoted(element.text)})"
    return f"get_by_text({quoted(target.text)})" if target.text is not None else None


def quoted(text: str) -> str:
    """A text as Python's code, in double quotes as codegen writes it."""
    said = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda sign: sign[0] if sign[0].isprintable() else ascii(sign[0])[1:-1], said)


_UNPRINTABLE = re.compile(r"[^\x20-\x7e]")


def literal(value: Any) -> str:
    """A JSON value as Python's code."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{quoted(name)}: {literal(inner)}' for name, inner in value.items())}}}"
    return repr(value)
