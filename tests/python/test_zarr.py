"""Zarr: what Sill writes is read by zarr-python, tensorstore and xarray; what zarr-python writes is read by Sill."""

import fcntl
import os
import shutil
from pathlib import Path

import numpy
import pytest
import sill
import xarray

zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")

SHAPE = (5, 30, 40)
U = numpy.random.default_rng(7).normal(size=SHAPE).astype("f4")
CODECS = ["none", "deflate", "zstd:5"]


def write(path, layout="", steps=None, **options):
    """Writes a dataset with steps, a coordinate and a constant."""
    os.environ["SILL_LAYOUT"] = layout
    try:
        with sill.Dataset(path, "w", dims={"time": None, "y": SHAPE[1], "x": SHAPE[2]}, **options) as d:
            d.title = "waves"
            d.createVariable("time", "f8", ("time",), attributes={"units": "s"})
            d.createVariable("u", "f4", ("time", "y", "x"), attributes={"units": "m"})
            d.createVariable("mask", "i2", ("y", "x"))
            d.createVariable("big", "u8", ("x",), attributes={"valid_max": 7})
            d["mask"][...] = numpy.arange(SHAPE[1] * SHAPE[2], dtype="i2").reshape(SHAPE[1:])
            d["big"][...] = numpy.arange(SHAPE[2], dtype="u8") + 2**63
            for step in range(steps or SHAPE[0]):
                d["time"][step] = 0.5 * step
                d["u"][step] = U[step]
    finally:
        del os.environ["SILL_LAYOUT"]
    return path


@pytest.mark.parametrize("version", [2, 3])
def test_what_xarray_transposes_is_read(tmp_path, version):
    with xarray.open_zarr(write(tmp_path / "a.zarr")) as found:
        found = found.load()
    for each in found.variables.values():
        each.encoding.clear()
    turned = found.transpose("y", "x", "time")
    turned.to_zarr(tmp_path / "b.zarr", zarr_format=version, consolidated=False)
    assert turned.attrs["sill_dimensions"]["time"] == "unlimited"
    with sill.Dataset(tmp_path / "b.zarr") as d:
        assert d["u"].dimensions == ("y", "x", "time") and not d.dimensions["time"].isunlimited()
        assert numpy.array_equal(d["u"][...], U.transpose(1, 2, 0))
        assert d["time"][...].tolist() == [0, 0.5, 1, 1.5, 2]
        assert d["mask"].shape == SHAPE[1:]


def test_the_name_of_the_attribute_of_dimensions_is_reserved(tmp_path):
    with sill.Dataset(tmp_path / "a.zarr", "w", dims={"x": 3}) as d:
        d.createVariable("u", "f4", ("x",))
        d.begin()
        with pytest.raises(sill.UsageError, match="attribute sill_dimensions is reserved(?s:.)*to do:"):
            d.setncattr("sill_dimensions", "abc")
        d["u"][...] = numpy.zeros(3)
    with pytest.raises(sill.UsageError, match="attribute sill_dimensions is reserved"):
        with sill.Dataset(tmp_path / "b.zarr", "w", dims={"x": 3}) as d:
            d.setncattr("sill_dimensions", "abc")
            d.createVariable("u", "f4", ("x",))
            d.begin()


def files_of(path):
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(Path(path).rglob("*")) if p.is_file()}


@pytest.mark.parametrize("codec", CODECS)
def test_zarr_python_and_xarray_read_it(tmp_path, codec):
    path = write(tmp_path / "u.zarr", f"codec={codec},chunks=7x16")
    group = zarr.open_group(path, mode="r")
    assert group.attrs["title"] == "waves"
    assert group["u"].shape == SHAPE
    assert group["u"].chunks == (1, 7, 16)
    assert group["u"].shards == (1, 35, 48)
    assert numpy.array_equal(group["u"][...], U)
    assert numpy.array_equal(group["mask"][...].ravel(), numpy.arange(1200))
    assert group["big"][3] == 2**63 + 3
    with xarray.open_zarr(path) as opened:
        assert opened.u.dims == ("time", "y", "x")
        assert opened.u.attrs == {"units": "m"}
        assert opened.time.values.tolist() == [0, 0.5, 1, 1.5, 2]
        assert numpy.array_equal(opened.u.values, U)


def test_tensorstore_reads_it(tmp_path):
    tensorstore = pytest.importorskip("tensorstore")
    path = write(tmp_path / "u.zarr", "codec=zstd,chunks=8x8")
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{path}/u/"}}
    assert numpy.array_equal(tensorstore.open(spec).result().read().result(), U)


@pytest.mark.parametrize("codec", CODECS)
def test_sill_reads_it_in_any_part(tmp_path, codec):
    path = write(tmp_path / "u.zarr", f"codec={codec},chunks=7x16")
    with sill.Dataset(path) as d:
        assert d.steps == SHAPE[0]
        assert d.dimensions["time"].isunlimited()
        assert d["u"].getncattr("units") == "m"
        assert d["u"].getncattr("_FillValue") == numpy.float32(9.96921e36)
        assert numpy.array_equal(d["u"][...], U)
        assert numpy.array_equal(d["u"][2:4, 5:29, 3:39], U[2:4, 5:29, 3:39])
        assert numpy.array_equal(d["big"][:], numpy.arange(SHAPE[2], dtype="u8") + 2**63)


def test_bytes_do_not_depend_on_policy_threads_or_memory(tmp_path):
    expected = files_of(write(tmp_path / "a.zarr", "codec=zstd,chunks=7x16"))
    assert "u/c/4/0/0" in expected
    assert "mask/c/0/0" in expected
    for i, options in enumerate(
        [{"policy": "staged,async=2"}, {"policy": "elected"}, {"policy": "threads=1"}, {"memory": 65536}]
    ):
        assert files_of(write(tmp_path / f"{i}.zarr", "codec=zstd,chunks=7x16", **options)) == expected, options


def test_missing_elements_are_fill_values(tmp_path):
    path = tmp_path / "u.zarr"
    with sill.Dataset(path, "w", dims={"time": None, "x": 4}) as d:
        d.createVariable("u", "f4", ("time", "x"))
        d.createVariable("v", "i4", ("time", "x"), fill_value=-1)
        d["u"][0, 1:3] = [1, 2]
        d["v"][1, :1] = 5
        d["u"][2, :] = 3
    group = zarr.open_group(path, mode="r")
    assert group["v"][...].tolist() == [[-1] * 4, [5, -1, -1, -1], [-1] * 4]
    with xarray.open_zarr(path) as opened:
        assert opened.u.isnull().values.tolist() == [[True, False, False, True], [True] * 4, [False] * 4]
    with sill.Dataset(path) as d:
        assert d["v"][...].tolist() == [[-1] * 4, [5, -1, -1, -1], [-1] * 4]


def test_steps_are_appended_and_replaced(tmp_path):
    path = write(tmp_path / "u.zarr", "codec=zstd,chunks=7x16", steps=3)
    with sill.Dataset(path, "a") as d:
        assert d.steps == 3
        for step in range(3, 5):
            d["time"][step] = 0.5 * step
            d["u"][step] = U[step]
    expected = files_of(write(tmp_path / "b.zarr", "codec=zstd,chunks=7x16"))
    assert files_of(path) == expected


def test_what_is_no_group_is_never_replaced(tmp_path):
    (tmp_path / "u.zarr").mkdir()
    (tmp_path / "u.zarr" / "thesis.tex").write_text("years of work")
    with pytest.raises(sill.UsageError, match="not a group of Zarr"):
        write(tmp_path / "u.zarr")
    assert (tmp_path / "u.zarr" / "thesis.tex").exists()
    with pytest.raises(sill.UsageError, match=r"text, which Zarr does not have"):
        with sill.Dataset(tmp_path / "t.zarr", "w", dims={"x": 3}) as d:
            d.createVariable("name", "S1", "x")
            d["name"][:] = numpy.frombuffer(b"abc", "S1")


def test_a_replaced_group_has_nothing_but_its_arrays(tmp_path):
    path = write(tmp_path / "u.zarr")
    (path / "u" / "notes.txt").write_text("years of work")
    before = files_of(path)
    with pytest.raises(sill.UsageError, match=r"contains u/notes\.txt"):
        write(path)
    assert files_of(path) == before
    (path / "u" / "notes.txt").unlink()
    write(path)
    assert os.listdir(tmp_path) == ["u.zarr"]


@pytest.mark.parametrize("version", [2, 3])
def test_groups_of_others_are_replaced(tmp_path, version):
    expected = files_of(write(tmp_path / "expected.zarr"))
    for nested in (False, True):
        group = zarr.open_group(tmp_path / "u.zarr", mode="w", zarr_format=version)
        places = [group, group.create_group("data")] if nested else [group]
        for place in places:
            for shape in ((), (5,), (5, 6)):
                place.create_array(f"a{len(shape)}", shape=shape, chunks=(2,) * len(shape), dtype="f4")[...] = 1
            place.attrs["kind"] = "test"
        if nested:
            with pytest.raises(sill.UsageError, match="contains data"):
                write(tmp_path / "u.zarr")
            zarr.consolidate_metadata(tmp_path / "u.zarr")
        write(tmp_path / "u.zarr")
        assert files_of(tmp_path / "u.zarr") == expected


def test_append_after_a_run_was_killed_between_two_names(tmp_path):
    path = write(tmp_path / "u.zarr", steps=3)
    path.rename(tmp_path / ".u.zarr.sill-old")
    with sill.Dataset(f"{path}/", "a") as d:
        assert d.steps == 3
    assert os.listdir(tmp_path) == ["u.zarr"]


LEFT = ".zarr.json.sill-0123456789abcdef.part"


@pytest.mark.parametrize("mode", ["w", "a"])
def test_a_folder_of_a_run_that_was_killed_at_once(tmp_path, mode):
    path = tmp_path / "u.zarr"
    path.mkdir()
    (path / LEFT).write_text("{")
    with pytest.raises(sill.UsageError, match="exists"):
        with sill.Dataset(path, "x", dims={"x": 4}) as d:
            d.createVariable("u", "f4", ("x",))
            d.begin()
    assert os.listdir(path) == [LEFT]
    with sill.Dataset(path, mode, dims={"time": None, "x": 4}) as d:
        d.createVariable("u", "f4", ("time", "x"))
        d.write_step({"u": numpy.arange(4)})
    with sill.Dataset(path) as d:
        assert numpy.array_equal(d["u"][:], [numpy.arange(4)])
    assert not (path / LEFT).exists()


@pytest.mark.parametrize("other", ["notes", ".line.sgy.sill-0123456789abcdef.part", "held"])
def test_a_folder_with_anything_else_is_not_replaced(tmp_path, other):
    path = tmp_path / "u.zarr"
    path.mkdir()
    (path / LEFT).write_text("{")
    with (path / LEFT).open("r+") as held:
        if other == "held":  # by a run that is writing
            fcntl.flock(held, fcntl.LOCK_EX)
        else:
            (path / other).write_text("mine")
        names = sorted(os.listdir(path))
        with pytest.raises(sill.UsageError, match="not a group of Zarr and is not replaced"):
            write(path)
        assert sorted(os.listdir(path)) == names


def test_all_links_to_a_dataset_have_one_lock(tmp_path):
    for ending in ("zarr", "h5", "nc"):
        (tmp_path / f"link.{ending}").symlink_to(f"real.{ending}")
        with two(tmp_path / f"link.{ending}") as d:
            d["u"][0], d["v"][0] = numpy.zeros(4), numpy.zeros(4)
            d.sync()
            with pytest.raises(sill.IoError, match="another run is writing this dataset"):
                with two(tmp_path / f"real.{ending}") as other:
                    other["u"][0], other["v"][0] = numpy.ones(4), numpy.ones(4)
        assert (tmp_path / f"link.{ending}").is_symlink() and (tmp_path / f"real.{ending}").exists()


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("codec", ["none", "gzip", "zstd", "blosc", "sharded"])
def test_arrays_of_zarr_python(tmp_path, version, order, codec):
    group = zarr.open_group(tmp_path / "g.zarr", mode="w", zarr_format=version)
    rng = numpy.random.default_rng(3)
    sharded = codec == "sharded" and version == 3
    values = {}
    for name in ("i1", "u2", "i4", "u8", "f4", "f8"):
        dtype = numpy.dtype(name).newbyteorder("<" if order == "little" else ">")
        values[name] = (rng.normal(size=(11, 6)) * 50).astype(dtype)
        compressor = {
            "gzip": zarr.codecs.GzipCodec(level=3),
            "zstd": zarr.codecs.ZstdCodec(level=2, checksum=True),
            "blosc": zarr.codecs.BloscCodec(cname="zstd", shuffle="bitshuffle"),
        }
        if version == 2:
            compressor = {"gzip": numcodecs.GZip(3), "zstd": numcodecs.Zstd(2), "blosc": numcodecs.Blosc("lz4")}
        array = group.create_array(
            name,
            shape=(11, 6),
            chunks=(2, 3),
            shards=(4, 6) if sharded else None,
            dtype=dtype,
            compressors=compressor.get(codec),
            fill_value=3,
            filters=None,
            dimension_names=("y", "x") if version == 3 else None,
        )
        if version == 2:
            array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
        array[:7] = values[name][:7]  # other chunks do not exist
        values[name][7 + 1 :] = 3
        values[name][7] = array[7]
    group.create_array("words", shape=(2,), chunks=(2,), dtype="complex64")
    with pytest.warns(UserWarning, match="without array words: data type"):
        opened = sill.Dataset(tmp_path / "g.zarr")
    with opened as d:
        assert sorted(d.variables) == sorted(values)
        assert sorted(d.dimensions) == ["x", "y"]
        for name, expected in values.items():
            assert numpy.array_equal(d[name][...], expected), name
            assert numpy.array_equal(d[name][6:11, 1:], expected[6:11, 1:]), name


def test_damaged_chunks_are_errors(tmp_path):
    path = write(tmp_path / "u.zarr", "codec=zstd,chunks=7x16", steps=1)
    shard = path / "u/c/0/0/0"
    intact = shard.read_bytes()
    shard.write_bytes(intact[:-20] + bytes([intact[-20] ^ 1]) + intact[-19:])
    with sill.Dataset(path) as d, pytest.raises(sill.InputError, match="index of the shard"):
        d["u"][0]
    shard.write_bytes(b"\0" * 12 + intact[12:])
    with sill.Dataset(path) as d, pytest.raises(sill.InputError, match=r"chunk \(0, 0, 0\) of variable u is damaged"):
        d["u"][0]
    shape = '{"zarr_format":3,"node_type":"array","shape":[1,1],"data_type":"int8","chunk_grid":{"name":"regular",'
    shape += '"configuration":{"chunk_shape":[1073741824,1073741824]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,'
    shape += '"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,1],"codecs":[{"name":"bytes"}],'
    shape += '"index_codecs":[{"name":"bytes"}]}}]}'
    (path / "zarr.json").write_text(shape)
    with pytest.warns(UserWarning, match="too many chunks"):
        sill.Dataset(path).close()
    (path / "zarr.json").write_text('{"a":' * 100000 + "1" + "}" * 100000)
    with pytest.raises(sill.InputError, match="nested too deeply"):
        sill.Dataset(path)
    (path / "zarr.json").write_text("{")
    with pytest.raises(sill.InputError, match=r"(?s)metadata.*u\.zarr/zarr\.json"):
        sill.Dataset(path)


def two(path, mode="w", **options):
    d = sill.Dataset(path, mode, dims={"time": None, "x": 4}, **options)
    d.createVariable("u", "f4", ("time", "x"))
    d.createVariable("v", "i4", ("time", "x"), fill_value=-1)
    return d


def test_steps_that_are_replaced_leave_nothing(tmp_path):
    path = tmp_path / "u.zarr"
    with two(path) as d:
        for step in range(3):
            d["u"][step] = numpy.full(4, step)
            d["v"][step] = numpy.full(4, 10 + step)
    with two(path, "a", first_step=1) as d:
        for step in (1, 2):
            d["u"][step] = numpy.full(4, step)  # v has no elements any more
    assert zarr.open_group(path)["v"][...].tolist() == [[10] * 4, [-1] * 4, [-1] * 4]


def test_only_what_sill_wrote_is_appended_to(tmp_path):
    path = tmp_path / "u.zarr"
    group = zarr.open_group(path, mode="w")
    array = group.create_array("u", shape=(2, 4), chunks=(1, 4), dtype="f4", fill_value=0, dimension_names=("time", "x"))
    array[:] = 1
    before = files_of(path)
    with pytest.raises(sill.UsageError, match="not those that Sill writes"):
        with sill.Dataset(path, "a") as d:
            d["u"][0] = numpy.zeros(4)
    assert files_of(path) == before
    with pytest.raises(sill.UsageError, match="codec of variable"):
        with two(tmp_path / "v.zarr", codec="zstd:3") as d:
            d["u"][0] = numpy.zeros(4)
        with two(tmp_path / "v.zarr", "a", codec="zstd:9") as d:
            d["u"][1] = numpy.zeros(4)


def test_a_dataset_without_steps_goes_on(tmp_path):
    two(tmp_path / "u.zarr").close()
    with two(tmp_path / "u.zarr", "a") as d:
        d["u"][0] = numpy.arange(4)
    assert zarr.open_group(tmp_path / "u.zarr")["u"][...].tolist() == [[0, 1, 2, 3]]


def test_a_step_with_a_wrong_value_is_repeated(tmp_path):
    with two(tmp_path / "u.zarr", codec="deflate:9", chunks=(3,)) as d:
        with pytest.raises(sill.UsageError, match="range"):
            d["v"][0, 0:2] = numpy.array([2.0**40, 1])
        d["v"][0, 0:2] = numpy.array([7, 8])
        d["v"][0, 2:] = numpy.array([9, 10])
        d["u"][0] = numpy.arange(4)
    group = zarr.open_group(tmp_path / "u.zarr")
    assert group["v"][...].tolist() == [[7, 8, 9, 10]]
    with pytest.raises(sill.UsageError, match="1 to 9"):
        two(tmp_path / "v.zarr", codec="deflate:12").begin()


def test_many_variables_and_several_shards(tmp_path):
    with sill.Dataset(tmp_path / "u.zarr", "w", dims={"time": None, "x": 3}) as d:
        for i in range(600):
            d.createVariable(f"u{i}", "i4", ("time", "x"))
        for i in range(600):
            d[f"u{i}"][0] = numpy.arange(3) + i
    group = zarr.open_group(tmp_path / "u.zarr")
    assert all(group[f"u{i}"][0].tolist() == [i, i + 1, i + 2] for i in range(0, 600, 99))


def test_a_folder_that_is_removed_meanwhile_is_an_error(tmp_path):
    for removed in ("u.zarr", "u.zarr/u"):
        with pytest.raises(sill.IoError, match="removed while it was written"):
            with two(tmp_path / "u.zarr") as d:
                for step in range(3):
                    d["u"][step] = numpy.full(4, step)
                    d["v"][step] = numpy.full(4, step)
                    if step == 1:
                        d.sync()
                        shutil.rmtree(tmp_path / removed)


def test_append_notices_what_others_changed(tmp_path):
    path = tmp_path / "u.zarr"
    with two(path) as d:
        d["u"][0] = numpy.zeros(4)
    array = zarr.open_group(path, mode="r+", use_consolidated=False)["u"]
    array.resize((2, 4))
    array[1] = 5
    with pytest.raises(sill.UsageError, match="not those that Sill writes"):
        with two(path, "a") as d:
            d["u"][1] = numpy.zeros(4)
    assert array[1].tolist() == [5] * 4


def test_append_to_a_dataset_next_to_an_empty_group(tmp_path):
    path = tmp_path / "u.zarr"
    with two(path) as d:
        d["u"][0] = numpy.zeros(4)
    (path / "empty").mkdir()
    (path / "empty/zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    with two(path, "a") as d:
        d["u"][1] = numpy.ones(4)
    assert zarr.open_array(path / "u")[:].tolist() == [[0] * 4, [1] * 4]


def test_append_notices_chunks_that_no_array_has(tmp_path):
    path = tmp_path / "u.zarr"
    with two(path) as d:
        d["u"][0] = numpy.zeros(4)
    shutil.copytree(path / "u/c/0", path / "u/c/1")  # of a step that a killed run did not complete
    with two(path, "a") as d:
        d["u"][1] = numpy.ones(4)
    shutil.copy(path / "u/c/0/0", path / "u/c/0/9")
    before = files_of(path)
    with pytest.raises(sill.UsageError, match="array u: 1 file of chunks is not part of it: c/0/9"):
        two(path, "a").close()
    assert files_of(path) == before


@pytest.mark.parametrize("ending", ["zarr", "nc"])
def test_long_names_that_begin_alike_have_locks_of_their_own(tmp_path, ending):
    paths = [tmp_path / ("n" * 240 + f"{i}.{ending}") for i in range(2)]
    with two(paths[0]) as first, two(paths[1]) as second:
        for d, value in ((first, 1), (second, 2)):
            d["u"][0] = numpy.full(4, value)
    for path, value in zip(paths, (1, 2), strict=True):
        with sill.Dataset(path) as d:
            assert (d["u"][0] == value).all()


def test_masks_of_version_2_and_infinite_attributes(tmp_path):
    ds = xarray.Dataset({"u": ("x", numpy.array([1.5, numpy.nan, 3]))}, attrs={"bad": numpy.nan})
    ds.to_zarr(
        tmp_path / "a.zarr",
        zarr_format=2,
        encoding={"u": {"dtype": "i2", "_FillValue": -9, "scale_factor": 0.5, "compressors": [numcodecs.Zlib()]}},
    )
    zarr.open_group(tmp_path / "a.zarr", mode="r+").attrs["limits"] = [0.0, float("inf")]
    with sill.Dataset(tmp_path / "a.zarr") as d:
        assert d.getncattr("limits").tolist() == [0, numpy.inf]
        assert d["u"].getncattr("_FillValue") == -9


def test_values_of_variables_in_attributes_are_numbers(tmp_path):
    """JSON has no NaN, so they are texts there; other texts remain texts."""
    numbers = {"missing_value": numpy.nan, "valid_min": -numpy.inf, "valid_max": numpy.inf}
    with sill.Dataset(tmp_path / "a.zarr", "w", dims={"x": 2}) as d:
        for name in ("f4", "f8"):
            values = {each: numpy.dtype(name).type(value) for each, value in numbers.items()}
            d.createVariable(name, name, ("x",), attributes=values | {"comment": "NaN"})
        d.write({"f4": numpy.ones(2, "f4"), "f8": numpy.ones(2)})
    with sill.Dataset(tmp_path / "a.zarr") as d:
        for name in ("f4", "f8"):
            for each, value in numbers.items():
                read = numpy.asarray(d[name].getncattr(each))
                assert read.dtype == name and numpy.array_equal(read, value, equal_nan=True)
            assert d[name].comment == "NaN"


def test_codecs_of_other_containers_are_refused(tmp_path):
    for options in ({"codec": "zstd"}, {"chunks": (2,)}):
        with pytest.raises(sill.UsageError, match="container netcdf"):
            two(tmp_path / "u.nc", **options).begin()


def test_unused_dimensions_do_not_prevent_appending(tmp_path):
    for name, options in (("u.zarr", {}), ("u.h5", {"steps": 3}), ("u.nc4", {"steps": 3}), ("u.nc", {})):
        for mode, step in (("w", 0), ("a", 1)):
            with sill.Dataset(tmp_path / name, mode, dims={"x": 2, "time": None, "unused": 7}, **options) as d:
                d.createVariable("u", "f4", ("time", "x"))
                d["u"][step] = [step, 1]
        with sill.Dataset(tmp_path / name) as d:
            assert d["u"][...].tolist() == [[0, 1], [1, 1]], name


def test_changed_bytes_of_zstd_are_an_error(tmp_path):
    """One bit of each chunk: frames of zstd have a checksum, as zarr.json states."""
    path = write(tmp_path / "u.zarr", "codec=zstd,chunks=30x40", steps=1)
    file = next(p for p in (path / "u").rglob("*") if p.is_file() and p.name != "zarr.json")
    intact = file.read_bytes()
    for at in range(20, len(intact) - 24, max(1, len(intact) // 40)):  # the index of the shard has a checksum of its own
        file.write_bytes(intact[:at] + bytes([intact[at] ^ 4]) + intact[at + 1 :])
        with pytest.raises(sill.InputError, match="u"), sill.Dataset(path) as d:
            d["u"][0]


def test_append_after_a_kill_between_two_files_of_metadata(tmp_path):
    path = write(tmp_path / "u.zarr", steps=2)
    ahead = write(tmp_path / "ahead.zarr", steps=3)
    shutil.copy(ahead / "u/zarr.json", path / "u/zarr.json")
    with sill.Dataset(path, "a") as d:
        d["time"][2] = 1.0
        d["u"][2] = U[2]
    with xarray.open_zarr(path) as opened:
        assert numpy.array_equal(opened.u.values, U[:3])


def test_lengths_that_another_program_copied_do_not_hide_arrays(tmp_path):
    path = write(tmp_path / "u.zarr", steps=1)
    with xarray.open_zarr(path) as opened:
        opened[["mask", "big"]].isel(x=slice(0, 8)).to_zarr(tmp_path / "part.zarr")
    with sill.Dataset(tmp_path / "part.zarr") as d:
        assert d["mask"].shape == (SHAPE[1], 8)
        assert numpy.array_equal(d["mask"][...], numpy.arange(1200, dtype="i2").reshape(SHAPE[1:])[:, :8])
