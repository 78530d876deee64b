"""Other packages under the names of ours: the first on the path wins, and what deskcrew imports is then theirs."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

LANDMARKS = {
    "deskcrew": "shadowing.py",
    "orchestrator": "crew.py",
    "roles": "contracts",
    "environments": "contract.py",
    "protocol": "dsl",
}
"""Each of our packages, and what it holds that another of its name would not."""


def shadowed() -> list[str]:
    """A sentence for each of our names that another package has taken: whose file it is, and what to do."""
    sentences = []
    for name in LANDMARKS:
        spec = find_spec(name)
        if not _is_ours(name, spec):
            whose = "was not found" if spec is None else f"is {_place(spec)} here"
            sentences.append(
                f"the package {name!r} {whose}, not that of deskcrew; start elsewhere, take that folder off PYTHONPATH, "
                "or install deskcrew in an environment of its own"
            )
    return sentences


def _is_ours(name: str, spec: ModuleSpec | None) -> bool:
    places = [] if spec is None else [*(spec.submodule_search_locations or [])]
    return any((Path(place) / LANDMARKS[name]).exists() for place in places)


def _place(spec: ModuleSpec) -> str:
    return spec.origin or ", ".join(spec.submodule_search_locations or [])
