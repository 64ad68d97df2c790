"""The strongest rule of thumb, as the report tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.report.claims_thumb import add, in_words
from sim.report.facts import Facts
from sim.report.params import read_params
from sim.report.parts import shown
from sim.report.thumb import thumb_tables

DATA = Path(__file__).parent.parent / "data"


def test_a_rule_is_told_as_one_would_tell_it_to_a_child() -> None:
    assert in_words("thumb(low=4, mid=3, twin=1, late=5, top=4, bottom=1)", bonus=False) == (
        "Count every empty box as 4 points if its label is 1 to 3, as 3 if it is 4 to 6, 1 less while another empty "
        "box has the same label, and half of that with 5 rounds or fewer to come. Add up each caterpillar, points and "
        "empty boxes. Count the middle one 8 times, the highest 4 times, the lowest once, and take the play that makes "
        "the sum largest; of equals the one with more points now."
    )
    short = in_words("thumb(low=9, mid=9, twin=0, late=0, bottom=0, keep=2)", bonus=True)
    assert short.startswith("Count every empty box as 9 points. Add up")
    assert "the lowest not at all" in short
    assert short.endswith("A die in a bonus box adds to its caterpillar what it is above 2.")


def test_the_kept_winners_are_claims_with_intervals() -> None:
    facts = Facts()
    told = add(facts, thumb_tables(DATA), read_params(DATA.parent / "params.yaml"))["thumb"]
    assert [entry["level"] for entry in told] == ["beginner", "intermediate", "advanced", "expert"]
    by_key = {fact.key: fact for fact in facts.all()}
    for entry in told:
        for name in ("mean", "child", "second", "loss"):
            fact = by_key[f"{entry['key']}.{name}"]
            assert fact.low is not None
            assert fact.low <= fact.value <= fact.high  # type: ignore[operator]
        assert by_key[f"{entry['key']}.rules"].value > 10_000  # type: ignore[operator]


def test_a_data_folder_without_them_tells_none(tmp_path: Path) -> None:
    assert thumb_tables(tmp_path) == {}
    assert "thumb" not in [section.name for section in shown(["levels"], {})]


@pytest.mark.parametrize("level", ["beginner", "expert"])
def test_the_search_was_over_the_family_that_is_stated(level: str) -> None:
    from sim.league import thumb

    rows = thumb_tables(DATA)["thumb"].filter(level=level)
    assert set(rows["rules"]) == {len(list(thumb.family(level)))}
    assert rows.filter(place=1)["policy"][0] in {
        thumb.registry.get("caterpillars").policies.parse(p).text() for p in thumb.family(level)
    }
