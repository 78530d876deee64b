"""Values between limits: whatever happens to them, they stay within and on a step."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from environments.simulated.input.pointer import number, refusal, share, snapped, stepped, written
from environments.simulated.screen.widgets import slider, spinbutton

LIMITS = st.tuples(st.integers(-500, 500), st.integers(0, 900), st.sampled_from([1, 2, 5, 0.5, 0.25, 7, 10])).map(
    lambda parts: (parts[0], parts[0] + parts[1], parts[2])
)
KEYS = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End")


def is_one(value: str, limits) -> bool:
    """Whether a slider with these limits can have this value."""
    low, high, step = (Decimal(str(part)) for part in limits)
    there = Decimal(value)
    return low <= there <= high and (there - low) % step == 0


@given(LIMITS, st.lists(st.sampled_from(KEYS), max_size=12), st.text(max_size=6))
def test_keys_never_leave_the_limits_nor_the_steps(limits, keys, start):
    value = start
    for make in (slider, spinbutton):
        for key in keys:
            after = stepped(make("Size", "size", value, limits), key)
            if after is not None:
                assert is_one(after, limits)
                value = after


@given(LIMITS, st.decimals(-2000, 2000, places=2))
def test_the_nearest_value_is_one_that_can_be_filled_in(limits, wanted):
    value = snapped(wanted, limits)
    widget = slider("Size", "size", value, limits)
    assert refusal(widget, value) == ""
    assert 0 <= share(widget) <= 1
    if refusal(widget, written(wanted)) == "":
        assert Decimal(value) == wanted


@given(st.text(max_size=12))
def test_any_text_is_a_number_that_is_written_the_same_or_none(text):
    value = number(text)
    if value is not None:
        assert number(written(value)) == value
    assert number("NaN") is number("Infinity") is None
