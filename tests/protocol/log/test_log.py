"""`log.jsonl`: what is written is read back, and a damaged line costs only itself."""

import json
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.runs import steps as any_step

from protocol import ActionTarget, Fill, GUIElement, InteractionStep, VisualState, read_log, write_log

SCREEN = VisualState(
    elements=(GUIElement(element_id="e1", text="Größe – 大小 🎈", role="textbox", value='a "quoted"\nline'),), app="x"
)


def steps(count: int, text: str = "Größe 🎈") -> list[InteractionStep]:
    return [
        InteractionStep(timestamp=n, step=n, visual_state=SCREEN, action=Fill(target=ActionTarget(text="Größe"), text=text))
        for n in range(1, count + 1)
    ]


@given(st.lists(any_step, max_size=4))
def test_a_log_is_read_back_as_it_was_written(history: list[InteractionStep]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        assert write_log(path, history) == len(history)
        lines = list(read_log(path))
        assert [line.step for line in lines] == history
        assert [line.number for line in lines] == list(range(1, len(history) + 1))
        written = [json.loads(line) for line in path.read_bytes().splitlines()]
        assert [(line["protocol_version"], line["action"]["action_type"]) for line in written] == [
            ("0.1", step.action.verb) for step in history
        ]


def test_a_log_cut_off_anywhere_in_its_last_line_keeps_the_rest_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_log(path, steps(3))
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start + 1, len(whole) - 1):
        path.write_bytes(whole[:end])
        *kept, last = read_log(path)
        assert [line.step.step for line in kept if line.step] == [1, 2]
        assert (last.number, last.step) == (3, None)
        assert "cut off" in last.error


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b"not json", "JSON"),
        (b"\xff\xfe\x00 broken bytes", "UTF-8: byte 1"),
        (b'{"timestamp": 1}', "visual_state"),
        (b'{"timestamp": 1, "visual_state": {}, "action": {"action_type": "explode"}}', "explode"),
        (b'{"timestamp": 1, "visual_state": {}, "action": {"target": {"text": "a"}}}', "action"),
        (b"[]", "object"),
        (
            b'{"timestamp":1,"visual_state":{},"action":{"action_type":"wait","action_type":"go_back"},"protocol_version":"0.1"}',
            "twice",
        ),
        (b'{"a":' * 9_000 + b"1" + b"}" * 9_000, "nested too deeply"),
        (b'{"timestamp": ' + b"1" * 9_000 + b"}", "thousands of digits"),
    ],
)
def test_a_bad_line_is_reported_with_its_number_and_the_rest_is_read(tmp_path: Path, bad: bytes, said: str) -> None:
    path = tmp_path / "log.jsonl"
    write_log(path, steps(2))
    first, second = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([first, bad, b"", second, b""]))
    lines = list(read_log(path))
    assert [(line.number, line.step is None) for line in lines] == [(1, False), (2, True), (4, False)]
    assert said in lines[1].error
    assert "cut off" not in lines[1].error


def test_an_interrupted_write_leaves_the_old_log(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_log(path, steps(2))

    def breaking() -> list[InteractionStep]:
        yield from steps(1)  # type: ignore[misc]
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        write_log(path, breaking())
    assert len(list(read_log(path))) == 2


def test_a_long_log_is_read_in_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_log(path, steps(1) * 1_500)
    size = path.stat().st_size
    tracemalloc.start()
    try:
        assert sum(1 for line in read_log(path) if line.step) == 1_500
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < size / 2
