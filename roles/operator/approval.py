"""Asking a person, in the ecosystem's form, and reading the answer. Default is deny.

The answer is bound to (key, digest): what is approved is exactly this action, once. An edited action is reviewed anew.
"""

from __future__ import annotations

from typing import Any, Literal

from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from protocol import CARRIES, AgentAction, AskUser, describe, parse_action
from roles.context import Context, State, Update
from roles.operator.perceive import current_screen, safety_of, subtask_id
from roles.safety import Review, review
from roles.signals import Signal

EXECUTE = "execute_action"
FINALIZE = "finalize_interaction_report"


class EditedAction(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    args: dict[str, Any] = Field(default_factory=dict)

    def action(self) -> AgentAction:
        """Raises ValidationError when it is no action of the protocol."""
        return parse_action({"action_type": self.name, **self.args})


class Decision(BaseModel):
    """One answer: approve, edit, reject or respond."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["approve", "edit", "reject", "respond"]
    message: str = ""
    edited_action: EditedAction | None = None
    digest: str | None = None
    """Of the action that the person saw; another one is refused."""
    who: str = "user"


class Answer(BaseModel):
    """`{"decisions": [...]}` with exactly one decision: one action is asked for at a time."""

    model_config = ConfigDict(extra="forbid")

    decisions: list[Decision] = Field(min_length=1, max_length=1)


def approval_request(pending: dict[str, Any], found: Review) -> dict[str, Any]:
    """The payload of the interrupt, as agent chat interfaces render it, with the grounds beside it."""
    action = parse_action(pending["action"])
    question = isinstance(action, AskUser)
    args = {k: v for k, v in pending["action"].items() if k != "action_type"}
    if pending["private"]:
        args = {k: ("•••" if k in CARRIES else v) for k, v in args.items()}
    return {
        "action_requests": [{"name": action.verb, "args": args, "description": pending["line"]}],
        "review_configs": [
            {
                "action_name": action.verb,
                "allowed_decisions": ["respond", "reject"] if question else ["approve", "edit", "reject", "respond"],
            }
        ],
        "kind": "question" if question else "approval",
        "key": pending["key"],
        "digest": pending["digest"],
        "effect": found.effect.value,
        "risk": found.severity,
        "rule": found.policy,
        "reasons": list(found.reasons),
        "app": (pending.get("element") or {}).get("app") or pending["app"],
        "state_id": pending["before"],
        "reason": pending["reason"],
        "default": "reject",
    }


def ask_by_interrupt(state: State, ctx: Context) -> Update:
    """Pause the graph with the recorded request; nothing but reading it stands before the interrupt."""
    return apply_answer(state, ctx, interrupt(ctx.journal.request(state["pending_action"]["key"])))


def ask_by_report(state: State, ctx: Context) -> Update:
    """Without a checkpointer nothing can wait: use the approval that came with the input, once, or end as needs_approval."""
    given = state.get("human_approval")
    if not given:
        why = f"approval is needed to {state['pending_action']['line']}"
        report = {"signal": Signal.APPROVAL_PENDING.value, "summary": why, "evidence": [why]}
        return {"interaction_status": "needs_approval", "report": report, "route": FINALIZE}
    answer = given if "decisions" in given else {"decisions": [given]}
    return apply_answer(state, ctx, answer) | {"human_approval": None}


def apply_answer(state: State, ctx: Context, answer: Any) -> Update:
    """Only a positive answer to exactly this action leads to its execution."""
    pending = state["pending_action"]
    try:
        decision = Answer.model_validate(answer).decisions[0]
    except ValidationError as bad:
        decision = Decision(type="reject", message=f"the answer was not usable: {bad.errors()[0]['msg']}")
    if decision.digest is not None and decision.digest != pending["digest"]:
        decision = Decision(type="reject", message="the answer was given to another action")
    question = pending["action"]["action_type"] == "ask_user"
    if question and decision.type in {"approve", "edit"}:
        decision = Decision(type="reject", message="a question wants words, not an approval", who=decision.who)
    if decision.type == "edit":
        return _edited(state, ctx, decision)
    _record(state, ctx, decision, pending["digest"])
    if decision.type == "approve" or (question and decision.type == "respond"):
        update = pending | {"approved": pending["digest"], "answer": decision.message}
        return {
            "pending_action": update,
            "human_approval": decision.model_dump(mode="json"),
            "needs_approval": False,
            "interaction_status": "running",
            "route": EXECUTE,
        }
    return _refused(state, decision)


def _edited(state: State, ctx: Context, decision: Decision) -> Update:
    pending = state["pending_action"]
    try:
        if decision.edited_action is None:
            raise ValueError("edit needs edited_action")
        action = decision.edited_action.action()
    except (ValidationError, ValueError) as bad:
        first = bad.errors()[0]["msg"] if isinstance(bad, ValidationError) else str(bad)
        refusal = Decision(type="reject", message=f"the edited action was not usable: {first}", who=decision.who)
        _record(state, ctx, refusal, pending["digest"])
        return _refused(state, refusal)
    found = review(action, None, current_screen(state, ctx), safety_of(state, ctx))
    if found.verdict == "deny":
        refusal = Decision(
            type="reject", message=f"the edited action is not allowed: {'; '.join(found.reasons)}", who=decision.who
        )
        _record(state, ctx, refusal, action.digest)
        return _refused(state, refusal)
    ctx.journal.replace_intent(pending["key"], action)
    _record(state, ctx, decision, action.digest)
    _record(state, ctx, Decision(type="approve", message="as edited", who=decision.who), action.digest)
    update = pending | {
        "action": action.dump(),
        "digest": action.digest,
        "line": describe(action),
        "approved": action.digest,
        "element": None,
        "missing": "",
    }
    return {
        "pending_action": update,
        "human_approval": decision.model_dump(mode="json"),
        "needs_approval": False,
        "interaction_status": "running",
        "route": EXECUTE,
    }


def _refused(state: State, decision: Decision) -> Update:
    pending = state["pending_action"]
    said = f": {decision.message}" if decision.message else ""
    verb = "answered instead of approving" if decision.type == "respond" else "rejected"
    why = f"the user {verb} {pending['line']}{said}"
    report = {
        "signal": Signal.APPROVAL_REJECTED.value,
        "summary": why,
        "evidence": [why],
        "refused": pending["line"],
        "user_words": decision.message,
    }
    note = {"step": pending["step"], "line": pending["line"], "status": "rejected"}
    return {
        "pending_action": None,
        "human_approval": decision.model_dump(mode="json"),
        "needs_approval": False,
        "interaction_status": "blocked",
        "action_trace": [*state["action_trace"], note],
        "report": report,
        "route": FINALIZE,
    }


def _record(state: State, ctx: Context, decision: Decision, digest: str) -> None:
    pending = state["pending_action"]
    body = {
        "decision": decision.type,
        "message": decision.message,
        "who": decision.who,
        "digest": digest,
        "line": pending["line"],
    }
    ctx.journal.record(
        "approval",
        body,
        role="user",
        subtask=subtask_id(state),
        step=pending["step"],
        key=f"approval/{pending['key']}/{decision.type}/{digest}",
    )
    ctx.journal.approve(pending["key"], digest, decision.type, decision.message, decision.who)
