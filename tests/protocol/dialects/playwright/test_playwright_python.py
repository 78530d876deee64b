"""Scripts as Playwright's codegen writes them, in all its Python flavours; Python's own grammar judges what is written."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from written.actions import every_action

import protocol as p
from protocol.dialects import Context, DialectError
from protocol.dialects.playwright.playwright_python import DIALECT, from_playwright_python

HERE = Context()
PREFIX = "x-playwright_python."


def carried(name: str, target: Any = None, **arguments: Any) -> p.Extension:
    return p.Extension(action_type=PREFIX + name, target=target, arguments=arguments)


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

SYNC = """import re
from playwright.sync_api import Playwright, sync_playwright, expect


def run(playwright: Playwright) -> None:
    browser = playwright.chromium.launch(headless=False)
    context = browser.new_context()
    page = context.new_page()
    page.goto("https://a.example/")
    page.get_by_role("link", name="Learn").click()
    with page.expect_popup() as page1_info:
        page.get_by_role("link", name="Try it Yourself »").nth(2).click()
    page1 = page1_info.value
    page1.get_by_role("button", name="Run").click()
    expect(page1.locator("#x").filter(has=page1.get_by_text("a"))).to_be_visible()
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_text("back").click()
    page1.close()
    page2 = context.new_page()
    page2.goto("about:blank?foo")
    with page2.expect_download() as download_info:
        page2.get_by_role("link", name="Download").click()
    download = download_info.value

    # ---------------------
    context.close()
    browser.close()


with sync_playwright() as playwright:
    run(playwright)
"""
DONE = [
    p.Navigate(url="https://a.example/"),
    p.Click(target={"role": "link", "text": "Learn"}),
    p.Click(target={"selector": 'get_by_role("link", name="Try it Yourself »").nth(2)'}),
    p.Tabs(op="select", index=1),
    p.Click(target={"role": "button", "text": "Run"}),
    carried("expect", text='expect(page.locator("#x").filter(has=page.get_by_text("a"))).to_be_visible()'),
    p.Tabs(op="select", index=0),
    carried("dialog", answer="dismiss"),
    p.Click(target={"selector": 'get_by_text("back")'}),
    p.Tabs(op="close", index=1),
    p.Tabs(op="new", url="about:blank?foo"),
    p.Click(target={"role": "link", "text": "Download"}),
]
ASYNC = """import asyncio
import re
from playwright.async_api import Playwright, async_playwright, expect


async def run(playwright: Playwright) -> None:
    browser = await playwright.webkit.launch(headless=False)
    context = await browser.new_context(**playwright.devices["iPhone 11"], color_scheme="light")
    page = await context.new_page()
    await page.goto("https://a.example/")
    async with page.expect_popup() as page1_info:
        await page.get_by_role("link", name="Open").click()
    page1 = await page1_info.value
    await expect(page1.get_by_text("x")).to_be_visible()

    # ---------------------
    await context.storage_state(path="state.json")
    await context.close()
    await browser.close()


async def main() -> None:
    async with async_playwright() as playwright:
        await run(playwright)


asyncio.run(main())
"""
PYTEST = """import pytest
import re
from playwright.sync_api import Page, expect


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args, playwright):
    return {**playwright.devices["iPhone 11"], "locale": "en-US"}


def test_example(page: Page) -> None:
    page.goto("https://a.example/")
"""


def read(text: str) -> list[p.AgentAction]:
    return from_playwright_python(text, HERE).actions


def test_a_script_of_codegen_is_read_line_by_line() -> None:
    read_back = from_playwright_python(SYNC, HERE)
    assert read_back.actions == DONE
    assert [loss.what for loss in read_back.losses] == ["expect_popup", "expect_download"]


def test_the_other_flavours_of_codegen_are_read_too() -> None:
    awaited = from_playwright_python(ASYNC, HERE)
    assert awaited.actions == [
        p.Navigate(url="https://a.example/"),
        p.Click(target={"role": "link", "text": "Open"}),
        p.Tabs(op="select", index=1),
        carried("expect", text='expect(page.get_by_text("x")).to_be_visible()'),
    ]
    assert [loss.what for loss in awaited.losses] == ["context", "expect_popup", "context"]
    assert read(PYTEST) == [p.Navigate(url="https://a.example/")]


@pytest.mark.parametrize("selector", SELECTORS)
def test_a_selector_is_a_chain_or_a_text_and_comes_back_as_it_was(selector: str) -> None:
    click = p.Click(target={"selector": selector})
    written = DIALECT.write(click, HERE)
    assert from_playwright_python(written.payload, HERE) == ([click], [])
    assert written.losses == []
    tree = ast.parse(written.payload)
    assert {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} <= {"page", "re"}
    assert len(tree.body) == 1


@given(action=every_action)
def test_what_is_written_is_python_that_asks_a_page(action: p.Action) -> None:
    try:
        text = DIALECT.write(action, HERE).payload
    except DialectError:
        return
    for statement in ast.parse(text).body:
        value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        assert value is not None
        names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        assert names <= {"page", "context"}
