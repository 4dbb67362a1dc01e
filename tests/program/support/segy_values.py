"""Samples as exact numbers: what a conversion must give by the definitions of the formats, in whole numbers.

Independent of numpy's casts and of the program: each value is a fraction, rounded once, ties to even.
"""

import math
from fractions import Fraction

import numpy as np
import segy_files

LARGEST = {
    "ibm4": (1 - Fraction(1, 1 << 24)) * 16**63,
    "f4": (2 - Fraction(1, 1 << 23)) * 2**127,
    "f8": (2 - Fraction(1, 1 << 52)) * 2**1023,
}


def is_integer(kind: str) -> bool:
    return kind != "ibm4" and kind[0] in "iu"


def rounded(value: Fraction, kind: str) -> Fraction:
    """The value nearest to `value` with the digits of a type, ties to even; whether it is in range is not asked."""
    if value == 0 or is_integer(kind):
        return Fraction(round(value))
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1  # 2**exponent <= magnitude < 2**(exponent + 1)
    if kind == "ibm4":
        last = 4 * (exponent // 4 + 1) - 24  # of the last bit of 24, after the fewest hexadecimal digits
        last = max(last, -4 * 64 - 24)
    else:
        last = max(exponent - 23, -149) if kind == "f4" else max(exponent - 52, -1074)
    unit = Fraction(2) ** last
    return round(value / unit) * unit


def limits(kind: str) -> tuple[Fraction, Fraction]:
    if kind in LARGEST:
        return -LARGEST[kind], LARGEST[kind]
    low, high = segy_files.integer_range(kind)
    return Fraction(low), Fraction(high)


class OutOfRange(Exception):
    """The first sample that the format cannot hold, counted from 0."""

    def __init__(self, index: int):
        super().__init__(index)
        self.index = index


def convert(values, kind: str, *, clip: bool = False, zero: bool = False):
    """The values as `kind` holds them, and the account: rounded, clipped, zeroed, largest relative error.

    `values` are numbers of numpy or Python, any shape; the results are Python numbers in a list.
    """
    made, account = [], {"rounded": 0, "clipped": 0, "zeroed": 0, "largest_relative_error": 0.0}
    low, high = limits(kind)
    for index, value in enumerate(np.asarray(values, dtype=object).ravel().tolist()):
        if isinstance(value, float) and not math.isfinite(value):
            if kind in ("f4", "f8"):
                made.append(value)
            elif zero:
                account["zeroed"] += 1
                made.append(0)
            elif clip and not math.isnan(value):
                account["clipped"] += 1
                made.append(plain(high if value > 0 else low, kind))
            else:
                raise OutOfRange(index)
            continue
        exact = Fraction(value)
        result = rounded(exact, kind)
        if not low <= result <= high:
            if not clip:
                raise OutOfRange(index)
            account["clipped"] += 1
            result = high if result > 0 else low
        elif result != exact:
            account["rounded"] += 1
            error = float(abs(result - exact) / abs(exact))
            account["largest_relative_error"] = max(account["largest_relative_error"], error)
        made.append(plain(result, kind))
    return made, account


def plain(value: Fraction, kind: str):
    return int(value) if is_integer(kind) else float(value)


def encoded(values: list, kind: str, order: str) -> bytes:
    return segy_files.encode(numbers(values, kind), kind, order).tobytes()


def numbers(values: list, kind: str) -> np.ndarray:
    if not is_integer(kind):
        return np.array(values, dtype=np.float64)
    return np.array(values, dtype=np.uint64 if kind[0] == "u" else np.int64)
