"""Each dialect has a page, and its table of losses is what the code does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from protocol.dialects import NAMES
from protocol.exports import NAMES as FORMATS

pytestmark = pytest.mark.slow("documents that are worked to their end")

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", NAMES)
def test_a_dialect_has_a_page_with_a_table_of_losses(name: str) -> None:
    page = (ROOT / "docs" / "dialects" / f"{name}.md").read_text(encoding="utf-8")
    assert "<!-- losses -->\n\n| action |" in page, "run scripts/loss_tables.py"
    assert "```python" in page


def test_the_tables_are_what_the_code_does() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "loss_tables.py", "--check"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_dialect_and_format_is_named_in_the_overview() -> None:
    overview = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    missing = [name for name in (*NAMES, *FORMATS) if f"`{name}`" not in overview]
    assert not missing
