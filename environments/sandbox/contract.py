"""What a sandbox offers: one call that runs a script on files that are given as data, and gives the files back as data."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from pydantic import Field

from protocol import Frozen

Language = Literal["bash", "python"]


class SandboxUnavailable(RuntimeError):
    """There is no sandbox here; the message says why and how to get one."""


class SandboxLimits(Frozen):
    """What a script may use. Every number is enforced by the kernel or by whoever reads from the sandbox."""

    memory_bytes: int = Field(default=512 * 2**20, ge=64 * 2**20)
    """Address space of one process."""
    processes: int = Field(default=32, ge=4)
    """Processes and threads at once."""
    open_files: int = Field(default=128, ge=16)
    work_bytes: int = Field(default=16 * 2**20, ge=2**16)
    """Room in the work folder; as much again in /tmp."""
    file_bytes: int = Field(default=4 * 2**20, ge=2**10)
    """Largest file that can be written."""
    output_bytes: int = Field(default=64 * 2**10, ge=2**10)
    """Kept of each of stdout and stderr; the rest is read and thrown away."""
    entries: int = Field(default=5_000, ge=1)
    """Files and folders that are taken back."""
    packages: Path | None = None
    """A folder of wheels, read-only within, from which a script may install for itself; without one nothing can be installed."""


class LeftOut(NamedTuple):
    """Something in the work folder that is not taken back, and why."""

    path: str
    why: str


class ScriptResult(NamedTuple):
    """What came of a script."""

    exit_code: int
    """128 and the signal's number where a signal ended it, as a shell says it."""
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    truncated: bool = False
    """Some of the output was thrown away."""
    files: Mapping[str, bytes] | None = None
    """The work folder afterwards, by path from it; None when it could not be taken back whole."""
    folders: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


class Sandbox(Protocol):
    """Runs scripts where they can reach nothing but what they are given."""

    @property
    def refusal(self) -> str:
        """Why nothing can be run and how that can be mended, in one sentence; empty where scripts can be run."""

    def run(
        self, script: str, language: Language, files: Mapping[str, bytes], timeout: float, *, folders: Collection[str] = ()
    ) -> ScriptResult:
        """Run `script` in a folder that holds `files` and `folders`, given by path from it, for `timeout` seconds at most.

        Nothing of it outlives the call. Raises SandboxUnavailable where nothing can be run.
        """


class NoSandbox:
    """The sandbox where there is none."""

    def __init__(self, why: str) -> None:
        self.refusal = why

    def run(
        self, script: str, language: Language, files: Mapping[str, bytes], timeout: float, *, folders: Collection[str] = ()
    ) -> ScriptResult:
        raise SandboxUnavailable(self.refusal)
