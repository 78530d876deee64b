"""Files that are read whole. A list of runs needs no more than this, and no YAML library."""

import errno
import os
import stat
from pathlib import Path

MAX_BYTES = 2_000_000
"""More than any file has that a person writes."""


LARGEST = 64_000_000
"""More than any file has that deskcrew writes of one run in JSON."""


class TooLarge(ValueError):
    """The file is longer than anybody writes."""


def read_small(path: Path, most: int = MAX_BYTES) -> str:
    """The text of a file, without a byte order mark. Raises OSError, UnicodeDecodeError or TooLarge.

    A device, a pipe and a socket are refused: they never end, or wait for somebody.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        info = os.fstat(handle)
        if stat.S_ISDIR(info.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "it is a device or a pipe, and no file", str(path))
        body = file.read(min(info.st_size, most) + 1)  # room is made for all that may come
        if len(body) > info.st_size:  # it grew, or is one of the system's, which say nothing of their size
            body += file.read(most + 1 - len(body))
    if len(body) > most:
        raise TooLarge(f"it is larger than {most // 1_000_000} MB")
    return body.decode("utf-8-sig")
