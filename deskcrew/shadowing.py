"""Other packages under the names of ours: the first on the path wins, and what deskcrew imports is then theirs."""

from __future__ import annotations

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
        places = [] if spec is None else spec.submodule_search_locations or []
        if not any((Path(place) / LANDMARKS[name]).exists() for place in places):
            whose = "was not found" if spec is None else f"is {spec.origin or ', '.join(places)} here"
            sentences.append(
                f"the package {name!r} {whose}, not that of deskcrew; start elsewhere, take that folder off PYTHONPATH, "
                "or install deskcrew in an environment of its own"
            )
    return sentences
