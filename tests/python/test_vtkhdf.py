"""Images and unstructured grids in VTKHDF: read by VTK, with steps that are counted last, also of runs that are killed."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import sill

h5py = pytest.importorskip("h5py")
pytest.importorskip("vtkmodules")
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOHDF import vtkHDFReader

HERE = Path(__file__).resolve().parent
NZ, NY, NX = 2, 6, 4
STEPS = 5
U = numpy.arange(STEPS * NZ * NY * NX, dtype="f4").reshape(STEPS, NZ, NY, NX)
Q = numpy.arange(STEPS * (NY - 1) * (NX - 1), dtype="i2").reshape(STEPS, 1, NY - 1, NX - 1)
TIMES = [0.5, 1, 4, 8, 9.25]
# Two hexahedra and a tetrahedron.
POINTS = numpy.random.default_rng(7).random((14, 3)).astype("f4")
CONNECTIVITY = numpy.array([0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 11, 11, 12, 13, 0], "i8")
OFFSETS = numpy.array([0, 8, 16, 20], "i8")
TYPES = numpy.array([12, 12, 10], "u1")
V = numpy.arange(STEPS * 14 * 3, dtype="f8").reshape(STEPS, 14, 3)
STRESS = numpy.arange(STEPS * 3, dtype="f4").reshape(STEPS, 3)
IDS = numpy.arange(100, 114)


@pytest.fixture(autouse=True)
def with_hdf5(hdf5):
    """All tests here need it."""


def new_image(path, steps=STEPS, **options):
    d = sill.Dataset(
        path,
        "w",
        dims={"time": None, "z": NZ, "y": NY, "x": NX, "zc": 1, "yc": NY - 1, "xc": NX - 1, "c": 2},
        steps=steps,
        **options,
    )
    d.origin, d.spacing = [1.0, 2, 3], [0.5, 0.25, 2]
    d.createVariable("u", "f4", ("time", "z", "y", "x"))
    d.createVariable("time", "f8", ("time",), attributes={"units": "s"})
    d.createVariable("still", "i4", ("z", "y", "x", "c"))
    d.createVariable("q", "i2", ("time", "zc", "yc", "xc"))
    d.createVariable("dt", "f8", ())
    return d


def write_image(path, last=STEPS, kill=False, **options):
    with new_image(path, **options) as d:
        d["still"][:] = numpy.stack([U[0], -U[0]], -1)
        d["dt"][...] = 0.25
        for step in range(last):
            d.write_step({"u": U[step], "q": Q[step], "time": TIMES[step]})
        if kill:
            d.sync()
            d.write({"u": U[last] + 1000})  # a step that is never complete
            os.kill(os.getpid(), signal.SIGKILL)
    return path


def write_mesh(path, parts=1, last=STEPS, steps=STEPS, **options):
    dims = {"time": None, "points": 14, "xyz": 3, "cells": 3, "ends": 4, "ids": 20}
    with sill.Dataset(path, "w", dims=dims, steps=steps, **options) as d:
        d.createVariable("stress", "f4", ("time", "cells"))
        d.createVariable("v", "f8", ("time", "points", "xyz"))
        d.createVariable("GlobalIds", "i8", ("points",))
        for name, values, dimensions in (
            ("Points", POINTS, ("points", "xyz")),
            ("Connectivity", CONNECTIVITY, ("ids",)),
            ("Offsets", OFFSETS, ("ends",)),
            ("Types", TYPES, ("cells",)),
        ):
            d.createVariable(name, values.dtype.str[1:], dimensions)
        for name, values in (
            ("Points", POINTS),
            ("Connectivity", CONNECTIVITY),
            ("Offsets", OFFSETS),
            ("Types", TYPES),
            ("GlobalIds", IDS),
        ):
            for part in numpy.array_split(numpy.arange(len(values)), parts):
                d[name][part[0] : part[-1] + 1] = values[part]
        for step in range(last):
            d.write_step({"stress": STRESS[step], "v": [(numpy.s_[:5], V[step, :5]), (numpy.s_[5:], V[step, 5:])]})
    return path


def steps_of(path):
    """Returns the times of a file, and what VTK reads of each step."""
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS()) or (0,)  # of a single step
    assert len(times) == reader.GetNumberOfSteps()
    grids = []
    for time in times:
        reader.UpdateTimeStep(time)
        grids.append(type(reader.GetOutput())())
        grids[-1].DeepCopy(reader.GetOutput())
    return times, grids


def array(data, name):
    return vtk_to_numpy(data.GetArray(name))


def has_images(path, steps):
    times, grids = steps_of(path)
    assert list(times) == (TIMES[:steps] if steps > 1 else [0])
    for step, grid in enumerate(grids):
        assert grid.GetDimensions() == (NX, NY, NZ)
        assert grid.GetOrigin() == (3, 2, 1) and grid.GetSpacing() == (2, 0.25, 0.5)
        numpy.testing.assert_array_equal(array(grid.GetPointData(), "u"), U[step].ravel())
        numpy.testing.assert_array_equal(array(grid.GetPointData(), "still"), numpy.stack([U[0], -U[0]], -1).reshape(-1, 2))
        numpy.testing.assert_array_equal(array(grid.GetCellData(), "q"), Q[step].ravel())
    return True


def test_images(tmp_path):
    assert has_images(write_image(tmp_path / "a.vtkhdf"), STEPS)
    with sill.Dataset(tmp_path / "a.vtkhdf") as d:
        numpy.testing.assert_array_equal(d["u"][:], U)
        numpy.testing.assert_array_equal(d["time"][:], TIMES)
        assert d["dt"][...] == 0.25 and d["time"].units == "s"
    with h5py.File(tmp_path / "a.vtkhdf") as file:
        assert list(file["VTKHDF"].attrs["Version"]) == [2, 0] and file["VTKHDF/Steps"].attrs["NSteps"] == STEPS


def test_unstructured_grids(tmp_path):
    times, grids = steps_of(write_mesh(tmp_path / "a.vtkhdf"))
    assert list(times) == list(range(STEPS))
    for step, grid in enumerate(grids):
        numpy.testing.assert_array_equal(vtk_to_numpy(grid.GetPoints().GetData()), POINTS)
        cells = grid.GetCells()
        numpy.testing.assert_array_equal(vtk_to_numpy(cells.GetConnectivityArray()), CONNECTIVITY)
        numpy.testing.assert_array_equal(vtk_to_numpy(cells.GetOffsetsArray()), OFFSETS)
        assert [grid.GetCellType(c) for c in range(3)] == list(TYPES)
        numpy.testing.assert_array_equal(array(grid.GetPointData(), "v"), V[step])
        numpy.testing.assert_array_equal(array(grid.GetPointData(), "GlobalIds"), IDS)
        numpy.testing.assert_array_equal(array(grid.GetCellData(), "stress"), STRESS[step])
    with sill.Dataset(tmp_path / "a.vtkhdf") as d:
        numpy.testing.assert_array_equal(d["v"][:], V)
        numpy.testing.assert_array_equal(d["Connectivity"][:], CONNECTIVITY)
        assert d["stress"].shape == (STEPS, 3)


def write_partitions(path, order=(0, 1), counts=(8, 10), **options):
    """Writes the mesh above in two partitions with points and offsets of their own, in a call for each, as ranks do."""
    dims = {"time": None, "points": 18, "xyz": 3, "cells": 3, "ends": 5, "ids": 20, "parts": 2}
    with sill.Dataset(path, "w", dims=dims, steps=2, **options) as d:
        d.createVariable("v", "f8", ("time", "points", "xyz"))
        for name, kind, dimensions in (
            ("Points", "f4", ("points", "xyz")),
            ("Connectivity", "i8", ("ids",)),
            ("Offsets", "i8", ("ends",)),
            ("Types", "u1", ("cells",)),
            ("NumberOfPoints", "i8", ("parts",)),
            ("NumberOfCells", "i8", ("parts",)),
            ("NumberOfConnectivityIds", "i8", ("parts",)),
        ):
            d.createVariable(name, kind, dimensions)
        values = (
            (POINTS[:8], CONNECTIVITY[:8], OFFSETS[:2], TYPES[:1], counts[:1], [1], [8]),
            (
                POINTS[4:],
                numpy.append(CONNECTIVITY[8:19] - 4, 0),
                OFFSETS[1:] - 8,
                TYPES[1:],
                counts[1:],
                [2],
                [12],
            ),
        )
        names = "Points", "Connectivity", "Offsets", "Types", "NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"
        for part in order:
            for name, first, second in zip(names, *values, strict=True):
                begin = part * len(first)
                d[name][begin : begin + len((first, second)[part])] = (first, second)[part]
        for step in range(2):
            d.write_step({"v": numpy.concatenate([V[step, :8], V[step, 4:]])})
    return path


def test_partitions(tmp_path):
    path = write_partitions(tmp_path / "a.vtkhdf")
    assert write_partitions(tmp_path / "b.vtkhdf", order=(1, 0), policy="elected").read_bytes() == path.read_bytes()
    for step, grid in enumerate(steps_of(path)[1]):
        # VTK joins the partitions: the points of the second follow.
        numpy.testing.assert_array_equal(vtk_to_numpy(grid.GetPoints().GetData()), numpy.concatenate([POINTS[:8], POINTS[4:]]))
        expected = numpy.concatenate([CONNECTIVITY[:8], CONNECTIVITY[8:19] + 4, [8]])
        numpy.testing.assert_array_equal(vtk_to_numpy(grid.GetCells().GetConnectivityArray()), expected)
        assert [grid.GetCellType(c) for c in range(3)] == list(TYPES)
        numpy.testing.assert_array_equal(array(grid.GetPointData(), "v"), numpy.concatenate([V[step, :8], V[step, 4:]]))
    # What each of two processes of ParaView reads.
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    cells = []
    for piece in range(2):
        reader.UpdatePiece(piece, 2, 0)
        cells.append(reader.GetOutput().GetNumberOfCells())
    assert cells == [1, 2]
    with sill.Dataset(path) as d:
        assert list(d["NumberOfPoints"][:]) == [8, 10] and list(d["NumberOfConnectivityIds"][:]) == [8, 12]


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((4, 4), "element 4 of Connectivity is 4, but the largest partition has 4 points"),
        ((8, -1), "element 1 of NumberOfPoints is -1"),
    ],
)
def test_points_outside_of_partitions_are_refused(tmp_path, counts, words):
    dims = {"points": 8, "xyz": 3, "cells": 1, "ends": 3, "ids": 8, "parts": 2}
    kinds = {
        "Points": ("f4", "points", "xyz"),
        "Connectivity": ("i8", "ids"),
        "Offsets": ("i8", "ends"),
        "Types": ("u1", "cells"),
    }
    kinds |= {name: ("i8", "parts") for name in ("NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds")}
    with pytest.raises(sill.UsageError, match=words):
        with sill.Dataset(tmp_path / "a.vtkhdf", "w", dims=dims) as d:
            for name, (kind, *dimensions) in kinds.items():
                d.createVariable(name, kind, dimensions)
            d.write({"Connectivity": numpy.arange(8), "NumberOfPoints": numpy.array(counts)})


def test_numbers_of_partitions_that_differ_are_refused(tmp_path):
    variables = {"Connectivity": ("x",), "NumberOfPoints": ("parts",), "NumberOfCells": ("parts",)}
    variables |= {"NumberOfConnectivityIds": ("one",), "Points": ("y", "c"), "Offsets": ("x",), "Types": ("y",)}
    with pytest.raises(sill.UsageError, match="NumberOfPoints, NumberOfCells, NumberOfConnectivityIds have 2, 2, 1 elements"):
        with sill.Dataset(tmp_path / "a.vtkhdf", "w", dims={"x": 4, "y": 3, "c": 3, "parts": 2, "one": 1}) as d:
            for name, dimensions in variables.items():
                d.createVariable(name, {"Points": "f4", "Types": "u1"}.get(name, "i8"), dimensions)
            d["Types"][:] = 12


@pytest.mark.parametrize("policy", ["direct", "elected", "aggregated", "staged,async=2", "sync=close"])
def test_policies_and_parts_write_the_same_bytes(tmp_path, policy):
    plain, mesh = write_image(tmp_path / "a.vtkhdf"), write_mesh(tmp_path / "m.vtkhdf")
    assert write_image(tmp_path / "b.vtkhdf", policy=policy).read_bytes() == plain.read_bytes()
    assert write_mesh(tmp_path / "n.vtkhdf", parts=3, policy=policy).read_bytes() == mesh.read_bytes()


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_a_killed_run_leaves_complete_steps(tmp_path, steps):
    path = tmp_path / "a.vtkhdf"
    code = f"import test_vtkhdf\ntest_vtkhdf.write_image({str(path)!r}, last={steps}, kill=True)"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(Path(sill.__file__).parents[1]), str(HERE), os.environ.get("PYTHONPATH", "")])
    }
    done = subprocess.run([sys.executable, "-c", code], env=environment, timeout=100)
    assert done.returncode == -signal.SIGKILL
    assert has_images(path, steps)
    with sill.Dataset(path) as d:
        numpy.testing.assert_array_equal(d["u"][:], U[:steps])
        numpy.testing.assert_array_equal(d["time"][:], TIMES[:steps])


@pytest.mark.parametrize("steps", [2, 3, 300])
def test_any_room_for_steps(tmp_path, steps):
    assert has_images(write_image(tmp_path / "a.vtkhdf", last=2, steps=steps), 2)


def test_a_single_step(tmp_path):
    assert has_images(write_image(tmp_path / "a.vtkhdf", last=1, steps=1), 1)
    with sill.Dataset(write_image(tmp_path / "b.vtkhdf", last=1)) as d:  # which VTK 9.3 does not read
        numpy.testing.assert_array_equal(d["u"][:], U[:1])


@pytest.mark.parametrize("room", [1, 3])
def test_planes_and_meshes_with_few_steps(tmp_path, room):
    with sill.Dataset(
        tmp_path / "a.vtkhdf", "w", dims={"time": None, "y": NY, "x": NX, "yc": NY - 1, "xc": NX - 1}, steps=room
    ) as d:
        d.createVariable("u", "f4", ("time", "y", "x"))
        d.createVariable("q", "i2", ("time", "yc", "xc"))
        for step in range(room):
            d.write_step({"u": U[step, 0], "q": Q[step, 0]})
    for step, grid in enumerate(steps_of(tmp_path / "a.vtkhdf")[1]):
        assert grid.GetDimensions() == (NX, NY, 1)
        numpy.testing.assert_array_equal(array(grid.GetPointData(), "u"), U[step, 0].ravel())
        numpy.testing.assert_array_equal(array(grid.GetCellData(), "q"), Q[step, 0].ravel())
    _, grids = steps_of(write_mesh(tmp_path / "m.vtkhdf", last=1, steps=room))
    assert len(grids) == 1
    numpy.testing.assert_array_equal(array(grids[0].GetPointData(), "v"), V[0])
    numpy.testing.assert_array_equal(array(grids[0].GetCellData(), "stress"), STRESS[0])


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("components", [1, 2])
def test_images_with_one_point_in_a_dimension(tmp_path, steps, components):
    """VTK reads what is written; other shapes are refused."""
    written = []
    for shape in itertools.product((1, 3), (1, 4), (1, 5)):
        path = tmp_path / "a.vtkhdf"
        path.unlink(missing_ok=True)
        dims = {"time": None, **dict(zip("zyx", shape, strict=True)), "c": components}
        names = ("z", "y", "x", "c")[: 3 + (components > 1)]
        values = numpy.arange(max(1, steps) * numpy.prod(shape) * components, dtype="f4")
        values = values.reshape(-1, *shape, components)[..., : components if components > 1 else None]
        try:
            with sill.Dataset(path, "w", dims=dims, steps=steps or None) as d:
                d.createVariable("u", "f4", ("time", *names) if steps else names)
                for step in values.reshape(-1, *[dims[name] for name in names]):
                    d.write_step({"u": step}) if steps else d.write({"u": step})
        except sill.UsageError as error:
            assert "VTK reads .vtkhdf images wrong" in str(error)
            continue
        written.append(shape)
        grids = list(steps_of(path)[1])
        assert len(grids) == max(1, steps)
        for step, grid in enumerate(grids):
            assert grid.GetDimensions() == shape[::-1]
            read = array(grid.GetPointData(), "u")
            numpy.testing.assert_array_equal(read.reshape(-1, components), values[step].reshape(-1, components))
    assert written == [shape for shape in itertools.product((1, 3), (1, 4), (1, 5)) if shape[1] > 1 or shape[0] == 1]


def test_cells_need_two_points_along_x(tmp_path):
    for shape in ((3, 4), (3, 1)):
        with pytest.raises(sill.UsageError, match="cells and one point in x") if shape[1] == 1 else contextlib.nullcontext():
            with sill.Dataset(
                tmp_path / "a.vtkhdf", "w", dims={"y": shape[0], "x": shape[1], "yc": 2, "xc": max(1, shape[1] - 1)}
            ) as d:
                d.createVariable("u", "f4", ("y", "x"))
                d.createVariable("q", "f4", ("yc", "xc"), attributes={"location": "cell"})
                d.write({"u": numpy.ones(shape, "f4"), "q": numpy.ones((2, max(1, shape[1] - 1)), "f4")})


def test_datasets_without_steps(tmp_path):
    with sill.Dataset(tmp_path / "a.vtkhdf", "w", dims={"y": NY, "x": NX}) as d:
        d.createVariable("u", "f8", ("y", "x"))
        d["u"][:] = U[0, 0]
    reader = vtkHDFReader()
    reader.SetFileName(str(tmp_path / "a.vtkhdf"))
    reader.Update()
    assert reader.GetOutput().GetDimensions() == (NX, NY, 1)
    numpy.testing.assert_array_equal(array(reader.GetOutput().GetPointData(), "u"), U[0, 0].ravel())
    with sill.Dataset(tmp_path / "a.vtkhdf") as d:
        numpy.testing.assert_array_equal(d["u"][:], U[0, 0])


@pytest.mark.parametrize(
    "variables, words",
    [
        ({"u": ("y", "x"), "x": ("x",)}, "write .vtr .or .vti if they are evenly spaced., or netCDF"),
        ({"u": ("y", "x"), "w": ("y", "c")}, "w is on other dimensions"),
        ({"Connectivity": ("x",)}, "no variable Points"),
        ({"Connectivity": ("x",), "Points": ("y", "c"), "Offsets": ("x",), "Types": ("y",)}, "Points is not that of"),
    ],
)
def test_what_it_cannot_hold_is_refused(tmp_path, variables, words):
    with pytest.raises(sill.UsageError, match=words):
        with sill.Dataset(tmp_path / "a.vtkhdf", "w", dims={"y": 4, "x": 5, "c": 3}) as d:
            for name, dimensions in variables.items():
                d.createVariable(name, "i8", dimensions)
            d[next(iter(variables))][:] = 1
    write_image(tmp_path / "b.vtkhdf", last=1)
    with pytest.raises(sill.UsageError, match="steps cannot be added to a VTKHDF file") as raised:
        sill.Dataset(tmp_path / "b.vtkhdf", "a")
    assert "append to the copy" in raised.value.action and "VTKHDF" not in raised.value.action


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize(
    "name, index, value, words",
    [
        ("Connectivity", 9, 14, "element 9 of Connectivity.* is 14, but the grid has 14 points"),
        ("Connectivity", 16, -1, "element 16 of Connectivity.* is -1, but the grid has 14 points"),
        ("Points", (5, 2), numpy.inf, r"coordinate Points has the value inf at index \(5, 2\)"),
    ],
)
def test_meshes_that_are_not_valid_are_refused(tmp_path, monkeypatch, parts, name, index, value, words):
    wrong = globals()[name.upper()].copy()
    wrong[index] = value
    monkeypatch.setitem(globals(), name.upper(), wrong)
    with pytest.raises(sill.UsageError, match=words):
        write_mesh(tmp_path / "a.vtkhdf", parts=parts)


def test_the_cell_of_a_wrong_point_is_named(tmp_path):
    dims = {"points": 14, "xyz": 3, "cells": 3, "ends": 4, "ids": 20}
    wrong = CONNECTIVITY.copy()
    wrong[16] = 99
    with pytest.raises(sill.UsageError, match=r"element 16 of Connectivity \(cell 2\) is 99"):
        with sill.Dataset(tmp_path / "a.vtkhdf", "w", dims=dims) as d:
            d.createVariable("Points", "f4", ("points", "xyz"))
            d.createVariable("Connectivity", "i8", ("ids",))
            d.createVariable("Offsets", "i8", ("ends",))
            d.createVariable("Types", "u1", ("cells",))
            d.write({"Points": POINTS, "Offsets": OFFSETS, "Types": TYPES, "Connectivity": wrong})
