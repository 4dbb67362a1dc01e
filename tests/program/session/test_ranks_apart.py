"""Ranks that see different files under one path, or run different commands: one error on all, and nothing is written."""

import os
import subprocess

import netCDF4
import pytest
import segy_files
from caught import OLD
from program import TIMEOUT_S, clean_environment, leftovers

pytestmark = pytest.mark.nightly


@pytest.fixture
def apart(sill, tmp_path):
    """Two working folders, and what runs rank 0 in the first and rank 1 in the second."""
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()

    def run(*commands, expect):
        if not sill.mpiexec or "openmpi" not in sill.mpiexec[0]:
            pytest.skip("folders of their own are given to ranks by Open MPI's -wdir")
        commands = commands * 2 if len(commands) == 1 else commands
        parts = [["-n", "1", "-wdir", str(folder), str(sill.path), *map(str, command)]
                 for folder, command in zip(folders, commands)]  # fmt: skip
        done = subprocess.run([*sill.mpiexec, *parts[0], ":", *parts[1]], capture_output=True, text=True, check=False,
                              timeout=TIMEOUT_S, env=clean_environment(), stdin=subprocess.DEVNULL)  # fmt: skip
        assert done.returncode == expect, (done.returncode, done.stdout, done.stderr)
        assert done.stderr.count("sill: error") == 1, done.stderr
        return done.stderr

    return *folders, run


@pytest.mark.parametrize(("traces", "place"), [(400, 3216), (400, -1), (5, 3604), (1, 3603)])
def test_different_content_of_one_size(apart, tmp_path, traces, place):
    """In the file header, in the last byte, and anywhere in a small file."""
    first, second, run = apart
    data = bytearray(segy_files.make(traces, 50).to_bytes())
    (first / "in.sgy").write_bytes(data)
    data[place] ^= 1
    (second / "in.sgy").write_bytes(data)
    out = tmp_path / "out.sgy"
    for command in [["sort", "in.sgy", "-o", out, "--by", "cdp"], ["info", "in.sgy"]]:
        said = run(command, expect=4)
        assert "the ranks see different files" in said and "in.sgy" in said and "inode" in said
        assert "rank:   1 of 2" in said
    assert not out.exists() and leftovers(tmp_path) == []


@pytest.mark.parametrize("command", ["scan", "check", "text", "index", "convert", "repair", "merge", "edit"])
def test_files_of_other_sizes(apart, tmp_path, command):
    first, second, run = apart
    files = [segy_files.make(20, 10), segy_files.make(21, 10)]
    for folder, file in zip([first, second], files):
        file.write(folder / "in.sgy")
    out = tmp_path / "out.sgy"
    more = {"scan": ["--keys", "cdp"], "edit": ["--set", "cdp=1"]}.get(command, [])
    if command in ("convert", "repair", "merge"):
        more = ["-o", out]
    said = run([command, "in.sgy", *more], expect=(3 if command == "edit" else 4))
    assert "in.sgy" in said
    assert not out.exists()
    for folder, file in zip([first, second], files):
        assert (folder / "in.sgy").read_bytes() == file.to_bytes()
        assert os.listdir(folder) == ["in.sgy"]


def test_the_second_of_several_inputs(apart, tmp_path):
    first, second, run = apart
    for i, folder in enumerate([first, second]):
        segy_files.make(10, 10).write(folder / "a.sgy")
        segy_files.make(10, 10, seed=i).write(folder / "b.sgy")
    said = run(["sort", "a.sgy", "b.sgy", "-o", tmp_path / "out.sgy", "--by", "cdp"], expect=4)
    assert "file:   b.sgy" in said


def test_a_file_that_one_rank_lacks(apart, tmp_path):
    first, second, run = apart
    for folder, other in [(first, second), (second, first)]:
        segy_files.make(10, 10).write(folder / "in.sgy")
        (other / "in.sgy").unlink(missing_ok=True)
        assert "No such file" in run(["sort", "in.sgy", "-o", tmp_path / "out.sgy", "--by", "cdp"], expect=4)


def test_the_same_content_in_two_places(sill, apart, tmp_path):
    """As on nodes that have copies of their own: other inodes and times are no reason to refuse."""
    first, second, _ = apart
    file = segy_files.make(30, 10)
    out = tmp_path / "out.sgy"
    for folder in (first, second):
        file.write(folder / "in.sgy")
    os.utime(second / "in.sgy", (1, 1))
    parts = [["-n", "1", "-wdir", str(folder), str(sill.path), "sort", "in.sgy", "-o", str(out), "--by", "trace",
              "--keep-sorting-code"] for folder in (first, second)]  # fmt: skip
    subprocess.run([*sill.mpiexec, *parts[0], ":", *parts[1]], check=True, timeout=TIMEOUT_S, env=clean_environment())
    assert out.read_bytes() == file.to_bytes()


def test_an_output_in_other_folders(apart, tmp_path):
    first, second, run = apart
    path = segy_files.make(20, 10).write(tmp_path / "in.sgy")
    for folder in (first, second):
        (folder / "out.sgy").write_bytes(OLD)
    for command in ["sort", "--by", "cdp"], ["convert"]:
        said = run([command[0], path, "-o", "out.sgy", *command[1:]], expect=4)
        assert "does not find the unfinished file" in said and "out.sgy" in said
        for folder in (first, second):
            assert (folder / "out.sgy").read_bytes() == OLD and leftovers(folder) == []


def test_different_datasets(apart, tmp_path):
    first, second, run = apart
    for folder, value in ((first, 1), (second, 2)):
        with netCDF4.Dataset(folder / "in.nc", "w", format="NETCDF3_64BIT_DATA") as file:
            file.createDimension("x", 20)
            file.createVariable("a", "f4", ("x",))[:] = value
    out = tmp_path / "out.nc"
    for command in [["arrays", "copy", "in.nc", "-o", out], ["arrays", "compare", "in.nc", "in.nc"]]:
        said = run(command, expect=4)
        assert "the ranks see different files" in said and "in.nc" in said
    assert not out.exists()


def test_tables_maps_and_lists_are_those_of_rank_0(sill, tmp_path):
    """What small texts say, whichever folder the other ranks run in."""
    if not sill.mpiexec or "openmpi" not in sill.mpiexec[0]:
        pytest.skip("folders of their own are given to ranks by Open MPI's -wdir")
    path = segy_files.make(30, 10).write(tmp_path / "in.sgy")
    texts = {
        "csv": "fldr,x\n" + "".join(f"{i},{{0}}\n" for i in set(segy_files.read(path).word("fldr"))),
        "map": "[words.cdp]\nbyte = 1{0}3\ntype = \"i2\"\n",
        "list": "{1}\n",
        "text": "C 1 RANK {0}\n",
    }
    other = segy_files.make(7, 10).write(tmp_path / "other.sgy")
    for folder, value, named in (("first", 1, path), ("second", 2, other)):
        (tmp_path / folder).mkdir()
        for name, text in texts.items():
            (tmp_path / folder / (name + ".txt")).write_text(text.format(value, named))
        (tmp_path / folder / "map.toml").write_text(texts["map"].format(value))
    for command in (
        ["edit", path, "--from", "csv.txt", "--match", "fldr", "--set", "sx=x"],
        ["sort", path, "--by", "cdp", "--map", "map.toml"],
        ["sort", "@list.txt", "--by", "cdp"],
        ["edit", path, "--text", "text.txt"],
    ):
        two, one = tmp_path / "two.sgy", tmp_path / "one.sgy"
        parts = [["-n", "1", "-wdir", str(tmp_path / folder), str(sill.path), *map(str, command), "-o", str(two)]
                 for folder in ("first", "second")]  # fmt: skip
        subprocess.run([*sill.mpiexec, *parts[0], ":", *parts[1]], check=True, timeout=TIMEOUT_S,
                       env=clean_environment())  # fmt: skip
        sill.run(*command, "-o", one, cwd=tmp_path / "first")
        assert two.read_bytes() == one.read_bytes()
        two.unlink()
        one.unlink()


def test_different_commands(apart, tmp_path):
    _, _, run = apart
    path = segy_files.make(20, 10).write(tmp_path / "in.sgy")
    out = tmp_path / "out.sgy"
    sort = ["sort", path, "-o", out, "--by"]
    for commands in [([*sort, "cdp"], [*sort, "offset"]), ([*sort, "cdp"], ["info", path])]:
        assert "different commands" in run(*commands, expect=2)
    assert not out.exists()


def test_solutions_in_other_folders(apart):
    """Their files are made under their names by the ranks; the lock of the folder tells."""
    first, second, run = apart
    for folder in (first, second):
        (folder / "out").mkdir()
    said = run(["kernel", "mslio", "--out", "out", "--ccross", 2, "--sub-elements", 5], expect=4)
    assert "different folders" in said
    for folder in (first, second):
        assert [path.name for path in (folder / "out").rglob("*") if path.is_file()] == []
