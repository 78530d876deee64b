"""The narrow form holds the moves that this screen and this plan allow, and nothing else; what comes back is a decision."""

from typing import Any

import pytest
from models import SCREEN, fact, operator, prompts_of, section, step, text_of, view

from environments.cards import AppCard, KindCard, VerbCard
from protocol import AgentStatus, Fill, GUIElement, Memorize, OperatorDecision, PressKey, VisualState
from roles.contracts import EffectSeen, Expectation, FactKnown, FieldHas, OperatorView, Subtask, TextShown
from roles.contracts.orders import CollectStep, CreateStep, ReadStep, Records, RowTest
from roles.policies.llm.move_offer import Move, Moves, narrow_moves
from roles.policies.llm.prompts import load_prompt
from roles.policies.llm.reply_parsing import UnusableReply
from roles.policies.llm.subtask_words import missing_of

VERBS = ("click", "fill", "type", "select_option", "memorize", "launch_app", "scroll")
AMOUNT = FieldHas(label="Amount", value="12.00")
SUBMIT = EffectSeen(verb="submit")
END = "the job is done"


def planned(*expect: Expectation, words: str = 'Enter "12.00" into the field "Amount". Submit it.') -> Subtask:
    return Subtask(id="a", title="claim", instruction=words, app="claims", attempt=1, expect=expect)


def offered(given: OperatorView) -> Moves:
    return narrow_moves(given, [e.element_id for e in given.seen.elements], missing_of(given))


def told(given: OperatorView, *words: str) -> list[str]:
    """The moves in words, all or those that begin so."""
    lines = [line.removeprefix("- ") for line in offered(given).told.splitlines()]
    return [line for line in lines if not words or line.startswith(words)]


def screen(*more: GUIElement, **changes: Any) -> VisualState:
    """The screen with other fields of some elements (`e2={"value": "12.00"}`), and with more elements."""
    elements = tuple(e.model_copy(update=changes.get(e.element_id, {})) for e in SCREEN.elements)
    return SCREEN.model_copy(update={"elements": (*elements, *more)})


def button(number: int, words: str) -> GUIElement:
    return GUIElement(element_id=f"e{number}", role="button", text=words)


def rows(*texts: str) -> tuple[GUIElement, ...]:
    """A list whose entries are links."""
    whole = GUIElement(element_id="l", role="list")
    found = [whole]
    for number, text in enumerate(texts):
        found.append(GUIElement(element_id=f"r{number}", role="listitem", parent="l"))
        found.append(GUIElement(element_id=f"k{number}", role="link", text=text, parent=f"r{number}"))
    return tuple(found)


SEARCH = GUIElement(element_id="s", role="searchbox", text="Search claims", value="")


NEXT = OperatorDecision(action=PressKey(keys=("Enter",)), status=AgentStatus.CONTINUE, memory={"at": 1})


class Skills:
    """Presses Enter, and keeps what it was given as its notes."""

    def __init__(self, said: OperatorDecision = NEXT) -> None:
        self.notes: list[dict[str, Any]] = []
        self._said = said

    def decide(self, view: OperatorView) -> OperatorDecision:
        self.notes.append(view.memory)
        return self._said


def test_what_the_skills_do_next_is_the_first_move_and_their_notes_are_theirs() -> None:
    moves = iter(["press Enter", 'press button "Submit"', "press Enter"])
    model, heard = prompts_of(lambda _: {"do": {"move": next(moves)}})
    skills = Skills()
    policy = operator(model, form="narrow", prompt=load_prompt("operator", form="narrow"), skills=skills)
    memory: dict[str, Any] = {}
    verbs = []
    for _ in range(3):
        decision = policy.decide(view(verbs=("click", "press_key"), subtask=planned(), app=None, memory=memory))
        memory, verbs = decision.memory, [*verbs, decision.action.verb if decision.action else ""]
    assert verbs == ["press_key", "click", "press_key"]
    assert skills.notes == [{}, {"at": 1}, {"at": 1}], "what they did not decide they did not do"
    assert section(text_of(heard[0]), "moves").startswith("- press Enter")


def test_the_end_that_the_skills_see_is_the_first_move_and_an_action_that_is_not_the_models_is_none() -> None:
    model, heard = prompts_of(lambda _: {"do": {"move": END}})
    prompt = load_prompt("operator", form="narrow")
    finished = Skills(OperatorDecision(status=AgentStatus.FINISH, reasoning="all of it"))
    assert operator(model, form="narrow", prompt=prompt, skills=finished).decide(view()).reasoning == "all of it"
    assert section(text_of(heard[0]), "moves").splitlines().count(f"- {END}") == 1
    operator(model, form="narrow", prompt=prompt, skills=Skills()).decide(view(verbs=("click",)))
    assert "press Enter" not in text_of(heard[1])


def test_a_job_without_a_plan_may_do_whatever_the_screen_allows() -> None:
    given = view(verbs=VERBS, app=None, subtask=planned())
    assert 'write into textbox "Amount": a text of yours' in told(given)
    assert 'write at the end of textbox "Amount": a text of yours' in told(given)
    assert {'choose "Travel" in combobox "Category"', "go to the application mail", "scroll down", END} <= set(told(given))
    assert not told(given, "drag")


def test_a_field_that_the_plan_wants_filled_in_comes_before_all_else() -> None:
    assert told(view(verbs=VERBS, subtask=planned(AMOUNT, SUBMIT))) == ['write "12.00" into textbox "Amount"']


def test_a_fact_is_named_and_not_copied() -> None:
    given = view(verbs=VERBS, subtask=planned(FieldHas(label="Amount", fact="total"), SUBMIT), facts=(fact("total", "$7.00"),))
    (only,) = told(given)
    assert only == 'write the fact "total" into textbox "Amount"'
    action = offered(given).read({"do": {"move": only}}, given).action
    assert isinstance(action, Fill)
    assert action.text == "$7.00"


def test_what_is_added_stands_below_what_the_field_held() -> None:
    wanted = FieldHas(label="Amount", value="and more", beside=True)
    given = view(verbs=VERBS, subtask=planned(wanted), seen=screen(e2={"value": "what was there"}))
    (only,) = told(given)
    action = offered(given).read({"do": {"move": only}}, given).action
    assert isinstance(action, Fill)
    assert action.text == "what was there\nand more"


def test_what_commits_comes_after_the_fields_and_the_end_after_what_commits() -> None:
    filled = view(verbs=VERBS, subtask=planned(AMOUNT, SUBMIT), seen=screen(e2={"value": "12.00"}))
    assert 'press button "Submit"' in told(filled)
    assert not told(filled, "write", END)
    empty = view(verbs=("click",), subtask=planned(AMOUNT, SUBMIT))
    assert 'press button "Submit"' not in told(empty)
    sent = step(2, verb="submit", target="Submit", before="one", after="two")
    assert told(filled.model_copy(update={"history": (sent,)}), END)


def test_the_end_is_no_move_while_a_dialog_is_open_and_only_the_dialog_takes_input() -> None:
    dialog = GUIElement(element_id="d", role="dialog", text="Really?")
    yes = GUIElement(element_id="y", role="button", text="Yes", parent="d")
    sent = step(2, verb="submit", target="Submit", before="one", after="two")
    seen = screen(dialog, yes, e2={"value": "12.00"}).model_copy(update={"modal": "d"})
    given = view(verbs=("click", "fill"), subtask=planned(AMOUNT, SUBMIT), seen=seen, history=(sent,))
    assert told(given) == ['press button "Yes"']


def asking(*buttons: str, title: str = "Cancel order 7?") -> VisualState:
    """A dialog before an empty screen, as a browser shows it."""
    dialog = GUIElement(element_id="d", role="dialog", text=title)
    inside = [GUIElement(element_id=f"b{n}", role="button", text=words, parent="d") for n, words in enumerate(buttons)]
    return VisualState(app="claims", elements=(dialog, *inside), modal="d")


def test_the_question_that_the_deed_of_a_job_brings_up_is_answered_by_going_on_with_it() -> None:
    words = 'Open the order for "Red Lamp". Perform "cancel" on the order for "Red Lamp".'
    wanted = planned(EffectSeen(verb="cancel"), words=words)
    click = {"action_type": "click", "target": {"text": "Cancel order"}}
    pressed = step(2, action=click, target="Cancel order", before="one", after="two")
    changes: dict[str, Any] = {"verbs": ("click",), "subtask": wanted}
    asked = view(seen=asking("Go back", "Cancel order"), history=(pressed,), **changes)
    assert told(asked) == ['press button "Cancel order"']
    plain = view(seen=asking("Cancel", "Yes"), history=(pressed,), **changes)
    assert told(plain) == ['press button "Yes"']
    other = step(2, action={"action_type": "click", "target": {"text": "My orders"}}, target="My orders")
    unasked = view(seen=asking("Go back", "Cancel order"), history=(other,), **changes)
    assert told(unasked) == ['press button "Go back"'], "what it is about is not in sight, and nobody asked for this"


def test_kinds_of_things_that_are_handed_in_need_not_be_in_sight_and_nothing_is_deleted_that_nobody_named() -> None:
    words = 'Enter "12.00" into the field "Amount". Submit the "slip".'
    given = view(verbs=("click",), subtask=planned(AMOUNT, SUBMIT, words=words), seen=screen(e2={"value": "12.00"}))
    assert told(given)[0] == 'press button "Submit"'
    seen = screen(button(9, "Delete claim"), e2={"value": "12.00"})
    careful = view(verbs=("click",), subtask=planned(AMOUNT, SUBMIT), seen=seen)
    assert told(careful, "press button") == ['press button "Submit"']
    gone = view(verbs=("click",), subtask=planned(EffectSeen(verb="delete"), words='Delete the claim "12.00".'), seen=seen)
    assert 'press button "Delete claim"' in told(gone)


def test_the_name_of_a_fact_is_no_text_to_write() -> None:
    wanted = planned(EffectSeen(verb="send"), words='Post the fact "phone number" to "Ada".')
    given = view(verbs=VERBS, subtask=wanted, facts=(fact("phone number", "555"),))
    assert told(given, "write") == ['write "Ada" into textbox "Amount"', 'write the fact "phone number" into textbox "Amount"']


def test_what_stands_in_the_fields_is_handed_in_before_the_screen_is_left() -> None:
    words = 'Create a "file" with title "a.txt" with text "12.00".'
    seen = screen(button(8, "Close file"), e2={"value": "12.00"})
    written = step(2, action={"action_type": "fill", "target": {"text": "Amount"}, "text": "12.00"}, before="one", after="two")
    given = view(verbs=("click",), subtask=planned(TextShown(text="a.txt"), words=words), seen=seen, history=(written,))
    assert told(given, "press button") == ['press button "Save draft"', 'press button "Close file"']


def test_a_reading_job_hands_in_nothing_and_writes_nowhere() -> None:
    wanted = planned(FactKnown(name="claim number"), words='Read the "number" of the claim for "Berlin".')
    seen = screen(button(7, "Send"), button(8, "Delete claim"), button(9, "Back to claims"))
    given = view(verbs=VERBS, subtask=wanted, seen=seen)
    assert told(given, "press button") == ['press button "Back to claims"']
    assert not told(given, "write")


def test_a_list_is_searched_before_entries_are_opened_that_do_not_say_what_is_looked_for() -> None:
    wanted = planned(FactKnown(name="claim number"), words='Read the "number" of the claim for "Berlin".')
    unseen = view(verbs=VERBS, subtask=wanted, seen=screen(SEARCH, *rows("Paris", "Rome")))
    assert told(unseen, "search") == ['search for "Berlin" with searchbox "Search claims"']
    assert not told(unseen, "open link")
    action = {"action_type": "fill", "target": {"element_id": "s", "text": "Search claims"}, "text": "Berlin", "submit": True}
    tried = unseen.model_copy(update={"history": (step(1, action=action, before="one", after="two"),)})
    assert len(told(tried, "open link")) == 2
    assert told(tried).index('open link "Paris"') < told(tried).index('search for "Berlin" with searchbox "Search claims"')
    found = view(verbs=VERBS, subtask=wanted, seen=screen(SEARCH, *rows("Paris", "Berlin")))
    assert told(found, "open link") == ['open link "Berlin"']


def test_what_stands_under_the_label_that_is_meant_is_kept_before_all_else_and_read_by_code() -> None:
    label = GUIElement(element_id="g", role="group")
    pair = [
        GUIElement(element_id=f"p{n}", role="text", text=words, parent="g") for n, words in enumerate(["Due date", "2026-05-04"])
    ]
    wanted = planned(FactKnown(name="claim due date"), words='Read the "due date" of the "claim".')
    given = view(verbs=VERBS, subtask=wanted, seen=screen(label, *pair))
    (only,) = told(given)
    assert only == 'keep "2026-05-04", the "Due date", as "claim due date"'
    action = offered(given).read({"do": {"move": only}}, given).action
    assert isinstance(action, Memorize)
    assert (action.name, action.value) == ("claim due date", "2026-05-04")


def typed(*steps: Any, **more: Any) -> Subtask:
    """A subtask of steps, in words that name what is to be found only within the name of a fact."""
    words = 'Look up the Due date of the claim where Trip is "Berlin", remembered as "date of Berlin".'
    return planned(FactKnown(name="date of Berlin"), words=words).model_copy(update={"steps": steps, **more})


READ = ReadStep(
    app="claims",
    records=Records(app="claims", kind="claim", tests=(RowTest(label="Trip", value="Berlin"),)),
    labels=("Due date",),
    names=("date of Berlin",),
)


def test_typed_steps_tell_which_record_is_looked_for_and_under_which_label_a_fact_stands() -> None:
    listed = view(verbs=VERBS, subtask=typed(READ), seen=screen(SEARCH, *rows("Paris", "Berlin")))
    assert told(listed, "open link") == ['open link "Berlin"']
    texts = ["Trip", "Paris", "Due date", "2026-05-04", "Date of travel", "2026-06-01"]
    group = [GUIElement(element_id=f"g{n}", role="group") for n in range(3)]
    pairs = [GUIElement(element_id=f"p{n}", role="text", text=words, parent=f"g{n // 2}") for n, words in enumerate(texts)]
    other = view(verbs=VERBS, subtask=typed(READ), seen=screen(*group, *pairs))
    assert not told(other, "keep"), "this is the claim for Paris"
    pairs[1] = pairs[1].model_copy(update={"text": "Berlin"})
    meant = view(verbs=VERBS, subtask=typed(READ), seen=screen(*group, *pairs))
    assert told(meant) == ['keep "2026-05-04", the "Due date", as "date of Berlin"']


def test_what_an_attempt_that_was_given_up_left_is_read_again() -> None:
    earlier = fact("date of Berlin", "2026-01-01").model_copy(update={"subtask": "before"})
    given = view(subtask=typed(READ), facts=(earlier,))
    assert missing_of(given) == (FactKnown(name="date of Berlin"),)
    own = view(subtask=typed(READ), facts=(earlier.model_copy(update={"subtask": "a"}),))
    assert missing_of(own) == ()


def test_steps_that_make_something_new_open_nothing_that_is_there_and_no_step_starts_what_it_does_not_say() -> None:
    verb = VerbCard(verb="reply", control="Reply")
    card = AppCard(app=SCREEN.app or "", title="Claims", kinds=(KindCard(kind="claim", verbs=(verb,)),))
    seen = screen(button(9, "Reply"), button(8, "New claim"), *rows("Paris", "Berlin"))
    making = view(verbs=("click",), cards=(card,), subtask=typed(CreateStep(app="claims", kind="claim")), seen=seen)
    assert told(making, "press button") == ['press button "New claim"']
    assert not told(making, "open link")


def test_beside_what_the_skills_do_next_stand_few_moves_and_no_way_to_give_up() -> None:
    given = view(verbs=VERBS, subtask=typed(READ), seen=screen(SEARCH, *rows(*map(str, range(9)))))
    long = given.model_copy(update={"history": tuple(step(n) for n in range(1, 6))})
    moves = narrow_moves(long, [e.element_id for e in long.seen.elements], missing_of(long), NEXT).told.splitlines()
    assert (moves[0], len(moves)) == ("- press Enter", 4)
    assert not any("give up" in move for move in moves)


def test_what_was_tried_here_for_nothing_is_no_move_and_what_was_done_elsewhere_comes_last() -> None:
    here = SCREEN.state_id
    action = {"action_type": "click", "target": {"element_id": "e3", "text": "Submit"}}
    given = view(verbs=("click",), app=None, subtask=planned(), seen=screen(button(9, "Other")))
    idle = step(1, action=action, before=given.seen.state_id, after=given.seen.state_id, visible_change=False)
    assert 'press button "Submit"' not in told(given.model_copy(update={"history": (idle,)}))
    done = step(1, action=action, before=here, after="two")
    pressed = told(given.model_copy(update={"history": (done,)}), "press button")
    assert pressed[-1] == 'press button "Submit"'


def test_a_screen_that_does_not_go_on_is_not_scrolled_that_way_again() -> None:
    given = view(verbs=("scroll", "go_back", "wait"), app=None, subtask=planned(SUBMIT), seen=screen(*rows(*"abcdefgh")))
    assert told(given)[:3] == ["scroll down", "scroll up", "go back to the screen before"]
    here = {"before": given.seen.state_id, "after": given.seen.state_id, "visible_change": False}
    down = step(1, action={"action_type": "scroll", "delta": {"y": 1}}, **here)
    back = step(2, action={"action_type": "go_back"}, **here)
    assert {*told(given.model_copy(update={"history": (down, back)}))} == {"scroll up", "wait two seconds"}
    moved = step(1, action={"action_type": "scroll", "delta": {"y": 1}}, before="one", after=given.seen.state_id)
    assert "scroll down" in told(given.model_copy(update={"history": (moved,)}))


def test_what_was_done_twice_comes_last_giving_up_takes_tries_and_no_move_tells_secrets() -> None:
    given = view(verbs=("click",), app=None, subtask=planned(SUBMIT), seen=screen(button(9, "Other"), button(8, "Next")))
    twice = tuple(step(n, action={"action_type": "click", "target": {"text": "Other"}}, before=f"{n}", after="z") for n in (1, 2))
    assert 'press button "Other"' in told(given.model_copy(update={"history": twice[:1]}))
    assert 'press button "Other"' not in told(given.model_copy(update={"history": twice}))
    alone = given.model_copy(update={"seen": VisualState(app="claims", elements=(button(9, "Other"),))})
    assert 'press button "Other"' in told(alone.model_copy(update={"history": twice}))
    assert not told(view(verbs=VERBS), "give up")
    assert told(view(verbs=VERBS, history=tuple(step(n) for n in range(1, 5))), "give up")
    nothing = view(verbs=("drag",), seen=VisualState(app="claims"), subtask=planned(SUBMIT))
    assert told(nothing) == ["give up: it cannot be done"]
    secret = screen(e2={"value": "1234-5678", "private": True})
    assert "1234" not in offered(view(verbs=VERBS, app=None, subtask=planned(), seen=secret)).told


@pytest.mark.parametrize(("word", "status"), [(END, AgentStatus.FINISH), ("give up: it cannot be done", AgentStatus.FAIL)])
def test_the_end_is_a_move(word: str, status: AgentStatus) -> None:
    given = view(verbs=VERBS, app=None, subtask=planned(), history=tuple(step(n) for n in range(1, 5)))
    assert offered(given).read({"do": {"move": word}}, given).status is status


def test_moves_of_the_same_words_are_told_apart() -> None:
    moves = Moves([Move("press it", {"action": "go_back"}), Move("press it", {"action": "go_forward"})])
    given = view(verbs=("go_back", "go_forward"))
    assert moves.told.splitlines() == ["- press it", "- press it (no. 2)"]
    action = moves.read({"do": {"move": "press it (no. 2)"}}, given).action
    assert action.verb == "go_forward"


def test_a_text_that_is_the_models_own_is_asked_for_and_needed() -> None:
    given = view(verbs=("fill",), app=None, subtask=planned())
    move = 'write into textbox "Amount": a text of yours'
    forms = offered(given).schema["properties"]["do"]["anyOf"]
    assert [form["required"] for form in forms if form["properties"]["move"]["enum"] == [move]] == [["move", "text"]]
    with pytest.raises(UnusableReply, match='needs "text"'):
        offered(given).read({"do": {"move": move}}, given)
    action = offered(given).read({"do": {"move": move, "text": "7"}}, given).action
    assert isinstance(action, Fill)
    assert action.text == "7"


def test_an_unlisted_move_is_asked_for_again_and_the_other_forms_are_read() -> None:
    given = view(verbs=VERBS)
    with pytest.raises(UnusableReply, match="there is no move 'dance'"):
        offered(given).read({"do": {"move": "dance"}}, given)
    given = view(verbs=VERBS)
    decision = offered(given).read({"reasoning": "r", "action": "click", "target": "e3", "status": "CONTINUE"}, given)
    assert decision.action.verb == "click"


def test_a_narrow_operator_is_told_what_is_to_be_seen_and_asked_again_in_words() -> None:
    model, heard = prompts_of(lambda _: {"do": {"move": 'write "12.00" into textbox "Amount"'}})
    given = view(verbs=(*VERBS, "call_api"), functions=("call_api claims.new {}",), subtask=planned(AMOUNT, SUBMIT))
    prompt = load_prompt("operator", form="narrow")
    decision = operator(model, form="narrow", verbs=VERBS, prompt=prompt).decide(given)
    assert decision.action is not None
    text = text_of(heard[0])
    assert section(text, "expected").splitlines() == ['[ ] a field such as "Amount" holds "12.00"', "[ ] submit it"]
    assert section(text, "moves").splitlines() == ['- write "12.00" into textbox "Amount"']
    assert "claims.new" not in text


def test_a_narrow_operator_is_told_how_much_of_the_screen_is_not() -> None:
    model, heard = prompts_of(lambda _: {"do": {"move": 'press button "Submit"'}})
    fields = tuple(GUIElement(element_id=f"f{n}", role="textbox", text=f"Field {n}", value="v") for n in range(20))
    seen = SCREEN.model_copy(update={"elements": (*SCREEN.elements, *fields)})
    operator(model, form="narrow", prompt=load_prompt("operator", form="narrow")).decide(view(seen=seen))
    assert section(text_of(heard[0]), "screen").splitlines()[-1] == "(9 more are not shown)"


@pytest.mark.parametrize(
    ("expect", "changes", "asked"),
    [
        ((FactKnown(name="total"),), {"facts": (fact("total", "7"),), "history": (step(1),)}, 0),
        ((FactKnown(name="total"),), {"history": (step(1),)}, 1),
        ((SUBMIT,), {"history": (step(1, verb="submit", before="one", after="two"),)}, 0),
        ((SUBMIT,), {"history": (step(1, verb="submit", before="one", after="two"), step(2))}, 1),  # it went on after that
        ((SUBMIT,), {"history": (step(1, verb="submit", before="one", after="two"),), "memory": {"ended": 1}}, 1),  # refused
        ((TextShown(text="Claim"),), {"history": (step(1, verb="save", target="Save"),)}, 0),
        ((), {"history": (step(1),)}, 1),
    ],
)
def test_what_was_planned_ends_without_a_question_once_it_is_seen_to_be_complete(
    expect: tuple[Expectation, ...], changes: dict[str, Any], asked: int
) -> None:
    model, heard = prompts_of(lambda _: {"reasoning": "r", "action": "none", "status": "FINISH"})
    policy = operator(model, form="narrow", prompt=load_prompt("operator", form="narrow"))
    assert policy.decide(view(subtask=planned(*expect), **changes)).status is AgentStatus.FINISH
    assert len(heard) == asked


FINISHED = OperatorDecision(status=AgentStatus.FINISH, reasoning="all of it", memory={"at": 1})
COLLECT = CollectStep(records=Records(app="mail", kind="message"), name="letters")


@pytest.mark.parametrize(
    ("known", "subtask", "changes", "asked"),
    [
        (FINISHED, planned(), {"history": (step(1),)}, 0),
        (FINISHED, planned(SUBMIT), {"history": (step(1),)}, 1),  # what is expected was not seen
        (FINISHED, planned(), {"history": (step(1),), "memory": {"ended": 1}}, 1),  # its gate had it go on
        (FINISHED, planned(), {}, 1),  # nothing was done yet
        (NEXT, typed(COLLECT), {}, 0),
        (NEXT, typed(COLLECT, ReadStep(app="mail", names=("total",), labels=("Total",))), {}, 1),
        (NEXT, planned(), {}, 1),
    ],
)
def test_a_model_is_not_asked_where_nothing_is_left_to_do_or_a_table_is_collected(
    known: OperatorDecision, subtask: Subtask, changes: dict[str, Any], asked: int
) -> None:
    model, heard = prompts_of(lambda _: {"do": {"move": "press Enter" if known is NEXT else END}})
    policy = operator(model, form="narrow", prompt=load_prompt("operator", form="narrow"), skills=Skills(known))
    decision = policy.decide(view(subtask=subtask, verbs=("click", "press_key"), app=None, **changes))
    assert len(heard) == asked
    if not asked:
        assert (decision.status, decision.memory["skills"]) == (known.status, {"at": 1})
