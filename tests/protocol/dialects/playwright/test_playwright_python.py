"""Scripts as Playwright's codegen writes them, in all its Python flavours; Python's own grammar judges what is written."""

import ast

import pytest
from hypothesis import given
from written.dialect_cases import calls

import protocol as p
from protocol.dialects import Context
from protocol.dialects.playwright.playwright_python import DIALECT

HERE = Context()

SELECTORS = [
    'locator("#leftmenuinnerinner").get_by_role("link", name="HTML Elements")',
    'locator("div").filter(has_text=re.compile(r"^Hello$")).nth(1)',
    'locator("div").filter(has=page.get_by_text("a", exact=True), has_not_text="b").first',
    'locator("#frame1").content_frame.locator("iframe").nth(2).content_frame.get_by_text("HelloNameAnonymous")',
    'locator("iframe[name=\\"one\\"]").content_frame.get_by_text("x")',
    'get_by_role("button", name=re.compile(r"submit", re.IGNORECASE | re.MULTILINE))',
    'get_by_role("heading", level=2).last',
    'get_by_test_id("save")',
    'get_by_title("x").or_(page.get_by_alt_text("y"))',
    'frame_locator("#f").get_by_label("Amount")',
    "#save",
    "css=e12",
    "//button[text()='Save']",
    "text=Log in",
    'get_by_label("Amount").click()',
    "get_by_label(x)",
    'get_by_text(os.system("x"))',
    "",
    "a\nb",
    'get_by_label("A") # no comment',
    '"); import os; page.locator("',
]


@pytest.mark.parametrize("selector", SELECTORS)
def test_a_selector_is_a_chain_or_a_text_and_comes_back_as_it_was(selector: str) -> None:
    click = p.Click(target={"selector": selector})
    written = DIALECT.write(click, HERE)
    assert DIALECT.read(written.payload, HERE) == ([click], [])
    assert written.losses == []
    tree = ast.parse(written.payload)
    assert {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} <= {"page", "re"}
    assert len(tree.body) == 1


@given(written=calls(DIALECT, HERE))
def test_what_is_written_is_python_that_asks_a_page(written: list[str]) -> None:
    for statement in ast.parse("\n".join(written)).body:
        value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        assert value is not None
        names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        assert names <= {"page", "context"}
