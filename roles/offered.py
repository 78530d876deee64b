"""What can be done on a surface, worked out from its capabilities: what a policy may choose from, and no more."""

from __future__ import annotations

import json

from environments.contract import AppCatalog, Environment, InAppAgent, NativeApi, type_of

_ALWAYS = (
    "click",
    "fill",
    "type",
    "press_key",
    "select_option",
    "scroll",
    "drag",
    "hover",
    "wait",
    "screenshot",
    "switch_window",
)
_INNER = ("memorize", "answer", "ask_user")
_PAGES = ("navigate", "go_back", "go_forward", "tabs")
_LONG = 300


def offered_verbs(environment: Environment) -> tuple[str, ...]:
    """The verbs that make sense here, those that need a capability only where it is there."""
    apps = {app.app for app in environment.apps()} if isinstance(environment, AppCatalog) else set()
    verbs = list(_ALWAYS)
    if apps:
        verbs.append("launch_app")
    if type_of(environment) == "browser" or "browser" in apps:
        verbs += _PAGES
    if type_of(environment) == "browser":
        verbs.append("upload")
    if isinstance(environment, NativeApi) and environment.functions():
        verbs.append("call_api")
    if isinstance(environment, InAppAgent) and environment.agents():
        verbs.append("ask_in_app_agent")
    return (*verbs, *_INNER)


def offered_functions(environment: Environment, app: str | None) -> tuple[str, ...]:
    """The functions of an app's own interface, and its agent, a line each."""
    lines = []
    if isinstance(environment, NativeApi):
        for function in environment.functions():
            if app is None or function.app == app:
                arguments = json.dumps(function.arguments.get("properties", {}), ensure_ascii=False)
                lines.append(f"call_api {function.app}.{function.name} {arguments}: {function.summary}"[:_LONG])
    if isinstance(environment, InAppAgent):
        lines += [f"ask_in_app_agent {name}" for name in environment.agents() if app is None or name == app]
    return tuple(lines)
