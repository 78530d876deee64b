"""Words for what stands on pages: kinds of things, ordinals, superlatives, names that mean the same. Data and small readers."""

from __future__ import annotations

import re

KINDS: dict[str, str] = {
    r"(?:radio|option)\s?buttons?|check\s?-?boxe?s?|tick\s?-?boxe?s?|radios?|switch(?:es)?|toggles?": "box",
    r"(?:text|search|input|entry)?\s?-?(?:fields?)|text\s?-?box(?:es)?|(?:search|input|text)\s?-?(?:box(?:es)?|bars?)"
    r"|inputs?|entry boxes?": "field",
    r"text\s?-?areas?|paragraphs?|passages?|sentences?|text|article": "area",
    r"buttons?|btn": "button",
    r"(?:hyper)?links?": "link",
    r"tabs?": "tab",
    r"sliders?|range controls?": "slider",
    r"spinners?|steppers?|number (?:fields?|box(?:es)?)": "field",
    r"(?:drop\s?-?downs?|select|pull\s?-?down|scroll|scrolling)?\s?-?(?:lists?|menus?)|drop\s?-?downs?(?:\s+(?:list|menu|box))?"
    r"|combo\s?box(?:es)?|select(?:ion)? box": "list",
    r"(?:dialogs?|dialogues?|modals?|pop\s?-?ups?|message)\s?(?:box(?:es)?|windows?)?": "dialog",
    r"sections?|panels?|accordions?|folders?|collapsibles?|headers?": "section",
    r"icons?|images?|pictures?|symbols?": "icon",
    r"items?|entr(?:y|ies)|options?|rows?|elements?|controls?|things?|boxe?s?|choices?|menu ?items?": "item",
}  # fmt: skip
KIND = re.compile(
    r"(?<!\S)(?=\S)(?:" + "|".join(f"(?P<k{n}>{pattern})" for n, pattern in enumerate(KINDS)) + r")(?!\w)", re.IGNORECASE
)
_NAMES = tuple(KINDS.values())
ARTICLE = re.compile(r"^(?:the|a|an|this|that|these|those|its|your|my|any|some|of)\s+", re.IGNORECASE)
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "last": -1, "final": -1, "bottom": -1, "top": 1,
}  # fmt: skip
ORDINAL = re.compile(
    rf"\b(?:(?P<n>\d+)(?:st|nd|rd|th)|(?P<w>{'|'.join(_ORDINALS)}))\b(?P<end>[\s-]+(?:to|from)[\s-]+(?:the[\s-]+)?last)?", re.I
)
EVERY = re.compile(r"^(?:both|all|every|each)\b(?:\s+(?:of\s+)?(?:the|these|those))?\s*", re.IGNORECASE)
NUMBERS = {
    "no": 0, "zero": 0, "one": 1, "a": 1, "an": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
COUNT = rf"\d+|{'|'.join(sorted(NUMBERS, key=len, reverse=True))}"
NOTHING = re.compile(r"^(?:nothing|none|no\s+\w+|none of (?:them|these|the \w+))$", re.IGNORECASE)
ALL = re.compile(r"^(?:everything|all(?:\s+of\s+(?:them|these|it))?|all\s+(?:the\s+)?(?:items|options|boxes|checkboxes))$", re.I)

EXTREMES: dict[str, tuple[bool, str]] = {
    "cheapest": (False, "price"), "least expensive": (False, "price"), "most expensive": (True, "price"),
    "priciest": (True, "price"), "longest": (True, "duration"), "shortest": (False, "duration"), "quickest": (False, "duration"),
    "fastest": (False, "duration"), "slowest": (True, "duration"), "earliest": (False, "time"), "soonest": (False, "time"),
    "latest": (True, "time"), "newest": (True, "date"), "oldest": (False, "date"), "most recent": (True, "date"),
    "lowest": (False, ""), "smallest": (False, ""), "least": (False, ""), "minimum": (False, ""), "highest": (True, ""),
    "largest": (True, ""), "biggest": (True, ""), "greatest": (True, ""), "most": (True, ""), "maximum": (True, ""),
}  # fmt: skip
"""Superlative: whether the most is meant, and of what where no attribute is named."""
EXTREME = re.compile(rf"\b(?P<x>{'|'.join(sorted(EXTREMES, key=len, reverse=True))})\b", re.IGNORECASE)

SAME: tuple[frozenset[str], ...] = (
    frozenset({"x", "×", "✕", "✖", "close", "dismiss", "schließen", "fermer", "cerrar"}),
    frozenset({"ok", "okay"}),
    frozenset({"log in", "login", "sign in", "log on", "anmelden", "einloggen", "se connecter", "iniciar sesión"}),
    frozenset({"submit", "done", "finish", "send", "absenden", "senden", "abschicken", "envoyer", "enviar"}),
    frozenset({"next", ">", "›", "»", "→", "next page", "forward", "weiter", "suivant", "siguiente"}),
    frozenset({"previous", "prev", "<", "‹", "«", "←", "back", "zurück", "retour", "atrás", "volver"}),
    frozenset({"+", "add", "plus", "increase", "more", "add one", "add to cart"}),
    frozenset({"-", "−", "minus", "decrease", "less", "remove one"}),
    frozenset({"trash", "delete", "remove", "bin", "move to trash", "löschen", "entfernen", "supprimer", "eliminar", "borrar"}),
    frozenset({"save", "speichern", "enregistrer", "guardar"}),
    frozenset({"cancel", "abbrechen", "annuler", "cancelar"}),
    frozenset({"edit", "bearbeiten", "modifier", "editar"}),
    frozenset({"accept", "accept all", "akzeptieren", "alle akzeptieren", "accepter", "tout accepter", "aceptar"}),
    frozenset({"reject", "reject all", "decline", "ablehnen", "alle ablehnen", "refuser", "tout refuser", "rechazar"}),
    frozenset({"download", "herunterladen", "télécharger", "descargar"}),
    frozenset({"log out", "logout", "sign out", "abmelden", "se déconnecter", "cerrar sesión"}),
    frozenset({"star", "important", "favorite", "favourite"}),
    frozenset({"search", "find", "go", "🔍", "suchen", "rechercher", "buscar"}),
)
"""Names of controls that do the same."""


def kind_of(match: re.Match[str]) -> str:
    """The kind that KIND matched."""
    return next(_NAMES[n] for n in range(len(_NAMES)) if match[f"k{n}"])


def ordinal_of(match: re.Match[str]) -> int:
    """1 for `first` and `1st`, -1 for `last`, -2 for `second to last`."""
    number = int(match["n"]) if match["n"] else _ORDINALS[match["w"].casefold()]
    return -number if match["end"] else number


def count_of(words: str) -> int:
    folded = words.casefold()
    return int(folded) if folded.isdigit() else NUMBERS[folded]


def plain(text: str) -> str:
    """Folded, with single blanks, without punctuation at either end; a lone sign stays."""
    folded = " ".join(text.split()).casefold()
    return re.sub(r"^[^\w#$€£+<>-]+|[^\w%+<>]+$", "", folded) or folded
