"""What something costs this process, whatever else the machine is doing."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fails where the block takes more CPU time: the limit is far above what it needs, and far below what growth would need."""
    began = time.process_time()
    yield
    spent = time.process_time() - began
    assert spent < seconds, f"{spent:.1f} seconds of CPU time, where {seconds:g} are more than enough"
