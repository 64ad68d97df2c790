"""Names a reader knows for what the tables call by id."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sim.games.karolinchen.rules import FRUITS

LEVELS = ("beginner", "intermediate", "advanced", "expert")
GAME_NAMES = {"caterpillars": "Caterpillars", "karolinchen": "Karolinchen", "parlett": "Parlett's Caterpillar"}
VIEWS = {"child": "a child's habit", "planner": "the planner", "best": "the best program"}
MEASURES = {"score": "mean score", "spread": "spread", "choice": "worth of choosing", "chance": "chance to score more"}

#: rule readings of Caterpillars in words: parameter → setting → what it says
READINGS: dict[str, dict[str, str]] = {
    "zero_rule": {
        "split": "zero as soon as one split finds no box",
        "strict": "zero only if no bonus write helps",
        "forced": "zero if nothing else fits",
    },
    "bonus_ban": {
        "any": "a letter and any bonus write exclude each other",
        "same_box": "only the letter's own box is barred",
    },
    "double_optional": {"true": "doubling may be declined", "false": "doubling is mandatory"},
    "double_stores": {
        "face": "a doubled die is stored plain",
        "barred": "a doubled die may not be stored",
        "doubled": "a doubled die is stored doubled",
    },
    "bonus_source": {"any": "the fourth die may be stored", "regular": "only regular dice may be stored"},
    "idle_dice": {"true": "dice may lie idle", "false": "all dice are used"},
}
#: restricted play in words
RESTRICTIONS = {
    "no_bonus": "no bonus box at all",
    **{f"no_bonus_{x.lower()}": f"no bonus box {x}" for x in "ABC"},
    "force_bonus": "a bonus box as soon as possible",
    **{f"force_bonus_{x.lower()}": f"bonus box {x} as soon as possible" for x in "ABC"},
    "no_split_one": "no label from one die",
    "no_split_two": "no label from two dice",
    "no_split_three": "no label from three dice",
    "force_split_one": "labels from one die only",
    "force_split_two": "labels from two dice only",
    "force_split_three": "labels from three dice only",
    "no_face": "a blank action die",
    **{f"no_face_{x.lower()}": f"face {x} blank" for x in ("A", "B", "C", "2x", "10")},
    "no_face_butterfly": "butterfly blank",
    "force_butterfly": "the butterfly whenever rolled",
    "no_courts": "no court while a numeral can be played",
    "force_courts": "a court whenever there is one",
}
#: house rules and readings of Karolinchen
HOUSE_RULES: dict[str, dict[str, str]] = {
    "opening": {"own_roll": "the first player rolls first"},
    "reroll_after_eating": {"true": "second roll after an eating"},
    "new_card_take": {"may": "dice for a new card may be left"},
}
#: rules of Parlett's game that a designer may turn
CARD_RULES: dict[str, dict[str, str]] = {
    "block": {"barred": "blocking is barred"},
    "deals": {"2": "two deals, each leads once"},
    "hand_size": {},
    "multiple": {},
    "court_bonus": {},
}
_COUNTED = {"hand_size": "{} cards in hand", "multiple": "multiples of {} score", "court_bonus": "{} points a court"}


def reading(factor: str, setting: str) -> str:
    """A one-factor change in words; unknown ones as they were typed."""
    for known in (READINGS, HOUSE_RULES, CARD_RULES):
        if factor in known and setting in known[factor]:
            return known[factor][setting]
    if factor in _COUNTED:
        return _COUNTED[factor].format(setting)
    if factor in ("sheet", "fruits", "start_fruit") and setting.startswith("["):
        numbers = [int(n) for n in json.loads(setting)]
        if factor == "start_fruit":
            return f"tails by seat: {', '.join(FRUITS[n] for n in numbers)}"
        if factor == "fruits" and (most := cap(numbers)):
            return f"no card needs more than {most} fruits"
        return sheet(numbers) if factor == "sheet" else f"fruits {' '.join(map(str, numbers))}"
    return f"{factor.replace('_', ' ')} = {setting}"


def cap(fruits: Sequence[int]) -> int:
    """The number above which no card of the printed ones counts, where that is all that changed; else 0."""
    most = max(fruits)
    return most if list(fruits) == [min(n + 1, most) for n in range(len(FRUITS))] else 0


def short(factor: str, setting: str) -> str:
    """A rule in the few signs that fit into a cell; the fruits a card may need at most stand as ≤ 4."""
    if factor == "fruits" and (most := cap([int(n) for n in json.loads(setting)])):
        return f"≤ {most} fruits"
    return {"reroll_after_eating": "second roll", "opening": "first roll"}.get(factor, factor.replace("_", " "))


def sheet(labels: Sequence[int]) -> str:
    """A printed sheet in short: the labels of each caterpillar, blanks left out."""
    each = len(labels) // 3
    parts = (labels[i * each : (i + 1) * each] for i in range(3))
    return " · ".join(" ".join(str(n) for n in part if n) or "–" for part in parts)


def called(sweep: Mapping[str, Any]) -> str:
    """The title of a sweep on one line; its name where it has none."""
    return " ".join(str(sweep["title"] or "").split()) or str(sweep["sweep"])


def gained(about: Mapping[str, Any]) -> str:
    """What a proposal makes better, in words; `about` is its row of the table of proposals, its rule as ``told``."""
    rule, players, kind = f'"{about["told"]}"', about["players"], about["kind"]
    if kind == "setup":
        return f"the set-up variation makes choosing worth more at {about['at']}"
    if kind == "step":
        step, who = f"the step from {about['lower']} to {about['higher']}", VIEWS.get(about["view"], about["view"])
        return f"{rule} makes {step} larger in {MEASURES[about['measure']]} for {who}"
    if kind in ("bedtime", "published"):
        return f"{rule} lets more games with {players} players end within {about['minutes']:g} minutes"
    return f"{rule} makes {'both' if kind == 'seats' else f'all {players}'} seats fairer, whoever plays"


def proposed(factor: str, setting: str) -> str:
    """A proposed rule in words."""
    told = reading(factor, setting)
    return "the set-up variation" if factor == "setup" else f"the printed numbers {told}" if factor == "sheet" else told
