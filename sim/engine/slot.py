"""Slots: places in a kernel for functions that users write.

A kernel takes a user's functions as arguments of a fixed type, so it is compiled once, kept on disk, and called with
any function that fits. The user's function is compiled when it is first used, in a fraction of a second.
"""

from __future__ import annotations

import dis
import re
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaExperimentalFeatureWarning

from sim.engine.jit import COMPILED, jit
from sim.errors import PolicyError

Function = Callable[..., Any]
#: by slot: name and type of each argument
Slots = dict[str, tuple[tuple[str, Any], ...]]

#: passing functions to compiled code is declared experimental there; the contract tests play through every slot
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)


def record(dtype: Any) -> Any:
    """Type of one record of a structured array."""
    return numba.from_dtype(dtype)


def field(dtype: Any, name: str) -> Any:
    """Type of an array that is a field of a record, as compiled code hands it on."""
    base, shape = dtype.fields[name][0].subdtype
    return types.NestedArray(numba.from_dtype(base), shape)


def row() -> Any:
    """Type of one row of a two-dimensional array of numbers."""
    return types.Array(types.float64, 1, "C")


WHOLE = types.int64
NUMBER = types.float64


def slot_arguments(slots: Slots) -> dict[str, tuple[str, ...]]:
    """Names of the arguments of each slot."""
    return {name: tuple(argument for argument, _ in arguments) for name, arguments in slots.items()}


def helper(function: Function) -> Function:
    """Compile a function that users' policies call; with ``SIM_JIT=0`` return it unchanged. Nothing is kept on disk."""
    compiled: Function = _compiled(function)
    return compiled


@lru_cache(maxsize=256)
def fill(functions: tuple[Function | None, ...], arguments: tuple[tuple[str, Any], ...]) -> Any:
    """One function for a slot that asks the function of the seat: ``functions[position.seat]``.

    Parameters
    ----------
    functions : tuple
        By seat; None where the seat does not play a user's policy, or has none of this kind: there the answer is 0.
    arguments : tuple of (name, type)
        What the slot hands over; the first is the position. The result is a whole number.

    Returns
    -------
    callable
        Compiled, or plain Python with ``SIM_JIT=0``.

    Raises
    ------
    PolicyError
        A function that cannot be compiled: one line with file, line and the compiler's reason.
    """
    signature = types.int64(*(kind for _, kind in arguments))
    distinct = list(dict.fromkeys(f for f in functions if f is not None))
    if not COMPILED:
        by_seat = [f and _plain(f) for f in functions]
        return lambda position, *rest: by_seat[position.seat](position, *rest)  # type: ignore[misc]
    alone = [_alone(function, signature) for function in distinct]
    if len(alone) == 1:
        return alone[0]
    names = [name for name, _ in arguments]
    inner = [_compiled(f) for f in distinct]
    joined = _by_seat([None if f is None else distinct.index(f) for f in functions], inner, names)
    return numba.cfunc(signature, error_model="numpy")(joined)


def _compiled(function: Function) -> Any:
    return numba.njit(error_model="numpy", nogil=True)(function) if COMPILED else function


def _plain(function: Function) -> Function:
    """A function for the lane without compiler: shown copies that it cannot write to, its faults told in one line."""

    def asked(*arguments: Any) -> int:
        try:
            return int(function(*(_read_only(a) for a in arguments)))
        except Exception as error:
            file = function.__code__.co_filename
            lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
            line = lines[-1] if lines else function.__code__.co_firstlineno
            raise PolicyError(f"{file}:{line}: {function.__name__}: {type(error).__name__}: {error}") from None

    return asked


def _read_only(argument: Any) -> Any:
    if not isinstance(argument, np.ndarray | np.void):
        return argument
    copy = np.array(argument)
    copy.setflags(write=False)
    return copy.view(np.recarray)[()] if isinstance(argument, np.void) else copy


@lru_cache(maxsize=256)
def _alone(function: Function, signature: Any) -> Any:
    """A function compiled for a slot by itself; its faults are told in its own words."""
    try:
        return numba.cfunc(signature, error_model="numpy")(function)
    except Exception as error:  # not every fault that the compiler finds is of its own kind
        raise PolicyError(_one_line(function, error)) from None


def _one_line(function: Function, error: Exception) -> str:
    """What the compiler found, without its advice: where, and the sentence that names the fault."""
    code = function.__code__
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    if isinstance(error, KeyError):  # a field that the record does not have
        said = f"no field {error.args[0]!r}"
    else:
        lines = [" ".join(part.split()) for part in text.splitlines()]
        skipped = ("File ", "During:", "Failed in", "^", "<source", "There are", "- ", "* ")
        said = next((part for part in lines if part and not part.startswith(skipped)), type(error).__name__)
    named = set(re.findall(r"'([^']+)'", said))
    at = [i.positions.lineno for i in dis.get_instructions(code) if i.argval in named and i.positions]
    found = re.findall(r'File "([^"]+)", line (\d+)', text)
    own = [int(line) for file, line in found if Path(file).name == Path(code.co_filename).name]
    line = (own or at or [code.co_firstlineno])[-1]
    return f"{code.co_filename}:{line}: {function.__name__} cannot be compiled: {said}"


def _by_seat(which: list[int | None], inner: list[Any], names: list[str]) -> Function:
    call = ", ".join(names)
    lines = [f"def by_seat({call}):", f"    seat = {names[0]}.seat"]
    for i in range(len(inner)):
        seats = " or ".join(f"seat == {seat}" for seat, at in enumerate(which) if at == i)
        lines += [f"    if {seats}:", f"        return f{i}({call})"]
    lines.append("    return 0")
    scope: dict[str, Any] = {f"f{i}": f for i, f in enumerate(inner)}
    exec(compile("\n".join(lines), "<by_seat>", "exec"), scope)
    by_seat: Function = scope["by_seat"]
    return by_seat


@jit
def checked(work, seat, choice, n):  # type: ignore[no-untyped-def]
    """A user's `choice`, or the first one where it is none of the `n` offered.

    The first such fault is kept in ``work.fault``: seat + 1 (0: none), what was returned, number of choices; the fourth
    place is the kernel's, for the game.
    """
    if 0 <= choice < n:
        return choice
    if work.fault[0] == 0:
        work.fault[0] = seat + 1
        work.fault[1] = choice
        work.fault[2] = n
    return 0


def fill_slots(policies: Sequence[Any], slots: Slots, defaults: Mapping[str, Function]) -> tuple[Any, ...] | None:
    """The users' functions of a line-up, one for each slot; None where nobody plays a user's policy.

    Parameters
    ----------
    policies : sequence of Policy
        By seat.
    slots : mapping
        Arguments of each slot.
    defaults : mapping
        What to take where a user's policy has no function for a slot.
    """
    codes = [policy.info.code for policy in policies]
    if not any(codes):
        return None
    return tuple(
        fill(tuple(c and c.functions.get(name, defaults.get(name)) for c in codes), arguments)
        for name, arguments in slots.items()
    )


def raise_fault(policies: Sequence[Any], fault: Any) -> None:
    """Raise the error for a user's policy that chose nothing that was offered, if one did; see `checked`."""
    seat, returned, n, game = (int(x) for x in fault)
    if seat:
        policy = policies[seat - 1]
        raise PolicyError(
            f"policy {policy.id} ({policy.info.code.where}) returned {returned} in game {game}, where {n} choices were "
            f"offered; accepted: 0 to {n - 1}"
        )
