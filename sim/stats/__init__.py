"""Estimates, intervals and comparisons from exact counts. Knows no game; needs numpy and scipy only.

A sample is given as two arrays of equal length, `values` and `counts`: how often each value was seen. Results are
`Estimate`s: a value with its interval, the number of games behind it and the name of the method.
"""

from sim.stats.agreement import Agreement, Exact, distribution_agreement, mean_agreement, share_agreement
from sim.stats.compare import (
    Verdict,
    at_least,
    games_to_settle,
    games_to_tell,
    inside,
    separate,
    superiority,
    without_pairing,
)
from sim.stats.counts import expected_best, mean, moments, quantile, sample, share_at_least, spread
from sim.stats.estimate import Estimate
from sim.stats.joint import Joint, half_test, paired_share
from sim.stats.multiple import holm, three_cycles
from sim.stats.paired import Paired, paired
from sim.stats.proportions import FairShare, fair_share, mean_share, wilson, wilson_band, win_draw_loss
from sim.stats.sequential import early_mean, early_share, look_level, looks
from sim.stats.strength import Strengths, bradley_terry
from sim.stats.survival import longer_than, survival, time_quantile

__all__ = [
    "Agreement",
    "Estimate",
    "Exact",
    "FairShare",
    "Joint",
    "Paired",
    "Strengths",
    "Verdict",
    "at_least",
    "bradley_terry",
    "distribution_agreement",
    "early_mean",
    "early_share",
    "expected_best",
    "fair_share",
    "games_to_settle",
    "games_to_tell",
    "half_test",
    "holm",
    "inside",
    "longer_than",
    "look_level",
    "looks",
    "mean",
    "mean_agreement",
    "mean_share",
    "moments",
    "paired",
    "paired_share",
    "quantile",
    "sample",
    "separate",
    "share_agreement",
    "share_at_least",
    "spread",
    "superiority",
    "survival",
    "three_cycles",
    "time_quantile",
    "wilson",
    "wilson_band",
    "win_draw_loss",
    "without_pairing",
]
