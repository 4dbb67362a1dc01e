"""Inputs of different shapes in one flow, and options in recipes."""

import numpy as np
import pytest
import segy_files
from flow_cases import file_of, flowed

STEPS = "agc 40ms"


@pytest.fixture
def inputs(tmp_path):
    shapes = {"a": (12, 40, 2000), "b": (9, 30, 2000), "c": (7, 40, 4000), "d": (5, 40, 2000)}
    return {
        name: segy_files.make(traces, samples, interval_us=dt, seed=traces).write(tmp_path / f"{name}.sgy")
        for name, (traces, samples, dt) in shapes.items()
    }


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_run_for_each_shape(sill, tmp_path, inputs, ranks):
    pattern = tmp_path / "o_{samples}_{interval}.sgy"
    assert sill.run("flow", *inputs.values(), "-o", tmp_path / "one.sgy", "--do", STEPS, expect=None).code > 0
    assert not (tmp_path / "one.sgy").exists()
    sill.run("flow", *inputs.values(), "-o", pattern, "--group", "shape", "--do", STEPS, ranks=ranks)
    for name, files in {"40_2000": "ad", "30_2000": "b", "40_4000": "c"}.items():
        sill.run("flow", *[inputs[file] for file in files], "-o", tmp_path / "alone.sgy", "--do", STEPS)
        assert (tmp_path / f"o_{name}.sgy").read_bytes() == (tmp_path / "alone.sgy").read_bytes()
    assert len(list(tmp_path.glob("o_*"))) == 3
    sill.run("flow", inputs["a"], "-o", tmp_path / "w_{samples:06}_{interval}.sgy", "--group", "shape", "--do", STEPS)
    assert (tmp_path / "w_000040_2000.sgy").exists()


def test_what_shapes_need(sill, tmp_path, inputs):
    for name in ("o.sgy", "o_{samples}.sgy", "o_{interval}.sgy", "o_{samples:6}_{interval}.sgy"):
        sill.run("flow", inputs["a"], "-o", tmp_path / name, "--group", "shape", "--do", STEPS, expect=2)
    ibm = segy_files.make(3, 40, code=1).write(tmp_path / "ibm.sgy")
    result = sill.run("flow", inputs["a"], ibm, "-o", tmp_path / "o_{samples}_{interval}.sgy", "--group", "shape",
                      "--do", STEPS, expect=2)  # fmt: skip
    assert "different sample formats" in result.reason
    assert list(tmp_path.glob("o*")) == []


def test_options_of_a_recipe(sill, tmp_path, inputs):
    """They are those of the command line, which count more; --print-recipe has them."""
    options = ["--sample-format", "ibm", "--nonfinite", "zero", "--clip", "--history", "none", "--memory", "64M"]
    recipe = tmp_path / "r.toml"
    shown = sill.run("flow", inputs["a"], "-o", tmp_path / "x.sgy", "--do", STEPS, *options, "--print-recipe").out
    recipe.write_text(shown)
    sill.run("flow", inputs["a"], "-o", tmp_path / "x.sgy", "--do", STEPS, *options)
    sill.run("flow", recipe, "-o", tmp_path / "y.sgy")
    assert (tmp_path / "x.sgy").read_bytes() == (tmp_path / "y.sgy").read_bytes()
    assert segy_files.read(tmp_path / "y.sgy").binary(3225, "i2") == 1
    sill.run("flow", recipe, "-o", tmp_path / "z.sgy", "--sample-format", "ieee")
    assert segy_files.read(tmp_path / "z.sgy").binary(3225, "i2") == 5
    assert sill.run("flow", recipe, "-o", tmp_path / "x.sgy", "--print-recipe").out == shown
    recipe.write_text(shown.replace("nonfinite", "nonfinit"))
    assert "nonfinite" in sill.run("flow", recipe, expect=2).reason
    recipe.write_text(shown.replace('"zero"', '"zeros"').replace("'zero'", "'zeros'"))
    line = 1 + shown[: shown.index("nonfinite")].count("\n")
    result = sill.run("flow", recipe, expect=2)
    assert "'zeros' is not a value of nonfinite" in result.reason and f"line:   {line}" in result.err
    recipe.write_text(shown.replace("ibm", "ibn"))
    assert "sample-format" in sill.run("flow", recipe, expect=2).reason
    sill.run("flow", inputs["a"], "-o", tmp_path / "x.sgy", "--do", STEPS, "--sample-format", "float32", expect=2)


def test_a_shape_that_cannot_be_run_is_known_at_once(sill, tmp_path, inputs):
    """250 Hz is the Nyquist frequency of one shape, 125 Hz that of the other: nothing is written of either."""
    pattern = tmp_path / "o_{samples}_{interval}.sgy"
    sill.run("flow", inputs["a"], inputs["c"], "-o", pattern, "--group", "shape", "--do", "bandpass 30Hz 200Hz", expect=2)
    assert list(tmp_path.glob("o_*")) == []
    text = sill.run("flow", inputs["a"], inputs["c"], "--group", "shape", "--do", "minmax").text
    assert text.count("minmax: samples from") == 2



@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize(
    ("before", "delays"),
    [
        ("select 'delrt==2'", [0, 2, 2, 2]),
        ("select 'trace>1'; select 'trace>1'", [0, 0, 2, 2]),
        ("header delrt=2", [0, 0, 0, 0]),
        ("select 'cdp>0'; header delrt=2; select 'trace>2'", [0, 2, 0, 2]),
        ("window 0ms 98ms; header delrt=2", [0, 0, 0, 0]),
    ],
)
def test_windows_by_the_first_trace_of_the_flow(sill, tmp_path, before, delays, ranks):
    """As if the operations before were a run of their own: samples are 4 ms apart, and 9 to 98 ms are 22 or 23 of them."""
    rows = np.random.default_rng(1).standard_normal((4, 50)).astype("f4")
    file = file_of(rows, dt_us=4000, cdp=[1, 2, 3, 4]).put_word("delrt", delays)
    window = "window 9ms 98ms"
    one = flowed(sill, tmp_path, file, f"{before}; {window}", "--history", "none", ranks=ranks).to_bytes()
    two = flowed(sill, tmp_path, flowed(sill, tmp_path, file, before, "--history", "none"), window, "--history", "none")
    assert one == two.to_bytes() and two.samples().shape[1] == 23


def test_times_of_tables_by_the_first_trace_of_the_flow(sill, tmp_path):
    (tmp_path / "m.csv").write_text("0,8\n100,9\n")
    file = file_of(np.ones((2, 50)), offset=50)
    out = flowed(sill, tmp_path, file, f"header delrt=8000; mute top table=@{tmp_path}/m.csv")
    assert not out.samples().any()
    path = file.write(tmp_path / "in.sgy")
    mute = f"mute top table=@{tmp_path}/m.csv"
    assert "far after" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", mute, expect=2).err


def test_a_window_after_a_sort_says_what_to_do(sill, tmp_path):
    path = file_of(np.ones((2, 50)), dt_us=4000, cdp=[2, 1]).put_word("delrt", [0, 2]).write(tmp_path / "in.sgy")
    for steps in ("sort cdp", "select 'cdp<3'; sort cdp", "stack by=cdp"):
        both = f"{steps}; window 9ms 98ms"
        err = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", both, expect=3).err
        assert "the window contains" in err and "in a flow of their own" in err, err
