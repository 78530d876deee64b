"""The one search for what a screen hides: behind a mask, in a menu, in a section, behind a tab, or further down."""

from typing import Literal

from environments.effects import Effect
from environments.effects.words import effect_of_words
from protocol import ActionTarget, GUIElement, Scroll
from roles.policies.orders.skills.situation import Move, Situation, act, first, press
from roles.screen.language.words import table
from roles.screen.matching import similarity
from roles.screen.texts import fold

Behind = Literal["mask", "menu", "section", "tab"]
HARMLESS = frozenset({None, Effect.NAVIGATE, Effect.OBSERVE})
"""What a control may be pressed for that nobody asked for."""
_MOST, _MENUS = 12, 4


def revealed(wanted: str, at: Situation, *behind: Behind) -> Move | None:
    """The next move that shows more, where `wanted` may stand: what is called like it first, each once. None at the end.

    A menu may have closed by itself, and is opened again.
    """
    tried: dict[str, int] = at.notes.setdefault("revealed", {})
    times = _MENUS if "menu" in behind else 1
    ways = [e for e in at.screen.elements if e.enabled and e.name and tried.get(e.name, 0) < times]
    ways = [e for e in ways if any(_hides(e, kind, wanted) for kind in behind)]
    ways = [e for e in ways if effect_of_words(e.name) in HARMLESS or (e.role == "menuitem" and e.expanded is False)]
    if not ways or sum(tried.values()) >= _MOST:
        return None
    way = max(ways, key=lambda e: similarity(wanted, e.name))
    first(at.reach(way))
    tried[way.name] = tried.get(way.name, 0) + 1
    return press(way, f'"{wanted}" may be shown by "{way.name}"')


def _hides(element: GUIElement, kind: Behind, wanted: str) -> bool:
    words = fold(element.name)
    match kind:
        case "tab":
            return element.role == "tab" and not element.selected
        case "section":
            return element.expanded is False or (element.role in {"button", "link"} and words in table("names")["more"])
        case "menu":
            named = element.role == "button" and words in table("names")["menus"]
            return not element.expanded and (named or (element.role == "menuitem" and element.expanded is False))
        case "mask":  # `Show`, `Reveal phone`: the verb alone, or with what is meant
            verb, _, rest = words.partition(" ")
            meant = {*fold(wanted).split(), "value", "values", "hidden", "private"}
            pressed = element.role in {"button", "link", "switch", "checkbox"}
            return pressed and verb in table("names")["uncovers"] and (not rest or bool(meant & {*rest.split()}))


def further(at: Situation) -> Move | None:
    """What stands further down; None where nothing moved when it was last looked for there."""
    still = at.last is not None and at.last.verb == "scroll" and not at.last.visible_change
    over = next((e for e in reversed(at.screen.elements) if e.visible and e.name), None)
    if still or over is None or at.count("further") > _MOST:
        return None
    return act(Scroll.toward("down", 1, "page", ActionTarget.of(over)), "it may stand further down")
