"""Traces whose headers state another sample interval than the file, and samples that floats cannot store."""

import numpy as np
import pytest
import segy_files
from flow_cases import file_of


def with_another_interval(traces=3000, at=1235, samples=20):
    dt = np.full(traces, 4000)
    dt[at - 1] = 2000
    return file_of(np.ones((traces, samples)), dt_us=4000, cdp=1 + np.arange(traces) // 10, trid=1, dt=dt)


@pytest.mark.parametrize("steps", ["gain t=1", "resample 8ms", "sort -cdp; gain t=1; sort cdp; polarity"])
@pytest.mark.parametrize("ranks", [None, 3])
def test_they_are_counted(sill, tmp_path, steps, ranks):
    path = with_another_interval().write(tmp_path / "in.sgy")
    out = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, ranks=ranks).out
    note = "the headers of 1 trace state another sample interval (dt) than the one that is used, 4000 us: the first is trace 1235, "
    assert out.count(note + "with 2000 us") == 1


def test_intervals_that_agree_are_not_reported(sill, tmp_path):
    file = with_another_interval(30, 15)
    path = file.put_word("dt", [0, 4000] * 15).write(tmp_path / "in.sgy")
    assert "another sample interval" not in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "stack by=cdp").out


@pytest.mark.parametrize("steps", ["stack by=cdp", "mix 3", "mix weights=1,2,1 gather=cdp", "normalize gather=cdp"])
def test_they_are_not_combined(sill, tmp_path, steps):
    file = with_another_interval()
    path = file.write(tmp_path / "in.sgy")
    refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=3)
    assert "the header states a sample interval (dt) of 2000" in refused.err and "1235" in refused.err
    assert "give --assume interval=4000" in refused.err
    sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, "--assume", "interval=4000")
    trid = np.ones(3000)
    trid[1234] = 2
    sill.run("flow", file.put_word("trid", trid).write(path), "-o", tmp_path / "o.sgy", "--do", steps)


@pytest.mark.parametrize("suffix", [".sgy", ".su"])
def test_an_interval_that_the_user_states_is_written(sill, tmp_path, suffix):
    """The output states it in its trace headers, too, so that it is read without --assume."""
    path = file_of(np.ones((3, 50)), dt_us=2000, dt=2000).write(tmp_path / "in.sgy")
    source = tmp_path / f"in2{suffix}"
    sill.run("convert", path, "-o", source)
    out = tmp_path / f"o{suffix}"
    said = sill.run("flow", source, "-o", out, "--assume", "interval=3000", "--do", "gain t=1")
    assert "trace headers state 2000 us between samples, the assumption is 3000" in said.err, said.err
    assert "the assumption is used" in said.err
    read = sill.run("info", out, "--json").out
    assert '"interval_us": 3000.0' in read and "us between samples" not in read
    raw = out.read_bytes()
    at = (0 if suffix == ".su" else 3600) + 116
    trace = 240 + 4 * 50
    dt = [raw[at + i * trace : at + 2 + i * trace] for i in range(3)]
    assert {int.from_bytes(two, "little" if suffix == ".su" else "big") for two in dt} == {3000}


def test_samples_below_the_range_of_floats_are_counted(sill, tmp_path):
    rows = np.ones((2, 9))
    file = segy_files.make(2, 9, code=6, revision=(2, 0)).put_word("delrt", 0)
    note = "samples of the input are too small for floats of 4 bytes"
    assert note not in sill.run("flow", file.put_samples(rows).write(tmp_path / "in.sgy"), "--do", "minmax samples").out
    rows[1, 3:7] = 3e-50, 1e-45, 1e-40, 0
    path = file.put_samples(rows).write(tmp_path / "in.sgy")
    for steps in ("minmax samples", "mix 3; gain scale=1e30; mix 3"):
        assert f"2 {note}" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps).out
    other = file.put_samples(np.ones((2, 9))).write(tmp_path / "other.sgy")
    out = sill.run("flow", other, "-o", tmp_path / "o.sgy", "--do", f"math minus with=@{path} by=trace").out
    assert "2 samples of the other survey are too small" in out
