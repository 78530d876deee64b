"""Press what keeps, sends or does something, once, and see what came of it: a question, a complaint, a proof, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from environments.cards import VerbCard
from environments.effects.words import is_way_out
from protocol import ActionTarget, AskUser, ExecStatus, GUIElement, PressKey, Wait
from roles.contracts import StepRecord
from roles.policies.orders.skills.situation import Move, Situation, act, done, fail, press
from roles.policies.orders.skills.widgets import put
from roles.screen.dialogs import agree_choice, dialog_text
from roles.screen.events import refusal
from roles.screen.matching import tokens
from roles.screen.screens import fold
from roles.screen.values import rewritings

WORDS: dict[str, tuple[str, ...]] = {
    "submit": ("submit", "send", "hand in", "send in", "apply", "request", "book", "order", "finish", "complete", "confirm"),
    "send": ("send", "submit", "send now", "post"),
    "save": ("save", "store", "keep", "update", "done", "create", "add", "ok", "apply", "set"),
    "create": ("create", "save", "add", "ok", "done"),
    "set": ("set", "save", "apply", "update", "ok"),
    "update": ("update", "save", "apply", "ok"),
    "delete": ("delete", "remove", "trash", "move to trash", "erase", "bin"),
    "rename": ("rename", "edit name"),
    "move": ("move", "move to", "put in", "file in"),
    "edit": ("edit", "change", "modify"),
}  # fmt: skip
"""What a control for a verb may be called; the likeliest first. A verb without an entry is called by its own name."""
_IRREGULAR = {"send": ("sent",), "submit": ("sent",), "save": ("kept", "set", "written"), "set": ("set",), "create": ("made",),
              "pay": ("paid",), "accept": ("accepted",), "put": ("put",)}  # fmt: skip
_ONWARD = frozenset({"next", "continue", "review", "proceed", "next step"})
_LEAVES_OPEN = frozenset({"save", "set", "update", "apply"})


def controls_of(verb: str, at: Situation, app: str) -> list[str]:
    """Labels that the app's card gives the controls of a verb in forms."""
    card = at.card(app)
    if card is None:
        return []
    cards: list[VerbCard] = [v for kind in card.kinds for v in (*kind.verbs, *([kind.create] if kind.create else []))]
    return list(dict.fromkeys(v.control for v in (*cards, *card.verbs) if v.verb == verb and v.control and v.at in {"form", "app"}))


def called(name: str, label: str, owner: Sequence[str] = ()) -> bool:
    """Whether a control of this name is the one that a card calls `label`, where `{title}` is the record's own name."""
    if "{" in label:
        head, _, rest = label.partition("{")
        tail = rest.partition("}")[2]
        inner = fold(name).removeprefix(fold(head)).removesuffix(fold(tail)).strip()
        fits = fold(name).startswith(fold(head)) and fold(name).endswith(fold(tail))
        return fits and bool(inner) and (not owner or any(_same_words(inner, one) for one in owner))
    return _bare(name) == _bare(label)


def _same_words(inner: str, one: str) -> bool:
    return fold(inner) == fold(one) or fold(inner) in fold(one) or fold(one) in fold(inner)


def _bare(name: str) -> str:
    return fold(name).rstrip(".… ")


def control_for(
    verb: str, options: Iterable[GUIElement], labels: Sequence[str], owner: Sequence[str] = (), about: Sequence[str] = ()
) -> GUIElement | None:
    """The control of a verb: by its card's label, else by the words for the verb, with nothing behind them but the record."""
    named = list(options)
    by_card = [e for label in labels for e in named if called(e.name, label, owner)]
    if by_card:
        return by_card[0]
    scored = [(score, e) for e in named if (score := _score(e, verb, owner, about)) > 0]
    top = max((score for score, _ in scored), default=0.0)
    return next((e for score, e in scored if score == top), None)


def _score(element: GUIElement, verb: str, owner: Sequence[str], about: Sequence[str]) -> float:
    name = _bare(element.name)
    words = WORDS.get(verb, (_bare(verb),))
    hit = next((i for i, word in enumerate(words) if name == word or name.startswith(word + " ")), None)
    if hit is None:
        return 0.0
    rest = name[len(words[hit]) :].strip()
    mine = {*tokens(" ".join((*owner, *about))), "change", "setting", "it", "now", "all", "the", "this", "of"}
    foreign = [word for word in tokens(rest) if word not in mine]
    if owner and rest and set(tokens(rest)) <= set(tokens(" ".join(owner))):
        return 3.0
    if "draft" in foreign or "as" in foreign:
        return 0.01
    return max(0.02, 2.0 - 0.15 * hit - 0.3 * len(foreign) + (0.05 if element.enabled else 0.0))


def push(button: GUIElement, verb: str, at: Situation) -> Move:
    """Press it; when that did nothing to be seen, use the keyboard; when that did nothing either, say so."""
    if scroll := at.reach(button):
        return scroll
    times = at.count("pressed")
    if not times:
        at.notes.update(warned=at.screen.complaints, noticed=at.screen.notices)
    at.notes.update(button=button.name, verb=verb, at=at.history[-1].step if at.history else 0)
    if times > 3:
        return fail(f'pressing "{button.name}" has no visible effect')
    if verb == "save" and times == 2:
        return act(PressKey(keys=("Control", "s")), f'"{button.name}" did nothing; its shortcut may')
    if at.keyboard or times in {1, 2}:
        why = f'"{button.name}" did not react to a click; press it by key'
        return act(PressKey(target=ActionTarget.of(button), keys=("Enter",)), why, f"what {verb} shows")
    return press(button, f'"{button.name}" is how to {verb} it')


def came_of(verb: str, at: Situation) -> Move | None:
    """What came of the last press: done, a mended field, a confirmed question; None where it has to be pressed (again)."""
    if not at.notes.get("pressed"):
        return None
    if at.view.seen.loading:
        return act(Wait(seconds=1.0), "it is still loading")
    if at.screen.dialog is not None:
        choice = agree_choice(verb, at.screen) or _same_button(at)
        if choice is None:
            return fail(f'a dialog asks something else: "{dialog_text(at.screen.dialog, at.screen.elements)[:160]}"')
        if at.count("agreed") > 3:
            return fail(f'the dialog "{at.screen.dialog.name}" does not go away')
        return press(choice, f"the crew itself asked to {verb} it")
    if (_wrong(at) or set(at.screen.complaints) - set(at.notes.get("warned", []))) and (move := mend(at)):
        return move
    if at.notes.pop("mended", False):
        at.notes["pressed"] = 0
        return None
    last = at.last
    if last is None or last.step <= int(at.notes.get("at", 0)):
        return None
    if last.exec_status is not ExecStatus.EXECUTED and not last.visible_change and at.count("unknown") < 2:
        return act(Wait(seconds=2.0), f"nobody knows whether it was done ({last.error or last.exec_status.value}); look again")
    if last.visible_change and (said := refusal(at.view.before, at.view.seen)):
        return fail(f"after the press the screen says: {said}")
    return done(f"{verb}: {evidence(at)}") if _worked(last, at) else None


def _same_button(at: Situation) -> GUIElement | None:
    """In a dialog that asks once more: the button that is called as the one that was pressed."""
    wanted = fold(str(at.notes.get("button", "")))
    return next((e for e in at.screen.presses if e.role == "button" and e.enabled and wanted and fold(e.name) == wanted), None)


def news(at: Situation) -> list[str]:
    """What the screen tells newly of the verb that was pressed, in its past: saved, sent, submitted."""
    before = list(at.notes.get("noticed", []))
    fresh = []
    for said in at.screen.notices:
        if said in before:
            before.remove(said)
        elif _tells_of(str(at.notes.get("verb", "")), said):
            fresh.append(said)
    return fresh


def _tells_of(verb: str, said: str) -> bool:
    """`Message sent` tells of sending, and `New message from Ann` does not."""
    words = {word.split()[0] for word in WORDS.get(verb, (fold(verb),))}
    stems = tuple(word[: max(3, len(word) - 1)] for word in words)
    return any(
        word in _IRREGULAR.get(verb, ()) or (word.startswith(stems) and word.endswith(("ed", "en", "ted")) and word not in words)
        for word in fold(said).replace(".", " ").replace(",", " ").split()
    )


def evidence(at: Situation) -> str:
    """What shows that something was done."""
    return "; ".join(news(at)) or "; ".join(at.last.events if at.last else ()) or "the screen changed"


def _wrong(at: Situation) -> bool:
    return any(field.invalid for field in at.screen.inputs)


def _worked(last: StepRecord, at: Situation) -> bool:
    """Whether the step showed an effect; events of validation say that it did not."""
    refused = any(event.startswith(("validation", "alert")) for event in last.events)
    if not last.visible_change or (refused and set(at.screen.complaints) - set(at.notes.get("warned", []))):
        return False
    still = any(e.name == at.notes.get("button") and e.enabled for e in at.screen.presses)
    if news(at) or not still or any(event.startswith("navigation") for event in last.events):
        return True
    return at.notes.get("verb") in _LEAVES_OPEN and differs(at)


def differs(at: Situation) -> bool:
    """Whether the screen shows other things than before the last step: a button that merely took the focus has done nothing."""
    before = at.view.before

    def contents(elements: Sequence[GUIElement]) -> list[tuple[object, ...]]:
        kept = (e for e in elements if e.role not in {"status", "alert", "progressbar", "tooltip"})
        return [(e.role, e.name, e.value, e.enabled, e.selected, e.expanded) for e in kept]

    return before is not None and contents(before.elements) != contents(at.view.seen.elements)


def mend(at: Situation) -> Move | None:
    """Do something about a complaint: ask for what is empty, write what is marked as wrong in another way."""
    said = "; ".join(at.screen.complaints[:3]) or "nothing on the screen says why"
    if int(at.notes.get("mends", 0)) > 12:
        return fail(f"the form still complains: {said}")
    move = lacking(at) or _rewritten(at)
    if move is None:
        return fail(f"the form complains: {said}")
    if move.kind == "act":
        at.count("mends")
        at.notes["mended"] = True
    return move


def _rewritten(at: Situation) -> Move | None:
    for field in (f for f in at.screen.inputs if f.invalid and f.value):
        tried: list[str] = at.notes.setdefault(f"rewrote {field.name}", [field.value])
        way = next((w for w in rewritings(tried[0]) if w not in tried), None)
        if way is not None:
            tried.append(way)
            at.notes.pop("tries", None)
            return put(field.model_copy(update={"value": None, "invalid": False}), way, at)
    return None


def lacking(at: Situation) -> Move | None:
    """Ask for the first required field that is empty, and write what was answered; None when there is none."""
    for field in at.screen.inputs:
        empty = not (field.value or "").strip() or field.value == "false"
        said = field.invalid or any(fold(f"{field.name} is required") == fold(text) for text in at.screen.complaints)
        if not empty or not (field.required or said):
            continue
        answer = at.fact(field.name)
        if answer is not None:
            return put(field, answer.value, at)
        if at.notes.get("asked for") == field.name:
            return fail(f'the required field "{field.name}" is empty, and nobody says what goes into it')
        at.notes["asked for"] = field.name
        choices = f" It can be: {', '.join(field.choices)}." if field.choices else ""
        question = f'What should go into the required field "{field.name}"?{choices}'
        action = AskUser(question=question, name=fold(field.name))
        return Move("ask", f'nothing says what goes into the required field "{field.name}"', action)
    return None


def commit(verb: str, app: str, at: Situation, owner: Sequence[str] = (), about: Sequence[str] = ()) -> Move:
    """Press the button of that verb once the form is whole, then look for what it did."""
    if (move := came_of(verb, at)) is not None:
        return move
    button = commit_button(verb, app, at, owner, about)
    if not at.notes.get("pressed") and (move := lacking(at)) is not None and move.kind != "done":
        return move
    if button is None:
        return _without_button(verb, app, at)
    if not button.enabled:
        if verb in _LEAVES_OPEN and not at.screen.complaints:
            return done(f'nothing has changed that wants saving: "{button.name}" is disabled')
        said = "; ".join(at.screen.complaints[:3]) or "nothing on the screen says why"
        return fail(f'"{button.name}" is disabled and no required field is empty; {said}')
    return push(button, verb, at)


def commit_button(
    verb: str, app: str, at: Situation, owner: Sequence[str] = (), about: Sequence[str] = ()
) -> GUIElement | None:
    """Near the field that was written last, else anywhere."""
    if at.screen.dialog is not None:
        return agree_choice(verb, at.screen) or lone_way_on(at)
    labels = controls_of(verb, at, app)
    near = _beside(at)
    for options in (near, at.screen.presses):
        buttons = [e for e in options if e.role in {"button", "menuitem"} and not _is_place(e)]
        if (found := control_for(verb, buttons, labels, owner, about)) is not None:
            return found
    return None


def lone_way_on(at: Situation) -> GUIElement | None:
    """Of a dialog: the only button that does not leave things as they are."""
    on = [e for e in at.screen.presses if e.role == "button" and not is_way_out(e.name)]
    return on[0] if len(on) == 1 and at.screen.dialog is not None else None


def _is_place(element: GUIElement) -> bool:
    """`Sent` and `Drafts` are lists, not deeds."""
    return fold(element.name) in {"sent", "drafts", "submitted", "sent mail", "send feedback"}


def _beside(at: Situation) -> list[GUIElement]:
    """Controls of the innermost group with the field that was written last, as far as it has any."""
    track = at.notes.get("field")
    field = next((e for e in at.screen.elements if track and e.track_id == track), None)
    for holder in at.screen.above(field) if field is not None else []:
        inside = [e for e in at.screen.within(holder) if e.role == "button" and e.name]
        if inside:
            return inside if holder.role in {"form", "row", "group"} else []
    return []


def _without_button(verb: str, app: str, at: Situation) -> Move:
    """A form in steps goes on with Next; one that keeps what is set has no button; a lone field takes Enter."""
    onward = next((e for e in at.screen.presses if e.enabled and fold(e.name) in _ONWARD), None)
    if onward is not None and at.screen.inputs and at.count("onward") < 4:
        return press(onward, "the form has another step", at=at)
    if at.notes.get("pressed") and at.last is not None and at.last.visible_change:
        return done(f"the button to {verb} is gone after it was pressed")
    if verb in _LEAVES_OPEN and at.screen.dialog is None:
        return done(f"{at.title(app)} keeps what was set without a button")
    field = next((e for e in at.screen.fields if e.track_id == at.notes.get("field")), None)
    if field is not None and not at.count("enter"):
        at.notes.update(pressed=1, button="", verb=verb, at=at.history[-1].step if at.history else 0)
        return act(PressKey(target=ActionTarget.of(field), keys=("Enter",)), f"there is no button to {verb} it; Enter may")
    names = ", ".join(e.name for e in at.screen.presses if e.role == "button") or "none"
    return fail(f"there is no button to {verb} in {at.title(app)}; buttons there are: {names}", f"how to {verb} in {app}")
