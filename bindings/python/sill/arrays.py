"""Arrays of NumPy: indices of traces, values of header words, columns."""

from __future__ import annotations

import operator
import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from .errors import WRONG_INDEX, WRONG_TYPE, argument, unknown_name, usage_error

if TYPE_CHECKING:
    import pandas
    import polars

Array: TypeAlias = "numpy.ndarray[Any, Any]"
Selection: TypeAlias = "tuple[int, int] | Array"  # (first, count), or trace numbers
_INDICES = "use a number, a slice, or a list or mask of one dimension"
BLOCK_BYTES = 8 << 20  # that iteration over traces reads at once


def _has_mask(values: Any) -> bool:
    masked = sys.modules.get("numpy.ma")  # imported by what makes masked arrays; it takes 10 ms
    if masked is None:
        return False
    if isinstance(values, (list, tuple)):
        return any(isinstance(each, (list, tuple, masked.MaskedArray)) and _has_mask(each) for each in values)
    return isinstance(values, masked.MaskedArray)


def plain(values: Any) -> Array:
    """Returns an array. Errors: TypeError for masked arrays, also in lists, whose hidden values would become visible."""
    if _has_mask(values):
        raise usage_error("the array is masked, and files have no masks", "pass array.filled(value)", number=WRONG_TYPE)
    array = numpy.asarray(values)
    has_types = hasattr(values, "dtype") or (isinstance(values, (list, tuple)) and all(hasattr(row, "dtype") for row in values))
    if array.dtype == float and not has_types and (numpy.abs(array) >= 2**53).any():
        return _exact(values, array)
    return array


def _exact(values: Any, array: Array) -> Array:
    """Returns lists of integers that NumPy rounded to float64, because no other type has their values from 2^63, as uint64."""
    integers = [each for each in numpy.asarray(values, object).flat if hasattr(each, "__index__")]
    if len(integers) == array.size and min(integers) >= 0:
        return numpy.asarray(values, numpy.uint64)
    if any(int(each) != int(float(each)) for each in integers):
        action = "pass an array of NumPy of the type that you want"
        raise usage_error("no type of arrays has all values of the list: integers would be rounded to float64", action)
    return array


def word_values(name: str, values: Any, count: int) -> Array:
    """Returns `count` values of a header word, int64 or float64, from a number or one per trace."""
    action = f"pass a number, or an array of {count}: one per trace"
    with argument(f"header word {name}", action):
        numbers = plain(values)
        if numbers.dtype.kind not in "biuf":
            raise usage_error(f"{name} is set to numbers, not to {numbers.dtype}", action, number=WRONG_TYPE)
        if numbers.ndim > 0 and numbers.shape not in ((count,), (1,)):
            raise usage_error(f"header word {name} has values of the shape {numbers.shape} for {count} traces", action)
        whole = numpy.array(numpy.broadcast_to(numbers, count), "f8" if numbers.dtype.kind == "f" else "i8")
        if numbers.dtype.kind == "u" and (whole < 0).any():
            raise OverflowError("a value is beyond 64-bit integers")
    return whole


def integer(value: Any, what: str) -> int:
    """Returns an integer. Raises TypeError for something else, also for a bool."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise usage_error(f"{what} is of type {type(value).__name__}", "use an integer", number=WRONG_TYPE) from None


def index_in(key: Any, count: int, of: str = "trace") -> int:
    """Returns an index from 0; negative ones count from the end. Raises IndexError, or TypeError for something else."""
    number = key if type(key) is int else integer(key, of)
    if not -count <= number < count:
        raise usage_error(f"{of} {number} of {count}", f"use {-count} to {count - 1}" if count else "there is none",
                          number=WRONG_INDEX)  # fmt: skip
    return number + count if number < 0 else number


def numbers_in(key: Any, traces: int) -> Array:
    """Returns the trace numbers that a list of numbers or a mask selects among `traces` traces."""
    chosen = plain(key)
    if isinstance(key, tuple) or chosen.ndim == 0:
        raise usage_error(f"traces are not chosen by {type(key).__name__}", _INDICES, number=WRONG_TYPE)
    if chosen.ndim != 1:
        raise usage_error(f"traces are chosen by an array of {chosen.ndim} dimensions", _INDICES, number=WRONG_INDEX)
    if chosen.dtype == bool:
        if len(chosen) != traces:
            raise usage_error(f"the mask has {len(chosen)} values, for {traces} traces", "pass one per trace", number=WRONG_INDEX)
        return numpy.flatnonzero(chosen)
    if chosen.size == 0:
        return chosen.astype(numpy.int64)
    if chosen.dtype.kind not in "iu":
        raise usage_error(f"trace numbers are integers, not {chosen.dtype}", _INDICES, number=WRONG_TYPE)
    outside = (chosen >= traces) | ((chosen < 0) & (chosen.astype(numpy.int64) < -traces))
    if outside.any():
        index_in(chosen[outside][0], traces)  # raises
    chosen = chosen.astype(numpy.int64)
    return numpy.where(chosen < 0, chosen + traces, chosen)


def numbers_in_slice(key: slice, numbers: Array) -> list[int]:
    """Returns the line numbers among `numbers` that a slice contains, in the order of the slice."""
    if len(numbers) == 0:
        return []
    step = 1 if key.step is None else integer(key.step, "step")
    low, high = int(numbers.min()), int(numbers.max())
    first = (low if step > 0 else high) if key.start is None else integer(key.start, "line")
    end = (high + 1 if step > 0 else low - 1) if key.stop is None else integer(key.stop, "line")
    chosen = range(first, end, step)
    return [number for number in sorted(numbers.tolist(), reverse=step < 0) if number in chosen]


def number_in(key: Any) -> int | None:
    """Returns the trace number that `key` is, or None if it is no number."""
    if isinstance(key, (bool, numpy.bool_)) or not hasattr(key, "__index__"):
        return None
    if getattr(key, "ndim", 0) > 0:
        return None
    return int(key.__index__())


class Columns(dict[str, Any]):
    """Values of header words: an array per name, or a list of texts."""

    def __missing__(self, name: object) -> Any:
        raise unknown_name(f"there is no column {name!r}", str(name), self)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a table with one row per trace. Needs pandas."""
        import pandas

        return pandas.DataFrame(dict(self))

    def to_polars(self) -> polars.DataFrame:
        """Returns a table with one row per trace. Needs polars."""
        import polars

        return polars.DataFrame(dict(self))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns the table as an Arrow C stream. Needs pyarrow."""
        import pyarrow

        return pyarrow.table(dict(self)).__arrow_c_stream__(requested_schema)
