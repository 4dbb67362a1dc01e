"""The kinematics of `sill make-survey` are those of docs/synthetic-survey.md, computed here by other means."""

import functools

import numpy as np
import pytest
import segy_files
from scipy import optimize

WATER_M, WATER_M_S, TOP_M_S, GRADIENT = 300.0, 1500.0, 1600.0, 0.6
UPPER = [(430, 5, 0), (550, 14, 0), (690, 20, 0), (880, 22, 0)]  # depth, fold, throw
LOWER = [
    (900, 130, 35), (1040, 140, 40), (1210, 150, 50), (1310, 155, 55),
    (1430, 160, 60), (1660, 175, 70), (1760, 180, 75), (1960, 190, 80),
]  # fmt: skip
DIFFRACTORS = [(2750, 0, 1530), (3900, 700, 1300)]


def form(x, y):
    tau = 2 * np.pi
    return np.sin(tau * x / 7300 + 0.75) + 0.2 * np.sin(tau * x / 2500) + 0.4 * np.sin(tau * y / 5200)


def faults(depth):
    """Where faults cut a reflector, with the throw behind each as a share of its own."""
    shift = (depth - 880) / np.sqrt(3)
    return [(x + 6000 * pair, share) for pair in (-1, 0, 1) for x, share in ((1700 + shift, 1), (4900 - shift, 0))]


@functools.lru_cache(maxsize=1_000_000)
def leg(distance, depth):
    """One-way time: the ray parameter whose ray reaches the point, by bisection. Where it would turn, none: many seconds."""
    bottom = TOP_M_S + GRADIENT * (depth - WATER_M)

    def root(p, v):
        return np.sqrt(max(0.0, 1 - (p * v) ** 2))

    def reach(p):
        below = 0.0 if p == 0 else (root(p, TOP_M_S) - root(p, bottom)) / (GRADIENT * p)
        return WATER_M * p * WATER_M_S / root(p, WATER_M_S) + below

    if distance > reach(1 / bottom):
        return 100.0 + distance
    p = optimize.brentq(lambda p: reach(p) - distance, 0, 1 / bottom, xtol=1e-18, rtol=1e-14) if distance > 0 else 0.0
    water = WATER_M / (WATER_M_S * root(p, WATER_M_S))
    below = np.log(bottom / TOP_M_S * (1 + root(p, TOP_M_S)) / (1 + root(p, bottom))) / GRADIENT
    return water + below


def by_point(source, receiver, point):
    return sum(leg(float(np.hypot(point[0] - e[0], point[1] - e[1])), float(point[2])) for e in (source, receiver))


def reflection(source, receiver, depth, fold, throw):
    """Time and point of the path of least time by a surface."""
    middle = (source + receiver) / 2

    def time(xy):
        return by_point(source, receiver, (xy[0], xy[1], depth + throw + fold * form(*xy)))

    found = optimize.minimize(time, middle, method="Nelder-Mead", options={"xatol": 0.1, "fatol": 1e-9, "initial_simplex":
                              [middle, middle + [60, 0], middle + [0, 60]]})  # fmt: skip
    return found.fun, found.x


def edge(source, receiver, depth, fold, throw, x):
    def time(y):
        return by_point(source, receiver, (x, y, depth + throw + fold * form(x, y)))

    middle = (source[1] + receiver[1]) / 2
    return optimize.minimize_scalar(time, bounds=(middle - 600, middle + 600), method="bounded").fun


def predicted(source, receiver):
    """All times at which the model may have an arrival, by kind; those of kind none are not looked for."""
    offset = float(np.hypot(*(receiver - source)))
    times = [("direct", offset / WATER_M_S)]
    times += [("floor", np.hypot(2 * n * WATER_M, offset) / WATER_M_S) for n in (1, 2, 3)]
    times += [("upper", reflection(source, receiver, *surface)[0]) for surface in UPPER]
    middle = (source + receiver) / 2
    for depth, fold, throw in LOWER:
        cuts = faults(depth)
        for (begin, share), (end, _) in zip(cuts, cuts[1:]):
            if begin - middle[0] > 700 or middle[0] - end > 700:
                continue
            time, point = reflection(source, receiver, depth, fold, share * throw)
            below = depth + share * throw + fold * form(*point) - (880 + 22 * form(*point))
            is_there = begin + 5 < point[0] < end - 5 and below > 20
            times.append(("lower" if is_there else "none", time))
            for cut in (begin, end):
                if abs(cut - middle[0]) < 700:
                    times.append(("none", edge(source, receiver, depth, fold, share * throw, cut)))
    for x, y, depth in DIFFRACTORS:
        place = (x + 6000 * round((middle[0] - x) / 6000), y + 3000 * round((middle[1] - y) / 3000), depth)
        times.append(("diffraction", by_point(source, receiver, place)))
    return times


def measured(samples, expected_s, interval_s, half_s=0.016):
    """The time of a Ricker wavelet of 25 Hz near `expected_s`, by least squares."""
    time = np.arange(len(samples)) * interval_s
    near = np.abs(time - expected_s) <= half_s

    def misfit(shift_s):
        a = (np.pi * 25 * (time[near] - expected_s - shift_s)) ** 2
        wavelet = (1 - 2 * a) * np.exp(-a)
        amplitude = wavelet @ samples[near] / (wavelet @ wavelet)
        return np.sum((samples[near] - amplitude * wavelet) ** 2)

    return expected_s + optimize.minimize_scalar(misfit, bounds=(-0.004, 0.004), method="bounded").x


def places(file):
    """Sources and receivers in the coordinates of the model, from those of the headers."""
    azimuth = np.radians(52)

    def local(x, y):
        east, north = file.word(x) / 100 - 431_250, file.word(y) / 100 - 6_512_400
        return np.stack([east * np.sin(azimuth) + north * np.cos(azimuth),
                         east * np.cos(azimuth) - north * np.sin(azimuth)], axis=1)  # fmt: skip

    return local("sx", "sy"), local("gx", "gy")


@pytest.mark.parametrize("kind, traces, channels", [("line", 24_000, 150), ("streamer", 9600, 60)])
def test_events_lie_at_the_times_of_the_model(sill, tmp_path, kind, traces, channels):
    path = tmp_path / "s.sgy"
    sill.run("make-survey", path, "--kind", kind, "--traces", traces, "--samples", 1700, "--channels", channels,
             "--sample-format", "ieee", "--noise", 0)  # fmt: skip
    file = segy_files.read(path)
    sources, receivers = places(file)
    samples = file.samples()
    tested = {}
    for trace in range(0, traces, traces // 19 + 8):  # of all offsets
        times = predicted(sources[trace], receivers[trace])
        for i, (what, time) in enumerate(times):
            others = [t for j, (_, t) in enumerate(times) if j != i]
            if what == "none" or time > 3.3 or np.min(np.abs(np.array(others) - time)) < 0.06:
                continue
            found = measured(samples[trace].astype(float), time, 0.002)
            assert abs(found - time) <= 0.1 * 0.002, (trace, what, time)
            tested[what] = tested.get(what, 0) + 1
    assert min(tested[what] for what in ("direct", "floor", "upper", "lower", "diffraction")) >= 5, tested


def test_a_streamer_has_cables_and_sources_that_fire_in_turn(sill, tmp_path):
    path = tmp_path / "s.sgy"
    sill.run("make-survey", path, "--kind", "streamer", "--traces", 40 * 4 * 30, "--samples", 5, "--channels", 30)
    file = segy_files.read(path)
    sources, receivers = (np.round(p, 1).reshape(40, 4, 30, 2) for p in places(file))
    assert (sources == sources[:, :1, :1]).all()  # one per shot
    line = np.flatnonzero(np.diff(sources[:, 0, 0, 0], prepend=np.inf) < 0)  # where a sail line begins
    assert len(line) > 1
    for shots in np.split(np.arange(40), line[1:]):
        sides = np.unique(np.round(sources[shots, 0, 0, 1], 0))
        assert len(sides) == 2 and sides[1] - sides[0] == 50
        port = sources[shots, 0, 0, 1] < sides.mean()
        assert (port[1:] != port[:-1]).all()
        np.testing.assert_allclose(np.diff(sources[shots, 0, 0, 0]), 25, atol=0.2)
        cables = receivers[shots].mean(axis=2)[..., 1]
        np.testing.assert_allclose(np.diff(cables, axis=1), 100, atol=0.2)
        np.testing.assert_allclose(cables.mean(axis=1), sides.mean(), atol=0.2)
        np.testing.assert_allclose(np.diff(receivers[shots][..., 0], axis=2), -12.5, atol=0.2)


@pytest.mark.nightly  # ten seconds of ray tracing; lines and streamers have the same model above
def test_a_cube_has_reflections_at_their_vertical_times(sill, tmp_path):
    path = tmp_path / "s.sgy"
    sill.run("make-survey", path, "--kind", "cube", "--traces", 10_000, "--samples", 1200, "--sample-format", "ieee",
             "--noise", 0)  # fmt: skip
    file = segy_files.read(path)
    sources, receivers = places(file)
    assert np.array_equal(sources, receivers)
    assert sorted(set(file.word("iline"))) == list(range(1001, 1101))
    tested = 0
    for trace in range(0, 10_000, 331):
        x, y = sources[trace]
        times = []
        for depth, fold, throw in [*UPPER, *LOWER]:
            share = [share for begin, share in faults(depth) if begin <= x][-1]
            z = depth + share * throw + fold * form(x, y)
            times.append((2 * leg(0.0, z), throw > 0 and z < 880 + 22 * form(x, y) + 20))
        for i, (time, is_cut) in enumerate(times):
            others = [t for j, (t, _) in enumerate(times) if j != i]
            if is_cut or np.min(np.abs(np.array(others) - time)) < 0.06:
                continue
            assert abs(measured(file.samples()[trace].astype(float), time, 0.002) - time) <= 0.1 * 0.002
            tested += 1
    assert tested > 100


def test_velocities_are_the_rms_of_the_model(sill, tmp_path):
    table = tmp_path / "v.csv"
    sill.run("make-survey", tmp_path / "s.sgy", "--traces", 10, "--samples", 1000, "--velocities", table)
    lines = table.read_text().splitlines()
    assert lines[0] == "time_s,velocity_m/s"
    times, velocities = np.loadtxt(lines[1:], delimiter=",", unpack=True)
    assert times[0] == 0 and times[-1] >= 1.998
    steps = np.linspace(0, times[-1], 200_001)[1:] - times[-1] / 400_000
    below = np.maximum(steps - 2 * WATER_M / WATER_M_S, 0)
    interval = np.where(below == 0, WATER_M_S, TOP_M_S * np.exp(GRADIENT * below / 2))
    rms = np.sqrt(np.cumsum(interval**2) / np.arange(1, len(steps) + 1))
    assert np.allclose(np.interp(times[1:], steps, rms), velocities[1:], rtol=2e-5)
    assert "no velocity model" in sill.run("make-survey", tmp_path / "p.sgy", "--traces", 10, "--samples", 10, "--kind",
                                           "plain", "--velocities", tmp_path / "w.csv", expect=2).err  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.sgy", "v.csv"]


def test_true_velocities_focus_the_stack(sill, tmp_path):
    """Stacked with the table, reflections of the sea floor and of the deepest layer are several times as strong."""
    shots, table = tmp_path / "s.sgy", tmp_path / "v.csv"
    sill.run("make-survey", shots, "--traces", 9600, "--samples", 600, "--interval", 4000, "--velocities", table)
    cmps = tmp_path / "cmp.sgy"
    sill.run("sort", shots, "-o", cmps, "--by", "cdp,offset")
    power = {}
    for name, velocity in {"true": f"@{table}", "wrong": "2km/s"}.items():
        stack = tmp_path / f"{name}.sgy"
        sill.run("flow", cmps, "-o", stack, "--do", f"agc 400ms; nmo velocity={velocity} stretch=50%; stack by=cdp")
        middle = segy_files.read(stack).samples()[150:300]
        power[name] = np.sqrt(np.mean(middle[:, 300:].astype(float) ** 2)), np.abs(middle[:, 90:110]).max(axis=1).mean()
    assert power["true"][0] > 1.2 * power["wrong"][0]
    assert power["true"][1] > 1.5 * power["wrong"][1]


def test_a_wavelet_of_the_user(sill, tmp_path):
    """The direct wave of the first trace has the form of the table, at the time of the table's zero."""
    table = tmp_path / "w.csv"
    time = np.arange(-10, 31) * 0.002
    amplitude = np.exp(-((time - 0.01) / 0.008) ** 2) - 0.5 * np.exp(-((time - 0.03) / 0.01) ** 2)
    table.write_text("time_s,amplitude\n" + "".join(f"{t:.3f},{a:.8f}\n" for t, a in zip(time, amplitude)))
    path = tmp_path / "s.sgy"
    options = ["--traces", 10, "--samples", 150, "--sample-format", "ieee", "--noise", 0, "--wavelet", table]
    sill.run("make-survey", path, *options)
    trace = segy_files.read(path).samples()[0].astype(float)
    # 150 m in water: 100 ms, sample 50.
    assert np.allclose(trace[40:81] / trace[55], amplitude / amplitude[15], atol=2e-3)
    table.write_text("time_s,amplitude\n0,1\n0.003,1\n")
    assert "is not the time of sample 1" in sill.run("make-survey", path, *options, expect=2).err


@pytest.mark.parametrize("kind", ["line", "streamer", "cube"])
def test_ranks_threads_and_policies_write_the_same_bytes(sill, tmp_path, kind):
    made = ["--kind", kind, "--traces", 2001, "--samples", 300]
    sill.run("make-survey", tmp_path / "a", *made, "--threads", 1)
    for i, (ranks, options) in enumerate({None: ("--threads", 3), 2: ("--policy", "aggregated"), 3: ()}.items()):
        sill.run("make-survey", tmp_path / f"b{i}", *made, *options, ranks=ranks)
        assert (tmp_path / "a").read_bytes() == (tmp_path / f"b{i}").read_bytes()


@pytest.mark.parametrize("kind, geometry", [("line", "2-D shot gathers"), ("streamer", "3-D shot gathers"),
                                            ("cube", "3-D grid, post-stack")])  # fmt: skip
def test_info_finds_the_geometry(sill, tmp_path, kind, geometry):
    sill.run("make-survey", tmp_path / "s.sgy", "--kind", kind, "--traces", 4000, "--samples", 10)
    assert geometry in sill.run("info", tmp_path / "s.sgy", "--geometry").out


def test_arrivals_fit_into_integers(sill, tmp_path):
    sill.run("make-survey", tmp_path / "f", "--traces", 4000, "--samples", 1000, "--sample-format", "ieee")
    assert 200 < np.abs(segy_files.read(tmp_path / "f").samples()).max() < 1000


def test_what_a_header_word_cannot_hold_is_refused(sill, tmp_path):
    made = ["make-survey", tmp_path / "s.sgy", "--kind", "streamer", "--traces", 10, "--samples", 10]
    assert "at most 8191 channels per cable" in sill.run(*made, "--channels", 8192, expect=2).err
    sill.run(*made, "--channels", 8191)
