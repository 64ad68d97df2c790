"""Bit counting for kernels: one machine instruction in the compiled lane, plain Python otherwise."""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from sim.engine.jit import COMPILED, jit


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


@intrinsic
def _deposit_compiled(typing_context: Any, source: Any, mask: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(word, [word, word]), "llvm.x86.bmi.pdep.64"
        )
        return builder.call(function, arguments)

    return types.int64(types.int64, types.int64), code


def _nth_loop(mask: int, n: int) -> int:
    while n > 0:
        mask &= mask - 1
        n -= 1
    return trailing_zeros(mask)


def _nth_deposit(mask: int, n: int) -> int:
    return trailing_zeros(_deposit_compiled(1 << n, mask))


def _has_deposit() -> bool:
    """Whether this processor has the instruction that finds the n-th set bit in one step."""
    from llvmlite import binding

    return COMPILED and platform.machine() in ("x86_64", "AMD64") and bool(binding.get_host_cpu_features().get("bmi2"))


#: index of the lowest set bit of a positive int64
trailing_zeros = _trailing_zeros_compiled if COMPILED else _trailing_zeros
#: number of set bits of a non-negative int64
count_ones = _count_compiled if COMPILED else _count
#: index of the n-th set bit (from 0) of an int64 that has more than n
nth_one = jit(_nth_deposit if _has_deposit() else _nth_loop)
