"""Goals that wait for something first: a mail that is to come, a picture that is to show somebody."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from roles.contracts import clauses as c
from roles.policies.rules.english.phrases import parse_entity
from roles.policies.rules.english.segments import NAME, Sentences

Parse = Callable[[str, Sequence[str]], list[c.Clause]]
_NUMBERS = {"half a": 0.5, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_PATIENCE = 600.0
"""Seconds that something is waited for when nobody says how long."""
_SLACK = 30.0
_ONCE = r"(?:when|once|as soon as|wait until|wait for)"
_THEN = r"\s*[,;:]?\s*(?:and\s+)?(?:then\s+)?"
_TIME = rf"(?:within|in the next|in)\s+(?:the next\s+)?(?P<n>{'|'.join(_NUMBERS)}|\S+)\s+(?P<unit>seconds?|minutes?)"
_ABOUT = rf"(?:\s+(?:about|with the subject|on|called)\s+(?P<subject>{NAME}|[^,;.]+?))?"
_HERE = r"(?:is|has|comes?|arrives?|arrived)(?:\s+(?:there|here|in|come|arrived|been sent))*"
_SHOWN = re.compile(
    rf"^{_ONCE}\s+(?:the\s+|my\s+)?(?P<place>[\w ]+?(?P<kind>camera|microphone))\s+(?:shows|sees|hears)\s+"
    r"(?P<what>[^,;]+?)(?:\s*[,;:]\s*(?:and\s+)?(?:then\s+)?|\s+(?:and\s+)?then\s+)(?P<then>.+)$",
    re.IGNORECASE,
)
_PROMISED = re.compile(
    rf"^(?:{_TIME},?\s+)?(?P<name>{NAME})\s+(?:sends|will send|is going to send|writes|will write)(?:\s+me)?"
    rf"\s+an?\s+(?:e-?)?mail{_ABOUT}(?:\s+{_TIME.replace('<n>', '<n2>').replace('<unit>', '<unit2>')})?\s*[;.,]\s*"
    rf"{_ONCE}\s+it\s+{_HERE}\s*,\s*(?P<then>.+)$",
    re.IGNORECASE,
)
_COMING = re.compile(
    rf"^{_ONCE}\s+(?:an?|the)\s+(?P<noun>(?:e-?)?mail)\s+from\s+(?P<name>{NAME}){_ABOUT}"
    rf"(?:\s+(?:{_HERE})\s*,\s*|\s*,\s*(?:and\s+)?(?:then\s+)?|\s+(?:and\s+)?then\s+)(?P<then>.+)$",
    re.IGNORECASE,
)
_IT = re.compile(r"\b(?:it|that mail|the mail|this mail)\b(?!\s+(?:is|has|was))", re.IGNORECASE)
_SMALL = frozenset(
    ["a", "an", "the", "with", "and", "or", "of", "in", "at", "on", "some", "any", "there", "is", "somebody", "someone"]
)


def awaiting(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """`When the hall camera shows a cat, turn on the hall light`; `When a mail from Ada comes, reply to it`."""
    for at in range(len(said.parts)):
        text = " ".join(said.parts[at:]).strip()
        for form, build in ((_SHOWN, _place), (_PROMISED, _mail), (_COMING, _mail)):
            if (match := form.match(text)) is None:
                continue
            waits, then = build(match, said)
            before = parse(said.plain(" ".join(said.parts[:at])), ()) if at else []
            return [*before, waits, *parse(said.plain(then), ())]
    return None


def _place(match: re.Match[str], said: Sentences) -> tuple[c.Await, str]:
    noun = "picture" if match["kind"].casefold() == "camera" else "recording"
    words = [word for word in re.findall(r"[\w’'-]+", said.masks.show(match["what"])) if word.casefold() not in _SMALL]
    return c.Await("", c.Entity(noun, name=said.masks.show(match["place"])), " ".join(words)), match["then"]


def _mail(match: re.Match[str], said: Sentences) -> tuple[c.Await, str]:
    """The mail, and what follows with the mail's own words for `it`."""
    groups = match.groupdict()
    about = f" about {groups['subject']}" if groups.get("subject") else ""
    words = f"the mail from {match['name']}{about}"
    number, unit = groups.get("n") or groups.get("n2"), groups.get("unit") or groups.get("unit2") or ""
    seconds = _seconds(said.masks.show(number), unit) + _SLACK if number else _PATIENCE
    entity = parse_entity(words, said.masks)
    return c.Await("", entity, "", seconds), _IT.sub(words, match["then"], count=1)


def _seconds(number: str, unit: str) -> float:
    folded = number.casefold()
    count = _NUMBERS.get(folded) or (float(folded) if folded.replace(".", "", 1).isdigit() else 1.0)
    return float(count) * (60 if unit.casefold().startswith("minute") else 1)
