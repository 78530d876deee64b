"""Points among the axes, drawn from a seed: the same task under many looks, for its mean and its worst result."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, get_args

from environments.simulated.variation.axes import Variation

SCREENS = (None, (1024, 768), (1920, 1080), (800, 600))
CONTENT = (1, 1, 2, 5, 20)


def variations(n: int, seed: int, fixed: Mapping[str, Any] | None = None) -> list[Variation]:
    """So many points, each different from the others and from the world as it usually is; `fixed` keeps some axes as given."""
    rng = random.Random(f"{seed}:variations")  # noqa: S311 - variation, not secrecy
    axes: dict[str, tuple[Any, ...]] = {
        name: get_args(field.annotation)
        for name, field in Variation.model_fields.items()
        if name not in ("content", "screen", "seed")
    }
    axes |= {"screen": SCREENS, "content": CONTENT}
    made: dict[Variation, None] = {}
    while len(made) < n:
        drawn = {name: rng.choice(values) for name, values in axes.items()}
        made[Variation.model_validate({**drawn, "seed": rng.randrange(2**31), **(fixed or {})})] = None
    return list(made)
