"""What the safety policy is told of a script before anything runs."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import RunScript, VisualState
from roles.safety import Rule, SafetyPolicy, review
from roles.safety.effects import Effect, effects_of, risks_of

SCREEN = VisualState(timestamp=0, screen_resolution=(800, 600), elements=())


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        ("cat a.txt | grep -c mail | sort -n && echo $(date) 2>&1 > /dev/null", set()),
        ("find . -name '*.tmp' -delete; rm -rf d; echo 'Tom & Jerry' > b.txt", set()),
        ("timeout 5 xargs -n 1 wc < /Documents/a.txt; cd d/.. && ls ../d/..", {"outside"}),
        ("eval \"$(cat a.txt)\"; $CMD a.txt; perl -e 'unlink \"a\"'", set()),
        ("sleep 100 &", {"process"}),
        ("kill -9 1", {"process"}),
        ("b() { b | b; }; b", {"process"}),
        (":(){ :|:& };:", {"process"}),
        ("cat /etc/passwd", {"outside"}),
        ("cat ../../secret", {"outside"}),
        ("cat ~root/x", {"outside"}),
        ("curl http://example.com", {"network"}),
        ("if true; then /usr/bin/wget x; fi", {"network"}),
        ("ls | timeout 5 xargs -n 1 \\curl", {"network"}),
        ("find . -exec scp {} far: \\;", {"network"}),
        ("bash -c 'ssh far'", {"network"}),
        ("echo x > /dev/tcp/192.0.2.1/80", {"network"}),
        ("python3 -c 'import csv, socket'", {"network"}),
        ("X=1 sudo ls", {"privilege"}),
        ("chmod u+s a", {"privilege"}),
        ("chmod 644 a; chmod u+x a", set()),
    ],
)  # fmt: skip
def test_what_a_bash_script_would_use(code, kinds):
    assert {risk.kind for risk in risks_of("bash", code)} == kinds


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        ("import csv, json\nprint(json.dumps(list(csv.reader(open('a.csv', 'r')))), 3/4, 5 & 3)", set()),
        ("import os\nos.remove('a')\nprint('curl; kill')", set()),
        ("import subprocess\nexec('x')\ngetattr(1, 'x')", set()),
        ("print(1", set()),
        ("import threading", {"process"}),
        ("import os\nos.kill(1, 9)", {"process"}),
        ("from os import fork as f", {"process"}),
        ("open('/etc/shadow')", {"outside"}),
        ("import csv; import urllib.request", {"network"}),
        ("import os\nos.setuid(0)", {"privilege"}),
    ],
)
def test_what_a_python_script_would_use(code, kinds):
    assert {risk.kind for risk in risks_of("python", code)} == kinds
    (found,) = risks_of("bash", "ls\ncurl -s old\n")
    assert found.describe() == "line 2: network: curl -s old"


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


def test_by_default_what_uses_only_the_files_or_cannot_be_told_is_run_and_all_else_asks():
    """What it does to the files is asked about when it has been done to their copy."""

    def verdict(code, policy=None):
        return review(RunScript(code=code), None, SCREEN, policy or SafetyPolicy()).verdict

    assert {verdict(code) for code in ("ls", "rm a", "eval x")} == {"allow"}
    assert {verdict(code) for code in ("curl x", "sudo ls", "sleep 1 &", "cat /etc/passwd")} == {"ask"}
    # a task that allows some applications allows no script unless it names the terminal
    assert verdict("ls", SafetyPolicy().constrained({"allowed_apps": ["notes"]})) == "deny"
    assert verdict("ls", SafetyPolicy().constrained({"allowed_apps": ["notes", "terminal"]})) == "allow"


@given(st.text(max_size=200) | st.text("()[]{}|&;:'\"~/.x \n", max_size=200), st.sampled_from(["bash", "python"]))
def test_any_text_is_read_and_any_script_looks(code, language):
    assert effects_of(RunScript(language=language, code=code), None, SCREEN)[-1] is Effect.OBSERVE


@pytest.mark.parametrize("piece", ["../", "x() {", "a", " ", "'", "env ", "chmod ", "import ", "/", "x()", "&"])
def test_a_long_text_takes_no_long_time_to_read(piece):
    begun = time.process_time()
    for language in ("bash", "python"):
        risks_of(language, piece * 50_000)
    assert time.process_time() - begun < 2
