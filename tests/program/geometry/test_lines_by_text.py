"""Lines and positions at other bytes than the standard's, as the text header states: found, proposed, read by a map."""

import json

import numpy as np
import pytest
from checking import check_one
from survey_shapes import grid_numbers, with_words
from test_geometry_positions import with_text

TEAPOT = (
    "CLIENT: A TESTING CENTER", "BYTES  17- 20: INLINE NUMBER (LINE)", "BYTES 181-184: INLINE NUMBER (LINE)",
    "BYTES 185-188: CROSSLINE NUMBER (TRACE)", "BYTES 189-192: CDP_X COORD", "BYTES 193-196: CDP_Y COORD",
)  # fmt: skip


def cube(*text: str, revision: int = 0, turned: bool = False, lines=(20, 30)):
    """Inline at 181, crossline at 185, x at 189, y at 193."""
    ilines, xlines = grid_numbers(range(1, 1 + lines[0]), range(1, 1 + lines[1]))
    x = 788_937 + 110 * ilines + (3 * xlines if turned else 0)
    y = 938_845 + 110 * xlines - (3 * ilines if turned else 0)
    file = with_words(len(ilines), cdpx=ilines, cdpy=xlines, iline=x, xline=y, ep=ilines, unit=0)
    file.head[3500] = revision
    return with_text(file, *text)


def geometry(sill, path, *options, ranks=None):
    return json.loads(sill.run("info", path, "--geometry", "--json", *options, ranks=ranks).out)["geometry"]


def finding(sill, path, *options):
    told = json.loads(sill.run("info", "--json", path, *options).out)["diagnostics"]
    found = [one for one in told if "other positions of words than the standard" in one["problem"]]
    return found[0] if found else None


@pytest.mark.parametrize("ranks", [None, 2, 3])
@pytest.mark.parametrize("revision", [0, 1])
@pytest.mark.parametrize("turned", [False, True])
def test_lines_are_proposed_and_read(sill, tmp_path, revision, turned, ranks):
    path = cube(*TEAPOT, revision=revision, turned=turned).write(tmp_path / "in.sgy")
    found = geometry(sill, path, ranks=ranks)
    assert "788" not in str(found["grid"])
    assert any("not used as line numbers" in said for said in found["evidence"])
    assert [(c["inline"]["byte"], c["crossline"]["byte"]) for c in found["candidates"]][:1] == [(181, 185)]
    assert any("--map text" in said for said in found["evidence"])
    told = finding(sill, path)
    assert told["grade"] == "major" and "--map text" in told["action"] and "iline (bytes 181-184" in told["problem"]
    mapped = geometry(sill, path, "--map", "text", ranks=ranks)
    assert mapped["kind"] == "3-D grid, post-stack" and mapped["positions"] == "cdpx, cdpy"
    assert (mapped["grid"]["places"], mapped["grid"]["holes"]) == (600, 0)
    assert mapped["bounds"]["x"][0] > 788_000
    names = {one["kind"] for one in check_one(sill, path)["findings"]}
    assert {"line-numbers", "lines-elsewhere"} <= names


def test_lines_by_their_values_alone(sill, tmp_path):
    """Without a word in the text header positions are no line numbers either."""
    for turned in (False, True):
        found = geometry(sill, cube("NOTHING", turned=turned).write(tmp_path / "in.sgy"))
        assert any("not used as line numbers" in said for said in found["evidence"])
        assert [(c["inline"]["byte"], c["crossline"]["byte"]) for c in found["candidates"]][:1] == [(181, 185)]
    ilines, xlines = grid_numbers(range(200_010, 200_210, 10), range(100_001, 100_031))
    found = geometry(sill, with_words(600, iline=ilines, xline=xlines).write(tmp_path / "in.sgy"))
    assert found["kind"] == "3-D grid, post-stack" and found["candidates"] == []


def test_commands_read_by_the_text(sill, tmp_path):
    path = cube(*TEAPOT).write(tmp_path / "in.sgy")
    told = sill.run("view", path, "--inline", "3", "-o", tmp_path / "a.png", expect=2)
    assert "--map text" in told.err
    sill.run("view", path, "--inline", "3", "-o", tmp_path / "a.png", "--map", "text")
    sill.run("cut", path, "--where", "iline == 3", "-o", tmp_path / "o.sgy", "--map", "text")
    assert (tmp_path / "o.sgy").stat().st_size == 3600 + 30 * (240 + 12)
    told = sill.run("scan", path, "--keys", "iline,xline,cdpx", "--csv", tmp_path / "o.csv", "--map", "text")
    assert "elsewhere" not in told.err
    rows = np.loadtxt(tmp_path / "o.csv", delimiter=",", skiprows=1)
    assert rows[31, -3] == 2 and rows[31, -2] == 2 and rows[0, -1] == 788_937 + 110


@pytest.mark.parametrize("line", [
    "INLINE BYTES 181-184, XLINE BYTES 185-188", "IN-LINE: 181-184  X-LINE: 185-188", "INLINE 181 CROSSLINE 185",
    "IL BYTE181 XL BYTE185", "INLINE AT BYTE 181 (4 BYTES)", "ILINE (181-184) CDP-X (189-192)",
])  # fmt: skip
def test_spellings(sill, tmp_path, line):
    path = cube(line).write(tmp_path / "in.sgy")
    assert "iline (bytes 181-184" in finding(sill, path)["problem"]


def test_text_of_the_standards_places_is_no_finding(sill, tmp_path, samples):
    ilines, xlines = grid_numbers(range(1, 21), range(1, 31))
    file = with_words(600, cdpx=400_000 + 25 * ilines, cdpy=6_000_000 + 25 * xlines, iline=ilines, xline=xlines)
    path = with_text(file, "INLINE BYTES 189-192, XLINE BYTES 193-196", "CDP X AND Y IN BYTES 181 AND 185").write(
        tmp_path / "in.sgy")
    assert finding(sill, path) is None
    told = sill.run("info", "--geometry", path, "--map", "text", expect=2)
    assert "text header" in told.err
    # The same numbers at both places contradict nothing.
    file.put(5, "i4", ilines)
    path = with_text(file, "INLINE BYTES 5-8").write(tmp_path / "in.sgy")
    assert finding(sill, path) is None
    for path in sorted(samples.glob("*.s*")):
        assert "other positions of words than the standard" not in sill.run("info", path, expect=(0, 3)).out, path


def test_files_with_other_texts(sill, tmp_path):
    one = cube(*TEAPOT).write(tmp_path / "a.sgy")
    other = cube("INLINE BYTES 17-20", "XLINE BYTES 185-188").write(tmp_path / "b.sgy")
    told = sill.run("scan", one, other, "--keys", "iline", "--csv", tmp_path / "o.csv", "--map", "text", expect=3)
    assert "b.sgy" in told.err and "a.sgy" in told.err
