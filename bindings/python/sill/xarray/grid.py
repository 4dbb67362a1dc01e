"""Dimensions of datasets: the values along them, and the trace at each position."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from ..arrays import Array
from ..errors import usage_error
from ..survey import Survey

CHUNK_BYTES = 32 << 20  # of samples: the chunks that are proposed
_MIN_CABLE_CHANNELS = 8
# The words of dimensions that are named as the detected ones are.
_WORDS = {"inline": "iline", "crossline": "xline", "shot": "fldr", "cable": "", "channel": "tracf"}


def _keys_of(text: str) -> list[str]:
    """Returns words and expressions that commas separate."""
    depth, keys = 0, [""]
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            keys.append("")
        else:
            keys[-1] += character
    return [key.strip() for key in keys]


def named(dimensions: str | Sequence[str] | Mapping[str, str] | None) -> dict[str, str] | None:
    """Returns names and words of dimensions; {} for "trace", None for those of the detected geometry."""
    if dimensions is None or isinstance(dimensions, Mapping):
        return None if dimensions is None else dict(dimensions)
    names = _keys_of(dimensions) if isinstance(dimensions, str) else list(dimensions)
    return {} if names == ["trace"] else {name: _WORDS.get(name, name) for name in names}


def detected(survey: Survey, geometry: Mapping[str, Any]) -> dict[str, str]:
    """Returns names and words of dimensions for a geometry as of ``sill info --geometry``; {} for those of no kind."""
    dimensions = {each["name"]: each["expression"] for each in geometry["array_dimensions"]}
    if dimensions == {"trace": ""}:
        return {}
    if "channel" in dimensions and _cables(survey, survey["tracf"]) is not None:
        return {"shot": dimensions["shot"], "cable": "", "channel": dimensions["channel"]}
    return dimensions


def _cables(survey: Survey, channels: Array) -> Array | None:
    """Returns the number of the cable of each trace, from a word or from offsets; None if there is one cable only."""
    for word in survey.words:
        if "cable" in word.lower() and len(numpy.unique(values := survey[word])) > 1:
            return numpy.asarray(values)
    numbers, at = numpy.unique(channels, return_inverse=True)
    if "offset" not in survey.words or len(numbers) < 2 * _MIN_CABLE_CHANNELS:
        return None
    steps = numpy.diff(numpy.bincount(at, numpy.abs(survey["offset"])) / numpy.bincount(at))
    starts = numpy.flatnonzero(steps * numpy.sign(numpy.median(steps)) < 0) + 1  # offsets jump back
    if len(starts) == 0 or numpy.diff([0, *starts, len(numbers)]).min() < _MIN_CABLE_CHANNELS:
        return None
    return numpy.searchsorted(starts, at, side="right") + 1


def _within_cables(cables: Array, channels: Array) -> Array | None:
    """Returns channels counted from 1 in each cable; None if they do not count on from cable to cable."""
    _, at = numpy.unique(cables, return_inverse=True)
    order = numpy.lexsort((channels, at))
    begins = numpy.flatnonzero(numpy.diff(at[order], prepend=-1))
    low, high = channels[order[begins]], channels[order[numpy.append(begins[1:], len(order)) - 1]]
    by_low = numpy.argsort(low)
    return channels - low[at] + 1 if len(low) > 1 and (low[by_low][1:] > high[by_low][:-1]).all() else None


def grid_of(
    survey: Survey, dimensions: Mapping[str, str], max_per_trace: float = math.inf
) -> tuple[dict[str, Array], Array, list[str]]:
    """Returns the values along each dimension, the number of the trace at each position (-1: none), and notes.

    Raises UsageError if two traces have the same position, or for more positions per trace than `max_per_trace`.
    """
    numbers = numpy.arange(len(survey))
    if not dimensions:
        return {"trace": numbers}, numbers, []
    file, notes = survey.paths[0], []
    columns = survey.headers(*{word for word in dimensions.values() if word})
    values = {name: numpy.asarray(columns[word]) for name, word in dimensions.items() if word}
    if "cable" in dimensions and "channel" in dimensions:
        cables = values["cable"] if "cable" in values else _cables(survey, values["channel"])
        if cables is None:
            raise usage_error("no header word states the cable of a trace, and offsets do not show where cables begin",
                        'name the word: dimensions={"shot": "fldr", "cable": WORD, "channel": "tracf"}', file)  # fmt: skip
        values["cable"] = cables
        if (within := _within_cables(cables, values["channel"])) is not None:
            values["channel"] = within
            notes.append("channel numbers count on over the cables: `channel` counts from 1 in each cable")
    elif "" in dimensions.values():
        raise usage_error("cables are recognized by their channels", 'name both: ("shot", "cable", "channel")', file)
    columns_of_grid = [numpy.ascontiguousarray(values[name], "f8") for name in dimensions]
    found, grid = survey._files.opened.trace_grid(list(dimensions), columns_of_grid, max_per_trace)
    axes = {name: axis.astype(values[name].dtype) for name, axis in zip(dimensions, found, strict=True)}
    return axes, grid.reshape([len(axis) for axis in axes.values()]), notes


def chunks_of(grid: Array, trace_bytes: int) -> list[int]:
    """Returns the shape of a chunk: full along the dimensions along which traces are close to each other in the file."""
    distances = []
    for axis in range(grid.ndim):
        along = numpy.moveaxis(grid, axis, 0)
        steps = numpy.abs(along[1:] - along[:-1])[(along[1:] >= 0) & (along[:-1] >= 0)]
        distances.append(numpy.median(steps) if len(steps) else math.inf)
    chunks, room = [1] * grid.ndim, CHUNK_BYTES // max(1, trace_bytes)
    for axis in numpy.argsort(distances, kind="stable"):
        chunks[axis] = max(1, min(grid.shape[axis], room))
        room //= chunks[axis]
    return chunks
