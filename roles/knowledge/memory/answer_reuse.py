"""How a run uses what its user answered in earlier ones: found before a question is asked, kept after one was answered."""

from __future__ import annotations

from typing import Any

from protocol import AskUser
from roles.contracts.context import Context
from roles.journal.events import AnswerKeptEvent, AnswerRecalledEvent, ErrorEvent
from roles.knowledge.memory.answers import Answered, MemoryFault, RememberedAnswer
from roles.safety.privacy.vault import references_in

PRIVATE = "private answers are not kept"
ASKED_PRIVATE = "it asks for something private"


def recall(ctx: Context, ask: AskUser, app: str | None, *, secret: bool) -> dict[str, Any] | None:
    """What is known of this question from an earlier run, as JSON with where it is `from`; None where nothing is."""
    if ctx.answers.mode == "off" or secret or references_in(ask.question):
        return None
    try:
        known = ctx.answers.find(ask.question, app)
    except MemoryFault as fault:
        ctx.journal.record(ErrorEvent(message=str(fault)), role="operator", key=f"memory/{fault}")
        return None
    if known is None or ctx.journal.masked(known.value) != known.value:
        return None
    return known.model_dump(mode="json", exclude={"used"}) | {"from": known.told}


def note_recall(ctx: Context, ask: AskUser, known: dict[str, Any], *, subtask: str, step: int) -> None:
    """Say that nobody was asked, and why; count the use."""
    said = AnswerRecalledEvent(**{"asked": ask.question, "name": ask.name, **known})
    ctx.journal.record(said, role="memory", subtask=subtask, step=step, key=f"recalled/{subtask}/{step}")
    try:
        ctx.answers.note_use(RememberedAnswer.model_validate({k: v for k, v in known.items() if k != "from"}))
    except MemoryFault as fault:
        ctx.journal.record(ErrorEvent(message=str(fault)), role="operator", key=f"memory/{fault}")


def keep(ctx: Context, ask: AskUser, value: str, who: str, app: str | None, *, secret: bool, place: dict[str, Any]) -> None:
    """Keep what a person has just answered for later runs, or say why it is not kept."""
    if ctx.answers.mode == "off" or not value.strip():
        return
    why = ASKED_PRIVATE if secret else PRIVATE if references_in(value) or references_in(ask.question) else ""
    if not why:
        try:
            ctx.answers.keep(Answered(app or "", ask.question, ask.name, value, ctx.journal.run_key, who))
        except MemoryFault as fault:
            why = str(fault)
    said = AnswerKeptEvent(question=ask.question, app=app or "", kept=not why, why=why)
    ctx.journal.record(said, role="memory", **place, key=f"kept/{place['subtask']}/{place['step']}")


def withdraw_private(ctx: Context) -> int:
    """Forget answers of this run that turned out to be private since; returns how many."""
    if ctx.answers.mode == "off":
        return 0
    try:
        return ctx.answers.withdraw(ctx.journal.run_key, lambda text: ctx.journal.masked(text) != text)
    except MemoryFault as fault:
        ctx.journal.record(ErrorEvent(message=str(fault)), role="operator", key=f"memory/{fault}")
        return 0
