"""What the report is made of: the counts, paired differences and scenarios of stored sweeps, with their provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from sim.errors import ReportError, StoreError
from sim.report.params import Params
from sim.store.load import read_footer
from sim.sweep import frames, manifest


@dataclass(frozen=True)
class Stored:
    """One stored sweep.

    Attributes
    ----------
    counts, differences, scenarios : polars.DataFrame
        As `sim.load` and `sim.scenarios` return them; `differences` may be empty.
    head : dict
        The sweep's name, title, game, seed, first game, notes.
    provenance : dict
        Kernel version, hash of the kernel sources and library versions, as the files carry them.
    path : str
        What plays it: the name of its file as a command would have it.
    """

    counts: pl.DataFrame
    differences: pl.DataFrame
    scenarios: pl.DataFrame
    head: dict[str, Any]
    provenance: dict[str, Any]
    path: str


def read_sweep(name: str, data: Path | str, path: str = "") -> Stored:
    """A stored sweep of detail ``summary``; `path` is its file, by default that of its name in ``sweeps``."""
    folder = frames.folder_of(name, data)
    found = manifest.read(folder)
    files = [(file["table"], folder / file["path"]) for entry in found["scenarios"] for file in entry["files"]]
    tables = {table for table, _ in files}
    if "counts" not in tables:
        raise ReportError(
            f"sweep {name} holds {', '.join(sorted(tables))}; accepted: a sweep of detail summary (exact counts)"
        )
    differences = (
        frames.load(name, table="differences", data=data)
        if "differences" in tables
        else pl.DataFrame(
            schema={
                "scenario": pl.String,
                "pair": pl.String,
                "of": pl.String,
                "seat": pl.Int64,
                "difference": pl.Float64,
                "count": pl.Int64,
            }
        )
    )
    record = read_footer(files[0][1]).provenance
    return Stored(
        frames.load(name, table="counts", data=data),
        differences,
        frames.scenarios(name, data=data),
        {key: value for key, value in found.items() if key != "scenarios"},
        {key: record[key] for key in ("kernel_version", "kernel_sources", "libraries", "schema_version")},
        path or f"sweeps/{name}.yaml",
    )


@dataclass(frozen=True)
class Given:
    """What result tables are made of.

    Attributes
    ----------
    inputs : mapping of str to Stored
        Stored sweeps by part of ``sweeps`` in the parameters file.
    params : Params
    parts : tuple of str
        The parts of the report that are built.
    data : Path
        The data folder, for what is no sweep.
    record : Path, optional
        The record of ``sim verify``.
    """

    inputs: Mapping[str, Stored]
    params: Params
    parts: tuple[str, ...]
    data: Path
    record: Path | None = None


def read_inputs(params: Params, data: Path | str = "data", wanted: Sequence[str] | None = None) -> dict[str, Stored]:
    """Stored sweeps by part of ``sweeps`` in the parameters file.

    Parameters
    ----------
    wanted : sequence of str, optional
        Those to read; default all.

    Raises
    ------
    ReportError
        Where one is missing: which, and how to make it.
    """
    inputs: dict[str, Stored] = {}
    for part, name in params.sweeps.model_dump().items():
        if wanted is not None and part not in wanted:
            continue
        if not (frames.folder_of(name, data) / manifest.NAME).is_file():
            raise ReportError(
                f"no finished sweep {name} in {data}, which the report needs; "
                f"accepted: run `sim sweep sweeps/{name}.yaml` first"
            )
        try:
            inputs[part] = read_sweep(name, data)
        except StoreError as error:
            raise ReportError(str(error)) from None
    return inputs
