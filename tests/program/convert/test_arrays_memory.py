"""The memory of conversions to chunks: headers pass through the windows that samples pass through."""

import os
import subprocess
import sys

import pytest
from program import MEASURE_EACH
from survey_arrays import grid_file

OF_THE_PROGRAM = 60 << 20


@pytest.mark.parametrize("ending", ["h5", pytest.param("nc4", marks=pytest.mark.nightly)])
def test_headers_of_many_traces_fit_little_memory(sill, tmp_path, ending):
    path, arrays, memory = grid_file(400, 500, 2).write(tmp_path / "in.sgy"), tmp_path / f"a.{ending}", 64 << 20
    (tmp_path / "peaks").mkdir()
    convert = sill.command("convert", path, "-o", arrays, "--codec", "deflate:1", "--memory", memory, ranks=None)
    measure = [sys.executable, "-I", "-S", "-c", MEASURE_EACH, str(tmp_path / "peaks")]
    subprocess.run([*measure, *convert], check=True, capture_output=True, timeout=600)
    sill.run("convert", arrays, "-o", tmp_path / "back.sgy", "--memory", memory)
    assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()
    (peak,) = os.listdir(tmp_path / "peaks")
    if b"__asan_init" not in sill.path.read_bytes():
        assert int((tmp_path / "peaks" / peak).read_text()) * 1024 < memory + OF_THE_PROGRAM
