"""What the functions of all apps share: pages of results, names that are nearly right, and driving an app by its own events."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from types import new_class
from typing import Annotated, Any, Generic, NoReturn, TypeAlias, TypeVar

from pydantic import Field, JsonValue
from rapidfuzz import fuzz, process

from environments.simulated import app as sim
from environments.simulated.world.values import Model

S = TypeVar("S", bound=sim.AppState)
T = TypeVar("T")
Drive: TypeAlias = Callable[[S, sim.Event], sim.Update[S]]
"""An app's `update`: functions that write go through it, so that they do what the window does."""


Offset = Annotated[int, Field(ge=0)]
Limit = Annotated[int, Field(ge=1, le=200)]
Words = Annotated[str, Field(min_length=1)]
F = TypeVar("F", bound=Callable[..., Any])


class NoArguments(Model):
    """No arguments."""


class Page(Model):
    """Which part of a long result is wanted."""

    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=50, ge=1, le=200)


def driven(update: Drive[S], state: S, events: Iterable[sim.Event]) -> sim.Update[S]:
    """The state after these events, and all effects of them."""
    effects: list[sim.Effect] = []
    for event in events:
        state, more = update(state, event)
        effects.extend(more)
    return sim.Update(state, tuple(effects))


def part_of(items: Sequence[T], offset: int, limit: int, shown: Callable[[T], JsonValue]) -> dict[str, JsonValue]:
    """The wanted part of the items, and how many there are."""
    return {"count": len(items), "offset": offset, "items": [shown(item) for item in items[offset : offset + limit]]}


def told(noun: str, items: Sequence[T], shown: Callable[[T], JsonValue], limit: int, offset: int = 0) -> dict[str, JsonValue]:
    """The wanted part of the items under their name, and how many there are."""
    return {noun: [shown(item) for item in items[offset : offset + limit]], "total": len(items)}


def by_id(records: Mapping[str, T], noun: str, name: str, giving: str) -> T:
    """The record of this id. Raises FunctionDeclined, which says what gives the ids."""
    if name not in records:
        raise sim.FunctionDeclined(f"there is no {noun} with the id {name!r}; {giving} the ids")
    return records[name]


def unknown(noun: str, wanted: str, known: Iterable[str]) -> NoReturn:
    """Raise FunctionDeclined for a name that does not exist, with the nearest one that does."""
    names = list(known)
    hit = process.extractOne(wanted, names, scorer=fuzz.WRatio, score_cutoff=60)
    hint = f"did you mean {hit[0]}?" if hit else f"there are: {', '.join(names[:8]) or 'none'}"
    raise sim.FunctionDeclined(f"there is no {noun} {wanted!r}; {hint}")


def chosen(label: str, wanted: str, options: Sequence[str]) -> str:
    """The option that is meant, as a combobox takes it: case and spacing do not matter. Raises FunctionDeclined."""
    folded = " ".join(wanted.split()).casefold()
    for option in options:
        if " ".join(option.split()).casefold() == folded:
            return option
    raise sim.FunctionDeclined(f'"{label}" has no option {wanted!r}; options are: {", ".join(options)}')


def one_line(text: str) -> str:
    """What a field of one line makes of a text."""
    return " ".join(text.split("\n"))


class FunctionTable(list[sim.AnyFunction], Generic[S]):
    """The functions of an app, in the order in which they are written.

    A function is one of Python: its docstring is the summary, its parameters after the state are what it takes. `title` and
    `about` are what the schema of these is called and says; where the one parameter is a Model, that is the schema.
    """

    def reads(self, title: str = "", about: str | None = None) -> Callable[[F], F]:
        """Changes nothing; what it returns is its result."""
        return self._declared(title, about, False, False)

    def writes(self, title: str = "", about: str | None = None, *, repeatable: bool = False) -> Callable[[F], F]:
        """Returns a FunctionResult."""
        return self._declared(title, about, True, repeatable)

    def _declared(self, title: str, about: str | None, writes: bool, repeatable: bool) -> Callable[[F], F]:
        def declare(function: F) -> F:
            _, *parameters = signature(function, eval_str=True).parameters.values()
            whole = not title and bool(parameters)
            model = parameters[0].annotation if whole else _model(title, about, parameters) if title else NoArguments

            def call(state: S, given: Model) -> sim.FunctionResult[S]:
                done = function(state, given) if whole else function(state, **vars(given))
                return done if isinstance(done, sim.FunctionResult) else sim.FunctionResult(state, done)

            self.append(sim.Function(function.__name__, function.__doc__ or "", model, call, writes, repeatable))
            return function

        return declare


def _model(title: str, about: str | None, parameters: Sequence[Parameter]) -> type[Model]:
    defaults = {one.name: one.default for one in parameters if one.default is not Parameter.empty}
    annotations = {one.name: one.annotation for one in parameters}
    body = {"__module__": __name__, "__doc__": about, "__annotations__": annotations, **defaults}
    model: type[Model] = new_class(title, (Model,), exec_body=lambda namespace: namespace.update(body))
    return model
