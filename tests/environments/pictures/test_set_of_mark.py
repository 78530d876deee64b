"""Marks: legible labels with the elements' own ids, on the pictures of any environment."""

from __future__ import annotations

import contextlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from environments.contract import EnvironmentFault
from environments.pictures.set_of_mark import BRIGHT, COLOURS, KINDS, LAST, MarkedPicture, UnknownMark, kind_of, mark
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from protocol import ActionTarget, BoundingBox, Click, GUIElement, LaunchApp, StaleTarget, VisualState, resolve

ROLES = [role for roles in KINDS.values() for role in sorted(roles)]
BOXES = st.tuples(st.integers(-50, 450), st.integers(-50, 350), st.integers(0, 300), st.integers(0, 80), st.sampled_from(ROLES))


def desktop(app: str, *clicks: str, screen: tuple[int, int] = (1280, 800)) -> SimulatedDesktop:
    made = SimulatedDesktop(load_world("office").model_copy(update={"screen": screen}))
    made.perform(LaunchApp(app=app), key="app")
    for text in clicks:
        made.perform(Click(target=ActionTarget(text=text)), key=text)
    return made


def marked(app: str, *clicks: str, **more) -> MarkedPicture:
    made = desktop(app, *clicks)
    return mark(made.screenshot(), made.observe(), **more)


def blank(size: tuple[int, int], colour: str = "#ffffff", form: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, form)
    return out.getvalue()


def pixels(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def element(name: str, box: tuple[int, int, int, int], role: str = "button", **more) -> GUIElement:
    return GUIElement(element_id=name, role=role, text=name, bbox=BoundingBox(x1=box[0], y1=box[1], x2=box[2], y2=box[3]), **more)


def sound(made: MarkedPicture) -> None:
    """No label leaves the picture or lies on another."""
    width, height = pixels(made.picture).size
    labels = [m.label for m in made.marks.values()]
    for number, (x1, y1, x2, y2) in enumerate(labels):
        assert 0 <= x1 < x2 <= width
        assert 0 <= y1 < y2 <= height
        for other in labels[:number]:
            assert x2 <= other[0] or other[2] <= x1 or y2 <= other[1] or other[3] <= y1


class TestWhatIsMarked:
    def test_everything_that_can_be_used_has_its_own_id_as_its_mark(self):
        made = desktop("reimbursement")
        state = made.observe()
        result = mark(made.screenshot(), state)
        usable = {e.element_id for e in state.elements if e.role in {"button", "textbox", "combobox", "checkbox"}}
        assert set(result.marks) == usable
        assert all(state.by_id[name].text for name in result.marks)
        sound(result)

    def test_what_is_disabled_or_scrolled_out_has_none(self):
        made = SimulatedDesktop(parse_world("name: a\napps: {billing: {generate: 60, page_size: 50}}\nopen: [billing]\n"))
        state = made.observe()
        result = mark(made.screenshot(), state)
        assert result.marks
        assert all(state.by_id[name].visible and state.by_id[name].enabled for name in result.marks)

    def test_beneath_a_dialog_nothing_is_marked(self):
        made = desktop("settings", "Delete account")
        state = made.observe()
        result = mark(made.screenshot(), state)
        assert {state.by_id[name].text for name in result.marks} == {"Delete my account", "Cancel"}

    def test_a_row_is_marked_unless_it_holds_a_link_or_the_names_of_columns(self):
        made = desktop("files")
        state = made.observe()
        rows = [e for e in state.elements if e.role == "row"]
        made_marks = mark(made.screenshot(), state).marks
        assert [e.element_id in made_marks for e in rows] == [False] + [True] * (len(rows) - 1)
        assert "row" not in {m.kind for m in marked("mail").marks.values()}

    def test_a_chosen_few_are_marked_again(self):
        made = desktop("mail")
        state = made.observe()
        heading = next(e for e in state.elements if e.role == "heading")
        some = [heading.element_id, *[e.element_id for e in state.elements if e.role == "link"][:3]]
        result = mark(made.screenshot(), state, only=some)
        assert list(result.marks) == sorted(some, key=lambda name: int(name[1:]))
        assert result.marks[heading.element_id].kind == "other"

    def test_an_id_that_is_not_on_the_screen_is_an_error(self):
        with pytest.raises(UnknownMark, match="e999"):
            marked("mail", only=["e1", "e999"])

    def test_nothing_to_mark_leaves_the_picture_as_it_is(self):
        made = desktop("mail")
        result = mark(made.screenshot(), made.observe(), only=[])
        assert result.marks == {}
        assert pixels(result.picture).tobytes() == pixels(result.clean).tobytes()


class TestMarksHoldForOneState:
    def test_a_mark_is_a_target_that_knows_its_state(self):
        made = desktop("mail")
        result = mark(made.screenshot(), made.observe())
        assert result.state_id == made.observe().state_id
        name = next(iter(result.marks))
        assert resolve(result.target(name), made.observe()).element_id == name
        made.perform(LaunchApp(app="notes"), key="n")
        with pytest.raises(StaleTarget):
            resolve(result.target(name), made.observe())

    def test_a_mark_that_is_not_there_names_those_that_are(self):
        with pytest.raises(UnknownMark, match=r"marks are: e\d+"):
            marked("mail").target("17")


class TestHowTheyLook:
    @pytest.mark.parametrize("app", ["billing", "reimbursement", "mail", "notes", "files", "settings"])
    @pytest.mark.parametrize("screen", [(1280, 800), (390, 844)])
    def test_labels_neither_overlap_nor_leave_the_screen(self, app, screen):
        made = desktop(app, screen=screen)
        for only in (None, [e.element_id for e in made.observe().elements]):
            result = mark(made.screenshot(), made.observe(), only)
            assert result.marks
            sound(result)

    def test_kinds_have_colours_and_white_is_legible_on_them(self):
        assert set(COLOURS) == set(BRIGHT) == {*KINDS, "other"}
        assert len(set(COLOURS.values())) == len(COLOURS)
        for colour in (*COLOURS.values(), LAST):
            assert 1.05 / (luminance(colour) + 0.05) >= 4.5, colour
        for colour in BRIGHT.values():
            assert (luminance(colour) + 0.05) / 0.06 >= 4.5, colour

    def test_the_label_has_the_colour_of_its_kind(self):
        result = marked("reimbursement")
        picture = pixels(result.picture)
        assert {m.kind for m in result.marks.values()} == {"button", "field", "choice"}
        for made in result.marks.values():
            x1, y1, x2, y2 = made.label
            inner = picture.crop((x1 + 1, y1 + 1, x2 - 1, y2 - 1))
            common = max(inner.getcolors(), key=lambda counted: counted[0])[1]
            assert common == tuple(bytes.fromhex(COLOURS[made.kind][1:]))
            assert (255, 255, 255) in {colour for _, colour in inner.getcolors()}

    def test_the_first_choice_is_the_upper_left_corner(self):
        state = VisualState(screen_resolution=(400, 300), elements=(element("a1", (100, 100, 200, 140)),))
        label = mark(blank((400, 300)), state).marks["a1"].label
        assert label[0] < 100 < label[2]
        assert label[1] < 100 < label[3]

    def test_the_last_target_gets_a_rectangle(self):
        made = desktop("mail")
        state = made.observe()
        compose = next(e for e in state.elements if e.text == "Compose")
        ink = tuple(bytes.fromhex(LAST[1:]))
        for last in (compose.element_id, compose.bbox):
            picture = pixels(mark(made.screenshot(), state, only=[], last=last).picture)
            assert picture.getpixel((compose.bbox.x1 + 1, compose.bbox.center.y)) == ink
            assert picture.getpixel((compose.bbox.center.x, compose.bbox.y2 - 1)) == ink
        assert mark(made.screenshot(), state, last="gone").marks

    def test_clean_and_marked_stand_side_by_side(self):
        result = marked("mail")
        both = pixels(result.side_by_side())
        assert both.size == (1280 * 2 + 12, 800)
        assert both.crop((0, 0, 1280, 800)).tobytes() == pixels(result.clean).tobytes()
        assert both.crop((1292, 0, 2572, 800)).tobytes() == pixels(result.picture).tobytes()

    def test_the_same_picture_and_state_give_the_same_bytes(self):
        assert marked("files").picture == marked("files").picture


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class TestAnyEnvironment:
    def test_a_picture_of_another_size_is_marked_in_its_own_pixels(self):
        state = VisualState(screen_resolution=(1000, 500), elements=(element("7", (100, 100, 300, 200)),))
        result = mark(blank((2000, 1000)), state)
        assert result.marks["7"].box == (200, 200, 600, 400)
        assert pixels(result.picture).size == (2000, 1000)

    def test_a_photograph_will_do(self):
        state = VisualState(screen_resolution=(200, 100), elements=(element("7", (20, 20, 60, 60)),))
        assert mark(blank((200, 100), form="JPEG"), state).marks

    @pytest.mark.parametrize("data", [b"", b"GIF89a", b"%!PS-Adobe-3.0 EPSF-3.0", b"\x89PNG\r\n\x1a\n", blank((50, 50))[:-30]])
    def test_bytes_that_are_no_picture_are_a_fault(self, data):
        with pytest.raises(EnvironmentFault, match="cannot be read"):
            mark(data, VisualState(screen_resolution=(50, 50)))

    @given(st.binary(max_size=200), st.integers(0, 120))
    def test_spoiled_pictures_raise_nothing_else(self, noise, at):
        whole = blank((20, 20))
        with contextlib.suppress(EnvironmentFault):
            mark(whole[:at] + noise + whole[at + len(noise) :], VisualState(screen_resolution=(20, 20)))

    @given(st.lists(BOXES, max_size=60), st.sampled_from(["", "bid-", "日本-", "\n\u202e", "x" * 60]))
    def test_labels_stay_apart_on_any_screen(self, boxes, prefix):
        elements = tuple(
            element(f"{prefix}{n}", (x, y, x + wide, y + high), role) for n, (x, y, wide, high, role) in enumerate(boxes)
        )
        state = VisualState(screen_resolution=(400, 300), elements=elements)
        result = mark(blank((400, 300)), state)
        sound(result)
        assert set(result.marks).isdisjoint(result.left_out)
        assert all(COLOURS[kind_of(state.by_id[name])] == m.colour for name, m in result.marks.items())

    def test_what_finds_no_place_is_named(self):
        elements = tuple(element(f"a-long-id-{n}", (0, 0, 30, 20)) for n in range(20))
        result = mark(blank((100, 40)), VisualState(screen_resolution=(100, 40), elements=elements))
        sound(result)
        assert result.left_out
        assert set(result.left_out) | set(result.marks) == {e.element_id for e in elements}

    def test_a_ring_of_parents_ends(self):
        elements = (element("1", (0, 0, 40, 20), parent="2"), element("2", (0, 30, 40, 50), parent="1"))
        assert mark(blank((100, 100)), VisualState(screen_resolution=(100, 100), elements=elements)).marks
