"""Flows as methods: the same bytes as the command, numbers with units, plans, pictures."""

import inspect
import keyword
import re

import numpy
import pytest
import sill


def test_a_flow_writes_the_bytes_of_the_command(line, tmp_path):
    _, path = line
    flow = sill.open(path).agc(0.02, kind="mean").sort("cdp", "-offset").bandpass(20, "60Hz", order=2, zerophase=True)
    assert flow.text == "agc window=0.02s kind=mean; sort by=cdp,-offset; bandpass f1=20Hz f2=60Hz order=2 zerophase=yes"
    result = flow.write(tmp_path / "a.sgy")
    assert result.traces_out == 300
    do = "agc 20ms kind=mean; sort cdp,-offset; bandpass 20Hz 60Hz order=2 zerophase"
    sill.flow(path, output=tmp_path / "b.sgy", do=do)
    numpy.testing.assert_array_equal(sill.open(tmp_path / "a.sgy").traces[:], sill.open(tmp_path / "b.sgy").traces[:])


def test_a_flow_of_a_selection(line, tmp_path):
    file, path = line
    survey = sill.open(path).where("offset > 0")
    survey.where("cdp % 2 == 0").polarity().write(tmp_path / "a.sgy")
    kept = (file.word("offset") > 0) & (file.word("cdp") % 2 == 0)
    numpy.testing.assert_array_equal(sill.open(tmp_path / "a.sgy").traces[:], -file.samples().astype("f4")[kept])
    with pytest.raises(sill.UsageError, match="gather"):
        next(survey.gathers("cdp")).polarity()


def test_files_and_lists_as_arguments(line, tmp_path):
    _, path = line
    table = tmp_path / "v.csv"
    table.write_text("time,velocity\n0,1500\n0.1,2000\n")
    survey = sill.open(path)
    assert f"velocity=@{table}" in survey.nmo(velocity=table).text
    assert survey.nmo(velocity=2000).text == "nmo velocity=2000m/s"
    with pytest.raises(FileNotFoundError, match="nofile.csv"):
        survey.nmo(velocity="nofile.csv").plan()
    assert survey.ormsby([4, 8, 60, 80]).text == "ormsby corners=4,8,60,80"
    assert survey.header(cdp="round(true(cdpx) / 25)").text == "header cdp='round(true(cdpx) / 25)'"


# A value without a unit for each form of a parameter; choices like `rms | mean` are taken from the form.
VALUES = {
    "1 | -1": 1, "A": 1.5, "A-B,B-C...": [(0, 500), (500, 1000)], "ANGLE": 10, "ANGLE-ANGLE,...": [(5, 15), (15, 25)],
    "ANGLE:ANGLE:ANGLE": (0, 30, 10), "CODE,CODE...": [0, 1], "CONDITION": "offset > 0", "COUNT": 1, "DECIBEL": 3,
    "DECIBELS": 24, "F": 20, "F,F": (10, 30), "F1,F2,F3,F4": (4, 8, 60, 80), "FIRST:LAST:STEP": (0, 100, 50),
    "FREQUENCY": 20, "KEY,KEY...": "cdp", "LENGTH": 25, "LENGTH,LENGTH": (25, 25), "LENGTH:LENGTH:LENGTH": (0, 100, 50),
    "LIST": "cdp", "N": 3, "N,N": (1, 1), "NUMBER": 2.5, "PERCENT": 1.5, "SHARE": 50, "T1:T2": (0.01, 0.05), "TIME": 0.02,
    "TIME:TIME:TIME": (0, 0.1, 0.05), "VELOCITY": 2000, "VELOCITY | @FILE": 2000, "VELOCITY-VELOCITY": (1000, 3000),
    "W,W,W...": [1, 2, 1], "WORD": "offset", "X,Y": (0, 0), "X,Y,X,Y... | @FILE": [0, 0, 100, 100],
}  # fmt: skip


def test_numbers_of_every_form_have_units(line, tmp_path):
    """A bare number is in the unit of its parameter, whatever its form: no parameter of any operation lacks a unit."""
    _, path = line
    (tmp_path / "t.csv").write_text("0,0.01\n0.1,0.02\n")

    def value_of(operation, form):
        if form == "@FILE":
            return path if operation in ("match", "math") else tmp_path / "t.csv"
        if form == "FILE.csv":
            return tmp_path / "out.csv"
        return VALUES[form] if form in VALUES else form.split(" | ")[0]

    wrong, seen = [], set()
    survey = sill.open(path)
    for name, operation in sill._sill.operations().items():
        if name == "apply":
            continue
        parameters = [each for each in operation["parameters"] if not each["is_flag"]]
        required = {each["name"]: value_of(name, each["form"]) for each in parameters if each["is_required"]}
        for each in parameters:
            # The unit depends on the form alone, so one parameter per form that has one is enough.
            if each["form"] in seen or isinstance(VALUES.get(each["form"], ""), str):
                continue
            if re.split("[^A-Z0-9]", each["form"])[0] in sill.flows._UNITS:
                seen.add(each["form"])
            given = required | {each["name"]: value_of(name, each["form"])}
            try:
                getattr(survey, name)(**{key + "_" * keyword.iskeyword(key): value for key, value in given.items()}).plan()
            except sill.UsageError as error:
                # Other errors are about values that do not go together.
                if any(text in str(error) for text in ("unit", "is not a number", "is not in ", "is not a range", "FIRST:LAST")):
                    wrong.append(f"{name}.{each['name']}: {error}")
    assert not wrong, "\n".join(wrong)
    assert survey.decon(length=0.02, white=1).text == "decon length=0.02s white=1%"
    assert survey.fk("remove", velocities=(1000, 3000)).text == "fk task=remove velocities=1000m/s-3000m/s"
    assert survey.partialstack(by="offset", bins=["0-500", "500-1000"]).text == "partialstack by=offset bins=0-500,500-1000"


def test_plans_and_errors(line, tmp_path):
    _, path = line
    survey = sill.open(path)
    assert "agc" in survey.agc("20ms").stack(by="cdp").plan()
    with pytest.raises(sill.UsageError, match="kind"):
        survey.agc("20ms", knid="rms")
    with pytest.raises(sill.UsageError):
        survey.agc("20ms", kind="max").write(tmp_path / "a.sgy")
    with pytest.raises(TypeError, match="values without a name"):
        survey.bandpass(1, 2, 3)
    with pytest.raises(AttributeError):
        survey.acg("20ms")
    assert "window" in inspect.signature(sill.Survey.agc).parameters
    assert "agc" in sill.Flow.agc.__doc__
    assert "agc window=20ms" in repr(survey.agc("20ms"))


def test_pictures(line, tmp_path, monkeypatch):
    _, path = line
    picture = sill.open(path).where("offset > 0").view(kind="wiggle", size="400x300")
    assert picture.png.startswith(b"\x89PNG")
    picture.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == picture._repr_png_()
    with monkeypatch.context() as failing:
        failing.setattr(sill._sill, "picture_of", lambda *_: sill.open(tmp_path / "none.sgy"))
        page = sill.open(path)._repr_html_()
        assert "SEG-Y revision" in page and "No such file" in page and "<img" not in page
    page = sill.open(path)._repr_html_()
    assert "SEG-Y revision 1.0" in page
    assert "data:image/png;base64," in page


def without_delays(path, folder):
    output = folder / "without_delays.sgy"
    sill.open(path).header(delrt=0).write(output)
    return sill.open(output)


def test_a_plot_shows_what_view_shows(line, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, path = line
    survey = without_delays(path, tmp_path)
    figure, ax = plt.subplots()
    assert survey.where("cdp > 0").plot(ax, clip="90%", time=":60ms") is ax
    image = ax.get_images()[0]
    shown = survey.view(clip="90%", time=":60ms")
    assert isinstance(shown, sill.Picture)
    grid = survey.where("cdp > 0").traces[:, :31]
    numpy.testing.assert_array_equal(numpy.asarray(image.get_array()), grid.T)
    amplitudes = numpy.sort(numpy.abs(grid), axis=None)
    amplitudes = amplitudes[amplitudes > 0]
    want = amplitudes[int(numpy.ceil(0.9 * len(amplitudes))) - 1]
    assert want <= image.norm.vmax <= want * (1 + 1 / 2048) and image.norm.vmin == -image.norm.vmax
    assert image.get_extent() == pytest.approx((-0.5, len(grid) - 0.5, 0.061, -0.001))
    assert image.cmap(1.0)[:3] == (0, 0, 0) and image.cmap(0.0)[:3] == (1, 1, 1)  # positive samples are black
    assert ax.get_ylabel() == "time [s]" and ax.yaxis_inverted()
    figure.canvas.draw()
    labels = {round(tick.get_loc()): tick.label2.get_text() for tick in ax.xaxis.get_major_ticks()}
    words = [each.split(" [")[0] for each in ax.get_xlabel().split("\n")]
    values = survey.where("cdp > 0")[words[-1]]
    assert all(text.split("\n")[-1] == str(values[i]) for i, text in labels.items() if text)
    assert any(labels.values())
    plt.close(figure)


def test_plots_are_blank_where_traces_have_no_samples(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    samples = numpy.arange(1, 13, dtype="f4").reshape(3, 4)
    sill.create(tmp_path / "a.sgy", samples, {"delrt": [0, 8, 4]}, interval=0.004)
    survey = sill.open(tmp_path / "a.sgy")
    expected = numpy.full((3, 6), numpy.nan, "f4")
    for trace, first in enumerate((0, 2, 1)):
        expected[trace, first : first + 4] = samples[trace]
    ax = survey.plot()
    numpy.testing.assert_array_equal(numpy.ma.filled(ax.get_images()[0].get_array(), numpy.nan), expected.T)
    ax.figure.canvas.draw()
    ax = survey.plot(kind="wiggle", clip=12, top=["tracl", "cdp"])
    numpy.testing.assert_allclose([each.get_xdata() for each in ax.lines], expected / 12 + numpy.arange(3)[:, None], rtol=1e-6)
    ax = survey.plot(time="12ms:16ms")
    numpy.testing.assert_array_equal(ax.get_images()[0].get_array(), expected[:, 3:5].T)


def test_ticks_of_plots_are_at_traces(line, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    survey = without_delays(line[1], tmp_path)
    for count in (2, 5, 15, 17):
        figure, ax = plt.subplots(figsize=(3, 3))
        survey.where(f"trace <= {count}").plot(ax, kind="wiggle")
        figure.canvas.draw()
        ticks = [tick for tick in ax.xaxis.get_major_ticks() if 0 <= tick.get_loc() < count]
        assert ticks and all(tick.label2.get_text() for tick in ticks)
        plt.close(figure)


def test_ticks_of_thinned_plots_are_round(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    sill.create(tmp_path / "a.sgy", numpy.ones((9000, 2), "f4"), {"cdp": numpy.arange(9000) + 7}, interval=0.004)
    ax = sill.open(tmp_path / "a.sgy").plot(top="ep,cdp")
    ax.figure.canvas.draw()
    texts = [tick.label2.get_text() for tick in ax.xaxis.get_major_ticks()]
    assert "0\n2000" in texts and all(int(text.split("\n")[1]) % 1000 == 0 for text in texts if text)


def test_a_picture_of_a_gather_shows_its_traces(line):
    _, path = line
    survey = sill.open(path)
    gather = next(survey.gathers("cdp"))
    assert gather.view(size="400x300").png == survey.view(gather=f"cdp={gather['cdp'][0]}", size="400x300").png
    both = next(survey.gathers("cdp", "offset"))
    where = f"offset == {both['offset'][0]}"
    assert both.view(size="400x300").png == survey.view(gather=f"cdp={both['cdp'][0]}", where=where, size="400x300").png


def test_a_plot_of_wiggles_and_gathers(line, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, path = line
    survey = without_delays(path, tmp_path)
    gather = next(survey.gathers("cdp", then="-offset"))
    ax = gather.plot(kind="wiggle", clip=1e3)
    expected = numpy.clip(gather.samples / 1e3, -1, 1) + numpy.arange(len(gather))[:, None]
    numpy.testing.assert_allclose([each.get_xdata() for each in ax.lines], expected, rtol=1e-6)
    assert f"cdp == {gather['cdp'][0]}, 3 of 300 traces" in ax.get_title()
    assert ax.get_xlabel() == "cdp\noffset [m]" and ax.figure.get_layout_engine() is not None
    with pytest.raises(sill.UsageError, match="no traces"):
        survey.where("cdp < -99").plot()
    with pytest.raises(sill.UsageError, match="kind"):
        survey.plot(kind="both")
    plt.close("all")
