"""One process that is warm for all that the documents say."""

from __future__ import annotations

import pytest
from warm import Warm, shared


@pytest.fixture(scope="session")
def warm() -> Warm:
    return shared()
