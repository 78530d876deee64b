"""An app of boxes: things called as their boxes are, with the same button beside each and a field for a new one beside the list,
outside of a form; and trips with a box of its own name."""

from functools import partial

from worlds.having import having

from environments.simulated.app import App, Content, Edited, Event, Pressed, Setting, Update
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Model

WORLD = "name: mine\napps: {packing: {items: [Tent, Rope, Lamp], trips: [Alps, Coast]}, notes: {}}\nopen: [packing]\n"


class Entry(Model):
    title: str
    ticked: bool = False


class PackingContent(Content):
    items: tuple[str, ...] = ()
    trips: tuple[str, ...] = ()


class PackingState(Model):
    items: dict[str, Entry]
    trips: dict[str, Entry]
    tab: str = "Items"
    typed: str = ""


class Packing(App[PackingContent, PackingState]):
    """What to take along; the second item and the first trip are ticked."""

    name = "packing"
    title = "Packing"
    words = ("packing", "item", "packing list")
    content = PackingContent
    state = PackingState
    looks = frozenset({"tab", "typed"})

    def start(self, content: PackingContent, setting: Setting) -> PackingState:
        items = {str(n): Entry(title=title, ticked=n == 1) for n, title in enumerate(content.items)}
        return PackingState(items=items, trips={str(n): Entry(title=t, ticked=n == 0) for n, t in enumerate(content.trips)})

    def view(self, state: PackingState) -> tuple[Widget, ...]:
        top = ui.tabs("tabs", ("Trips", "Items"), state.tab)
        if state.tab == "Trips":
            rows = (
                ui.row(f"trip-{key}", ui.cell(one.title), ui.checkbox(f"Booked {one.title}", f"trip-{key}.booked", one.ticked),
                       press=False)
                for key, one in state.trips.items()
            )  # fmt: skip
            return (top, ui.heading("Trips", "trips-page"), ui.table("trips", ("Title", "Booked"), rows))
        field = (ui.textbox("Item", "typed", state.typed), ui.button("Add", "add"))
        boxes = [
            ui.group(ui.checkbox(one.title, f"item-{key}.box", one.ticked), ui.button("Remove", f"item-{key}.gone"),
                     key=f"item-{key}", across=True)
            for key, one in state.items.items()
        ]  # fmt: skip
        return (top, ui.heading("Items", "items-page"), *field, ui.listing("items", boxes))

    def update(self, state: PackingState, event: Event) -> Update[PackingState]:
        match event:
            case Pressed(key="trips" | "items" as key):
                return Update(state.replace(tab=key.capitalize()))
            case Edited(key="typed", value=value):
                return Update(state.replace(typed=value))
            case Pressed(key="add") if state.typed:
                more = {str(len(state.items)): Entry(title=state.typed)}
                return Update(state.replace(items={**state.items, **more}, typed=""))
            case Edited(key=key, value=value):
                kept, name = ("trips" if key.startswith("trip-") else "items"), key.split("-")[1].split(".")[0]
                held = vars(state)[kept]
                return Update(state.model_copy(update={kept: {**held, name: held[name].replace(ticked=value == "true")}}))
            case Pressed(key=key) if key.endswith(".gone"):
                gone = key.removeprefix("item-").removesuffix(".gone")
                return Update(state.replace(items={name: one for name, one in state.items.items() if name != gone}))
        return Update(state)


registered = partial(having, Packing())
