"""Runs `sill view` and reads what it makes."""

import base64
import json
import re
import shutil
import subprocess

import numpy as np
import png_files
import pypdfium2
import pytest
import segy_files
from program import TIMEOUT_S

ABSENT, DEAD, BAD = (240, 236, 226), (222, 206, 140), (230, 0, 0)


class Word:
    """A word of a page and its box, in pixels of a page at 96 dpi from the upper left corner."""

    def __init__(self, text, boxes, height):
        self.text = text
        left, bottom, right, top = np.array(boxes).T
        self.left, self.right = left.min() / 0.75, right.max() / 0.75
        self.top, self.bottom = (height - top.max()) / 0.75, (height - bottom.min()) / 0.75
        self.x, self.y = (self.left + self.right) / 2, (self.top + self.bottom) / 2


def words_of(pdf) -> list[Word]:
    page = pypdfium2.PdfDocument(pdf)[0]
    text = page.get_textpage()
    words, letters, boxes = [], "", []
    for i in range(text.count_chars() + 1):
        letter = text.get_text_range(i, 1) if i < text.count_chars() else " "
        if letter.strip():
            letters += letter
            boxes.append(text.get_charbox(i))
        elif letters:
            words.append(Word(letters, boxes, page.get_height()))
            letters, boxes = "", []
    return words


class Picture:
    """What a picture shows: the page of pixels, its area, and words with their places."""

    def __init__(self, png, pdf, about):
        self.page = png_files.decode(png)
        self.about = about
        self.x, self.y = about["x"], about["y"]
        self.pixels = self.page[self.y : self.y + about["height"], self.x : self.x + about["width"]]
        self.words = words_of(pdf)
        self.caption = "; ".join(about["notes"])
        self.title = about["title"]
        self.trace_px, self.row_px = about["trace_px"], about["row_px"]

    def cells(self, panel=0):
        """The pixel in the middle of each sample: rows by traces."""
        x = np.array([about["x"] for about in self.about["traces"]]) + self.about["panel_x"][panel] + self.trace_px / 2
        y = (np.arange(self.about["rows"]) + 0.5) * self.row_px
        return self.pixels[np.floor(y).astype(int)[:, None], np.floor(x).astype(int)[None, :]].astype(int)

    def row_of(self, word):
        """Labels of the axis on top, by x."""
        (name,) = (w for w in self.words if w.text == word and w.x < self.x and w.y < self.y)
        labels = [w for w in self.words if abs(w.y - name.y) < 4 and w.x > name.right]
        return {w.x: w.text for w in labels if not re.fullmatch(r"\[.+\]", w.text)}  # a unit

    def ticks(self):
        """Numbers of the axis on the left, by y."""
        found = [w for w in self.words if w.right < self.x and w.y > self.y - 9 and re.fullmatch(r"[\d.]+", w.text)]
        return {w.y: float(w.text) for w in found}


def page_of(path) -> tuple[dict, list[np.ndarray]]:
    """What a page has embedded: all but the cells, and the cells of each panel, traces by rows."""
    page = path.read_text(encoding="utf-8")
    about = json.loads(re.search(r'<script type="application/json" id="about">(.*?)</script>', page, re.S)[1])
    cells = [np.frombuffer(base64.b64decode(text), "<f4").reshape(-1, about["rows"]) for text in about.pop("cells")]
    return about, cells


def in_browser(page, script) -> str:
    """The document of a page as a headless browser has it, after a script that is added at the end."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("no chromium: the page is not tried in a browser")
    text = page.read_text(encoding="utf-8").replace("</body>", f"<script>{script}</script></body>")
    tried = page.with_name("tried.html")
    tried.write_text(text, encoding="utf-8")
    return subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={page.parent}/profile", "--dump-dom",
         tried.as_uri()], capture_output=True, encoding="utf-8", timeout=TIMEOUT_S, check=True,
    ).stdout  # fmt: skip


def layout_of(page) -> dict:
    """Where a browser puts the pictures of a page and their parts, the bars of tables, and how wide the page is."""
    shown = in_browser(page, """window.onload = () => {
      const box = (e) => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
      const blue = (image) => {  // pixels of curves and points
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const d = context.getImageData(0, 0, canvas.width, canvas.height).data;
        let count = 0;
        for (let i = 0; i < d.length; i += 4) count += d[i] < 60 && Math.abs(d[i + 1] - 84) < 30 && Math.abs(d[i + 2] - 148) < 30;
        return count;
      };
      const found = document.createElement("pre");
      found.id = "found";
      found.textContent = JSON.stringify({
        images: [...document.images].map((i) => ({size: [i.naturalWidth, i.naturalHeight], box: box(i), blue: blue(i)})),
        drawings: [...document.querySelectorAll("svg")].map((s) => ({
          box: box(s), parts: [...s.querySelectorAll("rect, text, circle, line, path")].map(box)})),
        bars: [...document.querySelectorAll("td > div")].map((b) => b.offsetWidth / (b.parentElement.clientWidth)),
        width: document.documentElement.scrollWidth, window: innerWidth});
      document.body.append(found);
    };""")  # fmt: skip
    found = json.loads(re.search(r'<pre id="found">(.*?)</pre>', shown, re.S)[1])
    assert found["width"] <= found["window"]
    for drawing in found["drawings"]:
        left, top, right, bottom = drawing["box"]
        for part in drawing["parts"]:
            assert left - 1 <= part[0] and top - 1 <= part[1] and part[2] <= right + 1 and part[3] <= bottom + 1, part
    return found


def viewed(sill, path, *options, ranks=None) -> Picture:
    """Each sample a rectangle, unless an interpolation is given."""
    size = [] if "--size" in options else ["--size", "600x400"]
    how = [] if "--interpolation" in options else ["--interpolation", "none"]
    outs = [path.with_suffix(ending) for ending in (".png", ".pdf", ".html")]
    sill.run_together([("view", path, "-o", out, *size, *how, *options) for out in outs], ranks=ranks)
    return Picture(outs[0].read_bytes(), outs[1], page_of(outs[2])[0])


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
