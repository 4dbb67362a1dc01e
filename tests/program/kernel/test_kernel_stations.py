"""`sill kernel ondes3d-stations`: files against an independent writer, and against the original program's requests."""

import json
import math
import os
import resource
import time

import numpy as np
import obspy
import pytest
import segyio
from program import TIMEOUT_S, kill_group

MASK = (1 << 64) - 1
COMPONENTS = 9


def value(station: int, component: int, step: int) -> float:
    """What the kernel records, by its definition: exact in doubles."""
    bits = ((station * 1_000_003 + component) * 0x9E3779B97F4A7C15 + step * 0xBF58476D1CE4E5B9) & MASK
    bits = (bits ^ (bits >> 29)) * 0x94D049BB133111EB & MASK
    bits ^= bits >> 32
    return math.ldexp((bits >> 11) - (1 << 52), -92 + (bits & 63))


def record(station: int, step: int) -> str:
    return " ".join("%15e" % value(station, c, step) for c in range(COMPONENTS)) + "\n"


def station_file(station: int, first_line: str, steps: int, every: int, grows: bool) -> bytes:
    """The file as the phases write it, one after another; the first line is the kernel's choice of a place."""
    width = 1 if grows else len(str(steps))
    text = bytearray()
    for step in range(every, steps + every, every):
        last = min(step, steps)
        header = (first_line + "%*d %f\n" % (width, last, 0.008)).encode()
        text[: 0 if not text else len(header)] = header
        for each in range(step - every + 1, last + 1):
            text += record(station, each).encode()
    return bytes(text)


def check(folder, stations: int, steps: int, every: int, grows: bool = False) -> None:
    assert sorted(os.listdir(folder)) == sorted(f"obs{n}.dat" for n in range(1, stations + 1))
    for station in range(stations):
        content = (folder / f"obs{station + 1}.dat").read_bytes()
        first_line = content[: content.index(b"\n") + 1].decode()
        number, *place = first_line.split()
        assert int(number) == station + 1
        assert first_line == "%d %f %f %f\n" % (int(number), *map(float, place))
        assert 0 <= float(place[0]) < 104_000 and 0 <= float(place[1]) < 74_000
        assert content == station_file(station, first_line, steps, every, grows)


def contents(folder) -> dict:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("every", [1, 7, 10, 25, 100])
@pytest.mark.parametrize("options", [[], ["--compat"], ["--original"]])
def test_bytes_are_those_of_an_independent_writer(sill, tmp_path, every, options):
    # The count gains a digit at 10 steps; of the first phase, or later.
    out = tmp_path / "out"
    sizes = ["--stations", 5, "--steps", 25, "--every", every]
    result = sill.run("kernel", "ondes3d-stations", "--out", out, *sizes, *options, "--verify")
    assert "verified" in result.out
    check(out, 5, 25, every, grows=bool(options))


def test_the_count_gains_two_digits(sill, tmp_path):
    sizes = ["--stations", 3, "--steps", 104, "--every", 8]
    for option in ("--compat", "--original"):
        sill.run("kernel", "ondes3d-stations", "--out", tmp_path / option, *sizes, option, "--verify")
        check(tmp_path / option, 3, 104, 8, grows=True)


def test_a_longer_earlier_run_is_replaced(sill, tmp_path):
    out = tmp_path / "out"
    sill.run("kernel", "ondes3d-stations", "--out", out, "--stations", 4, "--steps", 60)
    sill.run("kernel", "ondes3d-stations", "--out", out, "--stations", 4, "--steps", 12, "--every", 5)
    check(out, 4, 12, 5)


@pytest.mark.filterwarnings("ignore:Sample spacing")
@pytest.mark.parametrize(("ranks", "policy"), [(None, "auto"), (1, "staged"), (3, "elected,async=2"), (4, "direct")])
def test_sac_files(sill, tmp_path, ranks, policy):
    out = tmp_path / "out"
    sizes = ["--stations", 6, "--steps", 23, "--every", 10]
    sill.run("kernel", "ondes3d-stations", "--form", "sac", "--out", out, *sizes, "--policy", policy, "--verify", ranks=ranks)
    names = ["vx", "vy", "vz", "txx", "tyy", "tzz", "txy", "txz", "tyz"]
    assert sorted(os.listdir(out)) == sorted(f"obs{n}.{name}.sac" for n in range(1, 7) for name in names)
    for station in range(6):
        for component, name in enumerate(names):
            trace = obspy.read(out / f"obs{station + 1}.{name}.sac", format="SAC")[0]
            assert trace.stats.npts == 23 and abs(trace.stats.delta - 0.008) < 1e-9
            assert (trace.stats.station, trace.stats.channel) == (str(station + 1), name)
            assert 0 <= trace.stats.sac.user0 < 104_000 and 0 <= trace.stats.sac.user1 < 74_000
            expected = [value(station, component, step) for step in range(1, 24)]
            assert (trace.data == np.array(expected).astype(np.float32)).all()


@pytest.mark.parametrize("ranks", [None, 3])
def test_sac_files_of_the_original_are_the_same(sill, tmp_path, ranks):
    sizes = ["--form", "sac", "--stations", 5, "--steps", 23, "--every", 10, "--verify"]
    for name, options in {"ours": [], "original": ["--original"]}.items():
        sill.run("kernel", "ondes3d-stations", *sizes, "--out", tmp_path / name, *options, ranks=ranks)
    for path in (tmp_path / "ours").glob("*.sac"):
        assert path.read_bytes() == (tmp_path / "original" / path.name).read_bytes()


@pytest.mark.parametrize("option", ["--original", "--against=original,staged"])
def test_the_original_writes_a_file_for_each_station(sill, tmp_path, option):
    refused = sill.run("kernel", "ondes3d-stations", "--form", "segy", option, "--out", tmp_path / "out", expect=2)
    assert "a file for each station" in refused.err
    assert "text headers" in sill.run("kernel", "ondes3d-stations", "--form", "sac", "--compat", expect=2).err


RUNS = [(None, "auto"), (1, "staged"), (3, "elected,async=2"), (4, "direct"), (2, "aggregated")]
NAMES = ["vx", "vy", "vz", "txx", "tyy", "tzz", "txy", "txz", "tyz"]


def of_all_channels(sill, tmp_path, form, name, steps=1100):
    """The file of six stations, the same of all runs."""
    sizes = ["--stations", 6, "--steps", steps, "--every", 300]
    files = []
    for ranks, policy in RUNS:
        out = tmp_path / f"{ranks}"
        command = ["kernel", "ondes3d-stations", "--form", form, "--out", out, *sizes, "--policy", policy, "--verify"]
        sill.run(*command, ranks=ranks)
        files.append((out / name).read_bytes())
    assert all(each == files[0] for each in files)
    return tmp_path / "None" / name


def samples_of(station, component, steps=1100):
    return np.array([value(station, component, step) for step in range(1, steps + 1)]).astype(np.float32)


def test_a_shot_gather_as_segy(sill, tmp_path):
    path = of_all_channels(sill, tmp_path, "segy", "stations.sgy")
    with segyio.open(path, ignore_geometry=True) as file:
        assert file.tracecount == 54 and file.samples.size == 1100
        assert file.bin[segyio.BinField.Interval] == 8000 and int(file.format) == 5
        for station in range(6):
            for component in range(9):
                header = file.header[9 * station + component]
                assert (header[segyio.su.cdp], header[segyio.su.cdpt]) == (station + 1, component + 1)
                assert header[segyio.su.scalco] == -1000
                assert header[segyio.su.ns] == 1100 and header[segyio.su.dt] == 8000
                assert (file.trace[9 * station + component] == samples_of(station, component)).all()
    checked = sill.run("check", path)
    assert "shot gathers" in checked.out and "warning" not in checked.said


def test_a_shot_gather_as_su(sill, tmp_path):
    path = of_all_channels(sill, tmp_path, "su", "stations.su")
    stream = obspy.read(path, format="SU", byteorder="<")
    assert len(stream) == 54
    for number, trace in enumerate(stream):
        assert (trace.data == samples_of(number // 9, number % 9)).all()
        assert abs(trace.stats.delta - 0.008) < 1e-9


def test_all_stations_as_miniseed(sill, tmp_path):
    path = of_all_channels(sill, tmp_path, "miniseed", "stations.mseed")
    assert path.stat().st_size == 54 * 2 * 4096  # 992 samples fit a record
    stream = obspy.read(path, format="MSEED")
    assert len(stream) == 54  # records that follow each other in time are one trace
    for trace in stream:
        station, component = int(trace.stats.station) - 1, NAMES.index(trace.stats.channel)
        assert trace.stats.network == "XX" and trace.stats.npts == 1100
        assert trace.stats.sampling_rate == 125.0
        assert trace.stats.starttime == obspy.UTCDateTime(0)
        assert (trace.data == samples_of(station, component)).all()


# All of them, on any ranks and with several threads: tests/kernels.
POLICIES = ["staged", "elected,async=2", "burst=/tmp", "collective"]


@pytest.mark.mpich
@pytest.mark.parametrize("ranks", [None, 2])
def test_the_same_bytes_for_policies(sill, tmp_path, ranks):
    sizes = ["--stations", 24, "--steps", 23, "--every", 4]
    for policy in POLICIES:
        sill.run("kernel", "ondes3d-stations", "--out", tmp_path / policy, *sizes, "--policy", policy, ranks=ranks)
        check(tmp_path / policy, 24, 23, 4)


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_the_same_bytes_for_any_number_of_ranks(sill, tmp_path, ranks):
    sizes = ["--stations", 24, "--steps", 23, "--every", 10]
    runs = {
        "elected": ["--policy", "elected"],
        "compat": ["--compat", "--policy", "staged"],
        "original": ["--original"],
    }
    kernel = ["kernel", "ondes3d-stations", *sizes, "--verify", "--out"]
    sill.run_together([(*kernel, tmp_path / name, *options) for name, options in runs.items()], ranks=ranks)
    check(tmp_path / "elected", 24, 23, 10)
    check(tmp_path / "compat", 24, 23, 10, grows=True)
    assert contents(tmp_path / "original") == contents(tmp_path / "compat")


def test_the_report(sill, tmp_path):
    out = tmp_path / "out"
    sizes = ["--out", out, "--stations", 6, "--steps", 30, "--every", 10]
    report = tmp_path / "report.json"
    sill.run("kernel", "ondes3d-stations", *sizes, "--policy", "elected", "--verify", "--report", report)
    told = json.loads(report.read_text())
    assert (told["kernel"], told["stations"], told["steps"], told["every"]) == ("ondes3d-stations", 6, 30, 10)
    assert (told["phases"], told["verified"], told["original"]) == (3, True, False)
    assert told["file_bytes"] == sum(path.stat().st_size for path in out.iterdir())
    assert told["opens"] == 6 + 1  # and the report
    assert told["requests_written"] == 6 * (1 + 2 + 2)  # at first, header and records are one piece
    assert 0 <= told["output_s"] <= told["loop_s"] <= told["seconds"]
    sill.run("kernel", "ondes3d-stations", *sizes, "--original", "--report", report, ranks=2)
    told = json.loads(report.read_text())
    assert told["original"]
    assert told["messages"] == 3 * 6 * 9
    assert told["opens"] == 3 * 6 * 2 + 1
    assert told["requests_written"] == 3 * 6 * (2 + 10 * 9)
    headers = sum(len(b"".join(path.read_bytes().splitlines(keepends=True)[:2])) for path in out.iterdir())
    assert told["bytes_written"] == told["file_bytes"] + 2 * headers  # as long in each of the three phases


def test_files_stay_open_where_ranks_write_together(sill, tmp_path):
    report = tmp_path / "report.json"
    # The 24th station lies where the blocks of two ranks meet: both open its file, and one once more for the header.
    for ranks, opens in ((None, 24), (2, 24 + 2)):
        sizes = ["--stations", 24, "--steps", 30, "--every", 3]
        out = tmp_path / f"of {ranks}"
        command = ["kernel", "ondes3d-stations", "--out", out, *sizes, "--verify", "--report", report]
        sill.run(*command, "--policy", "collective", ranks=ranks)
        told = json.loads(report.read_text())
        assert (told["phases"], told["verified"]) == (10, True)
        assert told["opens"] == opens + 1  # and the report


def test_computing_takes_the_time_it_is_told(sill, tmp_path):
    report = tmp_path / "report.json"
    sizes = ["--stations", 1, "--steps", 20, "--compute-ms", 10]
    sill.run("kernel", "ondes3d-stations", "--out", tmp_path / "out", *sizes, "--report", report)
    told = json.loads(report.read_text())
    assert told["loop_s"] >= 0.2 + told["output_s"]


def test_a_changed_byte_is_found(sill, tmp_path):
    """A byte of the first record is changed while the run goes on; nothing writes there again."""
    out = tmp_path / "out"
    sizes = ["--stations", 3, "--steps", 40, "--every", 2, "--compute-ms", 25]
    process = sill.start("kernel", "ondes3d-stations", "--out", out, *sizes, "--verify")
    try:
        changed = out / "obs2.dat"
        until = time.monotonic() + TIMEOUT_S
        while not changed.exists() or changed.stat().st_size < 300:
            assert time.monotonic() < until
            time.sleep(0.005)
        with changed.open("r+b") as file:
            place = file.read().index(b"e", 100)
            file.seek(place)
            file.write(b"E")
        _, err = process.communicate(timeout=TIMEOUT_S)
    finally:
        kill_group(process)
    assert process.returncode == 3
    assert str(changed) in err.decode() and f"byte:   {place}" in err.decode()


def test_what_a_link_in_the_way_leads_to_stays(sill, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"precious")
    out = tmp_path / "out"
    out.mkdir()
    (out / "obs3.dat").symlink_to(elsewhere)
    sill.run("kernel", "ondes3d-stations", "--out", out, "--stations", 3, "--steps", 5, "--verify")
    assert elsewhere.read_bytes() == b"precious"
    check(out, 3, 5, 10)


@pytest.mark.parametrize("option", [[], ["--original"]])
def test_a_folder_that_cannot_be_is_an_error(sill, tmp_path, option):
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "out"
    result = sill.run("kernel", "ondes3d-stations", "--out", out, "--stations", 2, *option, ranks=2, expect=4)
    assert str(out) in result.err and "rank" in result.err
    assert result.err.count("sill: error") == 1


FULL = [["--policy", "elected"], ["--policy", "direct"], ["--policy", "elected,async=2"], ["--original"]]


def check_earlier_phases(out, least: int, most: int) -> None:
    """Each header states of so many steps, and their records are there."""
    for station in range(5):
        content = (out / f"obs{station + 1}.dat").read_bytes()
        if least == 0 and not content:
            continue  # behind the computation another rank filled the disk before its first phase
        first_line, second_line = content.splitlines(keepends=True)[:2]
        steps = int(second_line.split()[0])
        assert least <= steps <= most
        whole = b"".join(record(station, step).encode() for step in range(1, steps + 1))
        assert content[len(first_line + second_line) :].startswith(whole)


@pytest.mark.parametrize("option", FULL)
def test_a_limit_of_file_sizes_is_told_once_and_earlier_phases_are_whole(sill, tmp_path, option):
    """It is reached in the fourth of five phases."""
    out = tmp_path / "out"
    limit = 144 * 35

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    sizes = ["--stations", 5, "--steps", 50, "--every", 10]
    result = sill.run("kernel", "ondes3d-stations", "--out", out, *sizes, *option, expect=4, preexec_fn=limited)
    assert result.err.count("sill: error") == 1
    assert "obs" in result.err and "File too large" in result.err
    if option != ["--original"]:
        check_earlier_phases(out, 10 if "async" in option[1] else 30, 30)


@pytest.mark.parametrize("option", FULL)
def test_a_full_disk_is_told_once_with_ranks(sill, tiny_disk, option):
    """Room for one page of each file and a few more; a file needs its second in the third phase."""
    out = tiny_disk / "out"
    room = os.statvfs(tiny_disk)
    (tiny_disk / "filler").write_bytes(bytes((room.f_bfree - 7) * room.f_bsize))
    sizes = ["--stations", 5, "--steps", 50, "--every", 10]
    result = sill.run("kernel", "ondes3d-stations", "--out", out, *sizes, *option, ranks=2, expect=4)
    assert result.err.count("sill: error") == 1
    assert "obs" in result.err and "No space left" in result.err
    if option != ["--original"]:
        check_earlier_phases(out, 0 if "async" in option[1] else 20, 20)


def test_what_contradicts_itself_is_refused(sill, tmp_path):
    out = ["--out", tmp_path / "out"]
    for wrong in (
        ["--original", "--policy", "staged"],
        ["--stations", 0],
        ["--steps", 0],
        ["--every", 0],
        ["--compute-ms", -1],
    ):
        sill.run("kernel", "ondes3d-stations", *out, *wrong, expect=2)
    assert "kernel" in sill.run("kernel", "no-such-kernel", expect=2).err
    assert "sill kernel ondes3d-stations --help" in sill.run("kernel", "ondes3d-stations", "--steps", 0, expect=2).err
    report = tmp_path / "out" / "obs2.dat"
    (tmp_path / "out").mkdir()
    result = sill.run("kernel", "ondes3d-stations", *out, "--stations", 2, "--report", report, expect=2)
    assert "obs2.dat" in result.err and os.listdir(tmp_path / "out") == []


def test_seismograms_are_the_files_of_ondes3d_stations(sill, tmp_path):
    sizes = ["--stations", 7, "--every", 10, "--verify"]
    for form in ("sac", "miniseed"):
        expected = tmp_path / f"stations-{form}"
        sill.run("kernel", "ondes3d-stations", "--form", form, "--steps", 23, *sizes, "--out", expected)
        made = tmp_path / f"seismograms-{form}"
        options = [] if form == "sac" else ["--form", form]  # sac is the default
        sill.run("kernel", "seismograms", *options, "--samples", 23, *sizes, "--out", made, ranks=2)
        names = sorted(path.name for path in expected.iterdir())
        assert names == sorted(path.name for path in made.iterdir())
        assert all((expected / name).read_bytes() == (made / name).read_bytes() for name in names)
