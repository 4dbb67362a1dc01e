"""Surveys of known geometry: which words per file of each kind holds, without the program's help."""

import numpy as np
import segy_files

GEOMETRY_WORDS = (
    "fldr", "tracf", "ep", "cdp", "offset", "scalco", "sx", "sy", "gx", "gy", "counit", "cdpx", "cdpy", "iline", "xline",
)  # fmt: skip


def with_words(traces: int, *, samples: int = 3, scale: int = 1, unit: int = 1, system: int = 1, **words):
    """A file whose words of geometry are 0 but for those told; `scale` is the scalar of coordinates as stored."""
    file = segy_files.make(traces, samples)
    for name in GEOMETRY_WORDS:
        file.put_word(name, 0)
    file.put_word("scalco", scale).put_word("counit", unit).put_binary(3255, "i2", system)
    for name, values in words.items():
        file.put_word(name, values)
    return file


def grid_numbers(ilines, xlines, each: int = 1):
    """Numbers of inlines and crosslines, crosslines fastest, and `each` traces per bin."""
    slow, fast = np.meshgrid(np.asarray(ilines), np.asarray(xlines), indexing="ij")
    return np.repeat(slow.ravel(), each), np.repeat(fast.ravel(), each)


def grid(ilines, xlines, **options):
    slow, fast = grid_numbers(ilines, xlines)
    return with_words(len(slow), iline=slow, xline=fast, **options)


def turned(iline, xline, *, origin, degrees: float, between_ilines: float, between_xlines: float):
    """Coordinates of a grid whose inlines run `degrees` clockwise from +y; inline numbers ascend to their right."""
    angle = np.deg2rad(degrees)
    along, across = xline * between_xlines, iline * between_ilines
    x = origin[0] + along * np.sin(angle) + across * np.cos(angle)
    y = origin[1] + along * np.cos(angle) - across * np.sin(angle)
    return x, y


def stored(values, scale: int):
    """Coordinates as the word holds them, rounded."""
    factor = 1 / scale if scale > 0 else -scale if scale < 0 else 1
    return np.rint(np.asarray(values) * factor).astype(np.int64)


def shots(count: int, channels: int, *, dx: float = 25.0, degrees: float = 90.0, scale: int = -100):
    """A towed line: `channels` receivers behind each source; record and channel numbers, offsets, coordinates."""
    shot, channel = np.divmod(np.arange(count * channels), channels)
    offset = 100 + channel * dx
    direction = np.array([np.sin(np.deg2rad(degrees)), np.cos(np.deg2rad(degrees))])
    source = 400_000 + np.outer(shot * dx, direction)
    receiver = source - np.outer(offset, direction)
    return with_words(
        len(shot), scale=scale, fldr=100 + shot, ep=1000 + shot, tracf=1 + channel, offset=np.rint(offset),
        sx=stored(source[:, 0], scale), sy=stored(source[:, 1], scale), gx=stored(receiver[:, 0], scale),
        gy=stored(receiver[:, 1], scale),
    )  # fmt: skip
