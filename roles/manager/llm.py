"""The Manager by a model."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from protocol import JsonObject
from roles.contracts import EXPECTATIONS, AppWords, FieldHas, PlanAnswer, PlanRequest, Subtask
from roles.contracts.orders import Step
from roles.contracts.policies import notes_told
from roles.contracts.signals import SubtaskStatus
from roles.journal.transcripts import Occasion
from roles.manager.plans import PlanError, WrittenStep, merge
from roles.policies.llm.asking import Asker
from roles.policies.llm.prompts import Prompt, now_told
from roles.policies.llm.reply_parsing import UnusableReply
from roles.policies.llm.schemas import manager_schema
from roles.policies.llm.subtask_words import cards_told, facts_told, ledger_told, listed, plan_told, supplements_told
from roles.policies.orders.stages import app_of, worker_of
from roles.screen.matching import tokens

_KNOWN = frozenset({"id", "title", "instruction", "app", "worker", "depends_on", "expect", "hints", "steps"})
_MOST = 40
_MOST_EXPECTED = 12
_STEPS: TypeAdapter[tuple[Step, ...]] = TypeAdapter(tuple[WrittenStep, ...], config=ConfigDict(defer_build=True))


@dataclass(frozen=True)
class LlmManager:
    """One question to the model for one plan."""

    asker: Asker
    prompt: Prompt
    _: KW_ONLY
    workers: Sequence[str] = ("operator",)
    """Those that a plan may name."""
    looking: Callable[[], tuple[tuple[str, ...], list[tuple[str, bytes | None]]]] = lambda: ((), [])
    """Pictures of the screen, behind its id."""
    windows: Callable[[], list[str]] = list
    """Those that are open, a line each."""
    typed: bool = False
    """Whether subtasks may say their steps as data, which a worker that goes by rules is surer to understand than words."""
    by_rules: Collection[str] = ()
    """Workers that have no model."""

    def plan(self, request: PlanRequest) -> PlanAnswer:
        screens, pictures = self.looking()
        read, about = partial(read_plan, request=request, workers=self.workers), Occasion(request.failed or "", screens=screens)
        schema = manager_schema(self.workers, typed=self.typed)
        return self.asker.ask(self.prompt, self._values(request), schema, read, about, pictures=pictures)

    def _values(self, request: PlanRequest) -> dict[str, str]:
        failed = f", about the subtask {request.failed}" if request.failed else ""
        works = (f"{worker} by rules" if worker in self.by_rules else worker for worker in self.workers)
        little_left = f". Little is left to work with: {'; '.join(request.nearly_spent)}" if request.nearly_spent else ""
        return {
            "goal": request.goal,
            "user_says": notes_told(request.notes),
            "ledger": ledger_told(request.ledger),
            "apps": "; ".join(map(_called, request.apps)) or "not known",
            "holds": cards_told(request.cards),
            "steps_form": self.prompt.when["steps"] if self.typed else "",
            "workers": "; ".join(self.prompt.when[name] for name in works),
            "trigger": f"{request.trigger}{failed}{little_left}",
            "windows": "\n".join(self.windows()),
            "now": now_told(request.today),
            "plan": plan_told(request.plan, whole=True),
            "evidence": listed(request.evidence, 2_000),
            "facts": facts_told(request),
            "supplements": supplements_told(request.supplements, 4_000),
            "user_words": listed(request.user_words, 2_000),
            "refused": listed(request.refused),
        }


def _called(app: AppWords) -> str:
    """An application and what else it is called, each word once."""
    words = {tokens(word): word for word in reversed([app.app, app.title, *app.words[:6]])}
    others = [word for word in reversed(words.values()) if tokens(word) != tokens(app.app)]
    return f"{app.app} ({', '.join(others)})" if others else app.app


def read_plan(data: Mapping[str, Any], request: PlanRequest, workers: Sequence[str]) -> PlanAnswer:
    """The plan, held against the rules for plans. Raises UnusableReply or ValidationError."""
    said = {key: value for key, value in data.items() if key in PlanAnswer.model_fields and value is not None}
    said["subtasks"] = _subtasks(data.get("subtasks"), request)
    answer = PlanAnswer.model_validate(said)
    if answer.outcome == "supplement_needed" and not answer.query.strip():
        raise UnusableReply("the outcome supplement_needed needs a query")
    if answer.outcome == "nothing_left" and (open_ := [s.id for s in request.plan if s.status.is_open]):
        raise UnusableReply(f"nothing_left is wrong: {open_[0]} is not fulfilled")
    if answer.outcome != "planned":
        return answer.model_copy(update={"subtasks": ()})
    for subtask in answer.subtasks:
        if subtask.worker not in workers:
            raise UnusableReply(f"subtask {subtask.id!r}: there is no worker {subtask.worker!r}; there are {', '.join(workers)}")
    return _checked(answer, request)


def _subtasks(given: Any, request: PlanRequest) -> list[JsonObject]:
    """What the model may say of a subtask; statuses are not its to give."""
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(item, Mapping) for item in given):
        raise UnusableReply("subtasks is a list of objects")
    if len(given) > _MOST:
        raise UnusableReply(f"the plan has {len(given)} subtasks; {_MOST} are the most")
    subtasks: list[JsonObject] = []
    known = {s.id: s for s in request.plan if s.status is not SubtaskStatus.REJECTED}
    for number, item in enumerate(given, start=1):
        body = {key: value for key, value in item.items() if key in _KNOWN and value is not None}
        body["id"] = str(body.get("id") or f"p{request.attempts}-{number}")
        if (kept := known.get(body["id"])) is not None and body.keys() == {"id"}:
            subtasks.append(kept.model_dump(mode="json"))
            continue
        if not str(body.get("instruction", "")).strip():
            raise UnusableReply(f"subtask {body['id']!r} has no instruction")
        if "expect" in body:
            body["expect"] = _expected(body["expect"], body["id"])
        if "steps" in body:
            body["steps"] = _steps(body["steps"], body, request)
        body["title"] = str(body.get("title") or body["instruction"])[:80]
        subtasks.append(body)
    return subtasks


def _steps(given: Any, body: Mapping[str, Any], request: PlanRequest) -> tuple[Step, ...]:
    """The instruction as data. Raises UnusableReply for what its worker cannot do, and for what no application holds."""
    name = body["id"]
    try:
        steps = _STEPS.validate_python(tuple(given) if isinstance(given, list) else given)
    except ValidationError as bad:
        raise UnusableReply(f"subtask {name!r}: its steps cannot be read: {bad.errors()[0]['msg']}") from None
    kinds = {card.app: {kind.kind for kind in card.kinds} for card in request.cards}
    for step in steps:
        app, kind = app_of(step), getattr(getattr(step, "records", step), "kind", "")
        if worker_of(step) != body.get("worker", "operator") or app not in {body.get("app"), None, "="}:
            raise UnusableReply(f"subtask {name!r}: its worker cannot do {step.skill!r} there; leave `steps` out")
        if app in kinds and kind and kind not in kinds[app]:
            raise UnusableReply(f"subtask {name!r}: {app} holds no {kind!r}; there are {', '.join(sorted(kinds[app]))}")
    return steps


def _expected(given: Any, name: str) -> list[JsonObject]:
    """What a gate looks for, each with the fields of its kind; what is left empty is not said."""
    if not isinstance(given, list) or not all(isinstance(item, Mapping) for item in given):
        raise UnusableReply(f"subtask {name!r}: expect is a list of objects with a kind")
    expected = []
    for item in given[:_MOST_EXPECTED]:
        word = str(item.get("kind"))
        if (kind := EXPECTATIONS.get(word)) is None:
            raise UnusableReply(f"subtask {name!r}: there is no kind {word[:40]!r}; it is one of {', '.join(EXPECTATIONS)}")
        said = {key: value for key, value in item.items() if key in kind.model_fields and value not in (None, "")}
        if kind is FieldHas and said.keys() & {"value", "fact"} == set():
            raise UnusableReply(f"subtask {name!r}: field_has needs the value, or the fact whose value the field is to hold")
        expected.append(said)
    return expected


def _checked(answer: PlanAnswer, request: PlanRequest) -> PlanAnswer:
    """A DAG over applications that there are, in which something is left to do; ids of rejected subtasks are not used again."""
    before = {s.id: s for s in request.plan}
    failed = {s.id for s in request.plan if s.status is SubtaskStatus.REJECTED}
    # The last subtask of a part has not failed when the rest is planned.
    failed |= {s.id for s in request.plan if s.id == request.failed and s.status is not SubtaskStatus.FULFILLED}
    renamed = {s.id: f"{s.id}-{request.attempts}" for s in answer.subtasks if s.id in failed}
    fresh = []
    for subtask in answer.subtasks:
        was, planned = before.get(subtask.id), subtask
        if was is not None and was.pinned:  # worked in the person's words, whatever a model makes of them
            ready = {"status": SubtaskStatus.READY, "attempt": 0, "result": "", "hints": subtask.hints or was.hints}
            planned = was.model_copy(update=ready)
        if was is None or was.status.is_open or was.id in renamed:
            fresh.append(_anew(planned, renamed))
    said = {s.id for s in answer.subtasks}
    fresh += [_anew(s, renamed) for s in request.plan if s.pinned and s.status.is_open and s.id not in said]
    kept = [s for s in request.plan if s.status is SubtaskStatus.FULFILLED]
    try:
        merge(kept, fresh, request.apps)
    except PlanError as bad:
        raise UnusableReply(str(bad)) from None
    return answer.model_copy(update={"subtasks": (*kept, *fresh)})


def _anew(subtask: Subtask, renamed: Mapping[str, str]) -> Subtask:
    after = tuple(renamed.get(other, other) for other in subtask.depends_on)
    return subtask.model_copy(update={"id": renamed.get(subtask.id, subtask.id), "depends_on": after})
