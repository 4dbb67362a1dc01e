"""Dimensions of datasets: the values along them, and the trace at each position."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from .. import _sill
from ..arrays import Array
from ..errors import usage_error
from ..survey import Survey

CHUNK_BYTES = 32 << 20  # of samples: the chunks that are proposed
_MIN_CABLE_CHANNELS = 8
# The words of dimensions that are named as the detected ones are.
_WORDS = {"inline": "iline", "crossline": "xline", "shot": "fldr", "cable": "", "channel": "tracf"}


def named(dimensions: str | Sequence[str] | Mapping[str, str] | None) -> dict[str, str] | None:
    """Returns names and words of dimensions; {} for "trace", None for those of the detected geometry."""
    if dimensions is None or isinstance(dimensions, Mapping):
        return None if dimensions is None else dict(dimensions)
    names = [dimensions] if isinstance(dimensions, str) else list(dimensions)
    return {} if names == ["trace"] else {name: _WORDS.get(name, name) for name in names}


def detected(survey: Survey, geometry: Mapping[str, Any]) -> dict[str, str]:
    """Returns names and words of dimensions for a geometry as of ``sill info --geometry``; {} for those of no kind."""
    kind, grid, gathers = geometry["kind"], geometry["grid"], geometry["gathers"]
    if kind.startswith("3-D grid"):
        dimensions = {"inline": grid["inlines"]["word"], "crossline": grid["crosslines"]["word"]}
        return dimensions | ({"offset": "offset"} if kind.endswith("pre-stack") else {})
    if kind in ("line, post-stack", "line of CMP gathers"):
        return {"cdp": grid["crosslines"]["word"]} | ({"offset": "offset"} if "CMP" in kind else {})
    if kind != "shot gathers" or len(gathers["words"]) != 1:
        return {}
    shot = {"shot": gathers["words"][0]}
    if not any(word["word"] == "tracf" and word["smallest"] != word["largest"] for word in geometry["words"]):
        return shot | {"offset": "offset"}
    return shot | ({} if _cables(survey, survey["tracf"]) is None else {"cable": ""}) | {"channel": "tracf"}


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
    axes, indices = {}, []
    for name in dimensions:
        axes[name], index = numpy.unique(values[name], return_inverse=True)
        indices.append(index)
    shape = tuple(len(axis) for axis in axes.values())
    if math.prod(shape) > max_per_trace * len(survey):
        raise usage_error(f"{', '.join(dimensions)} make {math.prod(shape)} positions for {len(survey)} traces",
                    "choose dimensions whose values repeat", file)  # fmt: skip
    _sill.require_memory(8 * math.prod(shape))
    cells = numpy.ravel_multi_index(indices, shape)
    grid = numpy.full(math.prod(shape), -1)
    grid[cells] = numbers
    if len(twice := numpy.flatnonzero(grid[cells] != numbers)):
        first, second = int(twice[0]), int(grid[cells][twice[0]])
        place = ", ".join(f"{name} {values[name][first]}" for name in dimensions)
        pairs = survey._files.opened.read_columns(numpy.array([first, second]), survey.words)
        differ = ", ".join(word for word, (a, b) in zip(survey.words, pairs, strict=True) if a != b) or "no word"
        raise usage_error(f"traces {first} and {second} (from 0) have the same position: {place}",
                    f'choose other dimensions, or dimensions="trace"; these traces differ in {differ}', file)  # fmt: skip
    return axes, grid.reshape(shape), notes


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
