"""What is wrong with a function that a user wrote, in one line: from the compiler's words, or from what it raised."""

from __future__ import annotations

import dis
import re
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import types
from numba.core import ir

WHOLE_NUMBER = "a whole number, as int(…)"
_HOOK = threading.Lock()


def one_line(function: Callable[..., Any], error: Exception) -> str:
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


def fits(kind: Any) -> bool:
    """Whether a type is that of a whole number, or of yes and no."""
    if isinstance(kind, types.Literal):
        kind = kind.literal_type
    return isinstance(kind, types.Integer | types.Boolean)


def misfit(annotation: Any) -> tuple[int, str]:
    """Line and words for the first ``return`` that hands back no whole number."""
    for block in annotation.blocks.values():
        for statement in block.body:
            if not isinstance(statement, ir.Return):
                continue
            name = statement.value.name
            for other in block.find_insts(ir.Assign):  # what is returned, before it becomes the type of all returns
                if other.target.name == name and getattr(other.value, "op", "") == "cast":
                    name = other.value.value.name
            kind = annotation.typemap[name]
            if not fits(kind):
                return statement.loc.line, _told(kind)
    return 0, "no whole number"


def _told(kind: Any) -> str:
    if isinstance(kind, types.NoneType | types.Omitted | types.Optional):
        return "nothing (None)"
    if isinstance(kind, types.Float):
        return "a number with a fraction"
    return f"a value of type {kind}"


def what_was_raised(play: Callable[[], Any]) -> str:
    """File, line and error of the first function that raises one while `play` runs, or nothing.

    Compiled code called by compiled code cannot hand an error on; it is told to ``sys.unraisablehook``.
    """
    told: list[str] = []

    def hook(given: Any) -> None:
        frames = traceback.extract_tb(given.exc_traceback)
        where = f"{frames[-1].filename}:{frames[-1].lineno}: {frames[-1].name}: " if frames else ""
        told.append(f"{where}{given.exc_type.__name__}: {given.exc_value or 'without a word'}")

    with _HOOK:  # there is one hook for all threads
        before, sys.unraisablehook = sys.unraisablehook, hook
        try:
            play()
        finally:
            sys.unraisablehook = before
    return told[0] if told else ""
