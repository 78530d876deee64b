"""Finding the sandbox of this machine: looked for once, tried once, and where there is none it says why and what to do."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from environments.files.scratch import Scratch
from environments.sandbox.bubblewrap import Bubblewrap, Tools, become, first_to_end, lent_user
from environments.sandbox.contract import (
    Language,
    NoSandbox,
    Sandbox,
    SandboxKind,
    SandboxLimits,
    SandboxUnavailable,
    ScriptResult,
)
from environments.sandbox.job import (
    INSIDE,
    PACKAGES,
    SYSTEM,
    USEFUL,
    WORK,
    PipeOutput,
    at_the_top,
    heard,
    job_of,
    most_answered,
    ran,
)


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
    ) -> ScriptResult:
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
            stdout, stderr, _, late = heard(process, self.limits.output_bytes, timeout)
            written = os.pread(sheet, most_answered(self.limits), 0).partition(b"\n")[0]
            return ran(process.returncode, stdout, stderr, PipeOutput(written, False), files, late)

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


PLACES = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
"""Where the programs are looked for: never in a folder that a user's PATH names."""
_PACKAGES = {"bwrap": "bubblewrap", "prlimit": "util-linux", "setpriv": "util-linux", "bash": "bash", "python3": "python3"}
_PROBE_SECONDS = 20.0
_HINTS = (
    ("source path", "let the user that scripts run as read the folder of the setting packages, and all that it lies in"),
    ("namespace", "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
     "kernel.apparmor_restrict_unprivileged_userns=0, or start the container with --security-opt seccomp=unconfined)"),
    ("uid map", "allow unprivileged user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0)"),
    ("proc", "start the container with --security-opt systempaths=unconfined, so that /proc can be mounted in it"),
    ("setpriv", "start deskcrew as an ordinary user, or with the right to change its user (CAP_SETUID, CAP_SETGID)"),
)  # fmt: skip


def find(limits: SandboxLimits | None = None, places: str = PLACES) -> Sandbox:
    """bubblewrap on this machine, or a sandbox that refuses and says why."""
    wanted = [name for name in _PACKAGES if name != "setpriv" or os.geteuid() == 0]
    paths = _programs(wanted, places, "scripts need a sandbox")
    if isinstance(paths, NoSandbox):
        return paths
    tools = Tools(paths["bwrap"], paths["prlimit"], paths.get("setpriv", ""), paths["bash"], paths["python3"])
    troubles = []
    for nested in (False, True):
        sandbox = Bubblewrap(tools._replace(nested=nested), limits)
        if not (trouble := _trouble(sandbox)):
            return sandbox
        troubles.append(trouble)
    return NoSandbox(f"scripts need a sandbox, and bubblewrap does not work here: {troubles[0]}; {_hint(troubles[0])}")


def find_gvisor(limits: SandboxLimits | None = None, places: str = PLACES) -> Sandbox:
    """gVisor on this machine, or a sandbox that refuses and says why. It is never another one in its place."""
    paths = _programs(("runsc", "setpriv", "bash", "python3"), places, "the settings want scripts in gVisor")
    if isinstance(paths, NoSandbox):
        return paths
    tools = GvisorTools(paths["runsc"], paths["setpriv"], paths["bash"], paths["python3"], root=os.geteuid() == 0)
    sandbox = Gvisor(tools, limits)
    try:
        trouble = _trouble(sandbox) or _same_kernel(sandbox)
    except SandboxUnavailable as bad:
        trouble = str(bad)
    if not trouble:
        return sandbox
    return NoSandbox(
        f"the settings want scripts in gVisor, and it does not work here: {trouble}; {_hint(trouble)}, or set sandbox=bubblewrap"
    )


def _programs(wanted: Collection[str], places: str, why: str) -> dict[str, str] | NoSandbox:
    if sys.platform != "linux":
        return NoSandbox(
            f"scripts need a sandbox of Linux (bubblewrap or gVisor), and this is {sys.platform}; run deskcrew on Linux"
        )
    found = {name: shutil.which(name, path=places) for name in wanted}
    if missing := [name for name, path in found.items() if path is None]:
        packages = " ".join(dict.fromkeys(_PACKAGES.get(name, name) for name in missing))
        return NoSandbox(f"{why}, and {', '.join(missing)} is not installed; get it with: apt-get install {packages}")
    return {name: path for name, path in found.items() if path is not None}


def _trouble(sandbox: Sandbox) -> str:
    """What goes wrong when both languages are tried, or nothing."""
    for language, script in (("bash", 'cat given > made; printf "%s" "$((6 * 7))"'), ("python", "print(6 * 7, end='')")):
        ran = sandbox.run(script, "bash" if language == "bash" else "python", {"given": b"x"}, _PROBE_SECONDS)
        if (ran.exit_code, ran.stdout) != (0, "42") or not ran.files:
            said = (ran.stderr.strip().splitlines() or ["it gave no answer"])[0]
            return f"{said} (exit code {ran.exit_code}, {language})"
    return ""


def _same_kernel(sandbox: Sandbox) -> str:
    """gVisor is a kernel of its own: where the host's answers, it is not gVisor that runs."""
    ran = sandbox.run("import os; print(os.uname().version)", "python", {}, _PROBE_SECONDS)
    if ran.exit_code != 0 or not ran.stdout:
        return "it gave no answer"
    return "what is called runsc lets the host's own kernel answer" if os.uname().version in ran.stdout else ""


def _hint(trouble: str) -> str:
    folded = trouble.casefold()
    return next((hint for word, hint in _HINTS if word in folded), "see docs/technician.md")


@cache
def installed(kind: SandboxKind = "bubblewrap", packages: Path | None = None) -> Sandbox:
    """That sandbox on this machine with the usual limits, and a folder of wheels; looked for once in a process."""
    if packages is not None and not os.path.isdir(packages):
        return NoSandbox(f"packages: there is no folder {packages}; make it and put wheels in it, or leave the setting out")
    limits = SandboxLimits(packages=packages and packages.resolve())
    return find_gvisor(limits) if kind == "gvisor" else find(limits)


class Detected:
    """That sandbox on this machine, looked for when it is first needed: most runs need none."""

    def __init__(self, kind: SandboxKind = "bubblewrap", packages: Path | None = None) -> None:
        self.kind = kind
        self.packages = packages

    @property
    def refusal(self) -> str:
        return installed(self.kind, self.packages).refusal

    def run(
        self, script: str, language: Language, files: Mapping[str, bytes], timeout: float, *, folders: Collection[str] = ()
    ) -> ScriptResult:
        return installed(self.kind, self.packages).run(script, language, files, timeout, folders=folders)
