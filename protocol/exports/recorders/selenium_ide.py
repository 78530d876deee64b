"""Projects of Selenium IDE (`.side`): `{name, url, tests: [{name, commands: [{command, target, value}]}]}`. Read only.

A command without a verb of ours is carried, as `x-selenium_ide.assert_text`; nothing is run, and no variable is filled in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from protocol.dialects import Context, Loss
from protocol.dialects.common.conversion import Reading
from protocol.dialects.common.fields import Fields, refusing
from protocol.exports.common.base import Format, ImportResult
from protocol.exports.common.kept import info_of, lost_in_reading
from protocol.exports.common.lines import json_document, listed, mapping, step_of, told_each
from protocol.log.log import LogLine
from protocol.model.actions import AgentAction
from protocol.model.geometry import JsonObject
from protocol.model.keys import read_key
from protocol.model.steps import InteractionStep

NAME = "selenium_ide"
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


class _Reader(Reading):
    """Reads the commands of one test, and knows the size of its window."""

    def __init__(self, base: str, name: Any) -> None:
        super().__init__(NAME, Context())
        self.base = base
        self._name = name if isinstance(name, str) else ""
        self._size: tuple[int, int] | None = None

    def steps(self, number: int, where: str, command: JsonObject) -> Iterator[InteractionStep]:
        """The steps of a command; one that is switched off, or that is a comment alone, is none."""
        self.losses = []
        self.fields = Fields(NAME, command, where)
        verb = self.fields.text("command").strip()
        if not verb or verb.startswith("//"):
            return
        if not _COMMAND.fullmatch(verb):
            self.fields.refuse("command", f"{verb[:60]!r} is not a valid name of a command")
        target, value = self.fields.text("target", ""), self.fields.text("value", "")
        if verb == "setWindowSize" and (size := _SIZE.fullmatch(target)):
            self._size = (max(1, int(size[1])), max(1, int(size[2])))
            return
        lead = verb.removesuffix("AndWait")
        actions = _READERS[lead](self, target, value) if lead in _READERS else None
        if actions is None:
            arguments = {name: said for name, said in (("target", target), ("value", value)) if said}
            actions = [self.build(f"x-{NAME}.{_snake(verb)}", arguments=arguments)]
        for said in _VARIABLE.findall(f"{target}\n{value}") if lead in _READERS else ():
            self.losses.append(Loss(what="variable", why=f"what {said[:60]} stands for is only known when it is run"))
        state = {"screen_resolution": self._size} if self._size else {}
        for n, action in enumerate(actions if isinstance(actions, list) else [actions]):
            raw = {"command": command, **lost_in_reading(self.losses)} if n == 0 else {}
            yield step_of(
                where, timestamp=0.0, step=number, subtask=self._name, visual_state=state, action=action, raw=raw,
                reasoning=self.fields.text("comment", "") if n == 0 else "",
            )  # fmt: skip

    def element(self, locator: str, name: str = "target") -> dict[str, str]:
        """The element of a locator: a link by its text, everything else by a selector. Raises DialectError."""
        kind, mark, said = locator.partition("=")
        if locator.startswith(("//", "(//", "./")):
            return {"selector": f"xpath={locator}"}
        if mark and said and kind in _SELECTORS:
            return _SELECTORS[kind](said)
        return self.fields.refuse(name, f"a locator such as id=save or css=#save is needed, not {locator[:60]!r}")

    def open(self, target: str, value: str) -> AgentAction:
        try:
            url = urljoin(self.base, target)
        except ValueError as bad:
            self.fields.refuse("target", f"{target[:60]!r} is not an address: {bad}")
        return self.build("navigate", url=url)

    def type(self, target: str, value: str) -> AgentAction:
        return self.build("fill", target=self.element(target), text=value)

    def send_keys(self, target: str, value: str) -> list[AgentAction]:
        """Texts and keys in order; a modifier is held from where it stands to the end."""
        spot = self.element(target)
        held: list[str] = []
        found: list[AgentAction] = []
        for n, part in enumerate(_KEY.split(value)):
            if n % 2 == 0 and not held:
                found += [self.build("type", target=spot, text=part)] if part else []
                continue
            for key in [self._key(part)] if n % 2 else part:
                if key in _HELD:
                    held.append(key)
                else:
                    found.append(self.build("press_key", target=spot, keys=[*held, "Space" if key == " " else key]))
        if held and not any(action.verb == "press_key" for action in found):
            found.append(self.build("press_key", target=spot, keys=held))
        return found or [self.build("type", target=spot, text="")]

    def _key(self, name: str) -> str:
        with refusing(NAME, f"{self.fields.where}.value"):
            return read_key(_KEYS.get(name, name.capitalize()), "playwright")

    def select(self, target: str, value: str) -> AgentAction | None:
        """An option by its label or its value; by its index or its id, the command is carried."""
        kind, mark, said = value.partition("=")
        if not mark or kind not in ("label", "value", "index", "id"):
            kind, said = "label", value
        if kind in ("index", "id"):
            return None
        if kind == "value":
            self.losses.append(Loss(what="select_option.value", why="an option is named by its value or its label alike"))
        return self.build("select_option", target=self.element(target), options=[said])

    def drag(self, target: str, value: str) -> AgentAction:
        return self.build("drag", target=self.element(target), to=self.element(value, "value"))

    def pause(self, target: str, value: str) -> AgentAction | None:
        said = target.strip() or value.strip()
        return self.build("wait", seconds=int(said) / 1000) if re.fullmatch(r"[0-9]{1,8}", said) else None


def _snake(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_")


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
_Read = Callable[[_Reader, str, str], list[AgentAction] | AgentAction | None]


def _on(verb: str, **how: Any) -> _Read:
    """A command on an element, whose value is a place within it."""

    def read(reader: _Reader, target: str, value: str) -> AgentAction:
        if value.strip():
            reader.losses.append(Loss(what=f"{verb}.offset", why="only the element is said, not the place within it"))
        return reader.build(verb, target=reader.element(target), **how)

    return read


_READERS: dict[str, _Read] = {
    "open": _Reader.open, **dict.fromkeys(("click", "clickAt"), _on("click")),
    **dict.fromkeys(("doubleClick", "doubleClickAt"), _on("click", count=2)),
    **dict.fromkeys(("mouseDown", "mouseDownAt"), _on("mouse_down")), **dict.fromkeys(("mouseUp", "mouseUpAt"), _on("mouse_up")),
    **dict.fromkeys(("mouseOver", "mouseMoveAt"), _on("hover")), "type": _Reader.type, "editContent": _Reader.type,
    "sendKeys": _Reader.send_keys, "select": _Reader.select, "addSelection": _Reader.select,
    "dragAndDropToObject": _Reader.drag, "pause": _Reader.pause,
    "close": lambda reader, target, value: reader.build("tabs", op="close"),
}  # fmt: skip

FORMAT = Format(name=NAME, title="Selenium IDE project (.side)", suffix=".side", read=read)
