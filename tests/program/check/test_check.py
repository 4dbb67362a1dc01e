"""What `sill check` finds: each fault planted in a file of its own, amplitudes against numpy."""

import json
import struct

import numpy as np
import pytest
import segy_files
import segy_forms
import survey_shapes
import varied_files
from checking import PERCENTS, check, check_one, findings, kinds_from_minor_up, only, planted


def test_a_sound_file_has_no_finding_from_minor_up(sill, small):
    file, path = small
    result = check_one(sill, path)
    assert kinds_from_minor_up(result) == set()
    assert result["traces"] == 120
    assert result["text_header"][0].startswith("C 1 MADE BY THE TESTS")
    assert len(result["text_header"]) == 40


PLANTED = {"duplicate-traces": [3, 7], "zero": [11], "zero-marked": [12], "dead-alive": [13], "constant": [14]}


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("code", [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16])
def test_planted_traces_are_found_in_every_sample_format(sill, tmp_path, code, order):
    if code in (6, 7, 9, 10, 11, 12, 15, 16):
        file = segy_forms.make(1, 50, code=code, order=order)
        whole = planted(order, code)
        whole.head = file.head
        whole.put_binary(3513, "u8", 60)
    else:
        whole = planted(order, code)
    result = check_one(sill, whole.write(tmp_path / "a.sgy"))
    for kind, traces in PLANTED.items():
        finding = only(result, kind)
        assert (finding["traces"], finding["first_traces"]) == (len(traces), traces), kind
        assert "trace" in finding["where"]
    assert 15 in only(result, "clipped")["first_traces"]
    assert result["duplicates"] == [{"trace": 3, "repeats": 1}, {"trace": 7, "repeats": 2}]
    assert only(result, "duplicate-traces")["grade"] == "major"
    assert only(result, "duplicate-traces")["where"] == "traces 3 repeats 1, 7 repeats 2"
    assert only(result, "zero")["where"] == "trace 11, bytes 29-30"


@pytest.mark.parametrize("code", [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16])
def test_amplitudes_are_those_of_numpy_within_the_bound_told(sill, tmp_path, code):
    file = segy_forms.make(40, 77, code=code)
    amplitudes = check_one(sill, file.write(tmp_path / "a.sgy"))["amplitudes"]
    values = np.sort(file.samples().ravel().astype(np.float64))
    assert amplitudes["samples"] == values.size
    assert amplitudes["zeros"] == np.count_nonzero(values == 0)
    assert (amplitudes["smallest"], amplitudes["largest"]) == (values[0], values[-1])
    assert amplitudes["rms"] == pytest.approx(np.sqrt(np.mean(values**2)), rel=1e-12)
    assert [one["percent"] for one in amplitudes["percentiles"]] == PERCENTS
    for one in amplitudes["percentiles"]:
        true = np.percentile(values, one["percent"], method="inverted_cdf")
        assert one["lowest"] <= true <= one["highest"]
        assert abs(one["amplitude"] - true) <= one["error"] * (1 + 1e-15)
        assert one["error"] <= abs(true) / 256
        if segy_files.SAMPLE_TYPES[code][0] != "f" and code != 1 and abs(true) < 256:
            assert one["amplitude"] == true
    histogram = amplitudes["histogram"]
    assert sum(histogram["counts"]) + histogram["below"] + histogram["above"] == values.size


def test_fixed_point_with_gain_is_read_as_its_revision_says(sill, tmp_path):
    file = segy_files.make(3, 20, code=4, revision=(0, 0))
    words = np.arange(60, dtype=np.uint32).reshape(3, 20) | (np.uint32(2) << np.uint32(16))
    file.put_samples(words)
    amplitudes = check_one(sill, file.write(tmp_path / "a.sgy"))["amplitudes"]
    values = segy_forms.gain_values(words, 0)
    assert (amplitudes["smallest"], amplitudes["largest"]) == (values.min(), values.max())


def test_nan_and_infinity_are_counted_and_left_out(sill, tmp_path):
    file = segy_files.make(30, 40)
    samples = file.samples().copy()
    samples[4, 7] = np.nan
    samples[9, 0:3] = [np.inf, -np.inf, np.nan]
    samples[20] = np.nan
    file.put_samples(samples)
    result = check_one(sill, file.write(tmp_path / "a.sgy"))
    finding = only(result, "not-finite")
    assert finding["grade"] == "major"
    assert finding["first_traces"] == [5, 10, 21]
    amplitudes = result["amplitudes"]
    assert (amplitudes["nans"], amplitudes["infinities"]) == (42, 2)
    finite = samples[np.isfinite(samples)].astype(np.float64)
    assert (amplitudes["smallest"], amplitudes["largest"]) == (finite.min(), finite.max())
    assert amplitudes["rms"] == pytest.approx(np.sqrt(np.mean(finite**2)), rel=1e-12)


def test_a_file_of_nan_alone_has_no_amplitudes(sill, tmp_path):
    file = segy_files.make(3, 10).put_samples(np.full((3, 10), np.nan, np.float32))
    amplitudes = check_one(sill, file.write(tmp_path / "a.sgy"))["amplitudes"]
    assert amplitudes["percentiles"] == []
    assert amplitudes["smallest"] is amplitudes["rms"] is None


def test_clipped_means_flat_tops(sill, tmp_path):
    """Four samples that follow one of the same value, at an extreme that is not zero."""
    file = segy_files.make(6, 50)
    samples = file.samples().copy()
    samples[:] = np.clip(samples, -900, 900) + np.arange(50) / 64
    samples[0][3:8] = 2000  # 4 follow
    samples[1][3:7] = 2000  # 3 follow
    samples[2][[3, 9, 15, 21, 27, 33]] = 2000  # peaks apart
    samples[3] = np.abs(samples[3])
    samples[3][:20] = 0  # a mute
    samples[4][3:6] = samples[4][30:33] = -2000  # 2 and 2 follow
    file.put_samples(samples)
    assert only(check_one(sill, file.write(tmp_path / "a.sgy")), "clipped")["first_traces"] == [1, 5]


def test_words_that_never_vary_are_told_with_their_value(sill, small):
    file, path = small
    same = {word["word"]: word for word in check_one(sill, path)["same_words"]}
    for byte, kind, name in segy_files.SU_WORDS:
        values = file.get(byte, kind)
        if np.all(values == values[0]):
            assert same[name] == {
                "word": name, "byte": byte, "value": str(values[0]), "zero": bool(values[0] == 0)
            }, name  # fmt: skip
        else:
            assert name not in same, name
    text = only(check_one(sill, path), "same-words")["problem"]
    assert "scalco=-100" in text
    assert "words are zero" in text


def test_illegal_and_varying_scalars(sill, tmp_path):
    file = segy_files.make(20, 10)
    scalco = np.full(20, -100)
    scalco[7] = 82
    scalel = np.ones(20, int)
    scalel[[1, 2]] = -3
    times = np.zeros(20, int)
    times[19] = 7
    file.put_word("scalco", scalco).put_word("scalel", scalel).put(215, "i2", times)
    result = check_one(sill, file.write(tmp_path / "a.sgy"))
    assert only(result, "coordinate-scalar-illegal")["first_traces"] == [8]
    assert "82" in only(result, "coordinate-scalar-illegal")["problem"]
    assert only(result, "coordinate-scalar-illegal")["where"] == "trace 8, bytes 71-72"
    assert only(result, "coordinate-scalar-varies")["first_traces"] == [8]
    assert only(result, "elevation-scalar-illegal")["first_traces"] == [2, 3]
    assert only(result, "time-scalar-illegal")["first_traces"] == [20]
    assert only(result, "time-scalar-varies")["traces"] == 1
    assert {finding["grade"] for finding in result["findings"] if "scalar" in finding["kind"]} == {"minor"}


def test_legal_scalars_that_do_not_vary_are_no_finding(sill, tmp_path):
    for scalar in (0, 1, -1, 10, -10000):
        file = segy_files.make(5, 10).put_word("scalco", scalar).put_word("scalel", scalar).put(215, "i2", scalar)
        assert kinds_from_minor_up(check_one(sill, file.write(tmp_path / "a.sgy"))) - {"positions"} == set()


def test_time_scalar_is_no_word_of_revision_0_nor_of_seismic_unix(sill, tmp_path):
    old = segy_files.make(5, 10, revision=(0, 0)).put(215, "i2", 7)
    assert not findings(check_one(sill, old.write(tmp_path / "a.sgy")), "time-scalar-illegal")
    su = segy_forms.make_su(5, 10).put(215, "i2", 7)
    assert not findings(check_one(sill, su.write(tmp_path / "a.su")), "time-scalar-illegal")


def test_a_map_moves_the_words_that_are_looked_at(sill, tmp_path):
    file = segy_files.make(5, 10).put(233, "i2", 82)
    (tmp_path / "map.toml").write_text('[words.scalco]\nbyte = 233\ntype = "i2"\n')
    path = file.write(tmp_path / "a.sgy")
    found = json.loads(sill.run("check", path, "--json", "-", "--map", tmp_path / "map.toml").out)["files"][0]
    assert only(found, "coordinate-scalar-illegal")["where"].endswith("bytes 233-234")


def test_units(sill, tmp_path):
    file = segy_files.make(12, 10).put_binary(3255, "i2", 0)
    counit = np.ones(12, int)
    counit[3] = 2
    counit[5] = 9
    counit[7] = 0
    result = check_one(sill, file.put_word("counit", counit).write(tmp_path / "a.sgy"))
    assert only(result, "coordinate-units-unknown")["first_traces"] == [6]
    assert only(result, "coordinate-units-vary")["traces"] == 12
    assert only(result, "units-not-stated")["traces"] == 9
    assert only(result, "coordinates-are-angles")["first_traces"] == [4]
    assert only(result, "coordinate-units-not-stated")["first_traces"] == [8]


def test_ns_and_dt_of_all_traces_are_held_against_the_file(sill, tmp_path):
    """Also between those that describing the file looks at, and each is told once."""
    file = segy_files.make(101, 10)
    ns, dt = np.full(101, 10), np.full(101, 2000)
    ns[[20, 21]] = 11
    ns[30] = 0
    dt[40] = 4000
    result = check_one(sill, file.put_word("ns", ns).put_word("dt", dt).write(tmp_path / "a.sgy"))
    by_grade = {finding["grade"]: finding["first_traces"] for finding in findings(result, "samples-differ")}
    assert by_grade == {"minor": [21, 22], "info": [31]}
    assert only(result, "interval-differs")["first_traces"] == [41]
    ns[:] = 0
    result = check_one(sill, file.put_word("ns", ns).write(tmp_path / "b.sgy"))
    told = [finding for finding in result["findings"] if "115-116" in finding["where"]]
    assert [finding["traces"] for finding in told] == [101]


def test_lists_of_traces_are_bounded_and_counts_are_not(sill, tmp_path):
    file = segy_files.make(300, 10)
    file.put_samples(np.zeros((300, 10)))
    finding = only(check_one(sill, file.write(tmp_path / "a.sgy")), "zero")
    assert finding["traces"] == 300
    assert finding["first_traces"] == list(range(1, 11))
    assert finding["where"].startswith("traces 1, 2, 3, 4, 5 and 295 more")


def test_duplicates_need_all_bytes_but_1_to_8(sill, tmp_path):
    file = segy_files.make(40, 30)
    for repeat, first, at in ((10, 0, None), (11, 1, 8), (12, 2, 239), (13, 3, 240), (14, 4, 240 + 119)):
        file.rows[repeat, 8:] = file.rows[first, 8:]
        if at is not None:
            file.rows[repeat, at] ^= 1
    file.rows[39, 8:] = file.rows[0, 8:]
    result = check_one(sill, file.write(tmp_path / "a.sgy"))
    assert result["duplicates"] == [{"trace": 11, "repeats": 1}, {"trace": 40, "repeats": 1}]


def test_long_traces_are_read_in_parts(sill, tmp_path):
    """Of 4 MB each, more than is read at once: the same facts."""
    file = segy_forms.make(3, 1_000_003, code=5)
    file.rows[2, 8:] = file.rows[0, 8:]
    result = check_one(sill, file.write(tmp_path / "a.sgy"))
    values = file.samples().astype(np.float64)
    assert result["duplicates"] == [{"trace": 3, "repeats": 1}]
    assert result["amplitudes"]["samples"] == values.size
    assert result["amplitudes"]["largest"] == values.max()
    assert result["amplitudes"]["rms"] == pytest.approx(np.sqrt(np.mean(values**2)), rel=1e-12)


def test_lengths_that_vary(sill, tmp_path):
    lengths = varied_files.any_samples(61)
    file = varied_files.make(lengths, su=False)
    result = check_one(sill, file.write(tmp_path / "a.sgy"))
    assert (result["traces"], result["lengths_vary"]) == (61, True)
    assert result["amplitudes"]["samples"] == sum(lengths)
    assert not findings(result, "samples-differ")
    cut = tmp_path / "cut.sgy"
    cut.write_bytes(file.to_bytes()[:-10])
    result = check(sill, cut, expect=3)["files"][0]
    assert (result["traces"], result["worst"]) == (60, "critical")
    assert result["amplitudes"]["samples"] == sum(lengths[:-1])
    assert result["geometry"] is None
    assert "extends beyond the end" in result["no_geometry"]


@pytest.mark.parametrize("headers", [None, [1, 3, 2, 1, 1, 1]])
def test_additional_headers_count_for_duplicates_and_words(sill, tmp_path, headers):
    if headers is None:
        file = segy_forms.make(6, 10, additional=2)
        file.rows[4, 8:] = file.rows[1, 8:]
        file.rows[5, 8:] = file.rows[1, 8:]
        file.rows[5, 300] ^= 255
        assert check_one(sill, file.write(tmp_path / "a.sgy"))["duplicates"] == [{"trace": 5, "repeats": 2}]
    else:
        file = varied_files.make([10, 20, 10, 30, 10, 10], headers=headers)
        result = check_one(sill, file.write(tmp_path / "a.sgy"))
        assert result["traces"] == 6


def test_no_traces_and_no_samples(sill, tmp_path):
    result = check_one(sill, segy_files.make(0, 10).write(tmp_path / "a.sgy"))
    assert result["traces"] == result["amplitudes"]["samples"] == 0
    assert result["same_words"] == []
    one = check_one(sill, segy_files.make(1, 1).write(tmp_path / "b.sgy"))
    assert one["amplitudes"]["samples"] == 1


def test_seismic_unix(sill, tmp_path):
    file = segy_forms.make_su(30, 25)
    file.rows[9, 8:] = file.rows[2, 8:]
    result = check_one(sill, file.write(tmp_path / "a.su"))
    assert result["format"] == "Seismic Unix"
    assert result["duplicates"] == [{"trace": 10, "repeats": 3}]
    assert result["text_header"] == []
    assert result["revision"] is None


def test_ranks_without_traces(sill, tmp_path):
    path = segy_files.make(1, 10).write(tmp_path / "a.sgy")
    alone = sill.run("check", path, "--json", "-").out
    assert sill.run("check", path, "--json", "-", ranks=2).out == alone


def test_real_files(sill, samples):
    dead = check_one(sill, samples / "segysak_f3-withdead.sgy")
    assert dead["traces"] == 239
    scalar = check_one(sill, samples / "obspy_ld0042_ibm.sgy")
    assert "82" in only(scalar, "coordinate-scalar-illegal")["problem"]
    assert check_one(sill, samples / "zfp_small-duplicate-traceheaders.sgy")["duplicates"] == []
    assert check(sill, samples / "segyio_broken.sgy", expect=3)["worst"] == "critical"


def test_values_beyond_squares_of_doubles(sill, tmp_path):
    file = segy_forms.make(2, 4, code=6)
    file.put_samples(np.array([[1e200, -1e300, 0, 1], [1, 2, 3, 4]]))
    amplitudes = check_one(sill, file.write(tmp_path / "a.sgy"))["amplitudes"]
    assert amplitudes["rms"] is None
    assert (amplitudes["smallest"], amplitudes["largest"]) == (-1e300, 1e200)


def test_ibm_floats_beyond_ieee_floats(sill, tmp_path):
    file = segy_files.make(1, 4, code=1)
    words = [0x7FFFFFFF, 0x00000001, 0x80000000, 0x41100000]
    file.rows[0, 240:] = np.frombuffer(struct.pack(">4I", *words), np.uint8)
    amplitudes = check_one(sill, file.write(tmp_path / "a.sgy"))["amplitudes"]
    values = segy_files.ibm_values(np.array(words, np.uint32))
    assert amplitudes["largest"] == values.max()
    assert amplitudes["zeros"] == 1
    assert amplitudes["rms"] == pytest.approx(np.sqrt(np.mean(values**2)), rel=1e-12)


def test_what_is_assumed_counts_for_samples_and_geometry(sill, tmp_path):
    file = segy_files.make(12, 10, order="little")
    result = check_one(sill, file.write(tmp_path / "a.sgy"))
    assumed = json.loads(
        sill.run("check", tmp_path / "a.sgy", "--assume", "sample_format=2", "--json", "-").out
    )["files"][0]
    assert result["sample_format"] == 5
    assert assumed["sample_format"] == 2
    values = file.samples().view("<i4")
    assert assumed["amplitudes"]["largest"] == values.max()
    assert assumed["geometry"] is not None


@pytest.mark.parametrize(("kind", "wild"), [("i1", 82), ("i4", 65536 + 100), ("u4", 2**32 - 100), ("i8", -(2**63))])
def test_mapped_words_of_any_width_are_counted(sill, tmp_path, kind, wild):
    scalars = np.full(40, 100)
    file = segy_files.make(40, 10).put(233, kind, np.where(np.arange(40) == 3, wild, scalars))
    (tmp_path / "map.toml").write_text(f'[words.scalco]\nbyte = 233\ntype = "{kind}"\n')
    path = file.write(tmp_path / "a.sgy")
    found = check(sill, path, "--map", tmp_path / "map.toml")["files"][0]
    illegal = only(found, "coordinate-scalar-illegal")
    assert illegal["first_traces"] == [4]
    assert illegal["where"] == f"trace 4, bytes 233-{232 + int(kind[-1])}"
    assert str(wild) in illegal["problem"]
    assert str(abs(wild)) in illegal["action"]
    assert illegal["clause"].endswith("bytes 71-72")


def test_a_word_of_many_illegal_values_is_told_in_few_findings(sill, tmp_path):
    file = segy_files.make(40, 10).put_word("scalco", np.arange(11, 51))
    found = findings(check_one(sill, file.write(tmp_path / "a.sgy")), "coordinate-scalar-illegal")
    assert sorted(finding["traces"] for finding in found) == [1, 1, 1, 1, 1, 35]


@pytest.mark.parametrize("ranks", [None, 2])
def test_auxiliary_traces_count_for_no_amplitude(sill, tmp_path, ranks):
    file = segy_files.make(12, 50)
    trid = np.where(np.arange(12) % 4 == 3, 6, 1)
    samples = np.where((trid == 1)[:, None], np.sin(np.arange(50))[None, :], 1e6).astype(">f4")
    file.rows[:, 240:] = samples.view("u1")
    path = file.put_word("trid", trid).write(tmp_path / "in.sgy")
    result = check_one(sill, path, ranks=ranks)
    assert result["amplitudes"]["largest"] <= 1 and result["amplitudes"]["samples"] == 9 * 50
    assert max(entry["highest"] for entry in result["amplitudes"]["percentiles"]) <= 1
    assert only(result, "auxiliary")["traces"] == 3


@pytest.mark.parametrize("scale, factor", [(-100, None), (1, "100"), (-10000, "100")])
def test_bins_that_no_survey_has(sill, tmp_path, scale, factor):
    ilines, xlines = survey_shapes.grid_numbers(range(20, 40), range(7, 27))
    x, y = survey_shapes.turned(ilines, xlines, origin=(4e5, 6e6), degrees=30, between_ilines=25, between_xlines=12.5)
    file = survey_shapes.with_words(
        len(ilines), scale=scale, iline=ilines, xline=xlines,
        cdpx=survey_shapes.stored(x, -100), cdpy=survey_shapes.stored(y, -100),
    )  # fmt: skip
    bins = findings(check_one(sill, file.write(tmp_path / "a.sgy")), "bin-size")
    assert len(bins) == (0 if factor is None else 1)
    if bins:
        assert f"wrong by a factor of {factor}" in bins[0]["problem"]


def test_many_files_end_with_a_table(sill, tmp_path):
    good = segy_files.make(30, 20).write(tmp_path / "good.sgy")
    file = segy_files.make(30, 20)
    file.rows[3, 240:] = np.full(20, np.nan, ">f4").view("u1")
    bad = file.write(tmp_path / "bad.sgy")
    none = tmp_path / "none.sgy"
    none.write_bytes(b"nothing")
    out = sill.run("check", good, bad, none, expect=3).out.splitlines()
    table = out[-5:]
    assert table[0].split() == ["file", "traces", "critical", "major", "minor", "info"]
    assert [line.split()[0] for line in table[1:4]] == [str(good), str(bad), str(none)]
    assert table[1].split()[1:5] == ["30", "0", "0", "0"] and table[2].split()[3] == "1"
    assert table[3].endswith("not checked")
    assert table[4].startswith("3 files: 1 not checked, 1 with findings of grade major at most")
    assert "file   " not in sill.run("check", good).out.splitlines()[-1]
