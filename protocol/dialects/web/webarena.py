"""WebArena: one action such as `type [164] [restaurants near CMU] [1]`, bare or between triple backticks.

Source: web-arena-x/webarena `browser_env/actions.py` (id based actions) and its prompts. Ids are those of our elements.
"""

import re
from typing import Any

from protocol import ActionTarget, AgentAction
from protocol.dialects import DialectError, ParsedPayload, Part, Reading, Table, Writing, dialect_of, row
from protocol.dialects.common.fields import a_text, build, position, read_chord
from protocol.model import verbs

NAME = "webarena"
PAGE = 1
"""Pages of a scroll, which never says how far; WebArena scrolls by the height of the window."""
IMPOSSIBLE = "N/A"
"""The answer that says that the task cannot be done."""


_VERB = re.compile(r"\s*+([a-z_]++)[ \t]*+")
_BARE = re.compile(
    r"\s*+(?:(?:click|hover|type|press|scroll|goto|tab_focus|page_focus|stop) ?\[|scroll (?:up|down)\s*+$"
    r"|(?:new_tab|close_tab|go_back|go_forward|stop)\s*+$)"
)


_TYPE = re.compile(r"(\[[^\[\]]*+\])\s*+\[(.*)\]", re.DOTALL)
_FLAG = re.compile(r"(.*)\] ?\[(?:press_enter_after=)?([01])", re.DOTALL)


class _Reading(Reading):
    """The one action of a text."""

    where: str
    rest: str
    """What stands behind its verb, as far as nobody has read it."""

    def parsed(self, payload: Any) -> ParsedPayload:
        text = a_text(payload, NAME)
        if _BARE.match(text):
            return self._action(text, 0, len(text))
        first = text.find("```")
        if first < 0:
            self.refuse("", "there is no action in the text")
        start, ends = first + 3, (text.find("```", first + 3), text.rfind("```"))
        if ends[0] < 0:
            self.refuse(position(text, first), "the backticks are not closed")
        try:
            return self._action(text, start, ends[0])
        except DialectError:
            if ends[0] == ends[1]:
                raise
        return self._action(text, start, ends[1])  # the text that is typed holds backticks itself

    def _action(self, text: str, start: int, end: int) -> ParsedPayload:
        self.where, said = position(text, start), text[start:end]
        match = _VERB.match(said)
        read = _ACTIONS.get(match[1]) if match else None
        if match is None or read is None:
            self.refuse(self.where, f"there is no action {said.strip()[:40]!r}; actions are {', '.join(_ACTIONS)}")
        self.rest = said[match.end() :].strip()
        action: AgentAction = read(self)
        if self.rest:
            self.refuse(self.where, f"nothing may follow, not {self.rest[:40]!r}")
        return ParsedPayload([action], [])

    def build(self, verb: str, blame: str = "", **values: Any) -> AgentAction:
        return build(NAME, self.where, action_type=verb, **values)

    def inner(self) -> str:
        """What stands between the first bracket and the last."""
        rest, self.rest = self.rest, ""
        if len(rest) < 2 or not (rest.startswith("[") and rest.endswith("]")):
            self.refuse(self.where, f"one value in brackets is needed, not {rest[:40]!r}")
        return rest[1:-1]

    def element(self) -> ActionTarget:
        found = self.inner()
        if not found or re.search(r"[\[\]]", found):
            self.refuse(self.where, f"the id of an element is needed, not {found[:40]!r}")
        return ActionTarget(element_id=found)

    def type(self) -> AgentAction:
        """The last bracket ends the text, and a 0 or 1 in brackets behind it is the flag: the text may hold brackets."""
        parts = _TYPE.fullmatch(self.rest)
        if parts is None:
            self.refuse(self.where, "type needs [id] [text], and [0] or [1] for Enter")
        flagged = _FLAG.fullmatch(parts[2])
        text, submit = (flagged[1], flagged[2] == "1") if flagged else (parts[2], True)
        self.rest = parts[1]
        return self.build("type", target=self.element(), text=text, submit=submit)

    def scroll(self) -> AgentAction:
        rest, self.rest = self.rest, ""
        way = rest.removeprefix("[").removesuffix("]").removeprefix("direction=")
        if way not in ("up", "down"):
            self.refuse(self.where, f"[up] or [down] is needed, not {rest[:40]!r}")
        return self.build("scroll", direction=way, amount=PAGE, unit="page")

    def tab(self) -> int:
        number = self.inner()
        if not re.fullmatch(r"[0-9]{1,6}", number):
            self.refuse(self.where, f"the number of a tab is needed, not {number[:40]!r}")
        return int(number)

    def stop(self) -> AgentAction:
        answer = self.inner() if self.rest else ""
        return self.build("fail_goal") if answer == IMPOSSIBLE else self.build("finish_goal", summary=answer)


_ELEMENT = Part(_Reading.element, lambda w, target: {"id": w.element(target)})
_KEYS = Part(lambda r: read_chord(r.inner(), "playwright", NAME, r.where), lambda w, keys: {"keys": w.chord(keys, "playwright")})
_TAB = Part(_Reading.tab, lambda w, index: None if index is None else {"index": index})
_ACTIONS: Table = {
    "click": row("click", target=_ELEMENT),
    "hover": row("hover", target=_ELEMENT),
    "type": _Reading.type,
    "press": row("press_key", keys=_KEYS),
    "scroll": _Reading.scroll,
    "goto": row("navigate", url=Part(_Reading.inner, lambda w, url: {"url": w.text("navigate.url", url)})),
    "new_tab": row("tabs", op="new"),
    "tab_focus": row("tabs", op="select", index=_TAB),
    "page_focus": row("tabs", op="select", index=_TAB),
    "close_tab": row("tabs", op="close"),
    "go_back": row("go_back"),
    "go_forward": row("go_forward"),
    "stop": _Reading.stop,
}


class _Writing(Writing):
    """The one line of an action."""

    table = _ACTIONS

    def payload(self, action: verbs.Action) -> str:
        return "".join(self.said(action))

    def call(self, name: str, /, **arguments: Any) -> str:
        return " ".join([name, *(f"[{value}]" for value in arguments.values())])

    def element(self, target: ActionTarget | None, what: str = "target") -> str:
        if target is None:
            self.refuse(what, "an element is needed: click it first")
        found = super().element(target, what)
        if not found or re.search(r"[\[\]]", found):
            self.refuse(what, f"the id {found[:40]!r} would be read as another")
        if not re.fullmatch("[0-9]+", found):
            self.lose("target.element_id", "WebArena's own parser only takes ids of digits")
        return found

    def text(self, what: str, text: str) -> str:
        """A text as it is, although WebArena's own parser takes no line breaks."""
        if "\n" in text:
            self.lose(what, "WebArena's own parser takes no line breaks")
        return text

    def said(self, action: verbs.Action) -> list[str]:
        """One action at a time: what would take several there is refused."""
        match action:
            case verbs.Click() if action.modifiers or action.hold:
                self.cannot(action, "only a single click of the left button can be said")
            case verbs.PressKey() if action.target is not None:
                self.cannot(action, "keys go to the focused element: click it first")
            case verbs.Tabs() if action.url is not None or (action.op == "close" and action.index is not None):
                self.cannot(action, "one action at a time: a tab is opened empty, and the current one closed")
        return super().said(action)

    def type(self, action: verbs.Type | verbs.Fill) -> list[str]:
        if not action.text:
            self.lose(f"{action.verb}.text", "WebArena's own parser takes no empty text")
        text = self.text(f"{action.verb}.text", action.text)
        return [self.call("type", id=self.element(action.target), text=text, enter=int(action.submit))]

    fill = type

    def scroll(self, action: verbs.Scroll) -> list[str]:
        way = self.way(action)
        return [self.call("scroll", way=way)] if way in ("up", "down") else self.cannot(action, "only up and down can be said")

    def finish_goal(self, action: verbs.FinishGoal | verbs.Answer) -> list[str]:
        what, text = ("answer.text", action.text) if isinstance(action, verbs.Answer) else ("finish_goal.summary", action.summary)
        if text == IMPOSSIBLE:
            self.cannot(action, f"the answer {IMPOSSIBLE} means that the task cannot be done")
        return [self.call("stop", text=self.text(what, text))]

    answer = finish_goal

    def fail_goal(self, action: verbs.FailGoal) -> list[str]:
        return [self.call("stop", text=IMPOSSIBLE)]


DIALECT = dialect_of(_Reading, _Writing, NAME, "WebArena", "text")
