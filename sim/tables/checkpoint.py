"""Stop and go on: the last finished layer of a long backward induction, kept on disk.

A folder holds one array and one description of the work it belongs to. A newer layer replaces the older one; both files
appear under their final names complete or not at all, and the description is written last. What the disk has to hold is
said, and checked, before anything is written.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sim.errors import InputError

GIB = 2**30


class Checkpoint:
    """The last finished layer of one piece of work.

    Parameters
    ----------
    folder : path
        Made if it is missing; one folder per piece of work.
    work : mapping
        What is being computed, as JSON data. A folder left by other work is not used and is overwritten.
    need : int
        Bytes of the two largest layers that follow each other: both are on disk for a moment.
    limit : int
        Bytes this folder may hold.

    Raises
    ------
    InputError
        If `need` is above `limit` or above what is free on the disk, or the folder cannot be made.
    """

    def __init__(self, folder: str | os.PathLike[str], work: Mapping[str, Any], need: int, limit: int) -> None:
        try:
            self.folder = Path(folder)
        except TypeError:
            raise InputError(f"checkpoint = {folder!r} is not accepted; accepted: the path of a folder") from None
        self.work = json.loads(json.dumps(work))
        if need > limit:
            raise InputError(
                f"{need / GIB:.1f} GiB would be kept in {self.folder}; accepted: at most {limit / GIB:.1f} GiB"
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:  # ValueError: a path with a null character
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"checkpoint = {str(self.folder)!r} cannot be made ({reason}); accepted: a folder, or a path for a "
                f"new one"
            ) from None
        held = sum(f.stat().st_size for f in self.folder.glob("layer-*.npy"))
        free = shutil.disk_usage(self.folder).free + held
        if need > free:
            raise InputError(f"{need / GIB:.1f} GiB would be kept in {self.folder}; free there: {free / GIB:.1f} GiB")

    def _name(self, layer: int) -> Path:
        return self.folder / f"layer-{layer:02d}.npy"

    def load(self) -> tuple[int, np.ndarray, dict[str, Any]] | None:
        """Number, array and notes of the last finished layer; None if there is none of this work."""
        try:
            note = json.loads((self.folder / "state.json").read_text())
            if note["work"] != self.work:
                return None
            return note["layer"], np.load(self._name(note["layer"]), mmap_mode="r"), note["extra"]
        except (FileNotFoundError, ValueError, KeyError, EOFError):
            return None

    def save(
        self, layer: int, values: np.ndarray, order: np.ndarray | None = None, extra: Mapping[str, Any] | None = None
    ) -> None:
        """Keep this layer instead of the one before: the rows of `values` in this order (all of them, as they are)."""
        temporary = self.folder / "layer.tmp"
        try:
            with temporary.open("wb") as file:
                rows = range(len(values)) if order is None else order
                shape = (len(rows), *values.shape[1:])
                np.lib.format.write_array_header_1_0(
                    file, {"descr": np.lib.format.dtype_to_descr(values.dtype), "fortran_order": False, "shape": shape}
                )
                for row in rows:  # one by one: no copy of the whole
                    file.write(np.ascontiguousarray(values[row]).tobytes())
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._name(layer))
            state = self.folder / "state.tmp"
            state.write_text(json.dumps({"work": self.work, "layer": layer, "extra": dict(extra or {})}))
            os.replace(state, self.folder / "state.json")
        finally:
            temporary.unlink(missing_ok=True)
        for old in self.folder.glob("layer-*.npy"):
            if old != self._name(layer):
                old.unlink()

    def clear(self) -> None:
        """Remove everything: the work is done."""
        shutil.rmtree(self.folder, ignore_errors=True)
