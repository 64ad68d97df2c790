"""The data of a finished sweep as frames, with the scenarios' attributes to choose and filter by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sim.errors import InputError, StoreError, listing, unknown
from sim.store.load import Footer, as_frame, condition, load_file, needed, read_arrow
from sim.store.parts import part_of, read_parts
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


def scenarios(sweep: str | Path, *, data: str | Path = "data", frame: str = "polars", partial: bool = False) -> Any:
    """One row per scenario of a finished sweep, in the order of its plan.

    Parameters
    ----------
    sweep : str or path
        Name, YAML file or folder of a sweep.
    data : path
        The data folder.
    frame : {"polars", "pandas"}
    partial : bool
        Also of a sweep that is not finished: the scenarios that are.

    Returns
    -------
    polars.DataFrame or pandas.DataFrame
        Columns scenario, label, design, variant, line_up, factor and value (of one-factor variants), seats,
        games_played, one per rule parameter, ``seat0``, ``seat1``, … (policies) and ``seat0.<parameter>``, ….
    """
    found = manifest.read(folder_of(sweep, data), partial=partial)
    return as_frame(described(found), frame)


def described(found: Mapping[str, Any]) -> Any:
    """The scenarios of a manifest as a polars frame."""
    import polars as pl

    rows = [attributes(entry) for entry in found["scenarios"]]
    names = list(dict.fromkeys(name for row in rows for name in row))
    content = {}
    for name in names:
        values = [row.get(name) for row in rows]
        kinds = {type(v) for v in values if v is not None}
        if len(kinds) > 1 and kinds != {int, float}:  # say, a rule parameter that is a word or a list
            values = [None if v is None else v if isinstance(v, str) else json.dumps(v) for v in values]
        content[name] = pl.Series(name, values, strict=False)
    return pl.DataFrame(content)


def load(
    sweep: str | Path,
    *,
    table: str | None = None,
    where: Mapping[str, Any] | Any | None = None,
    columns: Sequence[str] | None = None,
    data: str | Path = "data",
    frame: str = "polars",
    lazy: bool = False,
    partial: bool = False,
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
    lazy : bool
        Read nothing yet: a ``polars.LazyFrame`` of the same rows, which reads the columns and rows that are asked of
        it. Files and footers are checked now.
    partial : bool
        Also of a sweep that is not finished: the scenarios that are. Files of scenarios that are being played are not
        read.

    Raises
    ------
    StoreError
        If the sweep is unfinished or a file is missing, damaged, of another run or of another schema version.
    """
    import polars as pl

    if lazy and frame != "polars":
        raise InputError(f"lazy with frame = {frame} is not accepted; accepted: lazy with frame = polars")
    if str(sweep).endswith(".parquet") and not Path(sweep).is_dir():
        if lazy:
            raise InputError(f"lazy for the file {sweep} is not accepted; accepted: lazy for a sweep")
        return load_file(sweep, where=where, columns=columns, frame=frame)
    folder = folder_of(sweep, data)
    found = manifest.read(folder, partial=partial)
    if not found["scenarios"]:
        raise StoreError(f"no scenario of sweep data {folder} is finished yet; accepted: a sweep with one that is")
    tables = list(dict.fromkeys(f["table"] for entry in found["scenarios"] for f in entry["files"]))
    if table is None:
        table = next((rows for rows in ("games", "rounds") if rows in tables), "counts")
    if table not in tables:
        raise InputError(unknown("table", table, tables))
    labels, files = _fitting(folder, found, table, where)
    own = [c.name for c in files[0][1].columns]
    known = [*own, *(name for name in labels.columns if name not in own)]
    filters = needed(where)
    for name in [*(columns or ()), *filters]:
        if name not in known:
            raise InputError(unknown("column", name, known))
    wanted = list(columns) if columns is not None else ["scenario", *own]
    extra = [name for name in labels.columns if name not in own and (name in wanted or name in filters)]
    if lazy:
        return _scan(labels.select(list(dict.fromkeys(["scenario", *extra]))), files, where).select(wanted)
    read = [name for name in own if name in wanted or name in filters] or own[:1]
    parts = []
    for _, group in groupby(files, key=lambda file: file[1].path):
        held = list(group)
        tables = [read_arrow(footer, read) for _, footer in held]
        # a file of its own, or parts of one that lie side by side: whose a row is follows from how many each has
        part = pl.DataFrame(pl.from_arrow(pa.concat_tables(tables)))
        rows = labels[[index for index, _ in held]].select(extra)
        if len(held) == 1:
            part = part.with_columns(pl.lit(rows[n][0], rows[n].dtype).alias(n) for n in extra)
        elif extra:
            repeats = np.repeat(np.arange(len(held)), [table.num_rows for table in tables])
            part = part.with_columns(rows[repeats])
        if where is not None:
            part = part.filter(condition(where))
        parts.append(part.select(wanted))
    return as_frame(pl.concat(parts), frame)


def _fitting(
    folder: Path, found: Mapping[str, Any], table: str, where: Mapping[str, Any] | Any | None
) -> tuple[Any, list[tuple[int, Footer]]]:
    """Scenarios of a manifest as a frame; (row of it, checked footer) of the files of those that may fit `where`."""
    labels = described(found)
    fits = set(range(len(labels)))
    early: Any = None
    if isinstance(where, Mapping):
        early = {name: value for name, value in where.items() if name in labels.columns}
    elif where is not None and set(needed(where)) <= set(labels.columns):
        early = where
    if early is not None:
        fits = set(labels.with_row_index("__row").filter(condition(early))["__row"].to_list())
    files = [
        (index, checked(folder, file))
        for index, entry in enumerate(found["scenarios"])
        if index in fits
        for file in entry["files"]
        if file["table"] == table
    ]
    if not files:
        raise InputError(
            f"where = {where!r} fits no scenario of {found['sweep']}; accepted: see sim.scenarios('{found['sweep']}')"
        )
    return labels, files


def checked(folder: Path, file: Mapping[str, Any]) -> Footer:
    """The footer of a file of a manifest; StoreError where the file is not that of the manifest."""
    footer = part_of(folder, file)
    if fingerprint(footer.provenance) != file["provenance"]:
        raise StoreError(
            f"{footer.path} belongs to another run; accepted: the file of this manifest (run the sweep again)"
        )
    return footer


def _scan(labels: Any, files: Sequence[tuple[int, Footer]], where: Mapping[str, Any] | Any | None) -> Any:
    """A scan of files joined with what there is to say of their scenarios.

    One scan and one join: a frame per scenario would be many times slower to plan than to read.
    """
    import polars as pl

    if files[0][1].start is not None:
        return _scan_parts(labels, files, where)
    paths = [str(footer.path) for _, footer in files]
    names = labels[[index for index, _ in files]].with_columns(pl.Series("__path", paths))
    scan = pl.scan_parquet(paths, glob=False, hive_partitioning=False, include_file_paths="__path")
    register: Any = {c.name: getattr(pl, c.dtype.capitalize()) for c in files[0][1].columns}
    if {name: kind for name, kind in scan.collect_schema().items() if name != "__path"} != register:
        scan = scan.cast(register)  # a condition may not pass a cast on its way to the files
    result = scan.join(names.lazy(), on="__path", how="left", maintain_order="left").drop("__path")
    return result if where is None else result.filter(condition(where))


def _scan_parts(labels: Any, files: Sequence[tuple[int, Footer]], where: Mapping[str, Any] | Any | None) -> Any:
    """The same for scenarios that share files: a column tells them apart."""
    import polars as pl

    names = labels[list(dict.fromkeys(index for index, _ in files))]
    ids = names["scenario"].to_list()
    paths = list(dict.fromkeys(str(footer.path) for _, footer in files))
    scan = pl.scan_parquet(paths, glob=False, hive_partitioning=False)
    if len(files) < sum(len(read_parts(Path(path))) for path in paths):
        scan = scan.filter(pl.col("scenario").is_in(ids))
    result = scan.join(names.lazy(), on="scenario", how="left", maintain_order="left")
    return result if where is None else result.filter(condition(where))


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
