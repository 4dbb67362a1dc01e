"""The command line of script/bench: options, the order of things, what is printed and what is left behind."""

import argparse
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import machine
import table
from cases import CASES, Cases
from measure import Bench, say

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SURVEY = (160_000, 1_500)
SHAPES = ((10_000_000, 10), (200, 65_535))
QUICK_SURVEY = (48_000, 1_500)
QUICK_SHAPES = ((200_000, 10), (50, 65_535))
QUICK_PAIRS = 3
ARRAY, QUICK_ARRAY = 1024, 64  # MiB
USUAL_CASES = [name for name in CASES if name != "cephfs"]  # which needs root and packages

EPILOG = "cases:\n" + "\n".join(f"  {name:<16}{case.__doc__}" for name, case in CASES.items())


def shape(text: str) -> tuple[int, int]:
    traces, _, samples = text.partition("x")
    return int(traces), int(samples)


def case_names(text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    unknown = [name for name in names if name not in CASES]
    if unknown or not names:
        wrong = ", ".join(unknown) or "nothing"
        raise argparse.ArgumentTypeError(f"no case named {wrong}; there are {', '.join(CASES)}")
    return names


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="script/bench",
        description="Measures Sill beside cp and prints Markdown tables; progress goes to standard error.\n"
        "The status is 1 if a run failed, 2 if nothing could be measured. A target that is missed is only shown.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # script/bench looks for --program
    )
    parser.add_argument("--cases", type=case_names, default=USUAL_CASES, help="which, separated by commas; default all but cephfs")
    parser.add_argument("--pairs", type=positive, help="pairs of runs of the main cases (9); others take fewer, auto, cephfs and ior as many as "
                        "there is time for")  # fmt: skip
    parser.add_argument("--traces", type=positive, help=f"of the main survey ({SURVEY[0]})")
    parser.add_argument("--samples", type=positive, help=f"a trace of the main survey ({SURVEY[1]})")
    parser.add_argument("--shapes", type=lambda text: [shape(part) for part in text.split(",")],
                        help="of the case shapes: TRACESxSAMPLES,... (10000000x10,200x65535)")  # fmt: skip
    parser.add_argument("--array", type=positive, help="MiB of the arrays of the case containers (1024; others there are smaller in "
                        "proportion)")  # fmt: skip
    parser.add_argument("--mdio", type=pathlib.Path, default=REPOSITORY / "build/mdio/bin/python",
                        help="of the case containers: a Python with multidimio (build/mdio/bin/python)")  # fmt: skip
    parser.add_argument("--quick", action="store_true",
                        help="smaller and fewer, to try the bench itself; no figures to publish")  # fmt: skip
    parser.add_argument("--folder", type=pathlib.Path, default=REPOSITORY / "build/bench",
                        help="where files are made, in a folder of their own: 3 GB, for the shapes 9 GB")  # fmt: skip
    parser.add_argument("--results", type=pathlib.Path, default=REPOSITORY / "build/bench/results.json",
                        help="where raw numbers go (build/bench/results.json)")  # fmt: skip
    parser.add_argument("--program", type=pathlib.Path, help="measure this program; nothing is installed or built")
    parser.add_argument("--before", type=pathlib.Path, help="of the case before: an earlier version of the program")
    parser.add_argument("--full", action="store_true",
                        help="of the case auto: also CephFS, one rank and other sizes; hours, goes on where it was ended")  # fmt: skip
    parser.add_argument("--touch", type=float, default=2.5, help="memory to touch before every run, in inputs (2.5)")
    parser.add_argument("--timeout", type=float, default=900, help="seconds after which a run counts as failed (900)")
    parser.add_argument("--keep", action="store_true", help="leave the surveys for a look; their folder is printed")
    options = parser.parse_args()
    if not 0 <= options.touch <= 10:
        parser.error("--touch is a number from 0 to 10")
    survey = QUICK_SURVEY if options.quick else SURVEY
    options.max_runs = options.pairs or (QUICK_PAIRS if options.quick else None)  # of cases whose runs have a time
    options.pairs = options.max_runs or 9
    options.traces = options.traces or survey[0]
    options.samples = options.samples or survey[1]
    options.array = options.array or (QUICK_ARRAY if options.quick else ARRAY)
    options.shapes = options.shapes or (QUICK_SHAPES if options.quick else SHAPES)
    return options


def python_with_readers() -> pathlib.Path | None:
    python = REPOSITORY / "build/venv/bin/python"
    if not python.is_file():
        return None
    done = subprocess.run([python, "-c", "import segyio, obspy, numpy"], capture_output=True, check=False)
    return python if done.returncode == 0 else None


def main() -> int:
    options = parse_arguments()
    program = options.program
    if program is None:
        program = REPOSITORY / "build/release/bin/sill"
        if subprocess.run([REPOSITORY / "script/build", "release", "all", "benchmarks"], stdout=sys.stderr, check=False).returncode:
            return 2
    program = program.resolve()
    if not os.access(program, os.X_OK):
        say(f"script/bench: no program at {program}")
        return 2
    launcher = shutil.which("mpirun.openmpi")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda which, _: sys.exit(128 + which))

    options.folder.mkdir(parents=True, exist_ok=True)
    options.results.parent.mkdir(parents=True, exist_ok=True)
    # Two benches at once would measure each other.
    lock = open(options.folder / "lock", "w")  # noqa: SIM115, held until the end
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say(f"script/bench: another bench runs in {options.folder}")
        return 2

    folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=options.folder)).resolve()
    bench = Bench(folder, options.timeout, options.touch)
    described = machine.describe(REPOSITORY, folder, program, launcher)
    rows = []
    try:
        cases = Cases(bench, options, program, launcher, python_with_readers())
        for name in options.cases:
            for row in CASES[name](cases):
                rows.append(row)
                write_results(options, described, bench, rows)
    except KeyboardInterrupt:
        say("interrupted; what was measured so far is below")
        return 130
    finally:
        report(options, described, bench, rows)
        bench.group.remove()
        if options.keep:
            say(f"files are in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if any(row.problem for row in rows) else 0


def write_results(options, described, bench, rows) -> None:
    described["load of others"] = f"{bench.others_cores():.2f} cores on average while runs were timed"
    result = {
        "machine": described,
        "options": {name: str(value) if isinstance(value, pathlib.Path) else value
                    for name, value in vars(options).items()},
        "worst_cached_fraction_after_eviction": bench.worst_eviction,
        "rows": [table.as_json(row) for row in rows],
    }  # fmt: skip
    options.results.write_text(json.dumps(result, indent=1) + "\n")


def report(options, described, bench, rows) -> None:
    if not rows:
        return
    write_results(options, described, bench, rows)
    if options.quick:
        print("A trial (--quick): smaller and fewer than the figures to publish.\n")
    print(f"Survey: {options.traces:,} traces × {options.samples:,} IEEE samples, "
          f"{(3600 + options.traces * (240 + 4 * options.samples)) / 1e9:.2f} GB.\n")  # fmt: skip
    print(machine.markdown(described))
    print()
    print(table.markdown(rows))
    sys.stdout.flush()
    if bench.others_cores() > 0.1 * len(os.sched_getaffinity(0)):
        say(f"something else kept {bench.others_cores():.2f} cores busy meanwhile: these are no figures to publish")
    if bench.worst_eviction > 0.05:
        say(f"eviction left up to {100 * bench.worst_eviction:.0f} % of an input in the page cache")
    say(f"raw numbers: {options.results}")


if __name__ == "__main__":
    sys.exit(main())
