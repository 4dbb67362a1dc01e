"""`sill split`: a file for each value of its keys, against the oracle, byte for byte."""

import json

import numpy as np
import pytest
import segy_files
import segy_forms
from program import leftovers
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


def test_refusals(sill, tmp_path, small):
    _, path = small
    before = names_in(tmp_path)
    for pattern, options, code, said in [
        ("out.sgy", ["--by", "fldr"], 2, "no place for the key 'fldr'"),
        ("{cdp}.sgy", ["--by", "fldr"], 2, "no key of --by"),
        ("{fldr.sgy", ["--by", "fldr"], 2, "brace"),
        ("fldr}.sgy", ["--by", "fldr"], 2, "brace"),
        ("{fldr:0x}.sgy", ["--by", "fldr"], 2, "digits"),
        ("{trace}.sgy", ["--by", "trace", "--most-files", "100"], 2, "120 files, more than 100"),
        ("{fldr}.sgy", ["--by", "fldr", "--where", "fldr < 0"], 2, "none of 120 traces"),
        ("no/folder/{fldr}.sgy", ["--by", "fldr"], 4, "no/folder"),
        ("{@1:a4}.sgy", ["--by", "@1:a4"], 3, "cannot be part of a file's name"),
    ]:
        assert said in sill.run("split", path, "-o", tmp_path / pattern, *options, expect=code).err
    assert names_in(tmp_path) == before
    link = tmp_path / "100.sgy"
    link.hardlink_to(path)
    assert "is also an input" in sill.run("split", path, "-o", tmp_path / "{fldr}.sgy", "--by", "fldr", expect=2).err
    assert names_in(tmp_path) == sorted([*before, "100.sgy"]) and leftovers(tmp_path) == []
