"""What a sandbox does about a script that means harm: every way out is tried for real, and the refusal is seen.

Nothing of the host is written to: what could be written is
opened only. `test_escapes_sideways.py` has the ways beside files and networks, `test_collected.py` what comes back.
"""

import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from waiting import until

pytestmark = pytest.mark.slow("a sandbox")


def found_with(mark: str) -> list[Path]:
    """All processes of this machine, but this one, whose command line holds a word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in line:
                found.append(entry)
    return found


def users_of(processes: list[Path]) -> set[int]:
    """The users of those processes, as the host sees them."""
    users = set()
    for process in processes:
        try:
            users.add(process.stat().st_uid)
        except FileNotFoundError:
            continue
    return users


def test_the_hosts_files_are_not_there(bash, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the host's")
    secret.chmod(0o644)
    ran = bash(f"cat {secret} /etc/shadow /etc/passwd /root/.bashrc; printf '%s ' /*")
    assert "the host's" not in ran.stdout
    assert ran.stderr.count("No such file") == 4
    known = "/bin /dev /etc /lib /lib32 /lib64 /libx32 /proc /sbin /tmp /usr /workspace"
    assert set(ran.stdout.split()) <= {*known.split()}


def test_the_system_cannot_be_written(bash):
    places = "/usr/x /bin/x /etc/x /x /dev/x /dev/shm/x /lib/x"
    ran = bash(f"for place in {places}; do echo x > $place && echo wrote $place; done")
    assert ran.stdout == ""
    assert ran.stderr.count("Read-only file system") + ran.stderr.count("Permission denied") == 7
    assert not Path("/usr/x").exists()


def test_there_is_no_network(python):
    """Its own loopback at most: not the host's, nor any address, nor the host's abstract sockets."""
    with socket.socket() as server, socket.socket(socket.AF_UNIX) as abstract:
        server.bind(("127.0.0.1", 0))
        server.listen()
        abstract.bind(f"\0deskcrew-escape-{os.getpid()}")
        abstract.listen()
        port = server.getsockname()[1]
        ran = python(f"""
import os, socket
for family, address in ((socket.AF_INET, ("127.0.0.1", {port})), (socket.AF_INET, ("192.0.2.1", 80)),
                        (socket.AF_UNIX, "\\0deskcrew-escape-{os.getpid()}")):
    try:
        socket.socket(family).connect(address)
        print("REACHED", address)
    except OSError as no:
        print("refused:", no.strerror)
print(sorted(line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line))
""")
    assert "REACHED" not in ran.stdout
    assert ran.stdout.count("refused:") == 3
    assert "['lo']" in ran.stdout


def test_the_environment_of_the_host_is_nowhere_and_its_processes_are_not_seen(bash, monkeypatch):
    monkeypatch.setenv("DESKCREW_CANARY", "canary-5f1d")
    ran = bash("env; for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; tr '\\0' ' ' < $p/cmdline; done 2>/dev/null")
    assert "canary-5f1d" not in ran.stdout
    assert str(Path(__file__).parents[3]) not in ran.stdout
    assert "HOME=/workspace" in ran.stdout
    ran = bash("set -- /proc/[0-9]*; echo $#; cat /proc/1/comm")
    assert int(ran.stdout.split()[0]) < 12
    assert ran.stdout.split()[1] in {"bwrap", "python3"}


def test_nothing_of_proc_sys_that_is_the_hosts_can_be_opened_for_writing(python):
    """Root inside could write `core_pattern` and run anything on the host."""
    ran = python("""
import os
opened = []
for top, _, names in os.walk("/proc/sys"):
    for name in names:
        try:
            os.close(os.open(os.path.join(top, name), os.O_WRONLY))
            opened.append(os.path.join(top, name))
        except OSError:
            pass
print("\\n".join(opened))
""")
    own = ("/proc/sys/kernel/", "/proc/sys/fs/mqueue/", "/proc/sys/net/", "/proc/sys/user/")
    assert ran.exit_code == 0
    assert all(path.startswith(own) for path in ran.stdout.split())
    hosts = {"core_pattern", "modprobe", "hotplug", "sysrq", "panic", "poweroff_cmd", "usermodehelper", "randomize_va_space"}
    assert not hosts & {path.rpartition("/")[2] for path in ran.stdout.split()}


def test_the_kernels_own_files_cannot_be_opened(python):
    ran = python("""
for path in "/proc/sysrq-trigger /proc/kcore /dev/mem /dev/sda /dev/vda /dev/kvm /proc/kmsg /proc/kallsyms /sys/kernel/x".split():
    try:
        print("OPENED", path, open(path, "r+b"))
    except OSError as no:
        print("refused", path)
""")
    assert ran.stdout.count("refused") == 9, ran.stdout


def test_there_are_no_namespaces_within_the_namespace_and_nobody_inside_is_root_or_becomes_it(bash):
    ran = bash(
        "unshare --user --map-root-user id; unshare --mount true; unshare --net true;"
        "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs x /usr; mount --bind /workspace /usr; echo x > /usr/x'"
    )
    assert ran.exit_code != 0
    assert "uid=0" not in ran.stdout
    assert ran.stderr.count("unshare failed") == 4
    ran = bash("id -u; grep -E '^(CapEff|CapBnd)' /proc/self/status; mount -t tmpfs x /tmp; chroot / true; su -c id; sudo id")
    assert ran.stdout.split()[0] == "1000"
    assert "CapEff:\t0000000000000000" in ran.stdout
    assert "CapBnd:\t0000000000000000" in ran.stdout
    assert "uid=0" not in ran.stdout


def test_the_kernel_knows_no_root_either_and_every_script_is_another_user(sandbox):
    """Seen from outside: never 0, or files of the host would be root's to touch; never two alike, as processes count by user."""
    if os.geteuid() != 0:
        pytest.skip("this process is not root")
    seen = threading.Event()
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(sandbox.run, "sleep 4141", "bash", {}, 6) for _ in range(3)]
        until = time.monotonic() + 20
        while len(users := users_of(found_with("sleep\0004141"))) < 3 and time.monotonic() < until:
            seen.wait(0.05)
        assert all(run.result().timed_out for run in runs)
    assert len(users) == 3
    assert all(64_800 <= uid < 65_000 for uid in users)


def test_a_fork_bomb_stops_at_its_bound(bash):
    ran = bash("for i in $(seq 200); do sleep 5252 & done; echo still here", timeout=10, processes=24)
    assert "Resource temporarily unavailable" in ran.stderr or "retry" in ran.stderr
    assert found_with("sleep\0005252") == []


def test_memory_is_bounded(python):
    ran = python("x = bytearray(2**31)", memory_bytes=256 * 2**20)
    assert ran.exit_code == 1
    assert "MemoryError" in ran.stderr


def test_the_disk_is_bounded_by_file_and_altogether_and_is_not_the_hosts(bash):
    one = bash("head -c 50000000 /dev/zero > big", file_bytes=2**20)
    assert one.exit_code != 0
    many = bash("for i in $(seq 64); do head -c 1000000 /dev/zero > f$i || exit 9; done", work_bytes=8 * 2**20)
    assert many.exit_code == 9
    assert "No space left on device" in many.stderr
    temp = bash("for i in $(seq 64); do head -c 1000000 /dev/zero > /tmp/f$i || exit 9; done", work_bytes=8 * 2**20)
    assert temp.exit_code == 9


def test_signals_reach_nobody_outside(bash):
    """Another process of this machine lives on, whichever number is guessed."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as outside:
        ran = bash(f"kill -9 {outside.pid} {os.getpid()} {os.getppid()}; kill -9 -1; echo unreached")
        assert outside.poll() is None
        outside.terminate()
    assert "No such process" in ran.stderr


def test_a_link_out_of_the_folder_or_in_the_place_of_a_given_one_brings_nothing_in(bash, tmp_path):
    secret = tmp_path / "outside.txt"
    secret.write_text("outside")
    ran = bash(
        f"ln -s {secret} a; ln -s /etc/shadow b; ln -s ../../../etc c; mkdir d; ln -s /proc/1/root d/e; ln given hard;"
        "rm -r sub; ln -s /usr/share sub",
        files={"given": b"g", "sub/a.txt": b"a"},
    )
    assert ran.files == {"given": b"g", "hard": b"g"}
    assert {left.path: left.why for left in ran.left_out} == dict.fromkeys(("a", "b", "c", "d/e", "sub"), "a symbolic link")


def test_nothing_is_left_running(bash):
    ran = bash("for i in 1 2 3; do setsid nohup sleep 4242 >/dev/null 2>&1 & done; disown -a; (sleep 4242 &) ; echo done")
    assert ran.stdout == "done\n"
    assert ran.files is not None
    assert found_with("sleep\0004242") == []


def test_the_output_is_read_to_its_end_and_kept_to_its_bound(bash):
    ran = bash(
        "head -c 30000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' e >&2; touch made", output_bytes=5_000
    )
    assert ran.exit_code == 0
    assert ran.truncated
    assert (len(ran.stdout), len(ran.stderr)) == (5_000, 5_000)
    assert ran.files == {"made": b""}


def test_a_script_that_does_not_stop_is_stopped_with_all_its_children(bash):
    began = time.monotonic()
    ran = bash("trap '' TERM INT HUP; echo begun; (trap '' TERM; sleep 4343) & sleep 4343; wait", timeout=3)
    assert ran.timed_out
    assert ran.stdout == "begun\n"
    assert ran.files is None
    assert time.monotonic() - began < 200, "the limit is three seconds; the rest is a busy machine"
    assert found_with("4343") == []


def test_endless_output_ends_with_the_time(bash):
    ran = bash("yes", timeout=3, output_bytes=2_000)
    assert ran.timed_out
    assert ran.truncated
    assert len(ran.stdout) == 2_000


def test_there_is_no_display_and_no_bus(bash):
    ran = bash(
        "echo [$DISPLAY$WAYLAND_DISPLAY$DBUS_SESSION_BUS_ADDRESS$SSH_AUTH_SOCK];"
        "for place in /run /var /tmp/.X11-unix /home /root /mnt /srv /boot; do test -e $place && echo $place; done"
    )
    assert ran.stdout == "[]\n"


def test_what_stands_beside_the_script_can_be_killed_without_harm(bash):
    """The script takes the place of the one that answers: nothing is taken back."""
    assert bash("kill -9 $PPID; sleep 0.2; echo x > made").files is None


def test_a_forged_answer_is_no_more_than_the_files_it_claims(python):
    ran = python("""
import glob, os
for path in glob.glob("/proc/%d/fd/*" % os.getppid()):
    try:
        with open(path, "w") as out:
            out.write('{"exit_code":0,"files":{"../../root/x":"eA=="},"folders":[],"left_out":[],"whole":true}')
    except OSError:
        pass
""")
    assert not ran.files
    assert not Path("/root/x").exists()


def test_a_kill_of_this_process_takes_the_sandbox_along(sandbox):
    """As when the run is killed in the middle of a script."""
    program = (
        "from environments.sandbox.detect import installed\n"
        "found = installed()\n"
        "print('ready', flush=True)\n"
        "found.run('sleep 4444', 'bash', {}, 60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as child:
        assert child.stdout.readline() == b"ready\n"
        until(lambda: found_with("sleep\0004444"), "the script to run")
        child.kill()
    until(lambda: found_with("sleep\0004444") == [], "the sandbox to end with it")
