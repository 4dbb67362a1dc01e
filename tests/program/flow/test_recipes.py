"""`sill agc`, `sill filter`, `sill nmo`, `sill stack` are flows of one operation; and what a flow reads and holds."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import segy_files
from flow_cases import file_of, kinds
from program import MEASURE_EACH, TIMEOUT_S, clean_environment


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        (("agc", "--window", "50ms", "--kind", "mean"), "agc 50ms kind=mean"),
        (("filter", "--f1", "8Hz", "--f2", "60", "--zerophase"), "bandpass 8Hz 60Hz zerophase"),
        (("filter", "--type", "lowpass", "--f", "60Hz", "--order", "2"), "lowpass 60Hz order=2"),
        (("filter", "--type", "ormsby", "--corners", "4,8,60,80Hz"), "ormsby 4,8,60,80Hz"),
        (("nmo", "--velocity", "2km/s", "--stretch", "50%"), "nmo velocity=2km/s stretch=50%"),
        (("stack", "--by", "cdp", "--minfold", "2"), "stack by=cdp minfold=2"),
    ],
)
def test_recipes_are_flows(sill, tmp_path, small, command, steps):
    name, *options = command
    path = small[0].put_word("delrt", 0).write(small[1])
    sill.run(name, path, "-o", tmp_path / "a.sgy", "--history", "none", *options)
    sill.run("flow", small[1], "-o", tmp_path / "b.sgy", "--history", "none", "--do", steps)
    assert (tmp_path / "a.sgy").read_bytes() == (tmp_path / "b.sgy").read_bytes()


def test_errors_of_recipes(sill, small, tmp_path):
    refused = sill.run("agc", small[1], "-o", tmp_path / "o.sgy", "--window", "50", expect=2)
    assert "'50' has no unit" in refused.err
    assert "--window is required" in sill.run("agc", small[1], "-o", tmp_path / "o.sgy", expect=2).err
    assert "--by is required" in sill.run("stack", small[1], "-o", tmp_path / "o.sgy", expect=2).err
    refused = sill.run("filter", small[1], "-o", tmp_path / "o.sgy", "--type", "lowpass", "--f1", "3Hz", expect=2)
    assert "--f1 does not apply to --type lowpass" in refused.err
    for options, said in (
        (("--pass", "8,60Hz"), "--stop is missing\n  to do:  write --stop VALUE\n"),
        (("--f1", "8Hz", "--f2", "60Hz", "--corrected"), "--corrected needs --zerophase\n  to do:  give --zerophase\n"),
        (("--f1", "8Hz"), "--f2 is missing\n  to do:  write --f2 VALUE\n"),
        ((), "--f1 is missing\n  to do:  give two corners, or --pass and --stop\n"),
        (("--type", "lowpass", "--f", "9Hz", "--stop", "20Hz"), "--f and --stop exclude each other"),
        (("--type", "lowpass", "--f", "9Hz", "--order", "2", "--slope", "6dB"), "--order and --slope set the same"),
        (("--type", "ormsby"), "--corners is missing\n  to do:  write --corners VALUE\n"),
    ):  # fmt: skip
        assert said in sill.run("filter", small[1], "-o", tmp_path / "o.sgy", *options, expect=2).err
    angles = ("--by", "cdp", "--velocity", "rms", "--velocity-file", tmp_path / "v.csv", "--angles")
    (tmp_path / "v.csv").write_text("time,velocity\n0,2000\n")
    for command, options, said in (
        ("stack", ("--by", "cdp", "--gate", "1s"), "stack: --gate needs --method diversity\n  to do:  give --method diversity\n"),
        ("stack", ("--by", "cdp", "--method", "nthroot"), "stack: --method nthroot needs --n\n  to do:  give --n\n"),
        ("stack", (*angles, "5"), "anglestack: '5' is not a range\n  to do:  write --angles 5-15,15-25\n"),
        ("nmo", ("--velocity", "2km/s", "--rule", "classic"), "nmo: --rule needs --stretch\n  to do:  give --stretch\n"),
        ("nmo", ("--velocity", "2km/s", "--inverse", "--ramp", "9ms"), "to do:  omit --ramp\n"),
        ("velan", ("--by", "cdp", "--from", "1km/s", "--to", "2km/s", "--step", "1km/s", "--every", "1s"),
         "semblance: --every needs --picks\n  to do:  give --picks\n"),
        ("agc", ("--window", "50ms", "--kind", "max"), "max is not a value of --kind\n"),
    ):  # fmt: skip
        assert said in sill.run(command, small[1], "-o", tmp_path / "o.sgy", *options, expect=2).err
    (tmp_path / "nul.toml").write_text(f'input = "{small[1]}"\noutput = "a\\u0000b.sgy"\ndo = "agc 40ms"\n')
    assert "'output' contains a NUL" in sill.run("flow", tmp_path / "nul.toml", expect=2).err


@pytest.mark.parametrize("ranks", [None, 2])
def test_each_byte_is_read_once(sill, tmp_path, ranks):
    """A pass reads each trace once, and of a sort's headers what its keys need; a stack writes the stack alone."""
    file = segy_files.make(3000, 500).put_word("delrt", 0)
    path = file.write(tmp_path / "in.sgy")
    traces = file.rows.nbytes
    few = 300_000  # looks at the file, and at 100 traces that show its sample format
    for steps, out in [("agc 50ms; mute top at=30ms", traces), ("sort cdp,offset; agc 50ms; stack by=cdp", None)]:
        read, written = bytes_of_run(sill, tmp_path, path, "-o", tmp_path / "o.sgy", "--do", steps, ranks=ranks)
        assert traces <= read <= traces + 3000 * 240 + few * (ranks or 1), (steps, read)
        size = (tmp_path / "o.sgy").stat().st_size
        assert size <= written <= size + 10_000
        assert out is None or size == 3600 + out


def bytes_of_run(sill, tmp_path, *arguments, ranks=None):
    """Bytes read and written, as the report of a run has them."""
    sill.run("flow", *arguments, "--report", tmp_path / "r.json", ranks=ranks)
    told = json.loads((tmp_path / "r.json").read_text())
    counted = told["io"] if "io" in told else told
    return counted["bytes_read"], counted["bytes_written"]


@pytest.mark.parametrize("ranks", [None, 2])
def test_headers_alone(sill, tmp_path, ranks):
    """What looks at words and writes nothing does not read samples."""
    path = segy_files.make(3000, 500).write(tmp_path / "in.sgy")
    for steps in ("minmax offset", "select 'offset > 0'; sort -cdp; minmax cdp,offset"):
        read, written = bytes_of_run(sill, tmp_path, path, "--do", steps, ranks=ranks)
        assert read <= 2 * 3000 * 240 + 300_000 * (ranks or 1), steps
        assert written < 10_000
    # Neighbours in one request, as far as a few samples between them cost less.
    small = segy_files.make(3000, 8).write(tmp_path / "small.sgy")
    sill.run("flow", small, "--do", "select 'trace > 5'; minmax offset", "--report", tmp_path / "r.json", ranks=ranks)
    assert json.loads((tmp_path / "r.json").read_text())["requests_read"] < 500
    for steps in ("minmax offset", "select 'offset > 0'; sort -cdp; minmax cdp,offset"):
        assert "samples are not read" in sill.run("flow", path, "--do", steps, "--dry-run").text


def test_neighbours_are_read_together(sill, tmp_path):
    """Traces of neighbouring midpoints lie beside each other in each shot."""
    path, report = tmp_path / "in.sgy", tmp_path / "r.json"
    sill.run("make-survey", path, "--traces", 4800, "--samples", 250)
    sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "sort cdp,offset; stack by=cdp", "--report", report)
    assert json.loads(report.read_text())["requests_read"] < 4800 / 8


@pytest.mark.parametrize("ranks", [None, 3])
def test_sorted_runs_are_written_and_read_once(sill, tmp_path, ranks):
    file = segy_files.make(3000, 500).put_word("delrt", 0)
    path = file.write(tmp_path / "in.sgy")
    read, written = bytes_of_run(sill, tmp_path, path, "-o", tmp_path / "o.sgy", "--do", "sort cdp; stack by=cdp",
                                 "--sort-method", "buckets", ranks=ranks)  # fmt: skip
    assert 2 * file.rows.nbytes <= read <= 2 * file.rows.nbytes + 3000 * 240 + 300_000 * (ranks or 1)
    assert file.rows.nbytes < written <= file.rows.nbytes + (tmp_path / "o.sgy").stat().st_size + 10_000


@pytest.mark.slow
def test_memory_is_bounded(sill, tmp_path):
    """A survey of 3 times the memory, in three passes."""
    if b"__asan_init" in sill.path.read_bytes():
        pytest.skip("the address sanitizer needs memory of its own")
    sill.run("make-survey", tmp_path / "in.sgy", "--traces", 60_000, "--samples", 250)
    memory = 20 << 20
    assert (tmp_path / "in.sgy").stat().st_size > 3 * memory
    steps = "agc 50ms; stack by=fldr,tracf; sort -cdp,offset; mix 3; sort cdp,-offset; agc 100ms; stack by=cdp"
    folder = tmp_path / "peaks"
    folder.mkdir()
    command = sill.command("flow", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--do", steps, "--memory", memory)
    at = command.index(str(sill.path))
    command[at:at] = [sys.executable, "-I", "-S", "-c", MEASURE_EACH, str(folder)]
    done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    assert "in 3 passes" in done.stdout
    peaks = [int((folder / name).read_text()) * 1024 for name in os.listdir(folder)]
    assert max(peaks) <= memory + (60 << 20) + 60_000 * 32


def test_empty_and_tiny(sill, tmp_path):
    for traces, samples in ((1, 1), (1, 500), (2, 1), (7, 3)):
        rows = np.arange(1, traces * samples + 1, dtype=np.float32).reshape(traces, samples)
        path = file_of(rows).write(tmp_path / "in.sgy")
        for ranks in (None, 3):
            steps = "bandpass 8Hz 60Hz zerophase; agc 20ms; nmo velocity=2km/s; mix 3; taper 4ms; stack by=cdp"
            sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, ranks=ranks)
            out = segy_files.read(tmp_path / "o.sgy")
            assert np.isfinite(out.samples()).all() and out.samples().shape[1] == samples
    path = file_of(kinds(40)).write(tmp_path / "in.sgy")
    for steps in ("select 'cdp < 0'", "select 'cdp < 0'; agc 20ms; sort cdp", "select 'cdp < 0'; stack by=cdp"):
        for ranks in (None, 2):
            result = sill.run("flow", path, "-o", tmp_path / "none.sgy", "--do", steps, ranks=ranks, expect=(0, 3))
            assert result.code == 3 or (tmp_path / "none.sgy").stat().st_size == 3600


@pytest.mark.parametrize("ranks", [None, 1, 2, 3, 4])
def test_the_first_trace_that_fails(sill, tmp_path, ranks):
    """Of one operation, be it at a sample, at its work or at the header: however blocks and ranks divide traces."""
    rows = np.ones((40, 20), np.float32)
    rows[20, 3] = np.inf
    path = file_of(rows, delay_ms=0).write(tmp_path / "in.sgy")
    late = file_of(np.ones((40, 20)), delay_ms=0).write(tmp_path / "late.sgy")
    for files, steps, trace, code in (
        ([path], "mute top at=99s", 1, (2, 3)),  # which the header cannot hold
        ([late, path], "mute top at=99s", 1, (2, 3)),
        ([path], "agc 20ms", 21, 3),
        ([path], "header cdp='round(100 / (trace - 31))'; agc 20ms", 31, 3),  # of the operation before
        ([path], "agc 20ms; header cdp='round(100 / (trace - 11))'", 21, 3),
    ):
        result = sill.run("flow", *files, "-o", tmp_path / "o.sgy", "--do", steps, ranks=ranks, expect=code)
        assert f"trace:  {trace}\n" in result.err, (steps, result.err)
