"""A sample format that the samples contradict: found by info and check, refused by what computes, set by repair."""

import json

import numpy as np
import pytest
import sample_format_values
import segy_files


def seismic_values(traces: int, samples: int, seed: int = 1) -> np.ndarray:
    """Traces of band-limited noise, louder at the beginning."""
    noise = np.random.default_rng(seed).normal(size=(traces, samples + 40))
    wavelet = np.sinc(np.arange(-20, 21) / 4.0) * np.hanning(41)
    filtered = np.stack([np.convolve(row, wavelet, "valid") for row in noise])
    return (filtered * 1000.0 * np.exp(-3.0 * np.arange(samples) / samples)).astype(np.float32)


def write(path, values, stated: int, holds: int, order: str = "big", held_order: str | None = None):
    """A file of `values` stored in format `holds`, whose binary header states format `stated`."""
    swapped = held_order not in (None, order)
    return sample_format_values.file_of(values, states=stated, holds=holds, swapped=swapped, order=order).write(path)


def told_by_info(sill, path, *options):
    found = json.loads(sill.run("info", "--json", path, *options).out)["diagnostics"]
    return [one for one in found if one["problem"].startswith("the samples ")]


def told_by_check(sill, path, *options):
    report = json.loads(sill.run("check", path, "--no-geometry", "--json", "-", *options).out)
    return [one for one in report["files"][0]["findings"] if one["kind"] == "sample-format"]


NAMES = {1: "IBM float, 4 bytes (format 1)", 2: "integer, 4 bytes (format 2)", 5: "IEEE float, 4 bytes (format 5)"}


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize(("stated", "holds"), [(1, 5), (5, 1), (2, 5), (2, 1), (1, 2), (5, 2), (4, 5), (4, 1), (4, 2)])
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
    right = segy_files.read(out, order=order)
    assert np.allclose(right.samples(), np.rint(values) if holds == 2 else values, rtol=1e-6)
    sill.run("info", path, "--strict", expect=3)
    assert [one["grade"] for one in told_by_info(sill, path, "--assume", f"sample_format={stated}")] == ["info"]


@pytest.mark.parametrize("order", ["big", "little"])
def test_fixed_point_with_gain_is_possible(sill, tmp_path, order):
    random = np.random.default_rng(4)
    file = segy_files.make(60, 400, code=4, order=order)
    file.put_samples(random.integers(0, 1 << 16, (60, 400)) | random.integers(0, 13, (60, 400)) << 16)
    path = file.write(tmp_path / "gain.sgy")
    assert told_by_info(sill, path) == [] and told_by_check(sill, path) == []
    sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", "ieee")


@pytest.mark.parametrize(("stated", "holds"), [(1, 5), (5, 1)])
def test_what_moves_bytes_goes_on(sill, tmp_path, stated, holds):
    path = write(tmp_path / "wrong.sgy", seismic_values(60, 400), stated, holds)
    sorted_path = tmp_path / "sorted.sgy"
    sill.run("sort", path, "-o", sorted_path, "--by", "tracl")
    assert sorted_path.read_bytes()[3600:] == path.read_bytes()[3600:]
    sill.run("cut", path, "-o", tmp_path / "cut.sgy", "--where", "tracl <= 10")
    assert "samples equal: in 60 traces" in sill.run("compare", path, sorted_path, expect=1).said  # the sorting code


def test_compare_does_not_equal_what_a_wrong_format_decodes_alike(sill, tmp_path):
    """As IBM floats, the bytes of 0.5 and of 2.0 are both 0."""
    values = seismic_values(60, 400)
    paths = []
    for value in (0.5, 2.0):
        values[3, 5] = value
        paths.append(write(tmp_path / f"{value}.sgy", values, 1, 5))
    for ranks in (None, 2, 3):
        assert "--assume sample_format=5" in sill.run("compare", *paths, ranks=ranks, expect=3).err
    assert "samples: 1 differ" in sill.run("compare", *paths, "--assume", "sample_format=5", expect=1).said


def test_samples_of_swapped_bytes_are_found(sill, tmp_path):
    path = write(tmp_path / "swapped.sgy", seismic_values(60, 400), 5, 5, "big", "little")
    for found in (told_by_info(sill, path), told_by_check(sill, path)):
        assert [one["grade"] for one in found] == ["major"]
        assert "IEEE float, 4 bytes (format 5) in little-endian order" in found[0]["problem"]
    sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", "ibm", expect=3)


def test_traces_of_another_format_are_found_one_by_one(sill, tmp_path):
    values = seismic_values(90, 400)
    file = sample_format_values.file_of(values, states=1, holds=1)
    for trace in (7, 30, 31):
        file.rows[trace, 240:] = segy_files.encode(values[trace], "f4", "big").reshape(-1)
    path = file.write(tmp_path / "mixed.sgy")
    whole = sill.run("check", path, "--no-geometry", "--json", "-").out
    found = told_by_check(sill, path)
    assert [one["grade"] for one in found] == ["major"]
    assert found[0]["traces"] == 3
    assert found[0]["first_traces"] == [8, 31, 32]
    assert NAMES[5] in found[0]["problem"]
    # The same for any number of ranks and threads.
    for options in ({"ranks": 3}, {}):
        again = sill.run("check", path, "--no-geometry", "--json", "-", "--threads", 3, **options).out
        assert json.loads(again)["files"] == json.loads(whole)["files"]
    assert [one["grade"] for one in told_by_info(sill, path)] == ["major"]


def test_merge_and_compare_refuse_where_they_compute(sill, tmp_path):
    values = seismic_values(60, 400)
    right = write(tmp_path / "right.sgy", values, 5, 5)
    wrong = write(tmp_path / "wrong.sgy", values, 1, 5)
    rules = "duplicates=keep,binary=first,format=round,numbers=keep"
    refused = sill.run("merge", right, wrong, "-o", tmp_path / "out.sgy", "--on", rules, expect=3)
    assert "--assume sample_format=5" in refused.err
    assert "--assume sample_format=5" in sill.run("compare", right, wrong, expect=3).err


def test_few_values_are_said_to_be_too_few(sill, tmp_path):
    path = write(tmp_path / "few.sgy", seismic_values(4, 10), 1, 5)
    for found in (told_by_info(sill, path), told_by_check(sill, path)):
        assert [one["grade"] for one in found] == ["info"]
        assert "too few" in found[0]["problem"]
    sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", "ieee")


def test_repair_sets_the_code(sill, tmp_path):
    values = seismic_values(60, 400)
    path = write(tmp_path / "wrong.sgy", values, 1, 5)
    out = tmp_path / "out.sgy"
    noted = sill.run("repair", path, "-o", out)
    assert "--assume sample_format=5" in noted.err
    assert out.read_bytes() == path.read_bytes()
    sill.run("repair", path, "-o", out, "--strict", expect=3)
    said = sill.run("repair", path, "-o", out, "--assume", "sample_format=5")
    assert "contradict" not in said.err
    assert out.read_bytes() == write(tmp_path / "right.sgy", values, 5, 5).read_bytes()
    assert told_by_info(sill, out) == []
    # What the samples contradict is set all the same, and told.
    assert "contradict the assumed format" in sill.run("repair", out, "-o", path, "--assume", "sample_format=2").err


def test_real_files_are_not_suspected(sill, samples):
    for row in (samples / "MANIFEST.tsv").read_text().splitlines()[1:]:
        path = samples / row.split("\t")[0]
        for command in ("info", "check"):
            said = sill.run(command, path, expect=(0, 3, 4)).out
            assert "contradict the" not in said, f"{command} {path.name}: {said}"


@pytest.mark.parametrize("held", ["floats", "integers"])
def test_shares_found_are_as_the_documents_say(sill, tmp_path, held):
    """One file of each kind of values; docs/check.md has the shares of many (sample_format_rates.py)."""
    laws = sample_format_values.FLOATS if held == "floats" else sample_format_values.INTEGERS
    undecidable = {
        "velocities, 1500 to 5500", "the same, rounded to 1", "velocities in one octave", "8-bit counts as floats",
    }  # fmt: skip
    for name, law in laws.items():
        values = law(np.random.default_rng(11), 40, 400).astype(np.float32)
        for holds in (1, 5) if held == "floats" else (2,):
            for states in (1, 2, 5):
                path = sample_format_values.file_of(values, states=states, holds=holds).write(tmp_path / "one.sgy")
                grades = [one["grade"] for one in told_by_check(sill, path)]
                if states == holds:
                    assert "major" not in grades, (name, states)
                elif name not in undecidable:
                    assert grades == ["major"], (name, states, holds)


def test_seismic_unix_has_no_other_format(sill, tmp_path):
    """What cannot be assumed is refused, and not advised."""
    path = tmp_path / "ibm.su"
    path.write_bytes(write(tmp_path / "ibm.sgy", seismic_values(60, 400), 1, 1).read_bytes()[3600:])
    refused = sill.run("convert", path, "-o", tmp_path / "out.sgy", expect=3)
    assert "sample_format=1" not in refused.err and "--assume sample_format=5" in refused.err
    for assumption in ("sample_format=1", "revision=1", "first_trace_byte=3600"):
        assert "Seismic Unix" in sill.run("convert", path, "-o", tmp_path / "out.sgy", "--assume", assumption,
                                          expect=2).err  # fmt: skip
    sill.run("info", path, "--assume", "samples=400,byte_order=big")
    assert "traces                  26" in sill.run("info", path, "--assume", "samples=1000", expect=(0, 3)).out


def sines(traces: int, samples: int) -> np.ndarray:
    """Of 20 samples a period: every tenth is a zero, computed as about 1e-16."""
    return np.tile(np.sin(2 * np.pi * np.arange(samples) / 20), (traces, 1)) * (1 + np.arange(traces))[:, None]


def spikes_with_rounding(traces: int, samples: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    spikes = np.where(rng.random((traces, samples)) < 0.05, rng.normal(size=(traces, samples)), 0.0)
    shift = np.exp(-2j * np.pi * np.fft.rfftfreq(samples) * 3)
    return np.fft.irfft(np.fft.rfft(spikes) * shift, samples)


@pytest.mark.parametrize("values", [sines, spikes_with_rounding])
@pytest.mark.parametrize("code", [1, 5])
def test_odd_values_that_fit_no_other_format_are_computed_with(sill, tmp_path, values, code):
    path = write(tmp_path / "odd.sgy", values(60, 400).astype(np.float32), code, code)
    assert [one["grade"] for one in told_by_info(sill, path) + told_by_check(sill, path)] in ([], ["info"] * 2)
    sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", "ieee")


@pytest.mark.parametrize("live", [slice(5000, 5085), slice(1, None, 100)])
def test_live_traces_between_dead_ones_are_found(sill, tmp_path, live):
    values = np.zeros((10_000, 40), np.float32)
    values[live] = seismic_values(len(values[live]), 40)
    path = write(tmp_path / "dead.sgy", values, 1, 5)
    assert [one["grade"] for one in told_by_info(sill, path)] == ["major"]
    sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", "ieee", expect=3)
