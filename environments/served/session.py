"""One world that is served: what is done in it, who hears of it, and where that is written down."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol

from environments.contract import EnvironmentFault
from environments.served.demonstration import Demonstration
from environments.simulated.apps import APPS
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.input.perform import retargeted
from environments.simulated.input.pointer import form_of
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.screen import screen_of
from environments.simulated.screen.widgets import FIELDS
from environments.simulated.world.world import MARGIN, TITLE_BAR, Desk, WindowState, World
from protocol import Action, ActionResult, ActionTarget, VisualState, target_element

_WAITING = 1000
"""Events that may wait for a page that does not take them, before it is let go and has to come back."""


class Event(NamedTuple):
    """One change of the screen. `number` counts from 1."""

    number: int
    body: Mapping[str, object]


class Feed:
    """Everything here happens on the loop of the server."""

    def __init__(self) -> None:
        self._listening: set[asyncio.Queue[Event | None]] = set()
        self.number = 0
        self.closed = False

    def publish(self, body: Mapping[str, object]) -> Event:
        self.number += 1
        event = Event(self.number, body)
        for queue in list(self._listening):
            try:
                queue.put_nowait(event)
            except asyncio.QueueFull:
                self._listening.discard(queue)
        return event

    async def listen(self, whole: Callable[[], Mapping[str, object]], idle: float) -> AsyncIterator[Event | None]:
        """The `whole` screen, then events as they come; None after `idle` seconds without one."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue(_WAITING)
        self._listening.add(queue)
        try:
            sent = self.number
            yield Event(sent, whole())
            while not self.closed and queue in self._listening:
                try:
                    news = await asyncio.wait_for(queue.get(), idle)
                except TimeoutError:
                    yield None
                    continue
                if news is None:
                    return
                if news.number > sent:
                    yield news
        finally:
            self._listening.discard(queue)

    def close(self) -> None:
        """Let every page go."""
        self.closed = True
        for queue in self._listening:
            while queue.full():
                queue.get_nowait()
            queue.put_nowait(None)


Box = tuple[int, int, int, int]
Markup = dict[str, Any]
"""One control as JSON, without what is empty, or a pane in which they stand.

`label` and `hint` belong to fields; `traits` say what it reacts to.
"""


class Kind(NamedTuple):
    """How a role is written in HTML. `role` is empty where the tag says it already."""

    tag: str
    role: str = ""
    type: str = ""


_KINDS: Mapping[str, Kind] = {
    "button": Kind("button", "", "button"), "link": Kind("a"), "tab": Kind("button", "tab", "button"), "heading": Kind("h2"),
    "text": Kind("p"), "form": Kind("form"), "checkbox": Kind("input", "", "checkbox"),
    "switch": Kind("input", "switch", "checkbox"), "slider": Kind("input", "", "range"), "combobox": Kind("select"),
    "progress": Kind("div", "progressbar"),
}  # fmt: skip
"""Every other role is a division that says its role: rows and cells stand where the world puts them, and no table could."""
_NATIVE = frozenset({"button", "input", "select", "textarea"})
_SELECTED = {"button": "aria-pressed", "link": "aria-current"}
_TRAITS = ("opens", "hovers", "swipes", "drop", "floats")


def markup(shown: ShownElement, up: str, origin: tuple[int, int], main: bool) -> Markup:
    """The control for an element. `up` is what it stands in, and `origin` where that begins."""
    element, widget = shown.element, shown.widget
    kind = _kind(shown)
    box = element.bbox
    left, top, right, bottom = (box.x1, box.y1, box.x2, box.y2) if box else (0, 0, 0, 0)
    made: Markup = {
        "up": up,
        "box": (left - origin[0], top - origin[1], right - left, bottom - top),
        "kind": widget.role,
        "tag": kind.tag,
        "type": kind.type,
        "attrs": _attributes(shown, kind),
        "lift": shown.lift,
        "traits": [trait for trait in _TRAITS if getattr(widget, trait)],
        "main": main,
    }
    if widget.role in FIELDS:
        made |= _field(shown, kind)
    else:  # a thing without words is drawn by its class
        silent = widget.children or element.name_source == "class"
        made |= {"text": "" if silent else element.text, "value": element.value if widget.role == "progress" else None}
    return {name: value for name, value in made.items() if value not in ("", None, False, 0, [], {})}


def _kind(shown: ShownElement) -> Kind:
    element, widget = shown.element, shown.widget
    if widget.role == "textbox":
        return Kind("textarea") if widget.multiline else Kind("input", "", "password" if element.private else "text")
    if widget.role == "spinbutton":
        # A number field cannot hold what is no number, and the world can.
        return Kind("input", "", "number") if _is_number(element.value) else Kind("input", "spinbutton", "text")
    return _KINDS.get(widget.role) or Kind("div", widget.role)


def _is_number(value: str | None) -> bool:
    try:
        return not value or abs(float(value)) < 1e21
    except ValueError:
        return False


def _attributes(shown: ShownElement, kind: Kind) -> dict[str, str]:
    element, widget = shown.element, shown.widget
    nameless = element.name_source == "class"
    attributes = {
        "role": kind.role,
        "href": "#" if kind.tag == "a" else "",
        "class": element.name if nameless else "",
        "aria-label": element.name if widget.children or widget.role == "progress" else "",
        "aria-expanded": "" if widget.expanded is None else ("true" if widget.expanded else "false"),
        "aria-level": str(widget.level or ""),
        # The attribute `required` would have the browser judge the field by rules of its own.
        "aria-required": "true" if element.required else "",
        "aria-invalid": "true" if element.invalid else "",
        "disabled": "disabled" if not element.enabled and kind.tag in _NATIVE else "",
        "aria-disabled": "true" if not element.enabled and kind.tag not in _NATIVE else "",
        "aria-modal": "true" if widget.role == "dialog" else "",
        "placeholder": element.placeholder or "" if _hinted(shown, kind) else "",
        "autocomplete": "off" if kind.tag in ("input", "textarea") else "",
        "spellcheck": "false" if kind.tag in ("input", "textarea") else "",
        "draggable": "true" if widget.drag else "",
        "data-actuator": "true" if widget.actuator else "",
        "tabindex": "-1" if widget.interactive and kind.tag not in (*_NATIVE, "a") else "",
        **_limits(shown, kind),
    }
    if element.selected:
        attributes[_SELECTED.get(widget.role, "aria-selected")] = "true"
    elif widget.role == "tab":
        attributes["aria-selected"] = "false"
    return {name: value for name, value in attributes.items() if value}


def _hinted(shown: ShownElement, kind: Kind) -> bool:
    """A placeholder is a name to a browser; where the name only stands beside the field, it must not be one."""
    return kind.tag in ("input", "textarea") and shown.element.name_source != "nearby"


def _limits(shown: ShownElement, kind: Kind) -> dict[str, str]:
    limits = shown.widget.limits
    if limits is None:
        return {}
    lowest, highest, step = (f"{limit:g}" for limit in limits)
    if kind.type in ("number", "range"):
        return {"min": lowest, "max": highest, "step": step}
    return {"aria-valuemin": lowest, "aria-valuemax": highest, "aria-valuenow": shown.element.value or ""}


def _field(shown: ShownElement, kind: Kind) -> Markup:
    """A field with its name: bound to it, only standing beside it, or not there at all."""
    element, widget = shown.element, shown.widget
    field: Markup = {"value": element.value or ""}
    if widget.role in ("checkbox", "switch"):
        field = {"checked": element.value == "true"}
    elif widget.role == "combobox":
        field["options"] = list(element.options)
    if not _hinted(shown, kind):
        field["hint"] = element.placeholder
    named = element.name_source in ("label", "content", "nearby")
    return field | {"field": True, "label": element.text if named else "", "bound": element.name_source != "nearby"}


class View(NamedTuple):
    """What a page is drawn from, as JSON."""

    head: dict[str, object]
    panes: list[Markup]
    """Windows from the back to the front, then what lies over them."""
    controls: dict[str, Markup]
    """By track id, in reading order: what holds others stands before them."""

    def whole(self) -> dict[str, object]:
        return {"whole": True, **self._asdict(), "order": list(self.controls)}

    def since(self, before: "View") -> dict[str, object]:
        """What is not as it was; `order` is left out where no control came, went or moved among the others."""
        parts: dict[str, object] = {
            "controls": {track: made for track, made in self.controls.items() if before.controls.get(track) != made}
        }
        if self.head != before.head:
            parts["head"] = self.head
        if self.panes != before.panes:
            parts["panes"] = self.panes
        if list(self.controls) != list(before.controls):
            parts["order"] = list(self.controls)
        return parts


_IN = {"window": "window-{app}", "dialog": "dialog-{layer}", "icons": "desk", "message": "messages", "notice": "notices"}
"""The pane in which a panel of each kind stands."""


def view_of(world: World) -> View:
    """The page of a world."""
    screen, desk = screen_of(world), world.desk
    panes = {pane["id"]: pane for pane in _panes(desk)}
    controls: dict[str, Markup] = {}
    origins: dict[str, tuple[int, int]] = {}
    order = iter(screen.order)
    for panel in screen.panels:
        for shown in islice(order, len(panel.shown)):
            pane = panes[_IN[panel.kind].format(app=shown.element.app, layer=shown.layer)]
            track, box = str(shown.element.track_id), shown.element.bbox
            origins[track] = (box.x1, box.y1) if box else (0, 0)
            above = None if shown.above is None else str(shown.above.element.track_id)
            origin = origins[above] if above is not None else (pane["view"][0], pane["view"][1] - pane["scroll"])
            controls[track] = markup(shown, above or pane["id"], origin, _main(shown, desk))
            if box is not None and panel.kind == "window":
                pane["tall"] = max(pane["tall"], box.y2 + pane["scroll"] - pane["view"][1] + MARGIN)
    kept = [pane for pane in panes.values() if pane["kind"] != "window" or pane["shown"]]
    return View(_head(world), kept, controls)


def _head(world: World) -> dict[str, object]:
    desk = world.desk
    windows = {win.app: win for win in desk.windows}
    return {
        "world": desk.name,
        "size": desk.size,
        "form": desk.form,
        "theme": desk.variation.theme,
        "language": desk.variation.language,
        "clock": desk.clock,
        "focus": desk.focus,
        "caret": desk.caret,
        "anchor": desk.anchor,
        "clipboard": desk.clipboard,
        "busy": desk.front is not None and desk.busy(desk.front),
        "apps": [
            {"app": app, "title": APPS[app].title, "open": app in windows, "front": app == desk.front,
             "minimized": app in windows and windows[app].minimized}
            for app in world.apps
        ],
    }  # fmt: skip


def _panes(desk: Desk) -> Iterator[Markup]:
    """Every place in which elements can stand, from the back to the front."""
    yield _made("desk", "desk", (0, 0, *desk.size))
    for win in desk.windows:
        yield {**_window(desk, win), "shown": not win.minimized}
    yield _made("messages", "messages", (0, 0, *desk.size))
    yield _made("notices", "notices", (0, 0, *desk.size))
    for layer, dialog in enumerate(desk.dialogs, start=1):
        yield {**_made(f"dialog-{layer}", "dialog", (0, 0, *desk.size)), "title": dialog.title}


def _made(name: str, kind: str, box: Box) -> Markup:
    left, top, right, bottom = box
    place = left, top, right - left, bottom - top
    return {"id": name, "kind": kind, "box": place, "view": place, "scroll": 0, "tall": 0}


def _window(desk: Desk, win: WindowState) -> Markup:
    left, top, right, bottom = win.box or desk.ground
    made = _made(f"window-{win.app}", "window", (left, top, right, bottom))
    return made | {
        "view": (left, top + TITLE_BAR, right - left, bottom - top - TITLE_BAR),
        "scroll": desk.scroll.get(win.app, 0),
        "app": win.app,
        "title": APPS[win.app].title,
        "front": win.app == desk.front,
        "busy": desk.busy(win.app),
    }


def _main(shown: ShownElement, desk: Desk) -> bool:
    """The button that Enter presses."""
    if shown.widget.role != "button":
        return False
    if shown.layer:
        default = desk.dialogs[shown.layer - 1].default
        return default is not None and shown.widget.key.endswith(f"-{desk.dialogs[shown.layer - 1].buttons.index(default) + 1}")
    form = form_of(shown)
    return form is not None and form.widget.submit == shown.widget.key


Status = Literal["fulfilled", "rejected"]


class Exercise(Protocol):
    """A task that somebody does in the served world, judged by whoever serves it."""

    def begin(self, desktop: SimulatedDesktop) -> str:
        """The world starts, or starts anew; gives the goal in it."""

    def finish(self, desktop: SimulatedDesktop, status: Status, reason: str, steps: int) -> Mapping[str, Any]:
        """The verdict: `passed`, and `checks`, each with `expression` and `passed`."""


class ActionResponse(NamedTuple):
    """What came of an action, and the change of the screen that it made."""

    result: ActionResult
    event: Event


class Session:
    """Everything here happens on the loop of the server: one action at a time."""

    def __init__(
        self, desktop: SimulatedDesktop, goal: str = "", exercise: Exercise | None = None, log: Demonstration | None = None
    ) -> None:
        self.desktop = desktop
        self.feed = Feed()
        self._exercise, self._log = exercise, log
        self._given_goal = goal
        self._prefix = secrets.token_hex(4)
        self._done = 0
        self.goal = self._begun()
        self._view = self._look()

    @property
    def view(self) -> View:
        """The screen as it was told last."""
        return self._view

    @property
    def judged(self) -> bool:
        return self._exercise is not None

    def state(self) -> VisualState:
        return self.desktop.observe()

    def perform(self, action: Action, *, role: str, key: str = "") -> ActionResponse:
        """Do it, write it down, and tell every page. Raises EnvironmentFault when the world breaks."""
        before = self.desktop.observe()
        if not key:
            self._done += 1
            key = f"{self._prefix}/{self._done}"
        try:
            result = self.desktop.perform(action, key=key)
        except EnvironmentFault:
            self._tell()
            raise
        if self._log:
            self._log.add(before, action, result, self.desktop.observe(), role)
        return ActionResponse(result, self._tell())

    def complete(self, action: Action) -> Action:
        """The same action with every locator of what it means, so that a log of it can be replayed elsewhere."""
        state = self.desktop.observe()

        def told(target: ActionTarget) -> ActionTarget:
            element = target_element(target, state)
            return target if element is None else ActionTarget.of(element).model_copy(update={"point": target.point})

        return retargeted(action, told)

    def reset(self, seed: int | None = None) -> Event:
        """The world as it began."""
        self.desktop.reset(seed=seed)
        self._done, self._prefix = 0, secrets.token_hex(4)
        self.goal = self._begun()
        self._view = self._look()
        return self.feed.publish(self._view.whole())

    def finish(self, status: Status, reason: str) -> Mapping[str, Any]:
        """The verdict on what was done, where there is a task to judge."""
        assert self._exercise is not None  # noqa: S101 - callers asked `judged`
        return self._exercise.finish(self.desktop, status, reason, len(self.desktop.received()))

    def close(self) -> None:
        self.feed.close()
        if self._log:
            self._log.close()

    def _begun(self) -> str:
        goal = self._exercise.begin(self.desktop) if self._exercise else self._given_goal
        if self._log:
            self._log.begin(goal)
        return goal

    def _look(self) -> View:
        view = view_of(self.desktop.snapshot().world)
        view.head.update(goal=self.goal, judged=self.judged)
        return view

    def _tell(self) -> Event:
        before, self._view = self._view, self._look()
        return self.feed.publish(self._view.since(before))
