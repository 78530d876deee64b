"""One skill for each kind of clause, and what all share: being in the right application, and not repeating what does nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from protocol import Click, LaunchApp, PressKey, Scroll, SwitchWindow, Wait
from roles.rules import clauses as c
from roles.rules.agenda import free
from roles.rules.buying import buy
from roles.rules.cells import add_up, cell
from roles.rules.collecting import collect
from roles.rules.committing import click, commit
from roles.rules.deeds import act_on, post
from roles.rules.devices import adjust
from roles.rules.errands import keep_only, reschedule, write_to_attendees
from roles.rules.finding import go_to, leads_back
from roles.rules.handling import create, delete, move, open_item, rename
from roles.rules.mailing import compose, forward, reply
from roles.rules.matching import app_for
from roles.rules.moves import Move, Situation, act, done, fail, press, set_value
from roles.rules.pages.skills import PAGE_SKILLS
from roles.rules.reading import read, tell
from roles.rules.searching import start_search
from roles.rules.sheets import sort
from roles.rules.waiting import await_it
from roles.rules.writing import check, complete, enter, select

APPLESS = (c.Tell, c.Pause, c.Avoid, c.Remember, c.Unknown)


def next_move(clause: c.Clause, at: Situation) -> Move:
    """What to do next for `clause`, on this screen."""
    if not isinstance(clause, APPLESS) and (way := reach_app(clause, at)):
        return way
    if isinstance(clause, c.Open):
        return done(f"{clause.app} is on the screen")
    chosen = _SKILLS[type(clause)](clause, at)
    return _another_way(chosen, at)


def target_app(clause: c.Clause, at: Situation) -> str | None:
    """The application of the clause: of its subtask, else as its words name it."""
    if at.view.subtask.app:
        return at.view.subtask.app
    named = app_for(clause.app, at.view.apps) if clause.app else None
    return named.app if named else at.view.app


def reach_app(clause: c.Clause, at: Situation) -> Move | None:
    """Bring the clause's application to the front."""
    app = target_app(clause, at)
    seen = at.view.seen
    if app is None or seen.app == app:
        return None
    if isinstance(clause, c.Invite) and at.notes.get("begun"):
        return None  # what is written to those who attend may open in another application
    if at.count("reaching") > 4:
        return fail(f"{app} does not come to the front")
    window = next((w for w in seen.windows if w.app == app), None)
    if window is not None:
        return act(SwitchWindow(window=window.window_id), f"{app} is open behind this window", f"{app} on the screen")
    return act(LaunchApp(app=app), f"{app} is not open yet", f"{app} on the screen")


def _another_way(move: Move, at: Situation) -> Move:
    """An action that was done twice with nothing to see for it is done by key, and then not at all."""
    action = move.action
    if action is None or action.inner or action.verb in {"wait", "scroll"}:
        return move
    if isinstance(action, Click) and action.target is not None:
        by_key = PressKey(target=action.target, keys=("Enter",))
        if at.failed_times(action) < (1 if at.keyboard else 2):
            return move
        if at.failed_times(by_key) < 2:
            return act(by_key, f"{move.why}; clicking did nothing", move.expected)
        return fail(f'"{action.target.describe()}" does not react')
    if at.failed_times(action) >= 3:
        where = action.target.describe() if action.target else action.verb
        return fail(f'"{where}" does not react to {action.verb.replace("_", " ")}')
    return move


def _press_keys(clause: c.Press, at: Situation) -> Move:
    return _once(act(PressKey(keys=clause.keys), "the instruction names the keys"), at)


def _once(move: Move, at: Situation) -> Move:
    return done("it was done") if at.count("did") else move


def _search(clause: c.Search, at: Situation) -> Move:
    field = next((f for f in at.screen.searches if f.enabled), None)
    if field is None:
        back = next((e for e in at.screen.presses if e.enabled and leads_back(e.name)), None)
        if back is not None and at.count("backs") < 3:
            return press(back, "the list may have a search field", at=at)
        return fail("there is no search field on this screen", "how to search")
    if at.notes.get("searched"):
        return done("the search was made")
    if field.value != clause.query:
        return set_value(field, clause.query, "to search", at)
    at.notes["searched"] = True
    return start_search(field, at)


def _scroll(clause: c.Scroll, at: Situation) -> Move:
    return _once(act(Scroll.toward(clause.way, 1, "page"), "the instruction says so"), at)


def _wait(clause: c.Pause, at: Situation) -> Move:
    return _once(act(Wait(seconds=min(600.0, clause.seconds)), "the instruction says so"), at)


def _unknown(clause: c.Unknown, at: Situation) -> Move:
    return fail(f'these words are not understood: "{clause.text}"', clause.text)


def _unknown_deed(clause: c.Obey, at: Situation) -> Move:
    return fail(f'only the user says what is to be done, not "{clause.what}"')


def _nothing(clause: c.Clause, at: Situation) -> Move:
    return done("there is nothing to do for it")


_SKILLS: dict[type[c.Clause], Callable[[Any, Situation], Move]] = {
    c.OpenItem: open_item, c.Read: read, c.Enter: enter, c.Complete: complete, c.Select: select, c.Check: check,
    c.ClickOn: click, c.Press: _press_keys, c.Commit: commit, c.Search: _search, c.Compose: compose, c.Reply: reply,
    c.Forward: forward, c.Create: create, c.Rename: rename, c.Move: move, c.Delete: delete, c.Scroll: _scroll,
    c.Act: act_on, c.Post: post, c.Adjust: adjust, c.Sort: sort, c.Cell: cell, c.AddUp: add_up, c.Free: free,
    c.KeepOnly: keep_only, c.Buy: buy, c.Obey: _unknown_deed, c.Reschedule: reschedule, c.Invite: write_to_attendees,
    c.Collect: collect, c.Await: await_it, c.Pause: _wait,
    c.Tell: tell, c.Unknown: _unknown, c.Avoid: _nothing, c.Remember: _nothing,
    **PAGE_SKILLS,
}  # fmt: skip

__all__ = ["APPLESS", "go_to", "next_move", "reach_app", "target_app"]
