"""Samples, header words and selections, compared with NumPy's own reading of the bytes."""

import base64
import contextlib
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
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
    for one in (-1, numpy.int32(7), numpy.array(7)):
        numpy.testing.assert_array_equal(survey.traces[one], expected[one])
    numpy.testing.assert_array_equal(survey.traces[10:20, ::7], expected[10:20, ::7])
    numpy.testing.assert_array_equal(numpy.asarray(survey.traces), expected)
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
    for wrong in (out[:-1], out[:, ::2], numpy.asfortranarray(out), out.astype(">f4")):
        with pytest.raises(sill.UsageError, match="pass a writable array"):
            survey.traces.read(slice(None), out=wrong)
    with pytest.raises(TypeError):
        survey.traces.read(slice(None), out=out.astype(complex))
    out.flags.writeable = False
    with pytest.raises(sill.UsageError, match="writable"):
        survey.traces.read(slice(None), out=out)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4", "i8"])
def test_samples_as_another_type(tmp_path, dtype):
    file = segy_files.make(20, 30, code=3)
    file.put_samples(numpy.random.default_rng(1).integers(-128, 128, (20, 30)))
    survey = sill.open(file.write(tmp_path / "a.sgy"))
    got = survey.traces.read(dtype=dtype)
    assert got.dtype == numpy.dtype(dtype)
    numpy.testing.assert_array_equal(got, file.samples())
    file.put_samples(numpy.full((20, 30), 200))
    survey = sill.open(file.write(tmp_path / "b.sgy"))
    if dtype == "i1":
        with pytest.raises(sill.InputError, match="trace:  1"):
            survey.traces.read(dtype=dtype)
    else:
        numpy.testing.assert_array_equal(survey.traces.read(dtype=dtype), file.samples())


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
    numpy.testing.assert_array_equal(columns.to_polars()["offset"], file.word("offset"))
    every = survey.headers()
    assert {"fldr", "cdp", "ns"} <= set(every)
    numpy.testing.assert_allclose(survey.headers("sx", true=True)["sx"], file.word("sx") / 100)
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
    many = survey
    for _ in range(200):
        many = many.where("offset > 0")
    numpy.testing.assert_array_equal(many.numbers, survey.where("offset > 0").numbers)
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
    info = survey.info
    assert info.format == "SEG-Y"
    assert (info.traces, info.samples, info.byte_order) == (300, 50, "big")
    assert survey.findings == info.diagnostics
    assert survey.interval == pytest.approx(float(file.binary(3217, "u2")) * 1e-6)
    assert survey.binary == file.head[3200:3600].tobytes()
    assert len(survey.text.splitlines()) == 40
    assert "300 traces, 50 samples" in repr(survey)


def test_gathers(line):
    file, path = line
    survey = sill.open(path)
    cdp = file.word("cdp")
    gathers = list(survey.gathers("cdp", then="offset"))
    assert [gather["cdp"][0] for gather in gathers] == sorted(set(cdp))
    for gather in gathers:
        expected = numpy.flatnonzero(cdp == gather["cdp"][0])
        expected = expected[numpy.argsort(file.word("offset")[expected], kind="stable")]
        numpy.testing.assert_array_equal(gather.numbers, expected)
        numpy.testing.assert_array_equal(gather.samples, file.samples().astype(numpy.float32)[expected])
    near = survey.where("offset > 0")
    assert sum(len(gather) for gather in near.gathers("cdp")) == len(near)
    with pytest.raises(sill.UsageError):
        next(survey.gathers())


def test_closed(line):
    _, path = line
    with sill.open(path) as survey:
        view = survey.where("cdp > 3")
    for use in (lambda: survey.traces[0], lambda: view["cdp"], lambda: len(view), lambda: survey.text):
        with pytest.raises(sill.UsageError, match="closed"):
            use()
    assert "closed" in repr(view)


def test_paths_as_python_has_them(tmp_path, monkeypatch):
    file = segy_files.make(5, 10)
    monkeypatch.chdir(tmp_path)
    odd = os.fsencode(tmp_path) + b"/\xff [1].sgy"
    with open(odd, "wb") as out:
        out.write(file.to_bytes())
    assert sill.open(odd).paths == [os.fsdecode(odd)]
    file.write("a.sgy")
    stored = pickle.dumps(sill.open("a.sgy"))
    assert len(sill.open("a.*")) == 5
    survey = sill.open("a.sgy", map="opendtect" if "opendtect" in sill._sill.presets() else "")
    monkeypatch.chdir("/")
    assert len(pickle.loads(stored)) == 5
    assert survey.info.traces == 5
    assert pickle.loads(pickle.dumps(survey))["cdp"].tolist() == survey["cdp"].tolist()
    with pytest.raises(sill.UsageError):
        sill.open("a\0.sgy")


def test_pickling_and_threads(line):
    file, path = line
    survey = sill.open(path).where("cdp > 3")
    again = pickle.loads(pickle.dumps(survey))
    numpy.testing.assert_array_equal(again.numbers, survey.numbers)
    expected = survey.traces[:]
    fresh = sill.open(path).where("cdp > 3").where("offset > -2000")  # not yet evaluated
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: fresh.where("cdp > 0").numbers, range(16)):
            numpy.testing.assert_array_equal(got, survey.numbers)
        for got in pool.map(lambda _: survey.traces[:], range(32)):
            numpy.testing.assert_array_equal(got, expected)


def test_a_file_that_changed_is_not_unpickled(tmp_path):
    path = segy_files.make(5, 10).write(tmp_path / "a.sgy")
    stored = pickle.dumps(sill.open(path))
    segy_files.make(6, 10).write(path)
    with pytest.raises(sill.InputError, match="changed after it was first opened"):
        pickle.loads(stored)


def test_wrong_use(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    with pytest.raises(KeyError, match="cdp"):
        survey["cpd"]
    with pytest.raises(sill.UsageError):
        survey.where("cdp +")
    with pytest.raises(sill.UsageError):
        survey.where("cdp")
    for key in (300, -301, [0, 300], numpy.zeros(299, bool), (1, 2, 3), [[0, 1]], numpy.uint64(2**64 - 1)):
        with pytest.raises(IndexError):
            survey.traces[key]
    with pytest.raises(TypeError):
        survey.where(None)
    with pytest.raises(IndexError):
        survey.traces[10**30]
    numpy.testing.assert_array_equal(survey.traces[...], survey.traces[:])
    for dtype in (">f4", "O", "M8[s]", "f2"):
        with pytest.raises(TypeError, match="samples are not read as"):
            survey.traces.read(dtype=dtype)
    for key in ("cdp", 1.5, None, [0.5], True, numpy.array([1], "timedelta64[s]")):
        with pytest.raises(TypeError):
            survey.traces[key]
    with pytest.raises(TypeError):
        survey[0]
    with pytest.raises(sill.IoError) as missing:
        sill.open(tmp_path / "none.sgy")
    assert missing.value.errno == 2
    assert missing.value.filename == str(tmp_path / "none.sgy")
    assert isinstance(missing.value, FileNotFoundError)
    assert pickle.loads(pickle.dumps(missing.value)).errno == 2
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
    assert 0 < sill._sill.free_memory() < 1 << 50
    with pytest.raises(MemoryError, match="read fewer traces"):
        sill._sill.require_memory(sill._sill.free_memory() + (1 << 40))

    def no_memory(count):
        raise MemoryError(count)

    monkeypatch.setattr("sill.samples._sill.require_memory", no_memory)
    with pytest.raises(MemoryError, match="60000"):
        survey.traces[:]


def test_exhausted_memory_is_an_error_of_sill(tmp_path):
    sill.create(tmp_path / "a.sgy", numpy.zeros((20_000, 1), "f4"), interval=0.004)
    program = """if True:
        import errno, resource, sys, sill
        survey = sill.open(sys.argv[1])
        survey["cdp"]
        used = 1024 * int(next(line for line in open("/proc/self/status") if line.startswith("VmSize")).split()[1])
        resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)
        try:
            survey.headers(*["cdp"] * 4000)
        except sill.IoError as error:
            assert isinstance(error, MemoryError) and error.errno == errno.ENOMEM and error.action
            print("refused")
    """
    ran = subprocess.run([sys.executable, "-c", program, tmp_path / "a.sgy"], capture_output=True, text=True, check=False)
    assert ran.stdout == "refused\n", ran.stdout + ran.stderr


def test_traces_of_different_lengths(tmp_path):
    import varied_files

    file = varied_files.make(list(range(10, 30)))
    path = file.write(tmp_path / "varied.sgy")
    survey = sill.open(path)
    assert len(survey) == 20
    with pytest.raises(sill.UsageError, match="differ in their numbers of samples"):
        survey.traces[:]
    assert [len(trace) for trace in survey.traces] == list(range(10, 30))


@pytest.fixture(scope="module")
def cube(tmp_path_factory):
    """A post-stack cube of 12 inlines (100, 102, ...) and 9 crosslines (7 to 15), two of whose places have no trace."""
    inlines, crosslines = numpy.meshgrid(100 + 2 * numpy.arange(12), 7 + numpy.arange(9), indexing="ij")
    kept = numpy.ones(108, bool)
    kept[[31, 77]] = False
    file = segy_files.make(int(kept.sum()), 20)
    file.put_word("iline", inlines.ravel()[kept]).put_word("xline", crosslines.ravel()[kept])
    file.put_word("cdp", numpy.arange(1, 107)).put_word("offset", 0).put_word("delrt", 8)
    for name in ("sx", "sy", "gx", "gy"):
        file.put_word(name, 0)
    x, y = 25 * (inlines.ravel() - 100), 12 * crosslines.ravel()
    file.put_word("scalco", 1).put_word("cdpx", 500_000 + x[kept]).put_word("cdpy", 6_000_000 + y[kept])
    values = numpy.full((108, 20), numpy.nan, numpy.float32)
    values[kept] = file.samples()
    return values.reshape(12, 9, 20), sill.open(file.write(tmp_path_factory.mktemp("cube") / "cube.sgy"))


def test_lines_by_number(cube):
    values, survey = cube
    numpy.testing.assert_array_equal(survey.inlines.numbers, 100 + 2 * numpy.arange(12))
    numpy.testing.assert_array_equal(survey.inlines[104], values[2])
    numpy.testing.assert_array_equal(survey.inlines[106], values[3])  # with a place without a trace
    numpy.testing.assert_array_equal(survey.crosslines[7], values[:, 0])
    numpy.testing.assert_array_equal(survey.inlines[104:110], values[2:5])
    numpy.testing.assert_array_equal(survey.inlines[104::4], values[2::2])
    numpy.testing.assert_array_equal(survey.inlines[[108, 100]], values[[4, 0]])
    numpy.testing.assert_array_equal(survey.crosslines[..., ::2], values.transpose(1, 0, 2)[..., ::2])
    numpy.testing.assert_array_equal(list(survey.crosslines), values.transpose(1, 0, 2))
    with pytest.raises(KeyError, match="every 2"):
        survey.inlines[105]
    with pytest.raises(KeyError):
        survey.crosslines[16]
    numpy.testing.assert_array_equal(survey.crosslines[12:8:-2], values[:, [5, 3]].transpose(1, 0, 2))
    assert 104 in survey.inlines and 105 not in survey.inlines
    assert repr(survey.inlines) == f"<sill.Lines of {survey!r}: 12 lines, iline 100 to 122>"
    assert repr(survey.slices) == f"<sill.Slices of {survey!r}: 12 inlines, 9 crosslines>"
    assert repr(survey.traces) == f"<sill.Traces of {survey!r}>"
    assert (survey.traces.size, survey.traces.nbytes) == (106 * 20, 4 * 106 * 20)
    assert survey.inlines[[]].shape == survey.inlines[101::2].shape == (0, 9, 20)
    for wrong in ("12", 1200.0, [1.5], numpy.ones(9, bool), None, slice(1.5, None)):
        with pytest.raises(TypeError):
            survey.crosslines[wrong]
    with pytest.raises(ValueError):
        survey.crosslines[::0]
    assert survey.where("iline < 0").inlines[:].shape == (0, 0, 20)


def test_slices_by_time(cube):
    values, survey = cube
    numpy.testing.assert_array_equal(survey.slices[0.008], values[..., 0])  # the first sample is at 8 ms
    numpy.testing.assert_array_equal(survey.slices[0.0209], values[..., 6])  # the nearest one
    with pytest.raises(sill.UsageError, match="no trace has a sample at 1200 s"):
        survey.slices[1200]
    with pytest.raises(TypeError):
        survey.slices["1.2"]
    with pytest.raises(sill.UsageError):
        survey.slices[float("nan")]
    with pytest.raises(TypeError):
        iter(survey.slices)


def test_auxiliary_traces_are_in_no_line(cube, tmp_path):
    values, survey = cube
    file = segy_files.read(survey.paths[0])
    extra = file.copy()
    extra.rows = extra.rows[:5].copy()
    extra.put_word("trid", 6).put_samples(numpy.full((5, 20), 9e9))
    file.rows = numpy.concatenate([file.rows, extra.rows])
    with_auxiliary = sill.open(file.write(tmp_path / "a.sgy"))
    numpy.testing.assert_array_equal(with_auxiliary.inlines[...], values)
    numpy.testing.assert_array_equal(with_auxiliary.slices[0.01], values[..., 1])


def test_lines_of_a_selection(cube):
    values, survey = cube
    part = survey.where("iline >= 110 and xline != 9")
    numpy.testing.assert_array_equal(part.inlines.numbers, 110 + 2 * numpy.arange(7))
    numpy.testing.assert_array_equal(part.slices[0.01], numpy.delete(values[5:, :, 1], 2, axis=1))
    assert survey.geometry.grid


def regular(tmp_path, by_crosslines=False, descending=False):
    """A regular cube of 12 inlines (100, 102, ...) and 9 crosslines: (file, path, samples of inlines)."""
    inlines, crosslines = numpy.meshgrid(100 + 2 * numpy.arange(12), 7 + numpy.arange(9), indexing="ij")
    if by_crosslines:
        inlines, crosslines = inlines.T, crosslines.T
    if descending:
        inlines = inlines[::-1, ::-1]
    file = segy_files.make(108, 20)
    file.put_word("iline", inlines.ravel()).put_word("xline", crosslines.ravel()).put_word("offset", 0).put_word("delrt", 8)
    file.put_word("trid", 1)
    values = numpy.empty((12, 9, 20), numpy.float32)
    values[(inlines.ravel() - 100) // 2, crosslines.ravel() - 7] = file.samples()
    return file, file.write(tmp_path / "regular.sgy"), values


@pytest.mark.parametrize("by_crosslines", [False, True])
@pytest.mark.parametrize("descending", [False, True])
def test_a_regular_cube_is_known_from_few_headers(tmp_path, by_crosslines, descending):
    _, path, values = regular(tmp_path, by_crosslines, descending)
    survey = sill.open(path)
    lines = survey.inlines
    numpy.testing.assert_array_equal(lines.numbers, 100 + 2 * numpy.arange(12))
    numpy.testing.assert_array_equal(survey.crosslines.numbers, 7 + numpy.arange(9))
    assert survey._files.grid._unread.all()
    numpy.testing.assert_array_equal(lines[104], values[2])
    numpy.testing.assert_array_equal(survey.crosslines[9:12], values[:, 2:5].transpose(1, 0, 2))
    assert numpy.count_nonzero(survey._files.grid._unread) == 108 - 9 - 3 * 12 + 3
    with pytest.raises(KeyError, match="every 2"):  # all headers were read before
        lines[105]
    assert survey._files.grid._unread is None
    numpy.testing.assert_array_equal(sill.open(path).slices[0.0209], values[..., 6])
    numpy.testing.assert_array_equal(sill.open(path).crosslines[:], values.transpose(1, 0, 2))
    numpy.testing.assert_array_equal(sill.open(path).where("iline > 110").inlines[...], values[6:])
    survey.close()
    with pytest.raises(sill.UsageError, match="closed"):
        lines[104]


@pytest.mark.parametrize("how", ["swapped", "renumbered", "auxiliary", "twice"])
def test_a_cube_that_is_not_as_regular_as_it_seemed(tmp_path, how):
    """Traces 31 and 32, in inline 106, differ from what the ends of the lines show."""
    file, path, values = regular(tmp_path)
    words = {name: file.word(name).copy() for name in ("iline", "xline", "trid")}
    if how == "swapped":
        words["xline"][[31, 32]] = words["xline"][[32, 31]]
        values[3, [4, 5]] = values[3, [5, 4]]
    elif how == "renumbered":
        words["iline"][31] = 206
        values[3, 4] = numpy.nan
    elif how == "auxiliary":
        words["trid"][31] = 6
        values[3, 4] = numpy.nan
    else:
        words["xline"][31] = words["xline"][32]
    for name, word in words.items():
        file.put_word(name, word)
    file.write(path)
    for read in (lambda one: one.inlines[106], lambda one: one.crosslines[11], lambda one: one.inlines[206],
                 lambda one: one.slices[0.008], lambda one: one.inlines[:], lambda one: one.where("iline < 300").inlines[106]):  # fmt: skip
        survey = sill.open(path)
        numpy.testing.assert_array_equal(survey.inlines[104], values[2])
        numpy.testing.assert_array_equal(survey.crosslines[9], values[:, 2])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if how == "twice":
                with pytest.raises(sill.UsageError, match="more than one trace"):
                    read(survey)
                continue
            with contextlib.nullcontext() if how == "renumbered" else contextlib.suppress(KeyError):
                read(survey)
        assert [each.category for each in caught] == [sill.SillWarning] * (how == "renumbered")
        numpy.testing.assert_array_equal(survey.inlines[100:124], values)
        numpy.testing.assert_array_equal(survey.crosslines[11][:12], values[:, 4])


def test_numbers_that_the_text_header_denies_are_no_lines(tmp_path):
    file, path, _ = regular(tmp_path)
    text = segy_files.text_header(what="CDP X COORDINATE IN BYTES 189-192, CDP Y COORDINATE IN BYTES 193-196")
    file.head[:3200] = numpy.frombuffer(text, numpy.uint8)
    file.write(path)
    with pytest.raises(sill.UsageError, match="one trace per inline"):
        sill.open(path).inlines


def test_a_line_is_no_grid(line):
    with pytest.raises(sill.UsageError, match="one trace per inline"):
        sill.open(line[1]).inlines


def test_a_daemon_thread_at_the_end_of_the_interpreter(line):
    """Its reading neither ends the process with an error nor keeps it from ending."""
    program = """
import sys, threading, time
import sill
survey = sill.open(sys.argv[1])
def read():
    while True:
        survey.traces[:], survey["cdp"]
threading.Thread(target=read, daemon=True).start()
time.sleep(0.2)
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program, line[1]], capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


def test_ctrl_c_during_an_error(line):
    """A signal that arrives while an error becomes an exception is not lost."""
    survey = sill.open(line[1])

    class Interrupted(BaseException):
        pass

    def interrupt(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for i in range(200):
            with pytest.raises(Interrupted):
                signal.setitimer(signal.ITIMER_REAL, 0.0005 + i * 1e-6)
                while True:
                    try:
                        survey["cdp % 0"]
                    except sill.InputError:
                        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(("format", "values", "dtypes"), [
    ("int32", [16777217, 2147483647], ("i4", "i8", ">i4", "f8", "complex")),
    ("int64", [2**53 + 1, 2**63 - 1], ("i8", ">i8", "longdouble", object)),
    ("ieee64", [0.1, 1 / 3], ("f8", ">f8", "longdouble", "complex")),
])  # fmt: skip
def test_arrays_of_a_type_have_the_digits_of_the_file(tmp_path, format, values, dtypes):
    expected = numpy.array([values], "f8" if format == "ieee64" else "i8")
    sill.create(tmp_path / "a.sgy", expected, interval=0.004, sample_format=format, revision="2.1")
    traces = sill.open(tmp_path / "a.sgy").traces
    for dtype in dtypes:
        array = numpy.asarray(traces, dtype)
        assert array.dtype == numpy.dtype(dtype)
        numpy.testing.assert_array_equal(array, expected.astype(dtype))


def test_arrays_of_integers_refuse_nan(tmp_path):
    sill.create(tmp_path / "a.sgy", numpy.array([[1, numpy.nan]]), interval=0.004)
    for dtype in ("i4", ">i4"):
        with pytest.raises(sill.InputError, match="(?i)nan"):
            numpy.asarray(sill.open(tmp_path / "a.sgy").traces, dtype)


def test_a_mask_is_not_an_index(line):
    with pytest.raises(TypeError, match="masked"):
        sill.open(line[1]).traces[numpy.ma.masked_equal([1, 2], 2)]


GRID = {"iline": numpy.repeat([1, 2], 3), "xline": numpy.tile([1, 2, 3], 2), "offset": numpy.arange(6) * 100}


def grid_file(path, factor=1, format="ibm"):
    samples = factor * (numpy.arange(60).reshape(6, 10) + 1.0)
    sill.create(path, samples, GRID | {"iline": GRID["iline"][::factor]}, interval=0.004, sample_format=format)
    return path


@pytest.mark.parametrize("change", ["other", "extended"])
def test_a_file_that_is_changed_in_place_is_an_error(tmp_path, change):
    path, other = grid_file(tmp_path / "a.sgy"), grid_file(tmp_path / "b.sgy", -1, "ieee")
    survey = sill.open(path)
    near, lines, slices = survey.where("offset < 250"), survey.inlines, survey.slices
    gather, traces = next(survey.gathers("iline")), iter(survey.traces)
    assert len(near) == 3 and len(lines) == 2 and next(traces)[0] == 1
    with open(path, "r+b") as file:  # another program
        if change == "other":
            file.write(other.read_bytes())
        else:
            file.truncate(5000)
            file.truncate(other.stat().st_size)
    time.sleep(0.02)
    for read in (
        lambda: survey.traces[0], lambda: survey.traces[:], lambda: survey.traces[numpy.int64(1)], lambda: survey["cdp"],
        lambda: survey.raw_headers(), lambda: near.numbers, lambda: len(near), lambda: near.traces[0], lambda: survey.text,
        lambda: survey.inlines, lambda: lines.numbers, lambda: lines[1], lambda: slices[0.004], lambda: gather.samples,
        lambda: survey.where("cdp > 3").numbers, lambda: list(survey.gathers("cdp")), lambda: survey.agc("10ms").write(tmp_path / "c"),
        lambda: survey.geometry, lambda: survey.binary,
    ):  # fmt: skip
        with pytest.raises(sill.InputError, match="was changed after it was (first )?opened"):
            read()
    assert sill.open(path).traces.shape == (6, 10)


def test_only_the_files_that_are_read_must_be_unchanged(tmp_path):
    survey = sill.open([grid_file(tmp_path / name) for name in ("a.sgy", "b.sgy", "c.sgy")])
    with open(tmp_path / "b.sgy", "r+b") as file:
        file.write(b"\0")
    survey.traces[0], survey.traces[17], survey.traces[[1, 16]], survey.traces[:6]
    for key in (6, slice(5, 7), [0, 11]):
        with pytest.raises(sill.InputError, match="b.sgy"):
            survey.traces[key]


def test_a_file_that_is_replaced_remains_readable(tmp_path):
    survey = sill.open(grid_file(tmp_path / "a.sgy"))
    sill.create(tmp_path / "a.sgy", 2 * survey.traces[:], interval=0.004)
    assert survey.traces[0, 0] == 1 and sill.open(tmp_path / "a.sgy").traces[0, 0] == 2
    (tmp_path / "a.sgy").unlink()
    assert survey.traces[5, 0] == 51


def test_a_file_that_is_changed_and_then_replaced_or_removed(tmp_path):
    for gone in (os.remove, lambda path: os.replace(grid_file(tmp_path / "b.sgy"), path)):
        path = grid_file(tmp_path / "a.sgy")
        survey = sill.open(path)
        with open(path, "r+b") as file:
            file.seek(3840)
            file.write(b"\0" * 8)
        gone(path)
        with pytest.raises(sill.InputError, match="changed after"):
            survey.traces[0:2]


def test_an_edit_is_read_by_surveys_that_are_open(tmp_path):
    path = grid_file(tmp_path / "a.sgy")
    survey, other = sill.open(path), sill.open([grid_file(tmp_path / "b.sgy"), path])
    near, slices, gather = survey.where("offset < 250"), survey.slices, next(survey.gathers("iline"))
    assert near.numbers.tolist() == [0, 1, 2] and survey.inlines.numbers.tolist() == [1, 2] and len(near.inlines) == 1
    sill.edit(path, set="offset=500-offset, iline=iline+10")
    assert near.numbers.tolist() == [3, 4, 5] and near["offset"].tolist() == [200, 100, 0]
    assert survey.inlines.numbers.tolist() == [11, 12] and near.inlines.numbers.tolist() == [12]
    assert near.agc("10ms").write(tmp_path / "c.sgy").traces_out == 3
    assert other["offset"].tolist() == [0, 100, 200, 300, 400, 500, 500, 400, 300, 200, 100, 0]
    assert pickle.loads(pickle.dumps(near)).numbers.tolist() == [3, 4, 5]
    for fixed in (lambda: slices[0.004], lambda: gather.samples):
        with pytest.raises(sill.InputError, match="open it again"):
            fixed()
    with open(path, "r+b") as file:
        file.write(b"\0")
    sill.edit(path, set="offset=0")
    with pytest.raises(sill.InputError, match="open it again"):
        survey["offset"]


def test_what_open_does_not_use_is_refused(line):
    for wrong in ({"assume": 5}, {"assume": [5]}):
        with pytest.raises(sill.UsageError, match="assume") as raised:
            sill.open(line[1], **wrong)
        assert isinstance(raised.value, TypeError)
    with pytest.raises(sill.UsageError, match="cache_bytes"):
        sill.open(line[1], cache_bytes=1 << 20)


def test_gathers_before_an_edit_are_not_those_of_the_edited_file(tmp_path):
    path = tmp_path / "a.sgy"
    sill.create(path, numpy.zeros((6, 3), "f4"), {"cdp": [1, 1, 2, 2, 3, 3]}, interval=0.004)
    gathers = sill.open(path).gathers("cdp")
    assert next(gathers)["cdp"].tolist() == [1, 1]
    sill.edit(path, set="cdp=7-trace")
    with pytest.raises(sill.InputError, match="changed"):
        next(gathers)["cdp"]


def test_conditions_of_pictures_are_joined(line):
    _, path = line
    survey = sill.open(path)
    chosen = survey.where("trace > 100")
    for more in ("trace <= 120", "trace <= 50 or trace > 280"):
        assert chosen.view(where=more).png == survey.view(where=f"(trace > 100) and ({more})").png
        assert chosen.view(where=more).png != chosen.view().png != survey.view(where=more).png


def test_notebooks_show_the_traces_of_a_selection(line):
    _, path = line
    survey = sill.open(path)
    for chosen in (survey, survey.where("trace > 250"), survey.where("trace % 7 == 0")):
        png = base64.b64encode(chosen.view(size="900x450").png).decode()
        assert f"base64,{png}" in chosen._repr_html_()


def test_notebooks_show_surveys_of_several_files_and_gathers(tmp_path, monkeypatch):
    file = segy_files.make(900, 50)
    file.put_word("tracf", numpy.arange(900) % 2)
    file.permuted(range(350)).write(tmp_path / "a.sgy")
    file.permuted(range(350, 900)).write(tmp_path / "b.sgy")
    monkeypatch.chdir(tmp_path)
    both = sill.open(["a.sgy", "b.sgy"])
    *_, gather = both.gathers("tracf")
    for shown, word, option in (
        (both, "", {"traces": "1:400"}), (both.where("offset > 0"), "offset", {"where": "offset > 0"}),
        (gather, "tracf", {"gather": "tracf=1"}),
    ):  # fmt: skip
        assert len(shown) > 400  # those that are shown
        joined = file.copy()
        if word:  # no others fulfil the condition
            values = joined.word(word)
            values[shown.numbers[400:]] = 0
            joined.put_word(word, values)
        sill.view(joined.write("a.sgy and 1 more"), output="a.png", size="900x450", **option)
        png = (tmp_path / "a.png").read_bytes()
        assert f"base64,{base64.b64encode(png).decode()}" in shown._repr_html_()


def test_notebooks_do_not_number_all_traces(line, monkeypatch):
    survey = sill.open(line[1])
    with monkeypatch.context() as patched:
        patched.setattr(sill.Survey, "numbers", property(lambda _: pytest.fail("of all traces")))
        assert "<img" in survey._repr_html_()


@pytest.mark.parametrize(
    "keys", [("cdp,offset",), ("cdp", "offset"), (" cdp , offset ",), ("cdp", "-offset"), ("cdp,abs(offset - 3)",)]
)
def test_keys_of_gathers_in_one_text_or_several(line, keys):
    survey = sill.open(line[1])
    gathers = list(survey.gathers(*keys))
    assert len(gathers) == len(set(zip(survey["cdp"].tolist(), survey["offset"].tolist(), strict=True)))
    gather = gathers[0]
    assert len(gather.keys) == 2 and gather.keys[0] == "cdp"
    assert {each: set(gather[each]) for each in gather.keys} == {each: {gather[each][0]} for each in gather.keys}
    where = " and ".join(f"{each} == {gather[each][0]}" for each in gather.keys)
    numpy.testing.assert_array_equal(gather.numbers, survey.where(where).numbers)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert where in gather.plot().get_title()
    assert gather.view(size="400x300").png and "<img" in gather._repr_html_()


def test_indices_have_the_shapes_of_numpy(line):
    _, path = line
    traces = sill.open(path).traces
    array = traces[:20]
    for key in (
        (slice(0, 5), None), (3, None), (slice(0, 5), ...), (3, ...), ([0, 1], None), (slice(0, 5), [1, 2]), (3, [1, 2]), (3, (1, 2)),
        (slice(0, 5), [[0, 1], [1, 2]]), (slice(0, 5), True), (3, slice(None, None, -1)), ([4, 2], 7), (3, numpy.arange(50) < 9),
    ):  # fmt: skip
        numpy.testing.assert_array_equal(traces[key], array[key], err_msg=str(key), strict=True)
    assert traces[..., None].shape == (300, 50, 1) and traces[..., 0].shape == (300,)
