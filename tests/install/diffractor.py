#!/usr/bin/python3
"""Writes a line of SEG-Y over a point diffractor: diffractor.py FILE. It lies at x = 1500 m, 600 ms deep at 2000 m/s."""

import math
import struct
import sys

VELOCITY, X, T0, DT = 2000.0, 1500.0, 0.6, 0.002
SHOTS, CHANNELS, SAMPLES = 20, 24, 600


def ricker(t: float) -> float:
    a = (math.pi * 25.0 * t) ** 2
    return (1.0 - 2.0 * a) * math.exp(-a)


header = bytearray(b"\x40" * 3200 + bytes(400))
struct.pack_into(">HxxH", header, 3216, 2000, SAMPLES)
struct.pack_into(">h", header, 3224, 5)
struct.pack_into(">BBh", header, 3500, 1, 0, 1)
with open(sys.argv[1], "wb") as file:
    file.write(header)
    for shot in range(SHOTS):
        for channel in range(CHANNELS):
            source = 150.0 * shot
            receiver = source + 100.0 + 50.0 * channel
            time = sum(math.hypot(T0 / 2, (X - x) / VELOCITY) for x in (source, receiver))
            trace = bytearray(240)
            struct.pack_into(">i", trace, 0, shot * CHANNELS + channel + 1)
            struct.pack_into(">h", trace, 28, 1)
            struct.pack_into(">h", trace, 70, -100)
            struct.pack_into(">i", trace, 72, round(100 * source))
            struct.pack_into(">i", trace, 80, round(100 * receiver))
            struct.pack_into(">HH", trace, 114, SAMPLES, 2000)
            file.write(trace + struct.pack(f">{SAMPLES}f", *(ricker(i * DT - time) for i in range(SAMPLES))))
