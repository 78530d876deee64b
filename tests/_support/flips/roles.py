"""For every key of every role two values, and what its policy says and its model is asked: each role reads its own keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flips import views as see

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import parse_world
from orchestrator.errors import UsageProblem
from orchestrator.settings.policies import Deciders
from protocol import VisualState
from roles.contracts import AnalystRequest, GateRequest, OperatorView, PlanRequest, ScreenPicture, ScriptRequest, Subtask
from roles.contracts.orders import PressStep
from roles.contracts.signals import GateTrigger
from roles.journal.journal import Journal
from roles.journal.screenshots import Gallery
from roles.policies.fallback import PolicyFault

ROOT = Path(__file__).parents[3]
ROLES = ("manager", "operator", "evaluator", "technician", "analyst")
SCRIPTS = {
    "manager": "plans: [{{outcome: infeasible, reason: {0}}}]",
    "operator": "decisions: {{any: [{{status: FAIL, comment: {0}}}]}}",
    "evaluator": "verdicts: {{WORKER_SUCCESS: &one [{{decision: gate_fail, reason: {0}}}], FINAL_CHECK: *one}}",
    "technician": "scripts: {{any: [{{code: {0}}}]}}",
    "analyst": "answers: {{any: {{reason: {0}}}}}",
}
LLM = ("crew.{0}.policy=llm", "crew.{0}.model.name=given")
MADE_OF = {
    "policy": ("rules", "scripted", ()),
    "script": ("HERE/one.yaml", "HERE/two.yaml", ("crew.{0}.policy=scripted",)),
    "model": ("{{name: given, structure: text}}", "{{name: given, structure: tools}}", LLM[:1]),
    "prompt": ("null", "HERE/other.md", LLM),
    "vision": ("false", "true", LLM),
    "pictures": ("[annotated]", "[clean]", (*LLM, "crew.{0}.vision={1}")),
    "batch": ("1", "3", LLM),
    "form": ("full", "narrow", LLM),
    "tool": ("anthropic", "ui_tars", (*LLM, "crew.{0}.form=computer_use")),
    "verbs": ("null", "[click]", LLM),
    "screen_tokens": ("2500", "100", LLM),
    "recent": ("8", "1", LLM),
    "chain": ("[scripted, rules]", "[rules, scripted]", ("crew.{0}.policy=fallback",)),
    "voters": ("[scripted, scripted, rules]", "[rules, rules, scripted]", ("crew.{0}.policy=vote",)),
    "when": ("[]", "[{{worker: {2}, policy: scripted}}]", ()),
    "final": ("null", "scripted", ()),
}
"""One value, another, and what holds with both; `{0}` is the role, `{1}` whether it can see, `{2}` who works the subtask."""
_SEEING = {"manager", "operator", "evaluator"}
_WORDS = {"technician": "Run `wc -l /Logs/app.log`"}
WORKERS = {"technician": "technician", "analyst": "analyst"}


def overrides(role: str, key: str, value: str, folder: Path) -> list[str]:
    said = [f"crew.{{0}}.{key}={value}", *MADE_OF[key][2], "crew.{0}.script=HERE/one.yaml" if key != "script" else ""]
    fit = (role, str(role in _SEEING).lower(), WORKERS.get(role, "operator"))
    return [text.format(*fit).replace("HERE", str(folder)) for text in said if text]


def answered(role: str, told: Sequence[str], folder: Path) -> Any:
    """What the policy of a role answers and its model was asked, or why there is none."""
    for name in ("one", "two"):
        (folder / f"{name}.yaml").write_text(SCRIPTS[role].format(name))
    prompt = (ROOT / "roles" / role / "prompt.md").read_text()
    (folder / "other.md").write_text(prompt.replace("# system\n", "# system\nBe brief.\n"))
    settings = see.settings_of(told)
    desk, journal, model = SimulatedDesktop(parse_world(see.CLAIM)), Journal(None, lambda: 0.0), see.Recording()
    seen = desk.observe()
    gallery = Gallery(settings.screenshots, desk, journal, None, remember=True)
    gallery.keep(seen, "all")
    made = Deciders(
        settings.crew, journal=journal, limits=settings.limits, environment=desk, model=model, gallery=gallery,
        screenshots=settings.screenshots,
    )  # fmt: skip
    try:
        said = [_put(role, made.of(role), trigger, seen) for trigger in (GateTrigger.WORKER_SUCCESS, GateTrigger.FINAL_CHECK)]
    except (UsageProblem, PolicyFault) as no:
        said = [str(no)]
    return said, model._heard


def _put(role: str, policy: Any, trigger: GateTrigger, seen: VisualState) -> str:
    worker: Any = WORKERS.get(role, "operator")
    words = _WORDS.get(role, "Add up the totals")
    press = (PressStep(app="reimbursement", verb="click", control="Submit"),) if role == "operator" else ()
    task = Subtask(id="s1", title="t", instruction=words, app="reimbursement", worker=worker, steps=press)
    step = {"step": 1, "subtask": "s1", "action": {"action_type": "wait"}, "verb": "wait", "exec_status": "executed"}
    steps: Any = tuple({**step, "step": n, "target": f"past {n}", "before": seen.state_id} for n in range(1, 13))
    match role:
        case "manager":
            return str(policy.plan(PlanRequest(goal="Open the notes", failed="s1", plan=(task,))))
        case "operator":
            pictures = tuple(ScreenPicture(kind=kind, state_id=seen.state_id) for kind in ("clean", "annotated"))  # type: ignore[arg-type]
            view = OperatorView(user_request="go", subtask=task, app=task.app, seen=seen, history=steps, screenshots=pictures)
            return str(policy.decide(view).model_dump(exclude={"memory"}))
        case "evaluator":
            return str(policy.judge(GateRequest(trigger=trigger, goal="go", subtask=task, steps=steps, screens=(seen,))))
        case "analyst":
            return str(policy.answer(AnalystRequest(goal="go", subtask=task)))
    return str(policy.write(ScriptRequest(goal="go", subtask=task, files=("/Logs/app.log",))))
