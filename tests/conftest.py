"""Two profiles for all property tests, no way out of this machine for any test, and what the short form leaves out."""

import gc
import importlib.util
import os
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from services.chrome import chrome as chrome
from services.chrome import chromium as chromium

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
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # In the background of a shell; every process that a test starts and interrupts would inherit that it is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)

_LEFT_OUT = pytest.StashKey[Counter[str]]()
_BY_FIXTURE = {"chromium": "a real browser", "neighbour": "a package that is installed"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--short", action="store_true", help="leave out the tests that are marked as slow, and say how many and why")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_LEFT_OUT] = Counter()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--short"):
        return
    slow = {item: why for item in items if (why := _why_slow(item))}
    config.stash[_LEFT_OUT].update(slow.values())
    config.hook.pytest_deselected(items=list(slow))
    items[:] = [item for item in items if item not in slow]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Items by the ten thousand are made at once, and none of them is garbage before the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _why_slow(item: pytest.Item) -> str:
    """Why a test is no part of the short form; empty where it is."""
    if item.get_closest_marker("quick"):
        return ""
    if marker := item.get_closest_marker("slow"):
        return str(marker.args[0])
    return next((why for name, why in _BY_FIXTURE.items() if name in getattr(item, "fixturenames", ())), "")


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash[_LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Every worker of pytest-xdist has left out the same."""
    node.config.stash[_LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("--short"):
        left = config.stash[_LEFT_OUT]
        terminalreporter.section(f"{left.total()} tests were left out; scripts/test --all runs them too")
        for why, count in left.most_common():
            terminalreporter.line(f"{count:6} {why}")


def pytest_unconfigure() -> None:
    """A worker of pytest-xdist ends without what Python does at the end."""
    _STATE.close()
