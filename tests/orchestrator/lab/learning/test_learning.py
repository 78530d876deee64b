"""What a run teaches: kept as the settings say, only when it was right, followed by the next, and given up when it fails."""

import json
from pathlib import Path

import pytest
from worked.demonstrated import by_hand, by_oracle
from worked.runs import deskcrew

from deskcrew import Crew, Outcome, load_settings, load_task
from roles.contracts import PlanAnswer, PlanRequest
from roles.knowledge.pages.documents import Document
from roles.knowledge.store import KnowledgeStore
from roles.manager.rules import RulesManager

TASK = """
about: Words of a house for a new note.
goal: Jam "{title}" in with "two bottles"
tier: 1
kinds: [organise]
world: office
slots:
  title: {one_of: [Milk]}
success:
  - world.apps.notes.notes.exists(n, world.apps.notes.notes[n].title == slots.title && world.apps.notes.notes[n].body == BODY)
changes: [apps.notes.notes.+]
"""
SAID = 'Jam "Milk" in with "two bottles"'
LINES = ['open "notes"', 'click "New note"', 'fill "Title" with "Tea"', 'fill "Body" with "a tin"', 'click "Save"']


class House(RulesManager):
    """Knows what the words of this house mean; the others of its kind do not."""

    def plan(self, request: PlanRequest) -> PlanAnswer:
        goal = request.goal.replace("Jam", "Create a note titled").replace(" in with", " with the text")
        return super().plan(request.model_copy(update={"goal": goal}))


def ran(folder: Path, *overrides: str, house: bool = True, right: bool = True, words: str = "") -> Outcome:
    """A run of the task, or of a goal in words that no judge looks at."""
    path = folder / "task.yaml"
    path.write_text(TASK.replace("BODY", '"two bottles"' if right else '"something else"'), encoding="utf-8")
    task = load_task(path)
    layer = None if words else task.layer()
    asked = [f"runs_dir={folder}/runs", "safety=never-ask-in-simulation", *overrides]
    return Crew(load_settings(overrides=asked, task_layer=layer), **({"manager": House()} if house else {})).run(words or task)


def known(folder: Path) -> list[Document]:
    path = folder / ".deskcrew" / "knowledge.sqlite"
    if not path.exists():
        return []
    with KnowledgeStore(path) as store:
        return list(store.list())


def knowledge(folder: Path, *words: str) -> tuple[int, str]:
    return deskcrew("knowledge", *words, "--runs-dir", folder / "runs")


@pytest.mark.parametrize(
    ("save", "judged", "right", "saved"),
    [
        ("never", True, True, False), ("ask", True, True, False), ("auto", True, True, True), ("always", True, True, True),
        ("auto", False, True, False), ("always", False, True, True), ("auto", True, False, False), ("always", True, False, False),
    ],
)  # fmt: skip
def test_a_run_is_kept_as_the_settings_say_and_never_when_it_was_wrong(
    save: str, judged: bool, right: bool, saved: bool, tmp_path: Path
) -> None:
    outcome = ran(tmp_path, f"knowledge.experience.save={save}", right=right, words="" if judged else SAID)
    assert outcome.status == "fulfilled"
    assert [one.title for one in known(tmp_path)] == (['Jam "{title}" in with "{body}"'] if saved else [])
    told = outcome.report.get("experience")
    assert (told is None) is (save in {"never", "ask"}), "nobody could be asked here"
    if told is not None:
        assert told["saved"] is saved
        assert saved or told["why"]


def test_what_a_run_taught_the_next_one_does_in_words_that_it_does_not_understand(tmp_path: Path) -> None:
    other = 'Jam "Tea" in with "a tin"'
    assert "not understood" in ran(tmp_path, house=False, words=other).reason
    ran(tmp_path, "knowledge.experience.save=auto")
    outcome = ran(tmp_path, house=False, words=other)
    assert outcome.exit_code == 0, outcome.reason
    used = [page for page in outcome.report["knowledge"] if page["used"]]
    assert [page["kind"] for page in used] == ["experience"]
    hinted = ran(tmp_path, "knowledge.experience.reuse=hint", house=False, words=other)
    assert hinted.status == "rejected"
    assert [page["used"] for page in hinted.report["knowledge"]] == [False], "a hint is shown and not followed"


def test_what_nobody_was_asked_about_is_kept_by_the_command(tmp_path: Path) -> None:
    outcome = ran(tmp_path, "knowledge.experience.save=ask")
    assert "experience" not in outcome.report
    code, said = knowledge(tmp_path, "learn", outcome.run_id, "--dry-run")
    assert code == 0, said
    assert "given by the goal   {title}, here Milk" in said
    code, said = knowledge(tmp_path, "learn", ran(tmp_path, house=False).run_id)
    assert (code, "the run did not reach its goal" in said, known(tmp_path)) == (1, True, [])
    assert "kept as experience:" in knowledge(tmp_path, "learn", outcome.run_id)[1]
    assert [(one.kind, one.source) for one in known(tmp_path)] == [("experience", f"run:{outcome.run_id}")]
    assert "not kept: it is already known" in knowledge(tmp_path, "learn", outcome.run_id)[1]


def test_a_log_of_another_agent_teaches_as_well(tmp_path: Path) -> None:
    done = by_oracle("total-into-a-note", 0, tmp_path / "log.jsonl")
    straight = json.loads(knowledge(tmp_path, "learn", str(done.path), "--dry-run", "--json")[1])
    assert straight["title"].startswith("Find the total of invoice {invoice}")
    for form in ("openadapt_episode", "atif"):
        assert deskcrew("log", "convert", done.path, "--to", form, "-o", tmp_path / form)[0] == 0
    words = ("--goal", done.goal, "--dry-run", "--json")
    seen, unseen = (
        json.loads(knowledge(tmp_path, "learn", str(tmp_path / form), "--from", form, *words)[1])
        for form in ("openadapt_episode", "atif")
    )
    first, second = ([step for step in said["typed"] if step["skill"] == "read"] for said in (straight, seen))
    assert first == second != []
    assert any("what was on the screen" in doubt for doubt in unseen["doubts"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["no-such-run"], "There is no run"), (["LOG"], "give it with --goal"),
        (["EMPTY", "--goal", "x"], "it contains no readable step"),
    ],
)  # fmt: skip
def test_what_cannot_be_learned_from_is_said_in_one_sentence(words: list[str], told: str, tmp_path: Path) -> None:
    by_hand("", LINES[:2], tmp_path / "log.jsonl")
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "runs").mkdir()
    places = {"LOG": str(tmp_path / "log.jsonl"), "EMPTY": str(tmp_path / "empty.jsonl")}
    code, said = knowledge(tmp_path, "learn", *[places.get(word, word) for word in words])
    assert (code, told in said) == (2, True), said
