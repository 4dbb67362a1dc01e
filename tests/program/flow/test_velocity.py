"""`velocity` against the definitions, and against layers."""

import numpy as np
import pytest
from flow_cases import DT_S, file_of, flowed


def rms_of(interval, start_s=0.0):
    t = start_s + DT_S * np.arange(len(interval))
    total = start_s * interval[0] ** 2 + DT_S * np.concatenate([[0], np.cumsum(interval[1:] ** 2)])
    return np.concatenate([[interval[0]], np.sqrt(total[1:] / t[1:])])


LAYERS = np.concatenate([np.full(100, 1500.0), np.full(150, 2200.0), np.full(120, 1900.0), np.full(131, 3400.0)])


@pytest.mark.parametrize("delay_ms", [0, 300])
@pytest.mark.parametrize("ranks", [1, 3])
def test_layers(sill, tmp_path, delay_ms, ranks):
    rows = np.array([LAYERS * (1 + 0.01 * i) for i in range(7)]).astype("f4")
    file = file_of(rows, delay_ms=delay_ms)
    rms = flowed(sill, tmp_path, file, "velocity rms", ranks=ranks)
    want = np.array([rms_of(row.astype("f8"), delay_ms / 1000) for row in rows])
    assert np.abs(rms.samples() - want).max() < 5e-4
    back = flowed(sill, tmp_path, rms, "velocity interval", ranks=ranks)
    assert np.abs(back.samples() - rows).max() < 2.0  # rms velocities have seven digits


def test_velocities_that_fall_too_fast(sill, tmp_path):
    row = np.full(300, 3000.0)
    row[200:] = 2000.0
    path = file_of([row.astype("f4")]).write(tmp_path / "in.sgy")
    said = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "velocity interval").out
    assert "fall faster" in said
    out = flowed(sill, tmp_path, file_of([row.astype("f4")]), "velocity interval").samples()[0]
    assert out[200] == out[199] == 3000.0 and np.allclose(out[201:], 2000.0)


def test_smoothed(sill, tmp_path):
    rows = np.random.default_rng(1).uniform(1500, 4000, (5, 200)).astype("f4")
    want = np.array([[row[max(0, s - 10) : s + 11].astype("f8").mean() for s in range(200)] for row in rows])
    out = flowed(sill, tmp_path, file_of(rows), "velocity smoothed smooth=40ms").samples()
    assert np.abs(out - want).max() < 1e-3
    smooth_first = flowed(sill, tmp_path, file_of(rows), "velocity rms smooth=40ms").samples()
    assert np.abs(smooth_first - [rms_of(row) for row in want]).max() < 2e-3


def test_a_section_of_a_table(sill, tmp_path):
    (tmp_path / "v.csv").write_text("cdp,time_ms,velocity\n10,0,1500\n10,400,2500\n20,0,1700\n20,400,3000\n")
    file = file_of(np.zeros((3, 301)), cdp=[10, 15, 20])
    out = flowed(sill, tmp_path, file, f"velocity section of=@{tmp_path}/v.csv").samples()
    t = np.minimum(DT_S * np.arange(301), 0.4)
    for row, (first, last) in zip(out, [(1500, 2500), (1600, 2750), (1700, 3000)]):
        assert np.abs(row - (first + (last - first) * t / 0.4)).max() < 1e-3


@pytest.mark.parametrize(
    "wrong", ["", "depth", "smoothed", "interval smooth=-1ms", "section", "section of=2km/s smooth=9ms", "rms of=2km/s"]
)
def test_wrong_arguments(sill, tmp_path, wrong):
    path = file_of(np.ones((3, 50))).write(tmp_path / "in.sgy")
    assert "velocity" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", f"velocity {wrong}", expect=2).err


def test_traces_before_time_0(sill, tmp_path):
    path = file_of(np.ones((3, 50)), delay_ms=-10).write(tmp_path / "in.sgy")
    assert "before time 0" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "velocity rms", expect=3).err


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_table_of_traces(sill, tmp_path, ranks):
    rows = (1500 + 400 * np.random.default_rng(3).random((4, 101))).astype("f4")
    file = file_of(rows, cdp=[30, 10, 20, 40], delay_ms=0)
    path = file.write(tmp_path / "in.sgy")
    table = tmp_path / "v.csv"
    said = sill.run("flow", path, "--do", f"velocity table file={table} every=60ms", ranks=ranks).out
    assert "20 velocities in" in said
    lines = [[float(x) for x in line.split(",")] for line in table.read_text().splitlines()[1:]]
    samples = [0, 30, 60, 90, 100]
    expected = [[c, 0.002 * s, rows[i, s]] for c, i in ((10, 1), (20, 2), (30, 0), (40, 3)) for s in samples]
    assert np.allclose(lines, expected)
    # It is what nmo and sections take.
    section = flowed(sill, tmp_path, file, f"velocity section of=@{table}").samples()
    assert np.abs(section[:, samples] - rows[:, samples]).max() < 1e-3
    for wrong in ("velocity table", "velocity table file=v.txt", "velocity interval file=v.csv", f"velocity table file={table} of=2km/s"):
        sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", wrong, expect=2)


@pytest.mark.parametrize("value", [2.5, 0.0, np.nan])
def test_a_table_has_velocities_only(sill, tmp_path, value):
    rows = np.full((2, 50), 2000.0)
    rows[1, 49] = value
    path = file_of(rows, cdp=[1, 2]).write(tmp_path / "in.sgy")
    steps = f"velocity table file={tmp_path / 'v.csv'}"
    err = sill.run("flow", path, "--nonfinite", "keep", "--do", steps, expect=3).err
    assert "sample 50 is" in err and "between 100 and 10000 m/s" in err and "trace:  2" in err, err
    assert not (tmp_path / "v.csv").exists()


USERS = ["nmo velocity=@VELOCITIES", "anglestack ranges=0-30 velocity=@VELOCITIES kind=rms by=cdp", "velocity section of=@VELOCITIES"]


@pytest.mark.parametrize("steps", USERS)
def test_units_of_velocity_surveys(sill, tmp_path, steps):
    """A survey of velocities is checked as a table without units is."""
    velocities = tmp_path / "v.sgy"
    steps = steps.replace("VELOCITIES", str(velocities))
    rows = np.random.default_rng(5).standard_normal((3, 100))
    feet = file_of(rows, cdp=1, offset=[100, 300, 600]).put_binary(3255, "i2", 2)
    path = feet.write(tmp_path / "in.sgy")
    file_of(np.full((1, 100), 6500.0), cdp=1).put_binary(3255, "i2", 0).write(velocities)
    err = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=2).err
    assert "in feet" in err and str(velocities) in err and "3255-3256" in err
    outs = []
    for unit, value in ((1, 1981.2), (2, 6500.0)):
        file_of(np.full((1, 100), value), cdp=1).put_binary(3255, "i2", unit).write(velocities)
        outs.append(flowed(sill, tmp_path, feet, steps).samples())
    assert outs[0].any() and np.allclose(*outs, atol=1e-3)
    for value in (2.0, 20000.0, -1500.0):
        file_of(np.full((1, 100), value), cdp=1).put_binary(3255, "i2", 1).write(velocities)
        err = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=3).err
        assert "between 100 and 10000 m/s" in err and "gain scale=1000" in err, err


@pytest.mark.parametrize("value", [np.nan, 1e20])
def test_a_wild_sample_is_smoothed_only_around_it(sill, tmp_path, value):
    rows = np.random.default_rng(6).uniform(1500, 4000, (1, 60)).astype("f4")
    wild = rows.copy()
    wild[0, 20] = value
    steps = "velocity smoothed smooth=20ms"
    want = flowed(sill, tmp_path, file_of(rows), steps).samples()[0]
    out = flowed(sill, tmp_path, file_of(wild), steps, "--nonfinite", "keep").samples()[0]
    near = abs(np.arange(60) - 20) <= 5
    assert np.array_equal(out[~near], want[~near])
    assert np.isnan(out[near]).all() if np.isnan(value) else (out[near] > 1e18).all()
