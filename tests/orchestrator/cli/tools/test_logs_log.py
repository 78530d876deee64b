"""`deskcrew log` and `deskcrew schema`, as a user types them."""

import errno
import json
import os
from pathlib import Path

import pytest
from PIL import Image
from worked.runs import deskcrew

from protocol import Answer, Click, InteractionStep, Picture, VisualState, read_log, write_log
from protocol.dsl import parse_line
from protocol.exports import NAMES as FORMATS
from protocol.exports import format_named

EXAMPLES = Path(__file__).parents[4] / "protocol" / "v0_1" / "examples"
REAL = EXAMPLES / "invoice-to-reimbursement.jsonl"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A log of a good line, two bad ones and one that is cut off."""
    path = tmp_path / "damaged.jsonl"
    good = REAL.read_bytes().splitlines()[0]
    seen = b'{"elements": [{"element_id": "a", "bbox": [1, 2, 3]}]}'
    bad = b'{"timestamp": 1, "visual_state": ' + seen + b', "action": {"action_type": "wait"}}'
    path.write_bytes(b"\n".join([good, bad, b"no json", good[:200]]))
    return path


def test_validate_names_file_line_path_and_reason_goes_on_and_counts_also_as_json_of_one_object_a_line(damaged: Path):
    code, said = deskcrew("log", "validate", damaged)
    assert code == 1
    first, second, third, total = said.splitlines()
    assert first.startswith(f"{damaged}:2: error: $.visual_state.elements[0].bbox: a box written as a list has four numbers")
    assert second.startswith(f"{damaged}:3: error: $: not JSON")
    assert third.startswith(f"{damaged}:4: error: $")
    assert "cut off" in third
    assert total == f"{damaged}: 4 lines, 3 cannot be used, 0 warnings"
    found = [json.loads(line) for line in deskcrew("log", "validate", damaged, "--json")[1].splitlines()]
    assert (found[0]["line"], found[0]["path"]) == (2, "$.visual_state.elements[0].bbox")
    assert found[-1] == {"file": str(damaged), "lines": 4, "bad_lines": 3, "warnings": 0}


def test_a_run_is_found_by_its_name_and_its_folder(tmp_path: Path):
    deskcrew("run", "not-to-be-done", "--display", "none")
    (folder,) = (tmp_path / "runs").iterdir()
    for name in (folder.name, folder, folder / "log.jsonl"):
        code, said = deskcrew("log", "validate", name, "--json")
        assert code == 0, said
        assert json.loads(said.splitlines()[-1])["bad_lines"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["validate", "gone.jsonl"], "no log gone.jsonl"),
        (["show", "no-such-run"], "no run 'no-such-run'"),
        (["show", REAL, "--step", "99"], "has no step 99"),
        (["show", REAL, "--from", "atiff"], "did you mean 'atif'"),
        (["show", REAL, "--pictures", "big"], "paths or none"),
        (["convert", REAL, "--to", "antropic"], "did you mean 'anthropic'"),
        (["convert", REAL, "--to", "dsl", "-o", "no/such/folder.txt"], "There is no folder"),
        (["convert", REAL, "--to", "deskcrew", "-o", REAL], "is the log itself"),
        (["convert", REAL, "--to", "omnimcp_log"], "read but not written"),
        (["show", REAL, "--from", "adp"], "written but not read"),
        (["show", REAL, "--from", "openai:third"], "there is no variant 'third'"),
        (["show", REAL, "--from", "opennai"], "did you mean 'openai'"),
        (["show", REAL, "--from", "openai", "--screen", "big"], "such as 1920x1080"),
        (["show", REAL, "--from", "openai", "--image", "0x10"], "such as 1920x1080"),
        (["show", REAL, "--from", "openai", "--image", "\u0661x10"], "such as 1920x1080"),
    ],
)
def test_a_wrong_word_is_one_sentence_and_exit_2(words: list[str], said: str):
    code, told = deskcrew("log", *words)
    assert code == 2
    assert said in told
    assert "Traceback" not in told


def test_show_prints_each_step_and_what_came_of_it(damaged: Path):
    code, said = deskcrew("log", "show", REAL)
    assert code == 0
    for part in ('click "INV-', "executed by track_id @", "in: operator"):
        assert part in said
    one = deskcrew("log", "show", REAL, "--step", "1")[1]
    assert one.count("executed") == 1
    assert " | " in one, "with everything that was seen"
    assert deskcrew("log", "show", damaged)[1].count("cannot be read") == 3
    as_data = deskcrew("log", "show", REAL, "--json")[1].splitlines()
    assert list(map(json.loads, as_data)) == list(map(json.loads, REAL.read_text(encoding="utf-8").splitlines()))


def test_text_off_the_screen_cannot_command_the_terminal(tmp_path: Path):
    step = InteractionStep(
        timestamp=1,
        visual_state=VisualState(),
        action=Click(target={"text": "\x1b[2J[bold]x[/]\u202e"}),
        reasoning="\x1b]0;owned\x07",
    )
    write_log(tmp_path / "log.jsonl", [step])
    for command in ("show", "validate"):
        said = deskcrew("log", command, "log.jsonl")[1]
        assert "\x1b" not in said
        assert "\u202e" not in said
    assert "[bold]x[/]" in deskcrew("log", "show", "log.jsonl")[1]


def test_pictures_are_named_by_path(tmp_path: Path):
    Image.new("RGB", (64, 64), "red").save(tmp_path / "a.png")
    pictures = (Picture(path="a.png"), Picture(path="gone.png", moment="after"))
    write_log(
        tmp_path / "log.jsonl",
        [InteractionStep(timestamp=1, visual_state=VisualState(), action=Answer(text="x"), pictures=pictures)],
    )
    said = deskcrew("log", "show", "log.jsonl")[1]
    assert "before: a.png" in said
    assert "after: gone.png (not there)" in said
    assert "png" not in deskcrew("log", "show", "log.jsonl", "--pictures", "none")[1]


def test_convert_to_a_dialect_tells_each_loss(tmp_path: Path):
    code, said = deskcrew("log", "convert", REAL, "--to", "anthropic", "-o", "out.jsonl", "--json")
    told = json.loads(said)
    assert told["steps"] == len(REAL.read_bytes().splitlines())
    assert any(loss["what"] == "target.bbox" for loss in told["losses"])
    assert code == 1, "memorize cannot be said, and that is no success"
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert written[0]["payload"]["action"] == "left_click"
    assert any("error" in line for line in written)


def test_convert_to_lines_for_people_and_to_our_own_log_loses_nothing(tmp_path: Path, damaged: Path):
    steps = [line.step for line in read_log(EXAMPLES / "every-verb.jsonl") if line.step]
    assert deskcrew("log", "convert", EXAMPLES / "every-verb.jsonl", "--to", "dsl", "-o", "out.txt")[0] == 0
    lines = (tmp_path / "out.txt").read_text(encoding="utf-8")
    assert [parse_line(line) for line in lines.splitlines()] == [s.action for s in steps]
    deskcrew("log", "convert", "out.txt", "--from", "dsl", "--to", "dsl", "-o", "again.txt")
    assert (tmp_path / "again.txt").read_text(encoding="utf-8") == lines
    deskcrew("log", "convert", EXAMPLES / "every-verb.jsonl", "--to", "deskcrew", "-o", "out.jsonl")
    assert [line.step for line in read_log(tmp_path / "out.jsonl")] == steps
    code, said = deskcrew("log", "convert", damaged, "--to", "dsl")
    assert code == 1
    assert "line 2 cannot be read" in said
    assert damaged.with_name("damaged.dsl.txt").read_text(encoding="utf-8").count("\n") == 1


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_written_or_read_from_the_command_line(tmp_path: Path, name: str):
    found = format_named(name)
    if found.write is None:
        return
    out = tmp_path / f"out{found.suffix}"
    code, said = deskcrew("log", "convert", EXAMPLES / "every-verb.jsonl", "--to", name, "-o", out)
    if name == "model_chats":  # it holds what models were told, and this log is not of such a run
        assert (code, out.exists()) == (2, False)
        assert "no call of a model was kept" in said
        return
    assert code in (0, 1), said
    assert out.stat().st_size > 100
    assert not list(tmp_path.glob("*.part"))
    if found.read is not None:
        assert len(deskcrew("log", "show", out, "--from", name, "--json")[1].splitlines()) > 5


def test_the_formats_are_listed_with_their_ways_and_the_schemas_written_to_a_folder_or_to_the_output(tmp_path: Path):
    plain = deskcrew("log", "formats")[1]
    listed = {row["name"]: row for row in json.loads(deskcrew("log", "formats", "--json")[1])}
    assert (listed["osworld"]["ways"], listed["ui_tars"]["of"]) == ("read, write", "action")
    assert all(name in plain for name in listed)
    assert json.loads(deskcrew("schema", "export")[1])["action"]["$schema"].endswith("2020-12/schema")
    assert deskcrew("schema", "export", "-o", tmp_path / "schemas")[0] == 0
    assert json.loads((tmp_path / "schemas" / "interaction_step.json").read_text(encoding="utf-8"))


def test_a_file_of_a_dialect_is_shown_validated_and_converted(tmp_path: Path):
    said = tmp_path / "said.jsonl"
    click = {"action": "left_click", "coordinate": [640, 360]}
    said.write_text("\n".join(json.dumps(one) for one in ({"role": "user", "content": "Go"}, click, {"action": "dance"})))
    shown = deskcrew("log", "show", said, "--from", "anthropic", "--json", "--screen", "1920x1080", "--image", "1280x720")[1]
    first, bad = map(json.loads, shown.splitlines())
    assert first["action"]["target"]["point"] == {"space": "image", "image_size": [1280, 720], "x": 640, "y": 360}
    assert "dance" in bad["error"]
    code, told = deskcrew("log", "validate", said, "--from", "anthropic:20250124")
    assert code == 1
    assert f"{said}:3: error: $.action: computer_20250124 has no action 'dance'" in told
    code, told = deskcrew("log", "convert", said, "--from", "anthropic", "--to", "openai", "-o", "theirs.jsonl")
    assert code == 1
    assert "theirs.jsonl: 1 steps" in told
    assert deskcrew("log", "show", "theirs.jsonl", "--from", "openai")[1].endswith('click "640, 360"\n')


def test_what_was_lost_in_reading_is_told_by_convert(tmp_path: Path):
    script = tmp_path / "run.py"
    script.write_text("'''Thought: save'''\npyautogui.click(1, 2, duration=0.5)\n")
    code, said = deskcrew("log", "convert", script, "--from", "pyautogui", "--to", "deskcrew", "-o", "log.jsonl")
    assert code == 0
    assert "words: words around the code are no action (when it was read)" in said
    assert "pyautogui.click.duration: how fast it is done is not kept (when it was read)" in said


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS])
def test_where_nothing_can_be_written_it_is_said_in_a_sentence_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
):
    def full(descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", full)
    ended, said = deskcrew("log", "convert", REAL, "--to", "dsl", "-o", "out.txt")
    assert ended == 1
    assert os.strerror(code) in said
    assert not list(tmp_path.iterdir())
