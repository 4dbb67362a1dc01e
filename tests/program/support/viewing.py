"""Runs `sill view` and reads what it makes."""

import base64
import json
import re
from xml.etree import ElementTree

import numpy as np
import png_files
import segy_files

SVG = "{http://www.w3.org/2000/svg}"
ABSENT, DEAD, BAD = (240, 236, 226), (222, 206, 140), (230, 0, 0)


class Svg:
    """What an SVG text shows: the picture, and texts with their places."""

    def __init__(self, text: str):
        root = ElementTree.fromstring(text)
        image = root.find(SVG + "image")
        self.x, self.y = int(image.get("x")), int(image.get("y"))
        self.pixels = png_files.decode(base64.b64decode(image.get("href").partition(",")[2]))
        assert self.pixels.shape[:2] == (int(image.get("height")), int(image.get("width")))
        self.size = int(root.get("width")), int(root.get("height"))
        self.texts = [(float(t.get("x")), float(t.get("y")), t.get("text-anchor"), t.text) for t in root.iter(SVG + "text")]
        bottom = next(y for _, y, _, text in self.texts if text in ("time [s]", "sample", "depth [m]", "depth"))
        self.caption = " ".join(text for _, y, _, text in self.texts if y > bottom)

    def row_of(self, word):
        """Labels of the axis on top, by x."""
        (height,) = {y for x, y, anchor, text in self.texts if text == word and anchor == "end" and x < self.x}
        return {x: text for x, y, anchor, text in self.texts if y == height and anchor == "middle"}


def page_of(path) -> tuple[dict, list[np.ndarray]]:
    """What a page has embedded: all but the cells, and the cells of each panel, traces by rows."""
    page = path.read_text()
    about = json.loads(re.search(r'<script type="application/json" id="about">(.*?)</script>', page, re.S)[1])
    cells = [np.frombuffer(base64.b64decode(text), "<f4").reshape(-1, about["rows"]) for text in about.pop("cells")]
    return about, cells


def viewed(sill, path, *options, ranks=None) -> Svg:
    out = path.with_suffix(".svg")
    size = [] if "--size" in options else ["--size", "300x200"]  # small pictures are soon decoded
    sill.run("view", path, "-o", out, *size, *options, ranks=ranks)
    return Svg(out.read_text())


def paged(sill, path, *options):
    out = path.with_suffix(".html")
    sill.run("view", path, "-o", out, *options)
    return page_of(out)


def plain(rows, *, code=5, order="big", dt_us=2000, **words) -> segy_files.Segy:
    """One line: trace i has xline i + 1, nothing else varies."""
    rows = np.asarray(rows)
    file = segy_files.make(len(rows), rows.shape[1], code=code, order=order, interval_us=dt_us)
    count = np.arange(1, len(rows) + 1)
    for name in ("fldr", "ep", "cdp", "offset", "delrt", "tracf"):
        file.put_word(name, words.get(name, 0))
    file.put_word("iline", words.get("iline", 7)).put_word("xline", words.get("xline", count))
    file.put_word("trid", words.get("trid", 1))
    return file.put_samples(rows)


def grey(rows, clip) -> np.ndarray:
    """Positive black: rows below each other, traces side by side."""
    share = 0.5 * (1 - np.clip(np.asarray(rows, np.float64).T / clip, -1, 1))
    return np.repeat(np.floor(255 * share + 0.5)[:, :, None], 3, axis=2)


def extremes(rows, per_row):
    """Of every so many samples the one of the largest magnitude, the first of equal ones."""
    padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % per_row)))
    groups = padded.reshape(len(rows), -1, per_row)
    at = np.argmax(np.abs(groups), axis=2)
    return np.take_along_axis(groups, at[:, :, None], axis=2)[:, :, 0]


def noise(traces, samples, seed=5):
    return np.random.default_rng(seed).standard_normal((traces, samples)).astype(np.float32)
