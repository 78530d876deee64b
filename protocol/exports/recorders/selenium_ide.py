"""Projects of Selenium IDE (`.side`): `{name, url, tests: [{name, commands: [{command, target, value}]}]}`. Read only.

A command without a verb of ours is carried, as `x-selenium_ide.assert_text`; nothing is run, and no variable is filled in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from protocol.dialects.common.base import Loss
from protocol.dialects.common.fields import Fields, build
from protocol.exports.common.base import Format, ImportResult
from protocol.exports.common.kept import info_of, lost_in_reading
from protocol.exports.common.lines import json_document, listed, mapping, step_of, told_each
from protocol.log.log import LogLine
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.keys import KeyNameError, read_key
from protocol.model.steps import InteractionStep

NAME = "selenium_ide"
Target = dict[str, str] | None
_COMMAND = re.compile(r"[A-Za-z][A-Za-z0-9 _.-]{0,80}")
_VARIABLE = re.compile(r"\$\{(?!KEY_)[^}]*\}")
_KEY = re.compile(r"\$\{KEY_([A-Z0-9_]+)\}")
_KEYS = {
    "LEFT": "ArrowLeft", "UP": "ArrowUp", "RIGHT": "ArrowRight", "DOWN": "ArrowDown", "PGUP": "PageUp", "PAGE_UP": "PageUp",
    "PGDN": "PageDown", "PAGE_DOWN": "PageDown", "BKSP": "Backspace", "BACKSPACE": "Backspace", "DEL": "Delete", "INS": "Insert",
    "CTRL": "Control", "COMMAND": "Meta", "ESC": "Escape",
}  # fmt: skip
"""The IDE's names of keys that are not ours in capitals."""
_HELD = ("Control", "Alt", "Shift", "Meta")
_SIZE = re.compile(r"\s*(\d{1,5})\s*x\s*(\d{1,5})\s*")
_ABOUT = ("id", "comment", "target", "targets", "value", "skip")
"""Fields that every command may have; those of windows and frames beside them are kept in `raw`."""


def read(path: Path) -> ImportResult:
    """Every command of every test, in order; a test's name is the subtask. The document is held in memory. Raises FormatError."""
    project = json_document(path, "tests", "a project of Selenium IDE")
    base = project.get("url") if isinstance(project.get("url"), str) else ""
    info = info_of(None, run_id=path.stem, goal=project.get("name"), agent="Selenium IDE")
    return ImportResult(info, _lines(project["tests"], str(base)))


def _lines(tests: list[Any], base: str) -> Iterator[LogLine]:
    first = 1
    for n, test in enumerate(tests):
        commands = listed(mapping(test).get("commands"))
        reader = _Reader(base, mapping(test).get("name"))
        yield from told_each(commands, f"$.tests[{n}].commands", "a command", reader.steps, first)
        first += len(commands)


class _Reader:
    """Reads the commands of one test, and knows the size of its window."""

    def __init__(self, base: str, name: Any) -> None:
        self.base = base
        self.losses: list[Loss] = []
        self._name = name if isinstance(name, str) else ""
        self._size: tuple[int, int] | None = None

    def steps(self, number: int, where: str, command: JsonObject) -> Iterator[InteractionStep]:
        """The steps of a command; one that is switched off, or that is a comment alone, is none."""
        self.losses = []
        fields = Fields(NAME, command, where)
        verb = fields.text("command").strip()
        if not verb or verb.startswith("//"):
            return
        if not _COMMAND.fullmatch(verb):
            fields.refuse("command", f"{verb[:60]!r} is no name of a command")
        target, value = fields.text("target", ""), fields.text("value", "")
        if verb == "setWindowSize" and (size := _SIZE.fullmatch(target)):
            self._size = (max(1, int(size[1])), max(1, int(size[2])))
            return
        lead = verb.removesuffix("AndWait")
        actions = _READERS[lead](self, fields, target, value) if lead in _READERS else None
        if actions is None:
            arguments = {name: said for name, said in (("target", target), ("value", value)) if said}
            actions = [build(NAME, where, action_type=f"x-{NAME}.{_snake(verb)}", arguments=arguments)]
        for said in _VARIABLE.findall(f"{target}\n{value}") if lead in _READERS else ():
            self.losses.append(Loss(what="variable", why=f"what {said[:60]} stands for is only known when it is run"))
        state = {"screen_resolution": self._size} if self._size else {}
        for n, action in enumerate(actions):
            raw = {"command": command, **lost_in_reading(self.losses)} if n == 0 else {}
            yield step_of(
                where, timestamp=0.0, step=number, subtask=self._name, visual_state=state, action=action, raw=raw,
                reasoning=fields.text("comment", "") if n == 0 else "",
            )  # fmt: skip

    def act(self, fields: Fields, verb: str, **given: Any) -> list[AgentAction]:
        return [build(NAME, fields.where, action_type=verb, **given)]

    def offset(self, value: str, what: str) -> None:
        if value.strip():
            self.losses.append(Loss(what=f"{what}.offset", why="only the element is said, not the place within it"))


def _snake(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_")


def target_of(locator: str, fields: Fields, name: str = "target") -> dict[str, str]:
    """The element of a locator: a link by its text, everything else by a selector. Raises DialectError."""
    kind, mark, said = locator.partition("=")
    if locator.startswith(("//", "(//", "./")):
        return {"selector": f"xpath={locator}"}
    if mark and said and kind in _SELECTORS:
        return _SELECTORS[kind](said)
    return fields.refuse(name, f"a locator such as id=save or css=#save is needed, not {locator[:60]!r}")


def _attribute(name: str) -> Callable[[str], dict[str, str]]:
    return lambda said: {"selector": f'[{name}="{_escaped(said)}"]'}


def _escaped(text: str) -> str:
    return re.sub(r'["\\]', r"\\\g<0>", text).replace("\n", "\\a ")


_SELECTORS: dict[str, Callable[[str], dict[str, str]]] = {
    "id": _attribute("id"), "name": _attribute("name"), "css": lambda said: {"selector": said},
    "xpath": lambda said: {"selector": f"xpath={said}"}, "class": lambda said: {"selector": f'[class~="{_escaped(said)}"]'},
    "link": lambda said: {"text": said, "role": "link"}, "linkText": lambda said: {"text": said, "role": "link"},
    "partialLinkText": lambda said: {"selector": f"a >> text={said}"},
}  # fmt: skip
_Read = Callable[[_Reader, Fields, str, str], list[AgentAction] | None]


def _click(**how: Any) -> _Read:
    def read(reader: _Reader, fields: Fields, target: str, value: str) -> list[AgentAction]:
        reader.offset(value, "click")
        return reader.act(fields, "click", target=target_of(target, fields), **how)

    return read


def _on(verb: str) -> _Read:
    def read(reader: _Reader, fields: Fields, target: str, value: str) -> list[AgentAction]:
        reader.offset(value, verb)
        return reader.act(fields, verb, target=target_of(target, fields))

    return read


def _open(reader: _Reader, fields: Fields, target: str, value: str) -> list[AgentAction]:
    try:
        url = urljoin(reader.base, target)
    except ValueError as bad:
        fields.refuse("target", f"{target[:60]!r} is no address: {bad}")
    return reader.act(fields, "navigate", url=url)


def _type(reader: _Reader, fields: Fields, target: str, value: str) -> list[AgentAction]:
    return reader.act(fields, "fill", target=target_of(target, fields), text=value)


def _send_keys(reader: _Reader, fields: Fields, target: str, value: str) -> list[AgentAction]:
    """Texts and keys in order; a modifier is held from where it stands to the end."""
    spot = target_of(target, fields)
    held: list[str] = []
    found: list[AgentAction] = []
    for n, part in enumerate(_KEY.split(value)):
        if n % 2 == 0 and not held:
            found += reader.act(fields, "type", target=spot, text=part) if part else []
            continue
        for key in [_key(part, fields)] if n % 2 else part:
            if key in _HELD:
                held.append(key)
            else:
                found += reader.act(fields, "press_key", target=spot, keys=[*held, "Space" if key == " " else key])
    if held and not any(action.verb == "press_key" for action in found):
        found += reader.act(fields, "press_key", target=spot, keys=held)
    return found or reader.act(fields, "type", target=spot, text="")


def _key(name: str, fields: Fields) -> str:
    try:
        return read_key(_KEYS.get(name, name.capitalize()), "playwright")
    except KeyNameError as no:
        fields.refuse("value", str(no))


def _select(reader: _Reader, fields: Fields, target: str, value: str) -> list[AgentAction] | None:
    """An option by its label or its value; by its index or its id, the command is carried."""
    kind, mark, said = value.partition("=")
    if not mark or kind not in ("label", "value", "index", "id"):
        kind, said = "label", value
    if kind in ("index", "id"):
        return None
    if kind == "value":
        reader.losses.append(Loss(what="select_option.value", why="an option is named by its value or its label alike"))
    return reader.act(fields, "select_option", target=target_of(target, fields), options=[said])


def _drag(reader: _Reader, fields: Fields, target: str, value: str) -> list[AgentAction]:
    return reader.act(fields, "drag", target=target_of(target, fields), to=target_of(value, fields, "value"))


def _pause(reader: _Reader, fields: Fields, target: str, value: str) -> list[AgentAction] | None:
    said = target.strip() or value.strip()
    return reader.act(fields, "wait", seconds=int(said) / 1000) if re.fullmatch(r"[0-9]{1,8}", said) else None


def _close(reader: _Reader, fields: Fields, target: str, value: str) -> list[AgentAction]:
    return reader.act(fields, "tabs", op="close")


_READERS: dict[str, _Read] = {
    "open": _open, "click": _click(), "clickAt": _click(), "doubleClick": _click(count=2), "doubleClickAt": _click(count=2),
    "mouseDown": _on("mouse_down"), "mouseDownAt": _on("mouse_down"), "mouseUp": _on("mouse_up"), "mouseUpAt": _on("mouse_up"),
    "mouseOver": _on("hover"), "mouseMoveAt": _on("hover"), "type": _type, "editContent": _type, "sendKeys": _send_keys,
    "select": _select, "addSelection": _select, "dragAndDropToObject": _drag, "pause": _pause, "close": _close,
}  # fmt: skip

FORMAT = Format(name=NAME, title="Selenium IDE project (.side)", suffix=".side", read=read)
