"""The simulated desktop: a world behind the environment contract."""

from __future__ import annotations

import hashlib
import json
from copy import copy
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from environments.cards import AppCard
from environments.contract import AppInfo, DigestMismatch, EnvironmentFault, FileTree, FunctionInfo
from environments.effects import Change as Effected
from environments.simulated.app import function_infos
from environments.simulated.apps import APPS
from environments.simulated.input.perform import EnvironmentCrash, Step, pass_time, retargeted, step
from environments.simulated.input.pointer import pools
from environments.simulated.preview import changes_between
from environments.simulated.screen.cards import card_of
from environments.simulated.screen.elements import ShownElement
from environments.simulated.screen.screen import screen_of, state_of, window_of
from environments.simulated.turn.advance import follow, settled, truth
from environments.simulated.turn.events import TriggerEvent
from environments.simulated.turn.turn import Turn
from environments.simulated.world.file_changes import tree_of
from environments.simulated.world.store import MemoryStore, PerformedAction, Store, as_json, open_store
from environments.simulated.world.values import IdentityKey
from environments.simulated.world.world import World
from environments.simulated.world.worldfile import WorldSpec
from protocol import Action, ActionResult, ActionTarget, GUIElement, TargetError, VisualState, resolve


def _meant(turn: Turn, target: ActionTarget) -> ActionTarget:
    """What its text means in the apps' own words; unchanged where nothing on the screen is called so."""
    if not target.text or target.track_id or target.element_id:
        return target
    for pool in (*pools(turn, target), turn.screen.order):
        try:
            found = resolve(target, state_of([_worded(shown) for shown in pool], turn.desk))
        except TargetError as problem:
            if problem.candidates:
                return target
            continue
        if found.element_id:
            return ActionTarget(track_id=turn.screen.at(found.element_id).element.track_id, description=target.text)
    return target


def _worded(shown: ShownElement) -> GUIElement:
    own = shown.widget.own or shown.widget
    return shown.element.model_copy(update={"text": own.text, "placeholder": own.placeholder, "options": own.options})


class Snapshot(NamedTuple):
    """A moment of a simulated desktop: its world, and how much had been done by then."""

    environment: str
    world: World
    performed: int


class SimulatedDesktop:
    """A desktop of pure apps. With a `store` that holds a world already, it goes on from there."""

    computes = True
    """It cannot hang, so a call needs no time limit."""

    def __init__(self, spec: WorldSpec, seed: int | None = None, store: Path | None = None) -> None:
        self.name = f"simulated:{spec.name}"
        self.environment_type = spec.type
        self._spec = spec
        self._seed = spec.seed if seed is None else seed
        self._origin = hashlib.blake2b(spec.model_dump_json(exclude={"seed"}).encode(), digest_size=12).hexdigest()
        self._store: Store = open_store(store)
        self._closed = False
        self._ahead: tuple[World, str, Step] | None = None
        self._previewed: tuple[Step, tuple[Effected, ...]] | None = None
        """What the action of a digest comes to in a world, where that was asked already."""
        stored = self._store.load(self._origin)
        self._world = self._first() if stored is None else stored
        if stored is None:
            self._store.begin(self._world, self._origin)

    def reset(self, *, seed: int | None = None) -> VisualState:
        self._live()
        self._seed = self._seed if seed is None else seed
        self._world = self._first()
        self._store.begin(self._world, self._origin)
        return self.observe()

    def observe(self) -> VisualState:
        self._live()
        return screen_of(self._world).state

    def perform(self, action: Action, *, key: str) -> ActionResult:
        self._live()
        known = self._store.known(key)
        if known is not None:
            if known.digest != action.digest:
                raise DigestMismatch(f"key {key!r} was used before for another action: {as_json(known.action)}")
            return ActionResult.model_validate_json(known.result) if isinstance(known.result, str) else known.result
        before = self._world
        try:
            after, result = self._step(action)[:2]
        except EnvironmentCrash as crash:
            self._store.commit(before, crash.world, None)
            self._world = crash.world
            raise EnvironmentFault(str(crash)) from None
        self._store.commit(before, after, PerformedAction(key, action.digest, action, result))
        self._world = after
        return result

    def preview(self, action: Action) -> tuple[Effected, ...]:
        """What the action would change. To perform it next costs nothing more: what was found out is kept."""
        self._live()
        try:
            found = self._step(action)
        except EnvironmentCrash:
            return ()
        if self._previewed is None or self._previewed[0] is not found:
            self._previewed = found, changes_between(self._world, found.done, found.passed_on)
        return self._previewed[1]

    def _step(self, action: Action) -> Step:
        """The action done in this world, which stays as it is. Raises EnvironmentCrash."""
        if self._ahead is None or self._ahead[:2] != (self._world, action.digest):
            self._ahead = self._world, action.digest, step(self._world, action, self._spec.events)
        return self._ahead[2]

    def close(self) -> None:
        self._closed = True
        self._store.close()

    def screenshot(self, theme: Literal["light", "dark", "contrast"] | None = None) -> bytes:
        """The screen as PNG, in its own theme unless told otherwise. Raises EnvironmentFault where Pillow is not installed."""
        self._live()
        from environments.simulated import render  # only whoever wants pictures needs Pillow

        return render.png(render.picture(self._world, render.THEMES[theme or self._world.desk.variation.theme]))

    def apps(self) -> list[AppInfo]:
        return [AppInfo(name, APPS[name].title, APPS[name].words, APPS[name].shares) for name in self._world.apps]

    def cards(self) -> list[AppCard]:
        """What each app holds and can do, as it was when the world began."""
        first = self._first()
        return [card_of(APPS[name], state, first.desk.variation) for name, state in first.apps.items()]

    @property
    def now(self) -> str:
        """Day and time of this world, as `2026-03-02 10:30`."""
        return self._world.desk.now

    @property
    def clock(self) -> float:
        """Seconds that have passed in this world since it began."""
        return self._world.desk.clock

    def functions(self) -> list[FunctionInfo]:
        return [function for name in self._world.apps for function in function_infos(IdentityKey(APPS[name]))]

    def agents(self) -> list[str]:
        return [name for name in self._world.apps if APPS[name].agent is not None]

    def peek(self, app: str) -> VisualState | None:
        self._live()
        if all(win.app != app for win in self._world.desk.windows):
            return None
        return window_of(self._world, app)

    def files(self) -> FileTree | None:
        self._live()
        return tree_of(self._world)

    def world(self) -> dict[str, Any]:
        """The true state: apps by name, and the desk's own parts."""
        return truth(self._world)

    def meant(self, action: Action) -> Action:
        """The action on what its texts mean in the apps' own words, whatever the screen calls it."""
        self._live()
        return retargeted(action, partial(_meant, Turn(self._world, ())))

    def latest_keys(self, most: int) -> list[str]:
        self._live()
        return self._store.latest_keys(most)

    def received(self) -> list[dict[str, Any]]:
        self._live()
        return [
            {"key": done.key, "action": json.loads(as_json(done.action)),
             "exec_status": json.loads(as_json(done.result))["exec_status"]}
            for done in self._store.performed()
        ]  # fmt: skip

    def state_hash(self) -> str:
        """Equal worlds have equal hashes, in any process."""
        return self._world.hash()

    def snapshot(self) -> Snapshot:
        """This very moment, to come back to; costs nothing, because a world is immutable."""
        self._live()
        return Snapshot(self.name, self._world, sum(1 for _ in self._store.performed()))

    def restore(self, snapshot: Snapshot) -> VisualState:
        """Go back to that moment: what was done since has not happened, and its keys are free again."""
        self._live()
        if snapshot.environment != self.name:
            raise EnvironmentFault(f"the snapshot is of {snapshot.environment}, not of {self.name}")
        self._store.rewind(self._world, snapshot.world, snapshot.performed)
        self._world = snapshot.world
        return self.observe()

    def fork(self) -> SimulatedDesktop:
        """Another desktop that goes on from here, in memory; neither sees what the other does."""
        self._live()
        other = copy(self)
        other._store = MemoryStore({done.key: done for done in self._store.performed()})
        return other

    def hashes(self) -> dict[str, str]:
        """A hash for the desk and for each app, to see cheaply where something changed."""
        return self._world.world_hashes()

    def _first(self) -> World:
        return _beginning(IdentityKey(self._spec), self._seed)

    def _live(self) -> None:
        if self._closed:
            raise EnvironmentFault("the desktop was closed")


@lru_cache(maxsize=8)
def _beginning(spec: IdentityKey[WorldSpec], seed: int) -> World:
    """How a world begins. It never changes once made, so all desktops of a spec and a seed begin with the same one."""
    world = spec.value.first_world(seed)
    turn = Turn(world, spec.value.events)
    if front := world.desk.front:
        turn.happened.append(TriggerEvent("app_opened", front))
    pass_time(turn)
    follow(turn)
    return settled(world, turn.world)
