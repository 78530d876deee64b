"""What holds for every dialect: exact where no loss is declared, honest where one is, and one typed error for all else."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from written.actions import HOSTILE, every_action
from written.dialect_cases import Case, cases

from protocol import Action, BoundingBox, Click, GUIElement, Type, VisualState
from protocol.dialects import NAMES, Context, Dialect, DialectError, dialect
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


def each_case(section: str) -> Any:
    return pytest.mark.parametrize("case", cases(section), ids=lambda case: case.name)


@each_case("both")
def test_an_action_and_its_payload_are_the_same_in_both_directions(case: Case) -> None:
    assert dialect(case.name).read(case.payload, case.context) == (case.actions, [])
    assert dialect(case.name).write(case.actions[0], case.context) == (case.payload, [])


@each_case("read")
def test_other_spellings_are_read(case: Case) -> None:
    actions, losses = dialect(case.name).read(case.payload, case.context)
    assert (actions, [loss.what for loss in losses]) == (case.actions, case.told)


@each_case("written")
def test_what_is_said_otherwise_is_declared(case: Case) -> None:
    payload, losses = dialect(case.name).write(case.actions[0], case.context)
    assert (payload, [loss.what for loss in losses]) == (case.payload, case.told)


@each_case("refused")
def test_what_is_not_understood_is_an_error_with_its_place(case: Case) -> None:
    with pytest.raises(DialectError) as bad:
        print(dialect(case.name).read(case.payload, case.context))
    where, *why = case.told
    assert bad.value.where == where
    assert all(part in str(bad.value) for part in why)


@each_case("unsayable")
def test_what_a_verb_cannot_say_is_refused(case: Case) -> None:
    """What a dialect has the verb for. Verbs that it lacks stand in its page's table of losses."""
    with pytest.raises(DialectError):
        print(dialect(case.name).write(case.actions[0], case.context))


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
@example(payload='<tool_call>{"action": "wait", "time": ' + "1" * 9_000, state=False)
@example(payload="click(" + "[" * 9_000, state=False)
@example(payload='Action: {"a": ' + "[" * 9_000, state=False)
@example(payload="x" * 1_000_001, state=False)
def test_any_payload_is_read_or_refused_with_the_one_error(name: str, variant: str, payload: Any, state: bool) -> None:
    context = Context(state=SEEN if state else None, variant=variant)
    try:
        read = dialect(name).read(payload, context)
    except DialectError:
        return
    assert read.actions or read.losses, "what was not understood became nothing"


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


@pytest.mark.parametrize(("name", "variant"), SPOKEN, ids=IDS)
def test_somebody_elses_verb_is_refused(name: str, variant: str) -> None:
    if name == "langchain":
        return  # it carries our own actions whole
    with pytest.raises(DialectError):
        dialect(name).write(Extension(action_type="x-other.verb"), Context(state=SEEN, variant=variant))


def test_an_unknown_dialect_is_named() -> None:
    with pytest.raises(DialectError, match="there is no such dialect"):
        dialect("klingon")
