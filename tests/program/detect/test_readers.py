"""Other readers and the program: what they read of what it writes, and what it reads of what they write.

segyio 1.9.14 and ObsPy 1.5.1. Where they differ from the standard, the test says so and holds the program to the
standard.
"""

import json

import numpy as np
import pytest
import segy_files
import segy_forms
from converting import REVISIONS, WORD_OF, first_revision
from info_of import info, subset

segyio = pytest.importorskip("segyio")
obspy_segy = pytest.importorskip("obspy.io.segy.segy")
obspy_header = pytest.importorskip("obspy.io.segy.header")

pytestmark = pytest.mark.filterwarnings("ignore")

ORDERS = ["big", "little"]
# segyio 1.9.14 takes 3 bytes per sample for codes 7 and 15 to be IBM floats; see below.
SEGYIO_CODES = [1, 2, 3, 5, 6, 8, 9, 10, 11, 12, 16]
OBSPY_CODES = [1, 2, 3, 5]


def revisions_for(code: int) -> list[str]:
    return [name for name, stored in REVISIONS.items() if stored[0] >= first_revision(code)]


@pytest.fixture
def doubles(tmp_path):
    """A file of revision 2.1 whose samples every format holds, with random header words that are not negative."""
    file = segy_forms.make(25, 12, code=6, extended=2)
    file.put_samples(np.random.default_rng(9).integers(0, 128, (25, 12)))
    for byte, kind in segy_forms.LATE_WORDS:
        file.put(byte, kind, np.random.default_rng(byte).integers(-9999, 9999, 25))
    file.put(215, "i2", 0)  # times without a scalar, as in revision 0
    return file, file.write(tmp_path / "in.sgy")


def equals_in_segyio(path, file: segy_files.Segy, order: str, extended: int) -> None:
    with segyio.open(path, ignore_geometry=True, endian=order) as opened:
        assert (opened.tracecount, len(opened.samples), opened.ext_headers) == (file.traces, 12, extended)
        assert np.array_equal(opened.trace.raw[:].astype(np.float64), file.samples().astype(np.float64))
        for byte, _, name in segy_files.SU_WORDS:
            assert np.array_equal(opened.attributes(byte)[:], file.word(name)), name
        for byte, kind in segy_forms.LATE_WORDS:
            if byte not in (219, 221, 223):  # segyio has a mantissa of four bytes and an exponent there
                assert np.array_equal(opened.attributes(byte)[:], file.get(byte, kind)), byte
        for block in range(1 + extended):
            at = 0 if block == 0 else 400 + 3200 * block
            assert bytes(opened.text[block]) == file.head[at : at + 3200].tobytes().decode("cp037").encode("ascii")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("code", SEGYIO_CODES)
def test_segyio_reads_what_is_written(sill, tmp_path, doubles, code, order):
    file, path = doubles
    for revision in revisions_for(code):
        source, extended = path, 2
        if revision == "0":
            bare = segy_forms.make(25, 12, code=6)
            bare.rows = file.rows
            source, extended = bare.write(tmp_path / "bare.sgy"), 0
        target = tmp_path / f"{revision}.sgy"
        options = ["--sample-format", WORD_OF[code], "--byte-order", order, "--revision", revision]
        sill.run("convert", source, "-o", target, *options)
        equals_in_segyio(target, file, order, extended)
        with segyio.open(target, ignore_geometry=True, endian=order) as opened:
            assert (opened.bin[3225], opened.bin[3221], opened.bin[3217]) == (code, 12, 2000)
            if revision != "0":
                assert opened.bin[segyio.BinField.TraceFlag] == 1
                if order == "big":  # see test_the_revision_is_two_bytes
                    assert opened.bin[segyio.BinField.SEGYRevision] == REVISIONS[revision][0]


def test_more_samples_than_16_bits_in_segyio(sill, tmp_path):
    file = segy_forms.make(3, 66_000, code=3)
    target = tmp_path / "out.sgy"
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", target, "--sample-format", "int32")
    with segyio.open(target, ignore_geometry=True) as opened:
        assert np.array_equal(opened.trace.raw[:], file.samples())


@pytest.mark.parametrize("order", ORDERS)
def test_the_revision_is_two_bytes(sill, tmp_path, order):
    """SEG-Y rev 2.1, bytes 3501 and 3502: the major one first, in any byte order. segyio 1.9.14 swaps them as a word in
    little order, writes them so, and then does not look for what revision 2 adds."""
    target = tmp_path / "out.sgy"
    path = segy_files.make(20, 60).write(tmp_path / "in.sgy")  # enough samples to assess their format
    sill.run("convert", path, "-o", target, "--byte-order", order, "--revision", "2.1")
    assert target.read_bytes()[3500:3502] == b"\x02\x01"
    found = info(sill, target)
    assert found["revision"] == "2.1" and not found["diagnostics"]
    with segyio.open(target, ignore_geometry=True, endian=order) as opened:
        assert opened.bin[segyio.BinField.SEGYRevision] == (2 if order == "big" else 1)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("code, kind", [(7, "i3"), (15, "u3")])
def test_integers_of_24_bits(sill, tmp_path, order, code, kind):
    """SEG-Y rev 2.1, bytes 3225-3226: codes 7 and 15 are integers of 3 bytes. segyio 1.9.14 reads IBM floats of 4."""
    low, high = segy_files.integer_range(kind)
    file = segy_forms.make(24, 16, code=code, order=order)
    file.put_samples(np.linspace(low, high, 24 * 16).astype(np.int64).reshape(24, 16))
    path, target = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    sill.run("convert", path, "-o", target, "--sample-format", "int32")
    with segyio.open(target, ignore_geometry=True, endian=order) as opened:
        assert np.array_equal(opened.trace.raw[:], file.samples())
    with segyio.open(path, ignore_geometry=True, endian=order, strict=False) as opened:
        assert opened.trace.raw[:].dtype == np.float32


def obspy_word(header, field) -> int:
    return getattr(header, field[1])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("code", OBSPY_CODES)
@pytest.mark.parametrize("revision", ["0", "1", "2.1"])
def test_obspy_reads_what_is_written(sill, tmp_path, code, order, revision):
    file = segy_forms.make(25, 12, code=6)
    file.put_samples(np.random.default_rng(9).integers(0, 128, (25, 12)))
    target = tmp_path / "out.sgy"
    options = ["--sample-format", WORD_OF[code], "--byte-order", order, "--revision", revision]
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", target, *options)
    read = obspy_segy._read_segy(str(target))
    assert read.endian == (">" if order == "big" else "<")
    assert np.array_equal([trace.data for trace in read.traces], file.samples())
    words = {byte: (kind, name) for byte, kind, name in segy_files.SU_WORDS}
    seen = 0
    for field in obspy_header.TRACE_HEADER_FORMAT:
        byte = field[3] + 1
        if byte in words and segy_files.size_of(words[byte][0]) == field[0]:
            values = [obspy_word(trace.header, field) for trace in read.traces]
            assert np.array_equal(values, file.get(byte, words[byte][0])), field[1]
            seen += 1
    assert seen > 70


def test_extended_text_headers_are_no_traces(sill, tmp_path):
    """SEG-Y rev 1, bytes 3505-3506: ObsPy 1.5.1 knows none of them."""
    path = segy_files.make(6, 40, extended=3, revision=(1, 0)).write(tmp_path / "in.sgy")
    assert info(sill, path)["traces"] == 6
    with segyio.open(path, ignore_geometry=True) as opened:
        assert opened.tracecount == 6
    with pytest.raises(NotImplementedError):
        obspy_segy._read_segy(str(path))


@pytest.mark.parametrize("samples, interval", [(40_000, 50_000), (32_768, 32_768)])
def test_counts_of_16_bits_have_no_sign(sill, tmp_path, samples, interval):
    """SEG-Y rev 2.1, bytes 3217-3218 and 3221-3222: unsigned. segyio 1.9.14 gives the interval a sign."""
    path = segy_files.make(2, samples, code=8, interval_us=interval).write(tmp_path / "in.sgy")
    found = info(sill, path)
    assert (found["samples"], found["interval_us"]) == (samples, interval)
    with segyio.open(path, ignore_geometry=True) as opened:
        assert len(opened.samples) == samples
        assert opened.bin[3217] == interval - 65_536


def created_by_segyio(path, code: int, order: str, extended: int) -> np.ndarray:
    spec = segyio.spec()
    spec.format, spec.endian, spec.ext_headers = code, order, extended
    spec.samples, spec.tracecount = np.arange(12) * 4.0, 25
    values = np.random.default_rng(code).integers(0, 100, (25, 12))
    with segyio.create(path, spec) as file:
        file.text[0] = segyio.tools.create_text_header({1: "MADE BY SEGYIO"})
        for i in range(extended):
            file.text[1 + i] = segyio.tools.create_text_header({1: f"EXTENDED {i + 1}"})
        file.bin.update(hdt=4000, hns=12, rev=1, exth=extended, trflag=1)
        for i in range(25):
            file.header[i] = {1: i + 1, 21: 7 * i, 73: -100_000 * i, 71: -100, 115: 12, 117: 4000, 189: 5 + i, 193: 9}
            file.trace[i] = values[i].astype(file.dtype)
    return values


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("extended", [0, 2])
@pytest.mark.parametrize("code", SEGYIO_CODES)
def test_what_segyio_writes(sill, tmp_path, code, order, extended):
    path, target = tmp_path / "in.sgy", tmp_path / "out.sgy"
    values = created_by_segyio(path, code, order, extended)
    found = info(sill, path)
    expected = {
        "byte_order": order, "sample_format": code, "traces": 25, "samples": 12, "interval_us": 4000,
        "extended_text_headers": extended, "revision": "1.0" if order == "big" else "0.1", "text_encoding": "EBCDIC",
    }  # fmt: skip
    assert subset(found, expected) == expected
    sill.run("convert", path, "-o", target, "--sample-format", "ieee64", "--byte-order", "little", "--revision", "2.1")
    like = segy_forms.make(1, 12, code=6, order="little", extended=extended)
    made = segy_forms.parse(target.read_bytes(), like)
    assert np.array_equal(made.samples(), values)
    assert np.array_equal(made.word("cdp"), 7 * np.arange(25))
    assert np.array_equal(made.word("sx"), -100_000 * np.arange(25))
    assert np.array_equal(made.word("iline"), 5 + np.arange(25))
    assert made.word("scalco").tolist() == [-100] * 25


def stream_of(samples, dtype):
    """25 traces of 12 samples for ObsPy to write."""
    obspy = pytest.importorskip("obspy")
    traces = [obspy.Trace(np.require(row, dtype=dtype), header={"delta": 0.004}) for row in samples]
    for i, trace in enumerate(traces):
        words = {"trace_header": {"ensemble_number": 7 * i, "source_coordinate_x": -100_000 * i}}
        trace.stats.segy, trace.stats.su = words, words
    return obspy.Stream(traces)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("code", OBSPY_CODES)
@pytest.mark.parametrize("text", ["EBCDIC", "ASCII"])
def test_what_obspy_writes(sill, tmp_path, code, order, text):
    path, target = tmp_path / "in.sgy", tmp_path / "out.sgy"
    values = np.random.default_rng(code).integers(0, 100, (25, 12))
    stream = stream_of(values, {1: "f4", 2: "i4", 3: "i2", 5: "f4"}[code])
    sign = ">" if order == "big" else "<"
    stream.write(str(path), format="SEGY", data_encoding=code, byteorder=sign, textual_header_encoding=text)
    found = info(sill, path)
    expected = {"byte_order": order, "sample_format": code, "traces": 25, "samples": 12, "interval_us": 4000,
                "text_encoding": text}  # fmt: skip
    assert subset(found, expected) == expected
    sill.run("convert", path, "-o", target, "--sample-format", "ieee64", "--byte-order", "big", "--revision", "2.1")
    made = segy_forms.parse(target.read_bytes(), segy_forms.make(1, 12, code=6))
    assert np.array_equal(made.samples(), values)
    assert np.array_equal(made.word("cdp"), 7 * np.arange(25))
    assert np.array_equal(made.word("sx"), -100_000 * np.arange(25))


@pytest.mark.parametrize("order", ORDERS)
def test_seismic_unix_that_obspy_writes(sill, tmp_path, order):
    path, target = tmp_path / "in.su", tmp_path / "out.sgy"
    values = np.random.default_rng(1).standard_normal((25, 12)).astype(np.float32)
    stream_of(values, "f4").write(str(path), format="SU", byteorder=">" if order == "big" else "<")
    found = info(sill, path)
    expected = {"format": "Seismic Unix", "byte_order": order, "traces": 25, "samples": 12, "interval_us": 4000}
    assert subset(found, expected) == expected
    sill.run("convert", path, "-o", target)
    made = segy_files.read(target)
    assert np.array_equal(made.samples(), values)
    assert np.array_equal(made.word("cdp"), 7 * np.arange(25))
    with segyio.open(target, ignore_geometry=True) as opened:
        assert np.array_equal(opened.trace.raw[:], values)
        assert np.array_equal(opened.attributes(73)[:], -100_000 * np.arange(25))


@pytest.mark.parametrize("order", ORDERS)
def test_seismic_unix_that_is_written(sill, tmp_path, order):
    file = segy_files.make(25, 12, code=3)
    target = tmp_path / "out.su"
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", target, "--byte-order", order)
    read = obspy_segy._read_su(str(target))
    assert np.array_equal([trace.data for trace in read.traces], file.samples())
    assert [trace.header.ensemble_number for trace in read.traces] == file.word("cdp").tolist()
    with segyio.su.open(target, ignore_geometry=True, endian=order) as opened:
        assert np.array_equal(opened.trace.raw[:], file.samples())
        for byte, _, name in segy_files.SU_WORDS:
            if byte < 181:
                assert np.array_equal(opened.attributes(byte)[:], file.word(name)), name


def test_the_programs_report_of_other_readers_files_is_free_of_serious_words(sill, tmp_path):
    path = tmp_path / "in.sgy"
    created_by_segyio(path, 5, "big", 0)
    found = json.loads(sill.run("info", "--json", path).out)
    assert not [d for d in found["diagnostics"] if d["grade"] in ("major", "critical")]
