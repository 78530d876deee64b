"""Home: the devices of a house, to look at and to operate within their hard limits."""

from __future__ import annotations

from environments.effects import Effect as Does
from environments.simulated.app import App, Arrived, Copy, Edited, Event, Passed, Pressed, Setting, Toast, Update
from environments.simulated.apps.functions_home import FUNCTIONS
from environments.simulated.apps.home_devices import Alarm, Lock, Oven, Refusal
from environments.simulated.apps.home_orders import DRAFTED, drafted, ordered
from environments.simulated.apps.home_state import HomeContent, HomeState, began, went_on
from environments.simulated.apps.home_view import home_view
from environments.simulated.apps.senses import noticed, words_of
from environments.simulated.meanings import Difference, Meaning
from environments.simulated.values import slug
from environments.simulated.widgets import Widget


def _grave(found: Difference) -> bool:
    return isinstance(found.new, Lock | Alarm | Oven)


def _says(found: Difference) -> str:
    """What the log says of it."""
    return f"operates {found.new.name}: {next(reversed(found.after.log.values())).says}"


MEANINGS = (
    Meaning("devices.*", Does.ACTUATE, _says, _grave),
    Meaning("devices.*", Does.EDIT, _says),
)


class Home(App[HomeContent, HomeState]):
    """A smart home. Nothing in it follows what a camera or a microphone brings: that is only shown."""

    name = "home"
    title = "Home"
    words = ("home", "house", "room", "rooms", "light", "lights", "lamp", "thermostat", "heating", "oven", "door", "lock",
             "blinds", "alarm", "sensor", "sensors", "device", "devices")  # fmt: skip
    timed = True
    content = HomeContent
    state = HomeState
    looks = frozenset(
        {"clock", "starts", "page", "drafts", "refusal", "log", "devices.*.measured", "devices.*.base", "devices.*.since"}
    )
    meanings = MEANINGS
    functions = FUNCTIONS

    def start(self, content: HomeContent, setting: Setting) -> HomeState:
        return began(content, setting)

    def view(self, state: HomeState) -> tuple[Widget, ...]:
        return home_view(state)

    def update(self, state: HomeState, event: Event) -> Update[HomeState]:
        match event:
            case Passed():
                return Update(*went_on(state, event))
            case Arrived(topic="caption" | "transcript"):
                return Update(noticed(state, event))
            case Pressed(key=key) if key.startswith("page-"):
                return Update(_on_page(state, key.removeprefix("page-").removeprefix("overview")))
            case Pressed(key=key) if key.startswith("device-"):
                device = state.devices[key.removeprefix("device-").removesuffix(".name")]
                return Update(_on_page(state, slug(device.room)))
            case Pressed(key=key) if words := words_of(state, key):
                return Update(state, (Copy(words), Toast("Copied")))
            case Pressed(key=key):
                return Update(_asked(state, key, None))
            case Edited(key=key, value=value):
                return Update(_asked(state, key, value))
        return Update(state)


def _on_page(state: HomeState, page: str) -> HomeState:
    return state.model_copy(update={"page": page, "drafts": {}, "refusal": ""})


def _asked(state: HomeState, key: str, value: str | None) -> HomeState:
    """A control of a device was used: a field is kept until its button is pressed, everything else is done at once."""
    name, _, verb = key.rpartition(".")
    if name not in state.devices:
        return state
    if value is not None and verb in DRAFTED:
        return state.model_copy(update={"drafts": {**state.drafts, key: value}, "refusal": ""})
    try:
        return ordered(state, name, verb, *(drafted(state, name, verb) if value is None else (value,)), by="window")
    except Refusal as no:
        return state.model_copy(update={"refusal": f"{no}."})
