"""The Evaluator by a model: what code can find out is told to it as findings, and what it relies on is checked."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, assert_never, get_args

from protocol import VisualState
from roles.contracts import GateRequest, GateVerdict, PictureKind
from roles.contracts.policies import Confidence, EvaluatorPolicy, notes_told
from roles.contracts.signals import ALLOWED_DECISIONS, GATE_DECISIONS, GateTrigger, Signal, SubtaskStatus
from roles.evaluator.changes import changes_told
from roles.evaluator.evidence import gather
from roles.journal.transcripts import Occasion
from roles.knowledge.blackboard import board_in
from roles.policies.adaptive import NOT_ASKED
from roles.policies.llm.asking import Asker, Picturing, of_screen
from roles.policies.llm.prompts import Prompt, load_prompt, now_told
from roles.policies.llm.reply_parsing import UnusableReply
from roles.policies.llm.schemas import form_of, narrow_verdict
from roles.policies.llm.settings import AnswerForm
from roles.policies.llm.subtask_words import (
    PLANNED,
    cut,
    expectation_told,
    facts_told,
    instruction_told,
    ledger_told,
    part,
    plan_told,
    results_told,
    screens_told,
    steps_told,
)
from roles.screen.calls import is_call
from roles.screen.evidence import Screens, screens_of

_DECIDING, _DECIDED = 3, 1_200
"""Earlier screens that are shown, and tokens of all of them."""
_STEPS, _ANSWERS, _FACTS = 6, 400, 600
"""To a small model: the last steps, and characters of what calls answered in them and of facts."""


@dataclass(frozen=True)
class LlmEvaluator:
    """One question to the model for one verdict, with the pictures of before and after where it is given a way to have them."""

    asker: Asker
    prompt: Prompt
    _: KW_ONLY
    screen_tokens: int
    form: AnswerForm = "full"
    """With `narrow` the prompt is short, and the answer can name nothing but decisions and evidence that there are."""
    pictures: Sequence[PictureKind] = ("annotated",)
    picturing: Picturing | None = None
    screen: Screens | None = None
    """Finds an older screen by its id; without it only those of the request are known."""
    rules: EvaluatorPolicy | None = None
    """What they would hold against it is among the findings."""

    def judge(self, request: GateRequest) -> GateVerdict:
        allowed, evidence = ALLOWED_DECISIONS[request.trigger], evidence_ids(request)
        if self.form == "narrow":
            shown = _shown_in_brief(request, evidence)
            form, values = narrow_verdict(sorted(allowed), shown), self._brief(request)
        else:
            form, values = form_of("verdict"), self._values(request)
        about_some = (self.prompt.when[d] for d in GATE_DECISIONS if d in allowed and d in self.prompt.when)
        told = values | {"decisions": "\n".join([", ".join(sorted(allowed)), *about_some])}
        pictures, screens = self._shown(request)
        about = Occasion(request.subtask.id if request.subtask else "", screens=screens)
        read = partial(read_verdict, request=request, evidence=evidence)
        return self.asker.ask(self.prompt, told, form, read, about, pictures=pictures)

    def compare(self, attempts: Sequence[GateRequest]) -> tuple[int, str]:
        """Which of several attempts at the same did best, from 0, and why: they are told transition by transition, beside each
        other (behaviour narratives and a comparative judge, Gonzalez-Pumariega et al. 2025). Raises GaveUp, and BudgetSpent."""
        told = [f"attempt {n}:\n{steps_told(one.steps, 0, one.facts, bodies=True)}" for n, one in enumerate(attempts, 1)]
        first, about = attempts[0], Occasion(attempts[0].subtask.id if attempts[0].subtask else "")

        def read(data: Mapping[str, Any]) -> tuple[int, str]:
            best = data.get("best")
            if not isinstance(best, int) or not 1 <= best <= len(attempts):
                raise UnusableReply(f"best is the number of an attempt, 1 to {len(attempts)}")
            return best - 1, str(data.get("reason", ""))

        values = {"goal": first.goal, "subtask": _checked_told(first), "attempts": "\n\n".join(told)}
        return self.asker.ask(load_prompt("comparison"), values, form_of("comparison"), read, about)

    def _shown(self, request: GateRequest) -> tuple[list[tuple[str, bytes | None]], tuple[str, ...]]:
        """The pictures, and the ids of the screens on them."""
        if self.picturing is None:
            return [], ()
        found, find = request.found or gather(request), screens_of(request)
        told = {found.before: "before the work began"} | {found.after: "now"}
        seen = [(one, when) for name, when in told.items() if (one := find(name.removeprefix("state:"))) is not None]
        pictures = [one for state, when in seen for one in of_screen(when, state, self.pictures, self.picturing)]
        return pictures, tuple(state.state_id for state, _ in seen)

    def _values(self, request: GateRequest) -> dict[str, str]:
        subtask = request.subtask
        find = screens_of(request, self.screen)
        older = [state for name in deciding_ids(request) if (state := find(name)) is not None]
        called = any(is_call(step) for step in request.steps)  # an answer rests on these, else on the screen where it was given
        done = [step for step in request.steps if step.verb != "answer" or not called]
        planned = [*request.plan, *([subtask] if subtask else [])]
        worked = {str(step.action.get("app") or step.app) for step in done} | {str(one.app) for one in planned}
        shown = [screen for screen in request.screens if not request.steps or screen.app in worked or screen.modal]
        alike = [(old, new) for old in older for new in shown if _content(old) <= _content(new)]
        same = {old.state_id: f"state:{old.state_id} showed what state:{new.state_id} shows{_notices(old)}" for old, new in alike}
        deciding = [screen for screen in older if screen.state_id not in same]
        beside = request.screens[-1:] if request.screens[-1:] != tuple(shown[-1:]) else ()
        aside = [f"state:{s.state_id} shows {s.app or 'the desktop'}, in which nothing was done{_notices(s)}" for s in beside]
        rest = len(request.screens) - len(shown) - len(aside)
        left_out = f"({rest} screens of applications in which nothing was done are not shown)" if rest else ""
        brief = "\n".join(filter(None, [*same.values(), *aside, left_out]))
        final = request.trigger is GateTrigger.FINAL_CHECK  # when the summary is what an earlier gate said, and no evidence
        left = self.screen_tokens - min(_DECIDED, self.screen_tokens // 3) * bool(deciding)
        return {
            "goal": request.goal,
            "user_says": notes_told(request.notes),
            "ledger": ledger_told((request.found or gather(request)).ledger or request.ledger),
            "trigger": request.trigger.value + (f" ({request.reask})" if request.reask else ""),
            "subtask": _checked_told(request),
            "now": now_told(request.today),
            "plan": plan_told([one for one in request.plan if one.instruction != request.goal]),
            "findings": findings_told(request, self.rules.judge(request) if self.rules is not None else None),
            "changes": changes_told(request, self.screen or (lambda _: None)),
            "steps": steps_told(request.run or request.steps, 0, request.facts, bodies=True),
            "results": results_told(request),
            "screens": "\n\n".join(filter(None, [brief, screens_told(deciding, _DECIDED), screens_told(shown, left)])),
            "facts": facts_told(request),
            "summary": "" if final or NOT_ASKED in request.summary else cut(request.summary, 600),
            "held": f"not done yet, it waits for your verdict: {cut(request.held, 600)}" if request.held else "",
        }

    def _brief(self, request: GateRequest) -> dict[str, str]:
        """What a small model is told: prompt tokens are most of what it costs."""
        found = request.found or gather(request)
        expected = [f"[{'x' if c.holds else ' '}] {expectation_told(c.expectation)}" for c in found.checked]
        against = self.rules.judge(request) if self.rules is not None else None
        return {
            "subtask": instruction_told(request.subtask) if request.subtask is not None else request.goal,
            "user_says": notes_told(request.notes),
            "ledger": ledger_told(found.ledger or request.ledger),
            "facts": part(facts_told(request), _FACTS),
            "screens": screens_told(request.screens, self.screen_tokens),
            "steps": steps_told(request.steps[-_STEPS:], _STEPS, request.facts, room=_ANSWERS),
            "expected": "\n".join(dict.fromkeys(expected)),
            "findings": "\n".join(_objections(request, against)),
        }


def _content(screen: VisualState) -> set[tuple[str | None, ...]]:
    """What it shows, but for notices that come and go."""
    return {(screen.app, e.role, e.text, e.value) for e in screen.elements if e.role not in {"status", "alert"}}


def _notices(screen: VisualState) -> str:
    notices = "; ".join(f'{e.role} "{e.name}"' for e in screen.elements if e.role in {"status", "alert"} and e.name)
    return f", and {notices}" if notices else ""


def _checked_told(request: GateRequest) -> str:
    """What the gate is about, by its id where the plan tells it whole, and what of the plan does not count."""
    subtask, plan = request.subtask, [one for one in request.plan if one.instruction != request.goal]
    if subtask is None:
        told = "the whole goal"
    elif subtask in plan and cut(subtask.instruction, PLANNED) == instruction_told(subtask):
        told = subtask.id
    else:
        told = instruction_told(subtask, request.goal)
    if subtask is not None and request.steps and len(request.run) > len(request.steps):
        told += f" (steps {request.steps[0].step} to {request.steps[-1].step})"
    rejected = [f"{one.id} was rejected" for one in plan if one.status is SubtaskStatus.REJECTED]
    return "; ".join([told, *rejected])


def deciding_ids(request: GateRequest) -> list[str]:
    """The screens on which something that is expected was seen, the last of them, where they are not shown anyway."""
    shown = {screen.state_id for screen in request.screens}
    seen = [name for checked in (request.found or gather(request)).checked if checked.holds for name in checked.evidence]
    states = [name.removeprefix("state:") for name in dict.fromkeys(seen) if name.startswith("state:")]
    return [name for name in states if name not in shown][-_DECIDING:]


def evidence_ids(request: GateRequest) -> tuple[str, ...]:
    """Everything that a verdict may rely on."""
    states = [f"state:{name}" for name in (*(s.state_id for s in reversed(request.screens)), *deciding_ids(request))]
    steps = [f"step:{step.step}" for step in request.run or request.steps]
    return (*dict.fromkeys([*states, *steps, *(f"fact:{fact.name}" for fact in board_in(request).facts)]),)


def _shown_in_brief(request: GateRequest, evidence: Sequence[str]) -> tuple[str, ...]:
    """Of all evidence what a small model is shown: its last screens and steps, and what shows something that is expected."""
    found = request.found or gather(request)
    cited = {name for checked in found.checked for name in checked.evidence}
    told = {f"step:{step.step}" for step in request.steps[-_STEPS:]} | {f"state:{s.state_id}" for s in request.screens[-1:]}
    shown = [name for name in evidence if name in cited | told]
    return tuple(sorted(shown, key=lambda name: name.startswith("state:")))  # the longest to write last


def findings_told(request: GateRequest, by_rules: GateVerdict | None = None) -> str:
    """What each subtask was to lead to, and whether it was seen; what changed on the screen, and what it took; and what else
    rules hold against it."""
    found = request.found or gather(request)
    lines = []
    for checked in found.checked:
        told = checked.expectation.model_dump(mode="json", exclude_defaults=True)
        what = ", ".join(f"{k} {v}" for k, v in told.items() if k != "kind")
        already = ", as it was before" if checked.held_before else ""
        seen = f"seen ({', '.join(checked.evidence)}){already}" if checked.holds else f"NOT SEEN: {checked.missing}"
        lines.append(f"{checked.subtask}: {checked.expectation.kind} {what}: {seen}")
    lines.append(f"{found.steps} steps, {found.failed} of them failed, {found.idle} without a visible change")
    if found.repeated or found.recoveries:
        lines.append(f"{found.repeated} steps did the same again, {found.recoveries} were attempts to recover")
    lines += [found.picture] if found.picture else []
    return "\n".join(map(cut, [*lines, *_objections(request, by_rules, "\n".join(lines))]))


def _objections(request: GateRequest, by_rules: GateVerdict | None, so_far: str = "") -> list[str]:
    """What code holds against the work, but for what was told `so_far`."""
    found = request.found or gather(request)
    lines = [] if request.steps else ["NO STEP was done: nothing was changed by this worker"]
    lines += [f"NOT SEEN DONE: {said.removeprefix('not done: ')}" for said in found.undone]
    lines += [f"NO SOURCE SEEN: {said}" for said in found.unfounded]
    objections = by_rules.issues if by_rules is not None and by_rules.decision is Signal.GATE_FAIL else ()
    so_far = "\n".join([so_far, *lines])
    words = {said: (said.removeprefix("not done: "), said.partition(": ")[2] or said) for said in objections}
    lines += [f"RULES OBJECT: {said}" for said in objections if not any(part in so_far for part in words[said])]
    return [cut(line) for line in lines]


_IDS, _SURE = ("state:", "step:", "fact:"), get_args(Confidence)


def _quotes(said: str, name: str) -> bool:
    """Whether evidence is named by a line that was shown: a finding that rests on it, or a fact with its value."""
    rests = any(f"{first}{name}{last}" in said for first in ("(", ", ") for last in (")", ","))
    return rests or (name.startswith("fact:") and said.startswith(f"{name.removeprefix('fact:')} = "))


def read_verdict(data: Mapping[str, Any], request: GateRequest, evidence: Sequence[str]) -> GateVerdict:
    """The verdict, held against what is allowed, what there is, and what its decision needs; what means nothing at this gate and
    words in place of evidence are left out. Raises UnusableReply or ValidationError."""
    said = {key: value for key, value in data.items() if key in GateVerdict.model_fields and value is not None}
    said |= {"reason": said.get("reason", ""), "confidence": said["confidence"] if said.get("confidence") in _SURE else ""}
    verdict, allowed = GateVerdict.model_validate(said), ALLOWED_DECISIONS[request.trigger]
    final, decision, names = request.trigger is GateTrigger.FINAL_CHECK, verdict.decision, ", ".join(evidence[:20])
    named = [next((name for name in evidence if one == name or _quotes(one, name)), one) for one in verdict.evidence]
    unknown = next((name[:60] for name in named if name not in evidence and name.startswith(_IDS)), "")
    meant = {"evidence": tuple(dict.fromkeys(name for name in named if name in evidence)), "refused": verdict.refused and final}
    verdict = verdict.model_copy(update=meant)
    for wrong, why in (
        (
            decision not in allowed,
            f"{decision.value} is not allowed at {request.trigger}: choose one of {', '.join(sorted(allowed))}",
        ),
        (unknown, f"there is no evidence {unknown!r}; there are {names}"),
        (verdict.refused and decision is not Signal.GATE_FAIL, "refused goes with gate_fail only"),
    ):
        if wrong:
            raise UnusableReply(why)
    match verdict.decision:
        case Signal.GATE_DONE:
            if not verdict.evidence:
                raise UnusableReply(f"gate_done needs evidence: name what shows it, of {names}")
        case Signal.GATE_SUPPLEMENT:
            if not verdict.query.strip():
                raise UnusableReply("gate_supplement needs a query: what to look for")
        case Signal.GATE_FAIL:
            if not verdict.issues:
                return verdict.model_copy(update={"issues": (verdict.reason or "it was not seen to be done",)})
        case Signal.GATE_CONTINUE:
            pass
        case _:
            assert_never(verdict.decision)
    return verdict
