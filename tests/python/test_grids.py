"""Grids of VTK from Python: coordinates in parts of different shapes, and runs that continue others."""

import functools

import numpy
import pytest
import sill

vtk = pytest.importorskip("vtkmodules.vtkIOXML")
from vtkmodules.util.numpy_support import vtk_to_numpy

NY, NX = 5, 7
Y, X = numpy.meshgrid(numpy.arange(NY, dtype="f8"), numpy.arange(NX, dtype="f8"), indexing="ij")
U = numpy.arange(3 * NY * NX, dtype="f4").reshape(3, NY, NX)


def new(path, moves=False, mode="w", **options):
    d = sill.Dataset(path, mode, dims={"time": None, "y": NY, "x": NX}, **options)
    d.createVariable("u", "f4", ("time", "y", "x"), attributes={"coordinates": "px py"})
    for name in ("px", "py"):
        d.createVariable(name, "f8", ("time", "y", "x") if moves else ("y", "x"))
    if moves:
        d["px"].axis, d["py"].axis = "X", "Y"
    else:
        d["px"].units, d["py"].units = "degrees_east", "degrees_north"
    return d


def points_of(path):
    reader = vtk.vtkXMLStructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    points = vtk_to_numpy(grid.GetPoints().GetData()).reshape(NY, NX, 3)
    return points, vtk_to_numpy(grid.GetPointData().GetArray("u")).reshape(NY, NX)


@pytest.mark.parametrize("policy", ["auto", "direct", "staged,stage=4K"])
def test_parts_of_any_shape(tmp_path, policy):
    with new(tmp_path / "a.vts") as d:
        d["px"][:], d["py"][:] = X - Y, Y
        for step in range(3):
            d["u"][step] = U[step]
    with new(tmp_path / "b.vts", policy=policy) as d:
        d["px"][:, :3] = (X - Y)[:, :3]
        d["py"][:2], d["py"][2:] = Y[:2], Y[2:]
        d["px"][:, 3:] = (X - Y)[:, 3:]
        for step in range(3):
            d["u"][step] = U[step]
    for step in range(3):
        points, values = points_of(tmp_path / f"b.{step:06}.vts")
        numpy.testing.assert_array_equal(points, numpy.stack([X - Y, Y, 0 * X], -1))
        numpy.testing.assert_array_equal(values, U[step])
        assert (tmp_path / f"a.{step:06}.vts").read_bytes() == (tmp_path / f"b.{step:06}.vts").read_bytes()


def test_coordinates_that_move(tmp_path):
    with new(tmp_path / "a.vts", moves=True) as d:
        for step in range(2):
            d["px"][step], d["py"][step], d["u"][step] = X + step, Y * (1 + step), U[step]
    for step in range(2):
        points, values = points_of(tmp_path / f"a.{step:06}.vts")
        numpy.testing.assert_array_equal(points, numpy.stack([X + step, Y * (1 + step), 0 * X], -1))
    with sill.Dataset(tmp_path / "a.vts") as d:
        numpy.testing.assert_array_equal(d["py"][1], 2 * Y)


def test_a_run_that_continues_passes_coordinates_again(tmp_path):
    def run(mode, steps, gives=True):
        with sill.Dataset(tmp_path / "a.vti", mode, dims={"time": None, "y": NY, "x": NX}) as d:
            d.createVariable("u", "f4", ("time", "y", "x"))
            d.createVariable("x", "f8", ("x",))
            if gives:
                d["x"][:] = 10 + 0.5 * numpy.arange(NX)
            for step in steps:
                d["u"][step] = U[step]

    run("w", [0])
    with pytest.raises(sill.UsageError, match="0 of the 7 elements of variable x in step 1"):
        run("a", [1], gives=False)
    run("a", [1, 2])
    for step in range(3):
        reader = vtk.vtkXMLImageDataReader()
        reader.SetFileName(str(tmp_path / f"a.{step:06}.vti"))
        reader.Update()
        assert reader.GetOutput().GetOrigin() == (10, 0, 0) and reader.GetOutput().GetSpacing() == (0.5, 1, 1)
    with sill.Dataset(tmp_path / "a.vti") as d:
        numpy.testing.assert_array_equal(d["u"][:], U)


def write_rectilinear(path, x, parts=1, kind="f8"):
    with sill.Dataset(path, "w", dims={"time": None, "y": NY, "x": NX}) as d:
        d.createVariable("u", "f4", ("time", "y", "x"))
        d.createVariable("x", kind, ("x",))
        d.createVariable("y", "f8", ("y",))
        d["y"][:] = -(numpy.arange(NY) ** 3)  # may fall
        for part in numpy.array_split(numpy.arange(NX), parts):
            d["x"][part[0] : part[-1] + 1] = x[part]
        for step in range(2):
            d["u"][step] = U[step]


@pytest.mark.parametrize("parts", [1, 3])
def test_rectilinear_coordinates_are_strictly_monotonic(tmp_path, parts):
    x = 10 + numpy.arange(NX) ** 2
    write_rectilinear(tmp_path / "a.vtr", x, parts)
    reader = vtk.vtkXMLRectilinearGridReader()
    reader.SetFileName(str(tmp_path / "a.000001.vtr"))
    reader.Update()
    numpy.testing.assert_array_equal(vtk_to_numpy(reader.GetOutput().GetXCoordinates()), x)
    numpy.testing.assert_array_equal(vtk_to_numpy(reader.GetOutput().GetYCoordinates()), -(numpy.arange(NY) ** 3))
    for index, value in ((3, numpy.nan), (6, numpy.inf), (0, -numpy.inf), (0, 11), (4, x[3]), (5, x[3])):
        wrong = x.astype("f4")
        wrong[index] = value
        shown = max(index, 1) if value == 11 else index
        with pytest.raises(sill.UsageError, match=f"coordinate x has the value {wrong[shown]:g} at index {shown}"):
            write_rectilinear(tmp_path / "b.vtr", wrong, parts, "f4")
        assert not list(tmp_path.glob("b*.vtr"))


@pytest.mark.parametrize("moves", [False, True])
def test_curvilinear_coordinates_are_finite(tmp_path, moves):
    wrong = Y.copy()
    wrong[3, 2] = numpy.nan
    with pytest.raises(sill.UsageError, match=r"coordinate py has the value nan at index \(3, 2\)"):
        with new(tmp_path / "a.vts", moves=moves) as d:
            d["px"][0 if moves else slice(None)] = X
            d["py"][(0, slice(1, None)) if moves else slice(1, None)] = wrong[1:]
            d["u"][0] = U[0]
    assert not list(tmp_path.glob("*.vts"))


def write_evenly(folder, ending, mode="w", steps=3):
    with sill.Dataset(folder / f"a.{ending}", mode, dims={"time": None, "y": NY, "x": NX}) as d:
        d.createVariable("u", "f4", ("time", "y", "x"))
        d.createVariable("x", "f8", ("x",))
        d.createVariable("y", "f8", ("y",))
        d["x"][:], d["y"][:] = numpy.arange(NX), numpy.arange(NY)
        for step in range(steps):
            d["u"][step] = U[step]


def test_another_format_of_a_dataset_replaces_all_its_files(tmp_path):
    """A list of steps names the files of one dataset, whatever their ending."""
    write = functools.partial(write_evenly, tmp_path)
    write("vti")
    other = tmp_path / "a.000007.vti"  # not of the series
    other.write_text("kept")
    for mode, said in [("a", "has the steps a.000000.vti, ..., which a.000000.vtr cannot continue"), ("x", "exists")]:
        before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
        with pytest.raises(sill.UsageError, match=said):
            write("vtr", mode)
        assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before
    write("vtr", "w", 2)
    assert sorted(each.name for each in tmp_path.glob("a.*")) == [
        "a.000000.vtr", "a.000001.vtr", "a.000007.vti", "a.pvd"
    ]  # fmt: skip
    with sill.Dataset(tmp_path / "a.pvd") as d:
        numpy.testing.assert_array_equal(d["u"][:], U[:2])
    write("vti", "w")
    assert not list(tmp_path.glob("a.*.vtr"))


def test_a_replacement_that_fails_leaves_the_list_of_the_other_files(tmp_path):
    """So the next replacement finds and removes them."""
    write = functools.partial(write_evenly, tmp_path)
    write("vti")
    (tmp_path / "a.000001.vti").unlink()
    (tmp_path / "a.000001.vti").mkdir()  # which is not removed
    with pytest.raises(sill.Error, match="not a regular file"):
        write("vtr")
    assert (tmp_path / "a.pvd").exists()
    (tmp_path / "a.000001.vti").rmdir()
    (tmp_path / "a.000001.vti").write_text("")
    write("vtr")
    assert not list(tmp_path.glob("a.*.vti"))


@pytest.mark.parametrize("ending", ["vti", "vtr", "vts", "vtkhdf", "plt"])
@pytest.mark.parametrize("case", ["staggered", "rectilinear", "curvilinear", "curvilinear staggered"])
def test_the_error_of_a_grid_names_a_container_that_stores_it(tmp_path, ending, case):
    dims = {"y": NY, "x": NX, "xs": NX + 1}
    variables = {"u": ("y", "x")}
    if "staggered" in case:
        variables["v"] = ("y", "xs")
    if case == "rectilinear":
        variables |= {"x": ("x",), "y": ("y",)}
    if "curvilinear" in case:
        variables |= {"lon": ("y", "x"), "lat": ("y", "x")}

    def write(name):
        with sill.Dataset(tmp_path / name, "w", dims=dims) as d:
            for variable, of in variables.items():
                d.createVariable(variable, "f8", of)
            if "lon" in variables:
                d["u"].coordinates, d["lon"].units, d["lat"].units = "lon lat", "degrees_east", "degrees_north"
            d.write({each: numpy.arange(numpy.prod([dims[n] for n in of])).reshape([dims[n] for n in of]) ** 2.0
                     for each, of in variables.items()})  # fmt: skip

    can = {"rectilinear": ["vtr"], "curvilinear": ["vts"]}.get(case, [])
    if ending in can:
        return write(f"a.{ending}")
    if ending == "plt" and case == "curvilinear":  # numbers at the points
        return write("a.plt")
    with pytest.raises(sill.UsageError) as refused:
        write(f"a.{ending}")
    advice = str(refused.value).split("to do:")[1]
    assert "netCDF" in advice and (ending == "plt" or "HDF5 or Zarr" in advice)
    for each in ("nc", "h5", "zarr"):
        write(f"b.{each}")
