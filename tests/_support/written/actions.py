"""Actions of every verb, for the tests that hold for all of them."""

from typing import Any

from hypothesis import strategies as st

import protocol as p
from protocol import ActionTarget, Coordinate, Region

HOSTILE = [
    'say "hi"', "it's {braces} and {{more}}", "👩‍👩‍👧 🎈", "line one\nline two\r\nthree", "Action: finish_goal()",
    '{"action_type": "finish_goal"}', "\\n \\u0041 %s $HOME `rm`", "set point=5", "start_box='(1,2)'", "</script><b>[bold]x[/]",
    "<|box_start|>(1,2)<|box_end|>", "<point>1 2</point>", "```python\nclick('1')\n```", "שלום עולם \u202eمرحبا",
    "\x00\x07\u202e\u2028\u0085", "'''\"\"\"", "# no comment", "]) [1]", "", "   ",
]  # fmt: skip
texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=80))
names = texts.filter(bool)
numbers = st.integers(-2_000, 2_000) | st.floats(-2_000, 2_000)
sizes = st.tuples(st.integers(1, 4_000), st.integers(1, 4_000))
points = st.one_of(
    st.builds(Coordinate, x=st.integers(0, 1279), y=st.integers(0, 799)),
    st.builds(Coordinate, x=numbers, y=numbers),
    st.builds(Coordinate, x=st.integers(0, 1999), y=st.integers(0, 999), space=st.just("image"), image_size=sizes),
    st.builds(Coordinate, x=st.integers(0, 999), y=st.integers(0, 999), space=st.sampled_from(["norm999", "norm1000"])),
    st.builds(Coordinate, x=st.floats(0, 1), y=st.floats(0, 1), space=st.just("norm1")),
)
boxes = st.one_of(
    st.tuples(*[st.integers(-500, 500)] * 2, *[st.integers(0, 500)] * 2).map(
        lambda b: p.BoundingBox(x1=b[0], y1=b[1], x2=b[0] + b[2], y2=b[1] + b[3])
    ),
    st.tuples(*[st.integers(0, 400)] * 4, st.sampled_from(["image", "norm999", "norm1000"]), sizes).map(
        lambda b: Region(x1=b[0], y1=b[1], x2=b[0] + b[2], y2=b[1] + b[3], space=b[4], image_size=b[5])
    ),
)
targets = st.one_of(
    points.map(lambda point: ActionTarget(point=point)),
    st.builds(ActionTarget, text=texts),
    st.builds(ActionTarget, element_id=st.integers(0, 99).map(str)),
    boxes.map(lambda box: ActionTarget(bbox=box)),
    st.builds(
        ActionTarget,
        track_id=texts,
        element_id=st.none() | texts,
        text=st.none() | texts,
        bbox=st.none() | boxes,
        point=st.none() | points,
        role=st.none() | st.sampled_from(["button", "textbox"]),
        selector=st.none() | texts,
        description=st.none() | texts,
        state_id=st.none() | texts,
    ),
)
some_target = st.none() | targets
delays = st.none() | st.floats(0, 60)
modifiers = st.lists(st.sampled_from(["Control", "Shift", "Alt", "Meta"]), max_size=2, unique=True).map(tuple)
buttons = st.sampled_from(["left", "right", "middle", "back", "forward"])
signs = st.characters(exclude_categories=("C", "Z")) | st.sampled_from("+- ?<,.'\"\\/")
a_key = st.sampled_from(["Enter", "Escape", "Tab", "Space", "ArrowDown", "PageUp", "Delete", "Backspace", "F5", "a", "Z"]) | signs
chords = st.tuples(modifiers, a_key).map(lambda pair: (*pair[0], pair[1]))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(texts, json_values, max_size=3)

KINDS: dict[str, st.SearchStrategy[Any]] = {
    "click": st.builds(p.Click, target=targets, delay=delays, button=buttons, count=st.integers(1, 3), modifiers=modifiers,
                    hold=st.just(0.0) | st.floats(0, 60)),
    "mouse_down": st.builds(p.MouseDown, target=some_target, button=buttons),
    "mouse_up": st.builds(p.MouseUp, target=some_target, button=buttons),
    "hover": st.builds(p.Hover, target=targets, delay=delays, modifiers=modifiers),
    "drag": st.builds(p.Drag, target=targets, to=targets, path=st.lists(points, max_size=3).map(tuple), button=buttons,
                    modifiers=modifiers),
    "type": st.builds(p.Type, target=some_target, text=texts, submit=st.booleans()),
    "fill": st.builds(p.Fill, target=targets, text=texts, submit=st.booleans()),
    "press_key": st.builds(p.PressKey, target=some_target, keys=chords),
    "hold_key": st.builds(p.HoldKey, target=some_target, keys=chords, seconds=st.floats(0, 100)),
    "key_down": st.builds(p.KeyDown, key=a_key),
    "key_up": st.builds(p.KeyUp, key=a_key),
    "scroll": st.builds(p.Scroll, target=some_target, delta=st.builds(p.Delta, x=st.just(0) | numbers, y=numbers),
                    unit=st.sampled_from(["notch", "px", "page"]), modifiers=modifiers),
    "select_option": st.builds(p.SelectOption, target=targets, options=st.lists(texts, min_size=1, max_size=3).map(tuple)),
    "launch_app": st.builds(p.LaunchApp, app=texts),
    "switch_window": st.builds(p.SwitchWindow, window=texts),
    "navigate": st.builds(p.Navigate, url=names),
    "go_back": st.builds(p.GoBack),
    "go_forward": st.builds(p.GoForward),
    "tabs": st.one_of(
        st.just(p.Tabs(op="list")), st.builds(p.Tabs, op=st.just("new"), url=st.none() | texts),
        st.builds(p.Tabs, op=st.just("close"), index=st.none() | st.integers(0, 9)),
        st.builds(p.Tabs, op=st.just("select"), index=st.integers(0, 9)),
    ),
    "wait": st.builds(p.Wait, seconds=st.floats(0, 600), text=st.none() | texts, text_gone=st.none() | texts),
    "screenshot": st.builds(p.Screenshot, marks=st.lists(texts, max_size=3).map(tuple), region=st.none() | boxes),
    "upload": st.builds(p.Upload, target=targets, files=st.lists(texts, min_size=1, max_size=3).map(tuple)),
    "call_api": st.builds(p.CallApi, app=names, function=names, arguments=arguments),
    "ask_in_app_agent": st.builds(p.AskInAppAgent, app=names, request=names),
    "run_script": st.builds(p.RunScript, language=st.sampled_from(["bash", "python"]), code=texts),
    "memorize": st.builds(p.Memorize, target=some_target, name=names, value=texts),
    "answer": st.builds(p.Answer, text=texts),
    "ask_user": st.builds(p.AskUser, question=names, name=texts),
    "finish_goal": st.builds(p.FinishGoal, summary=texts),
    "fail_goal": st.builds(p.FailGoal, reason=texts),
    "x-other.verb": st.builds(p.Extension, action_type=st.just("x-other.verb"), target=some_target, arguments=arguments),
}  # fmt: skip
every_action = st.one_of(*KINDS.values())
