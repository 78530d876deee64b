"""What holds for every dialect: exact where no loss is declared, honest where one is, and one typed error for all else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from written.actions import HOSTILE, every_action
from written.dialect_cases import Case, cases

from protocol import Action, BoundingBox, Click, GUIElement, Type, VisualState
from protocol.dialects import NAMES, Context, Dialect, DialectError, dialect
from protocol.dsl import parse_line
from protocol.model.verbs import Extension

SPOKEN = [(name, variant) for name in NAMES for variant in dialect(name).variants]
IDS = [f"{name}-{variant}" if variant else name for name, variant in SPOKEN]
FIRST_QUICK = [
    pytest.param(name, variant, marks=[] if variant == dialect(name).variants[0] else [pytest.mark.slow("a large sample")])
    for name, variant in SPOKEN
]
ELEMENTS = tuple(
    GUIElement(
        element_id=str(n),
        text=f"Thing {n}",
        role="button",
        track_id=f"t{n}",
        bbox=BoundingBox(x1=100 * n, y1=50, x2=100 * n + 80, y2=90),
    )
    for n in range(1, 9)
)
SEEN = VisualState(elements=ELEMENTS)
contexts = st.sampled_from(
    [{}, {"state": SEEN}, {"image": (1024, 640)}, {"state": SEEN, "image": (999, 777)}, {"screen": (1920, 1080)}]
)
aimed = st.sampled_from(ELEMENTS).map(lambda e: {"element_id": e.element_id})
near = every_action.flatmap(
    lambda action: (
        st.just(action)
        if action.target is None
        else aimed.map(lambda target: type(action).model_validate({**action.__dict__, "target": target}))
    )
)


@pytest.mark.parametrize(("name", "variant"), SPOKEN, ids=IDS)
@given(action=every_action | near, given_context=contexts)
def test_what_is_written_without_loss_is_read_back_exactly(
    name: str, variant: str, action: Action, given_context: dict[str, Any]
) -> None:
    spoken, context = dialect(name), Context(**given_context, variant=variant)
    try:
        written = spoken.write(action, context)
    except DialectError:
        return
    payload = written.payload if isinstance(written.payload, str) else json.loads(json.dumps(written.payload))
    read = spoken.read(payload, context)
    if not written.losses:
        assert (read.actions, read.losses) == ([action], [])
    assert read.actions, "what was written means nothing"
    assert all(loss.what and loss.why for loss in (*written.losses, *read.losses))


@pytest.mark.parametrize("case", cases("both"), ids=lambda case: case.name)
def test_an_action_and_its_payload_are_the_same_in_both_directions(case: Case) -> None:
    assert dialect(case.name).read(case.payload, case.context) == (case.actions, [])
    assert dialect(case.name).write(case.actions[0], case.context) == (case.payload, [])


@pytest.mark.parametrize("case", cases("read"), ids=lambda case: case.name)
def test_other_spellings_are_read(case: Case) -> None:
    assert dialect(case.name).read(case.payload, case.context) == (case.actions, [])


@pytest.mark.parametrize("case", cases("written"), ids=lambda case: case.name)
def test_what_is_said_otherwise_is_declared(case: Case) -> None:
    payload, losses = dialect(case.name).write(case.actions[0], case.context)
    assert (payload, [loss.what for loss in losses]) == (case.payload, case.lost)


words = st.one_of(
    st.sampled_from(HOSTILE), st.text(max_size=60), st.text(alphabet="click(type)[]{}'\"=,.:0123456789\n -_xy<>|/", max_size=80)
)
FIELDS = [
    "action", "action_type", "type", "name", "args", "arguments", "parameters", "function", "x", "y", "coordinate", "text",
    "keys", "id", "actions", "tool_calls", "element_id", "index", "direction", "status", "Function", "Args", "Status",
]  # fmt: skip
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS) | words, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("name", "variant"), FIRST_QUICK, ids=IDS)
@given(payload=words | json_like, state=st.booleans())
@example(payload="[" * 100_000, state=False)
@example(payload="{" * 100_000, state=False)
@example(payload='{"action": ' * 5_000, state=False)
@example(payload=[[[[]]]], state=True)
@example(payload={"action": "left_click", "coordinate": [float("nan"), 10**400]}, state=False)
def test_any_payload_is_read_or_refused_with_the_one_error(name: str, variant: str, payload: Any, state: bool) -> None:
    context = Context(state=SEEN if state else None, variant=variant)
    try:
        read = dialect(name).read(payload, context)
    except DialectError:
        return
    assert read.actions or read.losses, "what was not understood became nothing"


REFUSED = [
    (spoken, payload, where, *why)
    for spoken, rows in yaml.safe_load(Path(__file__).with_name("refused.yaml").read_text()).items()
    for payload, where, *why in rows
]


@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: refused[0])
def test_what_is_not_understood_is_an_error_with_its_place(refused: tuple[Any, ...]) -> None:
    spoken, payload, where, *why = refused
    name, _, variant = spoken.partition(" ")
    with pytest.raises(DialectError) as bad:
        print(dialect(name).read(payload, Context(variant=variant or None)))
    assert bad.value.where == where
    assert all(part in str(bad.value) for part in why)


@pytest.mark.parametrize(("name", "variant"), SPOKEN, ids=IDS)
def test_nothing_understood_is_never_success_or_a_wait(name: str, variant: str) -> None:
    for nothing in ("", "   ", "{}", "I am done.", "Everything is finished!", {}, [], None, 0, {"action": None}, "null"):
        with pytest.raises(DialectError):
            print(repr(nothing), dialect(name).read(nothing, Context(variant=variant)))


@pytest.mark.parametrize(("name", "variant"), SPOKEN, ids=IDS)
def test_typed_text_is_opaque(name: str, variant: str) -> None:
    context, more = Context(state=SEEN, variant=variant), ({}, {"submit": True}, {"target": {"element_id": "1"}})
    for text, action in [(text, Type(text=text, **said)) for text in HOSTILE for said in more]:
        try:
            written = dialect(name).write(action, context)
        except DialectError:
            continue
        said = [getattr(a, "text", "") for a in dialect(name).read(written.payload, context).actions]
        kept = text in said or any(loss.what.startswith(("type.text", "text")) for loss in written.losses)
        assert kept, (written, said)


@pytest.mark.parametrize("name", NAMES)
def test_a_dialect_says_what_it_is(name: str) -> None:
    spoken: Dialect = dialect(name)
    assert spoken.name == name
    assert spoken.title
    assert spoken.variants
    with pytest.raises(DialectError, match="there is no variant"):
        spoken.write(Click(target={"point": [1, 2]}), Context(variant="no such"))


def odd_in(payload: Any) -> Iterator[Any]:
    """The payload with an object where a text or a number was, and with a key that nobody knows, once in each place."""
    for key, value in list(payload.items() if isinstance(payload, dict) else enumerate(payload)):
        for odd in odd_in(value) if isinstance(value, dict | list) else [{"odd": 1}]:
            yield {**payload, key: odd} if isinstance(payload, dict) else [*payload[:key], odd, *payload[key + 1 :]]
    if isinstance(payload, dict):
        yield {**payload, "odd": 1}


@pytest.mark.parametrize(("name", "variant"), [(name, variant) for name, variant in SPOKEN if dialect(name).kind == "json"])
@given(action=every_action | near)
def test_what_is_odd_in_a_payload_never_makes_another_action_of_it(name: str, variant: str, action: Action) -> None:
    spoken, context = dialect(name), Context(state=SEEN, variant=variant)
    try:
        payload = json.loads(json.dumps(spoken.write(action, context).payload))
        meant = spoken.read(payload, context).actions
    except DialectError:
        return
    for odd in odd_in(payload) if not isinstance(payload, str) else ():
        try:
            read = spoken.read(odd, context).actions
        except DialectError:
            continue
        assert read == meant or "odd" in str([one.dump() for one in read]), odd


UNSAYABLE = {
    "anthropic": """back-click at (1, 2); mouse down right; right-drag at (1, 2) to (3, 4); press ControlOrMeta+a; click "Save";
        click at (-1, 2); x-anthropic.dance; x-anthropic.cursor_position {"a": 1}; x-anthropic.left_click at (10, 20)""",
    "openai": """right-drag at (1, 2) to (3, 4); press AudioVolumeUp; click "Save"; x-openai.dance;
        x-openai.pending_safety_checks; x-openai.pending_safety_checks {"checks": [], "more": 1}""",
    "gemini": """right-click at (1, 2); type "a"; mouse down left; scroll down 0; x-gemini.list_apps; x-gemini.search {"q": "a"};
        x-gemini.safety_decision""",
    "gemini 3.5": 'back-click at (1, 2); mouse down left; x-gemini.search; scroll down 900000 px in at (1, 2); click "Save"',
    "qwen": """back-click at (1, 2); right-drag at (1, 2) to (3, 4); press AltGraph; x-qwen.dance; x-qwen.left_click at (1, 2);
        click "Save"; x-qwen.left_click {"text": "ctrl"}; x-qwen.left_click_drag""",
    "ui_tars": """middle-click at (1, 2); scroll down 0; press ControlOrMeta+a; click "Save";
        mouse down forward at (1, 2); x-ui_tars.click {"start_box": "(1,2)"}; x-ui_tars.open_computer {"no name": "x"}""",
    "computer_13": "back-click at (1, 2); forward-click at (1, 2)",
    "pyautogui": """back-click at (1, 2); press "é"; x-pyautogui.click {"x": 1, "y": 2}; x-pyautogui.move {"speed": 1};
        x-pyautogui.alert {"text": 1000000000000000000000000000000}""",
    "agentnet": """mouse down left at (1, 2); key down Shift; hold Shift for 1 s; Control-click at (1, 2); back-click at (1, 2);
        x-agentnet.home {"far": true}; x-agentnet.swipe {"from_coord": [2, 2], "to_coord": [0, 0]}""",
    "browsergym": """triple-click #a51; back-click #a51; mouse down left; fill at (1, 2) with "x"; select "a" at (1, 2);
        x-browsergym.click on #a51; x-browsergym.focus {"text": "x"} on #a51; x-browsergym.focus at (1, 2);
        x-browsergym.keyboard_insert_text""",
    "webarena": """type "nowhere"; press Enter in #1; finish "N/A"; double-click #1; right-click #1; Control-click #1;
        new tab "https://example.org"; close tab 1; scroll left 1 page""",
    "androidworld": """right-click at (1, 2); triple-click at (1, 2); Shift-click at (1, 2); press Control+c;
        x-androidworld.navigate_home {"a": 1}; x-androidworld.unknown""",
    "playwright_mcp": """back-click #e12; Shift-click at (10, 20); Shift-hover #e12; fill at (1, 2) with "x";
        x-playwright_mcp.take_screenshot; x-playwright_mcp.click {"target": "e1"}; x-playwright_mcp.fly""",
    "playwright_python": """list tabs; back-click css "#a"; fill at (1, 2) with "x"; x-playwright_python.click on css "#a";
        x-playwright_python.check; x-playwright_python.reload {"soon": true}; x-playwright_python.expect {"text": "import os"};
        x-playwright_python.expect {"text": "expect(page).to_be(1)\\npage.go_back()"};
        x-playwright_python.dialog {"answer": "accept(), page.go_back"}""",
    "openadapt": """middle-click at (1, 2); right-drag at (1, 2) to (3, 4); type ""; press a+b; press ControlOrMeta+a;
        click "Save"; x-openadapt.close_app {"app_name": 7}; x-openadapt.click""",
    "openadapt dsl": "middle-click at (1, 2); press a+b",
    "omnimcp": 'press a+b; click css "#save"; x-omnimcp.dance',
    "omnimcp plan": 'press a+b; click css "#save"; scroll down 1; fail; right-click #7; hover #7',
    "omnimcp decision": 'press a+b; click css "#save"; hover #7',
    "ufo": """forward-click #12; Meta-click #12; scroll left 1; scroll down 1 at (1, 1); type ""; call excel.insert_table();
        Control-click at (0.5, 0.5) norm1; x-ufo.click_input; drag "a" to at (1, 2)""",
    "ufo ufo2": 'Meta-click #12; open "calc"; scroll left 1; wait 301 s',
}
"""What a dialect has the verb for, and cannot say all the same. Verbs that it lacks stand in its page's table of losses."""


@pytest.mark.parametrize("spoken", UNSAYABLE)
def test_what_a_verb_cannot_say_is_refused(spoken: str) -> None:
    name, _, variant = spoken.partition(" ")
    for line in UNSAYABLE[spoken].split(";"):
        with pytest.raises(DialectError):
            print(line, dialect(name).write(parse_line(line.replace("\n", " ")), Context(variant=variant or None)))


@pytest.mark.parametrize(("name", "variant"), SPOKEN, ids=IDS)
def test_somebody_elses_verb_is_refused(name: str, variant: str) -> None:
    if name == "langchain":
        return  # it carries our own actions whole
    with pytest.raises(DialectError):
        dialect(name).write(Extension(action_type="x-other.verb"), Context(state=SEEN, variant=variant))


def test_an_unknown_dialect_is_named() -> None:
    with pytest.raises(DialectError, match="there is no such dialect"):
        dialect("klingon")
