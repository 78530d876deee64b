"""One action as the rules see it: what it does to what, on which screen, with which values, and where these come from.

Nobody's word is taken for where a value comes from. It is looked for in what the crew was told and has seen; what is found
nowhere is the decision maker's own. A value is the user's only where the user said all of it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, Literal, NamedTuple, get_args
from urllib.parse import unquote

from rapidfuzz import fuzz

from environments.effects import Change
from environments.effects.words import effects_in
from protocol import CARRIES, Action, GUIElement, JsonObject, RunScript, Screenshot, VisualState
from roles.contracts import Fact, StepOrigin, Supplement
from roles.safety.destinations import frame_host, host_of, page_host, way_of
from roles.safety.effects import SENSITIVE, Effect

Source = Literal["user", "screen", "call", "supplement", "technician", "analyst", "model"]
ORDER: tuple[Source, ...] = get_args(Source)
"""A value that is found in several places comes from the first of these."""
_LONGEST = 4_000
"""Characters of a value that are looked for."""
_PART = 3
"""Characters that a fact must have to be noticed within a longer text."""
_CALLS = frozenset({"api", "agent", "tool"})
"""Sources of facts that are answers of functions, agents and tools."""
_BY_ROLE: dict[str, Source] = {"user": "user", "analyst": "analyst", "technician": "technician"}


@dataclass(frozen=True)
class Grounds:
    """What the crew was told and has seen."""

    said: Callable[[], Iterable[str]] = tuple
    """By the user: the goal, and what they said since. Like what follows, asked for only when a rule speaks of it."""
    facts: tuple[Fact, ...] = ()
    supplements: Callable[[], Iterable[Supplement]] = tuple
    screens: Callable[[], Iterable[VisualState]] = tuple
    """Earlier screens."""
    read: Callable[[], Iterable[StepOrigin]] = tuple
    """What pages that were looked up say to do."""
    steps: tuple[StepOrigin, ...] = ()
    """Of pages: those that the subtask comes from, as code has found out."""


NOTHING = Grounds()


class Origin(NamedTuple):
    """Where one value comes from."""

    source: Source | Literal[""] = ""
    """Of the whole value; empty where there is none."""
    sources: tuple[Source, ...] = ()
    """Of the whole and of the facts that are parts of it."""
    facts: tuple[str, ...] = ()
    """Names of the facts that it is or has in it."""
    app: str = ""
    """Of the screen or the fact that it was found in first."""
    private: bool = False
    """One of those facts is private."""


def origin_of(text: str, grounds: Grounds, state: VisualState) -> Origin:
    """Where `text` comes from, as far as `grounds` and the screen can tell."""
    value = _plain(text)
    if not value:
        return Origin()
    whole: set[Source] = set()
    parts: set[Source] = set()
    known: list[Fact] = []
    apps: list[str] = []
    if any(stands_in(value, said) for said in grounds.said()):
        whole.add("user")
    seen = screen_of(value, grounds, state)
    if seen is not None:
        whole.add("screen")
        apps.append(seen.app or "")
    for fact in grounds.facts:
        if held := held_by(fact, text):
            (whole if held == "whole" else parts).add(_source_of(fact))
            known.append(fact)
            apps.append(fact.app or "")
    if any(stands_in(value, supplement.text) for supplement in grounds.supplements()):
        whole.add("supplement")
    found = [source for source in ORDER if source in whole]
    every = whole | parts | ({"model"} if not whole else set())
    return Origin(
        source=found[0] if found else "model",
        sources=tuple(source for source in ORDER if source in every),
        facts=tuple(fact.name for fact in known),
        app=next(filter(None, apps), ""),
        private=any(fact.private for fact in known),
    )


def held_by(fact: Fact, text: str) -> Literal["whole", "part", ""]:
    """Whether a fact has the `whole` text in it, or is a `part` of it."""
    if stands_in(text, fact.value):
        return "whole"
    return "part" if len(fact.value.strip()) >= _PART and stands_in(fact.value, text) else ""


def _source_of(fact: Fact) -> Source:
    """Of a fact: who put it there; what the Operator noted was on a screen only if code saw it there."""
    if fact.source in _CALLS and fact.role == "operator":
        return "call"
    return _BY_ROLE.get(fact.role) or ("screen" if fact.element_id else "model")


def screen_of(value: str, grounds: Grounds, state: VisualState) -> VisualState | None:
    """The first screen with the value on it, the present one before earlier ones."""
    for screen in (state, *grounds.screens()):
        if any(stands_in(value, text) for element in screen.elements for text in (element.text, element.value) if text):
            return screen
    return None


@lru_cache(maxsize=256)
def _plain(text: str) -> str:
    return " ".join(text[:_LONGEST].casefold().split())


def stands_in(value: str, text: str) -> bool:
    """Whether `value` stands in `text` as words of its own: "b@x.org" does not stand in "bob@x.org", nor in "b@x.org.evil"."""
    value, text = _plain(value), " ".join(text.casefold().split())
    if value == text:
        return True
    if value not in text:
        return False
    before = r"(?<![\w@])(?<![\w@][.+/:-])" if re.match(r"[\w@]", value) else ""
    after = r"(?![\w@])(?![.+/:-][\w@])" if re.search(r"[\w@]$", value) else ""
    return re.search(f"{before}{re.escape(value)}{after}", text) is not None


_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|https?://\S+|\S+@\S+')
_ADDRESS = re.compile(r"https?://[^\s,;<>\"”]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_SAME = 70
"""How much of an action's words a step has that says to do it."""


def step_behind(
    origins: Sequence[StepOrigin], effect: Effect, words: Sequence[str], read: Iterable[StepOrigin], *, asked: bool
) -> StepOrigin | None:
    """The step that an action of this effect on these things comes from; None where it is the goal's own.

    `origins` are those of the subtask. Where they do not say it, the steps that were `read` are looked through, unless the user
    `asked` for such a thing: a policy may do what it has read without having planned it.
    """
    own = any(not origin.source for origin in origins)
    stated = [origin for origin in origins if origin.source]
    fits = [origin for origin in stated if effect in effects_in(origin.text)]
    if fits or (stated and not own):
        return max(fits or stated, key=lambda origin: _likeness(origin.text, words))
    if asked:
        return None
    alike = [origin for origin in read if effect in effects_in(origin.text) and _likeness(origin.text, words) >= _SAME]
    return max(alike, key=lambda origin: _likeness(origin.text, words), default=None)


def asked_for(effect: Effect, said: Iterable[str], step: StepOrigin | None = None) -> bool:
    """Whether the user's own words name such an effect, and a page's step brings no address that they do not."""
    texts = list(said)
    strange = _ADDRESS.findall(step.text) if step is not None else []
    every = " ".join(texts).casefold()
    if any(address.casefold() not in every for address in strange):
        return False
    return any(effect in effects_in(_QUOTED.sub(" ", text)) for text in texts)


def _likeness(text: str, words: Sequence[str]) -> float:
    folded = text.casefold()
    return max((fuzz.partial_ratio(word.casefold(), folded) for word in words if word), default=0.0)


SCRIPTS = "terminal"
"""The application that a script counts as, whichever window is in front."""
NAMES = ("action", "target", "app", "value", "provenance", "facts", "screen", "confidence", "changes")
"""What a condition may speak of."""
PER_VALUE = frozenset({"value", "provenance"})
_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]*[^\W_])?\.)+[^\W_][\w-]*")
_MASK = "•••"
_TEXTS = 600
"""Texts of a screen, and fields of it, that a condition is shown."""
_LONG = 20_000
"""Characters of one text that a condition is shown."""
_DEEP = 12
"""Nesting of an action's parameters that a condition is shown."""


class Subject(NamedTuple):
    """An action on a screen, before it is said what it amounts to."""

    action: Action
    element: GUIElement | None
    state: VisualState
    confidence: float
    grounds: Grounds
    is_private: Callable[[GUIElement], bool]
    unrated: bool = False
    """It calls a tool from outside of which nobody has said what it may do."""
    changes: Sequence[Change] = ()
    """What it would change, where that can be told."""


class Case:
    """A subject with one of the effects that it may have, in the app where it has it."""

    def __init__(self, subject: Subject, effect: Effect, app: str = "") -> None:
        self.subject, self.effect = subject, effect
        self.action, self.element, self.state = subject.action, subject.element, subject.state
        own = app_of(subject.action, subject.element, subject.state)
        script = isinstance(subject.action, RunScript)
        self.app = own if script else app or own
        self.apps = tuple(dict.fromkeys((self.app or "", app or self.app or "")))
        """Every app by which a rule may mean it: what a script changes counts as the terminal's, and as that of whose it is."""
        self._known: JsonObject = {}

    @cached_property
    def target(self) -> str:
        """What it is done to, by name."""
        if self.element is not None:
            return self.element.name
        return self.action.target.describe() if self.action.target else str(self.action.parameters.get("app", ""))

    @cached_property
    def values(self) -> tuple[str, ...]:
        """Every text that the action carries to somewhere: what is typed, chosen, opened, uploaded, sent or run."""
        return tuple(dict.fromkeys(written(self.action)))

    @cached_property
    def domains(self) -> tuple[str, ...]:
        """Every host that it speaks of or leads to; for what changes something, also the one that it is done on."""
        said = [unicodedata.normalize("NFKC", unquote(value)) for value in self.values]
        hosts = [host for text in said for host in (*_DOMAIN.findall(text), host_of(text) if "://" in text else "")]
        if self.element is not None:
            way = way_of(self.element)
            hosts += [way.host if way is not None else ""]
        if self.effect not in {Effect.OBSERVE, Effect.NAVIGATE}:
            hosts += [page_host(self.state), frame_host(self.element, self.state) if self.element is not None else ""]
        return tuple(dict.fromkeys(host.partition(":")[0].rstrip(".").casefold() for host in hosts if host))

    @cached_property
    def step(self) -> StepOrigin | None:
        """The step of a page that it comes from; looked for only where that may matter."""
        grounds = self.subject.grounds
        if self.action.inner or not (grounds.steps or self.effect in SENSITIVE):
            return None
        asked = asked_for(self.effect, grounds.said())
        return step_behind(grounds.steps, self.effect, [self.target, *self.values], grounds.read(), asked=asked)

    @property
    def added_by_page(self) -> bool:
        """Whether a page wants what nothing in the user's words asks for."""
        return self.step is not None and not asked_for(self.effect, self.subject.grounds.said(), self.step)

    def told(self, names: frozenset[str], value: str) -> JsonObject:
        """What a condition that speaks of `names` is told, for one of the values."""
        for name in names - self._known.keys() - PER_VALUE:
            self._known[name] = getattr(self, f"_{name}")()
        provenance = {"provenance": self._provenance(value)} if "provenance" in names else {}
        return self._known | {"value": _shown(value)} | provenance

    def origin(self, value: str) -> Origin:
        return origin_of(value, self.subject.grounds, self.state)

    def _provenance(self, value: str) -> JsonObject:
        found = self.origin(value)
        return found._asdict() | {"sources": list(found.sources), "facts": list(found.facts)}

    def _action(self) -> JsonObject:
        parameters = self.action.model_dump(mode="json", exclude={"target", self.action.tag})
        told = {"verb": self.action.verb, "effect": self.effect.value, "inner": self.action.inner}
        told |= {"origin": "knowledge" if self.step is not None else "goal"}
        return told | {"parameters": _shown(parameters), "page": _shown(self.step.told()) if self.step is not None else ""}

    def _target(self) -> JsonObject:
        told = {"there": False, "role": "", "value": "", "app": "", "enabled": False, "private": False, "actuator": False}
        told |= {"name": _shown(self.target), "confidence": 1.0}
        if (at := self.element) is None:
            return told
        private = self.subject.is_private(at)
        return told | {
            "there": True,
            "role": _shown(at.role or ""),
            "value": _MASK if private and at.value else _shown(at.value or ""),
            "app": _shown(at.app or ""),
            "enabled": at.enabled,
            "private": private,
            "actuator": at.actuator,
            "confidence": at.confidence,
        }

    def _app(self) -> str:
        return str(_shown(self.app or ""))

    def _changes(self) -> list[dict[str, str]]:
        return [{"effect": c.effect.value, "app": c.app, "told": _shown(c.told)} for c in self.subject.changes]

    def _confidence(self) -> float:
        return float(self.subject.confidence)

    def _facts(self) -> JsonObject:
        return {
            _shown(fact.name): {
                "value": _MASK if fact.private else _shown(fact.value),
                "kind": fact.kind,
                "app": _shown(fact.app or ""),
                "role": fact.role,
                "private": fact.private,
            }
            for fact in self.subject.grounds.facts
        }

    def _screen(self) -> JsonObject:
        state, private = self.state, self.subject.is_private
        modal = state.by_id.get(state.modal or "")
        fields = [e for e in state.elements if e.text and e.value is not None][:_TEXTS]
        return {
            "app": _shown(state.app or ""),
            "modal": _shown(modal.name) if modal is not None else "",
            "loading": state.loading,
            "windows": [_shown(window.app) for window in state.windows],
            "texts": [_shown(element.text) for element in state.elements if element.text][:_TEXTS],
            "fields": {_shown(e.name): _MASK if private(e) else _shown(e.value or "") for e in fields},
        }


@cache
def sample() -> JsonObject:
    """What a condition may speak of, of an action that says nothing."""
    case = Case(Subject(Screenshot(), None, VisualState(), 1.0, NOTHING, lambda _: False), Effect.OBSERVE)
    told = {name: getattr(case, f"_{name}")() for name in NAMES if name not in PER_VALUE}
    return told | {"value": "", "provenance": case._provenance("")}


def app_of(action: Action, element: GUIElement | None, state: VisualState) -> str | None:
    """The application that an action is done to; None where it cannot be told, or is nobody's."""
    named = action.parameters.get("app") if action.verb in {"launch_app", "call_api", "ask_in_app_agent"} else None
    if action.verb == "switch_window":
        wanted = str(action.parameters.get("window"))
        named = next((w.app for w in state.windows if wanted in (w.window_id, w.app)), wanted)
    if action.inner:
        return None
    if isinstance(action, RunScript):
        return SCRIPTS
    return named or (element.app if element is not None else None) or state.app


def written(action: Action) -> list[str]:
    """The texts that an action carries; one empty text where it carries none."""
    carried = [value for name, value in action.parameters.items() if name in CARRIES]
    found: list[str] = []
    while carried:
        value = carried.pop()
        if isinstance(value, dict):
            carried += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            carried += value
        else:
            found.append(str(value))
    return found or [""]


def _shown(value: Any, deep: int = _DEEP) -> Any:
    """A value as a condition can read it: texts of a sane length, whole characters, no depth that leads nowhere."""
    if isinstance(value, str):
        if len(value) <= _LONG and value.isascii():
            return value
        return value[:_LONG].encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_shown(str(name), 1): _shown(inner, deep - 1) for name, inner in value.items()} if deep else _MASK
    if isinstance(value, list | tuple):
        return [_shown(inner, deep - 1) for inner in value] if deep else _MASK
    return value
