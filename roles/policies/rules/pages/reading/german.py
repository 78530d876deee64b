"""German orders about a page, as the English ones that the other readers know: `klicke auf Senden`, `gib Eva als Vorname ein`."""

from __future__ import annotations

import re

from roles.screen.language.masks import ANY

_ART = r"(?:(?:die|der|das|den|dem|des|ein|eine|einen|einem|mein|meine|meinen)\s+)?"
_VALUE = rf"(?P<v>{ANY}|.+?)"
_NAME = rf"{_ART}(?P<f>{ANY}|.+?)"
_FIELD = r"(?:(?:Feld|Eingabefeld|Textfeld)\s+)?"
_STEMS = (
    "klick drück tipp gib geb trag schreib wähl schalt setz stell hak kreuz aktivier deaktivier öffn schließ lösch entfern such "
    "meld speicher send schick bestätig lehn akzeptier füg füll bearbeit änder geh lad bestell buch kauf merk kopier nimm leg"
)
_SAYS = re.compile(rf"\b(?:{_STEMS.replace(' ', '|')})(?:e|en|n)?\b", re.IGNORECASE)
_ENGLISH = re.compile(
    r"\b(?:the|and|then|click|press|enter|choose|select|set|turn|open|with|for|to|into|from|type|fill)\b", re.IGNORECASE
)
_CUT = re.compile(
    rf"(?:\s*[,;]\s*(?:und\s+)?(?:dann\s+|danach\s+)?|\s+und\s+(?:dann\s+|danach\s+)?|\.\s+(?:dann\s+)?)(?={_SAYS.pattern})",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:(?:bitte|nun|jetzt|dann|danach|zuerst|anschließend|zum schluss)\b[\s,]*)+", re.IGNORECASE)
_END = re.compile(r"\s+(?:ein|aus|an|ab|um|hinzu)$", re.IGNORECASE)
_EACH = re.compile(r"\s*,\s*(?:und\s+)?|\s+und\s+", re.IGNORECASE)
_AS_FIRST = re.compile(
    rf"^(?:als|bei|für|unter|ins?)\s+{_ART}{_FIELD}(?P<f>{ANY}|[^\s,]+(?:\s+[a-zäöü][^\s,]*)*)\s+(?P<v>{ANY}|.+)$", re.IGNORECASE
)
_AS_LAST = re.compile(rf"^{_ART}{_VALUE}\s+(?:als|bei|in(?:s)?|unter)\s+{_ART}{_FIELD}(?P<f>{ANY}|.+)$", re.IGNORECASE)
_OF = re.compile(rf"^(?:den|die|das)\s+(?P<a>\S+)\s+(?:vom|von|der|des|für)\s+{_ART}(?P<row>.+)$", re.IGNORECASE)
_FORMS: tuple[tuple[str, str], ...] = (
    (rf"(?:klick|drück|tipp)(?:e|en)?\s+(?:auf\s+|in\s+)?{_ART}(?:(?:Knopf|Schaltfläche|Button|Link)\s+)?{_NAME}", "click {f}"),
    (rf"(?:schalt(?:e|en)?|mach(?:e|en)?)\s+{_NAME}\s+(?:ein|an)", "turn on {f}"),
    (rf"(?:schalt(?:e|en)?|mach(?:e|en)?)\s+{_NAME}\s+(?:aus|ab)", "turn off {f}"),
    (rf"(?:hak|kreuz)(?:e|en)?\s+{_NAME}\s+an|aktivier(?:e|en)?\s+(?:{_ART})(?P<g>.+)", "turn on {f}"),
    (rf"deaktivier(?:e|en)?\s+{_NAME}", "turn off {f}"),
    (rf"öffn(?:e|en)?\s+{_NAME}", "open {f}"),
    (rf"(?:lösch|entfern)(?:e|en)?\s+{_NAME}", "delete {f}"),
    (rf"such(?:e|en)?\s+nach\s+{_NAME}", "search for {f}"),
    (rf"lehn(?:e|en)?\s+{_NAME}\s+ab", "reject {f}"),
    (rf"(?:akzeptier(?:e|en)?|stimm(?:e|en)?)\s+{_NAME}(?:\s+zu)?", "accept {f}"),
    (rf"bestätig(?:e|en)?\s+{_NAME}", "confirm {f}"),
    (rf"bearbeit(?:e|en)?\s+{_NAME}", "edit {f}"),
    (rf"lad(?:e|en)?\s+{_NAME}\s+herunter", "download {f}"),
    (rf"(?:änder|setz|stell)(?:e|en|n)?\s+{_NAME}\s+(?:auf|in)\s+{_VALUE}(?:\s+um)?", "set {f} to {v}"),
    (rf"füg(?:e|en)?\s+{_NAME}\s+(?:zu[rm]\s+\S+\s+)?hinzu", "add {f}"),
    (r"speicher(?:e|n)?(?:\s+(?:es|das formular|die änderungen|alles))?(?:\s+ab)?", "save"),
    (r"(?:send|schick)(?:e|en)?\s+(?:es|das formular|die nachricht|alles)?\s*ab", "submit"),
    (r"(?:bestätig|bestell)(?:e|en)?", "confirm"),
    (rf"meld(?:e|en)?\s+dich\s+(?:als\s+|mit\s+)(?:dem\s+Benutzer(?:namen)?\s+)?(?P<f>{ANY}|\S+)\s+(?:mit|und)\s+(?:dem\s+)?"
     rf"Passwort\s+(?P<v>{ANY}|\S+)\s+an",
     "log in as {f} with the password {v}"),
)  # fmt: skip
_READ = tuple((re.compile(rf"^{pattern}$", re.IGNORECASE), english) for pattern, english in _FORMS)
_ENTERS = re.compile(r"^(?:gib|geben|trag(?:e|en)?|schreib(?:e|en)?|tipp(?:e|en)?)\s+(?P<rest>.+)$", re.IGNORECASE)
_CHOOSES = re.compile(r"^wähl(?:e|en)?\s+(?P<rest>.+)$", re.IGNORECASE)


_MOST = {
    "teuer": "most expensive", "billig": "cheapest", "günstig": "cheapest", "neu": "newest", "ält": "oldest", "höch": "highest",
    "niedrig": "lowest", "größ": "largest", "klein": "smallest", "läng": "longest", "kürz": "shortest", "schnell": "fastest",
    "früh": "earliest", "spät": "latest",
}  # fmt: skip
_SUPERLATIVE = re.compile(rf"\b({'|'.join(_MOST)})e?s?te[nrsm]?\b", re.IGNORECASE)


def in_english(hidden: str) -> list[tuple[str, tuple[str, ...]]] | None:
    """Each order as it was said, and in English; None where the goal is not all German orders that are known."""
    if _SAYS.match(_LEAD.sub("", hidden)) is None or len(_ENGLISH.findall(hidden)) > 1:
        return None
    found = []
    for part in re.split(_CUT, hidden):
        said = _LEAD.sub("", part.strip(" .!,"))
        orders = _order(_SUPERLATIVE.sub(lambda word: _MOST[word[1].casefold()], said))
        if not orders:
            return None
        found.append((part.strip(" .!,"), orders))
    return found


def _order(words: str) -> tuple[str, ...]:
    if match := _ENTERS.match(words):
        return _each(_END.sub("", match["rest"]), "enter {v} into the {f} field")
    if match := _CHOOSES.match(words):
        rest = _END.sub("", match["rest"])
        return _each(rest, "choose {v} as the {f}") or (f"select {re.sub(rf'^{_ART}', '', rest, flags=re.IGNORECASE)}",)
    for pattern, english in _READ:
        if match := pattern.match(words):
            known = {name: value for name, value in match.groupdict().items() if value is not None}
            return (english.format(**{"f": known.get("g", ""), **known}),)
    return ()


def _each(rest: str, english: str) -> tuple[str, ...]:
    """`als Vorname Eva, als Nachname Huber`; `Eva als Vorname`; `den Preis vom Stuhl in das Feld Antwort`."""
    found = []
    for part in _EACH.split(rest):
        match = _AS_FIRST.match(part) or _AS_LAST.match(part)
        if match is None:
            return ()
        value, head = match["v"].strip(), part[: match.start("v")]
        if re.search(r"\b(?:den|die|das)\s+$", head, re.IGNORECASE) and (of := _OF.match(f"den {value}")):
            value = f"the {of['a']} of {of['row']}"
        found.append(english.format(v=value, f=match["f"].strip()))
    return tuple(found)
