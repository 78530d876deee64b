"""Pages of which no more is known than what they show: press what a name means there, and prove what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from environments.effects import SENSITIVE
from environments.effects.words import effect_of_words, is_way_out
from protocol import ActionTarget, ExecStatus, GUIElement, Hover, Wait
from roles.contracts.orders import PressStep, Records, StepFailure
from roles.policies.orders.pages import ROLES, names_verb
from roles.policies.orders.skills.committing import agreed, is_listed_still, watch
from roles.policies.orders.skills.filling import names_of
from roles.policies.orders.skills.finding import find_row, fitting, is_any, naming
from roles.policies.orders.skills.lists import turn
from roles.policies.orders.skills.revealing import further, revealed
from roles.policies.orders.skills.situation import Move, Situation, act, done, fail, press
from roles.screen.answers import PAGE_SAYS_NO, called_off, refusal
from roles.screen.dialogs import agree_choice
from roles.screen.page import BOXES, PRESSED, Page, Scopes, likeness, says
from roles.screen.page import records as parts_of
from roles.screen.rows import Row
from roles.screen.screens import DIALOG_ROLES, Screen, shown
from roles.screen.texts import fold, plain

_SAID = frozenset({"text", "cell", "gridcell", "heading", "rowheader", "label", "status"})
_MOST = 12


# --- pressing ---------------------------------------------------------------------------------------------------------


def press_on_page(step: PressStep, at: Situation) -> Move:
    """Press what is meant, once, and see what came of it."""
    if at.view.seen.loading and at.count("loads") < 8:
        return act(Wait(seconds=1.0), "it is still loading")
    if other := {"reveal": _reveal, "point": _point}.get(step.verb):
        return other(step, at)
    if at.notes.get("pressed"):
        return _after(step, at)
    control = _row_control(step, step.records, at) if step.records is not None else _control(step, at)
    if isinstance(control, Move):
        return control
    if (scroll := at.reach(control)) is not None:
        return scroll
    at.mark(pressed=1, button=control.name)
    return press(control, f'"{control.name}" is what is to be pressed')


def _here(at: Situation) -> list[GUIElement]:
    """What takes input: a dialog on top of the page first."""
    return at.screen.elements if at.screen.dialog is not None else list(at.view.seen.elements)


def _page(at: Situation) -> Scopes:
    return Scopes(Page(at.view.seen, at.view.user_request).elements)


def _dialogs(at: Situation) -> list[GUIElement]:
    return [e for e in at.view.seen.elements if e.role in DIALOG_ROLES]


def _control(step: PressStep, at: Situation) -> GUIElement:
    elements = _part(step.place, at) if step.place else _here(at)
    called = [e for e in elements if e.name == step.control and e.role in ROLES.get(step.kind, PRESSED | BOXES)]
    if called and not any(e.enabled for e in called):
        raise StepFailure(f'"{step.control}" is disabled; the page may still ask for something')
    called = [e for e in called if e.enabled and e.visible] or [e for e in called if e.enabled]
    exactly = [e for e in called if e.role == step.kind] or called
    if step.nth and len(exactly) >= step.nth:
        return exactly[step.nth - 1]
    if len(exactly) == 1:
        return exactly[0]
    if not exactly:
        raise StepFailure(f'there is no "{step.control}" on the page{f" in {step.place}" if step.place else ""}')
    raise StepFailure(f'{len(exactly)} things on the page are called "{step.control}"; say which one')


def _part(place: str, at: Situation) -> list[GUIElement]:
    """A part of the page: the dialog, or what stands in or beside what is called so."""
    scopes = _page(at)
    if fold(place) == "dialog" and (open_ := _dialogs(at)):
        return scopes.inside(open_[-1])
    found = scopes.of(place)
    if found is None:
        raise StepFailure(f'no single part of the page is called "{place}"')
    return found


# --- getting to it ----------------------------------------------------------------------------------------------------


def _reveal(step: PressStep, at: Situation) -> Move:
    """Look behind tabs, into sections and further down until something of that name is shown."""
    names = [name for e in _here(at) for name in (e.name, *e.choices) if name]
    looks = at.count("looks")
    if looks and any(likeness(step.control, name) >= 0.9 for name in names):
        return done(f'"{step.control}" is on the page')
    return revealed(step.control, at, "section", "tab") or (_further(at) if looks < 2 * _MOST else None) or fail(step.place)


def _further(at: Situation) -> Move | None:
    """More of what the page shows, by its control for it or further down; None at its end."""
    return (turn(True, at) if at.count("turns") < _MOST else None) or further(at)


def _point(step: PressStep, at: Situation) -> Move:
    """Point at an entry of a menu that leads to others, since a press on it may be an answer."""
    if at.count("pointed"):
        return done(f'"{step.control}" is pointed at')
    return act(Hover(target=ActionTarget.of(_control(step, at))), f'"{step.control}" leads to what is meant')


# --- what came of it --------------------------------------------------------------------------------------------------


def _after(step: PressStep, at: Situation) -> Move:
    """Done, or what the page says against it, or asks."""
    last, name = at.last, str(at.notes.get("button", ""))
    if last is None or last.step <= int(at.notes.get("at", 0)):
        return act(Wait(seconds=0.5), "to see what came of it")
    if (asked := _asked(step, name, at)) is not None:
        return asked
    if said := refusal(at.view.before, at.view.seen, at.view.user_request, name):
        return fail(f"{PAGE_SAYS_NO}: {said}")
    if (move := _not_done(step, name, at)) is not None:
        return move
    if is_listed_still(at):
        still = f'"{at.notes["row"]}" is still listed'
        return act(Wait(seconds=1.0), still) if at.count("still") < 2 else fail(still)
    return done(f'"{name}" was pressed')


def _asked(step: PressStep, name: str, at: Situation) -> Move | None:
    """The answer to a question that the press brought up: yes to one about what was pressed; None where there is none."""
    dialog = at.screen.dialog
    native = dialog is not None and dialog.name.startswith("The page asks")
    if native and effect_of_words(name) not in SENSITIVE:
        way = next((e for e in at.screen.presses if is_way_out(e.name)), None)
        asked = " ".join(dict.fromkeys(shown(e) for e in at.screen.elements if e.role in _SAID))
        if way is None:
            return fail(f"the page asks: {asked}")
        at.notes.update({"called off": asked[:160], "answer": way.name})
        return press(way, f'"{name}" was not to do what the page asks')
    if native or (dialog is not None and step.records is not None):
        return agreed(step.verb if step.records is not None else plain(name), at)
    known = {e.element_id for e in at.view.before.elements} if at.view.before is not None else set[str]()
    fresh = [d for d in _dialogs(at) if d.element_id not in known and step.records is not None]  # it leaves the page as it is
    screen = Screen(at.view.seen.model_copy(update={"modal": fresh[-1].element_id})) if fresh else None
    choice = agree_choice(step.verb, screen) if screen is not None else None
    return press(choice, f"the crew itself asked to {step.verb} it") if choice is not None and at.count("agreed") < 3 else None


def _not_done(step: PressStep, name: str, at: Situation) -> Move | None:
    """Why the press may have come to nothing: it was stopped, nobody knows, or what the page asked was answered with no."""
    mine = [s for s in at.history if s.step > int(at.notes.get("at", 0))]
    if mine and mine[0].exec_status is ExecStatus.ERROR and at.count("again") < 2:
        at.notes["pressed"] = 0  # it was stopped before anything happened
        return press_on_page(step, at)
    if said := next((said for s in mine if (said := called_off(s, mine))), ""):
        return fail(f"after the press {said}")
    if asked := at.notes.get("called off"):
        return fail(f'after the press the page asked "{asked}", and the answer was "{at.notes.get("answer")}"')
    if not mine or mine[0].exec_status is ExecStatus.EXECUTED:
        return None
    if at.count("unknown") < 2:
        return act(Wait(seconds=1.0), f"it is not known whether it was done ({mine[0].error or mine[0].exec_status.value})")
    return fail(f'"{name}" was not pressed: {mine[0].error or mine[0].exec_status.value}')


# --- rows -------------------------------------------------------------------------------------------------------------


def _row_control(step: PressStep, records: Records, at: Situation) -> GUIElement | Move:
    """The control of the verb in the one row or part of the page that is meant."""
    part = _page(at).of(step.place) if step.place else None
    verbs = [e for e in part or _here(at) if e.role in PRESSED and e.enabled and names_verb(step.verb, e.name)]
    controls = [e for e in verbs if e.name == step.control] or verbs
    if not controls:
        raise StepFailure(f'there is no control to "{step.verb}" on the page')
    named = [e for e in controls if any(says(e, name) for name in names_of(records))]  # "Remove Take Five"
    sole = controls if is_any(records) else named if records.pick is None else []
    if len(sole) == 1:
        return sole[0]
    if is_any(records):
        raise StepFailure(f"{len(controls)} controls of the page may be meant; say which one")
    in_rows = {e.element_id for row in at.screen.rows for e in at.screen.within(row)}
    if any(e.element_id in in_rows for e in controls):
        row = find_row(records, at)
        if isinstance(row, Move):
            return row
        inside, name = at.screen.within(row.element), row.text
        if names_verb("delete", step.verb):
            watch(name, at)
    elif len(controls) == 1:
        raise StepFailure(f'nothing shows that "{controls[0].name}" is for what is meant')
    else:
        if isinstance(found := _stretch(controls, records, at), Move):
            return found
        inside, name = found
    mine = [e for e in controls if any(e.element_id == one.element_id for one in inside)]
    if len(mine) != 1:
        raise StepFailure(f'{len(mine)} controls of "{name}" may be meant')
    return mine[0]


def _stretch(controls: Sequence[GUIElement], records: Records, at: Situation) -> tuple[list[GUIElement], str] | Move:
    """Without rows: the one that is meant of the stretches of the page between one such control and the next."""
    found: list[tuple[Row, list[GUIElement]]] = []
    for record in parts_of(Page(at.view.seen, ""), list(controls)):
        cells, label = [], ""
        for text in (e.name for e in record.parts if e.name and e.role in _SAID):
            if text.rstrip().endswith(":"):
                label = text.strip(" :")
                continue
            cells.append((label, text))
            label = ""
        row = Row(" · ".join(text for _, text in cells), record.title, (*cells, ("", record.press.name)), body="")
        found.append((row, [*record.parts, record.press]))
    fits = fitting(records, [row for row, _ in found], at)
    if not fits and (way := _further(at)) is not None:
        return way
    if len(fits) != 1:
        raise StepFailure(f"{len(fits)} parts of the page fit {naming(records)}")
    return next(inside for row, inside in found if row is fits[0]), fits[0].text
