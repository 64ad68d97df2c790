"""Jobs in this process: one after the other, or on threads (the kernels release the interpreter's lock)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Self

from sim.sweep.jobs import Done, Job, perform


class Sequential:
    """Does each job in the caller's thread when results are asked for."""

    lanes = 1
    capacity = 1
    deaths = 0

    def __init__(self) -> None:
        self._jobs: list[Job] = []

    def submit(self, job: Job) -> None:
        self._jobs.append(job)

    def wait(self) -> Sequence[tuple[Job, Done]]:
        jobs, self._jobs = self._jobs, []
        return [(job, perform(job)) for job in jobs]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._jobs.clear()


class Threads:
    """Does jobs on threads."""

    deaths = 0

    def __init__(self, workers: int) -> None:
        self.lanes = workers
        self.capacity = workers + 2
        self._pool = ThreadPoolExecutor(workers)
        self._open: dict[Future[Done], Job] = {}

    def submit(self, job: Job) -> None:
        self._open[self._pool.submit(perform, job)] = job

    def wait(self) -> Sequence[tuple[Job, Done]]:
        done, _ = wait(self._open, timeout=0.5, return_when=FIRST_COMPLETED)
        return [(self._open.pop(future), future.result()) for future in done]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
