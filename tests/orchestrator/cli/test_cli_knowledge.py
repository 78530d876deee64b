"""`deskcrew knowledge`: add, ls, search and rm, in tables and JSON, with one sentence where something is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from services.search import search_server
from worked.runs import deskcrew


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pages" / "zoo").mkdir(parents=True)
    (tmp_path / "pages" / "zoo" / "otters.md").write_text("# Feed the otters\n\n1. Give them \x1b[31mfish.\n")
    (tmp_path / "pages" / "seals.md").write_text("# Feed the seals\n\n1. Give them herring.\n")
    return tmp_path


def told(*words: str, code: int = 0) -> str:
    ended, said = deskcrew("knowledge", *words)
    assert ended == code, said
    return said


def data(*words: str, code: int = 0) -> Any:
    lines = told(*words, "--json", code=code).splitlines()
    return json.loads("\n".join(line for line in lines if not line.startswith("deskcrew: ")))


def test_looking_writes_nothing_and_a_folder_is_added_by_app_and_brought_up_to_date(here: Path) -> None:
    told("ls")
    told("search", "feed the otters", code=1)
    assert [path.name for path in here.iterdir()] == ["pages"]
    assert "2 added, 0 changed, 0 dropped, 0 as they were" in told("add", "pages")
    assert (here / ".deskcrew" / "knowledge.sqlite").is_file()
    (here / "pages" / "seals.md").unlink()
    (here / "pages" / "zoo" / "otters.md").write_text("# Feed the otters\n\n1. Give them shrimps.\n")
    done = data("add", "pages")
    assert (done["added"], done["changed"], done["removed"]) == ([], ["help:zoo/otters.md"], ["help:seals.md"])
    assert [(one["id"], one["app"]) for one in data("ls")] == [("help:zoo/otters.md", "zoo")]


def test_a_file_is_added_for_the_app_and_as_the_kind_that_is_said() -> None:
    told("add", "pages/seals.md", "--app", "zoo", "--kind", "demonstration")
    assert [(one["kind"], one["app"], one["title"]) for one in data("ls")] == [("demonstration", "zoo", "Feed the seals")]
    assert data("ls", "--kind", "help") == []
    assert data("ls", "--app", "mail") == []


def test_a_search_shows_score_source_and_app_and_no_more_of_a_kind_than_a_run_is_shown() -> None:
    told("add", "pages")
    found = data("search", "feed the otters", "--app", "zoo")["found"]
    assert (found[0]["title"], found[0]["source"], found[0]["score"]) == ("Feed the otters", "help:zoo/otters.md", 1.0)
    lines = told("search", "feed the brown otters", "-c", "knowledge.help.threshold=0.55").splitlines()
    assert lines[0].split() == ["SCORE", "KIND", "APP", "TITLE", "SOURCE"]
    assert not any("Feed the seals" in line for line in lines)
    assert "Feed the otters" not in {one["title"] for one in data("search", "otters", "--app", "mail", code=1)["found"]}
    assert len(data("search", "feed otters or seals", "-c", "knowledge.help.top_k=1")["found"]) == 1
    assert data("search", "feed otters", "-c", "knowledge.help.use=false", code=1)["found"] == []


def test_online_results_stand_beside_what_was_added_and_a_fault_is_said() -> None:
    told("add", "pages")
    with search_server() as server:
        url = f"knowledge.online={{use: true, url: '{server.url}/PATH?q={{query}}'}}"
        found = data("search", "feed the otters", "-c", "retries.tries=1", "-c", url.replace("PATH", "search"))["found"]
        assert {"help:zoo/otters.md", "https://zoo.example/otters"} <= {one["source"] for one in found}
        faulty = data("search", "feed the otters", "-c", "retries.tries=1", "-c", url.replace("PATH", "always/500"))
        assert faulty["faults"] == ["online search at 127.0.0.1: it answers 500; asked 1 times"]


def test_what_is_removed_is_gone_and_what_is_not_there_is_told(here: Path) -> None:
    told("add", "pages")
    assert "did you mean 'help:seals.md'?" in told("rm", "help:seals.mdd", "help:zoo/otters.md", code=2)
    assert len(data("ls")) == 2, "all or nothing"
    told("rm", "help:seals.md")
    assert [one["id"] for one in data("ls")] == ["help:zoo/otters.md"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "nowhere"), "nowhere: there is no such file or folder."),
        (("add", "pages", "--kind", "gossip"), "--kind gossip: kinds are help, online, experience, demonstration."),
        (("search", "x", "-c", "knowledge.help.treshold=1"), "did you mean 'threshold'?"),
        (("search", "x", "-c", "knowledge.online.use=true"), "an online search needs its address"),
        (("rm", "help:x"), "nothing that was added has the id 'help:x'"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(words: tuple[str, ...], said: str) -> None:
    printed = told(*words, code=2)
    assert said in printed
    assert printed.count("\n") == 1


def test_what_cannot_be_read_and_a_store_that_is_none_are_said(here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "bad.json").write_text("{")
    assert "not read:" in told("add", "mine/bad.json", code=1)
    said = told("search", "feed the otters", "-c", "help_dirs=[mine]", code=1)
    assert "bad.json: a help page is Markdown or HTML, and not JSON" in said
    (here / ".deskcrew").mkdir(exist_ok=True)
    (here / ".deskcrew" / "knowledge.sqlite").write_text("no database " * 100)
    for words in (("ls",), ("search", "x"), ("add", "pages"), ("rm", "x")):
        assert "cannot be used as a store of knowledge" in told(*words, code=2)


def test_nothing_that_a_terminal_would_obey_is_printed(here: Path) -> None:
    (here / "pages" / "evil.md").write_text("# Feed \x1b]0;owned\x07 otters\n\nwords")
    told("add", "pages")
    for words in (("ls",), ("search", "feed otters"), ("ls", "--json"), ("search", "feed otters", "--json")):
        assert "\x1b" not in told(*words)
