"""A safety policy as data: its rules, what is settled without them, and how a task narrows it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache, lru_cache, reduce
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol, Self

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, ValidationError, model_validator

from environments.effects import Network
from environments.files import conditions
from protocol import VERBS, Action, Frozen, GUIElement, JsonObject, VisualState
from roles.contracts import Fact
from roles.safety.case import NAMES, PER_VALUE, Case, sample
from roles.safety.effects import SENSITIVE, Effect

_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_FIELD = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\.\s*([A-Za-z_]\w*)(?!\w*\s*\()")
_VALUES = 64
"""Values of one action that a condition is held against; with more of them it counts as failed."""


class ConditionResult(NamedTuple):
    """Whether a condition holds, or why that cannot be told."""

    holds: bool
    problem: str = ""


@lru_cache(maxsize=256)
def problem_with(condition: str) -> str:
    """Why a condition could never be evaluated, or nothing: bad grammar, names and fields that there are not, too much of it."""
    if problem := conditions.problem_with(condition, NAMES):
        return problem
    known = {name: fields for name, fields in sample().items() if isinstance(fields, dict) and name != "facts"}
    for root, field in _FIELD.findall(_QUOTED.sub('""', condition)):
        if field not in known.get(root, (field,)):
            return f"{root} has no {field!r}; it has {', '.join(known[root])}"
    try:
        found = conditions.evaluate(condition, sample())
    except TypeError as bad:
        return str(bad).split(". ")[0]
    except conditions.FAULTS:
        return ""  # it may be otherwise with the values and facts of a run
    return "" if isinstance(found, bool) else f"it gives {found!r}, which is neither true nor false"


def holds(condition: str, case: Case, *, every: bool) -> ConditionResult:
    """Whether the condition holds for one of the action's values, or for `every` one of them."""
    names = conditions.names_in(condition) & frozenset(NAMES)
    values = case.values if names & PER_VALUE else ("",)
    if len(values) > _VALUES:
        return ConditionResult(False, f"the action carries {len(values)} values, and no more than {_VALUES} are looked at")
    found = [conditions.check(condition, case.told(names, value)) for value in values]
    problem = next((check.error for check in found if check.error), "")
    if every:
        if any(not check.passed and not check.error for check in found):
            return ConditionResult(False)
        return ConditionResult(not problem, problem)
    return ConditionResult(True) if any(check.passed for check in found) else ConditionResult(False, problem)


Autonomy = Literal["read-only", "ask-all", "ask-sensitive"]
LEVELS: tuple[Autonomy, ...] = ("read-only", "ask-all", "ask-sensitive")
"""The strictest first; the names are those of the shipped safety policies that do the same."""
_TOLD = ("answer", "facts")


def listed(value: Any) -> Any:
    """One word counts as a list of one, and nothing as an empty one."""
    if value is None or isinstance(value, str):
        return () if value is None else (value,)
    return tuple(value) if isinstance(value, list) else value


def _over_actions(condition: str) -> str:
    if problem := problem_with(condition):
        raise ValueError(f"{condition!r} cannot be evaluated: {problem}")
    return condition


def _over_output(condition: str) -> str:
    if problem := conditions.problem_with(condition, _TOLD):
        raise ValueError(f"{condition!r} cannot be evaluated: {problem}")
    return condition


Words = Annotated[tuple[str, ...], BeforeValidator(listed)]


class Constraints(Frozen):
    """Each of them only forbids, or asks for more."""

    allowed_apps: Annotated[tuple[str, ...] | None, BeforeValidator(lambda v: None if v is None else listed(v))] = None
    """Globs of the applications that may be used; None for those of the policy."""
    forbidden_actions: Words = ()
    """Effects, verbs, or words of a control's name."""
    blocked_domains: Words = ()
    """Hosts, with all below them, that nothing is opened at, sent to or done on."""
    maximum_autonomy: Autonomy | None = None
    """`read-only` changes nothing, `ask-all` asks about every change, `ask-sensitive` about what reaches others or is
    not known."""
    private: Words = ()
    """Names of fields whose content is never logged, reported or shown."""
    output_requirements: Annotated[tuple[Annotated[str, AfterValidator(_over_output)], ...], BeforeValidator(listed)] = ()
    """CEL over `answer` and `facts`: what has to hold when the work is said to be done."""
    scope: Annotated[tuple[Annotated[str, AfterValidator(_over_actions)], ...], BeforeValidator(listed)] = ()
    """CEL as in a rule's `if`: whatever changes something has to lie within each of them."""

    @model_validator(mode="before")
    @classmethod
    def _known(cls, data: Any) -> Any:
        for name in data if isinstance(data, Mapping) else ():
            if name not in cls.model_fields:
                near = get_close_matches(str(name), cls.model_fields, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(cls.model_fields)}"
                raise ValueError(f"there is no constraint {str(name)[:80]!r}; {hint}")
        return data

    def with_(self, more: Constraints) -> Self:
        """Both of them together: what either forbids is forbidden."""
        lists = {k: tuple(dict.fromkeys((*getattr(self, k), *getattr(more, k)))) for k in _LISTS}
        apps = [c.allowed_apps for c in (self, more) if c.allowed_apps is not None]
        levels = [level for level in LEVELS if level in (self.maximum_autonomy, more.maximum_autonomy)]
        both = {"allowed_apps": narrowed(*apps) if len(apps) > 1 else next(iter(apps), None)}
        return self.model_copy(update=lists | both | {"maximum_autonomy": next(iter(levels), None)})

    def dump(self) -> JsonObject:
        """Plain JSON, of what is said."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def unmet(self, facts: Iterable[Fact]) -> list[str]:
        """The requirements that what is known and answered does not fulfil."""
        if not self.output_requirements:
            return []
        told = {fact.name: {"value": fact.value, "kind": fact.kind, "app": fact.app or ""} for fact in facts}
        names = {"answer": told.get("answer", {}).get("value", ""), "facts": told}
        checks = [conditions.check(one, names) for one in self.output_requirements]
        return [f"the output has to fulfil {c.expression}" + (f" ({c.error})" if c.error else "") for c in checks if not c.passed]


def together(first: Constraints, added: Iterable[Mapping[str, Any]]) -> Constraints:
    """`first` with what people have added, as the bodies of those events tell it."""
    return reduce(Constraints.with_, (Constraints.model_validate(body["constraints"]) for body in added), first)


_LISTS = ("forbidden_actions", "blocked_domains", "private", "output_requirements", "scope")


def narrowed(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Of two lists of globs, what both allow."""
    return tuple(dict.fromkeys([a for a in one if glob(a, other)] + [a for a in other if glob(a, one)]))


def problem_in(bad: ValidationError, name: str) -> str:
    """The first thing that is wrong with what was given as `name`, as one sentence."""
    first = bad.errors()[0]
    where = ".".join((name, *map(str, first["loc"])))
    return f"{where}: {first['ctx']['error'] if first['type'] == 'value_error' else first['msg']}"


@lru_cache(maxsize=4096)
def glob(text: str, patterns: tuple[str, ...]) -> bool:
    folded = text.casefold()
    return any(fnmatchcase(folded, pattern.casefold()) for pattern in patterns)


Verdict = Literal["allow", "ask", "deny"]
Objection = tuple[Verdict, str]
"""What a safety check says against an action, and why."""
STRICTEST: tuple[Verdict, ...] = ("deny", "ask", "allow")


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
    condition: Annotated[str, AfterValidator(_over_actions)] | None = Field(default=None, alias="if")
    """CEL over action, target, app, value, provenance, facts, screen and confidence."""
    why: str = ""

    def look(self, case: Case) -> Look | None:
        """What it says of a case that it applies to. One whose condition cannot be evaluated asks, or denies; it never allows."""
        if not self._fits(case):
            return None
        held = None if self.condition is None else holds(self.condition, case, every=self.verdict == "allow")
        if held is not None and held.problem:
            strict: Verdict = "deny" if self.verdict == "deny" else "ask"
            return Look(self, strict, f"its condition cannot be evaluated: {held.problem}")
        return Look(self, self.verdict) if held is None or held.holds else None

    def _fits(self, case: Case) -> bool:
        every = all if self.verdict == "allow" else any
        below = (*self.domains, *(f"*.{domain}" for domain in self.domains))
        return (
            (not self.effects or case.effect in self.effects)
            and (not self.verbs or case.action.verb in self.verbs)
            and (not self.apps or any(glob(app, self.apps) for app in case.apps))
            and (not self.targets or glob(case.target, self.targets))
            and (not self.domains or (bool(case.domains) and every(glob(host, below) for host in case.domains)))
            and (not self.values or every(glob(value, self.values) for value in case.values))
        )


class Look(NamedTuple):
    """What a rule that applies says of a case."""

    rule: Rule
    verdict: Verdict
    failed: str = ""
    """Why its condition cannot be evaluated."""


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

    def deciding(self, case: Case) -> Look | None:
        """The look that counts: the strictest verdict, and of those that are equally strict the first rule's."""
        for verdict in ("deny", "ask"):
            for rule in self.rules:
                if rule.verdict == verdict and (look := rule.look(case)) is not None:
                    return look
        allowing = [look for rule in self.rules if rule.verdict == "allow" and (look := rule.look(case)) is not None]
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
    try:
        age = Moment.model_validate(since).age(now)
    except ValidationError:
        age = inf
    if age <= most:
        return ""
    how_old = f"{age:.0f} s old" if age < inf else "of an unknown age"
    return f"it is {how_old}, and is good for {most:g} s (approval_seconds of the safety policy)"
