#!/usr/bin/env python3
"""script/pfs check FOLDER PROGRAM [WORD]: is what two ranks write through two mounts of one file system what one rank writes
on the local disk? Each rank sees its own mount at FOLDER/here (the program `rank` beside this file). Every command runs
under the default policy, each preset, and others that let two ranks write one file; all bytes of its output are then
read through both mounts. Before each run older files of the same names and sizes lie there, which both mounts have
read, so that a stale page is found. One line a case; status 1 if one differs, fails or hangs.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 60  # seconds a case

KERNELS = {
    "ondes3d-stations": "--stations 20 --steps 60 --every 10",
    "ondes3d-surfaces": "--grid 60x50x20 --steps 10 --every 5 --displacement",
    "awp-volume": "--grid 80x40x20 --steps 4 --batch 2",
    "mslio": "--ccross 2 --sub-elements 16 --phases 2",
    "mslio shared": "--ccross 2 --sub-elements 16 --phases 2 --files shared",
    "ior": "--shared --transfer 50000",
    "grid-rows": "--grid 16x64x16 --snapshots 3",
}
IOR_BYTES = 1_000_000  # of all ranks together

# Beside the presets: on one machine `aggregated` has one writer, on two nodes two.
MORE_POLICIES = [
    "aggregated,writers=2",
    "writers=2,stage=64K",
    "writers=2,stage=64K,align=stripe,striping=2x64K",
    "direct,async=2",
    "elected,stage=64K,async=2,sync=phase",
]
METHODS = ["auto", "gather", "scatter", "buckets"]


class Check:
    def __init__(self, folder, program, word=""):
        self.word = word
        self.folder = folder
        self.program = str(program)
        self.mounts = [folder / "mount0", folder / "mount1"]
        self.here = folder / "here"
        self.local = Path(tempfile.mkdtemp(prefix="sill-pfs-"))
        self.wrong = 0
        self.cases = 0
        presets = json.loads(subprocess.check_output([self.program, "policies", "--json"]))["presets"]
        self.policies = [None] + [preset["name"] for preset in presets] + MORE_POLICIES

    def alone(self, *arguments):
        """What it should be: one rank, on the local disk."""
        subprocess.run([self.program, *arguments, "--policy", "direct"], check=True, stdout=subprocess.DEVNULL)

    def both(self, arguments):
        """Two ranks, each with its own mount. Returns what went wrong, or nothing."""
        rank = Path(__file__).with_name("rank")
        command = ["mpirun.openmpi", "-n", "2", "--oversubscribe", "--timeout", str(LIMIT), rank, self.folder]
        run = subprocess.Popen([*command, self.program, *arguments], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            output, _ = run.communicate(timeout=LIMIT + 15)
        except subprocess.TimeoutExpired:
            run.kill()
            return f"hangs: not done in {LIMIT + 15} s, and its launcher neither"
        if run.returncode == 0:
            return ""
        if "timeout" in output.lower():
            return f"hangs: not done in {LIMIT} s"
        return f"status {run.returncode}: " + " | ".join(output.strip().splitlines()[-6:])

    def older(self, expected, name):
        for path, (size, _) in expected.items():
            file = self.mounts[0] / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"\xee" * size)
        for mount in self.mounts:
            files_of(mount / name)

    def case(self, title, policy, expected, name, arguments):
        """Runs a command whose output is FOLDER/here/NAME/..."""
        line = f"{title:24} {policy or 'no policy':48}"
        if self.word not in line:
            return
        self.older(expected, name)
        if policy:
            arguments = [*arguments, "--policy", policy]
        began = time.monotonic()
        trouble = self.both(arguments)
        seconds = time.monotonic() - began
        if not trouble:
            for mount in self.mounts:
                trouble += differences(expected, files_of(mount / name), mount.name)
        print(f"{line} {trouble.rstrip('; ') or 'ok'} ({seconds:.1f} s)", flush=True)
        self.cases += 1
        self.wrong += bool(trouble)
        shutil.rmtree(self.mounts[0] / name, ignore_errors=True)

    def kernel(self, title, options):
        kernel, *more = title.split()
        ranks_share = lambda ranks: ["--block", str(IOR_BYTES // ranks)] if kernel == "ior" else []
        command = ["kernel", kernel, *options.split()]
        name = "-".join([kernel, *more])
        self.alone(*command, *ranks_share(1), "--out", str(self.local / name), "--verify")
        expected = files_of(self.local / name)
        for policy in self.policies:
            arguments = [*command, *ranks_share(2), "--verify", "--out", str(self.here / name)]
            self.case(title, policy, expected, name, arguments)

    def sort(self):
        survey = self.local / "survey.sgy"
        self.alone("make-survey", str(survey), "--traces", "2000", "--samples", "201")
        (self.local / "sorted").mkdir()
        self.alone("sort", str(survey), "--by", "cdp,offset", "-o", str(self.local / "sorted/out.sgy"))
        expected = files_of(self.local / "sorted")
        shutil.copy(survey, self.mounts[0] / "survey.sgy")
        for policy in self.policies:
            for method in METHODS:
                arguments = ["sort", str(self.here / "survey.sgy"), "--by", "cdp,offset", "--method", method]
                arguments += ["-o", str(self.here / "sorted/out.sgy")]
                self.case(f"sort {method}", policy, expected, "sorted", arguments)

    def all(self):
        for title, options in KERNELS.items():
            self.kernel(title, options)
        self.sort()
        shutil.rmtree(self.local)
        print(f"{self.cases} cases, {self.wrong} wrong")
        return 1 if self.wrong else 0


def files_of(folder):
    """All files below a folder: their sizes and hashes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            found[str(path.relative_to(folder))] = (len(data), hashlib.sha256(data).hexdigest())
    return found


def differences(expected, found, mount):
    lines = [f"{path} is missing" for path in expected if path not in found]
    lines += [f"{path} is too many" for path in found if path not in expected]
    for path in expected.keys() & found.keys():
        if expected[path] != found[path]:
            lines.append(f"{path} differs ({found[path][0]} bytes, not {expected[path][0]})"
                         if expected[path][0] != found[path][0] else f"{path} differs")
    if not lines:
        return ""
    return f"{mount}: " + ", ".join(lines[:3]) + (f" and {len(lines) - 3} more" if len(lines) > 3 else "") + "; "


if __name__ == "__main__":
    sys.exit(Check(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4]).all())
