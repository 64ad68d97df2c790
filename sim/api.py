"""The Python face: joins games, engine, sweeps and store. Re-exported, lazily, by `sim`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim import games as registry
from sim.engine.simulate import blocks, map_blocks
from sim.engine.slot import helper as jit
from sim.errors import InputError, PolicyError, play_range, unknown, whole_number
from sim.games.base import Field, Policy, RulesModel, Scenario
from sim.games.own import load as load_policies
from sim.games.own import parameter, policy
from sim.store import load as store_load
from sim.store.columns import Rows, to_polars
from sim.store.parquet import write_table
from sim.store.provenance import policies_of, provenance
from sim.store.schema import columns
from sim.sweep import rounds as round_table
from sim.sweep import rows
from sim.sweep.counting import Pair, check_by, make_pairs, play_counts
from sim.sweep.frames import describe, load, scenarios
from sim.sweep.run import SweepResult
from sim.sweep.run import run as run_sweep
from sim.sweep.sql import sql
from sim.sweep.warm import announce
from sim.sweep.watching import win_paths

if TYPE_CHECKING:
    import numpy as np

    from sim.league.tournament import Tournament
    from sim.league.tune import Tuned
    from sim.stats.luck import Adjusted
    from sim.sweep.compare import Comparison

__all__ = [
    "adjusted",
    "announce",
    "check_by",
    "check_call",
    "compare",
    "describe",
    "games",
    "jit",
    "load",
    "load_policies",
    "parameter",
    "play_counts",
    "play_file",
    "play_rounds_file",
    "policy",
    "rerun",
    "rounds",
    "scenario_of",
    "scenarios",
    "simulate",
    "solve",
    "sql",
    "summarise",
    "sweep",
    "tournament",
    "trace",
    "tune",
    "win_paths",
]

#: seats that `adjusted` takes: it keeps how each goes along with each
MOST_ADJUSTED = 20
#: games in a block with their luck: they take milliseconds, not microseconds
_LUCK_BLOCK = 256

Rules = Mapping[str, Any] | str | RulesModel | None
Policies = Sequence[str | Mapping[str, Any] | Policy] | str | Mapping[str, Any] | Policy


def games() -> list[str]:
    """The names of the games."""
    return list(registry.REGISTRY)


def scenario_of(game: str, rules: Rules, policies: Policies) -> Scenario:
    """A checked scenario from what a user gives; a preset may be named inside a mapping of rules."""
    found = registry.get(game)
    if not isinstance(policies, str | Mapping | Policy) and not isinstance(policies, Sequence):
        raise PolicyError(f"policies = {policies!r} are not accepted; accepted: one policy per seat, in a list")
    line_up = [policies] if isinstance(policies, str | Mapping | Policy) else policies
    return found.scenario(rules, line_up)


def check_call(*, seed: int, games: int, workers: int = 1, first_game: int = 0) -> None:
    """Refuse seeds, numbers of games and workers out of range."""
    play_range(seed, first_game, games, workers)


def simulate(
    game: str,
    *,
    rules: Rules = None,
    policies: Policies,
    games: int,
    seed: int,
    workers: int = 1,
    first_game: int = 0,
) -> Any:
    """Play games and return one row per seat per game.

    Parameters
    ----------
    game : str
        A name in `sim.games()`.
    rules : mapping, preset id or rules object, optional
        Parameters over the defaults.
    policies : sequence
        One per seat: an id, ``{"id": …, parameter: value}``, or the text ``id(parameter=value, …)``.
    games : int
        How many, at least 1.
    seed : int
        0 … 2^64 − 1. With one seed, dice and cards of a game index are the same in every scenario of a game.
    workers : int
        Threads; the rows do not depend on it.
    first_game : int
        Index of the first game.

    Returns
    -------
    polars.DataFrame
        Columns game, seat and the game's result fields (`sim schema`), ordered by (game, seat).

    Raises
    ------
    SimError
        In one line: what was given, what is accepted.
    """
    scenario = scenario_of(game, rules, policies)
    seed, first, count, workers = play_range(seed, first_game, games, workers)
    announce(scenario.game)
    playable = scenario.game.compile(scenario.rules, scenario.policies)
    room = Rows(playable.fields, playable.seats, first, count)
    rows.fill(room, playable, seed, workers)
    return to_polars(room.filled())


def _fields(scenario: Scenario) -> tuple[Field, ...]:
    return scenario.game.fields(scenario.rules, len(scenario.policies))


def parse_pairs(scenario: Scenario, rules: Rules, policies: Policies, pairs: Sequence[Mapping[str, Any]]) -> list[Pair]:
    """The comparisons that `summarise` was asked for."""
    result: list[Pair] = []
    for given in pairs:
        if not isinstance(given, Mapping):
            raise InputError(f"pairs entry {given!r} is not accepted; accepted: a mapping with of, seats, against")
        other = None
        against = given.get("against")
        if against is not None:
            if not isinstance(against, Mapping) or not set(against) <= {"rules", "policies"}:
                raise InputError(
                    f"against = {against!r} in pairs is not accepted; accepted: a mapping with rules, policies or both"
                )
            parsed = scenario_of(scenario.game.name, against.get("rules", rules), against.get("policies", policies))
            told = ", ".join(f"{k}={v}" for k, v in parsed.rules.changed().items()) or "default"
            other = Scenario(
                parsed.game, parsed.rules, parsed.policies, f"{told} · {', '.join(p.text() for p in parsed.policies)}"
            )
        result += make_pairs(scenario, _fields(scenario), given, other)
    return result


def summarise(
    game: str,
    *,
    rules: Rules = None,
    policies: Policies,
    games: int,
    seed: int,
    workers: int = 1,
    first_game: int = 0,
    by: Sequence[str] | str | None = None,
    pairs: Sequence[Mapping[str, Any]] | None = None,
) -> Any:
    """Exact joint counts of chosen columns instead of rows; memory does not depend on `games`.

    Parameters
    ----------
    by : sequence of str, optional
        Columns to count jointly; default the game's headline columns.
    pairs : sequence of mappings, optional
        Paired differences on the same dice: ``{"of": "score", "seats": [0, 1]}`` (seat 0 minus seat 1 of the same
        game) or ``{"of": "score", "against": {"rules": …, "policies": …}}`` (this scenario minus that one, seat by
        seat; what is left out is as here). ``"seats"`` then chooses the seats to compare, ``"label"`` names the pair.
    game, rules, policies, games, seed, workers, first_game
        As for `simulate`.

    Returns
    -------
    polars.DataFrame, or (polars.DataFrame, polars.DataFrame) with `pairs`
        Counts: seat, the columns of `by`, count. Differences: pair, of, against (scenario id), seat, difference, count.
    """
    scenario = scenario_of(game, rules, policies)
    seed, first, count, workers = play_range(seed, first_game, games, workers)
    chosen = check_by(_fields(scenario), scenario.game.headline if by is None else by)
    if pairs is not None and (isinstance(pairs, str | Mapping) or not isinstance(pairs, Sequence) or not pairs):
        raise InputError(f"pairs = {pairs!r} is not accepted; accepted: None, or a list of at least one mapping")
    compared = parse_pairs(scenario, rules, policies, pairs or ())
    announce(scenario.game)
    tables = play_counts(scenario, seed=seed, games=count, by=chosen, pairs=compared, workers=workers, first_game=first)
    counts = to_polars(tables["counts"])
    return counts if pairs is None else (counts, to_polars(tables["differences"]))


def adjusted(
    game: str,
    *,
    rules: Rules = None,
    policies: Policies,
    games: int,
    seed: int,
    workers: int = 1,
    first_game: int = 0,
    value: str = "auto",
    level: float = 0.95,
    outcome: str | None = None,
) -> Adjusted:
    """Mean outcomes with the luck of the dice taken out: as exact as many times more games, and without bias.

    Parameters
    ----------
    game, rules, policies, games, seed, workers, first_game
        As for `simulate`; the games are the same. Memory does not depend on `games`, the result not on `workers`.
    value : str
        The value function that luck is measured with; it decides how much is saved, never what is estimated. For
        caterpillars ``exact`` (beginner and intermediate, sheets without blanks), ``fitted`` (the networks that policy
        `learned` plays by), ``auto`` (exact where there is one, else fitted); for karolinchen ``fitted`` (a network,
        for the published numbers of fruits), ``race``, or ``auto`` (fitted where there is one); for parlett ``fitted``,
        or ``auto``.
    level : float
        Of the intervals.
    outcome : str, optional
        What luck is taken out of: ``score`` (left out) or ``win`` (share of a win) for caterpillars and parlett,
        ``win`` for karolinchen.

    Returns
    -------
    Adjusted
        ``mean`` and ``raw`` (estimates with interval), ``ratio`` (of variances) and ``n`` for seat 0; ``seats`` by
        seat; ``difference(a, b)`` between seats.

    Raises
    ------
    SimError
        In one line: what was given, what is accepted.

    Notes
    -----
    The method is that of `sim.stats.luck`; ``docs/luck.md`` tells what it saves and what it costs.
    """
    from sim.stats.luck import LuckSums

    scenario = scenario_of(game, rules, policies)
    seed, first, count, workers = play_range(seed, first_game, games, workers)
    seats = len(scenario.policies)
    if seats > MOST_ADJUSTED:
        raise InputError(f"{seats} policies were given to adjusted; accepted: 1 to {MOST_ADJUSTED}")
    if not (isinstance(level, float) and 0 < level < 1):
        raise InputError(f"level = {level!r} is not accepted; accepted: a number between 0 and 1")
    known = scenario.game.adjustable
    if outcome is not None and known and outcome not in known:
        raise InputError(unknown("outcome", outcome, known))
    announce(scenario.game)
    playable = scenario.game.luck(scenario.rules, scenario.policies, value, outcome)

    def consume(_first: int, _games: int, outs: list[np.ndarray], sums: LuckSums) -> None:
        sums.add(outs[0][0], outs[0][1])

    parts = map_blocks(
        [playable],
        seed,
        blocks(first, count, _LUCK_BLOCK),
        consume,
        workers=workers,
        size=min(_LUCK_BLOCK, count),
        local=lambda: LuckSums(seats),
    )
    total = parts[0]
    for part in parts[1:]:
        total.merge(part)
    return total.result(value, level)


def trace(game: str, *, rules: Rules = None, policies: Policies, seed: int, game_index: int = 0) -> dict[str, Any]:
    """One game as plain data: the very game that row `game_index` of `simulate` reports.

    Parameters
    ----------
    game, rules, policies, seed
        As for `simulate`.
    game_index : int
        0 … 2^63 − 2.
    """
    scenario = scenario_of(game, rules, policies)
    seed, first, _, _ = play_range(seed, whole_number("game_index", game_index, 0, 2**63 - 2), 1, 1)
    announce(scenario.game)
    return scenario.game.trace(scenario.rules, scenario.policies, seed, first)


def rounds(
    game: str,
    *,
    rules: Rules = None,
    policies: Policies,
    games: int,
    seed: int,
    workers: int = 1,
    first_game: int = 0,
    regret: bool = False,
) -> Any:
    """Play games and return one row per decision point of a seat: what could be done, what was done.

    Parameters
    ----------
    game, rules, policies, seed, workers, first_game
        As for `simulate`; game k is the one that `trace` tells and row k of `simulate` reports.
    games : int
        How many, 1 to 1,000,000: it is a sample to look into.
    regret : bool
        Also what each choice lost against optimal play. It solves first; Caterpillars at beginner and intermediate,
        sheets without blanks.

    Returns
    -------
    polars.DataFrame
        One row per seat per round (Caterpillars), per turn (Karolinchen) or per play (Parlett), ordered by game, then
        as played: game, seat, round (from 1), options (number of legal choices), chosen (place in their sorted list),
        forced (whether there was only one), and the game's own columns (`sim schema`, table ``rounds``).
    """
    scenario = scenario_of(game, rules, policies)
    seed, first, count, workers = _sample(scenario, seed, first_game, games, workers, regret)
    source = round_table.recorder(scenario, regret)
    return to_polars(
        round_table.play(scenario, source, seed=seed, first=first, games=count, workers=workers, regret=regret)
    )


def _sample(
    scenario: Scenario, seed: int, first_game: int, games: int, workers: int, regret: bool
) -> tuple[int, int, int, int]:
    """Check a call that tells rounds, and say that kernels are compiled."""
    if not isinstance(regret, bool):
        raise InputError(f"regret = {regret!r} is not accepted; accepted: true, false")
    call = play_range(seed, first_game, games, workers)
    round_table.check(scenario, call[2], regret)
    announce(scenario.game)
    return call


def play_rounds_file(
    path: str | Path,
    scenario: Scenario,
    *,
    seed: int,
    games: int,
    workers: int = 1,
    first_game: int = 0,
    regret: bool = False,
    on_block: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """What `rounds` returns as one Parquet file with provenance. Returns the provenance."""
    seed, first, count, workers = _sample(scenario, seed, first_game, games, workers, regret)
    more: dict[str, Any] = {"workers": workers, "regret": regret, "on_block": on_block}
    return round_table.write_file(path, scenario, seed=seed, first=first, games=count, **more)


def sweep(
    source: str | Path | Mapping[str, Any],
    *,
    workers: int = 1,
    data: str | Path = "data",
    backend: str = "threads",
    scheduler: str | None = None,
    max_failures: int | None = None,
    progress: bool = False,
    replace: bool = False,
) -> SweepResult:
    """Run a sweep: play what is missing and leave Parquet in `data`/<name>; the Python face of ``sim sweep``.

    Parameters
    ----------
    source : path or mapping
        A sweep file, or the same as a mapping.
    workers : int
        Threads or processes; the files do not depend on it.
    data : path
        The data folder.
    backend : {"threads", "sequential", "loky", "dask"}
        Who plays; the files do not depend on it. In a script, loky and dask need ``if __name__ == "__main__":``.
    scheduler : str, optional
        Address of a running dask scheduler, as ``tcp://host:8786``.
    max_failures : int, optional
        Give up after more failing scenarios than this.
    progress : bool
        Tell on stderr how it goes.
    replace : bool
        Give up finished data of another seed, range or detail, or of more games, that stand under the same name.

    Returns
    -------
    SweepResult
        ``.frame()`` and ``.scenarios()`` give its data.
    """
    from sim.sweep.plan import plan

    planned = plan(source)
    announce(planned.game)
    command = None if isinstance(source, Mapping) else f"sim sweep {source}"
    return run_sweep(
        planned,
        workers=workers,
        data=data,
        backend=backend,
        scheduler=scheduler,
        max_failures=max_failures,
        progress=progress,
        command=command,
        replace=replace,
    )


def compare(a: str, b: str, of: str = "score", **options: Any) -> Comparison:
    """Compare two scenarios of finished sweeps on the same dice, a minus b; see `sim.sweep.compare.compare`.

    Parameters
    ----------
    a, b : str
        Ids of scenarios, beginnings of ids (at least four characters), or labels.
    of : str
        The column to compare.
    **options
        ``seat``, ``sweep``, ``data``, ``level``, ``workers``.
    """
    from sim.sweep.compare import compare as difference

    return difference(a, b, of, **options)


def tournament(
    game: str,
    *,
    policies: Policies,
    rules: Rules = None,
    games: int,
    seed: int,
    workers: int = 1,
    first_game: int = 0,
    anchor: int | str = 0,
) -> Tournament:
    """Let every policy meet every other one on the same dice or cards: win rates, strengths, test of fit, cycles.

    Parameters and result are those of `sim.league.tournament.tournament`; memory does not depend on `games`.
    """
    from sim.league.tournament import tournament as round_robin

    announce(registry.get(game))
    return round_robin(
        game,
        policies=policies,  # type: ignore[arg-type]
        rules=rules,
        games=games,
        seed=seed,
        workers=workers,
        first_game=first_game,
        anchor=anchor,
    )


def tune(game: str, **arguments: Any) -> Tuned:
    """Fit numbers of a policy by CMA-ES on common random numbers; see `sim.league.tune.tune` for the arguments."""
    from sim.league.tune import tune as fit

    announce(registry.get(game))
    return fit(game, **arguments)


def play_file(
    path: str | Path,
    scenario: Scenario,
    *,
    seed: int,
    games: int,
    workers: int = 1,
    first_game: int = 0,
    on_block: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """All rows as one Parquet file with provenance; memory does not depend on `games`. Returns the provenance."""
    seed, first, count, workers = play_range(seed, first_game, games, workers)
    announce(scenario.game)
    return rows.write_file(path, scenario, seed=seed, first=first, games=count, workers=workers, on_block=on_block)


def rerun(path: str | Path, to: str | Path, *, workers: int = 1) -> Path:
    """Run again the call that made a file, from its provenance alone, and write the result to `to`.

    With the same versions of kernel and libraries the two files are equal byte for byte.

    Parameters
    ----------
    path : path
        A file of rows or of counts written by sim (tables ``games``, ``rounds`` and ``counts``).
    to : path
        Where to write.
    workers : int

    Raises
    ------
    StoreError
        If the file is not ours.
    InputError
        For differences: they need the other scenario, which the sweep's manifest holds.
    """
    record = store_load.read_footer(path).provenance
    if "parts" in record:
        raise InputError(f"{path} holds many scenarios; accepted: a file of one (the call of each is in its footer)")
    if record["table"] not in ("games", "rounds", "counts"):
        raise InputError(unknown("table", record["table"], ("games", "rounds", "counts")))
    scenario = scenario_of(record["game"], record["rules"], policies_of(record))
    call = {"seed": record["seed"], "first_game": record["first_game"], "games": record["games"]}
    if record["table"] == "games":
        play_file(to, scenario, workers=workers, **call)
    elif record["table"] == "rounds":
        play_rounds_file(to, scenario, workers=workers, regret=record.get("regret", False), **call)
    else:
        tables = play_counts(scenario, by=record["by"], workers=workers, **call)
        fields = {f.name: f for f in _fields(scenario)}
        made = provenance("counts", scenario, by=record["by"], **call)
        write_table(to, columns("counts", [fields[name] for name in record["by"]]), made, tables["counts"])
    return Path(to)


def solve(game: str, *, rules: Rules = None, policies: Any = None, **position: Any) -> Any:
    """Exact answers: no sampling.

    Parameters
    ----------
    game : str
    rules
        Mapping over the defaults, preset id, or rules object.
    policies : sequence of policies, optional
        For given policies instead of optimal play, where the game's solver offers it.
    **position
        What the game's solver takes: Caterpillars ``labels=``; see ``docs/exact.md``.

    Raises
    ------
    SimError
        In one line: what was asked, what can be answered.
    """
    return registry.get(game).solve(rules, policies, **position)
