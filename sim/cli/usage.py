"""Wrong use of a command, in one line: what was given, what is accepted."""

from __future__ import annotations

from typing import Any

try:  # typer carries its own copy of the parser since 0.20 or so; before, it used the click package
    from typer._click import exceptions as _exceptions
except ImportError:  # pragma: no cover
    from click import exceptions as _exceptions  # type: ignore[no-redef]

#: errors of the parser
ERRORS: Any = _exceptions.ClickException

#: raised when a command that needs arguments got none
HELP: Any = _exceptions.NoArgsIsHelpError


def _options(context: Any) -> str:
    names = [max(p.opts, key=len) for p in context.command.get_params(context) if p.param_type_name == "option"]
    return ", ".join(names)


def one_line(error: Any) -> str:
    """The error as one line with what is accepted."""
    message = error.format_message().strip().rstrip(".")
    context = getattr(error, "ctx", None)
    if "; accepted:" in message:
        return str(message)
    if context is None:  # an option at the end of the line, without its value
        return f"{message[0].lower()}{message[1:]}; accepted: a value after it (--help shows which)"
    if isinstance(error, _exceptions.NoSuchOption):
        return f"unknown option '{error.option_name}' of {context.command_path}; accepted: {_options(context)}"
    commands = getattr(context.command, "commands", None)
    if commands is not None and message.startswith("No such command"):
        given = message.partition("'")[2].partition("'")[0]
        from sim.errors import unknown

        return unknown("command", given, commands)
    if isinstance(error, _exceptions.MissingParameter) and error.param is not None:
        param: Any = error.param
        name = str(param.name).upper() if param.param_type_name == "argument" else max(param.opts, key=len)
        return f"{context.command_path}: {name} is missing; accepted: {_usage(context)}"
    return f"{context.command_path}: {message[0].lower()}{message[1:]}; accepted: {_usage(context)}"


def _usage(context: Any) -> str:
    return " ".join(context.command.get_usage(context).removeprefix("Usage: ").split())
