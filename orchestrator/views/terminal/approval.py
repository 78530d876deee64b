"""Asking the person who sits there: the exact action, why it is asked, and four ways to answer. The default is no."""

from __future__ import annotations

import json
import re
import select
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from getpass import getpass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, assert_never

import yaml
from pydantic import ValidationError

from environments.files.yaml_lines import TooLarge, read_small, safe_data
from orchestrator.control.requests import ELSEWHERE, RequestSettled, check_answer, usable_action
from orchestrator.errors import UsageProblem
from orchestrator.store.printable import clean, shortened
from orchestrator.views.terminal.event_lines import EventLine, asked_words
from protocol import Action
from roles.contracts.requests import ApprovalRequest, PlanReviewRequest, QuestionRequest, Request, request_in
from roles.manager.plans import WORK_PLAN

if TYPE_CHECKING:
    from orchestrator.runs.outcome import Answer

try:
    import termios
except ImportError:  # no such terminals there: what others do is heard when something was typed
    termios = None  # type: ignore[assignment]

_LOOKS_AGAIN = 0.3
"""Seconds between two looks at what others have done."""


def forget_typed() -> None:
    """What was typed before something was asked is no answer to it."""
    if _is_terminal(sys.stdin):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def typed(prompt: str, out: IO[str] | None = None, *, hidden: bool = False) -> str:
    """The line. Raises EOFError at the end of input, and RequestSettled."""
    source, out = sys.stdin, out or sys.stdout
    if not _is_terminal(source):
        return getpass(prompt) if hidden else input(prompt)
    out.write(prompt)
    out.flush()
    with _unseen(source) if hidden else nullcontext():
        look = ELSEWHERE.get()
        while not select.select([source], [], [], _LOOKS_AGAIN if look else None)[0]:
            if look and (said := look()):
                forget_typed()  # half a line for this question must not answer the next one
                out.write("\n")
                raise RequestSettled(said)
        line = source.readline()
    if hidden:
        out.write("\n")
    if not line:
        raise EOFError
    return line.rstrip("\n")


@contextmanager
def _unseen(source: IO[str]) -> Iterator[None]:
    before = termios.tcgetattr(source.fileno())
    silent = [*before]
    silent[3] = before[3] & ~termios.ECHO
    termios.tcsetattr(source.fileno(), termios.TCSAFLUSH, silent)
    try:
        yield
    finally:
        termios.tcsetattr(source.fileno(), termios.TCSAFLUSH, before)


def _is_terminal(source: IO[str]) -> bool:
    try:
        return termios is not None and source.isatty() and source.fileno() >= 0
    except (OSError, ValueError, AttributeError):
        return False


Edit = Action | dict[str, Any]
"""An action, or a plan as data."""
_PLAN = re.compile(r"^\s*\{?\s*[\"']?subtasks[\"']?\s*:", re.MULTILINE)
_SIGNS = {"fulfilled": "✓", "rejected": "✗"}
_CHOICES = {"a": "approve", "e": "edit", "r": "reject", "s": "respond"}
_PROMPTS = {"approve": "[a]pprove", "edit": "[e]dit", "reject": "[r]eject (Enter)", "respond": "[s]ay something"}


def request_lines(request: Request) -> list[EventLine]:
    """What is asked, where, and by which rule."""
    match request:
        case ApprovalRequest():
            rule, risk = clean(request.rule), clean(request.risk)
            lines = [EventLine("approve?", asked_words(request), "ask")]
            if request.app:
                lines.append(EventLine("in", clean(request.app)))
            if rule or risk:
                lines.append(EventLine("rule", rule + (f" (risk: {risk})" if risk else "")))
            return [*lines, *_because(request)]
        case QuestionRequest():
            return [EventLine("question", clean(request.about.args.get("question", "")), "ask")]
        case PlanReviewRequest():
            return [EventLine("plan?", asked_words(request), "ask"), *plan_lines(request), *_because(request)]
        case _:
            assert_never(request)


def _because(request: Request) -> list[EventLine]:
    return [EventLine("because", clean(reason)) for reason in request.reasons]


def plan_lines(request: PlanReviewRequest) -> list[EventLine]:
    """The plan that is asked about, a line a subtask: what has ended, then what would be worked."""
    ended = [f"{_SIGNS.get(s.status, '·')} {shortened(s.title)}" for s in request.ended]
    live = []
    for subtask in request.about.args.get("subtasks") or ():
        where = f" · {clean(subtask['app'], 40)}" if subtask.get("app") else ""
        who = f" · {clean(subtask['worker'], 20)}" if subtask.get("worker") else ""
        after = f" (after {clean(', '.join(subtask['depends_on']), 80)})" if subtask.get("depends_on") else ""
        live.append(f"· {clean(subtask.get('id', ''), 20)}: {clean(subtask.get('instruction', ''), 300)}{where}{who}{after}")
    return [EventLine("", text) for text in (*ended, *live)]


def asked(
    body: Any, show: Callable[[EventLine], None], *, read: Callable[[str], str], say: Callable[[str], None]
) -> Answer | None:
    """The answer of whoever sits there to what a run asks; None where somebody else was first, too. Raises UsageProblem."""
    if (request := request_in(body)) is None:
        raise UsageProblem("This version of deskcrew does not know this request; answer it with the version that works the run.")
    for line in request_lines(request):
        show(line)
    forget_typed()
    try:
        return ask(request, read=read, say=say, hidden=lambda prompt: typed(prompt, hidden=True))
    except RequestSettled as said:
        show(EventLine("settled", f"{clean(said)}; no input is needed here any more", "ask"))
        return None


def ask(
    request: Request, *, read: Callable[[str], str], say: Callable[[str], None], hidden: Callable[[str], str] = getpass
) -> Answer | None:
    """The person's answer; None (end of input) leaves the run waiting. `hidden` reads what is not to be seen as it is typed."""
    choices = list(request.allowed)
    try:
        if isinstance(request, QuestionRequest) and "respond" in choices:
            return decision("respond", message=(hidden if request.private else read)("  your answer: ").strip())
        prompt = "  " + "  ".join(words for name, words in _PROMPTS.items() if name in choices)
        while True:
            word, _, rest = read(f"{prompt}: ").strip().partition(" ")
            choice = _choice(word, choices)
            if choice is None:
                say(f"  {clean(word, 40)!r} is not one of {', '.join(choices)}.")
                continue
            try:
                answer = _answered(request, choice, rest.strip(), read, say)
            except UsageProblem as bad:
                say(f"  {bad}")
                continue
            if answer is not None:
                return answer
    except EOFError:
        say("")
        return None


def _answered(request: Request, choice: str, rest: str, read: Callable[[str], str], say: Callable[[str], None]) -> Answer | None:
    """What the choice comes to, with what was typed behind it, or is asked for; None to choose again. Raises UsageProblem."""
    if choice == "edit":
        edit = _edited(request, rest, read, say)
        return None if edit is None else edit_decision(edit)
    if choice == "approve":
        return constrained(decision("approve"), rest) if rest else decision("approve")
    wanted = "  why, or what to do instead (Enter for nothing): " if choice == "reject" else "  say: "
    return decision(choice, message=rest or read(wanted).strip())


def constrained(answer: Answer, text: str | Mapping[str, Any]) -> Answer:
    """The answer with constraints that hold from then on: `forbidden_actions: delete, blocked_domains: [a.example]`."""
    from roles.safety.policy import Constraints, problem_in

    try:
        data = text if isinstance(text, Mapping) else safe_data(text if text.lstrip().startswith("{") else "{" + text + "}")
        told = Constraints.model_validate(data).dump()
    except ValidationError as bad:
        raise UsageProblem(f"{problem_in(bad, 'constraints')}.") from None
    except (yaml.YAMLError, ValueError):
        raise UsageProblem("the constraints are not valid YAML; write for example forbidden_actions: [delete, send].") from None
    return {**answer, "decisions": [{**answer["decisions"][0], "constraints": told}]}


def _choice(word: str, choices: Sequence[str]) -> str | None:
    folded = word.casefold()
    if not folded:
        return "reject" if "reject" in choices else None
    named = _CHOICES.get(folded, folded)
    named = {"no": "reject", "n": "reject", "say": "respond"}.get(named, named)
    return named if named in choices else None


def _edited(request: Request, rest: str, read: Callable[[str], str], say: Callable[[str], None]) -> Edit | None:
    """The action or the plan to work instead; None where nothing is given. Raises UsageProblem."""
    from orchestrator.tasks.plans import plan_text

    of_plan, about = isinstance(request, PlanReviewRequest), request.about
    if of_plan:
        for line in plan_text(about.args).splitlines():
            say("  " + clean(line, 2_000))
        wanted = "a file with the plan to work instead"
    else:
        say("  the action is " + json.dumps({"action_type": about.name, **about.args}, ensure_ascii=True))
        wanted = "the action to do instead, such as wait 2 s, or a file with it"
    text = rest or read(f"  {wanted} (Enter to go back): ").strip()
    if not text:
        return None
    edit = read_edit(Path(text)) if of_plan or Path(text).is_file() else usable_action(text)
    if of_plan:
        check_answer(edit_decision(edit), request)
    return edit


def decision(kind: str, *, message: str = "") -> Answer:
    """One decision in the ecosystem's form."""
    return {"decisions": [{"type": kind, "message": message} if message or kind == "respond" else {"type": kind}]}


def edit_decision(edit: Edit) -> Answer:
    """The edited action, or the edited plan."""
    if isinstance(edit, dict):
        return {"decisions": [{"type": "edit", "edited_action": {"name": WORK_PLAN, "args": edit}}]}
    args = {key: value for key, value in edit.dump().items() if key != "action_type"}
    return {"decisions": [{"type": "edit", "edited_action": {"name": edit.verb, "args": args}}]}


def read_edit(path: Path) -> Edit:
    """The action in a file, as JSON, YAML or a line of the DSL, or the plan."""
    try:
        text = read_small(path)
    except (OSError, ValueError) as bad:
        why = getattr(bad, "strerror", None) or (bad if isinstance(bad, TooLarge) else "it is not UTF-8 text")
        raise UsageProblem(f"The action file {clean(path)} cannot be read: {why}.") from None
    if _PLAN.search(text):
        from orchestrator.tasks.plans import read_given

        return read_given(path)
    return usable_action(text, str(path))
