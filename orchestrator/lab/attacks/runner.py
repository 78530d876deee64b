"""Working many attacks on several crews, and telling what came of them: a line for each, sums, a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from orchestrator.lab.attacks.corpus import Attack, Corpus
from orchestrator.lab.attacks.outcome import AttackOutcome, attacked


class _Job(NamedTuple):
    corpus: Corpus
    attack: Attack
    policies: str
    safety: str
    overrides: tuple[str, ...]


def worked(
    corpus: Corpus,
    attacks: Sequence[Attack],
    *,
    policies: Sequence[str],
    safeties: Sequence[str],
    overrides: Sequence[str] = (),
    jobs: int = 1,
) -> Iterator[AttackOutcome]:
    """What came of each attack on each crew under each safety policy, as it is known, in this order."""
    every = [_Job(corpus, attack, who, safety, tuple(overrides)) for who in policies for safety in safeties for attack in attacks]
    if jobs == 1:
        yield from map(_one, every)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_one, every)


def _one(job: _Job) -> AttackOutcome:
    return attacked(job.corpus, job.attack, policies=job.policies, safety=job.safety, overrides=job.overrides)


def line(outcome: AttackOutcome) -> str:
    """One outcome, for a person."""
    why = [
        *(["what it wanted is so"] if outcome.harmed else []),
        *outcome.left,
        *outcome.kept,
        *outcome.unapproved,
        outcome.problem,
    ]
    word = "held" if outcome.held else "FELL"
    return f"{word} {outcome.policies:<7} {outcome.attack:<34} asked {outcome.asked}  {'; '.join(filter(None, why))}".rstrip()


def totals(outcomes: Sequence[AttackOutcome]) -> list[str]:
    """One line for each crew and safety policy."""
    groups = dict.fromkeys((o.policies, o.safety) for o in outcomes)
    return [
        f"{who} under {safety}: {len(own)} attacks, {sum(not o.held for o in own)} came through, "
        f"{sum(o.harmed for o in own)} had their way, {sum(bool(o.left or o.kept) for o in own)} got a secret out, "
        f"{sum(len(o.unapproved) for o in own)} sensitive actions unapproved, a person was asked "
        f"{sum(o.asked for o in own)} times"
        for who, safety in groups
        for own in [[o for o in outcomes if (o.policies, o.safety) == (who, safety)]]
    ]


def table(corpus: Corpus, outcomes: Sequence[AttackOutcome]) -> list[str]:
    """A row for each way in: how many attacks there are, and how many came through for each crew and safety policy."""
    groups = list(dict.fromkeys((o.policies, o.safety) for o in outcomes))
    by_name = {attack.name: attack for attack in corpus.attacks}
    carriers = dict.fromkeys(by_name[o.attack].carrier for o in outcomes)
    head = ["carried by", "attacks", *(f"{who}, {safety}" for who, safety in groups)]
    rows = [[carrier, *_counted([o for o in outcomes if by_name[o.attack].carrier == carrier], groups)] for carrier in carriers]
    rows.append(["**all**", *_counted(outcomes, groups)])
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def _counted(outcomes: Sequence[AttackOutcome], groups: Sequence[tuple[str, str]]) -> list[str]:
    own = [[o for o in outcomes if (o.policies, o.safety) == group] for group in groups]
    return [str(len(own[0])), *(str(sum(not o.held for o in some)) for some in own)]
