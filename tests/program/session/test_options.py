"""`SILL_POLICY` and `SILL_OPTIONS`: which source counts, what is refused and how; on any number of ranks."""

import json

import pytest
from presets import PRESETS


@pytest.fixture
def told(sill, small, tmp_path, monkeypatch):
    """Runs a sort with variables of the environment; what its report says."""

    def run(*options, ranks=1, **variables):
        for name in ("SILL_POLICY", "SILL_OPTIONS"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, str(value))
        report = tmp_path / "told.json"
        arguments = ("sort", small[1], "-o", tmp_path / "out.sgy", "--by", "cdp", *options)
        sill.run(*arguments, "--report", report, ranks=ranks)
        return json.loads(report.read_text())

    return run


@pytest.fixture
def refused(sill, small, tmp_path, monkeypatch):
    def run(*words, ranks=1, code=2, **variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, str(value))
        result = sill.run("sort", small[1], "-o", tmp_path / "no.sgy", "--by", "cdp", expect=code, ranks=ranks)
        for word in words:
            assert word in result.err, result.err
        assert result.err.count("sill: error") == 1
        assert not (tmp_path / "no.sgy").exists()
        for name in variables:
            monkeypatch.delenv(name)

    return run


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_environment_says_the_policy(told, ranks):
    assert told(ranks=ranks)["policy"] == PRESETS["auto"]
    assert told(ranks=ranks, SILL_POLICY="elected")["policy"] == PRESETS["elected"]
    assert told(ranks=ranks, SILL_OPTIONS="policy=elected threads=3")["policy"] == PRESETS["elected"].replace(
        "threads=0", "threads=3"
    )


def test_the_command_line_counts_before_the_environment(told):
    both = {"SILL_POLICY": "elected", "SILL_OPTIONS": "policy=gathered"}
    assert told("--policy", "staged", **both)["policy"] == PRESETS["staged"]
    assert told("--threads", 2, SILL_OPTIONS="threads=3")["threads"] == 2
    assert told(SILL_POLICY="elected", SILL_OPTIONS="policy=gathered")["policy"] == PRESETS["elected"]


def test_outputs_have_their_own(sill, told, tmp_path, monkeypatch):
    policies = "stations:staged; segy:gathered; elected"
    assert told(SILL_POLICY=policies)["policy"] == PRESETS["gathered"]
    report = tmp_path / "stations.json"
    monkeypatch.setenv("SILL_POLICY", policies)
    kernel = ("kernel", "ondes3d-stations", "--out", tmp_path / "out", "--stations", 2, "--steps", 4, "--verify")
    sill.run(*kernel, "--report", report)
    assert json.loads(report.read_text())["policy"] == PRESETS["staged"]


def test_a_file(sill, small, told, tmp_path, monkeypatch):
    file = tmp_path / "tuned.toml"
    report = tmp_path / "from-options.json"
    file.write_text(f'report = "{report}"\nthreads = 2\n[policies]\nsegy = "stage=64K"\n')
    policy = told(SILL_OPTIONS=file)["policy"]
    assert "stage=64K" in policy and "threads=2" in policy
    assert not report.exists()  # --report counts before
    sill.run("sort", small[1], "-o", tmp_path / "out.sgy", "--by", "cdp")
    assert json.loads(report.read_text())["policy"] == policy


@pytest.mark.parametrize("ranks", [1, 2])
def test_what_is_not_known_is_refused(refused, tmp_path, ranks):
    refused("SILL_POLICY", "`elektet`", "did you mean elected", ranks=ranks, SILL_POLICY="elektet")
    refused("SILL_POLICY", "`station`", "did you mean stations", ranks=ranks, SILL_POLICY="station:elected")
    refused("SILL_OPTIONS", "`treads`", "did you mean threads", ranks=ranks, SILL_OPTIONS="treads=4")
    file = tmp_path / "wrong.toml"
    file.write_text('threads = 2\n\nmemory = "much"\n')
    refused("wrong.toml", "line 3", "`memory`", "much", ranks=ranks, SILL_OPTIONS=file)
    refused("SILL_OPTIONS", "none.toml", ranks=ranks, code=4, SILL_OPTIONS=tmp_path / "none.toml")


def test_a_report_that_the_environment_names_replaces_no_input(sill, small, tmp_path, monkeypatch):
    _, path = small
    before = path.read_bytes()
    monkeypatch.setenv("SILL_OPTIONS", f"report={path}")
    sill.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "cdp", expect=2)
    assert path.read_bytes() == before
