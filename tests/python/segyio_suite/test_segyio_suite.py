"""The tests of segyio 2, run on sill.segyio. SILL_SEGYIO_TESTS names a folder with python/test and test-data of segyio."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = os.environ.get("SILL_SEGYIO_TESTS")
# docs/python-segyio.md states the reasons.
EXPECTED_FAILURES = {
    "test_custom_layout_xml",
    "test_header_dict_methods",
    "test_header_dropped_writes",
    "test_open_broken_file",
    "test_open_with_custom_mapping",
}


@pytest.mark.skipif(SUITE is None, reason="SILL_SEGYIO_TESTS is not set")
@pytest.mark.parametrize("name", ["segy", "tools", "segyioenum", "stream", "memory_buffer"])
@pytest.mark.parametrize("source", ["pyfile", "pymemory"])
def test_only_known_tests_fail(name, source):
    if source == "pymemory" and name != "stream":
        pytest.skip("the source matters to streams only")
    plugins = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rf", "--tb=no", "-p", "sill_as_segyio", "-p", "no:cacheprovider",
         "--datasource", source, f"test/{name}.py"],
        cwd=Path(SUITE) / "python", env={**os.environ, "PYTHONPATH": plugins}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert " passed" in ran.stdout, ran.stdout + ran.stderr
    assert set(re.findall(r"^(?:FAILED|ERROR) \S+::(\w+)", ran.stdout, re.MULTILINE)) <= EXPECTED_FAILURES, ran.stdout
