"""Which action each sentence of the grammar is."""

from __future__ import annotations

from typing import Any, get_args

from protocol.actions import KnownAction
from protocol.verbs import Action, Click, Extension, Tabs

VERBS: dict[str, type[Action]] = {kind.model_fields["action_type"].default: kind for kind in get_args(get_args(KnownAction)[0])}
"""Every verb but those of others."""

SENTENCES: dict[str, tuple[type[Action], dict[str, Any]]] = {
    **{verb: (kind, {}) for verb, kind in VERBS.items() if kind is not Tabs},
    **{f"tab_{op}": (Tabs, {"op": op}) for op in ("new", "close", "select", "list")},
    "long_press": (Click, {}),
    "extension": (Extension, {}),
}
"""Rule of the grammar: the class, and the fields that the words themselves say."""
