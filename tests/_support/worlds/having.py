"""Apps that there are for a while: other tests of the process count the apps there are."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from environments.simulated.app import App
from environments.simulated.apps import APPS, register


@contextmanager
def having(app: App[Any, Any]) -> Iterator[None]:
    register(app)
    try:
        yield
    finally:
        del APPS[app.name]
