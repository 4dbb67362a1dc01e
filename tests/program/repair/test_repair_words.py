"""`sill repair`: byte order, revision, and what traces tell."""

import numpy as np
import pytest
import segy_files
import segy_forms
from repairing import accepted, new_target, refused, repaired
from test_peculiarities import CASES, file, with_texts


@pytest.fixture
def target(tmp_path):
    return new_target(tmp_path)


@pytest.mark.parametrize("made, wanted", [("big", "little"), ("little", "big"), ("pairwise", "little")])
def test_byte_order(sill, tmp_path, target, made, wanted):
    options = {"code": 1, "revision": (1, 0)}
    content = file(order=made, **options).to_bytes()
    report = repaired(sill, content, tmp_path, target, "--byte-order", wanted)
    expected = file(order=wanted, **options)
    if made == "pairwise":
        expected.put_binary(3297, "i4", 16909060)
    assert target.read_bytes() == expected.to_bytes()
    assert report["repairs"][-1]["after"] == wanted


@pytest.mark.parametrize("revision", [(0, 0), (1, 0), (2, 1)])
def test_mixed_byte_orders(sill, tmp_path, target, revision):
    """A binary header of one order before traces of another: found, or told by the user, with the same end."""
    make = segy_forms.make if revision[0] == 2 else segy_files.make
    orders = {order: make(7, 30, revision=revision, order=order) for order in ("big", "little")}
    content = orders["big"].head.tobytes() + orders["little"].rows.tobytes()
    words = [] if revision[0] else ["--map", "standard"]  # bytes 181-240 of revision 0 may be anything
    report = repaired(sill, content, tmp_path, target)
    assert target.read_bytes() == orders["little"].to_bytes(), report
    assert "samples are assumed to be in little order" in report["said"]
    repaired(sill, content, tmp_path, target, "--byte-order", "big", *words)
    assert target.read_bytes() == orders["big"].to_bytes()
    if revision[0] == 2:
        return
    told = f"byte_order=little,samples=30,interval=2000,sample_format=5,revision={revision[0]}"
    repaired(sill, content, tmp_path, target, "--assume", told, *words)
    assert target.read_bytes() == orders["little"].to_bytes()


def test_revision(sill, tmp_path, target):
    content = segy_files.make(7, 30, revision=(0, 0)).to_bytes()
    repaired(sill, content, tmp_path, target, "--revision", "2.1")
    assert accepted(sill, target)["revision"] == "2.1"
    assert "extended text headers" in refused(sill, with_texts(2, 2), tmp_path, target, "--revision", "0", code=2)


def test_what_is_assumed_is_written(sill, tmp_path, target):
    report = repaired(sill, CASES["dt negative"].content, tmp_path, target, "--assume", "interval=2000")
    assert [(r["where"], r["after"]) for r in report["repairs"]] == [("bytes 3217-3218", "2000")]
    assert target.read_bytes() == file().to_bytes()
    unknown = file().put_binary(3225, "i2", 99)
    assert "--assume sample_format" in refused(sill, unknown.to_bytes(), tmp_path, target)
    repaired(sill, unknown.to_bytes(), tmp_path, target, "--assume", "sample_format=5")
    assert target.read_bytes() == file().to_bytes()


def test_an_interval_in_doubt_is_not_written_into_traces(sill, tmp_path, target):
    repaired(sill, CASES["dt negative"].content, tmp_path, target)
    assert target.read_bytes() == CASES["dt negative"].content


def test_traces_that_contradict_one_another(sill, tmp_path, target):
    """Where one length is not promised, only the user can say that they are of one."""
    made = file(60, 30, revision=(1, 0)).put_binary(3503, "i2", 0)
    ns = np.full(60, 30)
    ns[7] = 31
    content = made.put_word("ns", ns).to_bytes()
    assert "differ in length" in refused(sill, content, tmp_path, target)
    report = repaired(sill, content, tmp_path, target, "--assume", "lengths=fixed")
    assert target.read_bytes() == made.put_word("ns", 30).to_bytes()
    assert "of 1 trace header, the first of trace 8): 31 -> 30" in report["said"]


def test_only_what_contradicts_is_set(sill, tmp_path, target):
    ns, dt = np.full(60, 30), np.full(60, 2000)
    ns[[3, 9]], ns[[4, 5]], dt[[7, 8, 9]], dt[11] = [462, 463], 0, [4000, 500, 1], 0
    made = file(60, 30, revision=(1, 0)).put_binary(3503, "i2", 1).put_word("ns", ns).put_word("dt", dt)
    for ranks in (None, 1, 2, 3):
        report = repaired(sill, made.to_bytes(), tmp_path, target, "--threads", 2, ranks=ranks)
        wanted = made.copy().put_word("ns", np.where(ns == 0, 0, 30))
        assert target.read_bytes() == wanted.to_bytes()
        assert "2 trace headers, the first of trace 4): 462 to 463 -> 30" in report["said"]
        # Nothing proves an interval, so traces keep theirs; it is told, and set if the user says so.
        assert "3 trace headers, the first of trace 8, state an interval of 1 to 4000 us" in report["said"]
        assert "not changed" in report["said"] and "--assume interval=2000" in report["said"]
        report = repaired(sill, made.to_bytes(), tmp_path, target, "--assume", "interval=2000", ranks=ranks)
        assert target.read_bytes() == wanted.put_word("dt", np.where(dt == 0, 0, 2000)).to_bytes()
        assert "3 trace headers, the first of trace 8): 1 to 4000 -> 2000 us" in report["said"]


@pytest.mark.parametrize("ranks", [None, 2])
def test_all_traces_against_the_file_header(sill, tmp_path, target, ranks):
    """Size decides between numbers of samples, nothing between intervals."""
    made = file(revision=(1, 0)).put_word("dt", 4000)
    for options in ([], ["--dry-run"]):
        reason = refused(sill, made.to_bytes(), tmp_path, target, *options, ranks=ranks)
        assert "2000 us, and all 7 trace headers state 4000 us" in reason
        assert "interval=2000 or interval=4000" in reason
    for told in (2000, 4000):
        report = repaired(sill, made.to_bytes(), tmp_path, target, "--assume", f"interval={told}", ranks=ranks)
        assert target.read_bytes() == made.copy().put_binary(3217, "u2", told).put_word("dt", told).to_bytes()
        assert len(report["repairs"]) == 1 and accepted(sill, target)["interval_us"] == told
    several = made.copy().put_word("dt", 4000 + np.arange(7))
    assert "all 7 trace headers state 4000 to 4006 us" in refused(sill, several.to_bytes(), tmp_path, target, ranks=ranks)
    # The one that is padded counts, too.
    dt = np.full(7, 4000)
    dt[-1] = 2000
    cut = made.copy().put_word("dt", dt).to_bytes()
    refused(sill, cut[:-8], tmp_path, target, "--last-trace", "drop", ranks=ranks)
    repaired(sill, cut[:-8], tmp_path, target, "--last-trace", "pad", ranks=ranks)
    assert target.read_bytes() == cut[:-8] + bytes(8)


@pytest.mark.parametrize("others", [2, 50])
def test_intervals_that_differ_on_purpose(sill, tmp_path, target, others):
    first = file(7, revision=(1, 0)).write(tmp_path / "first.sgy")
    second = file(others, revision=(1, 0)).put_binary(3217, "u2", 4000).put_word("dt", 4000)
    merged = tmp_path / "merged.sgy"
    sill.run("merge", first, second.write(tmp_path / "second.sgy"), "-o", merged, "--on", "interval=vary")
    content = merged.read_bytes()
    assert set(segy_files.read(merged).word("dt")) == {2000, 4000}
    report = repaired(sill, content, tmp_path, target)
    assert report["repairs"] == [] and target.read_bytes() == content
    assert f"bytes 117-118 of {others} trace headers, the first of trace 8, state" in report["said"]


@pytest.mark.parametrize("stored", [(1, 0), (2, 1), (75, 13)])
@pytest.mark.parametrize("assumed", [0, 1, 2])
def test_the_revision_that_is_assumed_is_written(sill, tmp_path, target, stored, assumed):
    made = segy_forms.make(7, 30) if stored == (2, 1) else segy_files.make(7, 30, revision=stored)
    report = repaired(sill, made.to_bytes(), tmp_path, target, "--assume", f"revision={assumed}")
    written = {0: (0, 0), 1: (1, 0), 2: (2, 1)}[assumed]
    assert accepted(sill, target)["revision"] == f"{written[0]}.{written[1]}"
    assert target.read_bytes()[3500:3502] == bytes(written)
    assert ("nothing to repair" in report["said"]) == (stored == written)
    if assumed == 0:
        assert target.read_bytes()[3502:3504] == bytes(2)


@pytest.mark.parametrize("stored", [(0, 0), (87, 27)])
def test_a_tape_label_is_not_dropped_unasked(sill, tmp_path, target, stored):
    made = segy_forms.make(7, 30, label=True)
    made.put_binary(3501, "u1", stored[0]).put_binary(3502, "u1", stored[1])
    content = made.to_bytes()
    reason = refused(sill, content, tmp_path, target)
    assert "tape label of SY2.1" in reason and "--assume revision=2" in reason and "--revision 0" in reason
    repaired(sill, content, tmp_path, target, "--assume", "revision=2")
    assert target.read_bytes() == segy_forms.make(7, 30, label=True).to_bytes()
    target.unlink()
    repaired(sill, content, tmp_path, target, "--revision", "0")
    assert len(target.read_bytes()) == len(content) - 128


@pytest.mark.parametrize("revision", [(0, 0), (1, 0)])
def test_a_constant_of_swapped_pairs_before_revision_2(sill, tmp_path, target, revision):
    """Against all other words it is refused, until the order is told."""
    made = segy_files.make(80, 12, code=5, order="little", revision=revision).put_word("tracl", np.arange(1, 81))
    content = bytearray(made.to_bytes())
    content[3296:3300] = bytes([2, 1, 4, 3])
    assert "byte_order=little" in refused(sill, bytes(content), tmp_path, target)
    report = repaired(sill, bytes(content), tmp_path, target, "--assume", "byte_order=little")
    content[3296:3300] = bytes([4, 3, 2, 1])
    assert target.read_bytes() == content and "3297-3300" in report["said"]


def test_a_byte_order_constant_against_all_other_words(sill, tmp_path, target):
    made = segy_forms.make(80, 12, code=5, order="little")
    content = bytearray(made.to_bytes())
    content[3296:3300] = bytes([2, 1, 4, 3])
    assert "byte_order=little" in refused(sill, bytes(content), tmp_path, target)
    repaired(sill, bytes(content), tmp_path, target, "--assume", "byte_order=little")
    assert target.read_bytes() == made.to_bytes()


def test_samples_are_not_overwritten_as_headers(sill, tmp_path, target):
    """240 bytes missing, and the size divides without the additional header: what contradicts is no header."""
    made = segy_forms.make(100, 120, additional=1, code=5)
    whole = made.to_bytes()
    content = bytearray(whole[: 3600 + 40 * 960 + 500] + whole[3600 + 40 * 960 + 740 :])
    content[3506:3508] = bytes(2)
    content[3512:3520] = bytes(8)
    content = bytes(content[: 3600 + (len(content) - 3600) // 720 * 720])
    assert "unlike the first headers" in refused(sill, content, tmp_path, target)


def test_headers_that_are_none_are_told(sill, tmp_path, target):
    made = segy_files.make(100, 30, code=5).put_word("ns", 0).put_word("dt", 0)
    whole = made.to_bytes()
    at = 3600 + 52 * 360 + 300
    content = whole[:at] + whole[at + 8 :]
    report = repaired(sill, content[: 3600 + 99 * 360], tmp_path, target)
    assert "46 trace headers, the first of trace 54, are unlike" in report["said"]


def test_a_tape_label_that_changes_is_told(sill, tmp_path, target):
    made = segy_forms.make(9, 12, revision=(1, 0), label=True, told=False, constant=False).put_binary(3513, "u8", 0)
    content = made.to_bytes().replace(b"SY1.0", b"SY2.1", 1)
    report = repaired(sill, content, tmp_path, target)
    assert target.read_bytes() == made.to_bytes()
    assert [(r["what"], r["before"], r["after"]) for r in report["repairs"]] == [("tape label", "SY2.1", "SY1.0")]
