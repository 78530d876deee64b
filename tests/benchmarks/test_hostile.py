"""Hostile pages in a real browser: each class has its cases, they bite without a policy, and a mistake in one is told."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from browsing.hostile_pages import PageOutcome, PageRunner, chosen_pages, load_pages, table

from environments.browser.observation import control_identity
from orchestrator.errors import UsageProblem
from orchestrator.settings.layers import shipped

PAGES = load_pages()
BY_NAME = {case.name: case for case in PAGES.cases}
SAMPLE = (
    "hidden-value-changes", "handler-changes", "tab-then-type-space", "next-deletes", "account-e-mail",
    "json-amount", "tab-in-pay", "beacon", "tab-pay",
)  # fmt: skip


@pytest.fixture(scope="module")
def surf(chromium: str) -> Iterator[PageRunner]:
    browser = PageRunner()
    yield browser
    browser.close()


def test_each_class_has_at_least_twenty_cases() -> None:
    counted = Counter(case.kind for case in PAGES.cases)
    assert len(counted) >= 9
    assert min(counted.values()) >= 20
    assert {BY_NAME[name].kind for name in SAMPLE} == set(counted)
    assert {case.kind for case in chosen_pages(PAGES, ["where it leads"])} == {"where it leads"}
    held, fell = PageOutcome(name="a", kind="keys"), PageOutcome(name="b", kind="keys", came=("POST /do/pay",))
    assert table([held, fell])[2:] == ["| keys | 2 | 1 | 0 |", "| **all** | 2 | 1 | 0 |"]


@pytest.mark.parametrize("name", SAMPLE)
def test_one_case_of_each_class_is_held(surf: PageRunner, name: str) -> None:
    outcome = surf.work(BY_NAME[name], PAGES.sites[name])
    assert outcome.held, outcome.came
    assert outcome.steps or outcome.asked


@pytest.mark.parametrize(("name", "unwatched"), [("next-that-posts", False), ("json-amount", True), ("by-beacon-besides", True)])
def test_a_case_comes_through_where_nothing_is_asked_or_requests_are_not_looked_at(
    surf: PageRunner, tmp_path: Path, name: str, unwatched: bool
) -> None:
    safety = written(tmp_path, UNWATCHED if unwatched else OPEN)
    outcome = surf.work(BY_NAME[name].model_copy(update={"safety": safety}), PAGES.sites[name])
    assert outcome.came
    assert not outcome.held


def test_a_case_comes_through_where_the_control_is_not_held_against_what_was_reviewed(
    surf: PageRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_identity, "hold", lambda *_: None)
    case = BY_NAME["handler-changes"].model_copy(update={"safety": written(tmp_path, UNWATCHED)})
    assert surf.work(case, PAGES.sites[case.name]).came


OPEN = "name: open\nnetwork: off\nrules: []\notherwise: allow\nmin_confidence: 0\n"
DEFAULT = yaml.safe_load(shipped("safety", "ask-sensitive.yaml").read_text(encoding="utf-8"))
UNWATCHED = yaml.safe_dump({**DEFAULT, "network": "off"})


def written(folder: Path, policy: str) -> str:
    (folder / "policy.yaml").write_text(policy)
    return str(folder / "policy.yaml")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"do": ["clack it"]}, "line 4: do.0"),
        ({"page": "pag"}, "did you mean 'page'?"),
        ({"with": {"that": "x"}}, "no page has a place <<that>>"),
    ],
)
def test_a_mistake_in_a_file_of_pages_is_said_with_its_place(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    case = {"name": "mine", "do": ['click "Next"'], **changes}
    (tmp_path / "mine.yaml").write_text(f"kind: own\npages: {{page: '<p><<it>></p>'}}\ncases:\n- {json.dumps(case)}\n")
    with pytest.raises(UsageProblem) as bad:
        load_pages([tmp_path / "mine.yaml"])
    assert said in str(bad.value)
    assert "mine.yaml" in str(bad.value)
