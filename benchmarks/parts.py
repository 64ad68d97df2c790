"""The parts of a benchmark run. Each returns plain data that `tables` shows and ``--json`` writes."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from benchmarks.machine import cores, one_core
from benchmarks.timing import interleave, units_for
from benchmarks.workloads import BEGINNER_RANDOM, EXPERT_RANDOM, SEED, WORKLOADS, Workload
from sim.engine.simulate import blocks, map_blocks

Data = dict[str, Any]


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    repetitions: int
    #: seconds of kernel time per repetition and workload
    seconds: float
    #: the same for sweeps, whose fixed costs need longer stretches
    sweep_seconds: float
    digest_games: int


QUICK = Effort(repetitions=3, seconds=0.08, sweep_seconds=0.6, digest_games=2_000)
FULL = Effort(repetitions=7, seconds=0.3, sweep_seconds=2.0, digest_games=50_000)


class DigestsDifferError(Exception):
    """The kernel and the C program do not play the same games: speeds would mean nothing."""


def check_digests(works: Sequence[Workload], effort: Effort) -> dict[str, str]:
    """Digest of each workload, the same from the kernel and from C, or `DigestsDifferError`."""
    result = {}
    for work in works:
        ours, theirs = work.digests(effort.digest_games)
        if ours != theirs:
            raise DigestsDifferError(
                f"{work.id}: digest of the first {effort.digest_games:,} games: kernel {ours}, C program {theirs}"
            )
        result[work.id] = ours
    return result


def one_core_speeds(work: Workload, effort: Effort, digest: str) -> Data:
    """Kernel, `simulate`, C and the naive reference on one core."""
    with one_core():
        games = work.whole_blocks(effort.seconds)
        slow = units_for(work.naive, 1, effort.seconds)
        timed = interleave(
            {
                "kernel": lambda: work.kernel(games),
                "C": lambda: work.c(games),
                "simulate": lambda: work.simulate(games),
                "naive": lambda: work.naive(slow),
            },
            effort.repetitions,
        )
    return {
        "workload": work.id,
        "digest": digest,
        "games": games,
        "naive_games": slow,
        "games_per_second": {name: timed.rate(name).plain() for name in timed.seconds},
        "ratios": {
            "kernel / C": timed.speed_ratio("kernel", "C").plain(),
            "simulate / C": timed.speed_ratio("simulate", "C").plain(),
            "simulate / kernel": timed.speed_ratio("simulate", "kernel").plain(),
            "kernel / naive": timed.speed_ratio("kernel", "naive").plain(),
        },
    }


def two_workers(work: Workload, effort: Effort) -> Data:
    """The block engine with two threads against one."""
    if cores() < 2:
        return {"workload": work.id, "skipped": "fewer than two cores"}
    games = work.whole_blocks(effort.seconds)

    def engine(workers: int) -> int:
        tasks = blocks(0, games)
        map_blocks([work.playable], SEED, tasks, lambda first, count, outs, state: None, workers=workers)
        return games

    timed = interleave({"one": lambda: engine(1), "two": lambda: engine(2)}, effort.repetitions)
    return {"workload": work.id, "games": games, "two / one": timed.speed_ratio("two", "one").plain()}


def sweeps(work: Workload, effort: Effort) -> Data:
    """What a sweep costs beside the bare kernel, as a ratio of times on one core."""
    games = work.whole_blocks(effort.sweep_seconds)
    with tempfile.TemporaryDirectory() as data, one_core():

        def clean_sweep(detail: str) -> Any:
            run = work.sweep(games, detail, data)

            def call() -> int:
                for entry in os.scandir(data):
                    if entry.is_dir() and entry.name.startswith(work.id):
                        shutil.rmtree(entry.path)
                return run()

            return call

        timed = interleave(
            {
                "kernel": lambda: work.kernel(games),
                "summary": clean_sweep("summary"),
                "games": clean_sweep("games"),
            },
            max(3, effort.repetitions // 2),
        )
    return {
        "workload": work.id,
        "games": games,
        "summary / kernel": timed.speed_ratio("kernel", "summary").plain(),
        "games / kernel": timed.speed_ratio("kernel", "games").plain(),
    }


def _check_mean(name: str, scores: np.ndarray, truth: np.ndarray) -> Data:
    """The mean score of another program's games beside the kernel's.

    Refused beyond five standard errors of the difference: a false alarm in fewer than one of a million runs.
    """
    error = sqrt(scores.var() / scores.size + truth.var() / truth.size)
    difference = float(scores.mean() - truth.mean())
    if abs(difference) > 5 * error:
        raise DigestsDifferError(f"{name}: mean score {scores.mean():.4f}, kernel {truth.mean():.4f} ± {error:.4f}")
    return {"mean": float(scores.mean()), "difference": difference, "standard_error": error, "games": int(scores.size)}


def peers(effort: Effort) -> Data:
    """Caterpillars beginner `random` beside NumPy and OpenSpiel, and OpenSpiel's own game `pig` per decision."""
    from benchmarks.peers import numpy_beginner

    work = BEGINNER_RANDOM
    try:
        from benchmarks.peers import open_spiel_beginner
    except ImportError:
        open_spiel_beginner = None  # type: ignore[assignment]

    truth = np.zeros((len(work.playable.fields), 200_000), np.int32)
    work.playable.play(SEED, 0, 200_000, truth, work.playable.scratch())
    numpy_scores = numpy_beginner.play(SEED, 200_000)[0]
    means = {"NumPy": _check_mean("NumPy", numpy_scores, truth[0])}

    with one_core():
        games = work.whole_blocks(effort.seconds)
        numpy_games = 16 * numpy_beginner.BATCH

        def run_numpy(choose: numpy_beginner.Chooser) -> int:
            numpy_beginner.play(SEED, numpy_games, choose)
            return numpy_games

        contenders: dict[str, Any] = {
            "kernel": lambda: work.kernel(games),
            "C": lambda: work.c(games),
            "NumPy": lambda: run_numpy(numpy_beginner.by_idiom),
            "NumPy, tuned": lambda: run_numpy(numpy_beginner.by_rows),
        }
        pig: dict[str, Data] = {}
        if open_spiel_beginner is not None:
            spiel_games = max(100, int(1_500 * effort.seconds))
            means["OpenSpiel"] = _check_mean("OpenSpiel", np.array(open_spiel_beginner.play(SEED, 2_000)), truth[0])

            def run_spiel() -> int:
                open_spiel_beginner.play(SEED, spiel_games)
                return spiel_games

            def run_spiel_bots() -> int:
                open_spiel_beginner.play_by_bots(SEED, spiel_games)
                return spiel_games

            def run_spiel_example() -> int:
                open_spiel_beginner.play_as_in_the_example(SEED, spiel_games)
                return spiel_games

            contenders |= {
                "OpenSpiel Python game": run_spiel,
                "OpenSpiel Python game, loop in C++": run_spiel_bots,
                "OpenSpiel Python game, loop of its example": run_spiel_example,
            }
        timed = interleave(contenders, effort.repetitions)
        result: Data = {
            "workload": work.id,
            "means": means,
            "games_per_second": {name: timed.rate(name).plain() for name in timed.seconds},
            "ratios": {
                f"kernel / {name}": timed.speed_ratio("kernel", name).plain()
                for name in timed.seconds
                if name != "kernel"
            },
        }
        if open_spiel_beginner is None:
            result["skipped"] = "OpenSpiel is not installed"
            return result
        pig_games = max(20, int(300 * effort.seconds))
        contenders = {
            "kernel": lambda: work.kernel(games) * work.decisions,
            "pig, driven from Python": lambda: open_spiel_beginner.pig_decisions(SEED, pig_games),
            "pig, all in C++": lambda: open_spiel_beginner.pig_decisions_by_bots(SEED, pig_games),
        }
        timed = interleave(contenders, effort.repetitions)
        for name in contenders:
            ratio = timed.speed_ratio("kernel", name)
            nanoseconds = 1e9 / timed.rate(name).median
            pig[name] = {"nanoseconds_per_decision": nanoseconds, "kernel": ratio.plain()}
        result["pig"] = pig
    return result


def memory(long: bool) -> Data:
    """Peak memory of a summary sweep of a million games, and, in the long part, of a hundred million."""
    from benchmarks.memory import measure

    if not long:
        return {"skipped": "only with --long"}
    workers = min(2, cores())
    measure(10_000, workers)  # compiles, where the kernels have changed: the compiler's memory is not the sweep's
    small, _ = measure(1_000_000, workers)
    large, seconds = measure(100_000_000, workers)
    return {
        "workers": workers,
        "bytes_1m": small,
        "bytes_100m": large,
        "ratio": large / small,
        "seconds_100m": seconds,
    }


def everything(effort: Effort, long: bool, say: Callable[[str], None], only: str = "") -> Data:
    """The whole run; `only` restricts it to workloads whose id contains the text."""
    works = [work for work in WORKLOADS if only in work.id]
    say("digests: kernel against C")
    digests = check_digests(works, effort)
    result: Data = {"one_core": [], "workers": [], "sweeps": []}
    for work in works:
        say(f"one core: {work.id}")
        result["one_core"].append(one_core_speeds(work, effort, digests[work.id]))
    say("peers: NumPy, OpenSpiel")
    result["peers"] = peers(effort)
    for work in works:
        say(f"two workers: {work.id}")
        result["workers"].append(two_workers(work, effort))
    for work in (BEGINNER_RANDOM, EXPERT_RANDOM):  # a fast game and a slow one: the cost is per row, not per move
        say(f"sweeps: {work.id}")
        result["sweeps"].append(sweeps(work, effort))
    say("memory")
    result["memory"] = memory(long)
    return result
