"""Folders of arrays appear when they are complete, and replace others only then."""

import fcntl
import os
import resource
import shutil
import time
from pathlib import Path

import pytest
import segy_files
from program import TIMEOUT_S, kill_group
from survey_arrays import contents, grid_file


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file whose conversion takes a while: with small windows it is stopped between two shards."""
    return segy_files.make(3000, 2000).write(tmp_path_factory.mktemp("large") / "large.sgy")


def kill_while_it_writes(sill, folder: Path, *arguments, action=None):
    """Starts a command that writes arrays to `folder`, and kills it after its first shard, or ends it after `action`."""
    process = sill.start(*arguments, "--threads", 1)
    try:
        until = time.monotonic() + TIMEOUT_S
        unfinished = folder.with_name(f".{folder.name}.sill-new")
        while process.poll() is None and time.monotonic() < until:
            if any(path.is_dir() for path in unfinished.glob("*/c")):
                break
        assert process.poll() is None, "it had ended"
        if action:
            action()
            return process.communicate(timeout=TIMEOUT_S)[1].decode()
    finally:
        kill_group(process)
    return unfinished


@pytest.mark.parametrize("command", ["convert", "copy"])
@pytest.mark.parametrize("ending", ["zarr", "mdio"])
def test_a_killed_run_leaves_the_old_folder(sill, tmp_path, large, command, ending):
    small = grid_file().write(tmp_path / "small.sgy")
    target, source = tmp_path / f"a.{ending}", tmp_path / f"source.{ending}"
    words = ["convert", large]
    if command == "copy":
        sill.run("convert", large, "-o", source, "--dimensions", "trace")
        words = ["arrays", "copy", source]
    options = ["--dimensions", "trace"] if command == "convert" else []
    unfinished = kill_while_it_writes(sill, target, *words, "-o", target, *options)
    assert not target.exists() and unfinished.exists()
    sill.run("convert", small, "-o", target)
    before = contents(target)
    assert not unfinished.exists()
    assert kill_while_it_writes(sill, target, *words, "-o", target, "--force", *options).exists()
    assert contents(target) == before
    sill.run(*words, "-o", target, "--force", *options)
    assert contents(target) != before
    sill.run("convert", target, "-o", tmp_path / "back.sgy")
    assert (tmp_path / "back.sgy").read_bytes() == large.read_bytes()
    known = {"small.sgy", "back.sgy", target.name, source.name}
    assert {name for name in os.listdir(tmp_path) if not name.endswith(".sill-lock")} <= known


def test_a_failed_run_leaves_the_old_folder(sill, tmp_path, large):
    target = tmp_path / "a.zarr"
    sill.run("convert", grid_file().write(tmp_path / "small.sgy"), "-o", target)
    before = contents(target)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    for arguments in (["convert", large, "-o", target, "--dimensions", "trace", "--force"],):
        failed = sill.run(*arguments, expect=4, preexec_fn=limit)
        assert f"{target}/samples/c/0/0" in failed.text, failed.text
        assert contents(target) == before
        assert sorted(os.listdir(tmp_path)) == ["a.zarr", "small.sgy"]


def test_a_run_killed_between_two_names_is_mended(sill, tmp_path):
    """The old folder gets its name again, as long as the new one does not have it."""
    path = grid_file().write(tmp_path / "in.sgy")
    target, old = tmp_path / "a.zarr", tmp_path / ".a.zarr.sill-old"
    sill.run("convert", path, "-o", target)
    before = contents(target)
    shutil.copytree(target, tmp_path / ".a.zarr.sill-new")
    target.rename(old)
    assert "exists" in sill.run("convert", path, "-o", target, "--dimensions", "trace", expect=2).reason
    assert contents(target) == before
    shutil.copytree(target, old)
    sill.run("convert", path, "-o", target, "--dimensions", "trace", "--force")
    assert contents(target) != before
    assert sorted(os.listdir(tmp_path)) == ["a.zarr", "in.sgy"]


def test_links_and_other_folders_remain(sill, tmp_path):
    path = grid_file().write(tmp_path / "in.sgy")
    (tmp_path / "far").mkdir()
    (tmp_path / "a.zarr").symlink_to(tmp_path / "far" / "b.zarr")
    for options in ([], ["--force", "--dimensions", "trace"]):
        sill.run("convert", path, "-o", tmp_path / "a.zarr", *options)
        assert (tmp_path / "a.zarr").is_symlink() and (tmp_path / "far" / "b.zarr" / "zarr.json").exists()
    assert os.listdir(tmp_path / "far") == ["b.zarr"]
    (tmp_path / "c.zarr").mkdir()
    sill.run("convert", path, "-o", tmp_path / "c.zarr")  # an empty folder
    (tmp_path / "d.zarr").mkdir()
    (tmp_path / "d.zarr" / "thesis.tex").write_text("")
    assert "not a group of Zarr" in sill.run("convert", path, "-o", tmp_path / "d.zarr", "--force", expect=2).reason
    assert contents(tmp_path / "d.zarr") == {"thesis.tex": b""}


def test_an_input_in_the_folder_remains(sill, tmp_path):
    path = grid_file().write(tmp_path / "in.sgy")
    store = tmp_path / "store.zarr"
    sill.run("convert", path, "-o", store)
    shutil.copy(path, store / "l.sgy")
    (tmp_path / "link.sgy").symlink_to(store / "l.sgy")
    (tmp_path / "link.zarr").symlink_to(store)
    before = contents(store)
    for words in (
        ["convert", store / "l.sgy", "-o", store],
        ["convert", tmp_path / "link.sgy", "-o", f"{tmp_path / 'link.zarr'}/"],
        ["arrays", "copy", store / "samples", "-o", store],
    ):
        assert "contains the input" in sill.run(*words, "--force", expect=2).reason
        assert contents(store) == before
    for words in (["convert", store, "-o", store / "out.sgy"], ["arrays", "copy", tmp_path / "link.zarr", "-o", store / "x.zarr"]):
        assert "in a folder that is an input" in sill.run(*words, expect=2).reason
        assert contents(store) == before


@pytest.mark.parametrize("foreign", ["notes.txt", "samples/l.sgy", "samples/c/0/l.sgy", "raw/0", "other.zarr"])
def test_foreign_files_remain(sill, tmp_path, foreign):
    path = grid_file().write(tmp_path / "in.sgy")
    store = tmp_path / "store.zarr"
    sill.run("convert", path, "-o", store)
    if foreign.endswith(".zarr"):
        sill.run("convert", path, "-o", store / foreign)
    else:
        (store / foreign).parent.mkdir(exist_ok=True, parents=True)
        (store / foreign).write_text("work")
    before = contents(store)
    for words in (["convert", path], ["arrays", "copy", shutil.copytree(store, tmp_path / "copy.zarr")]):
        named = foreign.partition("/")[0] if foreign == "raw/0" else foreign
        assert f"contains {named}, which is not part" in sill.run(*words, "-o", store, "--force", expect=2).reason
        assert contents(store) == before
    assert sorted(os.listdir(tmp_path)) == ["copy.zarr", "in.sgy", "store.zarr"]


def test_what_appears_meanwhile_remains(sill, tmp_path, large):
    path = grid_file().write(tmp_path / "in.sgy")
    target, other = tmp_path / "a.zarr", tmp_path / "other.zarr"
    sill.run("convert", path, "-o", other)
    words = ["convert", large, "-o", target, "--dimensions", "trace"]
    appears = lambda: other.rename(target)  # noqa: E731
    assert "exists already" in kill_while_it_writes(sill, target, *words, action=appears)
    notes = lambda: (target / "notes.txt").write_text("work")  # noqa: E731
    assert "contains notes.txt" in kill_while_it_writes(sill, target, *words, "--force", action=notes)
    assert (target / "notes.txt").exists() and (target / "zarr.json").exists()
    assert sorted(os.listdir(tmp_path)) == ["a.zarr", "in.sgy"]


@pytest.mark.parametrize("name", ["live.h5", "live.nc", "live.zarr"])
def test_a_dataset_that_is_being_written_is_not_replaced(sill, tmp_path, name):
    path = grid_file().write(tmp_path / "in.sgy")
    live, link = tmp_path / name, tmp_path / f"link{Path(name).suffix}"
    sill.run("convert", path, "-o", live)
    link.symlink_to(live)
    source = tmp_path / "source.zarr"
    sill.run("convert", path, "-o", source)
    before = contents(live)
    with open(tmp_path / f".{name}.sill-lock", "w") as lock:  # as a run has it
        fcntl.flock(lock, fcntl.LOCK_SH)
        for output in (live, link):
            for words in (["convert", path], ["arrays", "copy", source]):
                failed = sill.run(*words, "-o", output, "--force", expect=4)
                assert "another run is writing this dataset" in failed.reason
        assert contents(live) == before


def test_a_slash_at_the_end_names_the_folder(sill, tmp_path):
    path = grid_file().write(tmp_path / "in.sgy")
    (tmp_path / "link.zarr").symlink_to("c.zarr/")
    for output in ("c.zarr/", "c.zarr//", "link.zarr/", "m.mdio/", "m.mdio/"):
        sill.run("convert", path, "-o", f"{tmp_path}/{output}", "--force")
    assert sorted(os.listdir(tmp_path)) == ["c.zarr", "in.sgy", "link.zarr", "m.mdio"]
    assert (tmp_path / "link.zarr").is_symlink() and (tmp_path / "m.mdio" / "amplitude").is_dir()
