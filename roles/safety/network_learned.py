"""What pages may send for the rest of a run, as the events of the run tell it. Showing a run needs this and no graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from environments.effects import NetworkRule

LEARNED = "network_learned"
"""The kind of the events that say what pages may send for the rest of a run."""
RULE = tuple(NetworkRule.model_fields)


def learned_rules(bodies: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The rules of such events, each once, as a policy would have them."""
    rules = [{name: str(body[name]) for name in RULE if name in body} for body in bodies]
    return [rule for at, rule in enumerate(rules) if rule not in rules[:at]]
