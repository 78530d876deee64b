"""Pictures of the desktop: what is drawn is what is there, where it is."""

import io
import re
import subprocess
import sys

import pytest
from PIL import Image, ImageChops

from environments.contract import EnvironmentFault, Screenshots
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.render import LIGHT, THEMES, Picture, picture, png
from environments.simulated.render.raster import image
from environments.simulated.render.scene import whole_box
from environments.simulated.render.shapes import Fill, Icon, Label, ShapeGroup, common
from environments.simulated.render.text import Face, cut, fit, lines, measure, printable
from environments.simulated.screen.screen import screen_of
from environments.simulated.world.world import TASK_BAR, TITLE_BAR
from environments.simulated.world.worldfile import load_world
from protocol import ActionTarget as Target
from protocol import Click, PressKey, Scroll, Type
from protocol import Fill as FillIn


def labels(drawn: Picture) -> list[Label]:
    return [shape for part in drawn.parts for shape in part.shapes if isinstance(shape, Label)]


def said(drawn: Picture) -> str:
    return "\n".join(label.text for label in labels(drawn))


def part_of(drawn: Picture, element_id: str) -> ShapeGroup:
    return next(part for part in drawn.parts if part.owner == element_id)


def without(drawn: Picture, owner: str) -> Picture:
    return Picture(drawn.size, tuple(part for part in drawn.parts if part.owner != owner))


class TestEveryScreen:
    """Screens of every app, dialogs and the bare desktop, on large and small screens."""

    @pytest.mark.slow("a large sample")
    def test_every_element_is_drawn_inside_its_own_box(self, anything):
        drawn = anything.picture()
        whole = image(drawn)
        owners = [part.owner for part in drawn.parts if part.owner]
        assert owners
        elements = anything.desktop.observe().by_id
        for owner in owners[::4] if len(owners) > 40 else owners:
            box = elements[owner].bbox
            changed = ImageChops.difference(whole, image(without(drawn, owner))).getbbox()
            if changed:
                assert min(box.x1, changed[0]) == box.x1, owner
                assert min(box.y1, changed[1]) == box.y1, owner
                assert max(box.x2, changed[2]) == box.x2, owner
                assert max(box.y2, changed[3]) == box.y2, owner

    def test_every_visible_element_with_words_shows_words(self, anything):
        drawn = anything.picture()
        said = (Label, Icon)  # a control may show a picture instead of its name
        owners = {part.owner for part in drawn.parts if any(isinstance(shape, said) for shape in part.shapes)}
        for element in anything.desktop.observe().elements:
            if (
                element.visible
                and element.text
                and element.role not in {"dialog", "group"}
                and element.bbox.y2 - element.bbox.y1 > 20
            ):
                assert element.element_id in owners, element

    def test_texts_fit_into_their_parts(self, anything):
        height = anything.world.desk.size[1]
        for part in anything.picture().parts:
            whole = part.owner and part.clip[1] > TITLE_BAR and part.clip[3] < height - TASK_BAR
            for label in (shape for shape in part.shapes if isinstance(shape, Label) and whole):
                assert part.clip[0] <= label.x
                assert label.x + label.width <= part.clip[2] + 1
                assert part.clip[1] <= label.y - 0.72 * label.face.size
                assert label.y + 0.22 * label.face.size <= part.clip[3]


class TestPixels:
    """Samples of the picture where something must be seen."""

    @pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
    def test_states_have_their_colours(self, show, theme):
        shown = show(
            "name: a\napps: {reimbursement: {required: [amount]}}\nopen: [reimbursement]\n",
            (Click(target=Target(text="Submit")), Click(target=Target(text="Vendor"))),
        )
        pixels = image(shown.picture(theme))
        by_name = {e.text: e.bbox for e in shown.desktop.observe().elements}

        def edge(name: str) -> str:
            return "#{:02x}{:02x}{:02x}".format(*pixels.getpixel((by_name[name].x1, by_name[name].center.y)))

        assert edge("Amount") == theme.danger
        assert edge("Vendor") == theme.accent
        assert edge("Date") == theme.control
        assert edge("Submit") == theme.accent
        assert pixels.getpixel((1270, 400)) == tuple(bytes.fromhex(theme.page[1:]))

    def test_a_dialog_lies_on_a_dimmed_page(self, show):
        shown = show("name: a\napps: {settings: }\nopen: [settings]\n")
        before = image(shown.picture())
        shown.desktop.perform(Click(target=Target(text="Delete account")), key="d")
        after = image(shown.picture())
        assert sum(s.colour == LIGHT.dim for p in shown.picture().parts for s in p.shapes if isinstance(s, Fill)) == 1
        for place in ((5, 5), (640, 700), (1270, 790)):
            assert sum(after.getpixel(place)) < sum(before.getpixel(place)) - 100
        dialog = next(e for e in shown.desktop.observe().elements if e.role == "dialog").bbox
        assert after.getpixel((dialog.x2 - 2, dialog.y1 + 2)) == (255, 255, 255)

    def test_what_the_window_cuts_off_stands_where_it_would_stand_whole(self, show):
        shown = show("name: a\napps: {billing: {generate: 60, page_size: 50}}\nopen: [billing]\n")
        clip = (0, TITLE_BAR, 1280, 800 - TASK_BAR)
        for number in range(0, 40, 3):
            shown.desktop.perform(Scroll.toward("down", 3, "px"), key=str(number))
            for part in screen_of(shown.world).order:
                box = part.element.bbox
                if part.widget.role in {"cell", "link"} and common((box.x1, box.y1, box.x2, box.y2), clip):
                    assert whole_box(part, clip)[3] - whole_box(part, clip)[1] == 28


class TestPrivacy:
    SECRET = "name: a\napps: {settings: {phone: '+49 151 2345678'}}\nopen: [settings]\n"

    def test_a_private_value_is_dots_and_even_its_length_is_not_told(self, show):
        drawn = show(self.SECRET).picture()
        assert "2345" not in said(drawn)
        assert "•" * 8 in said(drawn)
        assert said(drawn) == said(show(self.SECRET.replace("+49 151 2345678", "1")).picture())
        assert "•" not in said(show(self.SECRET.replace("+49 151 2345678", "")).picture())
        ways = (Click(target=Target(text="Recovery phone")), Type(text="999"), PressKey(keys=("Control", "a")))
        assert not re.search(r"2345|999", said(show(self.SECRET, ways).picture())), "nor while it is typed and selected"


class TestForeignTexts:
    HARD = (
        "<script>alert('x')</script> & \"q\" ]]>", "tab\tand\x00\x1b[31m\x7f", "\u202egnp.exe", "\U000e0041\U000e0042hidden",
"\ufffe\uffff", "你好世界" * 40, "שלום עולם", "مرحبا بالعالم", "😀👍🏽👨‍👩‍👧", "नमस्ते", "สวัสดี",
        "a" * 5000, "word " * 2000, "e\u0301\u0301\u0301" * 50, "\n\n\n", " ", "",
    )  # fmt: skip

    @pytest.mark.parametrize("text", HARD, ids=range(len(HARD)))
    def test_any_text_can_be_drawn_everywhere(self, show, text):
        ways = (
            FillIn(target=Target(text="Title"), text=text),
            FillIn(target=Target(text="Body"), text=text),
            Click(target=Target(text="Save")),
        )
        shown = show("name: a\napps: {notes: {notes: [{title: first}], open: first}}\nopen: [notes]\n", ways)
        for world in (shown.world, shown.world.with_desk(focus="notes.body", caret=len(text) // 2, anchor=0)):
            drawn = picture(world)
            assert png(drawn)
        shown.desktop.perform(Click(target=Target(text="Back to notes")), key="back")
        assert png(shown.picture())


class TestText:
    def test_what_is_cut_ends_in_an_ellipsis_and_fits(self):
        face = Face(14)
        for room in (5, 20, 60, 200):
            text = cut("The quick brown fox jumps over the lazy dog", face, room)
            assert measure(text, face) <= room
            assert text == "" or text.endswith("…")
        assert cut("short", face, 200) == "short"
        word = "Rechnungsnummer"
        room = round(measure(word, Face(12)))
        assert fit(word, Face(20), room + 1, 12) == (word, Face(12)), "a text gets smaller before it is cut"
        assert fit(word, Face(20), room - 9, 12)[0].endswith("…")

    def test_lines_hold_every_character_and_fit(self):
        text = "Two words\n\nand " + "x" * 300 + " then 你好世界你好世界 " * 20
        spans = lines(text, Face(14), 200)
        assert "".join(text[start:end] for start, end in spans).replace("\n", "") == text.replace("\n", "")
        assert all(measure(text[start:end].rstrip(), Face(14)) <= 200 for start, end in spans)
        assert "" in [text[start:end] for start, end in spans]

    def test_unseen_characters_are_not_drawn(self):
        assert printable("a\u200b\u202eb\ufe0f\x00") == "ab "
        assert printable("\ud83d") == "\ufffd"
        assert printable("u\u0308ber") == "über"


class TestThemes:
    @pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
    def test_texts_are_legible(self, theme):
        pairs = [
            (theme.text, theme.page), (theme.text, theme.surface), (theme.text, theme.stripe), (theme.text, theme.bar),
            (theme.text, theme.soft), (theme.text, theme.selection), (theme.muted, theme.page), (theme.muted, theme.stripe),
            (theme.muted, theme.bar), (theme.hint, theme.surface), (theme.accent, theme.page), (theme.accent, theme.surface),
            (theme.accent, theme.stripe), (theme.accent, theme.soft), (theme.on_accent, theme.accent),
            (theme.danger, theme.danger_soft), (theme.danger, theme.surface), (theme.on_toast, theme.toast),
        ]  # fmt: skip
        assert {pair: round(contrast(*pair), 1) for pair in pairs if contrast(*pair) < 4.5} == {}
        assert contrast(theme.control, theme.page) >= 3
        assert contrast(theme.control, theme.surface) >= 3


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


class TestCapability:
    def test_the_desktop_offers_screenshots(self):
        desktop = SimulatedDesktop(load_world("office"))
        assert isinstance(desktop, Screenshots)
        with Image.open(io.BytesIO(desktop.screenshot())) as opened:
            assert (opened.format, opened.size) == ("PNG", desktop.observe().screen_resolution)
        desktop.close()
        with pytest.raises(EnvironmentFault):
            desktop.screenshot()

    def test_without_pillow_one_sentence_names_the_extra(self):
        code = (
            "import sys\n"
            "sys.modules['PIL'] = None\n"
            "from environments.contract import EnvironmentFault\n"
            "from environments.simulated.desktop import SimulatedDesktop\n"
            "from environments.simulated.world.worldfile import load_world\n"
            "desktop = SimulatedDesktop(load_world('office'))\n"
            "for name in ('shot', 'shot', 'marks'):\n"
            "    try:\n"
            "        desktop.screenshot() if name == 'shot' else __import__('environments.pictures.set_of_mark')\n"
            "    except EnvironmentFault as fault:\n"
            "        print(fault)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert (
            done.stdout.splitlines()
            == ["pictures need Pillow, which is not installed; type: pip install 'deskcrew[pictures]'"] * 3
        )
