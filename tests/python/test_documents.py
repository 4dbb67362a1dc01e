"""The Python code of README.md and docs/python.md runs, in its order, on a synthetic survey."""

import re
from pathlib import Path

import pytest
import sill
import xarray

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = {
    name: re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(), re.MULTILINE | re.DOTALL)
    for name in ("README.md", "docs/python.md")
}


@pytest.mark.filterwarnings("ignore::sill.SillWarning")
@pytest.mark.parametrize(("name", "blocks"), BLOCKS.items())
def test_code_of_documents(tmp_path, monkeypatch, installed, name, blocks):
    assert blocks
    monkeypatch.syspath_prepend(installed)
    xarray.backends.plugins.list_engines.cache_clear()
    monkeypatch.chdir(tmp_path)
    sill.make_survey("shots.sgy", traces=2000, samples=500, velocities="v.csv")
    names = {}
    for block in blocks:
        if "://" in block:  # of a server that is not there; test_remote.py has one
            continue
        exec(compile(block, name, "exec"), names)
    written = {"README.md": {"near.sgy"}, "docs/python.md": {"cmp.sgy", "cmp.png", "stack.sgy", "near.sgy", "loud.sgy"}}
    assert written[name] <= {path.name for path in tmp_path.iterdir()}
