"""The page in a real Chromium, opened from the disk: by keyboard and mouse, at any width, light and dark, with any words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from services.chrome import serious
from worked.model_runs import worked_by_model

from orchestrator.views.page.run_data import PARTS, read_whole

Written = Callable[..., Path]
Opened = Callable[..., Any]
HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> \u202egnp.exe \ud800 \x1b[2J"
)


def chosen(page: Any) -> str:
    """The line that is chosen in the list."""
    return str(page.locator(".tree .current .words").inner_text())


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def told(folder: Path) -> Any:
    run = read_whole(str(folder), folder.parent)
    return {part: run.part(part) for part in PARTS} | {"items": run.heard.lines.items}


def test_it_opens_at_the_first_failure_and_a_link_opens_at_its_step(
    runs: dict[str, Path], written: Written, opened: Opened
) -> None:
    page = opened(written(runs["rejected"]))
    assert chosen(page) == "rejected"
    page.wait_for_selector("#panel .bad")
    assert "not today" in page.locator("#panel").inner_text()
    assert page.locator(".badge.failed").first.inner_text() == "rejected"
    page = opened(written(runs["rejected"]), "#step-2")
    assert page.locator(".tree .current .number").inner_text() == "2"
    page.wait_for_selector("#panel >> text=Step 2")
    page = opened(written(runs["waiting"]))
    assert chosen(page) == 'asks: click "Submit"'
    assert "nobody has answered yet" in page.locator("#panel").inner_text()


def test_by_keys_alone_one_goes_to_the_next_step_gate_and_failure_and_to_the_blackboard_of_that_moment(
    runs: dict[str, Path], written: Written, opened: Opened
) -> None:
    data = told(runs["rejected"])
    lines = [item.line for item in data["items"]]
    page = opened(written(runs["rejected"]), "#step-1")
    first = chosen(page)
    press(page, "j")
    assert chosen(page) == lines[lines.index(first) + 1]
    press(page, "k")
    assert chosen(page) == first
    press(page, "g")
    assert chosen(page) == next(item.line for item in data["items"] if item.kind == "gate")
    press(page, "b")
    page.wait_for_selector("#tab-board[aria-selected=true]")
    fact = data["facts"][0]
    page.wait_for_selector(f"#panel >> text={fact['value']}")
    press(page, "K", "K")
    page.wait_for_selector("#panel >> text=0 known")
    press(page, "b", "e")
    assert chosen(page) == "rejected"
    page.wait_for_selector("#tab-step[aria-selected=true]")
    press(page, "?")
    assert page.locator("dialog[open]").count() == 1
    press(page, "Escape")
    assert page.locator("dialog[open]").count() == 0
    page.locator(".tree").focus()
    at = next(number for number, item in enumerate(data["items"]) if item.kind == "step")
    press(page, "Home", *["ArrowDown"] * at)
    assert chosen(page) == lines[at]
    assert page.url.endswith("#step-1")


def test_search_finds_what_a_line_says_and_what_stands_behind_it_and_filters_leave_the_rest_out(
    runs: dict[str, Path], written: Written, opened: Opened
) -> None:
    data = told(runs["done"])
    page = opened(written(runs["done"]))
    press(page, "/")
    page.keyboard.type('click "submit')
    page.wait_for_selector(f".told >> text=of {len(data['items'])}")
    press(page, "Enter")
    assert chosen(page) in ('click "Submit"', 'asks: click "Submit"')
    page.fill("#search", "approval_required_for_sensitive_actions")
    page.wait_for_selector(".told >> text=2 lines")
    assert {'asks: click "Submit"', 'click "Submit"'} >= set(page.locator(".tree .item .words").all_inner_texts())
    press(page, "Escape")
    page.click("text=Clear")
    page.select_option("[aria-label='Only this role']", "evaluator")
    gates = [item.line for item in data["items"] if item.role == "evaluator"]
    assert page.locator(".tree .item .words").all_inner_texts() == gates
    page.check("#failed")
    assert page.locator(".tree .item").count() == 0


def test_the_screen_is_shown_before_and_after_with_the_place_that_was_pressed_marked(
    runs: dict[str, Path], written: Written, opened: Opened
) -> None:
    folder = runs["done"]
    data = told(folder)
    step = next(item for item in data["items"] if item.kind == "step" and item.line.startswith("fill"))
    page = opened(written(folder), f"#step-{step.step}")
    page.wait_for_selector(".marks .target")
    frame = page.locator(".frame").bounding_box()
    ring = page.locator(".marks .dot").bounding_box()
    assert frame["x"] < ring["x"] < frame["x"] + frame["width"]
    assert page.locator(".marks .changed").count() == 0
    press(page, "a")
    page.wait_for_selector(".marks .changed")
    press(page, "a")
    page.wait_for_selector(".figures.both .frame >> nth=1")
    assert page.locator(".figures .frame").count() == 2
    drawn = "node => { const c = node.getContext('2d').getImageData(0, 0, node.width, node.height).data; return new Set(c).size }"
    assert page.locator(".frame canvas").first.evaluate(drawn) > 5, "the elements are drawn"


@pytest.mark.parametrize("bundle", [False, True], ids=["beside", "bundled"])
def test_pictures_are_shown_where_the_run_has_them(runs: dict[str, Path], written: Written, opened: Opened, bundle: bool) -> None:
    page = opened(written(runs["pictures"], bundle=bundle), "#step-1")
    page.wait_for_selector(".frame img")
    image = page.locator(".frame img").first
    image.evaluate("node => node.decode()")
    assert image.evaluate("node => [node.naturalWidth, node.naturalHeight]") == [1280, 800]
    assert image.evaluate("node => node.src").startswith("blob:" if bundle else "file:")


def test_a_picture_that_is_gone_is_drawn_from_its_elements(runs: dict[str, Path], written: Written, chrome: Any) -> None:
    page_file = written(runs["pictures"])
    for path in (page_file.parent / "view-screens").iterdir():
        path.unlink()
    page = chrome.new_page()
    page.goto(f"{page_file.as_uri()}#step-1")
    page.wait_for_selector(".frame canvas")
    page.close()


def test_plan_machine_time_and_run_are_shown_as_of_the_chosen_line(
    runs: dict[str, Path], written: Written, opened: Opened
) -> None:
    page = opened(written(runs["done"]), "#step-1")
    press(page, "2")
    page.wait_for_selector(".graph .subtask.is-pending")
    page.keyboard.press("3")
    page.wait_for_selector(".machine .edge.walked")
    early = page.locator(".machine .edge.walked").count()
    press(page, "End")
    page.locator(".tree").focus()
    press(page, "End")
    page.wait_for_selector(".machine .situation.now >> text=done")
    assert page.locator(".machine .edge.walked").count() > early
    press(page, "2")
    page.wait_for_selector(".graph .subtask.is-fulfilled")
    assert page.locator(".graph .subtask").count() == page.locator(".graph .subtask.is-fulfilled").count()
    press(page, "5")
    page.wait_for_selector("#panel >> text=operator")
    press(page, "6")
    page.wait_for_selector("#panel >> text=deskcrew replay")


def test_two_runs_open_beside_each_other_at_the_first_difference_and_axe_finds_nothing_serious(
    runs: dict[str, Path], written: Written, opened: Opened
) -> None:
    both = written(runs["done"], runs["rejected"])
    for scheme in ("dark", "light"):
        page = opened(both, scheme=scheme)
        page.wait_for_selector(".beside figure >> nth=1")
        assert page.locator(".pair.first.current").count() == 1
        assert serious(page, scheme) == []
    press(page, "j")
    assert (page.locator(".pair.current").count(), page.locator(".pair.first.current").count()) == (1, 0)
    page.locator(".beside button").first.click()
    assert page.locator(".one").is_visible()
    press(page, "c")
    assert page.locator(".two").is_visible()
    page.click("text=Run B")
    assert chosen(page) == "rejected"
    assert page.url.endswith("#b-item-" + str(len(told(runs["rejected"])["items"])))
    same = opened(written(runs["done"], runs["done"], name="same.html"))
    assert "Both runs did the same" in same.locator(".compare").inner_text()


def test_words_of_a_screen_or_a_model_do_nothing_and_hide_nothing(
    tmp_path: Path, written: Written, opened: Opened, hostile: Callable[[Path, str], Path]
) -> None:
    page = opened(written(hostile(tmp_path / "run", HOSTILE)))
    for key in ("1", "2", "3", "4", "5", "6"):
        press(page, key)
        page.wait_for_timeout(60)
        assert page.locator("#panel").inner_text()
    for _ in range(page.locator(".tree .item").count()):
        press(page, "k")
        page.wait_for_selector("#panel h2")
    press(page, "1")
    assert "owned" not in page.title().split("document.title")[0]
    page.wait_for_selector("#panel h2")
    page.wait_for_timeout(100)
    seen = page.evaluate("document.body.innerText")
    assert "\u202e" not in seen
    assert "\x1b" not in seen
    assert "<img src=x" in seen, "it is shown as text"
    assert page.evaluate("document.querySelectorAll('img[src=x], body script:not([type]), iframe, object').length") == 1


def test_another_script_and_markup_cannot_run_in_the_page_and_damaged_data_is_said(
    runs: dict[str, Path], written: Written, chrome: Any
) -> None:
    path = written(runs["done"])
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("</body>", "<script>window.owned = 1</script><img src=x onerror='window.owned = 1'></body>"))
    page = chrome.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    assert page.evaluate("window.owned") is None
    refused = "() => { try { document.body.innerHTML = '<b>x</b>'; return 'done'; } catch (bad) { return bad.name; } }"
    assert page.evaluate(refused) == "TypeError"
    path.write_text(text.replace('id="a-run">', 'id="a-run">AAAA'), encoding="utf-8")
    page.goto(path.as_uri())
    page.wait_for_selector("[role=alert] >> text=cannot show its run")
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(420, "light"), (420, "dark"), (1280, "light"), (1280, "dark"), (1920, "light")])
def test_it_fits_its_width_and_axe_finds_nothing_serious(
    runs: dict[str, Path], written: Written, opened: Opened, width: int, scheme: str
) -> None:
    page = opened(written(runs["rejected"]), width=width, scheme=scheme)
    page.wait_for_selector(".frame canvas")
    found: list[str] = []
    for key in {1280: "123456", 420: "3"}.get(width, "1") if scheme == "light" else "1":
        press(page, key)
        page.wait_for_selector("#panel h2")
        found += serious(page, key)
    if (width, scheme) == (1280, "dark"):
        press(page, "?")
        found += serious(page, "?")
    assert found == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the page"


def test_with_the_keyboard_alone_every_part_is_reached_and_the_focus_is_seen(
    runs: dict[str, Path], written: Written, opened: Opened
) -> None:
    page = opened(written(runs["rejected"]))
    page.wait_for_selector("#panel h2")
    reached: set[str] = set()
    name_and_outline = """() => {
      const at = document.activeElement;
      return [at.id || at.className || at.textContent, getComputedStyle(at).outlineStyle];
    }"""
    for _ in range(25):
        press(page, "Tab")
        name, outline = page.evaluate(name_and_outline)
        if page.evaluate("document.activeElement !== document.body"):
            assert outline != "none", name
        reached.add(str(name))
    assert {"search", "tree", "tab-step", "panel", "help", "failed"} <= reached


def test_long_runs_keep_only_the_rows_in_sight(tmp_path: Path, written: Written, opened: Opened) -> None:
    from roles.journal.journal import Journal

    folder = tmp_path / "long"
    folder.mkdir()
    journal = Journal(folder / "journal.sqlite", lambda: 1.0)
    for step in range(1, 3001):
        body = {"action": {"action_type": "wait"}, "exec_status": "error" if step == 2500 else "executed"}
        journal.append("step", body, role="operator", subtask="s1", step=step)
    journal.close()
    page = opened(written(folder))
    assert page.locator(".tree .current .number").inner_text() == "2500"
    assert page.locator(".tree .row").count() < 80
    assert page.locator(".film .cell").count() < 60
    press(page, "/")
    page.keyboard.type("wait")
    page.wait_for_selector(".told >> text=3,000 lines")


def test_prompt_and_reply_stand_at_their_step_and_are_read_when_they_are_opened(
    tmp_path: Path, written: Written, opened: Opened
) -> None:
    outcome = worked_by_model(tmp_path)
    page = opened(written(outcome.folder), "#step-2")
    page.wait_for_selector("#panel .call")
    assert page.locator("#panel .call pre").count() == 0
    for title in ("system", "human", "reply", "the form of the answer"):
        page.locator("#panel .call summary", has_text=title).first.click()
    page.locator("#panel .call pre").nth(3).wait_for()
    assert page.locator("#panel .call pre").count() == 4
    said = page.locator("#panel .call").inner_text()
    assert "You work an application for a user" in said
    assert '"as the screen says' in said.replace("\\", "")
