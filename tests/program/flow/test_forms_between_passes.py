"""Outputs, and files between passes, whose form differs from the input's or from what is assumed of it."""

import numpy as np
import pytest
import segy_files
from flow_cases import file_of

ROWS = np.random.default_rng(1).standard_normal((5, 50)).astype("f4") * 1000
TWO_PASSES = "polarity; sort offset; select 'trace<3'"


def run(sill, folder, file, steps, *options):
    path = file.write(folder / "in.sgy")
    sill.run("flow", path, "-o", folder / "o.sgy", "--do", steps, *options)
    return segy_files.read(folder / "o.sgy", order=file.order)


@pytest.mark.parametrize(
    ("steps", "options", "code"),
    [
        ("polarity", ["--sample-format", "ieee"], 5),
        ("polarity", ["--sample-format", "int16", "--scale", "fit"], 3),
        (TWO_PASSES, [], 1),
        (TWO_PASSES, ["--sample-format", "ieee"], 5),
    ],
)
def test_an_assumed_sample_format(sill, tmp_path, steps, options, code):
    """The file states IEEE but has IBM floats; the output states its own format."""
    file = file_of(ROWS, code=1, offset=[5, 4, 3, 2, 1]).put_binary(3225, "i2", 5)
    out = run(sill, tmp_path, file, steps, "--assume", "sample_format=1", *options)
    assert out.code == code
    want = -ROWS[::-1][:2] if steps == TWO_PASSES else -ROWS
    got = out.samples() * (np.abs(want).max() / np.abs(out.samples()).max() if code == 3 else 1)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=0.1 if code == 3 else 0)


def test_samples_between_passes_may_look_like_another_format(sill, tmp_path):
    """Pure sines in double, whose every second word looks like noise as floats."""
    rows = np.tile(np.sin(2 * np.pi * np.arange(50) / 10), (90, 1)).astype("f4")
    file = file_of(rows, code=5, offset=np.arange(90) % 7)
    out = run(sill, tmp_path, file, "notch 34.1Hz", "--sample-format", "int16", "--scale", "fit")
    assert out.code == 3 and np.abs(out.samples()).max() > 30000
    path = file_of(np.full((90, 50), 1234), code=2, offset=np.arange(90) % 7).write(tmp_path / "int.sgy")
    steps = "gain scale=1; sort offset; stack by=tracl; stack by=offset"
    sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, "--sample-format", "ieee")
    assert (segy_files.read(tmp_path / "o.sgy").samples() == 1234).all()


@pytest.mark.parametrize(
    ("steps", "samples"),
    [
        ("window 0ms 58ms", 30),
        ("resample 1ms", 99),
        ("autocorrelate length=20ms", 11),
        ("window 0ms 58ms; sort offset; select 'trace<3'", 30),
    ],
)
def test_assumed_samples_that_change(sill, tmp_path, steps, samples):
    out = run(sill, tmp_path, file_of(ROWS, offset=[5, 4, 3, 2, 1]), steps, "--assume", "samples=50", "--assume", "interval=2000")
    assert out.samples().shape[1] == samples


def test_assumed_samples_that_stay(sill, tmp_path):
    """Trace headers that state another number need the assumption between passes, too."""
    file = file_of(ROWS, offset=[5, 4, 3, 2, 1], ns=49)
    out = run(sill, tmp_path, file, TWO_PASSES, "--assume", "samples=50")
    np.testing.assert_array_equal(out.samples(), -ROWS[::-1][:2])


@pytest.mark.parametrize(("code", "revision"), [(8, 0), (7, 1), (16, 1), (11, 0), (6, 1)])
@pytest.mark.parametrize("options", [["--sample-format", "ieee"], ["--sample-format", "int16", "--scale", "1"]])
def test_formats_of_later_revisions(sill, tmp_path, code, revision, options):
    """A file between passes is not the output: it has a revision that knows the input's format."""
    values = np.arange(5 * 50).reshape(5, 50) % 100
    file = file_of(values, code=code, offset=[5, 4, 3, 2, 1], delrt=50).put(215, "i2", -10)
    file.put_binary(3501, "u1", revision).put_binary(3261, "i4", 77)
    out = run(sill, tmp_path, file, "sort offset; select 'trace<3'", *options)
    np.testing.assert_array_equal(out.samples(), values[::-1][:2])
    head = (tmp_path / "o.sgy").read_bytes()
    assert head[3500] == revision and head[3260:3264] == bytes([0, 0, 0, 77])
    assert (out.word("delrt") == 50).all() and (out.get(215, "i2") == -10).all()  # also where they are no scalar


def test_the_advice_names_an_option_that_exists(sill, tmp_path):
    for code, revision in ((8, 0), (7, 1)):
        path = file_of(np.ones((2, 50)), code=code).put_binary(3501, "u1", revision).write(tmp_path / "in.sgy")
        err = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "select 'trace<2'", expect=2).err
        assert "sill convert --revision 2.1" in err and "--sample-format" in err
    path = file_of(np.ones((3, 33000)), offset=[3, 2, 1], ns=0).put_binary(3501, "u1", 1).write(tmp_path / "in.sgy")
    err = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "resample 1ms", expect=2).err
    assert "65999 samples" in err and "sill convert --revision 2.1" in err and "--sample-format" not in err
    steps = "resample 1ms; sort offset; select 'trace<3'; window 0ms 60ms"
    sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps)
    assert segy_files.read(tmp_path / "o.sgy").samples().shape == (2, 61)
