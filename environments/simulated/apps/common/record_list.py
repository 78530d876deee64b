"""A list of records that is searched, turned page by page, opened and changed in a form, once for every app that has one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, Generic, TypeVar

from pydantic import Field

from environments.simulated.app import Answered, AppState, Edited, Event, Left, Pressed, Update
from environments.simulated.apps.common.forms import question, with_error
from environments.simulated.screen.widgets import Widget, listing, pager, table, text
from environments.simulated.world.values import Model, page_of

PAGE_SIZE = 12


class ListState(AppState):
    """What is looked at in a list: `query` is what was typed, `applied` what was searched for."""

    query: str = ""
    applied: str = ""
    page: int = 1


L = TypeVar("L", bound=AppState)
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
    state: L, event: Event, records: Callable[[], Sequence[object]], size: int = PAGE_SIZE, at: str = "page"
) -> L | None:
    """The list after an event of its search or its pager; None for any other event. `at` is the field with the page."""
    match event:
        case Edited(key="query", value=value):
            return state.model_copy(update={"query": value})
        case Pressed(key="search"):
            return state.model_copy(update={"applied": vars(state)["query"].strip(), at: 1})
        case Pressed(key="clear"):
            return state.model_copy(update={"applied": "", "query": "", at: 1})
        case Pressed(key="next" | "previous" as key):
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
    return {name: record.model_copy(update={"id": name}) for name, record in named}


def refuse_twice(what: str, names: Sequence[str]) -> None:
    """Raises ValueError for a name that is given twice; an empty one is none."""
    if twice := next((name for name in names if name and names.count(name) > 1), None):
        raise ValueError(f"{what} {twice!r} is given twice")


class FormState(AppState, Generic[M]):
    """The form of a record as it stands and as it was opened, and what is wrong with it by field."""

    draft: M | None = None
    untouched: M | None = None
    errors: dict[str, str] = Field(default_factory=dict)


F = TypeVar("F", bound=FormState[Any])


def form_opened(state: F, draft: Model | None) -> F:
    """The state with this form on the page, or with none."""
    return state.model_copy(update={"draft": draft, "untouched": draft, "errors": {}})


def form_update(
    state: F, draft: M, event: Event, noun: str, fields: Iterable[str], left: Callable[[M, str], tuple[M, str]]
) -> Update[F] | None:
    """What an event of the form's fields or its Cancel makes of the state; None for any other event.

    `left` gives the draft and the error of a field that is left.
    """
    match event:
        case Edited(key=key, value=value) if (name := key.removeprefix("form.")) in fields:
            changed = draft.model_copy(update={name: value})
            return Update(state.model_copy(update={"draft": changed, "errors": with_error(state.errors, name)}))
        case Left(key=key) if (name := key.removeprefix("form.")) in fields:
            tidy, error = left(draft, name)
            return Update(state.model_copy(update={"draft": tidy, "errors": with_error(state.errors, name, error)}))
        case Pressed(key="cancel") if draft != state.untouched:
            text = f"This {noun} has changes that are not saved."
            return Update(state, (question("unsaved", "Discard changes?", text, "Discard changes", "Keep editing"),))
        case Pressed(key="cancel") | Answered(key="unsaved", button="Discard changes"):
            return Update(form_opened(state, None))
    return None
