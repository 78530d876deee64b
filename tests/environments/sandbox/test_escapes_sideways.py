"""Ways out of a sandbox beside files and networks: keys, open descriptors, terminals, shared memory, tracing, rights, bounds."""

import ast
import ctypes
import os
import platform
import struct
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from environments.sandbox import bubblewrap

pytestmark = pytest.mark.slow("a sandbox")

LIBC = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
needs_numbers = pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers of the system calls are those of x86_64")


def test_the_links_of_processes_lead_nowhere_else(bash, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the host's")
    ran = bash(f"""
for process in 1 self $PPID; do
  for way in root cwd root/proc/1/root root/tmp; do
    cat /proc/$process/$way{secret} /proc/$process/$way/../../../../..{secret}
    echo x >> /proc/$process/$way/deskcrew-written
  done
done
""")
    assert "the host's" not in ran.stdout
    assert not Path("/deskcrew-written").exists()
    assert not Path("/tmp/deskcrew-written").exists()


def test_no_folder_is_shared_with_the_host(bash):
    """Neither what the host lays there is seen, nor is what a script lays there left behind."""
    with ExitStack() as stack:
        laid = []
        for place in ("/dev/shm", "/tmp", "/var/tmp"):
            host = stack.enter_context(tempfile.NamedTemporaryFile(dir=place, prefix="deskcrew-shared-"))
            os.chmod(host.name, 0o666)
            host.write(b"the host's")
            host.flush()
            laid.append(host.name)
        ran = bash(f"for path in {' '.join(laid)}; do cat $path; echo x > $path-mine; echo x > $path; done")
        assert "the host's" not in ran.stdout
        for path in laid:
            assert not Path(f"{path}-mine").exists()
            assert Path(path).read_bytes() == b"the host's"


def test_only_the_work_folder_and_tmp_can_be_written(python):
    """Everywhere else there is no place for a file, so no room that is not counted."""
    ran = python("""
import os
found = []
for top, folders, _ in os.walk("/"):
    paths = [os.path.join(top, name) for name in folders]
    folders[:] = [name for name, path in zip(folders, paths) if path not in ("/proc", "/usr") and not os.path.islink(path)]
    path = os.path.join(top, ".tried")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        os.unlink(path)
        found.append(top)
    except OSError:
        pass
print(found)
""")
    assert ran.exit_code == 0
    assert set(ast.literal_eval(ran.stdout)) == {"/tmp", "/workspace"}


def test_open_files_of_the_host_are_not_handed_down(python, tmp_path):
    secret = tmp_path / "open.txt"
    secret.write_text("the host's")
    with secret.open("rb+") as file:
        os.set_inheritable(file.fileno(), True)
        ran = python("""
import os
for process in sorted(name for name in os.listdir("/proc") if name.isdigit()):
    try:
        for number in sorted(os.listdir(f"/proc/{process}/fd"), key=int):
            path = f"/proc/{process}/fd/{number}"
            print(process, number, os.readlink(path))
            with open(path, "rb") as file:
                os.set_blocking(file.fileno(), False)
                print(file.read(100))
    except OSError as bad:
        print(bad.strerror)
print(sorted(map(int, os.listdir("/proc/self/fd")))[:3])
""")
    assert "the host's" not in ran.stdout
    assert str(tmp_path) not in ran.stdout
    assert "[0, 1, 2]" in ran.stdout


def test_there_is_no_terminal_to_type_into(python):
    """With TIOCSTI a script could type commands into the terminal from which deskcrew was started."""
    ran = python("""
import fcntl, os, termios
for number in (0, 1, 2):
    try:
        fcntl.ioctl(number, termios.TIOCSTI, b"x")
        print("TYPED")
    except OSError as no:
        print("refused:", no.strerror)
try:
    os.open("/dev/tty", os.O_RDWR)
    print("OPENED")
except OSError as no:
    print("refused:", no.strerror)
""")
    assert ran.stdout.count("refused:") == 4, ran.stdout


def test_processes_of_the_host_can_be_neither_traced_nor_read(python):
    """Whichever number is guessed: it is nobody's, or somebody's within."""
    outside, text = os.getpid(), ctypes.create_string_buffer(b"the host's own words")
    ran = python(
        LIBC
        + f"""
import struct
PTRACE_ATTACH = 16
print("traced", libc.ptrace(PTRACE_ATTACH, {outside}, None, None))
into = ctypes.create_string_buffer(64)
here = (ctypes.c_size_t * 2)(ctypes.addressof(into), 20)
there = (ctypes.c_size_t * 2)({ctypes.addressof(text)}, 20)
print("read", libc.process_vm_readv({outside}, here, 1, there, 1, 0), into.value)
for name in ("mem", "environ", "maps"):
    try:
        open("/proc/{outside}/" + name, "rb").read(10)
        print("OPENED", name)
    except OSError as no:
        print("refused", name, no.strerror)
"""
    )
    assert "traced -1" in ran.stdout
    assert "read -1 b''" in ran.stdout
    assert ran.stdout.count("refused") == 3


def test_shared_memory_of_the_host_is_not_there(python):
    libc = ctypes.CDLL(None, use_errno=True)
    key = 0x64650000 | (os.getpid() & 0xFFFF)
    segment = libc.shmget(key, 4096, 0o1666)
    assert segment >= 0, os.strerror(ctypes.get_errno())
    try:
        ran = python(LIBC + f"print('found', libc.shmget({key}, 4096, 0o666), libc.shmat({segment}, None, 0))")
        assert ran.stdout == "found -1 -1\n"
    finally:
        libc.shmctl(segment, 0, None)


@pytest.fixture
def key_of_the_host() -> Iterator[int]:
    """A key in the session of this process, for everybody to read who finds it."""
    libc, call = ctypes.CDLL(None, use_errno=True), {"x86_64": 250}.get(platform.machine(), 219)
    if libc.syscall(call, bubblewrap.JOIN_SESSION_KEYRING, None) < 0:
        pytest.skip("this machine keeps no keys")
    key = libc.syscall({"x86_64": 248}.get(platform.machine(), 217), b"user", b"deskcrew-canary", b"the host's", 10, -3)
    assert key > 0, os.strerror(ctypes.get_errno())
    libc.syscall(call, 5, key, 0x3F3F3F3F)
    yield key
    libc.syscall(call, 3, key)


@needs_numbers
def test_the_keys_of_the_host_are_out_of_reach(python, key_of_the_host):
    """bubblewrap alone hands the session's keys down: tickets and the keys of disks are among them."""
    ran = python(
        LIBC
        + f"""
body = ctypes.create_string_buffer(100)
print("searched", libc.syscall(250, 10, -3, b"user", b"deskcrew-canary", 0))
print("read", libc.syscall(250, 11, {key_of_the_host}, body, 100), body.value)
print("asked", libc.syscall(249, b"user", b"deskcrew-canary", None, 0))
try:
    print(open("/proc/keys").read())
except OSError as no:
    print(no.strerror)
"""
    )
    assert ran.exit_code == 0
    assert "searched -1" in ran.stdout
    assert "read -1 b''" in ran.stdout
    assert "asked -1" in ran.stdout
    assert "deskcrew-canary" not in ran.stdout


@needs_numbers
def test_calls_that_have_led_out_of_sandboxes_are_refused(python):
    asked = {name: number for name, number in bubblewrap.refused_calls().items() if name != "reboot"}
    ran = python(
        LIBC + f"for name, number in {asked!r}.items():\n"
        "    ctypes.set_errno(0)\n"
        "    print(name, libc.syscall(number, 0, 0, 0, 0, 0, 0), ctypes.get_errno())\n"
    )
    assert ran.stdout.splitlines() == [f"{name} -1 1" for name in asked]


@needs_numbers
def test_the_other_tables_of_calls_are_closed_too(python):
    asked = ("0x40000000 | 39", "435, None, 0")
    ran = python(LIBC + "\n".join(f"print(libc.syscall({call}), ctypes.get_errno())" for call in asked))
    assert ran.stdout == "-1 1\n-1 38\n"


def test_a_machine_whose_calls_are_not_known_gets_no_filter_and_no_jump_of_the_others_leads_past_its_end():
    assert bubblewrap.call_filter("vax") == b""
    assert not bubblewrap.refused_calls("vax")
    for machine in ("x86_64", "aarch64", "riscv64"):
        steps = list(struct.iter_unpack("=HBBI", bubblewrap.call_filter(machine)))
        assert len(steps) < 4096
        for number, (code, yes, no, _) in enumerate(steps):
            assert number + 1 + max(yes, no) < len(steps) or code == 0x06
        assert steps[-1][0] == 0x06


def test_a_setuid_program_gives_no_rights(bash):
    ran = bash(
        "cp /usr/bin/id mine; chmod 6755 mine; ./mine -u; for p in $(find /usr/bin /usr/sbin -perm -4000 2>/dev/null); do"
        " echo found $p >&2; done; passwd -d root; su root -c 'id -u'; mount -o bind / /tmp; echo done"
    )
    assert ran.stdout.split() == ["1000", "done"]


def test_bounds_cannot_be_raised_from_within(bash, python):
    ran = bash("for bound in n u v f t; do ulimit -H -$bound unlimited || ulimit -H -$bound 100000000; done")
    assert ran.exit_code != 0
    assert "limit" in ran.stderr
    ran = python("""
import resource
for name in ("AS", "NPROC", "FSIZE", "NOFILE", "CPU", "CORE"):
    number = getattr(resource, "RLIMIT_" + name)
    soft, hard = resource.getrlimit(number)
    try:
        resource.setrlimit(number, (hard + 1, hard + 1))
        print("RAISED", name)
    except (ValueError, OSError):
        print("refused", name)
""")
    assert ran.stdout.count("refused") == 6, ran.stdout


def test_where_memory_runs_out_the_script_ends_first_and_nothing_within_can_change_that(python):
    ran = python("""
import os
those = ("self", "1", str(os.getppid()))
for process in those:
    for name, values in (("oom_score_adj", (0, -1000, 500)), ("oom_adj", (0, -17))):
        for value in values:
            try:
                os.write(os.open(f"/proc/{process}/{name}", os.O_WRONLY), str(value).encode())
            except OSError:
                pass
print(*(open(f"/proc/{process}/oom_score_adj").read().strip() for process in those))
""")
    assert ran.stdout == "1000 1000 1000\n"


def test_sockets_are_only_of_families_that_end_in_the_sandbox(python, sandbox):
    """A virtual machine's host answers to AF_VSOCK, whatever namespaces there are."""
    ran = python("""
import socket
made = []
for family in range(64):
    for kind in (1, 2, 3, 5):
        for pair in (False, True):
            try:
                socket.socketpair(family, kind) if pair else socket.socket(family, kind)
                made.append(family)
            except OSError:
                pass
print(sorted(set(made)))
try:
    socket.socket(40, 1)
except OSError as bad:
    print(bad.strerror)
""")
    assert set(ast.literal_eval(ran.stdout.splitlines()[0])) == set(bubblewrap.FAMILIES.values())
    assert ran.stdout.splitlines()[1] == "Address family not supported by protocol"
