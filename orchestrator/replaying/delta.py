"""What became different between two JSON values: a policy's notes can be long, and little of them changes at a step."""

from __future__ import annotations

from typing import Any


def delta(old: Any, new: Any) -> dict[str, Any] | None:
    """How `new` comes from `old`; None where it is the same, order of keys included."""
    if isinstance(old, dict) and isinstance(new, dict):
        return _of_dicts(old, new)
    if type(old) is type(new) and old == new and not isinstance(new, list):
        return None
    if isinstance(old, list) and isinstance(new, list) and _begins_with(new, old):
        return {"more": new[len(old) :]} if len(new) > len(old) else None
    return {"now": new}


def _begins_with(new: list[Any], old: list[Any]) -> bool:
    return len(old) <= len(new) and all(delta(was, now) is None for was, now in zip(old, new, strict=False))


def _of_dicts(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any] | None:
    gone = [key for key in old if key not in new]
    kept = [key for key in old if key in new]
    if list(new)[: len(kept)] != kept:
        return {"now": new}
    within = {key: change for key in kept if (change := delta(old[key], new[key])) is not None}
    within |= {key: {"now": new[key]} for key in new if key not in old}
    found: dict[str, Any] = {**({"in": within} if within else {}), **({"gone": gone} if gone else {})}
    return found or None


def applied(old: Any, change: dict[str, Any] | None) -> Any:
    """What `old` became."""
    if change is None:
        return old
    if "now" in change:
        return change["now"]
    if "more" in change:
        return [*old, *change["more"]]
    left = {key: value for key, value in old.items() if key not in change.get("gone", ())}
    return left | {key: applied(left.get(key), part) for key, part in change.get("in", {}).items()}
