"""The sandbox of bubblewrap: own namespaces, a read-only system, a work folder in memory, no network, no root.

Nothing is laid on the disk of the host: the files go in and come out as one document each, and the work folder is gone
with the processes. A kill of this process takes the sandbox along.
"""

import os
import pwd
import socket
import struct
import subprocess
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from math import ceil
from typing import NamedTuple

from environments.files.yaml_lines import packaged
from environments.sandbox.contract import Language, SandboxLimits, SandboxUnavailable, ScriptResult
from environments.sandbox.job import INSIDE, PACKAGES, SYSTEM, USEFUL, WORK, at_the_top, heard, job_of, ran

_UIDS = range(64_800, 65_000)
"""Nobody's: a script of root's runs as one of these, alone on it, because the kernel counts processes by user."""


@contextmanager
def _lent_user(wanted: bool) -> Iterator[int | None]:
    """A user that is ours until the end of the block; None where this process is nobody special and needs none.

    Raises SandboxUnavailable where all are in use.
    """
    if not wanted:
        yield None
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as held:
        uid = next((uid for uid in _UIDS if not _somebody(uid) and _held(held, uid)), None)
        if uid is None:
            raise SandboxUnavailable(
                f"all {len(_UIDS)} users that scripts are run as are in use; wait until other runs have ended"
            )
        yield uid


_FIRST_TO_END = '{ echo 1000 > /proc/self/oom_score_adj; } 2> /dev/null; exec "$@"'
"""Makes what follows the first to end where memory runs out."""
_FOR_GOOD = ("--clear-groups", "--no-new-privs", "--pdeathsig", "KILL", "--")


def _somebody(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _held(lock: socket.socket, uid: int) -> bool:
    """Whether the user is ours for now: an abstract address goes with the process, however that ends."""
    try:
        lock.bind(f"\0deskcrew-sandbox-{uid}")
    except OSError:
        return False
    return True


_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "riscv64": 0xC00000F3}
_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219}
JOIN_SESSION_KEYRING = 1
"""The one thing to do with keys that may be done: to leave those of whoever started this."""
_CLONE, _CLONE3 = {"x86_64": 56, "aarch64": 220, "riscv64": 220}, 435
_SOCKET, _SOCKETPAIR = {"x86_64": 41, "aarch64": 198, "riscv64": 198}, {"x86_64": 53, "aarch64": 199, "riscv64": 199}
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
"""Of sockets; each has its namespace, and that is empty. Others, AF_VSOCK for one, reach whoever is there."""
_NAMESPACES = 0x7E02_0000
"""Every flag of `clone` that makes a namespace."""
_OTHER_TABLE = 0x4000_0000
"""From here on x86_64 counts its calls anew, in another table."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _FIRST = 0, 4, 16
"""Where the kernel lays down the number of the call, the machine, and the call's first argument."""
_ALLOW, _REFUSE, _UNKNOWN, _NO_FAMILY = 0x7FFF_0000, 0x0005_0000 | 1, 0x0005_0000 | 38, 0x0005_0000 | 97
_Step = tuple[int, int, int, int]


@cache
def refused_calls(machine: str | None = None) -> Mapping[str, int]:
    """Calls that are refused whatever is asked of them, with their numbers; none for a machine that is not known here."""
    machine = machine or os.uname().machine
    if machine not in _ARCH:
        return {}
    calls = packaged("environments.sandbox", "calls.yaml")
    return {**calls["x86_64" if machine == "x86_64" else "others"], **calls["everywhere"]}


def call_filter(machine: str | None = None) -> bytes:
    """The filter as the kernel reads it; nothing for a machine that is not known here."""
    machine = machine or os.uname().machine
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(machine)) if machine in _ARCH else b""


def _steps(machine: str) -> Iterator[_Step]:
    yield from ((_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, _ARCH[machine]), (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, _NUMBER))
    if machine == "x86_64":
        yield from ((_AT_LEAST, 0, 1, _OTHER_TABLE), (_RETURN, 0, 0, _REFUSE))
    for number in refused_calls(machine).values():
        yield from ((_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE))
    # What it cannot look into is said to be unknown: programs then take `clone`, whose flags can be read.
    yield from ((_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _UNKNOWN))
    for number in (_SOCKET[machine], _SOCKETPAIR[machine]):
        families = FAMILIES.values()
        yield from ((_EQUAL, 0, len(families) + 3, number), (_LOAD, 0, 0, _FIRST))
        yield from ((_EQUAL, left, 0, family) for left, family in zip(range(len(families), 0, -1), families, strict=True))
        yield from ((_RETURN, 0, 0, _NO_FAMILY), (_RETURN, 0, 0, _ALLOW))
    yield from ((_EQUAL, 0, 4, _CLONE[machine]), (_LOAD, 0, 0, _FIRST), (_ANY_BIT, 0, 1, _NAMESPACES))
    yield from ((_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW))
    yield from ((_EQUAL, 0, 3, _KEYCTL[machine]), (_LOAD, 0, 0, _FIRST), (_EQUAL, 1, 0, JOIN_SESSION_KEYRING))
    yield from ((_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW))


class Tools(NamedTuple):
    """The programs that the sandbox is made of, by absolute path. `python` and `bash` are those inside it."""

    bwrap: str
    prlimit: str
    setpriv: str
    """Empty where this process is not root and needs none."""
    bash: str
    python: str
    nested: bool = False
    """Namespaces within the sandbox cannot be forbidden here."""


class Bubblewrap:
    """Runs scripts in bubblewrap. Safe for several threads: each run has its own user and its own folder."""

    name = "bubblewrap"
    refusal = ""

    def __init__(self, tools: Tools, limits: SandboxLimits | None = None) -> None:
        self.tools = tools
        self.limits = limits or SandboxLimits()

    def run(
        self, script: str, language: Language, files: Mapping[str, bytes], timeout: float, *, folders: Collection[str] = ()
    ) -> ScriptResult:
        out, answer = os.pipe()
        with open(out, "rb", 0) as reader, open(answer, "wb", 0) as writer:
            tools, limits = self.tools, self.limits
            runs = [tools.bash, "--noprofile", "--norc"] if language == "bash" else [tools.python, "-I"]
            job = job_of(script, runs, files, folders, limits, answer)
            with _lent_user(bool(tools.setpriv)) as uid, _unnamed(job) as given, _unnamed(call_filter()) as calls:
                user = [] if uid is None else [tools.setpriv, f"--reuid={uid}", f"--regid={uid}", *_FOR_GOOD]
                walls = self._walls(at_the_top((*files, *folders)), calls)
                inner = [*walls, *self._bounds(timeout), tools.python, "-I", "-c", INSIDE]
                command = [tools.bash, "-c", _FIRST_TO_END, "bash", *user, *inner]
                process = subprocess.Popen(  # noqa: S603 - fixed programs; the script is data on stdin
                    command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}, cwd="/",
                    pass_fds=(answer, calls), start_new_session=True,
                )  # fmt: skip
                writer.close()
                assert process.stdout is not None  # noqa: S101 - it was asked for
                assert process.stderr is not None  # noqa: S101 - it was asked for
                with process.stdout as stdout, process.stderr as stderr:
                    most = {stdout.fileno(): limits.output_bytes, stderr.fileno(): limits.output_bytes}
                    # an answer has every file in base64, and their names
                    (one, two, said), late = heard(process, most | {reader.fileno(): 2 * limits.work_bytes + 2**20}, timeout)
                return ran(process.returncode, one, two, said, files, late)

    def _walls(self, top: Collection[str], calls: int) -> list[str]:
        """bubblewrap's part. `calls` is the open file of the filter of system calls; bubblewrap closes it."""
        argv = [self.tools.bwrap, "--unshare-all", "--unshare-user", *([] if self.tools.nested else ["--disable-userns"])]
        argv += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox", "--uid", "1000", "--gid", "1000"]
        argv += ["--cap-drop", "ALL", *(["--seccomp", str(calls)] if call_filter() else []), "--ro-bind", "/usr", "/usr"]
        for name in SYSTEM:
            if os.path.islink(name):
                argv += ["--symlink", os.readlink(name), name]
            elif os.path.isdir(name):
                argv += ["--ro-bind", name, name]
        for name in USEFUL:
            argv += ["--ro-bind-try", name, name]
        if self.limits.packages:
            argv += ["--ro-bind", str(self.limits.packages), PACKAGES]
        for name in top:
            argv += ["--symlink", f"{WORK[1:]}/{name}", f"/{name}"]
        room = str(self.limits.work_bytes)
        argv += ["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
        argv += ["--size", room, "--tmpfs", "/tmp"]  # noqa: S108 - inside
        return [*argv, "--size", room, "--tmpfs", WORK, "--remount-ro", "/", "--chdir", WORK, "--"]

    def _bounds(self, timeout: float) -> list[str]:
        """prlimit's part, inside: so the processes that count are the sandbox's own."""
        most = self.limits
        return [
            self.tools.prlimit, f"--as={most.memory_bytes}", f"--nproc={most.processes}", f"--fsize={most.file_bytes}",
            f"--nofile={most.open_files}", f"--cpu={ceil(timeout) + 1}", "--core=0", "--",
        ]  # fmt: skip


@contextmanager
def _unnamed(body: bytes) -> Iterator[int]:
    """An open file that stands nowhere."""
    handle = os.memfd_create("given", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(handle), "wb") as file:
            file.write(body)
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)
