"""The memory of conversions to chunks: headers pass through the windows that samples pass through."""

import os
import subprocess
import sys

import pytest
from program import MEASURE_EACH
from survey_arrays import grid_file

OF_THE_PROGRAM = 60 << 20


# Chunks of odd lengths do not divide the survey, and their halves do not divide windows.
@pytest.mark.parametrize("ending", ["h5", pytest.param("nc4", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("lines, chunks", [((400, 500), None), ((401, 503), "101x301x240")])
def test_headers_of_many_traces_fit_little_memory(sill, tmp_path, ending, lines, chunks):
    path, arrays, memory = grid_file(*lines, 2).write(tmp_path / "in.sgy"), tmp_path / f"a.{ending}", 64 << 20
    (tmp_path / "peaks").mkdir()
    options = ["--dimensions", "inline,crossline", "--codec", "deflate:1", *(["--chunks", chunks] if chunks else [])]
    convert = sill.command("convert", path, "-o", arrays, *options, "--memory", memory, ranks=None)
    measure = [sys.executable, "-I", "-S", "-c", MEASURE_EACH, str(tmp_path / "peaks")]
    subprocess.run([*measure, *convert], check=True, capture_output=True, timeout=600)
    sill.run("convert", arrays, "-o", tmp_path / "back.sgy", "--memory", memory)
    assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()
    (peak,) = os.listdir(tmp_path / "peaks")
    if b"__asan_init" not in sill.path.read_bytes():
        assert int((tmp_path / "peaks" / peak).read_text()) * 1024 < memory + OF_THE_PROGRAM


@pytest.mark.parametrize("ranks", [None, 2, 3])
@pytest.mark.parametrize("chunks", [None, "31x17x7"])
def test_bytes_do_not_depend_on_memory_and_ranks(sill, tmp_path, chunks, ranks):
    path = grid_file(101, 83, 11).write(tmp_path / "in.sgy")
    options = ["--dimensions", "inline,crossline", "--codec", "deflate:1", *(["--chunks", chunks] if chunks else [])]
    sill.run("convert", path, "-o", tmp_path / "expected.h5", *options)
    for memory in ["4M", "16M", "1G"]:
        sill.run("convert", path, "-o", tmp_path / "a.h5", *options, "--memory", memory, "--force", ranks=ranks)
        assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "expected.h5").read_bytes()
