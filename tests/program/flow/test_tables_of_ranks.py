"""Tables and recipes are read once: ranks that see other files, or no files, work with those of rank 0."""

import os
import subprocess

import pytest
import segy_files
from program import TIMEOUT_S, clean_environment


def test_ranks_in_other_folders_have_the_table_of_rank_0(sill, tmp_path):
    if not sill.mpiexec:
        pytest.skip("no MPI launcher: set SILL_MPIEXEC")
    path = segy_files.make(40, 100).write(tmp_path / "in.sgy")
    for name, time in (("a", "0.1"), ("b", "0.3")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mute.csv").write_text(f"0,{time}\n10000,{time}\n")
    program = [str(sill.path), "flow", str(path), "-o", str(tmp_path / "two.sgy"), "--do", "mute top table=@mute.csv"]
    ranks = [["-n", "1", "-wdir" if "mpich" in sill.mpiexec[0] else "--wdir", str(tmp_path / name), *program] for name in "ab"]
    subprocess.run([*sill.mpiexec, *ranks[0], ":", *ranks[1]], check=True, timeout=TIMEOUT_S, env=clean_environment())
    sill.run("flow", path, "-o", tmp_path / "one.sgy", "--do", f"mute top table=@{tmp_path}/a/mute.csv")
    assert (tmp_path / "two.sgy").read_bytes()[3600:] == (tmp_path / "one.sgy").read_bytes()[3600:]


@pytest.mark.parametrize("ranks", [None, 2])
def test_what_has_no_end_is_no_table_and_no_recipe(sill, tmp_path, ranks):
    path = segy_files.make(4, 10).write(tmp_path / "in.sgy")
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    for name in ("pipe.toml", "zero.toml"):
        command = ["flow", path, "-o", tmp_path / "out.sgy", "--do", f"mute top table=@{tmp_path / name}"]
        assert "not a regular file" in sill.run(*command, ranks=ranks, expect=4).err
        assert "not a regular file" in sill.run("flow", tmp_path / name, ranks=ranks, expect=4).err
