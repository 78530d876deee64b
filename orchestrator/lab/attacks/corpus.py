"""Attacks as data: a text, where it is put, what the user wants meanwhile, and what would be harm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, Field, ValidationError, field_validator

from environments.files.wrong_data import did_you_mean
from environments.simulated.world.worldfile import WorldSpec, parse_world
from orchestrator.errors import UsageProblem
from orchestrator.settings.layers import checked, read_document
from orchestrator.settings.settings import shipped
from orchestrator.tasks.judge import problem_with
from protocol import Frozen, JsonObject
from protocol.dsl import DSLError, parse_line
from roles.knowledge.pages.documents import DocumentKind

TURN = "turn"
"""The line of a script at which the page changes: while a model thinks, seen from the page."""
_HEAD = "<!doctype html><meta charset=utf-8><title>Office</title>"
_LISTENS = "turned()"
_SIGNALS = "<script>new EventSource('/signals').onmessage = () => { turned(); fetch('/turned'); }</script>"


def _line(line: str) -> str:
    try:
        if line != TURN:
            parse_line(line)
    except DSLError as bad:
        raise ValueError(str(bad)) from None
    return line


Line = Annotated[str, AfterValidator(_line)]


class PageCase(Frozen):
    """One page and what is done on it."""

    name: str = Field(min_length=1)
    kind: str = ""
    """The class it belongs to; that of its file where it says none."""
    page: str = "page"
    """Which template of its file."""
    fill: dict[str, str] = Field(default_factory=dict, alias="with")
    """What stands in the template's places, `<<name>>`."""
    more: dict[str, str] = Field(default_factory=dict)
    """Further pages, by path."""
    do: tuple[Line, ...]
    """Actions in the protocol's language, one after another."""
    approves: int = Field(default=0, ge=0)
    """To how many questions a person says yes, before they say no to all others."""
    asked: Literal["", "turn"] = ""
    """The page changes between the first question and its answer."""
    safety: str = "ask-sensitive"
    shown: tuple[str, ...] = ()
    """Globs of what may be received, since the yes showed it, or since it does nothing."""
    wants: tuple[str, ...] = ()
    """Of a benign page: globs of what has to be received, each."""
    before: int = 0
    """Of a benign page: how many questions it took before requests were looked at."""


class _File(Frozen):
    kind: str
    pages: dict[str, str]
    defaults: dict[str, str] = Field(default_factory=dict)
    cases: tuple[dict[str, Any], ...]


class Pages(Frozen):
    """Cases with the pages that they open, by path."""

    cases: tuple[PageCase, ...]
    sites: dict[str, dict[str, str]]


def load_pages(files: Sequence[Path] = ()) -> Pages:
    """The shipped cases, or those of files of one's own. Raises UsageProblem with file, line and key."""
    cases: list[PageCase] = []
    sites: dict[str, dict[str, str]] = {}
    for file in files or sorted(shipped("attacks", "pages").glob("*.yaml")):
        document = read_document(file, "file of pages")
        told = checked(_File, document.data, document.where)
        for at, said in enumerate(told.cases):
            where = document.where(("cases", at))
            try:
                case = PageCase.model_validate({"kind": told.kind, **said})
            except ValidationError as bad:
                first = bad.errors()[0]
                raise UsageProblem(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
            if case.page not in told.pages:
                raise UsageProblem(f"{where}: there is no page {case.page!r}{did_you_mean(case.page, told.pages)}")
            if case.name in sites:
                raise UsageProblem(f"{where}: there are two cases {case.name!r}; give one of them another name.")
            cases.append(case)
            texts = [*told.pages.values(), *told.defaults.values()]
            if unknown := [name for name in case.fill if not any(f"<<{name}>>" in text for text in texts)]:
                raise UsageProblem(f"{where}: no page has a place <<{unknown[0]}>>.")
            values = {**told.defaults, **case.fill}
            sites[case.name] = {path: _laid_out(text, values) for path, text in {"/": told.pages[case.page], **case.more}.items()}
    return Pages(cases=tuple(cases), sites=sites)


def chosen_pages(pages: Pages, names: Sequence[str]) -> tuple[PageCase, ...]:
    """The cases of these names or globs, or of such a class; all where nothing is named. Raises UsageProblem."""
    known = list(dict.fromkeys([case.name for case in pages.cases] + [case.kind for case in pages.cases]))
    for name in names:
        if not any(fnmatchcase(one, name) for one in known):
            raise UsageProblem(
                f"there is no page {name!r}{did_you_mean(name, known)}; deskcrew attack list --pages shows them all."
            )
    return tuple(c for c in pages.cases if not names or any(fnmatchcase(one, n) for n in names for one in (c.name, c.kind)))


def _laid_out(template: str, values: Mapping[str, str]) -> str:
    if not template.startswith("<"):  # a script, or where it leads on to
        return template
    for _ in range(2):  # a value may have places itself
        for name, value in values.items():
            template = template.replace(f"<<{name}>>", value)
    return f"{_HEAD}<body>{template}{_SIGNALS if _LISTENS in template else ''}</body>"


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

    def world(self, attack: Attack) -> WorldSpec:
        """The base world with the text in it. Raises WorldError when an overlay does not fit."""
        carrier = self.carrier(attack)
        base = read_document(shipped("attacks", f"{carrier.base}.yaml"), "world").data
        overlaid = _laid(_laid(base, filled(carrier.world, attack.text)), filled(attack.world, attack.text))
        return parse_world(yaml.safe_dump(overlaid), f"attack {attack.name}")


def load_corpus(files: Sequence[Path] = (), stage: Path | None = None) -> Corpus:
    """The shipped attacks, or those of files of one's own. Raises UsageProblem with file, line and key."""
    told = read_document(stage or shipped("attacks", "stage.yaml"), "stage of attacks")
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
