"""Pictures of surveys, as ``sill view`` draws them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy

from . import _sill
from .errors import WRONG_TYPE, argument, unknown_name, usage_error

if TYPE_CHECKING:
    from .arrays import Array

_MAX_TRACES = {"density": 4000, "wiggle": 400}
_MAX_ROWS = 2000
_OPTIONS = {"kind": "density", "time": "", "clip": "98%", "gain": "none", "top": "", "colors": "grey", "colorbar": True}


class Picture:
    """A picture in PNG. Notebooks show it."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file. Errors: OSError."""
        Path(path).write_bytes(self.png)


def drawn(draw: Callable[[str], Any]) -> Picture:
    """Returns the picture that `draw` writes to a temporary file."""
    with tempfile.TemporaryDirectory(prefix="sill-") as folder:
        path = os.path.join(folder, "picture.png")
        draw(path)
        return Picture(Path(path).read_bytes())


def plotted(
    survey: _sill.Survey, numbers: Array, condition: str, gather: str, name: str, ax: Any, options: Mapping[str, Any]
) -> Any:  # fmt: skip
    """Draws traces on axes of matplotlib; see `Survey.plot`. `gather`: the word that the traces have in common, or ""."""
    for option in options.keys() - _OPTIONS.keys():
        raise unknown_name(f"plot() has no option {option!r}", option, _OPTIONS, WRONG_TYPE)
    kind, time, clip, gain, top, colors, colorbar = (_OPTIONS | dict(options)).values()
    if kind not in _MAX_TRACES:
        raise usage_error(f"the kind is {kind!r}", "use 'density' or 'wiggle'")
    if not len(numbers):
        raise usage_error("there are no traces to draw", "choose other traces")
    stride = -(-len(numbers) // _MAX_TRACES[kind])
    with argument("top", "pass a str such as 'fldr,tracf', or a list of these"):
        top = top if isinstance(top, str) else ",".join(top)
    section = _sill.section_of(survey, numbers, stride, condition, gather, name, time, str(clip), gain, top, _MAX_ROWS, colors)
    if ax is None:
        import matplotlib.pyplot

        ax = matplotlib.pyplot.subplots(layout="constrained")[1]
    elif not hasattr(ax, "imshow"):
        raise usage_error(f"ax is of type {type(ax).__name__}", "pass axes of matplotlib", number=WRONG_TYPE)
    cells, limit = section["cells"], section["clip"] or 1.0
    lowest = section["lowest"] if section["clip"] else -limit
    traces, rows = cells.shape
    per_row = section["step"] * section["samples_per_row"]
    first = section["first"] - 0.5 * section["step"]
    extent = (-0.5, traces - 0.5, first + per_row * rows, first)
    if kind == "density":
        from matplotlib.colors import ListedColormap

        image = ax.imshow(
            cells.T, cmap=ListedColormap(_sill.colors(colors) / 255.0), vmin=lowest, vmax=limit, extent=extent,
            aspect="auto", interpolation="bilinear",
        )  # fmt: skip
        if colorbar:
            ax.figure.colorbar(image, ax=ax, label=section["amplitude"])
    else:
        y = first + per_row * (numpy.arange(rows) + 0.5)
        for i, cell in enumerate(numpy.clip(cells / limit, -1.0, 1.0)):
            ax.plot(i + cell, y, color="black", linewidth=0.5)
            ax.fill_betweenx(y, i, i + cell, where=cell > 0, interpolate=True, color="black", linewidth=0)
        ax.set(xlim=extent[:2], ylim=extent[2:])
    ax.set(title=section["title"], ylabel=section["axis"], xlabel="\n".join(word for word, _ in section["words"]))
    ax.xaxis.set(label_position="top", ticks_position="top")

    *others, (_, lowest) = section["words"]
    start, step = _evenly_spaced(lowest, stride)

    def label_of(x: float, _: int) -> str:
        i = round(x)
        if not 0 <= i < traces or (start is None and abs(x - i) > 1e-6):
            return ""
        return "\n".join([*(values[i] for _, values in others), lowest[i] if start is None else f"{start + step * x:.10g}"])

    from matplotlib.ticker import MaxNLocator

    class RoundValues(MaxNLocator):
        def tick_values(self, first: float, last: float) -> Any:
            at = start or 0.0
            return (super().tick_values(at + step * first, at + step * last) - at) / step

    ax.xaxis.set_major_locator(RoundValues("auto", integer=True))
    ax.xaxis.set_major_formatter(label_of)
    return ax


def _evenly_spaced(values: list[str], stride: int) -> tuple[float | None, float]:
    """Returns the first of values and the distance between them, for ticks at round values; None, 1: ticks are at traces."""
    try:
        numbers = numpy.array(values, float)
    except ValueError:  # texts
        return None, 1.0
    steps = numpy.diff(numbers)
    is_even = len(steps) > 0 and steps[0] > 0 and (steps == steps[0]).all() and (steps[0] == 1 or stride > 1)
    return (float(numbers[0]), float(steps[0])) if is_even else (None, 1.0)
