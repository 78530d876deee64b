"""What the site of the documents shows in place of a link to a test, which is no page of it: the name of its file and its own."""

from __future__ import annotations

import re
from typing import Any

_TEST = re.compile(r"\[(test_\w+(?:\[[^\]]+\])?)\]\(\.\./(tests/[\w/.]+\.py)\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The hook of MkDocs."""
    return _TEST.sub(r"`\2::\1`", markdown)
