"""`sill sort` of all forms of file: Seismic Unix, tape labels, trailers, additional trace headers, any format."""

import json

import numpy as np
import pytest
import segy_files
import segy_forms


def expected_order(file: segy_files.Segy, keys: list[str]) -> np.ndarray:
    """As `segy_files.sort_order`, with Seismic Unix's own words too."""
    own = {name: (byte, kind) for byte, kind, name in segy_forms.SU_OWN_WORDS}
    placed = []
    for key in keys:
        sign, name = ("-", key[1:]) if key.startswith("-") else ("", key)
        placed.append(sign + (f"@{own[name][0]}:{own[name][1]}" if name in own else name))
    return segy_files.sort_order(file, placed)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("keys", ["cdp,-offset", "d1,-f1", "-d2,f2,mark", "unscale,-ungpow"])
@pytest.mark.parametrize("ranks", [None, 2])
def test_seismic_unix(sill, tmp_path, order, keys, ranks):
    file = segy_forms.make_su(80, 12, order=order)
    path = file.write(tmp_path / "in.su")
    sill.run("sort", path, "-o", tmp_path / "out.su", "--by", keys, ranks=ranks)
    expected = file.permuted(expected_order(file, keys.split(",")))
    assert (tmp_path / "out.su").read_bytes() == expected.to_bytes()


@pytest.mark.parametrize("order", ["big", "little"])
def test_scan_of_seismic_unix(sill, tmp_path, order):
    file = segy_forms.make_su(30, 12, order=order)
    names = [name for _, _, name in segy_forms.SU_OWN_WORDS]
    out = sill.run("scan", file.write(tmp_path / "in.su"), f"--keys={','.join(names)}", "--csv", "-").out
    table = np.array([line.split(",")[1:] for line in out.splitlines()[1:]], dtype=np.float64)
    for column, (byte, kind, name) in enumerate(segy_forms.SU_OWN_WORDS):
        assert np.array_equal(table[:, column], file.get(byte, kind)), name


@pytest.mark.parametrize("word", ["iline", "cdpx", "INLINE_3D", "crossline"])
def test_words_of_segy_are_none_of_seismic_unix(sill, tmp_path, word):
    path = segy_forms.make_su(30, 12).write(tmp_path / "in.su")
    target = tmp_path / "out.su"
    assert word in sill.run("sort", path, "-o", target, "--by", word, expect=2).reason
    assert not target.exists()


@pytest.mark.parametrize("label", [False, True])
@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_labels_trailers_and_additional_headers(sill, tmp_path, label, order, ranks):
    file = segy_forms.make(60, 9, additional=2, trailers=2, extended=1, label=label, order=order, code=3)
    path = file.write(tmp_path / "in.sgy")
    sill.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "xline,-offset", ranks=ranks)
    expected = file.permuted(segy_files.sort_order(file, ["xline", "-offset"])).with_sorting_code(-1)
    assert (tmp_path / "out.sgy").read_bytes() == expected.to_bytes()


@pytest.mark.parametrize("code", sorted(segy_files.SAMPLE_TYPES))
def test_any_sample_format(sill, tmp_path, code):
    file = segy_forms.make(40, 7, code=code)
    sill.run("sort", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "out.sgy", "--by", "xline,cdp")
    expected = file.permuted(segy_files.sort_order(file, ["xline", "cdp"])).with_sorting_code(-1)
    assert (tmp_path / "out.sgy").read_bytes() == expected.to_bytes()


def test_words_of_additional_headers(sill, tmp_path):
    file = segy_forms.make(40, 7, additional=1)
    sill.run("sort", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "out.sgy", "--by", "-SEG00001.offset")
    expected = file.permuted(np.argsort(-file.get(240 + 129, "f8"), kind="stable")).with_sorting_code(7)
    assert (tmp_path / "out.sgy").read_bytes() == expected.to_bytes()


def test_the_number_of_traces_of_several_inputs(sill, tmp_path):
    """Bytes 3513-3520 tell the traces of the file: of the output all of them, or it would be refused as wrong."""
    files = [segy_forms.make(count, 7, seed=count) for count in (30, 20)]
    paths = [file.write(tmp_path / f"{i}.sgy") for i, file in enumerate(files)]
    target = tmp_path / "out.sgy"
    sill.run("sort", *paths, "-o", target, "--by", "cdp")
    found = json.loads(sill.run("info", "--json", target).out)
    assert found["traces"] == 50
    assert not [d for d in found["diagnostics"] if d["grade"] in ("major", "critical")]
    joined = files[0].copy().put_binary(3513, "u8", 50)
    joined.rows = np.concatenate([file.rows for file in files])
    expected = joined.permuted(segy_files.sort_order(joined, ["cdp"]))
    assert segy_files.parse(target.read_bytes()).rows.tobytes() == expected.rows.tobytes()
