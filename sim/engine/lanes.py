"""The innermost loop of backward induction, as vector code: a mean over rows of the largest of some candidates.

For a run of states that lie side by side the same candidates apply, each a run of values of later states. The compiler
does not turn this loop nest into vector code that keeps its sums in registers, so it is written out here; with the
compiler off the same numbers come from plain Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from sim.engine.jit import COMPILED, jit

#: states done at once; values behind the last one may be read (never used)
LANES = 32


def _mean_of_best(
    values: np.ndarray, here: np.ndarray, plus: np.ndarray, row_start: np.ndarray, weight: np.ndarray, rows: int,
    share: float, out: np.ndarray, first: int, n: int,
) -> int:  # fmt: skip
    """Write ``out[first + t] = share × Σ_r weight[r] × max_k (values[here[k] + t] + plus[k])`` for t = 0 … n − 1.

    Row r has the candidates ``row_start[r] … row_start[r + 1]``. `values` and `out` are uint16 (sums are whole numbers
    below 2³², the result is rounded to the nearest) or float64; `values` must have `LANES` unused ones at the end.
    """
    whole = values.dtype == np.uint16
    for t in range(int(n)):
        total = 0 if whole else 0.0
        for r in range(int(rows)):
            best = max(
                values.item(int(here[k]) + t) + plus.item(k) for k in range(int(row_start[r]), int(row_start[r + 1]))
            )
            total += weight.item(r) * best
        out[int(first) + t] = int(total * share + 0.5) if whole else total * share
    return 0


@intrinsic
def _mean_of_best_compiled(
    typing_context: Any, values: Any, here: Any, plus: Any, row_start: Any, weight: Any, rows: Any, share: Any,
    out: Any, first: Any, n: Any,
) -> Any:  # fmt: skip
    if values.dtype not in (types.uint16, types.float64) or out.dtype != values.dtype or plus.dtype != values.dtype:
        return None
    whole = values.dtype == types.uint16
    if weight.dtype != (types.uint32 if whole else types.float64):
        return None
    wanted = types.int64(
        values, here, plus, row_start, weight, types.int64, types.float64, out, types.int64, types.int64
    )

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(i: int) -> Any:
            return context.make_array(signature.args[i])(context, builder, arguments[i]).data

        v, at, add, start, w, o = (data(i) for i in (0, 1, 2, 3, 4, 7))
        rows_, share_, first_, n_ = (arguments[i] for i in (5, 6, 8, 9))
        word = ir.IntType(64)
        one = ir.Constant(word, 1)
        item = ir.IntType(16) if whole else ir.DoubleType()
        summed = ir.IntType(32) if whole else ir.DoubleType()
        size = 2 if whole else 8

        def group(lanes: int, low: Any, count: Any) -> None:
            """States `low` … `low + lanes − 1`, of which `count` are wanted."""
            run = ir.VectorType(item, lanes)
            sums = ir.VectorType(summed, lanes)

            def spread(x: Any, kind: Any) -> Any:
                vector = ir.VectorType(kind, lanes)
                single = builder.insert_element(ir.Constant(vector, ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
                zeros = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
                return builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), zeros)

            def read(k: Any) -> Any:
                index = builder.add(builder.load(builder.gep(at, [k])), low)
                address = builder.bitcast(builder.gep(v, [index]), run.as_pointer())
                x = builder.load(address, align=size)
                p = spread(builder.load(builder.gep(add, [k])), item)
                return builder.add(x, p) if whole else builder.fadd(x, p)

            total = cgutils.alloca_once(builder, sums)
            best = cgutils.alloca_once(builder, run)
            builder.store(ir.Constant(sums, [0 if whole else 0.0] * lanes), total)
            with cgutils.for_range(builder, rows_) as row:
                k0 = builder.load(builder.gep(start, [row.index]))
                k1 = builder.load(builder.gep(start, [builder.add(row.index, one)]))
                builder.store(read(k0), best)
                with cgutils.for_range(builder, k1, builder.add(k0, one)) as k:
                    x = read(k.index)
                    y = builder.load(best)
                    more = builder.icmp_unsigned(">", x, y) if whole else builder.fcmp_ordered(">", x, y)
                    builder.store(builder.select(more, x, y), best)
                factor = spread(builder.load(builder.gep(w, [row.index])), summed)
                if whole:
                    product = builder.mul(builder.zext(builder.load(best), sums), factor)
                    builder.store(builder.add(builder.load(total), product), total)
                else:
                    product = builder.fmul(builder.load(best), factor)
                    builder.store(builder.fadd(builder.load(total), product), total)
            result = builder.load(total)
            doubles = ir.VectorType(ir.DoubleType(), lanes)
            if whole:
                scaled = builder.fmul(builder.uitofp(result, doubles), spread(share_, ir.DoubleType()))
                rounded = builder.fadd(scaled, ir.Constant(doubles, [0.5] * lanes))
                result = builder.trunc(builder.fptoui(rounded, sums), run)
            else:
                result = builder.fmul(result, spread(share_, ir.DoubleType()))
            to = builder.add(first_, low)
            whole_group = builder.icmp_signed("==", count, ir.Constant(word, lanes))
            with builder.if_else(whole_group) as (then, otherwise):
                with then:
                    builder.store(result, builder.bitcast(builder.gep(o, [to]), run.as_pointer()), align=size)
                with otherwise:
                    kept = cgutils.alloca_once(builder, run)
                    builder.store(result, kept)
                    source = builder.bitcast(kept, item.as_pointer())
                    with cgutils.for_range(builder, count) as t:
                        x = builder.load(builder.gep(source, [t.index]))
                        builder.store(x, builder.gep(o, [builder.add(to, t.index)]))

        full = LANES if whole else LANES // 2  # sums of doubles fill the registers sooner
        half = full // 2
        wide = ir.Constant(word, full)
        groups = builder.sdiv(n_, wide)
        with cgutils.for_range(builder, groups) as g:
            group(full, builder.mul(g.index, wide), wide)
        low = builder.mul(groups, wide)
        left = builder.sub(n_, low)
        some = builder.icmp_signed(">", left, ir.Constant(word, 0))
        with builder.if_then(some):
            few = builder.icmp_signed("<=", left, ir.Constant(word, half))
            with builder.if_else(few) as (then, otherwise):
                with then:
                    group(half, low, left)
                with otherwise:
                    group(full, low, left)
        return ir.Constant(word, 0)

    return wanted, code


_SUM = _mean_of_best_compiled if COMPILED else _mean_of_best


@jit
def mean_of_best(values, here, plus, row_start, weight, rows, share, out, first, n):
    """See `_mean_of_best`."""
    _SUM(values, here, plus, row_start, weight, rows, share, out, first, n)
