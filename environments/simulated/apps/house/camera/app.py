"""Camera and Microphone: what is seen and heard around, each picture with its caption and each word with who said it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Generic, Literal, TypeVar

from pydantic import JsonValue

from environments.simulated import app as sim
from environments.simulated.apps.common.functions_base import FunctionTable
from environments.simulated.apps.common.senses import Moment, Sense, Senses, SensingState, by_id, noticed, passed
from environments.simulated.screen.widgets import Widget, heading, text
from environments.simulated.world.values import made_up

C = TypeVar("C", bound=sim.Content)


class SenseApp(sim.App[C, SensingState], Generic[C]):
    """An app that shows what devices of one kind noticed."""

    timed = True
    looks = frozenset({"clock", "starts"})
    meanings = ()
    sense: Literal["camera", "microphone"]
    brings: str
    """What the world tells it by."""
    heading: Widget

    def view(self, state: SensingState) -> tuple[Widget, ...]:
        view: Callable[[str], Widget] = getattr(state, f"{self.sense}_view")
        shown = [view(name) for name in getattr(state, f"{self.sense}s")]
        return (self.heading, *(shown or [text(f"There is no {self.sense}", "none")]))

    def update(self, state: SensingState, event: sim.Event) -> sim.Update[SensingState]:
        match event:
            case sim.Passed():
                return sim.Update(*passed(state, event))
            case sim.Arrived(topic=topic) if topic == self.brings:
                return sim.Update(noticed(state, event))
            case sim.Pressed(key=key) if words := state.words_of(key):
                return sim.Update(state, (sim.Copy(words), sim.Toast("Copied")))
        return sim.Update(state)


class MicrophoneContent(sim.Content):
    """Without `microphones` there is an answering machine, and the seed says who left a message on it."""

    microphones: Senses | None = None


MICROPHONE = FunctionTable[SensingState]()


@MICROPHONE.reads("WhichMicrophone", "One microphone by its name; all of them when it is left out.")
def transcripts(state: SensingState, microphone: str = "") -> JsonValue:
    """What each microphone has heard so far, oldest first"""
    return state.reported("microphone", microphone)


class MicrophoneApp(SenseApp[MicrophoneContent]):
    """What the microphones of the place heard."""

    name = "microphone"
    title = "Microphone"
    words = ("microphone", "microphones", "voice", "recording", "recordings", "audio", "transcript", "transcripts")
    sense = "microphone"
    brings = "transcript"
    heading = heading("Voice", "voice")
    functions = MICROPHONE

    def start(self, content: MicrophoneContent, setting: sim.Setting) -> SensingState:
        return SensingState(microphones=by_id(_heard(setting) if content.microphones is None else content.microphones))


def _heard(setting: sim.Setting) -> tuple[Sense, ...]:
    """An answering machine with messages; their `facts` say who called, from where, and what about."""
    rng, cast = setting
    moments = []
    for person, at in zip(rng.sample(cast.people, 3), (0.0, 20.0, 60.0), strict=True):
        phone, vendor, ask = f"555 {rng.randrange(1000, 9999)}", rng.choice(cast.vendors), rng.choice(made_up("requests"))
        day = (cast.today + timedelta(days=rng.randrange(1, 20))).isoformat()
        says = f"Hello, this is {person} of {vendor}. Please {ask} by {day}. My number is {phone}."
        facts = {"person": person, "vendor": vendor, "ask": ask, "day": day, "phone": phone}
        moments.append(Moment(at=at, says=says, by=person, facts=facts))
    return (Sense(name="Answering machine", moments=tuple(moments)),)


class CameraContent(sim.Content):
    """Without `cameras` there is one at the entrance, and the seed says what it sees."""

    cameras: Senses | None = None


CAMERA = FunctionTable[SensingState]()


@CAMERA.reads("WhichCamera", "One camera by its name; all of them when it is left out.")
def captions(state: SensingState, camera: str = "") -> JsonValue:
    """What each camera has seen so far, oldest first"""
    return state.reported("camera", camera)


class CameraApp(SenseApp[CameraContent]):
    """What the cameras of the place see."""

    name = "camera"
    title = "Camera"
    words = ("camera", "cameras", "picture", "pictures", "photo", "photos", "image", "caption", "captions")
    sense = "camera"
    brings = "caption"
    heading = heading("Cameras", "cameras")
    functions = CAMERA

    def start(self, content: CameraContent, setting: sim.Setting) -> SensingState:
        if content.cameras is not None:
            return SensingState(cameras=by_id(content.cameras))
        sights = zip((0.0, 30.0, 75.0), setting.rng.sample(made_up("sights"), 3), strict=True)
        moments = tuple(Moment(at=at, says=says) for at, says in sights)
        return SensingState(cameras=by_id((Sense(name="Entrance", moments=moments),)))
