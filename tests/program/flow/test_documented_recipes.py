"""The recipes and lines of docs/flow.md, as they stand there."""

import re
from pathlib import Path

import numpy as np
import segy_files

PAGE = Path(__file__).parents[3] / "docs" / "flow.md"


def test_recipes(sill, tmp_path):
    sill.run("make-survey", tmp_path / "shots.sgy", "--traces", 2400, "--samples", 600, "--interval", 4000, "--velocities",
             tmp_path / "v.csv")  # fmt: skip
    recipes = re.findall(r"```toml\n# (\S+)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert [name for name, _ in recipes] == ["cmp-stack.toml", "clean-up.toml"]
    for name, text in recipes:
        (tmp_path / name).write_text(text)
        sill.run("flow", name, cwd=tmp_path)
    stack, clean = segy_files.read(tmp_path / "stack.sgy"), segy_files.read(tmp_path / "clean.sgy")
    cdps = np.unique(segy_files.read(tmp_path / "shots.sgy").word("cdp"))
    np.testing.assert_array_equal(stack.word("cdp"), cdps)
    assert stack.word("nhs").max() > 1 and np.abs(stack.samples()).max() > 0
    assert clean.samples().shape == (len(cdps), 501)


def test_lines(sill, tmp_path, small):
    (tmp_path / "mute.csv").write_text("0,0.01\n1000,0.03\n")
    (tmp_path / "v.csv").write_text("time_s,velocity\n0.0,1500\n1.0,2500\n")
    lines = re.findall(r"```sh\n(agc.*?)```", PAGE.read_text(), re.DOTALL)[0].splitlines()
    assert len(lines) == 7
    for line in lines:
        sill.run("flow", small[1], "--do", line, "--dry-run", cwd=tmp_path)
