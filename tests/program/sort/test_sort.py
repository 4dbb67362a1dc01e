"""`sill sort`: every byte of the target is the oracle's, for every key, method, policy, number of ranks and threads."""

import json
import os
import re

import numpy as np
import pytest
import segy_files
from program import leftovers

REPORT_KEYS = {
    "command", "version", "traces_in", "traces_out", "bytes_read", "bytes_written", "requests_read",
    "requests_written", "seconds", "words_changed",
}  # fmt: skip


SORTING_CODE = slice(3228, 3230)


def expected_bytes(file: segy_files.Segy, keys: list[str], file_numbers=None) -> bytes:
    """The whole sorted file, its sorting code left blank (the tests of the sorting code look at that)."""
    return without_sorting_code(file.permuted(segy_files.sort_order(file, keys, file_numbers)).to_bytes())


def without_sorting_code(data: bytes) -> bytes:
    return data[: SORTING_CODE.start] + b"??" + data[SORTING_CODE.stop :]


def sorted_bytes(path) -> bytes:
    return without_sorting_code(path.read_bytes())


def check(sill, file, path, keys: list[str], *options, **run_options):
    target = path.parent / "sorted.sgy"
    target.unlink(missing_ok=True)
    result = sill.run("sort", path, "-o", target, f"--by={','.join(keys)}", *options, **run_options)
    assert sorted_bytes(target) == expected_bytes(file, keys), result.command
    assert not leftovers(target.parent)
    return result


# Keys -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
@pytest.mark.parametrize(
    "keys",
    [
        "cdp", "cdp,offset", "offset,cdp", "-cdp,offset", "cdp,-offset", "abs(offset)", "-abs(offset),cdp",
        "iline,xline,offset", "ep,-tracf", "-tracl", "delrt,-cdp,offset,tracl", "calc_offset", "azimuth,cdp",
        "midpoint_x,-midpoint_y", "-calc_offset", "@189:i4,@21:i4",
    ],
)  # fmt: skip
def test_keys(sill, tmp_path, keys, order):
    file = segy_files.make(150, 7, order=order, revision=(0, 0))
    file.rows[100:, 72:88] = file.rows[:50, 72:88]  # equal geometry, so that derived keys have ties
    check(sill, file, file.write(tmp_path / "in.sgy"), keys.split(","))


@pytest.mark.parametrize("key", ["CDP", "Cdp", "ensemble_num", "cdp", "@21:i4"])
def test_a_key_by_any_name(sill, small, tmp_path, key):
    file, path = small
    target = tmp_path / "out.sgy"
    sill.run("sort", path, "-o", target, "--by", key, "--keep-sorting-code")
    assert target.read_bytes() == file.permuted(segy_files.sort_order(file, ["cdp"])).to_bytes()


def test_a_descending_key_apart_from_its_option(sill, small, tmp_path):
    file, path = small
    sill.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "-offset")
    assert sorted_bytes(tmp_path / "out.sgy") == expected_bytes(file, ["-offset"])


def extremes(kind: str) -> list:
    if kind[0] == "f":
        tiny = float(np.finfo(kind).smallest_subnormal)
        return [-np.inf, -1e30, -1.0, -tiny, -0.0, 0.0, tiny, 1.0, 1e30, np.inf, np.nan, -np.nan]
    if kind == "ibm4":
        return [-7e75, -118.625, -1.0, -1e-70, 0.0, 1e-70, 1.0, 118.625, 7e75]
    bits = 8 * segy_files.size_of(kind)
    low, high = (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    return [low, low + 1, 0, 1, high // 2, high - 1, high]


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize(
    "kind", ["i1", "i2", "i3", "i4", "i8", "u1", "u2", "u3", "u4", "u8", "f4", "f8", "ibm4"]
)  # fmt: skip
def test_every_type_at_its_extremes(sill, tmp_path, kind, sign, order):
    values = extremes(kind) * 5
    picks = np.random.default_rng(3).permutation(len(values))
    file = segy_files.make(len(values), 3, order=order).put(229, kind, [values[i] for i in picks])
    check(sill, file, file.write(tmp_path / "in.sgy"), [f"{sign}@229:{kind}"])


def test_unnormalised_ibm_keys_sort_by_value(sill, tmp_path):
    words = [0x46001000, 0x44100000, 0x40010000, 0x3F100000, 0xC6001000, 0x41100000, 0x80000000, 0x00000000]
    file = segy_files.make(16, 3).put(233, "u4", words * 2)
    check(sill, file, file.write(tmp_path / "in.sgy"), ["@233:ibm4"])


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8"])
def test_absolute_value_of_the_least_integer(sill, tmp_path, kind):
    file = segy_files.make(35, 3).put(229, kind, extremes(kind) * 5)
    check(sill, file, file.write(tmp_path / "in.sgy"), [f"abs(@229:{kind})"])


def test_stable(sill, tmp_path):
    file = segy_files.make(400, 2, code=8).put_word("cdp", np.arange(400) % 2)
    check(sill, file, file.write(tmp_path / "in.sgy"), ["cdp"])
    check(sill, file, file.write(tmp_path / "in.sgy"), ["-cdp"])
    check(sill, file, file.write(tmp_path / "in.sgy"), ["trid"])


@pytest.mark.parametrize("units", [2, 3, 4])
def test_units_of_arc_are_refused_for_derived_keys(sill, tmp_path, units):
    path = segy_files.make(5, 4).put_word("counit", units).write(tmp_path / "in.sgy")
    refused = sill.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "azimuth", expect=(2, 3))
    assert re.search("(?i)arc|degree|unit", refused.reason), refused.err
    assert not (tmp_path / "out.sgy").exists()


# What is carried ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("extended", [0, 2])
@pytest.mark.parametrize("code", [1, 2, 3, 5, 8])
def test_all_other_bytes_are_carried(sill, tmp_path, code, extended):
    """Unassigned bytes of every header and bit patterns that are no proper numbers come out as they went in."""
    file = segy_files.make(60, 9, code=code, extended=extended, revision=(1, 0))
    random = np.random.default_rng(8)
    file.head[:3200] = random.integers(0, 256, 3200)
    file.head[:80] = np.frombuffer(segy_files.text_header()[:80], dtype=np.uint8)
    file.head[3260:3500] = random.integers(0, 256, 240)
    file.head[3506:3600] = random.integers(0, 256, 94)
    file.rows[:, 180:] = random.integers(0, 256, file.rows[:, 180:].shape)
    check(sill, file, file.write(tmp_path / "in.sgy"), ["cdp", "offset"])


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
@pytest.mark.parametrize(
    "keys, code",
    [("cdp", 2), ("cdp,offset", 2), ("-cdp", 2), ("offset,cdp", 7), ("ep", 5), ("iline,xline", -1), ("file", -1)],
)
def test_sorting_code(sill, tmp_path, keys, code, order):
    file = segy_files.make(30, 4, order=order, revision=(0, 0))
    path = file.write(tmp_path / "in.sgy")
    sill.run("sort", path, "-o", tmp_path / "out.sgy", f"--by={keys}")
    assert segy_files.read(tmp_path / "out.sgy", order=order).binary(3229, "i2") == code


@pytest.mark.parametrize("keys, code", [("il,xl", 4), ("-xline,iline", 4), ("cdp", 4), ("offset", 7)])
@pytest.mark.parametrize("command", ["sort", "flow"])
def test_a_stack_sorted_by_its_lines_remains_one(sill, tmp_path, keys, code, command):
    path = segy_files.make(30, 4, revision=(1, 0)).with_sorting_code(4).write(tmp_path / "in.sgy")
    if command == "sort":
        sill.run("sort", path, "-o", tmp_path / "out.sgy", f"--by={keys}")
    else:
        sill.run("flow", path, "-o", tmp_path / "out.sgy", "--do", f"sort {keys}")
    assert segy_files.read(tmp_path / "out.sgy").binary(3229, "i2") == code


def test_sorting_code_of_receivers(sill, small, tmp_path):
    _, path = small
    sill.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "gx,gy")
    assert segy_files.read(tmp_path / "out.sgy").binary(3229, "i2") == 6


def test_keep_sorting_code(sill, small, tmp_path):
    file, path = small
    sill.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "cdp", "--keep-sorting-code")
    assert (tmp_path / "out.sgy").read_bytes() == file.permuted(segy_files.sort_order(file, ["cdp"])).to_bytes()


def test_sort_back(sill, small, tmp_path):
    _, path = small
    sill.run("sort", path, "-o", tmp_path / "there.sgy", "--by", "cdp,offset", "--keep-sorting-code")
    sill.run("sort", tmp_path / "there.sgy", "-o", tmp_path / "back.sgy", "--by", "tracl", "--keep-sorting-code")
    assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()
    assert (tmp_path / "there.sgy").read_bytes() != path.read_bytes()


def test_trace_ns_that_differs_does_not_matter(sill, tmp_path):
    file = segy_files.make(30, 10).put_word("ns", 462)
    check(sill, file, file.write(tmp_path / "in.sgy"), ["cdp"])


@pytest.mark.parametrize("traces, samples", [(1, 5), (2, 1), (3, 30_000), (30_000, 1)])
def test_shapes(sill, tmp_path, traces, samples):
    file = segy_files.make(traces, samples, code=8)
    check(sill, file, file.write(tmp_path / "in.sgy"), ["cdp", "-offset"])


# Several inputs -------------------------------------------------------------------------------------------------------


def joined(files: list[segy_files.Segy]) -> tuple[segy_files.Segy, np.ndarray]:
    whole = files[0].copy()
    whole.rows = np.concatenate([file.rows for file in files])
    return whole, np.repeat(np.arange(len(files)), [file.traces for file in files])


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich), 3])
@pytest.mark.parametrize("keys", [["cdp", "offset"], ["cdp", "file"], ["-file", "cdp"]])
def test_several_inputs(sill, tmp_path, keys, ranks):
    files = [segy_files.make(n, 8, seed=n) for n in (40, 1, 33)]
    paths = [file.write(tmp_path / f"{i}.sgy") for i, file in enumerate(files)]
    whole, numbers = joined(files)
    sill.run("sort", *paths, "-o", tmp_path / "out.sgy", f"--by={','.join(keys)}", ranks=ranks)
    assert sorted_bytes(tmp_path / "out.sgy") == expected_bytes(whole, keys, numbers)


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("method", ["scatter", "buckets"])
def test_several_inputs_by_every_method(sill, small_memory, tmp_path, method, ranks):
    files = [segy_files.make(n, 1000, seed=n) for n in (700, 900)]
    paths = [file.write(tmp_path / f"{i}.sgy") for i, file in enumerate(files)]
    whole, numbers = joined(files)
    options = ("--method", method, "--memory", small_memory)
    sill.run("sort", *paths, "-o", tmp_path / "out.sgy", "--by", "offset,file", *options, ranks=ranks)
    assert sorted_bytes(tmp_path / "out.sgy") == expected_bytes(whole, ["offset", "file"], numbers)


@pytest.mark.parametrize("ranks", [None, 2])
def test_inputs_that_do_not_match(sill, tmp_path, ranks):
    first = segy_files.make(10, 8).write(tmp_path / "first.sgy")
    others = {
        "sample|3221": {"samples": 9},
        "code|format|3225": {"samples": 8, "code": 1},
        "byte order|endian|little": {"samples": 8, "order": "little"},
    }
    seconds = [
        segy_files.make(10, **other).write(tmp_path / f"second{i}.sgy") for i, other in enumerate(others.values())
    ]
    jobs = [("sort", first, second, "-o", tmp_path / "out.sgy", "--by", "cdp") for second in seconds]
    results = sill.run_together(jobs, ranks=ranks, expect=3)
    for reason, second, refused in zip(others, seconds, results, strict=True):
        assert second.name in refused.err
        assert re.search(reason, refused.reason, re.I), refused.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.sgy", *(path.name for path in seconds)]


# Ranks, threads, policies, methods ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def several_megabytes(tmp_path_factory):
    """12 MB: more than the least memory limit, so that `buckets` has several. With the bytes expected."""
    file = segy_files.make(3000, 1000)
    keys = ["cdp", "offset"]
    return file, file.write(tmp_path_factory.mktemp("some") / "in.sgy"), keys, expected_bytes(file, keys)


def gives_the_same_bytes(sill, several_megabytes, folder, *options, ranks):
    _, path, keys, expected = several_megabytes
    sill.run("sort", path, "-o", folder / "out.sgy", "--by", ",".join(keys), *options, ranks=ranks)
    assert sorted_bytes(folder / "out.sgy") == expected
    assert os.listdir(folder) == ["out.sgy"]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("policy", ["direct", "staged"])
@pytest.mark.parametrize("ranks", [None, 1, pytest.param(2, marks=pytest.mark.mpich), 3, 4])
def test_gather_gives_the_same_bytes(sill, several_megabytes, tmp_path, ranks, policy, threads):
    options = ("--method", "gather", "--policy", policy, "--threads", threads)
    gives_the_same_bytes(sill, several_megabytes, tmp_path, *options, ranks=ranks)


@pytest.mark.parametrize(
    "ranks, policy, threads",
    [
        (None, "direct", 1), (None, "direct", 2), (None, "staged", 3), (1, "direct", 2),
        pytest.param(2, "direct", 1, marks=pytest.mark.mpich), pytest.param(2, "staged", 2, marks=pytest.mark.mpich),
        (3, "direct", 2), (3, "staged", 1), (4, "direct", 1), (4, "staged", 2),
    ],
)  # fmt: skip
def test_buckets_give_the_same_bytes(sill, several_megabytes, small_memory, tmp_path, ranks, policy, threads):
    options = ("--method", "buckets", "--memory", small_memory, "--policy", policy, "--threads", threads)
    gives_the_same_bytes(sill, several_megabytes, tmp_path, *options, ranks=ranks)


@pytest.mark.parametrize(
    "ranks, policy, threads, memory",
    [
        (None, "direct", 1, "64M"), (None, "direct", 2, "1M"), (None, "staged", 3, "4M"), (1, "direct", 2, "1M"),
        pytest.param(2, "direct", 1, "64M", marks=pytest.mark.mpich),
        pytest.param(2, "staged", 2, "1M", marks=pytest.mark.mpich),
        (3, "direct", 2, "1M"), (3, "staged", 1, "64M"), (4, "direct", 1, "1M"), (4, "staged", 2, "2M"),
    ],
)  # fmt: skip
def test_scatter_gives_the_same_bytes(sill, several_megabytes, tmp_path, ranks, policy, threads, memory):
    options = ("--method", "scatter", "--memory", memory, "--policy", policy, "--threads", threads)
    gives_the_same_bytes(sill, several_megabytes, tmp_path, *options, ranks=ranks)


@pytest.mark.parametrize("method", ["gather", "scatter", "buckets", "auto"])
@pytest.mark.parametrize("keys", ["offset,cdp", "-tracl", "tracl", "trid"])
def test_methods_and_little_memory(sill, several_megabytes, small_memory, tmp_path, keys, method):
    file, path, _, _ = several_megabytes
    options = ("--method", method, "--memory", small_memory)
    sill.run("sort", path, "-o", tmp_path / "out.sgy", f"--by={keys}", *options)
    assert sorted_bytes(tmp_path / "out.sgy") == expected_bytes(file, keys.split(","))


@pytest.mark.parametrize(
    "policy",
    [
        "stage=64K", "stage=0", "call=posix,stage=1M", "threads=2", "threads=0", "writers=all", "writers=node",
        "writers=3", "call=mpiio", "call=mpiio-collective", "writers=2,align=1M", "stage=1M,align=stripe",
        "striping=4x1M", "async=2", "sync=close", "sync=phase",
    ],
)  # fmt: skip
def test_axes_of_a_policy(sill, small, tmp_path, policy):
    file, path = small
    sill.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "cdp", "--policy", policy)
    assert sorted_bytes(tmp_path / "out.sgy") == expected_bytes(file, ["cdp"])


@pytest.mark.parametrize(
    "policy", ["nonsense", "default", "stage=", "stage=banana", "stage", "writers=al", "threads=-1", "a=b,c"]
)
def test_nonsense_policies_are_refused(sill, small, tmp_path, policy):
    _, path = small
    refused = sill.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "cdp", "--policy", policy, expect=2)
    assert "see `sill policies`" in refused.err
    assert not (tmp_path / "out.sgy").exists()


@pytest.mark.parametrize("traces", [1, 2, 3])
@pytest.mark.parametrize("ranks", [pytest.param(2, marks=pytest.mark.mpich), 4])
def test_fewer_traces_than_ranks(sill, tmp_path, traces, ranks):
    file = segy_files.make(traces, 6)
    check(sill, file, file.write(tmp_path / "in.sgy"), ["-cdp"], ranks=ranks)


@pytest.mark.mpich
def test_every_kind_of_key_over_two_ranks(sill, tmp_path):
    file = segy_files.make(151, 7, code=1, order="little", extended=1)
    file.put(233, "f4", np.resize([3.0, np.nan, -1.0, 0.0, -0.0], 151))
    path = file.write(tmp_path / "in.sgy")
    for keys in ("-abs(offset),cdp", "@233:f4,-azimuth", "trid", "-@233:f4"):
        check(sill, file, path, keys.split(","), ranks=2)


# What it tells --------------------------------------------------------------------------------------------------------


def report_of(sill, path, folder, *options, **run_options) -> dict:
    target = folder / "reported.sgy"
    sill.run("sort", path, "-o", target, "--by", "offset,cdp", "--report", folder / "r.json", *options, **run_options)
    return json.loads((folder / "r.json").read_text())


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_report(sill, small, tmp_path, ranks):
    _, path = small
    report = report_of(sill, path, tmp_path, ranks=ranks)
    assert REPORT_KEYS <= set(report)
    assert "sort" in report["command"]
    assert re.match(r"\d+\.\d+", report["version"])
    assert report["traces_in"] == report["traces_out"] == 120
    assert 0 < report["seconds"] < 60


def test_report_names_the_words_changed(sill, small, tmp_path):
    _, path = small
    changed = report_of(sill, path, tmp_path)["words_changed"]
    assert changed
    assert re.search("3229|sort", json.dumps(changed), re.I)
    assert not report_of(sill, path, tmp_path, "--keep-sorting-code")["words_changed"]


@pytest.mark.parametrize("ranks", [None, 2, 3])
@pytest.mark.parametrize("threads", [1, 2])
def test_no_sample_is_read_or_written_twice(sill, tmp_path, ranks, threads):
    """Gather reads the file once and its header words once more, and writes it once."""
    file = segy_files.make(1000, 1500)
    path = file.write(tmp_path / "in.sgy")
    size = path.stat().st_size
    report = report_of(sill, path, tmp_path, "--method", "gather", "--threads", threads, ranks=ranks)
    around = 64 << 10  # the file's head, read to know what the file is
    assert size <= report["bytes_read"] <= size + 240 * file.traces + around
    assert report["bytes_written"] == size
    assert report["requests_read"] <= 2 * file.traces + 64
    assert report["requests_written"] <= size // (1 << 20) + 32


def test_buckets_move_each_byte_twice(sill, several_megabytes, small_memory, tmp_path):
    file, path, _, _ = several_megabytes
    size = path.stat().st_size
    report = report_of(sill, path, tmp_path, "--method", "buckets", "--memory", small_memory)
    # Keys come from the traces as they pass: header words are not read once more.
    assert size < report["bytes_read"] <= 2 * size + (64 << 10)
    assert size < report["bytes_written"] <= 2 * size
    assert report["requests_read"] < file.traces * 2


@pytest.mark.parametrize("ranks", [None, 2])
def test_scatter_reads_and_writes_in_long_pieces(sill, several_megabytes, tmp_path, ranks):
    _, path, _, _ = several_megabytes
    size = path.stat().st_size
    report = report_of(sill, path, tmp_path, "--method", "scatter", "--memory", "64M", ranks=ranks)
    around = (64 << 10) + 240 * 3000  # the file's head and the header words
    assert size <= report["bytes_read"] <= size + around
    assert report["bytes_written"] == size
    assert report["requests_read"] < 100
    assert report["requests_written"] < 100


def test_gathers_and_proof(sill, tmp_path):
    file = segy_files.make(31, 4).put_word("cdp", np.repeat([5, 6, 7], [7, 11, 13]))
    said = sill.run("sort", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "o.sgy", "--by", "cdp,offset").said
    line = " ".join(line for line in said.splitlines() if "gather" in line)
    assert {"3", "7", "13"} <= set(re.findall(r"\d+", line)), said
    assert re.search(r"prov(ed|en)|verified|checked", said), said


@pytest.mark.parametrize("method", ["gather", "scatter", "buckets"])
def test_explain(sill, several_megabytes, small_memory, tmp_path, method):
    _, path, _, _ = several_megabytes
    options = ("--method", method, "--memory", small_memory, "--explain")
    said = sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp", *options).said
    assert re.search(rf"\b{method}\b", said), said
    assert re.search(r"\d[\d.,]*\s*([kKMG]i?B|bytes|B\b)", said), said


def test_log(sill, small, tmp_path):
    _, path = small
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp", "--log", tmp_path / "log.txt")
    assert (tmp_path / "log.txt").read_text().strip()


@pytest.mark.mpich
def test_no_progress_in_a_pipe_and_one_voice(sill, small, tmp_path):
    _, path = small
    arguments = ("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp")
    alone, both = sill.run(*arguments), sill.run(*arguments, ranks=2)
    assert "\r" not in alone.text + both.text
    assert both.out.count("gather") == alone.out.count("gather")
    assert len(both.text.splitlines()) <= len(alone.text.splitlines()) + 2


def test_durable(sill, small, tmp_path):
    file, path = small
    check(sill, file, path, ["cdp"], "--durable")


@pytest.mark.parametrize("method", ["gather", "scatter", "buckets"])
def test_memory_is_bounded(sill, large, tmp_path, method):
    """Peak resident memory stays below --memory, 32 bytes per trace of keys, and 60 MB for the program itself."""
    if b"__asan_init" in sill.path.read_bytes():
        pytest.skip("the address sanitizer needs memory of its own")
    file, path = large
    limit_mib = 8
    target = tmp_path / "out.sgy"
    options = ("--method", method, "--memory", f"{limit_mib}M")
    code, peak_bytes = sill.run_measured("sort", path, "-o", target, "--by", "offset,cdp", *options)
    assert code == 0
    assert peak_bytes <= (limit_mib + 60) * 2**20 + 32 * file.traces
    assert target.stat().st_size == path.stat().st_size
    target.unlink()
