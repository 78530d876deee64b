"""Which of several labels is meant: exact before synonym before overlap before spelling. Ambiguity stays visible."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from rapidfuzz import fuzz

from environments.cards import KindCard
from roles.contracts import AppWords
from roles.contracts.orders import Of, Order, Text, Value
from roles.screen.language.words import phrases, table
from roles.screen.texts import fold, uncut, words

T = TypeVar("T")
_BRACKETS = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_NOISE, _RECORD_WORDS = frozenset(table("names")["noise"]), frozenset(table("names")["records"])
_TICKED = {"tick": "true", "drop": "false"}
GOOD = 0.6
"""A score below it is no match."""
_ENOUGH = 5
"""Letters of a label that was cut short by which it is still known."""


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """Folded words without punctuation, brackets and plural s."""
    bare = _BRACKETS.sub(" ", text)
    said = ["e" + word[2:] if word.startswith("e-mail") else word for word in words((bare if bare.strip() else text).casefold())]
    many = [len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in said]
    return tuple(word[:-1] if plural else word for word, plural in zip(said, many, strict=True))


def is_called_by(said: str, control: str) -> bool:
    """Whether words of a goal are the whole of a control's name, but for articles: "save the changes"."""
    return tuple(word for word in tokens(said) if word not in phrases("articles")) == tokens(control)


def bare(name: str) -> str:
    """A control's name without the dots behind it."""
    return fold(name).rstrip(".… ")


def is_control(name: str, label: str, owner: Sequence[str] = ()) -> bool:
    """Whether a control of this name is the one that a card calls `label`, where `{title}` is the record's own name."""
    if "{" not in label:
        return bare(name) == bare(label)
    head, _, rest = fold(label).partition("{")
    tail = rest.partition("}")[2]
    title = fold(name).removeprefix(head).removesuffix(tail).strip()
    fits = fold(name).startswith(head) and fold(name).endswith(tail) and title
    return bool(fits) and (not owner or any(title in fold(one) or fold(one) in title for one in owner if one))


def _strip(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(w for w in words if w not in _NOISE) or words


@lru_cache(maxsize=4096)
def _core(text: str) -> tuple[str, ...]:
    kept = _strip(tokens(text))
    return tuple(w for w in kept if w not in _RECORD_WORDS) or kept


_GROUPS: dict[str, tuple[int, int]] = {}
for number, names in enumerate(table("names")["fields"]):
    for place, name in enumerate(names):
        _GROUPS.setdefault(" ".join(tokens(name)), (number, place))


@lru_cache(maxsize=4096)
def _group(text: str) -> tuple[int, int] | None:
    """Number and place of the group of names that `text` belongs to."""
    ways = (tokens(text), _strip(tokens(text)), _core(text))
    return next((found for words in ways if (found := _GROUPS.get(" ".join(words))) is not None), None)


@lru_cache(maxsize=16384)
def similarity(wanted: str, label: str) -> float:
    """How well `label` fits the words `wanted`, from 0 to 1."""
    a, b = tokens(wanted), tokens(label)
    if not a or not b:
        return 1.0 if wanted.strip() and wanted.strip() == label.strip() else 0.0
    if a == b:
        return 1.0
    if _strip(a) == _strip(b):
        return 0.98
    if _core(wanted) == _core(label):
        return 0.95 if set(a) & set(b) else 0.7
    shown = uncut(label)  # `Living room therm…`, for which there was no room
    if shown != label.rstrip() and len(shown) >= _ENOUGH and fold(wanted).startswith(fold(shown)):
        return 0.94
    first, second = _group(wanted), _group(label)
    if first and second:
        return 0.92 - 0.004 * abs(first[1] - second[1]) if first[0] == second[0] else min(0.3, _overlap(a, b))
    return max(
        _overlap(_core(wanted), _core(label)), _spelling(" ".join(a), " ".join(b)), _in_passing(first, b), _in_passing(second, a)
    )


def _in_passing(group: tuple[int, int] | None, words: tuple[str, ...]) -> float:
    """`Sum claimed` for an amount: one word of the same group, and none of another."""
    groups = {found[0] for word in _strip(words) if (found := _group(word)) is not None}
    if group is None or group[0] not in groups:
        return 0.0
    return 0.75 if len(groups) == 1 else 0.4


def _overlap(a: tuple[str, ...], b: tuple[str, ...]) -> float:
    common = len(set(a) & set(b))
    if not common:
        return 0.0
    covered = common / len(set(a))
    return 0.55 * covered + 0.3 * common / len(set(a) | set(b))


def _spelling(a: str, b: str) -> float:
    if min(len(a), len(b)) < 4 or a in b or b in a:
        return 0.0
    ratio = fuzz.ratio(a, b) / 100
    return 0.85 * ratio if ratio >= 0.8 else 0.0


def only(items: Iterable[T], score: Callable[[T], float], least: float = GOOD) -> T | None:
    """The item that fits best; None where none fits well enough, or others fit as well."""
    ranked = sorted(((score(item), -n, item) for n, item in enumerate(items)), key=lambda one: one[:2], reverse=True)[:2]
    tied = len(ranked) > 1 and ranked[0][0] - ranked[1][0] < 0.01
    return ranked[0][2] if ranked and ranked[0][0] >= least and not tied else None


def app_for(words: str, apps: Sequence[AppWords]) -> AppWords | None:
    """The application that `words` name: by id or title, then by its other words; None when none or several fit."""

    def score(app: AppWords) -> float:
        own = max(similarity_of_name(words, app.app), similarity_of_name(words, app.title))
        return max(own, 0.97 * max((similarity_of_name(words, word) for word in app.words), default=0.0))

    return only(apps, score)


def similarity_of_name(words: str, name: str) -> float:
    """As similarity, without synonyms: an application is called by its name, and a form by what is claimed in it."""
    a, b = set(_strip(tokens(words))), set(_strip(tokens(name.replace("_", " "))))
    if not a or not b:
        return 0.0
    if a == b:
        return 1.0
    if a <= b or b <= a:
        return 0.75 + 0.2 * len(a & b) / len(a | b)
    return max(0.7 if a & b and len(a & b) / len(a | b) >= 0.34 else 0.0, _spelling(" ".join(sorted(a)), " ".join(sorted(b))))


class Box(NamedTuple):
    """A box of a record, and what it is to hold: `true` or `false`."""

    label: str
    value: str
    stands_in_row: bool


def _state(value: Value) -> str:
    """In which state something is to be, where that may be called as a field is."""
    if isinstance(value, Of):
        return value.fields[0] if len(value.fields) == 1 else value.thing.kind
    return value.text if isinstance(value, Text) else ""


def box_for(order: Order, kind: KindCard) -> Box | None:
    """What ticking says of a record, or marking it as something: the box that is called so; the only one says that it is done."""
    states = [_state(slot.value) for slot in order.slots if slot.role == "as"]
    if order.verb not in _TICKED and not (order.verb == "mark" and len(states) == 1):
        return None
    said = states[0].casefold() if states else "done"
    state = said.removeprefix("not ")
    value = _TICKED.get(order.verb, "true" if state == said else "false")
    controls = [verb.control for verb in kind.verbs if verb.verb == "tick" and "{title}" in verb.control]
    rows = {control.replace("{title}", "").strip(): control for control in controls}
    fields = {field.label: field.label for field in kind.fields if field.type == "truth" and field.written}
    boxes = fields | rows
    named = [name for name in boxes if tokens(name) == tokens(state)]
    named = named or (list(boxes) if state in phrases("done") and len(boxes) == 1 else [])
    return Box(boxes[named[0]], value, named[0] in rows) if len(named) == 1 else None
