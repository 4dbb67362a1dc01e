"""`sill edit`: header words and text headers, in place or into a new file."""

import json
import os
import re

import numpy as np
import pytest
import segy_files
import segy_forms
from program import leftovers

RANKS = [None, 2, 4]


def edit(sill, path, *arguments, ranks=None, **options):
    return sill.run("edit", path, *arguments, ranks=ranks, **options)


def trace_in(message: str) -> str:
    """The trace that an error names."""
    return re.search(r"^ *trace: +(\d+)$", message, re.M).group(1)


def nothing_left(folder) -> bool:
    return leftovers(folder) == [] and not [name for name in os.listdir(folder) if "journal" in name]


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
    assert "94 of 103 traces chosen, 94 changed" in done.out
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
    file = segy_files.make(50, 9)
    file.put_word("cdp", np.where(np.arange(50) % 2, 7, 3))
    path = file.write(tmp_path / "in.sgy")
    report = tmp_path / "r.json"
    edit(sill, path, "--set", "cdp=7", "--report", report)
    told = json.loads(report.read_text())
    assert told["changed"] == 25
    assert told["bytes_changed"] == 25 * 4
    # The journal: a table of one segment (and one of the text), 16 bytes and both values for each change.
    assert told["bytes_written"] - told["bytes_changed"] == 32 + 24 * 2 + 8 + 25 * (16 + 8)
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
        wanted = file.to_bytes()
    out = path.with_stem("out")
    edit(sill, path, "-o", out, "--set", "cdp=trace*3", ranks=ranks)
    assert out.read_bytes() == wanted
    edit(sill, path, "--set", "cdp=trace*3", ranks=ranks)
    assert path.read_bytes() == wanted
    if form == "varying":
        # The index that was kept still fits: nothing is told about it.
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
    assert "31 of 40 traces chosen, 31 would change" in done.out
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


# Tables ---------------------------------------------------------------------------------------------------------------


def table(file, separator=",", names=("fldr", "tracf", "x", "y"), ending="\n", mark=""):
    rows = [separator.join(names)]
    for i in reversed(range(file.traces)):
        cells = (file.word("fldr")[i], file.word("tracf")[i], 7 * i - 3, 2**31 - 1 - i)
        rows.append(separator.join(str(cell) for cell in cells))
    return mark + ending.join(rows) + ending


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("separator, ending, mark", [(",", "\n", ""), (";", "\r\n", "\ufeff"), ("\t", "\n", "")])
def test_words_from_a_table(sill, tmp_path, ranks, separator, ending, mark):
    file = segy_files.make(60, 5)
    path = file.write(tmp_path / "in.sgy")
    csv = tmp_path / "nav.csv"
    csv.write_bytes(table(file, separator, ending=ending, mark=mark).encode())
    done = edit(sill, path, "--from", csv, "--match", "fldr,tracf", "--set", "sx=x,sy=y", ranks=ranks)
    file.put_word("sx", 7 * np.arange(60) - 3).put_word("sy", 2**31 - 1 - np.arange(60))
    assert path.read_bytes() == file.to_bytes()
    assert "60 rows, 0 without a trace; 0 traces without a row" in done.out


def test_columns_with_other_names_quotes_and_names_of_words(sill, tmp_path):
    file = segy_files.make(3, 5)
    path = file.write(tmp_path / "in.sgy")
    csv = tmp_path / "nav.csv"
    csv.write_text('"FFID", CHAN ,sx,"my ""x"", 2"\n' + "".join(
        f'{file.word("fldr")[i]},"{file.word("tracf")[i]}",{i}5,{i}.25\n' for i in range(3)
    ))  # fmt: skip
    match = ["--from", csv, "--match", "fldr = FFID, tracf=chan"]
    refused = edit(sill, path, *match, "--set", "sx=sx", expect=2)
    assert "column(sx)" in refused.err and "^" in refused.err
    edit(sill, path, *match, "--set", "sx=column(sx), @201:f4=column('my \"x\", 2')*2")
    file.put_word("sx", [5, 15, 25]).put(201, "f4", np.array([0.5, 2.5, 4.5]))
    assert path.read_bytes() == file.to_bytes()
    edit(sill, path, *match, "--set", "sx=column(nix)", expect=2)
    edit(sill, path, "--from", csv, "--match", "fldr,tracf", "--set", "sx=column(sx)", expect=2)
    edit(sill, path, *match, "--set", "sx=gx", expect=2)


@pytest.mark.parametrize("ranks", [None, 3])
def test_traces_without_a_row(sill, tmp_path, ranks):
    file = segy_files.make(20, 5)
    path = file.write(tmp_path / "in.sgy")
    csv = tmp_path / "nav.csv"
    lines = table(file).splitlines()
    del lines[1:6]  # of the last five traces
    csv.write_text("\n".join([*lines, "999,1,2,3"]))
    arguments = ["--from", csv, "--match", "fldr,tracf", "--set", "sx=x"]
    refused = edit(sill, path, *arguments, ranks=ranks, expect=3)
    assert "5 of 20 traces have no row" in refused.err and trace_in(refused.err) == "16"
    assert path.read_bytes() == file.to_bytes()
    done = edit(sill, path, *arguments, "--missing", "keep", ranks=ranks)
    assert "16 rows, 1 without a trace; 5 traces without a row" in done.out
    file.put_word("sx", np.where(np.arange(20) < 15, 7 * np.arange(20) - 3, file.word("sx")))
    assert path.read_bytes() == file.to_bytes()


@pytest.mark.parametrize(
    "text, told",
    [
        ("fldr,x\n100,1\n101,2\n100,3\n", "line 4"), ("fldr,x\n100,1,2\n", "line 2"), ("fldr,fldr\n", "fldr"),
        ("fldr,x\n100,\n", "line 2"), ("fldr,x\n100,12a\n", "12a"), ('fldr,x\n100,"1\n', "line 2"), ("", "line"),
        ("fldr,x\n100.5,1\n", "fractions"), ("fldr,x\n100,99999999999999999999\n", "line 2"),
    ],
)  # fmt: skip
def test_wrong_tables(sill, small, tmp_path, text, told):
    file, path = small
    csv = tmp_path / "nav.csv"
    csv.write_text(text)
    refused = edit(sill, path, "--from", csv, "--match", "fldr", "--set", "sx=x", "--missing", "keep", expect=None)
    assert refused.code in (2, 3)
    assert told in re.sub(r"line: +", "line ", refused.err)
    assert path.read_bytes() == file.to_bytes()


def test_equal_rows_count_once(sill, tmp_path):
    file = segy_files.make(5, 5)
    path = file.write(tmp_path / "in.sgy")
    csv = tmp_path / "nav.csv"
    csv.write_text("fldr,x\n100,8\n100,8\n")
    edit(sill, path, "--from", csv, "--match", "fldr", "--set", "sx=x")
    assert path.read_bytes() == file.put_word("sx", 8).to_bytes()


# Text headers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["EBCDIC", "ASCII"])
def test_text_from_a_file(sill, tmp_path, encoding):
    file = segy_files.make(5, 5, text=encoding)
    path = file.write(tmp_path / "in.sgy")
    text = tmp_path / "header.txt"
    text.write_text("C 1 NEW\n\nC 3 THIRD LINE")
    edit(sill, path, "--text", text, ranks=2)
    block = "".join(f"{line:<80}" for line in ["C 1 NEW", "", "C 3 THIRD LINE", *[""] * 37])
    data = path.read_bytes()
    assert data[:3200] == block.encode("cp037" if encoding == "EBCDIC" else "ascii")
    assert data[3200:] == file.to_bytes()[3200:]


@pytest.mark.parametrize(
    "text, told", [("\n" * 2 + "a" * 81, "line 3"), ("x\n" * 41, "line 41"), ("ok\nK\u00f6ln", "line 2")]
)
def test_text_that_cannot_be(sill, small, tmp_path, text, told):
    file, path = small
    (tmp_path / "header.txt").write_text(text, encoding="utf-8")
    refused = edit(sill, path, "--text", tmp_path / "header.txt", expect=2)
    assert told in re.sub(r"line: +", "line ", refused.err)
    assert path.read_bytes() == file.to_bytes()


def test_history(sill, tmp_path):
    file = segy_files.make(5, 5)
    path = file.write(tmp_path / "in.sgy")
    edit(sill, path, "--set", "cdp=9", "--where", "trace>2", "--history")
    lines = path.read_bytes()[:3200].decode("cp037")
    assert lines[80:160].startswith("C 2 SILL EDIT cdp=9 WHERE trace>2")
    assert lines[:80] + lines[160:] == (file.to_bytes()[:3200].decode("cp037")[:80]
                                        + file.to_bytes()[:3200].decode("cp037")[160:])  # fmt: skip
    full = segy_files.make(5, 5)
    full.head[:3200] = np.frombuffer(("C 1 FULL" + "X" * 72).encode("cp037") * 40, np.uint8)
    path = full.write(tmp_path / "full.sgy")
    assert "no line" in edit(sill, path, "--set", "cdp=9", "--history", expect=2).err
    assert path.read_bytes() == full.to_bytes()
    edit(sill, segy_forms.make_su(5, 5).write(tmp_path / "a.su"), "--set", "cdp=9", "--history", expect=2)


# Trace numbers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("into", ["in place", "new"])
def test_renumbering(sill, tmp_path, ranks, into):
    file = segy_files.make(97, 5)
    file.put_word("cdp", np.sort(file.word("cdp")) // 5)
    path = file.write(tmp_path / "in.sgy")
    target = path if into == "in place" else tmp_path / "out.sgy"
    edit(sill, path, "--renumber", *([] if into == "in place" else ["-o", target]), ranks=ranks)
    n = np.arange(1, 98)
    cdp = file.word("cdp")
    first = np.maximum.accumulate(np.where(np.r_[True, cdp[1:] != cdp[:-1]], np.arange(97), 0))
    file.put_word("tracl", n).put_word("tracr", n).put_word("cdpt", np.arange(97) - first + 1)
    assert target.read_bytes() == file.to_bytes()


def numbered(file):
    """A file with the numbers that --renumber gives."""
    traces = file.traces
    cdp = file.word("cdp")
    first = np.maximum.accumulate(np.where(np.r_[True, cdp[1:] != cdp[:-1]], np.arange(traces), 0))
    n = np.arange(1, traces + 1)
    return file.put_word("tracl", n).put_word("tracr", n).put_word("cdpt", n - first)


def with_history(data: bytes, what: str) -> bytes:
    """With the second line of the text header, which `segy_files` leaves free."""
    line = f"C 2 {what}"
    return data[:80] + f"{line:<80}".encode("cp037") + data[160:]


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("method", ["gather", "scatter", "buckets"])
def test_sort_renumbers_and_tells(sill, tmp_path, ranks, method):
    file = segy_files.make(90, 5)
    path = file.write(tmp_path / "in.sgy")
    order = segy_files.sort_order(file, ["cdp", "-offset"])
    out = tmp_path / "out.sgy"
    sill.run("sort", path, "-o", out, "--by", "cdp,-offset", "--renumber", "--history", "--keep-sorting-code",
             "--method", method, ranks=ranks)  # fmt: skip
    assert out.read_bytes() == with_history(numbered(file.permuted(order)).to_bytes(), "SILL SORT BY cdp,-offset")


@pytest.mark.parametrize("ranks", RANKS)
def test_convert_renumbers_and_tells(sill, tmp_path, ranks):
    file = segy_files.make(90, 5)
    file.put_word("cdp", np.arange(90) // 40)
    path = file.write(tmp_path / "in.sgy")
    out = tmp_path / "out.sgy"
    sill.run("convert", path, "-o", out, "--renumber", "--history", "--sample-format", "ieee", ranks=ranks)
    assert out.read_bytes() == with_history(numbered(file).to_bytes(), "SILL CONVERT SAMPLES ieee")
    sill.run("convert", path, "-o", tmp_path / "out.su", "--history", expect=2)


def test_sort_of_many_lengths_renumbers(sill, tmp_path):
    file = segy_files.make(30, 12)
    lengths = [3 + i % 9 for i in range(30)]
    path = tmp_path / "in.sgy"
    path.write_bytes(segy_forms.varying(file.copy(), lengths))
    order = segy_files.sort_order(file, ["cdp"])
    out = tmp_path / "out.sgy"
    sill.run("sort", path, "-o", out, "--by", "cdp", "--renumber", "--keep-sorting-code", ranks=3)
    sill.run("sort", path, "-o", tmp_path / "plain.sgy", "--by", "cdp", "--keep-sorting-code")
    wanted = bytearray((tmp_path / "plain.sgy").read_bytes())
    cdp = file.word("cdp")[order]
    at, number = 3600, 0
    for i, trace in enumerate(order):
        number = number + 1 if i and cdp[i] == cdp[i - 1] else 1
        for place, value in [(0, i + 1), (4, i + 1), (24, number)]:
            wanted[at + place : at + place + 4] = value.to_bytes(4, "big")
        at += 240 + 4 * lengths[trace]
    assert out.read_bytes() == wanted


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
