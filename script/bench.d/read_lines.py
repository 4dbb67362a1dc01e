"""Reads pieces of a file and writes them behind its header, as little as that can be. Prints the seconds it took.

read_lines.py FILE OUT HEADER_BYTES FIRST_BYTE PIECE_BYTES PIECES STEP_BYTES
"""

import os
import sys
import time


def main():
    source, target = sys.argv[1:3]
    header, first, piece, pieces, step = map(int, sys.argv[3:])
    buffer = bytearray(header + piece * pieces)
    view = memoryview(buffer)
    began = time.perf_counter()
    reading = os.open(source, os.O_RDONLY)
    writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    if os.preadv(reading, [view[:header]], 0) != header:
        sys.exit("the header was not read whole")
    for i in range(pieces):
        to = header + i * piece
        if os.preadv(reading, [view[to : to + piece]], first + i * step) != piece:
            sys.exit("a piece was not read whole")
    if os.write(writing, view) != len(buffer):
        sys.exit("not all was written")
    os.close(writing)
    os.close(reading)
    print(repr(time.perf_counter() - began))


main()
