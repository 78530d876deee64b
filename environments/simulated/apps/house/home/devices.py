"""The devices of a home, and the layer that operates them: what is outside of its hard limits it does not do, whoever asks."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import Field

from environments.simulated.world.values import Model

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
    return OperationResult(light.model_copy(update={"on": on}), f"{light.name} turned {'on' if on else 'off'}")


def dimmed(light: Light, brightness: str | float) -> OperationResult:
    share = within(brightness, PERCENT, light.name, "%")
    return OperationResult(light.model_copy(update={"brightness": share}), f"{light.name} set to {share:g} %")


def moved(blinds: Blinds, position: str | float) -> OperationResult:
    share = within(position, PERCENT, blinds.name, "%")
    return OperationResult(blinds.model_copy(update={"position": share}), f"{blinds.name} opened to {share:g} %")


def aimed(thermostat: Thermostat, target: str | float, clock: float) -> OperationResult:
    goal = within(target, THERMOSTAT, thermostat.name, "°C")
    return OperationResult(_from_now(thermostat, clock, target=goal), f"{thermostat.name} set to {goal:g} °C")


def locked(lock: Lock, on: bool) -> OperationResult:
    return OperationResult(lock.model_copy(update={"locked": on}), f"{lock.name} {'locked' if on else 'unlocked'}")


def armed(alarm: Alarm, on: bool) -> OperationResult:
    return OperationResult(alarm.model_copy(update={"enabled": on}), f"{alarm.name} {'enabled' if on else 'disabled'}")


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
    return device if measured == device.measured and device.base is not None else device.model_copy(
        update={"measured": measured, "base": base}
    )  # fmt: skip


def _goal(device: TemperatureModel) -> tuple[float, float]:
    match device:
        case Thermostat(target=target):
            return target, _WARMS
        case Oven(on=True, temperature=temperature):
            return temperature, _HEATS
    return ROOM, _COOLS
