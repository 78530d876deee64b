"""Skill: submit, send, save and press, and see that it worked."""

from __future__ import annotations

import re

from protocol import ActionTarget, GUIElement, PressKey, Wait
from roles.contracts import StepRecord
from roles.policies.rules.phrases import CHANGE
from roles.policies.rules.skills.moves import Move, Situation, act, done, fail, press
from roles.policies.rules.skills.writing import put_into, required
from roles.screen.dialogs import agree_choice
from roles.screen.language import clauses as c
from roles.screen.matching import Match, best, similarity
from roles.screen.screens import PRESS_ROLES
from roles.screen.values import rewritings

_VERB_WORDS = {
    "submit": (
        "submit",
        "send",
        "hand in",
        "turn in",
        "file",
        "send in",
        "apply",
        "request",
        "book",
        "order",
        "finish",
        "complete",
        "confirm",
    ),
    "send": ("send", "submit", "send now", "deliver", "post"),
    "save": ("save", "store", "keep", "update", "done", "create", "add", "ok", "apply"),
    "create": ("create", "save", "add", "ok", "done"),
}
_NOT_BUTTONS = {"submitted", "sent", "drafts", "send feedback", "sent mail"}
_ONWARD = {"next", "continue", "review", "proceed", "next step"}


def commit(clause: c.Commit, at: Situation) -> Move:
    """Press the button of that name once the form is whole, then look for what it did."""
    pressed = int(at.notes.get("pressed", 0))
    if clause.verb == "save" and at.notes.get("just_saved"):
        return done("it was saved when it was made")
    if pressed and (move := after_press(clause.verb, at)):
        return move
    if not pressed and clause.verb != "save" and (move := required(at)) and move.kind != "done":
        return move
    button = commit_button(clause.verb, clause.thing, clause.manner, at)
    if button is None:
        return _no_button(clause, at)
    if not button.enabled and clause.verb == "save" and not at.screen.complaints and required(at) is None:
        return done("nothing has changed that wants saving")
    if not button.enabled:
        return required(at) or fail(f'"{button.name}" is disabled and no required field is empty; {_complaint(at)}')
    return push(button, clause.verb, at)


def push(button: GUIElement, verb: str, at: Situation) -> Move:
    """Press it; when that did nothing, use the keyboard; when that did nothing either, say so."""
    if scroll := at.reach(button):
        return scroll
    times = at.count("pressed")
    if not times:
        at.notes["warned"] = [said for said in at.screen.complaints if not _field_is_wrong(at)]
    at.notes.update(button=button.name, verb=verb)
    at.notes["at"] = len(at.history)
    keyboard = at.keyboard or times in {1, 2}
    if times > 3:
        return fail(f'pressing "{button.name}" has no visible effect')
    if verb == "save" and times == 2:
        return act(PressKey(keys=("Control", "s")), f'"{button.name}" did nothing; its shortcut may')
    if keyboard:
        why = (
            f'"{button.name}" did not react to a click; press it by key'
            if times
            else "an earlier attempt showed that clicks do nothing here"
        )
        return act(PressKey(target=ActionTarget.of(button), keys=("Enter",)), why, f"what {verb} shows")
    return press(button, f'"{button.name}" is how to {verb} it')


def after_press(verb: str, at: Situation) -> Move | None:
    """What came of the last press: done, a mended field, a confirmed question, or None to press again."""
    last = at.last
    if at.view.seen.loading:
        return act(Wait(seconds=1.0), "it is still loading")
    if at.screen.dialog is not None:
        choice = agree_choice(verb, at.screen)
        return press(choice, "the crew asked for this itself") if choice else None
    if (_field_is_wrong(at) or set(at.screen.complaints) - set(at.notes.get("warned", []))) and (move := mend(at)):
        return move
    if at.notes.get("mended"):
        at.notes.update(mended=False, pressed=0)
        return None
    if last is not None and worked(last, at):
        shown = "; ".join(at.screen.notices) or "; ".join(last.events) or "the screen changed"
        return done(f"{verb}: {shown}")
    return None


def _field_is_wrong(at: Situation) -> bool:
    return any(field.invalid for field in at.screen.inputs)


def worked(last: StepRecord, at: Situation) -> bool:
    """Whether the step showed an effect; events of validation say that it did not."""
    refused = any(event.startswith(("validation", "alert")) for event in last.events)
    if not last.visible_change or (refused and at.screen.complaints):
        return False
    if at.notes.get("verb") == "save" and any(re.search(r"\bsaved\b", notice, re.IGNORECASE) for notice in at.screen.notices):
        return True  # saving twice shows the same words twice
    pressed = at.notes.get("button")
    still = any(e.name == pressed and e.enabled for e in at.screen.presses)
    return bool(last.events) or not still  # a button that merely took the focus has done nothing


def mend(at: Situation) -> Move | None:
    """Do something about a complaint: fill what is empty, rewrite what is marked wrong."""
    if int(at.notes.get("mends", 0)) > 12:
        return fail(f"the form still complains: {_complaint(at)}")
    move = required(at)
    if move is None:
        move = _rewrite(at)
    if move is None:
        return fail(f"the form complains: {_complaint(at)}")
    if move.kind == "act":
        at.count("mends")
        at.notes["mended"] = True
    return move


def _rewrite(at: Situation) -> Move | None:
    wrong = [f for f in at.screen.inputs if f.invalid and f.value]
    for field in wrong:
        ways = rewritings(field.value or "")
        tried: list[str] = at.notes.setdefault(f"rewrote {field.name}", [field.value])
        way = next((w for w in ways if w not in tried), None)
        if way is not None:
            tried.append(way)
            at.notes.pop("ways", None)
            move = put_into(field.model_copy(update={"value": None, "invalid": False}), way, at)
            return move
    return None


def _complaint(at: Situation) -> str:
    return "; ".join(at.screen.complaints[:3]) or "nothing on the screen says why"


def commit_button(verb: str, thing: str, manner: str, at: Situation) -> GUIElement | None:
    """The button whose name says the verb or a synonym, and the thing or manner if they matter."""
    options = [e for e in at.screen.presses if e.role in {"button", "menuitem"} and e.name.casefold() not in _NOT_BUTTONS]
    scored = [(score, e) for e in options if (score := _button_score(e, verb, thing, manner)) > 0]
    top = max((score for score, _ in scored), default=0.0)
    return next((e for score, e in scored if score == top), None)


def _button_score(element: GUIElement, verb: str, thing: str, manner: str) -> float:
    name = " ".join(element.name.casefold().split())
    words = _VERB_WORDS.get(verb, (verb,))
    hit = next((i for i, word in enumerate(words) if name == word or name.startswith(word + " ")), None)
    if hit is None:
        return 0.0
    rest = name[len(words[hit]) :].strip()
    draft = "draft" in rest
    extra = 0.5 if manner and similarity(manner, rest) > 0.6 else 0.3 if thing and rest and similarity(thing, rest) > 0.6 else 0.0
    wanted_draft = "draft" in manner.casefold() or "draft" in thing.casefold()
    unfit = 0.6 if draft != wanted_draft and (draft or wanted_draft) and verb != "save" else 0.1 if draft != wanted_draft else 0.0
    return max(0.01, 2.0 - 0.1 * hit + extra - unfit - 0.02 * len(rest.split()) + (0.05 if element.enabled else 0.0))


def _no_button(clause: c.Commit, at: Situation) -> Move:
    """A form in steps goes on with Next; without inputs there is nothing to commit."""
    if at.screen.dialog is not None and clause.thing == CHANGE:
        return fail(f'a dialog asks something else: "{at.screen.dialog.name}"')
    onward = next((e for e in at.screen.presses if e.enabled and e.name.casefold() in _ONWARD), None)
    if onward is not None and at.screen.inputs and at.count("onward") < 4:
        return press(onward, "the form has another step", at=at)
    if at.notes.get("pressed") and at.last is not None and at.last.visible_change:
        return done(f"the button to {clause.verb} is gone after it was pressed")
    if clause.verb == "save" and not at.screen.inputs:
        return done("there is nothing on the screen that wants saving")
    if clause.verb == "save" and clause.thing == CHANGE:
        return done("this application keeps what was set without a button")
    names = ", ".join(e.name for e in at.screen.presses if e.role == "button") or "none"
    app = at.view.subtask.app or at.view.app or "this application"
    return fail(
        f"there is no button to {clause.verb} the {clause.thing} in {app}; buttons there are: {names}",
        f"how to {clause.verb} in {app}",
    )


def click(clause: c.ClickOn, at: Situation) -> Move:
    """Press the control of that name."""
    if (
        at.notes.get("pressed")
        and at.last is not None
        and at.last.visible_change
        and len(at.history) > int(at.notes.get("at", 0))
    ):
        if (same := _asked_again(clause.control, at)) is not None:
            return same
        return done(f'"{clause.control}" was pressed')
    options = [*at.screen.presses, *at.screen.fields, *(i.press for i in at.screen.items)]
    match = best(clause.control, options, lambda e: e.name, least=0.7)
    if match is None:
        item = next((i for i in at.screen.items if clause.control.casefold() in i.text.casefold()), None)
        if item is not None:
            return push(item.press, "press", at)
        match = _in_a_row(clause.control, at)
        if match is None:
            names = ", ".join(e.name for e in at.screen.presses) or "none"
            return fail(f'there is no control "{clause.control}" on the screen; controls there are: {names}')
        if match.rivals:
            return fail(f'"{match.item.name}" stands in {len(match.rivals) + 1} rows, and nothing says which is meant')
    if not match.item.enabled:
        return required(at) or fail(f'"{match.item.name}" is disabled')
    return push(match.item, "press", at)


def _asked_again(control: str, at: Situation) -> Move | None:
    """A question that the press brought up, with a button of the same name: it is what the user wants pressed."""
    if at.screen.dialog is None:
        return None
    buttons = [e for e in at.screen.within(at.screen.dialog) if e.role == "button" and e.enabled]
    same = next((e for e in buttons if e.name.casefold() == control.casefold()), None)
    return press(same, f'the dialog asks whether "{control}" is meant') if same and at.count("asked again") < 2 else None


def _in_a_row(control: str, at: Situation) -> Match[GUIElement] | None:
    """The control of that name among those that stand in rows."""
    inside = {e.element_id: e for row in at.screen.rows for e in at.screen.within(row) if e.role in PRESS_ROLES and e.name}
    return best(control, inside.values(), lambda e: e.name, least=0.7)
