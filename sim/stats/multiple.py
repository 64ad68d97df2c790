"""Many statements at once: adjusted p-values, named families of claims, and cycles among pairwise comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


def holm(p_values: ArrayLike) -> np.ndarray:
    """p-values adjusted so that rejecting those up to α errs anywhere with probability at most α (Holm 1979).

    S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal of Statistics 6 (1979).
    Nothing is assumed about how the tests depend on each other.
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    steps = (p.size - np.arange(p.size)) * p[order]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> np.ndarray:
    """p-values adjusted so that among those accepted up to α a share of at most α is false, on average.

    Y. Benjamini and Y. Hochberg, *Controlling the false discovery rate*, Journal of the Royal Statistical Society B 57
    (1995); SciPy's routine. For tests that are independent or positively dependent.
    """
    p = np.asarray(p_values, np.float64)
    return np.asarray(stats.false_discovery_control(p, method="bh"), np.float64) if p.size else p


@dataclass(frozen=True)
class Claim:
    """One statement of a family, judged together with the others.

    Attributes
    ----------
    family, name : str
    p_value, adjusted : float
        Its own, and adjusted for all of its family.
    told : bool
        Whether the statement may be made.
    method : str
        ``holm`` or ``bh``.
    """

    family: str
    name: str
    p_value: float
    adjusted: float
    told: bool
    method: str


_ADJUST = {"holm": holm, "bh": benjamini_hochberg}


def judge(
    families: Mapping[str, Mapping[str, float]], method: str | Mapping[str, str] = "holm", alpha: float = 0.05
) -> list[Claim]:
    """Judge named families of claims, each family at `alpha`.

    A family is what one reader takes in together, such as "the seats" or "the readings": its size is fixed by naming
    all of its members before the games are played, those that turn out dull among them.

    Parameters
    ----------
    families : mapping of mappings
        family → claim → p-value.
    method : str or mapping of family to str
        ``holm``: any wrong claim in a family with probability at most α; ``bh``: a share of at most α of its claims,
        for long lists that are looked through for something to follow up (with `confirm`).

    Returns
    -------
    list of Claim
        In the order given.
    """
    found = []
    for family, claims in families.items():
        way = method if isinstance(method, str) else method.get(family, "holm")
        if way not in _ADJUST:
            raise ValueError(f"method '{way}' for family '{family}'; accepted: {', '.join(_ADJUST)}")
        p = list(claims.values())
        if any(not 0 <= x <= 1 for x in p):  # also where it is not a number
            raise ValueError(f"p-values {p} in family '{family}'; accepted: from 0 to 1")
        adjusted = _ADJUST[way](p).tolist()
        found += [
            Claim(family, name, x, y, y <= alpha, way) for (name, x), y in zip(claims.items(), adjusted, strict=True)
        ]
    return found


def three_cycles(
    pairs: Sequence[tuple[int, int]], rates: ArrayLike, p_values: ArrayLike, alpha: float = 0.05
) -> list[tuple[int, int, int]]:
    """Triples in which each beats the next and the last the first, at a common error rate of `alpha`.

    Holm's adjustment over all pairs makes the *directions* of all pairs accepted hold together, so every cycle among
    them does. The tests are two-sided; a pair that is not told apart is in no cycle.

    Parameters
    ----------
    pairs : sequence of (i, j)
    rates : float array
        Win rate of i against j.
    p_values : float array
        Of "the rate is one half", not yet adjusted.

    Returns
    -------
    list of (i, j, k)
        i beats j, j beats k, k beats i; i is the smallest.
    """
    rate = np.asarray(rates, np.float64)
    sure = holm(p_values) <= alpha
    beats: set[tuple[int, int]] = set()
    for (i, j), r, known in zip(pairs, rate.tolist(), sure.tolist(), strict=True):
        if known and r != 0.5:
            beats.add((i, j) if r > 0.5 else (j, i))
    players = sorted({x for pair in pairs for x in pair})
    found = []
    for i, j, k in combinations(players, 3):
        for cycle in ((i, j, k), (i, k, j)):
            if {(cycle[0], cycle[1]), (cycle[1], cycle[2]), (cycle[2], cycle[0])} <= beats:
                found.append(cycle)
    return found
