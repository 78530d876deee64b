"""Scripts in JavaScript: each statement is what the same in Python is, or an error with its line; nothing is run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import protocol as p
from protocol.dialects import Context, dialect
from protocol.exports import FormatError, format_named
from protocol.log.log import LogLine

FORM = format_named("playwright_js")
PYTHON = dialect("playwright_python")
SPEC = """import { test, expect } from '@playwright/test';

test.use({ viewport: { width: 800, height: 600 } });

test('pays O\\'Hara', async ({ page }) => {
%s
});
"""


def lines(folder: Path, text: str) -> list[LogLine]:
    path = folder / "script.spec.ts"
    path.write_text(text, encoding="utf-8")
    return list(FORM.read(path).lines)


def actions(folder: Path, body: str) -> list[p.AgentAction]:
    found = lines(folder, SPEC % body)
    assert all(line.step for line in found), [line.error for line in found]
    return [line.step.action for line in found if line.step]


SAME = [
    ("await page.goto('https://a.example/?q=1#x');", 'page.goto("https://a.example/?q=1#x")'),
    ("await page.getByRole('link', { name: 'O\\'Hara' }).click();", 'page.get_by_role("link", name="O\'Hara").click()'),
    (
        "await page.getByText(/^to\\/tal: .*$/i).first().click({ button: 'right', modifiers: ['ControlOrMeta', 'Shift'] });",
        'page.get_by_text(re.compile("^to/tal: .*$", re.IGNORECASE)).first'
        '.click(button="right", modifiers=["ControlOrMeta", "Shift"])',
    ),
    (
        "await page.locator('#a').contentFrame().getByTestId('t').filter({ hasText: 'x' }).nth(2).dblclick()",
        'page.locator("#a").content_frame.get_by_test_id("t").filter(has_text="x").nth(2).dblclick()',
    ),
    ("await page.getByLabel('A').fill(\"it's\\n\\u{1F600}\\x41\\u00e9\");", 'page.get_by_label("A").fill("it\'s\\n😀Aé")'),
    ("await page.getByLabel('A').fill(`two\nlines \\${x}`);", 'page.get_by_label("A").fill("two\\nlines ${x}")'),
    ("await page.getByLabel('A').press('ControlOrMeta+a');", 'page.get_by_label("A").press("ControlOrMeta+a")'),
    ("await page.getByRole('combobox').selectOption(['a', 'b']);", 'page.get_by_role("combobox").select_option(["a", "b"])'),
    ("await page.locator('#f').setInputFiles('a.pdf');", 'page.locator("#f").set_input_files("a.pdf")'),
    ("await page.mouse.wheel(0, -1_200.5);", "page.mouse.wheel(0, -1200.5)"),
    ("await page.getByText('a').dragTo(page.getByText('b'));", 'page.get_by_text("a").drag_to(page.get_by_text("b"))'),
    ("await page.getByRole('checkbox').check();", 'page.get_by_role("checkbox").check()'),
    (
        "await expect(page.getByText('x')).not.toBeVisible({ timeout: 10 });",
        'expect(page.get_by_text("x")).not_to_be_visible(timeout=10)',
    ),
    ("await expect(page).toHaveURL(/login/);", 'expect(page).to_have_url(re.compile("login"))'),
    ("await page.setViewportSize({ width: 10, height: 20 });", 'page.set_viewport_size({"width": 10, "height": 20})'),
    (
        "const row = page.getByRole('row', { name: 'A ' })\n    .getByRole('cell');\nawait row.click();",
        'page.get_by_role("row", name="A ").get_by_role("cell").click()',
    ),
    (
        "page.once('dialog', dialog => {\n console.log(`${dialog.message()}`);\n dialog.dismiss().catch(() => {});\n});",
        'page.once("dialog", lambda dialog: dialog.dismiss())',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("script", "python"), SAME, ids=lambda text: text[:40])
def test_a_statement_is_what_its_twin_in_python_is(tmp_path: Path, script: str, python: str) -> None:
    assert actions(tmp_path, script) == PYTHON.read(python, Context()).actions


def clicked(selector: str) -> p.Click:
    return p.Click(target=p.ActionTarget(selector=selector))


def test_pages_that_open_are_followed(tmp_path: Path) -> None:
    body = """
  const page1Promise = page.waitForEvent('popup');
  await page.getByText('More').click();
  const page1 = await page1Promise;
  await page1.getByText('Save').click();
  await page1.close();
  const [help] = await Promise.all([
    page.waitForEvent('popup'),
    page.click('text=Help')
  ]);
  await help.click('#ok');
"""
    assert actions(tmp_path, body) == [
        clicked('get_by_text("More")'), p.Tabs(op="select", index=1),
        clicked('get_by_text("Save")'), p.Tabs(op="close"), p.Tabs(op="select", index=0),
        clicked("text=Help"), p.Tabs(op="select", index=1), clicked("#ok"),
    ]  # fmt: skip


def test_a_script_outside_of_a_test_is_read(tmp_path: Path) -> None:
    script = """const { chromium } = require('playwright');
(async () => {
  const browser = await chromium.launch({ headless: false });
  const context = await browser.newContext({ ...devices['iPhone 15'], locale: 'de' });
  const page = await context.newPage();
  await page.goto('https://a.example/')
  // ---------------------
  const page1 = await context.newPage();
  await page1.goto('https://b.example/')
  await context.close();
  await browser.close();
})();
"""
    found = lines(tmp_path, script)
    assert [line.step and line.step.action for line in found] == [
        p.Navigate(url="https://a.example/"), p.Tabs(op="new", url="https://b.example/"),
    ]  # fmt: skip
    assert [line.number for line in found] == [6, 8]
    assert found[0].step
    assert found[0].step.raw == {"lost": ["context: how the browser is set up is no action"]}


def test_what_is_only_known_when_it_is_run_costs_itself_and_names_its_line(tmp_path: Path) -> None:
    body = """  await page.goto('https://a.example/');
  if (await page.isVisible('#x')) {
    await page.click('#x');
  } else {
    await page.click('#y');
  }
  for (const one of [1, 2]) { await page.click('#' + one); }
  await page.fill('#p', process.env.PASSWORD);
  const title = await page.title();
  await page.click('#z');"""
    found = lines(tmp_path, SPEC % body)
    assert [(line.number, line.step is not None) for line in found] == [
        (6, True), (7, False), (12, False), (13, False), (14, False), (15, True),
    ]  # fmt: skip
    assert "only known when it is run: if (await page.isVisible" in found[1].error
    assert all(str(line.number) in line.error for line in found if line.step is None)


def test_a_name_stands_for_the_literal_that_it_was_given_and_not_for_what_a_loop_gave_it(tmp_path: Path) -> None:
    script = """const url = 'https://a.example/';
let on = false;
test('one', async ({ page }) => {
  let user = 'Ada';
  await page.goto(url);
  await page.fill('#a', user);
  while (more) { user = next(); }
  await page.fill('#a', user);
});
test('two', async ({ page }) => {
  await page.goto(url);
  await page.fill('#a', user);
});
"""
    found = lines(tmp_path, script)
    assert [line.step.action for line in found if line.step] == [
        p.Navigate(url="https://a.example/"), p.Fill(target={"selector": "#a"}, text="Ada"), p.Navigate(url="https://a.example/"),
    ]  # fmt: skip
    assert [line.number for line in found if line.error] == [7, 8, 12]


def test_each_test_begins_on_a_page_of_its_own_and_is_a_subtask(tmp_path: Path) -> None:
    body = """
test.describe('claims', () => {
  test('one', async ({ page }) => {
    await test.step('opens', async () => {
      await page.click('#a');
    });
  });
  test('two', async ({ page }) => { await page.click('#b'); }, 3000);
});"""
    one, two = lines(tmp_path, body)
    assert one.step
    assert two.step
    assert [(step.subtask, step.step, step.action.target) for step in (one.step, two.step)] == [
        ("one", 1, p.ActionTarget(selector="#a")), ("two", 2, p.ActionTarget(selector="#b")),
    ]  # fmt: skip


def test_an_empty_script_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no statement"):
        lines(tmp_path, "// nothing\n")


@given(text=st.text(max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_is_kept_whatever_is_in_it(tmp_path: Path, text: str) -> None:
    (fill,) = actions(tmp_path, f"await page.getByLabel('A').fill({json.dumps(text)});")
    assert fill.parameters["text"] == text


words = st.sampled_from(
    ["await ", "page", ".", "getByRole", "(", ")", "{", "}", "'a'", "`", "${", "//", "/*", "/a/", "\n", ";", "const ", "x", " = ",
     "test('t', async () => {", "=>", "[", "]", ",", "Promise.all(", "newPage", "waitForEvent", "'popup'", "once", "\\", "if"]
)  # fmt: skip


@given(parts=st.lists(words, max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_steps_and_errors_with_a_line(tmp_path: Path, parts: list[str]) -> None:
    try:
        found = lines(tmp_path, "".join(parts))
    except FormatError:
        return
    assert all(line.step or (line.error and line.number > 0) for line in found)
