"""Suites on engines: what is handed out when workers are lost, and processes, actors and jobs that are killed in the middle."""

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from waiting import until
from warm import Forked

from orchestrator.control.channel import holder_of
from orchestrator.errors import MachineStopped, UsageProblem
from orchestrator.lab.suite import engines
from orchestrator.lab.suite.engines import Batch, Engine, WorkerLost, run_suite
from orchestrator.lab.suite.figures import cells, figures
from orchestrator.lab.suite.suite import (
    DRIVER,
    ROWS,
    RUNS,
    EpisodeRow,
    EpisodeSpec,
    Suite,
    Superseded,
    episodes_of,
    error_row,
    read_row,
    rows_in,
    work,
    write_row,
)

SUITE = Suite(tasks=("archive-reports", "no-such-person"), seeds=(0, 1, 2))
ENGINES = [
    pytest.param("", id="processes", marks=pytest.mark.slow("processes that are killed")),
    pytest.param("slurm:local", id="submitit", marks=pytest.mark.slow("jobs that are killed")),
    pytest.param("ray", id="ray", marks=pytest.mark.slow("a cluster of its own")),
]


def told(folder: Path) -> list[object]:
    """All that the rows come to, and each of them, but for what the machine's speed and the hour decide."""
    rows = rows_in(folder)
    return [*map(cells, figures(rows, "task")), *(row.model_dump(exclude={"seconds", "core_seconds", "run"}) for row in rows)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """What the suite comes to in one process that nobody killed."""
    folder = tmp_path_factory.mktemp("whole")
    assert len(list(run_suite(SUITE.model_copy(update={"seeds": (0, 1)}), folder))) == 4
    return told(folder)


class Driver:
    """`suite run` in a process of its own."""

    def __init__(self, folder: Path, workers: int, on: str) -> None:
        self.folder, self._log, self._began = folder / "out", folder / "told.txt", time.time()
        (folder / "small.yaml").write_text("tasks: [archive-reports, no-such-person]\nseeds: [0, 1]\n")
        words = ["suite", "run", str(folder / "small.yaml"), "--out", str(self.folder), "--workers", str(workers), "--on", on]
        with self._log.open("ab") as log:
            self._process = Forked(
                ["-c", "from deskcrew.__main__ import main; main()", *words], cwd=folder, stdout=log, stderr=log,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], *sys.path])},
            )  # fmt: skip

    def wait(self) -> None:
        assert self._process.wait(400) == 0, self._log.read_text()

    def close(self) -> None:
        """By SIGKILL, where it has not ended."""
        self._process.kill()
        self._process.wait()

    def until(self, holds: Callable[[], Any]) -> Any:
        found = until(lambda: self._process.poll() is not None or holds(), "the suite")
        assert self._process.poll() is None, self._log.read_text()
        return found

    def kill_a_worker(self) -> str:
        """A process of this driver's that is in the middle of an episode; the name of that."""

        def one() -> tuple[str, int] | None:
            for place in (self.folder / RUNS).glob("*/*"):
                holder, row = holder_of(place), self.folder / ROWS / f"{place.parent.name}.json"
                if holder is not None and holder.since > self._began and not row.exists():
                    return place.parent.name, holder.pid
            return None

        name, process = self.until(one)
        os.kill(process, signal.SIGKILL)
        return str(name)


def rows(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (folder / ROWS).glob("*.json")}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("on", ENGINES)
def test_nothing_is_lost_and_nothing_there_twice_where_the_driver_and_then_a_worker_are_killed(
    on: str, whole: list[object], tmp_path: Path
) -> None:
    with closing(Driver(tmp_path, 2, on)) as first:
        first.until(lambda: len(rows(first.folder)) >= 1)
    early = rows(first.folder)
    assert len(early) < 4
    with closing(Driver(tmp_path, 2, on)) as second:
        lost = second.kill_a_worker()
        second.wait()
    late = rows(second.folder)
    assert late.items() >= early.items(), "what was done is not worked again"
    assert f"{lost}.json" in late.keys() - early.keys()
    assert told(second.folder) == whole
    assert sorted(place.name for place in (second.folder / RUNS).iterdir()) == sorted(name.removesuffix(".json") for name in late)
    assert all(len(list(place.iterdir())) == 1 for place in (second.folder / RUNS).iterdir())
    assert {row.run for row in rows_in(second.folder)} == {
        run.relative_to(second.folder).as_posix() for run in (second.folder / RUNS).glob("*/*")
    }


class Losing:
    """A worker that is lost at some episodes, and otherwise answers at once."""

    def __init__(self, losing: Callable[[EpisodeSpec], bool], worked: Counter[str]) -> None:
        self._losing, self._worked = losing, worked

    def submit(self, batch: Batch) -> Future[list[EpisodeRow]]:
        over: Future[list[EpisodeRow]] = Future()
        answers = []
        for spec in batch.specs:
            self._worked[spec.name] += 1
            if self._losing(spec):
                over.set_exception(WorkerLost("killed"))
                return over
            answers.append(write_row(spec, error_row(spec, "as told"), batch.folder))
        over.set_result(answers)
        return over

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def losing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Counter[str]]:
    """Has workers be lost, and counts how often each episode is begun."""

    def put(losing: Callable[[EpisodeSpec, int], bool], shares: bool = False) -> Counter[str]:
        begun: Counter[str] = Counter()

        @contextmanager
        def engine(on: str, workers: int, folder: Path) -> Iterator[Engine]:
            yield Engine(lambda: Losing(lambda spec: losing(spec, begun[spec.name]), begun), shares)

        monkeypatch.setattr(engines, "_engine", engine)
        return begun

    return put


@pytest.mark.parametrize("shares", [False, True])
def test_an_episode_whose_worker_is_lost_is_begun_once_more_and_no_other(
    losing: Callable[..., Counter[str]], shares: bool, tmp_path: Path
) -> None:
    def twice_or_once(spec: EpisodeSpec, begun: int) -> bool:
        return spec.task == "no-such-person" and (spec.seed == 1 or (spec.seed == 2 and begun == 1))

    begun = losing(twice_or_once, shares)
    done = [progress.row for progress in run_suite(SUITE, tmp_path, workers=3)]
    assert sorted(row.pair for row in done) == sorted(row.pair for row in rows_in(tmp_path))
    assert len(done) == 6
    again = {name: count for name, count in begun.items() if count != 1}
    assert again == {"rules__no-such-person__1__0": 2, "rules__no-such-person__2__0": 2}
    (bad,) = [row for row in done if row.reason != "as told"]
    assert (bad.status, bad.task, bad.seed) == ("error", "no-such-person", 1)
    assert "and so did a second one: killed" in bad.reason


def test_workers_that_are_all_lost_end_the_suite(losing: Callable[..., Counter[str]], tmp_path: Path) -> None:
    losing(lambda spec, begun: True)
    with pytest.raises(MachineStopped, match="ended in a row without a result: killed"):
        list(run_suite(SUITE, tmp_path, workers=2))


def test_a_worker_of_an_earlier_run_of_the_suite_writes_no_row(tmp_path: Path) -> None:
    spec = episodes_of(SUITE)[0]
    (tmp_path / DRIVER).write_text("the newer one")
    with pytest.raises(Superseded, match=r"works .* now; this one stops"):
        work(spec, tmp_path, "the older one")
    assert rows(tmp_path) == {}
    assert work(spec, tmp_path, "the newer one") == work(spec, tmp_path, "the newer one"), "what has a row is not worked again"


def test_an_episode_that_was_taken_from_a_worker_is_not_written_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from orchestrator.runs import runs as module

    spec, start = episodes_of(SUITE)[0], module.start

    def taken(*given: object, **more: object) -> object:
        outcome = start(*given, **more)  # type: ignore[arg-type]
        monkeypatch.setattr(module, "start", start)
        work(spec, tmp_path)  # meanwhile, by another
        return outcome

    monkeypatch.setattr(module, "start", taken)
    with pytest.raises(Superseded, match="by another worker"):
        work(spec, tmp_path)
    row = read_row(spec, tmp_path)
    assert (tmp_path / row.run / "report.json").is_file()


def test_what_is_wrong_with_an_engine_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(on: str, workers: int = 1) -> str:
        with pytest.raises(UsageProblem) as bad:
            list(run_suite(SUITE, tmp_path / "out", on=on, workers=workers))
        return str(bad.value)

    assert "there are ray, ray://HOST:PORT, slurm and slurm:local" in refused("moon")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "there is no sbatch" in refused("slurm")
    for program in ("sbatch", "sacct"):
        (tmp_path / program).write_text("#!/bin/sh\necho 'accounting storage is disabled' >&2; exit 1\n")
        (tmp_path / program).chmod(0o755)
    assert "sacct fails: accounting storage is disabled" in refused("slurm")
    assert "no more than 64 processes" in refused("", workers=80)
    for package, extra in (("ray", "ray"), ("submitit", "slurm:local")):
        monkeypatch.setitem(sys.modules, package, None)
        assert f"pip install 'deskcrew[{extra.partition(':')[0]}]'" in refused(extra)
