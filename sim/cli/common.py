"""What several commands share: options, parsing of ``key=value``, tables in plain text, JSON."""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.errors import InputError

GameName = Annotated[str, typer.Argument(metavar="GAME", help="caterpillars, karolinchen or parlett.")]
RuleTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--rules", metavar="KEY=VALUE", help="A rule parameter over the defaults; may be given several times."
    ),
]
Preset = Annotated[str | None, typer.Option("--preset", metavar="NAME", help="A named set of rules to start from.")]
PolicyTexts = Annotated[
    list[str] | None,
    typer.Option("--policy", metavar="POLICY", help="The policy of the next seat: id or 'id(parameter=value, …)'."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Workers = Annotated[str, typer.Option("--workers", metavar="N", help="Threads; results do not depend on it.")]
Seed = Annotated[str, typer.Option("--seed", metavar="N", help="0 … 2^64 − 1; fixes every die and card.")]


FirstGame = Annotated[str, typer.Option("--first-game", metavar="N", help="Index of the first game.")]


def parquet_name(out: Path | None) -> None:
    """Refuse a file for ``--out`` whose name does not say what it will be."""
    if out is not None and out.suffix != ".parquet":
        raise InputError(f"--out {out} is not accepted; accepted: a name ending in .parquet")


def told_rules(rules: Any) -> str:
    """Rules as the head of a printed table has them: the parameters that differ from the defaults."""
    return ", ".join(f"{k}={v}" for k, v in rules.changed().items()) or "default rules"


def number(name: str, text: str) -> int:
    """A whole number as people write it: 100000, 100_000 or 1e5."""
    try:
        return int(text.replace("_", ""))
    except ValueError:
        pass
    try:
        value = float(text)
        if value.is_integer():
            return int(value)
    except (ValueError, OverflowError):
        pass
    raise InputError(f"{name} = {text} is not accepted; accepted: a whole number, as 100000, 100_000 or 1e5")


def rules_from(preset: str | None, texts: Sequence[str] | None) -> dict[str, Any]:
    """Rule parameters from ``--preset`` and repeated ``--rules key=value``; values are read as YAML."""
    import yaml

    rules: dict[str, Any] = {} if preset is None else {"preset": preset}
    for text in texts or ():
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key:
            raise InputError(f"--rules {text} is not accepted; accepted: KEY=VALUE, as level=expert")
        if key in rules and key != "preset":
            raise InputError(f"--rules {key} was given twice; accepted: each parameter once")
        try:
            rules[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise InputError(
                f"--rules {text} is not accepted; accepted: KEY=VALUE with a plain value or a [list]"
            ) from None
    return rules


def note_stale(sweeps: Iterable[str], data: Path) -> None:
    """Say on stderr which stored sweeps are not what their files would play now."""
    from sim.sweep.stale import stale

    for sweep in sweeps:
        if told := stale(sweep, data):
            print(f"note: {told}", file=sys.stderr, flush=True)


def line_up(game: Any, policies: Sequence[str] | None) -> list[str]:
    """The policies given, or the game's example line-up."""
    return list(policies) if policies else list(game.example)


def print_json(value: Any) -> None:
    """Plain data as JSON on stdout; what is not known (NaN) is null, because JSON has no other word for it."""
    print(json.dumps(_known(value), indent=1, ensure_ascii=False, allow_nan=False))


def _known(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _known(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_known(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_frame(rows: Sequence[Mapping[str, Any]], *, right: Iterable[str] = ()) -> None:
    """Rows as an aligned text table; the last column is wrapped to the width of the terminal."""
    if not rows:
        return
    names = list(rows[0])
    cells = [[str(row[name]) for name in names] for row in rows]
    widths = [max(len(name), *(len(line[i]) for line in cells)) for i, name in enumerate(names)]
    room = max(30, shutil.get_terminal_size((120, 24)).columns - sum(widths[:-1]) - 2 * (len(names) - 1))
    if not sys.stdout.isatty():
        room = max(room, 80)
    numbers = set(right)
    for line in [names, *cells]:
        shown = [
            text.rjust(w) if name in numbers else text.ljust(w)
            for name, text, w in zip(names, line, widths, strict=True)
        ]
        last = (
            textwrap.wrap(shown[-1].rstrip(), room, break_long_words=False) if names[-1] not in numbers else [shown[-1]]
        )
        head = "  ".join(shown[:-1])
        for i, part in enumerate(last or [""]):
            prefix = head if i == 0 else " " * len(head)
            print((prefix + "  " + part if len(names) > 1 else part).rstrip())


def list_of_numbers(name: str, text: str) -> list[int]:
    """Whole numbers separated by spaces or commas."""
    try:
        return [number(name, part) for part in words(text)]
    except InputError:  # its words are for a single number
        raise InputError(
            f"{name} = {text} is not accepted; accepted: {name} as whole numbers separated by spaces or commas, as "
            f"'1 3 6'"
        ) from None


def words(text: str) -> list[str]:
    """The parts of a text separated by spaces or commas."""
    return text.replace(",", " ").split()


@contextlib.contextmanager
def waiting(title: str, first: float = 4.0, every: float = 30.0) -> Iterator[None]:
    """Say on stderr that work without a known length goes on, if it takes longer than `first` seconds."""
    done = threading.Event()
    begun = time.monotonic()

    def tell() -> None:
        hint = " (the first time after install also compiles)"
        while not done.wait(every if not hint else first):
            print(f"sim: {title}, {time.monotonic() - begun:.0f} s so far{hint}", file=sys.stderr, flush=True)
            hint = ""

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
