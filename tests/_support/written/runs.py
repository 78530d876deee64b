"""Whole runs, for the tests of the formats they are written in."""

import json
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from hypothesis import strategies as st
from written.actions import every_action, json_values, texts

from protocol import ActionResult, BoundingBox, ExecStatus, GUIElement, InteractionStep, Picture, VisualState
from protocol.dialects import Loss
from protocol.exports import ExportResult, Format, Run, RunInfo, format_named
from protocol.log.log import LogLine

INFO = RunInfo(run_id="r1", goal='Save "it" <image>\nnow', outcome="fulfilled", agent="deskcrew", agent_version="1.2")
STATE = VisualState(
    screen_resolution=(1280, 800),
    elements=(
        GUIElement(element_id="1", text="Save", role="button", bbox=BoundingBox(x1=100, y1=100, x2=200, y2=140), track_id="t1"),
        GUIElement(element_id="2", text="Amount", role="textbox", bbox=BoundingBox(x1=100, y1=200, x2=300, y2=240), value="7"),
        GUIElement(element_id="3", text="Secret", role="textbox", value="hunter2", private=True),
    ),
)
BLANK = VisualState(screen_resolution=(1280, 800))
states = st.sampled_from([STATE, BLANK, VisualState(screen_resolution=(1920, 1080))])
results = st.none() | st.builds(ActionResult, exec_status=st.sampled_from(ExecStatus), error=texts, output=texts)
pictures = st.lists(
    st.sampled_from(
        [
            Picture(path="a.png"),
            Picture(path="b.png", moment="after"),
            Picture(path="c.svg"),
            Picture(path="gone.png", moment="after"),
        ]
    ),
    max_size=2,
).map(tuple)
steps = st.builds(
    InteractionStep,
    timestamp=st.floats(0, 2e9) | st.just(1e300),
    visual_state=states,
    action=every_action,
    step=st.integers(0, 99),
    run_id=st.just("r1"),
    subtask=st.sampled_from(["", "s1", "s2"]),
    role=st.sampled_from(["", "operator", "technician"]),
    reasoning=texts,
    result=results,
    state_id=st.sampled_from(["", "abc"]),
    visible_change=st.none() | st.booleans(),
    pictures=pictures,
)
infos = st.builds(RunInfo, run_id=texts, goal=texts, outcome=st.sampled_from(["", "fulfilled", "rejected"]), agent=texts)


def png(width: int, height: int, shade: int = 0) -> bytes:
    """A picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + bytes([shade]) * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def folder_of_pictures(folder: Path) -> Path:
    """A folder with the pictures that `steps` name."""
    (folder / "a.png").write_bytes(png(8, 5))
    (folder / "b.png").write_bytes(png(8, 5, 200))
    (folder / "c.svg").write_text("<svg/>", encoding="utf-8")
    return folder


def lines_of(name: str, folder: Path, document: Any, **info: Any) -> list[LogLine]:
    """What a format reads of a document: JSON, or a line for each item of a list, which may be text as it stands.

    `info` is what it must tell of the run.
    """
    form = format_named(name)
    assert form.read is not None
    path = folder / f"run{form.suffix}"
    lines = document if isinstance(document, list) else [document]
    path.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines), encoding="utf-8")
    found = form.read(path)
    assert {name: getattr(found.info, name) for name in info} == info
    return list(found.lines)


def step(action: Any, state: VisualState = BLANK, **fields: Any) -> InteractionStep:
    return InteractionStep(**{"timestamp": 1735689600.0, "visual_state": state, "action": action, **fields})


class Written:
    """A run written in a format into a folder of its own, and what came of it."""

    def __init__(self, form: Format, steps: Iterable[InteractionStep], info: RunInfo = INFO) -> None:
        self._folder = TemporaryDirectory()
        here = Path(self._folder.name)
        (here / "log").mkdir()
        (here / "out").mkdir()
        self.path = here / "out" / f"run{form.suffix}"
        assert form.write is not None
        self.exported: ExportResult = form.write(Run(steps=steps, info=info, folder=folder_of_pictures(here / "log")), self.path)
        self.text = self.path.read_text(encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def lost(self, what: str) -> bool:
        return any(loss.what == what for loss in self.exported.losses)

    @property
    def losses(self) -> list[Loss]:
        return list(self.exported.losses)


def core(step: InteractionStep) -> InteractionStep:
    """A step without what no other format carries: the elements of the screen, and copies of pictures."""
    blank = VisualState(screen_resolution=step.visual_state.screen_resolution)
    return step.model_copy(update={"visual_state": blank, "pictures": ()})


@st.composite
def spoiled(draw: st.DrawFn, document: Any) -> Any:
    """The document with anything at all in one of its places."""
    broken = json.loads(json.dumps(document))
    at, key = None, None
    here = broken
    while isinstance(here, dict | list) and here and (at is None or draw(st.integers(0, 4))):
        keys = list(here) if isinstance(here, dict) else range(len(here))
        at, key = here, draw(st.sampled_from(keys))
        here = here[key]
    if at is not None:
        at[key] = draw(json_values | st.just(float("inf")))
    return broken
