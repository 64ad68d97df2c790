"""Findings ranked by importance: what each question of the report comes to, and how far that is from its target.

The importance of an estimate is the distance from its target to the nearest end of its interval, in smallest
differences that matter (``smallest`` in the parameters file): so much it surely is, at the stated level. It is zero
where the interval reaches into the target. Every question names all the estimates it looks at; the most important one
stands for it, and how many there were is told with it, because the largest of many tends to be too large. Kinds of
questions come in the order that the parameters file gives: a promise that is not kept is read before what a change of
the rules would do, however large that is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.errors import ReportError
from sim.report import findings_caterpillars, findings_choices, findings_others, findings_own, findings_proposals
from sim.report.facts import Fact, Facts
from sim.report.findings_base import Candidate
from sim.report.params import Params
from sim.report.parts import OWN, SECTIONS, Section
from sim.stats import Estimate, Verdict, inside

#: section of the report → the estimates that its questions look at
FINDINGS: Mapping[str, Callable[[Facts, Mapping[str, Any], Params], Iterator[Candidate]]] = {
    "levels": findings_caterpillars.levels,
    "thumb": findings_caterpillars.thumb,
    "setup": findings_caterpillars.setup,
    "readings": findings_caterpillars.readings,
    "karolinchen": findings_others.karolinchen,
    "decided": findings_others.decided,
    "parlett": findings_others.parlett,
    "restricted": findings_choices.restricted,
    "courts": findings_choices.courts,
    "better_levels": findings_proposals.levels,
    "better_karolinchen": findings_proposals.karolinchen,
    "better_parlett": findings_proposals.parlett,
    "own_results": findings_own.results,
    "own_seats": findings_own.seats,
    "own_changes": findings_own.changes,
}


#: kind of question → its heading, and how the names of its questions begin
GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "expected": (
        "What was promised, and what is fair",
        ("steps.", "length", "decided", "seats", "leader", "own.seats."),
    ),
    "open": ("What the rule texts leave open", ("readings", "sheets", "languages", "setup", "house.")),
    "changed": ("What other rules would change", ("better.", "fruits.", "card_rules", "own.")),
    "played": (
        "What playing differently is worth",
        ("skill", "thumb", "odd", "hold", "strength", "traps", "courts", "own.players"),
    ),
}


def group_of(question: str) -> str:
    """The kind of a question."""
    fitting = {b: name for name, (_, beginnings) in GROUPS.items() for b in beginnings if question.startswith(b)}
    if fitting:  # the longest beginning says most
        return fitting[max(fitting, key=len)]
    raise ReportError(f"question '{question}' is of no kind; accepted: a beginning in sim.report.findings.GROUPS")


@dataclass(frozen=True)
class Finding:
    """What a question comes to.

    Attributes
    ----------
    told : str
        In words, without its number.
    fact : Fact
        The number.
    size : float
        Importance.
    key : str
        Of the fact that holds the importance.
    count : int
        Estimates that the question looked at.
    figure : str
        Name of the figure that shows it; empty: none.
    chapter : str
        Where it is told in full.
    commands : tuple of str
        What plays its games, and what draws it again.
    verdict : Verdict
        ``outside``: it matters.
    group : str
        Kind of question, a key of `GROUPS`.
    """

    told: str
    fact: Fact
    size: float
    key: str
    count: int
    figure: str
    chapter: str
    commands: tuple[str, ...]
    verdict: Verdict
    group: str


def importance(fact: Fact, low: float, high: float, unit: float) -> float:
    """How many `unit` the whole interval of a fact is beyond the target from `low` to `high`."""
    if fact.low is None or fact.high is None:
        raise ReportError(f"finding '{fact.key}' has no interval; accepted: facts with an interval")
    return max(0.0, fact.low - high, low - fact.high) / unit


def verdict(fact: Fact, low: float, high: float) -> Verdict:
    """Whether a fact is inside its target."""
    ends = [math.nan if end is None else end for end in (fact.low, fact.high)]
    return inside(Estimate(float(fact.value), ends[0], ends[1], fact.n or 1, fact.level or 0.95, ""), low, high)


def candidates(
    facts: Facts, model: Mapping[str, Any], params: Params, sections: Sequence[str]
) -> dict[str, list[tuple[str, Candidate]]]:
    """Every estimate that a question of these sections looks at, with its section, by question."""
    found: dict[str, list[tuple[str, Candidate]]] = {}
    for name in sections:
        if name in FINDINGS:
            for candidate in FINDINGS[name](facts, model, params):
                if facts.get(candidate.key).low is None:  # too few games for an interval: nothing is found
                    continue
                found.setdefault(candidate.question, []).append((name, candidate))
    return found


def again(section: Section, path: Mapping[str, str]) -> str:
    """The command that draws a section again."""
    return f"sim report --sweep {path[OWN]}" if section.part == OWN else f"sim report --only {section.part}"


def ranked(facts: Facts, model: Mapping[str, Any], params: Params, sections: Sequence[str]) -> list[Finding]:
    """Findings of these sections by kind, the most important first; their importance is registered as a fact."""
    by_name = {section.name: section for section in SECTIONS}
    path = {row["part"]: row["path"] for row in model["sweeps"]}
    found = []
    for question, own in candidates(facts, model, params, sections).items():

        def order(entry: tuple[str, Candidate]) -> tuple[float, float]:
            c = entry[1]
            fact, middle = facts.get(c.key), (c.low + c.high) / 2
            away = abs(float(fact.value) - (middle if math.isfinite(middle) else c.low)) / c.unit
            return importance(fact, c.low, c.high, c.unit), away

        name, best = max(own, key=order)
        fact, (size, _) = facts.get(best.key), order((name, best))
        key = f"finding.{question}"
        more = {"n": fact.n, "seed": fact.seed, "scenario": fact.scenario, "sweep": fact.sweep}
        method = f"distance from the target to the interval / {best.unit:g}; most important of {len(own)}"
        facts.add(key, float(f"{size:.2g}"), "number", method=method, **more)
        section = by_name[name]
        files = [path[s] for s in section.sweeps if path[s].endswith((".yaml", ".yml"))]
        commands = (*(f"sim sweep {file}" for file in files), *section.made_by, again(section, path))
        judged = verdict(fact, best.low, best.high)
        told = best.told(judged, float(fact.value))
        found.append(
            Finding(told, fact, size, key, len(own), best.figure, section.chapter, commands, judged, group_of(question))
        )
    kinds = params.findings.order
    largest = sorted(found, key=lambda f: -f.size)[: params.findings.most]
    return sorted(largest, key=lambda f: (kinds.index(f.group), -f.size))
