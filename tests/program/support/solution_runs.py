"""Runs that write described solutions, and that join them; most tests of `sill solutions` start with them."""

import os

from solution_files import points_of

CCROSS, SUB_ELEMENTS, DIMENSIONS = 2, 5, 2
PROBLEMS, POINTS = 4**CCROSS, points_of(SUB_ELEMENTS)
SHARED = ["--files", "shared", "--chunk-align", "1K"]


def write(sill, folder, *options, phases=1, sub_elements=SUB_ELEMENTS):
    sizes = ["--ccross", CCROSS, "--sub-elements", sub_elements, "--dimensions", DIMENSIONS, "--phases", phases]
    sill.run("kernel", "mslio", "--out", folder, *sizes, "--describe", *options)


def refused(sill, tmp_path, folder, *words, code=3) -> None:
    """On one rank and on several; and nothing is left of the case."""
    (tmp_path / "cases").mkdir(exist_ok=True)
    for ranks in (None, 2):
        result = sill.run("solutions", "join", folder, "-o", tmp_path / "cases" / "x.case", ranks=ranks, expect=code)
        assert result.err.count("sill: error") == 1
        for word in words:
            assert word in result.err
        assert os.listdir(tmp_path / "cases") == []
