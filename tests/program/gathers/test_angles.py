"""`angles`, `anglestack` and velocities from surveys beside their definitions, and on gathers whose angles are known."""

import numpy as np
import pytest
import segy_files
from flow_cases import DT_S, file_of, flowed

SAMPLES = 400
T0 = DT_S * np.arange(SAMPLES)
OFFSETS = np.arange(0, 3000, 150)


def rms_of(interval):
    """The first velocity counts down to the first sample, at time 0."""
    squares = np.concatenate([[0], np.cumsum(interval[1:] ** 2 * DT_S)])
    return np.where(T0 > 0, np.sqrt(squares / np.where(T0 > 0, T0, 1)), interval[0])


def interval_of(rms):
    v = rms.copy()
    for s in range(1, SAMPLES):
        squared = (T0[s] * rms[s] ** 2 - T0[s - 1] * rms[s - 1] ** 2) / DT_S
        v[s] = v[s - 1] if squared < 0 else np.sqrt(squared)
    return v


def angles_of(rms, interval, offsets=OFFSETS):
    with np.errstate(invalid="ignore", divide="ignore"):
        x2 = np.asarray(offsets, float)[:, None] ** 2
        sine2 = interval**2 * x2 / (rms**2 * (rms**2 * T0**2 + x2))
        sine2[:, 0] = np.where(x2[:, 0] > 0, 1.0, 0.0) * (interval[0] / rms[0]) ** 2
        return np.degrees(np.arcsin(np.sqrt(sine2)))


def gathers(seed=1, count=3):
    rows = np.random.default_rng(seed).standard_normal((count * len(OFFSETS), SAMPLES)).astype("f4")
    rows[len(OFFSETS) + 4] = 0  # a dead trace
    rows[3, :100] = 0  # muted
    file = file_of(rows, cdp=np.repeat(np.arange(1, count + 1), len(OFFSETS)), offset=np.tile(OFFSETS, count))
    return rows.reshape(count, len(OFFSETS), SAMPLES), file


def velocity_survey(folder, functions, name="v.sgy", cdp=None):
    rows = np.asarray(functions, "f4")
    cdp = np.arange(len(rows), 0, -1) if cdp is None else cdp
    return file_of(rows, order="little", cdp=cdp).write(folder / name)


def live_of(row):
    used = np.flatnonzero(row)
    live = np.zeros(len(row), bool)
    if len(used):
        live[used[0] : used[-1] + 1] = True
    return live


def weighted(gather, angles, weight):
    total = np.zeros(SAMPLES)
    weights = np.zeros(SAMPLES)
    for row, angle in zip(gather, angles, strict=True):
        w = np.where(live_of(row) & np.isfinite(angle), weight(np.nan_to_num(angle, nan=-99)), 0)
        total += w * row.astype("f8")
        weights += w
    return np.where(weights > 0, total / np.where(weights > 0, weights, 1), 0)


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("kind", ["rms", "interval"])
def test_stacks_of_ranges(sill, tmp_path, ranks, kind):
    rows, file = gathers()
    given = 1500 + 800 * T0 + np.array([[0], [100], [200]])
    path = velocity_survey(tmp_path, given[::-1])
    steps = f"anglestack ranges=5-15,15deg-30deg taper=3 velocity=@{path} kind={kind} by=cdp"
    out = flowed(sill, tmp_path, file, steps, ranks=ranks)
    assert list(out.word("offset")) == [10, 22, 10, 22, 10, 22]
    assert list(out.word("cdp")) == [1, 1, 2, 2, 3, 3]
    for g in range(3):
        v = given[g].astype("f4").astype("f8")
        rms, interval = (v, interval_of(v)) if kind == "rms" else (rms_of(v), v)
        angles = angles_of(rms, interval)
        for r, (a, b) in enumerate([(5, 15), (15, 30)]):

            def weight(angle, a=a, b=b):
                outside = np.where(angle < a, a - angle, angle - b)
                return np.where((angle >= a) & (angle < b), 1, np.clip(1 - outside / 3, 0, 1))

            expected = weighted(rows[g], angles, weight)
            assert np.abs(out.samples()[2 * g + r] - expected).max() < 2e-5


@pytest.mark.parametrize("ranks", [None, 2])
def test_gathers_of_angles(sill, tmp_path, ranks):
    rows, file = gathers()
    out = flowed(sill, tmp_path, file, "angles angles=0:40:4 velocity=2000m/s kind=rms by=cdp", ranks=ranks).samples()
    v = np.full(SAMPLES, 2000.0)
    angles = angles_of(v, v)
    for g in range(3):
        for j, angle in enumerate(range(0, 41, 4)):
            expected = weighted(rows[g], angles, lambda a, angle=angle: np.clip(1 - np.abs(a - angle) / 4, 0, 1))
            assert np.abs(out[11 * g + j] - expected).max() < 2e-5


def test_an_event_lies_at_its_angle(sill, tmp_path):
    """Amplitudes that are the angle come out as the angle."""
    v = np.full(SAMPLES, 2000.0)
    rows = np.nan_to_num(angles_of(v, v, np.arange(0, 3000, 20))).astype("f4") + 1000
    file = file_of(rows, cdp=7, offset=np.arange(0, 3000, 20))
    out = flowed(sill, tmp_path, file, "angles angles=10:30:5 velocity=2000m/s kind=rms by=cdp").samples() - 1000
    for j, angle in enumerate(range(10, 31, 5)):
        assert np.abs(out[j, 150:] - angle).max() < 1.2


def test_a_panel_of_slownesses(sill, tmp_path):
    """A panel whose value at (tau, p) is the angle there, by the definition."""
    interval = np.where(T0 < 0.3, 1500.0, 2500.0)
    q_ms = np.arange(0, 400, 10)
    panel = np.zeros((len(q_ms), SAMPLES))
    for j, p in enumerate(q_ms / 1000 / 1000):
        cosine2 = 1 - p**2 * interval**2
        end = SAMPLES if (cosine2 > 0).all() else int(np.argmax(cosine2 <= 0))
        steps = DT_S * np.sqrt(cosine2[:end])
        tau = np.concatenate([[0], np.cumsum(steps[1:])])
        theta = np.degrees(np.arcsin(p * interval[:end]))
        panel[j] = np.interp(T0, tau, theta + 1000, right=0)
    file = file_of(panel.astype("f4"), cdp=3, offset=q_ms)
    table = velocity_survey(tmp_path, [interval], cdp=3)
    steps = f"angles angles=5:30:5 of=slowness moveouts=0ms:390ms:10ms reference=1km velocity=@{table} kind=interval by=cdp"
    out = flowed(sill, tmp_path, file, steps).samples() - 1000
    for j, angle in enumerate(range(5, 31, 5)):
        for part in (slice(30, 140), slice(170, 300)):
            assert np.abs(out[j, part] - angle).max() < 0.3, angle


def test_panels_that_are_none(sill, tmp_path):
    _, file = gathers()
    path = file.write(tmp_path / "in.sgy")
    panel = "angles angles=0:30:5 of=slowness moveouts=0ms:400ms:10ms reference=1km velocity=2km/s kind=rms by=cdp"
    error = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", panel, expect=3).err
    assert "has 20 traces, but 41 moveouts" in error
    steps = f"radon parabolic from=0ms to=400ms step=10ms reference=1km by=cdp; {panel}"
    assert "parabolic" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=2).err


def test_legacy_is_what_exseisflow_makes(sill, tmp_path):
    panel = np.random.default_rng(3).standard_normal((150, SAMPLES)).astype("f4")
    velocities = 1500 + 3 * np.arange(200.0)
    rows = np.array([velocities], "f4")
    path = file_of(rows, cdp=9, dt_us=4000).write(tmp_path / "v.sgy")
    file = file_of(panel, cdp=9)
    out = flowed(sill, tmp_path, file, f"angles legacy velocity=@{path} by=cdp")
    assert list(out.word("offset")) == list(range(60))
    for j in range(60):
        for i in range(SAMPLES):
            v = velocities[min(i * 2 // 4, 199)]
            k = int(np.floor(np.round(v / np.cos(np.radians(j))) / 20))
            assert out.samples()[j, i] == (panel[k, i] if k < 150 else 0)


@pytest.mark.parametrize("ranks", [None, 2])
def test_moveout_by_a_survey_of_velocities(sill, tmp_path, ranks):
    """The same as by a table of the same functions."""
    _, file = gathers()
    functions = [1500 + 800 * T0 + 100 * g for g in range(3)]
    path = velocity_survey(tmp_path, functions[::-1])
    lines = [f"{g + 1} {T0[s]} {np.float32(functions[g][s])}" for g in range(3) for s in range(SAMPLES)]
    (tmp_path / "v.txt").write_text("\n".join(lines) + "\n")
    by_survey = flowed(sill, tmp_path, file, f"nmo velocity=@{path} stretch=50%", ranks=ranks).samples()
    by_table = flowed(sill, tmp_path, file, f"nmo velocity=@{tmp_path}/v.txt stretch=50%", ranks=ranks).samples()
    assert np.abs(by_survey - by_table).max() < 1e-6
    missing = velocity_survey(tmp_path, functions[1:], name="short.sgy")
    error = sill.run(
        "flow", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--do", f"nmo velocity=@{missing}", expect=3, ranks=ranks
    ).err
    assert "short.sgy has no trace with cdp 3" in error
    zero = velocity_survey(tmp_path, np.zeros((3, SAMPLES)), name="zero.sgy")
    error = sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--do", f"nmo velocity=@{zero}", expect=3).err
    assert "which is not a velocity" in error and "zero.sgy" in error


def test_the_stack_command(sill, tmp_path):
    _, file = gathers()
    path = file.write(tmp_path / "cmp.sgy")
    velocity = velocity_survey(tmp_path, [1500 + 800 * T0] * 3)
    command = ["stack", path, "--by", "cdp", "--velocity", "rms", "--velocity-file", velocity]
    sill.run(*command, "-o", tmp_path / "a_{angle}.sgy", "--angles", "5-15,15-25")
    steps = f"anglestack ranges=5-15,15-25 velocity=@{velocity} kind=rms by=cdp"
    both = flowed(sill, tmp_path, file, steps).samples()
    assert np.array_equal(segy_files.read(tmp_path / "a_10.sgy").samples(), both[0::2])
    assert np.array_equal(segy_files.read(tmp_path / "a_20.sgy").samples(), both[1::2])
    sill.run(*command, "-o", tmp_path / "n.sgy", "--angles", "5-15", "--nmo", "--taper", "2")
    steps = f"nmo velocity=@{velocity}; anglestack ranges=5-15 taper=2 velocity=@{velocity} kind=rms by=cdp"
    expected = flowed(sill, tmp_path, file, steps).samples()
    assert np.array_equal(segy_files.read(tmp_path / "n.sgy").samples(), expected)
    for wrong in (["--angles", "5-15", "--method", "median"], ["--nmo"], []):
        sill.run(*command, "-o", tmp_path / "w.sgy", *wrong, expect=2)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ("anglestack ranges=5-15 velocity=2km/s by=cdp", "kind"),
        ("anglestack ranges=5-5 velocity=2km/s kind=rms by=cdp", "empty"),
        ("anglestack ranges=80-95 velocity=2km/s kind=rms by=cdp", "0 to 90"),
        ("anglestack ranges=5-15,5-16 velocity=2km/s kind=rms by=cdp", "would both be 10"),
        ("angles angles=0:30 velocity=2km/s kind=rms by=cdp", "FIRST:LAST:STEP"),
        ("angles angles=0:30:1 moveouts=0ms:4ms:2ms velocity=2km/s kind=rms by=cdp", "of=slowness"),
        ("angles legacy kind=rms velocity=2km/s by=cdp", "legacy"),
    ],
)
def test_wrong_arguments(sill, tmp_path, steps, text):
    path = gathers()[1].write(tmp_path / "in.sgy")
    assert text in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=2).err
