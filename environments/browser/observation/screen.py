"""Looking at a tab: every frame is asked for its list, and the lists become one screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from environments.browser.actions.dialogs import dialog_elements
from environments.browser.observation.elements import clean, element_of, number, shifted, shown_address
from environments.browser.page_script import PAGE_SCRIPT
from environments.browser.session import Session
from protocol import GUIElement, VisualState, Window

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, Frame, JSHandle

MOST = 1500
"""Elements of one screen; beyond, those farthest out of view are left out, and it is said."""
_DEEP, _FRAMES = 5, 30
APP = "browser"


class Spot(NamedTuple):
    """Where an element lives: its document's script, its number there, and where that frame begins on the page."""

    frame: Frame
    eye: JSHandle
    local: int
    x: float
    y: float

    async def ask(self, what: str, *given: Any) -> Any:
        """The answer of a function of the page's script about this element; `what` is one of ours, never a page's word."""
        return await self.eye.evaluate(f"(eye, given) => eye.{what}(...given)", [self.local, *given])

    async def handle(self) -> ElementHandle | None:
        found = await self.eye.evaluate_handle("(eye, id) => eye.node(id)", self.local)
        return found.as_element()


@dataclass
class Sight:
    """What was seen last, and how to get back from an element to its node."""

    session: Session
    clock: float = 0.0
    eyes: dict[Frame, tuple[JSHandle, int]] = field(default_factory=dict)
    spots: dict[str, Spot] = field(default_factory=dict)
    elements: tuple[GUIElement, ...] = ()
    documents: int = 0
    modal: str | None = None
    """The page's own dialog that says it takes all input."""
    busy: bool = False
    titles: dict[int, str] = field(default_factory=dict)
    pointer: tuple[float, float] = (0.0, 0.0)
    """Where the pointer is."""

    def forget(self) -> None:
        self.eyes.clear()
        self.spots.clear()
        self.elements, self.modal, self.documents, self.busy = (), None, 0, False
        self.titles.clear()

    async def eye(self, frame: Frame) -> tuple[JSHandle, int]:
        """The script in this frame's document, brought there when it is new."""
        from playwright.async_api import Error

        known = self.eyes.get(frame)
        if known is not None:
            try:
                await known[0].evaluate("0")
                return known
            except Error:
                self.eyes.pop(frame, None)  # a navigation meanwhile has forgotten them all
        handle = await frame.evaluate_handle(PAGE_SCRIPT)
        self.documents += 1
        eye = self.eyes[frame] = handle, self.documents
        return eye

    async def look(self) -> None:
        """Read the front tab anew."""
        frame = self.session.page.main_frame
        self.eyes = {f: eye for f, eye in self.eyes.items() if not f.is_detached()}
        spots: dict[str, Spot] = {}
        raws = await self._frame(frame, 0.0, 0.0, spots, 0)
        self.spots = spots
        self.elements = _bounded(raws, self.session.rules.size)
        kept = {element.element_id for element in self.elements}
        self.modal = next((raw["id"] for raw in reversed(raws) if raw.get("m") and raw.get("v") and raw["id"] in kept), None)

    async def _frame(self, frame: Frame, x: float, y: float, spots: dict[str, Spot], depth: int) -> list[dict[str, Any]]:
        """Records of a frame and of those inside it, in pixels of the page."""
        handle, number_ = await self.eye(frame)
        seen = await handle.evaluate("eye => eye.list()")
        if depth == 0:
            self.busy = bool(seen.get("busy")) or seen.get("ready") == "loading"
            self.titles[id(self.session.page)] = clean(seen.get("title"), 200)
        inner = await self.children(frame, handle) if depth < _DEEP else {}
        raws: list[dict[str, Any]] = []
        for raw in seen["els"]:
            spot = Spot(frame, handle, int(raw["i"]), x, y)
            name = f"d{number_}e{spot.local}"
            parent = f"d{number_}e{raw['p']}" if raw.get("p") else None
            raws.append(shifted({**raw, "id": name, "parent": parent}, x, y))
            spots[name] = spot
            if spot.local in inner and (address := shown_address(inner[spot.local].url)):
                raws[-1]["h"] = f"shows {address}"
            if spot.local in inner and len(self.eyes) < _FRAMES:
                raws += await self._inside(inner[spot.local], spot, raws[-1], spots, depth)
        return raws

    async def children(self, frame: Frame, handle: JSHandle) -> dict[int, Frame]:
        """Frames by the number of the element that holds them."""
        from playwright.async_api import Error

        found: dict[int, Frame] = {}
        for child in frame.child_frames:
            try:
                holder = await child.frame_element()
                found[int(await handle.evaluate("(eye, el) => eye.idOf(el)", holder))] = child
            except Error:
                continue
        return found

    async def _inside(
        self, frame: Frame, holder: Spot, shown: dict[str, Any], spots: dict[str, Spot], depth: int
    ) -> list[dict[str, Any]]:
        """Records of a frame in a frame: what the holder does not show is not visible."""
        from playwright.async_api import Error

        try:
            left, top = await holder.ask("inner")
            raws = await self._frame(frame, holder.x + number(left), holder.y + number(top), spots, depth + 1)
            points = [raw for raw in raws if raw.get("pt")]
            hits = await holder.ask("hits", [[raw["pt"][0] - holder.x, raw["pt"][1] - holder.y] for raw in points])
        except Error:
            return []
        b = shown["b"]
        for raw, hit in zip(points, hits, strict=True):
            raw["v"] = bool(hit and shown.get("v"))
            if raw["v"]:
                r = raw["b"]
                raw["b"] = [max(r[0], b[0]), max(r[1], b[1]), min(r[2], b[2]), min(r[3], b[3])]
        for raw in raws:
            raw["parent"] = raw["parent"] or shown["id"]
        return raws

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
        self.spots, self.modal = {}, None
        self.elements = (GUIElement(element_id="notice", track_id="notice", role="alert", text=message, name_source="content"),)
        return self.state()


def _bounded(raws: list[dict[str, Any]], size: tuple[int, int]) -> tuple[GUIElement, ...]:
    """At most MOST elements; parents that were left out are replaced by theirs."""
    left_out = 0
    if len(raws) > MOST:
        middle = size[1] / 2
        far = sorted(range(len(raws)), key=lambda n: (not raws[n].get("v"), abs(raws[n]["b"][1] - middle)))
        kept = sorted(far[:MOST])
        left_out = len(raws) - len(kept)
        raws = _adopted(raws, {raws[n]["id"] for n in kept})
    elements = tuple(element_of(raw, size) for raw in raws)
    if not left_out:
        return elements
    text = f"{left_out} more elements are far out of view and not listed; scroll to see them"
    return (*elements, GUIElement(element_id="more", role="note", text=text, visible=False, name_source="content"))


def _adopted(raws: list[dict[str, Any]], kept: set[str]) -> list[dict[str, Any]]:
    above = {raw["id"]: raw["parent"] for raw in raws}
    chosen = [raw for raw in raws if raw["id"] in kept]
    for raw in chosen:
        while raw["parent"] is not None and raw["parent"] not in kept:
            raw["parent"] = above.get(raw["parent"])
    return chosen
