"""The types of the package, as mypy sees them in a program that uses it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import sill

ROOT = Path(__file__).resolve().parents[2]
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
gained: sill.Flow = survey.nmo(velocity="v.csv").apply(lambda block: block["offset"]).sort("cdp", -1.5).header(cdp=5, offset="sx - gx")
made: sill.Result = sill.make_survey("line.sgy", traces=numpy.int64(100), interval=2000.0, kind="line", progress=print)
method = sill.Flow.agc
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

# Each line with the words that mypy says of it.
WRONG = {
    'survey.nmoo(velocity="v.csv")': '"Survey" has no attribute "nmoo"',
    "survey.nmo(velocty=1)": 'Unexpected keyword argument "velocty" for "nmo" of "Operations"',
    "survey.agc(window=survey.check)": 'Argument "window" to "agc" of "Operations" has incompatible type',
    "survey.agc(0.5).stak()": '"Flow" has no attribute "stak"',
    "survey.apply(print, scpe=1)": 'Unexpected keyword argument "scpe"',
    'survey.agc(0.5).write("a.sgy", sampel_format="ibm")': 'Unexpected keyword argument "sampel_format" for "write" of "Flow"',
    'survey.agc(0.5).plan(explain="yes")': 'Argument "explain" to "plan" of "Flow" has incompatible type "str"',
    'survey.view(kidn="wiggle")': 'Unexpected keyword argument "kidn" for "view" of "Survey"',
    'sill.sort("a.sgy", kye="cdp")': 'Unexpected keyword argument "kye" for "sort"',
    'sill.sort("a.sgy", renumber="yes")': 'Argument "renumber" to "sort" has incompatible type "str"; expected "bool"',
    'sill.words("a.sgy", progress=print)': 'Unexpected keyword argument "progress" for "words"',
    'sill.sotr("a.sgy", by="cdp")': 'Module has no attribute "sotr"',
}


def code_of(path):
    """Returns the code of an example, a notebook or a document."""
    if path.suffix == ".py":
        return path.read_text()
    blocks = re.findall(r"^```(?:python|\{code-cell\}.*)\n((?:(?!```).*\n)*)", path.read_text(), re.MULTILINE)
    return "\n".join(re.sub(r"\A(:.*\n)+", "", block) for block in blocks)


def mypy(folder, names):
    """Returns what mypy --strict says of programs that use the package."""
    package = Path(sill.__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--allow-untyped-defs", "--allow-untyped-calls", "--ignore-missing-imports",
         "--disable-error-code=import-untyped", "--cache-dir", folder.parent / "mypy-cache", "--follow-imports=silent", *names],
        cwd=folder, env=os.environ | {"MYPYPATH": str(package.parent)}, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_types(tmp_path):
    """Of a program, and of all examples, notebooks and documents, in one run; functions in documents have no annotations."""
    (tmp_path / "program.py").write_text(PROGRAM)
    paths = [path for pattern in ("examples/**/*.py", "docs/**/*.md", "README.md") for path in ROOT.glob(pattern)]
    for path in paths:
        if code := code_of(path):
            (tmp_path / f"{path.stem.replace('-', '_')}_.py").write_text(code)
    made = sorted(path.name for path in tmp_path.glob("*.py"))
    assert {"program.py", "README_.py", "heat2d_.py", "python_.py", "qc_of_a_delivery_.py", "tutorial_.py"} <= set(made)
    said = mypy(tmp_path, made)
    assert f"no issues found in {len(made)} source files" in said, said


def test_wrong_names_and_arguments_of_commands_and_operations(tmp_path):
    lines = ["import sill", 'survey = sill.open("shots.sgy")', *WRONG]
    (tmp_path / "wrong.py").write_text("\n".join(lines))
    said = mypy(tmp_path, ["wrong.py"])
    for line, text in WRONG.items():
        assert re.search(rf"(?m)^wrong.py:{lines.index(line) + 1}: error: {re.escape(text)}", said), said
    assert f"Found {len(WRONG)} errors" in said, said
