"""What readers in Python take for the same jobs. Prints the seconds of the job itself, without starting and importing.

python_jobs.py words FILE BYTE...        segyio reads header words of all traces
python_jobs.py sort FILE OUT BYTE...     segyio sorts by words: reads them, orders, copies trace by trace
python_jobs.py convert FILE OUT          segyio writes all traces with IEEE floats, trace by trace
python_jobs.py obspy-convert FILE OUT    obspy reads all traces and writes them with IEEE floats
python_jobs.py obspy-bandpass FILE       obspy filters all traces, one by one; prints the seconds of that alone
python_jobs.py scipy-bandpass FILE       scipy filters them, 1000 at once; likewise
python_jobs.py scipy-agc|envelope|ormsby|resample-MS|spectrum FILE   NumPy and SciPy do that, likewise
"""

import sys
import time

import numpy


def read_words(path, numbers):
    import segyio

    with segyio.open(path, strict=False, ignore_geometry=True) as file:
        return [file.attributes(number)[:] for number in numbers]


def sort(path, output, numbers):
    import segyio

    keys = read_words(path, numbers)
    order = numpy.lexsort(keys[::-1])
    with segyio.open(path, strict=False, ignore_geometry=True) as source:
        spec = segyio.spec()
        spec.format = int(source.format)
        spec.samples = source.samples
        spec.tracecount = source.tracecount
        with segyio.create(output, spec) as target:
            target.text[0] = source.text[0]
            target.bin = source.bin
            for to, start in enumerate(order.tolist()):
                target.header[to] = source.header[start]
                target.trace[to] = source.trace[start]


def convert(path, output):
    import segyio

    with segyio.open(path, strict=False, ignore_geometry=True) as source:
        spec = segyio.spec()
        spec.format = 5
        spec.samples = source.samples
        spec.tracecount = source.tracecount
        with segyio.create(output, spec) as target:
            target.text[0] = source.text[0]
            target.bin = source.bin
            target.bin[segyio.BinField.Format] = 5
            target.header = source.header
            target.trace = source.trace


def obspy_convert(path, output):
    from obspy.io.segy.segy import _read_segy

    stream = _read_segy(path)
    stream.write(output, data_encoding=5)


BAND_HZ, ORDER, BLOCK = (8.0, 60.0), 4, 1000


def rows_of(path):
    import segyio

    with segyio.open(path, strict=False, ignore_geometry=True) as file:
        return file.trace.raw[:], 1e6 / segyio.tools.dt(file)


def obspy_bandpass(rows, rate_hz):
    from obspy.signal.filter import bandpass

    began = time.perf_counter()
    for row in rows:
        bandpass(row, *BAND_HZ, rate_hz, corners=ORDER, zerophase=True)
    return time.perf_counter() - began


def scipy_bandpass(rows, rate_hz):
    from scipy.signal import butter, sosfiltfilt

    began = time.perf_counter()
    sections = butter(ORDER, BAND_HZ, "bandpass", fs=rate_hz, output="sos")
    for first in range(0, len(rows), BLOCK):
        sosfiltfilt(sections, rows[first : first + BLOCK])
    return time.perf_counter() - began


WINDOW_S, CORNERS_HZ = 0.5, (4.0, 8.0, 60.0, 80.0)


def agc(rows, rate_hz):
    from scipy.ndimage import uniform_filter1d

    squares = uniform_filter1d(numpy.square(rows, dtype="f8"), round(WINDOW_S * rate_hz) // 2 * 2 + 1, axis=1)
    return rows / numpy.sqrt(squares)


def ormsby(rows, rate_hz):
    from scipy.fft import irfft, next_fast_len, rfft, rfftfreq

    length = next_fast_len(rows.shape[1] + int(rate_hz * 2 / 4), real=True)
    weights = numpy.interp(rfftfreq(length, 1 / rate_hz), CORNERS_HZ, (0, 1, 1, 0))
    return irfft(rfft(rows.astype("f8"), length) * weights, length)[:, : rows.shape[1]].astype("f4")


def spectrum(rows, rate_hz):
    from scipy.fft import rfft

    return numpy.abs(rfft(rows.astype("f8"))).sum(axis=0)


def envelope(rows, rate_hz):
    from scipy.fft import next_fast_len
    from scipy.signal import hilbert

    samples = rows.shape[1]
    return numpy.abs(hilbert(rows.astype("f8"), next_fast_len(2 * samples), axis=1)[:, :samples])


def resampled(new_ms):
    def resample(rows, rate_hz):
        from fractions import Fraction

        from scipy.signal import resample_poly

        ratio = Fraction(round(1e6 / rate_hz), 1000 * new_ms)  # new samples for each old one
        return resample_poly(rows, ratio.numerator, ratio.denominator, axis=1, window=("kaiser", 10.0))

    return resample


ARITHMETIC = {"agc": agc, "envelope": envelope, "ormsby": ormsby, "spectrum": spectrum} | {
    f"resample-{ms}": resampled(ms) for ms in (1, 3, 4)
}  # fmt: skip


def in_blocks(work):
    def run(rows, rate_hz):
        began = time.perf_counter()
        for first in range(0, len(rows), BLOCK):
            work(rows[first : first + BLOCK], rate_hz)
        return time.perf_counter() - began

    return run


def main():
    job, path, *rest = sys.argv[1:]
    filters = {"obspy-bandpass": obspy_bandpass, "scipy-bandpass": scipy_bandpass}
    filters |= {f"scipy-{name}": in_blocks(work) for name, work in ARITHMETIC.items()}
    if job in filters:
        print(filters[job](*rows_of(path)))
        return
    if job == "obspy-convert":
        import obspy.io.segy.segy  # noqa: F401
    else:
        import segyio  # noqa: F401
    began = time.perf_counter()
    if job == "words":
        read_words(path, [int(number) for number in rest])
    elif job == "convert":
        convert(path, rest[0])
    elif job == "obspy-convert":
        obspy_convert(path, rest[0])
    else:
        sort(path, rest[0], [int(number) for number in rest[1:]])
    print(time.perf_counter() - began)


main()
