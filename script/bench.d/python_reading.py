"""Reads or writes a survey in Python, by one of several ways. Prints the seconds of the job, without starting and importing.

python_reading.py JOB READER FILE: the jobs are the functions below, the readers sill, segyio, sill.segyio, for `all` and
`apply` numpy, and for `xarray-mean` segysak.
"""

import os
import sys
import time
import types

import measure
import numpy

WORDS = {"tracl": 1, "fldr": 9, "tracf": 13, "ep": 17, "cdp": 21, "offset": 37, "sx": 73, "gx": 81, "iline": 189,
         "xline": 193}  # fmt: skip


def opened_by_segyio(path, **how):
    return SEGYIO.open(path, strict=False, **how)


def words(reader, path, names):
    if reader == "sill":
        columns = SILL.open(path).headers(*names)
        return sum(int(columns[name].sum()) for name in names)
    with opened_by_segyio(path, ignore_geometry=True) as file:
        return sum(int(file.attributes(WORDS[name])[:].sum(dtype=numpy.int64)) for name in names)


def word(reader, path):
    return words(reader, path, ["cdp"])


def ten_words(reader, path):
    return words(reader, path, list(WORDS))


def all(reader, path):
    if reader == "sill":
        return SILL.open(path).traces[:][-1, -1]
    if reader == "numpy":
        return numpy.fromfile(path, numpy.uint8)[-1]
    with opened_by_segyio(path, ignore_geometry=True) as file:
        return file.trace.raw[:][-1, -1]


def loop(reader, path):
    if reader == "sill":
        return sum(float(trace[0]) for trace in SILL.open(path).traces)
    with opened_by_segyio(path, ignore_geometry=True) as file:
        return sum(float(trace[0]) for trace in file.trace)


class Lines:
    """Lines of a cube that is open: opening, which reads all headers, is another job."""

    def __init__(self, reader, path):
        self.of_sill = reader == "sill"
        self.file = SILL.open(path) if self.of_sill else opened_by_segyio(path)
        self.inlines = self.file.inlines if self.of_sill else self.file.iline
        self.numbers = list(self.inlines.numbers if self.of_sill else self.file.ilines)


def timed(work):
    work.times_itself = True
    return work


def in_lines(work):
    def run(reader, path):
        lines = Lines(reader, path)
        began = time.perf_counter()
        work(lines)
        return time.perf_counter() - began

    return timed(run)


def read_inlines(lines):
    for number in lines.numbers[::10]:
        lines.inlines[number]


def read_crosslines(lines):
    if lines.of_sill:
        for number in lines.file.crosslines.numbers[::10]:
            lines.file.crosslines[number]
    else:
        for number in lines.file.xlines[::10]:
            lines.file.xline[number]


def read_slices(lines):
    for sample in (100, 300, 500):
        if lines.of_sill:
            lines.file.slices[sample * lines.file.interval]
        else:
            lines.file.depth_slice[sample]


@timed
def write(reader, path):
    """Writes the samples of the survey, and two words, as IEEE floats."""
    samples = SILL.open(path).traces[:]
    cdp = numpy.arange(len(samples))
    output = path + ".written"
    measure.touch_memory(2 * os.path.getsize(path))  # for the page cache; the array is in memory already
    began = time.perf_counter()
    if reader == "sill":
        SILL.create(output, samples, {"cdp": cdp, "offset": 7}, interval=0.002)
    else:
        spec = SEGYIO.spec()
        spec.samples, spec.format, spec.tracecount = numpy.arange(samples.shape[1]) * 2.0, 5, len(samples)
        with SEGYIO.create(output, spec) as file:
            file.trace.raw[:] = samples
            for i in range(len(samples)):
                file.header[i] = {SEGYIO.TraceField.CDP: i, SEGYIO.TraceField.offset: 7}
    taken = time.perf_counter() - began
    os.remove(output)
    return taken


@timed
def apply(reader, path):
    """A filter of SciPy, in a flow that reads and writes, or on arrays in memory."""
    import scipy.signal

    sections = scipy.signal.butter(4, [0.05, 0.3], "bandpass", output="sos")

    def bandpass(block):
        return scipy.signal.sosfilt(sections, block.samples)

    survey = SILL.open(path)
    if reader == "sill":
        output = path + ".written"
        began = time.perf_counter()
        survey.apply(bandpass).write(output)
        taken = time.perf_counter() - began
        os.remove(output)
        return taken
    blocks = [types.SimpleNamespace(samples=survey.traces[i : i + 128]) for i in range(0, len(survey), 128)]
    began = time.perf_counter()
    for block in blocks:
        bandpass(block)
    return time.perf_counter() - began


def xarray_mean(reader, path):
    if reader == "sill":
        return float(xarray.open_dataset(path, engine=sill.xarray.SillBackend, chunks={}).samples.mean())
    lines = {"iline": 189, "xline": 193}
    return float(xarray.open_dataset(path, engine="sgy_engine", dim_byte_fields=lines, chunks={}).data.mean())


JOBS = {
    "word": word, "ten-words": ten_words, "all": all, "loop": loop, "inlines": in_lines(read_inlines),
    "crosslines": in_lines(read_crosslines), "slices": in_lines(read_slices), "write": write, "apply": apply,
    "xarray-mean": xarray_mean,
}  # fmt: skip

if __name__ == "__main__":
    job, reader, path = sys.argv[1:]
    if job == "xarray-mean":
        import dask.array  # noqa: F401
        import xarray
    if job == "xarray-mean" and reader == "sill":
        import sill.xarray
    elif reader == "segysak":
        import segysak.segy  # noqa: F401
    elif reader == "sill" or job in ("write", "apply"):
        import sill as SILL
    if reader == "segyio":
        import segyio as SEGYIO
    elif reader == "sill.segyio":
        import sill.segyio as SEGYIO
    work = JOBS[job]
    if work is all:
        numpy.ones(os.path.getsize(path), numpy.uint8)  # the result is then made of memory that the host has given
    began = time.perf_counter()
    taken = work(reader, path)
    print(taken if getattr(work, "times_itself", False) else time.perf_counter() - began)
