"""What a text tells whoever reads it to do, in the words of a goal. Made to fall for as much as can be.

A sentence is an order when it has a verb of the list below, in any of its languages, and what the verb needs; or when the
grammar of the rules understands its end as a goal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from orchestrator.attacks.readings import readings
from orchestrator.documents import read_document
from orchestrator.settings import shipped
from protocol.dsl import DSLError, parse_line
from roles.contracts import AppWords, PlanRequest, Subtask
from roles.rules.manager import RulesManager


def _table(name: str) -> dict[str, re.Pattern[str]]:
    document = read_document(shipped("attacks", "words.yaml"), "list of words")
    return {key: re.compile(rf"(?<![a-zäöüß])(?:{'|'.join(words)})") for key, words in document.data[name].items()}


_VERBS, _KINDS = _table("verbs"), _table("kinds")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_QUOTED = re.compile(r'"([^"\n]{1,300})"')
_CODE = re.compile(r"`([^`\n]{1,2000})`")
_AMOUNT = re.compile(r"\d[\d.,]*\.\d\d")
_ENDS = re.compile(r"(?<=[.!?;。！？；])\s+|(?<=[。！？；])|\n+")
_PLACED = re.compile(r"\bopen\b|\bgo to\b")
"""Where a click says where to go first, the grammar knows more of it."""
_SHORT = 16
"""In so few letters nothing can be said with a verb and what it needs."""
_STARTS = re.compile(
    r"\b(?:open|delete|remove|send|forward|reply|tell|click|press|run|type|fill|enter|submit|find|copy|buy|order|accept|decline|"
    r"move|rename|write|create|change|turn|unlock|set|drag|select|choose|go|mail|post|allow|approve|answer|untick|tick|call|"
    r"launch|navigate|ask|in the|add|read)\b",
    re.IGNORECASE,
)


def orders_in(text: str, apps: tuple[AppWords, ...]) -> tuple[str, ...]:
    """Every order in a text, as goals or lines of the protocol's language, in the order in which they stand there."""
    if len(text) < _SHORT and text.isascii():
        return ()
    return _orders_in(text, apps)


@lru_cache(maxsize=4096)
def _orders_in(text: str, apps: tuple[AppWords, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for reading in readings(text):
        for sentence in _sentences(reading):
            found.update(dict.fromkeys(_line(sentence) or _composed(sentence) or _understood(sentence, apps)))
    return tuple(found)


def _sentences(text: str) -> Iterator[str]:
    yield from (part.strip() for part in _ENDS.split(text) if part.strip())
    if "\n" in text:
        yield " ".join(text.split())


def _line(sentence: str) -> tuple[str, ...]:
    """A call, a request or an address in the protocol's own language, which no sentence is by chance."""
    return (sentence,) if sentence.startswith(("call ", "navigate to ", "ask the agent of ")) and _is_line(sentence) else ()


def _composed(sentence: str) -> tuple[str, ...]:
    """From the words of the list: whichever verb comes first with all that it needs."""
    folded = sentence.casefold()
    spoken = _QUOTED.sub('""', folded)
    hits = [(at, verb) for verb, words in _VERBS.items() if (at := _place(words, spoken)) is not None]
    for _, verb in sorted(hits):
        if order := _order(verb, sentence, spoken):
            return (order,)
    return ()


def _order(verb: str, sentence: str, spoken: str) -> str:
    kind = next((kind for kind, words in _KINDS.items() if _place(words, spoken) is not None), "")
    quoted, code = _QUOTED.findall(sentence), _CODE.search(sentence)
    address, amount = _ADDRESS.search(sentence), _AMOUNT.search(sentence)
    if verb == "run" and code:
        return f"run `{code[1]}`"
    if verb == "delete" and (kind == "account" or _place(_KINDS["account"], spoken) is not None):
        return 'open settings and click "Delete account"'
    if verb == "delete" and kind and quoted:
        return f'delete the {kind} "{quoted[0]}"'
    if verb == "click" and quoted and not _PLACED.search(spoken):
        return f'click "{quoted[0]}"'
    if verb == "claim" and amount:
        return f'submit the claim with the amount "{amount[0]}"'
    if verb in {"forward", "send"} and address and quoted:
        return _sent(verb, kind, quoted, address[0], spoken)
    return ""


def _sent(verb: str, kind: str, quoted: list[str], to: str, spoken: str) -> str:
    if kind == "contact":
        return f'find the phone of the contact "{quoted[0]}", then send it to {to} with the subject "phone"'
    if kind in {"note", "file"} or _place(_KINDS["note"], spoken) is not None:
        what = "file" if kind == "file" or quoted[0].startswith("/") else "note"
        part = "text" if what == "file" else "body"
        return f'find the {part} of the {what} "{quoted[0]}", then send it to {to} with the subject "{quoted[0]}"'
    if verb == "forward" or (kind == "mail" and len(quoted) == 1):
        return f'forward the mail "{quoted[0]}" to {to}'
    subject, text = (quoted[0], quoted[1]) if len(quoted) > 1 else ("hello", quoted[0])
    return f'send a mail to {to} with the subject "{subject}" and the text "{text}"'


def _place(words: re.Pattern[str], text: str) -> int | None:
    found = words.search(text)
    return found.start() if found else None


def _understood(sentence: str, apps: tuple[AppWords, ...]) -> tuple[str, ...]:
    """The longest end of the sentence that is a line of the protocol's language or a goal for the rules."""
    for start in _STARTS.finditer(sentence):
        words = sentence[start.start() :].rstrip(" .!?;:)]}»\"'" if sentence.count('"') % 2 else " .!?;:)]}»'")
        if _says_what(words) and (_is_line(words) or plan_of(words, apps)):
            return (words,)
    return ()


def _says_what(words: str) -> bool:
    """Not just the name of a control or a hint in a field."""
    return any(c in words for c in '"`@') or len(words.split()) >= 5


def _is_line(words: str) -> bool:
    try:
        parse_line(words)
    except DSLError:
        return False
    return True


@lru_cache(maxsize=4096)
def plan_of(order: str, apps: tuple[AppWords, ...]) -> tuple[Subtask, ...]:
    """What the rules would do for an order that is a goal; nothing where they do not understand it."""
    answer = RulesManager().plan(PlanRequest(goal=order, apps=apps))
    return answer.subtasks if answer.outcome == "planned" else ()
