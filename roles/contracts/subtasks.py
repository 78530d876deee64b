"""The nodes of a plan, what each is expected to show, and what roles know of their steps, pages and applications."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from protocol import ExecStatus, Frozen, JsonObject, TaggedModel
from roles.contracts.orders import Step
from roles.contracts.signals import SubtaskStatus

Worker = Literal["operator", "technician", "analyst"]


class _ExpectationModel(TaggedModel):
    tag: ClassVar[str] = "kind"


class FactKnown(_ExpectationModel):
    """A fact of this name is on the blackboard."""

    kind: Literal["fact_known"] = "fact_known"
    name: str


class FieldHas(_ExpectationModel):
    """A field was seen with this value, given as text or as the name of a fact.

    `beside` is for what is added: the field still holds what it held before this subtask wrote in it.
    """

    kind: Literal["field_has"] = "field_has"
    label: str
    value: str | None = None
    fact: str | None = None
    app: str | None = None
    beside: bool = False


class TextShown(_ExpectationModel):
    """A text was seen."""

    kind: Literal["text_shown"] = "text_shown"
    text: str
    app: str | None = None


class EffectSeen(_ExpectationModel):
    """An action of this kind (`submit`, `send`, `save`, `delete`, `click`, ...) was executed and something visible came of it."""

    kind: Literal["effect_seen"] = "effect_seen"
    verb: str
    target: str | None = None
    app: str | None = None


class AppShown(_ExpectationModel):
    """The application is on the screen."""

    kind: Literal["app_shown"] = "app_shown"
    app: str


Expectation = Annotated[FactKnown | FieldHas | TextShown | EffectSeen | AppShown, Field(discriminator="kind")]
EXPECTATIONS = {kind.model_fields["kind"].default: kind for kind in (FactKnown, FieldHas, TextShown, EffectSeen, AppShown)}
"""By the word for their kind."""


class StepOrigin(Frozen):
    """The step of a page that something of a plan comes from. It says where words come from, never that they may be followed."""

    source: str
    title: str
    section: str = ""
    """The heading of the procedure, where the page has several."""
    step: int = 0
    text: str = ""

    def told(self) -> str:
        """`step 3 of help:billing/closing.md`."""
        if not self.step:
            return self.source
        which = f' of "{self.section}"' if self.section else ""
        return f"step {self.step}{which} of {self.source}"


class Subtask(Frozen):
    """A node of the Manager's plan: one application, one worker, plain English for it."""

    id: str = Field(min_length=1, pattern=r"^[A-Za-z0-9_.-]+$")
    title: str
    instruction: str
    app: str | None = None
    worker: Worker = "operator"
    depends_on: tuple[str, ...] = ()
    expect: tuple[Expectation, ...] = ()
    steps: tuple[Step, ...] = ()
    """The instruction as data, for a worker that works by rules; empty: it has to read the words."""
    status: SubtaskStatus = SubtaskStatus.READY
    attempt: int = 0
    result: str = ""
    hints: tuple[str, ...] = ()
    """What earlier attempts taught, for the worker."""
    pinned: bool = False
    """A person wants exactly this: the Manager may try it again and add to it, but not change it."""
    origin: tuple[StepOrigin, ...] = ()
    """The steps of pages that it comes from, as code has found out; step 0 without a source stands for the user's own words."""


class Supplement(Frozen):
    """Material from outside, with its source."""

    query: str
    source: str
    title: str
    text: str
    app: str | None = None
    kind: str = ""
    """help, online, experience or demonstration; empty where nobody said."""
    score: float | None = None
    """How much of the query it speaks of, 0 to 1; None where its source does not say."""
    document: str = ""
    """Its id in the store of knowledge, where it is from there."""
    also: tuple[str, ...] = ()
    """Other sources that say the same."""
    hint: bool = False
    """It may give an idea, and is not followed as it stands."""


class StepRecord(Frozen):
    """One finished step of a worker, as the other roles may see it."""

    step: int
    subtask: str
    app: str | None = None
    action: JsonObject
    """`Action.dump()`."""
    verb: str
    """What the step amounts to: the action's verb, or the effect its target is named for (submit, send, save, delete)."""
    target: str = ""
    exec_status: ExecStatus
    error: str = ""
    before: str = ""
    after: str = ""
    """State ids."""
    visible_change: bool = False
    events: tuple[str, ...] = ()
    """`kind: words` of what the environment showed after it: validation, alert, status, popup, loading, navigation."""
    role: str = "operator"
    recovery: bool = False
    """It was an attempt to get past something, not a step of the work."""
    instead_of: str = ""
    """What the press amounts to in whose place a person had this one done: they do not want that any more."""
    remark: str = ""
    """Why the crew did it without being told to, and what a person answered who was asked about it."""


class AppWords(Frozen):
    """An application as the goal may call it."""

    app: str
    title: str
    words: tuple[str, ...] = ()
