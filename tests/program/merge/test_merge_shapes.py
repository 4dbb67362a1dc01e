"""`sill merge` of traces of several lengths, intervals and numbers of headers."""

import json

import numpy as np
import pytest
import segy_files
import segy_forms
from converting import expected
from merging import joined, merged, refused, written


def test_lengths_that_all_vary(sill, tmp_path):
    files = [segy_files.make(n, 40, seed=n) for n in (20, 30)]
    lengths = [20 + np.arange(20) % 21, 5 + np.arange(30) % 30]
    paths = [tmp_path / "a.sgy", tmp_path / "b.sgy"]
    for path, file, length in zip(paths, files, lengths, strict=True):
        path.write_bytes(segy_forms.varying(file, length))
    sill.run("merge", *paths, "-o", tmp_path / "out.sgy")
    all_lengths = np.concatenate(lengths)
    assert (tmp_path / "out.sgy").read_bytes() == segy_forms.varying(joined(*files), all_lengths)
    third = segy_files.make(9, 40, seed=4)
    sill.run("merge", *paths, third.write(tmp_path / "c.sgy"), "-o", tmp_path / "out.sgy", "--on", "samples=cut")
    cut = joined(*files, third)
    cut.rows = cut.rows[:, : 240 + 4 * 5]
    cut.put_word("ns", 5).put_binary(3221, "u2", 5).put_binary(3503, "i2", 1)
    assert (tmp_path / "out.sgy").read_bytes() == cut.to_bytes()


@pytest.mark.parametrize("order", ["big", "little"])
def test_samples(sill, tmp_path, order):
    a, b = segy_files.make(20, 13, order=order), segy_files.make(30, 20, code=3, seed=2)
    as_a = expected(b, code=5, order=order, samples=b.samples())
    assert "samples (20 in" in refused(sill, tmp_path, a, b)
    padded = a.copy()
    padded.rows = np.pad(a.rows, ((0, 0), (0, 28)))
    padded.put_word("ns", 20).put_binary(3221, "u2", 20)
    assert merged(sill, tmp_path, a, b, on="samples=pad") == joined(padded, as_a).to_bytes()
    cut = as_a.copy()
    cut.rows = as_a.rows[:, : 240 + 13 * 4].copy()
    cut.put_word("ns", 13)
    assert merged(sill, tmp_path, a, b, on="samples=cut") == joined(a, cut).to_bytes()
    vary = a.copy().put_binary(3503, "i2", 0).head.tobytes() + a.rows.tobytes() + as_a.rows.tobytes()
    assert merged(sill, tmp_path, a, b, on="samples=vary") == vary
    told = json.loads(sill.run("info", tmp_path / "out.sgy", "--json").out)
    assert told["lengths_vary"] is True


def test_lengths_that_traces_leave_to_the_file_header(sill, tmp_path):
    a, b = segy_files.make(20, 13).put_word("ns", 0), segy_files.make(30, 20, seed=2).put_word("ns", 0)
    vary = a.copy().put_binary(3503, "i2", 0).head.tobytes() + a.copy().put_word("ns", 13).rows.tobytes()
    assert merged(sill, tmp_path, a, b, on="samples=vary") == vary + b.copy().put_word("ns", 20).rows.tobytes()


def test_lengths_that_the_first_form_cannot_hold(sill, tmp_path):
    a, b = segy_files.make(20, 13, revision=(0, 0)), segy_files.make(30, 20, seed=2)
    assert "convert that first" in refused(sill, tmp_path, a, b, on="samples=vary", code=2)
    su = [segy_forms.make_su(20, n, seed=n) for n in (13, 20)]
    assert "convert that first" in refused(sill, tmp_path, *su, on="samples=vary", code=2)
    padded = su[0].copy()
    padded.rows = np.pad(su[0].rows, ((0, 0), (0, 28)))
    assert merged(sill, tmp_path, *su, on="samples=pad") == joined(padded.put_word("ns", 20), su[1]).to_bytes()


def test_long_traces_of_revision_2(sill, tmp_path):
    a, b = segy_forms.make(3, 13, told=False), segy_forms.make(2, 70_000, seed=2)
    a.put_binary(3223, "u2", 65535)
    padded = a.copy()
    padded.rows = np.pad(a.rows, ((0, 0), (0, 4 * (70_000 - 13))))
    padded.put_word("ns", 0).put_binary(3269, "u4", 70_000)
    said = refused(sill, tmp_path, a, b, on="samples=pad")
    assert "bytes 115-116" in said
    assert merged(sill, tmp_path, a.put_word("ns", 0), b, on="samples=pad") == joined(padded, b).to_bytes()


def test_interval(sill, tmp_path):
    a, b = segy_files.make(20, 13), segy_files.make(30, 13, interval_us=4000, seed=2)
    b.put_word("dt", 0)
    b.put_binary(3219, "u2", 2000)
    assert "interval (4000 us in" in refused(sill, tmp_path, a, b)
    own, firsts = b.copy().put_word("dt", 4000), b.copy().put_word("dt", 2000)
    assert merged(sill, tmp_path, a, b, on="interval=vary") == joined(a, own).to_bytes()
    assert merged(sill, tmp_path, a, b, on="interval=first") == joined(a, firsts).to_bytes()
    fine = segy_forms.make(5, 13, interval_us=0.5)
    assert "cannot be stated by trace headers" in refused(sill, tmp_path, a, fine, on="interval=vary")
    su = [segy_forms.make_su(9, 13), segy_forms.make_su(9, 13, interval_us=4000, seed=2)]
    assert merged(sill, tmp_path, *su, on="interval=vary") == joined(*su).to_bytes()
    far = [segy_forms.make(9, 13, additional=1), segy_forms.make(9, 13, additional=1, interval_us=4000, seed=2)]
    far[1].put_binary(3219, "u2", 2000)
    told = joined(far[0], far[1].copy().put(240 + 145, "f8", 4000.0))
    assert merged(sill, tmp_path, *far, on="interval=vary") == told.to_bytes()


def test_additional_headers_and_layouts_are_always_refused(sill, tmp_path):
    a, b = segy_forms.make(9, 13), segy_forms.make(8, 13, additional=1, seed=2)
    said = refused(sill, tmp_path, a, b)
    assert "have 1 additional headers, but 0 in" in said and "no rule applies" in said
    stanza = (
        b'((SEG:Layout:text/xml))<segy-layout name="t"><entry name="iline" byte="%d" type="int4"/></segy-layout>'
        b"((SEG:EndText))"
    )
    c, d, plain = (segy_forms.make(n, 13, extended=1, seed=n) for n in (9, 8, 7))
    for file, byte in ((c, 189), (d, 193)):
        file.head[3600:6800] = np.frombuffer((stanza % byte).ljust(3200), np.uint8)
    for other in (d, plain):
        assert "the layout stanza here is not that of" in refused(sill, tmp_path, c, other, on="extended=first")


def test_one_length_needs_one_number_of_headers(sill, tmp_path):
    """Four traces without the third header would shorten the file by exactly one trace: 4 * 240 = 3 * 240 + 60 * 4."""
    additional = [2, 1, 1, 2, 1, 1, 2]
    paths = []
    for n, lengths in enumerate(([60] * 6 + [50], [60] * 6 + [40])):
        file = segy_forms.make(7, 60, additional=2, seed=n, told=False)
        paths.append(tmp_path / f"in{n}.sgy")
        paths[-1].write_bytes(segy_forms.varying(file, lengths, additional))
    one_length = segy_forms.make(5, 60, additional=2, seed=3, told=False).write(tmp_path / "in2.sgy")
    for rule in ("pad", "cut"):
        for inputs in (paths, [one_length, *paths]):
            result = sill.run("merge", *inputs, "-o", tmp_path / "no.sgy", "--on", f"samples={rule}", expect=3)
            said = " ".join(result.err.split())
            assert "this trace has 2 headers, but the file states 3" in said and "in0.sgy" in said and "trace: 2 " in said
            assert "samples=vary" in said and not (tmp_path / "no.sgy").exists()
    assert "2 headers" in sill.run("merge", *paths, "--dry-run", "--on", "samples=cut", expect=3).err
    sill.run("merge", *paths, "-o", tmp_path / "out.sgy", "--on", "samples=vary")


@pytest.mark.parametrize("ranks", [None, 3])
def test_lengths_that_all_vary_are_made_one(sill, tmp_path, ranks):
    files = [segy_files.make(n, 40, seed=n) for n in (20, 30)]
    lengths = np.concatenate([20 + np.arange(20) % 21, 5 + np.arange(30) % 30])
    paths = [tmp_path / "a.sgy", tmp_path / "b.sgy"]
    paths[0].write_bytes(segy_forms.varying(files[0], lengths[:20]))
    paths[1].write_bytes(segy_forms.varying(files[1], lengths[20:]))
    samples = joined(*files).samples().copy()
    samples[np.arange(40) >= lengths[:, None]] = 0
    for rule, length in (("pad", 39), ("cut", 5)):
        shown = sill.run("merge", *paths, "-o", tmp_path / "out.sgy", "--on", f"samples={rule}", ranks=ranks).out
        assert "different lengths in" in shown and "and 1 more" in shown
        wanted = joined(*files).put_samples(samples)
        wanted.rows = wanted.rows[:, : 240 + 4 * length]
        wanted.put_word("ns", length).put_binary(3221, "u2", length).put_binary(3503, "i2", 1)
        assert (tmp_path / "out.sgy").read_bytes() == wanted.to_bytes()


@pytest.mark.parametrize("first", [True, False])
def test_no_interval_is_nobodys_own(sill, tmp_path, first):
    a, b = segy_files.make(20, 13), segy_files.make(30, 13, interval_us=0, seed=2).put_word("dt", 0)
    files = (b, a) if first else (a, b)
    said = refused(sill, tmp_path, *files, on="interval=vary")
    assert "this input states no interval" in said and f"in{int(not first)}.sgy" in said
    firsts = files[1].copy().put_word("dt", 0 if first else 2000)
    assert merged(sill, tmp_path, *files, on="interval=first") == joined(files[0], firsts).to_bytes()
    nothing = segy_files.make(0, 13, interval_us=0)
    assert merged(sill, tmp_path, nothing, a, on="interval=vary") == joined(nothing, a).to_bytes()


def test_traces_that_told_no_length_tell_it_among_many(sill, tmp_path):
    first = segy_files.make(7, 30, code=5).put_word("ns", 0)
    second = segy_files.make(5, 21, code=5, seed=4)
    merged(sill, tmp_path, first, second, on="samples=vary,duplicates=keep")
    whole = (tmp_path / "out.sgy").read_bytes()
    told = [int.from_bytes(whole[at + 114 : at + 116], "big") for at in (3600 + 360 * i for i in range(7))]
    assert told == [30] * 7


def test_a_rule_that_cannot_be_is_not_recommended(sill, tmp_path):
    first = segy_files.make(7, 30)
    second = segy_forms.make(5, 30, trailers=1, seed=4)
    assert "trailers=keep" not in refused(sill, tmp_path, first, second, on="duplicates=keep")


def test_words_that_only_the_first_has_are_cleared_whole(sill, tmp_path):
    first = segy_forms.make(7, 30, code=5).put_binary(3261, "i4", 300)
    second = segy_files.make(5, 30, code=5, seed=4).put_binary(3261, "i4", 44)
    data = merged(sill, tmp_path, first, second, on="binary=clear,duplicates=keep")
    assert data[3260:3264] == bytes(4)


def test_lengths_that_are_set_are_not_warned_of(sill, tmp_path):
    first = segy_files.make(7, 100, code=5).put_binary(3503, "i2", 1)
    first.put_word("ns", np.where(np.arange(7) == 3, 90, 100))
    second = segy_files.make(5, 120, code=5, seed=4).put_binary(3503, "i2", 1)
    paths = written(tmp_path, first, second)
    said = sill.run("merge", *paths, "-o", tmp_path / "out.sgy", "--on", "samples=pad,duplicates=keep").text
    assert "another number of samples" not in said
