"""Bad input and bad calls: the exit code, one message that names the file and the reason, nothing on standard output.

Each case runs alone and with two ranks, which must end alike.
"""

import os
import re
import struct
import subprocess
import time

import numpy as np
import pytest
import segy_files
from program import TIMEOUT_S, leftovers

NAME = "input.bin"


def good_bytes(**options) -> bytes:
    return segy_files.make(9, 10, **options).to_bytes()


def with_remainder() -> bytes:
    return good_bytes() + bytes(68)


def without_samples() -> bytes:
    return segy_files.make(9, 10).put_binary(3221, "u2", 0).put_word("ns", 0).to_bytes()


def with_code(code: int) -> bytes:
    return segy_files.make(9, 10).put_binary(3225, "i2", code).to_bytes()


def seismic_unix(order: str) -> bytes:
    """Bare traces: no file header, native floats."""
    file = segy_files.make(20, 250, order=order)
    file.rows[:, 180:240] = 0
    return file.rows.tobytes()


def seg_2() -> bytes:
    """The start of a SEG-2 file: its block id, revision, and one pointer to a trace descriptor."""
    head = struct.pack("<HHHHBBBBBB", 0x3A55, 1, 4, 1, 1, 0, 0, 1, 10, 0).ljust(32, b"\0") + struct.pack("<I", 64)
    trace = struct.pack("<HHIIB", 0x4422, 64, 4 * 2048, 2048, 4).ljust(64, b"\0")
    return head.ljust(64, b"\0") + trace + np.arange(2048, dtype="<f4").tobytes()


# What `info` describes, and yet ends with 3.
DESCRIBED = ["remainder", "float64", "int24", "su-cut"]

# name: bytes, exit code of `info`, exit code of the others, reason
FILES = {
    "empty": (b"", 3, 3, r"empty|\b0 bytes|too short|too small"),
    "cut-head": (good_bytes()[:3599], 3, 3, r"3,?599|3,?600|too short|too small"),
    "text-only": (good_bytes()[:3600], 0, 3, r"no traces?|\b0 traces|without traces|not a single trace"),
    "remainder": (with_remainder(), 3, 3, r"\b68\b|remain|left over|incomplete|cut|truncated|whole"),
    "no-samples": (without_samples(), 3, 3, r"3221|samples"),
    "unknown-code": (with_code(13), 3, 3, r"\b13\b"),
    # Of these formats the file has not the right size.
    "float64": (with_code(6), 3, 3, r"bytes (remain|follow)|samples of 4 bytes"),
    "int24": (with_code(7), 3, 3, r"bytes (remain|follow)|samples of 4 bytes"),
    "su-cut": (seismic_unix("big")[:-4], 3, 3, r"remain|follow"),
    "seg-2": (seg_2(), 3, 3, r"SEG-?2"),
    "text": (b"Dear reader, this is no survey.\n" * 400, 3, 3, r"SEG-?Y|format|code"),
    "zeros": (bytes(10_000), 3, 3, r"SEG-?Y|format|code|samples|3221|3225"),
}


def refused(sill, ranks, *arguments, code: int):
    result = sill.run(*arguments, ranks=ranks, expect=code)
    assert result.out == ""
    assert result.err
    return result


def same_with_two_ranks(sill, alone: list, jobs: list[tuple], name: str):
    """With ranks each ends with the same code, and the message is printed by one of them."""
    for one, both in zip(alone, sill.run_together(jobs, ranks=2, expect=None), strict=True):
        assert both.code == one.code, f"{both.command}\n{both.err}"
        assert both.out == ""
        assert both.err.count(name) == one.err.count(name) > 0, f"{both.command}\n{both.err}"


@pytest.mark.parametrize("case", FILES)
def test_sort_refuses(sill, tmp_path, case):
    data, _, code, reason = FILES[case]
    path = tmp_path / NAME
    path.write_bytes(data)
    target = tmp_path / "out.sgy"
    alone = refused(sill, None, "sort", path, "-o", target, "--by", "cdp", code=code)
    assert NAME in alone.err
    assert re.search(reason, alone.reason, re.I), alone.err
    assert os.listdir(tmp_path) == [NAME]


@pytest.mark.mpich
def test_sort_refuses_with_ranks(sill, tmp_path):
    jobs = []
    for case, (data, *_) in FILES.items():
        path = tmp_path / case / NAME
        path.parent.mkdir()
        path.write_bytes(data)
        jobs.append(("sort", path, "-o", path.parent / "out.sgy", "--by", "cdp"))
    alone = [sill.run(*job, expect=3) for job in jobs]
    same_with_two_ranks(sill, alone, jobs, NAME)
    assert all(os.listdir(tmp_path / case) == [NAME] for case in FILES)


@pytest.mark.parametrize("case", FILES)
def test_the_other_commands_refuse(sill, tmp_path, case):
    data, info_code, code, reason = FILES[case]
    path = tmp_path / NAME
    path.write_bytes(data)
    good = segy_files.make(9, 10).write(tmp_path / "good.sgy")
    info = sill.run("info", path, expect=info_code)
    if info_code:
        assert (info.out != "") == (case in DESCRIBED)
        assert NAME in info.err
        assert re.search(reason, info.reason, re.I), info.err
    if case != "text-only":
        refused(sill, None, "scan", path, "--keys", "cdp", "--csv", "-", code=code)
        compared = refused(sill, None, "compare", good, path, code=code)
        assert NAME in compared.err
        assert re.search(reason, compared.reason, re.I), compared.err


@pytest.mark.parametrize("case", ["remainder", "float64", "empty"])
def test_one_bad_input_of_two(sill, tmp_path, case):
    """The bad file is the one that is named, whichever it is."""
    path = tmp_path / "bad.bin"
    path.write_bytes(FILES[case][0])
    good = segy_files.make(9, 10).write(tmp_path / "good.sgy")
    for inputs in ((good, path), (path, good)):
        failed = refused(sill, None, "sort", *inputs, "-o", tmp_path / "o.sgy", "--by", "cdp", code=3)
        assert "bad.bin" in failed.err
        assert "good.sgy" not in failed.err


def test_real_files_that_are_no_segy(sill, samples):
    path = samples / "obspy_20180307.seg2"
    if path.is_file():
        assert re.search("SEG-?2", refused(sill, None, "info", path, code=3).reason)


# The system refuses ---------------------------------------------------------------------------------------------------


def commands_on(path, folder) -> list[tuple]:
    return [
        ("info", path),
        ("scan", path, "--keys", "cdp", "--csv", "-"),
        ("sort", path, "-o", folder / "out.sgy", "--by", "cdp"),
        ("compare", path, path),
    ]


@pytest.mark.mpich
@pytest.mark.parametrize(
    "kind, reason",
    [("missing", "no such file|not found|does not exist"), ("folder", "director")],
    ids=["missing", "folder"],
)
def test_missing_file_and_directory(sill, tmp_path, kind, reason):
    path = tmp_path / NAME
    if kind == "folder":
        path.mkdir()
    jobs = commands_on(path, tmp_path)
    alone = [refused(sill, None, *job, code=4) for job in jobs]
    for one in alone:
        assert NAME in one.err
        assert re.search(reason, one.reason, re.I), f"{one.command}\n{one.err}"
    same_with_two_ranks(sill, alone, jobs, NAME)
    assert not (tmp_path / "out.sgy").exists()


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_target_in_a_missing_folder(sill, small, tmp_path, ranks):
    _, path = small
    target = tmp_path / "nowhere" / "out.sgy"
    failed = refused(sill, ranks, "sort", path, "-o", target, "--by", "cdp", code=4)
    assert "nowhere" in failed.err
    assert not target.parent.exists()


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_target_is_a_directory(sill, small, tmp_path, ranks):
    _, path = small
    target = tmp_path / "place"
    target.mkdir()
    assert "place" in sill.run("sort", path, "-o", target, "--by", "cdp", ranks=ranks, expect=4).err
    assert target.is_dir() and not os.listdir(target)
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_no_permission_to_read(unprivileged, open_folder, ranks):
    program, options, home = unprivileged
    path = segy_files.make(9, 10).write(open_folder / "secret.sgy")
    path.chmod(0)
    for arguments in commands_on(path, home)[: None if ranks is None else 1]:
        failed = program.run(*arguments, ranks=ranks, expect=4, **options)
        assert failed.out == ""
        assert failed.err.count("secret.sgy") >= 1
        assert "ermission denied" in failed.reason
    assert not (home / "out.sgy").exists()


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_no_permission_to_write(unprivileged, closed_folder, ranks):
    program, options, _ = unprivileged
    path, closed = closed_folder
    failed = program.run("sort", path, "-o", closed / "out.sgy", "--by", "cdp", ranks=ranks, expect=4, **options)
    assert "closed" in failed.err
    assert "ermission denied" in failed.reason
    assert not os.listdir(closed)


def test_an_unprivileged_user_can_sort_what_they_may_read(unprivileged, open_folder):
    """The control of the two tests above."""
    program, options, home = unprivileged
    path = segy_files.make(9, 10).write(open_folder / "in.sgy")
    path.chmod(0o444)
    for ranks in (None, 2):
        program.run("sort", path, "-o", home / "out.sgy", "--by", "cdp", ranks=ranks, **options)
        assert (home / "out.sgy").stat().st_size == path.stat().st_size


# Bad calls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("sotr",),
        ("--nonsense",),
        ("info",),
        ("scan",),
        ("sort",),
        ("compare",),
        ("make-survey",),
        ("info", "IN", "--nonsense"),
        ("sort", "IN", "--by", "cdp"),
        ("sort", "IN", "-o", "OUT"),
        ("sort", "IN", "-o", "OUT", "--by", ""),
        ("sort", "IN", "-o", "OUT", "--by", "cdp,"),
        ("sort", "IN", "-o", "OUT", "--by", "abs(cdp"),
        ("sort", "IN", "-o", "OUT", "--by", "@300:i4"),
        ("sort", "IN", "-o", "OUT", "--by", "cdp", "--method", "magic"),
        ("sort", "IN", "-o", "OUT", "--by", "cdp", "--memory", "banana"),
        ("sort", "IN", "-o", "OUT", "--by", "cdp", "--memory=-5"),
        ("sort", "IN", "-o", "OUT", "--by", "cdp", "--memory", "12Q"),
        ("sort", "IN", "-o", "OUT", "--by", "cdp", "--memory", "99999999999999999999G"),
        ("sort", "IN", "-o", "OUT", "--by", "cdp", "--threads", "1000000"),
        ("sort", "IN", "-o", "OUT", "--by", "cdp", "--threads=-1"),
        ("sort", "IN", "-o", "OUT", "--by", "cdp", "--threads", "two"),
        ("compare", "IN"),
        ("compare", "IN", "IN", "--tolerance", "much"),
        ("compare", "IN", "IN", "--tolerance=-1"),
        ("compare", "IN", "IN", "--tolerance", "nan"),
        ("make-survey", "OUT", "--traces", "0", "--samples", "10"),
        ("make-survey", "OUT", "--traces", "10", "--samples", "0"),
        ("make-survey", "OUT", "--traces", "10", "--samples", "70000"),
        ("make-survey", "OUT", "--traces=-3", "--samples", "10"),
        ("make-survey", "OUT", "--traces", "1e99", "--samples", "10"),
        ("make-survey", "OUT", "--traces", "10", "--samples", "10", "--sample-format", "float80"),
        ("make-survey", "OUT", "--traces", "10", "--samples", "10", "--revision", "2"),
        ("make-survey", "OUT", "--traces", "10", "--samples", "10", "--byte-order", "middle"),
    ],
    ids=" ".join,
)
def test_usage(sill, small, tmp_path, arguments):
    _, path = small
    places = {"IN": path, "OUT": tmp_path / "out.sgy"}
    failed = refused(sill, None, *(places.get(word, word) for word in arguments), code=2)
    assert failed.err.startswith("sill: error: ") and "to do:" in failed.err, failed.err
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.mpich
def test_usage_with_ranks(sill, small, tmp_path):
    _, path = small
    sort = ("sort", path, "-o", tmp_path / "out.sgy", "--by")
    jobs = [("sotr",), (*sort, "cpd"), (*sort, "cdp", "--threads", "two"), (*sort, "cdp", "--policy", "nonsense")]
    for job, both in zip(jobs, sill.run_together(jobs, ranks=2, expect=2), strict=True):
        first = next(line for line in sill.run(*job, expect=2).err.splitlines() if line.strip())
        assert both.out == ""
        assert both.err.count(first) == 1, both.err
    assert os.listdir(tmp_path) == [path.name]


def test_unknown_key_of_sort(sill, small, tmp_path):
    _, path = small
    failed = refused(sill, None, "sort", path, "-o", tmp_path / "o.sgy", "--by", "offset,cpd", code=2)
    assert re.search(r"did you mean[^\n]*\bcdp\b", failed.reason, re.I), failed.err


def test_unknown_word_of_compare(sill, small):
    _, path = small
    failed = refused(sill, None, "compare", path, path, "--ignore", "ofset", code=2)
    assert re.search(r"did you mean[^\n]*\boffset\b", failed.reason, re.I), failed.err


# Streams, several files, names, logs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", ["full", "closed"])
def test_errors_that_cannot_be_printed(sill, small, tmp_path, stream):
    _, path = small
    odd = segy_files.make(9, 10).put_word("ns", 7).write(tmp_path / "odd.sgy")
    assert "minor" in sill.run("sort", odd, "-o", tmp_path / "o.sgy", "--by", "cdp").err
    (tmp_path / "o.sgy").unlink()
    with open("/dev/full", "wb") as full:
        options = {"stderr": full} if stream == "full" else {"stderr": None, "preexec_fn": lambda: os.close(2)}
        for arguments, code in [
            (("info", tmp_path / "missing"), 4),
            (("sort", path, "-o", tmp_path / "o.sgy", "--by", "cpd"), 2),
            (("sort", odd, "-o", tmp_path / "o.sgy", "--by", "cdp"), 0),
        ]:
            process = sill.start(*arguments, **options)
            process.communicate(timeout=TIMEOUT_S)
            assert process.returncode == code, arguments
    assert (tmp_path / "o.sgy").stat().st_size == odd.stat().st_size


@pytest.mark.parametrize("order", [("missing", "tiny"), ("tiny", "missing")])
@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_info_of_two_bad_files_tells_both_once(sill, small, tmp_path, order, ranks):
    _, path = small
    (tmp_path / "tiny").write_bytes(bytes(10))
    expect = {"missing": 4, "tiny": 3}[order[1]]
    failed = sill.run("info", tmp_path / order[0], path, tmp_path / order[1], ranks=ranks, expect=expect)
    assert path.name in failed.out
    for name in order:
        assert len(re.findall(rf"(?m)^  file: .*/{name}$", failed.err)) == 1, failed.err
    assert failed.err.count("sill: error:") == 2


@pytest.mark.parametrize("name", ["[x]", "[a,b]", "[]", "[x].sgy"])
def test_names_in_brackets(sill, small, tmp_path, name):
    file, _ = small
    file.write(tmp_path / name)
    sill.run("info", name, cwd=tmp_path)
    sill.run("sort", name, "-o", "[o,p]", "--by", "tracl", "--keep-sorting-code", cwd=tmp_path)
    assert (tmp_path / "[o,p]").read_bytes() == file.to_bytes()


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_the_log_of_a_failed_run_tells_why(sill, tmp_path, ranks):
    path = tmp_path / NAME
    path.write_bytes(with_remainder())
    log = tmp_path / "log.txt"
    failed = sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp", "--log", log, ranks=ranks, expect=3)
    reason = next(line for line in failed.err.splitlines() if "sill: error:" in line).partition("error: ")[2]
    assert log.read_text().count(reason) == 1


def test_a_refused_log_is_not_written_to(sill, tmp_path):
    path = tmp_path / NAME
    path.write_bytes(with_remainder())
    sill.run("info", path, "--log", path, expect=2)
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp", "--log", path, expect=2)
    (tmp_path / "o.sgy").write_bytes(b"old")
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp", "--log", tmp_path / "o.sgy", expect=2)
    assert path.read_bytes() == with_remainder()
    assert (tmp_path / "o.sgy").read_bytes() == b"old"


def test_a_pipe_without_a_reader_is_no_log(sill, small, tmp_path):
    _, path = small
    os.mkfifo(tmp_path / "pipe")
    assert "no process reads" in sill.run("info", path, "--log", tmp_path / "pipe", expect=4).reason


def test_what_an_option_may_be_is_listed_whole(sill, small, tmp_path):
    _, path = small
    failed = refused(sill, None, "convert", path, "-o", tmp_path / "o", "--sample-format", "int12", code=2)
    assert "int12" in failed.err and "uint64" in failed.err


def test_a_pipe_that_is_read_is_a_log(sill, small, tmp_path):
    _, path = small
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE, text=True) as reader:
        end = time.monotonic() + TIMEOUT_S
        while sill.run("info", path, "--log", tmp_path / "pipe", expect=(0, 4)).code == 4 and time.monotonic() < end:
            time.sleep(0.01)  # until it is read
        logged = reader.communicate(timeout=TIMEOUT_S)[0]
    assert "sill info" in logged and "done in" in logged


@pytest.mark.parametrize("mode", ["ab", "wb"])
def test_what_is_open_is_no_output(sill, small, tmp_path, mode):
    _, path = small
    (tmp_path / "log.txt").write_text("earlier\n")
    with open(tmp_path / "log.txt", mode) as out:
        process = sill.start("convert", path, "-o", "/dev/stdout", stdout=out)
        err = process.communicate(timeout=TIMEOUT_S)[1].decode()
    assert process.returncode == 4 and "/dev/stdout" in err
    assert (tmp_path / "log.txt").read_text() == ("earlier\n" if mode == "ab" else "")
