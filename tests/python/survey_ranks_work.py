"""A function of flows that test_ranks.py and survey_ranks.py both run."""

import numpy


def whiten(block):
    block["tracf"] = len(block)
    return numpy.diff(block.samples, axis=1, prepend=0)
