"""Draws the pictures of docs/view.md by matplotlib, from the files of script/pictures in this folder."""

import sys

import matplotlib
import numpy as np
import segyio

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

FOLDER = sys.argv[1]


def figure(name, draw):
    chart, axes = pyplot.subplots(figsize=(6.4, 4.3), dpi=100, layout="constrained")
    draw(chart, axes)
    chart.savefig(f"{FOLDER}/matplotlib-{name}.png")
    pyplot.close(chart)


def traces_of(path):
    with segyio.open(path, ignore_geometry=True) as file:
        return file.trace.raw[:], {name: file.attributes(getattr(segyio.TraceField, name))[:] for name in
                                   ("CDP", "CDP_X", "CDP_Y", "INLINE_3D", "CROSSLINE_3D", "DelayRecordingTime")}  # fmt: skip


def section(path, colours="Greys", step=4.0, keep=slice(None), x="trace"):
    samples, words = traces_of(path)
    samples = samples[keep]
    clip = np.percentile(np.abs(samples[samples != 0]), 98)
    first = words["DelayRecordingTime"][0] / 1000

    def draw(chart, axes):
        image = axes.imshow(samples.T, cmap=colours, vmin=-clip, vmax=clip, aspect="auto", interpolation="bilinear",
                            extent=(1, len(samples), first + samples.shape[1] * step / 1000, first))  # fmt: skip
        axes.set(xlabel=x, ylabel="time [s]", title=path)
        chart.colorbar(image, label="amplitude")

    return draw


cube, words = traces_of("cube.sgy")
inlines, crosslines = np.unique(words["INLINE_3D"]), np.unique(words["CROSSLINE_3D"])


def slice_at(chart, axes):
    values = cube[:, 325].reshape(len(inlines), len(crosslines))
    clip = np.percentile(np.abs(values), 98)
    image = axes.imshow(values, cmap="coolwarm", vmin=-clip, vmax=clip, aspect="auto", origin="lower",
                        extent=(crosslines[0], crosslines[-1], inlines[0], inlines[-1]), interpolation="bilinear")  # fmt: skip
    axes.set(xlabel="crossline", ylabel="inline", title="cube.sgy, 1.3 s")
    chart.colorbar(image, label="amplitude")


def fold(chart, axes):
    _, places = traces_of("streamer.sgy")
    (x, y), counts = np.unique([places["CDP_X"] / 100, places["CDP_Y"] / 100], axis=1, return_counts=True)
    marks = axes.scatter(x, y, c=counts, s=1)
    axes.set(xlabel="x [m]", ylabel="y [m]", title="streamer.sgy: fold", aspect="equal")
    chart.colorbar(marks, label="traces per bin")


figure("shots", section("gained.sgy"))
figure("stack", section("clean.sgy", x="cdp"))
figure("inline", section("cube.sgy", "bwr", keep=words["INLINE_3D"] == 1010, x="crossline"))
figure("slice", slice_at)
figure("map", fold)
