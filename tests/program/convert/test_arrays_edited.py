"""Arrays that were changed, or lost parts, become SEG-Y as stated or are refused, never without a word."""

import shutil
import warnings

import h5py
import numpy as np
import pytest
import xarray
import zarr
from survey_arrays import grid_file


def opened(path):
    with xarray.open_dataset(path, engine="netcdf4", decode_cf=False) as found:
        return found.load()


@pytest.fixture(scope="module")
def arrays(sill, tmp_path_factory):
    """A survey with a hole, as netCDF; the position of the hole is that of the last trace of the grid."""
    folder = tmp_path_factory.mktemp("arrays")
    file = grid_file()
    file = file.permuted(np.arange(file.traces - 1))
    path = file.write(folder / "in.sgy")
    sill.run("convert", path, "-o", folder / "a.nc", "--dimensions", "inline,crossline")
    return file, path, opened(folder / "a.nc")


CHANGES = {
    "inline was changed": lambda d: d.assign_coords(inline=d.inline + 1000),
    "crossline was changed": lambda d: d.assign_coords(crossline=d.crossline[::-1].values),
    "twt was changed": lambda d: d.assign_coords(twt=d.twt + 0.1),
    "text_header was changed": lambda d: d.assign_attrs(text_header=d.text_header.replace("C", "D", 1)),
    "trace_mask is 0": lambda d: d.assign(trace_mask=d.trace_mask.where(d.trace != 3, 0)),
    "samples or trace_mask were set": lambda d: d.assign(trace_mask=d.trace_mask.where(d.trace != -1, 1)),
    "samples or trace_mask were set at": lambda d: d.assign(samples=d.samples.where(d.trace != -1, 1)),
    "trace_mask has other dimensions": lambda d: d.assign(trace_mask=d.trace_mask.transpose()),
}


@pytest.mark.parametrize("reason", CHANGES)
def test_what_cannot_be_written_is_refused(sill, tmp_path, arrays, reason):
    CHANGES[reason](arrays[2]).to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    refused = sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy", expect=(2, 3))
    assert reason in refused.reason and not (tmp_path / "back.sgy").exists()
    if reason == "trace_mask is 0":
        assert "trace:  4" in refused.text


def test_what_is_removed_or_moved_together_is_written(sill, tmp_path, arrays):
    file, path, dataset = arrays
    back = tmp_path / "back.sgy"
    for change in (
        lambda d: d,
        lambda d: d.drop_vars(["inline", "crossline", "twt", "trace_mask"]).drop_attrs(deep=False).assign_attrs(
            {k: v for k, v in d.attrs.items() if k != "text_header"}
        ),
        lambda d: d.isel(inline=slice(None, None, -1)).drop_vars("inline"),
        lambda d: d.assign(samples=d.samples.fillna(0)),
    ):
        change(dataset).to_netcdf(tmp_path / "b.nc", format="NETCDF4")
        text = sill.run("convert", tmp_path / "b.nc", "-o", back).text
        assert back.read_bytes() == path.read_bytes() and "differ" not in text
    renumbered = dataset.drop_vars("inline").assign(iline=dataset.iline + 1000)
    renumbered.iline.attrs = dataset.iline.attrs
    renumbered.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    assert f"iline ({file.traces})" in sill.run("convert", tmp_path / "b.nc", "-o", back).out.replace("35", "34")


PACKED = {
    "samples": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -32768},
    "cdp": {"dtype": "i4", "add_offset": 100},
    "trace": {"dtype": "i4", "add_offset": 1},
    "trace_headers": {"dtype": "i2", "scale_factor": 2.0},
    "twt": {"dtype": "i4", "scale_factor": 0.001},
}


@pytest.mark.parametrize("ending", ["nc", "zarr"])
@pytest.mark.parametrize("name", PACKED)
def test_packed_values_are_refused(sill, tmp_path, arrays, name, ending):
    back, path = tmp_path / "back.sgy", tmp_path / f"b.{ending}"
    dataset = arrays[2].copy(deep=True)
    dataset.samples.attrs.pop("_FillValue")
    for each in dataset.variables.values():
        each.encoding = {}
    if ending == "zarr":
        dataset.to_zarr(path, zarr_format=3, consolidated=False, encoding={name: PACKED[name]})
    else:
        dataset.to_netcdf(path, format="NETCDF4", encoding={name: PACKED[name]})
    refused = sill.run("convert", path, "-o", back, expect=2)
    assert f"the values of {name} are packed" in refused.reason and "encoding.clear()" in refused.text
    assert not back.exists()


def changed(dataset, name, value, **attributes):
    """One element of a variable has another value: that of trace 14."""
    other = dataset.copy(deep=True)
    other[name].values[(2, 3, 4)[: other[name].ndim]] = value
    other[name].attrs.update(attributes)
    return other


# As `ds.where(...)` leaves them when xarray writes integers, and netCDF4-python where nothing was written.
MISSING = {
    "iline is -9999": lambda d: changed(d, "iline", -9999, _FillValue=np.int32(-9999)),
    "cdp is -1": lambda d: changed(d, "cdp", -1, missing_value=np.array([-2, -1], "i4")),
    "duse is -32767": lambda d: d.assign(duse=(d.iline.dims, np.full(d.iline.shape, -32767, "i2"))),
    "element 4 of samples is -9999": lambda d: changed(d, "samples", -9999, _FillValue=np.float32(-9999)),
    "element 4 of trace_headers is 171": lambda d: changed(d, "trace_headers", 171, _FillValue=np.uint8(171)),
    "trace is 13": lambda d: changed(d, "trace", 13, _FillValue=np.int64(13)),
}


@pytest.mark.parametrize("reason", MISSING)
def test_fill_values_of_traces_are_refused(sill, tmp_path, arrays, reason):
    MISSING[reason](arrays[2]).to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    refused = sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy", expect=3)
    assert f"{reason}, which means that it is missing" in refused.reason
    assert f"trace:  {1 if 'duse' in reason else 14}" in refused.text and not (tmp_path / "back.sgy").exists()


@pytest.mark.parametrize("form", ["nc", 2, 3])
def test_words_that_xarray_masked_are_refused(sill, tmp_path, arrays, form):
    dataset = arrays[2].copy(deep=True)
    dataset["cdp"] = dataset.cdp.where(dataset.trace != 13)
    dataset.samples.attrs.pop("_FillValue")
    for each in dataset.variables.values():
        each.encoding = {}
    path, encoding = tmp_path / f"b.{'nc' if form == 'nc' else 'zarr'}", {"cdp": {"dtype": "i4", "_FillValue": -9999}}
    if form == "nc":
        dataset.to_netcdf(path, format="NETCDF4", encoding=encoding)
    else:
        dataset.to_zarr(path, zarr_format=form, consolidated=False, encoding=encoding, write_empty_chunks=True)
    refused = sill.run("convert", path, "-o", tmp_path / "back.sgy", expect=3)
    assert "cdp is -9999" in refused.reason and "trace:  14" in refused.text


def test_a_fraction_in_a_word_is_refused(sill, tmp_path, arrays):
    other = arrays[2].copy(deep=True)
    other["ns"] = other.ns + 0.5
    other.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    refused = sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy", expect=3)
    assert "ns is 11.5, but the file holds integers of 2 bytes there" in refused.reason


@pytest.mark.parametrize("code", [3, 2])
def test_fill_values_of_integer_samples(sill, tmp_path, code):
    """They are values unless an attribute states otherwise."""
    file = grid_file(code=code)
    type_ = {2: "i4", 3: "i2"}[code]
    lowest = np.iinfo(type_).min
    raw = bytearray(file.to_bytes())
    begin = 3600 + 13 * (240 + 11 * np.dtype(type_).itemsize) + 240
    raw[begin : begin + 2 * np.dtype(type_).itemsize] = np.array([lowest, lowest + 1], ">" + type_).tobytes()
    (tmp_path / "in.sgy").write_bytes(raw)
    sill.run("convert", tmp_path / "in.sgy", "-o", tmp_path / "a.nc", "--dimensions", "inline,crossline")
    sill.run("convert", tmp_path / "a.nc", "-o", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == raw
    dataset = opened(tmp_path / "a.nc")
    assert "_FillValue" not in dataset.samples.attrs
    dataset.samples.attrs["_FillValue"] = np.array(lowest + 1, type_)[()]
    dataset.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    refused = sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "b.sgy", expect=3)
    assert f"element 1 of samples is {lowest + 1}" in refused.reason and "trace:  14" in refused.text


def test_words_of_the_file_may_be_fill_values(sill, tmp_path):
    """What trace_headers have, too, was in the file."""
    file = grid_file()
    file.put_word("cdp", np.where(np.arange(file.traces) == 13, -2147483647, file.word("cdp")))
    file.put_word("duse", -32767)
    path = file.write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "a.nc", "--dimensions", "inline,crossline")
    for attributes in ({}, {"_FillValue": np.int32(-2147483647)}):
        dataset = opened(tmp_path / "a.nc")
        dataset.cdp.attrs.update(attributes)
        dataset.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
        sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy")
        assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()


def test_neutral_packing_is_none(sill, tmp_path, arrays):
    _, path, dataset = arrays
    other = dataset.copy(deep=True)
    other.samples.attrs.update(scale_factor=1.0, add_offset=0)
    other.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()


WORDS_WITHOUT_ATTRIBUTES = {
    "iline": lambda d: d.assign(iline=(d.iline.dims, d.iline.values + 1)),
    "xline": lambda d: d.assign(xline=d.iline * 100 + d.xline),
    "duse": lambda d: d.assign(duse=(d.iline.dims, np.full(d.iline.shape, 7, "i2"))),  # 0 in all traces of the file
}


@pytest.mark.parametrize("name", WORDS_WITHOUT_ATTRIBUTES)
def test_words_need_no_attributes(sill, tmp_path, arrays, name):
    file, _, dataset = arrays
    assert "duse" not in dataset
    other = WORDS_WITHOUT_ATTRIBUTES[name](dataset)
    assert "byte" not in other[name].attrs
    other.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    text = sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy").out
    expected = file.copy().put_word(name, other[name].values.ravel()[: file.traces])
    assert f"{name} ({file.traces})" in text
    assert (tmp_path / "back.sgy").read_bytes() == expected.to_bytes()


def test_a_word_made_again_by_h5py_is_written(sill, tmp_path, arrays):
    file, path, _ = arrays
    sill.run("convert", path, "-o", tmp_path / "a.h5", "--dimensions", "inline,crossline")
    with h5py.File(tmp_path / "a.h5", "r+") as found:
        values, scales = found["cdp"][:], [found["inline"], found["crossline"]]
        del found["cdp"]
        made = found.create_dataset("cdp", data=values + 3)
        for dimension, scale in zip(made.dims, scales, strict=True):
            dimension.attach_scale(scale)
    sill.run("convert", tmp_path / "a.h5", "-o", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == file.copy().put_word("cdp", file.word("cdp") + 3).to_bytes()


OTHER_WORDS = {
    "line0 has the attribute byte 189, that of iline, but": lambda d: d.assign(line0=d.iline - 1),
    "mean has the attribute byte 189, that of iline, but": lambda d: d.assign(mean=d.iline.mean("crossline")),
    "low has the attribute byte 23, but": lambda d: d.assign(low=d.cdp.assign_attrs(byte=23, type="i2")),
    "iline has the attributes of another word": lambda d: d.assign(iline=d.xline + 1),
    "xline has other dimensions than trace": lambda d: d.assign(xline=5),
    "does not state which word iline is": lambda d: WORDS_WITHOUT_ATTRIBUTES["iline"](without_words(d)),
    "does not state which word line0 is": lambda d: without_words(d).assign(line0=d.iline - 1),
    "does not state which word cdp is": lambda d: without_words(d).assign(cdp=d.cdp.assign_attrs(byte=25)),
}


def without_words(dataset):
    """A dataset of the first versions, which did not state the positions of words."""
    return dataset.drop_attrs(deep=False).assign_attrs(
        {k: v for k, v in dataset.attrs.items() if k != "sill_words"}
    )


@pytest.mark.parametrize("reason", OTHER_WORDS)
def test_variables_that_may_be_another_word_are_refused(sill, tmp_path, arrays, reason):
    with xarray.set_options(keep_attrs=True):
        other = OTHER_WORDS[reason](arrays[2])
    other.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    refused = sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy", expect=2)
    assert reason in refused.reason and not (tmp_path / "back.sgy").exists()


def test_datasets_that_do_not_state_words_are_converted(sill, tmp_path, arrays):
    _, path, dataset = arrays
    without_words(dataset).to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()


def test_words_of_a_header_map(sill, tmp_path):
    """A word of the user keeps its position without attributes, and the standard does not replace it."""
    file = grid_file()
    path = file.write(tmp_path / "in.sgy")
    (tmp_path / "map.toml").write_text('[words.iline]\nbyte = 5\ntype = "i4"\n')
    sill.run("convert", path, "-o", tmp_path / "a.nc", "--map", tmp_path / "map.toml", "--dimensions", "trace")
    dataset = opened(tmp_path / "a.nc")
    assert dataset.iline.attrs["byte"] == 5
    dataset.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()
    dataset.assign(iline=(dataset.iline.dims, dataset.iline.values + 9)).to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy")
    expected = file.copy().put_word("tracr", file.word("tracr") + 9)
    assert (tmp_path / "back.sgy").read_bytes() == expected.to_bytes()


@pytest.mark.parametrize("byte", [3221, 3226, 3272, 3501, 3506, 3510, 3520, 3528, 3532])
def test_changed_sizes_in_the_file_header_are_refused(sill, tmp_path, arrays, byte):
    other = arrays[2].copy(deep=True)
    other.file_header[byte - 1] += 1
    other.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    refused = sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy", expect=3)
    first, last = refused.reason.split("bytes ")[1].split(" ")[0].split("-")
    assert int(first) <= byte <= int(last) and " instead of " in refused.reason and not (tmp_path / "back.sgy").exists()


def test_another_length_of_the_file_header_is_refused(sill, tmp_path, arrays):
    longer = np.append(arrays[2].file_header.values, np.zeros(3200, "u1"))
    other = arrays[2].drop_vars("file_header").assign(file_header=("file_header_byte", longer))
    other.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    assert "length of file_header" in sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "x.sgy", expect=3).reason


def test_other_bytes_of_the_file_header_are_written(sill, tmp_path, arrays):
    _, path, dataset = arrays
    other = dataset.copy(deep=True)
    other.file_header[[10, 3217, 3255]] += 1  # text, interval, measurement system
    other.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == other.file_header.values.tobytes() + path.read_bytes()[3600:]


def test_words_of_the_same_bytes_must_agree(sill, tmp_path):
    """In MDIO a word is a field of `headers`, and may also be a variable."""
    file = grid_file()
    back = tmp_path / "back.sgy"
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "a.mdio", "--dimensions", "inline,crossline")
    group = zarr.open_group(tmp_path / "a.mdio", mode="r+", use_consolidated=False)
    values = file.word("cdp").reshape(7, 5) + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        group.create_array("cdp", data=values.astype("i4"), dimension_names=("inline", "crossline"))
        zarr.consolidate_metadata(tmp_path / "a.mdio")
    sill.run("convert", tmp_path / "a.mdio", "-o", back)
    assert back.read_bytes() == file.copy().put_word("cdp", file.word("cdp") + 1).to_bytes()
    fields = group["headers"][:]
    fields["ensemble_num"] += 2
    group["headers"][:] = fields
    refused = sill.run("convert", tmp_path / "a.mdio", "-o", back, expect=3)
    assert "another variable of the same bytes" in refused.reason and "trace:  1" in refused.text


def test_changed_header_bytes_are_named(sill, tmp_path, arrays):
    """The variable of a word is written, not its bytes in trace_headers."""
    file, path, dataset = arrays
    other = dataset.copy(deep=True)
    other.trace_headers[2, 3, 23] += 1
    other.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    text = sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy").out
    assert "1 differ from the header bytes" in text and "cdp (1)" in text
    assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()


def test_changed_coordinates_of_mdio_are_refused(sill, tmp_path):
    file = grid_file()
    for name, values in [("cdpx", 100 + np.arange(file.traces)), ("cdpy", 512), ("scalco", -10)]:
        file.put_word(name, values)
    path = file.write(tmp_path / "in.sgy")
    back = tmp_path / "back.sgy"
    sill.run("convert", path, "-o", tmp_path / "a.mdio", "--dimensions", "inline,crossline")
    sill.run("convert", tmp_path / "a.mdio", "-o", back)
    assert back.read_bytes() == path.read_bytes()
    back.unlink()
    group = zarr.open_group(tmp_path / "a.mdio", mode="r+", use_consolidated=False)
    for name in ("cdp_x", "cdp_y"):
        before = group[name][:]
        group[name][2, 3] = 7
        refused = sill.run("convert", tmp_path / "a.mdio", "-o", back, expect=3)
        assert f"{name} is 7" in refused.reason and "trace:  14" in refused.text
        assert not back.exists()
        group[name][:] = before
    attributes = group["segy_file_header"].attrs
    attributes["textHeader"] = attributes["textHeader"].replace("C", "D", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # consolidated metadata are not in the specification
        zarr.consolidate_metadata(tmp_path / "a.mdio")
    assert "textHeader was changed" in sill.run("convert", tmp_path / "a.mdio", "-o", back, expect=3).reason


@pytest.mark.parametrize("ending", ["zarr", "mdio"])
def test_lost_files_are_errors(sill, tmp_path, ending):
    file = grid_file(40, 33, 20)
    path = file.write(tmp_path / "in.sgy")
    original, lost, back = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}", tmp_path / "back.sgy"
    sill.run("convert", path, "-o", original, "--dimensions", "inline,crossline", "--chunks", "8x8x20")
    names = {"zarr": ["samples", "trace_headers", "cdp"], "mdio": ["amplitude", "raw_headers", "headers"]}[ending]
    for name in [*names, "trace", "file_header"]:
        shutil.copytree(original, lost)
        shards = [each for each in (lost / name / "c").rglob("*") if each.is_file()]
        shards[-1].unlink()
        reason = sill.run("convert", lost, "-o", back, expect=3).reason
        assert not back.exists()
        assert f"{name} is not stored" in reason
        shutil.rmtree(lost)


def test_chunks_without_traces_may_lack(sill, tmp_path):
    """As zarr-python leaves out chunks that have the fill value only."""
    file = grid_file(16, 16, 5)
    number = np.arange(file.traces)
    kept = number[(number // 16 < 8) | (number % 16 < 8)]
    file = file.permuted(kept)
    path = file.write(tmp_path / "in.sgy")
    options = ["--dimensions", "inline,crossline", "--chunks", "8x8x5"]
    sill.run("convert", path, "-o", tmp_path / "a.zarr", *options)
    with xarray.open_zarr(tmp_path / "a.zarr", mask_and_scale=False) as found:
        dataset = found.load()
    for each in dataset.variables.values():
        each.encoding = {"chunks": (8, 8, *each.shape[2:])} if each.ndim >= 2 else {}
    dataset.to_zarr(tmp_path / "b.zarr", write_empty_chunks=False, zarr_format=3)
    assert not (tmp_path / "b.zarr" / "trace_headers" / "c" / "1" / "1").exists()
    sill.run("convert", tmp_path / "b.zarr", "-o", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()


def test_the_memory_that_an_error_advises_is_enough(sill, tmp_path):
    path = grid_file(70, 50, 110).write(tmp_path / "in.sgy")
    refused = sill.run("convert", path, "-o", tmp_path / "a.zarr", "--memory", "1M", expect=2)
    needed = refused.text.split("such as ")[1].split(" (")[0]
    sill.run("convert", path, "-o", tmp_path / "a.zarr", "--memory", needed)


def test_many_short_traces_fit_little_memory(sill, tmp_path):
    path = grid_file(300, 400, 2).write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "a.zarr", "--memory", "64M")  # headers and words take 33 MB
    sill.run("convert", tmp_path / "a.zarr", "-o", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()


def test_datasets_of_multidimio_are_refused(sill, tmp_path):
    sill.run("convert", grid_file().write(tmp_path / "in.sgy"), "-o", tmp_path / "a.mdio")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # structured types are not in the specification
        group = zarr.open_group(tmp_path / "a.mdio", mode="r+", use_consolidated=False)
        for name in ("trace", "raw_headers", "file_header", "inexact_samples"):
            shutil.rmtree(tmp_path / "a.mdio" / name)
        for name in [each for each in group.attrs if each.startswith("sill_")]:
            del group.attrs[name]
        zarr.consolidate_metadata(tmp_path / "a.mdio")
    refused = sill.run("convert", tmp_path / "a.mdio", "-o", tmp_path / "b.sgy", expect=2)
    assert "lacks the order of the traces" in refused.reason and "mdio_to_segy" in refused.text
