"""Samples, header words and selections, compared with NumPy's own reading of the bytes."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
import segy_files
import sill


def test_samples_are_those_of_numpy(line):
    file, path = line
    survey = sill.open(path)
    expected = file.samples().astype(numpy.float32)
    assert survey.shape == expected.shape
    mask = numpy.arange(300) % 7 == 0
    for key in (slice(None), slice(10, 20), slice(None, None, -1), slice(200, 5, -3), slice(5, 5), [3, 3, -1], [], mask):
        got = survey.traces[key]
        assert got.dtype == numpy.float32
        numpy.testing.assert_array_equal(got, expected[key] if not isinstance(key, list) else expected[numpy.array(key, int)])
    numpy.testing.assert_array_equal(survey.traces[-1], expected[-1])
    numpy.testing.assert_array_equal(list(survey.traces), expected)


@pytest.mark.parametrize("code", [1, 2, 3, 5, 6, 8, 10, 11, 16])
@pytest.mark.parametrize("order", ["big", "little"])
def test_every_sample_format(tmp_path, code, order):
    file = segy_files.make(20, 30, code=code, order=order)
    path = file.write(tmp_path / "a.sgy")
    survey = sill.open(path, assume={"sample_format": code, "byte_order": order})
    numpy.testing.assert_array_equal(survey.traces[:], file.samples().astype(numpy.float32))


def test_out_is_filled_without_a_copy(line):
    file, path = line
    survey = sill.open(path)
    out = numpy.full((300, 50), numpy.nan, numpy.float32)
    assert survey.traces.read(slice(None), out=out) is out
    numpy.testing.assert_array_equal(out, file.samples().astype(numpy.float32))
    for wrong in (out.astype(float), out[:-1], out[:, ::2], numpy.asfortranarray(out), [1.0]):
        with pytest.raises(sill.UsageError, match="out must be"):
            survey.traces.read(slice(None), out=wrong)
    out.flags.writeable = False
    with pytest.raises(sill.UsageError, match="writable"):
        survey.traces.read(slice(None), out=out)


def test_columns_are_those_of_numpy(line):
    file, path = line
    survey = sill.open(path)
    numpy.testing.assert_array_equal(survey["cdp"], file.word("cdp"))
    columns = survey["offset", "abs(offset)", "offset / 2", "offset > 0"]
    assert list(columns) == ["offset", "abs(offset)", "offset / 2", "offset > 0"]
    assert [column.dtype for column in columns.values()] == [numpy.int64, numpy.int64, numpy.float64, bool]
    numpy.testing.assert_array_equal(columns["offset / 2"], file.word("offset") / 2)
    numpy.testing.assert_array_equal(columns["offset > 0"], file.word("offset") > 0)
    table = columns.to_pandas()
    assert table.shape == (300, 4)
    assert survey.raw_headers().tobytes() == file.rows[:, :240].tobytes()


def test_selections_chain(line):
    file, path = line
    survey = sill.open(path)
    chosen = survey.where("cdp % 2 == 0").where("offset > 0")
    expected = numpy.flatnonzero((file.word("cdp") % 2 == 0) & (file.word("offset") > 0))
    assert 0 < len(expected) < 300
    numpy.testing.assert_array_equal(chosen.numbers, expected)
    numpy.testing.assert_array_equal(chosen["fldr"], file.word("fldr")[expected])
    numpy.testing.assert_array_equal(chosen.traces[1:5], file.samples().astype(numpy.float32)[expected[1:5]])
    assert chosen.raw_headers().tobytes() == file.rows[expected, :240].tobytes()
    assert len(survey.where("cdp < 0")) == 0
    assert survey.where("cdp < 0").traces[:].shape == (0, 50)


def test_several_files_are_one_survey(tmp_path):
    files = [segy_files.make(n, 10) for n in (3, 4)]
    paths = [file.write(tmp_path / f"{i}.sgy") for i, file in enumerate(files)]
    survey = sill.open(paths)
    assert len(survey) == 7
    assert list(survey["file"]) == [1, 1, 1, 2, 2, 2, 2]
    numpy.testing.assert_array_equal(survey.traces[:], numpy.concatenate([file.samples() for file in files]))


def test_what_a_file_is(line):
    file, path = line
    survey = sill.open(path)
    (form,) = survey.forms
    assert form["kind"] == "SEG-Y"
    assert form["byte_order"] == "big"
    assert form["bytes"] == path.stat().st_size
    assert survey.interval == pytest.approx(float(file.binary(3217, "u2")) * 1e-6)
    assert survey.binary == file.head[3200:3600].tobytes()
    assert len(survey.text.splitlines()) == 40
    assert "300 traces, 50 samples" in repr(survey)


def test_pickling_and_threads(line):
    file, path = line
    survey = sill.open(path).where("cdp > 3")
    again = pickle.loads(pickle.dumps(survey))
    numpy.testing.assert_array_equal(again.numbers, survey.numbers)
    expected = survey.traces[:]
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: survey.traces[:], range(32)):
            numpy.testing.assert_array_equal(got, expected)


def test_a_file_that_changed_is_not_unpickled(tmp_path):
    path = segy_files.make(5, 10).write(tmp_path / "a.sgy")
    stored = pickle.dumps(sill.open(path))
    segy_files.make(6, 10).write(path)
    with pytest.raises(sill.InputError, match="when the survey was pickled"):
        pickle.loads(stored)


def test_wrong_use(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    with pytest.raises(KeyError, match="cdp"):
        survey["cpd"]
    with pytest.raises(sill.UnknownWordError):
        survey.where("cdp +")
    with pytest.raises(sill.UsageError):
        survey.where("cdp")
    for key in (300, -301, [0, 300], numpy.zeros(299, bool)):
        with pytest.raises(IndexError):
            survey.traces[key]
    for key in ("cdp", 1.5, None, [0.5]):
        with pytest.raises(TypeError):
            survey.traces[key]
    with pytest.raises(TypeError):
        survey[0]
    with pytest.raises(sill.IoError) as missing:
        sill.open(tmp_path / "none.sgy")
    assert missing.value.errno == 2
    assert missing.value.filename == str(tmp_path / "none.sgy")
    assert isinstance(missing.value, OSError)
    assert missing.value.action
    (tmp_path / "text.sgy").write_text("no survey\n" * 1000)
    with pytest.raises(sill.InputError) as unknown:
        sill.open(tmp_path / "text.sgy")
    assert unknown.value.where["file"] == str(tmp_path / "text.sgy")
    assert str(pickle.loads(pickle.dumps(unknown.value))) == str(unknown.value)
    with pytest.raises(sill.UsageError):
        sill.open([])
    with pytest.raises(sill.UsageError):
        sill.open(path, assume={"sample_formats": 5})


def test_a_file_that_is_cut_while_it_is_open(tmp_path):
    path = segy_files.make(100, 50).write(tmp_path / "a.sgy")
    survey = sill.open(path)
    with path.open("r+b") as file:
        file.truncate(10_000)
    with pytest.raises((sill.IoError, sill.InputError)):
        survey.traces[:]
    with pytest.raises((sill.IoError, sill.InputError)):
        survey["cdp"]


def test_more_than_the_free_memory_is_refused(line, monkeypatch):
    _, path = line
    survey = sill.open(path)
    monkeypatch.setattr("sill.survey._sill.free_memory", lambda: 1000)
    with pytest.raises(MemoryError, match="read fewer traces"):
        survey.traces[:]


def test_traces_of_different_lengths(tmp_path):
    import varied_files

    file = varied_files.make(list(range(10, 30)))
    path = file.write(tmp_path / "varied.sgy")
    survey = sill.open(path)
    assert len(survey) == 20
    with pytest.raises(sill.UsageError, match="differ in their numbers of samples"):
        survey.traces[:]
    assert [len(trace) for trace in survey.traces] == list(range(10, 30))
