"""Policies that users write: a decorator that registers a function, and the loading of a file of such functions.

A user's policy has the form of a built-in one (see ``docs/policies.md`` and the how-to): a small function over what a
player sees, with its parameters and one uniform number, that returns an index into the choices. It is compiled when it
is first played. Its identity holds a hash of its source, so an edited policy is another policy.
"""

from __future__ import annotations

import dis
import hashlib
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, TypeVar

from sim.errors import InputError, PolicyError, SimError, unknown
from sim.games import REGISTRY, get
from sim.games.base import OWN, OwnCode, PolicyInfo, PolicyParameter

F = TypeVar("F", bound=Callable[..., Any])

_ID = re.compile(r"[a-z][a-z0-9_]*")
_NAMES = "a to z, digits and _, a letter first"
#: hash of the file being loaded; None outside `load`
_loading: str | None = None


def parameter(
    default: float, low: float, high: float, unit: str, meaning: str, *, integer: bool = False
) -> PolicyParameter:
    """One parameter of a policy: its default, the range accepted, the unit, and what it means.

    Raises
    ------
    PolicyError
        If the default is out of range.
    """
    if not low < high or not low <= default <= high:
        raise PolicyError(
            f"parameter with default {default:g}, low {low:g}, high {high:g} is not accepted; accepted: "
            f"low < high and low ≤ default ≤ high"
        )
    return PolicyParameter("", default, meaning, low, high, unit, integer)


def policy(
    game: str,
    *,
    id: str | None = None,
    parameters: Mapping[str, PolicyParameter] | None = None,
    who: str = "its author",
    source: str = "",
    draws: bool | None = None,
    **functions: Callable[..., Any],
) -> Callable[[F], F]:
    """Register the decorated function as a policy of `game`, for simulations, sweeps and traces.

    Parameters
    ----------
    game : str
        One of `sim.games()`.
    id : str, optional
        Name of the policy; by default the function's.
    parameters : mapping of str to `sim.parameter`, optional
        In the order in which they stand in `params`. Caterpillars policies have their placement in ``params[0]``, their
        own parameters from ``params[1]`` on; in the other games own parameters begin at ``params[0]``.
    who, source : str
        Who would play so, and where the idea comes from; shown by ``sim policies``.
    draws : bool, optional
        Whether the policy uses its uniform number `u`; by default, whether the function mentions it.
    **functions
        Further decisions: ``place`` and ``single`` (set-up of Caterpillars), ``take`` (Karolinchen).

    Returns
    -------
    callable
        The function, unchanged. Its first line of documentation is shown by ``sim policies``.

    Raises
    ------
    PolicyError, InputError
        In one line: what was given, what is accepted.

    Examples
    --------
    >>> import sim
    >>> @sim.policy("parlett", parameters={"rank": sim.parameter(5, 1, 13, "rank", "favourite rank")})
    ... def favourite(position, cards, n, params, u):
    ...     "Plays its favourite rank where it can, else the first card."
    ...     for i in range(n):
    ...         if cards[i] % 13 + 1 == params[0]:
    ...             return i
    ...     return 0
    >>> sim.simulate("parlett", policies=["favourite(rank=7)", "greedy"], games=2, seed=1).height
    4
    """

    def register(function: F) -> F:
        brought = get(game)
        main, *others = brought.slots
        where = _where(function)
        name = id or function.__name__
        if not _ID.fullmatch(name):
            raise PolicyError(
                f"{where}: policy id {name!r} is not accepted; accepted: a to z, digits and _, a letter first"
            )
        for other in functions:
            if other not in others:
                raise PolicyError(f"{where}: " + unknown(f"decision of {game}", other, others or ["(there is none)"]))
        given: dict[str, Callable[..., Any]] = {main: function, **functions}
        for slot, code in given.items():
            _check_arguments(slot, code, brought.slots[slot])
        known = brought.policies.entries.get(name)
        if known is not None and known.code is None:
            raise PolicyError(f"{where}: policy {name} of {game} is built in; accepted: another id")
        info = PolicyInfo(
            name,
            known.number if known else max([OWN - 1, *(p.number for p in brought.policies.entries.values())]) + 1,
            (inspect.getdoc(function) or "no description").splitlines()[0].strip(),
            who,
            source or where,
            (*brought.own_parameters(given), *(_named(k, p) for k, p in (parameters or {}).items())),
            draws=_mentions_u(given) if draws is None else draws,
            code=OwnCode(given, where),
            digest=_digest(given),
        )
        brought.policies.add(info, instead=True)
        return function

    return register


def load(path: str | Path) -> list[str]:
    """Run a file of policies; returns the ids that it registered, as ``game:id``.

    Raises
    ------
    InputError
        No such file, or an error in it: one line with file and line number.
    """
    global _loading
    file = Path(path)
    try:
        source = file.read_bytes()
    except OSError as error:
        raise InputError(f"policies in {file}: {error.strerror or error}; accepted: a Python file") from None
    before = _registered()
    _loading = hashlib.sha256(source).hexdigest()[:16]
    try:
        spec = spec_from_file_location(f"policies_{_loading}", file)
        if spec is None or spec.loader is None:
            raise InputError(f"policies in {file}: accepted: a Python file, name.py")
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise InputError(f"{file}:{error.lineno}: {error.msg}") from None
    except Exception as error:
        said = " ".join(str(error).split())
        if isinstance(error, SimError):
            if said.startswith((f"{file}:", f"{file.absolute()}:")):
                raise
        else:
            said = f"{type(error).__name__}: {said}"
        frames = traceback.extract_tb(error.__traceback__)
        lines = [f.lineno for f in frames if Path(f.filename) in (file, file.absolute())]
        raise InputError(f"{file}:{lines[-1] if lines else 1}: {said}") from None
    finally:
        _loading = None
    after = _registered()
    found = [key for key, info in after.items() if before.get(key) is not info]
    if not found:
        raise InputError(f"{file} registers no policy; accepted: functions under @sim.policy(…)")
    return found


def _registered() -> dict[str, PolicyInfo]:
    return {f"{game}:{name}": info for game in REGISTRY for name, info in get(game).policies.entries.items()}


def _named(name: str, given: PolicyParameter) -> PolicyParameter:
    if not isinstance(given, PolicyParameter):
        raise PolicyError(
            f"parameter {name} = {given!r} is not accepted; accepted: sim.parameter(default, low, high, unit, meaning)"
        )
    if not _ID.fullmatch(name) or name in ("slip", "restrict", "placement", "id"):
        raise PolicyError(
            f"parameter name {name!r} is not accepted; accepted: {_NAMES}; not slip, restrict, placement or id"
        )
    return replace(given, name=name)


def _where(function: Callable[..., Any]) -> str:
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def _check_arguments(slot: str, function: Callable[..., Any], names: Any) -> None:
    if not inspect.isfunction(function):
        raise PolicyError(
            f"{slot} = {function!r} is not accepted; accepted: a plain function, no other decorator on it"
        )
    code = function.__code__
    several = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    if code.co_argcount != len(names) or code.co_kwonlyargcount or code.co_flags & several:
        shown = ", ".join(code.co_varnames[: code.co_argcount])
        raise PolicyError(
            f"{_where(function)}: {function.__name__}({shown}) is not accepted; accepted: ({', '.join(names)})"
        )


def _mentions_u(functions: Mapping[str, Callable[..., Any]]) -> bool:
    """Whether any of the functions reads its last argument, the uniform number."""
    for function in functions.values():
        code = function.__code__
        last = code.co_varnames[code.co_argcount - 1]
        if any(last in (i.argval if isinstance(i.argval, tuple) else (i.argval,)) for i in dis.get_instructions(code)):
            return True
    return False


def _digest(functions: Mapping[str, Callable[..., Any]]) -> str:
    """Hash of the file that is being loaded; of the functions' own source where there is none, as in a notebook."""
    if _loading is not None:
        return _loading
    digest = hashlib.sha256()
    for slot, function in sorted(functions.items()):
        try:
            text = inspect.getsource(function)
        except (OSError, TypeError):  # typed at a prompt
            code = function.__code__
            text = repr((code.co_code, code.co_consts, code.co_names))
        digest.update(f"{slot}\0{text}\0".encode())
    return digest.hexdigest()[:16]
