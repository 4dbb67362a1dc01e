"""What `sill info --json` tells of a file."""

import json

GRADES = ["info", "minor", "major", "critical"]


def info(sill, path, **options) -> dict:
    result = sill.run("info", path, "--json", expect=(0, 3), **options)
    found = json.loads(result.out)
    assert isinstance(found, dict)
    assert (result.code == 3) == any(diagnostic["grade"] == "critical" for diagnostic in found["diagnostics"])
    for diagnostic in found["diagnostics"]:
        assert set(diagnostic) == {"grade", "problem", "where", "clause", "action"}
        assert diagnostic["grade"] in GRADES
        assert diagnostic["problem"]
    return found


def subset(found: dict, expected: dict) -> dict:
    return {key: found.get(key) for key in expected}
