"""What the tests of `sill check` share: running it, finding findings, and files with planted faults."""

import json

import numpy as np
import segy_files

PERCENTS = [1, 5, 25, 50, 75, 95, 99]
FINDING_KEYS = {"kind", "grade", "problem", "where", "clause", "action", "traces", "first_traces"}
FILE_KEYS = {
    "file", "format", "revision", "byte_order", "sample_format", "bytes", "traces", "lengths_vary", "samples",
    "interval_us", "worst", "findings", "duplicates", "amplitudes", "same_words", "geometry", "no_geometry",
    "text_header",
}  # fmt: skip
GRADES = ["info", "minor", "major", "critical"]


def check(sill, *paths, expect=0, **options) -> dict:
    found = json.loads(sill.run("check", *paths, "--json", "-", expect=expect, **options).out)
    assert set(found) == {"version", "worst", "files"}
    if not any(str(path).startswith("-") for path in paths):
        assert len(found["files"]) == len(paths)
    for file in found["files"]:
        if "error" in file:
            continue
        assert set(file) == FILE_KEYS
        assert all(set(finding) == FINDING_KEYS for finding in file["findings"])
        grades = [GRADES.index(finding["grade"]) for finding in file["findings"]]
        assert grades == sorted(grades, reverse=True)
        assert file["worst"] == (GRADES[grades[0]] if grades else "info")
    return found


def check_one(sill, path, **options) -> dict:
    return check(sill, path, **options)["files"][0]


def findings(result: dict, kind: str) -> list[dict]:
    return [finding for finding in result["findings"] if finding["kind"] == kind]


def only(result: dict, kind: str) -> dict:
    found = findings(result, kind)
    assert len(found) == 1, [finding["kind"] for finding in result["findings"]]
    return found[0]


def kinds_from_minor_up(result: dict) -> set[str]:
    return {finding["kind"] for finding in result["findings"] if finding["grade"] != "info"}


def planted(order="big", code=5, traces=60):
    """Traces 3 and 7 repeat 1 and 2; 11 is dead, 12 marked so, 13 marked so but alive, 14 constant, 15 clipped."""
    file = segy_files.make(traces, 50, code=code, order=order)
    samples = file.samples().copy()
    samples[10] = samples[11] = 0
    samples[13] = 100
    high, low = (1000, -1000) if segy_files.SAMPLE_TYPES[code][0] != "u" else (100, 0)
    if segy_files.SAMPLE_TYPES[code] == "i1":
        high, low = 127, -128
    samples[14] = np.clip(samples[14], low // 100, high - 1)
    samples[14][5:9] = samples[14][20:23] = high
    file.put_samples(samples)
    trid = np.ones(traces, int)
    trid[11] = trid[12] = 2
    file.put_word("trid", trid)
    for repeat, first in ((2, 0), (6, 1)):
        file.rows[repeat, 8:] = file.rows[first, 8:]
    return file


def many_faults(tmp_path):
    file = planted(traces=700)
    file.put_word("scalco", np.where(np.arange(700) % 97 == 3, 82, -100))
    samples = file.samples().copy()
    samples[300, 4] = np.nan
    file.put_samples(samples)
    for repeat in range(650, 700):
        file.rows[repeat, 8:] = file.rows[600, 8:]
    return file.write(tmp_path / "many.sgy")
