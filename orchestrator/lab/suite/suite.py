"""A suite: what its file says, the episodes that come of it, and working those that are not done yet.

Each episode is a run folder of its own and a row, written when it is over. What has a row is not worked again; what was stopped
in the middle is worked anew from its beginning, in a world that nobody else sees.
"""

from __future__ import annotations

import json
import multiprocessing
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, JsonValue, ValidationError, model_validator

from environments.files.yaml_lines import KeyPath
from orchestrator.errors import UsageProblem, did_you_mean
from orchestrator.runs.runs import Outcome, start
from orchestrator.settings.layers import Document, Source, checked, read_document
from orchestrator.settings.settings import load_settings, shipped, shipped_names
from orchestrator.tasks.tasks import Task, load_task
from protocol import Frozen
from protocol.log.log import whole_file

SPEC, ROWS, RUNS = "suite.json", "rows", "runs"
_BREAKS = 3
"""How often workers may be lost one after the other with nothing done in between."""


class Suite(Frozen):
    """What a suite file says."""

    about: str = ""
    tasks: tuple[str, ...] = ("*",)
    """Names of shipped tasks, patterns of them, or task files."""
    tiers: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    """Only tasks of these tiers, or with one of these kinds; all where nothing is said."""
    without: tuple[str, ...] = ()
    """Kinds that are left out."""
    seeds: tuple[int, ...] = Field(default=(0,), min_length=1)
    repeats: int = Field(default=1, ge=1, le=1000)
    """How often each is worked on one seed, for policies that do not always do the same."""
    configurations: Annotated[dict[str, dict[str, JsonValue]], Field(min_length=1)] = {"rules": {}}  # noqa: RUF012 - frozen
    """By name: settings as on the command line, `limits.replans: 0`."""
    given_plans: bool = True
    """Whether tasks are worked by the plans that they ship with."""

    @model_validator(mode="after")
    def _named_as_folders(self) -> Self:
        for name in self.configurations:
            if not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
                raise ValueError(f"configurations: {name!r} names folders; use letters, digits, '-', '_' and '.'")
        return self


class EpisodeSpec(Frozen):
    """One run that a suite asks for."""

    configuration: str
    task: str
    """A shipped name, or the path of a file."""
    seed: int
    repeat: int = 0
    settings: tuple[str, ...] = ()
    given_plans: bool = True

    @property
    def name(self) -> str:
        """Of its row and of its folder."""
        return f"{self.configuration}__{Path(self.task).stem}__{self.seed}__{self.repeat}"


class EpisodeRow(Frozen):
    """How an episode came out."""

    configuration: str
    task: str
    seed: int
    repeat: int
    tier: int
    kinds: tuple[str, ...]
    status: str
    """Of the run; `error` where it could not be run at all."""
    right: bool
    """The judge passes it, and nothing else was changed."""
    false_done: bool
    """The run says fulfilled, and it is not right."""
    reason: str
    steps: int = 0
    oracle_steps: int = 0
    gates: int = 0
    plans: int = 0
    approvals: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0
    seconds: float = 0.0
    run: str = ""
    """The run's folder, below that of the suite."""

    @property
    def pair(self) -> tuple[str, int, int]:
        """What it is compared on between configurations."""
        return self.task, self.seed, self.repeat


class SuiteProgress(NamedTuple):
    """An episode that is over, and how far the suite is."""

    row: EpisodeRow
    done: int
    of: int


def load_suite(word: str) -> Suite:
    """A suite file, or a shipped suite by name. Raises UsageProblem with file, line and key."""
    names = shipped_names("suites")
    path = shipped("suites", f"{word}.yaml") if word in names else Path(word)
    if not path.is_file():
        raise UsageProblem(f"There is no suite file and no shipped suite {word!r}{did_you_mean(word, names)}")
    document = read_document(path, "suite file")
    return checked(Suite, document.data, lambda key: _where(document, key))


def _where(document: Document, key: KeyPath) -> Source:
    return document.where(key) if key else Source(document.name)


def episodes_of(suite: Suite, only: str = "*") -> list[EpisodeSpec]:
    """Every run that it asks for, in order. `only` is a pattern of tasks. Raises UsageProblem where no task fits."""
    tasks = [word for word in _tasks(suite) if fnmatch(Path(word).stem, only) and _wanted(suite, _load(word))]
    if not tasks:
        raise UsageProblem(
            "No task fits what the suite asks for; `deskcrew tasks` lists those that are shipped, with their kinds."
        )
    return [
        EpisodeSpec(
            configuration=name, task=task, seed=seed, repeat=repeat, given_plans=suite.given_plans,
            settings=tuple(f"{key}={json.dumps(value)}" for key, value in settings.items()),
        )
        for name, settings in suite.configurations.items()
        for task in tasks
        for seed in suite.seeds
        for repeat in range(suite.repeats)
    ]  # fmt: skip


def _tasks(suite: Suite) -> list[str]:
    names = shipped_names("tasks")
    found: dict[str, None] = {}
    for word in suite.tasks:
        fitting = [name for name in names if fnmatch(name, word)] or ([word] if word.endswith((".yaml", ".yml")) else [])
        if not fitting:
            raise UsageProblem(f"The suite asks for tasks {word!r}, and there is none{did_you_mean(word, names)}")
        found |= dict.fromkeys(fitting)
    return list(found)


def _load(word: str) -> Task:
    return load_task(Path(word) if word.endswith((".yaml", ".yml")) else shipped("tasks", f"{word}.yaml"))


def _wanted(suite: Suite, task: Task) -> bool:
    kinds = set(task.kinds)
    fits = (not suite.tiers or task.tier in suite.tiers) and (not suite.kinds or bool(kinds & {*suite.kinds}))
    return fits and not kinds & {*suite.without}


def rows_in(folder: Path) -> list[EpisodeRow]:
    """Every row that a suite's folder has, in order. Raises UsageProblem where it is no such folder or a row is damaged."""
    if not (folder / SPEC).is_file():
        raise UsageProblem(f"{folder} is no folder of a suite: it has no {SPEC}; `deskcrew suite run` makes one.")
    rows = []
    for file in (folder / ROWS).glob("*.json"):
        try:
            rows.append(EpisodeRow.model_validate_json(file.read_bytes()))
        except ValidationError:
            raise UsageProblem(f"{file} is damaged; delete it, and the suite works that episode again.") from None
    return sorted(rows, key=lambda row: (row.configuration, *row.pair))


def run_suite(suite: Suite, folder: Path, *, workers: int = 1, again: bool = False, only: str = "*") -> Iterator[SuiteProgress]:
    """Work what has no row yet, and yield each as it ends; with `again` also what did not come out right.

    Raises UsageProblem where the folder holds another suite's rows, or where workers are lost again and again.
    """
    every = episodes_of(suite, only)
    _claim(suite, folder)
    known = {(row.configuration, *row.pair): row for row in rows_in(folder)}
    left = []
    for spec in every:
        row = known.get((spec.configuration, Path(spec.task).stem, spec.seed, spec.repeat))
        if row is None or (again and not row.right):
            (folder / ROWS / f"{spec.name}.json").unlink(missing_ok=True)
            left.append(spec)
    done = len(every) - len(left)
    for number, row in enumerate(_worked(left, folder, workers), start=done + 1):
        yield SuiteProgress(row, number, len(every))


def _claim(suite: Suite, folder: Path) -> None:
    (folder / ROWS).mkdir(parents=True, exist_ok=True)
    said, place = suite.model_dump(mode="json"), folder / SPEC
    if place.exists():
        kept = json.loads(place.read_text(encoding="utf-8"))
        differ = sorted(key for key in said if key not in {"about", "tasks"} and kept.get(key) != said[key])
        if differ:
            raise UsageProblem(f"{folder} has rows of a suite with other {', '.join(differ)}; name another folder with --out.")
    with whole_file(place) as file:
        file.write(json.dumps(said, indent=1) + "\n")


def _worked(specs: Sequence[EpisodeSpec], folder: Path, workers: int) -> Iterator[EpisodeRow]:
    if workers <= 1:
        yield from (work(spec, folder) for spec in specs)
        return
    left, breaks = list(specs), 0
    while left:
        pool = ProcessPoolExecutor(min(workers, len(left)), mp_context=multiprocessing.get_context("spawn"))
        ends: dict[Future[EpisodeRow], EpisodeSpec] = {}
        try:
            waiting = iter(list(left))
            while True:
                for spec in waiting:  # no more at once than there are workers: what was handed to a lost one is little
                    ends[pool.submit(work, spec, folder)] = spec
                    if len(ends) >= 2 * workers:
                        break
                if not ends:
                    return
                over, _ = wait(ends, return_when=FIRST_COMPLETED)
                for one in over:
                    row = one.result()
                    left.remove(ends.pop(one))
                    breaks = 0
                    yield row
        except BrokenProcessPool:
            breaks += 1
            left = [spec for spec in left if not (folder / ROWS / f"{spec.name}.json").exists()] or left
            if breaks >= _BREAKS:
                raise UsageProblem(f"Workers of the suite ended {breaks} times with nothing done; use fewer of them.") from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def work(spec: EpisodeSpec, folder: Path) -> EpisodeRow:
    """Work one episode and write its row; whatever an earlier process left of it is taken away first."""
    place = folder / RUNS / spec.name
    shutil.rmtree(place, ignore_errors=True)
    task = _load(spec.task)
    try:
        loaded = load_settings(overrides=[f"seed={spec.seed}", f"runs_dir={place}", *spec.settings], task_layer=task.layer())
        outcome = start(loaded, task if spec.given_plans else task.model_copy(update={"plan": None}), approver=_approving)
        row = _row(spec, task, outcome, folder)
    except UsageProblem as bad:
        row = _named(spec, task, status="error", right=False, false_done=False, reason=str(bad))
    with whole_file(folder / ROWS / f"{spec.name}.json") as file:
        file.write(row.model_dump_json() + "\n")
    return row


def _approving(request: Mapping[str, Any]) -> dict[str, Any] | None:
    """Every approval is given; a question that the task's user has no answer to is left open."""
    return None if request["kind"] == "question" else {"decisions": [{"type": "approve"}]}


def _row(spec: EpisodeSpec, task: Task, outcome: Outcome, folder: Path) -> EpisodeRow:
    report, counts = outcome.report, outcome.report.get("counts", {})
    verdict, models = report.get("judge") or {}, report.get("models", {}).values()
    right = bool(verdict.get("passed")) and verdict.get("clean") is not False
    return _named(
        spec, task, status=outcome.status, right=right, false_done=outcome.status == "fulfilled" and not right,
        reason=outcome.reason, steps=counts.get("steps", 0), oracle_steps=verdict.get("oracle_steps") or 0,
        gates=counts.get("gates", 0), plans=counts.get("plans", 0), approvals=len(report.get("approvals", ())),
        tokens_in=sum(use["tokens_in"] for use in models), tokens_out=sum(use["tokens_out"] for use in models),
        money=sum(use["money"] for use in models), seconds=report.get("wall_seconds", 0.0),
        run=outcome.folder.resolve().relative_to(folder.resolve()).as_posix(),
    )  # fmt: skip


def _named(spec: EpisodeSpec, task: Task, **what: Any) -> EpisodeRow:
    return EpisodeRow(
        configuration=spec.configuration, task=Path(spec.task).stem, seed=spec.seed, repeat=spec.repeat,
        tier=task.tier, kinds=tuple(task.kinds), **what,
    )  # fmt: skip
