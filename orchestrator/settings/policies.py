"""From the settings of a role to who decides for it: rules, a script, a model, and a chain of these.

What decides is imported where it is chosen: a run by rules needs nothing of models, and one by models no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from environments.contract import Environment, EnvironmentFault, Files, Screenshots
from environments.files.wrong_data import did_you_mean
from orchestrator.errors import MissingDependency, UsageProblem
from orchestrator.settings.layers import checked, read_document
from orchestrator.settings.plugins import METHODS
from orchestrator.settings.role_settings import CrewSettings, EvaluatorSettings, Member, OperatorSettings, RoleSettings
from protocol import VisualState
from protocol.retries import Retries
from roles.contracts import PictureKind, ScreenPicture
from roles.contracts.limits import Limits
from roles.journal.events import PolicyEvent
from roles.journal.journal import Journal
from roles.journal.screenshots import Gallery, ScreenshotSettings
from roles.policies.adaptive import JUDGED, AdaptiveEvaluator, AdaptiveManager
from roles.policies.fallback import AtTheEnd, Fallback, GaveUp, NamedPolicy
from roles.policies.llm.settings import ModelSettings, PictureSize

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from roles.policies.llm.asking import Asker, Picturing
    from roles.policies.llm.calls import Breaker, Caller, Clocks
    from roles.policies.llm.decision_parsing import Grounding
    from roles.policies.llm.prompts import Prompt

ROLES = (*METHODS,)
"""Who decides by a policy."""


_READ_BY: dict[str, tuple[str, ...]] = {
    "vision": ("manager", "operator", "evaluator"),
    "pictures": ("manager", "operator", "evaluator"),
    "screen_tokens": ("operator", "evaluator"),
    "recent": ("operator",),
    "batch": ("operator",),
    "form": ("operator", "evaluator"),
    "verbs": ("operator",),
}
"""Keys that not every role has a use for."""


def rules_policy(role: str) -> Any:
    """The policy by rules of a role."""
    return getattr(import_module(f"roles.{role}.rules"), f"Rules{role.title()}")()


@dataclass
class Deciders:
    """Makes the policies of one run: they share its journal, its limits, and a breaker for each model."""

    crew: CrewSettings
    _: KW_ONLY
    journal: Journal
    limits: Limits
    environment: Environment | None = None
    model: BaseChatModel | None = None
    clocks: Clocks | None = None
    screenshots: ScreenshotSettings = field(default_factory=ScreenshotSettings)
    gallery: Gallery | None = None
    retries: Retries = field(default_factory=Retries)
    breakers: dict[tuple[str, str | None], Breaker] = field(default_factory=dict)

    def of(self, role: str) -> Any:
        """The decision maker of a role. Raises UsageProblem."""
        settings: RoleSettings = getattr(self.crew, role)
        told = settings.at_the_end() if isinstance(settings, EvaluatorSettings) else None
        main = self._adaptive(role, settings, self._chosen(role, settings))
        if told is None:
            return main
        final = NamedPolicy(told.policy, self._chosen(role, told, ".final"))
        return AtTheEnd(NamedPolicy(settings.policy, main), final, self._recorder(role))

    def told(self, role: str, request: Any) -> tuple[str, str]:
        """What a model in this role would be told at a request, whoever decides: the system part and the turn. Pictures and the
        windows of the moment are left out. Both parts are empty for what no model is asked about."""
        from roles.policies.llm.prompts import load_prompt
        from roles.policies.llm.schemas import form_told

        heard: list[tuple[str, str]] = []

        def ask(prompt: Prompt, values: Mapping[str, str], schema: Mapping[str, Any], *_: Any, **__: Any) -> None:
            heard.append(prompt.filled({**values, "answer_form": form_told(schema)}))
            raise GaveUp("nobody answers")

        settings: RoleSettings = getattr(self.crew, role)
        asker = cast("Asker", SimpleNamespace(model=None, ask=ask))
        policy = self._policy(role, settings, asker, load_prompt(role, settings.prompt, form=settings.form))
        policy = replace(policy, windows=list) if role == "manager" else policy
        if role == "operator" and "llm" not in settings.used():
            request = request.model_copy(update={"memory": {}})  # the notes of a policy that is no model
        with suppress(GaveUp):
            getattr(policy, METHODS[role])(request)
        return heard[0] if heard else ("", "")

    def _adaptive(self, role: str, settings: RoleSettings, policy: Any) -> Any:
        """The policy, or what asks it only where code cannot tell: of a role that a model decides for, or begins with."""
        told, first = self.crew.adaptive, settings.chain[0].policy if settings.policy == "fallback" else settings.policy
        if first != "llm":
            return policy
        if role == "manager" and told.plan:
            worker = self.crew.operator
            works = worker.chain[0].policy if worker.policy == "fallback" else worker.policy
            return AdaptiveManager(policy, self._recorder(role)) if works == "llm" and worker.form != "narrow" else policy
        if role == "evaluator" and told.final_check:
            return AdaptiveEvaluator(policy, rules_policy(role), partial(self.journal.events, *JUDGED), self._recorder(role))
        return policy

    def _chosen(self, role: str, settings: RoleSettings, at: str = "") -> Any:
        """The policy of these settings. Raises UsageProblem, also for a key that nobody would read."""
        place, known = f"crew.{role}{at}", ("rules", "scripted", "llm", *(("trusting",) if role == "evaluator" else ()))
        for key, roles in _READ_BY.items():
            if role not in roles and getattr(settings, key) != RoleSettings.model_fields[key].default:
                raise UsageProblem(f"{place}.{key}: only the {' and the '.join(roles)} can have it; leave it out.")
        if settings.form == "computer_use" and role != "operator":
            raise UsageProblem(f"{place}.form: only the operator acts by a tool for computers; write full or narrow.")
        if settings.vision and "llm" not in settings.used():
            unseen = f"only a model sees pictures, and no policy of the {role} is llm; leave it out, or name one."
            raise UsageProblem(f"{place}.vision: {unseen}")
        if wrong := sorted(settings.used() - set(known)):
            raise UsageProblem(f"crew.{role}: the {role} has no policy {wrong[0]!r}{did_you_mean(wrong[0], known)}")
        return self._made(role, settings, settings.policy)

    def _made(self, role: str, settings: RoleSettings, policy: str, at: str = "") -> Any:
        match policy:
            case "fallback":
                return Fallback([self._member(role, settings, one) for one in settings.chain], self._recorder(role))
            case "rules":
                return rules_policy(role)
            case "scripted":
                if settings.script is None:
                    raise UsageProblem(f"crew.{role}.script: a scripted policy needs the YAML file of its script")
                kind = getattr(import_module("roles.policies.scripted"), f"Scripted{role.title()}")
                document = read_document(settings.script, f"{role} script")
                return checked(kind, document.data, document.where)
            case "llm":
                return self._asking_a_model(role, settings, at)
            case _:
                from roles.policies.scripted import TrustingEvaluator

                return TrustingEvaluator()

    def _member(self, role: str, settings: RoleSettings, member: Member) -> NamedPolicy:
        """One of several; what it has of its own stands in its name, so that the journal tells it from the others."""
        if member.model is None and member.prompt is None:
            return NamedPolicy(member.policy, self._made(role, settings, member.policy))
        chosen = self._model_of(settings)
        chosen = chosen if member.model is None else member.model.over(chosen)
        heat = chosen and chosen.temperature
        told = [member.policy, *([chosen.name] if chosen else []), *([f"temperature {heat:g}"] if heat is not None else [])]
        own = settings.model_copy(update={"model": chosen, "prompt": member.prompt or settings.prompt})
        told += [member.prompt.name] if member.prompt else []
        return NamedPolicy(f"{told[0]} {', '.join(told[1:])}".rstrip(), self._made(role, own, member.policy, ".chain"))

    def _recorder(self, role: str) -> Callable[[dict[str, Any]], None]:
        def keep(body: dict[str, Any]) -> None:
            self.journal.record(PolicyEvent(**body), role=role)

        return keep

    def _model_of(self, settings: RoleSettings) -> ModelSettings | None:
        return settings.model or self.crew.model or (ModelSettings(name="given") if self.model is not None else None)

    def _asking_a_model(self, role: str, settings: RoleSettings, at: str) -> Any:
        from roles.policies.llm.asking import Asker
        from roles.policies.llm.prompts import PromptProblem, load_prompt

        chosen = self._model_of(settings)
        if chosen is None:
            raise UsageProblem(
                f"crew.{role}.model: an llm policy needs a model, such as openai:gpt-5-mini, here or in crew.model"
            )
        try:
            # First: what is wrong is said before what is lacking.
            prompt = load_prompt(role, settings.prompt, form=settings.form)
        except PromptProblem as bad:
            raise UsageProblem(f"crew.{role}{at}.prompt: {bad}{'' if str(bad).endswith('?') else '.'}") from None
        caller = self._caller(role, chosen, f"crew.{role}{at}.model")
        if isinstance(settings, OperatorSettings) and settings.form == "computer_use":
            from roles.policies.computer_use.operator import ComputerUseOperator
            from roles.policies.computer_use.tools import tool_of
            from roles.policies.llm.settings import ModelProblem

            try:
                tool = tool_of(settings.tool, caller.settings.name)
            except ModelProblem as bad:
                raise UsageProblem(f"crew.operator.tool: {bad}.") from None
            picturing = self._picturing("operator", "form", caller.settings.pictures)
            bounds = {"reasks": self.limits.reasks, "longest": self.limits.answer_output, "recent": settings.recent}
            return ComputerUseOperator(caller, tool, prompt, picturing, **bounds, batch=settings.batch, verbs=settings.verbs)
        return self._policy(role, settings, Asker(caller, self.limits.reasks, self.limits.answer_output), prompt)

    def _caller(self, role: str, chosen: ModelSettings, key: str) -> Caller:
        """What asks that model for a role. Raises UsageProblem or MissingDependency."""
        from roles.policies.llm.calls import Breaker, Caller, Clocks
        from roles.policies.llm.models import open_model
        from roles.policies.llm.settings import ModelMissing, ModelProblem

        self.clocks = self.clocks or Clocks()
        try:
            model = open_model(chosen, self.model)
        except ModelProblem as bad:
            problem = MissingDependency if isinstance(bad, ModelMissing) else UsageProblem
            raise problem(f"{key}: {bad}{'' if str(bad).endswith('?') else '.'}") from None
        breaker = self.breakers.setdefault((chosen.name, chosen.base_url), Breaker(chosen, self.clocks))
        return Caller(model, chosen, role, self.journal, self.limits, breaker, self.clocks, self.retries)

    def _grounding(self, settings: RoleSettings) -> Grounding:
        """Who finds in the picture what no element carries; nobody where the settings name nobody."""
        from roles.policies.computer_use.grounding import PictureGrounding
        from roles.policies.llm.asking import Asker
        from roles.policies.llm.decision_parsing import nowhere

        told = settings.grounding if isinstance(settings, OperatorSettings) else None
        if told is None:
            return nowhere
        picturing = self._picturing("operator", "grounding", told.model.pictures)
        caller = self._caller("operator", told.model, "crew.operator.grounding.model")
        return PictureGrounding(Asker(caller, self.limits.reasks, self.limits.answer_output), picturing, told.counts)

    def _policy(self, role: str, settings: RoleSettings, asker: Asker, prompt: Prompt) -> Any:
        blind = settings.vision == "auto" and (getattr(asker.model, "profile", None) or {}).get("image_inputs") is False
        model = self._model_of(settings)
        size = model.pictures if model is not None else PictureSize()
        picturing: Picturing | None = None
        if settings.vision and not blind:
            with suppress(*(UsageProblem,) if settings.vision == "auto" else ()):
                picturing = self._picturing(role, "vision", size)
        pictures = self.screenshots.shown(settings.pictures)
        match role:
            case "manager":
                from roles.manager.llm import LlmManager

                # A technician only where there are files to work on.
                workers = ("operator", *(("technician",) if isinstance(self.environment, Files) else ()), "analyst")
                unaided = [name for name in ("technician", "analyst") if getattr(self.crew, name).used() == {"rules"}]
                return LlmManager(
                    asker,
                    prompt,
                    workers=workers,
                    looking=partial(self._looking, pictures, picturing),
                    windows=self._windows,
                    typed="rules" in self.crew.operator.used(),
                    by_rules=unaided,
                )
            case "evaluator":
                from roles.evaluator.llm import LlmEvaluator

                screen, room, rules = self.journal.screens.get, settings.screen_tokens, rules_policy(role)
                told = {"form": settings.form, "screen_tokens": room, "screen": screen, "rules": rules}
                return LlmEvaluator(asker, prompt, pictures=pictures, picturing=picturing, **told)
            case "operator":
                from roles.operator.llm import LlmOperator

                own = {name: getattr(settings, name) for name in ("screen_tokens", "recent", "batch", "form", "verbs")}
                skills, ground = rules_policy(role) if settings.form == "narrow" else None, self._grounding(settings)
                return LlmOperator(asker, prompt, pictures=pictures, picturing=picturing, ground=ground, skills=skills, **own)
            case _:
                policy = getattr(import_module(f"roles.{role}.llm"), f"Llm{role.title()}")
                return policy(asker, prompt)

    def _picturing(self, role: str, key: str, size: PictureSize) -> Picturing:
        """Pictures of the screen that is there, as large as the role's model takes them; for the Evaluator of those that the
        gallery remembers, too. Raises UsageProblem where there are none, and MissingDependency."""
        environment, gallery = self.environment, self.gallery
        if not isinstance(environment, Screenshots):
            raise UsageProblem(f"crew.{role}.{key}: this environment has no pictures; leave {key} out")
        if role == "evaluator" and gallery is not None:
            return _pictures_of(role, lambda seen: gallery.picture(seen.state_id), size)
        return _pictures_of(role, lambda _: environment.screenshot(), size)

    def _seen(self) -> VisualState | None:
        """The screen that is there, where it can be seen."""
        try:
            return self.environment.observe() if self.environment is not None else None
        except EnvironmentFault:
            return None

    def _windows(self) -> list[str]:
        """The windows that are open, the one in front marked."""
        open_now = seen.windows if (seen := self._seen()) is not None else ()
        marks = {window.window_id: ", in front" * window.focused + ", minimized" * window.minimized for window in open_now}
        return [f"{window.app}: {window.title}{marks[window.window_id]}" for window in open_now]

    def _looking(
        self, kinds: Sequence[PictureKind], picturing: Picturing | None
    ) -> tuple[tuple[str, ...], list[tuple[str, bytes | None]]]:
        from roles.policies.llm.asking import of_screen

        if picturing is None or (seen := self._seen()) is None:
            return (), []
        return (seen.state_id,), of_screen("now", seen, kinds, picturing)


def _pictures_of(role: str, taken: Callable[[VisualState], bytes | None], size: PictureSize) -> Picturing:
    """Pictures of screens, made of their clean one, which is made smaller first: so marks stay as large as they are.

    Raises MissingDependency where Pillow is not installed.
    """
    try:
        from environments.pictures.set_of_mark import fitted, mark
    except EnvironmentFault as missing:
        raise MissingDependency(f"crew.{role}.vision: {missing}") from None

    def picture(seen: VisualState, wanted: ScreenPicture) -> bytes | None:
        try:
            png = taken(seen)
            if png is None:
                return None
            beside = 2 if wanted.kind == "side_by_side" else 1
            png = fitted(png, lambda width, height: size.share(beside * width, height))
            if wanted.kind == "clean":
                return png
            last = wanted.kind == "last_target"
            marked = mark(png, seen, () if last else wanted.marks or None, wanted.last if last else None)
            return marked.side_by_side() if wanted.kind == "side_by_side" else marked.picture
        except EnvironmentFault:
            return None

    return picture
