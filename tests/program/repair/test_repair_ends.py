"""`sill repair` and the last trace: cut, missing, or not there."""

import numpy as np
import pytest
import segy_files
import segy_forms
from repairing import accepted, new_target, refused, repaired
from test_peculiarities import file


@pytest.fixture
def target(tmp_path):
    return new_target(tmp_path)


@pytest.mark.parametrize("code", [1, 2, 3, 5, 7, 8])
@pytest.mark.parametrize("cut", [1, 30, "all samples"])
def test_padded(sill, tmp_path, target, code, cut):
    made = segy_forms.make(7, 30, code=code)
    width = segy_files.size_of(segy_files.SAMPLE_TYPES[code])
    missing_bytes = 30 * width if cut == "all samples" else cut
    report = repaired(sill, made.to_bytes()[:-missing_bytes], tmp_path, target, "--last-trace", "pad")
    missing = -(-missing_bytes // width)
    wanted = made.copy()
    wanted.rows[-1, len(wanted.rows[-1]) - missing * width :] = 0
    assert target.read_bytes() == wanted.to_bytes()
    assert f"the last {missing} samples are zero" in report["said"]
    assert (report["traces_in"], report["traces_out"]) == (6, 7)


@pytest.mark.parametrize("what", ["drop", "pad"])
@pytest.mark.parametrize("ranks", [None, 1, 3])
def test_the_last_of_many_lengths(sill, tmp_path, target, what, ranks):
    lengths = [20, 31, 7, 31, 12, 25, 40, 33, 21]
    made = segy_files.make(9, 40, code=5, order="little")
    whole = segy_forms.varying(made, lengths)
    repaired(sill, whole[:-10], tmp_path, target, "--last-trace", what, ranks=ranks)
    kept = segy_forms.varying(made.permuted(np.arange(8)), lengths[:8])
    assert target.read_bytes() == (kept if what == "drop" else whole[:-12] + bytes(12))
    if ranks is None:
        assert "--last-trace" in refused(sill, whole[:-10], tmp_path, target)


def test_no_last_trace_longer_than_any_other_is_made(sill, tmp_path, target):
    lengths = [20, 31, 7, 31, 12, 25, 40, 33, 21]
    made = segy_files.make(9, 40)
    whole = segy_forms.varying(made, lengths)
    cut = bytearray(whole[:-10])
    at = len(whole) - 240 - 84 + 114
    cut[at : at + 2] = (60_000).to_bytes(2, "big")
    assert "longer than any other" in refused(sill, bytes(cut), tmp_path, target, "--last-trace", "pad")
    repaired(sill, bytes(cut), tmp_path, target, "--last-trace", "drop")


@pytest.mark.parametrize("what", ["drop", "pad"])
def test_numbers_of_revision_2(sill, tmp_path, target, what):
    made = segy_forms.make(9, 30, additional=1)
    report = repaired(sill, made.to_bytes()[:-7], tmp_path, target, "--last-trace", what)
    wanted = made.permuted(np.arange(8)).put_binary(3513, "u8", 8) if what == "drop" else made.copy()
    if what == "pad":
        wanted.rows[-1, -8:] = 0
    assert target.read_bytes() == wanted.to_bytes()
    assert [r["where"] for r in report["repairs"]] == ["byte 8401"] + (["bytes 3513-3520"] if what == "drop" else [])


def test_whole_traces_that_are_missing_are_told(sill, tmp_path, target):
    made = segy_forms.make(9, 30)
    report = repaired(sill, made.permuted(np.arange(5)).to_bytes(), tmp_path, target)
    assert [(r["where"], r["before"], r["after"]) for r in report["repairs"]] == [("bytes 3513-3520", "9", "5")]
    assert "the file is truncated" in report["said"]


@pytest.mark.parametrize("zeros", [1, 239])
def test_less_than_a_header_can_only_be_dropped(sill, tmp_path, target, zeros):
    content = file().to_bytes() + bytes(zeros)
    assert "drop" in refused(sill, content, tmp_path, target)
    assert "fewer than" in refused(sill, content, tmp_path, target, "--last-trace", "pad")
    repaired(sill, content, tmp_path, target, "--last-trace", "drop")
    assert target.read_bytes() == file().to_bytes()


@pytest.mark.parametrize("missing", [1, 37, 360 + 4, 2000])
def test_bytes_missing_inside(sill, tmp_path, target, missing):
    content = file(60).to_bytes()
    hole = content[:9000] + content[9000 + missing :]
    for what in ("drop", "pad"):
        assert "missing inside" in refused(sill, hole, tmp_path, target, "--last-trace", what)
    trailed = segy_forms.make(60, 30, trailers=1).to_bytes()
    assert "missing inside" in refused(
        sill, trailed[:9000] + trailed[9000 + missing :], tmp_path, target, "--last-trace", "drop"
    )


def bare(traces, samples, code=5):
    """Headers that tell samples, interval and number alone: all but alike, as where every trace is displaced."""
    made = file(traces, samples, code=code)
    made.rows[:, :240] = 0
    made.put_word("tracl", np.arange(1, traces + 1))
    return made.put_word("ns", samples).put_word("dt", 2000)


@pytest.mark.parametrize("make", [bare, file, segy_forms.make])
@pytest.mark.parametrize("trace", [0, 1, 20, 38])
@pytest.mark.parametrize("at", [60, 150, 300])
def test_a_hole_that_displaces_all_later_traces_alike(sill, tmp_path, target, make, trace, at):
    whole = make(40, 100).to_bytes()
    begin = 3600 + trace * 640 + at
    for missing in (1, 2, 4, 100, 220):
        hole = whole[:begin] + whole[begin + missing :]
        for what in ("drop", "pad"):
            reason = refused(sill, hole, tmp_path, target, "--last-trace", what)
            assert "missing inside" in reason or "not begin with a trace header like" in reason
            both = refused(sill, hole[:-50], tmp_path, target, "--last-trace", what)  # cut, too
            assert "missing inside" in both or "not begin with a trace header like" in both


@pytest.mark.parametrize("make", [bare, file])
@pytest.mark.parametrize("added", [1, 4, 100, 239])
@pytest.mark.parametrize("trace", [0, 1, 20])
def test_bytes_inserted_inside(sill, tmp_path, target, make, added, trace):
    whole = make(40, 100).to_bytes()
    begin = 3600 + trace * 640 + 300
    more = whole[:begin] + b"\x5a" * added + whole[begin:]
    reason = refused(sill, more, tmp_path, target, "--last-trace", "drop")
    assert "missing inside" in reason


def test_the_trace_after_the_hole_is_named(sill, tmp_path, target):
    whole = bare(400, 100).to_bytes()
    begin = 3600 + 122 * 640 + 300
    assert "before trace 124:" in refused(
        sill, whole[:begin] + whole[begin + 8 :], tmp_path, target, "--last-trace", "drop"
    )


def test_bytes_inserted_and_zeros_at_the_end_are_no_padding(sill, tmp_path, target):
    made = bare(40, 100)
    made.rows[-1, 240:] = 0
    whole = made.to_bytes()
    more = whole[:5000] + bytes(300) + whole[5000:]
    assert "missing inside" in refused(sill, more, tmp_path, target)


@pytest.mark.parametrize("make", [bare, file, segy_forms.make, segy_forms.make_su])
@pytest.mark.parametrize("left", [1, 4, 100, 239, 240, 244, 500, 639])
def test_a_true_cut_is_none(sill, tmp_path, target, make, left):
    made = make(40, 100)
    repaired(sill, made.to_bytes()[: left - 640], tmp_path, target, "--last-trace", "drop")
    made.rows = made.rows[:-1]
    wanted = made.put_binary(3513, "u8", 39) if make is segy_forms.make else made
    assert target.read_bytes() == wanted.to_bytes()


def test_traces_of_a_cut_file_that_contradict_one_another_are_not_overwritten(sill, tmp_path, target):
    ns = np.full(400, 100)
    ns[123] = 99
    content = bare(400, 100).put_word("ns", ns).to_bytes()[:-8]
    reason = refused(sill, content, tmp_path, target, "--last-trace", "drop", "--assume", "samples=100")
    assert "115-116 of 1 trace header, the first of trace 124, state 99 samples instead of 100" in reason
    alike = bare(400, 100).put_word("ns", 99).to_bytes()[:-8]
    repaired(sill, alike, tmp_path, target, "--last-trace", "drop", "--assume", "samples=100")


def test_other_orders_of_header_and_traces_in_a_cut_file_must_be_told(sill, tmp_path, target):
    little, big = bare(40, 100).to_bytes(), file(40, 100, order="little").to_bytes()
    content = little[:3600] + big[3600:-8]
    reason = refused(sill, content, tmp_path, target, "--last-trace", "drop")
    assert "missing inside" in reason and "--assume byte_order" in reason


def test_nothing_is_cut(sill, tmp_path, target):
    assert "had no effect" in repaired(sill, file().to_bytes(), tmp_path, target, "--last-trace", "drop")["said"]


@pytest.mark.parametrize("what", ["drop", "pad"])
def test_a_cut_trace_of_another_length_than_all_whole_ones(sill, tmp_path, target, what):
    """That all whole traces are alike says nothing of the one that was cut."""
    made = segy_forms.make(6, 150, additional=1, code=5).put_binary(3503, "i2", 0)
    lengths = [100, 100, 100, 100, 100, 150]
    whole = segy_forms.varying(made, lengths, [1] * 6)
    cut = whole[: -30 * 4]
    options = ["--last-trace", what, "--assume", "lengths=vary"]
    if what == "pad":
        assert "longer than any other" in refused(sill, cut, tmp_path, target, *options)
        return
    repaired(sill, cut, tmp_path, target, *options)
    assert target.read_bytes()[3600:] == whole[3600 : len(whole) - 480 - 150 * 4]
    assert accepted(sill, target)["samples"] == 100


def test_the_only_whole_trace_of_many_lengths(sill, tmp_path, target):
    """Nothing but its own header states where it ends."""
    made = segy_files.make(2, 240, code=5)
    whole = segy_forms.varying(made, [9, 240])
    repaired(sill, whole[:-100], tmp_path, target, "--last-trace", "drop")
    assert target.read_bytes()[3600:] == whole[3600 : 3600 + 240 + 9 * 4]


def test_one_whole_trace_that_contradicts_the_file_header(sill, tmp_path, target):
    made = segy_files.make(2, 50, code=5, revision=(0, 0)).put_word("ns", 60)
    assert "50" in refused(sill, made.to_bytes()[:-20], tmp_path, target, "--last-trace", "drop")
    repaired(sill, made.to_bytes()[:-20], tmp_path, target, "--last-trace", "drop", "--assume", "samples=50")
    assert target.read_bytes()[3600:] == made.put_word("ns", 50).to_bytes()[3600 : 3600 + 440]


@pytest.mark.parametrize("what", ["drop", "pad"])
def test_cut_in_the_headers_of_the_first_trace(sill, tmp_path, target, what):
    made = segy_forms.make(1, 50, additional=1)
    cut = made.to_bytes()[: 3600 + 400]
    if what == "pad":
        assert "480 bytes of headers" in refused(sill, cut, tmp_path, target, "--last-trace", "pad")
        return
    repaired(sill, cut, tmp_path, target, "--last-trace", "drop")
    assert target.read_bytes() == made.permuted(np.arange(0)).put_binary(3513, "u8", 0).to_bytes()


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("hole", [(1, 512), (3, 512), (4, -8), (30, 100)])
@pytest.mark.parametrize("what", ["drop", "pad"])
def test_a_hole_in_seismic_unix_data(sill, tmp_path, target, order, hole, what):
    """The order of the bytes shows in the first headers, whatever later ones have become."""
    made = segy_forms.make_su(40, 10, order=order)
    content = bytearray(made.to_bytes())
    trace, missing = hole
    at = trace * 280 + 250
    content[at : at + max(missing, 0)] = bytes(max(-missing, 0))
    path = tmp_path / "f.su"
    path.write_bytes(content)
    assert f"byte order              {order}" in sill.run("info", path, expect=(0, 3)).out
    refused(sill, bytes(content), tmp_path, target, "--last-trace", what, name="f.su")


@pytest.mark.parametrize("numbers", ["counting", "none"])
@pytest.mark.parametrize("zeros", [240, 300, 500])
def test_zeros_do_not_stand_for_missing_bytes(sill, tmp_path, target, zeros, numbers):
    """A hole and zeros at the end: the size says nothing, and the last headers are none."""
    made = segy_files.make(100, 90, code=5, seed=3).put_word("ns", 0).put_word("dt", 0)
    if numbers == "none":
        made.put_word("tracl", 7).put_word("tracr", 7)
    whole = made.to_bytes()
    for hole_at, missing in [(27 * 600 + 300, 64), (90 * 600 + 500, 37), (300, 128)]:
        at = 3600 + hole_at
        content = whole[:at] + whole[at + missing :] + bytes(missing + zeros)
        assert "missing inside" in refused(sill, content, tmp_path, target)
    repaired(sill, whole + bytes(zeros), tmp_path, target)
    assert target.read_bytes() == whole
