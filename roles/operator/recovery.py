"""The bounded attempts to get past what stands in the way, and whether an action may be tried again. Source: seed 000.

Recovery never acts on its own: it queues an action that is planned, reviewed and executed like any other. Every verb has a
class: doing it twice is the same as doing it once, or it is not. What is not is repeated only when the screen, read back, shows
no trace of the first attempt; else a person says whether.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from environments.contract import STOPPED
from environments.effects import released
from environments.effects.words import is_way_out
from protocol import (
    CARRIES,
    Action,
    ActionTarget,
    AgentAction,
    AskUser,
    Click,
    ExecStatus,
    GUIElement,
    PressKey,
    Scroll,
    VisualState,
    Wait,
    describe,
    parse_action,
    target_element,
)
from roles.contracts import StepRecord
from roles.contracts.context import Context, State, Update
from roles.journal.events import RecoveredEvent
from roles.operator.perceive import record, step_of, subtask_id
from roles.safety.effects import SENSITIVE, Effect, effect_of, effect_of_words
from roles.screen.dialogs import announces, classify_dialog, dialog_text, dismiss_choice, target_name
from roles.screen.screens import FIELD_ROLES, PRESS_VERBS
from roles.skills.contract import REPEATS, Idempotence, Skill

CHANGED = "the screen changed after the approval"
"""How an error begins that says why an approval did not hold."""
_NOT_DONE = ("target not found", "not performed", STOPPED, CHANGED)
"""How the Operator itself says that an action never reached the environment."""
_PASSING = frozenset({"alert", "status", "progressbar", "tooltip", "timer"})
"""Roles of what passes, and what a failure itself may show; a status that is new counts all the same."""
_RECENT = 8


def idempotence_of(action: Action, effect: Effect, skill: Skill | None = None) -> Idempotence:
    """What it means to do it twice: by its verb; a field that is sent is not repeatable, and a press that only looks is.

    What is called is as its skill says.
    """
    if skill is not None and skill.kind != "gui":
        return skill.idempotence
    if getattr(action, "submit", False):
        return Idempotence.ONCE
    return Idempotence.READING if effect is Effect.OBSERVE else REPEATS.get(action.verb, Idempotence.ONCE)


def doubt(
    action: Action,
    element: GUIElement | None,
    effect: Effect,
    seen: VisualState,
    steps: Sequence[StepRecord],
    screen: Callable[[str], VisualState | None],
    skill: Skill | None = None,
) -> str:
    """Why this action needs a person before it is tried again, or an empty string. `steps` are those of the attempt."""
    if idempotence_of(action, effect, skill) is not Idempotence.ONCE:
        return ""
    first = next((s for s in reversed(steps[-_RECENT:]) if _same(s, action, element, effect)), None)
    if first is None or first.exec_status is ExecStatus.EXECUTED or first.error.startswith(_NOT_DONE):
        return ""
    said = first.error or first.exec_status.value
    if released(action) or (skill is not None and skill.outside):  # no screen shows what a program of others has done
        return f"it was called at step {first.step} ({said}), and it may have been done already"
    before, after = screen(first.before), screen(first.after)
    if before is not None and after is not None and not (has_trace(before, after) or has_trace(before, seen)):
        return ""
    return f"it was tried at step {first.step} ({said}), and the screen was another one afterwards: it may have been done already"


def asked_anew(action: Action, element: GUIElement | None, effect: Effect, steps: Sequence[StepRecord]) -> str:
    """Why the approval of the same action did not hold the last time, or an empty string."""
    last = next((s for s in reversed(steps[-_RECENT:]) if _same(s, action, element, effect)), None)
    return f"it is asked about anew: {last.error}" if last is not None and last.error.startswith((STOPPED, CHANGED)) else ""


def _same(step: StepRecord, action: Action, element: GUIElement | None, effect: Effect) -> bool:
    """The same thing done to the same control, by whichever verb: a press by key is a press."""
    before = parse_action(step.action)
    names = {target_name(action), *([element.name] if element is not None else [])}
    if step.target not in names or _carried(before) != _carried(action):
        return False
    return step.verb == effect.value or (before.verb, before.parameters) == (action.verb, action.parameters)


def _carried(action: Action) -> dict[str, object]:
    return {name: value for name, value in action.parameters.items() if name in CARRIES}


def has_trace(before: VisualState, after: VisualState) -> bool:
    """Whether something is on the screen that was not, or is no longer; a status that went away says nothing."""
    held, holds = content(before), content(after)
    return held != holds or bool(_statuses(after) - _statuses(before))


def content(state: VisualState) -> tuple[object, ...]:
    """What a screen holds, without its messages, its focus and its places."""
    held = sorted((e.role or "", e.name, e.value or "", e.selected) for e in state.elements if e.role not in _PASSING)
    return state.app, state.modal is not None, tuple(held)


def _statuses(state: VisualState) -> set[str]:
    return {e.name for e in state.elements if e.role == "status"}


_ANSWERS = {"ok": "cancel", "leave": "stay"}
_WAITS = frozenset({"wait", "screenshot"})
_SPOKEN = re.compile(
    r"\b(?:accept|confirm|agree to|dismiss|decline|answer)\w*\b.*\b(?:dialog|pop-?up|question|prompt|message|alert)",
    re.IGNORECASE,
)


class Question(NamedTuple):
    """What is asked, and the control that says yes and the one that says no."""

    words: str
    yes: GUIElement
    no: GUIElement

    def answered_in(self, goal: str) -> bool:
        """Whether the goal says itself what is to be pressed."""
        return _SPOKEN.search(goal) is not None or any(
            re.search(rf"\b{re.escape(button.name)}\b", goal, re.IGNORECASE) for button in (self.yes, self.no)
        )


def _is_graver(button: GUIElement, press: StepRecord, seen: VisualState) -> bool:
    """Whether a button of the dialog that a press brought up does more than the press said."""
    effect = effect_of(Click(target=ActionTarget.of(button)), button, seen)
    return effect in SENSITIVE and press.verb != effect.value and effect_of_words(press.target) not in (None, Effect.CONFIRM)


def question_of(dialog: GUIElement, inside: Sequence[GUIElement]) -> Question | None:
    """The question that a dialog of two plain answers puts, and that wants no words."""
    buttons = {e.name.strip().casefold(): e for e in inside if e.role == "button" and e.enabled}
    if any(e.role in {"textbox", "searchbox"} for e in inside):
        return None
    for yes, no in _ANSWERS.items():
        if set(buttons) == {yes, no}:
            return Question(_said(dialog, inside), buttons[yes], buttons[no])
    return None


def _said(dialog: GUIElement, inside: Sequence[GUIElement]) -> str:
    """What stands in a dialog beside its buttons."""
    return " - ".join(dict.fromkeys(e.name for e in (dialog, *inside) if e.name and e.role != "button"))[:200]


def repeats(press: StepRecord, dialog: GUIElement, inside: Sequence[GUIElement]) -> bool:
    """Whether the dialog offers the verb of the press again (`Close`, `Close ticket`), and a way out of it."""
    verb = press.target.casefold().split()[:1]
    again = [e for e in inside if e.role == "button" and e.enabled and e.name.casefold().split()[:1] == verb]
    return bool(verb and again) and dismiss_choice(dialog, [e for e in inside if e not in again]) is not None


def brought_up_by(seen: VisualState, steps: Sequence[StepRecord]) -> StepRecord | None:
    """The crew's own press that the open dialog followed at once, where the goal wanted that press."""
    acts = [s for s in steps if s.action["action_type"] not in _WAITS and (s.visible_change or s.exec_status == "executed")]
    last = acts[-1] if acts else None
    if last is None or last.recovery or last.action["action_type"] not in PRESS_VERBS:
        return None
    return last if any(event.startswith("popup:") for event in last.events) else None


def carries_on(press: StepRecord, dialog: GUIElement, inside: Sequence[GUIElement], seen: VisualState) -> bool:
    """Whether the dialog asks for just what the press was for (`Place order`: place your order?), in no words of its own."""
    buttons = [e for e in inside if e.role in {"button", "link"} and e.enabled and not is_way_out(e.name)]
    meant = {press.verb, str(effect_of_words(press.target) or "")}
    effects = {effect_of(Click(target=ActionTarget.of(e)), e, seen) for e in buttons}
    asks_for_words = any(e.role in FIELD_ROLES for e in inside)
    return not asks_for_words and dismiss_choice(dialog, inside) is not None and bool(effects) and effects <= SENSITIVE & meant


def answers_gravely(action: Action, seen: VisualState, steps: Sequence[StepRecord]) -> bool:
    """Whether it says anything but no to such a question of a kind that a person answers, whatever the policy allows."""
    dialog, begun = seen.by_id.get(seen.modal or ""), brought_up_by(seen, steps)
    if dialog is None or begun is None or action.inner:
        return False
    inside = seen.within(dialog)
    grave = classify_dialog(dialog, inside) in _GRAVE and carries_on(begun, dialog, inside, seen)
    return grave and effect_of(action, target_element(action.target, seen), seen) not in {Effect.OBSERVE, Effect.NAVIGATE}


_WORD, _NUMBER = re.compile(r"[^\W\d_]{3,}"), re.compile(r"\d{2,}")
_EMPTY_WORDS = frozenset(
    {"the", "and", "for", "you", "your", "this", "that", "with", "are", "not", "yes", "cancel", "close", "okay"}
)
_LONGEST_WAIT = 8.0
_TITLE = 80
"""Letters of a dialog's title by which an event is known to speak of it; events are cut."""
_GRAVE = frozenset({"security", "permission", "payment", "consent", "account"})
"""Kinds that a person answers (seed 000), whatever was pressed before."""


BY_ITSELF = "the crew did this by itself: "
"""How the remark of a step begins that no policy decided."""
IN_THE_WAY = "a harmless pop-up is in the way"


class Interruption(NamedTuple):
    """A dialog that the crew did not ask for, and the safest thing to do about it."""

    harmless: bool
    action: AgentAction
    why: str


def interruption(
    seen: VisualState, steps: Sequence[StepRecord], goal: str = "", refused: Sequence[str] = ()
) -> Interruption | None:
    """Classify an open dialog before anything is pressed in it; None when there is none, when it is the crew's own, or when
    a person refused that press before: the policy may know another way, but not out of a grave dialog."""
    dialog = seen.by_id.get(seen.modal or "")
    if dialog is None:
        return None
    inside = seen.within(dialog)
    begun = brought_up_by(seen, steps)
    if begun is not None and (asked := question_of(dialog, inside)) is not None:
        if asked.answered_in(goal):
            return None  # the goal says how it is answered, and the answer is reviewed as any press
        if not _is_graver(asked.yes, begun, seen):  # else it is left to the safest answer
            answer = Click(target=ActionTarget.of(asked.yes))
            return Interruption(False, answer, f"the page asks after {describe(parse_action(begun.action))}: {asked.words}")
    kind = classify_dialog(dialog, inside)
    if begun is not None and carries_on(begun, dialog, inside, seen):
        return None
    again = begun is not None and repeats(begun, dialog, inside)
    if kind not in _GRAVE and (
        again or _own(dialog, inside, steps, goal) or (begun is not None and _asks_back(begun, seen, steps))
    ):
        return None
    choice = dismiss_choice(dialog, inside)
    what = _said(dialog, inside)
    if kind == "harmless":
        action: AgentAction = Click(target=ActionTarget.of(choice)) if choice else PressKey(keys=("Escape",))
        return Interruption(True, action, f"{IN_THE_WAY}: {what}")
    why = f"an unexpected {kind} dialog is open: {what}"
    if choice is None:
        return _asked_once(f"{why}. What should be done?", why, inside, steps)
    press = Click(target=ActionTarget.of(choice))
    if kind not in _GRAVE and describe(press) in refused:
        return None
    return Interruption(False, press, f"{why}; the safest answer is to {describe(press)}")


def _asked_once(question: str, why: str, inside: Sequence[GUIElement], steps: Sequence[StepRecord]) -> Interruption | None:
    """A question about what is open, with what it offers; None once a person has answered it, which the policy knows."""
    buttons = ", ".join(repr(e.name) for e in inside if e.role == "button")
    whole = f"{question} It offers {buttons or 'no button'}."
    answered = any(s.action.get("question") == whole and s.exec_status == "executed" for s in steps)
    return None if answered else Interruption(False, AskUser(question=whole), why)


def _own(dialog: GUIElement, inside: Sequence[GUIElement], steps: Sequence[StepRecord], goal: str) -> bool:
    """A dialog that follows from the crew's own press: of a control that speaks of the same thing, or of one after which it
    opened at once, whatever was done in it since, and which is about what the goal is about: a record of it stands in its title,
    or there is a field for it."""
    fields = [e for e in inside if e.role in FIELD_ROLES]
    titles = [dialog.name, *(e.name for e in inside if e.role == "heading" or e in fields)]
    offered = words(" ".join([*titles, *(e.name for e in inside if e.role == "button")]))
    pressed = [s for s in steps if s.action["action_type"] in {*PRESS_VERBS, "drag"}]
    if any(words(s.target) & offered for s in pressed[-4:]):
        return True
    opened = next(iter(_openings(dialog, inside, steps)), None)
    if opened is None or opened.recovery or opened.action["action_type"] not in PRESS_VERBS or announces(dialog, inside):
        return False
    said = " ".join([_title(dialog, inside), *titles, *(option for e in fields for option in e.options)])
    return bool((words(said) | {*_NUMBER.findall(said)}) & (words(goal) | {*_NUMBER.findall(goal)}))


def _asks_back(press: StepRecord, seen: VisualState, steps: Sequence[StepRecord]) -> bool:
    """Whether a dialog that opened at once after a press asks about it: it says so, it has the words of the press, or it came
    back when the same was pressed again after it was closed. What does more than was pressed for asks nothing of the kind."""
    dialog = seen.by_id[seen.modal or ""]
    inside = seen.within(dialog)
    buttons = [e for e in inside if e.role in {"button", "link"} and e.enabled and not is_way_out(e.name)]
    if announces(dialog, inside) or any(_is_graver(button, press, seen) for button in buttons):
        return False
    again = any(s.target == press.target for s in _openings(dialog, inside, steps) if s.step != press.step and not s.recovery)
    about = words(press.target) & words(dialog_text(dialog, inside))
    return again or bool(about) or classify_dialog(dialog, inside) == "confirm"


def _openings(dialog: GUIElement, inside: Sequence[GUIElement], steps: Sequence[StepRecord]) -> list[StepRecord]:
    """The steps after which a dialog of this title opened, the newest first."""
    title = _title(dialog, inside)
    return [s for s in reversed(steps) if title and any(e.startswith(f"popup: {title[:_TITLE]}") for e in s.events)]


def _title(dialog: GUIElement, inside: Sequence[GUIElement]) -> str:
    return next((e.name for e in (dialog, *inside) if e.name and e.role != "button"), "")


def words(text: str) -> set[str]:
    """The words of a text that say what it is about."""
    return {w.casefold() for w in _WORD.findall(text)} - _EMPTY_WORDS


def trouble_in(after: VisualState, last: StepRecord, blocked: Interruption | None) -> str:
    """What on the screen after a step that worked wants recovery, or an empty string."""
    if blocked is not None:
        return "popup"
    if after.loading:
        return "loading"
    return "validation" if any(event.startswith("validation:") for event in last.events) else ""


def recover_from_failure(state: State, ctx: Context) -> Update:
    """One bounded attempt: wait, scroll, or simply look again with what is known now."""
    trouble = state["task_context"]["trouble"]
    attempt = state["recovery_attempts"] + 1
    action = remedy(trouble, attempt)
    how = describe(action) if action else "observe again"
    step = step_of(state)
    tried = RecoveredEvent(how=how, attempt=attempt, trouble=trouble)
    record(state, ctx, tried, step=step, key=f"recovered/{subtask_id(state)}/{step}/{attempt}")
    context = {k: v for k, v in state["task_context"].items() if k not in {"trouble", "recovery"}}
    if action is not None:
        context["recovery"] = {"action": action.dump(), "why": f"recovery {attempt} from {trouble}"}
    return {"recovery_attempts": attempt, "task_context": context, "pending_action": None, "interaction_status": "running"}


def remedy(trouble: str, attempt: int) -> AgentAction | None:
    """What to try against the trouble at this attempt; None means to look again and decide with what is known now."""
    if trouble == "loading":
        return Wait(seconds=min(2.0 ** (attempt - 1), _LONGEST_WAIT))
    if trouble == "hidden" or (trouble == "missing" and attempt == 2):
        return Scroll.toward("down", 1, "page")
    if trouble == "missing" and attempt > 2:
        return Scroll.toward("up", attempt, "page")
    if trouble in {"missing", "failed"}:
        return Wait(seconds=1.0)
    return None
