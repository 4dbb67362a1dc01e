"""`sill.create` and `sill.writer`: read back by segyio, ObsPy and the program."""

import errno
import gc
import os
import pickle
import resource
import shutil
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy
import obspy
import pytest
import segyio
import sill

RANDOM = numpy.random.default_rng(7)


def test_an_array_becomes_a_file(tmp_path):
    path = tmp_path / "a.sgy"
    samples = RANDOM.normal(size=(30, 50)).astype("f4")
    sill.create(
        path, samples, {"cdp": numpy.arange(30) + 100, "offset": -25, "true(sx)": 1.5, "scalco": -10}, interval=0.004,
        text="C 1 MY LINE\nC 2 SECOND", units="m",
    )  # fmt: skip
    with segyio.open(path, ignore_geometry=True) as file:
        numpy.testing.assert_array_equal(file.trace.raw[:], samples)
        assert segyio.tools.dt(file) == 4000
        assert int(file.format) == 5 and file.bin[segyio.BinField.MeasurementSystem] == 1
        assert file.bin[segyio.BinField.SEGYRevision] == 1
        numpy.testing.assert_array_equal(file.attributes(segyio.TraceField.CDP)[:], numpy.arange(30) + 100)
        for field, value in {"offset": -25, "SourceX": 15, "TRACE_SAMPLE_COUNT": 50, "TRACE_SAMPLE_INTERVAL": 4000}.items():
            assert (file.attributes(getattr(segyio.TraceField, field))[:] == value).all(), field
        numpy.testing.assert_array_equal(file.attributes(1)[:], numpy.arange(30) + 1)
        assert file.text[0].decode("ascii").startswith("C 1 MY LINE")
    stream = obspy.read(str(path), format="SEGY")
    numpy.testing.assert_array_equal([trace.data for trace in stream], samples)
    numpy.testing.assert_array_equal(sill.open(path).headers("sx", true=True)["sx"], 1.5)
    assert not [each for each in sill.open(path).findings if each.grade != "note"]


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f4", "i2", ">i4", "u1"])
@pytest.mark.parametrize("sample_format", ["ibm", "ieee", "ieee64", "int16", "int32"])
def test_types_and_formats(tmp_path, dtype, sample_format):
    path = tmp_path / "a.sgy"
    samples = RANDOM.integers(0, 100, (7, 9)).astype(dtype)
    revision = "2.1" if sample_format == "ieee64" else "1"
    sill.create(path, samples[:, ::-1], interval=0.001, sample_format=sample_format, revision=revision)
    numpy.testing.assert_array_equal(sill.open(path).traces[:], samples[:, ::-1].astype("f4"))


def test_rounded_integers_and_the_text_header(tmp_path):
    integers = numpy.arange(12, dtype="i4").reshape(2, 6) + 2**24
    with pytest.warns(sill.SillWarning, match="6 integers were rounded .*IEEE float"):
        sill.create(tmp_path / "a.sgy", integers, interval=0.004)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sill.create(tmp_path / "b.sgy", integers, interval=0.004, sample_format="int32", revision="0")
        sill.create(tmp_path / "c.sgy", integers - 2**24, interval=0.004)
        sill.create(tmp_path / "d.sgy", numpy.float64(1) / (1 + integers), interval=0.004)
    for name, ends in (("a.sgy", ["C39 SEG Y REV1", "C40 END TEXTUAL HEADER"]), ("b.sgy", ["C39", "C40 END EBCDIC"])):
        with segyio.open(tmp_path / name, ignore_geometry=True) as file:
            text = bytes(file.text[0]).decode("ascii")
        lines = [text[at : at + 80].rstrip() for at in range(0, 3200, 80)]
        assert lines == [f"C{i:2}" for i in range(1, 39)] + ends


def test_policies_write_the_same_bytes(tmp_path, monkeypatch):
    """Of traces in any order, in several blocks per thread."""
    samples = RANDOM.normal(size=(900, 700)).astype("f4")
    numbers = numpy.concatenate([numpy.arange(300, 900), RANDOM.permutation(300)])
    written = []
    for policy in ("auto", "direct", "staged", "elected"):
        monkeypatch.setenv("SILL_POLICY", policy)
        path = tmp_path / f"{policy}.sgy"
        with sill.writer(path, traces=900, samples=700, interval=0.002) as writer:
            writer.write(samples[numbers], {"cdp": numbers}, at=numbers)
        written.append(path.read_bytes())
    assert len(set(written)) == 1
    with segyio.open(tmp_path / "auto.sgy", ignore_geometry=True) as file:
        numpy.testing.assert_array_equal(file.trace.raw[:], samples)
        numpy.testing.assert_array_equal(file.attributes(segyio.TraceField.CDP)[:], numpy.arange(900))


def test_writing_takes_little_memory(tmp_path):
    program = """
import resource, sys, numpy, sill
samples = numpy.ones((20000, 1000), "f4")
before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sill.create(sys.argv[1], samples, {"cdp": 5}, interval=0.002)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib)
"""
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "a.sgy"], stdout=subprocess.PIPE, check=True)
    assert int(done.stdout) < 20 << 10  # of 85 MB that are written


def test_a_cube_with_broadcast_headers(tmp_path):
    cube = RANDOM.normal(size=(4, 5, 6)).astype("f4")
    headers = {"iline": numpy.arange(10, 14)[:, None], "xline": numpy.arange(20, 25)}
    sill.create(tmp_path / "cube.sgy", cube, headers, interval=0.002)
    with segyio.open(tmp_path / "cube.sgy") as file:
        numpy.testing.assert_array_equal(segyio.tools.cube(file), cube)
        numpy.testing.assert_array_equal(file.ilines, numpy.arange(10, 14))


def test_like_keeps_all_headers(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    sill.create(tmp_path / "a.sgy", survey.traces[:], like=survey)
    assert (tmp_path / "a.sgy").read_bytes() == path.read_bytes()
    sill.create(tmp_path / "b.sgy", survey.traces[:, :20], {"cdp": 7}, like=survey, interval=0.001)
    shorter = sill.open(tmp_path / "b.sgy")
    numpy.testing.assert_array_equal(shorter.traces[:], survey.traces[:, :20])
    assert shorter.interval == 0.001 and shorter.text == survey.text
    changed = {"cdp", "ns", "dt"}
    for name in set(survey.words) - changed:
        numpy.testing.assert_array_equal(shorter[name], survey[name], err_msg=name)
    assert (shorter["cdp"] == 7).all() and (shorter["ns"] == 20).all() and (shorter["dt"] == 1000).all()


def test_like_a_selection(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    near = survey.where("offset > 0")
    sill.create(tmp_path / "a.sgy", 2 * near.traces[:], like=near, sample_format="ieee")
    got = sill.open(tmp_path / "a.sgy")
    numpy.testing.assert_array_equal(got.raw_headers(), survey.raw_headers()[near.numbers])
    numpy.testing.assert_array_equal(got.traces[:], 2 * near.traces[:])
    firsts = [int(gather.numbers[0]) for gather in survey.gathers("cdp")]
    stacks = numpy.array([gather.samples.mean(axis=0) for gather in survey.gathers("cdp")])
    with sill.writer(tmp_path / "stack.sgy", like=survey, traces=len(stacks)) as file:
        file.write(stacks, headers_of=firsts)
    got = sill.open(tmp_path / "stack.sgy")
    numpy.testing.assert_array_equal(got["cdp"], survey["cdp"][firsts])
    numpy.testing.assert_allclose(got.traces[:], stacks, rtol=1e-5, atol=1e-3)


def test_blocks_in_any_order(tmp_path):
    samples = RANDOM.normal(size=(100, 20)).astype("f4")
    order = RANDOM.permutation(100)
    with sill.writer(tmp_path / "a.sgy", traces=100, samples=20, interval=0.004) as file:
        assert file.shape == (100, 20)
        file.write(samples[:10], {"cdp": range(10)})
        file.write(samples[10], {"cdp": 10})
        rest = order[order > 10]
        file.write(samples[rest], {"cdp": rest}, at=rest)
        file.write(samples[:0])
        assert not (tmp_path / "a.sgy").exists()
    got = sill.open(tmp_path / "a.sgy")
    numpy.testing.assert_array_equal(got.traces[:], samples)
    numpy.testing.assert_array_equal(got["cdp"], numpy.arange(100))
    sill.create(tmp_path / "b.sgy", samples, {"cdp": numpy.arange(100)}, interval=0.004)
    assert (tmp_path / "a.sgy").read_bytes() == (tmp_path / "b.sgy").read_bytes()


def test_seismic_unix(tmp_path):
    samples = RANDOM.normal(size=(3, 8)).astype("f4")
    sill.create(tmp_path / "a.su", samples, {"fldr": 9}, interval=0.002)
    with segyio.su.open(tmp_path / "a.su", endian="little", ignore_geometry=True) as file:
        numpy.testing.assert_array_equal(file.trace.raw[:], samples)
    assert (sill.open(tmp_path / "a.su")["fldr"] == 9).all()


@pytest.mark.parametrize(
    ("samples", "options", "error", "match"),
    [
        (numpy.zeros((2, 3)), {}, sill.UsageError, "interval="),
        (numpy.zeros((2, 3)), {"interval": 0.0}, sill.UsageError, "interval"),
        (numpy.zeros((2, 3)), {"interval": 1e-7}, sill.UsageError, "interval"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "sample_format": "float"}, sill.UsageError, "sample format"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "byte_order": "middle"}, sill.UsageError, "byte order"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "units": "miles"}, sill.UsageError, "units"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "text": "x" * 81}, sill.UsageError, "80"),
        (numpy.zeros((2, 3), complex), {"interval": 0.001}, TypeError, "complex"),
        (numpy.float32(1), {"interval": 0.001}, sill.UsageError, "dimension"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "headers": {"cpd": 1}}, sill.UsageError, "cdp"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "headers": {"cdp": "x"}}, TypeError, "numbers"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "headers": {"cdp": [1, 2, 3]}}, ValueError, "broadcast"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "headers": {"cdp": 2**40}}, sill.InputError, "large"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "headers": {"cdp": 0.5}}, sill.InputError, "cdp"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "headers": {"ns": 5}}, sill.UsageError, "number or the interval"),
        (numpy.full((2, 3), 1e39), {"interval": 0.001}, sill.InputError, "trace"),
        (numpy.full((2, 3), numpy.nan), {"interval": 0.001, "sample_format": "ibm"}, sill.InputError, "nan"),
        (numpy.full((2, 3), 1e5), {"interval": 0.001, "sample_format": "int16"}, sill.InputError, "trace"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "headers": {"true(cdpx)": 1234.5}}, sill.InputError, "1234"),
        (numpy.zeros((2, 3)), {"interval": 0.001, "headers": {"scalco": 100, "true(cdpx)": 20.0}}, sill.InputError, "scalar"),
        (numpy.ma.masked_array(numpy.zeros((2, 3)), True), {"interval": 0.001}, TypeError, "masked"),
        (numpy.zeros((2, 0)), {"interval": 0.001}, sill.UsageError, "at least one sample"),
        (numpy.full((20, 30), 0.1), {"interval": 0.001, "sample_format": "int16"}, sill.InputError, "lost|factor"),
    ],
)  # fmt: skip
def test_what_cannot_be_written(tmp_path, samples, options, error, match):
    path = tmp_path / "a.sgy"
    path.write_bytes(b"before")
    headers = options.pop("headers", None)
    with pytest.raises(error, match=f"(?si){match}"):
        sill.create(path, samples, headers, **options)
    assert path.read_bytes() == b"before" and os.listdir(tmp_path) == ["a.sgy"]


def test_every_trace_is_written_once(tmp_path):
    def opened():
        return sill.writer(tmp_path / "a.sgy", traces=4, samples=3, interval=0.001)

    with pytest.raises(sill.UsageError, match="2 traces were written, but the survey has 4"), opened() as file:
        file.write(numpy.zeros((2, 3)))
    with pytest.raises(sill.UsageError, match="several times"), opened() as file:
        file.write(numpy.zeros((4, 3)), at=[0, 1, 1, 2])
    with pytest.raises(sill.UsageError, match="from 0"), opened() as file:
        file.write(numpy.zeros((5, 3)))
    with pytest.raises(sill.UsageError, match="from 0"), opened() as file:
        file.write(numpy.zeros((1, 3)), at=-1)
    with pytest.raises(sill.UsageError, match="shape"), opened() as file:
        file.write(numpy.zeros((4, 2)))
    with pytest.raises(RuntimeError, match="mine"), opened() as file:
        file.write(numpy.zeros((4, 3)))
        raise RuntimeError("mine")
    with pytest.raises(sill.UsageError, match="closed"):
        file.write(numpy.zeros((4, 3)))
    with pytest.raises(sill.UsageError, match="like="), opened() as file:
        file.write(numpy.zeros((4, 3)), headers_of=[0, 0, 0, 0])
    assert os.listdir(tmp_path) == []


def test_like_what_it_replaces_is_refused(line, tmp_path):
    file, _ = line
    path = tmp_path / "mine.sgy"
    file.write(path)
    survey = sill.open(path)
    before = path.read_bytes()
    with pytest.raises(sill.UsageError, match="input"):
        sill.create(path, 2 * survey.traces[:], like=survey)
    assert path.read_bytes() == before


def test_a_full_disk(tmp_path):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limit[1]))
    try:
        with pytest.raises(OSError) as caught:
            sill.create(tmp_path / "a.sgy", numpy.zeros((1000, 1000), "f4"), interval=0.001)
        assert caught.value.errno == errno.EFBIG
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert os.listdir(tmp_path) == []


def test_threads_share_a_writer(tmp_path):
    samples = RANDOM.normal(size=(400, 50)).astype("f4")
    with sill.writer(tmp_path / "a.sgy", traces=400, samples=50, interval=0.004) as file, ThreadPoolExecutor(8) as pool:
        blocks = [numpy.arange(i, 400, 40) for i in range(40)]
        list(pool.map(lambda at: file.write(samples[at], {"cdp": at}, at=at), blocks))
    got = sill.open(tmp_path / "a.sgy")
    numpy.testing.assert_array_equal(got.traces[:], samples)
    numpy.testing.assert_array_equal(got["cdp"], numpy.arange(400))


def test_arguments_of_wrong_types(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    zeros = numpy.zeros((2, survey.shape[1]), "f4")
    for headers_of in ([True, False], [0], [[0, 1]], [0.5, 1.0]):
        with pytest.raises(sill.UsageError, match="headers_of"), sill.writer(tmp_path / "a.sgy", like=survey, traces=2) as file:
            file.write(zeros, headers_of=headers_of)
    for at in (0.9, [True, False]):
        with pytest.raises(TypeError), sill.writer(tmp_path / "a.sgy", like=survey, traces=2) as file:
            file.write(zeros, at=at)
    with pytest.raises(TypeError, match="masked"), sill.writer(tmp_path / "a.sgy", like=survey, traces=2) as file:
        file.write(numpy.ma.masked_array(zeros, zeros == 0))
    for options in ({"traces": "3"}, {"samples": 4.5}, {"like": "a.sgy"}, {"interval": "1"}):
        with pytest.raises(TypeError):
            sill.writer(tmp_path / "a.sgy", **{"traces": 3, "samples": 4, "interval": 0.001, **options})
    with pytest.raises(sill.UsageError, match=".su"):
        sill.writer(tmp_path / "a.su", like=survey)
    with pytest.raises(sill.UsageError, match="remote"):
        sill.create("https://host/a.sgy", zeros, interval=0.001)
    assert os.listdir(tmp_path) == []


def test_true_values_with_a_scalar_are_exact(tmp_path):
    values = numpy.round(RANDOM.uniform(-2e7, 2e7, 500), 2)
    sill.create(tmp_path / "a.sgy", numpy.zeros((500, 2)), {"scalco": -100, "true(sx)": values}, interval=0.001)
    numpy.testing.assert_allclose(sill.open(tmp_path / "a.sgy")["true(sx)"], values, rtol=1e-12)


def test_a_writer_that_is_not_closed(tmp_path):
    file = sill.writer(tmp_path / "a.sgy", traces=1, samples=3, interval=0.001)
    with pytest.warns(ResourceWarning, match="not closed"):
        del file
        gc.collect()
    assert os.listdir(tmp_path) == []


def test_a_survey_whose_file_was_replaced(line, tmp_path):
    file, _ = line
    path = tmp_path / "mine.sgy"
    file.write(path)
    survey = sill.open(path)
    pickled = pickle.dumps(survey)
    os.replace(shutil.copy(path, tmp_path / "other.sgy"), path)
    for use in (lambda: survey.polarity().write(tmp_path / "b.sgy"), lambda: survey.info, lambda: pickle.loads(pickled)):
        with pytest.raises(sill.InputError, match="changed after"):
            use()


def test_samples_that_the_format_cannot_store_are_accepted_by_options(tmp_path):
    path = tmp_path / "a.sgy"
    samples = numpy.array([[1e5, numpy.nan, -1e5, 7.0], [numpy.inf, -numpy.inf, 1.0, 2.0]])
    options = {"interval": 0.001, "sample_format": "int16"}
    for given, wanted in (({}, "clip="), ({"clip": True}, "nonfinite="), ({"nonfinite": "zero"}, "clip=")):
        with pytest.raises(sill.InputError) as caught:
            sill.create(path, samples, **options, **given)
        assert wanted in caught.value.action
    with pytest.warns(sill.SillWarning) as warned:
        sill.create(path, samples, **options, clip=True, nonfinite="zero")
    assert [str(each.message) for each in warned] == ["2 samples were clipped", "3 samples were set to zero"]
    with segyio.open(path, ignore_geometry=True) as file:
        numpy.testing.assert_array_equal(file.trace.raw[:], [[32767, 0, -32768, 7], [0, 0, 1, 2]])
    with pytest.raises(sill.InputError, match="accept_loss=|factor"):
        sill.create(path, samples / 1e5, nonfinite="zero", **options)
    sill.create(path, numpy.full((20, 30), 0.1), accept_loss=True, **options)
    assert not sill.open(path).traces[:].any()
    with pytest.raises(sill.UsageError, match="'refuse' or 'zero'"):
        sill.create(path, samples, nonfinite="keep", **options)


TERMINATED = """
import os, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it
import numpy, sill
how, path = sys.argv[1:]
if how == "handler":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
if how == "ignored":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with sill.writer(path, traces=2, samples=5, interval=0.001) as writer, sill.Dataset(path + ".nc", "w", dims={"x": 3}) as d:
    d.createVariable("u", "f4", ("x",))
    d.begin()
    writer.write(numpy.zeros(5))
    assert any(name.endswith(".part") for name in os.listdir(os.path.dirname(path)))
    if how == "child" and (child := os.fork()):
        time.sleep(0.2)
        os.kill(child, signal.SIGTERM)
        assert os.waitpid(child, 0)[1] == signal.SIGTERM
        assert any(name.endswith(".part") for name in os.listdir(os.path.dirname(path)))
    elif how == "child":
        time.sleep(60)
    else:
        os.kill(os.getpid(), signal.SIGHUP if how == "hangup" else signal.SIGTERM)
    writer.write(numpy.ones(5))
    d["u"][:] = 1
"""


@pytest.mark.parametrize(("how", "status"), [("default", -15), ("hangup", -1), ("handler", 7), ("ignored", 0), ("child", 0)])
def test_a_terminated_process_leaves_no_part_files(tmp_path, how, status):
    folder = tmp_path / "out"
    folder.mkdir()
    done = subprocess.run([sys.executable, "-c", TERMINATED, how, str(folder / "a.sgy")], check=False)
    assert done.returncode == status
    names = sorted(each.name for each in folder.iterdir() if not each.name.endswith(".sill-lock"))
    assert names == ([] if status else ["a.sgy", "a.sgy.nc"])


def test_masks_in_lists_are_refused(tmp_path):
    masked = numpy.ma.masked_equal(numpy.arange(12.0).reshape(3, 4), 5)
    with pytest.raises(TypeError, match="masked"), sill.writer(tmp_path / "a.sgy", traces=3, samples=4, interval=0.004) as file:
        file.write(list(masked))
    for word in (numpy.ma.masked_equal([1, 2, 3], 2), numpy.ma.masked, [numpy.ma.masked, 1, 2]):
        with pytest.raises(TypeError, match="masked"):
            sill.create(tmp_path / "a.sgy", masked.filled(0), {"cdp": word}, interval=0.004)


@pytest.mark.parametrize("words", [
    {"cdp": 5, "CDP": 10}, {"scalco": -10, "cdpx": 5, "true(cdpx)": 10}, {"cdp": 5, "@23:i2": 10}, {"@23:i2": 10, "cdp": 5},
])  # fmt: skip
def test_a_word_is_set_once(tmp_path, words):
    with pytest.raises(sill.UsageError, match="same bytes"):
        sill.create(tmp_path / "a.sgy", numpy.ones((3, 4)), words, interval=0.004)


def test_all_words_of_a_file_can_be_set(tmp_path, line):
    words = {name: values for name, values in sill.open(line[1]).headers().items() if name not in ("ns", "dt", "header_name")}
    sill.create(tmp_path / "a.sgy", numpy.ones((300, 4)), words, interval=0.004)
    assert (sill.open(tmp_path / "a.sgy")["cdp"] == words["cdp"]).all()


def test_traces_that_like_does_not_have_are_an_index_error(tmp_path, line):
    like = sill.open(line[1]).where("trace <= 3")
    for given in ({"headers_of": [7, 1, 0]}, {"at": [7, 1, 0]}, {"at": [-1, 1, 0]}):
        with pytest.raises(sill.UsageError) as raised, sill.writer(tmp_path / "a.sgy", like=like) as file:
            file.write(numpy.ones((3, 50)), **given)
        assert isinstance(raised.value, IndexError)


@pytest.mark.parametrize(
    ("stated", "assume"), [({3224: 1}, {"sample_format": 5}), ({3224: 0}, {"sample_format": 5}), ({}, {"interval": 1000})]
)
def test_a_file_like_a_survey_with_assumptions_states_what_was_written(tmp_path, stated, assume):
    """The headers of the survey do not state what was assumed."""
    path, out = tmp_path / "a.sgy", tmp_path / "b.sgy"
    samples = RANDOM.integers(1, 1000, (6, 10)).astype("f4")
    sill.create(path, samples, {"cdp": numpy.arange(6), "trid": 1}, interval=0.004)
    raw = bytearray(path.read_bytes())
    for at, value in stated.items():
        raw[at : at + 2] = value.to_bytes(2, "big")
    path.write_bytes(raw)
    survey = sill.open(path, assume=assume)
    interval = survey.interval
    numpy.testing.assert_array_equal(survey.traces[:], samples)
    survey.gain(scale=2).write(tmp_path / "flow.sgy", history="none")

    def check(factor=2, window=slice(None)):
        with segyio.open(out, ignore_geometry=True) as file:
            numpy.testing.assert_array_equal(file.trace.raw[:], factor * samples[:, window])
            assert set(file.attributes(117)[:]) == {round(interval * 1e6)} and int(file.format) == 5
        assert sill.open(out).interval == interval

    for options in ({}, {"sample_format": "ieee"}):
        sill.create(out, 2 * survey.traces[:], like=survey, **options)
        check()
        assert out.read_bytes() == (tmp_path / "flow.sgy").read_bytes()
    xarray = pytest.importorskip("xarray")
    dataset = xarray.open_dataset(path, engine="sill", assume=assume, dimensions="trace")
    dataset.sill.to_segy(out)
    check(1)
    dataset.assign(samples=2 * dataset.samples).isel(twt=slice(3, 8)).sill.to_segy(out)
    check(2, slice(3, 8))


def test_lists_of_integers_are_exact(tmp_path):
    """NumPy has no type for lists of integers below and from 2^63: it rounds them to float64."""
    large = [[2**63 + 1, 1, 2**63 - 1]]
    sill.create(tmp_path / "a.sgy", large, interval=0.004, sample_format="uint64", revision="2.0")
    assert sill.open(tmp_path / "a.sgy").traces.read(dtype="u8").tolist() == large
    sill.create(
        tmp_path / "a.sgy", [[numpy.uint64(2**62 + 1), numpy.int64(1)]], interval=0.004, sample_format="int64", revision="2.0"
    )
    assert sill.open(tmp_path / "a.sgy").traces.read(dtype="i8").tolist() == [[2**62 + 1, 1]]
    with sill.Dataset(tmp_path / "a.nc", "w", dims={"x": 3}) as d:
        d.createVariable("v", "u8", ("x",))
        d["v"][...] = large[0]
    with sill.Dataset(tmp_path / "a.nc") as d:
        assert d["v"][...].tolist() == large[0]
    for values in ([[2**63 + 1, -1]], [[2**53 + 1, 0.5]]):
        with pytest.raises(sill.UsageError, match="would be rounded to float64"):
            sill.create(tmp_path / "b.sgy", values, interval=0.004)
    assert not (tmp_path / "b.sgy").exists()
    sill.create(tmp_path / "b.sgy", [[2.0**60, 0.5], [2**63, -1]], interval=0.004)
