"""Who decides for each role, as a config says it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from protocol import Frozen
from roles.contracts import PictureKind
from roles.contracts.policies import Granularity
from roles.policies.adaptive import AdaptiveSettings
from roles.policies.llm.settings import AnswerForm, Counting, ModelSettings

Simple = Literal["rules", "scripted", "llm", "trusting"]
Policy = Literal["rules", "scripted", "llm", "trusting", "fallback"]


def _short_for(key: str) -> BeforeValidator:
    """A text alone says this key."""
    return BeforeValidator(lambda value: {key: value} if isinstance(value, str) else value)


Model = Annotated[ModelSettings, _short_for("name")]
"""In full, or only its name."""


class ModelOfMember(ModelSettings):
    """A model of its own where it has a name; else what is different from the role's model."""

    name: str = ""

    @model_serializer(mode="wrap")
    def _what_was_said(self, dumped: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in dumped(self).items() if key in self.model_fields_set}

    def over(self, roles: ModelSettings | None) -> ModelSettings | None:
        """The settings of this model, where the role has `roles`."""
        said = {key: getattr(self, key) for key in self.model_fields_set}
        return ModelSettings(**said) if self.name else roles and roles.model_copy(update=said)


class Member(Frozen):
    """One of a chain. What it does not say is the role's."""

    policy: Simple = "llm"
    model: Annotated[ModelOfMember, _short_for("name")] | None = None
    """Of an llm member: a model of its own, or only its temperature and the like."""
    prompt: Path | None = None

    @model_validator(mode="after")
    def _has_a_use_for_it(self) -> Member:
        if self.policy != "llm" and (self.model or self.prompt):
            raise ValueError(f"only a member whose policy is llm has a model and a prompt; {self.policy} has no use for them")
        return self

    @model_serializer(mode="wrap")
    def _what_was_said(self, dumped: SerializerFunctionWrapHandler) -> dict[str, Any] | str:
        said = {key: value for key, value in dumped(self).items() if key == "policy" or value is not None}
        return self.policy if len(said) == 1 else said


Members = tuple[Annotated[Member, _short_for("policy")], ...]
"""Each in full, or only its policy."""


class RoleSettings(Frozen):
    """Who decides for a role, and what the policies that can be chosen here need."""

    policy: Policy = "rules"
    script: Path | None = None
    """The YAML file that a scripted policy follows."""
    model: Model | None = None
    """What an llm policy asks; `crew.model` where a role has none of its own. No other policy asks it."""
    prompt: Path | None = None
    """A prompt of your own for an llm policy; the shipped one is roles/ROLE/prompt.md."""
    vision: bool | Literal["auto"] = False
    """Show the model of an Operator or Manager the screen, that of an Evaluator how it was before and is now, as pictures with a
    mark on every control beside the text; needs an environment with pictures. `auto` is where there are some, and where the model
    is not known to take none."""
    pictures: tuple[PictureKind, ...] = Field(default=("annotated",), min_length=1)
    """With `vision`: which pictures; `clean`, `annotated`, `last_target`, or `side_by_side` for the first two in one."""
    batch: int = Field(default=1, ge=1, le=20)
    """How many actions a model may decide at once; the first surprise ends them. 1 is one at a time."""
    form: AnswerForm = "full"
    """How an Operator's model answers: `full`, one flat form for all actions; `narrow`, one of the moves that the screen
    allows, for small models on servers that hold them to a schema; or `computer_use`, its provider's own tool, on pictures. An
    Evaluator's has `full`, or `narrow`: a short prompt, and only decisions and evidence that there are."""
    verbs: tuple[str, ...] | None = Field(default=None, min_length=1)
    """The actions that an Operator's model may choose from; None is all that the environment offers."""
    screen_tokens: int = Field(default=2_500, ge=100)
    """What the screen may take of a prompt."""
    recent: int = Field(default=8, ge=1, le=30)
    """How many of the last steps a prompt tells one by one; with `form: computer_use` how many screens it shows as pictures."""
    chain: Members = Field(default_factory=lambda: (Member(), Member(policy="rules")), min_length=1)
    """With `fallback`: who is asked, in order."""

    @model_validator(mode="after")
    def _has_a_use_for_it(self) -> RoleSettings:
        if (self.model or self.prompt) and "llm" not in self.used() and getattr(self, "final", None) is None:
            of = "model" if self.model else "prompt"
            raise ValueError(f"its {of} is never asked, since no policy of this role is llm; add policy: llm")
        return self

    def used(self) -> frozenset[str]:
        """Every simple policy that can come to decide."""
        return frozenset({self.policy} if self.policy != "fallback" else {member.policy for member in self.chain})


class EvaluatorSettings(RoleSettings):
    """The Evaluator may have another policy for the end of a run."""

    final: RoleSettings | Policy | None = None
    """Who decides at the FINAL_CHECK: in full, or only its policy. Without a model: the Evaluator's."""

    def at_the_end(self) -> RoleSettings | None:
        """`final` in full; with the Evaluator's model and script where it names none."""
        final = RoleSettings(policy=self.final) if isinstance(self.final, str) else self.final
        own = {key: getattr(final, key, None) or getattr(self, key) for key in ("model", "script")}
        return final and final.model_copy(update=own)


class ManagerSettings(RoleSettings):
    """The Manager may ask a person two things more than any role."""

    review: bool = False
    """Show every plan and every replan to the person, who approves, edits or rejects it before it is worked."""
    ask_user: bool = False
    """Ask the person what no help document and no tool knows; each question once."""


class GroundingSettings(Frozen):
    """A model that finds the place of a thing in a picture of the screen."""

    model: Model
    counts: Counting = "pixels"
    """What its numbers count: `pixels` of the picture it was sent, `pixels_28` (UI-TARS-1.5, Qwen2.5-VL), or `grid_1000`."""


def _grounding(value: Any) -> Any:
    return value if value is None or (isinstance(value, dict) and "model" in value) else {"model": value}


class OperatorSettings(RoleSettings):
    """The Operator may work by pictures, and its stages may be told apart."""

    tool: str | None = None
    """With `form: computer_use`: the provider's tool, such as `anthropic`, `openai`, `gemini` or `ui_tars`; None: the model's."""
    grounding: Annotated[GroundingSettings | None, BeforeValidator(_grounding)] = None
    """A model of its own for `form: full`: it is asked where in the picture a thing is that the deciding model names and that no
    element carries."""

    granularity: Granularity = "coarse"
    """`fine` makes each of its twelve stages a node with a super-step of its own, to watch; `coarse` runs the same at half the
    cost. The journal is the same."""


class RehearseSettings(Frozen):
    """Attempts in copies of the run, of which the best is carried out."""

    n: int = Field(default=1, ge=1, le=20)
    """How many there are at most; 1: nothing is rehearsed."""
    at: Literal["subtask", "goal"] = "subtask"
    """What is rehearsed as a whole, before it is begun."""
    choose: Literal["gates", "comparative", "judge"] = "gates"
    """By what: `gates`, the first that passes its gate; `comparative`, of all that pass the one of which an Evaluator's model
    says that it did best, its steps told beside the others'; `judge`, by the judge of the task, for experiments, with
    `at: goal`."""
    temperature: float = Field(default=0.7, ge=0.0, le=2.0)
    """Of the models in every attempt but the first."""

    @model_validator(mode="after")
    def _judges_goals(self) -> RehearseSettings:
        if self.choose == "judge" and self.at == "subtask":
            raise ValueError("choose: judge goes with at: goal, since a judge knows no subtasks")
        return self


class CrewSettings(Frozen):
    model: Model | None = None
    """For every role that has no model of its own."""
    rehearse: RehearseSettings = Field(default_factory=RehearseSettings)
    """Attempts before anything is done, in a simulated world."""
    adaptive: AdaptiveSettings = Field(default_factory=AdaptiveSettings)
    """Where a model of the Manager or the Evaluator need not be asked."""
    manager: ManagerSettings = Field(default_factory=ManagerSettings)
    operator: OperatorSettings = Field(default_factory=OperatorSettings)
    evaluator: EvaluatorSettings = Field(default_factory=EvaluatorSettings)
    technician: RoleSettings = Field(default_factory=RoleSettings)
    analyst: RoleSettings = Field(default_factory=RoleSettings)
