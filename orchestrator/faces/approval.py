"""Asking the person who sits there: the exact action, why it is asked, and four ways to answer. The default is no."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from orchestrator.errors import UsageProblem
from orchestrator.faces import Answer
from orchestrator.faces.words import Line, action_words, clean
from protocol import Action, parse_action

_CHOICES = {"a": "approve", "e": "edit", "r": "reject", "s": "respond"}
_PROMPTS = {"approve": "[a]pprove", "edit": "[e]dit", "reject": "[r]eject (Enter)", "respond": "[s]ay something"}


def request_lines(request: Mapping[str, Any]) -> list[Line]:
    """What is asked, where, and by which rule."""
    action = first_action(request)
    if action.get("name") == "ask_user":
        return [Line("question", clean((action.get("args") or {}).get("question", "")), "ask")]
    rule, risk = clean(request.get("rule", "")), clean(request.get("risk", ""))
    lines = [Line("approve?", action_words(action), "ask")]
    if request.get("app"):
        lines.append(Line("in", clean(request["app"])))
    if rule or risk:
        lines.append(Line("rule", rule + (f" (risk: {risk})" if risk else "")))
    return [*lines, *(Line("because", clean(reason)) for reason in request.get("reasons") or ())]


def first_action(request: Mapping[str, Any]) -> dict[str, Any]:
    requests = request.get("action_requests") or [{}]
    return dict(requests[0])


def allowed(request: Mapping[str, Any]) -> list[str]:
    """The decisions that this request may be answered with."""
    configs = request.get("review_configs") or [{}]
    return list(configs[0].get("allowed_decisions") or _CHOICES.values())


def ask(request: Mapping[str, Any], *, read: Callable[[str], str], say: Callable[[str], None]) -> Answer | None:
    """The person's answer; None (end of input) leaves the run waiting."""
    choices = allowed(request)
    question = first_action(request).get("name") == "ask_user"
    try:
        if question and "respond" in choices:
            return decision("respond", message=read("  your answer: ").strip())
        while True:
            prompt = "  " + "  ".join(words for name, words in _PROMPTS.items() if name in choices)
            word, _, rest = read(f"{prompt}: ").strip().partition(" ")
            choice = _choice(word, choices)
            if choice is None:
                say(f"  {clean(word, 40)!r} is none of {', '.join(choices)}.")
            elif choice == "edit":
                if (action := _edited(request, rest, read, say)) is not None:
                    return edit_decision(action)
            elif choice == "approve":
                return decision("approve")
            else:
                wanted = "  why, or what to do instead (Enter for nothing): " if choice == "reject" else "  say: "
                return decision(choice, message=rest.strip() or read(wanted).strip())
    except EOFError:
        say("")
        return None


def _choice(word: str, choices: list[str]) -> str | None:
    folded = word.casefold()
    if not folded:
        return "reject" if "reject" in choices else None
    named = _CHOICES.get(folded, folded)
    named = {"no": "reject", "n": "reject", "say": "respond"}.get(named, named)
    return named if named in choices else None


def _edited(request: Mapping[str, Any], rest: str, read: Callable[[str], str], say: Callable[[str], None]) -> Action | None:
    action = first_action(request)
    say("  the action is " + json.dumps({"action_type": action.get("name"), **(action.get("args") or {})}, ensure_ascii=True))
    text = rest.strip() or read("  the action to do instead, as JSON, or a file with it (Enter to go back): ").strip()
    if not text:
        return None
    try:
        return parse_edit(text, "the action") if text.startswith("{") else read_edit(Path(text))
    except UsageProblem as bad:
        say(f"  {bad}")
        return None


def decision(kind: str, *, message: str = "") -> Answer:
    """One decision in the ecosystem's form."""
    return {"decisions": [{"type": kind, "message": message} if message or kind == "respond" else {"type": kind}]}


def edit_decision(action: Action) -> Answer:
    args = {key: value for key, value in action.dump().items() if key != "action_type"}
    return {"decisions": [{"type": "edit", "edited_action": {"name": action.verb, "args": args}}]}


def read_edit(path: Path) -> Action:
    """The action in a JSON or YAML file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as bad:
        why = getattr(bad, "strerror", None) or "it is not UTF-8 text"
        raise UsageProblem(f"The action file {clean(path)} cannot be read: {why}.") from None
    return parse_edit(text, str(path))


def parse_edit(text: str, name: str) -> Action:
    """An action written as `{action_type: ..., ...}`."""
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise UsageProblem(f"{name} is neither JSON nor YAML; write {{action_type: click, target: {{text: Save}}}}.") from None
    if not isinstance(data, dict):
        raise UsageProblem(f"{name} is no action; write {{action_type: click, target: {{text: Save}}}}.")
    try:
        return parse_action(data)
    except ValidationError as bad:
        first = bad.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageProblem(f"{name}: {where + ': ' if where else ''}{first['msg']}.") from None
