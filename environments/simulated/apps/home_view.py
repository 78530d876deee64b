"""The pages of the home app: an overview, a page for each room, and what happened."""

from __future__ import annotations

from collections.abc import Iterator

from environments.simulated.apps.home_devices import (
    OVEN,
    PERCENT,
    THERMOSTAT,
    TIMER,
    Alarm,
    AnyDevice,
    Blinds,
    Light,
    Lock,
    Oven,
    Sensor,
    Thermostat,
)
from environments.simulated.apps.home_orders import drafted
from environments.simulated.apps.home_state import HomeState
from environments.simulated.apps.senses import camera_view, microphone_view
from environments.simulated.values import slug
from environments.simulated.widgets import (
    Widget,
    alert,
    button,
    cell,
    form,
    group,
    heading,
    link,
    pair,
    row,
    slider,
    spinbutton,
    switch,
    table,
    text,
)

RECENT = 20
"""Lines of the log that the window shows."""


def home_view(state: HomeState) -> tuple[Widget, ...]:
    rooms = {slug(room): room for room in state.rooms}
    names = {"": "Overview", **rooms, "log": "Log"}
    pages = tuple(
        Widget("tab", name, f"page-{key or 'overview'}", press=True, selected=key == state.page) for key, name in names.items()
    )
    title = names.get(state.page, "Overview")
    return (
        heading(f"Home: {title}", f"page.{state.page or 'overview'}"),
        Widget("tablist", None, "pages", children=pages, across=True),
        *((alert(state.refusal, "refusal"),) if state.refusal else ()),
        *(_log(state) if state.page == "log" else _room(state, title) if state.page in rooms else _overview(state)),
    )


def _overview(state: HomeState) -> Iterator[Widget]:
    rows = [
        row(
            f"device-{name}",
            link(device.name, f"device-{name}.name"),
            cell(device.room, f"device-{name}.room"),
            cell(status_of(state, device), f"device-{name}.state"),
        )
        for name, device in state.devices.items()
    ]
    yield table("devices", ("Device", "Room", "State"), rows) if rows else text("There are no devices", "none")
    for name, camera in state.cameras.items():
        if not camera.room:
            yield camera_view(state, name)
    for name, microphone in state.microphones.items():
        if not microphone.room:
            yield microphone_view(state, name)


def _room(state: HomeState, room: str) -> Iterator[Widget]:
    for name, device in state.devices.items():
        if device.room == room:
            yield group(*_device(state, name, device), key=f"{name}.group")
    for name, camera in state.cameras.items():
        if camera.room == room:
            yield camera_view(state, name)
    for name, microphone in state.microphones.items():
        if microphone.room == room:
            yield microphone_view(state, name)


def _log(state: HomeState) -> Iterator[Widget]:
    lines = [
        text(f"{state.time(entry.at)} {entry.says} ({entry.by})", f"log-{number}")
        for number, entry in reversed([*state.log.items()][-RECENT:])
    ]
    yield Widget("log", None, "log", children=tuple(lines)) if lines else text("Nothing has happened yet", "none")


def status_of(state: HomeState, device: AnyDevice) -> str:
    """How a device is, in a few words."""
    match device:
        case Light(on=on, brightness=brightness):
            return f"On at {brightness:g} %" if on else "Off"
        case Blinds(position=position):
            return f"Open {position:g} %" if position else "Closed"
        case Thermostat(target=target, measured=measured):
            return f"{measured:.1f} °C, target {target:g} °C"
        case Oven(on=on, temperature=temperature, until=until, measured=measured):
            timer = f" until {state.time(until)}" if until is not None else ""
            return f"On at {temperature:g} °C{timer}, {measured:.0f} °C inside" if on else f"Off, {measured:.0f} °C inside"
        case Lock(locked=shut):
            return "Locked" if shut else "Unlocked"
        case Alarm(enabled=on):
            return "Enabled" if on else "Disabled"
        case Sensor():
            return device.value(state.clock).capitalize()


def _device(state: HomeState, name: str, device: AnyDevice) -> Iterator[Widget]:
    yield pair(device.name, status_of(state, device), f"{name}.state")
    match device:
        case Light():
            yield switch(f"Switch {device.said}", f"{name}.on", device.on)
            yield slider(f"Brightness of {device.said}", f"{name}.brightness", f"{device.brightness:g}", PERCENT)
        case Blinds():
            yield slider(f"Position of {device.said}", f"{name}.position", f"{device.position:g}", PERCENT)
        case Thermostat():
            yield _thermostat(state, name, device)
        case Oven():
            yield _oven(state, name, device)
        case Lock():
            verb = "Unlock" if device.locked else "Lock"
            yield _operates(button(f"{verb} {device.said}", f"{name}.{verb.lower()}"))
        case Alarm():
            verb = "Disable" if device.enabled else "Enable"
            yield _operates(button(f"{verb} {device.said}", f"{name}.{verb.lower()}"))


def _operates(control: Widget) -> Widget:
    return control._replace(actuator=True)


def _thermostat(state: HomeState, name: str, device: Thermostat) -> Widget:
    (target,) = drafted(state, name, "set")
    return form(
        f"{name}.form",
        spinbutton(f"Target of {device.said} in °C", f"{name}.target", target, THERMOSTAT),
        button(f"Set {device.said}", f"{name}.set"),
        submit=f"{name}.set",
        across=True,
    )


def _oven(state: HomeState, name: str, device: Oven) -> Widget:
    goal, minutes = drafted(state, name, "start")
    on = _operates(button(f"{'Change' if device.on else 'Turn on'} {device.said}", f"{name}.start"))
    off = (_operates(button(f"Turn off {device.said}", f"{name}.stop")),) if device.on else ()
    return form(
        f"{name}.form",
        spinbutton(f"Temperature of {device.said} in °C", f"{name}.temperature", goal, OVEN),
        spinbutton(f"Timer of {device.said} in minutes", f"{name}.minutes", minutes, TIMER),
        on,
        *off,
        submit=f"{name}.start",
    )
