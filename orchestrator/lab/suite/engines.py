"""Where the episodes of a suite are worked: in this process, in processes of this machine, by actors of Ray, in jobs of Slurm.

One loop hands them out. A worker writes the row of an episode when it is over, and rows are all that counts: what has one when
a worker is lost is done, and what it was in the middle of is worked once more, by another.
"""

import json
import math
import multiprocessing
import os
import secrets
import shutil
import subprocess
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from orchestrator.errors import MachineStopped, MissingDependency, UsageProblem
from orchestrator.lab.suite import suite as suites
from protocol.log.log import whole_file

LOCAL_RAY, RAY, SLURM, LOCAL_SLURM = "ray", "ray://", "slurm", "slurm:local"
MOST_PROCESSES, JOB_MINUTES = 64, 24 * 60


class Batch(NamedTuple):
    """What a worker is given at a time."""

    specs: tuple[suites.EpisodeSpec, ...]
    folder: Path
    driver: str
    """The mark of the command that wants it."""
    examine: suites.Examine = suites.run_of

    def work(self) -> list[suites.EpisodeRow]:
        return [suites.work(spec, self.folder, self.driver, self.examine) for spec in self.specs]


class WorkerLost(Exception):
    """A worker ended before it could answer."""


class Worker(Protocol):
    """Works a batch at a time. The future of one that was lost raises WorkerLost."""

    def submit(self, batch: Batch) -> Future[list[suites.EpisodeRow]]: ...

    def close(self) -> None: ...


class Engine(NamedTuple):
    """What makes workers."""

    worker: Callable[[], Worker]
    shares: bool = False
    """Whether a worker is given a share of what is left, and not one episode: where starting it is dear."""


def run_suite(
    suite: suites.Suite, folder: Path, *, workers: int = 1, on: str = "", again: bool = False, only: str = "*",
    examine: suites.Examine = suites.run_of, purpose: str = "",
) -> Iterator[suites.SuiteProgress]:  # fmt: skip
    """Work what has no row yet, and yield each as it ends; with `again` also what did not come out right.

    `on` is `ray`, an address `ray://…`, `slurm` or `slurm:local`; processes of this machine when it is empty. The laboratory has
    another `examine` and a `purpose`; it leaves out what does not begin the same way twice. Raises UsageProblem where
    the folder holds another suite's rows, or where workers are lost again and again.
    """
    every, folder = suites.episodes_of(suite, only), folder.absolute()
    if purpose:
        every = [spec for spec in every if suites.settings_of(spec).forkable]
    driver = _claim(suite, folder, purpose)
    left = []
    for spec in every:
        row = suites.read_row(spec, folder)
        lost = row is not None and row.lines and not suites.row_file(spec, folder).exists()
        if row is None or lost or (again and not row.right):
            (folder / suites.ROWS / f"{spec.name}.json").unlink(missing_ok=True)
            left.append(spec)
    done = len(every) - len(left)
    if left:
        with _engine(on, workers, folder) as engine:
            loop = _Loop(left, Batch((), folder, driver, examine), engine, min(workers, len(left)))
            for number, row in enumerate(loop.rows(), start=done + 1):
                yield suites.SuiteProgress(row, number, len(every))


def _claim(suite: suites.Suite, folder: Path, purpose: str) -> str:
    """A mark of its own, by which workers of an earlier command that are still there know that it is over."""
    (folder / suites.ROWS).mkdir(parents=True, exist_ok=True)
    said, place = suite.model_dump(mode="json") | ({"purpose": purpose} if purpose else {}), folder / suites.SPEC
    if place.exists():
        kept = json.loads(place.read_text(encoding="utf-8"))
        differ = sorted(key for key in {*said, "purpose"} - {"about", "tasks"} if kept.get(key) != said.get(key))
        if differ:
            raise UsageProblem(f"{folder} has rows of a suite with other {', '.join(differ)}; name another folder with --out.")
    driver = secrets.token_hex(8)
    for path, text in ((place, json.dumps(said, indent=1) + "\n"), (folder / suites.DRIVER, driver)):
        with whole_file(path) as file:
            file.write(text)
    return driver


class _Loop:
    """Hands out what is left until each has a row."""

    def __init__(self, specs: Sequence[suites.EpisodeSpec], batch: Batch, engine: Engine, workers: int) -> None:
        self._left, self._empty, self._folder = deque(specs), batch, batch.folder
        self._engine, self._workers = engine, workers
        self._running: dict[Future[list[suites.EpisodeRow]], tuple[Worker, Batch]] = {}
        self._losses: Counter[str] = Counter()
        self._in_a_row = 0

    def rows(self) -> Iterator[suites.EpisodeRow]:
        """Each episode's, as they end."""
        idle, folder = [self._engine.worker() for _ in range(self._workers)], self._folder
        try:
            while self._left or self._running:
                while idle and self._left:
                    worker = idle.pop()
                    count = math.ceil(len(self._left) / (2 * self._workers)) if self._engine.shares else 1
                    batch = self._empty._replace(specs=tuple(self._left.popleft() for _ in range(count)))
                    self._running[worker.submit(batch)] = worker, batch
                while idle:  # a place in a cluster that another of ours may wait for
                    idle.pop().close()
                for future in wait(self._running, return_when=FIRST_COMPLETED).done:
                    worker, batch = self._running.pop(future)
                    try:
                        # a worker on another machine may have no part in the folder
                        pairs = zip(batch.specs, future.result(), strict=True)
                        rows = [suites.read_row(spec, folder) or suites.write_row(spec, row, folder) for spec, row in pairs]
                        self._in_a_row = 0
                    except WorkerLost as why:
                        worker.close()
                        worker = self._engine.worker()
                        rows = self._after_loss(batch, str(why))
                    idle.append(worker)
                    yield from rows
        finally:
            for worker in (*idle, *(worker for worker, _ in self._running.values())):
                worker.close()

    def _after_loss(self, batch: Batch, why: str) -> list[suites.EpisodeRow]:
        """What has a row is done; what was in the middle is worked once more, and what was not begun as if nothing had been."""
        ended = [(spec, suites.read_row(spec, self._folder)) for spec in batch.specs]
        rows = [row for _, row in ended if row is not None]
        left = [spec for spec, row in ended if row is None]
        self._in_a_row = 0 if rows else self._in_a_row + 1
        if self._in_a_row > 2 * self._workers:
            raise MachineStopped(f"{self._in_a_row} workers of the suite ended in a row without a result: {why}")
        if left:
            self._losses[left[0].name] += 1
            if self._losses[left[0].name] > 1:
                lost = left.pop(0)
                told = f"its worker ended, and so did a second one: {why}"
                rows.append(suites.write_row(lost, suites.error_row(lost, told), self._folder))
        self._left.extendleft(reversed(left))
        return rows


def _engine(on: str, workers: int, folder: Path) -> AbstractContextManager[Engine]:
    if on == LOCAL_RAY or on.startswith(RAY):
        return _ray(on, workers)
    if on in (SLURM, LOCAL_SLURM):
        return _slurm(on, workers, folder)
    if on:
        raise UsageProblem(f"--on {on!r} is not known; there are {LOCAL_RAY}, {RAY}HOST:PORT, {SLURM} and {LOCAL_SLURM}.")
    if workers > MOST_PROCESSES:
        raise UsageProblem(f"--workers {workers}: no more than {MOST_PROCESSES} processes on one machine; see --on.")
    return nullcontext(Engine(_Process if workers > 1 else _Here))


class _Here:
    def submit(self, batch: Batch) -> Future[list[suites.EpisodeRow]]:
        over: Future[list[suites.EpisodeRow]] = Future()
        over.set_result(batch.work())
        return over

    def close(self) -> None:
        """Nothing was opened."""


class _Process:
    """A process of this machine; one pool for each, so that it is known whose process was lost."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _end_with_parent)

    def submit(self, batch: Batch) -> Future[list[suites.EpisodeRow]]:
        return _relayed(self._pool.submit(batch.work), BrokenProcessPool)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - we are started by it
    threading.Thread(target=lambda: os._exit(len(wait_for([parent.sentinel]))), daemon=True).start()


def _relayed(inner: Future[Any], *lost: type[BaseException]) -> Future[list[suites.EpisodeRow]]:
    """The same future, but for what is raised where a worker was lost."""
    outer: Future[list[suites.EpisodeRow]] = Future()

    def ended(future: Future[Any]) -> None:
        if future.cancelled():
            outer.cancel()
        elif (bad := future.exception()) is None:
            outer.set_result(future.result())
        else:
            outer.set_exception(WorkerLost(" ".join(str(bad).split())[:300]) if isinstance(bad, lost) else bad)

    inner.add_done_callback(ended)
    return outer


@contextmanager
def _ray(on: str, workers: int) -> Iterator[Engine]:
    """Actors, each with a processor of its own: of a cluster on this machine, or of the one at an address."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    try:
        import ray
        from ray.exceptions import ObjectLostError, RayActorError
    except ImportError:
        raise MissingDependency("--on ray needs the package ray: pip install 'deskcrew[ray]'") from None
    try:
        if on == LOCAL_RAY and not os.environ.get("RAY_ADDRESS"):
            ray.init("local", num_cpus=workers, include_dashboard=False, log_to_driver=False, configure_logging=False)
        else:
            ray.init(None if on == LOCAL_RAY else on, log_to_driver=False)
    except Exception as bad:  # noqa: BLE001 - Ray raises no class of its own
        raise MachineStopped(f"--on {on}: Ray does not answer: {' '.join(str(bad).split())[:300]}") from None
    actor = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Actor)

    class RayWorker:
        def __init__(self) -> None:
            self._actor = actor.remote(os.getcwd())

        def submit(self, batch: Batch) -> Future[list[suites.EpisodeRow]]:
            return _relayed(self._actor.work.remote(batch).future(), RayActorError, ObjectLostError)

        def close(self) -> None:
            ray.kill(self._actor)

    try:
        yield Engine(RayWorker)
    finally:
        ray.shutdown()


class _Actor:
    """In a process of Ray's that works one episode after the other, so that what worlds are made of is read once."""

    def __init__(self, folder: str) -> None:
        if Path(folder).is_dir():
            os.chdir(folder)  # settings and task files are named from there

    def work(self, batch: Batch) -> list[suites.EpisodeRow]:
        return batch.work()


@contextmanager
def _slurm(on: str, workers: int, folder: Path) -> Iterator[Engine]:
    """Jobs, by submitit; each works a share of what is left. `slurm:local` runs them on this machine, without Slurm."""
    try:
        import submitit
        from submitit.core.utils import UncompletedJobError
    except ImportError:
        raise MissingDependency("--on slurm needs the package submitit: pip install 'deskcrew[slurm]'") from None
    if on == SLURM and shutil.which("sbatch") is None:
        raise UsageProblem(f"--on {SLURM}: there is no sbatch on this machine; --on {LOCAL_SLURM} works without Slurm.")
    if on == SLURM and (accounts := subprocess.run(["sacct", "--noheader"], capture_output=True, text=True)).returncode:  # noqa: S607
        why = " ".join((accounts.stderr or accounts.stdout).split())[:200]
        raise UsageProblem(f"--on {SLURM}: a lost job is noticed by Slurm's accounting, and sacct fails: {why}")
    executor = submitit.AutoExecutor(folder / "jobs", cluster=on.partition(":")[2] or SLURM)
    executor.update_parameters(name=f"deskcrew-{folder.name}", timeout_min=JOB_MINUTES, cpus_per_task=1)
    waiting = ThreadPoolExecutor(workers)  # submitit has no futures; it asks Slurm once for all jobs

    class SlurmWorker:
        _job: Any = None

        def submit(self, batch: Batch) -> Future[list[suites.EpisodeRow]]:
            self._job = executor.submit(_told, batch)
            return _relayed(waiting.submit(self._answer), UncompletedJobError)

        def _answer(self) -> list[suites.EpisodeRow]:
            answer: list[suites.EpisodeRow] | Exception = self._job.result()
            if isinstance(answer, Exception):
                raise answer
            return answer

        def close(self) -> None:
            if self._job is not None and not self._job.done():
                self._job.cancel(check=False)

    try:
        yield Engine(SlurmWorker, shares=True)
    finally:
        waiting.shutdown(wait=False)


def _told(batch: Batch) -> list[suites.EpisodeRow] | Exception:
    try:
        return batch.work()
    except Exception as bad:  # noqa: BLE001 - raised again where the answer is read; submitit would make a text of it
        return bad
