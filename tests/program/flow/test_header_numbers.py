"""Times and offsets in headers that are not finite, or too large to be meant."""

import numpy as np
import pytest
from flow_cases import file_of, kinds
from segy_files import read

SAMPLES = 200
MAP = """
[words.delrt]
byte = 201
type = "f8"
scalar = 1
[words.offset]
byte = 209
type = "f8"
[words.sstat]
byte = 217
type = "f8"
[words.cdp]
byte = 21
type = "i4"
"""


def survey(folder, byte, value, *, trace=2):
    file = file_of(kinds(SAMPLES), cdp=[1, 1, 1, 1, 2, 2, 2, 2])
    for at in (201, 209, 217):
        file.put(at, "f8", np.zeros(8))
    values = np.zeros(8)
    values[trace] = value
    file.put(byte, "f8", values)
    (folder / "map.toml").write_text(MAP)
    return file.write(folder / "in.sgy"), ["--map", folder / "map.toml"]


STEPS = [
    ("stack by=cdp", 201, "delrt"), ("mute bottom at=100ms", 201, "delrt"), ("mute top velocity=2km/s", 209, "offset"),
    ("mute top word=sstat", 217, "sstat"), ("window 0ms 100ms", 201, "delrt"), ("gain t=1", 201, "delrt"),
    ("nmo velocity=2km/s", 209, "offset"), ("lmo velocity=2km/s", 209, "offset"), ("statics sstat", 217, "sstat"),
    ("partialstack by=offset bins=0-100,100-200 gather=cdp", 209, "offset"), ("mute top word=sstat; sort muts", 217, "sstat"),
    ("bandpass 8 60 window=0ms:200ms", 201, "delrt"),
]  # fmt: skip


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize(("steps", "byte", "word"), STEPS)
def test_what_is_not_finite_stops_or_is_zero(sill, tmp_path, steps, byte, word, ranks):
    out = tmp_path / "o.sgy"
    for value in (np.nan, np.inf, -np.inf) if ranks is None else (np.nan,):
        path, given = survey(tmp_path, byte, value)
        for nonfinite in ([], ["--nonfinite", "keep"]):
            run = sill.run("flow", path, "-o", out, "--do", steps, *given, *nonfinite, ranks=ranks, expect=3)
            assert f"the word {word} (byte {byte}) is" in run.err and "trace:  3" in run.err and "--nonfinite zero" in run.err
        assert not out.exists()
        run = sill.run("flow", path, "-o", out, "--do", steps, *given, "--nonfinite", "zero", "--history", "none", ranks=ranks)
        assert "1 header words that were not finite were set to 0" in run.out + run.err
        got = out.read_bytes()
        path, given = survey(tmp_path, byte, 0.0)
        sill.run("flow", path, "-o", tmp_path / "w.sgy", "--do", steps, *given, "--history", "none")
        assert got == (tmp_path / "w.sgy").read_bytes() and read(out).samples().any()
        out.unlink()


@pytest.mark.parametrize(("steps", "byte", "word"), STEPS)
def test_what_is_too_large_is_an_error(sill, tmp_path, steps, byte, word):
    for value in (1e300, -1e300, 1e19):
        if "partialstack" in steps:
            continue
        path, given = survey(tmp_path, byte, value)
        run = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, *given, "--nonfinite", "zero", expect=3)
        assert f"the word {word} (byte {byte}) is {value:.6g}, whose magnitude exceeds" in run.err and "trace:  3" in run.err


@pytest.mark.parametrize("value", [1e300, 1e19, -1e14, np.nan])
def test_views_and_windows_of_such_traces(sill, tmp_path, value):
    path, given = survey(tmp_path, 201, value)
    for command in (["view", path, "-o", tmp_path / "o.png"], ["cut", path, "-o", tmp_path / "o.sgy", "--time", "0ms:100ms"]):
        run = sill.run(*command, *given, expect=3)
        assert "delrt (byte 201)" in run.err and "trace:  3" in run.err
    sill.run("view", path, "-o", tmp_path / "o.png", "--where", "trace != 3", *given)


def test_distant_starts_are_shown(sill, tmp_path):
    """Far apart, and still with places in a picture."""
    path, given = survey(tmp_path, 201, 9e8)
    sill.run("view", path, "-o", tmp_path / "o.png", *given)


@pytest.mark.parametrize("steps", ["window 0s 40000s pad; spectrum", "window 0s 40000s pad; agc 1s", "window 0s 39s; resample 1us"])
def test_definitions_that_need_more_memory_than_there_is(sill, tmp_path, steps):
    """Said by the operation, before the next one makes its tables."""
    path = file_of(kinds(20000)).write(tmp_path / "in.sgy")
    run = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--memory", "64M", "--do", steps, expect=2)
    assert "of memory, but a rank may use only 67.1 MB" in run.err and "^" in run.err
