"""Finding the sandbox of this machine: looked for once, tried once, and where there is none it says why and what to do."""

import os
import shutil
import sys
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from environments.sandbox.bubblewrap import Bubblewrap, Tools
from environments.sandbox.contract import Language, NoSandbox, Sandbox, SandboxLimits, ScriptResult

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
    if sys.platform != "linux":
        return NoSandbox(f"scripts need bubblewrap, a sandbox of Linux, and this is {sys.platform}; run deskcrew on Linux")
    wanted = [name for name in _PACKAGES if name != "setpriv" or os.geteuid() == 0]
    paths = {name: shutil.which(name, path=places) or "" for name in wanted}
    if missing := [name for name, path in paths.items() if not path]:
        packages = " ".join(dict.fromkeys(_PACKAGES[name] for name in missing))
        return NoSandbox(
            f"scripts need a sandbox, and {', '.join(missing)} is not installed; get it with: apt-get install {packages}"
        )
    tools = Tools(paths["bwrap"], paths["prlimit"], paths.get("setpriv", ""), paths["bash"], paths["python3"])
    troubles = []
    for nested in (False, True):
        sandbox = Bubblewrap(tools._replace(nested=nested), limits)
        if not (trouble := _trouble(sandbox)):
            return sandbox
        troubles.append(trouble)
    folded = troubles[0].casefold()
    hint = next((hint for word, hint in _HINTS if word in folded), "see docs/technician.md")
    return NoSandbox(f"scripts need a sandbox, and bubblewrap does not work here: {troubles[0]}; {hint}")


def _trouble(sandbox: Sandbox) -> str:
    """What goes wrong when both languages are tried, or nothing."""
    for language, script in (("bash", 'cat given > made; printf "%s" "$((6 * 7))"'), ("python", "print(6 * 7, end='')")):
        ran = sandbox.run(script, "bash" if language == "bash" else "python", {"given": b"x"}, _PROBE_SECONDS)
        if (ran.exit_code, ran.stdout) != (0, "42") or not ran.files:
            said = (ran.stderr.strip().splitlines() or ["it gave no answer"])[0]
            return f"{said} (exit code {ran.exit_code}, {language})"
    return ""


@cache
def installed(packages: Path | None = None) -> Sandbox:
    """The sandbox of this machine with the usual limits, and a folder of wheels; looked for once in a process."""
    if packages is not None and not os.path.isdir(packages):
        return NoSandbox(f"packages: there is no folder {packages}; make it and put wheels in it, or leave the setting out")
    return find(SandboxLimits(packages=packages and packages.resolve()))


class Detected:
    """The sandbox of this machine, looked for when it is first needed: most runs need none."""

    def __init__(self, packages: Path | None = None) -> None:
        self.packages = packages

    @property
    def refusal(self) -> str:
        return installed(self.packages).refusal

    def run(
        self, script: str, language: Language, files: Mapping[str, bytes], timeout: float, *, folders: Collection[str] = ()
    ) -> ScriptResult:
        return installed(self.packages).run(script, language, files, timeout, folders=folders)
