"""WebArena: one action such as `type [164] [restaurants near CMU] [1]`, bare or between triple backticks.

Source: web-arena-x/webarena `browser_env/actions.py` (id based actions) and its prompts. Ids are those of our elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from protocol.dialects.common.base import (
    Context,
    Conversion,
    Dialect,
    DialectError,
    Loss,
    ParsedPayload,
    WrittenPayload,
    build,
    cannot,
    element_of,
    without_delay,
)
from protocol.dialects.common.saying import (
    a_text,
    direction_of,
    element_id_of,
    position,
    read_chord,
    within_length,
    write_chord,
)
from protocol.model.actions import AgentAction
from protocol.model.targets import ActionTarget
from protocol.model.verbs import Action, Answer, Click, FailGoal, Fill, FinishGoal, Hover, PressKey, Scroll, Tabs, Type

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


def _build(where: str, verb: str, **fields: Any) -> AgentAction:
    return build(NAME, where, action_type=verb, **fields)


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
    return _build(where, "type", target=_element(parts[1], where), text=text, submit=submit)


def _press(rest: str, where: str) -> AgentAction:
    return _build(where, "press_key", keys=read_chord(_inner(rest, where), "playwright", NAME, where))


def _scroll(rest: str, where: str) -> AgentAction:
    way = rest.removeprefix("[").removesuffix("]").removeprefix("direction=")
    if way not in ("up", "down"):
        raise DialectError(NAME, where, f"[up] or [down] is needed, not {rest[:40]!r}")
    return _build(where, "scroll", direction=way, amount=PAGE, unit="page")


def _tab(rest: str, where: str) -> AgentAction:
    number = _inner(rest, where)
    if not re.fullmatch(r"[0-9]{1,6}", number):
        raise DialectError(NAME, where, f"the number of a tab is needed, not {number[:40]!r}")
    return _build(where, "tabs", op="select", index=int(number))


def _stop(rest: str, where: str) -> AgentAction:
    answer = _inner(rest, where) if rest else ""
    return _build(where, "fail_goal") if answer == IMPOSSIBLE else _build(where, "finish_goal", summary=answer)


def _alone(verb: str, **fields: Any) -> Callable[[str, str], AgentAction]:
    def read(rest: str, where: str) -> AgentAction:
        if rest:
            raise DialectError(NAME, where, f"nothing may follow, not {rest[:40]!r}")
        return _build(where, verb, **fields)

    return read


_READ: dict[str, Callable[[str, str], AgentAction]] = {
    "click": lambda rest, where: _build(where, "click", target=_element(rest, where)),
    "hover": lambda rest, where: _build(where, "hover", target=_element(rest, where)),
    "type": _type,
    "press": _press,
    "scroll": _scroll,
    "goto": lambda rest, where: _build(where, "navigate", url=_inner(rest, where)),
    "new_tab": _alone("tabs", op="new"),
    "tab_focus": _tab,
    "page_focus": _tab,
    "close_tab": _alone("tabs", op="close"),
    "go_back": _alone("go_back"),
    "go_forward": _alone("go_forward"),
    "stop": _stop,
}


def to_webarena(action: Action, context: Context) -> WrittenPayload:
    """The one line of `action`, without backticks. Raises DialectError for what takes more than one action there, or none."""
    DIALECT.variant(context)
    write = _WRITE.get(action.verb)
    if write is None:
        cannot(NAME, action)
    writing = _Writing(NAME, context)
    if action.verb not in ("click", "hover", "type", "fill"):
        writing.drop(action, target="there is no target")
    text = within_length(write(action, writing), NAME)
    return WrittenPayload(text, writing.losses + without_delay(action))


class _Writing(Conversion):
    """One action that is written."""

    def element(self, action: Action) -> str:
        target = action.target or cannot(NAME, action, "an element is needed: click it first")
        found, losses = element_id_of(target, self.context, NAME) or (None, [])
        if found is None:
            element = element_of(target, self.context, NAME)[0] or cannot(NAME, action, "no known element is there")
            given = "bbox" if target.bbox else "point"
            found, losses = element.element_id, [Loss(what=f"target.{given}", why="said as the element that is there")]
        self.take(losses)
        if not found or re.search(r"[\[\]]", found):
            cannot(NAME, action, f"the id {found[:40]!r} would be read as another")
        if not re.fullmatch("[0-9]+", found):
            self.lose("target.element_id", "WebArena's own parser only takes ids of digits")
        return found

    def text(self, what: str, text: str) -> str:
        """A text as it is, although WebArena's own parser takes no line breaks."""
        if "\n" in text:
            self.lose(what, "WebArena's own parser takes no line breaks")
        return text


def _click(action: Click, w: _Writing) -> str:
    if (action.button, action.count, action.modifiers, action.hold) != ("left", 1, (), 0.0):
        cannot(NAME, action, "only a single click of the left button can be said")
    return f"click [{w.element(action)}]"


def _hover(action: Hover, w: _Writing) -> str:
    w.drop(action, modifiers="no keys are held while hovering")
    return f"hover [{w.element(action)}]"


def _write_type(action: Type | Fill, w: _Writing) -> str:
    if isinstance(action, Fill):
        w.lose("fill", "said as a type: what is in the field stays")
    if not action.text:
        w.lose(f"{action.verb}.text", "WebArena's own parser takes no empty text")
    return f"type [{w.element(action)}] [{w.text(f'{action.verb}.text', action.text)}] [{int(action.submit)}]"


def _press_key(action: PressKey, w: _Writing) -> str:
    if action.target is not None:
        cannot(NAME, action, "keys go to the focused element: click it first")
    return f"press [{write_chord(action.keys, 'playwright', NAME, action)}]"


def _write_scroll(action: Scroll, w: _Writing) -> str:
    way, losses = direction_of(action, NAME, PAGE, "page")
    if way not in ("up", "down"):
        cannot(NAME, action, "only up and down can be said")
    w.take(losses)
    return f"scroll [{way}]"


def _tabs(action: Tabs, w: _Writing) -> str:
    if action.op == "select":
        return f"tab_focus [{action.index}]"
    if action.op == "list" or action.url is not None or action.index is not None:
        cannot(NAME, action, "one action at a time: a tab is opened empty, and the current one closed")
    return "new_tab" if action.op == "new" else "close_tab"


def _write_stop(action: FinishGoal | Answer | FailGoal, w: _Writing) -> str:
    if isinstance(action, FailGoal):
        w.drop(action, reason=f"an impossible task is said as {IMPOSSIBLE}")
        return f"stop [{IMPOSSIBLE}]"
    if isinstance(action, Answer):
        w.lose("answer", "said as stop, which also ends the run")
    answer = action.text if isinstance(action, Answer) else action.summary
    if answer == IMPOSSIBLE:
        cannot(NAME, action, f"the answer {IMPOSSIBLE} means that the task cannot be done")
    return f"stop [{w.text('answer.text' if isinstance(action, Answer) else 'finish_goal.summary', answer)}]"


_WRITE: dict[str, Callable[[Any, _Writing], str]] = {
    "click": _click,
    "hover": _hover,
    "type": _write_type,
    "fill": _write_type,
    "press_key": _press_key,
    "scroll": _write_scroll,
    "navigate": lambda a, w: f"goto [{w.text('navigate.url', a.url)}]",
    "tabs": _tabs,
    "go_back": lambda a, w: "go_back",
    "go_forward": lambda a, w: "go_forward",
    "finish_goal": _write_stop,
    "answer": _write_stop,
    "fail_goal": _write_stop,
}

DIALECT = Dialect(name=NAME, title="WebArena", kind="text", read=from_webarena, write=to_webarena)
