"""Ctrl-C, `del` in any order, forks, other processes, pickled flows, and the time that the import takes."""

import gc
import itertools
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy
import pytest
import sill
import sill._sill

SAMPLES = numpy.arange(40_000 * 250, dtype="f4").reshape(40_000, 250)


def create(folder):
    sill.create(folder / "new.sgy", SAMPLES, {"cdp": numpy.arange(40_000)}, interval=0.002, sample_format="ibm")


def stream(folder):
    with sill.writer(folder / "new.sgy", traces=40_000, samples=250, interval=0.002) as writer:
        for first in range(0, 40_000, 500):
            writer.write(SAMPLES[first : first + 500], {"cdp": numpy.arange(500)})


def simulate(folder):
    with sill.Dataset(folder / "new.nc", "w", dims={"time": None, "x": 250}) as dataset:
        dataset.createVariable("u", "f4", ("time", "x"))
        for step in range(40_000):
            dataset["u"][step] = SAMPLES[step]


def to_segy(folder):
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(folder.parent / "given.sgy", engine="sill") as dataset:
        (-dataset).sill.to_segy(folder / "new.sgy")


def interrupted(work, seconds):
    """Returns whether Ctrl-C after this time ended the work."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        work()
        timer.join()  # of work that was faster
    except KeyboardInterrupt:
        timer.join()
        return True
    return False


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::sill.SillWarning")
@pytest.mark.parametrize("work", [create, stream, simulate, to_segy])
def test_ctrl_c_leaves_nothing_half_written(tmp_path, work):
    sill.create(tmp_path / "given.sgy", SAMPLES[:20_000], interval=0.002)
    ended = []
    for seconds in (0.005, 0.03, 0.1):
        folder = tmp_path / str(seconds)
        folder.mkdir()
        ended.append(interrupted(lambda folder=folder: work(folder), seconds))
        gc.collect()
        left = [path.name for path in folder.iterdir()]
        assert left in ([], ["new.sgy"], ["new.nc"]), left  # no part files
        if left == ["new.sgy"]:  # the signal came when the file was complete
            assert len(sill.open(folder / "new.sgy")) == (20_000 if work is to_segy else 40_000)
        elif left:  # has complete steps
            with sill.Dataset(folder / "new.nc") as dataset:
                numpy.testing.assert_array_equal(dataset["u"][:], SAMPLES[: dataset.steps])
    assert any(ended)


def test_objects_end_in_any_order(line):
    file, path = line
    expected = file.samples().astype("f4")
    for order in itertools.permutations(("survey", "view", "traces", "gathers")):
        survey = sill.open(path)
        view, gathers = survey.where("tracl > 10"), survey.gathers("tracl")
        held = {"survey": survey, "view": view, "traces": survey.traces, "gathers": gathers}
        del survey, view, gathers
        for name in order[:-1]:
            del held[name]
            gc.collect(0)
        (last,) = held.values()
        if order[-1] in ("survey", "view"):
            numpy.testing.assert_array_equal(last.traces[0], expected[last.numbers[0]])
        elif order[-1] == "traces":
            numpy.testing.assert_array_equal(last[7], expected[7])
        else:
            numpy.testing.assert_array_equal(next(last).samples[0], expected[0])
    assert "agc" in sill.open(path).where("tracl > 10").agc("100ms").plan()


def test_forked_surveys(line, tmp_path):
    file, path = line
    survey = sill.open(path)
    flow = survey.polarity()
    assert survey.traces[:].shape == (300, 50)  # with threads of the parent
    child = os.fork()
    if child == 0:
        try:
            assert (survey.traces[5:50] == file.samples()[5:50].astype("f4")).all() and len(survey["cdp"]) == 300
            survey.close()
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    flow.write(tmp_path / "a.sgy")  # the parent's survey is still open
    numpy.testing.assert_array_equal(survey.traces[:], file.samples().astype("f4"))


def sum_of(survey):
    return float(survey.traces[:].sum())


def test_other_processes(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    parts = [survey, survey.where("tracl <= 100"), survey.where("tracl > 100")]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(sum_of, parts) == [sum_of(each) for each in parts]
        flow = survey.where("tracl <= 100").polarity()
        assert pickle.loads(pickle.dumps(flow)).text == flow.text
        result = pool.apply(sill.Flow.write, (flow, tmp_path / "a.sgy"))
    assert result.traces_out == 100
    numpy.testing.assert_array_equal(sill.open(tmp_path / "a.sgy").traces[:], -survey.traces[:100])


def test_joblib(line):
    joblib = pytest.importorskip("joblib")
    survey = sill.open(line[1])
    parts = [survey, survey.where("tracl <= 100"), survey.where("tracl > 100")]
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(sum_of)(each) for each in parts) == [sum_of(each) for each in parts]


def test_plans_are_what_explain_prints(line, tmp_path):
    _, path = line
    flow = sill.open(path).sort("cdp", "offset").agc("100ms")
    output = tmp_path / "a.sgy"
    options = [f"--do={flow.text}", "--explain", "--memory=1G", f"--output={output}", "--", str(path)]
    printed = sill._sill.run_command([b"flow", *map(os.fsencode, options)], None, [], {}, None, None, None)[1]
    plan = flow.plan(output=output, memory="1G")
    assert printed.startswith(plan) and "300 traces" in printed.removeprefix(plan)
    assert "pass" in plan and "sort" in plan


def test_the_import_is_quick():
    """In seconds of the processor, without NumPy's own import."""
    code = (
        "import resource, numpy; used = lambda: resource.getrusage(resource.RUSAGE_SELF); a = used(); import sill; b = used(); "
    )
    code += "print(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime)"
    package = str(Path(sill.__file__).parents[1])
    runs = [subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": package}, capture_output=True, check=True)
            for _ in range(2)]  # fmt: skip
    assert min(float(run.stdout) for run in runs) < 0.3
