"""What comes between a hand and a control: rules that wait for the actions they are meant for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from environments.simulated.app import AppState, Dialog, DialogField, Event, Pressed
from environments.simulated.apps import APPS
from environments.simulated.screen.alterations import own_key
from environments.simulated.turn.events import Autocomplete, Control, Expire, Network, Rule, Twice, Validate
from environments.simulated.turn.triggers import same_label
from environments.simulated.world.values import Model
from environments.simulated.world.world import ArmedRule, Desk, World

if TYPE_CHECKING:
    from environments.simulated.screen.elements import ShownElement


class Interception(Protocol):
    """One action's hold on the world; `environments/simulated/turn/turn.py` has the only one."""

    world: World
    rules: Sequence[Rule]

    @property
    def desk(self) -> Desk: ...
    def change(self, **fields: Any) -> None: ...
    def tell(self, app: str, event: Event) -> None: ...
    def toast(self, text: str) -> None: ...
    def open_app(self, app: str) -> None: ...
    def close_app(self, app: str) -> None: ...
    def open_dialog(self, dialog: Dialog) -> None: ...


E = TypeVar("E", bound=Model)
C = TypeVar("C", bound=Control)


def in_force(world: World, rules: Sequence[Rule], kind: type[E]) -> list[tuple[ArmedRule, E]]:
    """The rules of a kind that wait, in the order in which they came."""
    desk = world.desk
    waiting = (armed for armed in desk.armed if armed.until is None or armed.until > desk.clock)
    return [(armed, effect) for armed in waiting if isinstance(effect := rules[armed.rule].effect, kind)]


def caught(turn: Interception, shown: ShownElement, kind: type[C]) -> tuple[ArmedRule, C] | None:
    """The rule of a kind that takes what is done to this control."""
    for armed, effect in in_force(turn.world, turn.rules, kind):
        if effect.app in (None, shown.element.app) and same_label(effect.label, shown.word):
            return armed, effect
    return None


def spend(world: World, used: ArmedRule) -> World:
    """One use less; a rule with none left is disarmed."""
    less = (a.model_copy(update={"left": a.left - 1}) if a == used else a for a in world.desk.armed)
    return world.with_desk(armed=tuple(a for a in less if a.left > 0))


def written(turn: Interception, shown: ShownElement, value: str) -> str | None:
    """What a field takes of the value that it is given; None when it takes nothing."""
    if refused := caught(turn, shown, Validate):
        turn.world = spend(turn.world, refused[0])
        turn.toast(f"{shown.name}: {refused[1].message}")
        return None
    longer = len(value) > len(shown.widget.value or "")
    if longer and (completed := caught(turn, shown, Autocomplete)):
        turn.world = spend(turn.world, completed[0])
        effect = completed[1]
        return (value if effect.keep is None else value[: effect.keep]) + effect.add
    return value


def bounced(turn: Interception, shown: ShownElement, before: AppState) -> None:
    """A click that arrives twice: the second finds the form as the first one did, since both were on their way."""
    app = shown.element.app
    hit = caught(turn, shown, Twice)
    if hit is None or app is None:
        return
    turn.world = spend(turn.world, hit[0])
    kind = APPS[app]
    begun = {name: getattr(before, name) for name in kind.looks if name in kind.state.model_fields and name != "counter"}
    turn.world = turn.world.with_app(app, turn.world.apps[app].model_copy(update=begun))
    turn.tell(app, Pressed(own_key(shown.widget.key)))


def offline(turn: Interception, app: str) -> Network | None:
    """The rule that keeps an app from saving now."""
    return next((net for _, net in in_force(turn.world, turn.rules, Network) if net.app in (None, app)), None)


def uncovered(turn: Interception, app: str | None, key: str) -> bool:
    """A press on what lies over a control: it goes if it can be dismissed by that. False for any other key."""
    name, _, what = key.partition(".")
    if not name.startswith("cover-"):
        return False
    if what == "dismiss" and app is not None:
        left = tuple(change for change in turn.desk.altered.get(app, ()) if change.key.rstrip("!") != name)
        turn.change(altered={**turn.desk.altered, app: left})
    return True


def sign_in(rule: int, expire: Expire, wrong: bool = False) -> Dialog:
    """The dialog that asks for the password; its key names the rule."""
    ways = ("Sign in",) if expire.app is None else ("Sign in", f"Close {APPS[expire.app].title}")
    return Dialog(
        key=f"expire-{rule}",
        title=expire.title,
        text="That is not the right password." if wrong else expire.text,
        fields=(DialogField(key="password", label="Password", private=True),),
        buttons=ways,
        default="Sign in",
        kind="account",
    )


def let_in(turn: Interception, dialog: Dialog, button: str) -> bool:
    """Whether a dialog of the desktop stays closed: one that asks for a password comes again without the right one."""
    if not dialog.key.startswith("expire-"):
        return True
    rule = int(dialog.key.removeprefix("expire-"))
    expire = turn.rules[rule].expire
    if expire is None:
        return True
    if button != "Sign in":
        turn.close_app(str(expire.app))
        return True
    given = dialog.fields[0].value
    right = bool(given) if expire.password is None else given == expire.password
    if not right:
        turn.open_dialog(sign_in(rule, expire, wrong=True))
    return right
