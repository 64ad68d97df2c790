"""Estimates, intervals and comparisons from exact counts. Knows no game; needs numpy and scipy only.

A sample is given as two arrays of equal length, `values` and `counts`: how often each value was seen. Results are
`Estimate`s: a value with its interval, the number of games behind it and the name of the method.
"""

from sim.stats.agreement import Agreement, Exact, distribution_agreement, mean_agreement, share_agreement
from sim.stats.ahead import ahead, ahead_apart, games_needed
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
from sim.stats.confirm import Confirmation, FalseAlarms, Look, confirm, false_alarms
from sim.stats.counts import expected_best, mean, moments, quantile, sample, share_at_least, spread
from sim.stats.coverage import Coverage, coverage
from sim.stats.effect import Effect, Equivalence, effect_sizes, equivalence
from sim.stats.estimate import Estimate
from sim.stats.handicap import Handicap, common_points, handicap, share_with
from sim.stats.joint import Joint, half_test, paired_share
from sim.stats.luck import Adjusted, LuckSums, Lucky
from sim.stats.multiple import Claim, benjamini_hochberg, holm, judge, three_cycles
from sim.stats.paired import Paired, paired
from sim.stats.playtests import observations_for_mean, observations_for_share
from sim.stats.proportions import mean_share, wilson, wilson_band, win_draw_loss
from sim.stats.seats import FairShare, SeatsAA, aa_seats, fair_share, seat_balance, seat_level
from sim.stats.sequential import early_mean, early_share, look_level, looks
from sim.stats.skill import VarianceShares, two_way, variance_shares
from sim.stats.strength import Strengths, bradley_terry
from sim.stats.survival import longer_than, survival, time_quantile

__all__ = [
    "Adjusted",
    "Agreement",
    "Claim",
    "Confirmation",
    "Coverage",
    "Effect",
    "Equivalence",
    "Estimate",
    "Exact",
    "FairShare",
    "FalseAlarms",
    "Handicap",
    "Joint",
    "Look",
    "LuckSums",
    "Lucky",
    "Paired",
    "SeatsAA",
    "Strengths",
    "VarianceShares",
    "Verdict",
    "aa_seats",
    "ahead",
    "ahead_apart",
    "at_least",
    "benjamini_hochberg",
    "bradley_terry",
    "common_points",
    "confirm",
    "coverage",
    "distribution_agreement",
    "early_mean",
    "early_share",
    "effect_sizes",
    "equivalence",
    "expected_best",
    "fair_share",
    "false_alarms",
    "games_needed",
    "games_to_settle",
    "games_to_tell",
    "half_test",
    "handicap",
    "holm",
    "inside",
    "judge",
    "longer_than",
    "look_level",
    "looks",
    "mean",
    "mean_agreement",
    "mean_share",
    "moments",
    "observations_for_mean",
    "observations_for_share",
    "paired",
    "paired_share",
    "quantile",
    "sample",
    "seat_balance",
    "seat_level",
    "separate",
    "share_agreement",
    "share_at_least",
    "share_with",
    "spread",
    "superiority",
    "survival",
    "three_cycles",
    "time_quantile",
    "two_way",
    "variance_shares",
    "wilson",
    "wilson_band",
    "win_draw_loss",
    "without_pairing",
]
