"""The steps of a help page of a site, in the plain sentences that the grammar of pages reads.

`In the left sidebar, click Settings` is to click it; `Enter the member's e-mail address` leaves a slot for it; `The page reloads`
asks for nothing. What is not understood stays as it is and is said to be so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.forms import understand
from roles.screen.language import clauses as c
from roles.screen.language.clauses import PageClause
from roles.screen.language.lexicon import ARTICLE, KIND
from roles.screen.language.masks import ANY, Masks, quote
from roles.screen.page import Thing

SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[^\W\d_a-z]|[\ue000-\uf8ff])|\s*;\s+")
PRESSES = r"click(?: on)?|press|tap(?: on)?|hit|select|choose|pick|open"
WRITES = r"enter|type(?: in)?|fill in|fill out|write|input|provide|specify|give|insert|key in|put in"
PICKS = r"select|choose|pick"
OWN = r"(?:the|your|a|an|their|its|his|her|my|our|this)"
ON = r"(?:in|on|at|under|within|inside|from|below|next to|beside|using)"
LAYOUT = re.compile(
    r"\b(?:page|screen|window|side ?bar|tool ?bar|menu bar|navigation|nav|header|footer|corner|panel|pane|left|right|top|bottom"
    r"|toolbar|main menu|menu|home ?page|view|dashboard|site|browser|form|dialog|app|website|account)\b", re.IGNORECASE,
)  # fmt: skip
SEEN = re.compile(
    rf"^(?:wait\b|verify\b|review\b|observe\b|notice\b|(?:check|confirm|see) (?:that|whether|if)\b"
    rf"|(?:ensure|make sure)\b.*\b(?:appears?|opens?|(?:is|are) (?:shown|displayed|listed|open)|(?:signed|logged) in)\b"
    rf"|scroll\b|(?:log|sign) in (?:to|at|as|with)\b|(?:leave|keep|ignore)\b|(?:do not|don[’']t|never|avoid)\b"
    rf"|(?:you|it|this|that|there|these|those|{OWN}) (?!.*\b(?:must|only|should|need|never|not|unless|except|first)\b)"
    rf"|(?:now|then|next|afterwards|finally|once|when) (?:the|your|you|it)\b(?!.*,)"
    rf"|that[’']s it|done\b|congratulations|(?:that|this) is all)",
    re.IGNORECASE,
)
"""Sentences that ask for no action on the page: what to look at, to leave alone, or what happens."""
DOUBTFUL = re.compile(r"\b(?:must|only|should|need|never|not|unless|except)\b", re.IGNORECASE)
FORBIDS = re.compile(r"(?:do not|don[’']t|never|avoid|leave|keep|ignore)\b", re.IGNORECASE)
NARROWS = re.compile(r"\b(?:unless|until|without|before|if|except|but|only|when)\b", re.IGNORECASE)
PLACED = re.compile(rf"^{ON}\s+(?P<place>[^,]{{1,80}}),\s*(?P<rest>.+)$", re.IGNORECASE)
PURPOSE = re.compile(
    rf"^(?P<do>(?:{PRESSES})\b.+?)\s+(?:in order to|so that|to)\s+[a-z]+\s+(?:{OWN}|it|them|changes?|all|any|and)\b.*$",
    re.IGNORECASE,
)
BY = re.compile(r"^.*\bby\s+(?:click|press|tap|select|choos|hitt)ing\s+(?:on\s+)?(?P<what>.+)$", re.IGNORECASE)
GO = re.compile(r"^(?:go|navigate|browse|head|switch|move|return|get)\s+(?:back\s+)?(?:over\s+)?to\s+(?P<to>.+)$", re.IGNORECASE)
TRAIL = re.compile(r"\s*(?:>|→|›|»|➔|⟶|-&gt;|->|\|)\s*")
PAGE_NOUN = re.compile(r"\s+(?:page|screen|view|area|site)$", re.IGNORECASE)
WHERE = re.compile(
    r"\s+(?:in|at|on|from|near|of)\s+(?:the\s+)?(?:(?:top|bottom|left|right|upper|lower|main|side)\b[\w\s-]*|(?:[\w-]+\s+)?"
    r"(?:side ?bar|tool ?bar|menu bar|navigation(?: bar| menu)?|header|footer|page|screen|window))$", re.IGNORECASE,
)  # fmt: skip
KEY = re.compile(r"^(?:press|hit|push)\s+(?:the\s+)?(?P<key>enter|return|esc|escape|tab|space)(?:\s+(?:key|button))?$", re.I)
WRITE = re.compile(
    rf"^(?:{WRITES})\s+(?P<what>.+?)(?:\s+(?:(?:into|in|as|on)\s+(?P<field>[^,]+)|for\s+(?P<of>[^,]+?\s(?:field|box|area|input))))?$",
    re.IGNORECASE,
)
GIVEN_FOR = re.compile(rf"^(?:{WRITES})\s+(?P<what>{ANY}|[^\s,]+)\s+for\s+(?P<field>[^,]+)$", re.IGNORECASE)
FIELDS = re.compile(
    rf"^(?:{WRITES}|complete)\s+(?:in\s+)?(?:{OWN}\s+)?(?:[\w-]+\s+){{0,2}}"
    r"(?:fields?|form|details|information|data|values)\b[^:]*:,?\s*(?P<list>.+)$", re.IGNORECASE,
)
NEXT_TO = re.compile(
    rf"^(?P<verb>{PRESSES})\s+(?:the\s+)?(?P<what>[^,]{{1,40}}?)\s+(?:next to|beside|in the (?:row|line) of)"
    r"\s+(?P<whom>.+)$", re.IGNORECASE,
)
BOX_OF = re.compile(
    r"^(?:tick|check|select|choose)\s+the\s+(?:check ?box|box|tick ?box)\s+(?:next to|beside|for|of|in front of)\s+(?P<whom>.+)$",
    re.IGNORECASE,
)
PICK_QUOTED = re.compile(rf"^(?:{PICKS})\s+(?:a|an|your|one)\s+(?P<name>{ANY})$", re.IGNORECASE)
AND = re.compile(r",?\s+and\s+|,\s+", re.IGNORECASE)
INTO = re.compile(r"\s+(?:into|in|as)\s+", re.IGNORECASE)
READS = re.compile(r"(?:copy|read|note|remember|look up|get)\b", re.IGNORECASE)
SEARCH = re.compile(r"^search\s+for\s+(?P<what>.+)$", re.IGNORECASE)
PICK = re.compile(rf"^(?:{PICKS})\s+(?P<what>.+?)(?:\s+(?:from|in|under)\s+(?P<field>.+))?$", re.IGNORECASE)
SET = re.compile(r"^(?:set|change)\s+(?P<field>.+?)\s+to\s+(?P<what>.+)$", re.IGNORECASE)
OF_WHOM = re.compile(
    r"\s+(?:of|for|that|which|you|to be|where|with|from)\s+.*$|\s+(?:as )?(?:needed|required|desired|wanted|necessary)$",
    re.IGNORECASE,
)
WHOSE = re.compile(rf"^{OWN}\s+(?P<what>[\w-]+(?: [\w-]+)?) (?:of|for) {OWN}\s+(?:new )?(?P<whom>[\w-]+(?: [\w-]+)?)$", re.I)
OWNER = re.compile(r"^[\w-]+(?:[’']s|s[’'])\s+", re.IGNORECASE)
SLOT = re.compile(r"\{[^{}]+\}")
OPENING = re.compile(r"^(?:then|next|now|finally|afterwards|after that|please|and|simply|just|to finish|lastly)\b[,\s]*", re.I)
PARTS = re.compile(r",?\s+(?:and\s+then|then|and)\s+(?=[a-z]+\s)|,\s+(?=[a-z]+\s)")
DOES = re.compile(rf"(?:{PRESSES}|{WRITES}|set|change|tick|check|turn|switch)\b", re.IGNORECASE)
LONG = 6
"""Words beyond which nothing unquoted is a name."""


def page_step(text: str) -> str:
    """The step as sentences for the grammar of pages, with `{slots}` where it leaves a value open; may be nothing."""
    masks = Masks()
    hidden = masks.hide_quotes(_slots_quoted(text))
    said: list[str] = []
    for sentence in SENTENCE.split(hidden):
        said += _sentence(" ".join(sentence.split()).strip(" .!"), masks)
    return ". ".join(_shown(one, masks) for one in said)


def page_reading(texts: Sequence[str]) -> list[c.Clause]:
    """The clauses of steps that stand one after the other; Unknown for what is not understood."""
    told = [text for text in texts if text]
    for text in told:
        for sentence in _sentences(text):
            if not _is_plain(sentence):
                return [c.Unknown(text=sentence)]
    clauses = understand(". ".join(told)) if told else ()
    return list(clauses) if clauses is not None else [c.Unknown(text=told[-1])]


def _sentences(text: str) -> list[str]:
    masks = Masks()
    hidden = masks.hide_quotes(text)
    return [_shown(one.strip(" ."), masks) for one in hidden.split(". ") if one.strip(" .")]


def _is_plain(sentence: str) -> bool:
    """Whether one sentence is understood, and what it names is short enough to be a name."""
    clauses = understand(sentence)
    if not clauses:
        return bool(re.match(r"^(?:paste|enter|type|click|press)\s+(?:it|that|them)\b", sentence, re.IGNORECASE))
    return all(_is_name(clause) for clause in clauses)


def is_doubtful(clauses: Sequence[PageClause]) -> bool:
    """Whether a goal may only sound as if it spoke of what is shown: a sentence for a name, or nothing but to find something."""
    deeds = all(isinstance(clause, p.Deed) for clause in clauses)  # a verb and a thing: how it is done may be a page's to say
    return deeds or isinstance(clauses[-1], p.Look) or not all(_is_name(clause) for clause in clauses)


def _is_name(clause: PageClause) -> bool:
    masks = Masks()
    bare = re.sub(ANY, " ", masks.hide_quotes(clause.said))
    thing = getattr(clause, "thing", None)
    named = thing.name if isinstance(thing, Thing) else ""
    if isinstance(clause, p.Learn) and not READS.match(clause.said):
        return False
    if re.match(r"(?:fill|complete)", clause.said, re.IGNORECASE) and isinstance(clause, p.Put) and not clause.thing.name:
        return False
    if isinstance(clause, p.Put) and not clause.source.fact and clause.source.text and clause.source.text in bare:
        return not ARTICLE.match(clause.source.text) and len(clause.source.text.split()) <= LONG
    if isinstance(clause, p.Choose) and clause.names in bare and re.match(r"(?:one|any|some|either)\b", clause.names):
        return False
    return not named or named not in bare or len(named.split()) <= LONG


def _slots_quoted(text: str) -> str:
    """Slots in quotation marks, so that whatever comes to stand in one is one value."""
    masks = Masks()
    return _shown(SLOT.sub(lambda slot: f'"{slot.group()}"', masks.hide_quotes(text)), masks)


def _shown(text: str, masks: Masks) -> str:
    return re.sub(ANY, lambda held: quote(masks.held(held.group()).raw), text)


def _sentence(words: str, masks: Masks) -> list[str]:
    words = OPENING.sub("", words)
    if not words or _asks_nothing(words):
        return []
    if key := _key(words, masks):
        return [key]
    if series := _series(words):
        return [one for part in series for one in _sentence(part, masks)]
    if picked := PICK_QUOTED.match(words):
        name = masks.show(picked["name"])
        return [" ".join(["select", _slot(name), "from the", quote(name), "list"])]
    if fields := FIELDS.match(words):
        return _listed(fields["list"], masks)
    if by := BY.match(words):
        words = f"click {by['what']}"
    if purpose := PURPOSE.match(words):
        words = purpose["do"]
    if placed := PLACED.match(words):
        return _in_place(placed["place"], placed["rest"], masks)
    if (go := GO.match(words)) or TRAIL.search(words):
        return _trail(go["to"] if go else words)
    return _valued([part for part in PARTS.split(words) if part], words, masks)


def _series(words: str) -> list[str]:
    """`Enter the date in Date and the time in Start` as two sentences; empty where it is none of that."""
    verb = re.match(rf"^(?:{WRITES})\s+", words, re.IGNORECASE)
    parts = AND.split(words[verb.end() :]) if verb else []
    if len(parts) < 2 or not all(ARTICLE.match(part) and INTO.search(part) for part in parts):
        return []
    return [f"enter {part}" for part in parts]


def _listed(words: str, masks: Masks) -> list[str]:
    """`Fill in the form: name, e-mail address` and `...: enter the name, select a role`."""
    told: list[str] = []
    for part in re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+", words.strip(" .")):
        if not part:
            continue
        name, _, value = (half.strip() for half in part.partition(":"))
        if DOES.match(part):
            told += _sentence(part, masks)
        elif value:
            told.append(f"enter {_value(value, name)} into the {_bare(name)} field")
        else:
            told.append(f"enter {_slot(masks.show(_bare(name)))} into the {_bare(name)} field")
    return told


def _asks_nothing(words: str) -> bool:
    """Whether a sentence only says what happens, what to look at or what to leave alone. What narrows a step does not."""
    if FORBIDS.match(words):
        return not NARROWS.search(words)
    return bool(SEEN.match(words)) and not DOUBTFUL.search(words)


def imperatives(text: str) -> str:
    """The sentences of a step that ask for something."""
    masks = Masks()
    parts = [part.strip() for part in SENTENCE.split(masks.hide_quotes(text))]
    return " ".join(_shown(part, masks) for part in parts if part and not _asks_nothing(part.strip(" .!")))


def _in_place(place: str, rest: str, masks: Masks) -> list[str]:
    """`In the Email field, enter X`, `from the Role list, select Y`, `in the sidebar, click Z`."""
    bare = re.sub(rf"^{OWN}\s+", "", place, flags=re.IGNORECASE)
    kind = KIND.search(bare)
    layout = LAYOUT.search(bare) and not (kind and re.search(r"field|box|list|drop", bare, re.I))
    first, *more = re.split(r",?\s+and\s+(?:then\s+)?", rest, maxsplit=1)
    after = [one for piece in more for one in _sentence(piece, masks)]
    if layout:
        return [*_sentence(first, masks), *after]
    if write := re.match(rf"^(?:{WRITES})\s+(?P<what>.+)$", first, re.IGNORECASE):
        field = bare if kind else f"{bare} field"
        return [f"enter {_value(write['what'], bare)} into the {field}", *after]
    if pick := re.match(rf"^(?:{PICKS})\s+(?P<what>.+)$", first, re.IGNORECASE):
        return [_picked(pick["what"], bare), *after]
    return [*_sentence(first, masks), *after]


def _trail(words: str) -> list[str]:
    """`Settings > Members` one after the other."""
    words = re.sub(rf"^(?:{PRESSES})\s+", "", words, flags=re.IGNORECASE)
    told = []
    for part in TRAIL.split(words):
        name = re.sub(rf"^{OWN}\s+", "", PAGE_NOUN.sub("", WHERE.sub("", part)).strip(" ,."), flags=re.IGNORECASE)
        if not name or len(name.split()) > LONG or re.match(r"https?:", name):
            return [words]
        told.append(f"click {name}")
    return told


def _key(words: str, masks: Masks) -> str:
    """`press Enter`, in whatever marks; empty where it is no key."""
    match = KEY.match(masks.show(words))
    return f"press the {match['key'].capitalize()} key" if match else ""


def _valued(parts: Sequence[str], words: str, masks: Masks) -> list[str]:
    """Sentences that leave a value open, with a slot for it; all others as they are."""
    made = [_key(part, masks) or _with_slot(WHERE.sub("", part)) for part in parts]
    if len(parts) > 1 and not all(DOES.match(part) for part in parts):
        return [_with_slot(WHERE.sub("", words))]
    return [one for one in made if one]


def _with_slot(words: str) -> str:
    match = WRITE.match(words)
    if match and _is_described(match["what"]):
        field = match["field"] or match["of"] or _noun(match["what"])
        return f"enter {_value(match['what'], '')} into the {_bare(field)}{'' if KIND.search(field) else ' field'}"
    told = _told_elsewise(words)
    if told or match or re.search(ANY, words):
        return told or words
    if (match := SET.match(words)) and ARTICLE.match(match["what"]):
        return f"set {match['field']} to {_value(match['what'], _bare(match['field']))}"
    if (match := PICK.match(words)) and ARTICLE.match(match["what"]) and not KIND.search(match["what"]):
        named = re.sub(rf"^{OWN}\s+", "", match["what"], flags=re.IGNORECASE)
        if named[:1].islower():
            return _picked(match["what"], _bare(match["field"] or _noun(match["what"])))
    return words


def _is_described(words: str) -> bool:
    """Whether a value is only described, as in `the name of the boat`."""
    return bool(ARTICLE.match(words)) and not re.search(rf"{ANY}|\b(?:and|or|then)\b", words)


def _told_elsewise(words: str) -> str:
    """What help pages say in words that the grammar of pages does not know; empty where it is none of that."""
    if box := BOX_OF.match(words):
        return f"tick {box['whom']}"
    if search := SEARCH.match(words):
        return f"enter {_value(search['what'], 'name')} into the search field. press the Enter key"
    if given := GIVEN_FOR.match(words):
        return f"enter {given['what']} into the {_bare(given['field'])}{'' if KIND.search(given['field']) else ' field'}"
    if (beside := NEXT_TO.match(words)) and not KIND.search(beside["what"]) and not re.search(ANY, beside["what"]):
        return f"{beside['verb']} {quote(beside['what'])} next to {beside['whom']}"
    return ""


def _value(words: str, field: str) -> str:
    """What is given as it is; what is only described as a slot of that name."""
    if re.search(ANY, words) or not ARTICLE.match(words):
        return words
    whose = WHOSE.match(words.strip(" .,:"))
    name = f"{whose['whom']} {whose['what']}" if whose else _bare(OF_WHOM.sub("", words))
    return _slot(field if field and name.casefold() in {"", "value", "option", "one"} else name)


def _slot(name: str) -> str:
    """A slot in quotation marks; what can be in no slot's name is left out."""
    kept = re.sub(r"[^\w .'’-]", " ", name)[:40].strip()
    return f'"{{{kept}}}"'


def _picked(what: str, field: str) -> str:
    """One of a list, chosen."""
    place = field if KIND.search(field) else f"{field} list"
    return " ".join(["select", _value(what, field), "from the", place])


def _noun(words: str) -> str:
    """How a field is called for what is described: `the member's e-mail address` is asked for as `e-mail address`."""
    return OWNER.sub("", re.sub(rf"^{OWN}\s+", "", OF_WHOM.sub("", words), flags=re.IGNORECASE)).strip(" .,:")


def _bare(words: str) -> str:
    return re.sub(rf"^{OWN}\s+", "", words.strip(" .,:"), flags=re.IGNORECASE)
