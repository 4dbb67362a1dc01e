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
        sill.run("kernel", "gccom", *SIZES["gccom"], "--verify", "--out", out, env=environment)
        assert (out / "gccom.pvd").exists()
        assert not (out / "gccom.nc").exists()
    refused = sill.run("kernel", "gccom", "--out", tmp_path / "no", env={"SILL_LAYOUT": "container=hdf"}, expect=2)
    assert "SILL_LAYOUT: " in refused.err
    assert "unknown container `hdf`" in refused.err
    sill.run("kernel", "subflow", *SIZES["subflow"], "--verify", "--out", tmp_path, ranks=2, env={"SILL_LAYOUT": "container=raw"})
    out = tmp_path / "said"
    sill.run("kernel", "gccom", *SIZES["gccom"], "--container", "netcdf", "--out", out, env={"SILL_LAYOUT": "container=vti"})
    assert [path.name for path in out.iterdir()] == ["gccom.nc"]


def test_hints_of_pnetcdf_are_swept_and_said(sill, tmp_path):
    if not has_pnetcdf(sill):
        pytest.skip("PnetCDF is built for another MPI")
    command = ["kernel", "flash", *SIZES["flash"], "--out", tmp_path, "--repeat", 2]
    told = sill.run(*command, "--sweep-hints", ranks=2).out
    assert "PnetCDF 1." in told
    assert "\npnetcdf:nc_var_align_size=60004;nc_header_align_size=36: " in told
    told = sill.run(*command, "--against", "auto,pnetcdf:romio_cb_write=disable", "--verify", ranks=2).out
    assert "romio_cb_write disable" in told
    refused = sill.run("kernel", "ior", "--block", "4K", "--out", tmp_path, "--against", "auto,pnetcdf", expect=2).err
    assert "ior writes no netCDF files here" in refused


def test_options_of_comparisons(sill, tmp_path):
    assert "--sweep-hints" in sill.run("kernel", "ior", "--out", tmp_path, "--sweep-hints", expect=2).err
    assert "--repeat needs --against\n" in sill.run("kernel", "ior", "--repeat", 3, expect=2).err + "\n"
    assert "--against or --sweep-hints" in sill.run("kernel", "flash", "--repeat", 3, expect=2).err
