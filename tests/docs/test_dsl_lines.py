"""What pages write as a line of the language of actions can be parsed."""

from __future__ import annotations

import re
from pathlib import Path

from protocol.dsl import parse_line

PAGE = Path(__file__).resolve().parents[2] / "docs/environment-types.md"


def test_every_action_in_the_table_of_gestures_can_be_parsed() -> None:
    gesture = r"^\| (?:tap|long press|swipe[^|]*|back|home|the app before) \| ([^|]*)\|"
    rows = re.findall(gesture, PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    lines = [line for row in rows for line in re.findall(r"`([^`]*)`", row)]
    assert len(lines) >= 8
    for line in lines:
        assert parse_line(line)
