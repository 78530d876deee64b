"""What was done once becomes steps for other values: slots, readings, constants, and what speaks against it."""

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worked.demonstrated import by_hand, by_oracle

from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world
from roles.contracts import Supplement
from roles.contracts.orders import CreateStep, Entry, FillStep, Pick, PressStep, ReadStep, Records, RowTest
from roles.knowledge.pages.learned import LearnedPlaybook, distil
from roles.knowledge.pages.playbook import playbooks_in
from roles.knowledge.pages.typed import grounded

NOTE = ['open "notes"', 'click "New note"', 'fill "Title" with "Milk"', 'fill "Body" with "two bottles"', 'click "Save"']


def learned(name: str, folder: Path, seed: int = 0) -> LearnedPlaybook:
    done = by_oracle(name, seed, folder / f"{name}.jsonl")
    return distil(done.steps, done.goal)


def shown(goal: str, lines: list[str], folder: Path, name: str = "log", **more: object) -> LearnedPlaybook:
    done = by_hand(goal, lines, folder / f"{name}.jsonl", **more)  # type: ignore[arg-type]
    return distil(done.steps, done.goal)


def test_values_of_the_goal_are_slots_values_of_a_screen_are_read_there_and_none_is_kept(tmp_path: Path) -> None:
    done = by_oracle("claim-with-details", 0, tmp_path / "log.jsonl")
    found = distil(done.steps, done.goal)
    invoice = Records(app="billing", kind="", tests=(RowTest(label="Number", value="{invoice}"),))
    written = {
        "Vendor": "{billing vendor}", "Invoice number": "{invoice}", "Amount": "{billing total}", "Category": "{category}",
    }  # fmt: skip
    entries = tuple(Entry(label=label, value=value) for label, value in written.items())
    assert found.typed == (
        ReadStep(app="billing", records=invoice, labels=("Vendor", "Total"), names=("billing vendor", "billing total")),
        FillStep(app="reimbursement", entries=entries, commit="submit"),
    )
    assert [*found.slots] == ["invoice", "category"]
    assert (found.constants, found.doubts) == ({}, ())
    kept = found.document("demonstration", "log").model_dump_json()
    tracks = {e.track_id for step in done.steps for e in step.visual_state.elements if e.track_id and "." in e.track_id}
    for value in [*found.slots.values(), *tracks]:
        assert value not in kept, "neither values nor ids of elements"
    assert any("which record of billing is meant" in doubt for doubt in distil(done.steps, "Expense something").doubts)


def test_what_the_goal_picks_is_picked_again_and_a_press_keeps_what_it_asked_for(tmp_path: Path) -> None:
    (step,) = learned("reply-to-a-mail", tmp_path).typed
    assert isinstance(step, FillStep)
    assert step.form == "Reply"
    assert step.records.pick == Pick(by="Date", order="most")
    found = learned("retire-a-report", tmp_path)
    move, note = found.typed
    assert isinstance(move, PressStep)
    assert (move.verb, move.entries) == ("move", (Entry(label="Destination folder", value="/Archive"),))
    assert isinstance(note, CreateStep)
    assert note.entries == (Entry(label="Title", value=f"{{{next(iter(found.slots))}}} is retired"),)


TASKS = ("claim-with-details", "mail-the-total", "reply-to-a-mail", "total-into-a-note", "add-to-a-note")


@pytest.mark.parametrize("name", TASKS)
def test_another_seed_of_the_same_task_teaches_the_same(name: str, tmp_path: Path) -> None:
    first, second = (learned(name, tmp_path / str(seed), seed) for seed in (_made(tmp_path, 0), _made(tmp_path, 5)))
    one, other = first.document("demonstration", "a"), second.document("demonstration", "b")
    assert (one.text, one.id) == (other.text, other.id)


def _made(folder: Path, seed: int) -> int:
    (folder / str(seed)).mkdir()
    return seed


@pytest.mark.parametrize("axes", [("layout=mirrored", "order=shuffled"), ("density=compact", "theme=dark")])
def test_where_things_stand_and_how_they_look_leaves_no_trace(axes: tuple[str, ...], tmp_path: Path) -> None:
    plain = learned("total-into-a-note", tmp_path)
    done = by_oracle("total-into-a-note", 0, tmp_path / "moved.jsonl", axes)
    assert distil(done.steps, done.goal).steps == plain.steps


def test_the_steps_are_a_page_that_fits_the_cards_of_the_applications(tmp_path: Path) -> None:
    cards = SimulatedDesktop(load_world("company"), 0).cards()
    for name in TASKS:
        page = learned(name, tmp_path).document("experience", "run:x")
        (book,) = playbooks_in(Supplement(query="", source="s", title=page.title, text=page.text))
        assert book.doubt == ""
        kinds = [getattr(step, "records", None) or step for step in grounded(book.typed, cards)]
        assert all(getattr(kind, "kind", "x") for kind in kinds), name


def test_detours_failures_and_what_was_overwritten_are_left_out(tmp_path: Path) -> None:
    goal = 'Jam "Milk" in with "two bottles"'
    straight = shown(goal, NOTE, tmp_path, "straight")
    crooked = shown(
        goal,
        [
            'open "files"', 'open "notes"', 'click "No such thing"', 'click "New note"', 'fill "Title" with "Mlik"', "wait 2",
            'fill "Title" with "Milk"', "scroll down", 'fill "Body" with "two bottles"', 'open "billing"', 'open "notes"',
            'click "Save"',
        ],
        tmp_path,
        "crooked",
    )  # fmt: skip
    entries = (Entry(label="Title", value="{title}"), Entry(label="Body", value="{body}"))
    assert crooked.typed == straight.typed == (CreateStep(app="notes", kind="note", entries=entries),)
    assert crooked.left_out > straight.left_out


def test_what_neither_goal_nor_screen_says_is_a_constant_and_said_to_be_one(tmp_path: Path) -> None:
    found = shown('Jam "Milk" in', NOTE, tmp_path)
    assert found.constants == {"two bottles": "Body"}
    assert found.doubts == (), "plain words may well be the same each time"


@pytest.mark.parametrize(
    ("words", "body", "doubt"),
    [
        ('with "two bottles" if it is unpaid', "two bottles", "one run shows one way"),
        ('with "two bottles" for each vendor', "two bottles", "one run shows one way"),
        ('with "two bottles" until Friday', "two bottles", "one run shows one way"),
        ('with "two bottles" before 2026-03-04', "two bottles", 'the goal says "2026-03-04", and nothing that was done uses it'),
        ("", "code 4711", "4711"),
    ],
)
def test_what_one_run_cannot_show_is_in_doubt(words: str, body: str, doubt: str, tmp_path: Path) -> None:
    found = shown(f'Jam "Milk" in {words}'.strip(), [*NOTE[:3], f'fill "Body" with "{body}"', NOTE[4]], tmp_path)
    assert any(doubt in said for said in found.doubts)


def test_what_is_private_is_a_reference_or_a_slot_and_nothing_else(tmp_path: Path) -> None:
    done = by_oracle("payslip-into-claim", 0, tmp_path / "log.jsonl")
    secrets = re.findall(r"password (\S+?)[\s,.]", done.goal)
    assert secrets, done.goal
    found = distil(done.steps, done.goal)
    kept = found.document("demonstration", "log").model_dump_json()
    assert all(secret not in kept for secret in secrets)
    text = found.document("demonstration", "log").text
    assert re.search(r'"label": "Password", "value": "(\{[\w ]+\}|<secret>\w+</secret>)"', text)


LETTERS = st.characters(codec="utf-8", exclude_categories=["C"], exclude_characters='{}"“”„\\<>')


@settings(max_examples=settings.default.max_examples // 3)
@given(st.text(LETTERS, min_size=4, max_size=30))
def test_whatever_stands_in_quotation_marks_is_a_slot(words: str) -> None:
    words = " ".join(words.split()) or "some words"
    with tempfile.TemporaryDirectory() as folder:
        lines = ['open "notes"', 'click "New note"', f'fill "Title" with "{words}"', 'click "Save"']
        found = shown(f'Jam "{words}" in', lines, Path(folder))
    assert found.title == 'Jam "{title}" in'
    assert found.typed == (CreateStep(app="notes", kind="note", entries=(Entry(label="Title", value="{title}"),)),)
