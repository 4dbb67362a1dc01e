"""Chunked HDF5 and netCDF-4: steps without a given number, codecs, rounding, kills; read by h5py, netCDF4 and xarray."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401: h5py reads zstd
import netCDF4
import numcodecs
import numpy
import pytest
import sill
import xarray
import zarr

HERE = Path(__file__).resolve().parent
SHAPE = (6, 30, 40)
U = numpy.random.default_rng(7).normal(size=SHAPE).astype("f4")
ENDINGS = ["h5", "nc4"]
CODECS = ["none", "deflate:1", "shuffle+deflate:4", "shuffle+zstd:5", "zstd"]
SELECTION_BYTES = 48


@pytest.fixture(autouse=True)
def with_hdf5(hdf5):
    """All tests here need it."""


def new(path, mode="w", **options):
    options = {"codec": "shuffle+deflate:1", "chunks": (7, 16)} | options
    d = sill.Dataset(path, mode, dims={"time": None, "y": SHAPE[1], "x": SHAPE[2]}, **options)
    d.createVariable("time", "f8", ("time",), attributes={"units": "s"})
    d.createVariable("u", "f4", ("time", "y", "x"), attributes={"units": "m"})
    d.createVariable("mask", "i2", ("y", "x"))
    d.createVariable("level", "f4", ())
    return d


def write(path, first=0, last=SHAPE[0], kill=False, **options):
    with new(path, **options) as d:
        if first == 0:
            d["mask"][...] = numpy.arange(SHAPE[1] * SHAPE[2], dtype="i2").reshape(SHAPE[1:])
            d["level"][...] = 2.5
        for step in range(first, last):
            d["time"][step] = 0.5 * step
            d["u"][step] = U[step]
        if kill:
            d.sync()
            d.write({"u": U[0] + 1000})  # a step that is never complete
            os.kill(os.getpid(), signal.SIGKILL)
    return path


def check(path, steps=SHAPE[0], values=U):
    with h5py.File(path) as file:
        assert file["u"].shape == (steps, *SHAPE[1:])
        numpy.testing.assert_array_equal(file["u"][...], values[:steps])
        assert file["mask"][...].ravel().tolist() == list(range(1200))
        assert file["level"][()] == 2.5
        assert file["time"][...].tolist() == [0.5 * step for step in range(steps)]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_other_readers_find_all_values(tmp_path, ending, codec):
    path = write(tmp_path / f"u.{ending}", codec=codec)
    check(path)
    with h5py.File(path) as file:
        assert file["u"].chunks == (1, 7, 16)
        assert file["u"].maxshape == (None, *SHAPE[1:])
        assert file["u"].shuffle == codec.startswith("shuffle")
        assert list(file["u"]._filters) == ["shuffle"] * ("shuffle" in codec) + (
            ["gzip"] if "deflate" in codec else ["32015"] if "zstd" in codec else []
        )
        assert file["u"].attrs["units"] == b"m"
    with sill.Dataset(path) as d:
        assert d.steps == SHAPE[0]
        assert d.dimensions["time"].isunlimited()
        numpy.testing.assert_array_equal(d["u"][1:4, 5:29, 3:39], U[1:4, 5:29, 3:39])
    if ending == "nc4":
        if "zstd" not in codec:
            with netCDF4.Dataset(path) as n:
                assert n.dimensions["time"].isunlimited()
                assert len(n.dimensions["time"]) == SHAPE[0]
                assert n["u"].dimensions == ("time", "y", "x")
                numpy.testing.assert_array_equal(n["u"][...], U)
            with xarray.open_dataset(path, decode_times=False, engine="netcdf4") as x:
                assert x.u.dims == ("time", "y", "x")
                assert x.time.values.tolist() == [0, 0.5, 1, 1.5, 2, 2.5]
                numpy.testing.assert_array_equal(x.u.values, U)


@pytest.mark.parametrize("ending", ENDINGS)
def test_bytes_do_not_depend_on_policy_threads_windows_or_calls(tmp_path, ending):
    plain = write(tmp_path / f"plain.{ending}").read_bytes()
    for i, options in enumerate(
        [{"policy": "staged,async=2"}, {"policy": "elected"}, {"threads": 3}, {"memory": 16384}, {"policy": "sync=close"}]
    ):
        assert write(tmp_path / f"{i}.{ending}", **options).read_bytes() == plain, options
    with new(tmp_path / f"parts.{ending}") as d:
        d["mask"][...] = numpy.arange(SHAPE[1] * SHAPE[2], dtype="i2").reshape(SHAPE[1:])
        d["level"][...] = 2.5
        for step in range(SHAPE[0]):
            d["time"][step] = 0.5 * step
            d["u"][step, ::, 20:] = U[step, :, 20:]
            d["u"][step, ::, :20] = U[step, :, :20]
    assert (tmp_path / f"parts.{ending}").read_bytes() == plain
    with new(tmp_path / f"steps.{ending}") as d:
        d["mask"][...] = numpy.arange(SHAPE[1] * SHAPE[2], dtype="i2").reshape(SHAPE[1:])
        d["level"][...] = 2.5
        d.write_steps(6, {"u": U, "time": 0.5 * numpy.arange(6)})
    check(tmp_path / f"steps.{ending}")
    assert (tmp_path / f"steps.{ending}").stat().st_size <= len(plain)


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_step_is_valid_whatever_is_written_of_the_next(tmp_path, ending):
    path = tmp_path / f"u.{ending}"
    states = []
    with new(path) as d:
        d["mask"][...] = numpy.arange(SHAPE[1] * SHAPE[2], dtype="i2").reshape(SHAPE[1:])
        d["level"][...] = 2.5
        for step in range(SHAPE[0]):
            d.write_step({"u": U[step], "time": numpy.array(0.5 * step)})
            d.sync()
            states.append(path.read_bytes())
    choose = random.Random(5)
    mixed = tmp_path / f"mixed.{ending}"
    for step, (before, after) in enumerate(zip(states, states[1:])):
        for share in (0, 0.3, 0.7, 1):
            data = bytearray(before.ljust(len(after), b"\0"))
            for block in range(SELECTION_BYTES, len(after), 64):
                if choose.random() < share:
                    data[block : block + 64] = after[block : block + 64]
            mixed.write_bytes(data)
            check(mixed, step + 1)


def killed(path, steps):
    code = f"import test_chunks\ntest_chunks.write({str(path)!r}, last={steps}, kill=True)"
    search = os.pathsep.join([str(Path(sill.__file__).parents[1]), str(HERE), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": search}, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_killed_run_leaves_all_complete_steps(tmp_path, ending):
    path = tmp_path / f"u.{ending}"
    complete = write(path).read_bytes()
    path.write_bytes(bytes(SELECTION_BYTES) + complete[SELECTION_BYTES:])  # no step was selected
    with pytest.raises(sill.InputError, match="completed no step"):
        sill.Dataset(path)
    write(path, mode="a")
    assert path.read_bytes() == complete
    path.unlink()
    killed(path, 3)
    check(path, 3)
    with pytest.raises(sill.UsageError, match="number of steps is given"):
        new(path, "a", codec="", chunks=None, steps=9).begin()
    with pytest.raises(sill.UsageError, match="codec of variable time differ"):
        new(path, "a", codec="zstd").begin()
    write(path, mode="a", first=3, codec="", chunks=None)
    check(path)
    with new(path, "a", first_step=2, codec="", chunks=None) as d:
        d.write_step({"u": U[5], "time": numpy.array(1.0)})
    check(path, 3, U[[0, 1, 5]])


@pytest.mark.parametrize("side", [60, pytest.param(1000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("ending", ["h5", "zarr"])
def test_many_chunks(tmp_path, ending, side):
    path = tmp_path / f"many.{ending}"
    values = numpy.arange(side * side, dtype="i4").reshape(side, side)
    with sill.Dataset(path, "w", dims={"time": None, "y": side, "x": side}, codec="zstd:1", chunks=(1, 1)) as d:
        d.createVariable("u", "i4", ("time", "y", "x"))
        d.createVariable("still", "i4", ("y", "x"))
        d["still"][side - 1, :] = values[0]
        d.write_step({"u": values})
    opened = h5py.File(path) if ending == "h5" else zarr.open_group(path, mode="r")
    for row in (0, side // 2, side - 1):
        numpy.testing.assert_array_equal(opened["u"][0, row], values[row])
    numpy.testing.assert_array_equal(opened["still"][side - 1], values[0])
    with sill.Dataset(path) as d:
        numpy.testing.assert_array_equal(d["u"][0], values)
        assert numpy.count_nonzero(d["still"][...] != -2147483647) == side  # the others have the fill value


@pytest.mark.nightly
@pytest.mark.parametrize("ending", ["h5", "zarr"])
def test_a_rank_passes_more_than_4_gib(tmp_path, ending):
    path = tmp_path / f"large.{ending}"
    values = numpy.zeros((1030, 1 << 22), "u1")  # whose pages take no memory
    values[0, 1], values[-1, -1] = 7, 9
    with sill.Dataset(path, "w", dims={"y": 1030, "x": 1 << 22}, codec="zstd:1", chunks=(1, 1 << 22)) as d:
        d.createVariable("u", "u1", ("y", "x"))
        d.write({"u": values})
    opened = h5py.File(path) if ending == "h5" else zarr.open_group(path, mode="r")
    for row in (0, 515, 1029):
        numpy.testing.assert_array_equal(opened["u"][row], values[row])


def test_elements_that_lack_are_fill_values(tmp_path):
    for ending in (*ENDINGS, "zarr"):
        path = tmp_path / f"u.{ending}"
        with sill.Dataset(path, "w", dims={"time": None, "x": 40}, codec="zstd", chunks=(16,)) as d:
            d.createVariable("n", "i2", ("time", "x"), fill_value=-5)
            d.createVariable("c", "f4", ("x",), fill_value=7.5)
            d["n"][0, 2:4] = [1, 2]
            d["n"][1, 20:] = numpy.arange(20)
            d["n"][2, :] = 3
        with sill.Dataset(path) as d:
            assert d["n"][0].tolist() == [-5, -5, 1, 2] + [-5] * 36
            assert d["n"][1].tolist() == [-5] * 20 + list(range(20))
            assert d["c"][:].tolist() == [7.5] * 40
        if ending != "zarr":
            with h5py.File(path) as file:
                assert file["n"][1].tolist() == [-5] * 20 + list(range(20))
                assert file["n"].fillvalue == -5
                assert file["n"].id.get_num_chunks() == 1 + 2 + 3


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_leaves_the_complete_steps(tmp_path, ending):
    path = tmp_path / f"u.{ending}"
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.raises(sill.IoError, match="File too large"):
        with new(path, codec="none") as d:
            d["mask"][...] = numpy.arange(SHAPE[1] * SHAPE[2], dtype="i2").reshape(SHAPE[1:])
            d["level"][...] = 2.5
            d.write_step({"u": U[0], "time": numpy.array(0.0)})
            d.write_step({"u": U[1], "time": numpy.array(0.5)})
            resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 3000, limit[1]))
            try:
                d.write_step({"u": U[2], "time": numpy.array(1.0)})
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    check(path, 2)


def test_variables_without_steps_and_groups(tmp_path):
    with sill.Dataset(tmp_path / "u.h5", "w", dims={"y": 30, "x": 40}, codec={"a/b": "shuffle+deflate"}) as d:
        d.createVariable("a/b", "f4", ("y", "x"))
        d.createVariable("name", "S1", ("x",))
        d["a/b"][...] = U[0]
        d["name"][:] = numpy.frombuffer(b"x" * 40, "S1")
    with h5py.File(tmp_path / "u.h5") as file:
        numpy.testing.assert_array_equal(file["a/b"][...], U[0])
        assert file["a/b"].compression == "gzip"
        assert file["name"].compression is None
        assert b"".join(file["name"][...]) == b"x" * 40


@pytest.mark.parametrize("ending", ENDINGS)
def test_chunks_without_steps_are_written_when_they_are_complete(tmp_path, ending):
    big = numpy.random.default_rng(1).normal(size=(400, 500)).astype("f4")

    def written(name, rows, **options):
        codec = {"codec": "shuffle+deflate:1", "chunks": (16, 100)} | options
        with sill.Dataset(tmp_path / f"{name}.{ending}", "w", dims={"y": 400, "x": 500}, **codec) as d:
            d.createVariable("y", "f8", ("y",))
            d.createVariable("u", "f4", ("y", "x"))
            d["y"][:] = numpy.arange(400)
            for row in rows:
                d["u"][row : row + 20] = big[row : row + 20]
        return (tmp_path / f"{name}.{ending}").read_bytes()

    rows = range(0, 400, 20)
    plain = written("plain", rows)
    with h5py.File(tmp_path / f"plain.{ending}") as file:
        numpy.testing.assert_array_equal(file["u"][...], big)
    assert written("small", rows, memory=1 << 18) == plain
    assert written("back", reversed(rows)) == plain
    with pytest.raises(sill.UsageError, match="incomplete chunks need .* on a rank with"):
        written("refused", reversed(rows), memory=1 << 18)
    with pytest.raises(sill.UsageError, match="passed twice"):
        written("twice", [0, 0])


def rounded(values, bits):
    codec = numcodecs.BitRound(bits)
    return codec.decode(codec.encode(values.copy())).view(values.dtype).reshape(values.shape)


@pytest.mark.parametrize("ending", [*ENDINGS, "zarr"])
def test_bitround_is_that_of_numcodecs_and_netcdf(tmp_path, ending):
    f4 = U[0].copy()
    f4.flat[:6] = [numpy.nan, numpy.inf, -numpy.inf, -9999.3, 0, numpy.finfo("f4").max]
    ties = (numpy.arange(600, dtype="u4") << 15) + numpy.uint32(1 << 14) + numpy.float32(1).view("u4")
    f4.flat[600:] = ties.view("f4")
    f8 = f4.astype("f8") * 1.0000000001
    f8.flat[:5] = [numpy.nan, numpy.inf, -numpy.inf, -9999.3, 0]
    codec = {"": "shuffle+deflate", "a": "bitround:7+shuffle+deflate", "b": "bitround:20"}
    path = tmp_path / f"r.{ending}"
    with sill.Dataset(path, "w", dims={"y": 30, "x": 40}, codec=codec) as d:
        d.createVariable("a", "f4", ("y", "x"), fill_value=-9999.3)
        d.createVariable("b", "f8", ("y", "x"), fill_value=-9999.3)
        d.createVariable("c", "f4", ("y", "x"))
        d["a"][...], d["b"][...], d["c"][...] = f4, f8, f4
    with sill.Dataset(path) as d:
        for name, values, bits in (("a", f4, 7), ("b", f8, 20)):
            found, expected = d[name][...], rounded(values, bits)
            assert d[name].getncattr("_QuantizeBitRoundNumberOfSignificantBits") == bits
            # Unchanged: NaN, infinity, fill values; the largest number is not rounded to infinity.
            assert found.flat[:4].tobytes() == values.flat[:4].tobytes()
            assert numpy.isfinite(found.flat[5])
            assert found.flat[6:].tobytes() == expected.flat[6:].tobytes()
        assert d["c"][...].tobytes() == f4.tobytes()
    if ending != "nc4":
        return
    with netCDF4.Dataset(tmp_path / "n.nc", "w") as n, netCDF4.Dataset(path) as ours:
        n.createDimension("x", 600)
        a = n.createVariable("a", "f4", "x", significant_digits=7, quantize_mode="BitRound")
        a[:] = f4.flat[6:606]
        n.sync()
        assert ours["a"].quantization() == a.quantization() == (7, "BitRound")
        numpy.testing.assert_array_equal(ours["a"][...].ravel()[6:600], a[:594])


def test_append_keeps_the_rounding(tmp_path):
    for ending in (*ENDINGS, "zarr"):
        path = tmp_path / f"u.{ending}"
        for step, codec in enumerate(({"u": "bitround:5+zstd"}, "")):
            with sill.Dataset(path, "a", dims={"time": None, "x": 40}, codec=codec) as d:
                d.createVariable("u", "f4", ("time", "x"))
                d["u"][step] = U[step, 0]
        with sill.Dataset(path) as d:
            numpy.testing.assert_array_equal(d["u"][...], rounded(U[:2, 0], 5))


def test_a_file_is_opened_once_for_all_its_variables(tmp_path):
    with sill.Dataset(tmp_path / "u.h5", "w", dims={"x": 40}, codec="zstd", chunks=(16,)) as d:
        for i in range(20):
            d.createVariable(f"u{i}", "i4", ("x",))
        for i in range(20):
            d[f"u{i}"][:] = numpy.arange(40) + i
    with sill.Dataset(tmp_path / "u.h5") as d:
        for i in range(20):
            assert (d[f"u{i}"][:] == numpy.arange(40) + i).all()
        links = [os.readlink(each) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
        assert links.count(str(tmp_path / "u.h5")) <= 2  # for chunks, and for contiguous elements


def test_wrong_codecs_are_refused(tmp_path):
    for codec, match in (
        ("bitround:7", "would change coordinates"),
        ({"mask": "bitround:7"}, "no floating-point type"),
        ({"u": "bitround:24"}, "mantissa has 23 bits"),
        ({"w": "zstd"}, "no variable w"),
        ("deflate+shuffle", "unknown codec"),
        ("shuffle+shuffle", "unknown codec"),
        ("shuffle+bitround:3", "unknown codec"),
        ("bitround:0", "unknown codec"),
    ):
        for ending in ("h5", "zarr"):
            with pytest.raises(sill.UsageError, match=match):
                new(tmp_path / f"u.{ending}", codec=codec).begin()
    with pytest.raises(sill.UsageError, match="number of steps is given"):
        new(tmp_path / "u.h5", steps=3).begin()
    with pytest.raises(sill.UsageError, match="more than 4293918720 bytes"):
        d = sill.Dataset(tmp_path / "u.h5", "w", dims={"x": 2**33}, chunks=(2**32,))
        d.createVariable("u", "i1", ("x",))
        d.begin()
    with sill.Dataset(tmp_path / "c.h5", "w", dims={"time": None}, steps=2) as d:
        d.createVariable("t", "f4", ("time",))
        d["t"][0] = 1
    with pytest.raises(sill.UsageError, match="only Sill writes such"):
        sill.Dataset(tmp_path / "c.h5", "a", codec="zstd")


def test_steps_are_written_without_a_number_or_codec(tmp_path, monkeypatch):
    monkeypatch.setenv("SILL_LAYOUT", "w:container=netcdf4,codec=zstd:1,codec=u=shuffle+deflate,chunks=10x10")
    write(tmp_path / "w.nc", codec="", chunks=None)
    check(tmp_path / "w.nc")
    with h5py.File(tmp_path / "w.nc") as file:
        assert file["u"].compression == "gzip"
        assert file["mask"].chunks == (10, 10)
        assert list(file["mask"]._filters) == ["32015"]
    monkeypatch.setenv("SILL_LAYOUT", "")
    write(tmp_path / "p.h5", codec="", chunks=None)
    check(tmp_path / "p.h5")


def test_a_step_with_a_wrong_value_is_repeated(tmp_path):
    with sill.Dataset(tmp_path / "u.h5", "w", dims={"time": None, "x": 4}, codec="deflate", chunks=(3,)) as d:
        d.createVariable("v", "i4", ("time", "x"))
        d.write_step({"v": numpy.array([1, 2, 3, 4])})
        with pytest.raises(sill.UsageError, match="range"):
            d.write_step({"v": numpy.array([2.0**40, 1, 1, 1])})
        d.write_step({"v": numpy.array([7, 8, 9, 10])})
    with h5py.File(tmp_path / "u.h5") as file:
        assert file["v"][...].tolist() == [[1, 2, 3, 4], [7, 8, 9, 10]]


def test_late_attributes_are_refused_and_early_fill_values_hold(tmp_path):
    for ending in (*ENDINGS, "zarr"):
        with sill.Dataset(tmp_path / f"u.{ending}", "w", dims={"time": None, "x": 4}, codec="zstd", chunks=(2,)) as d:
            d.createVariable("v", "i4", ("time", "x"))
            d.begin()
            d["v"].setncattr("_FillValue", numpy.int32(-3))
            d["v"][0, :1] = [1]
            d.sync()
            d["v"][1, :1] = [1]
            d.sync()
            if ending != "zarr":
                with pytest.raises(sill.UsageError, match="cannot be changed"):
                    d["v"].setncattr("units", "m")
        with sill.Dataset(tmp_path / f"u.{ending}") as d:
            assert d["v"][0].tolist() == [1, -3, -3, -3]


@pytest.mark.parametrize("ending", ENDINGS)
def test_tools_of_hdf5_and_netcdf_read_it(tmp_path, ending):
    path = write(tmp_path / f"u.{ending}")
    tools = [["h5dump", "-H"], ["h5stat"], ["h5ls", "-rv"], ["h5dump", "-d", "/time"]] + [["ncdump", "-h"]] * (ending == "nc4")
    for tool in tools:
        if shutil.which(tool[0]):
            subprocess.run([*tool, path], check=True, capture_output=True)
    if shutil.which("h5repack"):
        packed = tmp_path / f"packed.{ending}"
        subprocess.run(["h5repack", "-f", "GZIP=9", path, packed], check=True, capture_output=True)
        with h5py.File(packed) as file:
            numpy.testing.assert_array_equal(file["u"][...], U)


def test_zarr_python_reads_shuffled_chunks(tmp_path):
    write(tmp_path / "u.zarr", codec={"u": "shuffle+deflate:4", "": "shuffle+zstd"})
    group = zarr.open_group(tmp_path / "u.zarr", mode="r")
    numpy.testing.assert_array_equal(group["u"][...], U)
    assert group["mask"][...].ravel().tolist() == list(range(1200))
    with sill.Dataset(tmp_path / "u.zarr") as d:
        numpy.testing.assert_array_equal(d["u"][...], U)


@pytest.mark.parametrize("ending", ["h5", "nc4", "zarr"])
def test_absent_and_incomplete_chunks_have_the_same_fill_value(tmp_path, ending):
    with sill.Dataset(tmp_path / f"a.{ending}", "w", dims={"x": 40}, codec="deflate", chunks=(10,)) as d:
        d.createVariable("flag", "u1", ("x",))
        d.createVariable("x", "f4", ("x",))
        d.createVariable("u", "f4", ("x",), attributes={"_FillValue": -5.0})
        for name in ("flag", "x", "u"):
            d[name][:5] = [1, 2, 3, 4, 5]
    with sill.Dataset(tmp_path / f"a.{ending}") as d:
        for name in ("flag", "x", "u"):
            values = numpy.asarray(d[name][...])
            assert values[:5].tolist() == [1, 2, 3, 4, 5]
            assert len(set(values[5:].tolist())) == 1, values
        assert d["u"][39] == -5


@pytest.mark.parametrize("change", ["big-endian", "fletcher32", "compact"])
def test_arrays_that_others_added_are_not_lost_by_appending(tmp_path, change):
    path = write(tmp_path / "a.h5", last=2)
    with h5py.File(path, "a") as file:
        options = {"chunks": (10,), "fletcher32": True} if change == "fletcher32" else {"chunks": (10,)}
        values = numpy.arange(10, dtype=">i4" if change == "big-endian" else "<i4")
        if change == "compact":
            create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            create.set_layout(h5py.h5d.COMPACT)
            space = h5py.h5s.create_simple((10,))
            h5py.h5d.create(file.id, b"more", h5py.h5t.STD_I32LE, space, create)
            file["more"][...] = values
        else:
            file.create_dataset("more", data=values, **options)
    before = path.read_bytes()
    with pytest.raises(sill.UsageError, match="not those that Sill writes|only Sill writes|no scale|differ"):
        sill.Dataset(path, "a").close()
    assert path.read_bytes() == before


@pytest.mark.parametrize("ending", ["h5", "nc4", "zarr"])
def test_a_call_of_several_steps_that_fails_is_repeated_as_a_whole(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    with sill.Dataset(path, "w", dims={"time": None, "x": 4}, codec="zstd") as d:
        d.createVariable("n", "i2", ("time", "x"))
        d.createVariable("once", "i4", ("x",))
        once = numpy.arange(4, dtype="i4")
        good = numpy.arange(12, dtype="i4").reshape(3, 4)
        wrong = good.copy()
        wrong[1, 2] = 70000
        d["once"][:] = once
        with pytest.raises(sill.UsageError, match="range"):
            d.write_steps(3, {"n": wrong})
        assert d.steps == 0
        d.write_steps(3, {"n": good})
        assert d.steps == 3
    with sill.Dataset(path) as d:
        assert d.steps == 3
        assert numpy.array_equal(d["n"][...], good)
        assert numpy.array_equal(d["once"][...], once)


@pytest.mark.parametrize("ending", ["h5", "zarr"])
def test_a_part_that_cannot_be_converted_is_passed_again(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    with sill.Dataset(path, "w", dims={"y": 8, "x": 4}, codec="zstd", chunks=(4, 4)) as d:
        d.createVariable("n", "i2", ("y", "x"))
        values = numpy.arange(32, dtype="i4").reshape(8, 4)
        wrong = values.copy()
        wrong[5, 0] = 70000
        with pytest.raises(sill.UsageError, match="range"):
            d["n"][:6] = wrong[:6]  # the first chunk would be complete, the second not
        d["n"][:6] = values[:6]
        d["n"][6:] = values[6:]
    with sill.Dataset(path) as d:
        assert numpy.array_equal(d["n"][...], values)


@pytest.mark.parametrize("ending", [*ENDINGS, "zarr"])
def test_a_step_with_an_overlap_is_passed_again(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    dims = {"time": None, "y": 5, "x": 7}
    values = numpy.arange(35, dtype="f4").reshape(5, 7)
    overlap = {"v": [(slice(0, 4), values[:4]), ((3, slice(5, 7)), values[3, 5:])]}
    with sill.Dataset(path, "w", dims=dims, codec="zstd", chunks=(2, 3)) as d:
        d.createVariable("u", "f8", ("time", "y", "x"))
        d.createVariable("v", "f4", ("time", "y", "x"))
        d.createVariable("w", "f4", ("y", "x"))
        d.write_step({"u": values, "v": values, "w": values})
        where = rf"twice(?s:.)*a\.{ending}\n(?s:.)*element of v in step 1: 26\n(?s:.)*pass all data of the step again"
        with pytest.raises(sill.UsageError, match=where):
            d.write_step({"u": values} | overlap)
        d.write({"u": values + 1} | overlap)  # the call that completes the step reports it
        with pytest.raises(sill.UsageError, match=where):
            d.sync()
        d.write({"u": values + 2, "v": values + 2})
        d.sync()
    with sill.Dataset(path) as d:
        assert numpy.array_equal(d["u"][...], [values, values + 2])
        assert numpy.array_equal(d["v"][...], [values, values + 2])


@pytest.mark.parametrize("ending", [*ENDINGS, "zarr"])
def test_an_overlap_without_steps_names_the_element(tmp_path, ending):
    values = numpy.arange(35, dtype="f4").reshape(5, 7)
    with sill.Dataset(tmp_path / f"a.{ending}", "w", dims={"y": 5, "x": 7}, codec="zstd") as d:
        d.createVariable("u", "f4", ("y", "x"))
        d.createVariable("v", "f4", ("y", "x"))
        with pytest.raises(sill.UsageError, match=rf"a\.{ending}\n(?s:.)*element of v: 26\n"):
            overlap = [(slice(0, 4), values[:4]), ((3, slice(5, 7)), values[3, 5:]), ((4, slice(0, 5)), values[4, :5])]
            d.write({"u": values, "v": overlap})
        d.write({"u": values, "v": values})
    with sill.Dataset(tmp_path / f"a.{ending}") as d:
        assert numpy.array_equal(d["v"][...], values)


@pytest.mark.parametrize("codec", ["none", "shuffle+zstd"])
def test_chunks_of_later_steps_hold_nothing_of_earlier_ones(tmp_path, codec):
    """Their memory is used again."""
    with sill.Dataset(tmp_path / "u.zarr", "w", dims={"time": None, "y": 20, "x": 20}, chunks=(8, 8), codec=codec) as d:
        u = d.createVariable("u", "f4", ("time", "y", "x"))
        u[0] = numpy.full((20, 20), 7, "f4")
        u[1, 3:5, 2:9] = numpy.full((2, 7), 8, "f4")
        u[2, :8, :8] = numpy.full((8, 8), 9, "f4")
    read = numpy.nan_to_num(zarr.open(tmp_path / "u.zarr")["u"][:], nan=-1)
    read[read > 1e30] = -1  # the fill value
    assert (read[0] == 7).all() and (read[1, 3:5, 2:9] == 8).all() and (read[2, :8, :8] == 9).all()
    assert (read[1] == -1).sum() == 400 - 14 and (read[2] == -1).sum() == 400 - 64


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_without_steps_are_continued(tmp_path, ending):
    new(tmp_path / f"a.{ending}").close()
    with new(tmp_path / f"a.{ending}", "a") as d:
        d["time"][0] = 1.0
        d["u"][0] = U[0]
    with sill.Dataset(tmp_path / f"a.{ending}") as d:
        assert numpy.array_equal(d["u"][0], U[0])
    with sill.Dataset(tmp_path / f"b.{ending}", "w", dims={"time": None, "x": 3}, steps=4) as d:
        d.createVariable("u", "f4", ("time", "x"))[0] = [1, 2, 3]
    with pytest.raises(sill.UsageError, match="the file is not chunked"):
        with sill.Dataset(tmp_path / f"b.{ending}", "a", dims={"time": None, "x": 3}) as d:
            d.createVariable("u", "f4", ("time", "x"))[1] = [4, 5, 6]
    with sill.Dataset(tmp_path / f"b.{ending}", "a", dims={"time": None, "x": 3}, steps=4) as d:
        d.createVariable("u", "f4", ("time", "x"))[1] = [4, 5, 6]
    with sill.Dataset(tmp_path / f"b.{ending}") as d:
        assert d["u"][...].tolist() == [[1, 2, 3], [4, 5, 6]]
