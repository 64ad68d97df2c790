"""What every game, variant and policy must keep, whatever it is: one contract, inherited by every registered entry.

A new game, rule parameter or policy is tested here without a line being added, except that a new rule parameter needs
values in `VALUES` (a test says so).
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.engine.jit import COMPILED
from sim.errors import InputError, PolicyError, RulesError
from sim.games import REGISTRY, get
from sim.games.base import Game, Policy, PolicyInfo, PolicyRegistry, RulesModel
from tests.costly import affordable, effort

ROOT = Path(__file__).resolve().parent.parent
GAMES = 20 if COMPILED else 2
SEED = 20_260

#: values to try for every rule parameter beside its default, one factor at a time around each of `BASES`
VALUES: dict[str, dict[str, list[Any]]] = {
    "caterpillars": {
        "level": ["intermediate", "advanced", "expert"],
        "setup": ["variation"],
        "sheet": [[1, 2, 5, 6, 1, 2, 5, 6, 1, 2, 5, 6], [0] * 12, [12, 11, 10, 9, 0, 0, 0, 0, 0, 0, 8, 7]],
        "zero_rule": ["split", "strict"],
        "bonus_ban": ["any"],
        "double_optional": [True],
        "double_stores": ["face", "barred"],
        "bonus_source": ["any"],
        "idle_dice": [True],
        "final": ["lowest", "highest", "total"],
        "boxes": [1, 2, 3],
    },
    "karolinchen": {
        "start_fruit": [[0, 0], [5, 0], ["red", "green"]],
        "opening": ["own_roll"],
        "reroll_after_eating": [True],
        "new_card_take": ["may"],
        "fruits": [[1, 1, 1, 1, 1, 1], [6, 5, 4, 3, 2, 1]],
        "max_turns": [1, 20],
    },
    "parlett": {
        "block": ["barred"],
        "deals": [2],
        "hand_size": [1, 7, 20, 25],
        "multiple": [1, 3, 10],
        "court_bonus": [0, 50],
    },
}
#: rules to vary around (over the defaults)
BASES: dict[str, list[dict[str, Any]]] = {
    "caterpillars": [
        {"level": "beginner"},
        {"level": "intermediate"},
        {"level": "advanced"},
        {"level": "expert"},
        {"level": "expert", "setup": "variation"},
    ],
    "karolinchen": [{}, {"new_card_take": "may"}],
    "parlett": [{}, {"block": "barred"}],
}
#: games that cannot be; every other combination of the two tables must be playable
IMPOSSIBLE: list[tuple[str, dict[str, Any]]] = [
    ("caterpillars", {"level": "beginner", "setup": "variation"}),
    ("caterpillars", {"level": "expert", "setup": "variation", "boxes": 3}),
    ("caterpillars", {"sheet": [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]}),
    ("caterpillars", {"sheet": [1, 1, 1, 1, 1, 1], "boxes": 3}),
    ("karolinchen", {"fruits": [0, 1, 1, 1, 1, 1]}),
    ("karolinchen", {"start_fruit": [0] * 7}),
    ("parlett", {"hand_size": 26}),
]

#: columns promised to users
PROMISED = {
    "caterpillars": "score total_a total_b total_c bonus_a bonus_b bonus_c flying box_sum zeros win",
    "karolinchen": "turns rolls eatings fruits cards start_fruit capped win",
    "parlett": "score running courts cards_played court_short stuck win",
}
#: policies that the rules page defines to the letter
REFERENCE = {
    "caterpillars": {"random", "greedy"},
    "karolinchen": {"random", "longest", "shortest", "match"},
    "parlett": {"random", "greedy"},
}


def caterpillars_can(policy: Policy, rules: Any) -> bool | None:
    """Policy and placement `optimal` read exact values: none at levels with bonus boxes, and not for all sheets."""
    if policy.id == "optimal" and (rules.has_bonus or rules.blanks):
        return False
    if policy.parameters()["placement"] == "optimal" and rules.blanks:
        return False if rules.has_bonus else None  # a question of memory
    return True


def karolinchen_can(policy: Policy, rules: Any) -> bool | None:
    """`optimal` is for two: where the start fruits are drawn, a test game has more seats."""
    return policy.id != "optimal" or seats_of(get("karolinchen"), rules) == 2


#: for games with policies that cannot play every variant: whether one can; None: it may be refused for its size
CHOOSY: dict[str, Callable[[Policy, Any], bool | None]] = {
    "caterpillars": caterpillars_can,
    "karolinchen": karolinchen_can,
}
#: policies that think long: two games each, and parameters at the ends of their ranges on small sheets alone
SLOW = {"lookahead", "rollout"}
#: positions of the whole game that a test may solve
POSITIONS = 10_000_000


def games_of(policy: Policy) -> int:
    """How many games a test plays."""
    return 2 if policy.id in SLOW else GAMES


def quick(game: Game, rules: Any, policy: Policy) -> bool:
    """Whether the exact values that a policy reads are worked out in a second or so."""
    if game.name == "karolinchen":
        return policy.id != "optimal" or COMPILED
    if game.name != "caterpillars" or "optimal" not in (policy.id, policy.parameters()["placement"]):
        return True
    if not COMPILED and rules.boxes > 1:
        return False
    if not rules.blanks:
        return True
    from sim.games.caterpillars.exact.whole import WholeSolution

    return WholeSolution.positions(rules) < POSITIONS


every_game = pytest.mark.parametrize("name", REGISTRY)


@cache
def variants(name: str) -> list[RulesModel]:
    """Presets and one-factor-at-a-time variants of a game, each once."""
    rules = get(name).rules_type
    found = [rules.parse(preset) for preset in rules.PRESETS]
    for base in BASES[name]:
        found.append(rules.parse(base))
        for parameter, values in VALUES[name].items():
            for value in values:
                try:
                    found.append(rules.parse({**base, parameter: value}))
                except RulesError:
                    assert is_impossible(name, {**base, parameter: value}), f"{base} with {parameter} = {value} refused"
    return list({r.text(): r for r in found}.values())


def is_impossible(name: str, rules: dict[str, Any]) -> bool:
    return any(game == name and wrong.items() <= rules.items() for game, wrong in IMPOSSIBLE)


def at_bounds(registry: PolicyRegistry) -> Iterator[Policy]:
    """Every policy with its defaults, then with each parameter at each end of its range (or at each choice)."""
    for info in registry.entries.values():
        yield registry.parse(affordable(registry.game, info.id))
        for parameter in info.parameters:
            if parameter.name == "restrict":  # many values, with tests of their own: test_restricted.py
                continue
            for value in parameter.choices or (parameter.low, parameter.high):
                yield registry.parse(affordable(registry.game, info.id, **{parameter.name: value}))


def seats_of(game: Game, rules: RulesModel) -> int:
    """Seats for a test game: as in the example line-up, or as many as the rules ask for."""
    return (
        len(getattr(rules, "start_fruit", ()))
        if isinstance(getattr(rules, "start_fruit", 0), tuple)
        else len(game.example)
    )


def plays(game: Game, rules: RulesModel, policy: Policy, seats: int | None = None) -> bool:
    """Whether to play a policy here: everywhere, but where `CHOOSY` says no; then it is refused in one line."""
    line_up = [policy] * (seats or seats_of(game, rules))
    can = CHOOSY[game.name](policy, rules) if game.name in CHOOSY else True
    if can is None:
        refused = ""
        try:
            game.check_policies(rules, line_up)
        except PolicyError as error:
            refused = str(error)
        can = not refused
        assert can or " GB; accepted: " in refused
    if can:
        game.check_policies(rules, line_up)
        return quick(game, rules, policy)
    for attempt in (game.check_policies, game.compile, game.scenario):
        with pytest.raises(PolicyError) as caught:
            attempt(rules, line_up)
        assert f"policy {policy.id}" in str(caught.value)
        assert "accepted" in str(caught.value)
        assert "\n" not in str(caught.value)
    return False


def home(game: Game, policy: Policy) -> RulesModel:
    """The first variant that a policy plays: the defaults for nearly everybody."""
    return next(rules for rules in [game.rules_type(), *variants(game.name)] if plays(game, rules, policy))


def play(game: Game, rules: RulesModel, policies: list[Policy], first: int = 0, games: int = GAMES) -> np.ndarray:
    """Raw kernel output: int32[fields, games, seats]."""
    playable = game.compile(rules, policies)
    out = np.zeros((len(playable.fields), games * playable.seats), np.int32)
    playable.play(SEED, first, games, out, playable.scratch())
    return out.reshape(len(playable.fields), games, playable.seats)


def check_rows(game: Game, rules: RulesModel, out: np.ndarray, what: str) -> None:
    """Bounds of every field, and one win per game."""
    fields = game.fields(rules, out.shape[2])
    names = [f.name for f in fields]
    for field, values in zip(fields, out, strict=True):
        assert values.min() >= field.low, f"{what}: {field.name} is {values.min()}, below {field.low}"
        if field.high is not None:
            assert values.max() <= field.high, f"{what}: {field.name} is {values.max()}, above {field.high}"
    shares = out[names.index("win")]
    won = np.divide(1.0, shares, out=np.zeros(shares.shape), where=shares > 0).sum(axis=1)
    expected = 1.0 - out[names.index("capped")].max(axis=1) if "capped" in names else np.ones(len(won))
    np.testing.assert_allclose(won, expected, atol=1e-12, err_msg=f"{what}: wins do not sum to one")


# ----------------------------------------------------------------------------------------------------------------------
# Games


@every_game
def test_a_room_has_every_file(name: str) -> None:
    room = ROOT / "sim" / "games" / name
    for piece in ("__init__", "rules", "policies", "kernel", "trace"):
        assert (room / f"{piece}.py").exists() or (room / piece).is_dir(), f"{room.name}/{piece}.py is missing"
    assert (ROOT / "docs" / "rules" / f"{name}.md").exists()


@every_game
def test_a_game_says_who_it_is(name: str) -> None:
    game = get(name)
    assert game.name == name == game.rules_type.GAME == game.policies.game
    assert game.title
    assert game.kernel_version >= 1
    assert set(game.headline) <= {f.name for f in game.fields(game.rules_type(), len(game.example))}
    game.scenario(None, game.example)  # the example line-up can be played


@every_game
def test_result_fields_are_the_promised_ones_and_documented(name: str) -> None:
    game = get(name)
    for rules in variants(name):
        fields = game.fields(rules, seats_of(game, rules))
        assert [f.name for f in fields] == PROMISED[name].split()
        for field in fields:
            assert field.meaning
            assert field.unit or field.kind == "bool", field.name
            assert field.high is None or field.low <= field.high


@every_game
def test_a_wrong_number_of_players_is_refused_in_one_line(name: str) -> None:
    game = get(name)
    for count in (0, 10_000):
        with pytest.raises(PolicyError) as caught:
            game.scenario(None, ["random"] * count)
        assert "accepted" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_an_unknown_game_lists_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        get("chess")
    assert all(name in str(caught.value) for name in REGISTRY)


# ----------------------------------------------------------------------------------------------------------------------
# Rules


@every_game
def test_every_rule_parameter_is_tried_and_documented(name: str) -> None:
    rules = get(name).rules_type
    assert set(VALUES[name]) == set(rules.model_fields), "give every rule parameter values to try in VALUES"
    for parameter, info in rules.model_fields.items():
        assert info.description, parameter
        assert rules.accepts(parameter), parameter
        assert rules.source(parameter), parameter
    for preset in rules.PRESETS.values():
        assert preset.meaning
        assert preset.source


@every_game
def test_the_canonical_text_of_rules_parses_back(name: str) -> None:
    rules = get(name).rules_type
    for variant in variants(name):
        again = rules.parse(json.loads(variant.text()))
        assert again.text() == variant.text()
        assert rules.parse(variant) is variant
        assert rules.parse(variant.model_dump(mode="json")) == variant


@every_game
def test_unknown_rules_get_one_line_with_what_is_accepted(name: str) -> None:
    rules = get(name).rules_type
    with pytest.raises(RulesError) as caught:
        rules.parse({"no_such_rule": 1})
    assert all(parameter in str(caught.value) for parameter in rules.model_fields)
    with pytest.raises(RulesError) as caught:
        rules.parse("no_such_preset")
    assert all(preset in str(caught.value) for preset in rules.PRESETS)
    for parameter in rules.model_fields:
        with pytest.raises(RulesError) as caught:
            rules.parse({parameter: "no such value"})
        assert parameter in str(caught.value)
        assert "accepted" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "rules"), IMPOSSIBLE)
def test_impossible_games_are_refused_with_the_reason(name: str, rules: dict[str, Any]) -> None:
    with pytest.raises(RulesError) as caught:
        get(name).rules_type.parse(rules)
    assert "accepted" in str(caught.value)


@every_game
def test_a_parameter_without_effect_changes_no_game(name: str) -> None:
    """Equal identities play equal games: what is left out of the identity must not reach the kernel."""
    game = get(name)
    for base in variants(name):
        for parameter in base.without_effect():
            for value in VALUES[name][parameter]:
                try:
                    other = game.rules_type.parse({**base.model_dump(mode="json"), parameter: value})
                except RulesError:
                    continue
                assert other.text() == base.text(), f"{parameter} = {value} changes the identity"
                policies = [game.policies.parse("random")] * seats_of(game, base)
                assert (play(game, base, policies) == play(game, other, policies)).all(), f"{parameter} = {value}"


# ----------------------------------------------------------------------------------------------------------------------
# Policies


@every_game
def test_every_variant_with_every_policy_keeps_the_bounds(name: str) -> None:
    """Every variant × every policy, also with each parameter at the ends of its range: bounds, and one win per game."""
    game = get(name)
    for rules in variants(name):
        seats = seats_of(game, rules)
        for policy in at_bounds(game.policies):
            if not plays(game, rules, policy, seats):
                continue
            if policy.id in SLOW and policy != game.policies.parse(policy.id) and rules.boxes > 2:  # type: ignore[attr-defined]
                continue
            much = effort(name, policy)
            if much > 1 and not COMPILED:
                continue
            out = play(game, rules, [policy] * seats, games=min(games_of(policy), max(1, int(GAMES / max(much, 1.0)))))
            check_rows(game, rules, out, f"{name} {rules.changed()} {policy.text()}")


@every_game
def test_a_game_depends_on_its_index_alone(name: str) -> None:
    """The same games come out of a second run, and of a run that starts in the middle: nothing is carried over."""
    game = get(name)
    for rules in variants(name):
        for info in game.policies.entries.values():
            policies = [game.policies.parse(affordable(name, info.id))] * seats_of(game, rules)
            if not plays(game, rules, policies[0], len(policies)):
                continue
            n = games_of(policies[0])
            whole = play(game, rules, policies, games=n)
            half = play(game, rules, policies, first=n // 2, games=n - n // 2)
            assert (whole[:, n // 2 :] == half).all(), f"{rules.changed()} {info.id}"


@every_game
def test_a_policy_without_draws_uses_none(name: str) -> None:
    """`draws` is what the kernel goes by: a policy that says it uses no random numbers plays alike in either case."""
    game = get(name)
    for info in game.policies.entries.values():
        if info.draws:
            continue
        told = PolicyInfo(**{**info.__dict__, "draws": True})
        values = game.policies.parse(affordable(name, info.id)).values
        rules = home(game, game.policies.parse(affordable(name, info.id)))
        seats = seats_of(game, rules)
        n = 4 * games_of(Policy(info, values))
        without = play(game, rules, [Policy(info, values)] * seats, games=n)
        assert (without == play(game, rules, [Policy(told, values)] * seats, games=n)).all(), info.id


@every_game
def test_a_policy_that_always_slips_is_the_random_one(name: str) -> None:
    """With slip = 1 every choice is random, by the same numbers that `random` draws: the very same games."""
    game = get(name)
    bases = [game.rules_type.parse(base) for base in BASES[name]]
    for rules in bases:
        seats = seats_of(game, rules)
        for info in game.policies.entries.values():
            given = {"id": info.id, "slip": 1, **({"placement": "random"} if name == "caterpillars" else {})}
            if not info.noisy or getattr(rules, "new_card_take", "must") == "may":  # random never refuses dice
                continue
            policy = game.policies.parse(given)
            if plays(game, rules, policy, seats):
                expected = play(game, rules, [game.policies.parse("random")] * seats)
                assert (play(game, rules, [policy] * seats) == expected).all(), policy.text()


@every_game
def test_a_slip_of_nothing_changes_nothing_and_is_no_part_of_the_identity(name: str) -> None:
    game = get(name)
    for info in game.policies.entries.values():
        if info.noisy:
            policy = game.policies.parse(info.id)
            own = "slip" in {p.name for p in info.parameters if not p.common}
            assert ("slip" in policy.identity()["parameters"]) is own
            slipping = game.policies.parse({"id": info.id, "slip": 0.25})
            assert slipping.identity()["parameters"]["slip"] == "0.25"
            assert slipping.draws


@every_game
def test_policies_differ_from_each_other(name: str) -> None:
    """A policy that plays every game like another one is not wired up."""
    game = get(name)
    everybody = [game.policies.parse(affordable(name, info.id)) for info in game.policies.entries.values()]
    rooms = [game.rules_type.parse({"level": "expert"} if name == "caterpillars" else None)]
    rooms += [home(game, policy) for policy in everybody if not plays(game, rooms[0], policy)]
    met = set()
    for rules in rooms:
        seats = seats_of(game, rules)
        seen: dict[bytes, str] = {}
        for policy in everybody:
            if not plays(game, rules, policy, seats):
                continue
            played = play(game, rules, [policy] * seats, games=8 * min(map(games_of, everybody))).tobytes()
            assert played not in seen, f"{policy.id} plays exactly like {seen.get(played)}"
            seen[played] = policy.id
        met |= set(seen.values())
    assert met == set(game.policies.entries)


@every_game
def test_a_trace_is_the_game_that_the_rows_report(name: str) -> None:
    game = get(name)
    for rules in variants(name):
        for info in game.policies.entries.values():
            policies = [game.policies.parse(affordable(name, info.id))] * seats_of(game, rules)
            if not plays(game, rules, policies[0], len(policies)):
                continue
            out = play(game, rules, policies, games=2)
            trace = json.loads(json.dumps(game.trace(rules, policies, SEED, 1)))  # plain data
            assert traced_result(name, trace) == rows_result(game, rules, out[:, 1]), f"{rules.changed()} {info.id}"
            assert game.tell(trace).strip()


def rows_result(game: Game, rules: RulesModel, row: np.ndarray) -> list[int]:
    """What rows and trace of a game both tell: end totals, or turns and winner, or scores."""
    fields = dict(zip((f.name for f in game.fields(rules, row.shape[1])), row.tolist(), strict=True))
    if game.name != "karolinchen":
        return fields["score"]
    return [fields["turns"][0], fields["win"].index(1) if 1 in fields["win"] else -1]


def traced_result(name: str, trace: dict[str, Any]) -> list[int]:
    if name == "caterpillars":
        return [seat["score"] for seat in trace["seats"]]
    if name == "karolinchen":
        return [len(trace["turns"]), -1 if trace["winner"] is None else trace["winner"]]
    return trace["scores"]


@every_game
def test_reference_policies_are_there_and_two_thoughtful_ones(name: str) -> None:
    entries = get(name).policies.entries
    assert REFERENCE[name] <= set(entries)
    thoughtful = [
        e.id for e in entries.values() if e.id not in REFERENCE[name] and sum(not p.common for p in e.parameters) >= 2
    ]
    assert len(thoughtful) >= 2


@every_game
def test_the_catalogue_is_complete(name: str) -> None:
    registry = get(name).policies
    for info in registry.entries.values():
        assert re.fullmatch(r"[a-z][a-z0-9_]*", info.id)
        for text in (info.summary, info.who, info.source):
            assert text.strip(), f"{info.id} lacks summary, who or source"
        assert info.version >= 1
        for parameter in info.parameters:
            what = f"{info.id}.{parameter.name}"
            assert re.fullmatch(r"[a-z][a-z0-9_]*", parameter.name), what
            assert parameter.meaning, what
            assert parameter.choices or parameter.unit, f"{what} has no unit"
            assert parameter.choices or parameter.low < parameter.high, what
            assert parameter.parse(info.id, parameter.default) == parameter.default, f"{what}: default out of range"


@every_game
def test_duplicates_are_refused(name: str) -> None:
    entries = list(get(name).policies.entries.values())
    with pytest.raises(ValueError, match="registered twice"):
        PolicyRegistry(name, [*entries, entries[0]])
    same_number = PolicyInfo("another", entries[0].number, "s", "w", "s")
    with pytest.raises(ValueError, match="registered twice"):
        PolicyRegistry(name, [*entries, same_number])


@every_game
def test_the_canonical_text_of_a_policy_parses_back(name: str) -> None:
    registry = get(name).policies
    for policy in at_bounds(registry):
        assert registry.parse(policy.text()) == policy
        assert registry.parse({"id": policy.id, **policy.parameters()}) == policy
        assert registry.parse(policy) is policy


@every_game
def test_unknown_policies_and_values_get_one_line(name: str) -> None:
    registry = get(name).policies
    with pytest.raises(PolicyError) as caught:
        registry.parse("no_such_policy")
    assert all(known in str(caught.value) for known in registry.entries)
    for info in registry.entries.values():
        with pytest.raises(PolicyError) as caught:
            registry.parse({"id": info.id, "no_such_parameter": 1})
        assert all(p.name in str(caught.value) for p in info.parameters)
        for parameter in info.parameters:
            beyond = "no such choice" if parameter.choices else parameter.high + 1
            with pytest.raises(PolicyError) as caught:
                registry.parse({"id": info.id, parameter.name: beyond})
            assert parameter.accepts() in str(caught.value)
            assert "\n" not in str(caught.value)


# ----------------------------------------------------------------------------------------------------------------------
# The pages that list them


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "_generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_current() -> None:
    for path, text in generator().pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.relative_to(ROOT)} is not current; run `make docs`"


@every_game
def test_every_policy_is_listed(name: str) -> None:
    page = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
    section = page.partition(f"## {get(name).title}\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^### `(.*)`$", section, re.M)
    assert listed == list(get(name).policies.entries)
