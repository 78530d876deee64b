"""WebArena: one action such as `type [164] [restaurants near CMU] [1]`, bare or between triple backticks.

Source: web-arena-x/webarena `browser_env/actions.py` (id based actions) and its prompts. Ids are those of our elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from protocol.dialects.common.base import Context, Dialect, DialectError, ParsedPayload, WrittenPayload
from protocol.dialects.common.conversion import Writing, element_of, read_chord, without_delay
from protocol.dialects.common.fields import a_text, build, position, within_length
from protocol.model import verbs
from protocol.model.actions import AgentAction
from protocol.model.targets import ActionTarget

NAME = "webarena"
PAGE = 1
"""Pages of a scroll, which never says how far; WebArena scrolls by the height of the window."""
IMPOSSIBLE = "N/A"
"""The answer that says that the task cannot be done."""


def from_webarena(payload: Any, context: Context) -> ParsedPayload:
    """The one action of the text. Raises DialectError with line and column."""
    DIALECT.variant(context)
    text = a_text(payload, NAME)
    if _BARE.match(text):
        return ParsedPayload([_action(text, 0, len(text))], [])
    first = text.find("```")
    if first < 0:
        raise DialectError(NAME, "", "there is no action in the text")
    start, ends = first + 3, (text.find("```", first + 3), text.rfind("```"))
    if ends[0] < 0:
        raise DialectError(NAME, position(text, first), "the backticks are not closed")
    try:
        return ParsedPayload([_action(text, start, ends[0])], [])
    except DialectError:
        if ends[0] == ends[1]:
            raise
    return ParsedPayload([_action(text, start, ends[1])], [])  # the text that is typed holds backticks itself


_VERB = re.compile(r"\s*+([a-z_]++)[ \t]*+")
_BARE = re.compile(
    r"\s*+(?:(?:click|hover|type|press|scroll|goto|tab_focus|page_focus|stop) ?\[|scroll (?:up|down)\s*+$"
    r"|(?:new_tab|close_tab|go_back|go_forward|stop)\s*+$)"
)


def _action(text: str, start: int, end: int) -> AgentAction:
    where = position(text, start)
    said = text[start:end]
    match = _VERB.match(said)
    read = _READ.get(match[1]) if match else None
    if match is None or read is None:
        raise DialectError(NAME, where, f"there is no action {said.strip()[:40]!r}; actions are {', '.join(_READ)}")
    return read(said[match.end() :].strip(), where)


def _inner(rest: str, where: str) -> str:
    """What stands between the first bracket and the last."""
    if len(rest) < 2 or not (rest.startswith("[") and rest.endswith("]")):
        raise DialectError(NAME, where, f"one value in brackets is needed, not {rest[:40]!r}")
    return rest[1:-1]


def _element(rest: str, where: str) -> ActionTarget:
    found = _inner(rest, where)
    if not found or re.search(r"[\[\]]", found):
        raise DialectError(NAME, where, f"the id of an element is needed, not {found[:40]!r}")
    return ActionTarget(element_id=found)


_TYPE = re.compile(r"(\[[^\[\]]*+\])\s*+\[(.*)\]", re.DOTALL)
_FLAG = re.compile(r"(.*)\] ?\[(?:press_enter_after=)?([01])", re.DOTALL)


def _type(rest: str, where: str) -> AgentAction:
    """The last bracket ends the text, and a 0 or 1 in brackets behind it is the flag: the text may hold brackets."""
    parts = _TYPE.fullmatch(rest)
    if parts is None:
        raise DialectError(NAME, where, "type needs [id] [text], and [0] or [1] for Enter")
    flagged = _FLAG.fullmatch(parts[2])
    text, submit = (flagged[1], flagged[2] == "1") if flagged else (parts[2], True)
    return build(NAME, where, action_type="type", target=_element(parts[1], where), text=text, submit=submit)


def _scroll(rest: str, where: str) -> AgentAction:
    way = rest.removeprefix("[").removesuffix("]").removeprefix("direction=")
    if way not in ("up", "down"):
        raise DialectError(NAME, where, f"[up] or [down] is needed, not {rest[:40]!r}")
    return build(NAME, where, action_type="scroll", direction=way, amount=PAGE, unit="page")


def _tab(rest: str, where: str) -> AgentAction:
    number = _inner(rest, where)
    if not re.fullmatch(r"[0-9]{1,6}", number):
        raise DialectError(NAME, where, f"the number of a tab is needed, not {number[:40]!r}")
    return build(NAME, where, action_type="tabs", op="select", index=int(number))


def _stop(rest: str, where: str) -> AgentAction:
    answer = _inner(rest, where) if rest else ""
    return (
        build(NAME, where, action_type="fail_goal")
        if answer == IMPOSSIBLE
        else build(NAME, where, action_type="finish_goal", summary=answer)
    )


def _alone(verb: str, **fields: Any) -> Callable[[str, str], AgentAction]:
    def read(rest: str, where: str) -> AgentAction:
        if rest:
            raise DialectError(NAME, where, f"nothing may follow, not {rest[:40]!r}")
        return build(NAME, where, action_type=verb, **fields)

    return read


_READ: dict[str, Callable[[str, str], AgentAction]] = {
    "click": lambda rest, where: build(NAME, where, action_type="click", target=_element(rest, where)),
    "hover": lambda rest, where: build(NAME, where, action_type="hover", target=_element(rest, where)),
    "type": _type,
    "press": lambda rest, where: build(
        NAME, where, action_type="press_key", keys=read_chord(_inner(rest, where), "playwright", NAME, where)
    ),
    "scroll": _scroll,
    "goto": lambda rest, where: build(NAME, where, action_type="navigate", url=_inner(rest, where)),
    "new_tab": _alone("tabs", op="new"),
    "tab_focus": _tab,
    "page_focus": _tab,
    "close_tab": _alone("tabs", op="close"),
    "go_back": _alone("go_back"),
    "go_forward": _alone("go_forward"),
    "stop": _stop,
}


def to_webarena(action: verbs.Action, context: Context) -> WrittenPayload:
    """The one line of `action`, without backticks. Raises DialectError for what takes more than one action there, or none."""
    DIALECT.variant(context)
    writing = _Writing(NAME, context)
    text = within_length("".join(writing.said(action)), NAME)
    return WrittenPayload(text, writing.losses + without_delay(action))


class _Writing(Writing):
    """The one line of an action."""

    aimed = frozenset({"click", "hover", "type", "fill"})
    no_target = "there is no target"
    lost: ClassVar = {
        "hover": {"modifiers": "no keys are held while hovering"},
        "fail_goal": {"reason": f"an impossible task is said as {IMPOSSIBLE}"},
    }

    def element(self, action: verbs.Action) -> str:
        target = action.target or self.cannot(action, "an element is needed: click it first")
        found = self.element_id(target)
        if found is None:
            element = element_of(target, self.context, NAME)[0] or self.cannot(action, "no known element is there")
            self.lose(f"target.{'bbox' if target.bbox else 'point'}", "said as the element that is there")
            found = element.element_id
        if not found or re.search(r"[\[\]]", found):
            self.cannot(action, f"the id {found[:40]!r} would be read as another")
        if not re.fullmatch("[0-9]+", found):
            self.lose("target.element_id", "WebArena's own parser only takes ids of digits")
        return found

    def text(self, what: str, text: str) -> str:
        """A text as it is, although WebArena's own parser takes no line breaks."""
        if "\n" in text:
            self.lose(what, "WebArena's own parser takes no line breaks")
        return text

    def click(self, action: verbs.Click) -> list[str]:
        if (action.button, action.count, action.modifiers, action.hold) != ("left", 1, (), 0.0):
            self.cannot(action, "only a single click of the left button can be said")
        return [f"click [{self.element(action)}]"]

    def hover(self, action: verbs.Hover) -> list[str]:
        return [f"hover [{self.element(action)}]"]

    def type(self, action: verbs.Type | verbs.Fill) -> list[str]:
        if isinstance(action, verbs.Fill):
            self.lose("fill", "said as a type: what is in the field stays")
        if not action.text:
            self.lose(f"{action.verb}.text", "WebArena's own parser takes no empty text")
        return [f"type [{self.element(action)}] [{self.text(f'{action.verb}.text', action.text)}] [{int(action.submit)}]"]

    fill = type

    def press_key(self, action: verbs.PressKey) -> list[str]:
        if action.target is not None:
            self.cannot(action, "keys go to the focused element: click it first")
        return [f"press [{self.chord(action, action.keys, 'playwright')}]"]

    def scroll(self, action: verbs.Scroll) -> list[str]:
        way = self.way(action, PAGE, "page")
        return [f"scroll [{way}]" if way in ("up", "down") else self.cannot(action, "only up and down can be said")]

    def navigate(self, action: verbs.Navigate) -> list[str]:
        return [f"goto [{self.text('navigate.url', action.url)}]"]

    def tabs(self, action: verbs.Tabs) -> list[str]:
        if action.op == "select":
            return [f"tab_focus [{action.index}]"]
        if action.op == "list" or action.url is not None or action.index is not None:
            self.cannot(action, "one action at a time: a tab is opened empty, and the current one closed")
        return ["new_tab" if action.op == "new" else "close_tab"]

    def go_back(self, action: verbs.GoBack | verbs.GoForward) -> list[str]:
        return [action.verb]

    go_forward = go_back

    def finish_goal(self, action: verbs.FinishGoal | verbs.Answer) -> list[str]:
        if isinstance(action, verbs.Answer):
            self.lose("answer", "said as stop, which also ends the run")
        what, text = ("answer.text", action.text) if isinstance(action, verbs.Answer) else ("finish_goal.summary", action.summary)
        if text == IMPOSSIBLE:
            self.cannot(action, f"the answer {IMPOSSIBLE} means that the task cannot be done")
        return [f"stop [{self.text(what, text)}]"]

    answer = finish_goal

    def fail_goal(self, action: verbs.FailGoal) -> list[str]:
        return [f"stop [{IMPOSSIBLE}]"]


DIALECT = Dialect(NAME, "WebArena", "text", from_webarena, to_webarena)
