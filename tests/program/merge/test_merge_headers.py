"""`sill merge` of files that contradict each other in form or file headers: each property, with its default and rules."""

import numpy as np
import pytest
import segy_files
import segy_forms
from converting import expected
from merging import joined, merged, refused, three, written
from program import leftovers


@pytest.mark.parametrize("order", ["big", "little"])
def test_kind(sill, tmp_path, order):
    a, b = segy_files.make(20, 13), segy_forms.make_su(30, 13, order=order, seed=2)
    assert "kind (Seismic Unix in" in refused(sill, tmp_path, a, b)
    assert "kind (SEG-Y in" in refused(sill, tmp_path, b, a)
    made = segy_files.make(30, 13, seed=2)
    made.rows[:, 180:240] = 0
    assert merged(sill, tmp_path, a, b, on="kind=convert") == joined(a, made).to_bytes()
    bare = expected(a, order=order)
    bare.rows[:, 180:240] = 0
    assert merged(sill, tmp_path, b, a, on="kind=convert", out="out.su") == joined(b, bare).to_bytes()


def test_domain(sill, tmp_path):
    a, b = segy_forms.make_su(20, 13), segy_forms.make_su(30, 13, seed=2).put_word("trid", 130)
    assert "domain (depth in" in refused(sill, tmp_path, a, b)
    assert merged(sill, tmp_path, a, b, on="domain=keep") == joined(a, b).to_bytes()


@pytest.mark.parametrize("orders", [("big", "little"), ("little", "big"), ("pairwise", "big"), ("big", "pairwise")])
def test_byte_order(sill, tmp_path, orders):
    a, b = (segy_files.make(n, 13, order=order, seed=n) for n, order in zip((20, 30), orders, strict=True))
    assert merged(sill, tmp_path, a, b) == joined(a, expected(b, order=orders[0])).to_bytes()
    assert merged(sill, tmp_path, a, b, on="byte_order=convert") == joined(a, expected(b, order=orders[0])).to_bytes()
    assert f"byte_order ({orders[1]} in" in refused(sill, tmp_path, a, b, on="byte_order=refuse")


def test_format(sill, tmp_path):
    a, b = segy_files.make(20, 13), segy_files.make(30, 13, code=3, seed=2)
    exact = joined(a, expected(b, code=5, samples=b.samples())).to_bytes()
    assert merged(sill, tmp_path, a, b) == merged(sill, tmp_path, a, b, on="format=exact") == exact
    assert "format (" in refused(sill, tmp_path, a, b, on="format=refuse")
    said = refused(sill, tmp_path, b, a)
    assert "have no exact value in the format of the first input" in said and "format=round" in said
    rounded = expected(a, code=3, samples=np.rint(a.samples().astype(np.float64)))
    assert merged(sill, tmp_path, b, a, on="format=round") == joined(b, rounded).to_bytes()
    a.put_samples(a.samples() * 1000)
    assert "trace" in refused(sill, tmp_path, b, a, on="format=round")


def test_a_sample_that_cannot_be_converted_is_told_with_its_trace(sill, tmp_path):
    a, b = segy_files.make(20, 13, code=3), segy_files.make(30, 13, seed=2)
    samples = np.rint(b.samples() / 100)
    samples[17, 3] = np.nan
    b.put_samples(samples)
    for ranks in (None, 3):
        paths = written(tmp_path, a, b)
        said = sill.run("merge", *paths, "-o", tmp_path / "no.sgy", "--on", "duplicates=keep", ranks=ranks, expect=3).err
        assert "in1.sgy" in said and "trace:  18" in said
    assert leftovers(tmp_path) == []


def test_bytes_that_no_word_names_are_told(sill, tmp_path):
    a, b = segy_files.make(20, 13), segy_files.make(30, 13, seed=2, order="little").put(237, "i4", 0x01020304)
    assert "bytes 237-240 of the trace headers" in sill.run("merge", *written(tmp_path, a, b), "-o", tmp_path / "o").err
    as_a = expected(b, order="big").put(237, "i4", 0x04030201)
    assert (tmp_path / "o").read_bytes() == joined(a, as_a).to_bytes()


def test_revision(sill, tmp_path):
    a, b = segy_files.make(20, 13), segy_forms.make(30, 13, seed=2)
    assert merged(sill, tmp_path, a, b) == joined(a, b).to_bytes()
    assert merged(sill, tmp_path, b, a, on="revision=first") == joined(b, a).to_bytes()
    assert "revision (2.1 in" in refused(sill, tmp_path, a, b, on="revision=refuse")


def test_units(sill, tmp_path):
    a, b, c = three()
    b.put_binary(3255, "i2", 2)
    assert "units (feet in" in refused(sill, tmp_path, a, b, c)
    assert merged(sill, tmp_path, a, b, c, on="units=first") == joined(a, b, c).to_bytes()
    b.put_binary(3255, "i2", 0)
    result = sill.run("merge", *written(tmp_path, a, b, c), "-o", tmp_path / "out.sgy")
    assert "not stated in" in result.out and (tmp_path / "out.sgy").read_bytes() == joined(a, b, c).to_bytes()


def test_coordinates(sill, tmp_path):
    a, b, c = three()
    b.put_word("counit", 2)
    assert "coordinates (seconds of arc in" in refused(sill, tmp_path, a, b, c)
    assert merged(sill, tmp_path, a, b, c, on="coordinates=keep") == joined(a, b, c).to_bytes()


def test_sorting(sill, tmp_path):
    a, b, c = three()
    b.put_binary(3229, "i2", 4)
    assert merged(sill, tmp_path, a, b, c) == joined(a, b, c).with_sorting_code(0).to_bytes()
    assert merged(sill, tmp_path, a, b, c, on="sorting=clear") == joined(a, b, c).with_sorting_code(0).to_bytes()
    assert merged(sill, tmp_path, a, b, c, on="sorting=first") == joined(a, b, c).to_bytes()
    assert "sorting (4 in" in refused(sill, tmp_path, a, b, c, on="sorting=refuse")


@pytest.mark.parametrize("code, word, stays", [(2, "cdp", True), (5, "fldr", True), (7, "offset", False)])
def test_a_sorting_code_that_all_have(sill, tmp_path, code, word, stays):
    files = [file.with_sorting_code(code) for file in three()]
    for n, file in enumerate(files):
        file.put_word(word, 1000 * n + np.arange(file.traces))
    whole = joined(*files)
    assert merged(sill, tmp_path, *files) == (whole if stays else whole.with_sorting_code(0)).to_bytes()
    files[2].put_word(word, 1000 + np.arange(77))  # what the second has, too
    whole = joined(*files)
    for ranks in (None, 2):
        assert merged(sill, tmp_path, *files, ranks=ranks) == whole.with_sorting_code(0).to_bytes()
    assert merged(sill, tmp_path, *files, on="sorting=first") == whole.to_bytes()
    assert f"sorting ({code} in all" in refused(sill, tmp_path, *files, on="sorting=refuse")


def test_binary(sill, tmp_path):
    a, b, c = three()
    b.put_binary(3205, "i4", 8)
    c = expected(c, order="little").put_binary(3213, "i2", 24)
    c.head[3400] = 7
    as_a = expected(c, order="big")
    assert merged(sill, tmp_path, a, b, c) == merged(sill, tmp_path, a, b, c, on="binary=first")
    assert (tmp_path / "out.sgy").read_bytes() == joined(a, b, as_a).to_bytes()
    cleared = joined(a, b, as_a).put_binary(3205, "i4", 0).put_binary(3213, "i2", 0)
    assert merged(sill, tmp_path, a, b, c, on="binary=clear") == cleared.to_bytes()
    said = refused(sill, tmp_path, a, b, c, on="binary=refuse")
    assert "binary (" in said and "(3205-3208) 8 instead of 7" in said and "and 1 more" in said


def test_text(sill, tmp_path):
    a, b, c = three(text="ASCII")
    same = segy_files.make(9, 13, seed=4)  # the same lines in EBCDIC
    assert "another" not in sill.run("merge", *written(tmp_path, a, same), "--dry-run").out
    c.head[100:105] = np.frombuffer(b"OTHER", np.uint8)
    assert merged(sill, tmp_path, a, b, c) == merged(sill, tmp_path, a, b, c, on="text=first")
    assert (tmp_path / "out.sgy").read_bytes() == joined(a, b, c).to_bytes()
    assert "text (another in" in refused(sill, tmp_path, a, b, c, on="text=refuse")


def test_extended(sill, tmp_path):
    a, b, c = segy_files.make(9, 13), segy_files.make(8, 13, seed=2, extended=1), segy_files.make(7, 13, seed=3)
    assert "extended (others in" in refused(sill, tmp_path, a, b, c)
    assert merged(sill, tmp_path, a, b, c, on="extended=first") == joined(a, b, c).to_bytes()
    assert merged(sill, tmp_path, b, a, c) == joined(b, a, c).to_bytes()  # nothing that the first has not


def test_trailers(sill, tmp_path):
    a, b, c = (segy_forms.make(n, 13, seed=n, trailers=t) for n, t in ((9, 1), (8, 3), (7, 2)))
    kept = joined(a, b, c).put_binary(3529, "i4", 3)
    kept.tail = b.tail  # its first is the first input's, and it has those of the third
    assert merged(sill, tmp_path, a, b, c) == merged(sill, tmp_path, a, b, c, on="trailers=keep") == kept.to_bytes()
    assert merged(sill, tmp_path, a, b, c, on="trailers=first") == joined(a, b, c).to_bytes()
    assert "trailers (others in" in refused(sill, tmp_path, a, b, c, on="trailers=refuse")
    old = segy_files.make(9, 13)
    said = refused(sill, tmp_path, old, b)
    assert "trailers (" in said and "cannot store them" in said
    assert merged(sill, tmp_path, old, b, on="trailers=first") == joined(old, b).to_bytes()


@pytest.mark.parametrize("ranks", [None, 2])
def test_the_input_that_is_not_exact_is_named(sill, tmp_path, ranks):
    a = segy_files.make(20, 13, code=3)
    whole, broken, also = (segy_files.make(n, 13, seed=n) for n in (30, 25, 5))
    whole.put_samples(np.rint(whole.samples() / 100))
    for file in (broken, also):
        file.put_samples(np.rint(file.samples() / 100) + np.float32(0.5))
    paths = written(tmp_path, a, whole, broken, also)
    said = sill.run("merge", *paths, "-o", tmp_path / "no.sgy", ranks=ranks, expect=3).err
    assert "in2.sgy" in said and f"{30 * 13} samples of this and 1 more inputs" in " ".join(said.split())
    said = sill.run("merge", *paths[:3], "-o", tmp_path / "no.sgy", ranks=ranks, expect=3).err
    assert "in2.sgy" in said and f"{25 * 13} samples have no exact value" in " ".join(said.split())


def test_what_is_lost_is_told_in_the_words_of_its_input(sill, tmp_path):
    a, little = segy_forms.make_su(20, 13), segy_forms.make_su(9, 13, order="little", seed=2)
    b = segy_files.make(30, 13, seed=3).put(181, "i4", 7).put(185, "i4", 0).put(189, "i4", 9)
    paths = written(tmp_path, a, little, b)
    said = sill.run("merge", *paths, "-o", tmp_path / "out.su", "--on", "kind=convert").err
    alone = sill.run("merge", paths[0], paths[2], "-o", tmp_path / "alone.su", "--on", "kind=convert").err
    (note,) = [line for line in alone.splitlines() if "181-240" in line]
    assert note in said.splitlines()


def test_words_that_one_revision_has_are_bytes_to_the_other(sill, tmp_path):
    """Bytes 3261-3264 are a word of revision 2, in its byte order; what is there in revision 1 has none."""
    a, b = segy_files.make(20, 13), segy_forms.make(30, 13, order="little", seed=2)
    for file in (a, b):
        file.head[3260:3264] = np.frombuffer(b"ABCD", np.uint8)
        file.put_binary(3205, "i4", 8 if file is a else 9)
    assert "9 instead of 8 in" in sill.run("merge", *written(tmp_path, a, b), "--dry-run").out
    assert "3261" not in sill.run("merge", *written(tmp_path, a, b), "--dry-run").out
    # What says how a file of revision 2 is read is nothing that differs.
    cleared = joined(b, expected(a, order="little")).put_binary(3205, "i4", 0)
    assert merged(sill, tmp_path, b, a, on="binary=clear") == cleared.to_bytes()
