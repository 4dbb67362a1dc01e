"""What `sill check` writes and how it ends: text, JSON, page and report, the same for any ranks."""

import json
from html.parser import HTMLParser

import numpy as np
import pytest
import segy_files
import varied_files
from checking import check, check_one, many_faults


def test_the_same_for_any_ranks_and_threads(sill, tmp_path):
    path = many_faults(tmp_path)
    varied = varied_files.make(varied_files.any_samples(150)).write(tmp_path / "varied.sgy")
    alone = sill.run("check", path, varied, "--json", "-", "--threads", "1").out
    assert json.loads(alone)["files"][0]["findings"][0]["kind"] in ("duplicate-traces", "not-finite")
    pages = set()
    for i, (ranks, threads) in enumerate([(None, 2), (None, 3), (1, 1), (2, 1), (3, 2), (4, 1)]):
        html = tmp_path / f"page{i}.html"
        run = sill.run("check", path, varied, "--json", "-", "--html", html, "--threads", threads, ranks=ranks)
        assert run.out == alone, (ranks, threads)
        pages.add(html.read_bytes())
    assert len(pages) == 1


def test_a_broken_file_does_not_keep_others_from_being_checked(sill, small, tmp_path):
    _, path = small
    junk = tmp_path / "junk.sgy"
    junk.write_bytes(b"no seismic data at all " * 300)
    cut = tmp_path / "cut.sgy"
    cut.write_bytes(path.read_bytes()[:-7])
    report = tmp_path / "out.json"
    run = sill.run("check", junk, path, cut, "--json", report, "--html", tmp_path / "a.html", expect=3)
    files = json.loads(report.read_text())["files"]
    assert [set(file) == {"file", "error"} for file in files] == [True, False, False]
    assert [file.get("worst") for file in files] == [None, "info", "critical"]
    assert files[2]["traces"] == 119
    assert files[0]["error"]["code"] == 3
    assert files[0]["error"]["problem"] in run.err
    assert "119 of" in run.out
    assert (tmp_path / "a.html").exists()
    assert sill.run("check", tmp_path / "none.sgy", path, expect=4).out.startswith(str(path))


def test_exit_code_is_that_of_a_critical_finding_after_all_was_written(sill, small, tmp_path):
    cut = tmp_path / "cut.sgy"
    cut.write_bytes(small[1].read_bytes()[:-7])
    for ranks in (None, 2):
        run = sill.run("check", small[1], cut, "--json", tmp_path / "o.json", expect=3, ranks=ranks)
        assert "critical" in run.err
        assert json.loads((tmp_path / "o.json").read_text())["worst"] == "critical"
        (tmp_path / "o.json").unlink()


def test_outputs_are_no_inputs(sill, small):
    before = small[1].read_bytes()
    sill.run("check", small[1], "--json", small[1], expect=2)
    sill.run("check", small[1], "--html", small[1], expect=2)
    assert small[1].read_bytes() == before


class Page(HTMLParser):
    """Every element is closed, in order, and nothing is fetched."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text, self.attributes = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    assert page.open == []
    return page


def test_the_page_is_whole_and_fetches_nothing(sill, tmp_path):
    path = many_faults(tmp_path)
    html = tmp_path / "a.html"
    sill.run("check", path, segy_files.make(3, 5, revision=(0, 0)).write(tmp_path / "b.sgy"), "--html", html)
    page = parsed(html)
    text = html.read_text()
    assert "http:" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "https:" not in text
    names = {name for name, _ in page.attributes}
    assert not names & {"srcset", "data", "action", "onclick", "onload"}
    assert all(value.startswith("#file") for name, value in page.attributes if name == "href")
    pictures = [value for name, value in page.attributes if name == "src"]
    assert len(pictures) == page.seen.count("img") == 2  # one of each file
    assert all(value.startswith("data:image/svg+xml;base64,") for value in pictures)
    assert not {"script", "link", "iframe", "object"} & set(page.seen)
    shown = " ".join(page.text)
    assert "C 1 MADE BY THE TESTS OF SILL" in shown
    assert "54 traces repeat" not in shown and "repeat an earlier one" in shown
    assert page.seen.count("svg") >= 2
    assert page.seen.count("h2") >= 2


def test_what_comes_from_files_is_escaped(sill, tmp_path):
    file = segy_files.make(3, 5)
    evil = "<script>alert('x')</script> & \"quoted\" <img src=x>"
    file.head[:3200] = np.frombuffer(segy_files.text_header(what=evil), np.uint8)
    folder = tmp_path / "<b>&amp;"
    folder.mkdir()
    path = file.write(folder / "a<i>\".sgy")
    html = tmp_path / "a.html"
    sill.run("check", path, tmp_path / "<none>.sgy", "--html", html, expect=4)
    page = parsed(html)
    assert not {"script", "b", "i"} & set(page.seen) and page.seen.count("img") <= 1
    shown = "".join(page.text)
    assert evil in shown
    assert str(path) in shown
    assert "<none>.sgy" in shown


def test_the_page_draws_grids_and_where_files_lie(sill, tmp_path):
    paths = []
    for i in range(3):
        file = segy_files.make(30, 5)
        lines, crosslines = np.repeat(np.arange(10, 15), 6), np.tile(np.arange(100, 106), 5)
        x, y = 100 * (crosslines - 100) + 5000 * i, 50 * (lines - 10)
        file.put_word("iline", lines).put_word("xline", crosslines).put_word("cdpx", 100 * x).put_word("cdpy", 100 * y)
        for name in ("sx", "gx", "sy", "gy", "offset", "cdp", "fldr", "ep", "tracf", "cdpt"):
            file.put_word(name, 0)
        paths.append(file.write(tmp_path / f"cube{i}.sgy"))
    html = tmp_path / "a.html"
    found = check(sill, *paths, "--html", html)
    geometry = found["files"][0]["geometry"]
    assert geometry["grid"]["map"]["traces"] == [1] * 30
    page = parsed(html)
    assert page.seen.count("polygon") == 3
    drawn = [value for name, value in page.attributes if name == "d"]
    assert drawn == ["".join(f"M0 {row}h6v1h-6z" for row in range(5))] * 3
    assert "to the right: crosslines 100 to 105" in " ".join(page.text)
    left_out = check(sill, paths[0], "--no-geometry")["files"][0]
    assert left_out["geometry"] is None
    assert left_out["no_geometry"] == ""


def test_text_tells_all_findings(sill, tmp_path):
    path = many_faults(tmp_path)
    found = check_one(sill, path)
    said = sill.run("check", path).out
    for finding in found["findings"]:
        assert f"{finding['grade']}: {finding['problem']}" in said
        assert finding["where"] in said


def test_findings_are_in_the_report(sill, small, tmp_path):
    sill.run("check", small[1], "--report", tmp_path / "r.json")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["traces_in"] == 120
    assert report["worst"] == "info"


@pytest.mark.mpich


def test_strict_stops_at_minor_findings_after_all_was_written(sill, small, tmp_path):
    odd = segy_files.make(5, 10).put_word("scalel", 82).write(tmp_path / "odd.sgy")
    assert check(sill, odd)["worst"] == "minor"
    run = sill.run("check", small[1], odd, "--strict", "--json", tmp_path / "o.json", expect=3)
    assert "1 of 2 files" in run.reason
    assert json.loads((tmp_path / "o.json").read_text())["worst"] == "minor"
    sill.run("check", small[1], "--strict")
