"""`sill words`, and what --map and a file's own layout make of names, against numpy."""

import fnmatch
import json
import re
from pathlib import Path

import numpy as np
import pytest
import segy_files

DOCS = Path(__file__).resolve().parents[3] / "docs" / "words.md"

LAYOUT = b"""((SEG:Layout:text/xml))
<segy-layout name="test">
<entry name="iline" byte="233" type="int2"/>
<entry name="sht_x" byte="189" type="coor4"/>
<entry name="own" byte="235" type="ieee32"/>
<entry name="odd" byte="1" type="int3"/>
</segy-layout>
((SEG:EndText))"""


@pytest.fixture
def file() -> segy_files.Segy:
    made = segy_files.make(60, 5, revision=(1, 0))
    random = np.random.default_rng(3)
    made.put(71, "i2", random.choice([-100, -1, 0, 1, 10], 60))
    made.put(5, "i4", random.permutation(60) - 20)
    made.put(21, "i4", random.integers(0, 5, 60))
    made.put(73, "i4", random.integers(-9999, 9999, 60))
    made.put(77, "i4", random.integers(-9999, 9999, 60))
    return made


def column(sill, path, key: str, *options, **run_options) -> np.ndarray:
    out = sill.run("scan", path, f"--keys={key}", "--csv", "-", *options, **run_options).out
    return np.array([line.split(",", 1)[1] for line in out.splitlines()[1:]], dtype=np.float64)


def scaled(values, scalars) -> np.ndarray:
    values, scalars = np.asarray(values, np.float64), np.asarray(scalars, np.float64)
    divided = values / np.where(scalars < 0, -scalars, 1)
    return np.where(scalars > 0, values * scalars, divided)


def test_the_page_is_what_the_program_prints(sill):
    assert sill.run("words", "--markdown").out == DOCS.read_text(), "sill words --markdown > docs/words.md"


def test_json_has_every_word_once(sill):
    words = json.loads(sill.run("words", "--json").out)
    places = [(w["header"], w["byte"], w["type"]) for w in words]
    assert len(set(places)) == len(places)
    by_name = {w["su"]: w for w in words if w["header"] == "trace header" and w["su"]}
    for byte, kind, name in segy_files.SU_WORDS:
        assert (by_name[name]["byte"], by_name[name]["type"]) == (byte, kind)
    assert by_name["sx"]["scalar"] == "scalco"
    own = {w["su"]: (w["byte"], w["type"]) for w in words if "Unix" in w["header"]}
    assert own["d1"] == (181, "f4") and own["ntr"] == (205, "i4") and own["mark"] == (209, "i2")


def test_names_are_those_of_segyio(sill):
    segyio = pytest.importorskip("segyio")
    words = json.loads(sill.run("words", "--json").out)
    trace = {w["segyio"]: w["byte"] for w in words if w["header"].startswith("trace header") and w["segyio"]}
    binary = {w["segyio"]: w["byte"] for w in words if w["header"].startswith("binary") and w["segyio"]}
    for field in segyio.TraceField.enums():
        assert trace[str(field)] == int(field)
    for field in segyio.BinField.enums():
        if not str(field).startswith("Unassigned"):
            assert binary[str(field)] == int(field)


def names_of(word) -> list[str]:
    return [word["segyio"], word["su"], word["standard"], word["text"]]


@pytest.mark.parametrize("pattern", ["elev", "Source*", "?x", "*_num_*", "TAPER"])
def test_patterns(sill, pattern):
    every = json.loads(sill.run("words", "--json").out)
    found = json.loads(sill.run("words", pattern, "--json").out)

    def fits(text: str) -> bool:
        if re.search(r"[*?]", pattern):
            return fnmatch.fnmatchcase(text.lower(), pattern.lower())
        return pattern.lower() in text.lower()

    assert found == [w for w in every if any(fits(text) for text in names_of(w))]
    assert found


def test_a_pattern_that_fits_nothing(sill):
    assert "offset" in sill.run("words", "ofsett", expect=2).reason


def test_words_of_a_map(sill):
    words = json.loads(sill.run("words", "INLINE_3D", "--map", "petrel", "--json").out)
    assert [(w["byte"], "iline" in w["names"]) for w in words] == [(5, True)]
    assert "d1" in sill.run("words", "--map", "su", "sample spacing").out
    sill.run("words", "--map", "su", "INLINE_3D", expect=2)


@pytest.mark.parametrize("ranks", [None, 3])
def test_scan_with_a_preset(sill, tmp_path, file, ranks):
    path = file.write(tmp_path / "f.sgy")
    for name in ("iline", "INLINE_3D", "inline"):
        assert np.array_equal(column(sill, path, name, "--map", "petrel", ranks=ranks), file.get(5, "i4"))
        assert np.array_equal(column(sill, path, name, ranks=ranks), file.get(189, "i4"))
    assert np.array_equal(
        column(sill, path, "true(cdpx)", "--map", "petrel"), scaled(file.get(73, "i4"), file.get(71, "i2"))
    )


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
def test_true_values(sill, tmp_path, order):
    made = segy_files.make(40, 5, order=order)
    made.put(71, "i2", np.resize([-100, -7, 0, 1, 10], 40))
    path = made.write(tmp_path / "f.sgy")
    for name, byte in (("sx", 73), ("gy", 85), ("cdpx", 181)):
        expected = scaled(made.get(byte, "i4"), made.get(71, "i2"))
        assert np.array_equal(column(sill, path, f"true({name})"), expected)
        assert np.array_equal(column(sill, path, f"abs(true({name}))"), np.abs(expected))


MAPS = {
    "m.toml": 'base = "petrel"\n[words.depth]\nbyte = 233\ntype = "f4"\nscalar = 0.5\nalso = ["Z"]\n'
    '[words.label]\nbyte = 237\ntype = "a4"\n',
    "m.json": '{"base": "petrel", "words": {"depth": {"byte": 233, "type": "f4", "scalar": 0.5, "also": ["Z"]},'
    '"label": {"byte": 237, "type": "a4"}}}',
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("ranks", [None, 2])
def test_scan_and_sort_with_a_file(sill, tmp_path, file, name, ranks):
    depths = np.random.default_rng(5).permutation(60).astype(np.float32) / 4
    labels = [b"L%03d" % (i * 7 % 10) for i in range(60)]
    file.put(233, "f4", depths)
    file.rows[:, 236:240] = np.frombuffer(b"".join(labels), np.uint8).reshape(60, 4)
    path = file.write(tmp_path / "f.sgy")
    map_file = tmp_path / name
    map_file.write_text(MAPS[name])
    assert np.array_equal(column(sill, path, "z", "--map", map_file, ranks=ranks), depths)
    assert np.array_equal(column(sill, path, "true(depth)", "--map", map_file, ranks=ranks), depths / 2)
    assert np.array_equal(column(sill, path, "iline", "--map", map_file, ranks=ranks), file.get(5, "i4"))
    out = sill.run("scan", path, "--keys=label", "--csv", "-", "--map", map_file, ranks=ranks).out
    assert out.splitlines()[1:] == [f"{i + 1},{label.decode()}" for i, label in enumerate(labels)]
    target = tmp_path / "sorted.sgy"
    sill.run("sort", path, "-o", target, "--by=-label,true(cdpx),iline", "--map", map_file, ranks=ranks)
    ranked = {label: i for i, label in enumerate(sorted(set(labels)))}
    x = scaled(file.get(73, "i4"), file.get(71, "i2"))
    order = np.lexsort((file.get(5, "i4"), x, [-ranked[label] for label in labels]))
    assert segy_files.read(target).rows.tobytes() == file.permuted(order).rows.tobytes()


def test_text_between_commas_is_quoted(sill, tmp_path):
    made = segy_files.make(2, 5)
    made.rows[:, 232:240] = np.frombuffer(b'a,"b    next    ', np.uint8).reshape(2, 8)
    path = made.write(tmp_path / "f.sgy")
    out = sill.run("scan", path, "--keys=trace_header_name", "--csv", "-").out
    assert out.splitlines()[1:] == ['1,"a,""b"', "2,next"]


def test_scan_without_keys_takes_the_words_of_the_map(sill, tmp_path, file):
    path = file.write(tmp_path / "f.sgy")
    map_file = tmp_path / "m.toml"
    map_file.write_text('[words.mine]\nbyte = 5\ntype = "i4"\n')
    names = sill.run("scan", path, "--csv", "-", "--map", map_file).out.splitlines()[0].split(",")
    assert "mine" in names and "tracl" in names and "iline" in names
    assert not any(name.startswith("SEG00001") for name in names)
    names = sill.run("scan", path, "--csv", "-", "--map", "su").out.splitlines()[0].split(",")
    assert "d1" in names and "iline" not in names


def test_compare_ignores_words_where_the_map_has_them(sill, tmp_path, file):
    other = file.copy()
    other.put(5, "i4", file.get(5, "i4") + 1)
    paths = (file.write(tmp_path / "a.sgy"), other.write(tmp_path / "b.sgy"))
    sill.run("compare", *paths, "--ignore=iline", expect=1)
    sill.run("compare", *paths, "--ignore=iline", "--map", "petrel")


@pytest.mark.parametrize("ranks", [None, 3])
def test_wrong_maps_are_refused(sill, tmp_path, file, ranks):
    path = file.write(tmp_path / "f.sgy")
    bad = tmp_path / "bad.toml"
    bad.write_text('[words.iline]\nbyte = 5\ntype = "int4"\n')
    reason = sill.run("scan", path, "--map", bad, expect=2, ranks=ranks).reason
    assert "line 3" in reason and "int4" in reason and "i1-i8" in reason
    assert "petrel" in sill.run("scan", path, "--map", tmp_path / "none", expect=4, ranks=ranks).reason
    assert "did you mean petrel" in sill.run("scan", path, "--map", "petrl", expect=4, ranks=ranks).reason
    sill.run("scan", path, "--map", tmp_path, expect=4, ranks=ranks)
    bad.write_text('[words.iline]\nbyte = 5\ntype = "i4"\nscalar = "scalcoo"\n')
    reason = sill.run("scan", path, "--map", bad, expect=2, ranks=ranks).reason
    assert "'iline' is scaled by 'scalcoo'" in reason and "scalco" in reason.partition("mean")[2]
    bad.write_text('[{"iline": 5}]')
    assert "the map is not a table" in sill.run("scan", path, "--map", bad, expect=2, ranks=ranks).reason
    bad.write_bytes(b" " * ((1 << 20) + 1))
    assert "1 MiB" in sill.run("scan", path, "--map", bad, expect=2, ranks=ranks).reason
    if ranks is not None:
        return  # keys are parsed alike on all ranks
    for key in ("SourceXX", "true(trace_header_name)", "@239:i4", "true(sx"):
        sill.run("scan", path, f"--keys={key}", expect=2, ranks=ranks)


def test_a_map_is_no_output(sill, tmp_path, file):
    path = file.write(tmp_path / "f.sgy")
    map_file = tmp_path / "m.toml"
    map_file.write_text(MAPS["m.toml"])
    sill.run("sort", path, "-o", map_file, "--by=iline", "--map", map_file, expect=2)
    assert map_file.read_text() == MAPS["m.toml"]


def with_layout(file: segy_files.Segy, layout: bytes) -> segy_files.Segy:
    made = file.copy()
    made.head = np.concatenate([made.head[:3600], np.frombuffer(layout.ljust(3200), np.uint8)])
    made.extended = 1
    return made.put_binary(3505, "i2", 1)


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("encoding", ["ascii", "cp037"])
def test_the_layout_of_a_file_tells_where_its_words_lie(sill, tmp_path, file, ranks, encoding):
    made = with_layout(file, LAYOUT.replace(b"\n", b" ").decode().ljust(3200).encode(encoding))
    made.put(233, "i2", np.arange(60) % 7)
    made.put(235, "f4", np.arange(60) / 8)
    made.put(189, "i4", np.arange(60) * 3)
    path = made.write(tmp_path / "f.sgy")
    assert np.array_equal(column(sill, path, "INLINE_3D", ranks=ranks), np.arange(60) % 7)
    assert np.array_equal(column(sill, path, "own", ranks=ranks), np.arange(60) / 8)
    assert np.array_equal(column(sill, path, "true(sx)", ranks=ranks), scaled(np.arange(60) * 3, made.get(71, "i2")))
    result = sill.run("scan", path, "--keys=xline", ranks=ranks)
    assert "odd" in result.err and "int3" in result.err
    # What the user says comes first.
    assert np.array_equal(column(sill, path, "iline", "--map", "petrel", ranks=ranks), made.get(5, "i4"))
    assert np.array_equal(column(sill, path, "sx", "--map", "petrel", ranks=ranks), made.get(189, "i4"))
    assert np.array_equal(column(sill, path, "iline", "--map", "standard", ranks=ranks), made.get(189, "i4"))


def test_info_tells_of_a_layout(sill, tmp_path, file):
    path = with_layout(file, LAYOUT).write(tmp_path / "f.sgy")
    told = json.loads(sill.run("info", "--json", path).out)
    assert told["layout_stanza_words"] == 3
    assert any("int3" in found["problem"] for found in told["diagnostics"])
    assert "states the positions of 3 words" in sill.run("info", path).out
    without = file.write(tmp_path / "g.sgy")
    assert json.loads(sill.run("info", "--json", without).out)["layout_stanza_words"] == 0


def test_files_of_different_layouts_are_no_survey(sill, tmp_path, file):
    one = with_layout(file, LAYOUT).write(tmp_path / "a.sgy")
    other = with_layout(file, LAYOUT.replace(b"233", b"237")).write(tmp_path / "b.sgy")
    assert "layout" in sill.run("scan", one, other, "--keys=iline", expect=3).reason
    same = with_layout(file, LAYOUT).write(tmp_path / "c.sgy")
    sill.run("scan", one, same, "--keys=iline")
