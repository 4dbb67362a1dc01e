"""Reads PNG files of 8-bit RGB, independently of libpng. Source: PNG specification, third edition, sections 9 and 11."""

import struct
import zlib

import numpy as np


def decode(data: bytes) -> np.ndarray:
    """Rows, columns, three bytes."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        (stored,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert stored == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, colour, interlaced) == (8, 2, 0)
            size = height, width
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    assert kind == b"IEND" and at == len(data)
    height, width = size
    rows = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, 1 + 3 * width)
    picture = np.zeros((height, 3 * width), dtype=np.uint8)
    above = np.zeros(3 * width, dtype=np.uint8)
    for y in range(height):
        above = picture[y] = unfiltered(rows[y, 0], rows[y, 1:], above)
    return picture.reshape(height, width, 3)


def unfiltered(kind: int, row: np.ndarray, above: np.ndarray) -> np.ndarray:
    if kind == 0:
        return row
    if kind == 1:  # bytes of a pixel on the left, modulo 256
        return np.cumsum(row.reshape(-1, 3), axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return row + above
    out, up = bytearray(row.tobytes()), above.tobytes()
    for i, byte in enumerate(out):
        left, corner = (out[i - 3], up[i - 3]) if i >= 3 else (0, 0)
        if kind == 3:
            guess = (left + up[i]) // 2
        else:
            # Distances of left + up - corner from the three.
            a, b = abs(up[i] - corner), abs(left - corner)
            c = abs(left + up[i] - 2 * corner)
            guess = left if a <= b and a <= c else up[i] if b <= c else corner
        out[i] = (byte + guess) & 255
    return np.frombuffer(bytes(out), dtype=np.uint8)
