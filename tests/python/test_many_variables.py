"""100,000 variables: written and read in a time that is linear in their number."""

import time

import h5py
import numpy
import pytest
import sill

pytestmark = pytest.mark.nightly


def write(path, count):
    begin = time.process_time()
    with sill.Dataset(path, "w", dims={"x": 2}) as d:
        names = [f"v{number:06}" for number in range(count)]
        for name in names:
            d.createVariable(name, "i4", ("x",))
        d.write({name: numpy.array([number, -number], "i4") for number, name in enumerate(names)})
    return time.process_time() - begin


def read(path, count):
    begin = time.process_time()
    with sill.Dataset(path) as d:
        assert len(d.variables) == count
        for number in (0, count // 2, count - 1):
            assert d[f"v{number:06}"][:].tolist() == [number, -number]
    return time.process_time() - begin


@pytest.mark.parametrize("ending", ["h5", "nc4"])
def test_many_variables(tmp_path, ending):
    few, many = 10_000, 100_000
    of_few, of_many = ([f(tmp_path / f"{count}.{ending}", count) for f in (write, read)] for count in (few, many))
    for each, all_of_it in zip(of_few, of_many, strict=True):
        assert all_of_it < 2 * many / few * each + 5
    with h5py.File(tmp_path / f"{many}.{ending}") as file:
        assert sum(name.startswith("v") for name in file) == many
        for number in range(0, many, many // 100):
            assert file[f"v{number:06}"][:].tolist() == [number, -number]
