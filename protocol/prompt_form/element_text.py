"""One element in words: `e12 button "Save" [disabled] @640,360`."""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from protocol.model.elements import GUIElement, VisualState


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ROWS = _set("row tablerow tr")
CELLS = _set("cell gridcell tablecell td")
WRAPPERS = CELLS | _set("group generic none presentation div span section listitem li rowgroup tbody filler layeredpane")
"""Hold others and say nothing themselves; folded where they have no name and no state."""

CONTAINERS = (WRAPPERS - CELLS) | ROWS | _set(
    "window frame dialog alertdialog form list table grid treegrid tree tablist pagetablist tabpanel toolbar menu menubar "
    "radiogroup listbox region main navigation banner contentinfo complementary search article document documentweb "
    "documentframe application panel pane scrollpane splitpane rootpane iframe feed figure"
)  # fmt: skip
PLAIN = _set("text statictext label paragraph p caption legend")
ECHOES = PLAIN | {"heading"}
"""Texts that may only repeat what the thing around or beside them is called."""

TEXTS = CELLS | ECHOES | _set(
    "columnheader rowheader tablecolumnheader tablerowheader th image img separator tooltip note term definition time code "
    "emphasis strong blockquote mark"
)  # fmt: skip
NEWS = _set("alert alertdialog status progress progressbar log timer")
"""Say what has just happened; kept like a thing to act on."""

CHECKED = _set("checkbox radio radiobutton switch menuitemcheckbox menuitemradio togglebutton option treeitem")


_READ = TEXTS | CONTAINERS | NEWS


def role_of(element: GUIElement) -> str:
    return element.role or element.tag or "element"


def kind(element: GUIElement) -> str:
    """The role as the tables of this module spell it: `List Item` and `list-item` are `listitem`."""
    return _spelling(role_of(element)[:40])


@lru_cache(1024)
def _spelling(role: str) -> str:
    return "".join(filter(str.isalnum, role)).casefold()


def is_private(element: GUIElement) -> bool:
    return element.private or _is_password(element.role) or _is_password(element.tag)


@lru_cache(256)
def _is_password(role: str | None) -> bool:
    return "password" in (role or "").casefold()


def acts(element: GUIElement) -> bool:
    """Whether it is there to be acted on: anything that is not known to be a text or a container, and every field."""
    return element.value is not None or bool(element.options) or kind(element) not in _READ


class Traits(NamedTuple):
    """What an element is, wherever it stands."""

    kind: str
    acts: bool
    private: bool
    words: str
    """Of its name."""
    silent: bool
    """Without a state, a value or choices of its own."""


@lru_cache(4096)
def traits(element: GUIElement) -> Traits:
    marked = element.focused or element.selected or element.required or element.invalid or element.private
    said = element.value is not None or element.options or element.placeholder or element.confidence < UNSURE
    opens = element.expanded is not None or element.level is not None or element.limits is not None
    silent = element.enabled and not (marked or said or opens)
    return Traits(kind(element), acts(element), is_private(element), words_of(element.name), silent)


def words_of(text: str) -> str:
    """Spacing and the colon of a label do not count."""
    return " ".join(text.split()).rstrip(" :")


class Tree(NamedTuple):
    """Elements as indices into the state's. A parent that is missing, or that is inside of its child, is none: -1."""

    parents: list[int]
    children: list[list[int]]
    roots: list[int]
    order: list[int]
    """Every element after its container, in reading order; the modal dialog and what it holds come first."""
    modal: int
    """The dialog that takes all input, or -1."""
    traits: list[Traits]


def tree_of(state: VisualState) -> Tree:
    """Linear in the number of elements."""
    first: dict[str, int] = {}
    for i, element in enumerate(state.elements):
        first.setdefault(element.element_id, i)
    modal = first.get(state.modal, -1) if state.modal is not None else -1
    parents = [first.get(element.parent, -1) if element.parent is not None else -1 for element in state.elements]
    if modal >= 0:
        parents[modal] = -1
    _break_circles(parents)
    children: list[list[int]] = [[] for _ in parents]
    roots: list[int] = [modal] if modal >= 0 else []
    for i, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(i)
        elif i != modal:
            roots.append(i)
    order: list[int] = []
    left = roots[::-1]
    while left:
        order.append(left.pop())
        left.extend(reversed(children[order[-1]]))
    return Tree(parents, children, roots, order, modal, [traits(e) for e in state.elements])


def below(tree: Tree, roots: set[int]) -> set[int]:
    """Everything that stands in one of `roots`, without them."""
    found: set[int] = set()
    for i in tree.order if roots else ():
        if tree.parents[i] in found or tree.parents[i] in roots:
            found.add(i)
    return found


def secrets(tree: Tree) -> set[int]:
    """Everything inside of a private field: what it says is the field's content."""
    return below(tree, {i for i, its in enumerate(tree.traits) if its.private})


def _break_circles(parents: list[int]) -> None:
    """Cut every circle at the one of its elements that is met first."""
    seen: list[int] = [-1] * len(parents)
    for start in range(len(parents)):
        i = start
        while i >= 0 and seen[i] < 0:
            seen[i] = start
            i = parents[i]
        if i >= 0 and seen[i] == start:
            parents[i] = -1


_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}")
_ROLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,23}")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_JOINERS = "\u200c\u200d"
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0000-\U000e0fff]")
"""Letters and marks of Unicode that show nothing, by which a text can be hidden in another."""


def quoted(text: str, limit: int) -> str:
    """`"text"`, and where it is longer than `limit` characters `"te"…(+2)`. One line, whatever the text holds."""
    if len(text) > limit:
        return f'"{escaped(text[:limit])}"…(+{len(text) - limit})'
    return f'"{escaped(text)}"'


def escaped(text: str) -> str:
    """Line ends, quotes, backslashes and all that is not seen (control, bidi and hidden characters) spelt out."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join(_shown(text, at) for at in range(len(text)))


def word(text: str) -> str:
    """An id or the name of an app: bare if it is a plain word, and in quotes, whole, if it is not."""
    return text if _WORD.fullmatch(text) else f'"{escaped(text)}"'


def role_word(role: str) -> str:
    """A role; one that is no plain word stands in quotes, so that it is no more than a word of its line."""
    return role if _ROLE.fullmatch(role) else f"role={quoted(role, 24)}"


def _shown(text: str, at: int) -> str:
    char = text[at]
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable() or (char.isspace() and char > "\x9f" and char not in "\u2028\u2029"):
        return _code(char) if _UNSEEN.match(char) else char
    if char in _JOINERS:  # alone between two letters or pictures that need it, as in Persian and in emoji
        around = text[at - 1 : at] + text[at + 1 : at + 2]
        return char if len(around) == 2 and all(one > "\u02ff" and one.isprintable() for one in around) else _code(char)
    return _code(char)


def _code(char: str) -> str:
    return f"\\u{{{ord(char):x}}}"


HIDDEN = "(hidden)"
UNSURE = 0.5
"""Below this confidence an element is marked as unsure."""


class Style(NamedTuple):
    """How much of an element is written; lengths are in characters, and what is cut says by how much."""

    name: int = 80
    """Of a thing to act on, or of a container."""
    text: int = 240
    """Of a text to be read."""
    value: int = 160
    options: int = 12
    """How many choices of a combobox, each as long as 40 characters."""
    points: Literal["acted on", "all", "none"] = "acted on"
    """Which visible elements say where they are; what is disabled is not acted on."""
    ids: Literal["all", "acted on", "none"] = "all"
    """Which elements say their id. With "acted on" no text does, but for the cells of a row in which nothing else can be acted
    on. With all of them the head says the size, the id of the state and how much there is, too."""


_OPTION = 40


class Place(NamedTuple):
    """What must be known around an element to say it."""

    away: str = ""
    """Which way it is out of view: below, above, left, right or hidden; empty if it is in view."""
    modal: bool = False
    bare: bool = False
    """Without its role, which the line makes plain: a cell in its row."""
    secret: bool = False
    """Inside of a private field, so that its text is the field's."""
    foreign: bool = False
    """Of another application than the one in front."""
    with_row: bool = False
    """Out of view the same way as the row that it stands in, which says so."""
    nameless: bool = False
    """Without its id."""


def piece(element: GUIElement, place: Place, style: Style) -> str:
    """The element on one line. Depends on nothing but what is given, so that equal pieces say that nothing has changed."""
    marks = (
        "modal" if place.modal else "",
        "" if element.enabled else "disabled",
        "focused" if element.focused else "",
        "selected" if element.selected else "",
        _check(element) if element.value else "",
        "required" if element.required else "",
        "invalid" if element.invalid else "",
        "private" if is_private(element) else "",
        "" if element.expanded is None else "expanded" if element.expanded else "collapsed",
        "" if element.level is None else f"level {element.level}",
        "unsure" if element.confidence < UNSURE else "",
        "" if place.with_row else place.away,
    )
    low, high, step = element.limits or (0, 0, 1)
    by = f" by {step:g}" if step != 1 else ""
    parts = (
        label(element, place, style),
        _value(element, place, style),
        " ".join([f"[{mark}]" for mark in marks if mark]),
        _hint(element, place) if element.placeholder else "",
        _choices(element, place, style) if element.options else "",
        f"from {low:g} to {high:g}{by}" if element.limits is not None else "",
        f"app {word(element.app)}" if place.foreign and element.app else "",
        _point(element, place, style),
    )
    return " ".join(filter(None, parts))


def label(element: GUIElement, place: Place, style: Style) -> str:
    """Only what the element is called."""
    role = "" if place.bare or (place.nameless and kind(element) in ROWS) else role_word(role_of(element))
    name = "" if place.nameless else word(element.element_id)
    return " ".join(filter(None, (name, role, _name(element, place, style))))


def _name(element: GUIElement, place: Place, style: Style) -> str:
    if element.text is None or (not element.text and not place.bare):
        return ""
    name, value = element.text, element.value or ""
    gives_away = bool(value) and (name.strip() == value.strip() or (len(value) > 2 and value in name))
    if place.secret or (is_private(element) and gives_away):  # the name of a private field may be made of its content
        return HIDDEN
    return quoted(name, style.name if acts(element) else style.text)


def _value(element: GUIElement, place: Place, style: Style) -> str:
    if element.value is None or _check(element):
        return ""
    if element.value and (place.secret or is_private(element)):
        return f"= {HIDDEN}"
    return f"= {quoted(element.value, style.value)}"


def _check(element: GUIElement) -> str:
    if kind(element) not in CHECKED or is_private(element):
        return ""
    return {"true": "checked", "false": "unchecked", "mixed": "mixed"}.get(element.value or "", "")


def _hint(element: GUIElement, place: Place) -> str:
    """The placeholder of a field that is empty, where it says more than the name."""
    hint = element.placeholder
    if not hint or element.value or hint == element.text or place.secret:
        return ""
    return f"hint {quoted(hint, _OPTION)}"


def _choices(element: GUIElement, place: Place, style: Style) -> str:
    if place.secret or is_private(element):
        return f"options {HIDDEN}"
    shown = ", ".join(quoted(option, _OPTION) for option in element.options[: style.options])
    more = len(element.options) - style.options
    return f"options {shown}" + (f" …(+{more})" if more > 0 else "")


def _point(element: GUIElement, place: Place, style: Style) -> str:
    wanted = style.points == "all" or (style.points == "acted on" and acts(element) and element.enabled)
    if element.bbox is None or not element.visible or not wanted:
        return ""
    return f"@{element.bbox.center.x},{element.bbox.center.y}"
