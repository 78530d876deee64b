"""The goal as the user wants it by now: with what they said since, of which some replaces what was planned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from environments.cards import vocabulary
from roles.contracts import USER, PlanRequest, Subtask
from roles.contracts.orders import Reading, Step, names_in
from roles.contracts.signals import SubtaskStatus
from roles.knowledge.pages.follow import answers_page
from roles.policies.orders.stages import group_of, new_subtasks
from roles.policies.orders.state import Group
from roles.screen.language.reader import read

OPEN = frozenset({SubtaskStatus.READY, SubtaskStatus.PENDING})
_WHEN = re.compile(r"[,\s]*\b(?:first|beforehand|before(?: that)?|instead)\b[\s.!]*$|^\s*(?:no|first|instead)\b[,:\s]+", re.I)
_FIRST = re.compile(r"\b(?:first|before(?:hand| that)?)\b", re.I)
_INSTEAD = re.compile(r"\b(?:instead|rather)\b", re.I)


class Wish(NamedTuple):
    """The goal and those words of the user that are orders, read as one."""

    reading: Reading
    own: int = 0
    """Orders of the goal itself."""
    noted: int = 0
    """Orders of it and of what was said while the crew works; those behind are of answers to requests."""
    newest: str = ""
    lost: tuple[str, ...] = ()
    """Words that are not understood: nothing comes of them."""

    def name(self, group: str) -> str:
        """The group's name, which stays when more is said."""
        number, rest = order_of(group), group.partition(".")
        at, letter = (number, "o") if number < self.own else (number - self.own, "n")
        at, letter = (at, letter) if number < self.noted else (number - self.noted, "u")
        return f"{letter}{at}{rest[1]}{rest[2]}"

    def order(self, subtask: str) -> int:
        """The order that a subtask is for; -1 where it is for none."""
        base = {"o": 0, "n": self.own, "u": self.noted}.get(subtask[:1], -1)
        return base + order_of(subtask) if base >= 0 and order_of(subtask) >= 0 else -1

    @property
    def forbids(self) -> bool:
        """Whether the newest words only say what is not to be done."""
        return bool(self.newest) and self.reading.orders[-1].negated

    @property
    def first(self) -> bool:
        return bool(_FIRST.search(self.newest))

    @property
    def instead(self) -> bool:
        return bool(_INSTEAD.search(self.newest))


def order_of(group: str) -> int:
    found = re.match(r"[onu](\d+)", group)
    return int(found[1]) if found else -1


def is_given(plan: Sequence[Subtask]) -> bool:
    """Whether it is a plan of somebody else: none of its subtasks is for an order of the goal."""
    return bool(plan) and all(order_of(subtask.id) < 0 for subtask in plan)


def wished(request: PlanRequest) -> Wish:
    """The goal with what the user has said since, as if it had been said so at once."""
    goal = "" if is_given(request.plan) else request.given or request.goal
    notes = [note.words for note in request.notes if note.for_plans]
    words = [*((said, True) for said in notes), *((said, False) for said in request.user_words)]
    whole = [at for at, (said, _) in enumerate(words) if _INSTEAD.search(said)]
    if whole and not any(subtask.id.startswith("o") for subtask in request.plan):  # of the goal itself nothing was worked
        goal, words = "", words[whole[-1] :]
    first = _read(goal, request)
    for answer in (one.text for one in request.supplements if one.source == USER and not answers_page(one, goal)):
        joined = (f"{goal.rstrip('. ')}{mark}{answer}" for mark in (" ", ". "))
        first = first if first.understood else next((one for t in joined if (one := _read(t, request)).understood), first)
    wish = Wish(first, len(first.orders), len(first.orders))
    for said, noted in words:
        before, plain = wish.reading, _WHEN.sub("", said).strip(" .!")
        more = _read(f"{before.goal.rstrip('. ')}. {plain}." if before.goal else f"{plain}.", request)
        if more.asks != before.asks or more.unread != before.unread or len(more.orders) <= len(before.orders):
            wish = wish._replace(lost=(*wish.lost, said))
        else:
            wish = wish._replace(reading=more, newest=said, noted=len(more.orders) if noted else wish.noted)
    return wish


def _read(goal: str, request: PlanRequest) -> Reading:
    shown = names_in([step for subtask in request.plan for step in subtask.steps])
    return read(goal, request.today, vocabulary(request.cards, shown)) if goal else Reading(goal="")


def given_up(plan: Sequence[Subtask], wish: Wish) -> set[int]:
    """Orders in whose place something else is done, as the user wanted it: its subtasks are named so."""
    marks = (re.search(r"x([onu]\d+)", subtask.id) for subtask in plan)
    return {wish.order(mark[1]) for mark in marks if mark is not None}


def is_corrected(request: PlanRequest, groups: Sequence[Group], order: int, wish: Wish) -> bool:
    """Whether the order that is at work is to be done in another way now."""
    planned = [step for s in request.plan if wish.order(s.id) == order for step in s.steps]
    wanted = [step for group in groups if order_of(group.id) == order for step in group.steps]
    return any(_bare(step) not in map(_bare, planned) for step in wanted) or not wanted


def minded(
    request: PlanRequest, wish: Wish, groups: Sequence[Group], titles: Mapping[str, str], instead: int = -1
) -> tuple[Subtask, ...]:
    """The plan as it is wanted now: what is done stays, what is left is planned anew, and what was said comes to it."""
    done = [s for s in request.plan if s.status not in OPEN]
    left = [s for s in request.plan if s.status in OPEN]
    front: list[Group] = []
    back: list[Group] = []
    for group in groups:
        number, name = order_of(group.id), wish.name(group.id)
        mine = [s for s in request.plan if group_of(s.id) == name]
        gone = [_bare(step) for s in mine if s.status is SubtaskStatus.FULFILLED for step in s.steps]
        steps = tuple(step for step in group.steps if _bare(step) not in gone)
        said = number >= wish.own and not mine
        name += f"-{len(mine) + 1}" if mine else ""
        name += f"x{_named(wish, instead)}" if said and instead >= 0 else ""
        if steps:
            (front if said and (wish.first or instead >= 0) else back).append(Group(name, steps))
    if is_given(request.plan):
        return (*request.plan, *new_subtasks([*front, *back], request.plan, titles))
    fresh = new_subtasks([*front, *back], done, titles)
    same = {new.id: old for new in fresh for old in left if [*map(_bare, old.steps)] == [*map(_bare, new.steps)]}
    there = {s.id for s in done if s.status is SubtaskStatus.FULFILLED} | {s.id for s in fresh}
    made = []
    for subtask in fresh:
        waits = tuple(same[one].id if one in same else one for one in subtask.depends_on if one in there)
        made.append(same.get(subtask.id, subtask).model_copy(update={"depends_on": waits}))
    return (*done, *made)


def _named(wish: Wish, order: int) -> str:
    return wish.name(f"o{order}")


def _bare(step: Step) -> Step:
    """The step, whichever order it is for."""
    return step.model_copy(update={"order": -1})
