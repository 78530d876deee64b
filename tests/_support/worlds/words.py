"""Every word that an app shows: its views are walked through by events that the seed draws."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

import environments.simulated.app as sim
from environments.simulated.apps import APPS
from environments.simulated.screen.widgets import FIELDS, Widget
from environments.simulated.variation.apply import keyed
from environments.simulated.world.values import cast_for

SAMPLES = ("", "12.50", "x", "2026-03-01", "09:30", "ada.abbott@example.com", "not @ right", "Ada", "2", "0", "=1/0",
           "=SUM(A1:A3)", "report", "a/b", "99", "Ada Abbott", "SAVE10", "4111111111111111", "09/29", "123",
           "1990-01-01")  # fmt: skip
NEWS = (
    ("compose", {"to": "x@y.org", "subject": "S"}),
    ("mail", {"from": "x@y.org", "subject": "S"}),
    ("note", {"title": "T", "body": "B"}),
    ("invitation", {"from": "Ada", "title": "T", "start": "2026-03-01 10:00", "end": "2026-03-01 11:00"}),
    ("invitation", {"from": "Ada"}),
    ("new-event", {"title": "T"}),
    ("new-contact", {"name": "N"}),
    ("open", {"with": "Ada Abbott"}),
    ("message", {"from": "Ada Abbott", "text": "Hello"}),
)
TODAY = date(2026, 3, 2)


class Word(NamedTuple):
    """Something that is shown: `place` is a role, `placeholder`, `option`, or the kind of an effect with the part of it."""

    place: str
    key: str
    text: str


def shown_in(widget: Widget) -> Iterator[Word]:
    """The words of a widget and of all that is in it."""
    if widget.text:
        yield Word(widget.role, widget.key, widget.text)
    if widget.placeholder:
        yield Word("placeholder", widget.key, widget.placeholder)
    for option in widget.options if widget.role == "combobox" else ():
        yield Word("option", widget.key, option)
    for child in widget.children:
        yield from shown_in(child)


def walk(app: sim.AnyApp, content: dict[str, Any], seed: int, steps: int) -> Iterator[Word]:
    """What the app shows on the way of so many events, of which those come first that were seldom drawn before."""
    rng = random.Random(seed)
    cast = cast_for(seed, "Ada Abbott", TODAY)
    first = app.initial(content, sim.Setting(random.Random(seed), cast))
    other = APPS[app.shares].initial({}, sim.Setting(random.Random(seed), cast)) if app.shares else None
    state, dialogs, tried = first, list[sim.Dialog](), Counter[tuple[object, ...]]()
    yield Word("title", app.name, app.title)
    state = first = app.update(first, sim.Passed(60.0, "2026-03-02 09:00")).state if app.timed else first
    for _ in range(steps):
        tree = app.view(state)
        for widget in keyed(tree):
            yield from shown_in(widget)
        events = list(_answers(dialogs.pop(), rng) if dialogs else _events(tree, rng))
        page = tuple(sorted(re.sub(r"\d+", "0", w.key) for w in _flat(tree) if w.role == "heading"))
        marks = [(page, type(event).__name__, re.sub(r"\d+", "0", str(event))) for event in events]
        at = min(range(len(events)), key=lambda n: (tried[marks[n]], rng.random()), default=None)
        if at is None:
            state = first
            continue
        event = events[at]
        tried[marks[at]] += 1
        lent = state.model_copy(update={"lent": other}) if isinstance(state, sim.SharingState) else state
        update = app.update(lent, event)
        state = update.state.model_copy(update={"lent": None}) if isinstance(update.state, sim.SharingState) else update.state
        for effect in update.effects:
            yield from _said(effect)
            if isinstance(effect, sim.Dialog):
                dialogs.append(effect)
            if isinstance(effect, sim.Change):
                other = effect.state
            if isinstance(effect, sim.Later):
                state = app.update(state, sim.Arrived(effect.topic, effect.data)).state
        if rng.random() < 0.004:
            state = first


def _flat(tree: tuple[Widget, ...]) -> Iterator[Widget]:
    for widget in tree:
        yield widget
        yield from _flat(widget.children)


def _events(tree: tuple[Widget, ...], rng: random.Random) -> Iterator[sim.Event]:
    widgets = list(_flat(tree))
    onto = [w.key for w in widgets if w.drop]
    for widget in widgets:
        key = widget.key
        if widget.role in FIELDS and widget.enabled:
            yield from (sim.Edited(key, value) for value in _values(widget))
            yield sim.Left(key)
        if widget.press and widget.enabled:
            yield sim.Pressed(key)
        if widget.opens:
            yield sim.Opened(key)
        if widget.hovers:
            yield sim.Hovered(key)
        if widget.context:
            yield sim.Context(key)
        if widget.drag and onto:
            yield sim.Dropped(key, rng.choice(onto))
    if rng.random() < 0.05:
        yield from (sim.Arrived(topic, data) for topic, data in NEWS)


def _values(widget: Widget) -> tuple[str, ...]:
    """What may be put into a field: only what the desktop would let through."""
    if widget.role in {"checkbox", "switch"}:
        return "true", "false"
    if widget.limits is not None:
        low, high, step = widget.limits
        return tuple(f"{value:g}" for value in (low, low + step, high))
    return widget.options or SAMPLES


def _answers(dialog: sim.Dialog, rng: random.Random) -> Iterator[sim.Event]:
    for button in dialog.buttons:
        for _ in range(3):
            fields = {f.key: rng.choice(f.options or (f.value, *SAMPLES)) for f in dialog.fields}
            yield sim.Answered(dialog.key, button, fields)


def _said(effect: object) -> Iterator[Word]:
    match effect:
        case sim.Toast(text=text):
            yield Word("toast", "", text)
        case sim.Notice(title=title, text=text):
            yield from (Word("notice", "", said) for said in (title, text) if said)
        case sim.Dialog():
            yield from (Word("dialog", effect.key, said) for said in (effect.title, effect.text, *effect.buttons) if said)
            for field in effect.fields:
                yield Word("dialog", effect.key, field.label)
                yield from (Word("option", f"field-{field.key}", option) for option in field.options)


CONTENTS: dict[str, tuple[dict[str, Any], ...]] = {
    "reimbursement": ({}, {"required": ["amount", "receipt", "date"], "disabled_until_valid": True}),
    "contacts": ({}, {"generate": 60}),
    "mail": ({}, {"messages": []}),
    "shop": ({}, {"card": {"card": "4111 1111 1111 1111", "expiry": "09/29", "code": "123"},
                  "address": {"name": "A", "street": "S 1", "city": "C", "postcode": "12345", "country": "Germany"}}),
}  # fmt: skip
"""What an app may start with, where nothing at all shows too little of it."""


def words(app: sim.AnyApp, steps: int = 1500) -> set[Word]:
    """All that was seen on the way, from each of the app's contents."""
    return {word for n, content in enumerate(CONTENTS.get(app.name, ({},))) for word in walk(app, content, n, steps)}
