"""A browser behind the contract: what is seen, what verbs do, what happens by itself, and what is refused."""

import asyncio
from pathlib import Path

import pytest

import protocol as p
from environments.browser import BrowserEnvironment
from environments.browser.observation.elements import clean
from environments.browser.session import Record, find_chromium, flags, free_name
from environments.check import check_environment
from environments.contract import DigestMismatch, EnvironmentFault, Screenshots


def on(text: str, role: str | None = None) -> p.ActionTarget:
    return p.ActionTarget(text=text, role=role)


def test_the_contract_is_kept(site):
    kept = check_environment(BrowserEnvironment(site.url("frames.html")))
    assert "closing twice is fine" in kept
    assert "a known key with another action is refused" in kept


# --- what a page is asked


@pytest.fixture
def asked(monkeypatch):
    """Every question to the script in a page."""
    from playwright.async_api import JSHandle

    said, plain = [], JSHandle.evaluate

    async def counted(self, script, given=None):
        said.append(given)
        return await plain(self, script, given)

    monkeypatch.setattr(JSHandle, "evaluate", counted)
    return said


def test_a_page_without_frames_is_asked_once_for_a_look_and_little_more_than_ten_times_for_a_press(surf, asked):
    surf.open("edit.html")
    surf.see()
    asked.clear()
    surf.see()
    assert asked == [["list"]]
    asked.clear()
    assert surf.fill("Story", "three").ok
    assert len(asked) <= 12, asked
    asked.clear()
    assert surf.click("Story").ok
    assert len(asked) <= 14, asked


@pytest.mark.parametrize(
    "script",
    ["Array.prototype.toJSON = () => 'another'; 0", "JSON.stringify = () => 'another'; 0", "JSON.stringify = () => 7; 0"],
)
def test_a_page_with_another_json_is_seen_as_it_is(surf, script):
    seen = surf.open("edit.html")
    surf.env._run(surf.env._sight.session.page.evaluate(script), 20)
    assert surf.see().elements == seen.elements
    assert surf.fill("Story", "three").ok
    assert surf.one("Story").value == "three"


# --- what verbs do


def test_typing_adds_filling_replaces_and_enter_is_pressed_only_where_it_is_said(surf):
    surf.open("edit.html")
    assert surf.do(p.Type(target=on("Story"), text=" two\nthree é 漢")).ok
    assert surf.one("Story").value == "one two\nthree é 漢"
    assert surf.fill("Story", "new\nlines").ok
    assert surf.one("Story").value == "new\nlines"
    for text in ("plain", "", "plain"):
        assert surf.fill("Note", text).ok
        assert surf.fill("Story", text).ok
        assert (surf.one("Note").value.strip(), surf.one("Story").value) == (text, text)
    assert surf.do(p.Type(target=on("Note"), text=" more")).ok
    assert surf.one("Note").value == "plain more"
    surf.fill("Query", "cats")
    assert "sent cats" not in surf.texts()
    surf.fill("Query", "dogs", submit=True)
    assert "sent dogs" in surf.texts()


def test_dates_numbers_and_sliders_are_set_and_a_field_that_keeps_something_else_says_so(surf):
    surf.open("edit.html")
    assert surf.fill("Due", "2026-12-31").ok
    assert surf.one("Due").value == "2026-12-31"
    assert "date field, as in '2026-12-31'" in surf.fill("Due", "next week").error
    assert surf.fill("Count", "12").ok
    assert "number field" in surf.fill("Count", "a dozen").error
    assert surf.fill("Volume", "70").ok
    assert surf.one("Volume").value == "70"
    assert "now holds 'LOUD'" in surf.fill("Loud", "loud").output
    assert "can only be read" in surf.fill("Fixed", "y").error
    assert "one line" in surf.fill("Loud", "a\nb").error
    assert "one line" in surf.do(p.Type(target=on("Loud"), text="a\nb")).error


def test_options_are_chosen_by_their_text(surf):
    surf.open("edit.html")
    assert surf.do(p.SelectOption(target=on("Many"), options=("A", "c"))).ok
    assert surf.one("Many").value == "A, C"
    surf.open("login.html")
    assert surf.do(p.SelectOption(target=on("Country"), options=("Belgium",))).ok
    assert surf.one("Country").value == "Belgium"
    assert "options are: Austria, Belgium" in surf.do(p.SelectOption(target=on("Country"), options=("Chad",))).error
    assert "disabled" in surf.do(p.SelectOption(target=on("Country"), options=("Nowhere",))).error
    assert "one option" in surf.do(p.SelectOption(target=on("Country"), options=("Austria", "Belgium"))).error


def test_keys_and_chords(surf):
    surf.open("edit.html")
    surf.click("Query")
    assert surf.do(p.PressKey(keys=("Control", "b"))).ok
    assert surf.do(p.HoldKey(keys=("Shift",), seconds=0.05)).ok
    assert surf.do(p.KeyDown(key="ArrowLeft")).ok
    assert surf.do(p.KeyUp(key="ArrowLeft")).ok
    assert "Control b Shift ArrowLeft" in surf.texts()
    assert "type it as text" in surf.do(p.PressKey(keys=("é",))).error


def test_presses_of_every_kind_and_dragging(surf):
    surf.open("drag.html")
    for more, shown in (({"count": 2}, "double"), ({"button": "right"}, "context"), ({"modifiers": ("Shift",)}, "shift")):
        assert surf.click("Card", **more).ok
        assert shown in surf.texts()
    assert "go_back" in surf.click("Card", button="back").error
    assert surf.do(p.Drag(target=on("Card"), to=on("Done:"))).ok
    assert "moved" in surf.texts()
    box = surf.one("Pad").bbox
    at = [{"x": box.x1 + x, "y": box.y1 + 20} for x in (10, 60, 150)]
    assert surf.do(p.Drag(target=p.ActionTarget(point=at[0]), path=(at[1],), to=p.ActionTarget(point=at[2]))).ok
    assert "drawn true" in surf.texts()
    assert surf.do(p.MouseDown(target=on("Pad"))).ok
    assert surf.do(p.Hover(target=on("Card"))).ok
    assert surf.do(p.MouseUp()).ok


def test_history_and_tabs(surf, site):
    surf.open("login.html")
    surf.open("files.html")
    assert surf.do(p.GoBack()).ok
    assert "Username" in surf.texts()
    assert surf.do(p.GoForward()).ok
    assert "no page to go forward" in surf.do(p.GoForward()).error
    assert "new tab" in surf.click("New tab").output
    assert [w.focused for w in surf.see().windows] == [False, True]
    assert "Username" in surf.texts()
    assert surf.do(p.Tabs(op="select", index=0)).ok
    assert "Report" in surf.texts()
    assert "tab 1: Log in" in surf.do(p.Tabs(op="list")).output
    assert surf.do(p.Tabs(op="new", url=site.url("table.html"))).ok
    assert surf.do(p.Tabs(op="close")).ok
    assert len(surf.see().windows) == 2
    assert "there is no tab 7" in surf.do(p.Tabs(op="select", index=7)).error


def test_waiting_for_a_text(surf):
    surf.open("slow.html")
    assert surf.do(p.Wait(seconds=3, text="Load")).ok
    late = surf.do(p.Wait(seconds=0.2, text="never"))
    assert (late.exec_status, late.error) == (p.ExecStatus.TIMEOUT, "'never' did not show within 0.2 seconds")
    assert surf.do(p.Wait(seconds=1, text_gone="never")).ok
    assert surf.do(p.Screenshot()).ok


# --- what happens by itself


def test_dialogs_of_every_kind(surf, shared):
    surf.open("dialogs.html")
    assert "dialog" in surf.click("Delete all").output
    state = surf.see()
    assert [e.name for e in state.children(state.modal)] == ["Delete all 3 files? OK keeps nothing.", "OK", "Cancel"]
    assert all(not e.visible for e in state.elements if e.element_id != state.modal and e.parent != state.modal)
    assert surf.click("Cancel").ok
    assert surf.see().modal is None
    assert "kept" in surf.texts()
    surf.click("Alert")
    assert "answer it first" in surf.click("Rename").error
    assert "answer it first" in surf.do(p.Navigate(url="about:blank")).error
    assert surf.click("OK").ok
    assert "alerted" in surf.texts()
    surf.click("Rename")
    field = next(e for e in surf.see().elements if e.role == "textbox" and e.focused)
    assert field.value == "old"
    surf.fill(field.name, "ne")
    surf.do(p.Type(text="w"))
    assert surf.one(field.name).value == "new"
    surf.click("OK")
    assert "name: new" in surf.texts()
    surf.click("Rename")
    surf.do(p.PressKey(keys=("Escape",)))
    assert "name: null" in surf.texts()
    surf.click("Later")
    surf.do(p.Wait(seconds=1))
    assert surf.see().modal
    with pytest.raises(EnvironmentFault, match="dialog"):
        surf.env.screenshot()
    assert surf.click("OK").ok
    surf.click("Delete all")
    assert shared.reset(seed=1).modal is None, "a page that was left asks nothing of the next"


def test_leaving_a_page_with_unsaved_work_asks_first(surf):
    surf.open("dialogs.html")
    surf.do(p.Type(target=on("Draft"), text="dear"))
    surf.click("Leave")
    assert surf.one("Leave this page?").role == "dialog"
    assert surf.click("Stay").ok
    assert surf.one("Draft").value == "dear"
    surf.click("Leave", button="left")
    assert surf.do(p.Click(target=on("Leave", "button"))).ok
    surf.do(p.Wait(seconds=2, text="Nothing here yet."))
    assert "Nothing here yet." in surf.texts()


def test_downloads_stay_in_their_folder_and_uploads_come_from_theirs_only(surf, folders):
    surf.open("files.html")
    output = surf.click("Report").output
    assert "downloaded" in output
    assert "8 bytes" in output
    assert [path.read_text() for path in folders["downloads"].iterdir()] == ["a,b\n1,2\n"]
    (folders["uploads"] / "cv.txt").write_text("me")
    assert surf.do(p.Upload(target=on("Attachment"), files=("cv.txt",))).ok
    assert "got cv.txt" in surf.texts()
    assert surf.do(p.Upload(target=on("Pick a photo"), files=("cv.txt",))).ok
    assert "photo cv.txt" in surf.texts()
    for name in ("/etc/passwd", "../../etc/passwd", "no.txt"):
        assert "files are:" in surf.do(p.Upload(target=on("Attachment"), files=(name,))).error
    assert "does not take files" in surf.do(p.Upload(target=on("Report"), files=("cv.txt",))).error


def test_only_allowed_hosts_are_reached(surf, site):
    surf.open("away.html")
    site.hits.clear()
    result = surf.click("Fetch")
    assert "blocked" in surf.texts()
    assert "not allowed" in result.output
    surf.click("Redirect")
    surf.do(p.Wait(seconds=0.3))
    surf.open("away.html")
    assert "not allowed" in surf.click("Elsewhere").output
    assert "Away" in surf.see().windows[0].title
    assert not [hit for hit in site.hits if hit.startswith("127.0.0.1")]
    for url in ("http://example.com/", "file:///etc/passwd", "javascript:alert(1)", "http://[bad", "chrome://version"):
        assert surf.do(p.Navigate(url=url)).error, url


def test_an_answer_that_is_no_page_is_told(surf, site):
    assert "404" in surf.do(p.Navigate(url=site.url("missing.html"))).output
    assert "could not be opened" in surf.do(p.Navigate(url="http://localhost:1/")).error


def test_a_crash_is_seen_and_left_by_navigating(site):
    env = BrowserEnvironment(site.url("login.html"))
    env.reset()
    env._run(_crash(env), 20)
    env.perform(p.Wait(seconds=0.3), key="wait")
    assert "crashed" in env.observe().elements[0].name
    assert "navigate" in env.perform(p.Click(target=on("Go")), key="go").error
    assert env.perform(p.Navigate(url=site.url("login.html")), key="back").ok
    assert "Username" in [e.name for e in env.observe().elements]
    env._run(env._sight.session._browser.close(), 20)
    with pytest.raises(EnvironmentFault, match="reset"):
        env.observe()
    assert env.reset().elements
    env.close()


async def _crash(env: BrowserEnvironment) -> None:
    page = env._sight.session.page
    asyncio.ensure_future(page.goto("chrome://crash")).add_done_callback(lambda task: task.exception())
    while page not in env._sight.session.crashed:
        await asyncio.sleep(0.02)


# --- the contract's edges


def test_what_a_browser_cannot_is_said_in_a_sentence(surf):
    assert "crew's own" in surf.do(p.FinishGoal()).error
    assert surf.do(p.LaunchApp(app="mail")).error == "this browser cannot launch app"
    assert "disabled" in (surf.open("login.html") and surf.click("Delete account")).error
    assert "cannot be filled" in surf.do(p.Fill(target=on("Go"), text="x")).error
    assert isinstance(surf.env, Screenshots)
    assert surf.env.screenshot().startswith(b"\x89PNG")


def test_a_seed_makes_chance_repeat_and_a_folder_of_downloads_that_nobody_named_goes_with_the_browser(tmp_path: Path):
    (tmp_path / "dice.html").write_text("<title>Dice</title><p id=d></p><script>d.textContent = Math.random()</script>")
    env = BrowserEnvironment((tmp_path / "dice.html").as_uri(), allow_files=True)
    assert env.reset(seed=5).state_id == env.reset(seed=5).state_id
    assert env.reset(seed=6).state_id != env.reset(seed=5).state_id
    folder = env._sight.session.downloads
    assert folder.is_dir()
    env.close()
    assert not folder.exists()
    with pytest.raises(EnvironmentFault, match="closed"):
        env.observe()
    with pytest.raises(EnvironmentFault, match="not allowed"):
        BrowserEnvironment((tmp_path / "dice.html").as_uri())


def test_a_resumed_process_repeats_no_key(tmp_path: Path, site):
    wait = p.Wait(seconds=0)
    env = BrowserEnvironment(site.url("index.html"), record=tmp_path)
    done = env.perform(wait, key="a")
    env.close()
    Record(tmp_path).begin("b", wait)  # as a process leaves it that dies while acting
    again = BrowserEnvironment(site.url("index.html"), record=tmp_path)
    assert again.perform(wait, key="a") == done
    half = again.perform(wait, key="b")
    assert half.exec_status is p.ExecStatus.PENDING
    assert "cannot be known" in half.error
    with pytest.raises(DigestMismatch):
        again.perform(p.Wait(seconds=1), key="a")
    again.close()


def test_an_element_of_an_earlier_browser_is_found_by_its_words_and_never_by_its_number(tmp_path: Path):
    """The new page numbers its elements anew, and the old number of Save may be that of Delete there."""
    page = tmp_path / "page.html"
    targets = []
    for body in ("<button>Save</button>", "<button>Delete</button><button>Save</button>"):
        page.write_text(body)
        browser = BrowserEnvironment(page.as_uri(), allow_files=True, record=tmp_path / "record")
        seen = browser.observe()
        browser.close()
        targets.append(p.ActionTarget.of(next(e for e in seen.elements if e.text == "Save")))
    assert seen.by_id[p.resolve(targets[0], seen).element_id].text == "Save"
    with pytest.raises(p.TargetError):
        p.resolve(p.ActionTarget(track_id=targets[0].track_id, element_id=targets[0].element_id), seen)


def test_a_record_keeps_no_text_that_was_typed(tmp_path: Path):
    record = Record(tmp_path)
    record.begin("k", p.Type(text="s3cret-words"))
    record.end("k", p.ActionResult(exec_status=p.ExecStatus.EXECUTED))
    record.close()
    assert b"s3cret-words" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_a_missing_browser_is_named_with_the_way_to_get_it(monkeypatch):
    with pytest.raises(EnvironmentFault, match="executable"):
        find_chromium("/no/such/chromium")
    monkeypatch.setenv("DESKCREW_CHROMIUM", "/none")
    with pytest.raises(EnvironmentFault, match="DESKCREW_CHROMIUM"):
        find_chromium()
    monkeypatch.delenv("DESKCREW_CHROMIUM")
    monkeypatch.setenv("PATH", "/none")
    with pytest.raises(EnvironmentFault, match="apt-get install chromium"):
        find_chromium()


def test_names_outside_the_allowed_hosts_do_not_resolve():
    assert "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE a.example" in flags(["a.example"])
    assert not [flag for flag in flags(["*"]) if "resolver" in flag]


def test_what_a_page_writes_is_made_fit_to_be_kept(tmp_path: Path):
    assert clean("a\ud800b") == "a\ufffdb"
    assert clean("x" * 1000, 10) == "x" * 10
    assert clean(None) == ""
    assert free_name(tmp_path, "../../etc/passwd").parent == tmp_path
    (tmp_path / "a.txt").touch()
    assert free_name(tmp_path, "a.txt").name == "a-1.txt"
