"""Containers beside netCDF: what VTK reads of Sill's files, what Sill reads of VTK's, and the way back to netCDF."""

import netCDF4
import numpy
import pytest

pytest.importorskip("vtkmodules")
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkDoubleArray
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOImage import vtkMetaImageReader, vtkMetaImageWriter
from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLImageDataWriter

NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
SHAPE = (3, 4, 5)
TIMES = [0.25, 0.5, 4.0]


def value(kind, step):
    return (numpy.arange(60).reshape(SHAPE) + 3 * step).astype(kind)


@pytest.fixture
def fields(tmp_path):
    """A netCDF file with every type of number, vectors, a profile, times and attributes."""

    def make(types=NUMBERS):
        path = tmp_path / "a.nc"
        with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
            for name, length in [("time", None), ("z", 3), ("y", 4), ("x", 5), ("c", 3)]:
                file.createDimension(name, length)
            file.title = 'quotes " & <tags>\nlines'
            file.origin = numpy.array([1.5, 2, 3])
            file.spacing = numpy.array([10, 20, 0.1])
            file.createVariable("time", "f8", ("time",)).units = "s"
            file.createVariable("depth", "f4", ("z",))[:] = [0, 1, 4]
            file.createVariable("still", "f8", ("z", "y", "x"))[:] = value("f8", 7)
            file.createVariable("velocity", "f4", ("time", "z", "y", "x", "c"))
            for kind in types:
                file.createVariable(kind, kind, ("time", "z", "y", "x")).valid_range = numpy.array([1, 99], kind)
            for step, time in enumerate(TIMES):
                file["time"][step] = time
                file["velocity"][step] = velocity(step)
                for kind in types:
                    file[kind][step] = value(kind, step)
        return path

    return make


def copied(sill, path, to):
    """The file as Sill writes it."""
    sill.run("arrays", "copy", path, "-o", to, "--cdf-version", 5)
    return to


def velocity(step):
    return (numpy.arange(180).reshape(*SHAPE, 3) / 4 + step).astype("f4")


def points_of(image, name):
    array = vtk_to_numpy(image.GetPointData().GetArray(name))
    return array.reshape(*reversed(image.GetDimensions()), *array.shape[1:])


def read_vti(path):
    reader = vtkXMLImageDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


def has_grid(image):
    numpy.testing.assert_allclose(image.GetOrigin(), (3, 2, 1.5))
    numpy.testing.assert_allclose(image.GetSpacing(), (0.1, 20, 10))
    return image.GetDimensions() == (5, 4, 3)


@pytest.mark.parametrize("ranks", [None, 2, pytest.param(3, marks=pytest.mark.nightly)])
def test_vtk_reads_the_image_data_and_the_way_back_is_equal(sill, tmp_path, fields, ranks):
    a = fields()
    sill.run("arrays", "copy", a, "-o", tmp_path / "b.vti", "--field-data", ranks=ranks)
    for step, time in enumerate(TIMES):
        image = read_vti(tmp_path / f"b.00000{step}.vti")
        assert has_grid(image)
        for kind in NUMBERS:
            assert points_of(image, kind).dtype.str[1:] == kind
            numpy.testing.assert_array_equal(points_of(image, kind), value(kind, step))
        numpy.testing.assert_array_equal(points_of(image, "velocity"), velocity(step))
        assert image.GetFieldData().GetArray("time").GetValue(0) == time
    still = read_vti(tmp_path / "b.vti")
    assert has_grid(still)
    numpy.testing.assert_array_equal(points_of(still, "still"), value("f8", 7))
    numpy.testing.assert_array_equal(vtk_to_numpy(still.GetFieldData().GetArray("depth")), [0, 1, 4])
    pvd = (tmp_path / "b.pvd").read_text()
    assert [f'timestep="{time:g}" file="b.00000{step}.vti"' in pvd for step, time in enumerate(TIMES)] == 3 * [True]
    sill.run("arrays", "copy", tmp_path / "b.vti", "-o", tmp_path / "c.nc", "--cdf-version", 5, ranks=ranks)
    assert "equal: 14 variables" in sill.run("arrays", "compare", a, tmp_path / "c.nc").out
    assert (tmp_path / "c.nc").read_bytes() == copied(sill, a, tmp_path / "d.nc").read_bytes()


@pytest.mark.parametrize("ranks", [None, 2])
def test_vtk_reads_xdmf_and_meta_images_and_the_way_back_is_equal(sill, tmp_path, fields, ranks):
    types = [kind for kind in NUMBERS if kind != "u8"]
    a = fields(types)
    sill.run("arrays", "copy", a, "-o", tmp_path / "b.mhd", ranks=ranks)
    reader = vtkXdmfReader()
    reader.SetFileName(str(tmp_path / "b.xdmf"))
    reader.UpdateInformation()
    information = reader.GetExecutive().GetOutputInformation(0)
    assert information.Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS()) == tuple(TIMES)
    for step, time in enumerate(TIMES):
        reader.UpdateTimeStep(time)
        image = reader.GetOutputDataObject(0)
        assert has_grid(image)
        for kind in types:
            numpy.testing.assert_array_equal(points_of(image, kind), value(kind, step))
            if kind == "i8":
                continue  # VTK's reader of MetaImage has no MET_LONG_LONG
            meta = vtkMetaImageReader()
            meta.SetFileName(str(tmp_path / f"b.{kind}.00000{step}.mhd"))
            meta.Update()
            assert has_grid(meta.GetOutput())
            numpy.testing.assert_array_equal(points_of(meta.GetOutput(), "MetaImage"), value(kind, step))
        numpy.testing.assert_array_equal(points_of(image, "velocity"), velocity(step))
        numpy.testing.assert_array_equal(points_of(image, "still"), value("f8", 7))
    raw = numpy.fromfile(tmp_path / "b.raw", "<f4", 3)
    numpy.testing.assert_array_equal(raw, [0, 1, 4])
    sill.run("arrays", "copy", tmp_path / "b.xdmf", "-o", tmp_path / "c.nc", "--cdf-version", 5, ranks=ranks)
    assert (tmp_path / "c.nc").read_bytes() == copied(sill, a, tmp_path / "d.nc").read_bytes()


def image_of(arrays):
    image = vtkImageData()
    image.SetDimensions(5, 4, 3)
    for name, values in arrays.items():
        array = numpy_to_vtk(values.reshape(60, -1) if values.ndim > 3 else values.ravel(), deep=True)
        array.SetName(name)
        image.GetPointData().AddArray(array)
    return image


@pytest.mark.parametrize("header", ["UInt32", "UInt64"])
@pytest.mark.parametrize("order", ["big", "little"])
def test_image_data_of_vtk_are_read(sill, tmp_path, header, order):
    arrays = {"p": value("f8", 0), "n": value("i2", 1), "v": velocity(2)}
    image = image_of(arrays)
    time = vtkDoubleArray()
    time.SetName("TimeValue")
    time.InsertNextValue(1.5)
    image.GetFieldData().AddArray(time)
    writer = vtkXMLImageDataWriter()
    writer.SetFileName(str(tmp_path / "a.vti"))
    writer.SetInputData(image)
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOff()
    writer.SetCompressorTypeToNone()
    getattr(writer, f"SetHeaderTypeTo{header}")()
    getattr(writer, f"SetByteOrderTo{order.capitalize()}Endian")()
    writer.Write()
    sill.run("arrays", "copy", tmp_path / "a.vti", "-o", tmp_path / "b.nc", ranks=2)
    with netCDF4.Dataset(tmp_path / "b.nc") as file:
        for name, values in arrays.items():
            numpy.testing.assert_array_equal(file[name][:], values)
        assert file["p"].dimensions == ("z", "y", "x")
        assert file["TimeValue"][:] == [1.5]
    for name, change, said in [
        ("compressed", lambda: writer.SetCompressorTypeToZLib(), "compressed"),
        ("ascii", lambda: writer.SetDataModeToAscii(), "no appended data"),
        ("base64", lambda: (writer.SetDataModeToAppended(), writer.EncodeAppendedDataOn()), "not in raw encoding"),
    ]:
        writer.SetCompressorTypeToNone()
        change()
        writer.SetFileName(str(tmp_path / f"{name}.vti"))
        writer.Write()
        assert said in sill.run("arrays", "info", tmp_path / f"{name}.vti", expect=3).err


@pytest.mark.parametrize("suffix", ["mhd", "mha"])
def test_meta_images_of_vtk_are_read(sill, tmp_path, suffix):
    writer = vtkMetaImageWriter()
    writer.SetInputData(image_of({"scalars": value("i2", 0)}))
    writer.GetInput().GetPointData().SetActiveScalars("scalars")
    writer.SetCompression(False)
    writer.SetFileName(str(tmp_path / f"a.{suffix}"))
    if suffix == "mhd":
        writer.SetRAWFileName(str(tmp_path / "a.raw"))
    writer.Write()
    sill.run("arrays", "copy", tmp_path / f"a.{suffix}", "-o", tmp_path / "b.nc")
    with netCDF4.Dataset(tmp_path / "b.nc") as file:
        numpy.testing.assert_array_equal(file["a"][:], value("i2", 0))


def test_cut_files_are_refused(sill, tmp_path, fields):
    a = fields(["f4"])
    for name, file in [("b.vti", "b.000001.vti"), ("c.xdmf", "c.000001.raw")]:
        sill.run("arrays", "copy", a, "-o", tmp_path / name, "--field-data")
        whole = (tmp_path / file).read_bytes()
        (tmp_path / file).write_bytes(whole[: len(whole) - 100])
        assert file in sill.run("arrays", "info", tmp_path / name, expect=3).err
        (tmp_path / file).unlink()
        assert file in sill.run("arrays", "info", tmp_path / name, expect=4).err


def test_existing_files_stay_unless_they_are_to_be_replaced(sill, tmp_path, fields):
    a = fields(["f4"])
    sill.run("arrays", "copy", a, "-o", tmp_path / "b.vti", "--field-data")
    refused = sill.run("arrays", "copy", a, "-o", tmp_path / "b.vti", "--field-data", expect=2).err
    assert "exists already" in refused and "--force" in refused
    sill.run("arrays", "copy", a, "-o", tmp_path / "b.vti", "--field-data", "--force", "--steps", 1)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.nc", "b.000000.vti", "b.pvd", "b.vti"]


@pytest.mark.parametrize("order", ["<", ">"])
def test_raw_bricks_are_described_where_they_lie(sill, tmp_path, order):
    bricks = [value("f4", step).astype(f"{order}f4") for step in range(4)]
    (tmp_path / "out").mkdir()
    for number in range(2):
        (tmp_path / "out" / f"brick{number}.bin").write_bytes(b"header" + bricks[2 * number].tobytes() + bricks[2 * number + 1].tobytes())
    files = [tmp_path / "out" / "brick0.bin", tmp_path / "out" / "brick1.bin"]
    options = ["--shape", "3,4,5", "--skip", 6, "--variable", "p", "--origin", "1.5,2,3", "--spacing", "10,20,0.1"]
    options += ["--big-endian"] if order == ">" else []
    sill.run("arrays", "describe", *files, "-o", tmp_path / "view.xdmf", *options)
    reader = vtkXdmfReader()
    reader.SetFileName(str(tmp_path / "view.xdmf"))
    reader.UpdateInformation()
    for step, brick in enumerate(bricks):
        reader.UpdateTimeStep(step)
        assert has_grid(reader.GetOutputDataObject(0))
        numpy.testing.assert_array_equal(points_of(reader.GetOutputDataObject(0), "p"), brick)
    sill.run("arrays", "copy", tmp_path / "view.xdmf", "-o", tmp_path / "b.nc", "--first-step", 1)
    with netCDF4.Dataset(tmp_path / "b.nc") as file:
        numpy.testing.assert_array_equal(file["p"][:], bricks[1:])
    refused = sill.run("arrays", "describe", files[0], "-o", tmp_path / "no.xdmf", "--shape", "3,4,7", expect=3)
    assert "not a multiple of the size of an array of 3 x 4 x 7 f4" in refused.err


def test_a_copy_does_not_replace_what_it_reads(sill, tmp_path, fields):
    a = fields(["f4"])
    for name in ("b.vti", "c.xdmf"):
        sill.run("arrays", "copy", a, "-o", tmp_path / name, "--field-data")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    jobs = [
        ("b.pvd", "b.vti"), ("b.vti", "b.pvd"), ("b.000001.vti", "b.vti"), ("b.pvd", "b.000000.vti"),
        ("c.xdmf", "c.mhd"), ("c.raw", "c.xdmf"), ("c.xdmf", "c.000001.raw"),
    ]  # fmt: skip
    for source, to in jobs:
        refused = sill.run("arrays", "copy", tmp_path / source, "-o", tmp_path / to, "--force", expect=2)
        assert "is also an input" in refused.err, (source, to)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("view", ["../view.xdmf", "out/../view.xdmf", "deep/view.xdmf", "view.xdmf"])
def test_what_is_described_is_named_from_the_folder_of_the_text(sill, tmp_path, view):
    work = tmp_path / "work"
    (work / "out").mkdir(parents=True)
    (work / "deep").mkdir()
    (work / "out" / "brick.bin").write_bytes(value("f4", 0).tobytes())
    sill.run("arrays", "describe", "out/brick.bin", "-o", view, "--shape", "3,4,5", cwd=work)
    sill.run("arrays", "copy", view, "-o", "b.nc", cwd=work)
    with netCDF4.Dataset(work / "b.nc") as file:
        numpy.testing.assert_array_equal(file["values"][:], value("f4", 0))


@pytest.mark.parametrize("name", ["b.vti", "b.mhd"])
def test_datasets_with_nothing_to_write_come_back(sill, tmp_path, name):
    for number, (steps, variables) in enumerate([(0, "uc"), (0, "u"), (2, "c"), (0, "")]):
        a, c = tmp_path / f"a{number}.nc", tmp_path / f"c{number}.nc"
        with netCDF4.Dataset(a, "w", format="NETCDF3_64BIT_OFFSET") as file:
            file.title = "few"
            file.createDimension("time", None)
            file.createDimension("x", 3)
            for each, dimensions in {"u": ("time", "x"), "c": ("x",)}.items():
                if each in variables:
                    file.createVariable(each, "f4", dimensions)
            if "c" in variables:
                file["c"][:] = [1, 2, 3]
        out = tmp_path / str(number)
        out.mkdir()
        sill.run("arrays", "copy", a, "-o", out / name, "--field-data")
        if variables != "c":  # the time of variables without steps is no list
            sill.run("arrays", "compare", a, out / name)
        sill.run("arrays", "copy", out / name, "-o", c)
        assert "equal" in sill.run("arrays", "compare", a, c).out


def test_files_of_steps_to_come_are_not_overwritten(sill, tmp_path, fields):
    a = fields(["f4"])
    for name, there in [("b.vti", "b.000001.vti"), ("c.mhd", "c.000002.raw"), ("d.mhd", "d.f4.000001.mhd")]:
        (tmp_path / there).write_text("precious")
        refused = sill.run("arrays", "copy", a, "-o", tmp_path / name, "--field-data", expect=2)
        assert there in refused.err and "exists already" in refused.err
        assert (tmp_path / there).read_text() == "precious"
    (tmp_path / "e.000001.vti").mkdir()
    sill.run("arrays", "copy", a, "-o", tmp_path / "e.vti", "--field-data", "--force", expect=(2, 4))
    assert (tmp_path / "e.000001.vti").is_dir()


def test_headers_of_a_replaced_dataset_are_gone(sill, tmp_path, fields):
    sill.run("arrays", "copy", fields(["f4", "i2"]), "-o", tmp_path / "b.mhd")
    assert (tmp_path / "b.i2.000000.mhd").exists()
    sill.run("arrays", "copy", fields(["f4", "i4"]), "-o", tmp_path / "b.raw", "--force", "--variables", "f4")
    assert not list(tmp_path.glob("b.*.mhd"))


@pytest.mark.parametrize(
    "options, said",
    [
        (["--shape", "-1,12,10"], "a dimension has length -1"),
        (["--shape", "3,4,5", "--spacing", "nan,1,1"], "do not describe a grid"),
        (["--shape", "3,4,5", "--spacing", "0,1,1"], "do not describe a grid"),
        (["--shape", "3,4,5", "--variable", "a b"], "contains a blank"),
        (["--shape", "1,1,1,1,1"], "has 5 dimensions"),
    ],
)
def test_what_cannot_be_described_is_refused(sill, tmp_path, options, said):
    (tmp_path / "brick.bin").write_bytes(value("f4", 0).tobytes())
    refused = sill.run("arrays", "describe", tmp_path / "brick.bin", "-o", tmp_path / "v.xdmf", *options, expect=2)
    assert said in refused.err
    assert not (tmp_path / "v.xdmf").exists()
    assert "its name has another ending" in sill.run("arrays", "describe", tmp_path / "brick.bin", "-o", tmp_path / "v.vti", "--shape", 60, expect=2).err


@pytest.mark.parametrize(
    "names",
    [
        ["depth(z)"],
        ["faces(zc,yc,x)"],
        ["vx(time,z,y,xs)", "vy(time,z,ys,x)"],
    ],
)
def test_vti_refuses_what_has_no_place_on_its_grid(sill, tmp_path, names):
    a = tmp_path / "a.nc"
    sizes = {"z": 3, "y": 4, "x": 5, "zc": 2, "yc": 3, "xc": 4, "xs": 6, "ys": 5}
    with netCDF4.Dataset(a, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("time", None)
        for name, length in sizes.items():
            file.createDimension(name, length)
        file.createVariable("time", "f8", ("time",))[:] = [1, 2]
        file.createVariable("p", "f4", ("time", "z", "y", "x"))[:] = 1
        for each in names:
            name, dimensions = each[:-1].split("(")
            dimensions = tuple(dimensions.split(","))
            file.createVariable(name, "f4", dimensions)
            shape = [2 if d == "time" else sizes[d] for d in dimensions]
            file[name][:] = numpy.arange(numpy.prod(shape)).reshape(shape)
    for ranks in (1, 2):
        refused = sill.run("arrays", "copy", a, "-o", tmp_path / "b.vti", expect=2, ranks=ranks).err
        assert ", ".join(each.split("(")[0] for each in names) in refused
        assert "z x y x x" in refused and "netCDF" in refused and "--field-data" in refused
    assert list(tmp_path.iterdir()) == [a]
    sill.run("arrays", "copy", a, "-o", tmp_path / "b.vti", "--field-data")
    sill.run("arrays", "copy", a, "-o", tmp_path / "p.vti", "--variables", "time,p")
    assert "equal" in sill.run("arrays", "compare", a, tmp_path / "b.vti").out


def test_lists_of_unlike_vti_files_are_refused(sill, tmp_path):
    """The first file says what it holds as NcML and a later one not, or with a scalar; and the other way round."""

    def image(path, name, components=1):
        made = vtkImageData()
        made.SetDimensions(5, 4, 3)
        array = numpy_to_vtk(numpy.zeros((60, components), "f4"), deep=True)
        array.SetName(name)
        made.GetPointData().AddArray(array)
        writer = vtkXMLImageDataWriter()
        writer.SetFileName(str(path))
        writer.SetInputData(made)
        writer.SetDataModeToAppended()
        writer.EncodeAppendedDataOff()
        writer.SetCompressorTypeToNone()
        writer.Write()

    image(tmp_path / "vtk.vti", "u")
    for number, (dimensions, shape) in enumerate([((), ()), (("x",), (5,)), (("z", "y", "x"), SHAPE)]):
        a = tmp_path / f"a{number}.nc"
        with netCDF4.Dataset(a, "w", format="NETCDF3_64BIT_OFFSET") as file:
            for name, length in zip("zyx", SHAPE):
                file.createDimension(name, length)
            file.createVariable("u", "f4", dimensions)[:] = numpy.ones(shape)
        sill.run("arrays", "copy", a, "-o", tmp_path / f"own{number}.vti", "--field-data")
        for files in ([f"own{number}.vti", "vtk.vti"], ["vtk.vti", f"own{number}.vti"]):
            listed = "".join(f'<DataSet timestep="{n}" file="{each}"/>' for n, each in enumerate(files))
            (tmp_path / "list.pvd").write_text(f'<VTKFile type="Collection"><Collection>{listed}</Collection></VTKFile>')
            refused = sill.run("arrays", "info", tmp_path / "list.pvd", expect=3)
            assert "differ from those of the first file of the list" in refused.err
