"""Edits in place that are interrupted, refused, or meet another: all old or all new bytes, nobody left in doubt."""

import fcntl
import os
import re
import signal
import struct
import time

import numpy as np
import pytest
import segy_files
from caught import OLD, caught
from editing import journal, journal_of
from program import TIMEOUT_S, descendants_of, kill_group, leftovers

pytestmark = pytest.mark.nightly


@pytest.fixture
def half_done(tmp_path):
    """A file whose edit of cdp was interrupted after the first half of its traces: the old file and the path."""
    file = segy_files.make(20, 5)
    old = file.to_bytes()
    file.put_word("cdp", np.where(np.arange(20) < 10, 777, file.word("cdp")))
    path = file.write(tmp_path / "in.sgy")
    width = file.rows.shape[1]
    places = [3600 + i * width + 20 for i in range(20)]
    changes = [(at, old[at : at + 4], struct.pack(">i", 777)) for at in places]
    journal_of(path).write_bytes(journal(path, [changes[:7], [], changes[7:]]))
    return old, path


def replaced(path, data: bytes):
    """Another file, with another inode, takes the name of the file, which is moved away."""
    path.rename(path.with_name("moved.sgy"))
    path.write_bytes(data)


@pytest.mark.parametrize("ranks", [None, 2, 4])
def test_recover_undoes_what_was_done(sill, half_done, ranks):
    old, path = half_done
    done = sill.run("edit", path, "--recover", ranks=ranks)
    assert path.read_bytes() == old
    assert not journal_of(path).exists()
    assert "10 of its 20 changes" in done.out
    assert "no edit was interrupted" in sill.run("edit", path, "--recover", ranks=ranks).out


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("has_journal", [True, False])
def test_recover_removes_a_journal_that_was_never_complete(sill, half_done, has_journal, ranks):
    old, path = half_done
    if not has_journal:
        path.write_bytes(old)
        journal_of(path).unlink()
    left, other = (path.with_name(f".{name}.sill-{'0' * 16}.part") for name in (journal_of(path).name, "other.sgy"))
    left.write_bytes(b"begun")
    other.write_bytes(b"of another file")
    sill.run("edit", path, "--recover", ranks=ranks)
    assert path.read_bytes() == old and not left.exists() and not journal_of(path).exists()
    assert other.exists()


def test_the_next_edit_undoes_it_and_tells(sill, half_done):
    old, path = half_done
    done = sill.run("edit", path, "--set", "cdp=cdp+1")
    assert "undone" in done.err
    before = segy_files.parse(old)
    assert path.read_bytes() == before.put_word("cdp", before.word("cdp") + 1).to_bytes()


@pytest.mark.parametrize(
    "arguments",
    [
        ("scan", "IN", "--keys", "cdp"), ("sort", "IN", "-o", "OUT", "--by", "cdp"), ("convert", "IN", "-o", "OUT"),
        ("compare", "IN", "IN"), ("edit", "IN", "--set", "cdp=1", "--dry-run"),
        ("edit", "IN", "-o", "OUT", "--renumber"),
        ("header", "IN", "1"),
    ],
)  # fmt: skip
def test_readers_are_told(sill, half_done, tmp_path, arguments):
    _, path = half_done
    names = {"IN": path, "OUT": tmp_path / "out.sgy"}
    refused = sill.run(*[names.get(word, word) for word in arguments], expect=None)
    assert refused.code == 3, refused.text
    assert "--recover" in refused.err and "interrupted" in refused.err
    assert journal_of(path).exists()


def test_info_shows_it(sill, half_done):
    _, path = half_done
    assert "interrupted" in sill.run("info", path, expect=None).text


def test_a_link_has_the_journal_of_its_file(sill, half_done, tmp_path):
    old, path = half_done
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.sgy"
    link.symlink_to(path)
    sill.run("scan", link, "--keys", "cdp", expect=3)
    sill.run("edit", link, "--recover")
    assert path.read_bytes() == old


@pytest.mark.parametrize("damage", ["flipped", "cut", "text", "other size", "other bytes", "other header",
                                    "version", "empty"])
@pytest.mark.parametrize("ranks", [None, 3])
def test_what_cannot_be_undone_is_left_alone(sill, half_done, damage, ranks):
    _, path = half_done
    kept = bytearray(journal_of(path).read_bytes())
    data = bytearray(path.read_bytes())
    if damage == "flipped":
        kept[-1] ^= 1
    elif damage == "cut":
        del kept[-5:]
    elif damage == "text":
        kept[:] = b"notes of mine, long enough to be taken for a head of something"
    elif damage == "empty":
        kept.clear()
    elif damage == "other header":
        data[3300] ^= 1
    elif damage == "version":
        kept[8] = 1
    elif damage == "other size":
        data += bytes(len(data) - 3600)
    else:
        data[3600 + 20] = 5
    journal_of(path).write_bytes(kept)
    path.write_bytes(data)
    for arguments in [("--recover",), ("--set", "cdp=1")]:
        sill.run("edit", path, *arguments, ranks=ranks, expect=3)
        assert path.read_bytes() == data
        assert journal_of(path).read_bytes() == kept


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_copy_is_undone_only_as_asked(sill, half_done, ranks):
    old, path = half_done
    half = path.read_bytes()
    replaced(path, half)
    refused = sill.run("edit", path, "--set", "cdp=1", ranks=ranks, expect=3)
    assert "inode" in refused.err and "--recover" in refused.err
    assert path.read_bytes() == half and journal_of(path).exists()
    assert "copy" in sill.run("edit", path, "--recover", ranks=ranks).err
    assert path.read_bytes() == old and not journal_of(path).exists()


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_file_that_was_edited_elsewhere_is_left_alone(sill, half_done, ranks):
    old, path = half_done
    done = segy_files.parse(old).put_word("cdp", 777).to_bytes()
    replaced(path, done)
    for arguments in [("--recover",), ("--set", "cdp=1")]:
        sill.run("edit", path, *arguments, ranks=ranks, expect=3)
        assert path.read_bytes() == done and journal_of(path).exists()


def test_a_file_that_is_moved_with_its_journal(sill, half_done, tmp_path):
    old, path = half_done
    (tmp_path / "elsewhere").mkdir()
    moved = tmp_path / "elsewhere" / "other.sgy"
    path.rename(moved)
    journal_of(path).rename(journal_of(moved))
    assert "undone" in sill.run("edit", moved, "--set", "cdp=cdp").err
    assert moved.read_bytes() == old


@pytest.mark.parametrize(
    "arguments, code",
    [
        (["--set", "cdp=nix"], 2), (["--set", "cdp=1", "--where", "cdp"], 2), (["--set", "cdp=1,cdp=2"], 2),
        (["--where", "cdp==1"], 2), (["--rescale", "nix=3"], 2), (["--text", "nix.txt"], 4),
        (["--renumber", "--set", "tracl=1"], 2), (["--set", "sx=x", "--from", "CSV", "--match", "nix"], 2),
        (["--set", "cdp=1", "--from", "CSV", "--match", "fldr"], 2),
        (["--set", "sx=x", "--from", "WRONG", "--match", "fldr"], 3),
        (["--set", "sx=x", "--from", "TWICE", "--match", "fldr"], 3), ([], 2),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ranks", [None, 2])
def test_what_cannot_be_does_not_undo(sill, half_done, tmp_path, arguments, code, ranks):
    """Nothing is touched for the sake of a command that is wrong."""
    _, path = half_done
    (tmp_path / "nav.csv").write_text("fldr,x\n100,1\n")
    (tmp_path / "wrong.csv").write_text("fldr,x\n100\n")
    (tmp_path / "twice.csv").write_text("fldr,x\n100,1\n100,2\n")
    names = {"CSV": tmp_path / "nav.csv", "WRONG": tmp_path / "wrong.csv", "TWICE": tmp_path / "twice.csv"}
    half, kept = path.read_bytes(), journal_of(path).read_bytes()
    sill.run("edit", path, *[names.get(word, word) for word in arguments], ranks=ranks, expect=code)
    assert path.read_bytes() == half and journal_of(path).read_bytes() == kept


def test_a_file_with_two_names(sill, small, tmp_path):
    """The journal lies beside one of them, and readers of the other would not be told."""
    file, path = small
    second = tmp_path / "second name.sgy"
    second.hardlink_to(path)
    try:
        for name in [path, second]:
            refused = sill.run("edit", name, "--set", "cdp=1", ranks=2, expect=2)
            assert "2 names" in refused.err
        assert path.read_bytes() == file.to_bytes()
        sill.run("edit", path, "--set", "cdp=1", "--dry-run")
        sill.run("edit", path, "-o", tmp_path / "out.sgy", "--set", "cdp=1")
        assert segy_files.read(tmp_path / "out.sgy").word("cdp").tolist() == [1] * file.traces
    finally:
        second.unlink()


def test_an_interrupted_edit_of_a_file_with_two_names_is_undone(sill, half_done, tmp_path):
    old, path = half_done
    (tmp_path / "second.sgy").hardlink_to(path)
    sill.run("edit", path, "--recover")
    assert path.read_bytes() == old


@pytest.mark.parametrize("command", [["sort", "--by", "cdp"], ["cut", "--where", "trace > 1"], ["convert"],
                                     ["edit", "--set", "cdp=1"], ["split", "--by", "trid"]])  # fmt: skip
def test_no_output_takes_the_place_of_a_half_edited_file(sill, half_done, small, command):
    _, path = half_done
    half, kept = path.read_bytes(), journal_of(path).read_bytes()
    target = str(path).replace(path.name, "{trid}") if command[0] == "split" else path
    if command[0] == "split":
        journal_of(path.with_name("1")).write_bytes(kept)
    said = sill.run(command[0], small[1], "-o", target, *command[1:], expect=2).err
    assert "journal of an interrupted edit" in said
    assert path.read_bytes() == half and journal_of(path).read_bytes() == kept


def test_reports_keep_away_from_journals(sill, small):
    path = small[1]
    sill.run("edit", path, "--set", "cdp=trace", "--report", journal_of(path), expect=2)
    assert not journal_of(path).exists()


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_file_that_changes_while_it_is_read(sill, large, target, ranks):
    path = large[1]
    before = path.stat()
    try:
        with caught(sill, path, target, ranks=ranks) as stopped:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 10**9))
            code, said = stopped.end()
    finally:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert code == 4 and "was changed while it was read" in said
    assert target.read_bytes() == OLD and leftovers(target.parent) == []


def test_two_edits_at_once(sill, small):
    file, path = small
    with path.open("r+b") as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        for arguments in [("--set", "cdp=1"), ("--recover",)]:
            refused = sill.run("edit", path, *arguments, ranks=2, expect=4)
            assert "another edit" in refused.err
    assert path.read_bytes() == file.to_bytes()
    sill.run("edit", path, "--set", "cdp=1", ranks=2)


@pytest.mark.parametrize("ranks", [None, 3])
def test_full_disk(sill, tiny_disk, ranks):
    file = segy_files.make(3000, 1)
    path = file.write(tiny_disk / "in.sgy")
    words = ",".join(f"{name}={name}+1" for name in ["fldr", "cdp", "offset", "iline", "gelev", "swdep"])
    failed = sill.run("edit", path, "--set", words, ranks=ranks, expect=4)
    assert re.search("(?i)no space|full", failed.reason), failed.err
    assert path.read_bytes() == file.to_bytes()
    assert os.listdir(tiny_disk) == ["in.sgy"]


def test_a_read_only_file(sill, unprivileged, small):
    """Root may write everything, so this is another user's file."""
    program, options, folder = unprivileged
    file = segy_files.make(5, 5)
    path = file.write(folder / "in.sgy")
    path.chmod(0o444)
    program.run("edit", path, "--set", "cdp=1", expect=4, **options)
    assert path.read_bytes() == file.to_bytes()


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_folder_without_room_for_a_journal(sill, unprivileged, ranks):
    """The file may be written, and nothing be put beside it."""
    program, options, home = unprivileged
    folder = home / "closed"
    folder.mkdir()
    file = segy_files.make(5, 5)
    path = file.write(folder / "in.sgy")
    path.chmod(0o666)
    if "user" in options:
        os.chown(folder, options["user"], options["group"])
    folder.chmod(0o555)
    try:
        refused = program.run("edit", path, "--set", "cdp=777", ranks=ranks, expect=4, **options)
        assert "ermission" in refused.err
        assert path.read_bytes() == file.to_bytes() and os.listdir(folder) == ["in.sgy"]
        program.run("edit", path, "--set", "cdp=cdp", ranks=ranks, **options)
    finally:
        folder.chmod(0o755)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    file = segy_files.make(150_000, 1, code=8)
    path = file.write(tmp_path_factory.mktemp("many") / "many.sgy")
    return file, path


@pytest.mark.parametrize("ranks, victims", [(None, slice(None)), (2, slice(None)), (3, slice(-1, None))])
@pytest.mark.parametrize("stage", ["preparing", "writing"])
def test_killed(sill, many, stage, ranks, victims):
    """Whenever it is killed, the old bytes can be had again: by a journal, or the file is old or new as a whole."""
    file, path = many
    old = file.to_bytes()
    path.write_bytes(old)
    words = ",".join(f"{name}={name}+1" for name in ["fldr", "cdp", "offset", "iline", "gelev"])
    new = file.copy()
    for name in ["fldr", "cdp", "offset", "iline", "gelev"]:
        new.put_word(name, file.word(name) + 1)
    caught = 0
    for attempt in range(8):
        path.write_bytes(old)
        process = sill.start("edit", path, "--set", words, "--threads", 1, ranks=ranks)
        until = time.monotonic() + TIMEOUT_S
        while process.poll() is None and time.monotonic() < until:
            names = os.listdir(path.parent)
            if journal_of(path).name in names or (stage == "preparing" and leftovers(path.parent)):
                break
        time.sleep(0.01 * attempt if stage == "writing" else 0)
        # The program and its launcher, or the last rank alone: then the launcher ends the others.
        for pid in [process.pid, *descendants_of(process.pid)][victims]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if victims != slice(None):
            process.wait(60)
        kill_group(process)
        if journal_of(path).exists():
            caught += 1
            sill.run("scan", path, "--keys", "cdp", expect=3)
            sill.run("edit", path, "--recover", ranks=ranks)
            assert path.read_bytes() == old
        else:
            caught += stage == "preparing"
            assert path.read_bytes() in (old, new.to_bytes())
        if caught >= 3:
            break
    assert caught > 0
    sill.run("edit", path, "--set", "cdp=1")
    assert leftovers(path.parent) == [] and not journal_of(path).exists()
