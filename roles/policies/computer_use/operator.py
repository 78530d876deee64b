"""The Operator by a model with a tool for computers: it sees pictures, and what it calls is read by its provider's dialect.

What was said is kept in the decision's memory as plain JSON, so that another process goes on with it: the opening, and for each
reply what came of it and which picture was shown then. Pictures are those of the transcript, the last ones only.
"""

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda

from protocol import Action, Extension, OperatorDecision, Screenshot
from protocol.dialects import Context, DialectError, NothingDone, dialect
from protocol.dialects.vendors.ui_tars import HELP, thought_of
from protocol.model.geometry import BoundingBox, Size
from roles.contracts import OperatorView, ScreenPicture
from roles.contracts.policies import notes_told
from roles.journal.transcripts import Occasion, picture_name
from roles.policies.computer_use.tools import CHECKS, CONFIRMED, SENT_BACK, URL, ComputerTool, grained, told_in_words
from roles.policies.llm.asking import Messages, Picturing, marked, until_read
from roles.policies.llm.calls import Caller, Question, png_size
from roles.policies.llm.decision_parsing import LAST, needs_no_model, read_decision
from roles.policies.llm.prompts import Prompt, fence_for, fenced
from roles.policies.llm.reply_parsing import UnusableReply, text_of
from roles.policies.llm.schemas import verbs_of
from roles.policies.llm.subtask_words import cut, listed, missing_of, steps_told, supplements_told, without_values, worker_told

_LINE = re.compile(r"^[ \t*`>#-]*(DONE|CANNOT|QUESTION|ANSWER|FACT)\b[*`]*[:.]?[*`]*[ \t]*(.*)$", re.MULTILINE)
_ENDS = frozenset({"DONE", "CANNOT", "QUESTION"})
_ASKED_ABOUT = frozenset({"x-openai.pending_safety_checks", "x-gemini.safety_decision"})
"""What a service wants confirmed by a person before the action behind it is done."""
_ALONE = frozenset({"finish_goal", "fail_goal", "ask_user"})
_EARLIER: list[str | dict[str, Any]] = [{"type": "text", "text": "see what the last call came to"}]
_MOST_TURNS = 40
_SAID = 1_000

Turn = dict[str, Any]
"""A reply and what came of it, as JSON."""


class _Reading(NamedTuple):
    """What a reply comes to: a decision, what of the reply is left out and why, and what the service wants confirmed."""

    decision: OperatorDecision
    left: str = ""
    checks: Sequence[Any] = ()


@dataclass(frozen=True)
class ComputerUseOperator:
    """One class for all providers; what is different between them stands in its tool."""

    caller: Caller
    tool: ComputerTool
    prompt: Prompt
    picturing: Picturing
    reasks: int
    longest: int
    recent: int
    """How many of the last screens are shown as pictures at most."""
    batch: int = 1
    verbs: Sequence[str] | None = None

    def decide(self, view: OperatorView) -> OperatorDecision:
        if (known := needs_no_model(view)) is not None:
            return known
        view = view.model_copy(update={"verbs": tuple(v for v in verbs_of(view) if self.verbs is None or v in self.verbs)})
        png = self.picturing(view.seen, ScreenPicture(kind="clean", state_id=view.seen.state_id))
        picture = base64.b64encode(png).decode("ascii") if png else ""
        size = png_size(picture) if picture else view.seen.screen_resolution
        shown = {"picture": picture_name(picture) if picture else "", "screen": view.seen.state_id}
        opening, turns = self._history(view, shown)
        screens, asked = self._messages(opening, turns, {shown["picture"]: picture})
        reading, reply = self._answer(asked, view, size, Occasion(view.subtask.id, view.step, screens))
        said: Turn = {"content": reply.content, "tool_calls": [dict(call) for call in reply.tool_calls]}
        for name in ("response_metadata", "additional_kwargs"):
            said[name] = {key: value for key, value in getattr(reply, name).items() if key in SENT_BACK}
        turn: Turn = {
            "reply": said,
            "step": view.step,
            "left": reading.left,
            "notes": len(view.notes),
            CHECKS: list(reading.checks),
        }
        memory = {"opening": opening, "turns": [*turns, turn]}
        last = {LAST: end} if (end := reading.decision.memory.get(LAST)) else {}
        return reading.decision.model_copy(update={"memory": memory | last})

    # --- what was said -----------------------------------------------------------------------------------------------

    def _history(self, view: OperatorView, shown: dict[str, str]) -> tuple[Turn, list[Turn]]:
        """The opening, and all replies with what came of them; that of the last one is told now, and stays as it is. What has
        become too long begins anew, with the steps in words."""
        said = view.memory.get("turns")
        if not isinstance(said, list) or len(said) >= _MOST_TURNS:
            system, turn = self.prompt.filled(self._values(view))
            return {"system": system, "turn": turn, **shown}, []
        *before, last = said
        steps = [step for step in view.history if step.step >= last["step"]]
        confirmed = any(step.exec_status == "executed" and not step.recovery for step in steps)
        happened = {
            "result": steps_told(steps, len(steps), view.facts) or "nothing was done",
            "events": listed(event for event in view.events if event.startswith("batch:")),
            "refused": listed(view.refused),
            "message": cut(view.host_message, 600),
        }
        data = without_values({name: text for name, text in happened.items() if text}, view.facts)
        fence = fence_for(data)
        parts = [fenced(name, text, fence) for name, text in data.items()]
        told = "\n".join(filter(None, [*parts, last["left"], notes_told(view.notes[last["notes"] :])]))
        front = next((window.title for window in view.seen.windows if window.focused), "").rpartition(" - ")[2]
        return view.memory["opening"], [
            *before,
            {**last, "result": told, URL: front if "://" in front else "", CONFIRMED: confirmed, **shown},
        ]

    def _values(self, view: OperatorView) -> dict[str, str]:
        """What the prompt is filled with at the beginning of a subtask."""
        data = {
            "steps": steps_told(view.history, self.recent, view.facts),
            "supplements": supplements_told(view.retrieved),
            "events": listed(view.events),
        }
        return worker_told(view, missing_of(view), data) | {"answer_form": self.tool.told(self.prompt.when)}

    def _messages(self, opening: Turn, turns: Sequence[Turn], now: dict[str, str]) -> tuple[tuple[str, ...], list[BaseMessage]]:
        """All that is told, and the screens whose pictures are among it."""
        entries = [opening, *turns]
        shown = {}
        some = max(1, self.recent // 2)  # several are left out at once, so that what is told begins alike until then
        for at in range(-(-max(0, len(entries) - self.recent) // some) * some, len(entries)):
            name = entries[at]["picture"]
            if png := now.get(name) or (self.caller.picture(name) if name else ""):
                shown[at] = png
        told = marked(self.caller.settings, opening["system"], _with(opening["turn"], shown.get(0)))
        for at, turn in enumerate(turns, 1):
            told += self._told(turn, shown.get(at))
        return tuple(dict.fromkeys(entries[at]["screen"] for at in shown)), told

    def _told(self, turn: Turn, png: str | None) -> list[BaseMessage]:
        """A reply and the answers to its calls; in words where the provider would not take them as calls any more."""
        reply = AIMessage(**turn["reply"])
        calls, result = self.tool.calls(reply), _with(turn["result"], png)
        open_checks = bool(turn[CHECKS]) and not turn[CONFIRMED]
        if not calls or open_checks or (self.tool.pictured and png is None):
            return [AIMessage(told_in_words(self.tool, reply)), HumanMessage(result)]
        more = {name: turn[name] for name in (URL, CHECKS, CONFIRMED)}
        contents = [*([_EARLIER] * (len(calls) - 1)), result]
        results = (
            ToolMessage(content, tool_call_id=call.id, additional_kwargs=more)
            for call, content in zip(calls, contents, strict=True)
        )
        return [reply, *results]

    # --- asking ------------------------------------------------------------------------------------------------------

    def _answer(self, asked: list[BaseMessage], view: OperatorView, size: Size, about: Occasion) -> tuple[_Reading, AIMessage]:
        """A reply that can be used, and what it comes to. Raises GaveUp, and BudgetSpent."""
        bound = self.tool.bound(size, frozenset(view.verbs))
        runnable = RunnableLambda(self.tool.sent) | (self.caller.model.bind(**bound) if bound else self.caller.model)
        form = f"computer_use: {self.tool.dialect} {self.tool.variant}"

        def question(mistake: Messages) -> Question:
            return Question([*asked, *mistake], bound or None, form, about)

        return until_read(
            self.caller,
            self.reasks,
            question,
            lambda mistake: self.caller.call(question(mistake), runnable),
            lambda reply: (self._read(reply, view, size), reply),
            lambda reply: told_in_words(self.tool, reply),
            lambda problem, *_: f"That answer cannot be used: {problem}. Nothing of it was done. Answer again.",
        )

    # --- reading -----------------------------------------------------------------------------------------------------

    def _read(self, reply: AIMessage, view: OperatorView, size: Size) -> _Reading:
        """Raises UnusableReply or ValidationError."""
        words, calls = text_of(reply), self.tool.calls(reply)
        if (length := len(words) + len(str(calls))) > self.longest:
            raise UnusableReply(f"the answer is {length:,} characters long; a few actions are wanted")
        if reply.invalid_tool_calls:
            raise UnusableReply("the arguments of a call cannot be read")
        actions = self._actions(words, [call.body for call in calls], view, size)
        if self.tool.in_words and actions:
            words = thought_of(words)
        if actions and actions[0].verb in {"finish_goal", "fail_goal"}:
            said = str(actions[0].parameters.get("summary") or "the subtask is done")
            words, actions = f"{words}\n{said if _ended(said) else f'DONE {said}'}", []
        kept = [_keeping(kind, text) for kind, text in _LINE.findall(words) if kind not in _ENDS]
        if not actions:
            return _Reading(_read_end(words, kept, view))
        checks = [a for a in actions if isinstance(a, Extension) and a.action_type in _ASKED_ABOUT]
        if checks and checks[0] is actions[0]:
            return self._to_confirm(checks[0], actions[1:], words, view)
        if checks:
            actions = actions[: actions.index(checks[0])]
        if actions[0].verb == "ask_user":
            question = actions[0].parameters["question"]
            question = cut(words, 300) if question == HELP and words.strip() else question
            return _Reading(_decision("PENDING", words, view, {"action_type": "ask_user", "question": question}))
        wanted = [a for a in actions if not isinstance(a, Screenshot)] or actions[:1]
        taken = wanted[: next((n for n, action in enumerate(wanted) if action.verb in _ALONE), len(wanted))][: self.batch]
        left = len(wanted) - len(taken) + bool(checks)
        why = f"The last {left} of your actions were left out; look at the screen, and go on from there." if left else ""
        return _Reading(_decision("CONTINUE", words, view, *kept, *map(_as_data, taken)), why)

    def _to_confirm(self, check: Extension, behind: list[Action], words: str, view: OperatorView) -> _Reading:
        """What the service wants confirmed is one action, alone, that a person is asked about."""
        if not behind or isinstance(behind[0], Extension) or behind[0].verb in _ALONE:
            raise UnusableReply("the service wants a confirmation, and there is no action that it is for")
        checks: Sequence[Any] = check.parameters["arguments"].get("checks") or [check.arguments]
        reasons = "; ".join(str(one.get("message") or one.get("explanation") or one.get("code") or "") for one in checks)
        why = f"the model's provider wants this confirmed: {cut(reasons, 300) or 'it says no reason'}"
        left = "Only the first action was taken, since it had to be confirmed." if len(behind) > 1 else ""
        decision = _decision("CONFIRM", words, view, _as_data(behind[0]))
        return _Reading(decision.model_copy(update={"reasoning": why}), left, checks)

    def _actions(self, words: str, calls: Sequence[Any], view: OperatorView, size: Size) -> list[Action]:
        """The actions of a reply; none where it is nothing but words. Raises UnusableReply."""
        if not (calls or self.tool.in_words):
            return []
        context = Context(state=view.seen, image=grained(size, self.tool.grain), variant=self.tool.variant)
        try:
            read = dialect(self.tool.dialect).read(words if self.tool.in_words else calls, context)
        except NothingDone:
            return []
        except DialectError as bad:
            if self.tool.in_words and "Action" not in words and _ended(words):
                return []
            raise UnusableReply(str(bad)) from None
        return [action for action in read.actions if isinstance(action, Action)]


def _with(text: str, png: str | None) -> list[str | dict[str, Any]]:
    """A text and the picture that belongs to it, or that it is left out."""
    if png is None:
        return [{"type": "text", "text": f"{text}\n(The picture of the screen is left out here.)"}]
    return [{"type": "text", "text": text}, {"type": "image", "base64": png, "mime_type": "image/png"}]


def _ended(words: str) -> list[tuple[str, str]]:
    return [(kind, text.strip()) for kind, text in _LINE.findall(words) if kind in _ENDS]


def _read_end(words: str, kept: list[dict[str, Any]], view: OperatorView) -> OperatorDecision:
    """What a reply without an action says: the end, a question, or values to keep. Raises UnusableReply for anything else."""
    ends = _ended(words)
    kinds = {kind for kind, _ in ends}
    if len(kinds) > 1 or not (kinds or kept):
        how = "says more than one of" if kinds else "has neither an action nor one of"
        raise UnusableReply(f"it {how} the lines DONE, CANNOT and QUESTION")
    kind, said = ends[0] if ends else ("", "")
    if kind == "CANNOT":
        return _decision("FAIL", words, view, comment=said or words)
    if kind == "QUESTION":
        return _decision("PENDING", words, view, {"action_type": "ask_user", "question": said or words})
    return _decision("FINISH" if kind else "CONTINUE", words, view, *kept, comment="" if kept else said)


def _decision(status: str, words: str, view: OperatorView, *actions: dict[str, Any], comment: str = "") -> OperatorDecision:
    said: dict[str, Any] = {"reasoning": words.strip()[:_SAID], "status": status, "comment": comment}
    return read_decision(said | ({"actions": [{"action": action} for action in actions]} if actions else {}), view, batch=21)


def _keeping(kind: str, text: str) -> dict[str, Any]:
    """A line `FACT NAME = VALUE` or `ANSWER TEXT` as an action. Raises UnusableReply."""
    if kind == "ANSWER":
        return {"action_type": "answer", "text": text.strip()}
    name, sign, value = (part.strip() for part in text.partition("="))
    if not (name and sign and value):
        raise UnusableReply("a line of a fact is `FACT NAME = VALUE`")
    return {"action_type": "memorize", "name": name, "value": value}


def _as_data(action: Action) -> dict[str, Any]:
    """The action as JSON; a box is its middle, since nothing else of it is pressed."""
    said = json.loads(json.dumps(action.dump()))
    for name in ("target", "to"):
        target = getattr(action, name, None)
        if target is not None and target.point is None and (box := target.bbox) is not None:
            own = isinstance(box, BoundingBox)
            middle = {"x": box.center.x, "y": box.center.y} if own else {"x": (box.x1 + box.x2) / 2, "y": (box.y1 + box.y2) / 2}
            said[name] = {"point": middle | ({} if own else {"space": box.space, "image_size": box.image_size})}
    return dict(said)
