"""What the home app knows: its devices, what happened, and what time does to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from environments.simulated.app import Content, Effect, Passed, Setting, Toast
from environments.simulated.apps.common.senses import Moment, Sense, SensingState, by_id, passed
from environments.simulated.apps.house.home.devices import (
    Alarm,
    AnyDevice,
    Blinds,
    Light,
    Lock,
    OperationResult,
    Oven,
    Sensor,
    SensorReading,
    TemperatureModel,
    Thermostat,
    cooled,
    warmed,
)
from environments.simulated.world.values import Model, slug

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


def began(content: HomeContent, setting: Setting) -> HomeState:
    devices = content.devices if content.devices is not None else _furnished(setting)
    cameras = content.cameras if content.cameras is not None else _watched(setting) if content.devices is None else ()
    state = HomeState(
        devices={slug(device.name): device for device in devices},
        cameras=by_id(cameras),
        microphones=by_id(content.microphones or ()),
    )
    return state.model_copy(update={"devices": _warmed(state)})


def operated(state: HomeState, name: str, done: OperationResult, by: By, at: float | None = None) -> HomeState:
    """The state after a device was operated, now or at an earlier time; what was written in its fields is set now."""
    number = str(len(state.log) + 1)
    log = {**state.log, number: Entry(at=state.clock if at is None else at, says=done.says, by=by)}
    drafts = {key: text for key, text in state.drafts.items() if not key.startswith(f"{name}.")}
    devices = {**state.devices, name: done.device}
    return state.model_copy(update={"devices": devices, "log": log, "drafts": drafts, "refusal": ""})


def went_on(state: HomeState, event: Passed) -> tuple[HomeState, tuple[Effect, ...]]:
    """Temperatures move, timers run out, and smoke turns every oven off without anybody's word."""
    smoked = state.smoke
    now, effects = passed(state, event)
    if now.smoke and not smoked:
        effects = (*effects, Toast("A sensor reports smoke"))
    for name, device in state.devices.items():
        if isinstance(device, Oven) and device.on and (ended := _ended(device, now)):
            now = operated(now, name, cooled(warmed(device, ended.at), ended.at, ended.why), "device", ended.at)
            effects = (*effects, Toast(f"{device.name} turned off{ended.why}"))
    return now.model_copy(update={"devices": _warmed(now)}), effects


class _OvenEnd(NamedTuple):
    """When an oven goes off by itself, and why."""

    at: float
    why: str


def _ended(oven: Oven, now: HomeState) -> _OvenEnd | None:
    if oven.until is not None and oven.until <= now.clock:
        return _OvenEnd(oven.until, " by its timer")
    return _OvenEnd(now.clock, " because of smoke") if now.smoke else None


def _warmed(state: HomeState) -> dict[str, AnyDevice]:
    devices = state.devices
    for name, device in devices.items():
        if isinstance(device, TemperatureModel) and (now := warmed(device, state.clock)) is not device:
            devices = {**devices, name: now}
    return devices


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
