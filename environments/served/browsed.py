"""A simulated world in a real browser: served to it, and seen there alone."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from environments.browser import BrowserEnvironment
from environments.served.server import served
from environments.served.session import Session
from environments.simulated.desktop import SimulatedDesktop
from protocol import VisualState


class BrowsedWorld(BrowserEnvironment):
    """The world that `make` gives, served while this is open. Roles get the page alone; the harness asks the world.

    With a `store` folder it is served at the same port in any later process, so that what was approved there still holds.

    Raises EnvironmentFault where Playwright or Chromium is missing.
    """

    def __init__(self, make: Callable[[], SimulatedDesktop], store: Path | None = None, **browser: Any) -> None:
        kept = store / "served.port" if store else None
        said = kept.read_text(encoding="utf-8", errors="replace") if kept and kept.exists() else ""
        port = int(said) if said.isdecimal() and int(said) < 65_536 else 0
        with ExitStack() as undo:
            self._desktop = make()
            undo.callback(self._desktop.close)
            self._session = Session(self._desktop)
            address = undo.enter_context(served(self._session, port=port))
            record = store / "browser" if store else None
            super().__init__(address.url, allowed_hosts=(address.host,), record=record, **browser)
            if kept:
                kept.write_text(str(address.port), encoding="ascii")
            self.name = f"served:{self._desktop.name}"
            self._serving = undo.pop_all()

    def reset(self, *, seed: int | None = None) -> VisualState:
        """The world as it begins, before any page of it is open."""
        self._live()
        self._drop()
        self._session.reset(seed)
        return super().reset(seed=seed)

    def world(self) -> dict[str, Any]:
        return self._desktop.world()

    def received(self) -> list[dict[str, Any]]:
        return self._desktop.received()

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._serving.close()
