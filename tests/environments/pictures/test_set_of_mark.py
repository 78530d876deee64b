"""Marks: legible labels with the elements' own ids, on the pictures of any environment."""

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


def marked(made: SimulatedDesktop | str, **more) -> MarkedPicture:
    made = desktop(made) if isinstance(made, str) else made
    return mark(made.screenshot(), made.observe(), **more)


def blank(size: tuple[int, int], form: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "#ffffff").save(out, form)
    return out.getvalue()


def pixels(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def screen(size: tuple[int, int], *elements: GUIElement) -> VisualState:
    return VisualState(screen_resolution=size, elements=elements)


def element(name: str, box: tuple[int, int, int, int], role: str = "button", **more) -> GUIElement:
    return GUIElement(element_id=name, role=role, text=name, bbox=BoundingBox(x1=box[0], y1=box[1], x2=box[2], y2=box[3]), **more)


def ink(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


def luminance(colour: str) -> float:
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in (part / 255 for part in ink(colour)))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def sound(made: MarkedPicture) -> None:
    """No label leaves the picture or lies on another."""
    width, height = pixels(made.picture).size
    labels = [m.label for m in made.marks.values()]
    for number, (x1, y1, x2, y2) in enumerate(labels):
        assert 0 <= x1 < x2 <= width
        assert 0 <= y1 < y2 <= height
        for other in labels[:number]:
            assert x2 <= other[0] or other[2] <= x1 or y2 <= other[1] or other[3] <= y1


def test_everything_that_can_be_used_has_its_own_id_as_its_mark():
    made = desktop("reimbursement")
    usable = {e.element_id for e in made.observe().elements if e.role in {"button", "textbox", "combobox", "checkbox"}}
    result = marked(made)
    assert set(result.marks) == usable
    sound(result)


def test_what_is_disabled_scrolled_out_or_beneath_a_dialog_has_none():
    made = SimulatedDesktop(parse_world("name: a\napps: {billing: {generate: 60, page_size: 50}}\nopen: [billing]\n"))
    state, marks = made.observe(), marked(made).marks
    assert marks
    assert all(state.by_id[name].visible and state.by_id[name].enabled for name in marks)
    made = desktop("settings", "Delete account")
    assert {made.observe().by_id[name].text for name in marked(made).marks} == {"Delete my account", "Cancel"}


def test_a_row_is_marked_unless_it_holds_a_link_or_the_names_of_columns():
    made = desktop("files")
    marks, rows = marked(made).marks, [e for e in made.observe().elements if e.role == "row"]
    assert [e.element_id in marks for e in rows] == [False] + [True] * (len(rows) - 1)
    assert "row" not in {m.kind for m in marked("mail").marks.values()}


def test_a_chosen_few_are_marked_and_without_any_the_picture_stays_as_it_is():
    made = desktop("mail")
    state = made.observe()
    heading = next(e for e in state.elements if e.role == "heading")
    some = [heading.element_id, *[e.element_id for e in state.elements if e.role == "link"][:3]]
    result = marked(made, only=some)
    assert list(result.marks) == sorted(some, key=lambda name: int(name[1:]))
    assert result.marks[heading.element_id].kind == "other"
    none = marked(made, only=[])
    assert none.marks == {}
    assert pixels(none.picture).tobytes() == pixels(none.clean).tobytes()
    with pytest.raises(UnknownMark, match="e999"):
        marked(made, only=["e1", "e999"])


def test_a_mark_is_a_target_that_knows_its_state():
    made = desktop("mail")
    result = marked(made)
    assert result.state_id == made.observe().state_id
    name = next(iter(result.marks))
    assert resolve(result.target(name), made.observe()).element_id == name
    made.perform(LaunchApp(app="notes"), key="n")
    with pytest.raises(StaleTarget):
        resolve(result.target(name), made.observe())
    with pytest.raises(UnknownMark, match=r"marks are: e\d+"):
        result.target("17")


def test_kinds_have_colours_and_white_is_legible_on_them():
    assert set(COLOURS) == set(BRIGHT) == {*KINDS, "other"}
    assert len(set(COLOURS.values())) == len(COLOURS)
    assert all(1.05 / (luminance(colour) + 0.05) >= 4.5 for colour in (*COLOURS.values(), LAST))
    assert all((luminance(colour) + 0.05) / 0.06 >= 4.5 for colour in BRIGHT.values())


def test_the_label_has_the_colour_of_its_kind():
    result = marked("reimbursement")
    picture = pixels(result.picture)
    assert {m.kind for m in result.marks.values()} == {"button", "field", "choice"}
    for made in result.marks.values():
        x1, y1, x2, y2 = made.label
        colours = picture.crop((x1 + 1, y1 + 1, x2 - 1, y2 - 1)).getcolors()
        assert max(colours)[1] == ink(COLOURS[made.kind])
        assert (255, 255, 255) in {colour for _, colour in colours}


def test_the_first_choice_is_the_upper_left_corner_in_the_pixels_of_a_picture_of_another_size_or_a_photograph():
    label = mark(blank((400, 300)), screen((400, 300), element("a1", (100, 100, 200, 140)))).marks["a1"].label
    assert label[0] < 100 < label[2]
    assert label[1] < 100 < label[3]
    state = screen((1000, 500), element("7", (100, 100, 300, 200)))
    result = mark(blank((2000, 1000), "JPEG"), state)
    assert result.marks["7"].box == (200, 200, 600, 400)
    assert pixels(result.picture).size == (2000, 1000)


def test_the_last_target_gets_a_rectangle():
    made = desktop("mail")
    compose = next(e for e in made.observe().elements if e.text == "Compose")
    for last in (compose.element_id, compose.bbox):
        picture = pixels(marked(made, only=[], last=last).picture)
        assert picture.getpixel((compose.bbox.x1 + 1, compose.bbox.center.y)) == ink(LAST)
        assert picture.getpixel((compose.bbox.center.x, compose.bbox.y2 - 1)) == ink(LAST)
    assert marked(made, last="gone").marks


def test_clean_and_marked_stand_side_by_side_and_are_the_same_each_time():
    result = marked("mail")
    both = pixels(result.side_by_side())
    assert both.size == (1280 * 2 + 12, 800)
    assert both.crop((0, 0, 1280, 800)).tobytes() == pixels(result.clean).tobytes()
    assert both.crop((1292, 0, 2572, 800)).tobytes() == pixels(result.picture).tobytes()
    assert marked("mail").picture == result.picture


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"%!PS-Adobe-3.0 EPSF-3.0", b"\x89PNG\r\n\x1a\n", blank((50, 50))[:-30]])
def test_bytes_that_are_no_picture_are_a_fault(data):
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        mark(data, screen((50, 50)))


@given(st.binary(max_size=200), st.integers(0, 120))
def test_spoiled_pictures_raise_nothing_else(noise, at):
    whole = blank((20, 20))
    with contextlib.suppress(EnvironmentFault):
        mark(whole[:at] + noise + whole[at + len(noise) :], screen((20, 20)))


@given(st.lists(BOXES, max_size=60), st.sampled_from(["", "bid-", "日本-", "\n\u202e", "x" * 60]))
def test_labels_stay_apart_on_any_screen(boxes, prefix):
    elements = [element(f"{prefix}{n}", (x, y, x + wide, y + high), role) for n, (x, y, wide, high, role) in enumerate(boxes)]
    state = screen((400, 300), *elements)
    result = mark(blank((400, 300)), state)
    sound(result)
    assert set(result.marks).isdisjoint(result.left_out)
    assert all(COLOURS[kind_of(state.by_id[name])] == m.colour for name, m in result.marks.items())


def test_what_finds_no_place_is_named_and_a_ring_of_parents_ends():
    elements = [element(f"a-long-id-{n}", (0, 0, 30, 20)) for n in range(20)]
    result = mark(blank((100, 40)), screen((100, 40), *elements))
    sound(result)
    assert result.left_out
    assert set(result.left_out) | set(result.marks) == {e.element_id for e in elements}
    ring = (element("1", (0, 0, 40, 20), parent="2"), element("2", (0, 30, 40, 50), parent="1"))
    assert mark(blank((100, 100)), screen((100, 100), *ring)).marks
