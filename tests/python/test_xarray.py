"""Datasets of xarray, compared with segyio and with NumPy's own reading of the bytes; files written back."""

import errno
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import segy_files
import sill

xarray = pytest.importorskip("xarray")
dask = pytest.importorskip("dask")
segyio = pytest.importorskip("segyio")

import sill.xarray  # noqa: E402

SAMPLES = Path(os.environ.get("SILL_SAMPLES", Path(__file__).parents[3] / "shared" / "samples" / "segy"))


def opened(path, **options):
    return xarray.open_dataset(path, engine=sill.xarray.SillBackend, **options)


def cube_file(inlines=6, crosslines=5, offsets=1, crossline_sorted=False, samples=30, **options):
    """A cube with inlines from 10 and every second crossline from 100; the first sample is at 100 ms."""
    file = segy_files.make(inlines * crosslines * offsets, samples, **options)
    shape = (crosslines, inlines, offsets) if crossline_sorted else (inlines, crosslines, offsets)
    slow, fast, offset = numpy.unravel_index(numpy.arange(file.traces), shape)
    inline, crossline = (fast, slow) if crossline_sorted else (slow, fast)
    file.put(189, "i4", 10 + inline).put(193, "i4", 100 + 2 * crossline).put(37, "i4", 100 * (1 + offset))
    x, y = 40_000_000 + 2500 * inline, 650_000_000 + 2500 * crossline
    return file.put(181, "i4", x).put(185, "i4", y).put(109, "i2", 100)


@pytest.fixture
def cube(tmp_path):
    """A cube of IBM samples: (file, path)."""
    file = cube_file(code=1)
    return file, file.write(tmp_path / "cube.sgy")


@pytest.fixture(scope="module")
def streamer(tmp_path_factory):
    """Shots of four cables of 24 channels, which count on over the cables; there is no word for cables."""
    path = tmp_path_factory.mktemp("streamer") / "streamer.sgy"
    sill.make_survey(path, kind="streamer", traces=960, samples=50, interval=4000, channels=24)
    return path


@pytest.fixture
def counted(monkeypatch):
    """The numbers of the traces and the samples that were read: a list of ("samples" or "sample", numbers)."""
    calls = []

    class Counting:
        def __init__(self, survey):
            self.survey = survey

        def __getattr__(self, name):
            return getattr(self.survey, name)

        def read_samples(self, numbers, into):
            calls.append(("samples", sorted(numbers)))
            self.survey.read_samples(numbers, into)

        def read_sample(self, numbers, sample):
            calls.append(("sample", sorted(numbers)))
            return self.survey.read_sample(numbers, sample)

    files = sill.files.Files
    monkeypatch.setattr(files, "opened", property(lambda self: Counting(self._opened)))
    return calls


@pytest.mark.parametrize("options", [
    {}, {"code": 1}, {"code": 3}, {"code": 8, "order": "little"}, {"crossline_sorted": True}, {"inlines": 1}, {"offsets": 3},
])  # fmt: skip
def test_a_cube_has_the_samples_of_segyio(tmp_path, options):
    file = cube_file(**options)
    if "offsets" in options:
        for word in ("fldr", "tracf", "ep", "sx", "sy", "gx", "gy"):  # no shots
            file.put_word(word, 0)
    path = file.write(tmp_path / "a.sgy")
    names = ("inline", "crossline", "offset") if "offsets" in options else ("inline", "crossline")
    dataset = opened(path, dimensions=names)
    assert dataset.samples.dims == (*names, "twt")
    endian = options.get("order", "big")
    with segyio.open(path, endian=endian) as theirs:
        expected = segyio.tools.cube(theirs)
        if theirs.sorting == segyio.TraceSortingFormat.CROSSLINE_SORTING and "inlines" not in options:
            expected = expected.swapaxes(0, 1)
        numpy.testing.assert_array_equal(dataset.inline, theirs.ilines)
        numpy.testing.assert_array_equal(dataset.crossline, theirs.xlines)
        if "inlines" not in options:
            assert options.get("crossline_sorted", False) == (theirs.sorting == segyio.TraceSortingFormat.CROSSLINE_SORTING)
        expected = expected.reshape(dataset.samples.shape)
        numpy.testing.assert_array_equal(dataset.samples, expected)
        numpy.testing.assert_allclose(dataset.twt, theirs.samples / 1e3)
    assert dataset.samples.dtype == "f4"
    for key in ({"inline": 0}, {"crossline": slice(None, None, -2)}, {"inline": [0], "twt": slice(3, 20, 4)}, {"twt": 7},
                {"twt": [5, 3]}, {"crossline": 3, "twt": -1}):  # fmt: skip
        lazy = opened(path, dimensions=names).samples.isel(key)
        numpy.testing.assert_array_equal(lazy, dataset.samples.isel(key).values)
    if "inlines" not in options:
        assert opened(path).samples.dims == dataset.samples.dims  # detected


def test_coordinates_are_in_true_units(cube):
    file, path = cube
    dataset = opened(path)
    numpy.testing.assert_allclose(dataset.cdp_x.values.ravel(), file.word("cdpx") / 100)
    numpy.testing.assert_allclose(dataset.source_y.values.ravel(), file.word("sy") / 100)
    assert dataset.cdp_x.attrs["standard_name"] == "projection_x_coordinate"
    assert dataset.cdp_y.attrs == {"standard_name": "projection_y_coordinate", "units": "m", "long_name": "cdp y"}
    numpy.testing.assert_allclose(dataset.twt, 0.1 + 0.002 * numpy.arange(30), rtol=1e-12)
    assert dataset.twt.attrs["units"] == "s"
    assert "source_depth" not in dataset  # all zero
    for word in ("fldr", "sx", "scalco", "delrt", "iline"):
        assert dataset[word].dtype == numpy.int64
        numpy.testing.assert_array_equal(dataset[word].values.ravel(), file.word(word))
    assert dataset.fldr.attrs["long_name"]
    assert dataset.dt.attrs["units"] == "us"
    assert dataset.offset.attrs["units"] == "m"
    assert "units" not in dataset.sx.attrs  # as stored, to be scaled
    assert dataset.attrs["geometry"] == "3-D grid, post-stack"
    assert "C 1 MADE BY THE TESTS" in dataset.attrs["text_header"]


def test_angles_have_names_of_angles(tmp_path):
    file = cube_file().put_word("counit", 3).put_word("scalco", -10000)
    for word, start in (("sx", 50_000), ("sy", 400_000), ("gx", 50_100), ("gy", 400_100), ("cdpx", 50_200), ("cdpy", 400_200)):
        file.put_word(word, start + numpy.arange(file.traces))
    dataset = opened(file.write(tmp_path / "a.sgy"))
    assert dataset.cdp_x.attrs["standard_name"] == "longitude"
    assert dataset.cdp_y.attrs["units"] == "degrees_north"
    numpy.testing.assert_allclose(dataset.cdp_x.values.ravel(), file.word("cdpx") / 10000)


def test_cables_are_recognized(streamer):
    survey = sill.open(streamer)
    samples, header = survey.traces[:], survey["fldr", "tracf", "offset"]
    for dimensions in (None, ("shot", "cable", "channel")):
        dataset = opened(streamer, dimensions=dimensions)
        assert dict(dataset.sizes) == {"shot": 10, "cable": 4, "channel": 24, "twt": 50}
        numpy.testing.assert_array_equal(dataset.channel, numpy.arange(1, 25))
        assert "count on" in dataset.attrs["comment"]
        numpy.testing.assert_array_equal(dataset.samples, samples.reshape(10, 4, 24, 50))
        numpy.testing.assert_array_equal(dataset.tracf, header["tracf"].reshape(10, 4, 24))
    one = dataset.sel(shot=3, cable=2, channel=5)
    at = numpy.flatnonzero((header["fldr"] == 3) & (header["tracf"] == 29))[0]
    numpy.testing.assert_array_equal(one.samples, samples[at])
    assert one.trace == at
    with pytest.raises(sill.UsageError, match="name the word"):
        opened(streamer, dimensions={"shot": "fldr", "cable": "", "channel": "ep"})


def test_cables_of_a_word(tmp_path):
    file = segy_files.make(60, 10).put_word("delrt", 0)
    shot, cable, channel = numpy.unravel_index(numpy.arange(60), (5, 3, 4))
    file.put_word("fldr", 1 + shot).put_word("gain", 7 + cable)
    for counts_on in (False, True):
        path = file.put_word("tracf", 1 + channel + 4 * cable * counts_on).write(tmp_path / "a.sgy")
        dataset = opened(path, dimensions={"shot": "fldr", "cable": "gain", "channel": "tracf"})
        assert dataset.samples.shape == (5, 3, 4, 10)
        numpy.testing.assert_array_equal(dataset.cable, [7, 8, 9])
        numpy.testing.assert_array_equal(dataset.channel, [1, 2, 3, 4])
        assert ("count on" in dataset.attrs.get("comment", "")) == counts_on
        numpy.testing.assert_array_equal(dataset.samples.values.reshape(60, 10), file.samples())


def test_a_line_of_gathers(tmp_path):
    sill.make_survey(tmp_path / "shots.sgy", kind="line", traces=480, samples=20, interval=4000, channels=24)
    sill.sort(tmp_path / "shots.sgy", output=tmp_path / "cmp.sgy", by="cdp,offset")
    shots, cmp = opened(tmp_path / "shots.sgy"), opened(tmp_path / "cmp.sgy", dimensions=("cdp", "offset"))
    assert shots.samples.dims == ("shot", "channel", "twt")
    assert cmp.samples.dims == ("cdp", "offset", "twt")
    survey = sill.open(tmp_path / "cmp.sgy")
    for number in (0, 7, 479):
        trace = cmp.sel(cdp=survey["cdp"][number], offset=survey["offset"][number])
        assert trace.trace == number
        numpy.testing.assert_array_equal(trace.samples, survey.traces[number])
    assert int((cmp.trace >= 0).sum()) == 480
    numpy.testing.assert_array_equal(numpy.isnan(cmp.samples).all("twt"), cmp.trace < 0)


def test_holes_are_nan(cube, tmp_path):
    file, path = cube
    file.rows = numpy.delete(file.rows, [3, 11, 12], axis=0)
    path = file.write(tmp_path / "holes.sgy")
    dataset = opened(path)
    assert dataset.samples.shape == (6, 5, 30)
    numbers = dataset.trace.values
    assert sorted(numbers.ravel()) == [-1, -1, -1, *range(27)]
    is_trace = numbers >= 0
    assert "3 of 30 positions have no trace" in dataset.attrs["comment"]
    for values, expected in ((dataset.samples, file.samples()), (dataset.fldr, file.word("fldr")),
                             (dataset.cdp_x, file.word("cdpx") / 100)):  # fmt: skip
        numpy.testing.assert_allclose(values.values[is_trace], expected)
        assert numpy.isnan(values.values[~is_trace]).all()
    numpy.testing.assert_array_equal(opened(path).samples.isel(twt=4), dataset.samples.values[:, :, 4])
    dataset.sill.to_segy(tmp_path / "b.sgy")
    assert (tmp_path / "b.sgy").read_bytes() == path.read_bytes()
    changed = dataset.assign(samples=dataset.samples.fillna(0.0))
    with pytest.raises(sill.UsageError, match="positions without a trace"):
        changed.sill.to_segy(tmp_path / "c.sgy")
    assert {each.name for each in tmp_path.iterdir()} == {"cube.sgy", "holes.sgy", "b.sgy"}


def test_one_of_several_processes_writes_no_dataset(cube, tmp_path, monkeypatch):
    dataset = opened(tmp_path / "cube.sgy")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    for each in (dataset, dataset.assign(samples=-dataset.samples)):
        with pytest.raises(sill.UsageError, match=r"launched by Open MPI \(OMPI_COMM_WORLD_SIZE=2\)"):
            each.sill.to_segy(tmp_path / "b.sgy")
    assert {each.name for each in tmp_path.iterdir()} == {"cube.sgy"}


def test_dimensions_in_one_text(streamer):
    names = ("shot", "cable", "channel")
    for text in (",".join(names), " shot , cable,  channel"):
        assert opened(streamer, dimensions=text).identical(opened(streamer, dimensions=names))
    survey = sill.open(streamer)
    for text in ("min(fldr, max(ep, 0)),tracl", "tracl, max(min(0, ep), fldr)"):
        assert [each for each in opened(streamer, dimensions=text).samples.dims if each != "twt"] == {
            "min(fldr, max(ep, 0)),tracl": ["min(fldr, max(ep, 0))", "tracl"],
            "tracl, max(min(0, ep), fldr)": ["tracl", "max(min(0, ep), fldr)"],
        }[text]
    assert opened(streamer, dimensions=" trace ").samples.shape == (len(survey), survey.shape[1])


def test_a_comment_states_why_shots_are_no_dimension(tmp_path):
    shot, channel = numpy.divmod(numpy.arange(720), 24)
    words = {"fldr": 1 + shot // 10, "ep": 1 + shot % 10, "tracf": 1 + channel, "sx": 1000 + 50 * shot, "gx": 1100 + 50 * shot + 25 * channel,
             "offset": 100 + 25 * channel}  # fmt: skip
    sill.create(tmp_path / "a.sgy", numpy.zeros((720, 4), "f4"), words, interval=0.004)
    comment = opened(tmp_path / "a.sgy").attrs["comment"]
    assert "the geometry is shot gathers, numbered by several words (fldr, ep)" in comment


def test_no_trace_is_dropped_at_the_same_position(cube, tmp_path):
    file, _ = cube
    file.put_word("iline", numpy.maximum(file.word("iline"), 11))  # inlines 10 and 11 coincide
    path = file.write(tmp_path / "twice.sgy")
    with pytest.raises(sill.UsageError, match=r"traces 0 and 5 .*inline 11, crossline 100") as caught:
        opened(path, dimensions=("inline", "crossline"))
    assert "cdpx" in caught.value.action
    assert caught.value.where["file"] == str(path)
    dataset = opened(path)
    assert dataset.samples.dims == ("trace", "twt")
    assert "the only dimension is `trace`" in dataset.attrs["comment"]
    numpy.testing.assert_array_equal(dataset.samples, file.samples().astype("f4"))
    other = opened(path, dimensions={"x": "true(cdpx)", "crossline": "xline"})
    assert other.samples.shape == (6, 5, 30)
    with pytest.raises(sill.UnknownWordError):
        opened(path, dimensions=("inline", "crosline"))


def test_dimensions_that_are_mostly_holes(tmp_path):
    file = cube_file(inlines=20, crosslines=20)
    for word in ("fldr", "tracf", "ep", "sx", "sy", "gx", "gy"):
        file.put_word(word, 0)
    number = numpy.arange(400)
    file.put_word("iline", 10 + number // 40).put_word("xline", 100 + number % 40 // 4).put_word("offset", 25 * number)
    path = file.write(tmp_path / "a.sgy")
    dataset = opened(path)
    assert dataset.samples.dims == ("trace", "twt")
    assert "inline, crossline, offset make 40000 positions for 400 traces" in dataset.attrs["comment"]
    named = opened(path, dimensions=("inline", "crossline", "offset"))
    numpy.testing.assert_array_equal(named.sel(offset=25 * 77).samples.max(), file.samples()[77].max())


def test_traces_that_begin_at_different_times(cube, tmp_path):
    file, _ = cube
    file.put_word("delrt", 100 + 4 * (numpy.arange(30) % 3))
    path = file.write(tmp_path / "delays.sgy")
    dataset = opened(path)
    assert dataset.samples.dims == ("inline", "crossline", "sample")
    assert "twt" not in dataset
    numpy.testing.assert_allclose(dataset.twt_start.values.ravel(), file.word("delrt") / 1e3)
    assert dataset["sample"].attrs["interval"] == pytest.approx(0.002)
    dataset.isel(sample=slice(5, 20)).sill.to_segy(tmp_path / "b.sgy")
    sill.open(tmp_path / "b.sgy")
    written = segy_files.read(tmp_path / "b.sgy")
    numpy.testing.assert_array_equal(written.samples(), file.samples()[:, 5:20])
    numpy.testing.assert_array_equal(written.word("delrt"), file.word("delrt") + 10)


def test_traces_of_different_lengths_are_refused(tmp_path):
    one, two = segy_files.make(3, 10), segy_files.make(2, 12)
    one.put_binary(3503, "i2", 0)
    path = tmp_path / "a.sgy"
    path.write_bytes(one.to_bytes() + two.rows.tobytes())
    assert not sill.open(path)._files.opened.is_uniform
    with pytest.raises(sill.UsageError, match="differ in their numbers of samples"):
        opened(path)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.s*")), ids=lambda path: path.name)
def test_real_files_come_back_byte_for_byte(path, tmp_path):
    try:
        survey = sill.open(path)
    except sill.InputError as error:
        with pytest.raises(type(error)):
            opened(path)
        return
    out = tmp_path / path.name
    for options in ({}, {"dtype": "float64", **({"chunks": {}} if "f3" in path.name else {})}):
        dataset = opened(path, **options)
        assert dataset.samples.size >= survey.traces.shape[0] * survey.traces.shape[1]
        numpy.testing.assert_array_equal(
            dataset.samples.values[dataset.trace.values >= 0][numpy.argsort(dataset.trace.values[dataset.trace.values >= 0])],
            survey.traces.read(dtype=options.get("dtype")),
        )
        dataset.sill.to_segy(out)
        assert out.read_bytes() == path.read_bytes()
        dataset.load().sill.to_segy(out)
        assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.s*")), ids=lambda path: path.name)
def test_real_files_are_changed(path, tmp_path):
    """Samples, a word, and a window of some traces, with all else as it was."""
    try:
        survey = sill.open(path)
    except sill.InputError:
        return
    traces, samples = survey.shape
    if traces == 0:
        return
    out = tmp_path / path.name
    opened(path).assign(samples=opened(path).samples * 0 + 3).sill.to_segy(out)
    new = sill.open(out)
    numpy.testing.assert_array_equal(new.traces[:], 3)
    numpy.testing.assert_array_equal(new.raw_headers(), survey.raw_headers())
    assert out.stat().st_size == path.stat().st_size
    assert (new.text, new.binary) == (survey.text, survey.binary)
    dataset = opened(path, dimensions="trace")
    first = samples // 3 // 4 * 4  # delays are stored in units of up to 4 ms
    window = dataset.isel(trace=slice(traces // 2, None, 2), **{dataset.samples.dims[1]: slice(first, None)})
    window = window.assign(gelev=window.gelev * 0 + 7)
    if path.stem.startswith("su_329"):  # where the delay would have fractions
        with pytest.raises(sill.InputError, match="cannot store"):
            window.sill.to_segy(out)
        return
    window.sill.to_segy(out)
    new = sill.open(out)
    numpy.testing.assert_array_equal(new.traces[:], survey.traces[traces // 2 :: 2, first:])
    numpy.testing.assert_array_equal(new["gelev"], 7)
    for word in set(survey.words) - {"gelev", "ns", "delrt"}:
        numpy.testing.assert_array_equal(new[word], survey[word][traces // 2 :: 2])


def test_a_file_between_record_marks(cube, tmp_path):
    """Fortran's unformatted records: copied with the marks, or written without them."""
    file, _ = cube
    path, out = tmp_path / "wrapped.sgy", tmp_path / "b.sgy"
    records = [file.head[:3200], file.head[3200:], *file.rows]
    marks = [numpy.array(len(record), ">u4").tobytes() for record in records]
    path.write_bytes(b"".join(mark + record.tobytes() + mark for mark, record in zip(marks, records, strict=True)))
    dataset = opened(path)
    dataset.sill.to_segy(out)
    assert out.read_bytes() == path.read_bytes()
    dataset.assign(samples=-dataset.samples).sill.to_segy(out)
    expected = file.copy().put_samples(-file.samples())
    numpy.testing.assert_array_equal(sill.open(out).traces[:], expected.samples().astype("f4"))
    assert out.read_bytes()[:3600] == file.head.tobytes()
    numpy.testing.assert_array_equal(sill.open(out).raw_headers(), file.rows[:, :240])
    assert out.stat().st_size == len(expected.to_bytes())


def test_maps_and_assumptions(cube, tmp_path):
    file, _ = cube
    file.put(201, "f4", numpy.linspace(0, 1, 30)).put_binary(3221, "u2", 0)
    path, out = file.put_word("ns", 0).write(tmp_path / "a.sgy"), tmp_path / "b.sgy"
    names = tmp_path / "names.json"
    names.write_text('{"base": "standard", "words": {"quality": {"byte": 201, "type": "f4"}}}')
    dataset = opened(path, map=names, assume={"samples": 30})
    numpy.testing.assert_array_equal(dataset.quality.values.ravel(), numpy.linspace(0, 1, 30).astype("f4"))
    dataset.assign(quality=dataset.quality / 2).sill.to_segy(out)
    expected = file.copy().put(201, "f4", numpy.linspace(0, 1, 30).astype("f4") / 2).put_binary(3221, "u2", 30)
    assert out.read_bytes() == expected.to_bytes()
    dataset.sel(twt=slice(0.12, None)).sill.to_segy(out)
    numpy.testing.assert_array_equal(sill.open(out).traces[:], sill.open(path, assume="samples=30").traces[:, 10:])


def test_depth(cube):
    _, path = cube
    dataset = opened(path, assume={"domain": "depth"})
    assert dataset.samples.dims == ("inline", "crossline", "depth")
    assert dataset.depth.attrs["standard_name"] == "depth"


@pytest.mark.parametrize("code", [1, 3, 5, 6, 7, 8, 9])
@pytest.mark.parametrize("chunks", [None, {"inline": 4, "twt": 7}])
def test_only_changed_samples_are_written(tmp_path, monkeypatch, code, chunks):
    monkeypatch.setattr(sill.xarray.grid, "CHUNK_BYTES", 4 * 30 * 7)  # several chunks
    file = cube_file(code=code, crossline_sorted=True)
    file.put_samples(file.samples() if code in (1, 5, 6) else numpy.random.default_rng(1).integers(-99, 99, (30, 30)))
    if code == 9:
        file.put_samples(numpy.full((30, 30), (1 << 60) + 1))  # more digits than a float
    path = file.write(tmp_path / "a.sgy")
    dataset = opened(path, chunks=chunks)
    loud = numpy.abs(dataset.samples) > numpy.abs(dataset.samples).max() / 2
    if code == 9:
        loud = (dataset.samples != 0) & (dataset["sample"] % 3 == 0 if "sample" in dataset else dataset.twt < 0.11)
    dataset["samples"] = xarray.where(loud & (dataset.inline != 12), 17.0, dataset.samples)
    dataset.transpose("twt", "crossline", "inline").sill.to_segy(tmp_path / "b.sgy")
    expected = file.samples().astype("f8") if code != 9 else file.samples().copy()
    is_changed = numpy.zeros((30, 30), bool)
    is_changed[dataset.trace.values.ravel()] = (
        (loud & (dataset.inline != 12)).transpose("inline", "crossline", "twt").values.reshape(30, 30)
    )
    expected[is_changed] = 17
    written = segy_files.read(tmp_path / "b.sgy")
    numpy.testing.assert_array_equal(written.samples(), expected)
    size = segy_files.size_of(segy_files.SAMPLE_TYPES[code])
    same = numpy.repeat(~is_changed, size, axis=1)
    numpy.testing.assert_array_equal(written.rows[:, 240:][same], file.rows[:, 240:][same])
    numpy.testing.assert_array_equal(written.rows[:, :240], file.rows[:, :240])
    assert written.head.tobytes() == file.head.tobytes()


def test_changed_words_are_written(cube, tmp_path):
    file, path = cube
    dataset = opened(path)
    dataset["ep"] = dataset.ep + 1000
    dataset["fldr"] = ("inline", numpy.arange(6) * 7)  # the same for all traces of an inline
    dataset["tracf"] = dataset.tracf.where(dataset.crossline > 100, 99)
    dataset.sill.to_segy(tmp_path / "b.sgy")
    expected = file.copy()
    expected.put_word("ep", file.word("ep") + 1000).put_word("fldr", numpy.repeat(numpy.arange(6) * 7, 5))
    expected.put_word("tracf", numpy.where(file.word("xline") > 100, file.word("tracf"), 99))
    assert (tmp_path / "b.sgy").read_bytes() == expected.to_bytes()
    before = sorted(tmp_path.iterdir())
    for word, values, kind, problem in (
        ("trid", dataset.trid + 40000, sill.InputError, "trid"),
        ("trid", dataset.trid + 0.5, sill.InputError, "trid cannot store 1.5"),
        ("ns", dataset.ns + 1, sill.UsageError, "number or the interval"),
    ):
        with pytest.raises(kind, match=problem):
            dataset.assign({word: values}).sill.to_segy(tmp_path / "c.sgy")
    assert sorted(tmp_path.iterdir()) == before


def test_selections_are_written_as_by_cut(cube, tmp_path):
    file, path = cube
    dataset = opened(path)
    chosen = dataset.sel(inline=slice(11, 13), crossline=[108, 102]).sel(twt=slice(0.1079, 0.1301))
    chosen.sill.to_segy(tmp_path / "b.sgy")
    sill.cut(path, output=tmp_path / "c.sgy", where="iline in (11:13) and xline in (102, 108)", time="108ms:130ms")
    assert (tmp_path / "b.sgy").read_bytes() == (tmp_path / "c.sgy").read_bytes()
    one = dataset.isel(inline=2, crossline=1, twt=4)
    one.assign(samples=one.samples * 2, ep=one.ep + 1).sill.to_segy(tmp_path / "d.sgy")
    written = segy_files.read(tmp_path / "d.sgy")
    assert written.samples().shape == (1, 1)
    assert written.samples()[0, 0] == 2 * file.samples()[11, 4].astype("f4")
    assert (written.word("ep"), written.word("ns"), written.word("delrt")) == (file.word("ep")[11] + 1, 1, 108)
    odd = dataset.isel(inline=slice(None, None, -2))
    odd.assign(samples=-odd.samples).sill.to_segy(tmp_path / "e.sgy")
    is_odd = file.word("iline") % 2 == 1
    numpy.testing.assert_array_equal(segy_files.read(tmp_path / "e.sgy").samples(), -file.samples()[is_odd])
    numpy.testing.assert_array_equal(segy_files.read(tmp_path / "e.sgy").rows[:, :240], file.rows[is_odd, :240])


def test_what_cannot_be_written_is_refused(cube, tmp_path):
    _, path = cube
    dataset = opened(path)
    x = dataset.cdp_x.load()
    for changed, problem in (
        (dataset.mean("inline"), "which traces"),
        (dataset.assign(extra=dataset.fldr * 2), "no place for the variable extra"),
        (dataset.assign_coords(cdp_x=x + 1), "cdp_x was changed"),
        (dataset.assign_coords(inline=dataset.inline + 1), "inline was changed"),
        (dataset.isel(twt=slice(None, None, 2)), "not consecutive samples"),
        (dataset.assign_coords(twt=dataset.twt + 1), "not consecutive samples"),
        (dataset.isel(inline=[1, 1]), "a trace twice"),
        (dataset.isel(inline=[]), "no traces"),
        (dataset.assign(samples=dataset.samples.mean("inline")), "dimensions"),
        (dataset.isel(twt=slice(3, 9)).assign(delrt=dataset.delrt + 1), "delrt"),
    ):  # fmt: skip
        with pytest.raises(sill.UsageError, match=problem):
            changed.sill.to_segy(tmp_path / "b.sgy")
    with pytest.raises(sill.UsageError, match="file of the dataset"):
        dataset.sill.to_segy(path)
    with pytest.raises(sill.InputError):  # IBM floats have no NaN
        dataset.assign(samples=dataset.samples.where(dataset.twt > 0.11)).sill.to_segy(tmp_path / "b.sgy")
    (tmp_path / "b.sgy").write_bytes(b"old")
    with pytest.raises(sill.InputError):
        dataset.assign(samples=dataset.samples * numpy.inf).sill.to_segy(tmp_path / "b.sgy")
    assert (tmp_path / "b.sgy").read_bytes() == b"old"
    assert {each.name for each in tmp_path.iterdir()} == {"cube.sgy", "b.sgy"}
    old = sill.open(path).traces[:].reshape(6, 5, 30)
    for key in ((slice(None, None, -1),), (Ellipsis, slice(None, None, -1))):
        swapped = dataset.assign(samples=(dataset.samples.dims, dataset.samples.variable[key]))  # not loaded
        swapped.sill.to_segy(tmp_path / "b.sgy")
        numpy.testing.assert_array_equal(sill.open(tmp_path / "b.sgy").traces[:].reshape(6, 5, 30), old[key])
    dataset.assign(sx=dataset.gx, offset=(dataset.samples.dims[:2], dataset.offset.variable[::-1])).sill.to_segy(
        tmp_path / "b.sgy"
    )
    survey, new = sill.open(path), sill.open(tmp_path / "b.sgy")
    numpy.testing.assert_array_equal(new["sx"], survey["gx"])
    numpy.testing.assert_array_equal(new["offset"].reshape(6, 5), survey["offset"].reshape(6, 5)[::-1])
    with pytest.raises(sill.UsageError, match="dimensions"):
        dataset.isel(twt=3, drop=True).sill.to_segy(tmp_path / "b.sgy")
    path.write_bytes(path.read_bytes() + bytes(240 + 120))
    with pytest.raises(sill.InputError, match="changed after it was first opened"):
        dataset.sill.to_segy(tmp_path / "c.sgy")


def test_several_files(tmp_path):
    files = [cube_file(inlines=2).put_word("iline", 10 + 2 * i + numpy.arange(10) // 5) for i in range(3)]
    paths = [file.write(tmp_path / f"{i}.sgy") for i, file in enumerate(files)]
    dataset = opened([str(path) for path in paths], dimensions=("inline", "crossline"))
    numpy.testing.assert_array_equal(dataset.inline, numpy.arange(10, 16))
    expected = numpy.concatenate([file.samples() for file in files]).reshape(6, 5, 30)
    numpy.testing.assert_array_equal(dataset.samples, expected)
    traces = opened([str(path) for path in paths])
    assert traces.samples.dims == ("trace", "twt")
    assert "several files" in traces.attrs["comment"]
    out = tmp_path / "b.sgy"
    for each in (dataset, traces, opened([str(path) for path in paths], chunks={})):
        each.sill.to_segy(out)
        assert out.read_bytes() == paths[0].read_bytes() + paths[1].read_bytes()[3600:] + paths[2].read_bytes()[3600:]
    changed = dataset.assign(samples=dataset.samples.where(dataset.inline != 13, 5.0), ep=dataset.ep + 1)
    changed.sel(inline=slice(11, 14)).sill.to_segy(out)
    written = segy_files.read(out)
    expected[3] = 5.0
    numpy.testing.assert_array_equal(written.samples(), expected[1:5].reshape(-1, 30))
    numpy.testing.assert_array_equal(written.word("ep"), numpy.concatenate([file.word("ep") for file in files])[5:25] + 1)
    with pytest.raises(sill.UsageError, match="file of the dataset"):
        dataset.sill.to_segy(paths[2])


def test_a_url_is_written_to_a_file(cube, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    file, path = cube
    fsspec.filesystem("memory").pipe_file("/cube.sgy", path.read_bytes())
    dataset, out = opened("memory://cube.sgy"), tmp_path / "b.sgy"
    dataset.sill.to_segy(out)
    assert out.read_bytes() == path.read_bytes()
    dataset.assign(samples=-dataset.samples).sel(inline=[11, 12]).sill.to_segy(out, storage_options={})
    is_chosen = numpy.isin(file.word("iline"), [11, 12])
    numpy.testing.assert_array_equal(segy_files.read(out).samples(), -file.samples()[is_chosen])
    fsspec.filesystem("memory").pipe_file("/cube.sgy", path.read_bytes() + bytes(360))
    with pytest.raises(sill.IoError, match="changed after it was opened"):
        dataset.sill.to_segy(out)


def test_drop_variables_and_types(cube):
    _, path = cube
    dataset = opened(path, drop_variables=["fldr", "ep", "none"], dtype="float64")
    assert "fldr" not in dataset
    assert dataset.samples.dtype == "f8"
    with pytest.raises(TypeError, match="float32 or float64"):
        opened(path, dtype="int16")
    with pytest.raises(sill.UsageError, match="cannot be the name"):
        opened(path, dimensions={"inline": "iline", "samples": "xline"})
    assert opened(path, dimensions="trace").samples.shape == (30, 30)


def test_chunks_follow_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(sill.xarray.grid, "CHUNK_BYTES", 4 * 30 * 12)
    for crossline_sorted, chunks in ((False, {"inline": 2, "crossline": 5}), (True, {"inline": 6, "crossline": 2})):
        path = cube_file(crossline_sorted=crossline_sorted).write(tmp_path / "a.sgy")
        dataset = opened(path, chunks={})
        assert opened(path).samples.encoding["preferred_chunks"] == chunks | {"twt": 30}
        assert {name: sizes[0] for name, sizes in dataset.samples.chunksizes.items()} == chunks | {"twt": 30}
        assert opened(path).fldr.encoding["preferred_chunks"] == chunks
    monkeypatch.setattr(sill.xarray.grid, "CHUNK_BYTES", 4 * 30 * 3)
    assert opened(path).samples.encoding["preferred_chunks"] == {"inline": 3, "crossline": 1, "twt": 30}


def test_only_what_is_computed_is_read(tmp_path, counted):
    path = cube_file().write(tmp_path / "a.sgy")
    dataset = opened(path, chunks={"inline": 2})
    assert counted == []
    dataset.samples.sel(inline=12).mean().compute(scheduler="synchronous")
    assert counted == [("samples", list(range(10, 15)))]  # of the chunk of inlines 12 and 13
    counted.clear()
    lazy = opened(path)
    _ = lazy.samples.sel(twt=0.11).values
    assert counted == [("sample", list(range(30)))]
    counted.clear()
    _ = lazy.samples.isel(inline=3, twt=slice(2, 5)).values
    assert counted == [("samples", list(range(15, 20)))]
    counted.clear()
    lazy.sill.to_segy(tmp_path / "b.sgy")
    assert counted == []


def test_datasets_can_be_pickled(cube):
    file, path = cube
    dataset = pickle.loads(pickle.dumps(opened(path)))
    numpy.testing.assert_array_equal(dataset.samples.values.reshape(30, 30), file.samples().astype("f4"))
    again = pickle.loads(pickle.dumps(opened(path, chunks={"inline": 1}).samples.sum()))
    assert float(again) == pytest.approx(float(dataset.samples.sum()), rel=1e-5)


def test_a_netcdf_file_between(cube, tmp_path):
    pytest.importorskip("netCDF4")
    _, path = cube
    dataset = opened(path)
    dataset.to_netcdf(tmp_path / "a.nc")
    with xarray.open_dataset(tmp_path / "a.nc") as again:
        again.sill.to_segy(tmp_path / "b.sgy")
    assert (tmp_path / "b.sgy").read_bytes() == path.read_bytes()


PROGRAM = """
import sys
import numpy
import xarray
from dask.distributed import Client, LocalCluster

if __name__ == "__main__":
    path = sys.argv[1]
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster):
        far = xarray.open_dataset(path, engine="sill", chunks="auto")
        near = xarray.open_dataset(path, engine="sill")
        small = xarray.open_dataset(path, engine="sill", chunks={"inline": 1})
        for dataset in (far, small):
            assert dataset.samples.chunks is not None
            numpy.testing.assert_array_equal(dataset.samples.compute(), near.samples)
            numpy.testing.assert_array_equal(dataset.fldr.compute(), near.fldr)
            numpy.testing.assert_array_equal(dataset.cdp_x.compute(), near.cdp_x)
            numpy.testing.assert_allclose(dataset.samples.mean("twt").compute(), near.samples.mean("twt"), rtol=1e-5)
        print("same values")
"""


def test_the_entry_point_and_several_processes(cube, tmp_path):
    """The entry point, as the build and an installation provide it; the workers are processes."""
    pytest.importorskip("distributed")
    (tmp_path / "program.py").write_text(PROGRAM)
    package = str(Path(sill.__file__).parents[1])
    done = subprocess.run([sys.executable, tmp_path / "program.py", cube[1]], capture_output=True, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": package}, timeout=240)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "same values" in done.stdout
    guess = "import sys, xarray; print(xarray.open_dataset(sys.argv[1]).sizes['twt'])"
    done = subprocess.run([sys.executable, "-c", guess, cube[1]], capture_output=True, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": package}, timeout=120)  # fmt: skip
    assert done.stdout == "30\n", done.stderr


def test_a_closed_dataset_is_closed(line):
    _, path = line
    dataset = opened(path)
    with dataset:
        dataset.samples.load()
    with pytest.raises(sill.UsageError, match="closed"):
        opened_again = opened(path)
        opened_again.close()
        opened_again.samples.load()


def test_samples_that_would_be_lost_are_refused(tmp_path):
    path = tmp_path / "a.sgy"
    values = numpy.random.default_rng(2).integers(-3000, 3000, (20, 30))
    sill.create(path, values, interval=0.002, sample_format="int16")
    dataset = opened(path, dimensions="trace")
    with pytest.raises(sill.InputError, match="factor"):
        dataset.assign(samples=dataset.samples / 4000).sill.to_segy(tmp_path / "b.sgy")
    with pytest.raises(sill.UsageError, match="interval"):
        dataset.assign(dt=dataset.dt // 2).sill.to_segy(tmp_path / "b.sgy")
    with pytest.raises(sill.UsageError, match="dimensions"):
        dataset.rename(trace="other").assign_coords(trace=("other", dataset.trace.values, dataset.trace.attrs)).sill.to_segy(
            tmp_path / "b.sgy"
        )
    with pytest.raises(sill.UsageError, match="name of a dimension"):
        opened(path, dimensions={"source_x": "tracl"})
    assert [each.name for each in tmp_path.iterdir()] == ["a.sgy"]


def test_values_without_a_trace_and_other_text_headers_are_refused(tmp_path):
    words = {"iline": [1, 1, 2], "xline": [1, 2, 1]}
    sill.create(tmp_path / "a.sgy", numpy.ones((3, 4)), words, interval=0.004)
    dataset = opened(tmp_path / "a.sgy", dimensions=("inline", "crossline")).load()
    changed = dataset.copy(deep=True)
    changed.cdp.values[1, 1] = 55
    for wrong, text in (
        (changed, "cdp at positions without a trace"), (dataset.assign_attrs(text_header="C 1 NEW"), "text_header"),
    ):  # fmt: skip
        with pytest.raises(sill.UsageError, match=text):
            wrong.sill.to_segy(tmp_path / "b.sgy")
    dataset.assign(cdp=dataset.cdp + 3).drop_attrs(deep=False).sill.to_segy(tmp_path / "b.sgy")
    assert sill.open(tmp_path / "b.sgy")["cdp"].tolist() == [3, 3, 3]


def test_a_full_disk_is_an_io_error(cube, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    dataset = opened(cube[1])
    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(sill.IoError, match="No space left") as raised:
        dataset.sill.to_segy(tmp_path / "b.sgy")
    assert raised.value.errno == errno.ENOSPC and raised.value.filename == str(tmp_path / "b.sgy")
    assert sorted(tmp_path.iterdir()) == [cube[1]]


def test_a_dataset_of_a_changed_file_is_an_error(cube):
    dataset = opened(cube[1])
    sill.edit(cube[1], set="iline=29-iline")
    for read in (lambda: dataset.samples.sel(inline=10).load(), lambda: dataset.cdp.load()):
        with pytest.raises(sill.InputError, match="open it again"):
            read()


def test_an_empty_window_of_a_dataset_with_holes(cube, tmp_path):
    _, path = cube
    sill.cut(path, output=tmp_path / "holes.sgy", where="trace != 7")
    dataset = opened(tmp_path / "holes.sgy")
    assert dataset.samples.isel(twt=slice(2, 2)).values.shape == (6, 5, 0)
    assert dataset.samples.isel(twt=[]).values.shape == (6, 5, 0)


def test_bools_are_values_of_words(cube, tmp_path):
    _, path = cube
    dataset = opened(path, dimensions="trace")
    dataset.assign(ep=dataset.trace > 4).sill.to_segy(tmp_path / "a.sgy")
    assert sill.open(tmp_path / "a.sgy")["ep"].tolist() == [int(number > 4) for number in range(30)]
