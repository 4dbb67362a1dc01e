"""`sill merge`: files into one, against concatenation in numpy; every matter, with its default and each of its rules."""

import json
import os
import signal
import time

import numpy as np
import pytest
import segy_files
import segy_forms
from converting import expected
from program import kill_group, leftovers


def joined(*files: segy_files.Segy) -> segy_files.Segy:
    """All traces behind the first file's header, which tells their number if it told one."""
    other = files[0].copy()
    other.rows = np.concatenate([file.rows for file in files])
    if len(other.head) and other.head[3500] == 2 and other.binary(3513, "u8"):
        other.put_binary(3513, "u8", other.traces)
    return other


def written(folder, *files: segy_files.Segy) -> list:
    return [file.write(folder / f"in{i}.{'sgy' if len(file.head) else 'su'}") for i, file in enumerate(files)]


def merged(sill, folder, *files, on=None, options=(), out="out.sgy", **run) -> bytes:
    rules = ["--on", on] if on else []
    sill.run("merge", *written(folder, *files), "-o", folder / out, *rules, *options, **run)
    return (folder / out).read_bytes()


def refused(sill, folder, *files, on=None, options=(), code=3) -> str:
    """The reason of a refusal that leaves nothing behind."""
    rules = ["--on", on] if on else []
    target = folder / "no.sgy"
    result = sill.run("merge", *written(folder, *files), "-o", target, *rules, *options, expect=code)
    assert not target.exists() and leftovers(folder) == []
    return " ".join(result.err.split())


def three(**options) -> list[segy_files.Segy]:
    return [segy_files.make(n, 13, seed=n, **options) for n in (50, 1, 77)]


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


def test_lengths_that_all_vary(sill, tmp_path):
    files = [segy_files.make(n, 40, seed=n) for n in (20, 30)]
    lengths = [20 + np.arange(20) % 21, 5 + np.arange(30) % 30]
    paths = [tmp_path / "a.sgy", tmp_path / "b.sgy"]
    for path, file, length in zip(paths, files, lengths, strict=True):
        path.write_bytes(segy_forms.varying(file, length))
    sill.run("merge", *paths, "-o", tmp_path / "out.sgy")
    all_lengths = np.concatenate(lengths)
    assert (tmp_path / "out.sgy").read_bytes() == segy_forms.varying(joined(*files), all_lengths)
    third = segy_files.make(9, 40, seed=4)
    sill.run("merge", *paths, third.write(tmp_path / "c.sgy"), "-o", tmp_path / "out.sgy", "--on", "samples=cut")
    cut = joined(*files, third)
    cut.rows = cut.rows[:, : 240 + 4 * 5]
    cut.put_word("ns", 5).put_binary(3221, "u2", 5).put_binary(3503, "i2", 1)
    assert (tmp_path / "out.sgy").read_bytes() == cut.to_bytes()


def test_history_and_standard_output(sill, tmp_path):
    files = three()
    data = merged(sill, tmp_path, *files, options=["--history"])
    text = data[:3200].decode("cp037")
    assert "SILL MERGE 3 FILES" in text[80:160] and data[3200:] == joined(*files).to_bytes()[3200:]
    piped = sill.start("merge", *written(tmp_path, *files), "-o", "-")
    out, err = piped.communicate(timeout=60)
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
    assert "little in" in shown.out and "converted to the first input's" in shown.out and "--renumber" in shown.out
    sill.run("merge", *paths, "-o", tmp_path / "out.sgy", "--report", report)
    told = json.loads(report.read_text())
    assert told["traces_out"] == 133 and told["bytes"] == (tmp_path / "out.sgy").stat().st_size
    assert sill.run("merge", *paths, expect=2).err.count("no output is named") == 1


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
    ("sample=pad", ["'sample' is nothing", "did you mean samples?"]), ("samples=padd", ["no rule", "did you mean pad?"]),
    ("samples", ["no rule is told for samples", "refuse, pad, cut, vary"]), ("samples=pad,samples=cut", ["twice"]),
    ("", ["is nothing that a rule"]), ("units=keep", ["'keep' is no rule for units", "refuse, first"]),
])  # fmt: skip
def test_rules_that_are_none(sill, tmp_path, text, said):
    err = sill.run("merge", *written(tmp_path, *three()), "-o", tmp_path / "no.sgy", "--on", text, expect=2).err
    assert all(part in " ".join(err.split()) for part in said), err


def test_the_page_tells_every_rule(sill):
    """The table of docs/merge.md and --help have the same matters and rules."""
    page = (segy_files.Path(__file__).parents[2] / "docs/merge.md").read_text()
    help_text = sill.run("merge", "--help").out
    rows = [line.split("|")[1:3] for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) == 17
    for name, rules in rows:
        listed = ", ".join(rule.strip(" `*") for rule in rules.split(","))
        assert f"{name.strip(' `')} " in help_text and f"{listed}:" in help_text, name


# Each matter.


def test_files_named_twice(sill, tmp_path):
    a, b = three()[:2]
    paths = written(tmp_path, a, b)
    (tmp_path / "link.sgy").symlink_to(paths[0])
    os.link(paths[0], tmp_path / "hard.sgy")
    for again in (paths[0], tmp_path / "link.sgy", tmp_path / "hard.sgy", tmp_path / "." / "in0.sgy"):
        said = sill.run("merge", *paths, again, "-o", tmp_path / "no.sgy", expect=3).err
        assert "contradict each other in files" in said and "files=drop or files=keep" in " ".join(said.split())
        sill.run("merge", *paths, again, "-o", tmp_path / "out.sgy", "--on", "files=drop")
        assert (tmp_path / "out.sgy").read_bytes() == joined(a, b).to_bytes()
        sill.run("merge", *paths, again, "-o", tmp_path / "out.sgy", "--on", "files=keep,duplicates=keep")
        assert (tmp_path / "out.sgy").read_bytes() == joined(a, b, a).to_bytes()
    assert "duplicates" in sill.run("merge", paths[0], paths[0], "--dry-run", "--on", "files=keep", expect=3).err


@pytest.mark.parametrize("order", ["big", "little"])
def test_kind(sill, tmp_path, order):
    a, b = segy_files.make(20, 13), segy_forms.make_su(30, 13, order=order, seed=2)
    assert "kind (Seismic Unix in" in refused(sill, tmp_path, a, b)
    assert "kind (SEG-Y in" in refused(sill, tmp_path, b, a)
    made = segy_files.make(30, 13, seed=2)
    made.rows[:, 180:240] = 0
    assert merged(sill, tmp_path, a, b, on="kind=convert") == joined(a, made).to_bytes()
    bare = expected(a, order=order)
    bare.rows[:, 180:240] = 0
    assert merged(sill, tmp_path, b, a, on="kind=convert", out="out.su") == joined(b, bare).to_bytes()


def test_domain(sill, tmp_path):
    a, b = segy_forms.make_su(20, 13), segy_forms.make_su(30, 13, seed=2).put_word("trid", 130)
    assert "domain (depth in" in refused(sill, tmp_path, a, b)
    assert merged(sill, tmp_path, a, b, on="domain=keep") == joined(a, b).to_bytes()


@pytest.mark.parametrize("orders", [("big", "little"), ("little", "big"), ("pairwise", "big"), ("big", "pairwise")])
def test_byte_order(sill, tmp_path, orders):
    a, b = (segy_files.make(n, 13, order=order, seed=n) for n, order in zip((20, 30), orders, strict=True))
    assert merged(sill, tmp_path, a, b) == joined(a, expected(b, order=orders[0])).to_bytes()
    assert merged(sill, tmp_path, a, b, on="byte_order=convert") == joined(a, expected(b, order=orders[0])).to_bytes()
    assert f"byte_order ({orders[1]} in" in refused(sill, tmp_path, a, b, on="byte_order=refuse")


def test_format(sill, tmp_path):
    a, b = segy_files.make(20, 13), segy_files.make(30, 13, code=3, seed=2)
    exact = joined(a, expected(b, code=5, samples=b.samples())).to_bytes()
    assert merged(sill, tmp_path, a, b) == merged(sill, tmp_path, a, b, on="format=exact") == exact
    assert "format (" in refused(sill, tmp_path, a, b, on="format=refuse")
    said = refused(sill, tmp_path, b, a)
    assert "have no exact value in the format of the first input" in said and "format=round" in said
    rounded = expected(a, code=3, samples=np.rint(a.samples().astype(np.float64)))
    assert merged(sill, tmp_path, b, a, on="format=round") == joined(b, rounded).to_bytes()
    a.put_samples(a.samples() * 1000)
    assert "trace" in refused(sill, tmp_path, b, a, on="format=round")


def test_revision(sill, tmp_path):
    a, b = segy_files.make(20, 13), segy_forms.make(30, 13, seed=2)
    assert merged(sill, tmp_path, a, b) == joined(a, b).to_bytes()
    assert merged(sill, tmp_path, b, a, on="revision=first") == joined(b, a).to_bytes()
    assert "revision (2.1 in" in refused(sill, tmp_path, a, b, on="revision=refuse")


def test_interval(sill, tmp_path):
    a, b = segy_files.make(20, 13), segy_files.make(30, 13, interval_us=4000, seed=2)
    b.put_word("dt", 0)
    b.put_binary(3219, "u2", 2000)
    assert "interval (4000 us in" in refused(sill, tmp_path, a, b)
    own, firsts = b.copy().put_word("dt", 4000), b.copy().put_word("dt", 2000)
    assert merged(sill, tmp_path, a, b, on="interval=vary") == joined(a, own).to_bytes()
    assert merged(sill, tmp_path, a, b, on="interval=first") == joined(a, firsts).to_bytes()
    fine = segy_forms.make(5, 13, interval_us=0.5)
    assert "cannot be told by trace headers" in refused(sill, tmp_path, a, fine, on="interval=vary")
    su = [segy_forms.make_su(9, 13), segy_forms.make_su(9, 13, interval_us=4000, seed=2)]
    assert merged(sill, tmp_path, *su, on="interval=vary") == joined(*su).to_bytes()
    far = [segy_forms.make(9, 13, additional=1), segy_forms.make(9, 13, additional=1, interval_us=4000, seed=2)]
    far[1].put_binary(3219, "u2", 2000)
    told = joined(far[0], far[1].copy().put(240 + 145, "f8", 4000.0))
    assert merged(sill, tmp_path, *far, on="interval=vary") == told.to_bytes()


@pytest.mark.parametrize("order", ["big", "little"])
def test_samples(sill, tmp_path, order):
    a, b = segy_files.make(20, 13, order=order), segy_files.make(30, 20, code=3, seed=2)
    as_a = expected(b, code=5, order=order, samples=b.samples())
    assert "samples (20 in" in refused(sill, tmp_path, a, b)
    padded = a.copy()
    padded.rows = np.pad(a.rows, ((0, 0), (0, 28)))
    padded.put_word("ns", 20).put_binary(3221, "u2", 20)
    assert merged(sill, tmp_path, a, b, on="samples=pad") == joined(padded, as_a).to_bytes()
    cut = as_a.copy()
    cut.rows = as_a.rows[:, : 240 + 13 * 4].copy()
    cut.put_word("ns", 13)
    assert merged(sill, tmp_path, a, b, on="samples=cut") == joined(a, cut).to_bytes()
    vary = a.copy().put_binary(3503, "i2", 0).head.tobytes() + a.rows.tobytes() + as_a.rows.tobytes()
    assert merged(sill, tmp_path, a, b, on="samples=vary") == vary
    told = json.loads(sill.run("info", tmp_path / "out.sgy", "--json").out)
    assert "vary" in json.dumps(told)


def test_lengths_that_traces_leave_to_the_file_header(sill, tmp_path):
    a, b = segy_files.make(20, 13).put_word("ns", 0), segy_files.make(30, 20, seed=2).put_word("ns", 0)
    vary = a.copy().put_binary(3503, "i2", 0).head.tobytes() + a.rows.tobytes()
    assert merged(sill, tmp_path, a, b, on="samples=vary") == vary + b.copy().put_word("ns", 20).rows.tobytes()


def test_lengths_that_the_first_form_cannot_hold(sill, tmp_path):
    a, b = segy_files.make(20, 13, revision=(0, 0)), segy_files.make(30, 20, seed=2)
    assert "convert that first" in refused(sill, tmp_path, a, b, on="samples=vary", code=2)
    su = [segy_forms.make_su(20, n, seed=n) for n in (13, 20)]
    assert "convert that first" in refused(sill, tmp_path, *su, on="samples=vary", code=2)
    padded = su[0].copy()
    padded.rows = np.pad(su[0].rows, ((0, 0), (0, 28)))
    assert merged(sill, tmp_path, *su, on="samples=pad") == joined(padded.put_word("ns", 20), su[1]).to_bytes()


def test_long_traces_of_revision_2(sill, tmp_path):
    a, b = segy_forms.make(3, 13, told=False), segy_forms.make(2, 70_000, seed=2)
    a.put_binary(3223, "u2", 65535)
    padded = a.copy()
    padded.rows = np.pad(a.rows, ((0, 0), (0, 4 * (70_000 - 13))))
    padded.put_word("ns", 0).put_binary(3269, "u4", 70_000)
    said = refused(sill, tmp_path, a, b, on="samples=pad")
    assert "bytes 115-116" in said
    assert merged(sill, tmp_path, a.put_word("ns", 0), b, on="samples=pad") == joined(padded, b).to_bytes()


def test_units(sill, tmp_path):
    a, b, c = three()
    b.put_binary(3255, "i2", 2)
    assert "units (feet in" in refused(sill, tmp_path, a, b, c)
    assert merged(sill, tmp_path, a, b, c, on="units=first") == joined(a, b, c).to_bytes()
    b.put_binary(3255, "i2", 0)
    result = sill.run("merge", *written(tmp_path, a, b, c), "-o", tmp_path / "out.sgy")
    assert "nothing is told in" in result.out and (tmp_path / "out.sgy").read_bytes() == joined(a, b, c).to_bytes()


def test_coordinates(sill, tmp_path):
    a, b, c = three()
    b.put_word("counit", 2)
    assert "coordinates (seconds of arc in" in refused(sill, tmp_path, a, b, c)
    assert merged(sill, tmp_path, a, b, c, on="coordinates=keep") == joined(a, b, c).to_bytes()


def test_sorting(sill, tmp_path):
    a, b, c = three()
    b.put_binary(3229, "i2", 4)
    assert merged(sill, tmp_path, a, b, c) == joined(a, b, c).with_sorting_code(0).to_bytes()
    assert merged(sill, tmp_path, a, b, c, on="sorting=clear") == joined(a, b, c).with_sorting_code(0).to_bytes()
    assert merged(sill, tmp_path, a, b, c, on="sorting=first") == joined(a, b, c).to_bytes()
    assert "sorting (4 in" in refused(sill, tmp_path, a, b, c, on="sorting=refuse")


@pytest.mark.parametrize("code, word, stays", [(2, "cdp", True), (5, "fldr", True), (7, "offset", False)])
def test_a_sorting_code_that_all_have(sill, tmp_path, code, word, stays):
    files = [file.with_sorting_code(code) for file in three()]
    for n, file in enumerate(files):
        file.put_word(word, 1000 * n + np.arange(file.traces))
    whole = joined(*files)
    assert merged(sill, tmp_path, *files) == (whole if stays else whole.with_sorting_code(0)).to_bytes()
    files[2].put_word(word, 1000 + np.arange(77))  # what the second has, too
    whole = joined(*files)
    for ranks in (None, 2):
        assert merged(sill, tmp_path, *files, ranks=ranks) == whole.with_sorting_code(0).to_bytes()
    assert merged(sill, tmp_path, *files, on="sorting=first") == whole.to_bytes()
    assert f"sorting ({code} in all" in refused(sill, tmp_path, *files, on="sorting=refuse")


def test_binary(sill, tmp_path):
    a, b, c = three()
    b.put_binary(3205, "i4", 8)
    c = expected(c, order="little").put_binary(3213, "i2", 24)
    c.head[3400] = 7
    as_a = expected(c, order="big")
    assert merged(sill, tmp_path, a, b, c) == merged(sill, tmp_path, a, b, c, on="binary=first")
    assert (tmp_path / "out.sgy").read_bytes() == joined(a, b, as_a).to_bytes()
    cleared = joined(a, b, as_a).put_binary(3205, "i4", 0).put_binary(3213, "i2", 0)
    assert merged(sill, tmp_path, a, b, c, on="binary=clear") == cleared.to_bytes()
    said = refused(sill, tmp_path, a, b, c, on="binary=refuse")
    assert "binary (" in said and "(3205-3208) 8 instead of 7" in said and "and 1 more" in said


def test_text(sill, tmp_path):
    a, b, c = three(text="ASCII")
    same = segy_files.make(9, 13, seed=4)  # the same lines in EBCDIC
    assert "another" not in sill.run("merge", *written(tmp_path, a, same), "--dry-run").out
    c.head[100:105] = np.frombuffer(b"OTHER", np.uint8)
    assert merged(sill, tmp_path, a, b, c) == merged(sill, tmp_path, a, b, c, on="text=first")
    assert (tmp_path / "out.sgy").read_bytes() == joined(a, b, c).to_bytes()
    assert "text (another in" in refused(sill, tmp_path, a, b, c, on="text=refuse")


def test_extended(sill, tmp_path):
    a, b, c = segy_files.make(9, 13), segy_files.make(8, 13, seed=2, extended=1), segy_files.make(7, 13, seed=3)
    assert "extended (others in" in refused(sill, tmp_path, a, b, c)
    assert merged(sill, tmp_path, a, b, c, on="extended=first") == joined(a, b, c).to_bytes()
    assert merged(sill, tmp_path, b, a, c) == joined(b, a, c).to_bytes()  # nothing that the first has not


def test_trailers(sill, tmp_path):
    a, b, c = (segy_forms.make(n, 13, seed=n, trailers=t) for n, t in ((9, 1), (8, 3), (7, 2)))
    kept = joined(a, b, c).put_binary(3529, "i4", 3)
    kept.tail = b.tail  # its first is the first input's, and it has those of the third
    assert merged(sill, tmp_path, a, b, c) == merged(sill, tmp_path, a, b, c, on="trailers=keep") == kept.to_bytes()
    assert merged(sill, tmp_path, a, b, c, on="trailers=first") == joined(a, b, c).to_bytes()
    assert "trailers (others in" in refused(sill, tmp_path, a, b, c, on="trailers=refuse")
    old = segy_files.make(9, 13)
    said = refused(sill, tmp_path, old, b)
    assert "trailers (" in said and "has no place for them" in said
    assert merged(sill, tmp_path, old, b, on="trailers=first") == joined(old, b).to_bytes()


@pytest.mark.parametrize("ranks", [None, 2, 3])
def test_duplicates(sill, tmp_path, ranks):
    a, b, c = three()
    c.rows[40:45] = a.rows[10:15]
    c.put_word("tracl", np.arange(77)).put_word("tracr", np.arange(77)).put_word("cdpt", 5)  # numbers do not count
    c.rows[60] = c.rows[61]  # the input's own affair
    a.rows[20] = a.rows[10]
    c.rows[50] = a.rows[30]
    c.rows[50, 280] ^= 1  # the same header, another sample
    if ranks is None:
        said = refused(sill, tmp_path, a, b, c)
        assert "duplicates (5 traces; the first is trace 41 of" in said and "which is trace 11 of" in said
    kept = np.r_[0:40, 45:77]
    assert merged(sill, tmp_path, a, b, c, on="duplicates=drop", ranks=ranks) == joined(a, b, c.permuted(kept)).to_bytes()
    assert merged(sill, tmp_path, a, b, c, on="duplicates=keep", ranks=ranks) == joined(a, b, c).to_bytes()


def test_all_of_an_input_is_dropped(sill, tmp_path):
    a, b, c = three()
    copy = expected(a, order="little")
    paths = written(tmp_path, a, copy, b, c, b)
    sill.run("merge", *paths, "-o", tmp_path / "out.sgy", "--on", "duplicates=drop", "--report", tmp_path / "r.json")
    assert (tmp_path / "out.sgy").read_bytes() == joined(a, b, c).to_bytes()
    assert json.loads((tmp_path / "r.json").read_text())["dropped"] == 51


def test_numbers(sill, tmp_path):
    a, b, c = three()
    said = sill.run("merge", *written(tmp_path, a, b, c), "-o", tmp_path / "out.sgy").out
    assert "numbers" in said and "1 after 50" in said and "and 1 more" in said
    assert "numbers (1 after 50 in" in refused(sill, tmp_path, a, b, c, on="numbers=refuse")
    assert merged(sill, tmp_path, a, b, c, on="numbers=keep") == joined(a, b, c).to_bytes()
    merged(sill, tmp_path, a, b, c, on="numbers=refuse", options=["--renumber"])
    b.put_word("tracr", 51)
    c.put_word("tracr", 52 + np.arange(77))
    assert merged(sill, tmp_path, a, b, c, on="numbers=refuse") == joined(a, b, c).to_bytes()


def test_additional_headers_and_layouts_are_always_refused(sill, tmp_path):
    a, b = segy_forms.make(9, 13), segy_forms.make(8, 13, additional=1, seed=2)
    said = refused(sill, tmp_path, a, b)
    assert "traces have 1 additional headers here, but 0 in" in said and "there is no rule" in said


def test_an_output_that_is_an_input(sill, tmp_path):
    paths = written(tmp_path, *three())
    before = paths[1].read_bytes()
    assert "also an input" in sill.run("merge", *paths, "-o", paths[1], expect=2).err
    assert paths[1].read_bytes() == before


def test_a_sample_that_cannot_be_converted_is_told_with_its_trace(sill, tmp_path):
    a, b = segy_files.make(20, 13, code=3), segy_files.make(30, 13, seed=2)
    samples = np.rint(b.samples() / 100)
    samples[17, 3] = np.nan
    b.put_samples(samples)
    for ranks in (None, 3):
        paths = written(tmp_path, a, b)
        said = sill.run("merge", *paths, "-o", tmp_path / "no.sgy", "--on", "duplicates=keep", ranks=ranks, expect=3).err
        assert "in1.sgy" in said and "trace:  18" in said
    assert leftovers(tmp_path) == []


def test_bytes_that_no_word_names_are_told(sill, tmp_path):
    a, b = segy_files.make(20, 13), segy_files.make(30, 13, seed=2, order="little").put(237, "i4", 0x01020304)
    assert "bytes 237-240 of the trace headers" in sill.run("merge", *written(tmp_path, a, b), "-o", tmp_path / "o").err
    as_a = expected(b, order="big").put(237, "i4", 0x04030201)
    assert (tmp_path / "o").read_bytes() == joined(a, as_a).to_bytes()


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
        err = process.communicate(timeout=60)[1].decode()
    finally:
        kill_group(process)
    assert process.returncode == 4 and "was changed while it was read" in err
    assert not (tmp_path / "out.sgy").exists() and leftovers(tmp_path) == []
