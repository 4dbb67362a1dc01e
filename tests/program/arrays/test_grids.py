"""Grids as VTK reads them: regular, rectilinear and structured, with values at points and at cells; and the way back."""

import netCDF4
import numpy
import pytest

pytest.importorskip("vtkmodules")
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLRectilinearGridReader, vtkXMLStructuredGridReader

READERS = {".vti": vtkXMLImageDataReader, ".vtr": vtkXMLRectilinearGridReader, ".vts": vtkXMLStructuredGridReader}
SHAPE = (3, 4, 6)  # of points
CELLS = (2, 3, 5)
STEPS = 3
X = numpy.array([0, 1, 3, 7, 15, 31], "f4")
Y = numpy.array([40.0, 41, 42.5, 50])
Z = numpy.array([-3, -2, 0], "i4")


def at_points(step):
    return (numpy.arange(72).reshape(SHAPE) + step).astype("f4")


def at_cells(step):
    return numpy.arange(30).reshape(CELLS) / 8 + step


def velocity(step):
    return (numpy.arange(90).reshape(*CELLS, 3) - step).astype("i2")


def curvilinear(shape=SHAPE):
    z, y, x = numpy.meshgrid(*(numpy.arange(n, dtype="f8") for n in shape), indexing="ij")
    return x + 0.1 * y, y - 0.05 * x, z + 0.01 * x * y


def write(path, coordinates):
    """A netCDF file with values at points and cells, vectors at cells, a constant and times."""
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        for name, length in [("time", None), *zip("zyx", SHAPE), *zip(("zc", "yc", "xc"), CELLS), ("c", 3)]:
            file.createDimension(name, length)
        file.createVariable("time", "f8", ("time",))[:] = [0.5, 1, 4]
        file.createVariable("still", "u1", ("z", "y", "x"))[:] = at_points(0).astype("u1")
        file.createVariable("p", "f4", ("time", "z", "y", "x"))
        file.createVariable("q", "f8", ("time", "zc", "yc", "xc")).location = "cell"
        file.createVariable("v", "i2", ("time", "zc", "yc", "xc", "c"))  # its dimensions are those of q
        for step in range(STEPS):
            file["p"][step], file["q"][step], file["v"][step] = at_points(step), at_cells(step), velocity(step)
        coordinates(file)
    return path


def straight(x=X, y=Y, z=Z):
    def add(file):
        for name, values in zip("zyx", (z, y, x)):
            file.createVariable(name, values.dtype, (name,))[:] = values

    return add


def curved(file):
    for name, values in zip(("px", "py", "pz"), curvilinear()):
        file.createVariable(name, "f8", ("z", "y", "x"))[:] = values
        file[name].axis = name[1].upper()
    file["p"].coordinates = "pz py px"
    file.createVariable("x", "f4", ("x",))[:] = X  # an index, without a place in the grid


def read(path):
    reader = READERS[path.suffix]()
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


def array(data, name, shape):
    values = vtk_to_numpy(data.GetArray(name))
    return values.reshape(*shape, *values.shape[1:])


def has_values(grid, step):
    assert grid.GetDimensions() == SHAPE[::-1]
    points, cells = grid.GetPointData(), grid.GetCellData()
    numpy.testing.assert_array_equal(array(points, "p", SHAPE), at_points(step))
    numpy.testing.assert_array_equal(array(points, "still", SHAPE), at_points(0))
    numpy.testing.assert_array_equal(array(cells, "q", CELLS), at_cells(step))
    numpy.testing.assert_array_equal(array(cells, "v", CELLS), velocity(step))
    return points.GetNumberOfArrays() == 2 and cells.GetNumberOfArrays() == 2


def copied(sill, a, to, *options, ranks=None):
    """Copies to a format of VTK and back; the copies are equal by value, and so are files of any ranks and policy."""
    sill.run("arrays", "copy", a, "-o", to, *options, ranks=ranks)
    back = to.with_suffix(".nc")
    sill.run("arrays", "copy", to, "-o", back)
    assert "equal" in sill.run("arrays", "compare", a, to).out
    assert "equal" in sill.run("arrays", "compare", a, back).out
    other = to.parent / "other" / to.name
    other.parent.mkdir()
    sill.run("arrays", "copy", a, "-o", other, *options, "--policy", "staged,stage=4K")
    names = sorted(each.name for each in other.parent.iterdir())
    assert names and all((to.parent / name).read_bytes() == (other.parent / name).read_bytes() for name in names)


@pytest.mark.parametrize("ranks", [None, 3])
def test_rectilinear_grids(sill, tmp_path, ranks):
    a = write(tmp_path / "a.nc", straight())
    copied(sill, a, tmp_path / "b.vtr", ranks=ranks)
    for step in range(STEPS):
        grid = read(tmp_path / f"b.{step:06}.vtr")
        assert has_values(grid, step)
        for values, found in ((X, grid.GetXCoordinates()), (Y, grid.GetYCoordinates()), (Z, grid.GetZCoordinates())):
            numpy.testing.assert_array_equal(vtk_to_numpy(found), values)
    assert "VTK rectilinear grid" in sill.run("arrays", "info", tmp_path / "b.vtr").out
    assert (tmp_path / "b.pvd").read_text().count("DataSet") == STEPS


@pytest.mark.parametrize("ranks", [None, 3])
def test_structured_grids(sill, tmp_path, ranks):
    a = write(tmp_path / "a.nc", curved)
    copied(sill, a, tmp_path / "b.vts", ranks=ranks)
    points = numpy.stack(curvilinear(), -1)
    for step in range(STEPS):
        grid = read(tmp_path / f"b.{step:06}.vts")
        assert has_values(grid, step)
        numpy.testing.assert_array_equal(vtk_to_numpy(grid.GetPoints().GetData()).reshape(points.shape), points)
    assert "VTK structured grid" in sill.run("arrays", "info", tmp_path / "b.vts").out
    refused = sill.run("arrays", "info", tmp_path / "b.vti", expect=4).err  # b.pvd lists .vts files
    assert "b.vti does not exist" in refused and "lists other files" in refused


@pytest.mark.parametrize("ranks", [None, 3])
def test_even_coordinates_are_those_of_an_image(sill, tmp_path, ranks):
    x = (1e5 + 0.1 * numpy.arange(6)).astype("f8")
    a = write(tmp_path / "a.nc", straight(x, 2 + 3 * numpy.arange(4, dtype="f4"), numpy.array([5, 7, 9], "i2")))
    copied(sill, a, tmp_path / "b.vti", ranks=ranks)
    grid = read(tmp_path / "b.000001.vti")
    assert has_values(grid, 1)
    numpy.testing.assert_allclose(grid.GetOrigin(), (1e5, 2, 5))
    numpy.testing.assert_allclose(grid.GetSpacing(), (0.1, 3, 2), rtol=1e-9)
    numpy.testing.assert_array_equal(vtk_to_numpy(grid.GetFieldData().GetArray("x")), x)


def test_centers_of_cells_place_an_image(sill, tmp_path):
    a = tmp_path / "a.nc"
    with netCDF4.Dataset(a, "w", format="NETCDF3_64BIT_DATA") as file:
        for name, length in zip("yx", (3, 5)):
            file.createDimension(name, length)
            file.createVariable(name, "f8", (name,))[:] = 10 + 2 * numpy.arange(length)
        file.createVariable("q", "f8", ("y", "x"))[:] = at_cells(0)[0]
        file["q"].location = "cell"
    copied(sill, a, tmp_path / "b.vti")
    grid = read(tmp_path / "b.vti")
    assert grid.GetDimensions() == (6, 4, 1) and grid.GetOrigin()[:2] == (9, 9) and grid.GetSpacing()[:2] == (2, 2)
    numpy.testing.assert_array_equal(array(grid.GetCellData(), "q", (3, 5)), at_cells(0)[0])
    refused = sill.run("arrays", "copy", a, "-o", tmp_path / "b.vtr", expect=2).err
    assert "centers of cells" in refused and "attribute coordinates" in refused


def test_coordinates_of_nodes_that_cells_list(sill, tmp_path):
    a = tmp_path / "a.nc"
    with netCDF4.Dataset(a, "w", format="NETCDF3_64BIT_DATA") as file:
        for name, length in [("y", 3), ("x", 5), ("yn", 4), ("xn", 6)]:
            file.createDimension(name, length)
        file.createVariable("xn", "f4", ("xn",))[:] = X
        file.createVariable("yn", "f8", ("yn",))[:] = Y
        file.createVariable("q", "f8", ("y", "x"))[:] = at_cells(0)[0]
        file["q"].setncatts({"location": "face", "coordinates": "yn xn"})
    copied(sill, a, tmp_path / "b.vtr")
    grid = read(tmp_path / "b.vtr")
    assert grid.GetDimensions() == (6, 4, 1)
    numpy.testing.assert_array_equal(vtk_to_numpy(grid.GetXCoordinates()), X)
    numpy.testing.assert_array_equal(vtk_to_numpy(grid.GetYCoordinates()), Y)
    numpy.testing.assert_array_equal(array(grid.GetCellData(), "q", (3, 5)), at_cells(0)[0])


def test_longitudes_and_latitudes_of_a_plane(sill, tmp_path):
    a = tmp_path / "a.nc"
    longitudes, latitudes, _ = (each[0].astype("f4") for each in curvilinear())
    with netCDF4.Dataset(a, "w", format="NETCDF3_64BIT_DATA") as file:
        for name, length in [("time", None), ("eta", 4), ("xi", 6), ("c", 2)]:
            file.createDimension(name, length)
        file.createVariable("nav_a", "f4", ("eta", "xi"))[:] = latitudes
        file["nav_a"].units = "degrees_north"
        file.createVariable("nav_o", "f4", ("eta", "xi"))[:] = longitudes
        file["nav_o"].units = "degrees_east"
        file.createVariable("wind", "f4", ("time", "eta", "xi", "c"))[0] = numpy.arange(48).reshape(4, 6, 2)
        file["wind"].coordinates = "nav_a nav_o"
    copied(sill, a, tmp_path / "b.vts")
    grid = read(tmp_path / "b.000000.vts")
    assert grid.GetDimensions() == (6, 4, 1)
    points = vtk_to_numpy(grid.GetPoints().GetData()).reshape(4, 6, 3)
    numpy.testing.assert_array_equal(points, numpy.stack([longitudes, latitudes, 0 * latitudes], -1))
    numpy.testing.assert_array_equal(array(grid.GetPointData(), "wind", (4, 6)).ravel(), numpy.arange(48))


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize(
    "coordinates, to, words",
    [
        (straight(), "b.vti", ["coordinate z", "evenly spaced", "write .vtr"]),
        (curved, "b.vti", ["z x y x x", "write .vts"]),
        (curved, "b.vtr", ["z x y x x", "write .vts"]),
        (straight(), "b.vts", ["attribute coordinates", "write .vtr"]),
        (lambda file: None, "b.vtr", ["dimension z has none", "write .vti"]),
        (lambda file: file.createVariable("u", "f4", ("zc", "yc", "x")), "b.vti", ["u is", "staggered", "write netCDF, HDF5 or Zarr"]),
    ],
)
def test_a_grid_that_a_file_cannot_hold_names_one_that_can(sill, tmp_path, coordinates, to, words, ranks):
    a = write(tmp_path / "a.nc", coordinates)
    refused = sill.run("arrays", "copy", a, "-o", tmp_path / to, expect=2, ranks=ranks).err
    assert all(word in refused for word in words), refused
    assert not list(tmp_path.glob("*.vt*"))


def test_damaged_points_are_refused(sill, tmp_path):
    a = write(tmp_path / "a.nc", curved)
    sill.run("arrays", "copy", a, "-o", tmp_path / "b.vts", "--steps", 1)
    path = tmp_path / "b.000000.vts"
    data = path.read_bytes()
    path.write_bytes(data[:-200])
    assert "the file ends within" in sill.run("arrays", "info", path, expect=3).err
    path.write_bytes(data.replace(b'name="p" type="float"', b'name="p" type="short"'))
    assert "differs from the described type" in sill.run("arrays", "info", path, expect=3).err


@pytest.mark.parametrize("ranks", [None, 3])
def test_copies_in_vtkhdf(sill, tmp_path, ranks):
    """Copies of images and of unstructured grids are equal by value, by any ranks; files of others are read as HDF5."""
    h5py = pytest.importorskip("h5py")
    if "hdf5" not in sill.run("--version").out.lower():
        pytest.skip("built without HDF5")
    a = write(tmp_path / "a.nc", lambda file: None)
    sill.run("arrays", "copy", a, "-o", tmp_path / "b.vtkhdf", ranks=ranks)
    sill.run("arrays", "copy", a, "-o", tmp_path / "c.vtkhdf", "--policy", "staged,stage=4K")
    assert (tmp_path / "b.vtkhdf").read_bytes() == (tmp_path / "c.vtkhdf").read_bytes()
    sill.run("arrays", "copy", tmp_path / "b.vtkhdf", "-o", tmp_path / "d.nc", ranks=ranks)
    for other in ("b.vtkhdf", "d.nc"):
        assert "equal" in sill.run("arrays", "compare", a, tmp_path / other, ranks=ranks).out
    info = sill.run("arrays", "info", tmp_path / "b.vtkhdf").out
    assert "VTKHDF, 3 complete steps" in info
    with h5py.File(tmp_path / "b.vtkhdf") as file:
        numpy.testing.assert_array_equal(file["VTKHDF/CellData/v"][1], velocity(1))
        numpy.testing.assert_array_equal(file["VTKHDF/Steps/Values"][:], [0.5, 1, 4])
        assert list(file["VTKHDF/CellData"]) == ["q", "v"]
    with h5py.File(tmp_path / "e.vtkhdf", "w") as file:
        group = file.create_group("VTKHDF")
        group.attrs["Version"], group.attrs["Type"] = [2, 0], numpy.bytes_("ImageData")
        group["PointData/u"] = at_points(0)
    assert "VTKHDF/PointData/u" in sill.run("arrays", "info", tmp_path / "e.vtkhdf").out
    data = (tmp_path / "b.vtkhdf").read_bytes()
    (tmp_path / "f.vtkhdf").write_bytes(data.replace(b'name="p" type="float"', b'name="p" type="short"'))
    assert "differs from sill_description" in sill.run("arrays", "info", tmp_path / "f.vtkhdf", expect=3).err
