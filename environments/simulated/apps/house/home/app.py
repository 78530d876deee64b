"""Home: the devices of a house, to look at and to operate within their hard limits."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from environments.effects import Effect as Does
from environments.simulated.app import (
    AnyFunction,
    App,
    Arrived,
    Copy,
    Difference,
    Edited,
    Event,
    Function,
    FunctionDeclined,
    FunctionResult,
    Meaning,
    Passed,
    Pressed,
    Setting,
    Toast,
    Update,
)
from environments.simulated.apps.common.functions_base import NoArguments, unknown
from environments.simulated.apps.common.senses import noticed
from environments.simulated.apps.house.home.state import (
    OVEN,
    PERCENT,
    THERMOSTAT,
    TIMER,
    Alarm,
    AnyDevice,
    Blinds,
    By,
    HomeContent,
    HomeState,
    Light,
    Lock,
    OperationResult,
    Oven,
    Refusal,
    Sensor,
    Thermostat,
    aimed,
    armed,
    began,
    cooled,
    dimmed,
    heated,
    locked,
    moved,
    switched,
)
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Model, slug

DRAFTED = frozenset({"target", "temperature", "minutes"})
"""Fields of which nothing is set until a button is pressed."""
MINUTES = "30"
"""What the timer of an oven says before anybody wrote into it."""


def ordered(state: HomeState, name: str, verb: str, *values: str | float, by: By) -> HomeState:
    """The home after an order. Raises Refusal with a sentence where the device does not do it."""
    return state.operated(name, _done(state, name, verb, values), by)


def _done(state: HomeState, name: str, verb: str, values: tuple[str | float, ...]) -> OperationResult:
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


RECENT = 20
"""Lines of the log that the window shows."""


def _overview(state: HomeState) -> Iterator[Widget]:
    rows = [
        ui.row(
            f"device-{name}",
            ui.link(device.name, f"device-{name}.name"),
            ui.cell(device.room, f"device-{name}.room"),
            ui.cell(status_of(state, device), f"device-{name}.state"),
        )
        for name, device in state.devices.items()
    ]
    yield ui.table("devices", ("Device", "Room", "State"), rows) if rows else ui.text("There are no devices", "none")
    yield from state.views_in("")


def _room(state: HomeState, room: str) -> Iterator[Widget]:
    for name, device in state.devices.items():
        if device.room == room:
            yield ui.group(*_device(state, name, device), key=f"{name}.group")
    yield from state.views_in(room)


def _log(state: HomeState) -> Iterator[Widget]:
    lines = [
        ui.text(f"{state.time(entry.at)} {entry.says} ({entry.by})", f"log-{number}")
        for number, entry in reversed([*state.log.items()][-RECENT:])
    ]
    yield Widget("log", None, "log", children=tuple(lines)) if lines else ui.text("Nothing has happened yet", "none")


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
    yield ui.pair(device.name, status_of(state, device), f"{name}.state")
    match device:
        case Light():
            yield ui.switch(f"Switch {device.said}", f"{name}.on", device.on)
            yield ui.slider(f"Brightness of {device.said}", f"{name}.brightness", f"{device.brightness:g}", PERCENT)
        case Blinds():
            yield ui.slider(f"Position of {device.said}", f"{name}.position", f"{device.position:g}", PERCENT)
        case Thermostat():
            yield _thermostat(state, name, device)
        case Oven():
            yield _oven(state, name, device)
        case Lock():
            verb = "Unlock" if device.locked else "Lock"
            yield _operates(ui.button(f"{verb} {device.said}", f"{name}.{verb.lower()}"))
        case Alarm():
            verb = "Disable" if device.enabled else "Enable"
            yield _operates(ui.button(f"{verb} {device.said}", f"{name}.{verb.lower()}"))


def _operates(control: Widget) -> Widget:
    return control._replace(actuator=True)


def _thermostat(state: HomeState, name: str, device: Thermostat) -> Widget:
    (target,) = drafted(state, name, "set")
    return ui.form(
        f"{name}.form",
        ui.spinbutton(f"Target of {device.said} in °C", f"{name}.target", target, THERMOSTAT),
        ui.button(f"Set {device.said}", f"{name}.set"),
        submit=f"{name}.set",
        across=True,
    )


def _oven(state: HomeState, name: str, device: Oven) -> Widget:
    goal, minutes = drafted(state, name, "start")
    on = _operates(ui.button(f"{'Change' if device.on else 'Turn on'} {device.said}", f"{name}.start"))
    off = (_operates(ui.button(f"Turn off {device.said}", f"{name}.stop")),) if device.on else ()
    return ui.form(
        f"{name}.form",
        ui.spinbutton(f"Temperature of {device.said} in °C", f"{name}.temperature", goal, OVEN),
        ui.spinbutton(f"Timer of {device.said} in minutes", f"{name}.minutes", minutes, TIMER),
        on,
        *off,
        submit=f"{name}.start",
    )


class InRoom(Model):
    """The devices of one room; of all rooms when it is left out."""

    room: str = ""


class DeviceName(Model):
    """A device by its name."""

    device: str


class SetLight(DeviceName):
    """What is left out stays as it is."""

    on: bool | None = None
    brightness: float | None = None


class SetBlinds(DeviceName):
    position: float


class SetThermostat(DeviceName):
    target: float


class TurnOnOven(DeviceName):
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
    """The id of a device. Raises FunctionDeclined for one that there is not, and for one of another kind."""
    name = slug(wanted)
    fits = [n for n, device in state.devices.items() if kind is None or isinstance(device, kind)]
    if name not in fits:
        noun = kind.model_fields["kind"].default if kind is not None else "device"
        unknown(noun, wanted, [state.devices[n].name for n in fits])
    return name


def list_devices(state: HomeState, wanted: InRoom) -> FunctionResult[HomeState]:
    if wanted.room and slug(wanted.room) not in map(slug, state.rooms):
        unknown("room", wanted.room, state.rooms)
    fits = [name for name, device in state.devices.items() if not wanted.room or slug(device.room) == slug(wanted.room)]
    return FunctionResult(state, [_shown(state, name) for name in fits])


def get_device(state: HomeState, wanted: DeviceName) -> FunctionResult[HomeState]:
    return FunctionResult(state, _shown(state, _named(state, wanted.device)))


def captions(state: HomeState, wanted: WhichSense) -> FunctionResult[HomeState]:
    return FunctionResult(state, state.reported("camera", wanted.name))


def transcripts(state: HomeState, wanted: WhichSense) -> FunctionResult[HomeState]:
    return FunctionResult(state, state.reported("microphone", wanted.name))


def history(state: HomeState, _: NoArguments) -> FunctionResult[HomeState]:
    return FunctionResult(state, [entry.model_dump(mode="json") for entry in state.log.values()])


def _operate(state: HomeState, name: str, orders: list[tuple[str, tuple[str | float, ...]]]) -> FunctionResult[HomeState]:
    """Every order or none of them."""
    refusal = state.refusal
    after = state
    try:
        for verb, values in orders:
            after = ordered(after, name, verb, *values, by="function")
    except Refusal as no:
        raise FunctionDeclined(str(no)) from None
    drafts = state.drafts
    return FunctionResult(after.replace(drafts=drafts, refusal=refusal), _shown(after, name))


def set_light(state: HomeState, wanted: SetLight) -> FunctionResult[HomeState]:
    orders: list[tuple[str, tuple[str | float, ...]]] = []
    if wanted.on is not None:
        orders.append(("on", ("true" if wanted.on else "false",)))
    if wanted.brightness is not None:
        orders.append(("brightness", (wanted.brightness,)))
    if not orders:
        raise FunctionDeclined("say what to set: on, brightness")
    return _operate(state, _named(state, wanted.device, Light), orders)


def _order(name: str, summary: str, takes: type[DeviceName], kind: type[AnyDevice], verb: str) -> AnyFunction:
    """A function that gives one order to a device of a kind: what it takes beside the name are the order's values."""

    def call(state: HomeState, wanted: DeviceName) -> FunctionResult[HomeState]:
        values = tuple(wanted.model_dump(exclude={"device"}).values())
        return _operate(state, _named(state, wanted.device, kind), [(verb, values)])

    return Function(name, summary, takes, call, writes=True, repeatable=True)


FUNCTIONS: tuple[AnyFunction, ...] = (
    Function("list_devices", "Every device and how it is, by room", InRoom, list_devices),
    Function("get_device", "One device and how it is", DeviceName, get_device),
    Function("captions", "What each camera has seen so far, oldest first", WhichSense, captions),
    Function("transcripts", "What each microphone has heard so far, oldest first", WhichSense, transcripts),
    Function("history", "What happened in the home, and who did it", NoArguments, history),
    Function(
        "set_light", "Turn a light on or off, or set its brightness in percent", SetLight, set_light, writes=True, repeatable=True
    ),
    _order("set_blinds", "Open blinds to a percentage", SetBlinds, Blinds, "position"),
    _order("set_thermostat", "Set a target from 5 to 30 °C", SetThermostat, Thermostat, "set"),
    _order("lock_door", "Lock a door", DeviceName, Lock, "lock"),
    _order("unlock_door", "Unlock a door", DeviceName, Lock, "unlock"),
    _order("turn_on_oven", "Turn an oven on, 50 to 250 °C, for 1 to 240 minutes", TurnOnOven, Oven, "start"),
    _order("turn_off_oven", "Turn an oven off", DeviceName, Oven, "stop"),
    _order("enable_alarm", "Enable an alarm", DeviceName, Alarm, "enable"),
    _order("disable_alarm", "Disable an alarm", DeviceName, Alarm, "disable"),
)  # fmt: skip


def _says(found: Difference) -> str:
    """What the log says of it."""
    return f"operates {found.new.name}: {next(reversed(found.after.log.values())).says}"


MEANINGS = (
    Meaning("devices.*", Does.ACTUATE, _says, lambda found: isinstance(found.new, Lock | Alarm | Oven)),
    Meaning("devices.*", Does.EDIT, _says),
)


class Home(App[HomeContent, HomeState]):
    """A smart home. Nothing in it follows what a camera or a microphone brings: that is only shown."""

    name = "home"
    title = "Home"
    words = ("home", "house", "room", "rooms", "light", "lights", "lamp", "thermostat", "heating", "oven", "door", "lock",
             "blinds", "alarm", "sensor", "sensors", "device", "devices")  # fmt: skip
    timed = True
    looks = frozenset(
        {"clock", "starts", "page", "drafts", "refusal", "log", "devices.*.measured", "devices.*.base", "devices.*.since"}
    )
    meanings = MEANINGS
    functions = FUNCTIONS

    def start(self, content: HomeContent, setting: Setting) -> HomeState:
        return began(content, setting)

    def view(self, state: HomeState) -> tuple[Widget, ...]:
        rooms = {slug(room): room for room in state.rooms}
        names = {"": "Overview", **rooms, "log": "Log"}
        pages = tuple(
            Widget("tab", name, f"page-{key or 'overview'}", press=True, selected=key == state.page)
            for key, name in names.items()
        )
        title = names.get(state.page, "Overview")
        return (
            ui.heading(f"Home: {title}", f"page.{state.page or 'overview'}"),
            Widget("tablist", None, "pages", children=pages, across=True),
            *((ui.alert(state.refusal, "refusal"),) if state.refusal else ()),
            *(_log(state) if state.page == "log" else _room(state, title) if state.page in rooms else _overview(state)),
        )

    def update(self, state: HomeState, event: Event) -> Update[HomeState]:
        match event:
            case Passed():
                return Update(*state.went_on(event))
            case Arrived(topic="caption" | "transcript"):
                return Update(noticed(state, event))
            case Pressed(key=key) if key.startswith("page-"):
                return Update(_on_page(state, key.removeprefix("page-").removeprefix("overview")))
            case Pressed(key=key) if key.startswith("device-"):
                device = state.devices[key.removeprefix("device-").removesuffix(".name")]
                return Update(_on_page(state, slug(device.room)))
            case Pressed(key=key) if words := state.words_of(key):
                return Update(state, (Copy(words), Toast("Copied")))
            case Pressed(key=key):
                return Update(_asked(state, key, None))
            case Edited(key=key, value=value):
                return Update(_asked(state, key, value))
        return Update(state)


def _on_page(state: HomeState, page: str) -> HomeState:
    return state.replace(page=page, drafts={}, refusal="")


def _asked(state: HomeState, key: str, value: str | None) -> HomeState:
    """A control of a device was used: a field is kept until its button is pressed, everything else is done at once."""
    name, _, verb = key.rpartition(".")
    if name not in state.devices:
        return state
    if value is not None and verb in DRAFTED:
        return state.replace(drafts={**state.drafts, key: value}, refusal="")
    try:
        return ordered(state, name, verb, *(drafted(state, name, verb) if value is None else (value,)), by="window")
    except Refusal as no:
        return state.replace(refusal=f"{no}.")
