"""``sim games``, ``sim rules GAME``, ``sim policies GAME``: what there is."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sim.cli.common import GameName, Json, Preset, RuleTexts, print_frame, print_json, rules_from
from sim.errors import InputError, unknown


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("games")(games)
    app.command("rules")(rules)
    app.command("policies")(policies)


def games(as_json: Json = False) -> None:
    """List the games."""
    from sim import games as registry

    rows: list[dict[str, Any]] = []
    for name in registry.REGISTRY:
        game = registry.get(name)
        rows.append(
            {
                "game": name,
                "title": game.title,
                "kernel_version": game.kernel_version,
                "presets": list(game.rules_type.PRESETS),
                "policies": list(game.policies.entries),
                "headline": list(game.headline),
                "example": list(game.example),
            }
        )
    if as_json:
        print_json(rows)
        return
    print_frame([{"game": r["game"], "title": r["title"], "policies": ", ".join(r["policies"])} for r in rows])


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return " ".join(str(v) for v in value)
    return str(value)


def _side(game: Any, text: str) -> dict[str, Any]:
    """All parameters of a preset, of the defaults, or of ``key=value,key=value``."""
    if text == "default":
        given: Any = None
    elif "=" in text:
        given = rules_from(None, text.split(","))
    elif text in game.rules_type.PRESETS:
        given = text
    else:
        accepted = ["default", *game.rules_type.PRESETS, "key=value[,key=value]"]
        raise InputError(unknown(f"side of --diff for {game.name}", text, accepted))
    parsed = game.rules_type.parse(given)
    return dict(parsed.model_dump(mode="json"))


def rules(
    game: GameName,
    rule: RuleTexts = None,
    preset: Preset = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option("--diff", metavar="A B", help="Compare two presets (or default, or key=value,…)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Rule parameters of a game: value, default, meaning, source; or what differs between two sets of rules."""
    from sim import games as registry

    room = registry.get(game)
    kind = room.rules_type
    if diff is not None:
        a, b = (_side(room, text) for text in diff)
        differing = [
            {"parameter": k, diff[0]: a[k], diff[1]: b[k], "meaning": _meaning(kind, k)} for k in a if a[k] != b[k]
        ]
        if as_json:
            print_json(differing)
        elif not differing:
            print(f"{diff[0]} and {diff[1]} are the same rules")
        else:
            print_frame([{k: _shown(v) for k, v in row.items()} for row in differing])
        return
    parsed = kind.parse(rules_from(preset, rule))
    values, default = parsed.model_dump(mode="json"), kind().model_dump(mode="json")
    idle = parsed.without_effect()
    rows: list[dict[str, Any]] = [
        {
            "parameter": name,
            "value": values[name],
            "default": default[name],
            "accepts": kind.accepts(name),
            "meaning": _meaning(kind, name),
            "source": kind.source(name),
            "reading": _reading(kind, name),
            "without_effect": name in idle,
        }
        for name in kind.model_fields
    ]
    presets: list[dict[str, Any]] = [
        {"preset": p.id, "rules": dict(p.rules), "meaning": p.meaning, "source": p.source}
        for p in kind.PRESETS.values()
    ]
    if as_json:
        print_json({"game": game, "parameters": rows, "presets": presets})
        return
    for row in rows:
        changed = "" if row["value"] == row["default"] else f"  (default {_shown(row['default'])})"
        idle_text = "  (no effect here)" if row["without_effect"] else ""
        print(f"{row['parameter']} = {_shown(row['value'])}{changed}{idle_text}")
        _tell("", row["meaning"])
        _tell("accepts: ", row["accepts"])
        _tell("reading: ", row["reading"])
        _tell("source: ", row["source"])
    for entry in presets:
        told = ", ".join(f"{k}={_shown(v)}" for k, v in entry["rules"].items()) or "all defaults"
        print(f"preset {entry['preset']}: {told}")
        _tell("", entry["meaning"])
        _tell("source: ", entry["source"])


def _tell(label: str, text: str) -> None:
    if text:
        print(f"    {label}{text}")


def _meaning(kind: Any, name: str) -> str:
    return str(kind.model_fields[name].description or "")


def _reading(kind: Any, name: str) -> str:
    extra = kind.model_fields[name].json_schema_extra
    return str(extra.get("reading", "")) if isinstance(extra, dict) else ""


def policies(game: GameName, as_json: Json = False) -> None:
    """Policies of a game with their parameters."""
    from sim import games as registry

    rows: list[dict[str, Any]] = []
    for info in registry.get(game).policies.entries.values():
        parameters = [
            {"name": p.name, "default": p.default, "accepts": p.accepts(), "unit": p.unit, "meaning": p.meaning}
            for p in info.parameters
        ]
        rows.append(
            {
                "id": info.id,
                "version": info.version,
                "summary": info.summary,
                "who": info.who,
                "source": info.source,
                "draws": info.draws,
                "parameters": parameters,
            }
        )
    if as_json:
        print_json({"game": game, "policies": rows})
        return
    for row in rows:
        print(f"{row['id']}: {row['summary']}")
        _tell("who: ", row["who"])
        _tell("source: ", row["source"])
        for p in row["parameters"]:
            print(f"    {p['name']} = {_shown(p['default'])}  {p['meaning']} (accepts {p['accepts']})")
