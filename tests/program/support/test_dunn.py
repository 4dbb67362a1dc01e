"""Dunn's test as script/bench uses it, beside its definition on the ranks of SciPy."""

import itertools
import pathlib
import random
import sys

import numpy
import pytest
from scipy import stats

sys.path.append(str(pathlib.Path(__file__).parents[3] / "script/bench.d"))
from dunn import dunn_test  # noqa: E402


@pytest.mark.parametrize("digits", [1, 9])  # many ties, none
def test_dunn_by_its_definition(digits):
    draw = random.Random(digits)
    groups = {name: [round(draw.gauss(mean, 1.0), digits) for _ in range(size)]
              for name, mean, size in (("a", 0.0, 9), ("b", 0.3, 11), ("c", 2.0, 7), ("d", 0.0, 8))}  # fmt: skip
    values = list(itertools.chain.from_iterable(groups.values()))
    ranks, n = stats.rankdata(values), len(values)
    ties = numpy.unique(values, return_counts=True)[1]
    variance = n * (n + 1) / 12 - (ties**3 - ties).sum() / (12 * (n - 1))
    ends = numpy.cumsum([len(group) for group in groups.values()])
    of_groups = dict(zip(groups, numpy.split(ranks, ends[:-1]), strict=True))
    raw = {}
    for a, b in itertools.combinations(groups, 2):
        spread = (variance * (1 / len(groups[a]) + 1 / len(groups[b]))) ** 0.5
        raw[a, b] = 2 * stats.norm.sf(abs(of_groups[a].mean() - of_groups[b].mean()) / spread)
    ordered = sorted(raw, key=raw.get)
    factors = range(len(raw), 0, -1)
    adjusted = numpy.minimum(1, numpy.maximum.accumulate([raw[p] * f for p, f in zip(ordered, factors, strict=True)]))
    expected = dict(zip(ordered, adjusted, strict=True))
    found = dunn_test(groups)
    assert [tuple(pair["ways"]) for pair in found] == list(itertools.combinations(groups, 2))
    for pair in found:
        assert pair["p"] == pytest.approx(expected[tuple(pair["ways"])], rel=1e-9)


def test_equal_values_do_not_differ():
    assert dunn_test({"a": [1.0, 1.0], "b": [1.0]}) == [{"ways": ["a", "b"], "p": 1.0}]
