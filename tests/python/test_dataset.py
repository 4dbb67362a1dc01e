"""Datasets: what is written reads the same in netCDF4, xarray, VTK and NumPy, and the same bytes by every policy."""

import gc
import os
import shutil
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import netCDF4
import numpy
import pytest
import sill
import xarray

HERE = Path(__file__).resolve().parent
POLICIES = ["auto", "direct", "elected", "aggregated", "staged,async=2", "sync=close"]
NY, NX = 6, 4
U = numpy.arange(5 * NY * NX, dtype="f4").reshape(5, NY, NX)


def environment(**more):
    """Returns the environment of a process that imports the same package and this file."""
    path = [str(Path(sill.__file__).parents[1]), str(HERE), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(path), **more}


def new(path, mode="w", **options):
    d = sill.Dataset(path, mode, dims={"time": None, "y": NY, "x": NX}, **options)
    d.createVariable("u", "f4", ("time", "y", "x"), attributes={"units": "m"})
    return d


def write(path, **options):
    with new(path, **options) as d:
        assert d["u"].shape == (0, NY, NX)
        for step in range(5):
            d["u"][step] = U[step]
    return path


@pytest.mark.parametrize("ending", ["nc", "h5", "nc4"])
@pytest.mark.parametrize("fill", [True, False])
def test_an_element_is_passed_once_in_a_step(tmp_path, ending, fill):
    """In one call or in several; a call that failed can be repeated, and later steps may have the element again."""
    options = {} if ending == "nc" else {"steps": 3}
    with sill.Dataset(tmp_path / f"u.{ending}", "w", dims={"time": None, "x": 6}, fill=fill, **options) as d:
        d.createVariable("u", "f4", ("time", "x"))
        for step in range(3):
            d["u"][step, 0:3] = numpy.arange(3)
            with pytest.raises(sill.UsageError, match=f"u are passed more than once for step {step}"):
                d["u"][step, 2:6] = numpy.zeros(4)
            d["u"][step, 3:6] = numpy.arange(3, 6)
    with sill.Dataset(tmp_path / f"u.{ending}") as d:
        assert all((d["u"][step] == numpy.arange(6)).all() for step in range(3))


PLANE = numpy.arange(1, 25, dtype="f4").reshape(4, 6)


@pytest.mark.parametrize("ending", ["nc", "h5", "nc4"])
@pytest.mark.parametrize("fill", [True, False])
def test_a_repeated_element_hides_no_missing_one_of_a_step(tmp_path, ending, fill):
    options = {} if ending == "nc" else {"steps": 2}
    with sill.Dataset(tmp_path / f"u.{ending}", "w", dims={"time": None, "y": 4, "x": 6}, fill=fill, **options) as d:
        d.createVariable("u", "f4", ("time", "y", "x"))
        d["u"][0, :, 0:3] = PLANE[:, 0:3]
        with pytest.raises(sill.UsageError, match="u are passed more than once for step 0"):
            d["u"][0, :, 2:5] = PLANE[:, 2:5]
        d["u"][0, :, 3:6] = PLANE[:, 3:6]
        d.sync()
        d["u"][1, 0:2] = PLANE[0:2]
        d["u"][1, 2:4] = PLANE[2:4]
    with sill.Dataset(tmp_path / f"u.{ending}") as d:
        numpy.testing.assert_array_equal(d["u"][:], [PLANE, PLANE])


@pytest.mark.parametrize("ending", ["nc", "h5", "nc4"])
def test_a_repeated_element_hides_no_missing_one_without_steps(tmp_path, ending):
    """Without fill values. All elements may be written again."""

    def write(*columns, fill=False):
        with sill.Dataset(tmp_path / f"u.{ending}", "w", dims={"y": 4, "x": 6}, fill=fill) as d:
            d.createVariable("u", "f4", ("y", "x"))
            for begin, end in columns:
                d["u"][:, begin:end] = PLANE[:, begin:end]

    write((0, 3), (3, 6))
    write((0, 3), (3, 6), (0, 6), (4, 6), (0, 4))
    for columns in [((0, 3), (2, 5)), ((0, 6), (0, 1)), ((0, 3), (0, 3), (0, 6))]:
        with pytest.raises(sill.UsageError, match="elements of u were passed more than once, perhaps in place of others"):
            write(*columns)
        write(*columns, fill=True)
    with pytest.raises(sill.UsageError, match="no rank wrote 4 of the 24 elements of u"):
        write((0, 3), (2, 4))


def test_netcdf4_and_xarray_read_it(tmp_path):
    path = tmp_path / "u.nc"
    with sill.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as d:
        d.createDimension("time")
        d.createDimension("x", NX)
        d.title = "waves"
        d.setncatts({"i": 3, "large": 2**40, "f": 0.5, "list": [1, 2], "f4": numpy.float32(0.25), "empty": ""})
        d.createCoordinate("time", "T", "seconds since 2026-01-01 00:00:00")
        x = d.createCoordinate("x", "X", "m", standard_name="projection_x_coordinate")
        for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"):
            d.createVariable(name, name, ("time", "x"), fill_value=7)
        d.createVariable("name", "S1", "x")
        d.createVariable("single", "i4")[...] = 12
        x[:] = numpy.arange(NX) * 2.5
        d["name"][:] = numpy.frombuffer(b"abcd", "S1")
        for step in range(3):
            d["time"][step] = 10.0 * step
            for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"):
                d[name][step, 1:] = numpy.arange(1, NX) + step
            assert d.steps == step
        assert d["i8"].shape == (2, NX)
        assert d["f4"].getncattr("_FillValue") == 7
    with netCDF4.Dataset(path) as n:
        n.set_auto_mask(False)
        assert n.data_model == "NETCDF3_64BIT_DATA"
        assert (n.title, n.i, n.large, n.f, n.empty) == ("waves", 3, 2**40, 0.5, "")
        assert [n.getncattr(name).dtype for name in ("i", "large", "f4")] == ["i4", "i8", "f4"]
        assert n.list.tolist() == [1, 2]
        assert n["name"][:].tobytes() == b"abcd"
        assert n["single"][:] == 12
        for name in ("i1", "u2", "i8", "u8", "f4", "f8"):
            assert n[name].dtype == name
            assert n[name][:].tolist() == [[7, 1 + s, 2 + s, 3 + s] for s in range(3)]
    with xarray.open_dataset(path) as opened:
        assert str(opened.time.values[1]) == "2026-01-01T00:00:10.000000000"
        assert opened.x.values.tolist() == [0, 2.5, 5, 7.5]
        assert bool(opened.f8.isnull()[0, 0])
    with sill.Dataset(path) as d:
        assert d.ncattrs()[:3] == ["title", "i", "large"]
        assert (d.title, d.i, d.list.tolist()) == ("waves", 3, [1, 2])
        assert list(d.dimensions) == ["time", "x"]
        assert [len(each) for each in d.dimensions.values()] == [3, NX]
        assert [each.isunlimited() for each in d.dimensions.values()] == [True, False]
        assert d["name"][1:3].tolist() == [b"b", b"c"]
        assert d["single"][...] == 12
        assert len(d["single"]) == 1
        assert [row.tolist() for row in d["i2"]][2] == [7, 3, 4, 5]
        assert numpy.asarray(d["f8"]).shape == (3, NX)
        assert d.files == [str(path)]


@pytest.mark.parametrize("policy", POLICIES)
def test_policies_write_the_same_bytes(tmp_path, policy):
    plain = write(tmp_path / "plain.nc").read_bytes()
    assert write(tmp_path / "u.nc", policy=policy).read_bytes() == plain
    with new(tmp_path / "lent.nc", policy=policy, threads=2, memory=1 << 20) as d:
        for step in range(5):
            d.write_step({"u": U[step]}, lent=True)
        assert d.report()["outputs"]["arrays"]["phases"] == 5
    assert (tmp_path / "lent.nc").read_bytes() == plain
    with new(tmp_path / "steps.nc", policy=policy) as d:
        d.write_steps(2, {"u": U[:2]})
        d.write_steps(3, {"u": [(numpy.s_[:2], U[2:, :2]), (numpy.s_[2:, :], U[2:, 2:])]})
    assert (tmp_path / "steps.nc").read_bytes() == plain


@pytest.mark.skipif(sill.mpi == "none", reason="MPI-IO")
def test_mpi_io_in_one_process(tmp_path):
    plain = write(tmp_path / "plain.nc").read_bytes()
    code = "import sys, test_dataset\ntest_dataset.write(sys.argv[1], policy='collective')"
    subprocess.run([sys.executable, "-c", code, tmp_path / "u.nc"], env=environment(), check=True, timeout=120)
    assert (tmp_path / "u.nc").read_bytes() == plain


@pytest.mark.skipif(sill.mpi != "none", reason="a build without MPI")
def test_without_mpi(tmp_path):
    with pytest.raises(sill.UsageError, match="SILL_MPI=any pip install"):
        new(tmp_path / "u.nc", comm=object())
    with pytest.raises(sill.UsageError, match="without MPI"):
        new(tmp_path / "u.nc", policy="collective")


def test_raw_and_vti(tmp_path):
    write(tmp_path / "u.raw")
    steps = [numpy.fromfile(tmp_path / f"u.{step:06}.raw", "<f4") for step in range(5)]
    numpy.testing.assert_array_equal(numpy.reshape(steps, U.shape), U)
    with new(tmp_path / "v", container="vti") as d:
        d.origin, d.spacing = [1.0, 2.0], [0.5, 0.25]
        d["u"][0] = U[0]
    vtk = pytest.importorskip("vtkmodules.vtkIOXML")
    from vtkmodules.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLImageDataReader()
    reader.SetFileName(str(tmp_path / "v.000000.vti"))
    reader.Update()
    image = reader.GetOutput()
    numpy.testing.assert_array_equal(vtk_to_numpy(image.GetPointData().GetArray("u")).reshape(NY, NX), U[0])
    assert image.GetOrigin()[:2] == (2.0, 1.0)
    for path in ("u.raw", "v.vti"):
        with sill.Dataset(tmp_path / path) as d:
            numpy.testing.assert_array_equal(d["u"][0], U[0])
    with new(tmp_path / "w.raw") as d:
        d["u"][0, :3] = U[0, :3]
        with pytest.raises(sill.UsageError, match="12 of the 24 elements"):
            d.sync()
        d["u"][0] = U[0]
    assert (tmp_path / "w.000000.raw").read_bytes() == U[0].tobytes()


CONTAINERS = ["vti", "raw", "tecplot", "checkpoint"]


def files_of(folder):
    """Returns the bytes of all files of datasets in a folder."""
    return {each.name: each.read_bytes() for each in sorted(folder.iterdir()) if not each.name.startswith(".")}


@pytest.mark.parametrize("container", [*CONTAINERS, "pnetcdf"])
def test_containers(tmp_path, container):
    path = tmp_path / ("u.checkpoint" if container == "checkpoint" else "u")
    try:
        write(path, container=container)
    except sill.Error as error:
        if container == "pnetcdf" and ("PnetCDF" in str(error) or "MPI" in str(error)):
            pytest.skip(str(error))
        raise
    with sill.Dataset(path) as d:
        numpy.testing.assert_array_equal(d["u"][-1], U[4])
        assert d["u"].holds(0)
    if container == "tecplot":
        assert (tmp_path / "u.000004.plt").read_bytes()[:8] == b"#!TDV112"


def test_settings_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SILL_LAYOUT", "u:container=raw")
    monkeypatch.setenv("SILL_POLICY", "elected")
    with new(tmp_path / "u.nc") as d:
        d["u"][0] = U[0]
    assert (tmp_path / "u.000000.raw").read_bytes() == U[0].tobytes()
    assert d.report()["outputs"]["arrays"]["policy"].startswith("writers=elected")
    write(tmp_path / "u.nc", environment=False)
    assert (tmp_path / "u.nc").read_bytes()[:3] == b"CDF"
    (tmp_path / "options.toml").write_text('policy = "staged"\n')
    with new(tmp_path / "v.nc", options=tmp_path / "options.toml", environment=False) as d:
        d["u"][0] = U[0]
    assert d.report()["outputs"]["arrays"]["policy"].startswith("writers=first")


def test_memory_in_any_order(tmp_path):
    ghosts = numpy.full((NY + 2, NX + 2), numpy.nan)
    ghosts[1:-1, 1:-1] = U[1]
    record = numpy.zeros((NY, NX), [("a", "u1"), ("value", "f4")])
    record["value"] = U[2]
    constant = U[3].copy()
    constant.flags.writeable = False
    arrays = [
        (U[0], numpy.asfortranarray(U[0])), (U[1], ghosts[1:-1, 1:-1]), (U[2], record["value"]), (U[3], constant),
        (U[4], U[4].astype(">f8")), (U[0], U[0][::-1, ::-1].copy()[::-1, ::-1]), (U[1], U[1].astype("u2")),
        (U[2], U[2].tolist()), (numpy.full((NY, NX), 2.5), 2.5), (U[3], numpy.repeat(U[3], 2, axis=1)[:, ::2]),
    ]  # fmt: skip
    with new(tmp_path / "u.nc") as d:
        for step, (_, given) in enumerate(arrays):
            d["u"][step] = given
    with netCDF4.Dataset(tmp_path / "u.nc") as n:
        for step, (value, _) in enumerate(arrays):
            numpy.testing.assert_array_equal(n["u"][step], value)
    with sill.Dataset(tmp_path / "u.nc") as d:
        into = numpy.full((NY + 2, NX + 2), -1, "i8", order="F")
        d.read_step(4, {"u": into[1:-1, 1:-1]})
        numpy.testing.assert_array_equal(into[1:-1, 1:-1], U[4])
        assert into[0, 0] == -1
        mapped = numpy.memmap(tmp_path / "map", "f8", "w+", shape=(NY, NX))
        d.read_step(4, {"u": mapped})
        numpy.testing.assert_array_equal(mapped, U[4])
        for bad in (into, constant, U[0].astype(">f4"), record["value"]):
            with pytest.raises(sill.UsageError):
                d.read_step(4, {"u": bad})
        numpy.testing.assert_array_equal(d["u"][1:3, 2, -2:], U[1:3, 2, -2:])
        numpy.testing.assert_array_equal(d["u"][-1:1:-4, ..., 1], numpy.stack([arrays[9][0], U[0]])[:, :, 1])
        assert d["u"][3:3].shape == (0, NY, NX)
        assert d["u"][2, 1, 1] == U[2, 1, 1]


def test_writing_does_not_import_masked_arrays(tmp_path):
    code = """
import sys, numpy, sill
with sill.Dataset(sys.argv[1], "w", dims={"x": 3}) as dataset:
    dataset.createVariable("u", "f8", "x")[...] = numpy.zeros(3)
sill.create(sys.argv[1] + ".sgy", numpy.zeros((2, 9), "f4"), interval=0.002)
assert "numpy.ma" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code, tmp_path / "u.nc"], env=environment(), check=True, timeout=120)


def test_a_variable_is_found_without_making_all(tmp_path, monkeypatch):
    monkeypatch.setattr(sill.Dataset, "variables", property(lambda self: pytest.fail("all variables are made")))
    with sill.Dataset(tmp_path / "a.h5", "w", dims={"x": 3}) as dataset:
        for i in range(3):
            dataset.createVariable(f"v{i}", "f8", "x")
        dataset.write({f"v{i}": numpy.full(3, i) for i in range(3)})
    with sill.Dataset(tmp_path / "a.h5") as dataset:
        assert dataset["v2"][:].tolist() == [2, 2, 2]


def test_elements_by_number(tmp_path):
    numbers = numpy.random.default_rng(1).permutation(100)
    with sill.Dataset(tmp_path / "u.nc", "w", dims={"time": None, "node": 100}) as d:
        d.createVariable("u", "f8", ("time", "node"))
        d["u"][0, numbers] = numbers * 2.0
        d.sync()
        d.write_step({"u": [(numbers[:30], numbers[:30] * 3.0), (numbers[30:], numbers[30:] * 3.0)]})
    with netCDF4.Dataset(tmp_path / "u.nc") as n:
        assert (n["u"][1] == numpy.arange(100) * 3).all()
    with sill.Dataset(tmp_path / "u.nc") as d:
        assert d["u"][0, [5, -1]].tolist() == [10, 198]
        with pytest.raises(sill.UsageError, match="100"):
            d["u"][0, [100]]


def test_a_repeated_element_of_a_checkpoint_is_refused(tmp_path):
    """It would be twice in the checksums."""
    with sill.Dataset(tmp_path / "state.checkpoint", "w", dims={"time": None, "x": 8}) as d:
        d.createVariable("u", "f4", ("time", "x"))
        d["u"][0] = numpy.arange(8)
        d.sync()
        d["u"][1] = numpy.arange(8)
        with pytest.raises(sill.UsageError, match="elements of variable u are passed more than once"):
            d["u"][1, :1] = numpy.zeros(1)
        d["u"][1] = numpy.arange(8) + 1  # the step is written again
    with sill.Dataset(tmp_path / "state.checkpoint") as d:
        numpy.testing.assert_array_equal(d["u"][:], [numpy.arange(8) + 1])


def test_a_checkpoint_without_its_ending(tmp_path):
    for step in range(2):
        with new(tmp_path / "state", "a" if step else "w", container="checkpoint") as d:
            d.write_step({"u": U[step]})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["state.0.nc", "state.1.nc"]
    with sill.Dataset(tmp_path / "state") as d:
        numpy.testing.assert_array_equal(d["u"][-1], U[1])
    write(tmp_path / "state", container="vti")  # which has the name, then
    with sill.Dataset(tmp_path / "state") as d:
        assert len(d["u"]) == 5
    with pytest.raises(FileNotFoundError):
        sill.Dataset(tmp_path / "other")


def test_append_own_steps_and_checkpoints(tmp_path):
    path = write(tmp_path / "u.nc", align=4096)
    with sill.Dataset(path, "a", first_step=3) as d:
        assert d.steps == 3
        d["u"][3] = U[0]
        d["u"].peak = 23.0
        d.sync()
        assert d.steps == 4
        d.write_own(1, {"u": (numpy.s_[2, :2], [-1, -2])})
    with netCDF4.Dataset(path) as n:
        assert n["u"].shape == (4, NY, NX)
        assert n["u"][1, 2, :3].tolist() == [-1, -2, U[1, 2, 2]]
        assert n["u"].peak == 23
        numpy.testing.assert_array_equal(n["u"][3], U[0])
    for run in range(2):
        with new(tmp_path / "state.checkpoint", "a") as d:
            with pytest.raises(sill.UsageError, match="begin"):
                assert d.steps
            d.begin()
            assert d.steps == run
            d.write_step({"u": U[run]})
    with sill.Dataset(tmp_path / "state.checkpoint") as d:
        numpy.testing.assert_array_equal(d["u"][-1], U[1])


@pytest.mark.parametrize(
    ("assign", "problem"),
    [
        (lambda d: d["u"].__setitem__(0, numpy.zeros((NX, NY))), r"shape \(4, 6\) for \(6, 4\)"),
        (lambda d: d["u"].__setitem__(0, numpy.zeros(NX)), "shape"),
        (lambda d: d["u"].__setitem__((0, slice(0, 7)), numpy.zeros((7, NX))), "shape"),
        (lambda d: d["u"].__setitem__(0, numpy.ma.masked_equal(U[0], 3)), "masked"),
        (lambda d: d["u"].__setitem__(0, U[0] > 2), "type bool"),
        (lambda d: d["u"].__setitem__(0, U[0] * 1j), "type complex64"),
        (lambda d: d["u"].__setitem__(0, U[0].astype("f2")), "type float16"),
        (lambda d: d["u"].__setitem__(0, "text"), "type"),
        (lambda d: d["u"].__setitem__(0, U[0].astype("f8") * 1e300), "e\\+30[01]"),
        (lambda d: d["u"].__setitem__(1, U[0]), "step 1 is written, but the next one is 0"),
        (lambda d: d["u"].__setitem__(slice(0, 5), U), "several steps"),
        (lambda d: d["u"].__setitem__((0, slice(0, 4, 2)), U[0, ::2]), "stride"),
        (lambda d: d["u"].__setitem__((0, 6), U[0, 0]), "index 6 of 6"),
        (lambda d: d["u"].__setitem__((0, 1, 2, 3), 0), "4 entries for 3"),
        (lambda d: d["u"].__setitem__((0, [1, 2]), U[0, :2]), "must not contain an array"),
        (lambda d: d.write_step({"u": [((0,), U[0, 0]), ((0,), U[0, 0])]}), "same byte"),
        (lambda d: d.write_steps(2, {"u": U[:3]}), "for 2 steps"),
        (lambda d: d.write_step({"v": U[0]}), "no variable v"),
        (lambda d: d.write_own(0, {"u": U[0]}), "step"),
        (lambda d: d["u"][0], "open for writing"),
        (lambda d: (d["u"].__setitem__((0, 0), U[0, 0]), d.write_step({"u": U[1]})), "step 0 was begun by other calls"),
        (lambda d: d.createDimension("z", 3), "described"),
        (lambda d: d["u"].setncattr("flag", True), "values of type bool"),
        (lambda d: d.setncattr("names", ["a", "b"]), "values of type <U1"),
    ],
)  # fmt: skip
def test_what_is_refused_can_be_done_again(tmp_path, assign, problem):
    with new(tmp_path / "u.nc") as d:
        d.begin()
        with pytest.raises(sill.UsageError, match=problem):
            assign(d)
        begun = 1 if "begun" in problem else 0  # rows of step 0
        d["u"][0, begun:] = U[0, begun:]
        for step in range(1, 5):
            d["u"][step] = U[step]
    assert (tmp_path / "u.nc").read_bytes() == write(tmp_path / "plain.nc").read_bytes()


def test_names_modes_and_options(tmp_path):
    path = write(tmp_path / "u.nc")
    with pytest.raises(sill.UsageError, match="exists"), new(path, "x") as d:
        d.begin()
    for options, problem in [
        ({"mode": "r+"}, "mode"), ({"format": "NETCDF4"}, "format"), ({"container": "zip"}, "containers are"),
        ({"policy": "fast"}, "fast"), ({"missing": "zero"}, "missing"), ({"memory": "1M"}, "memory is '1M'"),
        ({"threads": -1}, "threads"), ({"first_step": 1.5}, "first_step is 1.5"),
    ]:  # fmt: skip
        with pytest.raises(sill.UsageError, match=problem):
            new(tmp_path / "v.nc", **({"mode": "w"} | options))
    with pytest.raises(FileNotFoundError):
        sill.Dataset(tmp_path / "none.nc")
    for at in ("z", "time"):
        with pytest.raises(sill.UsageError, match=f"'{at}'"), new(tmp_path / "v.nc", at={at: slice(0, 3)}) as d:
            d["u"][0] = U[0]
        with pytest.raises(sill.UsageError, match=f"'{at}'"), sill.Dataset(path, at={at: slice(0, 3)}) as d:
            d["u"][0]
    for value in (2.5, 2**31, True):
        with pytest.raises(sill.UsageError, match="fill_value"):
            new(tmp_path / "v.nc").createVariable("v", "i4", ("x",), fill_value=value)
    with pytest.raises(sill.UsageError, match="f2|type"):
        new(tmp_path / "v.nc").createVariable("v", "f2", ("x",))
    with sill.Dataset(path) as d:
        with pytest.raises(KeyError, match="no variable uu") as caught:
            d["uu"]
        assert "u" in caught.value.action
        with pytest.raises(AttributeError, match="units"):
            assert d["u"].unit
        with pytest.raises(sill.UsageError, match="open for reading"):
            d["u"][0] = U[0]
        with pytest.raises(sill.UsageError, match="step 5 of 5"):
            d["u"][5]
    with pytest.raises(sill.UsageError, match="closed"):
        d["u"][0]


@pytest.mark.parametrize("ending", ["nc", "h5", "nc4", "zarr"])
@pytest.mark.parametrize("steps", [{}, {"steps": 3}])
def test_a_fill_value_has_the_type_of_its_variable(tmp_path, ending, steps):
    path = tmp_path / f"a.{ending}"
    options = steps if ending in ("h5", "nc4") else {}
    wrong = [("f4", 1e300), ("i4", 2.5), ("i2", 1e9), ("u1", -1), ("u1", 300), ("u8", -5), ("i4", 2**40), ("i4", numpy.nan),
             ("f4", "x"), ("i4", [1, 2]), ("f8", 2**53 + 1), ("f4", [])]  # fmt: skip
    for kind, value in wrong:
        with pytest.raises(sill.UsageError, match=f"variable u: its attribute _FillValue is .* of type {kind}"):
            with sill.Dataset(path, "w", dims={"time": None, "x": 4}, **options) as d:
                d.createVariable("u", kind, ("time", "x"))._FillValue = value
                d.begin()
        with sill.Dataset(path, "w", dims={"time": None, "x": 4}, **options) as d:
            u = d.createVariable("u", kind, ("time", "x"))
            d.begin()
            with pytest.raises(sill.UsageError, match=f"variable u: its attribute _FillValue is .* of type {kind}"):
                u._FillValue = value
            d.write_step({"u": numpy.ones(4)})
    right = {"f4": 0.1, "f8": 5, "i4": 7.0, "u1": 255, "i1": -1, "i2": numpy.float32(-9), "u8": 2**63}
    for mode in ("w", "a"):  # an appending run describes the same
        with sill.Dataset(path, mode, dims={"time": None, "x": 4}, **options) as d:
            for kind, value in right.items():
                d.createVariable(kind, kind, ("time", "x"), attributes={"_FillValue": value})
            d.write_step({kind: ((slice(0, 2),), numpy.array([1, 2])) for kind in right})
    with sill.Dataset(path) as d:
        for kind, value in right.items():
            assert d[kind]._FillValue.dtype == kind
            assert d[kind][...].tolist() == [[1, 2, *[numpy.dtype(kind).type(value)] * 2]] * 2
    if ending == "zarr":
        group = pytest.importorskip("zarr").open_group(path, mode="r")
        assert [group[kind].fill_value == numpy.dtype(kind).type(value) for kind, value in right.items()] == [True] * len(right)
        return
    with netCDF4.Dataset(path) as file:
        for kind in right if ending != "h5" else ():
            assert file[kind][1].mask.tolist() == [False, False, True, True]


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "u8"])
def test_index_arrays_of_small_types(tmp_path, kind):
    numbers = numpy.array([1, 120 if kind == "i1" else 200, 7, 2 if kind[0] == "u" else -300], kind if kind != "i1" else "i2")
    numbers = numpy.array([1, 120, 7, -100], kind) if kind == "i1" else numbers
    with sill.Dataset(tmp_path / "a.nc", "w", dims={"x": 300}) as d:
        d.createVariable("u", "f4", ("x",))[numbers] = numpy.arange(1.0, 5)
    with sill.Dataset(tmp_path / "a.nc") as d:
        assert d["u"][numbers].tolist() == d["u"][...][numbers].tolist() == [1, 2, 3, 4]


def test_wrong_arrays_name_their_variable_and_attribute(tmp_path):
    with sill.Dataset(tmp_path / "a.nc", "w", dims={"x": 3}) as d:
        d.createVariable("u", "f4", ("x",))
        for wrong in ((0, numpy.zeros(3), 3), (), [[1, 2], [3]]):
            with pytest.raises(sill.UsageError, match="variable u: (?s:.)*to do:  pass an array"):
                d.write({"u": wrong})
        with pytest.raises(sill.UsageError, match="variable 3: (?s:.)*to do:  name a variable by a str"):
            d.write({3: 1})
        with pytest.raises(sill.UsageError, match="attribute k: values of type float16"):
            d["u"].k = numpy.float16(1)
        d.write({"u": numpy.zeros(3)})


def test_the_containers_that_describe_themselves_are_named_where_it_matters(tmp_path):
    for name in ("a.nc", "a.vti"):
        with sill.Dataset(tmp_path / name, "w", dims={"time": None, "z": 2, "y": 2, "x": 2}) as d:
            d.createVariable("u", "f4", ("time", "z", "y", "x"))
            d.write_step({"u": numpy.zeros((2, 2, 2))})
        with pytest.raises(sill.UsageError, match="continue at step 1 or earlier") as caught:
            sill.Dataset(tmp_path / name, "a", first_step=9)
        assert ("only netCDF, HDF5 and Zarr" in str(caught.value)) == (name == "a.vti")


@pytest.mark.parametrize("name", ["a.vtkhdf", "a.vti"])
def test_an_image_has_no_coordinates_of_points(tmp_path, name):
    options = {"steps": 1} if name == "a.vtkhdf" else {}
    d = sill.Dataset(tmp_path / name, "w", dims={"time": None, "y": 3, "x": 4}, **options)
    d.createVariable("xx", "f4", ("y", "x"), attributes={"axis": "X"})
    d.createVariable("u", "f4", ("time", "y", "x"), attributes={"coordinates": "xx"})
    with pytest.raises(sill.UsageError, match="coordinate xx has the dimensions y x x, but image data have coordinates of"):
        d.begin()


@pytest.mark.parametrize("ending", ["nc", "nc4", "h5", "zarr"])
def test_names_that_netcdf_would_not_find_are_refused(tmp_path, ending):
    composed, apart, alone = "\u00e9", "e\u0301", "x\u0302"  # no character is x with a circumflex
    needs_composed = ending in ("nc", "nc4")
    path = tmp_path / f"a.{ending}"

    def refused(change):
        try:
            with sill.Dataset(path, "w", dims={"x": 2}) as d:
                d.createVariable("u", "f4", ("x",), attributes={composed: 1, alone: 2})
                change(d)
                d["u"][...] = numpy.ones(2)
        except sill.UsageError as error:
            assert "U+0301" in str(error) and "NFC" in str(error)
            return True
        return False

    changes = (
        lambda d: d.createDimension(apart, 3),
        lambda d: d.createVariable(apart, "f4", ()),
        lambda d: d.setncattr(apart, 1),
        lambda d: d["u"].setncattr(apart, 1),
        lambda d: (d.begin(), d["u"].setncattr(apart, 1)),
    )
    for change in changes:
        assert refused(change) == needs_composed
    assert not refused(lambda d: None)
    if needs_composed:
        with netCDF4.Dataset(path) as file:
            assert (file["u"].getncattr(composed), file["u"].getncattr(alone)) == (1, 2)


def test_attributes_with_any_name(tmp_path):
    with new(tmp_path / "u.nc") as d:
        d["u"]._Unsigned = "true"
        with pytest.raises(sill.UsageError, match="setncattr"):
            d.report = "x"
        d.setncattr("report", "x")
        with pytest.raises(sill.UsageError, match="fill_value"):
            d.createVariable("wrong", "f4", ("x",), fill_value=1e300)
        d["u"][0] = U[0]
    with netCDF4.Dataset(tmp_path / "u.nc") as file:
        assert file["u"].getncattr("_Unsigned") == "true" and file.getncattr("report") == "x"


def test_an_exception_completes_nothing(tmp_path):
    path = tmp_path / "u.nc"
    with pytest.raises(ZeroDivisionError), new(path) as d:
        d["u"][0] = U[0]
        d["u"][1, :3] = U[1, :3]
        1 / 0  # noqa: B018
    assert not d.isopen()
    with netCDF4.Dataset(path) as n:
        assert n["u"].shape[0] == 1
    write(path)  # the lock is released


def test_a_dataset_that_is_not_closed(tmp_path):
    d = new(tmp_path / "u.nc")
    d["u"][0] = U[0]
    u = d["u"]
    del d
    with pytest.warns(ResourceWarning, match="was not closed"):
        del u
        gc.collect()
    write(tmp_path / "u.nc")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        d = sill.Dataset(tmp_path / "u.nc")
        del d
        gc.collect()


def test_a_missing_end_is_filled_if_asked(tmp_path):
    path = write(tmp_path / "u.nc")
    os.truncate(path, path.stat().st_size - 8)
    with sill.Dataset(path) as d, pytest.raises(sill.InputError, match="ends"):
        d["u"][4]
    with sill.Dataset(path, missing="fill") as d:
        assert d["u"][4, -1, -1] == netCDF4.default_fillvals["f4"]


def test_reports(tmp_path):
    with new(tmp_path / "u.nc", report=str(tmp_path / "cost.html"), policy="direct") as d:
        d["u"][0] = U[0]
    assert "<html" in (tmp_path / "cost.html").read_text()
    report = d.report()
    assert report["ranks"] == 1
    assert report["outputs"]["arrays"]["bytes_written"] >= U[0].nbytes


def test_threads_and_forks(tmp_path):
    path = write(tmp_path / "u.nc")
    d = sill.Dataset(path)
    read = [None] * 4
    threads = [threading.Thread(target=lambda i=i: read.__setitem__(i, [d["u"][s] for s in range(5)])) for i in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for each in read:
        numpy.testing.assert_array_equal(each, U)
    w = new(tmp_path / "w.nc", policy="staged,async=2")
    w["u"][0] = U[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
        if child == 0:
            try:
                w["u"][1] = U[1]
            except sill.UsageError:
                del w, d
                gc.collect()
                os._exit(0)
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    for step in range(1, 5):
        w["u"][step] = U[step]
    w.close()
    assert (tmp_path / "w.nc").read_bytes() == path.read_bytes()


# On several ranks.


def launch(ranks, *arguments, timeout=300):
    """Runs Python on several ranks, or skips the test."""
    pytest.importorskip("mpi4py")
    given = os.environ.get("SILL_MPIEXEC", "").split()
    command = given or [shutil.which(f"mpirun.{sill.mpi}") or shutil.which("mpirun")]
    if command[0] in (None, "none"):
        pytest.skip("no launcher of MPI")
    if sill.mpi == "openmpi" and not given:
        command.append("--oversubscribe")
    done = subprocess.run(
        [*command, "-n", str(ranks), sys.executable, "-m", "mpi4py", *map(str, arguments)],
        env=environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"),
        capture_output=True, text=True, check=False, timeout=timeout,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


needs_mpi = pytest.mark.skipif(sill.mpi == "none", reason="a build without MPI")


@needs_mpi
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_ranks(tmp_path, ranks):
    write(tmp_path / "alone.nc")
    for container in CONTAINERS:
        (tmp_path / container).mkdir()
        write(tmp_path / container / "u", container=container)
    assert f"all {ranks} ranks" in launch(ranks, HERE / "dataset_ranks.py", tmp_path)


@needs_mpi
def test_heat_in_a_plane_on_any_ranks(tmp_path):
    for ranks in (1, 3):
        launch(ranks, HERE.parents[1] / "examples" / "heat2d" / "heat2d.py", tmp_path / f"{ranks}.nc")
    assert (tmp_path / "1.nc").read_bytes() == (tmp_path / "3.nc").read_bytes()
    with netCDF4.Dataset(tmp_path / "1.nc") as n:
        assert n["time"][:].tolist() == [5, 10, 15, 20]
        numpy.testing.assert_allclose(n["temperature"][:].sum(axis=(1, 2)), 1000, rtol=1e-5)


@pytest.mark.skipif(sill.mpi != "openmpi", reason="needs Open MPI and MPICH")
def test_another_mpi_is_refused(tmp_path):
    pytest.importorskip("mpi4py")
    found = sorted(Path("/usr/lib").glob("*/libmpich.so.12"))
    if not found:
        pytest.skip("no MPICH")
    (tmp_path / "libmpi.so.12").symlink_to(found[0])
    code = "import sill, sys\nfrom mpi4py import MPI\nsill.Dataset(sys.argv[1], 'w', comm=MPI.COMM_WORLD)"
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "u.nc"], capture_output=True, text=True, check=False, timeout=120,
        env=environment(LD_LIBRARY_PATH=str(tmp_path), MPI4PY_MPIABI="mpich"),
    )  # fmt: skip
    assert "sill.errors.UsageError: mpi4py uses another MPI library (MPICH" in done.stderr
    assert "SILL_MPI=any pip install ." in done.stderr


@pytest.mark.parametrize("ending", ["nc", "h5", "nc4"])
def test_a_file_that_takes_the_name_of_an_open_one_remains(tmp_path, ending):
    live, other = tmp_path / f"live.{ending}", tmp_path / f"other.{ending}"
    content = bytes(range(256)) * 4096
    other.write_bytes(content)
    with pytest.raises(sill.IoError, match="removed while it was written"):
        with sill.Dataset(live, "w", dims={"time": None, "x": 4}) as d:
            d.createVariable("u", "f4", ("time", "x"))
            for step in range(3):
                d["u"][step] = [step] * 4
            d.sync()
            os.replace(other, live)
    assert live.read_bytes() == content


def test_a_bool_is_no_step_and_masks_in_lists_are_refused(tmp_path):
    with sill.Dataset(tmp_path / "a.nc", "w", dims={"time": None, "x": 4}) as d:
        d.createVariable("u", "f4", ("time", "x"))
        d["u"][0], d["u"][1] = 1, 2
        for wrong in ([numpy.ma.masked, 1, 2, 3], list(numpy.ma.masked_equal([1, 2, 3, 4], 2))):
            with pytest.raises(TypeError, match="masked"):
                d["u"][2] = wrong
        with pytest.raises(TypeError, match="masked"):
            d.setncattr("a", numpy.ma.masked_equal([1, 2], 2))
    with sill.Dataset(tmp_path / "a.nc") as d, pytest.raises(TypeError, match="bool"):
        d["u"][True]


@pytest.mark.parametrize("ending", ["nc", "vti", "raw", "plt", "checkpoint"])
def test_a_file_is_continued_without_its_description_or_asks_for_it(tmp_path, ending):
    lengths, path = {"time": None, "z": 2, "y": 3, "x": 4}, tmp_path / f"a.{ending}"

    def describe(d):
        d.createVariable("u", "f4", tuple(lengths))

    with sill.Dataset(path, "w", dims=lengths) as d:
        describe(d)
        d["u"][0] = 1
    if ending != "nc":
        with pytest.raises(sill.UsageError, match="without dims="):
            sill.Dataset(path, "a")
    with sill.Dataset(path, "a", dims=None if ending == "nc" else lengths) as d:
        if ending != "nc":
            describe(d)
        d["u"][1] = 2
    with sill.Dataset(path) as d:
        assert d.steps == (1 if ending == "checkpoint" else 2)


@pytest.mark.parametrize("value", [numpy.eye(2), [[1, 2], [3, 4]], numpy.longdouble(1.5)])
@pytest.mark.parametrize("ending", ["nc", "zarr"])
def test_attributes_that_no_file_can_hold_are_refused(tmp_path, ending, value):
    with sill.Dataset(tmp_path / f"a.{ending}", "w", dims={"x": 2}) as d:
        d.createVariable("v", "f4", ("x",))
        with pytest.raises(sill.UsageError, match="attribute k: "):
            d.setncattr("k", value)
        d["v"][...] = 1
