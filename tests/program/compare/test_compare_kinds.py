"""`sill compare` of all forms of file: long integers, Seismic Unix, lengths that vary, additional headers."""

import json
import re

import numpy as np
import pytest
import segy_files
import segy_forms


def told(sill, tmp_path, *arguments, expect) -> str:
    return sill.run("compare", tmp_path / "a.sgy", tmp_path / "b.sgy", *arguments, expect=expect).said


@pytest.mark.parametrize(
    "code, other, ranks",
    [(code, other, None) for code in (9, 12) for other in ("big", "little", "pairwise")] + [(9, "little", 2)],
)
def test_long_integers_that_differ_beyond_the_digits_of_doubles(sill, tmp_path, code, other, ranks):
    """2^53 and 2^53 + 1 are one double."""
    high = 2**63 - 1 if code == 9 else 2**64 - 1
    values = segy_forms.make(30, 8, code=code).samples()
    values[:, 0], values[:, 1] = 2**53, high
    if code == 9:
        values[:, 2] = -(2**63) + 5
    segy_forms.make(30, 8, code=code).put_samples(values).write(tmp_path / "a.sgy")
    file = segy_forms.make(30, 8, code=code, order=other)
    file.put_samples(values).write(tmp_path / "b.sgy")
    ignored = ["--ignore", "IntConstant"]
    sill.run("compare", tmp_path / "a.sgy", tmp_path / "b.sgy", *ignored, ranks=ranks)
    changed = values.copy()
    changed[11, 0] += 1
    changed[20, 1] -= 3
    if code == 9:
        changed[25, 2] += 1
    file.put_samples(changed).write(tmp_path / "b.sgy")
    paths = [tmp_path / "a.sgy", tmp_path / "b.sgy"]
    said = sill.run("compare", *paths, *ignored, ranks=ranks, expect=1).said
    line = next(line for line in said.splitlines() if "sample" in line)
    many = 3 if code == 9 else 2
    assert re.search(rf"\b{many}\b", line) and "12" in said, said
    # They are one and three apart.
    sill.run("compare", *paths, *ignored, "--tolerance", 2, ranks=ranks, expect=1)
    sill.run("compare", *paths, *ignored, "--tolerance", 3, ranks=ranks)


@pytest.mark.parametrize("code", [1, 5, 6, 9, 12, 2, 10])
def test_long_integers_against_other_formats(sill, tmp_path, code):
    """By value, exactly: a double can hold 2^60 and cannot hold 2^60 + 1."""
    values = np.full((5, 4), 100)
    if code not in (2, 10):
        values[:, 1] = 2**60
    segy_forms.make(5, 4, code=9).put_samples(values).write(tmp_path / "a.sgy")
    segy_forms.make(5, 4, code=code).put_samples(values).write(tmp_path / "b.sgy")
    told(sill, tmp_path, "--ignore", "Format", expect=0)
    values[3, 1] += 1
    segy_forms.make(5, 4, code=9).put_samples(values).write(tmp_path / "a.sgy")
    told(sill, tmp_path, "--ignore", "Format", expect=1)


@pytest.mark.parametrize("code", [7, 10, 11, 15, 16])
def test_a_sample_of_any_format(sill, tmp_path, code):
    file = segy_forms.make(30, 8, code=code)
    file.write(tmp_path / "a.sgy")
    values = file.samples()
    values[3, 5] ^= 1
    file.put_samples(values).write(tmp_path / "b.sgy")
    said = told(sill, tmp_path, expect=1)
    assert "4" in said and "6" in said  # trace and sample


@pytest.mark.parametrize("to", ["ibm", "ieee", "int32", "ieee64"])
def test_a_conversion_that_loses_nothing_compares_equal(sill, tmp_path, to):
    file = segy_forms.make(30, 8, code=3, additional=1, trailers=1, extended=1)
    file.write(tmp_path / "a.sgy")
    options = ["--sample-format", to, "--byte-order", "little"]
    sill.run("convert", tmp_path / "a.sgy", "-o", tmp_path / "b.sgy", *options)
    told(sill, tmp_path, "--ignore", "Format", expect=0)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize(
    "name, byte, kind", [("d1", 181, "f4"), ("f2", 193, "f4"), ("ntr", 205, "i4"), ("mark", 209, "i2")]
)
def test_seismic_unix(sill, tmp_path, order, name, byte, kind):
    file = segy_forms.make_su(30, 8)
    segy_forms.make_su(30, 8, order=order).write(tmp_path / "a.sgy")
    file.write(tmp_path / "b.sgy")
    told(sill, tmp_path, expect=0)
    values = file.get(byte, kind)
    values[6] += 1
    file.put(byte, kind, values).write(tmp_path / "b.sgy")
    said = told(sill, tmp_path, expect=1)
    assert re.search(rf"\b{name}\b", said) and re.search(r"\b7\b", said), said
    told(sill, tmp_path, "--ignore", name, expect=0)


def test_words_of_additional_headers(sill, tmp_path):
    file = segy_forms.make(30, 8, additional=1)
    file.write(tmp_path / "a.sgy")
    values = file.get(240 + 129, "f8")
    values[9] += 0.25
    file.put(240 + 129, "f8", values).write(tmp_path / "b.sgy")
    assert "SEG00001.offset" in told(sill, tmp_path, expect=1)


@pytest.mark.parametrize("order", ["big", "little"])
def test_lengths_that_vary(sill, tmp_path, order):
    lengths = np.random.default_rng(8).integers(5, 40, 30)
    file = segy_files.make(30, 40, order=order)
    (tmp_path / "a.sgy").write_bytes(segy_forms.varying(file, lengths))
    (tmp_path / "b.sgy").write_bytes(segy_forms.varying(file, lengths))
    told(sill, tmp_path, expect=0)
    values = file.samples()
    values[17, 2] += 1
    (tmp_path / "b.sgy").write_bytes(segy_forms.varying(file.put_samples(values), lengths))
    assert re.search(r"\b18\b", told(sill, tmp_path, expect=1))


def test_report(sill, tmp_path):
    for name in ("a.sgy", "b.sgy"):
        segy_forms.make(30, 8, code=9, trailers=1, label=True).write(tmp_path / name)
    told(sill, tmp_path, "--report", tmp_path / "r.json", expect=0)
    assert json.loads((tmp_path / "r.json").read_text())["traces_in"] == 60


@pytest.mark.parametrize("part", ["label", "extended text", "trailer"])
def test_texts_of_all_kinds(sill, tmp_path, part):
    file = segy_forms.make(30, 8, trailers=2, label=True, extended=1)
    file.write(tmp_path / "a.sgy")
    if part == "label":
        file.label = file.label[:-9] + b"X" + file.label[-8:]
    elif part == "trailer":
        file.tail = file.tail[:-9] + b"X" + file.tail[-8:]
    else:
        file.head[-9] ^= 3
    file.write(tmp_path / "b.sgy")
    what = {"label": "tape labels", "trailer": "data trailers", "extended text": "text headers"}[part]
    assert what in told(sill, tmp_path, expect=1)
    told(sill, tmp_path, "--ignore", "text", expect=0)
