"""Fields of any form and page: which one a label means, what it holds, and how it is brought to hold something else."""

from collections.abc import Sequence
from itertools import pairwise

from protocol import Action, ActionTarget, Click, Fill, GUIElement, PressKey, SelectOption, Type, Wait
from roles.contracts.orders import StepFailure
from roles.contracts.values import parse_date, parse_time
from roles.policies.orders.skills.situation import Move, Needed, Situation, act, fail, first, press
from roles.screen.language.words import phrases
from roles.screen.matching import similarity, tokens
from roles.screen.page import BOXES, GROUPS, OPTIONS, Page, Scopes, shows
from roles.screen.screens import FIELD_ROLES, Item, shown
from roles.screen.texts import fold
from roles.screen.values import is_a, rewritings, same_value, values_in

RANGES = frozenset({"slider", "spinbutton"})
_ROLES = FIELD_ROLES | BOXES | RANGES
GOOD = 0.88


# --- which field ------------------------------------------------------------------------------------------------------


def fit(label: str, element: GUIElement, owner: Sequence[str]) -> float:
    """How well an element is called by a label: as it stands, with the record's name beside it, or by another word."""
    if "{title}" in label:
        return max((fit(label.replace("{title}", name), element, ()) for name in owner), default=0.0)
    wanted, best = fold(label), 0.0
    for name in {element.name, element.placeholder or ""} - {""}:
        bare = _without_unit(name)
        if wanted in (fold(name), fold(bare)):
            best = max(best, 1.0 if name == element.name else 0.95)
            continue
        mine, theirs, others = set(tokens(label)), set(tokens(bare)), set(tokens(" ".join(owner)))
        if mine and mine <= theirs and theirs - mine and theirs - mine <= others | phrases("between"):
            best = max(best, 0.98)
        else:
            best = max(best, min(0.94, similarity(label, bare)))
    return best


def _without_unit(name: str) -> str:
    """A label without what stands behind it: `Weight in kg`, `Weight (kg)`, `Weight *`."""
    bare = name.rstrip(" *:")
    if bare.endswith((")", "]")):
        return bare[: max(bare.rfind("("), bare.rfind("["), 0)].rstrip()
    before, _, unit = bare.rpartition(" in ")
    return before.rstrip() if before and " " not in unit else bare


def field_for(
    label: str, at: Situation, owner: Sequence[str] = (), within: Sequence[GUIElement] = (), nth: int = 0
) -> GUIElement | None:
    """The field that a label means; in a part of the screen, where that is known. Several that fit equally well: a failure."""
    options = [e for e in within or at.screen.elements if e.role in _ROLES]
    searches = {e.element_id for e in at.screen.searches}
    card = at.card(at.view.seen.app or "")
    known = card is not None and any(f.label == label for kind in card.kinds for f in kind.fields)
    scored = [(fit(label, e, owner), e) for e in options]
    scored = [(score, e) for score, e in scored if score >= (0.99 if e.element_id in searches else 0.95 if known else GOOD)]
    top = max((score for score, _ in scored), default=0.0)
    best = [e for score, e in scored if score >= top - 0.005]
    if nth:
        return best[nth - 1] if len(best) >= nth else None
    if len(best) > 1:
        best = [e for e in best if e.enabled and e.visible] or best
    if len(best) > 1:
        raise StepFailure(f'{len(best)} fields are called "{label}", and nothing says which is meant')
    return best[0] if best else None


def in_row(row: Item | None, label: str, at: Situation) -> list[GUIElement]:
    """Fields in a record's row that the label may mean: in the cell under such a heading, or called so."""
    if row is None:
        return []
    cells = [pair.element for pair in row.cells if fold(pair.label) == fold(label)]
    under = [e for cell in cells for e in (cell, *at.screen.within(cell)) if e.role in _ROLES]
    owner = (row.text, *(pair.value for pair in row.cells))
    return under or [e for e in at.screen.within(row.element) if is_writable(e) and fit(label, e, owner) >= 0.95]


def is_writable(element: GUIElement) -> bool:
    return element.role in RANGES | {"textbox", "combobox", "checkbox", "switch"}


def group_of(label: str, at: Situation) -> list[GUIElement]:
    """The options of a group that is called so: radio buttons, toggles, a list that the page draws."""
    named = [e for e in at.screen.elements if e.role in GROUPS and e.name and fit(label, e, ()) >= GOOD]
    inside = [e for holder in named[:1] for e in at.screen.within(holder)]
    if not inside:
        texts = [e for e in at.screen.elements if e.role in {"text", "label", "heading"} and fit(label, e, ()) >= 0.95]
        inside = next((found for e in texts[:1] if (found := Scopes(at.screen.elements).of(e.name))), [])
    options = [e for e in inside if e.role in OPTIONS and e.name]
    return options if len(options) > 1 or any(e.role in BOXES for e in options) else []


# --- what it holds ----------------------------------------------------------------------------------------------------


def held(element: GUIElement) -> str:
    return (element.value or "").rstrip("\n")


def holds(element: GUIElement, text: str) -> bool:
    """Whether a field shows a value, however it writes it."""
    if element.role in BOXES:
        return (element.value == "true" or element.selected) == truth(text)
    if element.role in RANGES and values_in("number", text):
        return same_value(held(element), _figure(text))
    if not text.strip():
        return not held(element).strip()
    return same_value(held(element), text) or _lines(held(element)) == _lines(text)


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def truth(text: str) -> bool:
    """What is said of a box. Raises StepFailure where it says neither on nor off."""
    word = fold(text)
    if not word or word in phrases("on") | phrases("off"):
        return word in phrases("on")
    raise StepFailure(f"a checkbox is on or off, not {text!r}")


def _figure(text: str) -> str:
    numbers = values_in("number", text)
    if len(numbers) != 1:
        raise StepFailure(f"{text!r} is not a number")
    return numbers[0].replace(",", ".").replace("−", "-")


# --- how it is brought to hold something else -------------------------------------------------------------------------


def took_it(element: GUIElement, at: Situation) -> bool:
    """Whether it shows what was written last, in whichever way of writing."""
    wrote: dict[str, str] = at.notes.get("wrote", {})
    key = element.track_id or element.name
    return key in wrote and holds(element, wrote[key])


def put(element: GUIElement, text: str, at: Situation) -> None:
    """Sets a field to `text`: filled, then by keys; written otherwise where it complains. Raises Needed until it took it."""
    key = element.track_id or element.name
    tries: dict[str, int] = at.notes.setdefault("tries", {})
    wrote: dict[str, str] = at.notes.setdefault("wrote", {})
    fresh: list[str] = at.notes.setdefault("fresh", [])
    tried, written = tries.get(key, 0), ways(element, text)
    took = holds(element, written[0]) or took_it(element, at)
    at.notes["field"] = element.track_id
    if took and element.invalid and element.focused and fresh and fresh[-1] == key and at.count(f"left {key} {wrote[key]}") < 1:
        raise Needed(act(PressKey(keys=("Tab",)), f'"{element.name}" may be looked at when it is left'))
    if tried:
        first(_proposal(element, text, took, at))
    if took and (not element.invalid or key in fresh):
        return
    if not element.enabled:
        raise Needed(fail(f'the field "{element.name}" cannot be changed; it shows {held(element)!r}'))
    if tried > 1:
        first(_sheet(element, text, at))
    if tried > len(written) + 3 or (took and tried >= len(written)):
        said = "; ".join((f"it shows {held(element)!r}", *at.screen.complaints[:2]))
        raise Needed(fail(f'the field "{element.name}" does not take {text!r}: {said}'))
    first(at.reach(element))
    way = written[min(tried, len(written) - 1)] if took else wrote.get(key, written[0])
    tries[key], wrote[key] = tried + 1, way
    at.notes["fresh"] = [*(k for k in fresh if k != key), key]
    action = _action(element, way, 0 if took else tried)
    raise Needed(act(action, f'"{element.name}" is to show {way!r}', f'"{element.name}" shows {way!r}'))


def ways(element: GUIElement, text: str) -> list[str]:
    """How the value may be written in this field, the plainest first. Raises StepFailure where it can take none of them."""
    if element.role in BOXES:
        return ["true" if truth(text) else "false"]
    if element.choices and text:
        return [option(text, element.choices, element.name)]
    if element.role in RANGES and text:
        return [_within(element, _figure(text))]
    hint = fold(f"{element.placeholder} {element.name}")
    if (minute := parse_time(text)) is not None:
        hour, rest = divmod(minute, 60)
        times = [text, f"{hour:02d}:{rest:02d}", f"{(hour + 11) % 12 + 1}:{rest:02d} {'AP'[hour > 11]}M"]
        return list(dict.fromkeys([*times[1:2], *times] if "hh" in hint else times))
    if (day := parse_date(text)) is None:
        return list(dict.fromkeys([text, *rewritings(text)]))
    forms = ["%Y-%m-%d", "%d.%m.%Y", "%d %B %Y"]
    for shape, form in (("mm/dd", "%m/%d/%Y"), ("dd/mm", "%d/%m/%Y")):
        if shape in hint:
            forms.insert(0, form)
        elif "/" not in hint and (day.day > 12 or day.day == day.month):  # else nobody could tell the day from the month
            forms.append(form)
    first = day.isoformat() if hint.startswith("yyyy") else text
    return list(dict.fromkeys([first, *(day.strftime(form) for form in forms), text]))


def _within(element: GUIElement, figure: str) -> str:
    low, high, step = element.limits or (float("-inf"), float("inf"), 0.0)
    number = float(figure)
    if not low <= number <= high:
        raise StepFailure(f'"{element.name}" goes from {low:g} to {high:g}, and {figure} is not between them')
    if step > 0 and low > float("-inf") and abs((number - low) / step - round((number - low) / step)) > 1e-6:
        raise StepFailure(f'"{element.name}" goes in steps of {step:g} from {low:g}, and {figure} is none of them')
    return f"{number:g}"


def option(text: str, choices: Sequence[str], name: str) -> str:
    """The one choice that is meant: as it is called, by the end of a path, or the only one with these words."""
    same = [o for o in choices if fold(o) == fold(text)] or [o for o in choices if same_value(o, text)]
    ends = [o for o in choices if fold(o.rstrip("/").rsplit("/", 1)[-1].split(": ")[-1]) == fold(text)]
    words = [o for o in choices if set(tokens(text)) <= set(tokens(o))]
    found = next((some for some in (same, ends, words) if some), [])
    if len(set(found)) == 1:
        return found[0]
    why = "is not one" if not found else "may be several"
    raise StepFailure(f'"{text}" {why} of the choices of "{name}": {", ".join(choices)}')


def _action(element: GUIElement, text: str, tried: int) -> Action:
    target = ActionTarget.of(element)
    if element.choices:
        return SelectOption(target=target, options=(text,))
    if element.role in BOXES:
        return Click(target=target) if tried < 2 else PressKey(target=target, keys=("Space",))
    if element.role == "combobox" and not tried:
        return Click(target=target)  # its choices may appear
    if tried < 2 or element.role == "slider":
        return Fill(target=target, text=text)
    if not element.focused:
        return Click(target=target)
    if element.value and tried % 2 == 0:
        return PressKey(keys=("Control", "a"), target=target)
    return Type(target=target, text=text)


def _proposal(element: GUIElement, text: str, took: bool, at: Situation) -> Move | None:
    """Of a box that proposes what may be meant once it is opened or written into, the proposal: the words alone may not count."""
    if element.role != "combobox" or element.choices or at.notes.get(f"picked {element.track_id}"):
        return None
    if (entry := proposed(text, at)) is not None:
        at.notes[f"picked {element.track_id}"] = took
        return press(entry, f'"{entry.name}" is the choice', at=at)
    waits = took and element.expanded is not None and at.count(f"proposals {element.track_id}") < 2
    return act(Wait(seconds=1.0), f'"{element.name}" may propose it') if waits else None


def proposed(text: str, at: Situation) -> GUIElement | None:
    """An entry of a list that is open and called so."""
    roles = {"option", "menuitem", "menuitemradio", "treeitem"}
    entries = [e for e in at.screen.elements if e.role in roles and e.enabled and e.name]
    exact = [e for e in entries if fold(e.name) == fold(text)]
    longer = tuple(fold(text) + mark for mark in (",", " (", " <"))
    found = exact or [e for e in entries if fold(e.name).startswith(longer)]
    return found[0] if len({e.name for e in found}) == 1 else None


def choose(label: str, text: str, at: Situation) -> bool:
    """Whether a group, or a button that opens a list, shows a value. Raises Needed until it does; False: nothing is called so."""
    if shows(label, text, Page(at.view.seen.model_copy(update={"elements": tuple(at.screen.elements)}), "")):
        return True
    opener = _opener(label, at)
    group = group_of(label, at)
    if group and (opener is None or any(fold(e.name) == fold(text) for e in group)):
        name = option(text, [e.name for e in group], label)
        entry = next(e for e in group if e.name == name)
        if entry.selected or entry.value == "true":
            return True
    elif opener is not None:
        if not opener.expanded and text and fold(text) in {fold(opener.value or ""), fold(opener.shown or "")}:
            return True
        opened = bool(at.notes.get(f"choose {label}"))
        fresh = next((e for e in at.screen.presses if opened and e.enabled and fold(e.name) == fold(text)), opener)
        entry = proposed(text, at) or fresh
    else:
        return False
    if at.count(f"choose {label}") > 4:
        raise Needed(fail(f'"{label}" does not show {text!r} after it was chosen'))
    raise Needed(press(entry, f'"{entry.name}" leads to {text!r}', at=at))


def _opener(label: str, at: Situation) -> GUIElement | None:
    """What unfolds the choices: a control that is called so, or the one right behind a text that is."""
    every = at.screen.elements
    called = [e for e in at.screen.presses if e.expanded is not None and e.enabled and fit(label, e, ()) >= GOOD]
    after = [every[n + 1] for n, e in enumerate(every[:-1]) if e.role in {"text", "label"} and fit(label, e, ()) >= 0.95]
    return next((e for e in (*called, *after) if e in called or (e.role in {"button", "link", "combobox"} and e.enabled)), None)


# --- a calendar sheet -------------------------------------------------------------------------------------------------


def _sheet(element: GUIElement, text: str, at: Situation) -> Move | None:
    """Pick a day from the sheet of a field that did not take it as text; None where there is no such sheet."""
    day = parse_date(text)
    if element.choices or at.count("leafs") > 60:
        return None
    if day is None:
        two = text.count("/") == 2 and is_a("date", text.strip())
        return fail(f"{text!r} can be two days, and is chosen from a calendar") if two else None
    texts = [shown(e) for e in at.screen.elements]
    heads = (*texts, *map(" ".join, pairwise(texts)))  # the year may be a text of its own
    here = next((first for head in heads if (first := parse_date(f"1 {head}"))), None)
    if here is None:
        near = at.screen.within(next(iter(at.screen.above(element)), element))
        opener = next((e for e in near if e.role == "button" and e.expanded is not None), element)
        return press(opener, f'"{element.name}" is chosen from a calendar', at=at)
    if (here.year, here.month) == (day.year, day.month):
        cells = [e for e in at.screen.elements if e.role in {"gridcell", "cell", "link", "button"} and shown(e) == str(day.day)]
        leaf = next((e for e in cells if e.enabled), None)
    else:
        way = tuple(phrases("later")) if here < day else tuple(phrases("earlier"))
        named = (e for e in at.screen.elements if e.role in {"button", "link", "text"})
        leaf = next((e for e in named if fold(e.name).startswith(way)), None)
    return press(leaf, f"{day} is chosen from a calendar", at=at) if leaf else None
