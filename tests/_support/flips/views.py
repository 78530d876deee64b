"""Ways to see what a setting does: each takes overrides and a folder, does something cheap, and gives what can be compared."""

from __future__ import annotations

import json
import sys
import time
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata
from opentelemetry.sdk.trace import TracerProvider
from pydantic import Field, PrivateAttr

from environments.contract import Environment
from environments.sandbox.contract import ScriptResult
from environments.sandbox.detect import Detected
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from orchestrator import Crew
from orchestrator.errors import UsageProblem
from orchestrator.lab.testing.stage import Stage
from orchestrator.runs import traces
from orchestrator.runs.open_run import OpenOptions
from orchestrator.runs.runs import taken_up
from orchestrator.settings.build import build_context, build_sources, make_environment
from orchestrator.settings.policies import Deciders
from orchestrator.settings.settings import Settings, load_safety, load_settings
from orchestrator.store.stores import open_store
from orchestrator.tasks.plans import plan_goal
from protocol import Action, ActionResult, ActionTarget, AgentStatus, Click, ExecStatus, Fill, OperatorDecision, VisualState
from roles.contracts import (
    AppWords,
    GateEvidence,
    GateRequest,
    OperatorView,
    PlanRequest,
    ScreenPicture,
    StepOrigin,
    StepRecord,
    Subtask,
    Supplement,
)
from roles.contracts.context import Context
from roles.contracts.signals import GateTrigger, SubtaskStatus
from roles.journal.events import GateEvent, ModelCallEvent
from roles.journal.journal import Journal
from roles.knowledge.retrievers import McpSource
from roles.manager.graph import gather_supplement
from roles.policies.computer_use.grounding import PictureGrounding
from roles.policies.fallback import PolicyFault
from roles.policies.llm.calls import Clocks
from roles.policies.scripted_model import Overloaded, ScriptedChatModel
from roles.safety import Grounds, SafetyPolicy, review
from roles.safety.policy import Uptime

View = Callable[[Sequence[str], Path], Any]
COPY = "Find the invoice total on the billing page and copy it into the reimbursement form"
CLAIM = "name: claim\napps: {reimbursement: {}, notes: {}}\nopen: [reimbursement]\n"
CLICK = '{"thought": "t", "action": {"verb": "click", "target": "Amount"}, "status": "CONTINUE"}'


def settings_of(overrides: Sequence[str]) -> Settings:
    return load_settings((), overrides).settings


# --- what is built ----------------------------------------------------------------------------------------------------


def screen(overrides: Sequence[str], folder: Path) -> Any:
    """The first screen, and the true state behind it."""
    try:
        made = make_environment(settings_of(overrides))
    except UsageProblem as bad:
        return str(bad)
    assert isinstance(made, SimulatedDesktop)
    return made.observe().model_dump(mode="json"), made.world()["apps"]


def browsed(overrides: Sequence[str], folder: Path) -> Any:
    """What a browser is started with; none is started for it."""
    import environments.browser as package

    told: list[Any] = []
    real = package.BrowserEnvironment
    package.BrowserEnvironment = lambda url, **more: told.append((url, more))  # type: ignore[assignment, misc, return-value]
    try:
        make_environment(settings_of(overrides))
    finally:
        package.BrowserEnvironment = real  # type: ignore[misc]
    return told


def sandbox(overrides: Sequence[str], folder: Path) -> Any:
    """Where scripts would run, here or not, and what they could install."""
    found = build_context(settings_of(overrides)).sandbox
    assert isinstance(found, Detected)
    return found.kind, str(found.packages)


def gone_on(overrides: Sequence[str], folder: Path) -> Any:
    """Whether a run goes on whose browser went with the process before."""
    import environments.browser as package

    (folder / "browser").mkdir(exist_ok=True)
    real = package.BrowserEnvironment
    package.BrowserEnvironment = lambda url, **more: "a new browser"  # type: ignore[assignment, misc, return-value]
    try:
        return make_environment(settings_of(overrides), folder)
    except UsageProblem as no:
        return str(no)
    finally:
        package.BrowserEnvironment = real  # type: ignore[misc]


def picture(overrides: Sequence[str], folder: Path) -> bytes:
    made = make_environment(settings_of(overrides))
    assert isinstance(made, SimulatedDesktop)
    return made.screenshot()


def faulted(overrides: Sequence[str], folder: Path) -> Any:
    """What comes of the same few actions."""
    (folder / "claim.yaml").write_text(CLAIM)
    made = make_environment(settings_of([*overrides, f"world={folder / 'claim.yaml'}"]))
    told = []
    for number in range(4):
        target = ActionTarget(text="Amount")
        for action in (Fill(target=target, text=f"${number}.00"), Click(target=ActionTarget(text="Save draft"))):
            result = made.perform(action, key=f"{number}{action.verb}")
            told.append((result.exec_status, result.error, made.observe().model_dump(mode="json")))
    return told


def sources(overrides: Sequence[str], folder: Path) -> Any:
    """What is found in the handbook, and the tools that would be asked."""
    (folder / "mine").mkdir(exist_ok=True)
    (folder / "mine" / "otters.md").write_text("# How to feed the otters\nTwice a day.\n")
    found = build_sources(settings_of([text.replace("MINE", str(folder / "mine")) for text in overrides]))
    helped = [
        hit.title for source in found if source.name.startswith("help") for hit in source.search("feed the otters", None, 3)
    ]
    return helped, [source._settings for source in found if isinstance(source, McpSource)]


def face(overrides: Sequence[str], folder: Path) -> str:
    from orchestrator.views.terminal import make_face

    return type(make_face(settings_of(overrides).display)).__name__


def reviewed(overrides: Sequence[str], folder: Path) -> Any:
    """What the safety policy says of some actions, and what it keeps secret."""
    settings = settings_of(overrides)
    policy = SafetyPolicy.model_validate(load_safety(settings.safety)).constrained(settings.constraints)
    desk = SimulatedDesktop(parse_world(CLAIM))
    seen = desk.observe()
    told: list[Any] = [policy.name, [policy.is_private(element) for element in seen.elements]]
    for name, action in (
        ("Amount", Fill(target=ActionTarget(text="Amount"), text="$5.00")),
        ("Vendor", Fill(target=ActionTarget(text="Vendor"), text="Acme")),
        ("Vendor", Fill(target=ActionTarget(text="Vendor"), text="<secret>key</secret>")),
        ("Submit", Click(target=ActionTarget(text="Submit"))),
    ):
        element = next(e for e in seen.elements if e.text == name)
        told.append(review(action, element, seen, policy, confidence=0.6).model_dump(mode="json"))
    page = Grounds(steps=(StepOrigin(source="help:claims.md", title="Claims", step=2, text="Submit the form"),))
    told.append(review(action, element, seen, policy, confidence=0.6, grounds=page).model_dump(mode="json"))
    return told


def fitting(overrides: Sequence[str], folder: Path) -> str:
    """Whether the safety policy may be used on a desktop that is no simulation."""
    try:
        build_context(settings_of(overrides), environment=Real())
    except UsageProblem as bad:
        return str(bad)
    return "it may"


class Real:
    """An Environment that knows its screen and no truth behind it."""

    name = "real"

    def reset(self, *, seed: int | None = None) -> VisualState:
        return VisualState()

    def observe(self) -> VisualState:
        return VisualState()

    def perform(self, action: Action, *, key: str) -> ActionResult:
        return ActionResult(exec_status=ExecStatus.EXECUTED)

    def close(self) -> None:
        return None


def planned(overrides: Sequence[str], folder: Path) -> str:
    """The plan of a short goal, or why there is none."""
    try:
        return str(plan_goal(load_settings([], [*overrides, f"runs_dir={folder}"]), "Open the notes"))
    except UsageProblem as bad:
        return str(bad)


def waited(overrides: Sequence[str], folder: Path) -> Any:
    """What becomes of an answer after a minute."""
    from support import FINISH, Run, decide, planned, subtask

    policy = SafetyPolicy.model_validate(load_safety(settings_of(overrides).safety))
    minutes = iter([0.0, 60.0])
    clocks = {"clock": lambda: 0.0, "uptime": lambda: Uptime("one", next(minutes, 60.0))}
    plans = [planned(subtask("a")), planned(subtask("b"))]
    whole = Run(
        plans, {"a": (decide(Click(target=ActionTarget(text="Submit"))),), "b": (FINISH,)}, safety=policy, parts=clocks
    ).go()
    whole.go({"type": "approve"})
    return len(whole.desk.received()), "__interrupt__" in whole.result


def held(overrides: Sequence[str], folder: Path) -> list[str]:
    """Which of the requests that a page sends by itself wait for an answer."""
    from services.site_in_memory import Sent, Site

    site = Site()
    site.guard(SafetyPolicy.model_validate(load_safety(settings_of(overrides).safety)).network)
    site.send(Sent("/drafts"), Sent("/graphql", operation="GetNotes"), Sent("/drafts", method="PUT"))
    return [request.told + request.operation for request in site.held()]


# --- who decides ------------------------------------------------------------------------------------------------------


class Recording(ScriptedChatModel):
    """Answers with a click, or is always overloaded; keeps what it was asked."""

    down: bool = False
    arguments: dict[str, Any] = Field(default_factory=dict)
    _heard: list[Any] = PrivateAttr(default_factory=list)

    def _message(self, messages: Sequence[BaseMessage], bound: Any) -> AIMessage:
        self._heard.append(([message.content for message in messages], sorted(bound)))
        if self.down:
            raise Overloaded("down")
        return super()._message(messages, bound)


class Provider(Recording):
    """Stands for the class of a provider's package: takes its arguments and keeps them."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(arguments=arguments)


@contextmanager
def provider() -> Iterator[None]:
    """A package of a provider that needs no key and no network."""
    module = types.ModuleType("langchain_openai")
    module.ChatOpenAI = Provider  # type: ignore[attr-defined]
    before = sys.modules.get("langchain_openai")
    sys.modules["langchain_openai"] = module
    try:
        yield
    finally:
        del sys.modules["langchain_openai"]
        if before is not None:
            sys.modules["langchain_openai"] = before


class Bench:
    """The deciders of some settings, with a clock that only sleeping moves."""

    def __init__(self, overrides: Sequence[str], folder: Path, down: bool = False) -> None:
        for name, text in FILES.items():
            (folder / name).write_text(text)
        settings = settings_of([text.replace("HERE", str(folder)) for text in overrides])
        self.slept: list[float] = []
        self.journal = Journal(None, lambda: 0.0, record=settings.record)
        self.desk = SimulatedDesktop(parse_world(CLAIM))
        self.model = Recording(answer=lambda messages: CLICK, down=down)
        clocks = Clocks(now=lambda: sum(self.slept), sleep=self.slept.append)
        self.deciders = Deciders(
            settings.crew,
            journal=self.journal,
            limits=settings.limits,
            environment=self.desk,
            model=self.model,
            clocks=clocks,
            screenshots=settings.screenshots,
            retries=settings.retries,
        )

    def decided(self, subtask: str = "s1", app: str = "reimbursement") -> str:
        seen = self.desk.observe()
        step = StepRecord(
            step=1, subtask="s1", app=app, action={"action_type": "wait", "seconds": 1.0}, verb="wait", exec_status="executed"
        )
        history = tuple(step.model_copy(update={"step": number, "target": f"past {number}"}) for number in range(1, 13))
        task = Subtask(id=subtask, title="t", instruction='Enter "$5.00" into Amount', app=app)
        pictures = tuple(ScreenPicture(kind=kind, state_id=seen.state_id) for kind in ("clean", "annotated", "last_target"))
        view = OperatorView(user_request="do it", subtask=task, app=app, seen=seen, history=history, screenshots=pictures)
        policy = self.deciders.of("operator")
        try:
            if isinstance(ground := getattr(policy, "ground", None), PictureGrounding):
                return repr((ground("the cat", seen), [e.body for e in self.journal.events("error")]))
            decision: OperatorDecision = policy.decide(view)
        except PolicyFault as bad:
            return str(bad)
        return decision.model_dump_json(exclude={"memory"})


FILES = {
    "fill.yaml": 'decisions: {any: [{status: CONTINUE, action: {action_type: fill, target: {text: Amount}, text: "$1.00"}}]}\n',
    "wait.yaml": "decisions: {any: [{status: CONTINUE, action: {action_type: wait, seconds: 1.0}}]}\n",
    "says-wait.yaml": "lines: [{answer: {status: CONTINUE, action: {verb: wait}}}]\n",
    "says-fail.yaml": "lines: [{answer: {status: FAIL, comment: no}}]\n",
    "one.md": "# system\nFirst.\n# turn\n{{subtask}}{{screen}}{{steps}}{{answer_form}}\n",
    "two.md": "# system\nSecond.\n# turn\n{{subtask}}{{screen}}{{steps}}{{answer_form}}\n",
}


def decision(overrides: Sequence[str], folder: Path) -> Any:
    """What the Operator decides for some subtasks, or why it does not."""
    try:
        bench = Bench(overrides, folder)
        return [bench.decided(*of) for of in (("s1", "reimbursement"), ("s2", "reimbursement"), ("s1", "notes"))]
    except UsageProblem as bad:
        return str(bad)


def asked(overrides: Sequence[str], folder: Path) -> Any:
    """What the model of the Operator was asked, how, and what it cost."""
    bench = Bench(overrides, folder)
    bench.decided()
    return bench.model._heard, [{**e.body, "seconds": 0} for e in bench.journal.events("model_call")]


def recorded(overrides: Sequence[str], folder: Path) -> Any:
    """What is kept of two calls."""
    bench = Bench(overrides, folder)
    for _ in range(2):
        bench.decided()
    return [e.body.get("transcript") for e in bench.journal.events("model_call")]


def traced(overrides: Sequence[str], folder: Path) -> Any:
    """The processes of a run that sent a trace."""
    providers: list[TracerProvider] = []

    def provider() -> TracerProvider:
        providers.append(TracerProvider())
        return providers[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traces, "_exporting", provider)
        run()(overrides, folder)
    return len(providers)


def spared(overrides: Sequence[str], folder: Path) -> Any:
    """How often models of the Manager and the Evaluator are asked for a goal that is read, a step that moves, and the end."""
    bench = Bench(overrides, folder)
    seen = bench.desk.observe()
    apps = tuple(AppWords(app=a.app, title=a.title, words=a.words) for a in bench.desk.apps())
    goal = 'In the reimbursement form, enter "$5.00" as the amount and save the draft'
    bench.deciders.of("manager").plan(PlanRequest(goal=goal, apps=apps, cards=bench.desk.cards()))
    bench.journal.record(ModelCallEvent(model="m", tokens_in=1, tokens_out=1, seconds=0.0), role="evaluator")
    found = {"after": f"state:{seen.state_id}"}
    said: dict[str, Any] = {"decision": "gate_done", "reason": "seen", "evidence": [], "issues": [], "query": ""}
    bench.journal.record(GateEvent(**said, trigger="WORKER_SUCCESS", found=found), role="evaluator", subtask="s1")
    done = Subtask(id="s1", title="t", instruction="i", app="reimbursement", status=SubtaskStatus.FULFILLED)
    moved = GateEvidence(steps=1, progress=("step:1",))
    step = StepRecord(
        step=1, subtask="s1", action={"action_type": "wait", "seconds": 1.0}, verb="wait", exec_status=ExecStatus.EXECUTED,
        before="a", after="b", visible_change=True,
    )  # fmt: skip
    press = {"action_type": "click", "target": {"element_id": "e1", "text": "Save"}}
    pressed = step.model_copy(update={"action": press, "verb": "save"})
    for request in (
        GateRequest(trigger=GateTrigger.FINAL_CHECK, goal="g", plan=(done,), screens=(seen,), steps=(pressed,)),
        GateRequest(trigger=GateTrigger.PERIODIC_CHECK, goal="g", subtask=done, steps=(step,), screens=(seen,), found=moved),
    ):
        with suppress(PolicyFault):
            bench.deciders.of("evaluator").judge(request)
    return [event.role for event in bench.journal.events("model_call")]


def cached(overrides: Sequence[str], folder: Path) -> Any:
    """What a call cost of whose prompt the provider had the most in its cache."""
    bench = Bench(overrides, folder)
    used = UsageMetadata(
        input_tokens=1_000, output_tokens=10, total_tokens=1_010, input_token_details=InputTokenDetails(cache_read=800)
    )
    bench.model.answer = lambda messages: AIMessage(content=CLICK, usage_metadata=used)
    bench.decided()
    return [{**e.body, "seconds": 0} for e in bench.journal.events("model_call")]


def grounded(overrides: Sequence[str], folder: Path) -> Any:
    """Where a thing is that a model finds in the picture."""
    bench = Bench(overrides, folder)
    bench.model.answer = lambda messages: {"found": True, "x": 640, "y": 400}
    return bench.decided()


def talked(overrides: Sequence[str], folder: Path) -> Any:
    """What is decided by a model that says a lot."""
    bench = Bench(overrides, folder)
    bench.model.answer = lambda messages: f"{'Well, ' * 50}{CLICK}"
    return bench.decided()


def looked_up(overrides: Sequence[str], folder: Path) -> Any:
    """What is kept of a long text that a source knows."""
    journal = Journal(None, lambda: 0.0)
    text = Supplement(query="q", source="s", title="t", text="word " * 1000)
    sources = (types.SimpleNamespace(name="s", search=lambda query, app, limit: [text]),)
    desk = SimulatedDesktop(parse_world(CLAIM))
    context = Context(environment=desk, journal=journal, sources=sources, limits=settings_of(overrides).limits)
    gather_supplement({"assignment": {"query": "q"}}, context)
    return [found.text for found in journal.supplements()]


def insisted(overrides: Sequence[str], folder: Path) -> Any:
    """How a model that is down is asked: how often, with which pauses, and whether it is left alone afterwards."""
    bench = Bench(overrides, folder, down=True)
    told = [bench.decided() for _ in range(3)]
    bench.slept.append(20.0)
    told.append(bench.decided())
    waited = sum(int(pause > 1.5) for pause in bench.slept[:-1])
    return len(bench.model._heard), waited, ["not asked again" in words for words in told]


def opened(overrides: Sequence[str], folder: Path) -> Any:
    """What the provider's class is given, or why it is not."""
    with provider():
        try:
            policy = Bench(overrides, folder).deciders.of("operator")
        except UsageProblem as bad:
            return str(bad)
        members = getattr(policy, "_chain", None) or getattr(policy, "_voters", None)
        policy = members[0].policy if members else policy
        ground = getattr(policy, "ground", None)
        return (ground if isinstance(ground, PictureGrounding) else policy).asker._caller.model.arguments


# --- whole runs -------------------------------------------------------------------------------------------------------


class Unsure:
    """An Environment that is not sure of anything it shows."""

    def __init__(self, inner: Environment) -> None:
        self._inner, self.name = inner, inner.name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def observe(self) -> VisualState:
        seen = self._inner.observe()
        return seen.model_copy(update={"elements": tuple(e.model_copy(update={"confidence": 0.6}) for e in seen.elements)})


class Slow(Unsure):
    """An Environment that takes its time for every action."""

    def perform(self, action: Action, *, key: str) -> ActionResult:
        time.sleep(1.5)
        result: ActionResult = self._inner.perform(action, key=key)
        return result


def slow() -> Slow:
    return Slow(make_environment(settings_of(["world=office", "seed=3"])))


def unsure() -> Unsure:
    return Unsure(make_environment(settings_of(["world=office", "seed=3"])))


class Lost:
    """An Operator that wants what is not on the screen."""

    def decide(self, view: OperatorView) -> OperatorDecision:
        action = Click(target=ActionTarget(text="Nowhere at all"))
        return OperatorDecision(status=AgentStatus.CONTINUE, action=action, reasoning="there must be one")


class Looking:
    """An Operator that only ever wants to look again."""

    def decide(self, view: OperatorView) -> OperatorDecision:
        return OperatorDecision(status=AgentStatus.SCREENSHOT, reasoning="it is crowded")


class Counting:
    """A sandbox that says how long a script may run."""

    refusal = ""

    def run(self, script: str, language: Any, files: Any, timeout: float, *, folders: Any = ()) -> ScriptResult:
        return ScriptResult(1, stderr=f"{timeout} seconds are not enough\n", files=files)


class Talking(Counting):
    """A sandbox whose scripts say a lot."""

    def run(self, script: str, language: Any, files: Any, timeout: float, *, folders: Any = ()) -> ScriptResult:
        return ScriptResult(0, stdout="word " * 100, files=files, folders=tuple(folders))


class Repeating:
    """An Operator that always does the same."""

    def decide(self, view: OperatorView) -> OperatorDecision:
        heading = next(element for element in view.seen.elements if element.visible and element.role == "heading")
        action = Click(target=ActionTarget(track_id=heading.track_id))
        return OperatorDecision(status=AgentStatus.CONTINUE, action=action, reasoning="again")


def run(goal: str = COPY, **parts: Callable[[], Any]) -> View:
    """The story of a run with these parts of its own."""

    def view(overrides: Sequence[str], folder: Path) -> Any:
        stage = Stage(folder)
        try:
            worked = stage(goal, "seed=3", *overrides, answer="approve", **{name: make() for name, make in parts.items()})
            counted = [e.body for e in worked.events if e.kind in {"recognized", "error", "fact"}]
            return worked.path, worked.story, counted, worked.status
        finally:
            stage.close()

    return view


def nodes(overrides: Sequence[str], folder: Path) -> list[str]:
    """The nodes of a run that waits."""
    said = [*overrides, f"runs_dir={json.dumps(str(folder))}", "crew.manager.policy=human"]
    crew = Crew(load_settings((), said))
    with taken_up(crew.run(COPY).run_id, folder, OpenOptions()) as opened:
        return sorted(opened.graph.get_graph(xray=True).nodes)


def stored(overrides: Sequence[str], folder: Path) -> Any:
    """What is in the folder of a run, or why nothing is."""
    try:
        open_store(settings_of(overrides).store, folder, "run").close()
    except UsageProblem as no:
        return str(no)
    return [file.name for file in folder.iterdir()]


def facts_told(overrides: Sequence[str], folder: Path) -> Any:
    """What a model would be told of many facts."""
    from roles.contracts import Fact, PlanRequest
    from roles.knowledge.blackboard import board_of
    from roles.policies.llm import subtask_words

    facts = tuple(Fact(name=f"fact {n}", value="value " * 9, step=n) for n in range(40))
    board = board_of(facts, list, build_context(settings_of(overrides)).blackboard)
    return subtask_words.facts_told(PlanRequest(goal="go", facts=facts, board=board))


def kept(overrides: Sequence[str], folder: Path) -> Any:
    """Where a run is kept."""
    from orchestrator.runs.runs import start

    where = [text.replace("HERE", str(folder)) for text in overrides]
    return start(load_settings((), where), COPY).folder.parent
