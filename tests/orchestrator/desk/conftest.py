"""Desks that are really served: a port of this machine, HTTP, and runs of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from environments.served.running import Address
from orchestrator.desk.auth import Role, Tokens, person_of
from orchestrator.desk.desk import Desk
from orchestrator.desk.running import served

TOKENS: dict[Role, str] = {"view": "token-of-vera", "approve": "token-of-anna", "operate": "token-of-otto"}
NAMES: dict[Role, str] = {"view": "vera", "approve": "anna", "operate": "otto"}


class Place(NamedTuple):
    """A served desk."""

    address: Address
    desk: Desk
    by: Callable[[Role], httpx.Client]
    """A program that has the token of this role."""

    @property
    def http(self) -> httpx.Client:
        """Of somebody who may do everything."""
        return self.by("operate")


Serve = Callable[..., Place]


@pytest.fixture
def runs_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


@pytest.fixture
def serve(runs_dir: Path) -> Iterator[Serve]:
    """`serve()` gives a Place around `runs_dir`."""
    with ExitStack() as open_:

        def make(folder: Path | None = None) -> Place:
            people = [person_of(NAMES[role], role, token) for role, token in TOKENS.items()]
            desk = Desk(folder or runs_dir, Tokens(people))
            address = open_.enter_context(served(desk, TOKENS["operate"]))
            clients: dict[str, httpx.Client] = {}

            def by(role: Role) -> httpx.Client:
                if role not in clients:
                    bearer = {"Authorization": f"Bearer {TOKENS[role]}"}
                    client = httpx.Client(base_url=address.base, headers=bearer, trust_env=False, timeout=30)
                    clients[role] = open_.enter_context(client)
                return clients[role]

            return Place(address, desk, by)

        yield make
