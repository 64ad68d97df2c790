"""What is wrong with a function that a user wrote, in one line: from the compiler's words, or from what it raised."""

from __future__ import annotations

import dis
import re
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

from numba import types
from numba.core import ir

WHOLE_NUMBER = "a whole number, as int(…)"
#: statements that the compiler names without a line, by their word: how their instructions begin
_STATEMENTS = {"with": "BEFORE_WITH", "raise": "RAISE_VARARGS", "yield": "YIELD", "import": "IMPORT", "async": "GET_A"}
_HOOK = threading.Lock()


def one_line(function: Callable[..., Any], error: Exception) -> str:
    """What the compiler found, without its advice: where, and the sentence that names the fault."""
    code = function.__code__
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    call = re.search(r"found for signature:\s*>>> (.+)", text)
    if isinstance(error, KeyError):  # a field that the record does not have
        said = f"no field {error.args[0]!r}"
    elif call:
        said = re.sub(r"Literal\[\w+\]\((.*?)\)", r"\1", call[1]).strip() + " is not possible with these types"
    else:
        lines = [" ".join(part.split()) for part in text.splitlines()]
        skipped = ("File ", "During:", "Failed in", "^", "<source", "There are", "- ", "* ")
        said = next((part for part in lines if part and not part.startswith(skipped)), type(error).__name__)
        said = re.sub(r"\.*\s*Raised from .*", "", said)
    return f"{code.co_filename}:{_line(code, said, text)}: {function.__name__} cannot be compiled: {said}"


def _line(code: CodeType, said: str, text: str) -> int:
    """The line of a fault: as the compiler says, or where the name or statement that it complains of stands."""
    found = re.findall(r'File "([^"]+)", line (\d+)', text) + re.findall(r" at (\S+) \((\d+)\)", text)
    told = [int(line) for file, line in found if Path(file).name == Path(code.co_filename).name]
    if told:
        return told[-1]
    named = set(re.findall(r"'([^']+)'", said))
    kinds = [kind for word, kind in _STATEMENTS.items() if re.search(rf"\b{word}\b", said)]
    steps = [i for i in dis.get_instructions(code) if i.positions and i.positions.lineno]
    at = [i for i in steps if i.argval in named] or [i for i in steps if i.opname.startswith(tuple(kinds))]
    line = at[-1].positions.lineno if at and at[-1].positions else None
    return line or code.co_firstlineno


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
