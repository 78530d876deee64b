"""Camera: pictures of what is around, each with its caption."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Self

from pydantic import model_validator

from environments.simulated.app import App, Arrived, Content, Copy, Event, Passed, Pressed, Setting, Toast, Update
from environments.simulated.apps.common.senses import (
    Moment,
    Sense,
    SensingState,
    by_id,
    camera_view,
    microphone_view,
    noticed,
    passed,
    reported,
    words_of,
)
from environments.simulated.screen.widgets import Widget, heading, text
from environments.simulated.skills import Function, FunctionResult
from environments.simulated.world.values import Model

_ASKS = ("call me back", "send me the offer", "confirm the appointment", "bring the samples")


class MicrophoneContent(Content):
    """Without `microphones` there is an answering machine, and the seed says who left a message on it."""

    microphones: tuple[Sense, ...] | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        by_id(self.microphones or ())
        return self


class WhichMicrophone(Model):
    """One microphone by its name; all of them when it is left out."""

    microphone: str = ""


def transcripts(state: SensingState, wanted: WhichMicrophone) -> FunctionResult[SensingState]:
    return FunctionResult(state, reported(state, "microphone", wanted.microphone))


class MicrophoneApp(App[MicrophoneContent, SensingState]):
    """What the microphones of the place heard."""

    name = "microphone"
    title = "Microphone"
    words = ("microphone", "microphones", "voice", "recording", "recordings", "audio", "transcript", "transcripts")
    timed = True
    content = MicrophoneContent
    state = SensingState
    looks = frozenset({"clock", "starts"})
    meanings = ()
    functions: tuple[Any, ...] = (
        Function("transcripts", "What each microphone has heard so far, oldest first", WhichMicrophone, transcripts),
    )

    def start(self, content: MicrophoneContent, setting: Setting) -> SensingState:
        return SensingState(
            microphones=by_id(content.microphones if content.microphones is not None else _microphone_made(setting))
        )

    def view(self, state: SensingState) -> tuple[Widget, ...]:
        shown = [microphone_view(state, name) for name in state.microphones]
        return (heading("Voice", "voice"), *(shown or [text("There is no microphone", "none")]))

    def update(self, state: SensingState, event: Event) -> Update[SensingState]:
        match event:
            case Passed():
                return Update(*passed(state, event))
            case Arrived(topic="transcript"):
                return Update(noticed(state, event))
            case Pressed(key=key) if words := words_of(state, key):
                return Update(state, (Copy(words), Toast("Copied")))
        return Update(state)


def _microphone_made(setting: Setting) -> tuple[Sense, ...]:
    """An answering machine with messages; their `facts` say who called, from where, and what about."""
    rng, cast = setting
    moments = []
    for person, at in zip(rng.sample(cast.people, 3), (0.0, 20.0, 60.0), strict=True):
        phone, vendor, ask = f"555 {rng.randrange(1000, 9999)}", rng.choice(cast.vendors), rng.choice(_ASKS)
        day = (cast.today + timedelta(days=rng.randrange(1, 20))).isoformat()
        says = f"Hello, this is {person} of {vendor}. Please {ask} by {day}. My number is {phone}."
        facts = {"person": person, "vendor": vendor, "ask": ask, "day": day, "phone": phone}
        moments.append(Moment(at=at, says=says, by=person, facts=facts))
    return (Sense(name="Answering machine", moments=tuple(moments)),)


_SIGHTS = (
    "A parcel lies at the front door", "A courier waits with a clipboard", "Two visitors sit on the sofa",
    "A delivery van stands at the gate", "The lobby is empty", "A bicycle leans against the wall",
    "A cat sleeps on the doormat", "A person in a red coat rings the bell",
)  # fmt: skip


class CameraContent(Content):
    """Without `cameras` there is one at the entrance, and the seed says what it sees."""

    cameras: tuple[Sense, ...] | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        by_id(self.cameras or ())
        return self


class WhichCamera(Model):
    """One camera by its name; all of them when it is left out."""

    camera: str = ""


def captions(state: SensingState, wanted: WhichCamera) -> FunctionResult[SensingState]:
    return FunctionResult(state, reported(state, "camera", wanted.camera))


class CameraApp(App[CameraContent, SensingState]):
    """What the cameras of the place see."""

    name = "camera"
    title = "Camera"
    words = ("camera", "cameras", "picture", "pictures", "photo", "photos", "image", "caption", "captions")
    timed = True
    content = CameraContent
    state = SensingState
    looks = frozenset({"clock", "starts"})
    meanings = ()
    functions: tuple[Any, ...] = (Function("captions", "What each camera has seen so far, oldest first", WhichCamera, captions),)

    def start(self, content: CameraContent, setting: Setting) -> SensingState:
        return SensingState(cameras=by_id(content.cameras if content.cameras is not None else _made(setting)))

    def view(self, state: SensingState) -> tuple[Widget, ...]:
        shown = [camera_view(state, name) for name in state.cameras]
        return (heading("Cameras", "cameras"), *(shown or [text("There is no camera", "none")]))

    def update(self, state: SensingState, event: Event) -> Update[SensingState]:
        match event:
            case Passed():
                return Update(*passed(state, event))
            case Arrived(topic="caption"):
                return Update(noticed(state, event))
            case Pressed(key=key) if words := words_of(state, key):
                return Update(state, (Copy(words), Toast("Copied")))
        return Update(state)


def _made(setting: Setting) -> tuple[Sense, ...]:
    sights = setting.rng.sample(_SIGHTS, 3)
    times = (0.0, 30.0, 75.0)
    return (Sense(name="Entrance", moments=tuple(Moment(at=at, says=says) for at, says in zip(times, sights, strict=True))),)
