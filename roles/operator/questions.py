"""Questions for the user: the same one is asked once in a run, and its answer stays on the blackboard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocol import AskUser
from roles.contracts import USER, Fact
from roles.journal import Journal
from roles.memory.blackboard_fact import MEMORY
from roles.safety import SafetyPolicy


def answered(journal: Journal, question: str) -> Fact | None:
    """What the user said when this was asked before, in any subtask; None when it was not, or when the answer was empty."""
    wanted = _plain(question)
    return next((f for f in reversed(journal.facts()) if f.question and _plain(f.question) == wanted and f.value.strip()), None)


def remember_answer(
    journal: Journal,
    ask: AskUser,
    value: str,
    kind: str,
    *,
    subtask: str,
    private: bool,
    step: int = 0,
    app: str | None = None,
    recalled: Mapping[str, Any] | None = None,
) -> Fact:
    """Put the answer on the blackboard under the name that was given.

    An answer to another question that has this name moves aside, so that it is still known. One that was `recalled` from an
    earlier run is said to be from there, and is not the user's word in this one.
    """
    facts = {fact.name: fact for fact in journal.facts()}
    held = facts.get(ask.name)
    if held is not None and held.question and _plain(held.question) != _plain(ask.question):
        journal.remember(held.model_copy(update={"name": _free(ask.name, held, facts)}))
    place: dict[str, Any] = {"subtask": subtask, "step": step, "app": app, "question": ask.question, "private": private}
    said: dict[str, Any] = {"role": USER, "source": USER}
    if recalled:
        said = {"role": MEMORY, "source": MEMORY, "source_name": str(recalled.get("from", ""))}
    fact = Fact(name=ask.name, value=value, kind=kind, **place, **said)
    journal.remember(fact)
    return fact


def is_secret(ask: AskUser, policy: SafetyPolicy) -> bool:
    """Whether the answer is one of the things that must not be shown: a question for a password, a card number."""
    return policy.hides(ask.question) or policy.hides(ask.name)


def _free(name: str, held: Fact, facts: dict[str, Fact]) -> str:
    number = 1
    while (taken := facts.get(f"{name} ({number})")) is not None and taken.question != held.question:
        number += 1
    return f"{name} ({number})"


def _plain(question: str) -> str:
    return " ".join(question.casefold().split()).rstrip(" ?.!？。！")
