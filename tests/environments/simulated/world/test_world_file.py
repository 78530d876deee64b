"""World files: what is shipped loads, and a mistake is said in one sentence with file and key."""

import re
from pathlib import Path

import pytest
import yaml

from environments.contract import WorldError
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world

MISTAKES = yaml.safe_load(Path(__file__).with_name("mistakes.yaml").read_text())


@pytest.mark.parametrize(("text", "said"), [row for rows in MISTAKES.values() for row in rows])
def test_a_mistake_is_named(text, said):
    with pytest.raises(WorldError, match=said) as caught:
        parse_world(text, "bad.yaml")
    sentence = str(caught.value)
    assert sentence.startswith("bad.yaml")
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence


def test_a_file_is_loaded_by_path_and_named_after_it_or_is_said_to_be_none(tmp_path):
    (tmp_path / "mine.yaml").write_text("apps: {notes: }\n", encoding="utf-8")
    spec = load_world(tmp_path / "mine.yaml", seed=4)
    assert (spec.name, spec.seed) == ("mine", 4)
    with pytest.raises(WorldError, match=r"There is no world 'ofice'; did you mean 'office'\?"):
        load_world("ofice")
    with pytest.raises(WorldError, match="cannot be read"):
        load_world(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("name: é".encode("latin-1"))
    with pytest.raises(WorldError, match="not UTF-8"):
        load_world(tmp_path / "latin.yaml")


def test_words_and_numbers_are_kept_as_they_are_written():
    text = """
apps:
  notes: {notes: [{title: No, body: 2026-03-01}, {title: 12:30}]}
  billing: {invoices: [{number: 0042, vendor: on, date: 2026-03-01, total: 7}]}
open: [notes]
events: [{popup: {title: Sure, buttons: [Yes, No]}}]
"""
    desktop = SimulatedDesktop(parse_world(text))
    assert {"Yes", "No", "12:30"} <= {e.text for e in desktop.observe().elements}
    assert desktop.world()["apps"]["billing"]["invoices"]["0042"]["date"] == "2026-03-01"


@pytest.mark.parametrize("said", ["2026-03-02T8:30", "2026-03-02 08:30", "8:30\ntoday: 2026-03-02"])
def test_the_start_is_kept_in_one_form(said):
    assert parse_world(f"starts: {said}\napps: {{notes: }}\n").first_world(1).desk.starts == "2026-03-02 08:30"


@pytest.mark.parametrize("generated", [True, False])
def test_given_content_stands_alone_or_among_generated(generated):
    text = """
user: A B
today: 2026-01-02
apps:
  billing: {invoices: [{number: INV-1, vendor: Oak, date: 2026-01-01, total: 7}], generate: 20, open: INV-1}
  mail: {messages: [{from: a@x.org, subject: Hi}], generate: 5}
  notes: {notes: [{title: Plan}], generate: 3, open: Plan}
  files: {files: {/a.txt: x}, generate: 4}
"""
    text = text if generated else re.sub(r", generate: \d+", "", text)
    apps = SimulatedDesktop(parse_world(text)).world()["apps"]
    files = [entry for entry in apps["files"]["entries"].values() if entry["kind"] == "file"]
    many = (apps["billing"]["invoices"], apps["mail"]["messages"], apps["notes"]["notes"], files)
    assert [len(some) for some in many] == ([21, 6, 4, 5] if generated else [1, 1, 1, 1])
    assert (apps["mail"]["today"], apps["mail"]["address"]) == ("2026-01-02", "a.b@example.com")
