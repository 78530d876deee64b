"""A suite: what its file says, the episodes that come of it, and working one of them.

Each episode is a run folder of its own and a row, written when it is over. What has a row is not worked again; what was stopped
in the middle is worked anew from its beginning, in a world that nobody else sees.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, NamedTuple, Self, TypeVar

from pydantic import BaseModel, Field, JsonValue, TypeAdapter, ValidationError, field_validator, model_validator

from environments.files.wrong_data import did_you_mean
from orchestrator.control.requests import approving
from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.settings.layers import COMMAND_LINE, Source, checked, override_lines, read_document, shipped, shipped_names
from orchestrator.settings.settings import LoadedSettings, Settings, load_settings
from orchestrator.tasks.tasks import Task, load_task
from protocol import Frozen
from protocol.log.log import whole_file

if TYPE_CHECKING:
    from orchestrator.runs.outcome import Approver, Outcome

Row = TypeVar("Row", bound=BaseModel)
SPEC, ROWS, RUNS, DRIVER = "suite.json", "rows", "runs", "driver"


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
    """Or as text, `0,1` and `20..24`."""
    repeats: int = Field(default=1, ge=1, le=1000)
    """How often each is worked on one seed, for policies that do not always do the same."""
    configurations: Annotated[dict[str, dict[str, JsonValue]], Field(min_length=1)] = {"rules": {}}  # noqa: RUF012 - frozen
    """By name: settings as on the command line, `limits.replans: 0`."""
    given_plans: bool = True
    """Whether tasks are worked by the plans that they ship with."""

    @field_validator("seeds", mode="before")
    @classmethod
    def _ranges(cls, said: Any) -> Any:
        return seeds_of(said) if isinstance(said, str) else tuple(said) if isinstance(said, list) else said

    @model_validator(mode="after")
    def _named_as_folders(self) -> Self:
        for name in self.configurations:
            if not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
                raise ValueError(f"configurations: {name!r} names folders; use letters, digits, '-', '_' and '.'")
        return self


def seeds_of(text: str) -> tuple[int, ...]:
    """`0,1` or `20..24`. Raises ValueError."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("..")
        if not (first.strip().isdecimal() and (last or first).strip().isdecimal()):
            raise ValueError(f"{part!r} are not seeds; write for example 0,1 or 20..24")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


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
    """The judge passes it."""
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
    core_seconds: float = 0.0
    """Of the processor, with all that the laboratory tried."""
    lines: int = 0
    """What the laboratory wrote of it."""
    dropped: int = 0
    """What it did not write, since it could not be repeated."""

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
    suite = checked(Suite, document.data, lambda key: document.where(key) if key else Source(document.name))
    for name, settings in suite.configurations.items():
        try:
            load_settings(overrides=override_lines(settings))
        except UsageProblem as bad:
            where = document.where(("configurations", name))
            raise UsageProblem(f"{where}: configuration {name!r}: {str(bad).removeprefix(f'{COMMAND_LINE}: ')}") from None
    return suite


def episodes_of(suite: Suite, only: str = "*") -> list[EpisodeSpec]:
    """Every run that it asks for, in order. `only` is a pattern of tasks. Raises UsageProblem where no task fits."""
    names, found = shipped_names("tasks"), dict[str, None]()
    for word in suite.tasks:
        fitting = [name for name in names if fnmatch(name, word)] or ([word] if word.endswith((".yaml", ".yml")) else [])
        if not fitting:
            raise UsageProblem(f"The suite names tasks {word!r}, and none matches{did_you_mean(word, names)}")
        found |= dict.fromkeys(fitting)
    tasks = [word for word in found if fnmatch(Path(word).stem, only) and _wanted(suite, word)]
    if not tasks:
        raise UsageProblem(
            "No task matches the filters of the suite; `deskcrew tasks` lists those that are shipped, with their kinds."
        )
    return [
        EpisodeSpec(
            configuration=name, task=task, seed=seed, repeat=repeat, given_plans=suite.given_plans,
            settings=tuple(override_lines(settings)),
        )
        for name, settings in suite.configurations.items()
        for task in tasks
        for seed in suite.seeds
        for repeat in range(suite.repeats)
    ]  # fmt: skip


def _load(word: str) -> Task:
    return load_task(Path(word) if word.endswith((".yaml", ".yml")) else shipped("tasks", f"{word}.yaml"))


def _wanted(suite: Suite, word: str) -> bool:
    if not (suite.tiers or suite.kinds or suite.without or Path(word).suffix):
        return True  # who works it reads it
    task = _load(word)
    fits = (not suite.tiers or task.tier in suite.tiers) and (not suite.kinds or bool({*task.kinds} & {*suite.kinds}))
    return fits and not {*task.kinds} & {*suite.without}


def rows_in(folder: Path) -> list[EpisodeRow]:
    """Every row that a suite's folder has, in order. Raises UsageProblem where it is no such folder or a row is damaged."""
    if not (folder / SPEC).is_file():
        raise UsageProblem(f"{folder} is not a folder of a suite: it has no {SPEC}; `deskcrew suite run` makes one.")
    rows = filter(None, map(_read, (folder / ROWS).glob("*.json")))
    return sorted(rows, key=lambda row: (row.configuration, *row.pair))


def _read(file: Path) -> EpisodeRow | None:
    try:
        return EpisodeRow.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        raise UsageProblem(f"{file} is damaged; delete it, and the suite works that episode again.") from None


def row_file(spec: EpisodeSpec, folder: Path) -> Path:
    """Where the laboratory has its lines of an episode."""
    return folder / ROWS / f"{spec.name}.jsonl"


def lines_of(specs: Iterable[EpisodeSpec], folder: Path, kind: TypeAdapter[Row]) -> Iterator[Row]:
    """What the laboratory wrote of these episodes."""
    files = (row_file(spec, folder) for spec in specs)
    return (row for file in files if file.exists() for row in read_all(file, kind))


def read_all(path: Path, kind: TypeAdapter[Row]) -> Iterator[Row]:
    """The rows of a file, one a line. Raises UsageProblem with the line where one is damaged."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield kind.validate_json(line)
            except ValidationError as bad:
                first = bad.errors()[0]
                where = ".".join(map(str, first["loc"])) or "the whole"
                said = f"{path}, line {number}: {where}: {first['msg']}; delete the file, and the laboratory writes it again."
                raise UsageProblem(said) from None


def write_all(path: Path, rows: Iterable[BaseModel]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.writelines(f"{row.model_dump_json()}\n" for row in rows)


class Superseded(MachineStopped):
    """Another `suite run` works the folder by now; what this one was doing is left to it."""


class Examined(NamedTuple, Generic[Row]):
    """An episode that was worked, and what the laboratory has to write of it."""

    outcome: Outcome
    lines: Sequence[Row] = ()
    dropped: int = 0


Examine = Callable[[EpisodeSpec, Path], Examined[Any]]
"""Works an episode in a folder of its own."""


def read_row(spec: EpisodeSpec, folder: Path) -> EpisodeRow | None:
    """The row of an episode; None where there is none."""
    return _read(folder / ROWS / f"{spec.name}.json")


def write_row(spec: EpisodeSpec, row: EpisodeRow, folder: Path) -> EpisodeRow:
    with whole_file(folder / ROWS / f"{spec.name}.json") as file:
        file.write(row.model_dump_json() + "\n")
    return row


def run_of(spec: EpisodeSpec, place: Path) -> Examined[Any]:
    """The run of an episode alone."""
    return Examined(outcome_of(spec, place))


def work(spec: EpisodeSpec, folder: Path, driver: str = "", examine: Examine = run_of) -> EpisodeRow:
    """Work one episode and write its row; whatever an earlier process left of it is taken away first.

    `driver` is the mark of the `suite run` that wants it. Raises Superseded where the folder has that of another one, or where
    the episode was taken from this worker because it was held for lost.
    """
    _refuse_superseded(folder, driver)
    if (row := read_row(spec, folder)) is not None:
        return row
    (folder / ROWS).mkdir(parents=True, exist_ok=True)
    began, task = time.process_time(), _load(spec.task)
    place = folder / RUNS / spec.name
    dropping = tempfile.TemporaryDirectory(prefix="dropped-", dir=folder, ignore_cleanup_errors=True)
    with dropping as dropped, suppress(FileNotFoundError):
        place.rename(Path(dropped) / place.name)
    try:
        outcome, lines, left_out = examine(spec, place)
        report, counts = outcome.report, outcome.report.get("counts", {})
        verdict, models = report.get("judge") or {}, report.get("models", {}).values()
        right = bool(verdict.get("passed"))
        row = _named(
            spec, task, status=outcome.status, right=right, false_done=outcome.status == "fulfilled" and not right,
            reason=outcome.reason, steps=counts.get("steps", 0), oracle_steps=verdict.get("oracle_steps") or 0,
            gates=counts.get("gates", 0), plans=counts.get("plans", 0), approvals=len(report.get("approvals", ())),
            tokens_in=sum(use["tokens_in"] for use in models), tokens_out=sum(use["tokens_out"] for use in models),
            money=sum(use["money"] for use in models), seconds=report.get("wall_seconds", 0.0),
            run=outcome.folder.resolve().relative_to(folder.resolve()).as_posix(),
            core_seconds=round(time.process_time() - began, 3), lines=len(lines), dropped=left_out,
        )  # fmt: skip
        if examine is not run_of:
            write_all(row_file(spec, folder), lines)
        if not outcome.folder.is_dir():
            raise Superseded(f"{spec.name} was taken by another worker.")
    except UsageProblem as bad:
        row = error_row(spec, str(bad), task)
    _refuse_superseded(folder, driver)
    return write_row(spec, row, folder)


def outcome_of(
    spec: EpisodeSpec, place: Path, parts: Mapping[str, Any] | None = None, *, approver: Approver = approving
) -> Outcome:
    """Work the run of an episode in the folder `place`."""
    from orchestrator.runs.runs import start  # late: who only hands episodes out needs no engine of runs

    task, loaded = _load(spec.task), _loaded(spec, f"runs_dir={place}")
    return start(loaded, task if spec.given_plans else task.model_copy(update={"plan": None}), approver=approver, parts=parts)


def settings_of(spec: EpisodeSpec) -> Settings:
    """What an episode is worked by. Raises UsageProblem."""
    return _loaded(spec).settings


def _loaded(spec: EpisodeSpec, *more: str) -> LoadedSettings:
    return load_settings(overrides=[f"seed={spec.seed}", *more, *spec.settings], task_layer=_load(spec.task).layer())


def _refuse_superseded(folder: Path, driver: str) -> None:
    with suppress(FileNotFoundError):  # a worker on another machine that has no part in the folder
        if driver and (folder / DRIVER).read_text(encoding="utf-8") != driver:
            raise Superseded(f"Another `deskcrew suite run` works {folder} now; this one stops.")


def error_row(spec: EpisodeSpec, reason: str, task: Task | None = None) -> EpisodeRow:
    """Of an episode that could not be run."""
    return _named(spec, task or _load(spec.task), status="error", right=False, false_done=False, reason=reason)


def _named(spec: EpisodeSpec, task: Task, **what: Any) -> EpisodeRow:
    return EpisodeRow(
        configuration=spec.configuration, task=Path(spec.task).stem, seed=spec.seed, repeat=spec.repeat,
        tier=task.tier, kinds=tuple(task.kinds), **what,
    )  # fmt: skip
