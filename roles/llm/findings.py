"""What code can find out about the outcome of a subtask, in words for a model: what was to be seen, and whether it was."""

from __future__ import annotations

from collections.abc import Sequence

from roles.contracts import (
    AppShown,
    ChosenSeen,
    EffectSeen,
    Expectation,
    FactKnown,
    FieldHas,
    GateRequest,
    OperatorView,
    TakenSeen,
    TextShown,
)
from roles.rules.evidence import check
from roles.signals import GateTrigger


def missing_of(view: OperatorView) -> tuple[Expectation, ...]:
    """What the subtask is to lead to and has not been seen yet, found as a gate finds it."""
    request = _request(view)
    return tuple(expectation for expectation in view.subtask.expect if not check(expectation, request).holds)


def _request(view: OperatorView) -> GateRequest:
    return GateRequest(
        trigger=GateTrigger.WORKER_SUCCESS,
        goal=view.user_request,
        subtask=view.subtask,
        steps=view.history,
        facts=view.facts,
        screens=(view.seen,),
        earlier=view.earlier,
    )


def expected_told(view: OperatorView, missing: Sequence[Expectation]) -> str:
    """A line for each expectation: seen, or still to do."""
    return "\n".join(f"[{' ' if e in missing else 'x'}] {_told(e)}" for e in view.subtask.expect)


def _told(expectation: Expectation) -> str:
    match expectation:
        case FactKnown(name=name):
            return f'memorize "{name}"'
        case FieldHas(label=label, value=value, fact=fact, beside=beside):
            what = f'"{value}"' if fact is None else f'the fact "{fact}"'
            return f'a field such as "{label}" holds {what}' + (" beside what it held before" if beside else "")
        case TextShown(text=text):
            return f'"{text}" can be read'
        case EffectSeen(verb=verb, target=target):
            return f"{verb} {target or 'it'}"
        case AppShown(app=app):
            return f"{app} is on the screen"
        case ChosenSeen(names=names, on=on):
            return f'"{names}" is {"" if on else "not "}chosen'
        case TakenSeen(names=names, trait=trait, each=each):
            return f"{each} of {names or trait} taken"
