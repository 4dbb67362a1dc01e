"""Operations that report about the traces that reach them: minmax and spectrum, against NumPy."""

import csv
import json
import re

import numpy as np
import pytest
from flow_cases import file_of

TRACES = 3000
NUMBER = r"(-?[\d.]+(?:e[+-]?\d+)?)"
LINE = re.compile(
    rf"minmax: (.+) from {NUMBER} \(trace (\d+)\) to {NUMBER} \(trace (\d+)\), mean {NUMBER}, rms {NUMBER}, "
    r"of ([\d,]+) values(?:; ([\d,]+) values omitted because they are not finite)?"
)


def notes(sill, path, steps, *options, **how):
    report = path.parent / "report.json"
    sill.run("flow", path, "--do", steps, "--report", report, *options, **how)
    return json.loads(report.read_text())["notes"]


def tallies(lines):
    found = {}
    for line in lines:
        match = LINE.fullmatch(line)
        if match:
            values = [float(x) for x in match.group(2, 4, 6, 7)]
            traces = [int(x) for x in match.group(3, 5)]
            found[match[1]] = values, traces, int(match[8].replace(",", "")), match[9]
    return found


def expected(values, traces):
    """Values of one trace per row; `traces` are their numbers, from 1."""
    finite = np.isfinite(values)
    smallest, largest = np.min(values[finite]), np.max(values[finite])
    first = [traces[np.any(np.atleast_2d(values == x), axis=-1 if values.ndim > 1 else 0)].min() for x in (smallest, largest)]
    mean = np.sum(values[finite], dtype=np.float64) / finite.sum()
    rms = np.sqrt(np.sum(np.square(values[finite], dtype=np.float64)) / finite.sum())
    return [smallest, largest, mean, rms], first, finite.sum()


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """Several parts of a stream, so that threads and neighbours across parts take part."""
    samples = np.random.default_rng(7).normal(3.0, 2.0, (TRACES, 500)).astype(np.float32)
    samples[40:60] = samples[100:120]  # ties
    file = file_of(samples)
    file.put_word("offset", np.arange(TRACES) % 50 * 25 - 300).put_word("fldr", np.arange(TRACES) // 500)
    return file, file.write(tmp_path_factory.mktemp("reports") / "in.sgy")


@pytest.mark.parametrize("how", [{}, {"ranks": 2}, {"ranks": 3}])
def test_minmax(sill, survey, how):
    file, path = survey
    found = tallies(notes(sill, path, "minmax 'samples,offset,abs(offset) / 2'", **how))
    numbers = np.arange(1, TRACES + 1)
    offsets = file.word("offset")
    for name, values in {"samples": file.samples(), "offset": offsets, "abs(offset) / 2": np.abs(offsets) / 2}.items():
        figures, traces, count = expected(values if values.ndim > 1 else values[:, None], numbers)
        np.testing.assert_allclose(found[name][0], figures, rtol=2e-9, atol=1e-9)
        assert found[name][1:] == (traces, count, None)


def test_figures_do_not_depend_on_threads_and_ranks(sill, survey):
    steps = "minmax samples,offset; spectrum"
    alone = notes(sill, survey[1], steps, "--threads", 1)
    for how in ({}, {"ranks": 2}, {"ranks": 4}):
        assert notes(sill, survey[1], steps, "--threads", 3, **how) == alone


def test_every_trace_that_reaches_it_counts_once(sill, survey):
    """Also those that leave the survey behind it, and neighbours of others."""
    file, path = survey
    steps = "minmax offset; select 'fldr > 3'; mix weights=1,2,1; minmax offset; sort offset; minmax offset"
    found = tallies(line.replace("offset", f"offset{i}", 1) for i, line in enumerate(notes(sill, path, steps)))
    offsets = file.word("offset")
    late = file.word("fldr") > 3
    assert found["offset0"][2] == TRACES and found["offset1"][2] == late.sum()
    np.testing.assert_allclose(found["offset0"][0][2], offsets.mean(), rtol=1e-8)
    np.testing.assert_allclose(found["offset1"][0][2], offsets[late].mean(), rtol=1e-8)
    assert found["offset2"][0][2:] == found["offset1"][0][2:]


def test_numbers_are_those_that_operations_before_leave(sill, survey):
    steps = "select 'fldr > 3'; minmax trace; header ep=trace; minmax ep"
    whole = {name: value[0] for name, value in tallies(notes(sill, survey[1], steps)).items()}
    assert whole["trace"] == whole["ep"]


@pytest.mark.parametrize("ranks", [None, 1, 3])
def test_neighbours_count_once(sill, tmp_path, survey, ranks):
    """A note of an operation, and samples that were zeroed, in a flow whose parts overlap."""
    file = survey[0].copy()
    samples = file.samples().copy()
    samples[::10, 7] = np.nan
    path = file.put_samples(samples).write(tmp_path / "in.sgy")
    steps = "mix weights=1,1,1,1,1; bandpass 0.3Hz 100Hz order=8 zerophase; mix 3"
    result = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, "--nonfinite", "zero", ranks=ranks)
    assert f"bandpass: {TRACES:,} traces that are too short" in result.text
    assert f"zeroed        {TRACES // 10} samples" in result.text


@pytest.mark.parametrize("steps", ["minmax", "spectrum", "agc 20ms; minmax", "minmax offset; agc 20ms; minmax offset"])
@pytest.mark.parametrize("ranks", [None, 2])
def test_what_is_not_finite_stops_a_report(sill, tmp_path, steps, ranks):
    """Nothing is written, and what fails is looked for again."""
    samples = np.ones((40, 30), np.float32)
    samples[17, 3] = samples[30, 2] = np.nan
    path = file_of(samples, offset=-7).write(tmp_path / "in.sgy")
    result = sill.run("flow", path, "--do", steps, ranks=ranks, expect=3)
    assert "sample 4 is nan" in result.reason and "trace:  18" in result.err


def test_what_is_not_finite_is_left_out(sill, tmp_path):
    samples = np.ones((4, 10), np.float32)
    samples[1, 3], samples[2, 4] = np.nan, np.inf
    path = file_of(samples).write(tmp_path / "in.sgy")
    found = tallies(notes(sill, path, "minmax", "--nonfinite", "keep"))
    assert found["samples"] == ([1, 1, 1, 1], [1, 1], 38, "2")


def test_an_output_is_written_as_without_it(sill, tmp_path, survey):
    for name, steps in (("a.sgy", "agc 40ms"), ("b.sgy", "minmax; agc 40ms; spectrum")):
        sill.run("flow", survey[1], "-o", tmp_path / name, "--do", steps, "--history", "none")
    assert (tmp_path / "a.sgy").read_bytes() == (tmp_path / "b.sgy").read_bytes()


@pytest.mark.parametrize("samples", [1, 2, 64, 101])
def test_spectrum(sill, tmp_path, samples):
    values = np.random.default_rng(3).normal(size=(60, samples)).astype(np.float32)
    values[5] = 0.0
    file = file_of(values)
    file.put_word("trid", np.where(np.arange(60) == 9, 2, 1))
    path = file.write(tmp_path / "in.sgy")
    lines = notes(sill, path, f"spectrum table={tmp_path / 'table.csv'}")
    assert "spectrum: mean amplitude of 58 traces largest at " in lines[0] and "2 omitted: dead, or with samples" in lines[0]
    with open(tmp_path / "table.csv", newline="") as table:
        rows = [[float(x) for x in row.values()] for row in csv.DictReader(table)]
    frequencies, amplitudes, db = np.array(rows).T
    length = 2 * (len(rows) - 1)
    assert samples <= length <= max(4, 1.2 * samples + 2)
    live = np.delete(values, [5, 9], axis=0).astype(np.float64)
    mean = np.abs(np.fft.rfft(live, length)).mean(axis=0)
    np.testing.assert_allclose(frequencies, np.fft.rfftfreq(length, 0.002), rtol=1e-8)
    np.testing.assert_allclose(amplitudes, mean, rtol=1e-7)
    np.testing.assert_allclose(db, 20 * np.log10(mean / mean.max()), rtol=1e-5, atol=1e-5)


def test_band_of_a_spectrum(sill, tmp_path):
    t = np.arange(500) * 0.002
    path = file_of(np.tile(np.sin(2 * np.pi * 30 * t), (3, 1)).astype(np.float32)).write(tmp_path / "in.sgy")
    assert "largest at 30 Hz, within 6 dB from 30 to 30 Hz" in notes(sill, path, "spectrum")[0]


def test_a_table_replaces_no_other_file(sill, tmp_path):
    """Neither an input nor another table, output, log or recipe; a folder that is missing is known at once."""
    file = file_of(np.ones((5, 20), np.float32))
    table, out = tmp_path / "t.csv", tmp_path / "o.sgy"
    path = file.write(tmp_path / "in.csv")
    before = path.read_bytes()
    for steps, options in (
        (f"spectrum table={path}", []),
        (f"spectrum table={table}; agc 10ms; spectrum table={table}", []),
        (f"spectrum table={table}", ["-o", table]),
        (f"spectrum table={table}", ["--log", table]),
        (f"spectrum table={table}", ["--tap", f"1={table}"]),
        (f"spectrum table={table}", ["--group", "shape", "-o", tmp_path / "{samples}_{interval}.sgy"]),
    ):
        sill.run("flow", path, "--do", steps, *options, expect=2)
    sill.run("flow", path, "--do", f"spectrum table={tmp_path}/no/t.csv", "-o", out, expect=4)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["in.csv"]
    sill.run("flow", path, "--do", f"select 'cdp < -1'; spectrum table={table}")
    assert table.read_text() == "frequency_hz,mean_amplitude,db\n"


@pytest.mark.parametrize("steps, reason", [
    ("minmax nosuch", "nosuch"), ("minmax 'offset > 3'", "is not a number"), ("spectrum table=x.sgy", ".csv"),
    ("agc 200ms", "no output is named"),
])  # fmt: skip
def test_refusals(sill, survey, steps, reason):
    assert reason in sill.run("flow", survey[1], "--do", steps, expect=2).reason


@pytest.mark.parametrize("how", [{}, {"ranks": 2}, {"ranks": 3}])
@pytest.mark.parametrize("options", [["--threads", "1"], ["--threads", "4"], ["--memory", "64K", "--threads", "1"]])
def test_neighbours_are_counted_once(sill, tmp_path, options, how):
    """`mix` without gathers reads the traces beside each block again."""
    file = file_of(np.random.default_rng(4).standard_normal((120, 100)).astype("f4"), mute=20, delrt=0)
    path = file.write(tmp_path / "in.sgy")
    other = file_of(np.zeros((120, 100), "f4") + (np.arange(100) > 40)).write(tmp_path / "other.sgy")
    steps = f"math over @{other} by=tracl; bandpass 8Hz 60Hz window=5s:6s; shift 3ms; mix 7"
    said = notes(sill, path, steps, "-o", tmp_path / "out.sgy", *options, **how)
    zeros = int((file.samples()[:, :41] != 0).sum())
    assert any(f"math: {zeros:,} samples set to 0" in note for note in said), said
    assert any("bandpass: 120 traces remained unchanged" in note for note in said), said
    assert any("(muts, mute) of 120 traces were set to 0" in note for note in said), said
