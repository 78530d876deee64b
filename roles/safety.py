"""The safety policy: what an action may do. Rules are data; deny stands before ask, ask before allow. Source: seed 000."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic import Field

from protocol import CARRIES, VERBS, Action, Frozen, GUIElement, VisualState
from roles.effects import SENSITIVE, Effect, effect_of

Verdict = Literal["allow", "ask", "deny"]
_STRICTEST: tuple[Verdict, ...] = ("deny", "ask", "allow")


class Rule(Frozen):
    """Matches when every condition that it gives matches. Patterns are globs, case does not count."""

    name: str = Field(min_length=1)
    verdict: Verdict
    effects: tuple[Effect, ...] = ()
    verbs: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    why: str = ""

    def matches(self, effect: Effect, action: Action, app: str, target: str) -> bool:
        return (
            (not self.effects or effect in self.effects)
            and (not self.verbs or action.verb in self.verbs)
            and (not self.apps or _glob(app, self.apps))
            and (not self.targets or _glob(target, self.targets))
            and (not self.values or any(_glob(value, self.values) for value in _written(action)))
        )


class SafetyPolicy(Frozen):
    """Which applications may be used, what needs approval, what is forbidden, and what must not be shown."""

    name: str = "ask-sensitive"
    allowed_apps: tuple[str, ...] = ("*",)
    rules: tuple[Rule, ...] = (
        Rule(name="approval_required_for_sensitive_actions", verdict="ask", effects=tuple(sorted(SENSITIVE))),
        Rule(name="approval_required_for_unknown_controls", verdict="ask", effects=(Effect.ACTIVATE, Effect.CONFIRM)),
        Rule(name="work_is_allowed", verdict="allow", effects=(Effect.OBSERVE, Effect.NAVIGATE, Effect.EDIT, Effect.SAVE)),
    )
    otherwise: Verdict = "ask"
    """For an action that no rule matches."""
    min_confidence: float = Field(default=0.5, ge=0.0, le=1.0)
    """A decision below it needs approval."""
    redact: tuple[str, ...] = ("*password*", "*passcode*", "*secret*", "*card number*", "*cvv*", "*cvc*")
    """Names of fields whose content is never logged, reported or shown, beside those an application marks private."""

    def constrained(self, constraints: Mapping[str, Any]) -> SafetyPolicy:
        """The policy under a task's `constraints` (seed 000): `allowed_apps`, `forbidden_actions`, `redact`.

        `forbidden_actions` are effects, verbs or names of controls. A task narrows what the policy allows and never widens it.
        """
        rules = [_forbid(word) for word in _listed(constraints.get("forbidden_actions"))]
        allowed = self.allowed_apps
        if constraints.get("allowed_apps") is not None:
            asked = _listed(constraints["allowed_apps"])
            both = [a for a in asked if _glob(a, allowed)] + [a for a in allowed if _glob(a, asked)]
            allowed = tuple(dict.fromkeys(both))
        redact = (*self.redact, *_listed(constraints.get("redact")))
        return self.model_copy(update={"rules": (*rules, *self.rules), "allowed_apps": allowed, "redact": redact})

    def is_private(self, element: GUIElement) -> bool:
        return element.private or _glob(element.name, self.redact)


class Review(Frozen):
    """A safety finding: the verdict, the rule that decided and why."""

    verdict: Verdict
    policy: str
    """Name of the rule."""
    effect: Effect
    severity: Literal["low", "medium", "high"]
    reasons: tuple[str, ...] = ()


def review(
    action: Action,
    element: GUIElement | None,
    state: VisualState,
    policy: SafetyPolicy,
    *,
    confidence: float = 1.0,
    confirm: bool = False,
) -> Review:
    """What `policy` says of `action` on `element`. `confirm` means that the decision maker itself wants a person asked."""
    effect = effect_of(action, element, state)
    app = _app_of(action, element, state)
    harmless = action.inner or effect is Effect.OBSERVE
    severity: Literal["low", "medium", "high"] = "medium" if effect in SENSITIVE else "low"
    if app and not _glob(app, policy.allowed_apps):
        reason = f"{app} is not among the allowed applications ({', '.join(policy.allowed_apps)})"
        return Review(verdict="deny", policy="allowed_apps", effect=effect, severity="high", reasons=(reason,))
    if action.verb == "ask_user":
        return Review(
            verdict="ask", policy="question_for_the_user", effect=effect, severity="low", reasons=("only the user can answer",)
        )
    target = element.name if element is not None else _words(action)
    rule = _deciding(policy, effect, action, app or "", target)
    verdict: Verdict = rule.verdict if rule else policy.otherwise
    name, why = (rule.name, rule.why) if rule else ("otherwise", "no rule matches")
    reasons = [why or f"the action would {_phrase(effect)}"]
    if verdict == "allow" and confidence < policy.min_confidence:
        verdict, name = "ask", "low_confidence"
        reasons = [f"confidence {confidence:.2f} is below {policy.min_confidence:.2f}"]
    if verdict == "allow" and not app and not _glob("", policy.allowed_apps) and not harmless:
        verdict, name = "ask", "allowed_apps"
        reasons = ["it cannot be told which application this is"]
    if verdict == "allow" and confirm:
        verdict, name, reasons = "ask", "asked_to_confirm", ["the decision maker wants a person to confirm"]
    if verdict == "deny":
        severity = "high"
    return Review(verdict=verdict, policy=name, effect=effect, severity=severity, reasons=tuple(reasons))


def _deciding(policy: SafetyPolicy, effect: Effect, action: Action, app: str, target: str) -> Rule | None:
    matching = [rule for rule in policy.rules if rule.matches(effect, action, app, target)]
    return min(matching, key=lambda rule: _STRICTEST.index(rule.verdict), default=None)


def _app_of(action: Action, element: GUIElement | None, state: VisualState) -> str | None:
    named = action.parameters.get("app") if action.verb in {"launch_app", "call_api", "ask_in_app_agent"} else None
    if action.verb == "switch_window":
        wanted = str(action.parameters.get("window"))
        named = next((w.app for w in state.windows if wanted in (w.window_id, w.app)), wanted)
    if action.inner:
        return None
    return named or (element.app if element is not None else None) or state.app


def _written(action: Action) -> list[str]:
    """Every text that the action carries to somewhere: what is typed, chosen, opened, uploaded, sent or run."""
    carried = [value for name, value in action.parameters.items() if name in CARRIES]
    found: list[str] = []
    while carried:
        value = carried.pop()
        if isinstance(value, dict):
            carried += [*value, *value.values()]
        elif isinstance(value, list):
            carried += value
        else:
            found.append(str(value))
    return found or [""]


def _words(action: Action) -> str:
    return action.target.describe() if action.target else str(action.parameters.get("app", ""))


def _phrase(effect: Effect) -> str:
    phrases = {
        Effect.SUBMIT: "submit something to others",
        Effect.SEND: "send something to others",
        Effect.PURCHASE: "spend money",
        Effect.ACCOUNT: "change an account",
        Effect.PERMISSION: "grant or accept something",
        Effect.DELETE: "delete something",
        Effect.ACTIVATE: "press a control of unknown effect",
        Effect.CONFIRM: "confirm something",
    }
    return phrases.get(effect, str(effect))


def _forbid(word: str) -> Rule:
    folded = word.strip().casefold()
    name = f"forbidden_{folded.replace(' ', '_')}"
    if folded in {e.value for e in Effect}:
        return Rule(name=name, verdict="deny", effects=(Effect(folded),), why=f"{word} is forbidden")
    if folded in VERBS:
        return Rule(name=name, verdict="deny", verbs=(folded,), why=f"{word} is forbidden")
    return Rule(name=name, verdict="deny", targets=(f"*{folded.replace('[', '[[]')}*",), why=f'"{word}" is forbidden')


def _listed(value: Any) -> tuple[str, ...]:
    """A constraint that is one word counts as a list of one."""
    if value is None or isinstance(value, str):
        return () if value is None else (value,)
    return tuple(str(item) for item in value)


def _glob(text: str, patterns: tuple[str, ...]) -> bool:
    folded = text.casefold()
    return any(fnmatchcase(folded, pattern.casefold()) for pattern in patterns)
