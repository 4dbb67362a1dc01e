"""Datasets in HDF5 and netCDF-4: steps that are counted last, runs that are killed, groups, and elements that lack."""

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy
import pytest
import sill
import xarray

h5py = pytest.importorskip("h5py")
HERE = Path(__file__).resolve().parent
NY, NX = 6, 4
U = numpy.arange(5 * NY * NX, dtype="f4").reshape(5, NY, NX)
ENDINGS = ["h5", "nc4"]


@pytest.fixture(autouse=True)
def with_hdf5(hdf5):
    """All tests here need it."""


def new(path, mode="w", steps=5, **options):
    d = sill.Dataset(path, mode, dims={"time": None, "y": NY, "x": NX}, steps=steps, **options)
    d.createVariable("u", "f4", ("time", "y", "x"), attributes={"units": "m"})
    d.createVariable("y", "f8", ("y",))
    return d


def write(path, first=0, last=5, kill=False, **options):
    with new(path, **options) as d:
        if first == 0:
            d["y"][:] = numpy.arange(NY)
        for step in range(first, last):
            d["u"][step] = U[step]
        if kill:
            d.sync()
            d.write({"u": U[last] + 1000})  # a step that is never complete
            os.kill(os.getpid(), signal.SIGKILL)
    return path


@pytest.mark.parametrize("policy", ["auto", "direct", "elected", "aggregated", "staged,async=2", "sync=close"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_policies_write_the_same_bytes(tmp_path, ending, policy):
    plain = write(tmp_path / f"plain.{ending}").read_bytes()
    assert write(tmp_path / f"u.{ending}", policy=policy).read_bytes() == plain
    with new(tmp_path / f"steps.{ending}", policy=policy, threads=2, memory=1 << 20) as d:
        d["y"][:] = numpy.arange(NY)
        d.write_steps(2, {"u": U[:2]})
        d.write_steps(3, {"u": [(numpy.s_[:2], U[2:, :2]), (numpy.s_[2:, :], U[2:, 2:])]})
    assert (tmp_path / f"steps.{ending}").read_bytes() == plain
    with sill.Dataset(tmp_path / f"u.{ending}") as d:
        assert d.steps == 5
        numpy.testing.assert_array_equal(d["u"][:], U)
        numpy.testing.assert_array_equal(d["u"][1:4, 2, -2:], U[1:4, 2, -2:])
        assert d["u"].units == "m"
        assert "complete_steps" not in d.variables


def killed(path, steps):
    """Writes so many steps, and a part of the next, in a process that is killed then."""
    code = f"import test_hdf5\ntest_hdf5.write({str(path)!r}, last={steps}, kill=True)"
    search = os.pathsep.join([str(Path(sill.__file__).parents[1]), str(HERE), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": search}, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_run_that_is_killed_in_its_first_step_leaves_no_dataset(tmp_path, ending):
    path = tmp_path / f"u.{ending}"
    killed(path, 0)
    with pytest.raises(sill.InputError, match="completed no step"):
        sill.Dataset(path)
    write(path, mode="a")
    assert path.read_bytes() == write(tmp_path / f"v.{ending}").read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_killed_run_leaves_all_complete_steps(tmp_path, ending):
    path = tmp_path / f"u.{ending}"
    killed(path, 3)
    with h5py.File(path) as file:
        assert file["complete_steps"][()] == 3
        assert file["u"].shape == (5, NY, NX)
        numpy.testing.assert_array_equal(file["u"][:3], U[:3])
        assert file["y"][:].tolist() == list(range(NY))
    with sill.Dataset(path) as d:
        assert d["u"].shape == (3, NY, NX)
        numpy.testing.assert_array_equal(d["u"][2], U[2])
    write(path, mode="a", first=3)
    assert path.read_bytes() == write(tmp_path / f"v.{ending}").read_bytes()
    with sill.Dataset(path, "a", first_step=1) as d:
        d["u"][1] = U[0]
        d.sync()
        assert d.steps == 2
        d.write_own(0, {"u": (numpy.s_[2, :2], [-1, -2])})
    with h5py.File(path) as file:
        assert file["complete_steps"][()] == 2
        assert file["u"][0, 2, :3].tolist() == [-1, -2, U[0, 2, 2]]
        numpy.testing.assert_array_equal(file["u"][1], U[0])


def test_the_number_of_steps_is_given_and_holds(tmp_path, monkeypatch):
    with pytest.raises(sill.UsageError, match="room for 4 steps"):
        write(tmp_path / "v.h5", steps=4)
    with pytest.raises(sill.UsageError, match="room for 4 steps, not for 6"):
        new(tmp_path / "v.h5", "a", steps=6).begin()
    monkeypatch.setenv("SILL_LAYOUT", "w:container=netcdf4,steps=7,align=4096")
    write(tmp_path / "w.nc", last=2, steps=None)
    with netCDF4.Dataset(tmp_path / "w.nc") as n:
        assert n.data_model == "NETCDF4"
        assert n["complete_steps"][...] == 2
        assert n["u"].shape == (7, NY, NX)
        numpy.testing.assert_array_equal(n["u"][:2], U[:2])
    with pytest.raises(sill.UsageError, match="steps `none`"):
        monkeypatch.setenv("SILL_LAYOUT", "steps=none")
        write(tmp_path / "x.nc")


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_elements_are_fill_values(tmp_path, ending):
    path = tmp_path / f"u.{ending}"
    with new(path, steps=2) as d:
        d.createVariable("n", "i2", ("time", "x"), fill_value=-5)
        d["u"][0, 2:4] = U[0, 2:4]
        d["n"][1, :2] = [1, 2]
        d.sync()
    if ending == "nc4":
        with xarray.open_dataset(path) as x:
            assert numpy.isnan(x.u.values).sum() == 2 * NY * NX - 2 * NX
            numpy.testing.assert_array_equal(x.u[0, 2:4], U[0, 2:4])
            assert numpy.isnan(x.n.values).sum() == 2 * NX - 2
    with h5py.File(path) as file:
        assert file["n"][:].tolist() == [[-5] * NX, [1, 2, -5, -5]]
        assert file["u"].fillvalue == file["u"][0, 0, 0] == file["u"].attrs["_FillValue"]
    with (
        new(tmp_path / f"v.{ending}", steps=1, fill=False) as d,
        pytest.raises(sill.UsageError, match="no rank wrote 12 of the 24"),
    ):
        d["y"][:] = 0
        d["u"][0, :3] = U[0, :3]
        d.close()


def test_groups_numbers_and_late_attributes(tmp_path):
    numbers = numpy.random.default_rng(1).permutation(100)
    with sill.Dataset(tmp_path / "u.h5", "w", dims={"time": None, "node": 100}, steps=2) as d:
        d.createVariable("grid/fine/u", "f8", ("time", "node"))
        d.createVariable("grid/n", "i4", ("node",))
        d["grid/n"][numbers] = numbers
        d["grid/fine/u"][0, numbers] = numbers * 2.0
        d.sync()
        with pytest.raises(sill.UsageError, match="before"):
            d["grid/n"].units = "1"
        d["grid/fine/u"][1] = numpy.arange(100) * 3.0
    with h5py.File(tmp_path / "u.h5") as file:
        assert list(file["grid"]) == ["fine", "n"]
        assert (file["grid/fine/u"][0] == numpy.arange(100) * 2).all()
        assert (file["grid/n"][:] == numpy.arange(100)).all()
    with sill.Dataset(tmp_path / "u.h5") as d:
        assert d["grid/fine/u"][1, [5, -1]].tolist() == [15, 297]
    for ending in ("nc", "nc4", "vti", "raw"):
        d = sill.Dataset(tmp_path / f"v.{ending}", "w", dims={"x": 2}, steps=1)
        d.createVariable("g/u", "f8", ("x",))
        with pytest.raises(sill.UsageError, match="group"):
            d.begin()


def test_bytes_do_not_depend_on_time(tmp_path):
    first = write(tmp_path / "a.nc4")
    os.utime(first, (0, 0))
    assert write(tmp_path / "b.nc4").read_bytes() == first.read_bytes()
    with h5py.File(first) as file:
        assert h5py.h5o.get_info(file["u"].id).mtime == 0


def test_a_dataset_without_steps(tmp_path):
    with sill.Dataset(tmp_path / "a.h5", "w", dims={"x": 3}) as d:
        d.createVariable("x", "f4", ("x",))[:] = [1, 2, 3]
    with h5py.File(tmp_path / "a.h5") as file:
        assert list(file) == ["x"]
        assert file["x"][:].tolist() == [1, 2, 3]
    with sill.Dataset(tmp_path / "a.h5") as d:
        assert d["x"][:].tolist() == [1, 2, 3]


def test_what_is_not_read_is_said(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["u"] = numpy.arange(3)
        file.create_dataset("packed", data=numpy.zeros(100), compression="lzf")
    with pytest.warns(UserWarning, match="without dataset packed: its chunks have the filter 32000 .lzf"):
        d = sill.Dataset(tmp_path / "a.h5")
    assert list(d.variables) == ["u"]
    d.close()


def test_elements_in_other_files_are_said_to_be_there(tmp_path):
    with h5py.File(tmp_path / "e.h5", "w") as file:
        file.create_dataset("here", data=numpy.arange(4))
        file.create_dataset("u", shape=(4,), dtype="f4", external=str(tmp_path / "u.raw"))[:] = 1
    with pytest.warns(UserWarning, match="without dataset u: its elements are in other files"):
        assert list(sill.Dataset(tmp_path / "e.h5").variables) == ["here"]


def test_elements_of_chunks_are_read_as_boxes(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        values = file.create_dataset("u", data=numpy.arange(5 * 7 * 9).reshape(5, 7, 9), chunks=(2, 3, 4), maxshape=(None, 7, 9))[
            :
        ]
        file.create_dataset("v", data=numpy.arange(100), chunks=(7,))
    with sill.Dataset(tmp_path / "a.h5") as d:
        assert d.steps == 5
        for step in range(5):
            numpy.testing.assert_array_equal(d["u"][step, 1:7, 3:9], values[step, 1:7, 3:9])
        strided = numpy.zeros((7, 9, 2), "f8", order="F")
        d.read_step(3, {"u": strided[:, :, 1]})
        numpy.testing.assert_array_equal(strided[:, :, 1], values[3])
        assert d["v"][13:45].tolist() == list(range(13, 45))
        assert d["v"][[30, 1]].tolist() == [30, 1]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    "filters",
    [
        {"compression": "gzip"},
        {"compression": "gzip", "shuffle": True},
        {"shuffle": True, "fletcher32": True},
        {"compression": "gzip", "compression_opts": 9, "shuffle": True, "fletcher32": True},
    ],
)
def test_compressed_datasets_of_h5py(tmp_path, order, filters):
    rng = numpy.random.default_rng(5)
    u = rng.normal(size=(6, 50, 70)).astype(order + "f4")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("u", data=u, chunks=(2, 16, 70), **filters)
        file.create_dataset("n", data=numpy.arange(1000, dtype=order + "i8"), chunks=(7,), **filters)
        part = file.create_dataset("part", (40, 40), order + "i2", chunks=(16, 16), fillvalue=-3, **filters)
        part[:20, 5] = 9
        file.create_dataset("unwritten", (3000, 400), "f8", fillvalue=2.5)
        expected = {name: file[name][()] for name in file}
    with sill.Dataset(tmp_path / "a.h5") as d:
        for name, values in expected.items():
            assert numpy.array_equal(d[name][...], values), name
        assert numpy.array_equal(d["u"][3:5, 10:33, 60:], u[3:5, 10:33, 60:])
        assert d["n"][[999, 0, 13]].tolist() == [999, 0, 13]


def test_compressed_netcdf4(tmp_path):
    with netCDF4.Dataset(tmp_path / "a.nc4", "w") as n:
        n.createDimension("time")
        n.createDimension("x", 100)
        v = n.createVariable("u", "f4", ("time", "x"), zlib=True, complevel=4, shuffle=True, fletcher32=True, chunksizes=(3, 33))
        z = n.createVariable("z", "f8", ("time", "x"), compression="zstd", complevel=3)
        v[:] = numpy.arange(700).reshape(7, 100)
        z[:] = numpy.arange(700).reshape(7, 100) / 8
    with sill.Dataset(tmp_path / "a.nc4") as d:
        assert d.steps == 7
        assert numpy.array_equal(d["u"][...], numpy.arange(700, dtype="f4").reshape(7, 100))
        assert numpy.array_equal(d["z"][2:5], numpy.arange(200, 500).reshape(3, 100) / 8)


def test_a_variable_of_netcdf4_that_is_shorter_than_its_dimension_ends_in_fill_values(tmp_path):
    with netCDF4.Dataset(tmp_path / "a.nc4", "w") as n:
        n.createDimension("time")
        n.createDimension("x", 3)
        n.createVariable("time", "f8", ("time",))[:] = [1, 2]
        n.createVariable("u", "f4", ("time", "x"))[:] = numpy.arange(21).reshape(7, 3)
        n.createVariable("w", "i4", ("time", "x"), zlib=True, chunksizes=(2, 2))[:5] = numpy.arange(15).reshape(5, 3)
    with sill.Dataset(tmp_path / "a.nc4") as d, netCDF4.Dataset(tmp_path / "a.nc4") as n:
        n.set_auto_mask(False)
        assert d.steps == 7
        for name in ("time", "u", "w"):
            assert d[name].dimensions == n[name].dimensions
            assert numpy.array_equal(d[name][...], n[name][...])


def test_variables_of_netcdf4_that_are_shorter_in_any_dimension_end_in_fill_values(tmp_path):
    with netCDF4.Dataset(tmp_path / "a.nc4", "w") as n:
        for name in ("time", "n"):
            n.createDimension(name)
        n.createDimension("x", 3)
        n.createVariable("u", "f4", ("time", "n"))[:] = numpy.arange(35).reshape(7, 5)
        n.createVariable("p", "i4", ("x", "n"), zlib=True, chunksizes=(1, 2))[:, :3] = numpy.arange(9).reshape(3, 3)
        n.createVariable("q", "f4", ("x", "n", "x"), chunksizes=(2, 1, 2))[:, :3, :] = numpy.arange(27).reshape(3, 3, 3)
        n.createVariable("r", "f4", ("time", "n"), chunksizes=(2, 2))[:3, :1] = [[1], [2], [3]]
        n.createVariable("empty", "f8", ("x", "n"), chunksizes=(2, 2))
    # netCDF 4.9 fills only the end of the array that it returns, so h5py is compared.
    lengths = {"time": 7, "n": 5, "x": 3}
    with sill.Dataset(tmp_path / "a.nc4") as d, netCDF4.Dataset(tmp_path / "a.nc4") as n, h5py.File(tmp_path / "a.nc4") as h:
        for name in n.variables:
            assert d[name].dimensions == n[name].dimensions
            expected = numpy.full([lengths[each] for each in n[name].dimensions], h[name].fillvalue)
            expected[tuple(slice(length) for length in h[name].shape)] = h[name][...]
            assert numpy.array_equal(d[name][...], expected)


def test_groups_of_netcdf4_with_dimensions_of_their_own(tmp_path):
    with netCDF4.Dataset(tmp_path / "a.nc4", "w") as n:
        n.createDimension("x", 3)
        n.createVariable("u", "f4", ("x",))[:] = [1, 2, 3]
        group = n.createGroup("fine")
        group.createDimension("x", 6)
        group.createVariable("x", "f8", ("x",))[:] = numpy.arange(6)
        group.createVariable("u", "f4", ("x",))[:] = numpy.arange(6)
    with sill.Dataset(tmp_path / "a.nc4") as d:
        assert d["u"][:].tolist() == [1, 2, 3]
        assert d["u"].dimensions == ("x",)
        assert d["fine/u"][:].tolist() == list(range(6))
        assert d["fine/u"].dimensions == d["fine/x"].dimensions == ("x_6",)


def test_names_that_arrays_cannot_have_leave_the_others_readable(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["u"] = numpy.arange(3)
        file["u"].attrs["m/s"] = 1.0
        file["u"].attrs["units"] = "m"
        file.attrs["a\tb"] = 2
        file["v "] = numpy.arange(3)
    with pytest.warns(UserWarning) as warnings:
        d = sill.Dataset(tmp_path / "a.h5")
    text = " ".join(str(each.message) for each in warnings)
    assert "attribute" in text and "m/s" in text and "v " in text
    with d:
        assert list(d.variables) == ["u"]
        assert d["u"][:].tolist() == [0, 1, 2]
        assert d["u"].units == "m"
        assert not hasattr(d["u"], "m/s")


def test_a_damaged_chunk_is_an_error(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        u = file.create_dataset("u", data=numpy.arange(1000.0), chunks=(100,), compression="gzip", fletcher32=True)
        place = u.id.get_chunk_info(3)
    data = bytearray((tmp_path / "a.h5").read_bytes())
    data[place.byte_offset + 10] ^= 4
    (tmp_path / "a.h5").write_bytes(data)
    with sill.Dataset(tmp_path / "a.h5") as d:
        assert d["u"][:300].tolist() == list(range(300))
        with pytest.raises(sill.InputError, match=r"chunk \(3\) of variable u is damaged: its checksum differs"):
            d["u"][250:350]


def test_fill_values_of_strings(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("chunked", (5,), "S3", chunks=(2,), fillvalue=b"abc")[3:4] = b"x"
        file.create_dataset("unwritten", (2,), "S3", fillvalue=b"abc")
        file["one"] = numpy.bytes_(b"xyz")
    with sill.Dataset(tmp_path / "a.h5") as d:
        assert [row.tobytes() for row in d["chunked"][...]] == [b"abc", b"abc", b"abc", b"x\0\0", b"abc"]
        assert [row.tobytes() for row in d["unwritten"][...]] == [b"abc", b"abc"]
        assert d["one"][...].tobytes() == b"xyz"


def test_a_user_block_is_never_overwritten(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w", userblock_size=512) as file:
        file["u"] = numpy.arange(3.0)
    with open(tmp_path / "a.h5", "r+b") as file:
        file.write(b"what the user put here")
    before = (tmp_path / "a.h5").read_bytes()
    with pytest.raises(sill.UsageError):
        with sill.Dataset(tmp_path / "a.h5", "a") as d:
            d["u"][:] = numpy.zeros(3)
    assert (tmp_path / "a.h5").read_bytes() == before


def test_variables_without_steps_are_written_after_the_last_step(tmp_path):
    with sill.Dataset(tmp_path / "a.h5", "w", dims={"time": None, "x": 2}, steps=1) as d:
        d.createVariable("u", "f8", ("time", "x"))
        d.createVariable("x", "f8", ("x",))
        d["u"][0] = [1, 2]
        d.sync()
        d["x"][:] = [3, 4]
    with h5py.File(tmp_path / "a.h5") as file:
        assert file["x"][:].tolist() == [3, 4]


def test_a_dimension_of_many_steps_leaves_short_variables_out(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("time", (1 << 40,), "f8", maxshape=(None,), chunks=(1 << 20,)).make_scale("time")
        file.create_dataset("u", (1, 3), "f4", maxshape=(None, 3), chunks=(1, 3))
        file["u"].dims[0].attach_scale(file["time"])
        file["v"] = numpy.arange(3)
    with pytest.warns(UserWarning, match="more than 67108864 chunks"):
        d = sill.Dataset(tmp_path / "a.h5")
    with d:
        assert d["v"][:].tolist() == [0, 1, 2]


@pytest.mark.parametrize("user_block", [0, 1024])
@pytest.mark.parametrize("libver", [("earliest", "v108"), ("v110", "v110")])
def test_chunks_are_found_in_every_index(tmp_path, libver, user_block):
    values = numpy.arange(24.0).reshape(4, 6)
    wanted = {}
    with h5py.File(tmp_path / "a.h5", "w", libver=libver, userblock_size=user_block) as file:
        for grows in [(4, 6), (4, None), (None, 6), (None, None)]:
            for options in [{}, {"compression": 1, "shuffle": True, "fletcher32": True}]:
                for chunks in [(2, 6), (3, 4), (4, 6)]:
                    name = f"u{len(wanted)}"
                    u = file.create_dataset(name, (4, 6), "f8", maxshape=grows, chunks=chunks, fillvalue=-1, **options)
                    u[:2] = values[:2]  # some chunks are not stored
                    if len(wanted) % 2 == 0:
                        u[3] = values[3]
                    wanted[name] = u[...]
        early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        early.set_chunk((3, 4))
        early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        h5py.h5d.create(file.id, b"early", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((4, 6)), early)
        file["early"][...] = wanted["early"] = values
    with sill.Dataset(tmp_path / "a.h5") as d:
        assert set(d.variables) == set(wanted)
        for name, each in wanted.items():
            assert numpy.array_equal(d[name][...], each), name


@pytest.mark.skipif(h5py.version.hdf5_version_tuple < (2, 0, 0), reason="h5py of HDF5 2.0 makes such files")
def test_only_objects_of_newer_hdf5_are_left_out(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        file["u"] = numpy.arange(3.0)
        file.create_dataset("newer", data=numpy.arange(6.0), chunks=(2,), compression=1)
        file.create_group("g")["v"] = numpy.arange(4)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("packed", data=numpy.zeros(6), compression="lzf")
    with pytest.warns(UserWarning) as warned:
        d = sill.Dataset(tmp_path / "a.h5")
    (text,) = [str(each.message) for each in warned]
    assert "without newer: HDF5 1." in text and "newer version" in text
    with d:
        assert d["u"][:].tolist() == [0, 1, 2]
        assert d["g/v"][:].tolist() == [0, 1, 2, 3]
    with pytest.warns(UserWarning, match=r"dataset packed: .* filter 32000 \(lzf\), .* h5repack"):
        sill.Dataset(tmp_path / "b.h5").close()


def test_changed_bytes_of_chunks_with_checksums_are_errors(tmp_path):
    path = tmp_path / "a.h5"
    values = numpy.arange(40, dtype="i2")
    with h5py.File(path, "w") as file:
        u = file.create_dataset("u", data=values, chunks=(20,), fletcher32=True, compression=1, shuffle=True)
        places = [u.id.get_chunk_info(i) for i in range(2)]
    intact = path.read_bytes()
    for place in places:
        for at in range(place.byte_offset, place.byte_offset + place.size):
            changed = bytearray(intact)
            changed[at] ^= 1 << at % 8
            path.write_bytes(changed)
            with sill.Dataset(path) as d, pytest.raises(sill.InputError, match=r"chunk .* of variable u is damaged"):
                d["u"][:]


def test_a_name_that_is_not_utf8_is_left_out(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["u"] = numpy.arange(3.0)
        file[b"n\xe5me"] = numpy.arange(2.0)
    with pytest.warns(UserWarning, match="a name that is not UTF-8"):
        d = sill.Dataset(path)
    with d:
        assert d["u"][:].tolist() == [0, 1, 2]


def test_few_chunks_among_very_many_are_left_out(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("u", (1 << 23, 2), "f4", chunks=(1, 2))[1 << 22] = 1
        file["v"] = numpy.arange(3)
    with pytest.warns(UserWarning, match=r"dataset u: only 1 of its 8388608 chunks are stored, .*h5repack"):
        d = sill.Dataset(tmp_path / "a.h5")
    with d:
        assert d["v"][:].tolist() == [0, 1, 2]


def heap_of(file_bytes):
    """The places of the headers of the objects of the only global heap, and its end."""
    begin = file_bytes.find(b"GCOL")
    end = begin + struct.unpack_from("<Q", file_bytes, begin + 8)[0]
    places, at = [], begin + 16
    while at + 16 <= end and struct.unpack_from("<H", file_bytes, at)[0] > 0:
        places.append(at)
        at += 16 + (struct.unpack_from("<Q", file_bytes, at + 8)[0] + 7) // 8 * 8
    return places, end


@pytest.mark.parametrize("lengths", [[15], [3000, 3000, 5000]])  # the second heap is read in two requests
def test_texts_in_a_heap_whose_objects_do_not_fit_are_left_out(tmp_path, lengths):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        file["u"] = numpy.arange(3.0)
        for i, length in enumerate(lengths):
            file.attrs[f"a{i}"] = "x" * length
    intact = path.read_bytes()
    places, end = heap_of(intact)
    assert len(places) == len(lengths) and (len(lengths) == 1 or end - intact.find(b"GCOL") > 4096)
    with sill.Dataset(path) as d:
        assert d.getncattr("a0") == "x" * lengths[0]
    for length in (1 << 33, (1 << 64) - 1, end - places[-1], end - places[-1] - 15):
        changed = bytearray(intact)
        struct.pack_into("<Q", changed, places[-1] + 8, length)
        path.write_bytes(changed)
        with pytest.warns(UserWarning, match='attribute "a0" of the file: HDF5 .* cannot read it'):
            d = sill.Dataset(path)
        with d:
            assert d["u"][:].tolist() == [0, 1, 2] and not hasattr(d, "a0")
