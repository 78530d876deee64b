"""A run as a film: a picture a line, what was pressed on it, nothing private, and whatever a stranger's run folder holds."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from PIL import Image, ImageSequence
from typer.testing import CliRunner

from environments.simulated.render.shapes import Label
from orchestrator.cli import app
from orchestrator.runs.runs import start
from orchestrator.settings.settings import load_settings
from orchestrator.tasks.tasks import resolve_target
from orchestrator.views.page.animation import COVERED, MOST, Frame, _chosen, drawn, stage_for, write_film
from orchestrator.views.page.data import FLAGS, Item
from orchestrator.views.page.source import read_source

RUNNER = CliRunner()
GOAL = 'In the reimbursement form, enter "$12.50" as the amount and save the draft'
PRIVATE = 1 << FLAGS.index("private")
MARK, COVER = (0xDB, 0x27, 0x77), (0x3F, 0x3F, 0x46)


class Screen(NamedTuple):
    size: tuple[int, int]
    elements: list[Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with pictures."""
    folder = tmp_path_factory.mktemp("film") / "runs"
    loaded = load_settings(overrides=[f"runs_dir={folder}", "screenshots.save=steps", "display=none"])
    outcome = start(loaded, resolve_target(GOAL))
    assert outcome is not None
    assert outcome.exit_code == 0
    return outcome.folder


def frames(path: Path) -> list[Image.Image]:
    with Image.open(path) as film:
        return [frame.convert("RGB") for frame in ImageSequence.Iterator(film)]


def pixels(image: Image.Image) -> set[tuple[int, ...]]:
    return {colour for _, colour in image.getcolors(1_000_000) or []}  # type: ignore[misc]


def item(kind: str = "step", status: str = "ok", **more: Any) -> Item:
    return Item(kind, status, "operator", "s1", 1, 1, 0.0, 0.1, "click x", **more)  # type: ignore[arg-type]


def test_a_run_with_pictures_becomes_a_picture_a_line_with_what_was_pressed(run: Path, tmp_path: Path) -> None:
    made = write_film(tmp_path / "run.gif", read_source(str(run), run.parent))
    shown = frames(tmp_path / "run.gif")
    assert len({frame.size for frame in shown}) == 1
    assert 3 <= len(shown) <= made.frames
    assert made.seconds > made.frames
    marked = [frame for frame in shown if any(sum(abs(a - b) for a, b in zip(c, MARK, strict=True)) < 24 for c in pixels(frame))]
    assert marked
    assert len(marked) < len(shown)


def test_a_run_without_pictures_is_drawn_from_its_elements(run: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare" / run.name
    shutil.copytree(run, bare)
    shutil.rmtree(bare / "screens")
    made = write_film(tmp_path / "bare.gif", read_source(str(bare), bare.parent))
    assert any("drawn from their elements" in note for note in made.notes)
    assert all(len(pixels(frame)) > 20 for frame in frames(tmp_path / "bare.gif"))


def labels(elements: list[Any]) -> str:
    parts = drawn(elements, (0, 0, 960, 600), 0.75)
    return " ".join(shape.text for part in parts for shape in part.shapes if isinstance(shape, Label))


@pytest.mark.parametrize("role", ["textbox", "text", "combobox", "cell"])
def test_a_private_value_and_a_reference_to_one_are_dots(role: str) -> None:
    known = [10, 10, 400, 60, role, "Password", "hunter2", PRIVATE]
    said = labels([known, [10, 80, 400, 120, role, "", "<secret>pin</secret>", 0]])
    assert "hunter2" not in said
    assert "secret" not in said
    assert said.count(COVERED) == 2


def test_a_private_box_is_covered_once_more_in_a_kept_picture() -> None:
    screen = Screen((400, 300), [[100, 100, 200, 150, "textbox", "Password", "hunter2", PRIVATE]])
    stage = stage_for([screen.size], 960)
    picture = Frame(stage, 1).line(item(), 1, Image.new("RGB", (400, 300), "#ffffff"), screen)
    left = (stage.room[0] - 400) // 2
    assert picture.getpixel((left + 150, 125)) == COVER
    assert picture.getpixel((left + 50, 50)) == (255, 255, 255)


def test_the_mark_is_where_the_target_is_on_a_screen_of_any_size() -> None:
    screen = Screen((2560, 1600), [])
    stage = stage_for([screen.size], 960)
    pressed = item(box=(1280, 800, 1480, 900), point=(1380, 850))
    picture = Frame(stage, 1).line(pressed, 1, Image.new("RGB", screen.size, "#ffffff"), screen)
    scale = stage.room[0] / 2560
    assert picture.getpixel((round(1380 * scale), round(850 * scale))) == MARK
    assert picture.getpixel((round(1280 * scale) - 2, round(850 * scale))) == MARK


HOSTILE = ["\x1b[2J", "\u202egnp", "[bold]x", "<script>", "中文全角 👩‍💻", "\ud800", "a" * 9000, "a\u0301" + "\u0300" * 80, ""]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_can_be_drawn_and_captioned(text: str) -> None:
    roles = ("button", "textbox", "checkbox", "heading", "row", "unheard of")
    elements = [[5, 5, 300, 40, role, text, text, 255] for role in roles]
    elements += [[0, 0, 0.5, 0.5, text, text, "", 0], [-900, -900, 99999, 99999, "button", text, "", 0]]
    screen = Screen((320, 200), elements)
    shown = item()._replace(line=text, why=text, app=text, role=text)
    stage = stage_for([screen.size], 960)
    assert Frame(stage, 3).line(shown, 2, None, screen).size == stage.size


@pytest.mark.parametrize("size", [(1, 1), (999_999, 2), (2, 999_999), (390, 844), (7680, 4320)])
def test_no_screen_makes_a_film_larger_than_anybody_looks_at(size: tuple[int, int]) -> None:
    stage = stage_for([size], 960)
    assert stage.size[0] <= 960
    assert stage.size[1] <= 900
    assert Frame(stage, 1).line(item(), 1, None, Screen(size, [[0, 0, *size, "button", "x", "", 0]])).size == stage.size


def test_of_a_long_run_only_steps_that_went_well_are_thinned_out() -> None:
    items = [item(status="failed" if n % 50 == 0 else "ok") for n in range(3000)]
    items[1234] = item("gate")
    chosen = _chosen(items)
    assert len(chosen) <= MOST
    assert {n for n in range(3000) if n % 50 == 0} | {1234} <= set(chosen)
    assert chosen == sorted(set(chosen))
    assert len(_chosen([item("gate")] * 5000)) <= MOST


def test_what_cannot_be_is_refused_in_one_sentence(run: Path, tmp_path: Path) -> None:
    words = ["view", run.name, "--runs-dir", str(run.parent), "--gif"]
    both = RUNNER.invoke(app, [*words, str(tmp_path / "a.gif"), "--bundle"])
    assert both.exit_code == 2
    assert "leave out" in both.stderr
    nowhere = RUNNER.invoke(app, [*words, str(run / "run.json" / "a.gif")])
    assert nowhere.exit_code == 2
    assert "cannot be written" in nowhere.stderr


def test_the_command_says_what_it_made(run: Path, tmp_path: Path) -> None:
    done = RUNNER.invoke(app, ["view", run.name, "--runs-dir", str(run.parent), "--gif", str(tmp_path / "a.gif")])
    assert done.exit_code == 0, done.output
    assert re.search(r"a\.gif \(\d+\.\d MB, \d+ pictures, \d+ s\)", done.output)


def test_without_pillow_the_extra_is_named(run: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['PIL'] = None\nfrom orchestrator.cli import main\n"
        f"sys.argv = ['deskcrew', 'view', {run.name!r}, '--runs-dir', {str(run.parent)!r}, '--gif', 'a.gif']\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "deskcrew[pictures]" in done.stderr
    assert len(done.stderr.splitlines()) == 1
