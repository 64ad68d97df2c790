"""Result tables of the sections about choices: restricted play, skill and luck, decisions round by round."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from sim import analysis
from sim.analysis.frames import level_rank
from sim.games.caterpillars.sums import sums_in_head
from sim.report.inputs import Given
from sim.sweep import frames, manifest

#: part of ``sweeps`` in the parameters file → game, what a comparison is about, attributes to carry along
SKILL = {
    "skill_caterpillars": ("caterpillars", "score", ("level",)),
    "skill_parlett": ("parlett", "win", ()),
    "skill_karolinchen": ("karolinchen", "win", ()),
}
#: bonus boxes as a player has them in the second half of a game, for the sums that a letter's die asks for
FULL_BOXES = (5, 5, 5)


def restricted(given: Given) -> dict[str, pl.DataFrame]:
    """What a bonus box, a face and a kind of split are worth."""
    stored, params = given.inputs["restricted"], given.params
    table = analysis.restricted_play(
        stored.counts, stored.differences, stored.scenarios, "score", ("level",), params.smallest.score,
        params.choices.broken, params.confidence,
    )  # fmt: skip
    return {"restricted": table}


def courts(given: Given) -> dict[str, pl.DataFrame]:
    """What playing court cards is worth."""
    stored, params = given.inputs["courts"], given.params
    table = analysis.restricted_play(
        stored.counts, stored.differences, stored.scenarios, "win", (), params.smallest.win, params.choices.broken,
        params.confidence,
    )  # fmt: skip
    return {"courts": table}


def skill(given: Given) -> dict[str, pl.DataFrame]:
    """Shares of the variance, and who is ahead after how many games, for the pairs of policies of all games."""
    shares, ahead = [], []
    for part, (game, of, keys) in SKILL.items():
        stored, params = given.inputs[part], given.params
        tables = (stored.counts, stored.differences, stored.scenarios)
        told = [pl.lit(game).alias("game"), pl.lit(part).alias("part")]
        if not keys:
            told.append(pl.lit("").alias("level"))
        shares.append(
            analysis.skill_and_luck(*tables, of, keys, params.choices.sure, params.confidence).with_columns(told)
        )
        ahead.append(
            analysis.chance_ahead(*tables, of, keys, params.choices.games, params.confidence).with_columns(told)
        )
        order = pl.col("level").map_elements(level_rank, return_dtype=pl.Int64)
    table = pl.concat(shares, how="diagonal").with_columns(order=order)
    first = {part: i for i, part in enumerate(SKILL)}
    table = table.with_columns(first=pl.col("part").replace_strict(first)).sort("first", "order", maintain_order=True)
    return {"skill": table.drop("first", "order"), "ahead": pl.concat(ahead, how="diagonal")}


def decisions(given: Given) -> dict[str, pl.DataFrame]:
    """What there is to decide; empty where the samples of rounds are not stored."""
    params = given.params.choices
    names = (params.rounds, params.decisions)
    if not all(_stored(name, given.data) for name in names):
        return {}
    keys = ("level", "seat0")
    sample, exact = (
        analysis.decisions(
            frames.load(name, data=given.data), frames.scenarios(name, data=given.data), keys, params.least,
            given.params.confidence,
        ).with_columns(sweep=pl.lit(name), seed=pl.lit(str(_seed(name, given.data))))
        for name in names
    )  # fmt: skip
    rounds = frames.load(params.rounds, data=given.data)
    attributes = frames.scenarios(params.rounds, data=given.data).select("scenario", *keys)
    by_round = analysis.decision_richness(
        rounds.join(attributes, on="scenario", maintain_order="left"), keys, given.params.confidence
    )
    levels = sample["level"].unique(maintain_order=True).to_list()
    sums = [{"level": level, **vars(sums_in_head(level, FULL_BOXES))} for level in levels]
    rank = pl.col("level").map_elements(level_rank, return_dtype=pl.Int64).alias("rank")
    by_round = by_round.with_columns(rank).sort("rank", "seat0", "round", maintain_order=True).drop("rank")
    return {"decisions": pl.concat([sample, exact]), "choices_by_round": by_round, "sums": pl.DataFrame(sums)}


def _stored(name: str, data: Path) -> bool:
    return (frames.folder_of(name, data) / manifest.NAME).is_file()


def _seed(name: str, data: Path) -> int:
    return int(manifest.read(frames.folder_of(name, data))["seed"])
