"""How large a difference on the same dice is, in three units, and whether it is small enough to be none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from sim.stats.compare import Verdict, superiority
from sim.stats.counts import mean, moments, whole
from sim.stats.estimate import Estimate
from sim.stats.proportions import mean_share


@dataclass(frozen=True)
class Effect:
    """Sizes of one difference.

    Attributes
    ----------
    points : Estimate
        Mean difference, in the unit of the result.
    sd : Estimate
        The same in standard deviations of one game's result, root mean square of the two sides (Cohen's d for means
        that are compared across tables, d_av).
    paired_sd : Estimate
        The same in standard deviations of the difference: how clearly it shows on the same dice (d_z).
    superiority : Estimate
        Chance that the first has more in a game on the same dice, ties counting half.
    apart : Estimate
        The same for two games with their own dice (Brunner–Munzel).
    """

    points: Estimate
    sd: Estimate
    paired_sd: Estimate
    superiority: Estimate
    apart: Estimate


def effect_sizes(
    differences: ArrayLike,
    counts: ArrayLike,
    one: tuple[ArrayLike, ArrayLike],
    other: tuple[ArrayLike, ArrayLike],
    level: float = 0.95,
) -> Effect:
    """Sizes of a difference measured on the same games, first minus other.

    D. Lakens, *Calculating and reporting effect sizes*, Frontiers in Psychology 4 (2013) 863, for d_av and d_z. Their
    intervals are large-sample ones that assume no normal distribution: for d_z the variance of mean / sd from the
    third and fourth moments of the differences; for d_av the joint moments of the two sides are not in the counts, and
    the errors of its parts are added as if they always went together, which is on the wide side.

    Parameters
    ----------
    differences, counts
        Exact counts of the paired differences.
    one, other : (values, counts)
        Exact counts of the two sides, of the same games.
    """
    d = np.asarray(differences, np.float64)
    c = whole(counts)
    found, a, b = moments(d, c), moments(*one), moments(*other)
    if not found.n == a.n == b.n:
        raise ValueError(f"{found.n} differences of {a.n} and {b.n} games; accepted: three counts of the same games")
    z = float(stats.norm.ppf((1 + level) / 2))
    paired_sd = _standardised(d, c, z, level)
    pooled = (a.sd**2 + b.sd**2) / 2
    value = half = math.nan
    if found.n > 1 and pooled > 0:
        value = found.mean / math.sqrt(pooled)
        # standard error of a variance: √((m4 − s⁴) / n)
        errors = [math.sqrt(max(m.fourth - m.sd**4, 0.0) / m.n) for m in (a, b)]
        half = z * (found.sd / math.sqrt(found.n * pooled) + abs(value) * sum(errors) / 2 / (2 * pooled))
    sd = Estimate(value, value - half, value + half, found.n, level, "mean difference / sd of a game, large sample")
    same_dice = mean_share((np.sign(d) + 1) / 2, c, level)
    return Effect(mean(d, c, level), sd, paired_sd, same_dice, superiority(*one, *other, level))


def _standardised(d: np.ndarray, c: np.ndarray, z: float, level: float) -> Estimate:
    """Mean / sd of a sample; its variance is (1 − skew·d + (kurtosis − 1) d² / 4) / n."""
    m = moments(d, c)
    value = half = math.nan
    if m.n > 1 and m.sd > 0:
        value = m.mean / m.sd
        skew = float(((d - m.mean) ** 3 * c).sum()) / m.n / m.sd**3
        variance = (1 - skew * value + (m.fourth / m.sd**4 - 1) * value**2 / 4) / m.n
        half = z * math.sqrt(max(variance, 0.0))
    return Estimate(value, value - half, value + half, m.n, level, "mean / sd of differences, large sample")


@dataclass(frozen=True)
class Equivalence:
    """Is a mean inside a band of what makes no practical difference?

    Attributes
    ----------
    estimate : Estimate
        The mean with its interval at level 1 − 2α.
    band : (float, float)
    p_inside : float
        The larger of the two one-sided p-values of "it is at or below the band" and "at or above it".
    p_outside : float
        The smaller of the one-sided p-values of "it is not below the band" and "it is not above it".
    verdict : Verdict
        ``inside`` where p_inside ≤ α, ``outside`` where p_outside ≤ α, else ``not yet known``.
    """

    estimate: Estimate
    band: tuple[float, float]
    p_inside: float
    p_outside: float
    verdict: Verdict


def equivalence(values: ArrayLike, counts: ArrayLike, low: float, high: float, alpha: float = 0.025) -> Equivalence:
    """Two one-sided tests of a mean against the band [low, high] (TOST), with a third verdict for "too few games".

    D. J. Schuirmann, *A comparison of the two one-sided tests procedure and the power approach*, Journal of
    Pharmacokinetics and Biopharmaceutics 15 (1987). A wrong "inside" has probability at most α wherever the truth is
    outside or on the edge, a wrong "outside" at most α on an edge. Student's t; the same as asking whether the interval
    at level 1 − 2α lies inside the band, so that α = 0.025 goes with intervals of 95 %.

    Parameters
    ----------
    values, counts
        Of paired differences, or of any result.
    low, high : float
        The band, fixed before the games were played.
    """
    if not low < high:
        raise ValueError(f"band from {low} to {high}; accepted: low < high")
    estimate = mean(values, counts, 1 - 2 * alpha)
    m = moments(values, counts)
    if m.n < 2:
        return Equivalence(estimate, (low, high), 1.0, 1.0, Verdict.UNKNOWN)
    above, below = _one_sided(m.mean - low, m.sd, m.n), _one_sided(high - m.mean, m.sd, m.n)
    p_inside = max(above, below)
    p_outside = min(1 - above, 1 - below)
    verdict = Verdict.INSIDE if p_inside <= alpha else Verdict.OUTSIDE if p_outside <= alpha else Verdict.UNKNOWN
    return Equivalence(estimate, (low, high), p_inside, p_outside, verdict)


def _one_sided(distance: float, sd: float, n: int) -> float:
    """p-value of "the true distance is at most 0"."""
    if sd == 0:
        return 0.5 if distance == 0 else float(distance < 0)
    return float(stats.t.sf(distance / sd * math.sqrt(n), n - 1))
