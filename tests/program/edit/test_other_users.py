"""Shared folders: what other users put there is not followed, and what Sill puts there allows nobody more."""

import json
import os
import shutil
import signal
import stat
import struct
import subprocess
import time

import numpy as np
import pytest
import segy_files
from caught import caught
from editing import checksum, journal, journal_of
from program import clean_environment, kill_group
from index_files import any_samples, varying

pytestmark = pytest.mark.nightly

NOBODY = 65534
OTHER = 65533


@pytest.fixture
def shared(unprivileged):
    """A file of an unprivileged user, half edited as its journal says, the program run by that user, and the old file."""
    if os.geteuid() != 0:
        pytest.skip("only root can make files of two users")
    program, options, home = unprivileged
    folder = home / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    file = segy_files.make(20, 5)
    old = file.to_bytes()
    file.put_word("cdp", np.where(np.arange(20) < 10, 777, file.word("cdp")))
    path = file.write(folder / "in.sgy")
    os.chown(path, NOBODY, NOBODY)
    width = file.rows.shape[1]
    places = [3600 + i * width + 20 for i in range(20)]
    changes = [(at, old[at : at + 4], struct.pack(">i", 777)) for at in places]
    journal_of(path).write_bytes(journal(path, [changes]))
    return program, options, path, old


def same(path, out) -> list:
    """A command that writes all traces as they are."""
    return ["sort", path, "-o", out, "--by", "trace", "--keep-sorting-code"]


def of_other(path, mode=0o644):
    os.chown(path, OTHER, OTHER, follow_symlinks=False)
    if not path.is_symlink():
        path.chmod(mode)


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_journal_of_another_user_stops_readers_and_edits(shared, tmp_path, ranks):
    program, options, path, _ = shared
    of_other(journal_of(path))
    half, kept = path.read_bytes(), journal_of(path).read_bytes()
    out = path.with_name("out.sgy")
    for command in (["scan", path, "--keys", "cdp"], ["sort", path, "-o", out, "--by", "cdp"], ["text", path],
                    ["index", path], ["repair", path, "-o", out], ["edit", path, "--set", "cdp=1"],
                    ["edit", path, "--recover"], ["edit", path, "--recover", "--journal-of", "nobody"]):  # fmt: skip
        said = program.run(*command, ranks=ranks, expect=4, **options).err
        assert str(OTHER) in said and "--recover" in said and "--ignore-journal" in said
    assert path.read_bytes() == half and journal_of(path).read_bytes() == kept and not out.exists()
    for command in (["info", path], ["info", path, "--json"], ["check", path], ["check", path, "--json", "-"]):
        said = program.run(*command, ranks=ranks, expect=4, **options)
        assert str(OTHER) in said.out and str(OTHER) in said.err and "--journal-of" in said.err
    program.run("sort", path, "-o", path, "--by", "cdp", expect=None, **options)
    assert path.read_bytes() == half


def test_a_journal_that_cannot_be_read_stops_too(shared):
    program, options, path, _ = shared
    of_other(journal_of(path), 0)
    assert str(OTHER) in program.run("scan", path, "--keys", "cdp", expect=4, **options).err


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_journal_can_be_ignored(shared, ranks):
    program, options, path, _ = shared
    for owner in (OTHER, NOBODY):
        os.chown(journal_of(path), owner, owner)
        out = path.with_name("out.sgy")
        done = program.run(*same(path, out), "--ignore-journal", ranks=ranks, **options)
        assert "major" in done.err and "journal" in done.err
        assert out.read_bytes() == path.read_bytes()
        assert "major" in program.run("info", path, "--ignore-journal", **options).out
        program.run("check", path, "--ignore-journal", ranks=ranks, **options)
        program.run("index", path, "--words", "cdp", "--ignore-journal", ranks=ranks, **options)
        program.run("index", path, "--remove", **options)
        refused = program.run("scan", path, "--keys", "cdp", "--ignore-journal", "--strict", expect=3, **options)
        assert "journal" in refused.err
        program.run("edit", path, "--set", "cdp=1", "--ignore-journal", expect=2, **options)
        program.run("edit", path, "--recover", "--ignore-journal", expect=2, **options)
        out.unlink()


@pytest.mark.parametrize("ranks", [None, 2])
def test_the_owner_of_the_file_applies_it_by_name(shared, ranks):
    program, options, path, old = shared
    of_other(journal_of(path))
    program.run("edit", path, "--journal-of", OTHER, "--set", "cdp=1", expect=2, **options)
    program.run("edit", path, "--recover", "--journal-of", OTHER, ranks=ranks, **options)
    assert path.read_bytes() == old and not journal_of(path).exists()


def test_who_owns_neither_does_not_apply_it(shared):
    program, options, path, _ = shared
    of_other(journal_of(path))
    os.chown(path, 65532, 65532)
    path.chmod(0o666)
    half = path.read_bytes()
    said = program.run("edit", path, "--recover", "--journal-of", OTHER, expect=4, **options).err
    assert "neither it nor the file is yours" in said and path.read_bytes() == half


@pytest.mark.parametrize("own", ["caller", "owner"])
def test_journals_of_the_caller_and_of_the_owner_count_as_ever(shared, own):
    program, options, path, old = shared
    if own == "caller":
        os.chown(path, OTHER, OTHER)
        path.chmod(0o666)
        os.chown(journal_of(path), NOBODY, NOBODY)
    else:
        os.chown(path, OTHER, OTHER)
        os.chown(journal_of(path), OTHER, OTHER)
        path.chmod(0o666)
    assert "--recover" in program.run("scan", path, "--keys", "cdp", expect=3, **options).err
    program.run("edit", path, "--recover", **options)
    assert path.read_bytes() == old


@pytest.mark.parametrize("what", ["size", "inode", "stretch", "text", "empty", "cut", "link", "pipe", "folder", "endless"])
@pytest.mark.parametrize("ranks", [None, 2])
def test_what_does_not_fit_is_reported_and_ignored(shared, what, ranks):
    program, options, path, _ = shared
    beside = journal_of(path)
    data = bytearray(beside.read_bytes())
    if what in ("size", "inode", "stretch"):
        at = {"size": 16, "inode": 24, "stretch": 48}[what]
        data[at] ^= 1
        end = 64 + 24 + 8
        data[end - 8 : end] = struct.pack("<Q", checksum(bytes(data[: end - 8])))
    elif what == "text":
        data[:] = b"notes of mine, long enough to be taken for a head of something " * 3
    elif what == "empty":
        data.clear()
    elif what == "cut":
        del data[40:]
    beside.write_bytes(data)
    if what in ("link", "pipe", "folder"):
        beside.unlink()
    if what == "link":
        elsewhere = path.with_name("elsewhere")
        elsewhere.write_bytes(journal(path, []))
        beside.symlink_to(elsewhere)
    elif what == "pipe":
        os.mkfifo(beside)
    elif what == "folder":
        beside.mkdir()
    elif what == "endless":
        data[16] ^= 1
        beside.write_bytes(data)
        os.truncate(beside, 1 << 40)
    of_other(beside)
    out = path.with_name("out.sgy")
    done = program.run(*same(path, out), ranks=ranks, **options)
    assert "minor" in done.err and str(OTHER) in done.err
    assert out.read_bytes() == path.read_bytes()
    assert str(OTHER) in program.run("info", path, **options).out
    half = path.read_bytes()
    assert "no edit was interrupted" in program.run("edit", path, "--recover", ranks=ranks, **options).out
    said = program.run("edit", path, "--set", "cdp=1", ranks=ranks, expect=2, **options).err
    assert str(OTHER) in said
    assert path.read_bytes() == half and os.path.lexists(beside)


def test_beside_an_output_too(shared):
    """Of another user and of no file that is there: no reason to refuse the output."""
    program, options, path, _ = shared
    out = path.with_name("out.sgy")
    shutil.copy(journal_of(path), journal_of(out))
    of_other(journal_of(out))
    journal_of(path).unlink()
    program.run(*same(path, out), **options)
    assert out.read_bytes() == path.read_bytes()


def test_a_journal_that_is_a_link_is_not_followed(sill, tmp_path):
    """Also one of the caller: what it names may be anybody's."""
    path = segy_files.make(5, 5).write(tmp_path / "in.sgy")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(journal(path, []))
    journal_of(path).symlink_to(elsewhere)
    sill.run("scan", path, "--keys", "cdp", expect=3)
    for ranks in (None, 2):
        assert "symbolic link" in sill.run("edit", path, "--recover", ranks=ranks, expect=4).err
    assert elsewhere.exists() and journal_of(path).is_symlink()
    left = elsewhere.with_name(f".{elsewhere.name}.sill-{'0' * 16}.part")
    left.write_bytes(b"of another file")
    sill.run("edit", path, "--recover", expect=4)
    assert left.exists(), "nor is anything removed where it leads"


def test_an_index_that_is_a_link_is_not_followed(sill, tmp_path):
    path = tmp_path / "in.sgy"
    varying(path, any_samples(30))
    index = path.with_name(path.name + ".sill-index")
    sill.run("index", path)
    elsewhere = tmp_path / "elsewhere"
    index.rename(elsewhere)
    kept = elsewhere.read_bytes()
    index.symlink_to(elsewhere)
    said = sill.run("scan", path, "--keys", "cdp").err
    assert "symbolic link" in said and "remove it" in said
    for command in (["index", path], ["index", "--remove", path]):
        assert "symbolic link" in sill.run(*command, expect=4).err
    assert elsewhere.read_bytes() == kept and index.is_symlink()
    elsewhere.unlink()
    sill.run("index", path, expect=4)
    assert not elsewhere.exists(), "nothing is made where a link leads"


@pytest.mark.parametrize("ranks", [None, 2])
def test_words_of_an_index_of_another_user_are_not_taken(shared, ranks):
    """Whoever writes them decides what a condition holds for."""
    program, options, path, _ = shared
    journal_of(path).unlink()
    program.run("index", path, "--words", "cdp", **options)
    index = path.with_name(path.name + ".sill-index")
    out, report = path.with_name("out.sgy"), path.with_name("report.json")
    cut = ["cut", path, "-o", out, "--where", "cdp == 777", "--report", report]

    def is_used(stores: bool) -> bool:
        said = program.run(*cut, ranks=ranks, **options)
        assert len(segy_files.read(out).word("cdp")) == 10
        assert (str(OTHER) in said.err and "minor" in said.err) == (not stores)
        return json.loads(report.read_text())["index_used"]

    assert is_used(True)
    of_other(index)
    assert not is_used(False)
    program.run(*cut, "--strict", expect=3, **options)
    os.chown(index, 0, 0)
    assert is_used(True), "root's"
    os.chown(index, OTHER, OTHER)
    os.chown(path, OTHER, OTHER)
    path.chmod(0o644)
    assert is_used(True), "of the owner of the file"


@pytest.mark.parametrize("what", ["pipe", "link"])
def test_a_lock_that_is_no_regular_file(sill, tmp_path, what):
    out = tmp_path / "out"
    out.mkdir()
    lock = out / ".sill-solutions.lock"
    os.mkfifo(lock) if what == "pipe" else lock.symlink_to(tmp_path / "elsewhere")
    sill.run("kernel", "mslio", "--out", out, "--ccross", 2, "--sub-elements", 5, expect=4)
    assert not (tmp_path / "elsewhere").exists()


def mode_of(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_an_index_allows_nobody_more_than_its_file(sill, tmp_path, mode):
    path = tmp_path / "in.sgy"
    varying(path, any_samples(30))
    path.chmod(mode)
    sill.run("index", path)
    assert mode_of(path.with_name(path.name + ".sill-index")) == mode


@pytest.mark.slow
def test_part_files_and_journals_allow_nobody_more(sill, large, tmp_path):
    path = tmp_path / "in.sgy"
    shutil.copy(large[1], path)
    path.chmod(0o600)
    target = tmp_path / "out.sgy"
    target.write_bytes(b"old")
    target.chmod(0o600)
    with caught(sill, path, target) as stopped:
        parts = [each for each in tmp_path.iterdir() if each.name.endswith(".part")]
        assert parts and all(mode_of(part) == 0o600 for part in parts)
        stopped.end()
    assert mode_of(target) == 0o600 and target.read_bytes() != b"old"
    process = sill.start("edit", path, "--set", "cdp=cdp+1")
    seen = set()
    try:
        while process.poll() is None:
            for each in tmp_path.iterdir():
                if "journal" in each.name:
                    try:
                        seen.add(mode_of(each))
                    except FileNotFoundError:
                        pass
    finally:
        kill_group(process)
    assert seen <= {0o600}


@pytest.mark.slow
def test_a_spool_has_no_name(sill, large, tmp_path):
    """Killed while it writes, it leaves nothing; alive, nobody else can open what it holds."""
    process = subprocess.Popen(sill.command("sort", large[1], "-o", "-", "--by", "cdp"), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=clean_environment() | {"TMPDIR": str(tmp_path)},
                               start_new_session=True)  # fmt: skip
    try:
        assert process.stdout.read(1 << 20)  # the output is complete, and is being sent
        assert os.listdir(tmp_path) == []
        process.send_signal(signal.SIGKILL)
    finally:
        kill_group(process)
        process.communicate()
    assert os.listdir(tmp_path) == []
    process = subprocess.Popen(sill.command("sort", large[1], "-o", "-", "--by", "cdp"), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=clean_environment() | {"TMPDIR": str(tmp_path)},
                               start_new_session=True)  # fmt: skip
    names = set()
    try:
        began = time.monotonic()
        while time.monotonic() < began + 0.5:
            names |= set(os.listdir(tmp_path))
    finally:
        kill_group(process)
        process.communicate()
    assert names == set() and os.listdir(tmp_path) == []
