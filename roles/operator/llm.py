"""The Operator by a model."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial

from protocol import AgentStatus, OperatorDecision, VisualState
from protocol.prompt_form import Style, whole_form
from protocol.prompt_form.element_text import kind
from roles.contracts import USER, EffectSeen, Expectation, FactKnown, OperatorView, PictureKind
from roles.contracts.orders import CollectStep
from roles.contracts.policies import OperatorPolicy
from roles.journal.transcripts import Occasion
from roles.policies.llm.asking import TOLD, Asker, Picturing
from roles.policies.llm.decision_parsing import Grounding, needs_no_model, nowhere, read_decision
from roles.policies.llm.move_offer import narrow_moves
from roles.policies.llm.prompts import Prompt
from roles.policies.llm.schemas import operator_schema, verbs_of, verbs_told
from roles.policies.llm.settings import AnswerForm
from roles.policies.llm.subtask_words import (
    ACTED_ON,
    changes_told,
    cut,
    listed,
    missing_of,
    screens_told,
    some,
    steps_told,
    supplements_told,
    worker_told,
)
from roles.screen.evidence import names_effect
from roles.screen.screens import FIELD_ROLES

_SAVED_TOKENS = 600
_ROOM, _NARROW = 8_000, 400
"""Characters of what calls have answered, in full and in the narrow form."""
_HIDDEN = "(hidden)"
_ENDED, _SKILLS = "ended", "skills"
"""In the memory: the step after which the end was said, and the notes of the skills."""
_COMMITS = ("save", "submit", "send")
_SAID = frozenset({"heading", "dialog", "alertdialog", "alert", "status"})
_BRIEF, _BRIEF_LINES = 80, 12
_SMALL = Style(points="none")


@dataclass(frozen=True)
class LlmOperator:
    """One question to the model for one decision. Text only, unless it is given a way to have pictures."""

    asker: Asker
    prompt: Prompt
    _: KW_ONLY
    screen_tokens: int
    recent: int
    batch: int = 1
    form: AnswerForm = "full"
    verbs: Sequence[str] | None = None
    pictures: Sequence[PictureKind] = ("annotated",)
    picturing: Picturing | None = None
    ground: Grounding = nowhere
    """Finds what no element carries in the picture."""
    skills: OperatorPolicy | None = None
    """With the narrow form: knows the next action of typed steps, which is the first move of the list."""

    def decide(self, view: OperatorView) -> OperatorDecision:
        if (known := needs_no_model(view)) is not None:
            return known
        if self.verbs is not None:  # only what the settings leave to the model
            verbs = tuple(verb for verb in verbs_of(view) if verb in self.verbs)
            functions = view.functions if {"call_api", "ask_in_app_agent"}.intersection(verbs) else ()
            view = view.model_copy(update={"verbs": verbs, "functions": functions})
        narrow = self.form == "narrow"
        about = Occasion(view.subtask.id, view.step, (view.seen.state_id,) if self.picturing is not None else ())
        form = whole_form(view.seen, budget=self.screen_tokens, style=_SMALL if narrow else ACTED_ON)
        missing = missing_of(view)
        pictures = self._pictures(view)
        if narrow:
            if (end := _seen_through(view, missing)) is not None:
                return end
            known = self._by_skills(view)
            if known is not None and _is_no_choice(known, view, missing):
                last = view.history[-1].step if view.history else 0
                ended = {_ENDED: last} if known.status is AgentStatus.FINISH else {}
                return known.model_copy(update={"memory": {**ended, _SKILLS: known.memory}})
            moves = narrow_moves(view, form.written, missing, known)
            values = self._values(view, _in_brief(view.seen), missing, moves.told)
            read = partial(moves.read, view=view)
            chosen = self.asker.ask(self.prompt, values, moves.schema, read, about, pictures=pictures)
            notes = chosen.memory if chosen is known else view.memory.get(_SKILLS) or {}
            return chosen.model_copy(update={"memory": {**({} if chosen is known else chosen.memory), _SKILLS: notes}})
        values = self._values(view, form.text, missing)
        seeing = self.picturing is not None and bool(view.screenshots)
        schema = operator_schema(view, batch=self.batch, pictures=seeing)
        decision = partial(read_decision, view=view, batch=self.batch, ground=self.ground)
        return self.asker.ask(self.prompt, values, schema, decision, about, pictures=pictures)

    def _by_skills(self, view: OperatorView) -> OperatorDecision | None:
        """What the skills do next for a subtask whose steps are known or can be read, by an action that the model may choose."""
        if self.skills is None:
            return None
        known = self.skills.decide(view.model_copy(update={"memory": view.memory.get(_SKILLS) or {}}))
        if known.status is AgentStatus.FINISH:
            return known
        goes_on = known.status is AgentStatus.CONTINUE and known.action is not None and known.action.verb in verbs_of(view)
        return known if goes_on else None

    def _values(self, view: OperatorView, screen: str, missing: Sequence[Expectation], moves: str = "") -> dict[str, str]:
        room = _NARROW if self.form == "narrow" else _ROOM
        pages = {skill.called for skill in view.skills if "offset" in skill.takes}
        data = {
            "screen": screen,
            "moves": moves,
            "changes": changes_told(view.before, view.seen),
            "steps": steps_told(view.history, self.recent, view.facts, room=room, pages=pages),
            "previous_plan": listed(view.previous_plan),
            "saved_screens": screens_told(view.saved, _SAVED_TOKENS) if view.saved else "",
            "notes": str(view.memory.get("notes", "")),
            "events": listed([*_news(view), *self._unpictured(view)]),
            "supplements": self._help(view),
            "functions": "\n".join(view.functions),
        }
        calls = [self.prompt.when.get(name, "") for name in ("calls", f"prefer {view.prefer}")] if view.functions else []
        wanted = {"pictures": self.picturing is not None and view.screenshots, "batch": self.batch > 1}
        told = {name: self.prompt.when.get(name, "").replace("{{most}}", str(self.batch)) for name, so in wanted.items() if so}
        return worker_told(view, missing, data) | told | {"verbs": verbs_told(verbs_of(view)), "prefer": "\n".join(calls)}

    def _help(self, view: OperatorView) -> str:
        """What was looked up for this application, at the first decision of an attempt."""
        narrow = self.form == "narrow"
        mine = [s for s in view.retrieved if view.app is None or s.app in {None, view.app} or s.source == USER]
        if not mine or not (narrow or all(step.verb == "launch_app" for step in view.history)):
            return ""
        return supplements_told(mine) + ("" if narrow else "\n(told once: say in `notes` what you need of it)")

    def _unpictured(self, view: OperatorView) -> list[str]:
        """Why a picture that was wanted is not there."""
        wanted = bool(view.history) and view.history[-1].action["action_type"] == "screenshot"
        if not wanted or (self.picturing is not None and view.screenshots):
            return []
        why = "this model is given none (crew.operator.vision is off)" if view.screenshots else "none can be taken here"
        return [f"there is no picture of the screen: {why}; what it shows is told in words"]

    def _pictures(self, view: OperatorView) -> list[tuple[str, bytes | None]]:
        """Those that are shown, each behind what it shows."""
        known = {picture.kind: picture for picture in view.screenshots}
        if "annotated" in known:
            known["side_by_side"] = known["annotated"].model_copy(update={"kind": "side_by_side"})
        if self.picturing is None:
            return []
        wanted = [known[name] for name in self.pictures if name in known]
        return [(TOLD[one.kind], self.picturing(view.seen, one)) for one in wanted]


def _news(view: OperatorView) -> list[str]:
    """What happened, but for what the steps say anyway."""
    told = {said.partition(": ")[2] for step in view.history for said in step.events} - {""}
    return [event for event in view.events if not any(event == said or event.startswith(f'"{said}" on the') for said in told)]


def _seen_through(view: OperatorView, missing: Sequence[Expectation]) -> OperatorDecision | None:
    """The end of a planned subtask, once all that the plan expects has been seen and the last step was what completes it."""
    wanted, last = view.subtask.expect, view.history[-1] if view.history else None
    if not wanted or missing or last is None or not _may_end(view):
        return None
    effects = [e.verb for e in wanted if isinstance(e, EffectSeen)]
    completed = any(last.verb == verb or names_effect(last.target, verb) for verb in effects or _COMMITS)
    if not completed and not all(isinstance(e, FactKnown) for e in wanted):
        return None
    return OperatorDecision(reasoning="all that is expected has been seen", status=AgentStatus.FINISH, memory={_ENDED: last.step})


def _is_no_choice(known: OperatorDecision, view: OperatorView, missing: Sequence[Expectation]) -> bool:
    """Whether there is nothing for a model to choose: the skills see that nothing is left to do, where a small model goes on, or
    they collect a table, for which no single move of a list is right."""
    if known.status is AgentStatus.FINISH:
        return not missing and _may_end(view)
    return bool(view.subtask.steps) and all(isinstance(step, CollectStep) for step in view.subtask.steps)


def _may_end(view: OperatorView) -> bool:
    """Whether no dialog is open, and this was not said to be the end before."""
    return bool(view.history) and not view.seen.modal and view.memory.get(_ENDED) != view.history[-1].step


def _in_brief(seen: VisualState) -> str:
    """What a screen says beside its moves: where one is, what is announced, and what fields hold."""
    lines = []
    for element in seen.elements:
        if kind(element) in _SAID and element.name:
            lines.append(f'{kind(element)} "{cut(element.name, _BRIEF)}"')
        elif element.value and kind(element) in FIELD_ROLES:
            lines.append(f'{kind(element)} "{element.name}" = "{_HIDDEN if element.private else cut(element.value, _BRIEF)}"')
    return "\n".join(some(lines, _BRIEF_LINES, "({} more are not shown)"))
