"""`regularize`, `interpolate` and `supergather`."""

import numpy as np
import pytest
import segy_files
from flow_cases import DT_S, fast_length, file_of, flowed, ricker


def events(traces=48, samples=400, spacing=1.0, slownesses=(0.0, 0.004, -0.002)):
    """Straight events; slownesses in seconds per trace."""
    times = DT_S * np.arange(samples)[None]
    rows = np.zeros((traces, samples))
    for k, p in enumerate(slownesses):
        rows += (1 - 0.2 * k) * ricker(times - 0.3 - 0.1 * k - p * spacing * np.arange(traces)[:, None])
    return rows


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize(
    ("missing", "max_error"),
    [([7, 20, 21, 33], 0.12), (list(range(1, 48, 2)), 0.12)],
    ids=["a few", "every second"],
)
def test_straight_events_come_back(sill, tmp_path, missing, max_error, ranks):
    rows = events().astype("f4")
    with_gaps = rows.copy()
    with_gaps[missing] = 0
    file = file_of(np.concatenate([with_gaps, rows]), cdp=np.repeat([1, 2], 48), trid=1)
    file.put_word("trid", np.concatenate([np.where(np.isin(np.arange(48), missing), 2, 1), np.ones(48, int)]))
    out = flowed(sill, tmp_path, file, "interpolate length=3 by=cdp", ranks=ranks)
    found = out.samples()
    live = [i for i in range(48) if i not in missing]
    assert np.array_equal(found[live], rows[live]) and np.array_equal(found[48:], rows)
    assert (out.word("trid") == 1).all()
    inner = [i for i in missing if 3 < i < 44]
    error = np.sqrt(np.mean((found[inner] - rows[inner]) ** 2) / np.mean(rows[inner] ** 2))
    assert error < max_error, error
    # The mean of neighbours is no match for it.
    means = np.array([0.5 * (with_gaps[i - 1] + with_gaps[min(i + 1, 47)]) for i in inner])
    assert error < 0.7 * np.sqrt(np.mean((means - rows[inner]) ** 2) / np.mean(rows[inner] ** 2))


def reference(rows, known, length, white):
    """The definition, of one window that holds the whole gather."""
    n, samples = rows.shape
    fft = fast_length(samples)
    spectra = np.fft.rfft(rows.astype("f8"), fft, axis=1)
    half = np.fft.rfft(rows.astype("f8"), 2 * fft, axis=1)
    for k in range(spectra.shape[1]):
        for s, step in ((spectra[:, k], 1), (half[:, k], 2)):
            runs = [x for x in range(n - length * step) if known[x : x + length * step + 1 : step].all()]
            if len(runs) >= length:
                break
        else:
            continue
        lines, values = [], []
        for x in runs:
            piece = s[x : x + length * step + 1 : step]
            lines.append(piece[-2::-1])
            values.append(piece[-1])
            lines.append(np.conj(piece[1:]))
            values.append(np.conj(piece[0]))
        A, b = np.array(lines), np.array(values)
        R = A.conj().T @ A
        power = np.trace(R).real
        a = np.linalg.solve(R + white * power / length * np.eye(length), A.conj().T @ b) if power > 0 else 0 * A[0]
        E = np.zeros((2 * (n - length), n), complex)
        for x in range(n - length):
            E[2 * x, x + length], E[2 * x, x : x + length] = 1, -a[::-1]
            E[2 * x + 1, x], E[2 * x + 1, x + 1 : x + 1 + length] = 1, -np.conj(a)
        U = E[:, ~known]
        right = -U.conj().T @ (E[:, known] @ spectra[known, k])
        spectra[~known, k] = np.linalg.solve(U.conj().T @ U + 1e-6 * np.eye((~known).sum()), right)
    spectra[:, 0] = spectra[:, 0].real
    spectra[:, -1] = spectra[:, -1].real
    return np.fft.irfft(spectra, fft, axis=1)[:, :samples]


@pytest.mark.parametrize("gaps", ["some", "every second"])
def test_is_the_solution_of_least_squares(sill, tmp_path, gaps):
    rows = np.random.default_rng(4).standard_normal((22, 120)).astype("f4")
    known = np.ones(22, bool)
    known[[3, 9, 10, 17] if gaps == "some" else slice(1, None, 2)] = False
    rows[~known] = 0
    found = flowed(sill, tmp_path, file_of(rows, cdp=1), "interpolate length=2 traces=22 window=240ms by=cdp").samples()
    expected = reference(rows, known, 2, 0.001)
    assert np.abs(found - expected)[~known].max() < 2e-4 * np.abs(expected).max()


def test_windows_without_a_filter(sill, tmp_path):
    rows = np.zeros((20, 100), "f4")
    rows[::5] = 1
    path = file_of(rows, cdp=1).write(tmp_path / "in.sgy")
    said = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "interpolate by=cdp").out
    assert "too few live traces" in said
    assert np.array_equal(segy_files.read(tmp_path / "o.sgy").samples(), rows)


@pytest.mark.parametrize("ranks", [None, 3])
def test_regular_gathers(sill, tmp_path, ranks):
    offsets = np.array([95, 210, 190, 330, 800, 105, 300])
    cdp = np.array([1, 1, 1, 1, 1, 2, 2])
    rows = np.arange(7 * 30, dtype="f4").reshape(7, 30) + 1
    file = file_of(rows, cdp=cdp, offset=offsets, trid=1, scalco=-10, sx=10000 - 5 * offsets, gx=10000 + 5 * offsets)
    steps = "regularize offset values=100:500:100 by=cdp"
    out = flowed(sill, tmp_path, file, steps, ranks=ranks)
    assert list(out.word("offset")) == 2 * [100, 200, 300, 400, 500]
    assert list(out.word("cdp")) == 5 * [1] + 5 * [2]
    # 210 and 190 are equally near to 200: the first one stays.
    taken = [0, 1, 3, None, None, 5, None, 6, None, None]
    for i, trace in enumerate(taken):
        assert np.array_equal(out.samples()[i], rows[trace] if trace is not None else np.zeros(30))
        assert out.word("trid")[i] == (1 if trace is not None else 2)
        if trace is None:
            assert abs(out.word("sx")[i] - (10000 - 5 * out.word("offset")[i])) <= 1
            assert abs(out.word("gx")[i] - (10000 + 5 * out.word("offset")[i])) <= 1
    said = sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "n.sgy", "--do", steps).out
    for text in ("5 dead traces inserted", "4 traces got another offset", "1 traces omitted, because another", "1 traces omitted, because they are outside"):
        assert text in said, said


def test_regular_gathers_are_filtered_and_filled(sill, tmp_path):
    offsets = 100 + 25 * np.arange(40) + np.random.default_rng(1).integers(-4, 5, 40)
    kept = np.delete(np.arange(40), [11, 25, 26])
    file = file_of(events(40)[kept].astype("f4"), cdp=5, offset=offsets[kept], trid=1)
    steps = "regularize offset values=100:1075:25 by=cdp; interpolate length=3 by=cdp; fk keep velocities=1km/s-1000km/s"
    out = flowed(sill, tmp_path, file, steps)
    assert len(out.samples()) == 40 and (out.word("trid") == 1).all()


def test_supergathers(sill, tmp_path):
    cdp = np.array([1, 2, 3, 4, 5, 6, 7, 11, -1, 0])
    file = file_of(np.ones((10, 20), "f4"), cdp=cdp)
    found = flowed(sill, tmp_path, file, "supergather 3").word("cdp")
    assert list(found) == [2, 2, 2, 5, 5, 5, 8, 11, -1, -1]
    found = flowed(sill, tmp_path, file, "supergather width=5 first=3 of=cdp").word("cdp")
    assert list(found) == list(3 + 5 * ((cdp - 3) // 5) + 2)
    for wrong in ("supergather 4", "supergather", "supergather 3 of=nothing"):
        sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--do", wrong, expect=2)


def test_regularize_prefers_live_traces(sill, tmp_path):
    file = file_of([[1.0] * 9, [2.0] * 9, [3.0] * 9], cdp=1, offset=[100, 110, 200], trid=[2, 1, 2])
    out = flowed(sill, tmp_path, file, "regularize offset values=100:200:100 by=cdp")
    assert list(out.word("trid")) == [1, 2] and list(out.samples()[:, 0]) == [2, 3]


def test_regularize_stores_the_value_or_refuses(sill, tmp_path):
    path = file_of(np.ones((3, 9)), cdp=1, offset=[0, 12, 25], trid=1).write(tmp_path / "in.sgy")
    for values, value in (("0:60:12.5", "12.5"), ("0:2:0.25", "0.25")):
        steps = f"regularize offset values={values} by=cdp"
        err = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=2).err
        assert "offset" in err and f"the value {value}" in err, err
    # The scalar of a trace can allow them.
    path = file_of(np.ones((3, 9)), cdp=1, gx=[0, 120, 250], scalco=-10, trid=1).write(tmp_path / "in.sgy")
    sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "regularize gx values=0:50:12.5 by=cdp")
    assert list(segy_files.read(tmp_path / "o.sgy").word("gx")) == [0, 125, 250, 375, 500]
    err = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "regularize gx values=0:25:12.25 by=cdp", expect=2).err
    assert "the value 12.25" in err and "in.sgy" in err, err
