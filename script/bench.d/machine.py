"""What the figures were measured on."""

import os
import pathlib
import platform
import subprocess
import time


def first_line(*command, cwd=None) -> str:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    return lines[0] if done.returncode == 0 and lines else "unknown"


def processor() -> str:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    fields = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    model = fields.get("model name") or platform.machine()
    numbers = [f"{name} {fields[name]}" for name in ("cpu family", "model", "stepping") if name in fields]
    described = model + (f" ({', '.join(numbers)})" if numbers else "")
    return described + (", virtual machine" if " hypervisor" in text else "")


def memory() -> str:
    kib = next(int(line.split()[1]) for line in pathlib.Path("/proc/meminfo").read_text().splitlines()
               if line.startswith("MemTotal"))  # fmt: skip
    return f"{kib / 2**20:.1f} GiB"


def file_system(folder: pathlib.Path) -> str:
    """Type, device and options of the mount that holds a folder."""
    best, found = "", "unknown"
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        place = before.split()[4].replace("\\040", " ")
        if (str(folder) + "/").startswith(place.rstrip("/") + "/") and len(place) >= len(best):
            kind, device, *_ = after.split()
            best, found = place, f"{kind} on {device} ({before.split()[5]})"
    return found


def compiler(program: pathlib.Path) -> str:
    """From CMake's cache, where the program lies in a build folder."""
    cache = program.parent.parent / "CMakeCache.txt"
    if not cache.is_file():
        return "unknown"
    values = {}
    for line in cache.read_text(errors="replace").splitlines():
        name, separator, value = line.partition("=")
        if separator and not line.startswith(("#", "//")):
            values[name.partition(":")[0]] = value
    kind = values.get("CMAKE_BUILD_TYPE", "")
    flags = [values.get(name, "") for name in ("CMAKE_CXX_FLAGS", f"CMAKE_CXX_FLAGS_{kind.upper()}")]
    named = first_line(values.get("CMAKE_CXX_COMPILER", "c++"), "--version")
    return f"{named}, {kind} ({' '.join(' '.join(flags).split())})"


def commit(repository: pathlib.Path) -> str:
    name = first_line("git", "rev-parse", "--short=12", "HEAD", cwd=repository)
    if name == "unknown":
        return "none yet"
    changed = first_line("git", "status", "--porcelain", "--untracked-files=no", cwd=repository)
    return name + ("" if changed == "unknown" else " with changes")


def describe(repository, folder, program, launcher) -> dict:
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": commit(repository),
        "program": first_line(str(program), "--version"),
        "processor": processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": memory(),
        "kernel": f"{platform.system()} {platform.release()}",
        "file system": file_system(folder),
        "compiler": compiler(program),
        "MPI": first_line(launcher, "--version") if launcher else "none",
        "cp": first_line("cp", "--version"),
        "load before": f"{os.getloadavg()[0]:.2f} (mean of a minute)",
    }


def markdown(machine: dict) -> str:
    return "\n".join(["| machine | |", "|---|---|", *(f"| {name} | {value} |" for name, value in machine.items())])
