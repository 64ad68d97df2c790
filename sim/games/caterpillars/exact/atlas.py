"""The sheet atlas as a file: what every labelling of a sheet is worth under optimal play."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sim.games.base import RulesModel
from sim.games.caterpillars.exact.whole import MEMORY, WholeSolution, solve_whole
from sim.store.answers import write_answers


def atlas_arrays(solution: WholeSolution) -> dict[str, np.ndarray]:
    """The columns of the stored table; labels as one text, numbers between blanks."""
    frame = solution.atlas
    arrays = {name: frame[name].to_numpy() for name in ("value", "sd", "zero_share", "chance")}
    texts = [" ".join(map(str, labels)) for labels in frame["labels"].to_list()]
    return {"labels": np.array(texts, np.object_), **arrays}


def write_atlas(
    path: Path | str,
    rules: Mapping[str, Any] | str | RulesModel | None = None,
    workers: int = 2,
    memory: float = MEMORY,
) -> WholeSolution:
    """Solve the whole game and write its atlas as Parquet (table ``atlas``, see ``sim schema``).

    The footer holds the rules, the value of the whole game and the error bound. Equal calls give equal bytes.

    Returns
    -------
    WholeSolution
        What was solved.
    """
    solution = solve_whole(rules, workers, memory)
    arrays = atlas_arrays(solution)
    write_answers(path, "atlas", solution.rules, arrays, whole_value=solution.value, error_bound=solution.error_bound)
    return solution
