"""Caterpillars, played by brute force from the rules text.

Boxes are numbered 0, 1, 2, …; with four boxes per caterpillar, box b belongs to caterpillar b // 4. An outcome is the
tuple ``(bonus_box, bonus_value, box, score)``, with −1 and 0 in front when no bonus box is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from .philox import bounded, pick, uniform

DEFAULTS: dict[str, Any] = {
    "level": "beginner",
    "setup": "standard",
    "sheet": "pairs",
    "zero_rule": "forced",
    "bonus_ban": "same_box",
    "bonus_source": "regular",
    "double_optional": False,
    "double_stores": "doubled",
    "idle_dice": False,
    "final": "median",
    "boxes": 4,
}
PRESETS: dict[str, dict[str, Any]] = {"english": {"zero_rule": "split"}, "german": {}}
SHEETS = {"pairs": [1, 6, 0, 0, 2, 5, 0, 0, 1, 6, 0, 0]}

FACES = ["A", "B", "C", "2x", "10", "butterfly"]
LETTERS = ["A", "B", "C"]
NO_BONUS = (-1, 0)

Outcome = tuple[int, int, int, int]


def full_rules(rules: dict[str, Any] | str | None = None) -> dict[str, Any]:
    """Every parameter, those not given at their default; a preset id or a key ``preset`` is understood."""
    given = {"preset": rules} if isinstance(rules, str) else dict(rules or {})
    values = {**DEFAULTS, **PRESETS.get(given.pop("preset", "german"), {}), **given}
    assert set(values) == set(DEFAULTS), f"unknown parameters {set(values) - set(DEFAULTS)}"
    assert not (values["setup"] == "variation" and values["level"] == "beginner"), "no variation at beginner"
    return values


# ----------------------------------------------------------------------------------------------------------------------
# A round


def dice_at(level: str) -> int:
    """Regular dice in a round."""
    return 2 if level == "beginner" else 3


def fourth_die(bonus: Sequence[int], face: str | None) -> int | None:
    """The value of the fourth die, if the action die gives one."""
    if face == "10":
        return 10
    if face in LETTERS and bonus[LETTERS.index(face)] > 0:  # filled before this round
        return bonus[LETTERS.index(face)]
    return None


def ways_to_the_split(
    rules: dict[str, Any], bonus: Sequence[int], dice: Sequence[int], face: str | None
) -> Iterator[tuple[tuple[int, int], list[int]]]:
    """Every way to double a die and to write a bonus box: pairs of the bonus choice and the values of the dice left."""
    fourth = fourth_die(bonus, face)

    # 2x: one of the three regular dice counts double; not doubling is a way only if doubling is optional.
    doubled_dice: list[int | None] = [None]
    if face == "2x":
        doubled_dice = [0, 1, 2]
        if rules["double_optional"]:
            doubled_dice.append(None)

    for doubled in doubled_dice:
        values = [2 * value if die == doubled else value for die, value in enumerate(dice)]

        # No bonus box is written: all dice are left.
        yield NO_BONUS, values + ([] if fourth is None else [fourth])

        # Bonus boxes exist at advanced and expert only.
        if rules["level"] not in ("advanced", "expert"):
            continue
        # Any bonus write may forfeit a letter's fourth die; the ten stays.
        fourth_now = None if (rules["bonus_ban"] == "any" and face in LETTERS) else fourth
        for box in range(3):
            if bonus[box] > 0:  # each box once per game
                continue
            for die in range(3):
                stored = values[die]
                if die == doubled and rules["double_stores"] == "barred":
                    continue
                if die == doubled and rules["double_stores"] == "face":
                    stored = dice[die]
                left = [value for other, value in enumerate(values) if other != die]
                yield (box, stored), left + ([] if fourth_now is None else [fourth_now])
            if rules["bonus_source"] == "any" and fourth_now is not None:
                yield (box, fourth_now), values


def splits(rules: dict[str, Any], left: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Every split of the dice left into a label group and a score group, both non-empty: the two sums."""
    parts = ["label", "score", "idle"] if rules["idle_dice"] else ["label", "score"]
    for role in product(parts, repeat=len(left)):
        if "label" in role and "score" in role:
            label = sum(value for value, part in zip(left, role, strict=True) if part == "label")
            score = sum(value for value, part in zip(left, role, strict=True) if part == "score")
            yield label, score


def outcomes(
    rules: dict[str, Any] | str | None,
    labels: Sequence[int],
    filled: Sequence[bool],
    bonus: Sequence[int],
    dice: Sequence[int],
    face: str | None = None,
) -> list[Outcome]:
    """Every distinct outcome of a round for one player, sorted."""
    rules = full_rules(rules)
    assert (face in FACES) if rules["level"] == "expert" else face is None, f"face {face} at {rules['level']}"
    assert len(dice) == dice_at(rules["level"])

    empty = [box for box in range(len(labels)) if not filled[box]]
    if not empty:
        return []

    entries: dict[tuple[int, int], set[tuple[int, int]]] = {}  # by bonus choice: (box, score)
    some_split_fails: dict[tuple[int, int], bool] = {}  # by bonus choice
    for choice, left in ways_to_the_split(rules, bonus, dice, face):
        found = entries.setdefault(choice, set())
        some_split_fails.setdefault(choice, False)
        for label, score in splits(rules, left):
            matching = [box for box in empty if labels[box] == label]
            found.update((box, score) for box in matching)
            if not matching:
                some_split_fails[choice] = True
        if face == "butterfly":  # the total of all dice left, whatever the label
            found.update((box, sum(left)) for box in empty)

    result: set[Outcome] = set()
    for choice in entries:
        result.update((*choice, box, score) for box, score in entries[choice])
        if rules["zero_rule"] == "forced":
            zero_is_legal = not entries[choice]
        elif rules["zero_rule"] == "split":
            zero_is_legal = some_split_fails[choice]
        else:
            assert rules["zero_rule"] == "strict"
            zero_is_legal = not any(entries.values())
        if zero_is_legal:
            result.update((*choice, box, 0) for box in empty)
    return sorted(result)


def uses(rules: dict[str, Any], what: str, which: str, labels: Sequence[int], empty: list[int], bonus: Sequence[int],
         dice: Sequence[int], face: str | None) -> tuple[set[Outcome], set[Outcome]]:  # fmt: skip
    """Every entry and butterfly write that can be made doing `what` (with `which`), and every one not doing it."""
    doing: set[Outcome] = set()
    otherwise: set[Outcome] = set()
    for choice, left in ways_to_the_split(rules, bonus, dice, face):
        writes = choice != NO_BONUS and (which == "" or LETTERS[choice[0]].lower() == which)
        parts = ["label", "score", "idle"] if rules["idle_dice"] else ["label", "score"]
        for role in product(parts, repeat=len(left)):
            if "label" not in role or "score" not in role:
                continue
            label = sum(value for value, part in zip(left, role, strict=True) if part == "label")
            score = sum(value for value, part in zip(left, role, strict=True) if part == "score")
            is_so = {
                "bonus": writes,
                "split": which == {1: "one", 2: "two", 3: "three"}[role.count("label")],
                "butterfly": False,
            }[what]
            (doing if is_so else otherwise).update((*choice, box, score) for box in empty if labels[box] == label)
        for box in empty:
            is_so = {"bonus": writes, "split": False, "butterfly": True}[what]
            if face == "butterfly":
                (doing if is_so else otherwise).add((*choice, box, sum(left)))
            zero_is_so = what == "bonus" and writes
            (doing if zero_is_so else otherwise).add((*choice, box, 0))
    return doing, otherwise


def restricted_outcomes(
    restrict: str,
    rules: dict[str, Any],
    labels: Sequence[int],
    filled: Sequence[bool],
    bonus: Sequence[int],
    dice: Sequence[int],
    face: str | None = None,
) -> list[Outcome]:
    """The outcomes that are left to a player who never, or always, does something; all, where none would be left."""
    never, _, rest = restrict.partition("_")
    what, _, which = rest.partition("_")
    if what == "face" and face is not None and (which == "" or face.lower() == which):
        # the action die is blank for this player: a round of the advanced level
        return outcomes({**rules, "level": "advanced"}, labels, filled, bonus, dice)
    options = outcomes(rules, labels, filled, bonus, dice, face)
    if restrict == "none" or what == "face":
        return options
    empty = [box for box in range(len(labels)) if not filled[box]]
    doing, otherwise = uses(rules, what, which, labels, empty, bonus, dice, face)
    wanted = otherwise if never == "no" else doing
    return [outcome for outcome in options if outcome in wanted] or options


# ----------------------------------------------------------------------------------------------------------------------
# Policies


class Policy(NamedTuple):
    """What a seat does: `choose` an outcome's index; `place` set-up values.

    ``choose(position, options, n, params, u)`` returns an index into `options`. ``place(position, roll, blanks, params,
    us)`` returns the writes of one set-up roll in order, each ``(box, value)``; `us` are the roll's three numbers.
    """

    name: str
    choose: Callable[..., int]
    place: Callable[..., list[tuple[int, int]]]
    params: tuple[float, ...] = ()
    restrict: str = "none"


def choose_random(position: dict[str, Any], options: list[Outcome], n: int, params: Any, u: float) -> int:
    """Uniform over distinct outcomes."""
    return pick(u, n)


def choose_greedy(position: dict[str, Any], options: list[Outcome], n: int, params: Any, u: float) -> int:
    """The largest score; ties: no bonus write first, then smaller bonus box, smaller bonus value, smaller box."""

    def order(index: int) -> tuple[int, bool, int, int, int]:
        bonus_box, bonus_value, box, score = options[index]
        return (-score, bonus_box >= 0, bonus_box, bonus_value, box)

    return min(range(n), key=order)


def place_random(
    position: dict[str, Any], roll: list[int], blanks: list[int], params: Any, us: list[float]
) -> list[tuple[int, int]]:
    """Values on uniformly random blanks; in the variation the single die is one of the three with 1/3 each."""
    blanks = list(blanks)
    if position["setup"] == "standard":
        return [(blanks.pop(pick(u, len(blanks))), value) for value, u in zip(roll, us, strict=True)]
    single = roll[pick(us[0], 3)]
    first = blanks.pop(pick(us[1], len(blanks)))
    second = blanks.pop(pick(us[2], len(blanks)))
    return [(first, single), (second, sum(roll) - single)]


def place_greedy(
    position: dict[str, Any], roll: list[int], blanks: list[int], params: Any, us: list[float]
) -> list[tuple[int, int]]:
    """Values in rolled order on the lowest blanks; variation: the first die, then the sum of the other two."""
    if position["setup"] == "standard":
        return list(zip(blanks[:3], roll, strict=True))
    return [(blanks[0], roll[0]), (blanks[1], roll[1] + roll[2])]


POLICIES = {
    "random": Policy("random", choose_random, place_random),
    "greedy": Policy("greedy", choose_greedy, place_greedy),
}


def as_policy(given: str | Policy | Callable[..., int]) -> Policy:
    """A reference policy by id, a policy, or a bare `choose` (which then places as `greedy` does)."""
    if isinstance(given, str):
        return POLICIES[given]
    return given if isinstance(given, Policy) else Policy(given.__name__, given, place_greedy)


# ----------------------------------------------------------------------------------------------------------------------
# The end of the game


def flying_caterpillar(rules: dict[str, Any], totals: Sequence[int], bonus: Sequence[int]) -> tuple[int, int]:
    """Which caterpillar flies (−1: none) and the end total, by trying every legal choice of whom to strike."""
    if rules["final"] == "total":
        return -1, sum(totals) + sum(bonus)
    may_fly = []
    if rules["final"] == "median":
        for struck_high, struck_low, flies in product(range(3), repeat=3):
            if len({struck_high, struck_low, flies}) == 3:
                if totals[struck_high] == max(totals) and totals[struck_low] == min(totals):
                    may_fly.append(flies)
    else:
        extreme = min(totals) if rules["final"] == "lowest" else max(totals)
        may_fly = [flies for flies in range(3) if totals[flies] == extreme]
    best = max(totals[flies] + bonus[flies] for flies in may_fly)
    flying = min(flies for flies in may_fly if totals[flies] + bonus[flies] == best)
    return flying, best


def win_shares(scores: Sequence[int], box_sums: Sequence[int]) -> list[float]:
    """Highest end total wins; ties: the sum of all boxes; still tied: a shared win."""
    standing = list(zip(scores, box_sums, strict=True))
    winners = standing.count(max(standing))
    return [1 / winners if own == max(standing) else 0.0 for own in standing]


# ----------------------------------------------------------------------------------------------------------------------
# A game


def three_dice(seed: int, game: int, stream: str, index: int) -> tuple[list[int], str]:
    """The three regular dice and the action face of set-up roll or round `index`."""
    x = bounded(seed, game, stream, 0, index, 1296)
    return [x % 6 + 1, x // 6 % 6 + 1, x // 36 % 6 + 1], FACES[x // 216]


def printed_labels(rules: dict[str, Any]) -> list[int]:
    """The sheet before set-up; 0 is a blank. A preset keeps the first `boxes` entries of each caterpillar."""
    boxes = rules["boxes"]
    if isinstance(rules["sheet"], str):
        preset = SHEETS[rules["sheet"]]
        return [label for i, label in enumerate(preset) if i % 4 < boxes]
    assert len(rules["sheet"]) == 3 * boxes
    return list(rules["sheet"])


def set_up_rolls(rules: dict[str, Any]) -> int:
    """Rolls of the set-up: each fills three blanks in the standard set-up, two in the variation."""
    blanks = printed_labels(rules).count(0)
    per_roll = 3 if rules["setup"] == "standard" else 2
    assert blanks % per_roll == 0, "the blanks must fill whole rolls"
    return blanks // per_roll


def play_game(rules: dict[str, Any] | str | None, policies: Sequence[Any], seed: int, game: int) -> dict[str, Any]:
    """One game as plain data: the set-up rolls, the rolls, and what every seat did with them."""
    rules = full_rules(rules)
    level, rounds = rules["level"], 3 * rules["boxes"]
    players = [as_policy(given) for given in policies]

    setup_rolls = [three_dice(seed, game, "set-up", j)[0] for j in range(set_up_rolls(rules))]
    rolls: list[dict[str, Any]] = []
    for r in range(rounds):
        dice, face = three_dice(seed, game, "dice", r)
        rolls.append({"dice": dice[: dice_at(level)], "face": face if level == "expert" else None})

    # Set-up: each player writes the values of a roll before the next roll.
    sheets: list[dict[str, Any]] = [
        {"labels": printed_labels(rules), "scores": [None] * rounds, "bonus": [0, 0, 0], "outcomes": []}
        for _ in players
    ]
    for j, roll in enumerate(setup_rolls):
        for seat, (player, sheet) in enumerate(zip(players, sheets, strict=True)):
            blanks = [box for box in range(rounds) if sheet["labels"][box] == 0]
            us = [uniform(seed, game, "placement", seat, 3 * j + i) for i in range(3)]
            position = {"setup": rules["setup"], "level": level, "roll": j, "labels": list(sheet["labels"])}
            writes = player.place(position, list(roll), list(blanks), player.params, us)
            for box, value in writes:
                assert box in blanks
                assert sheet["labels"][box] == 0
                sheet["labels"][box] = value

    # One roll each round, the same for every player.
    for r, rolled in enumerate(rolls):
        seen = [{**sheet, "scores": list(sheet["scores"]), "bonus": list(sheet["bonus"])} for sheet in sheets]
        for seat, (player, sheet) in enumerate(zip(players, sheets, strict=True)):
            filled = [score is not None for score in sheet["scores"]]
            seen_by_player = (rules, sheet["labels"], filled, sheet["bonus"], rolled["dice"], rolled["face"])
            options = restricted_outcomes(player.restrict, *seen_by_player)
            position = {
                "round": r,
                "seat": seat,
                "labels": list(sheet["labels"]),
                "filled": filled,
                "scores": list(sheet["scores"]),
                "bonus": list(sheet["bonus"]),
                "dice": list(rolled["dice"]),
                "face": rolled["face"],
                "others": [other for s, other in enumerate(seen) if s != seat],
            }
            u = uniform(seed, game, "policy", seat, r)
            chosen = options[player.choose(position, options, len(options), player.params, u)]
            bonus_box, bonus_value, box, score = chosen
            assert sheet["scores"][box] is None
            sheet["scores"][box] = score
            if bonus_box >= 0:
                assert sheet["bonus"][bonus_box] == 0
                sheet["bonus"][bonus_box] = bonus_value
            sheet["outcomes"].append(list(chosen))

    # The end.
    boxes = rules["boxes"]
    seats = []
    for player, sheet in zip(players, sheets, strict=True):
        totals = [sum(sheet["scores"][c * boxes : (c + 1) * boxes]) for c in range(3)]
        flying, score = flying_caterpillar(rules, totals, sheet["bonus"])
        seats.append(
            {
                "policy": player.name,
                "labels": sheet["labels"],
                "outcomes": sheet["outcomes"],
                "totals": totals,
                "bonus": sheet["bonus"],
                "flying": flying,
                "score": score,
            }
        )
    shares = win_shares([seat["score"] for seat in seats], [sum(seat["totals"]) for seat in seats])
    for own, share in zip(seats, shares, strict=True):
        own["win"] = share
    return {"rules": rules, "setup_rolls": setup_rolls, "rolls": rolls, "seats": seats}


def report(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """The result columns of one game, by seat."""
    results = []
    for own in trace["seats"]:
        row: dict[str, Any] = {"win": own["win"], "score": own["score"]}
        for letter, total, bonus in zip("abc", own["totals"], own["bonus"], strict=True):
            row[f"total_{letter}"] = total
            row[f"bonus_{letter}"] = bonus
        row["flying"] = own["flying"]
        row["box_sum"] = sum(own["totals"])
        row["zeros"] = sum(score == 0 for _, _, _, score in own["outcomes"])
        results.append(row)
    return results


def rows(
    rules: dict[str, Any] | str | None, policies: Sequence[Any], seed: int, games: int, first_game: int = 0
) -> list[dict[str, Any]]:
    """The result columns, one dictionary per game and seat, ordered by game and seat."""
    table = []
    for game in range(first_game, first_game + games):
        results = report(play_game(rules, policies, seed, game))
        table += [{"game": game, "seat": seat, **own} for seat, own in enumerate(results)]
    return table
