"""Surveys that are converted to arrays, and what folders contain."""

import numpy as np
import segy_files


def grid_file(inlines=7, crosslines=5, samples=11, code=1, **options):
    """A 3-D grid in the order of its lines."""
    file = segy_files.make(inlines * crosslines, samples, code=code, **options)
    number = np.arange(file.traces)
    for name, values in [("iline", 10 + 2 * (number // crosslines)), ("xline", 3 + number % crosslines), ("delrt", 8)]:
        file.put_word(name, values)
    return file


def contents(path):
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return {str(each.relative_to(path)): each.read_bytes() for each in files if each.is_file()}
