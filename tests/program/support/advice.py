"""Advice followed: what a finding or an error says to give is given, on the very file."""

import json
import re

ASSUMPTIONS = re.compile(r"\b[a-z_]+=[\w.]+(?:,[a-z_]+=[\w.]+)*")
PLACEHOLDERS = re.compile(r"=(N|CODE|US)\b")


def assumptions_of(action: str, known: dict[str, int]) -> list[str]:
    """What `--assume` takes by this advice, a text for each alternative but those that ask for what the file has not.

    `known`: what N, CODE and US are of the file.
    """
    if "--assume" not in action:
        return []
    ways = [text for text in ASSUMPTIONS.findall(action) if all(place in known for place in PLACEHOLDERS.findall(text))]
    assert ways, action
    return [PLACEHOLDERS.sub(lambda place: f"={known[place[1]]}", text) for text in ways]


def found_in(sill, path, *options) -> list[dict]:
    return json.loads(sill.run("info", path, "--json", *options, expect=(0, 3)).out)["diagnostics"]


def is_left(finding: dict, found: list[dict]) -> bool:
    return any(one["problem"] == finding["problem"] and one["grade"] != "info" for one in found)


def follow(sill, path, findings: list[dict], known: dict[str, int]) -> int:
    """Whatever the findings advise of `--assume` and `sill repair` is done, and they are gone. Returns how much it was."""
    followed = 0
    for finding in findings:
        for text in assumptions_of(finding["action"], known):
            left = found_in(sill, path, "--assume", text)
            assert not is_left(finding, left), (text, finding, left)
            if finding["grade"] == "critical":
                assert not [one for one in left if one["grade"] == "critical" and one not in findings], (text, left)
            followed += 1
        if re.search(r"sill repair", finding["action"]):
            output = path.with_name("repaired" + path.suffix)
            options = ["--assume", assumptions_of(finding["action"], known)[0]] if "--assume" in finding["action"] else []
            sill.run("repair", path, "-o", output, *options)
            left = found_in(sill, output)
            assert not is_left(finding, left), (finding, left)
            output.unlink()
            followed += 1
    return followed
