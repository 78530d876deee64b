"""Learn all records that are meant, over all pages, as one table fact."""

from __future__ import annotations

from protocol import ActionTarget, Memorize
from roles.contracts.orders import CollectStep
from roles.policies.orders.skills.finding import naming, survey
from roles.policies.orders.skills.lists import listed
from roles.policies.orders.skills.situation import Move, Situation, StepFailure, act, done, table_text


def collect(step: CollectStep, at: Situation) -> Move:
    """Skill: a row for each record that fits; none is a table without rows. Says how many were looked at, and where."""
    rows = survey(step.records, at, step.labels)
    if isinstance(rows, Move):
        return rows
    state = at.notes["survey"]
    if at.notes.get("kept"):
        what, where = naming(step.records), " and ".join(state["looked"])
        return done(f'{len(rows)} of {state["seen"]} in {where} are {what}, known as "{step.name}"')
    card = at.kind(step.records.app, step.records.kind)
    listed_fields = [f.label for f in card.fields if f.listed] if card else []
    own = [name for row in rows for name, _ in row.cells] or state["columns"] or listed_fields
    columns = list(step.labels) or list(dict.fromkeys(own)) or ["Name"]
    if unknown := [name for name in step.labels if rows and all(row.value(name) is None for row in rows)]:
        raise StepFailure(f'{naming(step.records)} shows no "{unknown[0]}"; it shows {", ".join(dict.fromkeys(own))}')
    lines = [[row.value(name) or "" for name in columns] for row in rows]
    here = listed(step.records, at)
    shown = here[0].item.element if here else at.screen.elements[0]
    at.notes["kept"] = True
    action = Memorize(target=ActionTarget.of(shown), name=step.name, value=table_text(columns, lines))
    return act(action, f"{len(rows)} of {state['seen']} records belong to {step.name}", f"{step.name} on the blackboard")
