"""`mute` against its definition in NumPy."""

import numpy as np
import pytest
from flow_cases import DT_S, file_of, flowed, kinds


def ramp(u, shape):
    u = np.clip(u, 0, 1)
    return {"linear": u, "cosine2": 0.5 * (1 - np.cos(np.pi * u)), "sine": np.sin(np.pi * u / 2)}[shape]


def expected(rows, t0_s, length_s=0.0, shape="linear", bottom=False, delay_s=0.0):
    t = np.round((np.arange(rows.shape[1]) * DT_S) * 1e9) / 1e9 + np.broadcast_to(delay_s, len(rows))[:, None]
    distance = t - np.broadcast_to(t0_s, len(rows))[:, None]
    distance = -distance if bottom else distance
    weight = np.where(distance > -1e-9, 1.0, 0.0) if length_s == 0 else ramp(distance / length_s, shape)
    return (rows * weight).astype(np.float32)


@pytest.mark.parametrize("shape", ["linear", "cosine2", "sine"])
@pytest.mark.parametrize("edge", ["top", "bottom"])
def test_shapes(sill, tmp_path, edge, shape):
    rows = kinds(200)
    out = flowed(sill, tmp_path, file_of(rows, muts=0, mute=0), f"mute {edge} at=151ms ramp=50ms shape={shape}")
    want = expected(rows, 0.151, 0.05, shape, edge == "bottom")
    scale = np.abs(rows).max(axis=1)[:, None] + 1e-30
    np.testing.assert_allclose(out.samples() / scale, want / scale, rtol=1e-6, atol=1e-7)
    assert set(out.word("muts" if edge == "top" else "mute")) == {151}
    assert set(out.word("mute" if edge == "top" else "muts")) == {0}


@pytest.mark.parametrize("edge", ["top", "bottom"])
@pytest.mark.parametrize("at", ["0ms", "100ms", "398ms", "5s", "-3s"])
def test_without_ramp(sill, tmp_path, edge, at):
    rows = kinds(200)
    out = flowed(sill, tmp_path, file_of(rows), f"mute {edge} at={at}")
    t0 = float(at[:-2]) / 1000 if at.endswith("ms") else float(at[:-1])
    np.testing.assert_array_equal(out.samples(), expected(rows, t0, bottom=edge == "bottom"))


def test_times_of_offsets_and_delays(sill, tmp_path):
    rows = kinds(200)
    offsets = np.array([-1000, -500, 0, 250, 500, 750, 1000, 4000])
    delays = np.array([0, 100, -50, 0, 20, 0, 0, 300])
    file = file_of(rows, delay_ms=delays, offset=offsets, sstat=np.arange(8) * 30)
    table = tmp_path / "mute.csv"
    table.write_text("offset,time\n# metres, seconds\n100,0.05\n500,0.1\n1000,0.35\n")
    told = dict(delay_s=delays / 1000)
    out = flowed(sill, tmp_path, file, f"mute top table=@{table} ramp=30ms").samples()
    want = expected(rows, np.interp(np.abs(offsets), [100, 500, 1000], [0.05, 0.1, 0.35]), 0.03, **told)
    np.testing.assert_allclose(out, want, rtol=2e-6, atol=1e-6 * np.abs(rows).max())
    out = flowed(sill, tmp_path, file, "mute top velocity=4km/s at=20ms ramp=30ms").samples()
    want = expected(rows, np.abs(offsets) / 4000 + 0.02, 0.03, **told)
    np.testing.assert_allclose(out, want, rtol=2e-6, atol=1e-6 * np.abs(rows).max())
    out = flowed(sill, tmp_path, file, "mute bottom word=sstat").samples()
    np.testing.assert_array_equal(out, expected(rows, np.arange(8) * 0.03, bottom=True, **told))


@pytest.mark.parametrize(
    ("text", "reason"),
    [("1,0.02\n1,0.03\n", "does not come after"), ("", "no points"), ("1,0.02\nx,y\n", "not two numbers"), ("1\n", "not two")],
)
def test_wrong_tables(sill, small, tmp_path, text, reason):
    table = tmp_path / "t.csv"
    table.write_text(text)
    refused = sill.run("flow", small[1], "-o", tmp_path / "o.sgy", "--do", f"mute top table=@{table}", expect=2)
    assert reason in refused.err and "t.csv" in refused.err


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("mute at=3ms", "edge"), ("mute top", "one time is needed"), ("mute up at=3ms", "up is not a value of edge="),
        ("mute top at=3ms word=sstat", "at= can only be combined"), ("mute top word=nosuch", "nosuch"),
        ("mute top table=@t velocity=2m/s", "t"), ("mute top velocity=-2m/s", "not positive"),
    ],
)  # fmt: skip
def test_wrong_arguments(sill, small, tmp_path, steps, reason):
    assert reason in sill.run("flow", small[1], "-o", tmp_path / "o.sgy", "--do", steps, expect=(2, 4)).err
