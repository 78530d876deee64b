"""For every key of `skills` two values, and what each makes of what the crew may do."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from langchain_core.tools import tool

from orchestrator.errors import UsageProblem
from orchestrator.settings.build import build_skills, make_environment
from orchestrator.settings.settings import load_settings
from protocol import ActionTarget, AskInAppAgent, CallApi, Click
from roles.skills.chain_tools import McpTool, McpTools

TOLD = "Send a mail to Bob"


@tool
def weather(town: str) -> str:
    """What the sky does."""
    return town


class _Point:
    def __init__(self, name: str) -> None:
        self.name = name

    def load(self) -> Any:
        return weather.model_copy(update={"name": self.name})


def offered(overrides: Sequence[str], folder: Path) -> Any:
    """What may be done, what is preferred, and what each skill is said to be; servers are not started for it."""
    settings = load_settings((), overrides).settings
    environment = make_environment(settings)
    points = [_Point("one"), _Point("two")]

    def tools(server: McpTools) -> list[McpTool]:
        named = server._settings.tools or ("look",)
        kind = type("Told", (), {"name": "", "title": "", "description": "", "input_schema": {}, "annotations": None})
        made = [type("One", (kind,), {"name": name})() for name in named]
        return [McpTool(server, one.name, server._skill(one)) for one in made]

    try:
        with patch.object(McpTools, "tools", tools), patch("roles.skills.chain_tools.entry_points", lambda group: points):
            skills = build_skills(settings, environment)
    except UsageProblem as bad:
        return str(bad)
    click, call = Click(target=ActionTarget(text="Send")), CallApi(app="mail", function="reply")
    acts = (click, call, AskInAppAgent(app="mail", request="x"))
    made = [one._server for one in skills._tools.values() if isinstance(one, McpTool)]
    servers = [server._settings.model_dump(mode="json") for server in made]
    return (
        [settings.skills.preferred(app, name) for app in ("mail", "notes") for name in ("s1", "s2")],
        [skills.forbidden(action, "mail") for action in acts],
        skills.lines("mail", TOLD),
        [skill.model_dump(mode="json") for skill in skills.known],
        [one._seconds for one in skills._tools.values() if not isinstance(one, McpTool)],
        servers,
    )


def skill_flips() -> dict[str, Any]:
    from flips.settings import Flip

    def flip(key: str, one: Any, other: Any, *always: str) -> Any:
        return Flip(offered, f"skills.{key}={json.dumps(one)}", f"skills.{key}={json.dumps(other)}", always)

    def item(key: str, one: Any, other: Any, at: str, **always: Any) -> Any:
        return flip(at, [{**always, key: one}], [{**always, key: other}])

    server: dict[str, Any] = {"command": [sys.executable, "a.py"]}
    of_server = {
        "name": ("one", "two"), "env": ({}, {"A": "1"}), "tools": (["look"], ["see"]), "risk": ("edit", "send"),
        "idempotence": ("reading", "once-only"), "seconds": (1.0, 2.0),
    }  # fmt: skip
    return {
        "skills.prefer": flip("prefer", "gui", "api"),
        "skills.forbid": flip("forbid", ["gui"], ["api"]),
        "skills.shown": flip("shown", 1, 5),
        "skills.installed": flip("installed", ["one"], ["two"]),
        "skills.seconds": flip("seconds", 1.0, 2.0, "skills.installed=[one]"),
        "skills.when[].prefer": item("prefer", "api", "agent", "when", app="mail"),
        "skills.when[].app": item("app", "mail", "notes", "when", prefer="api"),
        "skills.when[].subtask": item("subtask", "s1", "s2", "when", prefer="api"),
        "skills.known[].skill": item("skill", "mail.*", "notes.*", "known", risk="observe"),
        "skills.known[].risk": item("risk", "observe", "send", "known", skill="mail.*"),
        "skills.known[].idempotence": item("idempotence", "reading", "once-only", "known", skill="mail.*"),
        "skills.mcp[].command": item("command", ["one.py"], ["two.py"], "mcp"),
        "skills.mcp[].url": item("url", "http://127.0.0.1:1", "http://127.0.0.1:2", "mcp", name="x"),
        **{f"skills.mcp[].{key}": item(key, *both, "mcp", **server) for key, both in of_server.items()},
    }
