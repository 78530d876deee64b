"""The registry: everything that the crew can do here, and what is said of it before it is done."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, cached_property, lru_cache
from itertools import groupby
from math import log
from typing import Any, get_args

from environments.cards import AppCard, FunctionCard, arguments_of
from environments.contract import AppCatalog, Environment, FunctionInfo, InAppAgent, NativeApi, type_of
from protocol import Action, AskInAppAgent, CallApi, GUIElement, JsonObject, VisualState
from protocol.model.actions import KnownAction
from roles.safety.effects import BY_VERB, SENSITIVE, Effect, effects_of
from roles.skills.arguments import problem_with
from roles.skills.contract import AGENT, REPEATS, Idempotence, OutsideTool, Skill, SkillSettings

_ALWAYS = (
    "click",
    "fill",
    "type",
    "press_key",
    "select_option",
    "scroll",
    "drag",
    "hover",
    "wait",
    "screenshot",
    "switch_window",
)
INNER = ("memorize", "answer", "ask_user")
_PAGES = ("navigate", "go_back", "go_forward", "tabs")
LOOKING = frozenset({"wait", "screenshot"})
"""Verbs that touch nothing: they stay where the surface is forbidden."""


@cache
def verb_skill(verb: str) -> Skill:
    """A verb of the surface as a skill. The control that it is done to says what it risks, where the verb does not."""
    twice = REPEATS.get(verb, Idempotence.ONCE)
    kind = _kinds().get(verb)
    said = (kind.__doc__ or "").strip().partition("\n")[0] if kind is not None else ""
    return Skill(kind="gui", name=verb, summary=said, risk=BY_VERB.get(verb), idempotence=twice)


@cache
def _kinds() -> dict[str, type[Action]]:
    kinds = get_args(get_args(KnownAction)[0])
    return {kind.model_fields["action_type"].default: kind for kind in kinds}


def _schema(kind: type[Action]) -> JsonObject:
    """What a verb takes beside what every action may say; a target is told as such."""
    common = set(Action.model_fields) | {"action_type"}
    whole = kind.model_json_schema()
    properties = {name: part for name, part in whole.get("properties", {}).items() if name not in common - {"target"}}
    if "target" in properties:
        properties["target"] = {"description": "an element of the screen"}
    needed = [name for name in whole.get("required", []) if name in properties]
    return {"type": "object", "properties": properties, "required": needed}


_LONG, _CHOICES, _OFTEN, _EXAMPLES, _FIRST = 300, 160, 8, 3, 4
_REQUEST = {
    "type": "object",
    "properties": {"request": {"type": "string", "description": "what is wanted, in words"}},
    "required": ["request"],
}
_NOWHERE = VisualState(timestamp=0.0, screen_resolution=(1, 1))
_WORD = re.compile(r"[^\W_]{3,}")


class Skills:
    """What can be done on one environment, with the tools from outside that this crew was given."""

    def __init__(
        self, environment: Environment, settings: SkillSettings | None = None, tools: Sequence[OutsideTool] = ()
    ) -> None:
        """Raises ValueError for two tools of one name, and for a tool that stands under the name of an app."""
        self.settings = settings or SkillSettings()
        self._environment = environment
        self._tools = {tool.skill.called: tool for tool in tools}
        self._lines: dict[tuple[str | None, str, str | None], tuple[str, ...]] = {}
        self._verbs: dict[str | None, tuple[str, ...]] = {}
        if len(self._tools) < len(tools):
            names = [tool.skill.called for tool in tools]
            raise ValueError(f"skills: there are two tools {next(n for n in names if names.count(n) > 1)!r}; name one otherwise")
        if taken := tools and {tool.skill.app for tool in tools} & set(self._titles.values()):
            raise ValueError(f"skills: {min(taken)!r} is an application here; give the tools of that name another one")

    @cached_property
    def _titles(self) -> dict[str, str]:
        """Apps by id and by title, folded."""
        apps = self._environment.apps() if isinstance(self._environment, AppCatalog) else ()
        return {name.casefold(): app.app for app in apps for name in (app.app, app.title)}

    @cached_property
    def known(self) -> tuple[Skill, ...]:
        """Every skill, forbidden or not, with what the user says of it."""
        return tuple(s.model_copy(update={"arguments": _schema(_kinds()[s.name])}) if s.kind == "gui" else s for s in self._known)

    @cached_property
    def _known(self) -> tuple[Skill, ...]:
        """The same without the arguments of verbs, whose schemas are for lists and would cost every start a tenth."""
        apps = {app.app for app in self._environment.apps()} if isinstance(self._environment, AppCatalog) else set()
        browser = type_of(self._environment) == "browser"
        verbs = [*_ALWAYS, "launch_app"] if apps else [*_ALWAYS]
        if browser or "browser" in apps:
            verbs += _PAGES
        if browser:
            verbs.append("upload")
        found = [verb_skill(verb) for verb in verbs]
        if isinstance(self._environment, NativeApi):
            found += map(_function, self._environment.functions())
        if isinstance(self._environment, InAppAgent):
            summary = "the app's own agent, asked in words"
            for app in self._environment.agents():
                found.append(Skill(kind="agent", app=app, name=AGENT, summary=summary, arguments=_REQUEST, risk=Effect.ACTIVATE))
        found += [tool.skill for tool in self._tools.values()]
        return tuple(map(self.settings.rated, found))

    @cached_property
    def _by_name(self) -> dict[str, Skill]:
        return {skill.called.casefold(): skill for skill in self._known}

    @cached_property
    def _calls(self) -> tuple[Skill, ...]:
        """What may be called and is no verb."""
        return tuple(s for s in self._known if s.kind != "gui" and not self.settings.forbids(s))

    def cards(self) -> tuple[AppCard, ...]:
        """Cards of the servers and tools from outside, by what they say of themselves."""
        found: dict[str, list[FunctionCard]] = {}
        for skill in (s for s in self._calls if s.outside):
            writes, takes = skill.risk is not Effect.OBSERVE, arguments_of(skill.arguments)
            card = FunctionCard(name=skill.name, summary=skill.summary, arguments=takes, writes=writes)
            found.setdefault(skill.app, []).append(card)
        return tuple(AppCard(app=app, title=app, functions=tuple(cards)) for app, cards in found.items())

    def offered(self, app: str | None) -> tuple[Skill, ...]:
        """What may be called for a subtask in this app: its functions and its agent, and the tools from outside."""
        return tuple(s for s in self._calls if s.outside or app is None or s.app == app)

    def verbs(self, app: str | None) -> tuple[str, ...]:
        """The verbs of actions that may be used for a subtask in this app."""
        if app not in self._verbs:  # the same at every step of a subtask
            mine = [s for s in self._known if s.kind == "gui"]
            found = [s.name for s in mine if s.name in LOOKING or not self.settings.forbids(s, app or "")]
            kinds = {skill.kind for skill in self._calls}
            if kinds - {"agent"}:
                found.append("call_api")
            if "agent" in kinds:
                found.append("ask_in_app_agent")
            self._verbs[app] = (*found, *INNER)
        return self._verbs[app]

    def lines(self, app: str | None, about: str, front: str | None = None) -> tuple[str, ...]:
        """What is offered by application: those nearest to the words of a subtask with what they do, a line each, all others by
        what they take. A rare word tells more than one that many have, and of applications that the words speak of, or where the
        work begins, in `front`, all functions stand together. Those that are nearest have literal arguments as an example."""
        if (app, about, front) not in self._lines:  # the same at every step of a subtask
            self._lines[app, about, front] = tuple(self._lined(app, about, front))
        return self._lines[app, about, front]

    def _lined(self, app: str | None, about: str, front: str | None) -> list[str]:
        skills, most = self.offered(app), self.settings.shown
        wanted = _words(about)
        names = {s.called: wanted & _words(s.called) for s in skills}
        said = {s.called: wanted & _words(s.summary) for s in skills}
        often = Counter(word for s in skills for word in names[s.called] | said[s.called])

        def worth(named: Iterable[str], told: Iterable[str]) -> float:  # a name is words of weight, a sentence has others
            weigh = (log(len(skills) / often[word]) * share for words, share in ((named, 1), (told, 0.25)) for word in words)
            return sum(weigh)

        own = {s.called: -worth(names[s.called], said[s.called]) for s in skills}
        nearest = {s.called for s in sorted((s for s in skills if s.takes), key=lambda s: own[s.called])[:_EXAMPLES]}
        if len(skills) > most:
            of_app: dict[str, tuple[set[str], set[str]]] = {s.app: (set(), set()) for s in skills}
            for skill in skills:
                of_app[skill.app][0].update(names[skill.called])
                of_app[skill.app][1].update(said[skill.called])
            spoken = {app: 2 * log(len(skills)) * bool(wanted & _words(app) or app == front) for app in of_app}
            of_its_app = {app: -worth(*words) - spoken[app] for app, words in of_app.items()}
            skills = tuple(sorted(skills, key=lambda s: (of_its_app[s.app], s.app, own[s.called])))
        else:  # an app's agent stands with its functions
            apps = list(dict.fromkeys(s.app for s in skills))
            skills = tuple(sorted(skills, key=lambda s: apps.index(s.app)))
        lines: list[str] = []
        for of, group in groupby(skills[:most], key=lambda s: s.app):
            lines += [
                f"{of}:",
                *(f" {told(s).removeprefix(f'{of}.')}{_example(s) if s.called in nearest else ''}" for s in group),
            ]
        rest = groupby(skills[most:], key=lambda s: s.app)
        lines += (f"{of}: {'; '.join(signature(s).removeprefix(f'{of}.') for s in group)}" for of, group in rest)
        often = Counter(taken for skill in skills for taken in _taken(skill) if ": " in taken)
        for taken in (taken for taken, count in sorted(often.items()) if count >= _OFTEN):
            alone = re.compile(rf"(?<=[( ]){re.escape(taken)}(?=[,)])")
            lines = [f"(everywhere {taken})", *(alone.sub(taken.partition(":")[0], line) for line in lines)]
        return lines

    def of(self, action: Action) -> Skill | None:
        """The skill that an action uses, if it is known here."""
        match action:
            case CallApi(app=app, function=function):
                return self._by_name.get(f"{self._called(app)}.{function}".casefold())
            case AskInAppAgent(app=app):
                return self._by_name.get(f"{self._called(app)}.{AGENT}".casefold())
            case _:
                return None if action.inner else self._by_name.get(action.verb)

    def tool(self, action: Action) -> OutsideTool | None:
        """The tool from outside that an action calls."""
        found = self.of(action) if isinstance(action, CallApi) else None
        return self._tools.get(found.called) if found is not None and found.outside else None

    def forbidden(self, action: Action, app: str | None) -> str:
        """Why the settings forbid an action, or an empty string."""
        skill = self.of(action)
        if skill is None and isinstance(action, CallApi | AskInAppAgent):
            kind = "api" if isinstance(action, CallApi) else "agent"
            skill = Skill(kind=kind, app=action.app, name=getattr(action, "function", AGENT))  # type: ignore[arg-type]  # as it says
        elif skill is None and not action.inner and not action.verb.startswith("x-"):
            skill = verb_skill(action.verb)
        if skill is None or (skill.kind == "gui" and skill.name in LOOKING):
            return ""
        pattern = self.settings.forbids(skill, app or "")
        return f"{skill.called} is forbidden by skills.forbid: {pattern}" if pattern else ""

    def problem(self, action: Action) -> str:
        """Why a call cannot be made as it stands, in one sentence; an empty string for one that can, and for other actions."""
        if not isinstance(action, CallApi | AskInAppAgent):
            return ""
        skill = self.of(action)
        if skill is not None:
            given = action.arguments if isinstance(action, CallApi) else {"request": action.request}
            unfit = problem_with(skill.arguments, given)
            return f"{skill.called}: {unfit}" if unfit else ""
        mine = [s for s in self._known if s.app == self._called(action.app)]
        # the environment is the one to say what there is where it gives no list, or calls its apps otherwise
        if isinstance(action, AskInAppAgent) or not isinstance(self._environment, NativeApi) or not mine:
            return ""
        there = [s.name for s in mine if s.kind != "agent"]
        has = f"there are: {', '.join(there)}" if there else "it has none"
        return f"{action.app} has no function {action.function!r}; {has}"

    def effects(self, action: Action, element: GUIElement | None, seen: VisualState) -> tuple[Effect, ...]:
        """All that an action may amount to, the worst first.

        What the user says of a skill counts alone. What its makers say is added to what its name says, and takes nothing away;
        only a function of the environment's own that writes nothing, and whose name says nothing, is taken to be looking.
        """
        named = effects_of(action, element, seen)
        skill = self.of(action)
        if skill is None or skill.kind == "gui":
            return named
        if skill.settled and skill.risk is not None:
            return (skill.risk,)
        if skill.outside:
            declared = (skill.risk or Effect.ACTIVATE, Effect.ACTIVATE)
            return tuple(dict.fromkeys([*(e for e in (*named, *declared) if e in SENSITIVE), Effect.ACTIVATE]))
        if skill.idempotence is Idempotence.READING and named == (Effect.ACTIVATE,):
            return (skill.risk or Effect.OBSERVE,)
        return tuple(dict.fromkeys([*([skill.risk] if skill.risk is not None else []), *named]))

    def settled(self, action: Action) -> bool:
        """Whether it calls what the user has said all of: then nothing else counts."""
        skill = self.of(action)
        return skill is not None and skill.kind != "gui" and skill.settled and skill.risk is not None

    def unrated(self, action: Action) -> bool:
        """Whether it calls a tool from outside of which the user has not said what it may do."""
        skill = self.of(action)
        return skill is not None and skill.outside and not skill.settled

    def _called(self, app: str) -> str:
        return self._titles.get(app.strip().casefold(), app.strip())


def told(skill: Skill) -> str:
    """One line for a prompt: what it takes, what it does, and what a person may be asked about."""
    risk = "asked for" if skill.risk is None else skill.risk.value if skill.risk in SENSITIVE else ""
    reads, kind = skill.idempotence is Idempotence.READING, skill.kind if skill.kind != "api" else ""
    what = "; ".join(filter(None, [kind, "" if reads else risk]))
    summary = _short(skill.summary.rstrip("."), 160)
    return f"{signature(skill)}{f' ({what})' if what else ''}{f': {summary}' if summary else ''}"


def signature(skill: Skill) -> str:
    """`mail.move_message(id, folder: "Inbox" | "Trash")`; what may be left out has a `?`, and what has no kind is a text."""
    return f"{skill.called}({_short(', '.join(_taken(skill)), _LONG)})"


def _taken(skill: Skill) -> list[str]:
    """Its arguments, each with its kind."""
    takes = []
    for name, said in skill.takes.items():
        kind = _kind(said, skill.arguments.get("$defs"))
        kind = "" if kind == "string" else f" {kind.removeprefix('string ')}" if kind.startswith("string as ") else f": {kind}"
        takes.append(f"{name}{'' if name in skill.needs else '?'}{kind}")
    return takes


def _referred(said: Any, defined: Any) -> JsonObject:
    """The schema itself, or the one that it refers to."""
    said = said if isinstance(said, dict) else {}
    name = str(said.get("$ref", "")).rpartition("/")[2]
    found = defined.get(name) if name and isinstance(defined, dict) else said
    return found if isinstance(found, dict) else {}


def _kind(said: Any, defined: Any, deep: int = 3) -> str:
    """What a value has to be, with the choices that there are, or how it is written where an example tells."""
    said = _referred(said, defined)
    if isinstance(choices := said.get("enum"), list):
        return _short(" | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices), _CHOICES)
    if (examples := said.get("examples")) and isinstance(examples, list) and deep:
        plain = _kind({key: value for key, value in said.items() if key != "examples"}, defined, deep)
        return f"{plain} as {_short(json.dumps(examples[0], ensure_ascii=False), _CHOICES)}"
    either = said.get("anyOf") or said.get("oneOf")
    if isinstance(either, list) and deep:
        kinds = dict.fromkeys(_kind(one, defined, deep - 1) for one in either)
        return " | ".join(kind for kind in kinds if kind != "null") or "null"
    if said.get("type") == "array":
        return f"list of {_kind(said.get('items'), defined, deep - 1)}" if deep else "list"
    kind = said.get("type") or "any"
    if kind == "integer" and isinstance(most := said.get("maximum"), int):
        return f"integer up to {most}"
    return kind if isinstance(kind, str) else " | ".join(map(str, kind)) if isinstance(kind, list) else "any"


def _example(skill: Skill) -> str:
    """Literal arguments: those that are needed, or the first of one that writes and needs none."""
    writes = skill.idempotence is not Idempotence.READING
    names = [name for name in skill.takes if name in skill.needs] or [*skill.takes][: _FIRST * writes]
    given = {name: _literal(skill.takes[name], skill.arguments.get("$defs")) for name in names}
    return f"; as in {_short(json.dumps(given, ensure_ascii=False), _LONG)}" if given else ""


def _literal(said: Any, defined: Any, deep: int = 3) -> Any:
    """A value that a schema allows: an example or choice of its own, or the plainest of its kind."""
    said = _referred(said, defined)
    for own in (said.get("examples"), said.get("enum")):
        if isinstance(own, list) and own:
            return own[0]
    either = said.get("anyOf") or said.get("oneOf")
    if isinstance(either, list) and either and deep:
        return _literal(either[0], defined, deep - 1)
    kind = said.get("type")
    if kind == "array" and deep:
        return [_literal(said.get("items"), defined, deep - 1)]
    plain = {"integer": said.get("minimum", 1), "number": 1.5, "boolean": True, "object": {}, "array": []}
    return plain.get(kind, "...") if isinstance(kind, str) else "..."


def _short(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[:most]}…(+{len(flat) - most})"


def _function(info: FunctionInfo) -> Skill:
    """A function of an app's own interface. A word of its app for the risk that nobody knows counts as unknown."""
    twice = Idempotence.ONCE if info.writes else Idempotence.READING
    if info.writes and info.repeatable:
        twice = Idempotence.REPEATABLE
    named = effects_of(CallApi(app=info.app, function=info.name), None, _NOWHERE)[0]
    if named is Effect.ACTIVATE and not info.writes:
        named = Effect.OBSERVE
    risk = Effect(info.risk) if info.risk in set(Effect) else Effect.ACTIVATE if info.risk else named
    return Skill(
        kind="api", app=info.app, name=info.name, summary=info.summary, arguments=info.arguments, risk=risk, idempotence=twice
    )


@lru_cache(maxsize=2048)
def _words(text: str) -> frozenset[str]:
    found = (word.casefold() for word in _WORD.findall(text.replace("_", " ")))
    return frozenset(word.removesuffix("s") for word in found)
