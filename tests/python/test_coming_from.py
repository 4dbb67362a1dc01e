"""The rows of docs/coming-from.md: both sides run, and where both give numbers, these are the same."""

import re
import shutil
from pathlib import Path

import h5py
import numpy
import pytest
import sill

PAGE = (Path(__file__).resolve().parents[2] / "docs/coming-from.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def rows(section):
    """Returns task and the code of both sides of each row."""
    lines = [line for line in SECTIONS[section].splitlines() if line.startswith("| ") and "`" in line]
    found = [re.findall(r"^\| (.*?) \| `(.*?)` \| `(.*?)` \|$", line) for line in lines]
    assert all(found), lines
    return [(task, left.replace(r"\|", "|"), right.replace(r"\|", "|")) for row in found for task, left, right in row]


def run(code, names):
    """Returns the value of an expression; runs statements and returns None."""
    try:
        code = compile(code, "docs/coming-from.md", "eval")
    except SyntaxError:
        exec(compile(code, "docs/coming-from.md", "exec"), names)
        return None
    return eval(code, names)


def is_numeric(value):
    return isinstance(value, (int, float, list, tuple)) or (
        hasattr(value, "__array__") and numpy.asarray(value).dtype.kind in "iuf"
    )


def compare(section, left_names, right_names):
    """Runs both sides of each row. Returns in how many rows numbers were compared."""
    compared = 0
    for task, left, right in rows(section):
        values = [run(code, names) for code, names in ((left, left_names), (right, right_names))]
        if all(is_numeric(value) for value in values):
            numpy.testing.assert_allclose(*values, rtol=1e-6, err_msg=f"{section}: {task}")
            compared += 1
    return compared


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cube(folder):
    sill.make_survey("cube.sgy", kind="cube", traces=1200, channels=30, samples=300, interval=4000)
    sill.convert("cube.sgy", output="little.sgy", byte_order="little")
    shutil.copy("cube.sgy", "copy.sgy")
    return sill.open("cube.sgy")


def test_segyio(cube):
    segyio = pytest.importorskip("segyio")
    sill.make_survey("shots.sgy", traces=600, samples=300, interval=4000)
    shutil.copy("cube.sgy", "copied.sgy")
    with segyio.open("copied.sgy", "r+") as r:
        names = {"array": cube.traces[:]}
        assert compare("segyio", {"segyio": segyio, "r": r} | names, {"sill": sill} | names) >= 12
    assert (sill.open("copied.sgy")["cdp"] == 5).all()
    assert (sill.open("copy.sgy")["cdp"] == 5).all()
    numpy.testing.assert_array_equal(sill.open("new.sgy").traces[:], cube.traces[:])


def test_obspy(folder):
    obspy = pytest.importorskip("obspy")
    pytest.importorskip("matplotlib").use("Agg")
    sill.make_survey("shots.sgy", traces=600, samples=300, interval=4000, sample_format="ieee")
    sill.convert("shots.sgy", output="shots.su", byte_order="little")
    names = {"obspy": obspy, "numpy": numpy, "t0": obspy.read("shots.sgy")[0].stats.starttime}
    before = sill.open("shots.sgy").traces[:]
    assert compare("ObsPy", names, {"sill": sill}) >= 5
    part = names["st"].slice(names["t0"] + 0.5, names["t0"] + 1)  # of the filtered stream
    assert sill.open("part.sgy").shape == (600, len(part[0].data))
    filtered = sill.open("filtered.sgy").traces[:]
    middle = numpy.stack([trace.data for trace in names["st"]])[:, 100:200]
    numpy.testing.assert_allclose(filtered[:, 100:200], middle, atol=0.01 * abs(filtered).max())
    numpy.testing.assert_array_equal(sill.open("new.sgy").traces[:], before)


def test_seismic_unix(folder):
    pytest.importorskip("matplotlib").use("Agg")
    sill.make_survey("line.sgy", traces=1200, samples=300, interval=4000)
    Path("v.csv").write_text("0,1500\n2,2500\n")
    names = {"sill": sill}
    for _, _, right in rows("Seismic Unix"):
        run(right, names)
        if "s" not in names:  # the first row makes the file
            names["s"] = sill.open("line.su")
    offsets = sill.open("near.su")["offset"]
    assert offsets.min() >= 0 and offsets.max() <= 500
    assert sill.open("part.su").shape == (1200, 126)
    assert (numpy.diff(sill.open("cmp.su")["cdp"]) >= 0).all()
    assert len(sill.open("stack.su")) == len(numpy.unique(names["s"]["cdp"]))
    assert len(Path("table.csv").read_text().splitlines()) >= 1200
    assert Path("spectrum.png").stat().st_size > 1000
    numpy.testing.assert_array_equal(sill.open("new.sgy").traces[:], sill.open("line.sgy").traces[:])


def test_segysak(cube):
    pytest.importorskip("segysak.segy")  # a submodule
    names = {"segysak": pytest.importorskip("segysak"), "xarray": pytest.importorskip("xarray")}
    assert compare("segysak and xarray", names, {"sill": sill}) >= 6


def test_h5py(cube):
    with h5py.File("cube.h5", "w") as file:
        file["samples"] = cube.traces[:]
        file["samples"].attrs["interval"] = cube.interval
    array = cube.traces[100:200]
    with h5py.File("blocks.h5", "w") as b, sill.writer("blocks.sgy", traces=200, samples=300, interval=0.004) as w:
        b.create_dataset("samples", (200, 300), "f4")
        w.write(array, at=0)
        left, right = numpy.empty(cube.shape, "f4"), numpy.empty(cube.shape, "f4")
        names = {"h5py": h5py, "out": left, "array": array, "b": b}
        assert compare("h5py", names, {"sill": sill, "out": right, "array": array, "w": w}) >= 6
        numpy.testing.assert_array_equal(left, right)
        numpy.testing.assert_array_equal(b["samples"][100:], array)
    numpy.testing.assert_array_equal(sill.open("blocks.sgy").traces[100:], array)
