"""The commands of the program as functions: options as on the command line, results with fields, errors, Ctrl-C."""

import os
import signal
import threading
import time

import numpy
import pytest
import segy_files
import sill


def test_a_sort_gives_the_bytes_of_numpy(line, tmp_path):
    file, path = line
    result = sill.sort(path, output=tmp_path / "b.sgy", by=["cdp", "offset"])
    order = numpy.lexsort((file.word("offset"), file.word("cdp")))
    assert (tmp_path / "b.sgy").read_bytes() == file.permuted(order).with_sorting_code(2).to_bytes()
    assert (result.traces_in, result.traces_out, result.status) == (300, 300, 0)
    assert "method" in result
    assert "300 traces" in result.text


def test_results_of_commands_with_json(line):
    _, path = line
    assert sill.info(path).samples == 50
    scanned = sill.scan(path, keys="cdp,offset", stats=True)
    assert scanned.words.cdp == {"smallest": 1, "largest": 49, "distinct": 49} or scanned.words.cdp.smallest == 1
    checked = sill.check(path)
    assert checked.files[0].traces == 300


def test_a_comparison_that_finds_differences(line, tmp_path):
    file, path = line
    other = file.copy().put_word("cdp", 7)
    result = sill.compare(path, other.write(tmp_path / "b.sgy"))
    assert (result.equal, result.status) == (False, 1)


def test_signatures_and_documentation_are_those_of_the_help():
    import inspect

    parameters = inspect.signature(sill.sort).parameters
    assert {"by", "output", "memory", "progress"} <= set(parameters)
    assert "Sort" in sill.sort.__doc__
    assert "cut" in dir(sill)
    for name in sill._sill.commands():
        assert getattr(sill, name.replace("-", "_")).__doc__


def test_errors_are_exceptions(line, tmp_path):
    _, path = line
    with pytest.raises(TypeError, match="no option 'bye'"):
        sill.sort(path, bye="cdp")
    with pytest.raises(sill.UsageError, match="required"):
        sill.sort(path)
    with pytest.raises(sill.UsageError, match="cdp"):
        sill.sort(path, output=tmp_path / "b.sgy", by="cpd")
    with pytest.raises(FileNotFoundError):
        sill.sort(tmp_path / "none.sgy", output=tmp_path / "b.sgy", by="cdp")
    with pytest.raises(AttributeError):
        sill.sorted(path)
    assert not (tmp_path / "b.sgy").exists()


def test_names_that_look_like_options(line, tmp_path, monkeypatch):
    file, _ = line
    monkeypatch.chdir(tmp_path)
    for name in ("-o.sgy", "[a,b].sgy", "a b.sgy"):
        file.write(name)
        assert sill.info(name).traces == 300


def test_progress_and_cancelling(tmp_path):
    big = segy_files.make(60_000, 500)
    path = big.write(tmp_path / "big.sgy")
    calls = []
    sill.convert(path, output=tmp_path / "b.sgy", sample_format="ibm", progress=lambda *call: calls.append(call))

    def cancel(stage, done, total):
        raise RuntimeError("enough")

    (tmp_path / "b.sgy").write_text("old")
    assert calls
    assert all(0 <= done for stage, done, total in calls)
    before = set(os.listdir(tmp_path))
    try:
        sill.convert(path, output=tmp_path / "b.sgy", sample_format="ibm", progress=cancel)
    except RuntimeError:
        assert (tmp_path / "b.sgy").read_text() == "old"
    assert set(os.listdir(tmp_path)) == before


def test_ctrl_c_leaves_nothing_half_written(tmp_path):
    path = segy_files.make(60_000, 500).write(tmp_path / "big.sgy")
    sill.convert(path, output=tmp_path / "b.sgy", sample_format="ibm")
    complete = (tmp_path / "b.sgy").read_bytes()
    before = set(os.listdir(tmp_path))
    for delay in (0.02, 0.06, 0.15):
        (tmp_path / "b.sgy").write_text("old")
        timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            sill.convert(path, output=tmp_path / "b.sgy", sample_format="ibm")
            timer.join()
            time.sleep(0.1)
        assert set(os.listdir(tmp_path)) == before
        assert (tmp_path / "b.sgy").read_bytes() in (b"old", complete)
