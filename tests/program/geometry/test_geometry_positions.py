"""`sill info --geometry`: bytes 181-188 are positions only where they behave as coordinates."""

import json

import numpy as np
import pytest
import segy_files
from checking import check_one
from survey_shapes import GEOMETRY_WORDS, grid_numbers, shots, stored, with_words


@pytest.fixture
def look(sill, tmp_path):
    def of(file, *options, ranks=None):
        path = file.write(tmp_path / "f.sgy")
        return json.loads(sill.run("info", path, "--geometry", "--json", *options, ranks=ranks).out)["geometry"]

    return of


def revision_0(file):
    file.head[3500] = file.head[3501] = 0
    return file.put_binary(3503, "i2", 0)


def with_text(file, *lines: str):
    text = "".join(f"C{i + 1:2} {line}"[:80].ljust(80) for i, line in enumerate(lines)).ljust(3200)
    file.head[:3200] = np.frombuffer(text.encode("cp037"), np.uint8)
    return file


def line(traces: int = 300, **words):
    """A stacked line, 25 m from trace to trace, with positions in the words of source and group."""
    number = np.arange(traces)
    x, y = 431_200 + 20 * number, 5_430_000 + 15 * number
    return with_words(traces, cdp=101 + number, **{"sx": x, "sy": y, "gx": x, "gy": y, **words})


def rejected(found) -> str:
    reason = found["rejected_positions"]["reason"]
    assert found["rejected_positions"]["bytes"] == [181, 188]
    assert f"cdpx, cdpy (bytes 181-188) are not used as positions: {reason}" in found["evidence"]
    return reason


@pytest.mark.parametrize("ranks", [None, 2, 3, 4])
@pytest.mark.parametrize("traces", [300, 6000])
@pytest.mark.parametrize("revision", [0, 1])
def test_constant(look, revision, traces, ranks):
    file = line(traces, cdpx=17, cdpy=-4)
    found = look(file if revision else revision_0(file), ranks=ranks)
    assert found["positions"] == "midpoint of sx, sy and gx, gy"
    assert found["bounds"]["x"] == [431_200, 431_200 + 20 * (traces - 1)]
    assert "17 and -4 in all examined traces" in rejected(found)


def test_constant_without_anything_else(look):
    found = look(revision_0(with_words(50, cdp=np.arange(50), cdpx=17, cdpy=18)))
    assert (found["positions"], found["bounds"]) == ("none", None)
    rejected(found)


def test_constant_of_one_gather_in_revision_1(look):
    found = look(with_words(50, cdp=7, offset=np.arange(50), cdpx=1700, cdpy=1800))
    assert found["positions"] == "cdpx, cdpy" and found["rejected_positions"] is None


@pytest.mark.parametrize("number", ["cdp", "tracf", "ep"])
def test_numbers_of_other_words(look, number):
    for file in (line(), revision_0(line())):
        file.put_word(number, 5000 + 7 * np.arange(300))
        found = look(file.put_word("cdpx", file.word(number)).put_word("cdpy", 3 * np.arange(300)))
        assert found["positions"].startswith("midpoint")
        assert f"cdpx is the same number as {number}" in rejected(found)


@pytest.mark.parametrize("revision", [0, 1])
def test_far_from_source_and_group(look, revision):
    number = np.arange(300)
    file = line(cdpx=3_000_000 + 17 * number, cdpy=1_000 + 3 * number)
    found = look(file if revision else revision_0(file))
    assert found["positions"].startswith("midpoint")
    assert "in 300 of 300 examined traces they are far from source and group" in rejected(found)


def test_unscaled_beside_scaled(look):
    """The scalar of coordinates holds for source and group alone: common, and wrong by a factor of 100."""
    number = np.arange(300)
    x, y = 431_200 + 20 * number, 5_430_000 + 15 * number
    file = line(scale=-100, **{w: 100 * v for w, v in [("sx", x), ("gx", x), ("sy", y), ("gy", y)]}, cdpx=x, cdpy=y)
    found = look(file)
    assert found["bounds"]["x"] == [431_200, 431_200 + 20 * 299]
    assert "(4312, 54300), for example" in rejected(found)


@pytest.mark.parametrize("revision", [0, 1])
def test_near_source_and_group(look, revision):
    """Midpoints, binned: within half an offset, so they count in either revision."""
    file = shots(30, 24)
    middle = [(file.word(f"s{c}") + file.word(f"g{c}")) // 2 // 1250 * 1250 for c in "xy"]
    file.put_word("cdpx", middle[0]).put_word("cdpy", middle[1])
    found = look(file if revision else revision_0(file))
    assert found["positions"] == "cdpx, cdpy" and found["rejected_positions"] is None
    assert any("revision 0 leaves unassigned" in said for said in found["evidence"]) == (revision == 0)


def test_coordinates_of_revision_0_without_sources(look):
    ilines, xlines = grid_numbers(range(1, 31), range(1, 41))
    file = revision_0(with_words(1200, iline=ilines, xline=xlines, scale=-10, cdpx=stored(431_000 + 25 * ilines, -10),
                                 cdpy=stored(5_430_000 + 12.5 * xlines, -10)))  # fmt: skip
    found = look(file)
    assert found["positions"] == "cdpx, cdpy" and found["fit"]["good"]


@pytest.mark.parametrize("step", [1, 2])
def test_line_numbers_in_bytes_181_to_188(look, step):
    ilines, xlines = grid_numbers(range(1, 31), range(100, 140))
    found = look(revision_0(with_words(1200, cdpx=step * ilines, cdpy=step * xlines)))
    assert found["positions"] == "none"
    assert "small integer steps" in rejected(found)
    assert found["candidates"][0]["map"] == {"words": {"iline": {"byte": 181, "type": "i4"},
                                                       "xline": {"byte": 185, "type": "i4"}}}  # fmt: skip


def test_what_is_beyond_the_earth(look):
    floats = (431_000 + 25.0 * np.arange(300)).astype(">f4").view(">i4").astype(np.int64)
    found = look(revision_0(with_words(300, cdp=np.arange(300), cdpx=floats, cdpy=floats + 9)))
    assert found["positions"] == "none" and "circumference of the Earth" in rejected(found)


OTHER = [
    "BYTES 181-184: INLINE", "INLINE NUMBER IN BYTES 181-184", "181-184 INLINE  185-188 CROSSLINE",
    "IN-LINE: BYTE 181   X-LINE: BYTE 185", "TRACE HEADER BYTES 181-184 = SHOT POINT NUMBER",
    "BYTE LOCATIONS: IL 181, XL 185", "CDP NO. (BYTES 181 TO 184)", "BYTES181-188: ELEVATION AND DATUM",
    "X COORDINATE: BYTES 73-76, INLINE: BYTES 181-184",
]  # fmt: skip
COORDINATES = [
    "BYTES 181-184: CDP X", "CDP-X 181-184, CDP-Y 185-188", "X AND Y OF CDP IN BYTES 181 AND 185",
    "181-188 CDP COORDINATES", "EASTING (BYTE 181)  NORTHING (BYTE 185)", "UTM-X: 181-184", "INLINES 181 TO 412",
    "LINE 181", "INLINE: BYTES 189-192  CROSSLINE: BYTES 193-196", "TRACE HEADER BYTES: 181-184 X, 189-192 INLINE",
]  # fmt: skip


@pytest.mark.parametrize("text, is_other", [(t, True) for t in OTHER] + [(t, False) for t in COORDINATES])
def test_text_header(look, text, is_other):
    """Coordinates that would pass, were it not for the text header."""
    file = line(**{f"cdp{c}": line().word(f"s{c}") + 3 for c in "xy"})
    found = look(with_text(file, "CLIENT", "AREA", text))
    if is_other:
        assert rejected(found).startswith("line 3 of the text header states that byte")
        assert found["positions"].startswith("midpoint")
    else:
        assert found["rejected_positions"] is None and found["positions"] == "cdpx, cdpy"


def test_a_map_counts(sill, tmp_path, look):
    """Who says where ensemble coordinates lie is not contradicted."""
    (tmp_path / "map.json").write_text('{"words": {"cdpx": {"byte": 181, "type": "i4"}}}')
    found = look(revision_0(line(cdpx=17, cdpy=-4)), "--map", tmp_path / "map.json")
    assert found["positions"] == "cdpx, cdpy" and found["rejected_positions"] is None


def in_degrees(revision: int, **words):
    file = segy_files.make(40, 3)
    for name in GEOMETRY_WORDS:
        file.put_word(name, 0)
    for name, values in {"cdp": 1 + np.arange(40), "counit": 3, **words}.items():
        file.put_word(name, values)
    return file if revision else revision_0(file)


UTM = {"cdpx": 431_200 + 25 * np.arange(40), "cdpy": 5_430_000}


def test_metres_that_are_said_to_be_degrees(sill, tmp_path):
    path = in_degrees(1, **UTM).write(tmp_path / "f.sgy")
    info = json.loads(sill.run("info", path, "--json", "--geometry").out)
    told = [d for d in info["diagnostics"] if "coordinates should be decimal degrees" in d["problem"]]
    assert told and "one coordinate is 5430000 at bytes 185-188" in told[0]["problem"] and told[0]["grade"] == "minor"
    assert any("positions should be degrees, but one position is 5430975" in s or
               "positions should be degrees, but one position is 5430000" in s
               for s in info["geometry"]["evidence"])  # fmt: skip
    findings = check_one(sill, path)["findings"]
    assert any("should be decimal degrees" in f["problem"] for f in findings)


def test_degrees_that_are_none_elsewhere(sill, tmp_path):
    """Bytes 181-188 are asked only where they are coordinates."""
    for file in (in_degrees(0, **UTM), with_text(in_degrees(1, **UTM), "BYTES 181-184 INLINE", "BYTES 185-188 XLINE"),
                 in_degrees(1, cdpx=13 * np.arange(1, 5).repeat(10), cdpy=52)):  # fmt: skip
        info = json.loads(sill.run("info", file.write(tmp_path / "f.sgy"), "--json").out)
        assert not [d for d in info["diagnostics"] if "degrees" in d["problem"]]


def test_metres_as_degrees_are_no_position_in_revision_0(look):
    found = look(in_degrees(0, **UTM))
    assert found["positions"] == "none" and "360 degrees" in rejected(found)
