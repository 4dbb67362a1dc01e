"""`sill tune`, and the profiles by which policies are chosen."""

import json
import os
import tomllib

import pytest

ROWS = ["kernel", "grid-rows"]


@pytest.fixture
def config(tmp_path):
    """A user's configuration folder, and the environment that names it."""
    folder = tmp_path / "config"
    return folder / "sill/profiles", {"XDG_CONFIG_HOME": str(folder), "XDG_CONFIG_DIRS": str(tmp_path / "site")}


def profile_of(folder):
    (path,) = folder.iterdir()
    return path


def reasons(tmp_path, run, env) -> str:
    report = tmp_path / "report.json"
    result = run(*ROWS, "--out", tmp_path / "rows", "--report", report, env=env)
    told = json.loads(report.read_text())
    chosen = [each["why"] for output in told["outputs"].values() for each in output["chosen"]]
    assert chosen
    return result.err, told["notes"], " ".join(chosen)


@pytest.mark.parametrize("ranks", [None, 2, 3])
def test_a_profile_is_stored_and_used(sill, tmp_path, config, ranks):
    folder, env = config
    (tmp_path / "data").mkdir()
    result = sill.run("tune", tmp_path / "data", "--quick", ranks=ranks, env=env)
    assert os.listdir(tmp_path / "data") == []
    path = profile_of(folder)
    assert str(path) in result.out
    profile = tomllib.loads(path.read_text())
    assert profile["ranks"] == (ranks or 1)
    assert profile["nodes"] == 1
    assert all(cost["from"] <= cost["s"] <= cost["to"] for cost in profile["costs"].values())
    assert profile["costs"]["request"]["s"] + profile["costs"]["byte"]["s"] > 0

    def run(*arguments, **how):
        return sill.run(*arguments, ranks=ranks or 1, **how)

    err, notes, why = reasons(tmp_path, run, env)
    assert err == "" and notes == []
    assert "costs measured on" in why and "(sill tune)" in why
    assert "costs measured on" not in reasons(tmp_path, run, env | {"XDG_CONFIG_HOME": str(tmp_path / "none")})[2]

    # A site's counts as well.
    site = tmp_path / "site/sill/profiles"
    site.parent.mkdir(parents=True)
    folder.rename(site)
    assert "costs measured on" in reasons(tmp_path, run, env)[2]


@pytest.mark.parametrize(
    "was, now, note",
    [
        ("version = 1", "version = 7", "another version"),
        ("[costs]", "[costs", "this is not TOML"),
        ('mpi = "', 'mpi = "Other ', "but this is"),
        ("nodes = 1", "nodes = 3", "it was made on 3 nodes"),
        ("made = 20", "made = 19", "days old"),
        ("made = 20", "# made = 20", "`made` is missing"),
    ],
)
def test_a_profile_that_does_not_fit_is_left_out_with_a_note(sill, tmp_path, config, was, now, note):
    folder, env = config
    sill.run("tune", tmp_path, "--quick", env=env)
    path = profile_of(folder)
    text = path.read_text()
    assert was in text
    path.write_text(text.replace(was, now, 1))
    err, notes, why = reasons(tmp_path, lambda *arguments, **how: sill.run(*arguments, ranks=2, **how), env)
    assert "costs measured on" not in why
    assert len(notes) == 1 and note in notes[0] and str(path) in notes[0]
    assert err.count("not used") == 1


def test_a_folder_that_cannot_be_measured_is_an_error(sill, tmp_path, config, tiny_disk):
    folder, env = config
    assert "missing" in sill.run("tune", tmp_path / "missing", "--quick", env=env, expect=4).err
    (tmp_path / "file").write_text("")
    sill.run("tune", tmp_path / "file", "--quick", env=env, expect=4)
    assert "free" in sill.run("tune", tiny_disk, "--quick", env=env, expect=4).err
    assert os.listdir(tiny_disk) == []
    assert os.listdir(folder) == []
    (tmp_path / "config").rename(tmp_path / "away")
    (tmp_path / "config").write_text("no folder")
    sill.run("tune", tmp_path, "--quick", env=env, expect=4)
