"""What a page answers to a press: it did not do it, took it back, did it to another record, or asked and was told no."""

import pytest

from protocol import GUIElement, VisualState
from roles.contracts import StepRecord
from roles.screen.answers import called_off, is_taken_back, refusal, tells_another, unshown

FORM = [GUIElement(element_id="n", role="textbox", text="Name"), GUIElement(element_id="b", role="button", text="Send")]
MORE = GUIElement(element_id="m", role="button", text="Plan A")


def said(words: str, role: str = "text", more: tuple[GUIElement, ...] = (), value: str = "", goal: str = "Send Ada") -> str:
    """What a page is taken to say against a press after which these words are new."""
    form = [FORM[0].model_copy(update={"value": value or "Ada"}), FORM[1]]
    new = GUIElement(element_id="t", role=role, text=words)
    return refusal(VisualState(elements=form), VisualState(elements=[*form, *more, new]), goal, "Send")


@pytest.mark.parametrize(
    ("words", "role"),
    [
        ("Choose a file first", "alert"), ("Verify the card first", "status"), ("Log in first.", "text"),
        ("Not saved: the name is too long", "status"), ("Sorry, seat B1 has just been sold.", "status"),
        ("The postcode has four digits", "status"), ("Use at least 8 characters", "status"), ("This field is required", "text"),
        ("Your card was declined.", "alert"), ("Failed to save", "status"), ("This slot is no longer available", "status"),
        ("File type not supported", "alert"), ("You have reached your limit", "status"), ("Maximum 3 items each", "status"),
        ("Please select a size", "text"), ("Enter your name", "paragraph"), ("Confirm that you are not a robot", "text"),
        ("To complete it, accept the terms", "status"), ("Press Send when ready", "text"), ("Almost done: a date", "text"),
        ("500 Internal Server Error", "heading"), ("Your changes were not saved", "text"), ("Name must not be empty", "text"),
    ],
)  # fmt: skip
def test_a_page_that_stays_and_asks_for_something_has_said_no(words: str, role: str) -> None:
    assert said(words, role) == words


def test_what_comes_next_or_was_written_is_no_refusal() -> None:
    assert said("Please select a size", more=(MORE, MORE.model_copy(update={"element_id": "m2"}))) == "", "the page went on"
    assert said("Please call Ann first", "listitem", value="Please call Ann first") == "", "the user's own words"
    for words in ("Saving, please wait", "Added to the cart", "Complete", "Sent. Check your inbox", "Thank you, it was saved"):
        assert said(words, "status") == "", words
    for words in ("Invitation declined", "Order cancelled", "User blocked"):
        assert said(words, "status", goal=f"Press {words}") == "", f"{words}: it is what was wanted"
    assert said("Out of stock", goal="Press it") == "", "a description"


def test_what_a_page_said_before_is_no_answer_and_what_is_new_is_one_also_without_a_form() -> None:
    plain, no = VisualState(elements=FORM[1:]), GUIElement(element_id="t", role="text", text="Please choose a size")
    told = VisualState(elements=[FORM[1], no])
    assert (refusal(plain, told), refusal(told, told)) == (no.name, "")


def kept(words: str, role: str = "text", value: str = "Ada") -> str:
    """What is taken for a no beside a form that keeps what was written."""
    form = [FORM[0].model_copy(update={"value": value, "focused": True}), FORM[1]]
    new = GUIElement(element_id="t", role=role, text=words)
    return refusal(VisualState(elements=form), VisualState(elements=[*form, new]), f"Sign up as {value}", "Send")


@pytest.mark.parametrize(
    ("words", "role"),
    [
        ("Your plan allows 3 members", "text"), ("Somebody has that name", "text"), ("Names are three letters or longer", "text"),
        ("You have something else then", "alert"), ("We do not know this code", "status"), ("Ada is taken", "text"),
        ("A person called Ada is here", "text"),
    ],
)  # fmt: skip
def test_a_form_that_keeps_what_was_written_is_done_only_where_the_page_confirms_it(words: str, role: str) -> None:
    assert kept(words, role) == words
    assert kept("Page 2 of 3") == "Page 2 of 3"
    for done in ("Message sent", "Hello, Ada", "Sum: 12", "3 results", "Sending…"):
        assert kept(done) == "", done
    assert kept("10% off", "status") == ""
    assert kept("Edit person", "heading") == ""
    assert kept("no olives|large", value="no olives") == "", "the user's own words"
    assert kept("no olives: not available", value="no olives") == "no olives: not available"
    assert kept("What this is about", value="") == "", "nothing was written"


@pytest.mark.parametrize(
    ("goal", "pressed", "said"),
    [("Decline the meeting", "", ""), ("Book the meeting", "Book", "Declined"), ("Turn it down", "Decline", "")],
)
def test_a_word_against_it_is_none_where_the_goal_or_the_control_asks_for_it(goal: str, pressed: str, said: str) -> None:
    lines = [GUIElement(element_id=f"t{n}", role="text", text=text) for n, text in enumerate(("Declined", "Planning"))]
    assert refusal(VisualState(elements=[FORM[1], lines[1]]), VisualState(elements=[FORM[1], *lines]), goal, pressed) == said


def test_where_much_is_taken_away_a_page_says_that_nothing_is_left() -> None:
    lines = [GUIElement(element_id=f"t{n}", role="text", text=text) for n, text in enumerate(("Tea", "Milk", "No history"))]
    assert refusal(VisualState(elements=[FORM[1], *lines[:2]]), VisualState(elements=[FORM[1], lines[2]]), "Clear it") == ""
    assert refusal(VisualState(elements=[FORM[1]]), VisualState(elements=[FORM[1], lines[2]]), "Clear it") == "No history"


def table(*rows: tuple[str, str], more: str = "") -> VisualState:
    """Parcels with a button each, and what the page says."""
    elements = [GUIElement(element_id=f"h{n}", role="columnheader", text=text) for n, text in enumerate(("No", "State"))]
    for n, cells in enumerate(rows):
        elements.append(GUIElement(element_id=f"r{n}", role="row"))
        elements += [GUIElement(element_id=f"c{n}{k}", role="cell", text=text, parent=f"r{n}") for k, text in enumerate(cells)]
        elements.append(GUIElement(element_id=f"b{n}", role="button", text="Ship", parent=f"r{n}"))
    if more:
        elements.append(GUIElement(element_id="m", role="text", text=more))
    return VisualState(elements=elements)


def test_a_record_is_another_only_where_it_is_seen_to_be() -> None:
    before = table(("A-1", "waiting"), ("A-2", "waiting"))
    target = before.by_id["b1"]
    assert unshown(target, before, table(("A-1", "waiting"), ("A-2", "shipped"))) == ""
    assert unshown(target, before, table(("A-1", "waiting"))) == "", "it left the list"
    assert "another record" in unshown(target, before, table(("A-1", "shipped"), ("A-2", "waiting"), more="Shipped"))
    for only_said in ("", "A-2 is on its way", "Shipped"):
        assert "stands there as it was" in unshown(target, before, table(("A-1", "waiting"), ("A-2", "waiting"), more=only_said))
    plain = table(("Abel", "-20"), ("Baker", "17"))
    plain = plain.model_copy(update={"elements": tuple(e for e in plain.elements if e.role != "columnheader")})
    told = GUIElement(element_id="m", role="status", text="A reminder went to Abel")
    assert unshown(plain.by_id["b0"], plain, plain.model_copy(update={"elements": (*plain.elements, told)})) == ""


def test_what_a_page_undoes_by_itself_is_taken_back_and_what_it_only_stops_saying_is_not() -> None:
    before, after = table(("A-1", "waiting"), ("A-2", "waiting")), table(("A-1", "shipped"), ("A-2", "waiting"))
    assert is_taken_back((before, after), [(after, after), (after, before)])
    assert not is_taken_back((before, after), [(after, after)])
    told = table(("A-1", "waiting"), ("A-2", "waiting"), more="Thank you")
    assert not is_taken_back((before, told), [(told, before)])


def step(n: int, target: str, *events: str, **more: str) -> StepRecord:
    action = {"action_type": "click", "target": {"text": target}}
    told = {"app": "browser", "verb": "click", "exec_status": "executed", "before": f"s{n}", "after": f"s{n + 1}"}
    return StepRecord(step=n, subtask="s1", action=action, target=target, visible_change=True, events=events, **(told | more))


ASKED = step(1, "Remove", "popup: The page asks - Delete all?")


@pytest.mark.parametrize("no", ["Cancel", "Stay", "No", "Keep the photos"])
def test_what_was_told_no_was_called_off(no):
    assert called_off(ASKED, [ASKED, step(2, no)]) == f'the page asked "The page asks - Delete all?", and the answer was "{no}"'


def test_what_was_told_yes_was_not_unless_the_page_asked_on_and_was_told_no():
    yes = step(2, "OK", "popup: The page asks - And pay?")
    assert called_off(ASKED, [ASKED, step(2, "OK")]) == ""
    assert '"The page asks - And pay?"' in called_off(ASKED, [ASKED, yes, step(3, "Cancel")])


def test_closing_an_advertisement_calls_nothing_off():
    assert called_off(ASKED, [ASKED, step(2, "No thanks")]) == ""
    assert called_off(step(1, "Save"), [step(1, "Save"), step(2, "Cancel")]) == ""


@pytest.mark.parametrize(
    ("chosen", "words", "said"),
    [
        ("Pottery", "You are registered for Baking", True), ("Pottery", "You are registered for Pottery for kids", True),
        ("Pottery for kids", "You are registered for Pottery for kids", False), ("Pottery", "You are registered", False),
        ("Pottery", "Baking begins at 10", False),
    ],
)  # fmt: skip
def test_a_page_that_did_it_with_another_option_says_so(chosen: str, words: str, said: bool) -> None:
    choice = GUIElement(element_id="c", role="combobox", value=chosen, options=("Baking", "Pottery", "Pottery for kids"))
    before, new = VisualState(elements=[choice]), GUIElement(element_id="t", role="status", text=words)
    assert tells_another(before, VisualState(elements=[choice, new]), "Register") == words * said
