"""Roundabout wordings put into the plain ones that the grammar reads. Quotes and values are masked, so they stay as they are."""

from __future__ import annotations

import re

from roles.rules.masks import ANY

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
