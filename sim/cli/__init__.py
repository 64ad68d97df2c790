"""The command line: thin modules that parse, call and print; the only place where errors become text.

One module per group of commands, each with a function ``register(app)``. A new group is one module and one name in
`MODULES`. Nothing here imports games, frames or the compiler before a command runs: ``sim --help`` is instant.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import typer

from sim import __version__
from sim.errors import DiskError, FaultError, InputError, SimError

PLUGIN = "--plugin"

#: modules of this package that bring commands, in the order of the help page
MODULES = (
    "games",
    "run",
    "sweep",
    "look",
    "compare",
    "explain",
    "compact",
    "trace",
    "adjusted",
    "tournament",
    "thumb",
    "ladder",
    "tune",
    "check",
    "advise",
    "solve",
    "verify",
    "exact",
    "panel",
    "learn",
    "report",
    "propose",
    "decided",
    "bedtime",
    "schema",
    "bench",
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"sim {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    plugin: str = typer.Option(
        "",
        PLUGIN,
        metavar="FILE",
        help="A Python file of one's own policies; may stand after any command.",
    ),
) -> None:
    """Simulate Caterpillars, Karolinchen and Parlett's Caterpillar: fast, exactly reproducible games."""


def build() -> typer.Typer:
    """The command line application with the commands of all `MODULES`."""
    app = typer.Typer(
        name="sim",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in MODULES:
        import_module(f"sim.cli.{name}").register(app)
    for command in app.registered_commands:
        assert command.callback is not None
        command.callback = _stoppable(command.callback)
    return app


class _Stopped(Exception):
    """A `KeyboardInterrupt` on its way past the parser, which would swallow its text."""


class _Closed(Exception):
    """A `BrokenPipeError` on its way past the parser, which would end the process with status 1."""


def _stoppable(command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except KeyboardInterrupt as error:
            raise _Stopped(str(error)) from None
        except BrokenPipeError:
            raise _Closed from None

    return call


def _complain(kind: str, error: BaseException | str) -> None:
    text = " ".join(str(error).split()) or type(error).__name__
    with contextlib.suppress(OSError):
        print(f"sim: {kind}: {text}", file=sys.stderr)


def _take_plugins(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments without ``--plugin FILE``, wherever it stands, and the files."""
    rest: list[str] = []
    files: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        if argument == PLUGIN:
            file = next(waiting, None)
            if file is None or file.startswith("-"):
                raise InputError(f"{PLUGIN} was given without a file; accepted: {PLUGIN} my_policies.py")
            files.append(file)
        elif argument.startswith(f"{PLUGIN}="):
            files.append(argument.partition("=")[2])
        else:
            rest.append(argument)
    return rest, files


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status: 0 success, 2 wrong use, 1 a fault, 130 stopped."""
    from sim.cli import usage

    try:
        rest, plugins = _take_plugins(arguments)
        for file in plugins:
            from sim.games.own import load

            load(file)
        result = build()(args=rest, prog_name="sim", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except usage.HELP as error:
        print(error.ctx.get_help())
        return 0
    except usage.ERRORS as error:
        _complain("error", usage.one_line(error))
        return 2
    except (DiskError, FaultError) as error:
        _complain("fault", error)
        return 1
    except SimError as error:
        _complain("error", error)
        return 2
    except (_Stopped, KeyboardInterrupt) as error:
        _complain("stopped", str(error) or "by the keyboard; nothing incomplete was left behind")
        return 130
    except (_Closed, BrokenPipeError):
        # the reader went away: nothing to complain of, and nothing more to flush at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("SIM_DEBUG"):
            raise
        _complain("fault", f"{type(error).__name__}: {error} (set SIM_DEBUG=1 for the traceback)")
        return 1


def _terminated(_number: int, _frame: object) -> None:
    """A polite kill is like Ctrl-C: unfinished files are removed on the way out."""
    raise KeyboardInterrupt


def main() -> Any:
    """Console entry point."""
    from sim.cli import watch

    signal.signal(signal.SIGTERM, _terminated)
    watch.listen()
    sys.exit(run(sys.argv[1:]))
