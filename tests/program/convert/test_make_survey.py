"""`sill make-survey`: a sound, deterministic survey whose headers agree with each other."""

import hashlib
import json

import numpy as np
import pytest
import segy_files
from presets import PRESETS

CODES = {"ibm": 1, "int32": 2, "int16": 3, "ieee": 5, "int8": 8}


def survey(sill, path, *options, traces=240, samples=50, order="big", **run_options) -> segy_files.Segy:
    sill.run("make-survey", path, "--traces", traces, "--samples", samples, *options, **run_options)
    file = segy_files.read(path, order=order)
    assert (file.traces, file.tail) == (traces, b"")
    return file


@pytest.mark.parametrize("sample_format", CODES)
@pytest.mark.parametrize("order", ["big", "little"])
def test_segyio_reads_it(sill, tmp_path, sample_format, order):
    segyio = pytest.importorskip("segyio")
    path = tmp_path / "s.sgy"
    file = survey(sill, path, "--sample-format", sample_format, "--byte-order", order, order=order)
    assert file.code == CODES[sample_format]
    with segyio.open(path, strict=False, ignore_geometry=True, endian=order) as opened:
        assert opened.tracecount == 240
        assert len(opened.samples) == 50
        values = opened.trace.raw[:].astype(np.float64)
    assert np.isfinite(values).all()
    assert np.ptp(values) > 0
    assert np.array_equal(values, file.samples().astype(np.float64))


def test_headers(sill, tmp_path):
    file = survey(sill, tmp_path / "s.sgy", "--interval", 4000, "--channels", 24)
    assert (file.binary(3217, "u2"), file.binary(3221, "u2")) == (4000, 50)
    assert file.head[3500:3502].tolist() == [1, 0]
    assert np.all(file.word("ns") == 50) and np.all(file.word("dt") == 4000)
    assert np.array_equal(file.word("tracl"), np.arange(1, 241))
    assert np.all(file.word("counit") == 1)
    shots, sizes = np.unique(file.word("fldr"), return_counts=True)
    assert len(shots) == 10 and set(sizes) == {24}
    assert np.all(np.diff(file.word("fldr")) >= 0)  # shot-ordered
    assert all(len(np.unique(file.word("tracf")[file.word("fldr") == shot])) == 24 for shot in shots)


def test_geometry_is_consistent(sill, tmp_path):
    file = survey(sill, tmp_path / "s.sgy", "--channels", 24, traces=480)
    assert set(file.word("scalco")) <= {-10, -100, -1000, -10000}
    unit = 1.0
    distance = segy_files.derived(file, "calc_offset")
    assert np.all(np.abs(np.abs(file.word("offset")) - distance) <= unit)
    assert np.ptp(distance) > 0
    for shot in np.unique(file.word("fldr")):
        one = file.word("fldr") == shot
        assert len(np.unique(file.word("sx")[one])) == len(np.unique(file.word("sy")[one])) == 1
    x, y = segy_files.derived(file, "midpoint_x"), segy_files.derived(file, "midpoint_y")
    cdps, folds = np.unique(file.word("cdp"), return_counts=True)
    assert folds.max() > 1 and len(cdps) > 24
    centres = np.array([[x[file.word("cdp") == c].mean(), y[file.word("cdp") == c].mean()] for c in cdps])
    bin_size = np.median(np.hypot(*np.diff(centres, axis=0).T))
    for cdp, (centre_x, centre_y) in zip(cdps, centres):
        of_cdp = file.word("cdp") == cdp
        assert np.hypot(x[of_cdp] - centre_x, y[of_cdp] - centre_y).max() <= bin_size


@pytest.mark.parametrize("revision", [0, 1])
def test_revision(sill, tmp_path, revision):
    file = survey(sill, tmp_path / "s.sgy", "--revision", revision)
    assert file.head[3500:3502].tolist() == [revision, 0]


@pytest.mark.parametrize("traces, channels", [(1, 24), (25, 24), (7, 100)])
def test_last_shot_may_be_cut(sill, tmp_path, traces, channels):
    survey(sill, tmp_path / "s.sgy", "--channels", channels, traces=traces)


def test_deterministic(sill, tmp_path):
    for name in ("a", "b"):
        survey(sill, tmp_path / name, "--seed", 5)
    survey(sill, tmp_path / "c", "--seed", 6)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_the_plain_kind_stays_as_it_is(sill, tmp_path):
    """Benchmarks compare with figures of the past, which are of these bytes."""
    path = tmp_path / "s.sgy"
    survey(sill, path, "--kind", "plain", "--channels", 24)
    after_text = hashlib.sha256(path.read_bytes()[3200:]).hexdigest()
    assert after_text == "a2d417445528fa941fabd1b13f1b6545b790cb71553b95310a034a0b07b74519"


def test_ibm_and_ieee_agree(sill, tmp_path):
    ieee = survey(sill, tmp_path / "ieee.sgy", "--sample-format", "ieee")
    ibm = survey(sill, tmp_path / "ibm.sgy", "--sample-format", "ibm")
    assert np.array_equal(ieee.rows[:, :240], ibm.rows[:, :240])
    assert np.allclose(ieee.samples().astype(np.float64), ibm.samples(), rtol=2.0**-20, atol=0)


def test_byte_orders_agree(sill, tmp_path):
    big = survey(sill, tmp_path / "big.sgy", "--byte-order", "big")
    little = survey(sill, tmp_path / "little.sgy", "--byte-order", "little", order="little")
    assert np.array_equal(big.samples(), little.samples())
    for _, _, name in segy_files.SU_WORDS:
        assert np.array_equal(big.word(name), little.word(name)), name


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.mpich), 3])
def test_ranks_write_the_same_bytes(sill, tmp_path, ranks):
    survey(sill, tmp_path / "alone.sgy", "--sample-format", "ibm", traces=101)
    survey(sill, tmp_path / "ranks.sgy", "--sample-format", "ibm", traces=101, ranks=ranks)
    assert (tmp_path / "alone.sgy").read_bytes() == (tmp_path / "ranks.sgy").read_bytes()


@pytest.mark.parametrize("ranks", [None, 1, pytest.param(2, marks=pytest.mark.mpich), 4])
def test_presets_write_the_same_bytes(sill, tmp_path, ranks):
    survey(sill, tmp_path / "direct.sgy", traces=101)
    options = ("--traces", 101, "--samples", 50, "--policy")
    jobs = [("make-survey", tmp_path / f"by-{preset}.sgy", *options, preset) for preset in PRESETS]
    sill.run_together(jobs, ranks=ranks)
    for preset in PRESETS:
        assert (tmp_path / f"by-{preset}.sgy").read_bytes() == (tmp_path / "direct.sgy").read_bytes(), preset
    assert len(list(tmp_path.iterdir())) == 1 + len(PRESETS)


def test_threads_write_the_same_bytes(sill, tmp_path):
    for threads in (1, 2, 3):
        survey(sill, tmp_path / f"{threads}.sgy", "--threads", threads, traces=101)
    assert len({(tmp_path / f"{threads}.sgy").read_bytes() for threads in (1, 2, 3)}) == 1


@pytest.mark.parametrize("kind", ["plain", "line", "streamer", "cube"])
def test_memory_and_requests_stay_small(sill, tmp_path, kind):
    """Each thread makes and writes half a megabyte at a time."""
    path, report = tmp_path / "s.sgy", tmp_path / "report.json"
    arguments = ["make-survey", path, "--kind", kind, "--traces", 20000, "--samples", 500, "--report", report]
    code, peak_bytes = sill.run_measured(*arguments)
    assert code == 0
    assert peak_bytes < 32 << 20
    assert 40 < json.loads(report.read_text())["requests_written"] < 160  # of 45 MB


def test_the_whole_path(sill, tmp_path):
    """Make, look, sort, prove, sort back, compare: what the demonstration shows."""
    made, there, back = (tmp_path / name for name in ("made.sgy", "there.sgy", "back.sgy"))
    survey(sill, made, "--sample-format", "ibm", "--channels", 24)
    sill.run("info", made)
    sill.run("sort", made, "-o", there, "--by", "cdp,offset")
    assert "yes" in sill.run("scan", there, "--keys", "cdp,offset", "--stats").out.lower()
    sill.run("compare", made, there, expect=1)
    sill.run("sort", there, "-o", back, "--by", "tracl")
    sill.run("compare", made, back, "--ignore", "SortingCode")
    assert back.read_bytes()[3600:] == made.read_bytes()[3600:]


@pytest.mark.parametrize("revision, is_told", [("1", True), ("2.1", False)])
def test_little_endian_words_that_the_revision_has_not(sill, tmp_path, revision, is_told):
    made = ["make-survey", tmp_path / "s.sgy", "--traces", 3, "--samples", 4, "--byte-order", "little"]
    assert ("since revision 2.0" in sill.run(*made, "--revision", revision).err) == is_told
