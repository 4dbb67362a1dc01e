"""Flows that were interrupted and go on: the output is the one of a flow that was not."""

import os
import random
import re
import signal
import time

import numpy as np
import pytest
import segy_files
from caught import is_locked
from program import TIMEOUT_S, descendants_of, kill_group, signal_all

GATHERS = "fxdecon window=100ms by=cdp length=6; agc 60ms"
TRACES = "agc 100ms kind=median; bandpass 10 60; agc 60ms kind=median; agc 200ms kind=median"
FLOWS = {"gathers": GATHERS, "traces": TRACES, "sorted": f"sort offset,cdp; {TRACES}", "stacks": f"{GATHERS}; stack by=cdp"}


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """Large enough that the first part of it is finished long before the last."""
    file = segy_files.make(4000, 300)
    file.put_word("trid", 1).put_word("delrt", 0)
    file.put_word("cdp", np.arange(4000) // 20).put_word("offset", np.arange(4000) % 20)
    file.put_samples(np.random.default_rng(5).standard_normal((4000, 300)).astype(np.float32))
    return file.write(tmp_path_factory.mktemp("survey") / "in.sgy")


@pytest.fixture(scope="module")
def whole(sill, survey):
    """The output of each flow that ran to its end."""
    found = {}

    def of(flow):
        if flow not in found:
            out = survey.with_name("whole.sgy")
            sill.run("flow", survey, "-o", out, "--do", flow)
            found[flow] = out.read_bytes()
        return found[flow]

    return of


def kept_of(target):
    """The unfinished file and the journal."""
    return target.with_name(f".{target.name}.sill-flow.part"), target.with_name(f".{target.name}.sill-flow")


def wait_until_released(target):
    """Ranks may end a moment after their launcher."""
    until = time.monotonic() + 60
    while any(file.exists() and is_locked(file) for file in kept_of(target)) and time.monotonic() < until:
        time.sleep(0.01)


def lines_of(journal):
    """Its text; none where there is no journal, or none any more: a run that ends removes it."""
    try:
        return journal.read_text()
    except FileNotFoundError:
        return ""


def interrupted(sill, survey, target, flow, *options, ranks=None, parts=1, end=signal.SIGKILL):
    """A run that ended when its journal had so many lines about finished items. Its exit code."""
    journal = kept_of(target)[1]
    for _ in range(20):
        for file in kept_of(target):
            file.unlink(missing_ok=True)
        target.unlink(missing_ok=True)
        arguments = ("flow", survey, "-o", target, "--do", flow, "--resume", "--threads", 1, *options)
        process = sill.start(*arguments, ranks=ranks)
        until = time.monotonic() + TIMEOUT_S
        while process.poll() is None and time.monotonic() < until:
            if lines_of(journal).count("finished") >= parts:
                signal_all([process.pid] if ranks is None else descendants_of(process.pid), end)
                process.communicate(timeout=TIMEOUT_S)
                wait_until_released(target)
                break
        else:
            kill_group(process)
        if journal.exists() and not target.exists():
            return process.returncode
    pytest.fail("no run could be ended between its first finished part and its end")


def resumed(sill, survey, target, flow, *options, ranks=None, expect=0):
    return sill.run("flow", survey, "-o", target, "--do", flow, "--resume", *options, ranks=ranks, expect=expect)


@pytest.mark.parametrize(
    ("flow", "ranks_before", "ranks"),
    [("gathers", None, None), ("gathers", 3, None), ("traces", 1, 4), ("sorted", 2, 3), ("stacks", None, 2)],
)
def test_what_was_finished_is_taken(sill, tmp_path, survey, whole, flow, ranks_before, ranks):
    target = tmp_path / "out.sgy"
    interrupted(sill, survey, target, FLOWS[flow], ranks=ranks_before)
    assert not target.exists()
    done = resumed(sill, survey, target, FLOWS[flow], ranks=ranks)
    assert re.search(r"[1-9][\d,]* (gathers|traces) .* interrupted run", done.out)
    assert target.read_bytes() == whole(FLOWS[flow])
    assert not any(file.exists() for file in kept_of(target))


@pytest.mark.parametrize("policy", ["aggregated,async=2", "burst=/tmp", "collective"])
def test_policies(sill, tmp_path, survey, whole, policy):
    target = tmp_path / "out.sgy"
    interrupted(sill, survey, target, TRACES, "--policy", policy, ranks=2)
    resumed(sill, survey, target, TRACES, "--policy", policy, ranks=2)
    assert target.read_bytes() == whole(TRACES)


def kill_at_random(sill, survey, target, flow, whole, ranks, kills, seed):
    """Kills runs at random moments, until there were so many; each output that a run completes is right."""
    draw = random.Random(seed)
    expected = whole(flow)
    began = time.monotonic()
    resumed(sill, survey, target, flow, ranks=ranks)
    seconds = time.monotonic() - began
    target.unlink()
    complete = adopted = killed = 0
    wanted = kills
    while killed < wanted or not complete:
        process = sill.start("flow", survey, "-o", target, "--do", flow, "--resume", ranks=ranks)
        try:
            out, _ = process.communicate(timeout=draw.uniform(0.2, 1) * seconds if killed < wanted else TIMEOUT_S)
        except Exception:
            kill_group(process)
            out, killed = b"", killed + 1
        wait_until_released(target)
        adopted += b"interrupted run" in out
        if process.returncode == 0:
            complete += 1
            assert target.read_bytes() == expected
            target.unlink()
        elif target.exists():  # killed between its name and its end
            assert target.read_bytes() == expected
        if killed >= wanted and complete and not adopted and wanted < 10 * kills:
            complete, wanted = 0, wanted + kills  # all were killed before they had written anything
    assert adopted


@pytest.mark.parametrize("ranks", [None, 2])
def test_killed_at_random_moments(sill, tmp_path, survey, whole, ranks):
    kill_at_random(sill, survey, tmp_path / "out.sgy", GATHERS, whole, ranks, kills=6, seed=ranks)


@pytest.mark.nightly
@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("ranks", [None, 3])
def test_killed_at_very_many_moments(sill, tmp_path, survey, whole, flow, ranks):
    kill_at_random(sill, survey, tmp_path / "out.sgy", FLOWS[flow], whole, ranks, kills=25, seed=ranks)


def test_signals_leave_what_is_finished(sill, tmp_path, survey, whole):
    target = tmp_path / "out.sgy"
    assert interrupted(sill, survey, target, GATHERS, end=signal.SIGTERM) != 0
    assert "interrupted run" in resumed(sill, survey, target, GATHERS).out
    assert target.read_bytes() == whole(GATHERS)


def test_a_journal_cut_or_damaged_anywhere(sill, tmp_path, survey, whole):
    """What of it is whole counts, and of a damaged unfinished file nothing."""
    target = tmp_path / "out.sgy"
    part, journal = kept_of(target)
    interrupted(sill, survey, target, GATHERS, parts=2)
    text, half = journal.read_bytes(), part.read_bytes()
    draw = random.Random(1)
    for number in range(4):
        at = draw.randrange(len(text))
        damaged = bytearray(text)
        damaged[at] ^= 1
        journal.write_bytes(text[:at] if number % 2 else damaged)
        part.write_bytes(half)
        resumed(sill, survey, target, GATHERS, expect=(0, 1, 2))
        if target.exists():
            assert target.read_bytes() == whole(GATHERS)
            target.unlink()
    for lost in (part, journal):
        journal.write_bytes(text)
        part.write_bytes(half)
        lost.unlink()
        assert "interrupted" not in resumed(sill, survey, target, GATHERS).text
        assert target.read_bytes() == whole(GATHERS)
    journal.write_bytes(text)
    part.write_bytes(half[:-1])
    refused = resumed(sill, survey, target, GATHERS, expect=3)
    assert "start again" in refused.err


@pytest.mark.parametrize("ranks", [None, 2])
def test_another_run_is_not_taken(sill, tmp_path, survey, whole, ranks):
    table = tmp_path / "top.csv"
    table.write_text("offset,time\n0,0.01\n20,0.02\n")
    flow = f"{GATHERS}; mute top table=@{table}"
    target = tmp_path / "out.sgy"
    interrupted(sill, survey, target, flow)
    kept = [file.read_bytes() for file in kept_of(target)]

    def refused(reason, flow=flow, *options):
        done = resumed(sill, survey, target, flow, *options, ranks=ranks, expect=2)
        assert reason in done.err and "without --resume" in done.err
        assert [file.read_bytes() for file in kept_of(target)] == kept and not target.exists()

    refused("70ms", flow.replace("60ms", "70ms"))
    refused("IBM", flow, "--sample-format", "ibm")
    refused("nonfinite", flow, "--nonfinite", "zero")
    refused("assumed", flow, "--assume", "revision=1")
    table.write_text("offset,time\n0,0.01\n20,0.03\n")
    refused("table")
    flow = f"{GATHERS}; mute top at=20ms"
    sill.run("flow", survey, "-o", target, "--do", flow, ranks=ranks)
    assert not any(file.exists() for file in kept_of(target))


def test_an_input_that_changed(sill, tmp_path, survey):
    copy = tmp_path / "in.sgy"
    copy.write_bytes(survey.read_bytes())
    interrupted(sill, copy, tmp_path / "out.sgy", GATHERS)
    os.utime(copy)
    assert "input in.sgy" in resumed(sill, copy, tmp_path / "out.sgy", GATHERS, expect=2).err


def test_two_at_once(sill, tmp_path, survey, whole):
    target = tmp_path / "out.sgy"
    process = sill.start("flow", survey, "-o", target, "--do", GATHERS, "--resume", "--threads", 1)
    try:
        until = time.monotonic() + TIMEOUT_S
        while not kept_of(target)[1].exists() and time.monotonic() < until:
            time.sleep(0.001)
        signal_all([process.pid], signal.SIGSTOP)
        assert "another run" in resumed(sill, survey, target, GATHERS, expect=4).err
        signal_all([process.pid], signal.SIGCONT)
        process.communicate(timeout=TIMEOUT_S)
    finally:
        kill_group(process)
    assert target.read_bytes() == whole(GATHERS)


def test_the_same_error_at_a_trace(sill, tmp_path, survey):
    """Of several traces that fail, on whatever rank and in whatever part, the first; what was finished stays."""
    file = segy_files.read(survey)
    samples = file.samples().copy()
    samples[[2500, 3900], 20] = np.nan
    path = file.put_samples(samples).write(tmp_path / "bad.sgy")
    target = tmp_path / "out.sgy"
    plain = sill.run("flow", path, "-o", target, "--do", TRACES, expect=3)
    for ranks in (None, 2, 3):
        done = resumed(sill, path, target, TRACES, ranks=ranks, expect=3)
        assert done.reason.splitlines()[:4] == plain.reason.splitlines()[:4], done.err
        assert "2501" in done.err and all(file.exists() for file in kept_of(target))


@pytest.mark.parametrize("ranks", [None, 2])
def test_an_error_before_anything_is_finished_leaves_nothing(sill, tmp_path, survey, ranks):
    file = segy_files.read(survey)
    samples = file.samples().copy()
    samples[::100, 7] = np.inf
    path = file.put_samples(samples).write(tmp_path / "bad.sgy")
    resumed(sill, path, tmp_path / "out.sgy", TRACES, ranks=ranks, expect=3)
    assert not any(file.exists() for file in kept_of(tmp_path / "out.sgy"))


def test_counts_are_those_of_the_whole_output(sill, tmp_path, survey):
    target = tmp_path / "out.sgy"
    options = ("--sample-format", "int16", "--clip", "--accept-loss")
    flow = f"{TRACES}; gain db=90dB"
    plain = sill.run("flow", survey, "-o", target, "--do", flow, *options)
    target.unlink()
    interrupted(sill, survey, target, flow, *options)
    done = resumed(sill, survey, target, flow, *options)
    clipped = re.compile(r"clipped .*")
    assert clipped.search(done.out).group() == clipped.search(plain.out).group()


def test_what_an_earlier_run_has_stacked_counts(sill, tmp_path, survey):
    """A stack of no trace at all is an error; one whose last gathers have none is not, whoever made the others."""
    file = segy_files.read(survey)
    path = file.put_word("trid", np.where(np.arange(4000) < 400, 1, 3)).write(tmp_path / "in.sgy")
    flow = "mix 3; mix 5; stack by=cdp trid=1"
    plain = sill.run("flow", path, "-o", tmp_path / "plain.sgy", "--do", flow)
    interrupted(sill, path, tmp_path / "out.sgy", flow)
    done = resumed(sill, path, tmp_path / "out.sgy", flow)
    assert (tmp_path / "out.sgy").read_bytes() == (tmp_path / "plain.sgy").read_bytes()
    notes = [line for line in done.out.splitlines() if "note" in line and "interrupted" not in line]
    assert notes == [line for line in plain.out.splitlines() if "note" in line]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("-o", "out_{cdp}.sgy", "--do", "agc 100ms"), "pattern"),
        (("-o", "out.sgy", "--do", "agc 100ms", "--scale", "fit", "--sample-format", "int16"), "--scale"),
        (("-o", "out.sgy", "--do", "minmax; agc 100ms"), "report"),
        (("-o", "out.sgy", "--do", "cmpbin line=0,0,100,0 size=10m"), "report"),
        (("--do", "minmax"), "without an output"),
        (("-o", "-", "--do", "agc 100ms"), "stream"),
    ],
)  # fmt: skip
def test_what_cannot_be_resumed(sill, tmp_path, survey, arguments, reason):
    refused = sill.run("flow", survey, *arguments, "--resume", expect=2, cwd=tmp_path)
    assert reason in refused.err and not list(tmp_path.iterdir())
