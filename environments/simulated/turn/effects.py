"""What each effect of a rule does to the world."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from environments.simulated.app import Arrived, Dialog
from environments.simulated.apps import APPS
from environments.simulated.screen.alterations import Alteration
from environments.simulated.turn import events
from environments.simulated.turn.events import same_label
from environments.simulated.turn.turn import Turn, sign_in
from environments.simulated.world.values import slug
from environments.simulated.world.world import ArmedRule, World

_MANY = 10**9


def apply(turn: Turn, index: int, rule: events.Rule) -> None:
    """Do what the rule says."""
    effect = rule.effect
    _DO[type(effect)](turn, index, effect)


def _popup(turn: Turn, index: int, popup: events.Popup) -> None:
    turn.open_dialog(
        Dialog(
            key=slug(popup.title),
            title=popup.title,
            text=popup.text,
            buttons=popup.buttons,
            default=popup.default or (popup.buttons[0] if popup.harmless else None),
            escape=popup.buttons[-1] if popup.harmless else None,
            kind=popup.kind,
        )
    )


def _loading(turn: Turn, index: int, loading: events.Loading) -> None:
    turn.move_focus("")
    turn.change(loading={**turn.desk.loading, loading.app: turn.desk.clock + loading.seconds})


def _arm(turn: Turn, rule: ArmedRule) -> None:
    turn.change(armed=(*turn.desk.armed, rule))


def _alter(turn: Turn, app: str, change: Alteration, seconds: float | None = None) -> None:
    if seconds is not None:
        change = change.replace(until=turn.desk.clock + seconds)
    turn.change(altered={**turn.desk.altered, app: (*turn.desk.altered.get(app, ()), change)})


def _rename(turn: Turn, index: int, rename: events.Rename) -> None:
    """A new name takes the place of the one before, which a later rule may so give back."""
    app, altered = rename.app, turn.desk.altered
    kept = tuple(a for a in altered.get(app, ()) if a.what != "rename" or not same_label(a.label, rename.label))
    turn.change(altered={**altered, app: kept})
    _alter(turn, rename.app, Alteration(what="rename", label=rename.label, to=rename.to), rename.seconds)


def _cover(turn: Turn, index: int, cover: events.Cover) -> None:
    key = f"cover-{index}-{turn.desk.fired.get(index, 1)}" + ("!" if cover.dismiss else "")
    _alter(turn, cover.app, Alteration(what="cover", label=cover.label, to=cover.text, key=key), cover.seconds)


def _edit(turn: Turn, index: int, edit: events.Edit) -> None:
    with suppress(KeyError, ValidationError):  # what was to be edited may be gone by now
        turn.world = edited(turn.world, edit)


def _deadline(turn: Turn, index: int, deadline: events.Deadline) -> None:
    turn.change(passed={deadline.name: turn.desk.clock, **turn.desk.passed})
    if deadline.notice:
        turn.notice(deadline.notice)


def _crash_app(turn: Turn, index: int, crash: events.CrashApp) -> None:
    """The window goes at once: no field hears that it is left. What was only begun is as on a first start."""
    app = APPS[crash.app]
    fields = app.state.model_fields
    begun = [name for name in app.looks if name in fields and not fields[name].is_required()]
    fresh = {name: fields[name].get_default(call_default_factory=True) for name in begun}
    turn.change(focus="", dialogs=tuple(dialog for dialog in turn.desk.dialogs if dialog.app != crash.app))
    turn.world = turn.world.with_app(crash.app, turn.world.apps[crash.app].replace(**fresh))
    turn.close_app(crash.app)
    turn.notice(f"{app.title} has stopped", "What was not saved is lost. Open it again.", crash.app)


def _inject(turn: Turn, index: int, inject: events.Inject) -> None:
    match inject.where:
        case "mail":
            turn.tell("mail", Arrived("mail", {"from": inject.sender, "subject": "Important", "body": inject.text}))
        case "chat":
            turn.tell("chat", Arrived("message", {"from": inject.sender, "text": inject.text}))
        case "note":
            turn.tell("notes", Arrived("note", {"title": "Important", "body": inject.text}))
        case "toast":
            turn.toast(inject.text)
        case "notice":
            turn.notice(inject.text, app=inject.app)
        case "banner" | "placeholder" as what:
            key = f"banner-{index}-{turn.desk.fired.get(index, 1)}"
            _alter(turn, str(inject.app), Alteration(what=what, label=inject.label, to=inject.text, key=key))


_DO: dict[type[Any], Callable[[Turn, int, Any], None]] = {
    events.Popup: _popup,
    events.Expire: lambda turn, index, expire: turn.open_dialog(sign_in(index, expire)),
    events.Loading: _loading,
    **dict.fromkeys(
        (events.Swallow, events.Twice, events.Fail, events.Crash),
        lambda turn, index, fault: _arm(turn, ArmedRule(rule=index, left=fault.times)),
    ),
    events.Network: lambda turn, index, network: _arm(
        turn, ArmedRule(rule=index, left=_MANY, until=turn.desk.clock + network.seconds)
    ),
    events.Rename: _rename,
    events.Move: lambda turn, index, move: _alter(
        turn, move.app, Alteration(what="move", label=move.label, to=move.to), move.seconds
    ),
    events.Cover: _cover,
    events.Edit: _edit,
    events.Mail: lambda turn, index, mail: turn.tell(
        "mail", Arrived("mail", {"from": mail.sender, "subject": mail.subject, "body": mail.body})
    ),
    events.Chat: lambda turn, index, chat: turn.tell(
        "chat", Arrived("message", {"from": chat.sender, "text": chat.text, "with": chat.conversation})
    ),
    events.Note: lambda turn, index, note: turn.notice(note.title, note.text, note.app),
    events.Deadline: _deadline,
    events.CrashApp: _crash_app,
    events.Inject: _inject,
}


def edited(world: World, edit: events.Edit) -> World:
    """The world after somebody else's change. Raises KeyError or pydantic.ValidationError when it does not fit."""
    state = world.apps[edit.app]
    data = events.set_in(state.model_dump(mode="json"), edit.keys, edit.value)
    changed = APPS[edit.app].state.model_validate(data)
    head = edit.keys[0]
    # Only the field that changed is taken over: the others stay the same objects, which the store goes by.
    return world.with_app(edit.app, state.model_copy(update={head: getattr(changed, head)}))
