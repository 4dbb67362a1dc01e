"""Files for the tests of the Python package, made with NumPy alone."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "program" / "support"))

import segy_files  # noqa: E402


@pytest.fixture(scope="session")
def line(tmp_path_factory):
    """300 traces of 50 IBM samples: (file, path). Read only."""
    file = segy_files.make(300, 50, code=1)
    return file, file.write(tmp_path_factory.mktemp("line") / "line.sgy")
