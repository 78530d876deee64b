"""What is previewed is what happens: random actions in three worlds, told before and counted afterwards by the bare state."""

import os
import random
from typing import Any

import pytest

from environments.effects import SENSITIVE, Effect, Preview
from environments.faults.faults import Fault, FaultKind, FaultyEnvironment
from environments.simulated.apps import APPS
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world
from environments.vision.environment import FromPixels
from orchestrator.settings.layers import Source
from orchestrator.settings.settings import read_safety
from protocol import Action, ActionTarget, CallApi, Click, Drag, Fill, LaunchApp, PressKey, SelectOption, Type, VisualState
from protocol.dsl import parse_line
from roles.contracts.nodes import TimedEnvironment
from roles.safety import SafetyPolicy, review
from roles.safety.privacy.redaction import Redactor, SecretBorder

WORLDS = ("company", "smart-home", "workshop")
ACTIONS = 700 if os.environ.get("DESKCREW_EVERY_CASE") else 250
PRESETS = ("ask-sensitive", "ask-all", "read-only", "never-ask-in-simulation")
TEXTS = ("ada@example.org", "Plan", "12.50", "2026-03-02", "rm -r /Logs", "mv /Logs/a /x", "hi", "", "shop.example/?q=me")
NAMED = "Enter Tab Space Escape Delete Control+s Control+a ArrowDown Control+Enter"
KEYS = tuple(tuple(keys.split("+")) for keys in NAMED.split())


def sensitive(before: dict[str, Any], after: dict[str, Any]) -> set[Effect]:
    """What an independent eye sees in two whole states: counted, with no table of any app."""
    found: set[Effect] = set()
    for name, new in after["apps"].items():
        found |= _counted(before["apps"][name], new) | _set(before["apps"][name], new)
    return found


def _counted(old: dict[str, Any], new: dict[str, Any]) -> set[Effect]:
    more = {"orders": Effect.PURCHASE, "claims": Effect.SUBMIT, "submissions": Effect.SUBMIT}
    found = {effect for field, effect in more.items() if len(new.get(field, ())) > len(old.get(field, ()))}
    kept = ("notes", "meetings", "contacts", "claims", "conversations")
    found |= {Effect.DELETE for field in kept if set(old.get(field, ())) - set(new.get(field, ()))}
    then, now = _tallied(old), _tallied(new)
    return found | {effect for effect in (Effect.SEND, Effect.DELETE) if now[effect] > then[effect]}


def _tallied(state: dict[str, Any]) -> dict[Effect, int]:
    """Messages that were sent or said, and messages thrown away, with texts of files that are nowhere."""
    messages = list(state.get("messages", {}).values())
    said = sum(m.get("folder") == "Sent" or ("conversation" in m and not m["sender"]) for m in messages)
    return {Effect.SEND: said, Effect.DELETE: sum(m.get("folder") == "Trash" for m in messages) - len(_texts(state))}


def _texts(state: dict[str, Any]) -> list[str]:
    return [e["text"] for e in state.get("entries", {}).values() if e["kind"] == "file" and e["text"].strip()]


def _set(old: dict[str, Any], new: dict[str, Any]) -> set[Effect]:
    grave = [(device, new["devices"][name]) for name, device in old.get("devices", {}).items()]
    operated = any(then.get(k) != now.get(k) for then, now in grave for k in ("locked", "enabled") + ("on",) * ("until" in then))
    account = old.get("deleted") != new.get("deleted")
    account |= any(old.get("account", {}).get(name) != new.get("account", {}).get(name) for name in ("email", "phone"))
    return {effect for effect, holds in ((Effect.ACTUATE, operated), (Effect.ACCOUNT, account)) if holds}


def some_action(rng: random.Random, desk: SimulatedDesktop, seen: VisualState) -> Action:
    here = [e for e in seen.elements if e.role not in {"text", "heading", None}] or list(seen.elements)
    target = ActionTarget(element_id=rng.choice(here).element_id)
    match rng.randrange(12):
        case 0:
            return LaunchApp(app=rng.choice(desk.apps()).app)
        case 1 | 2:
            return Fill(target=target, text=rng.choice(TEXTS), submit=rng.random() < 0.3)
        case 3:
            return Type(text=rng.choice(TEXTS), target=target if rng.random() < 0.5 else None, submit=rng.random() < 0.3)
        case 4:
            return PressKey(keys=rng.choice(KEYS), target=target if rng.random() < 0.5 else None)
        case 5:
            return Drag(target=target, to=ActionTarget(element_id=rng.choice(here).element_id))
        case 6:
            return SelectOption(target=target, options=(rng.choice(TEXTS),))
        case 7 if desk.functions():
            function = rng.choice(desk.functions())
            return CallApi(app=function.app, function=function.name, arguments=_arguments(rng, desk, function.arguments))
    return Click(target=target)


def _arguments(rng: random.Random, desk: SimulatedDesktop, schema: dict[str, Any]) -> dict[str, Any]:
    ids = [key for state in desk.world()["apps"].values() for field in state.values() if isinstance(field, dict) for key in field]
    texts = [*TEXTS, *rng.sample(ids, min(len(ids), 20))]
    return {name: rng.choice(texts) for name in schema.get("properties", {}) if rng.random() < 0.8}


@pytest.mark.slow("a large sample")
@pytest.mark.parametrize("world", WORLDS)
def test_the_preview_of_random_actions_is_what_then_happens(world: str) -> None:
    """And nothing sensitive happens that a shipped policy would have let pass without asking."""
    seed = 20_262
    rng = random.Random(seed)
    policies = {name: read_safety(name, lambda path: Source("test")).policy() for name in PRESETS}
    desk = SimulatedDesktop(load_world(world))
    happened: set[Effect] = set()
    for number in range(ACTIONS):
        seen, before = desk.observe(), desk.world()
        action = some_action(rng, desk, seen)
        told = desk.preview(action)
        assert desk.observe() is seen or desk.observe() == seen, "a preview changes nothing"
        desk.perform(action, key=str(number))
        true = sensitive(before, desk.world())
        effects = {change.effect for change in told}
        where = f"seed {seed}, {world}, action {number}: {action}"
        assert true <= effects, where
        happened |= true
        element = seen.by_id.get(action.target.element_id or "") if action.target else None
        for name, policy in policies.items():
            verdict = review(action, element, seen, policy, changes=told).verdict
            if name != "never-ask-in-simulation" or Effect.ACTUATE in true:
                assert not (effects & SENSITIVE and verdict == "allow"), f"{where} under {name}"
            if name == "read-only" and told:
                assert verdict == "deny", where
    assert happened, "the walk did something"


def test_what_is_previewed_and_then_done_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from environments.simulated import desktop

    steps: list[Action] = []
    real = desktop.step
    monkeypatch.setattr(desktop, "step", lambda world, action, rules: steps.append(action) or real(world, action, rules))
    desk = SimulatedDesktop(load_world("office"))
    save = LaunchApp(app="notes")
    desk.preview(save)
    desk.preview(save)
    desk.perform(save, key="1")
    assert len(steps) == 1


CASES = (
    ("mail", ['click "Compose"', 'fill "To" with "ada@example.org"', 'fill "Subject" with "Plan"'], 'click "Send"',
     Effect.SEND, 'sends a mail to ada@example.org, subject "Plan"'),
    ("mail", ['click "Compose"', 'fill "To" with "ada@example.org"'], 'press Enter in "To"',
     Effect.SEND, "sends a mail to ada@example.org"),
    ("notes", ['click "New note"', 'fill "Title" with "Milk"'], 'click "Save"', Effect.SAVE, 'adds the note "Milk"'),
    ("settings", ['fill "Email address" with "eve@example.org"'], 'press Control+s', Effect.ACCOUNT, "to eve@example.org"),
    ("settings", ['click "Delete account"'], 'press Escape', None, ""),
    ("settings", ['click "Delete account"'], 'click "Delete my account"', Effect.ACCOUNT, "deletes the account"),
)  # fmt: skip


@pytest.mark.parametrize(("app", "way", "last", "effect", "told"), CASES)
def test_a_change_is_told_in_words_whichever_way_it_comes_about(
    app: str, way: list[str], last: str, effect: Effect | None, told: str
) -> None:
    desk = SimulatedDesktop(load_world("office"))
    for number, line in enumerate([f'open "{app}"', *way]):
        assert desk.perform(parse_line(line), key=str(number)).ok, line
    found = desk.preview(parse_line(last))
    assert [change.effect for change in found] == ([] if effect is None else [effect])
    assert told in "".join(change.told for change in found)


def test_an_app_that_declares_nothing_is_judged_by_words_as_well() -> None:
    spec = parse_world("apps: {notes: {notes: [{title: A}]}}\nopen: [notes]")
    app = APPS["notes"]
    desk = SimulatedDesktop(spec)
    call = CallApi(app="notes", function="create_note", arguments={"title": "B"})
    (declared,) = desk.preview(call)
    assert (declared.effect, declared.declared) == (Effect.SAVE, True)

    class Silent(type(app)):  # type: ignore[misc]  # the app as it is, without its table
        meanings = None

    APPS["notes"] = Silent()
    try:
        (silent,) = SimulatedDesktop(spec).preview(call)
        gone = SimulatedDesktop(spec).preview(CallApi(app="notes", function="delete_note", arguments={"note": "A"}))
        words = review(Click(target=ActionTarget(text="Pay now")), None, desk.observe(), SafetyPolicy(), changes=(silent,))
    finally:
        APPS["notes"] = app
    assert (silent.effect, silent.declared) == (Effect.EDIT, False)
    assert [change.effect for change in gone] == [Effect.DELETE]
    assert words.verdict == "ask"


def test_wrappers_pass_a_preview_on_and_mask_it() -> None:
    desk = SimulatedDesktop(load_world("office"))
    desk.perform(LaunchApp(app="settings"), key="1")
    desk.perform(Fill(target=ActionTarget(text="Email address"), text="secret@example.org"), key="2")
    save = Click(target=ActionTarget(text="Save settings"))
    redactor = Redactor(SafetyPolicy())
    redactor.vault.keep("secret@example.org", "address")
    faulty = FaultyEnvironment(desk, (Fault(kind=FaultKind.STALE, targets=("Email address",)),))
    for wrapped in (TimedEnvironment(desk, 5.0), faulty, FromPixels(desk), SecretBorder(desk, redactor)):
        assert isinstance(wrapped, Preview)
    assert [c.effect for c in TimedEnvironment(desk, 5.0).preview(save) or ()] == [Effect.ACCOUNT]
    assert [c.effect for c in faulty.preview(save) or ()] == [Effect.ACCOUNT]
    assert "secret@example.org" not in str(SecretBorder(desk, redactor).preview(save))
