"""Jobs in processes of this machine, by loky: a worker that dies is replaced, and its job done again."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from types import TracebackType
from typing import Any, Self

from sim.sweep.backends import RETRIES
from sim.sweep.jobs import Done, Failure, Job, perform


def _quiet() -> None:
    """Ctrl-C on a terminal reaches every process: workers leave the answer to the caller."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def lost(job: Job, times: int) -> Done:
    """What is said of a job whose workers keep dying."""
    text = f"the worker process died {times} times while it played this scenario"
    return Done(job.number, failures={id: Failure(text, text + "\n") for id in job.members})


class Processes:
    """Does jobs in processes.

    When a worker dies, nobody knows whose job it was: the jobs that were out are done again one at a time, so that one
    bad scenario does not use up the retries of its neighbours.
    """

    def __init__(self, workers: int) -> None:
        self.lanes = workers
        self.capacity = workers + 2
        self.deaths = 0
        self._pool: Any = None
        self._open: dict[Future[Done], Job] = {}
        self._suspects: list[Job] = []
        self._tries: dict[int, int] = {}

    def _executor(self) -> Any:
        if self._pool is None:
            from loky import ProcessPoolExecutor

            self._pool = ProcessPoolExecutor(self.lanes, timeout=None, initializer=_quiet)
        return self._pool

    def submit(self, job: Job) -> None:
        if self._suspects:
            self._suspects.append(job)  # not beside a job that may kill its worker again
            return
        self._send(job)

    def _send(self, job: Job) -> None:
        try:
            self._open[self._executor().submit(perform, job)] = job
        except BrokenExecutor:  # found dead before anything was handed over
            self._replace()
            self._suspects.append(job)

    def _replace(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, kill_workers=True)

    def wait(self) -> Sequence[tuple[Job, Done]]:
        if not self._open and self._suspects:
            self._send(self._suspects.pop(0))
            if not self._tries.get(next(iter(self._open.values())).number if self._open else -1):
                while self._suspects and not self._tries.get(self._suspects[0].number):
                    self._send(self._suspects.pop(0))
        done, _ = wait(self._open, timeout=0.5, return_when=FIRST_COMPLETED)
        results = []
        for future in done:
            job = self._open.pop(future)
            try:
                results.append((job, future.result()))
            except (BrokenExecutor, CancelledError):
                results += self._died(job)
        return results

    def _died(self, job: Job) -> list[tuple[Job, Done]]:
        """Take stock after a death: jobs that were out are suspects."""
        self.deaths += 1
        self._replace()
        results: list[tuple[Job, Done]] = []
        suspects = []
        for future, other in [(None, job), *self._open.items()]:
            if future is not None and future.done() and future.exception() is None:
                results.append((other, future.result()))
                continue
            self._tries[other.number] = self._tries.get(other.number, 0) + 1
            if self._tries[other.number] > RETRIES:
                results.append((other, lost(other, self._tries[other.number])))
            else:
                suspects.append(other)
        self._open.clear()
        self._suspects = suspects + self._suspects
        return results

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=error is None, kill_workers=error is not None)
            self._pool = None
