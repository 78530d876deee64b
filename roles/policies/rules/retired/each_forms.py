"""Goals that repeat: `for each unpaid invoice of Acme file a claim`, `claim INV-1 and INV-2, each with its total`.

Where the things are named, the words are read once for each of them. Where they have to be found first, a table of them is
collected and filtered, and the body waits for its rows; in it, a fact called `each X` is the row's column X.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from roles.policies.rules.reference import slot
from roles.policies.rules.segments import NAME, Sentences
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import FILTERS, NOUNS
from roles.screen.language.masks import ANY, quote

Parse = Callable[[str, Sequence[str]], list[c.Clause]]
_PATH = rf"(?:/[\w./-]+|{ANY})"
_BELONGS = re.compile(
    rf"^(?:everything|all(?: the)? files|whatever(?: is)?|the files)\s+in\s+(?:the\s+|my\s+)?"
    rf"(?P<folder>{_PATH}|[A-Z]\w*)(?:\s+folder)?\s+"
    rf"(?:(?:that|which)\s+(?:is|are|has to do)\s+(?:about|with)|about|with)\s+(?:the\s+)?(?P<word>\w+|{ANY})\s+"
    rf"(?:belongs?|goes|go|should go|has to go)\s+(?:in|into|to)\s+(?:the\s+)?(?P<to>{_PATH}|[A-Z]\w*)(?:\s+folder)?$",
    re.IGNORECASE,
)
_MOVE_THEM = re.compile(
    r"^(?:please\s+)?(?:move|put)\s+(?:them|these(?: files)?|those(?: files)?|it all|it)\s+there\b(?:\s+and\s+leave\b.*)?$", re.I
)
_IN = re.compile(rf"\b(?:files|pictures|documents|photos|scans)\s+in\s+(?:the\s+)?(?P<folder>{_PATH}|[A-Z]\w*)\b", re.IGNORECASE)
_RENAME_THEM = re.compile(
    rf"^(?:please\s+)?(?:rename|call)\s+(?:them|these|those)\s+(?:to\s+)?(?P<names>{ANY}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+){ANY})+)"
    r"(?:\s*,?\s+in\s+(?:the|this|that|their)\s+(?:same\s+|present\s+)?order\b.*)?$",
    re.IGNORECASE,
)
_TABLE = "file table"


def folder(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """Files of a folder that are moved by what they are about, or named anew one after the other."""
    for at, part in enumerate(said.parts[:-1]):
        for form in (_sorted, _renamed):
            clauses = form(part.rstrip(" ."), said.parts[at + 1].rstrip(" ."), said)
            if clauses is not None:
                around = (*said.parts[:at], *said.parts[at + 2 :])
                return [*clauses, *(parse(said.plain(" ".join(around)), ()) if around else [])]
    return None


def _collected(name: str, said: Sentences) -> c.Collect:
    return c.Collect(entity=c.Entity(noun="file", subject=said.masks.show(name)), name=_TABLE)


def _sorted(first: str, second: str, said: Sentences) -> list[c.Clause] | None:
    match = _BELONGS.match(first)
    if match is None or not _MOVE_THEM.match(second):
        return None
    rows = "files to move"
    formula = f"table {quote(_TABLE)} | where [name] contains {quote(said.masks.show(match['word']))}"
    moved = c.Move(entity=c.Entity(noun="file", name=f"{c.EACH}name"), to=said.masks.show(match["to"]))
    return [_collected(match["folder"], said), c.Compute(formula=formula, name=rows), c.ForEach(table=rows, body=(moved,))]


def _renamed(first: str, second: str, said: Sentences) -> list[c.Clause] | None:
    where, match = _IN.search(first), _RENAME_THEM.match(second)
    if where is None or match is None:
        return None
    names = [said.masks.held(char).raw for char in re.findall(ANY, match["names"])]
    computed: list[c.Clause] = [
        c.Compute(formula=f"table {quote(_TABLE)} | row {n} | get [name]", name=f"file {n}") for n in range(1, len(names) + 1)
    ]
    renamed = [c.Rename(entity=c.Entity(noun="file", name=slot(f"file {n}")), to=name) for n, name in enumerate(names, start=1)]
    return [_collected(where["folder"], said), *computed, *renamed]


_STATES = "|".join(FILTERS)
_NOUNS = "|".join(sorted(NOUNS, key=len, reverse=True))
_OF_THEM = re.compile(
    r"\b(?P<of>(?:for|of)\s+)?(?:each(?: one)?|every one|all|both)\s+of\s+(?:them|these|those)\b|\bboth of them\b", re.IGNORECASE
)
_STATEMENT = re.compile(
    r"^(?:i|we|he|she|they|there|it|these|those|the)\b(?!\s+(?:need|want|would like)\s+(?:you\s+)?to)", re.IGNORECASE
)
_EVERY = re.compile(
    rf"\b(?P<for>for\s+)?(?:each|every|all(?: of)?(?: the| my| our)?)\s+(?P<state>(?:{_STATES})\s+)?(?P<noun>one|{_NOUNS})\b"
    rf"(?:\s+(?:of|from|by)\s+(?P<name>{NAME}))?"
    rf"(?:\s+(?:that|which)\s+(?:is|are|has been|have been|was|were)\s+(?P<no>not\s+)?(?P<said>{_STATES}))?"
    r"(?:\s+(?:yet|so far|by now))?(?:\s*,\s*(?:\w+\s+or\s+not|whatever [\w ]+|no matter [\w ]+))?",
    re.IGNORECASE,
)
_FIND = re.compile(
    r"^(?:please\s+)?(?:go|look|run|work)\s+through\s+(?P<what>.+?)(?:\s*,?\s+and\s+|\s*[:,]\s*)(?P<rest>.+)$", re.IGNORECASE
)
_OWNER = re.compile(
    rf"(?:^(?P<first>{NAME})\s+(?:still\s+)?(?:gets?|wants?|has|have|needs?|sent|is|are)\b|\b(?:of|from|by|owe)\s+(?P<name>{NAME}))"
)
_NEEDS = re.compile(
    r"^each\s+(?:of them|one|\w+)\s+(?:needs|gets|has to have|must have|should have|wants|carries)\s+(?P<fields>.+)$",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"^(?:please\s+)?(?:submit|file|make|hand in|send in|create|write)\s+(?:an?|one)\s+"
    r"(?P<kind>(?:expense |reimbursement |travel )?(?:claim|report))"
    r"(?:\s*,?\s+with\s+(?P<fields>.+))?$", re.IGNORECASE,
)  # fmt: skip
_CLAIM_FOR = re.compile(
    r"^(?:please\s+)?(?:submit|file|make|hand in|send in|create)\s+an?\s+"
    r"(?:expense |reimbursement )?claim\s+for\s+(?=.*\bwith\b)",
    re.IGNORECASE,
)
_DEEDS = r"accept|decline|reject|approve|archive|delete|remove"
_DIVIDE = re.compile(
    rf"^(?:please\s+)?(?P<one>{_DEEDS})\s+(?:whatever|everything(?:\s+that)?|all(?:\s+that)?|those(?:\s+that)?|what)\s+"
    rf"(?:comes?|came|is|are|was)?\s*(?:from|by)\s+(?P<name>{NAME})\s*,?\s*(?:and|but)\s+(?P<other>{_DEEDS})\s+"
    r"(?:all\s+)?(?:the\s+)?(?:others?|rest|other ones)$", re.IGNORECASE,
)  # fmt: skip
_THROUGH = re.compile(r"^(?:please\s+)?(?:go|look|work|run)\s+through\s+(?:my|the|our|all)\s+(?P<noun>[a-z]+)s$", re.IGNORECASE)
_EVERYBODY = re.compile(
    rf"^(?:please\s+)?(?:send|write|mail)\s+(?:everybody|everyone|all(?: the)?(?: people| members)?)\s+(?:in|of)\s+"
    rf"(?:my|the|our)\s+(?:contacts?\s+)?group\s+(?P<group>{NAME}?)\s+(?:the same|an?)\s+mail\b(?P<rest>.*)$", re.IGNORECASE,
)  # fmt: skip
_SUBJECT = re.compile(rf"\bsubject\s+(?:is\s+)?({ANY})", re.IGNORECASE)
_TEXT = re.compile(rf"\b(?:text|message|saying|says)\s+(?:is\s+)?({ANY})", re.IGNORECASE)
_REMOVE = re.compile(
    r"^(?:please\s+)?(?P<verb>delete|remove|throw away|archive|trash)\s+(?:all|each|every one|them)"
    r"(?:\s+of\s+(?:them|these|those))?$",
    re.I,
)
_MAILS = re.compile(rf"\b(?P<noun>{_NOUNS})\s+(?:from|by|of)\s+(?P<name>{NAME})", re.IGNORECASE)
_LIST = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_FIELDS = ("vendor", "invoice number", "amount")


def each(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """Named things first, then things that are found, then things that are to go."""
    for form in (_named, _removed, _to_a_group, _divided, _found):
        if (clauses := form(said, parse)) is not None:
            return clauses
    return None


def _named(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """`I paid INV-1 and INV-2. File a claim for each of them.`"""
    for at, part in enumerate(said.parts):
        match = _OF_THEM.search(part)
        earlier = [char for before in said.parts[:at] for char in said.masks.of_kind(before, "id")]
        if match is None or len(earlier) < 2:
            continue
        kept = [before for before in said.parts[:at] if not _STATEMENT.match(before)]
        clauses = parse(said.plain(" ".join(kept)), ()) if kept else []
        noun = next((word for word in re.findall(r"[a-z]+", " ".join(said.parts[:at])) if word in NOUNS), "")
        for number, char in enumerate(dict.fromkeys(earlier), start=1):
            thing = f"{match['of'] or ''}{NOUNS[noun] if noun else ''} {char}"
            words = said.plain(_CLAIM_FOR.sub("claim ", part[: match.start()] + thing + part[match.end() :]))
            clauses += [_own(x, number) for x in parse(words, ())]
        rest = said.parts[at + 1 :]
        return [*clauses, *(parse(said.plain(" ".join(rest)), ()) if rest else [])]
    return None


def _own(clause: c.Clause, number: int) -> c.Clause:
    """Facts of the second thing get names of their own."""
    if isinstance(clause, c.Read) and number > 1:
        return replace(clause, names=tuple(f"{name} {number}" for name in clause.fact_names()))
    if isinstance(clause, c.Enter) and number > 1 and clause.value.facts:
        return replace(clause, value=replace(clause.value, facts=tuple(f"{name} {number}" for name in clause.value.facts)))
    return clause


def _found(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """`For every unpaid invoice of Acme submit a claim. Each claim needs the number and the amount.`"""
    for at, part in enumerate(said.parts):
        bare = part.rstrip(" .?!")
        through = _FIND.match(bare)
        words = through["rest"] if through else bare
        match = _EVERY.search(words)
        if match is None or not (match["for"] or through):
            continue
        told = " ".join([*said.parts[:at], through["what"] if through else "", words])
        entity = _entity(match, told, said)
        rest = said.parts[at + 1 :]
        needs = _NEEDS.match(rest[0].rstrip(" .")) if rest else None
        body = _body((words[: match.start()] + words[match.end() :]).strip(" ,:"), needs["fields"] if needs else "", said, parse)
        if not entity.noun or body is None:
            continue
        table, rows = f"{entity.noun} table", f"{entity.noun}s to work on"
        where = _condition(match)
        compute = c.Compute(formula=f"table {quote(table)}" + (f" | where {where}" if where else ""), name=rows)
        rest = rest[1:] if needs else rest
        after = parse(said.plain(" ".join(rest)), ()) if rest else []
        return [c.Collect(entity=entity, name=table), compute, c.ForEach(table=rows, body=tuple(body)), *after]
    return None


def _entity(match: re.Match[str], told: str, said: Sentences) -> c.Entity:
    """Which list: the noun of the words or of what was gone through, and whose."""
    noun = match["noun"].casefold()
    if noun == "one":
        noun = next((word for word in re.findall(r"[a-z-]+", told.casefold()) if word in NOUNS), "")
    owner = match["name"] or next((m["first"] or m["name"] for m in _OWNER.finditer(told)), "")
    return c.Entity(noun=NOUNS.get(noun, ""), name=said.masks.show(owner or "").strip())


def _condition(match: re.Match[str]) -> str:
    state = (match["said"] or match["state"] or "").strip().casefold()
    return f"{'not ' if match['no'] else ''}[status] is {quote(state)}" if state else ""


def _body(words: str, needs: str, said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """What is done for each row; a claim is a form with facts of the row."""
    match = _CLAIM.match(words)
    if match is None:
        clauses = parse(said.plain(words), ())
        return None if any(isinstance(x, c.Unknown) for x in clauses) or not clauses else clauses
    fields = [re.sub(r"^(?:the|its)\s+", "", name) for name in _LIST.split(needs or match["fields"] or "") if name] or list(
        _FIELDS
    )
    app = match["kind"].casefold()
    entered = [c.Enter(app, c.Value(facts=(f"{c.EACH}{name}",)), name) for name in fields]
    return [*entered, c.Commit(app, "submit", "form")]


def _removed(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """`I do not need the mails from Ada any more. Delete all of them.`"""
    for at, part in enumerate(said.parts):
        bare = part.rstrip(" .?!")
        told = " ".join(said.parts[:at])
        match, them = _REMOVE.match(bare), _MAILS.search(told)
        if match is None or them is None:
            continue
        entity = c.Entity(noun=NOUNS[them["noun"].casefold()], name=said.masks.show(them["name"]))
        rows = f"{entity.noun}s to remove"
        one = replace(entity, subject=f"{c.EACH}subject") if entity.noun == "mail" else replace(entity, id=f"{c.EACH}number")
        body = c.Delete(entity=one)
        return [c.Collect(entity=entity, name=rows), c.ForEach(table=rows, body=(body,))]
    return None


def _divided(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """`Go through my invitations. Decline whatever comes from Ada, and accept all the others.`"""
    for at, part in enumerate(said.parts):
        match = _DIVIDE.match(part.rstrip(" ."))
        told = _THROUGH.match(said.parts[at - 1].rstrip(" .")) if at else None
        if match is None or told is None:
            continue
        noun = told["noun"].casefold()
        theirs = f"any contains {quote(said.masks.show(match['name']))}"
        table = f"{noun} table"
        found: list[c.Clause] = [c.Collect(entity=c.Entity(noun=NOUNS.get(noun, noun)), name=table)]
        for verb, where in ((match["one"], theirs), (match["other"], f"not {theirs}")):
            rows = f"{noun}s to {verb.casefold()}"
            one = c.Entity(noun=NOUNS.get(noun, noun), name=f"{c.EACH}title")
            found.append(c.Compute(formula=f"table {quote(table)} | where {where}", name=rows))
            found.append(c.ForEach(table=rows, body=(c.Act(verb=verb.casefold(), entity=one),)))
        before, after = (" ".join(said.plain(x) for x in parts) for parts in (said.parts[: at - 1], said.parts[at + 1 :]))
        return [*(parse(before, ()) if before else []), *found, *(parse(after, ()) if after else [])]
    return None


def _to_a_group(said: Sentences, parse: Parse) -> list[c.Clause] | None:
    """`Send everybody in my contacts group Choir the same mail`: one mail for each member."""
    for at, part in enumerate(said.parts):
        match = _EVERYBODY.match(part.rstrip(" ."))
        subject, text = (pattern.search(part) for pattern in (_SUBJECT, _TEXT))
        if match is None or text is None:
            continue
        group = said.masks.show(match["group"])
        rows = f"members of {group}"
        formula = f"table {quote('contact table')} | where [groups] contains {quote(group)}"
        values = [c.Value(said.masks.show(found.group(1)) if found else "") for found in (subject, text)]
        mail = c.Compose(to=(f"{c.EACH}e-mail",), subject=values[0], body=values[1])
        learned = [c.Collect(entity=c.Entity(noun="contact"), name="contact table"), c.Compute(formula=formula, name=rows)]
        rest = said.parts[:at] + said.parts[at + 1 :]
        more = parse(said.plain(" ".join(rest)), ()) if rest else []
        return [*learned, c.ForEach(table=rows, body=(mail,)), *more]
    return None


__all__ = ["ANY", "each"]
