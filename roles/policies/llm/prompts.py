"""Prompts as files: two parts, `# system` and `# turn`, with named variables in double braces.

PromptProblem       a prompt that cannot be used: which file, and what is wrong with it
"""

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


_PART = re.compile(r"^# (system|turn|when)[ \t]*$", re.MULTILINE)
_SENTENCE = re.compile(r"^\[([a-z0-9_ ]+)\] ", re.MULTILINE)
_VARIABLE = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_NOT_THERE = "\0nothing\0"
_EMPTY_LINE = re.compile(rf"^(?:[^\0\n]*: )?{_NOT_THERE}\n", re.MULTILINE)
"""A line that would tell nothing is left out."""
_HERE = Path(__file__).parents[2]
_FORMS: Mapping[str, Mapping[AnswerForm, str]] = {
    "operator": {"narrow": "operator/narrow.md", "computer_use": "policies/computer_use/prompt.md"},
    "evaluator": {"narrow": "evaluator/narrow.md"},
}
"""Forms of a role's answer that have a prompt of their own."""
_OWN = {"grounding": "policies/computer_use/grounding.md", "comparison": "evaluator/comparison.md"}
_FENCED = """
    screen changes steps facts notes message events supplements refused functions previous_plan saved_screens expected moves holds
    attempts windows plan evidence user_words findings results screens summary held files ran problem
"""
DATA = frozenset(_FENCED.split())
"""What comes from screens, mails and documents; it is always fenced."""
_NEEDED: Mapping[str, str] = {
    "manager": "goal apps plan answer_form",
    "operator": "subtask screen steps answer_form",
    "operator narrow": "subtask screen steps moves",
    "operator computer_use": "subtask",
    "evaluator": "trigger screens steps answer_form",
    "evaluator narrow": "subtask screens steps decisions",
    "technician": "subtask ran answer_form",
    "analyst": "subtask facts answer_form",
    "grounding": "described",
    "comparison": "attempts answer_form",
}
"""Without these the model could not decide."""


class PromptProblem(ValueError):
    """One sentence that names the file, what is wrong, and what there is instead."""


class Prompt(NamedTuple):
    """A prompt that was read and checked."""

    role: str
    system: str
    turn: str
    when: Mapping[str, str]
    """Sentences that are told only when they are of use, by their names: the part `# when`."""

    def filled(self, values: Mapping[str, str]) -> tuple[str, str]:
        """Both parts with the values put in, once: braces inside a value stay what they are."""
        data = {name: values.get(name, "") for name in DATA}
        fence = fence_for(data)

        def put(match: re.Match[str]) -> str:
            name = match[1]
            if name == "fence":
                return fence
            if name not in data:
                return values.get(name) or _NOT_THERE
            if not data[name]:
                return f"{name}: nothing" if name in _NEEDED[self.role].split() else _NOT_THERE
            return fenced(name, data[name], fence)

        system, turn = (_EMPTY_LINE.sub("", _VARIABLE.sub(put, part)).strip() for part in (self.system, self.turn))
        for words in filter(None, (values.get("user_says", ""), values.get("ledger", ""))):
            turn = turn if words in system + turn else f"{turn}\n{words}"  # a prompt of the user's own that does not name it
        return system.replace(_NOT_THERE, "(nothing)"), turn.replace(_NOT_THERE, "(nothing)")


def load_prompt(role: str, path: Path | None = None, *, form: AnswerForm = "full") -> Prompt:
    """The prompt of a role, or the user's own, which may name what the shipped ones do. Raises PromptProblem."""
    files = {"full": _OWN.get(role, f"{role}/prompt.md"), **_FORMS.get(role, {})}
    shipped = {one: _read(_HERE / file) for one, file in files.items()}
    form = form if form in shipped else "full"
    parts = shipped[form] if path is None else shipped[form] | _read(path)
    if path is not None:
        names = set().union(*map(_variables, shipped.values()))
        if unknown := sorted(_variables(parts) - names):
            near = get_close_matches(unknown[0], names, 1)
            meant = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(sorted(names))}"
            line = next(n for n, words in enumerate(read_small(path).splitlines(), 1) if unknown[0] in _VARIABLE.findall(words))
            raise PromptProblem(f"{path}, line {line}: there is no variable {unknown[0]!r} for the {role}{meant}")
        if missing := sorted(set(_NEEDED.get(f"{role} {form}", _NEEDED[role]).split()) - _variables(parts)):
            raise PromptProblem(f"{path}: the variable {missing[0]!r} is missing; without it the {role} cannot decide")
    _, *sentences = _SENTENCE.split(f"{shipped[form].get('when', '')}\n{parts.get('when', '')}")
    when = dict(zip(sentences[::2], (text.strip().replace("\n  ", " ") for text in sentences[1::2]), strict=True))
    return Prompt(role, parts["system"], parts["turn"], when)


def _variables(parts: Mapping[str, str]) -> set[str]:
    return {name for part in ("system", "turn") for name in _VARIABLE.findall(parts[part])} | {"fence"}


def _read(path: Path) -> dict[str, str]:
    """The parts of a prompt, by their names. Raises PromptProblem."""
    try:
        parts = _PART.split(read_small(path))
    except (OSError, ValueError) as bad:
        why = getattr(bad, "strerror", None) or "it is not UTF-8 text"
        raise PromptProblem(f"the prompt {path} cannot be read: {why}") from None
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    if lacking := [part for part in ("system", "turn") if not found.get(part, "").strip()]:
        raise PromptProblem(f"{path}: there is no part `# {lacking[0]}`; a prompt has two, `# system` and `# turn`")
    return found
