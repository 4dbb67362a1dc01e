"""`sill split`: a file for each value of its keys, against the oracle, byte for byte."""

import json
import re
import subprocess

import numpy as np
import pytest
import segy_files
import segy_forms
from program import TIMEOUT_S, clean_environment, leftovers
from test_cut import chosen


def names_in(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("ranks", [None, 1, 2, 3, 4])
@pytest.mark.parametrize("policy", ["direct", "staged", "collective,threads=1"])
def test_each_shot(sill, tmp_path, ranks, policy):
    if policy.startswith("collective") and ranks in (None, 1, 4):
        pytest.skip("two and three ranks show it")
    file = segy_files.make(131, 9)
    path = file.write(tmp_path / "f.sgy")
    out = tmp_path / "out"
    out.mkdir()
    result = sill.run("split", path, "-o", out / "shot_{fldr:06}.sgy", "--by", "fldr", "--policy", policy, ranks=ranks)
    shots = file.word("fldr")
    assert names_in(out) == [f"shot_{shot:06d}.sgy" for shot in np.unique(shots)]
    for shot in np.unique(shots):
        assert (out / f"shot_{shot:06d}.sgy").read_bytes() == chosen(file, shots == shot).to_bytes()
    assert "131 of 131 traces into 11 files" in result.out


def test_the_pattern_says_the_keys(sill, tmp_path):
    file = segy_files.make(131, 9)
    path = file.write(tmp_path / "f.sgy")
    for name in ("said", "by_itself"):
        (tmp_path / name).mkdir()
    pattern = "{fldr:06}_{cdp}.sgy"
    sill.run("split", path, "-o", tmp_path / "said" / pattern, "--by", "fldr,cdp", "--history")
    sill.run("split", path, "-o", tmp_path / "by_itself" / pattern, "--history")
    assert names_in(tmp_path / "said") == names_in(tmp_path / "by_itself")
    for name in names_in(tmp_path / "said"):
        assert (tmp_path / "said" / name).read_bytes() == (tmp_path / "by_itself" / name).read_bytes()
    assert "contains no key" in sill.run("split", path, "-o", tmp_path / "x.sgy", expect=2).err


@pytest.mark.parametrize("ranks", [None, 2, 4])
def test_few_files_are_written_by_all_ranks(sill, tmp_path, ranks):
    file = segy_forms.make(200, 20, additional=1, trailers=1)
    path = file.write(tmp_path / "f.sgy")
    report = tmp_path / "report.json"
    sill.run("split", path, "-o", tmp_path / "near_{abs(offset) < 500}.sgy", "--by", "-(abs(offset) < 500)",
             "--report", report, ranks=ranks, expect=2)  # fmt: skip
    sill.run("split", path, "-o", tmp_path / "near_{abs(offset) < 500}.sgy", "--by", "abs(offset) < 500",
             "--report", report, ranks=ranks)  # fmt: skip
    near = abs(file.word("offset")) < 500
    for value in (0, 1):
        assert (tmp_path / f"near_{value}.sgy").read_bytes() == chosen(file, near == value).to_bytes()
    told = json.loads(report.read_text())
    assert [f["traces"] for f in told["files"]] == [int((~near).sum()), int(near.sum())]


@pytest.mark.parametrize("ranks", [None, 3])
def test_several_keys_and_a_condition(sill, tmp_path, ranks):
    files = [segy_files.make(60, 7, seed=seed) for seed in (1, 2)]
    paths = [f.write(tmp_path / f"in{i}.sgy") for i, f in enumerate(files)]
    both = files[0].copy()
    both.rows = np.concatenate([f.rows for f in files])
    out = tmp_path / "out"
    out.mkdir()
    sill.run("split", *paths, "-o", out / "{iline}_{xline:03}_{file}.sgy", "--by", "iline,-xline,file", "--where",
             "xline > -15", ranks=ranks)  # fmt: skip
    number = np.repeat([1, 2], 60)
    groups = {}
    for i, (iline, xline) in enumerate(zip(both.word("iline"), both.word("xline"), strict=True)):
        if xline > -15:
            groups.setdefault(f"{iline}_{xline:03d}_{number[i]}.sgy", []).append(i)
    assert names_in(out) == sorted(groups)
    for name, traces in groups.items():
        assert (out / name).read_bytes() == both.permuted(traces).to_bytes()


def test_traces_of_different_lengths(sill, tmp_path):
    file = segy_files.make(48, 40)
    lengths = 20 + np.arange(48) % 20
    path = tmp_path / "f.sgy"
    path.write_bytes(segy_forms.varying(file, lengths))
    sill.run("split", path, "-o", tmp_path / "{fldr}.sgy", "--by", "fldr")
    for shot in np.unique(file.word("fldr")):
        some = file.word("fldr") == shot
        assert (tmp_path / f"{shot}.sgy").read_bytes() == segy_forms.varying(chosen(file, some), lengths[some])


@pytest.mark.parametrize("ranks", [None, 2])
def test_numbers_and_history(sill, tmp_path, ranks):
    file = segy_files.make(60, 8)
    path = file.write(tmp_path / "f.sgy")
    sill.run("split", path, "-o", tmp_path / "{fldr}.sgy", "--by", "fldr", "--renumber", "--history", ranks=ranks)
    for shot in np.unique(file.word("fldr")):
        out = segy_files.read(tmp_path / f"{shot}.sgy")
        assert np.array_equal(out.word("tracl"), np.arange(1, 13))
        assert bytes(out.head[80:160]).decode("cp037").startswith("C 2 SILL SPLIT BY fldr")


def test_seismic_unix(sill, tmp_path):
    file = segy_forms.make_su(40, 10, order="little")
    sill.run("split", file.write(tmp_path / "f.su"), "-o", tmp_path / "{fldr}.su", "--by", "fldr", ranks=2)
    some = file.word("fldr") == 101
    assert (tmp_path / "101.su").read_bytes() == chosen(file, some).to_bytes()


@pytest.mark.parametrize("ranks", [None, 2])
def test_two_groups_never_share_a_file(sill, tmp_path, ranks):
    path = segy_files.make(24, 9).write(tmp_path / "f.sgy")
    for shot in (100, 101):
        (tmp_path / f"l_{shot}.sgy").symlink_to(tmp_path / "real.txt")
    for attempt in ("missing", "there"):
        said = sill.run("split", path, "-o", tmp_path / "l_{fldr}.sgy", "--by", "fldr", expect=2, ranks=ranks).err
        assert "two groups" in said, attempt
        assert (tmp_path / "real.txt").exists() == (attempt == "there")
        (tmp_path / "real.txt").write_text("precious")
    assert (tmp_path / "real.txt").read_text() == "precious"
    (tmp_path / "1").mkdir()
    file = segy_files.make(8, 9).put_word("trid", 1 + np.arange(8) % 2)
    (tmp_path / "2").mkdir()
    sill.run("split", file.write(path), "-o", tmp_path / "{trid}/../c_{fldr}.sgy", "--by", "trid,fldr", expect=2)


def test_side_outputs_and_folders_are_no_groups_files(sill, tmp_path):
    path = segy_files.make(24, 9).write(tmp_path / "f.sgy")
    for option in ("--report", "--log"):
        sill.run("split", path, "-o", tmp_path / "q_{fldr}.sgy", "--by", "fldr", option, tmp_path / "q_100.sgy", expect=2)
    (tmp_path / "d_100.sgy").write_text("precious")
    (tmp_path / "d_101.sgy").mkdir()
    assert "is a folder" in sill.run("split", path, "-o", tmp_path / "d_{fldr}.sgy", "--by", "fldr", expect=2).err
    assert (tmp_path / "d_100.sgy").read_text() == "precious"


def test_refusals(sill, tmp_path, small):
    file, path = small
    file.copy().put(233, "u1", ord(".")).put(234, "u1", ord(".")).write(path)
    before = names_in(tmp_path)
    for pattern, options, code, said in [
        ("out.sgy", ["--by", "fldr"], 2, "does not contain the key 'fldr'"),
        ("{cdp}.sgy", ["--by", "fldr"], 2, "not a key of --by"),
        ("{fldr.sgy", ["--by", "fldr"], 2, "brace"),
        ("fldr}.sgy", ["--by", "fldr"], 2, "brace"),
        ("{fldr:0x}.sgy", ["--by", "fldr"], 2, "digits"),
        ("{trace}.sgy", ["--by", "trace", "--max-files", "100"], 2, "files or more, but at most 100"),
        ("{fldr}.sgy", ["--by", "fldr", "--where", "fldr < 0"], 2, "none of 120 traces"),
        ("no/folder/{fldr}.sgy", ["--by", "fldr"], 4, "no/folder"),
        ("{@1:a4}.sgy", ["--by", "@1:a4"], 3, "cannot be part of a file's name"),
        ("a/{@233:a2}/x.sgy", ["--by", "@233:a2"], 3, "cannot be part of a file's name"),
    ]:
        assert said in sill.run("split", path, "-o", tmp_path / pattern, *options, expect=code).err
    assert names_in(tmp_path) == before
    link = tmp_path / "100.sgy"
    link.hardlink_to(path)
    assert "is also an input" in sill.run("split", path, "-o", tmp_path / "{fldr}.sgy", "--by", "fldr", expect=2).err
    assert names_in(tmp_path) == sorted([*before, "100.sgy"]) and leftovers(tmp_path) == []


def test_what_else_the_command_reads_is_not_replaced(sill, tmp_path):
    file = segy_files.make(9, 4)
    path = file.write(tmp_path / "line_1.sgy")
    words = tmp_path / "m1.toml"
    words.write_text('[words.line_number]\nbyte = 181\ntype = "i4"\n')
    before = words.read_bytes()
    file.put_word("fldr", 1).write(path)
    sill.run("split", path, "-o", tmp_path / "m{fldr}.toml", "--by", "fldr", "--map", words, expect=2)
    assert words.read_bytes() == before
    sill.run("split", path, "-o", tmp_path / "line_{fldr}.sgy.sill-journal", "--by", "fldr", expect=2)
    sill.run("split", path, "-o", tmp_path / "line_{fldr}.sgy.sill-index", "--by", "fldr", expect=2)
    assert names_in(tmp_path) == ["line_1.sgy", "m1.toml"]


def test_traces_that_tell_another_length_are_told(sill, tmp_path):
    file = segy_files.make(9, 20).put_binary(3503, "i2", 1)
    file.put_word("ns", np.where(np.arange(9) == 4, 19, 20))
    path = file.write(tmp_path / "f.sgy")
    for command in (["split", path, "-o", tmp_path / "s{fldr}.sgy", "--by", "fldr"],
                    ["cut", path, "-o", tmp_path / "c.sgy", "--where", "trace > 2"]):  # fmt: skip
        assert "1 trace states another number of samples" in sill.run(*command).text


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("policy", ["direct", "elected"])
def test_a_full_disk_leaves_all_old_targets(sill, tmp_path, tiny_disk, ranks, policy):
    """Three of eleven files would fit: none takes its name."""
    path = segy_files.make(121, 6000).write(tmp_path / "in.sgy")
    for shot in range(100, 105):
        (tiny_disk / f"{shot}.sgy").write_bytes(b"old")
    before = names_in(tiny_disk)
    failed = sill.run("split", path, "-o", tiny_disk / "{fldr}.sgy", "--by", "fldr", "--policy", policy, ranks=ranks,
                      expect=4)  # fmt: skip
    assert re.search("(?i)no space|full", failed.reason), failed.err
    assert names_in(tiny_disk) == before
    assert all((tiny_disk / name).read_bytes() == b"old" for name in before)


@pytest.mark.parametrize("ranks", [None, 2])
def test_more_files_than_may_be_open(sill, tmp_path, ranks):
    file = segy_files.make(3000, 2)
    path = file.write(tmp_path / "in.sgy")
    out = tmp_path / "out"
    out.mkdir()
    command = sill.command("split", path, "-o", out / "{trace}.sgy", "--by", "trace", ranks=ranks)
    limited = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh", *command]
    done = subprocess.run(limited, env=clean_environment(), capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    assert len(names_in(out)) == 3000
    assert (out / "77.sgy").read_bytes() == file.permuted([76]).to_bytes()


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_file_that_cannot_take_its_name(sill, tmp_path, ranks):
    """A mount point cannot be replaced, which only the renaming finds out: the error says what was."""
    file = segy_files.make(131, 9)
    path = file.write(tmp_path / "in.sgy")
    out = tmp_path / "out"
    out.mkdir()
    held = out / "104.sgy"
    held.write_bytes(b"held")
    (out / "103.sgy").write_bytes(b"old")
    (out / "105.sgy").write_bytes(b"old")
    if subprocess.run(["mount", "--bind", held, held], capture_output=True).returncode != 0:
        pytest.skip("a file cannot be mounted here")
    try:
        failed = sill.run("split", path, "-o", out / "{fldr}.sgy", "--by", "fldr", ranks=ranks, expect=4)
    finally:
        subprocess.run(["umount", held], check=True)
    assert held.read_bytes() == b"held"
    assert (out / "103.sgy").read_bytes() == chosen(file, file.word("fldr") == 103).to_bytes()
    assert (out / "105.sgy").read_bytes() == b"old" and leftovers(out) == []
    assert f"{out}/100.sgy to {out}/103.sgy" in failed.err
    named = set(names_in(out)) - {"104.sgy", "105.sgy"}
    assert named == {f"{shot}.sgy" for shot in (range(100, 104) if ranks is None else [*range(100, 104), *range(106, 111)])}
    if ranks is not None:
        assert f"{out}/106.sgy to {out}/110.sgy" in failed.err


@pytest.mark.parametrize("ranks", [None, 3])
def test_buffers_may_take_all_memory(sill, tmp_path, monkeypatch, ranks):
    monkeypatch.setenv("SILL_OPTIONS", "memory=1000000G")
    file = segy_files.make(50, 20).put_word("fldr", 1 + np.arange(50) // 30)
    path = file.write(tmp_path / "f.sgy")
    sill.run("split", path, "-o", tmp_path / "{fldr}.sgy", "--by", "fldr", ranks=ranks)
    for shot in (1, 2):
        assert (tmp_path / f"{shot}.sgy").read_bytes() == chosen(file, file.word("fldr") == shot).to_bytes()
