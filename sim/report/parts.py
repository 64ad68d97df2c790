"""What the report consists of: one entry per section, saying which sweeps, tables, claims, figures and text it needs.

A section is told by name in the registries of its pieces: `sim.report.tables.TABLES` (result tables from stored
sweeps), `sim.report.claims.CLAIMS` (numbers that prose quotes), `sim.report.figures.FIGURES`, `sim.report.grids.GRIDS`,
and ``prose/<name>.md``. To add content is to add an entry here and the pieces it names.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sim.errors import ReportError, unknown

#: the part that a sweep of one's own makes up
OWN = "own"
#: headings of the page, in order: name → text
CHAPTERS = {
    "own": "The sweep",
    "caterpillars": "Caterpillars",
    "karolinchen": "Karolinchen",
    "parlett": "Parlett's Caterpillar",
    "choices": "Luck, skill and choices",
    "trust": "How far to trust it",
}
#: what ``--only`` accepts, with the title of a page that holds nothing else
PARTS = {
    "levels": "Do the four levels of Caterpillars step up?",
    "setup": "What does the set-up variation of Caterpillars change?",
    "readings": "Which readings of Caterpillars matter?",
    "karolinchen": "How long does Karolinchen last, and who wins?",
    "parlett": "Is Parlett's Caterpillar fair, and when to hold court cards?",
    "choices": "Do choices matter, and what is each worth?",
}
#: the title of the whole report
TITLE = "How balanced are the caterpillars?"


@dataclass(frozen=True)
class Section:
    """A piece of the report.

    Attributes
    ----------
    name : str
        Also of its text, ``prose/<name>.md``, and of its tables and claims in their registries.
    chapter : str
        The heading under which it stands, one of `CHAPTERS`.
    part : str
        What ``--only`` calls it, one of `PARTS`; empty: on every page.
    sweeps : tuple of str
        Parts of ``sweeps`` in the parameters file that must be stored.
    figures, grids : tuple of str
        Names of the figures and tables that its text shows.
    needs : tuple of str
        Result tables without which the section is left out, because what they are made of is not kept everywhere.
    made_by : tuple of str
        Commands that make what it needs beside sweeps.
    """

    name: str
    chapter: str
    part: str = ""
    sweeps: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    grids: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    made_by: tuple[str, ...] = ()


SKILL_SWEEPS = ("skill_caterpillars", "skill_parlett", "skill_karolinchen")

SECTIONS: tuple[Section, ...] = (
    Section("levels", "caterpillars", "levels", ("levels",), ("scores", "steps"), ("par", "steps")),
    Section(
        "thumb",
        "caterpillars",
        "levels",
        needs=("thumb",),
        made_by=("sim thumb --out data/league/thumb.parquet",),
    ),
    Section("setup", "caterpillars", "setup", ("setup",), ("setup",), ("setup",)),
    Section("readings", "caterpillars", "readings", ("readings",), ("readings", "sheets"), ("languages",)),
    Section("ties", "caterpillars", "levels", grids=("ties",), needs=("ties",), made_by=("sim decided",)),
    Section("restricted", "caterpillars", "choices", ("restricted",), ("restricted",), ("restricted",)),
    Section(
        "better_levels",
        "caterpillars",
        "levels",
        grids=("better_levels",),
        needs=("proposals_caterpillars",),
        made_by=("sim propose",),
    ),
    Section(
        "karolinchen",
        "karolinchen",
        "karolinchen",
        ("karolinchen",),
        ("survival", "seats", "house"),
        ("length", "bedtime", "house", "fruits", "card_policies"),
    ),
    Section(
        "decided",
        "karolinchen",
        "karolinchen",
        figures=("decided",),
        grids=("comebacks", "watched"),
        needs=("decided",),
        made_by=("sim decided",),
    ),
    Section(
        "better_karolinchen",
        "karolinchen",
        "karolinchen",
        figures=("dial",),
        grids=("dial", "better_race", "better_tails"),
        needs=("proposals_karolinchen",),
        made_by=("sim propose",),
    ),
    Section(
        "parlett",
        "parlett",
        "parlett",
        ("parlett",),
        ("hold", "leader", "card_rules", "strength"),
        ("parlett_seats",),
    ),
    Section("courts", "parlett", "choices", ("courts",), grids=("courts",)),
    Section(
        "better_parlett",
        "parlett",
        "parlett",
        figures=("compensation",),
        grids=("compensation", "better_seats"),
        needs=("proposals_parlett",),
        made_by=("sim propose",),
    ),
    Section("skill", "choices", "choices", tuple(SKILL_SWEEPS), ("skill",), ("skill",)),
    Section(
        "decisions",
        "choices",
        "choices",
        figures=("choices",),
        grids=("decisions", "sums"),
        needs=("decisions",),
        made_by=("sim sweep sweeps/rounds.yaml", "sim sweep sweeps/decisions.yaml"),
    ),
    Section("own", "own", OWN, ("own",), grids=("own_scenarios",)),
    Section("own_cut", "own", OWN, ("own",), (), ("own_cut",), ("own_cut",)),
    Section("own_results", "own", OWN, ("own",), ("own_results",), ("own_results",), ("own_results",)),
    Section("own_seats", "own", OWN, ("own",), ("own_seats",), ("own_seats",), ("own_seats",)),
    Section("own_changes", "own", OWN, ("own",), ("own_changes",), ("own_changes",), ("own_changes",)),
    Section("own_more", "own", OWN, ("own",), (), ("own_more",), ("own_more",)),
    Section("verified", "trust", figures=("verification",), needs=("verification",)),
    Section("card", "trust", grids=("card",)),
    Section("alarms", "trust", grids=("alarms",), needs=("alarms",)),
    Section("trust", "trust"),
)


def check_parts(only: Sequence[str]) -> tuple[str, ...]:
    """The parts asked for, each once, in the order of the page; all where none is named.

    Raises
    ------
    ReportError
        In one line, for a name that is no part.
    """
    for name in only:
        if name not in PARTS:
            raise ReportError(unknown("part of the report", name, PARTS))
    return tuple(name for name in PARTS if not only or name in only)


def sections_of(parts: Collection[str]) -> tuple[Section, ...]:
    """The sections of these parts, and those that stand on every page."""
    return tuple(s for s in SECTIONS if not s.part or s.part in parts)


def shown(parts: Collection[str], tables: Collection[str]) -> tuple[Section, ...]:
    """The sections of these parts whose tables are there."""
    return tuple(s for s in sections_of(parts) if all(name in tables for name in s.needs))


def sweeps_of(parts: Collection[str]) -> tuple[str, ...]:
    """Which stored sweeps these parts are made of, in order."""
    return tuple(dict.fromkeys(name for section in sections_of(parts) for name in section.sweeps))
