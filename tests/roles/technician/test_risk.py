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
        ("wc -l < a.txt", C.READ),
        ("cat a.txt | grep -c x | sort -n && echo $(date)", C.READ),
        ("for f in *.txt; do head -n 1 \"$f\"; done", C.READ),
        ("find . -name '*.txt' -exec wc -l {} +", C.READ),
        ("awk '$3 > 5 {print $1}' a.txt", C.READ),
        ("sed -n '1,5p' a.txt", C.READ),
        ("timeout 5 xargs -n 1 wc < a.txt", C.READ),
        ("bash -c 'ls -la'", C.READ),
        ("sort a.txt > b.txt", C.WRITE),
        ("sort -o b.txt a.txt", C.WRITE),
        ("sed -i s/a/b/ a.txt", C.WRITE),
        ("awk '{print > \"b\"}' a.txt", C.WRITE),
        ("mkdir -p d && cp a.txt d/ && mv b.txt d/", C.WRITE),
        ("rm -rf d", C.DELETE),
        ("find . -name '*.tmp' -delete", C.DELETE),
        ("ls | xargs rm", C.DELETE),
        ("\\rm a.txt", C.DELETE),
        ("/usr/bin/rm a.txt", C.DELETE),
        ("clean() { rm a.txt; }; clean", C.DELETE),
        ("echo $(rm a.txt)", C.DELETE),
        ("env -i X=1 rm a.txt", C.DELETE),
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
        ("print(sum(1 for _ in open('a.txt')))", C.READ),
        ("import csv, json\nprint(json.dumps(list(csv.reader(open('a.csv', 'r')))))", C.READ),
        ("names = ['a']\nnames.remove('a')\nprint('a'.replace('a', 'b'), 3/4, '3/4 of it')", C.READ),
        ("import re\nprint(re.compile('x'))", C.READ),
        ("open('b', 'w').write('x')", C.WRITE),
        ("open('b', mode=m).write('x')", C.WRITE),
        ("from pathlib import Path\nPath('a').write_text('x')", C.WRITE),
        ("from pathlib import Path\nPath('a').replace('b')", C.WRITE),
        ("from pathlib import Path\nPath('a').open('w')", C.WRITE),
        ("import os\nos.remove('a')", C.DELETE),
        ("import os as o\no.remove('a')", C.DELETE),
        ("import os.path\nos.path.os.remove('a')", C.DELETE),
        ("from os import remove as tidy\ntidy('a')", C.DELETE),
        ("from pathlib import Path\nPath('a').unlink()", C.DELETE),
        ("import threading", C.PROCESS),
        ("import os\nos.kill(1, 9)", C.PROCESS),
        ("open('/etc/shadow')", C.OUTSIDE),
        ("import urllib.request", C.NETWORK),
        ("import os\nos.setuid(0)", C.PRIVILEGE),
        ("import subprocess", C.OBFUSCATED),
        ("from os import system as s\ns('id')", C.OBFUSCATED),
        ("import os\nm = os\nm.remove('x')", C.OBFUSCATED),
        ("o = open\no('a', 'w')", C.OBFUSCATED),
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
    found = [risk for risk in risks_of("bash", "ls\nrm -r old\n") if risk.kind is C.DELETE]
    assert [(risk.line, risk.what) for risk in found] == [(2, "rm -r old")]
    assert found[0].describe() == "line 2: delete: rm -r old"


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
            Rule(name="no_deleting", verdict="deny", effects=(Effect.DELETE,)),
            Rule(name="rest", verdict="ask", effects=tuple(Effect)),
        )
    )
    assert review(RunScript(code="curl example.com"), None, SCREEN, policy).verdict == "ask"
    assert review(RunScript(code="curl example.com; rm a"), None, SCREEN, policy).policy == "no_deleting"
    assert review(RunScript(code="eval x"), None, SCREEN, policy).verdict == "deny", "what cannot be told may delete"


def test_by_default_reading_and_writing_are_allowed_and_all_else_asks():
    verdicts = {code: review(RunScript(code=code), None, SCREEN, SafetyPolicy()).verdict
                for code in ("ls", "touch a", "rm a", "curl x", "sudo ls", "sleep 1 &", "cat /etc/passwd", "eval x")}  # fmt: skip
    assert verdicts == {"ls": "allow", "touch a": "allow"} | dict.fromkeys(list(verdicts)[2:], "ask")


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
    ["ls", "rm", "a.txt", "|", "&&", ";", ">", "$(", ")", "'", '"', "$x", "{", "}", "\n", "if", "then", "fi", "&", "<<E", "\\"]
)


@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_a_text_with_rm_as_a_word_of_its_own_command_is_never_taken_for_reading(code):
    """Whatever stands before it: a later command is seen, or the whole is not understood."""
    assert worst(risks_of("bash", f"{code}\nrm a.txt\n")) is not C.READ or "<<E" in code
