"""`sill match4d` against a search through all pairs."""

import csv
import re

import numpy as np
import pytest
import segy_files
from viewing import layout_of

NORTH = 6_431_204  # a northing of UTM: coordinates are large beside their differences


def survey(path, positions, samples=None, **words):
    """Traces at rows of sx, sy, gx, gy, in decimetres."""
    positions = np.asarray(positions)
    count = len(positions)
    samples = np.arange(count * 8, dtype=np.float32).reshape(count, 8) if samples is None else samples
    file = segy_files.make(count, samples.shape[1], code=5, interval_us=2000)
    for name, column in zip(("sx", "sy", "gx", "gy"), positions.T):
        file.put_word(name, column)
    for name, values in {"scalco": -10, "trid": 1, "tracl": np.arange(count) + 1, "delrt": 0, **words}.items():
        file.put_word(name, values)
    return file.put_samples(samples).write(path)


def apart(base, monitor):
    """DSDR of all base traces with all monitor traces."""
    base, monitor = np.asarray(base) / 10, np.asarray(monitor) / 10
    legs = []
    for columns in ((0, 1), (2, 3)):
        x, y = (base[:, None, c] - monitor[None, :, c] for c in columns)
        legs.append(np.sqrt(x * x + y * y))
    return legs[0] + legs[1]


def pairs_of(distances, limit=np.inf, match="one"):
    """By definition: always the first by (distance, base, monitor) of what is left; or each base's nearest."""
    base, monitor = np.nonzero(distances <= limit)
    order = np.lexsort((monitor, base, distances[base, monitor]))
    taken, pairs = (set(), set()), []
    for b, m in zip(base[order], monitor[order]):
        if b in taken[0] or (match == "one" and m in taken[1]):
            continue
        taken[0].add(b)
        taken[1].add(m)
        pairs.append((b, m))
    return sorted(pairs)


def table(path):
    with path.open() as file:
        return [{name: float(value) if value else np.nan for name, value in row.items()} for row in csv.DictReader(file)]


def matched(sill, tmp_path, *options, ranks=None, base="b.sgy", monitor="m.sgy"):
    out = [tmp_path / "B.sgy", tmp_path / "M.sgy"]
    sill.run("match4d", tmp_path / base, tmp_path / monitor, "-o", *out, "--pairs", tmp_path / "p.csv", *options, ranks=ranks)
    return out, table(tmp_path / "p.csv")


def scattered(count, seed, spread=3000):
    rng = np.random.default_rng(seed)
    positions = rng.integers(-spread, spread, (count, 4))
    positions[:, 1::2] += NORTH * 10
    positions[:, 0::2] += 4_512_300
    return positions


def repeated(base, seed, count, jitter=40):
    """Some of the positions again, nearly, and not in their order."""
    rng = np.random.default_rng(seed)
    return base[rng.permutation(len(base))[:count]] + rng.integers(-jitter, jitter + 1, (count, 4))


def require(sill, tmp_path, base, monitor, expected, distances, *options, ranks=None):
    (of_base, of_monitor), rows = matched(sill, tmp_path, *options, ranks=ranks)
    assert [(int(r["base"]) - 1, int(r["monitor"]) - 1) for r in rows] == expected
    for row, (b, m) in zip(rows, expected):
        assert row["dsdr"] == pytest.approx(distances[b, m], rel=1e-9, abs=1e-9)
    for out, path, side in ((of_base, "b.sgy", 0), (of_monitor, "m.sgy", 1)):
        whole, part = segy_files.read(tmp_path / path), segy_files.read(out)
        assert np.array_equal(part.rows, whole.rows[[pair[side] for pair in expected]])


@pytest.mark.parametrize("match", ["one", "best"])
@pytest.mark.parametrize("reciprocal", [False, True])
@pytest.mark.parametrize("limit", [None, 30])
def test_pairs_are_those_of_a_search_through_all(sill, tmp_path, match, reciprocal, limit):
    base = scattered(700, 1, spread=1200)
    monitor = np.concatenate([repeated(base, 2, 500), scattered(170, 3, spread=1200)])
    if reciprocal:
        monitor[::3] = monitor[::3][:, [2, 3, 0, 1]]
    survey(tmp_path / "b.sgy", base)
    survey(tmp_path / "m.sgy", monitor)
    distances = apart(base, monitor)
    if reciprocal:
        distances = np.minimum(distances, apart(base, monitor[:, [2, 3, 0, 1]]))
    expected = pairs_of(distances, np.inf if limit is None else limit, match)
    options = ["--match", match, *(["--reciprocal"] if reciprocal else []), *(["--max-dsdr", f"{limit}m"] if limit else [])]
    require(sill, tmp_path, base, monitor, expected, distances, *options)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_ranks_do_not_change_the_pairs(sill, tmp_path, ranks):
    base = scattered(300, 1)
    monitor = repeated(base, 2, 250)
    survey(tmp_path / "b.sgy", base)
    survey(tmp_path / "m.sgy", monitor)
    distances = apart(base, monitor)
    require(sill, tmp_path, base, monitor, pairs_of(distances), distances, ranks=ranks)


def test_ties_go_to_the_lowest_numbers(sill, tmp_path):
    """Positions of a coarse lattice, many of them equal; then all equal."""
    rng = np.random.default_rng(4)
    for lattice in (3, 1):
        base, monitor = rng.integers(0, lattice, (400, 4)) + 1, rng.integers(0, lattice, (350, 4)) + 1
        survey(tmp_path / "b.sgy", base)
        survey(tmp_path / "m.sgy", monitor)
        distances = apart(base, monitor)
        for match in ("one", "best"):
            require(sill, tmp_path, base, monitor, pairs_of(distances, match=match), distances, "--match", match)


def test_pairs_of_the_same_keys_alone(sill, tmp_path):
    rng = np.random.default_rng(5)
    base = scattered(500, 1)
    monitor = repeated(base, 2, 400)
    lines = [rng.integers(1, 4, (count, 2)) for count in (500, 400)]
    for path, positions, line in (("b.sgy", base, lines[0]), ("m.sgy", monitor, lines[1])):
        survey(tmp_path / path, positions, iline=line[:, 0], xline=line[:, 1])
    distances = apart(base, monitor)
    alike = (lines[0][:, None, :] == lines[1][None, :, :]).all(axis=2)
    expected = pairs_of(np.where(alike, distances, np.inf), limit=1e12)
    require(sill, tmp_path, base, monitor, expected, distances, "--same", "iline,xline")


@pytest.mark.parametrize("reciprocal", [False, True])
def test_pairs_by_azimuth(sill, tmp_path, reciprocal):
    base, monitor = scattered(400, 1), scattered(400, 2)
    survey(tmp_path / "b.sgy", base)
    survey(tmp_path / "m.sgy", monitor)
    azimuths = [np.degrees(np.arctan2(p[:, 2] - p[:, 0], p[:, 3] - p[:, 1])) % 360 for p in (base / 10, monitor / 10)]
    turned = np.abs(azimuths[0][:, None] - azimuths[1][None, :])
    turned = np.minimum(turned, 360 - turned)
    if reciprocal:
        turned = np.minimum(turned, 180 - turned)
    options = ["--by", "azimuth", "--max-azimuth", "5deg", "--match", "best", *(["--reciprocal"] if reciprocal else [])]
    _, rows = matched(sill, tmp_path, *options)
    found = {int(row["base"]) - 1: row["azimuth_difference_deg"] for row in rows}
    nearest = turned.min(axis=1)
    assert set(found) == set(np.nonzero(nearest <= 5)[0])
    for trace, difference in found.items():
        assert difference == pytest.approx(nearest[trace], abs=1e-9)


def shifted(rows, ms, dt_ms=2.0):
    """By the phase of each frequency; what leaves at one end comes in at the other."""
    spectrum = np.fft.rfft(rows, axis=1)
    frequency = np.fft.rfftfreq(rows.shape[1])
    return np.fft.irfft(spectrum * np.exp(-2j * np.pi * frequency * ms / dt_ms), rows.shape[1], axis=1).astype(np.float32)


def smooth_noise(traces, samples, seed):
    rows = np.random.default_rng(seed).standard_normal((traces, samples))
    return np.array([np.convolve(row, np.hanning(16), "same") for row in rows]).astype(np.float32)


def test_how_alike_pairs_are(sill, tmp_path):
    """NRMS and predictability by their definitions, a shift that is known; the monitor begins later."""
    base = smooth_noise(40, 501, 6)
    positions = scattered(40, 7)
    monitor = 0.8 * shifted(base, 3.0) + 0.1 * smooth_noise(40, 501, 8)
    monitor[3] = base[3] = 0.0
    monitor[4] = 0.0
    base[5, 250] = np.nan
    survey(tmp_path / "b.sgy", positions, base, delrt=100)
    survey(tmp_path / "m.sgy", positions[::-1], monitor[::-1, 20:], delrt=140)
    for ranks in (1, 3):
        _, rows = matched(sill, tmp_path, "--nrms", "300ms:900ms", "--max-lag", "12ms", ranks=ranks)
        assert len(rows) == 40
        for i, row in enumerate(rows):
            b, m = (x[i, 100:401].astype(np.float64) for x in (base, monitor))
            assert (row["base"], row["monitor"], row["dsdr"]) == (i + 1, 40 - i, 0)
            if i == 5:
                assert np.isnan([row["nrms_percent"], row["predictability_percent"], row["shift_ms"]]).all()
                continue
            rms = [np.sqrt(np.mean(x * x)) for x in (m - b, m, b)]
            assert row["nrms_percent"] == pytest.approx(200 * rms[0] / (rms[1] + rms[2]) if i != 3 else 0, rel=1e-6)
            if i in (3, 4):
                assert np.isnan(row["predictability_percent"]) and np.isnan(row["shift_ms"])
                continue
            mb, mm, bb = (np.correlate(x, y, "full")[300 - 6 : 300 + 7] for x, y in ((m, b), (m, m), (b, b)))
            assert row["predictability_percent"] == pytest.approx(100 * np.sum(mb**2) / np.sum(mm * bb), rel=1e-6)
            assert row["shift_ms"] == pytest.approx(3.0, abs=0.3)


def test_shifts_at_the_limit_of_lags(sill, tmp_path):
    """A maximum up to the limit is interpolated; a shift beyond it is marked."""
    ms = np.array([0, 19.4, -19.4, 19.9, 20.6, -24, 30, np.nan])
    base = smooth_noise(len(ms), 501, 6)
    monitor = np.array([shifted(row[None], by)[0] for row, by in zip(base, np.nan_to_num(ms))])
    monitor[-1] = 0
    positions = scattered(len(ms), 7)
    survey(tmp_path / "b.sgy", positions, base)
    survey(tmp_path / "m.sgy", positions, monitor)
    page = tmp_path / "p.html"
    _, rows = matched(sill, tmp_path, "--nrms", "200ms:800ms", "--html", page)
    found = [row["shift_ms"] for row in rows]
    np.testing.assert_allclose(found[:4], ms[:4], atol=0.1)
    at_limit = [row["shift_at_limit"] for row in rows]
    assert at_limit[:5] == [0, 0, 0, 0, 1] and found[4] == 20 and np.isnan([at_limit[-1], found[-1]]).all()
    assert all(abs(shift) == 20 for shift, is_at in zip(found, at_limit) if is_at == 1)
    count = at_limit.count(1)
    assert f"<td>{count}</td>" in re.search("at the limit of --max-lag.*", page.read_text())[0]
    for path in (tmp_path / "B.sgy", tmp_path / "M.sgy"):
        path.unlink()
    told = sill.run("match4d", tmp_path / "b.sgy", tmp_path / "m.sgy", "-o", tmp_path / "B.sgy", tmp_path / "M.sgy",
                    "--nrms", "200ms:800ms").out  # fmt: skip
    assert f"; {count} at the limit of --max-lag" in told


def test_the_distance_goes_into_a_word_if_it_is_asked_for(sill, tmp_path):
    base = scattered(60, 1)
    monitor = repeated(base, 2, 60)
    survey(tmp_path / "b.sgy", base)
    survey(tmp_path / "m.sgy", monitor)
    plain, _ = matched(sill, tmp_path)
    kept = [segy_files.read(out) for out in plain]
    (of_base, of_monitor), rows = matched(sill, tmp_path, "--dsdr-word", "cdpt", ranks=2)
    for out, before in zip((of_base, of_monitor), kept):
        file = segy_files.read(out)
        assert np.array_equal(file.word("cdpt"), np.rint([row["dsdr"] for row in rows]))
        assert file.put_word("cdpt", before.word("cdpt")).to_bytes() == before.to_bytes()


def test_auxiliary_traces_take_no_part(sill, tmp_path):
    base = scattered(50, 1)
    survey(tmp_path / "b.sgy", base, trid=np.where(np.arange(50) % 5 == 0, 4, 1))
    survey(tmp_path / "m.sgy", base)
    _, rows = matched(sill, tmp_path)
    assert [int(row["base"]) - 1 for row in rows] == [i for i in range(50) if i % 5 != 0]


def test_the_page_shows_the_numbers(sill, tmp_path):
    base = scattered(200, 1)
    survey(tmp_path / "b.sgy", base, smooth_noise(200, 101, 1))
    survey(tmp_path / "m.sgy", base + 3, smooth_noise(200, 101, 1))
    matched(sill, tmp_path, "--nrms", "0s:200ms", "--html", tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text()
    for name in ("DSDR", "NRMS", "predictability", "time shift"):
        assert f"histogram of {name}" in page and f"map of {name}" in page
    cells = re.search(r'aria-label="map of NRMS">(.*?)</svg>', page, re.S)[1]
    assert sum(int(count) for count in re.findall(r", (\d+) pairs</title>", cells)) == 200


@pytest.mark.nightly
def test_the_page_in_a_browser(sill, tmp_path):
    base = scattered(200, 1)
    survey(tmp_path / "b.sgy", base, smooth_noise(200, 101, 1))
    survey(tmp_path / "m.sgy", base + 3, smooth_noise(200, 101, 1))
    matched(sill, tmp_path, "--nrms", "0s:200ms", "--html", tmp_path / "p.html")
    drawings = layout_of(tmp_path / "p.html")["drawings"]
    assert len(drawings) == 8  # a histogram and a map of each measure
    assert all(len(d["parts"]) > 3 and d["box"][2] - d["box"][0] > 200 for d in drawings)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--max-dsdr", "1m"], "no trace of"),
        (["--max-dsdr", "1"], "unit"),
        (["--max-azimuth", "1deg"], "--max-azimuth does not limit"),
        (["--by", "azimuth", "--max-dsdr", "1m"], "--max-dsdr does not limit"),
        (["--same", "nothing"], "nothing"),
        (["--dsdr-word", "nothing"], "nothing"),
        (["--nrms", "9s:10s"], None),
        (["--nrms", "0s:1s", "--max-lag", "2s"], "--max-lag from"), (["--max-lag", "9ms"], "--max-lag requires --nrms"),
    ],
)
def test_what_cannot_be_done_is_said(sill, tmp_path, options, words):
    base = scattered(20, 1)
    survey(tmp_path / "b.sgy", base)
    survey(tmp_path / "m.sgy", base + 1000)
    out = [tmp_path / "B.sgy", tmp_path / "M.sgy"]
    ran = sill.run("match4d", tmp_path / "b.sgy", tmp_path / "m.sgy", "-o", *out, *options, expect=2 if words else 0)
    assert words is None or words in ran.err
    assert words is not None or "none of the pairs has samples to compare" in ran.out
    assert all(path.exists() == (words is None) for path in out)


def test_surveys_that_cannot_be_compared(sill, tmp_path):
    base = scattered(20, 1)
    survey(tmp_path / "b.sgy", base)
    out = [tmp_path / "B.sgy", tmp_path / "M.sgy"]

    def error(expect, *options):
        return sill.run("match4d", tmp_path / "b.sgy", tmp_path / "m.sgy", "-o", *out, *options, expect=expect).err

    survey(tmp_path / "m.sgy", base, counit=2)
    assert "coordinate units 2" in error(3)
    survey(tmp_path / "m.sgy", base * 0)
    assert "no trace states where" in error(3)
    survey(tmp_path / "m.sgy", base)
    file = segy_files.read(tmp_path / "m.sgy")
    file.put_binary(3217, "i2", 4000).put_word("dt", 4000).write(tmp_path / "m.sgy")
    assert "sample interval" in error(2, "--nrms", "0s:1s")
    assert not any(path.exists() for path in out)


def test_delays_that_differ_by_fractions_of_a_sample(sill, tmp_path):
    """Equal samples, later by 0 to 5 ms according to their headers: the interval is 2 ms."""
    time = np.arange(301) * 0.002 - 0.3
    ricker = ((1 - 2 * (np.pi * 25 * time) ** 2) * np.exp(-((np.pi * 25 * time) ** 2))).astype(np.float32)
    rows, positions, later = np.tile(ricker, (6, 1)), scattered(6, 7), np.arange(6)
    survey(tmp_path / "b.sgy", positions, rows, delrt=100)
    survey(tmp_path / "m.sgy", positions, rows, delrt=100 + later)
    out = [tmp_path / "B.sgy", tmp_path / "M.sgy"]
    said = sill.run("match4d", tmp_path / "b.sgy", tmp_path / "m.sgy", "-o", *out, "--nrms", "200ms:600ms", "--pairs",
                    tmp_path / "p.csv", "--html", tmp_path / "p.html").out  # fmt: skip
    found = table(tmp_path / "p.csv")
    np.testing.assert_allclose([row["shift_ms"] for row in found], later, atol=0.01)
    assert [row["shift_at_limit"] for row in found] == [0] * 6
    for row, shift in zip(found, later):
        whole = [row["nrms_percent"], row["predictability_percent"]]
        if shift % 2 == 1:
            assert np.isnan(whole).all()
            continue
        b, m = ricker[50:251].astype(float), ricker[50 - shift // 2 : 251 - shift // 2].astype(float)
        rms = [np.sqrt(np.mean(x * x)) for x in (m - b, m, b)]
        assert whole[0] == pytest.approx(200 * rms[0] / (rms[1] + rms[2]), rel=1e-5)
    note = "the delays of 3 pairs differ by a fraction of a sample: no NRMS and predictability"
    assert note in said and note in (tmp_path / "p.html").read_text()
    _, found = matched(sill, tmp_path, "--nrms", "200ms:600ms", "--max-lag", "4ms")
    assert [(row["shift_ms"], row["shift_at_limit"]) for row in found[4:]] == [(4, 1), (4, 1)]


def test_limits_of_lags_between_samples(sill, tmp_path):
    """Of 19 ms, 9.5 samples, not 18; and a higher maximum beyond the limit does not hide one within it."""
    ms = np.array([0, 18.6, -18.6, 21])
    base = smooth_noise(5, 501, 6)
    monitor = np.array([shifted(row[None], by)[0] for row, by in zip(base, [*ms, 0])])
    monitor[4] = 0.5 * shifted(base[4][None], 4)[0] + shifted(base[4][None], 60)[0]
    positions = scattered(5, 7)
    survey(tmp_path / "b.sgy", positions, base)
    survey(tmp_path / "m.sgy", positions, monitor)
    _, rows = matched(sill, tmp_path, "--nrms", "200ms:800ms", "--max-lag", "19ms")
    np.testing.assert_allclose([row["shift_ms"] for row in rows[:4]], [0, 18.6, -18.6, 19], atol=0.15)
    assert [row["shift_at_limit"] for row in rows] == [0, 0, 0, 1, 0] and abs(rows[4]["shift_ms"] - 4) < 3


@pytest.mark.parametrize("ranks", [None, 3])
def test_dead_traces_and_other_intervals_are_not_compared(sill, tmp_path, ranks):
    positions, rows = scattered(8, 7), smooth_noise(8, 301, 6)
    survey(tmp_path / "b.sgy", positions, rows, trid=np.where(np.arange(8) == 2, 2, 1))
    survey(tmp_path / "m.sgy", positions, rows, dt=[2000] * 4 + [4000, 4000, 0, 2000])
    other = "m.sgy: the headers of 2 traces state another sample interval (dt) than the one that is used, 2000 us: the first is trace 5"
    out = [tmp_path / "B.sgy", tmp_path / "M.sgy"]
    for options, left_out in (([], [2, 4, 5]), (["--assume", "interval=2000"], [2])):
        said = sill.run("match4d", tmp_path / "b.sgy", tmp_path / "m.sgy", "-o", *out, "--nrms", "100ms:500ms",
                        "--pairs", tmp_path / "p.csv", *options, ranks=ranks).out  # fmt: skip
        nrms = np.array([row["nrms_percent"] for row in table(tmp_path / "p.csv")])
        assert np.flatnonzero(np.isnan(nrms)).tolist() == left_out and (np.delete(nrms, left_out) == 0).all()
        assert other in said and re.search(rf"{len(left_out)} pairs? not compared", said), said
    assert "not compared" not in sill.run("match4d", tmp_path / "b.sgy", tmp_path / "m.sgy", "-o", *out).out


def test_depths_are_not_compared_in_a_window_of_times(sill, tmp_path):
    survey(tmp_path / "b.sgy", scattered(8, 7))
    survey(tmp_path / "m.sgy", scattered(8, 7))
    out = [tmp_path / "B.sgy", tmp_path / "M.sgy"]
    refused = sill.run("match4d", tmp_path / "b.sgy", tmp_path / "m.sgy", "-o", *out, "--nrms", "0ms:10ms", "--assume",
                       "domain=depth", expect=2).err  # fmt: skip
    assert "in depth" in refused and not any(path.exists() for path in out)


def test_percentiles_are_of_the_given_share_at_least(sill, tmp_path):
    base = np.cumsum(np.full((15, 4), 10_000), axis=0)  # a kilometre apart
    monitor = base.copy()
    monitor[:, 0] += 10 * np.arange(1, 16)
    survey(tmp_path / "b.sgy", base)
    survey(tmp_path / "m.sgy", monitor)
    said = sill.run("match4d", tmp_path / "b.sgy", tmp_path / "m.sgy", "-o", tmp_path / "B.sgy", tmp_path / "M.sgy").out
    assert "1 to 15 m, median 8, 90 % up to 14" in said, said
