"""`convolve` and `correlate` against NumPy."""

import numpy as np
import pytest
import segy_files
from flow_cases import DT_S, file_of, flowed, kinds


def table(path, amplitudes, first_ms=None):
    lines = [f"{value:.9g}" for value in amplitudes]
    if first_ms is not None:
        lines = ["time_ms,amplitude"] + [f"{first_ms + 1000 * DT_S * i:.6g},{line}" for i, line in enumerate(lines)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("operation, parameter", [("convolve", "wavelet"), ("correlate", "with")])
@pytest.mark.parametrize("first", [None, 0, -7, 5, 600])
@pytest.mark.parametrize("length", [1, 15, 700])
def test_as_by_numpy(sill, tmp_path, operation, parameter, first, length):
    rows = kinds(400)
    wavelet = np.random.default_rng(1).standard_normal(length).astype("f4")
    path = table(tmp_path / "w.csv", wavelet, None if first is None else 1000 * DT_S * first)
    at = 0 if first is None or length == 1 and first == 0 else first
    full = np.array([np.convolve(r.astype("f8"), wavelet if operation == "convolve" else wavelet[::-1]) for r in rows])
    begins = at if operation == "convolve" else -(at + length - 1)
    out = flowed(sill, tmp_path, file_of(rows, delay_ms=4000), f"{operation} {parameter}=@{path} full", name="full.sgy")
    scale = np.abs(full).max(axis=1, keepdims=True) + 1e-30
    assert out.samples().shape == full.shape
    assert (np.abs(out.samples() - full) / scale).max() < 1e-6
    assert np.all(out.word("delrt") == 4000 + 2 * begins)
    assert np.all(out.word("ns") == full.shape[1])
    same = np.zeros(rows.shape)
    for i in range(rows.shape[1]):
        if 0 <= i - begins < full.shape[1]:
            same[:, i] = full[:, i - begins]
    out = flowed(sill, tmp_path, file_of(rows), f"{operation} {parameter}=@{path}", ranks=2)
    assert (np.abs(out.samples() - same) / scale).max() < 1e-6


def test_a_sweep_becomes_a_spike(sill, tmp_path):
    t = DT_S * np.arange(1000)
    sweep = np.sin(2 * np.pi * (10 * t + 20 * t * t)) * np.hanning(1000)
    rows = np.zeros((2, 2000), "f4")
    rows[0, 300:1300] = sweep
    rows[1, 900:1900] = -2 * sweep
    path = table(tmp_path / "s.csv", sweep)
    out = flowed(sill, tmp_path, file_of(rows), f"correlate with=@{path}").samples()
    assert out[0].argmax() == 300 and out[1].argmin() == 900
    assert out[0, 300] == pytest.approx(np.sum(sweep**2), rel=1e-5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time_ms,amplitude\n0,1\n1,2\n", "line 3"),
        ("time_ms,amplitude\n0.5,1\n2.5,2\n", "line 2"),
        ("1e39\n", "single precision"),
        ("a,b\n1,2\n", "unknown"),
    ],
)
def test_wrong_tables(sill, tmp_path, text, words):
    (tmp_path / "w.csv").write_text(text)
    path = file_of(kinds(50)).write(tmp_path / "in.sgy")
    error = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", f"convolve wavelet=@{tmp_path}/w.csv", expect=2).err
    assert words in error.replace("line:   ", "line ")


def test_without_a_file(sill, tmp_path):
    path = file_of(kinds(50)).write(tmp_path / "in.sgy")
    assert "wavelet=@FILE" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "convolve wavelet=3", expect=2).err
    assert segy_files.read(path).traces == 8


def test_autocorrelations(sill, tmp_path):
    rows = kinds()
    file = file_of(rows, delay_ms=120)
    out = flowed(sill, tmp_path, file, "autocorrelate length=200ms")
    expected = np.array([np.correlate(row, row, "full")[500:601] for row in rows.astype("f8")])
    assert out.samples().shape == (8, 101) and (out.word("delrt") == 0).all()
    assert np.abs(out.samples() - expected).max(axis=1) == pytest.approx(0, abs=1e-6 * expected.max())
    normalized = flowed(sill, tmp_path, file, "autocorrelate length=200ms normalize").samples()
    live = expected[:, 0] > 0
    assert np.abs(normalized[live] - expected[live] / expected[live, :1]).max() < 1e-6
    assert not normalized[~live].any()
    assert "0 to 500 samples" in sill.run(
        "flow", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--do", "autocorrelate length=2s", expect=2
    ).err
