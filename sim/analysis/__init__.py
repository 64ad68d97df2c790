"""Result tables: one function each, from stored counts to a tidy frame with intervals.

Every function takes frames as `sim.load` and `sim.scenarios` return them and gives a polars frame whose rows carry n
and
the ends of an interval (``value``, ``low``, ``high``, or ``x``, ``x_low``, ``x_high``). Nothing here simulates,
draws, reads or writes.
"""

from sim.analysis.candidates import Games
from sim.analysis.candidates_levels import Step, setup_candidates, step_candidates
from sim.analysis.candidates_seats import seat_candidates, shortening_candidates
from sim.analysis.changes import difference_counts, paired_changes, policy_gains
from sim.analysis.compensation import common_compensation, compensation
from sim.analysis.decided import (
    chance_bands,
    comebacks,
    decided_time,
    deciding_moments,
    example_games,
    playout_noise,
    tie_counts,
    tie_shares,
    ties,
)
from sim.analysis.decisions import decisions
from sim.analysis.dial import Bedtime, bedtime_dial
from sim.analysis.duels import duels
from sim.analysis.explain import explain
from sim.analysis.handicaps import fair_tails
from sim.analysis.labels import label_chances, labels_written, written_chances
from sim.analysis.length import bedtime, game_length, survival_curves
from sim.analysis.levels import level_balance
from sim.analysis.means import exact_shares, means_by, responses
from sim.analysis.parlett import court_short, hold_curve
from sim.analysis.precision import games_for, half_widths, pairing
from sim.analysis.proposals import Pick, pick, settle
from sim.analysis.restricted import restricted_play
from sim.analysis.richness import decision_richness
from sim.analysis.scores import best_policies, par_table, score_distribution, score_summary
from sim.analysis.seats import odd_one_out, seat_shares, shares_by
from sim.analysis.skill import chance_ahead, seats_alike, skill_and_luck, winners

__all__ = [
    "Bedtime",
    "Games",
    "Pick",
    "Step",
    "bedtime",
    "bedtime_dial",
    "best_policies",
    "chance_ahead",
    "chance_bands",
    "comebacks",
    "common_compensation",
    "compensation",
    "court_short",
    "decided_time",
    "deciding_moments",
    "decision_richness",
    "decisions",
    "difference_counts",
    "duels",
    "exact_shares",
    "example_games",
    "explain",
    "fair_tails",
    "game_length",
    "games_for",
    "half_widths",
    "hold_curve",
    "label_chances",
    "labels_written",
    "level_balance",
    "means_by",
    "odd_one_out",
    "paired_changes",
    "pairing",
    "par_table",
    "pick",
    "playout_noise",
    "policy_gains",
    "responses",
    "restricted_play",
    "score_distribution",
    "score_summary",
    "seat_candidates",
    "seat_shares",
    "seats_alike",
    "settle",
    "setup_candidates",
    "shares_by",
    "shortening_candidates",
    "skill_and_luck",
    "step_candidates",
    "survival_curves",
    "tie_counts",
    "tie_shares",
    "ties",
    "winners",
    "written_chances",
]
