"""An app whose records keep a value behind a mask: one by one with a control that shows it, sealed ones without."""

from functools import partial

from worlds.having import having

from environments.simulated.app import App, Content, Event, Pressed, Setting, Update
from environments.simulated.apps.common.record_list import ListState, list_update, list_view
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Model, matches


class Locker(Model):
    """Somebody's locker."""

    id: str = ""
    owner: str
    code: str
    mask: str = "••••"
    sealed: bool = False
    """Nothing shows its code."""
    visibility: str = "Private"


class LockersContent(Content):
    lockers: tuple[Locker, ...] = ()


class LockersState(ListState):
    lockers: dict[str, Locker]
    open: str = ""
    shown: str = ""


class Lockers(App[LockersContent, LockersState]):
    """Lockers of a house."""

    name = "lockers"
    title = "Lockers"
    words = ("lockers", "locker")
    content = LockersContent
    state = LockersState
    looks = frozenset({"query", "applied", "page", "open", "shown"})

    def start(self, content: LockersContent, setting: Setting) -> LockersState:
        return LockersState(lockers={f"K{n}": one.model_copy(update={"id": f"K{n}"}) for n, one in enumerate(content.lockers, 1)})

    def view(self, state: LockersState) -> tuple[Widget, ...]:
        one = state.lockers.get(state.open)
        if one is not None:
            code = one.code if state.shown == one.id else one.mask
            facts = {"Owner": one.owner, "Code": code, "Visibility": one.visibility}
            told = (ui.pair(label, value, f"locker-{one.id}.{label}") for label, value in facts.items())
            shows = () if one.sealed or state.shown == one.id else (ui.button("Show code", "show"),)
            controls = ui.bar(ui.button("Help", "help"), *shows, ui.button("Back", "back"))
            return (ui.heading(one.owner, f"locker-{one.id}"), *told, controls)
        shown = list_view("lockers", ("Owner", "Code"), self._found(state), self._row, "No lockers", state.page)
        return (ui.heading("Lockers"), ui.search_bar("lockers", state.query), *shown)

    def _found(self, state: LockersState) -> list[Locker]:
        return [one for one in state.lockers.values() if matches(state.applied, one.owner)]

    def _row(self, one: Locker) -> Widget:
        key = f"locker-{one.id}"
        return ui.row(key, ui.link(one.owner, f"{key}.owner"), ui.cell(one.mask))

    def update(self, state: LockersState, event: Event) -> Update[LockersState]:
        if not state.open and (looked := list_update(state, event, lambda: self._found(state))) is not None:
            return Update(looked)
        match event:
            case Pressed(key="show"):
                return Update(state.model_copy(update={"shown": state.open}))
            case Pressed(key="back"):
                return Update(state.model_copy(update={"open": "", "shown": ""}))
            case Pressed(key=key) if key.startswith("locker-"):
                return Update(state.model_copy(update={"open": key.removeprefix("locker-").removesuffix(".owner"), "shown": ""}))
        return Update(state)


WORLD = """
name: lockers
apps:
  lockers:
    lockers:
      - {owner: Ada Moss, code: "4711"}
      - {owner: Tom Reyes, code: "0815", mask: Private}
      - {owner: Ines Falk, code: "1234", sealed: true}
      - {owner: Olga Berg, code: "9876", mask: Hidden, sealed: true}
  notes: {notes: [{title: Shopping, body: Tea}]}
open: [lockers]
"""


registered = partial(having, Lockers())
