"""`bin` and `cmpbin` beside their definitions."""

import json

import numpy as np
import pytest
from flow_cases import file_of, flowed


def survey(count=60, seed=1, origin=(451000, 6210000), spread=900):
    """Sources and receivers around an origin, as whole centimetres."""
    random = np.random.default_rng(seed)
    places = random.integers(-spread * 100, spread * 100, (4, count)) + 100 * np.array([*origin, *origin])[:, None]
    file = file_of(np.ones((count, 20), "f4"))
    for name, values in zip(("sx", "sy", "gx", "gy"), places, strict=True):
        file.put_word(name, values)
    file.put_word("scalco", -100)
    return file, (places[0] + places[2]) / 200, (places[1] + places[3]) / 200


@pytest.mark.parametrize("hand", ["right", "left"])
@pytest.mark.parametrize("ranks", [None, 3])
def test_a_grid(sill, tmp_path, hand, ranks):
    file, x, y = survey()
    steps = f"bin origin=451000,6210000 azimuth=30deg size=25m,12.5m first=1000,2000 step=2,1 hand={hand}"
    out = flowed(sill, tmp_path, file, steps, ranks=ranks)
    angle = np.radians(30)
    side = 1 if hand == "right" else -1
    dx, dy = x - 451000, y - 6210000
    u = np.floor((dx * np.sin(angle) + dy * np.cos(angle)) / 12.5 + 0.5)
    v = np.floor(side * (dx * np.cos(angle) - dy * np.sin(angle)) / 25 + 0.5)
    assert np.array_equal(out.word("iline"), 1000 + 2 * v)
    assert np.array_equal(out.word("xline"), 2000 + u)
    centre_x = 451000 + 12.5 * u * np.sin(angle) + side * 25 * v * np.cos(angle)
    centre_y = 6210000 + 12.5 * u * np.cos(angle) - side * 25 * v * np.sin(angle)
    assert np.abs(out.word("cdpx") / 100 - centre_x).max() <= 0.00501
    assert np.abs(out.word("cdpy") / 100 - centre_y).max() <= 0.00501


@pytest.mark.parametrize("azimuth", [0, 90, 180, 270, -90, 450])
def test_traces_on_a_line_along_an_axis_are_on_one_line_of_bins(sill, tmp_path, azimuth):
    """Midpoints on the edges between bins belong to the upper bin, also if the azimuth has no exact sine."""
    x, y = (v.ravel() for v in np.meshgrid(25.0 * np.arange(-5, 6) + 12.5, 25.0 * np.arange(-3, 4) + 12.5))
    file = file_of(np.ones((len(x), 9)), scalco=-10, sx=10 * x, gx=10 * x, sy=10 * y, gy=10 * y)
    out = flowed(sill, tmp_path, file, f"bin origin=0,0 azimuth={azimuth}deg size=25m,25m first=0,0")
    sine, cosine = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}[azimuth % 360]
    np.testing.assert_array_equal(out.word("xline"), np.floor((x * sine + y * cosine) / 25 + 0.5))
    np.testing.assert_array_equal(out.word("iline"), np.floor((x * cosine - y * sine) / 25 + 0.5))


def test_the_geometry_command_finds_the_grid_again(sill, tmp_path):
    file, _, _ = survey(900, spread=200)
    steps = "bin origin=451000,6210000 azimuth=30deg size=25m,12.5m first=100,100; sort iline,xline"
    flowed(sill, tmp_path, file, steps)
    found = json.loads(sill.run("info", "--geometry", "--json", tmp_path / "out.sgy").out)
    fit = found["geometry"]["fit"]
    assert abs(fit["inline_azimuth"] - 30) < 1e-3 and abs(fit["angle_to_inline_numbers"] - 90) < 2e-3
    assert abs(fit["between_inlines"] - 25) < 1e-3 and abs(fit["between_crosslines"] - 12.5) < 1e-3


def test_a_crooked_line(sill, tmp_path):
    file, x, y = survey(80)
    line = tmp_path / "line.csv"
    line.write_text("x,y\n450200,6209500\n451000,6210100\n451900,6210200\n")
    points = np.array([[450200, 6209500], [451000, 6210100], [451900, 6210200.0]])
    out = flowed(sill, tmp_path, file, f"cmpbin line=@{line} size=12.5m first=100")
    lengths = np.hypot(*np.diff(points, axis=0).T)
    for i in range(80):
        # A fine search along the line and its straight ends.
        best = (np.inf, 0.0)
        start = 0.0
        for s, length in enumerate(lengths):
            t = np.arange(-3000 if s == 0 else 0, length + (3000 if s == 1 else 0), 0.02)
            away = np.hypot(
                *(points[s][:, None] + (points[s + 1] - points[s])[:, None] * t / length - [[x[i]], [y[i]]])
            )
            k = away.argmin()
            best = min(best, (away[k], start + t[k]))
            start += length
        number = out.word("cdp")[i]
        assert abs(best[1] / 12.5 + 100 - number) <= 0.5 + 0.002
    inline = "cmpbin line=450200,6209500,451000,6210100,451900,6210200 size=12.5m first=100"
    assert np.array_equal(flowed(sill, tmp_path, file, inline).word("cdp"), out.word("cdp"))
    near = sill.run(
        "flow", tmp_path / "in.sgy", "-o", tmp_path / "n.sgy", "--do", f"cmpbin line=@{line} size=12.5m within=200m"
    ).out
    assert "the trace farthest from the line is" in near
    assert 5 < int(near.split(" traces")[0]) < 75


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ("bin origin=1,2 azimuth=30deg size=25m", "2 values are needed"),
        ("bin origin=1,2 azimuth=30deg size=25,12", "unit"),
        ("bin origin=1,2 azimuth=30deg size=25m,0m", "a bin must be longer than 0"),
        ("bin origin=1,2 azimuth=30deg size=25m,5m step=0,1", "the step of bin numbers"),
        ("bin origin=1,2 azimuth=30deg size=25m,5m first=1.5,1", "bin numbers must be integers"),
        ("bin azimuth=30deg size=25m,5m", "origin= is missing"),
        ("cmpbin line=12,1 size=25m", "a table of x,y"),
    ],
)
def test_wrong_arguments(sill, tmp_path, steps, text):
    path = survey()[0].write(tmp_path / "in.sgy")
    assert text in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=2).err


def test_a_line_of_one_point(sill, tmp_path):
    path = survey()[0].write(tmp_path / "in.sgy")
    for text, said in (("1,2\n", "two points"), ("1,2\n1,2\n", "equals the previous point")):
        (tmp_path / "line.csv").write_text(text)
        steps = f"cmpbin line=@{tmp_path}/line.csv size=25m"
        assert said in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=2).err


def test_coordinates_that_are_angles(sill, tmp_path):
    file, _, _ = survey()
    file.put_word("counit", np.where(np.arange(60) == 4, 3, 1))
    path = file.write(tmp_path / "in.sgy")
    for steps in ("bin origin=1,2 azimuth=0 size=25m,25m", "cmpbin line=0,0,1,1 size=25m"):
        error = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=3).err
        assert "trace:  5" in error and "are angles" in error


def test_a_trace_far_away(sill, tmp_path):
    file, _, _ = survey()
    file.put_word("sx", np.where(np.arange(60) == 7, -2147483648, 45100000))
    path = file.write(tmp_path / "in.sgy")
    steps = "bin origin=451000,6210000 azimuth=0deg size=0.001m,1m"
    error = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=3).err
    assert "trace:  8" in error and "bins from the origin" in error
