"""Slots: places in a kernel for functions that users write.

A kernel takes a user's functions as arguments of a fixed type, so it is compiled once, kept on disk, and called with
any function that fits. The user's function is compiled when it is first used, in a fraction of a second.
"""

from __future__ import annotations

import operator
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaExperimentalFeatureWarning

from sim.engine.faults import WHOLE_NUMBER, fits, misfit, one_line, what_was_raised
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


#: the answer of a function that raised an error: no index, and nothing that a function would return by mistake
RAISED = -(1 << 62)

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
def fill(functions: tuple[Function | None, ...], arguments: tuple[tuple[str, Any], ...], guarded: bool = True) -> Any:
    """One function for a slot that asks the function of the seat: ``functions[position.seat]``.

    Parameters
    ----------
    functions : tuple
        By seat; None where the seat does not play a user's policy, or has none of this kind: there the answer is 0.
    arguments : tuple of (name, type)
        What the slot hands over; the first is the position. The result is a whole number.
    guarded : bool
        Whether a function that raises an error answers `RAISED`; else the error goes to ``sys.unraisablehook``, which
        is slow and leaves the answer undefined, but tells where it was.

    Returns
    -------
    callable
        Compiled, or plain Python with ``SIM_JIT=0``.

    Raises
    ------
    PolicyError
        A function that cannot be compiled, or does not return a whole number: one line with file, line and the reason.
    """
    signature = types.int64(*(kind for _, kind in arguments))
    distinct = list(dict.fromkeys(f for f in functions if f is not None))
    if not COMPILED:
        by_seat = [f and _plain(f) for f in functions]
        return lambda position, *rest: by_seat[position.seat](position, *rest)  # type: ignore[misc]
    inner = [_whole(function, signature.args) for function in distinct]
    which = [None if f is None else distinct.index(f) for f in functions]
    joined = _by_seat(which, inner, [name for name, _ in arguments], guarded)
    return numba.cfunc(signature, error_model="numpy")(joined)


def _compiled(function: Function) -> Any:
    return numba.njit(error_model="numpy", nogil=True)(function) if COMPILED else function


def _plain(function: Function) -> Function:
    """A function for the lane without compiler: shown copies that it cannot write to, its faults told in one line."""

    def asked(*arguments: Any) -> int:
        try:
            return _index(function(*(_read_only(a) for a in arguments)))
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


def _index(answer: Any) -> int:
    """A whole number, or yes and no; int() would cut a fraction off in silence."""
    if isinstance(answer, np.bool_):
        return int(answer)
    try:
        return operator.index(answer)
    except TypeError:
        raise TypeError(f"returned {answer!r}; accepted: {WHOLE_NUMBER}") from None


@lru_cache(maxsize=256)
def _whole(function: Function, arguments: tuple[Any, ...]) -> Any:
    """A function compiled by itself, so that its faults are told in its own words; it returns a whole number."""
    compiled = _compiled(function)
    try:
        compiled.compile(arguments)
    except Exception as error:  # not every fault that the compiler finds is of its own kind
        raise PolicyError(one_line(function, error)) from None
    overload = compiled.overloads[arguments]
    if not fits(overload.signature.return_type):
        line, kind = misfit(overload.type_annotation)
        line = line or function.__code__.co_firstlineno
        raise PolicyError(
            f"{function.__code__.co_filename}:{line}: {function.__name__} returns {kind}; accepted: {WHOLE_NUMBER}"
        )
    return compiled


def _by_seat(which: list[int | None], inner: list[Any], names: list[str], guarded: bool) -> Function:
    call = ", ".join(names)
    lines = [f"def by_seat({call}):", f"    seat = {names[0]}.seat", "    answer = 0"]
    if guarded:
        lines.append("    try:")
    else:
        lines.append("    if True:")
    for i in range(len(inner)):
        seats = " or ".join(f"seat == {seat}" for seat, at in enumerate(which) if at == i)
        lines += [f"        if {seats}:", f"            answer = int(f{i}({call}))"]
    if guarded:
        lines += ["    except Exception:", f"        answer = {RAISED}"]
    lines.append("    return answer")
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


def fill_slots(
    policies: Sequence[Any], slots: Slots, defaults: Mapping[str, Function], guarded: bool = True
) -> tuple[Any, ...] | None:
    """The users' functions of a line-up, one for each slot; None where nobody plays a user's policy.

    Parameters
    ----------
    policies : sequence of Policy
        By seat.
    slots : mapping
        Arguments of each slot.
    defaults : mapping
        What to take where a user's policy has no function for a slot.
    guarded : bool
        See `fill`.
    """
    codes = [policy.info.code for policy in policies]
    if not any(codes):
        return None
    return tuple(
        fill(tuple(c and c.functions.get(name, defaults.get(name)) for c in codes), arguments, guarded)
        for name, arguments in slots.items()
    )


def raise_fault(playable: Any, fault: Any, seed: int, slots: Slots, defaults: Mapping[str, Function]) -> None:
    """Raise the error for a user's policy that chose nothing that was offered, if one did; see `checked`.

    A function that raised an error is asked again without guard, in the very game, for what it raised.

    Parameters
    ----------
    playable : Playable
        With its ``policies``, and the users' functions in ``_user``.
    fault : array of int64
        What `checked` kept.
    seed : int
        That of the games just played.
    slots, defaults : mapping
        See `fill_slots`.
    """
    seat, returned, n, game = (int(x) for x in fault)
    if not seat or getattr(playable, "asked_again", False):
        return
    policy = playable.policies[seat - 1]
    where = policy.info.code.where
    if returned != RAISED:
        raise PolicyError(
            f"policy {policy.id} ({where}) returned {returned} in game {game}, where {n} choices were offered; "
            f"accepted: 0 to {n - 1}"
        )
    again = copy(playable)
    again.asked_again = True
    again._user = fill_slots(playable.policies, slots, defaults, guarded=False)
    out = np.zeros((len(playable.fields), playable.seats), np.int32)
    raised = what_was_raised(lambda: again.play(seed, game, 1, out, again.scratch()))
    raise PolicyError(f"{raised or f'{where}: raised an error'} (policy {policy.id}, game {game})")
