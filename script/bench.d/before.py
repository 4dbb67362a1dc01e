"""Commands beside those of an earlier version of the program (--before)."""

from measure import Job, Skipped, guarded
from table import Row

SLOWER = 1.03  # at most
COMMANDS = {
    "sort": (["sort", "--by", "cdp,offset"], True),
    "sort, 2 ranks": (["sort", "--by", "cdp,offset"], True),
    "convert": (["convert", "--sample-format", "ibm"], True),
    "cut": (["cut", "--where", "trace % 4 == 0"], False),
    "edit": (["edit", "--set", "ep=cdp+1"], True),
}


def case_before(cases):
    """commands on surveys beside an earlier version of the program, which --before names"""
    for name, (words, keeps_size) in COMMANDS.items():
        row = Row("before", name, against="before", target=SLOWER)

        def fill(row=row, name=name, words=words, keeps_size=keeps_size):
            if cases.options.before is None:
                raise Skipped("--before names no program")
            if "ranks" in name and not cases.launcher:
                raise Skipped("there is no mpirun.openmpi")
            path = cases.main_survey()

            def job(program):
                command = [program, words[0], path, *words[1:], "-o", cases.target]
                command = cases.launch(command) if "ranks" in name else command
                return Job(command, inputs=[path], output=cases.target, output_of=path if keeps_size else None)

            cases.compare(row, job(cases.program), job(cases.options.before), cases.pairs(9))

        yield guarded(row, fill)
