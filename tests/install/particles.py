"""Compares the file of examples/particles with the values that it computes: particles.py FILE PARTICLES STEPS"""

import sys

import h5py
import numpy

path, particles, steps = sys.argv[1], *map(int, sys.argv[2:])
names = ["x", "y", "z", "px", "py", "pz", "id_1", "id_2"]
with h5py.File(path) as file:
    assert set(file) == {f"Timestep_{step}" for step in range(steps)}, set(file)
    for step in range(steps):
        group = file[f"Timestep_{step}"]
        assert set(group) == set(names), set(group)
        for number, name in enumerate(names):
            expected = numpy.arange(particles) % 1000003 * 8 + number + step
            assert group[name].dtype == ("<i4" if name == "id_1" else "<f4"), group[name].dtype
            assert group[name].chunks is None
            assert numpy.array_equal(group[name], expected), (step, name)
