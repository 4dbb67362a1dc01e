"""Files for the tests of the Python package, made with NumPy alone."""

import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "program" / "support"))

import segy_files  # noqa: E402
import sill  # noqa: E402


signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell ignore it


def pytest_configure(config):
    config.addinivalue_line("markers", "nightly: takes long; script/test leaves it out unless --nightly is given")


@pytest.fixture(scope="session")
def line(tmp_path_factory):
    """300 traces of 50 IBM samples: (file, path). Read only."""
    file = segy_files.make(300, 50, code=1)
    return file, file.write(tmp_path_factory.mktemp("line") / "line.sgy")


@pytest.fixture
def hdf5(tmp_path):
    """Skips tests in a build without HDF5."""
    try:
        sill.Dataset(tmp_path / "try.h5", "w", dims={"x": 1}).close()
    except sill.UsageError as error:
        if "without HDF5" in str(error):
            pytest.skip(str(error))
        raise
