"""`sill repair` of files that were copied as text."""

import re

import pytest
import segy_files
import segy_forms
from caught import OLD
from repairing import new_target, refused, repaired, rich_in_ends
from test_peculiarities import copied_as_text, file, numbered


@pytest.fixture
def target(tmp_path):
    return new_target(tmp_path)


@pytest.mark.parametrize(
    "make",
    [
        lambda: numbered(50), lambda: file(7, 10), lambda: segy_files.make(200, 25, text="ASCII"),
        lambda: rich_in_ends(), lambda: segy_forms.make(60, 30, order="little", trailers=1),
    ],
)  # fmt: skip
def test_copied_as_text(sill, tmp_path, target, make):
    made = make()
    content = copied_as_text(made)
    assert content.count(b"\r\n") >= 4
    for ranks in (None, 1, 2, 3):
        report = repaired(sill, content, tmp_path, target, "--threads", 2, ranks=ranks)
        assert target.read_bytes() == made.to_bytes()
        assert re.search(r"([\d,]+) line ends", report["said"])[1].replace(",", "") == str(content.count(b"\n"))


def test_line_ends_that_are_no_copy(sill, tmp_path, target):
    content = copied_as_text(numbered(50))
    # Seen at once, or only when all is read.
    assert refused(sill, content[:-3] + b"\0\n\0", tmp_path, target)
    lone = copied_as_text(rich_in_ends())[:-3] + b"\0\n\0"
    for ranks in (None, 3):
        assert f"line feed at byte {len(lone) - 1}" in refused(sill, lone, tmp_path, target, ranks=ranks)
    # Cut after it was copied: the file is as it was until there, but not sound.
    assert "not consistent" in refused(sill, content[:-30], tmp_path, target)
    assert "cannot be combined with other options" in refused(sill, content, tmp_path, target, "--last-trace", "drop", code=2)
    # A map means nothing to it.
    assert "cannot be combined with other options" in refused(sill, content, tmp_path, target, "--map", "petrel", code=2)
    text = b"no SEG-Y file, but text\r\n" * 1000
    reason = refused(sill, text, tmp_path, target)
    assert "copied as text, which cannot be undone" not in reason


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_copy_with_the_journal_of_an_edit(sill, tmp_path, target, ranks):
    """It may be half edited."""
    journal = tmp_path / "f.sgy.sill-journal"
    journal.write_bytes(b"of an edit that was interrupted")
    # Also one that cannot be read until it is undone.
    for content in (copied_as_text(numbered(50)), copied_as_text(file(7, 10))):
        assert "--recover" in refused(sill, content, tmp_path, target, ranks=ranks)
        assert "--recover" in refused(sill, content, tmp_path, target, "--dry-run", ranks=ranks)


def test_a_finding_that_is_left_is_one_of_the_output(sill, tmp_path, target):
    path = tmp_path / "f.sgy"
    path.write_bytes(copied_as_text(numbered(50).put_binary(3229, "i2", 99)))
    target.write_bytes(OLD)
    said = sill.run("repair", path, "-o", target, "--strict", expect=3).err
    assert str(target) in said and ".part" not in said
    assert [p.name for p in target.parent.iterdir()] == [target.name]
