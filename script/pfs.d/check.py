#!/usr/bin/env python3
"""script/pfs check FOLDER PROGRAM [WORD]: is what two ranks write through two mounts of one file system what one rank writes
on the local disk? Each rank sees its own mount at FOLDER/here (the program `rank` beside this file). Every command runs
under the default policy, each preset, and others that let two ranks write one file; all bytes of its output are then
read through both mounts. Before each run older files of the same names and sizes lie there, which both mounts have
read, so that a stale page is found. Only cases with WORD in their line are run. One line a case; status 1 if one
differs, leaves files behind, fails or hangs. Files that are right once a mount has dropped its pages are told, but not
counted: that is the file system's doing.
"""

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

    def both(self, command):
        """Two ranks, each with its own mount. Returns what went wrong, or nothing, and what was printed."""
        launch = ["mpirun.openmpi", "-n", "2", "--oversubscribe", "--timeout", str(LIMIT)]
        launch += [Path(__file__).with_name("rank"), self.folder, *command]
        run = subprocess.Popen(launch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            output, _ = run.communicate(timeout=LIMIT + 15)
        except subprocess.TimeoutExpired:
            run.kill()
            return f"hangs: not done in {LIMIT + 15} s, and its launcher neither", ""
        if run.returncode == 0:
            return "", output
        if "timeout" in output.lower():
            return f"hangs: not done in {LIMIT} s", output
        lines = [line for line in output.splitlines() if line.startswith("sill:")] or output.strip().splitlines()[-6:]
        return f"status {run.returncode}: " + " | ".join(lines), output

    def tell(self, line, trouble, began):
        print(f"{line} {trouble or 'ok'} ({time.monotonic() - began:.1f} s)", flush=True)
        self.cases += 1
        self.wrong += bool(trouble)

    def mounts_of_ranks(self):
        """Nothing below says much if both ranks see one mount."""
        began = time.monotonic()
        trouble, output = self.both(["stat", "-c", "%d", self.here])
        wanted = sorted(str(mount.stat().st_dev) for mount in self.mounts)
        if not trouble and (sorted(output.split()) != wanted or len(set(wanted)) != 2):
            trouble = f"the ranks see the devices {output.split()}, not {wanted}"
        self.tell("a mount for each rank", trouble, began)

    def case(self, title, policy, expected, older, arguments, then=None):
        """Runs a command whose output is FOLDER/here/out/..., where files as `older` lie before; `then` another on one
        rank, which sees FOLDER/mount0."""
        line = f"{title:20} {policy or 'no policy':48}"
        if self.word not in line:
            return
        for path, data in older.items():
            file = self.mounts[0] / "out" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        for mount in self.mounts:
            files_of(mount / "out")
        if policy:
            arguments = [*arguments, "--policy", policy]
        began = time.monotonic()
        troubles = [self.both([self.program, *arguments])[0]]
        if not troubles[0] and then:
            self.alone(*then)
        if not troubles[0]:
            shown = [differences(expected, files_of(mount / "out"), mount.name) for mount in self.mounts]
            for mount in self.mounts:
                drop_pages(mount / "out")
            troubles = [differences(expected, files_of(mount / "out"), mount.name) for mount in self.mounts]
            if any(shown) and not any(troubles):
                line += " stale pages: " + "; ".join(filter(None, shown)) + ", else"
        self.tell(line, "; ".join(filter(None, troubles)), began)
        shutil.rmtree(self.mounts[0] / "out", ignore_errors=True)

    def kernel(self, title, options):
        kernel = title.split()[0]
        command = ["kernel", kernel, *options.split(), "--verify"]
        local = self.local / title

        def blocks(ranks):
            return ["--block", str(IOR_BYTES // ranks)] if kernel == "ior" else []

        self.alone(*command, *blocks(1), "--out", str(local))
        expected = files_of(local)
        older = {path: b"\xee" * len(data) for path, data in expected.items()}
        for policy in self.policies:
            self.case(title, policy, expected, older, [*command, *blocks(2), "--out", str(self.here / "out")])

    def survey(self, title, arguments, in_place=False, then=()):
        """A command that reads a survey and writes another, or changes it in place, and `then` once more."""
        shots = self.local / "shots.sgy"
        if not shots.exists():
            self.alone("make-survey", str(shots), "--traces", "2000", "--samples", "201")
            shutil.copy(shots, self.mounts[0])
        local = self.local / title
        local.mkdir()
        command, *options = arguments
        once_more = None
        if in_place:
            shutil.copy(shots, local / "out.sgy")
            older = files_of(local)
            self.alone(command, str(local / "out.sgy"), *options)
            there = [command, str(self.here / "out/out.sgy"), *options]
            if then:
                self.alone(command, str(local / "out.sgy"), *then)
                once_more = [command, str(self.mounts[0] / "out/out.sgy"), *then]
        else:
            self.alone(command, str(shots), *options, "-o", str(local / "out.sgy"))
            older = {"out.sgy": b"\xee" * shots.stat().st_size}
            there = [command, str(self.here / "shots.sgy"), *options, "-o", str(self.here / "out/out.sgy")]
        expected = files_of(local)
        for policy in self.policies:
            self.case(title, policy, expected, older, there, once_more)

    def all(self):
        try:
            self.mounts_of_ranks()
            for title, options in KERNELS.items():
                self.kernel(title, options)
            for method in METHODS:
                self.survey(f"sort {method}", ["sort", "--by", "cdp,offset", "--method", method])
            self.survey("convert", ["convert", "--sample-format", "ieee"])
            self.survey("edit", ["edit", "--set", "ep=tracl+7,gx=-offset"], in_place=True)
            inner = ["edit", "--set", "ep=7", "--where", "trace>100 and trace<1900"]
            self.survey("edit inner, then all", inner, in_place=True, then=["--set", "gx=5"])
        finally:
            shutil.rmtree(self.local)
        print(f"{self.cases} cases, {self.wrong} wrong")
        return 1 if self.wrong else 0


def files_of(folder):
    """All files below a folder, and their bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def drop_pages(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def differences(expected, found, mount):
    lines = [f"{path} is missing" for path in expected if path not in found]
    lines += [f"{path} is left behind" for path in found if path not in expected]
    for path, wanted in expected.items():
        data = found.get(path, wanted)
        if len(data) != len(wanted):
            lines.append(f"{path} has {len(data)} bytes, not {len(wanted)}")
        elif data != wanted:
            wrong = [i for i in range(len(data)) if data[i] != wanted[i]]
            lines.append(f"{path} differs in {len(wrong)} bytes from {wrong[0]} to {wrong[-1]}")
    if not lines:
        return ""
    return f"{mount}: " + ", ".join(lines[:3]) + (f" and {len(lines) - 3} more" if len(lines) > 3 else "")


if __name__ == "__main__":
    sys.exit(Check(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:4]).all())
