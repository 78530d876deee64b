"""What a camera sees and a microphone hears, in words: captions and transcripts that arrive with the world's clock.

They are data: whatever a caption or a transcript says is shown and kept, and nothing here acts on it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, JsonValue, model_validator

from environments.simulated import app as sim
from environments.simulated.screen.widgets import Widget, button, group, heading, text
from environments.simulated.turn.events import moment_of
from environments.simulated.world.values import Model, slug

SHOWN = 8
"""How many earlier captions, or transcripts, a window shows of one device."""


class Moment(Model):
    """Something that was seen or heard at a time of the world's clock."""

    at: float = Field(default=0.0, ge=0)
    says: str = Field(min_length=1)
    by: str = ""
    """Who spoke, if that is known; nobody for a picture."""
    facts: dict[str, str] = Field(default_factory=dict)
    """What it is about, for tasks and their judge; never shown."""


class Sense(Model):
    """A camera or a microphone: what it noticed and will notice, in the order of time."""

    name: str = Field(min_length=1)
    room: str = ""
    moments: tuple[Moment, ...] = ()

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        object.__setattr__(self, "moments", tuple(sorted(self.moments, key=lambda moment: moment.at)))
        return self

    def until(self, clock: float) -> tuple[Moment, ...]:
        return tuple(moment for moment in self.moments if moment.at <= clock)


class SensingState(sim.AppState):
    """The state of an app that sees or hears."""

    clock: float = 0.0
    starts: str = ""
    """Day and time at which the clock started."""
    cameras: dict[str, Sense] = Field(default_factory=dict)
    microphones: dict[str, Sense] = Field(default_factory=dict)

    def time(self, at: float) -> str:
        """The time of day, `09:30`."""
        return moment_of(self.starts, at)[-5:] if self.starts else ""

    def views_in(self, room: str) -> Iterator[Widget]:
        """What stands in a room, or in none: its cameras, then its microphones."""
        for devices, view in ((self.cameras, self.camera_view), (self.microphones, self.microphone_view)):
            for name, device in devices.items():
                if device.room == room:
                    yield view(name)

    def camera_view(self, name: str) -> Widget:
        """The picture as an image whose name is its caption, and what was seen before."""
        camera = self.cameras[name]
        seen = camera.until(self.clock)
        if not seen:
            return group(heading(camera.name, f"{name}.heading"), text("Nothing seen yet", f"{name}.none"), key=f"camera-{name}")
        now, earlier = seen[-1], seen[:-1][-SHOWN:]
        return group(
            heading(camera.name, f"{name}.heading"),
            Widget("img", now.says, f"{name}.picture"),
            text(f"Since {self.time(now.at)}", f"{name}.since"),
            button(f"Copy caption of {camera.name}", f"copy-camera-{name}"),
            *(text(f"{self.time(m.at)} {m.says}", f"{name}.earlier-{n}") for n, m in enumerate(reversed(earlier), start=1)),
            key=f"camera-{name}",
        )

    def microphone_view(self, name: str) -> Widget:
        """What was said, as a log with the newest line last."""
        microphone = self.microphones[name]
        heard = microphone.until(self.clock)
        first = max(0, len(heard) - SHOWN)
        lines = tuple(text(said(m, self.time(m.at)), f"{name}.line-{n}") for n, m in enumerate(heard[first:], start=first + 1))
        log = Widget("log", None, f"{name}.log", children=lines) if lines else text("Nothing heard yet", f"{name}.none")
        copy = (button(f"Copy last words of {microphone.name}", f"copy-microphone-{name}"),) if lines else ()
        return group(heading(microphone.name, f"{name}.heading"), log, *copy, key=f"microphone-{name}")

    def words_of(self, key: str) -> str:
        """The text that a Copy button means, `copy-camera-front-door`; empty where there is none."""
        for devices, prefix in ((self.cameras, "copy-camera-"), (self.microphones, "copy-microphone-")):
            name = key.removeprefix(prefix)
            if key.startswith(prefix) and name in devices and (moments := devices[name].until(self.clock)):
                return moments[-1].says
        return ""

    def reported(self, kind: Literal["camera", "microphone"], wanted: str) -> JsonValue:
        """What one device noticed so far, or all of them, oldest first. Raises FunctionDeclined for one that there is not."""
        devices = self.cameras if kind == "camera" else self.microphones
        if wanted and slug(wanted) not in devices:
            names = ", ".join(device.name for device in devices.values()) or "none"
            raise sim.FunctionDeclined(f"there is no {kind} {wanted!r}; there are: {names}")
        return [
            {kind: device.name, "time": self.time(moment.at), "says": moment.says, **({"by": moment.by} if moment.by else {})}
            for name, device in devices.items()
            if not wanted or name == slug(wanted)
            for moment in device.until(self.clock)
        ]


S = TypeVar("S", bound=SensingState)


def _names_differ(devices: tuple[Sense, ...]) -> tuple[Sense, ...]:
    if len(by_id(devices)) < len(devices):
        raise ValueError("two devices have the same name")
    return devices


Senses = Annotated[tuple[Sense, ...], AfterValidator(_names_differ)]
"""Devices that a world file gives."""


def by_id(devices: Sequence[Sense]) -> dict[str, Sense]:
    """Devices by the name in their keys."""
    return {slug(device.name): device for device in devices}


def said(moment: Moment, time: str) -> str:
    """A transcript as a line."""
    return f"{time} {moment.by or 'Someone'} says: {moment.says}"


def passed(state: S, event: sim.Passed) -> tuple[S, tuple[sim.Effect, ...]]:
    """The state when the clock has gone on, and a word for each device that noticed something. What it was is not said there."""
    new = [
        sim.Toast(f"{device.name} {verb} something")
        for devices, verb in ((state.cameras, "sees"), (state.microphones, "heard"))
        for device in devices.values()
        if len(device.until(event.clock)) > len(device.until(state.clock))
    ]
    return state.replace(clock=event.clock, starts=event.starts), tuple(new)


def noticed(state: S, event: sim.Arrived) -> S:
    """The state when the world brings a `caption` or a `transcript` of one of the devices, or of the first one."""
    field = {"caption": "cameras", "transcript": "microphones"}[event.topic]
    devices: Mapping[str, Sense] = getattr(state, field)
    name = slug(event.data.get("device", "")) if event.data.get("device") else next(iter(devices), "")
    if name not in devices or not event.data.get("says"):
        return state
    moment = Moment(at=state.clock, says=event.data["says"], by=event.data.get("by", ""))
    moments = tuple(sorted((*devices[name].moments, moment), key=lambda each: each.at))
    return state.model_copy(update={field: {**devices, name: devices[name].replace(moments=moments)}})
