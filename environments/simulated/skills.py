"""What an app offers beside its GUI (seed 001): functions of its own interface, and an agent of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import JsonValue, ValidationError

from environments.contract import FunctionInfo
from environments.simulated.app import AnyApp, AppState, Effect
from environments.simulated.world.values import IdentityKey, Model

S = TypeVar("S", bound=AppState)
A = TypeVar("A", bound=Model)


class FunctionDeclined(Exception):
    """The app does not do it; the message says why and what it could do instead."""


class FunctionResult(NamedTuple, Generic[S]):
    """The next state, what the caller gets, and what the desktop should do besides."""

    state: S
    result: JsonValue
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class Function(Generic[S, A]):
    """One function. `call` is pure and may raise FunctionDeclined; `arguments` describes what it takes."""

    name: str
    summary: str
    arguments: type[A]
    call: Callable[[S, A], FunctionResult[S]]
    writes: bool = False
    """Whether it changes anything."""
    repeatable: bool = False
    """Whether calling it a second time changes nothing more."""
    risk: str = ""
    """An effect of the safety policy that its name does not tell, such as `send`."""


AnyFunction = Function[Any, Any]


@lru_cache(maxsize=128)
def function_infos(app: IdentityKey[AnyApp]) -> tuple[FunctionInfo, ...]:
    """The functions of an app, the same in every world: a schema costs more than an action."""
    own = app.value
    return tuple(
        FunctionInfo(own.name, f.name, f.summary, f.arguments.model_json_schema(), f.writes, f.repeatable, f.risk)
        for f in own.functions
    )


def call(app: AnyApp, state: AppState, name: str, given: dict[str, JsonValue]) -> FunctionResult[Any]:
    """Call a function of the app by name. Raises FunctionDeclined for an unknown one and for arguments that do not fit."""
    functions = {function.name: function for function in app.functions}
    function = functions.get(name)
    if function is None:
        offered = f"its functions are: {', '.join(functions)}" if functions else "it has none"
        raise FunctionDeclined(f"{app.title} has no function {name!r}; {offered}")
    try:
        arguments = function.arguments.model_validate(given)
    except ValidationError as bad:
        first = bad.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        takes = ", ".join(function.arguments.model_fields) or "nothing"
        raise FunctionDeclined(f"{app.name}.{name}: {where or 'arguments'}: {first['msg']}; it takes {takes}") from None
    done: FunctionResult[Any] = function.call(state, arguments)
    return done


def ask(app: AnyApp, state: AppState, request: str) -> FunctionResult[Any]:
    """Hand a request in words to the app's agent. Raises FunctionDeclined when there is none, or when it does not understand."""
    if app.agent is None:
        raise FunctionDeclined(f"{app.title} has no agent of its own; use its window")
    done: FunctionResult[Any] = app.agent(state, request)
    return done
