"""BrowserGym: calls by bid and by pixel, both ways, and its own grammar as the judge."""

from __future__ import annotations

from typing import Any

import pytest

import protocol as p
from protocol import ActionTarget, BoundingBox, Click, GUIElement, PressKey, Scroll, Type, VisualState
from protocol.dialects import Context, DialectError
from protocol.dialects.web.browsergym import from_browsergym, to_browsergym

A51 = ActionTarget(element_id="a51")
B2 = ActionTarget(element_id="b2")
SEEN = VisualState(elements=(GUIElement(element_id="a51", text="Save", bbox=BoundingBox(x1=0, y1=0, x2=100, y2=20)),))


def at(x: float, y: float) -> ActionTarget:
    return ActionTarget(point={"x": x, "y": y})  # type: ignore[arg-type]


def read(text: str) -> Any:
    """The one action of a text."""
    found = from_browsergym(text, Context())
    assert not found.losses
    (action,) = found.actions
    return action


def write(action: p.Action, **context: Any) -> str:
    """The text of an action that loses nothing."""
    written = to_browsergym(action, Context(**context))
    assert written.losses == []
    return str(written.payload)


def lost(action: p.Action, **context: Any) -> tuple[str, list[str]]:
    written = to_browsergym(action, Context(**context))
    return str(written.payload), [loss.what for loss in written.losses]


def theirs(verb: str, target: ActionTarget | None = None, **arguments: str) -> p.Extension:
    return p.Extension(action_type=f"x-browsergym.{verb}", target=target, arguments=arguments)


EXACT = [
    ("click('a51')", Click(target=A51)),
    ("click('a51', button='right')", Click(target=A51, button="right")),
    (
        "click('a51', button='middle', modifiers=['Shift', 'Control'])",
        Click(target=A51, button="middle", modifiers=("Shift", "Control")),
    ),
    ("dblclick('a51')", Click(target=A51, count=2)),
    ("hover('a51')", p.Hover(target=A51)),
    ("fill('a51', 'multi-line\\nexample')", p.Fill(target=A51, text="multi-line\nexample")),
    ("press('a51', 'ControlOrMeta+a')", PressKey(target=A51, keys=("ControlOrMeta", "a"))),
    ("select_option('a51', 'blue')", p.SelectOption(target=A51, options=("blue",))),
    ("select_option('a51', ['red', 'green'])", p.SelectOption(target=A51, options=("red", "green"))),
    ("drag_and_drop('a51', 'b2')", p.Drag(target=A51, to=B2)),
    ("upload_file('a51', 'receipt.pdf')", p.Upload(target=A51, files=("receipt.pdf",))),
    ("upload_file('a51', ['a.jpg', 'b.zip'])", p.Upload(target=A51, files=("a.jpg", "b.zip"))),
    ("scroll(-50.2, 100)", Scroll(dx=-50.2, dy=100, unit="px")),
    ("scroll_at(50, 100, -50, -100)", Scroll(dx=-50, dy=-100, unit="px", target=at(50, 100))),
    ("mouse_move(65.2, 158.5)", p.Hover(target=at(65.2, 158.5))),
    ("mouse_up(47, 252, button='right')", p.MouseUp(target=at(47, 252), button="right")),
    ("mouse_down(140.2, 580.1)", p.MouseDown(target=at(140.2, 580.1))),
    ("mouse_click(887.2, 68)", Click(target=at(887.2, 68))),
    ("mouse_dblclick(5, 236)", Click(target=at(5, 236), count=2)),
    ("mouse_drag_and_drop(10.7, 325, 235.6, 24.54)", p.Drag(target=at(10.7, 325), to=at(235.6, 24.54))),
    ("mouse_upload_file(132.1, 547, 'receipt.pdf')", p.Upload(target=at(132.1, 547), files=("receipt.pdf",))),
    ("keyboard_down('Shift')", p.KeyDown(key="Shift")),
    ("keyboard_up('c')", p.KeyUp(key="c")),
    ("keyboard_press('Meta+Shift+t')", PressKey(keys=("Meta", "Shift", "t"))),
    ("keyboard_press('Control++')", PressKey(keys=("Control", "+"))),
    ("keyboard_type('Hello world!')", Type(text="Hello world!")),
    ("keyboard_insert_text('Hello')", theirs("keyboard_insert_text", text="Hello")),
    ("focus('a51')", theirs("focus", A51)),
    ("check('a51')", theirs("check", A51)),
    ("uncheck('a51')", theirs("uncheck", A51)),
    ("goto('http://www.example.com')", p.Navigate(url="http://www.example.com")),
    ("go_back()", p.GoBack()),
    ("go_forward()", p.GoForward()),
    ("new_tab()", p.Tabs(op="new")),
    ("tab_close()", p.Tabs(op="close")),
    ("tab_focus(2)", p.Tabs(op="select", index=2)),
    ("noop()", p.Wait(seconds=1)),
    ("noop(500)", p.Wait(seconds=0.5)),
    ("send_msg_to_user('In 1751.')", p.Answer(text="In 1751.")),
    ("report_infeasible('no email field')", p.FailGoal(reason="no email field")),
]


@pytest.mark.parametrize(("said", "action"), EXACT, ids=[said for said, _ in EXACT])
def test_each_function_is_said_and_read(said: str, action: p.Action) -> None:
    assert write(action) == said
    assert read(said) == action


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ('fill("237", "text with \\"quotes\\"", False)', p.Fill(target={"element_id": "237"}, text='text with "quotes"')),
        ("fill(bid='a51', value='x')", p.Fill(target=A51, text="x")),
        ("clear('a51')", p.Fill(target=A51, text="")),
        ("click('a51', 'middle', ['Shift'],)", Click(target=A51, button="middle", modifiers=("Shift",))),
        ("mouse_click(56, 712.56, 'right')", Click(target=at(56, 712.56), button="right")),
        ("press('88', 'KeyA')", PressKey(target={"element_id": "88"}, keys="a")),
        ("scroll(delta_y=200, delta_x=0)", Scroll(dy=200, unit="px")),
        ("# first save\nclick('a51')  # done", Click(target=A51)),
        ("```python\nclick('a51')\n```", Click(target=A51)),
        ("I will save.\n```\nclick('a51')\n```\nThen I am done.", Click(target=A51)),
        ("To save I have to click a51.\n```click('a51')```", Click(target=A51)),
        ("The next action is ```click('a51')```.", Click(target=A51)),
    ],
)
def test_other_spellings_are_read(said: str, action: p.Action) -> None:
    assert read(said) == action


def test_several_calls_are_several_actions() -> None:
    text = "fill('a12', 'Ada')\nclick('a51') noop(10)"
    assert [a.verb for a in from_browsergym(text, Context()).actions] == ["fill", "click", "wait"]


def test_scrolling_down_is_positive_and_counts_pixels() -> None:
    scrolled = read("scroll(0, 200)")
    assert (scrolled.delta.y, scrolled.unit) == (200, "px")
    assert lost(Scroll.toward("up", 2)) == ("scroll(0, -240)", ["scroll.unit"])
    assert lost(Scroll.toward("down", 1, "page"), screen=(1000, 700)) == ("scroll(0, 700)", ["scroll.unit"])


def test_the_autocomplete_menu_is_a_loss_when_it_is_read() -> None:
    found = from_browsergym("fill('b534', 'Montre', True)", Context())
    assert [loss.what for loss in found.losses] == ["fill.enable_autocomplete_menu"]
    assert found.actions == [p.Fill(target={"element_id": "b534"}, text="Montre")]


@pytest.mark.parametrize(
    ("action", "said", "losses"),
    [
        (Type(text="x", target=A51), ["click('a51')", "keyboard_type('x')"], ["type.target"]),
        (Type(text="x", target=at(1, 2)), ["mouse_click(1, 2)", "keyboard_type('x')"], ["type.target"]),
        (Type(text="x", submit=True), ["keyboard_type('x')", "keyboard_press('Enter')"], ["type.submit"]),
        (p.Fill(text="x", target=A51, submit=True), ["fill('a51', 'x')", "keyboard_press('Enter')"], ["fill.submit"]),
        (
            Click(target=at(1, 2), modifiers=("Control", "Shift")),
            [
                "keyboard_down('Control')",
                "keyboard_down('Shift')",
                "mouse_click(1, 2)",
                "keyboard_up('Shift')",
                "keyboard_up('Control')",
            ],
            ["click.modifiers"],
        ),
        (Click(target=at(1, 2), hold=2), ["mouse_down(1, 2)", "noop(2000)", "mouse_up(1, 2)"], ["click.hold"]),
        (
            p.HoldKey(keys="shift+a", seconds=2),
            ["keyboard_down('Shift')", "keyboard_down('a')", "noop(2000)", "keyboard_up('a')", "keyboard_up('Shift')"],
            ["hold_key"],
        ),
        (
            p.Drag(target=at(1, 2), to=at(5, 6), path=((3, 4),)),
            ["mouse_down(1, 2)", "mouse_move(3, 4)", "mouse_up(5, 6)"],
            ["drag.path"],
        ),
        (Scroll(dy=10, unit="px", target=A51), ["hover('a51')", "scroll(0, 10)"], ["scroll.target"]),
        (p.Tabs(op="new", url="http://a.b"), ["new_tab()", "goto('http://a.b')"], ["tabs.url"]),
        (p.Tabs(op="close", index=1), ["tab_focus(1)", "tab_close()"], ["tabs.index"]),
        (p.Wait(seconds=2, text="Done"), ["noop(2000)"], ["wait.text"]),
        (p.AskUser(question="Which?"), ["send_msg_to_user('Which?')"], ["ask_user"]),
        (p.FinishGoal(summary="Done."), ["send_msg_to_user('Done.')"], ["finish_goal"]),
        (Click(target=A51, delay=1), ["click('a51')"], ["delay"]),
    ],
)
def test_what_cannot_be_said_in_one_call_is_declared(action: p.Action, said: list[str], losses: list[str]) -> None:
    assert lost(action) == ("\n".join(said), losses)
    assert from_browsergym("\n".join(said), Context()).actions


def test_the_bid_of_a_target_is_found_in_the_state() -> None:
    assert lost(Click(target={"text": "Save"}), state=SEEN) == ("click('a51')", ["target.text"])
    assert lost(Click(target={"element_id": "a51", "point": [1, 2]})) == ("click('a51')", ["target.point"])
    assert lost(Click(target={"bbox": [10, 10, 20, 20]})) == ("mouse_click(15, 15)", ["target.bbox"])
    mixed = p.Drag(target={"text": "Save"}, to=at(5, 6))
    assert lost(mixed, state=SEEN) == ("mouse_drag_and_drop(50, 10, 5, 6)", ["target.text"])
    with pytest.raises(DialectError, match="a state is needed"):
        to_browsergym(Click(target={"text": "Save"}), Context())


def test_pixels_of_a_picture_become_pixels_of_the_screen() -> None:
    target = ActionTarget(point={"x": 100, "y": 100, "space": "norm1000"})  # type: ignore[arg-type]
    assert lost(Click(target=target), screen=(2000, 1000)) == ("mouse_click(200, 100)", ["target.point"])


# --- the judge: BrowserGym's own grammar ------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", ["click('12')", "```\nclick('12')\n```"])
def test_the_tags_of_agentlab_are_read(inner: str) -> None:
    answer = f"<think>\nclick('99') would be wrong\n</think>\n<action>\n{inner}\n</action>"
    assert from_browsergym(answer, Context()).actions == [Click(target={"element_id": "12"})]
