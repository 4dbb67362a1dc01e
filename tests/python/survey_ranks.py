"""The part of test_ranks.py that runs on several ranks: survey_ranks.py FOLDER, with line.sgy and the outputs of one
process in it."""

import sys
from pathlib import Path

import numpy
import sill
import sill.segyio
from mpi4py import MPI
from ranks import same_on_all
from survey_ranks_work import whiten

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
is_last = rank == size - 1
folder = Path(sys.argv[1])
survey = sill.open(folder / "line.sgy")
own = numpy.random.default_rng(3).permutation(len(survey))[rank::size]


def require_same(name):
    comm.Barrier()
    assert (folder / f"ranks_{name}").read_bytes() == (folder / name).read_bytes(), name


if __name__ == "__main__":
    # Traces of a rank in any order, also none on some ranks.
    with sill.writer(folder / "ranks_new.sgy", traces=len(survey), samples=survey.shape[1], interval=0.002, comm=comm) as file:
        for numbers in (own[:10], own[10:] if rank == 0 else own[:0], own[10:] if rank > 0 else own[:0]):
            file.write(survey.traces[numbers], {"cdp": numbers}, at=numbers)
    require_same("new.sgy")
    with sill.writer(folder / "ranks_like.sgy", like=survey, comm=comm) as file:
        file.write(2 * survey.traces[own], {"ep": own % 100}, at=own)
    require_same("like.sgy")

    # Errors of one rank are those of all.
    with sill.writer(folder / "wrong.sgy", traces=size, samples=3, interval=0.002, comm=comm) as file:
        shape = (1, 4) if rank == size - 1 else (1, 3)
        assert "shape" in same_on_all(lambda: file.write(numpy.zeros(shape), at=rank))
        assert "at=" in same_on_all(lambda: file.write(numpy.zeros((1, 3))))
        assert "cpd" in same_on_all(lambda: file.write(numpy.zeros((1, 3)), {"cpd" if rank == 0 else "cdp": 1}, at=rank))
        assert "0 traces were written" in same_on_all(file.close)

    # So are errors of the arguments of one rank.
    given = {"path": folder / "x.sgy", "traces": size, "samples": 3, "interval": 0.002}
    for name, value, said in (
        ("units", "x", "units is 'x'"),
        ("text", 5, "option of writer"),
        ("interval", None, "form of the file"),
        ("sample_format", 5, "sample_format is 5"),
        ("like", "line.sgy", "like is"),
        ("sample_format", "\udc80", "sample_format"),
    ):
        assert said in same_on_all(lambda: sill.writer(**given | ({name: value} if is_last else {}), comm=comm)), name
    for name, value, said in (
        ("nosuch", 1, "no option 'nosuch'"),
        ("by", object(), "of type object"),
        ("output", "-", "standard stream"),
    ):
        sorting = {"output": folder / "x.sgy", "by": "cdp"} | ({name: value} if is_last else {})
        assert said in same_on_all(lambda: sill.sort(folder / "line.sgy", **sorting, comm=comm))
    closed = sill.open(folder / "line.sgy")
    flow = closed.agc(0.02)
    if is_last:
        closed.close()
    assert "is closed" in same_on_all(lambda: flow.write(folder / "x.sgy", comm=comm))

    # Ranks that pass different arguments write no file.
    if size > 1:
        for name, value in {
            "path": folder / f"y{rank}.sgy", "traces": size + rank, "samples": 3 + rank, "interval": 0.002 * (1 + rank),
            "sample_format": ["ieee", "ibm"][is_last], "byte_order": ["big", "little"][is_last], "revision": ["1", "2.1"][is_last],
            "text": f"rank {rank}", "units": ["m", "ft"][is_last], "map": ["", "su"][is_last], "like": survey if is_last else None,
            "clip": is_last,
        }.items():  # fmt: skip
            said = same_on_all(lambda: sill.writer(**given | {name: value}, comm=comm))
            assert f"the ranks were given different {name}" in said, said
    comm.Barrier()
    assert not list(folder.glob("[xy]*.sgy"))

    # Commands and flows.
    result = sill.sort(folder / "line.sgy", output=folder / "ranks_sorted.sgy", by="-offset,cdp", comm=comm)
    assert result.traces_out == len(survey) and len(set(comm.allgather(result.text.split("\n")[0]))) == 1
    require_same("sorted.sgy")
    flow = survey.agc(0.02).apply(whiten, scope="gather", by="cdp", writes=["samples", "tracf"])
    flow.write(folder / "ranks_flow.sgy", comm=comm)
    require_same("flow.sgy")
    assert same_on_all(lambda: sill.sort(folder / "line.sgy", output=folder / "x.sgy", by="cpd", comm=comm))
    if size > 1:
        differing = {"output": folder / "x.sgy", "by": f"cdp+{rank}", "comm": comm}
        assert "different commands" in same_on_all(lambda: sill.sort(folder / "line.sgy", **differing))

    # An exception of one rank waits for the others. (The command may end before it reports its progress.)
    calls = []

    def interrupts(*progress):
        calls.append(progress)
        raise RuntimeError("mine")

    try:
        sill.sort(folder / "line.sgy", output=folder / "ranks_sorted.sgy", by="-offset,cdp", comm=comm,
                  progress=interrupts if rank == 0 and size > 1 else None)  # fmt: skip
        assert not calls
    except RuntimeError as error:
        assert len(calls) == 1 and str(error) == "mine"
    require_same("sorted.sgy")

    def fails(block):
        if 0 in block.numbers:
            raise LookupError("nothing here")

    assert "nothing here" in same_on_all(lambda: survey.apply(fails).write(folder / "x.sgy", comm=comm))
    assert not (folder / "x.sgy").exists()

    # Without comm, each rank would write the same file. With COMM_SELF it writes a file of its own.
    zeros, spec, own = numpy.zeros((2, 3), "f4"), sill.segyio.spec(), MPI.COMM_SELF
    spec.samples, spec.format, spec.tracecount = numpy.arange(3) * 4, 5, 2
    writers = {
        "create": lambda path, **comm: sill.create(path, zeros, interval=0.002, **comm),
        "sort": lambda path, **comm: sill.sort(folder / "line.sgy", output=path, by="cdp", **comm),
        "flow": lambda path, **comm: survey.polarity().write(path, **comm),
        "segyio": lambda path, **comm: sill.segyio.create(path, spec, **comm).close(),
        "array": lambda path, **comm: sill.segyio.tools.from_array2D(path, zeros, **comm),
    }
    for name, write in writers.items():
        if size > 1:
            assert "comm=MPI.COMM_SELF" in same_on_all(lambda: write(folder / "x.sgy"))
            if name in ("create", "segyio", "array"):
                assert f"comm has {size} ranks" in same_on_all(lambda: write(folder / "x.sgy", comm=comm))
        if name in ("create", "segyio", "array"):
            assert "COMM_NULL" in same_on_all(lambda: write(folder / "x.sgy", comm=MPI.COMM_NULL))
        write(folder / f"{name}{rank}.sgy", comm=own)
        assert len(sill.open(folder / f"{name}{rank}.sgy")) in (2, len(survey))
    if size > 1:
        assert "comm=MPI.COMM_SELF" in same_on_all(lambda: sill.Dataset(folder / "x.nc", "w", dims={"x": 3}))
    with sill.Dataset(folder / f"own{rank}.nc", "w", dims={"x": 3}, comm=own) as dataset:
        dataset.createVariable("u", "f4", ("x",))[:] = zeros[0]
    comm.Barrier()
    assert not list(folder.glob("x.*"))
    if rank == 0:
        print(f"all {size} ranks")
