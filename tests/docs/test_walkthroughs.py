"""The pages of docs/how-to are followed to the letter: files are written, commands run, and they print what the page says."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from warm import line

pytestmark = pytest.mark.slow("documents that are worked to their end")

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "how-to").glob("*.md"))
_FENCE = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """A file to write, or a command and the lines that it prints."""

    file: str
    command: str
    text: str


def steps(page: str) -> Iterator[Step]:
    for language, title, text in _FENCE.findall(page):
        if title:
            yield Step(title, "", text)
        elif language == "console":
            for said in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, printed = said.partition("\n")
                yield Step("", command, printed)
        else:
            assert not language, f"a {language} block without a title is followed by nobody"


def as_pattern(printed: str) -> re.Pattern[str]:
    """What is printed: `...` is anything in a line, and alone on a line any lines."""
    lines = [".*?" if line == "..." else ".*?".join(map(re.escape, line.split("..."))) + r"\n" for line in printed.splitlines()]
    return re.compile("".join(f"(?s:{line})" if line == ".*?" else line for line in lines))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_can_be_followed_to_its_end(page: Path, tmp_path: Path) -> None:
    environment = {
        **os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "TERM": "dumb", "COLUMNS": "200",
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    assert {page.stem for page in PAGES} >= {"task", "world", "app", "policy", "environment", "dialect", "gate-test"}
    followed = 0
    for step in steps(page.read_text(encoding="utf-8")):
        if step.file:
            (tmp_path / step.file).write_text(step.text, encoding="utf-8")
            continue
        code, printed = line(step.command, tmp_path, environment)
        assert code == 0, f"$ {step.command}\n{printed}"
        assert as_pattern(step.text).fullmatch(printed), f"$ {step.command}\n{printed}"
        followed += 1
    assert followed
