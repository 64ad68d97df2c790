"""Who does the jobs of a sweep: this thread, threads, processes, or the workers of a cluster.

All give the same results, byte for byte: a job says what is to be played, not how.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

from sim.errors import SweepError, unknown
from sim.sweep.jobs import Done, Job

BACKENDS = ("threads", "sequential", "loky", "dask")

#: how often a job is tried again after its worker died
RETRIES = 3


class Backend(Protocol):
    """Does jobs; a context manager.

    Attributes
    ----------
    lanes : int
        Jobs done at once.
    capacity : int
        Jobs that may be handed over before results are asked for.
    deaths : int
        Workers lost and replaced so far.
    """

    lanes: int
    capacity: int
    deaths: int

    def submit(self, job: Job) -> None:
        """Hand over a job."""

    def wait(self) -> Sequence[tuple[Job, Done]]:
        """Results that have come in; waits a moment for the first, and may return none."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def check_backend(backend: str, scheduler: str | None = None) -> None:
    """Refuse back ends that do not exist, and a scheduler for those that have none."""
    if backend not in BACKENDS:
        raise SweepError(unknown("backend", backend, BACKENDS))
    if scheduler is not None and backend != "dask":
        raise SweepError(
            f"scheduler = {scheduler!r} with backend = {backend} is not accepted; accepted: backend = dask"
        )


def choose(backend: str, workers: int, scheduler: str | None = None) -> Backend:
    """The back end of a name.

    Parameters
    ----------
    backend : {"threads", "sequential", "loky", "dask"}
    workers : int
    scheduler : str, optional
        Address of a running dask scheduler; by default dask starts `workers` processes on this machine.
    """
    check_backend(backend, scheduler)
    if backend == "loky":
        from sim.sweep.backends.processes import Processes

        return Processes(workers)
    if backend == "dask":
        from sim.sweep.backends.cluster import Cluster

        return Cluster(workers, scheduler)
    from sim.sweep.backends.local import Sequential, Threads

    return Sequential() if backend == "sequential" or workers == 1 else Threads(workers)
