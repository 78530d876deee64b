"""A log that was taken for something else: the refusal names what it can be read as, whatever is in the file."""

import json
from pathlib import Path

import pytest
from worked.runs import deskcrew

from orchestrator.lab.logs import advice, readable_as

CLICK = {"action": "left_click", "coordinate": [640, 400]}
RECORDED = {"title": "a", "steps": [{"type": "click", "selectors": [["#a"]]}]}
KNOWN = [
    (json.dumps(CLICK), ["anthropic", "qwen"]),
    (json.dumps({"step_num": 1, "action": "pyautogui.click(640, 400)"}), ["osworld", "pyautogui"]),
    ("page.get_by_text('a').click()\n", ["playwright_python"]),
    (json.dumps(RECORDED, indent=1), ["devtools_recorder"]),
    ("".join(json.dumps(CLICK) + "\n" for _ in range(9)) + '{"action": "dance"}\n', ["anthropic", "qwen"]),
    ('{"some": "thing"}\n', []),
]


@pytest.mark.parametrize(("text", "names"), KNOWN, ids=lambda value: str(value)[:30])
def test_what_a_file_can_be_read_as_is_named_and_it_is_not_read_unasked(tmp_path: Path, text: str, names: list[str]) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text(text, encoding="utf-8")
    assert readable_as(path) == names
    for words in (("show", str(path)), ("convert", str(path), "--to", "dsl", "-o", str(tmp_path / "out.txt"))):
        code, said = deskcrew("log", *words)
        assert code in (1, 2)
        assert all(f"--from {name}" in said for name in names)
        assert ("it can be read with" in said) == bool(names)


def test_a_file_that_holds_no_action_says_so_and_hundreds_of_broken_lines_are_not_all_shown(tmp_path: Path) -> None:
    asked = tmp_path / "asked.json"
    asked.write_text(json.dumps([{"role": "user", "content": "Save it"}]), encoding="utf-8")
    for words in (("show", str(asked)), ("convert", str(asked), "--to", "dsl", "-o", str(tmp_path / "out.txt"))):
        assert "contains no action that is readable in this form" in deskcrew("log", *words, "--from", "ui_tars")[1]
    printed = tmp_path / "printed.json"
    printed.write_text(json.dumps({"steps": list(range(300))}, indent=1), encoding="utf-8")
    shown = deskcrew("log", "show", printed)[1]
    assert shown.count("cannot be read") == 20
    assert "contains no readable line" in shown


TRAPS = {
    "brackets": b"[" * 30_000, "braces": b'{"a":' * 30_000, "digits": b"9" * 100_000, "no text": b"\xff\xfe\x00a",
    "null": b"a\0b", "half a character": b'"\\ud800"', "zipped": b"\x1f\x8bno", "nothing": b"", "calls": b"f(" * 3_000,
}  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS)
def test_any_file_is_looked_at_without_harm(tmp_path: Path, trap: str) -> None:
    (tmp_path / "trap").write_bytes(TRAPS[trap])
    assert "deskcrew log formats" in advice(tmp_path / "trap")
