"""The page as a file: nothing in it runs but its own script, nothing leaves it, and nothing private is in it."""

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from written.canaries import in_text

from orchestrator.cli import app
from orchestrator.crew import Crew
from orchestrator.views.page.page import script, style
from roles.journal.journal import Journal

Written = Callable[..., Path]
Hostile = Callable[[Path, str], Path]
MODULES = sorted(path for path in (resources.files("orchestrator.views.page") / "static").iterdir() if path.name.endswith(".js"))
_BLOCK = re.compile(r'<script type="([^"]*)" id="([^"]*)">(.*?)</script>', re.DOTALL)
PASSWORD = "Zanzibar-71-canary"


def blocks(page: Path) -> dict[str, Any]:
    """What the inert blocks hold, read as the page reads them."""
    found: dict[str, Any] = {}
    for kind, name, text in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "application/json":
            found[name] = json.loads(text)
        elif "-picture-" in name:
            found[name] = base64.b64decode(text, validate=True)
        else:
            found[name] = json.loads(zlib.decompress(base64.b64decode(text, validate=True)))
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_no_module_makes_elements_or_code_out_of_text(module: Any) -> None:
    text = module.read_text(encoding="utf-8")
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|createContextualFragment"
    assert not re.search(forbidden, text)
    network = r"\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\bimport\(|https?://(?!www\.w3\.org/2000/svg)"
    assert not re.search(network, text)
    assert not re.search(r"set(Timeout|Interval)\(\s*['\"`]", text)


def test_the_policy_names_the_one_script_and_the_one_style_by_their_hashes_and_allows_no_network(
    runs: dict[str, Path], written: Written
) -> None:
    text = written(runs["done"]).read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    ruled = dict(part.strip().split(" ", 1) for part in html.unescape(policy).split(";"))
    assert ruled["default-src"] == ruled["base-uri"] == ruled["form-action"] == "'none'"
    (code,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    (look,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    for kind, body in (("script-src", code), ("style-src", look)):
        assert ruled[kind] == f"'sha256-{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}'"
    assert ruled["img-src"].split() == ["'self'", "file:", "blob:"]
    assert "connect-src" not in ruled
    assert ruled["require-trusted-types-for"] == "'script'"


def test_every_module_is_joined_once_after_those_that_it_needs_and_none_could_end_its_own_element() -> None:
    whole = script()
    assert "import {" not in whole
    assert not re.search(r"^export ", whole, re.MULTILINE)
    for module in MODULES:
        first = module.read_text(encoding="utf-8").splitlines()[0]
        assert whole.count(first) == 1, f"{module.name} is in the page once"
    assert "</script" not in script().lower()
    assert "</style" not in style().lower()
    assert "<!--" not in script()


@pytest.mark.parametrize(
    "text",
    [
        "</script><script>document.title='owned'</script>",
        "<!--<script>",
        "]]>&lt;<img src=x onerror=alert(1)>",
        "\ud800 \udfff x \ud83d",
        "a\u202eb\x00\x1b",
    ],
)
def test_whatever_is_said_the_file_holds_only_its_own_elements(
    tmp_path: Path, written: Written, hostile: Hostile, text: str
) -> None:
    page = written(hostile(tmp_path / "run", text))
    body = page.read_text(encoding="utf-8")
    outside = re.sub(r"<(script|style)>.*?</\1>", "", _BLOCK.sub("", body), flags=re.DOTALL)
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z!][\w-]*)", outside))
    assert tags <= {"!doctype", "html", "head", "meta", "title", "body", "header", "nav", "main", "div", "noscript"}
    assert body.count("<script>") == 1
    assert blocks(page)["a-run"]["head"]["goal"] == text, "as data it is what it was"


def test_a_value_of_the_vault_is_nowhere_in_the_page(tmp_path: Path, written: Written) -> None:
    overrides = [f"runs_dir={tmp_path / 'runs'}", "display=none", "screenshots.save=all"]
    outcome = Crew.from_config(overrides=overrides, secrets={"password": PASSWORD}).run(
        "In the reimbursement form, enter {password} as the description"
    )
    assert outcome.report["counts"]["steps"] > 1
    for bundle in (False, True):
        page = written(outcome.folder, bundle=bundle)
        assert in_text(page.read_text(encoding="utf-8"), [PASSWORD]) == []
        read = {name: value for name, value in blocks(page).items() if not isinstance(value, bytes)}
        assert in_text(json.dumps(read, ensure_ascii=False), [PASSWORD]) == []
        assert "<secret>" in json.dumps(read)


def test_a_value_that_is_known_to_be_private_only_by_now_is_taken_out_of_what_was_written_before(
    tmp_path: Path, written: Written, hostile: Hostile
) -> None:
    from roles.safety.privacy.vault import FILE, Vault

    folder = hostile(tmp_path / "run", f"said {PASSWORD}")
    Vault(folder / FILE).keep(PASSWORD, "password")
    page = written(folder)
    assert in_text(json.dumps(blocks(page)), [PASSWORD]) == []
    assert PASSWORD not in page.read_text(encoding="utf-8")


def test_pictures_lie_beside_the_page_are_copied_there_or_are_in_it(runs: dict[str, Path], tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["view", str(runs["pictures"]), "--json"])
    assert done.exit_code == 0, done.output
    own = Path(json.loads(done.output)["file"])
    assert own == runs["pictures"] / "view.html"
    for ref in blocks(own)["a-run"]["pictures"].values():
        assert (own.parent / ref).is_file()
        assert ref.startswith("screens/")
    away = tmp_path / "a folder #1" / "page.html"
    assert CliRunner().invoke(app, ["view", str(runs["pictures"]), "-o", str(away)]).exit_code == 0
    kept = {path.name for path in (away.parent / "page-screens").iterdir()}
    assert kept == {Path(ref).name for ref in blocks(away)["a-run"]["pictures"].values()} != set()
    bundled = tmp_path / "one" / "page.html"
    assert CliRunner().invoke(app, ["view", str(runs["pictures"]), "-o", str(bundled), "--bundle"]).exit_code == 0
    assert [path.name for path in bundled.parent.iterdir()] == ["page.html"]
    refs = blocks(bundled)["a-run"]["pictures"].values()
    assert refs
    assert all(blocks(bundled)[ref[1:]].startswith(b"\x89PNG") for ref in refs)


def test_a_picture_that_a_journal_names_outside_its_folder_is_not_taken(
    tmp_path: Path, written: Written, hostile: Hostile
) -> None:
    folder = hostile(tmp_path / "run", "x")
    outside = tmp_path / f"{'0' * 64}.png"
    outside.write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "screens").mkdir()
    (folder / "screens" / f"{'1' * 64}.png").symlink_to(outside)
    (folder / "screens" / f"{'2' * 64}.png").write_bytes(b"no picture")
    journal = Journal(folder / "journal.sqlite", lambda: 1.0)
    for path in (f"../{outside.name}", str(outside), f"screens/{'1' * 64}.png", f"screens/{'2' * 64}.png"):
        journal.append("picture", {"state_id": path, "path": path, "kind": "clean"})
    journal.close()
    told = blocks(written(folder, bundle=True))
    assert told["a-run"]["pictures"] == {}
    assert "2 pictures" in " ".join(told["a-run"]["head"]["notes"])


def test_the_command_says_where_the_page_is_and_what_is_missing_and_what_to_do_where_it_cannot_be_written(
    runs: dict[str, Path], tmp_path: Path, hostile: Hostile
) -> None:
    folder = hostile(tmp_path / "20260101-000000-aaaa", "x")
    (folder / "run.json").write_text("{", encoding="utf-8")
    done = CliRunner().invoke(app, ["view", str(folder), "-o", str(tmp_path / "x.html")])
    assert done.exit_code == 0
    assert done.output.startswith(str(tmp_path / "x.html"))
    assert "note:" in done.output
    (tmp_path / "file").write_text("")
    done = CliRunner().invoke(app, ["view", str(runs["done"]), "-o", str(tmp_path / "file" / "x.html")])
    assert done.exit_code == 2
    assert "cannot be written" in done.output
    done = CliRunner().invoke(app, ["view", runs["done"].name, "--with", "nothing", "--runs-dir", str(runs["done"].parent)])
    assert done.exit_code == 2
    assert "no run 'nothing'" in done.output
