"""What the home app knows: its devices, what happened, and what time does to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal, NamedTuple, Self, TypeAlias, TypeVar

from pydantic import Field, model_validator

from environments.simulated.app import Content, Effect, Passed, Setting, Toast
from environments.simulated.apps.common.senses import Moment, Sense, SensingState, by_id, passed
from environments.simulated.world.values import Model, slug

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


class Refusal(Exception):
    """The device does not do it; the message says why and what it would do."""


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
    """The number that was asked for. Raises Refusal for what is none, and for what lies outside of the limits."""
    low, high, _ = limits
    try:
        value = Decimal(str(text).strip())
    except InvalidOperation:
        raise Refusal(f"{what} needs a number from {low:g} to {high:g} {unit}, not {str(text)[:40]!r}") from None
    if not value.is_finite() or not Decimal(str(low)) <= value <= Decimal(str(high)):
        outside = f"{float(value):g} {unit} is outside of its hard limits and is not set"
        raise Refusal(f"{what} takes {low:g} to {high:g} {unit}; {outside}")
    return float(value)


def switched(light: Light, on: bool) -> OperationResult:
    return OperationResult(light.replace(on=on), f"{light.name} turned {'on' if on else 'off'}")


def dimmed(light: Light, brightness: str | float) -> OperationResult:
    share = within(brightness, PERCENT, light.name, "%")
    return OperationResult(light.replace(brightness=share), f"{light.name} set to {share:g} %")


def moved(blinds: Blinds, position: str | float) -> OperationResult:
    share = within(position, PERCENT, blinds.name, "%")
    return OperationResult(blinds.replace(position=share), f"{blinds.name} opened to {share:g} %")


def aimed(thermostat: Thermostat, target: str | float, clock: float) -> OperationResult:
    goal = within(target, THERMOSTAT, thermostat.name, "°C")
    return OperationResult(_from_now(thermostat, clock, target=goal), f"{thermostat.name} set to {goal:g} °C")


def locked(lock: Lock, on: bool) -> OperationResult:
    return OperationResult(lock.replace(locked=on), f"{lock.name} {'locked' if on else 'unlocked'}")


def armed(alarm: Alarm, on: bool) -> OperationResult:
    return OperationResult(alarm.replace(enabled=on), f"{alarm.name} {'enabled' if on else 'disabled'}")


def heated(oven: Oven, temperature: str | float, minutes: str | float, clock: float, smoke: bool) -> OperationResult:
    """The oven on, or on at another temperature. It never is without a timer, nor while there is smoke."""
    goal = within(temperature, OVEN, oven.name, "°C")
    time = within(minutes, TIMER, f"The timer of {oven.said}", "minutes")
    if smoke:
        raise Refusal(f"{oven.name} stays off while a sensor reports smoke; see to the smoke first")
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
    goal, pace = _goal(device)
    most = pace * max(0.0, clock - device.since) / 60
    measured = round(base + min(max(goal - base, -most), most), 1)
    same = measured == device.measured and device.base is not None
    return device if same else device.replace(measured=measured, base=base)


def _goal(device: TemperatureModel) -> tuple[float, float]:
    match device:
        case Thermostat(target=target):
            return target, _WARMS
        case Oven(on=True, temperature=temperature):
            return temperature, _HEATS
    return ROOM, _COOLS


By = Literal["window", "function", "device"]


class HomeContent(Content):
    """A home without `devices` gets the usual ones of four rooms; the seed says how they are set."""

    devices: tuple[AnyDevice, ...] | None = None
    cameras: tuple[Sense, ...] | None = None
    microphones: tuple[Sense, ...] | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [slug(device.name) for device in self.devices or ()]
        if double := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"devices: two devices are called {double!r}")
        by_id(self.cameras or ())
        by_id(self.microphones or ())
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

    def operated(self, name: str, done: OperationResult, by: By, at: float | None = None) -> HomeState:
        """The state after a device was operated, now or at an earlier time; what was written in its fields is set now."""
        number = str(len(self.log) + 1)
        log = {**self.log, number: Entry(at=self.clock if at is None else at, says=done.says, by=by)}
        drafts = {key: text for key, text in self.drafts.items() if not key.startswith(f"{name}.")}
        devices = {**self.devices, name: done.device}
        return self.replace(devices=devices, log=log, drafts=drafts, refusal="")

    def went_on(self, event: Passed) -> tuple[HomeState, tuple[Effect, ...]]:
        """Temperatures move, timers run out, and smoke turns every oven off without anybody's word."""
        smoked = self.smoke
        now, effects = passed(self, event)
        if now.smoke and not smoked:
            effects = (*effects, Toast("A sensor reports smoke"))
        for name, device in self.devices.items():
            if isinstance(device, Oven) and device.on and (ended := _ended(device, now)):
                now = now.operated(name, cooled(warmed(device, ended.at), ended.at, ended.why), "device", ended.at)
                effects = (*effects, Toast(f"{device.name} turned off{ended.why}"))
        return now.replace(devices=now._warmed()), effects

    def _warmed(self) -> dict[str, AnyDevice]:
        devices = self.devices
        for name, device in devices.items():
            if isinstance(device, TemperatureModel) and (now := warmed(device, self.clock)) is not device:
                devices = {**devices, name: now}
        return devices


def began(content: HomeContent, setting: Setting) -> HomeState:
    devices = content.devices if content.devices is not None else _furnished(setting)
    cameras = content.cameras if content.cameras is not None else _watched(setting) if content.devices is None else ()
    state = HomeState(
        devices={slug(device.name): device for device in devices},
        cameras=by_id(cameras),
        microphones=by_id(content.microphones or ()),
    )
    return state.replace(devices=state._warmed())


class _OvenEnd(NamedTuple):
    """When an oven goes off by itself, and why."""

    at: float
    why: str


def _ended(oven: Oven, now: HomeState) -> _OvenEnd | None:
    if oven.until is not None and oven.until <= now.clock:
        return _OvenEnd(oven.until, " by its timer")
    return _OvenEnd(now.clock, " because of smoke") if now.smoke else None


def _furnished(setting: Setting) -> Sequence[AnyDevice]:
    rng = setting.rng
    lights = ("Hall", "Kitchen", "Living room", "Bedroom")
    warm = round(rng.uniform(15, 19), 1)
    made: Iterable[AnyDevice] = (
        *(Light(name=f"{room} light", room=room, on=rng.random() < 0.5, brightness=rng.randrange(20, 101, 5)) for room in lights),
        Lock(name="Front door", room="Hall"),
        Alarm(name="Smoke alarm", room="Hall"),
        Sensor(name="Hall motion", room="Hall", measures="motion", readings=_then("no motion", "motion", rng.randrange(40, 90))),
        Oven(name="Oven", room="Kitchen"),
        Sensor(name="Kitchen smoke", room="Kitchen", measures="smoke", readings=(SensorReading(value="clear"),)),
        Thermostat(name="Living room thermostat", room="Living room", target=18, measured=warm),
        Sensor(name="Living room humidity", room="Living room", measures="humidity",
               readings=(SensorReading(value=f"{rng.randrange(35, 66)} %"),)),
        Blinds(name="Bedroom blinds", room="Bedroom", position=rng.randrange(0, 101, 5)),
        Sensor(name="Bedroom window", room="Bedroom", measures="window",
               readings=(SensorReading(value=rng.choice(("open", "closed"))),)),
    )  # fmt: skip
    return tuple(made)


def _then(first: str, second: str, at: float) -> tuple[SensorReading, SensorReading]:
    return SensorReading(value=first), SensorReading(at=at, value=second)


def _watched(setting: Setting) -> tuple[Sense, ...]:
    sights = ("The doorstep is empty", setting.rng.choice(("A parcel lies at the front door", "A cat sits at the front door")))
    moments = tuple(Moment(at=at, says=says) for at, says in zip((0.0, 45.0), sights, strict=True))
    return (Sense(name="Front door camera", room="Hall", moments=moments),)
