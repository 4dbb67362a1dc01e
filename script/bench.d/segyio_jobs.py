"""What segyio takes for the same jobs. Prints the seconds of the job itself, without starting Python and importing.

segyio_jobs.py words FILE BYTE...        reads header words of all traces
segyio_jobs.py sort FILE OUT BYTE...     sorts by words: reads them, orders, copies trace by trace
"""

import sys
import time

import numpy
import segyio


def read_words(path, numbers):
    with segyio.open(path, strict=False, ignore_geometry=True) as file:
        return [file.attributes(number)[:] for number in numbers]


def sort(path, output, numbers):
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


def main():
    job, path, *rest = sys.argv[1:]
    began = time.perf_counter()
    if job == "words":
        read_words(path, [int(number) for number in rest])
    else:
        sort(path, rest[0], [int(number) for number in rest[1:]])
    print(time.perf_counter() - began)


main()
