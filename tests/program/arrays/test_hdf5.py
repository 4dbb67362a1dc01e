"""HDF5 and netCDF-4: what h5py, netCDF4, xarray and the tools of both read of Sill's files, and what Sill reads of theirs."""

import json
import subprocess

import netCDF4
import numpy
import pytest
import xarray

h5py = pytest.importorskip("h5py")

NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
SHAPE = (3, 4, 5)
STEPS = 4


@pytest.fixture(autouse=True)
def hdf5(sill):
    if "built without HDF5" in sill.run("--version").out:
        pytest.skip("built without HDF5")


def value(kind, step):
    return (numpy.arange(60).reshape(SHAPE) + 3 * step).astype(kind)


@pytest.fixture
def fields(tmp_path):
    """A netCDF file with every type, a coordinate defined last, and a variable with the name of another's dimension."""
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        for name, length in [("time", None), ("z", 3), ("y", 4), ("x", 5), ("c", 2)]:
            file.createDimension(name, length)
        file.title = "waves"
        file.long = "a" * 70000
        file.createVariable("still", "f8", ("z", "y", "x"))[:] = value("f8", 7)
        file.createVariable("c", "i4", ("x",))[:] = numpy.arange(5)
        file.createVariable("single", "i4")[...] = 12
        file.createVariable("name", "S1", ("c",))[:] = numpy.frombuffer(b"uv", "S1")
        for kind in NUMBERS:
            file.createVariable(kind, kind, ("time", "z", "y", "x"), fill_value=99).valid_range = numpy.array([1, 90], kind)
        file.createVariable("time", "f8", ("time",)).units = "seconds since 2026-01-01"
        file.createVariable("z", "f4", ("z",))[:] = [0, 1, 4]
        for step in range(STEPS):
            file["time"][step] = step / 4
            for kind in NUMBERS:
                file[kind][step] = value(kind, step)
    return path


CHUNKED = ["--codec", "shuffle+deflate:4", "--codec", "f4=zstd", "--codec", "i8=none", "--chunks", "2x3x2"]


@pytest.mark.parametrize(("ranks", "chunked"), [*((ranks, []) for ranks in (None, 1, 2, 3, 4)), (None, CHUNKED), (3, CHUNKED)])
@pytest.mark.parametrize("ending", ["h5", "nc4"])
def test_bytes_do_not_depend_on_ranks_and_policies(sill, tmp_path, fields, ending, ranks, chunked):
    plain = tmp_path / f"plain.{ending}"
    sill.run("arrays", "copy", fields, "-o", plain, *chunked)
    policies = ["auto", "staged,async=2"] if chunked else ["auto", "direct", "elected", "aggregated", "staged,async=2"]
    for policy in policies if ranks != 1 else ["collective"]:
        copy = tmp_path / f"copy.{ending}"
        sill.run("arrays", "copy", fields, "-o", copy, "--policy", policy, *chunked, ranks=ranks)
        assert copy.read_bytes() == plain.read_bytes(), policy
    sill.run("arrays", "copy", plain, "-o", tmp_path / "back.nc", "--cdf-version", 5, ranks=ranks)
    sill.run("arrays", "copy", fields, "-o", tmp_path / "again.nc", "--cdf-version", 5)
    text = sill.run("arrays", "compare", fields, plain, ranks=ranks).out
    assert text.startswith("equal: 16 variables")
    if ending == "nc4":  # dimensions of HDF5 are found in the order of the variables
        assert (tmp_path / "back.nc").read_bytes() == (tmp_path / "again.nc").read_bytes()


@pytest.mark.parametrize("ending", ["h5", "nc4"])
@pytest.mark.parametrize("codec", ["", "shuffle+deflate:4"])
def test_h5py_reads_it(sill, tmp_path, fields, ending, codec):
    path = tmp_path / f"b.{ending}"
    sill.run("arrays", "copy", fields, "-o", path, *["--codec", codec] * bool(codec))
    with h5py.File(path) as file:
        assert codec or file["complete_steps"][()] == STEPS
        assert file.attrs["title"] == b"waves"
        assert len(file.attrs["long"]) == 70000
        for kind in NUMBERS:
            assert file[kind].dtype == f"<{kind}"
            assert file[kind].fillvalue == 99
            assert file[kind].attrs["valid_range"].tolist() == [1, 90]
            for step in range(STEPS):
                numpy.testing.assert_array_equal(file[kind][step], value(kind, step))
        assert file["single"][()] == 12
        assert file["name"][:].tolist() == [b"u", b"v"]
        if ending == "h5":
            assert [each.label for each in file["f4"].dims] == ["time", "z", "y", "x"]
            assert file["c"][:].tolist() == [0, 1, 2, 3, 4]
        else:
            assert [each[0].name for each in file["f4"].dims] == ["/time", "/z", "/y", "/x"]
            assert h5py.h5ds.is_attached(file["f4"].id, file["z"].id, 1)
            assert file["f4"].dims[1][0][:].tolist() == [0, 1, 4]
    header = subprocess.run(["h5dump", "-H", path], capture_output=True, text=True, check=True).stdout
    most = "H5S_UNLIMITED" if codec else 4
    assert 'DATASET "f8"' in header and f"DATASPACE  SIMPLE {{ ( 4, 3, 4, 5 ) / ( {most}, 3, 4, 5 ) }}" in header
    for tool in (["h5stat", path], ["h5debug", path], ["h5repack", "-L", path, tmp_path / "c"], ["h5diff", path, tmp_path / "c"]):
        subprocess.run(tool, capture_output=True, check=True)
    assert sill.run("arrays", "compare", fields, tmp_path / "c").out.startswith("equal: 16 variables")


@pytest.mark.parametrize("codec", ["", "shuffle+deflate:4"])
def test_netcdf4_xarray_and_ncdump_read_it(sill, tmp_path, fields, codec):
    path = tmp_path / "b.nc4"
    sill.run("arrays", "copy", fields, "-o", path, *["--codec", codec] * bool(codec))
    count = [] if codec else ["complete_steps"]
    with netCDF4.Dataset(path) as file, netCDF4.Dataset(fields) as old:
        assert file.data_model == "NETCDF4"
        assert {name: len(each) for name, each in file.dimensions.items()} == {"time": 4, "z": 3, "y": 4, "x": 5, "c": 2}
        assert list(file.variables) == [*old.variables, *count]
        assert file.dimensions["time"].isunlimited() == bool(codec)
        assert file.ncattrs() == old.ncattrs()
        for name, variable in old.variables.items():
            assert file[name].dimensions == variable.dimensions
            assert file[name].dtype == variable.dtype
            assert file[name].ncattrs() == variable.ncattrs()
            numpy.testing.assert_array_equal(file[name][:], variable[:])
    with xarray.open_dataset(path) as file, xarray.open_dataset(fields) as old:
        xarray.testing.assert_identical(file.drop_vars(count), old)
    text = subprocess.run(["ncdump", path], capture_output=True, text=True, check=True).stdout
    assert codec or "complete_steps = 4 ;" in text
    assert " z = 0, 1, 4 ;" in text
    kind = subprocess.run(["ncdump", "-k", path], capture_output=True, text=True, check=True).stdout
    assert kind == "netCDF-4\n"


@pytest.mark.parametrize("ranks", [None, 2])
def test_datasets_of_h5py_are_read(sill, tmp_path, ranks):
    wanted = {}
    with h5py.File(tmp_path / "a.h5", "w", userblock_size=512 if ranks else 0) as file:
        for order in "<>":
            for kind in NUMBERS:
                name = f"{kind}{'le' if order == '<' else 'be'}"
                wanted[name] = value(kind, 1)
                file.create_dataset(name, data=wanted[name].astype(order + kind))
        small = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        small.set_layout(h5py.h5d.COMPACT)
        wanted["compact"] = numpy.arange(6.0).reshape(2, 3) + 0.5
        compact = h5py.h5d.create(file.id, b"compact", h5py.h5t.IEEE_F64BE, h5py.h5s.create_simple((2, 3)), small)
        compact.write(h5py.h5s.ALL, h5py.h5s.ALL, wanted["compact"])
        file.create_dataset("unwritten", (3, 4), "f4", fillvalue=2.5)
        wanted["unwritten"] = numpy.full((3, 4), 2.5)
        wanted["grid/inner/x"] = file.create_dataset("grid/inner/x", data=numpy.arange(5))[:]
        file["truth"] = numpy.array([True, False, True])
        wanted["truth"] = numpy.array([1, 0, 1])
        file["words"] = numpy.array([b"ab", b"cde"])
        file["single"] = 7
        wanted["single"] = 7
        file["single"].attrs["units"] = "m"
        file["single"].attrs["list"] = numpy.array([1.5, 2], ">f8")
        wanted["chunked"] = numpy.arange(35, dtype=">i4").reshape(5, 7)
        file.create_dataset("chunked", data=wanted["chunked"], chunks=(2, 3))
        partial = file.create_dataset("partial", (6, 7), "f8", chunks=(4, 4), fillvalue=-1)
        partial[:2, :3] = 1
        wanted["partial"] = partial[:]
        file.create_dataset("packed", data=numpy.zeros(100), compression="lzf")
        file["names"] = ["a", "b"]
        file["complex"] = numpy.zeros(2, "c8")
        file["half"] = numpy.zeros(2, "f2")
        file["link"] = h5py.SoftLink("/single")
        file["empty"] = numpy.zeros((0, 3))
        file["grid"].attrs["a"] = 1
    listed = json.loads(sill.run("arrays", "info", tmp_path / "a.h5", "--json", ranks=ranks).out)
    assert {each["name"] for each in listed["variables"]} == {*wanted, "words"}
    findings = "\n".join(listed["findings"])
    for name in ["packed: its chunks have the filter 32000 (lzf)", "names", "complex", "half", "link", "empty", "group grid"]:
        assert name in findings
    single = next(each for each in listed["variables"] if each["name"] == "single")
    assert single["attributes"] == {"units": {"type": "text", "value": "m"}, "list": {"type": "f8", "value": [1.5, 2.0]}}
    sill.run("arrays", "copy", tmp_path / "a.h5", "-o", tmp_path / "b.h5", ranks=ranks)
    with h5py.File(tmp_path / "b.h5") as file:
        for name, values in wanted.items():
            numpy.testing.assert_array_equal(file[name][()], values, name)
        assert file["words"][:].tolist() == [[b"a", b"b", b""], [b"c", b"d", b"e"]]
    compared = sill.run("arrays", "compare", tmp_path / "a.h5", tmp_path / "b.h5", expect=1, ranks=ranks).out
    assert "not compared, of the first file: dataset packed" in compared
    assert "values differ" not in compared
    error = sill.run("arrays", "copy", tmp_path / "a.h5", "-o", tmp_path / "b.nc", expect=2, ranks=ranks).err
    assert "grid/inner/x is in a group" in error


@pytest.mark.parametrize("ranks", [None, 2])
def test_netcdf4_with_an_unlimited_dimension_is_read(sill, tmp_path, ranks):
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file, netCDF4.Dataset(tmp_path / "b.nc", "w", format="NETCDF3_CLASSIC") as old:
        for each in (file, old):
            each.createDimension("time")
            each.createDimension("y", 7)
            each.createDimension("x", 5)
            each.title = "é"
            chunks = {"chunksizes": (2, 3, 4)} if each is file else {}
            each.createVariable("u", "f4", ("time", "y", "x"), **chunks).units = "m"
            each.createVariable("time", "f8", ("time",))
            each.createVariable("x", "f8", ("x",))[:] = numpy.arange(5)
            for step in range(5):
                each["u"][step] = numpy.arange(35).reshape(7, 5) + step
                each["time"][step] = step
    text = sill.run("arrays", "info", tmp_path / "a.nc").out
    assert "netCDF-4, 5 complete steps" in text
    assert "time unlimited, 5 so far" in text
    assert sill.run("arrays", "compare", tmp_path / "a.nc", tmp_path / "b.nc", ranks=ranks).out == "equal: 3 variables, 185 values\n"


def test_damaged_files_are_refused(sill, tmp_path, fields):
    path = tmp_path / "b.h5"
    sill.run("arrays", "copy", fields, "-o", path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "truncated file" in sill.run("arrays", "info", path, expect=3).err
    path.write_bytes(bytes(8) + whole[8:])
    assert "completed no step" in sill.run("arrays", "info", path, expect=3).err


def test_the_library_is_the_one_of_the_headers(sill, tmp_path, fields):
    other = {"SILL_HDF5": "/usr/lib/x86_64-linux-gnu/libz.so.1"}
    assert "lacks the function" in sill.run("arrays", "copy", fields, "-o", tmp_path / "b.h5", env=other, expect=2).err
    missing = {"SILL_HDF5": "/nowhere/libhdf5.so"}
    assert "libhdf5-dev" in sill.run("arrays", "copy", fields, "-o", tmp_path / "b.h5", env=missing, expect=2).err
    assert not (tmp_path / "b.h5").exists()
    sill.run("arrays", "info", fields, env=missing)
