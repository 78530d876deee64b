"""A safety policy as data: its rules, what is settled without them, and how a task narrows it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, ValidationError

from environments.effects import Network
from protocol import VERBS, Action, Frozen, GUIElement, VisualState
from roles.safety.case import Case
from roles.safety.constraints import Constraints, glob, holds, narrowed, problem_with
from roles.safety.effects import SENSITIVE, Effect

Verdict = Literal["allow", "ask", "deny"]
Objection = tuple[Verdict, str]
"""What a safety check says against an action, and why."""
STRICTEST: tuple[Verdict, ...] = ("deny", "ask", "allow")


def _condition(condition: str) -> str:
    if problem := problem_with(condition):
        raise ValueError(f"{condition!r} cannot be evaluated: {problem}")
    return condition


def written_out(network: Any) -> Any:
    """What a policy says of requests, in a word or in full; `off` without quotes is what YAML takes for false."""
    if network is False:
        return {"mode": "off"}
    if isinstance(network, str):
        return {"mode": network}
    # What comes from a file is read strictly, and a list is no tuple then.
    allow = network.get("allow") if isinstance(network, dict) else None
    return network | {"allow": tuple(allow)} if isinstance(allow, list) else network


def _verb(verb: str) -> str:
    if verb not in VERBS and not verb.startswith("x-"):
        raise ValueError(f"there is no verb {verb!r}; verbs are {', '.join(VERBS)}")
    return verb


class Rule(Frozen):
    """Applies when every condition that it gives holds. Patterns are globs, case does not count.

    Of an action that carries several values, one that fits is enough to ask or to deny; to allow it, every one has to fit.
    """

    name: str = Field(min_length=1)
    verdict: Verdict
    effects: tuple[Effect, ...] = ()
    verbs: tuple[Annotated[str, AfterValidator(_verb)], ...] = ()
    apps: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    """Hosts that it opens, sends to, or is done on, with all below them."""
    condition: Annotated[str, AfterValidator(_condition)] | None = Field(default=None, alias="if")
    """CEL over action, target, app, value, provenance, facts, screen and confidence."""
    why: str = ""

    def look(self, case: Case) -> Look:
        """What the rule says of a case. One whose condition cannot be evaluated asks, or denies; it never allows."""
        if unfit := self._unfit(case):
            return Look(rule=self, because=unfit)
        if self.condition is None:
            return Look(rule=self, verdict=self.verdict)
        held = holds(self.condition, case, every=self.verdict == "allow")
        if held.problem:
            strict: Verdict = "deny" if self.verdict == "deny" else "ask"
            return Look(rule=self, verdict=strict, failed=True, because=f"its condition cannot be evaluated: {held.problem}")
        return Look(rule=self, verdict=self.verdict) if held.holds else Look(rule=self, because="if")

    def _unfit(self, case: Case) -> str:
        """The first of its keys that does not fit, or nothing."""
        if self.effects and case.effect not in self.effects:
            return "effects"
        if self.verbs and case.action.verb not in self.verbs:
            return "verbs"
        if self.apps and not any(glob(app, self.apps) for app in case.apps):
            return "apps"
        if self.targets and not glob(case.target, self.targets):
            return "targets"
        fits = all if self.verdict == "allow" else any
        if self.domains and not (case.domains and fits(glob(host, _with_below(self.domains)) for host in case.domains)):
            return "domains"
        if self.values and not fits(glob(value, self.values) for value in case.values):
            return "values"
        return ""


class Look(NamedTuple):
    """What one rule says of one case."""

    rule: Rule
    verdict: Verdict | None = None
    """None where the rule does not apply."""
    failed: bool = False
    because: str = ""
    """The key that does not fit, or why the condition failed."""


class SafetyCheck(Protocol):
    """Code that looks at an action after the rules. It can only be stricter than they are; one that fails denies."""

    name: str

    def check(self, action: Action, element: GUIElement | None, state: VisualState) -> Objection | None: ...


class SafetyPolicy(Frozen):
    """Which applications may be used, what needs approval, what is forbidden, and what must not be shown."""

    name: str = "ask-sensitive"
    only_in_simulation: bool = False
    """Refused for an environment that is not simulated."""
    allowed_apps: tuple[str, ...] = ("*",)
    rules: tuple[Rule, ...] = (
        Rule(name="approval_required_for_sensitive_actions", verdict="ask", effects=tuple(sorted(SENSITIVE))),
        Rule(name="approval_required_for_unknown_controls", verdict="ask", effects=(Effect.ACTIVATE, Effect.CONFIRM)),
        Rule(name="work_is_allowed", verdict="allow", effects=(Effect.OBSERVE, Effect.NAVIGATE, Effect.EDIT, Effect.SAVE)),
    )
    otherwise: Verdict = "ask"
    """For an action that no rule applies to."""
    min_confidence: float = Field(default=0.5, ge=0.0, le=1.0)
    """A decision below it needs approval."""
    approval_seconds: float | None = Field(default=86_400.0, gt=0)
    """So long a request waits for an answer, and so long an approval that was given may be used. None is for ever."""
    expired: Literal["ask", "deny"] = "ask"
    """What becomes of an action whose request or approval is older than that: it is asked again, or rejected."""
    private_in_the_open: Literal["ask", "allow"] = "ask"
    """What the rules allow and would take a private value to anything but a private field."""
    from_pages: Literal["ask", "allow"] = "ask"
    """What the rules allow and only a page that was looked up wants: to reach others, cost, delete or change an account."""
    network: Annotated[Network, BeforeValidator(written_out)] = Network()
    """What becomes of requests that change something and that no action was allowed to cause: `hold`, `watch` or `off`, and
    which of them pages may send by themselves."""
    private: tuple[str, ...] = ("*password*", "*passcode*", "*secret*", "*card number*", "*cvv*", "*cvc*")
    """Names of fields whose content is never logged, reported or shown, beside those an application marks private."""

    _checks: tuple[SafetyCheck, ...] = PrivateAttr(default=())

    def with_checks(self, checks: Iterable[SafetyCheck]) -> SafetyPolicy:
        """The policy, with more checks after its rules."""
        more = self.model_copy()
        more._checks = (*self._checks, *checks)
        return more

    def objections(self, action: Action, element: GUIElement | None, state: VisualState) -> Iterator[tuple[str, Objection]]:
        """What each check says against an action, with its name."""
        for check in self._checks:
            try:
                said = check.check(action, element, state)
            except Exception as bad:  # noqa: BLE001 - code of others, and nothing that it raises may let an action pass
                said = "deny", f"it failed: {type(bad).__name__}: {bad}"
            if said is not None:
                verdict, why = said
                yield check.name, (verdict if verdict in STRICTEST else "deny", why)

    def looks(self, case: Case) -> list[Look]:
        """What each rule says of a case, the strictest rules first, else in their order."""
        return [rule.look(case) for verdict in STRICTEST for rule in self.rules if rule.verdict == verdict]

    def deciding(self, case: Case) -> Look | None:
        """The look that counts: the strictest verdict, and of those that are equally strict the first rule's."""
        for verdict in ("deny", "ask"):
            for rule in self.rules:
                if rule.verdict == verdict and (look := rule.look(case)).verdict is not None:
                    return look
        allowing = [look for rule in self.rules if rule.verdict == "allow" and (look := rule.look(case)).verdict is not None]
        return next((look for look in allowing if look.failed), allowing[0] if allowing else None)

    def constrained(self, constraints: Mapping[str, Any] | Constraints) -> SafetyPolicy:
        """The policy under a task's `constraints` (seed 000), which narrow what it allows and never widen it."""
        asked = Constraints.model_validate(constraints)
        apps = self.allowed_apps if asked.allowed_apps is None else narrowed(asked.allowed_apps, self.allowed_apps)
        rules = (*map(_forbid, asked.forbidden_actions), *_rules_of(asked), *self.rules)
        return self.model_copy(update={"rules": rules, "allowed_apps": apps, "private": (*self.private, *asked.private)})

    def is_private(self, element: GUIElement) -> bool:
        return element.private or self.hides(element.name)

    def hides(self, name: str) -> bool:
        """Whether what goes by this name is never logged, reported or shown."""
        return glob(name, self.private)


def _forbid(word: str) -> Rule:
    folded = word.strip().casefold()
    name = f"forbidden_{folded.replace(' ', '_')}"
    if folded in {e.value for e in Effect}:
        return Rule(name=name, verdict="deny", effects=(Effect(folded),), why=f"{word} is forbidden")
    if folded in VERBS:
        return Rule(name=name, verdict="deny", verbs=(folded,), why=f"{word} is forbidden")
    return Rule(name=name, verdict="deny", targets=(f"*{folded.replace('[', '[[]')}*",), why=f'"{word}" is forbidden')


def _rules_of(asked: Constraints) -> Iterator[Rule]:
    if asked.blocked_domains:
        why = f"blocked: {', '.join(asked.blocked_domains)}"
        yield Rule(name="blocked_domains", verdict="deny", domains=asked.blocked_domains, why=why)
    changing = tuple(effect for effect in Effect if effect not in {Effect.OBSERVE, Effect.NAVIGATE})
    for condition in asked.scope:
        said = {"name": "scope", "if": f"!({condition})", "why": f"out of scope: {condition}"}
        yield Rule.model_validate(said | {"verdict": "deny", "effects": changing})
    level, unknown = asked.maximum_autonomy, {Effect.ACTIVATE, Effect.CONFIRM}
    if level is not None:
        effects = changing if level != "ask-sensitive" else tuple(e for e in changing if e in SENSITIVE | unknown)
        verdict: Verdict = "deny" if level == "read-only" else "ask"
        yield Rule(name="maximum_autonomy", verdict=verdict, effects=effects, why=f"the maximum autonomy is {level}")


def _with_below(domains: tuple[str, ...]) -> tuple[str, ...]:
    return (*domains, *(f"*.{domain}" for domain in domains))


class Uptime(NamedTuple):
    """How long the machine has been up, and which of its starts that is counted from."""

    boot: str
    seconds: float


def uptime() -> Uptime:
    """The uptime, the time asleep included where the system tells it."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return Uptime(_boot(), time.monotonic() if clock is None else time.clock_gettime(clock))


@cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return f"process {os.getpid()} of {time.time()}"  # then uptime counts within this process only


class Moment(Frozen):
    """When something was asked or answered."""

    at: float
    """The time of day."""
    boot: str = ""
    up: float = Field(default=0.0, ge=0.0)

    @classmethod
    def now(cls, clock: Callable[[], float], since_boot: Callable[[], Uptime] = uptime) -> Moment:
        boot, up = since_boot()
        return cls(at=clock(), boot=boot, up=up)

    def age(self, now: Moment) -> float:
        """Seconds from here to `now`, the longest that any clock can tell. Without end where the time of day ran backwards
        and no other clock has counted since: then nobody knows."""
        by_day = now.at - self.at
        if self.boot and self.boot == now.boot and now.up >= self.up:
            return max(by_day, now.up - self.up)
        return by_day if by_day >= 0 else inf


def overdue(policy: SafetyPolicy, since: Any, now: Moment) -> str:
    """Why what dates from `since` (a Moment as JSON) is no longer good, or nothing. What has no date is not."""
    most = policy.approval_seconds
    if most is None:
        return ""
    age = _age(since, now)
    if age <= most:
        return ""
    how_old = f"{age:.0f} s old" if age < inf else "of an age that cannot be told"
    return f"it is {how_old}, and is good for {most:g} s (approval_seconds of the safety policy)"


def _age(since: Any, now: Moment) -> float:
    try:
        return Moment.model_validate(since).age(now)
    except ValidationError:
        return inf
