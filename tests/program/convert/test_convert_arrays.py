"""`sill convert` to arrays and back: values as segyio and xarray read them, files byte for byte, errors that say why."""

import json
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
import segy_files
import segy_forms
import segyio
import xarray
import zarr
from survey_arrays import contents, grid_file

ENDINGS = ["zarr", "nc", "nc4", "h5"]


def there_and_back(sill, path, arrays, *options, ranks=None):
    """Converts to arrays and back, and compares the files; returns the report of the first conversion."""
    back = path.with_name("back" + path.suffix)
    text = sill.run("convert", path, "-o", arrays, *options, ranks=ranks).text
    sill.run("convert", arrays, "-o", back, ranks=ranks)
    assert back.read_bytes() == path.read_bytes()
    return text


@pytest.fixture(scope="module")
def cube(sill, tmp_path_factory):
    path = tmp_path_factory.mktemp("cube") / "cube.sgy"
    sill.run("make-survey", path, "--kind", "cube", "--traces", 1200, "--channels", 40, "--samples", 50, "--interval", 4000)
    return path


def opened(path):
    if path.suffix == ".zarr":
        return xarray.open_zarr(path)
    return xarray.open_dataset(path, engine="h5netcdf" if path.suffix == ".h5" else "netcdf4")


@pytest.mark.parametrize("ending", ["zarr", "nc", "nc4"])
def test_a_cube_is_read_by_value(sill, tmp_path, cube, ending):
    arrays = tmp_path / f"cube.{ending}"
    there_and_back(sill, shutil.copy(cube, tmp_path / "cube.sgy"), arrays)
    with segyio.open(cube) as file, opened(arrays) as found:
        assert found.samples.dims == ("inline", "crossline", "twt")
        assert np.array_equal(found.samples, segyio.tools.cube(file))
        assert np.array_equal(found.inline, file.ilines) and np.array_equal(found.crossline, file.xlines)
        assert np.allclose(found.twt, file.samples / 1000, rtol=0, atol=1e-12) and found.twt.units == "s"
        for name, byte in [("cdpx", 181), ("iline", 189), ("tracl", 1)]:
            assert np.array_equal(found[name].values.ravel(), file.attributes(byte)[:]), name
        assert found.trace_mask.all() and found.attrs["text_header"].startswith("C 1")
        assert bytes(found.file_header.values) == cube.read_bytes()[:3600]


@pytest.mark.parametrize("ranks", [None, 1, 2, 3, 4])
@pytest.mark.parametrize("ending", ENDINGS)
def test_bytes_do_not_depend_on_ranks_threads_and_memory(sill, tmp_path, cube, ending, ranks):
    plain, other = tmp_path / f"plain.{ending}", tmp_path / f"other.{ending}"
    sill.run("convert", cube, "-o", plain, "--threads", 1)
    policy = "elected" if ranks else "direct"
    sill.run("convert", cube, "-o", other, "--policy", policy, "--threads", 3, "--memory", "4M", ranks=ranks)
    assert contents(other) == contents(plain)
    sill.run("convert", other, "-o", tmp_path / "back.sgy", "--policy", policy, "--memory", "4M", ranks=ranks)
    assert (tmp_path / "back.sgy").read_bytes() == cube.read_bytes()


@pytest.mark.parametrize("code", [code for code in segy_files.SAMPLE_TYPES if code != 4])  # which is only read
def test_all_that_a_file_has_comes_back(sill, tmp_path, code):
    """A label, extended text headers, additional trace headers, trailers."""
    order = "pairwise" if code in (2, 3, 5, 9) else "little" if code % 2 else "big"
    file = segy_forms.make(60, 17, code=code, order=order, additional=2, extended=2, trailers=2, label=True)
    path = file.write(tmp_path / "in.sgy")
    there_and_back(sill, path, tmp_path / "a.zarr", "--dimensions", "trace")
    with xarray.open_zarr(tmp_path / "a.zarr") as found:
        assert np.array_equal(found.samples, file.samples())
        assert np.array_equal(found.trace_headers, file.rows[:, :720])


def test_seismic_unix_comes_back(sill, tmp_path):
    path = segy_forms.make_su(24, 9, order="little").write(tmp_path / "in.su")
    there_and_back(sill, path, tmp_path / "a.zarr", "--dimensions", "fldr,tracf")


@pytest.mark.parametrize("code", [1, 3])
@pytest.mark.parametrize("ending", ENDINGS)
def test_holes_and_any_order(sill, tmp_path, ending, code):
    whole = grid_file(code=code)
    kept = np.random.default_rng(3).permutation(whole.traces)[:-6]
    file = whole.permuted(kept)
    path = file.write(tmp_path / "in.sgy")
    text = there_and_back(sill, path, tmp_path / f"a.{ending}", "--dimensions", "inline,crossline")
    assert "6 positions without a trace" in text
    if ending == "h5":
        return  # has no dimensions for xarray
    numbers = np.full(whole.traces, -1)
    numbers[kept] = np.arange(len(kept))
    with opened(tmp_path / f"a.{ending}") as found:
        assert np.array_equal(found.trace.values.ravel(), numbers)
        assert np.array_equal(found.trace_mask.values.ravel(), numbers >= 0)
        expected = whole.samples().astype("f8")
        expected[numbers < 0] = np.nan if code == 1 else 0
        assert np.array_equal(found.samples.values.reshape(expected.shape), expected, equal_nan=True)
        cdp = np.where(numbers >= 0, whole.word("cdp"), 0)
        assert np.array_equal(found.cdp.values.ravel(), cdp)


def test_chunks_and_codecs(sill, tmp_path):
    file = grid_file(40, 33, 20)
    path = file.write(tmp_path / "in.sgy")
    for options in (["--codec", "zstd:5"], ["--chunks", "8x16x20", "--codec", "deflate"], ["--chunks", "64x1x7"]):
        there_and_back(sill, path, tmp_path / "a.zarr", "--dimensions", "inline,crossline", "--force", *options)
        with xarray.open_zarr(tmp_path / "a.zarr") as found:
            assert np.array_equal(found.samples.values.reshape(-1, 20), file.samples())
    assert found.samples.encoding["chunks"] == (40, 1, 7)


def test_dimensions_are_words_and_expressions(sill, tmp_path):
    file = segy_files.make(48, 5)
    path = file.write(tmp_path / "in.sgy")
    for text, shape in [("shot,channel", (4, 12)), ("s=ep - 500,c=tracf", (4, 12)), ("trace", (48,))]:
        there_and_back(sill, path, tmp_path / "a.zarr", "--dimensions", text, "--force")
        with xarray.open_zarr(tmp_path / "a.zarr") as found:
            assert found.samples.shape == (*shape, 5)
            assert found.samples.dims[0] == text.split(",")[0].split("=")[0]
    text = there_and_back(sill, path, tmp_path / "b.zarr")
    assert "the only dimension is `trace`" in text or "shot 4" in text


def test_coordinates_of_negative_zero_and_words_beyond_signed_integers_come_back(sill, tmp_path):
    file = grid_file()
    file.put(233, "u8", np.uint64(2**63) + np.arange(file.traces, dtype="u8"))
    path = file.write(tmp_path / "in.sgy")
    (tmp_path / "map.toml").write_text('[words.stamp]\nbyte = 233\ntype = "u8"\n')
    for ending in ("zarr", "nc4"):
        arrays = tmp_path / f"a.{ending}"
        to = ("--dimensions", "a=(iline-10)*-1.0,xline", "--map", tmp_path / "map.toml")
        there_and_back(sill, path, arrays, *to)
        with opened(arrays) as found:
            assert found.stamp.dtype == np.uint64 and found.stamp.min() == 2**63
            assert 0 in found.a and found.a.min() < 0
    zarr.open_group(tmp_path / "a.zarr", mode="r+")["stamp"][-1, :2] = [2**64 - 1, 7]
    sill.run("convert", tmp_path / "a.zarr", "-o", tmp_path / "back.sgy")
    changed = segy_files.read(tmp_path / "back.sgy").get(233, "u8")
    assert changed[:2].tolist() == [2**64 - 1, 7] and np.array_equal(changed[2:], file.get(233, "u8")[2:])



def test_changed_words_and_samples_are_written(sill, tmp_path):
    file = grid_file()
    path = file.write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "a.nc", "--dimensions", "inline,crossline")
    with xarray.open_dataset(tmp_path / "a.nc", decode_cf=False) as found:
        changed = found.load()
    changed["samples"] *= 2
    changed["cdp"] += 1
    changed.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    text = sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy").out
    assert f"{file.traces} differ" in text
    expected = file.copy().put_word("cdp", file.word("cdp") + 1).put_samples(2 * file.samples())
    assert (tmp_path / "back.sgy").read_bytes() == expected.to_bytes()
    changed["cdp"][0, 0] = 2**31 - 1
    changed["cdpt"] = changed["cdp"].astype("i8") + 1
    changed["cdpt"].attrs = {"byte": 25, "type": "i4"}
    changed.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    assert "cdpt" in sill.run("convert", tmp_path / "b.nc", "-o", tmp_path / "back.sgy", expect=3).reason


def test_inexact_ibm_floats_are_reported(sill, tmp_path):
    file = grid_file()
    file.rows[3, 240:244] = [0x42, 0x00, 0x10, 0x00]  # not normalized
    file.rows[4, 244:248] = [0x40, 0x00, 0x00, 0x00]  # a zero with an exponent
    path = file.write(tmp_path / "in.sgy")
    result = sill.run("convert", path, "-o", tmp_path / "a.zarr", "--report", tmp_path / "r.json")
    assert "2 IBM floats have bytes that floats do not restore" in result.err
    assert json.loads((tmp_path / "r.json").read_text())["inexact_samples"] == 2
    assert "2 samples have the values" in sill.run("convert", tmp_path / "a.zarr", "-o", tmp_path / "back.sgy").err
    back = segy_files.read(tmp_path / "back.sgy")
    assert np.array_equal(back.samples(), file.samples()) and np.array_equal(back.rows[:, :240], file.rows[:, :240])


def test_lost_and_repeated_traces_are_refused(sill, tmp_path):
    path = grid_file().write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "a.nc", "--dimensions", "inline,crossline")
    with xarray.open_dataset(tmp_path / "a.nc", decode_cf=False) as found:
        dataset = found.load()
    back = tmp_path / "back.sgy"
    for change, reason in [
        (lambda d: d.isel(inline=slice(0, 3)), "15 positions for 35 traces"),
        (lambda d: d.assign(trace=d.trace.where(d.trace != 3, 4)), "trace 4 occurs twice"),
        (lambda d: d.drop_vars("trace_headers"), "lacks the variable trace_headers"),
        (lambda d: d.drop_attrs(), "does not hold a survey"),
    ]:
        change(dataset).to_netcdf(tmp_path / "b.nc", format="NETCDF4")
        assert reason in sill.run("convert", tmp_path / "b.nc", "-o", back, expect=(2, 3)).reason
        assert not back.exists()


def test_values_that_the_file_cannot_hold_are_refused(sill, tmp_path):
    """Floats where the file has integers: whole numbers are written, others are errors."""
    file = grid_file(code=3)
    path = file.write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "a.nc", "--dimensions", "inline,crossline")
    with xarray.open_dataset(tmp_path / "a.nc", decode_cf=False) as found:
        dataset = found.load()
    back = tmp_path / "back.sgy"

    def changed(name, kind, value):
        other = dataset.copy(deep=True)
        other[name] = other[name].astype(kind).copy()
        other[name][(1, 2, 3)[: other[name].ndim]] = value
        other.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
        return "convert", tmp_path / "b.nc", "-o", back

    sill.run(*changed("samples", "f4", -7.0))
    values = file.samples().copy()
    values[7, 3] = -7
    assert back.read_bytes() == file.copy().put_samples(values).to_bytes()
    sill.run(*changed("cdp", "f8", 77.0))
    words = file.word("cdp").copy()
    words[7] = 77
    assert back.read_bytes() == file.copy().put_word("cdp", words).to_bytes()
    back.unlink()
    for name, kind, value in [
        ("samples", "f4", 0.9),
        ("samples", "f8", 32768.0),
        ("samples", "f4", np.nan),
        ("samples", "i4", 32768),
        ("cdp", "f8", 0.5),
        ("cdp", "f8", np.nan),
        ("cdp", "f8", 2.0**31),
        ("trace", "f8", 7.0),
        ("trace_headers", "f4", 0.0),
    ]:
        result = sill.run(*changed(name, kind, value), expect=(2, 3))
        assert "--" not in result.reason and not back.exists(), (name, value)
    assert "a sample is 0.9" in sill.run(*changed("samples", "f8", 0.9), expect=3).reason
    sill.run("convert", grid_file(code=1).write(path), "-o", tmp_path / "c.nc")
    with xarray.open_dataset(tmp_path / "c.nc", decode_cf=False) as found:
        dataset = found.load()
    dataset["samples"][0] = np.nan
    dataset.to_netcdf(tmp_path / "b.nc", format="NETCDF4")
    reason = sill.run("convert", tmp_path / "b.nc", "-o", back, expect=3).reason
    assert "correct the value in the dataset" in reason and "--nonfinite" not in reason


def test_attributes_of_a_survey_are_checked(sill, tmp_path):
    path = grid_file().write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "a.zarr", "--dimensions", "inline,crossline")
    metadata = tmp_path / "a.zarr" / "zarr.json"
    text = metadata.read_text()

    def reason(expect=2, **changes):
        group = json.loads(text)
        group["attributes"] = {k: v for k, v in (group["attributes"] | changes).items() if v is not None}
        metadata.write_text(json.dumps(group))
        result = sill.run("convert", tmp_path / "a.zarr", "-o", tmp_path / "back.sgy", expect=expect)
        assert not (tmp_path / "back.sgy").exists()
        return result.reason

    for order in (None, "middle"):
        assert "byte_order" in reason(byte_order=order)
    for form in (None, "float"):
        assert "sample_format" in reason(sample_format=form)
    for traces in (None, -1, 0):
        assert "attribute traces" in reason(traces=traces)
    for traces in (36, 2**62):
        assert f"35 positions for {traces} traces" in reason(traces=traces)
    assert "34 traces" in reason(expect=3, traces=34)
    shutil.rmtree(tmp_path / "a.zarr" / "file_header")
    group = json.loads(text)
    group.get("consolidated_metadata", {}).get("metadata", {}).pop("file_header", None)
    text = json.dumps(group)
    assert "lacks the variable file_header" in reason()


def test_changed_dimensions_are_refused(sill, tmp_path):
    path = grid_file(inlines=5, crosslines=5).write(tmp_path / "a.sgy")
    sill.run("convert", path, "-o", tmp_path / "a.nc4", "--dimensions", "inline,crossline")
    with xarray.open_dataset(tmp_path / "a.nc4", engine="netcdf4", mask_and_scale=False) as found:
        found = found.load()
    other = found.assign(samples=found.samples.transpose("crossline", "inline", "twt"))
    other.to_netcdf(tmp_path / "b.nc4")
    refused = sill.run("convert", tmp_path / "b.nc4", "-o", tmp_path / "b.sgy", expect=2).err
    assert "differ in their dimensions" in refused
    found.isel(twt=slice(0, 6)).to_netcdf(tmp_path / "c.nc4")
    refused = sill.run("convert", tmp_path / "c.nc4", "-o", tmp_path / "c.sgy", expect=2).err
    assert "traces have 6 samples, in the original file 11" in refused
    refused = sill.run("convert", tmp_path / "a.nc4", "-o", tmp_path / "a.su", expect=2).err
    assert "the dataset holds a SEG-Y file" in refused
    assert not list(tmp_path.glob("[bc].sgy")) and not (tmp_path / "a.su").exists()


def test_changed_fields_of_mdio_are_written(sill, tmp_path):
    file = grid_file()
    path = file.write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "a.mdio", "--dimensions", "inline,crossline")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # structured types are not in the specification
        headers = zarr.open_group(tmp_path / "a.mdio", mode="r+", use_consolidated=False)["headers"]
        values = headers[:]
        values["ensemble_num"] += 1
        headers[:] = values
    text = sill.run("convert", tmp_path / "a.mdio", "-o", tmp_path / "back.sgy").out
    assert f"{file.traces} differ" in text
    assert (tmp_path / "back.sgy").read_bytes() == file.copy().put_word("cdp", file.word("cdp") + 1).to_bytes()


def test_fields_of_mdio_are_checked(sill, tmp_path):
    file = grid_file()
    path = file.write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "a.mdio", "--dimensions", "inline,crossline")
    back = tmp_path / "back.sgy"
    group, array = tmp_path / "a.mdio" / "zarr.json", tmp_path / "a.mdio" / "headers" / "zarr.json"
    texts = {each: each.read_text() for each in (group, array)}

    def change(edit):
        for each, text in texts.items():
            value = json.loads(text)
            found = value if each == array else value.get("consolidated_metadata", {}).get("metadata", {}).get("headers")
            if found:
                edit(found)
            each.write_text(json.dumps(value))

    def fields_of(headers):
        return headers["data_type"]["configuration"]["fields"]

    for edit in [
        lambda headers: fields_of(headers).pop(3),
        lambda headers: fields_of(headers).reverse(),
    ]:
        change(edit)
        assert sill.run("convert", tmp_path / "a.mdio", "-o", back, expect=(2, 3)).reason
        assert not back.exists()
    change(lambda headers: None)
    sill.run("arrays", "copy", tmp_path / "a.mdio", "-o", tmp_path / "a.nc")
    sill.run("convert", tmp_path / "a.nc", "-o", back)
    assert back.read_bytes() == path.read_bytes()
    shutil.rmtree(tmp_path / "a.mdio" / "headers")
    value = json.loads(texts[group])
    value.get("consolidated_metadata", {}).get("metadata", {}).pop("headers", None)
    group.write_text(json.dumps(value))
    sill.run("convert", tmp_path / "a.mdio", "-o", back)
    assert back.read_bytes() == path.read_bytes()


def test_mdio_has_coordinates_whose_last_byte_is_0(sill, tmp_path):
    file = grid_file()
    for name, values in [("cdpx", 256 * (1 + np.arange(file.traces))), ("cdpy", 512), ("scalco", 1)]:
        file.put_word(name, values)
    there_and_back(sill, file.write(tmp_path / "in.sgy"), tmp_path / "a.mdio", "--dimensions", "inline,crossline")
    found = mdio_dataset(tmp_path / "a.mdio")
    assert np.array_equal(found.cdp_x.values.ravel(), 256.0 * (1 + np.arange(file.traces)))
    assert (found.cdp_y == 512).all()


@pytest.mark.parametrize("stated, unit", [
    ([1], {"length": "m"}), ([0], {"length": "m"}), ([3], {"angle": "deg"}), ([2], None), ([4], None), ([0, 2], None),
])  # fmt: skip
def test_mdio_states_the_unit_of_coordinates(sill, tmp_path, stated, unit):
    file = grid_file()
    for name, values in [("cdpx", 100), ("cdpy", 30), ("scalco", 1), ("counit", np.resize(stated, file.traces))]:
        file.put_word(name, values)
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "a.mdio", "--dimensions", "inline,crossline")
    for name in ("cdp_x", "cdp_y"):
        assert mdio_dataset(tmp_path / "a.mdio")[name].attrs.get("unitsV1") == unit


def test_what_cannot_be_done_is_refused(sill, tmp_path):
    path = grid_file().write(tmp_path / "in.sgy")
    varying = tmp_path / "varying.sgy"
    varying.write_bytes(segy_forms.varying(segy_forms.make(6, 9, constant=False), [9, 8, 7, 6, 5, 4]))

    def reason(*arguments, expect=2):
        before = sorted(tmp_path.rglob("*"))
        text = sill.run("convert", *arguments, expect=expect).reason
        assert sorted(tmp_path.rglob("*")) == before
        return text

    to = ["-o", tmp_path / "a.zarr"]
    assert "have the same position: inline 10" in reason(path, *to, "--dimensions", "inline,trid")
    assert "no word" not in reason(path, *to, "--dimensions", "inline,trid")
    assert "inlin" in reason(path, *to, "--dimensions", "inlin,crossline")
    assert "named twice" in reason(path, *to, "--dimensions", "inline,inline")
    assert "does not name dimensions" in reason(path, *to, "--dimensions", "inline,,crossline")
    assert "cannot be the name" in reason(path, *to, "--dimensions", "samples=iline,crossline")
    assert "differ in length" in reason(varying, *to)
    assert "sill merge" in reason(path, shutil.copy(path, tmp_path / "b.sgy"), *to)
    assert "options that change traces" in reason(path, *to, "--sample-format", "ieee")
    assert "name the output" in reason(path, "-o", tmp_path / "b.su", "--dimensions", "trace")
    assert "Zarr" in reason(path, "-o", tmp_path / "a.nc", "--codec", "zstd")
    for ending in ("zarr", "h5", "nc4"):
        chunks = ["-o", tmp_path / f"a.{ending}", "--dimensions", "inline,crossline", "--chunks", "5x5"]
        assert "give 3 numbers" in reason(path, *chunks)
    sill.run("convert", path, *to)
    assert "exists" in reason(path, *to) and "--force" in sill.run("convert", path, *to, expect=2).text
    for chunks in ("0x5x5", "5,5,5", "5x5xten"):
        refused = sill.run("convert", path, *to, "--chunks", chunks, expect=2)
        assert f"`{chunks}` is not the shape of a chunk" in refused.reason and "container" not in refused.text
    assert "sill arrays copy" in reason(tmp_path / "a.zarr", "-o", tmp_path / "a.nc")
    for options in (["--codec", "zstd"], ["--map", "petrel"], ["--assume", "revision=1"], ["--revision", "1"]):
        assert "omit them" in reason(tmp_path / "a.zarr", "-o", tmp_path / "c.sgy", *options)
    sill.run("convert", path, "-o", f"{tmp_path / 'a.zarr'}/", "--force", "--codec", "zstd")
    sill.run("convert", f"{tmp_path / 'a.zarr'}/", "-o", tmp_path / "c.sgy")
    assert (tmp_path / "c.sgy").read_bytes() == path.read_bytes()
    sill.run("convert", path, tmp_path / "c.sgy", "-o", tmp_path / "{file}.nc", "--dimensions", "trace")
    assert (tmp_path / "in.nc").exists() and (tmp_path / "c.nc").exists()
    assert "name the file" in reason(tmp_path / "a.zarr", "-o", f"{tmp_path}/folder/")


def test_placeholders_name_outputs(sill, tmp_path):
    path = grid_file().write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", f"{tmp_path}/{{file}}.zarr")
    sill.run("convert", path, "-o", f"{tmp_path}/{{file}}.mdio/")
    sill.run("convert", f"{tmp_path / 'in.zarr'}/", "-o", f"{tmp_path}/{{file}}_back.sgy")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in.mdio", "in.sgy", "in.zarr", "in_back.sgy"]
    assert (tmp_path / "in_back.sgy").read_bytes() == path.read_bytes()
    assert (tmp_path / "in.mdio" / "amplitude").exists()


def test_failed_conversions_leave_nothing(sill, tmp_path):
    file = segy_files.make(600, 40, code=1)
    file.rows[599, 240:244] = [0x7F, 0xFF, 0xFF, 0xFF]  # beyond the range of floats
    path = file.write(tmp_path / "in.sgy")
    for ending in ["zarr", "mdio", "nc", "h5"]:
        sill.run("convert", path, "-o", tmp_path / f"a.{ending}", "--dimensions", "trace", expect=3)
        assert list(tmp_path.iterdir()) == [path]
    grid_file().write(path)
    sill.run("convert", path, "-o", tmp_path / "a.zarr")
    before = contents(tmp_path / "a.zarr")
    path.write_bytes(path.read_bytes()[:5000])
    for arguments in (["--dimensions", "trace"], ["--dimensions", "nothing"], ["--dimensions", "trace", "--codec", "none"]):
        sill.run("convert", path, "-o", tmp_path / "a.zarr", "--force", *arguments, expect=(2, 3))
        assert contents(tmp_path / "a.zarr") == before


def test_real_files_come_back(sill, samples, tmp_path):
    for path in sorted(samples.rglob("*.sgy"))[:12]:
        if path.stat().st_size > 20 << 20:
            continue
        arrays, back = tmp_path / "a.zarr", tmp_path / "back.sgy"
        result = sill.run("convert", path, "-o", arrays, "--force", expect=(0, 2, 3))
        if result.code == 0 and "IBM floats have bytes" not in result.err:
            sill.run("convert", arrays, "-o", back)
            assert back.read_bytes() == path.read_bytes(), path


def mdio_dataset(path):
    """As `mdio.open_mdio` opens it: by zarr-python, without consolidated metadata."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # structured types are not in the specification
        return xarray.open_zarr(path, consolidated=False, chunks=None).load()


@pytest.mark.parametrize("code", [1, 3])
def test_mdio_has_its_names_and_types(sill, tmp_path, code):
    whole = grid_file(code=code)
    kept = np.random.default_rng(3).permutation(whole.traces)[:-6]
    file = whole.permuted(kept)
    path = file.write(tmp_path / "in.sgy")
    there_and_back(sill, path, tmp_path / "a.mdio", "--dimensions", "inline,crossline")
    found = mdio_dataset(tmp_path / "a.mdio")
    live = np.isin(np.arange(whole.traces), kept)
    assert found.amplitude.dims == ("inline", "crossline", "time")
    assert np.array_equal(found.amplitude.values.reshape(-1, 11)[live], whole.samples()[live])
    assert np.array_equal(found.time, 8 + 2 * np.arange(11)) and found.time.dtype == "i4"
    assert found.trace_mask.dtype == bool and np.array_equal(found.trace_mask.values.ravel(), live)
    for name, byte, kind in [("inline", 189, "i4"), ("delay_recording_time", 109, "i2"), ("times_scalar", 215, "i2")]:
        assert np.array_equal(found.headers.values[name].ravel()[live], whole.get(byte, kind)[live]), name
    raw = found.raw_headers.values.view("u1").reshape(-1, 240)
    assert np.array_equal(raw[live], whole.rows[live, :240]) and not raw[~live].any()
    header = found.segy_file_header.attrs
    assert header["binaryHeader"]["samples_per_trace"] == 11 and len(header["textHeader"].splitlines()) == 40
    assert found.attrs["attributes"] == {"defaultVariableName": "amplitude"}
    if "cdp_x" in found:
        assert np.isnan(found.cdp_x.values.ravel()[~live]).all()


def test_copies_of_zarr_keep_types_and_objects(sill, tmp_path, cube):
    sill.run("convert", cube, "-o", tmp_path / "a.mdio")
    sill.run("arrays", "copy", tmp_path / "a.mdio", "-o", tmp_path / "b.mdio")
    a, b = mdio_dataset(tmp_path / "a.mdio"), mdio_dataset(tmp_path / "b.mdio")
    for name in a.variables:
        assert a[name].dtype == b[name].dtype and a[name].attrs == b[name].attrs, name
        assert a[name].values.tobytes() == b[name].values.tobytes(), name
    assert b.headers.dtype.names[0] == "trace_seq_num_line"
    assert isinstance(b.attrs["attributes"], dict) and b.trace_mask.dtype == bool
    sill.run("convert", tmp_path / "b.mdio", "-o", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == cube.read_bytes()


def test_mdio_is_what_multidimio_writes(sill, tmp_path, cube):
    """The datasets that multidimio reads of Sill's file, and the file that it makes of them."""
    mdio = pytest.importorskip("mdio")
    from segy.standards import get_segy_standard

    sill.run("convert", cube, "-o", tmp_path / "a.mdio")
    with mdio.open_mdio(tmp_path / "a.mdio") as found, segyio.open(cube) as file:
        assert np.array_equal(found.amplitude, segyio.tools.cube(file))
        assert np.array_equal(found.headers.values["crossline"].ravel(), file.attributes(193)[:])
    mdio.mdio_to_segy(get_segy_standard(1.0), tmp_path / "a.mdio", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == cube.read_bytes()


@pytest.mark.parametrize("ranks", [None, 2])
def test_references_lead_into_the_file(sill, tmp_path, ranks):
    for code, order in [(5, "big"), (5, "little"), (3, "big"), (6, "big")]:
        whole = grid_file(code=code, order=order)
        kept = np.random.default_rng(3).permutation(whole.traces)[:-6]
        path = whole.permuted(kept).write(tmp_path / "in.sgy")
        refs = tmp_path / "refs.json"
        arguments = ["--virtual", refs, "--dimensions", "inline,crossline"]
        assert "6 positions without a trace" in sill.run("convert", path, *arguments, ranks=ranks).text
        expected = whole.samples().astype("f8")
        expected[~np.isin(np.arange(whole.traces), kept)] = np.nan if code in (5, 6) else 0
        with xarray.open_zarr("reference://", storage_options={"fo": str(refs)}, consolidated=False) as found:
            assert found.samples.dims == ("inline", "crossline", "twt")
            assert np.array_equal(found.samples.values.reshape(expected.shape), expected, equal_nan=True)
            assert np.array_equal(found.inline, np.unique(whole.word("iline")))
            assert np.allclose(found.twt, 0.008 + 0.002 * np.arange(11), rtol=0, atol=1e-12)
        assert refs.stat().st_size < 100 * whole.traces + 10_000


def test_virtualizarr_reads_references(sill, tmp_path):
    """As docs/arrays.md states it."""
    virtualizarr = pytest.importorskip("virtualizarr")
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore

    file = grid_file(code=5)
    refs, virtual = tmp_path / "refs.json", tmp_path / "virtual.json"
    sill.run("convert", file.write(tmp_path / "in.sgy"), "--virtual", refs, "--dimensions", "inline,crossline")
    references = json.loads(refs.read_text())
    path = Path(references.pop("templates")["u"]).as_uri()
    virtual.write_text(json.dumps(references).replace("{{u}}", path))
    registry = ObjectStoreRegistry({"file://": LocalStore()})
    parser = virtualizarr.parsers.KerchunkJSONParser(skip_variables=["inline", "crossline", "twt"])
    cube = virtualizarr.open_virtual_dataset(virtual.as_uri(), registry, parser)
    assert cube.samples.shape == (7, 5, 11) and isinstance(cube.samples.data, virtualizarr.manifests.ManifestArray)
    with xarray.open_zarr(parser(virtual.as_uri(), registry), consolidated=False, zarr_format=3) as found:
        assert np.array_equal(found.samples.values.reshape(file.samples().shape), file.samples())


def test_references_lead_to_any_name(sill, tmp_path):
    """Readers would take braces for a template."""
    file = grid_file(code=5)
    folder = tmp_path / 'a {{b}} "c" {d}'
    folder.mkdir()
    for name in ("in.sgy", "{{u}}.sgy", "%7B {e}.sgy"):
        path = file.write(folder / name)
        refs = folder / "refs.json"
        sill.run("convert", path, "--virtual", refs, "--dimensions", "inline,crossline")
        with xarray.open_zarr("reference://", storage_options={"fo": str(refs)}, consolidated=False) as found:
            assert np.array_equal(found.samples.values.reshape(file.samples().shape), file.samples())


def test_references_that_cannot_be_are_refused(sill, tmp_path):
    refs = tmp_path / "refs.json"

    def reason(file, *arguments):
        text = sill.run("convert", file.write(tmp_path / "in.sgy"), "--virtual", refs, *arguments, expect=2).reason
        assert not refs.exists()
        return text

    assert "IBM float" in reason(grid_file(code=1)) and "--sample-format ieee" in reason(grid_file(code=1))
    assert "integer, 3 bytes" in reason(segy_forms.make(60, 17, code=7))
    sparse = segy_files.make(60, 30_000, code=3)
    for name in ("iline", "xline"):
        sparse.put_word(name, np.arange(60))
    assert "3540 positions have no trace" in reason(sparse, "--dimensions", "iline,xline")
    assert "two outputs" in reason(grid_file(code=5), "-o", tmp_path / "a.zarr")
    assert "do not apply" in reason(grid_file(code=5), "--codec", "zstd")
    assert "no output" in sill.run("convert", tmp_path / "in.sgy", expect=2).reason
