"""What a tuning may change: numbers of a policy, and between which bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sim.errors import PolicyError, unknown
from sim.games.base import Policy, PolicyParameter


@dataclass(frozen=True)
class Range:
    """One parameter that is fitted, and where it may lie."""

    parameter: PolicyParameter
    low: float
    high: float

    def value(self, x: float) -> float:
        """The parameter at `x` (0 … 1), told with six digits: what is played is what the log says."""
        v = self.low + min(1.0, max(0.0, float(x))) * (self.high - self.low)
        v = float(round(v)) if self.parameter.integer else float(f"{v:.6g}")
        return min(self.high, max(self.low, v))

    def place(self, value: float) -> float:
        """Where a value lies (0 … 1); the nearer end if it is outside."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


def check_ranges(policy: Policy, parameters: Mapping[str, Sequence[float]]) -> list[Range]:
    """Parameters to be fitted with their bounds, checked against the policy's own."""
    known = {p.name: p for p in policy.info.parameters if not p.choices}
    if not parameters:
        raise PolicyError(
            f"no parameters to tune were given for {policy.id}; accepted: {', '.join(known) or '(it has no numbers)'}"
        )
    found = []
    for name, bounds in parameters.items():
        if name not in known:
            raise PolicyError(unknown(f"number of policy {policy.id}", name, known or ["(it has none)"]))
        own = known[name]
        try:
            low, high = (float(b) for b in bounds)
        except (TypeError, ValueError):
            low = high = 0.0
        if not own.low <= low < high <= own.high:
            raise PolicyError(
                f"bounds {bounds!r} of {name} are not accepted; accepted: low and high, {own.low:g} ≤ low < high ≤ "
                f"{own.high:g}"
            )
        found.append(Range(own, low, high))
    return found


def moved(policy: Policy, ranges: Sequence[Range]) -> dict[str, tuple[float, float]]:
    """Values of the policy that lie outside their ranges, each with the nearest one inside."""
    values = {r: float(policy.parameters()[r.parameter.name]) for r in ranges}
    return {r.parameter.name: (v, r.value(r.place(v))) for r, v in values.items() if not r.low <= v <= r.high}
