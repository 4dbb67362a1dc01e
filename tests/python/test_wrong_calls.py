"""Wrong indices, names, types and shapes raise IndexError, KeyError, TypeError and ValueError, at every door."""

import io
import pickle
import re

import numpy
import pytest
import sill
import sill.segyio

U = numpy.arange(24.0, dtype="f4").reshape(4, 6)
INDEX, NAME, TYPE, VALUE = IndexError, KeyError, TypeError, ValueError


def outcome(call, *arguments):
    """Returns the error of a call, which states a suggestion if the name is wrong."""
    with pytest.raises((IndexError, KeyError, TypeError, ValueError, AttributeError)) as caught:
        call(*arguments)
    error = caught.value
    if isinstance(error, sill.Error):
        assert error.problem
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error)
    return error


READING = [
    (INDEX, lambda d: d["u"][3]), (INDEX, lambda d: d["u"][-4]), (INDEX, lambda d: d["u"][0, 4]),
    (INDEX, lambda d: d["u"][0, 0, 0, 0]), (INDEX, lambda d: d["u"][..., ...]), (INDEX, lambda d: d["x"][[0, 6]]),
    (INDEX, lambda d: d["x"][[-7]]), (INDEX, lambda d: d.read_step(3, {"u": U})), (INDEX, lambda d: d["u"].holds(3)),
    (TYPE, lambda d: d["u"][1.5]), (TYPE, lambda d: d["u"]["x"]), (TYPE, lambda d: d["u"][None]),
    (TYPE, lambda d: d["u"][0, [1, 2]]), (TYPE, lambda d: d["x"][[0.5]]), (TYPE, lambda d: d["x"][1.0:2]),
    (TYPE, lambda d: d.read_step("0", {"u": U})), (TYPE, lambda d: d.read_step(0, 3)), (TYPE, lambda d: d[3]),
    (TYPE, lambda d: d.read_step(0, {"u": U.astype("c8")})), (TYPE, lambda d: d.read_step(0, {"u": numpy.ma.array(U)})),
    (NAME, lambda d: d["uu"]), (NAME, lambda d: d.read_step(0, {"uu": U})), (AttributeError, lambda d: d["u"].unit_),
    (VALUE, lambda d: d.read_step(0, {"u": U[:3]})), (VALUE, lambda d: d["u"][0, ::2]),
    (VALUE, lambda d: d.read_step(0, {"u": U.tolist()})),
]  # fmt: skip
WRITING = [
    (INDEX, lambda d: d["u"].__setitem__((0, 4), U[0])), (INDEX, lambda d: d["u"].__setitem__((0, 0, 0, 0), 1)),
    (INDEX, lambda d: d.write_step({"u": ((9,), U[0])})), (INDEX, lambda d: d.write_own(1, {"u": U})),
    (INDEX, lambda d: d["x"].__setitem__([9], [1.0])),
    (TYPE, lambda d: d["u"].__setitem__(0.0, U)), (TYPE, lambda d: d["u"].__setitem__("u", U)),
    (TYPE, lambda d: d["u"].__setitem__(0, U.astype("c8"))), (TYPE, lambda d: d["u"].__setitem__(0, "text")),
    (TYPE, lambda d: d["u"].__setitem__(0, numpy.ma.array(U))), (TYPE, lambda d: d["u"].__setitem__(0, U > 3)),
    (TYPE, lambda d: d["u"].__setitem__(0, U.astype("f2"))), (TYPE, lambda d: d["u"].__setitem__(0, object())),
    (TYPE, lambda d: d.write_step(U)), (TYPE, lambda d: d.write_steps("2", {"u": U})), (TYPE, lambda d: d.write(3)),
    (TYPE, lambda d: d["u"].setncattr("a", {})), (TYPE, lambda d: d["u"].setncattr("a", True)),
    (TYPE, lambda d: d["u"].setncattr(3, 1)), (TYPE, lambda d: d.createDimension("z", "3")),
    (TYPE, lambda d: d.createDimension(3, 3)),
    (NAME, lambda d: d.write_step({"uu": U})), (NAME, lambda d: d.write({"uu": U})),
    (NAME, lambda d: d.write_steps(1, {"uu": U[None]})),
    (VALUE, lambda d: d["u"].__setitem__(0, U[:3])), (VALUE, lambda d: d["u"].__setitem__(1, U)),
    (VALUE, lambda d: d.write_steps(2, {"u": U[None]})), (VALUE, lambda d: d["u"].__setitem__(slice(0, 1), U[None])),
]  # fmt: skip
SURVEY = [
    (INDEX, lambda s: s.traces[300]), (INDEX, lambda s: s.traces[-301]), (INDEX, lambda s: s.traces[[0, 300]]),
    (INDEX, lambda s: s.traces[numpy.zeros(3, bool)]), (INDEX, lambda s: s.traces[[[0]]]),
    (INDEX, lambda s: s.traces[0, 0, 0]), (INDEX, lambda s: s.traces[0:2, 9999]), (INDEX, lambda s: s.traces.read(300)),
    (TYPE, lambda s: s.traces["0"]), (TYPE, lambda s: s.traces[0.0]), (TYPE, lambda s: s.traces[None]),
    (TYPE, lambda s: s.traces[0.0:2]), (TYPE, lambda s: s.traces[["a"]]), (TYPE, lambda s: s.traces.read(0, dtype="c8")),
    (TYPE, lambda s: s[0]), (TYPE, lambda s: s[()]), (TYPE, lambda s: s["cdp", 3]), (TYPE, lambda s: s.headers(3)),
    (TYPE, lambda s: s.where(3)), (TYPE, lambda s: s.gathers(3)), (TYPE, lambda s: s.gathers("cdp", then=3)),
    (TYPE, lambda s: s.view(nope=1)), (TYPE, lambda s: s.view(kind=object())), (TYPE, lambda s: iter(s)),
    (NAME, lambda s: s["cpd"]), (NAME, lambda s: s["cdp", "cpd"]), (NAME, lambda s: s.headers("cpd")),
    (NAME, lambda s: s.where("cpd > 0")), (NAME, lambda s: list(s.gathers("cpd"))),
    (NAME, lambda s: list(s.gathers("cdp", then="ofset"))), (NAME, lambda s: sill.commands.run("srot", "a.sgy")),
    (AttributeError, lambda s: s.stak), (AttributeError, lambda s: sill.srot),
    (VALUE, lambda s: s.traces.read(0, out=numpy.empty(3, "f4"))), (VALUE, lambda s: s.view(kind="nope")),
    (VALUE, lambda s: s["cdp +"]), (VALUE, lambda s: s.where("cdp 5")), (VALUE, lambda s: list(s.gathers("cdp,"))),
    (TYPE, lambda s: s.traces.read(0, out=[1.0])), (TYPE, lambda s: sill.open(3)), (TYPE, lambda s: sill.open([3])),
    (TYPE, lambda s: sill.open("a.sgy", assume=3)), (TYPE, lambda s: sill.open("a.sgy", map=3)),
    *((TYPE, lambda s, of=of: s.traces.read(0, out=numpy.empty(50, of))) for of in ("M8[s]", "m8[s]", "S3", "V4", "O", "longdouble", "c8")),
]  # fmt: skip
NAMES = [
    lambda s: s.stack(by="cdpp").plan(), lambda s: s.stack(by="cdpp").write("none.sgy"), lambda s: s.sort("cdpp").plan(),
    lambda s: s.header(cdpp=0).plan(), lambda s: s.header(cdp="cdpp + 1").plan(), lambda s: s.select(where="cdpp > 1").plan(),
    lambda s: s.view(gather="flr=40"), lambda s: s.view(top="cdpp"), lambda s: s.plot(top="cdpp"),
    lambda s: sill.sort(s.paths, output="none.sgy", by="cdpp"), lambda s: sill.cut(s.paths, output="none.sgy", where="cdpp > 1"),
    lambda s: sill.scan(s.paths, keys="cdpp"), lambda s: sill.edit(s.paths, output="none.sgy", set="cdpp=1"),
    lambda s: sill.split(s.paths, output="none.sgy", by="cdpp"), lambda s: s.headers("cdp", "offset")["ofset"],
]  # fmt: skip
ADVICE = [
    (TYPE, lambda s: sill.open(5)), (TYPE, lambda s: sill.open(io.BytesIO())), (TYPE, lambda s: sill.check(s)), (TYPE, lambda s: sill.create("none.sgy", U, interval="2ms")),
    (VALUE, lambda s: sill.create("none.sgy", U, interval=0)), (VALUE, lambda s: sill.create("none.sgy", U, {"cdp": [1, 2]}, interval=0.002)),
    (TYPE, lambda s: sill.Dataset("none.nc", "w", dims=5)), (TYPE, lambda s: sill.Dataset("none.nc", "w", dims={"x": "6"})),
    (TYPE, lambda s: sill.Dataset("none.zarr", "w", codec=5)), (TYPE, lambda s: sill.Dataset("none.zarr", "w", codec={3: "zstd"})),
    (TYPE, lambda s: sill.Dataset("none.zarr", "w", codec={"u": 3})), (TYPE, lambda s: sill.Dataset("none.zarr", "w", chunks=5)),
    (TYPE, lambda s: sill.Dataset("none.zarr", "w", format=[1])), (TYPE, lambda s: sill.Dataset("none.zarr", "w", options=5)),
    (TYPE, lambda s: s.plot(ax=5)), (TYPE, lambda s: s.plot(top=None)), (TYPE, lambda s: s.plot(top=["fldr", 1])),
    (TYPE, lambda s: sill.create("none.sgy", U, interval=0.004, comm=5)), (TYPE, lambda s: sill.segyio.tools.from_array("none.sgy", U, comm=True)),
    (TYPE, lambda s: s.plot(kindd=3)), (TYPE, lambda s: s.traces.read(0, out=[1, 2])),
    (VALUE, lambda s: sill.sort(s.paths, by="cdp")), (VALUE, lambda s: sill.sort(output="none.sgy", by="cdp")),
    (TYPE, lambda s: sill.sort(s.paths, outptu="none.sgy")), (VALUE, lambda s: s.agc("500ms").write()), (TYPE, lambda s: s.agc(object())),
    (INDEX, lambda s: s.traces[300]), (INDEX, lambda s: s.traces[[0, 300]]), (TYPE, lambda s: s.traces["0"]), (TYPE, lambda s: s[0]),
    (VALUE, lambda s: s.apply(abs, scope="gathr")), (VALUE, lambda s: s.agc("500mss")), (VALUE, lambda s: s.close() or s.traces[0]),
]  # fmt: skip
LINES = [
    (NAME, lambda s: s.inlines[1]), (NAME, lambda s: s.crosslines[[100, 1]]), (TYPE, lambda s: s.inlines["10"]),
    (TYPE, lambda s: s.inlines[10.0]), (TYPE, lambda s: s.inlines[1.5:]), (INDEX, lambda s: s.inlines[10, 0, 0]),
    (TYPE, lambda s: s.slices["0"]), (TYPE, lambda s: s.slices[True]), (VALUE, lambda s: s.slices[99.0]),
]  # fmt: skip
APPLY = [
    (TYPE, lambda s: s.apply(3)),
    (VALUE, lambda s: s.apply(abs, scope="nope").plan()),
    (TYPE, lambda s: s.agc(object())),
    (VALUE, lambda s: s.agc(nope=1)),
    (VALUE, lambda s: s.agc("nope").plan()),
]
WRITER = [
    (INDEX, lambda w: w.write(U[:, :5], at=2)), (INDEX, lambda w: w.write(U[:, :5], at=[0, 1, 2, 9])),
    (INDEX, lambda w: w.write(U[:, :5], at=-1)),
    (TYPE, lambda w: w.write(U[:, :5], at=0.5)), (TYPE, lambda w: w.write(U[:, :5], at=["a"] * 4)),
    (TYPE, lambda w: w.write(U[:, :5].astype("c8"))), (TYPE, lambda w: w.write("text")), (TYPE, lambda w: w.write(None)),
    (TYPE, lambda w: w.write(numpy.ma.array(U[:, :5]))), (TYPE, lambda w: w.write(U[:, :5], {"cdp": "x"})),
    (TYPE, lambda w: w.write(U[:, :5], 3)),
    (NAME, lambda w: w.write(U[:, :5], {"cpd": 1})), (NAME, lambda w: w.write(U[:, :5], {"true(cpdx)": 1})),
    (VALUE, lambda w: w.write(U)), (VALUE, lambda w: w.write(U[:, :5], {"cdp": [1, 2]})),
    (VALUE, lambda w: w.write(U[:, :5], at=[0, 1])), (VALUE, lambda w: w.write(U[:, :5], headers_of=[0])),
    (VALUE, lambda w: w.write(U[None, :, :5])),
]  # fmt: skip


def dataset(path, mode="w", **options):
    d = sill.Dataset(path, mode, dims={"time": None, "y": 4, "x": 6}, **options)
    d.createVariable("u", "f4", ("time", "y", "x"))
    d.createVariable("x", "f8", ("x",))
    return d


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("wrong") / "u.nc"
    with dataset(path) as d:
        d["x"][:] = numpy.arange(6)
        for step in range(3):
            d["u"][step] = U + step
    return path


def rows(table):
    return [pytest.param(*row, id=f"{row[0].__name__}-{i}") for i, row in enumerate(table)]


def check(kind, call, on, has_advice=False):
    error = outcome(call, on)
    assert isinstance(error, kind), repr(error)
    others = {INDEX, NAME, TYPE} - {kind}
    assert kind is AttributeError or not isinstance(error, tuple(others)), repr(error)
    if has_advice:
        assert isinstance(error, sill.Error) and error.problem and error.action and error.where["file"] is not None
        assert not re.search(r"remapped|interpreted as|plotted|incompatible| -o |--help|^IN is", str(error)), str(error)
    if kind is NAME and isinstance(error, sill.Error) and "did you mean" not in error.action:
        assert " are " in error.action or " is " in error.action, error.action


@pytest.mark.parametrize(("kind", "call"), rows(READING))
def test_datasets_that_are_read(written, kind, call):
    with sill.Dataset(written) as d:
        check(kind, call, d)
        numpy.testing.assert_array_equal(d["u"][1], U + 1)


@pytest.mark.parametrize(("kind", "call"), rows(WRITING))
def test_datasets_that_are_written(tmp_path, kind, call):
    with dataset(tmp_path / "u.nc") as d:
        check(kind, call, d)
        d["x"][:] = numpy.arange(6)
        d["u"][0] = U
    with sill.Dataset(tmp_path / "u.nc") as d:
        numpy.testing.assert_array_equal(d["u"][0], U)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (TYPE, {"path": 3}), (TYPE, {"path": None}), (VALUE, {"mode": "q"}), (VALUE, {"mode": 3}), (TYPE, {"at": {"x": 3}}),
        (TYPE, {"at": 3}), (TYPE, {"memory": "1M"}), (TYPE, {"fill": "no"}), (TYPE, {"first_step": 0.5}),
        (TYPE, {"report": 3}), (VALUE, {"format": "HDF5"}), (VALUE, {"container": "hdf5"}), (TYPE, {"policy": 3}),
        (NAME, {"at": {"z": slice(0, 1)}}), (TYPE, {"dims": 3}), (TYPE, {"dims": {"x": "6"}}),
    ],
)  # fmt: skip
def test_options_of_datasets(tmp_path, kind, options):
    def made():
        given = {"path": tmp_path / "u.nc", "mode": "w", "dims": {"x": 6}} | options
        d = sill.Dataset(**given)
        d.createVariable("u", "f4", ("x",))
        d["u"][:] = U[0]

    check(kind, lambda _: made(), None)
    for datatype, dimensions in (("f2", ("x",)), ("nonsense", ("x",)), ("f4", (3,)), (object(), ())):
        check(TYPE, lambda d, of=(datatype, dimensions): d.createVariable("v", *of), dataset(tmp_path / "v.nc"))


@pytest.mark.parametrize(("kind", "call"), rows(SURVEY + APPLY))
def test_surveys(line, kind, call):
    _, path = line
    with sill.open(path) as survey:
        check(kind, call, survey)


@pytest.mark.parametrize(("kind", "call"), rows([(NAME, call) for call in NAMES] + ADVICE))
def test_errors_state_what_to_do(line, kind, call):
    _, path = line
    check(kind, call, sill.open(path), has_advice=True)


def test_messages_name_what_is_wrong(line):
    file, path = line
    file.write(path.parent / "copy.sgy")
    chained = survey = sill.open(path)
    depth = sill.open(path, assume="domain=depth")
    for i in range(70):
        chained = chained.where(f"offset != {i}")
    for call, text in (
        (lambda: sill.edit(path, output="none.sgy", set={"trace": 1}), "'trace' is a variable of expressions, not a header word"),
        (chained.view, "more than 60 chained selections"), (next(survey.gathers("cdp")).polarity, "not possible for a gather"),
        (next(survey.where("offset > 0").gathers("cdp")).view, r"file order.*\n.*use plot\(\)"), (lambda: sill.sort(survey), r"survey\.paths"),
        (sill.open([path, path.parent / "copy.sgy"]).view, "a picture is of one file"),
        (lambda: sill.create("none.sgy", U), "give interval=, or like="),
        (lambda: sill.create("none.sgy", U, interval=2), "2 s is not between 0 and 1 s\n.*pass seconds"),
        (lambda: sill.create("none.sgy", U, interval=2000, revision="2.1"), "2000 s is not between 0 and 1 s"),
        (lambda: sill.create("none.su", U, interval=-0.004), "-0.004 s is not between"),
        (lambda: sill.create("none.sgy", U, interval=4000, like=survey), "4000 s is not between"),
        (lambda: sill.create("none.sgy", U, interval=-1, like=depth), "-1 m or ft is not positive and finite"),
        (lambda: sill.create("none.sgy", U, interval=0.1), "interval of 100000 us.*\n.*\n.*revision"),
        (lambda: survey.traces.read(0, out=numpy.empty(50, "M8[s]")), r"samples are not read as datetime64\[s\]"),
    ):  # fmt: skip
        with pytest.raises(sill.UsageError, match=text) as caught:
            call()
        assert "did you mean" not in str(caught.value)


def test_suggestions(line):
    _, path = line
    survey = sill.open(path)
    for call, name in (
        (lambda: sill.sort(path, outptu="none.sgy"), "output"), (lambda: survey.plot(kindd="wiggle"), "kind"),
        (lambda: survey.headers("cdp", "offset")["ofset"], "offset"), (lambda: sill.open(path, map="petrell"), "petrel"),
    ):  # fmt: skip
        with pytest.raises(sill.Error) as caught:
            call()
        assert caught.value.action.startswith(f"did you mean {name}?"), caught.value.action


def test_deleted_files(line, tmp_path):
    file, _ = line
    path = file.write(tmp_path / "line.sgy")
    survey = sill.open(path)
    path.unlink()
    for call in (
        lambda: survey.agc("100ms").write(tmp_path / "a.sgy"), survey.check, lambda: survey.geometry, survey.view,
    ):  # fmt: skip
        with pytest.raises(FileNotFoundError) as caught:
            call()
        assert isinstance(caught.value, sill.IoError) and caught.value.action
        assert caught.value.filename == caught.value.where["file"] == str(path)
    assert str(path) in survey._repr_html_()
    survey.close()
    assert "closed" in survey._repr_html_()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("kind", "call"), rows(LINES))
def test_lines(tmp_path, kind, call):
    sill.make_survey(tmp_path / "cube.sgy", kind="cube", traces=20, samples=10, channels=5)
    check(kind, call, sill.open(tmp_path / "cube.sgy"), has_advice=kind is not VALUE)


@pytest.mark.parametrize(("kind", "call"), rows(WRITER))
def test_writers(line, tmp_path, kind, call):
    _, path = line
    with sill.writer(tmp_path / "a.sgy", traces=4, samples=5, interval=0.004, like=sill.open(path)) as w:
        check(kind, call, w)
        w.write(U[:, :5], at=0)
    numpy.testing.assert_array_equal(sill.open(tmp_path / "a.sgy").traces[:], U[:, :5])


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (TYPE, {"traces": 2.5}), (TYPE, {"samples": "5"}), (TYPE, {"like": "a.sgy"}), (VALUE, {"units": "km"}),
        (VALUE, {"sample_format": "nope"}), (VALUE, {"interval": -1.0}), (VALUE, {"revision": "9"}), (TYPE, {"text": 3}),
        (TYPE, {"interval": "2ms"}), (TYPE, {"path": 3}), (TYPE, {"clip": "yes"}), (TYPE, {"sample_format": 5}),
    ],
)  # fmt: skip
def test_options_of_writers(tmp_path, kind, options):
    given = {"path": tmp_path / "a.sgy", "traces": 4, "samples": 5, "interval": 0.004} | options
    check(kind, lambda _: sill.writer(**given), None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "options"),
    [(NAME, {"reads": ["cpd"]}), (TYPE, {"reads": 3}), (TYPE, {"writes": [3]}), (VALUE, {"scope": "nope"})],
)
def test_declarations_of_apply(line, tmp_path, kind, options):
    _, path = line
    check(kind, lambda s: s.apply(lambda block: None, **options).write(tmp_path / "a.sgy"), sill.open(path))


def test_wrong_names_in_functions_of_apply(line, tmp_path):
    _, path = line

    def function(block):
        check(NAME, lambda b: b["cpd"], block)
        check(NAME, lambda b: b.__setitem__("cdp", 1), block)
        check(TYPE, lambda b: b.__setitem__("offset", "x"), block)
        check(VALUE, lambda b: b.__setitem__("offset", [1] * 99), block)

    flow = sill.open(path).apply(function, reads=["samples"], writes=["offset"], scope="gather", by="cdp")
    flow.write(tmp_path / "a.sgy")
