"""What `sim.solve("caterpillars", …)` found, as plain data and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from sim.engine.distribution import distribution
from sim.errors import RulesError
from sim.games.base import Policy
from sim.games.caterpillars.rules import NAMES, CaterpillarsRules

#: end totals rarer than this are told together
_RARE = 5e-4
#: length of the bar of the likeliest end total, in characters
_BAR = 40


def answer(solved: Any, pmf: bool | None = None) -> dict[str, Any]:
    """A solution as plain data.

    Parameters
    ----------
    solved
        Anything with ``rules``, ``value`` and ``error_bound``, in points; ``labels``, ``policy``, ``labellings`` and
        ``pmf`` are taken where it has them.
    pmf : bool, optional
        Whether to work out the distribution of the end total; left out: for one labelled sheet, not for the whole game.

    Raises
    ------
    RulesError
        If the distribution is asked for where it is not solved; before anything is worked out.

    Returns
    -------
    dict
        ``game``, ``rules`` (what decides the answer), ``labels`` (None: the whole game with its set-up), ``policy``
        (``optimal`` or the policy followed), ``value``, ``error_bound``, ``distribution`` (figures and ``pmf``, index =
        end total; None where it was not worked out or is not solved), and for the whole game ``labellings``: their
        ``number``, and ``best``, ``worst`` and ``likeliest`` as ``labels``, ``value`` and ``chance`` (that optimal
        set-up ends there).
    """
    rules: CaterpillarsRules = solved.rules
    labels = getattr(solved, "labels", None)
    identity = rules.identity()
    if labels is not None:  # the sheet is labelled: what is printed on it and how it is labelled has no say
        identity = {key: value for key, value in identity.items() if key not in ("sheet", "setup")}
    policy = getattr(solved, "policy", None)
    chances = solved.pmf if pmf or (pmf is None and labels is not None) else None
    if pmf and chances is None:
        raise RulesError(
            f"the distribution (pmf) of optimal play at level = {rules.level} is not solved; accepted: beginner, "
            f"intermediate, or a policy"
        )
    found = {
        "game": "caterpillars",
        "rules": identity,
        "labels": None if labels is None else [int(label) for label in labels],
        "policy": policy.text() if isinstance(policy, Policy) else "optimal",
        "value": float(solved.value),
        "error_bound": float(solved.error_bound),
        "distribution": None if chances is None else _distribution(chances),
    }
    if labels is None:
        table = solved.labellings
        rows = {"best": 0, "worst": -1, "likeliest": int(table["chance"].arg_max())}
        found["labellings"] = {"number": len(table), **{name: table.row(i, named=True) for name, i in rows.items()}}
    return found


def _distribution(pmf: np.ndarray) -> dict[str, Any]:
    return {**asdict(distribution(pmf)), "pmf": [float(p) for p in pmf]}


def shown_sheet(labels: Sequence[int], scores: Sequence[int | None] | None = None) -> str:
    """A sheet in one line, caterpillar by caterpillar: labels, or ``label:score``; · is a blank, – an empty box."""
    n = len(labels) // 3
    marks = [
        str(label or "·") if scores is None else f"{label}:{'–' if scores[b] is None else scores[b]}"
        for b, label in enumerate(labels)
    ]
    return "  ".join(f"{name} [{' '.join(marks[c * n : (c + 1) * n])}]" for c, name in enumerate(NAMES))


def shown_rules(rules: Mapping[str, Any]) -> str:
    """Level first, then what differs from the defaults."""
    default = CaterpillarsRules.parse({"level": rules["level"]}).model_dump(mode="json")
    changed = [
        f"{key} = {str(value).lower()}"
        for key, value in rules.items()
        if key not in ("level", "sheet", "boxes") and value != default[key]
    ]
    return ", ".join([str(rules["level"]), *changed])


def tell(answer: Mapping[str, Any]) -> str:
    """An answer in words: the expected end total with its proven error, and the chance of each end total."""
    labels = answer["labels"]
    player = "optimal play" if answer["policy"] == "optimal" else answer["policy"]
    if labels is None:
        player = f"the whole game, optimal set-up and {player}"
        labels = answer["rules"]["sheet"]
    lines = [
        f"Caterpillars, {shown_rules(answer['rules'])}, {player}: {shown_sheet(labels)}",
        f"expected end total {answer['value']:.6f} points, proven to within {answer['error_bound']:.1e}",
    ]
    if "labellings" in answer:
        lines += _tell_labellings(answer["labellings"])
    if answer["distribution"] is not None:
        lines += _tell_distribution(answer["distribution"])
    if "regret" in answer:
        lines += _tell_regret(answer["regret"])
    return "\n".join(lines)


def _tell_regret(found: Mapping[str, Any]) -> list[str]:
    points = {(row["round"], row["kind"]): row["points"] for row in found["table"]}
    rounds = list(dict.fromkeys(r for r, _ in points))
    kinds = list(dict.fromkeys(kind for _, kind in points))

    def line(head: object, numbers: Sequence[float]) -> str:
        return f"{head:>5}" + "".join(f"{x:9.4f}" for x in [*numbers, sum(numbers)])

    return [
        "",
        f"regret {found['total']:.6f} points: optimal play gets {found['optimal']:.6f}; proven to within "
        f"{found['error_bound']:.1e}",
        "round" + "".join(f"{kind:>9}" for kind in [*kinds, "all"]),
        *(line(r, [points[r, kind] for kind in kinds]) for r in rounds),
        line("all", [sum(points[r, kind] for r in rounds) for kind in kinds]),
    ]


def _tell_labellings(found: Mapping[str, Any]) -> list[str]:
    lines = [f"{found['number']:,} distinct labellings; the set-up rolls decide which can be had"]
    for which in ("best", "worst", "likeliest"):
        row = found[which]
        lines.append(
            f"  {which + ':':10} {shown_sheet(row['labels'])}: {row['value']:.6f} points, chance {row['chance']:.4%}"
        )
    return lines


def _tell_distribution(found: Mapping[str, Any]) -> list[str]:
    pmf = np.array(found["pmf"])
    at_least = np.cumsum(pmf[::-1])[::-1]
    often = np.flatnonzero(pmf >= _RARE)
    first, last = int(often[0]), int(often[-1])
    lines = [
        f"end totals: sd {found['sd']:.3f}; 10 % end at or below {found['p10']}, half at or below {found['median']}, "
        f"90 % at or below {found['p90']}; possible {found['low']} to {found['high']}",
        "",
        "end total   chance  or more",
    ]
    if pmf[:first].sum() > 0:
        lines.append(f"   {f'under {first}':>6}  {pmf[:first].sum():6.2%}  {1:7.2%}")
    for total in range(first, last + 1):
        bar = "█" * round(_BAR * pmf[total] / pmf.max())
        lines.append(f"{total:9d}  {pmf[total]:7.2%}  {min(at_least[total], 1.0):7.2%}  {bar}".rstrip())
    if pmf[last + 1 :].sum() > 0:
        lines.append(f"{f'over {last}':>9}  {pmf[last + 1 :].sum():7.2%}  {at_least[last + 1]:7.2%}")
    return lines
