"""Which of several groups of measurements differ by more than chance."""

import itertools
import math


def dunn_test(groups: dict[str, list[float]]) -> list[dict]:
    """Dunn's test of every pair of groups; ties share ranks, p after Holm for the number of pairs.

    Source: O. J. Dunn, Multiple comparisons using rank sums, Technometrics 6 (1964).
    """
    values = sorted(itertools.chain.from_iterable(groups.values()))
    n = len(values)
    runs = {value: len(list(run)) for value, run in itertools.groupby(values)}
    rank, place = {}, 0
    for value, count in runs.items():
        rank[value] = place + (count + 1) / 2
        place += count
    variance = n * (n + 1) / 12 - sum(count**3 - count for count in runs.values()) / (12 * (n - 1))
    mean = {name: sum(rank[value] for value in group) / len(group) for name, group in groups.items()}
    pairs = []
    for a, b in itertools.combinations(groups, 2):
        spread = math.sqrt(variance * (1 / len(groups[a]) + 1 / len(groups[b])))
        p = math.erfc(abs(mean[a] - mean[b]) / spread / math.sqrt(2)) if spread > 0 else 1.0
        pairs.append({"ways": [a, b], "p": p})
    largest = 0.0
    for i, pair in enumerate(sorted(pairs, key=lambda each: each["p"])):
        largest = pair["p"] = min(1.0, max(largest, pair["p"] * (len(pairs) - i)))
    return pairs
