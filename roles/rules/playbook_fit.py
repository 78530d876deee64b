"""Whether a page is for a goal: by its title, by what else it says, by its conditions and by the application it belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from roles.contracts import USER, AppWords, PlanRequest
from roles.knowledge.words import asked_stems, stems
from roles.playbook import SLOT, Playbook
from roles.rules import clauses as c
from roles.rules.lexicon import ID_NOUNS, NOUNS, words_of
from roles.rules.masks import Masks
from roles.rules.matching import app_for
from roles.rules.phrases import Misread, parse_entity
from roles.rules.playbook_values import Given, Words

_VAGUE = frozenset(
    stem
    for word in words_of(
        "thing stuff usual usually normal normally always way procedure process routine playbook checklist handle take care deal"
        " follow followed carry out perform run work complete finish according handbook guide help page manual steps step"
        " described written says say said as per same again standard properly required needed necessary today now time whole"
        " everything all every each new one job task kindly go through start begin proceed due usual customary ritual"
        " give apply put"
    )
    for stem in stems(word)
)
"""Words by which a goal refers to a procedure without saying anything of it."""
_AGAINST = re.compile(
    r"\b(?:not|never|no|without|except|unless|don[’']t|doesn[’']t|instead|rather than|but|only|skip|leave out)\b", re.IGNORECASE
)
"""What narrows or turns a goal round. A page that does not say the same word does not do the same."""
_ONLY_FOR = re.compile(
    r"^(?:applies (?:only )?to|(?:only|not) (?:for|if|when|in|with)|for|you need|you have|have)\s+(?:the\s+)?|\s+only$",
    re.IGNORECASE,
)
_APP_NEEDED = re.compile(
    r"(?:you are in )?(?:the )?(?P<app>[\w -]+?) (?:app|application)(?: is (?:open|there|installed))?", re.IGNORECASE
)
_LEAST = 0.25
_YES = re.compile(r"^\W*(?:yes|y|yep|sure|it does|it is|it holds|true|ok(?:ay)?|right|correct|ja|oui|sí|是|对)\b", re.IGNORECASE)
_NO = re.compile(r"^\W*(?:no|n|nope|it does not|it is not|false|nein|non|否|不)\b", re.IGNORECASE)


class Likeness(NamedTuple):
    """How well a page's words fit a goal's, or why they do not."""

    score: float
    why: str = ""


def likeness(text: str, words: Words, book: Playbook, apps: Sequence[AppWords]) -> Likeness:
    """Every word of the goal that means something has to be spoken of on the page, and one of them in its title."""
    if book.told:
        return Likeness(2.0 if book.title.strip() == text.strip() else 0.0, "the user's answer was about something else")
    page = _page_words(book, apps)
    if (against := _AGAINST.search(words.rest)) and against.group().casefold() not in f"{book.title} {book.page}".casefold():
        return Likeness(0.0, f'the page does not say what "{against.group()}" means for it')
    asked = [word for word in asked_stems(words.rest) if word not in _VAGUE]
    asked += [NOUNS[word] for one in words.given for word in one.called if word in NOUNS]
    title = dict.fromkeys([*asked_stems(_without_slots(book.title)), *asked_stems(book.page)])
    own = list(dict.fromkeys(asked_stems(_without_slots(book.title))))
    named = [word for word in dict.fromkeys(asked) if _among(word, title)]
    if not named:
        return Likeness(0.0, "its title speaks of something else")
    lost = [word for word in asked if not _among(word, {**title, **page})]
    if lost:
        said = next((w for w in words.rest.split() if lost[0] in stems(w)), lost[0])
        return Likeness(0.0, f'it says nothing of "{said.strip(".,;:!?")}"')
    implied = {stem for one in words.given for noun in _nouns_of(one) for stem in stems(noun)}
    covered = sum(1 for word in own if word in _VAGUE or _among(word, dict.fromkeys(asked)) or word in implied) / max(1, len(own))
    if covered < _LEAST:
        return Likeness(0.0, "its title speaks of something else")
    in_title = len(named) / max(1, len(set(asked)))
    return Likeness(0.5 * covered + 0.4 * in_title + (0.1 if _names_app(words.rest, book, apps) else 0.0))


def _page_words(book: Playbook, apps: Sequence[AppWords]) -> dict[str, None]:
    home = app_for(book.app, apps) if book.app else None
    names = [home.app, home.title, *home.words] if home is not None else []
    texts = [book.about, *book.conditions, *(step.text for step in book.steps), *names]
    return dict.fromkeys(stem for text in texts for stem in stems(text.replace("{", " ").replace("}", " ")))


def _without_slots(title: str) -> str:
    return SLOT.sub(" ", title)


def _among(word: str, known: dict[str, None]) -> bool:
    """The same stem; longer words may have grown together or apart (`month-end`, `onboarding`)."""
    if word in known:
        return True
    return len(word) > 4 and any(len(other) > 4 and (other.startswith(word) or word.startswith(other)) for other in known)


def _nouns_of(one: Given) -> list[str]:
    """What a value is: `INV-7` is an invoice and `a.txt` a file, whether or not the goal says so."""
    shaped = ID_NOUNS.get(re.split(r"[-\d]", one.raw)[0].upper()) if one.kind == "id" else None
    said = [shaped, "file" if one.kind == "file" else None, *(NOUNS.get(word) for word in one.called)]
    return [noun for noun in said if noun]


def _names_app(rest: str, book: Playbook, apps: Sequence[AppWords]) -> bool:
    home = app_for(book.app, apps) if book.app else None
    return home is not None and any(name.casefold() in rest.casefold().split() for name in (home.app, home.title))


class Conditions(NamedTuple):
    """What a page's own conditions come to."""

    why: str = ""
    """Why the page is not for this goal."""
    ask: str = ""
    """What the user has to be asked."""
    filters: tuple[tuple[str, str], ...] = ()
    """(noun, attribute) that the record has to have: it is looked for with it."""
    steps: tuple[str, ...] = ()
    """Things to do first."""


def conditions_of(
    book: Playbook, said: Sequence[str], text: str, words: Words, request: PlanRequest, understood: Sequence[Sequence[c.Clause]]
) -> Conditions:
    """The conditions one by one. `said` are their words with slots filled, `understood` what the grammar makes of each."""
    filters: list[tuple[str, str]] = []
    first: list[str] = []
    for condition, clauses in zip(said, understood, strict=True):
        bare = condition.strip(" .")
        narrowing = re.match(r"(?P<how>only|not|applies(?: only)? to|for)\b", bare, re.IGNORECASE)
        if narrowing is None and clauses and not any(isinstance(x, c.Unknown | c.Obey) for x in clauses):
            first.append(bare)
            continue
        refuses = narrowing is not None and narrowing["how"].casefold() == "not"
        found = _narrowed(bare, text, words, request, refuses=refuses)
        if isinstance(found, list):
            filters += found
            continue
        if found:
            return Conditions(why=found)
        question = f'Does this hold for "{text}": "{bare}"? ("{book.title}" of {book.source} wants to know)'
        answer = next((s.text for s in request.supplements if s.source == USER and s.title == question), None)
        if answer is None:
            return Conditions(ask=question, why=f'it cannot be told whether "{bare}" holds')
        if not _YES.match(answer):
            said_no = "the user said that it does not hold" if _NO.match(answer) else f'the user answered "{answer[:60]}"'
            return Conditions(why=f'"{bare}": {said_no}')
    return Conditions(filters=tuple(filters), steps=tuple(first))


def _narrowed(bare: str, text: str, words: Words, request: PlanRequest, *, refuses: bool) -> list[tuple[str, str]] | str:
    """What a condition such as `only for unpaid invoices` wants: attributes to look for, or why it does not hold.

    An empty text where that cannot be told.
    """
    what = _ONLY_FOR.sub("", bare)
    if app := _APP_NEEDED.fullmatch(what):
        there = app_for(app["app"], request.apps) is not None
        if there != refuses:
            return []
        return f"there is no application {app['app']} here" if not there else f'it is "{bare}"'
    masks = Masks()
    try:
        entity = parse_entity(masks.hide_typed(masks.hide_quotes(what)), masks)
    except Misread:
        return ""
    nouns = {noun for one in words.given for noun in _nouns_of(one)}
    nouns |= {NOUNS[word] for word in text.casefold().split() if word in NOUNS}
    if refuses:
        plain = not (entity.filters or entity.name or entity.id or entity.subject)
        if plain and entity.noun and entity.noun in nouns:
            return f'it is "{bare}"'
        return [] if entity.noun and nouns and entity.noun not in nouns else ""
    if entity.noun and nouns and entity.noun not in nouns:
        return f'it is "{bare}", and the goal is about {" and ".join(sorted(nouns))}'
    for value in (entity.name, entity.id):
        if value and value.casefold() not in text.casefold():
            return "" if not entity.noun or value[:1].islower() else f'it is "{bare}", and the goal does not name {value}'
    if entity.noun and not (entity.subject or entity.dated or entity.pick):
        return [(entity.noun, attribute) for attribute in entity.filters]
    rest = [word for word in asked_stems(what)]
    return [] if rest and all(word in set(stems(text)) for word in rest) else ""
