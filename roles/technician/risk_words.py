"""What is known of commands and modules: one table for bash, one for Python."""

from __future__ import annotations

from roles.technician.risk import RiskClass

_C = RiskClass


def _table(lists: dict[RiskClass, str]) -> dict[str, RiskClass]:
    return {word: kind for kind, words in lists.items() for word in words.split()}


COMMANDS = _table(
    {
        _C.FILES: """
            : [ basename bc break bunzip2 bzip2 cal cat cd cksum cmp column comm continue cp csplit cut date dc dd
            declare diff dirname dos2unix du echo egrep exit expand export expr factor false fgrep file fmt fold
            getopts grep gunzip gzip head hexdump hostname id install join jq less let ln local ls mapfile md5sum
            mkdir mkfifo mktemp more mv nl numfmt od paste patch popd printf pushd pwd read readarray readlink
            readonly realpath rename return rev rm rmdir seq set sha1sum sha256sum sha512sum shift shopt shred sleep
            split stat strings sum tac tail tar tee test touch tr tree true truncate tsort type typeset umask uname
            unexpand uniq unix2dos unlink unset unxz unzip wait wc whoami xxd xz zip""",
        _C.PROCESS: "bg disown fg jobs kill killall nohup pgrep pkill ps renice setsid strace gdb top",
        _C.NETWORK: """
            apt apt-get curl dig ftp git gem go host nc ncat netcat npm nslookup ping pip pip3 rsync scp sftp ssh socat telnet
            wget yarn mail sendmail""",
        _C.PRIVILEGE: """
            capsh chattr chgrp chown chroot crontab at doas insmod losetup modprobe mount mknod nsenter passwd reboot setcap
            setpriv shutdown su sudo swapon systemctl service sysctl umount unshare useradd usermod visudo bwrap""",
        _C.OBFUSCATED: """
            . alias base32 base64 bind builtin compgen complete enable eval exec expect fc gcc cc hash history lua make
            node openssl perl php ruby rustc script source tclsh trap tmux screen vi vim ed ex nano xdg-open""",
    }
)
"""`base64` and the like are here because what they bring forth is meant to be run."""

SHELLS = frozenset({"bash", "sh", "dash", "ash", "zsh", "ksh", "python", "python3"})
WRAPPERS: dict[str, tuple[str, int]] = {
    "command": ("", 0),
    "env": ("uCS", 0),
    "nice": ("n", 0),
    "stdbuf": ("ioe", 0),
    "time": ("fo", 0),
    "timeout": ("ks", 1),
    "xargs": ("adEILnPs", 0),
}
"""Commands that start another one: their options with a value, and how many words of their own come first."""
VARIABLES = frozenset(
    {
        *("PATH", "IFS", "ENV", "BASH_ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PS4", "PROMPT_COMMAND"),
        *("SHELLOPTS", "BASHOPTS", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "CDPATH", "GLOBIGNORE"),
    }
)

MODULES = _table(
    {
        _C.FILES: """
            __future__ abc argparse array bisect bz2 calendar cmath collections configparser contextlib copy csv
            dataclasses datetime decimal difflib enum errno fileinput fnmatch fractions functools glob graphlib gzip
            hashlib heapq html io itertools json keyword locale lzma math numbers operator os pathlib pprint random re
            secrets shelve shutil sqlite3 statistics string stringprep struct sys tarfile tempfile textwrap time
            tomllib types typing unicodedata uuid warnings xml zipfile zlib zoneinfo""",
        _C.PROCESS: "asyncio concurrent multiprocessing queue sched signal threading",
        _C.NETWORK: """
            aiohttp ftplib http httpx imaplib nntplib poplib requests select selectors smtplib socket socketserver ssl
            telnetlib urllib urllib3 webbrowser xmlrpc""",
        _C.PRIVILEGE: "grp pwd pty resource spwd syslog tty",
    }
)
"""Of every other module it cannot be told."""

NAMES = _table(
    {
        _C.PROCESS: "abort fork forkpty kill killpg nice waitpid",
        _C.PRIVILEGE: """
            chown chroot lchown mknod seteuid setgid setgroups setns setuid setresuid unshare setpriority setxattr""",
        _C.OBFUSCATED: """
            __builtins__ __class__ __dict__ __globals__ __import__ __loader__ __mro__ __subclasses__ __code__ __getattribute__
            breakpoint compile delattr eval exec execfile getattr globals input locals modules setattr vars
            execl execle execlp execlpe execv execve execvp execvpe popen posix_spawn posix_spawnp spawnl spawnv startfile system
            fdopen import_module run_path run_module _exit memfd_create""",
    }
)
"""Names that mean something wherever they stand, as attribute, as import or bare."""
NOT_BARE = frozenset({"kill", "nice", "modules", "abort"})
"""Names that are common as names of one's own variables; counted only behind a dot or in an import."""
METHODS = frozenset({"compile", "nice"})
"""Behind a dot they may be `re`'s; counted only behind a module."""
