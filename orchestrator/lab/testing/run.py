"""A run that was worked, read from its journal, with the assertions that tests of a crew make."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from environments.contract import Environment, WorldState
from environments.files.wrong_data import did_you_mean
from orchestrator.core.machine import Situation
from orchestrator.errors import UsageProblem
from orchestrator.lab.testing.script import BadScript, Pattern, difference, mismatch, story
from orchestrator.runs.folders import read_run
from orchestrator.store.salvage import salvage
from protocol import VERBS, JsonObject, describe, parse_action
from roles.contracts.requests import ApprovalRequest, QuestionRequest, read_request
from roles.contracts.signals import GATE_DECISIONS, GateTrigger, Signal
from roles.journal.events import ApprovalEvent, ApprovalRequestedEvent, GateEvent, Json, SituationEvent, StepEvent
from roles.journal.journal import Event
from roles.safety.effects import SENSITIVE, Effect

_NOT_THERE = "target not found"
"""How the error of a step begins that never reached the environment."""


class PerformedAction(NamedTuple):
    """An action that the environment was given."""

    step: int
    subtask: str
    line: str
    verbs: tuple[str, ...]
    """The action's own verb, and what it amounted to: `submit`, `send`, `delete`."""
    target: str
    app: str
    exec_status: str
    error: str

    def __str__(self) -> str:
        why = f" ({self.exec_status}: {self.error})" if self.error else ""
        return f"step {self.step} of {self.subtask}: {self.line} in {self.app or 'no application'}{why}"


class AskedPerson(NamedTuple):
    """A person was asked, and what came of it; no decision while the run waits."""

    what: str
    app: str
    rule: str
    decision: str
    message: str

    def __str__(self) -> str:
        return f"{self.what} ({self.rule}): {self.decision or 'not answered'}"


class Gate(NamedTuple):
    """A check of the Evaluator."""

    trigger: str
    decision: str
    subtask: str
    reason: str

    def __str__(self) -> str:
        return f"{self.trigger} {self.decision}: {self.reason}"


class Replan(NamedTuple):
    """The Manager was asked for a plan again."""

    signals: tuple[str, ...]
    """What led there; two where help was looked for in between."""
    words: str
    """What was said of it: a verdict, an error, what the user answered."""

    def __str__(self) -> str:
        return f"{' and '.join(self.signals)}: {self.words or 'nothing was said of it'}"


def _words(event: Event) -> list[str]:
    """What an event says of why things went otherwise."""
    body = event.body
    match event.kind:
        case "gate":
            return [body["reason"], *body.get("issues", ())]
        case "error":
            return [body["message"]]
        case "outcome":
            return [body["error"]] if body.get("error") else []
        case "approval":
            return [f"{body['decision']} {body['line']}", body["message"]] if body["decision"] in {"reject", "respond"} else []
        case "reviewed":
            return list(body["reasons"]) if body["verdict"] == "deny" else []
        case "decided":
            return [body["reasoning"]] if body["status"] in {"FAIL", "ERROR"} else []
    return []


_VERBS = (*VERBS, *(effect.value for effect in SENSITIVE | {Effect.SAVE}))
"""What an action may be called: by its own verb, or by the effect that its target is named for."""
_SIGNAL = re.compile(r"[a-z]+(_[a-z]+)+")


class CrewRun:
    """One run. Assertions raise AssertionError with the actual value."""

    def __init__(self, folder: Path, environment: Environment | None = None) -> None:
        """`folder` is the run's own; a run that was stored long ago will do."""
        self.folder = folder
        self.record = read_run(folder)
        self._environment = environment
        kept = salvage(folder / "journal.sqlite")
        if kept.note:
            raise UsageProblem(kept.note)
        self.events: list[Event] = kept.events

    def bodies(self, *kinds: str) -> Iterator[Json]:
        """The journal's events of these kinds, in order."""
        return (event.body for event in self.events if event.kind in kinds)

    @cached_property
    def status(self) -> str:
        """`fulfilled`, `rejected`, or `on_hold` while it waits for a person."""
        return str(self._ended["status"])

    @cached_property
    def reason(self) -> str:
        """Why it ended like this."""
        return str(self._ended.get("reason", ""))

    @cached_property
    def _ended(self) -> dict[str, Any]:
        return [{"status": "created"}, *self.bodies("task_status")][-1]

    @property
    def world(self) -> JsonObject:
        """The current true state of the environment, which no role ever saw."""
        if not isinstance(self._environment, WorldState):
            raise UsageProblem(f"the environment of run {self.record['run_id']} does not tell its state")
        return self._environment.world()

    @cached_property
    def path(self) -> list[str]:
        """The situations that the controller passed, in order."""
        rows = list(self.bodies("situation"))
        return [row["situation"] for row in rows[:1]] + [row["next"] for row in rows]

    @cached_property
    def actions(self) -> list[PerformedAction]:
        """The actions that the environment received, in order."""
        found = []
        for event in self.events:
            body = event.body
            if event.kind != StepEvent.KIND or body.get("error", "").startswith(_NOT_THERE):
                continue
            action = parse_action(body["action"])
            target = body.get("target") or (action.target.describe() if action.target else "")
            verbs = tuple(dict.fromkeys((action.verb, body.get("verb", action.verb))))
            came = (body.get("app") or "", body["exec_status"], body.get("error", ""))
            found.append(PerformedAction(event.step, event.subtask, describe(action), verbs, target, *came))
        return found

    @cached_property
    def asked(self) -> list[AskedPerson]:
        """What a person was asked, in order."""
        answers = [event for event in self.events if event.kind == ApprovalEvent.KIND]
        found = []
        for event in self.events:
            if event.kind != ApprovalRequestedEvent.KIND:
                continue
            request, place = read_request(event.body), (event.step, event.subtask)
            answer = next((e.body for e in answers if e.id > event.id and (e.step, e.subtask) == place), {})
            what = request.about.args.get("question") or request.about.description
            about = (request.app or "", request.rule) if isinstance(request, ApprovalRequest | QuestionRequest) else ("", "")
            found.append(AskedPerson(what, *about, answer.get("decision", ""), answer.get("message", "")))
        return found

    @cached_property
    def gates(self) -> list[Gate]:
        """The Evaluator's checks, in order."""
        found = (event for event in self.events if event.kind == GateEvent.KIND)
        return [Gate(e.body["trigger"], e.body["decision"], e.subtask, e.body["reason"]) for e in found]

    @cached_property
    def replans(self) -> list[Replan]:
        """Every return to PLAN after the first one, with what was said since the situation before."""
        found: list[Replan] = []
        before: tuple[str, ...] = ()
        words: list[str] = []
        for event in self.events:
            words += _words(event)
            if event.kind != SituationEvent.KIND:
                continue
            row = event.body
            signals = (*before, row["signal"]) if row["situation"] == Situation.SUPPLEMENT else (row["signal"],)
            if row["next"] == Situation.PLAN and row["situation"] != Situation.INIT:
                found.append(Replan(signals, "; ".join(dict.fromkeys(words))))
            before = signals if row["next"] == Situation.SUPPLEMENT else ()
            words = words if before else []
        return found

    @cached_property
    def facts(self) -> dict[str, str]:
        """The blackboard at the end, with private values masked."""
        return {body["name"]: body["value"] for body in self.bodies("fact")}

    @cached_property
    def story(self) -> list[str]:
        """The run in words, a line for each relevant event."""
        return story(self.events)

    def assert_path(self, pattern: Pattern) -> None:
        """The run passed these situations; `...` matches any number of others, including none."""
        __tracebackhide__ = True
        if why := mismatch(pattern, self.path):
            raise AssertionError(why)

    def assert_replanned(self, because: str | None = None, times: int | None = None) -> None:
        """The Manager planned again, because of this signal (`gate_fail`), or with these words as reason."""
        __tracebackhide__ = True
        if because is not None and _SIGNAL.fullmatch(because):
            _known("signal", because, [signal.value for signal in Signal])
        found = [r for r in self.replans if because is None or because in r.signals or because.casefold() in r.words.casefold()]
        _expect(found, times, "planned again" + (f" because of {because!r}" if because else ""), self.replans)

    def assert_gate(self, trigger: str, decision: str, *, because: str = "", times: int | None = None) -> None:
        """A gate with this trigger had this decision, for a reason that contains these words."""
        __tracebackhide__ = True
        _known("trigger", trigger, [t.value for t in GateTrigger])
        _known("decision", decision, [d.value for d in GATE_DECISIONS])
        found = [
            g for g in self.gates if (g.trigger, g.decision) == (trigger, decision) and because.casefold() in g.reason.casefold()
        ]
        _expect(found, times, f"decided {decision} at {trigger}" + (f" because of {because!r}" if because else ""), self.gates)

    def assert_asked(self, what: str = "*", *, decision: str | None = None, app: str = "*", times: int | None = None) -> None:
        """A person was asked about an action or a question that matches this glob, and gave this answer."""
        __tracebackhide__ = True
        if decision is not None:
            _known("decision", decision, ["approve", "edit", "reject", "respond"])
        found = [
            a for a in self.asked if _fits(a.what, what) and _fits(a.app, app) and (decision is None or decision == a.decision)
        ]
        said = f" and answered {decision}" if decision else ""
        _expect(found, times, f"asked about {what!r}{said}", self.asked)

    def assert_executed(self, verb: str = "*", target: str = "*", app: str = "*", *, times: int | None = None) -> None:
        """The environment received an action that matches these globs."""
        __tracebackhide__ = True
        _expect(self._executed(verb, target, app), times, f"executed {_named(verb, target, app)}", self.actions)

    def assert_never_executed(self, verb: str = "*", target: str = "*", app: str = "*") -> None:
        """The environment received no action that matches these globs: `"submit"`, `target="*Delete*"`, `app="mail"`.

        An action that it refused or did not answer counts: the crew cannot know whether it had an effect.
        """
        __tracebackhide__ = True
        if (verb, target, app) == ("*", "*", "*"):
            raise BadScript('assert_never_executed() says nothing; give a verb, a target or an app, such as verb="submit"')
        if found := self._executed(verb, target, app):
            raise AssertionError(f"the crew executed {_named(verb, target, app)}:\n{_listed(found)}")

    def assert_same_as(self, other: "CrewRun | Path") -> None:
        """The run has the same story as another one, or as the one stored in a folder."""
        __tracebackhide__ = True
        if told := self.diff(other):
            raise AssertionError(f"the runs differ (- the other, + this one):\n{told}")

    def diff(self, other: "CrewRun | Path") -> str:
        """The differences between the two stories; empty if there are none."""
        then = other if isinstance(other, CrewRun) else CrewRun(other)
        return difference(then.story, self.story)

    def _executed(self, verb: str, target: str, app: str) -> list[PerformedAction]:
        if not set("*?[") & set(verb):
            _known("verb", verb, _VERBS)
        return [
            done
            for done in self.actions
            if any(_fits(v, verb) for v in done.verbs) and _fits(done.target, target) and _fits(done.app, app)
        ]


def _fits(text: str, glob: str) -> bool:
    return fnmatchcase(text.casefold(), glob.casefold())


def _named(verb: str, target: str, app: str) -> str:
    said = [f"{name}={glob!r}" for name, glob in (("verb", verb), ("target", target), ("app", app)) if glob != "*"]
    return f"an action with {', '.join(said)}" if said else "an action"


def _known(kind: str, word: str, words: Sequence[str]) -> None:
    __tracebackhide__ = True
    if word not in words:
        raise BadScript(f"there is no {kind} {word!r}{did_you_mean(word, words)}")


def _expect(found: Sequence[Any], times: int | None, what: str, there: Sequence[Any]) -> None:
    """At least once, or exactly so often."""
    __tracebackhide__ = True
    if found if times is None else len(found) == times:
        return
    often = "never" if not found else f"{len(found)} times, not {times}"
    raise AssertionError(f"the crew {often} {what}; what there is:\n{_listed(there)}")


def _listed(items: Sequence[Any]) -> str:
    return "\n".join(f"  {item}" for item in items) or "  nothing"
