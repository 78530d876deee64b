"""No picture that a run keeps shows a private value: every file is read by OCR and compared with what may be shown."""

import io
import json
from pathlib import Path

import pytest

pytest.importorskip("rapidocr", reason="reading pictures needs the extra: pip install 'deskcrew[vision]'")

from PIL import Image

from environments.browser import BrowserEnvironment
from environments.browser.actions.targeting import Span, spans_of
from environments.contract import EnvironmentFault
from environments.pictures.set_of_mark import COLOUR
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from environments.vision.pixels import pixels_of
from environments.vision.reader import Reader
from protocol import ActionTarget, Fill, LaunchApp
from roles.journal.journal import Journal
from roles.journal.screenshots import FOLDER, Gallery, ScreenshotSettings
from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor, SecretBorder

VALUE = "Zanzibar7164"
PAGE = f"""<!doctype html><title>{VALUE}</title><body style="font: 20px sans-serif">
<label>Password <input type="password"></label><p>The word is Zanz<b>ibar</b>7164 today</p>
<input aria-label="Code" value="{VALUE}"><div aria-hidden="true">{VALUE}</div>
<div style="position: fixed; inset: 0; background: rgba(0, 0, 0, .2)"></div><p>Harmless words</p>
<iframe style="width: 400px; height: 60px" srcdoc="<p>{VALUE}</p>"></iframe></body>"""


def read(png: bytes) -> str:
    return "".join(line.text for line in Reader().read(pixels_of(png))).replace(" ", "").casefold()


@pytest.mark.slow("pictures that are read")
def test_pictures_of_a_simulated_desktop_show_no_private_value(tmp_path: Path) -> None:
    world = {
        "name": "w", "screen": [560, 420], "apps": {"notes": {"notes": [{"title": f"Say {VALUE}", "body": ""}]}, "settings": {}},
        "open": ["settings"],
    }  # fmt: skip
    desk = SimulatedDesktop(parse_world(json.dumps(world)))
    redactor = Redactor(SafetyPolicy.model_validate({"private": ["*account name*"]}))
    veil, journal = SecretBorder(desk, redactor), Journal(None, lambda: 0.0, redactor)
    gallery = Gallery(ScreenshotSettings(save="all"), veil, journal, tmp_path)
    redactor.keep(VALUE, "word")
    veil.perform(Fill(target=ActionTarget(text="Account name"), text=VALUE), key="fill")
    gallery.keep(veil.observe(), "steps")
    veil.perform(LaunchApp(app="notes"), key="notes")
    gallery.keep(veil.observe(), "steps")
    pictures = [path.read_bytes() for path in (tmp_path / FOLDER).iterdir()]
    assert len(pictures) == 2
    assert VALUE.casefold() in read(desk.screenshot()), "it can be read where nothing is painted over"
    for png in pictures:
        shown = read(png)
        assert "zanzibar" not in shown
        assert "settings" in shown or "notes" in shown
    for event in journal.events("picture"):
        assert VALUE not in json.dumps(event.body)


@pytest.mark.slow("a real browser")
def test_pictures_of_a_page_show_no_private_value_wherever_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    try:
        page = BrowserEnvironment((tmp_path / "page.html").as_uri(), allow_files=True, size=(640, 400))
        page.reset()
    except EnvironmentFault as missing:
        pytest.skip(f"no browser here: {missing}")
    try:
        redactor = Redactor(SafetyPolicy())
        veil = SecretBorder(page, redactor)
        redactor.keep(VALUE, "word")
        veil.perform(Fill(target=ActionTarget(text="Password"), text=VALUE), key="fill")
        assert VALUE.casefold() in read(page.screenshot()), "it can be read where nothing is painted over"
        png = veil.screenshot()  # type: ignore[attr-defined]  # a browser has pictures
        shown = read(png)
        assert "zanz" not in shown
        assert "7164" not in shown
        assert len(page.written([VALUE])) >= 4
        colours = dict((colour, count) for count, colour in Image.open(io.BytesIO(png)).convert("RGB").getcolors(1_000_000))
        assert colours.get(tuple(bytes.fromhex(COLOUR[1:])), 0) > 1_000
    finally:
        page.close()


def test_a_text_is_found_however_a_page_cuts_and_spaces_it() -> None:
    texts = ["the word is tu", "lip\n", " - 4", "1 and TULIP-41"]
    spans = list(spans_of(["tulip-41"], texts))
    assert spans == [Span(0, 12, 14), Span(1, 0, 3), Span(2, 1, 4), Span(3, 0, 1), Span(3, 6, 14)]
