"""Two runs side by side: which line of one stands beside which line of the other."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from orchestrator.viewer.data import Item

WINDOW = 200
"""Lines of each run that are matched together, so that long runs take no longer a line than short ones."""
Pair = tuple[int | None, int | None]


def aligned(left: Sequence[Item], right: Sequence[Item]) -> list[Pair]:
    """Pairs of line numbers in order; None where the other run has no such line."""
    pairs: list[Pair] = []
    a = b = 0
    while a < len(left) or b < len(right):
        ours, theirs = left[a : a + WINDOW], right[b : b + WINDOW]
        more = a + WINDOW < len(left) or b + WINDOW < len(right)
        used = _window(ours, theirs, more, a, b, pairs)
        a, b = a + used[0], b + used[1]
    return pairs


def _window(ours: Sequence[Item], theirs: Sequence[Item], more: bool, a: int, b: int, pairs: list[Pair]) -> tuple[int, int]:
    blocks = SequenceMatcher(None, [_said(x) for x in ours], [_said(y) for y in theirs], autojunk=False).get_opcodes()
    if more and len(blocks) > 1 and blocks[-1][0] != "equal":
        blocks = blocks[:-1]  # what follows may belong to it
    for _, i, j, k, m in blocks:
        both = min(j - i, m - k)
        pairs.extend((a + i + n, b + k + n) for n in range(both))
        pairs.extend((a + n, None) for n in range(i + both, j))
        pairs.extend((None, b + n) for n in range(k + both, m))
    return blocks[-1][2], blocks[-1][4]


def _said(item: Item) -> tuple[str, str, str]:
    """What two lines must share to stand beside each other; ids, times and places differ from run to run."""
    return item.kind, item.role, item.line


def same(one: Item, other: Item) -> bool:
    """Whether both runs did the same and the same came of it."""
    return (*_said(one), one.status, one.subtask, one.app) == (*_said(other), other.status, other.subtask, other.app)


def differences(left: Sequence[Item], right: Sequence[Item], pairs: Sequence[Pair]) -> list[int]:
    """Places among the pairs where the runs are not the same."""
    return [
        place
        for place, (one, other) in enumerate(pairs)
        if one is None or other is None or not same(left[one], right[other])
    ]
