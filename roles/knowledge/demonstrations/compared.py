"""The same thing shown twice with other values: what differs between the two is a slot, and what only one of them has is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from protocol import InteractionStep
from roles.knowledge.demonstrations.demonstrations import Distilled, distil
from roles.knowledge.demonstrations.origins import NOWHERE
from roles.knowledge.demonstrations.values import Mention

_WORD = re.compile(r"\S+")
_EDGES = "\"'“”„«»‘’.,:;!?()"


def distil_twice(
    first: Sequence[InteractionStep], goal: str, second: Sequence[InteractionStep], other_goal: str, *, world: str = ""
) -> Distilled:
    """Two runs of steps for two goals that say the same with other values."""
    one = distil(first, goal, world=world, more=differing(goal, other_goal))
    two = distil(second, other_goal, world=world, more=differing(other_goal, goal))
    if one.title != two.title:
        return one.model_copy(update={"doubts": (*one.doubts, f'the goals do not say the same: "{one.title}" and "{two.title}"')})
    steps, apart = _common(one.steps, two.steps)
    same = {constant.value for constant in one.constants} & {constant.value for constant in two.constants}
    doubts = [doubt for doubt in one.doubts if doubt in two.doubts and not doubt.endswith(NOWHERE)]
    return one.model_copy(
        update={
            "steps": tuple(steps),
            "doubts": tuple(dict.fromkeys([*doubts, *apart])),
            "constants": tuple(constant for constant in one.constants if constant.value in same),
            "left_out": one.left_out + len(one.steps) - len(steps),
        }
    )


def differing(goal: str, other: str) -> list[Mention]:
    """The words of `goal` that stand where `other` has other ones."""
    mine, theirs = list(_WORD.finditer(goal)), list(_WORD.finditer(other))
    matcher = SequenceMatcher(None, [m.group() for m in mine], [m.group() for m in theirs], autojunk=False)
    return list(_spans(goal, mine, matcher))


def _spans(goal: str, words: Sequence[re.Match[str]], matcher: SequenceMatcher[str]) -> Iterator[Mention]:
    for how, start, end, _, _ in matcher.get_opcodes():
        if how != "replace":
            continue
        text = goal[words[start].start() : words[end - 1].end()]
        bare = text.strip(_EDGES)
        if bare:
            at = words[start].start() + text.index(bare)
            yield Mention(at, at + len(bare), bare)


def _common(one: Sequence[str], two: Sequence[str]) -> tuple[list[str], list[str]]:
    """The steps of both in their order, and what speaks against taking them for the whole."""
    steps: list[str] = []
    apart: list[str] = []
    for how, start, end, from_, to in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if how == "equal":
            steps += one[start:end]
        elif how == "replace":
            steps += one[start:end]
            apart.append(f"once it was {' '.join(one[start:end])!r} and once {' '.join(two[from_:to])!r}, and no goal says why")
    if not steps:
        apart.append("the two have no step in common")
    return steps, apart
