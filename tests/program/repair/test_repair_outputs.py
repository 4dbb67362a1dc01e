"""`sill repair` and what it writes: for all ranks and policies, dry runs, streams, marks, failures."""

import gzip
import os
import resource

import numpy as np
import pytest
import segy_files
import segy_forms
from caught import OLD, catch_in_the_act
from program import TIMEOUT_S, kill_group
from repairing import new_target, refused, repaired, rich_in_ends
from test_peculiarities import copied_as_text, file, numbered, su


@pytest.fixture
def target(tmp_path):
    return new_target(tmp_path)


def damaged() -> segy_files.Segy:
    made = segy_forms.make(100, 30, order="little", additional=1, extended=1, trailers=1)
    return made.put_binary(3513, "u8", 7).put_word("ns", 462).put_word("dt", 4000)


@pytest.mark.parametrize("policy", ["direct", "gathered", "elected", "aggregated,align=4K", "collective"])
def test_ranks_and_policies(sill, tmp_path, target, policy):
    content = damaged().to_bytes()
    wanted = damaged().put_binary(3513, "u8", 100).put_word("ns", 30).put_word("dt", 2000)
    for ranks in (None, 2, 3):
        repaired(sill, content, tmp_path, target, "--policy", policy, "--assume", "interval=2000", ranks=ranks)
        assert target.read_bytes() == wanted.to_bytes()
    ends = rich_in_ends()
    repaired(sill, copied_as_text(ends), tmp_path, target, "--policy", policy, ranks=2)
    assert target.read_bytes() == ends.to_bytes()
    cut = file(60)
    for ranks in (None, 3):
        repaired(sill, cut.to_bytes()[:-8], tmp_path, target, "--policy", policy, "--last-trace", "pad", ranks=ranks)
        assert target.read_bytes() == cut.to_bytes()[:-8] + bytes(8)


def repairs_told(said: str) -> list[str]:
    """The lines that tell a repair, and why; the others tell the output."""
    lines = said.splitlines()[1:]
    return [line for line in lines if not line.startswith(("  traces ", "  time ", "  not repaired"))]


def test_dry_run_writes_nothing(sill, tmp_path, target):
    for content, options, repairs in (
        (damaged().to_bytes(), ["--assume", "interval=2000"], 3), (file().to_bytes()[:-30], ["--last-trace", "pad"], 1),
        (file().to_bytes(), [], 0), (copied_as_text(numbered(50)), [], 1),
    ):  # fmt: skip
        path = tmp_path / "f.sgy"
        path.write_bytes(content)
        dry = sill.run("repair", path, "-o", target, "--dry-run", *options).out
        assert list(target.parent.iterdir()) == []
        done = sill.run("repair", path, "-o", target, *options).out
        assert repairs_told(dry) == repairs_told(done)
        assert len(repairs_told(dry)) == 2 * repairs
        count = f"{repairs} repair" if repairs else "nothing to repair"
        assert dry.startswith(count) and done.startswith(count)
        target.unlink()


def test_standard_streams(sill, tmp_path):
    path, content = tmp_path / "f.sgy", file().to_bytes()
    path.write_bytes(content + bytes(300))
    assert "padding" in sill.run("repair", path, "-o", "-", "--dry-run").out
    with path.open("rb") as given, (tmp_path / "o.sgy").open("wb") as taken:
        process = sill.start("repair", "-", "-o", "-", stdin=given, stdout=taken)
        assert b"padding" in process.communicate(timeout=TIMEOUT_S)[1] and process.returncode == 0
    assert (tmp_path / "o.sgy").read_bytes() == content


def test_marks(sill, tmp_path, target):
    made = file(60, revision=(1, 0)).put_word("tracl", 5).put_word("tracr", 6).put_word("cdp", np.arange(60) // 7)
    repaired(sill, made.to_bytes()[:-30], tmp_path, target, "--last-trace", "pad", "--renumber", "--history")
    out = segy_files.read(target)
    assert np.array_equal(out.word("tracl"), np.arange(1, 61)) and np.array_equal(out.word("tracr"), np.arange(1, 61))
    assert np.array_equal(out.word("cdpt"), np.arange(60) % 7 + 1)
    assert "SILL REPAIR LAST TRACE pad".upper() in sill.run("text", target).out.upper()
    assert "no text header" in refused(sill, su(), tmp_path, target, "--history", code=2)


@pytest.mark.parametrize("mark", ["--renumber", "--history"])
def test_marks_change_a_sound_file(sill, tmp_path, target, mark):
    made = file().put_word("tracl", 5)
    said = repaired(sill, made.to_bytes(), tmp_path, target, mark)["said"]
    assert "nothing to repair; written to" in said and "as it is" not in said
    assert target.read_bytes() != made.to_bytes()


def test_what_cannot_be_repaired(sill, tmp_path, target):
    sound = file().to_bytes()
    assert "SEG-2" in refused(sill, b"\x55\x3a\x01\x00" + bytes(5000), tmp_path, target)
    assert "gzip" in refused(sill, gzip.compress(sound), tmp_path, target)
    assert "empty" in refused(sill, b"", tmp_path, target)
    refused(sill, sound[:3000], tmp_path, target)
    path = tmp_path / "f.sgy"
    path.write_bytes(sound)
    sill.run("repair", path, "-o", path, expect=2)
    sill.run("repair", path, path, "-o", target, expect=2)
    sill.run("repair", tmp_path / "none.sgy", "-o", target, expect=4)
    assert path.read_bytes() == sound


def test_a_full_disk_leaves_nothing(sill, tmp_path, target):
    for content in (damaged().put_word("dt", 2000).to_bytes(), copied_as_text(numbered(50))):
        reason = refused(
            sill, content, tmp_path, target, code=4,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
        )  # fmt: skip
        assert "File too large" in reason


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_killed_repair_leaves_the_old_target_and_the_next_removes_its_leftover(sill, large, tmp_path, target, ranks):
    _, path = large
    target.write_bytes(OLD)
    process, part = catch_in_the_act(sill, path, target, ranks=ranks, command=("repair", "--byte-order", "little"))
    kill_group(process)
    assert target.read_bytes() == OLD
    assert set(os.listdir(target.parent)) <= {target.name, part.name}
    if ranks is None:
        assert part.exists()
    repaired(sill, file().to_bytes(), tmp_path, target)
    assert target.read_bytes() == file().to_bytes()
