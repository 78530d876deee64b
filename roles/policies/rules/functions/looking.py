"""Looking at an application after one of its functions was called: is what was written there to be seen?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from environments.effects.words import Effect, effect_of_words
from protocol import GUIElement, VisualState
from roles.contracts import Fact, GateRequest, StepRecord
from roles.policies.rules import clauses as c
from roles.policies.rules.functions.functions import key_of, records_in
from roles.policies.rules.functions.wishes import Wish
from roles.policies.rules.skills.moves import Move, Situation, done, fail, press
from roles.policies.rules.skills.skills import next_move, reach_app
from roles.safety.effects.carried import looks, texts
from roles.screen.matching import similarity, tokens
from roles.screen.records import entry_of, fits
from roles.screen.screens import fold
from roles.screen.values import same_value
from roles.skills.contract import RESULT

_LOOKS = 14
_PARTS = {
    "send": ("sent", "outbox"),
    "save": ("draft", "drafts", "all", "list"),
    "submit": ("submitted", "history", "my", "all", "list"),
    "delete": ("all", "list", "inbox"),
}
"""Words of the part of an application where what was done is to be seen."""
_NAVIGATION = frozenset({"tab", "link", "treeitem", "menuitem", "option", "listitem", "button", "radio"})
_HARMLESS = frozenset({None, Effect.NAVIGATE, Effect.OBSERVE})


def telling(values: Iterable[str]) -> list[str]:
    """Of what was written, that by which it can be known again."""
    return [text.strip() for text in values if len(text.strip()) > 1 and text.casefold() not in {"true", "false"}]


def shows(state: VisualState, text: str) -> bool:
    """Whether a text, or each of its lines, stands on the screen; a path counts by its last part."""
    return all(_stands(state, line) for line in text.splitlines() if line.strip())


def _stands(state: VisualState, text: str) -> bool:
    wanted = fold(text.rsplit("/", 1)[-1] if text.startswith("/") else text)
    for element in state.elements:
        for shown in (element.text, element.value):
            if shown and (wanted in fold(shown) or same_value(shown, text)):
                return True
    return False


def look_at(wish: Wish, clause: c.Clause, answer: Fact | None, at: Situation) -> Move:
    """Bring the application to the front and find what was done; what cannot be found was not done."""
    if way := reach_app(clause, at):
        return way
    looks = at.count("looks")
    if wish.deed == "delete":
        if _gone(wish.entity, at):
            return done("it is no longer listed")
    elif _open(wish, at) or (at.notes.get("entry") and all(shows(at.view.seen, text) for text in _written(wish))):
        return done(f"{at.view.seen.app} shows what was written")
    if looks < _LOOKS and (nearer := _nearer(wish, answer, at)) is not None:
        return nearer
    app = at.view.seen.app
    if wish.deed != "delete" and all(shows(at.view.seen, text) for text in _written(wish)):
        return done(f"{app} lists what was written")
    return fail(f"{at.notes['doing']} said that it was done, and {app} does not show it")


def _written(wish: Wish) -> list[str]:
    return telling(given.text for given in wish.values)


def _open(wish: Wish, at: Situation) -> bool:
    """Whether all of it stands on the screen by itself, and not only in the rows of a list."""
    alone = (*at.screen.detail_texts, *at.screen.inputs)
    here = at.view.seen.model_copy(update={"elements": tuple(alone)})
    return all(shows(here, text) for text in _written(wish))


def _gone(entity: c.Entity, at: Situation) -> bool:
    return bool(at.screen.items) and not any(fits(entity, entry_of(item)) for item in at.screen.items)


def _nearer(wish: Wish, answer: Fact | None, at: Situation) -> Move | None:
    """Open the entry that shows some of it, else the part of the application where such things are."""
    opened: list[str] = at.notes.setdefault("looked at", [])
    for item in at.screen.items:
        clue = next((text for text in _clues(wish, answer) if fold(text) in fold(item.text)), None)
        if clue is not None and item.press.enabled and (tries := opened.count(item.text)) < 2:
            opened.append(item.text)  # one press may only select it
            at.notes["entry"] = True
            return press(item.press, f"it shows {clue!r}", count=1 + tries, at=at)
    for element in _parts(wish, at):
        if element.name not in opened:
            opened.append(element.name)
            return press(element, f'"{element.name}" may show what was done', at=at)
    clues = _clues(wish, None)
    if not clues:
        return None
    found = next_move(c.OpenItem(entity=c.Entity(noun=(*wish.nouns, "")[0], name=clues[0])), at)
    return found if found.kind == "act" else None


def _clues(wish: Wish, answer: Fact | None) -> list[str]:
    """By what an entry of it may be known: values, and what its function calls it."""
    records = records_in(answer.value)[0] if answer is not None else []
    keys = [key for record in records[:1] if (key := key_of(record, "number")) is not None and len(key) > 2]
    values = _written(wish) + telling([wish.entity.name, wish.entity.subject, wish.entity.id])
    return [*keys, *(text.rsplit("/", 1)[-1] for text in values if "\n" not in text)]


def _parts(wish: Wish, at: Situation) -> Sequence[GUIElement]:
    """Places of the application, those named for such a thing first; nothing that does anything."""
    words = _PARTS.get(wish.deed, ())
    nouns = [noun for noun in wish.nouns if noun]

    def near(element: GUIElement) -> float:
        named = set(tokens(element.name))
        likeness = max((similarity(noun, element.name) for noun in nouns), default=0.0)
        return (2.0 if named & set(words) else 0.0) + (likeness if likeness >= 0.6 else 0.0)

    there = [
        e for e in at.screen.presses
        if e.enabled and e.role in _NAVIGATION and effect_of_words(e.name) in _HARMLESS and not _makes(e.name)
    ]  # fmt: skip
    return sorted((e for e in there if near(e) > 0), key=near, reverse=True)


def _makes(name: str) -> bool:
    return bool({"new", "create", "add", "compose", "+", "write", "reply", "edit"} & set(name.casefold().split()[:1]))


def answers_for(arguments: Mapping[str, Any], answer: str) -> bool:
    """Whether an answer is the one to a call with these arguments, by those that it names again."""
    records, _ = records_in(answer)
    if len(records) != 1:
        return False
    named = {name: value for name, value in arguments.items() if name in records[0]}
    return bool(named) and all(same_value(str(records[0][name]), str(value)) for name, value in named.items())


def told_back(wish: Wish, answer: str) -> bool:
    """Whether what a reading function answered tells of all that was written."""
    texts = _written(wish)
    records, _ = records_in(answer)
    return any(tells_of(texts, record) for record in records) if texts else not records


def nearest_told(wish: Wish, answer: str) -> dict[str, Any] | None:
    """The record of an answer that tells of most of what was written, where it tells of any."""
    texts = _written(wish)
    scored = [(sum(tells_of([text], record) for text in texts), record) for record in records_in(answer)[0]]
    best = max(scored, key=lambda pair: pair[0], default=(0, {}))
    return best[1] if best[0] else None


def tells_of(texts: Sequence[str], record: Mapping[str, Any]) -> bool:
    """Whether all of these texts stand in a record."""
    return all(_in_record(text, record.values()) for text in texts)


def _in_record(text: str, values: Iterable[object]) -> bool:
    wanted, held = fold(text), [str(value) for value in values]
    return any(wanted in fold(value) or same_value(value, text) or _amount(value) == _amount(text) != "" for value in held)


def _amount(text: str) -> str:
    """The figure of an amount without its currency; empty where it is none."""
    plain = re.sub(r"[^\d.,-]", "", text).replace(",", "")
    return plain if re.fullmatch(r"-?\d+\.\d{2}", plain) and len(text) - len(plain) <= 6 else ""


CALLS = frozenset({"call_api", "ask_in_app_agent"})
_NAMES_A_RECORD = re.compile(r"(^|_)(id|key|line|note|number|conversation|path)$")
_QUOTED = re.compile(r'"([^"]+)"')


def is_call(step: StepRecord) -> bool:
    return step.action.get("action_type") in CALLS


def looks_only(step: StepRecord) -> bool:
    """Whether it was a function that is named as one that tells something."""
    return looks(str(step.action.get("function", "")))


def function_words(step: StepRecord) -> list[str]:
    """What the name of the function is made of: `move_file` and `moveFile` are `move` and `file`."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(step.action.get("function", "")))
    return [word for word in re.split(r"[^a-z]+", name.casefold()) if word]


def changed_by(step: StepRecord, request: GateRequest) -> str:
    """The screen of the application that a call changed before one's eyes, as evidence."""
    after = next((s for s in (*request.screens, *request.earlier) if s.state_id == step.after), None)
    said_no = any(event.startswith(("validation", "alert")) for event in step.events)
    app = str(step.action.get("app", ""))
    seen = step.visible_change and not said_no and after is not None and bool(app) and _same_app(after, app)
    return f"state:{step.after}" if seen else ""


def told_of(text: str | None, app: str | None, request: GateRequest) -> str:
    """What an application tells of a text after the last call that wrote, as evidence.

    It counts only where nobody has looked at the application's window: what can be seen is looked at.
    """
    writes = [s for s in request.steps if is_call(s) and not looks_only(s)]
    seen = any(_same_app(state, app or "") for state in (*request.screens, *request.earlier))
    if not text or not app or seen or not writes:
        return ""
    told = ((f.name, record) for f in _tellings(writes[-1], app, request) for record in records_in(f.value)[0])
    return next((f"fact:{name}" for name, record in told if tells_of([text], record)), "")


def _tellings(step: StepRecord, app: str, request: GateRequest) -> Iterator[Fact]:
    """What reading functions of an application have answered since a step."""
    for fact in request.facts:
        asked, _, function = fact.name.rpartition(".")
        if fact.kind == RESULT and asked.casefold() == app.casefold() and looks(function) and fact.step > step.step:
            yield fact


def shown_later(step: StepRecord, request: GateRequest) -> str:
    """What shows that a call did what it says, as evidence; empty where nothing does."""
    wanted = telling(_carried(step))
    app = str(step.action.get("app", ""))
    for state in _later(step, request):
        if _same_app(state, app) and wanted and all(shows(state, text) for text in wanted):
            return f"state:{state.state_id}"
    for fact in _tellings(step, app, request) if wanted else ():
        if any(tells_of(wanted, record) for record in records_in(fact.value)[0]):
            return f"fact:{fact.name}"
    return ""


def gone_later(step: StepRecord, target: str | None, request: GateRequest) -> str:
    """What shows that something is no longer there: a later list of its application in which it does not stand."""
    for state in _later(step, request):
        rows = [e for e in state.elements if e.role in {"row", "listitem", "treeitem"}]
        if _same_app(state, str(step.action.get("app", ""))) and rows and target and not shows(state, target):
            return f"state:{state.state_id}"
    return ""


def _carried(step: StepRecord) -> Iterator[str]:
    """What a call writes: its texts, without those that only name a record; of an agent, what is quoted."""
    if step.action.get("action_type") == "ask_in_app_agent":
        yield from _QUOTED.findall(str(step.action.get("request", "")))
        return
    arguments = step.action.get("arguments") or {}
    record = [name for name in arguments if _NAMES_A_RECORD.search(name)]
    for name, value in arguments.items():
        if name not in record or len(arguments) == 1 or name == "path":
            yield from texts(value)


def _later(step: StepRecord, request: GateRequest) -> Iterator[VisualState]:
    """Screens that were seen after it, the newest first."""
    ids = {i for s in request.steps if s.step > step.step for i in (s.before, s.after)} | {step.after}
    yield from reversed(request.screens)
    yield from (state for state in request.earlier if state.state_id in ids)


def _same_app(state: VisualState, app: str) -> bool:
    called = {(state.app or "").casefold(), *(w.title.casefold() for w in state.windows if w.app == state.app)}
    return not app or app.casefold() in called
