"""The Python code of documents runs, in its order, on a synthetic survey; `script/site` runs the notebooks."""

import itertools
import re
import shlex
from pathlib import Path

import pytest
import sill
import sill._sill

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = {
    "README.md": {"near.sgy"},
    "docs/index.md": {"near.sgy"},
    "docs/python.md": {"cmp.sgy", "cmp.png", "stack.sgy", "near.sgy", "loud.sgy"},
    "docs/tutorial.md": {"cmp.sgy", "stack.sgy"},
}


@pytest.mark.filterwarnings("ignore::sill.SillWarning")
@pytest.mark.parametrize(("name", "files"), WRITTEN.items())
def test_code_of_documents(tmp_path, monkeypatch, name, files):
    text = (ROOT / name).read_text()
    blocks = re.findall(r"^```(python|\{code-cell\}|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    sill.make_survey("shots.sgy", traces=2000, samples=500, velocities="v.csv")
    names = {}
    for kind, block in blocks:
        if "://" in block:  # of a server that is not there; test_remote.py has one
            continue
        if kind != "console":
            exec(compile(block, name, "exec"), names)
            continue
        for line in block.splitlines():
            program, *arguments = itertools.dropwhile(lambda word: "=" in word, shlex.split(line))
            assert program in ("sill", "pip", "mpiexec", "python3", "source")
            if program == "sill":
                sill._sill.run_command([argument.encode() for argument in arguments], None, [], {}, None, None, None)
    assert files <= {path.name for path in tmp_path.iterdir()}


def test_the_reference_has_all_public_names():
    page = (ROOT / "docs/reference.md").read_text()
    public = set(sill.__all__) - {"__version__"}
    assert {name for name in public if not re.search(rf"\b{name}\b", page)} == set()
