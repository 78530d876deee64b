"""What the rows of a suite come to: shares with intervals, pass@k and pass^k, and two configurations compared in pairs."""

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import mean

from orchestrator.errors import UsageProblem
from orchestrator.lab.suite.suite import EpisodeRow
from protocol import Frozen

Z = 1.959964
"""Of a normal distribution: 95 % lie within so many deviations."""
DRAWS = 10_000


class Figures(Frozen):
    """One line of the table. Means are of all runs; `over_oracle` of those that are right, where the oracle's steps are known."""

    group: str
    runs: int
    right: int
    share: float
    low: float
    high: float
    """Wilson's interval of the share, at 95 %."""
    false_done: int
    errors: int
    pass_at_k: float
    """How likely at least one of k of the repeats is right, as the mean over tasks and seeds; for one repeat the share itself."""
    pass_hat_k: float
    """The same for all of the k (pass^k)."""
    steps: float
    over_oracle: float | None
    gates: float
    plans: float
    approvals: float
    tokens: float
    money: float
    """Of all runs together."""


class Comparison(Frozen):
    """Two configurations over what both were given."""

    first: str
    second: str
    pairs: int
    only_first: int
    """Right with the first and not with the second."""
    only_second: int
    difference: float
    """Of the shares, second less first."""
    p: float
    """Two-sided and exact: how likely so many more on one side are where neither is better."""
    false_done: tuple[int, int]
    steps: float | None
    """Mean difference of steps where both are right, second less first; None where there is no such pair."""
    steps_p: float | None
    """By a permutation test with a fixed seed."""


def wilson(right: int, runs: int) -> tuple[float, float]:
    """Wilson's score interval of a share at 95 %; 0 to 1 where there are no runs."""
    if not runs:
        return 0.0, 1.0
    share, square = right / runs, Z * Z
    middle = (share + square / (2 * runs)) / (1 + square / runs)
    half = Z * math.sqrt(share * (1 - share) / runs + square / (4 * runs * runs)) / (1 + square / runs)
    return max(0.0, middle - half), min(1.0, middle + half)


GROUPS: dict[str, Callable[[EpisodeRow], Iterable[str]]] = {
    "configuration": lambda row: (row.configuration,),
    "task": lambda row: (f"{row.configuration} {row.task}",),
    "tier": lambda row: (f"{row.configuration} tier {row.tier}",),
    "kind": lambda row: (f"{row.configuration} {kind}" for kind in row.kinds),
    "seed": lambda row: (f"{row.configuration} seed {row.seed}",),
}


def figures(rows: Sequence[EpisodeRow], by: str = "configuration", k: int = 0) -> list[Figures]:
    """A line for each group, in the order of names. `by` is one of GROUPS; k is the number of repeats where none is said."""
    if by not in GROUPS:
        raise UsageProblem(f"--by {by!r} is not known; there are {', '.join(GROUPS)}.")
    groups: dict[str, list[EpisodeRow]] = defaultdict(list)
    for row in rows:
        for group in GROUPS[by](row):
            groups[group].append(row)
    return [_figures(group, own, k) for group, own in sorted(groups.items())]


def passes(rights: Sequence[bool], k: int = 0) -> tuple[float, float]:
    """How likely of k that are drawn at least one, and all, are right: Chen and others' estimators, without bias."""
    runs, right = len(rights), sum(rights)
    if k > runs:
        raise UsageProblem(f"--k {k}: a task and seed has {runs} repeats; K cannot be larger.")
    every = math.comb(runs, k := k or runs)
    return 1 - math.comb(runs - right, k) / every, math.comb(right, k) / every


def _figures(group: str, rows: Sequence[EpisodeRow], k: int) -> Figures:
    right = sum(row.right for row in rows)
    low, high = wilson(right, len(rows))
    repeats: dict[tuple[str, str, int], list[bool]] = defaultdict(list)
    for row in rows:
        repeats[row.configuration, row.task, row.seed].append(row.right)
    one, whole = zip(*(passes(rights, k) for rights in repeats.values()), strict=True)
    over = [max(0, row.steps - row.oracle_steps) for row in rows if row.right and row.oracle_steps]
    return Figures(
        group=group, runs=len(rows), right=right, share=right / len(rows), low=low, high=high,
        false_done=sum(row.false_done for row in rows), errors=sum(row.status == "error" for row in rows),
        pass_at_k=mean(one), pass_hat_k=mean(whole),
        steps=mean(row.steps for row in rows), over_oracle=mean(over) if over else None,
        gates=mean(row.gates for row in rows), plans=mean(row.plans for row in rows),
        approvals=mean(row.approvals for row in rows),
        tokens=mean(row.tokens_in + row.tokens_out for row in rows), money=sum(row.money for row in rows),
    )  # fmt: skip


def compared(first: Sequence[EpisodeRow], second: Sequence[EpisodeRow], names: tuple[str, str]) -> Comparison:
    """The same tasks, seeds and repeats under two configurations. Raises UsageProblem where they share none."""
    theirs = {row.pair: row for row in second}
    pairs = [(row, theirs[row.pair]) for row in first if row.pair in theirs]
    if not pairs:
        raise UsageProblem(f"{names[0]} and {names[1]} have no task and seed in common.")
    ours = sum(a.right and not b.right for a, b in pairs)
    others = sum(b.right and not a.right for a, b in pairs)
    steps = [float(b.steps - a.steps) for a, b in pairs if a.right and b.right]
    return Comparison(
        first=names[0], second=names[1], pairs=len(pairs), only_first=ours, only_second=others,
        difference=(others - ours) / len(pairs), p=sign_test(ours, others),
        false_done=(sum(a.false_done for a, _ in pairs), sum(b.false_done for _, b in pairs)),
        steps=mean(steps) if steps else None, steps_p=permuted(steps) if steps else None,
    )  # fmt: skip


def sign_test(ours: int, others: int) -> float:
    """Two-sided exact binomial test on the pairs that differ: the permutation test of paired shares, without drawing."""
    differing, fewer = ours + others, min(ours, others)
    tail = sum(math.comb(differing, k) for k in range(fewer + 1))
    return min(1.0, 2 * tail / float(2**differing))


def permuted(differences: Sequence[float], draws: int = DRAWS, seed: int = 0) -> float:
    """Two-sided permutation test of a mean of paired differences: the share of sign changes that come out as far from 0."""
    rng, found = random.Random(seed), abs(sum(differences)) - 1e-9  # noqa: S311 - figures, no secrets
    far = sum(abs(sum(d if rng.random() < 0.5 else -d for d in differences)) >= found for _ in range(draws))
    return (far + 1) / (draws + 1)


HEADS = (
    "", "runs", "right", "95 %", "false done", "pass@k", "pass^k", "steps", "over oracle", "gates", "plans", "approvals",
    "tokens", "money", "",
)  # fmt: skip


def cells(one: Figures) -> tuple[object, ...]:
    """What is told of a group under each head."""
    between = f"{one.low:.1%}-{one.high:.1%}"
    over = "-" if one.over_oracle is None else f"{one.over_oracle:.1f}"
    errors = f"{one.errors} could not be run" if one.errors else ""
    return (
        one.group, one.runs, f"{one.share:.1%}", between, one.false_done, f"{one.pass_at_k:.1%}", f"{one.pass_hat_k:.1%}",
        f"{one.steps:.1f}", over, f"{one.gates:.1f}", f"{one.plans:.1f}", f"{one.approvals:.1f}",
        f"{one.tokens:.0f}", f"{one.money:.4f}", errors,
    )  # fmt: skip


def comparison_lines(found: Comparison) -> list[str]:
    """For a person."""
    lines = [
        f"{found.pairs} pairs of a task, a seed and a repeat",
        f"right only with {found.first}: {found.only_first}; only with {found.second}: {found.only_second}",
        f"{found.second} less {found.first}: {found.difference:+.1%} right (p = {found.p:.4f})",
        f"reported done, but not done: {found.false_done[0]} and {found.false_done[1]}",
    ]
    if found.steps is not None:
        lines.append(f"steps where both are right: {found.steps:+.2f} (p = {found.steps_p:.4f})")
    return lines
