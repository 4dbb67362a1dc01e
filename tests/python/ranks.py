"""What the programs that run on several ranks share: dataset_ranks.py, survey_ranks.py."""

import sill
from mpi4py import MPI

comm = MPI.COMM_WORLD


def same_on_all(function):
    """Calls a function that must raise the same UsageError on all ranks, and returns its text."""
    try:
        function()
    except sill.UsageError as error:
        texts = comm.allgather(str(error))
    else:
        texts = comm.allgather(f"no error on rank {comm.rank}")
    assert len(set(texts)) == 1, texts
    assert "no error" not in texts[0], texts
    return texts[0]
