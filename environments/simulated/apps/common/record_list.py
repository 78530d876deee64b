"""A list of records that is searched, turned page by page, opened and changed in a form, once for every app that has one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import Field

from environments.simulated import app as sim
from environments.simulated.screen.widgets import Widget, listing, pager, table, text
from environments.simulated.world.values import Model, page_of

Chosen = tuple[str, ...]
"""Keys of what is chosen; the first one is where a range with Shift begins."""


def picked(order: Sequence[str], chosen: Chosen, key: str, modifiers: Sequence[str] = ()) -> Chosen:
    """What is chosen after a click: only that, with Control that too or no longer, with Shift all from the first one to it."""
    held = [name for name in chosen if name in order]
    if "Shift" in modifiers and held and key in order:
        ends = sorted((order.index(held[0]), order.index(key)))
        between = order[ends[0] : ends[1] + 1]
        return (held[0], *(name for name in between if name != held[0]))
    if {"Control", "Meta", "ControlOrMeta"} & set(modifiers):
        return tuple(name for name in held if name != key) if key in held else (key, *held)
    return (key,)


def stepped(order: Sequence[str], chosen: Chosen, way: int) -> Chosen:
    """The next or the previous one of the order; the first or the last where nothing is chosen."""
    if not order:
        return ()
    here = order.index(chosen[0]) + way if chosen and chosen[0] in order else (0 if way > 0 else len(order) - 1)
    return (order[min(max(0, here), len(order) - 1)],)


def with_error(errors: Mapping[str, str], name: str, said: str = "") -> dict[str, str]:
    """The errors of a form with this one of a field in place of the one it had."""
    rest = {key: error for key, error in errors.items() if key != name}
    return {**rest, name: said} if said else rest


def question(key: str, title: str, text: str, go: str, stay: str = "Cancel") -> sim.Dialog:
    """What is asked before something is done that cannot be taken back."""
    return sim.Dialog(key=key, title=title, text=text, buttons=(go, stay), escape=stay)


def prompt(key: str, title: str, go: str, *fields: sim.DialogField) -> sim.Dialog:
    """What is asked for in fields before something is done; Enter does it."""
    return sim.Dialog(key=key, title=title, fields=fields, buttons=(go, "Cancel"), default=go, escape="Cancel")


def save_question(text: str) -> sim.Dialog:
    """What an editor asks before it closes what was changed and not saved."""
    buttons = ("Save changes", "Discard changes", "Keep editing")
    return sim.Dialog(key="unsaved", title="Save changes?", text=text, buttons=buttons, escape="Keep editing")


PAGE_SIZE = 12


class ListState(sim.AppState):
    """What is looked at in a list: `query` is what was typed, `applied` what was searched for."""

    looked: ClassVar = frozenset({"query", "applied", "page"})
    query: str = ""
    applied: str = ""
    page: int = 1


L = TypeVar("L", bound=sim.AppState)
M = TypeVar("M", bound=Model)
T = TypeVar("T")


def list_view(
    key: str, columns: Sequence[str], records: Sequence[T], row: Callable[[T], Widget], none: str, page: int,
    size: int = PAGE_SIZE,
) -> tuple[Widget, Widget]:  # fmt: skip
    """The records of a page as a table, or as a plain list where there are no columns, and what turns the pages."""
    part, number, pages = page_of(records, page, size)
    rows = [row(record) for record in part]
    shown = table(key, columns, rows) if columns else listing(key, rows)
    return (shown if rows else text(none, "none")), pager(number, pages)


def list_update(
    state: L, event: sim.Event, records: Callable[[], Sequence[object]], size: int = PAGE_SIZE, at: str = "page"
) -> L | None:
    """The list after an event of its search or its pager; None for any other event. `at` is the field with the page."""
    match event:
        case sim.Edited(key="query", value=value):
            return state.replace(query=value)
        case sim.Pressed(key="search"):
            return state.model_copy(update={"applied": vars(state)["query"].strip(), at: 1})
        case sim.Pressed(key="clear"):
            return state.model_copy(update={"applied": "", "query": "", at: 1})
        case sim.Pressed(key="next" | "previous" as key):
            # From the page that is shown: there may be fewer by now.
            _, shown, _ = page_of(records(), vars(state)[at], size)
            return state.model_copy(update={at: shown + (1 if key == "next" else -1)})
    return None


def with_ids(records: Iterable[M]) -> dict[str, M]:
    """Records by id; those without one get numbers that are free."""
    given = [(str(vars(record)["id"]), record) for record in records]
    taken = {name for name, _ in given}
    free = (str(number) for number in count(1) if str(number) not in taken)
    named = ((name or next(free), record) for name, record in given)
    return {name: record.replace(id=name) for name, record in named}


def refuse_twice(what: str, names: Sequence[str]) -> None:
    """Raises ValueError for a name that is given twice; an empty one is none."""
    if twice := next((name for name in names if name and names.count(name) > 1), None):
        raise ValueError(f"{what} {twice!r} is given twice")


class FormState(sim.AppState, Generic[M]):
    """The form of a record as it stands and as it was opened, and what is wrong with it by field."""

    looked: ClassVar = frozenset({"draft", "untouched", "errors"})
    draft: M | None = None
    untouched: M | None = None
    errors: dict[str, str] = Field(default_factory=dict)


F = TypeVar("F", bound=FormState[Any])


def form_opened(state: F, draft: Model | None) -> F:
    """The state with this form on the page, or with none."""
    return state.replace(draft=draft, untouched=draft, errors={})


def form_update(
    state: F, draft: M, event: sim.Event, noun: str, fields: Iterable[str], left: Callable[[M, str], tuple[M, str]]
) -> sim.Update[F] | None:
    """What an event of the form's fields or its Cancel makes of the state; None for any other event.

    `left` gives the draft and the error of a field that is left.
    """
    match event:
        case sim.Edited(key=key, value=value) if (name := key.removeprefix("form.")) in fields:
            changed = draft.model_copy(update={name: value})
            return sim.Update(state.replace(draft=changed, errors=with_error(state.errors, name)))
        case sim.Left(key=key) if (name := key.removeprefix("form.")) in fields:
            tidy, error = left(draft, name)
            return sim.Update(state.replace(draft=tidy, errors=with_error(state.errors, name, error)))
        case sim.Pressed(key="cancel") if draft != state.untouched:
            text = f"This {noun} has changes that are not saved."
            return sim.Update(state, (question("unsaved", "Discard changes?", text, "Discard changes", "Keep editing"),))
        case sim.Pressed(key="cancel") | sim.Answered(key="unsaved", button="Discard changes"):
            return sim.Update(form_opened(state, None))
    return None
