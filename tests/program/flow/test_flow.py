"""What holds of all flows: grammar, recipes, order of operations, errors, bytes over ranks, threads and policies."""

import os
import re
import signal
import time

import numpy as np
import pytest
import segy_files
from caught import OLD, catch_in_the_act
from flow_cases import file_of, flowed, kinds
from program import TIMEOUT_S, descendants_of, kill_group, leftovers, signal_all

LONG = "agc 100ms; sort cdp,-offset; mute top at=20ms ramp=10ms; stack by=cdp; agc 60ms; sort -cdp"


@pytest.fixture(scope="module")
def survey():
    file = segy_files.make(400, 61)
    return file.put_word("trid", 1).put_word("delrt", 0)


def test_the_result_of_one_after_another(sill, tmp_path, survey):
    """A flow is what its operations make, each run by itself, through files of floats."""
    whole = flowed(sill, tmp_path, survey, LONG, "--history", "none")
    step = survey
    for operation in LONG.split("; "):
        step = flowed(sill, tmp_path, step, operation, "--history", "none")
    assert whole.to_bytes() == step.to_bytes()


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("options", [("--threads", "1"), ("--threads", "3", "--policy", "aggregated"),
                                     ("--policy", "elected,stage=1K"), ("--memory", "300K")])  # fmt: skip
def test_the_same_bytes(sill, tmp_path, survey, ranks, options):
    if ranks == 4 and options[0] == "--memory":
        pytest.skip("three ranks show it")
    alone = flowed(sill, tmp_path, survey, LONG)
    assert flowed(sill, tmp_path, survey, LONG, *options, ranks=ranks).to_bytes() == alone.to_bytes()


@pytest.mark.mpich
def test_two_ranks(sill, tmp_path, survey):
    alone = flowed(sill, tmp_path, survey, LONG)
    assert flowed(sill, tmp_path, survey, LONG, ranks=2).to_bytes() == alone.to_bytes()


def test_sorts_are_those_of_sort(sill, tmp_path, survey):
    path = survey.write(tmp_path / "in.sgy")
    sill.run("sort", path, "-o", tmp_path / "sorted.sgy", "--by", "offset,-cdp")
    out = flowed(sill, tmp_path, survey, "sort -cdp; sort offset", "--history", "none")
    assert out.to_bytes() == (tmp_path / "sorted.sgy").read_bytes()


def test_samples_that_nothing_changes_are_copied(sill, tmp_path):
    """IBM words that are not normalized, and NaN, survive a flow that does not look at them."""
    file = segy_files.make(40, 8, code=1)
    file.rows[:, 240:244] = [0x41, 0x00, 0x00, 0x01]
    out = flowed(sill, tmp_path, file, "sort -tracl", "--history", "none")
    assert out.rows.tobytes() == file.permuted(np.arange(39, -1, -1)).rows.tobytes()
    out = flowed(sill, tmp_path, file, "mute top at=-10s", "--history", "none")
    assert out.rows[:, 240:].tobytes() == file.rows[:, 240:].tobytes()


@pytest.mark.parametrize("where", ["inline", "recipe", "do"])
def test_forms_are_one_value(sill, tmp_path, small, where):
    steps = "agc 50ms kind=mean # comment\nmute top at=20ms ; sort 'offset, -cdp'"
    recipe = sill.run("flow", small[1], "--do", steps, "--print-recipe").out
    again = tmp_path / "again.toml"
    again.write_text(recipe)
    assert sill.run("flow", again, "--print-recipe").out == recipe
    if where == "do":
        again.write_text(f'input = "{small[1]}"\ndo = """\n{steps}\n"""\n')
        assert sill.run("flow", again, "--print-recipe").out == recipe
    source = (small[1], "--do", steps) if where == "inline" else (again,)
    sill.run("flow", *source, "-o", tmp_path / f"{where}.sgy", cwd=tmp_path)
    sill.run("flow", small[1], "-o", tmp_path / "other.sgy", "--do", steps)
    assert (tmp_path / f"{where}.sgy").read_bytes() == (tmp_path / "other.sgy").read_bytes()


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('input = "x"\n', "no operations", 1), ('input = "x"\nfilter = 3\ndo = "agc 3ms"\n', "no key 'filter'", 2),
        ('input = "x"\n[[do]]\nwindow = "3ms"\n', "has no name", 2), ("a b\n", "", 1),
        ('input = "x"\n\ndo = "agcc 3ms"\n', "did you mean agc", 3),
        ('input = "x"\n[[do]]\nop = "agc"\nwindw = "3ms"\n', "did you mean window", 2),
    ],
)  # fmt: skip
def test_wrong_recipes(sill, tmp_path, text, reason, line):
    recipe = tmp_path / "r.toml"
    recipe.write_text(text)
    refused = sill.run("flow", recipe, "-o", tmp_path / "o.sgy", expect=2)
    assert reason in refused.err and re.search(rf"line: +{line}\b", refused.err)


def test_not_finite(sill, tmp_path):
    rows = kinds(50)
    rows[3, 20], rows[5, 7] = np.nan, np.inf
    path = file_of(rows).write(tmp_path / "in.sgy")
    for ranks in (None, 3):
        refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "sort -tracl; agc 9ms", ranks=ranks, expect=3)
        # The first in the order in which agc takes them.
        assert "operation 2 (agc): sample 8 is inf" in refused.err and re.search(r"trace: +6\b", refused.err)
        assert not (tmp_path / "o.sgy").exists()
    result = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "mute top at=0ms", "--nonfinite", "zero")
    assert "2 samples that were NaN or infinite" in result.out
    assert segy_files.read(tmp_path / "o.sgy").samples()[3, 20] == 0
    sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "mute bottom at=5s", "--nonfinite", "keep")
    assert np.isnan(segy_files.read(tmp_path / "o.sgy").samples()[3, 20])


def test_several_files(sill, tmp_path):
    files = [segy_files.make(30, 20, seed=seed) for seed in (1, 2, 3)]
    paths = [file.write(tmp_path / f"{i}.sgy") for i, file in enumerate(files)]
    sill.run("flow", *paths, "-o", tmp_path / "o.sgy", "--do", "sort cdp", "--history", "none", ranks=2)
    rows = np.concatenate([file.rows for file in files])
    cdp = np.concatenate([file.word("cdp") for file in files])
    assert (tmp_path / "o.sgy").read_bytes()[3600:] == rows[np.argsort(cdp, kind="stable")].tobytes()
    other = segy_files.make(3, 21).write(tmp_path / "other.sgy")
    assert sill.run("flow", paths[0], other, "-o", tmp_path / "p.sgy", "--do", "sort cdp", expect=3)


def test_plan(sill, tmp_path, small):
    plan = sill.run("flow", small[1], "--do", LONG, "--dry-run").out
    assert "6 operations in 2 passes" in plan
    assert "pass 1: agc, sort, mute, stack, agc" in plan and "pass 2: sort" in plan
    assert "order: cdp,-offset" in plan and "samples are copied byte for byte" in plan
    assert list(tmp_path.glob("*.sgy")) == [small[1]]


def test_nothing_is_left(sill, tmp_path, survey):
    """Of a flow of two passes that fails in the second one, and of one that does not."""
    out = tmp_path / "o"
    out.mkdir()
    path = survey.write(tmp_path / "in.sgy")
    sill.run("flow", path, "-o", out / "o.sgy", "--do", LONG, ranks=2)
    assert os.listdir(out) == ["o.sgy"]
    before = (out / "o.sgy").read_bytes()
    steps = "agc 100ms; stack by=cdp; sort -cdp; stack by=1/(cdp-50)"
    sill.run("flow", path, "-o", out / "o.sgy", "--do", steps + "; agc 3ms gain=4", expect=2)
    assert os.listdir(out) == ["o.sgy"] and (out / "o.sgy").read_bytes() == before


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_signal_between_passes_leaves_nothing(sill, tmp_path, target, ranks):
    """While the file between the passes is read, it is there; a signal removes it, and the output's."""
    path = segy_files.make(20_000, 400).put_word("delrt", 0).write(tmp_path / "in.sgy")
    command = ("flow", "--do", "agc 100ms kind=median; stack by=tracl; sort -cdp; agc 200ms kind=median")
    process, unfinished = catch_in_the_act(sill, path, target, ranks=ranks, command=command)
    assert ".pass1." in unfinished.name
    signalled = [process.pid] if ranks is None else descendants_of(process.pid)
    signal_all(signalled, signal.SIGCONT)
    until = time.monotonic() + TIMEOUT_S
    while len(leftovers(tmp_path)) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert len(leftovers(tmp_path)) == 2
    signal_all(signalled, signal.SIGTERM)
    process.wait(timeout=TIMEOUT_S)
    kill_group(process)
    assert leftovers(tmp_path) == [] and target.read_bytes() == OLD


def test_history(sill, tmp_path, small):
    out = flowed(sill, tmp_path, small[0], "agc 50ms; mute top at=20ms")
    text = bytes(out.head[:3200]).decode("cp037")
    assert "SILL FLOW agc window=50ms" in text and "SILL FLOW mute edge=top at=20ms" in text


def test_list_and_describe(sill):
    names = re.findall(r"^  (\w+)", sill.run("flow", "--list").out, re.MULTILINE)
    assert {"agc", "mute", "sort", "stack"} <= set(names) and names == sorted(names)
    for name in names:
        described = sill.run("flow", "--describe", name).out
        assert described.startswith(f"{name}: ")
    assert "did you mean agc" in sill.run("flow", "--describe", "agcc", expect=2).err
    assert sill.run("flow", "--describe", "agc 3ms").out.startswith("agc: ")
    for text in (" ", "agc; mute"):
        assert "the name of one operation" in sill.run("flow", "--describe", text, expect=2).err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--do", "agc 3ms"), "no input"), (("in.sgy", "--do", "agc 3ms"), "no output"),
        (("in.sgy", "-o", "in.sgy", "--do", "agc 3ms"), "in.sgy"), (("no.sgy", "-o", "o.sgy", "--do", "agc 3ms"), "no.sgy"),
        (("in.sgy", "-o", "o.sgy", "--do", "agc '3ms"), "quote is not closed"),
    ],
)  # fmt: skip
def test_wrong_use(sill, tmp_path, arguments, reason):
    segy_files.make(10, 10).write(tmp_path / "in.sgy")
    assert reason in sill.run("flow", *arguments, cwd=tmp_path, expect=(2, 4)).err


@pytest.mark.parametrize("ranks", [1, 3])
def test_an_error_of_a_later_pass_names_the_survey(sill, tmp_path, ranks):
    path = segy_files.make(20, 30).put_word("tracl", np.arange(20)).put_word("delrt", 0).write(tmp_path / "in.sgy")
    refused = sill.run("flow", path, "-o", tmp_path / "out.sgy", "--do",
                       "mix 3; sort -tracl; gain scale=3e38; gain scale=3e38; agc 40ms", ranks=ranks, expect=3)  # fmt: skip
    assert f"file:   {path}" in refused.err and "trace after pass 1: 20" in refused.err and ".part" not in refused.err
