"""Policies that users write: registered, compiled, as good as a built-in twin, and told of their faults in one line."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import sim
from sim.cli import run
from sim.engine.jit import COMPILED
from sim.engine.slot import WHOLE, fill
from sim.errors import InputError, PolicyError
from sim.games import REGISTRY, get
from sim.games.own import load

HEAD = "import sim\n\n\n"

TWINS = (
    HEAD
    + '''@sim.jit
def points(options, i):
    return options[i, 3]


@sim.policy("caterpillars", parameters={"worth": sim.parameter(0.0, 0.0, 3.0, "points per point", "of what is stored")})
def grabber(position, options, n, params, u):
    """The most points at once, as greedy."""
    choice = 0
    most = -1.0
    for i in range(n):
        value = points(options, i) + params[1] * options[i, 1]
        if value > most:
            most = value
            choice = i
    return choice


def lowest(position, value, blanks, n, params, u):
    return 0


def first_die(position, params, u):
    return 0


@sim.policy("caterpillars", id="placer", place=lowest, single=first_die)
def other_name(position, options, n, params, u):
    """Its own set-up, then as greedy."""
    choice = 0
    for i in range(n):
        if options[i, 3] > options[choice, 3]:
            choice = i
    return choice


@sim.policy("karolinchen")
def long_one(position, cards, n, params, u):
    """The longest card, as longest."""
    best = 0
    for i in range(1, n):
        if position.fruits[cards[i]] > position.fruits[cards[best]]:
            best = i
    return best


@sim.policy("parlett")
def any_card(position, cards, n, params, u):
    """Any card, as random."""
    return int(u * n)
'''
)


@pytest.fixture(autouse=True)
def registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    for name in REGISTRY:
        monkeypatch.setattr(get(name).policies, "entries", dict(get(name).policies.entries))


@pytest.fixture
def twins(tmp_path: Path) -> Path:
    file = tmp_path / "twins.py"
    file.write_text(TWINS)
    load(file)
    return file


def rows(game: str, policies: list[str], rules: dict[str, object] | None = None) -> pl.DataFrame:
    return sim.simulate(game, rules=rules, policies=policies, games=300 if COMPILED else 3, seed=11)


@pytest.mark.parametrize(
    ("game", "own", "twin", "rules"),
    [
        ("caterpillars", "grabber(placement=lowest)", "greedy", {"level": "expert"}),
        ("caterpillars", "placer", "greedy", {"level": "intermediate", "setup": "variation"}),
        ("caterpillars", "grabber(placement=random, slip=1)", "random", {"level": "advanced"}),
        ("karolinchen", "long_one", "longest", {}),
        ("karolinchen", "long_one", "longest", {"new_card_take": "may"}),
        ("parlett", "any_card", "random", {"block": "barred"}),
    ],
)
def test_a_users_policy_plays_the_very_games_of_its_built_in_twin(twins, game, own, twin, rules) -> None:
    mine, theirs = rows(game, [own] * 2, rules), rows(game, [twin] * 2, rules)
    assert mine.equals(theirs)


def test_each_seat_is_asked_for_its_own_policy(twins) -> None:
    alone = rows("caterpillars", ["greedy", "grabber(worth=2, placement=lowest)", "placer"])
    for seat, policy in enumerate(["greedy", "grabber(worth=2, placement=lowest)", "placer"]):
        only = rows("caterpillars", [policy])["score"]
        assert alone.filter(pl.col("seat") == seat)["score"].equals(only)


def test_two_users_policies_in_different_seats_keep_their_parameters(twins) -> None:
    assert rows("parlett", ["any_card", "greedy"]).equals(rows("parlett", ["random", "greedy"]))


def test_an_edited_policy_is_another_scenario(twins) -> None:
    before = get("parlett").scenario(None, ["any_card", "greedy"]).id
    load(twins)
    assert get("parlett").scenario(None, ["any_card", "greedy"]).id == before
    twins.write_text(TWINS.replace("return int(u * n)", "return n - 1"))
    load(twins)
    assert get("parlett").scenario(None, ["any_card", "greedy"]).id != before
    assert not rows("parlett", ["any_card", "greedy"]).equals(rows("parlett", ["random", "greedy"]))


def test_the_catalogue_shows_it_with_its_parameters_and_slip(twins) -> None:
    info = get("caterpillars").policies.entries["grabber"]
    assert info.summary == "The most points at once, as greedy."
    assert [p.name for p in info.parameters] == ["placement", "worth", "slip", "restrict"]
    assert not info.draws
    assert get("parlett").policies.entries["any_card"].draws
    with pytest.raises(PolicyError, match="worth = '4' is not accepted; accepted: a number from 0 to 3"):
        get("caterpillars").policies.parse("grabber(worth=4)")


def test_a_policy_written_in_a_session_needs_no_file() -> None:
    @sim.policy("karolinchen")
    def last(position, cards, n, params, u):
        """The last card left."""
        return n - 1

    assert rows("karolinchen", ["last", "random"]).height
    assert last(None, None, 3, None, 0.0) == 2  # the function itself is unchanged


FAULTY = f'{HEAD}@sim.policy("parlett")\ndef faulty(position, cards, n, params, u):\n    """Faulty."""\n'
FAULTS = {
    "a choice beyond the list": (
        "    return n\n",
        r"faulty.py:\d+\) returned \d+ in game 0, where \d+ choices were offered",
    ),
    "an unknown field": ("    return position.totl\n", r"faulty.py:7: faulty cannot be compiled: no field 'totl'"),
    "an error of its own": (
        '    if n > 0:\n        raise ValueError("no such card")\n    return 0\n',
        r"faulty.py:8: faulty: ValueError: no such card \(policy faulty, game 0\)$",
    ),
    "a fraction": (
        "    x = 0.9\n    return x\n",
        r"faulty.py:8: faulty returns a number with a fraction; accepted: a wh",
    ),
    "a fraction in one place": (
        "    if u > 0.5:\n        return 0\n    return 0.9\n",
        r"faulty.py:9: faulty returns a number with a fraction",
    ),
    "no answer in one place": ("    if u > 0.5:\n        return 0\n", r"faulty.py:7: faulty returns nothing \(None\)"),
    "a write": (
        "    position.seat[0] = 3\n    return 0\n",
        r"faulty.py:7: faulty cannot be compiled: setitem\(int64, 0, 3\) is not possible with these types$",
    ),
    "a statement": (
        '    x = 1\n    with open("x") as f:\n        return 0\n',
        r"faulty.py:8: faulty cannot be compiled: The 'with .*construct is not supported$",
    ),
    "an unknown name": ("    x = 1\n    return nothing\n", r"faulty.py:8: faulty cannot be compiled: .*nothing"),
}


@pytest.mark.skipif(not COMPILED, reason="what the compiler finds")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_file_and_line(tmp_path: Path, fault: str) -> None:
    body, message = FAULTS[fault]
    file = tmp_path / "faulty.py"
    file.write_text(
        f'{HEAD}@sim.policy("parlett")\ndef faulty(position, cards, n, params, u):\n    """Faulty."""\n{body}'
    )
    load(file)
    with pytest.raises(PolicyError, match=message) as caught:
        sim.simulate("parlett", policies=["faulty", "random"], games=1, seed=1)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not COMPILED, reason="compiled code cannot hand an error on")
def test_an_error_in_a_policy_leaves_one_line_and_no_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "faulty.py", tmp_path / "out.parquet"
    file.write_text(
        f"{HEAD}@sim.jit\ndef helped(u):\n    if u > 0.9:\n        raise ValueError('too large')\n    return 0\n\n\n"
        "@sim.policy('parlett')\ndef faulty(position, cards, n, params, u):\n    return helped(u)\n"
    )
    line = ["--policy", "faulty", "--policy", "faulty", "--games", "200", "--out", str(out)]
    assert run(["run", "parlett", "--plugin", str(file), *line]) == 2
    (told,) = (line for line in capfd.readouterr().err.splitlines() if "compiling kernels" not in line)
    assert "faulty.py:7: helped: ValueError: too large (policy faulty, game " in told
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("answer", [True, np.bool_(True), np.int64(1)])
def test_plain_python_takes_yes_for_one(monkeypatch: pytest.MonkeyPatch, answer: object) -> None:
    monkeypatch.setattr("sim.engine.slot.COMPILED", False)
    assert fill((lambda position: answer,), (("position", WHOLE),))(SimpleNamespace(seat=0)) == 1


def test_plain_python_takes_no_fraction_for_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.engine.slot.COMPILED", False)
    asked = fill((lambda position: 0.9,), (("position", WHOLE),))
    with pytest.raises(PolicyError, match=r"test_own.py:\d+: .* returned 0.9; accepted: a whole number"):
        asked(SimpleNamespace(seat=0))


SIM = [sys.executable, "-c", "from sim.cli import main; main()"]
LOOP = f"{FAULTY}    k = 0\n    while k >= 0:\n        k = (k + 1) % 7\n    return k\n"


DEAF = """
import sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import sim.cli
from sim.cli import watch
from sim.games import get
from sim.games.own import load

load(sys.argv[1])
game = get("parlett")
policy = game.policies.parse("faulty")
playable = game.compile(game.rules_type.parse({}), [policy, policy])
out = np.zeros((len(playable.fields), 2), np.int32)
playable.play(1, 0, 0, out, playable.scratch())  # compiles


def play(_arguments):
    print("ready", flush=True)
    playable.play(1, 0, 1, out, playable.scratch())


def elsewhere(arguments):
    with ThreadPoolExecutor(1) as pool:  # which waits for its threads on the way out
        pool.submit(play, arguments).result()


watch.GRACE = 1.0
sim.cli.run = {"here": play, "elsewhere": elsewhere}[sys.argv[2]]
sim.cli.main()
"""


@pytest.mark.skipif(not COMPILED, reason="plain Python hears signals")
@pytest.mark.parametrize("thread", ["here", pytest.param("elsewhere", marks=pytest.mark.deep)])
def test_an_endless_loop_ends_with_a_signal(tmp_path: Path, thread: str) -> None:
    file = tmp_path / "endless.py"
    file.write_text(LOOP)
    command = [sys.executable, "-c", DEAF, str(file), thread]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            told = process.communicate(timeout=30)[1].splitlines()
        finally:
            process.kill()
    assert process.returncode == 130
    assert told[-1].startswith("sim: stopped: compiled code did not end within 1 s")


@pytest.mark.deep
@pytest.mark.skipif(not COMPILED, reason="plain Python is stopped otherwise")
def test_the_check_of_an_endless_loop_ends(tmp_path: Path) -> None:
    file = tmp_path / "endless.py"
    file.write_text(LOOP)
    done = subprocess.run([*SIM, "check", str(file), "--seconds", "1"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert f"{file}:4: policy faulty did not play its games within 1 s; accepted: no endless loop" in last


def own(about: str, arguments: str = "p, c, n, q, u") -> str:
    return f"{HEAD}@sim.policy({about})\ndef f({arguments}): return 0\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:\n", r"f.py:1: invalid syntax"),
        ("x = 1 / 0\n", r"f.py:1: ZeroDivisionError"),
        ("x = 1\n", r"registers no policy; accepted: functions under @sim.policy"),
        (own("'chess'", "p"), r"f.py:4: unknown game 'chess'"),
        (own("'parlett'", "p"), r"f.py:\d+: f\(p\) is not accepted; accepted: \(position, cards, n"),
        (own("'parlett', id='greedy'"), r"greedy of parlett is built in"),
        (own("'parlett', take=max"), r"unknown decision of parlett 'take'"),
        (own("'parlett', parameters={'slip': 1}"), r"slip = 1 is not accepted"),
        (
            f"{HEAD}sim.parameter(5, 0, 1, 'points', 'x')\n",
            r"f.py:4: parameter with default 5, low 0, high 1 is not accepted",
        ),
    ],
)
def test_a_file_that_cannot_be_loaded_gets_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "f.py"
    file.write_text(text)
    with pytest.raises((InputError, PolicyError), match=message) as caught:
        load(file)
    assert "\n" not in str(caught.value)


def test_the_command_line_takes_plugins_anywhere(twins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["--policy", "any_card", "--policy", "greedy", "--games", "4", "--json"]
    assert run(["run", "parlett", "--plugin", str(twins), *line]) == 0
    first = capsys.readouterr().out
    assert run([f"--plugin={twins}", "run", "parlett", *line]) == 0
    assert capsys.readouterr().out == first
    assert run(["run", "parlett", *line, "--plugin"]) == 2
    assert "--plugin was given without a file" in capsys.readouterr().err


def test_a_sweep_brings_its_plugins_from_beside_the_file(twins: Path, tmp_path: Path) -> None:
    sweep = tmp_path / "sweep.yaml"
    sweep.write_text(
        "name: own\ngame: parlett\nseed: 3\ngames: 20\nplugins: [twins.py]\n"
        "policies: [[any_card, greedy], [random, greedy]]\n"
    )
    sim.sweep(sweep, data=tmp_path / "data")
    found = sim.load(tmp_path / "data" / "own")
    means = found.group_by("scenario", "seat").agg((pl.col("score") * pl.col("count")).sum()).sort("seat")
    assert len(means) == 4  # both line-ups, and the same games in each
    assert means.group_by("seat").agg(pl.col("score").n_unique())["score"].to_list() == [1, 1]


@pytest.mark.skipif(not COMPILED, reason="compares the compiled lane with plain Python")
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("    return 0\n", ""),
        (
            "    position.total = 0\n    return 0\n",
            "faulty.py:7: faulty: ValueError: assignment",
        ),
        ("    return 1 if cards[40] > 3 else 0\n", "faulty.py:7: faulty: IndexError"),
        ("    return int(u * n) if n > 1 else 0\n", ""),
    ],
)
def test_the_contract_is_offered_to_users(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str, message: str
) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY + body)
    status = run(["check", str(file)])
    told = capsys.readouterr()
    if message:
        assert status == 2
        (line,) = (line for line in told.err.splitlines() if " s so far" not in line)
        assert message in line
    else:
        assert status == 0, told.err
        assert "parlett faulty: good" in told.out


def test_the_policy_of_the_how_to_keeps_the_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parent.parent / "docs" / "how-to" / "own-policies.md").read_text(encoding="utf-8")
    file = tmp_path / "my_policies.py"
    file.write_text(page.partition("```python\n")[2].partition("```")[0])
    for line in page.partition("```sh\n")[2].partition("```")[0].splitlines():
        arguments = [str(file) if part == file.name else part for part in line.split()[1:]]
        if COMPILED or arguments[0] == "policies":
            assert run(arguments) == 0, capsys.readouterr().err
            assert "collector" in capsys.readouterr().out
