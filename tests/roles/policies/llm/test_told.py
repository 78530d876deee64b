"""What a model is told of what happened: real steps of a real graph, as they stand in the next prompt."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from langchain_core.messages import BaseMessage
from models import SCREEN, asker, fact, operator, prompts_of, section, step, text_of, view
from support import Run, planned, subtask

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from protocol import GUIElement, VisualState
from roles.contracts import GateRequest, PlanRequest, Supplement, TextShown
from roles.contracts.limits import Limits
from roles.contracts.orders import GoalLedger, LedgerEntry
from roles.contracts.signals import GateTrigger, SubtaskStatus
from roles.evaluator.llm import LlmEvaluator, evidence_ids
from roles.knowledge.blackboard import outcome_told
from roles.policies.llm.prompts import load_prompt
from roles.policies.llm.subtask_words import facts_told, ledger_told, plan_told, results_told, steps_told, supplements_told
from roles.skills.contract import RESULT, Skill

FINISH = {"reasoning": "r", "action": "none", "status": "FINISH"}
BODY = "Dear Dana, " + "the cables are laid and tested. " * 40


def call(function: str, **arguments: Any) -> dict[str, Any]:
    return {"reasoning": "r", "action": "call_api", "function": function, "arguments": arguments, "status": "CONTINUE"}


def worked(*answers: dict[str, Any], app: str = "mail", **more: Any) -> tuple[Run, list[str]]:
    """A run in the office in which a model operates, and what it was asked."""
    said = iter([*answers, FINISH])
    model, heard = prompts_of(lambda _: next(said, FINISH))
    desk = SimulatedDesktop(load_world("office"))
    whole = Run(
        [planned(subtask("a", app=app))], desk=desk, parts={"operator": operator(model), **more.pop("parts", {})}, **more
    ).go()
    return whole, [text_of(messages) for messages in heard]


def test_a_call_is_told_with_its_arguments_and_answer_and_a_second_page_beside_the_first() -> None:
    whole, asked = worked(
        call("mail.list_messages", limit=1),
        call("list_messages", limit=1, offset=1),
        {"reasoning": "r", "action": "memorize", "name": "where", "value": "Inbox", "status": "CONTINUE"},
    )
    first, second = (json.loads(f.value)["items"][0]["id"] for f in whole.journal.facts() if f.kind == RESULT)
    steps = section(asked[-1], "steps")
    assert 'call mail.list_messages with {"limit": 1}: it answered {' in steps
    assert 'memorize where = "Inbox": kept' in steps
    assert "nothing changed" not in steps
    assert steps.index(f'"id": "{first}"') != steps.index(f'"id": "{second}"')
    assert asked[-1].count(f'"id": "{second}"') == 1, "an answer stands once"


def test_what_a_call_answered_stands_beside_the_notice_that_it_brought_and_neither_is_told_twice() -> None:
    _, asked = worked(call("list_messages", limit=3), call("move_message", id="12", folder="Archive"), call("count_folders"))
    steps = section(asked[-2], "steps")
    assert 'with {"id": "12", "folder": "Archive"}: it answered what it was given, and {"sender": ' in steps
    assert steps.count("status: Message moved to Archive") == 1
    assert "<events " not in asked[-2], "the step says it"
    assert [line.partition("it answered ")[2][:9] for line in steps.splitlines()[1:]] == ['{"count":', "what it w"]


def test_what_the_user_answered_stands_beside_the_question_and_the_same_words_to_several_stand_once_among_the_facts() -> None:
    facts = [fact(name, "as you like", question=f"{name}?", source="user") for name in ("folder", "name")]
    assert facts_told(view(facts=(*facts, fact("total", "as you like")))).splitlines() == [
        "- folder, name = as you like (the user)",
        "- total = as you like",
    ]
    asked = step(1, action={"action_type": "ask_user", "question": "May I?", "name": "answer"}, verb="ask_user")
    told = steps_told([asked], 3, [fact("answer", "yes, please", subtask="a", step=1)])
    assert told.endswith("the user said yes, please")


def test_who_judges_sees_a_part_of_each_answer_and_not_only_the_last_ones() -> None:
    named = {"kind": RESULT, "subtask": "a", "source_name": "mail.list_messages"}
    facts = tuple(fact(f"mail.list_messages at step {n}", f"{n} " + "x" * 5_000, step=n, **named) for n in range(1, 8))
    told = results_told(GateRequest(trigger=GateTrigger.FINAL_CHECK, goal="g", facts=facts))
    assert "not shown" not in told
    assert told.count("of 5,002 characters shown)") == 7


def test_what_a_call_refuses_costs_neither_a_wait_nor_the_call_again() -> None:
    whole, asked = worked(call("mail.get_message", id="nobody"), call("mail.count_folders"))
    verbs = [body["action"]["action_type"] for body in whole.bodies("step")]
    assert verbs == ["launch_app", "call_api", "call_api"]
    assert "nobody" in section(asked[1], "steps")
    assert ": error, " in section(asked[1], "steps")


def test_a_gate_sees_every_step_of_the_subtask_and_what_was_sent() -> None:

    def judged(messages: Sequence[BaseMessage]) -> dict[str, Any]:
        due = "Why you are asked: PERIODIC_CHECK" in text_of(messages)
        return {"reason": "r", "decision": "gate_continue" if due else "gate_done", "evidence": ["step:2"]}

    model, seen = prompts_of(judged)
    evaluator = LlmEvaluator(asker(model), load_prompt("evaluator"), screen_tokens=2_500)
    looks = [call("list_messages", limit=number + 1) for number in range(45)]
    draft = call("save_draft", to="dana@example.com", subject="Cables", body=BODY)
    kept = {"reasoning": "r", "action": "memorize", "name": "where", "value": "Inbox", "status": "CONTINUE"}
    _, asked = worked(draft, kept, *looks, parts={"evaluator": evaluator}, limits=Limits(max_steps=100, stale_repeats=100))
    done = next(text for messages in seen if "asked: WORKER_SUCCESS" in (text := text_of(messages)))
    assert BODY.strip() in section(done, "steps")
    assert section(done, "steps").count("call mail.list_messages with") == 45
    assert "48 steps, 0 of them failed, 0 without a visible change" in section(done, "findings")
    for told in asked[-2:]:
        assert 'mail.list_messages with {"limit": 1}: it answered' in section(told, "steps")  # read long ago


def test_earlier_steps_that_wrote_nothing_are_counted_and_every_step_is_evidence() -> None:
    done = [step(1, action={"action_type": "fill", "target": {"text": "Body"}, "text": BODY}), *(step(n) for n in range(2, 160))]
    told = steps_told(done, 3, bodies=True)
    assert BODY.strip() in told
    assert "steps 2 to 59, in short" in told
    assert "step:1" in evidence_ids(GateRequest(trigger=GateTrigger.FINAL_CHECK, goal="g", steps=tuple(done)))


def test_an_answer_that_is_too_long_says_how_to_have_the_rest() -> None:
    page = json.dumps({"count": 400, "offset": 100, "items": [{"id": f"m{n}", "subject": "s" * 60} for n in range(200)]})
    skill = Skill(kind="api", app="mail", name="list_messages", arguments={"properties": {"offset": {"type": "integer"}}})
    named = {"kind": RESULT, "subtask": "a", "source_name": "mail.list_messages"}
    older = fact("mail.list_messages at step 1", "x" * 900, step=1, **named)
    calls = [step(n, action={"action_type": "call_api", "app": "mail", "function": "list_messages"}) for n in (1, 2)]
    model, heard = prompts_of(lambda _: FINISH)
    known = (older, fact("mail.list_messages", page, step=2, **named))
    operator(model).decide(view(history=tuple(calls), facts=known, skills=(skill,)))
    told = section(text_of(heard[0]), "steps")
    shown = told.count('"subject"')
    assert 50 < shown < 200
    assert f"({shown} of 400 shown; offset {100 + shown} for the rest)" in told
    assert "it answered 900 characters, not shown; `fact:mail.list_messages at step 1` stands for all" in told


def test_facts_help_and_notes_are_told_whole_or_say_that_they_are_cut() -> None:
    facts = (fact("letter", BODY), fact("other", BODY))
    told = facts_told(view(facts=facts, subtask=subtask("a", hints=("use the fact letter",))))
    assert BODY.strip() in told
    assert told.count("more)") == 1, "and of the others it is said how much is left out"
    assert BODY.strip() in facts_told(view(facts=(fact("kept", BODY, subtask="a"),))), "what it has found out itself"
    help_ = [Supplement(query="q", source="handbook", title=f"t{n}", text="w " * 2_000) for n in range(5)]
    told = supplements_told(help_)
    assert "(2 older ones are not shown)" in told
    assert told.count("characters shown)") == 3


def test_a_private_value_that_no_vault_holds_stands_nowhere_in_a_prompt() -> None:
    model, heard = prompts_of(lambda _: FINISH)
    typed = step(1, action={"action_type": "fill", "target": {"text": "Code"}, "text": "it is 4711-99"})
    operator(model).decide(view(facts=(fact("code", "4711-99", private=True),), history=(typed,)))
    assert "4711-99" not in text_of(heard[0])
    assert "it is (hidden)" in section(text_of(heard[0]), "steps")


def test_a_picture_that_was_wanted_and_is_not_there_is_explained() -> None:
    notes = "first line\n" + "remember " * 150
    _, asked = worked({"reasoning": "r", "action": "screenshot", "status": "CONTINUE", "notes": notes})
    assert notes.strip() in section(asked[-1], "notes"), "and notes are kept whole"
    assert "there is no picture of the screen: this model is given none (crew.operator.vision is off)" in section(
        asked[-1], "events"
    )


def test_a_long_answer_stands_once_and_whole_for_who_works_and_who_judges() -> None:
    page = json.dumps([{"id": f"m{n}", "subject": "s" * 60} for n in range(9)])
    named = {"kind": RESULT, "subtask": "a", "source_name": "mail.list_messages"}
    known = (fact("mail.list_messages", page, step=1, **named), fact("note", "kept", subtask="a", step=2))
    listed = step(1, action={"action_type": "call_api", "app": "mail", "function": "list_messages", "arguments": {}})
    model, heard = prompts_of(lambda _: FINISH)
    operator(model).decide(view(history=(listed, step(2)), facts=known))
    judged, seen = prompts_of(lambda _: {"reason": "r", "decision": "gate_done", "evidence": ["step:1"]})
    request = GateRequest(
        trigger=GateTrigger.WORKER_SUCCESS,
        goal="g",
        subtask=subtask("a"),
        steps=(listed, step(2)),
        facts=known,
        screens=(SCREEN,),
    )
    LlmEvaluator(asker(judged), load_prompt("evaluator"), screen_tokens=500).judge(request)
    works, judges = text_of(heard[0]), text_of(seen[0])
    assert works.count('"id": "m8"') == judges.count('"id": "m8"') == 1
    assert page in section(works, "steps").splitlines()[0]
    assert f"it answered {len(page):,} characters" in section(judges, "steps").splitlines()[0]
    assert page in section(judges, "results")
    assert all("note = kept" in section(text, "facts") for text in (works, judges))


def test_an_answer_that_is_given_again_is_not_told_again() -> None:
    named = {"kind": RESULT, "subtask": "a", "source_name": "browser.read_page"}
    known = [fact(f"browser.read_page at step {n}", "a page " * 60, step=n, **named) for n in (1, 2)]
    reads = [step(n, action={"action_type": "call_api", "app": "browser", "function": "read_page"}) for n in (1, 2)]
    judged = GateRequest(trigger=GateTrigger.FINAL_CHECK, goal="g", steps=tuple(reads), facts=tuple(known))
    for told in (steps_told(reads, 8, known), results_told(judged)):
        assert told.count("a page a page") > 0
        assert "answered the same as at step 1" in told.splitlines()[-1]


def test_answers_of_other_subtasks_are_told_where_the_subtask_names_them() -> None:
    known = tuple(fact(f"mail.{n}", f"{n} answer", kind=RESULT, subtask="b") for n in ("old", "named"))
    told = facts_told(view(facts=known, subtask=subtask("a", hints=("use mail.named",))))
    assert "named answer" in told
    assert "old answer" not in told
    assert "old answer" in facts_told(PlanRequest(goal="g", facts=known))
    ended = outcome_told(subtask("b"), (*known, fact("sender", "Ada", subtask="b")))
    assert "sender = Ada" in ended
    assert "answer" not in ended


def test_a_gate_is_shown_the_screen_on_which_an_effect_was_seen_and_whole_facts_of_its_subtask() -> None:
    sent = VisualState(elements=(GUIElement(element_id="e1", tag="p", role="status", text="Order 77 placed"),), app="shop")
    expected = subtask("a", expect=(TextShown(text="Order 77 placed"),))
    long = "line of a list\n" * 60
    request = GateRequest(
        trigger=GateTrigger.WORKER_SUCCESS,
        goal="g",
        subtask=expected,
        steps=(step(1, before=SCREEN.state_id, after=sent.state_id), step(2, before=sent.state_id, after=SCREEN.state_id)),
        facts=(fact("list", long, subtask="a"),),
        screens=(SCREEN,),
        earlier=(sent,),
    )
    model, heard = prompts_of(lambda _: {"reason": "r", "decision": "gate_done", "evidence": [f"state:{sent.state_id}"]})
    LlmEvaluator(asker(model), load_prompt("evaluator"), screen_tokens=900).judge(request)
    text = text_of(heard[0])
    assert 'shows, and status "Order 77 placed"' in section(text, "screens")
    assert f"state:{SCREEN.state_id}" in section(text, "screens")
    assert section(text, "screens").count(f"state:{sent.state_id}") == 1, "and not whole, since the other shows it as well"
    assert long.strip() in section(text, "facts")


def test_of_steps_that_are_told_as_numbers_a_worker_is_told_what_they_sent_and_what_answers_still_hold() -> None:
    sent = step(1, verb="send", target="Send", events=("status: Message sent",))
    reads = [{"action_type": "call_api", "app": app, "function": "list_all", "arguments": {}} for app in ("mail", "notes")]
    saved = step(4, app="notes", action={"action_type": "call_api", "app": "notes", "function": "save"})
    asked = [step(n, action=action) for n, action in enumerate(reads, start=2)]
    facts = [fact(f"f{n}", f"answer {n}", kind=RESULT, subtask="a", step=n, app=read["app"]) for n, read in enumerate(reads, 2)]
    told = steps_told([sent, *asked, saved, *(step(n) for n in range(5, 30))], 3, facts)
    assert "steps 1 to 24, in short" in told
    assert (told.count("Message sent"), told.count("\n")) == (1, 9)
    assert "answer 2" in told
    assert "answer 3" not in told, "something was saved since where it was asked"
    assert "\n(answers left out, since something was changed there later: step 3)\n" in told


def test_what_is_told_of_steps_only_grows_until_a_whole_block_is_told_as_numbers() -> None:
    told = [steps_told([step(n) for n in range(1, many)], 3) for many in range(2, 20)]
    grows = [after.startswith(before) for before, after in pairwise(told)]
    assert [n for n, same in enumerate(grows, start=2) if not same] == [6, 9, 12, 15, 18]


def test_orders_are_told_whole_why_one_is_missing_and_of_what_rules_did_not_read_only_that_there_is_some() -> None:
    long = ("Move every mail of the vendor with the long name into the folder for the year that is over " * 2).strip()
    orders = (
        LedgerEntry(order=0, text=long, state="shown", evidence=("step:4",)),
        LedgerEntry(order=1, text="submit it", state="missing", why="nothing was seen to be submitted"),
    )
    rest = (LedgerEntry(kind="unread", text="Somebody left the lights on", state="unread"),)
    _, *lines, last = ledger_told(GoalLedger(goal="g", entries=(*orders, *rest))).splitlines()
    assert lines == [f"[x] {long} (step:4)", "[!] submit it: nothing was seen to be submitted"]
    assert ledger_told(GoalLedger(goal="g", entries=rest)) == last
    assert ledger_told(GoalLedger(goal="g", entries=rest), whole=False) == "", "who works one part minds no other"


def test_who_plans_anew_is_told_whole_what_is_left_and_by_name_what_is_kept() -> None:
    words = ("Write the whole of the report into the note. " * 30).strip()
    read = subtask("a").model_copy(update={"title": "Read the mail", "instruction": words, "status": SubtaskStatus.FULFILLED})
    plan = (read, subtask("b", "a").model_copy(update={"instruction": words}))
    told = plan_told(plan, whole=True)
    assert words in told.splitlines()[1]
    assert told.splitlines()[0].startswith("- a (fulfilled, operator")
    assert told.splitlines()[0].endswith("): Read the mail")
    assert words not in plan_told(plan)
    assert plan_told(plan) == plan_told([one.model_copy(update={"status": SubtaskStatus.REJECTED}) for one in plan])
