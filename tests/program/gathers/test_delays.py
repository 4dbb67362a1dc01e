"""Operations that combine traces: delays that differ, and traces that are marked as dead but have samples."""

import numpy as np
import pytest
from flow_cases import file_of, flowed

DT_MS = 2
COMBINING = {
    "fk": "fk remove velocities=0m/s-1500m/s by=cdp",
    "fxdecon": "fxdecon by=cdp length=2 traces=12",
    "interpolate": "interpolate by=cdp length=1 traces=12",
}


def one_signal(later, samples=100):
    """Traces of one signal in absolute time that begin `later` samples after time 0."""
    signal = np.random.default_rng(2).standard_normal(samples + max(later)).astype("f4")
    return np.array([signal[n : n + samples] for n in later])


LATER = [0] * 4 + [10] * 4 + [3] * 4


@pytest.mark.parametrize("steps", ["mix 3", "mix weights=1,2,3,2,1 gather=cdp", "mix 11"])
@pytest.mark.parametrize("ranks", [None, 3])
def test_mix_aligns_whole_samples(sill, tmp_path, steps, ranks):
    rows = one_signal(LATER)
    file = file_of(rows, delay_ms=[DT_MS * n for n in LATER], cdp=1, trid=1)
    out = flowed(sill, tmp_path, file, steps, ranks=ranks)
    np.testing.assert_allclose(out.samples(), rows, rtol=1e-6)
    np.testing.assert_array_equal(out.word("delrt"), file.word("delrt"))


def test_samples_that_a_neighbour_does_not_have_are_absent(sill, tmp_path):
    rows = np.array([np.full(10, 1), np.full(10, 3)])
    out = flowed(sill, tmp_path, file_of(rows, delay_ms=[0, 8], cdp=1, trid=1), "mix 3").samples()
    np.testing.assert_array_equal(out, [[1] * 4 + [2] * 6, [2] * 6 + [3] * 4])


def test_mix_refuses_fractions_of_samples(sill, tmp_path):
    path = file_of(np.ones((5, 10)), delay_ms=[0, 0, 0, 3, 0], trid=1).write(tmp_path / "in.sgy")
    refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "mix 3", expect=3)
    assert "fraction of a sample" in refused.err and "'shift'" in refused.err
    file = file_of(np.ones((5, 10)), delay_ms=4, dt_us=0, trid=1, dt=0)
    flowed(sill, tmp_path, file, "mix 3")
    path = file.put_word("delrt", [4, 4, 4, 8, 4]).write(path)
    refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "mix 3", expect=3)
    assert "the survey does not state" in refused.err and "--assume interval=" in refused.err


@pytest.mark.parametrize("operation", COMBINING)
def test_other_operations_refuse_differing_delays(sill, tmp_path, operation):
    rows = one_signal(LATER)
    rows[5] = 0
    file = file_of(rows, delay_ms=[DT_MS * n for n in LATER], cdp=1, trid=1, offset=10 * np.arange(12))
    path = file.write(tmp_path / "in.sgy")
    refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", COMBINING[operation], expect=3)
    assert "does not begin at the same time as the first trace of its gather" in refused.err
    assert "window T1 T2 pad" in refused.err
    file.put_word("delrt", 8).write(path)
    sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", COMBINING[operation])


@pytest.mark.parametrize("steps", [COMBINING["fk"], COMBINING["fxdecon"], "normalize gather=cdp", "normalize rms gather=cdp", "mix 3"])
def test_samples_of_dead_traces_are_not_used(sill, tmp_path, steps):
    rows = np.random.default_rng(3).standard_normal((30, 60)).astype("f4")
    rows[7] = 1e6
    dead = np.arange(30) == 7
    file = file_of(rows, cdp=1, trid=np.where(dead, 2, 1), offset=10 * np.arange(30))
    out = flowed(sill, tmp_path, file, steps).samples()
    np.testing.assert_array_equal(out[7], rows[7], "a dead trace stays")
    rows[7] = 0
    np.testing.assert_array_equal(out[~dead], flowed(sill, tmp_path, file.put_samples(rows), steps).samples()[~dead])


def test_interpolate_replaces_samples_of_dead_traces(sill, tmp_path):
    rows = np.ones((3, 60), "f4")
    rows[1] = 1e6
    file = file_of(rows, cdp=1, trid=[1, 2, 1])
    result = sill.run("flow", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "o.sgy", "--do", "interpolate by=cdp")
    assert "windows that remained zero" in result.out
    out = flowed(sill, tmp_path, file, "interpolate by=cdp")
    np.testing.assert_array_equal(out.samples()[1], 0)
    np.testing.assert_array_equal(out.word("trid"), [1, 2, 1])
