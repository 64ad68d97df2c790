"""The register of columns: name, dtype, unit, meaning and range of everything that is ever stored.

Columns that every game has are declared here once; a game's own columns are its result fields (`sim.games.base.Field`)
and come in through `of_field`. The register is used to write, to check and to document: `sim schema` and
``data/README.md`` print it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sim.games.base import Field, Game

#: raised when a column changes its name, dtype or meaning
SCHEMA_VERSION = 1

_NUMPY = {
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "float64": np.float64,
    "boolean": np.bool_,
    "string": np.object_,
}


@dataclass(frozen=True)
class Column:
    """One stored column. `dtype` is one of int8, int16, int32, int64, float64, boolean, string."""

    name: str
    dtype: str
    unit: str
    meaning: str
    low: float | None = None
    high: float | None = None

    @property
    def numpy(self) -> Any:
        """The numpy dtype of the values in memory."""
        return _NUMPY[self.dtype]

    def note(self) -> dict[str, Any]:
        """The column as plain data, for footers and the data dictionary."""
        return asdict(self)


GAME = Column("game", "int64", "", "game index; with the seed it fixes every die and card", 0, 2**63 - 1)
SEAT = Column("seat", "int16", "", "a player's place, counted from 0", 0, 2**15 - 1)
ROUND = Column("round", "int32", "", "round, turn of the game, or play of the deal; counted from 1", 1, None)
OPTIONS = Column(
    "options",
    "int16",
    "",
    "number of legal choices: outcomes of the roll, ways of playing the turn, or cards that may be played",
    1,
    None,
)
CHOSEN = Column("chosen", "int16", "", "place of the choice in the sorted list of them, counted from 0", 0, None)
FORCED = Column("forced", "boolean", "", "there was one legal choice", 0, 1)
COUNT = Column("count", "int64", "games", "number of games with exactly these values", 1, None)
SCENARIO = Column("scenario", "string", "", "scenario id: hash of game, kernel version, rules and policies")
PAIR = Column("pair", "string", "", "which two are compared on the same dice, first minus second")
OF = Column("of", "string", "", "the column whose difference is taken")
AGAINST = Column(
    "against", "string", "", "scenario id of the second side; empty where two seats of one game are compared"
)
DIFFERENCE = Column(
    "difference", "float64", "as `of`", "value of the first side minus value of the second, same game index"
)

#: tables in the order in which they are documented: name, meaning, columns before and after the game's own
TABLES: dict[str, tuple[str, tuple[Column, ...], tuple[Column, ...]]] = {
    "games": ("one row per seat per game, ordered by (game, seat)", (GAME, SEAT), ()),
    "rounds": (
        "one row per seat per round (Caterpillars), per turn (Karolinchen) or per play (Parlett), "
        "ordered by game, then as played",
        (GAME, SEAT, ROUND, OPTIONS, CHOSEN, FORCED),
        (),
    ),
    "counts": ("exact joint counts of chosen columns, by seat", (SEAT,), (COUNT,)),
    "differences": (
        "exact counts of paired differences: two seats of one game, or two scenarios on the same dice",
        (PAIR, OF, AGAINST, SEAT, DIFFERENCE),
        (COUNT,),
    ),
}

#: columns that stand in several of the tables below
LABELS = Column("labels", "string", "", "label of each box")
VALUE = Column("value", "float64", "points", "expected end total", 0, None)
ERROR_BOUND = Column("error_bound", "float64", "points", "proven bound on its error", 0, None)
LAYOUT = Column("layout", "string", "", "printed number of each box, 0 = blank")
SETUP_GAME = Column("game", "int64", "index", "the game whose set-up dice were used", 0, None)
BOXES = Column("boxes", "int64", "", "boxes per caterpillar", 1, 4)
POLICY = Column("policy", "string", "", "policy with the parameters that differ from their defaults")
LEVEL = Column("level", "string", "", "beginner, intermediate, advanced or expert")

#: small tables of exact answers: name, meaning, columns. They have no games and no seats
ANSWERS: dict[str, tuple[str, tuple[Column, ...]]] = {
    "atlas": (
        "Caterpillars: one row per distinct labelling of a sheet, one player, play optimal; highest value first",
        (
            Column(
                "labels",
                "string",
                "",
                "label of each box; blanks ascend within a caterpillar, caterpillars with equal print are told once",
            ),
            VALUE,
            Column("sd", "float64", "points", "standard deviation of the end total", 0, None),
            Column("zero_share", "float64", "", "expected share of rounds in which a zero is written", 0, 1),
            Column("chance", "float64", "", "probability that optimal set-up ends with this labelling", 0, 1),
        ),
    ),
    "layouts": (
        "Caterpillars: one row per layout of printed numbers, the whole game at beginner, one player, all optimal",
        (
            LAYOUT,
            Column("kind", "string", "", "even: two printed boxes per caterpillar; uneven: others"),
            Column("value", "float64", "points", "expected end total, set-up included", 0, None),
            ERROR_BOUND,
        ),
    ),
    "layout_sheets": (
        "Caterpillars: labelled sheets of the layouts after sampled set-ups, one player, play optimal",
        (
            LAYOUT,
            SETUP_GAME,
            Column("setup", "string", "", "standard or variation"),
            Column("level", "string", "", "beginner or intermediate"),
            LABELS,
            VALUE,
            ERROR_BOUND,
        ),
    ),
    "advanced": (
        "Caterpillars: positions at advanced, one player, play optimal; the empty sheet first, then some positions",
        (
            LABELS,
            Column("filled", "string", "", "1 where the box is filled"),
            Column("totals", "string", "points", "totals of the three caterpillars"),
            Column("bonus", "string", "points", "values in the three bonus boxes, 0 = empty"),
            VALUE,
            ERROR_BOUND,
        ),
    ),
    "bracket": (
        "Caterpillars: bounds on the expected end total at expert under optimal play: bounds, one a row",
        (
            LABELS,
            BOXES,
            Column("side", "string", "", "lower, upper: a proven bound; exact: the value, within its bound of 0.01"),
            Column("value", "float64", "points", "bound on the expected end total, or the value itself", 0, None),
            Column("grid", "string", "points", "values that a bonus box can have in the smaller or the larger game"),
            Column("positions", "float64", "", "positions solved", 0, None),
        ),
    ),
    "panel": (
        "Caterpillars: the labelled sheets on which policies are measured, one player, play optimal",
        (
            LEVEL,
            SETUP_GAME,
            Column("setup", "string", "", "standard or variation: how it was labelled"),
            Column("placement", "string", "", "where labels were placed"),
            BOXES,
            LABELS,
            VALUE,
            ERROR_BOUND,
        ),
    ),
}

_RATE = "win rate of the first against the second, a draw counts half"

#: small tables about several policies on the same games: name, meaning, columns
STANDINGS: dict[str, tuple[str, tuple[Column, ...]]] = {
    "tournament": (
        "one row per pair of a round robin, every pair on the same dice or cards",
        (
            Column("first", "string", "", "policy with the parameters that differ from their defaults"),
            Column("second", "string", "", "the same of its opponent"),
            Column("wins", "int64", "games", "games won by the first", 0, None),
            Column("draws", "int64", "games", "games drawn or without a winner", 0, None),
            Column("losses", "int64", "games", "games lost by the first", 0, None),
            Column("rate", "float64", "", _RATE, 0, 1),
            Column("rate_low", "float64", "", "lower end of its 95 % interval over game indices", 0, 1),
            Column("rate_high", "float64", "", "upper end of its 95 % interval over game indices", 0, 1),
            Column("p_holm", "float64", "", "p-value of equal strength, Holm's adjustment over all pairs", 0, 1),
            Column("fitted", "float64", "", "win rate by Bradley–Terry strengths", 0, 1),
            Column("misfit", "float64", "", "rate minus fitted", -1, 1),
        ),
    ),
    "thumb": (
        "Caterpillars, one player: the strongest rule of thumb of each level, the runner-up, and policies to compare",
        (
            LEVEL,
            Column("place", "int64", "", "1 the winner of the search, 2 the runner-up, 0 not of the family", 0, 2),
            POLICY,
            Column("rules", "int64", "", "rules of the family, all of them tried", 2, None),
            Column("games", "int64", "games", "fresh games, that had no say in the search", 2, None),
            Column("mean", "float64", "points", "mean end total on the fresh games", 0, None),
            Column("low", "float64", "points", "lower end of its 95 % interval", 0, None),
            Column("high", "float64", "points", "upper end of its 95 % interval", 0, None),
            Column("behind", "float64", "points", "the winner's end total minus this policy's, on the same dice"),
            Column("behind_low", "float64", "points", "lower end of its 95 % interval"),
            Column("behind_high", "float64", "points", "upper end of its 95 % interval"),
            Column("loss", "float64", "points in 100", "what is lost against optimal play on labelled sheets"),
            Column("loss_low", "float64", "points in 100", "lower end of its 95 % interval; equal where exact"),
            Column("loss_high", "float64", "points in 100", "upper end of its 95 % interval; equal where exact"),
            Column("sheets", "int64", "sheets", "labelled sheets on which the loss was measured", 1, None),
            Column("against", "string", "", "what optimal play is known by: exact value, or upper bound"),
        ),
    ),
    "ladder": (
        "policies of known strength, the weakest first, each surely stronger than the one below, on fresh games",
        (
            Column("rung", "int64", "", "1 is the lowest", 1, None),
            POLICY,
            Column("noise", "boolean", "", "whether it is made weaker by slips", 0, 1),
            Column("games", "int64", "", "fresh game indices behind this row; 0 for the lowest rung", 0, None),
            Column("gain", "float64", "", "above the rung below: win rate minus 1/2, or points (footer: asked.by)"),
            Column("gain_low", "float64", "", "lower end of its interval; these hold for all rungs together at 95 %"),
            Column("gain_high", "float64", "", "upper end"),
            Column("rate", "float64", "", "win rate against the rung below, a draw counts half", 0, 1),
            Column("rate_low", "float64", "", "lower end of its interval, for all rungs together at 95 %", 0, 1),
            Column("rate_high", "float64", "", "upper end", 0, 1),
            Column("floor", "float64", "", "win rate against the lowest rung", 0, 1),
            Column("floor_low", "float64", "", "lower end of its 95 % interval", 0, 1),
            Column("floor_high", "float64", "", "upper end", 0, 1),
            Column("first_wins", "int64", "games", "won against the rung below on the first game indices", 0, None),
            Column("first_draws", "int64", "games", "drawn there", 0, None),
            Column("first_losses", "int64", "games", "lost there; a check plays these games again", 0, None),
        ),
    ),
}

_TURNS = Column("turns", "int32", "turns", "turns of the whole game", 1, None)
_NEXT = "whose move it is, counted from 0; -1: everybody's, or the end of the game"

#: games with the chances of winning while they go on: name, meaning, columns
WATCHED: dict[str, tuple[str, tuple[Column, ...]]] = {
    "paths": (
        "one row per moment before a move and seat, and one per seat for the end, ordered by game, turn and seat",
        (
            GAME,
            Column("turn", "int32", "turns", "of the move that comes next, from 1; at the end turns + 1", 1, None),
            _TURNS,
            Column("mover", "int16", "", _NEXT, -1, 5),
            Column("seat", "int16", "", "whose chance it is", 0, 5),
            Column("value", "float64", "", "expected share of the win of that seat; at the end its share", 0, 1),
            Column("won", "float64", "", "share of the win that it will have", 0, 1),
            Column("surest", "float64", "", "chance of the likeliest result: who wins, or who share the win", 0, 1),
        ),
    ),
    "moments": (
        "three games, each in the middle of its kind, and the move after which it was decided",
        (
            Column("kind", "string", "", "early, typical or last: decided early, in the middle, in the last turn"),
            GAME,
            Column("turn", "int32", "turns", "of the move that decided", 0, None),
            _TURNS,
            Column("mover", "int16", "", "who rolled", 0, 1),
            Column("before", "float64", "", "chance of seat 0 to win before that roll", 0, 1),
            Column("after", "float64", "", "and after it", 0, 1),
            Column("won", "float64", "", "share of the win of seat 0", 0, 1),
            Column("told", "string", "", "the turn in words"),
        ),
    ),
    "ties": (
        "how many games of Caterpillars had a shared highest score, by level and number of players",
        (
            Column("level", "string", "", "level of the rules"),
            Column("players", "int64", "", "number of players", 2, None),
            Column("games", "int64", "games", "played", 1, None),
            Column("tied", "int64", "games", "in which at least two had the highest end total", 0, None),
            Column("broken", "int64", "games", "of these: the tie-break found one winner", 0, None),
            Column("shared", "int64", "games", "in which the win was shared", 0, None),
        ),
    ),
}


def of_field(field: Field) -> Column:
    """The stored form of a game's result field: truth values as boolean, a shared win as 1/k."""
    if field.kind == "bool":
        return Column(field.name, "boolean", field.unit, field.meaning, 0, 1)
    if field.kind == "share":
        return Column(field.name, "float64", field.unit, field.meaning, 0, 1)
    if field.kind == "real":
        return Column(field.name, "float64", field.unit, field.meaning, field.low, field.high)
    dtype = field.dtype.lower()
    if dtype not in _NUMPY:
        raise ValueError(f"field {field.name}: dtype {field.dtype} is not one of {', '.join(_NUMPY)}")
    limits = np.iinfo(_NUMPY[dtype])
    if field.low < limits.min or (field.high is not None and field.high > limits.max):
        raise ValueError(f"field {field.name}: {field.low} … {field.high} does not fit {field.dtype}")
    return Column(field.name, dtype, field.unit, field.meaning, field.low, field.high)


def columns(table: str, fields: Iterable[Field] = ()) -> tuple[Column, ...]:
    """All columns of a table; `fields` are the game's own (none in ``differences``)."""
    _, before, after = TABLES[table]
    return (*before, *(of_field(f) for f in fields), *after)


def decode(field: Field, raw: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Values as users see them from values as the kernel writes them."""
    column = of_field(field)
    if out is None:
        out = np.empty(raw.shape, column.numpy)
    if field.kind == "share":
        shares = np.zeros(int(raw.max(initial=0)) + 1)
        shares[1:] = 1.0 / np.arange(1, shares.size)
        np.take(shares, raw, out=out, mode="clip")  # the bounds are known; the checking mode copies
    elif field.kind == "bool":
        np.not_equal(raw, 0, out=out)
    else:
        np.copyto(out, raw, casting="unsafe")
    return out


def dictionary(games: Sequence[Game]) -> list[dict[str, Any]]:
    """The data dictionary as plain rows: table, column, dtype, unit, meaning, low, high.

    Ranges of a game's columns are the widest under its default rules and its presets, with the seats of its example
    line-up.
    """
    rows: list[dict[str, Any]] = []
    for table, (_, before, after) in TABLES.items():
        for column in (SCENARIO, *before, *after):
            rows.append({"table": table, "game": "", **column.note()})
    for table, (_, own) in (*ANSWERS.items(), *STANDINGS.items(), *WATCHED.items()):
        rows += [{"table": table, "game": "", **column.note()} for column in own]
    for game in games:
        every = [game.rules_type.parse(preset) for preset in (None, *game.rules_type.PRESETS)]
        seats = len(game.example)
        tables = {
            "games, counts": [game.fields(rules, seats) for rules in every],
            "rounds": [game.round_fields(rules, seats, regret=True) for rules in every],
        }
        for name, fields in tables.items():
            for same in zip(*fields, strict=True):
                notes = [of_field(field).note() for field in same]
                highs = [note["high"] for note in notes]
                widest = {"low": min(note["low"] for note in notes), "high": None if None in highs else max(highs)}
                rows.append({"table": name, "game": game.name, **notes[0], **widest})
    return rows


def limits(row: dict[str, Any]) -> str:
    """The range of a column in words."""
    low, high = row["low"], row["high"]
    if low is None and high is None:
        return ""
    if high is None or high >= 2**62:
        return f"from {low:g}"
    return f"{low:g} … {high:g}"


def markdown(games: Sequence[Game]) -> str:
    """The data dictionary as a Markdown page: the text of ``data/README.md``."""
    rows = dictionary(games)
    lines = [
        "# Data dictionary",
        "",
        "Generated by `sim schema --markdown`; a test checks that it is current. Do not edit.",
        "",
        f"Schema version {SCHEMA_VERSION}. `data/<sweep>/<table>/scenario=<id>/*.parquet`: "
        "one folder per sweep, in it one folder per table, "
        "one partition per scenario.",
        "After `sim compact` it is `data/<sweep>/shared/<table>-000.parquet`, … instead, with a column `scenario`.",
        "`data/<sweep>/manifest.json` tells what each scenario is "
        "and lists its files. Every file carries the notes below "
        "(`sim.columns`) and its provenance (`sim.provenance`) in the footer:",
        "game, rules, policies, seed, first game, games, kernel version, hash of the kernel sources, library versions. "
        "Time, host, duration and commit are in `data/runs/`.",
    ]
    for table, (meaning, _, _) in TABLES.items():
        own = "" if table == "differences" else " The game's own columns come on top."
        lines += ["", f"## Table `{table}`", "", f"{meaning[0].upper()}{meaning[1:]}.{own}", ""]
        lines += _table(row for row in rows if row["table"] == table and not row["game"])
    for table, (meaning, _) in ANSWERS.items():
        lines += ["", f"## Exact answers: table `{table}`", "", f"{meaning}.", ""]
        lines += [
            "No seed and no games; the footer has the rules and what belongs to the whole table, "
            "among it an error bound.",
            "",
        ]
        lines += _table(row for row in rows if row["table"] == table)
    for table, (meaning, _) in STANDINGS.items():
        lines += ["", f"## Policies compared: table `{table}`", "", f"{meaning[0].upper()}{meaning[1:]}.", ""]
        lines += ["The footer has game, rules, policies, seed and games.", ""]
        lines += _table(row for row in rows if row["table"] == table)
    for table, (meaning, _) in WATCHED.items():
        lines += ["", f"## Games watched: table `{table}`", "", f"{meaning[0].upper()}{meaning[1:]}.", ""]
        lines += ["The footer has game, rules, policies, seed and games.", ""]
        lines += _table(row for row in rows if row["table"] == table)
    for game in games:
        lines += ["", f"## Columns of {game.title} (`{game.name}`)", ""]
        lines += [
            "Ranges are the widest over default rules and presets; the footer of a file has those under its own rules.",
            "",
        ]
        lines += _table(row for row in rows if row["game"] == game.name and row["table"] != "rounds")
        own_rounds = [row for row in rows if row["game"] == game.name and row["table"] == "rounds"]
        asked = "; `regret` where it was asked for" if any(row["name"] == "regret" for row in own_rounds) else ""
        lines += ["", f"In table `rounds`{asked}:", "", *_table(own_rounds)]
    return "\n".join(lines) + "\n"


def _table(rows: Iterable[dict[str, Any]]) -> list[str]:
    lines = ["| column | dtype | unit | range | meaning |", "|---|---|---|---|---|"]
    for row in rows:
        meaning = str(row["meaning"]).replace("|", "\\|")
        lines.append(f"| `{row['name']}` | {row['dtype']} | {row['unit']} | {limits(row)} | {meaning} |")
    return lines
