"""Files that end before what their headers count: what is there is read, the rest is fill values, with a finding."""

import json

import netCDF4
import numpy
import pytest

FILL_F4 = netCDF4.default_fillvals["f4"]


def made(path, steps=3, version="NETCDF3_CLASSIC"):
    with netCDF4.Dataset(path, "w", format=version) as file:
        file.createDimension("time")
        file.createDimension("y", 5)
        file.createDimension("x", 6)
        file.createVariable("x", "f8", ("x",))[:] = numpy.arange(6)
        file.createVariable("h", "i2", ("y", "x"), fill_value=-7)[:] = numpy.arange(30).reshape(5, 6)
        u = file.createVariable("u", "f4", ("time", "y", "x"))
        v = file.createVariable("v", "f4", ("time", "y", "x"))
        for step in range(steps):
            u[step] = 1000 * step + numpy.arange(30).reshape(5, 6)
            v[step] = -1000 * step - numpy.arange(30).reshape(5, 6)
    return path


def cut(path, by):
    path.write_bytes(path.read_bytes()[:-by])
    return path


def fields(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return {name: file[name][:] for name in file.variables}


@pytest.mark.parametrize("ranks", [None, 2, 3])
def test_the_last_record_is_read_as_far_as_it_goes(sill, tmp_path, ranks):
    whole = fields(made(tmp_path / "whole.nc"))
    # Behind 13 elements and a half of v in the last record; u has all.
    short = cut(made(tmp_path / "short.nc"), 16 * 4 + 2)
    printed = sill.run("arrays", "copy", short, "-o", tmp_path / "copy.nc", ranks=ranks)
    assert "states 3 records, of which 2 are complete" in printed.err and "fill values" in printed.err
    found = fields(tmp_path / "copy.nc")
    for name in ("x", "h", "u"):
        assert numpy.array_equal(found[name], whole[name])
    assert numpy.array_equal(found["v"].ravel()[:73], whole["v"].ravel()[:73])
    assert (found["v"].ravel()[73:] == FILL_F4).all() and found["v"].size == 90
    # Other types, and some variables alone.
    sill.run("arrays", "copy", short, "-o", tmp_path / "wide.nc", "--type", "v:f8", "--variables", "v", ranks=ranks)
    wide = fields(tmp_path / "wide.nc")["v"]
    assert wide.dtype == "f8" and numpy.array_equal(wide.ravel()[:73], whole["v"].ravel()[:73])
    assert (wide.ravel()[73:] == FILL_F4).all()


@pytest.mark.parametrize("ranks", [None, 2])
def test_whole_records_and_variables_may_be_missing(sill, tmp_path, ranks):
    whole = fields(made(tmp_path / "whole.nc"))
    size = (tmp_path / "whole.nc").stat().st_size
    two = cut(made(tmp_path / "two.nc"), 2 * 30 * 4)
    assert two.stat().st_size < size
    sill.run("arrays", "copy", two, "-o", tmp_path / "copy.nc", ranks=ranks)
    found = fields(tmp_path / "copy.nc")
    assert numpy.array_equal(found["u"][:2], whole["u"][:2]) and (found["u"][2] == FILL_F4).all()
    # The file ends within h, whose fill value is its own.
    within = cut(made(tmp_path / "within.nc"), 3 * 2 * 30 * 4 + 4 * 2)
    printed = sill.run("arrays", "copy", within, "-o", tmp_path / "within_copy.nc", ranks=ranks)
    assert "variable h" in printed.err
    found = fields(tmp_path / "within_copy.nc")
    assert numpy.array_equal(found["h"].ravel()[:26], whole["h"].ravel()[:26]) and (found["h"].ravel()[26:] == -7).all()
    assert (found["u"] == FILL_F4).all() and found["u"].shape == (3, 5, 6)


def test_findings_are_shown_and_strict_refuses_what_is_missing(sill, tmp_path):
    short = cut(made(tmp_path / "short.nc"), 66)
    shown = sill.run("arrays", "info", short)
    assert "states 3 records, of which 2 are complete" in shown.out
    findings = json.loads(sill.run("arrays", "info", short, "--json").out)["findings"]
    assert len(findings) == 1 and "2 are complete" in findings[0]
    sill.run("arrays", "info", short, "--strict", expect=3)
    refused = sill.run("arrays", "copy", short, "-o", tmp_path / "a.nc", "--strict", expect=3)
    assert "variable v" in refused.err and not (tmp_path / "a.nc").exists()
    # What is there is not refused.
    sill.run("arrays", "copy", short, "-o", tmp_path / "u.nc", "--variables", "u", "--strict")
    sill.run("arrays", "copy", short, "-o", tmp_path / "v.nc", "--variables", "v", "--steps", "2", "--strict")
    # Compared with itself it is the same, but not with the whole one.
    made(tmp_path / "whole.nc")
    sill.run("arrays", "compare", short, short)
    unlike = sill.run("arrays", "compare", short, tmp_path / "whole.nc", expect=1)
    assert "17 of 90 values differ" in unlike.out
    sill.run("arrays", "compare", short, short, "--strict", expect=3)


def test_a_whole_file_has_no_findings(sill, tmp_path):
    path = made(tmp_path / "whole.nc", version="NETCDF3_64BIT_DATA")
    assert json.loads(sill.run("arrays", "info", path, "--json").out)["findings"] == []
    sill.run("arrays", "info", path, "--strict")
