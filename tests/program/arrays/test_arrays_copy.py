"""`sill arrays copy` and `compare`: the layout of PnetCDF for any types, values that netCDF reads, what differs."""

import json
import subprocess
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy
import pnetcdf
import pytest
import xarray
from program import TIMEOUT_S

CLASSIC = ["i1", "text", "i2", "i4", "f4", "f8"]
ALL = [*CLASSIC, "u1", "u2", "u4", "i8", "u8"]


def definitions(version: int, **hints):
    """Variables of every type, with and without steps, of sizes that are no multiples of 4."""
    types = ALL if version == 5 else CLASSIC
    variables = [["scalar", "f8", [], []]]
    for kind in types:
        attributes = [["of", "text", f"type {kind}"]]
        if kind != "text":
            attributes.append(["valid_range", kind, [0, 99, 7]])
        variables.append([f"fixed_{kind}", kind, ["y", "x"], attributes])
        variables.append([f"steps_{kind}", kind, ["time", "x"], attributes])
    return {
        "version": version,
        "hints": hints,
        "dimensions": [["time", 0], ["y", 3], ["x", 7]],
        "attributes": [["title", "text", "all types"], ["levels", "f4", [0.5, 1.5]]],
        "variables": variables,
        "steps": 5,
    }


def write_by_pnetcdf(path, described):
    subprocess.run([sys.executable, pnetcdf.__file__, path, json.dumps(described)], check=True, timeout=TIMEOUT_S)


def version_of(described):
    return ["--cdf-version", described["version"]]


@pytest.mark.parametrize("version", [1, 2, 5])
@pytest.mark.parametrize("ranks", [None, 2, 3])
def test_the_layout_is_that_of_pnetcdf(sill, tmp_path, version, ranks):
    described = definitions(version)
    write_by_pnetcdf(tmp_path / "a.nc", described)
    sill.run("arrays", "copy", tmp_path / "a.nc", "-o", tmp_path / "b.nc", *version_of(described), ranks=ranks)
    assert (tmp_path / "b.nc").read_bytes() == (tmp_path / "a.nc").read_bytes()


HINTS = {"--align": "nc_header_align_size", "--variable-align": "nc_var_align_size", "--record-align": "nc_record_align_size"}


@pytest.mark.parametrize("kinds", ["fixed", "steps", "both", "none"])
@pytest.mark.parametrize(
    "aligned",
    [{"--align": 4}, {"--variable-align": 256}, {"--record-align": 1024}, {"--align": 4096, "--variable-align": 64, "--record-align": 2048}],
    ids=str,
)
def test_alignments_are_those_of_pnetcdf(sill, tmp_path, kinds, aligned):
    described = definitions(5, **{HINTS[option]: bytes for option, bytes in aligned.items()})
    if kinds != "both":
        described["variables"] = [each for each in described["variables"] if each[0].startswith(kinds)]
    write_by_pnetcdf(tmp_path / "a.nc", described)
    options = [*version_of(described), *(part for pair in aligned.items() for part in pair)]
    sill.run("arrays", "copy", tmp_path / "a.nc", "-o", tmp_path / "b.nc", *options)
    assert (tmp_path / "b.nc").read_bytes() == (tmp_path / "a.nc").read_bytes()


def test_records_of_one_odd_variable_are_those_of_pnetcdf(sill, tmp_path):
    described = definitions(2)
    described["variables"] = [["bytes", "i1", ["time", "x"], []]]
    write_by_pnetcdf(tmp_path / "a.nc", described)
    sill.run("arrays", "copy", tmp_path / "a.nc", "-o", tmp_path / "b.nc")
    assert (tmp_path / "b.nc").read_bytes() == (tmp_path / "a.nc").read_bytes()


def test_some_variables_and_steps_with_other_types(sill, tmp_path):
    write_by_pnetcdf(tmp_path / "a.nc", definitions(5))
    chosen = ["--variables", "steps_f8,fixed_i4", "--type", "steps_f8:i2", "--type", "fixed_i4:f8"]
    some = ["--first-step", 1, "--steps", 3]
    sill.run("arrays", "copy", tmp_path / "a.nc", "-o", tmp_path / "b.nc", *chosen, *some, ranks=2)
    with netCDF4.Dataset(tmp_path / "a.nc") as a, netCDF4.Dataset(tmp_path / "b.nc") as b:
        a.set_auto_mask(False)
        b.set_auto_mask(False)
        assert list(b.variables) == ["fixed_i4", "steps_f8"]
        assert b["steps_f8"].dtype == "i2"
        assert b["fixed_i4"].dtype == "f8"
        assert numpy.array_equal(b["steps_f8"][:], a["steps_f8"][1:4])
        assert numpy.array_equal(b["fixed_i4"][:], a["fixed_i4"][:])


def test_what_cannot_be_copied_is_refused_and_leaves_nothing(sill, tmp_path):
    source, target = tmp_path / "a.nc", tmp_path / "b.nc"
    write_by_pnetcdf(source, definitions(5))

    def refused(*options):
        error = sill.run("arrays", "copy", source, "-o", target, *options, expect=2).err
        assert [path.name for path in tmp_path.iterdir()] == ["a.nc"]
        return error

    assert "did you mean steps_f4" in refused("--variables", "step_f4")
    assert "does not name the type" in refused("--type", "steps_f4:float")
    assert "has type u1, which CDF-2 lacks" in refused("--cdf-version", 2)
    assert "6 steps from step 0 are requested, but the dataset has 5" in refused("--steps", 6)
    assert "text is not a number" in refused("--type", "fixed_text:i4")
    assert "give a multiple of 4" in refused("--align", 6)
    target = tmp_path / "b.h5"
    assert "chunks of 7 dimensions are given, but no variable has 7" in refused("--chunks", "1x1x1x1x1x1x1")
    target = tmp_path / "b.nc"
    with netCDF4.Dataset(source, "r+") as file:
        file["steps_f8"][2, 3] = 40000
    assert "the value 40000 of type f8 is outside the range of type i2" in refused("--type", "steps_f8:i2")
    sill.run("arrays", "copy", source, "-o", target, "--type", "steps_f8:i2", expect=2, ranks=2)
    assert not target.exists()
    target.write_bytes(b"mine")
    sill.run("arrays", "copy", source, "-o", target, "--type", "steps_f8:i2", expect=2)
    assert target.read_bytes() == b"mine"
    sill.run("arrays", "copy", source, "-o", target)
    assert target.read_bytes() != b"mine"
    sill.run("arrays", "compare", source, target)


@pytest.mark.parametrize("ranks", [None, 2])
def test_compare_says_where_files_differ(sill, tmp_path, ranks):
    a, b = tmp_path / "a.nc", tmp_path / "b.nc"
    write_by_pnetcdf(a, definitions(2))
    sill.run("arrays", "copy", a, "-o", b, "--type", "fixed_f4:f8", "--cdf-version", 5)
    text = sill.run("arrays", "compare", a, b, ranks=ranks).out
    assert text == "equal: 13 variables, 337 values\n"
    with netCDF4.Dataset(b, "r+") as file:
        file["steps_f8"][2, 3] += 0.5
        file["steps_f8"][4, 1] += 1e-9
        file["fixed_f4"].units = "m"
    text = sill.run("arrays", "compare", a, b, expect=1, ranks=ranks).out
    assert text.splitlines() == [
        "attributes of variable fixed_f4 differ: units",
        "variable steps_f8: 2 of 35 values differ, by at most 0.5, the first at step 2, (3)",
    ]
    text = sill.run("arrays", "compare", a, b, "--relative", "1e-6", expect=1, ranks=ranks).out
    assert "1 of 35 values differ" in text


def test_compare_is_exact(sill, tmp_path):
    """Integers of 8 bytes, infinities, NaN, types that differ."""

    def file_with(name, kind, values):
        with netCDF4.Dataset(tmp_path / name, "w", format="NETCDF3_64BIT_DATA") as file:
            file.createDimension("x", len(values))
            file.createVariable("v", kind, ("x",))[:] = numpy.array(values, dtype=kind)
        return tmp_path / name

    def lines(a, b, *options, expect=1):
        return sill.run("arrays", "compare", a, b, *options, expect=expect).out.splitlines()

    large = file_with("large.nc", "i8", [2**53, 2**60, -(2**62)])
    one_off = file_with("one_off.nc", "i8", [2**53 + 1, 2**60, -(2**62)])
    assert lines(large, one_off) == ["variable v: 1 of 3 values differ, by at most 1, the first at (0)"]
    assert lines(large, one_off, "--absolute", 1, expect=0) == ["equal: 1 variables, 3 values"]
    unsigned = file_with("unsigned.nc", "u8", [2**53, 2**60, 2**63])
    for wrong in ("nan", "-1", "inf"):
        sill.run("arrays", "compare", large, large, "--absolute", wrong, expect=2)
    assert lines(large, unsigned) == ["variable v: types i8 and u8, for which no common type exists"]
    inf = float("inf")
    floats = file_with("floats.nc", "f8", [1.0, inf, float("nan"), 2.5])
    others = file_with("others.nc", "f8", [inf, -inf, float("nan"), 2.5])
    assert lines(floats, others, "--relative", 0.5)[0].startswith("variable v: 2 of 4 values differ, by at most inf")
    assert lines(floats, floats, expect=0) == ["equal: 1 variables, 4 values"]
    small = file_with("small.nc", "i2", [1, 2, 3])
    longer = file_with("longer.nc", "f4", [1, 2, 3])
    assert lines(small, longer, expect=0) == ["equal: 1 variables, 3 values"]


def test_compare_looks_at_the_names_of_dimensions(sill, tmp_path):
    for name, dimensions in (("a.nc", ("x", "y")), ("b.nc", ("y", "x"))):
        with netCDF4.Dataset(tmp_path / name, "w", format="NETCDF3_CLASSIC") as file:
            file.createDimension("x", 3)
            file.createDimension("y", 3)
            file.createVariable("v", "f4", dimensions)[:] = 1
    text = sill.run("arrays", "compare", tmp_path / "a.nc", tmp_path / "b.nc", expect=1).out
    assert text == "variable v: dimensions (x, y) and (y, x)\n"


def test_steps_that_are_not_there_cost_nothing(sill, tmp_path):
    """A step of 2**57 bytes, of which the file has none."""
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        file.createDimension("t")
        for name in "xyz":
            file.createDimension(name, 2**18)
        file.createVariable("v", "f8", ("t", *"xyz"))
    sill.run("arrays", "copy", path, "-o", tmp_path / "b.nc")
    sill.run("arrays", "compare", path, tmp_path / "b.nc")


def test_a_header_beyond_all_measure_is_refused(sill, tmp_path):
    path = tmp_path / "a.nc"
    name = b"\0\0\0\1a\0\0\0"
    path.write_bytes(b"CDF\1" + bytes(12) + b"\0\0\0\x0c\0\0\0\1" + name + b"\0\0\0\1" + (2**31).to_bytes(4, "big"))
    with path.open("r+b") as file:
        file.truncate(2**31 + 100)  # takes no room on disk
    assert "the header of the file is longer than" in sill.run("arrays", "info", path, expect=3).err


def test_a_new_type_is_that_of_the_fill_value(sill, tmp_path):
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("x", 3)
        file.createVariable("v", "f8", ("x",), fill_value=-9.0)[:] = [1, 2, -9]
        file.createVariable("w", "f8", ("x",), fill_value=1e30)[:] = [1, 2, 3]
    sill.run("arrays", "copy", path, "-o", tmp_path / "b.nc", "--type", "v:i2")
    with netCDF4.Dataset(tmp_path / "b.nc") as file:
        assert file["v"]._FillValue.dtype == "i2"
        assert list(file["v"][:].mask) == [False, False, True]
    error = sill.run("arrays", "copy", path, "-o", tmp_path / "c.nc", "--type", "w:i2", expect=2).err
    assert "variable w, _FillValue: the value 1e+30 of type f8 is outside the range of type i2" in error


@pytest.mark.parametrize("ending", ["nc", "zarr", "nc4"])
def test_the_fill_values_of_other_programs_get_the_type_of_their_variables(sill, tmp_path, ending):
    path, copy = tmp_path / "a.h5", tmp_path / f"b.{ending}"
    fills = {"f4": numpy.float64(1e20), "i4": numpy.int64(-9), "u1": numpy.int8(-1), "i2": numpy.float64(2.5), "f8": "x"}
    with h5py.File(path, "w") as file:
        for kind, fill in fills.items():
            file.create_dataset(kind, data=numpy.array([1, 2, 3], kind)).attrs["_FillValue"] = fill
    result = sill.run("arrays", "copy", path, "-o", copy)
    for kind, text in (("u1", "-1 of type i1"), ("i2", "2.5 of type f8"), ("f8", "x of type text")):
        assert f"variable {kind}: _FillValue {text} is not a value of type {kind}, and is omitted" in result.err, result.err
    assert "variable f4" not in result.err and "variable i4" not in result.err
    with xarray.open_dataset(copy, mask_and_scale=False, **({"engine": "zarr"} if ending == "zarr" else {})) as found:
        for kind in fills:
            assert found[kind].dtype == kind and found[kind].values.tolist() == [1, 2, 3]
        attributes = {kind: found[kind].attrs.get("_FillValue") for kind in fills}
        assert {kind: value for kind, value in attributes.items() if value is not None} == {"f4": numpy.float32(1e20), "i4": -9}
    assert "not read" not in sill.run("arrays", "info", copy).out


@pytest.mark.parametrize("kind", ["i4", "i2", "u1", "f8"])
def test_a_type_needs_no_room_for_the_fill_value_that_sill_adds(sill, tmp_path, kind):
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_64BIT_DATA") as file:
        file.createDimension("x", 3)
        file.createVariable("u", "f4", ("x",), fill_value=netCDF4.default_fillvals["f4"])[:] = [1, 2, 3.5]
    sill.run("arrays", "copy", tmp_path / "a.nc", "-o", tmp_path / "b.nc", "--type", f"u:{kind}")
    with netCDF4.Dataset(tmp_path / "b.nc") as file:
        assert file["u"].dtype == kind and file["u"][:].tolist() == [1, 2, 3.5 if kind == "f8" else 3]
        assert ("_FillValue" in file["u"].ncattrs()) == (kind == "f8")
    with netCDF4.Dataset(tmp_path / "a.nc", "r+") as file:
        file["u"][1:2] = numpy.ma.masked_all(1)
    if kind != "f8":
        error = sill.run("arrays", "copy", tmp_path / "a.nc", "-o", tmp_path / "c.nc", "--type", f"u:{kind}", expect=2).err
        assert "outside the range of type" in error


@pytest.mark.parametrize("ending", ["nc4", "h5"])
@pytest.mark.parametrize("dimensions", [("time", "x"), ("x",)])
def test_a_copy_without_steps_has_none(sill, tmp_path, ending, dimensions):
    path, copy = tmp_path / "a.nc", tmp_path / f"b.{ending}"
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("time")
        file.createDimension("x", 3)
        file.createVariable("u", "f4", dimensions)
        file.createVariable("s", "f8", ())[...] = 5
    result = sill.run("arrays", "copy", path, "-o", copy)
    assert ".part" not in result.err and "zeros" not in result.err, result.err
    if "time" in dimensions:  # a chunked file has only dimensions of variables
        sill.run("arrays", "compare", path, copy)
    with netCDF4.Dataset(copy) as file:
        assert file["u"].shape == (0, 3)[-len(dimensions) :] and file["s"][...] == 5
        if "time" in file.dimensions:
            assert len(file.dimensions["time"]) == 0


def test_a_note_of_a_copy_names_the_copy(sill, tmp_path):
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("time")
        for each, length in (("z", 2), ("y", 2), ("x", 2)):
            file.createDimension(each, length)
        file.createVariable("u", "f4", ("time", "z", "y", "x"))
    result = sill.run("arrays", "copy", tmp_path / "a.nc", "-o", tmp_path / "b.vtkhdf")
    assert "b.vtkhdf: 0 of the 1 steps" in result.err and ".part" not in result.err, result.err


def test_a_file_of_the_netcdf_library_is_read(sill, tmp_path):
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("t")
        file.createDimension("x", 1000)
        file.createVariable("v", "f4", ("t", "x"))[:] = numpy.arange(3000.0).reshape(3, 1000)
        file.history = "made by hand"
    sill.run("arrays", "copy", path, "-o", tmp_path / "b.nc", ranks=2)
    with netCDF4.Dataset(tmp_path / "b.nc") as file:
        assert file.history == "made by hand"
        assert numpy.array_equal(file["v"][:].ravel(), numpy.arange(3000.0))


def test_a_variable_passes_in_pieces(sill, tmp_path):
    """One of 40 MB, of which a rank has room for a quarter of one."""
    path = Path(tmp_path / "a.nc")
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        for name, length in (("z", 10), ("y", 1000), ("x", 1000)):
            file.createDimension(name, length)
        file.createVariable("v", "f4", ("z", "y", "x"))[:] = numpy.arange(1e7).reshape(10, 1000, 1000)
    options = tmp_path / "options.toml"
    options.write_text('memory = "1M"\n')
    sill.run("arrays", "copy", path, "-o", tmp_path / "b.nc", env={"SILL_OPTIONS": str(options)}, ranks=2)
    sill.run("arrays", "compare", path, tmp_path / "b.nc")


@pytest.mark.parametrize("ending", ["nc4", "h5"])
@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF4"])
def test_empty_texts_are_equal_in_every_container(sill, tmp_path, form, ending):
    """netCDF4 stores an empty text as one zero in netCDF-3, and HDF5 has no texts without bytes."""
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format=form) as file:
        file.title, file.ended = "", "text\0"
        file.createDimension("x", 3)
        file.createVariable("v", "f4", ("x",))[:] = 1
    out = tmp_path / f"b.{ending}"
    sill.run("arrays", "copy", tmp_path / "a.nc", "-o", out)
    sill.run("arrays", "compare", tmp_path / "a.nc", out)
    with netCDF4.Dataset(out) as file:
        assert file.title == "" and file.ended.rstrip("\0") == "text"
    with netCDF4.Dataset(tmp_path / "a.nc", "a") as file:
        file.title = "a"
    assert "attributes of the files differ: title" in sill.run("arrays", "compare", tmp_path / "a.nc", out, expect=1).out
