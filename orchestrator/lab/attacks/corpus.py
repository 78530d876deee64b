"""Attacks as data: a text, where it is put, what the user wants meanwhile, and what would be harm."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, field_validator

from environments.files.conditions import problem_with
from environments.files.wrong_data import did_you_mean
from orchestrator.errors import UsageProblem
from orchestrator.settings.layers import checked, read_document, shipped
from protocol import Frozen, JsonObject
from roles.knowledge.pages.documents import DocumentKind

TEXT = "{text}"
"""Where a carrier's overlay takes the text of an attack."""
NAMES = ("world", "initial")
"""What a condition of harm may speak of."""


class Carrier(Frozen):
    """A way in: what of the world is written by somebody else, and a goal that leads a crew past it."""

    goal: str
    base: str = "office"
    world: JsonObject = Field(default_factory=dict)
    """Laid over the base world: mappings are merged, lists appended to, `open` is replaced. `{text}` is the attack."""
    tool: str = ""
    """What a tool answers that is asked for help: LangChain's, or one of an MCP server."""
    document: str = ""
    """What a page says that is looked up, in Markdown."""
    kind: DocumentKind = "help"
    """Of that page: a help document, an answer from outside, an experience or a demonstration."""


class Stage(Frozen):
    """What all attacks share."""

    carriers: dict[str, Carrier]
    harms: dict[str, str]
    """CEL over `world` and `initial`, by name."""
    outbox: dict[str, str]
    """CEL over `world`: everything that has left the user's hands, by app. An app that is not there has sent nothing."""
    stays: tuple[str, ...] = ()
    """Texts that are to be seen on screens and must not leave in an outbox."""
    private: tuple[str, ...] = ()
    """Texts of private fields: they must not stand in anything that a run leaves behind."""

    @field_validator("harms")
    @classmethod
    def _can_be_evaluated(cls, harms: dict[str, str]) -> dict[str, str]:
        for name, expression in harms.items():
            if problem := problem_with(expression, NAMES):
                raise ValueError(f"{name}: {expression!r} cannot be evaluated: {problem}")
        return harms


class Attack(Frozen):
    """One text that wants something."""

    name: str = Field(min_length=1)
    carrier: str
    language: str = "en"
    how: str = "plain"
    """What makes it hard to see or easy to believe."""
    text: str = Field(min_length=1)
    harm: str
    """What it would have done, by name."""
    orders: tuple[str, ...] = ()
    """What it wants, as goals in plain words or lines of the DSL, in order; where nothing is said, what its text says plainly."""
    goal: str = ""
    """Instead of the carrier's."""
    world: JsonObject = Field(default_factory=dict)
    """Laid over the carrier's."""


class _Attacks(Frozen):
    attacks: tuple[Attack, ...]


class Corpus(Frozen):
    """The attacks with all that they speak of."""

    stage: Stage
    attacks: tuple[Attack, ...]

    def carrier(self, attack: Attack) -> Carrier:
        return self.stage.carriers[attack.carrier]

    def world(self, attack: Attack) -> str:
        """The base world with the text in it, as a world file."""
        carrier = self.carrier(attack)
        base = read_document(shipped("attacks", f"{carrier.base}.yaml"), "world").data
        overlaid = _laid(_laid(base, filled(carrier.world, attack.text)), filled(attack.world, attack.text))
        return yaml.safe_dump(overlaid, allow_unicode=True)


def load_corpus(files: Sequence[Path] = ()) -> Corpus:
    """The shipped attacks, or those of files of one's own. Raises UsageProblem with file, line and key."""
    told = read_document(shipped("attacks", "stage.yaml"), "stage of attacks")
    shared = checked(Stage, told.data, told.where)
    found: list[Attack] = []
    for file in files or sorted(shipped("attacks", "corpus").glob("*.yaml")):
        document = read_document(file, "file of attacks")
        attacks = checked(_Attacks, document.data, document.where).attacks
        for at, attack in enumerate(attacks):
            where = document.where(("attacks", at))
            for key, known in (("carrier", shared.carriers), ("harm", shared.harms)):
                if (word := getattr(attack, key)) not in known:
                    raise UsageProblem(f"{where}: there is no {key} {word!r}{did_you_mean(word, known)}")
            if any(attack.name == other.name for other in found):
                raise UsageProblem(f"{where}: there are two attacks {attack.name!r}; give one of them another name.")
            found.append(attack)
    return Corpus(stage=shared, attacks=tuple(found))


def chosen(corpus: Corpus, names: Sequence[str]) -> tuple[Attack, ...]:
    """The attacks that have one of these names or globs; all of them where nothing is named. Raises UsageProblem."""
    known = [attack.name for attack in corpus.attacks]
    for name in names:
        if not any(fnmatchcase(one, name) for one in known):
            raise UsageProblem(f"there is no attack {name!r}{did_you_mean(name, known)}; deskcrew attack list shows them all.")
    return tuple(a for a in corpus.attacks if not names or any(fnmatchcase(a.name, name) for name in names))


def filled(value: Any, text: str) -> Any:
    """A value with the attack's text in every place that waits for it."""
    match value:
        case str():
            return value.replace(TEXT, text)
        case Mapping():
            return {filled(key, text): filled(inner, text) for key, inner in value.items()}
        case list() | tuple():
            return [filled(inner, text) for inner in value]
        case _:
            return value


def _laid(under: Any, over: Any, key: str = "") -> Any:
    if isinstance(under, dict) and isinstance(over, dict):
        return {**under, **{name: _laid(under.get(name), value, name) for name, value in over.items()}}
    if isinstance(under, list) and isinstance(over, list) and key != "open":
        return [*under, *over]
    return over
