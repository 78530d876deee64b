"""A line that is no action: where it stops being one, what was expected there, and nothing but a DSLError."""

import pickle
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written.actions import every_action

from protocol.dsl import DSLError, emit, parse_line, parse_script
from protocol.dsl.words import ACTION, KEYWORDS, ROLES, SIGNS, TARGET, spellings

MISTAKES = [
    # line, column, message, expected
    ("click", 6, f"expected {TARGET}, not the end of the line", {TARGET}),
    ("click Save", 7, f"expected {TARGET}, not Save; a text stands in quotes", {TARGET}),
    ('click buton "Save"', 7, 'not buton; did you mean "button"?', {TARGET}),
    ("click button", 7, 'this does not say which element is meant; name it, as in button "Save"', {"a text"}),
    ('click "Save" "Send"', 14, 'not "Send"', {"more about the target", '"delay"', "the end of the line"}),
    ('click "Save" on', 14, "not on", {'"delay"', '"holding"', "the end of the line"}),
    ('clik "Save"', 1, 'there is no action "clik"; did you mean "click"?', {ACTION}),
    ('  Scrol down "x"', 3, 'there is no action "Scrol"; did you mean "scroll"?', {ACTION}),
    ('dubble-click "x"', 1, 'there is no action "dubble-click"; did you mean "double-click"?', {ACTION}),
    ("screen shot", 1, 'there is no action "screen"; did you mean "screenshot"?', {ACTION}),
    ("zzz", 1, 'there is no action "zzz"', {ACTION}),
    ('"Save"', 1, f'expected {ACTION}, not "Save"', {ACTION}),
    ("", 1, f"there is no action here; expected {ACTION}", {ACTION}),
    ("# only a comment", 1, f"there is no action here; expected {ACTION}", {ACTION}),
    ("go bck", 4, 'expected "back", "forward" or "to", not bck; did you mean "back"?', {'"back"', '"forward"', '"to"'}),
    ("ask usr 'x'", 5, 'did you mean "user"?', {'"agent"', '"the"', '"user"'}),
    ('type "x" int "Amount"', 10, 'not int; did you mean "into"?', {'"into"', '"and"', "at (x, y)"}),
    ('type "x" into', 14, f"expected {TARGET}, not the end of the line", {TARGET}),
    ('type "x" into "A" and pres Enter', 23, 'expected "press", not pres; did you mean "press"?', {'"press"'}),
    ('fill "Amount" wth "3"', 15, 'expected more about the target or "with", not wth; did you mean "with"?', {'"with"'}),
    ('fill "Amount" "3"', 15, 'expected more about the target or "with", not "3"', {'"with"'}),
    ('fill "Amount" with 3', 20, "expected a text in quotes, not 3; a text stands in quotes", {"a text in quotes"}),
    ("press", 6, "expected a key such as Enter, not the end of the line", {"a key such as Enter"}),
    ("press Ctrl+", 12, "expected a key such as Enter, not the end of the line", {"a key such as Enter"}),
    ("press Ctrl+Shfit", 12, "there is no key 'Shfit'; did you mean shift", set()),
    ('press "ctrl+shfit"', 7, "there is no key 'shfit'", set()),
    ("press Ctrl-S", 11, 'not -', {'"+"'}),
    ('key down "ctrl+s"', 10, "this is a chord, and one key is needed", {"one key"}),
    ("hold Shift", 11, 'expected "+" or "for"', {'"for"'}),
    ("scroll 3", 8, "expected up, down, left or right, not 3", {"up, down, left or right"}),
    ("scroll down -3", 13, "how far to scroll is not negative; the direction says where to", set()),
    ("scroll down 3 and up 2", 19, "one way is up or down, and the other one left or right", set()),
    ('wait for "Saved"', 6, "expected", {"a number"}),
    ("wait 700 s", 6, "seconds: input should be less than or equal to 600", set()),
    ('click "a" delay 61 s', 17, "delay: input should be less than or equal to 60", set()),
    ('click "a" delay 1 s delay 2 s', 27, "delay: this is given twice", set()),
    ('Shift-click "a" holding Ctrl', 25, "modifiers: this is given twice", set()),
    ('click "a" holding a', 19, "modifiers: 'a' is not a modifier", set()),
    ("click #1 #2", 10, "element id: this is given twice", set()),
    ("click at (1, 2", 15, 'expected ")", not the end of the line', {'")"'}),
    ("click at (1 2)", 13, 'expected ",", not 2', {'","'}),
    ("click at (3, 4) norm1", 11, "numbers in space 'norm1' lie between 0 and 1", set()),
    ("click at (1, 2) of 10", 20, "a size such as 1024x768", {"a size such as 1024x768"}),
    ("click at (9, 9999999)", 14, "y: ", set()),
    ("click box [1, 2, 3, 4] px of 3x4", 11, "a box in pixels of the screen has no size of a picture", set()),
    ("click box [1, 2, 3]", 19, 'expected ",", not ]', {'","'}),
    ("click box [1, 2.5, 3, 4]", 15, "y1: ", set()),
    ("click box [5, 2, 3, 4]", 11, "box corners are out of order", set()),
    ('click "Save', 7, "the text that starts here has no closing quote", {"a closing quote"}),
    ('type "x" into \'', 15, "the text that starts here has no closing quote", {"a closing quote"}),
    ('click "Sa\\qve"', 10, 'there is no escape "\\q"; a backslash itself is written "\\\\"', set()),
    ('click #"a\\u12"', 10, "four hexadecimal digits", set()),
    ('click "\\u{110000}"', 8, "there is no character \\u{110000}", set()),
    ("wait 0x" + "f" * 5_000 + " ms", 6, "seconds: ", set()),
    ("scroll r\u0131ght", 8, "expected up, down, left or right, not r\u0131ght", {"up, down, left or right"}),
    ("close tab x", 11, "not x", {"a number"}),
    ("close tab 1.5", 11, "index: ", set()),
    ("call billing", 13, 'expected ".", not the end of the line', {'"."'}),
    ("call a.b(1)", 10, 'expected ")" or a name such as "billing", not 1', {'")"'}),
    ('call a.b(c=1, "c"=2)', 15, "'c' is given twice", set()),
    ('call a.b(c={"d": 1, d: 2})', 21, "'d' is given twice", set()),
    ('call ""."b"()', 6, "app: ", set()),
    ("x-a.b {1: 2}", 8, "not 1", {'"}"'}),
    ('click "a"\nclick "b"', 10, "one line is one action, and here a second line starts", set()),
    ("call a.b(c=" + "[" * 300 + "]" * 300 + ")", 56, "lists and objects are nested more than 255 deep", set()),
    ("close tab " + "9" * 5_000, 11, "the number 99999999999999999999 is too large", set()),
    ("日本 " + 'click "a"', 1, 'there is no action "日本"', {ACTION}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "column", "message", "expected"), MISTAKES, ids=[line[:40] for line, *_ in MISTAKES])
def test_a_mistake_is_told_with_its_place(line: str, column: int, message: str, expected: set[str]) -> None:
    with pytest.raises(DSLError) as caught:
        parse_line(line)
    mistake = caught.value
    assert message in mistake.message
    assert (mistake.line, mistake.column) == (1, column)
    assert expected <= set(mistake.expected)
    assert bool(expected) == bool(mistake.expected)
    assert str(mistake) == f"line 1, column {column}: {mistake.message}"
    assert len(mistake.message.splitlines()) == 1


def test_the_place_is_shown_under_the_line() -> None:
    with pytest.raises(DSLError) as caught:
        parse_script('open "mail"\n\ntype "日本" int "Amount"\n')
    *_, line, caret = caught.value.pointed().splitlines()
    assert caught.value.line == 3
    assert line == '  type "日本" int "Amount"'
    assert caret == "  " + " " * len('type "____" ') + "^", "a wide sign is as wide as two"


def test_only_the_neighbourhood_of_a_mistake_in_a_long_line_is_shown() -> None:
    with pytest.raises(DSLError) as caught:
        parse_line('type "' + "x" * 10_000 + '" int "Amount"')
    _, line, caret = caught.value.pointed().splitlines()
    assert len(line) <= 102
    assert line[caret.index("^") :].startswith("int")


def test_a_mistake_can_be_sent_to_another_process() -> None:
    mistake = DSLError("no", 3, 4, ("a", "b"), "text")
    again = pickle.loads(pickle.dumps(mistake))
    assert (str(again), again.expected, again.pointed()) == (str(mistake), mistake.expected, mistake.pointed())


WORDS = [word for terminal in KEYWORDS for word in spellings(terminal)]
PIECES = [
    *WORDS, *ROLES, *SIGNS.values(), '"Save"', '"\\u12"', "'a", "#12", '#"', "@x", "@", "#", "12", "-3.5", "0x1F", "1e999", "9x9",
    "x-a.b", "click(", "type(", "Shift-", "right-", "Ctrl+", "+", "\n", "“a”", "\\", '"', "[[[", '{"a":', "9" * 5_000,
    "0x" + "f" * 5_000, "r\u0131ght", "\u017f", "ctrl -\u3000", "\u3000",
]  # fmt: skip
some_words = st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)


def mistake_in(text: str) -> DSLError | None:
    """Where a script is wrong; nothing else may be raised, and what is understood can be written."""
    try:
        script = parse_script(text)
    except DSLError as mistake:
        return mistake
    for line in script:
        assert parse_line(emit(line.action)) == line.action
    return None


def read(text: str) -> None:
    """Understood as actions, or refused with a place that exists."""
    mistake = mistake_in(text)
    if mistake is not None:
        assert text.split("\n")[mistake.line - 1].removeprefix("\ufeff").rstrip("\r\n") == mistake.text
        assert 1 <= mistake.column <= len(mistake.text) + 1
        assert len(mistake.pointed().splitlines()) == 3


@given(some_words | st.text() | st.text("\"'#@()[]{}+-=,.:\\ \tclickat12\n"))
def test_whatever_is_read_is_understood_or_refused(line: str) -> None:
    read(line)


@given(every_action.map(emit), st.data())
def test_a_line_with_a_scratch_is_understood_or_refused(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, min(len(line), start + 6)))
    read(line[:start] + data.draw(st.text(max_size=3) | st.sampled_from(PIECES)) + line[end:])


GROWING: dict[str, Callable[[int], str]] = {
    "escapes": lambda n: 'type "' + "\\n" * n + '"',
    "escapes without an end": lambda n: 'type "' + "\\n" * n,
    "quotes": lambda n: "type " + "\"'" * n,
    "a list": lambda n: "call a.b(c=[" + "1," * n + "])",
    "an object": lambda n: "call a.b(c={" + ",".join(f'"{i}":1' for i in range(n)) + "})",
    "brackets that open": lambda n: "call a.b(c=" + "[" * n,
    "brackets that close": lambda n: "call a.b(c=" + "[" * n + "]" * n + ")",
    "digits": lambda n: "wait " + "9" * n,
    "blanks": lambda n: "click" + " " * n + "x",
    "prefixes": lambda n: "ctrl-" * n + "click",
    "keys": lambda n: "press " + "a+" * n + "b",
    "words": lambda n: "click " + "button " * n,
    "points": lambda n: 'drag "a" to "b" via ' + ", ".join(["(1, 2)"] * n),
    "hashes": lambda n: "go back " + "#a " * n,
    "a name that may be a call": lambda n: "a" * n + " " * n,
}


@pytest.mark.parametrize("shape", GROWING)
def test_twice_as_much_takes_about_twice_as_long(shape: str) -> None:
    def cost(size: int) -> float:
        line = GROWING[shape](size)
        started = time.process_time()
        with pytest.raises(DSLError):
            parse_line(line + " }")
        return time.process_time() - started

    cost(10)
    ratios = []
    for _ in range(6):
        ratios.append(cost(8_000) / (cost(2_000) + 1e-3))
        if ratios[-1] < 8:  # four times as much; sixteen would be quadratic
            return
    pytest.fail(f"never near four: {ratios}")
