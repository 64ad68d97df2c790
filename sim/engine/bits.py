"""Bit counting for kernels: one machine instruction in the compiled lane, plain Python otherwise."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from sim.engine.jit import COMPILED


def _trailing_zeros(x: int) -> int:
    x = int(x)
    return (x & -x).bit_length() - 1


def _count(x: int) -> int:
    return int(x).bit_count()


@intrinsic
def _trailing_zeros_compiled(typing_context: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), code


@intrinsic
def _count_compiled(typing_context: Any, x: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), code


#: index of the lowest set bit of a positive int64
trailing_zeros = _trailing_zeros_compiled if COMPILED else _trailing_zeros
#: number of set bits of a non-negative int64
count_ones = _count_compiled if COMPILED else _count
