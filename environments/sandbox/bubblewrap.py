"""The sandbox of bubblewrap: own namespaces, a read-only system, a work folder in memory, no network, no root.

Nothing is laid on the disk of the host: the files go in and come out as one document each, and the work folder is gone
with the processes. A kill of this process takes the sandbox along.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from math import ceil
from typing import NamedTuple

from environments.sandbox.contract import Language, Ran, SandboxLimits
from environments.sandbox.job import INSIDE, PACKAGES, SYSTEM, USEFUL, WORK, at_the_top, job_of, most_answered, ran
from environments.sandbox.pipes import end, listen
from environments.sandbox.syscalls import call_filter
from environments.sandbox.users import become, first_to_end, lent_user


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
    ) -> Ran:
        out, answer = os.pipe()
        with open(out, "rb", 0) as reader, open(answer, "wb", 0) as writer:
            tools, limits = self.tools, self.limits
            job = job_of(
                script, language, files, folders, limits=limits, bash=tools.bash, python=tools.python, answer=answer
            )  # fmt: skip
            with lent_user(bool(tools.setpriv)) as uid, _unnamed(job) as given, _unnamed(call_filter()) as calls:
                user = [] if uid is None else become(tools.setpriv, uid)
                walls = self._walls(at_the_top((*files, *folders)), calls)
                command = [*first_to_end(tools.bash), *user, *walls, *self._bounds(timeout), tools.python, "-I", "-c", INSIDE]
                process = subprocess.Popen(  # noqa: S603 - fixed programs; the script is data on stdin
                    command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}, cwd="/",
                    pass_fds=(answer, calls), start_new_session=True,
                )  # fmt: skip
                writer.close()
                return self._heard(process, reader.fileno(), files, timeout)

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

    def _heard(self, process: subprocess.Popen[bytes], answer: int, files: Mapping[str, bytes], timeout: float) -> Ran:
        assert process.stdout is not None  # noqa: S101 - it was asked for
        assert process.stderr is not None  # noqa: S101 - it was asked for
        with process.stdout as stdout, process.stderr as stderr:
            one, two, most = stdout.fileno(), stderr.fileno(), self.limits.output_bytes
            try:
                said, late = listen(process, {one: most, two: most, answer: most_answered(self.limits)}, timeout)
            finally:
                end(process)
                process.wait()
        return ran(process.returncode, said[one], said[two], said[answer], files, late)


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
