"""`sill info --geometry`: kinds of surveys, orders, line numbers, fold and positions, against how they were made."""

import json

import numpy as np
import pytest
import segy_files
import segy_forms
import survey_shapes
from checking import check_one
from survey_shapes import grid, grid_numbers, shots, stored, turned, with_words


@pytest.fixture
def look(sill, tmp_path):
    """Writes a file and returns its geometry."""

    def of(file, *options, ranks=None, name="f.sgy"):
        path = file.write(tmp_path / name)
        return json.loads(sill.run("info", path, "--geometry", "--json", *options, ranks=ranks).out)["geometry"]

    return of


def order_of(geometry) -> list[str]:
    return [("" if key["ascending"] else "-") + key["word"] for key in geometry["order"]]


def axis(geometry, name: str, *wanted: str):
    return tuple(geometry["grid"][name][key] for key in wanted or ("first", "last", "step", "lines", "missing"))


def shuffled(file, seed: int = 3):
    return file.permuted(np.random.default_rng(seed).permutation(file.traces))


def test_complete_grid(look):
    found = look(grid(range(10, 17), range(200, 220)))
    assert (found["kind"], found["dimensions"]) == ("3-D grid, post-stack", 3)
    assert order_of(found) == ["iline", "xline"]
    assert axis(found, "inlines") == (10, 16, 1, 7, 0)
    assert axis(found, "crosslines") == (200, 219, 1, 20, 0)
    assert (found["grid"]["places"], found["grid"]["holes"], found["grid"]["duplicates"]) == (140, 0, 0)
    assert found["grid"]["fold"]["histogram"] == [{"traces_from": 1, "count": 140}]
    assert found["positions"] == "none" and found["fit"] is None and found["bounds"] is None


def test_crossline_order(look):
    ilines, xlines = grid_numbers(range(1, 6), range(1, 9))
    order = np.lexsort([ilines, xlines])
    assert order_of(look(with_words(40, iline=ilines[order], xline=xlines[order]))) == ["xline", "iline"]


@pytest.mark.parametrize("ilines, xlines, order", [
    (range(5, 0, -1), range(1, 9), ["-iline", "xline"]),
    (range(1, 6), range(8, 0, -1), ["iline", "-xline"]),
    (range(5, 0, -1), range(8, 0, -1), ["-iline", "-xline"]),
])  # fmt: skip
def test_reversed_lines(look, ilines, xlines, order):
    found = look(grid(ilines, xlines))
    assert order_of(found) == order
    assert axis(found, "inlines", "reversed") == ("-iline" in order,)
    assert axis(found, "crosslines", "reversed") == ("-xline" in order,)
    assert axis(found, "inlines") == (1, 5, 1, 5, 0)


def test_sparse_and_negative_lines(look):
    found = look(grid(range(-20, 21, 5), range(-7, 8, 2)))
    assert axis(found, "inlines") == (-20, 20, 5, 9, 0)
    assert axis(found, "crosslines") == (-7, 7, 2, 8, 0)
    assert axis(found, "inlines", "sparse", "negative") == (True, True)
    assert found["grid"]["holes"] == 0


def test_line_off_the_step(look):
    found = look(grid([100, 102, 104, 106, 107], [1, 2, 3]))
    assert axis(found, "inlines") == (100, 107, 1, 5, 3)
    assert axis(found, "inlines", "usual_step") == (2,)
    assert found["grid"]["holes"] == 9


def test_holes(look):
    ilines, xlines = grid_numbers(range(1, 11), range(1, 13))
    gone = np.array([0, 17, 18, 40, 41, 42, 43, 90, 91, 119])
    keep = np.setdiff1d(np.arange(120), gone)
    found = look(with_words(110, iline=ilines[keep], xline=xlines[keep]))
    assert found["kind"] == "3-D grid, post-stack"
    assert found["grid"]["holes"] == 10
    assert found["grid"]["first_holes"] == [[int(ilines[g]), int(xlines[g])] for g in gone[:8]]
    assert order_of(found) == ["iline", "xline"]


def test_hole_at_the_end(look):
    ilines, xlines = grid_numbers(range(1, 4), range(1, 4))
    found = look(with_words(8, iline=ilines[:8], xline=xlines[:8]))
    assert (found["grid"]["holes"], found["grid"]["first_holes"]) == (1, [[3, 3]])


def test_duplicates(look):
    ilines, xlines = grid_numbers(range(1, 11), range(1, 11))
    again = np.sort(np.append(np.arange(100), [5, 5, 77]))
    found = look(with_words(103, iline=ilines[again], xline=xlines[again]))
    assert found["kind"] == "3-D grid, post-stack"
    assert (found["grid"]["duplicates"], found["grid"]["first_duplicates"]) == (2, [[1, 6], [8, 8]])
    assert (found["grid"]["fold"]["least"], found["grid"]["fold"]["most"]) == (1, 3)


def test_random_part_of_a_grid_in_no_order(look):
    ilines, xlines = grid_numbers(range(1, 41), range(1, 51))
    some = np.random.default_rng(5).permutation(2000)[:1200]
    found = look(with_words(1200, iline=ilines[some], xline=xlines[some]))
    assert found["kind"] == "3-D grid, post-stack"
    assert (found["grid"]["places"], found["grid"]["holes"]) == (1200, 800)
    assert found["order"] == [] and not found["order_found"]
    assert any("not in the order" in sentence for sentence in found["evidence"])


def test_scattered_places(look):
    random = np.random.default_rng(6)
    found = look(with_words(300, iline=random.integers(1, 5000, 300), xline=random.integers(1, 5000, 300)))
    assert found["kind"] == "irregular"
    assert any("neither a grid nor one line" in sentence for sentence in found["evidence"])


def test_words_that_change_together(look):
    number = np.arange(7, 107)
    found = look(with_words(100, iline=number, xline=number * 2))
    assert found["kind"] == "line, post-stack"
    assert found["grid"]["inlines"] is None
    assert any("change together" in sentence for sentence in found["evidence"])


def test_pre_stack_grid(look):
    ilines, xlines = grid_numbers(range(1, 5), range(1, 4), each=6)
    offset = np.tile(np.arange(300, 900, 100), 12)
    found = look(with_words(72, iline=ilines, xline=xlines, offset=offset))
    assert (found["kind"], order_of(found)) == ("3-D grid, pre-stack", ["iline", "xline", "offset"])
    assert found["offsets"] == {"smallest": 300, "largest": 800, "distinct": 6, "step": 100}
    assert found["grid"]["fold"]["histogram"] == [{"traces_from": 6, "count": 12}]
    assert found["grid"]["duplicates"] == 0


def test_pre_stack_grid_by_offset(look):
    ilines, xlines = grid_numbers(range(1, 5), range(1, 4))
    found = look(with_words(72, iline=np.tile(ilines, 6), xline=np.tile(xlines, 6), offset=np.repeat(range(6), 12)))
    assert (found["kind"], order_of(found)) == ("3-D grid, pre-stack", ["offset", "iline", "xline"])


def test_fold_of_every_size(look):
    fold = np.array([1, 2, 63, 64, 127, 128])
    cdp = np.repeat(np.arange(1, 7), fold)
    found = look(with_words(len(cdp), cdp=cdp, offset=np.arange(len(cdp))))
    assert found["kind"] == "line of CMP gathers"
    histogram = found["grid"]["fold"]["histogram"]
    assert [(h["traces_from"], h["count"]) for h in histogram] == [(1, 1), (2, 1), (63, 1), (64, 2), (128, 1)]
    assert found["grid"]["fold"]["mean"] == pytest.approx(fold.mean())


@pytest.mark.parametrize("word", ["cdp", "xline"])
def test_line(look, word):
    number = np.arange(101, 201)
    file = with_words(100, cdpx=stored(500_000 + 3 * (number - 101), -100), cdpy=stored(4 * (number - 101), -100),
                      scale=-100, **{word: number})  # fmt: skip
    found = look(file)
    assert (found["kind"], found["dimensions"], order_of(found)) == ("line, post-stack", 2, [word])
    line = found["line"]
    assert (line["first"], line["last"]) == ({"crossline": 101, "x": 500_000.0, "y": 0.0},
                                             {"crossline": 200, "x": 500_297.0, "y": 396.0})  # fmt: skip
    assert line["length"] == pytest.approx(99 * 5) and line["direct"] == pytest.approx(99 * 5)
    assert line["azimuth"] == pytest.approx(np.rad2deg(np.arctan2(3, 4)))


def test_crooked_line(look):
    x = np.append(np.arange(50) * 10, np.full(50, 490))
    y = np.append(np.zeros(50), 10 + np.arange(50) * 10)
    found = look(with_words(100, cdp=np.arange(1, 101), cdpx=1000 + x, cdpy=1000 + y))
    assert found["line"]["length"] == pytest.approx(990)
    assert found["line"]["direct"] == pytest.approx(np.hypot(490, 500))
    assert found["dimensions"] is None and any("crooked" in sentence for sentence in found["evidence"])


def test_cmp_gathers(look):
    cdp, trace = np.divmod(np.arange(400), 8)
    found = look(with_words(400, cdp=1 + cdp, offset=100 * trace))
    assert (found["kind"], order_of(found)) == ("line of CMP gathers", ["cdp", "offset"])
    assert (found["grid"]["fold"]["least"], found["grid"]["fold"]["most"]) == (8, 8)


def test_shot_gathers(look):
    found = look(shots(30, 24))
    assert (found["kind"], found["dimensions"]) == ("shot gathers", 2)
    assert order_of(found)[:2] == ["fldr", "tracf"]
    gathers = found["gathers"]
    assert (gathers["count"], gathers["least"], gathers["most"]) == (30, 24, 24)
    assert gathers["words"] == ["fldr"] and gathers["together"]
    assert found["offsets"] == {"smallest": 100, "largest": 675, "distinct": 24, "step": 25}
    assert found["positions"] == "midpoint of sx, sy and gx, gy"


def test_shots_that_only_coordinates_tell(look):
    file = shots(30, 24)
    for word in ("fldr", "ep", "tracf"):
        file.put_word(word, 0)
    found = look(file)
    assert found["kind"] == "shot gathers"
    assert (found["gathers"]["words"], found["gathers"]["count"]) == (["sx", "sy"], 30)


def test_source_points_within_records(look):
    # Records number lines; source points begin anew in each.
    file = shots(30, 24)
    shot = np.arange(720) // 24
    found = look(file.put_word("fldr", 1 + shot // 10).put_word("ep", 1 + shot % 10))
    assert found["kind"] == "shot gathers"
    assert (found["gathers"]["words"], found["gathers"]["count"]) == (["fldr", "ep"], 30)


def test_shuffled_shots(look):
    found = look(shuffled(shots(30, 24)))
    assert found["kind"] == "shot gathers"
    assert (found["gathers"]["count"], found["gathers"]["together"]) == (30, False)
    assert not found["order_found"]


def test_receiver_gathers(look):
    # Fixed receivers: every source is recorded by each.
    receiver, source = np.divmod(np.arange(20 * 50), 50)
    file = with_words(1000, fldr=1 + source, ep=1 + source, tracf=1 + receiver, sx=1000 + 50 * source, sy=77,
                      gx=1010 + 100 * receiver, gy=88, offset=np.abs(1010 + 100 * receiver - 1000 - 50 * source))  # fmt: skip
    found = look(file)
    assert found["kind"] == "receiver gathers"
    assert (found["gathers"]["words"], found["gathers"]["count"]) == (["gx", "gy"], 20)
    assert (found["gathers"]["least"], found["gathers"]["most"]) == (50, 50)
    assert order_of(found)[0] == "gx"


def test_shots_over_a_grid(look):
    file = shots(40, 12)
    random = np.random.default_rng(7)
    file.put_word("iline", random.integers(1, 9, 480)).put_word("xline", random.integers(1, 21, 480))
    found = look(file)
    assert (found["kind"], found["dimensions"]) == ("shot gathers", 3)
    assert found["gathers"]["count"] == 40
    assert found["grid"]["fold"]["places"] == len(set(zip(file.word("iline"), file.word("xline"), strict=True)))


def test_records_and_ensembles_as_lines(look):
    # Revision 0 has no words for lines; many used these.
    ilines, xlines = grid_numbers(range(1, 9), range(20, 32))
    found = look(with_words(96, fldr=ilines, cdp=xlines))
    assert (found["kind"], order_of(found)) == ("3-D grid, post-stack", ["fldr", "cdp"])
    assert (axis(found, "inlines", "word"), axis(found, "crosslines", "word")) == (("fldr",), ("cdp",))


def test_ensembles_as_crosslines(look):
    ilines, xlines = grid_numbers(range(1, 9), range(20, 32))
    found = look(with_words(96, iline=ilines, cdp=xlines))
    assert (found["kind"], order_of(found)) == ("3-D grid, post-stack", ["iline", "cdp"])
    assert found["grid"]["places"] == 96


def test_no_word_tells(look):
    found = look(with_words(50))
    assert found["kind"] == "unknown"
    for word in ("iline (byte 189)", "xline (byte 193)", "cdp (byte 21)", "fldr (byte 9)"):
        assert f"{word} is 0 in all traces" in found["evidence"]


def test_traces_that_no_word_tells_apart(look):
    # Five lines, of which only the numbers along each are there.
    found = look(with_words(25, cdp=np.tile(np.arange(20, 25), 5)))
    assert found["kind"] == "irregular"
    assert any("no word distinguishes them" in sentence for sentence in found["evidence"])


def test_one_trace_and_none(look):
    one = look(with_words(1, iline=5, xline=6, cdpx=100, cdpy=200))
    assert (one["traces"], one["order_found"], one["order"]) == (1, True, [])
    assert one["kind"] == "line, post-stack"
    none = look(with_words(0))
    assert (none["kind"], none["traces"], none["grid"]) == ("no traces", 0, None)


@pytest.mark.parametrize("scale, size", [(-10_000, 1), (-100, 1_000), (0, 100_000), (1, 100_000), (100, 10_000_000)])
def test_known_rotation(look, scale, size):
    """Bins of 25 by 12.5, turned by 30 degrees: times `size`, so that whole stored numbers hold them to a millionth."""
    ilines, xlines = grid_numbers(range(100, 140), range(1000, 1060))
    x, y = turned(ilines - 100, xlines - 1000, origin=(1_234.5 * size, 2_345.6 * size), degrees=30,
                  between_ilines=25 * size, between_xlines=12.5 * size)  # fmt: skip
    file = with_words(len(x), scale=scale, iline=ilines, xline=xlines, cdpx=stored(x, scale), cdpy=stored(y, scale))
    fit = look(file)["fit"]
    assert fit["good"]
    assert fit["between_inlines"] == pytest.approx(25 * size, rel=1e-6)
    assert fit["between_crosslines"] == pytest.approx(12.5 * size, rel=1e-6)
    assert fit["inline_azimuth"] == pytest.approx(30, abs=1e-5)
    assert fit["angle_to_inline_numbers"] == pytest.approx(90, abs=1e-5)
    corners = [(c["inline"], c["crossline"]) for c in fit["corners"]]
    assert corners == [(100, 1000), (100, 1059), (139, 1059), (139, 1000)]
    for corner, at in zip(fit["corners"], (0, 59, 2399, 2340), strict=True):
        assert (corner["x"], corner["y"]) == pytest.approx((x[at], y[at]), abs=1e-4 * size)


@pytest.mark.parametrize("scale", [-100, 100, 1])
def test_exact_rotation(look, scale):
    """A direction of whole numbers, 3 to 4, is recovered to 1e-6 under any scalar."""
    ilines, xlines = grid_numbers(range(1, 31), range(1, 41))
    unit = max(1, scale)
    x = (500_000 + 4 * 5 * ilines + 3 * 2.5 * 2 * xlines) * unit
    y = (600_000 - 3 * 5 * ilines + 4 * 2.5 * 2 * xlines) * unit
    fit = look(with_words(1200, scale=scale, iline=ilines, xline=xlines, cdpx=stored(x, scale),
                          cdpy=stored(y, scale)))["fit"]  # fmt: skip
    assert fit["between_inlines"] == pytest.approx(25 * unit, rel=1e-6)
    assert fit["between_crosslines"] == pytest.approx(25 * unit, rel=1e-6)
    assert fit["inline_azimuth"] == pytest.approx(np.rad2deg(np.arctan2(3, 4)), abs=1e-6)
    assert fit["largest_distance"] < 1e-6 * unit


def test_misplaced_traces_are_counted(look):
    ilines, xlines = grid_numbers(range(1, 31), range(1, 41))
    x, y = 1000 + 25 * ilines, 5000 + 25 * xlines
    x[700] += 3000
    y[701] -= 40
    x[702] = y[702] = 0
    found = look(with_words(1200, iline=ilines, xline=xlines, cdpx=x, cdpy=y))
    fit = found["fit"]
    assert not fit["good"]
    assert (fit["far_traces"], fit["largest_distance_trace"]) == (2, 701)
    assert fit["largest_distance"] == pytest.approx(3000)
    assert found["without_position"] == 1
    assert (fit["corners"][0]["x"], fit["corners"][0]["y"]) == pytest.approx((1025, 5025))


@pytest.mark.parametrize("unit, system, name, is_length", [
    (1, 1, "metres", True), (1, 2, "feet", True), (0, 0, "length units", True), (2, 1, "arc seconds", False),
    (3, 1, "degrees", False),
])  # fmt: skip
def test_units(look, unit, system, name, is_length):
    ilines, xlines = grid_numbers(range(1, 6), range(1, 6))
    found = look(with_words(25, unit=unit, system=system, iline=ilines, xline=xlines, cdpx=100 * ilines,
                            cdpy=100 * xlines))  # fmt: skip
    assert found["unit"] == name
    assert (found["fit"]["between_inlines"] is not None) == is_length
    assert (found["fit"]["inline_azimuth"] is not None) == is_length
    assert len(found["fit"]["corners"]) == 4


def test_digits_of_degrees_minutes_seconds_are_not_fitted(look):
    ilines, xlines = grid_numbers(range(1, 6), range(1, 6))
    found = look(with_words(25, unit=4, iline=ilines, xline=xlines, cdpx=100 * ilines, cdpy=100 * xlines))
    assert (found["unit"], found["fit"]) == ("degrees, minutes, seconds", None)
    assert found["grid"]["places"] == 25


def test_scalar_that_varies(look):
    file = shots(30, 24)
    for word in ("fldr", "ep", "tracf"):
        file.put_word(word, 0)
    found = look(file.put_word("scalco", np.where(np.arange(720) < 400, -100, -10)))
    assert found["gathers"] is None
    assert any("scalco (byte 71) runs from -100 to -10" in sentence for sentence in found["evidence"])


def test_line_in_units_of_arc_has_no_length(look):
    number = np.arange(1, 51)
    line = look(with_words(50, unit=2, cdp=number, cdpx=3600 + number, cdpy=7200 + number))["line"]
    assert (line["length"], line["direct"], line["azimuth"]) == (None, None, None)
    assert line["first"]["x"] == 3601


def test_mixed_units(look):
    ilines, xlines = grid_numbers(range(1, 6), range(1, 6))
    file = with_words(25, iline=ilines, xline=xlines, cdpx=100 * ilines, cdpy=100 * xlines)
    found = look(file.put_word("counit", np.where(np.arange(25) == 7, 2, 1)))
    assert found["fit"]["between_inlines"] is None
    assert any("several units" in sentence for sentence in found["evidence"])


def test_coordinates_in_words_of_the_source(look):
    ilines, xlines = grid_numbers(range(1, 6), range(1, 6))
    found = look(with_words(25, iline=ilines, xline=xlines, sx=100 * ilines, sy=50 * xlines))
    assert found["positions"] == "sx, sy"
    assert (found["fit"]["between_inlines"], found["fit"]["between_crosslines"]) == pytest.approx((100, 50))


def test_map(look):
    ilines, xlines = grid_numbers(range(1, 6), range(1, 7))
    file = with_words(30).put(5, "i4", ilines).put(21, "i4", xlines)
    found = look(file, "--map", "petrel")
    assert (found["kind"], axis(found, "inlines"), axis(found, "crosslines")) == (
        "3-D grid, post-stack", (1, 5, 1, 5, 0), (1, 6, 1, 6, 0))  # fmt: skip
    assert {w["word"]: w["byte"] for w in found["words"]}["iline"] == 5


def test_map_without_geometry_is_refused(sill, tmp_path):
    path = grid([1, 2], [1, 2]).write(tmp_path / "f.sgy")
    assert "--geometry" in sill.run("info", path, "--map", "petrel", expect=2).reason


def test_info_alone_reads_no_trace_headers(sill, tmp_path):
    path = grid(range(100), range(100)).write(tmp_path / "f.sgy")
    for options, least, most in [([], 0, 20_000), (["--geometry"], 10_000 * 150, 10**8)]:
        sill.run("info", path, *options, "--report", tmp_path / "r.json")
        assert least <= json.loads((tmp_path / "r.json").read_text())["bytes_read"] <= most


def test_seismic_unix(look):
    number, trace = np.divmod(np.arange(60), 6)
    found = look(segy_forms.as_su(with_words(60, cdp=1 + number, offset=10 * trace)), name="f.su")
    assert (found["kind"], order_of(found)) == ("line of CMP gathers", ["cdp", "offset"])
    assert "iline: the traces have no word with this name" in found["evidence"]


def test_lengths_that_vary(sill, tmp_path):
    ilines, xlines = grid_numbers(range(1, 6), range(1, 7))
    file = with_words(30, samples=40, iline=ilines, xline=xlines)
    path = tmp_path / "f.sgy"
    file.put_binary(3503, "i2", 0)
    path.write_bytes(segy_forms.varying(file, [10 + i % 31 for i in range(30)]))
    found = json.loads(sill.run("info", path, "--geometry", "--json").out)["geometry"]
    assert (found["kind"], found["grid"]["places"]) == ("3-D grid, post-stack", 30)


@pytest.mark.parametrize("order", ["little", "pairwise"])
def test_byte_orders(look, order):
    ilines, xlines = grid_numbers(range(-3, 6), range(1, 7))
    file = segy_files.make(54, 3, order=order)
    for word in survey_shapes.GEOMETRY_WORDS:
        file.put_word(word, 0)
    found = look(file.put_word("iline", ilines).put_word("xline", xlines))
    assert axis(found, "inlines") == (-3, 5, 1, 9, 0)


def odd_surveys():
    ilines, xlines = grid_numbers(range(1, 91), range(1, 101))
    x, y = turned(ilines, xlines, origin=(4e5, 5e6), degrees=77, between_ilines=25, between_xlines=12.5)
    cube = with_words(9000, scale=-10, iline=ilines, xline=xlines, cdpx=stored(x, -10), cdpy=stored(y, -10))
    random = np.random.default_rng(9)
    keep = np.sort(random.permutation(9000)[:7000])
    far = cube.copy().put_word("cdpx", np.where(np.arange(9000) == 8321, 77, cube.word("cdpx")))
    late = with_words(6000, cdp=np.arange(6000), fldr=np.where(np.arange(6000) > 5990, 2, 1))
    return {
        "cube": cube, "holes": cube.permuted(keep), "shuffled": shuffled(cube), "far": far, "shots": shots(300, 20),
        "shuffled shots": shuffled(shots(300, 20)), "late": late, "one": with_words(1, cdp=4),
        "two": with_words(2, cdp=[4, 9]), "none": with_words(0),
        "doubled": cube.permuted(np.sort(random.integers(0, 9000, 9000))), "places": with_words(5000, cdp=np.repeat([1, 2], 2500)),
    }  # fmt: skip


@pytest.mark.parametrize("name", list(odd_surveys()))
def test_same_on_any_number_of_ranks_and_threads(sill, tmp_path, name):
    path = odd_surveys()[name].write(tmp_path / "f.sgy")
    alone = sill.run("info", path, "--geometry", "--json", "--threads", 1).out
    assert sill.run("info", path, "--geometry", "--json", "--threads", 3).out == alone
    for ranks in (2, 3, 4):
        assert sill.run("info", path, "--geometry", "--json", ranks=ranks).out == alone


def test_what_the_first_look_missed(look):
    # One trace in 9,000 makes the lines vary: whether it is looked at or not, it counts.
    number = np.arange(9000)
    for odd in (8999, 4321):
        found = look(with_words(9000, cdp=1 + number, iline=np.where(number == odd, 2, 1)))
        words = {word["word"]: word for word in found["words"]}
        assert (words["iline"]["smallest"], words["iline"]["largest"]) == (1, 2)
        assert (found["kind"], found["grid"]["crosslines"]["word"]) == ("line, post-stack", "cdp")
    reads = set()
    for odd in range(100, 112):
        found = look(with_words(9000, cdp=1 + number, offset=np.where(number == odd, 2, 1)))
        assert found["offsets"] == {"smallest": 1, "largest": 2, "distinct": 2, "step": 1}
        reads.add(found["header_reads"])
    assert reads == {1, 2}, "some of these traces are looked at, some are not"



def test_text(sill, tmp_path):
    ilines, xlines = grid_numbers(range(4, 0, -1), range(1, 6))
    file = with_words(20, iline=ilines, xline=xlines, cdpx=25 * ilines, cdpy=50 * xlines)
    said = sill.run("info", file.write(tmp_path / "f.sgy"), "--geometry").out
    for line in ("geometry                3-D grid, post-stack", "iline descending, then xline ascending",
                 "1 to 4 by 1: 4 numbers, descending", "between inlines         25 metres",
                 "between crosslines      50 metres", "corner 1/1              x 25.000, y 50.000"):  # fmt: skip
        assert line in said, said


@pytest.mark.parametrize("name, kind, inlines, crosslines, holes", [
    ("segyio_small.sgy", "3-D grid, post-stack", (1, 5, 1, 5, 0), (20, 24, 1, 5, 0), 0),
    ("zfp_small_hole.sgy", "3-D grid, post-stack", (1, 5, 1, 5, 0), (20, 24, 1, 5, 0), 1),
    ("segyio_small-ps.sgy", "3-D grid, pre-stack", (1, 4, 1, 4, 0), (1, 3, 1, 3, 0), 0),
    ("segyio_f3.sgy", "3-D grid, post-stack", (111, 133, 1, 23, 0), (875, 892, 1, 18, 0), 0),
    ("segysak_f3-withdead.sgy", "3-D grid, post-stack", (111, 133, 1, 23, 0), (875, 892, 1, 18, 0), 175),
])  # fmt: skip
def test_real_files(sill, samples, name, kind, inlines, crosslines, holes):
    found = json.loads(sill.run("info", samples / name, "--geometry", "--json").out)["geometry"]
    assert (found["kind"], axis(found, "inlines"), axis(found, "crosslines")) == (kind, inlines, crosslines)
    assert (found["grid"]["holes"], order_of(found)[:2]) == (holes, ["iline", "xline"])


def test_few_damaged_headers_decide_nothing(look):
    """Three of 1,000 traces repeat a number and have another offset and record."""
    cdp, offset, fldr = 1 + np.arange(1000), np.zeros(1000, int), np.full(1000, 7)
    for damaged in (100, 500, 800):
        cdp[damaged], offset[damaged], fldr[damaged] = 3, 2000, 99
    found = look(with_words(1000, cdp=cdp, offset=offset, fldr=fldr))
    assert found["kind"] == "line, post-stack" and found["grid"]["duplicates"] == 1
    for word in ("offset is 0", "fldr is 7"):
        assert any(f"{word} in 997 of 1000 examined traces" in said for said in found["evidence"])


@pytest.mark.parametrize("ranks", [None, 3])
def test_depths_in_a_well_are_no_gather(look, ranks):
    """Five shots and twelve receivers in one well."""
    shot, depth = np.divmod(np.arange(60), 12)
    file = with_words(60, fldr=1 + shot, sx=1000 + 50 * shot, sy=2000, gx=1500, gy=2500)
    found = look(file.put_word("gelev", -100 - 10 * depth), ranks=ranks)
    assert (found["kind"], found["gathers"]["words"], found["gathers"]["count"]) == ("shot gathers", ["fldr"], 5)
    found = look(with_words(60, sx=1000, sy=2000, gx=1500, gy=2500).put_word("gelev", -100 - 10 * depth), ranks=ranks)
    assert found["gathers"] is None and any("gelev (byte 41) runs from" in said for said in found["evidence"])


@pytest.mark.parametrize("ranks", [None, 2, 3, 4])
def test_auxiliary_traces_are_not_counted(look, ranks):
    shot, channel = np.divmod(np.arange(7200), 12)
    file = with_words(7200, fldr=1 + shot, offset=25 * channel)
    file.put_word("offset", np.where(channel > 9, 7, 25 * channel)).put_word("trid", np.where(channel > 9, 6, 1))
    found = look(file, ranks=ranks)
    assert (found["traces"], found["auxiliary"], found["kind"]) == (6000, 1200, "shot gathers")
    assert found["offsets"] == {"smallest": 0, "largest": 225, "distinct": 10, "step": 25}
    assert (found["gathers"]["count"], found["gathers"]["least"], found["gathers"]["most"]) == (600, 10, 10)


@pytest.mark.parametrize("system, unit, x, beyond", [(1, 1, 50_000_000, True), (2, 1, 50_000_000, False),
                                                    (1, 1, 9_000_000, False), (1, 3, 400, True)])
def test_positions_beyond_the_earth(sill, look, tmp_path, system, unit, x, beyond):
    file = with_words(50, cdp=1 + np.arange(50), cdpx=x + np.arange(50), cdpy=80, system=system, unit=unit)
    assert any("but one position is" in said for said in look(file)["evidence"]) == beyond
    told = check_one(sill, file.write(tmp_path / "in.sgy"))["findings"]
    assert [one["grade"] for one in told if one["kind"] == "positions"] == (["major"] if beyond else [])


def test_coordinates_of_extension_1_alone(look):
    """Without a map: the words of the trace header are 0, and extension 1 has them as floats."""
    file = segy_forms.make(60, 3, additional=1)
    for name in survey_shapes.GEOMETRY_WORDS:
        file.put_word(name, 0)
    file.rows[:, 240:472] = 0
    file.put_word("cdp", 1 + np.arange(60)).put_word("counit", 1)
    file.put(240 + 161, "f8", 400_000.5 + 12.5 * np.arange(60)).put(240 + 169, "f8", 6_000_000.25)
    found = look(file)
    assert found["positions"] == "cdpx, cdpy"
    assert found["bounds"]["x"] == [400_000.5, 400_000.5 + 12.5 * 59]
