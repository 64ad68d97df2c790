"""How numbers are written: few digits, a real minus sign, 'x in 100' before '%', and names a reader knows."""

from __future__ import annotations

import math

SEATS = ("first", "second", "third", "fourth", "fifth", "sixth")


def decimals(value: float, digits: int) -> str:
    """A number with exactly `digits` decimals, thousands separated, with a real minus sign; no minus before zero."""
    text = f"{value:,.{digits}f}"
    if not any(c in "123456789" for c in text):
        text = text.replace("-", "")
    return text.replace("-", "−")


def signed(value: float, digits: int) -> str:
    """A change: with its sign, plus or minus, unless it rounds to zero."""
    text = decimals(value, digits)
    positive = text[0] != "−" and any(c in "123456789" for c in text)
    return "+" + text if positive else text


def plain(value: float) -> str:
    """A number with as many digits as it needs, at most four decimals."""
    text = decimals(value, 4)
    return text.rstrip("0").rstrip(".") if "." in text else text


def in_hundred(share: float) -> str:
    """A share of games as a person says it: '62 in 100', '4.1 in 100', '1 in 2,300', 'none'."""
    if share <= 0:
        return "none"
    if share < 0.001:
        return f"1 in {decimals(float(f'{1 / share:.2g}'), 0)}"
    if share < 0.00995:
        return f"{plain(float(f'{1000 * share:.2g}'))} in 1,000"
    if 0.9995 <= share < 1:
        return f"all but 1 in {decimals(float(f'{1 / (1 - share):.2g}'), 0)}"
    digits = 1 if share < 0.0995 or 0.9895 < share < 1 else 0
    return f"{plain(round(100 * share, digits))} in 100"


def number_of(share: float, digits: int = 0) -> str:
    """A share in hundredths without the words."""
    return decimals(100 * share, digits)


def games_in_hundred(share: float) -> str:
    """A share in hundredths for a table cell: '83', '5.7', '0.14', 'over 99.9'."""
    if 0.9995 <= share < 1:
        return "over 99.9"
    if 0.985 <= share < 1:
        return decimals(100 * share, 1)
    return decimals(100 * share, 0) if share >= 0.0995 else plain(float(f"{100 * share:.2g}"))


def count(value: float) -> str:
    """A number of games: '24 million', '100,000'."""
    if math.isinf(value):
        return "no number of"
    if value >= 10**6 and value % 10**5 == 0:
        return f"{plain(value / 10**6)} million"
    if value >= 10**7:
        return f"{decimals(value / 10**6, 0)} million"
    return decimals(value, 0)


def seat(index: int) -> str:
    """A seat as people count: 0 is the first player."""
    return SEATS[index] if index < len(SEATS) else f"{index + 1}th"


def listing(parts: list[str], word: str = "and") -> str:
    """'a', 'a and b', 'a, b and c'."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + f" {word} " + parts[-1]
