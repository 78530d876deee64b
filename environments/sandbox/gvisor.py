"""The sandbox of gVisor: a script speaks to a kernel of its own in user space, and that to the host's with few calls.

The same walls as bubblewrap's stand around it: a read-only system, a work folder in memory, no network, no root. Only the
empty places where things are mounted stand on the disk, in a folder of its own that is gone afterwards; after a kill it goes
with the next script.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from environments.sandbox.contract import Language, Ran, SandboxLimits, SandboxUnavailable
from environments.sandbox.job import INSIDE, PACKAGES, SYSTEM, USEFUL, WORK, at_the_top, job_of, most_answered, ran
from environments.sandbox.pipes import Said, end, listen
from environments.sandbox.users import become, first_to_end, lent_user
from environments.scratch import Scratch


class GvisorTools(NamedTuple):
    """The programs that the sandbox is made of, by absolute path. `python` and `bash` are those inside it."""

    runsc: str
    setpriv: str
    bash: str
    python: str
    root: bool
    """This process is root, and has to become somebody else."""


class Gvisor:
    """Runs scripts in gVisor. Safe for several threads: each run has its own user, its own kernel and its own folder."""

    name = "gvisor"
    refusal = ""

    def __init__(self, tools: GvisorTools, limits: SandboxLimits | None = None) -> None:
        self.tools = tools
        self.limits = limits or SandboxLimits()

    def run(
        self, script: str, language: Language, files: Mapping[str, bytes], timeout: float, *, folders: Collection[str] = ()
    ) -> Ran:
        tools = self.tools
        job = job_of(script, language, files, folders, limits=self.limits, bash=tools.bash, python=tools.python, answer=0)
        top = at_the_top((*files, *folders))
        with lent_user(tools.root) as uid, _bundle(self._config(timeout), top, uid) as folder, self._sheet(job) as sheet:
            user = [tools.setpriv, "--pdeathsig", "KILL", "--"] if uid is None else become(tools.setpriv, uid)
            command = [
                *first_to_end(tools.bash), *user, tools.runsc, f"--root={folder / 'state'}", "--rootless", "--network=none",
                "--ignore-cgroups", "run", f"--bundle={folder}", folder.parent.name,  # the host's containers are told apart by it
            ]  # fmt: skip
            process = subprocess.Popen(  # noqa: S603 - fixed programs; the script is data on stdin
                command, stdin=sheet, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}, cwd="/", start_new_session=True
            )
            return self._heard(process, sheet, files, timeout)

    def _heard(self, process: subprocess.Popen[bytes], sheet: int, files: Mapping[str, bytes], timeout: float) -> Ran:
        assert process.stdout is not None  # noqa: S101 - it was asked for
        assert process.stderr is not None  # noqa: S101 - it was asked for
        with process.stdout as stdout, process.stderr as stderr:
            one, two, most = stdout.fileno(), stderr.fileno(), self.limits.output_bytes
            try:
                said, late = listen(process, {one: most, two: most}, timeout)
            finally:
                end(process)
                process.wait()
        room = most_answered(self.limits)
        written = os.pread(sheet, room, 0).partition(b"\n")[0]
        return ran(process.returncode, said[one], said[two], Said(written, False), files, late)

    @contextmanager
    def _sheet(self, job: bytes) -> Iterator[int]:
        """A file that stands nowhere: the job is read from it, and the answer written over it. It cannot grow."""
        handle = os.memfd_create("job", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            with os.fdopen(os.dup(handle), "wb") as file:
                file.write(job)
            os.ftruncate(handle, max(len(job), most_answered(self.limits)))
            os.lseek(handle, 0, os.SEEK_SET)
            fcntl.fcntl(handle, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
            yield handle
        finally:
            os.close(handle)

    def _config(self, timeout: float) -> dict[str, Any]:
        """What runsc is told, in the form of the Open Container Initiative."""
        most = self.limits
        bounds = {
            "AS": most.memory_bytes, "NPROC": most.processes, "FSIZE": most.file_bytes, "NOFILE": most.open_files,
            "CPU": ceil(timeout) + 1, "CORE": 0,
        }  # fmt: skip
        room = [f"size={most.work_bytes}", "mode=1777"]
        shared = ["/usr", *(name for name in (*SYSTEM, *USEFUL) if os.path.exists(name) and not os.path.islink(name))]
        places = [(name, name) for name in shared] + ([(str(most.packages), PACKAGES)] if most.packages else [])
        return {
            "ociVersion": "1.0.2",
            "process": {
                "user": {"uid": 1000, "gid": 1000},
                "args": [self.tools.python, "-I", "-c", INSIDE],
                "env": ["PATH=/usr/local/bin:/usr/bin:/bin"],
                "cwd": WORK,
                "capabilities": {},
                "rlimits": [{"type": f"RLIMIT_{name}", "hard": value, "soft": value} for name, value in bounds.items()],
                "noNewPrivileges": True,
                "oomScoreAdj": 1000,
            },
            "root": {"path": "root", "readonly": True},
            "hostname": "sandbox",
            "mounts": [
                {"destination": "/proc", "type": "proc", "source": "proc"},
                {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": room},  # noqa: S108 - inside
                {"destination": WORK, "type": "tmpfs", "source": "tmpfs", "options": room},
                {"destination": "/dev/shm", "type": "tmpfs", "source": "tmpfs", "options": ["ro"]},  # noqa: S108 - inside
                *({"destination": to, "type": "bind", "source": of, "options": ["ro", "rbind"]} for of, to in places),
            ],
            "linux": {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount", "network")]},
        }


@contextmanager
def _bundle(config: Mapping[str, Any], top: Collection[str], uid: int | None) -> Iterator[Path]:
    """A folder that only that user enters, with what runsc is told and the places where things are mounted."""
    try:
        with Scratch("deskcrew-gvisor-") as home:
            folder = home.path / "bundle"
            folder.mkdir(mode=0o700)
            root = folder / "root"
            for mount in config["mounts"]:
                if mount["destination"].startswith("/dev/"):
                    continue  # /dev is gVisor's own
                place = root / mount["destination"][1:]
                if os.path.isfile(mount["source"]):
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.touch()
                else:
                    place.mkdir(parents=True, exist_ok=True)
            for name in SYSTEM:
                if os.path.islink(name):
                    (root / name[1:]).symlink_to(os.readlink(name))
            for name in top:
                (root / name).symlink_to(f"{WORK[1:]}/{name}")
            (folder / "state").mkdir()
            (folder / "config.json").write_text(json.dumps(config), encoding="ascii")
            if uid is not None:
                home.path.chmod(0o711)
                for entered in (folder, folder / "state"):
                    os.chown(entered, uid, uid)
            yield folder
    except OSError as bad:
        raise SandboxUnavailable(f"gVisor needs a folder in {tempfile.gettempdir()}, and there is none to be had: {bad}") from bad
