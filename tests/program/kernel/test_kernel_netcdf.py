"""`sill kernel` of programs that write netCDF: the same bytes as their originals, read by others, in all containers."""

import netCDF4
import numpy
import pytest

SIZES = {
    "gccom": ["--grid", "13x5x11", "--phases", 3],
    "subflow": ["--grid", "10x7x4", "--variables", 12, "--phases", 3],
    "flash": ["--blocks", 3, "--zones", 4],
}


def has_pnetcdf(sill):
    return "MPICH" not in sill.run("--version").out  # Debian's PnetCDF is built for Open MPI


@pytest.mark.parametrize("ranks", [None, 2, pytest.param(3, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("kernel", SIZES)
def test_the_same_bytes_as_the_original_and_by_pnetcdf(sill, tmp_path, kernel, ranks):
    runs = {"auto": [], "async": ["--policy", "auto,async=2"], "staged": ["--policy", "staged"]}
    if has_pnetcdf(sill):
        runs["pnetcdf"] = ["--container", "pnetcdf"]
    if kernel != "flash" or has_pnetcdf(sill):
        runs["original"] = ["--original"]
    for name, options in runs.items():
        sill.run("kernel", kernel, *SIZES[kernel], "--verify", "--out", tmp_path / name, *options, ranks=ranks)
    expected = {path.name: path.read_bytes() for path in (tmp_path / "auto").iterdir()}
    assert len(expected) == (3 if kernel == "flash" else 1)
    for name in runs:
        assert {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} == expected, name


@pytest.mark.parametrize("container", ["vti", "raw"])
@pytest.mark.parametrize("kernel", SIZES)
def test_other_containers_hold_the_same_values(sill, tmp_path, kernel, container):
    for ranks in (None, 2):
        out = tmp_path / str(ranks)
        sill.run("kernel", kernel, *SIZES[kernel], "--verify", "--container", container, "--out", out, ranks=ranks)
    refused = sill.run("kernel", kernel, *SIZES[kernel], "--container", container, "--original", "--out", tmp_path, expect=2)
    assert "the original program writes netCDF files" in refused.err


def test_netcdf_reads_what_flash_writes(sill, tmp_path):
    sill.run("kernel", "flash", *SIZES["flash"], "--out", tmp_path, ranks=2)
    with netCDF4.Dataset(tmp_path / "flash_chk.nc") as chk, netCDF4.Dataset(tmp_path / "flash_plt_cnt.nc") as plot:
        assert chk["dens"].shape == (6, 4, 4, 4)
        assert len(chk.variables) == 6 + 24
        assert len(plot.variables) == 6 + 4
        for name in ("dens", "pres", "temp", "ener"):
            assert plot[name].dtype == numpy.float32
            numpy.testing.assert_array_equal(plot[name][:], chk[name][:].astype("f4"))
        numpy.testing.assert_array_equal(plot["gid"][:], chk["gid"][:])
        assert numpy.unique(chk["dens"][:]).size == 6 * 64
    with netCDF4.Dataset(tmp_path / "flash_plt_crn.nc") as corner:
        assert corner["ener"].shape == (6, 5, 5, 5)


def test_the_container_is_an_option_of_the_output(sill, tmp_path):
    (tmp_path / "options.toml").write_text('[layout.gccom]\ncontainer = "vti"\n')
    for number, environment in enumerate(
        [{"SILL_LAYOUT": "container=vti"}, {"SILL_LAYOUT": "gccom:container=vti; other:container=raw"},
         {"SILL_OPTIONS": str(tmp_path / "options.toml")}, {"SILL_OPTIONS": "layout=container=vti"}]
    ):  # fmt: skip
        out = tmp_path / str(number)
        sill.run("kernel", "gccom", *SIZES["gccom"], "--out", out, env=environment)
        assert (out / "gccom.pvd").exists()
        assert not (out / "gccom.nc").exists()
    refused = sill.run("kernel", "gccom", "--out", tmp_path / "no", env={"SILL_LAYOUT": "container=hdf"}, expect=2)
    assert "SILL_LAYOUT: " in refused.err
    assert "there is no container `hdf`" in refused.err
