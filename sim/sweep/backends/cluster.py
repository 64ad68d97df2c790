"""Jobs on a dask cluster: one that runs already (``--scheduler ADDRESS``), or processes on this machine.

The scheduler sees small descriptions of jobs and counts; rows are written by the workers into the sweep's folder,
which every worker has to see under the same path. Dask gives the jobs of a dead worker to another one by itself.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

from sim.errors import FaultError, SweepError
from sim.sweep.backends import RETRIES
from sim.sweep.backends.processes import lost
from sim.sweep.jobs import Done, Failure, Job, perform

#: seconds to wait for the scheduler, and for its first worker
PATIENCE = 30


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Processes started here ignore Ctrl-C, which on a terminal reaches them too: the answer is the caller's."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Cluster:
    """Does jobs on the workers of a dask scheduler.

    Parameters
    ----------
    workers : int
        Processes to start where no `scheduler` is given.
    scheduler : str, optional
        Address, as ``tcp://host:8786``.

    Raises
    ------
    SweepError
        Dask is not installed, or nobody answers at the address.
    """

    def __init__(self, workers: int, scheduler: str | None = None) -> None:
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise SweepError(
                "backend = dask needs dask; accepted: pip install 'caterpillar-table-lab[cluster]', or another backend"
            ) from None
        import dask

        # a job whose workers died so often is given up; work is never stolen mid-way for the sake of balance
        dask.config.set({"distributed.scheduler.allowed-failures": RETRIES})
        self._cluster: Any = None
        self.deaths = 0
        if scheduler is None:
            with _deaf():
                self._cluster = LocalCluster(
                    n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
                )
        try:
            self._client: Any = Client(self._cluster or scheduler, timeout=PATIENCE, set_as_default=False)
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, TimeoutError, ValueError) as error:
            self._close()
            raise SweepError(
                f"no dask scheduler with workers at {scheduler} ({str(error).splitlines()[0]})"
                "; accepted: the address of a running one, as tcp://host:8786"
            ) from None
        threads = self._client.nthreads()
        self.lanes = max(1, sum(threads.values()))
        self.capacity = 2 * self.lanes + 2
        self._open: dict[Any, Job] = {}
        self._ready: SimpleQueue[Any] = SimpleQueue()

    def submit(self, job: Job) -> None:
        future = self._client.submit(perform, job, key=f"sim-{job.work.key}-{job.number}", pure=False)
        self._open[future] = job
        future.add_done_callback(self._ready.put)

    def wait(self) -> Sequence[tuple[Job, Done]]:
        if not self._open:
            return []
        ready = []
        with contextlib.suppress(Empty):
            ready.append(self._ready.get(timeout=0.5))
            while True:
                ready.append(self._ready.get_nowait())
        if self._client.status != "running":
            raise FaultError("lost the dask scheduler; what is finished is kept (run again, it goes on)")
        return [(job := self._open.pop(future), self._result(future, job)) for future in ready]

    def _result(self, future: Any, job: Job) -> Done:
        from distributed import KilledWorker

        try:
            result: Done = future.result()
            return result
        except KilledWorker:
            self.deaths += RETRIES + 1
            return lost(job, RETRIES + 1)
        except Exception as error:  # the worker could not even begin: no such package there, or other Python
            text = f"{type(error).__name__} on a worker: {error}"
            return Done(job.number, failures={id: Failure(text, text + "\n") for id in job.members})
        finally:
            future.release()

    def _close(self) -> None:
        with contextlib.suppress(Exception):
            if hasattr(self, "_client"):
                self._client.close()
        with contextlib.suppress(Exception):
            if self._cluster is not None:
                self._cluster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
