"""``sim schema``: the data dictionary."""

from __future__ import annotations

from typing import Annotated

import typer

from sim.cli.common import Json, print_frame, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("schema")(schema)


def schema(
    as_json: Json = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page that is kept as data/README.md.")
    ] = False,
) -> None:
    """Print every stored column: table, name, dtype, unit, range, meaning."""
    from sim import games as registry
    from sim.store import schema as register_

    rooms = [registry.get(name) for name in registry.REGISTRY]
    if markdown:
        print(register_.markdown(rooms), end="")
        return
    rows = register_.dictionary(rooms)
    if as_json:
        print_json({"schema_version": register_.SCHEMA_VERSION, "columns": rows})
        return
    print_frame(
        [
            {
                "table": row["game"] or row["table"],
                "column": row["name"],
                "dtype": row["dtype"],
                "unit": row["unit"],
                "range": register_.limits(row),
                "meaning": row["meaning"],
            }
            for row in rows
        ]
    )
