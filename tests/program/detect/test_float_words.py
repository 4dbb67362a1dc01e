"""Floats, IEEE or IBM, in words of trace headers that are whole numbers by the standard."""

import json

import numpy as np
import pytest
import segy_files

KINDS = {"f4": "an IEEE float", "ibm4": "an IBM float"}


def bits_of(values, kind):
    """The bits of floats as whole numbers of 4 bytes."""
    values = np.asarray(values, "f8")
    words = values.astype(">f4").view(">u4") if kind == "f4" else segy_files.ibm_words(values)
    return np.asarray(words).astype("u4").view("i4").astype("i8")


def survey(kind, code=5, **words):
    file = segy_files.make(60, 20, code=code)
    file.put(71, "i2", 1).put(69, "i2", 1)
    for name, values in words.items():
        file.put_word(name, bits_of(np.broadcast_to(values, 60), kind))
    return file


def findings(sill, path, *options):
    told = json.loads(sill.run("info", "--json", path, *options).out)["diagnostics"]
    return [one for one in told if "contain floats" in one["problem"]]


@pytest.mark.parametrize("kind, code", [("f4", 5), ("ibm4", 1)])
@pytest.mark.parametrize("order", ["big"])
def test_floats_are_found_and_the_map_reads_them(sill, tmp_path, kind, code, order):
    x = 431_000.25 + 12.5 * np.arange(60)
    words = {"offset": 25.0 * (1 + np.arange(60)), "sx": x, "sy": 6_500_000.5 + x / 3, "iline": 1000.0 + np.arange(60) // 10,
             "xline": 2000.0 + np.arange(60) % 10, "gelev": 812.25}
    path = survey(kind, code, **words).write(tmp_path / "in.sgy")
    found = findings(sill, path)
    assert [one["grade"] for one in found] == ["major"]
    for name in words:
        assert f"{name} (bytes " in found[0]["problem"]
    assert KINDS[kind] in found[0]["problem"] and "431000" in found[0]["problem"]
    entries = found[0]["action"].split("in the file: ")[1].split("; ")
    (tmp_path / "map.toml").write_text("\n".join(entries) + "\n")
    told = sill.run("scan", path, "--keys", "sx,offset,iline", "--csv", tmp_path / "o.csv", "--map", tmp_path / "map.toml")
    assert "contain floats" not in told.err + told.out
    rows = np.loadtxt(tmp_path / "o.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(rows[:, -3], x, rtol=1e-6)
    np.testing.assert_array_equal(rows[:, -1], words["iline"])
    checked = json.loads(sill.run("check", path, "--json", "-").out)["files"][0]["findings"]
    assert any("contain floats" in one["problem"] for one in checked)


def test_whole_numbers_are_no_floats(sill, tmp_path, samples):
    random = np.random.default_rng(1)
    for scalar, values in [(1, 6_500_000 + np.arange(60)), (-100, 650_000_000 + 1250 * np.arange(60)),
                           (-1000, 1_150_000_000 + 25_000 * np.arange(60)), (1, random.integers(-30, 30, 60))]:
        file = segy_files.make(60, 20)
        for name in ("sx", "sy", "gx", "gy"):
            file.put_word(name, values)
        file.put_word("cdp", 1_100_000_001 + np.arange(60)).put(71, "i2", scalar)
        assert findings(sill, file.write(tmp_path / "in.sgy")) == []
    for path in sorted(samples.glob("*.s*")):
        told = sill.run("info", path, expect=(0, 3)).out
        assert "contain floats" not in told, path
