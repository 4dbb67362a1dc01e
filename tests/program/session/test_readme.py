"""README.md is one screen, its commands work as pasted, and links of the documents lead somewhere."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import png_files
import pytest
from program import TIMEOUT_S, clean_environment

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOORS = {
    "I have seismic files": ["shots.sgy", "shots.png", "cmp.sgy", "stack.sgy", "stack.png"],
    "I have a simulation": ["installed/bin/sill", "own_surfacexyvel001000.vtk", "sill_surfacexyvel004000.vtk"],
    "I run a cluster": ["big.sgy", "cost.txt", "by_cdp.sgy"],
}
TITLES = [*list(DOORS)[:1], "I work in Python", *list(DOORS)[1:]]  # tests/python runs the code of the second


PICTURES = re.findall(r"!\[.+\]\((.*)\)", README)


def code_of(section: str) -> list[list[str]]:
    """The commands of each block of a section."""
    text = README.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    return [block.strip().split("\n") for block in re.findall(r"```sh\n(.*?)```", text, re.S)]


def test_one_screen():
    lines = README.splitlines()
    assert len(lines) <= 78 and max(map(len, lines)) <= 125
    assert [title for title in re.findall(r"^## (.*)", README, re.M) if title.startswith("I ")] == TITLES
    assert code_of("Install")[0][0].startswith("script/demo ") and code_of("Install")[0][1].startswith("script/test ")


@pytest.fixture
def checkout(sill, tmp_path) -> Path:
    """What the commands see of the sources and the build, so that they write nowhere else."""
    build = sill.path.parent.parent
    if not (build / "cmake_install.cmake").is_file():
        pytest.skip("the program is not in the folder of its build")
    (tmp_path / "build").mkdir()
    (tmp_path / "build/release").symlink_to(build)
    for name in ("cmake", "docs", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


@pytest.mark.parametrize("door", DOORS)
def test_commands_work_as_pasted(sill, checkout, door):
    [commands] = code_of(door)
    assert 5 <= len(commands) <= 6
    launcher = checkout / "launcher"
    launcher.mkdir()
    if any("mpiexec" in command for command in commands):
        if not sill.mpiexec:
            pytest.skip("no MPI launcher: set SILL_MPIEXEC")
        mpiexec = launcher / "mpiexec"
        mpiexec.write_text(f'#!/bin/sh\nexec {shlex.join(sill.mpiexec)} "$@"\n')
        mpiexec.chmod(0o755)
    script = "\n".join(["set -euo pipefail", *code_of("Install")[1], *commands])
    environment = clean_environment() | {"PATH": f"{launcher}:{os.environ['PATH']}"}
    for name in ("SILL_POLICY", "SILL_OPTIONS"):
        environment.pop(name, None)
    done = subprocess.run(
        ["bash", "-c", script], cwd=checkout, env=environment, capture_output=True, encoding="utf-8", timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    for name in DOORS[door]:
        assert (checkout / "build/try" / name).stat().st_size > 0
    # The pictures of README are what the commands make, up to the rendering of letters.
    for name in PICTURES if door == "I have seismic files" else []:
        made, stored = (png_files.decode(path.read_bytes()).astype(int)
                        for path in (checkout / "build/try" / Path(name).name, ROOT / name))  # fmt: skip
        assert made.shape == stored.shape, name
        assert np.abs(made - stored).mean() < 0.5, f"{name} is stale: script/pictures"


def anchors_of(page: Path) -> set[str]:
    """As GitHub makes them: small letters, hyphens for blanks, no other signs."""
    titles = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.M)
    titles = [re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", title) for title in titles]
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


PAGES = sorted(page.relative_to(ROOT) for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / page).parent / name if name else ROOT / page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors_of(target), link


def test_the_index_of_the_documents_is_complete():
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    for page in ROOT.glob("docs/*.md"):
        assert page.name == "README.md" or f"]({page.name})" in index, page.name


def test_the_pictures_are_small():
    assert len(PICTURES) == 2 and all((ROOT / picture).stat().st_size < 700_000 for picture in PICTURES)
