"""Round robin of policies on the same games: win rates, strengths, a test of fit, cycles.

Every policy meets every other one on the same game indices, in both seatings where players interact, so comparisons are
paired: intervals are over game indices, not over single games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim import games as registry
from sim.errors import InputError, PolicyError, play_range, unknown, whole_number
from sim.games.base import Game, Policy, RulesModel
from sim.league.units import Plan, Played, plan, play
from sim.stats import Estimate, Strengths, bradley_terry, half_test, holm, paired_share, three_cycles
from sim.store.standings import standings_provenance, write_standings

if TYPE_CHECKING:
    import polars as pl

Rules = Mapping[str, Any] | str | RulesModel | None
Given = str | Mapping[str, Any] | Policy

#: level of all intervals, and with it the common error rate of cycles
LEVEL = 0.95


def labels_of(policies: Sequence[Policy]) -> tuple[str, ...]:
    """A name for each: its canonical text, numbered where the same one takes part twice."""
    texts = [p.text() for p in policies]
    return tuple(t if t not in texts[:i] else f"{t} #{texts[:i].count(t) + 1}" for i, t in enumerate(texts))


def check_field(game: Game, rules: RulesModel, policies: Sequence[Given]) -> list[Policy]:
    """At least two policies that can meet under the rules, parsed."""
    if isinstance(policies, str | Mapping | Policy) or len(policies) < 2:
        given = policies if isinstance(policies, str) else ", ".join(map(str, policies)) or "none"
        raise PolicyError(f"policies = {given} are not accepted; accepted: at least two policies that meet each other")
    parsed = [game.policies.parse(p) for p in policies]
    game.check_seats(rules, 2)
    return parsed


def check_lineups(game: Game, rules: RulesModel, wanted: Plan) -> None:
    """Refuse line-ups that cannot be played."""
    for lineup in wanted.lineups:
        game.check_seats(rules, len(lineup))
        game.check_policies(rules, lineup)


@dataclass(frozen=True)
class Tournament:
    """What a round robin found.

    Attributes
    ----------
    game : Game
    rules : RulesModel
    policies : tuple of Policy
    labels : tuple of str
        Their names in all tables.
    seed, first_game, games : int
        Game indices `first_game` … `first_game + games − 1`.
    anchor : int
        The policy of strength 0.
    played : Played
        Exact counts.
    """

    game: Game
    rules: RulesModel
    policies: tuple[Policy, ...]
    labels: tuple[str, ...]
    seed: int
    first_game: int
    games: int
    anchor: int
    played: Played

    @cached_property
    def fit(self) -> Strengths:
        """Bradley–Terry strengths and their test of fit; see `sim.stats.strength`."""
        points = self.played.points
        return bradley_terry(
            len(self.policies), self.played.plan.pairs, points.mean, points.covariance, self.games, self.anchor
        )

    @cached_property
    def p_values(self) -> np.ndarray:
        """For each pair the p-value of "equally strong", not adjusted."""
        points = self.played.points
        variances = np.diag(points.covariance)
        return np.array([half_test(m, v, self.games) for m, v in zip(points.mean, variances, strict=True)])

    @cached_property
    def cycles(self) -> list[tuple[str, str, str]]:
        """Triples in which each beats the next and the last the first, at a common error rate of 5 % (Holm)."""
        found = three_cycles(self.played.plan.pairs, self.played.points.mean, self.p_values, 1 - LEVEL)
        return [(self.labels[i], self.labels[j], self.labels[k]) for i, j, k in found]

    def rate(self, first: int, second: int, level: float = LEVEL) -> Estimate:
        """Win rate of one policy against another, by index; draws count half."""
        return paired_share(*self.played.compared(first, second), self.games, level)

    def field_rate(self, i: int) -> Estimate:
        """Mean win rate of a policy against all others."""
        pairs = self.played.plan.pairs
        weights = np.array([(a == i) - (b == i) for a, b in pairs], np.float64) / (len(self.policies) - 1)
        lost = sum(b == i for _, b in pairs) / (len(self.policies) - 1)  # its rate in these is 1 − the first one's
        e = self.played.points.contrast(weights, LEVEL)
        return Estimate(e.value + lost, max(0.0, e.low + lost), min(1.0, e.high + lost), e.n, e.level, e.method)

    def score(self, i: int, minus: int | None = None) -> Estimate | None:
        """Mean score of a policy over all its games, or its mean difference to another one on the same games."""
        if self.played.scores is None:
            return None
        weights = np.zeros(len(self.policies))
        weights[i] += 1
        if minus is not None:
            weights[minus] -= 1
        return self.played.scores.contrast(weights, LEVEL)

    def pair_rows(self) -> list[dict[str, Any]]:
        """One row per pair, as plain data: the table ``tournament`` of the register."""
        fit, adjusted = self.fit, holm(self.p_values)
        rows: list[dict[str, Any]] = []
        for p, (i, j) in enumerate(self.played.plan.pairs):
            lost, drawn, won = self.played.results[p].tolist()
            rows.append(
                {
                    "first": self.labels[i],
                    "second": self.labels[j],
                    "wins": won,
                    "draws": drawn,
                    "losses": lost,
                    **self.rate(i, j).row("rate"),
                    "p_holm": float(adjusted[p]),
                    "fitted": float(fit.fitted[p]),
                    "misfit": float(fit.misfit[p]),
                }
            )
        return rows

    def policy_rows(self) -> list[dict[str, Any]]:
        """One row per policy, strongest first, as plain data."""
        rows = []
        for i in sorted(range(len(self.policies)), key=lambda i: -self.fit.value[i]):
            row = {
                "policy": self.labels[i],
                **self.field_rate(i).row("rate"),
                **self.fit.strength(i, LEVEL).row("strength"),
                **self.fit.against_anchor(i, LEVEL).row("against_anchor"),
            }
            score = self.score(i)
            rows.append(row if score is None else {**row, **score.row("score")})
        return rows

    @property
    def pairs(self) -> pl.DataFrame:
        """`pair_rows` as a frame."""
        import polars as pl

        return pl.DataFrame(self.pair_rows())

    @property
    def strengths(self) -> pl.DataFrame:
        """`policy_rows` as a frame."""
        import polars as pl

        return pl.DataFrame(self.policy_rows())

    def fit_row(self) -> dict[str, Any]:
        """The test of fit, and where the model is most wrong, as plain data."""
        fit = self.fit
        i, j = self.played.plan.pairs[fit.worst]
        return {
            "f": fit.statistic,
            "freedom": [fit.freedom, max(0, self.games - fit.freedom)],
            "p_value": fit.p_value,
            "largest_misfit": float(fit.misfit[fit.worst]),
            "misfit_error": float(fit.misfit_error[fit.worst]),
            "misfit_pair": [self.labels[i], self.labels[j]],
            "padded": fit.padded,
            "told": self.verdict(),
        }

    def verdict(self) -> str:
        """What the test of fit says and does not say, in words."""
        fit = self.fit
        note = "; a drawn game was added to every pair, because someone never lost or never won" if fit.padded else ""
        if fit.freedom == 0:
            return f"one number per policy fits two policies always: nothing to test{note}"
        i, j = self.played.plan.pairs[fit.worst]
        off = f"{100 * abs(fit.misfit[fit.worst]):.2f} points of win rate ({self.labels[i]} – {self.labels[j]})"
        if not fit.p_value == fit.p_value:
            return f"too few games for a test of fit; it is off by at most {off}{note}"
        if fit.p_value > 1 - LEVEL:
            return (
                f"one number per policy is not contradicted (p = {fit.p_value:.2g}); it is off by at most {off}{note}"
            )
        return (
            f"one number per policy does not tell all (p = {fit.p_value:.2g}), as always with enough games; "
            f"what matters is by how much: at most {off}{note}"
        )

    def write(self, path: Path | str) -> Path:
        """The pairs as Parquet with provenance; equal calls give equal bytes."""
        made = standings_provenance(
            "tournament",
            self.game,
            self.rules,
            self.policies,
            seed=self.seed,
            games=self.games,
            first_game=self.first_game,
            anchor=self.labels[self.anchor],
        )
        return write_standings(path, "tournament", self.pair_rows(), made)

    def record(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "game": self.game.name,
            "rules": self.rules.identity(),
            "policies": list(self.labels),
            "seed": self.seed,
            "first_game": self.first_game,
            "games": self.games,
            "games_per_pair": 1 if all(len(m) == 1 for m in self.played.plan.meetings) else 2,
            "anchor": self.labels[self.anchor],
            "level": LEVEL,
            "table": self.policy_rows(),
            "pairs": self.pair_rows(),
            "fit": self.fit_row(),
            "cycles": [list(c) for c in self.cycles],
        }


def tournament(
    game: str,
    *,
    policies: Sequence[Given],
    rules: Rules = None,
    games: int,
    seed: int,
    workers: int = 1,
    first_game: int = 0,
    anchor: int | str = 0,
    on_block: Callable[[int], None] | None = None,
) -> Tournament:
    """Let every policy meet every other one on the same dice or cards.

    Parameters
    ----------
    game : str
    policies : sequence
        At least two, as for `sim.simulate`; the same one may take part twice.
    rules : mapping, preset id or rules object, optional
    games : int
        Game indices, at least 2. On each, every pair plays both seatings; where players do not interact, one game.
    seed, workers, first_game
        As for `sim.simulate`.
    anchor : int or str
        The policy that strengths are told against, by place in `policies` or by its text; default the first.
    on_block : callable(games), optional

    Returns
    -------
    Tournament
        ``.strengths`` and ``.pairs`` are frames, ``.fit_row()`` tells how well one number per policy fits,
        ``.cycles`` who beats whom in a circle, ``.record()`` is everything as plain data.

    Raises
    ------
    SimError
        In one line: what was given, what is accepted.
    """
    room = registry.get(game)
    parsed = room.rules_type.parse(rules)
    field = check_field(room, parsed, policies)
    seed, first, count, threads = play_range(seed, first_game, games, workers, 2)
    labels = labels_of(field)
    if isinstance(anchor, str):
        name = room.policies.parse(anchor).text()
        if name not in labels:
            raise InputError(unknown("anchor", anchor, labels))
        anchor = labels.index(name)
    anchor = whole_number("anchor", anchor, 0, len(field) - 1)
    wanted = plan(room, field)
    check_lineups(room, parsed, wanted)
    played = play(room, parsed, wanted, seed=seed, games=count, first_game=first, workers=threads, on_block=on_block)
    return Tournament(room, parsed, tuple(field), labels, seed, first, count, anchor, played)
