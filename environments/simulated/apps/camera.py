"""Camera: pictures of what is around, each with its caption."""

from __future__ import annotations

from typing import Any, Self

from pydantic import model_validator

from environments.simulated.app import App, Arrived, Content, Copy, Event, Passed, Pressed, Setting, Toast, Update
from environments.simulated.apps.senses import Moment, Sense, Sensing, by_id, camera_view, noticed, passed, reported, words_of
from environments.simulated.skills import Done, Function
from environments.simulated.values import Model
from environments.simulated.widgets import Widget, heading, text

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


def captions(state: Sensing, wanted: WhichCamera) -> Done[Sensing]:
    return Done(state, reported(state, "camera", wanted.camera))


class CameraApp(App[CameraContent, Sensing]):
    """What the cameras of the place see."""

    name = "camera"
    title = "Camera"
    words = ("camera", "cameras", "picture", "pictures", "photo", "photos", "image", "caption", "captions")
    timed = True
    content = CameraContent
    state = Sensing
    looks = frozenset({"clock", "starts"})
    meanings = ()
    functions: tuple[Any, ...] = (Function("captions", "What each camera has seen so far, oldest first", WhichCamera, captions),)

    def start(self, content: CameraContent, setting: Setting) -> Sensing:
        return Sensing(cameras=by_id(content.cameras if content.cameras is not None else _made(setting)))

    def view(self, state: Sensing) -> tuple[Widget, ...]:
        shown = [camera_view(state, name) for name in state.cameras]
        return (heading("Cameras", "cameras"), *(shown or [text("There is no camera", "none")]))

    def update(self, state: Sensing, event: Event) -> Update[Sensing]:
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
