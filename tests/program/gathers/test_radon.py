"""`radon` against dense linear algebra, and on gathers whose events are known."""

import numpy as np
import pytest
from flow_cases import DT_S, fast_length, file_of, flowed, ricker

REFERENCE = 2000.0


def curves_of(offsets, kind):
    x = np.asarray(offsets) / REFERENCE
    return x * x if kind == "parabolic" else x


def turns(f, q, curves):
    return np.exp(-2j * np.pi * f * np.outer(curves, q))


def length_of(samples, q, curves):
    return fast_length(samples + int(np.ceil(np.abs(q).max() * curves.max() / DT_S)) + 1)


def model_of(rows, q, curves, highres=False, lam=0.01):
    length = length_of(rows.shape[1], q, curves)
    data = np.fft.rfft(rows.astype("f8"), length, axis=1)
    model = np.zeros((len(q), data.shape[1]), complex)
    n = len(curves)
    for k, f in enumerate(np.fft.rfftfreq(length, DT_S)):
        L = turns(f, q, curves)
        normal, right = L.conj().T @ L, L.conj().T @ data[:, k]
        m = np.linalg.solve(normal + lam * n * np.eye(len(q)), right)
        if highres and np.abs(m).max() > 0:
            sigma = 0.1 * np.abs(m).max()
            for _ in range(5):
                w = 1 + np.abs(m) ** 2 / sigma**2
                m = np.linalg.solve(normal + np.diag(lam * n * w.mean() / w), right)
        model[:, k] = m
    return model, length


def data_of(model, length, q, curves, samples):
    frequencies = np.fft.rfftfreq(length, DT_S)
    data = np.array([turns(f, q, curves) @ model[:, k] for k, f in enumerate(frequencies)]).T
    return np.fft.irfft(data, length, axis=1)[:, :samples]


def gather(offsets, events, samples=400, kind="parabolic"):
    """Events (tau, q, amplitude)."""
    t = DT_S * np.arange(samples)
    moveouts = curves_of(offsets, kind)
    return sum(a * ricker(t[None, :] - tau - q * moveouts[:, None]) for tau, q, a in events).astype("f4")


def survey(gathers, offsets):
    rows = np.concatenate(gathers)
    file = file_of(rows)
    count = len(offsets)
    file.put_word("cdp", np.repeat(np.arange(len(gathers)) + 1, count))
    file.put_word("offset", np.tile(offsets, len(gathers))).put_word("trid", 1)
    return file


def options(q, more=""):
    ms = [1000 * value for value in (q[0], q[-1], q[1] - q[0])]
    return f"from={ms[0]:g}ms to={ms[1]:g}ms step={ms[2]:g}ms reference={REFERENCE:g}m by=cdp {more}"


def axis(first_ms, last_ms, step_ms):
    return np.arange(first_ms, last_ms + step_ms / 2, step_ms) / 1000


OFFSETS = np.array([100, 150, 300, 420, 500, 610, 777, 900, 1000, 1130, 1250, 1400, 1500, 1620, 1800, 1950, 2100])


@pytest.mark.parametrize("kind", ["parabolic", "linear"])
@pytest.mark.parametrize("highres", [False, True])
@pytest.mark.parametrize("q", [axis(-40, 80, 10), axis(-60, 200, 8)], ids=["fewer", "more"])
def test_models_are_those_of_dense_algebra(sill, tmp_path, kind, highres, q):
    rng = np.random.default_rng(3)
    # Sparse models are of data that focus.
    events = [(0.1, 0.0, 1.0), (0.2, 0.05, -0.8), (0.3, 0.06, 0.5)]
    focused = gather(OFFSETS, events, 200, kind) if highres else 0.0
    noises = [rng.standard_normal((len(OFFSETS), 200)) for _ in range(3)]
    gathers = [(focused + (0.03 if highres else 1.0) * noise).astype("f4") for noise in noises]
    gathers[1][4] = 0.0
    out = flowed(sill, tmp_path, survey(gathers, OFFSETS), f"radon {kind} " + options(q, "highres" if highres else ""))
    found = out.samples().reshape(3, len(q), 200)
    for g, rows in enumerate(gathers):
        live = np.abs(rows).max(axis=1) > 0
        model, length = model_of(rows[live], q, curves_of(OFFSETS, kind)[live], highres)
        want = np.fft.irfft(model, length, axis=1)[:, :200]
        # What is hardly damped of a sparse model depends on the last digits.
        assert np.abs(found[g] - want).max() < (2e-4 if highres else 2e-6) * np.abs(want).max()
    assert np.array_equal(out.word("offset"), np.tile(np.rint(q * 1000), 3))
    assert np.array_equal(out.word("cdpt"), np.tile(np.arange(len(q)) + 1, 3))
    assert np.array_equal(out.word("cdp"), np.repeat([1, 2, 3], len(q)))


@pytest.mark.parametrize("ranks", [1, 3])
def test_there_and_back(sill, tmp_path, ranks):
    offsets = np.arange(0, 2001, 50)
    q = axis(-100, 300, 5)
    rows = gather(offsets, [(0.2, 0.0, 1.0), (0.3, 0.1, -0.7), (0.45, 0.2, 0.5)])
    model = flowed(sill, tmp_path, survey([rows, rows * 2], offsets), "radon parabolic " + options(q), ranks=ranks)
    back = flowed(sill, tmp_path, model, "radon parabolic " + options(q, "inverse offsets=0m:2km:50m"), ranks=ranks)
    assert np.array_equal(back.word("offset"), np.tile(offsets, 2))
    found = back.samples().reshape(2, len(offsets), -1)
    for g, scale in enumerate((1, 2)):
        error = np.sqrt(np.mean((found[g] - scale * rows) ** 2) / np.mean((scale * rows) ** 2))
        assert error < 0.015, error


def test_noise_stays_as_large_as_it_is(sill, tmp_path):
    offsets = 188 + 50 * np.arange(27)
    noise = np.random.default_rng(8).normal(0, 0.01, (27, 400))
    rows = (gather(offsets, [(0.4, 0, 1), (0.7, 0.1, 1)]) + noise).astype("f4")
    q = np.arange(-0.05, 0.4001, 0.005)  # far more curves than the traces distinguish
    with_option = {}
    for highres in ("", " highres"):
        out = flowed(sill, tmp_path, survey([rows], offsets), "radon parabolic " + options(q, "demultiple=60ms" + highres))
        with_option[highres] = out.samples()
    assert with_option[" highres"].std() < 1.05 * with_option[""].std() < 1.1 * rows.std()


@pytest.mark.parametrize("highres", ["", " highres"])
def test_multiples_leave_and_primaries_stay(sill, tmp_path, highres):
    offsets = np.arange(0, 2001, 80)
    q = axis(-100, 300, 5)
    primaries = gather(offsets, [(0.15, 0.0, 1.0), (0.35, 0.01, -0.7)])
    multiples = gather(offsets, [(0.25, 0.16, 0.9), (0.4, 0.12, -0.5)])
    rows = primaries + multiples
    rows[:, :30] = 0.0
    out = flowed(sill, tmp_path, survey([rows], offsets), "radon parabolic " + options(q, "demultiple=60ms" + highres))
    found = out.samples()
    assert np.all(found[:, :30] == 0.0)
    error = np.sqrt(np.mean((found - primaries)[:, 30:] ** 2) / np.mean(primaries**2))
    assert error < 0.15, error
    model, length = model_of(rows, q, curves_of(offsets, "parabolic"), bool(highres))
    model[q < 0.06 - 1e-9] = 0
    want = rows - data_of(model, length, q, curves_of(offsets, "parabolic"), rows.shape[1])
    for trace, live in zip(want, rows != 0):
        trace[: live.argmax()] = trace[len(live) - live[::-1].argmax() :] = 0.0  # muted as before
    assert np.abs(found - want).max() < 1e-5


def test_a_linear_event_focuses_where_it_should(sill, tmp_path):
    offsets = np.arange(0, 2001, 50)
    q = axis(0, 400, 8)
    rows = gather(offsets, [(0.2, 0.16, 1.0)], kind="linear")
    out = flowed(sill, tmp_path, survey([rows], offsets), "radon linear " + options(q, "highres")).samples()
    j, sample = np.unravel_index(np.abs(out).argmax(), out.shape)
    assert (q[j], sample * DT_S) == pytest.approx((0.16, 0.2))


def test_auxiliary_and_dead_traces(sill, tmp_path):
    offsets = np.arange(0, 2001, 50)
    q = axis(-20, 100, 5)
    rows = gather(offsets, [(0.2, 0.05, 1.0)])
    file = survey([rows, 0 * rows], offsets)
    file.rows[3, 240:] = file.rows[5, 240:]
    file.put_word("trid", np.where(np.arange(2 * len(offsets)) == 3, 4, 1))
    kept = np.arange(len(offsets)) != 3
    out = flowed(sill, tmp_path, file, "radon parabolic " + options(q))
    model, length = model_of(rows[kept], q, curves_of(offsets, "parabolic")[kept])
    want = np.fft.irfft(model, length, axis=1)[:, : rows.shape[1]]
    found = out.samples().reshape(2, len(q), -1)
    assert np.abs(found[0] - want).max() < 1e-6
    assert np.all(found[1] == 0.0)
    assert np.array_equal(out.word("trid"), np.repeat([1, 2], len(q)))
    stays = flowed(sill, tmp_path, file, "radon parabolic " + options(q, "demultiple=50ms"))
    assert np.array_equal(stays.rows[3], file.rows[3])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("radon from=0ms to=1ms step=1ms reference=1km by=cdp", "curve= is missing"),
        ("radon cubic from=0ms to=1ms step=1ms reference=1km by=cdp", "curve"),
        ("radon linear from=5ms to=1ms step=1ms reference=1km by=cdp", "last moveout"),
        ("radon linear from=0ms to=1ms step=0ms reference=1km by=cdp", "the step of the moveouts must be above 0"),
        ("radon linear from=0ms to=1ms step=1ms reference=0m by=cdp", "above 0"),
        ("radon linear from=0ms to=9ms step=1ms reference=1km by=cdp demultiple=0ms", "within the moveouts"),
        ("radon linear from=0ms to=9ms step=1ms reference=1km by=cdp inverse", "offsets"),
        ("radon linear from=0ms to=9ms step=1ms reference=1km by=cdp offsets=0m:1m:1m", "offsets= needs inverse"),
        ("radon linear from=0ms to=9ms step=1ms reference=1km by=cdp inverse offsets=1m:0m:1m", "series must ascend"),
        ("radon linear from=0ms to=9ms step=1ms reference=1km", "gather"),
    ],
)
def test_wrong_arguments(sill, tmp_path, text, words):
    path = survey([gather(OFFSETS, [(0.2, 0.0, 1.0)])], OFFSETS).write(tmp_path / "in.sgy")
    assert words in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", text, expect=2).err


def test_what_a_gather_rules_out(sill, tmp_path):
    def error(file, text):
        path = file.write(tmp_path / "in.sgy")
        return sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", text, expect=3).err

    rows = gather(OFFSETS, [(0.2, 0.0, 1.0)])
    file = survey([rows], OFFSETS)
    q = axis(-20, 100, 5)
    # The panel states its moveouts, except where all offsets are equal.
    model = flowed(sill, tmp_path, file, "radon linear " + options(q))
    inverse = "radon linear " + options(q, "inverse offsets=0m:1km:1km")
    shifted = model.word("offset")
    assert f"has moveout {shifted[0] + 1:g} ms" in error(model.put_word("offset", shifted + 1), inverse)
    assert "has moveout" in error(model.put_word("offset", shifted[::-1]), inverse)
    flowed(sill, tmp_path, model.put_word("offset", 0), inverse)
    path = file.write(tmp_path / "in.sgy")
    halves = "radon linear from=0ms to=9ms step=0.5ms reference=1km by=cdp"
    said = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", halves).out
    assert "9 traces whose value in the word offset was rounded" in said, said
    assert "has 17 traces, but 25 moveouts" in error(file, "radon linear " + options(q, "inverse offsets=0m:1km:1km"))
    file.put_word("delrt", np.where(np.arange(len(OFFSETS)) == 2, 4, 0))
    assert "trace:  3" in error(file, "radon linear " + options(q))
    assert "times as long" in error(survey([rows], OFFSETS * 1000), "radon parabolic " + options(q))
