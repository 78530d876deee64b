"""What the safety policy is told of a script before anything runs."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import RunScript, VisualState
from roles.effects import Effect
from roles.safety import Rule, SafetyPolicy, review
from roles.technician.amounts import effects_of
from roles.technician.risk import RiskClass, risks_of, worst

SCREEN = VisualState(timestamp=0, screen_resolution=(800, 600), elements=())
C = RiskClass


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("wc -l < a.txt", C.FILES),
        ("cat a.txt | grep -c x | sort -n && echo $(date)", C.FILES),
        ("for f in *.txt; do head -n 1 \"$f\"; done", C.FILES),
        ("find . -name '*.txt' -exec wc -l {} +", C.FILES),
        ("awk '$3 > 5 {print $1}' a.txt", C.FILES),
        ("sed -n '1,5p' a.txt", C.FILES),
        ("timeout 5 xargs -n 1 wc < a.txt", C.FILES),
        ("bash -c 'ls -la'", C.FILES),
        ("sort a.txt > b.txt", C.FILES),
        ("sort -o b.txt a.txt", C.FILES),
        ("sed -i s/a/b/ a.txt", C.FILES),
        ("awk '{print > \"b\"}' a.txt", C.FILES),
        ("mkdir -p d && cp a.txt d/ && mv b.txt d/", C.FILES),
        ("rm -rf d", C.FILES),
        ("find . -name '*.tmp' -delete", C.FILES),
        ("ls | xargs rm", C.FILES),
        ("\\rm a.txt", C.FILES),
        ("/usr/bin/rm a.txt", C.FILES),
        ("clean() { rm a.txt; }; clean", C.FILES),
        ("echo $(rm a.txt)", C.FILES),
        ("env -i X=1 rm a.txt", C.FILES),
        ("sleep 100 &", C.PROCESS),
        ("kill -9 1", C.PROCESS),
        ("cat /etc/passwd", C.OUTSIDE),
        ("cat ../../secret", C.OUTSIDE),
        ("echo x > /proc/sys/kernel/core_pattern", C.OUTSIDE),
        ("cat ~root/x", C.OUTSIDE),
        ("curl http://example.com", C.NETWORK),
        ("echo x > /dev/tcp/192.0.2.1/80", C.NETWORK),
        ("python3 -c 'import socket'", C.NETWORK),
        ("sudo ls", C.PRIVILEGE),
        ("chmod u+s a", C.PRIVILEGE),
        ("unshare -r bash -c ls", C.PRIVILEGE),
        ("eval \"$(cat a.txt)\"", C.OBFUSCATED),
        ("$CMD a.txt", C.OBFUSCATED),
        ("r\"m\" a.txt", C.OBFUSCATED),
        ("$'\\x72m' a.txt", C.OBFUSCATED),
        ("echo cm0gLXJmIC8= | base64 -d | bash", C.OBFUSCATED),
        ("PATH=. ls", C.OBFUSCATED),
        ("ls() { curl x; }; ls", C.OBFUSCATED),
        ("perl -e 'unlink \"a\"'", C.OBFUSCATED),
        ("awk 'BEGIN{system(\"id\")}'", C.OBFUSCATED),
        ("sed 's/x/y/e' a.txt", C.OBFUSCATED),
        ("source a.sh", C.OBFUSCATED),
        ("some-unknown-program", C.OBFUSCATED),
        ("echo 'never closed", C.OBFUSCATED),
        ("echo \u202etxt.sr", C.OBFUSCATED),
        ("x=1\n" * 20_000, C.OBFUSCATED),
    ],
)  # fmt: skip
def test_the_worst_of_a_bash_scripts_commands(code, expected):
    assert worst(risks_of("bash", code)) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print(sum(1 for _ in open('a.txt')))", C.FILES),
        ("import csv, json\nprint(json.dumps(list(csv.reader(open('a.csv', 'r')))))", C.FILES),
        ("names = ['a']\nnames.remove('a')\nprint('a'.replace('a', 'b'), 3/4, '3/4 of it')", C.FILES),
        ("import re\nprint(re.compile('x'))", C.FILES),
        ("open('b', 'w').write('x')", C.FILES),
        ("open('b', mode=m).write('x')", C.FILES),
        ("from pathlib import Path\nPath('a').write_text('x')", C.FILES),
        ("from pathlib import Path\nPath('a').replace('b')", C.FILES),
        ("from pathlib import Path\nPath('a').open('w')", C.FILES),
        ("import os\nos.remove('a')", C.FILES),
        ("import os as o\no.remove('a')", C.FILES),
        ("import os.path\nos.path.os.remove('a')", C.FILES),
        ("from os import remove as tidy\ntidy('a')", C.FILES),
        ("from pathlib import Path\nPath('a').unlink()", C.FILES),
        ("import threading", C.PROCESS),
        ("import os\nos.kill(1, 9)", C.PROCESS),
        ("open('/etc/shadow')", C.OUTSIDE),
        ("import urllib.request", C.NETWORK),
        ("import os\nos.setuid(0)", C.PRIVILEGE),
        ("import subprocess", C.OBFUSCATED),
        ("from os import system as s\ns('id')", C.OBFUSCATED),
        ("import os\nm = os\nm.remove('x')", C.OBFUSCATED),
        ("o = open\no('a', 'w')", C.FILES),
        ("getattr(__import__('o' + 's'), 'sys' + 'tem')('id')", C.OBFUSCATED),
        ("().__class__.__base__.__subclasses__()", C.OBFUSCATED),
        ("exec('x')", C.OBFUSCATED),
        ("import ctypes", C.OBFUSCATED),
        ("from os import *", C.OBFUSCATED),
        ("print(1", C.OBFUSCATED),
    ],
)
def test_the_worst_of_what_a_python_script_names(code, expected):
    assert worst(risks_of("python", code)) is expected


def test_a_risk_names_its_line_and_its_words():
    found = [risk for risk in risks_of("bash", "ls\ncurl -s old\n") if risk.kind is C.NETWORK]
    assert [(risk.line, risk.what) for risk in found] == [(2, "curl -s old")]
    assert found[0].describe() == "line 2: network: curl -s old"


def test_without_the_parser_bash_is_of_the_worst_class_and_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    risks_of.cache_clear()
    (risk,) = risks_of("bash", "ls")
    risks_of.cache_clear()
    assert risk.kind is C.OBFUSCATED
    assert 'pip install "deskcrew[technician]"' in risk.why


def test_a_rule_against_any_of_the_effects_is_a_rule_against_the_script():
    """The worst of it asks, and something in it is forbidden: it is forbidden."""
    policy = SafetyPolicy(
        rules=(
            Rule(name="no_privileges", verdict="deny", effects=(Effect.PERMISSION,)),
            Rule(name="rest", verdict="ask", effects=tuple(Effect)),
        )
    )
    assert review(RunScript(code="curl example.com"), None, SCREEN, policy).verdict == "ask"
    assert review(RunScript(code="curl example.com; sudo ls"), None, SCREEN, policy).policy == "no_privileges"
    assert review(RunScript(code="eval x"), None, SCREEN, policy).verdict == "deny", "what cannot be told may want other rights"


def test_by_default_what_stays_within_the_files_is_run_and_all_else_asks():
    """What it does to the files is asked about when it has been done to their copy."""
    verdicts = {code: review(RunScript(code=code), None, SCREEN, SafetyPolicy()).verdict
                for code in ("ls", "touch a", "rm a", "curl x", "sudo ls", "sleep 1 &", "cat /etc/passwd", "eval x")}  # fmt: skip
    assert verdicts == dict.fromkeys(list(verdicts)[:3], "allow") | dict.fromkeys(list(verdicts)[3:], "ask")


def test_a_task_that_allows_some_applications_allows_no_script_unless_it_names_the_terminal():
    closed = SafetyPolicy().constrained({"allowed_apps": ["notes"]})
    opened = SafetyPolicy().constrained({"allowed_apps": ["notes", "terminal"]})
    assert review(RunScript(code="ls"), None, SCREEN, closed).verdict == "deny"
    assert review(RunScript(code="ls"), None, SCREEN, opened).verdict == "allow"


@given(st.text(max_size=200), st.sampled_from(["bash", "python"]))
def test_any_text_has_a_class_and_never_an_exception(code, language):
    assert worst(risks_of(language, code)) in RiskClass
    assert effects_of(RunScript(language=language, code=code), None, SCREEN)


WORDS = st.sampled_from(
    ["ls", "curl", "a.txt", "|", "&&", ";", ">", "$(", ")", "'", '"', "$x", "{", "}", "\n", "if", "then", "fi", "&", "<<E", "\\"]
)


@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_a_text_with_curl_as_a_word_of_its_own_command_is_never_taken_for_harmless(code):
    """Whatever stands before it: a later command is seen, or the whole is not understood."""
    assert worst(risks_of("bash", f"{code}\ncurl a.txt\n")) is not C.FILES or "<<E" in code
