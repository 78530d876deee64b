"""Worlds that are really served: a port of this machine, HTTP, and for pages a Chromium."""

import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import httpx
import pytest

from environments.browser import BrowserEnvironment
from environments.served.demonstration import Demonstration
from environments.served.server import Address, served
from environments.served.session import Session
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world

OFFICE = """
    user: Ada Lind
    apps:
      billing: {open: any, generate: 12}
      reimbursement: {required: [amount]}
      notes: {generate: 2}
      files: {}
      settings: {}
    open: [reimbursement]
"""


class Place(NamedTuple):
    """A served world: where it is, who serves it, and a program that has the token."""

    address: Address
    session: Session
    http: httpx.Client

    def act(self, **action: Any) -> dict[str, Any]:
        answer = self.http.post("/actions", json=action)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    def app(self, name: str) -> dict[str, Any]:
        """The state of an app, while nothing is under way."""
        state: dict[str, Any] = self.session.desktop.world()["apps"][name]
        return state


Serve = Callable[..., Place]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(yaml_or_name, goal=…, exercise=…, log=…)` gives a Place."""
    with ExitStack() as open_:

        def make(world: str = OFFICE, log: Demonstration | None = None, **given: Any) -> Place:
            spec = parse_world(textwrap.dedent(world), "test.yaml") if "\n" in world else load_world(world)
            session = Session(SimulatedDesktop(spec), log=log, **given)
            address = open_.enter_context(served(session))
            bearer = {"Authorization": f"Bearer {address.token}"}
            http = open_.enter_context(httpx.Client(base_url=address.base, headers=bearer, trust_env=False, timeout=30))
            return Place(address, session, http)

        yield make


@pytest.fixture
def place(serve: Serve) -> Place:
    """The office, served."""
    return serve()


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[BrowserEnvironment]:
    """One browser for all tests that drive it as a crew would."""
    env = BrowserEnvironment("about:blank")
    yield env
    env.close()
