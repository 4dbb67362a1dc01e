"""The types of the package, as mypy sees them in a program that uses it."""

import os
import subprocess
import sys
from pathlib import Path

import sill

PROGRAM = """
import numpy
import sill

survey = sill.open("shots.sgy", assume={"samples": 751})
samples: "numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float32]]" = survey.traces[10:20]
near: sill.Survey = survey.where("abs(offset) < 500")
for gather in near.gathers("cdp", then="offset"):
    total: int = len(gather.samples)
flow: sill.Flow = near.agc("500ms").stack(by="cdp")
result: sill.Result = flow.write("stack.sgy", sample_format="ieee")
with sill.Dataset("u.nc", "w", dims={"time": None, "x": 4}, at={"x": slice(0, 4)}) as output:
    u: sill.Variable = output.createVariable("u", "f4", ("time", "x"))
    u.units = "m"
    output["u"][0] = numpy.zeros(4)
    output.write_step({"u": 1.0})
    costs: "dict[str, object]" = output.report()
try:
    sill.sort("shots.sgy", output="sorted.sgy", by="cdp")
except sill.IoError as error:
    print(error.errno, error.action)
"""


def test_types(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    package = Path(sill.__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "--follow-imports=silent", "-m", "program"],
        cwd=tmp_path, env=os.environ | {"MYPYPATH": str(package.parent)}, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    # mypy does not report errors in installed packages; this one is in a folder of the build.
    assert [line for line in done.stdout.splitlines() if line.startswith("program.py")] == []
    assert "checked 1 source file" in done.stdout or "no issues found" in done.stdout, done.stdout + done.stderr
