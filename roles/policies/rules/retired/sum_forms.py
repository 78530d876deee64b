"""Goals over many records: how many, the sum, the average, the largest. They become a table, formulas over it, and plain words.

`What do we owe Acme for overdue invoices? Add them up and write the sum into a note` is read as: collect the invoices of
Acme, compute the sum of those that are overdue, write the fact "sum" into a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from roles.policies.rules.phrases import Misread
from roles.policies.rules.segments import NAME, Sentences
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import FILTERS, NOUNS, PICKS
from roles.screen.language.masks import quote

Parse = Callable[[str, Sequence[str]], list[c.Clause]]
_NOUNS = "|".join(sorted(NOUNS, key=len, reverse=True))
_PICKS = "|".join(sorted(PICKS, key=len, reverse=True))
_WHICH = re.compile(
    rf"^(?:which|what)(?:\s+one)?\s+(?:of the\s+)?(?P<noun>{_NOUNS})\s*(?:(?:of|from|by)\s+(?P<name>{NAME}))?\s+"
    rf"(?:is|was|are)\s+(?:the\s+)?(?P<pick>{_PICKS})(?:\s+(?:one|of them|of all))*$"
    rf"|^(?:which|what)\s+is\s+the\s+(?P<pick2>{_PICKS})\s+(?P<noun2>{_NOUNS})(?:\s+(?:of|from|by)\s+(?P<name2>{NAME}))?$",
    re.IGNORECASE,
)
_ITS = re.compile(r"\bits\s+(?P<fact>[a-z]+(?:\s(?:date|number))?)\b")
_THAT_ONE = re.compile(r"\b(?:that one|this one)\b", re.IGNORECASE)


def which(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """The record is read once; what follows speaks of its facts."""
    for at, part in enumerate(said.parts):
        match = _WHICH.match(part.rstrip(" ?.!"))
        rest = said.parts[at + 1 :]
        if match is None or not rest:
            continue
        noun, pick, name = (match[key] or match[f"{key}2"] or "" for key in ("noun", "pick", "name"))
        owner = f" of {said.plain(name)}" if name else ""
        thing = f"the {pick} {NOUNS[noun.casefold()]}{owner}"
        facts = tuple(dict.fromkeys(m["fact"] for sentence in rest for m in _ITS.finditer(sentence)))
        if not facts:
            continue
        reads = parse(f"find {' and '.join(f'the {fact}' for fact in facts)} of {thing}", ())
        names = dict(zip(facts, (n for x in reads if isinstance(x, c.Read) for n in x.fact_names()), strict=False))
        words = [_speaking_of(names, sentence) for sentence in rest]
        plain = together(" ".join(said.plain(_THAT_ONE.sub(thing, sentence)) for sentence in words))
        before = parse(said.plain(" ".join(said.parts[:at])), ()) if at else []
        return [*before, *reads, *parse(plain, tuple(names.values()))]
    return None


def _speaking_of(names: dict[str, str], sentence: str) -> str:
    """`its total` as the fact that was read."""
    return _ITS.sub(lambda m: f"the fact {quote(names.get(m['fact'], m['fact']))}", sentence)


_FACTS = re.compile(r'the facts? "[^"]*"(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)the fact "[^"]*")+')


def together(words: str) -> str:
    """`the fact "a", the fact "b", and the fact "c"` in the words that the grammar reads."""
    return _FACTS.sub(lambda m: "the facts " + " and ".join(re.findall(r'"[^"]*"', m.group())), words)


_PLURALS = {plural: noun for plural, noun in NOUNS.items() if plural.endswith("s") and plural != noun}
_MANY = "|".join(sorted(_PLURALS, key=len, reverse=True))
_STATES = "|".join(FILTERS)
_ALL = r"(?:\s+(?:altogether|in all|in total|by now|so far|at the moment|overall))*"
_COLLECTION = re.compile(
    rf"\b(?:(?:the|all|our|my|these|those)\s+)*(?P<state>(?:not\s+)?(?:{_STATES}))?\s*\b(?P<noun>{_MANY})\b"
    rf"(?:\s+(?:of|from|by|for|with)\s+(?P<name>{NAME}))?"
    rf"(?:\s+(?:that|which)\s+(?:is|are|have been|were)\s+(?P<said>not\s+)?(?P<state2>{_STATES}))?{_ALL}",
    re.IGNORECASE,
)
_OWNER = re.compile(rf"\b(?:owe|spent with|spend with|paid(?: to)?|about|of|from|by|with)\s+(?P<name>{NAME})")
_SHEET = re.compile(
    r",?\s*(?:going by|according to|as listed (?:in|on)|using|from|in|on)\s+the\s+"
    rf"(?P<sheet>{NAME})\s+(?P<kind>sheet|table|list)\b",
    re.IGNORECASE,
)
_COLUMN = r"(?P<column>[a-z][a-z ]{1,20}?)"


@dataclass
class Wanted:
    """What a goal asks of many records: where they are, and the facts that are computed of them."""

    entity: c.Entity = c.NOTHING
    condition: str = ""
    sheet: str = ""
    asked: dict[str, str] = field(default_factory=dict)
    """Name of a fact -> the end of its formula."""

    @property
    def table(self) -> str:
        return f"{self.sheet or self.entity.noun or 'row'} table".casefold()

    def clauses(self) -> list[c.Clause]:
        head = f"table {quote(self.table)}" + (f" | where {self.condition}" if self.condition else "")
        computed: list[c.Clause] = [c.Compute(formula=f"{head} | {end}", name=name) for name, end in self.asked.items()]
        return [c.Collect(entity=self.entity, name=self.table), *computed]


_ASIDE = re.compile(r"\s+[-–—]\s+(?:only|just|nothing but|no)\b[^.]*(?=\.?$)")
_MADE = re.compile(
    r"^(?:please\s+)?(?:make|create|write|prepare|set up)(?:\s+me)?\s+an?\s+(?:new\s+)?(?P<noun>file|note|document)\s+"
    r"(?:(?:called|named|titled)\s+)?(?P<title>\S+|\"[^\"]+\")(?:\s+(?:about|on|for)\s+[^:]+?)?"
    r"\s*(?::|,?\s+(?:with|that says|saying|containing)\b)"
    r"\s*the facts?\s+(?P<facts>[^.]+?)\s*\.?$", re.IGNORECASE,
)  # fmt: skip
_COUNTED = re.compile(
    r'^(?:please\s+)?(?:count|find out|work out|determine|see|check)\s+the fact "[^"]*"\s*(?:,\s*(?:and\s+)?|\s+and\s+)',
    re.IGNORECASE,
)
"""What is worked out needs no clause of its own."""
_ONLY_ASKED = re.compile(r'^the fact "[^"]*"\?$')
_Ask = tuple[str, str, str]
_THEIR = r"(?:all of their|all their|all these|all the|all|these|those|their|the)\s+"
_ASKS: tuple[_Ask, ...] = (
    # what is said, the fact's name, the end of its formula; {column} is what the words name
    (rf"how many\s+(?:{_MANY})\b(?:\s+(?:there are|are there|we have|do we have|I have))?"
     rf"(?:\s+(?:of|from|by)\s+(?:them|it|{NAME}))?(?:\s+(?:there are|are there|we have|do we have|I have))?{_ALL}",
     "number of records", "count"),
    (rf"the number of\s+(?:{_THEIR})?(?:{_MANY})\b{_ALL}", "number of records", "count"),
    (rf"the (?:sum|total)(?:\s+of)\s+(?:{_THEIR})?{_COLUMN}s\b(?=[\s,.;]|$){_ALL}", "sum", "sum [{column}]"),
    (rf"the average\s+(?:of\s+)?(?:{_THEIR})?{_COLUMN}s?\b(?=[\s,.;]|$)", "average {column}", "average [{column}]"),
    (rf"the (?:numbers|ids)\s+of\s+(?:{_THEIR})?(?:{_MANY})\b", "numbers", "column [number] | join \", \""),
    (rf"the names\s+of\s+(?:{_THEIR})?(?:{_MANY})\b", "names", "column [name] | join \", \""),
)  # fmt: skip
_ASKED = tuple((re.compile(rf"\b{pattern}", re.IGNORECASE), name, end) for pattern, name, end in _ASKS)
_THAT_HAVE = re.compile(
    rf"^\s+(?:that\s+|which\s+)?(?:have|has|with|of)\s+the\s+(?P<column>[a-z]+)\s+(?P<value>{NAME})(?=[\s,.?]|$)", re.IGNORECASE
)
_NARROWED = re.compile(r"^\s+(?:(?:that|which|who|whose)\b|(?:have|has|with|having)\s+(?:the|a|an|no)\b)", re.IGNORECASE)
"""Words that leave some of the records out."""
_ADD_UP = re.compile(
    r"^(?:please\s+)?(?:add|sum)\s+(?:them|these|those|it|that)(?:\s+all)?\s+up\s*(?:,|and|,\s*and)\s+", re.IGNORECASE
)
_OWED = re.compile(
    r"^(?:what|how much)\s+(?:do|did|have|does)\s+(?:we|i|you|they)\s+(?:owe|spent|spend|paid|pay)\b(?P<rest>.*?)\?*$"
    r"|^how much\s+(?:is|was|have we)\b(?P<rest2>.*?)\?*$", re.IGNORECASE,
)  # fmt: skip
_ADD_WHAT = re.compile(
    r"^(?:please\s+)?(?:add up|sum up|total)\s+(?:what|how much|all(?: the)?|the)\s+(?P<what>.+?)(?:,\s*(?:and\s+)?|\s+and\s+)"
    r"(?P<rest>(?:tell|write|send|"
    r"mail|put|enter|note|post|save|make|create|let)\b.+)$", re.IGNORECASE,
)  # fmt: skip
_GIVEN = re.compile(
    rf"^(?:the\s+)?(?P<who>\w+?s)?\s*(?:(?P<prep>from|in|of|by)\s+(?P<name>{NAME}))?\s*(?:have\s+|has\s+)?(?:given|paid|spent|cost|donated|ordered)?$",
    re.IGNORECASE,
)


def sums(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """The clauses that find the figures out, then those of what is left, which speak of the figures as facts."""
    wanted = Wanted()
    left: list[str] = []
    for part in said.parts:
        rest = _place(part, wanted)
        try:
            rest = _question(rest, wanted, said) or _added(rest, wanted, said) or _named(rest, wanted, said)
        except Misread:
            return None
        left += [rest] if rest.strip(" .?!") and not _ONLY_ASKED.match(rest) else []
    if not wanted.asked or not (wanted.entity.noun or wanted.sheet):
        return None
    read: list[c.Clause] = []
    for part in left:
        words = together(_ASIDE.sub("", said.plain(_speaking_of_facts(_COUNTED.sub("", part), wanted))))
        document = _document(words)
        read += document if document is not None else parse(words, tuple(wanted.asked))
    return [*wanted.clauses(), *read]


def _place(part: str, wanted: Wanted) -> str:
    """`going by the Expenses sheet` says where the rows are."""
    match = _SHEET.search(part)
    if match is None:
        return part
    wanted.sheet = match["sheet"]
    wanted.entity = replace(wanted.entity, noun=match["kind"].casefold(), name="", subject=match["sheet"])
    return (part[: match.start()] + part[match.end() :]).strip()


def _question(part: str, wanted: Wanted, said: Sentences) -> str:
    """`What do we owe Acme for invoices that are overdue?`: the whole sentence asks; nothing of it is left."""
    match = _OWED.match(part.rstrip(" .?!"))
    if match is None:
        return ""
    rest = match["rest"] or match["rest2"] or ""
    if not (_COLLECTION.search(rest) or wanted.sheet):
        return ""
    _about(part, wanted, said)
    wanted.asked.setdefault("sum", "sum [amount]")
    return " "


def _added(part: str, wanted: Wanted, said: Sentences) -> str:
    """`Add them up and write the sum ...`, `Add up what the donors from Lisbon have given, and tell ...`."""
    if _ADD_UP.match(part) and "sum" in wanted.asked:
        return _ADD_UP.sub("", part)
    match = _ADD_WHAT.match(part)
    if match is None:
        return ""
    _about(match["what"], wanted, said)
    if wanted.sheet and (given := _GIVEN.match(match["what"])) and given["name"]:
        wanted.condition = f"any contains {quote(said.masks.show(given['name']))}"
    wanted.asked.setdefault("sum", "sum [amount]")
    return match["rest"]


def _about(words: str, wanted: Wanted, said: Sentences) -> None:
    """Which records: their kind, whose they are, in which state."""
    match = _COLLECTION.search(words)
    owner = match["name"] if match and match["name"] else ""
    if not owner and (whose := _OWNER.search(words)):
        owner = whose["name"]
    name = said.masks.show(owner or "").strip()
    if wanted.sheet:
        wanted.condition = f"any contains {quote(name)}" if name else ""
        return
    if match is not None:
        state = (match["state2"] or match["state"] or "").casefold()
        denied = bool(match["said"]) or state.startswith("not ")
        state = state.removeprefix("not ").strip()
        if state:
            wanted.condition = f"{'not ' if denied else ''}[status] is {quote(state)}"
        wanted.entity = replace(wanted.entity, noun=_PLURALS[match["noun"].casefold()])
    if name:
        wanted.entity = replace(wanted.entity, name=name)


def _named(part: str, wanted: Wanted, said: Sentences) -> str:
    """Figures that are spoken of as things: `the sum of all their totals`, `how many invoices we have`."""
    found = False
    for pattern, name, end in _ASKED:
        match = pattern.search(part)
        while match is not None and len(wanted.asked) < 8:
            column = match.groupdict().get("column") or ""
            fact = name.replace("{column}", column)
            wanted.asked[fact] = end.replace("{column}", column)
            _about(match.group(), wanted, said)
            after = _narrowed(part[match.end() :], wanted, said)
            part, found = f"{part[: match.start()]}the fact {quote(fact)}{after}", True
            match = pattern.search(part)
    if found and not wanted.entity.name:
        whose = _OWNER.search(part)
        wanted.entity = replace(wanted.entity, name=said.masks.show(whose["name"]).strip() if whose else "")
    return part


def _narrowed(after: str, wanted: Wanted, said: Sentences) -> str:
    """`how many tickets have the priority High`: a condition on a column. Raises Misread for any other that is not understood."""
    if match := _THAT_HAVE.match(after):
        condition = f"[{match['column'].casefold()}] is {quote(said.masks.show(match['value']))}"
        wanted.condition = f"{wanted.condition} and {condition}" if wanted.condition else condition
        return after[match.end() :]
    if _NARROWED.match(after):
        raise Misread(after)
    return after


def _speaking_of_facts(part: str, wanted: Wanted) -> str:
    """`the sum` in what is left is the fact that was computed."""
    if "sum" in wanted.asked:
        part = re.sub(
            r"(?<!fact )\bthe (?:sum|total|result|figure)\b(?! of)", 'the fact "sum"', part, count=1, flags=re.IGNORECASE
        )
    if list(wanted.asked) == ["number of records"]:
        part = re.sub(r"\bthe (?:number|count)\b(?! of)", 'the fact "number of records"', part, count=1, flags=re.IGNORECASE)
    return part


def _document(words: str) -> list[c.Clause] | None:
    """`make a file r.txt about Acme: the facts ...`: it is made, filled and saved."""
    match = _MADE.match(words)
    if match is None:
        return None
    value = c.Value(facts=tuple(re.findall(r'"([^"]*)"', match["facts"])))
    title = c.Value(match["title"].strip(' "'))
    if match["noun"].casefold() == "file":
        return [c.Create(noun="file", title=title), c.Enter(value=value, field="content"), c.Commit(verb="save", thing="file")]
    return [c.Create(noun=NOUNS.get(match["noun"].casefold(), "note"), title=title, body=value)]


__all__ = ["Wanted", "sums"]
