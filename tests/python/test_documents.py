"""The Python code of docs/python.md runs, in its order, on a synthetic survey."""

import re
from pathlib import Path

import pytest
import sill

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("ignore::sill.SillWarning")
def test_code_of_the_document(tmp_path, monkeypatch, capsys):
    assert len(BLOCKS) >= 3
    monkeypatch.chdir(tmp_path)
    sill.make_survey("shots.sgy", traces=2000, samples=500, velocities="v.csv")
    names = {}
    for block in BLOCKS:
        exec(compile(block, str(DOCUMENT), "exec"), names)
    assert {"cmp.sgy", "cmp.png", "stack.sgy", "near.sgy"} <= {path.name for path in tmp_path.iterdir()}
    assert "nmo" in capsys.readouterr().out
