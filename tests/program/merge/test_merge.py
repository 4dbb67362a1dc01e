"""`sill merge`: files of every form into one, against concatenation in numpy; how it is called and what it tells."""

import json
import os
import resource
import signal
import time

import numpy as np
import pytest
import segy_files
import segy_forms
from converting import expected
from merging import joined, merged, refused, three, written
from program import TIMEOUT_S, kill_group, leftovers


FORMS = {
    "rev 0, ibm, pairwise": lambda n: segy_files.make(n, 30, code=1, order="pairwise", revision=(0, 0), seed=n),
    "rev 1, int16, extended text": lambda n: segy_files.make(n, 30, code=3, extended=2, seed=n),
    "rev 2.1, all": lambda n: segy_forms.make(
        n, 30, additional=2, trailers=2, label=True, order="little", seed=n, extended=1
    ),
    "rev 2.0, int24": lambda n: segy_forms.make(n, 30, revision=(2, 0), code=7, seed=n),
    "su, little": lambda n: segy_forms.make_su(n, 30, order="little", seed=n),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(sill, tmp_path, form):
    files = [FORMS[form](n) for n in (60, 7, 33)]
    assert merged(sill, tmp_path, *files) == joined(*files).to_bytes()


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_ranks_threads_policies(sill, tmp_path, ranks):
    files = three()
    files[1] = segy_files.make(9, 17, code=3, order="little", seed=4)
    files[2] = segy_files.make(77, 13, seed=5, order="little")
    files[2].rows[10:30] = expected(files[0], order="little").rows[20:40]
    policy = ["staged", "elected,threads=2", "direct,threads=3", "collective"][ranks - 1]
    data = merged(
        sill, tmp_path, *files, on="samples=vary,duplicates=drop", options=["--renumber", "--policy", policy],
        ranks=ranks,
    )  # fmt: skip
    kept = np.r_[0:10, 30:77]
    parts = [files[0], expected(files[1], code=5, order="big", samples=files[1].samples()),
             expected(files[2], order="big").permuted(kept)]  # fmt: skip
    number = 0
    last_ensemble, in_ensemble = None, 0
    for part in parts:
        for row in range(part.traces):
            number += 1
            ensemble = part.word("cdp")[row]
            in_ensemble = in_ensemble + 1 if ensemble == last_ensemble else 1
            last_ensemble = ensemble
            one = part.permuted([row]).put_word("tracl", number).put_word("tracr", number).put_word("cdpt", in_ensemble)
            part.rows[row] = one.rows[0]
    head = files[0].copy().put_binary(3503, "i2", 0)
    # Of the binary header nothing else differs in a way that a rule sets.
    assert data == head.head.tobytes() + b"".join(part.rows.tobytes() for part in parts)


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_hundred_inputs_by_a_pattern_and_by_a_list(sill, tmp_path, ranks):
    files = [segy_files.make(1 + n % 4, 9, seed=n) for n in range(100)]
    for n, file in enumerate(files):
        file.write(tmp_path / f"part_{n:03}.sgy")
    names = tmp_path / "names.txt"
    names.write_text("# all of them\n" + "".join(f"{tmp_path}/part_{n:03}.sgy\n" for n in range(100)))
    for inputs in (f"{tmp_path}/part_*.sgy", f"@{names}"):
        sill.run("merge", inputs, "-o", tmp_path / "out.sgy", ranks=ranks)
        assert (tmp_path / "out.sgy").read_bytes() == joined(*files).to_bytes()


def limit_open_files(soft: int, hard: int):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_more_inputs_than_a_shell_lets_be_open(sill, tmp_path):
    """Up to the hard limit; beyond it the error says what to do."""
    files = [segy_files.make(1, 3, seed=n) for n in range(300)]
    for n, file in enumerate(files):
        file.write(tmp_path / f"part_{n:03}.sgy")
    command = ("merge", tmp_path / "part_*.sgy", "-o", tmp_path / "out.sgy")
    failed = sill.run(*command, expect=4, preexec_fn=limit_open_files(128, 128))
    assert "Too many open files" in failed.err
    assert "name fewer files at a time" in failed.err and "ulimit -Hn" in failed.err
    assert not (tmp_path / "out.sgy").exists()
    sill.run(*command, preexec_fn=limit_open_files(128, 1024))
    assert (tmp_path / "out.sgy").read_bytes() == joined(*files).to_bytes()
    by_cdp = ("sort", tmp_path / "part_*.sgy", "-o", tmp_path / "sorted.sgy", "--by", "cdp")
    sill.run(*by_cdp, preexec_fn=limit_open_files(128, 1024))


def test_what_split_made_becomes_the_sorted_file_again(sill, tmp_path):
    path = segy_files.make(300, 11).write(tmp_path / "in.sgy")
    sill.run("sort", path, "-o", tmp_path / "sorted.sgy", "--by", "cdp")
    sill.run("split", tmp_path / "sorted.sgy", "-o", tmp_path / "cdp_{cdp:04}.sgy", "--by", "cdp")
    sill.run("merge", tmp_path / "cdp_*.sgy", "-o", tmp_path / "again.sgy")
    # The sorting code, too: no two files share an ensemble.
    assert (tmp_path / "again.sgy").read_bytes() == (tmp_path / "sorted.sgy").read_bytes()


def test_one_input_is_copied(sill, tmp_path):
    file = segy_forms.make(20, 9, additional=1, trailers=1)
    assert merged(sill, tmp_path, file) == file.to_bytes()


def test_inputs_without_traces(sill, tmp_path):
    files = three()
    nothing = segy_files.make(0, 40, order="little", seed=9)
    assert merged(sill, tmp_path, files[0], nothing, files[1]) == joined(*files[:2]).to_bytes()
    first = segy_files.make(0, 13)
    assert merged(sill, tmp_path, first, *files) == joined(first, *files).to_bytes()
    assert merged(sill, tmp_path, first, first) == first.to_bytes()


@pytest.mark.parametrize("rule, told", [("first", [4000] * 5), ("vary", [4000] * 3 + [2000] * 2)])
def test_an_input_without_traces_hides_no_later_one(sill, tmp_path, rule, told):
    first, nothing, last = (
        segy_files.make(n, 13, seed=n, interval_us=us) for n, us in ((3, 4000), (0, 2000), (2, 2000))
    )
    last.put_word("dt", 0)
    out = merged(sill, tmp_path, first, nothing, last, on=f"interval={rule}")
    assert list(segy_files.parse(out).word("dt")) == told


def test_history_and_standard_output(sill, tmp_path):
    files = three()
    data = merged(sill, tmp_path, *files, options=["--history"])
    text = data[:3200].decode("cp037")
    assert "SILL MERGE 3 FILES" in text[80:160] and data[3200:] == joined(*files).to_bytes()[3200:]
    piped = sill.start("merge", *written(tmp_path, *files), "-o", "-")
    out, err = piped.communicate(timeout=TIMEOUT_S)
    assert out == joined(*files).to_bytes() and b"128 traces of 3 inputs" in err
    su = [segy_forms.make_su(5, 9, seed=n) for n in (1, 2)]
    assert "text header" in refused(sill, tmp_path, *su, options=["--history"], code=2)


def test_the_report_and_the_dry_run(sill, tmp_path):
    little = segy_files.make(5, 13, order="little", seed=8)
    paths = written(tmp_path, *three(), little)
    report = tmp_path / "report.json"
    shown = sill.run("merge", *paths, "--dry-run", "--report", report)
    told = json.loads(report.read_text())
    assert [(c["conflict"], c["rule"]) for c in told["conflicts"]] == [("byte_order", "convert"), ("numbers", "keep")]
    assert told["traces_out"] == 0 and told["dry_run"] and sorted(tmp_path.iterdir()) == sorted([*paths, report])
    assert "little in" in shown.out and "converted to the value of the first input" in shown.out and "--renumber" in shown.out
    sill.run("merge", *paths, "-o", tmp_path / "out.sgy", "--report", report)
    told = json.loads(report.read_text())
    assert told["traces_out"] == 133 and told["bytes"] == (tmp_path / "out.sgy").stat().st_size
    assert sill.run("merge", *paths, expect=2).err.count("no output is named") == 1
    # Nothing is written to standard output, so it is free for what is told.
    assert "would be merged" in sill.run("merge", *paths, "--dry-run", "-o", "-").out


def test_all_that_is_refused_is_told_at_once(sill, tmp_path):
    other = segy_files.make(5, 20, interval_us=4000, seed=8)
    paths = written(tmp_path, *three(), other)
    for options in (["-o", tmp_path / "no.sgy"], ["--dry-run"]):
        result = sill.run("merge", *paths, *options, expect=3)
        said = " ".join(result.err.split())
        assert "interval (4000 us in" in said and "samples (20 in" in said and "and 2 more" in said
        assert "--on interval=vary or interval=first, samples=pad or samples=cut or samples=vary" in said
        assert not (tmp_path / "no.sgy").exists()
    assert "refuse: refused" in result.out and "traces were not compared" in result.out


@pytest.mark.parametrize("text, said", [
    ("sample=pad", ["'sample' is not a property", "did you mean samples?"]), ("samples=pat", ["is not a rule", "did you mean pad?"]),
    ("samples", ["no rule is given for samples", "refuse, pad, cut, vary"]), ("samples=pad,samples=cut", ["twice"]),
    ("", ["is not a property with a rule"]), ("units=keep", ["'keep' is not a rule for units", "refuse, first"]),
])  # fmt: skip
def test_rules_that_are_none(sill, tmp_path, text, said):
    err = sill.run("merge", *written(tmp_path, *three()), "-o", tmp_path / "no.sgy", "--on", text, expect=2).err
    assert all(part in " ".join(err.split()) for part in said), err


def test_the_page_tells_every_rule(sill):
    """The table of docs/merge.md and --help have the same matters and rules."""
    page = (segy_files.Path(__file__).parents[3] / "docs/merge.md").read_text()
    help_text = sill.run("merge", "--help").out
    rows = [line.split("|")[1:3] for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) == 17
    for name, rules in rows:
        listed = ", ".join(rule.strip(" `*") for rule in rules.split(","))
        assert f"{name.strip(' `')} " in help_text and f"{listed}:" in help_text, name


def test_an_output_that_is_an_input(sill, tmp_path):
    paths = written(tmp_path, *three())
    before = paths[1].read_bytes()
    assert "also an input" in sill.run("merge", *paths, "-o", paths[1], expect=2).err
    assert paths[1].read_bytes() == before


def test_everything_at_once(sill, tmp_path):
    """A delivery that contradicts itself in most ways: the same bytes for all ranks, threads and policies."""
    first = segy_forms.make(40, 21, additional=1, trailers=1, label=True, seed=1)
    second = segy_forms.make(30, 17, additional=1, trailers=2, order="little", interval_us=4000, seed=2)
    third = segy_forms.make(35, 25, additional=1, code=3, seed=3).put_binary(3205, "i4", 99)
    third.rows[5:9, :] = segy_forms.make(35, 25, additional=1, code=3, seed=3).rows[5:9]
    paths = [*written(tmp_path, first, second, third)]
    (tmp_path / "again.sgy").symlink_to(paths[1])
    rules = "samples=pad,interval=vary,binary=clear,files=keep,duplicates=drop"
    outputs = set()
    for ranks, policy in ((None, "direct,threads=1"), (1, "staged"), (2, "gathered"), (3, "aggregated,align=4K"),
                          (4, "independent"), (2, "direct,threads=5,stage=1K")):  # fmt: skip
        sill.run("merge", *paths, tmp_path / "again.sgy", "-o", tmp_path / "out.sgy", "--on", rules, "--renumber",
                 "--policy", policy, ranks=ranks)  # fmt: skip
        outputs.add((tmp_path / "out.sgy").read_bytes())
    assert len(outputs) == 1
    data = outputs.pop()
    wide = 480 + 25 * 4
    assert len(data) == 128 + 3600 + 105 * wide + 2 * 3200 and data.endswith(second.tail)
    out = segy_files.Segy(
        np.frombuffer(data[128:3728], np.uint8).copy(),
        np.frombuffer(data[3728 : 3728 + 105 * wide], np.uint8).reshape(105, wide).copy(), headers=2,
    )  # fmt: skip
    assert np.array_equal(out.word("tracl"), np.arange(1, 106)) and np.array_equal(out.word("tracr"), np.arange(1, 106))
    assert np.array_equal(out.samples()[:40, :21], first.samples()) and not out.samples()[:40, 21:].any()
    assert np.array_equal(out.samples()[40:70, :17], second.samples())
    assert np.array_equal(out.samples()[70:], third.samples().astype(np.float32))
    assert np.array_equal(out.word("dt"), np.r_[[2000] * 40, [4000] * 30, [2000] * 35])
    assert np.array_equal(out.word("ns"), np.full(105, 25)) and np.array_equal(out.get(240 + 137, "u4"), np.full(105, 25))
    told = [out.binary(*word) for word in ((3205, "i4"), (3221, "u2"), (3269, "u4"), (3513, "u8"), (3529, "i4"))]
    assert told == [0, 25, 25, 105, 2]


@pytest.mark.slow
def test_an_input_that_is_changed_meanwhile(sill, tmp_path, large):
    other = segy_files.make(5, 1_500, seed=9).write(tmp_path / "other.sgy")
    process = sill.start("merge", large[1], other, "-o", tmp_path / "out.sgy", "--on", "duplicates=keep", "--threads", 1)
    try:
        while process.poll() is None and not leftovers(tmp_path):
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGSTOP)
        os.utime(other, ns=(0, 0))
        os.kill(process.pid, signal.SIGCONT)
        err = process.communicate(timeout=TIMEOUT_S)[1].decode()
    finally:
        kill_group(process)
    assert process.returncode == 4 and "was changed while it was read" in err
    assert not (tmp_path / "out.sgy").exists() and leftovers(tmp_path) == []
