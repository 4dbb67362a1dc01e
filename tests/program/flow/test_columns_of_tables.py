"""Columns of tables count by their names; what the user may not have meant is refused."""

import numpy as np
import pytest
from flow_cases import file_of, flowed

SAMPLES = 400  # of 2 ms
OFFSETS = np.array([100, 400, 800, 1200, 1500, 2000])
CDP = np.array([5, 5, 10, 10, 15, 15])
POINTS = "0,1500\n0.4,2000\n0.7,2500\n"


def made(**words):
    rows = np.random.default_rng(11).standard_normal((len(CDP), SAMPLES)).astype(np.float32)
    return file_of(rows, offset=OFFSETS, cdp=CDP, iline=1, xline=CDP * 2, **words)


def flow_by(sill, folder, table, steps, file=None):
    (folder / "t.csv").write_text(table)
    steps = steps.replace("TABLE", str(folder / "t.csv"))
    return flowed(sill, folder, file or made(), steps, "--history", "none").samples()


def refusal(sill, folder, table, steps, file=None):
    (folder / "t.csv").write_text(table)
    path = (file or made()).write(folder / "in.sgy")
    steps = steps.replace("TABLE", str(folder / "t.csv"))
    result = sill.run("flow", path, "-o", folder / "o.sgy", "--do", steps, expect=2)
    assert "t.csv" in result.err and not (folder / "o.sgy").exists()
    return result.err


@pytest.mark.parametrize(
    "table",
    [
        "time,velocity\n" + POINTS,
        "velocity,time\n1500,0\n2000,0.4\n2500,0.7\n",
        "V_rms [km/s];Two-way time (ms)\n1.5;0\n2.0;400\n2.5;700\n",
        "t0_ms vnmo_m/s\n0 1500\n400 2000\n700 2500\n",
        "time [ms]  velocity [m/s]  # by hand\n0 1500\n400 2000\n700 2500\n",
        '\ufeff"TIME_US","VELOCITY"\r\n0,1500\r\n400000,2000\r\n700000,2500\r\n',
        "velocity,cdp,time\n1500,7,0\n2000,7,0.4\n2500,7,0.7\n",
    ],
)
def test_names_of_columns(sill, tmp_path, table):
    want = flow_by(sill, tmp_path, POINTS, "nmo velocity=@TABLE")
    assert want.any()
    np.testing.assert_array_equal(flow_by(sill, tmp_path, table, "nmo velocity=@TABLE"), want)


def test_the_table_says_what_its_locations_are(sill, tmp_path):
    """By any name that the word has; with location= or without."""
    rows = "{0},0,1500\n{0},0.7,2000\n{1},0,1800\n{1},0.7,3000\n"
    want = flow_by(sill, tmp_path, rows.format(5, 15), "nmo velocity=@TABLE")
    for heading in ("cdp", "CDP", "ensemble_num", "location"):
        table = f"{heading},time,velocity\n" + rows.format(5, 15)
        np.testing.assert_array_equal(flow_by(sill, tmp_path, table, "nmo velocity=@TABLE"), want)
    for heading in ("xline", "CROSSLINE_3D"):
        table = f"{heading},time,velocity\n" + rows.format(10, 30)
        np.testing.assert_array_equal(flow_by(sill, tmp_path, table, "nmo velocity=@TABLE"), want)
        np.testing.assert_array_equal(flow_by(sill, tmp_path, table, "nmo velocity=@TABLE location=xline"), want)
        err = refusal(sill, tmp_path, table, "nmo velocity=@TABLE location=cdp")
        assert heading in err and "cdp (which may be missing), time, velocity" in err


@pytest.mark.parametrize(
    ("table", "reasons"),
    [
        ("time,speed of sound\n" + POINTS, ["'speed of sound' is unknown", "cdp", "time, velocity", "line:   1"]),
        ("cdp,velocity\n5,1500\n", ["the column time is missing", "'cdp,velocity'"]),
        ("time,t0,velocity\n0,0,1500\n", ["two columns have the name time"]),
        ("time_min,velocity\n0,1500\n", ["'time_min' is unknown"]),
        ("time [min],velocity\n0,1500\n", ["'time [min]' is unknown"]),
        ("time,velocity\n0,1500,3\n", ["not two numbers", "line:   2"]),
        ("0,1500\n500,2000\n1500,2500\n", ["time 500 s", "last sample, at 0.8 s", "time_ms", "line:   2"]),
        ("time,velocity\n0,1500\n1500,2500\n", ["time 1500 s", "time_ms"]),
        ("1500,0\n2000,0.4\n", ["1500 s", "line:   1"]),
        ("0,1.5\n0.4,2\n", ["velocity 1.5 m/s", "velocity_km/s"]),
        ("5,1500,0.1\n", ["1500 s"]),
        ("0,15000\n", ["not between 100 and 10000 m/s"]),
    ],
)
def test_refused_velocities(sill, tmp_path, table, reasons):
    err = refusal(sill, tmp_path, table, "nmo velocity=@TABLE")
    assert all(reason in err for reason in reasons), err


def test_stated_units_are_taken_as_they_are(sill, tmp_path):
    flow_by(sill, tmp_path, "time_s,velocity_m/s\n0,50\n30,20000\n", "nmo velocity=@TABLE")


def test_surveys_in_feet(sill, tmp_path):
    """Offsets in feet; a table says in what its velocities are."""
    feet = made().put_binary(3255, "i2", 2)
    assert "in feet" in refusal(sill, tmp_path, "time,velocity\n0,6000\n", "nmo velocity=@TABLE", feet)
    want = flow_by(sill, tmp_path, "time,velocity\n0,5000\n", "nmo velocity=@TABLE")
    for steps in ("nmo velocity=@TABLE", "nmo velocity=5000ft/s"):
        out = flow_by(sill, tmp_path, "time,velocity_ft/s\n0,5000\n", steps, feet)
        np.testing.assert_allclose(out, want, atol=1e-5)


def test_mutes(sill, tmp_path):
    want = flow_by(sill, tmp_path, "0,0.1\n2000,0.6\n", "mute top table=@TABLE")
    for table in ("time_ms,offset\n100,0\n600,2000\n", "offset [km],t\n0,0.1\n2,0.6\n"):
        np.testing.assert_array_equal(flow_by(sill, tmp_path, table, "mute top table=@TABLE"), want)
    for table, reason in [("time,velocity\n0,1\n", "'velocity' is unknown"), ("0,100\n2000,600\n", "time_ms")]:
        assert reason in refusal(sill, tmp_path, table, "mute top table=@TABLE")
    # A survey in feet: its offsets, those of the table without a unit, and velocities in metres.
    feet = made().put_binary(3255, "i2", 2)
    np.testing.assert_array_equal(flow_by(sill, tmp_path, "0,0.1\n2000,0.6\n", "mute top table=@TABLE", feet), want)
    by_velocity = flow_by(sill, tmp_path, "", "mute top velocity=1219.2m/s at=100ms", feet)
    np.testing.assert_array_equal(by_velocity, flow_by(sill, tmp_path, "", "mute top velocity=4000m/s at=100ms"))


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_flow_that_leaves_zeros_alone_says_so(sill, tmp_path, ranks):
    path = made().write(tmp_path / "in.sgy")
    said = "all samples of the output are 0"
    run = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "mute top at=5s", ranks=ranks)
    assert said in run.out + run.err
    run = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "mute top at=300ms", ranks=ranks)
    assert said not in run.out + run.err
    zeros = file_of(np.zeros((4, 100), np.float32)).write(tmp_path / "zeros.sgy")
    run = sill.run("flow", zeros, "-o", tmp_path / "o.sgy", "--do", "mute top at=5s", ranks=ranks)
    assert said not in run.out + run.err
