"""`sill edit --from`: words from a table of comma separated values."""

import re

import numpy as np
import pytest
import segy_files
from editing import RANKS, edit, trace_in


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


def test_columns_with_another_name_of_the_word_and_tables_without_names(sill, tmp_path):
    file = segy_files.make(60, 5)
    path = file.write(tmp_path / "in.sgy")
    csv = tmp_path / "nav.csv"
    csv.write_text(table(file, names=("FieldRecord", "TraceNumber", "x", "y")))
    edit(sill, path, "--from", csv, "--match", "fldr,tracf", "--set", "sx=x,sy=y")
    file.put_word("sx", 7 * np.arange(60) - 3).put_word("sy", 2**31 - 1 - np.arange(60))
    assert path.read_bytes() == file.to_bytes()
    csv.write_text(table(file, names=("1", "2", "3.5", "-4e3")))
    refused = edit(sill, path, "--from", csv, "--match", "fldr", "--set", "sx=column('3.5')", expect=3)
    assert "numbers instead of names" in refused.err and "line:   1" in refused.err


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
        ("fldr,x\n100.5,1\n", "fractions"), ("fldr,x\n100,99999999999999999999\n", "beyond 64 bits"),
        ("fldr,x\n100,1234567890123456789\n101,0.5\n", "line 2 an integer beyond 2^53"),
        ("fldr,x\n100,1.5\n101,-99999999999999999999\n", "round: line 3"),
        ("fldr,x\n99999999999999999999,1\n", "round: line 2"), ("fldr,x\n100,1e999\n", "beyond the range"),
        ("fldr,x\n100,abc\n", "not a number: line 2 has 'abc'"), ("fldr,x\n100,\n", "empty cell in line 2"),
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
