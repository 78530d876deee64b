"""Cut a text into clauses: sentences, numbered steps, and connectors that an imperative verb follows."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from roles.screen.language.lexicon import ALL_VERBS, APP_NOISE, FIELD_WORDS, FILLERS, FORM_NOISE, NOUN_VERBS
from roles.screen.language.masks import ANY, Masks

_END = re.compile(rf"(?<=[.?!;])\s+(?=[A-Z{ANY[1:-1]}])|\n+")
_SHORT = re.compile(r"\b(?:ltd|inc|co|corp|mr|mrs|ms|dr|no|nr|st|e\.g|i\.e)\.$", re.IGNORECASE)
_NAME = r"(?-i:[A-Z][\w&’'-]*)(?:\s(?:&\s|of\s|and\s)?(?-i:[A-Z][\w&’'-]*))*"
NAME = rf"(?:{_NAME}|{ANY})"
"""Capitalised words, or something in quotation marks."""


class Sentences(NamedTuple):
    """Masked sentences in order, and what the masks hide."""

    parts: list[str]
    masks: Masks

    def plain(self, text: str) -> str:
        """`text` as it was written, quotation marks included."""
        return self.masks.verbatim(text)


def sentences(text: str) -> Sentences:
    """The sentences of `text`; a full stop of an abbreviation ends none."""
    masks = Masks()
    hidden = masks.hide_typed(masks.hide_quotes(text))
    parts: list[str] = []
    for piece in _END.split(hidden):
        if parts and _SHORT.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {piece}"
        elif piece.strip():
            parts.append(piece.strip())
    return Sentences(parts, masks)


_IT = r"it|this|that|them|these|the (?:total|amount|value|result|date|number)"
_KIND = r"(?:(?:the |this |that |my )?(?:invoice|bill|claim|order|expense) )?"
_BY_MAIL = r"(?:by|via|as an?|through|over|in an?) (?:e-?)?mail"
_COMES_TO = r"(?:comes to|adds up to|amounts to|is for|costs?|totals|is worth)"
_FORM = r"(?:a|the|my) (?:new )?(claim|expense report|expense|form)\b(?! (?:form|claim|report|app|page))"
_THING = rf"({_IT}|the [\w ]{{1,40}}?)"
_FIELD = r"([\w ]{1,24}?)"
_PLAIN: tuple[tuple[str, str], ...] = (
    # what the goal is worked on
    (r"(?<![^\s.])on (?:the|my) (?:phone|tablet|computer|laptop|desktop|pc)\s*,\s*", ""),
    # "what my note X says", "word for word"
    (rf"\bwhat (?:my|the) (note|mail|file) ({ANY}) says\b", r"the body of the \1 \2"),
    (r",? (?:word for word|literally|exactly as it is|unchanged)(?=\s*[.,]|\s*$)", ""),
    (r" (?:in|into) the (?:top|main|root) folder\b", ""),
    # "how much invoice X comes to"
    (rf"\b(?:how much|what) ({_KIND}{ANY}) {_COMES_TO}\b", r"the total of \1"),
    (rf"\bhow much (?:is|was) ({_KIND}{ANY})\b", r"what is the total of \1"),
    # "send it by mail to X", "send the total to X by e-mail"
    (rf"\b(?:send|forward) {_THING} {_BY_MAIL} to\b", r"email \1 to"),
    (rf"\bsend {_THING} to ({ANY}) {_BY_MAIL}\b", r"email \1 to \2"),
    # "mail it to X; the subject should be S"
    (
        rf"\s*[,;]\s*(?:and )?(?:the|its) (subject|title|text) (?:should|must|shall|has to|is to) (?:be|say|read) ({ANY})",
        r" with the \1 \2",
    ),
    # "claim its total with the invoice number on the form"
    (r"\b(claim [^,]+?),? with ([^,]+?) on (?:the|that) (?:form|claim)\b", r"\1, with \2"),
    # "leave me a note", "leave no note", "make me a file"
    (r"\b(?:leave|make|write|create) me (an?)\b", r"create \1"),
    (r"\bleave (?=an? (?:new )?note\b)", "create "),
    (r"\bleave no note\b", "do not create a note"),
    # "use it as the amount of a new claim"
    (rf"\buse ({_IT}) (?:as|for) the {_FIELD} (?:of|for|in|on) {_FORM}\b", r"enter \1 as the \2 in the \3 form"),
    # "with the category set to Software"
    (rf",? with the {_FIELD} set to\b", r" and set the \1 to"),
    # "set Amount to it and Vendor to X"
    (
        rf"\b(set (?-i:[A-Z])[\w ]{{1,24}}? to (?:{_IT}|{ANY}|the [\w ]{{1,24}}?)) and (?=(?-i:[A-Z])[\w ]{{1,24}}? to )",
        r"\1 and set ",
    ),
    (rf"\breimburse me for (?=(?:the )?(?:invoice |bill )?{ANY})", "submit a claim for "),
)
_RULES = tuple((re.compile(pattern, re.IGNORECASE), plain) for pattern, plain in _PLAIN)


def plainly(masked: str) -> str:
    """`masked` with every roundabout wording replaced; what no rule knows stays as it was said."""
    for pattern, plain in _RULES:
        masked = pattern.sub(plain, masked)
    return masked


_W = rf"(?:[\w&’'-]|{ANY})+"
_STEP = re.compile(r"(?:^|(?<=\s))(?:step\s+)?\d{1,2}\s?[.):]\s+(?=[A-Za-z\ue000-\uf8ff])", re.IGNORECASE)
_ASIDE = re.compile(r"\s*\((?:in |from |see )?(?:the )?([\w ]{2,24}?)(?: app| page)?\)")
_BULLET = re.compile(r"^\s*[-*•]\s+", re.MULTILINE)
_ABBREVIATIONS = (
    "ltd",
    "inc",
    "co",
    "corp",
    "mr",
    "mrs",
    "ms",
    "dr",
    "no",
    "nr",
    "st",
    "vs",
    "e.g",
    "i.e",
    "approx",
    "llc",
    "gmbh",
)
_SENTENCE = re.compile(r"\n+|;\s*|[.!?]+(?=\s|$)")
_LINK = r"(?:and|then|but|afterwards|after that|next|finally|also|lastly|or)"
_CONNECTOR = re.compile(
    rf"(?:\s*,\s*|\s*:\s+|\s+)(?:{_LINK}\b[\s,:]*)+|\s*,\s*|\s*:\s+|\s*(?:->|→|=>)\s*|\s+[-–—]\s+|\s+(?=without\s+\w+ing\b)", re.I
)
_FILLER = re.compile(rf"^(?:{FILLERS})\b[\s,:]*", re.IGNORECASE)
_CONDITION = re.compile(r"^(?:when|once|after|as soon as|if you have|having)\s+[^,]{1,60},\s*(?:then\s+)?", re.IGNORECASE)
_PLACE = re.compile(
    rf"^(?:in|on|from|using|with|within|at|inside|via|use|open|go to|switch to|over in)\s+(?:the\s+|my\s+|our\s+)?"
    rf"(?P<app>(?:{_W}\s+){{0,3}}?{_W}?)\s*(?P<noise>\b(?:{APP_NOISE}|{FORM_NOISE})\b)?\s*(?P<how>,|:|\s+to\s|\s)\s*"
    rf"(?:please\s+)?(?=(?:{ALL_VERBS})\b)",
    re.IGNORECASE,
)
_VERB = re.compile(rf"^(?P<verb>{ALL_VERBS})\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_OBJECT = re.compile(
    rf"^\s+(?:the|a|an|it|its|them|this|that|these|my|our|your|both|all|to|down|off|in|out|me|us|any|every|each|your|{ANY}|[A-Z0-9]|as|what|how|whether|who|when|"
    rf"(?:{'|'.join(sorted(FIELD_WORDS - {'to', 'number', 'title', 'text', 'body'}))})\b(?=\s*,|\s+(?:and|of|for|from"
    rf"|as|into)\b))",
)
_COMMON_OBJECT = re.compile(r"^\s+\w+\s+(?:of|for|as|to|into|from|in|titled|called|named)\b", re.IGNORECASE)


class Segment(NamedTuple):
    """One clause: its words with fillers off, the place that stood before them, and the words as written."""

    words: str
    place: str
    verbatim: str
    whole: bool = False
    """It is a sentence that is understood as one, not cut into clauses."""


def segment(
    text: str, is_app: Callable[[str], bool] = lambda words: False, is_whole: Callable[[str], bool] = lambda sentence: False
) -> tuple[list[Segment], Masks]:
    """The clauses of `text` in the order in which they are to be done. `is_app` knows the names of applications, and
    `is_whole` sentences that are not to be cut."""
    masks = Masks()
    hidden = masks.hide_quotes(text)
    hidden = _ASIDE.sub(lambda m: f" in {m.group(1)}" if is_app(m.group(1)) else m.group(), hidden)
    hidden = _BULLET.sub("\n", _STEP.sub("\n", hidden))
    hidden = plainly(masks.hide_typed(hidden))
    found: list[Segment] = []
    for sentence in _sentences(hidden):
        if is_whole(sentence):
            found.append(Segment(sentence, "", masks.verbatim(sentence.strip(" ,:")), True))
            continue
        for part in _parts(sentence):
            _add(found, part, masks)
    return found, masks


def cut(sentence: str, masks: Masks) -> list[Segment]:
    """The clauses of one sentence."""
    found: list[Segment] = []
    for part in _parts(sentence):
        _add(found, part, masks)
    return found


def _add(found: list[Segment], part: str, masks: Masks) -> None:
    words, place = strip(part)
    if not words:
        return
    item = Segment(words, masks.show(place), masks.verbatim(part.strip(" ,:")))
    earlier = re.match(r"\s*(?:but\s+)?before that\b", part, re.IGNORECASE)
    found.insert(len(found) - 1 if earlier and found else len(found), item)


def strip(part: str) -> tuple[str, str]:
    """`part` without fillers, conditions and the place before its verb; and that place."""
    words, place = part.strip(" ,:"), ""
    while True:
        shorter = _CONDITION.sub("", _strip_filler(words))
        match = _PLACE.match(shorter)
        if match and _place_counts(match):
            place, shorter = _place_words(match), shorter[match.end() :]
        if shorter == words:
            break
        words = shorter
    words = re.sub(
        r"\s+(?:please|for me|thanks|thank you|as well|too|right away|now|afterwards)$",
        "",
        words.rstrip(" .,!?"),
        flags=re.IGNORECASE,
    )
    return words.strip(), place


def _strip_filler(words: str) -> str:
    match = _FILLER.match(words)
    if not match:
        return words
    rest = words[match.end() :]
    return rest if rest else words if _VERB.match(words) else ""


def _place_counts(match: re.Match[str]) -> bool:
    """`use X app to find`, `in X, find`; a bare `open X find` is no place."""
    lead = match.group().split()[0].casefold()
    if not match["app"].strip() and not match["noise"]:
        return False
    if lead in {"use", "open", "go", "switch"}:
        return match["how"].strip() == "to" and not re.search(r"['’]s\b", match["app"])
    return bool(match["noise"]) or match["how"].strip() in {",", ":"} or len(match["app"].split()) <= 2


def _place_words(match: re.Match[str]) -> str:
    app, noise = match["app"].strip(), (match["noise"] or "").casefold()
    return f"{app} {noise}".strip() if noise in {"form", "sheet"} else app


def _sentences(text: str) -> list[str]:
    parts: list[str] = []
    at = 0
    for match in _SENTENCE.finditer(text):
        if match.group().startswith(".") and _is_abbreviation(text[at : match.start()], text[match.end() :]):
            continue
        parts.append(text[at : match.end()].rstrip("\n;. !"))
        at = match.end()
    return [part.strip() for part in [*parts, text[at:]] if part.strip()]


def _is_abbreviation(before: str, after: str) -> bool:
    word = re.search(r"[\w.]+$", before)
    if not word or word.group().casefold() not in _ABBREVIATIONS or not after.strip():
        return False
    return not starts_clause(after)


def _parts(sentence: str) -> list[str]:
    cuts = [m for m in _CONNECTOR.finditer(sentence) if _is_cut(m, sentence)]
    parts: list[str] = []
    at = 0
    for match in cuts:
        if match.start() < at:
            continue
        parts.append(sentence[at : match.start()])
        kept = re.search(r"before that|without.*", match.group())
        at = match.start() if kept else match.end()
    return [part for part in [*parts, sentence[at:]] if part.strip(" ,:.")]


def _is_cut(match: re.Match[str], sentence: str) -> bool:
    rest = sentence[match.end() :]
    before = sentence[: match.start()].strip()
    bare = strip(before)[0]
    if not before or (_PLACE.match(f"{bare}, {rest}") and not _VERB.match(bare)):
        return False
    if re.match(r"without\s+\w+ing\b", rest, re.IGNORECASE):
        return True
    return starts_clause(rest)


def starts_clause(text: str) -> bool:
    """Whether `text` opens with an imperative verb, fillers and places aside."""
    words, _ = strip(text)
    match = _VERB.match(words)
    if not match:
        return False
    verb, rest = match["verb"].casefold(), match["rest"]
    if verb == "message" and re.match(rf"\s*:?\s*{ANY}", rest):
        return False  # "with subject S and message M"
    if verb in NOUN_VERBS:
        return bool(_OBJECT.match(rest) or _COMMON_OBJECT.match(rest) or (rest == "" and verb in {"submit", "send", "save"}))
    return not rest or not rest.strip() or rest[0] in " ,:"
