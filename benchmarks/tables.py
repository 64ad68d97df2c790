"""Results as Markdown, which is also what the terminal shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Data = dict[str, Any]

#: what the project aims at; the first word says how the ratio is read
TARGETS = {
    "kernel / C": ("at least", 0.9),
    "kernel / NumPy": ("at least", 5.0),
    "kernel / OpenSpiel Python game": ("at least", 500.0),
    "kernel / OpenSpiel Python game, loop in C++": ("at least", 500.0),
    "kernel / OpenSpiel Python game, loop of its example": ("at least", 500.0),
    "two / one": ("at least", 1.8),
    "summary / kernel": ("at most", 1.10),
    "games / kernel, beginner": ("at most", 1.5),
    "games / kernel, expert": ("at most", 1.15),
    "memory": ("at most", 1.05),
}


def number(value: float) -> str:
    """Three significant digits, thousands separated."""
    if value >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def ratio(spread: Data) -> str:
    """A ratio with its range over repetitions."""
    return f"{_two(spread['median'])} ({_two(spread['min'])}–{_two(spread['max'])})"


def _two(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def verdict(value: float, target: str) -> str:
    """The target and whether the median meets it."""
    if target not in TARGETS:
        return "–"
    word, limit = TARGETS[target]
    met = value >= limit if word == "at least" else value <= limit
    return f"{word} {limit:g}: {'met' if met else 'missed'}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, padded so that it reads well as plain text."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(head), rule, *map(line, rows)])


def _one_core(data: Data) -> str:
    rows = []
    for entry in data["one_core"]:
        speed = entry["games_per_second"]
        ratios = entry["ratios"]
        rows.append(
            [
                entry["workload"],
                *(number(speed[name]["median"]) for name in ("kernel", "simulate", "C", "naive")),
                ratio(ratios["kernel / C"]),
                ratio(ratios["simulate / C"]),
                number(ratios["kernel / naive"]["median"]),
                verdict(ratios["kernel / C"]["median"], "kernel / C"),
            ]
        )
    head = ["games a second, one core", "kernel", "simulate", "C", "naive", "kernel / C", "simulate / C"]
    return table([*head, "kernel / naive", "target kernel / C"], rows)


def _peers(data: Data) -> str:
    peers = data["peers"]
    rows = []
    for name, speed in peers["games_per_second"].items():
        key = f"kernel / {name}"
        if key in peers["ratios"]:
            spread = peers["ratios"][key]
            rows.append([name, number(speed["median"]), ratio(spread), verdict(spread["median"], key)])
        else:
            rows.append([name, number(speed["median"]), "1", "–"])
    text = table([f"{peers['workload']}, one core", "games a second", "kernel's speed / its speed", "target"], rows)
    checks = "; ".join(
        f"{name} {m['mean']:.3f}, kernel's {m['difference']:+.3f} away (standard error {m['standard_error']:.3f})"
        for name, m in peers["means"].items()
    )
    text += f"\n\nMean scores, checked before timing: {checks}."
    if "skipped" in peers:
        return f"{text}\n\nLeft out: {peers['skipped']}."
    rows = [
        [name, number(entry["nanoseconds_per_decision"]), ratio(entry["kernel"])]
        for name, entry in peers["pig"].items()
    ]
    return text + "\n\n" + table(["one decision, chance included", "nanoseconds", "kernel's speed / its speed"], rows)


def _workers(data: Data) -> str:
    rows = []
    for entry in data["workers"]:
        if "skipped" in entry:
            rows.append([entry["workload"], entry["skipped"], "–"])
        else:
            spread = entry["two / one"]
            rows.append([entry["workload"], ratio(spread), verdict(spread["median"], "two / one")])
    return table(["block engine", "two workers / one", "target"], rows)


def _sweeps(data: Data) -> str:
    rows = []
    for entry in data["sweeps"]:
        level = next((name for name in ("beginner", "expert") if name in entry["workload"]), "")
        summary, games = entry["summary / kernel"], entry["games / kernel"]
        rows.append(
            [
                entry["workload"],
                f"{entry['games']:,}",
                ratio(summary),
                verdict(summary["median"], "summary / kernel"),
                ratio(games),
                verdict(games["median"], f"games / kernel, {level}"),
            ]
        )
    head = ["time of a sweep / bare kernel, one core", "games", "summary", "target", "games", "target"]
    return table(head, rows)


def _memory(data: Data) -> str:
    entry = data["memory"]
    if "skipped" in entry:
        return f"Not measured: {entry['skipped']}."
    mega = 1_000_000
    return (
        f"Summary sweep of caterpillars-beginner-random, {entry['workers']} workers, peak resident memory: "
        f"1 million games {entry['bytes_1m'] / mega:.0f} MB, 100 million games {entry['bytes_100m'] / mega:.0f} MB "
        f"(below 1,000 MB: {'met' if entry['bytes_100m'] < 1000 * mega else 'missed'}), "
        f"ratio {entry['ratio']:.3f} ({verdict(entry['ratio'], 'memory')}); "
        f"the 100 million took {entry['seconds_100m']:.0f} s."
    )


def text(data: Data, machine: Data, how: str) -> str:
    """The whole result page."""
    parts: list[tuple[str, Callable[[Data], str]]] = [
        ("The same games, one core", _one_core),
        ("Other ways of playing Caterpillars beginner", _peers),
        ("Two workers", _workers),
        ("Sweeps", _sweeps),
        ("Memory", _memory),
    ]
    lines = [
        "# Speed",
        "",
        "Written by `python -m benchmarks.run`; do not edit. Contenders take turns within each repetition; speeds are",
        "medians over repetitions, ratios are taken within a repetition and shown as median (least–greatest).",
        "`kernel` is the compiled game alone, writing all result fields into one buffer; `simulate` is the whole",
        "interface up to the data frame; C is a plain program of the same rules in `benchmarks/c` that draws the same",
        "random numbers; `naive` is the slow reference in `tests/naive`. Before anything is timed, the digests of",
        "kernel and C over all result fields must be equal.",
        "",
        how,
        "",
        "\n".join(f"- {name}: {value}" for name, value in machine.items()),
    ]
    for title, part in parts:
        lines += ["", f"## {title}", "", part(data)]
    return "\n".join(lines) + "\n"
