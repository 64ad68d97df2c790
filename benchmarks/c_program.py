"""The C programs of `benchmarks/c`: compiled on the spot, called through `ctypes`.

They are written from the rules and from ``docs/randomness.md`` alone and share no code with the package, so equal
digests are an independent check of the kernels as well as a fair base for speed ratios.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SOURCES = Path(__file__).resolve().parent / "c"
FLAGS = ("-O3", "-march=native", "-std=c11", "-shared", "-fPIC")

#: result fields per game, in the order in which both the C programs and the kernels write them
FIELDS = {
    "caterpillars": "score total_a total_b total_c bonus_a bonus_b bonus_c flying box_sum zeros win".split(),
    "karolinchen": "turns rolls eatings fruits cards start_fruit capped win".split(),
    "parlett": "score running courts cards_played court_short stuck win".split(),
}

#: the C number of a policy is its place in this list
POLICIES = {
    "caterpillars": ("random", "greedy"),
    "karolinchen": ("random", "longest", "shortest", "match"),
    "parlett": ("random", "greedy"),
}

PAIRS = (1, 6, 0, 0, 2, 5, 0, 0, 1, 6, 0, 0)
COLOURS = ("blue", "orange", "purple", "yellow", "green", "red")

_CHOICES: dict[str, dict[str, tuple[Any, ...]]] = {
    "caterpillars": {
        "level": ("beginner", "intermediate", "advanced", "expert"),
        "setup": ("standard", "variation"),
        "zero_rule": ("forced", "split", "strict"),
        "bonus_ban": ("same_box", "any"),
        "double_optional": (False, True),
        "double_stores": ("doubled", "face", "barred"),
        "bonus_source": ("regular", "any"),
        "idle_dice": (False, True),
        "final": ("median", "lowest", "highest", "total"),
    },
    "karolinchen": {
        "opening": ("open", "own_roll"),
        "new_card_take": ("must", "may"),
        "reroll_after_eating": (False, True),
    },
    "parlett": {"block": ("allowed", "barred")},
}
_NUMBERS: dict[str, dict[str, Any]] = {
    "caterpillars": {"boxes": 4, "sheet": PAIRS},
    "karolinchen": {"max_turns": 10_000, "fruits": (1, 2, 3, 4, 5, 6), "start_fruit": "distinct"},
    "parlett": {"deals": 1, "hand_size": 13, "multiple": 5, "court_bonus": 100},
}


def compiler() -> str | None:
    """Path of the C compiler: ``$CC`` or ``cc``; None where there is none."""
    return shutil.which(os.environ.get("CC", "cc"))


def compiler_version() -> str:
    """First line of the compiler's own version text; empty where there is none."""
    cc = compiler()
    if cc is None:
        return ""
    return subprocess.run([cc, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def rule_numbers(game: str, rules: Mapping[str, Any] | None = None) -> list[int]:
    """The whole numbers that a C program reads, from rule parameters over the defaults.

    Parameters
    ----------
    game : str
    rules : mapping, optional
        Parameters of ``rules`` as users write them; a Caterpillars `sheet` is ``"pairs"`` or a
        list of 3 × `boxes` numbers.

    Raises
    ------
    KeyError, ValueError
        A parameter or value that the C program does not know.
    """
    values = {name: options[0] for name, options in _CHOICES[game].items()} | _NUMBERS[game]
    for name, value in (rules or {}).items():
        if name not in values:
            raise KeyError(name)
        values[name] = value
    numbers = [options.index(values[name]) for name, options in _CHOICES[game].items()]
    if game == "caterpillars":
        boxes = int(values["boxes"])
        if values["sheet"] in ("pairs", PAIRS):
            sheet = [PAIRS[4 * c + b] for c in range(3) for b in range(boxes)]
        else:
            sheet = [int(label) for label in values["sheet"]]
        if len(sheet) != 3 * boxes:
            raise ValueError(f"a sheet of {len(sheet)} labels for {3 * boxes} boxes")
        return [*numbers, boxes, *sheet, *([0] * (12 - len(sheet)))]
    if game == "karolinchen":
        start = [-1] * 6
        if values["start_fruit"] != "distinct":
            for seat, colour in enumerate(values["start_fruit"]):
                start[seat] = COLOURS.index(colour) if isinstance(colour, str) else int(colour)
        return [*numbers, int(values["max_turns"]), *map(int, values["fruits"]), *start]
    return [*numbers, *(int(values[name]) for name in ("deals", "hand_size", "multiple", "court_bonus"))]


def _cache_folder() -> Path:
    base = os.environ.get("SIM_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(base) / "caterpillar-table-lab" / "c"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return Path(tempfile.mkdtemp(prefix="sim-c-"))
    return folder


@cache
def _library(game: str) -> ctypes.CDLL:
    cc = compiler()
    if cc is None:
        raise FileNotFoundError("no C compiler found: set CC or install cc")
    # -march=native code must not be met by another processor that shares the cache folder
    flags = Path("/proc/cpuinfo").read_text().partition("\n\n")[0] if Path("/proc/cpuinfo").exists() else ""
    features = [line for line in flags.splitlines() if line.startswith(("model", "flags", "vendor"))]
    stamp = hashlib.sha256("\n".join([*FLAGS, compiler_version(), platform.machine(), *features]).encode())
    for file in (SOURCES / "philox.h", SOURCES / f"{game}.c"):
        stamp.update(file.read_bytes())
    target = _cache_folder() / f"{game}-{stamp.hexdigest()[:12]}.so"
    if not target.exists():
        unfinished = target.with_name(f"{target.name}.{os.getpid()}.tmp")
        subprocess.run([cc, *FLAGS, str(SOURCES / f"{game}.c"), "-o", str(unfinished)], check=True)
        unfinished.replace(target)
    library = ctypes.CDLL(str(target))
    library.play.restype = None
    library.play.argtypes = [
        ctypes.c_uint64,
        ctypes.c_uint64,
        ctypes.c_int64,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_void_p,
    ]
    return library


class CProgram:
    """One game in C with rules and a line-up fixed; the counterpart of a `Playable`.

    Parameters
    ----------
    game : str
    rules : mapping, optional
        See `rule_numbers`.
    policies : sequence of str
        Ids of reference policies, one per seat.
    """

    def __init__(self, game: str, rules: Mapping[str, Any] | None, policies: Sequence[str]) -> None:
        self._rules = np.array(rule_numbers(game, rules), np.int32)
        self._policies = np.array([POLICIES[game].index(policy) for policy in policies], np.int32)
        self._play = _library(game).play
        self.seats = len(policies)
        self.fields = len(FIELDS[game])

    def play(self, seed: int, first: int, games: int, out: np.ndarray) -> None:
        """Play games `first` … `first + games − 1` into `out`, a C-ordered int32[fields, games × seats]."""
        if out.shape != (self.fields, games * self.seats) or out.dtype != np.int32 or not out.flags.c_contiguous:
            raise ValueError(f"out must be a C-ordered int32[{self.fields}, {games * self.seats}]")
        self._play(seed, first, games, self._rules.ctypes.data, self._policies.ctypes.data, self.seats, out.ctypes.data)

    def rows(self, seed: int, first: int, games: int) -> np.ndarray:
        """The same in a new array."""
        out = np.zeros((self.fields, games * self.seats), np.int32)
        self.play(seed, first, games, out)
        return out
