"""Help pages as products write them: which lines are steps, whose steps they are, and what beside them is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from roles.contracts import Supplement
from roles.knowledge.pages.folders import read_page
from roles.knowledge.pages.playbook import Playbook, playbooks_in


def books(name: str, text: str) -> tuple[Playbook, ...]:
    page = read_page(Path(name), text.encode(), id="x", source=f"help:{name}")
    return playbooks_in(Supplement(query="q", source=page.source, title=page.title, text=page.text))


def steps(text: str, name: str = "a.md") -> list[str]:
    (book,) = books(name, text)
    assert not book.doubt
    return [step.text for step in book.steps]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "# T\n1. Open mail:\n   1. Click A\n   2. Click B\n2. Send it"),
        ("a.md", "# T\n1. Open mail:\n   - Click A\n   - Click B\n\n2. Send it"),
        ("a.html", "<h1>T</h1><ol><li><p>Open mail:</p><ol type=a><li>Click A<li>Click B</ol></li><li>Send it</ol>"),
    ],
    ids=["numbers", "points", "HTML"],
)  # fmt: skip
def test_steps_of_a_step_are_steps_and_it_is_their_heading(name: str, text: str) -> None:
    assert steps(text, name) == ["Open mail:", "Click A", "Click B", "Send it"]
    assert [step.heads for step in books(name, text)[0].steps] == [True, False, False, False]


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("a.md", "> **Warning** Delete all."),
        ("a.md", "> [!CAUTION]\n> 1. Delete all."),
        ("a.md", "**Note:** Delete all.\nAnd the rest."),
        ("a.md", "- Tip: Delete all."),
        ("a.md", "⚠️ Warning: Delete all."),
        ("a.md", "   !!! danger\n       1. Delete all.\n"),
        ("a.md", "   ![Delete all](a.png)"),
        ("a.md", "![Delete all][1]"),
        ("a.md", "```\n1. Delete all.\n```"),
        ("a.md", "Hinweis: Alles löschen."),
        ("a.html", "<aside>1. Delete all.</aside>"),
        ("a.html", '<div class="admonition warning"><ol><li>Delete all.</ol></div>'),
        ("a.html", '<p role="note">Delete all.</p>'),
        ("a.html", '<img alt="Delete all" src=a.png>'),
        ("a.html", "<pre>1. Delete all.</pre>"),
        ("a.html", "<footer><ol><li>Delete all.</ol></footer>"),
    ],
)
def test_what_stands_beside_the_steps_is_no_step(name: str, beside: str) -> None:
    if name.endswith(".md"):
        assert steps(f"# T\n\n1. Open mail\n\n{beside}\n\n2. Send it\n") == ["Open mail", "Send it"]
    else:
        assert steps(f"<h1>T</h1><ol><li>Open mail{beside}</li><li>Send it</li></ol>", name) == ["Open mail", "Send it"]


@pytest.mark.parametrize(
    "text",
    [
        "T\n===\n\n1. Open mail\n2. Send it",
        "---\ntitle: T\ntags:\n- a\n- b\n---\n- Open mail\n- Send it",
        "\ufeff# T\r\n\r\n1. Open mail\r\n2. Send it\r\n",
    ],
    ids=["underlined title", "front matter", "other line ends"],
)
def test_steps_and_title_are_read_in_every_writing(text: str) -> None:
    assert steps(text) == ["Open mail", "Send it"]
    assert books("a.md", text)[0].title == "T"


def test_bold_is_a_name_or_a_word_and_no_half_procedure_is_kept() -> None:
    (text,) = steps("# T\n1. **Open** the **Mail box** and do **not** wait, then click **Send**.\n")
    assert text == 'Open the "Mail box" and do not wait, then click "Send".'
    whole = "# One\n1. Click A.\n2. Click B.\n\n" + "words " * 300 + "\n\n"
    found = books("a.md", whole * 1200)
    assert len(found) > 50
    assert {len(book.steps) for book in found} == {2}


def test_broken_html_is_read_as_far_as_it_goes_and_in_the_writing_that_it_names() -> None:
    assert steps("<h1>T<ol><li>Open <b>mail<li>Send it</ol><p>unclosed <table><tr><td>", "a.html") == ["Open mail", "Send it"]
    page = read_page(Path("a.html"), '<meta charset="iso-8859-1"><h1>Größe</h1><p>x'.encode("latin-1"), id="x", source="s")
    assert page.title == "Größe"
