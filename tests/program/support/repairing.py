"""What tests of `sill repair` share."""

import json

import numpy as np
import segy_files
from caught import OLD
from test_peculiarities import file

CLEAN = "nothing to repair"


def new_target(tmp_path):
    """A name in a folder where nothing else is."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "out.sgy"


def repaired(sill, content: bytes, tmp_path, target, *options, name="f.sgy", **more) -> dict:
    """Repairs a file; the report, with the lines printed as `said`."""
    path = tmp_path / name
    path.write_bytes(content)
    report = tmp_path / "report.json"
    result = sill.run("repair", path, "-o", target, *options, "--report", report, **more)
    assert sorted(p.name for p in target.parent.iterdir()) == [target.name]
    return json.loads(report.read_text()) | {"said": result.text, "path": path}


def refused(sill, content: bytes, tmp_path, target, *options, code=3, name="f.sgy", **more) -> str:
    """The reason of a refusal that leaves nothing behind, and an old output as it was."""
    path = tmp_path / name
    path.write_bytes(content)
    target.write_bytes(OLD)
    reason = sill.run("repair", path, "-o", target, *options, expect=code, **more).reason
    assert [p.name for p in target.parent.iterdir()] == [target.name]
    assert target.read_bytes() == OLD
    return reason


def accepted(sill, path) -> dict:
    """What is found out about a file that has no finding of grade minor or worse."""
    return json.loads(sill.run("info", path, "--json", "--strict").out)


def rich_in_ends() -> segy_files.Segy:
    """Bytes of all sorts, carriage returns before line feeds among them, and a few MB for several pieces a rank."""
    made = file(2000, 600, code=3)
    random = np.random.default_rng(4)
    made.put_samples(random.choice(np.array([0x0D0A, 0x0A0D, 0x0A0A, 0x0D0D, 0x410A, 0x0D41], "i2"), (2000, 600)))
    return made.put_word("tracl", 77).put_word("tracr", 77)
