"""What can be typed after `deskcrew`: one table. A command's module is imported when it is asked for, so that help is instant."""

from importlib import import_module
from typing import Any, NamedTuple, TypedDict

import typer
import typer.main
from typer.core import TyperGroup


class Shape(TypedDict):
    """Options of a Typer app."""

    add_completion: bool
    pretty_exceptions_enable: bool
    rich_markup_mode: None


SHAPE: Shape = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": None}
"""What is said of every Typer app here: help is plain text, and a failure is a sentence."""


class CommandEntry(NamedTuple):
    """A command, or a group of them: where it is, and what it does, in a few words."""

    place: str
    """`module:name`; the module is under `orchestrator`."""
    about: str


SECTIONS: dict[str, dict[str, CommandEntry]] = {
    "Run": {
        "run": CommandEntry("cli.run:run", "Run a goal or a task."),
        "plan": CommandEntry("cli.run:plan", "Plan a goal without working it."),
        "read": CommandEntry("cli.run:read_goal", "Show how rules read a goal."),
        "resume": CommandEntry("cli.run:resume", "Continue a run that waits or was interrupted."),
    },
    "Inspect": {
        "ls": CommandEntry("cli.runs:list_runs", "List the runs, newest first."),
        "show": CommandEntry("cli.runs:show", "Show one run: plan, steps, gates, approvals, verdict."),
        "view": CommandEntry("cli.view:view", "Write a run as one HTML page."),
        "serve": CommandEntry("cli.view:serve", "Watch, answer and start runs in a browser."),
    },
    "Control": {
        "pause": CommandEntry("cli.control:pause", "Stop the crew before its next action."),
        "steer": CommandEntry("cli.control:steer", "Tell the crew something while it works."),
        "takeover": CommandEntry("cli.control:takeover", "Act in a run by hand."),
        "handback": CommandEntry("cli.control:handback", "Give a run back after a takeover."),
        "cancel": CommandEntry("cli.control:cancel", "End a run before its next action."),
    },
    "List": {
        "tasks": CommandEntry("cli.runs:tasks", "List the shipped tasks."),
        "worlds": CommandEntry("cli.runs:worlds", "List the shipped worlds."),
        "policies": CommandEntry("cli.policies:policies_app", "List the presets of policies; show or check one."),
        "plugins": CommandEntry("cli.tools.doctor:plugins", "List the parts of other packages."),
        "skills": CommandEntry("cli.runs:skills_app", "List what the crew can do."),
        "knowledge": CommandEntry("cli.knowledge:knowledge_app", "Manage help pages, playbooks, experience."),
    },
    "Create and check": {
        "task": CommandEntry("cli.check:task_app", "Check a task file, or play its oracle."),
        "world": CommandEntry("cli.check:world_app", "Check a world, list its apps, serve it in a browser."),
        "policy": CommandEntry("cli.policies:policy_app", "Check safety policies."),
        "log": CommandEntry("cli.tools.logs:log_app", "Read, check and convert protocol logs."),
        "schema": CommandEntry("cli.tools.logs:schema_app", "The JSON schemas of the protocol."),
        "trust": CommandEntry("cli.policies:trust", "Allow a run from elsewhere to start programs."),
        "suite": CommandEntry("cli.tools.suite:suite_app", "Run tasks x seeds x configurations, and compare."),
        "lab": CommandEntry("cli.tools.suite:lab_app", "Try what else could be decided; write verified data."),
        "mcp": CommandEntry("cli.check:mcp", "Serve a simulated desktop to any agent over MCP."),
        "attack": CommandEntry("cli.tools.suite:attack_app", "Attack a crew with hostile texts."),
    },
    "Repeat": {
        "replay": CommandEntry("cli.view:replay", "Repeat a run with its own decisions."),
        "fork": CommandEntry("cli.view:fork", "Start a new run from a step of another one."),
    },
    "This machine": {
        "doctor": CommandEntry("cli.tools.doctor:doctor", "Check this installation, and print fixes."),
        "completion": CommandEntry("cli.tools.doctor:completion", "Print the script for shell completion."),
    },
}
PARTS = {name: part for section in SECTIONS.values() for name, part in section.items()}
_WIDEST = max(map(len, PARTS))


def built(name: str) -> Any:
    """The command of this name, or the group, from its module."""
    module, _, word = PARTS[name].place.partition(":")
    found = getattr(import_module(f"orchestrator.{module}"), word)
    holder = typer.Typer(**SHAPE)
    holder.callback()(lambda: None)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name, cls=Group)
    else:
        holder.command(name)(found)
    return typer.main.get_group(holder).commands[name]


class Completion(NamedTuple):
    """A word that may be typed next; what a shell is told has these three."""

    value: str
    help: str = ""
    type: str = "plain"


class Group(TyperGroup):
    """Commands in a group. Its own `--help`, where that was not typed, is False and not unknown: what is unknown is put through
    pydantic, which costs more than all the rest of a command's help."""

    def get_help_option(self, ctx: Any) -> Any:
        found = super().get_help_option(ctx)
        if found is not None and found.default is None:
            found.default = False
        return found


class Commands(Group):
    """The table as a group: what is listed needs no import, and what is typed imports its own module."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*PARTS, *(name for name in super().list_commands(ctx) if name not in PARTS)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in PARTS and cmd_name not in self.commands:
            self.commands[cmd_name] = built(cmd_name)
        found = super().get_command(ctx, cmd_name)
        if found is None and not ctx.resilient_parsing:
            from difflib import get_close_matches

            meant = get_close_matches(cmd_name, self.list_commands(ctx), n=1)
            ctx.fail(f"There is no command {cmd_name!r}{f' (did you mean {meant[0]!r}?)' if meant else ''}.")
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, parts in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(_WIDEST), part.about) for name, part in parts.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [Completion(name, part.about) for name, part in PARTS.items() if name.startswith(incomplete)]
