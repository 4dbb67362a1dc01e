"""A sample format that the samples contradict: found by info and check, refused by what computes, set by repair."""

import json

import numpy as np
import pytest
import segy_files


def seismic_values(traces: int, samples: int, seed: int = 1) -> np.ndarray:
    """Traces of band-limited noise, louder at the beginning."""
    noise = np.random.default_rng(seed).normal(size=(traces, samples + 40))
    wavelet = np.sinc(np.arange(-20, 21) / 4.0) * np.hanning(41)
    filtered = np.stack([np.convolve(row, wavelet, "valid") for row in noise])
    return (filtered * 1000.0 * np.exp(-3.0 * np.arange(samples) / samples)).astype(np.float32)


def write(path, values, stated: int, holds: int, order: str = "big", held_order: str | None = None):
    """A file of `values` stored in format `holds`, whose binary header states format `stated`."""
    traces, samples = values.shape
    file = segy_files.make(traces, samples, code=stated, order=order)
    rows = file.rows.copy()
    kind = segy_files.SAMPLE_TYPES[holds]
    rows[:, 240:] = segy_files.encode(values, kind, held_order or order).reshape(traces, -1)
    file.rows = rows
    return file.write(path)


def told_by_info(sill, path, *options):
    found = json.loads(sill.run("info", "--json", path, *options).out)["diagnostics"]
    return [one for one in found if "sample" in one["problem"] and "format" in one["problem"] or "samples can" in one["problem"]]


def told_by_check(sill, path, *options):
    report = json.loads(sill.run("check", path, "--no-geometry", "--json", "-", *options).out)
    return [one for one in report["files"][0]["findings"] if one["kind"] == "sample-format"]


NAMES = {1: "IBM float, 4 bytes (format 1)", 2: "integer, 4 bytes (format 2)", 5: "IEEE float, 4 bytes (format 5)"}


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize(("stated", "holds"), [(1, 5), (5, 1), (2, 5), (2, 1), (1, 2), (5, 2)])
def test_a_wrong_format_is_found_and_not_computed_with(sill, tmp_path, stated, holds, order):
    values = seismic_values(60, 400)
    path = write(tmp_path / "wrong.sgy", np.rint(values) if holds == 2 else values, stated, holds, order)
    for found in (told_by_info(sill, path), told_by_check(sill, path)):
        assert [one["grade"] for one in found] == ["major"]
        assert NAMES[holds] in found[0]["problem"]
        assert f"--assume sample_format={holds}" in found[0]["action"]
    out = tmp_path / "out.sgy"
    refused = sill.run("convert", path, "-o", out, "--sample-format", "ieee", expect=3)
    assert f"--assume sample_format={holds}" in refused.err
    assert not out.exists()
    # What is assumed counts: the right format, and the stated one as well.
    sill.run("convert", path, "-o", out, "--sample-format", "ieee", "--assume", f"sample_format={holds}")
    right = segy_files.read(out)
    assert np.allclose(right.samples(), np.rint(values) if holds == 2 else values, rtol=1e-6)
    sill.run("info", path, "--strict", expect=3)
    assert [one["grade"] for one in told_by_info(sill, path, "--assume", f"sample_format={stated}")] == ["info"]
