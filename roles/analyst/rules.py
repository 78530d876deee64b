"""The Analyst's rules policy: formulas over the blackboard, worked out by code; plain questions become formulas first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from roles.analyst.formula import sheet_of, worked_out
from roles.analyst.values import MissingInput, Trouble, table_of
from roles.contracts import AnalystRequest, Answer, Fact, Result
from roles.contracts.orders import ComputeStep
from roles.policies.rules.grammar import parse
from roles.screen.language import clauses as c
from roles.screen.language.masks import quote
from roles.screen.matching import best

_LIST = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_THE = r"(?:the\s+)?"
Named = Callable[[str], str | None]
_SUM = re.compile(
    rf"^(?:what is |add up |work out |compute )?{_THE}(?:sum|total) of (?P<what>.+)$|^add (?:up )?(?P<those>.+)$", re.I
)
_DAYS = re.compile(
    r"^(?:how many|the number of) days (?:are there |lie |are )?(?:between|from) (?P<a>.+?) (?:and|to) (?P<b>.+)$", re.I
)
_SHARE = re.compile(
    r"^what (?:percentage|percent|share) (?:of (?P<whole>.+?) is (?P<part>.+)|is (?P<part2>.+?) of (?P<whole2>.+))$", re.I
)
_DIFFERENCE = re.compile(rf"^(?:what is )?{_THE}difference (?:between|of) (?P<a>.+?) and (?P<b>.+)$", re.I)
_IS = re.compile(
    r"^is (?P<a>.+?) (?P<how>more|less|larger|smaller|greater|higher|lower|earlier|later) than (?P<b>.+)$"
    r"|^is (?P<a2>.+?) (?P<how2>before|after) (?P<b2>.+)$", re.I)  # fmt: skip
_WHICH = re.compile(
    r"^(?:which|what) is (?:the )?(?P<how>larger|smaller|more|less|earlier|later)(?: one)?\s*[,:]?\s*(?P<a>.+?) or (?P<b>.+)$",
    re.I,
)
_COUNT = re.compile(
    r"^how many (?:rows|entries|lines|items)?\s*(?:are there |are |stand )?(?:in |of )?(?P<table>.+?)(?: are there)?$", re.I
)
_FIRST = re.compile(
    r"^which (?:one )?(?:of )?(?:the |my |our )?(?P<what>\w+) .*?"
    r"\b(?P<how>first|soonest|earliest|largest|biggest|highest|smallest|cheapest|lowest)$", re.I)  # fmt: skip
_BY = (
    (("first", "soonest", "earliest"), "smallest", ("due date", "due", "deadline", "date", "day", "start")),
    (("largest", "biggest", "highest"), "largest", ("total", "amount", "sum", "price", "size", "value")),
    (("smallest", "cheapest", "lowest"), "smallest", ("total", "amount", "sum", "price", "size", "value")),
)
"""What is asked, the step that finds it, and the columns that it can go by, the best first."""
_LESS = {"less", "smaller", "lower", "earlier", "before"}


def formula_for(question: str, facts: Sequence[Fact]) -> str:
    """The formula that the question asks for; empty when it is none of these."""
    words = " ".join(question.strip(" .?!").split())

    def named(text: str) -> str | None:
        return _fact(text, facts)

    ways = (_sum, _days, _share, _difference, _compare, _which, _first, _count)
    return next((formula for way in ways if (formula := way(words, named, facts))), "")


def _fact(text: str, facts: Sequence[Fact]) -> str | None:
    """The fact, or the literal, that the words mean."""
    bare = re.sub(r"^(?:the|my|our)\s+(?:fact\s+)?", "", text.strip(" ,"), flags=re.IGNORECASE).strip('"')
    match = best(bare, list(facts), lambda f: f.name, least=0.8)
    if match is not None and not match.rivals:
        return f"fact {quote(match.item.name)}"
    if re.fullmatch(r"[$€£¥]?\s?\d[\d.,]*", bare):
        return bare.replace(",", "")
    return f"date {quote(bare)}" if re.fullmatch(r"\d{4}-\d\d-\d\d", bare) else None


def _sum(words: str, named: Named, facts: Sequence[Fact]) -> str:
    match = _SUM.match(words)
    parts = [named(part) for part in _LIST.split(match["what"] or match["those"])] if match else []
    return " + ".join(part for part in parts if part) if parts and all(parts) else ""


def _two(a: str | None, b: str | None, named: Named) -> tuple[str, str] | None:
    first, second = named(a or ""), named(b or "")
    return (first, second) if first and second else None


def _days(words: str, named: Named, facts: Sequence[Fact]) -> str:
    match = _DAYS.match(words)
    pair = _two(match["a"], match["b"], named) if match else None
    return f"days({pair[0]}, {pair[1]})" if pair else ""


def _share(words: str, named: Named, facts: Sequence[Fact]) -> str:
    match = _SHARE.match(words)
    pair = _two(match["part"] or match["part2"], match["whole"] or match["whole2"], named) if match else None
    return f"percent({pair[0]}, {pair[1]})" if pair else ""


def _difference(words: str, named: Named, facts: Sequence[Fact]) -> str:
    match = _DIFFERENCE.match(words)
    pair = _two(match["a"], match["b"], named) if match else None
    return f"larger({pair[0]}, {pair[1]}) - smaller({pair[0]}, {pair[1]})" if pair else ""


def _compare(words: str, named: Named, facts: Sequence[Fact]) -> str:
    match = _IS.match(words)
    pair = _two(match["a"] or match["a2"], match["b"] or match["b2"], named) if match else None
    if match is None or pair is None:
        return ""
    less = (match["how"] or match["how2"]).casefold() in _LESS
    return f"{pair[0]} {'<' if less else '>'} {pair[1]}"


def _which(words: str, named: Named, facts: Sequence[Fact]) -> str:
    match = _WHICH.match(words)
    pair = _two(match["a"], match["b"], named) if match else None
    if match is None or pair is None:
        return ""
    first, second = (part if part.startswith('"') else quote(part) for part in (p.split(" ", 1)[-1] for p in pair))
    less = match["how"].casefold() in _LESS
    return f"if({pair[0]} {'<=' if less else '>='} {pair[1]}, {first}, {second})"


def _first(words: str, named: Named, facts: Sequence[Fact]) -> str:
    """Which row of a table comes first or has the most; what is paid already is not to be paid first."""
    match = _FIRST.match(words)
    tables = [table for fact in facts if match and (table := table_of(fact.value, fact.name)) is not None]
    about = [t for t in tables if match and match["what"].casefold().removesuffix("s") in t.source.casefold()] or tables
    if match is None or len(about) != 1:
        return ""
    columns = {column.casefold(): column for column in about[0].columns}
    step, by = next((step, names) for words_, step, names in _BY if match["how"].casefold() in words_)
    column = next((columns[name] for name in by if name in columns), None)
    if column is None:
        return ""
    paying = "status" in columns and re.search(r"\bpa(?:y|id)\b", words, re.I)
    left = f'where not [{columns["status"]}] is "paid" | ' if paying else ""
    return f"table {quote(about[0].source)} | {left}{step} [{column}] | get [{about[0].columns[0]}]"


def _count(words: str, named: Named, facts: Sequence[Fact]) -> str:
    match = _COUNT.match(words)
    tables = [fact for fact in facts if fact.kind == "table" or fact.value.startswith('{"columns"')]
    found = _fact(match["table"], tables) if match else None
    return f"{found} | count" if found and found.startswith("fact") else ""


_TABLE = re.compile(r'^table "([^"]+)"')


class RulesAnalyst:
    """Deterministic and exact. What it cannot work out it names, and it never guesses."""

    def answer(self, request: AnalystRequest) -> Answer:
        given = [step for step in request.subtask.steps if isinstance(step, ComputeStep)]
        clauses: list[c.Clause] = [c.Compute(formula=step.formula, name=step.name) for step in given]
        clauses = clauses or [x for x in parse(request.subtask.instruction) if not isinstance(x, c.Avoid)]
        sheet = sheet_of(request)
        results: list[Result] = []
        for number, clause in enumerate(clauses, start=1):
            asked = _asked(clause, number, request)
            if asked is None:
                words = clause.text if isinstance(clause, c.Unknown) else request.subtask.instruction
                return Answer(reason=f'these words are not understood as a question: "{words}"')
            try:
                results.append(worked_out(*asked, sheet))
            except MissingInput as missing:
                return Answer(missing=(missing.what,), reason=str(missing))
            except Trouble as trouble:
                return Answer(reason=f"{asked[1]} cannot be worked out: {trouble}")
        return Answer(results=tuple(results), reason="; ".join(_said(result) for result in results))


def _asked(clause: c.Clause, number: int, request: AnalystRequest) -> tuple[str, str] | None:
    """The formula, and the name of what it gives."""
    formula = formula_for(request.subtask.instruction, [f for f in request.facts if f.value])
    unknown = isinstance(clause, c.Compute) and _TABLE.findall(clause.formula)[:1] not in ([], *([f.name] for f in request.facts))
    if isinstance(clause, c.Compute) and not (unknown and formula):
        return clause.formula, clause.name
    return (formula, request.subtask.title or f"answer {number}") if formula else None


def _said(result: Result) -> str:
    return f"{result.name} is {result.value[:80]}"


