"""Clauses to subtasks: group by application, say what is expected, order by what flows from one to the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from roles.analyst.formula import names_in
from roles.contracts import AppShown, AppWords, EffectSeen, Expectation, FactKnown, FieldHas, Subtask, TextShown
from roles.policies.rules.pages.planning import page_subtask
from roles.policies.rules.phrases import CHANGE
from roles.policies.rules.planning.places import place_clauses
from roles.policies.rules.reference import slot, slots_of
from roles.screen.language import clauses as c
from roles.screen.language.clauses import PageClause
from roles.screen.language.wording import describe
from roles.screen.matching import rank_apps

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


_LEARNING = (c.Read, c.Collect, c.Compute, c.Free)
_EFFECTS = (c.Commit, c.Compose, c.Reply, c.Forward, c.Delete, c.Rename, c.Move, c.ClickOn, c.Press, c.Act, c.Post, c.Adjust)


def make_subtasks(
    clauses: Sequence[c.Clause], apps: Sequence[AppWords], *, first: int = 1, known: Iterable[str] = (), after: Sequence[str] = ()
) -> list[Subtask]:
    """Subtasks `s<first>`, ... for `clauses`. `after` are ids that the first of them waits for."""
    if on_page := [x for x in clauses if isinstance(x, PageClause)]:
        return [page_subtask(f"s{first}", on_page, after)]
    groups = _groups(place_clauses([x for x in clauses if not isinstance(x, c.Avoid)], apps))
    titles = {app.app: app.title for app in apps}
    made: list[Subtask] = []
    producers: dict[str, str] = {}
    for number, (app, group) in enumerate(groups, start=first):
        name = f"s{number}"
        depends = (_depends(group, app, made, producers) if made else []) or list(after)
        made.append(subtask_of(name, app, group, titles.get(app or "", app or ""), depends))
        producers.update({fact: name for clause in group if isinstance(clause, _LEARNING) for fact in clause.fact_names()})
    return made


def _groups(placed: Sequence[tuple[c.Clause, str | None]]) -> list[tuple[str | None, list[c.Clause]]]:
    groups: list[tuple[str | None, list[c.Clause]]] = []
    for clause, app in placed:
        analysis = isinstance(clause, c.Compute)
        together = groups and groups[-1][0] == app and isinstance(groups[-1][1][-1], c.Compute) is analysis
        if together:
            groups[-1][1].append(clause)
        else:
            groups.append((app, [clause]))
    return groups


def subtask_of(name: str, app: str | None, group: Sequence[c.Clause], title: str, depends: Sequence[str]) -> Subtask:
    """One subtask with canonical English for its instruction."""
    kept = [x for x in group if not isinstance(x, c.Open)] or list(group)
    plain = [x if isinstance(x, c.Open) else replace(x, app="") for x in kept]
    sentences = [describe(clause) for clause in plain]
    head = "; ".join(sentences)
    analysis = all(isinstance(x, c.Compute) for x in kept)
    return Subtask(
        id=name,
        title=f"{title}: {head}" if title and not analysis else head,
        instruction=" ".join(f"{sentence}." for sentence in sentences),
        app=None if analysis else app,
        worker="analyst" if analysis else "operator",
        depends_on=tuple(depends),
        expect=tuple(dict.fromkeys(e for clause in kept for e in expectations(clause, app))),
    )


def _depends(group: Sequence[c.Clause], app: str | None, made: Sequence[Subtask], producers: dict[str, str]) -> list[str]:
    """Who knows the facts, who was in this application before; what has effects waits for all that the goal says first."""
    needs = [producers[fact] for clause in group for fact in facts_used(clause) if fact in producers]
    same = [s.id for s in made if s.app == app][-1:]
    before = [made[-1].id] if any(isinstance(x, _EFFECTS) for x in group) or not (needs or same) else []
    return list(dict.fromkeys([*needs, *same, *before]))


def facts_used(clause: c.Clause) -> tuple[str, ...]:
    """Names of the facts that the clause writes or says."""
    values: list[c.Value] = []
    match clause:
        case c.Enter(value=value) | c.Tell(value=value):
            values = [value]
        case c.Select(option=option):
            values = [option]
        case c.Cell(value=value) | c.Free(hours=value):
            values = [value]
        case c.Compose(subject=subject, body=body):
            values = [subject, body]
        case c.Reply(body=body) | c.Forward(body=body) | c.Post(body=body):
            values = [body]
        case c.Create(title=title, body=body):
            values = [title, body]
        case c.Compute(formula=formula):
            return names_in(formula)
        case _:
            pass
    return (*(fact for value in values for fact in value.facts), *slots_of(clause))


def expectations(clause: c.Clause, app: str | None) -> list[Expectation]:
    """What must have been seen once the clause is done."""
    match clause:
        case c.Read() | c.Collect() | c.Compute() | c.Free():
            return [FactKnown(name=name) for name in clause.fact_names()]
        case c.Open():
            return [AppShown(app=app)] if app else []
        case c.Enter(value=value, field=field, add=add):
            return _entered(value, field, app, beside=add)
        case c.Select(option=option, field=field):
            return _entered(option, field or option.text, app)
        case c.Check(box=box, on=on):
            return [FieldHas(label=box, value="true" if on else "false", app=app)]
        case c.Create(title=title, body=body):
            shown = [TextShown(text=title.text, app=app)] if title.text else []
            return [*shown, *_entered(body, "text", app)]
        case _:
            return _effects(clause, app)


def _entered(value: c.Value, field: str, app: str | None, *, beside: bool = False) -> list[Expectation]:
    if value.text and not value.facts:
        return [FieldHas(label=field or value.text, value=value.text, app=app, beside=beside)]
    labels = {fact: field if len(value.facts) == 1 and field else fact for fact in value.facts}
    return [FieldHas(label=label, fact=fact, app=app, beside=beside) for fact, label in labels.items()]


def _effects(clause: c.Clause, app: str | None) -> list[Expectation]:
    match clause:
        case c.Commit(thing=thing) if thing == CHANGE:
            return []
        case c.Commit(verb=verb, thing=thing):
            return [EffectSeen(verb=verb, target=None if thing in {"form", ""} else thing, app=app)]
        case c.Compose(send=send) | c.Reply(send=send):
            return [EffectSeen(verb="send" if send else "save", app=app)]
        case c.Forward():
            return [EffectSeen(verb="send", app=app)]
        case c.Delete(entity=entity):
            return [EffectSeen(verb="delete", target=entity.name or entity.id or None, app=app)]
        case c.Move():
            return [EffectSeen(verb="move", app=app)]
        case c.Rename(to=to):
            return [TextShown(text=to, app=app)]
        case c.ClickOn(control=control):
            return [EffectSeen(verb="click", target=control, app=app)]
        case c.OpenItem(entity=entity) if (entity.id or entity.name) and not slots_of(entity):
            return [TextShown(text=entity.id or entity.name, app=app)]
        case _:
            return _deeds(clause, app)


def _deeds(clause: c.Clause, app: str | None) -> list[Expectation]:
    match clause:
        case c.Act(verb=verb):
            return [EffectSeen(verb=verb.split()[0], app=app)]
        case c.Post() | c.Invite():
            return [EffectSeen(verb="send", app=app)]
        case c.Reschedule():
            return [EffectSeen(verb="save", app=app)]
        case c.KeepOnly(item=item, quantity=quantity) if quantity:
            return [FieldHas(label=f"quantity of {item}", value=quantity, app=app)]
        case _:
            return []
