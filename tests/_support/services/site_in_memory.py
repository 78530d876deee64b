"""A site in memory that guards itself as a browser does: pages with controls, a server that keeps what reaches it, a gate."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from environments.contract import STOPPED, DigestMismatch
from environments.effects import GONE, ControlSeen, Effect, HeldRequest, Network, NetworkRule, Permit, released
from protocol import Action, ActionResult, ExecStatus, Fill, GUIElement, PressKey, TargetError, Type, VisualState, Window, resolve

HOST = "bank.example"


@dataclass(frozen=True)
class Sent:
    """A request that a page makes."""

    path: str
    fields: tuple[tuple[str, str], ...] = ()
    method: str = "POST"
    operation: str = ""
    effects: tuple[Effect, ...] = ()

    def held(self) -> HeldRequest:
        said = " ".join([self.method, *(f"{name}={value}" for name, value in self.fields), f"to {HOST}{self.path}"])
        return HeldRequest(
            request_id=digest([self.method, self.path, self.operation, self.fields]),
            method=self.method,
            host=HOST,
            path=self.path,
            operation=self.operation,
            told=said,
            effects=self.effects,
        )


@dataclass(frozen=True)
class Control:
    """A button, link or field, with what a press of it, or an edit, sends."""

    name: str
    role: str = "button"
    leads: str = ""
    hidden: tuple[tuple[str, str], ...] = ()
    sends: tuple[Sent, ...] = ()
    value: str | None = None

    def seen(self) -> ControlSeen:
        parts = {"name": digest([self.role, self.name]), "leads": digest(self.leads), "form": digest(self.hidden)}
        told = tuple(f"its form also sends {name}={value}" for name, value in self.hidden)
        return ControlSeen(parts=parts, role=self.role, name=self.name, told=told)


def digest(what: Any) -> str:
    return hashlib.blake2b(json.dumps(what).encode(), digest_size=8).hexdigest()


@dataclass
class Profile:
    """What outlives a process: what was done by which key, what was begun, what was granted."""

    done: dict[str, tuple[str, ActionResult]] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    grants: Counter[str] = field(default_factory=Counter)


class Site:
    """One page. `at_look` and `at_press` are what its scripts do when it is looked at, and right before it is pressed."""

    name = "site"
    environment_type = "browser"

    def __init__(self, *controls: Control, profile: Profile | None = None) -> None:
        self.controls = {str(number): control for number, control in enumerate(controls, start=1)}
        self.profile = profile or Profile()
        self.at_look: Callable[[Site], None] = lambda site: None
        self.at_control: Callable[[Site], None] = lambda site: None
        self.at_press: Callable[[Site], None] = lambda site: None
        self.dies_in_release = False
        self.reached: list[Sent] = []
        """What reached the server, in order."""
        self.performed: list[tuple[str, Action]] = []
        self.guards: list[Network] = []
        self.focus = ""
        self._network = Network(mode="off")
        self._permits: dict[str, Permit] = {}
        self._waiting: list[Sent] = []
        self._latest = ""

    # --- an environment ---------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None) -> VisualState:
        return self.observe()

    def observe(self) -> VisualState:
        self.at_look(self)
        elements = tuple(
            GUIElement(
                element_id=number, track_id=number, role=c.role, text=c.name, value=c.value, app="browser",
                focused=number == self.focus, leads=f"open http://{HOST}/" if c.role == "link" else None,
            )
            for number, c in self.controls.items()
        )  # fmt: skip
        tab = Window(window_id="tab-0", app="browser", title=f"Bank - http://{HOST}/", focused=True)
        state = VisualState(app="browser", elements=elements, windows=(tab,))
        self._latest = state.state_id
        return state

    def perform(self, action: Action, *, key: str) -> ActionResult:
        if key in self.profile.done:
            known, result = self.profile.done[key]
            if known != action.digest:
                raise DigestMismatch(f"key {key!r} was used before for another action")
            return result
        if key in self.profile.begun:
            return ActionResult(exec_status=ExecStatus.PENDING, error="it cannot be known whether it was done")
        self.profile.begun.add(key)
        result = self._do(action, self._permits.pop(key, None))
        self.performed.append((key, action))
        self.profile.done[key] = (action.digest, result)
        return result

    def close(self) -> None:
        return None

    # --- guarded ----------------------------------------------------------------------------------------------------

    def guard(self, network: Network) -> None:
        self.guards.append(network)
        self._network = network

    def control(self, action: Action) -> ControlSeen | None:
        self.at_control(self)
        number = self._falls_on(action)
        return self.controls[number].seen() if number else None

    def admit(self, key: str, permit: Permit) -> None:
        self._permits[key] = permit

    def held(self) -> Sequence[HeldRequest]:
        return [sent.held() for sent in self._waiting]

    # --- what a test does with it -----------------------------------------------------------------------------------

    def change(self, number: str = "1", **what: Any) -> None:
        self.controls[number] = replace(self.controls[number], **what)

    def send(self, *requests: Sent) -> None:
        """The page sends by itself."""
        for sent in requests:
            if self._passes(sent):
                self.reached.append(sent)
            elif sent not in self._waiting:
                self._waiting.append(sent)

    @property
    def paths(self) -> list[str]:
        return [sent.path for sent in self.reached]

    # ----------------------------------------------------------------------------------------------------------------

    def _do(self, action: Action, permit: Permit | None) -> ActionResult:
        if request := released(action):
            return self._release(request)
        self._waiting.clear()
        self.at_press(self)
        try:
            number = self._falls_on(action)
        except TargetError as gone:
            return ActionResult(exec_status=ExecStatus.ERROR, error=f"target not found: {gone}")
        if not number:
            return ActionResult(exec_status=ExecStatus.EXECUTED)
        control = self.controls[number]
        now = control.seen().parts
        if permit is not None and (other := [part for part in now if (permit.control or {}).get(part) != now[part]]):
            return ActionResult(
                exec_status=ExecStatus.ERROR, error=f"{STOPPED}the control is another one now: {', '.join(other)}"
            )
        self.focus = number
        if isinstance(action, Fill | Type):
            self.change(number, value=action.text)
        self.send(*control.sends)
        if self._waiting:
            told = "; ".join(f"it would {sent.held().told}; it waits for an answer" for sent in self._waiting)
            return ActionResult(exec_status=ExecStatus.ERROR, error=f"{STOPPED}{told}")
        return ActionResult(exec_status=ExecStatus.EXECUTED)

    def _release(self, request: str) -> ActionResult:
        sent = next((sent for sent in self._waiting if sent.held().request_id == request), None)
        if sent is None:
            self.profile.grants[request] += 1
            return ActionResult(exec_status=ExecStatus.EXECUTED, output=f"{GONE}; it goes once the page sends it again")
        self._waiting.remove(sent)
        self.reached.append(sent)
        if self.dies_in_release:
            raise KeyboardInterrupt
        return ActionResult(exec_status=ExecStatus.EXECUTED, output="it was sent")

    def _passes(self, sent: Sent) -> bool:
        asked = sent.held()
        if self._network.mode != "hold" or any(_fits(rule, asked) for rule in self._network.allow):
            return True
        if self.profile.grants[asked.request_id]:
            self.profile.grants[asked.request_id] -= 1
            return True
        return False

    def _falls_on(self, action: Action) -> str:
        if action.inner or action.verb in {"wait", "screenshot"}:
            return ""
        if action.target is None:
            return self.focus if isinstance(action, PressKey | Type) else ""
        return resolve(action.target, self._now()).element_id

    def _now(self) -> VisualState:
        look, self.at_look = self.at_look, lambda site: None
        try:
            return self.observe()
        finally:
            self.at_look = look


def _fits(rule: NetworkRule, request: HeldRequest) -> bool:
    return all(fnmatchcase(getattr(request, part), getattr(rule, part)) for part in NetworkRule.model_fields)
