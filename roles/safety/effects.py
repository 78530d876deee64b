"""What an action amounts to in the world, by the words of what it falls on and by the text of a script: a person is asked sooner.

A control that none of the words fits is `activate`: unknown, so the default policy asks. What holds a script is the sandbox, and
the review of the change that it brings back; a text that hides what it does is run there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import accumulate
from typing import Any, NamedTuple

from environments.effects import NetworkRule
from environments.effects.words import SENSITIVE as SENSITIVE
from environments.effects.words import Effect as Effect
from environments.effects.words import command_in, effect_of_address, holds, is_way_out
from environments.effects.words import effect_of_words as effect_of_words
from protocol import (
    Action,
    ActionTarget,
    CallApi,
    Click,
    Drag,
    Fill,
    GUIElement,
    HoldKey,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Navigate,
    PressKey,
    RunScript,
    SelectOption,
    Tabs,
    Type,
    VisualState,
    target_element,
)  # fmt: skip
from roles.safety import destinations
from roles.safety.vocabulary import VOCABULARY, words

RULE = tuple(NetworkRule.model_fields)


def learned_rules(bodies: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The rules of such events, each once, as a policy would have them."""
    rules = [{name: str(body[name]) for name in RULE if name in body} for body in bodies]
    return [rule for at, rule in enumerate(rules) if rule not in rules[:at]]


_TYPED, _TICKED, _SHOWN, _LISTED, _BUTTONS, _DIALOGS = (
    words("roles", kind) for kind in ("typed", "ticked", "shown", "listed", "buttons", "dialogs")
)
_FORMS = _DIALOGS | {"form", "search"}
_SECTIONS = _FORMS | {"region"}
_WORST = (
    Effect.ACTUATE, Effect.ACCOUNT, Effect.PURCHASE, Effect.DELETE, Effect.PERMISSION, Effect.SEND, Effect.SUBMIT, Effect.UPLOAD,
    Effect.DOWNLOAD, Effect.ACTIVATE, Effect.CONFIRM, Effect.SAVE, Effect.EDIT, Effect.NAVIGATE, Effect.OBSERVE,
)  # fmt: skip
_KEEPS = frozenset((Effect.SAVE, Effect.CONFIRM, Effect.SUBMIT, Effect.ACTIVATE))
"""Effects of a button that takes over what stands in the fields beside it."""
_CHORDS = {key: Effect(effect) for effect in VOCABULARY["chords"] for key in words("chords", effect)}
_ENTERS = frozenset(("enter", "return", "numpadenter", "\n", "\r"))
_SPACES = frozenset((" ", "space", "spacebar"))
_MOVES = words("keys", "moving")
_MAKES = words("functions", "makes")
_TELLS = re.compile(r"(?<![a-z])(?:reply|respond|answer|forward|notify|message to|call)(?![a-z])", re.IGNORECASE)
"""A function so named says something to others: a button "Reply" opens a form, a function `reply` sends."""
BY_VERB = {verb: Effect(effect) for effect in VOCABULARY["verbs"] for verb in words("verbs", effect)}


def worst(*effects: Effect) -> Effect:
    return min(effects, key=_WORST.index)


def effect_of(action: Action, element: GUIElement | None, state: VisualState) -> Effect:
    """What `action` would do to `element` as it stands in `state`."""
    match action:
        case Click(button="back" | "forward"):
            return Effect.NAVIGATE
        case Click():
            return _press(element, state)
        case MouseDown() | MouseUp():
            return worst(Effect.ACTIVATE, _press(element, state))
        case Drag(to=to):
            return _dropped(element, to, state)
        case Fill() | Type() | SelectOption():
            return _written(action, element, state)
        case PressKey(keys=keys) | HoldKey(keys=keys):
            return _key(tuple(map(str.casefold, keys)), element, state, aimed=action.target is not None)
        case KeyDown(key=key) | KeyUp(key=key):
            return worst(Effect.ACTIVATE, _key((key.casefold(),), element, state, aimed=True))
        case Navigate(url=str(url)) | Tabs(url=str(url)):
            return _visit(url, state)
        case CallApi():
            return _call(action, state)
        case _:
            return BY_VERB.get(action.verb, Effect.ACTIVATE)


def _dropped(element: GUIElement | None, to: ActionTarget, state: VisualState) -> Effect:
    """What is dragged onto itself is pressed; else the words of both ends count, and a bin wherever it is named."""
    place = target_element(to, state)
    pressed = Effect.EDIT if element is None else _press(element, state)
    if element is not None and place is element:
        return pressed
    names = [to.text or "", place.name if place is not None else "", (place.shown or "") if place is not None else ""]
    found = [Effect.DELETE if destinations.into_trash(name) else effect_of_words(name) for name in names]
    if place is not None and place.actuator:
        found.append(Effect.ACTUATE)
    return worst(Effect.EDIT, *(effect for effect in (pressed, *found) if effect in SENSITIVE))


def _written(action: Fill | Type | SelectOption, element: GUIElement | None, state: VisualState) -> Effect:
    """What is written into a field is an edit; into what is no field, it is the press with which it would begin."""
    text = "" if isinstance(action, SelectOption) else action.text
    options = action.options if isinstance(action, SelectOption) else ()
    enters = not isinstance(action, SelectOption) and action.submit
    enters = enters or (isinstance(action, Type) and ("\n" in text or "\r" in text))
    at = element or (_focused(state) if isinstance(action, Type) else None)
    found = [Effect.EDIT, *(effect for effect in map(command_in, options) if effect is not None)]
    if at is not None and at.actuator:
        found.append(Effect.ACTUATE)
    elif at is not None and at.role not in _TYPED:
        found += [_press(at, state)] if action.target is not None or enters or " " in text else []
    elif at is not None and "fields" in holds(at.name):
        found.append(Effect.ACCOUNT)
    return worst(*found, *([_enter(at, state)] if enters else []))


def _visit(address: str, state: VisualState) -> Effect:
    if destinations.is_program(address):
        return Effect.ACTIVATE
    return effect_of_address(address) or (Effect.SEND if destinations.takes_data(address, state) else Effect.NAVIGATE)


def _call(call: CallApi, state: VisualState) -> Effect:
    """A function does at once what its name says; the words of buttons that only open a form say too little of it."""
    effect = effect_of_words(call.function)
    if effect in SENSITIVE:
        return effect
    if destinations.looks(call.function):
        visits = [_visit(address, state) for address in destinations.addresses(call.arguments)]
        return worst(*visits, Effect.NAVIGATE)
    if _TELLS.search(call.function.replace("_", " ")):
        return Effect.SEND
    if destinations.into_trash(call.arguments):
        return Effect.DELETE
    word = destinations.first_word(call.function)
    effect = effect or effect_of_words(word)
    if effect is not None and effect is not Effect.NAVIGATE:
        return effect
    return Effect.EDIT if word in _MAKES else Effect.ACTIVATE


def _press(element: GUIElement | None, state: VisualState) -> Effect:
    """A press with what it takes over: where fields of an account stand beside it, it changes that account."""
    if element is None:
        return Effect.ACTIVATE
    effect = _pressed(element, state)
    return Effect.ACCOUNT if effect in _KEEPS and _keeps_account(element, state) else effect


def _pressed(element: GUIElement, state: VisualState) -> Effect:
    """The worst of what it is called, what it shows and where it leads."""
    if element.actuator:
        return Effect.ACTUATE
    if element.role in _TYPED:
        return Effect.EDIT
    effect = _worded(element.name, element, state)
    if element.shown and effect not in SENSITIVE:  # what a person would take it for counts as much as what it is called
        shown = _worded(element.shown, element, state)
        effect = shown if shown in SENSITIVE else effect
    if effect in SENSITIVE or not (element.leads or element.parent):
        return effect
    way = destinations.way_of(element)
    if way is not None and (way.how == "download" or (said := effect_of_address(way.said)) is not None):
        return Effect.DOWNLOAD if way.how == "download" else said or effect
    if destinations.sends_elsewhere(element, state):
        return Effect.SEND
    if way is not None and way.how == "post":
        return Effect.SUBMIT
    odd = bool(destinations.warnings(element, state)) or (way is not None and destinations.is_program(way.address))
    return Effect.ACTIVATE if odd else effect  # its words say too little of what a press does


def _worded(name: str, element: GUIElement, state: VisualState) -> Effect:
    role = element.role
    listed = role == "link" and (parent := state.by_id.get(element.parent or "")) is not None and parent.role in _LISTED
    if role in _SHOWN or role in _TICKED or listed:
        return command_in(name) or (Effect.EDIT if role in _TICKED else Effect.NAVIGATE)
    effect = effect_of_words(name)
    dialog = None if effect in SENSITIVE or element.parent is None else _around(element, state, _DIALOGS)
    if dialog is not None and not is_way_out(name):
        return _asked_by(dialog, state) or effect or Effect.ACTIVATE
    if role != "link" or effect in SENSITIVE:
        return effect or (Effect.ACTIVATE if element.expanded is None else Effect.NAVIGATE)
    known = element.leads is not None or not destinations.page_host(state)
    return Effect.NAVIGATE if known and not destinations.disguised(name) else effect or Effect.ACTIVATE


def _asked_by(dialog: GUIElement, state: VisualState) -> Effect | None:
    """An affirmative button does what its dialog asks; only a sensitive question changes what it is."""
    inside = (e for e in state.within(dialog) if e.role not in _BUTTONS and e.role not in {"link", "menuitem", "switch"})
    found = [effect for effect in (effect_of_words(text.name) for text in (dialog, *inside)) if effect in SENSITIVE]
    return worst(*found) if found else None


def _keeps_account(element: GUIElement, state: VisualState) -> bool:
    """Whether what it takes over is an address, a password, a way to recover or to pay, of an account."""
    if element.role in _SHOWN or is_way_out(element.name):
        return False
    holder = _around(element, state, _SECTIONS)
    fields = [e for e in state.elements if e.role in _TYPED and e.app == element.app]
    held = [holds(e.name) for e in fields if holder is None or holder in (e, *state.above(e))]
    if any("fields" in kinds or "changed" in kinds for kinds in held):
        return True
    if not any("credentials" in kinds for kinds in held):
        return False
    heads = [e.name for e in state.elements if e.role == "heading"]
    front = [window.title for window in state.windows if window.focused]
    signs = (
        holder.name if holder is not None else "",
        (destinations.way_of(element) or destinations.Way("", "")).said,
        *heads,
        *front,
    )
    return any("places" in holds(sign) for sign in signs)


def _around(element: GUIElement, state: VisualState, roles: AbstractSet[str | None]) -> GUIElement | None:
    """The nearest container, or itself, of one of these roles."""
    return next((at for at in (element, *state.above(element)) if at.role in roles), None)


def _enter(element: GUIElement | None, state: VisualState) -> Effect:
    """Enter may press each button of the form or dialog around, and each that belongs to a form in which it does not stand.

    Where the form is not known it may be any button of the screen; of buttons that send, another that is unknown is not meant.
    """
    holder = state.by_id.get(state.modal or "") or (_around(element, state, _FORMS) if element is not None else None)
    buttons = [e for e in state.elements if e.role in _BUTTONS]
    if holder is not None:
        inside = {e.element_id for e in state.within(holder)}
        tied = (e for e in buttons if _sends(e) and _around(e, state, _FORMS) is None)
        buttons = [*(e for e in buttons if e.element_id in inside), *tied]
    elif element is not None:
        buttons = [e for e in buttons if e.app == element.app]
    sending = any(map(_sends, buttons))
    effects = [_pressed(e, state) for e in buttons]
    meant = [effect for e, effect in zip(buttons, effects, strict=True) if effect in SENSITIVE or _sends(e) or not sending]
    found = worst(*meant) if meant else Effect.CONFIRM
    by = next(iter(buttons), element)
    return Effect.ACCOUNT if found in _KEEPS and by is not None and _keeps_account(by, state) else found


def _sends(element: GUIElement) -> bool:
    return (element.leads or "").startswith(("get ", "post "))


def _focused(state: VisualState) -> GUIElement | None:
    return next((e for e in state.elements if e.focused), None)


def _key(keys: tuple[str, ...], element: GUIElement | None, state: VisualState, *, aimed: bool) -> Effect:
    """A key goes to what has the focus; where it is given to what is no field, that may be pressed to have the focus."""
    at, last = element or _focused(state), keys[-1]
    typed = at is not None and at.role in _TYPED
    found = [_chord(keys, typed, at)]
    if at is not None and at.actuator and (aimed or last not in {"tab", "escape"}):
        return Effect.ACTUATE
    if at is not None and not typed and (aimed or last in _ENTERS | _SPACES):
        found.append(_press(at, state))
    if last in _ENTERS and (at is None or typed or len(keys) > 1 or at.role in _TICKED | _SHOWN):
        found.append(_enter(at, state))
    return worst(*found)


def _chord(keys: tuple[str, ...], typed: bool, at: GUIElement | None) -> Effect:
    last, held = keys[-1], set(keys[:-1])
    if last in _ENTERS | _SPACES:
        return Effect.CONFIRM if at is None else Effect.EDIT if typed else Effect.NAVIGATE
    if last in {"delete", "backspace"}:
        return Effect.EDIT if typed else Effect.DELETE
    if held and held <= {"control", "meta", "controlormeta"}:
        return _CHORDS.get(last, Effect.ACTIVATE)
    if len(last) == 1 and held <= {"shift"}:
        return Effect.EDIT if typed or at is None or at.role in _SHOWN else Effect.ACTIVATE
    return Effect.NAVIGATE if last in _MOVES and held <= {"shift"} else Effect.ACTIVATE


_COMMANDS, _MODULES, _CALLS = (
    {kind: words("scripts", part, kind) for kind in VOCABULARY["scripts"][part]} for part in ("commands", "modules", "calls")
)
_STARTING, _SYSTEM = words("scripts", "starting"), words("scripts", "system")
_EFFECTS = {"network": Effect.SEND, "privilege": Effect.PERMISSION, "outside": Effect.ACTIVATE, "process": Effect.ACTIVATE}
_BEGINS = re.compile(r"""[;&|(){}`!]|\b\w*sh\s+-c\s+["']|-exec\w*|\b(?:do|else|eval|then|while|until|if)\s""")
_SET = re.compile(r"\w+=")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_BEHIND = re.compile(r"(?<![&><|])&(?![&>])")
_CALLS_ITSELF = re.compile(r"(?<![\w:])([\w:]{1,40})\s*\(\)\s*\{[^{}]*(?<![\w:])\1\s*[|&]")
_IMPORT = re.compile(r"\b(?:import|from)[ \t]+([^\n;#]*)")
_CALL = re.compile(r"\bos\.(\w+)")
_PATH = re.compile(r"[^\s'\"=;|&<>(){}`,:$]+")
_STREAMS = re.compile(r"/dev/(?:null|zero|u?random|stdin|stdout|stderr|fd/\d+)")


class Risk(NamedTuple):
    """One line of a script that a person should see before it is run. `line` counts from 1."""

    kind: str
    what: str
    line: int

    def describe(self) -> str:
        text = " ".join(self.what.split())
        return f"line {self.line}: {self.kind}: {text if len(text) <= 120 else f'{text[:119]}…'}"


def risks_of(language: str, code: str) -> tuple[Risk, ...]:
    """What a script in `bash` or `python` would use besides the copy of the user's files, in the order of the text."""
    bash = language == "bash"
    readers = (_places, *((_bash,) if bash else ()), *((_python,) if not bash or "python" in code else ()))
    lines = enumerate(code.split("\n"), 1)
    found = [Risk(kind, line, at) for at, line in lines for kind in sorted({kind for read in readers for kind in read(line)})]
    if bash and (bomb := _CALLS_ITSELF.search(code)):
        found.append(Risk("process", bomb[0], code.count("\n", 0, bomb.start()) + 1))
    return tuple(found)


def effects_of(action: Action, element: GUIElement | None, state: VisualState) -> tuple[Effect, ...]:
    """All that an action may amount to, the worst first. Only a script amounts to several things."""
    if not isinstance(action, RunScript):
        return (effect_of(action, element, state),)
    found = {Effect.OBSERVE, *(_EFFECTS[risk.kind] for risk in risks_of(action.language, action.code))}
    return tuple(sorted(found, key=list(Effect).index, reverse=True))


def _bash(line: str) -> Iterator[str]:
    for part in _BEGINS.split(line):
        names = [word.strip("'\"").replace("\\", "").rpartition("/")[2] for word in part.split() if not _SET.match(word)]
        said = names if names and names[0] in _STARTING else names[:1]
        yield from (kind for kind, known in _COMMANDS.items() if not known.isdisjoint(said))
    if _BEHIND.search(_QUOTED.sub("", line)):
        yield "process"
    if "chmod" in line and re.search(r"[+=][rwxX]*s|\b[2467]\d{3}\b", line):
        yield "privilege"


def _python(line: str) -> Iterator[str]:
    imported = {word for part in _IMPORT.findall(line) for word in re.findall(r"\w+", part)}
    called = {*_CALL.findall(line), *imported}
    yield from (kind for kind, known in _MODULES.items() if not known.isdisjoint(imported))
    yield from (kind for kind, known in _CALLS.items() if not known.isdisjoint(called))


def _places(line: str) -> Iterator[str]:
    """Paths out of the user's files."""
    for path in _PATH.findall(line):
        parts = [part for part in path.split("/") if part not in {"", "."}]
        ups = [-1 if part == ".." else 1 for part in parts]
        system = path.startswith("/") and not _SYSTEM.isdisjoint(parts[:1]) and not _STREAMS.fullmatch(path)
        if path.startswith(("/dev/tcp", "/dev/udp")):
            yield "network"
        elif system or min(accumulate(ups), default=0) < 0 or re.match(r"~\w", path):
            yield "outside"
