"""Writes a dataset as the file that it was opened from, with its changes."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy
import xarray
from xarray.core import indexing

from .. import _sill
from ..arrays import Array, word_values
from ..commands import SillWarning
from ..errors import IoError, UsageError, error_at, require_one_process, usage_error
from ..files import Files, Path, encoded
from ..survey import Survey
from .dataset import TraceArray, dataset_of


def _differ(values: Array, old: Array) -> Array:
    return (values != old) & ((values == values) | (old == old))  # type: ignore[no-any-return]  # NaN equals NaN


class Writing:
    """A dataset, and the file that it was opened from, for `SillAccessor.to_segy`."""

    def __init__(self, dataset: xarray.Dataset, storage_options: Mapping[str, Any] | None) -> None:
        trace = dataset.variables.get("trace")
        if trace is None or "opened_as" not in trace.attrs or trace.dtype.kind != "i":
            raise UsageError("the dataset does not state which traces it has: keep the coordinate `trace` with which the "
                             "engine sill opened it")  # fmt: skip
        opened_as = json.loads(trace.attrs["opened_as"])
        self.paths, self.file = opened_as["paths"], opened_as["paths"][0]
        states = {url: (size, identity) for url, (size, identity) in opened_as["states"].items()}
        files = Files([os.fsencode(path) for path in self.paths], os.fsencode(opened_as["map"]), opened_as["assume"],
                      opened_as["stamps"], storage_options, states=states)  # fmt: skip
        self.dtype = numpy.dtype(opened_as["dtype"])
        self.survey = Survey(files)
        self.opened = files.opened
        self.dataset, self.as_opened = dataset, dataset_of(self.survey, opened_as["dimensions"], self.dtype)
        self.axis = str(self.as_opened["samples"].dims[-1])
        if not set(trace.dims) <= set(self.as_opened["trace"].dims):
            raise usage_error(f"the traces have the dimensions {', '.join(map(str, trace.dims))}",
                              "keep those with which the file was opened", self.file)  # fmt: skip
        self.trace, self.grid = trace, trace.values  # the number of the trace at each position of the dataset
        self.numbers = numpy.unique(self.grid[self.grid >= 0])  # of the traces of the new file
        if len(self.numbers) < numpy.count_nonzero(self.grid >= 0):
            raise usage_error("the dataset has a trace twice", "choose each trace once", self.file)
        if len(self.numbers) == 0 < self.opened.traces:
            raise usage_error("the dataset has no traces", "choose some", self.file)
        self.window = self._window()
        self.changed = self._changed_words()
        if "delrt" in self.changed and len(self.window) < self.opened.samples:
            raise usage_error("samples were left out, and delrt, the time of the first sample, was changed",
                        "change delrt in a file of its own", self.file)  # fmt: skip

    def write(self, path: Path, comm: Any) -> None:
        require_one_process(comm)
        local = [file for file in self.paths if "://" not in file]
        if os.path.exists(path) and any(os.path.samefile(path, file) for file in local):
            raise usage_error("the output is the file of the dataset", "give the output another name", self.file)
        is_all = len(self.window) == self.opened.samples and len(self.numbers) == self.opened.traces
        is_copy = is_all and not self.changed and not self._has_samples() and not self.survey._files.assume
        if is_copy and self.paths == local and len(local) == 1:
            new = _sill.NewFile(os.fsencode(path))  # also what is around the traces
            try:
                shutil.copyfile(self.file, new.path)
            except OSError as error:
                del new  # which the exception would keep
                problem = f"copying the file of the dataset: {error.strerror}"
                raise error_at(IoError, encoded(path), problem, "name a folder with room", error.errno or 0) from None
            new.commit()
            return
        options = {
            "path": os.path.abspath(encoded(path)), "traces": len(self.numbers), "samples": len(self.window),
            "first_sample": int(self.window[0]), "reads_double": self.dtype.itemsize == 8,
        }  # fmt: skip
        output = _sill.SurveyOutput(comm, options, self.opened, None)
        nothing = numpy.empty(0, "f4")
        for numbers, samples in self._sample_blocks() if self._has_samples() else ((self.numbers, nothing),):
            at = numpy.searchsorted(self.numbers, numbers)
            words = [(name, numpy.ascontiguousarray(values[at])) for name, values in self.changed.items()]
            output.write(at, samples, words, numbers, None)
        for note in output.finish():
            warnings.warn(note, SillWarning, stacklevel=3)

    def _has_samples(self) -> bool:
        return "samples" in self.dataset and not self._is_as_opened("samples")

    def _window(self) -> Array:
        """Returns the numbers of the samples that the dataset has."""
        every = self.as_opened[self.axis].values
        has_axis = self.axis in self.dataset.variables
        positions = numpy.atleast_1d(self.dataset.variables[self.axis].values) if has_axis else every
        window = numpy.searchsorted(every, positions).clip(0, len(every) - 1)
        is_window = 0 < len(window) == self.dataset.sizes.get(self.axis, len(window))
        if not is_window or (every[window] != positions).any() or (numpy.diff(window) != 1).any():
            raise usage_error(f"the samples are not consecutive samples of the file, according to {self.axis}",
                        "choose a window; resample in a flow", self.file)  # fmt: skip
        return window

    def _is_as_opened(self, name: Any) -> bool:
        """Returns true if a variable was not replaced since the file was opened: its values come from the file."""
        variable = self.dataset.variables[name]
        data: Any = variable._data
        while isinstance(data, (indexing.MemoryCachedArray, indexing.CopyOnWriteArray)):
            data = data.array
        if not isinstance(data, indexing.LazilyIndexedArray) or not isinstance(data.array, TraceArray):
            return False
        file: Any = self.as_opened.variables[name]._data
        key = data.key.tuple
        if not data.array.word and not numpy.array_equal(numpy.arange(data.array.shape[-1])[key[-1]].ravel(), self.window):
            return False
        is_same = (data.array.word, data.array.files.paths) == (file.array.word, file.array.files.paths)
        is_at = tuple(dim for dim in variable.dims if dim != self.axis) == self.trace.dims
        return is_same and is_at and numpy.array_equal(data.array.numbers_at(key), self.grid)

    def _per_trace(self, dataset: xarray.Dataset, name: Any) -> Array:
        """Returns the values of a variable for all traces of a dataset, in the order of the file."""
        trace = dataset.variables["trace"]
        variable: Any = dataset.variables[name]
        values = variable.set_dims(dict(zip(trace.dims, trace.shape, strict=True))).transpose(*trace.dims).values
        numbers = trace.values
        return numpy.asarray(values[numbers >= 0][numpy.argsort(numbers[numbers >= 0])])

    def _require_no_trace(self, name: Any, values: Array) -> None:
        """Raises UsageError if there are values at positions without a trace; these have all dimensions of traces."""
        if (values == values).any():
            raise usage_error(f"there are {name} at positions without a trace",
                              f"remove them: {name}.where(dataset.trace >= 0)", self.file)  # fmt: skip

    def _changed_words(self) -> dict[str, Array]:
        """Returns the new values of the words that were changed."""
        text = self.as_opened.attrs["text_header"]
        if self.dataset.attrs.get("text_header", text) != text:
            raise usage_error("the attribute text_header was changed, which is not written", "set it with sill.edit", self.file)
        changed: dict[str, Array] = {}
        for name, variable in self.dataset.variables.items():
            if name in ("samples", "trace", self.axis):
                continue
            if name not in self.as_opened.variables or not set(variable.dims) <= set(self.trace.dims):
                raise usage_error(f"the file has no place for the variable {name}", f"drop it: dataset.drop_vars({name!r})",
                            self.file)  # fmt: skip
            if self._is_as_opened(name):
                continue
            if set(variable.dims) == set(self.trace.dims) and variable.dtype.kind in "biuf":
                self._require_no_trace(name, variable.transpose(*self.trace.dims).values[self.grid < 0])
            values, old = self._per_trace(self.dataset, name), self._per_trace(self.as_opened, name)[self.numbers]
            if not _differ(values, old).any():
                continue
            word = self.as_opened.variables[name].attrs.get("word", "")
            if not word or values.dtype.kind not in "biuf":
                raise usage_error(f"{name} was changed, which is not written: it is text, or computed from header words",
                            'change header words, those of dimensions after opening with dimensions="trace"; texts with '
                            "sill.edit", self.file)  # fmt: skip
            if word in ("ns", "dt"):
                raise usage_error(f"{word} was changed, which states the number or the interval of the samples",
                                  "choose a window, or resample in a flow", self.file)  # fmt: skip
            changed[word] = word_values(word, values, len(values))
        return changed

    def _blocks(self, samples: xarray.Variable) -> Iterator[tuple[slice, ...]]:
        """Yields the chunks of the traces; without chunks, those that were proposed."""
        size = self.as_opened["samples"].encoding["preferred_chunks"]
        if samples.chunks:
            starts = [numpy.cumsum((0, *sizes)) for sizes in samples.chunks[:-1]]
        else:
            starts = [numpy.append(numpy.arange(0, self.trace.sizes[dim], size[dim]), self.trace.sizes[dim])
                      for dim in self.trace.dims]  # fmt: skip
        return itertools.product(*(map(slice, each[:-1], each[1:]) for each in starts))

    def _sample_blocks(self) -> Iterator[tuple[Array, Array]]:
        """Yields trace numbers and their samples."""
        samples: Any = self.dataset.variables["samples"]
        if self.axis not in samples.dims and len(self.window) == 1:
            samples = samples.set_dims({**dict(zip(samples.dims, samples.shape, strict=True)), self.axis: 1})
        if set(samples.dims) != {*self.trace.dims, self.axis}:
            raise usage_error(f"samples have the dimensions {', '.join(map(str, samples.dims))}, but the traces "
                              f"{', '.join(map(str, self.trace.dims))}", "transform samples without changing dimensions",
                              self.file)  # fmt: skip
        samples = samples.transpose(*self.trace.dims, self.axis)
        for block in self._blocks(samples):
            values, numbers = numpy.asarray(samples[block].values), self.grid[block]
            is_hole = numbers < 0
            self._require_no_trace("samples", values[is_hole])
            rows = values[~is_hole].reshape(-1, len(self.window))
            yield numbers[~is_hole], numpy.ascontiguousarray(rows, rows.dtype.newbyteorder("="))
