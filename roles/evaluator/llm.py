"""The Evaluator by a model: what code can find out is told to it as findings, and what it relies on is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from roles.contracts import GateRequest, GateVerdict, PictureKind
from roles.contracts.signals import ALLOWED_DECISIONS, GATE_DECISIONS, Signal
from roles.contracts.steering import notes_told
from roles.evaluator.evidence import gather
from roles.journal.transcripts import Occasion
from roles.knowledge.blackboard import board_in
from roles.policies.llm.asking import Asker, Picturing, of_screen, with_pictures
from roles.policies.llm.prompts import Prompt, now_told
from roles.policies.llm.reply_parsing import UnusableReply
from roles.policies.llm.schemas import evaluator_schema, form_told
from roles.policies.llm.subtask_words import cut, facts_told, ledger_told, plan_told, screens_told, steps_told
from roles.screen.evidence import views


class LlmEvaluator:
    """One question to the model for one verdict, with the pictures of before and after where it is given a way to have them."""

    def __init__(
        self,
        asker: Asker,
        prompt: Prompt,
        *,
        screen_tokens: int,
        recent: int,
        pictures: Sequence[PictureKind] = ("annotated",),
        picturing: Picturing | None = None,
    ) -> None:
        self._asker = asker
        self._prompt = prompt
        self._screen_tokens = screen_tokens
        self._recent = recent
        self._pictures = pictures
        self._picturing = picturing

    def judge(self, request: GateRequest) -> GateVerdict:
        evidence = evidence_ids(request)
        schema = evaluator_schema()
        common, decisions = _parted(self._prompt.system, request)
        words = schema["properties"] | {"decision": {"type": "string", "description": "one of those that are allowed"}}
        told = self._values(request) | {"answer_form": form_told(schema | {"properties": words}), "decisions": decisions}
        system, turn = self._prompt._replace(system=common).filled(told)
        shown, screens = self._shown(turn, request)
        about = Occasion(request.subtask.id if request.subtask else "", screens=screens)
        return self._asker.ask(system, shown, schema, lambda data: read_verdict(data, request, evidence), about)

    def _shown(self, turn: str, request: GateRequest) -> tuple[str | list[Any], tuple[str, ...]]:
        """The turn with its pictures, and the ids of the screens on them."""
        if self._picturing is None:
            return turn, ()
        found, known = request.found or gather(request), {f"state:{state.state_id}": state for state in views(request)}
        told = {found.before: "before the work began"} | {found.after: "now"}
        seen = [(known[name], when) for name, when in told.items() if name in known]
        shown = [of_screen(when, state, self._pictures, self._picturing) for state, when in seen]
        pictures = [picture for pictures in shown for picture in pictures]
        return with_pictures(turn, pictures), tuple(state.state_id for state, _ in seen)

    def _values(self, request: GateRequest) -> dict[str, str]:
        subtask = request.subtask
        return {
            "goal": request.goal,
            "user_says": notes_told(request.notes),
            "ledger": ledger_told((request.found or gather(request)).ledger or request.ledger),
            "trigger": request.trigger.value + (f" ({request.reask})" if request.reask else ""),
            "subtask": subtask.instruction if subtask else request.goal,
            "now": now_told(request.today),
            "plan": plan_told(request.plan),
            "findings": findings_told(request),
            "steps": steps_told(request.steps, self._recent, request.facts, bodies=True),
            "screens": screens_told(request.screens, self._screen_tokens),
            "facts": facts_told(request),
            "summary": cut(request.summary, 600),
            "held": cut(request.held),
        }


def _parted(system: str, request: GateRequest) -> tuple[str, str]:
    """What holds at every gate, so that prompts begin alike, and what is allowed at this one, with the lines on it."""
    allowed = ALLOWED_DECISIONS[request.trigger]
    lines = system.splitlines(keepends=True)
    about = [line for line in lines if line.startswith(tuple(f"- `{d.value}`" for d in GATE_DECISIONS))]
    mine = [line.strip() for line in about if line.startswith(tuple(f"- `{d.value}`" for d in allowed))]
    names = ", ".join(sorted(d.value for d in allowed))
    return "".join(line for line in lines if line not in about), "\n".join([names, *mine])


def evidence_ids(request: GateRequest) -> tuple[str, ...]:
    """Everything that a verdict may rely on."""
    states = [f"state:{screen.state_id}" for screen in reversed(request.screens)]
    steps = [f"step:{step.step}" for step in request.steps]
    return (*dict.fromkeys([*states, *steps, *(f"fact:{fact.name}" for fact in board_in(request).facts)]),)


def findings_told(request: GateRequest) -> str:
    """What each subtask was to lead to, and whether it was seen; what changed on the screen, and what it took."""
    found = request.found or gather(request)
    lines = []
    for checked in found.checked:
        told = checked.expectation.model_dump(mode="json", exclude_defaults=True)
        what = ", ".join(f"{k} {v}" for k, v in told.items() if k != "kind")
        already = ", as it was before" if checked.held_before else ""
        seen = f"seen ({', '.join(checked.evidence)}){already}" if checked.holds else f"NOT SEEN: {checked.missing}"
        lines.append(f"{checked.subtask}: {checked.expectation.kind} {what}: {seen}")
    if not request.steps:
        lines.append("NO STEP was done: nothing was changed by this worker")
    lines.append(f"{found.steps} steps, {found.failed} of them failed, {found.idle} without a visible change")
    if found.repeated or found.recoveries:
        lines.append(f"{found.repeated} steps did the same again, {found.recoveries} were attempts to recover")
    lines += [f"NOT DONE: {said}" for said in found.undone]
    lines += [f"NOT FOUNDED: {said}" for said in found.unfounded]
    lines += [found.picture] if found.picture else []
    if found.changed:
        return "\n".join([*map(cut, lines), "what is different on the screen since the work began:", found.changed])
    return "\n".join(map(cut, lines))


def read_verdict(data: Mapping[str, Any], request: GateRequest, evidence: Sequence[str]) -> GateVerdict:
    """The verdict, held against what is allowed and what there is. Raises UnusableReply or ValidationError."""
    said = {key: value for key, value in data.items() if key in GateVerdict.model_fields and value is not None}
    said.setdefault("reason", "")
    verdict = GateVerdict.model_validate(said)
    allowed = ALLOWED_DECISIONS[request.trigger]
    if verdict.decision not in allowed:
        names = ", ".join(sorted(d.value for d in allowed))
        raise UnusableReply(f"{verdict.decision.value} is not allowed at {request.trigger}: choose one of {names}")
    if unknown := [name for name in verdict.evidence if name not in evidence]:
        raise UnusableReply(f"there is no evidence {unknown[0][:60]!r}; there are {', '.join(evidence[:20])}")
    return _whole(verdict, evidence)


def _whole(verdict: GateVerdict, evidence: Sequence[str]) -> GateVerdict:
    """The verdict with all that its decision needs. Raises UnusableReply."""
    match verdict.decision:
        case Signal.GATE_DONE:
            if not verdict.evidence:
                raise UnusableReply(f"gate_done needs evidence: name what shows it, of {', '.join(evidence[:20])}")
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
