"""Where flows write to: files by pattern, taps, extended text headers; and what --explain predicts."""

import numpy as np
import pytest
import segy_files
from program import TIMEOUT_S

STEPS = "select 'cdp > 2'; agc 60ms; sort cdp,offset"


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    file = segy_files.make(240, 50)
    return file, file.write(tmp_path_factory.mktemp("sinks") / "in.sgy")


@pytest.mark.parametrize("ranks", [None, 1, 2, 3])
def test_files_by_pattern_are_those_of_split(sill, tmp_path, survey, ranks):
    sill.run("flow", survey[1], "-o", tmp_path / "whole.sgy", "--do", STEPS)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    result = sill.run("flow", survey[1], "-o", tmp_path / "a" / "cdp_{cdp:04}.sgy", "--do", STEPS, ranks=ranks)
    sill.run("split", tmp_path / "whole.sgy", "-o", tmp_path / "b" / "cdp_{cdp:04}.sgy", "--by", "cdp")
    files = sorted(path.name for path in (tmp_path / "b").iterdir())
    assert len(files) > 2 and f"into {len(files)} files" in result.text
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == files
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_pattern_does_not_replace_an_input(sill, tmp_path):
    path = segy_files.make(4, 10).put_word("fldr", 1).write(tmp_path / "in_1.sgy")
    before = path.read_bytes()
    sill.run("flow", path, "-o", tmp_path / "in_{fldr}.sgy", "--do", "agc 10ms", expect=2)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["in_1.sgy"]


def test_wrong_patterns(sill, tmp_path, survey):
    for name in ("{nosuch}.sgy", "{cdp.sgy", "cdp}.sgy"):
        sill.run("flow", survey[1], "-o", tmp_path / name, "--do", "agc 60ms", expect=2)
    assert list(tmp_path.iterdir()) == []


def test_taps(sill, tmp_path, survey):
    sill.run("flow", survey[1], "-o", tmp_path / "out.sgy", "--tap", f"1={tmp_path / 'one.sgy'}",
             "--tap", f"2={tmp_path / 'two.sgy'}", "--do", STEPS)  # fmt: skip
    for operations, name in ((1, "one.sgy"), (2, "two.sgy"), (3, "out.sgy")):
        steps = "; ".join(STEPS.split("; ")[:operations])
        sill.run("flow", survey[1], "-o", tmp_path / "alone.sgy", "--do", steps)
        assert (tmp_path / name).read_bytes() == (tmp_path / "alone.sgy").read_bytes()


def test_taps_of_a_recipe(sill, tmp_path, survey):
    """--print-recipe has them, too."""
    given = ["flow", survey[1], "-o", "out.sgy", "--tap", "1=one.sgy", "--tap", "2=two.sgy", "--do", STEPS]
    (tmp_path / "r.toml").write_text(sill.run(*given, "--print-recipe", cwd=tmp_path).out)
    sill.run(*given, cwd=tmp_path)
    names = ["out.sgy", "one.sgy", "two.sgy"]
    wanted = [(tmp_path / name).read_bytes() for name in names]
    for name in names:
        (tmp_path / name).unlink()
    sill.run("flow", "r.toml", cwd=tmp_path)
    assert [(tmp_path / name).read_bytes() for name in names] == wanted
    (tmp_path / "r.toml").write_text(f'input = "{survey[1]}"\ntap = "1=one.sgy"\ndo = "agc 60ms"\n')
    sill.run("flow", "r.toml", cwd=tmp_path)
    assert segy_files.read(tmp_path / "one.sgy").traces == 240


def test_tables_without_lines(sill, tmp_path, survey):
    """A device that never ends is no table."""
    for steps in ("mute top table=@/dev/zero", "nmo velocity=@/dev/zero"):
        result = sill.run("flow", survey[1], "-o", tmp_path / "o.sgy", "--do", steps, expect=4)
        assert "not a regular file" in result.reason
    table = tmp_path / "t.csv"
    for text, reason in ((b"0,1\x00\n", "bytes of 0"), (b"1" * 5000, "more than 4095"), (b"# none\n", "no points")):
        table.write_bytes(text)
        for steps in (f"mute top table=@{table}", f"nmo velocity=@{table}"):
            assert reason in sill.run("flow", survey[1], "-o", tmp_path / "o.sgy", "--do", steps, expect=2).reason
    # Whatever stands between numbers; the first line is no heading if it begins with one.
    points = (b"0\t1500\n0.1,2500\n", b"0;1500\n0.1 , 2500\n", b"0 1500\n0.1,  2500\n")
    for line in (*points, b"time velocity\n0,1500\n0.1,2500\n"):
        table.write_bytes(line)
        sill.run("flow", survey[1], "-o", tmp_path / f"{len(line)}.sgy", "--do", f"nmo velocity=@{table}", "--history", "none")
        names = line.replace(b"time", b"offset").replace(b"velocity", b"time")
        table.write_bytes(names.replace(b"1500", b"0.01").replace(b"2500", b"0.02"))
        sill.run("flow", survey[1], "-o", tmp_path / "m.sgy", "--do", f"mute top table=@{table}")
    for line in (b"0,x\n1,2500\n", b"1\n1,2500\n", b"time,v\ntime,v\n1,2500\n", b"0,,1500\n"):
        table.write_bytes(line)
        for steps in (f"mute top table=@{table}", f"nmo velocity=@{table}"):
            sill.run("flow", survey[1], "-o", tmp_path / "o.sgy", "--do", steps, expect=2)
    # No end of the last line, and ends of lines of other systems.
    table.write_bytes(b"time,velocity\r\n0,1500\r\n0.1,2500")
    sill.run("flow", survey[1], "-o", tmp_path / "a.sgy", "--do", f"nmo velocity=@{table}", "--history", "none")
    table.write_text("0,1500\n0.1,2500\n")
    sill.run("flow", survey[1], "-o", tmp_path / "b.sgy", "--do", f"nmo velocity=@{table}", "--history", "none")
    assert len({path.read_bytes() for path in tmp_path.glob("[0-9ab]*.sgy")}) == 1


def test_a_tap_that_fails_leaves_the_output(sill, tmp_path, survey):
    (tmp_path / "o.sgy").write_text("old")
    tap = f"1={tmp_path / 'nowhere' / 'a.sgy'}"
    sill.run("flow", survey[1], "-o", tmp_path / "o.sgy", "--tap", tap, "--do", "polarity", expect=4)
    assert (tmp_path / "o.sgy").read_text() == "old"


def test_nothing_that_is_read_is_replaced(sill, tmp_path, survey):
    """Recipes and tables are inputs, too."""
    (tmp_path / "v.csv").write_text("0.0,1500\n1.0,2500\n")
    recipe = tmp_path / "r.toml"
    recipe.write_text(f'input = "{survey[1]}"\ndo = "agc 60ms"\n')
    sill.run("flow", recipe, "-o", recipe, expect=2)
    steps = ["--do", "nmo velocity=@v.csv"]
    sill.run("flow", survey[1], "-o", "v.csv", *steps, expect=2, cwd=tmp_path)
    sill.run("flow", survey[1], "-o", "o.sgy", "--tap", "1=v.csv", *steps, expect=2, cwd=tmp_path)
    (tmp_path / "files.txt").write_text(f"{survey[1]}\n")
    sill.run("flow", "@files.txt", "-o", "files.txt", "--do", "polarity", expect=2, cwd=tmp_path)
    sill.run("sort", "@files.txt", "-o", "files.txt", "--by", "cdp", expect=2, cwd=tmp_path)
    assert (tmp_path / "files.txt").read_text() == f"{survey[1]}\n"
    assert (tmp_path / "v.csv").read_text().startswith("0.0") and "agc" in recipe.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files.txt", "r.toml", "v.csv"]


def test_patterns_know_the_words_of_a_map(sill, tmp_path, survey):
    (tmp_path / "my.toml").write_text('[words.zzz]\nbyte = 9\ntype = "i4"\n')
    sill.run("flow", survey[1], "-o", "w_{zzz}.sgy", "--map", "my.toml", "--do", "agc 60ms", cwd=tmp_path)
    assert sorted(tmp_path.glob("w_*")) == [tmp_path / f"w_{n}.sgy" for n in np.unique(survey[0].word("fldr"))]


def test_patterns_do_not_know_files(sill, tmp_path, survey):
    assert "header WORD=file" in sill.run("flow", survey[1], "-o", tmp_path / "x_{file}.sgy", "--do", "agc 60ms", expect=2).err


@pytest.mark.parametrize("steps", ["mix 3; select 'file == 2'", "mix 3; stack by=file", "mix 3; sort -file"])
def test_files_are_known_in_the_first_pass_alone(sill, tmp_path, survey, steps):
    other = segy_files.make(30, 50, seed=4).write(tmp_path / "b.sgy")
    result = sill.run("flow", survey[1], other, "-o", tmp_path / "x.sgy", "--do", steps, expect=2)
    assert "number of the file" in result.err


@pytest.mark.parametrize("code", [1, 2])
def test_samples_are_copied_through_all_passes(sill, tmp_path, code):
    """Of formats that a float cannot hold, as long as no operation changes samples."""
    file = segy_files.make(30, 12, code=code)
    path = file.write(tmp_path / "in.sgy")
    steps = "sort -trace; header ep=trace; sort tracl"
    text = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, "--history", "none", "--explain").text
    out = segy_files.read(tmp_path / "o.sgy")
    assert "in 2 passes" in text
    np.testing.assert_array_equal(out.word("ep"), np.arange(30, 0, -1))
    np.testing.assert_array_equal(out.rows[:, 240:], file.rows[:, 240:])


def test_standard_output_of_several_passes(sill, tmp_path, survey):
    steps = "header delrt=0; mix 3; sort -offset; mix 3"
    sill.run("flow", survey[1], "-o", tmp_path / "o.sgy", "--do", steps, "--history", "none")
    process = sill.start("flow", survey[1], "-o", "-", "--do", steps, "--history", "none")
    out, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0 and out == (tmp_path / "o.sgy").read_bytes()


def test_what_operations_make_of_large_samples(sill, tmp_path):
    """Infinities stop the next operation that reads samples, as they would in a flow of its own; at the end a note."""
    file = segy_files.make(8, 20).put_word("delrt", 0)
    path = file.put_samples(np.full((8, 20), 1e10, np.float32)).write(tmp_path / "in.sgy")
    result = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "gain scale=1e38; mix 3", expect=3)
    assert "operation 2 (mix)" in result.err
    result = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "gain scale=1e38")
    assert "8 traces were written with samples that are not finite" in result.text
    # Traces that an operation leaves as they are count, too.
    samples = np.ones((8, 20), np.float32)
    samples[5, 3] = np.nan
    path = file.put_samples(samples).put_word("trid", 2).write(tmp_path / "in.sgy")
    result = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "despike 12ms; mix 3", "--nonfinite", "keep")
    assert "1 traces were written with samples that are not finite" in result.text


@pytest.mark.parametrize("tap", ["0=x.sgy", "4=x.sgy", "1=", "x.sgy", "one=x.sgy", "1=IN", "1=-", "1=x_{cdp}.sgy"])
def test_wrong_taps(sill, tmp_path, survey, tap):
    tap = tap.replace("IN", str(survey[1]))
    sill.run("flow", survey[1], "-o", "out.sgy", "--tap", tap, "--do", STEPS, expect=2, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_open", [False, True])
def test_history_in_extended_text_headers(sill, tmp_path, is_open):
    """All lines, whole, whatever room the text header has, before the header that says it is the last."""
    file = segy_files.make(20, 10, extended=2)
    own = bytes(file.head[3600:])
    if is_open:
        own = own[:3200] + "((SEG: EndText))".ljust(3200).encode("cp037")
        file.head[3600:] = np.frombuffer(own, np.uint8)
        file.put_binary(3505, "i2", -1)
    path = file.write(tmp_path / "in.sgy")
    steps = "; ".join(f"header ep={n} tracr='{' + '.join(['fldr'] * 20)}'" for n in range(30))
    sill.run("flow", path, "-o", tmp_path / "out.sgy", "--do", steps, "--history", "extended")
    data = (tmp_path / "out.sgy").read_bytes()
    added = len(data) - len(file.to_bytes())
    assert added == 3 * 3200
    count = int.from_bytes(data[3504:3506], "big", signed=True)
    assert count == 5
    assert data[:3504] == file.to_bytes()[:3504]
    blocks = [data[at : at + 3200] for at in range(3600, 3600 + len(own) + added, 3200)]
    new = blocks[1:4] if is_open else blocks[2:]
    assert [block for block in blocks if block not in new] == [own[:3200], own[3200:]]
    text = b"".join(new).decode("cp037")
    assert text.startswith("((SILL: Flow))".ljust(80) + "SILL FLOW header ep=0")
    assert "ep=29" in text and text.count("fldr") == 30 * 20
    segyio = pytest.importorskip("segyio")
    with segyio.open(tmp_path / "out.sgy", ignore_geometry=True) as read:
        assert read.ext_headers == 5 and read.tracecount == 20


def test_history_in_a_file_of_revision_2(sill, tmp_path):
    """Its first trace is stated, too (bytes 3521-3528)."""
    sill.run("make-survey", tmp_path / "in.sgy", "--revision", "2.1", "--traces", 10, "--samples", 51)
    sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--history", "extended", "--do", "polarity")
    data = (tmp_path / "o.sgy").read_bytes()
    assert int.from_bytes(data[3504:3506], "big") == 1 and int.from_bytes(data[3520:3528], "big") == 6800
    assert segy_files.read(tmp_path / "o.sgy", extended=1).traces == 10 and sill.run("info", tmp_path / "o.sgy")


def test_no_extended_text_headers_of_seismic_unix(sill, tmp_path, survey):
    sill.run("convert", survey[1], "-o", tmp_path / "in.su", "--to", "su")
    sill.run("flow", tmp_path / "in.su", "-o", tmp_path / "o.su", "--history", "extended", "--do", "polarity", expect=2)


def test_no_extended_text_headers_in_revision_0(sill, tmp_path):
    path = segy_files.make(20, 10, revision=(0, 0)).write(tmp_path / "in.sgy")
    result = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "agc 60ms", "--history", "extended", expect=2)
    assert "revision 0" in result.reason and not (tmp_path / "o.sgy").exists()


def test_explained_bytes(sill, survey):
    """What --explain predicts of a flow that keeps all traces is what the files have."""
    text = sill.run("flow", survey[1], "--do", "agc 60ms; sort cdp; window 0s 20ms", "-o", "o.sgy", "--dry-run").text
    traces = 240 * (240 + 4 * 50)
    assert f"reads {traces / 1e3:.1f} kB of traces" in text
    assert f"writes {240 * (240 + 4 * 11) / 1e3:.1f} kB" in text
    assert "for keys" in text and "memory of a rank" in text
    stacked = sill.run("flow", survey[1], "--do", "stack by=cdp", "-o", "o.sgy", "--dry-run").text
    assert "writes at most" in stacked
