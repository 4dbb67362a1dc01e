"""`sill merge` of files, traces and numbers that come more than once."""

import json
import os

import numpy as np
import pytest
import segy_files
from converting import expected
from merging import joined, merged, refused, three, written


def test_files_named_twice(sill, tmp_path):
    a, b = three()[:2]
    paths = written(tmp_path, a, b)
    (tmp_path / "link.sgy").symlink_to(paths[0])
    os.link(paths[0], tmp_path / "hard.sgy")
    for again in (paths[0], tmp_path / "link.sgy", tmp_path / "hard.sgy", tmp_path / "." / "in0.sgy"):
        said = sill.run("merge", *paths, again, "-o", tmp_path / "no.sgy", expect=3).err
        assert "contradict each other in files" in said and "files=drop or files=keep" in " ".join(said.split())
        sill.run("merge", *paths, again, "-o", tmp_path / "out.sgy", "--on", "files=drop")
        assert (tmp_path / "out.sgy").read_bytes() == joined(a, b).to_bytes()
        sill.run("merge", *paths, again, "-o", tmp_path / "out.sgy", "--on", "files=keep,duplicates=keep")
        assert (tmp_path / "out.sgy").read_bytes() == joined(a, b, a).to_bytes()
    assert "duplicates" in sill.run("merge", paths[0], paths[0], "--dry-run", "--on", "files=keep", expect=3).err


@pytest.mark.parametrize("ranks", [None, 2, 3])
def test_duplicates(sill, tmp_path, ranks):
    a, b, c = three()
    c.rows[40:45] = a.rows[10:15]
    c.put_word("tracl", np.arange(77)).put_word("tracr", np.arange(77)).put_word("cdpt", 5)  # numbers do not count
    c.rows[60] = c.rows[61]  # the input's own affair
    a.rows[20] = a.rows[10]
    c.rows[50] = a.rows[30]
    c.rows[50, 280] ^= 1  # the same header, another sample
    if ranks is None:
        said = refused(sill, tmp_path, a, b, c)
        assert "duplicates (5 traces; the first is trace 41 of" in said and "which is trace 11 of" in said
    kept = np.r_[0:40, 45:77]
    assert merged(sill, tmp_path, a, b, c, on="duplicates=drop", ranks=ranks) == joined(a, b, c.permuted(kept)).to_bytes()
    assert merged(sill, tmp_path, a, b, c, on="duplicates=keep", ranks=ranks) == joined(a, b, c).to_bytes()


@pytest.mark.parametrize("ranks", [None, 3])
def test_bins_of_overlapping_cubes(sill, tmp_path, ranks):
    """Two cubes that overlap by 3 inlines of 7 crosslines, with other samples."""
    a = segy_files.make(70, 12, seed=1)
    b = segy_files.make(70, 12, seed=2)
    for file, first in [(a, 100), (b, 107)]:
        file.put_word("iline", first + np.arange(70) // 7).put_word("xline", 1 + np.arange(70) % 7)
    b.rows[0] = a.rows[49]  # the same trace: it does not count
    paths = written(tmp_path, a, b)
    said = sill.run("merge", *paths, "-o", tmp_path / "out.sgy", "--on", "duplicates=drop", ranks=ranks)
    assert "traces of more than one input are in 20 bins" in said.err
    b.put_word("iline", 0).put_word("xline", 0)
    a.put_word("iline", 0).put_word("xline", 0)
    said = sill.run("merge", *written(tmp_path, a, b), "-o", tmp_path / "out.sgy", "--on", "duplicates=drop")
    assert "bins" not in said.err


def test_all_of_an_input_is_dropped(sill, tmp_path):
    a, b, c = three()
    copy = expected(a, order="little")
    paths = written(tmp_path, a, copy, b, c, b)
    sill.run("merge", *paths, "-o", tmp_path / "out.sgy", "--on", "duplicates=drop", "--report", tmp_path / "r.json")
    assert (tmp_path / "out.sgy").read_bytes() == joined(a, b, c).to_bytes()
    assert json.loads((tmp_path / "r.json").read_text())["dropped"] == 51


def test_numbers(sill, tmp_path):
    a, b, c = three()
    said = sill.run("merge", *written(tmp_path, a, b, c), "-o", tmp_path / "out.sgy").out
    assert "numbers" in said and "1 after 50" in said and "and 1 more" in said
    assert "numbers (1 after 50 in" in refused(sill, tmp_path, a, b, c, on="numbers=refuse")
    assert merged(sill, tmp_path, a, b, c, on="numbers=keep") == joined(a, b, c).to_bytes()
    merged(sill, tmp_path, a, b, c, on="numbers=refuse", options=["--renumber"])
    b.put_word("tracr", 51)
    c.put_word("tracr", 52 + np.arange(77))
    assert merged(sill, tmp_path, a, b, c, on="numbers=refuse") == joined(a, b, c).to_bytes()
