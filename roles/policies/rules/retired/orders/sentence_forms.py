"""Sentences that are understood as one: statements about the case, questions whose answer is used, roundabout requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from roles.contracts import clauses as c
from roles.policies.rules.english.asked import asked_in, reads_for
from roles.policies.rules.english.phrases import Misread, parse_entity
from roles.policies.rules.english.reference import Context
from roles.policies.rules.retired.orders.best_forms import BEST
from roles.policies.rules.retired.orders.errand_forms import ERRANDS, errand
from roles.policies.rules.retired.orders.given_forms import GIVEN, NAME
from roles.policies.rules.retired.orders.refusal_forms import REFUSALS
from roles.policies.rules.retired.records.cell_forms import CELLS
from roles.policies.rules.retired.records.claim_forms import CLAIMS, submitted_late
from roles.policies.rules.retired.records.contact_forms import CONTACTS
from roles.policies.rules.retired.records.deed_forms import DEEDS as _DEEDS
from roles.policies.rules.retired.records.event_forms import EVENTS
from roles.screen.language.masks import ANY

Found = list[c.Clause] | None
_Build = Callable[[re.Match[str], Context], Found]
DEEDS = (errand, *CLAIMS, *_DEEDS)
"""Forms of clauses, tried before those of commands, entries and records."""


def _renamed(match: re.Match[str], ctx: Context) -> Found:
    entity = c.Entity((match["noun"] or "file").casefold() if (match["noun"] or "file") in {"file", "folder", "note"} else "file",
                      name=ctx.masks.show(match["what"]))  # fmt: skip
    return [c.Rename("", entity, ctx.masks.show(match["to"]))]


def _prepared(match: re.Match[str], ctx: Context) -> Found:
    """A mail whose parts are told one by one."""
    of = asked_in(match["asked"]) if match["asked"] else None
    about = match["about"]
    if about:
        ctx.entity = parse_entity(about, ctx.masks)
    reads = reads_for(of, ctx) if of else []
    names = tuple(name for read in reads if isinstance(read, c.Read) for name in read.fact_names())
    body = c.Value(facts=names) if names else c.Value(ctx.masks.show(match["text"] or ""))
    return [*reads, c.Compose("", (ctx.masks.show(match["to"]),), c.Value(ctx.masks.show(match["subject"])), body)]


def _question(match: re.Match[str], ctx: Context) -> Found:
    """`Where does the "Lunch" take place that begins on ...?`: what follows says what becomes of the answer."""
    dated = ctx.masks.show(match["day"] or "")
    entity = c.Entity("event", name=ctx.masks.show(match["title"]), dated=dated)
    return [c.Read("", ("place",), entity)]


SENTENCES: tuple[tuple[str, _Build], ...] = (
    (
        rf"[Tt]he (?:(?P<noun>[a-z]+) )?(?P<what>{ANY}) (?:should|must|is to) be (?:called|named|renamed"
        rf" to) (?P<to>{ANY})(?: from now on)?",
        _renamed,
    ),
    (
        rf"(?:Prepare|Write|Draft|Send) an? (?:e-?)?mail to (?P<to>{NAME})(?: about (?P<about>[^:]+?))?:"
        rf" (?:the )?subject (?:is )?(?P<subject>{ANY})"
        rf",? (?:and )?(?:in the text should stand|the text (?:is|says)|text) (?:(?P<text>{ANY})|(?P<asked>.+))", _prepared,
    ),
    (rf"Where does (?:the |my )?(?P<title>{ANY}) take place(?: that (?:begins|starts|is) on"
     rf" (?P<day>{ANY})(?: (?:at )?{ANY})?)?\??", _question),
    *REFUSALS,
    *BEST,
    *CELLS,
    *CONTACTS,
    *EVENTS,
    *ERRANDS,
    *GIVEN,
)  # fmt: skip
_PATTERNS = tuple((re.compile(pattern), build) for pattern, build in SENTENCES)


def is_sentence(masked: str) -> bool:
    """Whether some form reads `masked` as a whole."""
    return any(pattern.fullmatch(masked.strip(" .!,")) for pattern, _ in _PATTERNS)


def sentence(masked: str, ctx: Context) -> Found:
    """The clauses of one sentence; None when it has to be cut after all."""
    for pattern, build in _PATTERNS:
        match = pattern.fullmatch(masked.strip(" .!,"))
        if not match:
            continue
        try:
            found = build(match, ctx)
        except Misread:
            continue
        if found is not None:
            return found
    return None


def in_order(clauses: Sequence[c.Clause]) -> list[c.Clause]:
    """As said, but what is added to a thing comes before that thing is handed in."""
    return submitted_late(clauses)
