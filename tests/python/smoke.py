"""Uses what a wheel needs: smoke.py FOLDER. Needs NumPy alone."""

import pathlib
import sys

import numpy
import sill

folder = pathlib.Path(sys.argv[1])
samples = numpy.random.default_rng(1).normal(size=(12, 100)).astype("f4")
sill.create(folder / "a.sgy", samples, {"cdp": numpy.arange(12) // 3, "offset": 100}, interval=0.004)
survey = sill.open(folder / "a.sgy")
assert (survey.traces[:] == samples).all()
survey.agc(0.1).stack(by="cdp").sort("-cdp").write(folder / "b.sgy")
assert (sill.open(folder / "b.sgy")["cdp"] == [3, 2, 1, 0]).all()
survey.apply(lambda block: -block.samples).write(folder / "c.sgy")
assert (sill.open(folder / "c.sgy").traces[:] == -samples).all()
assert survey.info.traces == 12
print("sill", sill.__version__, "with Python", sys.version.split()[0], "and NumPy", numpy.__version__)
