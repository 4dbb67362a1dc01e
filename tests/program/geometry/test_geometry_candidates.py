"""`sill info --geometry`: bytes that number the traces as a grid are proposed where the words of lines do not."""

import json

import numpy as np
import pytest
from survey_shapes import grid, grid_numbers, shots, with_words
from test_geometry_positions import with_text


@pytest.fixture
def look(sill, tmp_path):
    def of(file, *options, ranks=None):
        path = file.write(tmp_path / "f.sgy")
        return json.loads(sill.run("info", path, "--geometry", "--json", *options, ranks=ranks).out)["geometry"]

    return of


def places(found) -> list[tuple[str, ...]]:
    return [tuple(f"@{c[axis]['byte']}:{c[axis]['type']}" for axis in ("inline", "crossline"))
            for c in found["candidates"]]  # fmt: skip


def hidden(inlines, crosslines, at=(221, 225), kind: str = "i4", **words):
    ilines, xlines = grid_numbers(inlines, crosslines)
    return with_words(len(ilines), **words).put(at[0], kind, ilines).put(at[1], kind, xlines)


@pytest.mark.parametrize("ranks", [None, 2, 3, 4])
@pytest.mark.parametrize("inlines, crosslines", [(range(1, 41), range(100, 160)), (range(500, 620), range(1, 802, 8))])
@pytest.mark.parametrize("at, kind", [((221, 225), "i4"), ((233, 237), "i4"), ((231, 235), "i2"), ((181, 185), "i4"),
                                      ((205, 199), "i2")])  # fmt: skip
def test_proposed_map(sill, tmp_path, look, inlines, crosslines, at, kind, ranks):
    """The proposal, given as the map, finds the grid; without it none is used."""
    file = hidden(inlines, crosslines, at, kind)
    file.head[3500] = file.head[3501] = 0
    found = look(file, ranks=ranks)
    assert found["grid"] is None and found["kind"] == "unknown"
    # Two bytes below two zeros are four bytes as well.
    ends = [c["byte"] + int(c["type"][1]) for c in (found["candidates"][0][axis] for axis in ("inline", "crossline"))]
    assert ends == [byte + int(kind[1]) for byte in at]
    assert any(f"-{ends[0] - 1} (" in said and "--map" in said for said in found["evidence"])
    (tmp_path / "map.json").write_text(json.dumps(found["candidates"][0]["map"]))
    mapped = look(file, "--map", tmp_path / "map.json", ranks=ranks)
    assert mapped["kind"] == "3-D grid, post-stack" and mapped["candidates"] == []
    assert (mapped["grid"]["places"], mapped["grid"]["holes"]) == (len(inlines) * len(crosslines), 0)


def test_beside_a_counter_of_all_traces(look):
    found = look(hidden(range(1, 31), range(1, 41), cdp=1 + np.arange(1200)))
    assert found["kind"] == "line, post-stack" and places(found) == [("@221:i4", "@225:i4")]


def test_crosslines_slowest(look):
    ilines, xlines = grid_numbers(range(1, 31), range(1, 41))
    order = np.lexsort([ilines, xlines])
    file = with_words(1200).put(221, "i4", ilines[order]).put(225, "i4", xlines[order])
    assert places(look(file)) == [("@225:i4", "@221:i4")]  # which is which, the numbers do not tell
    file = with_text(file, "INLINE: BYTES 221-224", "CROSSLINE: BYTES 225-228")
    found = look(file)
    assert places(found) == [("@221:i4", "@225:i4")]
    assert found["candidates"][0]["inline"]["named_by_text"]


def test_holes_and_descending_lines(look):
    ilines, xlines = grid_numbers(range(60, 0, -2), range(80, 0, -1))
    keep = np.sort(np.random.default_rng(3).permutation(2400)[:2200])
    file = with_words(2200).put(213, "i4", ilines[keep]).put(217, "i4", xlines[keep])
    assert places(look(file)) == [("@213:i4", "@217:i4")]


def test_petrel_words(look):
    ilines, xlines = grid_numbers(range(1, 31), range(1, 41))
    found = look(with_words(1200).put(5, "i4", ilines).put(21, "i4", xlines))
    assert ("@5:i4", "@21:i4") in places(found)


def test_pre_stack(look):
    ilines, xlines = grid_numbers(range(1, 11), range(1, 21), each=6)
    file = with_words(1200, cdp=1 + np.arange(1200) // 6, offset=np.tile(np.arange(6), 200))
    assert places(look(file.put(221, "i4", ilines).put(225, "i4", xlines))) == [("@221:i4", "@225:i4")]


def noise():
    random = np.random.default_rng(4)
    file = with_words(900, cdp=1 + np.arange(900))
    file.rows[:, 180:240] = random.integers(0, 256, (900, 60))
    return file


@pytest.mark.parametrize("name, file", [
    ("a grid that was found", grid(range(1, 31), range(1, 41))),
    ("a line", with_words(500, cdp=np.arange(500), fldr=np.arange(500) // 10)),
    ("shots", shots(30, 24)),
    ("shots and midpoints", shots(30, 24).put_word("cdp", np.add.outer(2 * np.arange(30), np.arange(24)).ravel())),
    ("noise", noise()), ("no words", with_words(400)), ("no traces", with_words(0)), ("one", with_words(1, cdp=4)),
])  # fmt: skip
def test_nothing_to_propose(look, name, file):
    for ranks in (None, 3):
        assert look(file, ranks=ranks)["candidates"] == [], name


def test_coordinates_are_no_line_numbers(look):
    ilines, xlines = grid_numbers(range(1, 31), range(1, 41))
    found = look(with_words(1200, cdpx=431_000 + 25 * ilines, cdpy=5_430_000 + 25 * xlines))
    assert found["positions"] == "cdpx, cdpy" and found["candidates"] == []
