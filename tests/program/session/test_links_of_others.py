"""In a folder that users share, links of others are not followed: they would choose which file of the caller is replaced."""

import os

import netCDF4
import pytest
import segy_files

OTHER, OWNER = 4711, 4712


@pytest.fixture
def shared(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can make links of other users")
    folder = tmp_path / "shared"
    folder.mkdir()
    os.chown(folder, OWNER, OWNER)
    folder.chmod(0o1777)
    return folder


def link(folder, name, target, user):
    target.write_text("mine\n")
    (folder / name).symlink_to(target)
    os.lchown(folder / name, user, user)
    return folder / name


@pytest.mark.parametrize("ranks", [None, 2])
def test_an_output_is_no_link_of_another_user(sill, shared, tmp_path, ranks):
    path = segy_files.make(4, 10).write(tmp_path / "in.sgy")
    target = tmp_path / "mine"
    output = link(shared, "o.sgy", target, OTHER)
    for command in (
        ["sort", path, "-o", output, "--by", "cdp"],
        ["flow", path, "-o", output, "--do", "polarity"],
        ["info", path, "--report", output],
    ):
        refused = sill.run(*command, expect=4, ranks=ranks)
        assert "symbolic link of another user" in refused.err and str(OTHER) in refused.err
        assert target.read_text() == "mine\n" and os.listdir(shared) == ["o.sgy"]


def test_a_dataset_is_no_link_of_another_user(sill, shared, tmp_path):
    with netCDF4.Dataset(tmp_path / "in.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 3)
        file.createVariable("v", "f4", ("x",))[:] = 1
    output = link(shared, "o.nc", tmp_path / "mine", OTHER)
    refused = sill.run("arrays", "copy", tmp_path / "in.nc", "-o", output, "--force", expect=4)
    assert "symbolic link of another user" in refused.err
    assert (tmp_path / "mine").read_text() == "mine\n"


def test_links_along_the_way_count(sill, shared, tmp_path):
    path = segy_files.make(4, 10).write(tmp_path / "in.sgy")
    target = tmp_path / "mine"
    (tmp_path / "first.sgy").symlink_to(link(shared, "second.sgy", target, OTHER))
    assert "second.sgy" in sill.run("sort", path, "-o", tmp_path / "first.sgy", "--by", "cdp", expect=4).err
    assert target.read_text() == "mine\n"


@pytest.mark.parametrize(("user", "mode"), [(0, 0o1777), (OWNER, 0o1777), (OTHER, 0o777), (OTHER, 0o1755)])
def test_other_links_are_followed(sill, shared, tmp_path, user, mode):
    """Links of the caller and of the folder's owner, and in folders whose links anyone, or no one else, can replace."""
    shared.chmod(mode)
    path = segy_files.make(4, 10).write(tmp_path / "in.sgy")
    output = link(shared, "o.sgy", tmp_path / "mine", user)
    sill.run("sort", path, "-o", output, "--by", "cdp")
    assert output.is_symlink() and (tmp_path / "mine").stat().st_size == path.stat().st_size
