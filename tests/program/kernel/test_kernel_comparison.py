"""`sill kernel NAME --against`, `--paper`: what every kernel shares, shown on stations."""

import json
import statistics

import pytest

KERNEL = ["kernel", "ondes3d-stations"]
SIZES = ["--stations", 12, "--steps", 30, "--every", 5]


def compare(sill, tmp_path, *options, **more):
    report = tmp_path / "report.json"
    out = ["--out", tmp_path / "out", "--report", report]
    result = sill.run(*KERNEL, *SIZES, *out, *options, **more)
    return json.loads(report.read_text()), result.out


@pytest.mark.mpich
@pytest.mark.parametrize("ranks", [None, 2])
def test_ways_are_told_apart(sill, tmp_path, ranks):
    ways = ["original", "staged", "elected,stage=64K", "elected,async=2", "collective"]
    told, out = compare(sill, tmp_path, "--against", ",".join(ways), "--repeat", 7, "--verify", ranks=ranks)
    assert [way["way"] for way in told["ways"]] == ways
    assert told["ways"][0]["policy"] is None and "stage=64K" in told["ways"][2]["policy"]
    assert told["repeat"] == 7
    assert told["ways"][0]["opens"] == 2 * 12 * 6
    assert told["ways"][0]["requests_written"] == 12 * 6 * (2 + 5 * 9)
    assert told["ways"][1]["opens"] == 12
    # What the system counted: of the original a header and records of each file and phase, as stdio gathers prints.
    # Under a launcher MPI may have written as well.
    for way, writes in ((told["ways"][0], 2 * 12 * 6), (told["ways"][1], told["ways"][1]["requests_written"])):
        assert writes <= way["system_writes"] <= writes + (0 if ranks is None else 10)
    assert all(way["prepare_s"]["median"] > 0 for way in told["ways"][:3]), "text"
    for way in told["ways"]:
        assert len(way["outputs_s"]) == 7
        assert way["output_s"]["median"] == pytest.approx(statistics.median(way["outputs_s"]))
        # Of seven values, the smallest and the largest cover the median with 98.4 %, the next two with 87.5 %.
        assert way["output_s"]["least"] == min(way["outputs_s"])
        assert way["output_s"]["most"] == max(way["outputs_s"])
        assert way["times_faster"]["median"] == pytest.approx(
            statistics.median(a / b for a, b in zip(told["ways"][0]["outputs_s"], way["outputs_s"], strict=True))
        )
        assert way["write_s"]["median"] > 0 and way["loop_s"]["median"] >= way["output_s"]["median"]
        assert way["way"] in out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(f"obs{n}.dat" for n in range(1, 13))


def test_bounds_of_eleven_runs(sill, tmp_path):
    told, _ = compare(sill, tmp_path, "--against", "original,staged,elected", "--repeat", 11)
    for way in told["ways"]:  # 11 values: the second and the last but one cover with 98.8 %, the next two with 93.5 %
        ordered = sorted(way["outputs_s"])
        assert (way["output_s"]["least"], way["output_s"]["most"]) == (ordered[1], ordered[-2])


def test_ways_that_are_none(sill, tmp_path):
    for ways, word in (
        (["original"], "two or more ways"),
        (["original,nothing"], "nothing"),
        (["staged,elected,staged"], "twice"),
        (["original,stage=64K,staged"], "original"),
        (["staged,elected", "--policy", "direct"], "--policy"),
        (["staged,elected", "--original"], "--original"),
        (["staged,elected", "--repeat", 1], "--repeat"),
    ):
        result = sill.run(*KERNEL, *SIZES, "--out", tmp_path / "out", "--against", *ways, expect=2)
        assert word in result.err
    assert "--against" in sill.run(*KERNEL, *SIZES, "--out", tmp_path / "out", "--repeat", 3, expect=2).err
    assert not (tmp_path / "out").exists()


def test_the_sizes_of_a_paper_are_told_first_and_refused_where_they_do_not_fit(sill, tmp_path, tiny_disk):
    result = sill.run(*KERNEL, "--paper", "--out", tiny_disk / "out", expect=4)
    assert "650 stations, 1,000 steps" in result.out and "93,634,207 bytes" in result.out
    assert "are free" in result.err and "--out" in result.err
    assert not (tiny_disk / "out").exists()
    assert "--stations" in sill.run(*KERNEL, "--paper", "--stations", 2, "--out", tmp_path / "out", expect=2).err
