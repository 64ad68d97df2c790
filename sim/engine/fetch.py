"""Asking for memory before it is needed: a hint to the processor, and nothing in plain Python."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from sim.engine.jit import COMPILED


def _fetch(array: Any, index: int) -> None:
    """Leave everything as it is."""


@intrinsic
def _fetch_compiled(typing_context: Any, array: Any, index: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [address.type, number, number, number]),
            "llvm.prefetch.p0",
        )
        builder.call(function, [address, number(0), number(3), number(1)])  # for reading, to be kept, data
        return context.get_dummy_value()

    return types.none(array, types.int64), code


#: make the processor fetch an element of a contiguous one-dimensional array, without waiting for it
fetch = _fetch_compiled if COMPILED else _fetch
