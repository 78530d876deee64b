"""People in a goal are called by name; a mail wants an address: it is looked up in the address book first, where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roles.contracts import AppWords
from roles.rules import clauses as c
from roles.rules.matching import rank_apps
from roles.rules.resolving import slot

_FACT = "e-mail"


def addressed(clauses: Sequence[c.Clause], apps: Sequence[AppWords]) -> list[c.Clause]:
    """`clauses` with a look-up before every new mail or forward to somebody who is only named."""
    if not any(found.score >= 0.75 for word in ("contacts", "address book") for found in rank_apps(word, apps)[:1]):
        return list(clauses)
    found: list[c.Clause] = []
    for clause in clauses:
        match clause:
            case c.When(then=then, otherwise=otherwise):
                inner = (tuple(addressed(branch, apps)) for branch in (then, otherwise))
                found.append(replace(clause, then=next(inner), otherwise=next(inner)))
            case c.Compose(to=to) | c.Forward(to=to) if any(_is_name(who) for who in to):
                reads, addresses = _looked_up(to, found)
                found += [*reads, replace(clause, to=addresses)]
            case _:
                found.append(clause)
    return found


def _is_name(who: str) -> bool:
    return bool(who) and "@" not in who and "{" not in who and not who.startswith(c.EACH)


def _looked_up(to: Sequence[str], before: Sequence[c.Clause]) -> tuple[list[c.Clause], tuple[str, ...]]:
    """The reads that are needed, and what stands for the addresses."""
    reads: list[c.Clause] = []
    addresses: list[str] = []
    for who in to:
        if not _is_name(who):
            addresses.append(who)
            continue
        name = f"{_FACT} of {who}"
        addresses.append(slot(name))
        read = c.Read(facts=(_FACT,), entity=c.Entity(noun="contact", name=who), names=(name,))
        if not any(isinstance(x, c.Read) and name in x.fact_names() for x in (*before, *reads)):
            reads.append(read)
    return reads, tuple(addresses)
