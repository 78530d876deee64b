"""Qwen-VL's `computer_use` function, as the model writes it: JSON within `<tool_call>` tags.

Also read: the JSON alone, as text or as data, lists of calls, `mobile_use`, and the tags that Qwen3.5 writes in place of JSON.
The variant says where coordinates count: a grid divided by 999, as OSWorld does for Qwen3-VL, one divided by 1000, or pixels of
the resized picture, as Qwen2.5-VL has it.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from protocol import ActionTarget, AgentAction, JsonObject, Space
from protocol.dialects import Choice, DialectError, Fields, ParsedPayload, Part, Table, dialect_of, given, row
from protocol.dialects.common.fields import position, within_length
from protocol.dialects.vendors.pointing import COORDINATE, PayloadReading, PayloadWriting, aim_coordinate, click_rows
from protocol.log.versions import SaidTwice, said_once
from protocol.model import verbs

NAME = "qwen"
FUNCTION = "computer_use"
PHONE = "mobile_use"
_LONG_PRESS = 1.0
"""Seconds of a long press that says none."""
_TAGGED = re.compile(r"<tool_call>\s*")
_BARE = re.compile(r'\{(?=\s*")')
_CLOSED = re.compile(r"\s*(</tool_call>|$)")
_FENCE = re.compile(r"```(json)?")
_PARAMETER = re.compile(r"<parameter=(\w++)>((?:(?!</parameter>).)*+)</parameter>\s*+", re.DOTALL)
_FUNCTION = re.compile(rf"<function=(\w++)>\s*+((?:{_PARAMETER.pattern})*+)</function>", re.DOTALL)
_SPACES: dict[str, Space] = {"999": "norm999", "1000": "norm1000"}


def _values(text: str, end: int) -> Iterator[tuple[Any, int, int]]:
    """Each JSON value that is a call, where it starts and where it ends, with its tags."""
    mark = _TAGGED if _TAGGED.search(text, end) else _BARE
    value: Any
    while found := mark.search(text, end):
        begin = found.end() if mark is _TAGGED else found.start()
        tags = _FUNCTION.match(text, begin)
        if tags:  # arguments in tags of their own: JSON, but for what is typed
            given: JsonObject = {}
            value, end = {"name": tags[1], "arguments": given}, tags.end()
            for name, written in _PARAMETER.findall(tags[2]):
                if name in given:
                    raise DialectError(NAME, position(text, begin), f"the key {name[:40]!r} is there twice")
                given[name] = written.strip()
                if name != "text":
                    with suppress(ValueError, RecursionError):
                        given[name] = json.loads(written, object_pairs_hook=said_once)
        else:
            value, end = _json(text, begin, "")
        if mark is _TAGGED:
            closed = _CLOSED.match(text, end)
            if closed is None:
                raise DialectError(NAME, position(text, end), "expected </tool_call>")
            end = closed.end()
        yield value, found.start(), end


def _json(text: str, begin: int, where: str) -> tuple[Any, int]:
    try:
        return json.JSONDecoder(object_pairs_hook=said_once).raw_decode(text, begin)
    except json.JSONDecodeError as bad:
        raise DialectError(NAME, where or position(text, bad.pos), f"this is not JSON: {bad.msg}") from None
    except SaidTwice as twice:
        raise DialectError(NAME, where or position(text, begin), str(twice)) from None
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        raise DialectError(NAME, where or position(text, begin), "the JSON is too deep, or has too long a number") from None


class _Reading(PayloadReading):
    """What the model said, call by call."""

    nothing, empty = "there is no call", DialectError
    spaces = _SPACES

    def parsed(self, payload: Any) -> ParsedPayload:
        return super().parsed(self.in_text(payload) if isinstance(payload, str) else payload)

    def take(self, payload: Any, where: str) -> None:
        self.fields, table = _arguments(payload, where)
        self.actions += self.read(table, self.fields.text("action"), "action")

    def in_text(self, text: str) -> Any:
        """The calls in a model's answer: one, or a list. Words around them are a loss."""
        # Where the answer begins: a thought ends with its tag, and may begin without one
        head, tag, _ = within_length(text, NAME).partition("</think>")
        thinks = head.lstrip().startswith("<think>") or not (_TAGGED.search(head) or _BARE.search(head))
        end, calls = (len(head) + len(tag) if tag and thinks else 0), []
        words = text[:end]
        for call, start, after in _values(text, end):
            words += text[end:start]
            calls.append(call)
            end = after
        if _FENCE.sub("", words + text[end:]).strip():
            self.lose("words", "words beside a call are no action")
        return calls[0] if len(calls) == 1 else calls

    def pair(self, name: str = "coordinate", *, whole: bool = False) -> ActionTarget:
        """Models write fractions of a pixel."""
        return super().pair(name, whole=whole)

    def button(self) -> AgentAction:
        """Back and Enter are verbs of ours; the home screen and a menu are the phone's own."""
        button = self.fields.choice("button", ("Back", "Home", "Menu", "Enter"))
        if button == "Back":
            return self.build("go_back")
        return self.build("press_key", keys=["Enter"]) if button == "Enter" else self.theirs("system_button", button=button)

    def scroll(self, axis: str) -> AgentAction:
        """Qwen's own words: positive values scroll up. Across, positive is right, as in the pyautogui that performs it."""
        pixels = self.fields.number("pixels")
        delta = {"y": -pixels} if axis == "y" else {"x": pixels}
        return self.build("scroll", "pixels", target=self.maybe(), delta=delta, unit="px")


def _arguments(payload: Any, where: str) -> tuple[Fields, Table]:
    """The arguments of a call, which may stand alone, be a text, or be wrapped as chat APIs do, and the table it is in."""
    call = Fields(NAME, payload, where)
    if "action" in call:
        return call, _CALLS
    if "function" in call:
        wrapped = call.any("function")
        call.drop("id", "type", "index")
        call.end()
        call = Fields(NAME, wrapped, f"{where}.function")
    name, given = call.text("name"), call.any("arguments")
    if name not in (FUNCTION, PHONE):
        call.refuse("name", f"{name[:60]!r} is not {FUNCTION}")
    call.drop("id", "type")
    call.end()
    place = f"{call.where}.arguments"
    fields = Fields(NAME, _json(given, 0, place)[0] if isinstance(given, str) else given, place)
    return fields, _PHONE if name == PHONE else _CALLS


_SPOT = Part(lambda r: r.pair(), COORDINATE.write)
_KEYS = Part(
    lambda r: r.keys("keys", r.fields.texts("keys"), "pyautogui"), lambda w, keys: {"keys": w.key_names(keys, "pyautogui")}
)
_CALLS: Table = {
    "key": row("press_key", "keys", keys=_KEYS),
    "type": row("type", text=given("text")),
    "mouse_move": row("hover", target=_SPOT),
    **click_rows(target=_SPOT),
    "left_click_drag": _Reading.drag,
    "scroll": lambda r: r.scroll("y"),
    "hscroll": lambda r: r.scroll("x"),
    "wait": row("wait", "time", seconds=given("time", kind="number")),
    "terminate": Choice("status", {"success": row("finish_goal"), "failure": row("fail_goal")}),
    "answer": row("answer", text=given("text")),
}
_PHONE: Table = {
    "click": row("click", target=_SPOT),
    "long_press": row("click", "time", target=_SPOT, hold=given("time", _LONG_PRESS, kind="number")),
    "swipe": row("drag", target=_SPOT, to=lambda r: r.pair("coordinate2")),
    "system_button": _Reading.button,
    "open": row("launch_app", app=given("text")),
    "key": lambda r: r.theirs("key_event", text=r.fields.text("text")),
    **{verb: _CALLS[verb] for verb in ("type", "wait", "answer", "terminate")},
}


def _tagged(arguments: JsonObject) -> str:
    """The call as the chat template writes it. A tag within a text is escaped: others look for the first one that closes."""
    text = json.dumps({"name": FUNCTION, "arguments": arguments}, ensure_ascii=False)
    if "tool_call>" in text or "think>" in text:
        text = text.replace("<", "\\u003c")
    return f"<tool_call>\n{text}\n</tool_call>"


class _Writing(PayloadWriting):
    """Arguments of the function."""

    aim = aim_coordinate
    table = _CALLS
    spaces = _SPACES
    can = frozenset({"tap"})
    aimed = frozenset()
    moved = frozenset({"scroll"})

    def payload(self, action: verbs.Action) -> str:
        return "\n".join(map(_tagged, self.calls(action)))

    def drag(self, action: verbs.Drag) -> list[JsonObject]:
        self.only_left(action)
        start = self.call("mouse_move", coordinate=self.spot(action.target))
        return [start, self.call("left_click_drag", coordinate=self.spot(action.to, "to"))]

    def scroll(self, action: verbs.Scroll) -> list[JsonObject]:
        x, y = (action.delta.x, action.delta.y) if action.unit == "px" else self.amounts(action, "px")
        down = [self.call("scroll", pixels=-y)] if y or not x else []
        return down + ([self.call("hscroll", pixels=x)] if x else [])


DIALECT = dialect_of(_Reading, _Writing, NAME, "Qwen-VL computer_use", "text", ("999", "1000", "image"))
