"""Operations on amplitudes and headers against NumPy: gain, normalize, debias, polarity, taper, kill, select, header,
window."""

import json

import numpy as np
import pytest
import segy_files
from flow_cases import DT_S, file_of, flowed, kinds


def close(out, want):
    scale = np.abs(want).max(axis=1, keepdims=True) + 1e-30
    np.testing.assert_allclose(out / scale, want / scale, rtol=1e-6, atol=1e-7)


def test_gain(sill, tmp_path):
    rows = kinds(101)
    delays = np.array([0, 0, 50, -30, 0, 1000, 0, 0])
    file = file_of(rows, delay_ms=delays)
    t = np.arange(101) * DT_S + delays[:, None] / 1000
    table = tmp_path / "v.csv"
    table.write_text("time,velocity\n0.05,1500\n0.3,2100\n")
    v = np.interp(t, [0.05, 0.3], [1500, 2100])
    for steps, want in [
        ("gain t=2", rows * np.where(t > 0, t, 0) ** 2), ("gain exp=1.5 scale=3", rows * np.exp(1.5 * t) * 3),
        ("gain db=6dB dbps=-20dB", rows * 10 ** (6 / 20) * 10 ** (-t)), ("gain t=0", rows),
        (f"gain divergence velocity=@{table}", rows * np.where(t > 0, t, 0) * v**2 / 2100**2),
        ("gain divergence velocity=2km/s", rows * np.where(t > 0, t, 0)),
    ]:  # fmt: skip
        close(flowed(sill, tmp_path, file, steps).samples(), want)
    refused = sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "n.sgy", "--do", "gain t=-1", expect=3)
    assert "operation 1 (gain)" in refused.err
    later = file_of(rows, delay_ms=40)
    close(flowed(sill, tmp_path, later, "gain t=-1").samples(), rows / (np.arange(101) * DT_S + 0.04))


def test_normalize(sill, tmp_path):
    rows = kinds(101)
    file = file_of(rows, cdp=[3, 3, 1, 1, 5, 5, 9, 9])
    largest = np.abs(rows).max(axis=1, keepdims=True)
    live = (rows != 0).sum(axis=1, keepdims=True)
    rms = np.sqrt((rows.astype(float) ** 2).sum(axis=1, keepdims=True) / np.maximum(live, 1))
    none_is_one = lambda a: np.where(a == 0, 1, a)  # noqa: E731
    close(flowed(sill, tmp_path, file, "normalize").samples(), rows / none_is_one(largest))
    close(flowed(sill, tmp_path, file, "normalize rms target=4").samples(), 4 * rows / none_is_one(rms))
    order = [2, 3, 0, 1, 4, 5, 6, 7]
    of_gather = np.repeat(largest.reshape(4, 2).max(axis=1), 2)[:, None]
    out = flowed(sill, tmp_path, file, "normalize max gather=cdp").samples()
    close(out, (rows / none_is_one(of_gather))[order])
    rows[:2] = 0
    rows[:2, 50] = np.nan
    rows[1, 60] = 2
    for by in ("max", "rms"):
        out = flowed(sill, tmp_path, file_of(rows), f"normalize {by}", "--nonfinite", "keep").samples()
        assert np.isnan(out[:2]).all() and np.isfinite(out[2:]).all()


def test_debias_and_polarity(sill, tmp_path):
    rows = kinds(101) + np.float32(0)
    rows[0] += 3
    rows[7] += np.linspace(-5, 9, 101).astype(np.float32)
    for line in (False, True):
        want = rows.astype(np.float64)
        for row in want:
            at = np.flatnonzero(row)
            if len(at):
                part = row[at[0] : at[-1] + 1]
                x = np.arange(len(part))
                part -= np.polyval(np.polyfit(x, part, 1), x) if line and len(part) > 1 else part.mean()
        out = flowed(sill, tmp_path, file_of(rows), "debias line" if line else "debias").samples()
        scale = np.abs(rows).max(axis=1, keepdims=True) + 1e-30
        np.testing.assert_allclose(out / scale, want / scale, atol=3e-7)
    assert (flowed(sill, tmp_path, file_of(rows), "polarity").samples() == -rows).all()


@pytest.mark.parametrize("shape", ["linear", "cosine2", "sine"])
def test_taper(sill, tmp_path, shape):
    for samples in (101, 4, 1):
        rows = kinds(samples) if samples > 10 else np.ones((2, samples), dtype=np.float32)
        u = np.clip(np.arange(samples) / (0.05 / DT_S), 0, 1)
        ramp = {"linear": u, "cosine2": (1 - np.cos(np.pi * u)) / 2, "sine": np.sin(np.pi * u / 2)}[shape]
        out = flowed(sill, tmp_path, file_of(rows), f"taper 50ms shape={shape}").samples()
        close(out, rows * ramp * ramp[::-1])
    out = flowed(sill, tmp_path, file_of(rows := kinds(101)), "taper 10ms of=live at=end").samples()
    at = np.flatnonzero(rows[2])
    end = np.clip((at[-1] - np.arange(101)) / 5, 0, 1)
    close(out[2:3], rows[2:3] * end)


def test_kill_and_select(sill, tmp_path):
    file = segy_files.make(60, 20)
    offset, cdp = file.word("offset"), file.word("cdp")
    out = flowed(sill, tmp_path, file, "kill 'offset > 300'")
    want = file.copy()
    want.rows[offset > 300, 240:] = 0
    trid = np.where(offset > 300, 2, want.word("trid"))
    assert out.rows.tobytes() == want.put_word("trid", trid).rows.tobytes()
    out = flowed(sill, tmp_path, file, "select 'cdp >= 4 and offset < 200'; sort -offset; select 'trace % 2 == 1'")
    at = np.flatnonzero((cdp >= 4) & (offset < 200))
    at = at[np.argsort(-offset[at], kind="stable")][::2]
    assert out.rows.tobytes() == file.rows[at].tobytes()
    none = sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "none.sgy", "--do", "select 'cdp > 1000'", expect=None)
    assert none.code in (0, 3)


def test_select_behind_what_may_stop(sill, tmp_path):
    """agc stops at a trace that select would remove, and does not if select comes first or NaN is kept."""
    rows = kinds(50)
    rows[5, 7] = np.nan
    path = file_of(rows, fldr=np.arange(8)).write(tmp_path / "in.sgy")
    for ranks in (None, 2):
        steps = "agc 20ms; select 'fldr < 5'"
        refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, ranks=ranks, expect=3)
        assert "operation 1 (agc): sample 8 is nan" in refused.err
    sill.run("flow", path, "-o", tmp_path / "a.sgy", "--do", "select 'fldr < 5'; agc 20ms", "--history", "none")
    sill.run("flow", path, "-o", tmp_path / "b.sgy", "--do", steps, "--nonfinite", "keep", "--history", "none")
    assert (tmp_path / "a.sgy").read_bytes() == (tmp_path / "b.sgy").read_bytes()


def test_the_first_error_counts(sill, tmp_path):
    """That of the first operation, then that of the first trace it takes, whatever is looked at first."""
    rows = kinds(50)
    rows[2, 3] = np.inf
    file = file_of(rows, fldr=np.arange(8), cdp=[0, 1, 2, 3, 4, 5, 0, 7])
    path = file.write(tmp_path / "in.sgy")
    for steps, what in [
        ("header ep='10 % cdp'; agc 20ms", ("operation 1 (header)", 1)),
        ("select 'fldr > 0'; header ep='10 % cdp'; agc 20ms", ("operation 2 (header)", 7)),
        ("agc 20ms; header ep='10 % cdp'; sort ep", ("operation 1 (agc)", 3)),
        ("sort -fldr; header ep='10 % cdp'; sort ep", ("operation 2 (header)", 7)),
        ("select 'fldr != 2'; agc 20ms; header ep='10 % cdp'; sort ep", ("operation 3 (header)", 1)),
    ]:
        for ranks in (None, 3):
            refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, ranks=ranks, expect=3)
            assert what[0] in refused.err and f"trace:  {what[1]}\n" in refused.err, (steps, refused.err)


def test_header(sill, tmp_path):
    file = segy_files.make(30, 10)
    out = flowed(sill, tmp_path, file, "header fldr=cdp cdp=fldr offset='abs(offset) + trace'; sort cdp; header ep=trace")
    want = file.copy()
    want.put_word("fldr", file.word("cdp")).put_word("cdp", file.word("fldr"))
    want.put_word("offset", np.abs(file.word("offset")) + np.arange(1, 31)).put_word("ep", np.arange(1, 31))
    assert out.rows.tobytes() == want.rows.tobytes()
    for steps, reason in [("header ns=3", "determines the number or the interval"), ("header", "no word is set"),
                          ("header nosuch=3", "nosuch"), ("header cdp='1 +'", "cdp")]:  # fmt: skip
        assert reason in sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "o", "--do", steps, expect=2).err


def test_window(sill, tmp_path):
    rows = kinds(101)
    file = file_of(rows, delay_ms=np.array([100, 100, 104, 100, 96, 100, 100, 100]))
    out = flowed(sill, tmp_path, file, "window 120ms 200ms")
    assert out.samples().shape == (8, 41)
    for i, first in enumerate([10, 10, 8, 10, 12, 10, 10, 10]):
        np.testing.assert_array_equal(out.samples()[i], rows[i, first : first + 41])
    assert set(out.word("delrt")) == {120} and set(out.word("ns")) == {41} and out.binary(3221, "u2") == 41
    refused = sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--do", "window 98ms 200ms", expect=3)
    assert "not within the trace" in refused.err
    out = flowed(sill, tmp_path, file_of(rows, delay_ms=100), "window 90ms 400ms pad")
    want = np.zeros((8, 156), dtype=np.float32)
    want[:, 5:106] = rows
    np.testing.assert_array_equal(out.samples(), want)
    assert set(out.word("delrt")) == {90}


@pytest.mark.parametrize(
    "before",
    ["header delrt=1; sort -cdp", "select 'cdp == 2'; sort -offset", "select 'cdp > 1'; stack by=cdp",
     "header delrt=1; sort cdp; window 0ms 60ms; sort -cdp", "shift 4ms; select 'mute > 0'"],
)  # fmt: skip
def test_the_first_trace_of_a_window(sill, tmp_path, before):
    """That before the first sort or gather: the window has 20 of its samples, but 21 of the first trace of the file."""
    file = file_of(kinds(101), delay_ms=[2] + [1] * 7, cdp=[1] + [2] * 7, trid=[1] + [9] * 7, muts=12, mute=20)
    if "stack" in before:
        file.put_word("trid", 1)
    out = flowed(sill, tmp_path, file, f"{before}; window 0ms 40ms pad")
    assert out.samples().shape[1] == 20 and set(out.word("delrt")) == {1}


def test_a_window_reads_one_header_in_advance(sill, tmp_path):
    path = file_of(np.ones((3000, 20)), cdp=np.arange(3000)).write(tmp_path / "in.sgy")
    bytes_read = []
    for steps in ("polarity", "window 0ms 20ms", "select 'cdp > 20'; window 0ms 20ms"):
        sill.run("flow", path, "--do", steps, "-o", tmp_path / "o.sgy", "--dry-run", "--report", tmp_path / "r.json")
        bytes_read.append(json.loads((tmp_path / "r.json").read_text())["bytes_read"])
    assert bytes_read[0] < bytes_read[1] <= bytes_read[0] + 240
    assert bytes_read[2] <= bytes_read[1] + (1 + 4 + 16 + 64) * 320
