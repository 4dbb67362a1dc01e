"""How often a wrong sample format is found, and a right one suspected, on synthetic data: the table of docs/check.md.

    SILL_PROGRAM=build/release/bin/sill python tests/program/support/sample_format_rates.py [FILES]

writes FILES files (default 20) of each kind of values and each way to state their format, lets `sill check` assess
them, and prints the shares. It takes some minutes.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sample_format_values import FLOATS, INTEGERS, file_of

TRACES, SAMPLES = 40, 400
IBM, INT32, IEEE = 1, 2, 5


def findings_of(program: str, files: list[Path]) -> list[list[dict]]:
    """The findings about the sample format of each file."""
    done = subprocess.run([program, "check", "--no-geometry", "--json", "-", *files], capture_output=True, check=True)
    told = {one["file"]: one["findings"] for one in json.loads(done.stdout)["files"]}
    return [[one for one in told[str(file)] if one["kind"] == "sample-format"] for file in files]


def share_found(program, law, *, states, holds, swapped=False, files):
    """The share of files with a major finding."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for seed in range(files):
            values = law(np.random.default_rng(seed), TRACES, SAMPLES).astype(np.float32)
            path = Path(folder) / f"{seed}.sgy"
            paths.append(file_of(values, states=states, holds=holds, swapped=swapped).write(path))
        found = findings_of(program, paths)
    major = [one for one in found if any(finding["grade"] == "major" for finding in one)]
    return len(major) / files


def main():
    program = os.environ.get("SILL_PROGRAM", "build/release/bin/sill")
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 20

    def cell(law, **how):
        return f"{100 * share_found(program, law, files=files, **how):.0f}"

    heads = [
        "floats", "IEEE stated as IBM", "IBM as IEEE", "IEEE as integer", "IBM as integer", "IEEE, bytes swapped",
        "IBM, bytes swapped", "false alarms, IEEE", "false alarms, IBM",
    ]  # fmt: skip
    print(f"| {' | '.join(heads)} |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, law in FLOATS.items():
        cells = [
            cell(law, states=IBM, holds=IEEE), cell(law, states=IEEE, holds=IBM), cell(law, states=INT32, holds=IEEE),
            cell(law, states=INT32, holds=IBM), cell(law, states=IEEE, holds=IEEE, swapped=True),
            cell(law, states=IBM, holds=IBM, swapped=True), cell(law, states=IEEE, holds=IEEE),
            cell(law, states=IBM, holds=IBM),
        ]  # fmt: skip
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print("\n| integers | stated as IBM | as IEEE | bytes swapped | false alarms |")
    print("|---|--:|--:|--:|--:|")
    for name, law in INTEGERS.items():
        cells = [
            cell(law, states=IBM, holds=INT32), cell(law, states=IEEE, holds=INT32),
            cell(law, states=INT32, holds=INT32, swapped=True), cell(law, states=INT32, holds=INT32),
        ]  # fmt: skip
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
