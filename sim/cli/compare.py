"""``sim compare A B``: two scenarios of finished sweeps on the same dice."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import Json, Workers, number, print_json
from sim.cli.sweep import Data
from sim.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare)


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A scenario: id, its beginning, or label.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The scenario that is subtracted.")],
    of: Annotated[str, typer.Option("--of", metavar="COLUMN", help="What is compared.")] = "score",
    seat: Annotated[str, typer.Option("--seat", metavar="N", help="Whose.")] = "0",
    sweep: Annotated[
        list[str] | None,
        typer.Option("--sweep", metavar="SWEEP", help="Where to look; may be given several times; default everywhere."),
    ] = None,
    level: Annotated[str, typer.Option("--level", metavar="P", help="Confidence of the intervals.")] = "0.95",
    workers: Workers = "1",
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Compare two scenarios: A minus B on the same dice, with interval, and who beats whom."""
    from sim.sweep.compare import HOW
    from sim.sweep.compare import compare as difference

    found = difference(
        a,
        b,
        of,
        seat=number("seat", seat),
        sweep=sweep or (),
        data=data,
        level=_share(level),
        workers=number("workers", workers),
        tell=lambda text: print(f"note: {text}", file=sys.stderr, flush=True),
    )
    if as_json:
        print_json(asdict(found))
        return
    for name, side in (("A", found.a), ("B", found.b)):
        print(f"{name}  {side['scenario']}  {side['label']}  ({side['sweep']}, {side['games']:,} games)")
    sure = f"{100 * found.difference.level:g} %"
    e = found.difference
    played = f"{e.n:,} games" if found.paired else f"{found.a['games']:,} and {found.b['games']:,} games"
    print(f"{of}, seat {found.seat}, {played}: {HOW[found.how]}")
    print(f"  A − B: {e.value:+.4f}, {sure} from {e.low:+.4f} to {e.high:+.4f} (half-width {e.half_width:.4f})")
    if found.sd is not None:
        print(f"  sd of the difference in one game: {found.sd:.4f}")
    if found.paired and found.half_width_unpaired is not None:
        print(f"  half-width without pairing: {found.half_width_unpaired:.4f}")
    if found.better and found.same and found.worse:
        shares = (f"{share.value:.2%}" for share in (found.better, found.same, found.worse))
        print("  on the same dice A has more, as much, less: {}, {}, {}".format(*shares))
    if found.superiority:
        s = found.superiority
        print(f"  a game of A beats another of B (ties half): {s.value:.2%}, {sure} from {s.low:.2%} to {s.high:.2%}")
    for note in found.notes:
        print(f"  note: {note}")


def _share(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"level = {text} is not accepted; accepted: a number from 0.5 to below 1, as 0.95") from None
