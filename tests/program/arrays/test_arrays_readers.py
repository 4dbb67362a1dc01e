"""Programs of others read the netCDF files that Sill writes: PnetCDF's ncvalidator and ncmpidump, xarray."""

import re
import subprocess

import netCDF4
import numpy
import pytest
import xarray
from program import TIMEOUT_S

KERNELS = {
    "gccom": ["--grid", "13x6x7", "--phases", "3"],
    "subflow": ["--grid", "8x6x4", "--variables", "5", "--phases", "2"],
    "flash": ["--blocks", "2"],
}


def printed_by(*command) -> str:
    return subprocess.run(command, check=True, timeout=TIMEOUT_S, capture_output=True, text=True).stdout


@pytest.mark.parametrize("kernel", KERNELS)
def test_pnetcdf_reads_what_kernels_write(sill, tmp_path, kernel):
    sill.run("kernel", kernel, *KERNELS[kernel], "--out", tmp_path / "out", ranks=2)
    files = sorted((tmp_path / "out").rglob("*.nc"))
    assert files
    for path in files:
        assert "is a valid NetCDF" in printed_by("ncvalidator", path)
        with netCDF4.Dataset(path) as file:
            name, variable = max(file.variables.items(), key=lambda item: item[1].size)
            dumped = printed_by("ncmpidump", "-p", "9,17", "-v", name, path)
            numbers = re.search(rf"\n {re.escape(name)} =\s(.*?);", dumped.split("\ndata:")[1], re.S).group(1)
            found = numpy.fromstring(numbers, sep=",").astype(variable.dtype)
            assert numpy.array_equal(found, numpy.ravel(variable[:]))


@pytest.mark.parametrize("ranks", [None, 2])
def test_xarray_knows_times_and_places(sill, tmp_path, ranks):
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.Conventions = "CF-1.11"
        file.createDimension("time")
        for name, length in (("y", 5), ("x", 8)):
            file.createDimension(name, length)
            file.createVariable(name, "f8", (name,))[:] = 0.5 * numpy.arange(length)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "hours since 2026-01-01 00:00:00"
        time.calendar = "standard"
        u = file.createVariable("u", "i2", ("time", "y", "x"), fill_value=-1)
        u.scale_factor = 0.25
        u.set_auto_scale(False)
        values = numpy.arange(3 * 5 * 8, dtype="i2").reshape(3, 5, 8)
        values[1, 2, 3] = -1
        u[:] = values
        time[:] = [0, 6, 12]
    sill.run("arrays", "copy", tmp_path / "a.nc", "-o", tmp_path / "b.nc", ranks=ranks)
    with xarray.open_dataset(tmp_path / "b.nc", engine="netcdf4") as found:
        at = found.u.sel(time="2026-01-01T06:00", y=1.0, x=slice(1.0, 2.0))
        assert numpy.array_equal(at, [0.25 * 58, numpy.nan, 0.25 * 60], equal_nan=True)
    with xarray.open_dataset(tmp_path / "a.nc") as a, xarray.open_dataset(tmp_path / "b.nc", engine="scipy") as b:
        xarray.testing.assert_identical(a, b)
