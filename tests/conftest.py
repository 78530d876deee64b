"""One profile for all property tests: no deadline, because a busy machine is no defect, and the seed is printed."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("deskcrew", deadline=None, print_blob=True)
settings.load_profile("deskcrew")
