"""The commands of the program as functions: options as on the command line, results with fields, errors, Ctrl-C."""

import inspect
import os
import re
import signal
import warnings

import numpy
import pytest
import segy_files
import sill
import sill.segyio


def test_a_sort_gives_the_bytes_of_numpy(line, tmp_path):
    file, path = line
    result = sill.sort(path, output=tmp_path / "b.sgy", by=["cdp", "offset"])
    order = numpy.lexsort((file.word("offset"), file.word("cdp")))
    assert (tmp_path / "b.sgy").read_bytes() == file.permuted(order).with_sorting_code(2).to_bytes()
    assert (result.traces_in, result.traces_out, result.status) == (300, 300, 0)
    assert "method" in result
    assert "300 traces" in result.text
    assert repr(result) == result.text.rstrip() and result["cost"]


def test_results_of_commands_with_json(line):
    _, path = line
    assert sill.info(path).samples == 50
    scanned = sill.scan(path, keys="cdp,offset", stats=True)
    assert scanned.words.cdp == {"smallest": 1, "largest": 49, "distinct": 49}
    checked = sill.check(path)
    assert checked.files[0].traces == 300


def test_a_comparison_that_finds_differences(line, tmp_path):
    file, path = line
    other = file.copy().put_word("cdp", 7)
    result = sill.compare(path, other.write(tmp_path / "b.sgy"))
    assert (result.equal, result.status) == (False, 1)


def test_signatures_and_documentation_are_those_of_the_help():

    parameters = inspect.signature(sill.sort).parameters
    assert {"by", "output", "memory", "progress"} <= set(parameters)
    assert "Sort" in sill.sort.__doc__
    assert "cut" in dir(sill)
    for name in sill._sill.commands():
        assert getattr(sill, name.replace("-", "_")).__doc__


def test_errors_are_exceptions(line, tmp_path):
    _, path = line
    with pytest.raises(TypeError, match="no option 'bye'"):
        sill.sort(path, bye="cdp")
    with pytest.raises(sill.UsageError, match="required"):
        sill.sort(path)
    with pytest.raises(sill.UsageError, match="cdp"):
        sill.sort(path, output=tmp_path / "b.sgy", by="cpd")
    with pytest.raises(FileNotFoundError):
        sill.sort(tmp_path / "none.sgy", output=tmp_path / "b.sgy", by="cdp")
    with pytest.raises(AttributeError):
        sill.sorted(path)
    assert not (tmp_path / "b.sgy").exists()


def test_names_that_look_like_options(line, tmp_path, monkeypatch):
    file, _ = line
    monkeypatch.chdir(tmp_path)
    for name in ("-o.sgy", "[a,b].sgy", "a b.sgy"):
        file.write(name)
        assert sill.info(name).traces == 300


@pytest.fixture
def big(tmp_path):
    """120 MB, and what is in its folder."""
    file = segy_files.make(60_000, 1)
    wide = segy_files.make(1, 500)
    file.head = wide.head
    file.rows = numpy.concatenate([file.rows[:, :240], numpy.zeros((60_000, 2000), numpy.uint8)], axis=1)
    file.put_word("ns", 500)
    path = file.write(tmp_path / "big.sgy")
    (tmp_path / "b.sgy").write_text("old")
    return path, set(os.listdir(tmp_path))


def test_progress(big):
    path, _ = big
    calls = []
    sill.convert(path, output=path.parent / "b.sgy", sample_format="ibm", progress=lambda *call: calls.append(call))
    assert calls
    assert all(stage and 0 <= done and 0 <= total for stage, done, total in calls)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("view", {"output": "a.png"}), ("view", {"output": "a.png", "slice": "40ms"}), ("spectrum", {"output": "a.png"}),
        ("plot", {"output": "a.png", "histogram": True}), ("map", {"output": "a.png"}), ("index", {"words": "cdp"}),
        ("info", {"geometry": True}), ("scan", {"keys": "cdp"}), ("check", {}), ("sort", {"output": "b.sgy", "by": "cdp"}),
        ("cut", {"output": "b.sgy", "where": "cdp > 3"}),
    ],
)  # fmt: skip
def test_progress_of_short_commands(tmp_path, monkeypatch, command, options):
    monkeypatch.chdir(tmp_path)
    sill.make_survey("a.sgy", kind="cube", traces=200, channels=10, samples=50)
    calls = []
    getattr(sill, command)("a.sgy", progress=lambda *call: calls.append(call), **options)
    stage, done, total = calls[-1]
    assert stage and done == total > 0, calls[-1]

    def stop(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        getattr(sill, command)("a.sgy", progress=stop, **options)


def test_progress_is_refused_where_there_is_none(line):
    _, path = line
    for command in ("words", "text", "header", "policies"):
        assert "progress" not in inspect.signature(getattr(sill, command)).parameters
        with pytest.raises(TypeError, match="no progress"):
            getattr(sill, command)(path, progress=print)


@pytest.mark.parametrize("how", ["exception", "Ctrl-C"])
def test_a_cancelled_command_leaves_the_old_output(big, how):
    path, before = big

    def cancel(stage, done, total):
        if how == "exception":
            raise RuntimeError("enough")
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(RuntimeError if how == "exception" else KeyboardInterrupt):
        sill.sort(path, output=path.parent / "b.sgy", by="-tracl", threads=1, progress=cancel)
    assert set(os.listdir(path.parent)) == before
    assert (path.parent / "b.sgy").read_text() == "old"


def test_one_bad_file_of_several(line, tmp_path):
    file, _ = line
    good, bad = file.write(tmp_path / "good.sgy"), tmp_path / "bad.sgy"
    bad.write_bytes(b"no survey" * 1000)
    for given in ([bad, good], [bad]):  # the error that is raised is not also a warning
        with warnings.catch_warnings(), pytest.raises(sill.InputError, match="bad.sgy"):
            warnings.simplefilter("error")
            sill.convert(given, output=str(tmp_path / "{file}.out.sgy"), sample_format="ibm")
    (tmp_path / "worse.sgy").write_bytes(b"no survey" * 999)
    with pytest.warns(sill.SillWarning, match=r"(?s)^error: .*\n  to do:  ") as warned, pytest.raises(sill.InputError):
        sill.check(bad, good, tmp_path / "worse.sgy")
    assert len(warned) == 1
    with pytest.raises(FileNotFoundError):
        sill.check(tmp_path / "none.sgy")


def test_values_that_are_no_values(line, tmp_path):
    _, path = line
    for wrong in ({"json": True}, {"html": False}, {"no_geometry": "yes"}):
        with pytest.raises(TypeError):
            sill.check(path, **wrong)
    with pytest.raises(TypeError, match="html is given twice"):
        sill.check(path, html=tmp_path / "a.html", html_=tmp_path / "b.html")
    with pytest.raises(TypeError, match="output= is not an option here"):
        sill.open(path).view(output_=tmp_path / "a.png")
    with pytest.raises(sill.UsageError):
        sill.sort(path, output=tmp_path / "b.sgy", by=[])
    with pytest.raises(TypeError):
        sill.info(None)
    for nothing in ("", [], None):  # as if not given
        assert sill.sort(path, output=tmp_path / "b.sgy", by="cdp", log=nothing, map=nothing).traces_out == 300
    cut = sill.cut(path, output=tmp_path / "c.sgy", where="tracl >= 3 and tracl <= 9", threads=numpy.int64(2))
    assert cut.traces_out == 7
    with pytest.raises(sill.UsageError):
        sill.info("-")
    with pytest.raises(sill.UsageError):
        sill.info("a\0.sgy")


def test_errors_name_options_as_keywords(line, tmp_path):
    _, path = line
    with pytest.raises(sill.UsageError) as caught:
        sill.sort(path, output=tmp_path / "a.sgy")
    assert "by=" in str(caught.value) and "--by" not in str(caught.value)
    with pytest.raises(sill.UsageError) as caught:
        sill.convert(path, output=tmp_path / "a.sgy", sample_format="ieee64")
    assert "--" not in str(caught.value) and "revision=" in str(caught.value)
    assert "revision=" in caught.value.action


def test_json_is_the_default(line):
    assert sill.info(line[1], json=True) == sill.info(line[1])
    assert sill.info(line[1])["traces"] == 300


def test_one_of_several_processes_only_reads(line, tmp_path, monkeypatch):
    _, path = line
    survey = sill.open(path)
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    zeros, spec = numpy.zeros((2, 5), "f4"), sill.segyio.spec()
    spec.samples, spec.format, spec.tracecount = numpy.arange(5) * 4, 5, 2
    for write in (
        lambda: sill.sort(path, output=tmp_path / "a.sgy", by="cdp"), lambda: sill.edit(path, set="cdp=1"),
        lambda: survey.polarity().write(tmp_path / "a.sgy"), lambda: sill.create(tmp_path / "a.sgy", zeros, interval=0.004),
        lambda: sill.Dataset(tmp_path / "u.nc", "w", dims={"x": 2}), lambda: sill.index(path, words="cdp"),
        lambda: sill.segyio.create(tmp_path / "a.sgy", spec), lambda: sill.segyio.tools.from_array(tmp_path / "a.sgy", zeros),
        lambda: sill.writer(tmp_path / "a.sgy", like=survey), lambda: sill.scan(path, keys="cdp", csv=tmp_path / "a.csv"),
        lambda: sill.check(path, json=tmp_path / "a.json"), lambda: sill.info(path, report=str(tmp_path / "a.html")),
        lambda: sill.sort(path, output_=tmp_path / "a.sgy", by="cdp"), lambda: sill.sort(path, output=1, by="cdp"),
        lambda: survey.polarity().plan(report=tmp_path / "a.json"), lambda: survey.view(log=tmp_path / "a.log"),
        lambda: sill.info(path, report=numpy.array(["a.json", "b.json"])),
        lambda: sill.merge(path, dry_run=True, log=tmp_path / "a.log"),
    ):  # fmt: skip
        with pytest.raises(sill.UsageError, match=r"launched by Open MPI \(OMPI_COMM_WORLD_SIZE=2\)") as caught:
            write()
        assert ("without MPI" if sill.mpi == "none" else "comm=MPI.COMM_WORLD") in str(caught.value)
        assert "unset OMPI_COMM_WORLD_SIZE" in caught.value.action
    assert list(tmp_path.iterdir()) == []
    assert len(sill.open(path)["cdp"]) == len(survey) and survey.view().png and sill.check(path).files
    assert sill.edit(path, set="cdp=1", dry_run=True).status == 0 and "polarity" in survey.polarity().plan()
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "1")
    survey.polarity().write(tmp_path / "a.sgy")


def test_messages_name_options_as_keywords():
    from sill.errors import with_keywords

    for said, wanted in (
        ("give --clip to write the nearest value", "give clip= to write the nearest value"),  # a value of sill.view
        ("omit --strict; --strict refuses", "omit strict=True; strict=True refuses"),
        ("give --revision SEG-Y", "give revision= SEG-Y"),
        ("give --scale FACTOR. (--on WORD)", "give scale=FACTOR. (on=WORD)"),
        ("give --scale fit, or --scale FACTOR", 'give scale="fit", or scale=FACTOR'),
        ("choose --on samples=pad or --on samples=vary", 'choose on="samples=pad" or on="samples=vary"'),
        ("undo it: sill edit FILE --recover", "undo it: sill.edit(FILE, recover=True)"),
        ("(sill edit FILE --recover --journal-of me);", '(sill.edit(FILE, recover=True, journal_of="me"));'),
        ("cleared (--keep-181 of sill convert)", "cleared (keep_181=True of sill.convert)"),
        ("as 'sill sort --by cdp' does", "as 'sill sort --by cdp' does"),
    ):
        assert with_keywords(said) == wanted


def test_texts_come_without_warnings(line):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sill.text(line[1]).text.startswith("C 1") or sill.text(line[1]).text.startswith("C01")


def test_findings_about_texts_are_warnings():
    from sill.commands import _HEADING

    for heading in (
        "a.sgy, tape label: 1SEG-Y, with, commas (x)", "a, b.sgy, text header (EBCDIC)",
        "a.sgy, extended text header 2 of 3 (ASCII)", "a.sgy, data trailer (EBCDIC)", "a.sgy, data trailer 1 of 2 (ASCII)",
    ):  # fmt: skip
        assert _HEADING.fullmatch(heading)
    for finding in ("minor: a.sgy, text header: line 3 is empty", "in the file, data trailers differ", "a, tape label is cut"):
        assert not _HEADING.fullmatch(finding)


def test_the_options_that_write_files_are_known():
    def is_known(command, name):
        return command in commands._WRITING or (name in commands._OUTPUTS and (command, name) not in commands._INPUTS)

    commands = sill.commands
    states_output = re.compile(r"\b(Append .* to this file|[Ww]rite .*(file|page|table|references)|appears?)\b|^Picture file")
    no_output = {("split", "max_files")}
    for command in sill._sill.commands():
        for option in sill._sill.options_of(command):
            if option.takes_value and not option.is_positional and (command, option.name) not in no_output:
                assert is_known(command, option.name) == bool(
                    states_output.search(option.text) or command in commands._WRITING
                ), (command, option.name, option.text)


def test_commands_are_attributes_of_the_package_and_the_module():
    assert sill.sort is sill.sort is sill.commands.sort and "sort" in vars(sill)
    assert len(dir(sill)) == len(set(dir(sill)))
    for module in (sill, sill.commands):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'sorted'"):
            module.sorted
