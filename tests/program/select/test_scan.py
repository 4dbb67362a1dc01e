"""`sill scan`: header words as CSV and statistics, against the oracle and segyio."""

import csv
import fcntl
import io
import json
import os
import re
import time

import numpy as np
import pytest
import segy_files
import segy_forms
from program import TIMEOUT_S, kill_group


def scan(sill, *arguments, **options) -> tuple[list[str], np.ndarray]:
    """The names of the columns and the table, as float64."""
    lines = list(csv.reader(io.StringIO(sill.run("scan", *arguments, "--csv", "-", **options).out)))
    return lines[0], np.array(lines[1:], dtype=np.float64)


def numbers_in(text: str) -> list[float]:
    plain = text.replace(",", " ").replace("..", " ")
    return [float(x) for x in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)", plain)]


def statistics_line(text: str, key: str) -> list[float]:
    """The numbers of the line that begins with a key's name."""
    lines = [line for line in text.splitlines() if re.match(rf"\W*{re.escape(key)}(?!\w)", line, re.I)]
    assert len(lines) == 1, text
    return numbers_in(lines[0].replace(key, " ", 1))


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
def test_csv(sill, tmp_path, order):
    file = segy_files.make(90, 6, order=order, revision=(0, 0))
    path = file.write(tmp_path / "f.sgy")
    names, table = scan(sill, path, "--keys", "cdp,offset,scalco,sx")
    assert names == ["trace", "cdp", "offset", "scalco", "sx"]
    expected = [np.arange(1, 91), *(file.word(name) for name in names[1:])]
    assert np.array_equal(table, np.column_stack(expected))


def test_header_line_is_as_the_user_wrote_it(sill, small):
    _, path = small
    out = sill.run("scan", path, "--keys", "CDP,SourceX,@189:i4", "--csv", "-").out
    assert out.splitlines()[0] == "trace,CDP,SourceX,@189:i4"
    assert len(out.splitlines()) == 121
    assert out.endswith("\n")


def test_csv_to_a_file(sill, small, tmp_path):
    _, path = small
    result = sill.run("scan", path, "--keys", "cdp,offset", "--csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == sill.run("scan", path, "--keys", "cdp,offset", "--csv", "-").out
    assert "trace,cdp,offset" not in result.out


@pytest.mark.parametrize("first, last", [(1, 100), (5, 5), (37, 120)])
def test_range_includes_both_ends(sill, small, first, last):
    file, path = small
    _, table = scan(sill, path, "--keys", "cdp", "--range", f"{first}:{last}")
    assert np.array_equal(table[:, 0], np.arange(first, last + 1))
    assert np.array_equal(table[:, 1], file.word("cdp")[first - 1 : last])


def test_every_name_of_every_vocabulary(sill, tmp_path):
    segyio = pytest.importorskip("segyio")
    file = segy_files.make(3, 4)
    random = np.random.default_rng(5)
    for byte, kind, name in segy_files.SU_WORDS:
        if name not in ("ns", "dt"):
            file.put(byte, kind, random.integers(-30_000, 30_000, 3))
    path = file.write(tmp_path / "f.sgy")

    def agree(words: list[tuple[int, str, str]]):
        names, table = scan(sill, path, "--keys", ",".join(name for _, _, name in words))
        assert names == ["trace", *(name for _, _, name in words)]
        for column, (byte, kind, name) in enumerate(words, 1):
            assert np.array_equal(table[:, column], file.get(byte, kind)), name

    agree(segy_files.SU_WORDS)
    agree(segy_files.STANDARD_WORDS)
    kinds = {byte: kind for byte, kind, _ in segy_files.SU_WORDS}
    agree([(int(f), kinds[int(f)], str(f)) for f in segyio.TraceField.enums() if int(f) in kinds])
    agree([(byte, kind, name.upper()) for byte, kind, name in segy_files.SU_WORDS])


def test_segyio_agrees(sill, tmp_path):
    segyio = pytest.importorskip("segyio")
    file = segy_files.make(40, 5, code=1, extended=2)
    path = file.write(tmp_path / "f.sgy")
    fields = [f for f in segyio.TraceField.enums() if int(f) <= 193]
    _, table = scan(sill, path, "--keys", ",".join(str(f) for f in fields))
    with segyio.open(path, ignore_geometry=True) as opened:
        for column, f in enumerate(fields, 1):
            assert np.array_equal(table[:, column], opened.attributes(int(f))[:]), str(f)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize(
    "kind, values",
    [
        ("i1", [-128, 127, 0]), ("u1", [255, 0, 7]), ("i2", [-32768, 32767, 1]), ("u2", [65535, 0, 40000]),
        ("i3", [-8388608, 8388607, -1]), ("u3", [16777215, 0, 1]), ("i4", [-(2**31), 2**31 - 1, 5]),
        ("u4", [2**32 - 1, 0, 3_000_000_000]), ("i5", [-(2**39), 2**39 - 1, -2]), ("u6", [2**48 - 1, 0, 9]),
        ("i8", [-(2**53), 2**53, -3]), ("u8", [2**53, 0, 11]), ("f4", [0.1, -3.5e30, 1e-20]),
        ("f8", [0.1, -2.5e300, 1e-200]), ("ibm4", [0.1, -118.625, 3.5e30]),
    ],
)  # fmt: skip
def test_words_by_byte_and_type(sill, tmp_path, kind, values, order):
    file = segy_files.make(3, 4, order=order).put(229, kind, values)
    _, table = scan(sill, file.write(tmp_path / "f.sgy"), "--keys", f"@229:{kind}")
    expected = file.get(229, kind)
    if kind == "f4":
        assert np.array_equal(table[:, 1].astype(np.float32), expected)
    elif kind == "ibm4":
        assert np.allclose(table[:, 1], expected, rtol=1e-7, atol=0)
    else:
        assert np.array_equal(table[:, 1], expected.astype(np.float64))


def test_integers_of_eight_bytes_are_exact(sill, tmp_path):
    file = segy_files.make(2, 4).put(225, "i8", [2**63 - 1, -(2**63)])
    path = file.write(tmp_path / "f.sgy")
    out = sill.run("scan", path, "--keys", "@225:i8,@225:u8", "--csv", "-").out
    assert [line.split(",")[1:] for line in out.splitlines()[1:]] == [
        ["9223372036854775807", "9223372036854775807"],
        ["-9223372036854775808", "9223372036854775808"],
    ]


def test_derived_keys(sill, tmp_path):
    file = segy_files.make(60, 4)
    file.put_word("scalco", np.resize([-100, 10, 0, 1, -1000], 60))
    file.rows[-1] = file.rows[0]
    keys = ["calc_offset", "azimuth", "midpoint_x", "midpoint_y"]
    _, table = scan(sill, file.write(tmp_path / "f.sgy"), "--keys", ",".join(keys))
    for column, key in enumerate(keys, 1):
        assert np.allclose(table[:, column], segy_files.derived(file, key), rtol=1e-12, atol=1e-9), key


@pytest.mark.parametrize(
    "east, north, azimuth", [(0, 5, 0), (5, 5, 45), (5, 0, 90), (0, -5, 180), (-5, 0, 270), (-5, 5, 315)]
)
def test_azimuth_is_clockwise_from_north(sill, tmp_path, east, north, azimuth):
    file = segy_files.make(1, 4).put_word("scalco", 1)
    file.put_word("sx", 1000).put_word("sy", 2000).put_word("gx", 1000 + east).put_word("gy", 2000 + north)
    _, table = scan(sill, file.write(tmp_path / "f.sgy"), "--keys", "azimuth")
    assert table[0, 1] == pytest.approx(azimuth, abs=1e-12)


def test_azimuth_stays_below_360(sill, tmp_path):
    file = segy_files.make(1, 4).put_word("scalco", 1)
    file.put_word("sx", 1).put_word("sy", -2_000_000_000).put_word("gx", 0).put_word("gy", 2_000_000_000)
    _, table = scan(sill, file.write(tmp_path / "f.sgy"), "--keys", "azimuth")
    assert 359.9999 < table[0, 1] < 360


@pytest.mark.parametrize("units", [2, 3, 4])
@pytest.mark.parametrize("key", ["calc_offset", "azimuth"])
def test_units_of_arc_are_refused_for_derived_keys(sill, tmp_path, key, units):
    path = segy_files.make(5, 4).put_word("counit", units).write(tmp_path / "f.sgy")
    refused = sill.run("scan", path, "--keys", key, "--csv", tmp_path / "out.csv", expect=3)
    assert re.search("(?i)arc|degree|unit", refused.reason), refused.err
    assert not (tmp_path / "out.csv").exists()
    # Rows already printed cannot be taken back, but here the first trace is refused.
    refused = sill.run("scan", path, "--keys", key, "--csv", "-", expect=3)
    assert refused.out in ("", f"trace,{key}\n")
    sill.run("scan", path, "--keys", "sx", "--csv", "-")


def test_statistics(sill, small):
    file, path = small
    text = sill.run("scan", path, "--keys", "cdp,offset,sx", "--stats").out
    for key in ("cdp", "offset", "sx"):
        values = file.word(key)
        found = statistics_line(text, key)
        for expected in (values.min(), values.max(), len(np.unique(values))):
            assert expected in found, f"{key}: {expected} not in {found}\n{text}"


def test_distinct_is_exact(sill, tmp_path):
    file = segy_files.make(5000, 1, code=8).put_word("cdp", np.arange(5000) % 4321)
    text = sill.run("scan", file.write(tmp_path / "f.sgy"), "--keys", "cdp", "--stats").out
    assert 4321 in statistics_line(text, "cdp")


@pytest.mark.parametrize("ranks", [None, 2])
def test_statistics_of_more_values_than_memory_holds(sill, tmp_path, ranks):
    """80,000 values without a neighbour, and as many in a row: the first take several passes."""
    file = segy_files.make(80_000, 1, code=8)
    scattered = np.random.default_rng(3).permutation(80_000) * 7
    scattered[:1000] = 21
    file.put_word("cdp", scattered).put_word("tracl", np.arange(80_000))
    path = file.write(tmp_path / "f.sgy")
    text = sill.run("scan", path, "--keys", "cdp,-tracl,trid", "--stats", "--memory", "1M", ranks=ranks).out
    assert len(np.unique(scattered)) in statistics_line(text, "cdp")
    assert 80_000 in statistics_line(text, "-tracl")
    assert "in order of cdp,-tracl,trid: no" in text


@pytest.mark.parametrize("ranks", [None, 2])
def test_statistics_without_keys(sill, small, ranks):
    file, path = small
    text = sill.run("scan", path, "--stats", ranks=ranks).out
    assert len(np.unique(file.word("cdp"))) in statistics_line(text, "cdp")
    assert "in order" not in text


@pytest.mark.parametrize("ranks", [None, 2, 3])
def test_distinct_values(sill, tmp_path, ranks):
    file = segy_files.make(500, 4).put_word("cdp", np.arange(500) * 37 % 11 - 5).put_word("fldr", np.arange(500) // 60)
    path = file.write(tmp_path / "f.sgy")
    csv_path = tmp_path / "v.csv"
    sill.run("scan", path, "--keys", "fldr,-cdp", "--values", "--csv", csv_path, ranks=ranks)
    pairs = sorted(zip(file.word("fldr").tolist(), (-file.word("cdp")).tolist(), strict=True))
    wanted = ["fldr,-cdp,traces"]
    wanted += [f"{fldr},{-cdp},{pairs.count((fldr, cdp))}" for fldr, cdp in sorted(set(pairs))]
    assert csv_path.read_text().splitlines() == wanted
    out = sill.run("scan", path, "--keys", "cdp", "--values", "--range", "1:100", ranks=ranks).out
    values, counts = np.unique(file.word("cdp")[:100], return_counts=True)
    rows = [line.split() for line in out.splitlines()[-len(values) - 1 :]]
    assert rows == [["cdp", "traces"], *([str(v), str(n)] for v, n in zip(values, counts, strict=True))]


def test_distinct_values_of_an_additional_header(sill, tmp_path):
    """They are beyond the bytes that all traces have."""
    file = segy_forms.make(40, 4, additional=1)
    file.put(240 + 201, "i4", np.arange(40) * 7 % 5)
    path = file.write(tmp_path / "f.sgy")
    out = sill.run("scan", path, "--keys", "@441:i4,tracl", "--values", "--csv", "-").out
    rows = [line.split(",") for line in out.splitlines()[1:]]
    wanted = sorted(zip((np.arange(40) * 7 % 5).tolist(), file.word("tracl").tolist(), strict=True))
    assert rows == [[str(value), str(tracl), "1"] for value, tracl in wanted]


def test_values_need_keys_and_memory(sill, small, tmp_path):
    assert "--values needs keys" in sill.run("scan", small[1], "--values", expect=2).err
    file = segy_files.make(200_000, 1, code=8).put_word("cdp", np.arange(200_000))
    path = file.write(tmp_path / "f.sgy")
    refused = sill.run("scan", path, "--keys", "cdp", "--values", "--memory", "1M", expect=2)
    least = re.search(r"--memory (\d+)", refused.reason)
    assert least and "distinct values" in refused.err and "--stats" in refused.err
    out = sill.run("scan", path, "--keys", "cdp", "--values", "--csv", "-", "--memory", 4 * int(least.group(1))).out
    assert out.splitlines()[1:] == [f"{cdp},1" for cdp in range(200_000)]


@pytest.mark.parametrize(
    "keys, ordered",
    [("fldr", "yes"), ("fldr,tracf", "yes"), ("tracf,fldr", "no"), ("cdp", "no"), ("tracl", "yes"), ("trid,ns", "yes")],
)
def test_whether_the_traces_are_in_order(sill, small, keys, ordered):
    _, path = small
    text = sill.run("scan", path, "--keys", keys, "--stats").out
    lines = [line for line in text.splitlines() if "order" in line.lower()]
    assert lines, text
    assert re.search(rf"\b{ordered}\b", " ".join(lines), re.I), text


def test_without_keys_only_the_words_that_vary(sill, tmp_path):
    file = segy_files.make(20, 4)
    file.rows[:, :240] = file.rows[0, :240]
    file.put_word("cdp", np.arange(20) + 700).put_word("offset", np.arange(20) * -25)
    text = sill.run("scan", file.write(tmp_path / "f.sgy")).out
    assert re.search(r"\bcdp\b", text, re.I)
    assert {700, 719} <= set(numbers_in(text))
    assert {-475, 0} <= set(numbers_in(text))
    for constant in ("sx", "SourceX", "fldr", "FieldRecord", "iline", "INLINE_3D"):
        assert not re.search(rf"\b{constant}\b", text), text


def test_several_files_are_one_survey(sill, tmp_path):
    files = [segy_files.make(n, 5, seed=n) for n in (7, 9)]
    paths = [file.write(tmp_path / f"{file.traces}.sgy") for file in files]
    _, table = scan(sill, *paths, "--keys", "cdp,file")
    assert np.array_equal(table[:, 0], np.arange(1, 17))
    assert np.array_equal(table[:, 1], np.concatenate([file.word("cdp") for file in files]))
    assert len(np.unique(table[:7, 2])) == len(np.unique(table[7:, 2])) == 1
    assert table[0, 2] < table[7, 2]


@pytest.mark.parametrize("written, meant", [("cpd", "cdp"), ("ofset", "offset"), ("SourceY_", "SourceY")])
def test_unknown_key(sill, small, written, meant):
    _, path = small
    refused = sill.run("scan", path, "--keys", f"cdp,{written}", "--csv", "-", expect=2)
    assert written in refused.err
    assert re.search(rf"did you mean[^\n]*\b{meant}\b", refused.reason, re.I), refused.err
    assert refused.out == ""


@pytest.mark.parametrize("key", ["@0:i4", "@238:i4", "@241:i1", "@5:q4", "@5:f3", "@5:i9", "@x:i4", "@5", ""])
def test_impossible_words(sill, small, key):
    _, path = small
    assert sill.run("scan", path, "--keys", f"cdp,{key}", expect=2).err


@pytest.mark.parametrize("text", ["10:5", "0:5", "a:b", "", "-1:4"])
def test_impossible_ranges(sill, small, text):
    _, path = small
    assert sill.run("scan", path, "--keys", "cdp", f"--range={text}", expect=2).err


@pytest.mark.parametrize("ranks", [pytest.param(2, marks=pytest.mark.mpich), 3])
def test_ranks_print_the_same(sill, small, ranks):
    _, path = small
    arguments = ("scan", path, "--keys", "cdp,offset,azimuth", "--csv", "-")
    assert sill.run(*arguments, ranks=ranks).out == sill.run(*arguments).out
    arguments = ("scan", path, "--keys", "cdp,offset", "--stats")
    drop_times = re.compile(r"[^\n]*\b(seconds|s|[kMG]i?B/s)\b[^\n]*\n?")
    assert drop_times.sub("", sill.run(*arguments, ranks=ranks).out) == drop_times.sub("", sill.run(*arguments).out)


@pytest.mark.parametrize("first, second", [(0.0, -0.0), (-0.0, 0.0)])
def test_which_zero_is_told_does_not_depend_on_threads_and_ranks(sill, tmp_path, first, second):
    """Both are equal, so the one of the first trace is told."""
    traces = 80_000  # several blocks, which threads take as they are free
    values = np.full(traces, second)
    values[0] = first
    file = segy_files.make(traces, 1, code=8).put(233, "f4", values)
    path = file.write(tmp_path / "f.sgy")
    jobs = [(None, threads) for threads in (1, 2, 4, 8)] + [(1, 1), (2, 1), (3, 2)]
    lines = set()
    for ranks, threads in jobs:
        text = sill.run("scan", path, "--keys", "@233:f4", "--threads", threads, ranks=ranks).out
        lines |= {line for line in text.splitlines() if "@233:f4" in line}
    assert len(lines) == 1, lines
    told = "-0" if np.signbit(first) else "0"
    assert re.search(r"@233:f4\s+(-?0)\s+(-?0)\b", lines.pop()).groups() == (told, told)


def test_csv_through_a_pipe_that_does_not_block(sill, tmp_path):
    file = segy_files.make(20_000, 1, code=8)
    path = file.write(tmp_path / "f.sgy")
    reading, writing = os.pipe2(0)
    fcntl.fcntl(writing, fcntl.F_SETFL, fcntl.fcntl(writing, fcntl.F_GETFL) | os.O_NONBLOCK)
    process = sill.start("scan", path, "--keys", "cdp,offset,sx", "--csv", "-", stdout=writing)
    try:
        os.close(writing)
        time.sleep(0.3)  # the pipe is full by now
        with os.fdopen(reading, "rb") as pipe:
            got = pipe.read()
        _, err = process.communicate(timeout=TIMEOUT_S)
    finally:
        kill_group(process)
    assert process.returncode == 0, err
    sill.run("scan", path, "--keys", "cdp,offset,sx", "--csv", tmp_path / "whole.csv")
    whole = (tmp_path / "whole.csv").read_bytes()
    assert len(whole) > 1 << 18
    assert got == whole


def test_csv_files_count_and_obey_the_policy(sill, small, tmp_path):
    _, path = small
    arguments = ("scan", path, "--keys", "cdp", "--csv", tmp_path / "o.csv", "--report", tmp_path / "r.json")
    sill.run(*arguments, "--policy", "sync=close")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["bytes_written"] == (tmp_path / "o.csv").stat().st_size
    assert report["syncs"] >= 1
    sill.run(*arguments)
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["bytes_written"] == (tmp_path / "o.csv").stat().st_size
    assert report["syncs"] == 0
