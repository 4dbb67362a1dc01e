"""The dataset of a survey, whose variables are read when they are needed."""

from __future__ import annotations

import functools
import json
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy
import xarray
from xarray.backends import BackendArray
from xarray.core import indexing

from .. import _sill, commands
from ..arrays import BLOCK_BYTES, Array
from ..errors import UsageError, usage_error
from ..files import Files
from ..survey import Survey
from .grid import chunks_of, detected, grid_of

_MAX_POSITIONS_PER_TRACE = 10  # of detected dimensions; with more, nearly all of each chunk would be holes
_MAX_EXACT = 2**53  # of integers as float64
# Coordinates in true units, and their words.
_COORDINATES = {
    "source_x": "sx", "source_y": "sy", "receiver_x": "gx", "receiver_y": "gy", "cdp_x": "cdpx", "cdp_y": "cdpy",
    "source_elevation": "selev", "receiver_elevation": "gelev", "source_depth": "sdepth",
}  # fmt: skip
_UNITS = {"metres": "m", "feet": "ft"}
_ANGLES = {"degrees": ("degrees_east", "degrees_north"), "arc seconds": ("arcsec", "arcsec")}


class TraceArray(BackendArray):
    """A header word, or (without one) the samples, of the traces at the positions of a grid."""

    def __init__(self, files: Files, grid: Array, dtype: Any, word: str = "") -> None:
        self.files, self.grid, self.dtype, self.word = files, grid, numpy.dtype(dtype), word
        self.shape = grid.shape if word else (*grid.shape, files.opened.samples)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def numbers_at(self, key: tuple[Any, ...]) -> Array:
        """Returns the numbers of the traces at `key`, -1 for none."""
        numbers = self.grid
        for axis in reversed(range(self.grid.ndim)):
            numbers = numbers[(slice(None),) * axis + (key[axis],)]
        return numpy.asarray(numbers)

    def _read(self, key: tuple[Any, ...]) -> Array:
        numbers = self.numbers_at(key)
        is_trace = numbers >= 0
        window = None if self.word else numpy.arange(self.shape[-1])[key[-1]]
        shape = numbers.shape if window is None else (*numbers.shape, *window.shape)
        _sill.require_memory(math.prod(shape) * self.dtype.itemsize)
        present = self._read_word(numbers[is_trace]) if window is None else self._read_samples(numbers[is_trace], window)
        if is_trace.all():
            return present.reshape(shape)
        filled = numpy.full(shape, "" if self.dtype.kind == "U" else numpy.nan, self.dtype)
        filled[is_trace] = present.reshape(len(present), *shape[numbers.ndim :])
        return filled

    def _read_samples(self, numbers: Array, window: Array) -> Array:
        opened, samples = self.files.opened, self.shape[-1]
        rows = numpy.empty((len(numbers), window.size), self.dtype)
        if numpy.array_equal(window, numpy.arange(samples)):
            opened.read_samples(numbers, rows)
            return rows
        if window.size == 1:  # a slice: few bytes of each trace
            values = opened.read_sample(numbers, int(window.flat[0]))
            if not (numpy.isfinite(values) & (numpy.abs(values) > numpy.finfo(self.dtype).max)).any():
                rows[:, 0] = values
                return rows  # otherwise the error of reading complete traces
        at_once = max(1, BLOCK_BYTES // (samples * self.dtype.itemsize))
        for first in range(0, len(numbers), at_once):
            block = numpy.empty((min(at_once, len(numbers) - first), samples), self.dtype)
            opened.read_samples(numbers[first : first + at_once], block)
            rows[first : first + at_once] = block[:, window.reshape(-1)]
        return rows

    def _read_word(self, numbers: Array) -> Array:
        opened = self.files.opened
        first = int(numbers.min(initial=opened.traces))
        count = int(numbers.max(initial=first - 1)) - first + 1
        is_dense = count <= 2 * len(numbers)  # then one pass is faster than a request for each header
        values = opened.read_columns((first, count) if is_dense else numbers, [self.word])[0]
        values = numpy.asarray(values)[numbers - first if is_dense else slice(None)]
        if self.dtype.kind == "f" and values.dtype.kind == "i" and (numpy.abs(values) > _MAX_EXACT).any():
            raise usage_error(f"values of {self.word} exceed 2^53: they do not fit an array with NaN at positions without a trace",
                        'open with dimensions="trace"', os.fsdecode(self.files.paths[0]))  # fmt: skip
        return values.astype(self.dtype, copy=False)


def _sample_axis(survey: Survey) -> tuple[str, Array, dict[str, Any], Array | None]:
    """Returns name, values and attributes of the axis of samples; and, if they differ, the starts of the traces."""
    opened = survey._files.opened
    name, per_unit = ("depth", 1e3) if opened.is_depth else ("twt", 1e6)
    samples, step = numpy.arange(opened.samples), opened.interval_us
    if not step > 0:
        return "sample", samples, {"long_name": "sample, from 0: no sample interval is stated"}, None
    delay = opened.true_text("delrt")
    starts_us = numpy.zeros(1) if delay == "delrt" or len(survey) == 0 else 1000.0 * survey[delay]
    if not (starts_us == starts_us[0]).all():
        text = f"sample, from 0: at {name}_start + sample * {step / per_unit:g}"
        return "sample", samples, {"long_name": text, "interval": step / per_unit}, starts_us / per_unit
    attributes = {"standard_name": "depth"} if opened.is_depth else {"long_name": "two-way travel time", "units": "s"}
    if delay == "delrt":
        attributes["comment"] = "no word states the time of the first sample: 0 is assumed"
    return name, (starts_us[0] + samples * step) / per_unit, attributes | {"positive": "down", "axis": "Z"}, None


@functools.lru_cache(maxsize=4)
def _descriptions(map: bytes, length: str) -> dict[str, dict[str, str]]:
    """Returns attributes of header words by their names, as ``sill words``; `length` is the unit of lengths, or ""."""
    table = {}
    for word in commands.run("words", map=map):
        metric, *feet = word.unit.split(" or ")  # "m or ft"
        unit = {"": "", "m": metric, "ft": feet[0]}[length] if feet else metric
        is_unit = unit and not word.scalar and not unit.startswith("by ")
        attributes = {"long_name": word.text} | ({"units": unit} if is_unit else {})
        if word.header != "binary header":
            names = word.get("names") or [word.segyio, word.standard, word.su]
            table.update({name: attributes for name in names})
    return table


def _coordinate_attributes(name: str, unit: str) -> dict[str, str]:
    attributes, is_y = {"long_name": name.replace("_", " ")}, name.endswith("_y")
    if is_y or name.endswith("_x"):
        if unit in _ANGLES:
            return attributes | {"standard_name": ("longitude", "latitude")[is_y], "units": _ANGLES[unit][is_y]}
        if unit == "degrees, minutes, seconds":
            return attributes | {"comment": "degrees, minutes and seconds as digits"}
        attributes["standard_name"] = f"projection_{'xy'[is_y]}_coordinate"
    return attributes | ({"units": _UNITS[unit]} if unit in _UNITS else {})


def dataset_of(survey: Survey, dimensions: dict[str, str] | None, dtype: Any) -> xarray.Dataset:
    """Returns the dataset of a survey, as `SillBackend.open_dataset`. Local."""
    if dtype.str not in (numpy.dtype("f4").str, numpy.dtype("f8").str):
        raise TypeError(f"samples are read as float32 or float64, not as {dtype}: positions without a trace are NaN")
    files, file, opened = survey._files, survey.paths[0], survey._files.opened
    trace_bytes = dtype.itemsize * opened.samples  # raises, if traces differ in length
    geometry: Mapping[str, Any] = survey.geometry if len(files.paths) == 1 else {"kind": "not known for several files"}
    words = dimensions
    try:
        if words is None:
            words = detected(survey, geometry) if "words" in geometry else {}
        axes, grid, notes = grid_of(survey, words, math.inf if dimensions is not None else _MAX_POSITIONS_PER_TRACE)
        if dimensions is None and not words:
            of = (geometry.get("gathers") or {}).get("words", [])
            why = f"the geometry is {geometry['kind']}" + f", numbered by several words ({', '.join(of)})" * (len(of) > 1)
            notes.append(f"the only dimension is `trace`: {why if len(survey) else 'the survey has no traces'}")
    except UsageError as error:
        if dimensions is not None:
            raise
        words = {}
        axes, grid, _ = grid_of(survey, words)
        notes = [f"the only dimension is `trace`: {error.problem}"]
    dims = tuple(axes)
    axis, positions, axis_attributes, starts = _sample_axis(survey)
    if taken := {"samples", axis, *_COORDINATES, *(("trace",) if words else ())} & set(dims):
        raise usage_error(f"{taken.pop()} cannot be the name of a dimension of traces", "choose another name", file)
    if holes := int(numpy.count_nonzero(grid < 0)):
        notes.append(f"{holes} of {grid.size} positions have no trace: samples and words are NaN there, and `trace` is -1")
    unit = geometry.get("unit", "")
    described = _descriptions(files.map, _UNITS.get(unit, ""))
    chunks = dict(zip(dims, chunks_of(grid, trace_bytes), strict=True))

    def per_trace(data: Any, attributes: Mapping[str, Any]) -> xarray.Variable:
        return xarray.Variable(dims, data, attributes, {"preferred_chunks": chunks})

    def lazy(dtype: Any, word: str = "") -> indexing.LazilyIndexedArray:
        return indexing.LazilyIndexedArray(TraceArray(files, grid, dtype, word))

    opened_as = {"paths": survey.paths, "stamps": files.stamps, "states": files.states, "map": os.fsdecode(files.map), "assume": files.assume,
                 "dimensions": words, "dtype": dtype.name}  # fmt: skip
    coordinates = {name: xarray.Variable((name,), values, described.get(words.get(name, ""), {"long_name": name}))
                   for name, values in axes.items()}  # fmt: skip
    attributes = {"long_name": "number of the trace in the file, from 0", "opened_as": json.dumps(opened_as)}
    coordinates["trace"] = per_trace(grid, attributes)
    coordinates[axis] = xarray.Variable((axis,), positions, axis_attributes)
    if starts is not None:
        attributes = {"long_name": "position of the first sample"} | ({} if opened.is_depth else {"units": "s"})
        name = "depth_start" if opened.is_depth else "twt_start"
        coordinates[name] = per_trace(numpy.where(grid >= 0, starts[grid], numpy.nan), attributes)
    zero = {word["word"] for word in geometry.get("words", ()) if word["smallest"] == word["largest"] == 0}
    for name, word in _COORDINATES.items():
        if word in survey.words and word not in zero and (text := opened.true_text(word)) != word:
            coordinates[name] = per_trace(lazy("f8", text), _coordinate_attributes(name, unit))
    encoding = {"preferred_chunks": chunks | {axis: opened.samples}}
    variables = {"samples": xarray.Variable((*dims, axis), lazy(dtype), {"long_name": "samples"}, encoding)}
    for word, none in zip(survey.words, opened.read_columns((0, 0), survey.words), strict=True):
        kind = "U8" if isinstance(none, list) else "f8" if holes else none.dtype
        name = f"{word}_word" if word in coordinates or word in variables else word
        if words.get(word) != word:
            variables[name] = per_trace(lazy(kind, word), described.get(word, {}) | {"word": word})
    attributes = {"Conventions": "CF-1.11", "source": file, "geometry": geometry["kind"], "text_header": survey.text}
    dataset = xarray.Dataset(variables, coordinates, attributes | ({"comment": "; ".join(notes)} if notes else {}))
    return dataset
