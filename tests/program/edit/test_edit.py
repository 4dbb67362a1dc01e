"""`sill edit`: header words, in place or into a new file."""

import json
import re

import numpy as np
import pytest
import segy_files
import segy_forms
from editing import RANKS, edit, nothing_left, numbered, trace_in


# Words ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("into", ["in place", "new"])
def test_words_are_set_from_the_values_before(sill, tmp_path, ranks, into):
    file = segy_files.make(103, 7)
    path = file.write(tmp_path / "in.sgy")
    wanted = file.copy()
    chosen = np.arange(103) >= 9
    for name, values in [
        ("sx", np.where(chosen, file.word("gx"), file.word("sx"))),
        ("gx", np.where(chosen, file.word("sx"), file.word("gx"))),
        ("cdp", np.where(chosen, np.arange(1, 104) * 2 + file.word("cdp"), file.word("cdp"))),
    ]:  # fmt: skip
        wanted.put_word(name, values)
    target = path if into == "in place" else tmp_path / "out.sgy"
    output = [] if into == "in place" else ["-o", target]
    done = edit(sill, path, *output, "--set", "sx=gx, gx=sx", "--set", "cdp = trace*2 + cdp", "--where", "trace>=10",
                ranks=ranks)  # fmt: skip
    assert target.read_bytes() == wanted.to_bytes()
    assert "94 of 103 traces selected, 94 changed" in done.out
    if into == "new":
        assert path.read_bytes() == file.to_bytes()
    assert nothing_left(tmp_path)


@pytest.mark.parametrize("policy", ["staged", "elected", "collective", "independent"])
def test_policies(sill, tmp_path, policy):
    file = segy_files.make(40, 5)
    wanted = file.copy().put_word("cdp", np.arange(40) + 8).to_bytes()
    path = file.write(tmp_path / "in.sgy")
    out = tmp_path / "out.sgy"
    words = ["--set", "cdp=trace+7", "--policy", policy]
    edit(sill, path, "-o", out, *words, ranks=3)
    assert out.read_bytes() == wanted
    edit(sill, path, *words, ranks=3)
    assert path.read_bytes() == wanted
    edit(sill, path, "-o", out, "--renumber", "--policy", policy, ranks=3)
    assert out.read_bytes() == numbered(segy_files.parse(wanted)).to_bytes()


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
def test_byte_orders_and_types(sill, tmp_path, order):
    file = segy_forms.make(20, 5, order=order)
    path = file.write(tmp_path / "in.sgy")
    n = np.arange(1, 21)
    wanted = file.copy()
    wanted.put(201, "i2", n - 5).put(205, "f4", n / 4).put(209, "ibm4", n * 3)
    edit(sill, path, "--set", "@201:i2=trace-5,@205:f4=trace/4,@209:ibm4=trace*3")
    assert path.read_bytes() == wanted.to_bytes()


def test_text_words(sill, tmp_path):
    file = segy_files.make(4, 5)
    path = file.write(tmp_path / "in.sgy")
    edit(sill, path, "--set", "@233:a8='LINE7'")
    assert all(row[232:240].tobytes() == b"LINE7   " for row in segy_files.read(path).rows)


def test_only_touched_bytes_are_written(sill, tmp_path):
    """Of traces of 16 KiB and more; of shorter ones whole windows are."""
    file = segy_files.make(50, 5000)
    file.put_word("cdp", np.where(np.arange(50) % 2, 7, 3))
    path = file.write(tmp_path / "in.sgy")
    report = tmp_path / "r.json"
    edit(sill, path, "--set", "cdp=7", "--report", report)
    told = json.loads(report.read_text())
    assert told["changed"] == 25
    assert told["bytes_changed"] == 25 * 4
    # The journal: a table of one segment (and two of texts), 16 bytes and both values for each change.
    assert told["bytes_written"] - told["bytes_changed"] == 64 + 24 * 3 + 8 + 25 * (16 + 8)
    file.put_word("cdp", 7)
    assert path.read_bytes() == file.to_bytes()


def test_nothing_is_written_where_nothing_changes(sill, tmp_path):
    path = segy_files.make(5, 5).write(tmp_path / "in.sgy")
    before = path.stat().st_mtime_ns
    edit(sill, path, "--set", "cdp=cdp")
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["--set", "cdp=1.5"], "round"),
        (["--set", "trid=40000"], "trid"),
        (["--set", "cdp=offset/3"], "round"),
        (["--set", "scalco=scalco*1000"], "scalco"),
        (["--set", "sx=round(0/0)"], "error: NaN is not a 64-bit integer"),
    ],
)
@pytest.mark.parametrize("ranks", [None, 3])
def test_values_that_words_cannot_hold(sill, tmp_path, arguments, told, ranks):
    file = segy_files.make(12, 5)
    file.put_word("offset", np.where(np.arange(12) == 7, 1, 3))
    path = file.write(tmp_path / "in.sgy")
    refused = edit(sill, path, *arguments, ranks=ranks, expect=3)
    assert told in re.sub(r"line: +", "line ", refused.err)
    assert ("8" if "offset" in arguments[1] else "1") == trace_in(refused.err)
    assert path.read_bytes() == file.to_bytes()
    assert nothing_left(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--set", "cdp"], ["--set", "cdp==1"], ["--renumber", "--where", "trace>1"], ["--set", "nix=1"],
        ["--set", "cdp=1,cdp=2"], ["--set", "cdp=cdp>1"],
        ["--set", "cdp='A'"], ["--set", "@21:i4=1,@23:i2=2"], ["--set", "cdp=1 2"], ["--set", "cdp=1,"],
        ["--set", "@233:a8=1"], ["--set", "cdp=1", "--where", "cdp"], ["--set", "scalco=1", "--rescale",
        "coordinates=10"], [], ["--set", "tracl=1", "--renumber"], ["--rescale", "coordinates=7"],
        ["--rescale", "times=10"], ["--from", "x.csv"], ["--recover", "--set", "cdp=1"],
    ],
)  # fmt: skip
def test_wrong_orders(sill, small, arguments):
    file, path = small
    edit(sill, path, *arguments, expect=2)
    assert path.read_bytes() == file.to_bytes()


def test_several_files_are_one_survey(sill, tmp_path):
    first = segy_files.make(10, 5, seed=1)
    second = segy_files.make(7, 5, seed=2)
    paths = [first.write(tmp_path / "a.sgy"), second.write(tmp_path / "b.sgy")]
    sill.run("edit", *paths, "--set", "cdp=trace*10+file", ranks=3)
    first.put_word("cdp", np.arange(1, 11) * 10 + 1)
    second.put_word("cdp", np.arange(11, 18) * 10 + 2)
    assert [path.read_bytes() for path in paths] == [first.to_bytes(), second.to_bytes()]
    sill.run("edit", *paths, "-o", tmp_path / "c.sgy", "--set", "cdp=1", expect=2)
    sill.run("edit", paths[0], paths[0], "--set", "cdp=1", expect=2)


@pytest.mark.parametrize("form", ["su", "additional", "varying", "label"])
@pytest.mark.parametrize("ranks", [None, 3])
def test_other_forms(sill, tmp_path, form, ranks):
    if form == "varying":
        file = segy_files.make(30, 12)
        lengths = [3 + i % 9 for i in range(30)]
        data = segy_forms.varying(file.copy(), lengths)
        path = tmp_path / "in.sgy"
        path.write_bytes(data)
        file.put_word("cdp", np.arange(1, 31) * 3)
        wanted = segy_forms.varying(file, lengths)
        sill.run("index", path)
    else:
        if form == "su":
            file = segy_forms.make_su(30, 8)
        elif form == "additional":
            file = segy_forms.make(30, 8, additional=1)
        else:
            file = segy_forms.make(30, 8, label=True)
        path = file.write(tmp_path / f"in.{'su' if form == 'su' else 'sgy'}")
        file.put_word("cdp", np.arange(1, 31) * 3)
        if form == "additional":
            file.put(240 + 25, "i8", np.arange(1, 31) * 3)  # what readers take
        wanted = file.to_bytes()
    out = path.with_stem("out")
    edit(sill, path, "-o", out, "--set", "cdp=trace*3", ranks=ranks)
    assert out.read_bytes() == wanted
    edit(sill, path, "--set", "cdp=trace*3", ranks=ranks)
    assert path.read_bytes() == wanted
    if form == "varying":
        # The index that was kept still fits: not stated about it.
        assert "does not fit" not in sill.run("scan", path, "--keys", "cdp").text


def test_words_of_a_map(sill, tmp_path):
    file = segy_files.make(6, 5)
    path = file.write(tmp_path / "in.sgy")
    edit(sill, path, "--map", "petrel", "--set", "iline=trace+100")
    file.put(5, "i4", np.arange(101, 107))
    assert path.read_bytes() == file.to_bytes()


# What tells how the file is read --------------------------------------------------------------------------------------


@pytest.mark.parametrize("into", [[], ["-o"]])
def test_the_number_of_samples_stays_true(sill, tmp_path, into):
    file = segy_files.make(8, 6)
    path = file.write(tmp_path / "in.sgy")
    output = [*into, tmp_path / "out.sgy"] if into else []
    refused = edit(sill, path, *output, "--set", "ns=5", "--where", "trace==3", expect=3)
    assert trace_in(refused.err) == "3" and "has 6" in refused.err
    assert path.read_bytes() == file.to_bytes()
    wrong = file.copy().put_word("ns", 0)
    wrong.write(path)
    edit(sill, path, *output, "--set", "ns=6")
    assert (output[1] if output else path).read_bytes() == file.to_bytes()


def test_names_of_headers_stay(sill, tmp_path):
    file = segy_forms.make(8, 6, additional=1)
    path = file.write(tmp_path / "in.sgy")
    edit(sill, path, "--set", "@473:a8='SEG00009'", expect=3)
    assert path.read_bytes() == file.to_bytes()


# Dry runs -------------------------------------------------------------------------------------------------------------


def test_a_dry_run_for_standard_output_writes_nothing_there_but_what_it_shows(sill, tmp_path):
    path = segy_files.make(20, 7).write(tmp_path / "in.sgy")
    shown = sill.run("edit", path, "-o", "-", "--set", "sx=sx+100", "--dry-run")
    assert "sx" in shown.out and len(shown.out) < 5_000


@pytest.mark.parametrize("ranks", RANKS)
def test_a_dry_run_shows_five_traces(sill, tmp_path, ranks):
    file = segy_files.make(40, 5)
    file.put_word("sx", np.arange(40) * 100)
    path = file.write(tmp_path / "in.sgy")
    path.chmod(0o444)
    before = path.stat()
    done = edit(sill, path, "--set", "sx=sx+100", "--where", "trace>=10", "--dry-run", ranks=ranks)
    assert re.findall(r"^trace (\d+)", done.out, re.M) == ["10", "11", "12", "13", "14"]
    assert "sx: 900 -> 1000 (true value 9 -> 10)" in done.out
    assert "31 of 40 traces selected, 31 would change" in done.out
    after = path.stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)
    assert path.read_bytes() == file.to_bytes()
    assert nothing_left(tmp_path)


# Scalars --------------------------------------------------------------------------------------------------------------


def test_a_scalar_alone_is_shown_with_true_values(sill, tmp_path):
    file = segy_files.make(9, 5)
    file.put_word("sx", 4300).put_word("scalco", -100)
    path = file.write(tmp_path / "in.sgy")
    done = edit(sill, path, "--set", "scalco=-10")
    assert "scalco: -100 -> -10" in done.out
    assert "true(sx): 43 -> 430" in done.out
    assert len(re.findall(r"^trace", done.out, re.M)) == 5
    file.put_word("scalco", -10)
    assert path.read_bytes() == file.to_bytes()


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("how", ["edit", "flow"])
def test_true_values_are_set_by_the_scalar_of_each_trace(sill, tmp_path, how, ranks):
    file = segy_files.make(9, 5)
    file.put_word("tracl", np.arange(1, 10)).put_word("scalco", np.tile([-100, 0, 10], 3))
    path, target = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    if how == "flow":
        sill.run("flow", path, "-o", target, "--do", "header true(sx)='tracl*10'", ranks=ranks)
    else:
        edit(sill, path, "-o", target, "--set", "true(sx)=tracl*10", ranks=ranks)
    file.put_word("sx", np.arange(1, 10) * np.tile([1000, 10, 1], 3))
    assert target.read_bytes()[3200:] == file.to_bytes()[3200:]


def test_small_true_values_are_not_rounded_to_zero(sill, tmp_path):
    file = segy_forms.make(3, 8).put(209, "i2", -9)
    path = file.write(tmp_path / "in.sgy")
    edit(sill, path, "--set", "true(@205:i4)=1.2e-7")
    assert path.read_bytes() == file.put(205, "i4", 120).to_bytes()
    refused = edit(sill, path, "--set", "true(@205:i4)=1.2e-10", expect=3).err
    assert "with its scalar the word stores 0" in refused


def test_true_values_from_a_table(sill, tmp_path):
    file = segy_files.make(3, 5)
    path, csv = file.put_word("cdp", np.arange(3)).put_word("scalco", 1).write(tmp_path / "in.sgy"), tmp_path / "nav.csv"
    csv.write_text("cdp,x\n" + "".join(f"{cdp},431000.{i}5\n" for i, cdp in enumerate(file.word("cdp"))))
    match = ["--from", csv, "--match", "cdp"]
    assert "write true(sx)=x if" in edit(sill, path, *match, "--set", "sx=x", expect=3).err
    refused = edit(sill, path, *match, "--set", "true(sx)=x", expect=3).err
    assert "true(sx) is 431000.05, but with its scalar the word stores 431000" in refused and "scalco=-100" in refused
    done = edit(sill, path, *match, "--set", "true(sx)=x,scalco=-100").out
    assert "(true value " in done and "431000.05)" in done
    file.put_word("scalco", -100).put_word("sx", 43100005 + 10 * np.arange(3))
    assert path.read_bytes() == file.to_bytes()


@pytest.mark.parametrize("ranks", RANKS)
def test_rescaling_keeps_true_values(sill, tmp_path, ranks):
    file = segy_files.make(30, 5)
    names = ["sx", "sy", "gx", "gy", "cdpx", "cdpy"]
    for i, name in enumerate(names):
        file.put_word(name, (np.arange(30) - 7) * 10 * (i + 1))
    file.put_word("scalco", np.where(np.arange(30) % 3 == 0, 0, np.where(np.arange(30) % 3 == 1, 10, -10)))
    path = file.write(tmp_path / "in.sgy")
    factor = np.where(np.arange(30) % 3 == 0, 100, np.where(np.arange(30) % 3 == 1, 1000, 10))
    for name in names:
        file.put_word(name, file.word(name).astype(np.int64) * factor)
    file.put_word("scalco", -100)
    edit(sill, path, "--rescale", "coordinates=-100", ranks=ranks)
    assert path.read_bytes() == file.to_bytes()


def test_rescaling_elevations(sill, tmp_path):
    file = segy_files.make(5, 5)
    names = ["gelev", "selev", "sdepth", "gdel", "sdel", "swdep", "gwdep"]
    for i, name in enumerate(names):
        file.put_word(name, 3 * i - 5)
    path = file.write(tmp_path / "in.sgy")
    edit(sill, path, "--rescale", "elevations=-10")
    for i, name in enumerate(names):
        file.put_word(name, (3 * i - 5) * 10)
    file.put_word("scalel", -10)
    assert path.read_bytes() == file.to_bytes()


@pytest.mark.parametrize(
    "stored, scalar, wanted, why",
    [(12345, -100, "coordinates=-10", "digits"), (2**31 - 5, 1, "coordinates=-10", "fit")],
)
def test_rescaling_refuses_what_would_be_lost(sill, tmp_path, stored, scalar, wanted, why):
    file = segy_files.make(9, 5)
    for name in ["sx", "sy", "gx", "gy", "cdpx", "cdpy"]:
        file.put_word(name, 100)
    file.put_word("scalco", scalar).put_word("gy", np.where(np.arange(9) == 4, stored, 100))
    path = file.write(tmp_path / "in.sgy")
    refused = edit(sill, path, "--rescale", wanted, ranks=2, expect=3)
    assert trace_in(refused.err) == "5" and "gy" in refused.err and why in refused.err
    assert path.read_bytes() == file.to_bytes()


def test_a_file_with_padding_into_a_new_one(sill, tmp_path):
    file = segy_files.make(12, 6)
    path = tmp_path / "padded.sgy"
    path.write_bytes(file.to_bytes() + bytes(250))
    sill.run("edit", path, "-o", tmp_path / "out.sgy", "--set", "cdp=5")
    assert (tmp_path / "out.sgy").read_bytes() == file.put_word("cdp", 5).to_bytes()


def test_options_that_would_do_nothing(sill, tmp_path):
    path = segy_files.make(4, 6).write(tmp_path / "f.sgy")
    before = path.read_bytes()
    sill.run("edit", path, "--history", "--where", "cdp == 1", expect=2)
    sill.run("edit", path, "--set", "cdp=1", "--missing", "keep", expect=2)
    (tmp_path / "nav.csv").write_text("fldr,X,x\n100,1,2\n")
    options = ["--from", tmp_path / "nav.csv", "--match", "fldr", "--set", "sx=column(x)"]
    assert "two columns" in sill.run("edit", path, *options, expect=3).err
    assert path.read_bytes() == before


def test_recover_takes_no_reading(sill, tmp_path):
    path = segy_files.make(3, 4).write(tmp_path / "f.sgy")
    for options in (["--map", "petrel"], ["--assume", "samples=4"]):
        assert "--recover" in sill.run("edit", path, "--recover", *options, expect=2).reason


def test_renumbering_some_traces_is_refused_for_what_it_is(sill, tmp_path):
    path = segy_files.make(3, 4).write(tmp_path / "f.sgy")
    assert "no edit of traces is given" not in sill.run("edit", path, "--renumber", "--where", "trace > 1", expect=2).reason


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("into", ["in place", "new"])
def test_words_are_written_in_few_requests(sill, tmp_path, ranks, into):
    """20,000 headers of 244 bytes: windows of up to 1 MiB, not a request a word."""
    file = segy_files.make(20_000, 1, code=1)
    path = file.write(tmp_path / "in.sgy")
    target = path if into == "in place" else tmp_path / "out.sgy"
    output = [] if into == "in place" else ["-o", target]
    report = tmp_path / "report.json"
    edit(sill, path, *output, "--renumber", "--report", report, ranks=ranks)
    assert target.read_bytes() == numbered(file).to_bytes()
    told = json.loads(report.read_text())
    assert told["requests_written"] < 60
    assert told["requests_read"] < 150


@pytest.mark.parametrize("ranks", [None, 2])
def test_one_ensemble_over_all_ranks(sill, tmp_path, ranks):
    file = segy_files.make(5000, 1, code=1).put_word("cdp", 7)
    path = file.write(tmp_path / "in.sgy")
    edit(sill, path, "-o", tmp_path / "out.sgy", "--renumber", ranks=ranks)
    assert (tmp_path / "out.sgy").read_bytes() == numbered(file).to_bytes()
    edit(sill, path, "--renumber", ranks=ranks)
    assert path.read_bytes() == numbered(file).to_bytes()


@pytest.mark.parametrize("how", ["edit", "flow", "in place"])
def test_words_of_extension_1_are_set_with_those_that_they_stand_for(sill, tmp_path, how):
    """What counts where a word of extension 1 is not 0 is that word: readers take it."""
    file = segy_forms.make(30, 8, additional=1)
    file.put(71, "i2", -100).put(240 + 129, "f8", np.where(np.arange(30) < 20, 12.5, 0.0))
    path, target = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    if how == "flow":
        sill.run("flow", path, "-o", target, "--do", "header offset=77 sx=4000050")
    elif how == "edit":
        sill.run("edit", path, "-o", target, "--set", "offset=77,sx=4000050")
    else:
        sill.run("edit", path, "--set", "offset=77,sx=4000050")
        target = path
    made = file.copy()
    made.rows = np.frombuffer(target.read_bytes()[file.first_trace_byte :], np.uint8).reshape(30, -1)
    np.testing.assert_array_equal(made.get(37, "i4"), 77)
    np.testing.assert_array_equal(made.get(240 + 129, "f8"), np.where(np.arange(30) < 20, 77.0, 0.0))
    sx = [byte for byte in range(41, 137, 8) if (made.get(240 + byte, "f8") == 40000.5).all()]
    assert len(sx) == 1
    told = sill.run("scan", target, "--keys", "true(offset),true(sx)").out
    assert "77" in told and "40000.5" in told


@pytest.mark.parametrize("assignments", ["sx=500,scalco=-10", "scalco=-10,sx=500", "TRUE(sx)=50,scalco=-10"])
@pytest.mark.parametrize("how", ["edit", "flow"])
def test_a_scalar_that_is_set_too_applies_to_extension_1(sill, tmp_path, how, assignments):
    path, target = segy_forms.make(30, 8, additional=1).put(71, "i2", 1).write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    if how == "flow":
        sill.run("flow", path, "-o", target, "--do", "header " + assignments.replace(",", " "))
    else:
        sill.run("edit", path, "-o", target, "--set", assignments)
    told = sill.run("scan", target, "--keys", "sx,true(sx)").out
    assert "500" in told and re.search(r"true\(sx\) +50 ", told), told
