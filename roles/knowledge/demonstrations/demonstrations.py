"""From something that was done once to a playbook: numbered steps in plain English, with slots for what differs next time.

A value that the goal says becomes a slot, one that was read on a screen is read there again, and what is neither stays as it
is and is said to be a constant. Elements are called by name; detours, failures and steps without an effect are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from protocol import Frozen, InteractionStep
from roles.knowledge.demonstrations.actions import NOWHERE, Deeds, DemonstratedClause
from roles.knowledge.demonstrations.screens import Mention, Slots
from roles.knowledge.pages.documents import Document, DocumentKind
from roles.screen.language import clauses as c
from roles.screen.language.lexicon import NOUNS
from roles.screen.language.masks import quote
from roles.screen.language.wording import describe
from roles.screen.matching import similarity

_NEW = ("new", "create", "add", "compose", "write")
_AGREE = {"ok", "create", "add", "done", "rename", "save"}
_TO, _SUBJECT, _TITLE = ("to", "recipient"), ("subject",), ("title", "name", "file name")
_BODY = ("message", "body", "text", "content")


def joined(deeds: Sequence[DemonstratedClause]) -> list[DemonstratedClause]:
    """Presses and fields that together are one deed: a mail, an answer, a new note."""
    found = _gathered(list(deeds))
    at = 0
    while at < len(found):
        for idiom in (_reply, _post, _compose, _create, _rename, _move):
            if (made := idiom([d.clause for d in found[at:]])) is not None:
                clause, length = made
                found[at : at + length] = [found[at]._replace(clause=clause)]
                break
        at += 1
    return found


def in_sentences(clauses: Sequence[c.Clause]) -> list[str]:
    """A sentence for each clause."""
    return [f"{describe(clause)}." for clause in clauses]


def _gathered(deeds: list[DemonstratedClause]) -> list[DemonstratedClause]:
    """Facts of one record that are read one after the other are one reading."""
    found: list[DemonstratedClause] = []
    for deed in deeds:
        last = found[-1].clause if found else None
        clause = deed.clause
        if isinstance(last, c.Read) and isinstance(clause, c.Read) and _alike(last, clause):
            more = tuple(f for f in clause.facts if f not in last.facts)
            found[-1] = found[-1]._replace(clause=replace(last, facts=(*last.facts, *more)))
        else:
            found.append(deed)
    return found


def _alike(first: c.Read, second: c.Read) -> bool:
    return (first.app, first.entity) == (second.app, second.entity) and not first.names and not second.names


def _reply(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    match list(rest[:4]):
        case [c.OpenItem(entity=entity), c.ClickOn(control=control), c.Enter() as said, c.Commit(verb="send")]:
            if control.casefold().startswith("reply") and _called(said.field, _BODY):
                return c.Reply(app=said.app, entity=entity, body=said.value), 4
    return None


def _post(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    match list(rest[:3]):
        case [c.OpenItem(entity=entity), c.Enter() as said, c.Press(keys=("Enter",)) | c.Commit(verb="send")]:
            if entity.name and not entity.subject and "message" in said.field.casefold():
                return c.Post(app=said.app, to=entity.name, body=said.value), 3
    return None


def _rename(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    match list(rest[:3]):
        case [c.Act(verb="rename", entity=entity, app=app), c.Enter(value=value), *agreed] if not value.facts:
            named = bool(agreed) and isinstance(agreed[0], c.ClickOn | c.Commit | c.Press)
            return c.Rename(app=app, entity=entity, to=value.text), 2 + named
    return None


def _move(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    """`Move to`, and then where: a menu's entry or a choice."""
    match list(rest[:2]):
        case [c.Act(verb="move" | "move to", entity=entity, app=app), c.ClickOn(control=place)]:
            return c.Move(app=app, entity=entity, to=place), 2
        case [c.Act(verb="move" | "move to", entity=entity, app=app), c.Select(option=option)] if not option.facts:
            return c.Move(app=app, entity=entity, to=option.text), 2
        case _:
            return None


def _compose(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    if not (rest and isinstance(rest[0], c.ClickOn) and rest[0].control.casefold().split()[0] in _NEW):
        return None
    fields = _fields(rest[1:])
    end = 1 + len(fields)
    sent = rest[end] if end < len(rest) else None
    to = next((e.value for e in fields if _called(e.field, _TO)), c.Value())
    known = all(_called(e.field, (*_TO, *_SUBJECT, *_BODY)) for e in fields)
    if not (fields and known and to.text and not to.facts and isinstance(sent, c.Commit) and sent.verb == "send"):
        return None
    subject = next((e.value for e in fields if _called(e.field, _SUBJECT)), c.Value())
    body = next((e.value for e in fields if _called(e.field, _BODY)), c.Value())
    return c.Compose(app=rest[0].app, to=(to.text,), subject=subject, body=body), end + 1


def _create(rest: Sequence[c.Clause]) -> tuple[c.Clause, int] | None:
    """`New note`, a title, a text, and Save where there is one."""
    if not (rest and isinstance(rest[0], c.ClickOn)):
        return None
    verb, _, noun = rest[0].control.casefold().partition(" ")
    fields = _fields(rest[1:])
    known = all(_called(e.field, (*_TITLE, *_BODY)) for e in fields)
    if verb not in _NEW or noun.removeprefix("new ") not in NOUNS or not fields or not known:
        return None
    end = 1 + len(fields)
    match list(rest[end : end + 1]):
        case [c.ClickOn(control=control)] if control.casefold() in _AGREE:  # a prompt asked for the name first
            fields += (more := [e for e in _fields(rest[end + 1 :]) if _called(e.field, _BODY)][:1])
            end += 1 + len(more)
    title = next((e.value for e in fields if _called(e.field, _TITLE)), c.Value())
    body = next((e.value for e in fields if _called(e.field, _BODY)), c.Value())
    saved = end < len(rest) and isinstance(rest[end], c.Commit)
    return c.Create(app=rest[0].app, noun=NOUNS[noun.removeprefix("new ")], title=title, body=body), end + saved


def _fields(rest: Sequence[c.Clause]) -> list[c.Enter]:
    found: list[c.Enter] = []
    for clause in rest:
        if not isinstance(clause, c.Enter) or clause.add:
            break
        found.append(clause)
    return found


def _called(field: str, names: Sequence[str]) -> bool:
    return any(similarity(name, field) >= 0.9 for name in names)


_BRANCHES = re.compile(r"\b(?:if|unless|whether|otherwise|each|every|all|when|once|until)\b", re.IGNORECASE)
"""What one run cannot show: it goes one way, and so many rounds."""


class SlotFound(Frozen):
    """A value that another goal will give."""

    name: str
    value: str
    """In this demonstration; it is shown, and not kept."""


class ReadFound(Frozen):
    """A value that is read on a screen each time."""

    name: str
    app: str
    of: str = ""


class ConstantFound(Frozen):
    """A value that is always the same, because nothing explains it."""

    value: str
    where: str


class LearnedPlaybook(Frozen):
    """What was understood of a demonstration."""

    goal: str
    title: str
    app: str | None
    """The one in which something is done; None where there are several."""
    apps: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    slots: tuple[SlotFound, ...] = ()
    reads: tuple[ReadFound, ...] = ()
    constants: tuple[ConstantFound, ...] = ()
    doubts: tuple[str, ...] = ()
    """Why it may not hold for other values, a sentence each; empty where nothing speaks against it."""
    world: str = ""
    left_out: int = 0
    """Steps that led nowhere, failed or only looked for the way."""

    @property
    def text(self) -> str:
        """As a page of a handbook, which every policy can follow."""
        lines = [f"# {self.title}", ""]
        if self.apps:
            lines += [*(f"Requires the {app} app." for app in self.apps), ""]
        return "\n".join([*lines, *(f"{n}. {step}" for n, step in enumerate(self.steps, start=1)), ""])

    def document(self, kind: DocumentKind, source: str) -> Document:
        """As it is kept: without the values of this one time."""
        data = {
            "apps": list(self.apps),
            "world": self.world,
            "slots": [slot.name for slot in self.slots],
            "constants": [constant.model_dump() for constant in self.constants],
            "doubts": list(self.doubts),
        }
        return Document(kind=kind, app=self.app, title=self.title[:300], text=self.text, source=source, data=data)


def distil(steps: Iterable[InteractionStep], goal: str, *, world: str = "", more: Sequence[Mention] = ()) -> LearnedPlaybook:
    """One run of steps, done for `goal`. `more` are values of the goal that cannot be told by their shape."""
    taken = list(steps)
    slots = Slots(goal.strip(), more)
    deeds = Deeds(taken, slots)
    told = joined(deeds.all())
    clauses = [deed.clause for deed in told]
    apps = tuple(dict.fromkeys(clause.app for clause in clauses if clause.app))
    used = " ".join(sentences := in_sentences(clauses))
    fixed = [x for x in dict.fromkeys(deeds.origins.constants) if quote(x.value)[1:-1] in used]
    doubts = [*deeds.origins.doubts, *(x.doubt for x in fixed if x.doubt), *_left(slots)]
    if branch := _BRANCHES.search(slots.title):
        doubts.append(f'the goal says "{branch.group()}", and one run shows one way through')
    if not any(step.visual_state.elements for step in taken):
        doubts.append("the log does not say what was on the screen, so that nothing is known of what was read there")
    if not clauses:
        doubts.append("nothing that was done came to anything")
    return LearnedPlaybook(
        goal=goal,
        title=" ".join(slots.title.split()),
        app=apps[0] if len(apps) == 1 else None,
        apps=apps,
        steps=tuple(sentences),
        slots=tuple(SlotFound(name=name, value=value) for name, value in slots.values.items() if f"{{{name}}}" in used),
        reads=_reads(told),
        constants=tuple(ConstantFound(value=x.value, where=x.where) for x in fixed if "{" not in x.value),
        doubts=tuple(dict.fromkeys(doubts)),
        world=world,
        left_out=max(0, len(taken) - len({deed.at for deed in told if deed.part})),
    )


def _left(slots: Slots) -> list[str]:
    return [f'the goal says "{text}", and nothing that was done uses it' for text in slots.unused]


def _reads(told: Sequence[DemonstratedClause]) -> tuple[ReadFound, ...]:
    found = []
    for deed in told:
        if hasattr(deed.clause, "fact_names") and hasattr(deed.clause, "entity"):
            of = describe(deed.clause).partition(" of ")[2].partition(" in the ")[0]
            found += [ReadFound(name=name, app=deed.clause.app, of=of) for name in deed.clause.fact_names()]
    return tuple(found)


_WORD = re.compile(r"\S+")
_EDGES = "\"'“”„«»‘’.,:;!?()"


def distil_twice(
    first: Sequence[InteractionStep], goal: str, second: Sequence[InteractionStep], other_goal: str, *, world: str = ""
) -> LearnedPlaybook:
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
