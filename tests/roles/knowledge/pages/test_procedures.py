"""Help pages as products write them: which lines are steps, whose steps they are, and what beside them is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roles.contracts import Supplement
from roles.knowledge.pages.folders import UnreadablePage, read_page
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
        ("a.md", "# T\n1. Open mail:\n    a. Click A\n    b. Click B\n2. Send it"),
        ("a.md", "# T\n1. Open mail:\n\n   i. Click A\n   ii. Click B\n\n2. Send it"),
        ("a.md", "# T\n## Step 1: Open mail:\n1. Click A\n2. Click B\n\n## Step 2\nSend it"),
        ("a.html", "<h1>T</h1><ol><li><p>Open mail:</p><ol type=a><li>Click <b>A</b><li>Click B</ol></li><li>Send it</ol>"),
        ("a.json", json.dumps({"name": "T", "step": [{"name": "Open mail:", "itemListElement": [{"text": "Click A"},
                                                     {"text": "Click B"}]}, {"text": "2. Send it"}]})),
    ],
    ids=["numbers", "letters", "romans", "headings", "HTML", "JSON"],
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
        ("a.md", ":::caution\n1. Delete all.\n:::"),
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
        "# T\n\n| Step | Action | Result |\n|:--|:-:|---|\n| 1 | Open mail | It opens |\n| Step 2 | Send it | Gone |\n",
        "# T\n① Open mail\n② Send it",
        "# T\n1．Open mail\n2．Send it",
        "# T\n1\\. Open mail\n2\\. Send it",
        "T\n===\n\n1. Open mail\n2. Send it",
        "---\ntitle: T\ntags:\n- a\n- b\n---\n- Open mail\n- Send it",
        "\ufeff# T\r\n\r\n1. Open mail\r\n2. Send it\r\n",
    ],
    ids=["table", "circled", "full width", "escaped", "underlined title", "front matter", "other line ends"],
)
def test_steps_and_title_are_read_in_every_writing(text: str) -> None:
    assert steps(text) == ["Open mail", "Send it"]
    assert books("a.md", text)[0].title == "T"


def test_the_rows_of_a_table_in_html_are_steps_where_its_first_column_numbers_them() -> None:
    row = "<tr><td>{}</td><td>{}</td></tr>"
    table = f"<table><tr><th>No.</th><th>Do</th></tr>\n{row.format(1, 'Open mail')}\n{row.format(2, 'Send it')}</table>"
    assert steps(f"<h1>T</h1>{table}", "a.html") == ["Open mail", "Send it"]
    assert books("a.html", f"<h1>T</h1>{table.replace('No.', 'Seats')}") == ()


def test_ways_that_stand_side_by_side_are_procedures_of_their_own() -> None:
    tabs = '# T\n\n=== "Web"\n\n    1. Click A\n\n=== "Phone"\n\n    1. Tap B\n'
    assert [(book.title, book.steps[0].text) for book in books("a.md", tabs)] == [("Web", "Click A"), ("Phone", "Tap B")]
    lists = "# T\nOn the web:\n1. Click A\n2. Go\n\nOn your phone:\n1. Tap B\n"
    assert [(book.title, book.page) for book in books("a.md", lists)] == [("T: On the web", "T"), ("T: On your phone", "T")]
    (unclear,) = books("a.md", "# T\n1. Click A\n2. Go\n\nElse.\n\n1. Tap B\n")
    assert unclear.doubt == "its numbers begin anew, so that it is not one procedure"


def test_names_in_bold_are_names_and_words_in_bold_are_words() -> None:
    (book,) = books("a.md", "# T\n1. **Open** the **Mail box** and do **not** wait, then click **Send**.\n")
    assert book.steps[0].text == "Open the Mail box and do not wait, then click Send."
    assert book.steps[0].named == 'Open the "Mail box" and do not wait, then click "Send".'


@pytest.mark.parametrize(
    "told",
    [
        {"article": {"id": 1, "title": "T", "body": "<ol><li>Open mail</li><li>Send it</li></ol>", "url": "x"}},
        {"application": "x", "request": "T", "guidance": ["1. Open mail", "2. Send it"]},
        {"@type": "HowTo", "name": "T", "step": [{"@type": "HowToStep", "text": "Open mail"}, {"text": "Send it"}]},
        {"title": "T", "sections": [], "steps": [{"action": "Open mail", "shell": "rm"}, {"description": "Send it"}]},
        [{"question": "T", "answer": "1. Open mail\n2. Send it"}],
    ],
)
def test_json_of_other_products_is_read_by_its_words(told: object) -> None:
    text = json.dumps(told)
    assert steps(text, "a.json") == ["Open mail", "Send it"]
    assert books("a.json", text)[0].title == "T"
    assert "rm" not in read_page(Path("a.json"), text.encode(), id="x", source="s").text


def test_several_articles_of_one_file_are_pages_of_their_own() -> None:
    told = [{"question": "How A?", "answer": "1. Click A"}, {"question": "How B?", "answer": "1. Go"}]
    found = books("a.json", json.dumps(told))
    assert [(book.title, book.page) for book in found] == [("How A?", ""), ("How B?", "")]


def test_of_a_page_that_is_too_large_no_half_procedure_is_kept() -> None:
    whole = "# One\n1. Click A.\n2. Click B.\n\n" + "words " * 300 + "\n\n"
    found = books("a.md", whole * 1200)
    assert len(found) > 50
    assert {len(book.steps) for book in found} == {2}


@pytest.mark.parametrize("text", ["{", "[[[", '{"a": {"b": 1}}', '"words"', "[1, 2]", "{}"])
def test_json_without_an_article_is_refused(text: str) -> None:
    with pytest.raises(UnreadablePage):
        read_page(Path("a.json"), text.encode(), id="x", source="s")


def test_broken_html_is_read_as_far_as_it_goes_and_in_the_writing_that_it_names() -> None:
    assert steps("<h1>T<ol><li>Open <b>mail<li>Send it</ol><p>unclosed <table><tr><td>", "a.html") == ["Open mail", "Send it"]
    page = read_page(Path("a.html"), '<meta charset="iso-8859-1"><h1>Größe</h1><p>x'.encode("latin-1"), id="x", source="s")
    assert page.title == "Größe"
