"""The commands of docs/*.md run as pasted, page by page, on files of the names that they use."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import segy_files
import survey_shapes
from program import TIMEOUT_S, clean_environment

ROOT = Path(__file__).resolve().parents[3]
COMMAND = re.compile(r"^ {0,4}((?:sill|mpiexec) .*)$", re.M)
# What the commands of commands.md, which `script/commands` prints from the program, are about stands in the pages.
PAGES = sorted(page.name for page in ROOT.glob("docs/*.md") if page.name != "commands.md")
PAGES = [name for name in PAGES if COMMAND.search((ROOT / "docs" / name).read_text(encoding="utf-8"))]


def survey(sill, path, traces=2400, samples=1000, **options):
    sill.run("make-survey", path, "--traces", traces, "--samples", samples, *[f"--{k}={v}" for k, v in options.items()])
    return path


@pytest.fixture
def folder(sill, tmp_path):
    """Files of all names in the documents."""
    shots = survey(sill, tmp_path / "shots.sgy", velocities=tmp_path / "v.csv")
    for name in ("in", "line", "survey", "before", "base", "monitor"):
        (tmp_path / f"{name}.sgy").write_bytes(shots.read_bytes())
    for seed, name in enumerate(("line1", "line2", "a", "b")):
        survey(sill, tmp_path / f"{name}.sgy", traces=240, seed=seed)
    sill.run("flow", shots, "-o", tmp_path / "after.sgy", "--do", "gain scale=1.5")
    sill.run("sort", shots, "-o", tmp_path / "cmp.sgy", "--by", "cdp,offset")
    ilines, xlines = survey_shapes.grid_numbers(range(1195, 1206), range(100, 130))
    cube = segy_files.make(len(ilines), 1000)
    places = {"iline": ilines, "xline": xlines, "cdp": np.arange(len(ilines)), "fldr": 0, "tracf": 0, "ep": 0, "offset": 0}
    for name, values in (places | {"sx": 25 * xlines, "gx": 25 * xlines, "sy": 25 * ilines, "gy": 25 * ilines}).items():
        cube.put_word(name, values)
    cube.write(tmp_path / "cube.sgy")
    whole = survey(sill, tmp_path / "bad.sgy", traces=60, samples=751, **{"sample-format": "ieee"}).read_bytes()
    (tmp_path / "cut.sgy").write_bytes(whole[:-100])
    (tmp_path / "delivery").mkdir()
    survey(sill, tmp_path / "delivery/x.sgy", traces=60)
    for number in (1, 2):
        survey(sill, tmp_path / f"shot_{number}.sgy", traces=60, seed=number)
    words = segy_files.read(shots)
    rows = zip(words.word("fldr"), words.word("tracf"), strict=True)
    (tmp_path / "nav.csv").write_text("fldr,tracf,x,y\n" + "".join(f"{f},{t},{25 * t},{10 * f}\n" for f, t in rows))
    (tmp_path / "delivery.txt").write_text("line1.sgy\nline2.sgy\n")
    (tmp_path / "header.txt").write_text("C 1 A TEXT HEADER\n")
    (tmp_path / "recipe.toml").write_text('input = "shots.sgy"\noutput = "gained.sgy"\ndo = "agc 500ms"\n')
    for name in ("fields", "a"):
        with netCDF4.Dataset(tmp_path / f"{name}.nc", "w", format="NETCDF3_CLASSIC") as file:
            file.createDimension("time")
            file.createDimension("x", 5)
            file.createVariable("u", "f8", ("time", "x"))[:] = np.arange(500.0).reshape(100, 5)
    sill.run("arrays", "copy", tmp_path / "a.nc", "-o", tmp_path / "b.vti")
    for step in (1, 2):
        (tmp_path / f"volume_{step}.bin").write_bytes(bytes(4 * 50 * 100 * 200))
    return tmp_path


def commands_of(page: str) -> list[str]:
    return [match.split("  #")[0].strip() for match in COMMAND.findall((ROOT / "docs" / page).read_text("utf-8"))]


@pytest.mark.parametrize("page", PAGES)
def test_commands_run_as_pasted(sill, folder, page):
    environment = clean_environment() | {"PATH": f"{sill.path.parent}:{os.environ['PATH']}"}
    has_many_ranks = "openmpi" in (sill.mpiexec or [""])[0]  # ranks of MPICH spin
    if has_many_ranks:
        (folder / "launcher").mkdir()
        (folder / "launcher/mpiexec").write_text(f'#!/bin/sh\nexec {shlex.join(sill.mpiexec)} "$@"\n')
        (folder / "launcher/mpiexec").chmod(0o755)
        environment["PATH"] = f"{folder}/launcher:{environment['PATH']}"
    for command in commands_of(page):
        if command.startswith("mpiexec") and not has_many_ranks:
            continue
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
