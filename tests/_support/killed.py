"""Work that is killed in the middle, in a fork of this process: what is patched there is patched nowhere else."""

import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

from roles.journal.journal import Event


def dies(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying_at(fits: Callable[[Event], bool]) -> Callable[[Event], None]:
    """A listener that dies as soon as it hears such an event."""
    return lambda event: dies() if fits(event) else None


def killed(work: Callable[[], object]) -> None:
    """Fails where it comes to its end."""
    if (pid := os.fork()) == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001 - the parent sees only how it ended
            traceback.print_exc()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
