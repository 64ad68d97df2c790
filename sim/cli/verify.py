"""``sim verify``: simulated results against exact ones, with one error rate for all comparisons."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import Json, Workers, number, print_frame, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify)


def _settings(params: Path) -> dict[str, Any]:
    """The key ``verify`` of the parameters file; the built-in settings where there is no such file."""
    import yaml

    from sim.errors import InputError
    from sim.verify import settings

    if not params.is_file():
        if params == Path("params.yaml"):
            return settings({})
        raise InputError(f"cannot read {params}; accepted: a parameters file, as params.yaml")
    try:
        content = yaml.safe_load(params.read_text(encoding="utf-8"))
    except yaml.YAMLError:
        content = None
    if not isinstance(content, dict):
        raise InputError(f"{params} is not readable as YAML; accepted: a parameters file, as params.yaml")
    return settings(content, str(params))


def verify(
    games: Annotated[str | None, typer.Option("--games", metavar="N", help="Games of each scenario.")] = None,
    seed: Annotated[str | None, typer.Option("--seed", metavar="N", help="0 … 2^64 − 1.")] = None,
    scenario: Annotated[
        str, typer.Option("--scenario", metavar="TEXT", help="Only scenarios whose game, topic or words contain TEXT.")
    ] = "",
    workers: Workers = "1",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.json", help="Write all comparisons there.")] = None,
    params: Annotated[
        Path, typer.Option("--params", metavar="FILE", help="Its key verify has games, seed and error_rate.")
    ] = Path("params.yaml"),
    quiet: Annotated[bool, typer.Option("--quiet", help="Only the verdict, and what is outside.")] = False,
    as_json: Json = False,
) -> None:
    """Compare simulated results with exact ones, for every game; status 1 if any is outside its limit."""
    from sim import api
    from sim import games as registry
    from sim import verify as verification
    from sim.errors import FaultError
    from sim.sweep.progress import Progress

    given = _settings(params)
    call: dict[str, Any] = {
        "games": given["games"] if games is None else number("games", games),
        "seed": given["seed"] if seed is None else number("seed", seed),
        "error_rate": given["error_rate"],
        "workers": number("workers", workers),
        "scenario": scenario,
    }
    trials = verification.chosen(scenario)
    for name in dict.fromkeys(trial.game for trial in trials):
        api.announce(registry.get(name))
    # on a terminal a bar, elsewhere a line now and then; the work is counted in scenarios, which differ in cost
    with Progress("verify", len(trials), show=sys.stderr.isatty()) as bar:
        done = verification.verify(on_trial=lambda trial, _: bar.advance(call["games"], 1), **call)
    if out is not None:
        verification.write(done, out)
    if as_json:
        print_json(done.record())
    else:
        _print(done, done.failed if quiet else done.checks)
    if not done.passed:
        raise FaultError(done.fault())


def _print(done: Any, shown: list[Any]) -> None:
    rows = []
    for check in shown:
        a = check.agreement
        rows.append(
            {
                "game": check.trial.game,
                "quantity": check.told,
                "exact": f"{a.exact:.6g}",
                "simulated": f"{a.observed:.6g}",
                "where": a.where,
                "p": f"{a.p:.2g}",
                "": "ok" if check.passed else "OUTSIDE",
                "scenario": check.trial.told,
            }
        )
    print_frame(rows, right=("exact", "simulated", "p"))
    record = done.record()
    part = "" if record["complete"] else f" of {record['listed']} in the whole list"
    what = "all within" if done.passed else f"{len(done.failed)} outside"
    print(
        f"{record['checks']} comparisons{part}, {record['games']:,} games, seed {record['seed']}: {what} the error "
        f"rate of {100 * record['error_rate']:g} % for all together (limit {record['limit']:.2g}, smallest p "
        f"{record['smallest_p']:.2g})"
    )
