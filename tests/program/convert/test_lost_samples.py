"""Formats of whole numbers hold the signal, or nothing is written."""

import json
from fractions import Fraction

import numpy as np
import pytest
import segy_files


def cube(path, scale=1.0, **options):
    """200 traces of 100 samples, of -scale to scale."""
    file = segy_files.make(200, 100, **options).put_word("delrt", 0)
    samples = np.random.default_rng(3).uniform(-scale, scale, (200, 100)).astype("f4")
    samples[17, 3] = scale
    file.put_samples(samples)
    return file.write(path), samples


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_lost_survey_is_not_written(sill, tmp_path, ranks):
    path, samples = cube(tmp_path / "in.sgy")
    for word, share in [("int16", 100), ("int8", 100)]:
        refused = sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", word, ranks=ranks, expect=3)
        lost = np.mean(np.abs(np.round(samples) - samples) > 0.05 * np.abs(samples)) * 100
        assert f"{lost:.3g} % of the samples would become 0 or change by more than 5 %" in refused.err
        assert "--scale fit" in refused.err and "--accept-loss" in refused.err and lost <= share
    assert not (tmp_path / "out.sgy").exists()
    sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", "int16", "--accept-loss", ranks=ranks)
    np.testing.assert_array_equal(segy_files.read(tmp_path / "out.sgy").samples(), np.round(samples))


def test_few_lost_samples_are_told(sill, tmp_path):
    path, samples = cube(tmp_path / "in.sgy", 100.0)
    told = sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", "int16")
    lost = int(np.sum(np.abs(np.round(samples) - samples) > 0.05 * np.abs(samples)))
    assert 0 < lost < samples.size / 10
    assert f"{lost:,} become 0 or change by more than 5 %" in told.out


@pytest.mark.parametrize("word, largest", [("int16", 32767), ("int8", 127), ("int24", 8388607), ("int32", 2147483520)])
@pytest.mark.parametrize("ranks", [1, 2])
def test_scale_fit_uses_the_range(sill, tmp_path, word, largest, ranks):
    path, samples = cube(tmp_path / "in.sgy", 0.7)
    sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", word, "--scale", "fit", ranks=ranks,
             *(["--revision", "2.1"] if word == "int24" else []))
    power = int(np.floor(np.log2(largest / float(np.abs(samples).max()))))
    made = segy_files.read(tmp_path / "out.sgy")
    np.testing.assert_array_equal(made.samples(), np.round(samples * np.float32(2.0**power)))
    assert np.abs(made.samples().astype("i8")).max() > largest / 2
    np.testing.assert_array_equal(made.get(169, "i2"), power)
    shown = sill.run("text", tmp_path / "out.sgy").out
    assert f"SAMPLES TIMES {2**power}" in shown


def test_a_factor_is_recorded(sill, tmp_path):
    path, samples = cube(tmp_path / "in.sgy", 0.7)
    sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", "int16", "--scale", "1000")
    made = segy_files.read(tmp_path / "out.sgy")
    np.testing.assert_array_equal(made.samples(), np.round(samples * np.float64(1000)))
    np.testing.assert_array_equal(made.get(169, "i2"), 0)  # 1000 is no power of 2
    assert "SAMPLES TIMES 1000" in sill.run("text", tmp_path / "out.sgy").out
    sill.run("convert", tmp_path / "out.sgy", "-o", tmp_path / "back.sgy", "--sample-format", "ieee", "--scale", "0.001")
    np.testing.assert_allclose(segy_files.read(tmp_path / "back.sgy").samples(), samples, atol=6e-4)
    for wrong in ("0", "nan", "ten", "1e400"):
        refused = sill.run("convert", path, "-o", tmp_path / "no.sgy", "--scale", wrong, expect=2)
        assert "factor" in refused.err
    file = segy_files.read(path)
    file.head[:3200] = 0xC1  # every line of the text header is full
    refused = sill.run("convert", file.write(tmp_path / "full.sgy"), "-o", tmp_path / "no.sgy", "--scale", "2", expect=2)
    assert "convert --scale always adds a line" in refused.err
    assert "needs an integer format" in sill.run("convert", path, "-o", tmp_path / "no.sgy", "--scale", "fit", expect=2).err


def nearest(value, code):
    """The sample of a format of floats or integers nearest to a fraction, and not next to a tie of floats."""
    return round(value) if code not in (5, 6) else float(value) if code == 6 else float(np.float32(float(value)))


@pytest.mark.parametrize("code, to, scale, values", [
    (6, "ieee64", 1e-50, [1e20, 2e20, 3e19, 1.0]), (6, "ieee64", 1e50, [1e-20, -3e-20, 1.0]),
    (6, "ieee64", 1024.0, [1e-60, 1e-300, -5e-324, 0.0]), (6, "ieee64", -1.0, [0.1, 1 / 3, 200000000.25]),
    (6, "int8", 1e-50, [1e50, -1.3e51, 7e51]), (6, "ieee", 1e-50, [1e20, 2.3e50, 1e60]),
    (2, "int32", 2.0, [16777217, 123456789, -33554435]), (2, "int16", 2.0**-16, [2**31 - 1 - 2**15, -(2**31), 98304, 32768]),
    (2, "ieee64", 0.1, [16777217, 123456789, -33554435]), (9, "int64", -3.0, [2**61 + 1, -(2**61) - 1, 5]),
    (12, "uint64", 1.5, [2**63 + 1, 2**63 + 3, 3]), (9, "int64", 0.7, [2**63 - 1, 2**53 + 1, -(2**63)]),
])  # fmt: skip
def test_scaled_samples_are_rounded_once(sill, tmp_path, code, to, scale, values):
    kinds = {2: "i4", 6: "f8", 9: "i8", 12: "u8"}
    file = segy_files.make(3, len(values), code=code, revision=(2, 1) if code > 8 else (1, 0)).put_word("delrt", 0)
    path = file.put_samples(np.array([values] * 3, kinds[code])).write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", to, "--scale", repr(scale), "--accept-loss",
             "--report", tmp_path / "report.json",
             *(["--revision", "2.1"] if code > 3 or to in ("ieee64", "int8") else []))  # fmt: skip
    made = segy_files.read(tmp_path / "out.sgy")
    exact = [Fraction(value) * Fraction(scale) for value in values]
    expected = [nearest(value, made.code) for value in exact]
    assert made.samples().tolist() == [expected] * 3
    errors = [abs(Fraction(float(e) if made.code in (5, 6) else e) / v - 1) if v else 0 for e, v in zip(expected, exact)]
    told = json.loads((tmp_path / "report.json").read_text())
    assert told["rounded"] == 3 * sum(error > 0 for error in errors)
    assert told["lost"] == 3 * sum(error > Fraction(1, 20) for error in errors)
    assert told["largest_relative_error"] == pytest.approx(float(max(errors)), rel=1e-6)


@pytest.mark.parametrize("code, values, to, power", [
    (6, [1e-60, -3e-61], "int16", 214), (6, [0.1, 32768.0], "int16", -1), (2, [2**31 - 1], "int32", 0),
    (9, [2**62 + 1, 3], "int64", 0), (9, [-(2**63), 3], "int64", -1), (9, [1, 3], "int64", 61), (12, [2**64 - 1], "uint64", 0),
    (5, [0.75, -0.5], "int64", 63), (6, [1e300], "uint64", -933),
])  # fmt: skip
def test_fit_finds_the_largest_power(sill, tmp_path, code, values, to, power):
    kinds = {2: "i4", 5: "f4", 6: "f8", 9: "i8", 12: "u8"}
    file = segy_files.make(3, len(values), code=code, revision=(2, 1)).put_word("delrt", 0)
    path = file.put(169, "i2", 5).put_samples(np.array([values] * 3, kinds[code])).write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", to, "--scale", "fit", "--accept-loss")
    made = segy_files.read(tmp_path / "out.sgy")
    assert made.samples().tolist() == [[round(Fraction(value) * Fraction(2) ** power) for value in values]] * 3
    np.testing.assert_array_equal(made.get(169, "i2"), 5 + power)


@pytest.mark.parametrize("ranks", [1, 2])
def test_flows_do_not_lose_the_signal(sill, tmp_path, ranks):
    path, samples = cube(tmp_path / "in.sgy", 20000.0, code=3)
    refused = sill.run("flow", path, "-o", tmp_path / "out.sgy", "--do", "agc 40ms", "--sample-format", "int16", ranks=ranks, expect=3)
    assert "would become 0 or change by more than 5 %" in refused.err and "--scale fit" in refused.err
    assert not (tmp_path / "out.sgy").exists()
    sill.run("flow", path, "-o", tmp_path / "out.sgy", "--do", "agc 40ms", "--sample-format", "int16", "--accept-loss", ranks=ranks)
    sill.run("flow", path, "-o", tmp_path / "a.sgy", "--do", "agc 40ms; gain scale=1000", "--sample-format", "int16", ranks=ranks)
    sill.run("flow", path, "-o", tmp_path / "b.sgy", "--do", "agc 40ms", "--sample-format", "ieee", ranks=ranks)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("steps", ["agc 40ms", "sort -tracf; agc 40ms; mix 3"])
def test_flows_fit_into_the_range(sill, tmp_path, steps, ranks):
    path, _ = cube(tmp_path / "in.sgy", 20000.0, code=3)
    sill.run("flow", path, "-o", tmp_path / "ieee.sgy", "--do", steps, "--sample-format", "ieee", ranks=ranks)
    told = sill.run("flow", path, "-o", tmp_path / "fit.sgy", "--do", steps, "--scale", "fit", ranks=ranks)
    floats = segy_files.read(tmp_path / "ieee.sgy").samples()
    power = int(np.floor(np.log2(32767 / float(np.abs(floats).max()))))
    made = segy_files.read(tmp_path / "fit.sgy")
    assert made.code == 3
    np.testing.assert_array_equal(made.samples(), np.round(floats * np.float32(2.0**power)))
    np.testing.assert_array_equal(made.get(169, "i2"), power)
    shown = sill.run("text", tmp_path / "fit.sgy").out
    assert "SILL FLOW" in shown and f"SAMPLES TIMES {2**power}" in shown and f"multiplied by {2**power}" in told.out
    sill.run("flow", path, "-o", tmp_path / "factor.sgy", "--do", steps, "--scale", str(2**power), ranks=ranks)
    np.testing.assert_array_equal(segy_files.read(tmp_path / "factor.sgy").samples(), made.samples())
    sill.run("flow", path, "-o", tmp_path / "part_{tracf:04}.sgy", "--do", steps + "; header tracf='1 + trace % 2'",
             "--scale", "fit", ranks=ranks)  # fmt: skip
    parts = [segy_files.read(tmp_path / f"part_{number:04}.sgy").samples() for number in (1, 2)]
    assert sum(len(part) for part in parts) == 200
    assert {part.tobytes() for part in parts} == {made.samples()[first::2].tobytes() for first in (0, 1)}
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(
        ["in.sgy", "ieee.sgy", "fit.sgy", "factor.sgy", "part_0001.sgy", "part_0002.sgy"])  # fmt: skip


def test_flows_cannot_fit_floats(sill, tmp_path):
    path, _ = cube(tmp_path / "in.sgy")
    for scale, problem in [("fit", "needs an integer format"), ("0", "--scale is"), ("x", "--scale is")]:
        refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "agc 40ms", "--scale", scale, expect=2)
        assert problem in refused.err
    assert "scaled into" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "agc 40ms", "--sample-format",
                                     "int16", "--scale", "fit", "--dry-run").out  # fmt: skip
    assert not (tmp_path / "o.sgy").exists()
