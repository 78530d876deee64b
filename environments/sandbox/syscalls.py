"""System calls that no script needs and that have led out of sandboxes: a filter for the kernel, as data.

A refused call fails like one without the right to it, so programs that try and go on without it still work.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping

_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "riscv64": 0xC00000F3}
_X86 = {
    "add_key": 248, "request_key": 249, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "kexec_load": 246,
    "kexec_file_load": 320, "init_module": 175, "finit_module": 313, "delete_module": 176, "name_to_handle_at": 303,
    "open_by_handle_at": 304, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "setns": 308, "unshare": 272,
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "acct": 163, "swapon": 167, "swapoff": 168,
    "reboot": 169, "sethostname": 170, "setdomainname": 171, "settimeofday": 164, "clock_settime": 227, "adjtimex": 159,
    "clock_adjtime": 305, "quotactl": 179, "lookup_dcookie": 212, "iopl": 172, "ioperm": 173,
}  # fmt: skip
_GENERIC = {
    "add_key": 217, "request_key": 218, "bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "kexec_load": 104,
    "kexec_file_load": 294, "init_module": 105, "finit_module": 273, "delete_module": 106, "name_to_handle_at": 264,
    "open_by_handle_at": 265, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "setns": 268, "unshare": 97,
    "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "acct": 89, "swapon": 224, "swapoff": 225,
    "reboot": 142, "sethostname": 161, "setdomainname": 162, "settimeofday": 170, "clock_settime": 112, "adjtimex": 171,
    "clock_adjtime": 266, "quotactl": 60, "lookup_dcookie": 18,
}  # fmt: skip
_SINCE_THEN = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430,
    "fsconfig": 431, "fsmount": 432, "fspick": 433, "pidfd_getfd": 438, "mount_setattr": 442, "open_tree_attr": 467,
}  # fmt: skip
"""Alike on every machine."""
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


def refused_calls(machine: str | None = None) -> Mapping[str, int]:
    """Calls that are refused whatever is asked of them, with their numbers; none for a machine that is not known here."""
    machine = machine or os.uname().machine
    return {} if machine not in _ARCH else {**(_X86 if machine == "x86_64" else _GENERIC), **_SINCE_THEN}


def keyctl(machine: str | None = None) -> int | None:
    return _KEYCTL.get(machine or os.uname().machine)


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
