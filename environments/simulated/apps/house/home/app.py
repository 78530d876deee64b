"""Home: the devices of a house, to look at and to operate within their hard limits."""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias, TypeVar

from pydantic import Field, JsonValue, create_model, model_validator

from environments.effects import Effect as Does
from environments.files.yaml_lines import packaged
from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable, unknown
from environments.simulated.apps.common.record_list import refuse_twice
from environments.simulated.apps.common.senses import Senses, SensingState, by_id, noticed, passed
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Model, drawn, made_up, slug

Limits: TypeAlias = tuple[float, float, float]
THERMOSTAT: Limits = (5, 30, 0.5)
OVEN: Limits = (50, 250, 5)
TIMER: Limits = (1, 240, 1)
"""Minutes; an oven that is on always goes off at the end of them."""
PERCENT: Limits = (0, 100, 5)
ROOM = 20.0
"""What an oven cools down to, in °C."""
_WARMS, _HEATS, _COOLS = 0.5, 20.0, 10.0
"""How many °C a minute changes in a room, and in an oven that is on and off."""


W = TypeVar("W", bound="TemperatureModel")


class Device(Model):
    """Something in a room, by a name that no other device has."""

    name: str = Field(min_length=1)
    room: str = Field(min_length=1)

    @property
    def said(self) -> str:
        """Its name within a sentence."""
        return self.name[0].lower() + self.name[1:]


class Light(Device):
    kind: Literal["light"] = "light"
    on: bool = False
    brightness: float = Field(default=100, ge=0, le=100)


class Blinds(Device):
    kind: Literal["blinds"] = "blinds"
    position: float = Field(default=100, ge=0, le=100)
    """Percent that they are open."""


class TemperatureModel(Device):
    """What changes its temperature with time: from `base` at `since`, to what it is `measured` now."""

    measured: float = Field(default=ROOM, ge=-30, le=300)
    base: float | None = None
    since: float = 0.0


class Thermostat(TemperatureModel):
    kind: Literal["thermostat"] = "thermostat"
    target: float = Field(default=ROOM, ge=THERMOSTAT[0], le=THERMOSTAT[1])


class Oven(TemperatureModel):
    kind: Literal["oven"] = "oven"
    on: bool = False
    temperature: float = Field(default=180, ge=OVEN[0], le=OVEN[1])
    until: float | None = None
    """When the timer turns it off."""


class Lock(Device):
    kind: Literal["lock"] = "lock"
    locked: bool = True


class Alarm(Device):
    kind: Literal["alarm"] = "alarm"
    enabled: bool = True


class SensorReading(Model):
    """What a sensor says from a time on."""

    at: float = Field(default=0.0, ge=0)
    value: str


class Sensor(Device):
    kind: Literal["sensor"] = "sensor"
    measures: Literal["temperature", "humidity", "smoke", "motion", "window"]
    readings: tuple[SensorReading, ...] = Field(min_length=1)

    def value(self, clock: float) -> str:
        past = [reading for reading in self.readings if reading.at <= clock]
        return max(past, key=lambda reading: reading.at).value if past else "no reading yet"


AnyDevice: TypeAlias = Annotated[
    Light | Blinds | Thermostat | Oven | Lock | Alarm | Sensor, Field(discriminator="kind")
]  # fmt: skip


class OperationResult(NamedTuple):
    """A device after a command, and what happened in a sentence."""

    device: AnyDevice
    says: str


def within(text: str | float, limits: Limits, what: str, unit: str) -> float:
    """The number that was asked for. Raises FunctionDeclined for what is none, and for what lies outside of the limits."""
    low, high, _ = limits
    try:
        value = Decimal(str(text).strip())
    except InvalidOperation:
        raise sim.FunctionDeclined(f"{what} needs a number from {low:g} to {high:g} {unit}, not {str(text)[:40]!r}") from None
    if not value.is_finite() or not Decimal(str(low)) <= value <= Decimal(str(high)):
        outside = f"{float(value):g} {unit} is outside of its hard limits and is not set"
        raise sim.FunctionDeclined(f"{what} takes {low:g} to {high:g} {unit}; {outside}")
    return float(value)


def aimed(thermostat: Thermostat, target: str | float, clock: float) -> OperationResult:
    goal = within(target, THERMOSTAT, thermostat.name, "°C")
    return OperationResult(_from_now(thermostat, clock, target=goal), f"{thermostat.name} set to {goal:g} °C")


def heated(oven: Oven, temperature: str | float, minutes: str | float, clock: float, smoke: bool) -> OperationResult:
    """The oven on, or on at another temperature. It never is without a timer, nor while there is smoke."""
    goal = within(temperature, OVEN, oven.name, "°C")
    time = within(minutes, TIMER, f"The timer of {oven.said}", "minutes")
    if smoke:
        raise sim.FunctionDeclined(f"{oven.name} stays off while a sensor reports smoke; see to the smoke first")
    until = round(clock + 60 * time, 3)
    on = _from_now(oven, clock, on=True, temperature=goal, until=until)
    return OperationResult(on, f"{oven.name} turned on at {goal:g} °C for {time:g} minutes")


def cooled(oven: Oven, clock: float, why: str = "") -> OperationResult:
    off = _from_now(oven, clock, on=False, until=None)
    return OperationResult(off, f"{oven.name} turned off{why}")


def _from_now(device: TemperatureModel, clock: float, **changes: object) -> AnyDevice:
    """The device with a new goal: its temperature moves on from where it is."""
    now: AnyDevice = device.model_copy(update={"base": warmed(device, clock).measured, "since": clock, **changes})  # type: ignore[assignment]
    return now


def warmed(device: W, clock: float) -> W:
    """The device at a time. It goes towards its goal at a steady pace, and never beyond."""
    base = device.measured if device.base is None else device.base
    match device:
        case Thermostat(target=target):
            goal, pace = target, _WARMS
        case Oven(on=True, temperature=temperature):
            goal, pace = temperature, _HEATS
        case _:
            goal, pace = ROOM, _COOLS
    most = pace * max(0.0, clock - device.since) / 60
    measured = round(base + min(max(goal - base, -most), most), 1)
    same = measured == device.measured and device.base is not None
    return device if same else device.replace(measured=measured, base=base)


By = Literal["window", "function", "device"]


class HomeContent(sim.Content):
    """A home without `devices` gets the usual ones of four rooms; the seed says how they are set."""

    devices: tuple[AnyDevice, ...] | None = None
    cameras: Senses | None = None
    microphones: Senses | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        refuse_twice("devices: the name", [slug(device.name) for device in self.devices or ()])
        return self


class Entry(Model):
    """Something that happened in the home, and who did it."""

    at: float
    says: str
    by: By


class HomeState(SensingState):
    """Devices by id, and what is looked at or written but not set yet."""

    devices: dict[str, AnyDevice]
    page: str = ""
    """The room that is shown; `log` for what happened, nothing for the overview."""
    drafts: dict[str, str] = Field(default_factory=dict)
    """What stands in the fields, by key."""
    refusal: str = ""
    log: dict[str, Entry] = Field(default_factory=dict)

    @property
    def rooms(self) -> tuple[str, ...]:
        places = (*self.devices.values(), *self.cameras.values(), *self.microphones.values())
        return tuple(dict.fromkeys(place.room for place in places if place.room))

    @property
    def smoke(self) -> bool:
        sensors = [d for d in self.devices.values() if isinstance(d, Sensor) and d.measures == "smoke"]
        return any(sensor.value(self.clock) == "smoke" for sensor in sensors)

    def operated(self, name: str, done: OperationResult, by: By, at: float | None = None) -> "HomeState":
        """The state after a device was operated, now or at an earlier time; what was written in its fields is set now."""
        number = str(len(self.log) + 1)
        log = {**self.log, number: Entry(at=self.clock if at is None else at, says=done.says, by=by)}
        drafts = {key: text for key, text in self.drafts.items() if not key.startswith(f"{name}.")}
        devices = {**self.devices, name: done.device}
        return self.replace(devices=devices, log=log, drafts=drafts, refusal="")

    def went_on(self, event: sim.Passed) -> "tuple[HomeState, tuple[sim.Effect, ...]]":
        """Temperatures move, timers run out, and smoke turns every oven off without anybody's word."""
        smoked = self.smoke
        now, effects = passed(self, event)
        if now.smoke and not smoked:
            effects = (*effects, sim.Toast("A sensor reports smoke"))
        for name, device in self.devices.items():
            if not isinstance(device, Oven) or not device.on:
                continue
            timed = device.until is not None and device.until <= now.clock
            if timed or now.smoke:
                at, why = (device.until or 0.0, " by its timer") if timed else (now.clock, " because of smoke")
                now = now.operated(name, cooled(warmed(device, at), at, why), "device", at)
                effects = (*effects, sim.Toast(f"{device.name} turned off{why}"))
        return now.replace(devices=now._warmed()), effects

    def _warmed(self) -> dict[str, AnyDevice]:
        devices = self.devices
        for name, device in devices.items():
            if isinstance(device, TemperatureModel) and (now := warmed(device, self.clock)) is not device:
                devices = {**devices, name: now}
        return devices


def _made(kind: str, setting: sim.Setting, **named: object) -> HomeContent:
    """The usual devices, or the usual cameras, as the seed sets them."""
    usual = packaged("environments.simulated.apps.house.home", "home.yaml")[kind]
    return HomeContent.model_validate({kind: drawn(usual, setting.rng, named)})


DRAFTED = frozenset({"target", "temperature", "minutes"})
"""Fields of which nothing is set until a button is pressed."""
MINUTES = "30"
"""What the timer of an oven says before anybody wrote into it."""


def ordered(state: HomeState, name: str, verb: str, *values: str | float) -> OperationResult:
    """What comes of an order. Raises FunctionDeclined with a sentence where the device does not do it."""
    match verb, state.devices[name]:
        case "on", Light() as light:
            on = values[0] == "true"
            return OperationResult(light.replace(on=on), f"{light.name} turned {'on' if on else 'off'}")
        case "brightness", Light() as light:
            share = within(values[0], PERCENT, light.name, "%")
            return OperationResult(light.replace(brightness=share), f"{light.name} set to {share:g} %")
        case "position", Blinds() as blinds:
            share = within(values[0], PERCENT, blinds.name, "%")
            return OperationResult(blinds.replace(position=share), f"{blinds.name} opened to {share:g} %")
        case "set", Thermostat() as thermostat:
            return aimed(thermostat, values[0], state.clock)
        case "start", Oven() as oven:
            return heated(oven, values[0], values[1], state.clock, state.smoke)
        case "stop", Oven() as oven:
            return cooled(oven, state.clock)
        case (("lock" | "unlock"), Lock() as lock):
            return OperationResult(lock.replace(locked=verb == "lock"), f"{lock.name} {verb}ed")
        case (("enable" | "disable"), Alarm() as alarm):
            return OperationResult(alarm.replace(enabled=verb == "enable"), f"{alarm.name} {verb}d")
    raise sim.FunctionDeclined(f"{state.devices[name].name} does not do that")


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


def _page(state: HomeState, room: str) -> Iterator[Widget]:
    """What happened, the devices of a room, or all of them."""
    if state.page == "log":
        log = reversed([*state.log.items()][-RECENT:])
        lines = tuple(ui.text(f"{state.time(one.at)} {one.says} ({one.by})", f"log-{number}") for number, one in log)
        yield Widget("log", None, "log", children=lines) if lines else ui.text("Nothing has happened yet", "none")
        return
    rows = []
    for name, device in state.devices.items():
        if device.room == room:
            yield ui.group(*_device(state, name, device), key=f"{name}.group")
        cells = {"name": device.name, "room": device.room, "state": status_of(state, device)}
        rows.append(ui.linked_row(f"device-{name}", cells))
    if not room:
        yield ui.table("devices", ("Device", "Room", "State"), rows) if rows else ui.text("There are no devices", "none")
    yield from state.views_in(room)


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
            (target,), label = drafted(state, name, "set"), f"Target of {device.said} in °C"
            field = ui.spinbutton(label, f"{name}.target", target, THERMOSTAT)
            yield ui.form(f"{name}.form", field, ui.button(f"Set {device.said}", key := f"{name}.set"), submit=key, across=True)
        case Oven():
            goal, minutes = drafted(state, name, "start")
            on = _operates(ui.button(f"{'Change' if device.on else 'Turn on'} {device.said}", key := f"{name}.start"))
            off = (_operates(ui.button(f"Turn off {device.said}", f"{name}.stop")),) if device.on else ()
            heat = ui.spinbutton(f"Temperature of {device.said} in °C", f"{name}.temperature", goal, OVEN)
            timer = ui.spinbutton(f"Timer of {device.said} in minutes", f"{name}.minutes", minutes, TIMER)
            yield ui.form(f"{name}.form", heat, timer, on, *off, submit=key)
        case Lock(locked=set_now) | Alarm(enabled=set_now):
            verbs = ("Unlock", "Lock") if isinstance(device, Lock) else ("Disable", "Enable")
            verb = verbs[0] if set_now else verbs[1]
            yield _operates(ui.button(f"{verb} {device.said}", f"{name}.{verb.lower()}"))


def _operates(control: Widget) -> Widget:
    return control._replace(actuator=True)


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


FUNCTIONS = FunctionTable[HomeState]()


@FUNCTIONS.reads("InRoom", "The devices of one room; of all rooms when it is left out.")
def list_devices(state: HomeState, room: str = "") -> JsonValue:
    """Every device and how it is, by room"""
    if room and slug(room) not in map(slug, state.rooms):
        unknown("room", room, state.rooms)
    return [_shown(state, name) for name, device in state.devices.items() if not room or slug(device.room) == slug(room)]


def _operate(state: HomeState, name: str, *orders: tuple[str, tuple[str | float, ...]]) -> sim.FunctionResult[HomeState]:
    """Every order or none of them."""
    after = state
    for verb, values in orders:
        after = after.operated(name, ordered(after, name, verb, *values), "function")
    return sim.FunctionResult(after.replace(drafts=state.drafts, refusal=state.refusal), _shown(after, name))


@FUNCTIONS.writes("SetLight", "What is left out stays as it is.", repeatable=True)
def set_light(
    state: HomeState, device: str, on: bool | None = None, brightness: float | None = None
) -> sim.FunctionResult[HomeState]:
    """Turn a light on or off, or set its brightness in percent"""
    given: dict[str, str | float | None] = {"on": None if on is None else str(on).lower(), "brightness": brightness}
    orders = [(verb, (value,)) for verb, value in given.items() if value is not None]
    if not orders:
        raise sim.FunctionDeclined("say what to set: on, brightness")
    return _operate(state, _named(state, device, Light), *orders)


class DeviceName(Model):
    """A device by its name."""

    device: str


def _order(name: str, summary: str, kind: type[AnyDevice], verb: str, *numbers: str) -> None:
    """A function that gives one order to a device of a kind: what it takes beside the name are the order's numbers."""
    fields: dict[str, Any] = {number: (float, ...) for number in numbers}
    takes = create_model(name.title().replace("_", ""), __base__=DeviceName, **fields) if numbers else DeviceName

    def order(state: HomeState, wanted: DeviceName) -> sim.FunctionResult[HomeState]:
        values = tuple(wanted.model_dump(exclude={"device"}).values())
        return _operate(state, _named(state, wanted.device, kind), (verb, values))

    order.__name__, order.__doc__, order.__annotations__["wanted"] = name, summary, takes
    FUNCTIONS.writes(repeatable=True)(order)


_order("set_blinds", "Open blinds to a percentage", Blinds, "position", "position")
_order("set_thermostat", "Set a target from 5 to 30 °C", Thermostat, "set", "target")
_order("lock_door", "Lock a door", Lock, "lock")
_order("unlock_door", "Unlock a door", Lock, "unlock")
_order("turn_on_oven", "Turn an oven on, 50 to 250 °C, for 1 to 240 minutes", Oven, "start", "temperature", "minutes")
_order("turn_off_oven", "Turn an oven off", Oven, "stop")
_order("enable_alarm", "Enable an alarm", Alarm, "enable")
_order("disable_alarm", "Disable an alarm", Alarm, "disable")


def _says(found: sim.Difference) -> str:
    return f"operates {found.new.name}: {next(reversed(found.after.log.values())).says}"


class Home(sim.App[HomeContent, HomeState]):
    """A smart home. Nothing in it follows what a camera or a microphone brings: that is only shown."""

    name = "home"
    title = "Home"
    words = ("home", "house", "room", "rooms", "light", "lights", "lamp", "thermostat", "heating", "oven", "door", "lock",
             "blinds", "alarm", "sensor", "sensors", "device", "devices")  # fmt: skip
    timed = True
    looks = frozenset(
        {"clock", "starts", "page", "drafts", "refusal", "log", "devices.*.measured", "devices.*.base", "devices.*.since"}
    )
    meanings = (
        sim.Meaning("devices.*", Does.ACTUATE, _says, lambda found: isinstance(found.new, Lock | Alarm | Oven)),
        sim.Meaning("devices.*", Does.EDIT, _says),
    )
    functions = FUNCTIONS

    def start(self, content: HomeContent, setting: sim.Setting) -> HomeState:
        devices, cameras = content.devices, content.cameras
        if devices is None:
            devices = _made("devices", setting, warm=round(setting.rng.uniform(15, 19), 1)).devices
        if cameras is None and content.devices is None:
            cameras = _made("cameras", setting, sight=setting.rng.choice(made_up("doorstep"))).cameras
        named = {slug(device.name): device for device in devices or ()}
        state = HomeState(devices=named, cameras=by_id(cameras or ()), microphones=by_id(content.microphones or ()))
        return state.replace(devices=state._warmed())

    def view(self, state: HomeState) -> tuple[Widget, ...]:
        rooms = {slug(room): room for room in state.rooms}
        names = {"": "Overview", **rooms, "log": "Log"}
        pages = [
            Widget("tab", name, f"page-{key or 'overview'}", press=True, selected=key == state.page)
            for key, name in names.items()
        ]
        return (
            ui.heading(f"Home: {names.get(state.page, 'Overview')}", f"page.{state.page or 'overview'}"),
            Widget("tablist", None, "pages", children=tuple(pages), across=True),
            *((ui.alert(state.refusal, "refusal"),) if state.refusal else ()),
            *_page(state, rooms.get(state.page, "")),
        )

    def update(self, state: HomeState, event: sim.Event) -> sim.Update[HomeState]:
        match event:
            case sim.Passed():
                return sim.Update(*state.went_on(event))
            case sim.Arrived(topic="caption" | "transcript"):
                return sim.Update(noticed(state, event))
            case sim.Pressed(key=key) if key.startswith("page-"):
                page = key.removeprefix("page-").removeprefix("overview")
                return sim.Update(state.replace(page=page, drafts={}, refusal=""))
            case sim.Pressed(key=key) if key.startswith("device-"):
                device = state.devices[key.removeprefix("device-").removesuffix(".name")]
                return sim.Update(state.replace(page=slug(device.room), drafts={}, refusal=""))
            case sim.Pressed(key=key) if words := state.words_of(key):
                return sim.Update(state, (sim.Copy(words), sim.Toast("Copied")))
            case sim.Pressed(key=key):
                return sim.Update(_asked(state, key, None))
            case sim.Edited(key=key, value=value):
                return sim.Update(_asked(state, key, value))
        return sim.Update(state)


def _asked(state: HomeState, key: str, value: str | None) -> HomeState:
    """A control of a device was used: a field is kept until its button is pressed, everything else is done at once."""
    name, _, verb = key.rpartition(".")
    if name not in state.devices:
        return state
    if value is not None and verb in DRAFTED:
        return state.replace(drafts={**state.drafts, key: value}, refusal="")
    try:
        done = ordered(state, name, verb, *(drafted(state, name, verb) if value is None else (value,)))
        return state.operated(name, done, "window")
    except sim.FunctionDeclined as no:
        return state.replace(refusal=f"{no}.")
