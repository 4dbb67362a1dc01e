"""Scripts of the sources refuse what they do not know, instead of doing something else."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    "script, argument",
    [(script, argument) for script in ("check", "format", "test") for argument in ("--quik", "--help", "src")]
    + [("commands", "--quik"), ("demo", "--quik")],
)
def test_unknown_arguments_are_refused(script, argument):
    done = subprocess.run([ROOT / "script" / script, argument], capture_output=True, text=True, timeout=10, check=False)
    assert done.returncode == 2
    assert done.stdout == "" and done.stderr.startswith(f"usage: script/{script}")
