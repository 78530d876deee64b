"""The verdict on one action: the rules first, then what no rule can give away."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from environments.effects import Change
from protocol import Action, Frozen, GUIElement, JsonObject, VisualState
from roles.safety.case import NOTHING, Case, Grounds, Subject
from roles.safety.destinations import told
from roles.safety.effects import SENSITIVE, Effect, effects_of
from roles.safety.policy import STRICTEST, SafetyPolicy, Verdict, glob
from roles.safety.privacy.vault import references_in
from roles.safety.vocabulary import VOCABULARY

_ORDER = tuple(Effect)
_UNCHANGED = frozenset({Effect.OBSERVE, Effect.NAVIGATE, Effect.EDIT})
"""What an action may be called that changes nothing outside of its window: looking, going, writing what is not kept yet."""
_TOLD = 8

Done = tuple[Effect, str]
"""An effect, and the app that it is in; empty for the one in which the action is performed."""


def done_by(changes: Sequence[Change], worded: Sequence[Effect]) -> tuple[Done, ...]:
    """What is reviewed of an action whose changes are known, the worst first.

    `worded` is what its words say. That counts where it operates something in the physical world, and where an app does not say
    what its changes do; where nothing is changed it can only say something harmless.
    """
    found: list[Done] = [(change.effect, change.app) for change in changes]
    found += [(effect, "") for effect in worded if effect is Effect.ACTUATE or not all(change.declared for change in changes)]
    if not found:
        found = [(next((effect for effect in worded if effect in _UNCHANGED), Effect.NAVIGATE), "")]
    return tuple(sorted(dict.fromkeys(found), key=lambda one: -_ORDER.index(one[0])))


def shown(changes: Iterable[Change] | None) -> list[JsonObject] | None:
    """The changes as plain data, for a state, a request and a log; None where they are not known."""
    return None if changes is None else [change.model_dump(mode="json", exclude_defaults=True) for change in changes]


def alike(known: Sequence[Mapping[str, Any]], now: Sequence[Change]) -> bool:
    """Whether it is still what was reviewed. Under which number something will be kept does not count."""
    then = [(one["effect"], one["app"], one["told"], one.get("digest", "")) for one in known]
    return then == [(change.effect.value, change.app, change.told, change.digest) for change in now]


Severity = Literal["low", "medium", "high"]

_OPENS = frozenset(("navigate", "tabs"))


class Review(Frozen):
    """A safety finding: the verdict, the rule that decided and why."""

    verdict: Verdict
    policy: str
    """Name of the rule, or of what stands above the rules."""
    effect: Effect
    severity: Severity
    reasons: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    """All that the action may amount to."""
    changes: tuple[Change, ...] | None = None
    """What it would change; None where that is not known."""
    page: str = ""
    """The step of a page that the action comes from, such as `step 3 of help:billing/closing.md`."""


def review(
    action: Action,
    element: GUIElement | None,
    state: VisualState,
    policy: SafetyPolicy,
    *,
    confidence: float = 1.0,
    confirm: bool = False,
    grounds: Grounds = NOTHING,
    effects: Sequence[Effect] | None = None,
    unrated: bool = False,
    changes: Sequence[Change] | None = None,
) -> Review:
    """What `policy` says of `action` on `element`. `confirm` means that the decision maker itself wants a person asked.

    No policy lets an actuator be operated without a person: it may forbid that, and not more (seed 000).
    Of an action that amounts to several things, the strictest verdict counts. `effects` are those that the registry of skills
    knows; `unrated` is a tool from outside of which nobody has said what it may do: no policy lets it be called unasked.
    Where it is known what the action `changes`, that is reviewed and not its words.
    """
    subject = Subject(action, element, state, confidence, grounds, policy.is_private, unrated, changes or ())
    cases = _cases(subject, policy, effects, changes)
    found = min((_reviewed(case, policy, confirm) for case in cases), key=_strictness)
    return _checked(_whole(found, cases, changes), subject, policy)


def _checked(found: Review, subject: Subject, policy: SafetyPolicy) -> Review:
    """The finding, or what a check of another package says against the action where that is stricter."""
    for name, (verdict, why) in policy.objections(subject.action, subject.element, subject.state):
        if STRICTEST.index(verdict) < _strictness(found):
            severity = "high" if verdict == "deny" else found.severity
            told = {"verdict": verdict, "policy": name, "severity": severity, "reasons": (why, *found.reasons)}
            found = found.model_copy(update=told)
    return found


def _whole(found: Review, cases: Sequence[Case], changes: Sequence[Change] | None) -> Review:
    """The finding of one case, with what is known of the whole action."""
    told = [f"it {change.told}" for change in changes or ()]
    more = [f"and {len(told) - _TOLD} more changes"] if len(told) > _TOLD else []
    reasons = found.reasons if found.verdict == "allow" else (*found.reasons, *told[:_TOLD], *more)
    effects = tuple(dict.fromkeys(case.effect for case in cases))
    known = None if changes is None else tuple(changes)
    return found.model_copy(update={"effects": effects, "changes": known, "reasons": reasons})


def _cases(
    subject: Subject, policy: SafetyPolicy, effects: Sequence[Effect] | None, changes: Sequence[Change] | None
) -> list[Case]:
    worded = effects or effects_of(subject.action, subject.element, subject.state)
    done = [(effect, "") for effect in worded] if changes is None else list(done_by(changes, worded))
    cases = [Case(subject, effect, app) for effect, app in done]
    if changes is None:
        return cases
    more = [Case(subject, effect, "") for effect in worded if effect in SENSITIVE and (effect, "") not in done]
    if subject.action.verb in _OPENS:  # what an address tells another site changes nothing here
        return [*cases, *more]
    # The first press of what a policy denies may only bring up a question: no need to go that far.
    return [*cases, *(case for case in more if (look := policy.deciding(case)) is not None and look.verdict == "deny")]


def _strictness(review: Review) -> int:
    return STRICTEST.index(review.verdict)


def _reviewed(case: Case, policy: SafetyPolicy, confirm: bool) -> Review:
    effect, app = case.effect, case.app
    severity: Severity = "medium" if effect in SENSITIVE else "low"
    if effect is Effect.ACTUATE:
        severity = "high"
    if app and not glob(app, policy.allowed_apps):
        reason = f"{app} is not among the allowed applications ({', '.join(policy.allowed_apps)})"
        return Review(verdict="deny", policy="allowed_apps", effect=effect, severity="high", reasons=(reason,))
    if case.action.verb == "ask_user":
        why = "only the user can answer"
        return Review(verdict="ask", policy="question_for_the_user", effect=effect, severity="low", reasons=(why,))
    look = policy.deciding(case)
    if look is None:
        verdict, name, why = policy.otherwise, "otherwise", "no rule matches"
    else:
        verdict, name, why = look.verdict, look.rule.name, look.failed or look.rule.why or f"the action would {_phrase(effect)}"
    if verdict == "allow" and (raised := _raised(case, policy, confirm)):
        verdict, (name, why) = "ask", raised
    if verdict == "deny":
        severity = "high"
    leads = () if verdict == "allow" or case.element is None else told(case.element, case.state)
    found = Review(verdict=verdict, policy=name, effect=effect, severity=severity, reasons=(why, *leads))
    if verdict == "allow" or case.step is None:
        return found
    page = f'it comes from a page, {case.step.told()}: "{case.step.text}"'
    return found.model_copy(update={"reasons": (why, *leads, page), "page": case.step.told()})


def _raised(case: Case, policy: SafetyPolicy, confirm: bool) -> tuple[str, str] | None:
    """Why a person is asked about what the rules allow, by name and in words; None where nothing speaks against it."""
    harmless = case.action.inner or case.effect is Effect.OBSERVE
    confidence = case.subject.confidence
    if confidence < policy.min_confidence:
        return "low_confidence", f"confidence {confidence:.2f} is below {policy.min_confidence:.2f}"
    if not case.app and not harmless and not glob("", policy.allowed_apps):
        return "allowed_apps", "it cannot be determined which application this is"
    if case.effect is Effect.ACTUATE:
        return "actuators_need_a_person", "it operates something in the physical world"
    if case.subject.unrated:
        return "unrated_tools_need_a_person", "nobody has said what this tool from outside may do (skills.known, skills.mcp.risk)"
    if policy.private_in_the_open == "ask" and not case.action.inner and _shows_private(case):
        return "private_value_in_the_open", "it would take a private value to where it can be read"
    if policy.from_pages == "ask" and case.effect in SENSITIVE and case.added_by_page:
        return "only_a_page_wants_it", f"the action would {_phrase(case.effect)}, and nothing that the user said asks for that"
    if confirm:
        return "asked_to_confirm", "the decision maker wants a person to confirm"
    return None


def _shows_private(case: Case) -> bool:
    """Whether the action carries a private value to anything but a private field: an address, a message, an open field."""
    if not any(references_in(value) for value in case.values):
        return False
    subject = case.subject
    focused = next((e for e in subject.state.elements if e.focused), None) if case.action.verb == "type" else None
    into = subject.element if case.action.target is not None else focused
    return into is None or not subject.is_private(into)


def _phrase(effect: Effect) -> str:
    return str(VOCABULARY["effects"].get(effect.value, effect.value))
