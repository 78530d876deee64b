"""What is lost when an action is said in a dialect: all that reading it there does not give back."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from protocol import Action, ActionTarget, Coordinate, Extension, Size
from protocol.dialects.common.conversion import Writing
from protocol.dialects.common.dialect import Context, Dialect, DialectError, Loss, ParsedPayload, Piece, WrittenPayload

_CALLED = {
    "point": "place", "bbox": "box", "element_id": "element", "track_id": "track", "selector": "selector", "text": "text",
    "role": "role", "description": "description", "state_id": "state",
}  # fmt: skip


def measured(dialect: Dialect, action: Action, payload: Any, context: Context, losses: Sequence[Loss] = ()) -> WrittenPayload:
    """What was written, and what is lost by it; `losses` are those that reading does not show.

    Raises DialectError for what would not be read, and for a verb of theirs that would be read as another.
    """
    try:
        read, lost = dialect.read(payload, context)
    except DialectError as bad:
        raise DialectError(dialect.name, action.verb, f"it could not be read again: {bad.reason}") from None
    if isinstance(action, Extension) and [(one.verb, one.parameters) for one in read] != [
        (action.verb, _without_delay(action).parameters)
    ]:
        raise DialectError(dialect.name, action.verb, f"{dialect.name} has no such verb, or not with these arguments")
    every = [*losses, *differences(action, read, context.size), *lost]
    found: dict[str, Loss] = {}
    for loss in every:
        found.setdefault(loss.what, loss)
    return WrittenPayload(payload, list(found.values()))


def dialect_of(
    reading: Callable[..., Any], writing: Callable[..., Writing], name: str, title: str, kind: Literal["json", "text"],
    variants: tuple[str, ...] = ("",), *, script: bool = False,
) -> Dialect:  # fmt: skip
    """A dialect of calls: a `Reading` and a `Writing` of its name, for a context and a variant, read and say them.

    That of a `script` is a ScriptReading.
    """

    def read(payload: Any, context: Context) -> ParsedPayload:
        parsed: ParsedPayload = reading(name, context, variant=dialect.variant(context)).parsed(payload)
        return parsed

    def pieces(text: str, context: Context) -> Iterable[Piece]:
        found: Iterable[Piece] = reading(name, context, variant=dialect.variant(context)).pieces(text)
        return found

    def write(action: Action, context: Context) -> WrittenPayload:
        said = writing(name, context, variant=dialect.variant(context))
        return measured(dialect, action, said.payload(action), context, said.losses)

    dialect = Dialect(name, title, kind, read, write, variants, pieces if script else None)
    return dialect


def _without_delay(action: Action) -> Action:
    return action if action.delay is None else action.model_copy(update={"delay": None})


def differences(action: Action, read: Sequence[Action], size: Size) -> list[Loss]:
    """What the actions that are read are not as the one that was to be said, on a screen of that size."""
    if [*read] == [action]:
        return []
    found = [] if action.delay is None else [Loss(what="delay", why="there is no delay before an action")]
    if [*read] == [_without_delay(action)]:
        return found
    target = next((one.target for one in read if one.target is not None), None)
    if action.target is not None and action.target != target:
        found += _of_target("target", action.target, target, size)
    if [one.verb for one in read] != [action.verb]:
        return [*found, Loss(what=action.verb, why=f"said as {', '.join(one.verb for one in read)}")]
    if action.target is None and target is not None:
        found.append(Loss(what=f"{action.verb}.target", why="said with a place of its own"))
    for name, field in type(action).model_fields.items():
        ours, theirs = getattr(action, name), getattr(read[0], name)
        if (
            ours == theirs
            or name in ("target", "delay")
            or (name == "delta" and getattr(action, "unit", "") != getattr(read[0], "unit", ""))
        ):
            continue  # a number of other units is another one
        if isinstance(ours, ActionTarget):
            found += _of_target(name, ours, theirs, size)
        else:
            usual = theirs == field.get_default(call_default_factory=True)
            told = isinstance(theirs, int | float) or name == "unit"
            why = "it is not said" if usual and not told else f"said as {theirs}" if told else "said otherwise"
            found.append(Loss(what=f"{action.verb}.{name}", why=why))
    return found


def _of_target(what: str, ours: ActionTarget, theirs: ActionTarget | None, size: Size) -> list[Loss]:
    """What a target says that the one which is read does not."""
    if theirs is None:
        return [Loss(what=what, why="the target is not said")]
    found: list[Loss] = []
    if ours.point is not None and theirs.point is not None and ours.point != theirs.point:
        found.append(Loss(what=f"{what}.point", why=_moved(ours.point, theirs.point, size)))
    differ = [name for name in _CALLED if getattr(ours, name) != getattr(theirs, name)]
    lost = [name for name in differ if getattr(ours, name) is not None and not (name == "point" and theirs.point is not None)]
    more = [name for name in differ if getattr(ours, name) is None and name != "point"]
    if lost:
        said = [called for name, called in _CALLED.items() if getattr(theirs, name) is not None]
        other = getattr(theirs, lost[0]) is not None
        why = "said otherwise" if other else f"only the {' and the '.join(said)} of it is said"
        found.append(Loss(what=f"{what}.{lost[0]}", why=why))
    elif more and not found:
        found.append(Loss(what=f"{what}.{more[0]}", why="said as well"))
    return found


def _moved(ours: Coordinate, theirs: Coordinate, size: Size) -> str:
    a, b = ours.to_px(size), theirs.to_px(size)
    off = max(abs(a.x - b.x), abs(a.y - b.y))
    space = f"said in {theirs.space}" if ours.space == theirs.space else f"said in {theirs.space} instead of {ours.space}"
    return f"{space}, off by {off} px" if off else space
