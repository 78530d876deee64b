"""Goals with a condition: `if the invoice is paid leave a note, otherwise claim it`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from roles.policies.rules.phrases import parse_entity
from roles.policies.rules.segments import NAME, Sentences
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import FILTERS
from roles.screen.language.masks import ANY, quote

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
_IT_OR_MAIL = re.compile(r"\b(?:it|that mail|the mail|this mail)\b(?!\s+(?:is|has|was))", re.IGNORECASE)
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
    return c.Await("", entity, "", seconds), _IT_OR_MAIL.sub(words, match["then"], count=1)


def _seconds(number: str, unit: str) -> float:
    folded = number.casefold()
    count = _NUMBERS.get(folded) or (float(folded) if folded.replace(".", "", 1).isdigit() else 1.0)
    return float(count) * (60 if unit.casefold().startswith("minute") else 1)


_STATES = "|".join(FILTERS)
_BE = r"(?:is|are|was|were|has been|have been|has|have)"
_THING = (
    rf"(?:(?:the|my|our)\s+)?(?:invoice|bill|order|claim|expense|mail|task|contract|booking)\s+"
    rf"(?:(?:number|no\.?)\s+)?{ANY}|{ANY}"
)
_NAMED = rf"(?:(?:the|my|our)\s+)?(?:[a-z]+\s+){{0,2}}?(?:{ANY}|(?-i:[A-Z])[\w&’'-]*(?:\s+[\w&’'-]+){{0,4}}?)"
"""Anything that is called by a name, of whatever kind."""
_IT = r"it|this|that|they"
_STATE = re.compile(
    rf"^(?P<what>{_THING}|{_IT}|the [a-z]+)\s+{_BE}\s*(?P<no>not|n[’']t)?\s*"
    rf"(?:already\s+|yet\s+|been\s+|still\s+)*(?P<state>{_STATES})?"
    r"(?:\s+(?:already|yet|by now|so far))?$", re.IGNORECASE,
)  # fmt: skip
_STATED = re.compile(
    rf"^(?P<what>{_NAMED}|{_IT})\s+{_BE}\s*(?P<no>not|n[’']t)?\s*(?:already\s+|yet\s+|still\s+|currently\s+)*"
    rf"(?P<state>[a-z][a-z-]+(?:\s[a-z]+)?)(?:\s+(?:already|yet|by now|so far|there|now))?$", re.IGNORECASE,
)  # fmt: skip
_SAYS = re.compile(
    rf"^(?:its|the)\s+(?P<field>[a-z][a-z ]{{1,24}}?)(?:\s+of\s+(?P<of>{_NAMED}|{_IT}))?\s+(?:is|says|reads|shows|equals)\s+"
    rf"(?P<no>not\s+)?(?P<value>{ANY}|(?-i:[A-Z])[\w’'-]*(?:\s+[\w’'-]+){{0,3}})$", re.IGNORECASE,
)  # fmt: skip
_OF = re.compile(rf"^(?:the\s+)?(?P<field>[a-z][a-z ]{{1,24}}?)\s+of\s+(?P<of>{_NAMED}(?:\s+in\s+.+)?)$", re.IGNORECASE)
_FEWER = re.compile(
    rf"^there (?:is|are)\s+(?P<how>more than|fewer than|less than|at least|at most|over|under)\s+(?P<value>{ANY})\s+"
    rf"(?P<of>{_NAMED}|[a-z ]+?)\s+in\s+(?P<what>[a-z]+)$", re.IGNORECASE,
)  # fmt: skip
_SIZE = re.compile(
    rf"^(?P<what>(?:the |its )?[a-z ]{{2,24}}?)(?:\s+of\s+(?P<of>{_THING}|{_NAMED}|{_IT}))?\s+(?:is|comes to|amounts to|are)\s+"
    rf"(?P<how>more than|over|above|larger than|greater than|higher than|less than|lower than|under|below|smaller than"
    rf"|fewer than|at least|at most|before|after)\s+(?P<value>{ANY})$",
    re.IGNORECASE,
)
_HOW = {
    "higher than": ">", "lower than": "<", "fewer than": "<",
    "more than": ">", "over": ">", "above": ">", "larger than": ">", "greater than": ">", "less than": "<", "under": "<",
    "below": "<", "smaller than": "<", "at least": ">=", "at most": "<=", "before": "before", "after": "after",
}  # fmt: skip
_CHECK = re.compile(
    r"^(?:please\s+)?(?:check|look up|find out|see|verify|look)\s+(?:whether|if)\s+(?P<what>.+?)[.?!]*$", re.IGNORECASE
)
_LOOK = re.compile(
    rf"^(?:please\s+)?(?:have a look at|look at|look up|check|take a look at|open)\s+(?P<what>{_THING}"
    rf"|(?:(?:the\s+)?[a-z]+(?:\s[a-z]+)?\s+of\s+)?{_NAMED}(?:\s+in\s+(?:the\s+|my\s+)?[a-z]+)?)[.?!]*$",
    re.IGNORECASE,
)
_IF = re.compile(
    r"^(?:and\s+|but\s+)?(?P<if>if|when|in case|unless|should)\s+(?P<cond>[^,:]+?)\s*(?:,\s*then\b|,|:|\bthen\b)\s*(?P<then>.+)$",
    re.I,
)
_LATE_IF = re.compile(
    r"^(?P<then>[^,]+?),?\s+(?P<if>if|in case|unless)\s+(?P<cond>[^,;]+?)"
    r"(?:[,;]\s*(?:otherwise|or else|else|if not,?)\s+(?P<else>.+))?$",
    re.I,
)
_ELSE = re.compile(r"^(?:otherwise|else|if not|if so not|in any other case)\b[\s,:]*(?P<then>.+)$", re.IGNORECASE)
_INLINE_ELSE = re.compile(r"(?:[,;]|\s+[-–—])\s*(?:and\s+|but\s+)?(?:otherwise|or else|else|if not,)\s+", re.IGNORECASE)
_SO = re.compile(rf"^(?:so|yes|(?:{_IT})\s+{_BE})$", re.IGNORECASE)
_NOT_SO = re.compile(rf"^(?:not|no|(?:{_IT})\s+(?:{_BE}\s*(?:not|n[’']t)|(?:isn|hasn|wasn|aren|haven)[’']t))$", re.IGNORECASE)
_PLACE = re.compile(r"\s(?:in|on|by)\s+(?:the\s+)?[a-z-]+(?:\s(?:app|form))?$")
_NOTHING = re.compile(r"^there (?:is|are) (?:nothing|no need) (?:to|for)[^,:;.]*[,:;]\s*", re.IGNORECASE)


class Test(NamedTuple):
    """What has to be looked at, and the formula over it."""

    read: str
    """Words that read the fact; empty when it is known already."""
    fact: str
    formula: str
    what: str
    """The thing, as the goal calls it."""


def condition(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """`Check X. If A, do B. Otherwise do C. Then D.`: the reads, then the branches, then the rest."""
    for at, part in enumerate(said.parts):
        bare = part.rstrip(" .?!")
        split = _split(bare)
        if split is None:
            continue
        cond, then, otherwise, negated = split
        before, asked, thing = _before(said.parts[:at])
        test = _test(_asked_for(cond, asked), thing or _named_in(then), said)
        if test is None:
            continue
        rest = said.parts[at + 1 :]
        if _NOT_SO.match(cond.strip()):
            negated = not negated
        if rest and not otherwise:
            otherwise, rest = _other(rest, cond)
        one, other = (_branch(words, test, said, parse) for words in (then, _in_the_same_place(then, _alike(then, otherwise))))
        head = parse(said.plain(" ".join(before)), ()) if before else []
        reads = parse(test.read, ()) if test.read else []
        when = c.When(formula=test.formula, name=f"whether {test.fact}", then=tuple(one), otherwise=tuple(other))
        if negated:
            when = c.When(formula=when.formula, name=when.name, then=when.otherwise, otherwise=when.then)
        tail = parse(said.plain(" ".join(rest)), ()) if rest else []
        return [*head, *reads, when, *tail]
    return None


def _split(part: str) -> tuple[str, str, str, bool] | None:
    """Condition, branch, other branch, and whether the condition is denied."""
    match = _IF.match(part)
    if match is not None:
        then, *other = _INLINE_ELSE.split(match["then"], maxsplit=1)
        return match["cond"], then, other[0] if other else "", match["if"].casefold() == "unless"
    match = _LATE_IF.match(part)
    if match is None:
        return None
    return match["cond"], match["then"], match["else"] or "", match["if"].casefold() == "unless"


def _before(parts: Sequence[str]) -> tuple[list[str], str, str]:
    """What is to be done before; what a sentence asks to check; the thing that `it` means."""
    kept: list[str] = []
    asked = thing = ""
    for part in parts:
        bare = part.rstrip(" .?!")
        if check := _CHECK.match(bare):
            asked = check["what"]
        elif look := _LOOK.match(bare):
            thing = look["what"]
        else:
            kept.append(part)
    if match := re.search(_THING, asked or " ".join(parts), re.IGNORECASE):
        thing = thing or match.group()
    return kept, asked, thing


def _asked_for(cond: str, asked: str) -> str:
    """`If so` and `If it has not` speak of what was to be checked."""
    return asked if asked and (_SO.match(cond.strip()) or _NOT_SO.match(cond.strip())) else cond


def _named_in(then: str) -> str:
    """`Borrow the book "X" if it is available`: what `it` means stands before."""
    match = re.match(rf"^[a-z]+\s+(?P<what>{_NAMED})$", then.strip(), re.IGNORECASE)
    return match["what"] if match else ""


def _test(cond: str, thing: str, said: Sentences) -> Test | None:
    cond = " ".join(cond.split())
    if match := _SIZE.match(cond) or _FEWER.match(cond):
        return _sized(match, thing, said)
    match = _STATE.match(cond)
    if match is None or not match["state"]:
        if match := _SAYS.match(cond):
            return _equal(match["field"], match["of"] or thing, match["value"], bool(match["no"]), thing, said)
        match = _STATED.match(cond)
    if match is None or not match["state"]:
        return None
    what = thing if re.fullmatch(rf"{_IT}|the [a-z]+", match["what"], re.IGNORECASE) else match["what"]
    if not what:
        return None
    state = match["state"].casefold()
    fact = f"the status of {said.masks.show(what)} is {state}"
    name = f"status of {said.masks.show(what)}"
    formula = f"{'not ' if match['no'] else ''}fact {quote(name)} is {quote(state)}"
    return Test(f"find the status of {said.plain(what)} as {quote(name)}", fact, formula, what)


def _equal(field: str, of: str, value: str, no: bool, thing: str, said: Sentences) -> Test | None:
    """`the supplier of Tape is Plastix`, `its status is Available`."""
    what = thing if re.fullmatch(_IT, of, re.IGNORECASE) else of
    if not what:
        return None
    name = f"{field} of {said.masks.show(what)}"
    shown = said.masks.show(value)
    formula = f"{'not ' if no else ''}fact {quote(name)} is {quote(shown)}"
    return Test(f"find the {field} of {said.plain(what)} as {quote(name)}", f"the {name} is {shown}", formula, what)


def _sized(match: re.Match[str], thing: str, said: Sentences) -> Test | None:
    of = match["of"] or ""
    what = thing if not of or re.fullmatch(_IT, of, re.IGNORECASE) else of
    held = said.masks.only(match["value"])
    fact = re.sub(r"^(?:the|its)\s+", "", match["what"].strip(), flags=re.IGNORECASE)
    if re.fullmatch(_IT, fact, re.IGNORECASE) and (asked := _OF.match(what)):
        fact, what = asked["field"], asked["of"]
    if not what or held is None:
        return None
    name = f"{fact} of {said.masks.show(what)}"
    value = f"date {quote(held.raw)}" if held.kind == "date" else held.raw.replace(",", "")
    formula = f"fact {quote(name)} {_HOW[match['how'].casefold()]} {value}"
    return Test(f"find the {fact} of {said.plain(what)} as {quote(name)}", f"the {name} {match['how']} {held.raw}", formula, what)


def _other(rest: list[str], cond: str) -> tuple[str, list[str]]:
    """The sentence that says what to do if it is not so, and what follows it."""
    bare = rest[0].rstrip(" .?!")
    if match := _ELSE.match(bare):
        return match["then"], rest[1:]
    match = _IF.match(bare)
    if match and (_NOT_SO.match(match["cond"].strip()) or _SO.match(match["cond"].strip())):
        return match["then"], rest[1:]
    return "", rest


def _in_the_same_place(then: str, otherwise: str) -> str:
    """`..., write A to X in chat; otherwise write B to Y` means the chat both times."""
    place = _PLACE.search(then.rstrip(" ."))
    alike = then.split()[:1] == otherwise.split()[:1]
    if place is None or not alike or _PLACE.search(re.sub(r"\s+instead$", "", otherwise.rstrip(" ."))):
        return otherwise
    return re.sub(r"\s+instead$", "", otherwise.rstrip(" .")) + place.group()


_SHORT = re.compile(r"^(?:(?:set|change|put|raise|lower)\s+(?:it|that)\s+)?to\s+(?P<value>.+)$", re.IGNORECASE)
_ITS = re.compile(r"\b(?:its|their)\s+(?P<fact>[a-z]+(?:\s(?:date|number))?)\b")
_TO = re.compile(r"^(?P<head>(?:set|change|put|raise|lower)\s+(?:the|its|their)\s+.+?\s+to)\s+\S.*$", re.IGNORECASE)


def _alike(then: str, otherwise: str) -> str:
    """`set its reorder to 20, else to 5`, `..., otherwise set it to 5`: the same field both times."""
    match = _TO.match(then.strip())
    short = _SHORT.match(otherwise.strip())
    return f"{match['head']} {short['value']}" if match and short else otherwise


def _branch(words: str, test: Test, said: Sentences, parse: Parse) -> list[c.Clause]:
    """The clauses of a branch, in which `it` and `its` mean the thing of the condition."""
    words = _NOTHING.sub("", words.strip(" .")).strip()
    words = re.sub(r"\s+instead$|^(?:just|then|only)\s+", "", words, flags=re.IGNORECASE)
    if not words or re.fullmatch(r"(?:do )?nothing|leave it(?: as it is)?|you are done", words, re.IGNORECASE):
        return []
    words = _ITS.sub(lambda m: f"the {m['fact']} of {test.what}", words)
    words = re.sub(r"^(?P<verb>\w+)\s+it\b", lambda m: f"{m['verb']} {test.what}", words)
    return [x for x in parse(said.plain(words), ()) if not isinstance(x, c.Avoid)]
