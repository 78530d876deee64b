"""Every element of a screen is written, folded or counted, whatever the budget."""

from hypothesis import given
from hypothesis import strategies as st
from written.screens import anything, button, calm, counted, ids_of, same, states

from protocol import BoundingBox, GUIElement, VisualState
from protocol.prompt_form import diff_form, estimate_tokens, whole_form


@calm
@given(anything, st.one_of(st.none(), st.integers(0, 300)))
def test_every_element_is_written_folded_or_counted(state: VisualState, budget: int | None) -> None:
    form = whole_form(state, budget=budget)
    assert same([*form.written, *form.folded, *form.left_out], ids_of(state))
    assert counted(form) == len(form.left_out)
    assert f"{len(state.elements)} elements" in form.text
    assert not form.left_out or budget is not None
    if form.folded:
        assert f"({len(form.folded)} folded)" in form.text


def key(element: GUIElement) -> str:
    return element.track_id or element.element_id


@calm
@given(states(), states())
def test_a_diff_accounts_for_every_element_of_both_states(old: VisualState, new: VisualState) -> None:
    form = diff_form(old, new, budget=None)
    assert same([*form.written, *form.folded, *form.others], ids_of(new))
    if not form.whole:
        before, now = whole_form(old, budget=None), whole_form(new, budget=None)
        still = {key(new.by_id[name]) for name in now.written}
        assert same(form.removed, [name for name in before.written if key(old.by_id[name]) not in still])


@calm
@given(states(), states(), st.integers(0, 300))
def test_a_diff_over_its_budget_counts_the_rest(old: VisualState, new: VisualState, budget: int) -> None:
    form, all_of_it = diff_form(old, new, budget=budget), diff_form(old, new, budget=None)
    assert counted(form) == len(form.left_out)
    assert same([*form.written, *form.removed, *form.left_out], [*all_of_it.written, *all_of_it.removed])
    assert (form.folded, form.others) == (all_of_it.folded, all_of_it.others)


@calm
@given(states(), st.integers(0, 400))
def test_a_budget_that_holds_head_and_tail_is_kept(state: VisualState, budget: int) -> None:
    form = whole_form(state, budget=budget)
    least = whole_form(state, budget=0)
    assert form.tokens == sum(estimate_tokens(line + "\n") for line in form.text.split("\n"))
    assert form.tokens <= max(budget, least.tokens + 30)
    if budget >= least.tokens + 30:
        assert form.tokens <= budget


@calm
@given(anything)
def test_nothing_changes_from_one_writing_to_the_next(state: VisualState) -> None:
    assert whole_form(state) == whole_form(VisualState.model_validate(state.model_dump()))


def test_what_can_be_acted_on_is_kept_before_texts_and_those_before_what_is_out_of_view() -> None:
    shown = []
    for n in range(0, 90, 3):
        shown += [
            GUIElement(element_id=f"e{n}", role="text", text=f"words number {n}", bbox=BoundingBox(x1=0, y1=n, x2=9, y2=n + 2)),
            button(n + 1, f"Press {n}", y=n),
            button(n + 2, f"Far {n}", y=900 + n, visible=False),
        ]
    state = VisualState(elements=tuple(shown))
    acted = {e.element_id for e in shown if e.role == "button" and e.visible}
    texts = {e.element_id for e in shown if e.role == "text"}
    everything = whole_form(state, budget=None).tokens
    seen = set()
    for budget in range(60, everything, 40):
        form = whole_form(state, budget=budget)
        written = set(form.written)
        seen.add((acted <= written, texts <= written))
        assert not written & texts or acted <= written
        assert not written - texts - acted or texts <= written
        assert list(form.written) == [name for name in ids_of(state) if name in written], "in reading order"
    assert seen == {(False, False), (True, False), (True, True)}


def test_the_tail_tells_kinds() -> None:
    shown = [button(1), *(button(n, f"Far {n}", y=900 + n, visible=False) for n in range(2, 14))]
    shown += [GUIElement(element_id=f"e{n}", role="text", text=f"A text of some length, number {n}") for n in range(14, 39)]
    form = whole_form(VisualState(elements=tuple(shown)), budget=65)
    assert form.text.splitlines()[1:] == ['e1 button "Save" @50,110', "… 37 more: 25 text, 12 below; scroll"]


def test_a_container_is_not_left_standing_empty() -> None:
    rows = [GUIElement(element_id="l", role="list"), *(button(n, "A name of some length", parent="l") for n in range(30))]
    state = VisualState(elements=tuple(rows))
    assert "list" not in whole_form(state, budget=50).text
    assert "l list\n" in whole_form(state, budget=90).text


def test_the_counter_that_is_given_decides() -> None:
    state = VisualState(elements=tuple(button(n) for n in range(50)))
    form = whole_form(state, budget=10, count=lambda line: 1)
    assert form.tokens == 10 == len(form.text.splitlines())


def test_a_line_is_counted_once_and_long_or_deep_screens_stay_linear() -> None:
    deep = tuple(GUIElement(element_id=f"e{n}", role="list", text="x", parent=f"e{n - 1}" if n else None) for n in range(20_000))
    calls = 0

    def count(line: str) -> int:
        nonlocal calls
        calls += 1
        return len(line)

    form = whole_form(VisualState(elements=deep), budget=None, count=count)
    assert len(form.text) < 40 * len(deep)
    assert calls < 3 * len(deep)
