"""What the rules of a world and the notices need of a turn: the world as it stands, and the changes that they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from environments.simulated.app import Dialog, Event
from environments.simulated.events import Rule
from environments.simulated.world import Desk, World


class Hand(Protocol):
    """One action's hold on the world; `environments/simulated/turn.py` has the only one."""

    world: World
    rules: Sequence[Rule]

    @property
    def desk(self) -> Desk: ...
    def change(self, **fields: Any) -> None: ...
    def tell(self, app: str, event: Event) -> None: ...
    def toast(self, text: str) -> None: ...
    def open_app(self, app: str) -> None: ...
    def close_app(self, app: str) -> None: ...
    def open_dialog(self, dialog: Dialog) -> None: ...
