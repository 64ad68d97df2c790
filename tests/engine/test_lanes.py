"""The vector loop of the solvers against the same sums in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from sim.engine.lanes import LANES, _mean_of_best, mean_of_best


@pytest.mark.parametrize("n", [1, 13, 15, 16, 17, 31, 32, 33, 49, 97, 128])
@pytest.mark.parametrize("kind", [np.uint16, np.float64])
def test_every_width_gives_the_sums_of_plain_python(kind, n) -> None:
    rng = np.random.default_rng(n)
    whole = kind == np.uint16
    values = rng.integers(0, 60_000, 5_000).astype(kind)
    row_start = np.array([0, 1, 4, 6, 13])
    candidates = 13
    here = rng.integers(0, values.size - n - LANES, candidates)
    plus = rng.integers(0, 5_000, candidates).astype(kind)
    weight = np.array([1, 3, 100, 112], np.uint32 if whole else np.float64)
    share = 1 / 216
    found, wanted = np.full(n + 9, 7, kind), np.full(n + 9, 7, kind)
    mean_of_best(values, here, plus, row_start, weight, 4, share, found, 4, n)
    _mean_of_best(values, here, plus, row_start, weight, 4, share, wanted, 4, n)
    if whole:
        assert np.array_equal(found, wanted)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-15)
    assert (found[:4] == 7).all()  # nothing beside the run is written
    assert (found[4 + n :] == 7).all()
    assert len(set(found[4 : 4 + n].tolist())) > n // 2  # and the run is not constant


def test_the_largest_numbers_do_not_run_over() -> None:
    values = np.full(200, 65_535, np.uint16)
    out = np.zeros(40, np.uint16)
    weight = np.array([1_296], np.uint32)
    zero = np.zeros(1, np.int64)
    mean_of_best(values, zero, np.zeros(1, np.uint16), np.array([0, 1]), weight, 1, 1 / 1_296, out, 0, 40)
    assert (out == 65_535).all()
