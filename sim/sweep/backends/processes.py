"""Jobs in processes of this machine, by loky: a worker that dies is replaced, and its job done again."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from types import TracebackType
from typing import Any, Self

from sim.errors import SweepError
from sim.sweep.backends import RETRIES
from sim.sweep.jobs import Done, Failure, Job, perform

#: seconds after which a worker without work ends: a caller that was killed leaves nobody behind
ORPHANED = 60


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
        try:
            import loky  # noqa: F401
        except ImportError:
            raise SweepError(
                "backend = loky needs loky; accepted: pip install 'caterpillar-table-lab[processes]', "
                "or another backend"
            ) from None
        self.lanes = workers
        self.capacity = workers + 2
        self.deaths = 0
        self._pool: Any = None
        self._open: dict[Future[Done], Job] = {}
        self._queue: deque[Job] = deque()
        self._tries: dict[int, int] = {}

    def _executor(self) -> Any:
        if self._pool is None:
            from loky import ProcessPoolExecutor

            self._pool = ProcessPoolExecutor(self.lanes, timeout=ORPHANED, initializer=_quiet)
        return self._pool

    def submit(self, job: Job) -> None:
        self._queue.append(job)
        self._hand_out()

    def _hand_out(self) -> None:
        """Send what is queued; a job that was out when a worker died goes alone."""
        while self._queue:
            alone = self._queue[0].number in self._tries
            if self._open and (alone or any(job.number in self._tries for job in self._open.values())):
                return
            job = self._queue.popleft()
            try:
                self._open[self._executor().submit(perform, job)] = job
            except BrokenExecutor:  # found dead before the job was out
                self._replace()
                self._queue.appendleft(job)

    def _replace(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            self.deaths += 1
            pool.shutdown(wait=False, kill_workers=True)

    def wait(self) -> Sequence[tuple[Job, Done]]:
        done, _ = wait(self._open, timeout=0.5, return_when=FIRST_COMPLETED)
        results = [(self._open.pop(future), future.result()) for future in done if future.exception() is None]
        if any(future in self._open for future in done):
            results += self._died()
        self._hand_out()
        return results

    def _died(self) -> list[tuple[Job, Done]]:
        """Take stock after a death: all jobs that were out are suspects."""
        self._replace()
        results: list[tuple[Job, Done]] = []
        for job in reversed(self._open.values()):
            self._tries[job.number] = self._tries.get(job.number, 0) + 1
            if self._tries[job.number] > RETRIES:
                results.append((job, lost(job, self._tries[job.number])))
            else:
                self._queue.appendleft(job)
        self._open.clear()
        return results

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=error is None, kill_workers=error is not None)
            self._pool = None
