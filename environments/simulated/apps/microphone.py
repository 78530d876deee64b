"""Microphone: what was said near it or left as a voice message, as transcripts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Self

from pydantic import model_validator

from environments.simulated.app import App, Arrived, Content, Copy, Event, Passed, Pressed, Setting, Toast, Update
from environments.simulated.apps.senses import (
    Moment,
    Sense,
    Sensing,
    by_id,
    microphone_view,
    noticed,
    passed,
    reported,
    words_of,
)
from environments.simulated.skills import Done, Function
from environments.simulated.values import Model
from environments.simulated.widgets import Widget, heading, text

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


def transcripts(state: Sensing, wanted: WhichMicrophone) -> Done[Sensing]:
    return Done(state, reported(state, "microphone", wanted.microphone))


class MicrophoneApp(App[MicrophoneContent, Sensing]):
    """What the microphones of the place heard."""

    name = "microphone"
    title = "Microphone"
    words = ("microphone", "microphones", "voice", "recording", "recordings", "audio", "transcript", "transcripts")
    timed = True
    content = MicrophoneContent
    state = Sensing
    looks = frozenset({"clock", "starts"})
    meanings = ()
    functions: tuple[Any, ...] = (
        Function("transcripts", "What each microphone has heard so far, oldest first", WhichMicrophone, transcripts),
    )

    def start(self, content: MicrophoneContent, setting: Setting) -> Sensing:
        return Sensing(microphones=by_id(content.microphones if content.microphones is not None else _made(setting)))

    def view(self, state: Sensing) -> tuple[Widget, ...]:
        shown = [microphone_view(state, name) for name in state.microphones]
        return (heading("Voice", "voice"), *(shown or [text("There is no microphone", "none")]))

    def update(self, state: Sensing, event: Event) -> Update[Sensing]:
        match event:
            case Passed():
                return Update(*passed(state, event))
            case Arrived(topic="transcript"):
                return Update(noticed(state, event))
            case Pressed(key=key) if words := words_of(state, key):
                return Update(state, (Copy(words), Toast("Copied")))
        return Update(state)


def _made(setting: Setting) -> tuple[Sense, ...]:
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
