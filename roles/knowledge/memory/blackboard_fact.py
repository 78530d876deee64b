"""A fact on the blackboard: a value under a name, with everything that is known of where it comes from."""

from __future__ import annotations

from typing import Literal

from protocol import Frozen

FactSource = Literal[
    "screen", "api", "agent", "tool", "script", "document", "demonstration", "user", "memory", "facts", "file", "model", ""
]
"""What said a value: a screen, an app's own interface, an agent in an app, a tool from outside, a script, something that was
looked up, somebody who showed how it is done, the user, the memory of what the user said in another run, other facts that it
was worked out from, a file, or nothing but a model. Empty where nobody noted it."""
USER = "user"
"""Source of what a person said when they were asked."""
MEMORY = "memory"
"""Role and source of what a person said in an earlier run."""


class Said(Frozen):
    """What another source says under a name that has a newer value."""

    value: str
    kind: str = "text"
    source: FactSource = ""
    source_name: str = ""
    app: str | None = None
    role: str = "operator"
    subtask: str = ""
    step: int = 0
    private: bool = False


class Fact(Frozen):
    """A value on the blackboard with its provenance."""

    name: str
    value: str
    kind: str = "text"
    """money, date, time, number, email, url, truth, list, table or text, held against the value when it is remembered; `screen`
    where it stands for a screen that was kept, by its `state_id`; `result` of a call, under the name of what was called."""
    app: str | None = None
    element_id: str | None = None
    state_id: str | None = None
    run: str = ""
    step: int = 0
    """The step at which it was remembered; for a role that takes no steps, the last one before it."""
    subtask: str = ""
    role: str = "operator"
    source: FactSource = ""
    source_name: str = ""
    """Which one: a function's name, the title of a document, a person's name, the run that an answer is from."""
    used: tuple[str, ...] = ()
    """Names of the facts that it was worked out from."""
    private: bool = False
    question: str = ""
    """What the user was asked, where this is the answer: it is not asked again in the same run."""
    reason: str = ""
    """Why it was kept, where that was said: of a screen, or of a fact that was worked out."""
    instead: tuple[Said, ...] = ()
    """What other sources say under this name, oldest first: both stand until one of them is looked at again."""


class Board(Frozen):
    """As much of the blackboard as a prompt may hold."""

    facts: tuple[Fact, ...] = ()
    left_out: tuple[str, ...] = ()
    """What is not told, in lines: by subtask, with names, ranges and counts."""
