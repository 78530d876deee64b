"""What models are told of the work: steps, facts, results, screens and help, each within its room, nothing cut in silence."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any

from environments.cards import AppCard, KindCard
from protocol import CARRIES, CallApi, VisualState, describe, parse_action
from protocol.model.describe import HIDDEN
from protocol.prompt_form import Style, diff_form, estimate_tokens, whole_form
from roles.contracts import (
    USER,
    AppShown,
    EffectSeen,
    Expectation,
    Fact,
    FactKnown,
    FieldHas,
    GateRequest,
    OperatorView,
    PlanRequest,
    StepRecord,
    Subtask,
    Supplement,
    TextShown,
)
from roles.contracts.orders import GoalLedger
from roles.contracts.policies import notes_told
from roles.contracts.signals import GateTrigger, SubtaskStatus
from roles.knowledge.blackboard import LINE, BlackboardRequest, board_in, fact_told, live_names, value_told
from roles.knowledge.pages.visible_text import shown
from roles.policies.llm.prompts import now_told
from roles.safety.privacy.vault import is_reference, references_in
from roles.screen.calls import CALLS, changes_something, is_call, looks_only
from roles.screen.evidence import check, learned_by
from roles.skills.contract import RESULT

_LINE = 240
COMMITS = ("send", "submit", "save", "delete", "move")
_SUPPLEMENT = 1_500
_SUPPLEMENTS = 3
_RESULTS, _LEAST = 8_000, 200
"""Characters of what calls have answered, and the fewest with which an answer is begun."""
_STEP, _ANSWER, _BODIES = 400, 240, 24_000
"""Characters of a step, of an answer in it, and of all that was written and sent."""
_JUDGED, _EFFECTS = 100, 8
"""Steps that who judges is told one by one, and earlier effects that who works is told."""
_WHOLE, _AT_THE_END, _ANEW, PLANNED = 8_000, 1_500, 4_000, 400
"""Characters of a fact that a worker needs or has brought, of each at the end of a run, and of a subtask to who plans anew and to
others."""
_EXAMPLES = {"experience": "an example, what worked before: ", "demonstration": "an example, what a person showed: "}
_SHORT = 4
_REFERENCES = "<secret>NAME</secret> stands for a private value; write it as it is, and the value is typed in its place"
_CHANGES = 600
"""Tokens of what a step changed."""


def cut(text: str, length: int = _LINE) -> str:
    """On one line, and no longer than this; what is cut says how much. An end as short as that is left: it often decides."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length + length // 8 else f"{flat[:length]}…(+{len(flat) - length})"


_ENTRIES = 15
_STANDS = {"shown": "x", "missing": "!", "forbidden": "!", "unchecked": "?"}


def ledger_told(ledger: GoalLedger | None, *, whole: bool = True) -> str:
    """The orders of the goal that rules understood, a line each and in its own words, ticked where they were seen to be done; for
    who has the `whole` goal to mind, by what, and whether there is more to it. Where none is ticked, the goal says the same."""
    entries = [e for e in ledger.entries if e.kind not in {"besides", "unread"}] if ledger is not None else []
    read_in_part = whole and ledger is not None and any(e.kind == "unread" for e in ledger.entries)
    lines = ["What rules understood of the goal ([x] seen to be done, [!] not done or done wrongly, [?] nobody could check):"]
    for entry in entries:
        shown = f" ({', '.join(entry.evidence[:2])})" if entry.evidence and whole else ""
        shown += f": {cut(entry.why)}" if entry.why and entry.state != "shown" else ""
        of = "" if entry.kind == "order" else f"{entry.kind}: "
        lines.append(f"[{_STANDS.get(entry.state, ' ')}] {of}{cut(entry.text, _STEP)}{shown}")
    told = some(lines, _ENTRIES + 1) if any(e.state in _STANDS for e in entries) else []
    return "\n".join([*told, *(["Rules read only part of this goal; judge the rest from its words."] if read_in_part else [])])


def some(lines: Sequence[str], most: int, more: str = "and {} more") -> list[str]:
    """The first of them, and how many more there are."""
    return [*lines[:most], *([more.format(len(lines) - most)] if len(lines) > most else [])]


def part(text: str, length: int, rest: str = "") -> str:
    """As it stands, and no longer than this; what is left out is said, and how to have it."""
    told = text.strip()
    if len(told) <= length:
        return told
    return f"{told[:length]}…\n({length:,} of {len(told):,} characters shown{f'; {rest}' if rest else ''})"


def listed(lines: Iterable[str], length: int = _LINE) -> str:
    return "\n".join(f"- {cut(line, length)}" for line in lines)


_Kept = Mapping[tuple[str, int, bool], Fact]
"""What a step has kept, by its subtask and number, and whether a call answered it."""
_Answers = Mapping[tuple[str, int], str]


def steps_told(
    steps: Sequence[StepRecord],
    recent: int,
    facts: Sequence[Fact] = (),
    *,
    bodies: bool = False,
    room: int = 8_000,
    pages: Collection[str] = (),
) -> str:
    """The last steps one by one with what came of them, and what calls answered as far as there is `room`; those before them as
    numbers, with the effects that they had and the answers that still hold. They are folded `recent` at a time, so that prompts
    begin alike. `pages` are functions that take an offset.

    With `bodies`, for who judges: all steps of some hundred, and of more those that wrote, sent or called something or were
    answered by a notice; and all that they wrote, but of answers only the short ones.
    """
    earlier = _folded(steps, recent, bodies)
    found = {(fact.subtask, fact.step, fact.kind == RESULT): fact for fact in facts}
    asked = [] if bodies else [(step, found.get((step.subtask, step.step, True))) for step in earlier]
    holding = [step for step, fact in asked if fact is not None and not _since(fact, steps)]
    dated = [str(step.step) for step, fact in asked if fact is not None and step not in holding]
    told = [step for step in steps if step not in earlier]
    answers = _answers_told([*holding, *told], found, None if bodies else room, pages)
    lines = []
    if earlier:
        verbs = Counter(step.verb for step in earlier)
        failed = sum(step.exec_status != "executed" for step in earlier)
        counted = ", ".join(f"{verb} {count}" for verb, count in sorted(verbs.items(), key=lambda pair: (-pair[1], pair[0])))
        lines.append(cut(f"steps {earlier[0].step} to {earlier[-1].step}, in short: {counted}; {failed} failed"))
        # What was sent, saved or deleted, or called to do so
        changing = [step for step in earlier if step.verb in COMMITS or (is_call(step) and not looks_only(step))]
        effects = [step for step in changing if step.exec_status == "executed"][-_EFFECTS:]
        kept = [step for step in earlier if step in effects or step in holding]
        lines += [f"of these {_step(step, found, answers if step in holding else {}, _LINE)}" for step in kept]
        lines += [f"(answers left out, since something was changed there later: step {', '.join(dated)})"] if dated else []
    if not bodies:
        return "\n".join([*lines, *(_step(step, found, answers, _STEP) for step in told)])
    whole = [_step(step, found, answers) for step in told]
    most = _room([len(line) for line in whole])
    return "\n".join([*lines, *(cut(line, most) for line in whole)])


def _folded(steps: Sequence[StepRecord], recent: int, bodies: bool) -> list[StepRecord]:
    """The steps that are told as numbers."""
    if not bodies:
        return [*steps[: max(0, len(steps) - recent) // recent * recent if recent else len(steps)]]
    early = steps[: max(0, len(steps) - _JUDGED)]
    return [step for step in early if not (CARRIES & step.action.keys() or step.events)]


def _answers_told(steps: Sequence[StepRecord], found: _Kept, room: int | None, pages: Collection[str]) -> _Answers:
    """What calls answered, the last ones first in line for the room; without one only how long it was, unless it is short."""
    told: dict[tuple[str, int], str] = {}
    asked = [(step, fact) for step in steps if (fact := found.get((step.subtask, step.step, True))) is not None]
    firsts = _firsts(fact for _, fact in asked)
    for step, fact in reversed(asked):
        said = _beyond_given(value_told(fact), step)
        if len(said) > _ANSWER and room is not None and firsts[fact.value] != step.step:
            said = f"the same as at step {firsts[fact.value]}"
        elif room is not None and (room >= _LEAST or len(said) <= _ANSWER):
            said = _records_told(said, max(room, _ANSWER), fact.source_name in pages)
            room -= len(said)
        elif len(said) > _ANSWER:
            rest = "" if room is None else f", not shown; `fact:{fact.name}` stands for all of it"
            said = f"{len(said):,} characters{rest}"
        told[step.subtask, step.step] = said
    return told


def _firsts(facts: Iterable[Fact]) -> dict[str, int]:
    """The step at which each answer was given first: one that is given again is not told again."""
    return {fact.value: fact.step for fact in sorted(facts, key=lambda fact: -fact.step)}


def _beyond_given(answer: str, step: StepRecord) -> str:
    """An answer without what the arguments of its call say under the same names, which stand before it."""
    given, said = step.action.get("arguments"), None
    with suppress(ValueError, RecursionError):
        said = json.loads(answer)
    if not isinstance(said, dict) or not isinstance(given, Mapping):
        return answer
    left = {name: value for name, value in said.items() if name not in given or given[name] != value}
    if len(left) == len(said):
        return answer
    return f"what it was given, and {json.dumps(left, ensure_ascii=False)}" if left else "what it was given"


def _room(lengths: Sequence[int], most: int = _BODIES, least: int = _STEP) -> int:
    """How long each may be so that all have room: what short ones leave is for the long ones."""
    left = most
    for number, length in enumerate(sorted(lengths)):
        if length > left // (len(lengths) - number):
            return max(least, left // (len(lengths) - number))
        left -= length
    return most


def _step(step: StepRecord, found: _Kept, answers: _Answers, most: int | None = None) -> str:
    """One step with what came of it; what was done in no more than `most` characters."""
    action = parse_action(step.action)
    said = f"{step.step}. {describe(action)}"
    if isinstance(text := next((step.action[name] for name in _TEXTS if name in step.action), None), str):
        before, _, after = describe(action, hide_text=True).rpartition(HIDDEN)
        said = f"{step.step}. {before}{json.dumps(text, ensure_ascii=False)}{after}"
    if isinstance(action, CallApi):
        said += f" with {json.dumps(action.arguments, ensure_ascii=False)}"
    said += " (done by the user)" if step.role == USER else f" ({step.remark})" if step.remark else ""
    said, events = (cut(said, most), [cut(event, most) for event in step.events]) if most else (said, step.events)
    if step.exec_status != "executed":
        return f"{said}: {step.exec_status.value}, {step.error}"
    came = _came_of(step, found, answers) if is_call(step) or not step.events else ""
    return f"{said}: {'; '.join(filter(None, [came, *events]))}"


_TEXTS = ("text", "value", "request", "code")
_WORKED = {"memorize": "kept", "answer": "told to the user", "screenshot": "looked again", "run_script": "it ran"}


def _came_of(step: StepRecord, found: _Kept, answers: _Answers) -> str:
    """What a step that worked has brought, where the screen has announced nothing."""
    verb = step.action["action_type"]
    answer = found.get((step.subtask, step.step, False))
    if verb in CALLS:
        said = answers.get((step.subtask, step.step))
        told = f"it answered {said}" if said else "it worked"
        return told + ("; the screen changed" if step.visible_change and not step.events else "")
    if verb == "ask_user":
        return f"the user said {cut(value_told(answer), _ANSWER)}" if answer is not None else "the user answered"
    return _WORKED.get(verb, "the screen changed" if step.visible_change else "nothing changed")


def facts_told(request: BlackboardRequest) -> str:
    """The blackboard with who says what, and what of it is not told; of a private value no more than its reference.

    What the subtask of a worker names, and what it has brought, is told whole; what its calls answered stands among the steps
    and results.
    """
    board = board_in(request)
    subtask: Subtask | None = getattr(request, "subtask", None)
    own = [subtask.model_copy(update={"status": SubtaskStatus.PENDING})] if subtask is not None else []
    needed = live_names(board.facts, own)
    whole = needed | {fact.name for fact in board.facts if subtask is not None and fact.subtask == subtask.id}
    lengths = dict.fromkeys(whole, _WHOLE)
    told: set[str] = set()
    if isinstance(request, OperatorView | GateRequest):  # those of other subtasks are told where they are named
        told = {fact.name for fact in board.facts if fact.kind == RESULT} - needed | {fact.name for fact in results_of(request)}
    if isinstance(request, PlanRequest):
        every = [fact.name for fact in board.facts]
        lengths |= dict.fromkeys(every, _room([len(fact.value) + LINE for fact in board.facts], _WHOLE, LINE))
    if isinstance(request, GateRequest):
        lengths = dict.fromkeys((fact.name for fact in board.facts), _AT_THE_END if subtask is None else LINE) | lengths
    asked: dict[str, list[str]] = {}
    for fact in board.facts:
        asked.setdefault(fact.value if fact.question else fact.name, []).append(fact.name)
    firsts = {names[0]: ", ".join(names) for names in asked.values()}  # a user may say the same to every question
    named = [(fact.model_copy(update={"name": firsts[fact.name]}), fact.name) for fact in board.facts if fact.name in firsts]
    lines = [f"- {fact_told(fact, lengths.get(name, LINE))}" for fact, name in named if name not in told]
    if isinstance(request, PlanRequest) and any(len(fact.value) + LINE > lengths[name] for fact, name in named):
        lines.append("(a worker has all of one that is cut where its instruction says fact:NAME)")
    return "\n".join([*lines, *(f"({line})" for line in board.left_out)])


def without_values(data: dict[str, str], facts: Sequence[Fact]) -> dict[str, str]:
    """What is told, without the values of private facts that no vault holds; references may be read by everybody."""
    secrets = [fact.value for fact in facts if fact.private and len(fact.value) >= _SHORT and not is_reference(fact.value)]
    for secret in sorted(secrets, key=len, reverse=True):
        data = {name: text.replace(secret, "(hidden)") for name, text in data.items()}
    return data


def results_of(request: OperatorView | GateRequest) -> list[Fact]:
    """What the calls of this subtask answered, at the end of a run those of all; to who works it is told beside their steps."""
    if isinstance(request, OperatorView):
        told = {(step.subtask, step.step) for step in request.history}
        return [fact for fact in request.facts if fact.kind == RESULT and (fact.subtask, fact.step) in told]
    mine = request.subtask.id if request.subtask is not None else None
    return sorted((f for f in request.facts if f.kind == RESULT and mine in {None, f.subtask}), key=lambda fact: fact.step)


def results_told(request: GateRequest) -> str:
    """To who judges: as much of each answer as there is room for, of those that do not stand whole in their step."""
    steps = {(step.subtask, step.step): step for step in request.steps}
    folded = {(step.subtask, step.step) for step in _folded(request.steps, 0, True)}
    answers = []
    for fact in results_of(request):
        step = steps.get((fact.subtask, fact.step))
        value = _beyond_given(value_told(fact), step) if step is not None else value_told(fact)
        if len(value) > _ANSWER or step is None or (fact.subtask, fact.step) in folded:
            answers.append((fact, value))
    firsts = _firsts(fact for fact, _ in answers)
    lengths = [len(value) for fact, value in answers if firsts[fact.value] == fact.step]
    most = _room(lengths, _RESULTS * (2 if request.subtask is None else 1), _LEAST)
    told = []
    for fact, value in answers:
        at = "" if f"at step {fact.step}" in fact.name else f" at step {fact.step}"
        again = f"the same as at step {first}" if (first := firsts[fact.value]) != fact.step else ""
        shown = again or f"\n{_records_told(value, most, False)}"
        told.append(f"{fact.name}{at}{_since(fact, request.steps)} answered{' ' if again else ':'}{shown}")
    return "\n\n".join(told)


def _since(fact: Fact, steps: Sequence[StepRecord]) -> str:
    """Which later steps changed something in the application that answered: what it said then may not be so any more."""
    later = (step for step in steps if step.step > fact.step and changes_something(step))
    there = [step.step for step in later if str(step.action.get("app") or step.app) == fact.app]
    return f" (before step {there[0]}{' and others' if there[1:] else ''} changed something there)" if there else ""


def _records_told(text: str, room: int, pages: bool) -> str:
    """An answer, or as many of the records of its list as there is room for."""
    if len(text) <= room:
        return text
    whole: Any = None
    with suppress(ValueError, RecursionError):
        whole = json.loads(text)
    body: dict[str, Any] = whole if isinstance(whole, dict) else {"": whole}
    name, records = max(((k, v) for k, v in body.items() if isinstance(v, list)), key=lambda pair: len(pair[1]), default=("", []))
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    fits = sum(total <= room for total in accumulate(len(line) + 2 for line in lines))
    rest = {key: value for key, value in body.items() if key != name}
    if not fits:
        return part(text, room)
    count = rest.get("total", rest.get("count", len(lines)))
    first = rest.get("offset", 0)
    more = f"; offset {first + fits} for the rest" if pages and isinstance(first, int) else ""
    beside = [json.dumps(rest, ensure_ascii=False)] if rest else []
    return "\n".join([*beside, *lines[:fits], f"({fits} of {count} shown{more})"])


def instruction_told(subtask: Subtask, goal: str = "") -> str:
    """What is to be done, with the hints, and with what a reference is where one stands in it; the goal is not repeated."""
    said = subtask.instruction + "".join(f" Hint: {hint}" for hint in subtask.hints)
    told = f"the whole goal{said.removeprefix(goal)}" if goal and subtask.instruction == goal else said
    return f"{told} ({_REFERENCES})" if references_in(said) else told


def plan_told(plan: Sequence[Subtask], *, whole: bool = False) -> str:
    """A line for each subtask, for who judges the same at every gate. `whole` is for who plans anew: what is fulfilled is named,
    to be kept by its id, and what is not is told whole."""
    lines = []
    for subtask in plan:
        status = f"{subtask.status.value}, " if whole else ""
        after = f" after {', '.join(subtask.depends_on)}" if subtask.depends_on else ""
        where = f" in {subtask.app}" if subtask.app else ""
        pinned = ", pinned" if subtask.pinned else ""
        kept = whole and subtask.status is SubtaskStatus.FULFILLED
        told = cut(subtask.title if kept else subtask.instruction, _ANEW if whole else PLANNED)
        lines.append(f"- {subtask.id} ({status}{subtask.worker}{where}{after}{pinned}): {told}")
    return "\n".join(lines)


def supplements_told(supplements: Sequence[Supplement], most: int = _SUPPLEMENT) -> str:
    """The newest help that was found, as examples with their sources; what an author hid in it from people is left out."""
    told = ((s, "".join([_EXAMPLES.get(s.kind, ""), s.source])) for s in supplements[-_SUPPLEMENTS:])
    more = len(supplements) - _SUPPLEMENTS
    older = [f"({more} older ones are not shown)"] if more > 0 else []
    return "\n\n".join([*older, *(f"{s.title} ({whence}):\n{part(shown(s.text).text, most)}" for s, whence in told)])


ACTED_ON = Style(points="none", ids="acted on")
"""Of a screen whose elements are acted on by their ids."""


def changes_told(before: VisualState | None, seen: VisualState) -> str:
    """What the last step changed, where that is not the whole screen."""
    if before is None or before.app != seen.app or before.state_id == seen.state_id:
        return ""
    form = diff_form(before, seen, budget=_CHANGES, style=ACTED_ON)
    return "" if form.whole else form.text


_LOOKED_AT = Style(points="none", ids="none")
"""Of screens on which nobody presses anything."""


def screens_told(screens: Sequence[VisualState], budget: int) -> str:
    """Several screens within one budget, the last one first in line for it."""
    told: list[str] = []
    for screen in reversed(screens):
        if budget < 60:
            break
        text = whole_form(screen, budget=budget, style=_LOOKED_AT).text
        told.append(f"state:{screen.state_id}\n{text}")
        budget -= estimate_tokens(text)
    left_out = len(screens) - len(told)
    return "\n\n".join(reversed(told)) + (f"\n\n({left_out} more screens are not shown)" if left_out else "")


_HELD = 1_500
"""Tokens of what all applications hold."""
_OPTIONS = 8
_KEPT = 14
_LEFT_OUT: Sequence[Sequence[str]] = (["(fields and choices are left out)"], ["(choices are left out)"], [])


def cards_told(cards: Sequence[AppCard], budget: int = _HELD) -> str:
    """What applications hold, a line for each kind of record: its fields, and what can be done with it; less of it to fit."""
    for detail in (2, 1, 0):
        lines = [f"{card.app}: {_kind_told(kind, detail)}" for card in cards for kind in card.kinds]
        lines = lines if detail else [f"{card.app}: {', '.join(k.kind for k in card.kinds)}" for card in cards if card.kinds]
        if estimate_tokens(told := "\n".join([*lines, *_LEFT_OUT[detail]])) <= budget:
            return told
    return part("\n".join(cut(line, 120) for line in lines), budget * 3 - LINE)


def _kind_told(kind: KindCard, detail: int) -> str:
    options = {f.label: f" ({' | '.join(some(f.options, _OPTIONS))})" for f in kind.fields if f.options and detail > 1}
    fields = ", ".join(f"{f.label}{options.get(f.label, '')}" for f in kind.fields[:_KEPT])
    fields += f" (and {len(kind.fields) - _KEPT} more)" if len(kind.fields) > _KEPT else ""
    verbs = ", ".join(dict.fromkeys(["create"] * (kind.create is not None) + [verb.verb for verb in kind.verbs]))
    return f"{kind.kind}{f' in {kind.place}' if kind.place else ''}: {fields}{f'; {verbs}' if verbs else ''}"


def missing_of(view: OperatorView) -> tuple[Expectation, ...]:
    """What the subtask is to lead to and has not been seen yet, found as a gate finds it."""
    learned = learned_by(view.subtask)
    request = GateRequest(
        trigger=GateTrigger.WORKER_SUCCESS,
        goal=view.user_request,
        subtask=view.subtask,
        steps=view.history,
        facts=tuple(fact for fact in view.facts if fact.name not in learned or fact.subtask == view.subtask.id),
        screens=(view.seen,),
        earlier=view.earlier,
    )
    return tuple(expectation for expectation in view.subtask.expect if not check(expectation, request).holds)


def worker_told(view: OperatorView, missing: Sequence[Expectation], data: Mapping[str, str]) -> dict[str, str]:
    """What the prompt of an Operator is filled with whatever form its answer has, with `data` that depends on that form."""
    common = {
        "facts": facts_told(view),
        "expected": "\n".join(f"[{' ' if e in missing else 'x'}] {expectation_told(e)}" for e in view.subtask.expect),
        "refused": listed(view.refused),
        "message": cut(view.host_message, 600),
    }
    return without_values(common | dict(data), view.facts) | {
        "goal": view.user_request,
        "user_says": notes_told(view.notes),
        "ledger": ledger_told(view.ledger, whole=False),
        "subtask": instruction_told(view.subtask, view.user_request),
        "now": now_told(view.today),
        "app": view.app or ("any application" if len(view.apps) > 1 else "the application on the screen"),
        "apps": ", ".join(app.app for app in view.apps) or "only this one",
        "previous_subtasks": cut("; ".join(view.previous_subtasks), 1_200),
    }


def expectation_told(expectation: Expectation) -> str:
    match expectation:
        case FactKnown(name=name):
            return f'memorize "{name}"'
        case FieldHas(label=label, value=value, fact=fact, beside=beside):
            what = f'"{value}"' if fact is None else f'the fact "{fact}"'
            return f'a field such as "{label}" holds {what}' + (" beside what it held before" if beside else "")
        case TextShown(text=text):
            return f'"{text}" can be read'
        case EffectSeen(verb=verb, target=target):
            return f"{verb} {target or 'it'}"
        case AppShown(app=app):
            return f"{app} is on the screen"
