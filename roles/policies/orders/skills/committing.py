"""Press what keeps, sends or does something, once, and see what came of it: a question, a complaint, a proof, or nothing."""

from collections.abc import Iterable, Sequence

from environments.effects.words import is_way_out
from protocol import ActionTarget, AskUser, ExecStatus, GUIElement, PressKey, Wait
from roles.policies.orders.skills.situation import Move, Needed, Situation, act, done, fail, first, press
from roles.policies.orders.skills.widgets import put
from roles.screen.answers import differences, refusal
from roles.screen.dialogs import agree_choice, dialog_text
from roles.screen.language.words import deeds, phrases
from roles.screen.matching import bare, is_control, tokens
from roles.screen.texts import fold

_STAYS_OPEN = frozenset({"save", "set", "update", "apply"})


# --- which control ----------------------------------------------------------------------------------------------------


def control_for(
    verb: str, options: Iterable[GUIElement], labels: Sequence[str], owner: Sequence[str] = (), about: Sequence[str] = (),
    loose: bool = False,
) -> GUIElement | None:  # fmt: skip
    """The control of a verb: by its card's label, else by words for the verb with nothing behind them but what it is about.

    `loose`: other words may stand behind it, and count against it.
    """
    named = list(options)
    by_card = next((e for label in labels for e in named if is_control(e.name, label, owner)), None)
    if by_card is not None:
        return by_card
    scored = [(score, e) for e in named if (score := _score(e, verb, {*tokens(" ".join(owner))}, about, loose)) > 0]
    return max(scored, key=lambda pair: pair[0])[1] if scored else None


def _score(element: GUIElement, verb: str, owner: set[str], about: Sequence[str], loose: bool) -> float:
    name, words = bare(element.name), deeds()["called"].get(verb, (bare(verb),))
    hit = next((i for i, word in enumerate(words) if name == word or name.startswith(word + " ")), None)
    if hit is None:
        return 0.0
    rest = {*tokens(name[len(words[hit]) :])}
    foreign = rest - owner - phrases("with it") - {*tokens(" ".join(about))}
    if foreign and (not loose or foreign & {"draft", "as", "all", "copy"}):
        return 0.0
    own = 1.0 if rest and rest <= owner else 0.0
    return max(0.02, 2.0 + own - 0.15 * hit - 0.3 * len(foreign) + (0.05 if element.enabled else 0.0))


def commit_button(verb: str, app: str, at: Situation, owner: Sequence[str], about: Sequence[str]) -> GUIElement | None:
    """Of a dialog, else near the field that was written last, else anywhere."""
    if at.screen.dialog is not None:
        return agree_choice(verb, at.screen) or lone_way_on(at)
    card = at.card(app)
    cards = [v for k in at.kinds(app) for v in (*k.verbs, *([k.create] if k.create else []))] + list(card.verbs if card else ())
    labels = [v.control for v in cards if v.verb == verb and v.control and v.at in {"form", "app"}]
    mine = [*about, *([card.title] if card else [])]
    near = _beside(at)
    for options, loose in ((near, True), (at.screen.presses, False), (at.screen.presses, True)):
        buttons = [e for e in options if e.role in {"button", "menuitem"} and not _others(e, at)]
        buttons = [e for e in buttons if fold(e.name) not in phrases("places")]
        if (found := control_for(verb, buttons, labels, owner, mine, loose)) is not None:
            return found
    return None


def _others(button: GUIElement, at: Situation) -> bool:
    """Whether it belongs to a form with other fields than the one that was written last."""
    form = next((holder for holder in at.screen.above(button) if holder.role == "form"), None)
    inside = [e for e in at.screen.within(form) if e in at.screen.fields] if form is not None and at.notes.get("field") else []
    return bool(inside) and not any(e.track_id == at.notes["field"] for e in inside)


def lone_way_on(at: Situation) -> GUIElement | None:
    """Of a dialog: the only button that does not leave things as they are."""
    on = [e for e in at.screen.presses if e.role == "button" and not is_way_out(e.name)]
    return on[0] if len(on) == 1 and at.screen.dialog is not None else None


def _beside(at: Situation) -> list[GUIElement]:
    """Buttons of the innermost form, row or group with the field that was written last."""
    track = at.notes.get("field")
    field = next((e for e in at.screen.elements if track and e.track_id == track), None)
    for holder in at.screen.above(field) if field is not None else []:
        inside = [e for e in at.screen.within(holder) if e.role == "button" and e.name]
        if inside:
            return inside if holder.role in {"form", "row", "group"} else []
    return []


# --- pressing it ------------------------------------------------------------------------------------------------------


def push(control: GUIElement, verb: str, at: Situation) -> Move:
    """Press it; when that did nothing to be seen, use the keyboard; when that did nothing either, say so."""
    first(at.reach(control))
    times = at.count("pressed")
    if not times:
        at.notes.update(warned=at.screen.complaints, noticed=at.screen.notices)
    at.mark(button=control.name, verb=verb, fresh=[], app=at.view.seen.app)
    if times > 3:
        return fail(f'pressing "{control.name}" has no visible effect')
    if at.keyboard or times in {1, 2}:
        why = f'"{control.name}" did not react to a click; press it by key'
        return act(PressKey(target=ActionTarget.of(control), keys=("Enter",)), why, f"what {verb} shows")
    return press(control, f'"{control.name}" is how to {verb} it')


def commit(verb: str, app: str, at: Situation, owner: Sequence[str] = (), about: Sequence[str] = ()) -> Move:
    """Press the button of that verb once the form is whole, then look for what it did."""
    if (move := came_of(verb, at)) is not None:
        return move
    button = commit_button(verb, app, at, owner, about)
    draft = button is not None and not {*tokens(button.name)}.isdisjoint(deeds()["unsent"])  # which need not be whole
    if not (at.notes.get("pressed") or draft):
        ask_for_lacking(at)
    if button is None:
        return _without_button(verb, app, at)
    if button.enabled:
        return push(button, verb, at)
    if verb in _STAYS_OPEN and not at.screen.complaints and not at.notes.get("wrote"):
        return done(f'nothing has changed that wants saving: "{button.name}" is disabled')
    if at.count("disabled") < 2:
        return act(PressKey(keys=("Tab",)), f'"{button.name}" may be enabled when the field is left')
    return fail(f'"{button.name}" is disabled and no required field is empty; {_complaints(at)}')


def _without_button(verb: str, app: str, at: Situation) -> Move:
    """A form in steps goes on with Next; one that keeps what is set has no button; a lone field takes Enter."""
    onward = next((e for e in at.screen.presses if e.enabled and fold(e.name) in phrases("next step")), None)
    if onward is not None and at.screen.inputs and at.count("onward") < 4:
        return press(onward, "the form has another step", at=at)
    if at.notes.get("pressed") and at.last is not None and at.last.visible_change:
        return done(f"the button to {verb} is gone after it was pressed")
    others = [e for e in _beside(at) if e.enabled and e.expanded is None and not is_way_out(e.name)]
    if verb in _STAYS_OPEN and at.screen.dialog is None and not others:
        return done(f"{at.title(app)} keeps what was set without a button")
    field = next((e for e in at.screen.fields if e.track_id == at.notes.get("field")), None)
    if field is not None and not at.count("enter"):
        at.mark(pressed=1, button="", verb=verb)
        return act(PressKey(target=ActionTarget.of(field), keys=("Enter",)), f"there is no button to {verb} it; Enter may")
    names = ", ".join(e.name for e in at.screen.presses if e.role == "button") or "none"
    return fail(f"there is no button to {verb} in {at.title(app)}; buttons there are: {names}", f"how to {verb} in {app}")


# --- what came of it --------------------------------------------------------------------------------------------------


def came_of(verb: str, at: Situation, *, done_to_it: bool = False) -> Move | None:
    """What came of the last press: done, a mended field, a confirmed question; None where it has to be pressed (again).

    `done_to_it`: it was no form that was handed in, and any change of what the screen holds is a proof.
    """
    if not at.notes.get("pressed"):
        return None
    if at.view.seen.loading:
        return act(Wait(seconds=1.0), "it is still loading")
    if at.screen.dialog is not None:
        return agreed(verb, at)
    if (app := at.notes.get("app")) and (way := at.to_app(app)) is not None:
        closed = way.action is not None and way.action.verb == "launch_app"
        return fail(f"{at.title(app)} ended before it told whether {verb} was done") if closed else way
    wrong, said = any(f.invalid for f in at.screen.inputs), bool(_new_complaints(at))
    if (wrong and said) if done_to_it else (wrong or said):
        return mend(at)
    return _proof(verb, at, any_change=done_to_it or verb in _STAYS_OPEN)


def _proof(verb: str, at: Situation, *, any_change: bool) -> Move | None:
    """Done, where the screen shows it; a failure where it says no; None where it shows nothing of it."""
    last = at.last
    if last is None or last.step <= int(at.notes.get("at", 0)):
        return None
    if last.exec_status is not ExecStatus.EXECUTED and not last.visible_change and at.count("unknown") < 2:
        return act(Wait(seconds=2.0), f"it is not known whether it was done ({last.error or last.exec_status.value}); look again")
    if not last.visible_change:
        return None
    if no := refusal(at.view.before, at.view.seen, at.view.user_request, str(at.notes.get("button", ""))):
        return fail(f"after the press the screen says: {no}")
    if _new_complaints(at) and any(event.startswith(("validation", "alert")) for event in last.events):
        return None
    gone = not any(e.name == at.notes.get("button") and e.enabled for e in at.screen.presses)
    moved = any(event.startswith("navigation") for event in last.events)
    changed = gone or (any_change and at.view.before is not None and any(differences(at.view.before, at.view.seen)))
    proof = news(at) or (last.events if moved else ()) or (["the screen changed"] if changed else ())
    return done(f"{verb}: {'; '.join(proof)}") if proof else None


def agreed(verb: str, at: Situation) -> Move:
    """Say yes to the question that the crew's own press brought up."""
    dialog, wanted = at.screen.dialog, bare(str(at.notes.get("button", "")))
    same = [e for e in at.screen.presses if e.role == "button" and e.enabled and bare(e.name) == wanted]
    choice = agree_choice(verb, at.screen) or next(iter(same), None)
    if choice is None or at.count("agreed") > 3:
        said = dialog_text(dialog, at.screen.elements)[:160] if dialog is not None else ""
        return fail(f'a dialog asks something else: "{said}"')
    at.mark()
    return press(choice, f"the crew itself asked to {verb} it", at=at)


def watch(text: str, at: Situation) -> None:
    """Keep in mind a row that is to be gone from its list afterwards."""
    at.notes.update(row=text, alike=sum(item.text == text for item in at.screen.items))


def is_listed_still(at: Situation) -> bool:
    """Whether the row that was to be gone is in the list that is shown."""
    row = at.notes.get("row")
    return bool(row) and sum(item.text == row for item in at.screen.items) >= at.notes["alike"]


def news(at: Situation) -> list[str]:
    """What the screen tells newly of the verb that was pressed, in its past: saved, sent, submitted."""
    before, verb = list(at.notes.get("noticed", [])), str(at.notes.get("verb", ""))
    fresh = []
    for said in at.screen.notices:
        if said in before:
            before.remove(said)
        elif _tells_of(verb, said):
            fresh.append(said)
    return fresh


def _tells_of(verb: str, said: str) -> bool:
    """`Message sent` tells of sending, and `New message from Ann` does not."""
    words = {word.split()[0] for word in deeds()["called"].get(verb, (fold(verb),)) if word}
    stems = tuple(word[: max(3, len(word) - 1)] for word in words)
    told = fold(said).replace(".", " ").replace(",", " ").split()
    return bool(words) and any(
        word in deeds()["past"].get(verb, ()) or (word.startswith(stems) and word.endswith(("ed", "en"))) for word in told
    )


# --- complaints -------------------------------------------------------------------------------------------------------


def _complaints(at: Situation) -> str:
    return "; ".join(at.screen.complaints[:3]) or "nothing on the screen says why"


def _new_complaints(at: Situation) -> set[str]:
    return set(at.screen.complaints) - set(at.notes.get("warned", []))


def mend(at: Situation) -> Move | None:
    """None where something can be done about what the form complains of: written in another way, or asked for."""
    wrote: dict[str, str] = at.notes.get("wrote", {})
    mine = any(f.invalid and (f.track_id or f.name) in wrote for f in at.screen.inputs)
    if at.count("mends") > 12 or not (mine or any(_lacks(field, at) for field in at.screen.inputs)):
        return fail(f"the form reports: {_complaints(at)}")
    at.notes.update(fresh=[], pressed=0, given=False)
    return None


def _lacks(field: GUIElement, at: Situation) -> bool:
    said = field.invalid or any(fold(f"{field.name} is required") == fold(text) for text in at.screen.complaints)
    return (not (field.value or "").strip() or field.value == "false") and (field.required or said)


def ask_for_lacking(at: Situation) -> None:
    """Asks for the first required field that is empty, and writes what was answered. Raises Needed until it is not empty."""
    for field in at.screen.inputs:
        if not _lacks(field, at):
            continue
        answer = at.fact(field.name)
        if answer is not None:
            return put(field, answer.value, at)
        if at.notes.get("asked for") == field.name:
            raise Needed(fail(f'the required field "{field.name}" is empty, and no value is given for it'))
        at.notes["asked for"] = field.name
        choices = f" It can be: {', '.join(field.choices)}." if field.choices else ""
        question = f'What should go into the required field "{field.name}"?{choices}'
        action = AskUser(question=question, name=fold(field.name))
        raise Needed(Move("ask", f'nothing says what goes into the required field "{field.name}"', action))
