"""Traces that are no seismic data beside those that are, and what a stack takes and says of its traces."""

import numpy as np
import pytest
import segy_files

SHOTS, CHANNELS, AUXILIARY = 4, 12, 3


def shots(path, kinds=(5, 6, 9)):
    """Shots of 12 channels and 3 auxiliary traces, which are much stronger."""
    each = CHANNELS + AUXILIARY
    file = segy_files.make(SHOTS * each, 64)
    samples = np.random.default_rng(5).standard_normal((SHOTS * each, 64)).astype("f4")
    codes = np.tile([1] * CHANNELS + list(kinds), SHOTS)
    samples[codes != 1] *= 1000
    file.put_samples(samples).put(9, "i4", np.repeat(np.arange(SHOTS), each) + 1).put(29, "i2", codes).put(109, "i2", 0)
    return file.write(path), codes == 1


def alone(path, is_data, to):
    """The seismic data of the file alone."""
    file = segy_files.read(path)
    file.rows = file.rows[is_data]
    return file.write(to)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("do", ["agc 40ms", "mix 3 gather=fldr", "normalize max gather=fldr", "debias",
                                "bandpass 8 60; gain scale=3", "mute top at=20ms ramp=8ms"])
def test_auxiliary_traces_pass_unchanged(sill, tmp_path, do, ranks):
    path, is_data = shots(tmp_path / "in.sgy")
    told = sill.run("flow", path, "-o", tmp_path / "out.sgy", "--do", do, ranks=ranks)
    sill.run("flow", alone(path, is_data, tmp_path / "data.sgy"), "-o", tmp_path / "alone.sgy", "--do", do)
    before, made = segy_files.read(path), segy_files.read(tmp_path / "out.sgy")
    np.testing.assert_array_equal(made.rows[is_data], segy_files.read(tmp_path / "alone.sgy").rows)
    np.testing.assert_array_equal(made.rows[~is_data], before.rows[~is_data])
    assert "12 traces are not seismic data" in told.out and "5 (4 traces), 6 (4 traces), 9 (4 traces)" in told.out
    sill.run("flow", path, "-o", tmp_path / "all.sgy", "--do", do, "--auxiliary", "process", ranks=ranks)
    assert (segy_files.read(tmp_path / "all.sgy").rows[~is_data] != before.rows[~is_data]).any()


def test_mix_of_neighbours_does_not_depend_on_blocks(sill, tmp_path):
    path, is_data = shots(tmp_path / "in.sgy")
    for ranks in (1, 2, 4):
        sill.run("flow", path, "-o", tmp_path / f"{ranks}.sgy", "--do", "mix 5", ranks=ranks)
    samples = segy_files.read(path).samples()
    want = samples.copy()
    for i in np.flatnonzero(is_data):
        near = [n for n in range(i - 2, i + 3) if 0 <= n < len(samples) and is_data[n]]
        want[i] = samples[near].astype("f8").mean(axis=0)
    for ranks in (1, 2, 4):
        np.testing.assert_allclose(segy_files.read(tmp_path / f"{ranks}.sgy").samples(), want, rtol=1e-6)


@pytest.mark.parametrize("ranks", [1, 2])
def test_no_seismic_data_at_all_is_an_error(sill, tmp_path, ranks):
    path, is_data = shots(tmp_path / "in.sgy")
    aux = alone(path, ~is_data, tmp_path / "aux.sgy")
    refused = sill.run("flow", aux, "-o", tmp_path / "out.sgy", "--do", "agc 40ms", ranks=ranks, expect=3)
    assert "5 (4 traces), 6 (4 traces), 9 (4 traces)" in refused.err and "--auxiliary process" in refused.err
    refused = sill.run("flow", aux, "-o", tmp_path / "out.sgy", "--do", "stack by=fldr", ranks=ranks, expect=3)
    assert "5 (4 traces), 6 (4 traces), 9 (4 traces)" in refused.err and "trid=CODE" in refused.err
    assert not (tmp_path / "out.sgy").exists()
    sill.run("flow", aux, "-o", tmp_path / "out.sgy", "--do", "stack by=fldr trid=5,6", ranks=ranks)


@pytest.mark.parametrize("codes", [[0], [11], [15, 16, 17], [1, 12]])
def test_stack_takes_seismic_data_of_every_revision(sill, tmp_path, codes):
    file = segy_files.make(12, 16)
    file.put_samples(np.ones((12, 16), "f4")).put(9, "i4", np.arange(12) // 6 + 1)
    file.put(29, "i2", np.resize(codes, 12)).put(109, "i2", 0)
    sill.run("flow", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "out.sgy", "--do", "stack by=fldr")
    made = segy_files.read(tmp_path / "out.sgy")
    np.testing.assert_array_equal(made.samples(), 1)
    np.testing.assert_array_equal(made.get(33, "i2"), 6)
    np.testing.assert_array_equal(made.get(29, "i2"), codes[0] if len(codes) == 1 and codes[0] > 10 else 1)


def test_keys_of_a_stack_stay(sill, tmp_path):
    file = segy_files.make(24, 16)
    offset = np.tile([100, 200, 300], 8)
    file.put(21, "i4", np.arange(24) // 12 + 1).put(37, "i4", offset).put(29, "i2", 1).put(109, "i2", 0)
    path = file.write(tmp_path / "in.sgy")
    sill.run("flow", path, "-o", tmp_path / "out.sgy", "--do", "sort cdp,offset; stack by=cdp,offset")
    made = segy_files.read(tmp_path / "out.sgy")
    np.testing.assert_array_equal(made.get(37, "i4"), [100, 200, 300] * 2)
    sill.run("flow", path, "-o", tmp_path / "cdp.sgy", "--do", "stack by=cdp")
    np.testing.assert_array_equal(segy_files.read(tmp_path / "cdp.sgy").get(37, "i4"), 0)


@pytest.mark.parametrize("ranks", [1, 2])
def test_partial_stacks_say_which_bin_they_are(sill, tmp_path, ranks):
    file = segy_files.make(24, 16)
    offset = np.tile([-100, 250, 900], 8)
    file.put(21, "i4", np.arange(24) // 12 + 1).put(37, "i4", offset).put(29, "i2", 1).put(109, "i2", 0)
    path = file.write(tmp_path / "in.sgy")
    sill.run("flow", path, "-o", tmp_path / "out.sgy", "--do",
             "partialstack by=offset bins=0-200,200-500,500-800 gather=cdp number=tracr", ranks=ranks)
    made = segy_files.read(tmp_path / "out.sgy")
    np.testing.assert_array_equal(made.get(37, "i4"), [100, 350, 650] * 2)
    np.testing.assert_array_equal(made.get(5, "i4"), [1, 2, 3] * 2)
    np.testing.assert_array_equal(made.get(29, "i2"), [1, 1, 2] * 2)
