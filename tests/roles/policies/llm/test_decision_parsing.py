"""A model's JSON becomes a decision only if every name in it is one that there is."""

from typing import Any

import pytest
from models import fact, view

from protocol import AgentStatus, AskUser, Click, Fill, Memorize, OperatorDecision, Scroll, SelectOption
from roles.contracts import AppWords
from roles.policies.llm.decision_parsing import read_decision
from roles.policies.llm.reply_parsing import UnusableReply
from roles.skills.contract import Skill


def read(**data: Any) -> OperatorDecision:
    return read_decision({"reasoning": "r", "status": "CONTINUE", **data}, view())


@pytest.mark.parametrize("target", ["e3", "[e3]", "#e3", " e3 ", "Submit", {"element_id": "e3"}, {"text": "Submit"}])
def test_a_target_is_an_id_or_words_and_becomes_every_locator(target: Any) -> None:
    action = read(action="click", target=target).action
    assert isinstance(action, Click)
    assert action.target
    assert (action.target.element_id, action.target.text) == ("e3", "Submit")
    assert action.target.bbox is not None


@pytest.mark.parametrize(
    "data",
    [
        {"action": {"action_type": "click", "target": {"element_id": "e3"}}, "status": "CONTINUE"},
        {"reasoning": "r", "action": {"type": "click", "target_id": "e3"}, "is_goal_complete": False},
        {"Observation": "o", "Thought": "t", "ControlLabel": "e3", "ControlText": "Submit", "Function": "click_input",
         "Args": {"button": "left", "double": False}, "Status": "CONTINUE", "Plan": [], "Comment": ""},
        {"action": "click", "target": "e3", "status": "CONTINUE", "why": "an unknown field says nothing"},
        {"action": 'click button "Submit"', "status": "CONTINUE"},
    ],
)  # fmt: skip
def test_the_forms_of_others_are_read_too(data: dict[str, Any]) -> None:
    decision = read_decision(data, view())
    assert isinstance(decision.action, Click)
    assert decision.action.target
    assert decision.action.target.element_id == "e3"
    assert decision.status is AgentStatus.CONTINUE


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"action": "click", "target": "e99"}, "no element on the screen matches 'e99'. Name the element by its id. Nearest are"),
        ({"action": "click", "target": "Submti"}, "e3 button 'Submit'"),
        ({"action": "clik", "target": "e3"}, "there is no action 'clik'; nearest are click"),
        ({"action": "launch_app", "app": "mial"}, "there is no app 'mial'; nearest are mail"),
        ({"action": "fill", "target": "e2", "text": "fact:totl"}, "there is no fact 'totl'; nearest are total"),
        ({"action": {"action_type": "run_script", "code": "rm -rf /"}}, "there is no action 'run_script'"),
        ({"action": {"action_type": "x-deskcrew.change_files", "arguments": {"removed": ["/a"]}}}, "there is no action 'x-desk"),
        ({"action": "click", "target": "e3", "status": "GO"}, "status 'GO' is not one of"),
        ({"action": "click", "target": "e3", "status": None}, "status None is not one of|status is missing"),
        ({"action": "none"}, "needs an action"),
        ({"action": "click"}, "click needs a target"),
        ({"action": "press_key", "keys": "NoSuchKey"}, "key"),
    ],
)
def test_what_there_is_not_is_refused_with_what_is_near(data: dict[str, Any], why: str) -> None:
    given = {"reasoning": "r", "status": "CONTINUE", **data}
    with pytest.raises(ValueError, match=why):
        read_decision(given, view(facts=(fact("total", "7"),), verbs=("click", "fill", "press_key", "launch_app")))


def test_only_what_a_verb_of_the_surface_takes_counts() -> None:
    with pytest.raises(UnusableReply, match="there is no action 'drag'"):
        read_decision({"action": "drag", "target": "e3", "to": "e4", "status": "CONTINUE"}, view(verbs=("click",)))
    action = read(action="click", target="e3", text="ignored", keys="", seconds=None, option="Travel").action
    assert action.dump().keys() == {"action_type", "target"}


def test_the_flat_fields_mean_what_they_say() -> None:
    asked = read(action="none", status="PENDING", question="Which one?").action
    assert isinstance(asked, AskUser)
    assert asked.question == "Which one?"
    kept = {"name": "names", "value": ["Ann", "Bo", 7]}
    for said in (read(action={"action_type": "memorize", **kept}), read(action="memorize", **kept)):
        assert said.action.parameters["value"] == "Ann\nBo\n7", "a list that is kept has a line for each"
    failed = {"action": "answer", "text": "There is no such mail", "status": "FAIL"}
    assert [read(**failed, comment=told).comment for told in ("", "none")] == ["There is no such mail", "none"]
    chosen = read(action="select_option", target="e5", option="Meals").action
    assert isinstance(chosen, SelectOption)
    assert chosen.options == ("Meals",)
    moved = read(action="scroll").action
    assert isinstance(moved, Scroll)
    assert (moved.delta.y, moved.unit) == (1, "page")


def test_a_fact_is_used_exactly_and_a_private_one_without_being_read() -> None:
    facts = (fact("total", "$1,059.73"), fact("pin", "4711-22", private=True))
    for name, value in (("total", "$1,059.73"), ("pin", "4711-22")):
        data = {"action": "fill", "target": "e2", "text": f"fact:{name}", "status": "CONTINUE"}
        action = read_decision(data, view(facts=facts)).action
        assert isinstance(action, Fill)
        assert action.text == value


def test_an_action_that_comes_with_the_end_is_done_first() -> None:
    decision = read(action="click", target="e3", status="FINISH")
    assert decision.status is AgentStatus.CONTINUE
    assert decision.action is not None
    assert read(action="none", status="FINISH").status is AgentStatus.FINISH


def test_the_end_may_keep_things_first_and_do_nothing_else() -> None:
    keep, press = {"action": "memorize", "name": "n", "value": "v"}, {"action": "click", "target": "e3"}
    end = {"status": "FINISH", "reasoning": "both are kept"}
    assert read_decision(keep | end | {"then": [keep]}, view(), 3).memory["last"] == "both are kept"
    for data, batch in ((keep | {"then": [press]}, 3), (press | {"then": [keep]}, 3), (keep | {"then": [keep]}, 1)):
        with pytest.raises(UnusableReply, match="FINISH may come with memorize, answer and call_api"):
            read_decision(data | end, view(), batch)
    send = {"action": "call_api", "app": "mail", "function": "send_message", "arguments": {"to": "a@b.c", "body": "x"}}
    assert read_decision(send | end | {"then": [keep]}, view(), 3).memory["last"] == "both are kept"
    look = {"action": "call_api", "app": "mail", "function": "list_messages", "arguments": {}}
    for data in (look, look | {"then": [keep]}, send | {"then": [look]}):
        assert "last" not in read_decision(data | end, view(), 3).memory, "its answer was not seen yet"
    assert read_decision(look | end | {"then": [send]}, view(), 3).memory["last"] == "both are kept", "a check on the way"


def test_notes_are_kept_until_there_are_others_and_nothing_else_is() -> None:
    first = read(action="click", target="e3", notes="row 2 next", memory={"script_line": 9})
    assert first.memory == {"notes": "row 2 next"}
    later = read_decision({"action": "click", "target": "e3", "status": "CONTINUE"}, view(memory=first.memory))
    assert later.memory == {"notes": "row 2 next"}


def takes(named: dict[str, str]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": kind} for name, kind in named.items()}, "required": list(named)}


SKILLS = (
    Skill(kind="api", app="files", name="create_folder", arguments=takes({"path": "string"})),
    Skill(kind="api", app="mail", name="send_message", arguments=takes({"to": "string", "body": "string"})),
    Skill(kind="api", app="mail", name="open", arguments=takes({})),
    Skill(kind="api", app="claims", name="open", arguments=takes({})),
)


@pytest.mark.parametrize(
    "data",
    [
        {"action": "call_api", "app": "files", "function": "create_folder"},
        {"action": "call_api", "app": "Files", "function": "files.create_folder"},
        {"action": "call_api", "function": "files.create_folder"},
        {"action": "call_api", "function": "create_folder"},
        {"action": "files.create_folder"},
        {"action": "create_folder"},
        {"action": "create_folder", "arguments": '{"path": "/A"}'},
        {"actions": {"action": "create_folder", "arguments": {"path": "/A"}}},
        {"action": {"action_type": "call_api", "function": "files.create_folder", "arguments": {"path": "/A"}}},
    ],
)
def test_a_call_is_understood_however_app_and_function_are_put_together(data: dict[str, Any]) -> None:
    apps = (AppWords(app="files", title="Files"), AppWords(app="mail", title="Mail"), AppWords(app="claims", title="Claims"))
    action = read_decision(
        {"reasoning": "r", "status": "CONTINUE", "arguments": {"path": "/A"}, **data}, view(skills=SKILLS, apps=apps)
    ).action
    assert action.dump() == {"action_type": "call_api", "app": "files", "function": "create_folder", "arguments": {"path": "/A"}}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"function": "files.create_folder"}, "files.create_folder: .*'path' is a required property"),
        ({"function": "create_folder", "arguments": {"path": 1}}, "files.create_folder: path: 1 is not of type 'string'"),
        ({"function": "make_folder"}, "there is no function 'make_folder'; nearest are files.create_folder"),
        ({"function": "open", "arguments": {}}, "several applications have open: mail.open, claims.open; say which by app"),
    ],
)
def test_a_call_that_cannot_be_made_costs_no_step(data: dict[str, Any], why: str) -> None:
    with pytest.raises(UnusableReply, match=why):
        read_decision({"action": "call_api", "status": "CONTINUE", **data}, view(skills=SKILLS, app="files"))


FACTS = (("total", "$12.50"), ("total of A", "$3"), ("note", "see fact:nobody"))


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("It is fact:total, paid", "It is $12.50, paid"),
        ("fact:Total of A.", "$3."),
        ("fact:total and fact:total of A", "$12.50 and $3"),
        ("fact:note", "see fact:nobody"),
        ("in fact: nothing", "in fact: nothing"),
        ("artefact:total", "artefact:total"),
    ],
)
def test_facts_stand_anywhere_in_texts_and_arguments(text: str, typed: str) -> None:
    seen = view(facts=tuple(fact(name, value) for name, value in FACTS), skills=SKILLS)
    common = {"reasoning": "r", "status": "CONTINUE"}
    filled = read_decision({"action": "fill", "target": "e2", "text": text, **common}, seen).action
    called = {"action": "call_api", "function": "send_message", "arguments": {"to": "a", "body": text}}
    assert filled.dump()["text"] == typed
    action = read_decision({**called, **common}, seen).action
    assert action.dump()["arguments"]["body"] == typed


def test_a_value_that_the_same_answer_keeps_may_be_named_behind_it() -> None:
    kept = {"action": "memorize", "name": "total", "value": "$9.90"}
    written = {"action": "fill", "target": "e2", "text": "It is fact:total by fact:payer"}
    said = {"reasoning": "r", "actions": [kept, kept | {"name": "payer", "value": "Ada"}, written], "status": "CONTINUE"}
    *_, behind = read_decision(said, view(facts=(fact("total", "7"),)), batch=3).then
    assert isinstance(behind.action, Fill)
    assert behind.action.text == "It is $9.90 by Ada"
    with pytest.raises(UnusableReply, match="there is no fact 'total'"):
        read_decision(said | {"actions": [written, kept]}, view(), batch=2)


def test_facts_are_used_in_ufos_form_too_in_questions_and_in_what_is_kept() -> None:
    ufo = {"ControlLabel": "e2", "ControlText": "", "Function": "set_edit_text", "Args": {"text": "It is fact:total"}}
    answers = [
        ufo | {"Observation": "o", "Thought": "t", "Status": "CONTINUE", "Plan": [], "Comment": ""},
        {"reasoning": "r", "action": "ask_user", "question": "Is fact:total right?", "status": "CONTINUE"},
        {"reasoning": "r", "action": "memorize", "name": "both", "value": ["fact:total", "8"], "status": "CONTINUE"},
    ]
    actions = [read_decision(answer, view(facts=(fact("total", "7"),))).action for answer in answers]
    assert [action and action.dump() for action in actions if isinstance(action, Memorize | AskUser)] == [
        {"action_type": "ask_user", "question": "Is 7 right?"},
        {"action_type": "memorize", "name": "both", "value": "7\n8"},
    ]
    assert actions[0] is not None
    assert actions[0].dump()["text"] == "It is 7"
    with pytest.raises(UnusableReply, match="there is no fact 'pin'"):  # what is private is not kept as what is not
        read_decision({"action": "memorize", "name": "n", "value": "fact:pin"}, view(facts=(fact("pin", "4711", private=True),)))
