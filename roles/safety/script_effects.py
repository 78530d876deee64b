"""What the text of a script says of itself, in the effects of the safety policy: it only makes a person be asked first.

What holds a script is the sandbox, and the review of the change that it brings back; a text that hides what it does is run there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from protocol import Action, GUIElement, RunScript, VisualState
from roles.safety.effects import Effect, effect_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMANDS = {
    "network": _words("apt apt-get curl ftp git mail nc ncat netcat npm ping pip pip3 rsync scp sftp socat ssh telnet wget"),
    "privilege": _words("chown chroot doas mknod modprobe mount nsenter passwd reboot setcap shutdown su sudo umount unshare"),
    "process": _words("disown gdb kill killall nohup pkill renice setsid strace yes"),
}  # fmt: skip
_MODULES = {
    "network": _words("aiohttp ftplib http httpx imaplib poplib requests smtplib socket ssl telnetlib urllib urllib3 xmlrpc"),
    "privilege": _words("grp pty pwd resource spwd"),
    "process": _words("multiprocessing signal threading"),
}  # fmt: skip
_CALLS = {
    "privilege": _words("chown chroot lchown mknod setegid seteuid setgid setgroups setns setuid unshare"),
    "process": _words("abort fork forkpty kill killpg nice posix_spawn"),
}
_EFFECTS = {"network": Effect.SEND, "privilege": Effect.PERMISSION, "outside": Effect.ACTIVATE, "process": Effect.ACTIVATE}
_STARTING = _words("builtin command env exec nice stdbuf time timeout xargs")
"""Commands that start another one: each of their words may be its name."""
_BEGINS = re.compile(r"""[;&|(){}`!]|\b\w*sh\s+-c\s+["']|-exec\w*|\b(?:do|else|eval|then|while|until|if)\s""")
_SET = re.compile(r"\w+=")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_BEHIND = re.compile(r"(?<![&><|])&(?![&>])")
_CALLS_ITSELF = re.compile(r"(?<![\w:])([\w:]{1,40})\s*\(\)\s*\{[^{}]*(?<![\w:])\1\s*[|&]")
_IMPORT = re.compile(r"\b(?:import|from)[ \t]+([^\n;#]*)")
_CALL = re.compile(r"\bos\.(\w+)")
_PATH = re.compile(r"[^\s'\"=;|&<>(){}`,:$]+")
_SYSTEM = _words("boot dev etc proc root run sys var")
_STREAMS = re.compile(r"/dev/(?:null|zero|u?random|stdin|stdout|stderr|fd/\d+)")


class Risk(NamedTuple):
    """One line of a script that a person should see before it is run. `line` counts from 1."""

    kind: str
    what: str
    line: int

    def describe(self) -> str:
        text = " ".join(self.what.split())
        return f"line {self.line}: {self.kind}: {text if len(text) <= 120 else f'{text[:119]}…'}"


def risks_of(language: str, code: str) -> tuple[Risk, ...]:
    """What a script in `bash` or `python` would use besides the copy of the user's files, in the order of the text."""
    bash = language == "bash"
    readers = (_places, *((_bash,) if bash else ()), *((_python,) if not bash or "python" in code else ()))
    lines = enumerate(code.split("\n"), 1)
    found = [Risk(kind, line, at) for at, line in lines for kind in sorted({kind for read in readers for kind in read(line)})]
    if bash and (bomb := _CALLS_ITSELF.search(code)):
        found.append(Risk("process", bomb[0], code.count("\n", 0, bomb.start()) + 1))
    return tuple(found)


def effects_of(action: Action, element: GUIElement | None, state: VisualState) -> tuple[Effect, ...]:
    """All that an action may amount to, the worst first. Only a script amounts to several things."""
    if not isinstance(action, RunScript):
        return (effect_of(action, element, state),)
    found = {Effect.OBSERVE, *(_EFFECTS[risk.kind] for risk in risks_of(action.language, action.code))}
    return tuple(sorted(found, key=list(Effect).index, reverse=True))


def _bash(line: str) -> Iterator[str]:
    for part in _BEGINS.split(line):
        names = [word.strip("'\"").replace("\\", "").rpartition("/")[2] for word in part.split() if not _SET.match(word)]
        said = names if names and names[0] in _STARTING else names[:1]
        yield from (kind for kind, known in _COMMANDS.items() if not known.isdisjoint(said))
    if _BEHIND.search(_QUOTED.sub("", line)):
        yield "process"
    if "chmod" in line and re.search(r"[+=][rwxX]*s|\b[2467]\d{3}\b", line):
        yield "privilege"


def _python(line: str) -> Iterator[str]:
    imported = {word for part in _IMPORT.findall(line) for word in re.findall(r"\w+", part)}
    called = {*_CALL.findall(line), *imported}
    yield from (kind for kind, known in _MODULES.items() if not known.isdisjoint(imported))
    yield from (kind for kind, known in _CALLS.items() if not known.isdisjoint(called))


def _places(line: str) -> Iterator[str]:
    """Paths out of the user's files."""
    for path in _PATH.findall(line):
        parts = [part for part in path.split("/") if part not in {"", "."}]
        ups = [-1 if part == ".." else 1 for part in parts]
        system = path.startswith("/") and not _SYSTEM.isdisjoint(parts[:1]) and not _STREAMS.fullmatch(path)
        if path.startswith(("/dev/tcp", "/dev/udp")):
            yield "network"
        elif system or min(accumulate(ups), default=0) < 0 or re.match(r"~\w", path):
            yield "outside"
