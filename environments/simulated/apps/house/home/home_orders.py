"""What may be asked of a device, by the window and by the functions alike."""

from __future__ import annotations

from environments.simulated.apps.house.home.devices import (
    Alarm,
    Blinds,
    Light,
    Lock,
    Operated,
    Oven,
    Refusal,
    Thermostat,
    aimed,
    armed,
    cooled,
    dimmed,
    heated,
    locked,
    moved,
    switched,
)
from environments.simulated.apps.house.home.state import By, HomeState, operated

DRAFTED = frozenset({"target", "temperature", "minutes"})
"""Fields of which nothing is set until a button is pressed."""
MINUTES = "30"
"""What the timer of an oven says before anybody wrote into it."""


def ordered(state: HomeState, name: str, verb: str, *values: str | float, by: By) -> HomeState:
    """The home after an order. Raises Refusal with a sentence where the device does not do it."""
    return operated(state, name, _done(state, name, verb, values), by)


def _done(state: HomeState, name: str, verb: str, values: tuple[str | float, ...]) -> Operated:
    match verb, state.devices[name]:
        case "on", Light() as light:
            return switched(light, values[0] == "true")
        case "brightness", Light() as light:
            return dimmed(light, values[0])
        case "position", Blinds() as blinds:
            return moved(blinds, values[0])
        case "set", Thermostat() as thermostat:
            return aimed(thermostat, values[0], state.clock)
        case "start", Oven() as oven:
            return heated(oven, values[0], values[1], state.clock, state.smoke)
        case "stop", Oven() as oven:
            return cooled(oven, state.clock)
        case (("lock" | "unlock"), Lock() as lock):
            return locked(lock, verb == "lock")
        case (("enable" | "disable"), Alarm() as alarm):
            return armed(alarm, verb == "enable")
    raise Refusal(f"{state.devices[name].name} does not do that")


def drafted(state: HomeState, name: str, verb: str) -> tuple[str, ...]:
    """What the fields beside a button say."""
    device = state.devices[name]
    if isinstance(device, Thermostat) and verb == "set":
        return (state.drafts.get(f"{name}.target", f"{device.target:g}"),)
    if isinstance(device, Oven) and verb == "start":
        return state.drafts.get(f"{name}.temperature", f"{device.temperature:g}"), state.drafts.get(f"{name}.minutes", MINUTES)
    return ()
