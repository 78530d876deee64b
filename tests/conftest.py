"""One profile for all property tests, and no way out of this machine for any test."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path

from hypothesis import settings
from postgres import postgres as postgres

# No deadline, because a busy machine is no defect; the seed of a failure is printed.
settings.register_profile("deskcrew", deadline=None, print_blob=True)
settings.load_profile("deskcrew")

_GUARD = Path(__file__).parent / "_support" / "guarded"
_spec = importlib.util.spec_from_file_location("guarded_network", _GUARD / "sitecustomize.py")
assert _spec
assert _spec.loader
_spec.loader.exec_module(importlib.util.module_from_spec(_spec))
# The same module is the `sitecustomize` of every Python that a test starts.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="deskcrew-state-")  # nobody's own
os.environ["PYTHONPATH"] = os.pathsep.join([str(_GUARD), *filter(None, [os.environ.get("PYTHONPATH")])])
