"""Prompts as files: two parts, `# system` and `# turn`, with named variables in double braces.

PromptProblem       a prompt that cannot be used: which file, and what is wrong with it
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from difflib import get_close_matches
from itertools import count
from pathlib import Path
from typing import NamedTuple

from environments.files.yaml_lines import read_small
from roles.policies.llm.settings import AnswerForm

_SIGNS = 6
_NO_SIGN = re.compile(r"[^0-9a-f]+")


def fence_for(data: Mapping[str, str]) -> str:
    """A word that occurs in none of the data, however it is spelt there: in capitals, with blanks in it, over two sections.

    It is nearly always the same, so that prompts begin alike and providers keep them; where the data says it, it is the next one.
    """
    said = unicodedata.normalize("NFKC", "".join(part for name in sorted(data) for part in (name, data[name])))
    whole = _NO_SIGN.sub("", said.casefold())
    words = (hashlib.blake2b(str(number).encode(), digest_size=16).hexdigest()[:_SIGNS] for number in count())
    return next(word for word in words if word not in whole)


def now_told(today: str) -> str:
    """The world's own day, time and weekday; nothing where the world has none, or says something else in its place."""
    try:
        now = datetime.fromisoformat(today)
    except ValueError:
        return ""
    return f"It is now {now:%A, %Y-%m-%d, %H:%M}."


def fenced(name: str, text: str, fence: str) -> str:
    """`text` between the two lines of its fence."""
    return f"<{name} {fence}>\n{text}\n</{name} {fence}>"


_PART = re.compile(r"^# (system|turn)[ \t]*$", re.MULTILINE)
_VARIABLE = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_NOT_THERE = "\0nothing\0"
_EMPTY_LINE = re.compile(rf"^(?:[^\0\n]*: )?{_NOT_THERE}\n", re.MULTILINE)
"""A line that would tell nothing is left out."""
_HERE = Path(__file__).parents[2]


class PromptProblem(ValueError):
    """One sentence that names the file, what is wrong, and what there is instead."""


class Variables(NamedTuple):
    """What a role's prompt may hold."""

    said: frozenset[str]
    """Words of ours and of the user's."""
    data: frozenset[str]
    """What comes from screens, mails and documents; it is always fenced."""
    needed: frozenset[str]
    """Without these the model could not decide."""


VARIABLES: dict[str, Variables] = {
    "manager": Variables(
        frozenset({"goal", "user_says", "ledger", "apps", "workers", "steps_form", "trigger", "now", "answer_form"}),
        frozenset({"holds", "windows", "plan", "evidence", "facts", "supplements", "user_words", "refused"}),
        frozenset({"goal", "apps", "plan", "answer_form"}),
    ),
    "operator": Variables(
        frozenset(
            {
                *("goal", "user_says", "ledger", "subtask", "app", "apps", "verbs", "answer_form", "previous_subtasks"),
                *("batch", "pictures", "prefer", "now"),
            }
        ),
        frozenset(
            {
                *("screen", "changes", "steps", "facts", "notes", "message", "events", "supplements", "refused", "functions"),
                *("previous_plan", "saved_screens", "expected", "moves"),
            }
        ),
        frozenset({"subtask", "screen", "steps", "answer_form"}),
    ),
    "evaluator": Variables(
        frozenset({"goal", "user_says", "ledger", "trigger", "subtask", "decisions", "now", "answer_form"}),
        frozenset({"plan", "findings", "changes", "steps", "results", "screens", "facts", "summary", "held"}),
        frozenset({"trigger", "screens", "steps", "answer_form"}),
    ),
    "technician": Variables(
        frozenset({"goal", "user_says", "subtask", "wanted", "answer_form"}),
        frozenset({"files", "facts", "ran", "refused"}),
        frozenset({"subtask", "ran", "answer_form"}),
    ),
    "analyst": Variables(
        frozenset({"goal", "user_says", "subtask", "wanted", "answer_form"}),
        frozenset({"facts", "supplements", "problem"}),
        frozenset({"subtask", "facts", "answer_form"}),
    ),
}


class Prompt(NamedTuple):
    """A prompt that was read and checked."""

    role: str
    system: str
    turn: str

    def filled(self, values: Mapping[str, str]) -> tuple[str, str]:
        """Both parts with the values put in, once: braces inside a value stay what they are."""
        known = VARIABLES[self.role]
        data = {name: values.get(name, "") for name in sorted(known.data)}
        fence = fence_for(data)

        def put(match: re.Match[str]) -> str:
            name = match[1]
            if name == "fence":
                return fence
            if name not in known.data:
                return values.get(name) or _NOT_THERE
            if not data[name]:
                return f"{name}: nothing" if name in known.needed else _NOT_THERE
            return fenced(name, data[name], fence)

        system, turn = (_EMPTY_LINE.sub("", _VARIABLE.sub(put, part)).strip() for part in (self.system, self.turn))
        for words in filter(None, (values.get("user_says", ""), values.get("ledger", ""))):
            turn = turn if words in system + turn else f"{turn}\n{words}"  # a prompt of the user's own that does not name it
        return system.replace(_NOT_THERE, "(nothing)"), turn.replace(_NOT_THERE, "(nothing)")


_SHIPPED: dict[AnswerForm, str] = {"narrow": "operator/narrow.md", "computer_use": "policies/computer_use/prompt.md"}
_NEEDED: dict[AnswerForm, frozenset[str]] = {
    "narrow": VARIABLES["operator"].needed - {"answer_form"} | {"moves"},
    "computer_use": frozenset({"subtask"}),
}
"""Of the forms of an Operator's answer that have a prompt of their own."""


def load_prompt(role: str, path: Path | None = None, *, form: AnswerForm = "full") -> Prompt:
    """The prompt of a role, or the user's own in its place. Raises PromptProblem."""
    own = path is not None
    form = form if role == "operator" else "full"
    path = path or _HERE / _SHIPPED.get(form, f"{role}/prompt.md")
    try:
        text = read_small(path)
    except (OSError, ValueError) as bad:
        why = getattr(bad, "strerror", None) or "it is not UTF-8 text"
        raise PromptProblem(f"the prompt {path} cannot be read: {why}") from None
    name = str(path) if own else f"roles/{path.relative_to(_HERE)}"
    parts = _PART.split(text)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    for part in ("system", "turn"):
        if not found.get(part, "").strip():
            raise PromptProblem(f"{name}: there is no part `# {part}`; a prompt has two, `# system` and `# turn`")
    _check(role, name, text, found, _NEEDED.get(form, VARIABLES[role].needed))
    return Prompt(role, found["system"], found["turn"])


def _check(role: str, name: str, text: str, found: Mapping[str, str], needed: frozenset[str]) -> None:
    known = VARIABLES[role]
    names = known.said | known.data | {"fence"}
    used = {match for part in found.values() for match in _VARIABLE.findall(part)}
    if unknown := sorted(used - names):
        near = get_close_matches(unknown[0], names, 1)
        meant = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(sorted(names))}"
        line = next(n for n, words in enumerate(text.splitlines(), 1) if unknown[0] in _VARIABLE.findall(words))
        raise PromptProblem(f"{name}, line {line}: there is no variable {unknown[0]!r} for the {role}{meant}")
    if missing := sorted(needed - used):
        raise PromptProblem(f"{name}: the variable {missing[0]!r} is missing; without it the {role} cannot decide")
