"""`apply`: functions of Python in flows."""

import subprocess
import sys
import threading
import time

import numpy
import pytest
import scipy.signal
import sill


def written(flow, path, **options):
    flow.write(path, sample_format="ieee", **options)
    return sill.open(path)


def test_a_function_on_traces(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    b, a = scipy.signal.butter(3, 0.2)

    def lowpass(block):
        assert block.samples.dtype == "f4" and block.samples.flags.c_contiguous
        assert block.interval == survey.interval
        return scipy.signal.lfilter(b, a, block.samples)

    flow = survey.polarity().apply(lowpass)
    assert flow.text == "polarity; apply function=lowpass scope=trace"
    want = scipy.signal.lfilter(b, a, -survey.traces[:]).astype("f4")
    numpy.testing.assert_array_equal(written(flow, tmp_path / "a.sgy").traces[:], want)
    numpy.testing.assert_array_equal(written(flow, tmp_path / "b.sgy", threads=3).traces[:], want)
    assert "polarity, apply" in flow.plan()


def test_changes_in_place_and_kept_arrays(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    kept = {}

    def double(block):
        block.samples *= 2
        kept.update(zip(block.numbers.tolist(), block.samples, strict=True))

    got = written(survey.apply(double, concurrent=True), tmp_path / "a.sgy")
    numpy.testing.assert_array_equal(got.traces[:], 2 * survey.traces[:])
    numpy.testing.assert_array_equal([kept[n] for n in range(len(survey))], 2 * survey.traces[:])


def test_gathers_and_words(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    seen = []

    def normalize(block):
        assert len(numpy.unique(block["cdp"])) == 1
        seen.append(len(block))
        rms = numpy.sqrt((block.samples**2).mean(axis=1))
        block["tracf"] = numpy.arange(1, len(block) + 1)
        block["gdel"] = numpy.rint(1000 * rms)
        return block.samples - block.samples.mean(axis=0)

    flow = survey.apply(normalize, scope="gather", by="cdp", reads=["samples", "cdp"], writes=["samples", "tracf", "gdel"])
    got = written(flow, tmp_path / "a.sgy")
    gathers = list(survey.gathers("cdp"))
    assert sorted(seen) == sorted(len(each.numbers) for each in gathers)
    at = 0
    for gather in gathers:
        rows = slice(at, at := at + len(gather.numbers))
        numpy.testing.assert_allclose(got.traces[rows], gather.samples - gather.samples.mean(axis=0), rtol=1e-6, atol=1e-6)
        numpy.testing.assert_array_equal(got["tracf"][rows], numpy.arange(len(gather.numbers)) + 1)
        rms = numpy.sqrt((gather.samples**2).mean(axis=1))
        numpy.testing.assert_array_equal(got["gdel"][rows], numpy.rint(1000 * rms))


def test_words_of_single_traces(line, tmp_path):
    _, path = line
    survey = sill.open(path)

    def number(block):
        assert block.samples is None
        block["cdp"] = block["abs(offset)"] + block.numbers

    got = written(survey.apply(number, reads="abs(offset)", writes="cdp").sort("-cdp"), tmp_path / "a.sgy")
    want = numpy.abs(survey["offset"]) + numpy.arange(len(survey))
    numpy.testing.assert_array_equal(got["cdp"], numpy.sort(want)[::-1])


def test_an_exception_ends_the_flow(line, tmp_path):
    _, path = line
    output = tmp_path / "a.sgy"
    output.write_bytes(b"before")

    def fails(block):
        raise LookupError("nothing here")

    with pytest.raises(sill.UsageError, match=r"(?s)apply.*fails.*nothing here") as caught:
        sill.open(path).apply(fails).write(output)
    assert isinstance(caught.value.__cause__, LookupError)
    assert "test_apply.py" in str(caught.value) and "flows.py" not in str(caught.value)
    assert output.read_bytes() == b"before"
    assert [each.name for each in tmp_path.iterdir() if each.name not in (path.name, "a.sgy")] == []


@pytest.mark.parametrize(
    ("function", "options", "match"),
    [
        (lambda block: block.samples[:, :5], {}, "shape"),
        (lambda block: block.samples[0], {}, "shape"),
        (lambda block: block.samples * 1j, {}, "cast"),
        (lambda block: block.samples, {"writes": ()}, "returned a value"),
        (lambda block: block["cdp"], {}, "reads="),
        (lambda block: block.__setitem__("cdp", 1), {"reads": ["cdp"]}, "writes="),
        (lambda block: block.__setitem__("cdp", 1e99), {"reads": (), "writes": ["cdp"]}, "cdp"),
        (lambda block: block.__setitem__("cdp", 0.5), {"reads": (), "writes": ["cdp"]}, "cdp"),
        (lambda block: block.__setitem__("cdp", "x"), {"reads": (), "writes": ["cdp"]}, "numbers"),
        (lambda block: None, {"reads": ["cpd"]}, "cdp"),
        (lambda block: numpy.full(block.samples.shape, 1e300), {}, "overflow"),
        (lambda block: numpy.ma.masked_array(block.samples, block.samples > 0), {}, "masked"),
        (lambda block: None, {"reads": ["cdp"], "writes": ()}, "not be called"),
        (lambda block: setattr(block, "numbers", block.numbers[:1]), {}, "numbers"),
        (lambda block: None, {"writes": ["ns"], "reads": ()}, "number or the interval"),
        (lambda block: None, {"writes": ["samples", "cdp"]}, "gather"),
        (lambda block: None, {"by": "cdp"}, "scope=gather"),
        (lambda block: None, {"scope": "gather"}, "by"),
    ],
)
def test_what_functions_must_not_do(line, tmp_path, function, options, match):
    _, path = line
    with pytest.raises((sill.UsageError, sill.InputError), match=f"(?s){match}"):
        sill.open(path).apply(function, **options).write(tmp_path / "a.sgy")
    assert not (tmp_path / "a.sgy").exists()


def test_names_of_functions(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    flow = survey.apply(lambda block: block.samples + 1).apply(lambda block: block.samples * 2)
    assert flow.text == "apply function=lambda scope=trace; apply function=lambda_2 scope=trace"
    numpy.testing.assert_array_equal(written(flow, tmp_path / "a.sgy").traces[:], 2 * (survey.traces[:] + 1))
    with pytest.raises(sill.UsageError, match="resumed"):
        flow.write(tmp_path / "b.sgy", resume=True)
    with pytest.raises(sill.UsageError, match="no such function"):
        sill.flow(path, output=tmp_path / "b.sgy", do="apply function=lambda")


def test_flows_in_threads_and_functions_that_run_flows(line, tmp_path):
    _, path = line
    survey = sill.open(path)

    def nested(block):
        if 0 in block.numbers:
            written(survey.apply(lambda inner: -inner.samples), tmp_path / f"{threading.get_ident()}.sgy")
        return block.samples + 1

    flows = [survey.apply(nested) for _ in range(3)]
    threads = [threading.Thread(target=written, args=(flow, tmp_path / f"out{i}.sgy")) for i, flow in enumerate(flows)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(3):
        numpy.testing.assert_array_equal(sill.open(tmp_path / f"out{i}.sgy").traces[:], survey.traces[:] + 1)


def test_what_is_not_declared_is_read_only(line, tmp_path):
    _, path = line

    def changes(block):
        with pytest.raises(ValueError, match="read-only"):
            block["cdp"][:] = 1
        with pytest.raises(ValueError, match="read-only"):
            block.samples *= 2

    sill.open(path).apply(changes, scope="gather", by="cdp", reads=["samples", "cdp"], writes=["ep"]).write(tmp_path / "a.sgy")


def test_a_word_over_the_number_of_samples_is_refused(line, tmp_path):
    _, path = line
    names = tmp_path / "map.toml"
    names.write_text('[words.mine]\nbyte = 113\ntype = "i4"\n')
    survey = sill.open(path, map=names)
    with pytest.raises(sill.UsageError, match="number or the interval"):
        survey.apply(lambda block: block.__setitem__("mine", 1), reads=(), writes="mine").write(tmp_path / "a.sgy")


def test_the_process_may_end_while_a_function_runs(line, tmp_path):
    _, path = line
    program = f"""
import threading, time, sill
def forever(block):
    started.set()
    time.sleep(600)
started = threading.Event()
flow = sill.open({str(path)!r}).apply(forever)
threading.Thread(target=flow.write, args=({str(tmp_path / "a.sgy")!r},), daemon=True).start()
started.wait()
print("ends")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, "ends\n"), ended


def test_words_must_be_the_same_when_a_function_is_called_again(line, tmp_path):
    _, path = line
    calls = []

    def counts(block):
        calls.append(block)
        block["ep"] = len(calls)

    with pytest.raises(sill.UsageError, match="other words"):
        sill.open(path).apply(counts, reads=(), writes="ep").select(where="ep <= 150").write(tmp_path / "a.sgy")
    got = written(
        sill.open(path).apply(counts, reads=(), writes="ep", scope="gather", by="tracl").select(where="ep > 0"),
        tmp_path / "b.sgy",
    )
    assert len(numpy.unique(got["ep"])) == len(got) > 0


def test_only_assigned_words_are_written(line, tmp_path):
    _, path = line
    survey = sill.open(path)

    def first(block):
        block["cdp"] = 5

    got = written(survey.apply(first, reads=(), writes=["cdp", "ep"]), tmp_path / "a.sgy")
    assert (got["cdp"] == 5).all()
    numpy.testing.assert_array_equal(got["ep"], survey["ep"])
    with pytest.raises(sill.UsageError, match="in common"):
        survey.apply(first, reads=(), writes=["cdp", "@23:i2"]).write(tmp_path / "b.sgy")


def test_an_exception_or_an_interrupt_ends_the_flow_at_once(line, tmp_path):
    _, path = line
    calls = []

    def fails(block):
        calls.append(block)
        raise KeyboardInterrupt if interrupts else ValueError(b"\xff".decode(errors="surrogateescape"))

    for interrupts in (False, True):
        calls.clear()
        with pytest.raises(KeyboardInterrupt if interrupts else sill.UsageError):
            sill.open(path).apply(fails, scope="gather", by="cdp").write(tmp_path / "a.sgy")
        assert len(calls) == 1

    def progress(*_):
        raise LookupError("mine")

    def slow(block):
        calls.append(block)
        time.sleep(0.05)

    calls.clear()
    with pytest.raises(LookupError):
        sill.open(path).apply(slow, scope="gather", by="cdp").write(tmp_path / "a.sgy", progress=progress)
    assert len(calls) < 10


def test_words_that_are_changed_in_place_are_written(line, tmp_path):
    survey = sill.open(line[1])

    def changing(block):
        block["cdp"][:] = 4
        block["offset"] += 1
        block["ep"] = 5
        block["ep"][:] += 1

    words = written(survey.apply(changing, reads=[], writes=["cdp", "offset", "ep", "fldr"]), tmp_path / "a.sgy")
    assert (words["cdp"] == 4).all() and (words["ep"] == 6).all()
    numpy.testing.assert_array_equal(words["offset"], survey["offset"] + 1)
    numpy.testing.assert_array_equal(words["fldr"], survey["fldr"])


def test_words_of_text_are_refused(line):
    _, path = line
    with pytest.raises(sill.UsageError, match="@233:a8 stores text"):
        sill.open(path).apply(abs, reads=[], writes=["@233:a8"])


def test_options_that_the_flow_or_the_survey_states_are_refused(line, tmp_path):
    _, path = line
    flow = sill.open(path).gain(scale=2)
    for call in (lambda: flow.write(tmp_path / "a.sgy", do="agc"), lambda: flow.plan(do="agc")):
        with pytest.raises(sill.UsageError, match="do= is not an option") as caught:
            call()
        assert isinstance(caught.value, TypeError)
    with pytest.raises(sill.UsageError, match="opened with assume="):
        sill.open(path, assume="interval=2000").gain(scale=2).write(tmp_path / "a.sgy", assume="interval=1000")
    assert list(tmp_path.iterdir()) == []
    flow.write(tmp_path / "a.sgy", assume="interval=1000")
    assert sill.open(tmp_path / "a.sgy").interval == 0.001


def test_flags_may_be_bools_of_numpy(line):
    survey = sill.open(line[1])
    for value in (True, False):
        assert survey.nmo(velocity=2000, inverse=numpy.bool_(value)).text == survey.nmo(velocity=2000, inverse=value).text
