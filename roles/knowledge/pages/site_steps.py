"""The steps of a help page of a site, as products write them, in the plain sentences that are read about a page.

`In the left sidebar, click Settings` is to click it; `Enter the member's e-mail address` leaves a slot for it; `The page reloads`
asks for nothing. What fits no form stays as it is, and is refused where it is not read.
"""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_TOLD = re.compile(
    r"(?:the|a|an|your|it|this|that|you (?:will|are|see|can)|now the|then the|wait|verify|notice|scroll)\b"
    r"(?!.*\b(?:must|only|should|need|never|not|unless|except|if)\b)",
    re.IGNORECASE,
)
"""Sentences that say what happens or what to look at, and ask for nothing."""
_PLACED = re.compile(
    r"(?:in|on|from|at|under)\s+(?:the\s+|your\s+)?(?P<place>\"[^\"]+\"(?:\s+\w+)?|[^,\"]{1,60}),\s*(?P<rest>.+)$", re.IGNORECASE
)
_WRITES = r"(?:enter|type(?: in)?|fill in|write|put|input|provide|specify)"
_PICKS = r"(?:select|choose|pick)"
_FIELD = re.compile(r"\b(?:field|box|list|dropdown|drop-down|input|area)$", re.IGNORECASE)
_TRAIL = re.compile(r"\s*(?:>|→|›|»|->)\s*")
_GO = re.compile(r"(?:go|navigate|browse|head|switch|click|open)\s+(?:back\s+)?(?:on\s+)?(?:to\s+)?(?P<to>.+)$", re.IGNORECASE)
_PURPOSE = re.compile(
    r"(?P<do>(?:click|press|tap|select|choose|open)\s+\"[^\"]+\"(?:\s+\w+)?)\s+(?:in order )?to\s+.+$", re.IGNORECASE
)
_DESCRIBED = re.compile(
    r"(?:the|your|a|an|their|its)\s+(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?)"
    r"(?:\s+(?:of|for)\s+(?:the|your|a|an)\s+(?P<whom>[a-z][\w-]*))?"
)


def site_step(text: str) -> str:
    """The step as sentences about a page, with `{slots}` where it leaves a value open; nothing where it asks for nothing."""
    said = [one for sentence in _SENTENCE.split(text) for one in _sentence(sentence.strip(" .!"))]
    return ". ".join(one for one in said if one)


def _sentence(words: str) -> list[str]:
    if not words or _TOLD.match(words):
        return []
    if placed := _PLACED.match(words):
        place, rest = placed["place"], placed["rest"]
        kind = _FIELD.search(place.strip('"')) or _FIELD.search(place)
        if write := re.match(rf"{_WRITES}\s+(?P<what>.+)$", rest, re.IGNORECASE):
            return [f"enter {_value(write['what'])} into the {place}{'' if kind else ' field'}"]
        if (pick := re.match(rf"(?P<do>{_PICKS})\s+(?P<what>.+)$", rest, re.IGNORECASE)) and kind:
            return [f"{pick['do']} {_value(pick['what'])} from the {place}"]
        return _sentence(rest)
    if len(parts := _TRAIL.split(words)) > 1 and (go := _GO.match(parts[0])):
        return [f"click {_quoted(part)}" for part in (go["to"], *parts[1:])]
    if purpose := _PURPOSE.match(words):
        return [purpose["do"]]
    write = re.match(rf"(?P<do>{_WRITES}|{_PICKS})\s+(?P<what>.+?)(?P<where>\s+(?:into|in|from|as)\s+.+)?$", words, re.IGNORECASE)
    if write is None or _value(write["what"]) == write["what"]:
        return [words]
    named = _DESCRIBED.fullmatch(write["what"])
    where = write["where"] or f' into the "{named["what"] if named else ""}" field'
    return [f"{write['do']} {_value(write['what'])}{where}"]


def _value(words: str) -> str:
    """What is given as it is; what is only described as a slot of that name."""
    found = _DESCRIBED.fullmatch(words.strip(" ."))
    return words if found is None else f'"{{{" ".join(filter(None, (found["whom"], found["what"])))}}}"'


def _quoted(words: str) -> str:
    bare = re.sub(r"^(?:the|your)\s+|\s+(?:page|screen|view|area|site)$", "", words.strip(" .,\""), flags=re.IGNORECASE)
    return f'"{bare}"'
