"""Key names: every spelling of the table is read as the canonical one, and nothing else is a key."""

import pytest
from pydantic import ValidationError

from protocol import Click, KeyDown, PressKey, parse_action
from protocol.model.keys import _KEYBOARDS, _ROWS, KeyNameError, canonical, chord, read_key, write_key

SPELT = [
    (keyboard, name, key)
    for key, row in _ROWS.items()
    for keyboard, cell in zip(_KEYBOARDS, row, strict=True)
    for name in cell.split()
]


def test_every_spelling_of_a_keyboard_is_read_as_its_key():
    read = [(keyboard, name, read_key(spelt, keyboard)) for keyboard, name, _ in SPELT for spelt in (name, name.swapcase())]
    assert read == [row for row in SPELT for _ in range(2)]


@pytest.mark.parametrize("keyboard", _KEYBOARDS)
def test_what_a_keyboard_writes_it_reads_back(keyboard):
    for key in [*_ROWS, *"abcZ09+-/?<_ü大"]:
        name = write_key(key, keyboard)
        if name is not None:
            back = read_key(name, keyboard)
            assert back == key or (keyboard == "android" and back == key.lower())


def test_the_same_word_may_mean_another_key_on_another_keyboard():
    assert read_key("KEYCODE_DEL", "android") == "Backspace"
    assert canonical("del") == "Delete"
    assert read_key("Next", "xdotool") == "PageDown"
    assert write_key("Meta", "openai") == "CMD"
    assert write_key("ControlOrMeta", "xdotool") is None


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ctrl+s", ("Control", "s")),
        ("Ctrl+Shift+T", ("Control", "Shift", "T")),
        ("ctrl++", ("Control", "+")),
        ("ctrl+-", ("Control", "-")),
        ("+", ("+",)),
        ("ctrl+ ", ("Control", "Space")),
        (" ", ("Space",)),
        ("Return", ("Enter",)),
        ("cmd+option+Page_Down", ("Meta", "Alt", "PageDown")),
    ],
)
def test_a_chord_in_one_word_is_taken_apart(text, keys):
    assert chord(text) == keys
    assert PressKey(keys=(text,)).keys == keys
    assert parse_action({"action_type": "press_key", "keys": text}) == PressKey(keys=keys)


@pytest.mark.parametrize("text", ["", "ctrl+", "++", "+ctrl", "ctrl+nonsense", "Entr", "ab", "\x07"])
def test_what_is_no_key_is_refused(text):
    with pytest.raises(KeyNameError):
        chord(text)
    with pytest.raises(ValidationError):
        PressKey(keys=(text,))


def test_a_refusal_names_what_was_likely_meant():
    with pytest.raises(KeyNameError, match="did you mean escap"):
        canonical("Escap")


def test_only_modifiers_are_held():
    assert Click(target={"text": "a"}, modifiers=("ctrl", "option")).modifiers == ("Control", "Alt")
    with pytest.raises(ValidationError, match="'Enter' is not a modifier"):
        Click(target={"text": "a"}, modifiers=("enter",))
    assert KeyDown(key="ctrl").key == "Control"
