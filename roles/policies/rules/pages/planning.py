"""A goal about the page that is shown, as a plan: one subtask in the goal's own words, and what must have been seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roles.contracts import ChosenSeen, EffectSeen, Expectation, FactKnown, FieldHas, PlanAnswer, PlanRequest, Subtask, TakenSeen
from roles.policies.rules.pages.handbook import is_doubtful
from roles.policies.rules.pages.reading import clauses as p
from roles.policies.rules.pages.reading.forms import understand
from roles.screen.language.clauses import Clause, Enter, PageClause

_PRESSES = (p.Push, p.Unfold, p.Dismiss, p.Focus, p.Extreme, p.Collect, p.Deed, p.Seek, p.Take)


def page_clauses(text: str, apps: Sequence[object]) -> tuple[PageClause, ...] | None:
    """The clauses for a page, where no applications can be named: everything then speaks of what is shown."""
    return None if apps else understand(text)


class PagePlan(NamedTuple):
    """A plan for the page that is shown."""

    answer: PlanAnswer
    doubtful: bool
    """The goal may mean something else, that a page of help speaks of."""


def page_plan(request: PlanRequest) -> PagePlan | None:
    """The first plan for a page; None when the goal is not understood as one."""
    clauses = page_clauses(request.goal, request.apps)
    if clauses is None:
        return None
    subtask = page_subtask("s1", clauses).model_copy(update={"instruction": request.goal})
    reason = f"{len(clauses)} things to do on the page that is shown"
    return PagePlan(PlanAnswer(outcome="planned", subtasks=(subtask,), reason=reason), is_doubtful(clauses))


_LONG = 6
"""Words beyond which nothing that is not quoted is a value, and nothing a field's name."""


def misread(clauses: Sequence[Clause], request: PlanRequest) -> str:
    """A list of values that the grammar for applications would type into one field of the page that is shown; else empty."""
    for clause in clauses if not request.apps else ():
        if isinstance(clause, Enter):
            text = clause.value.text
            if len(clause.field.split()) > _LONG or (len(text.split()) > _LONG and f'"{text}"' not in request.goal):
                return text
    return ""


_BLIND = re.compile(r"\b(?:click|save|submit|send|delete|\w+) was tried, and nothing showed that it worked")


def pressed_blindly(request: PlanRequest) -> str:
    """Why presses on a page are not made again: they were made, and more is taken, or what came of it is not seen. Else empty."""
    failed = next((s for s in request.plan if s.id == request.failed), None)
    if request.apps or failed is None:
        return ""
    if any(isinstance(clause, p.Take) for clause in understand(failed.instruction) or ()):
        return "; ".join(request.evidence)[:400] or "what was taken into the cart already is not taken again"
    if not any(_BLIND.search(told) for told in request.evidence):
        return ""
    return "the last press was made and nothing on the page shows what came of it; it may have worked, and is not made twice"


def page_subtask(name: str, clauses: Sequence[PageClause], after: Sequence[str] = ()) -> Subtask:
    """All of it as one subtask, in words that are read back as the same clauses."""
    said = list(_sentences(clauses))
    return Subtask(
        id=name,
        title="; ".join(said),
        instruction=f"{'. '.join(said)}.",
        depends_on=tuple(after),
        expect=expected(clauses),
    )


def _sentences(clauses: Sequence[PageClause]) -> Iterator[str]:
    """Each sentence once, however many clauses it stands for; one that is said twice is done twice."""
    at = 0
    while at < len(clauses):
        yield clauses[at].said
        at += max(1, len(understand(clauses[at].said) or ()))


def expected(clauses: Sequence[PageClause]) -> tuple[Expectation, ...]:
    """Every value and choice, and an effect of the last press; a press before it may show in nothing but that."""
    found: list[Expectation] = []
    for clause in clauses:
        match clause:
            case p.Put(thing=thing) if thing.words == "calendar":
                found.append(EffectSeen(verb="click"))
            case p.Put(source=source, thing=thing):
                label = thing.name or thing.words or "field"
                found.append(FieldHas(label=label, value=None if source.fact else source.text, fact=source.fact or None))
            case p.Choose(names=names, exact=exact, on=on) if names and not clause.thing.nth:
                found.append(ChosenSeen(names=names, exact=exact, on=on))
            case p.Collect(names=names, trait=trait, each=each):
                found.append(TakenSeen(names=names, trait=trait, each=each))
            case p.DragTo(thing=thing):
                found.append(EffectSeen(verb="drag", target=thing.name or None))
            case p.Attach():
                found.append(EffectSeen(verb="upload"))
            case p.Learn(name=name):
                found.append(FactKnown(name=name))
            case _:
                pass
    if isinstance(last := clauses[-1], _PRESSES):
        named = last.thing.name if isinstance(last, p.Push) else ""
        found.append(EffectSeen(verb="click", target=named or None))
    return tuple(dict.fromkeys(found))
