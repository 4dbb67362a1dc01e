"""A text header that states the interval between samples in another unit than the headers seem to have."""

import json

import numpy as np
import pytest
import segy_files


def survey(path, interval, line):
    file = segy_files.make(20, 30, interval_us=interval)
    text = segy_files.text_header(what=line)
    file.head[:3200] = np.frombuffer(text, np.uint8)
    return file.write(path)


def findings(sill, path, *options):
    told = json.loads(sill.run("info", "--json", path, *options).out)["diagnostics"]
    return [one for one in told if "between samples, the headers" in one["problem"]]


@pytest.mark.parametrize("line", ["SAMPLE INTERVAL: 4 MS", "Sample rate.......4.0 msec", "SAMPLING RATE = 250 HZ",
                                  "SAMPLE INTERVAL 4000 MICROSECONDS"])
def test_milliseconds_in_words_of_microseconds_are_found(sill, tmp_path, line):
    path = survey(tmp_path / "in.sgy", 4, line)
    found = findings(sill, path)
    assert [one["grade"] for one in found] == ["major"]
    assert "line 1 of the text header states 4000 us" in found[0]["problem"] and "interval=4000" in found[0]["action"]
    assert findings(sill, path, "--assume", "interval=4000") == []
    sill.run("repair", path, "-o", tmp_path / "out.sgy", "--assume", "interval=4000")
    assert findings(sill, tmp_path / "out.sgy") == []
    assert "4000 us" in sill.run("info", tmp_path / "out.sgy").out or "4 ms" in sill.run("info", tmp_path / "out.sgy").out


@pytest.mark.parametrize("interval, line", [(4000, "SAMPLE INTERVAL: 4 MS"), (4000, "SAMPLE RATE 2 MS IN THE FIELD"),
                                            (4, "SAMPLE INTERVAL: 4"), (4, "SAMPLES 0 .. 300"), (20, "SAMPLE RATE: 50 KHZ")])
def test_what_may_be_so_is_no_finding(sill, tmp_path, interval, line):
    assert findings(sill, survey(tmp_path / "in.sgy", interval, line)) == []


@pytest.mark.parametrize("traces", [2000, 4000])
def test_milliseconds_in_the_binary_header_alone(sill, tmp_path, traces):
    """Every command takes what all traces say; repair writes it into the binary header."""
    file = segy_files.make(20, 30, interval_us=traces).put_binary(3217, "u2", 4)
    path = file.write(tmp_path / "in.sgy")
    told = json.loads(sill.run("info", "--json", path).out)
    assert told["interval_us"] == traces
    assert [one["grade"] for one in told["diagnostics"] if one["where"] == "bytes 3217-3218"] == ["major"]
    sill.run("flow", path, "-o", tmp_path / "f.sgy", "--do", "ormsby 5,10,40,50Hz")
    sill.run("repair", path, "-o", tmp_path / "r.sgy")
    repaired = segy_files.read(tmp_path / "r.sgy")
    assert repaired.head[3216:3218].tobytes() == traces.to_bytes(2, "big")
    assert json.loads(sill.run("info", "--json", tmp_path / "r.sgy").out)["diagnostics"] == []
    # Not where traces differ, or the interval may be one.
    file.put_word("dt", [traces] * 19 + [1000])
    assert json.loads(sill.run("info", "--json", file.write(tmp_path / "in.sgy")).out)["interval_us"] == 4
    file.put_word("dt", 4000).put_binary(3217, "u2", 80)
    assert json.loads(sill.run("info", "--json", file.write(tmp_path / "in.sgy")).out)["interval_us"] == 80
