"""What each sentence means, how it is written, and the other ways to say it that are read."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from protocol import parse_action
from protocol.dsl import emit, parse_line, parse_script

SAVE = {"text": "Save"}

# What is plain is shown by the canonical examples of docs/dsl.md, and by the round trips.
SENTENCES: list[tuple[str, dict[str, Any]]] = [
    ('Shift-Control-middle-double-click "Save" hold 1.5 s delay 0.3 s',
     {"action_type": "click", "button": "middle", "count": 2, "modifiers": ["Shift", "Control"], "hold": 1.5, "delay": 0.3,
      "target": SAVE}),
    ('back-long-press "Save" for 1 s', {"action_type": "click", "button": "back", "hold": 1.0, "target": SAVE}),
    ('mouse up right on "Save"', {"action_type": "mouse_up", "button": "right", "target": SAVE}),
    ("Alt-right-drag at (1, 2) to (7, 8) via (3, 4), (0.5, 0.5) norm1",
     {"action_type": "drag", "button": "right", "modifiers": ["Alt"], "target": {"point": {"x": 1, "y": 2}},
      "to": {"point": {"x": 7, "y": 8}}, "path": [{"x": 3, "y": 4}, {"x": 0.5, "y": 0.5, "space": "norm1"}]}),
    ('type "x" into "Amount" and press Enter',
     {"action_type": "type", "text": "x", "target": {"text": "Amount"}, "submit": True}),
    ('fill "Amount" with ""', {"action_type": "fill", "text": "", "target": {"text": "Amount"}}),
    ("press Control++", {"action_type": "press_key", "keys": ["Control", "+"]}),
    ("Control-scroll up 1 and left 2.5", {"action_type": "scroll", "delta": {"x": -2.5, "y": -1}, "modifiers": ["Control"]}),
    ("scroll down 120 px", {"action_type": "scroll", "delta": {"x": 0, "y": 120}, "unit": "px"}),
    ('select "a, b", "c" in #4', {"action_type": "select_option", "options": ["a, b", "c"], "target": {"element_id": "4"}}),
    ("switch to tab 1", {"action_type": "tabs", "op": "select", "index": 1}),
    ('wait 0.5 s for "a" until "b" is gone', {"action_type": "wait", "seconds": 0.5, "text": "a", "text_gone": "b"}),
    ('screenshot marks #1, #"the last one"', {"action_type": "screenshot", "marks": ["1", "the last one"]}),
    ("screenshot region [0.25, 0, 1, 1] norm1",
     {"action_type": "screenshot", "region": {"x1": 0.25, "y1": 0, "x2": 1, "y2": 1, "space": "norm1"}}),
    ('upload "a.pdf", "b.pdf" to "Receipt"',
     {"action_type": "upload", "files": ["a.pdf", "b.pdf"], "target": {"text": "Receipt"}}),
    ('call billing.list_invoices(vendor="Acme", paid=false, "due date"=null, ids=[1, 2.0, {"a": "b"}])',
     {"action_type": "call_api", "app": "billing", "function": "list_invoices",
      "arguments": {"vendor": "Acme", "paid": False, "due date": None, "ids": [1, 2.0, {"a": "b"}]}}),
    ('ask the agent of "mail": "Find the invoice."',
     {"action_type": "ask_in_app_agent", "app": "mail", "request": "Find the invoice."}),
    ('run python "print(1)\\nprint(2)"', {"action_type": "run_script", "language": "python", "code": "print(1)\nprint(2)"}),
    ('memorize "total" = "$248.90" from #9',
     {"action_type": "memorize", "name": "total", "value": "$248.90", "target": {"element_id": "9"}}),
    ('ask the user "Which one?" as "invoice"', {"action_type": "ask_user", "question": "Which one?", "name": "invoice"}),
    ('x-other.verb {"a": [1, null]} on "Save" delay 1 s',
     {"action_type": "x-other.verb", "arguments": {"a": [1, None]}, "target": SAVE, "delay": 1.0}),
    ("click box [1, 2, 3, 4] of 10x20",
     {"action_type": "click",
      "target": {"bbox": {"x1": 1, "y1": 2, "x2": 3, "y2": 4, "space": "image", "image_size": [10, 20]}}}),
    ('click button "Save" #12 @save css "b" box [1, 2, 3, 4] at (1, 2) described "the blue one" state "5e1f"',
     {"action_type": "click", "target": {
         "role": "button", "text": "Save", "element_id": "12", "track_id": "save", "selector": "b",
         "bbox": {"x1": 1, "y1": 2, "x2": 3, "y2": 4}, "point": {"x": 1, "y": 2}, "description": "the blue one",
         "state_id": "5e1f"}}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "meaning"), SENTENCES, ids=[line for line, _ in SENTENCES])
def test_a_sentence_means_one_action_and_is_how_that_action_is_written(line: str, meaning: dict[str, Any]) -> None:
    action = parse_action(meaning)
    assert parse_line(line) == action
    assert emit(action) == line


OTHER_WAYS = yaml.safe_load(Path(__file__).with_name("spellings.yaml").read_text(encoding="utf-8"))["other_ways"]


@pytest.mark.parametrize(("line", "canonical"), OTHER_WAYS, ids=[line for line, _ in OTHER_WAYS])
def test_other_ways_to_say_it_are_read(line: str, canonical: str) -> None:
    assert emit(parse_line(line)) == canonical


def test_a_script_has_comments_blank_lines_and_the_line_ends_of_any_system() -> None:
    script = '\ufeff# the claim\r\n\r\n  open "mail"\r\n#12 is a comment here\n\tgo back # done\n   \nfinish\r'
    assert [(number, emit(action)) for number, action in parse_script(script)] == [
        (3, 'open "mail"'), (5, "go back"), (7, "finish"),
    ]  # fmt: skip
    assert parse_script("") == parse_script("\n# nothing\n") == []


def test_tables_that_are_kept_read_a_line_as_new_ones_do_and_torn_ones_are_made_again(tmp_path: Path) -> None:
    # Only the tables are looked for there: all else would be compiled anew.
    said = "import sys, lark, protocol; sys.pycache_prefix = sys.argv[1]\n"
    said += "from protocol.dsl import DSLError, parse_line; print(parse_line('click \"Save\"').dump())\n"
    said += "try: parse_line('clack 1')\nexcept DSLError as bad: print(bad)"
    own = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}

    def told() -> str:
        done = subprocess.run([sys.executable, "-c", said, str(tmp_path)], env=own, capture_output=True, text=True, check=True)
        assert not done.stderr
        return done.stdout

    made = told()
    (kept,) = tmp_path.rglob("*.lark")
    whole = kept.read_bytes()
    assert told() == made
    kept.write_bytes(whole[: len(whole) // 2])
    assert told() == made
    assert kept.stat().st_size > len(whole) // 2
