"""Every setting has an effect: flipped, it changes something that is looked at here, or the test that shows it is named."""

import ast
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, get_args, get_origin

import pytest
import yaml
from pydantic import BaseModel
from support import CLAIM_WORLD, Real, Run, decide, desktop, planned, subtask

from environments.sandbox.contract import ScriptResult
from environments.simulated.desktop import SimulatedDesktop
from orchestrator.errors import UsageProblem
from orchestrator.settings import build
from orchestrator.settings.build import build_context, build_safety, build_skills, build_sources, make_environment
from orchestrator.settings.policies import _READ_BY, ROLES, Deciders
from orchestrator.settings.settings import Settings, load_settings, refuse_unfit
from orchestrator.views.terminal import make_face
from protocol import ActionTarget, Click, Fill, GUIElement, VisualState
from roles.contracts import Script, StepOrigin
from roles.contracts.limits import Limits
from roles.journal.journal import Journal
from roles.policies.llm.settings import ModelSettings
from roles.policies.scripted import ScriptedTechnician
from roles.policies.scripted_model import ScriptedChatModel
from roles.safety import Grounds, SafetyPolicy, review

pytestmark = pytest.mark.filterwarnings("ignore:.*is an old name:FutureWarning")
FILES = "name: files\napps: {reimbursement: {}, files: {}}\nopen: [reimbursement]\n"
TESTS = Path(__file__).parents[2]
TABLE: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("effects.yaml").read_text(encoding="utf-8"))


def models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in models_in(part)]


def leaves(model: type[BaseModel], at: str = "") -> Iterator[str]:
    """Every key that holds a value: `limits.steps`, `faults[].kind`, `crew.ROLE.policy`; a model is one: `crew.model`."""
    for name, field in model.model_fields.items():
        key = f"{at}.{field.alias or name}".lstrip(".")
        inner = [part for part in models_in(field.annotation) if not issubclass(part, ModelSettings)]
        key = "crew.ROLE" if key in {f"crew.{role}" for role in ROLES} or name == "final" else key
        if not field.exclude:  # which is read of old runs only
            if not inner:
                yield key
            for part in inner:
                yield from leaves(part, key + "[]" * (get_origin(field.annotation) is tuple))


# --- views: each gives what can be compared ---------------------------------------------------------------------------


def first_screen(settings: Settings, folder: Path, _: str) -> Any:
    """The environment that is made, its first screen, its picture and the truth behind them."""
    try:
        made = make_environment(settings)
    except UsageProblem as bad:
        return str(bad)
    if not isinstance(made, SimulatedDesktop):  # nothing is recognised for it
        return made.name, described(vars(made))
    return made.name, made.observe(), made.screenshot(), made.world()


def browser(settings: Settings, folder: Path, _: str) -> Any:
    """What a browser is started with, and why it is not for a run that another process began."""
    (folder / "browser").mkdir(exist_ok=True)
    given: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("environments.browser.BrowserEnvironment", lambda url, **more: given.append((url, more)))
        make_environment(settings)
        try:
            make_environment(settings, folder)
        except UsageProblem as bad:
            given.append(str(bad))
    return given


def first_actions(settings: Settings, folder: Path, _: str) -> Any:
    """What comes of the same few actions."""
    made, told = make_environment(settings), []
    for number in range(4):
        for action in (Fill(target=ActionTarget(text="Amount"), text=f"${number}.00"), Click(target=ActionTarget(text="Submit"))):
            result = made.perform(action, key=f"{number}{action.verb}")
            told.append((result.exec_status, result.error, made.observe().elements))
    return told


def safety(settings: Settings, folder: Path, _: str) -> Any:
    """What the policy says of some actions and of requests, what it keeps private, and whether it is for real surfaces."""
    policy = build_safety(settings).constrained(settings.constraints)
    seen = desktop().observe()
    page = Grounds(steps=(StepOrigin(source="help:claims.md", title="Claims", step=2, text="Submit the form"),))
    told: list[Any] = [policy.name, policy.network, [policy.is_private(element) for element in seen.elements]]
    for name, text, more in (("Amount", "$5.00", {}), ("Vendor", "<secret>key</secret>", {}), ("Submit", "", {"grounds": page})):
        target = ActionTarget(text=name)
        action = Fill(target=target, text=text) if text else Click(target=target)
        element = next(e for e in seen.elements if e.text == name)
        told.append(review(action, element, seen, policy, confidence=0.6, **more))
    with suppress(UsageProblem):
        refuse_unfit(policy, Real())
        told.append("it may be used where nobody knows the truth")
    return told


def skills(settings: Settings, folder: Path, _: str) -> Any:
    """What can be done and in which way, and what servers and installed tools are asked with; none is started for it."""
    asked: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "McpTools", lambda server, **_: asked.append(server) or type("Server", (), {"tools": list})())
        patch.setattr(build, "installed_tools", lambda names, **more: asked.append((names, more)) or [])
        made = build_skills(settings, desktop())
    ways = [settings.skills.preferred(app, name) for app in ("notes", "mail") for name in ("s1", "s2")]
    press = Click(target=ActionTarget(text="Save"))
    return asked, ways, made.known, made.lines("notes", "Find a note"), made.forbidden(press, "notes")


def decider(settings: Settings, folder: Path, role: str) -> Any:
    """The policy that a role gets, and the models that are opened for it."""
    opened: list[ModelSettings] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("roles.policies.llm.models.open_model", lambda chosen, _: opened.append(chosen) or ScriptedChatModel())
        made = Deciders(
            settings.crew, journal=Journal(None, lambda: 0.0), limits=settings.limits, environment=desktop(),
            model=ScriptedChatModel(), screenshots=settings.screenshots, retries=settings.retries,
        )  # fmt: skip
        return described(made.of(role)), opened


def context(settings: Settings, folder: Path, _: str) -> Any:
    """What the nodes of a run are given."""
    given = build_context(settings, store=folder)
    told = (given.sandbox, given.ahead, given.review_plans, given.ask_user, given.blackboard)
    return type(given.evaluator).__name__, described(told)


class Talking:
    """A sandbox whose scripts say much."""

    refusal = ""

    def run(self, script: str, language: Any, files: Any, timeout: float, folders: Any = ()) -> ScriptResult:
        return ScriptResult(0, stdout="word " * 100, files=files, folders=tuple(folders))


def unsure(state: VisualState) -> tuple[GUIElement, ...]:
    return tuple(element.model_copy(update={"confidence": 0.6}) for element in state.elements)


def short_run(settings: Settings, folder: Path, _: str) -> Any:
    """The story of a run that misses its target, repeats itself, and ends with a script."""
    lost, again = (decide(Click(target=ActionTarget(text=name))) for name in ("nowhere", "Amount"))
    script = subtask("b", worker="technician")
    plans = [planned(subtask("a"), script), planned(script)]
    parts = {
        "recognizer": SimpleNamespace(recognize=unsure),
        "technician": ScriptedTechnician(scripts={"b": (Script(code="ls"),)}),
        "sandbox": Talking(),
    }
    run = Run(plans, {"a": [lost, *[again] * 6]}, limits=settings.limits, parts=parts, desk=desktop(world=FILES)).go()
    return run.rows, run.bodies("recovered"), run.bodies("fact")


VIEWS: dict[str, Callable[..., Any]] = {
    "face": lambda settings, *_: type(make_face(settings.display)).__name__,
    "sources": lambda settings, *_: described(build_sources(settings)),
    **{view.__name__: view for view in (first_screen, browser, first_actions, safety, skills, decider, context, short_run)},
}
_OPAQUE = (Limits, Journal, SimulatedDesktop, ScriptedChatModel)
_OURS = {"orchestrator", "roles", "environments", "protocol"}


def described(thing: Any, above: tuple[int, ...] = ()) -> Any:
    """All that an object was made with, but for what the whole run has and gives on."""
    inside = partial(described, above=(*above, id(thing)))
    if id(thing) in above or isinstance(thing, _OPAQUE):
        return type(thing).__name__
    if isinstance(thing, BaseModel):
        return thing.model_dump(mode="json")
    if isinstance(thing, Mapping):
        return {str(key): inside(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [inside(part) for part in thing]
    if isinstance(thing, partial):
        return [thing.func.__name__, inside(thing.args), inside(thing.keywords)]
    if isinstance(thing, FunctionType):
        return [thing.__name__, [inside(cell.cell_contents) for cell in thing.__closure__ or ()]]
    if type(thing).__module__.split(".")[0] in _OURS and hasattr(thing, "__dict__"):
        return [type(thing).__name__, inside(vars(thing))]
    return repr(thing) if isinstance(thing, str | int | float | Path | None) else type(thing).__name__


# --- the laws ---------------------------------------------------------------------------------------------------------


class Flip:
    """A key of a group of the table, and another value than it has there. An `item` is the only one of its list."""

    def __init__(self, view: str, group: Mapping[str, Any], name: str, value: Any) -> None:
        self.view, self.key, self._role = view, f"{group['at']}.{name}".strip("."), group.get("role", "operator")
        where, _, leaf = self.key.partition("[].")
        item = group.get("item")
        self.before = [*group.get("given", ()), *([f"{where}={json.dumps([item])}"] if item is not None else ())]
        self.after = [*self.before, f"{where}={json.dumps(value if item is None else [{**item, leaf: value}])}"]

    def looked_at(self, overrides: list[str], folder: Path, role: str = "") -> str:
        role = role or self._role
        (folder / "claim.yaml").write_text(CLAIM_WORLD)
        prompt = (TESTS.parent / "roles" / role / "prompt.md").read_text(encoding="utf-8")
        (folder / "prompt.md").write_text(prompt.replace("# system\n", "# system\nBe brief.\n"), encoding="utf-8")
        said = [text.replace("HERE", str(folder)).replace("ROLE", role) for text in overrides]
        found = VIEWS[self.view](load_settings((), said).settings, folder, role)
        return json.dumps(found, default=lambda it: it.model_dump(mode="json") if isinstance(it, BaseModel) else repr(it))


GROUPS = ((view, group) for view, groups in TABLE["flips"].items() for group in groups)
FLIPS = {flip.key: flip for view, group in GROUPS for flip in (Flip(view, group, *said) for said in group["flips"].items())}
NAMED = {key: test for test, keys in TABLE["shown"].items() for key in keys.split()}
KEYS = set(leaves(Settings)) | {f"safety.{key}" for key in leaves(SafetyPolicy)}
PLACES, OF_MODELS = {key for key in KEYS if key.endswith(".model")}, {f"model.{key}" for key in leaves(ModelSettings)}


def test_every_key_has_an_effect_and_none_is_named_that_has_gone() -> None:
    assert {*FLIPS, *NAMED} == KEYS - PLACES | OF_MODELS
    assert set(TABLE["models"]["places"]) == PLACES
    assert {f"model.{key}" for key in TABLE["models"]["keys"]} == OF_MODELS


@pytest.mark.parametrize("key", FLIPS)
def test_flipping_a_key_makes_a_difference(key: str, tmp_path: Path) -> None:
    flip = FLIPS[key]
    assert flip.looked_at(flip.before, tmp_path) != flip.looked_at(flip.after, tmp_path)


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_that_is_looked_at_changes_by_itself(view: str, tmp_path: Path) -> None:
    flip = next(flip for flip in FLIPS.values() if flip.view == view)
    assert flip.looked_at(flip.after, tmp_path) == flip.looked_at(flip.after, tmp_path)


@pytest.mark.parametrize("role", ROLES)
def test_every_role_reads_each_of_its_keys_or_refuses_it(role: str, tmp_path: Path) -> None:
    unread, refused = [], {}
    for key, flip in FLIPS.items():
        if flip.view == "decider" and key.startswith("crew.ROLE.") and key != "crew.ROLE.when[].trigger":
            try:
                same = flip.looked_at(flip.before, tmp_path, role) == flip.looked_at(flip.after, tmp_path, role)
                unread += [key] if same else []
            except UsageProblem as why:
                refused[key.split(".")[2]] = str(why)
    assert unread == []
    assert {key for key, why in refused.items() if f"crew.{role}.{key}: only the " in why} == {
        key for key, roles in _READ_BY.items() if role not in roles and key != "pictures"
    }
    assert {key for key in refused if key not in _READ_BY} <= {"tool", "grounding"}


@pytest.mark.parametrize("place", sorted(PLACES))
def test_a_model_is_opened_as_the_settings_of_its_place_say(place: str, tmp_path: Path) -> None:
    shape, *given = TABLE["models"]["places"][place]
    unread = []
    for key, value in TABLE["models"]["keys"].items():
        name, _, part = key.partition(".")
        said = value if key == "script" else {"name": "openai:m", name: {part: value} if part else value}
        opened = []
        for one in ({"name": "openai:m"}, said):
            settings = load_settings((), [*given, shape.replace("MODEL", json.dumps(one))]).settings
            opened.append(decider(settings, tmp_path, "operator")[1])
        unread += [key] if opened[0] == opened[1] else []
    assert unread == []


def test_the_tests_that_show_an_effect_are_there_and_name_their_keys() -> None:
    texts: dict[str, str] = {}
    for test in set(NAMED.values()):
        path, _, name = test.partition("::")
        tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
        texts[test] = "".join(ast.unparse(node) for node in tree.body if getattr(node, "name", "") == name)
    assert [(key, test) for key, test in NAMED.items() if key.rpartition(".")[2] not in texts[test]] == []
