"""Two scenarios of finished sweeps compared: their difference on the same dice, and what it means for one game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim.errors import FaultError, InputError, unknown, whole_number
from sim.stats import Estimate, moments, paired, sample, separate, superiority, without_pairing
from sim.sweep.counting import Pair, play_counts
from sim.sweep.sides import Counted, Side, common, find

#: how a difference was found, in words
HOW = {
    "pairs": "same dice, exact counts kept by the sweep",
    "rows": "same dice, rows paired by game and seat",
    "again": "same dice, both played again",
    "separate": "NOT paired: the two have no game in common",
}


@dataclass(frozen=True)
class Comparison:
    """Scenario a minus scenario b.

    Attributes
    ----------
    a, b : dict
        The scenarios: sweep, scenario, label, seed, first_game, games.
    of : str
        The column compared.
    seat : int
    paired : bool
        Whether both played the same games on the same dice.
    how : str
        Where the numbers are from: ``pairs``, ``rows``, ``again`` or ``separate``.
    difference : Estimate
        Mean difference with its interval: Student's over pairs, or Welch's for separate games.
    sd : float or None
        Standard deviation of the difference in one game; of two separate games where not paired.
    better, same, worse : Estimate or None
        Shares of games in which a has more, as much, or less than b on the same dice; None where not paired.
    superiority : Estimate or None
        Chance that a game of a beats another game of b, each with its own dice, ties counting half; the interval is
        that of separate games, which is on the safe side where the same dice help both. None where the counts of a side
        are not known.
    half_width_unpaired : float or None
        Half-width that the same number of games would give without pairing.
    notes : tuple of str
    """

    a: dict[str, Any]
    b: dict[str, Any]
    of: str
    seat: int
    paired: bool
    how: str
    difference: Estimate
    sd: float | None
    better: Estimate | None
    same: Estimate | None
    worse: Estimate | None
    superiority: Estimate | None
    half_width_unpaired: float | None
    notes: tuple[str, ...]


def compare(
    a: str,
    b: str,
    of: str = "score",
    *,
    seat: int = 0,
    sweep: str | Path | Sequence[str | Path] = (),
    data: str | Path = "data",
    level: float = 0.95,
    workers: int = 1,
    tell: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare two scenarios of finished sweeps, a minus b.

    Where a sweep holds the difference (``pairs``), its exact counts are used; where it holds rows, they are paired by
    game and seat; else the games that both played are played again side by side, and counted exactly. Scenarios
    without a game in common (another seed or range) are compared by an interval for separate samples, and it says so.

    Parameters
    ----------
    a, b : str
        Ids of scenarios, beginnings of ids (at least four characters), or labels.
    of : str
        The column to compare.
    seat : int
    sweep : name, YAML file or folder, or several
        Where to look for them; by default in all finished sweeps of the data folder.
    data : path
        The data folder.
    level : float
        Confidence of the intervals, between 0.5 and 1.
    workers : int
        Threads, where games are played again.
    tell : callable, optional
        Called with what will be played again, before it is.

    Returns
    -------
    Comparison

    Raises
    ------
    SimError
        In one line: what was given, what is accepted.
    """
    if isinstance(level, bool) or not isinstance(level, float) or not 0.5 <= level < 1:
        raise InputError(f"level = {level!r} is not accepted; accepted: a number from 0.5 to below 1, as 0.95")
    workers = whole_number("workers", workers, 1, 1024)
    places = [sweep] if isinstance(sweep, str | Path) else list(sweep)
    one, other = find((str(a), str(b)), places, data)
    if one.id == other.id and one.folder == other.folder:
        raise InputError(f"'{a}' and '{b}' are one scenario, {one.id}; accepted: two different ones")
    if one.head["game"] != other.head["game"]:
        raise InputError(
            f"'{a}' is a scenario of {one.head['game']}, '{b}' of {other.head['game']}; accepted: two of one game"
        )
    seat = whole_number("seat", seat, 0, min(one.entry["seats"], other.entry["seats"]) - 1)
    if of not in one.columns():
        raise InputError(unknown("column", of, one.columns()))
    return _Compared(one, other, of, seat, level, workers, tell or (lambda _: None)).result()


class _Compared:
    """One comparison on its way."""

    def __init__(
        self, a: Side, b: Side, of: str, seat: int, level: float, workers: int, tell: Callable[[str], None]
    ) -> None:
        self.a, self.b, self.of, self.seat, self.level = a, b, of, seat, level
        self.workers, self.tell = workers, tell
        self.notes: list[str] = []

    def result(self) -> Comparison:
        """The comparison by the cheapest way that is exact."""
        kept = self._kept(self.a, self.b, 1) or self._kept(self.b, self.a, -1)
        if kept is not None:
            return self._paired("pairs", kept, self.a.counted(self.of, self.seat), self.b.counted(self.of, self.seat))
        games = common(self.a, self.b)
        if not games:
            return self._separate()
        if games < max(self.a.entry["games"], self.b.entry["games"]):
            self.notes.append(f"of the {games:,} games that both played")
        if self.a.head["detail"] == self.b.head["detail"] == "games":
            return self._paired("rows", *self._rows())
        return self._paired("again", *self._again(max(self.a.first, self.b.first), games))

    def _kept(self, one: Side, other: Side, sign: int) -> Counted | None:
        """Counts of the difference if the sweep of `one` kept them; the games are those of `one`."""
        for pair in one.entry["pairs"]:
            if pair["against"] == other.id and pair["of"] == self.of and self.seat in pair["seats"]:
                (found,) = one.arrays("differences")
                here = (found["against"] == other.id) & (found["of"] == self.of) & (found["seat"] == self.seat)
                here &= found["pair"] == pair["label"]
                return sign * found["difference"][here] + 0.0, found["count"][here]
        return None

    def _rows(self) -> tuple[Counted, Counted, Counted]:
        """Difference and both sides from rows of the same games."""
        values = []
        for side in (self.a, self.b):
            parts = [part for part in side.arrays("games")]
            joined = {name: np.concatenate([p[name] for p in parts]) for name in ("game", "seat", self.of)}
            here = joined["seat"] == self.seat
            values.append((joined["game"][here], joined[self.of][here].astype(np.float64)))
        _, i, j = np.intersect1d(values[0][0], values[1][0], assume_unique=True, return_indices=True)
        x, y = values[0][1][i], values[1][1][j]
        return tuple(np.unique(v, return_counts=True) for v in (x - y, x, y))  # type: ignore[return-value]

    def _again(self, first: int, games: int) -> tuple[Counted, Counted, Counted]:
        """Difference and both sides from playing both again, side by side."""
        from sim.sweep.estimate import seconds_per_game
        from sim.sweep.progress import duration
        from sim.sweep.warm import announce

        one, other = self.a.scenario(), self.b.scenario()
        announce(one.game)
        seed = self.a.head["seed"]
        seconds = games * (seconds_per_game(one, seed) + seconds_per_game(other, seed)) / self.workers
        self.tell(f"both are played again on the same dice: 2 × {games:,} games, about {duration(seconds)}")
        call: dict[str, Any] = {"seed": seed, "games": games, "workers": self.workers, "first_game": first}
        pair = Pair(self.of, (self.seat,), "a − b", other)
        tables = play_counts(one, by=[self.of], pairs=[pair], **call)
        difference = tables["differences"]["difference"], tables["differences"]["count"]
        mine = self._seat(tables["counts"])
        whole = games == self.a.entry["games"]
        self._check(self.a, mine, whole)
        theirs = self.b.counted(self.of, self.seat) if games == self.b.entry["games"] else None
        if theirs is None:
            theirs = self._seat(play_counts(other, by=[self.of], **call)["counts"])
        return difference, mine, theirs

    def _seat(self, counts: dict[str, np.ndarray]) -> Counted:
        here = counts["seat"] == self.seat
        return counts[self.of][here].astype(np.float64), counts["count"][here]

    def _check(self, side: Side, mine: Counted, whole: bool) -> None:
        """What is played again must be what the sweep counted."""
        kept = side.counted(self.of, self.seat) if whole else None
        if kept is None:
            return
        if any(not np.array_equal(x, y) for x, y in zip(sample(*kept), sample(*mine), strict=True)):
            raise FaultError(
                f"scenario {side.id} of {side.head['sweep']} came out differently when it was played again"
            )

    def _paired(self, how: str, difference: Counted, a: Counted | None, b: Counted | None) -> Comparison:
        found = paired(*difference, self.level)
        beats, half = None, None
        if a is not None and b is not None:
            beats = superiority(*a, *b, self.level)
            half = without_pairing(moments(*a).sd, moments(*b).sd, found.mean.n, self.level)
        else:
            self.notes.append(f"{self.of} is not in `by` of the sweep: no chance for separate games")
        shares = (found.better, found.same, found.worse)
        return self._made(True, how, found.mean, found.sd, shares, beats, half)

    def _separate(self) -> Comparison:
        """Samples without a common game."""
        sides = []
        for side in (self.a, self.b):
            counted = side.counted(self.of, self.seat)
            if counted is None:
                counted = self._alone(side)
            sides.append(counted)
        a, b = sides
        same_seed = self.a.head["seed"] == self.b.head["seed"]
        self.notes.append(f"other {'games' if same_seed else 'seeds'}: the interval is that of separate samples")
        sd = float(np.hypot(moments(*a).sd, moments(*b).sd))
        difference = separate(*a, *b, self.level)
        beats = superiority(*a, *b, self.level)
        return self._made(False, "separate", difference, sd, (None, None, None), beats, difference.half_width)

    def _alone(self, side: Side) -> Counted:
        """Counts of a column of one side that are not kept: from its rows, or played again."""
        if side.head["detail"] == "games":
            parts = [part[self.of][part["seat"] == self.seat].astype(np.float64) for part in side.arrays("games")]
            values, counts = np.unique(np.concatenate(parts), return_counts=True)
            return values, counts
        scenario, played = side.scenario(), side.entry["games"]
        self.tell(f"{side.id} is played again, because its sweep did not count {self.of}: {played:,} games")
        call: dict[str, Any] = {"seed": side.head["seed"], "games": played, "first_game": side.first}
        return self._seat(play_counts(scenario, by=[self.of], workers=self.workers, **call)["counts"])

    def _made(
        self,
        on_same_dice: bool,
        how: str,
        difference: Estimate,
        sd: float,
        shares: tuple[Estimate | None, Estimate | None, Estimate | None],
        beats: Estimate | None,
        half: float | None,
    ) -> Comparison:
        for side in (self.a, self.b):
            if side.entry.get("precision"):  # a number of games that was not chosen beforehand
                self.notes.append(f"precision ended {side.id}: these intervals are for a fixed number of games")
        sides = self.a.describe(), self.b.describe()
        return Comparison(
            *sides, self.of, self.seat, on_same_dice, how, difference, sd, *shares, beats, half, tuple(self.notes)
        )
