"""Where flows write to: files by pattern, taps, extended text headers; and what --explain predicts."""

import numpy as np
import pytest
import segy_files

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


@pytest.mark.parametrize("tap", ["0=x.sgy", "4=x.sgy", "1=", "x.sgy", "one=x.sgy", "1=IN"])
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
