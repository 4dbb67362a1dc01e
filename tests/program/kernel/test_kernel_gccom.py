"""`sill kernel gccom`: its netCDF file read by SciPy and by the netCDF library, and the original's bytes."""

import json
import time

import netCDF4
import numpy
import pytest
import scipy.io
from program import TIMEOUT_S, kill_group

KERNEL = ["kernel", "gccom"]
SIZES = ["--grid", "13x5x11", "--phases", 3, "--verify"]
VARIABLES = "uvwpTSD"


def values(variable: int, step: int, shape=(11, 5, 13)):
    """Of shape z, y, x."""
    z, y, x = numpy.meshgrid(*(numpy.arange(n, dtype=numpy.uint32) for n in shape), indexing="ij")
    with numpy.errstate(over="ignore"):
        number = x * numpy.uint32(0x9E3779B1) + y * numpy.uint32(0x85EBCA77) + z * numpy.uint32(0xC2B2AE3D)
        number = number + numpy.uint32((variable * 0x27D4EB2F + step * 0x165667B1) & 0xFFFFFFFF)
    return (number.view(numpy.int32) >> 8).astype(numpy.float64) * 2.0**-23 / 3


@pytest.mark.parametrize("ranks", [None, 1, 2, 3, 4])
def test_the_same_bytes_for_policies(sill, tmp_path, ranks):
    runs = [("original", "--original")]
    runs += [(policy, "--policy", policy) for policy in ("auto", "direct", "auto,async=2", "staged")]
    runs += [("lent", "--policy", "staged,async=2", "--lend")]
    for name, *options in runs:
        sill.run(*KERNEL, *SIZES, "--out", tmp_path / name, *options, ranks=ranks)
    found = {folder.name: (folder / "gccom.nc").read_bytes() for folder in tmp_path.iterdir()}
    assert len(found) == len(runs)
    assert len(set(found.values())) == 1


def test_other_programs_read_it(sill, tmp_path):
    sill.run(*KERNEL, *SIZES, "--out", tmp_path, ranks=2)
    path = tmp_path / "gccom.nc"
    with netCDF4.Dataset(path) as file, scipy.io.netcdf_file(path, mmap=False) as same:
        assert file.data_model == "NETCDF3_64BIT_OFFSET"
        assert file.title == "General Curvilinear Coastal Ocean Model"
        assert file.dimensions["time"].isunlimited()
        assert file["T"].units == "degree_C"
        for number, name in enumerate("xyz"):
            assert numpy.array_equal(file[name][:], values(number, -1))
        for number, name in enumerate(VARIABLES):
            assert file[name].shape == (3, 11, 5, 13)
            for step in range(3):
                assert numpy.array_equal(file[name][step], values(number, step))
            assert numpy.array_equal(file[name][:], same.variables[name][:])


def test_info_shows_it(sill, tmp_path):
    sill.run(*KERNEL, *SIZES, "--out", tmp_path)
    path = tmp_path / "gccom.nc"
    text = sill.run("arrays", "info", path).out
    assert f"{path}: netCDF, CDF-2, 3 complete steps of 40.0 kB" in text
    assert "  time unlimited, 3 so far" in text
    assert '  f8 T(time, nz, ny, nx)\n    units = "degree_C"' in text
    found = json.loads(sill.run("arrays", "info", path, "--json").out)
    assert found["steps"] == 3
    assert [each["name"] for each in found["variables"]] == [*"xyz", *VARIABLES]


def counted_steps(path) -> int:
    """Of a CDF-2 file that may be growing; 0 while it is none."""
    begin = path.read_bytes()[:8] if path.exists() else b""
    return int.from_bytes(begin[4:], "big") if begin.startswith(b"CDF") else 0


@pytest.mark.parametrize("policy", ["auto", "staged,async=2"])
def test_steps_that_are_counted_are_whole_after_a_kill(sill, tmp_path, policy):
    options = ["--grid", "13x5x11", "--phases", 100_000, "--compute-ms", 2, "--policy", policy]
    process = sill.start(*KERNEL, *options, "--out", tmp_path, ranks=2)
    path = tmp_path / "gccom.nc"
    try:
        deadline = time.monotonic() + TIMEOUT_S
        while counted_steps(path) < 20:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        kill_group(process)
    with netCDF4.Dataset(path) as file:
        steps = len(file.dimensions["time"])
        assert steps >= 20
        for number, name in enumerate(VARIABLES):
            for step in range(0, steps, 7):
                assert numpy.array_equal(file[name][step], values(number, step))
    assert f"{steps} complete steps" in sill.run("arrays", "info", path).out


def test_files_that_are_not_netcdf_are_refused(sill, tmp_path):
    sill.run(*KERNEL, *SIZES, "--out", tmp_path)
    path = tmp_path / "gccom.nc"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    error = sill.run("arrays", "info", "--strict", path, expect=3).err
    assert "its header states 3 records, of which 2 are complete" in error
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    assert "HDF5" in sill.run("arrays", "info", path, expect=3).err
    path.write_bytes(whole[:200])
    assert "the file ends within its header" in sill.run("arrays", "info", path, expect=3).err
    path.write_bytes(b"")
    sill.run("arrays", "info", path, expect=3)
    sill.run("arrays", "info", tmp_path / "none.nc", expect=4)


def test_nothing_is_lent_to_pnetcdf(sill, tmp_path):
    done = sill.run(*KERNEL, *SIZES, "--out", tmp_path, "--container", "pnetcdf", "--lend", expect=2)
    assert "--lend has no effect" in done.err
