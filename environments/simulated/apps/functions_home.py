"""The functions of Home: they go through the same layer as its window, so that they refuse what the window refuses.

Each that operates a lock, an oven or an alarm says so in its name, by which a safety policy knows it.
"""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue

from environments.simulated.apps.functions_base import Nothing, unknown
from environments.simulated.apps.home_devices import Alarm, AnyDevice, Blinds, Light, Lock, Oven, Refusal, Sensor, Thermostat
from environments.simulated.apps.home_orders import ordered
from environments.simulated.apps.home_state import HomeState
from environments.simulated.apps.home_view import status_of
from environments.simulated.apps.senses import reported
from environments.simulated.skills import Declined, Done, Function
from environments.simulated.values import Model, slug


class InRoom(Model):
    """The devices of one room; of all rooms when it is left out."""

    room: str = ""


class Which(Model):
    """A device by its name."""

    device: str


class SetLight(Which):
    """What is left out stays as it is."""

    on: bool | None = None
    brightness: float | None = None


class SetBlinds(Which):
    position: float


class SetThermostat(Which):
    target: float


class TurnOnOven(Which):
    temperature: float
    minutes: float


class WhichSense(Model):
    """One camera or microphone by its name; all of them when it is left out."""

    name: str = ""


def _shown(state: HomeState, name: str) -> JsonValue:
    device = state.devices[name]
    if isinstance(device, Sensor):
        return {"device": device.name, "room": device.room, "kind": "sensor", "measures": device.measures,
                "value": device.value(state.clock)}  # fmt: skip
    facts = device.model_dump(mode="json", exclude={"name", "room", "base", "since"})
    return {"device": device.name, "room": device.room, **facts, "state": status_of(state, device)}


def _named(state: HomeState, wanted: str, kind: type[AnyDevice] | None = None) -> str:
    """The id of a device. Raises Declined for one that there is not, and for one of another kind."""
    name = slug(wanted)
    fits = [n for n, device in state.devices.items() if kind is None or isinstance(device, kind)]
    if name not in fits:
        noun = kind.model_fields["kind"].default if kind is not None else "device"
        unknown(noun, wanted, [state.devices[n].name for n in fits])
    return name


def list_devices(state: HomeState, wanted: InRoom) -> Done[HomeState]:
    if wanted.room and slug(wanted.room) not in map(slug, state.rooms):
        unknown("room", wanted.room, state.rooms)
    fits = [name for name, device in state.devices.items() if not wanted.room or slug(device.room) == slug(wanted.room)]
    return Done(state, [_shown(state, name) for name in fits])


def get_device(state: HomeState, wanted: Which) -> Done[HomeState]:
    return Done(state, _shown(state, _named(state, wanted.device)))


def captions(state: HomeState, wanted: WhichSense) -> Done[HomeState]:
    return Done(state, reported(state, "camera", wanted.name))


def transcripts(state: HomeState, wanted: WhichSense) -> Done[HomeState]:
    return Done(state, reported(state, "microphone", wanted.name))


def history(state: HomeState, _: Nothing) -> Done[HomeState]:
    return Done(state, [entry.model_dump(mode="json") for entry in state.log.values()])


def _operate(state: HomeState, name: str, orders: list[tuple[str, tuple[str | float, ...]]]) -> Done[HomeState]:
    """Every order or none of them."""
    refusal = state.refusal
    after = state
    try:
        for verb, values in orders:
            after = ordered(after, name, verb, *values, by="function")
    except Refusal as no:
        raise Declined(str(no)) from None
    drafts = state.drafts
    return Done(after.model_copy(update={"drafts": drafts, "refusal": refusal}), _shown(after, name))


def set_light(state: HomeState, wanted: SetLight) -> Done[HomeState]:
    orders: list[tuple[str, tuple[str | float, ...]]] = []
    if wanted.on is not None:
        orders.append(("on", ("true" if wanted.on else "false",)))
    if wanted.brightness is not None:
        orders.append(("brightness", (wanted.brightness,)))
    if not orders:
        raise Declined("say what to set: on, brightness")
    return _operate(state, _named(state, wanted.device, Light), orders)


def set_blinds(state: HomeState, wanted: SetBlinds) -> Done[HomeState]:
    return _operate(state, _named(state, wanted.device, Blinds), [("position", (wanted.position,))])


def set_thermostat(state: HomeState, wanted: SetThermostat) -> Done[HomeState]:
    return _operate(state, _named(state, wanted.device, Thermostat), [("set", (wanted.target,))])


def turn_on_oven(state: HomeState, wanted: TurnOnOven) -> Done[HomeState]:
    return _operate(state, _named(state, wanted.device, Oven), [("start", (wanted.temperature, wanted.minutes))])


def turn_off_oven(state: HomeState, wanted: Which) -> Done[HomeState]:
    return _operate(state, _named(state, wanted.device, Oven), [("stop", ())])


def lock_door(state: HomeState, wanted: Which) -> Done[HomeState]:
    return _operate(state, _named(state, wanted.device, Lock), [("lock", ())])


def unlock_door(state: HomeState, wanted: Which) -> Done[HomeState]:
    return _operate(state, _named(state, wanted.device, Lock), [("unlock", ())])


def enable_alarm(state: HomeState, wanted: Which) -> Done[HomeState]:
    return _operate(state, _named(state, wanted.device, Alarm), [("enable", ())])


def disable_alarm(state: HomeState, wanted: Which) -> Done[HomeState]:
    return _operate(state, _named(state, wanted.device, Alarm), [("disable", ())])


FUNCTIONS: tuple[Function[Any, Any], ...] = (
    Function("list_devices", "Every device and how it is, by room", InRoom, list_devices),
    Function("get_device", "One device and how it is", Which, get_device),
    Function("captions", "What each camera has seen so far, oldest first", WhichSense, captions),
    Function("transcripts", "What each microphone has heard so far, oldest first", WhichSense, transcripts),
    Function("history", "What happened in the home, and who did it", Nothing, history),
    Function(
        "set_light", "Turn a light on or off, or set its brightness in percent", SetLight, set_light, writes=True, repeatable=True
    ),
    Function("set_blinds", "Open blinds to a percentage", SetBlinds, set_blinds, writes=True, repeatable=True),
    Function("set_thermostat", "Set a target from 5 to 30 °C", SetThermostat, set_thermostat, writes=True, repeatable=True),
    Function("lock_door", "Lock a door", Which, lock_door, writes=True, repeatable=True),
    Function("unlock_door", "Unlock a door", Which, unlock_door, writes=True, repeatable=True),
    Function(
        "turn_on_oven",
        "Turn an oven on, 50 to 250 °C, for 1 to 240 minutes",
        TurnOnOven,
        turn_on_oven,
        writes=True,
        repeatable=True,
    ),
    Function("turn_off_oven", "Turn an oven off", Which, turn_off_oven, writes=True, repeatable=True),
    Function("enable_alarm", "Enable an alarm", Which, enable_alarm, writes=True, repeatable=True),
    Function("disable_alarm", "Disable an alarm", Which, disable_alarm, writes=True, repeatable=True),
)
