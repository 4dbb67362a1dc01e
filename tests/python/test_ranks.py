"""Surveys, commands and flows on ranks of mpi4py: the bytes of one process, and errors alike on all ranks."""

import shutil

import numpy
import pytest
import sill
from survey_ranks_work import whiten
from test_dataset import HERE, launch


@pytest.mark.skipif(sill.mpi == "none", reason="a build without MPI")
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_surveys_on_ranks(line, tmp_path, ranks):
    _, path = line
    shutil.copy(path, tmp_path / "line.sgy")
    survey = sill.open(tmp_path / "line.sgy")
    numbers = numpy.arange(len(survey))
    sill.create(tmp_path / "new.sgy", survey.traces[:], {"cdp": numbers}, interval=0.002)
    sill.create(tmp_path / "like.sgy", 2 * survey.traces[:], {"ep": numbers % 100}, like=survey)
    sill.sort(tmp_path / "line.sgy", output=tmp_path / "sorted.sgy", by="-offset,cdp")
    flow = survey.agc(0.02).apply(whiten, scope="gather", by="cdp", writes=["samples", "tracf"])
    flow.write(tmp_path / "flow.sgy")
    assert f"all {ranks} ranks" in launch(ranks, HERE / "survey_ranks.py", tmp_path)
