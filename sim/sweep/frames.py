"""The data of a finished sweep as frames, with the scenarios' attributes to choose and filter by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.errors import InputError, StoreError, listing, unknown
from sim.store.load import as_frame, condition, load_file, needed, read_arrow, read_footer
from sim.store.provenance import fingerprint
from sim.sweep import manifest


def folder_of(sweep: str | Path, data: str | Path = "data") -> Path:
    """The folder of a sweep, from its name, its YAML file or the folder itself."""
    if not isinstance(sweep, str | Path):
        raise InputError(f"sweep = {sweep!r} is not accepted; accepted: the name, YAML file or folder of a sweep")
    path = Path(sweep)
    if path.is_dir():
        return path
    if path.suffix in (".yaml", ".yml"):
        from sim.sweep.spec import read

        return Path(data) / read(path).name
    return Path(data) / path


def attributes(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What can be said of a scenario in one row: label, variant, line-up, policies, and every rule parameter.

    A rule parameter has its own column under its name (lists as JSON text); a policy parameter is ``seat<i>.<name>``.
    """
    row = {key: entry[key] for key in ("scenario", "label", "design", "variant", "line_up", "factor", "value", "seats")}
    row["games_played"] = entry["games"]
    for name, value in entry["rules"].items():
        row[name if name not in row else f"rule.{name}"] = (
            json.dumps(value) if isinstance(value, list | dict) else value
        )
    for seat, policy in enumerate(entry["policies"]):
        row[f"seat{seat}"] = policy["text"]
        for name, value in policy["parameters"].items():
            row[f"seat{seat}.{name}"] = _number(value)
    return row


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def scenarios(sweep: str | Path, *, data: str | Path = "data", frame: str = "polars") -> Any:
    """One row per scenario of a finished sweep, in the order of its plan.

    Returns
    -------
    polars.DataFrame or pandas.DataFrame
        Columns scenario, label, design, variant, line_up, factor and value (of one-factor variants), seats,
        games_played, one per rule parameter, ``seat0``, ``seat1``, … (policies) and ``seat0.<parameter>``, ….
    """
    import polars as pl

    rows = [attributes(entry) for entry in manifest.read(folder_of(sweep, data))["scenarios"]]
    names = list(dict.fromkeys(name for row in rows for name in row))
    content = {}
    for name in names:
        values = [row.get(name) for row in rows]
        kinds = {type(v) for v in values if v is not None}
        if len(kinds) > 1 and kinds != {int, float}:  # say, a rule parameter that is a word or a list
            values = [None if v is None else v if isinstance(v, str) else json.dumps(v) for v in values]
        content[name] = pl.Series(name, values, strict=False)
    return as_frame(pl.DataFrame(content), frame)


def load(
    sweep: str | Path,
    *,
    table: str | None = None,
    where: Mapping[str, Any] | Any | None = None,
    columns: Sequence[str] | None = None,
    data: str | Path = "data",
    frame: str = "polars",
) -> Any:
    """Data of a finished sweep, or of one Parquet file, as one frame with a column `scenario`.

    Parameters
    ----------
    sweep : str or path
        Name, YAML file or folder of a sweep, or a Parquet file.
    table : {"games", "rounds", "counts", "differences"}, optional
        Default: ``games``, ``rounds`` or ``counts``, whichever the sweep holds.
    where : mapping or polars expression, optional
        Rows to keep: column → value or list of values. Columns of the table and attributes of the scenarios
        (`sim.scenarios`) may be named; scenarios that do not fit are not read.
    columns : sequence of str, optional
        Columns to return, of the table and of the scenarios' attributes. Default: all of the table.
    data : path
        The data folder.
    frame : {"polars", "pandas"}

    Raises
    ------
    StoreError
        If the sweep is unfinished or a file is missing, damaged or of another run.
    """
    import polars as pl

    if str(sweep).endswith(".parquet") and not Path(sweep).is_dir():
        return load_file(sweep, where=where, columns=columns, frame=frame)
    folder = folder_of(sweep, data)
    found = manifest.read(folder)
    tables = list(dict.fromkeys(f["table"] for entry in found["scenarios"] for f in entry["files"]))
    if table is None:
        table = next((rows for rows in ("games", "rounds") if rows in tables), "counts")
    if table not in tables:
        raise InputError(unknown("table", table, tables))
    described = scenarios(folder)
    filters = needed(where)
    parts = []
    own: list[str] = []
    for index, entry in enumerate(found["scenarios"]):
        labels = described.slice(index, 1)
        if isinstance(where, Mapping):
            early = {k: v for k, v in where.items() if k in described.columns}
            if early and labels.filter(condition(early)).is_empty():
                continue
        for file in (f for f in entry["files"] if f["table"] == table):
            footer = read_footer(folder / file["path"])
            if fingerprint(footer.provenance) != file["provenance"]:
                raise StoreError(
                    f"{footer.path} belongs to another run; accepted: the file of this manifest (run the sweep again)"
                )
            own = [c.name for c in footer.columns]
            known = [*own, *(n for n in described.columns if n not in own)]
            for name in [*(columns or ()), *filters]:
                if name not in known:
                    raise InputError(unknown("column", name, known))
            wanted = list(columns) if columns is not None else ["scenario", *own]
            read = [n for n in own if n in wanted or n in filters] or own[:1]
            part = pl.DataFrame(pl.from_arrow(read_arrow(footer, read)))
            extra = [n for n in described.columns if n not in own and (n in wanted or n in filters)]
            part = part.with_columns(pl.lit(labels[n].item(), labels[n].dtype).alias(n) for n in extra)
            if where is not None:
                part = part.filter(condition(where))
            parts.append(part.select(wanted))
    if not parts:
        raise InputError(
            f"where = {where!r} fits no scenario of {found['sweep']}; accepted: see sim.scenarios('{found['sweep']}')"
        )
    return as_frame(pl.concat(parts), frame)


def describe(scenario: str, *, data: str | Path = "data") -> dict[str, Any]:
    """What a scenario was: game, label, rules, policies, seed, games, and the sweeps that hold it.

    Parameters
    ----------
    scenario : str
        A scenario id or the beginning of one (at least four characters).
    """
    given = str(scenario)
    hits: dict[str, dict[str, Any]] = {}
    known: list[str] = []
    for path in sorted(Path(data).glob(f"*/{manifest.NAME}")):
        found = manifest.read(path.parent)
        for entry in found["scenarios"]:
            known.append(entry["scenario"])
            if len(given) >= 4 and entry["scenario"].startswith(given):
                told = hits.setdefault(
                    entry["scenario"], {"scenario": entry["scenario"], "game": found["game"], "sweeps": []}
                )
                told.setdefault("label", entry["label"])
                told.setdefault("rules", entry["rules"])
                told.setdefault("policies", [p["text"] for p in entry["policies"]])
                told["sweeps"].append(
                    {
                        "sweep": found["sweep"],
                        "seed": found["seed"],
                        "first_game": found["first_game"],
                        "games": entry["games"],
                        "detail": found["detail"],
                    }
                )
    if len(hits) != 1:
        what = f"fits {listing(hits)}" if hits else "is in no finished sweep"
        raise InputError(
            f"scenario '{given}' {what}"
            f"; accepted: one id of {listing(dict.fromkeys(known), 12) or 'a sweep that was run'} under {data}"
        )
    result = next(iter(hits.values()))
    last = result["sweeps"][-1]
    return {**result, "seed": last["seed"], "games": last["games"]}
