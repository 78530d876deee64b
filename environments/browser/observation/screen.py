"""Looking at a tab: every frame is asked for its list, and the lists become one screen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from environments.browser.observation.elements import PageRecord, clean, number, shown_address
from environments.browser.session import PAGE_SCRIPT, OpenDialog, Session
from protocol import BoundingBox, GUIElement, VisualState, Window

_TITLES = {"alert": "The page says", "confirm": "The page asks", "prompt": "The page asks", "beforeunload": "Leave this page?"}
_LEAVING = "Changes that you made may not be saved."
_BUTTONS = {"alert": ("OK",), "beforeunload": ("Leave", "Stay")}
ACCEPTS = frozenset({"OK", "Leave"})
_WIDTH, _LINE = 440, 36


def title_of(dialog: OpenDialog) -> str:
    return _TITLES.get(dialog.kind, "The page asks")


def dialog_elements(dialog: OpenDialog, size: tuple[int, int]) -> tuple[GUIElement, ...]:
    """The dialog first, then what is in it; placed where Chromium draws it, at the top in the middle."""
    top = f"dialog-{dialog.number}"
    names = _BUTTONS.get(dialog.kind, ("OK", "Cancel"))
    rows = 2 + (dialog.kind == "prompt") + 1
    left = max(0, (size[0] - _WIDTH) // 2)
    right, bottom = min(size[0], left + _WIDTH), min(size[1], rows * _LINE)

    def line(n: int, x1: int = left, x2: int = right) -> BoundingBox:
        y = min(n * _LINE, bottom)
        return BoundingBox(x1=x1, y1=y, x2=x2, y2=min(y + _LINE, bottom))

    def part(name: str, role: str, text: str, bbox: BoundingBox, value: str | None = None) -> GUIElement:
        return GUIElement(
            element_id=f"{top}-{name}", track_id=f"{top}-{name}", role=role, text=text, bbox=bbox, parent=top, value=value,
            name_source="content", focused=role == "textbox",
        )  # fmt: skip

    said = clean(dialog.message, 2000) or (_LEAVING if dialog.kind == "beforeunload" else "")
    parts = [
        GUIElement(element_id=top, track_id=top, role="dialog", text=title_of(dialog), name_source="content",
                   bbox=BoundingBox(x1=left, y1=0, x2=right, y2=bottom)),
    ]  # fmt: skip
    if dialog.kind == "prompt":
        parts.append(part("field", "textbox", said or "Answer", line(2), clean(dialog.text, 20_000)))
    else:
        parts.append(part("text", "text", said, line(1)))
    wide = (right - left) // len(names)
    for n, name in enumerate(names):
        x = left + n * wide
        parts.append(part(name.lower(), "button", name, line(rows - 1, x, x + wide)))
    return tuple(parts)


if TYPE_CHECKING:
    from playwright.async_api import Frame, JSHandle

MOST = 1500
"""Elements of one screen; beyond, those farthest out of view are left out, and it is said."""
_DEEP, _FRAMES = 5, 30
APP = "browser"


class Eye(NamedTuple):
    """The script of this package in one document, and the number of that document."""

    handle: JSHandle
    number: int

    async def ask(self, what: str, *given: Any) -> Any:
        """The answer of a function of the script; `what` is one of ours, never a page's word.

        It comes as one text: Playwright takes apart value by value what it carries, which takes longer than the answer itself.
        """
        said = await self.handle.evaluate("(eye, given) => eye.told(...given)", [what, *given])
        try:
            return None if said is None else json.loads(said)
        except (TypeError, ValueError):  # a page may have put another JSON in its place
            return await self.handle.evaluate("(eye, [what, ...given]) => eye[what](...given)", [what, *given])


class Spot(NamedTuple):
    """Where an element lives: its document's script, its number there, and where that frame begins on the page."""

    frame: Frame
    eye: Eye
    local: int
    x: float
    y: float

    async def ask(self, what: str, *given: Any) -> Any:
        """The answer of a function of the page's script about this element."""
        return await self.eye.ask(what, self.local, *given)


@dataclass
class Sight:
    """What was seen last, and how to get back from an element to its node."""

    session: Session
    clock: float = 0.0
    eyes: dict[Frame, Eye] = field(default_factory=dict)
    spots: dict[str, Spot] = field(default_factory=dict)
    elements: tuple[GUIElement, ...] = ()
    documents: int = 0
    modal: str | None = None
    """The page's own dialog that says it takes all input."""
    busy: bool = False
    titles: dict[int, str] = field(default_factory=dict)
    pointer: tuple[float, float] = (0.0, 0.0)
    """Where the pointer is."""
    read: Activity | None = None
    """What had happened in the tab, outside of its frames, when it was read last."""

    def forget(self) -> None:
        self.eyes.clear()
        self.spots.clear()
        self.elements, self.modal, self.documents, self.busy, self.read = (), None, 0, False, None
        self.titles.clear()

    async def ask(self, frame: Frame, what: str, *given: Any) -> tuple[Eye, Any]:
        """The script in this frame's document, brought there when it is new, and its answer."""
        from playwright.async_api import Error

        known = self.eyes.get(frame)
        if known is not None:
            try:
                return known, await known.ask(what, *given)
            except Error:
                self.eyes.pop(frame, None)  # a navigation meanwhile has forgotten them all
        handle = await frame.evaluate_handle(PAGE_SCRIPT)
        self.documents += 1
        eye = self.eyes[frame] = Eye(handle, self.documents)
        return eye, await eye.ask(what, *given)

    async def look(self) -> None:
        """Read the front tab anew."""
        frame = self.session.page.main_frame
        self.eyes = {f: eye for f, eye in self.eyes.items() if not f.is_detached()}
        spots: dict[str, Spot] = {}
        eye, seen = await self.ask(frame, "list")
        read = pulse(self, [seen])
        records = await self._frame(frame, eye, seen["els"], 0.0, 0.0, spots, 0)
        self.spots, self.read = spots, read
        self.busy = bool(seen.get("busy")) or seen.get("ready") == "loading"
        self.titles[id(self.session.page)] = clean(seen.get("title"), 200)
        self.elements = _bounded(records, self.session.rules.size)
        kept = {element.element_id for element in self.elements}
        self.modal = next((one.id for one in reversed(records) if one.said.get("m") and one.visible and one.id in kept), None)

    async def _frame(
        self, frame: Frame, eye: Eye, listed: list[dict[str, Any]], x: float, y: float, spots: dict[str, Spot], depth: int
    ) -> list[PageRecord]:
        """Records of a frame and of those inside it, in pixels of the page."""
        inner = await self.children(frame, eye) if depth < _DEEP else {}
        records: list[PageRecord] = []
        for said in listed:
            spot, record = Spot(frame, eye, int(said["i"]), x, y), PageRecord.of(said, f"d{eye.number}e", x, y)
            records.append(record)
            spots[record.id] = spot
            if spot.local in inner and (address := shown_address(inner[spot.local].url)):
                record.leads = f"shows {address}"
            if spot.local in inner and len(self.eyes) < _FRAMES:
                records += await self._inside(inner[spot.local], spot, record, spots, depth)
        return records

    async def children(self, frame: Frame, eye: Eye) -> dict[int, Frame]:
        """Frames by the number of the element that holds them."""
        from playwright.async_api import Error

        found: dict[int, Frame] = {}
        for child in frame.child_frames:
            try:
                holder = await child.frame_element()
                found[int(await eye.handle.evaluate("(eye, el) => eye.idOf(el)", holder))] = child
            except Error:
                continue
        return found

    async def inside(self, frame: Frame, eye: Eye, found: Mapping[str, Any] | None) -> Frame | None:
        """The frame that what was found holds, if it is one."""
        framed = found is not None and found.get("tag") in ("iframe", "frame")
        return (await self.children(frame, eye)).get(int(found["i"])) if found and framed else None

    async def _inside(
        self, frame: Frame, holder: Spot, shown: PageRecord, spots: dict[str, Spot], depth: int
    ) -> list[PageRecord]:
        """Records of a frame in a frame: what the holder does not show is not visible."""
        from playwright.async_api import Error

        try:
            left, top = (number(side) for side in await holder.ask("inner"))
            eye, seen = await self.ask(frame, "list")
            records = await self._frame(frame, eye, seen["els"], holder.x + left, holder.y + top, spots, depth + 1)
            pointed = [(one, one.point) for one in records if one.point]
            hits = await holder.ask("hits", [[x - holder.x, y - holder.y] for _, (x, y) in pointed])
        except Error:
            return []
        b = shown.box
        for (one, _), hit in zip(pointed, hits, strict=True):
            one.visible = bool(hit and shown.visible)
            if one.visible:
                r = one.box
                one.box = (max(r[0], b[0]), max(r[1], b[1]), min(r[2], b[2]), min(r[3], b[3]))
        for one in records:
            one.parent = one.parent or shown.id
        return records

    def state(self) -> VisualState:
        """The screen as it was seen last, with the dialog that is open now above it."""
        session = self.session
        elements = self.elements
        modal = self.modal
        if session.dialogs:
            above = dialog_elements(session.dialogs[0], session.rules.size)
            elements = (*(e.model_copy(update={"visible": False}) for e in elements), *above)
            modal = above[0].element_id
        return VisualState(
            screen_resolution=session.rules.size,
            elements=elements,
            timestamp=self.clock,
            app=APP,
            windows=self._tabs(),
            modal=modal,
            loading=self.busy and not session.dialogs,
        )

    def _tabs(self) -> tuple[Window, ...]:
        tabs = []
        for n, page in enumerate(self.session.pages):
            title = self.titles.get(id(page), "")
            address = clean(page.url, 500)
            said = f"{title} - {address}" if title else address
            tabs.append(Window(window_id=f"tab-{n}", app=APP, title=said, focused=page is self.session.front))
        return tuple(tabs)

    def alone(self, message: str) -> VisualState:
        """A screen that only says why there is nothing to see."""
        self.spots, self.modal, self.read = {}, None, None
        self.elements = (GUIElement(element_id="notice", track_id="notice", role="alert", text=message, name_source="content"),)
        return self.state()


def _bounded(records: list[PageRecord], size: tuple[int, int]) -> tuple[GUIElement, ...]:
    """At most MOST elements; parents that were left out are replaced by theirs."""
    left_out = max(0, len(records) - MOST)
    if left_out:
        middle = size[1] / 2
        far = sorted(range(len(records)), key=lambda n: (not records[n].visible, abs(records[n].box[1] - middle)))
        kept = {records[n].id for n in far[:MOST]}
        above = {one.id: one.parent for one in records}
        records = [one for one in records if one.id in kept]
        for one in records:
            while one.parent is not None and one.parent not in kept:
                one.parent = above.get(one.parent)
    elements = tuple(one.element(size) for one in records)
    if not left_out:
        return elements
    text = f"{left_out} more elements are far out of view and not listed; scroll to see them"
    return (*elements, GUIElement(element_id="more", role="note", text=text, visible=False, name_source="content"))


STILL = 120
"""Milliseconds without a change after which a page is at rest."""
LIMIT = 4.0
_TICKING = 1.2
"""Seconds after which a page that changes all the time, as a clock does, is taken as it is."""
_POLL, _TICK = 0.03, 0.002
_PUT_OFF = 8.0
"""Seconds for which an effect is waited for that the page has put off, where nothing else came of a press."""


class Activity(NamedTuple):
    """How much has happened in a tab so far; two of them say whether anything happened in between."""

    documents: int
    changes: int
    contents: int
    sent: int
    asked: int
    tabs: int
    front: int
    """Which of them is in front."""
    url: str

    def content(self) -> tuple[int | str, ...]:
        """What counts as an effect, not only as a sign of life."""
        return self.documents, self.contents, self.sent, self.asked, self.tabs, self.url

    def elsewhere(self) -> tuple[int | str, ...]:
        """What reaches beyond the page that is shown: after that nothing is done a second time."""
        return self.documents, self.sent, self.asked, self.tabs, self.url


def pulse(sight: Sight, states: Sequence[Mapping[str, Any]]) -> Activity:
    """With what the scripts of its documents say."""
    session = sight.session
    changes, contents = (sum(int(state[name]) for state in states) for name in ("changes", "contents"))
    seen = sight.documents, changes, contents, session.sent, session.asked
    return Activity(*seen, len(session.pages), id(session.page), session.page.url)


class Beat(NamedTuple):
    """A look at a tab's activity."""

    pulse: Activity
    rest: bool
    due: float
    """Seconds after which the page may be at rest, if nothing else happens."""


async def beat(sight: Sight, still: int = STILL, busy: bool = True) -> Beat:
    """The pulse now, and whether the page is at rest; with `busy` it may say so of itself in vain (`aria-busy`)."""
    from playwright.async_api import Error

    session = sight.session
    calm = session.flying() == 0
    states: list[Mapping[str, Any]] = []
    seen = [frame for frame in sight.eyes if frame.page is session.page and not frame.is_detached()]
    for frame in dict.fromkeys([session.page.main_frame, *seen]):
        try:
            states.append((await sight.ask(frame, "state"))[1])
        except Error:
            calm = False
    calm = calm and all(
        state["since"] >= 0 and state["ready"] == "complete" and not state["moving"] and (busy or not state["busy"])
        for state in states
    )
    wait = max((still - state["since"] for state in states), default=0)
    return Beat(pulse(sight, states), calm and wait <= 0, wait / 1000 + _TICK if calm else _POLL)


async def settle(sight: Sight, seconds: float = LIMIT, *, opened: bool = False) -> Activity | None:
    """The pulse with which the page came to rest, None when it was still busy after that time or a dialog stopped it.

    One that was just `opened` may say that it is busy until there is anything to be seen.
    """
    start = monotonic()
    while (passed := monotonic() - start) < seconds:
        if _stopped(sight.session):
            return None
        now = await beat(sight, STILL if passed < _TICKING else 0, not opened)
        if now.rest:
            return now.pulse
        await asyncio.sleep(min(now.due, max((_TICKING if passed < _TICKING else seconds) - passed, _TICK)))
    return None


async def effect(sight: Sight, before: Activity, seconds: float) -> bool:
    """Whether something came of an action: now, or within that time, or of what the page put off, within as many seconds."""
    start = monotonic()
    while not _stopped(sight.session):
        pulse = (await beat(sight)).pulse
        if pulse.content() != before.content():
            return True
        if monotonic() > start + seconds and (monotonic() > start + _PUT_OFF or not seconds or not await _put_off(sight)):
            return False
        await asyncio.sleep(_POLL)
    return True


async def _put_off(sight: Sight) -> bool:
    """Whether the page has set a time, in answer to the last press, at which it will do something."""
    from playwright.async_api import Error

    try:
        return any([await eye.ask("later") for eye in list(sight.eyes.values())])
    except Error:
        return True


def _stopped(session: Session) -> bool:
    return bool(session.dialogs) or session.gone or session.front is None or session.front in session.crashed
