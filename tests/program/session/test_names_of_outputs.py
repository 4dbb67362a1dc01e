"""Names of outputs that say another format than is written."""

import numpy
import pytest

SURVEYS = ["cube.nc", "cube.npy", "cube.zarr", "cube.txt", "cube.h5", "CUBE.HDF5", "cube.sgy.gz", "cube.vti", "cube.png"]


@pytest.mark.parametrize("name", SURVEYS)
def test_surveys_are_not_written_as_other_formats(sill, tmp_path, small, name):
    survey = small[1]
    writes_arrays = name in ("cube.nc", "cube.zarr", "cube.h5")
    for command in ([] if writes_arrays else ["convert"], ["sort", "--by", "cdp"], ["cut", "--time", "0s:"]):
        if not command:
            continue
        refused = sill.run(command[0], survey, *command[1:], "-o", tmp_path / name, expect=2)
        assert "the name ends in ." in refused.err and "the output is SEG-Y or Seismic Unix" in refused.err
    assert list(tmp_path.iterdir()) == [survey]


def test_other_names_of_surveys_stay_free(sill, tmp_path, small):
    survey = small[1]
    for name in ("cube", "cube.dat", "line.12", "cube.SEGY"):
        sill.run("convert", survey, "-o", tmp_path / name)


def test_flows_and_split_name_surveys(sill, tmp_path, small):
    survey = small[1]
    for arguments in (["flow", survey, "--do", "agc 40ms", "-o", tmp_path / "a.npy"],
                      ["flow", survey, "--do", "agc 40ms", "--tap", f"1={tmp_path}/b.nc", "-o", tmp_path / "b.sgy"],
                      ["split", survey, "--by", "fldr", "-o", tmp_path / "{fldr}.txt"]):
        assert "the name ends in ." in sill.run(*arguments, expect=2, ranks=2).err
    assert list(tmp_path.iterdir()) == [survey]


@pytest.mark.parametrize("ending", ["he5", "bp", "vtk", "vtp", "vtu", "pvti", "sgy", "csv", "npy", "gz"])
def test_datasets_are_not_written_as_other_formats(sill, tmp_path, ending):
    a = tmp_path / "a.xdmf"
    (tmp_path / "a.bin").write_bytes(numpy.arange(24, dtype="f4").tobytes())
    sill.run("arrays", "describe", tmp_path / "a.bin", "-o", a, "--shape", "2,3,4")
    for container, ranks in (([], 2), (["--container", "netcdf"], None), (["--container", "vti"], None)):
        refused = sill.run("arrays", "copy", a, "-o", tmp_path / f"b.{ending}", *container, expect=2, ranks=ranks)
        assert f"the name ends in .{ending}" in refused.err
    for name, container in (("b.h5", "netcdf"), ("b.nc4", "vti"), ("b.nc", "hdf5"), ("b.vti", "netcdf4"), ("b.zarr", "netcdf")):
        refused = sill.run("arrays", "copy", a, "-o", tmp_path / name, "--container", container, expect=2)
        assert f"the name ends in {name[1:]}" in refused.err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.bin", "a.xdmf"]


def test_one_file_is_not_named_as_a_series(sill, tmp_path):
    a = tmp_path / "a.xdmf"
    (tmp_path / "a.bin").write_bytes(numpy.arange(24, dtype="f4").tobytes())
    sill.run("arrays", "describe", tmp_path / "a.bin", "-o", a, "--shape", "2,3,4")
    refused = sill.run("arrays", "copy", a, "-o", tmp_path / "b.vti", "--container", "netcdf", expect=2)
    assert "name it .nc" in refused.err
    sill.run("arrays", "copy", a, "-o", tmp_path / "b.nc", "--container", "vti")
    assert (tmp_path / "b.pvd").exists()
