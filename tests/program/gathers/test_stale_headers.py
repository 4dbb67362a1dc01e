"""Header words that a flow makes false: mute times of moved samples, numbers of traces per ensemble."""

import numpy as np
import pytest
import segy_files
from flow_cases import file_of, flowed

MUTES = ["muts", "mute"]


def survey():
    rows = np.random.default_rng(4).standard_normal((6, 60)).astype("f4")
    return file_of(rows, cdp=[1, 1, 1, 2, 2, 2], trid=1, offset=np.tile([100, 200, 300], 2), sstat=4, tstat=0, muts=12, mute=20)


@pytest.mark.parametrize(
    "steps",
    [
        "shift 4ms", "statics sstat", "nmo velocity=2km/s", "lmo velocity=2km/s", "autocorrelate length=40ms",
        "trim limit=4ms by=cdp", "semblance from=1500m/s to=2500m/s step=500m/s gate=20ms by=cdp",
        "radon linear from=-20ms to=20ms step=10ms reference=300m by=cdp", "correlate with=@WAVELET", "convolve wavelet=@WAVELET full",
        "angles of=slowness angles=0deg:10deg:10deg moveouts=100ms:300ms:100ms reference=9km velocity=2km/s kind=rms by=cdp",
    ],
)  # fmt: skip
def test_mute_times_of_moved_samples(sill, tmp_path, steps):
    (tmp_path / "w.csv").write_text("1\n2\n")
    steps = steps.replace("WAVELET", str(tmp_path / "w.csv"))
    path = survey().write(tmp_path / "in.sgy")
    result = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps)
    out = segy_files.read(tmp_path / "o.sgy")
    assert not any(out.word(word).any() for word in MUTES)
    assert f"the mute times (muts, mute) of {out.traces} traces were set to 0" in result.out
    path = survey().put_word("muts", 0).put_word("mute", 0).write(path)
    assert "mute times" not in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps).out


def test_mute_times_that_remain_true(sill, tmp_path):
    path = survey().write(tmp_path / "in.sgy")
    for steps in ("gain scale=2", "shift 4ms; mute top at=12ms", "stack by=cdp", "window 10ms 90ms"):
        sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps)
        muted = [segy_files.read(tmp_path / "o.sgy").word(word) for word in MUTES]
        assert any((times == 12).all() for times in muted)
    sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "shift 4ms; header ep=muts+1; sort -ep,tracl")
    assert (segy_files.read(tmp_path / "o.sgy").word("ep") == 1).all()


@pytest.mark.parametrize(
    ("steps", "traces"),
    [
        ("shift 4ms; select 'muts > 0'", [2, 5]),
        ("shift 4ms; sort -muts,tracl", [2, 5, 1, 3, 4, 6]),
        ("statics sstat; select 'tstat == 0'", [2, 5]),
        ("statics sstat again; sort tstat,tracl", [2, 5, 1, 3, 4, 6]),
    ],
)  # fmt: skip
def test_headers_of_traces_that_are_not_seismic_data_stay(sill, tmp_path, steps, traces):
    file = survey().put_word("trid", [1, 9, 1, 1, 9, 1]).put_word("tracl", np.arange(6) + 1)
    out = flowed(sill, tmp_path, file, steps)
    np.testing.assert_array_equal(out.word("tracl"), traces)


@pytest.mark.parametrize(
    ("steps", "traces"),
    [
        ("gain scale=2", 5), ("stack by=cdp", 1), ("stack by=cdp; sort -cdp", 1),
        ("partialstack by=offset bins=0-150,150-400 gather=cdp", 2),
        ("partialstack by=offset bins=0-150,150-400 gather=cdp; select 'cdp == 2'", 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("revision", [1, 2])
def test_traces_per_ensemble(sill, tmp_path, steps, traces, revision):
    file = survey()
    for byte in (3213, 3227):
        file.put_binary(byte, "i2", 5)
    if revision == 2:
        file.head[3500:3502] = [2, 0]
        for byte in (3261, 3293):
            file.put_binary(byte, "i4", 6)
    sill.run("flow", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "o.sgy", "--do", steps)
    out = segy_files.read(tmp_path / "o.sgy")
    assert [out.binary(byte, "i2") for byte in (3213, 3227)] == [traces, traces]
    if revision == 2:
        assert [out.binary(byte, "i4") for byte in (3261, 3293)] == [6 if traces == 5 else 0] * 2
