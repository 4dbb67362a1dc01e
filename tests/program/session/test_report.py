"""`--report`: what input and output cost, as JSON and as tables, checked against the files and the kernel's figures."""

import html.parser
import json
import re

import pytest
from viewing import layout_of

KEYS_BEFORE = {
    "command", "version", "ranks", "threads", "policy", "traces_in", "traces_out", "opens", "requests_read",
    "bytes_read", "requests_written", "bytes_written", "syncs", "seconds", "striping", "words_changed",
}  # fmt: skip
TIMES = ("open_s", "read_s", "write_s", "sync_s", "close_s")
SIZES = ("--stations", 12, "--steps", 30, "--every", 10)


def reported(sill, path, *arguments, **options):
    sill.run(*arguments, "--report", path, **options)
    return json.loads(path.read_text())


def check_sums(told):
    """What must hold between the figures of any report."""
    for which in ("read", "written"):
        sizes = told[f"sizes_{which}"]
        assert sum(each["requests"] for each in sizes) == told[f"requests_{which}"]
        least = sum(each["requests"] * each["from_bytes"] for each in sizes)
        most = sum(each["requests"] * each["to_bytes"] for each in sizes)
        assert least <= told[f"bytes_{which}"] <= most
        assert [each["from_bytes"] for each in sizes] == sorted(each["from_bytes"] for each in sizes)
        for each in sizes:
            assert each["from_bytes"] == 0 or each["from_bytes"].bit_count() == 1
            assert each["to_bytes"] == max(0, 2 * each["from_bytes"] - 1)
    for name, spread in told["over_ranks"].items():
        assert spread["min"] <= spread["median"] <= spread["max"], name
    ranks = told.get("ranks")
    if ranks == 2:
        for name in ("requests_read", "bytes_read", "requests_written", "bytes_written"):
            assert told["over_ranks"][name]["min"] + told["over_ranks"][name]["max"] == told[name]
            assert told["over_ranks"][name]["median"] == told[name] / 2
        assert sum(told["over_ranks"]["file_s"][end] for end in ("min", "max")) == pytest.approx(
            sum(told[time] for time in TIMES)
        )
    for time in TIMES:
        assert told[time] >= 0


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_sort_is_told_in_full(sill, small, tmp_path, ranks):
    _, path = small
    out = tmp_path / "out.sgy"
    sort = ("sort", path, "-o", out, "--by", "cdp", "--policy", "sync=close")
    told = reported(sill, tmp_path / "report.json", *sort, ranks=ranks)
    assert set(told) >= KEYS_BEFORE
    check_sums(told)
    assert (told["ranks"], told["nodes"]) == (ranks, 1)
    assert told["bytes_written"] >= out.stat().st_size
    assert told["read_s"] > 0 and told["write_s"] > 0 and told["open_s"] > 0 and told["sync_s"] > 0
    assert list(told["outputs"]) == ["segy"]
    assert told["outputs"]["segy"]["policy"] == told["policy"]
    check_sums(told["outputs"]["segy"])
    assert told["mpiio_hints"] == []


@pytest.mark.parametrize("ranks", [1, 2])
def test_stations_are_told_with_their_phases(sill, tmp_path, ranks):
    out = tmp_path / "out"
    kernel = ("kernel", "ondes3d-stations", "--out", out, *SIZES)
    told = reported(sill, tmp_path / "report.json", *kernel, "--policy", "elected", ranks=ranks)
    check_sums(told)
    assert list(told["outputs"]) == ["stations"]
    stations = told["outputs"]["stations"]
    assert stations["phases"] == 3
    headers = 2 * sum(len(b"".join(path.read_bytes().splitlines(keepends=True)[:2])) for path in out.iterdir())
    assert stations["bytes_written"] == sum(path.stat().st_size for path in out.iterdir()) + headers
    assert 0 < stations["output_calls_s"] <= ranks * told["seconds"]


def test_threads_are_those_of_the_output(sill, tmp_path, monkeypatch):
    monkeypatch.setenv("SILL_POLICY", "stations:elected,threads=6")
    kernel = ("kernel", "ondes3d-stations", "--out", tmp_path / "out", *SIZES)
    told = reported(sill, tmp_path / "report.json", *kernel, ranks=2)
    assert told["threads"] == told["outputs"]["stations"]["threads"] == 6
    sill.run(*kernel, "--report", tmp_path / "report.txt")
    assert "6 threads each" in (tmp_path / "report.txt").read_text()


def test_the_original_is_told_alike(sill, tmp_path):
    kernel = ("kernel", "ondes3d-stations", "--out", tmp_path / "out", *SIZES)
    told = reported(sill, tmp_path / "report.json", *kernel, "--original", ranks=2)
    check_sums(told)
    stations = told["outputs"]["stations"]
    assert stations["phases"] == 3
    assert stations["requests_written"] == 3 * 12 * (2 + 10 * 9)
    assert max(each["to_bytes"] for each in stations["sizes_written"]) < 256  # a print is a request
    assert told["over_ranks"]["requests_written"]["max_rank"] == 0
    assert told["over_ranks"]["requests_written"]["min"] == 0


def test_tables(sill, tmp_path):
    path = tmp_path / "report.txt"
    kernel = ("kernel", "ondes3d-stations", "--out", tmp_path / "out", *SIZES)
    sill.run(*kernel, "--policy", "elected", "--report", path)
    text = path.read_text()
    assert "kernel ondes3d-stations" in text.splitlines()[0]
    assert re.search(r"^stations: writers=elected,stage=4M,", text, re.M)
    assert re.search(r"^ +3 phases of output", text, re.M)
    for what in ("open", "read", "write", "sync", "close"):
        assert re.search(rf"^  {what} .* s$", text, re.M), what
    assert re.search(r"^ +bytes per request +reads +writes$", text, re.M)
    assert re.search(r"^ +over ranks +min \(rank\) +median +max \(rank\)$", text, re.M)
    told = reported(sill, tmp_path / "report.json", *kernel, "--policy", "elected")
    assert re.search(rf"^  write +{told['requests_written']:,} ", text, re.M)
    for each in told["sizes_written"]:
        bytes_told = f"{each['from_bytes']:,} to {each['to_bytes']:,}"
        assert re.search(rf"^  {bytes_told} .* {each['requests']:,}$", text, re.M), text
    assert text.endswith("\n") and not text.endswith("\n\n")


@pytest.mark.mpich
def test_hints_are_read_back_and_not_repeated(sill, tmp_path):
    kernel = ("kernel", "ondes3d-surfaces", "--out", tmp_path / "out", "--grid", "23x17x9", "--plane-rows", 4,
              "--steps", 9, "--every", 3)
    told = reported(sill, tmp_path / "report.json", *kernel, "--policy", "collective", ranks=2)
    assert sum(line["files"] for line in told["mpiio_hints"]) == 3 * 2  # of three planes one rank holds one alone
    for line in told["mpiio_hints"]:
        hints = line["hints"]
        assert hints["cb_buffer_size"]["asked"] == str(16 << 20)
        if line["is_echo"]:
            assert {hint["in_effect"] for hint in hints.values()} == {None}
        else:
            assert hints["cb_buffer_size"]["in_effect"] == str(16 << 20)
            assert hints["romio_ds_write"]["in_effect"] == "disable"


class PageReader(html.parser.HTMLParser):
    """Notes what a page is made of, and refuses one whose elements do not nest."""

    VOID = {"meta", "br", "img", "rect"}

    def __init__(self, text):
        super().__init__()
        self.open, self.rects, self.texts = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        if tag == "rect":
            self.rects.append(dict(attributes))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.strip())


WRITING, IN_CALLS = "#1f6fb2", "#9aa5b1"


@pytest.mark.parametrize("ranks", [1, 3])
def test_page(sill, tmp_path, ranks):
    """Times of ranks lie where they were, within the plot, and agree with the figures of the tables."""
    page = tmp_path / "cost<1>.html"
    sill.run("kernel", "awp-volume", "--grid", "64x64x32", "--steps", 40, "--every", 10, "--out", tmp_path / "out",
             "--policy", "auto", "--report", page, ranks=ranks)  # fmt: skip
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text and "cost<1>" not in text and "cost&lt;1&gt;" in text
    told = PageReader(text)
    assert [name for name in told.texts if name.startswith("rank ")] == [f"rank {rank}" for rank in range(ranks)]
    for rect in told.rects:
        x, y, width, height = (float(rect[name]) for name in ("x", "y", "width", "height"))
        assert 110 <= x and x + width <= 110 + 768 + 0.02
        assert 0 <= y and y + height <= 26 * ranks and height <= 20.01
    for color in (WRITING, IN_CALLS):
        assert any(rect["fill"] == color for rect in told.rects), color
    # The area of a colour is the time that the tables say, in units of the plot.
    begins = [float(name.split()[0]) for name in told.texts if re.fullmatch(r"[\d.e-]+ s", name)]
    calls_s = float(re.search(r"([\d.]+) s in calls for it", text).group(1))
    area = sum(float(rect["width"]) * float(rect["height"]) for rect in told.rects if rect["fill"] == IN_CALLS)
    assert area / (768 * 10) * max(begins) == pytest.approx(calls_s, rel=0.05, abs=0.002)
    # The histogram has the requests and bytes of the figures at the top, in bars as long as their numbers.
    written = re.search(r"<th>written</th><td>(.+) in ([\d,]+) requests</td>", text)
    histogram = re.search(r"<th>bytes per request</th>.*?</table>", text, re.S)[0]
    rows = [[int(figure.replace(",", "")) for figure in row] + [float(width) for width in re.findall(r"width: ([\d.]+)%;", bars)]
            for *row, bars in re.findall(r"<tr><td>([\d,]+) to ([\d,]+)</td>(?=<td[^>]*>([\d,]+)</td>.*?<td class=\"number\">"
                                         r"([\d,]+)</td>)(.*?)</tr>", histogram)]  # fmt: skip
    assert rows and sum(row[3] for row in rows) == int(written[2].replace(",", ""))
    most = max(max(row[2:4]) for row in rows)
    for least, largest, reads, writes, read_width, write_width in rows:
        assert least <= largest and (reads or writes)
        assert (read_width, write_width) == pytest.approx((100 * reads / most, 100 * writes / most), abs=0.06)
    file_bytes = sum(path.stat().st_size for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert sum(row[0] * row[3] for row in rows) <= file_bytes <= sum(row[1] * row[3] for row in rows)
    # The policy of the output, and the policy chosen for its writes with the reason.
    chosen = re.search(r"<tr><td>volumes</td><td><code>(.+?)</code></td><td>automatic, see below</td></tr>\n"
                       r"<tr><td>writes 1 to 1</td><td><code>(.+?)</code></td><td>(.+?)</td></tr>", text)  # fmt: skip
    assert chosen[1].startswith("writers=auto,") and re.match("writers=(?!auto)", chosen[2])
    assert chosen[3].startswith("estimated at ")


@pytest.mark.nightly
def test_page_in_a_browser(sill, tmp_path):
    page = tmp_path / "cost.html"
    sill.run("kernel", "awp-volume", "--grid", "64x64x32", "--steps", 40, "--every", 10, "--out", tmp_path / "out",
             "--report", page)  # fmt: skip
    stated = [float(width) / 100 for width in re.findall(r"<div style=\"[^\"]*width: ([\d.]+)%", page.read_text())]
    found = layout_of(page)
    (drawing,) = found["drawings"]
    assert len(drawing["parts"]) > 10 and drawing["box"][2] - drawing["box"][0] > 500
    assert len(stated) >= 2 and max(stated) == 1
    for share, shown in zip(stated, found["bars"], strict=True):
        assert (shown == 0) == (share == 0) and shown <= share


def test_page_of_a_program(sill, tmp_path):
    """The same ending means the same where a program is given the option."""
    page = tmp_path / "cost.html"
    sill.run("kernel", "gccom", "--grid", "16x16x8", "--out", tmp_path / "out", env={"SILL_OPTIONS": f"report={page}"})
    PageReader(page.read_text(encoding="utf-8"))
