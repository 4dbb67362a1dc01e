"""Tecplot's binary files: read by tecio, and beside them their text by VTK; back into netCDF; damaged ones, and those of
other programs."""

import contextlib
import io
import shutil

import netCDF4
import numpy
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOGeometry import vtkTecplotReader

with contextlib.redirect_stdout(io.StringIO()):  # it says that it cannot convert texts
    from tecio import tecio

SHAPE = (3, 4, 5)
INPUT = 3


@pytest.fixture
def fields(tmp_path):
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        for name, length in [("time", None), ("z", 3), ("y", 4), ("x", 5)]:
            file.createDimension(name, length)
        file.title = "fields"
        file.origin = numpy.array([1.5, 2, 3])
        file.spacing = numpy.array([10, 20, 0.5])
        file.createVariable("time", "f8", ("time",))
        file.createVariable("still", "f8", ("z", "y", "x"))[:] = numpy.arange(60).reshape(SHAPE)
        for kind in ["f4", "f8", "i2"]:
            file.createVariable(kind, kind, ("time", "z", "y", "x"))
        for step in range(3):
            file["time"][step] = 0.25 * step
            for kind in ["f4", "f8", "i2"]:
                file[kind][step] = numpy.arange(60).reshape(SHAPE) * (step + 1) - 7
    return path


def test_a_grid_is_read_by_tecio_and_back_as_what_it_was(sill, fields, tmp_path):
    sill.run("arrays", "copy", fields, "-o", tmp_path / "a.plt")
    with netCDF4.Dataset(fields) as file:
        for step in range(3):
            zone = tecio.TecplotFile(str(tmp_path / f"a.00000{step}.plt"))
            assert zone.title == "fields"
            assert list(zone.variables) == ["X", "Y", "Z", "still", "f4", "f8", "i2"]
            assert zone.get_solution_time(0) == 0.25 * step
            z, y, x = numpy.meshgrid(
                1.5 + 10 * numpy.arange(3), 2 + 20 * numpy.arange(4), 3 + 0.5 * numpy.arange(5), indexing="ij"
            )
            for number, expected in enumerate([x, y, z, file["still"][:], *(file[k][step] for k in ["f4", "f8", "i2"])]):
                # tecio orders as Fortran does
                assert numpy.array_equal(zone.get_data(0, number).transpose(), expected), number
                assert zone.get_min(0, number) == expected.min()
                assert zone.get_max(0, number) == expected.max()
    sill.run("arrays", "copy", tmp_path / "a.plt", "-o", tmp_path / "b.nc", "--cdf-version", 5)
    assert "equal" in sill.run("arrays", "compare", fields, tmp_path / "b.nc").out
    # A file alone is what it holds of one step.
    assert "i2 i2(z, y, x)" in sill.run("arrays", "info", tmp_path / "a.000001.plt").out


def test_bricks_are_those_of_the_text_that_vtk_reads(sill, tmp_path):
    sill.run("kernel", "tecplot", "--grid", 6, "--steps", 2, "--ascii", "--verify", "--out", tmp_path / "k", ranks=3)
    sill.run("kernel", "tecplot", "--grid", 6, "--steps", 2, "--original", "--out", tmp_path / "o", ranks=2)
    for step in range(2):
        path = tmp_path / "k" / f"flow.00000{step}.plt"
        assert path.read_bytes() == (tmp_path / "o" / path.name).read_bytes()
        zone = tecio.TecplotFile(str(path))
        reader = vtkTecplotReader()
        reader.SetFileName(str(path.with_suffix(".dat")))
        reader.Update()
        grid = reader.GetOutput().GetBlock(0)
        assert (grid.GetNumberOfPoints(), grid.GetNumberOfCells()) == (216, 125)
        points = vtk_to_numpy(grid.GetPoints().GetData())
        for number in range(3):
            assert numpy.array_equal(points[:, number], zone.get_data(0, number).astype("f4"))
        for number in range(3, 9):
            values = vtk_to_numpy(grid.GetPointData().GetArray(zone.variables[number]))
            assert numpy.array_equal(values, zone.get_data(0, number).astype("f4"))
        nodes = [[grid.GetCell(e).GetPointId(corner) for corner in range(8)] for e in range(125)]
        assert nodes == [list(each) for each in zone.get_connect(0)]


def test_damaged_files_and_those_of_others_are_refused(sill, fields, tmp_path):
    sill.run("arrays", "copy", fields, "-o", tmp_path / "a.plt")
    whole = (tmp_path / "a.000000.plt").read_bytes()

    def refused(data):
        (tmp_path / "d.plt").write_bytes(data)
        return sill.run("arrays", "info", tmp_path / "d.plt", expect=INPUT).err

    assert "it has " in refused(whole[:-1])
    assert "description" in refused(whole[:100])
    assert "header is damaged" in refused(whole[:12] + b"\7" + whole[13:])
    assert "description by Sill" in refused(b"#!TDV112" + bytes(4000))
    # Of a list of steps the one that is wrong is named.
    (tmp_path / "a.000001.plt").write_bytes(whole[:-8])
    assert "a.000001.plt" in sill.run("arrays", "info", tmp_path / "a.plt", expect=INPUT).err
    shutil.copy(tmp_path / "a.000000.plt", tmp_path / "a.000001.plt")
    assert "3 complete steps" in sill.run("arrays", "info", tmp_path / "a.plt").out
