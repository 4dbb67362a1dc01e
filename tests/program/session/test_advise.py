"""`sill advise`: what it says of every kernel is applied to that kernel, and comes true."""

import hashlib
import json
import re

import pytest

# Each kernel with a policy that does not suit it, the limit that it meets, and what the advice is to change.
SMALL = "small requests"
CASES = {
    "ondes3d-stations": (["--stations", 40, "--steps", 50, "--every", 5], "writers=root", "one writer"),
    "ondes3d-surfaces": (["--grid", "60x50x40"], "direct", SMALL),
    "awp-volume": (["--grid", "100x80x40"], "direct,sync=close", SMALL),
    "grid-rows": (["--grid", "48x64x64"], "direct", SMALL),
    "mslio": (["--ccross", 3, "--sub-elements", 8, "--phases", 2], "writers=root", "one writer"),
    "ior": (["--block", "4M", "--transfer", "4K", "--shared"], "staged,writers=root", "one writer"),
}  # fmt: skip


def kernel(sill, tmp_path, name, *arguments, **options):
    out = tmp_path / "out"
    report = tmp_path / "report.json"
    sill.run("kernel", name, *arguments, "--out", out, "--report", report, "--verify", ranks=2, **options)
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir() if path.is_file()}
    return report, json.loads(report.read_text()), files


def make_slow(report, limit):
    """The report of the same run on a slow file system: counts are as they were, files take most of the time."""
    told = json.loads(report.read_text())
    for output in [told, *told["outputs"].values()]:
        output["write_s"] = 100
        output["output_calls_s"] = 110
        output["over_ranks"]["file_s"]["max"] = 100 if limit == "one writer" else 50
    report.write_text(json.dumps(told))


@pytest.fixture
def slow_requests(sill, tmp_path):
    """A profile of the file system by which requests are slow, as in the report: in memory `auto` has others."""
    env = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    sill.run("tune", tmp_path, "--quick", ranks=2, env=env)
    (profile,) = (tmp_path / "config/sill/profiles").iterdir()
    slow = re.sub(r"^request = .*", "request = { s = 1e-3, from = 1e-3, to = 1e-3 }", profile.read_text(), flags=re.M)
    profile.write_text(slow)
    return env


@pytest.mark.parametrize("name", CASES)
def test_what_is_advised_comes_true(sill, tmp_path, name, slow_requests):
    sizes, policy, limit = CASES[name]
    report, before, files = kernel(sill, tmp_path, name, *sizes, "--policy", policy)
    make_slow(report, limit)
    (output,) = json.loads(sill.run("advise", report, "--json").out)
    (advice,) = (each for each in output["advice"] if each["limit"] == limit and "policy" in each)
    assert 0 < advice["gain_s"] <= output["seconds"] == 55
    env = slow_requests | {"SILL_POLICY": f"{output['output']}:{advice['policy']}"}
    _, after, files_after = kernel(sill, tmp_path, name, *sizes, env=env)
    assert files_after == files
    if limit == SMALL:
        assert advice["min_requests"] <= after["requests_written"] < before["requests_written"]
    else:
        spread = after["over_ranks"]["bytes_written"]
        assert spread["max"] < 0.9 * after["bytes_written"]
    # What was advised is not advised again.
    make_slow(report, limit)
    (output,) = json.loads(sill.run("advise", report, "--json").out)
    assert all(each.get("policy") != advice["policy"] for each in output["advice"] if each["limit"] == limit)


def test_longer_phases_make_requests_fewer(sill, tmp_path):
    sizes = ["--stations", 40, "--steps", 400]
    report, before, _ = kernel(sill, tmp_path, "ondes3d-stations", *sizes, "--every", 5, "--policy", "direct")
    make_slow(report, SMALL)
    (output,) = json.loads(sill.run("advise", report, "--json").out)
    (advice,) = (each for each in output["advice"] if "steps_per_phase" in each["change"])
    _, after, _ = kernel(sill, tmp_path, "ondes3d-stations", *sizes, "--every", 50, "--policy", "direct")
    assert after["requests_written"] < 1.5 * advice["min_requests"] < before["requests_written"] / 2


@pytest.mark.parametrize("ranks", [None, 2])
def test_people_read_shares_and_what_to_set(sill, tmp_path, ranks):
    report, _, _ = kernel(sill, tmp_path, "awp-volume", "--grid", "60x40x20", "--policy", "direct")
    make_slow(report, SMALL)
    lines = sill.run("advise", report, ranks=ranks).out.splitlines()
    assert lines[0] == "volumes: 55 s of the time of a rank (2 ranks)"
    assert lines[1].split()[:5] == ["small", "requests", "50", "s", "91"]
    assert any("saves at most 50 s" in line and ", at least " in line and line.endswith("requests: auto") for line in lines)
    assert lines[-1] == 'SILL_POLICY="direct; volumes:auto"'


def test_nothing_written_is_said(sill, small, tmp_path):
    report = tmp_path / "report.json"
    sill.run("scan", small[1], "--report", report)
    assert sill.run("advise", report).out == f"{report}: nothing was written\n"


def test_a_file_a_problem_cannot_be_fewer_requests(sill, tmp_path):
    report = tmp_path / "report.json"
    sizes = ["--ccross", 3, "--sub-elements", 8, "--policy", "direct"]
    sill.run("kernel", "mslio", *sizes, "--out", tmp_path / "out", "--report", report, ranks=3)
    make_slow(report, SMALL)
    (output,) = json.loads(sill.run("advise", report, "--json").out)
    assert [each for each in output["advice"] if each["limit"] == SMALL] == []


def test_what_no_policy_changes_is_refused(sill, tmp_path):
    report = tmp_path / "report.json"
    for way, word in ((["--original"], "original"), (["--against", "direct,staged", "--repeat", 2], "several ways")):
        sill.run("kernel", "grid-rows", "--grid", "8x8x8", *way, "--out", tmp_path / "out", "--report", report)
        refused = sill.run("advise", report, expect=3).err
        assert word in refused and str(report) in refused


@pytest.mark.parametrize(
    ("key", "value"),
    [("policy", "hello"), ("policy", 'direct"; x'), ("write_s", 1e308), ("opens", -1), ("threads", "two"), ("policy", 7)],
)
def test_a_report_that_was_changed_is_refused(sill, tmp_path, key, value):
    report, told, _ = kernel(sill, tmp_path, "grid-rows", "--grid", "8x8x8")
    for output in told["outputs"].values():
        output[key] = value
    report.write_text(json.dumps(told))
    refused = sill.run("advise", report, expect=3).err
    assert str(report) in refused and "--report" in refused
    if key != "policy" or value == 7:
        assert f"`{key}` is" in refused
    report.write_text(json.dumps({**told, "original": "no"}))
    assert "exception" not in sill.run("advise", report, expect=3).err


def test_what_is_no_report_is_refused(sill, small, tmp_path):
    table = tmp_path / "report.txt"
    sill.run("scan", small[1], "--report", table)
    refused = sill.run("advise", table, expect=3)
    assert str(table) in refused.err and "not a report of input and output in JSON" in refused.err
    assert ".txt" in refused.err.splitlines()[-1]
    assert str(tmp_path / "none") in sill.run("advise", tmp_path / "none", expect=4).err
