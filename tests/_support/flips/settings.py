"""For every key of the settings two values, and a way to see that they make a difference. Whoever adds a key adds a line."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from flips import plugged
from flips import views as see
from flips.knowledge import knowledge_flips
from flips.pictures import picture_flips
from flips.skills import skill_flips

from environments.files.yaml_lines import safe_data
from roles.contracts import GateVerdict, PlanAnswer, Script, Subtask
from roles.contracts.signals import GateTrigger, Signal
from roles.policies.scripted import (
    ScriptedEvaluator,
    ScriptedManager,
    ScriptedTechnician,
)


class Flip(NamedTuple):
    """Two settings of one key, and where the difference is seen; `always` holds for both."""

    view: see.View
    one: str
    other: str
    always: tuple[str, ...] = ()


def flip(view: see.View, key: str, one: Any, other: Any, *always: str) -> Flip:
    return Flip(view, f"{key}={one}", f"{key}={other}", always)


def fault(key: str, one: Any, other: Any, **always: Any) -> Flip:
    common = {"kind": "timeout", **always}
    return Flip(see.faulted, f"faults=[{_yaml({**common, key: one})}]", f"faults=[{_yaml({**common, key: other})}]")


def tool(key: str, one: Any, other: Any, **always: Any) -> Flip:
    return Flip(see.sources, f"tools=[{_yaml({**always, key: one})}]", f"tools=[{_yaml({**always, key: other})}]")


def when(key: str, one: Any, other: Any, **always: Any) -> Flip:
    common = {"policy": "scripted", **always}
    cases = [f"crew.operator.when=[{_yaml({**common, key: value})}]" for value in (one, other)]
    return Flip(see.decision, cases[0], cases[1], ("crew.operator.script=HERE/wait.yaml",))


def safety(key: str, one: Any, other: Any, **always: Any) -> Flip:
    return Flip(see.reviewed, f"safety={_yaml({**always, key: one})}", f"safety={_yaml({**always, key: other})}")


def rule(key: str, one: Any, other: Any, **always: Any) -> Flip:
    common = {"name": "r", "verdict": "deny", **always}
    rules = [f"safety={_yaml({'rules': [{**common, key: value}], 'otherwise': 'allow'})}" for value in (one, other)]
    return Flip(see.reviewed, rules[0], rules[1])


def network(key: str, one: Any, other: Any) -> Flip:
    policies = [f"safety={_yaml({'network': {'allow': [{key: value}]}})}" for value in (one, other)]
    return Flip(see.held, policies[0], policies[1])


def model(view: see.View, key: str, one: Any, other: Any, *always: str, at: str = "crew.operator.model") -> Flip:
    return flip(view, f"{at}.{key}", one, other, "crew.operator.policy=llm", *always)


def models(at: str) -> dict[str, Flip]:
    """The keys of a model, wherever one stands."""
    given, openai = f"{at}.name=given", f"{at}.name=openai:m"
    here = f"{at}.base_url=http://127.0.0.1/v1"
    slow = (given, f"{at}.break_after=9")
    return {
        "name": model(see.opened, "name", "openai:m", "openai:n", here, at=at),
        "base_url": model(see.opened, "base_url", "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1", openai, at=at),
        "script": model(see.decision, "script", "HERE/says-wait.yaml", "HERE/says-fail.yaml", f"{at}.name=scripted", at=at),
        "temperature": model(see.opened, "temperature", 0.0, 0.7, openai, here, at=at),
        "max_tokens": model(see.opened, "max_tokens", 100, 200, openai, here, at=at),
        "picture_side": model(see.asked, "picture_side", 300, 900, given, "crew.operator.vision=true", at=at),
        "reasoning_tokens": model(see.opened, "reasoning_tokens", 100, 200, openai, here, at=at),
        "effort": model(see.opened, "effort", "low", "high", openai, here, at=at),
        "timeout": model(see.opened, "timeout", 5.0, 9.0, openai, here, at=at),
        "options": model(see.opened, "options", "{top_p: 0.1}", "{top_p: 0.2}", openai, here, at=at),
        "structure": model(see.asked, "structure", "tools", "text", given, at=at),
        "tries": model(see.insisted, "tries", 2, 5, *slow, at=at),
        "wait": model(see.insisted, "wait", 0.1, 2.0, *slow, at=at),
        "deadline": model(see.insisted, "deadline", 0.2, 90.0, *slow, at=at),
        "break_after": model(see.insisted, "break_after", 2, 9, given, at=at),
        "break_seconds": model(see.insisted, "break_seconds", 5.0, 500.0, given, f"{at}.break_after=3", at=at),
        "prices.tokens_in": model(see.asked, "prices.tokens_in", 0.0, 2.0, given, at=at),
        "prices.tokens_cached": model(see.cached, "prices.tokens_cached", 0.0, 2.0, given, f"{at}.prices.tokens_in=1.0", at=at),
        "prices.tokens_out": model(see.asked, "prices.tokens_out", 0.0, 2.0, given, at=at),
    }


def grounding() -> dict[str, Flip]:
    """The keys of the model that finds places in pictures, beside one that decides."""
    at, own = "crew.operator.grounding.model", "crew.operator.model={name: scripted, script: HERE/says-wait.yaml}"
    counts = flip(see.grounded, "crew.operator.grounding.counts", "pixels", "grid_1000", GIVEN[0], own, f"{at}.name=given")
    found = {f"model.{key}": told._replace(always=(own, *told.always)) for key, told in models(at).items()}
    return {f"crew.ROLE.grounding.{key}": told for key, told in (found | {"counts": counts}).items()}


def in_member(key: str, told: Flip) -> Flip:
    """The same of one of a chain or of a vote, where it is true of the Operator's policy."""
    policy, of = ("fallback", "chain") if key == "chain" else ("vote", "voters")
    at = "crew.operator."
    own = [text for text in told.always if text.startswith((f"{at}model.", f"{at}prompt"))]
    rest = [text for text in told.always if text not in own and text != f"{at}policy=llm"]
    cases = []
    for said in (told.one, told.other):
        member: dict[str, Any] = {}
        for text in (*own, said):
            path, _, value = text.removeprefix(at).partition("=")
            place = member
            for part in path.split(".")[:-1]:
                place = place.setdefault(part, {})
            place[path.rpartition(".")[2]] = safe_data(value)
        cases.append(f"{at}{of}={_yaml([member] if of == 'chain' else [member, member])}")
    return Flip(told.view, cases[0], cases[1], (f"{at}policy={policy}", *rest))


def members(of: str) -> dict[str, Flip]:
    prompt = flip(see.asked, "crew.operator.prompt", "HERE/one.md", "HERE/two.md", *GIVEN)
    told = {f"model.{key}": found for key, found in models("crew.operator.model").items()} | {"prompt": prompt}
    return {f"crew.ROLE.{of}[].{key}": in_member(of, found) for key, found in told.items()}


def _yaml(data: Any) -> str:
    return json.dumps(data)


def _refusing() -> ScriptedManager:
    return ScriptedManager(plans=(PlanAnswer(outcome="plan_failed", reason="not yet"),))


def _begun_wrong() -> ScriptedManager:
    """Has a second plan for what the first could not do."""
    plans = [PlanAnswer(outcome="planned", subtasks=(Subtask(id=i, title=i, instruction=i, app=i),)) for i in ("mail", "notes")]
    return ScriptedManager(plans=tuple(plans))


def _unusable() -> ScriptedEvaluator:
    """Gives a decision that is not allowed where a worker says that it is done."""
    wrong = GateVerdict(decision=Signal.GATE_SUPPLEMENT, reason="no")
    return ScriptedEvaluator(verdicts={GateTrigger.WORKER_SUCCESS: (wrong,) * 20})


def _handing_on() -> ScriptedManager:
    """Plans nothing but a script."""
    subtask = Subtask(id="t", title="run it", instruction="run it", worker="technician")
    return ScriptedManager(plans=(PlanAnswer(outcome="planned", subtasks=(subtask,)),))


def _running() -> ScriptedTechnician:
    return ScriptedTechnician(scripts={"any": (Script(code="ls"),)})


def _unknowing() -> ScriptedManager:
    """Wants to know what stands in no help document, and then gives up."""
    wants = PlanAnswer(outcome="supplement_needed", query="xyzzy", reason="what is that?")
    return ScriptedManager(plans=(wants, PlanAnswer(outcome="infeasible", reason="nobody knows")))


def _answering() -> see.Recording:
    return see.Recording(answer=lambda messages: see.CLICK)


BY_MODEL = ("crew.operator.policy=llm", "limits.steps=6")
PRICED = (*BY_MODEL, "crew.model={name: given, prices: {tokens_in: 1000.0}}")
ASKED = (
    *("crew.manager={policy: fallback, chain: [llm, rules]}", "crew.evaluator.policy=llm", "crew.model=given"),
    "limits.reasks=0",
)
GIVEN = ("crew.operator.policy=llm", "crew.operator.model.name=given")

FLIPS: dict[str, Flip] = {
    "policies": flip(see.run(), "policies", "rules", "paranoid"),
    "environment": flip(see.screen, "environment", "simulated", "nowhere"),
    "plugins.policies": flip(plugged.parts, "plugins.policies", "{}", "{evaluator: 'roles.policies.scripted:TrustingEvaluator'}"),
    "plugins.sources": flip(plugged.parts, "plugins.sources", "[]", "['flips.plugged:Shelf']"),
    "plugins.checks": flip(plugged.parts, "plugins.checks", "[]", "['flips.plugged:Refusal']"),
    "world": flip(see.screen, "world", "office", "letters"),
    "seed": flip(see.screen, "seed", 1, 2),
    "sandbox": flip(see.sandbox, "sandbox", "bubblewrap", "gvisor"),
    "packages": flip(see.sandbox, "packages", "HERE/a", "HERE/b"),
    "help_dirs": flip(see.sources, "help_dirs", "[]", "[MINE]"),
    **knowledge_flips(),
    **skill_flips(),
    **picture_flips(),
    "store": flip(see.stored, "store", "sqlite", "postgresql:///runs?host=/nowhere/at/all"),
    "runs_dir": flip(see.kept, "runs_dir", "HERE/a", "HERE/b"),
    "display": flip(see.face, "display", "json", "none"),
    "safety": flip(see.reviewed, "safety", "read-only", "never-ask-in-simulation"),
    "memory.blackboard.most": flip(see.facts_told, "memory.blackboard.most", 3, 30),
    "memory.blackboard.characters": flip(see.facts_told, "memory.blackboard.characters", 300, 900),
    **{
        f"variation.{axis}": flip(view, f"variation.{axis}", one, other, *always)
        for axis, view, one, other, *always in (
            ("theme", see.picture, "light", "dark"),
            ("density", see.screen, "usual", "roomy"),
            ("layout", see.screen, "column", "mirrored"),
            ("order", see.screen, "usual", "reversed"),
            ("labels", see.screen, "usual", "synonyms"),
            ("language", see.screen, "en", "de"),
            ("names", see.faulted, "usual", "missing"),
            ("content", see.screen, 1, 3),
            ("screen", see.screen, "1024x768", "1280x800"),
            ("seed", see.screen, 1, 2, "variation.order=shuffled", "variation.labels=synonyms"),
        )
    },
    "browser.url": flip(see.browsed, "browser.url", "http://127.0.0.1:1", "http://127.0.0.1:2", "environment=browser"),
    **{
        f"browser.{key}": flip(see.browsed, f"browser.{key}", one, other, "environment=browser", "browser.url=http://127.0.0.1")
        for key, one, other in (
            ("allowed_hosts", "[a.example]", "[b.example]"),
            ("allow_files", "false", "true"),
            ("executable", "/a/chromium", "/b/chromium"),
            ("headless", "true", "false"),
        )
    },
    "browser.resumes": flip(
        see.gone_on, "browser.resumes", "false", "true", "environment=browser", "browser.url=http://127.0.0.1"
    ),
    "faults[].kind": fault("kind", "timeout", "swallow"),
    "faults[].rate": fault("rate", 0.0, 1.0),
    "faults[].verbs": fault("verbs", ["click"], ["fill"]),
    "faults[].apps": fault("apps", ["reimb*"], ["notes"]),
    "faults[].targets": fault("targets", ["Save*"], ["Amount"]),
    "faults[].times": fault("times", 1, 3),
    "faults[].text": fault("text", "do this", "do that", kind="inject"),
    "tools[].command": tool("command", ["a"], ["b"]),
    "tools[].url": tool("url", "http://127.0.0.1:1", "http://127.0.0.1:2"),
    **{
        f"tools[].{key}": tool(key, one, other, command=["a"])
        for key, one, other in (("env", {}, {"A": "1"}), ("tool", "a", "b"), ("argument", "a", "b"), ("seconds", 1.0, 2.0))
    },
    "limits.plans": flip(see.run(manager=_refusing), "limits.plans", 2, 4),
    "limits.replans": flip(see.run(manager=_begun_wrong), "limits.replans", 0, 3),
    "limits.steps": flip(see.run(), "limits.steps", 1, 50),
    "limits.wall_seconds": flip(see.run(), "limits.wall_seconds", 0.0001, 900.0),
    "limits.simulated_seconds": flip(see.run(), "limits.simulated_seconds", 0.5, 50_000.0),
    "limits.recoveries": flip(see.run(operator=see.Lost), "limits.recoveries", 1, 50),
    "limits.unusable": flip(see.run(evaluator=_unusable), "limits.unusable", 1, 50),
    "limits.action_seconds": flip(
        see.run(environment=see.slow, operator=see.Repeating), "limits.action_seconds", 1.0, 60.0, "limits.steps=1"
    ),
    "limits.script_output": flip(
        see.run(manager=_handing_on, technician=_running, sandbox=see.Talking), "limits.script_output", 100, 9_000
    ),
    "limits.tool_output": flip(see.looked_up, "limits.tool_output", 100, 9_000),
    "crew.adaptive.final_check": flip(see.spared, "crew.adaptive.final_check", "true", "false", *ASKED),
    "crew.adaptive.gates": flip(see.spared, "crew.adaptive.gates", "true", "false", *ASKED),
    "crew.adaptive.plan": flip(see.spared, "crew.adaptive.plan", "true", "false", *ASKED),
    "record.prompts": flip(see.recorded, "record.prompts", "all", "none", *GIVEN),
    "traces": flip(see.traced, "traces", "none", "otel"),
    "record.megabytes": flip(see.recorded, "record.megabytes", 0.001, 9, *GIVEN),
    "limits.answer_output": flip(see.talked, "limits.answer_output", 100, 9_000, *GIVEN),
    "limits.role_steps": flip(see.run(), "limits.role_steps", "{operator: 1}", "{operator: 100}"),
    "limits.goal_chars": flip(see.planned, "limits.goal_chars", 10, 100),
    "limits.max_steps": flip(see.run(), "limits.max_steps", 1, 40),
    "limits.max_recovery_attempts": flip(see.run(operator=see.Lost), "limits.max_recovery_attempts", 0, 3),
    "limits.retries": flip(see.run(), "limits.retries", 0, 3, "faults=[{kind: timeout, times: 2}]"),
    "limits.check_every": flip(see.run(), "limits.check_every", 2, 30),
    **{
        f"retries.{key}": flip(see.insisted, f"retries.{key}", one, other, *GIVEN, "crew.operator.model.break_after=9", *more)
        for key, one, other, *more in (
            ("tries", 2, 5),
            ("wait", 0.1, 2.0),
            ("longest", 0.1, 9.0, "retries.wait=2.0"),
        )
    },
    "limits.reasks": flip(see.run(evaluator=_unusable), "limits.reasks", 0, 3),
    "limits.gates": flip(see.run(), "limits.gates", 1, 60),
    "limits.script_seconds": flip(
        see.run(manager=_handing_on, technician=_running, sandbox=see.Counting), "limits.script_seconds", 1.0, 9.0
    ),
    "limits.looks": flip(see.run(operator=see.Looking), "limits.looks", 0, 3, "limits.steps=8"),
    "limits.min_confidence": flip(see.run(environment=see.unsure), "limits.min_confidence", 0.5, 0.9),
    "limits.stale_repeats": flip(see.run(operator=see.Repeating), "limits.stale_repeats", 2, 5, "limits.steps=12"),
    "limits.tokens": flip(see.run(model=_answering), "limits.tokens", 1, 10_000_000, *BY_MODEL),
    "limits.role_tokens": flip(
        see.run(model=_answering), "limits.role_tokens", "{operator: 1}", "{operator: 10000000}", *BY_MODEL
    ),
    "limits.money": flip(see.run(model=_answering), "limits.money", 0.0001, 10_000.0, *PRICED),
    "limits.role_money": flip(
        see.run(model=_answering), "limits.role_money", "{operator: 0.0001}", "{operator: 10000.0}", *PRICED
    ),
    "crew.ROLE.policy": flip(see.decision, "crew.operator.policy", "rules", "scripted", "crew.operator.script=HERE/wait.yaml"),
    "crew.ROLE.script": flip(
        see.decision, "crew.operator.script", "HERE/wait.yaml", "HERE/fill.yaml", "crew.operator.policy=scripted"
    ),
    "crew.ROLE.chain[].policy": flip(
        see.decision,
        "crew.operator.chain",
        "[scripted]",
        "[rules]",
        "crew.operator.policy=fallback",
        "crew.operator.script=HERE/wait.yaml",
    ),
    "crew.ROLE.voters[].policy": flip(
        see.decision,
        "crew.operator.voters",
        "[scripted, scripted]",
        "[rules, rules]",
        "crew.operator.policy=vote",
        "crew.operator.script=HERE/wait.yaml",
    ),
    "constraints.allowed_apps": flip(see.reviewed, "constraints.allowed_apps", "[reimbursement]", "[notes]"),
    "constraints.forbidden_actions": flip(see.reviewed, "constraints.forbidden_actions", "[]", "[fill]"),
    "constraints.blocked_domains": flip(see.reviewed, "constraints.blocked_domains", "[]", "['*.00']"),
    "constraints.maximum_autonomy": flip(see.reviewed, "constraints.maximum_autonomy", "ask-all", "read-only"),
    "constraints.private": flip(see.reviewed, "constraints.private", "[]", "['*amount*']"),
    "constraints.output_requirements": flip(
        see.run(), "constraints.output_requirements", "['size(facts) > 0']", "['size(facts) > 900']", "limits.replans=0"
    ),
    "constraints.scope": flip(see.reviewed, "constraints.scope", "['true']", "['app == \"notes\"']"),
    "crew.ROLE.granularity": flip(see.nodes, "crew.operator.granularity", "coarse", "fine"),
    "crew.ROLE.review": flip(see.run(), "crew.manager.review", "false", "true"),
    "crew.ROLE.ask_user": flip(see.run(manager=_unknowing), "crew.manager.ask_user", "false", "true"),
    "crew.ROLE.when[].policy": when("policy", "scripted", "rules", app="reimbursement"),
    "crew.ROLE.when[].app": when("app", "reimbursement", "notes"),
    "crew.ROLE.when[].worker": when("worker", "operator", "technician"),
    "crew.ROLE.when[].trigger": Flip(
        see.run(),
        "crew.evaluator.when=[{policy: trusting, trigger: WORKER_SUCCESS}]",
        "crew.evaluator.when=[{policy: trusting, trigger: FINAL_CHECK}]",
    ),
    "crew.ROLE.when[].subtask": when("subtask", "s1", "s2"),
    "crew.ROLE.prompt": flip(see.asked, "crew.operator.prompt", "HERE/one.md", "HERE/two.md", *GIVEN),
    "crew.ROLE.vision": flip(see.asked, "crew.operator.vision", "false", "true", *GIVEN),
    "crew.ROLE.pictures": flip(
        see.asked, "crew.operator.pictures", "[clean]", "[clean, last_target]", "crew.operator.vision=true", *GIVEN
    ),
    "crew.ROLE.batch": flip(see.asked, "crew.operator.batch", 1, 3, *GIVEN),
    "crew.ROLE.form": flip(see.asked, "crew.operator.form", "full", "narrow", *GIVEN),
    "crew.ROLE.tool": flip(see.asked, "crew.operator.tool", "anthropic", "ui_tars", "crew.operator.form=computer_use", *GIVEN),
    **grounding(),
    "crew.ROLE.verbs": flip(see.asked, "crew.operator.verbs", "[click]", "[click, fill]", *GIVEN),
    "crew.ROLE.screen_tokens": flip(see.asked, "crew.operator.screen_tokens", 100, 3000, *GIVEN),
    "crew.ROLE.recent": flip(see.asked, "crew.operator.recent", 1, 9, *GIVEN),
    **{f"crew.ROLE.model.{key}": found for key, found in models("crew.operator.model").items()},
    **members("chain"),
    **members("voters"),
    **{f"crew.model.{key}": found for key, found in models("crew.model").items()},
}

SAFETY_FLIPS: dict[str, Flip] = {
    "name": safety("name", "one", "other"),
    "allowed_apps": safety("allowed_apps", ["*"], ["notes"]),
    "otherwise": safety("otherwise", "allow", "deny", rules=[]),
    "min_confidence": safety("min_confidence", 0.1, 0.9),
    "private_in_the_open": safety("private_in_the_open", "ask", "allow"),
    "from_pages": safety("from_pages", "ask", "allow", rules=[], otherwise="allow"),
    "private": safety("private", [], ["*amount*"]),
    "only_in_simulation": safety("only_in_simulation", False, True)._replace(view=see.fitting),
    "approval_seconds": safety("approval_seconds", 30.0, 90.0)._replace(view=see.waited),
    "expired": safety("expired", "ask", "deny", approval_seconds=30.0)._replace(view=see.waited),
    "network.mode": safety("network", "hold", "watch")._replace(view=see.held),
    "network.allow[].method": network("method", "PUT", "POST"),
    "network.allow[].host": network("host", "bank.example", "shop.example"),
    "network.allow[].path": network("path", "/drafts", "/graphql"),
    "network.allow[].operation": network("operation", "Get*", "Set*"),
    "rules[].name": rule("name", "a", "b"),
    "rules[].verdict": rule("verdict", "deny", "ask"),
    "rules[].effects": rule("effects", ["edit"], ["submit"]),
    "rules[].verbs": rule("verbs", ["click"], ["fill"]),
    "rules[].apps": rule("apps", ["reimbursement"], ["notes"]),
    "rules[].targets": rule("targets", ["Amount"], ["Vendor"]),
    "rules[].values": rule("values", ["*5.00*"], ["Acme"]),
    "rules[].domains": rule("domains", ["*.00"], ["a.example"]),
    "rules[].condition": rule("if", "value == '$5.00'", "value == 'Acme'"),
    "rules[].why": rule("why", "because", "for a reason"),
}
