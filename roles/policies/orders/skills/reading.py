"""Learn facts: fields of a record or of the screen, all records that are meant as a table; and wait until one is there."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from protocol import ActionTarget, GUIElement, Memorize, Wait
from roles.contracts.orders import CollectStep, ReadStep, Records, StepFailure, WaitStep
from roles.contracts.values import table_text
from roles.policies.orders.skills import finding
from roles.policies.orders.skills.lists import listed
from roles.policies.orders.skills.revealing import further, revealed
from roles.policies.orders.skills.situation import Move, Needed, Situation, act, done, fail, first
from roles.screen.matching import similarity
from roles.screen.rows import Row, is_cut, matches
from roles.screen.screens import Pair, shown
from roles.screen.texts import fold, plain, words
from roles.screen.values import is_masked

_PIECE = 15.0
"""Seconds between two looks."""


class Source(NamedTuple):
    """A value with the element that shows it."""

    value: str
    element: GUIElement


def read(step: ReadStep, at: Situation) -> Move:
    """Skill: one fact a label; from the row of the record where that shows all of them, else from its own page."""
    known: list[str] = at.notes.setdefault("known", [])
    left = [(label, name) for label, name in zip(step.labels or ("",), step.names, strict=False) if name not in known]
    if not left:
        return done(f"{', '.join(step.names)} known")
    if step.records is None:
        first(at.to_app(step.app))
    label, name = left[0]
    found = _source(step, label, at)
    if step.part.startswith("word "):  # from 1, or from the end, from -1
        there, number = words(found.value), int(step.part[5:])
        if not there or number > len(there):
            raise StepFailure(f"the text has {len(there)} words, and number {number} is asked for")
        found = found._replace(value=there[number - 1 if number > 0 else number])
    known.append(name)
    action = Memorize(target=ActionTarget.of(found.element), name=name, value=found.value)
    return act(action, f'{at.title(step.app)} shows {name}: "{found.value[:80]}"', f"{name} on the blackboard")


def _source(step: ReadStep, label: str, at: Situation) -> Source:
    """What shows the value. Raises Needed until it is on the screen."""
    records = step.records
    if records is not None and not finding.is_here(records, at):
        if step.labels and not at.notes.get("opened it") and not finding.is_any(records) and not finding.shows_it(records, at):
            rows = finding.survey(records, at)
            told = len(rows) == 1 and (not rows[0].body or matches(replace(rows[0], body=None), records.tests))
            if told and (found := _in_list(rows[0], label, step.labels, records, at)) is not None:
                return found  # else only its page shows that it is the one
        at.notes["opened it"] = True
        finding.find_record(records, at)
    whole = _paragraph if step.part else _everything
    found = whole(at) if not label else field_on(label, step.app, records, at)
    if found is not None:
        return found
    masked = any(is_masked(pair.value, pair.label) for pair in at.screen.pairs if similarity(label, pair.label) >= 0.9)
    hidden = revealed(label, at, "section", "tab", "mask") if masked else revealed(label, at, "section", "tab")
    edge = at.view.seen.screen_resolution[1] * 0.9
    goes_on = any(e.bbox is not None and e.bbox.y2 > edge for e in at.screen.elements)
    first(hidden or (further(at) if goes_on else None))
    if masked:
        raise Needed(fail(f'the "{label}" is hidden in {at.title(step.app)}', f"a control that shows the {label}"))
    labels = ", ".join(dict.fromkeys(pair.label for pair in at.screen.pairs)) or "none"
    what = finding.naming(records) if records is not None else "the screen"
    none = f'{what} shows no "{label}" in {at.title(step.app)}; labels there are: {labels}'
    raise Needed(fail(none, f"where to see the {label}"))


def _in_list(row: Row, label: str, labels: Sequence[str], records: Records, at: Situation) -> Source | None:
    """From the row in its list; None where that does not show all that is wanted, and the record has to be opened."""
    if any(is_cut(row.value(one) or "…") for one in labels):
        if at.shows_all(records.app):
            raise StepFailure(f'the row "{row.text}" shows no "{label}"')
        return None
    item = finding.find_row(records, at)
    value = row.value(label) or ""
    return Source(value, next((pair.element for pair in item.cells if pair.value == value), item.press))


def field_on(label: str, app: str, records: Records | None, at: Situation) -> Source | None:
    """What the page of a record shows under a label. Raises StepFailure where it shows several that differ."""
    pairs = [pair for pair in at.screen.pairs if pair.value]
    pairs += [Pair(f.name, f.value or "", f) for f in at.screen.inputs if f.name and not f.value]
    if not at.screen.columns:  # a table of two columns without heads is one of labels and values
        cells = [[kid for kid in at.screen.kids(item.element) if shown(kid)] for item in at.screen.items]
        pairs += [Pair(shown(row[0]), shown(row[1]), row[1]) for row in cells if len(row) == 2]
    exact = [pair for pair in pairs if fold(pair.label).rstrip(" :*") == fold(label)]
    kind = at.kind(app, records.kind) if records is not None else None
    card = next((f for f in kind.fields if fold(f.label) == fold(label)), None) if kind else None
    if not exact and card is not None and card.type == "long_text":
        return _prose([f.label for f in kind.fields] if kind else [], at)
    near = exact or [pair for pair in pairs if similarity(label, pair.label) >= 0.9]
    values = list(dict.fromkeys(pair.value for pair in near))
    if len(values) > 1:
        raise StepFailure(f'the page shows several values for "{label}": {"; ".join(values[:6])}')
    if near and not is_masked(near[0].value, near[0].label):
        return Source(near[0].value, near[0].element)
    row = Row.load(at.notes["here"]["row"]) if records is not None and finding.is_here(records, at) else None
    heads = [e for e in at.screen.elements if e.role == "heading"]
    value = row.value(label) if row is not None else None
    if value is None and card is not None and card.key and row is not None:
        value = row.key
    if not value or is_cut(value):
        return None
    return Source(value, next((e for e in [*heads, *at.screen.elements] if fold(value) in fold(e.name)), at.screen.elements[0]))


def _prose(labels: Sequence[str], at: Situation) -> Source | None:
    """The running text of a page: all that is no heading, and neither a label nor the value beside one."""
    named = {fold(label) for label in labels}
    groups = [(pair, [e for e in at.screen.elements if e.parent == pair.element.parent]) for pair in at.screen.pairs]
    paired = [(p, group) for p, group in groups if (fold(p.label) in named if named else len(group) == 2)]
    told = {e.element_id for pair, group in paired for e in (group if len(group) == 2 else [pair.element])}
    texts = [e for e in at.screen.detail_texts if e.role not in {"heading", "status", "alert"} and e.element_id not in told]
    return Source("\n".join(shown(e) for e in texts), max(texts, key=lambda e: len(shown(e)))) if texts else None


def _everything(at: Situation) -> Source | None:
    """All that the screen says, in lines; what belongs together in one."""
    inputs = [f"{pair.label}: {pair.value}" for pair in at.screen.pairs]
    said = {part for pair in at.screen.pairs for part in (pair.label, pair.value)}
    texts = [shown(e) for e in at.screen.detail_texts if e.role not in {"status", "alert"} and shown(e) not in said]
    lines = list(dict.fromkeys([*texts, *inputs, *(item.text for item in at.screen.items)]))
    return Source("\n".join(lines), at.screen.elements[0]) if lines else None


def _paragraph(at: Situation) -> Source:
    """The only running text of a page; what only repeats the goal is none."""
    texts = [e for e in at.screen.elements if e.role == "text" and len(e.name.split()) > 2]
    texts = [e for e in texts if plain(e.name) != plain(at.view.user_request)]
    if len(texts) != 1:
        raise StepFailure(f"{len(texts)} texts of the page may be meant")
    return Source(texts[0].name, texts[0])


def collect(step: CollectStep, at: Situation) -> Move:
    """Skill: a row for each record that fits; none is a table without rows. Says how many were looked at, and where."""
    rows = finding.survey(step.records, at, step.labels)
    state = at.notes["survey"]
    if at.notes.get("kept"):
        what, where = finding.naming(step.records), " and ".join(state["looked"])
        return done(f'{len(rows)} of {state["seen"]} in {where} are {what}, known as "{step.name}"')
    card = at.kind(step.records.app, step.records.kind)
    listed_fields = [f.label for f in card.fields if f.listed] if card else []
    own = [name for row in rows for name, _ in row.cells] or state["columns"] or listed_fields
    columns = list(step.labels) or list(dict.fromkeys(own)) or ["Name"]
    if unknown := [name for name in step.labels if rows and all(row.value(name) is None for row in rows)]:
        raise StepFailure(f'{finding.naming(step.records)} shows no "{unknown[0]}"; it shows {", ".join(dict.fromkeys(own))}')
    if hidden := [(row, name) for row in rows for name in step.labels if is_masked(row.value(name) or "", name)]:
        row, name = hidden[0]
        raise StepFailure(f'the "{name}" of {row.key} is hidden in {at.title(step.records.app)}')
    lines = tuple(tuple(row.value(name) or "" for name in columns) for row in rows)
    here = listed(step.records, at)
    shown = here[0].item.element if here else at.screen.elements[0]
    at.notes["kept"] = True
    action = Memorize(target=ActionTarget.of(shown), name=step.name, value=table_text(tuple(columns), lines))
    return act(action, f"{len(rows)} of {state['seen']} records belong to {step.name}", f"{step.name} on the blackboard")


def wait(step: WaitStep, at: Situation) -> Move:
    """Skill: until a record is there, looking again and again; without one, for so many seconds."""
    waited = float(at.notes.get("waited", 0.0))
    if step.records is not None:
        records, card = step.records, at.kind(step.records.app, step.records.kind)
        finding.to_list(records, records.place or (card.place if card else ""), at)
        rows = [one.row for one in listed(records, at)]
        before = {*at.notes.setdefault("there", [row.text for row in rows])}  # without tests, any that was not there
        if any(matches(row, records.tests) if records.tests else row.text not in before for row in rows):
            return done(f"{finding.naming(records)} is there")
    elif waited >= step.seconds:
        return done(f"{waited:.0f} seconds have passed")
    if waited >= step.seconds and step.records is not None:
        return fail(f"{finding.naming(step.records)} did not come to {at.title(step.app)} within {waited:.0f} seconds")
    piece = min(_PIECE, step.seconds - waited) if step.records is not None else min(600.0, step.seconds - waited)
    at.notes["waited"] = waited + piece
    return act(Wait(seconds=piece), "it is not there yet" if step.records is not None else "so it was asked")
