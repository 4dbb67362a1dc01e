"""The oracle itself: segy_files against segyio and against known bytes. Needs no program."""

import numpy as np
import pytest
import segy_files

segyio = pytest.importorskip("segyio")


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("code", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("extended", [0, 2])
def test_segyio_reads_what_the_oracle_writes(tmp_path, code, order, extended):
    file = segy_files.make(7, 9, code=code, order=order, extended=extended)
    path = file.write(tmp_path / "f.sgy")
    with segyio.open(path, ignore_geometry=True, endian=order) as opened:
        assert opened.tracecount == 7
        assert len(opened.samples) == 9
        assert opened.ext_headers == extended
        assert opened.bin[3225] == code
        expected = file.samples()
        assert np.array_equal(opened.trace.raw[:].astype(np.float64), expected.astype(np.float64))
        for byte, _, name in segy_files.SU_WORDS:
            assert np.array_equal(opened.attributes(byte)[:], file.word(name)), name


@pytest.mark.parametrize(
    "word, value",
    [
        (0x40010000, 0.00390625),  # unnormalised
        (0x46001000, 4096.0),  # unnormalised
        (0xC276A000, -118.625),
        (0x42640000, 100.0),
        (0x00000000, 0.0),
    ],
)
def test_known_ibm_words(word, value):
    assert segy_files.ibm_values([word])[0] == value


def test_ibm_words_come_back():
    random = np.random.default_rng(4)
    normalised = random.integers(1 << 20, 1 << 24, 1000) | random.integers(0, 256, 1000) << 24
    assert np.array_equal(segy_files.ibm_words(segy_files.ibm_values(normalised)), normalised)


def test_ibm_ties_go_to_even():
    step = 2.0**-20  # of the last place at 1.0
    assert segy_files.ibm_words([1 + step / 2])[0] == 0x41100000
    assert segy_files.ibm_words([1 + 3 * step / 2])[0] == 0x41100002


def test_pairwise_bytes():
    assert segy_files.encode(0x01020304, "i4", "pairwise").tolist() == [2, 1, 4, 3]
    assert segy_files.encode(0x0102, "i2", "pairwise").tolist() == [2, 1]
    assert segy_files.decode(np.array([2, 1, 4, 3], dtype=np.uint8), "i4", "pairwise") == 0x01020304


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("kind, value", [("i3", -2), ("u3", 0xFEDCBA), ("i5", -(1 << 38)), ("u6", 1 << 47), ("i7", 5)])
def test_odd_widths(kind, value, order):
    raw = segy_files.encode(np.array([value]), kind, order)
    assert bytes(raw[0]) == value.to_bytes(int(kind[1]), order, signed=kind[0] == "i")
    assert segy_files.decode(raw, kind, order)[0] == value


def test_parse_undoes_to_bytes():
    file = segy_files.make(5, 6, code=1, order="little", extended=1)
    again = segy_files.parse(file.to_bytes(), order="little", extended=1)
    assert again.to_bytes() == file.to_bytes()
    assert np.array_equal(again.samples(), file.samples())


def test_sort_order_is_stable_with_nan_last():
    file = segy_files.make(6, 1)
    file.put(233, "f4", [2.0, np.nan, -0.0, 0.0, np.nan, -1.0])
    assert segy_files.sort_order(file, ["@233:f4"]).tolist() == [5, 2, 3, 0, 1, 4]
    assert segy_files.sort_order(file, ["-@233:f4"]).tolist() == [0, 2, 3, 5, 1, 4]
