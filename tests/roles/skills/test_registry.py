"""The registry: what there is, what it takes, what it risks, what is shown of it and what is forbidden."""

import json
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.contract import FunctionInfo
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from protocol import VERBS, ActionTarget, AskInAppAgent, CallApi, Click, Wait
from roles.safety.effects import Effect
from roles.skills.arguments import problem_with
from roles.skills.contract import Idempotence, Rating, Skill, SkillSettings, WayFor
from roles.skills.registry import Skills, told, verb_skill


def registry(**settings: Any) -> Skills:
    return Skills(SimulatedDesktop(load_world("office")), SkillSettings(**settings))


def test_the_surface_functions_and_agents_stand_in_one_registry() -> None:
    worlds = [Skills(SimulatedDesktop(load_world(name)), SkillSettings()) for name in ("office", "bookkeeping")]
    skills = {skill.called: skill for skills in worlds for skill in skills.known}
    assert (skills["click"].kind, skills["mail.send_message"].kind, skills["calendar.agent"].kind) == ("gui", "api", "agent")
    assert skills["mail.send_message"].risk is Effect.SEND
    assert skills["mail.send_message"].idempotence is Idempotence.ONCE
    assert skills["settings.update_device"].idempotence is Idempotence.REPEATABLE
    assert skills["notes.list_notes"].idempotence is Idempotence.READING
    assert skills["fill"].needs == ("text",)
    lines = worlds[1].lines(None, "")
    assert [line for line in lines if line == "calendar:"] == ["calendar:"], "an agent stands with the functions of its app"


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_can_be_told_as_a_skill(verb: str) -> None:
    skill = verb_skill(verb)
    assert skill.name == verb
    assert "action_type" not in skill.takes


class Office(SimulatedDesktop):
    """An office whose mail says more of its functions than their names do."""

    more: tuple[FunctionInfo, ...] = ()

    def functions(self) -> list[FunctionInfo]:
        return [*super().functions(), *self.more]


@pytest.mark.parametrize(
    ("name", "writes", "risk", "effects"),
    [
        ("ledger", False, "", {Effect.OBSERVE}),
        ("ledger", True, "", {Effect.ACTIVATE}),
        ("delete_all", False, "", {Effect.DELETE}),
        ("list_all", False, "purchase", {Effect.NAVIGATE, Effect.PURCHASE}),
        ("save_it", True, "observe", {Effect.SAVE, Effect.OBSERVE}),
        ("ledger", False, "nonsense", {Effect.ACTIVATE}),
    ],
)
def test_what_an_app_says_of_its_function_raises_its_risk_and_never_lowers_it(
    name: str, writes: bool, risk: str, effects: set[Effect]
) -> None:
    desk = Office(load_world("office"))
    desk.more = (FunctionInfo("mail", name, "", {}, writes, False, risk),)
    found = Skills(desk).effects(CallApi(app="mail", function=name), None, desk.observe())
    assert set(found) == effects


def test_only_the_user_lowers_a_risk() -> None:
    call = CallApi(app="Mail", function="send_message", arguments={"to": "a@b.org"})
    seen = SimulatedDesktop(load_world("office")).observe()
    assert Effect.SEND in registry().effects(call, None, seen)
    known = (Rating(skill="mail.send_*", risk=Effect.EDIT, idempotence=Idempotence.REPEATABLE),)
    assert registry(known=known).effects(call, None, seen) == (Effect.EDIT,)
    assert registry(known=known).of(call).idempotence is Idempotence.REPEATABLE  # type: ignore[union-attr]  # it is there


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"title": "x"}, ""),
        ({}, "notes.create_note: arguments: 'title' is a required property; it takes: title, body"),
        ({"title": "x", "colour": "red"}, "Additional properties are not allowed ('colour' was unexpected)"),
        ({"title": ["x"]}, "notes.create_note: title: ['x'] is not of type 'string'"),
        ({"title": "<secret>door-code</secret>"}, ""),
    ],
)
def test_arguments_are_held_against_the_schema(arguments: dict[str, Any], said: str) -> None:
    problem = registry().problem(CallApi(app="notes", function="create_note", arguments=arguments))
    assert said in problem
    assert bool(said) is bool(problem)
    absent = registry().problem(CallApi(app="Notes", function="burn"))
    assert absent.startswith("Notes has no function 'burn'; there are: list_notes, get_note")


def test_a_schema_fetches_nothing_runs_no_pattern_and_is_not_held_against_what_a_reference_cannot_tell() -> None:
    schema = {"properties": {"pin": {"type": "string", "maxLength": 4}, "n": {"type": "integer"}}}
    assert problem_with(schema, {"pin": "12345"})
    assert not problem_with(schema, {"pin": "<secret>pin</secret>", "n": 4})
    assert "cannot be used" in problem_with({"properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}}, {"a": 1})
    slow = {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}, "pattern": {"type": "integer"}}}
    assert not problem_with(slow, {"a": "a" * 60 + "!"})
    assert problem_with(slow, {"pattern": "x"}), "a property that is called so is none"
    assert "more than" in problem_with({"title": "x" * 200_000}, {})


KEYS = st.sampled_from(["type", "properties", "enum", "$ref", "a"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["type", "properties", "required", "items", "anyOf", "$ref", "not"]), JSON), JSON)
def test_whatever_a_stranger_calls_a_schema_is_used_or_refused_in_a_sentence(schema: dict[str, Any], value: Any) -> None:
    said = problem_with(schema, {"a": value})
    assert "\n" not in said or len(said) < 600


# --- what is shown ----------------------------------------------------------------------------------------------------


def test_what_is_nearest_to_the_subtask_is_shown_first_and_nothing_is_hidden() -> None:
    lines = registry(shown=2).lines("mail", "Move the message from Bob into the folder Archive")
    assert lines[0] == "mail:"
    assert lines[1].startswith(" move_message(")
    assert ["): " in line for line in lines] == [False, True, True, False], "what it does with those that are near"
    assert lines[3].startswith("mail: ")
    assert len(lines[3].split("; ")) == 8
    assert "; reply(id, body)" in lines[3]
    everywhere = registry(shown=3).lines(None, "Count the lines of the file")
    assert any("send_message(" in line for line in everywhere if line.startswith("mail")), "whatever the words are"
    asked = registry(shown=3).lines(None, "Mail Ann what the unpaid invoices come to")
    apps = [line.partition(":")[0] for line in asked if not line.startswith((" ", "("))]
    together = [app for app, _ in groupby(apps)]
    assert len(together) == len(set(apps))
    assert set(together[:2]) == {"mail", "billing"}, "those that the words speak of come first, whole"
    assert registry(shown=3).lines(None, "Do it", "notes")[0] == "notes:", "and that in which the work begins"


def test_the_nearest_have_literal_arguments_which_their_schema_allows() -> None:
    skills, moving = registry(), "Move the message from Bob into the folder Archive"
    for about, app in ((moving, "mail"), ("Do it", None), ("", "notes")):
        shown = [line for line in skills.lines(app, about) if "; as in " in line]
        assert 1 <= len(shown) <= 3
        for line in shown:
            (skill,) = [s for s in skills.offered(app) if line.startswith(f" {told(s).removeprefix(f'{s.app}.')}; as in ")]
            given = json.loads(line.rpartition("; as in ")[2])
            assert given.keys() >= set(skill.needs)
            assert problem_with(skill.arguments, given) == ""
    (sent,) = [line for line in skills.lines("mail", "Send a message to Ann") if line.startswith(" send_message(")]
    assert sent.endswith('; as in {"to": "...", "cc": "...", "subject": "...", "body": "..."}')
    moved = next(line for line in skills.lines("mail", moving) if " move_message(" in line)
    assert moved.endswith('; as in {"id": "...", "folder": "Inbox"}')


def test_a_kind_of_argument_that_nearly_every_list_takes_is_told_once() -> None:
    first, *lines = Skills(SimulatedDesktop(load_world("bookkeeping"))).lines(None, "Do it")
    assert first == "(everywhere offset?: integer)"
    assert lines[0] == "(everywhere limit?: integer up to 200)"
    assert any(line.startswith(" list_messages(offset?, limit?, folder?: ") for line in lines)
    assert not any("limit?:" in line for line in lines[1:])


def test_a_line_says_what_it_takes_does_and_risks() -> None:
    lines = {skill.called: told(skill) for skill in registry().known}
    assert lines["mail.move_message"] == (
        'mail.move_message(id, folder: "Inbox" | "Archive" | "Trash"): Put a message into another folder'
    )
    assert lines["mail.send_message"].startswith("mail.send_message(to?, cc?, subject?, body?) (send): Send")
    assert "limit?: integer up to 200" in lines["mail.list_messages"]
    more = {skill.called: told(skill) for skill in Skills(SimulatedDesktop(load_world("bookkeeping"))).known}
    assert more["calendar.agent"].startswith("calendar.agent(request) (agent): ")
    event, cells = more["calendar.create_event"], more["spreadsheet.write_cells"]
    assert 'start as "2026-03-31 09:30"' in event
    assert 'attendees?: list of string as ["Ada Byron"]' in event
    assert 'cells: object as {"A1": "Total", "B1": "=SUM(B2:B9)"}' in cells
    skill = Skill(kind="mcp", app="x", name="y", summary="a\nb " * 900, arguments={"properties": {"z" * 900: {}}})
    assert len(told(skill)) < 1_000
    assert "\n" not in told(skill)


# --- what is forbidden ------------------------------------------------------------------------------------------------


CLICK = Click(target=ActionTarget(text="Send"))
SEND = CallApi(app="mail", function="send_message")


@pytest.mark.parametrize(
    ("forbid", "action", "app", "is_forbidden"),
    [
        ("gui", CLICK, "mail", True),
        ("gui", Wait(), "mail", False),
        ("gui", SEND, "mail", False),
        ("mail.click", CLICK, "mail", True),
        ("mail.click", CLICK, "notes", False),
        ("api", SEND, "notes", True),
        ("API", SEND, "notes", True),
        ("*.send_*", SEND, "mail", True),
        ("mail.*", CallApi(app="Mail", function="get_message"), "mail", True),
        ("agent", AskInAppAgent(app="mail", request="x"), "mail", True),
        ("api", CallApi(app="nowhere", function="x"), "mail", True),
    ],
)
def test_kinds_and_names_can_be_forbidden(forbid: str, action: Any, app: str, is_forbidden: bool) -> None:
    assert bool(registry(forbid=(forbid,)).forbidden(action, app)) is is_forbidden


def test_what_is_forbidden_is_not_offered_and_the_way_may_be_another_one() -> None:
    skills = registry(forbid=("gui", "mail.delete_*", "agent"))
    assert skills.verbs("mail") == ("wait", "screenshot", "call_api", "memorize", "answer", "ask_user")
    assert "mail.delete_message" not in {skill.called for skill in skills.offered("mail")}
    assert registry(forbid=("api", "agent")).offered("mail") == ()
    settings = SkillSettings(prefer="gui", when=(WayFor(prefer="api", app="mail"), WayFor(prefer="agent", subtask="s2")))
    assert [settings.preferred(*at) for at in (("mail", "s2"), ("notes", "s2"), ("notes", "s1"))] == ["api", "agent", "gui"]
