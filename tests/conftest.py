"""Two profiles for all property tests, and no way out of this machine for any test."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from chrome import chrome as chrome
from chrome import chromium as chromium
from hypothesis import settings
from postgres import postgres as postgres

from environments.files.scratch import Scratch

# No deadline, because a busy machine is no defect; the seed of a failure is printed.
settings.register_profile("deskcrew", max_examples=20, deadline=None, print_blob=True)
# pytest --hypothesis-profile thorough
settings.register_profile("thorough", settings.get_profile("deskcrew"), max_examples=500)
settings.load_profile("deskcrew")

_GUARD = Path(__file__).parent / "_support" / "guarded"
_spec = importlib.util.spec_from_file_location("guarded_network", _GUARD / "sitecustomize.py")
assert _spec
assert _spec.loader
_spec.loader.exec_module(importlib.util.module_from_spec(_spec))
# The same module is the `sitecustomize` of every Python that a test starts.
_STATE = Scratch("deskcrew-state-")
os.environ["XDG_STATE_HOME"] = str(_STATE.path)  # nobody's own
os.environ["PYTHONPATH"] = os.pathsep.join([str(_GUARD), *filter(None, [os.environ.get("PYTHONPATH")])])


def pytest_unconfigure() -> None:
    """A worker of pytest-xdist ends without what Python does at the end."""
    _STATE.close()
